//! A room, by its numbers.

mod measure;
mod naive;

use std::time::{Duration, Instant};

use super::*;
use crate::units::ms;
use measure::*;
use naive::Naive;

const RATE: u32 = 48_000;

/// Without damping and pre-delay.
fn bare(decay: u64, size: f32) -> Reverb {
    Reverb { decay: ms(decay), size, damping: 0.0, pre_delay: ms(0) }
}

/// What a room adds to silence.
fn render(room: &mut Room, input: [&[f32]; 2]) -> [Vec<f32>; 2] {
    let mut out = input.map(|side| vec![0.0; side.len()]);
    let [left, right] = &mut out;
    room.process(input, [left, right]);
    out
}

/// What a room makes of a click that is so high on each side.
fn response(reverb: &Reverb, sides: [f32; 2], seconds: f64) -> [Vec<f32>; 2] {
    let click = sides.map(|peak| {
        let mut side = vec![0.0; (seconds * f64::from(RATE)) as usize];
        side[0] = peak;
        side
    });
    render(&mut Room::new(reverb, RATE), [&click[0], &click[1]])
}

/// All samples that a room holds.
fn held(room: &Room) -> impl Iterator<Item = f32> {
    let rings = room.lines.iter().chain(room.diffusers.as_flattened()).chain(&room.pre_delay);
    rings.flat_map(Ring::samples).chain(&room.before).chain(&room.after).copied()
}

#[test]
fn without_damping_a_room_decays_as_it_was_asked_to_at_every_frequency() {
    for (decay, size) in [
        (50, 0.5),
        (100, 0.0),
        (300, 0.5),
        (600, 1.0),
        (1800, 0.0),
        (1800, 0.5),
        (1800, 1.0),
        (4000, 0.3),
    ] {
        let heard = response(&bare(decay, size), [1.0, 1.0], decay as f64 / 1000.0);
        for hz in [250.0, 1000.0, 4000.0] {
            let ratio = decay_at(&heard, hz) * 1000.0 / decay as f64;
            assert!((0.9..1.1).contains(&ratio), "{decay} ms, size {size}, {hz} Hz: {ratio}");
        }
    }
}

#[test]
fn with_damping_a_room_decays_as_its_formula_says() {
    for (decay, size) in [(300, 0.0), (600, 0.5), (1800, 0.0), (1800, 0.5), (1800, 1.0)] {
        for damping in [0.3, 0.5, 0.8, 1.0] {
            let reverb = Reverb { damping, ..bare(decay, size) };
            let heard = response(&reverb, [1.0, 1.0], decay as f64 / 1000.0);
            for hz in [250.0, 1000.0, 4000.0, 8000.0] {
                let ratio = decay_at(&heard, hz) / promised_decay(&reverb, hz);
                assert!((0.9..1.1).contains(&ratio), "{reverb:?} at {hz} Hz: {ratio}");
            }
        }
    }
}

#[test]
fn echoes_are_soon_as_dense_as_noise() {
    for (decay, size, soon) in
        [(300, 0.0, 20), (600, 0.5, 20), (1800, 0.0, 20), (1800, 0.5, 70), (1800, 1.0, 100)]
    {
        for (side, heard) in response(&bare(decay, size), [1.0, 1.0], 0.5).iter().enumerate() {
            let dense = dense_after(heard, 0.8, 0.3) * 1000.0;
            assert!(dense <= f64::from(soon), "{decay} ms, size {size}, side {side}: {dense} ms");
        }
    }
}

/// A few tones that stand out are what rings like metal.
#[test]
fn no_tones_stand_out_of_the_spectrum() {
    let decaying = |samples: Vec<f32>| -> Vec<f32> {
        let gain = |n: usize| libm::pow(10.0, -3.0 * n as f64 / f64::from(RATE) / 1.8) as f32;
        samples.iter().enumerate().map(|(n, sample)| sample * gain(n)).collect()
    };
    let (spread, peak) = spectrum(&decaying(noise(1, 100_000)), 0.05);
    assert!((5.3..5.8).contains(&spread) && peak < 12.0, "of noise: {spread} dB, {peak} dB");
    for (decay, size, widest, highest) in [
        (300, 0.5, 6.0, 11.0),
        (600, 0.5, 6.0, 11.0),
        (1800, 0.0, 7.0, 14.0),
        (1800, 0.25, 6.7, 14.0),
        (1800, 0.5, 6.3, 13.0),
        (1800, 0.75, 6.2, 13.0),
        (1800, 1.0, 6.0, 12.0),
        (4000, 1.0, 6.5, 14.0),
    ] {
        for heard in response(&bare(decay, size), [1.0, 1.0], 2.0 * decay as f64 / 1000.0) {
            let (spread, peak) = spectrum(&heard, 0.05);
            assert!(
                spread < widest && peak < highest,
                "{decay} ms, {size}: {spread} dB, {peak} dB"
            );
        }
    }
}

#[test]
fn noise_comes_out_as_loud_as_it_went_in() {
    for decay in [50, 300, 3000] {
        for (size, damping) in [(0.0, 0.0), (0.0, 1.0), (0.5, 0.5), (1.0, 0.0), (1.0, 1.0)] {
            let reverb = Reverb { damping, ..bare(decay, size) };
            let seconds = decay as f64 / 1000.0;
            let [ll, lr] = response(&reverb, [1.0, 0.0], seconds);
            let [rl, rr] = response(&reverb, [0.0, 1.0], seconds);
            let [left, right] = response(&reverb, [1.0, 1.0], seconds);
            // Different noise on each side, and the same on both.
            let apart = [power(&ll) + power(&rl), power(&lr) + power(&rr)];
            for power in [apart, [power(&left), power(&right)]].as_flattened() {
                let loudness = 10.0 * power.log10();
                assert!(loudness.abs() < 0.5, "{reverb:?}: {loudness} dB");
            }
        }
    }
}

/// The same as the response's energy says, by the noise itself, at other rates.
#[test]
fn noise_is_as_loud_at_every_rate() {
    for rate in [1000, 8000, 48_000, 192_000] {
        let frames = 2 * rate as usize;
        let reverb = Reverb { decay: ms(500), ..Reverb::DEFAULT };
        let input = [1, 2].map(|seed| noise(seed, frames));
        for side in render(&mut Room::new(&reverb, rate), [&input[0], &input[1]]) {
            let filled = &side[rate as usize / 2..];
            let loudness = 10.0 * (power(filled) / filled.len() as f64).log10();
            assert!(loudness.abs() < 1.0, "at {rate} Hz: {loudness} dB");
        }
    }
}

#[test]
fn the_sides_are_balanced_and_not_alike() {
    for (decay, size) in [(100, 0.5), (300, 0.0), (1800, 0.0), (1800, 0.5), (1800, 1.0)] {
        for damping in [0.0, 0.5] {
            let reverb = Reverb { damping, ..bare(decay, size) };
            let [left, right] = response(&reverb, [1.0, 1.0], decay as f64 / 1000.0);
            let balance = 10.0 * (power(&left) / power(&right)).log10();
            assert!(balance.abs() < 0.5, "{reverb:?}: {balance} dB");
            let common: f64 = left.iter().zip(&right).map(|(l, r)| f64::from(l * r)).sum();
            let alike = common / (power(&left) * power(&right)).sqrt();
            assert!(alike.abs() < 0.3, "{reverb:?}: {alike}");
        }
    }
}

#[test]
fn what_is_on_a_side_is_heard_there_first_and_after_the_pre_delay() {
    for size in [0.0, 0.5, 1.0] {
        let first = |pre_delay, sides| {
            let reverb = Reverb { pre_delay: ms(pre_delay), ..bare(1800, size) };
            let sides = response(&reverb, sides, 0.5);
            sides.map(|side| side.iter().position(|sample| *sample != 0.0).unwrap())
        };
        let ([own, other], [far, near]) = (first(0, [1.0, 0.0]), first(0, [0.0, 1.0]));
        assert!(own < other && near < far, "{own} {other}, {far} {near}");
        // The crossing of the documentation, and a few frames to the next prime.
        let crossing = 0.04 * 3f64.powf(f64::from(size)).min(1800.0 / 640.0) * f64::from(RATE);
        assert!((0.0..50.0).contains(&(own as f64 - 0.419 * crossing)), "size {size}: {own}");
        assert_eq!(first(100, [1.0, 0.0]), [own + 4800, other + 4800]);
    }
}

#[test]
fn the_bits_are_the_same_at_any_cut() {
    let reverbs = [Reverb::DEFAULT, bare(50, 0.0), Reverb { damping: 1.0, ..bare(60_000, 1.0) }];
    for (reverb, rate) in reverbs.iter().flat_map(|it| [(it, RATE), (it, 1000), (it, 8)]) {
        let input = [3, 4].map(|seed| noise(seed, 20_000));
        let whole = render(&mut Room::new(reverb, rate), [&input[0], &input[1]]);
        let mut room = Room::new(reverb, rate);
        let (mut from, mut random) = (0, 1u32);
        while from < input[0].len() {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let cut = [0, 1, 37, 128, 512][(random >> 16) as usize % 5];
            let cut = from..(from + cut).min(input[0].len());
            let part = render(&mut room, [&input[0][cut.clone()], &input[1][cut.clone()]]);
            for (part, whole) in part.iter().zip(&whole) {
                assert!(
                    part.iter().zip(&whole[cut.clone()]).all(|(a, b)| a.to_bits() == b.to_bits())
                );
            }
            from = cut.end;
        }
    }
}

#[test]
fn a_room_gives_the_bits_of_a_naive_one() {
    for (reverb, rate) in [(Reverb::DEFAULT, RATE), (bare(300, 0.0), 1000), (bare(50, 1.0), 8)] {
        let mut room = Room::new(&reverb, rate);
        let mut naive = Naive::new(&room);
        let input = [7, 8].map(|seed| noise(seed, 10_000));
        let heard = render(&mut room, [&input[0], &input[1]]);
        for n in 0..10_000 {
            let frame = naive.frame(&room, [input[0][n], input[1][n]]);
            assert_eq!(frame, [heard[0][n], heard[1][n]], "frame {n} at {rate} Hz");
        }
    }
}

#[test]
fn what_a_room_makes_is_added_to_the_output() {
    let input = noise(5, 5000);
    let alone = render(&mut Room::new(&Reverb::DEFAULT, RATE), [&input, &input]);
    let mut out = [vec![0.5; 5000], vec![0.25; 5000]];
    let [left, right] = &mut out;
    Room::new(&Reverb::DEFAULT, RATE).process([&input, &input], [left, right]);
    assert!(alone[0].iter().any(|sample| *sample != 0.0));
    for ((out, alone), dry) in out.iter().zip(alone).zip([0.5, 0.25]) {
        assert!(out.iter().zip(alone).all(|(out, alone)| *out == dry + alone));
    }
}

#[test]
fn a_room_falls_silent_and_says_so_without_a_denormal_number() {
    // At a low rate: it is 300 dB, five decays, down to silence.
    for (decay, rate) in [(50, RATE), (1800, 8000), (60_000, 2000)] {
        for damping in [0.0, 1.0] {
            let reverb = Reverb { damping, pre_delay: ms(20), ..bare(decay, 0.5) };
            let mut room = Room::new(&reverb, rate);
            assert!(room.is_silent());
            let click = noise(6, 512);
            render(&mut room, [&click, &click]);
            assert!(!room.is_silent());
            let (silence, mut quanta) = ([0.0; 512], 0);
            while !room.is_silent() {
                let heard = render(&mut room, [&silence, &silence]);
                let numbers = heard.iter().flatten().copied().chain(held(&room));
                assert!({ numbers }.all(|it| it.is_finite() && !it.is_subnormal()));
                quanta += 1;
                assert!(quanta * 512 < 7 * decay * u64::from(rate) / 1000 + 2048, "{reverb:?}");
            }
            assert!(quanta * 512 > 4 * decay * u64::from(rate) / 1000, "{reverb:?}");
            assert!(held(&room).all(|sample| sample == 0.0));
            let nothing = render(&mut room, [&silence, &silence]);
            assert!(nothing.iter().flatten().all(|sample| *sample == 0.0));
        }
    }
}

#[test]
fn silence_is_known_at_the_frame_on_which_it_begins_whatever_the_cut() {
    let silent_after = |cut: usize| {
        let mut room = Room::new(&bare(50, 0.0), RATE);
        render(&mut room, [&[1.0], &[1.0]]);
        let silence = vec![0.0; cut];
        (0..).map(|n| n * cut).find(|_| {
            render(&mut room, [&silence, &silence]);
            room.is_silent()
        })
    };
    let exact = silent_after(1).unwrap();
    for cut in [7, 37, 128] {
        assert_eq!(silent_after(cut), Some(exact / cut * cut));
    }
}

/// What waits in the pre-delay, and what is too faint to come out of a diffuser before it has turned.
#[test]
fn what_has_not_reached_the_lines_is_not_silence() {
    for (pre_delay, peak) in [(20, 1.0), (0, 2e-15)] {
        for sides in [[peak, 0.0], [0.0, peak]] {
            let reverb = Reverb { pre_delay: ms(pre_delay), ..Reverb::DEFAULT };
            let mut room = Room::new(&reverb, RATE);
            render(&mut room, [&sides[..1], &sides[1..]]);
            assert!(room.lines.iter().all(Ring::is_silent) && !room.is_silent());
        }
    }
}

#[test]
fn absurd_rooms_at_absurd_rates_stay_finite() {
    let absurd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, 1e-40, 1.0, 0.0];
    let input: Vec<f32> = absurd.iter().cycle().take(4000).copied().collect();
    let silence = vec![0.0; 4000];
    for part in [f32::NAN, f32::NEG_INFINITY, f32::INFINITY, 0.5] {
        for time in [Duration::ZERO, ms(1000), Duration::MAX] {
            let reverb = Reverb { decay: time, size: part, damping: part, pre_delay: time };
            for rate in [1, 8, 1000, 44_100, 384_000] {
                let mut room = Room::new(&reverb, rate);
                let Losses { now, before, back } = &room.losses;
                assert!(now.iter().chain(before).all(|it| it.is_finite()));
                assert!(back.iter().all(|it| it.abs() < 1.0), "{reverb:?} at {rate} Hz");

                for input in [&input, &silence] {
                    let heard = render(&mut room, [input, input]);
                    let mut numbers = heard.iter().flatten().copied().chain(held(&room));
                    assert!(numbers.all(f32::is_finite), "{reverb:?} at {rate} Hz");
                }
            }
        }
    }
}

#[test]
fn a_room_takes_little_memory() {
    let bytes = |reverb: &Reverb, rate| {
        let rings = |room: &Room| held(room).count() - 2 * LINES;
        size_of::<Room>() + size_of::<f32>() * rings(&Room::new(reverb, rate))
    };
    let largest = Reverb { size: 1.0, decay: ms(4000), ..Reverb::DEFAULT };
    let longest = Reverb { pre_delay: ms(250), ..largest };
    let kilobytes = [
        bytes(&Reverb::DEFAULT, RATE),
        bytes(&largest, RATE),
        bytes(&longest, RATE),
        bytes(&longest, 384_000),
        bytes(&longest, 1),
    ];
    assert_eq!(kilobytes.map(|bytes| bytes / 1000), [122, 209, 301, 2401, 1]);
}

/// The shortest time that some work takes of many, in nanoseconds: what others on the machine take
/// is left out.
fn shortest(mut work: impl FnMut()) -> f64 {
    let once = |_| {
        let begin = Instant::now();
        work();
        begin.elapsed().as_nanos() as f64
    };
    (0..20_000).map(once).fold(f64::INFINITY, f64::min)
}

#[test]
#[ignore = "a figure to read: cargo test --release --lib room -- --ignored --nocapture"]
fn speed() {
    let (input, mut out) = (noise(1, 128), [[0.0; 128]; 2]);
    // Its eight lines alone, as a loop of their own: what comes out goes in again.
    let mut lines =
        design::line_frames(&Reverb::DEFAULT, RATE).map(|frames| (vec![0.0; frames], 0));
    let delays = shortest(|| {
        for sample in &input {
            for (line, at) in &mut lines {
                line[*at] = 0.9 * line[*at] + sample;
                *at = if *at + 1 < line.len() { *at + 1 } else { 0 };
            }
        }
    });
    for (decay, size) in [(1800, 0.0), (1800, 0.5), (1800, 1.0), (60_000, 0.5)] {
        let mut room = Room::new(&Reverb { decay: ms(decay), size, ..Reverb::DEFAULT }, RATE);
        let [left, right] = &mut out;
        let own = shortest(|| room.process([&input, &input], [left, right]));
        let (frame, ratio) = (own / 128.0, own / delays);
        println!(
            "{decay} ms, size {size}: {frame:.1} ns a frame, {ratio:.2} times eight comb filters"
        );
    }
    for rate in [RATE, 384_000] {
        let longest = Reverb { decay: ms(60_000), size: 1.0, ..Reverb::DEFAULT };
        let begin = Instant::now();
        let room = Room::new(&longest, rate);
        println!("made in {:?} for {rate} Hz", begin.elapsed());
        assert!(room.is_silent());
    }
}
