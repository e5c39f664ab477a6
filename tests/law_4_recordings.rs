//! Law 4, the same bits: from a recording, too.

mod common;
mod recordings;
#[path = "common/streams.rs"]
mod streams;

use std::io::Cursor;

use recordings::{File, Library, assert_same, read, record, render, replay, tell};
use streams::{Disk, Form};
use voicepool::{Config, Mixer, Play, Replay, ms};

#[test]
fn a_replay_is_what_was_played_to_the_bit_and_tells_the_same() {
    let library = Library::new(48_000);
    let mut told = String::new();
    for seed in 0..8 {
        let (played, file) = record(seed, 48_000, 100, &library);
        told += &played.told.join("\n");
        let again = read(&file, &library);
        assert!(again.missing().is_empty() && again.is_whole());
        let size = [128, 4096, 37][seed as usize % 3];
        assert_same(&played, &replay(again, size), &format!("seed {seed}, buffers of {size}"));
    }
    for happened in ["stolen", "parked", "is back", "merged", "Cooldown", "Finished", "started"] {
        assert!(told.contains(happened), "nothing was ever {happened}");
    }
}

#[test]
fn at_a_toy_rate_too() {
    let library = Library::new(8000);
    for seed in 100..104 {
        let (played, file) = record(seed, 8000, 60, &library);
        assert_same(&played, &replay(read(&file, &library), 1000), &format!("seed {seed}"));
    }
}

/// What came too late comes as late again, though the disk has it at once this time.
#[test]
fn a_stream_that_ran_dry_runs_dry_again() {
    let file = Form::PLAIN.music(200_000);
    let disk = Disk::new(&file);
    disk.stop_at(streams::HEADER + 60_000 * Form::PLAIN.frame_bytes(), streams::Beyond::Block);
    let music = disk.stream("music");
    let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    let recording = File::default();
    let recorder = mixer.record(recording.clone()).unwrap();
    let voice = mixer.play(Play::of(&music).looping());
    let mut heard = Vec::new();
    // Some of it has to have come, so that it runs dry in the midst.
    disk.wait_until_blocked();
    for line in 0..1500 {
        match line {
            700 => disk.go_on(),
            900 => mixer.seek(voice, ms(3000)),
            1100 => mixer.set_speed(voice, 1.3, ms(20)),
            _ => (),
        }
        if line == 800 {
            streams::wait_until("it is heard again", || {
                render(&mut renderer, 128, &mut heard);
                heard[heard.len() - 128..].iter().any(|frame| *frame != [0.0; 2])
            });
        }
        render(&mut renderer, 128, &mut heard);
    }
    let told = mixer.events().map(|event| tell(&event)).collect::<Vec<_>>();
    assert!(mixer.stats().underruns > 0 && told.iter().any(|it| it.contains("lacks")), "{told:?}");
    assert!(recorder.finish().unwrap().is_whole);
    let played = recordings::Outcome { heard, told };
    let now = streams::stream(&file);
    let again = Replay::read(Cursor::new(recording.bytes()), |_| Some(now.clone().into())).unwrap();
    assert!(again.missing().is_empty());
    assert_same(&played, &replay(again, 512), "with a disk that is fast");
}
