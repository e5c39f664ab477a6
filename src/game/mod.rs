//! The game side. It may allocate and it may fail, but it never waits for the audio side.

mod deferred_drops;
mod event_queue;
mod events;
mod held;
mod ledger;
mod mixer;

pub use events::Events;
pub(crate) use ledger::{Rerun, Told};
pub use held::Held;
pub use mixer::Mixer;
