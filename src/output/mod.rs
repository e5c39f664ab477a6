//! Drivers. The renderer does not know which one runs it.

#[cfg(not(target_arch = "wasm32"))]
mod backend;
#[cfg(not(target_arch = "wasm32"))]
#[cfg_attr(not(feature = "device"), allow(dead_code, reason = "only a device calls back"))]
mod callback;
#[cfg(all(feature = "device", not(target_arch = "wasm32")))]
mod device;
mod devices;
#[cfg_attr(
    any(not(feature = "device"), target_arch = "wasm32"),
    allow(dead_code, reason = "each output fades in its own way")
)]
mod fade;
#[cfg(all(test, loom))]
mod models;
pub(crate) mod offline;
#[cfg(not(target_arch = "wasm32"))]
mod open;
#[cfg_attr(not(feature = "device"), allow(dead_code, reason = "only a device has another rate"))]
mod resampler;
#[cfg(not(target_arch = "wasm32"))]
mod supervisor;
#[cfg(all(test, feature = "device"))]
mod tests;
#[cfg(any(test, target_arch = "wasm32"))]
mod web;

pub use devices::{Device, devices};
