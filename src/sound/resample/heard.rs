//! What the filter hears: a clip, some frames of one, or a loop that goes round and round.

use std::ops::Range;

use crate::sound::samples::Sample;

/// What the filter hears.
pub(crate) trait Heard<const CHANNELS: usize>: Copy {
    /// Lays out one channel from this frame on.
    fn lay_out(self, channel: usize, first: i64, room: &mut [f64]);

    /// Which of the taps from this frame on meet anything.
    fn met(self, first: i64, taps: u64) -> Range<u64>;
}

/// Some frames of a clip, with silence around them.
#[derive(Clone, Copy)]
pub(crate) struct Window<'a, const CHANNELS: usize> {
    pub source: &'a [[f32; CHANNELS]],
    /// The number of the first.
    pub first: i64,
}

impl<const CHANNELS: usize> Heard<CHANNELS> for Window<'_, CHANNELS> {
    fn lay_out(self, channel: usize, first: i64, room: &mut [f64]) {
        self.clip().lay_out(channel, first - self.first, room);
    }

    fn met(self, first: i64, taps: u64) -> Range<u64> {
        self.clip().met(first - self.first, taps)
    }
}

impl<'a, const CHANNELS: usize> Window<'a, CHANNELS> {
    fn clip(self) -> Clip<'a, f32, CHANNELS> {
        Clip { source: self.source, origin: 0, looping: false }
    }
}

/// A clip, or a part of one, as the filter sees it: with silence around it, or with itself, round and
/// round.
#[derive(Clone, Copy)]
pub(super) struct Clip<'a, T, const CHANNELS: usize> {
    pub source: &'a [[T; CHANNELS]],
    /// Where in the clip it begins.
    pub origin: usize,
    pub looping: bool,
}

impl<T: Sample, const CHANNELS: usize> Heard<CHANNELS> for Clip<'_, T, CHANNELS> {
    fn lay_out(self, channel: usize, first: i64, room: &mut [f64]) {
        let length = self.source.len();
        if self.looping {
            let mut at = (first - self.origin as i64).rem_euclid(length as i64) as usize;
            let mut rest = room;
            while !rest.is_empty() {
                let (part, after) = rest.split_at_mut(rest.len().min(length - at));
                widen(channel, &self.source[at..at + part.len()], part);
                (at, rest) = (0, after);
            }
            return;
        }
        let early = room.len().min(usize::try_from(-first).unwrap_or(0));
        let (before, rest) = room.split_at_mut(early);
        let at = length.min(usize::try_from(first).unwrap_or(0));
        let (inside, after) = rest.split_at_mut(rest.len().min(length - at));
        before.fill(0.0);
        widen(channel, &self.source[at..at + inside.len()], inside);
        after.fill(0.0);
    }

    fn met(self, first: i64, taps: u64) -> Range<u64> {
        if self.looping {
            return 0..taps;
        }
        let until = (self.source.len() as i64 - first).clamp(0, taps as i64) as u64;
        ((-first).max(0) as u64).min(until)..until
    }
}

/// One channel as `f64`.
fn widen<T: Sample, const CHANNELS: usize>(
    channel: usize,
    frames: &[[T; CHANNELS]],
    room: &mut [f64],
) {
    for (wide, frame) in room.iter_mut().zip(frames) {
        *wide = f64::from(frame[channel].value());
    }
}
