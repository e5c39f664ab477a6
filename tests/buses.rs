//! What buses do to a sound, measured from outside: filters, rooms, ducks, slow motion, and what is exact.

mod common;

use std::f64::consts::{PI, TAU};
use std::time::Duration;

use common::{bits, mono, noise, sine};
use voicepool::{
    Bus, BusId, Config, Duck, Effect, Frame, Mixer, Play, Renderer, Reverb, RoomId, Target,
    WhenStolen, ms, secs,
};

const RATE: u32 = 48_000;
const ZERO: Duration = Duration::ZERO;
const OFF: f32 = 20_000.0;
const OPEN: f32 = 20.0;
const WORLD: BusId = BusId::new(1);
const SPEECH: BusId = BusId::new(2);
const ABOVE: BusId = BusId::new(3);
const ROOM: RoomId = RoomId::new(0);
const QUANTUM: usize = 128;

fn open() -> (Mixer, Renderer) {
    let sizes = Config { voices: 4, max_voices: 4, parked: 4, scheduled: 8, ..Config::DEFAULT };
    Mixer::offline(Config { commands: 64, ..sizes }).expect("a good config")
}

/// What comes out on the left.
fn left(frames: &[Frame]) -> Vec<f64> {
    frames.iter().map(|frame| f64::from(frame[0])).collect()
}

fn power(samples: &[f64]) -> f64 {
    samples.iter().map(|sample| sample * sample).sum::<f64>() / samples.len() as f64
}

/// One frame of a half, and silence behind it.
fn click(frames: usize) -> voicepool::Sound {
    let mut samples = vec![0.0; frames];
    samples[0] = 0.5;
    mono(RATE, &samples)
}

/// The gain at a frequency of what answers a click of a half, in decibels.
fn gain_at(answer: &[f64], hertz: f64) -> f64 {
    let (mut real, mut imaginary) = (0.0, 0.0);
    for (n, sample) in answer.iter().enumerate() {
        let (sin, cos) = (TAU * hertz * n as f64 / f64::from(RATE)).sin_cos();
        real += sample * cos;
        imaginary += sample * sin;
    }
    10.0 * (4.0 * (real * real + imaginary * imaginary)).log10()
}

/// The filters of a bus, of the master and of a voice are Butterworth's of 12 dB an octave, bent by the
/// bilinear transform: at twelve cut-offs, around each, and down to -60 dB.
#[test]
fn filters_are_within_a_fifth_of_a_decibel_of_butterworths() {
    let bent = |hertz: f64| (PI * hertz / f64::from(RATE)).tan();
    let cut_offs: [f32; 12] =
        [60.0, 100.0, 166.0, 276.0, 458.0, 761.0, 1265.0, 2102.0, 3493.0, 5806.0, 9649.0, 16_000.0];
    let mut worst = 0.0f64;
    for cut_off in cut_offs {
        for on in [None, Some(WORLD), Some(BusId::MASTER)] {
            for high in [false, true] {
                let (mixer, mut renderer) = open();
                let voice = mixer.play(Play::of(click(12_000)).bus(WORLD));
                let target = on.map_or(Target::from(voice), Target::from);
                if high {
                    mixer.set_high_pass(target, cut_off, ZERO);
                } else {
                    mixer.set_low_pass(target, cut_off, ZERO);
                }
                let answer = left(&renderer.frames(12_000));
                for octaves in [-3.0, -1.0, -0.3, 0.0, 0.3, 1.0, 3.0] {
                    let hertz = f64::from(cut_off) * f64::exp2(octaves);
                    if !(30.0..23_000.0).contains(&hertz) {
                        continue;
                    }
                    let ratio = bent(hertz) / bent(cut_off.into());
                    let ratio = if high { 1.0 / ratio } else { ratio };
                    let expected = -10.0 * (1.0 + ratio.powi(4)).log10();
                    if expected < -60.0 {
                        continue;
                    }
                    let off = (gain_at(&answer, hertz) - expected).abs();
                    worst = worst.max(off);
                    assert!(off < 0.2, "{on:?} at {cut_off} Hz, high {high}: {off} dB at {hertz}");
                }
            }
        }
    }
    println!("filters: at worst {worst:.4} dB off");
}

/// Off is exact: before anything is heard, and again once a filter, a send or an effect that was on is off.
#[test]
fn what_is_off_changes_no_bit() {
    let hiss = mono(RATE, &noise(1, 9600));
    let heard = |say: &dyn Fn(&Mixer), stop: &dyn Fn(&Mixer)| {
        let (mixer, mut renderer) = open();
        mixer.set_gain(WORLD, 0.7, ZERO);
        mixer.play(Play::of(&hiss).looping().bus(WORLD).gain(0.3).pan(0.4).speed(1.3));
        renderer.frames(1024);
        say(&mixer);
        let changed = renderer.frames(4096);
        stop(&mixer);
        renderer.frames(20_480);
        (bits(&changed), bits(&renderer.frames(8192)))
    };
    let (while_on, then) = heard(&|_| (), &|_| ());
    type Say<'a> = &'a dyn Fn(&Mixer);
    let cases: [(&str, Say, Say); 5] = [
        ("low-pass", &|it| it.set_low_pass(WORLD, 500.0, ms(9)), &|it| {
            it.set_low_pass(WORLD, OFF, ms(9));
        }),
        ("high-pass", &|it| it.set_high_pass(WORLD, 500.0, ms(9)), &|it| {
            it.set_high_pass(WORLD, OPEN, ms(9));
        }),
        ("master", &|it| it.set_low_pass(BusId::MASTER, 500.0, ms(9)), &|it| {
            it.set_low_pass(BusId::MASTER, OFF, ms(9));
        }),
        (
            "effect",
            &|it| it.set_effect(WORLD, Some(Box::new(Times(0.1)))).expect("it can cross"),
            &|it| it.set_effect(WORLD, None).expect("it can cross"),
        ),
        (
            "send",
            &|it| {
                it.set_reverb(ROOM, Reverb { decay: ms(50), ..Reverb::DEFAULT }, ZERO);
                it.set_send(WORLD, ROOM, 0.5, ms(9));
            },
            &|it| it.set_send(WORLD, ROOM, 0.0, ms(9)),
        ),
    ];
    for (what, on, off) in cases {
        let (changed, after) = heard(on, off);
        assert!(changed != while_on, "{what} is heard");
        assert!(after == then, "{what} is off to the bit");
    }
    let nothing = |it: &Mixer| {
        it.set_low_pass(WORLD, OFF, ms(9));
        it.set_high_pass(WORLD, f32::NAN, ms(9));
    };
    let (changed, after) = heard(&nothing, &nothing);
    assert!(changed == while_on && after == then, "what was off stays off");
}

/// Multiplies.
struct Times(f32);

impl Effect for Times {
    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        left.iter_mut().chain(right).for_each(|sample| *sample *= self.0);
    }

    fn is_silent(&self) -> bool {
        true
    }
}

/// A band-pass of a third of an octave or so, run twice.
fn band(samples: &[f64], hertz: f64) -> Vec<f64> {
    let turn = TAU * hertz / f64::from(RATE);
    let alpha = turn.sin() / (2.0 * 3.0);
    let a0 = 1.0 + alpha;
    let (b0, a1, a2) = (alpha / a0, -2.0 * turn.cos() / a0, (1.0 - alpha) / a0);
    let mut samples = samples.to_vec();
    for _ in 0..2 {
        let [mut x1, mut x2, mut y1, mut y2] = [0.0; 4];
        for sample in &mut samples {
            let y = b0 * (*sample - x2) - a1 * y1 - a2 * y2;
            (x2, x1, y2, y1) = (x1, *sample, y1, y);
            *sample = y;
        }
    }
    samples
}

/// How long it takes to fall by 60 dB, from the slope between -5 and -30 dB of what is still to come.
fn decay(samples: &[f64]) -> f64 {
    let mut rest = 0.0;
    let mut energy: Vec<f64> = samples
        .iter()
        .rev()
        .map(|sample| {
            rest += sample * sample;
            rest
        })
        .collect();
    energy.reverse();
    let below =
        |db: f64| energy.iter().position(|it| *it < energy[0] * 10f64.powf(db / 10.0)).unwrap_or(0);
    (below(-30.0) - below(-5.0)) as f64 / f64::from(RATE) * 60.0 / 25.0
}

/// Without damping a room decays as it was asked to at every frequency, whatever its size; sent to by a
/// voice or by a bus.
#[test]
fn a_room_decays_as_it_was_asked_to() {
    for (decay_time, size) in [(0.5, 0.2), (1.2, 0.5), (1.2, 1.0), (3.0, 0.8)] {
        for by_bus in [false, true] {
            let (mixer, mut renderer) = open();
            let time = secs(decay_time);
            let reverb = Reverb { decay: time, size, damping: 0.0, ..Reverb::DEFAULT };
            mixer.set_reverb(ROOM, reverb, ZERO);
            let mut play = Play::of(click(1)).bus(WORLD);
            if by_bus {
                mixer.set_send(WORLD, ROOM, 1.0, ZERO);
            } else {
                play = play.send(ROOM, 1.0);
            }
            mixer.play(play);
            // The click itself is not the room's.
            let answer = left(&renderer.frames((decay_time * 1.2 * RATE as f32) as usize));
            for hertz in [250.0, 1000.0, 4000.0] {
                let measured = decay(&band(&answer[240..], hertz));
                let ratio = measured / time.as_secs_f64();
                println!("{decay_time} s, size {size}, {hertz} Hz: {measured:.3} s");
                assert!((0.9..1.1).contains(&ratio), "{hertz} Hz: {measured} of {decay_time} s");
            }
        }
    }
}

/// What a bus under a duck is multiplied by, frame by frame, while a script runs.
fn ducked(ducks: &[(BusId, Duck)], frames: usize, script: impl Fn(&Mixer)) -> Vec<f64> {
    let (mixer, mut renderer) = open();
    mixer.play(Play::of(mono(RATE, &[0.5; 480])).looping().bus(WORLD));
    for (by, duck) in ducks {
        mixer.set_duck(WORLD, *by, Some(*duck)).expect("no circle");
    }
    renderer.frames(1024);
    script(&mixer);
    left(&renderer.frames(frames)).iter().map(|sample| sample * 2.0).collect()
}

fn near(a: usize, b: usize) -> bool {
    a.abs_diff(b) <= QUANTUM
}

/// A line of 300 ms that begins at once: the bus goes down within the attack, waits for the hold behind its
/// end, and comes up within the release, each within a quantum.
#[test]
fn a_duck_keeps_its_depth_and_its_times() {
    let line = mono(RATE, &[0.0; 14_400]);
    let slow = Duck { gain: 0.1, attack: ms(120), hold: ms(300), release: ms(900) };
    for duck in [Duck::DEFAULT, slow] {
        let [attack, hold, release] =
            [duck.attack, duck.hold, duck.release].map(|time| time.as_millis() as usize * 48);
        let gains = ducked(&[(SPEECH, duck)], 100_000, |mixer| {
            mixer.play(Play::of(&line).bus(SPEECH));
        });
        let deep = f64::from(duck.gain);
        let begins = gains.iter().position(|gain| *gain < 1.0).expect("it goes down");
        let down = gains.iter().position(|gain| *gain < deep + 1e-7).expect("all the way");
        let up = down + gains[down..].iter().position(|gain| *gain > deep + 1e-7).expect("and up");
        let back = up + gains[up..].iter().position(|gain| *gain == 1.0).expect("all the way");
        assert!(begins <= 2 * QUANTUM, "{begins}");
        assert!(near(down - begins, attack), "attack: {}", down - begins);
        // The line began when the duck did.
        assert!(near(up - begins, 14_400 + hold), "hold: {}", up - begins - 14_400);
        assert!(near(back - up, release), "release: {}", back - up);
        assert!(gains[down..up].iter().all(|gain| (gain - deep).abs() < 1e-4));
        assert!(gains[back + 128..].iter().all(|gain| *gain == 1.0), "exactly as before");
    }
}

/// A line that is scheduled finds the bus all the way down, by its frame or by a delay, in slow motion too;
/// and not sooner than it must be.
#[test]
fn the_duck_is_down_when_a_scheduled_line_begins() {
    let line = |sample| mono(RATE, &[sample; 14_400]);
    let attack = 2400;
    for (delayed, speed) in [(false, 1.0), (true, 1.0), (true, 0.5), (true, 1.7)] {
        for after in [4800u64, 10_000, 12_345] {
            let say = |mixer: &Mixer, sample: f32| {
                mixer.set_speed(SPEECH, speed, ZERO);
                let play = Play::of(line(sample)).bus(SPEECH);
                let by = Duration::from_secs_f64(after as f64 / f64::from(RATE));
                let at = mixer.clock() + after;
                mixer.play(if delayed { play.delay(by) } else { play.start_at(at) });
            };
            let gains = ducked(&[(SPEECH, Duck::DEFAULT)], 60_000, |mixer| say(mixer, 0.0));
            // The same alone, to know on which frame it begins.
            let (mixer, mut renderer) = open();
            renderer.frames(1024);
            say(&mixer, 0.5);
            let alone = left(&renderer.frames(60_000));
            let begins = alone.iter().position(|sample| *sample != 0.0).expect("it begins");
            assert!(gains[begins] < 0.35 + 1e-7, "{after} at {speed}: {}", gains[begins]);
            let bows = gains.iter().position(|gain| *gain < 1.0).expect("it goes down");
            let early = (begins - attack).saturating_sub(bows);
            assert!(early <= 2 * QUANTUM, "{after} at {speed}: {early} frames early");
        }
    }
}

/// Two ducks multiply, and a line that cannot be heard ducks nothing.
#[test]
fn ducks_multiply_and_hear_only_what_can_be_heard() {
    let line = mono(RATE, &[0.0; 48_000]);
    let duck = Duck { attack: ms(10), ..Duck::DEFAULT };
    let other = Duck { gain: 0.5, ..duck };
    let gains = ducked(&[(SPEECH, duck), (ABOVE, other)], 9600, |mixer| {
        mixer.play(Play::of(&line).bus(SPEECH));
        mixer.play(Play::of(&line).bus(ABOVE));
    });
    assert!((gains[4800] - 0.35 * 0.5).abs() < 1e-4, "{}", gains[4800]);
    type Unheard = fn(&Mixer, Play);
    let cases: [(&str, Unheard); 6] = [
        ("gain 0", |mixer, play| _ = mixer.play(play.gain(0.0))),
        ("muted bus", |mixer, play| {
            mixer.set_mute(SPEECH, true);
            mixer.play(play);
        }),
        ("bus at 0", |mixer, play| {
            mixer.set_gain(SPEECH, 0.0, ZERO);
            mixer.play(play);
        }),
        ("parent at 0", |mixer, play| {
            mixer.set_gain(ABOVE, 0.0, ZERO);
            mixer.set_bus(SPEECH, Bus { parent: ABOVE, ..Bus::DEFAULT }).expect("no circle");
            mixer.play(play);
        }),
        ("paused bus", |mixer, play| {
            mixer.pause(SPEECH, ZERO);
            mixer.play(play);
        }),
        ("muted", |mixer, play| {
            let voice = mixer.play(play.delay(ms(40)));
            mixer.set_mute(voice, true);
        }),
    ];
    let mut wrong = Vec::new();
    for (what, case) in cases {
        for after in [0, 50] {
            let play = Play::of(&line).bus(SPEECH).delay(ms(after));
            let gains = ducked(&[(SPEECH, duck)], 9600, |mixer| case(mixer, play.clone()));
            if gains.iter().any(|gain| *gain != 1.0) {
                wrong.push(format!("{what}, after {after} ms"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// A bus is paused: its voices stand still within 5 ms, its room rings on, falls as it was asked to, and is
/// then silent to the bit. With the bus of the room's sender muted it rings on as well.
#[test]
fn a_room_rings_out_when_the_world_is_paused() {
    type Hush = fn(&Mixer);
    let hushes: [Hush; 3] = [
        |mixer| mixer.pause(WORLD, ZERO),
        |mixer| mixer.pause(ABOVE, ZERO),
        |mixer| mixer.set_mute(WORLD, true),
    ];
    for hush in hushes {
        let (mixer, mut renderer) = open();
        mixer.set_bus(WORLD, Bus { parent: ABOVE, ..Bus::DEFAULT }).expect("no circle");
        let reverb = Reverb { decay: ms(600), damping: 0.0, ..Reverb::DEFAULT };
        mixer.set_reverb(ROOM, reverb, ZERO);
        mixer.set_send(WORLD, ROOM, 1.0, ZERO);
        let hiss = mono(RATE, &noise(1, 48_000));
        mixer.play(Play::of(&hiss).looping().bus(WORLD).gain(0.2));
        let before = power(&left(&renderer.frames(48_000))[40_000..]);
        hush(&mixer);
        renderer.frames(1024);
        let rest = left(&renderer.frames(4 * 48_000));
        // Wet alone is half of wet and dry; then 10 dB in a tenth of a second.
        let at = |ms: usize| power(&rest[48 * ms..48 * (ms + 30)]);
        let falls = [10.0 * (at(0) / before).log10(), 10.0 * (at(200) / at(0)).log10()];
        assert!((-9.0..-2.0).contains(&falls[0]), "{falls:?}");
        assert!((-23.0..-17.0).contains(&falls[1]), "{falls:?}");
        assert!(rest[3 * 48_000..].iter().all(|sample| *sample == 0.0), "silent in the end");
    }
}

/// The master sends to no room: rooms return into it.
#[test]
fn the_master_sends_nothing() {
    let heard = |send: f32| {
        let (mixer, mut renderer) = open();
        mixer.set_reverb(ROOM, Reverb::DEFAULT, ZERO);
        mixer.set_send(BusId::MASTER, ROOM, send, ZERO);
        mixer.play(Play::of(mono(RATE, &noise(1, 4800))));
        assert_eq!(mixer.bus(BusId::MASTER).sends, [0.0; RoomId::COUNT]);
        bits(&renderer.frames(24_000))
    };
    assert!(heard(1.0) == heard(0.0));
}

/// What the master's slider does to dry sound, it does to rooms.
#[test]
fn rooms_return_into_the_master() {
    let heard = |filter: bool, gain: f32| {
        let (mixer, mut renderer) = open();
        mixer.set_reverb(ROOM, Reverb::DEFAULT, ZERO);
        mixer.set_gain(BusId::MASTER, gain, ZERO);
        if filter {
            mixer.set_low_pass(BusId::MASTER, 60.0, ZERO);
        }
        mixer.play(Play::of(mono(RATE, &noise(1, 480))).send(ROOM, 1.0));
        power(&left(&renderer.frames(24_000))[4800..])
    };
    let (whole, half, dull) = (heard(false, 1.0), heard(false, 0.5), heard(true, 1.0));
    assert!((whole / half - 4.0).abs() < 1e-3, "{whole}, {half}");
    assert!(dull < whole / 100.0, "{whole}, {dull}");
    assert_eq!(heard(false, 0.0), 0.0);
    assert_eq!(heard(true, 0.0), 0.0);
}

/// A room of 12 s decays for a minute: no number with few bits left comes out on the way to silence, nor does
/// silence come late. So does a filter at 20 Hz.
#[test]
fn a_room_that_decays_for_a_minute_gives_no_subnormal_number() {
    let config = Config { voices: 2, sample_rate: 16_000, ..Config::DEFAULT };
    let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
    let reverb = Reverb { decay: secs(9.0), size: 1.0, ..Reverb::DEFAULT };
    mixer.set_reverb(ROOM, reverb, ZERO);
    mixer.set_low_pass(WORLD, 21.0, ZERO);
    mixer.play(Play::of(mono(16_000, &noise(1, 8000))).bus(WORLD).send(ROOM, 0.5).low_pass(30.0));
    let mut last = 0;
    for n in 0..600 {
        let frames = renderer.frames(1600);
        for sample in frames.iter().flatten() {
            assert!(*sample == 0.0 || sample.is_normal(), "{sample:e}");
            last = if *sample == 0.0 { last } else { n };
        }
    }
    println!("silent after {:.1} s", f64::from(last) / 10.0);
    assert!((300..590).contains(&last), "{last}");
}

/// At half the speed of its bus a tone is an octave lower, and a delay takes twice as long; with the speeds
/// of the buses above multiplied.
#[test]
fn slow_motion_halves_pitch_and_doubles_delays() {
    for (bus, above, pace) in [(0.5, 1.0, 0.5), (1.0, 0.5, 0.5), (0.5, 0.5, 0.25), (2.0, 1.0, 2.0)]
    {
        let (mixer, mut renderer) = open();
        mixer.set_bus(WORLD, Bus { parent: ABOVE, ..Bus::DEFAULT }).expect("no circle");
        mixer.set_speed(WORLD, bus, ZERO);
        mixer.set_speed(ABOVE, above, ZERO);
        renderer.frames(1024);
        let tone: Vec<f32> = sine(RATE, 1000.0, 0.01, 48_000).iter().map(|it| it * 0.5).collect();
        mixer.play(Play::of(mono(RATE, &tone)).looping().bus(WORLD).delay(ms(100)));
        let heard = left(&renderer.frames(96_000));
        let begins = heard.iter().position(|sample| *sample != 0.0).expect("it begins");
        assert!(begins.abs_diff((4800.0 / pace) as usize) <= 2 * QUANTUM, "{begins} at {pace}");
        let turns = heard[begins..begins + 48_000]
            .windows(2)
            .filter(|pair| pair[0] < 0.0 && pair[1] >= 0.0)
            .count();
        assert!(turns.abs_diff((1000.0 * pace) as usize) <= 1, "{turns} Hz at {pace}");
    }
}

/// After everything on the buses was turned, `set_mix` brings them back: all that was set, and every bit.
#[test]
fn a_mix_brings_everything_back_to_the_bit() {
    let hiss = mono(RATE, &noise(1, 9600));
    let heard = |turned: bool| {
        let (mixer, mut renderer) = open();
        mixer.set_reverb(ROOM, Reverb { decay: ms(50), ..Reverb::DEFAULT }, ZERO);
        mixer.set_gain(WORLD, 0.7, ZERO);
        mixer.set_bus(WORLD, Bus { parent: ABOVE, ..Bus::DEFAULT }).expect("no circle");
        mixer.play(Play::of(&hiss).looping().bus(WORLD).gain(0.3));
        renderer.frames(1024);
        let mix = mixer.mix();
        if turned {
            mixer.set_low_pass(WORLD, 300.0, ZERO);
            mixer.set_high_pass(ABOVE, 300.0, ZERO);
            mixer.set_low_pass(BusId::MASTER, 3000.0, ZERO);
            mixer.set_send(WORLD, ROOM, 1.0, ZERO);
            mixer.set_gain(ABOVE, 0.1, ZERO);
            mixer.set_mute(WORLD, true);
            let elsewhere = Bus { parent: SPEECH, max_voices: Some(2), ..Bus::DEFAULT };
            mixer.set_bus(WORLD, elsewhere).expect("no circle");
        }
        let meanwhile = bits(&renderer.frames(4096));
        mixer.set_mix(&mix, ms(30));
        assert_eq!(mixer.mix(), mix);
        renderer.frames(48_000);
        (meanwhile, bits(&renderer.frames(4096)))
    };
    let (turned, plain) = (heard(true), heard(false));
    assert!(turned.0 != plain.0 && turned.1 == plain.1);
}

/// Pauses and speeds come back too.
#[test]
fn a_mix_brings_pauses_and_speeds_back() {
    let (mixer, mut renderer) = open();
    let tone: Vec<f32> = sine(RATE, 1000.0, 0.0, 48_000).iter().map(|it| it * 0.5).collect();
    mixer.play(Play::of(mono(RATE, &tone)).looping().bus(WORLD));
    renderer.frames(1024);
    let mix = mixer.mix();
    mixer.set_speed(WORLD, 0.5, ZERO);
    mixer.pause(BusId::MASTER, ZERO);
    renderer.frames(2048);
    assert_eq!(power(&left(&renderer.frames(1024))), 0.0);
    mixer.set_mix(&mix, ZERO);
    renderer.frames(2048);
    let heard = left(&renderer.frames(48_000));
    let turns = heard.windows(2).filter(|pair| pair[0] < 0.0 && pair[1] >= 0.0).count();
    assert!(turns.abs_diff(1000) <= 1 && (power(&heard) - 0.125).abs() < 1e-3);
}

/// A bus whose effect lets nothing through lets no tail through either: whatever happens to a voice of it,
/// filtered or not, what it leaves behind takes the same way.
#[test]
fn what_a_voice_leaves_behind_goes_through_its_submix() {
    type Act = fn(&Mixer, voicepool::VoiceId);
    let acts: [(&str, Act); 6] = [
        ("theft", |mixer, _| {
            for _ in 0..4 {
                mixer.play(Play::of(mono(RATE, &[0.0; 4800])).priority(voicepool::Priority::High));
            }
        }),
        ("stop", |mixer, voice| mixer.stop(voice, ZERO)),
        ("stop_all", |mixer, _| mixer.stop_all(ZERO)),
        ("seek", |mixer, voice| mixer.seek(voice, ms(33))),
        ("pause and stop", |mixer, voice| {
            mixer.pause(voice, ZERO);
            mixer.stop(voice, ms(20));
        }),
        ("resize", |mixer, _| {
            mixer.resize(1).expect("it fits");
        }),
    ];
    let hiss = mono(RATE, &noise(1, 2400));
    for (what, act) in acts {
        for (low_pass, on) in [(OFF, WORLD), (200.0, WORLD), (200.0, ABOVE)] {
            for then in [WhenStolen::End, WhenStolen::Park] {
                let (mixer, mut renderer) = open();
                mixer.set_bus(WORLD, Bus { parent: ABOVE, ..Bus::DEFAULT }).expect("no circle");
                mixer.set_effect(on, Some(Box::new(Times(0.0)))).expect("it can cross");
                renderer.frames(1024);
                let play = Play::of(&hiss).looping().bus(WORLD).low_pass(low_pass);
                let voice = mixer.play(play.when_stolen(then)).expect("there is room");
                // Another one ends by itself.
                mixer.play(Play::of(&hiss).bus(WORLD).low_pass(low_pass));
                renderer.frames(2000);
                act(&mixer, voice);
                let heard = power(&left(&renderer.frames(9600)));
                assert_eq!(heard, 0.0, "{what}, {low_pass} Hz, {on:?}, {then:?}");
            }
        }
    }
}
