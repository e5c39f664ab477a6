//! Law 10: memory is bounded by `Config`, from opening on.

#[path = "common/allocator.rs"]
mod allocator;
mod common;

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, channel};

use allocator::{heap_calls, held};
use common::{Random, mono, noise};
use voicepool::{
    BusId, Config, Cue, Listener, Mixer, Play, Priority, Reverb, RoomId, Sound, Tag, Target,
    VoiceId, WhenFull, WhenStolen, ms, secs,
};

/// What a mixer may take, sounds aside: with everything asked for, and as it was opened.
const MOST_BYTES: isize = 1760 * 1024;
const MOST_BYTES_OPENED: isize = 975 * 1024;

/// A mixer of the default sizes stays small, with everything asked for that takes memory only then: the
/// largest pool, a room, three submixes, both of the pictures, positions, a control of every kind waiting
/// for every ticket and every bus, all blocks of moves on their way, and a place and a wall waiting for every
/// ticket.
#[test]
fn a_default_mixer_is_small() {
    let blip = mono(48_000, &[0.5]);
    let config = Config::default();
    let tickets = config.commands + config.scheduled + config.parked + config.max_voices;
    let before = held();
    let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
    let opened = held() - before;
    mixer.resize(256).expect("as many as may be");
    mixer.set_reverb(RoomId::new(0), Reverb::DEFAULT, ms(0));
    (1..4).for_each(|bus| mixer.set_low_pass(BusId::new(bus), 900.0, ms(0)));
    // As many plays as there can be: those that wait for a frame that never comes, those that play,
    // those that are paused and so park, and those that are still in the queue.
    let mut plays = Vec::with_capacity(tickets);
    let mut play = |play: Play| plays.extend(mixer.play(play.at([1.0, 2.0])));
    (0..256).for_each(|_| play(Play::of(&blip).start_at(u64::MAX)));
    (0..256).for_each(|_| play(Play::of(&blip).looping()));
    renderer.frames(512);
    mixer.pause(BusId::MASTER, ms(0));
    renderer.frames(512);
    (0..256).for_each(|_| play(Play::of(&blip).looping().priority(Priority::High)));
    for _ in 0..3 {
        assert!(mixer.voices().len() <= 768);
        renderer.frames(512);
    }
    assert_eq!(mixer.voices().len(), 768);
    (0..1024).for_each(|_| play(Play::of(&blip)));
    assert_eq!((plays.len(), mixer.stats().live), (tickets, tickets));
    assert!(mixer.position(plays[300]).is_some());
    // What the game says of a frame is a list of its own, and gone when it was said.
    for _ in 0..3 {
        mixer.set_positions(plays.iter().map(|voice| (*voice, [3.0, 4.0])));
        mixer.set_occlusions(plays.iter().map(|voice| (*voice, 0.5)), ms(9));
        (0..256).for_each(|_| mixer.set_listener(Listener::DEFAULT));
    }
    for voice in &plays {
        say_everything(&mixer, *voice);
        mixer.set_pan(*voice, 0.5, ms(9));
        mixer.set_speed(*voice, 0.5, ms(9));
        mixer.seek(*voice, ms(9));
    }
    (0..32).for_each(|bus| say_everything(&mixer, BusId::new(bus)));
    let list = (plays.capacity() * size_of::<VoiceId>()) as isize;
    let all = held() - before - list;
    drop((mixer, renderer, plays));
    assert_eq!(held(), before, "all of it is given back");
    println!("a default mixer: {opened} bytes, and with everything asked for {all}");
    assert!(opened < MOST_BYTES_OPENED && all < MOST_BYTES, "{opened}, and then {all} bytes");
}

fn say_everything(mixer: &Mixer, target: impl Into<Target>) {
    let target = target.into();
    mixer.set_gain(target, 0.5, ms(9));
    mixer.set_mute(target, true);
    mixer.set_low_pass(target, 500.0, ms(9));
    mixer.set_high_pass(target, 50.0, ms(9));
    (0..4).for_each(|room| mixer.set_send(target, RoomId::new(room), 0.5, ms(9)));
    mixer.end_loop(target);
    mixer.resume(target, ms(9));
    mixer.stop(target, ms(9));
}

/// However much is said while the disk stands still, no more waits to be recorded than there is room for: the lanes,
/// and 8 MiB of commands. What is said then ends the recording.
#[test]
fn what_waits_for_a_disk_is_bounded() {
    struct Still(Receiver<()>);
    impl Write for Still {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // Until nobody is there who could let it go on.
            let _ = self.0.recv();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let config = Config { voices: 8, parked: 600, ..Config::DEFAULT };
    let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
    let before = held();
    let (stopped, still) = channel();
    let recorder = mixer.record(Still(still)).expect("before the first play");
    let sound = mono(48_000, &[0.1; 100]);
    let far = Play::of(&sound).looping().at([1e4, 0.0]);
    let voices: Vec<_> = (0..600).filter_map(|_| mixer.play(&far)).collect();
    assert_eq!(voices.len(), 600);
    for turn in 0..2_000 {
        mixer.set_positions(voices.iter().map(|voice| (*voice, [2e4 + turn as f32, 0.0])));
        renderer.render(&mut [[0.0; 2]; 128]);
    }
    let waits = held() - before;
    println!("{waits} bytes while recording, with the disk at a standstill");
    assert!(waits > 8 << 20 && waits < 12 << 20, "{waits} bytes");
    drop(stopped);
    let summary = recorder.finish().expect("it can be written");
    assert!(!summary.is_whole, "{summary:?}");
}

fn small(when_full: WhenFull) -> Config {
    Config {
        voices: 8,
        max_voices: 32,
        parked: 8,
        scheduled: 8,
        commands: 64,
        sample_rate: 8_000,
        when_full,
        ..Config::default()
    }
}

fn storm(mixer: &Mixer, random: &mut Random, sounds: &[Sound]) {
    for _ in 0..random.below(40) {
        let play = Play::of(random.pick(sounds)).gain(random.unit());
        let play = play.speed(random.between(0.5, 2.0)).bus(BusId::new(random.below(4) as u8));
        let play = match random.below(5) {
            0 => play.looping(),
            1 => play.delay(ms(random.below(200))),
            2 => play.when_stolen(WhenStolen::Park).priority(Priority::Low),
            _ => play,
        };
        let voice = mixer.play(play);
        match random.below(8) {
            0 => mixer.stop(voice, ms(random.below(30))),
            1 => mixer.pause(voice, ms(0)),
            2 => mixer.set_gain(voice, random.unit(), ms(random.below(30))),
            3 => mixer.seek(voice, ms(random.below(100))),
            4 => mixer.set_speed(voice, random.unit(), ms(random.below(30))),
            _ => (),
        }
    }
}

/// However long it is shouted at, and whether or not anybody hears its events, a mixer holds what
/// it held when it was opened.
#[test]
fn a_storm_of_any_length_takes_no_more_memory() {
    for when_full in [WhenFull::StealQuietest, WhenFull::StealOldest, WhenFull::Refuse] {
        for listens in [false, true] {
            let mut random = Random(12);
            let sounds: Vec<Sound> =
                (1..9).map(|n| mono(8_000, &noise(n, 300 * n as usize))).collect();
            let (mixer, mut renderer) = Mixer::offline(small(when_full)).expect("a good config");
            let opened = held();
            let mut out = [[0.0; 2]; 200];
            for round in 0..400 {
                storm(&mixer, &mut random, &sounds);
                renderer.render(&mut out);
                if listens {
                    mixer.events().for_each(drop);
                }
                if round % 100 == 99 {
                    mixer.stop_all(ms(5));
                }
                // Controls that met a full queue wait in the books until they can be sent.
                mixer.stats();
                assert_eq!(held(), opened, "{when_full:?}, round {round}");
            }
            assert!(mixer.stats().accepted > 1000);
        }
    }
}

/// A pool that has grown, and shrunk back when it was idle, holds what it held before; and at no
/// time more than the pool it is and the one it comes from.
#[test]
fn what_grew_and_shrank_is_where_it_was() {
    let sound = mono(8_000, &noise(1, 4_000));
    let (mixer, mut renderer) = Mixer::offline(small(WhenFull::Grow)).expect("a good config");
    let opened = held();
    let (largest, _twin) = {
        let config = Config { voices: 32, ..small(WhenFull::Grow) };
        let before = held();
        let twin = Mixer::offline(config).expect("a good config");
        (held() - before, twin)
    };
    let base = held();
    let mut out = [[0.0; 2]; 400];
    for _ in 0..5 {
        for _ in 0..32 {
            mixer.play(&sound);
            renderer.render(&mut out[..100]);
            assert!(held() - base < largest, "no more than a mixer of the largest pool beside it");
        }
        assert_eq!(mixer.stats().voices, 32);
        assert!(held() > base);
        for _ in 0..230 {
            renderer.render(&mut out);
            mixer.events().for_each(drop);
        }
        assert_eq!(mixer.stats().voices, 8);
        assert_eq!(held(), base);
    }
    assert!(opened <= base);
}

/// To play calls no allocator, whatever the pool answers, nor does hearing what became of it.
#[test]
fn a_play_does_not_call_the_allocator() {
    let sound = mono(8_000, &noise(3, 900));
    for when_full in [WhenFull::StealQuietest, WhenFull::StealOldest, WhenFull::Refuse] {
        let (mixer, mut renderer) = Mixer::offline(small(when_full)).expect("a good config");
        let mut out = [[0.0; 2]; 300];
        let round = |listens: bool| {
            for n in 0..100 {
                let play = Play::of(&sound).gain(n as f32 / 100.0).tag(n);
                mixer.play(if n % 3 == 0 { play.looping() } else { play.delay(ms(n)) });
            }
            if listens {
                mixer.events().for_each(drop);
            }
        };
        for listens in [false, true, false, false, true] {
            let ((), calls) = heap_calls(|| round(listens));
            assert_eq!(calls, 0, "{when_full:?}");
            renderer.render(&mut out);
        }
        let stats = mixer.stats();
        assert!(stats.accepted > 100 && stats.turned_away > 100, "{stats}");
    }
}

/// Resizing, there and back, leaves nothing behind.
#[test]
fn resizing_leaves_nothing_behind() {
    let (mixer, mut renderer) =
        Mixer::offline(small(WhenFull::StealQuietest)).expect("a good config");
    let sound = mono(8_000, &noise(2, 800));
    let mut out = [[0.0; 2]; 128];
    let opened = held();
    for round in 0..200 {
        mixer.play(Play::of(&sound).looping());
        mixer.resize([32, 8, 1, 8][round % 4]).expect("one at a time");
        renderer.render(&mut out);
        mixer.events().for_each(drop);
        if round % 4 == 3 {
            assert_eq!(held(), opened, "round {round}");
        }
    }
}

/// A sound goes home when its play has ended: the mixer keeps none of it.
#[test]
fn a_sound_that_has_ended_is_given_back() {
    let (mixer, mut renderer) =
        Mixer::offline(small(WhenFull::StealQuietest)).expect("a good config");
    let mut out = [[0.0; 2]; 128];
    let opened = held();
    for n in 0..100 {
        let play = Play::of(mono(8_000, &noise(n, 8_000))).looping();
        let voice = mixer.play(play.fade_in(secs(0.1)));
        assert!(held() > opened + 32_000);
        renderer.render(&mut out);
        mixer.stop(voice, ms(0));
        renderer.render(&mut out);
        mixer.stats();
        assert!(held() < opened + 100, "who does not ask for events keeps no more than a name");
        mixer.events().for_each(drop);
        assert_eq!(held(), opened);
    }
}

/// A file whose rate is damaged does not become a thousand times as large.
#[test]
fn a_file_that_claims_a_toy_rate_is_not_blown_up() {
    let path = std::env::temp_dir().join(format!("voicepool-toy-{}.wav", std::process::id()));
    voicepool::write_wav(&path, 1, &[[0.5; 2]; 100]).expect("a file of a test");
    let (mixer, _renderer) = Mixer::offline(Config::default()).expect("the default");
    let sound = mixer.load(&path).expect("a toy");
    std::fs::remove_file(&path).expect("it was there");
    assert_eq!((sound.sample_rate(), sound.frame_count()), (1, 100));
}

/// However many cues are played, a mixer holds what it held: those that are dropped go, and those that are
/// too many are forgotten.
#[test]
fn any_number_of_cues_takes_no_more_memory() {
    let (mixer, mut renderer) =
        Mixer::offline(Config { cues: 8, ..small(WhenFull::Refuse) }).expect("a good config");
    let sound = mono(8_000, &noise(1, 300));
    let mut round = |cues: usize| {
        for _ in 0..cues {
            let cue = Cue::of([&sound, &sound]).expect("variants").at_most(2);
            (0..3).for_each(|_| assert!(mixer.play(&cue).is_some()));
            mixer.play(Play::of(cue).delay(ms(9)));
            renderer.frames(128);
        }
        mixer.events().for_each(drop);
        renderer.frames(1024);
        mixer.events().for_each(drop);
    };
    round(20);
    let before = held();
    round(500);
    assert_eq!(held(), before);
    // And one that it does not know yet takes nothing but what travels with its play.
    let cue = Cue::of([&sound]).expect("a variant");
    let (voice, calls) = heap_calls(|| mixer.play(&cue));
    assert!(voice.is_some() && calls == 1, "{calls} calls of the allocator");
}

/// A cross-fade of a tag remembers whom it came for: all of them together no more than each play twice, until they end.
#[test]
fn cross_fades_of_a_tag_remember_no_more_than_two_for_each_play() {
    let config = Config::default();
    let tickets = config.commands + config.scheduled + config.parked + config.max_voices;
    let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
    let sound = mono(48_000, &noise(1, 300));
    let tag = Tag(7);
    let mut rounds = [0; 3];
    for accepted in &mut rounds {
        let before = held();
        let fades = (0..1024).map(|_| mixer.crossfade(tag, Play::of(&sound).tag(7), ms(0)));
        *accepted = fades.flatten().count();
        let taken = held() - before;
        assert!(taken < 2 * 16 * tickets as isize + 512 * *accepted as isize, "{taken} bytes");
        renderer.frames(9_600);
        mixer.events().for_each(drop);
        assert_eq!(mixer.stats().live, 0);
    }
    // The sum of all numbers below it.
    let [most, ..] = rounds;
    assert!(most * (most - 1) / 2 <= 2 * tickets && most * (most + 1) / 2 > 2 * tickets, "{most}");
    assert_eq!(rounds, [most; 3]);
    // What comes for plays by name finds room all the same.
    let voice = mixer.play(&sound);
    assert!(mixer.crossfade(voice, &sound, ms(5)).is_some());
}
