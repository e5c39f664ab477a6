//! Law 5 in space: no click where listeners walk, run, spin and jump, where voices jump across the head and in
//! and out of earshot, and where walls come and go at the same time; and nothing flutters on the border.

#[path = "common/clicks.rs"]
mod clicks;
mod common;

use std::f64::consts::{PI, TAU};

use clicks::{BOUND, largest_step};
use common::{Random, mono, sine};
use voicepool::{
    Attenuation, Config, Distance, Event, Listener, Mixer, Parking, Play, Point, Renderer, VoiceId,
    ms,
};

const RATES: [u32; 4] = [48_000, 8_000, 44_100, 96_000];
const HERTZ: [f64; 3] = [100.0, 440.0, 1000.0];
const AMPLITUDE: f32 = 0.25;
/// Hard to a side that side is so loud, and no nearer place is louder.
const LOUDEST: f32 = std::f32::consts::SQRT_2;
const QUANTUM: usize = 128;
/// Sharp: who passes the head is on the other side at once.
const SHARP: Attenuation =
    Attenuation { near: 2.0, far: 20.0, width: 0.01, ..Attenuation::DEFAULT };

fn open(rate: u32) -> (Mixer, Renderer) {
    let sizes = Config { voices: 2, max_voices: 2, parked: 2, scheduled: 2, ..Config::DEFAULT };
    Mixer::offline(Config { sample_rate: rate, ..sizes }).expect("a good config")
}

/// What is said at a second.
type Say<'a> = &'a dyn Fn(&Mixer, VoiceId, f64, &mut Random);

/// The largest step of a sine while something is said every so many frames, in steps of its own where it is
/// loudest.
fn step(
    rate: u32,
    hertz: f64,
    attenuation: Attenuation,
    every: usize,
    walls: bool,
    say: Say,
) -> f32 {
    let (mixer, mut renderer) = open(rate);
    // Whole turns, so that its seam is as smooth as the rest.
    let wave = sine(rate, hertz, 0.13, rate as usize / 10);
    let tone = mono(rate, &wave.iter().map(|sample| AMPLITUDE * sample).collect::<Vec<_>>());
    let play = Play::of(&tone).looping().at([1.0, 0.0, 0.0]).attenuation(attenuation);
    let voice = mixer.play(play).expect("there is room");
    // The beginning is the author's.
    renderer.frames(256);
    let (mut random, mut heard) = (Random(every as u64), Vec::new());
    let mut said = 0;
    while heard.len() < rate as usize * 2 / 5 {
        say(&mixer, voice, heard.len() as f64 / f64::from(rate), &mut random);
        if walls {
            said += 1;
            mixer.set_occlusion(voice, (said % 2) as f32, ms(random.below(9)));
        }
        heard.extend(renderer.frames(every));
    }
    assert!(mixer.stats().peak.iter().all(|peak| *peak < 1.0), "the ceiling stays out of it");
    assert!(heard.iter().flatten().any(|sample| sample.abs() > 0.05), "it is heard");
    let own = AMPLITUDE * LOUDEST * (2.0 * (PI * hertz / f64::from(rate)).sin()) as f32;
    let [left, right] = largest_step(&heard);
    left.max(right) / own
}

/// Sines of several pitches at several rates keep to the bound, with a move in every frame of the game and
/// with one on every line, with walls and without. `bent` is how much faster they are at the most.
#[track_caller]
fn smooth(what: &str, attenuation: Attenuation, bent: f32, say: Say) {
    let mut worst = 0f32;
    for rate in RATES {
        for hertz in HERTZ {
            for every in [QUANTUM, rate as usize / 60] {
                for walls in [false, true] {
                    let ratio = step(rate, hertz, attenuation, every, walls, say) / bent;
                    assert!(
                        ratio <= BOUND,
                        "{what}: {ratio} times its own step, {hertz} Hz at {rate}, every {every}, \
                         walls: {walls}"
                    );
                    worst = worst.max(ratio);
                }
            }
        }
    }
    println!("{what}: at worst {worst:.3}");
}

fn at(x: f64) -> Listener {
    Listener::at([x as f32, 0.0, 0.0])
}

#[test]
fn a_listener_that_walks_or_runs_past_a_voice_does_not_click() {
    for (what, speed) in [("walks", 1.4), ("runs", 9.0), ("drives", 60.0)] {
        let say = |mixer: &Mixer, _: VoiceId, t: f64, _: &mut Random| {
            mixer.set_listener(at(1.0 + speed * (t - 0.2)));
        };
        smooth(what, SHARP, 1.0, &say);
    }
}

#[test]
fn a_listener_that_spins_does_not_click() {
    for turns in [0.5, 3.0, 20.0] {
        let say = |mixer: &Mixer, _: VoiceId, t: f64, _: &mut Random| {
            let (sin, cos) = (TAU * turns * t).sin_cos();
            let forward = Point { x: sin as f32, y: 0.0, z: -cos as f32 };
            mixer.set_listener(Listener { forward, ..Listener::DEFAULT });
        };
        smooth(&format!("spins {turns} times a second"), SHARP, 1.0, &say);
    }
}

#[test]
fn a_listener_that_jumps_does_not_click() {
    let say = |mixer: &Mixer, _: VoiceId, _: f64, random: &mut Random| {
        let x = f64::from(random.between(-4.0, 6.0));
        match random.below(2) {
            0 => mixer.set_listener(at(x)),
            _ => mixer.teleport_listener(at(x)),
        }
    };
    smooth("the listener jumps", SHARP, 1.0, &say);
}

#[test]
fn a_voice_that_jumps_across_the_head_does_not_click() {
    for teleports in [false, true] {
        let say = |mixer: &Mixer, voice: VoiceId, t: f64, _: &mut Random| {
            let x = [-1.0, 1.0][(t * 60.0 + 0.5) as usize % 2];
            match teleports {
                false => mixer.set_position(voice, [x, 0.0]),
                true => mixer.teleport(voice, [x, 0.0]),
            }
        };
        smooth("from side to side", SHARP, 1.0, &say);
    }
}

/// It leaves, parks, and comes back somewhere else, faded in; or turns round on the way.
#[test]
fn a_voice_that_goes_out_of_earshot_and_comes_back_does_not_click() {
    for of_listener in [false, true] {
        let say = |mixer: &Mixer, voice: VoiceId, _: f64, random: &mut Random| {
            let x = *random.pick(&[-1.0, 1.0, 25.0, 400.0, -20.1, 19.9, 19.0]);
            match of_listener {
                false => mixer.set_position(voice, [x, 0.0]),
                true => mixer.teleport_listener(Listener::at([1.0 + x, 0.0])),
            }
        };
        smooth("in and out of earshot", SHARP, 1.0, &say);
    }
    // Long enough out of it to have parked.
    let say = |mixer: &Mixer, voice: VoiceId, t: f64, _: &mut Random| {
        let x = [1.0, 30.0, -1.0, 30.0][(t * 20.0) as usize % 4];
        mixer.set_position(voice, [x, 0.0]);
    };
    smooth("parked and back", SHARP, 1.0, &say);
}

/// With doppler the sine itself is faster, and steps so much more.
#[test]
fn doppler_does_not_click() {
    let doppler = Attenuation { doppler: 1.0, ..SHARP };
    let say = |mixer: &Mixer, voice: VoiceId, t: f64, random: &mut Random| {
        mixer.set_listener(at(1.0 + 60.0 * (t - 0.2)));
        let place = [1.0 - 25.0 * t as f32, 0.0];
        if random.below(20) == 0 {
            mixer.teleport(voice, place);
        } else {
            mixer.set_position(voice, place);
        }
    };
    smooth("with doppler", doppler, (343.0 + 60.0) / (343.0 - 25.0), &say);
}

/// It begins at silence, though it comes back at the foot of the listener, in the midst of its sound.
#[test]
fn what_comes_back_fades_in() {
    for rate in RATES {
        let (mixer, mut renderer) = open(rate);
        let ones = mono(rate, &[0.5; 480]);
        let far_off = [900.0, 0.0];
        let voice = mixer.play(Play::of(&ones).looping().at(far_off));
        renderer.frames(1000);
        mixer.set_listener(Listener::at(far_off));
        let heard = renderer.frames(2048);
        let levels: Vec<f32> = heard.iter().map(|frame| frame[0]).collect();
        let rising = levels.windows(2).all(|pair| pair[0] <= pair[1]);
        let step = largest_step(&heard)[0];
        assert!(rising && levels[0] == 0.0 && levels[2047] == 0.5, "at {rate}");
        // 5 ms, at the least.
        assert!(step <= 0.5 / (rate as f32 / 200.0) + 1e-6, "{step} at {rate}");
        assert!(mixer.is_live(voice));
    }
}

/// Who is paused is elsewhere at once: when it goes on, nothing is heard from where it was.
#[test]
fn who_moves_while_it_is_paused_goes_on_where_it_is() {
    let (mixer, mut renderer) = open(48_000);
    let ones = mono(48_000, &[0.5; 480]);
    let voice = mixer.play(Play::of(&ones).looping().at([-1.0, 0.0]).attenuation(SHARP));
    renderer.frames(1024);
    mixer.pause(voice, ms(0));
    renderer.frames(1024);
    mixer.set_position(voice, [1.0, 0.0]);
    renderer.frames(1024);
    mixer.resume(voice, ms(0));
    let heard = renderer.frames(2048);
    assert!(heard.iter().all(|frame| frame[0] == 0.0) && heard[2047][1] > 0.7);
}

/// A listener trembles for ten seconds, sixty times a second: how often something parks.
fn parkings(attenuation: Attenuation, border: f32, tremble: f32) -> usize {
    let (mixer, mut renderer) = open(8_000);
    let ones = mono(8_000, &[0.5; 480]);
    mixer.play(Play::of(&ones).looping().at([0.0, 0.0]).attenuation(attenuation));
    let mut random = Random(1);
    let mut count = 0;
    for _ in 0..600 {
        let way = border * (1.0 + random.between(-tremble, tremble));
        mixer.set_listener(Listener::at([way, 0.0]));
        renderer.frames(133);
        count += mixer
            .events()
            .filter(|event| matches!(event, Event::Parked { why: Parking::Inaudible, .. }))
            .count();
    }
    count
}

#[test]
fn nothing_flutters_on_the_border_of_earshot() {
    for model in [Distance::Inverse, Distance::Linear, Distance::Exponential] {
        for far in [3.0, 100.0, 4000.0] {
            let attenuation = Attenuation { model, far, ..Attenuation::DEFAULT };
            assert_eq!(parkings(attenuation, far, 0.009), 1, "{model:?} up to {far}");
            assert!(parkings(attenuation, far, 0.1) > 50, "{model:?}: it is the border");
        }
    }
    // So steep that it is silent long before its far end: below -160 dB, from 40 on.
    let steep = Attenuation { model: Distance::Exponential, rolloff: 5.0, ..Attenuation::DEFAULT };
    let silent_from = 1e8f32.powf(0.2);
    assert!(parkings(steep, silent_from, 0.009) <= 1, "a steep one");
    assert!(parkings(steep, silent_from, 0.1) > 50, "a steep one: it is the border");
}
