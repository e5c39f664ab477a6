//! The audio side. Nothing in this folder allocates, frees, locks, logs, waits or panics once the
//! renderer is made.

mod aligned;
mod bus;
mod kernel;
mod plays;
mod renderer;
mod voice;

pub use renderer::Renderer;

use crate::link::message::Made;

/// Makes a pool of so many voices, for the game side to send.
pub(crate) fn make_voices(voices: u32) -> Made {
    Box::new(plays::VoiceSlots::new(voices as usize))
}
