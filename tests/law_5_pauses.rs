//! Law 5, for what stands still or is silent for a while: pauses and returns with a fade of any
//! length, hurried and turned on their way; mutes; and whatever else is said meanwhile.

#[path = "common/clicks.rs"]
mod clicks;
mod common;

use std::time::Duration;

use clicks::{AFTER, Act, BOUND, BUS, HEARD, HERTZ, RATE, Say, steps};
use common::{bits, mono, noise};
use voicepool::{BusId, Config, Frame, Mixer, Play, Target, VoiceId, WhenStolen, ms};

const ZERO: Duration = Duration::ZERO;
const FADES: [u64; 5] = [0, 1, 5, 50, 1000];
/// The steepest sine and the slowest, where they are steepest and where they are highest.
const PLACES: [(usize, usize); 6] = [(0, 0), (0, 9), (0, 18), (0, 27), (3, 4), (3, 29)];

fn frames(fade: u64) -> usize {
    fade as usize * RATE as usize / 1000
}

/// Who is told: the voice, its bus, or everybody.
#[derive(Clone, Copy, Debug)]
enum Whom {
    Voice,
    Bus,
    Master,
}

const ALL: [Whom; 3] = [Whom::Voice, Whom::Bus, Whom::Master];

impl Whom {
    fn of(self, voice: VoiceId) -> Target {
        match self {
            Whom::Voice => voice.into(),
            Whom::Bus => BUS.into(),
            Whom::Master => BusId::MASTER.into(),
        }
    }
}

fn pause(whom: Whom, fade: u64) -> impl Fn(&Mixer, VoiceId) {
    move |mixer, voice| mixer.pause(whom.of(voice), ms(fade))
}

fn resume(whom: Whom, fade: u64) -> impl Fn(&Mixer, VoiceId) {
    move |mixer, voice| mixer.resume(whom.of(voice), ms(fade))
}

fn mute(whom: Whom, mute: bool) -> impl Fn(&Mixer, VoiceId) {
    move |mixer, voice| mixer.set_mute(whom.of(voice), mute)
}

/// Sines at some phases, changed as `acts` say, keep to the bound, and are heard before.
fn smooth(what: &str, play: &dyn Fn(Play) -> Play, acts: &[Act], after: usize) -> f32 {
    let mut worst = 0.0f32;
    for (hertz, phase) in PLACES {
        let [left, right] = steps(hertz, phase, play, acts, after);
        let ratio = left.max(right);
        assert!(
            (HEARD..=BOUND).contains(&ratio),
            "{what}: {ratio} of its own, {} Hz, {phase}/64",
            HERTZ[hertz]
        );
        worst = worst.max(ratio);
    }
    worst
}

fn as_it_is(play: Play) -> Play {
    play
}

/// Whatever the fades, from start to end.
#[test]
fn a_pause_and_a_return_of_any_fade_do_not_click() {
    let mut worst = 0.0f32;
    for (whom, down, up) in ALL
        .into_iter()
        .flat_map(|it| FADES.into_iter().flat_map(move |a| FADES.map(|b| (it, a, b))))
    {
        let (pause, resume) = (pause(whom, down), resume(whom, up));
        let there = frames(down) + AFTER;
        let acts: [Act; 2] = [(0, &pause), (there, &resume)];
        let what = format!("{whom:?}: down over {down} ms, up over {up} ms");
        worst = worst.max(smooth(&what, &as_it_is, &acts, frames(up) + AFTER));
    }
    println!("at worst {worst:.3}");
}

/// A pause, or a return, that is under way is hurried by a shorter one, and turned by the opposite:
/// at its beginning, on its way and near its end.
#[test]
fn a_fade_that_is_hurried_or_turned_does_not_click() {
    let mut worst = 0.0f32;
    for whom in ALL {
        for (first, second) in [(50, 0), (50, 7), (1000, 0), (20, 1000), (0, 50), (0, 0)] {
            for apart in [0, 128, 512, 896] {
                let (down, up) = (pause(whom, first), resume(whom, first));
                let (down_again, up_again) = (pause(whom, second), resume(whom, second));
                let stood = AFTER + apart + frames(first.min(60));
                let turns: [(&str, &[Act]); 4] = [
                    ("hurried down", &[(0, &down), (apart, &down_again)]),
                    ("turned up", &[(0, &down), (apart, &up_again)]),
                    ("hurried up", &[(0, &down), (stood, &up), (stood + apart, &up_again)]),
                    ("turned down", &[(0, &down), (stood, &up), (stood + apart, &down_again)]),
                ];
                for (turn, acts) in turns {
                    let what =
                        format!("{whom:?}: {turn} over {first} ms, then {second}, {apart} apart");
                    worst = worst.max(smooth(&what, &as_it_is, acts, frames(50) + AFTER));
                }
            }
        }
    }
    println!("at worst {worst:.3}");
}

/// Muted, and heard again, also before it was silent.
#[test]
fn a_mute_does_not_click() {
    let mut worst = 0.0f32;
    for whom in ALL {
        let (off, on) = (mute(whom, true), mute(whom, false));
        for apart in [0, 128, 256, 512] {
            let acts: [Act; 4] = [(0, &off), (apart, &on), (2 * apart, &off), (3 * apart, &on)];
            let what = format!("{whom:?}, {apart} apart");
            worst = worst.max(smooth(&what, &as_it_is, &acts, AFTER));
        }
    }
    println!("at worst {worst:.3}");
}

fn rob(mixer: &Mixer, _: VoiceId) {
    mixer.play(mono(RATE, &[0.0; 300]));
}

/// While it is fading into a pause, long or short, a sine may be robbed, stopped, moved, muted; or
/// its pool may shrink.
#[test]
fn whatever_meets_a_pause_on_its_way_does_not_click() {
    let acts: [(&str, Say); 13] = [
        ("theft", &rob),
        ("resize", &|mixer, _| mixer.resize(1).expect("it fits")),
        ("seek", &|mixer, voice| mixer.seek(voice, ms(33))),
        ("stop", &|mixer, voice| mixer.stop(voice, ZERO)),
        ("slow stop", &|mixer, voice| mixer.stop(voice, ms(700))),
        ("stop_all", &|mixer, _| mixer.stop_all(ZERO)),
        ("mute", &mute(Whom::Voice, true)),
        ("mute of the bus", &mute(Whom::Bus, true)),
        ("gain 0", &|mixer, voice| mixer.set_gain(voice, 0.0, ZERO)),
        ("pause of the bus", &pause(Whom::Bus, 0)),
        ("resume", &resume(Whom::Voice, 0)),
        ("end_loop", &|mixer, voice| mixer.end_loop(voice)),
        ("speed", &|mixer, voice| mixer.set_speed(voice, 0.8, ZERO)),
    ];
    let ends: fn(Play) -> Play = |play| play.when_stolen(WhenStolen::End);
    let mut worst = 0.0f32;
    for whom in ALL {
        for fade in [0, 11, 300, 1000] {
            let (pause, resume) = (pause(whom, fade), resume(whom, 0));
            for (name, act) in acts {
                for apart in [0, 128, 768] {
                    let again = frames(20) + AFTER + apart;
                    let acts: [Act; 3] = [(0, &pause), (apart, act), (again, &resume)];
                    let what = format!("{name}, {apart} frames into {whom:?} over {fade} ms");
                    let parks = smooth(&what, &as_it_is, &acts, AFTER);
                    worst = worst.max(parks).max(smooth(&what, &ends, &acts, AFTER));
                }
            }
        }
    }
    println!("at worst {worst:.3}");
}

/// A mixer at a toy rate, where 5 ms are five frames and every expectation is mental arithmetic.
fn toy() -> (Mixer, voicepool::Renderer) {
    let config = Config { sample_rate: 1000, ..Config::DEFAULT };
    Mixer::offline(config).expect("a good config")
}

/// The fade is a straight line of just so many frames, of the sound that goes on beneath it. Then it
/// stands still, on the frame it has come to, and goes on from there in a straight line as long.
#[test]
fn time_goes_on_during_a_fade_and_stands_still_after_it() {
    let clip: Vec<f32> = (0..4000).map(|n| 0.5 + n as f32 / 16_384.0).collect();
    for whom in ALL {
        for (down, up) in [(0, 0), (1, 3), (5, 6), (7, 200), (200, 7), (1000, 300)] {
            let (mixer, mut renderer) = toy();
            let voice = mixer.play(Play::of(mono(1000, &clip)).bus(BUS)).expect("room");
            let mut heard = renderer.frames(128);
            mixer.pause(whom.of(voice), ms(down));
            heard.extend(renderer.frames(1280));
            mixer.resume(whom.of(voice), ms(up));
            heard.extend(renderer.frames(1280));
            let (down, up) = (down.max(5) as usize, up.max(5) as usize);
            let (paused, resumed) = (256, 1408 + 128);
            let stood = paused + down;
            for (n, frame) in heard.iter().enumerate() {
                let (index, gain) = match n {
                    _ if n < paused => (n, 1.0),
                    _ if n < stood => (n, 1.0 - (n - paused) as f32 / down as f32),
                    _ if n < resumed => (0, 0.0),
                    _ => (n - resumed + stood, ((n - resumed) as f32 / up as f32).min(1.0)),
                };
                let off = (frame[0] - gain * clip[index]).abs();
                let exact = gain == 0.0 || gain == 1.0;
                assert!(
                    if exact { off == 0.0 } else { off < 1e-6 },
                    "{whom:?} over {down} and {up}: off by {off} on frame {n}"
                );
            }
        }
    }
}

/// A shorter fade hurries the one under way from where it has come to; a longer one changes nothing.
#[test]
fn a_second_fade_may_hurry_the_first_and_never_holds_it_up() {
    let clip = mono(1000, &[0.5; 8000]);
    // How long the first is, and the second, said 128 frames later; and how long it takes in all.
    for (first, second, all) in [
        (1000, 100, 128 + 100),
        (1000, 0, 128 + 5),
        (300, 1000, 300),
        (300, 172, 300),
        (300, 171, 299),
        (0, 0, 5),
    ] {
        for whom in ALL {
            let (mixer, mut renderer) = toy();
            let voice = mixer.play(Play::of(&clip).bus(BUS)).expect("room");
            let mut silent = |change: &dyn Fn(&Mixer, u64), sounds: bool| {
                renderer.frames(128);
                change(&mixer, first);
                renderer.frames(128);
                change(&mixer, second);
                // From the line on which the first acted.
                let heard = renderer.frames(2048);
                let there = if sounds { [0.5; 2] } else { [0.0; 2] };
                let first = heard.iter().position(|frame| *frame == there).expect("it arrives");
                assert!(heard[first..].iter().all(|frame| *frame == there));
                first
            };
            let pause = |mixer: &Mixer, fade| mixer.pause(whom.of(voice), ms(fade));
            let resume = |mixer: &Mixer, fade| mixer.resume(whom.of(voice), ms(fade));
            assert_eq!(silent(&pause, false), all, "{whom:?}: {first}, then {second}");
            assert_eq!(silent(&resume, true), all, "{whom:?}: {first}, then {second}");
        }
    }
}

/// The longest fades there are do what they say: next to nothing, until they are hurried.
#[test]
fn an_endless_fade_can_be_hurried() {
    let clip = mono(1000, &[0.5; 50]);
    for whom in ALL {
        let (mixer, mut renderer) = toy();
        let voice = mixer.play(Play::of(&clip).looping().bus(BUS)).expect("room");
        renderer.frames(128);
        mixer.pause(whom.of(voice), Duration::MAX);
        let heard = renderer.frames(4992);
        assert!(heard.iter().all(|frame| frame[0] > 0.499), "{whom:?}");
        mixer.pause(whom.of(voice), ms(9));
        renderer.frames(128 + 128);
        assert_eq!(renderer.frames(4992), [[0.0; 2]; 4992], "{whom:?}");
        mixer.resume(whom.of(voice), Duration::MAX);
        let heard = renderer.frames(4992);
        assert!(heard.iter().all(|frame| frame[0] < 0.001), "{whom:?}");
        mixer.resume(whom.of(voice), ms(0));
        renderer.frames(128 + 128);
        assert_eq!(renderer.frames(4992), [[0.5; 2]; 4992], "{whom:?}");
    }
}

/// A mute is a gain of its own: time goes on beneath it, and so does the other gain.
#[test]
fn a_mute_is_a_gain_of_its_own() {
    let clip: Vec<f32> = (0..4000).map(|n| 0.25 + n as f32 / 16_384.0).collect();
    for whom in ALL {
        let (mixer, mut renderer) = toy();
        let voice = mixer.play(Play::of(mono(1000, &clip)).bus(BUS)).expect("room");
        let mut heard = renderer.frames(128);
        mixer.set_mute(whom.of(voice), true);
        heard.extend(renderer.frames(512));
        mixer.set_gain(whom.of(voice), 0.5, ms(100));
        heard.extend(renderer.frames(512));
        mixer.set_mute(whom.of(voice), false);
        heard.extend(renderer.frames(512));
        for (n, frame) in heard.iter().enumerate() {
            let gain = match n {
                0..256 => 1.0,
                256..1280 => 1.0 - (n - 256) as f32 / 5.0,
                _ => 0.5 * ((n - 1280) as f32 / 5.0).min(1.0),
            };
            let expected = gain.max(0.0) * clip[n];
            assert!((frame[0] - expected).abs() < 1e-6, "{whom:?}, frame {n}: {frame:?}");
        }
        assert_eq!(heard[1600], [0.5 * clip[1600]; 2]);
    }
}

/// Paused or muted before its frame has come, a play begins so; and if that was taken back, it
/// begins as if nothing had been said: its first frame is its author's.
#[test]
fn what_waits_begins_as_it_was_left() {
    let clip = noise(3, 600);
    let as_it_is: Vec<Frame> = clip.iter().map(|sample| [*sample; 2]).collect();
    for fade in [0, 50, 5000] {
        let said: [(&str, Say, Say); 2] = [
            ("pause", &pause(Whom::Voice, fade), &resume(Whom::Voice, fade)),
            ("mute", &mute(Whom::Voice, true), &mute(Whom::Voice, false)),
        ];
        for (what, shut, open) in said {
            for taken_back in [false, true] {
                let (mixer, mut renderer) = toy();
                let voice = mixer.play(Play::of(mono(1000, &clip)).start_at(700)).expect("room");
                renderer.frames(128);
                shut(&mixer, voice);
                renderer.frames(128);
                if taken_back {
                    open(&mixer, voice);
                }
                renderer.frames(700 - 256);
                let heard = renderer.frames(600);
                if taken_back {
                    assert!(bits(&heard) == bits(&as_it_is), "{what} over {fade} taken back");
                } else {
                    assert_eq!(heard, [[0.0; 2]; 600], "{what} over {fade}");
                    assert_eq!(mixer.is_live(voice), what == "pause");
                }
            }
        }
    }
}
