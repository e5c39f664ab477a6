//! The inner loops: a stretch of a sound, at its gains, added to the mix.
//!
//! A caller cuts a block at clip ends and loop points first, so that a run here reads contiguous
//! frames and never branches. `scalar` says what the right bits are; `wide` computes the same bits
//! eight frames at a time, in the `lanes` of the best instruction set that the processor has, and
//! `pass` does so for several voices at once.

#[cfg(any(
    test,
    not(any(target_arch = "aarch64", target_arch = "wasm32", target_arch = "x86_64"))
))]
mod array;
#[cfg(target_arch = "x86_64")]
mod avx2;
mod between;
mod frame;
mod gains;
mod lanes;
#[cfg(target_arch = "aarch64")]
mod neon;
mod pass;
mod scalar;
#[cfg(target_arch = "wasm32")]
mod simd128;
#[cfg(target_arch = "x86_64")]
mod sse2;
mod wide;

pub(super) use frame::{ClipFrame, Frames, prefetch, prefetch_all};
pub(super) use gains::{Gain, Gains, Slope};
pub(super) use pass::{Part, Stride};

use crate::audio::voice::glide::Glide;
use crate::config::Interpolation;
use crate::sound::sinc;
use lanes::{Cpu, LANES};

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

    /// All of it from some frame on.
    fn rest(&mut self, from: usize) -> Mix<'_> {
        self.part(from, self.len().saturating_sub(from))
    }

    pub fn len(&self) -> usize {
        self.left.len()
    }

    /// Makes it silent.
    pub fn clear(self) {
        self.left.fill(0.0);
        self.right.fill(0.0);
    }

    /// Adds frames to it.
    pub fn add_all(&mut self, left: &[f32], right: &[f32]) {
        for (mix, side) in [(&mut self.left, left), (&mut self.right, right)] {
            mix.iter_mut().zip(side).for_each(|(mixed, sample)| *mixed += sample);
        }
    }

    /// Adds frames to it, each at a gain of its own.
    pub fn add(&mut self, left: &[f32], right: &[f32], gains: &[f32]) {
        for (mix, side) in [(&mut self.left, left), (&mut self.right, right)] {
            for ((mixed, sample), gain) in mix.iter_mut().zip(side).zip(gains) {
                *mixed += sample * gain;
            }
        }
    }

    fn frames(&mut self) -> impl Iterator<Item = (&mut f32, &mut f32)> {
        self.left.iter_mut().zip(self.right.iter_mut())
    }
}

/// The kernels of one processor, for one way to read between the samples. Chosen once.
pub(super) struct Kernels {
    cpu: Cpu,
    interpolator: Interpolator,
}

impl Kernels {
    pub fn new(interpolation: Interpolation) -> Kernels {
        Kernels { cpu: Cpu::best(), interpolator: Interpolator::new(interpolation) }
    }

    /// How many neighbours are read at a position, and how many of them lie before it.
    pub fn taps(&self) -> (usize, usize) {
        self.interpolator.taps()
    }

    /// Adds a run of frames as they are.
    pub fn copy<F: ClipFrame>(&self, mut mix: Mix, clip: &[F], gains: Gains) {
        let done = self.cpu.run(wide::Copy { mix: mix.rest(0), clip, gains: &gains });
        if done == mix.len() {
            return;
        }
        scalar::copy(mix.rest(done), clip.get(done..).unwrap_or_default(), gains.rest(done));
    }

    /// Adds a run of frames read between the samples: `clip` begins at the first tap of
    /// `position`.
    pub fn interpolate<F: ClipFrame>(
        &self,
        mut mix: Mix,
        clip: &[F],
        position: u64,
        glide: Glide,
        gains: Gains,
    ) {
        if glide.remaining() == 0 {
            return self.step(mix, clip, position, glide.step(), gains);
        }
        let interpolator = &self.interpolator;
        let wide =
            wide::Glides { mix: mix.rest(0), clip, position, glide, gains: &gains, interpolator };
        let (done, position, glide) = self.cpu.run(wide);
        if done == mix.len() {
            return;
        }
        scalar::interpolate(mix.rest(done), clip, position, glide, gains.rest(done), interpolator);
    }

    /// The same at one step.
    fn step<F: ClipFrame>(&self, mut mix: Mix, clip: &[F], position: u64, step: u64, gains: Gains) {
        let interpolator = &self.interpolator;
        let wide =
            wide::Steps { mix: mix.rest(0), clip, position, step, gains: &gains, interpolator };
        let done = self.cpu.run(wide);
        if done == mix.len() {
            return;
        }
        let (position, glide) = (position + step * done as u64, Glide::rest(step));
        scalar::interpolate(mix.rest(done), clip, position, glide, gains.rest(done), interpolator);
    }
}

/// How sounds are read between their samples, with what it needs for that.
enum Interpolator {
    Linear,
    Cubic,
    Sinc(Box<SincTable>),
}

impl Interpolator {
    fn new(interpolation: Interpolation) -> Interpolator {
        match interpolation {
            Interpolation::Linear => Interpolator::Linear,
            Interpolation::Cubic => Interpolator::Cubic,
            Interpolation::Sinc => Interpolator::Sinc(Box::new(SincTable::new())),
        }
    }

    fn taps(&self) -> (usize, usize) {
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
struct SincTable {
    rows: [[[f32; SINC_TAPS / 2]; 2]; SINC_PHASES + 1],
}

impl SincTable {
    fn new() -> SincTable {
        let row = |phase| {
            let weights: [f32; SINC_TAPS] =
                sinc::weights(phase as f64 / SINC_PHASES as f64, SINC_CUTOFF);
            [0, SINC_TAPS / 2].map(|half| std::array::from_fn(|tap| weights[half + tap]))
        };
        SincTable { rows: std::array::from_fn(row) }
    }
}

/// The highest absolute value on each side.
pub(super) fn peaks(left: &[f32], right: &[f32]) -> [f32; 2] {
    [left, right].map(|side| {
        // One for each lane: a single one would have every sample wait for the one before it.
        let mut peaks = [0f32; LANES];
        let (groups, rest) = side.as_chunks::<LANES>();
        for group in groups {
            peaks = std::array::from_fn(|i| higher(peaks[i], group[i].abs()));
        }
        let rest = rest.iter().map(|sample| sample.abs());
        rest.chain(peaks).fold(0.0, higher)
    })
}

#[inline(always)]
pub(super) fn higher(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

#[cfg(test)]
mod tests;
