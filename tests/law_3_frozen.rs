//! Law 3, for plays that wait for a time of their bus while it stands still, and for loops that are
//! told to end: each ends once, for the right reason and on the right frame.

#[path = "common/allocator.rs"]
mod allocator;
mod common;

use std::collections::HashSet;
use std::time::Duration;

use allocator::heap_calls;
use common::{Random, assert_balanced, mono, noise};
use voicepool::{
    BusId, Config, Ending, Event, Mixer, Play, Priority, Renderer, VoiceId, VoiceState, WhenFull,
    ms, secs,
};

const RATE: u32 = 1000;
const BUS: BusId = BusId::new(1);
const OTHER: BusId = BusId::new(2);

fn open() -> (Mixer, Renderer) {
    let config =
        Config { voices: 4, parked: 3, scheduled: 40, sample_rate: RATE, ..Config::DEFAULT };
    Mixer::offline(config).expect("a good config")
}

/// Who ended, why, and on which frame.
fn endings(mixer: &Mixer) -> Vec<(VoiceId, Ending, u64)> {
    let ended = |event| match event {
        Event::Ended { voice, why, at, .. } => Some((voice, why, at)),
        _ => None,
    };
    mixer.events().filter_map(ended).collect()
}

/// Plays that wait for a time of a bus, in frames, and a bus that has long been paused.
fn frozen(mixer: &Mixer, renderer: &mut Renderer, paused: BusId) -> Vec<VoiceId> {
    let clip = mono(RATE, &[0.1; 50]);
    let wait = |n: u64| Play::of(&clip).bus(BUS).delay(ms(300 + n)).tag(n);
    let voices = (0..20).map(|n| mixer.play(wait(n)).expect("room")).collect();
    renderer.frames(128);
    mixer.pause(paused, ms(0));
    renderer.frames(5000);
    let stats = mixer.stats();
    assert_eq!((stats.scheduled, stats.playing, stats.live), (20, 0, 20));
    assert_balanced(&stats);
    voices
}

/// The line on which acts what is said now.
fn line(mixer: &Mixer) -> u64 {
    mixer.clock().next_multiple_of(128) + 128
}

/// Stopped one by one, with their bus, with the master or with everything: each ends on that line,
/// however long the fade, and none twice, though the bus goes on.
#[test]
fn the_frozen_can_be_stopped() {
    type Stop = (&'static str, fn(&Mixer, &[VoiceId], Duration));
    let stops: [Stop; 4] = [
        ("each", |mixer, voices, fade| voices.iter().for_each(|it| mixer.stop(*it, fade))),
        ("the bus", |mixer, _, fade| mixer.stop(BUS, fade)),
        ("the master", |mixer, _, fade| mixer.stop(BusId::MASTER, fade)),
        ("all", |mixer, _, fade| mixer.stop_all(fade)),
    ];
    for (what, stop) in stops {
        for paused in [BUS, BusId::MASTER] {
            for fade in [ms(0), secs(5.0), Duration::MAX] {
                let (mixer, mut renderer) = open();
                let voices = frozen(&mixer, &mut renderer, paused);
                let at = line(&mixer);
                stop(&mixer, &voices, fade);
                mixer.resume(paused, ms(0));
                renderer.frames(4000);
                let mut ended = endings(&mixer);
                ended.sort_by_key(|(voice, ..)| *voice);
                let mut expected: Vec<_> =
                    voices.iter().map(|it| (*it, Ending::Stopped, at)).collect();
                expected.sort_by_key(|(voice, ..)| *voice);
                assert_eq!(ended, expected, "{what}, {paused:?}, over {fade:?}");
                assert_balanced(&mixer.stats());
            }
        }
    }
}

/// Another bus is no reason.
#[test]
fn the_frozen_of_another_bus_stay() {
    let (mixer, mut renderer) = open();
    let voices = frozen(&mixer, &mut renderer, BUS);
    mixer.stop(OTHER, ms(0));
    renderer.frames(512);
    assert_eq!((mixer.stats().scheduled, endings(&mixer).len()), (20, 0));
    mixer.resume(BUS, ms(0));
    let at = line(&mixer);
    renderer.frames(4000);
    // It stood still when 256 of its frames had passed: nothing sounded that had to fade.
    let clip = 50;
    for (voice, why, end) in endings(&mixer) {
        let n = voices.iter().position(|it| *it == voice).expect("one of them") as u64;
        // Four at a time: the others rob them, but for those that came last.
        match why {
            Ending::Finished => assert_eq!(end, at + 300 + n - 256 + clip),
            Ending::Stolen { .. } => assert!(end < at + 300 + 20),
            why => panic!("{why:?}"),
        }
    }
    assert_eq!(mixer.stats().live, 0);
}

/// Some of them are stopped, and others come in their place: each of the rest begins on its frame.
#[test]
fn the_rest_of_the_frozen_go_on() {
    let config = Config { voices: 64, scheduled: 20, sample_rate: RATE, ..Config::DEFAULT };
    let clip = mono(RATE, &[0.1; 5]);
    for stopped in
        [&[0][..], &[19], &[7, 8, 9], &[9, 8, 7], &[0, 3, 6, 9, 12, 15, 18], &[19, 0, 10, 1]]
    {
        let (mixer, mut renderer) = Mixer::offline(config.clone()).expect("a good config");
        mixer.pause(BUS, ms(0));
        let wait = |n: u64| Play::of(&clip).bus(BUS).delay(ms(10 + n)).tag(n);
        let voices: Vec<_> = (0..20).map(|n| mixer.play(wait(n))).collect();
        renderer.frames(512);
        stopped.iter().for_each(|n| mixer.stop(voices[*n], ms(0)));
        renderer.frames(512);
        let others = (0..stopped.len() as u64).map(|n| wait(40 + n));
        others.for_each(|play| assert!(mixer.play(play).is_some()));
        renderer.frames(512);
        assert_eq!((mixer.stats().scheduled, mixer.stats().refused), (20, 0));
        mixer.resume(BUS, ms(0));
        let at = line(&mixer);
        renderer.frames(1000);
        let mut over: Vec<_> = mixer
            .events()
            .filter_map(|event| match event {
                Event::Ended { tag, at, why: Ending::Finished, .. } => Some((tag, at)),
                _ => None,
            })
            .collect();
        over.sort();
        let rest = (0..20).filter(|n| !stopped.contains(&(*n as usize)));
        let all = rest.chain((0..stopped.len() as u64).map(|n| 40 + n));
        let expected: Vec<_> = all.map(|n| (n, at + 10 + n + 5)).collect();
        assert_eq!(over, expected, "without {stopped:?}");
    }
}

/// The renderer goes, or the mixer does: what was frozen ends, and nothing is freed on the audio side.
#[test]
fn the_frozen_end_when_either_side_goes() {
    let (mixer, mut renderer) = open();
    let voices = frozen(&mixer, &mut renderer, BUS);
    let ((), calls) = heap_calls(|| drop(renderer));
    // The renderer's own memory goes; of the twenty plays nothing does.
    let (mut ended, stats) = (endings(&mixer), mixer.stats());
    ended.sort_by_key(|(voice, ..)| *voice);
    assert_eq!(ended.len(), voices.len(), "{calls}");
    assert!(ended.iter().all(|(_, why, _)| *why == Ending::Stopped));
    assert_balanced(&stats);
    assert_eq!((stats.live, stats.scheduled, stats.stopped), (0, 0, 20));

    let (mixer, mut renderer) = open();
    frozen(&mixer, &mut renderer, BUS);
    drop(mixer);
    let mut out = [[0.0; 2]; 500];
    for _ in 0..20 {
        let ((), calls) = heap_calls(|| renderer.render(&mut out));
        assert_eq!(calls, 0);
    }
}

/// A frozen play is shown as one that waits, and everything that can be said to one that waits can
/// be said to it.
#[test]
fn the_frozen_wait_as_others_do() {
    let (mixer, mut renderer) = open();
    mixer.pause(BUS, ms(0));
    let clip = mono(RATE, &[0.5; 400]);
    let voice = mixer.play(Play::of(&clip).looping().bus(BUS).delay(ms(10)));
    renderer.frames(1000);
    mixer.set_gain(voice, 0.5, secs(1.0));
    mixer.set_speed(voice, 2.0, secs(1.0));
    mixer.seek(voice, ms(100));
    mixer.end_loop(BUS);
    mixer.voices();
    renderer.frames(128);
    let rows = mixer.voices();
    assert_eq!((rows.len(), rows[0].state, rows[0].gain), (1, VoiceState::Scheduled, 0.5));
    assert_eq!((rows[0].position, rows[0].slot), (ms(100), None));
    mixer.resume(BUS, ms(0));
    let at = line(&mixer) + 10;
    renderer.frames(1000);
    // Three hundred frames at double speed, and once only.
    assert_eq!(endings(&mixer), [(voice.expect("room"), Ending::Finished, at + 150)]);
}

/// More frozen plays than there is room for are refused when they come, not later.
#[test]
fn a_full_schedule_refuses_whoever_comes_to_a_paused_bus() {
    let config = Config { scheduled: 2, sample_rate: RATE, ..Config::DEFAULT };
    let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
    mixer.pause(BUS, ms(0));
    let clip = mono(RATE, &[0.1; 5]);
    for _ in 0..3 {
        mixer.play(Play::of(&clip).bus(BUS).delay(ms(5)));
    }
    renderer.frames(1000);
    let stats = mixer.stats();
    assert_eq!((stats.scheduled, stats.refused, stats.live), (2, 1, 2));
    mixer.resume(BUS, ms(0));
    renderer.frames(1000);
    assert_eq!((mixer.stats().finished, mixer.stats().live), (2, 0));
}

/// Loops that are told to end, at random moments, among thefts, pauses, parkings and stops: each
/// ends once, and left to itself it ends as finished.
#[test]
fn an_ended_loop_ends_once() {
    for seed in 0..8 {
        let config = Config {
            voices: 3,
            parked: 3,
            scheduled: 3,
            commands: 4096,
            sample_rate: RATE,
            when_full: [WhenFull::StealQuietest, WhenFull::Refuse][seed as usize % 2],
            ..Config::DEFAULT
        };
        let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
        let mut random = Random(seed);
        let mut live: HashSet<VoiceId> = HashSet::new();
        let mut finished_loops = 0;
        for _ in 0..1500 {
            let frames = 1 + random.below(600) as usize;
            let bus = BusId::new(random.below(3) as u8);
            let any = live.iter().copied().max();
            match random.below(14) {
                0..=3 => {
                    let play = Play::of(mono(RATE, &noise(seed, frames))).bus(bus);
                    let play = play.looping().gain(random.unit());
                    let play = play.delay(ms(random.below(2) * random.below(500)));
                    let play = play.priority(*random.pick(&[Priority::Low, Priority::Normal]));
                    live.insert(mixer.play(play).expect("a long queue"));
                }
                4 | 5 => mixer.end_loop(any),
                6 => mixer.end_loop(bus),
                7 => mixer.pause(bus, ms(random.below(200))),
                8 | 9 => mixer.resume(bus, ms(random.below(200))),
                10 => mixer.pause(any, ms(random.below(200))),
                11 => mixer.resume(any, ms(0)),
                12 => mixer.seek(any, ms(random.below(600))),
                _ => mixer.set_mute(any, random.below(2) == 0),
            }
            renderer.frames(random.below(200) as usize);
            for (voice, why, _) in endings(&mixer) {
                assert!(live.remove(&voice), "it had ended");
                finished_loops += u64::from(why == Ending::Finished);
            }
            assert_balanced(&mixer.stats());
        }
        assert!(finished_loops > 50, "{finished_loops}");
        // What is left ends by itself, once everybody may go on.
        (0..3).for_each(|bus| mixer.resume(BusId::new(bus), ms(0)));
        mixer.end_loop(BusId::MASTER);
        for voice in &live {
            mixer.resume(*voice, ms(0));
            mixer.set_mute(*voice, false);
        }
        renderer.frames(8000);
        for (voice, why, _) in endings(&mixer) {
            assert!(live.remove(&voice), "it had ended");
            assert_eq!(why, Ending::Finished);
        }
        assert_eq!((live.len(), mixer.stats().live), (0, 0), "seed {seed}");
    }
}
