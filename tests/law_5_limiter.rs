//! Law 5 through the limiter: what is turned down because the sum is too loud is turned down
//! without a click, on both sides, and comes back to exactly what it was.

mod common;

use common::{bits, mono, noise, sine};
use voicepool::{Config, Frame, Mixer, Play, Renderer, ms};

const RATES: [u32; 4] = [44_100, 48_000, 96_000, 192_000];
const BOUND: f32 = 1.5;

fn open(rate: u32) -> (Mixer, Renderer) {
    Mixer::offline(Config { sample_rate: rate, ..Config::default() }).expect("a good config")
}

/// The largest step on the left.
fn largest_step(frames: &[Frame]) -> f32 {
    frames.windows(2).map(|pair| (pair[1][0] - pair[0][0]).abs()).fold(0.0, f32::max)
}

/// A sine on the left, and so many sounds that begin together on the right that the sum is far
/// beyond full scale: the left is turned down with them, and makes no step above the bound.
#[test]
fn an_overload_on_one_side_does_not_click_on_the_other() {
    for rate in RATES {
        for hertz in [100.0, 440.0, 3000.0] {
            for (others, loud) in [(8, 1.0), (3, 1.0), (64, 1000.0)] {
                let (mixer, mut renderer) = open(rate);
                let tone: Vec<f32> =
                    sine(rate, hertz, 0.25, rate as usize / 10).iter().map(|s| 0.25 * s).collect();
                mixer.play(Play::of(mono(rate, &tone)).looping().pan(-1.0));
                let bang = mono(rate, &vec![0.9; rate as usize / 20]);
                let mut heard = renderer.frames(rate as usize / 10);
                for _ in 0..others {
                    mixer.play(Play::of(&bang).pan(1.0).gain(loud));
                }
                heard.extend(renderer.frames(rate as usize / 2));
                assert!(mixer.stats().peak[1] > 1.5, "it is an overload");
                assert!(heard.iter().flatten().all(|sample| sample.abs() <= 1.0));
                let own = 0.25
                    * 2f32.sqrt()
                    * 2.0
                    * (std::f64::consts::PI * hertz / f64::from(rate)).sin() as f32;
                // The very first frame is its author's.
                let ratio = largest_step(&heard[1..]) / own;
                assert!(ratio <= BOUND, "{rate} Hz, {hertz} Hz, {others}: {ratio}");
            }
        }
    }
}

/// A low tone that is 6 dB too loud keeps its shape: less than 1 % of it is distortion.
#[test]
fn a_low_tone_that_is_too_loud_is_not_distorted() {
    for rate in RATES {
        let (mixer, mut renderer) = open(rate);
        let tone = mono(rate, &sine(rate, 60.0, 0.0, rate as usize));
        mixer.play(Play::of(&tone).looping().gain(2.0));
        renderer.frames(rate as usize);
        let heard: Vec<f64> =
            renderer.frames(rate as usize).iter().map(|frame| f64::from(frame[0])).collect();
        // What is left when the tone itself is taken out.
        let turn = |n: usize| std::f64::consts::TAU * 60.0 * n as f64 / f64::from(rate);
        let part = |of: fn(f64) -> f64| {
            2.0 * heard.iter().enumerate().map(|(n, s)| s * of(turn(n))).sum::<f64>()
                / f64::from(rate)
        };
        let (a, b) = (part(f64::sin), part(f64::cos));
        let rest = heard
            .iter()
            .enumerate()
            .map(|(n, s)| (s - a * turn(n).sin() - b * turn(n).cos()).powi(2))
            .sum::<f64>()
            / f64::from(rate);
        let distortion = (2.0 * rest / (a * a + b * b)).sqrt();
        println!("{rate} Hz: {:.4} %", 100.0 * distortion);
        assert!((0.98..1.0001).contains(&a.hypot(b)), "it is as loud as can be: {}", a.hypot(b));
        assert!(distortion < 0.01, "{rate} Hz: {distortion}");
    }
}

/// What lies more than the look-ahead before an overload, and what comes a second after it, is
/// to the bit what it would have been without.
#[test]
fn what_is_not_near_an_overload_is_exact() {
    for rate in RATES {
        let clip = mono(rate, &noise(3, 3 * rate as usize));
        let run = |overload: bool| {
            let (mixer, mut renderer) = open(rate);
            mixer.play(Play::of(&clip).gain(0.5));
            let bang = mono(rate, &[0.9; 100]);
            let start = u64::from(rate);
            if overload {
                for _ in 0..8 {
                    mixer.play(Play::of(&bang).start_at(start));
                }
            }
            bits(&renderer.frames(3 * rate as usize))
        };
        let (with, without) = (run(true), run(false));
        // Whole quanta of at least 2.5 ms.
        let ahead = (rate as usize / 400).next_multiple_of(128);
        let start = rate as usize;
        assert!(with[..start - ahead] == without[..start - ahead], "{rate} Hz, before");
        assert!(with[start] != without[start], "{rate} Hz, in the midst");
        assert!(with[2 * start..] == without[2 * start..], "{rate} Hz, after");
    }
}

/// An overload at the very first frame is seen too.
#[test]
fn an_overload_at_the_beginning_is_turned_down() {
    for rate in RATES {
        let (mixer, mut renderer) = open(rate);
        let bang = mono(rate, &noise(1, rate as usize / 10));
        for _ in 0..16 {
            mixer.play(&bang);
        }
        let heard = renderer.frames(rate as usize / 2);
        let peak = heard.iter().flatten().fold(0f32, |peak, sample| peak.max(sample.abs()));
        assert!((0.99..=1.0).contains(&peak), "{rate} Hz: {peak}");
    }
}

/// What a command does is heard one look-ahead and at most a quantum later, never sooner, and no
/// frame is shifted: a start is on its frame.
#[test]
fn the_look_ahead_is_paid_in_commands_not_in_frames() {
    for (rate, quanta) in [(1000, 1), (48_000, 1), (96_000, 2), (192_000, 4), (384_000, 8)] {
        let click = mono(rate, &[0.5]);
        for clock in [0u64, 1, 127, 128, 129, 1000] {
            let (mixer, mut renderer) = open(rate);
            renderer.frames(clock as usize);
            let line = if clock == 0 { 0 } else { clock.next_multiple_of(128) + 128 * quanta };
            mixer.play(&click);
            mixer.play(Play::of(&click).start_at(line + 77));
            mixer.play(Play::of(&click).delay(ms(500)));
            let heard = renderer.frames(2000 + rate as usize);
            let clicks: Vec<u64> = (clock..)
                .zip(&heard)
                .filter(|(_, frame)| frame[0] != 0.0)
                .map(|(at, _)| at)
                .collect();
            assert_eq!(clicks, [line, line + 77, line + u64::from(rate) / 2], "{rate} {clock}");
        }
    }
}
