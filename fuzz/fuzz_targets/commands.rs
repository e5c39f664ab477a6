//! What a game may say, with the laws as assertions.
#![no_main]

use libfuzzer_sys::fuzz_target;
use voicepool_fuzz::commands;

fuzz_target!(|script: &[u8]| commands::check(script));
