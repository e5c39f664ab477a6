//! The inner loops: a stretch of a sound, at its gains, added to the mix.
//!
//! A caller cuts a block at clip ends and loop points first, so that a run here reads contiguous
//! frames and never branches. This is the plain version, which says what the right bits are:
//! samples scale by an exact power of two, products are not fused with sums, a sum's order is
//! fixed. Whatever is faster must give the same bits.

use super::ramp::Glide;
use crate::config::Interpolation;
use crate::samples::Sample;
use crate::sinc;

/// A frame of a clip, as it is kept in memory.
pub(super) trait ClipFrame: Copy {
    /// What lies before and after a clip.
    const SILENCE: Self;

    /// Left and right.
    fn stereo(self) -> [f32; 2];
}

/// Mono sounds on both sides.
impl<S: Sample> ClipFrame for [S; 1] {
    const SILENCE: Self = [S::ZERO];

    #[inline(always)]
    fn stereo(self) -> [f32; 2] {
        [self[0].value(); 2]
    }
}

impl<S: Sample> ClipFrame for [S; 2] {
    const SILENCE: Self = [S::ZERO; 2];

    #[inline(always)]
    fn stereo(self) -> [f32; 2] {
        self.map(S::value)
    }
}

/// Where a run is added: as many frames as both hold.
pub(super) struct Mix<'a> {
    pub left: &'a mut [f32],
    pub right: &'a mut [f32],
}

impl Mix<'_> {
    /// A part of it.
    pub fn part(&mut self, from: usize, len: usize) -> Mix<'_> {
        Mix {
            left: self.left.get_mut(from..from + len).unwrap_or_default(),
            right: self.right.get_mut(from..from + len).unwrap_or_default(),
        }
    }

    pub fn len(&self) -> usize {
        self.left.len()
    }

    fn frames(&mut self) -> impl Iterator<Item = (&mut f32, &mut f32)> {
        self.left.iter_mut().zip(self.right.iter_mut())
    }
}

/// The gains of a run: the same for all of it, or one for each frame.
#[derive(Clone, Copy)]
pub(super) enum Gains<'a> {
    Steady([f32; 2]),
    Curve { left: &'a [f32], right: &'a [f32] },
}

impl Gains<'_> {
    /// The gains of a part.
    pub fn part(&self, from: usize, len: usize) -> Gains<'_> {
        match self {
            Gains::Steady(gains) => Gains::Steady(*gains),
            Gains::Curve { left, right } => Gains::Curve {
                left: left.get(from..from + len).unwrap_or_default(),
                right: right.get(from..from + len).unwrap_or_default(),
            },
        }
    }
}

/// Adds a run of frames as they are.
pub(super) fn copy<F: ClipFrame>(mut mix: Mix, clip: &[F], gains: Gains) {
    add(&mut mix, clip.iter().map(|frame| frame.stereo()), gains);
}

/// Adds a run of frames read between the samples: `clip` begins at the first tap of `position`.
pub(super) fn interpolate<F: ClipFrame>(
    mut mix: Mix,
    clip: &[F],
    position: u64,
    glide: Glide,
    gains: Gains,
    interpolator: &Interpolator,
) {
    match interpolator {
        Interpolator::Linear => {
            add(&mut mix, Reader { clip, position, glide, at: linear }, gains);
        }
        Interpolator::Cubic => {
            add(&mut mix, Reader { clip, position, glide, at: cubic }, gains);
        }
        Interpolator::Sinc(table) => {
            let at = |taps: &[[f32; 2]; SINC_TAPS], fraction| table.at(taps, fraction);
            add(&mut mix, Reader { clip, position, glide, at }, gains);
        }
    }
}

#[inline(always)]
fn add(mix: &mut Mix, frames: impl Iterator<Item = [f32; 2]>, gains: Gains) {
    match gains {
        Gains::Steady([gain_left, gain_right]) => {
            for ((left, right), [l, r]) in mix.frames().zip(frames) {
                *left += l * gain_left;
                *right += r * gain_right;
            }
        }
        Gains::Curve { left: gains_left, right: gains_right } => {
            let gains = gains_left.iter().zip(gains_right);
            for (((left, right), [l, r]), (gain_left, gain_right)) in
                mix.frames().zip(frames).zip(gains)
            {
                *left += l * gain_left;
                *right += r * gain_right;
            }
        }
    }
}

/// Reads a clip between its samples, `N` neighbours at a time.
struct Reader<'a, F, At, const N: usize>
where
    At: Fn(&[[f32; 2]; N], f32) -> [f32; 2],
{
    clip: &'a [F],
    position: u64,
    glide: Glide,
    at: At,
}

impl<F: ClipFrame, At, const N: usize> Iterator for Reader<'_, F, At, N>
where
    At: Fn(&[[f32; 2]; N], f32) -> [f32; 2],
{
    type Item = [f32; 2];

    #[inline(always)]
    fn next(&mut self) -> Option<[f32; 2]> {
        let first = (self.position >> 32) as usize;
        let taps = self.clip.get(first..)?.first_chunk::<N>()?.map(F::stereo);
        // The upper 24 bits of the fraction, which a float holds exactly.
        let fraction = ((self.position as u32) >> 8) as f32 * (1.0 / 16_777_216.0);
        self.glide.walk(&mut self.position);
        Some((self.at)(&taps, fraction))
    }
}

#[inline(always)]
fn linear(taps: &[[f32; 2]; 2], fraction: f32) -> [f32; 2] {
    let [a, b] = taps;
    [0, 1].map(|c| a[c] + fraction * (b[c] - a[c]))
}

/// Catmull-Rom: a curve through the two middle points, along the line between their neighbours.
#[inline(always)]
fn cubic(taps: &[[f32; 2]; 4], fraction: f32) -> [f32; 2] {
    let [y0, y1, y2, y3] = taps;
    [0, 1].map(|c| {
        let c1 = y2[c] - y0[c];
        let c3 = 3.0 * (y1[c] - y2[c]) + (y3[c] - y0[c]);
        let c2 = ((y0[c] + y2[c]) - 2.0 * y1[c]) - c3;
        y1[c] + (0.5 * fraction) * (c1 + fraction * (c2 + fraction * c3))
    })
}

/// How sounds are read between their samples, with what it needs for that.
pub(super) enum Interpolator {
    Linear,
    Cubic,
    Sinc(Box<SincTable>),
}

impl Interpolator {
    pub fn new(interpolation: Interpolation) -> Interpolator {
        match interpolation {
            Interpolation::Linear => Interpolator::Linear,
            Interpolation::Cubic => Interpolator::Cubic,
            Interpolation::Sinc => Interpolator::Sinc(Box::new(SincTable::new())),
        }
    }

    /// How many neighbours it reads at a position, and how many of them lie before it.
    pub fn taps(&self) -> (usize, usize) {
        match self {
            Interpolator::Linear => (2, 0),
            Interpolator::Cubic => (4, 1),
            Interpolator::Sinc(_) => (SINC_TAPS, SINC_TAPS / 2 - 1),
        }
    }
}

/// The most neighbours any interpolator reads.
pub(super) const SINC_TAPS: usize = 16;

/// Fractions between two samples for which the sinc is worked out; those between are blended.
const SINC_PHASES: usize = 256;

/// Where the sinc begins to fall off, of half the sound's rate: a compromise between the treble
/// kept and the images let through.
const SINC_CUTOFF: f64 = 0.9;

/// A windowed sinc at every phase, and one phase more, so that the last has a neighbour.
pub(super) struct SincTable {
    rows: [[f32; SINC_TAPS]; SINC_PHASES + 1],
}

impl SincTable {
    fn new() -> SincTable {
        let row = |phase| sinc::weights(phase as f64 / SINC_PHASES as f64, SINC_CUTOFF);
        SincTable { rows: std::array::from_fn(row) }
    }

    /// Eight sums side by side, then those in pairs: the order that eight lanes would use.
    #[inline(always)]
    fn at(&self, taps: &[[f32; 2]; SINC_TAPS], fraction: f32) -> [f32; 2] {
        let phase = fraction * SINC_PHASES as f32;
        let row = (phase as usize).min(SINC_PHASES - 1);
        let blend = phase - row as f32;
        let [a, b] = [&self.rows[row], &self.rows[row + 1]];
        let weights: [f32; SINC_TAPS] = std::array::from_fn(|i| a[i] + blend * (b[i] - a[i]));
        [0, 1].map(|c| {
            let s: [f32; 8] =
                std::array::from_fn(|i| taps[i][c] * weights[i] + taps[i + 8][c] * weights[i + 8]);
            let s: [f32; 4] = std::array::from_fn(|i| s[i] + s[i + 4]);
            (s[0] + s[2]) + (s[1] + s[3])
        })
    }
}

/// The highest absolute value on each side.
pub(super) fn peaks(left: &[f32], right: &[f32]) -> [f32; 2] {
    [left, right].map(|side| side.iter().fold(0.0, |peak: f32, sample| peak.max(sample.abs())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::ramp::ONE;

    /// Reads one position of a mono clip.
    fn read(clip: &[[f32; 1]], position: u64, interpolator: &Interpolator) -> f32 {
        let (mut left, mut right) = ([0.0], [0.0]);
        let mix = Mix { left: &mut left, right: &mut right };
        interpolate(mix, clip, position, Glide::rest(ONE), Gains::Steady([1.0; 2]), interpolator);
        assert_eq!(left, right);
        left[0]
    }

    fn every() -> [Interpolator; 3] {
        [Interpolation::Linear, Interpolation::Cubic, Interpolation::Sinc].map(Interpolator::new)
    }

    #[test]
    fn every_interpolator_keeps_a_constant() {
        for interpolator in every() {
            for phase in 0..64 {
                let value = read(&[[0.5]; SINC_TAPS], phase << 26, &interpolator);
                assert!((value - 0.5).abs() < 1e-6, "{value} at phase {phase}");
            }
        }
    }

    #[test]
    fn linear_and_cubic_pass_through_the_samples() {
        let clip = [[0.1], [0.7], [-0.3], [0.9]];
        assert_eq!(read(&clip, 0, &Interpolator::Linear), 0.1);
        assert_eq!(read(&clip, ONE / 4, &Interpolator::Linear), 0.1 + 0.25 * (0.7 - 0.1));
        assert_eq!(read(&clip, 0, &Interpolator::Cubic), 0.7);
        // On a parabola, Catmull-Rom is exact.
        let clip = [[1.0], [0.0], [1.0], [4.0]];
        assert_eq!(read(&clip, ONE / 2, &Interpolator::Cubic), 0.25);
    }

    #[test]
    fn a_finer_interpolator_is_nearer_to_the_sine_it_reads() {
        let rate = 12.0; // samples in a turn: 4 kHz at 48 kHz
        let sine = |x: f64| libm::sin(x * std::f64::consts::TAU / rate) as f32;
        let clip: Vec<[f32; 1]> = (0..4 * 12 + 16).map(|i| [sine(f64::from(i))]).collect();
        let worst = |interpolator: &Interpolator| {
            let (_, before) = interpolator.taps();
            (0..480).fold(0f32, |worst, i| {
                let position = (i as u64) << 28;
                let x = (i as f64) / 16.0 + before as f64;
                worst.max((read(&clip, position, interpolator) - sine(x)).abs())
            })
        };
        let [linear, cubic, sinc] = every().map(|interpolator| worst(&interpolator));
        assert!(linear < 0.04 && cubic < 0.006 && sinc < 0.0005, "{linear} {cubic} {sinc}");
        assert!(linear > 4.0 * cubic && cubic > 4.0 * sinc, "{linear} {cubic} {sinc}");
    }

    #[test]
    fn a_run_that_would_leave_its_clip_is_cut_and_does_not_panic() {
        let (mut left, mut right) = ([0.0; 8], [0.0; 8]);
        let mix = Mix { left: &mut left, right: &mut right };
        let gains = Gains::Steady([1.0; 2]);
        interpolate(mix, &[[1i16]; 3], 0, Glide::rest(ONE), gains, &Interpolator::Linear);
        assert_eq!(left.iter().filter(|sample| **sample != 0.0).count(), 2);
    }
}
