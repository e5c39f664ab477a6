use super::*;
use std::f64::consts::TAU;

/// What files and devices have.
const USUAL: [u32; 7] = [22_050, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000];

/// What they seldom have.
const ODD: [(u32, u32); 4] = [(48_000, 8_000), (44_101, 48_000), (48_000, 44_101), (3, 7)];

/// Every usual rate to every other, and some odd ones.
fn pairs() -> impl Iterator<Item = (u32, u32)> {
    let usual = USUAL.into_iter().flat_map(|from| USUAL.map(|to| (from, to)));
    usual.filter(|(from, to)| from != to).chain(ODD)
}

fn convert_all<T: Sample, const CHANNELS: usize>(
    source: &[[T; CHANNELS]],
    filter: &Filter,
) -> Vec<[f32; CHANNELS]> {
    let count = filter.output_frames(source.len()) as usize;
    convert(source, 0..source.len(), filter, count).expect("memory").frames.to_vec()
}

/// Of a clip without loop points.
fn resample(samples: &Samples, from: u32, to: u32) -> Result<(Samples, Seam), String> {
    super::resample(samples, from, to, None)
}

fn tone(hz: f64, rate: u32, count: usize) -> Vec<[f32; 1]> {
    (0..count)
        .map(|n| [(0.9 * libm::sin(TAU * hz * n as f64 / f64::from(rate) + 0.3)) as f32])
        .collect()
}

/// What is away from the ends by the filter's length, and where it starts.
fn inner(output: &[[f32; 1]], from: u32, to: u32) -> (usize, Vec<f64>) {
    let margin = REACH * to.max(from).div_ceil(from) as usize + 1;
    let inside = &output[margin..output.len() - margin];
    (margin, inside.iter().map(|&[s]| f64::from(s)).collect())
}

/// The sine of this frequency nearest to the signal: its amplitude, and the rest's power
/// against its own, in dB.
fn fit(signal: &[f64], first: usize, hz: f64, rate: u32) -> (f64, f64) {
    let angle = |n: usize| TAU * hz * (first + n) as f64 / f64::from(rate);
    let (mut ss, mut sc, mut cc, mut ys, mut yc) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (n, y) in signal.iter().enumerate() {
        let (s, c) = (angle(n).sin(), angle(n).cos());
        (ss, sc, cc) = (ss + s * s, sc + s * c, cc + c * c);
        (ys, yc) = (ys + y * s, yc + y * c);
    }
    let det = ss * cc - sc * sc;
    let (a, b) = ((ys * cc - yc * sc) / det, (yc * ss - ys * sc) / det);
    let rest = signal.iter().enumerate().map(|(n, y)| {
        let fitted = a * angle(n).sin() + b * angle(n).cos();
        (y - fitted) * (y - fitted)
    });
    let power = a * a + b * b;
    let noise = rest.sum::<f64>() / signal.len() as f64;
    (power.sqrt(), 10.0 * (power / 2.0 / noise).log10())
}

fn source_frames(from: u32, to: u32) -> usize {
    // Enough for 400 frames of output beside the filter's length at both ends.
    (2 * REACH + 400) * from.div_ceil(to.min(from)) as usize
}

#[test]
fn tones_come_through_with_120_db_to_spare() {
    for (from, to) in pairs() {
        let filter = Filter::new(from, to);
        let edge = f64::from(from.min(to)) / 2.0;
        for fraction in [0.013, 0.1, 0.25, 0.37, 0.5, 0.61, 0.75, 0.83, 0.9] {
            let hz = edge * fraction;
            let source = tone(hz, from, source_frames(from, to));
            let output = convert_all(&source, &filter);
            let (first, signal) = inner(&output, from, to);
            let (amplitude, snr) = fit(&signal, first, hz, to);
            assert!(snr > 120.0, "{from} -> {to}, {fraction}: {snr} dB");
            let gain = 20.0 * (amplitude / 0.9).log10();
            assert!(gain.abs() < 1e-4, "{from} -> {to}, {fraction}: gain {gain} dB");
        }
    }
}

#[test]
fn what_the_lower_rate_cannot_hold_is_gone() {
    for (from, to) in pairs().filter(|(from, to)| from > to) {
        let filter = Filter::new(from, to);
        let edge = f64::from(to) / 2.0;
        let nyquist = f64::from(from) / 2.0;
        for fraction in [0.0, 0.1, 0.3, 0.5, 0.7, 0.9] {
            let hz = edge + (nyquist - edge) * fraction;
            let source = tone(hz, from, source_frames(from, to));
            let output = convert_all(&source, &filter);
            let (_, signal) = inner(&output, from, to);
            let power = signal.iter().map(|s| s * s).sum::<f64>() / signal.len() as f64;
            let left = 10.0 * (power / (0.9 * 0.9 / 2.0)).log10();
            assert!(left < -125.0, "{from} -> {to}, {hz} Hz: {left} dB");
        }
    }
}

#[test]
fn a_constant_stays_itself() {
    for (from, to) in pairs() {
        let filter = Filter::new(from, to);
        let source = vec![[0.5f32]; source_frames(from, to)];
        let output = convert_all(&source, &filter);
        let (_, signal) = inner(&output, from, to);
        for sample in signal {
            assert!((sample - 0.5).abs() < 0.5e-6, "{from} -> {to}: {sample}");
        }
    }
}

#[test]
fn an_impulse_stays_at_its_time() {
    for (from, to, at, expected) in [(2, 4, 200, 400), (3, 4, 300, 400), (4, 2, 400, 200)] {
        let filter = Filter::new(from, to);
        let mut source = vec![[0f32; 2]; 2 * at];
        source[at] = [1.0, -0.5];
        let output = convert_all(&source, &filter);
        assert_eq!(output.len(), 2 * expected);
        let loudest = (0..output.len()).max_by(|&a, &b| {
            let level = |at: usize| output[at][0].abs();
            level(a).total_cmp(&level(b))
        });
        assert_eq!(loudest, Some(expected));
        for n in 1..expected {
            assert_eq!(output[expected - n], output[expected + n]);
            assert_eq!(output[expected - n][1], output[expected - n][0] * -0.5);
        }
    }
}

#[test]
fn the_length_is_rounded_up() {
    for (frames, from, to, expected) in [
        (1, 1, 1_000, 1_000),
        (1, 1_000, 1, 1),
        (1_001, 1_000, 1, 2),
        (441, 44_100, 48_000, 480),
        (442, 44_100, 48_000, 482),
    ] {
        let output = convert_all(&vec![[0i16]; frames], &Filter::new(from, to));
        assert_eq!(output.len(), expected);
    }
}

#[test]
fn kept_weights_and_those_made_on_the_way_give_the_same_bits() {
    let source: Vec<[i16; 2]> = (0..700i32)
        .map(|n| [(n * 7_919 % 65_536 - 32_768) as i16, (n * n % 30_011) as i16])
        .collect();
    for (from, to) in [(44_100, 48_000), (48_000, 22_050)] {
        let mut filter = Filter::new(from, to);
        let count = filter.output_frames(source.len()) as usize;
        for clip in [false, true].map(|looping| Clip { source: &source, origin: 0, looping }) {
            let mut kept = vec![[0.0; 2]; count];
            let mut made = kept.clone();
            filter.run(clip, 5, &mut kept);
            let rows = std::mem::take(&mut filter.rows);
            filter.run(clip, 5, &mut made);
            filter.rows = rows;
            assert_eq!(kept, made);
        }
    }
}

#[test]
fn the_cubic_is_the_curve_to_ten_places() {
    let filter = Filter::new(1, 5_801);
    assert_eq!(filter.phases, 5_801);
    for phase in (0..filter.up).step_by(97) {
        for tap in 0..filter.taps() {
            let t = filter.reach as f64 - 1.0 - tap as f64 + phase as f64 / filter.up as f64;
            let exact = match t.abs() < REACH as f64 {
                true => windowed(t) / kaiser(0.0),
                false => 0.0,
            };
            let error = (filter.weight(phase + 1, tap) - exact).abs();
            assert!(error < 1e-10, "{t}: {error:e}");
        }
    }
}

/// The ways to the weights: kept for each phase, kept for some, and worked out as they are used.
#[test]
fn every_ratio_has_its_way() {
    let way = |from, to| {
        let filter = Filter::new(from, to);
        (filter.phases, filter.rows.len() as u64 / filter.row())
    };
    assert_eq!(way(44_100, 48_000), (160, 163));
    assert_eq!(way(192_000, 44_100), (147, 150));
    assert_eq!(way(44_101, 48_000), (512, 515));
    assert_eq!(way(96_001, 48_000), (512, 515));
    assert_eq!(way(384_000, 1), (1, 0));
    assert_eq!(way(383_999, 8_000), (8_000, 0));
}

#[test]
fn the_widest_ratios_neither_hang_nor_fill_the_memory() {
    let down = convert_all(&vec![[0.5f32]; 400_000], &Filter::new(384_000, 1));
    assert_eq!(down.len(), 2);
    let up = convert_all(&[[1.0f32], [0.0]], &Filter::new(1, 384_000));
    assert_eq!(up.len(), 768_000);
    let silence = Samples::Mono32(vec![[0.0]; 3_000].into());
    assert!(resample(&silence, 1, 384_000).is_err());
}

fn mono16(samples: impl IntoIterator<Item = i16>) -> Samples {
    Samples::Mono16(samples.into_iter().map(|sample| [sample]).collect())
}

/// A sine in sixteen bits, as a program writes it that does not dither.
fn sine16(amplitude: f64, hz: f64, rate: u32, count: u32) -> Samples {
    let step = TAU * hz / f64::from(rate);
    mono16(
        (0..count).map(|n| (32_767.0 * amplitude * libm::sin(step * f64::from(n))).round() as i16),
    )
}

/// The same samples as floats, which stay floats.
fn floats(samples: &Samples) -> Samples {
    Samples::Mono32((0..samples.frame_count()).map(|at| [samples.frame(at)[0]]).collect())
}

#[test]
fn sixteen_bits_stay_sixteen_bits_to_the_nearest() {
    for (from, to) in pairs() {
        let source = sine16(0.5, f64::from(from) / 7.3, from, 3_000);
        let (rounded, rounded_seam) = resample(&source, from, to).unwrap();
        let (exact, exact_seam) = resample(&floats(&source), from, to).unwrap();
        for (rounded, exact) in [(rounded, exact), (rounded_seam.frames, exact_seam.frames)] {
            assert!(matches!((&rounded, &exact), (Samples::Mono16(_), Samples::Mono32(_))));
            assert_eq!(rounded.frame_count(), exact.frame_count());
            for at in 0..rounded.frame_count() {
                let off = 32_768.0 * (rounded.frame(at)[0] - exact.frame(at)[0]).abs();
                assert!(off <= 0.501, "{from} to {to}, frame {at}: off by {off} steps");
            }
        }
    }
}

/// What rounding adds, to the ear, beside what it added when the file was written: steady tones
/// and tails that die away into the last bit.
#[test]
fn rounding_adds_no_more_noise_than_the_file_has() {
    fn tone(gain: f64, n: u32) -> f64 {
        gain * libm::sin(0.0627 * f64::from(n))
    }
    type Signal = fn(u32) -> f64;
    let kinds: [(&str, Signal); 4] = [
        ("-20 dB", |n| tone(0.1, n)),
        ("-36 dB", |n| tone(0.016, n)),
        ("a tail from -20 dB", |n| tone(0.1, n) * libm::exp(-f64::from(n) / 9_000.0)),
        ("noise", |n| f64::from(n.wrapping_mul(0x9E37_79B9) as i32) / 1e10),
    ];
    let loudness = |noise: &dyn Fn(usize) -> f32, count: usize| {
        let frames: Vec<_> = (0..count).map(|at| [noise(at), 0.0]).collect();
        crate::loudness(48_000, &frames)
    };
    for (what, signal) in kinds {
        let ideal: Arc<[[f32; 1]]> = (0..88_200).map(|n| [signal(n) as f32]).collect();
        let file = mono16(ideal.iter().map(|[sample]| (sample * 32_768.0).round() as i16));
        let ideal = resample(&Samples::Mono32(ideal), 44_100, 48_000).unwrap().0;
        let exact = resample(&floats(&file), 44_100, 48_000).unwrap().0;
        let rounded = resample(&file, 44_100, 48_000).unwrap().0;
        assert!(matches!(rounded, Samples::Mono16(_)), "{what}");
        let between = |a: &Samples, b: &Samples| {
            loudness(&|at| a.frame(at)[0] - b.frame(at)[0], rounded.frame_count())
        };
        let (own, added) = (between(&exact, &ideal), between(&rounded, &exact));
        println!("{what}: {own:.1} dB of its own, {added:.1} dB more");
        assert!(added < -97.5 && added < own + 0.5, "{what}: {added} dB beside {own} dB");
    }
}

#[test]
fn a_peak_between_two_samples_is_not_clipped() {
    // Every fourth of a turn from an eighth on: the samples are at 0.707 of its height.
    let tone = |height: f64| {
        let sample = height * std::f64::consts::FRAC_1_SQRT_2;
        let turn = [sample, sample, -sample, -sample].map(|sample| (32_768.0 * sample) as i16);
        let samples = turn.repeat(250);
        // Faded in and out, so that the clip's ends are no peaks of their own.
        let fade = |at: usize| at.min(999 - at).min(200) as f64 / 200.0;
        mono16(samples.into_iter().enumerate().map(|(at, s)| (f64::from(s) * fade(at)) as i16))
    };
    let kept = |height| resample(&tone(height), 44_100, 48_000).unwrap();
    let (below, seam) = kept(0.99);
    assert!(matches!((below, seam.frames), (Samples::Mono16(_), Samples::Mono16(_))));
    let (above, seam) = kept(1.2);
    assert!(matches!((&above, &seam.frames), (Samples::Mono32(_), Samples::Mono32(_))));
    let peak = (0..above.frame_count()).fold(0f32, |peak, at| peak.max(above.frame(at)[0].abs()));
    assert!((1.19..1.21).contains(&peak), "{peak}");
}

/// Played once, its ends are two clicks that fit; where it turns they stand side by side.
#[test]
fn a_peak_at_the_seam_is_not_clipped() {
    let ends = |last| {
        let silence = iter::repeat_n(0, 500);
        let clip = mono16(iter::once(32_767).chain(silence).chain(iter::once(last)));
        resample(&clip, 24_000, 48_000).unwrap()
    };
    assert!(matches!(ends(0), (Samples::Mono16(_), Seam { frames: Samples::Mono16(_), .. })));
    assert!(matches!(ends(32_767), (Samples::Mono32(_), Seam { frames: Samples::Mono32(_), .. })));
}

#[test]
fn what_is_faint_becomes_floats_and_what_is_silent_stays_silent() {
    let kept = |peak| resample(&sine16(peak, 1_000.0, 44_100, 2_000), 44_100, 48_000).unwrap().0;
    assert!(matches!(kept(0.017), Samples::Mono16(_)));
    assert!(matches!(kept(0.015), Samples::Mono32(_)));
    let bang = mono16((0..4_000).map(|n| if n < 100 { 16_384 } else { 0 }));
    let after = resample(&bang, 44_100, 48_000).unwrap().0;
    assert!((210..after.frame_count()).all(|at| after.frame(at) == [0.0; 2]));
}

/// A head may claim any length, and a tag any loop.
#[test]
fn no_length_is_too_long_to_be_told() {
    for (from, to) in [(44_100, 48_000), (96, 48_000), (384_000, 8_000)] {
        let filter = Filter::new(from, to);
        assert_eq!(filter.output_frames(0), 0);
        for frames in [usize::MAX, usize::MAX / 2, 8_589_935] {
            let count = filter.output_frames(frames).min(u64::from(u32::MAX)) as usize;
            for range in [0..frames, frames - 1..frames, frames / 2..frames, 0..1] {
                let Loop { start, end, seam } = filter.turns(&range, count);
                assert!(start < end && end as usize <= count, "{range:?}: {start}..{end}");
                assert!(seam <= (end - start).div_ceil(2), "{range:?}: {start}..{end}, {seam}");
            }
        }
    }
}
