use std::collections::BTreeMap;
use std::f64::consts::{PI, SQRT_2, TAU};
use std::path::Path;

use crate::Sound;
use crate::sound::envelope::Envelope;
use crate::sound::samples::Samples;

/// Numbers from 0 to 1 that look random and are the same every time.
fn dice(seed: u32) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24)
    }
}

fn mono(rate: u32, samples: &[f64]) -> Envelope {
    Envelope::new(rate, &Samples::Mono32(samples.iter().map(|s| [*s as f32]).collect()))
}

/// A Butterworth filter of 12 dB an octave, by hand, and the gain of its power.
#[derive(Clone, Copy, Debug)]
struct Filter {
    is_high: bool,
    hz: f64,
    rate: u32,
}

impl Filter {
    fn bent(self, hz: f64) -> f64 {
        libm::tan(PI * (hz / f64::from(self.rate)).min(0.49))
    }

    fn run(self, samples: &[f64]) -> Vec<f64> {
        let g = self.bent(self.hz);
        let a = 1.0 / (1.0 + g * (g + SQRT_2));
        let (mut first, mut second) = (0.0, 0.0);
        samples
            .iter()
            .map(|sample| {
                let behind = sample - second;
                let band = a * first + g * a * behind;
                let low = second + g * a * first + g * g * a * behind;
                (first, second) = (2.0 * band - first, 2.0 * low - second);
                if self.is_high { sample - SQRT_2 * band - low } else { low }
            })
            .collect()
    }

    fn gain(self, hz: f64) -> f64 {
        let ratio = libm::pow(self.bent(hz) / self.bent(self.hz), 4.0);
        if self.is_high { ratio / (1.0 + ratio) } else { 1.0 / (1.0 + ratio) }
    }
}

/// Sounds of many kinds, with their names.
fn kinds() -> Vec<(&'static str, u32, Vec<f64>)> {
    let mut roll = dice(1);
    let mut kinds = Vec::new();
    let (rate, count) = (48_000, 24_000);
    let time = |n: usize| n as f64 / f64::from(rate);
    for _ in 0..5 {
        let hz = 50.0 * libm::exp2(8.3 * roll());
        let tone = |hz: f64, n: usize| libm::sin(TAU * hz * time(n));
        kinds.push(("tone", rate, (0..count).map(|n| 0.3 * tone(hz, n)).collect()));
        let fall = 0.03 + 0.3 * roll();
        let dying = |n: usize| libm::exp(-time(n) / fall);
        kinds.push(("dying tone", rate, (0..count).map(|n| dying(n) * tone(hz, n)).collect()));
        let partials: Vec<[f64; 2]> =
            (0..5).map(|_| [80.0 * libm::exp2(6.0 * roll()), roll()]).collect();
        let chord = |n: usize| partials.iter().map(|[hz, gain]| 0.1 * gain * tone(*hz, n)).sum();
        kinds.push(("chord", rate, (0..count).map(chord).collect()));
        let noise: Vec<f64> = (0..count).map(|_| 0.3 * (2.0 * roll() - 1.0)).collect();
        let brown = Filter { is_high: false, hz: 60.0, rate }.run(&noise);
        let burst = |n: usize| {
            dying(n) * noise[n] + 0.2 * tone(hz.min(300.0), n) * libm::exp(-time(n) / 0.2)
        };
        kinds.push(("burst", rate, (0..count).map(burst).collect()));
        kinds.push(("brown noise", rate, brown));
        kinds.push(("white noise", rate, noise));
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sounds");
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    for path in files.iter().filter(|path| path.extension().is_some_and(|end| end == "wav")) {
        let sound = Sound::load(path).unwrap();
        let samples = sound.frames().map(|[l, _]| f64::from(l)).take(48_000).collect();
        kinds.push(("file", sound.sample_rate(), samples));
    }
    kinds
}

/// How far off, in decibels, levels through filters are, each beside that of the filtered sound.
fn errors(
    kind: &'static str,
    rate: u32,
    samples: &[f64],
    roll: &mut impl FnMut() -> f64,
) -> Vec<f64> {
    let envelope = mono(rate, samples);
    let mut errors = Vec::new();
    for trial in 0..8 {
        let mut filter = |is_high| Filter { is_high, hz: 60.0 * libm::exp2(8.06 * roll()), rate };
        let filters = match trial % 4 {
            0 => vec![filter(false)],
            1 => vec![filter(true)],
            2 => vec![filter(false), filter(true)],
            _ => vec![filter(false), filter(false)],
        };
        let filtered = filters.iter().fold(samples.to_vec(), |samples, it| it.run(&samples));
        let truth = mono(rate, &filtered);
        for _ in 0..4 {
            let frame = (0.9 * roll() * roll() * samples.len() as f64) as u32;
            let exact = truth.power(frame, None, 1.0, [1.0; 2]);
            // Nobody hears what is less, or 50 dB less than it was.
            if exact < 1e-9 || exact < 1e-5 * envelope.power(frame, None, 1.0, [1.0; 2]) {
                continue;
            }
            let gain = |hz: f64| filters.iter().map(|filter| filter.gain(hz)).product();
            let ours = envelope.power_through(frame, None, 1.0, [1.0; 2], gain);
            errors.push(10.0 * libm::log10(ours / exact));
        }
    }
    assert!(!errors.is_empty(), "{kind}");
    errors
}

#[test]
fn through_filters_levels_are_right_within_1_5_db() {
    let mut roll = dice(2);
    let mut by_kind: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (kind, rate, samples) in kinds() {
        let errors = errors(kind, rate, &samples, &mut roll);
        by_kind.entry("all").or_default().extend(&errors);
        by_kind.entry(kind).or_default().extend(errors);
    }
    let mut shares = BTreeMap::new();
    for (kind, errors) in &by_kind {
        let within = errors.iter().filter(|error| error.abs() <= 1.5).count();
        let share = 100.0 * within as f64 / errors.len() as f64;
        println!("{kind}: {} trials, {share:.1} % within 1.5 dB", errors.len());
        shares.insert(kind, share);
    }
    assert!(shares[&"all"] >= 95.0 && shares.values().all(|share| *share >= 85.0), "{shares:?}");
}

/// A tone an octave up, at twice its speed, goes through a filter an octave up as it did.
#[test]
fn bands_are_where_they_are_heard() {
    let tone: Vec<f64> = (0..24_000).map(|n| libm::sin(TAU * f64::from(n) / 60.0)).collect();
    let envelope = mono(48_000, &tone);
    let level = |speed: f32, hz: f64| {
        let gain = |heard: f64| 1.0 / (1.0 + libm::pow(heard / hz, 4.0));
        let power = envelope.power_through(0, None, speed, [1.0; 2], gain);
        10.0 * libm::log10(power / envelope.power(0, None, speed, [1.0; 2]))
    };
    for (speed, hz, expected) in
        [(1.0, 800.0, -3.0), (2.0, 1_600.0, -3.0), (2.0, 800.0, -12.3), (0.5, 800.0, -0.3)]
    {
        let level = level(speed, hz);
        assert!(
            (level - expected).abs() < 0.5,
            "{level} dB, not {expected}, at {speed} below {hz} Hz"
        );
    }
}

#[test]
fn what_lets_everything_through_changes_nothing_and_nothing_is_heard_past_the_end() {
    let mut roll = dice(3);
    let samples: Vec<f64> = (0..10_000).map(|_| roll() - 0.5).collect();
    for rate in [1, 7, 100, 8_000, 48_000, 384_000] {
        let envelope = mono(rate, &samples);
        for frame in [0, 1, 479, 480, 9_999, 10_000, u32::MAX] {
            for looping in
                [None, Some((0, 10_000)), Some((100, 4_000)), Some((100, 120)), Some((0, u32::MAX))]
            {
                for speed in [0.25, 1.0, 3.0] {
                    let all = envelope.power(frame, looping, speed, [1.0; 2]);
                    let same = envelope.power_through(frame, looping, speed, [1.0; 2], |_| 1.0);
                    assert!((same - all).abs() <= 1e-9 * all, "{same}, not {all}");
                    let half = envelope.power_through(frame, looping, speed, [1.0; 2], |_| 0.5);
                    assert!((half - 0.5 * all).abs() <= 1e-9 * all, "{half}, not half of {all}");
                }
            }
        }
    }
}

/// Low, then high: what a loop turns through is what counts.
#[test]
fn a_loop_is_heard_as_it_turns() {
    let tone =
        |n: u32| libm::sin(TAU * f64::from(n) / if n % 24_000 < 12_000 { 240.0 } else { 12.0 });
    let once: Vec<f64> = (0..24_000).map(tone).collect();
    let often: Vec<f64> = (0..240_000).map(tone).collect();
    let (turning, often) = (mono(48_000, &once), mono(48_000, &often));
    for is_high in [false, true] {
        let gain = |hz| Filter { is_high, hz: 800.0, rate: 48_000 }.gain(hz);
        for frame in (0..24_000).step_by(1_000) {
            let ours = turning.power_through(frame, Some((0, 24_000)), 1.0, [1.0; 2], gain);
            let exact = often.power_through(frame, None, 1.0, [1.0; 2], gain);
            let off = 10.0 * libm::log10(ours / exact);
            assert!(off.abs() < 0.6, "{off} dB at {frame}");
        }
    }
}
