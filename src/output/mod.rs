//! Drivers. The renderer does not know which one runs it.

mod backend;
#[cfg_attr(not(feature = "device"), allow(dead_code, reason = "only a device calls back"))]
mod callback;
#[cfg(feature = "device")]
mod device;
#[cfg(all(test, loom))]
mod models;
mod fade;
pub(crate) mod offline;
mod open;
#[cfg_attr(not(feature = "device"), allow(dead_code, reason = "only a device has another rate"))]
mod resampler;
mod supervisor;
#[cfg(all(test, feature = "device"))]
mod tests;
#[cfg(any(test, target_arch = "wasm32"))]
mod web;

pub use open::{Device, devices};
