//! One frame after the other: the version that says what the right bits are.
//!
//! Samples scale by an exact power of two, products are not fused with sums, a sum's order is
//! fixed. The wide kernels give the same bits, and leave what does not fill their lanes to these.

use std::iter;

use super::frame::ClipFrame;
use super::{Gain, Gains, Interpolator, Mix, SINC_PHASES, SINC_TAPS, SincTable};
use crate::audio::voice::glide::Glide;

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
            let at = |taps: &[[f32; 2]; SINC_TAPS], fraction| sinc(table, taps, fraction);
            add(&mut mix, Reader { clip, position, glide, at }, gains);
        }
    }
}

#[inline(always)]
fn add(mix: &mut Mix, frames: impl Iterator<Item = [f32; 2]>, gains: Gains) {
    match gains {
        Gains::Each(Gain::Steady(gains)) => add_each(mix, frames, iter::repeat(gains)),
        Gains::Each(Gain::Sloped(slope, on)) => {
            add_each(mix, frames, (on..).map(|frame| slope.get(frame)));
        }
        Gains::Curve { left, right } => {
            add_each(mix, frames, left.iter().zip(right).map(|(left, right)| [*left, *right]));
        }
    }
}

#[inline(always)]
fn add_each(
    mix: &mut Mix,
    frames: impl Iterator<Item = [f32; 2]>,
    gains: impl Iterator<Item = [f32; 2]>,
) {
    for (((left, right), [l, r]), [gain_left, gain_right]) in mix.frames().zip(frames).zip(gains) {
        *left += l * gain_left;
        *right += r * gain_right;
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
        self.glide.advance(&mut self.position);
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

/// Eight sums side by side, then those in pairs: the order that eight lanes use.
#[inline(always)]
fn sinc(table: &SincTable, taps: &[[f32; 2]; SINC_TAPS], fraction: f32) -> [f32; 2] {
    let phase = fraction * SINC_PHASES as f32;
    let row = (phase as usize).min(SINC_PHASES - 1);
    let blend = phase - row as f32;
    let [a, b] = [&table.rows[row], &table.rows[row + 1]];
    let weights: [[f32; 8]; 2] =
        std::array::from_fn(|h| std::array::from_fn(|i| a[h][i] + blend * (b[h][i] - a[h][i])));
    [0, 1].map(|c| {
        let s: [f32; 8] =
            std::array::from_fn(|i| taps[i][c] * weights[0][i] + taps[i + 8][c] * weights[1][i]);
        let s: [f32; 4] = std::array::from_fn(|i| s[i] + s[i + 4]);
        (s[0] + s[2]) + (s[1] + s[3])
    })
}
