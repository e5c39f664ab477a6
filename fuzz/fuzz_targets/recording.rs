//! Recordings, and all that crosses between threads as bytes: read, and replayed for a while.
#![no_main]

use libfuzzer_sys::fuzz_target;
use voicepool_fuzz::{panics, recording};

fuzz_target!(init: panics::spare_codecs(), |file: &[u8]| recording::check(file));
