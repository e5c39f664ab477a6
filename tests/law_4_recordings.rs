//! Law 4, the same bits: from a recording, too.

mod common;
mod recordings;
#[path = "common/streams.rs"]
mod streams;

use recordings::{Library, assert_same, read, record, replay};

#[test]
fn a_replay_is_what_was_played_to_the_bit_and_tells_the_same() {
    let library = Library::new(48_000);
    let mut told = String::new();
    for seed in 0..12 {
        let (played, file) = record(seed, 48_000, 120, &library);
        told += &played.told.join("\n");
        for size in [128, 4096, 37] {
            let again = read(&file, &library);
            assert!(again.missing().is_empty() && again.is_whole());
            assert_same(&played, &replay(again, size), &format!("seed {seed}, buffers of {size}"));
        }
    }
    for happened in ["stolen", "parked", "is back", "merged", "Cooldown", "Finished", "started"] {
        assert!(told.contains(happened), "nothing was ever {happened}");
    }
}
