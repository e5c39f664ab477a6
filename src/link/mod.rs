//! What crosses between the threads, and the only place that both sides know.

mod bridge;
mod drive;
pub(crate) mod feed;
mod lane;
pub(crate) mod message;
mod meters;
mod shape;
mod snapshot;
pub(crate) mod tape;
pub(crate) mod wire;

pub(crate) use bridge::{Bridge, MOST_RESIZES, MOVE_BLOCKS, MOVE_PLACES};
pub(crate) use drive::{Drive, Live};
pub(crate) use snapshot::{Row, Snapshot};
