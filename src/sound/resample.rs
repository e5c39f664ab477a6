//! Another sample rate, offline: a windowed sinc in `f64`, summed in one fixed order.
//!
//! Everything is a sum of products of `libm`'s numbers, never fused, so every processor gives
//! the same bits. The filter is one curve, drawn once and read for every ratio of rates: its
//! unit is a frame of the lower of the two. Most rates meet at a few phases only, at 160 from 44.1
//! to 48 kHz: then the weights of each are worked out once. Between others the weights of
//! [`POINTS`] phases are, and a cubic leads from one to the next.
//!
//! Games are run unoptimised, too, while they are made. There a loop, an iterator or a call costs
//! more than the product inside it: that is why products are written out, [`AT_ONCE`] of them, and
//! why samples are laid out for them beforehand.

mod heard;

use std::f64::consts::PI;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::{array, iter};

use super::samples::{Sample, Samples, Seam, check_memory};
use crate::link::message::Loop;
use heard::{Clip, Heard};

pub(crate) use heard::Window;

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

/// The phases beside those of a source frame that a cubic needs: one before them, two behind.
const BESIDE: u64 = 3;

/// How many taps are summed in one go: a ninth of the filter, where the source is the slower one.
const AT_ONCE: usize = 20;

/// So many taps: weights, or what they weigh.
type Taps = [f64; AT_ONCE];

/// Up to this many weights (8 MB) are kept; where even [`POINTS`] phases have more, because the
/// filter is so long, they are worked out as they are used.
const MOST_KEPT: u64 = 1 << 20;

/// How many source frames are laid out at a time, beside those within the filter's reach.
const LAID_OUT: u64 = 2048;

/// Rates further apart than this have no seam: it would be as long as any clip, and its filter
/// longer.
const WIDEST_SEAM: u64 = 500;

/// What a result may take.
const MOST_BYTES: u64 = 1 << 32;

/// Sixteen bits whose loudest sample is below this (-36 dB) become floats: what is so quiet may
/// be played with a high gain, and what was lost in rounding would come up with it.
const FAINT: u16 = 32_768 / 64;

/// The samples at another rate. Frame `n` is heard when it was, at `n × to / from`,
/// and outside the clip there is silence; in a loop there is not, and for that there is the seam.
///
/// Sixteen bits stay sixteen bits, unless all of them are faint, or a peak that lay between two
/// samples and now has one of its own is above full scale. They are rounded to the nearest, without
/// dither: that adds no more noise than the file has from being rounded before, and silence stays
/// silent. The noise is left white: shaped, it would be brought down to where the ear is keen
/// whenever the sound is played slower.
///
/// The seam is that of its own loop, if it has one, and of the whole otherwise.
pub(crate) fn resample(
    samples: &Samples,
    from: u32,
    to: u32,
    looping: Option<Range<u32>>,
) -> Result<(Samples, Seam), String> {
    let filter = Filter::without_rows(from, to);
    check_memory::<Taps>(filter.kept_rows() * filter.row() as usize)?;
    let filter = filter.with_rows();
    let looping = looping.map(|range| range.start as usize..range.end as usize);
    let looping = looping.unwrap_or(0..samples.frame_count());
    let channels = if samples.is_mono() { 1 } else { 2 };
    let count = filter.output_frames(samples.frame_count());
    let most = MOST_BYTES / (channels * size_of::<f32>() as u64);
    let count =
        usize::try_from(count).ok().filter(|&count| count as u64 <= most).ok_or_else(|| {
            format!("would be {count} frames at {to} Hz; at most {most} fit into 4 GiB")
        })?;
    Ok(match samples {
        Samples::Mono16(source) => match rounded(source, looping.clone(), &filter, count)? {
            Some(rounded) => rounded.kept_as(Samples::Mono16),
            None => convert(source, looping, &filter, count)?.kept_as(Samples::Mono32),
        },
        Samples::Stereo16(source) => match rounded(source, looping.clone(), &filter, count)? {
            Some(rounded) => rounded.kept_as(Samples::Stereo16),
            None => convert(source, looping, &filter, count)?.kept_as(Samples::Stereo32),
        },
        Samples::Mono32(source) => {
            convert(source, looping, &filter, count)?.kept_as(Samples::Mono32)
        }
        Samples::Stereo32(source) => {
            convert(source, looping, &filter, count)?.kept_as(Samples::Stereo32)
        }
    })
}

/// A clip at its new rate, and how it loops.
#[derive(Debug)]
struct Converted<T, const CHANNELS: usize> {
    frames: Arc<[[T; CHANNELS]]>,
    turns: Loop,
    seam: Arc<[[T; CHANNELS]]>,
    /// If not, it was given up at the first sample that would have been clipped.
    is_whole: bool,
}

impl<T, const CHANNELS: usize> Converted<T, CHANNELS> {
    fn kept_as(self, kind: fn(Arc<[[T; CHANNELS]]>) -> Samples) -> (Samples, Seam) {
        (kind(self.frames), Seam { turns: self.turns, frames: kind(self.seam) })
    }
}

/// In sixteen bits, if they will do.
fn rounded<const CHANNELS: usize>(
    source: &[[i16; CHANNELS]],
    looping: Range<usize>,
    filter: &Filter,
    count: usize,
) -> Result<Option<Converted<i16, CHANNELS>>, String> {
    if source.as_flattened().iter().all(|sample| sample.unsigned_abs() < FAINT) {
        return Ok(None);
    }
    Ok(Some(convert(source, looping, filter, count)?).filter(|rounded| rounded.is_whole))
}

fn convert<T: Sample, U: Sample, const CHANNELS: usize>(
    source: &[[T; CHANNELS]],
    looping: Range<usize>,
    filter: &Filter,
    count: usize,
) -> Result<Converted<U, CHANNELS>, String> {
    check_memory::<[U; CHANNELS]>(count)?;
    let turns = filter.turns(&looping, count);
    let (start, end, reach) = (turns.start as usize, turns.end as usize, turns.seam as usize);
    let mut frames = silence(count);
    let mut seam = silence(2 * reach);
    let once = Clip { source, origin: 0, looping: false };
    let origin = looping.start;
    let looping = Clip { source: &source[looping], origin, looping: true };
    let (before, after) = Arc::make_mut(&mut seam).split_at_mut(reach);
    let is_whole = filter.run(looping, end - reach, before)
        && filter.run(looping, start, after)
        && filter.run(once, 0, Arc::make_mut(&mut frames));
    Ok(Converted { frames, turns, seam, is_whole })
}

/// Memory for so many frames, asked for once and where they stay.
fn silence<T: Sample, const CHANNELS: usize>(count: usize) -> Arc<[[T; CHANNELS]]> {
    iter::repeat_n([T::default(); CHANNELS], count).collect()
}

/// The filter between two rates, which are reduced: `up` output frames last as long as `down`
/// source frames.
pub(crate) struct Filter {
    up: u64,
    down: u64,
    /// Distances are counted in steps, `up` to a source frame, this many to a frame of the
    /// lower rate.
    steps: u64,
    /// How many source frames it reaches to either side.
    reach: u64,
    /// How many phases a source frame has for which there are weights: `up`, or [`POINTS`].
    phases: u64,
    points_per_phase: f64,
    /// Where the source is the finer one, more of its frames add up.
    gain: f64,
    curve: &'static [f64],
    /// The weights of every phase, one row after the other, and those [`BESIDE`] them; or none, if
    /// they are too many.
    rows: Vec<Taps>,
}

/// Whether the weights of so many phases are kept.
fn are_kept(phases: u64, reach: u64) -> bool {
    (phases + BESIDE) * 2 * reach <= MOST_KEPT
}

impl Filter {
    pub(crate) fn new(from: u32, to: u32) -> Filter {
        Filter::without_rows(from, to).with_rows()
    }

    fn without_rows(from: u32, to: u32) -> Filter {
        let common = common_divisor(from, to);
        let (up, down) = (u64::from(to / common), u64::from(from / common));
        let steps = up.max(down);
        let reach = (REACH as u64 * steps).div_ceil(up);
        let kept = |phases| are_kept(phases, reach);
        let phases = if !kept(up) && kept(POINTS as u64) { POINTS as u64 } else { up };
        Filter {
            up,
            down,
            steps,
            reach,
            phases,
            points_per_phase: (POINTS as u64 * up) as f64 / (steps * phases) as f64,
            gain: up as f64 / steps as f64,
            curve: curve(),
            rows: Vec::new(),
        }
    }

    /// How many rows of weights are kept.
    fn kept_rows(&self) -> usize {
        if are_kept(self.phases, self.reach) { (self.phases + BESIDE) as usize } else { 0 }
    }

    fn with_rows(self) -> Filter {
        let rows = self.kept_rows();
        let mut kept = Vec::with_capacity(rows * self.row() as usize);
        let all = 0..self.taps();
        for phase in 0..rows as u64 {
            kept.extend((0..self.row()).map(|part| self.weights(phase, part, &all)));
        }
        Filter { rows: kept, ..self }
    }

    pub(crate) fn output_frames(&self, source_frames: usize) -> u64 {
        let frames = (source_frames as u128 * u128::from(self.up)).div_ceil(u128::from(self.down));
        u64::try_from(frames).unwrap_or(u64::MAX)
    }

    /// Where a loop turns in a clip that has so many frames now: within half a frame of where it began, and
    /// a whole number of frames from there, half a frame at most from as long as it was.
    pub(crate) fn turns(&self, looping: &Range<usize>, count: usize) -> Loop {
        let (up, down) = (u128::from(self.up), u128::from(self.down));
        let nearest = |frames: usize| {
            let frames = (2 * frames as u128 * up + down) / (2 * down);
            u64::try_from(frames).unwrap_or(u64::MAX)
        };
        let length = nearest(looping.len()).min(count as u64).max(1);
        // If both were rounded up, the last frame may be one too many.
        let start = nearest(looping.start).min((count as u64).saturating_sub(length));
        let reach = (REACH as u64 * self.steps).div_ceil(self.down).min(length.div_ceil(2));
        let near = self.steps <= WIDEST_SEAM * self.up.min(self.down);
        Loop {
            start: start as u32,
            end: (start + length) as u32,
            seam: if near { reach as u32 } else { 0 },
        }
    }

    /// How long a row is, in parts of [`AT_ONCE`] taps.
    fn row(&self) -> u64 {
        (2 * self.reach).div_ceil(AT_ONCE as u64)
    }

    fn taps(&self) -> u64 {
        self.row() * AT_ONCE as u64
    }

    /// The weight of one source frame: `tap` counts from the earliest within reach, and row 1 is of
    /// an output frame that lies on a source frame, each further one a phase behind it.
    fn weight(&self, row: u64, tap: u64) -> f64 {
        let here = (self.reach - 1) * self.phases + row;
        let distance = here.abs_diff(tap * self.phases + 1);
        if distance * self.up >= REACH as u64 * self.steps * self.phases {
            return 0.0;
        }
        // Below 90 × 384,000, and 32 bits convert twice as fast as 64.
        let x = f64::from(distance as u32) * self.points_per_phase;
        let point = x as u32 as usize;
        let Some(&points) = self.curve.get(point..).and_then(|rest| rest.first_chunk()) else {
            return 0.0;
        };
        cubic(points, x - point as f64) * self.gain
    }

    /// One part of a row, as far as it is within these taps.
    fn weights(&self, row: u64, part: u64, within: &Range<u64>) -> Taps {
        let mut weights = [0.0; AT_ONCE];
        for (tap, weight) in (part * AT_ONCE as u64..).zip(&mut weights) {
            if within.contains(&tap) {
                *weight = self.weight(row, tap);
            }
        }
        weights
    }

    /// The output frames from `first` on. Returns whether all could be stored; it ends at the
    /// first that could not.
    pub(crate) fn run<U: Sample, const CHANNELS: usize>(
        &self,
        clip: impl Heard<CHANNELS>,
        mut first: usize,
        output: &mut [[U; CHANNELS]],
    ) -> bool {
        let rows: Vec<&[Taps]> = self.rows.chunks(self.row() as usize).collect();
        // As many as last as long as the frames that are laid out, one at least.
        let block = (LAID_OUT * self.up).div_ceil(self.down) as usize;
        for output in output.chunks_mut(block) {
            let is_whole = if rows.is_empty() {
                self.run_without_rows(clip, first, output)
            } else {
                (0..CHANNELS).all(|channel| self.run_with_rows(clip, channel, &rows, first, output))
            };
            if !is_whole {
                return false;
            }
            first += output.len();
        }
        true
    }

    /// One channel, with the weights that are kept.
    fn run_with_rows<U: Sample, const CHANNELS: usize>(
        &self,
        clip: impl Heard<CHANNELS>,
        channel: usize,
        rows: &[&[Taps]],
        first: usize,
        output: &mut [[U; CHANNELS]],
    ) -> bool {
        let (earliest, mut phase) = self.place(first);
        let (latest, _) = self.place(first + output.len());
        let mut heard = vec![0.0; (latest - earliest) as usize + self.taps() as usize];
        clip.lay_out(channel, earliest, &mut heard);
        // In parts of so many taps, from wherever the first of them may be.
        let views: [&[Taps]; AT_ONCE] = array::from_fn(|at| heard[at..].as_chunks().0);
        let (frames, steps) = ((self.down / self.up) as usize, self.down % self.up);
        let mut at = 0;
        for frame in output {
            let sample = self.sample(rows, phase, &views[at % AT_ONCE][at / AT_ONCE..]);
            if !U::holds(sample) {
                return false;
            }
            frame[channel] = U::nearest(sample);
            at += frames;
            phase += steps;
            if phase >= self.up {
                at += 1;
                phase -= self.up;
            }
        }
        true
    }

    /// One sample, so many steps behind a source frame.
    fn sample(&self, rows: &[&[Taps]], phase: u64, heard: &[Taps]) -> f64 {
        let weighed = |row: u64| {
            let mut sums = Sums::default();
            add(&mut sums, rows[row as usize], heard);
            total(sums)
        };
        if self.phases == self.up {
            return weighed(phase + 1);
        }
        let (row, rest) = (phase * self.phases / self.up, phase * self.phases % self.up);
        let points = [weighed(row), weighed(row + 1), weighed(row + 2), weighed(row + 3)];
        cubic(points, rest as f64 / self.up as f64)
    }

    /// With weights that are worked out for each frame. What lies outside the clip is left out:
    /// at a ratio of 384,000 the filter is half a gigabyte long, the clip seldom.
    fn run_without_rows<U: Sample, const CHANNELS: usize>(
        &self,
        clip: impl Heard<CHANNELS>,
        first: usize,
        output: &mut [[U; CHANNELS]],
    ) -> bool {
        for (at, frame) in (first..).zip(output) {
            let (earliest, phase) = self.place(at);
            let met = clip.met(earliest, self.taps());
            let mut sums = [Sums::default(); CHANNELS];
            for part in met.start / AT_ONCE as u64..met.end.div_ceil(AT_ONCE as u64) {
                let weights = self.weights(phase + 1, part, &met);
                for (channel, sums) in sums.iter_mut().enumerate() {
                    let mut heard = [0.0; AT_ONCE];
                    clip.lay_out(channel, earliest + (part * AT_ONCE as u64) as i64, &mut heard);
                    add(sums, &[weights], &[heard]);
                }
            }
            let samples = sums.map(total);
            if !samples.into_iter().all(U::holds) {
                return false;
            }
            *frame = samples.map(U::nearest);
        }
        true
    }

    /// The source frames that so many output frames from one on hear.
    pub(crate) fn source_range(&self, first: usize, count: usize) -> Range<i64> {
        let (earliest, _) = self.place(first);
        let (latest, _) = self.place(first + count.max(1) - 1);
        earliest..latest + self.taps() as i64
    }

    /// The earliest source frame that an output frame hears, and how many steps the output frame
    /// lies behind the source frame before it.
    fn place(&self, at: usize) -> (i64, u64) {
        let steps = at as u64 * self.down;
        ((steps / self.up) as i64 + 1 - self.reach as i64, steps % self.up)
    }
}

/// Four sums: one would have every addition wait for the one before it, and the same four at a
/// time are what a processor has instructions for.
type Sums = [f64; 4];

/// Adds the products, as many as there are of both. Inline, so that the sums of a sample stay in
/// registers: called, it takes a third longer.
#[inline(always)]
fn add(sums: &mut Sums, mut weights: &[Taps], mut heard: &[Taps]) {
    let [mut a, mut b, mut c, mut d] = *sums;
    while let ([w, later_weights @ ..], [x, later @ ..]) = (weights, heard) {
        a += w[0] * x[0] + w[4] * x[4] + w[8] * x[8] + w[12] * x[12] + w[16] * x[16];
        b += w[1] * x[1] + w[5] * x[5] + w[9] * x[9] + w[13] * x[13] + w[17] * x[17];
        c += w[2] * x[2] + w[6] * x[6] + w[10] * x[10] + w[14] * x[14] + w[18] * x[18];
        d += w[3] * x[3] + w[7] * x[7] + w[11] * x[11] + w[15] * x[15] + w[19] * x[19];
        (weights, heard) = (later_weights, later);
    }
    *sums = [a, b, c, d];
}

fn total([a, b, c, d]: Sums) -> f64 {
    (a + b) + (c + d)
}

/// Lagrange's cubic through points at -1, 0, 1 and 2.
fn cubic([a, b, c, d]: [f64; 4], t: f64) -> f64 {
    let (u, v, w) = (t + 1.0, t - 1.0, t - 2.0);
    let outer = t * v * (u * d - w * a);
    let inner = u * w * (v * b - t * c);
    inner / 2.0 + outer * (1.0 / 6.0)
}

/// One side of the filter, from one point before its middle to two beyond its end, where a
/// cubic still reads.
fn curve() -> &'static [f64] {
    static CURVE: OnceLock<Box<[f64]>> = OnceLock::new();
    CURVE.get_or_init(|| {
        let middle = kaiser(0.0);
        let time = |point: usize| (point as f64 - 1.0) / POINTS as f64;
        (0..REACH * POINTS + 4).map(|point| windowed(time(point)) / middle).collect()
    })
}

/// The filter at a distance of so many frames of the lower rate, times the height of its window.
fn windowed(t: f64) -> f64 {
    sinc(2.0 * CUTOFF * t) * 2.0 * CUTOFF * kaiser(t / REACH as f64)
}

fn sinc(x: f64) -> f64 {
    if x == 0.0 {
        return 1.0;
    }
    libm::sin(PI * x) / (PI * x)
}

/// Kaiser's window, highest in the middle and least at `x` = ±1.
fn kaiser(x: f64) -> f64 {
    const SHAPE: f64 = 0.1102 * (STOP_BAND - 8.7);
    bessel(SHAPE * SHAPE * (1.0 - x * x))
}

/// The modified Bessel function of order 0, of the root of `square`: a series that serves
/// just as well where `square` is below 0.
fn bessel(square: f64) -> f64 {
    let (mut sum, mut term, mut k) = (1.0, 1.0, 1.0);
    // The terms rise until `k` is half the root, some 7, then fall faster than any power.
    while f64::abs(term) > 1e-18 * sum {
        term *= square / (4.0 * k * k);
        sum += term;
        k += 1.0;
    }
    sum
}

fn common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a.max(1) } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests;
