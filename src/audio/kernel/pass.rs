//! Several voices in one pass over the mix.

use std::mem::discriminant;

use super::frame::{ClipFrame, Frames};
use super::wide::{Four, Two};
use super::{Gain, Gains, Kernels, Mix, scalar};
use crate::sound::each_kind;

/// How many frames of one voice are added before the next one's, where they are not added at once:
/// memory then answers for several of them, and a block of the mix stays at hand.
const BLOCK: usize = 128;

/// A voice's share of a pass.
#[derive(Clone, Copy)]
pub(in crate::audio) struct Part<'a> {
    /// What it comes past, from the first frame that it reads on.
    pub clip: Frames<'a>,
    /// Whether the mean of both sides is heard on either.
    pub is_point: bool,
    pub stride: Stride,
    pub gain: Gain<'a>,
}

/// How a voice goes through its clip.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::audio) enum Stride {
    /// From frame to frame.
    Whole,
    /// Between the frames, from a fraction on.
    Between { fraction: u32, step: u64 },
}

impl<'a> Part<'a> {
    /// Its clip from some frame on with its gains, if it is read from frame to frame and they stay.
    fn even(&self, from: usize) -> Option<Even<'a>> {
        match (self.stride, self.gain) {
            (Stride::Whole, Gain::Steady(gains)) if !self.is_point => {
                Some(Even { clip: self.clip, from, gains })
            }
            _ => None,
        }
    }
}

/// A part that needs nothing but its gains.
struct Even<'a> {
    clip: Frames<'a>,
    from: usize,
    gains: [f32; 2],
}

impl<'a> Even<'a> {
    /// Its frames, if they are of this kind.
    fn frames<F: ClipFrame>(&self) -> &'a [F] {
        F::frames(self.clip).and_then(|clip| clip.get(self.from..)).unwrap_or_default()
    }
}

impl Kernels {
    /// Adds several voices: to each frame one after the other, as if each had been added alone.
    pub fn mix(&self, mut mix: Mix, parts: &[Part]) {
        let even = parts.iter().all(|part| part.even(0).is_some());
        let block = if even { mix.len().max(1) } else { BLOCK };
        for from in (0..mix.len()).step_by(block) {
            let len = block.min(mix.len() - from);
            let mut parts = parts;
            while !parts.is_empty() {
                parts = self.mix_first(mix.part(from, len), parts, from);
            }
        }
    }

    /// Adds the first part from some frame of it on, and those after it that can be added with it.
    /// Returns the others.
    fn mix_first<'a>(&self, mix: Mix, parts: &'a [Part<'a>], from: usize) -> &'a [Part<'a>] {
        let even = |at: usize| parts.get(at).and_then(|part| part.even(from));
        if let (Some(a), Some(b)) = (even(0), even(1)) {
            if let (Some(c), Some(d)) = (even(2), even(3)) {
                let kind = discriminant(&a.clip);
                if [&b, &c, &d].iter().all(|other| discriminant(&other.clip) == kind) {
                    self.mix_four(mix, [a, b, c, d]);
                    return parts.get(4..).unwrap_or_default();
                }
            }
            self.mix_two(mix, a, b);
            return parts.get(2..).unwrap_or_default();
        }
        let Some((part, rest)) = parts.split_first() else { return parts };
        self.mix_one(mix, part, from);
        rest
    }

    fn mix_four(&self, mix: Mix, four: [Even; 4]) {
        each_kind!(Frames, four[0].clip, clip => self.add_four(mix, clip, four));
    }

    /// Adds four clips of the kind that `first` is.
    fn add_four<F: ClipFrame>(&self, mut mix: Mix, _first: &[F], four: [Even; 4]) {
        let clips = four.each_ref().map(Even::frames::<F>);
        let gains = four.each_ref().map(|part| part.gains);
        let done = self.cpu.run(Four { mix: mix.rest(0), clips: &clips, gains: &gains });
        if done < mix.len() {
            for (clip, gains) in clips.into_iter().zip(gains) {
                let clip = clip.get(done..).unwrap_or_default();
                scalar::copy(mix.rest(done), clip, Gains::Each(Gain::Steady(gains)));
            }
        }
    }

    fn mix_two(&self, mix: Mix, a: Even, b: Even) {
        let gains = [a.gains, b.gains];
        each_kind!(Frames, a.clip, first => {
            let first = first.get(a.from..).unwrap_or_default();
            each_kind!(Frames, b.clip, second => {
                self.add_two(mix, first, second.get(b.from..).unwrap_or_default(), gains);
            });
        });
    }

    fn add_two<F: ClipFrame, G: ClipFrame>(
        &self,
        mut mix: Mix,
        first: &[F],
        second: &[G],
        gains: [[f32; 2]; 2],
    ) {
        let done = self.cpu.run(Two { mix: mix.rest(0), first, second, gains });
        if done < mix.len() {
            let [a, b] = gains.map(|gains| Gains::Each(Gain::Steady(gains)));
            scalar::copy(mix.rest(done), first.get(done..).unwrap_or_default(), a);
            scalar::copy(mix.rest(done), second.get(done..).unwrap_or_default(), b);
        }
    }

    fn mix_one(&self, mix: Mix, part: &Part, from: usize) {
        each_kind!(Frames, part.clip, clip => match part.is_point {
            false => self.add_one(mix, part, clip, from),
            true => self.add_one(mix, part, ClipFrame::points(clip), from),
        });
    }

    fn add_one<F: ClipFrame>(&self, mix: Mix, part: &Part, clip: &[F], from: usize) {
        let gains = Gains::Each(part.gain.after(from));
        match part.stride {
            Stride::Whole => self.copy(mix, clip.get(from..).unwrap_or_default(), gains),
            Stride::Between { fraction, step } => {
                let position = u64::from(fraction) + step * from as u64;
                self.step(mix, clip, position, step, gains);
            }
        }
    }
}
