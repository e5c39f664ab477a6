use std::f64::consts::TAU;
use std::hint::black_box;
use std::time::Instant;

use super::*;

const RATE: u32 = 48_000;

/// 5 ms, as the mixer has it.
const DECLICK: u32 = RATE / 200;

/// Both sides of what comes out, the right one going in as half of the left one.
fn through(filters: &mut Filters, now: u64, samples: &[f32]) -> [Vec<f32>; 2] {
    let mut sides = [samples.to_vec(), samples.iter().map(|sample| 0.5 * sample).collect()];
    let [left, right] = &mut sides;
    filters.process(now, left, right);
    sides
}

fn low(hz: f32, rate: u32) -> Filters {
    let mut filters = Filters::OFF;
    filters.jump_low_pass(hz, rate);
    filters
}

fn high(hz: f32, rate: u32) -> Filters {
    let mut filters = Filters::OFF;
    filters.jump_high_pass(hz, rate);
    filters
}

fn sine(rate: u32, hz: f64, phase: f64, count: usize) -> Vec<f32> {
    let turn = hz / f64::from(rate);
    (0..count).map(|n| libm::sin(TAU * (phase + turn * n as f64)) as f32).collect()
}

/// Numbers below another that look random and are the same every time.
fn dice(seed: u32) -> impl FnMut(u32) -> u32 {
    let mut state = seed;
    move |sides| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((u64::from(state >> 8) * u64::from(sides)) >> 24) as u32
    }
}

fn noise(seed: u32, count: usize) -> Vec<f32> {
    let mut roll = dice(seed);
    (0..count).map(|_| roll(1 << 23) as f32 / (1 << 22) as f32 - 1.0).collect()
}

fn bits(samples: &[f32]) -> Vec<u32> {
    samples.iter().map(|sample| sample.to_bits()).collect()
}

/// The gain in decibels of a frequency, from what an impulse rings like.
fn gain(impulse: &[f32], hz: f64, rate: u32) -> f64 {
    let turn = TAU * hz / f64::from(rate);
    let [re, im] = impulse.iter().enumerate().fold([0.0; 2], |[re, im], (n, sample)| {
        let (sin, cos) = libm::sincos(turn * n as f64);
        [re + f64::from(*sample) * cos, im + f64::from(*sample) * sin]
    });
    10.0 * libm::log10(re * re + im * im)
}

/// What Butterworth's filter has, its frequencies bent by the bilinear transform.
fn prototype(is_high: bool, cutoff: f64, hz: f64, rate: u32) -> f64 {
    let bend = |hz: f64| libm::tan(PI * hz / f64::from(rate));
    let ratio = libm::pow(bend(hz) / bend(cutoff), 4.0);
    10.0 * libm::log10(if is_high { ratio / (1.0 + ratio) } else { 1.0 / (1.0 + ratio) })
}

const CUTOFFS: [f32; 12] = [
    60.0, 100.0, 160.0, 270.0, 450.0, 750.0, 1_200.0, 2_000.0, 3_400.0, 5_600.0, 9_500.0, 16_000.0,
];

#[test]
fn both_have_the_response_of_the_analogue_prototype() {
    for rate in [44_100, 48_000, 192_000] {
        for cutoff in CUTOFFS {
            for (is_high, mut filters) in [(false, low(cutoff, rate)), (true, high(cutoff, rate))] {
                let mut impulse = vec![0.0; rate as usize / 2];
                impulse[0] = 1.0;
                let response = filters.response();
                let [heard, half] = through(&mut filters, 0, &impulse);
                let halves = heard.iter().zip(&half);
                assert!(halves.fold(0.0, |most, (l, r)| (0.5 * l - r).abs().max(most)) < 1e-12);
                for octave in [-4.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 4.0] {
                    let hz = f64::from(cutoff) * libm::exp2(octave);
                    // What is 80 dB down is lost in the rounding of the samples.
                    let expected = prototype(is_high, f64::from(cutoff), hz, rate);
                    if hz > 0.49 * f64::from(rate) || expected < -80.0 {
                        continue;
                    }
                    let told = 10.0 * libm::log10(response.at(bent(hz / f64::from(rate))));
                    let heard = gain(&heard, hz, rate);
                    let what = format!("{heard} and {told} at {hz} of {cutoff} Hz, {rate}");
                    assert!((heard - expected).abs() < 0.02, "not {expected}, but {what}");
                    assert!((told - expected).abs() < 0.01, "not {expected}, but {what}");
                }
            }
        }
    }
}

#[test]
fn the_tangent_is_right_to_three_places() {
    for n in 1..=490 {
        let cycles = f64::from(n) / 1000.0;
        let apart = bent(cycles) / libm::tan(PI * cycles) - 1.0;
        assert!(apart.abs() < 5e-4, "{apart} at {cycles}");
    }
}

/// The frame on which filters are turned, a multiple of 128, and what is done then.
type Turn<'a> = (u64, &'a dyn Fn(&mut Filters));

/// The largest step of what is heard of a sine while filters are turned, in its own largest steps.
fn step(hz: f64, phase: f64, rate: u32, turns: &[Turn]) -> f64 {
    let mut filters = Filters::OFF;
    let last = turns.iter().map(|turn| turn.0).max().unwrap_or_default();
    let count = (last + u64::from(rate) / 4).next_multiple_of(128) as usize;
    let dry = sine(rate, hz, phase, count);
    let mut heard = Vec::new();
    for (now, part) in (0..).step_by(128).zip(dry.chunks(128)) {
        for (_, turn) in turns.iter().filter(|turn| turn.0 == now) {
            turn(&mut filters);
        }
        heard.extend_from_slice(&through(&mut filters, now, part)[0]);
    }
    let largest = |samples: &[f32]| {
        samples.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max)
    };
    f64::from(largest(&heard) / largest(&dry))
}

/// Sweeps over all of the range, on and off and back, also several in one quantum.
#[test]
fn nothing_clicks_while_a_filter_is_turned() {
    let mut worst = [0f64; 2];
    for rate in [8_000, 44_100] {
        let (declick, start) = (rate / 200, 128 * u64::from(rate / 1_280));
        for (over, apart) in [(5, 128), (5, 1_280), (50, 1_280), (50, 6_400)] {
            let over = rate * over / 1000;
            let set = |is_low: usize, hz: f32| {
                move |filters: &mut Filters| match is_low {
                    1 => filters.set_low_pass(hz, over, declick, rate),
                    _ => filters.set_high_pass(hz, over, declick, rate),
                }
            };
            let sweeps = [[20.0, 20_000.0], [20_000.0, 21.0], [19_999.0, 20.0], [500.0, 20_000.0]];
            for (n, [first, second]) in (0..).zip(sweeps) {
                for hz in [100f64, 440.0, 1_000.0, 5_000.0] {
                    for (is_low, worst) in worst.iter_mut().enumerate() {
                        let [first, second] = [first, second].map(|hz| set(is_low, hz));
                        let (middle, off) = (set(is_low, 1_000.0), set(is_low, f32::NAN));
                        let later = |turns: u64| start + 6_400 + turns * apart;
                        for phase in (0..8).filter(|phase| phase % 2 == n % 2) {
                            let turns: [Turn; 8] = [
                                (start, &first),
                                (later(0), &second),
                                (later(1), &first),
                                (later(1), &middle),
                                (later(2), &second),
                                (later(2), &off),
                                (later(3), &first),
                                (later(4), &off),
                            ];
                            let hz = hz.min(0.47 * f64::from(rate));
                            *worst = worst.max(step(hz, f64::from(phase) / 8.0, rate, &turns));
                        }
                    }
                }
            }
        }
    }
    let [high, low] = worst;
    println!("largest step of a sine: {low:.2} through a low-pass, {high:.2} through a high-pass");
    assert!(low < 1.5 && high < 1.5);
}

#[test]
fn off_is_exact_and_on_and_off_at_once_is_off() {
    let mut filters = Filters::OFF;
    let samples = [noise(1, 300), vec![-0.0, f32::MIN_POSITIVE / 2.0, 1e30]].concat();
    for hz in [500.0, 20.0, 30_000.0, f32::NAN] {
        filters.set_low_pass(hz, 9, DECLICK, RATE);
        filters.set_high_pass(hz, 9, DECLICK, RATE);
        filters.set_low_pass(20_000.0, 9, DECLICK, RATE);
        filters.set_high_pass(20.0, 9, DECLICK, RATE);
        assert!(filters.is_off());
        assert_eq!(bits(&through(&mut filters, 5, &samples)[0]), bits(&samples));
        assert_eq!(filters.response().at(bent(0.1)), 1.0);
    }
    assert_eq!(filters, Filters::OFF);
}

#[test]
fn turned_off_it_is_exact_from_the_frame_on_which_it_is_out() {
    let mut filters = high(300.0, RATE);
    filters.jump_low_pass(300.0, RATE);
    // Up to the edge: half a declick for each of six octaves, then one to be blended out.
    filters.set_low_pass(f32::NAN, 0, DECLICK, RATE);
    filters.set_high_pass(f32::NAN, 0, DECLICK, RATE);
    let up = libm::ceil(libm::log2(20_000.0 / 300.0) * 120.0) as usize;
    let samples = noise(3, 3_000);
    let [heard, _] = through(&mut filters, 0, &samples);
    let out = up + 240;
    assert_ne!(heard[out - 2], samples[out - 2]);
    assert_eq!(bits(&heard[out..]), bits(&samples[out..]));
    assert_eq!(filters, Filters::OFF);
}

#[test]
fn the_first_frame_of_a_filter_that_jumped_is_filtered_as_by_hand() {
    let samples = noise(4, 1_000);
    let [mut left, mut right] = [samples.clone(), samples.iter().map(|s| 0.5 * s).collect()];
    by_hand(&mut [[0.0; 2]; 2], 700.0, &mut left, &mut right);
    let heard = through(&mut low(700.0, RATE), 17, &samples);
    for (ours, by_hand) in heard.iter().flatten().zip(left.iter().chain(&right)) {
        assert!((ours - by_hand).abs() < 1e-5, "{ours}, not {by_hand}");
    }
}

/// What filters make of noise that begins on some frame, turned on others, cut wherever it is said.
fn cut(first: u64, turns: &[(u64, bool, f32, u32)], mut next: impl FnMut() -> u64) -> Vec<u32> {
    let samples = noise(5, 3_000);
    let mut filters = Filters::OFF;
    filters.jump_low_pass(3_000.0, RATE);
    let (mut heard, mut now, last) = (Vec::new(), first, first + samples.len() as u64);
    while now < last {
        for (_, is_low, hz, over) in turns.iter().filter(|turn| turn.0 == now) {
            match is_low {
                true => filters.set_low_pass(*hz, *over, DECLICK, RATE),
                false => filters.set_high_pass(*hz, *over, DECLICK, RATE),
            }
        }
        let turn = turns.iter().map(|turn| turn.0).filter(|at| *at > now).min().unwrap_or(last);
        let end = (now + next()).min(turn).min(last);
        let part = (now - first) as usize..(end - first) as usize;
        let [left, right] = through(&mut filters, now, &samples[part]);
        heard.extend(left.iter().zip(right).flat_map(|(l, r)| [l.to_bits(), r.to_bits()]));
        now = end;
    }
    heard
}

#[test]
fn however_frames_are_cut_the_bits_are_the_same() {
    let mut roll = dice(6);
    for _ in 0..60 {
        let first = 1_000 + u64::from(roll(200));
        let turns: Vec<(u64, bool, f32, u32)> = (0..roll(9))
            .map(|_| {
                let hz = [20.0, 21.0, 400.0, 7_000.0, 20_000.0][roll(5) as usize];
                (first + u64::from(roll(2_500)), roll(2) == 0, hz, roll(700))
            })
            .collect();
        let whole = cut(first, &turns, || u64::MAX / 2);
        for most in [1, 2, 33, 400] {
            let cut = cut(first, &turns, || u64::from(1 + roll(most)));
            let apart = cut.iter().zip(&whole).position(|(cut, whole)| cut != whole);
            assert_eq!((cut.len(), apart), (whole.len(), None), "from {first} on: {turns:?}");
        }
    }
}

#[test]
fn what_rings_falls_silent_exactly_and_is_never_a_denormal_number() {
    for hz in [21.0, 60.0, 1_000.0, 12_000.0, 19_999.0] {
        for mut filters in [low(hz, RATE), high(hz, RATE)] {
            through(&mut filters, 0, &noise(7, 4_800));
            assert!(!filters.is_silent());
            let [heard, _] = through(&mut filters, 4_800, &vec![0.0; RATE as usize]);
            assert!(heard.iter().all(|sample| *sample == 0.0 || sample.is_normal()));
            assert!(filters.is_silent(), "at {hz} Hz");
            assert_eq!(heard.last(), Some(&0.0));
        }
    }
}

#[test]
fn turned_wildly_it_stays_within_bounds_at_every_rate() {
    let rates = [1, 2, 3, 4, 7, 10, 100, 200, 1_000, 8_000, 44_100, 48_000, 192_000, 384_000];
    let mut roll = dice(8);
    for rate in rates {
        for declick in [0, rate / 200, rate / 200 + 1] {
            let mut filters = Filters::OFF;
            for now in (0..60_000).step_by(100) {
                let hz = [0.0, 20.0, 30.0, 2_000.0, 19_000.0, 1e9, f32::NAN][roll(7) as usize];
                let over = [0, 1, 30, 500, u32::MAX][roll(5) as usize];
                match roll(9) {
                    0..3 => filters.set_low_pass(hz, over, declick, rate),
                    3..6 => filters.set_high_pass(hz, over, declick, rate),
                    6 => filters.arrive(),
                    _ => (),
                }
                let [heard, _] = through(&mut filters, now, &noise(now as u32, 100));
                let most = heard.iter().fold(0f32, |most, sample| most.max(sample.abs()));
                // At the highest cut-off an integrator holds some 30 times what goes in.
                assert!(most < 32.0, "{most} at {rate} Hz");
                let power = filters.response().at(bent(0.2));
                assert!((-1e-9..1.0001).contains(&power), "{power} at {rate} Hz");
            }
        }
    }
}

#[test]
fn nothing_that_is_no_number_stays() {
    let mut filters = low(500.0, RATE);
    filters.jump_high_pass(100.0, RATE);
    through(&mut filters, 0, &[1.0, f32::NAN, 1.0, f32::INFINITY, 0.0]);
    let [heard, _] = through(&mut filters, 5, &[0.5; 200]);
    assert!(heard[59..].iter().all(|sample| sample.is_finite()));
}

#[test]
fn asked_for_the_same_again_it_is_not_held_up_but_may_be_hurried() {
    for hz in [300.0, 20_000.0] {
        let mut filters = low(3_000.0, RATE);
        for now in (0..9_600).step_by(128) {
            filters.set_low_pass(hz, 4_800, DECLICK, RATE);
            through(&mut filters, now, &[0.1; 128]);
        }
        let there = low(hz, RATE).response();
        assert_eq!(filters.response().low[1], there.low[1], "to {hz} Hz");
    }
    let mut filters = low(3_000.0, RATE);
    filters.set_low_pass(300.0, 48_000, DECLICK, RATE);
    filters.set_low_pass(300.0, 0, DECLICK, RATE);
    through(&mut filters, 0, &[0.1; DECLICK as usize]);
    assert_eq!(filters.response(), low(300.0, RATE).response());
}

#[test]
fn it_arrives_at_once_where_nobody_hears_it() {
    let mut filters = high(300.0, RATE);
    filters.set_low_pass(400.0, 48_000, DECLICK, RATE);
    filters.set_high_pass(f32::NAN, 48_000, DECLICK, RATE);
    through(&mut filters, 0, &[0.1; 128]);
    filters.arrive();
    assert_eq!(filters, low(400.0, RATE));
}

#[test]
fn two_filters_take_128_bytes() {
    assert_eq!(size_of::<Filters>(), 128);
}

type Work<'a> = dyn FnMut(u64, &mut [f32], &mut [f32]) + 'a;

/// Simper's loop as he has it, by hand.
fn by_hand(state: &mut [[f64; 2]; 2], hz: f64, left: &mut [f32], right: &mut [f32]) {
    let g = libm::tan(PI * hz / f64::from(RATE));
    let a1 = 1.0 / (1.0 + g * (g + SQRT_2));
    let (a2, a3) = (g * a1, g * g * a1);
    for (left, right) in left.iter_mut().zip(right) {
        for (sample, state) in [left, right].into_iter().zip(state.iter_mut()) {
            let behind = f64::from(*sample) - state[1];
            let band = a1 * state[0] + a2 * behind;
            let low = state[1] + a2 * state[0] + a3 * behind;
            *state = [2.0 * band - state[0], 2.0 * low - state[1]];
            *sample = low as f32;
        }
    }
}

#[test]
#[ignore = "it prints times: cargo test --release --lib filter -- --ignored --nocapture speed"]
fn the_speed_of_a_filter_beside_a_loop_by_hand() {
    const FRAMES: usize = 128;
    let time = |work: &mut Work| {
        let [mut left, mut right] = [1, 2].map(|seed| noise(seed, FRAMES));
        let mut best = f64::INFINITY;
        for _ in 0..200 {
            let begin = Instant::now();
            for quantum in 0..100 {
                work(quantum * FRAMES as u64, black_box(&mut left), black_box(&mut right));
                left[0] += 1.0;
                right[0] += 1.0;
            }
            best = best.min(begin.elapsed().as_secs_f64());
        }
        best * 1e9 / (100.0 * FRAMES as f64)
    };
    let mut state = [[0.0; 2]; 2];
    let hand = time(&mut |_, left, right| by_hand(&mut state, 1_000.0, left, right));
    let report = |what: &str, mut filters: Filters, turn: &dyn Fn(&mut Filters, u64)| {
        let ours = time(&mut |now, left, right| {
            turn(&mut filters, now);
            filters.process(now, left, right);
        });
        println!("{what}: {ours:.2} ns a frame, {:.2} of {hand:.2} by hand", ours / hand);
    };
    let still = |_: &mut Filters, _| ();
    report("low-pass", low(1_000.0, RATE), &still);
    report("high-pass", high(1_000.0, RATE), &still);
    let mut filters = low(1_000.0, RATE);
    filters.jump_high_pass(100.0, RATE);
    report("both", filters, &still);
    let turn = |filters: &mut Filters, now| {
        let hz = if now % 256 == 0 { 900.0 } else { 1_100.0 };
        filters.set_low_pass(hz, DECLICK, DECLICK, RATE);
    };
    report("low-pass, turned all the time", low(1_000.0, RATE), &turn);
    report("off", Filters::OFF, &still);
}

impl Filters {
    /// What they let through as they stand now.
    fn response(&self) -> Response {
        Response { low: self.low.response(), high: self.high.response() }
    }
}

impl Filter {
    fn response(&self) -> Pair {
        let cutoff = bent(libm::exp2(f64::from(self.cutoff(self.at))));
        [cutoff * cutoff * (cutoff * cutoff), f64::from(self.share(self.at))]
    }
}

/// What filters let through, as they stood when they were asked.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Response {
    /// For each of the two: the fourth power of its bent cut-off, and its share of what is heard.
    low: Pair,
    high: Pair,
}

impl Response {
    /// The gain of the power of a frequency, which is given [`bent`].
    fn at(&self, bent: f64) -> f64 {
        let square = bent * bent;
        let through = |pass: f64, [cutoff, share]: Pair| {
            1.0 + share * (pass * (1.0 / (cutoff + square * square)) - 1.0)
        };
        through(self.low[0], self.low) * through(square * square, self.high)
    }
}
