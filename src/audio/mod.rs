//! The audio side. Nothing in this folder allocates, frees, locks, logs, waits or panics once the
//! renderer is made.

mod aligned;
mod bus;
mod filter;
mod kernel;
mod plays;
mod renderer;
mod space;
mod voice;

pub use renderer::Renderer;

use crate::link::message::{Made, Plan, QUANTUM};
use bus::rooms::MadeRoom;
use bus::submix::Submix;

/// The most that is mixed in one pass, if nothing happens on the lines between.
const PASS: usize = 4 * QUANTUM;

/// Makes what the game side is to send, for a mixer that runs at `rate`.
pub(crate) fn make(plan: Plan, rate: u32) -> Made {
    match plan {
        Plan::Voices(voices) => Box::new(plays::VoiceSlots::new(voices as usize)),
        Plan::Submix => Box::new(Submix::new(rate)),
        Plan::Room(reverb) => Box::new(MadeRoom::new(&reverb, rate)),
    }
}
