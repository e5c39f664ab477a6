//! What is told to the game's logger.

use std::fmt::Arguments;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Whether anybody listens.
pub(crate) fn is_heard() -> bool {
    log::max_level() >= log::LevelFilter::Info
}

/// Tells a line. The logger is the game's, so it may do anything: hold no lock, and be on a thread
/// that it may keep. If it panics, that is its own affair.
pub(crate) fn log_line(line: Arguments) {
    let told = catch_unwind(AssertUnwindSafe(|| log::info!(target: "voicepool", "{line}")));
    // What it panicked with may panic once more when it is dropped.
    told.unwrap_or_else(std::mem::forget);
}
