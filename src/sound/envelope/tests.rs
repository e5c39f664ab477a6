use super::*;
use crate::{Frame, loudness};

const CENTRE: [f32; 2] = [1.0; 2];

fn mono(rate: u32, samples: &[f32]) -> Envelope {
    Envelope::new(rate, &Samples::Mono32(samples.iter().map(|sample| [*sample]).collect()))
}

fn stereo(rate: u32, frames: &[Frame]) -> Envelope {
    Envelope::new(rate, &Samples::Stereo32(frames.into()))
}

/// What is to come from a frame on, at its own speed.
fn ahead(envelope: &Envelope, frame: u32) -> f64 {
    envelope.power(frame, None, 1.0, CENTRE)
}

fn decibels(power: f64) -> f64 {
    10.0 * libm::log10(power)
}

#[track_caller]
fn close(a: f64, b: f64, within: f64) {
    assert!((a - b).abs() <= within, "{a} is not {b}");
}

fn sine(rate: u32, hz: f64, count: u32) -> Vec<f32> {
    let step = std::f64::consts::TAU * hz / f64::from(rate);
    (0..count).map(|n| libm::sin(step * f64::from(n)) as f32).collect()
}

/// Numbers from 0 to 1 that look random and are the same every time.
fn dice(seed: u32) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24)
    }
}

#[test]
fn the_level_of_a_steady_tone_is_its_loudness() {
    let tone = sine(48_000, 1_000.0, 3 * 48_000);
    let frames: Vec<Frame> = tone.iter().map(|s| [*s, *s]).collect();
    let measured = f64::from(loudness(48_000, &frames));
    for speed in [0.5, 1.0, 1.3, 2.0] {
        let power = mono(48_000, &tone).power(10_000, None, speed, CENTRE);
        close(decibels(power), measured, 0.05);
    }
}

/// Hops are counted from the end: here the first is short, and every other has its own power.
#[test]
fn a_level_is_the_sum_of_all_that_comes_the_near_counting_more() {
    let mut roll = dice(1);
    let mut samples = Vec::new();
    for hop in [7, 10, 10, 10, 10, 10, 10, 10] {
        let level = roll() as f32;
        samples.extend(vec![level; hop]);
    }
    let envelope = mono(1_000, &samples);
    let keep = libm::exp(-1.0 / (0.2 * 1_000.0));
    let sum = |from: usize| {
        let later = samples[from..].iter().rev();
        // Both sides.
        later.fold(0.0, |sum, s| keep * sum + (1.0 - keep) * 2.0 * f64::from(s * s))
    };
    for from in (7..samples.len()).step_by(10) {
        close(ahead(&envelope, from as u32) / sum(from), 1.0, 1e-6);
    }
    for from in 0..samples.len() {
        // Within a hop a straight line stands for the bend of what counts less and less.
        close(ahead(&envelope, from as u32) / sum(from), 1.0, 0.03);
    }
}

#[test]
fn the_last_10_ms_of_a_loud_sound_are_quiet_and_past_its_end_is_nothing() {
    let tone = sine(48_000, 1_000.0, 48_000);
    let envelope = mono(48_000, &tone);
    let left = |frames: u32| decibels(ahead(&envelope, 48_000 - frames) / ahead(&envelope, 0));
    // What is left counts by 1 - exp(-10 ms / 200 ms), and half of it by half of that.
    close(left(480), -13.0, 0.1);
    close(left(240), -16.0, 0.1);
    close(left(24_000), -0.3, 0.1);
    for past in [48_000, 48_001, 1 << 31, u32::MAX] {
        assert_eq!(ahead(&envelope, past), 0.0);
    }
}

#[test]
fn a_swell_is_loud_before_it_has_risen_and_silence_before_a_bang() {
    let tone = sine(48_000, 1_000.0, 48_000);
    let full = ahead(&mono(48_000, &tone), 0);
    let shaped = |gain: fn(usize) -> f32| {
        let shaped: Vec<f32> = tone.iter().enumerate().map(|(n, s)| gain(n) * s).collect();
        decibels(ahead(&mono(48_000, &shaped), 0) / full)
    };
    let swell = shaped(|n| (n as f32 / 7_200.0).min(1.0));
    assert!((-3.0..-1.0).contains(&swell), "{swell} dB");
    let bang = shaped(|n| if n < 9_600 { 0.0 } else { 1.0 });
    close(bang, decibels(libm::exp(-1.0)), 0.1);
}

#[test]
fn one_channel_sounds_on_both_sides_whatever_its_pan() {
    let tone = sine(8_000, 440.0, 4_001);
    let both: Vec<Frame> = tone.iter().map(|s| [*s, *s]).collect();
    let (mono, stereo) = (mono(8_000, &tone), stereo(8_000, &both));
    for frame in [0, 1, 79, 1_000, 3_999, 4_000] {
        for looping in [None, Some((0, 4_001)), Some((100, 3_000)), Some((100, 120))] {
            let at = |envelope: &Envelope, sides| envelope.power(frame, looping, 1.2, sides);
            assert_eq!(at(&mono, CENTRE), at(&stereo, CENTRE));
            assert_eq!(at(&mono, [2f32.sqrt(), 0.0]), at(&mono, CENTRE));
        }
    }
}

#[test]
fn sixteen_bits_are_as_loud_as_the_floats_they_stand_for() {
    let samples = Samples::Stereo16(Arc::from([[16_384, -8_192], [-32_768, 4_096]]));
    let floats = Samples::Stereo32(Arc::from([[0.5, -0.25], [-1.0, 0.125]]));
    assert_eq!(Envelope::new(48_000, &samples).powers, Envelope::new(48_000, &floats).powers);
}

#[test]
fn the_sides_of_a_stereo_sound_count_apart() {
    let left = sine(8_000, 500.0, 8_000);
    let frames: Vec<Frame> =
        left.iter().enumerate().map(|(n, s)| [*s, if n < 4_000 { 0.0 } else { 0.5 }]).collect();
    let silent: Vec<Frame> = frames.iter().map(|frame| [frame[0], 0.0]).collect();
    let right: Vec<Frame> = frames.iter().map(|frame| [0.0, frame[1]]).collect();
    let [both, silent, right] = [&frames, &silent, &right].map(|frames| stereo(8_000, frames));
    for frame in [0, 3_000, 7_999] {
        for looping in [None, Some((0, 8_000)), Some((2_000, 6_000)), Some((4_100, 4_200))] {
            let at = |envelope: &Envelope, l: f32, r: f32| {
                envelope.power(frame, looping, 1.0, [l.sqrt(), r.sqrt()])
            };
            let apart = 1.5 * at(&silent, 1.0, 1.0) + 0.5 * at(&right, 1.0, 1.0);
            close(at(&both, 1.5, 0.5), apart, 1e-6);
            close(at(&both, 2.0, 0.0), at(&silent, 2.0, 2.0), 1e-6);
            close(at(&both, 0.0, 2.0), at(&right, 2.0, 2.0), 1e-6);
        }
    }
}

/// The power of each hop by itself, both sides together, found again from what is kept.
fn own(envelope: &Envelope) -> Vec<f64> {
    let keep = libm::exp(-f64::from(envelope.hop.get()) * envelope.falls[0]);
    let sides = if envelope.channels == 1 { 2.0 } else { 1.0 };
    let rows: Vec<f64> = envelope
        .powers
        .chunks(envelope.channels as usize)
        .map(|rows| sides * rows.iter().map(|row| f64::from(row[0])).sum::<f64>())
        .collect();
    rows.windows(2).map(|pair| (pair[0] - keep * pair[1]) / (1.0 - keep)).collect()
}

/// Walks through the frames that will be heard, one by one.
fn naive(envelope: &Envelope, frame: u32, (start, end): (u32, u32), horizon: f64) -> f64 {
    let own = own(envelope);
    let fall = 1.0 / (horizon * RATE);
    let keep = libm::exp(-fall);
    let (mut at, mut counts, mut sum) = (frame, 1.0 - keep, 0.0);
    while counts > 1e-9 {
        sum += counts * own[((at + envelope.missing) / envelope.hop) as usize];
        counts *= keep;
        at = if at + 1 == end { start } else { at + 1 };
    }
    sum
}

const RATE: f64 = 300.0;

/// A power of its own for each of ten hops of 3 frames, the first of them short.
fn ten_hops() -> Envelope {
    let level = |n: u32| ((n.div_ceil(3) * 7 + 3) % 11) as f32 / 11.0;
    let samples: Vec<f32> = (0..29).map(|n| level(n + 1)).collect();
    let envelope = mono(RATE as u32, &samples);
    assert_eq!((envelope.hop.get(), envelope.missing, own(&envelope).len()), (3, 1, 10));
    envelope
}

#[test]
fn loops_count_their_turns_as_the_naive_walk_does() {
    let envelope = ten_hops();
    for (speed, horizon) in [(0.25, 0.05), (0.5, 0.1), (1.0, 0.2), (2.0, 0.4), (4.0, 0.8)] {
        for start in 0..23 {
            for end in start + 6..=29 {
                for frame in 0..end {
                    let power = envelope.power(frame, Some((start, end)), speed, CENTRE);
                    let naive = naive(&envelope, frame, (start, end), horizon);
                    // The whole clip is read along straight lines, as it is without a loop.
                    let within = if start == 0 && end >= 28 { 0.05 } else { 1e-5 };
                    let apart = (power / naive - 1.0).abs();
                    assert!(
                        apart < within,
                        "{power}, not {naive}, at {frame} in {start}..{end} at speed {speed}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_loop_of_a_hop_or_two_is_as_loud_as_its_mean() {
    let envelope = ten_hops();
    for start in 0..28 {
        for end in start + 1..(start + 6).min(30) {
            let looping = (start, end);
            let walks = (start..end).map(|frame| naive(&envelope, frame, looping, 0.2));
            let mean = walks.sum::<f64>() / f64::from(end - start);
            for frame in [start, end - 1] {
                let power = envelope.power(frame, Some(looping), 1.0, CENTRE);
                close(power, mean, 1e-5);
            }
            // What comes before it counts as it is.
            for frame in 0..start {
                let power = envelope.power(frame, Some(looping), 1.0, CENTRE);
                // It is as loud as its mean to a tenth of a decibel or so.
                let walked = naive(&envelope, frame, looping, 0.2);
                close(power / walked, 1.0, 0.03);
            }
        }
    }
}

/// The quietest and the loudest, in decibels below a bang, of loops that turn before it.
fn loops_before_a_bang(quiet: f32) -> [f64; 2] {
    let tone = sine(48_000, 1_000.0, 48_000);
    let gain = |n| if n < 24_000 { quiet } else { 1.0 };
    let samples: Vec<f32> = tone.iter().enumerate().map(|(n, s)| gain(n) * s).collect();
    let envelope = mono(48_000, &samples);
    let bang = own(&envelope).into_iter().fold(0.0, f64::max);
    let mut roll = dice(2);
    let mut levels = [f64::INFINITY, f64::NEG_INFINITY];
    for _ in 0..2_000 {
        // Not in the first hop, in which the weighting has not come to rest.
        let start = 480 + (23_500.0 * roll()) as u32;
        let end = start + 1 + (f64::from(23_999 - start) * roll() * roll()) as u32;
        let frame = start + (f64::from(end - start) * roll()) as u32;
        let speed = (0.25 * libm::exp2(4.0 * roll())) as f32;
        let level = decibels(envelope.power(frame, Some((start, end)), speed, CENTRE) / bang);
        levels = [level.min(levels[0]), level.max(levels[1])];
    }
    levels
}

#[test]
fn a_loop_before_a_bang_hears_nothing_of_it() {
    let [_, leak] = loops_before_a_bang(0.0);
    assert!(leak < -100.0, "{leak} dB");
    let [least, most] = loops_before_a_bang(0.01);
    println!("silence before a bang: {leak:.1} dB; 40 dB less: {least:.1} to {most:.1} dB");
    assert!(least > -41.0 && most < -39.0, "{least} to {most} dB");
}

/// Sounds that die away, swell, stay as they are, and beat: half a second to two.
fn kinds() -> Vec<Envelope> {
    let shapes: [fn(f64) -> f64; 8] = [
        |t| libm::exp(-t / 0.03),
        |t| libm::exp(-t / 0.1),
        |t| libm::exp(-t / 0.4),
        |t| (t / 0.15).min(1.0),
        |t| libm::exp((t - 1.0) / 0.2).min(1.0),
        |_| 1.0,
        |t| libm::exp(-(t % 0.25) / 0.05),
        |t| if t % 0.5 < 0.3 { 0.001 } else { 1.0 },
    ];
    let mut roll = dice(3);
    let mut kinds = Vec::new();
    for seconds in [0.5, 1.0, 2.0] {
        for shape in shapes {
            let shaped =
                |n: u32| (shape(f64::from(n) / 8_000.0) * libm::sin(0.7 * f64::from(n))) as f32;
            let frames = (seconds * 8_000.0) as u32;
            let noise = |n: u32| shape(f64::from(n) / 8_000.0) * (2.0 * roll() - 1.0);
            let noise: Vec<f32> = (0..frames).map(noise).map(|s| s as f32).collect();
            kinds.push(mono(8_000, &(0..frames).map(shaped).collect::<Vec<_>>()));
            kinds.push(mono(8_000, &noise));
        }
    }
    kinds
}

#[test]
fn from_half_to_twice_the_speed_a_level_is_right_within_1_db() {
    let mut roll = dice(4);
    let (mut right, mut trials, mut worst) = (0, 0, 0f64);
    for envelope in kinds() {
        let own = own(&envelope);
        for _ in 0..200 {
            let speed = libm::exp2(2.0 * roll() - 1.0) as f32;
            let hop = (own.len() as f64 * roll()) as usize;
            let seconds = f64::from(envelope.hop.get()) / 8_000.0;
            let keep = libm::exp(-seconds / (HORIZON * f64::from(speed)));
            let later = own[hop..].iter().rev();
            let exact = later.fold(0.0, |sum, own| keep * sum + (1.0 - keep) * own);
            // Nobody hears who of two is quieter at -120 dB.
            if exact < 1e-12 {
                continue;
            }
            let frame = (hop as u32 * envelope.hop.get()).saturating_sub(envelope.missing);
            let off = decibels(envelope.power(frame, None, speed, CENTRE) / exact).abs();
            trials += 1;
            right += usize::from(off <= 1.0);
            worst = worst.max(off);
        }
    }
    let share = 100.0 * right as f64 / trials as f64;
    println!("{trials} trials: within 1 dB in {share:.1} %, {worst:.1} dB off at worst");
    assert!(share >= 95.0, "{share} %");
}

#[test]
fn senseless_loops_do_no_harm() {
    let envelope = mono(300, &[1.0; 29]);
    const FAR: u32 = u32::MAX;
    let loops = [(0, 0), (9, 3), (29, 29), (40, 50), (5, FAR), (0, FAR), (FAR, 1), (FAR, FAR)];
    for looping in loops {
        for frame in [0, 1, 28, 29, FAR - 1, FAR] {
            for speed in [0.0, 0.01, 1.0, 100.0, f32::INFINITY] {
                let power = envelope.power(frame, Some(looping), speed, CENTRE);
                assert!((0.0..=2.001).contains(&power), "{power} at {frame} in {looping:?}");
            }
        }
    }
}

#[test]
fn a_second_of_sound_takes_5_kb_at_most_and_a_long_toy_stays_small() {
    let seconds = Samples::Stereo16(vec![[1; 2]; 10 * 48_000].into());
    assert!(Envelope::new(48_000, &seconds).bytes() <= 10 * 5_000);
    let long = Samples::Mono16(vec![[1]; 1 << 20].into());
    assert!(Envelope::new(1, &long).bytes() <= long.bytes());
}

#[test]
fn a_fall_is_an_exponential_to_eight_places() {
    for n in 0..200_000 {
        let x = f64::from(n) * 1e-4;
        close(fall(x) / libm::exp(-x), 1.0, 1e-8);
    }
    for (x, small) in [(700.0, 1e-300), (1e9, 0.0), (f64::MAX, 0.0), (f64::INFINITY, 0.0)] {
        assert!((0.0..=small).contains(&fall(x)), "{x}");
    }
}

#[test]
fn what_is_left_of_a_fade_is_the_integral_over_it() {
    for left in [1, 20, 95, 97, 240, 2_000, 9_600, 48_000, 1_000_000] {
        let (share, after) = fading(left, 48_000);
        let time = f64::from(left) / 9_600.0;
        let steps = 100_000;
        let step = time / f64::from(steps);
        let integral: f64 = (0..steps)
            .map(|n| {
                let at = (f64::from(n) + 0.5) * step;
                let gain = 1.0 - at / time;
                gain * gain * libm::exp(-at) * step
            })
            .sum();
        // For a steady sound: what is to come, less what comes after the fade.
        close(share * (1.0 - after) / integral, 1.0, 0.005);
        close(after, libm::exp(-time), 1e-9);
    }
    assert_eq!(fading(0, 48_000), (0.0, 1.0));
}
