//! Law 6, for what was made silent: who is muted is missed by nobody, who is fading into a pause
//! less and less, and whose loop was ended no more than what is left of it.

mod common;

use common::{mono, noise, sine};
use voicepool::{
    BusId, Config, Ending, Event, Mixer, Parking, Play, Priority, Refusal, Renderer, Target,
    VoiceId, VoiceInfo, ms,
};

/// Just too low for K-weighting, so that a constant is as loud as it is high. 250 ms are 15 quanta.
const RATE: u32 = 7_680;
const GUARD: usize = 15 * 128;
const BUS: BusId = BusId::new(3);

fn open(voices: usize, parked: usize) -> (Mixer, Renderer) {
    let config =
        Config { voices, max_voices: voices, parked, sample_rate: RATE, ..Config::DEFAULT };
    Mixer::offline(config).expect("a good config")
}

/// A steady sound without end, of some level.
fn steady(level: f32, tag: u64) -> Play {
    Play::of(mono(RATE, &[level])).looping().tag(tag)
}

/// What happened to whom, in order, by tag.
#[derive(Debug, PartialEq)]
enum Seen {
    Started(u64),
    Parked(u64, Parking),
    Back(u64),
    Ended(u64, Ending),
}

fn seen(mixer: &Mixer) -> Vec<Seen> {
    let seen = |event| match event {
        Event::Started { tag, .. } => Seen::Started(tag),
        Event::Parked { tag, why, .. } => Seen::Parked(tag, why),
        Event::Unparked { tag, .. } => Seen::Back(tag),
        Event::Ended { tag, why, .. } => Seen::Ended(tag, why),
        other => panic!("{other:?}"),
    };
    mixer.events().map(seen).collect()
}

/// One play as it is on the next line.
fn look(mixer: &Mixer, renderer: &mut Renderer, voice: impl Into<Option<VoiceId>>) -> VoiceInfo {
    let voice = voice.into();
    mixer.voices();
    renderer.frames(128);
    let rows = mixer.voices();
    rows.into_iter().find(|row| Some(row.voice) == voice).expect("it is live")
}

/// The ways to make a play inaudible: a gain of 0, and mutes.
type Shut = (&'static str, fn(&Mixer, Target));

const SHUT: [Shut; 2] = [
    ("gain 0", |mixer, target| mixer.set_gain(target, 0.0, ms(0))),
    ("a mute", |mixer, target| mixer.set_mute(target, true)),
];

/// The loudest of three is muted, by itself or with its bus: it goes first, and what it loses is
/// nothing. So does one whose gain is 0.
#[test]
fn the_muted_go_first() {
    for (what, shut) in SHUT {
        for with_bus in [false, true] {
            let (mixer, mut renderer) = open(3, 8);
            let quiet = mixer.play(steady(0.01, 1));
            let loud = mixer.play(steady(0.5, 2).bus(BUS));
            mixer.play(steady(0.1, 3));
            renderer.frames(256);
            shut(&mixer, if with_bus { BUS.into() } else { loud.into() });
            renderer.frames(256);
            let by = mixer.play(steady(0.02, 4)).expect("room");
            renderer.frames(256);
            let expected = Parking::Stolen { by, by_tag: 4, level: 0.0 };
            assert_eq!(seen(&mixer), [Seen::Parked(2, expected)], "{what}, bus: {with_bus}");
            assert!(mixer.is_live(quiet));
        }
    }
}

/// On the line on which it is muted it is still heard: a falling gain counts as it is.
#[test]
fn a_mute_counts_as_it_falls() {
    let (mixer, mut renderer) = open(2, 8);
    mixer.play(steady(0.1, 1));
    let loud = mixer.play(steady(0.5, 2));
    renderer.frames(256);
    mixer.set_mute(loud, true);
    mixer.play(steady(0.3, 3));
    renderer.frames(128);
    assert!(matches!(seen(&mixer)[..], [Seen::Parked(1, Parking::Stolen { .. })]));
    // And a rising one as risen.
    renderer.frames(256);
    assert_eq!(look(&mixer, &mut renderer, loud).level, 0.0);
    mixer.set_mute(loud, false);
    renderer.frames(128);
    let level = look(&mixer, &mut renderer, loud).level;
    assert!((level / (0.5 * 2f32.sqrt()) - 1.0).abs() < 1e-3, "{level}");
}

/// A newcomer that nobody can hear parks as inaudible in a full pool, and robs nobody: on a muted
/// bus, under a muted master, or muted itself while it waited for its frame. Where there is no room
/// to park it is refused; if it is protected it takes a voice even so.
#[test]
fn who_begins_muted_robs_nobody() {
    type Begin = (&'static str, fn(&Mixer, Play) -> Option<VoiceId>);
    let begin: [Begin; 3] = [
        ("bus", |mixer, play| {
            mixer.set_mute(BUS, true);
            mixer.play(play)
        }),
        ("master", |mixer, play| {
            mixer.set_mute(BusId::MASTER, true);
            mixer.play(play.delay(ms(50)))
        }),
        ("itself", |mixer, play| {
            let voice = mixer.play(play.delay(ms(50)));
            mixer.set_mute(voice, true);
            voice
        }),
    ];
    for (what, begin) in begin {
        let full = |parked| {
            let (mixer, mut renderer) = open(1, parked);
            mixer.play(steady(0.001, 1));
            renderer.frames(256);
            (mixer, renderer)
        };
        let (mixer, mut renderer) = full(1);
        begin(&mixer, steady(0.9, 2).bus(BUS));
        renderer.frames(1024);
        assert_eq!(seen(&mixer), [Seen::Parked(2, Parking::Inaudible)], "{what}");
        assert_eq!(mixer.stats().loudest_parked, 0.0);

        let (mixer, mut renderer) = full(1);
        // Silence is parked already.
        mixer.play(steady(0.5, 9).gain(0.0));
        begin(&mixer, steady(0.9, 2).bus(BUS));
        renderer.frames(1024);
        let refused = Ending::Refused { why: Refusal::Inaudible };
        let expected = [Seen::Parked(9, Parking::Inaudible), Seen::Ended(2, refused)];
        assert_eq!(seen(&mixer), expected, "{what}");

        let (mixer, mut renderer) = full(1);
        begin(&mixer, steady(0.9, 2).bus(BUS).priority(Priority::Protected));
        renderer.frames(1024);
        let events = seen(&mixer);
        let robbed = |it: &Seen| matches!(it, Seen::Parked(1, Parking::Stolen { by_tag: 2, .. }));
        assert!(events.iter().any(robbed), "{what}: {events:?}");
        // Who waited says that it has begun, and who did not get a voice does not.
        assert_eq!(events.contains(&Seen::Started(2)), what != "bus");
    }
}

/// Who parked because it was muted stays, though there is a voice, until it is heard again; then it
/// comes back on that line.
#[test]
fn the_muted_stay_parked_until_they_are_heard() {
    for bus in [BUS, BusId::MASTER] {
        let (mixer, mut renderer) = open(1, 8);
        let first = mixer.play(steady(0.1, 1));
        renderer.frames(256);
        mixer.set_mute(bus, true);
        mixer.play(steady(0.5, 2).bus(BUS));
        renderer.frames(256);
        mixer.stop(first, ms(0));
        renderer.frames(2 * GUARD);
        let stopped = Seen::Ended(1, Ending::Stopped);
        assert_eq!(seen(&mixer), [Seen::Parked(2, Parking::Inaudible), stopped]);
        mixer.set_mute(bus, false);
        let said = mixer.clock();
        renderer.frames(256);
        let back = mixer.events().find_map(|event| match event {
            Event::Unparked { at, .. } => Some(at),
            _ => None,
        });
        assert_eq!(back, Some(said.next_multiple_of(128) + 128), "{bus:?}");
        let heard = renderer.frames(256);
        assert_eq!(heard[255], [0.5; 2]);
    }
}

/// A mute of a parked play is one: it does not come back until that is taken back.
#[test]
fn a_parked_play_can_be_muted() {
    let (mixer, mut renderer) = open(1, 8);
    let robbed = mixer.play(steady(0.5, 1));
    renderer.frames(256);
    let thief = mixer.play(steady(0.5, 2));
    renderer.frames(256);
    mixer.set_mute(robbed, true);
    mixer.stop(thief, ms(0));
    renderer.frames(2 * GUARD);
    assert_eq!(mixer.stats().parked, 1);
    mixer.set_mute(robbed, false);
    renderer.frames(256);
    assert_eq!((mixer.stats().parked, mixer.stats().playing), (0, 1));
}

/// Once its loop was ended, a play is worth what a one-shot in its place is: with a voice, at any
/// speed, and parked.
#[test]
fn an_ended_loop_has_the_level_of_a_one_shot() {
    for rate in [RATE, 48_000] {
        let second = rate as usize;
        let fades: Vec<f32> = sine(rate, 440.0, 0.0, second)
            .iter()
            .enumerate()
            .map(|(n, sample)| 0.3 * sample * (1.0 - n as f32 / second as f32).powi(2))
            .collect();
        for (clip, speed) in [noise(3, second), fades].iter().flat_map(|it| [(it, 1.0), (it, 0.5)])
        {
            let config = Config { voices: 2, max_voices: 2, sample_rate: rate, ..Config::DEFAULT };
            let clip = mono(rate, clip);
            let level = |play: &dyn Fn(&Mixer) -> Option<VoiceId>, frames: usize| {
                let (mixer, mut renderer) = Mixer::offline(config.clone()).expect("a good config");
                let voice = play(&mixer);
                renderer.frames(frames);
                look(&mixer, &mut renderer, voice).level
            };
            let once = |mixer: &Mixer| mixer.play(Play::of(&clip).speed(speed));
            let ended = |mixer: &Mixer| {
                let voice = mixer.play(Play::of(&clip).looping().speed(speed));
                mixer.end_loop(voice);
                voice
            };
            let round = |mixer: &Mixer| mixer.play(Play::of(&clip).looping().speed(speed));
            for frames in [128, second / 2, second - 512] {
                assert_eq!(level(&ended, frames).to_bits(), level(&once, frames).to_bits());
            }
            assert!(level(&round, second - 512) != level(&once, second - 512));
        }
    }
}

/// The same when it is told late: the loop that is about to be over goes before one that is not.
#[test]
fn an_ended_loop_near_its_end_goes_first() {
    let (mixer, mut renderer) = open(2, 8);
    let clip = mono(RATE, &[0.5; 4096]);
    let ending = mixer.play(Play::of(&clip).looping().tag(1));
    mixer.play(Play::of(&clip).looping().gain(0.5).tag(2));
    renderer.frames(1024);
    mixer.end_loop(ending);
    renderer.frames(4096 - 1024 - 384);
    let by = mixer.play(steady(0.1, 3)).expect("room");
    renderer.frames(128);
    // It still parks, as the loop that was asked for does.
    let events = seen(&mixer);
    assert!(
        matches!(events[..], [Seen::Parked(1, Parking::Stolen { by: thief, level, .. })]
            if thief == by && level < 0.3),
        "{events:?}"
    );
}

/// A voice, or its bus, that fades into a pause over a long time counts for what is left of it, and
/// on its way back for what it is going to be.
#[test]
fn a_long_pause_counts_as_it_falls() {
    let full = 0.5 * 2f32.sqrt();
    let near = |a: f32, b: f32| (a - b).abs() < 1e-2 * full;
    for with_bus in [false, true] {
        let (mixer, mut renderer) = open(2, 8);
        let voice = mixer.play(steady(0.5, 1).bus(BUS));
        let target: Target = if with_bus { BUS.into() } else { voice.into() };
        renderer.frames(256);
        mixer.pause(target, ms(1000));
        renderer.frames(128);
        for tenths in 1..10 {
            renderer.frames(RATE as usize / 10 - 128);
            let level = look(&mixer, &mut renderer, voice).level;
            let expected = full * (1.0 - tenths as f32 / 10.0);
            assert!((level - expected).abs() < 0.03 * full, "{tenths}: {level}, {expected}");
        }
        renderer.frames(RATE as usize / 5);
        assert_eq!(look(&mixer, &mut renderer, voice).level, 0.0);
        mixer.resume(target, ms(1000));
        renderer.frames(128);
        assert!(near(look(&mixer, &mut renderer, voice).level, full));
    }
    // So it goes before a voice that was quieter than it when its pause began.
    let (mixer, mut renderer) = open(2, 8);
    let loud = mixer.play(steady(0.5, 1));
    mixer.play(steady(0.2, 2));
    renderer.frames(256);
    mixer.pause(loud, ms(1000));
    renderer.frames(RATE as usize * 7 / 10);
    let by = mixer.play(steady(0.3, 3)).expect("room");
    renderer.frames(128);
    let events = seen(&mixer);
    assert!(
        matches!(events[..], [Seen::Parked(1, Parking::Stolen { by: thief, level, .. })]
            if thief == by && near(level, 0.3 * full)),
        "{events:?}"
    );
    // It was on its way into a pause, and stays there until it is called back.
    mixer.stop(by, ms(0));
    renderer.frames(3 * GUARD);
    assert_eq!(mixer.stats().parked, 1);
    mixer.resume(loud, ms(0));
    renderer.frames(256);
    assert_eq!(mixer.stats().parked, 0);
}
