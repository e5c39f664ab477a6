//! Eight frames at a time: what the scalar kernels do, in lanes.

#![allow(unsafe_code)] // To read the neighbours of eight positions that were checked together.

use std::slice;

use super::between::{Between, Cubic, Linear};
use super::frame::ClipFrame;
use super::gains::{Curve, GroupGains, Sloping, Steady, Turning, splat};
use super::lanes::{LANES, Lanes, Work, each, map};
use super::{Gain, Gains, Interpolator, Mix};
use crate::audio::voice::glide::Glide;

/// Adds a run of frames as they are. Done are as many as fill the lanes.
pub(super) struct Copy<'a, F> {
    pub mix: Mix<'a>,
    pub clip: &'a [F],
    pub gains: &'a Gains<'a>,
}

impl<F: ClipFrame> Work for Copy<'_, F> {
    type Done = usize;

    #[inline(always)]
    fn with<L: Lanes>(self, lanes: L) -> usize {
        let Copy { mut mix, clip, gains } = self;
        let groups = clip.as_chunks().0;
        let len = mix.len().min(LANES * groups.len());
        // SAFETY: there are as many groups.
        unsafe { add(lanes, mix.part(0, len), gains, &mut Whole { groups: groups.iter() }) }
    }
}

/// Adds runs of two clips, one after the other to each frame: the mix is loaded and stored but once
/// for both.
pub(super) struct Two<'a, F, G> {
    pub mix: Mix<'a>,
    pub first: &'a [F],
    pub second: &'a [G],
    pub gains: [[f32; 2]; 2],
}

impl<F: ClipFrame, G: ClipFrame> Work for Two<'_, F, G> {
    type Done = usize;

    #[inline(always)]
    fn with<L: Lanes>(self, lanes: L) -> usize {
        let [e, f] = self.gains;
        let (e, f) = (splat(lanes, e), splat(lanes, f));
        let (a, b) = (self.first.as_chunks().0, self.second.as_chunks().0);
        let (left, right) = (self.mix.left.as_chunks_mut().0, self.mix.right.as_chunks_mut().0);
        let mut done = 0;
        for ((left, right), (a, b)) in left.iter_mut().zip(right).zip(a.iter().zip(b)) {
            let sums = [lanes.load(left), lanes.load(right)];
            let sums = sum(lanes, sums, F::eight(lanes, a), e);
            let sums = sum(lanes, sums, G::eight(lanes, b), f);
            store(lanes, sums, left, right);
            done += LANES;
        }
        done
    }
}

/// The same of four clips whose frames are of one kind.
pub(super) struct Four<'a, F> {
    pub mix: Mix<'a>,
    pub clips: &'a [&'a [F]; 4],
    pub gains: &'a [[f32; 2]; 4],
}

impl<F: ClipFrame> Work for Four<'_, F> {
    type Done = usize;

    #[inline(always)]
    fn with<L: Lanes>(self, lanes: L) -> usize {
        let [e, f, g, h] = *self.gains;
        let gains = [splat(lanes, e), splat(lanes, f), splat(lanes, g), splat(lanes, h)];
        let [a, b, c, d] = *self.clips;
        let (a, b) = (a.as_chunks::<LANES>().0, b.as_chunks::<LANES>().0);
        let (c, d) = (c.as_chunks::<LANES>().0, d.as_chunks::<LANES>().0);
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

/// Adds a run of frames read between the samples, at one step. Done are as many as fill the lanes,
/// and none if the clip has not all their neighbours.
pub(super) struct Steps<'a, F> {
    pub mix: Mix<'a>,
    pub clip: &'a [F],
    pub position: u64,
    pub step: u64,
    pub gains: &'a Gains<'a>,
    pub interpolator: &'a Interpolator,
}

impl<F: ClipFrame> Work for Steps<'_, F> {
    type Done = usize;

    #[inline(always)]
    fn with<L: Lanes>(self, lanes: L) -> usize {
        match self.interpolator {
            Interpolator::Linear => self.read(lanes, Linear),
            Interpolator::Cubic => self.read(lanes, Cubic),
            Interpolator::Sinc(table) => self.read(lanes, table.as_ref()),
        }
    }
}

impl<F: ClipFrame> Steps<'_, F> {
    #[inline(always)]
    fn read<L: Lanes>(self, lanes: L, between: impl Between) -> usize {
        let Steps { mix, clip, position, step, gains, .. } = self;
        if !reaches(clip, position, step, mix.len(), between) {
            return 0;
        }
        let phases = lanes.count(position as u32, step as u32);
        // SAFETY: the last of all positions was seen to have its neighbours.
        unsafe { add(lanes, mix, gains, &mut Stepping { clip, position, step, phases, between }) }
    }
}

/// The same at a step that changes. After how many are done come the position and the glide of the
/// next.
pub(super) struct Glides<'a, F> {
    pub mix: Mix<'a>,
    pub clip: &'a [F],
    pub position: u64,
    pub glide: Glide,
    pub gains: &'a Gains<'a>,
    pub interpolator: &'a Interpolator,
}

impl<F: ClipFrame> Work for Glides<'_, F> {
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

impl<F: ClipFrame> Glides<'_, F> {
    #[inline(always)]
    fn read<L: Lanes>(self, lanes: L, between: impl Between) -> (usize, u64, Glide) {
        let Glides { mix, clip, position, glide, gains, .. } = self;
        if !reaches(clip, position, glide.longest(), mix.len(), between) {
            return (0, position, glide);
        }
        let mut frames = Gliding { clip, position, glide, between };
        // SAFETY: were every step the longest, the last of all positions would have its neighbours.
        let done = unsafe { add(lanes, mix, gains, &mut frames) };
        (done, frames.position, frames.glide)
    }
}

/// Whether a clip has all neighbours of so many positions. Each comes before the last one, so if that
/// one's are there all are.
#[inline(always)]
fn reaches<F>(clip: &[F], position: u64, step: u64, count: usize, between: impl Between) -> bool {
    let last = count.saturating_sub(1) as u64;
    let last = step.checked_mul(last).and_then(|way| way.checked_add(position));
    // In 64 bits, where the sum of a place and some neighbours has room on every processor.
    let end = last.map(|last| (last >> 32) + between.taps() as u64);
    end.is_some_and(|end| end <= clip.len() as u64)
}

/// Where groups of eight frames come from: left and right.
trait Frames<L: Lanes> {
    /// # Safety
    /// There is another group.
    unsafe fn next(&mut self, lanes: L) -> [L::Floats; 2];
}

/// The frames of a clip as they are.
struct Whole<'a, F> {
    groups: slice::Iter<'a, [F; LANES]>,
}

impl<L: Lanes, F: ClipFrame> Frames<L> for Whole<'_, F> {
    #[inline(always)]
    unsafe fn next(&mut self, lanes: L) -> [L::Floats; 2] {
        F::eight(lanes, self.groups.next().unwrap_or(&[F::SILENCE; LANES]))
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

impl<L: Lanes, F: ClipFrame, B: Between> Frames<L> for Stepping<'_, F, B, L> {
    #[inline(always)]
    unsafe fn next(&mut self, lanes: L) -> [L::Floats; 2] {
        let at = each(|i| ((self.position + self.step * i as u64) >> 32) as usize);
        let phases = self.phases;
        self.position += self.step * LANES as u64;
        self.phases = lanes.count_on(phases, (self.step * LANES as u64) as u32);
        // SAFETY: the caller says that all neighbours of these positions are there.
        unsafe { self.between.at(lanes, self.clip, &at, phases) }
    }
}

/// Positions whose step changes.
struct Gliding<'a, F, B> {
    clip: &'a [F],
    position: u64,
    glide: Glide,
    between: B,
}

impl<L: Lanes, F: ClipFrame, B: Between> Frames<L> for Gliding<'_, F, B> {
    #[inline(always)]
    unsafe fn next(&mut self, lanes: L) -> [L::Floats; 2] {
        let positions = each(|_| {
            let at = self.position;
            self.glide.advance(&mut self.position);
            at
        });
        let at = map(positions, |position| (position >> 32) as usize);
        let phases = lanes.load_counted(&map(positions, |position| position as u32));
        // SAFETY: the caller says that all neighbours of these positions are there.
        unsafe { self.between.at(lanes, self.clip, &at, phases) }
    }
}

/// Adds groups of frames to the mix, at their gains. Returns how many frames were added.
///
/// # Safety
/// There are as many groups as the mix has.
#[inline(always)]
unsafe fn add<L: Lanes>(
    lanes: L,
    mut mix: Mix,
    gains: &Gains,
    frames: &mut impl Frames<L>,
) -> usize {
    // SAFETY: as the caller says, and they take no more groups than the mix has.
    unsafe {
        match *gains {
            Gains::Each(Gain::Steady(gains)) => {
                add_each(lanes, mix, Steady { gains: splat(lanes, gains) }, frames)
            }
            Gains::Each(Gain::Sloped(slope, on)) if slope.turns() => {
                add_each(lanes, mix, Turning::new(lanes, slope, on), frames)
            }
            Gains::Each(Gain::Sloped(slope, on)) if slope.is_alone() => {
                add_each(lanes, mix, Sloping::<L, false>::new(lanes, slope, on), frames)
            }
            Gains::Each(Gain::Sloped(slope, on)) => {
                add_each(lanes, mix, Sloping::<L, true>::new(lanes, slope, on), frames)
            }
            Gains::Curve { left, right } => {
                let (left, right) = (left.as_chunks().0, right.as_chunks().0);
                let len = mix.len().min(LANES * left.len().min(right.len()));
                let gains = Curve { left: left.iter(), right: right.iter() };
                add_each(lanes, mix.part(0, len), gains, frames)
            }
        }
    }
}

/// # Safety
/// There are as many groups as the mix has.
#[inline(always)]
unsafe fn add_each<L: Lanes>(
    lanes: L,
    mix: Mix,
    mut gains: impl GroupGains<L>,
    frames: &mut impl Frames<L>,
) -> usize {
    let (left, right) = (mix.left.as_chunks_mut().0, mix.right.as_chunks_mut().0);
    let mut done = 0;
    for (left, right) in left.iter_mut().zip(right) {
        // SAFETY: as the caller says.
        let frames = unsafe { frames.next(lanes) };
        let sums = [lanes.load(left), lanes.load(right)];
        store(lanes, sum(lanes, sums, frames, gains.next(lanes)), left, right);
        done += LANES;
    }
    done
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
