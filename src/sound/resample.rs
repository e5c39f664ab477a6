//! Another sample rate, offline: a windowed sinc in `f64`, summed in one fixed order.
//!
//! Everything is a sum of products of `libm`'s numbers, never fused, so every processor gives
//! the same bits. The filter is one curve, drawn once and read for every ratio of rates: its
//! unit is a frame of the lower of the two.

use std::f64::consts::PI;
use std::sync::{Arc, OnceLock};

use super::samples::{Sample, Samples, Seam, tamed};
use crate::link::message::Loop;

/// In the middle between 0.9 of the band edge, which is kept, and the edge itself, beyond
/// which everything is gone. In cycles per frame, of which half a one is the edge.
const CUTOFF: f64 = 0.475;

/// How far below the signal the stop band lies, in dB, with some to spare above 125.
const STOP_BAND: f64 = 136.0;

/// The frames the filter reaches to either side: what Kaiser's formula,
/// `(STOP_BAND - 7.95) / 14.36 / 0.05 / 2`, asks for.
const REACH: usize = 90;

/// How finely the curve is drawn; a cubic through the points is then right to 1e-11.
const POINTS: usize = 512;

/// Up to this many coefficients (8 MB) are kept; beyond, they are worked out as they are used.
const MOST_KEPT: u64 = 1 << 20;

/// Rates further apart than this have no seam: it would be as long as any clip, and its filter
/// longer.
const WIDEST_SEAM: u64 = 500;

/// What a result may take.
const MOST_BYTES: u64 = 1 << 32;

/// The samples at another rate, as `f32`. Frame `n` is heard when it was, at `n × to / from`,
/// and outside the clip there is silence; in a loop there is not, and for that there is the seam.
pub(crate) fn resample(samples: &Samples, from: u32, to: u32) -> Result<(Samples, Seam), String> {
    match samples {
        Samples::Mono16(frames) => Ok(convert(frames, from, to)?.kept_as(Samples::Mono32)),
        Samples::Mono32(frames) => Ok(convert(frames, from, to)?.kept_as(Samples::Mono32)),
        Samples::Stereo16(frames) => Ok(convert(frames, from, to)?.kept_as(Samples::Stereo32)),
        Samples::Stereo32(frames) => Ok(convert(frames, from, to)?.kept_as(Samples::Stereo32)),
    }
}

/// A clip at its new rate, and how it loops.
#[derive(Debug)]
struct Converted<const CHANNELS: usize> {
    frames: Arc<[[f32; CHANNELS]]>,
    turns: Loop,
    seam: Arc<[[f32; CHANNELS]]>,
}

impl<const CHANNELS: usize> Converted<CHANNELS> {
    fn kept_as(self, kind: fn(Arc<[[f32; CHANNELS]]>) -> Samples) -> (Samples, Seam) {
        (kind(self.frames), Seam { turns: self.turns, frames: kind(self.seam) })
    }
}

fn convert<T: Sample, const CHANNELS: usize>(
    frames: &[[T; CHANNELS]],
    from: u32,
    to: u32,
) -> Result<Converted<CHANNELS>, String> {
    let ratio = Ratio::new(from, to);
    let count = ratio.output_frames(frames.len());
    let most = MOST_BYTES / size_of::<[f32; CHANNELS]>() as u64;
    let count =
        usize::try_from(count).ok().filter(|&count| count as u64 <= most).ok_or_else(|| {
            format!("would be {count} frames at {to} Hz; at most {most} fit into 4 GiB")
        })?;
    let kept =
        if ratio.up * ratio.taps() <= MOST_KEPT { ratio.all_coefficients() } else { Vec::new() };
    let stored = |frame: [f64; CHANNELS]| frame.map(|sample| tamed(sample as f32));
    let turns = ratio.turns(frames.len());
    let (end, reach) = (turns.end as usize, turns.seam as usize);
    let seam = (0..2 * reach).map(|at| if at < reach { end - reach + at } else { at - reach });
    Ok(Converted {
        frames: (0..count).map(|at| stored(ratio.frame(frames, &kept, at))).collect(),
        turns,
        seam: seam.map(|at| stored(ratio.looping_frame(frames, &kept, at))).collect(),
    })
}

/// Two rates, reduced: `up` output frames last as long as `down` source frames.
struct Ratio {
    up: u64,
    down: u64,
    /// Distances are counted in steps, `up` to a source frame, this many to a frame of the
    /// lower rate.
    steps: u64,
    /// How many source frames the filter reaches to either side.
    reach: u64,
    points_per_step: f64,
    curve: &'static [f64],
}

impl Ratio {
    fn new(from: u32, to: u32) -> Ratio {
        let common = common_divisor(from, to);
        let (up, down) = (u64::from(to / common), u64::from(from / common));
        let steps = up.max(down);
        Ratio {
            up,
            down,
            steps,
            reach: (REACH as u64 * steps).div_ceil(up),
            points_per_step: POINTS as f64 / steps as f64,
            curve: curve(),
        }
    }

    fn output_frames(&self, source_frames: usize) -> u64 {
        (source_frames as u64 * self.up).div_ceil(self.down)
    }

    /// Where a clip of so many frames turns: a whole number of frames from its beginning, half a
    /// frame at most from where it ends.
    fn turns(&self, source_frames: usize) -> Loop {
        let end = ((2 * source_frames as u64 * self.up + self.down) / (2 * self.down)).max(1);
        let reach = (REACH as u64 * self.steps).div_ceil(self.down).min(end.div_ceil(2));
        let near = self.steps <= WIDEST_SEAM * self.up.min(self.down);
        Loop { start: 0, end: end as u32, seam: if near { reach as u32 } else { 0 } }
    }

    fn taps(&self) -> u64 {
        2 * self.reach
    }

    /// The weight of one source frame: `tap` counts from the earliest within reach, `phase`
    /// is how many steps the output frame lies behind the source frame before it.
    fn coefficient(&self, phase: u64, tap: u64) -> f64 {
        let here = (self.reach - 1) * self.up + phase;
        let distance = here.abs_diff(tap * self.up);
        if distance >= REACH as u64 * self.steps {
            return 0.0;
        }
        // Below 90 × 384,000, and 32 bits convert twice as fast as 64.
        let x = f64::from(distance as u32) * self.points_per_step;
        let point = x as u32 as usize;
        let Some(&[a, b, c, d]) = self.curve.get(point..).and_then(|p| p.first_chunk()) else {
            return 0.0;
        };
        // Lagrange's cubic through the points at -1, 0, 1 and 2.
        let t = x - point as f64;
        let (u, v, w) = (t + 1.0, t - 1.0, t - 2.0);
        let outer = t * v * (u * d - w * a);
        let inner = u * w * (v * b - t * c);
        inner / 2.0 + outer * (1.0 / 6.0)
    }

    /// Every coefficient, one row of taps for each phase.
    fn all_coefficients(&self) -> Vec<f64> {
        (0..self.up)
            .flat_map(|phase| (0..self.taps()).map(move |tap| self.coefficient(phase, tap)))
            .collect()
    }

    /// One output frame; `kept` is empty or holds all coefficients.
    fn frame<T: Sample, const CHANNELS: usize>(
        &self,
        frames: &[[T; CHANNELS]],
        kept: &[f64],
        at: usize,
    ) -> [f64; CHANNELS] {
        let (before, phase) = self.place(at);
        // What lies outside the clip is left out: at a ratio of 384,000 the filter is half a
        // gigabyte long, the clip seldom.
        let end = frames.len().min((before + self.reach + 1) as usize);
        let begin = (before + 1).saturating_sub(self.reach);
        let first_tap = (begin + self.reach) - (before + 1);
        let heard = frames.get(begin as usize..end).unwrap_or_default();

        let mut sums = Sums::default();
        self.add(&mut sums, heard, kept, phase, first_tap);
        self.total(sums)
    }

    /// The same of a clip that follows itself, round and round.
    fn looping_frame<T: Sample, const CHANNELS: usize>(
        &self,
        frames: &[[T; CHANNELS]],
        kept: &[f64],
        at: usize,
    ) -> [f64; CHANNELS] {
        let (before, phase) = self.place(at);
        let turn = frames.len() as u64;
        // The earliest frame within reach, or where it comes again.
        let earliest = before + 1 + self.reach.next_multiple_of(turn) - self.reach;
        let mut rest = frames.get((earliest % turn) as usize..).unwrap_or_default();
        let (mut sums, mut tap) = (Sums::default(), 0);
        while tap < self.taps() {
            let heard = rest.get(..(self.taps() - tap) as usize).unwrap_or(rest);
            self.add(&mut sums, heard, kept, phase, tap);
            tap += heard.len() as u64;
            rest = frames;
        }
        self.total(sums)
    }

    /// The source frame at or before an output frame, and how many steps it lies behind that.
    fn place(&self, at: usize) -> (u64, u64) {
        let steps = at as u64 * self.down;
        (steps / self.up, steps % self.up)
    }

    /// Adds source frames, of which the first is at this tap.
    fn add<T: Sample, const CHANNELS: usize>(
        &self,
        sums: &mut Sums<CHANNELS>,
        heard: &[[T; CHANNELS]],
        kept: &[f64],
        phase: u64,
        first_tap: u64,
    ) {
        const AT_ONCE: usize = 64;
        let row = (phase * self.taps() + first_tap) as usize;
        if let Some(coefficients) = kept.get(row..row + heard.len()) {
            return sums.add(coefficients, heard);
        }
        let mut coefficients = [0.0; AT_ONCE];
        let mut tap = first_tap;
        for heard in heard.chunks(AT_ONCE) {
            for (coefficient, _) in coefficients.iter_mut().zip(heard) {
                *coefficient = self.coefficient(phase, tap);
                tap += 1;
            }
            sums.add(&coefficients, heard);
        }
    }

    fn total<const CHANNELS: usize>(&self, sums: Sums<CHANNELS>) -> [f64; CHANNELS] {
        // Where the source is the finer one, more of its frames add up.
        let gain = self.up as f64 / self.steps as f64;
        sums.total().map(|sample| sample * gain)
    }
}

/// Four sums for each channel: one would have every addition wait for the one before it.
struct Sums<const CHANNELS: usize>([[f64; CHANNELS]; 4]);

impl<const CHANNELS: usize> Default for Sums<CHANNELS> {
    fn default() -> Self {
        Sums([[0.0; CHANNELS]; 4])
    }
}

impl<const CHANNELS: usize> Sums<CHANNELS> {
    fn add<T: Sample>(&mut self, coefficients: &[f64], frames: &[[T; CHANNELS]]) {
        let (fours, rest) = frames.as_chunks::<4>();
        let (coefficient_fours, _) = coefficients.as_chunks::<4>();
        for (coefficients, frames) in coefficient_fours.iter().zip(fours) {
            self.add_each(coefficients, frames);
        }
        self.add_each(coefficients.get(fours.len() * 4..).unwrap_or_default(), rest);
    }

    #[inline(always)]
    fn add_each<T: Sample>(&mut self, coefficients: &[f64], frames: &[[T; CHANNELS]]) {
        for ((sums, coefficient), frame) in self.0.iter_mut().zip(coefficients).zip(frames) {
            for (sum, sample) in sums.iter_mut().zip(frame) {
                *sum += coefficient * f64::from(sample.value());
            }
        }
    }

    fn total(self) -> [f64; CHANNELS] {
        let [a, b, c, d] = self.0;
        std::array::from_fn(|channel| (a[channel] + b[channel]) + (c[channel] + d[channel]))
    }
}

/// One side of the filter, from one point before its middle to two beyond its end, where a
/// cubic still reads.
fn curve() -> &'static [f64] {
    static CURVE: OnceLock<Box<[f64]>> = OnceLock::new();
    CURVE.get_or_init(|| {
        (0..REACH * POINTS + 4)
            .map(|point| {
                let t = (point as f64 - 1.0) / POINTS as f64;
                sinc(2.0 * CUTOFF * t) * 2.0 * CUTOFF * kaiser(t / REACH as f64)
            })
            .collect()
    })
}

fn sinc(x: f64) -> f64 {
    if x == 0.0 {
        return 1.0;
    }
    libm::sin(PI * x) / (PI * x)
}

/// Kaiser's window, 1 in the middle and least at `x` = ±1.
fn kaiser(x: f64) -> f64 {
    const SHAPE: f64 = 0.1102 * (STOP_BAND - 8.7);
    bessel(SHAPE * SHAPE * (1.0 - x * x)) / bessel(SHAPE * SHAPE)
}

/// The modified Bessel function of order 0, of the root of `square`: a series that serves
/// just as well where `square` is below 0.
fn bessel(square: f64) -> f64 {
    // The terms rise until `k` is half the root, some 7, then fall faster than any power.
    const TERMS: i32 = 60;
    let mut sum = 1.0;
    let mut term = 1.0;
    for k in 1..=TERMS {
        term *= square / 4.0 / f64::from(k * k);
        sum += term;
    }
    sum
}

fn common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a.max(1) } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    const PAIRS: [(u32, u32); 9] = [
        (44_100, 48_000),
        (48_000, 44_100),
        (22_050, 48_000),
        (96_000, 48_000),
        (48_000, 8_000),
        (44_100, 192_000),
        (44_101, 48_000),
        (48_000, 44_101),
        (3, 7),
    ];

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
        for (from, to) in PAIRS {
            let edge = f64::from(from.min(to)) / 2.0;
            for fraction in [0.013, 0.1, 0.25, 0.37, 0.5, 0.61, 0.75, 0.83, 0.9] {
                let hz = edge * fraction;
                let source = tone(hz, from, source_frames(from, to));
                let output = convert(&source, from, to).unwrap().frames;
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
        for (from, to) in PAIRS.into_iter().filter(|(from, to)| from > to) {
            let edge = f64::from(to) / 2.0;
            let nyquist = f64::from(from) / 2.0;
            for fraction in [0.0, 0.1, 0.3, 0.5, 0.7, 0.9] {
                let hz = edge + (nyquist - edge) * fraction;
                let source = tone(hz, from, source_frames(from, to));
                let output = convert(&source, from, to).unwrap().frames;
                let (_, signal) = inner(&output, from, to);
                let power = signal.iter().map(|s| s * s).sum::<f64>() / signal.len() as f64;
                let left = 10.0 * (power / (0.9 * 0.9 / 2.0)).log10();
                assert!(left < -125.0, "{from} -> {to}, {hz} Hz: {left} dB");
            }
        }
    }

    #[test]
    fn a_constant_stays_itself() {
        for (from, to) in PAIRS {
            let source = vec![[0.5f32]; source_frames(from, to)];
            let output = convert(&source, from, to).unwrap().frames;
            let (_, signal) = inner(&output, from, to);
            for sample in signal {
                assert!((sample - 0.5).abs() < 0.5e-6, "{from} -> {to}: {sample}");
            }
        }
    }

    #[test]
    fn an_impulse_stays_at_its_time() {
        for (from, to, at, expected) in [(2, 4, 200, 400), (3, 4, 300, 400), (4, 2, 400, 200)] {
            let mut source = vec![[0f32; 2]; 2 * at];
            source[at] = [1.0, -0.5];
            let output = convert(&source, from, to).unwrap().frames;
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
            let output = convert(&vec![[0i16]; frames], from, to).unwrap();
            assert_eq!(output.frames.len(), expected);
        }
    }

    #[test]
    fn kept_coefficients_and_those_made_on_the_way_give_the_same_bits() {
        let source: Vec<[i16; 2]> = (0..700i32)
            .map(|n| [(n * 7_919 % 65_536 - 32_768) as i16, (n * n % 30_011) as i16])
            .collect();
        for (from, to) in [(44_100, 48_000), (48_000, 22_050)] {
            let ratio = Ratio::new(from, to);
            let kept = ratio.all_coefficients();
            for at in 0..ratio.output_frames(source.len()) as usize {
                assert_eq!(ratio.frame(&source, &kept, at), ratio.frame(&source, &[], at));
            }
        }
    }

    #[test]
    fn the_cubic_is_the_curve_to_ten_places() {
        let ratio = Ratio::new(44_101, 48_000);
        for phase in (0..ratio.up).step_by(997) {
            for tap in 0..ratio.taps() {
                let t = ratio.reach as f64 - 1.0 - tap as f64 + phase as f64 / ratio.up as f64;
                let exact = if t.abs() < REACH as f64 {
                    sinc(2.0 * CUTOFF * t) * 2.0 * CUTOFF * kaiser(t / REACH as f64)
                } else {
                    0.0
                };
                let error = (ratio.coefficient(phase, tap) - exact).abs();
                assert!(error < 1e-10, "{t}: {error:e}");
            }
        }
    }

    #[test]
    fn the_widest_ratios_neither_hang_nor_fill_the_memory() {
        let down = convert(&vec![[0.5f32]; 400_000], 384_000, 1).unwrap();
        assert_eq!(down.frames.len(), 2);
        let up = convert(&[[1.0f32], [0.0]], 1, 384_000).unwrap().frames;
        assert_eq!(up.len(), 768_000);
        assert!(convert(&[[0.0f32]; 3_000], 1, 384_000).is_err());
    }
}
