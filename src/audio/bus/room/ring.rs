//! A delay: what goes in comes out as many frames later as the ring is long.

use super::LINES;

/// Values below this, -300 dB, are written as 0: what decays falls silent in the end, long before
/// its numbers are denormal.
const LEAST: f32 = 1e-15;

/// The value, or 0 where it is too small to matter, or is not a number.
#[inline(always)]
pub(super) fn snapped(value: f32) -> f32 {
    if value.abs() >= LEAST { value } else { 0.0 }
}

pub(super) struct Ring {
    samples: Box<[f32]>,
    /// The oldest sample, whose place the next one takes.
    at: usize,
    /// How many 0s were written last, counted up to the ring's length at least.
    zeros: usize,
}

impl Ring {
    pub fn new(frames: usize) -> Ring {
        Ring { samples: vec![0.0; frames].into_boxed_slice(), at: 0, zeros: frames }
    }

    /// Whether there is nothing in it but 0.
    pub fn is_silent(&self) -> bool {
        self.zeros >= self.samples.len()
    }

    /// The oldest samples, as many as the ring holds at most, in the two parts in which they lie.
    fn oldest(&mut self, frames: usize) -> [&mut [f32]; 2] {
        let (early, late) = self.samples.split_at_mut(self.at);
        let first = late.len().min(frames);
        let second = early.len().min(frames - first);
        [late.get_mut(..first).unwrap_or_default(), early.get_mut(..second).unwrap_or_default()]
    }

    /// Goes on by as many frames as were written, no more than the ring holds.
    fn advance(&mut self, frames: usize) {
        let [first, second] = self.oldest(frames);
        // Seen from the end, a ring that sounds is known at once.
        let written = second.iter().rev().chain(first.iter().rev());
        let zeros = written.take_while(|sample| **sample == 0.0).count();
        self.zeros = if zeros == frames { self.zeros.saturating_add(frames) } else { zeros };
        self.at += frames;
        if self.at >= self.samples.len() {
            self.at -= self.samples.len();
        }
    }

    /// Replaces samples by what `pass` makes of each and the one that the ring holds for it.
    #[inline(always)]
    fn pass(&mut self, samples: &mut [f32], pass: impl Fn(&mut f32, &mut f32)) {
        // Never more than the ring holds at once: so none depends on another, and the compiler
        // takes several together.
        for samples in samples.chunks_mut(self.samples.len()) {
            let [first, second] = self.oldest(samples.len());
            let (early, late) = samples.split_at_mut(first.len());
            early.iter_mut().zip(first).for_each(|(sample, held)| pass(sample, held));
            late.iter_mut().zip(second).for_each(|(sample, held)| pass(sample, held));
            self.advance(samples.len());
        }
    }

    /// Delays samples. A ring without length leaves them as they are.
    pub fn delay(&mut self, samples: &mut [f32]) {
        if !self.samples.is_empty() {
            self.pass(samples, std::mem::swap);
        }
    }

    /// Spreads samples in time and leaves their spectrum alone: Schroeder's allpass.
    pub fn diffuse(&mut self, samples: &mut [f32], gain: f32) {
        self.pass(samples, |sample, held| {
            let fed = snapped(*sample + gain * *held);
            *sample = *held - gain * fed;
            *held = fed;
        });
    }

    /// Reads the oldest samples into a lane of the frames, no more than the ring holds.
    pub fn read(&mut self, frames: &mut [[f32; LINES]], lane: usize) {
        let [first, second] = self.oldest(frames.len());
        let (early, late) = frames.split_at_mut(first.len());
        for (frames, samples) in [(early, first), (late, second)] {
            for (frame, sample) in frames.iter_mut().zip(samples) {
                frame.get_mut(lane).into_iter().for_each(|it| *it = *sample);
            }
        }
    }

    /// Writes a lane of the frames in place of the oldest samples, no more than the ring holds.
    pub fn write(&mut self, frames: &[[f32; LINES]], lane: usize) {
        let [first, second] = self.oldest(frames.len());
        let (early, late) = frames.split_at(first.len());
        for (frames, samples) in [(early, first), (late, second)] {
            for (frame, sample) in frames.iter().zip(samples) {
                frame.get(lane).into_iter().for_each(|it| *sample = *it);
            }
        }
        self.advance(frames.len());
    }
}

#[cfg(test)]
impl Ring {
    pub fn samples(&self) -> &[f32] {
        &self.samples
    }
}
