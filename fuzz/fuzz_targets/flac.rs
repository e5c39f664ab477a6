//! FLAC, loaded and streamed: as it is, and with the right checksums, without which nothing that was changed in one
//! of its frames gets as far as the codec.
#![no_main]

use libfuzzer_sys::fuzz_target;
use voicepool_fuzz::{files, flac, panics};

fuzz_target!(init: panics::spare_codecs(), |file: &[u8]| {
    files::check(file, files::FLAC);
    let mut signed = file.to_vec();
    flac::sign(&mut signed);
    if signed != file {
        files::check(&signed, files::FLAC);
    }
});
