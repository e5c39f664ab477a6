//! What crosses between the threads, and the only place that both sides know.

mod bridge;
mod drive;
pub(crate) mod feed;
mod lane;
pub(crate) mod message;
pub(crate) mod meters;
#[cfg(all(test, loom))]
mod models;
pub(crate) mod remains;
mod shape;
mod snapshot;
pub(crate) mod sync;
pub(crate) mod tape;
pub(crate) mod wire;

pub(crate) use bridge::{Bridge, MOST_RESIZES, MOVE_BLOCKS, MOVE_PLACES};
pub(crate) use drive::{Drive, Live};
pub(crate) use snapshot::{Row, Snapshot};
