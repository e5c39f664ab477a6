//! What the fuzz targets share. `.ci/fuzz` runs them all; each stands in `fuzz_targets/`.
//!
//! A target is a function of bytes that panics where a promise is broken. Those of files ([`files`]) take
//! the bytes for a file from a stranger, [`recording`] for a recording; [`commands`] takes them for what a game says.

#[path = "../../tests/common/allocator.rs"]
mod allocator;
pub mod commands;
#[path = "../../tests/common/mod.rs"]
mod common;
pub mod files;
pub mod flac;
#[path = "../../tests/common/ogg.rs"]
pub mod ogg;
pub mod panics;
pub mod recording;
#[path = "../../tests/common/streams.rs"]
mod streams;
