//! Drivers. The renderer does not know which one runs it.

mod backend;
#[cfg_attr(not(feature = "device"), allow(dead_code, reason = "only a device calls back"))]
mod callback;
#[cfg(feature = "device")]
mod device;
#[cfg(all(test, loom))]
mod models;
pub(crate) mod offline;
mod open;
#[cfg_attr(not(feature = "device"), allow(dead_code, reason = "only a device has another rate"))]
mod resampler;
mod supervisor;
#[cfg(all(test, feature = "device"))]
mod tests;

pub use open::{Device, devices};
