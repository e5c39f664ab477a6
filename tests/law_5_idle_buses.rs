//! Law 5, the other way round: what nobody hears changes at once, so that what is heard next is
//! its author's from the first frame on, or silent from the first frame on.

mod common;

use std::time::Duration;

use common::{bits, mono, noise, sine};
use voicepool::{BusId, Config, Frame, Mixer, Play, Renderer, Sound, ms};

const RATE: u32 = 48_000;
const BUS: BusId = BusId::new(3);
const OTHER: BusId = BusId::new(4);

fn open() -> (Mixer, Renderer) {
    Mixer::offline(Config::default()).expect("a good config")
}

/// What is said to a bus.
type ToBus = fn(&Mixer, BusId);
/// What is said to a mixer, and its name.
type Change = (&'static str, fn(&Mixer));

/// A sound that begins at full scale.
fn bang() -> Sound {
    mono(RATE, &noise(5, 2000))
}

/// The sound as it is.
fn as_it_is(frames: usize) -> Vec<Frame> {
    noise(5, 2000).iter().take(frames).map(|sample| [*sample; 2]).collect()
}

/// From where on something is heard, and that.
fn heard(renderer: &mut Renderer, frames: usize) -> Vec<Frame> {
    let frames = renderer.frames(frames);
    let silent = frames.iter().take_while(|frame| **frame == [0.0; 2]).count();
    frames[silent..].to_vec()
}

/// Muted or paused while nothing sounds, a bus lets nothing through: not of a play that comes with
/// the same line, nor of one that comes later.
#[test]
fn an_idle_bus_is_shut_at_once() {
    let shut: [(&str, ToBus); 4] = [
        ("muted", |mixer, bus| mixer.set_gain(bus, 0.0, ms(0))),
        ("paused", |mixer, bus| mixer.pause(bus, ms(0))),
        ("slowly paused", |mixer, bus| mixer.pause(bus, Duration::MAX)),
        ("muted by a mute", |mixer, bus| mixer.set_mute(bus, true)),
    ];
    for (what, shut) in shut {
        for bus in [BUS, BusId::MASTER] {
            for clock in [0, 128, 1000] {
                for later in [0, 1, 500] {
                    let (mixer, mut renderer) = open();
                    renderer.frames(clock);
                    shut(&mixer, bus);
                    let before = renderer.frames(later);
                    mixer.play(Play::of(bang()).bus(BUS));
                    let after = renderer.frames(2000);
                    let silent = before.iter().chain(&after).all(|frame| *frame == [0.0; 2]);
                    assert!(silent, "{bus:?} was {what} at {clock}, played {later} later");
                }
            }
        }
    }
}

/// Opened again while nothing sounds, the attack of the next sound is whole; also if the sound
/// came first and stood at its beginning.
#[test]
fn an_idle_bus_is_opened_at_once() {
    let open_again: [(&str, ToBus, ToBus); 4] = [
        ("gain", |m, bus| m.set_gain(bus, 0.0, ms(0)), |m, bus| m.set_gain(bus, 1.0, ms(0))),
        ("pause", |m, bus| m.pause(bus, ms(0)), |m, bus| m.resume(bus, ms(0))),
        ("slow pause", |m, bus| m.pause(bus, ms(700)), |m, bus| m.resume(bus, Duration::MAX)),
        ("mute", |m, bus| m.set_mute(bus, true), |m, bus| m.set_mute(bus, false)),
    ];
    for (what, shut, open_it) in open_again {
        for bus in [BUS, BusId::MASTER] {
            for apart in [0, 128, 1000] {
                let (mixer, mut renderer) = open();
                shut(&mixer, bus);
                renderer.frames(1000);
                open_it(&mixer, bus);
                renderer.frames(apart);
                mixer.play(Play::of(bang()).bus(BUS));
                let heard = heard(&mut renderer, 1500);
                let expected = bits(&as_it_is(heard.len()));
                assert!(bits(&heard) == expected, "{what} of {bus:?}, {apart} apart");
            }
            if what.ends_with("pause") {
                let (mixer, mut renderer) = open();
                shut(&mixer, bus);
                mixer.play(Play::of(bang()).bus(BUS));
                assert_eq!(renderer.frames(1000), [[0.0; 2]; 1000]);
                open_it(&mixer, bus);
                let heard = heard(&mut renderer, 1500);
                assert!(bits(&heard) == bits(&as_it_is(heard.len())), "stood on {bus:?}");
            }
        }
    }
}

/// A bus on which something sounds is shut and opened with a ramp, whatever the others do; and so
/// is one whose voices were heard before they were paused with it.
#[test]
fn a_bus_that_sounds_is_not() {
    let tone: Vec<f32> = sine(RATE, 100.0, 0.25, 4800).iter().map(|s| 0.5 * s).collect();
    let own = 0.5 * 2.0 * (std::f64::consts::PI * 100.0 / f64::from(RATE)).sin() as f32;
    let changes: [Change; 9] = [
        ("mute", |mixer| mixer.set_gain(BUS, 0.0, ms(0))),
        ("open", |mixer| mixer.set_gain(BUS, 1.0, ms(0))),
        ("pause", |mixer| mixer.pause(BUS, ms(0))),
        ("resume", |mixer| mixer.resume(BUS, ms(0))),
        ("slow pause", |mixer| mixer.pause(BUS, ms(20))),
        ("slow resume", |mixer| mixer.resume(BUS, ms(20))),
        ("set_mute", |mixer| mixer.set_mute(BUS, true)),
        ("unset mute", |mixer| mixer.set_mute(BUS, false)),
        ("idle", |mixer| mixer.set_gain(OTHER, 0.0, ms(0))),
    ];
    for (first_name, first) in changes {
        for (second_name, second) in changes {
            for apart in [0, 128, 1000] {
                let (mixer, mut renderer) = open();
                mixer.play(Play::of(mono(RATE, &tone)).looping().bus(BUS));
                renderer.frames(1000);
                first(&mixer);
                let mut heard = renderer.frames(apart + 1);
                second(&mixer);
                heard.extend(renderer.frames(1000));
                mixer.resume(BUS, ms(0));
                mixer.set_mute(BUS, false);
                mixer.set_gain(BUS, 1.0, ms(0));
                heard.extend(renderer.frames(1000));
                let steps = heard.windows(2).map(|pair| (pair[1][0] - pair[0][0]).abs());
                let ratio = steps.fold(0.0, f32::max) / own;
                assert!(ratio <= 1.5, "{second_name} {apart} after {first_name}: {ratio}");
            }
        }
    }
}

/// A gain with a time keeps it, though nothing sounds: music fades in with its bus.
#[test]
fn a_gain_with_a_time_keeps_its_time() {
    let (mixer, mut renderer) = open();
    mixer.set_gain(BUS, 0.0, ms(0));
    mixer.set_gain(BUS, 1.0, ms(100));
    mixer.play(Play::of(mono(RATE, &[0.5; 9600])).bus(BUS));
    let heard = renderer.frames(9600);
    assert!((heard[2400][0] - 0.25).abs() < 1e-3, "half-way after 50 ms: {}", heard[2400][0]);
    assert_eq!(heard[4800], [0.5; 2]);
}

/// A voice alone is the same: paused before any of it was heard, or while it stands still with its
/// bus, it is silent at once, however long the fade; and what it begins with is then its author's.
#[test]
fn a_voice_that_nobody_hears_is_paused_at_once() {
    for fade in [ms(0), ms(700), Duration::MAX] {
        for stands in [false, true] {
            let (mixer, mut renderer) = open();
            if stands {
                mixer.pause(BUS, ms(0));
            }
            let voice = mixer.play(Play::of(bang()).bus(BUS));
            if stands {
                renderer.frames(500);
            }
            mixer.pause(voice, fade);
            renderer.frames(128);
            mixer.resume(BUS, fade);
            assert_eq!(renderer.frames(2000), [[0.0; 2]; 2000], "over {fade:?}, stood: {stands}");
            mixer.resume(voice, ms(0));
            let heard = heard(&mut renderer, 1500);
            assert!(bits(&heard) == bits(&as_it_is(heard.len())), "{fade:?}, stood: {stands}");
        }
    }
    // Heard before, and standing with its bus: nothing more is heard of it when that goes on.
    let (mixer, mut renderer) = open();
    let voice = mixer.play(Play::of(mono(RATE, &[0.5; 100])).looping().bus(BUS));
    renderer.frames(500);
    mixer.pause(BUS, ms(0));
    renderer.frames(1000);
    mixer.pause(voice, ms(700));
    mixer.resume(BUS, ms(0));
    assert_eq!(renderer.frames(5000), [[0.0; 2]; 5000]);
}
