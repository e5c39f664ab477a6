//! The game side. It may allocate and it may fail, but it never waits for the audio side.

mod deferred_drops;
mod event_queue;
mod events;
mod held;
mod ledger;
mod mixer;

pub use events::Events;
pub use held::Held;
pub(crate) use ledger::{Rerun, Told};
pub use mixer::Mixer;
