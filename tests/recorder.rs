//! Recordings: what is in them, what if it had been otherwise, and what becomes of broken ones.

#[path = "common/allocator.rs"]
mod allocator;
mod common;
mod recordings;
#[path = "common/streams.rs"]
mod streams;

use std::io::{self, Cursor, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Instant;

use recordings::{File, Library, assert_same, read, record, render, replay};
use streams::Form;
use voicepool::{
    Bus, BusId, Config, Ending, Error, Event, Mixer, Play, Priority, RecordFault, Replay, Reverb,
    RoomId, Sound, WhenFull, ms, secs,
};

/// Three plays on two voices, recorded with the sounds in it: the second is stolen by the third.
fn crowded() -> Vec<u8> {
    let config = Config { voices: 2, sample_rate: 8000, ..Config::DEFAULT };
    let (mixer, mut renderer) = Mixer::offline(config).unwrap();
    let file = File::default();
    let recorder = mixer.record(file.clone()).unwrap().with_sounds();
    for (tag, gain) in [(1, 0.5), (2, 0.1), (3, 0.3)] {
        let tone = Sound::from_mono(8000, &common::sine(8000, 400.0, 0.0, 4000)).unwrap();
        mixer.play(Play::of(tone.named("tone")).gain(gain).tag(tag));
        render(&mut renderer, 128, &mut Vec::new());
    }
    render(&mut renderer, 6000, &mut Vec::new());
    assert_eq!(mixer.stats().stolen, 1);
    recorder.finish().unwrap();
    file.bytes()
}

fn nothing(_: &voicepool::MediaRef) -> Option<voicepool::Media> {
    None
}

/// The tags of what was stolen, and of who finished.
fn outcome(replay: &mut Replay) -> (Vec<u64>, Vec<u64>) {
    replay.render(&mut vec![[0.0; 2]; 100_000]);
    let (mut stolen, mut finished) = (Vec::new(), Vec::new());
    for event in replay.events() {
        match event {
            Event::Ended { tag, why: Ending::Stolen { .. }, .. } => stolen.push(tag),
            Event::Ended { tag, why: Ending::Finished, .. } => finished.push(tag),
            _ => (),
        }
    }
    (stolen, finished)
}

#[test]
fn one_file_can_be_the_whole_story() {
    let mut again = Replay::read(Cursor::new(crowded()), nothing).unwrap();
    assert!(again.missing().is_empty());
    assert_eq!(outcome(&mut again), (vec![2], vec![1, 3]));
    assert_eq!((again.stats().accepted, again.stats().stolen), (3, 1));
}

#[test]
fn what_if_there_had_been_more_voices() {
    let mut again = Replay::read(Cursor::new(crowded()), nothing).unwrap();
    again.config().voices = 3;
    assert_eq!(outcome(&mut again), (vec![], vec![1, 2, 3]));
}

#[test]
fn what_if_the_newcomer_had_been_refused() {
    let mut again = Replay::read(Cursor::new(crowded()), nothing).unwrap();
    again.config().when_full = WhenFull::Refuse;
    assert_eq!(outcome(&mut again), (vec![], vec![1, 2]));
}

#[test]
fn what_if_the_pool_had_grown() {
    let mut again = Replay::read(Cursor::new(crowded()), nothing).unwrap();
    again.config().when_full = WhenFull::Grow;
    assert_eq!(outcome(&mut again), (vec![], vec![1, 2, 3]));
}

#[test]
fn what_if_the_victim_had_been_dearer() {
    let mut again = Replay::read(Cursor::new(crowded()), nothing).unwrap();
    again.set_priority(2, Priority::High);
    assert_eq!(outcome(&mut again), (vec![1], vec![2, 3]));
}

/// The game stopped all that it had said, while each of its plays asked for more voices.
#[test]
fn what_if_it_had_grown_stop_all_stops_what_it_stopped() {
    let config = Config { voices: 1, max_voices: 8, sample_rate: 8000, ..Config::DEFAULT };
    let (mixer, mut renderer) = Mixer::offline(config).unwrap();
    let file = File::default();
    let recorder = mixer.record(file.clone()).unwrap().with_sounds();
    let hum = Sound::from_mono(8000, &[0.1; 400]).unwrap();
    mixer.play(Play::of(&hum).looping());
    renderer.frames(128);
    mixer.play(Play::of(&hum).looping());
    mixer.play(Play::of(&hum).looping());
    mixer.stop_all(ms(0));
    mixer.play(Play::of(&hum).looping());
    renderer.frames(4000);
    recorder.finish().unwrap();
    for when_full in [WhenFull::StealQuietest, WhenFull::Grow] {
        let mut again = Replay::read(Cursor::new(file.bytes()), nothing).unwrap();
        again.config().when_full = when_full;
        again.render(&mut [[0.0; 2]; 4000]);
        assert_eq!(again.stats().live, 1, "{when_full:?}");
    }
}

/// Who was stolen, or refused, and was stopped later is stopped then if it had a voice.
#[test]
fn what_if_the_lost_had_a_voice_they_hear_what_was_said_to_them() {
    for by_tag in [false, true] {
        let config =
            Config { voices: 1, sample_rate: 8000, when_full: WhenFull::Refuse, ..Config::DEFAULT };
        let (mixer, mut renderer) = Mixer::offline(config).unwrap();
        let file = File::default();
        let recorder = mixer.record(file.clone()).unwrap().with_sounds();
        let hum = Sound::from_mono(8000, &common::noise(1, 400)).unwrap();
        let play = |gain| {
            let play = Play::of(&hum).gain(gain).looping().when_stolen(voicepool::WhenStolen::End);
            mixer.play(play.tag(7)).unwrap()
        };
        let mut heard = Vec::new();
        let refused = [play(0.1), play(0.2), play(0.3)];
        render(&mut renderer, 1000, &mut heard);
        assert_eq!(mixer.events().count(), 2);
        mixer.set_gain(refused[1], 0.5, ms(0));
        render(&mut renderer, 1000, &mut heard);
        match by_tag {
            true => mixer.stop(voicepool::Tag(7), ms(0)),
            false => refused[1..].iter().for_each(|voice| mixer.stop(*voice, ms(0))),
        }
        render(&mut renderer, 2000, &mut heard);
        recorder.finish().unwrap();
        let live = if by_tag { 0 } else { 1 };
        assert_eq!(mixer.stats().live, live);
        for voices in [1, 3] {
            let mut again = Replay::read(Cursor::new(file.bytes()), nothing).unwrap();
            again.config().voices = voices;
            let mut out = vec![[0.0; 2]; 4000];
            again.render(&mut out[..1500]);
            assert_eq!(again.stats().playing, voices);
            again.render(&mut out[1500..]);
            assert_eq!(again.stats().live, live, "{voices} voices");
            assert_eq!(out == heard, voices == 1);
        }
    }
}

/// What was reserved of a large pool has no room in a small one. Then it is left out, and nobody is turned away for it.
#[test]
fn what_if_there_had_been_fewer_voices_than_were_reserved() {
    let config = Config { voices: 20, sample_rate: 8000, ..Config::DEFAULT };
    let (mixer, mut renderer) = Mixer::offline(config).unwrap();
    let file = File::default();
    let recorder = mixer.record(file.clone()).unwrap().with_sounds();
    mixer.set_bus(BusId::new(1), Bus { reserved: 10, ..Bus::DEFAULT }).unwrap();
    mixer.set_bus(BusId::new(2), Bus { reserved: 2, ..Bus::DEFAULT }).unwrap();
    let hum = Sound::from_mono(8000, &[0.1; 400]).unwrap();
    (0..4).for_each(|_| assert!(mixer.play(Play::of(&hum).looping()).is_some()));
    renderer.frames(4000);
    recorder.finish().unwrap();
    for (voices, playing) in [(4, 2), (20, 4)] {
        let mut again = Replay::read(Cursor::new(file.bytes()), nothing).unwrap();
        again.config().voices = voices;
        again.render(&mut [[0.0; 2]; 4000]);
        assert_eq!(again.stats().playing, playing, "of {voices}");
    }
}

/// A mix is taken up bus by bus, and only the last one has to fit: on the way what others reserve may be too much.
#[test]
fn what_if_there_had_been_more_voices_the_limits_stay() {
    let config = Config { voices: 8, sample_rate: 8000, ..Config::DEFAULT };
    let (mixer, mut renderer) = Mixer::offline(config).unwrap();
    let file = File::default();
    let recorder = mixer.record(file.clone()).unwrap().with_sounds();
    let [upper, lower] = [1, 2].map(BusId::new);
    mixer.set_bus(upper, Bus { max_voices: Some(2), ..Bus::DEFAULT }).unwrap();
    let mix = mixer.mix();
    mixer.set_bus(upper, Bus::DEFAULT).unwrap();
    mixer.set_bus(lower, Bus { parent: upper, reserved: 4, ..Bus::DEFAULT }).unwrap();
    mixer.set_mix(&mix, ms(0));
    let hum = Sound::from_mono(8000, &[0.1; 400]).unwrap();
    (0..4).for_each(|_| assert!(mixer.play(Play::of(&hum).looping().bus(upper)).is_some()));
    renderer.frames(4000);
    recorder.finish().unwrap();
    for voices in [8, 9] {
        let mut again = Replay::read(Cursor::new(file.bytes()), nothing).unwrap();
        again.config().voices = voices;
        again.render(&mut [[0.0; 2]; 4000]);
        assert_eq!(again.stats().playing, 2, "of {voices}");
    }
}

/// Too late it changes nothing: a stream is not waited for that is held to what it was.
#[test]
fn what_if_is_asked_before_it_begins() {
    let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    let file = File::default();
    let recorder = mixer.record(file.clone()).unwrap().with_sounds();
    let music = streams::stream(&Form::MONO.music(48_000 * 3));
    mixer.play(Play::of(&music).tag(9).looping());
    let heard = renderer.frames(200_000);
    recorder.finish().unwrap();
    let mut again = Replay::read(Cursor::new(file.bytes()), nothing).unwrap();
    let mut out = vec![[0.0; 2]; 200_000];
    let (begin, rest) = out.split_at_mut(1000);
    again.render(begin);
    again.set_priority(9, Priority::Low);
    again.config().voices = 3;
    again.render(rest);
    assert!(out == heard);
    assert_eq!(again.stats().underruns, 0);
}

/// At whatever rate its frames are counted: in its place silence goes round.
#[test]
fn a_stream_that_is_missing_loops_on_in_silence() {
    for rate in [48_000, 44_100] {
        let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
        let file = File::default();
        let recorder = mixer.record(file.clone()).unwrap();
        let music = streams::stream(&Form { rate, ..Form::MONO }.music(rate as usize));
        mixer.play(Play::of(&music).looping());
        renderer.frames(150_000);
        recorder.finish().unwrap();
        let mut again = Replay::read(Cursor::new(file.bytes()), nothing).unwrap();
        again.render(&mut vec![[0.0; 2]; 150_000]);
        assert_eq!((again.missing().len(), again.stats().playing), (1, 1), "at {rate}");
    }
}

#[test]
fn a_configuration_that_cannot_be_is_taken_back() {
    let mut again = Replay::read(Cursor::new(crowded()), nothing).unwrap();
    again.config().voices = 0;
    assert_eq!(outcome(&mut again), (vec![2], vec![1, 3]));
    assert_eq!(again.config().voices, 2);
}

#[test]
fn streams_can_be_in_the_file_too() {
    let music = streams::stream(&Form::PLAIN.music(50_000));
    let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    let file = File::default();
    let recorder = mixer.record(file.clone()).unwrap().with_sounds();
    mixer.play(&music);
    let heard = renderer.frames(60_000);
    recorder.finish().unwrap();
    let mut again = Replay::read(Cursor::new(file.bytes()), nothing).unwrap();
    let mut out = vec![[0.0; 2]; 60_000];
    assert!(again.missing().is_empty());
    assert_eq!(again.render(&mut out), 60_000);
    assert!(out == heard);
}

#[test]
fn what_is_missing_is_listed_and_silent_for_as_long() {
    let library = Library::new(48_000);
    let (_, file) = record(7, 48_000, 10, &library);
    let mut again = Replay::read(Cursor::new(&file), nothing).unwrap();
    assert!(!again.missing().is_empty());
    let mut out = vec![[1.0; 2]; again.frame_count() as usize];
    assert_eq!(again.render(&mut out), out.len());
    assert!(out.iter().all(|frame| *frame == [0.0; 2]));
    // Another sound of the same name is heard, and told.
    let other = Sound::from_mono(48_000, &[0.25; 900]).unwrap();
    let again = Replay::read(Cursor::new(&file), |_| Some(other.clone().into())).unwrap();
    assert!(!again.missing().is_empty());
}

#[test]
fn a_recording_begins_before_the_first_play_and_once() {
    let (mixer, _renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    mixer.set_gain(BusId::new(1), 0.5, ms(0));
    let recorder = mixer.record(io::sink()).unwrap();
    let why = |error: Error| match error {
        Error::Record { why, .. } => why,
        other => panic!("{other}"),
    };
    assert_eq!(why(mixer.record(io::sink()).unwrap_err()), RecordFault::Again);
    drop(recorder);
    let (mixer, _renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    mixer.play(Sound::from_mono(8000, &[0.1; 10]).unwrap());
    let error = mixer.record(io::sink()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a recording: too much was said before it; record before the first play"
    );
    assert_eq!(why(error), RecordFault::TooLate);
    // A menu in which somebody moves a slider for long, before anything is played.
    let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    for step in 0..40 {
        mixer.set_gain(BusId::MASTER, step as f32 / 40.0, ms(0));
        renderer.frames(128);
    }
    assert_eq!(why(mixer.record(io::sink()).unwrap_err()), RecordFault::TooLate);
    // As many commands as are kept, and one more.
    for (more, is_early) in [(0_u32, true), (1, false)] {
        let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
        (0..1024 + more).for_each(|n| mixer.set_gain(BusId::new((1 + n % 31) as u8), 0.5, ms(0)));
        renderer.frames(128);
        assert_eq!(mixer.record(io::sink()).is_ok(), is_early, "{more} more");
    }
}

/// A game that crashes leaves a file that breaks off anywhere.
#[test]
fn a_recording_that_was_cut_off_replays_up_to_the_cut() {
    let library = Library::new(48_000);
    let (played, file) = record(3, 48_000, 40, &library);
    let mut lengths = Vec::new();
    for cut in (0..file.len()).step_by(97).chain([file.len() - 1]) {
        let Ok(again) = Replay::read(Cursor::new(&file[..cut]), |it| library.find(it)) else {
            assert!(cut < 200, "cut at byte {cut}");
            continue;
        };
        assert!(!again.is_whole());
        lengths.push(again.frame_count());
        if cut % 970 == 0 {
            let mut again = read(&file[..cut], &library);
            let frames = again.frame_count() as usize;
            let mut out = vec![[0.0; 2]; frames];
            again.render(&mut out);
            assert!(out[..] == played.heard[..frames], "cut at byte {cut}");
        }
    }
    assert!(lengths.is_sorted() && lengths[0] == 0 && *lengths.last().unwrap() > 1000);
}

#[test]
fn damage_is_told_with_its_place() {
    let file = crowded();
    for at in (0..200).chain((200..file.len()).step_by(97)).chain(file.len() - 100..file.len()) {
        let mut damaged = file.clone();
        damaged[at] ^= 0x10;
        match Replay::read(Cursor::new(&damaged), nothing) {
            Err(Error::Damaged { name, fault, .. }) => {
                assert_eq!(name, "recording");
                let (_, place) = fault.rsplit_once(" at byte ").expect("a place");
                assert!(place.parse::<usize>().unwrap() <= at, "{fault}, not {at}");
            }
            Err(Error::Unsupported { .. }) => assert!(at < 24),
            // A length that is too large: it breaks off there.
            Ok(again) => assert!(!again.is_whole(), "byte {at} does not matter"),
            Err(other) => panic!("{other}"),
        }
    }
    let longer = [&file[..], &[0]].concat();
    let error = Replay::read(Cursor::new(longer), nothing).unwrap_err().to_string();
    let expected = format!("recording: something stands behind the end at byte {}", file.len());
    assert_eq!(error, expected);
    // A second configuration, behind the first.
    let (mut twice, all) = (file[..24].to_vec(), blocks(&file));
    write_block(all[0].0, &all[0].1, &mut twice);
    let second = twice.len();
    all.iter().for_each(|(kind, holds)| write_block(*kind, holds, &mut twice));
    let error = Replay::read(Cursor::new(twice), nothing).unwrap_err().to_string();
    let expected = format!("recording: a block that contradicts itself at byte {second}");
    assert_eq!(error, expected);
}

#[test]
fn what_is_no_recording_is_told_so() {
    let text = |file: &[u8]| Replay::read(Cursor::new(file), nothing).unwrap_err().to_string();
    assert_eq!(text(b"RIFF"), "recording: is no voicepool recording");
    assert_eq!(
        text(b"voicepool recording\n\x09\0\0\0"),
        "recording: is of version 9; this is for version 1"
    );
    assert_eq!(text(b"voicepool recording\n\x01\0\0\0"), "recording: breaks off at byte 24");
}

/// Games of a few steps. With `VOICEPOOL_WRITE` in the environment they are recorded anew.
const KEPT: [u64; 4] = [11, 12, 13, 14];

/// Recordings that were made before are read as long as the version is the same.
#[test]
fn recordings_that_are_kept_are_still_replayed() {
    let library = Library::new(8000);
    for seed in KEPT {
        let path = format!("tests/recordings/kept/{seed}.recording");
        if std::env::var_os("VOICEPOOL_WRITE").is_some() {
            std::fs::write(&path, record(seed, 8000, 12, &library).1).unwrap();
        }
        let again = read(&std::fs::read(&path).unwrap(), &library);
        assert!(again.missing().is_empty() && again.is_whole(), "{path}");
        let outcome = replay(again, 500);
        let heard = outcome.heard.iter().flatten().filter(|sample| **sample != 0.0).count();
        assert!(heard > 1000 && !outcome.told.is_empty(), "{path}: {heard} {:?}", outcome.told);
    }
}

/// What strangers sent and the fuzzer found, each with what it did: none may panic, nor take memory that the
/// configuration does not speak of.
#[test]
fn recordings_that_did_harm_once_do_none() {
    let mut seen = 0;
    for entry in std::fs::read_dir("tests/recordings/harmful").unwrap() {
        let path = entry.unwrap().path();
        let file = std::fs::read(&path).unwrap();
        let (error, peak, _) =
            allocator::counted(|| Replay::read(Cursor::new(&file), nothing).unwrap_err());
        assert!(matches!(error, Error::Damaged { .. }), "{}: {error}", path.display());
        assert!(peak < 1 << 20, "{}: {peak} bytes", path.display());
        seen += 1;
    }
    assert!(seen >= 3);
}

/// Somebody has noted blocks of an order that was never given. They are waited for once, and not one by one.
#[test]
fn what_a_stream_never_gives_is_waited_for_once() {
    let music = streams::stream(&Form::PLAIN.music(150_000));
    let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    let file = File::default();
    let recorder = mixer.record(file.clone()).unwrap();
    mixer.play(&music);
    renderer.frames(150_000);
    recorder.finish().unwrap();
    let forged = forge(&file.bytes(), 4, |notes| {
        let mut at = 0;
        while at + 9 < notes.len() {
            // Its frame and kind; how many were applied, or the play, the order and the place of a block.
            at += match notes[at + 8] {
                0 => 9 + 8,
                2 => {
                    notes[at + 9 + 8..][..4].copy_from_slice(&9_u32.to_le_bytes());
                    9 + 20
                }
                other => panic!("a note of kind {other}"),
            };
        }
    });
    let (done, is_done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let media = |_: &voicepool::MediaRef| Some(music.clone().into());
        let mut again = Replay::read(Cursor::new(forged), media).unwrap();
        done.send(again.render(&mut vec![[0.0; 2]; 150_000])).unwrap();
    });
    let minute = std::time::Duration::from_secs(60);
    assert_eq!(is_done.recv_timeout(minute).expect("within a minute"), 150_000);
}

/// A few bytes can claim any length, for as many sounds as there are such bytes.
#[test]
fn what_is_missing_takes_so_much_memory_in_all() {
    let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    let file = File::default();
    let recorder = mixer.record(file.clone()).unwrap();
    for _ in 0..40 {
        mixer.play(Sound::from_mono(48_000, &[0.1; 77]).unwrap().named("seventy-seven"));
        renderer.frames(128);
    }
    recorder.finish().unwrap();
    // Each of them claims to be as long as can be.
    let claimed = forge(&file.bytes(), 2, |holds| {
        let at = 8 + 1 + 4 + "seventy-seven".len();
        assert_eq!(holds[at..at + 8], 77_u64.to_le_bytes());
        holds[at..at + 8].copy_from_slice(&u64::MAX.to_le_bytes());
    });
    let (again, peak, _) = allocator::counted(|| Replay::read(Cursor::new(&claimed), nothing));
    assert_eq!(again.unwrap().missing().len(), 40);
    assert!(peak < 400 << 20, "{peak} bytes");
}

/// A game that moves its voices sixty times a second can be replayed for hours: what was said is forgotten again.
#[test]
fn a_replay_of_many_moves_takes_no_more_memory_the_longer_it_is() {
    let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    let file = File::default();
    let recorder = mixer.record(file.clone()).unwrap();
    let beep = Sound::from_mono(48_000, &common::noise(1, 300)).unwrap().named("beep");
    let voices: Vec<_> =
        (0..8).map(|_| mixer.play(Play::of(&beep).looping().at([1.0, 0.0]))).collect();
    for turn in 0..600 {
        mixer.set_positions(voices.iter().map(|voice| (*voice, [turn as f32 * 0.01, 0.0])));
        renderer.frames(256);
    }
    recorder.finish().unwrap();
    let mut again = Replay::read(Cursor::new(file.bytes()), |_| Some(beep.clone().into())).unwrap();
    let mut out = vec![[0.0; 2]; 25_600];
    again.render(&mut out);
    let before = allocator::held();
    (0..5).for_each(|_| assert_eq!(again.render(&mut out), out.len()));
    let more = allocator::held() - before;
    assert!(more < 64 << 10, "{more} bytes more");
}

/// A stranger asks for a thousand of all that is made on the game side, on one line.
#[test]
fn no_more_is_made_on_one_line_than_a_game_can_ask_for() {
    let config = Config { max_voices: 4096, ..Config::DEFAULT };
    let (mixer, mut renderer) = Mixer::offline(config).unwrap();
    let file = File::default();
    let recorder = mixer.record(file.clone()).unwrap();
    mixer.resize(4096).unwrap();
    mixer.set_reverb(RoomId::new(0), Reverb::DEFAULT, ms(0));
    mixer.set_low_pass(BusId::new(1), 900.0, ms(0));
    let beep = Sound::from_mono(48_000, &[0.1; 300]).unwrap().named("beep");
    let voices: Vec<_> = (0..8).map(|_| mixer.play(Play::of(&beep).at([1.0, 0.0]))).collect();
    mixer.set_positions(voices.iter().map(|voice| (*voice, [2.0, 0.0])));
    renderer.frames(1024);
    recorder.finish().unwrap();
    let honest = file.bytes();
    let (again, honestly, _) = allocator::counted(|| replay_of(&honest, &beep));
    assert!(again);
    let many = repeated(&honest, 1000);
    let (again, peak, _) = allocator::counted(|| replay_of(&many, &beep));
    assert!(again);
    // As many pools as may be under way, and what takes less; not a thousand.
    assert!(peak < 30 * honestly, "{peak} bytes, and {honestly} for one of each");
}

/// A stranger asks for more plays on one line than the queue has room for.
#[test]
fn no_more_is_played_on_one_line_than_a_game_can_say() {
    let (mixer, mut renderer) = Mixer::offline(Config { commands: 16, ..Config::DEFAULT }).unwrap();
    let file = File::default();
    let recorder = mixer.record(file.clone()).unwrap();
    let beep = Sound::from_mono(48_000, &[0.1; 300]).unwrap().named("beep");
    (0..12).for_each(|_| assert!(mixer.play(&beep).is_some()));
    renderer.frames(1024);
    recorder.finish().unwrap();
    for (times, plays) in [(1, 12), (1000, 16)] {
        let file = repeated(&file.bytes(), times);
        let mut again = Replay::read(Cursor::new(file), |_| Some(beep.clone().into())).unwrap();
        again.render(&mut [[0.0; 2]; 1024]);
        assert_eq!(again.stats().accepted, plays);
    }
}

/// A stranger places a bus below one that is below it. No game can say so, and its buses are left where they were.
#[test]
fn a_circle_of_buses_is_not_made() {
    let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    let file = File::default();
    let recorder = mixer.record(file.clone()).unwrap();
    let [upper, lower, other] = [1, 2, 3].map(BusId::new);
    mixer.set_bus(lower, Bus { parent: upper, ..Bus::DEFAULT }).unwrap();
    mixer.set_bus(upper, Bus { parent: other, ..Bus::DEFAULT }).unwrap();
    let beep = Sound::from_mono(48_000, &[0.1; 300]).unwrap().named("beep");
    mixer.play(Play::of(&beep).bus(lower)).unwrap();
    let heard = renderer.frames(1024);
    recorder.finish().unwrap();
    let honest = file.bytes();
    let forged = forge(&honest, 3, |said| {
        let mut next = 0;
        while next < said.len() {
            let count = u32::from_le_bytes(said[next + 8..next + 12].try_into().unwrap());
            let command = &mut said[next + 12..next + 12 + count as usize];
            // To place bus 1 below 3.
            if command[..3] == [3, 1, 3] {
                command[2] = 2;
            }
            next += 12 + count as usize;
        }
    });
    assert_ne!(forged, honest);
    let mut again = Replay::read(Cursor::new(forged), |_| Some(beep.clone().into())).unwrap();
    let mut out = vec![[0.0; 2]; 1024];
    again.render(&mut out);
    assert!(heard == out && heard.iter().any(|frame| *frame != [0.0; 2]));
}

/// A stranger notes blocks without end, of an order that was replaced: they are made, and sent back unread, for a while.
#[test]
fn what_no_stream_comes_past_on_one_line_is_given_up() {
    let music = streams::stream(&Form::MONO.music(48_000 * 3));
    let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    let file = File::default();
    let recorder = mixer.record(file.clone()).unwrap().with_sounds();
    let voice = mixer.play(Play::of(&music).looping());
    for at in [2.0, 1.0] {
        renderer.frames(4000);
        mixer.seek(voice, secs(at));
    }
    renderer.frames(4000);
    recorder.finish().unwrap();
    let file = file.bytes();
    let (mut forged, mut is_forged) = (file[..24].to_vec(), false);
    for (kind, mut holds) in blocks(&file) {
        let mut next = 0;
        while kind == 4 && next + 8 < holds.len() && !is_forged {
            let length = [8, 12, 20, 4, 20][usize::from(holds[next + 8])];
            let note = holds[next..next + 9 + length].to_vec();
            // The first block of the order of the second seek.
            if length == 20 && note[17..21] == 2_u32.to_le_bytes() {
                let epoch_and_index =
                    [&1_u32.to_le_bytes()[..], &(u64::MAX - 1).to_le_bytes()].concat();
                holds.splice(next..next, [&note[..17], &epoch_and_index].concat());
                is_forged = true;
            }
            next += 9 + length;
        }
        write_block(kind, &holds, &mut forged);
    }
    assert!(is_forged);
    let mut again = Replay::read(Cursor::new(forged), nothing).unwrap();
    assert_eq!(again.render(&mut vec![[0.0; 2]; 20_000]), 12_000);
}

fn replay_of(file: &[u8], beep: &Sound) -> bool {
    let mut again = Replay::read(Cursor::new(file), |_| Some(beep.clone().into())).unwrap();
    let mut out = vec![[0.0; 2]; 1024];
    again.render(&mut out);
    again.missing().is_empty()
}

/// The blocks of a recording: the kind of each, and what it holds.
fn blocks(file: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let (mut blocks, mut at) = (Vec::new(), 24);
    while at < file.len() {
        let length = u32::from_le_bytes(file[at + 1..at + 5].try_into().unwrap()) as usize;
        blocks.push((file[at], file[at + 5..at + 5 + length].to_vec()));
        at += 5 + length + 8;
    }
    blocks
}

/// A recording in which all that was said, twelve commands on one line, is said many times on that line.
fn repeated(file: &[u8], times: u64) -> Vec<u8> {
    let mut out = file[..24].to_vec();
    let (said, others): (Vec<_>, Vec<_>) = blocks(file).into_iter().partition(|it| it.0 == 3);
    let one: Vec<u8> = said.into_iter().flat_map(|it| it.1).collect();
    let mut all = Vec::new();
    for time in 0..times {
        let mut next = 0;
        while next < one.len() {
            let number = u64::from_le_bytes(one[next..next + 8].try_into().unwrap());
            let count = u32::from_le_bytes(one[next + 8..next + 12].try_into().unwrap());
            let end = next + 12 + count as usize;
            all.extend_from_slice(&(number + time * 12).to_le_bytes());
            all.extend_from_slice(&one[next + 8..end]);
            next = end;
        }
    }
    for (place, (kind, mut holds)) in others.into_iter().enumerate() {
        if kind == 4 && holds.len() > 17 {
            assert_eq!(holds[8], 0, "so many were applied");
            let count = u64::from_le_bytes(holds[9..17].try_into().unwrap());
            assert_eq!(count, 12);
            holds[9..17].copy_from_slice(&(count * times).to_le_bytes());
        }
        write_block(kind, &holds, &mut out);
        // Behind the configuration.
        if place == 0 {
            write_block(3, &all, &mut out);
        }
    }
    out
}

fn write_block(kind: u8, holds: &[u8], out: &mut Vec<u8>) {
    let mut block = vec![kind];
    block.extend_from_slice(&(holds.len() as u32).to_le_bytes());
    block.extend_from_slice(holds);
    let sum = sum_of(&block);
    out.extend_from_slice(&block);
    out.extend_from_slice(&sum.to_le_bytes());
}

/// The check sum of a block.
fn sum_of(block: &[u8]) -> u64 {
    block.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// Changes what every block of a kind holds, and gives it the right check sum.
fn forge(file: &[u8], kind: u8, change: impl Fn(&mut [u8])) -> Vec<u8> {
    let (mut file, mut at) = (file.to_vec(), 24);
    while at < file.len() {
        let length = u32::from_le_bytes(file[at + 1..at + 5].try_into().unwrap()) as usize;
        let end = at + 5 + length;
        if file[at] == kind {
            change(&mut file[at + 5..end]);
        }
        let sum = sum_of(&file[at..end]);
        file[end..end + 8].copy_from_slice(&sum.to_le_bytes());
        at = end + 8;
    }
    file
}

/// A disk that stands still until it is let go, and says whether it was asked for anything.
#[derive(Clone, Default)]
struct Slow(Arc<(Mutex<bool>, Condvar)>, File, Arc<AtomicBool>);

impl Write for Slow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.2.store(true, Ordering::Relaxed);
        let (is_on, bell) = &*self.0;
        drop(bell.wait_while(is_on.lock().unwrap(), |is_on| !*is_on).unwrap());
        self.1.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Slow {
    fn let_go(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }
}

/// Nobody waits for the disk; what it could not take ends the recording, and what came before that is whole.
#[test]
fn a_disk_that_is_too_slow_ends_the_recording_cleanly() {
    let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    let disk = Slow::default();
    let recorder = mixer.record(disk.clone()).unwrap();
    // Long enough to be heard up to the cut, and for the limiter to see what comes behind it.
    let beep = Sound::from_mono(48_000, &common::noise(1, 1300)).unwrap().named("beep");
    let mut heard = Vec::new();
    for _ in 0..40 {
        (0..500).for_each(|_| assert!(mixer.play(Play::of(&beep).gain(0.2)).is_some()));
        render(&mut renderer, 1000, &mut heard);
        mixer.events().for_each(drop);
    }
    disk.let_go();
    let summary = recorder.finish().unwrap();
    assert!(!summary.is_whole && summary.frames > 0 && summary.frames < heard.len() as u64);
    let mut again =
        Replay::read(Cursor::new(disk.1.bytes()), |_| Some(beep.clone().into())).unwrap();
    assert!(!again.is_whole());
    let frames = again.frame_count() as usize;
    assert_eq!(frames as u64, summary.frames);
    let mut out = vec![[0.0; 2]; frames];
    again.render(&mut out);
    assert!(out[..] == heard[..frames]);
    // Nor does one that breaks off before it says so go on behind what was lost.
    let bytes = disk.1.bytes();
    let cut = &bytes[..bytes.len() - 1];
    let mut again = Replay::read(Cursor::new(cut), |_| Some(beep.clone().into())).unwrap();
    let frames = again.frame_count() as usize;
    assert!(frames > 0 && frames as u64 <= summary.frames, "{frames} of {}", summary.frames);
    again.render(&mut out);
    assert!(out[..frames] == heard[..frames]);
}

/// Neither of both is waited for without end: a disk that takes nothing any more, or a game that goes on meanwhile.
#[test]
fn a_disk_that_never_answers_lets_the_game_go() {
    let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    let disk = Slow::default();
    let recorder = mixer.record(disk.clone()).unwrap();
    let beep = Sound::from_mono(48_000, &[0.1; 300]).unwrap();
    mixer.play(&beep);
    renderer.frames(1000);
    let error = recorder.finish().unwrap_err().to_string();
    assert_eq!(error, "recording: could not be written: nothing was taken for ten seconds");
    // Its thread gives back what it still held.
    mixer.play(&beep);
    renderer.frames(1000);
    disk.let_go();
    drop((mixer, renderer));
    let begin = Instant::now();
    while Arc::strong_count(&disk.0) > 1 {
        assert!(begin.elapsed() < secs(60.0));
        thread::yield_now();
    }
}

/// Whoever renders into memory could outrun the thread that writes, and waits until it has caught up.
#[test]
fn frames_wait_for_a_recording() {
    // More commands than there is room for, one a line, and than its thread takes at once.
    const LINES: u64 = 3 << 13;
    let config = Config { voices: 1, sample_rate: 8000, ..Config::DEFAULT };
    let (mixer, mut renderer) = Mixer::offline(config).unwrap();
    let disk = Slow::default();
    let recorder = mixer.record(disk.clone()).unwrap();
    mixer.play(Sound::from_mono(8000, &[0.1; 300]).unwrap());
    let letting_go = thread::spawn({
        let (disk, mixer) = (disk.clone(), mixer.clone());
        move || {
            // When it stands still, or has come so far that it never will.
            let mut before = 0;
            while before < 128 * LINES && (before < 128 * 8000 || before != mixer.clock()) {
                before = mixer.clock();
                thread::sleep(ms(20));
            }
            disk.let_go();
        }
    });
    for line in 0..LINES + 10 {
        mixer.set_gain(BusId::new(1), if line % 2 == 0 { 0.5 } else { 0.6 }, ms(0));
        renderer.frames(128);
    }
    letting_go.join().unwrap();
    let summary = recorder.finish().unwrap();
    assert!(summary.is_whole && summary.frames == 128 * (LINES + 10), "{summary:?}");
}

/// What a reader does not give once more is not in the file; all else is.
#[test]
fn a_stream_that_cannot_be_read_again_is_left_out_of_the_file() {
    for panics in [false, true] {
        let file = Form::MONO.music(1000);
        let opened = AtomicBool::new(false);
        let once = move || match opened.swap(true, Ordering::Relaxed) {
            false => Ok(Cursor::new(file.clone())),
            true if panics => panic!("on purpose"),
            true => Err(io::Error::other("it is gone")),
        };
        let music = voicepool::Stream::from_reader("music", once).unwrap();
        let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
        let to = File::default();
        let recorder = mixer.record(to.clone()).unwrap().with_sounds();
        mixer.play(&music);
        mixer.play(Sound::from_mono(48_000, &[0.1; 300]).unwrap().named("beep"));
        renderer.frames(2000);
        let summary = recorder.finish().unwrap();
        assert!(summary.is_whole && summary.plays == 2);
        let again = Replay::read(Cursor::new(to.bytes()), nothing).unwrap();
        let missing: Vec<_> = again.missing().iter().map(|it| it.name.as_str()).collect();
        assert_eq!(missing, ["music"]);
    }
}

/// At rates at which the limiter looks further ahead than a line, a file that breaks off holds no frame that what comes
/// behind it would have changed.
#[test]
fn what_is_heard_up_to_a_break_is_what_was_played() {
    let config = Config { sample_rate: 96_000, ..Config::DEFAULT };
    let (mixer, mut renderer) = Mixer::offline(config).unwrap();
    let file = File::default();
    let recorder = mixer.record(file.clone()).unwrap();
    let hum = Sound::from_mono(96_000, &[0.25; 2000]).unwrap().named("hum");
    mixer.play(Play::of(&hum).looping());
    let mut heard = Vec::new();
    for block in 0..60 {
        render(&mut renderer, 128, &mut heard);
        if block % 4 == 0 {
            mixer.play(Play::of(&hum).gain(30.0).looping());
        }
        // So that what is known is written often: this at least, before there is more.
        let written = file.bytes().len();
        let begin = Instant::now();
        while block % 10 == 0 && file.bytes().len() == written {
            assert!(begin.elapsed() < secs(60.0));
            thread::yield_now();
        }
    }
    recorder.finish().unwrap();
    let mut longest = 0;
    let bytes = file.bytes();
    for end in (0..bytes.len()).step_by(9) {
        let from = Cursor::new(&bytes[..end]);
        let Ok(mut again) = Replay::read(from, |_| Some(hum.clone().into())) else { continue };
        let mut out = vec![[0.0; 2]; again.frame_count() as usize];
        again.render(&mut out);
        assert!(out[..] == heard[..out.len()], "cut at {end}, after {} frames", out.len());
        longest = out.len().max(longest);
    }
    assert!(longest > 3000, "{longest}");
}

/// What plays before somebody asks for all of it is in the file as soon as it is played again.
#[test]
fn sounds_can_be_asked_for_later() {
    let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    let file = File::default();
    let recorder = mixer.record(file.clone()).unwrap();
    let beep = Sound::from_mono(48_000, &common::noise(1, 300)).unwrap().named("beep");
    mixer.play(&beep);
    let mut heard = renderer.frames(1000);
    let begin = Instant::now();
    while !file.bytes().windows(4).any(|it| it == b"beep") {
        assert!(begin.elapsed() < secs(60.0));
        thread::yield_now();
    }
    let recorder = recorder.with_sounds();
    mixer.play(&beep);
    heard.extend(renderer.frames(1000));
    recorder.finish().unwrap();
    let mut again = Replay::read(Cursor::new(file.bytes()), nothing).unwrap();
    assert!(again.missing().is_empty());
    let mut out = vec![[0.0; 2]; 2000];
    again.render(&mut out);
    assert!(out == heard);
}

/// Whoever records in the midst of a line, and not until the next, has recorded nothing of what was said before.
#[test]
fn a_recording_is_no_longer_than_what_it_knows() {
    let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    mixer.set_gain(BusId::MASTER, 0.5, ms(0));
    renderer.render(&mut [[0.0; 2]; 100]);
    let recorder = mixer.record(io::sink()).unwrap();
    renderer.render(&mut [[0.0; 2]; 20]);
    assert_eq!(recorder.finish().unwrap().frames, 0);
}

/// The disk is slow until one command finds no room, and quick again before anybody hears of it: there is room for
/// those behind it, and still they are not in the recording, which would be said to contradict itself.
#[test]
fn behind_a_command_that_found_no_room_nothing_is_recorded() {
    let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    let disk = Slow::default();
    let recorder = mixer.record(disk.clone()).unwrap();
    let beep = Sound::from_mono(48_000, &common::noise(1, 300)).unwrap().named("beep");
    let play = |plays| {
        (0..plays).for_each(|_| assert!(mixer.play(Play::of(&beep).gain(0.2)).is_some()));
    };
    let wait_until = |is_so: &dyn Fn() -> bool| {
        let begin = Instant::now();
        while !is_so() {
            assert!(begin.elapsed() < secs(60.0), "{} bytes are written", disk.1.bytes().len());
            thread::yield_now();
        }
    };
    let mut heard = Vec::new();
    play(1);
    render(&mut renderer, 1000, &mut heard);
    wait_until(&|| disk.2.load(Ordering::Relaxed));
    for _ in 0..16 {
        play(1000);
        render(&mut renderer, 1000, &mut heard);
        mixer.events().for_each(drop);
    }
    // One more than the 16,384 that may wait.
    play(385);
    disk.let_go();
    wait_until(&|| disk.1.bytes().len() > 1_300_000);
    play(100);
    render(&mut renderer, 1000, &mut heard);
    let summary = recorder.finish().unwrap();
    assert!(!summary.is_whole && summary.plays == 16_385, "{summary:?}");
    let mut again =
        Replay::read(Cursor::new(disk.1.bytes()), |_| Some(beep.clone().into())).unwrap();
    let mut out = vec![[0.0; 2]; again.frame_count() as usize];
    again.render(&mut out);
    assert!(out.len() >= 16_000 && out[..] == heard[..out.len()], "{summary:?}");
}

#[test]
fn a_disk_that_fails_is_told_and_harms_nobody() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    struct Rude;
    impl Write for Rude {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            panic!("a planted panic")
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let beep = Sound::from_mono(48_000, &[0.5; 1000]).unwrap();
    let listen = |to: Box<dyn Write + Send>| {
        let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
        let recorder = mixer.record(to).unwrap();
        mixer.play(Play::of(&beep).looping());
        assert!(renderer.frames(10_000)[5000] == [0.5; 2]);
        recorder.finish().unwrap_err().to_string()
    };
    let full = listen(Box::new(Full));
    assert!(full.starts_with("recording: could not be written: "), "{full}");
    assert_eq!(listen(Box::new(Rude)), "recording: could not be written: its writer panicked");
}

#[test]
fn a_recorder_outlives_everything_else() {
    let library = Library::new(48_000);
    let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    let file = File::default();
    let recorder = mixer.record(file.clone()).unwrap();
    mixer.play(Play::of(&library.sounds[0]).looping());
    mixer.set_gain(BusId::MASTER, 0.5, ms(10));
    drop(mixer);
    let heard = renderer.frames(5000);
    drop(renderer);
    assert_eq!(recorder.finish().unwrap().frames, 5000);
    let again = replay(read(&file.bytes(), &library), 700);
    let played = recordings::Outcome { heard, told: again.told.clone() };
    assert_same(&played, &again, "after all is gone");
}
