//! Ways to read between the samples, at eight positions at a time.

#![allow(unsafe_code)] // To read the neighbours of eight positions that were checked together.

use super::frame::ClipFrame;
use super::lanes::{LANES, Lanes};
use super::{SINC_TAPS, SincTable};

/// A way to read between the samples.
pub(super) trait Between: Copy {
    fn taps(&self) -> usize;

    /// What is heard at eight positions, given the place of each one's first neighbour.
    ///
    /// # Safety
    /// The clip has that one and all neighbours after it, at each place.
    unsafe fn at<L: Lanes, F: ClipFrame>(
        &self,
        lanes: L,
        clip: &[F],
        at: &[usize; LANES],
        phases: L::Words,
    ) -> [L::Floats; 2];
}

#[derive(Clone, Copy)]
pub(super) struct Linear;

impl Between for Linear {
    fn taps(&self) -> usize {
        2
    }

    #[inline(always)]
    unsafe fn at<L: Lanes, F: ClipFrame>(
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

#[derive(Clone, Copy)]
pub(super) struct Cubic;

impl Between for Cubic {
    fn taps(&self) -> usize {
        4
    }

    #[inline(always)]
    unsafe fn at<L: Lanes, F: ClipFrame>(
        &self,
        lanes: L,
        clip: &[F],
        at: &[usize; LANES],
        phases: L::Words,
    ) -> [L::Floats; 2] {
        // SAFETY: as the caller says.
        let [y0, y1, y2, y3] = unsafe { F::four(lanes, clip, at) };
        let fraction = lanes.fraction(phases);
        let left = [y0[0], y1[0], y2[0], y3[0]];
        let right = [y0[1], y1[1], y2[1], y3[1]];
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

impl Between for &SincTable {
    fn taps(&self) -> usize {
        SINC_TAPS
    }

    #[inline(always)]
    unsafe fn at<L: Lanes, F: ClipFrame>(
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
