//! What threads share is made of these: atomics, slots in which boxes change hands, and a bounded channel.
//!
//! Under `--cfg loom` they are those of `loom`, which tries every way in which threads can meet; see
//! `.ci/loom`. What is only ever counted for show (the meters) stays as it is.

#[cfg(loom)]
mod model;

#[cfg(not(any(loom, target_arch = "wasm32")))]
pub(crate) use std::sync::atomic::AtomicU8;
#[cfg(not(loom))]
pub(crate) use {
    crossbeam_channel::{Receiver, Sender, bounded},
    crossbeam_utils::atomic::AtomicCell,
    std::sync::atomic::{AtomicBool, AtomicU64},
};

#[cfg(loom)]
pub(crate) use {
    loom::sync::atomic::{AtomicBool, AtomicU8, AtomicU64},
    model::{AtomicCell, Receiver, Sender, bounded},
};
