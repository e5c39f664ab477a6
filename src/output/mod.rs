//! Drivers. The renderer does not know which one runs it.

#[cfg_attr(not(feature = "device"), allow(dead_code, reason = "only a device calls back"))]
mod callback;
#[cfg(feature = "device")]
mod device;
pub(crate) mod offline;
mod open;
mod outlet;
#[cfg_attr(not(feature = "device"), allow(dead_code, reason = "only a device has another rate"))]
mod resampler;
#[cfg(all(test, feature = "device"))]
mod scripted;
mod supervisor;

pub use open::{Device, devices};
