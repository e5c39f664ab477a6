//! What is told to the game's logger.

use std::fmt::Arguments;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::guarded::guarded;

/// Whether anybody listens. The browser has no threads that could be spared the line.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn is_heard() -> bool {
    log::max_level() >= log::LevelFilter::Info
}

/// Tells a line. The logger is the game's, so it may do anything: hold no lock, and be on a thread
/// that it may keep. If it panics, that is its own affair.
pub(crate) fn log_line(line: Arguments) {
    let _ = guarded(|| log::info!(target: "voicepool", "{line}"));
}

/// A warning that is told once in a process: the first time that anybody listens.
pub(crate) struct OnceLine(AtomicBool);

impl OnceLine {
    pub const fn new() -> OnceLine {
        OnceLine(AtomicBool::new(false))
    }

    /// Tells the line, unless one was told before. The rules are those of [`log_line`].
    pub fn warn(&self, line: Arguments) {
        if log::max_level() >= log::LevelFilter::Warn && !self.0.swap(true, Relaxed) {
            let _ = guarded(|| log::warn!(target: "voicepool", "{line}"));
        }
    }
}
