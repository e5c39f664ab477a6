//! Recordings: all that was said to a mixer, and when it took effect, so that it can be heard again to the bit.

mod blocks;
mod media;
mod reader;
mod recorder;
mod replay;
mod writer;

pub use media::MediaRef;
pub use recorder::{Recorder, Summary};
pub use replay::Replay;
