//! Eight frames at a time: what the scalar kernels do, in lanes.

#![allow(unsafe_code)] // To read the neighbours of eight positions that were checked together.

use std::slice;

use super::frame::ClipFrame;
use super::lanes::{LANES, Lanes, Work};
use super::{Gains, Interpolator, Mix, SINC_TAPS, SincTable};
use crate::audio::voice::glide::Glide;

/// How many clips are read in one pass: with more voices a pass the mix is loaded and stored less
/// often for each, but their gains must fit into the registers.
pub const AT_ONCE: usize = 4;

/// Adds a run of frames as they are. Done are as many as fill the lanes.
pub(super) struct Copy<'a, F> {
    pub mix: Mix<'a>,
    pub clip: &'a [F],
    pub gains: Gains<'a>,
}

impl<F: ClipFrame> Work for Copy<'_, F> {
    type Done = usize;

    #[inline(always)]
    fn with<L: Lanes>(self, lanes: L) -> usize {
        let mut frames = Plain { groups: self.clip.as_chunks().0.iter() };
        add(lanes, self.mix, self.gains, &mut frames)
    }
}

/// Adds runs of several clips, one after the other to each frame.
pub(super) struct CopyAll<'a, F> {
    pub mix: Mix<'a>,
    pub clips: [&'a [F]; AT_ONCE],
    pub gains: [[f32; 2]; AT_ONCE],
}

impl<F: ClipFrame> Work for CopyAll<'_, F> {
    type Done = usize;

    #[inline(always)]
    fn with<L: Lanes>(self, lanes: L) -> usize {
        let [e, f, g, h] = self.gains;
        let gains = [splat(lanes, e), splat(lanes, f), splat(lanes, g), splat(lanes, h)];
        let [a, b, c, d] = self.clips.map(|clip| clip.as_chunks::<LANES>().0);
        let (left, right) = (self.mix.left.as_chunks_mut().0, self.mix.right.as_chunks_mut().0);
        let clips = a.iter().zip(b).zip(c.iter().zip(d));
        let mut done = 0;
        for ((left, right), ((a, b), (c, d))) in left.iter_mut().zip(right).zip(clips) {
            let mut sums = [lanes.load(left), lanes.load(right)];
            for (frames, gains) in [a, b, c, d].into_iter().zip(gains) {
                sums = sum(lanes, sums, F::eight(lanes, frames), gains);
            }
            store(lanes, sums, left, right);
            done += LANES;
        }
        done
    }
}

/// Adds a run of frames read between the samples. Done are as many as fill the lanes; then come
/// the position and the glide of the next.
pub(super) struct Interpolate<'a, F> {
    pub mix: Mix<'a>,
    pub clip: &'a [F],
    pub position: u64,
    pub glide: Glide,
    pub gains: Gains<'a>,
    pub interpolator: &'a Interpolator,
}

impl<F: ClipFrame> Work for Interpolate<'_, F> {
    type Done = (usize, u64, Glide);

    #[inline(always)]
    fn with<L: Lanes>(self, lanes: L) -> Self::Done {
        match self.interpolator {
            Interpolator::Linear => self.read(lanes, Linear),
            Interpolator::Cubic => self.read(lanes, Cubic),
            Interpolator::Sinc(table) => self.read(lanes, table.as_ref()),
        }
    }
}

impl<F: ClipFrame> Interpolate<'_, F> {
    #[inline(always)]
    fn read<L: Lanes>(self, lanes: L, between: impl Between<F>) -> (usize, u64, Glide) {
        let Interpolate { mix, clip, position, glide, gains, .. } = self;
        let last = clip.len().checked_sub(between.taps());
        let Some(last) = last else { return (0, position, glide) };
        if glide.remaining() > 0 {
            let mut frames = Gliding { clip, last, position, glide, between };
            let done = add(lanes, mix, gains, &mut frames);
            return (done, frames.position, frames.glide);
        }
        let step = glide.step();
        // Every position comes before the last one, so if its neighbours are there all are.
        let end = step.checked_mul(mix.len() as u64).and_then(|way| way.checked_add(position));
        if end.is_none_or(|end| end.saturating_sub(step) >> 32 > last as u64) {
            return (0, position, glide);
        }
        let phases = lanes.count(position as u32, step as u32);
        let mut frames = Stepping { clip, position, step, phases, between };
        let done = add(lanes, mix, gains, &mut frames);
        (done, frames.position, glide)
    }
}

/// Where groups of eight frames come from: left and right.
trait Frames<L: Lanes> {
    fn next(&mut self, lanes: L) -> Option<[L::Floats; 2]>;
}

/// The frames of a clip as they are.
struct Plain<'a, F> {
    groups: slice::Iter<'a, [F; LANES]>,
}

impl<L: Lanes, F: ClipFrame> Frames<L> for Plain<'_, F> {
    #[inline(always)]
    fn next(&mut self, lanes: L) -> Option<[L::Floats; 2]> {
        self.groups.next().map(|frames| F::eight(lanes, frames))
    }
}

/// Positions at one step.
struct Stepping<'a, F, B, L: Lanes> {
    clip: &'a [F],
    position: u64,
    step: u64,
    /// The fractions of the eight positions, of 2^32.
    phases: L::Words,
    between: B,
}

impl<L: Lanes, F: ClipFrame, B: Between<F>> Frames<L> for Stepping<'_, F, B, L> {
    #[inline(always)]
    fn next(&mut self, lanes: L) -> Option<[L::Floats; 2]> {
        let at = std::array::from_fn(|i| ((self.position + self.step * i as u64) >> 32) as usize);
        let phases = self.phases;
        self.position += self.step * LANES as u64;
        self.phases = lanes.count_on(phases, (self.step * LANES as u64) as u32);
        // SAFETY: whoever made this saw that the run's last position has all its neighbours.
        Some(unsafe { self.between.at(lanes, self.clip, &at, phases) })
    }
}

/// Positions whose step changes.
struct Gliding<'a, F, B> {
    clip: &'a [F],
    /// The last place whose neighbours the clip has.
    last: usize,
    position: u64,
    glide: Glide,
    between: B,
}

impl<L: Lanes, F: ClipFrame, B: Between<F>> Frames<L> for Gliding<'_, F, B> {
    #[inline(always)]
    fn next(&mut self, lanes: L) -> Option<[L::Floats; 2]> {
        let (mut position, mut glide) = (self.position, self.glide);
        let positions: [u64; LANES] = std::array::from_fn(|_| {
            let at = position;
            glide.advance(&mut position);
            at
        });
        let at = positions.map(|position| (position >> 32) as usize);
        if at.iter().any(|at| *at > self.last) {
            return None;
        }
        (self.position, self.glide) = (position, glide);
        let phases = lanes.load_counted(&positions.map(|position| position as u32));
        // SAFETY: each of them was seen to have all its neighbours.
        Some(unsafe { self.between.at(lanes, self.clip, &at, phases) })
    }
}

/// A way to read between the samples.
trait Between<F: ClipFrame> {
    fn taps(&self) -> usize;

    /// What is heard at eight positions, given the place of each one's first neighbour.
    ///
    /// # Safety
    /// The clip has that one and all neighbours after it, at each place.
    unsafe fn at<L: Lanes>(
        &self,
        lanes: L,
        clip: &[F],
        at: &[usize; LANES],
        phases: L::Words,
    ) -> [L::Floats; 2];
}

struct Linear;

impl<F: ClipFrame> Between<F> for Linear {
    fn taps(&self) -> usize {
        2
    }

    #[inline(always)]
    unsafe fn at<L: Lanes>(
        &self,
        lanes: L,
        clip: &[F],
        at: &[usize; LANES],
        phases: L::Words,
    ) -> [L::Floats; 2] {
        // SAFETY: as the caller says.
        let [a, b] = unsafe { F::two(lanes, clip, at) };
        let fraction = lanes.fraction(phases);
        [linear(lanes, a[0], b[0], fraction), linear(lanes, a[1], b[1], fraction)]
    }
}

/// On the way from one to the other.
#[inline(always)]
fn linear<L: Lanes>(lanes: L, a: L::Floats, b: L::Floats, fraction: L::Floats) -> L::Floats {
    lanes.add(a, lanes.mul(fraction, lanes.sub(b, a)))
}

struct Cubic;

impl<F: ClipFrame> Between<F> for Cubic {
    fn taps(&self) -> usize {
        4
    }

    #[inline(always)]
    unsafe fn at<L: Lanes>(
        &self,
        lanes: L,
        clip: &[F],
        at: &[usize; LANES],
        phases: L::Words,
    ) -> [L::Floats; 2] {
        // SAFETY: as the caller says.
        let [y0, y1, y2, y3] = unsafe { F::four(lanes, clip, at) };
        let fraction = lanes.fraction(phases);
        let [left, right] = [0, 1].map(|c| [y0[c], y1[c], y2[c], y3[c]]);
        [cubic(lanes, left, fraction), cubic(lanes, right, fraction)]
    }
}

#[inline(always)]
fn cubic<L: Lanes>(lanes: L, taps: [L::Floats; 4], fraction: L::Floats) -> L::Floats {
    let [y0, y1, y2, y3] = taps;
    let c1 = lanes.sub(y2, y0);
    let steep = lanes.mul(lanes.splat(3.0), lanes.sub(y1, y2));
    let c3 = lanes.add(steep, lanes.sub(y3, y0));
    let bend = lanes.sub(lanes.add(y0, y2), lanes.mul(lanes.splat(2.0), y1));
    let c2 = lanes.sub(bend, c3);
    let inner = lanes.add(c2, lanes.mul(fraction, c3));
    let outer = lanes.add(c1, lanes.mul(fraction, inner));
    lanes.add(y1, lanes.mul(lanes.mul(lanes.splat(0.5), fraction), outer))
}

impl<F: ClipFrame> Between<F> for &SincTable {
    fn taps(&self) -> usize {
        SINC_TAPS
    }

    #[inline(always)]
    unsafe fn at<L: Lanes>(
        &self,
        lanes: L,
        clip: &[F],
        at: &[usize; LANES],
        phases: L::Words,
    ) -> [L::Floats; 2] {
        let (mut words, mut blends) = ([0; LANES], [0.0; LANES]);
        lanes.store_counted(phases, &mut words);
        lanes.store(lanes.fine_fraction(phases), &mut blends);
        let mut sums = [[lanes.splat(0.0); LANES]; 2];
        let [left, right] = &mut sums;
        let frames = at.iter().zip(words).zip(blends).zip(left.iter_mut().zip(right));
        for (((at, word), blend), (left, right)) in frames {
            // SAFETY: the caller says that there are so many.
            let taps = unsafe { clip.get_unchecked(*at..*at + SINC_TAPS) };
            let ([early, late], _) = taps.as_chunks::<LANES>() else { continue };
            let row = usize::from((word >> 24) as u8);
            let [a, b] = [&self.rows[row], &self.rows[row + 1]];
            let blend = lanes.splat(blend);
            let [v, w] = [
                linear(lanes, lanes.load(&a[0]), lanes.load(&b[0]), blend),
                linear(lanes, lanes.load(&a[1]), lanes.load(&b[1]), blend),
            ];
            let (early, late) = (F::eight(lanes, early), F::eight(lanes, late));
            *left = lanes.add(lanes.mul(early[0], v), lanes.mul(late[0], w));
            *right = lanes.add(lanes.mul(early[1], v), lanes.mul(late[1], w));
        }
        [lanes.sums(sums[0]), lanes.sums(sums[1])]
    }
}

/// Adds groups of frames to the mix, at their gains. Returns how many frames were added.
#[inline(always)]
fn add<L: Lanes>(lanes: L, mix: Mix, gains: Gains, frames: &mut impl Frames<L>) -> usize {
    let (left, right) = (mix.left.as_chunks_mut().0, mix.right.as_chunks_mut().0);
    let mix = left.iter_mut().zip(right);
    let mut done = 0;
    match gains {
        Gains::Steady(gains) => {
            let gains = splat(lanes, gains);
            for (left, right) in mix {
                let Some(frames) = frames.next(lanes) else { break };
                let sums = [lanes.load(left), lanes.load(right)];
                store(lanes, sum(lanes, sums, frames, gains), left, right);
                done += LANES;
            }
        }
        Gains::Curve { left: gains_left, right: gains_right } => {
            let gains = gains_left.as_chunks().0.iter().zip(gains_right.as_chunks().0);
            for ((left, right), (gain_left, gain_right)) in mix.zip(gains) {
                let Some(frames) = frames.next(lanes) else { break };
                let gains = [lanes.load(gain_left), lanes.load(gain_right)];
                let sums = [lanes.load(left), lanes.load(right)];
                store(lanes, sum(lanes, sums, frames, gains), left, right);
                done += LANES;
            }
        }
    }
    done
}

#[inline(always)]
fn splat<L: Lanes>(lanes: L, gains: [f32; 2]) -> [L::Floats; 2] {
    [lanes.splat(gains[0]), lanes.splat(gains[1])]
}

#[inline(always)]
fn sum<L: Lanes>(
    lanes: L,
    sums: [L::Floats; 2],
    frames: [L::Floats; 2],
    gains: [L::Floats; 2],
) -> [L::Floats; 2] {
    [
        lanes.add(sums[0], lanes.mul(frames[0], gains[0])),
        lanes.add(sums[1], lanes.mul(frames[1], gains[1])),
    ]
}

#[inline(always)]
fn store<L: Lanes>(
    lanes: L,
    sums: [L::Floats; 2],
    left: &mut [f32; LANES],
    right: &mut [f32; LANES],
) {
    lanes.store(sums[0], left);
    lanes.store(sums[1], right);
}
