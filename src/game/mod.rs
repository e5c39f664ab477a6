//! The game side. It may allocate and it may fail, but it never waits for the audio side.

mod events;
mod home;
mod ledger;
mod mixer;
mod pending;
mod queue;

pub use events::Events;
pub use mixer::Mixer;
