//! The audio side. Nothing in this folder allocates, frees, locks, logs, waits or panics once the
//! renderer is made.

mod bus;
mod kernel;
mod plays;
mod renderer;
mod voice;

pub(crate) use plays::voices::Berths;
pub use renderer::Renderer;
