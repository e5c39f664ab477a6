//! Plain WAV, loaded and streamed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use voicepool_fuzz::{files, panics};

fuzz_target!(init: panics::spare_codecs(), |file: &[u8]| {
    files::check(file, files::WAV);
});
