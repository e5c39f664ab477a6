//! The audio side. Nothing in this folder allocates, frees, locks, logs, waits or panics once the
//! renderer is made.

mod batch;
mod casting;
mod cursor;
mod kernel;
mod knockout;
mod master;
mod obey;
mod ramp;
mod renderer;
mod schedule;
mod tail;
mod voice;
mod voices;

pub use renderer::Renderer;
pub(crate) use voices::Berths;
