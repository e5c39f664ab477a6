//! The audio side. Nothing in this folder allocates, frees, locks, logs, waits or panics once the
//! renderer is made.

mod batch;
mod buses;
mod casting;
mod cursor;
mod kernel;
mod limiter;
mod obey;
mod parking;
mod placements;
mod ramp;
mod ranks;
mod renderer;
mod schedule;
mod tail;
mod tournament;
mod voice;
mod voices;

pub use renderer::Renderer;
pub(crate) use voices::Berths;
