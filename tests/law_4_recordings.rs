//! Law 4, the same bits: from a recording, too.

mod common;
mod recordings;
#[path = "common/streams.rs"]
mod streams;

use std::io::Cursor;

use recordings::{File, Library, Outcome, assert_same, read, record, render, replay, tell};
use streams::{Disk, Form};
use voicepool::{BusId, Config, Effect, Mixer, Play, Priority, Renderer, Replay, Sound, ms, secs};

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

/// A mixer that says what it was told to while it is recorded, and what came of it, twice: played, and replayed.
fn twice(
    config: Config,
    before: impl Fn(&Mixer, &mut Renderer),
    game: impl Fn(&Mixer, &mut dyn FnMut(usize)),
    with: impl Fn(&mut Replay),
) -> [Outcome; 2] {
    let (mixer, mut renderer) = Mixer::offline(config).unwrap();
    before(&mixer, &mut renderer);
    let from = mixer.clock() as usize;
    let file = File::default();
    let recorder = mixer.record(file.clone()).unwrap();
    let (mut heard, mut told) = (vec![[0.0; 2]; from], Vec::new());
    game(&mixer, &mut |frames| {
        // As a callback does, which waits for nothing.
        (0..frames / 128).for_each(|_| render(&mut renderer, 128, &mut heard));
        told.extend(mixer.events().map(|event| tell(&event)));
    });
    assert!(recorder.finish().unwrap().is_whole);
    let library = Library::new(mixer.sample_rate());
    let mut again = Replay::read(Cursor::new(file.bytes()), |it| library.find(it)).unwrap();
    with(&mut again);
    let mut again = replay(again, 4096);
    again.heard[..from].fill([0.0; 2]);
    [Outcome { heard, told }, again]
}

/// A pool that was made larger stays so, although few voices are needed for longer than a pool that has grown would
/// wait; and `stop_all` reaches the plays that it did.
#[test]
fn a_pool_that_was_resized_is_so_again() {
    let library = Library::new(8000);
    let tone = &library.sounds[0];
    let config = Config { voices: 2, max_voices: 16, sample_rate: 8000, ..Config::DEFAULT };
    let [played, again] = twice(
        config,
        |_, _| (),
        |mixer, hear| {
            mixer.resize(12).unwrap();
            mixer.play(Play::of(tone).looping().tag(100));
            hear(12 * 8064);
            for tag in 0..9 {
                mixer.play(Play::of(tone).gain(0.05 + 0.01 * tag as f32).looping().tag(tag));
            }
            hear(2560);
            mixer.play(Play::of(tone).tag(200));
            mixer.stop_all(ms(20));
            mixer.play(Play::of(tone).tag(300));
            hear(12_800);
            assert_eq!((mixer.stats().stolen, mixer.stats().parkings), (0, 0));
        },
        |_| (),
    );
    assert_same(&played, &again, "a resized pool");
}

/// What was said before anybody recorded comes first, whatever is said then, or if nothing is.
#[test]
fn what_was_said_before_it_was_recorded_comes_first() {
    /// Adds a tone, from nothing.
    struct Hum;
    impl Effect for Hum {
        fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
            left.iter_mut().chain(right).for_each(|sample| *sample += 0.125);
        }

        fn is_silent(&self) -> bool {
            false
        }
    }
    let library = Library::new(8000);
    let config = || Config { sample_rate: 8000, ..Config::DEFAULT };
    let before = |mixer: &Mixer, renderer: &mut Renderer| {
        mixer.set_gain(BusId::new(1), 0.25, ms(0));
        renderer.frames(1280);
        mixer.set_effect(BusId::new(2), Some(Box::new(Hum))).unwrap();
        renderer.frames(1280);
    };
    let with = |again: &mut Replay| again.effect(BusId::new(2), Box::new(Hum));
    let [played, again] = twice(
        config(),
        before,
        |mixer, hear| {
            mixer.stop_all(ms(0));
            hear(512);
            mixer.play(Play::of(&library.sounds[0]).bus(BusId::new(1)));
            hear(2560);
        },
        with,
    );
    assert_same(&played, &again, "stopped first");
    let [played, again] = twice(config(), before, |_, hear| hear(2560), with);
    assert!(played.heard.iter().any(|frame| frame[0] != 0.0));
    assert_same(&played, &again, "nothing more was said");
}

/// An effect is told the rate before it is put on a bus, in a replay too.
#[test]
fn an_effect_is_prepared_again() {
    struct Echo(Vec<f32>);
    impl Effect for Echo {
        fn prepare(&mut self, sample_rate: u32) {
            self.0 = vec![0.0; sample_rate as usize / 100];
        }

        fn process(&mut self, left: &mut [f32], _right: &mut [f32]) {
            for sample in left {
                self.0.rotate_left(1);
                let late = self.0.last_mut().expect("it was prepared");
                *sample += 0.5 * std::mem::replace(late, *sample);
            }
        }
    }
    let library = Library::new(8000);
    let bus = BusId::new(3);
    let [played, again] = twice(
        Config { sample_rate: 8000, ..Config::DEFAULT },
        |_, _| (),
        |mixer, hear| {
            mixer.set_effect(bus, Some(Box::new(Echo(Vec::new())))).unwrap();
            mixer.play(Play::of(&library.sounds[2]).bus(bus));
            hear(6400);
        },
        |again| again.effect(bus, Box::new(Echo(Vec::new()))),
    );
    assert_same(&played, &again, "an echo");
}

/// A stream that is read so fast that blocks come and go on lines that a longer pass would leave out.
#[test]
fn a_fast_stream_is_read_on_the_lines_on_which_it_was() {
    let library = Library::new(48_000);
    let [played, again] = twice(
        Config { streams: 3, ..Config::DEFAULT },
        |_, _| (),
        |mixer, hear| {
            mixer.play(Play::of(&library.streams[0]).speed(24.0).looping());
            for _ in 0..60 {
                hear(1280);
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        },
        |_| (),
    );
    assert_same(&played, &again, "24 times as fast");
}

/// Who is on the way from one place to another holds blocks of both. One that could only be made when the old place was
/// left is not waited for before.
#[test]
fn a_fast_stream_that_jumps_is_heard_elsewhere_again() {
    for speed in [60.0, 100.0] {
        let music = streams::stream(&Form::PLAIN.music(48_000 * 20));
        let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
        let file = File::default();
        let recorder = mixer.record(file.clone()).unwrap();
        let voice = mixer.play(Play::of(&music).speed(speed).loop_range(secs(2.0)..));
        let mut heard = renderer.frames(3_000);
        for to in [9.0, 15.0, 4.0] {
            mixer.seek(voice, secs(to));
            heard.extend(renderer.frames(3_000));
        }
        let told = mixer.events().map(|event| tell(&event)).collect();
        assert!(recorder.finish().unwrap().is_whole);
        let again = Replay::read(Cursor::new(file.bytes()), |_| Some(music.clone().into()));
        let again = replay(again.unwrap(), 512);
        assert_same(&Outcome { heard, told }, &again, &format!("{speed} times as fast"));
    }
}

/// The same on a disk that comes late or in time, as it happens: what was heard is heard again.
#[test]
fn a_fast_stream_that_jumps_on_a_late_disk_is_heard_again() {
    for speed in [1.0, 13.0, 60.0, 100.0] {
        let music = streams::stream(&Form::PLAIN.music(48_000 * 20));
        let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
        let file = File::default();
        let recorder = mixer.record(file.clone()).unwrap();
        let voice = mixer.play(Play::of(&music).speed(speed).loop_range(secs(2.0)..));
        let mut heard = vec![[0.0; 2]; 128 * 120];
        for (at, piece) in heard.chunks_mut(128).enumerate() {
            match at % 7 {
                0 => mixer.seek(voice, secs((at % 19) as f32)),
                3 => std::thread::sleep(ms(at as u64 % 3)),
                _ => (),
            }
            renderer.render(piece);
        }
        let told = mixer.events().map(|event| tell(&event)).collect();
        assert!(recorder.finish().unwrap().is_whole);
        let again = Replay::read(Cursor::new(file.bytes()), |_| Some(music.clone().into()));
        let again = replay(again.unwrap(), 512);
        assert_same(&Outcome { heard, told }, &again, &format!("{speed} times as fast"));
    }
}

/// A what-if may keep a stream that was stolen: then it is read on.
#[test]
fn a_stream_that_would_not_have_been_stolen_is_heard_on() {
    let library = Library::new(48_000);
    let (mixer, mut renderer) = Mixer::offline(Config { voices: 1, ..Config::DEFAULT }).unwrap();
    let file = File::default();
    let recorder = mixer.record(file.clone()).unwrap();
    mixer.play(Play::of(&library.streams[0]).gain(0.2).priority(Priority::Normal).tag(1));
    renderer.frames(12_800);
    mixer.play(Play::of(&library.sounds[0]).tag(2));
    renderer.frames(70_000);
    assert_eq!(mixer.stats().stolen, 1);
    recorder.finish().unwrap();
    let mut again = Replay::read(Cursor::new(file.bytes()), |it| library.find(it)).unwrap();
    again.set_priority(1, Priority::Protected);
    let outcome = replay(again, 512);
    let loud = |from: usize| outcome.heard[from..from + 1000].iter().any(|it| it[0].abs() > 0.02);
    assert!((12_000..58_000).step_by(1000).all(loud), "the stream is heard to its end");
    assert!(outcome.told.iter().any(|it| it.contains("2 is refused") || it.contains("PoolFull")));
}

/// Who is stopped with all others is told by age: tickets are others in a replay.
#[test]
fn who_is_stopped_with_all_is_told_by_age() {
    let library = Library::new(8000);
    let (mixer, mut renderer) =
        Mixer::offline(Config { sample_rate: 8000, ..Config::DEFAULT }).unwrap();
    let play = |tag| mixer.play(Play::of(&library.sounds[0]).looping().tag(tag));
    let first = play(0);
    assert!((1..4).all(|tag| play(tag).is_some()));
    renderer.frames(256);
    mixer.stop(first, ms(0));
    renderer.frames(1024);
    mixer.events().for_each(drop);
    // It has the ticket of the one that has ended, the first of all.
    play(4);
    mixer.pause(BusId::MASTER, ms(0));
    renderer.frames(1024);
    mixer.stop_all(secs(1.0));
    renderer.frames(256);
    let told: Vec<String> = mixer.events().map(|event| tell(&event)).collect();
    let tags: Vec<_> =
        told.iter().filter_map(|it| it.split(": ").nth(1)?.split(' ').next()).collect();
    assert_eq!(tags, ["1", "2", "3", "4"], "{told:?}");
}

/// Rates so far apart that nothing is to be kept of a loop's seam can be put into the file, too.
#[test]
fn a_sound_with_a_seam_of_nothing_can_be_in_the_file() {
    let tone = Sound::from_mono(48_000, &common::sine(48_000, 10.0, 0.0, 48_000)).unwrap();
    let slow = tone.resampled(90).unwrap().named("slow");
    let (mixer, mut renderer) =
        Mixer::offline(Config { sample_rate: 90, ..Config::DEFAULT }).unwrap();
    let file = File::default();
    let recorder = mixer.record(file.clone()).unwrap().with_sounds();
    mixer.play(Play::of(&slow).looping());
    let heard = renderer.frames(1000);
    recorder.finish().unwrap();
    let again = Replay::read(Cursor::new(file.bytes()), |_| None).unwrap();
    assert!(again.missing().is_empty());
    assert!(replay(again, 300).heard == heard);
}

/// What a lossy file was decoded to is in the file: nothing of it is missing.
#[cfg(feature = "formats")]
#[test]
fn a_lossy_sound_that_is_in_the_file_is_not_missing() {
    for name in ["oggenc_44_stereo.ogg", "lame_cbr_44_stereo.mp3"] {
        let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
        let sound = mixer.load(format!("tests/formats/{name}")).unwrap();
        let file = File::default();
        let recorder = mixer.record(file.clone()).unwrap().with_sounds();
        mixer.play(&sound);
        let heard = renderer.frames(48_000);
        recorder.finish().unwrap();
        let again = Replay::read(Cursor::new(file.bytes()), |_| None).unwrap();
        assert!(again.missing().is_empty(), "{:?}", again.missing());
        assert!(replay(again, 700).heard == heard, "{name}");
    }
}
