//! Voices that are mixed in one pass.
//!
//! A pass over the mix costs more than a pass over a clip, so voices that meet neither an end nor a
//! turn are gathered and added together. Each frame still sums them in the order they came in.

use crate::audio::kernel::{Frames, Gain, Kernels, Mix, Part, Slope, Stride};
use crate::audio::voice::Voice;
use crate::pool::Pool;

/// How many voices are mixed in one pass.
const AT_ONCE: usize = 4;

/// A run of a voice's clip.
#[derive(Clone, Copy)]
pub(in crate::audio) struct Run {
    /// The first frame that is read.
    pub first: usize,
    /// How many are.
    pub len: usize,
    pub stride: Stride,
    /// Its gains, unless they are on a slope.
    pub gains: Option<[f32; 2]>,
}

const NOTHING: Run = Run { first: 0, len: 0, stride: Stride::Whole, gains: None };

/// Runs of voices.
pub(in crate::audio) struct Batch {
    slots: [u32; AT_ONCE],
    runs: [Run; AT_ONCE],
    slopes: [Slope; AT_ONCE],
    len: usize,
}

impl Batch {
    pub fn new() -> Batch {
        Batch {
            slots: [0; AT_ONCE],
            runs: [NOTHING; AT_ONCE],
            slopes: [Slope::LEVEL; AT_ONCE],
            len: 0,
        }
    }

    /// Where the slope of the next run goes, if it has one.
    pub fn slope(&mut self) -> &mut Slope {
        let at = self.len.min(AT_ONCE - 1);
        &mut self.slopes[at]
    }

    /// Takes a run in. Returns whether there is room for another.
    #[inline(always)]
    pub fn add(&mut self, slot: u32, run: Run) -> bool {
        if let Some(places) = self.slots.get_mut(self.len).zip(self.runs.get_mut(self.len)) {
            (*places.0, *places.1) = (slot, run);
            self.len += 1;
        }
        self.len < AT_ONCE
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds all runs to the mix, and is empty again.
    pub fn flush(&mut self, mix: Mix, voices: &Pool<Voice>, kernels: &Kernels) {
        if self.len == 0 {
            return;
        }
        let mut parts = [Part {
            clip: Frames::NONE,
            is_point: false,
            stride: Stride::Whole,
            gain: Gain::Steady([0.0; 2]),
        }; AT_ONCE];
        let runs = self.slots.iter().zip(&self.runs).zip(&self.slopes).take(self.len);
        for (part, ((slot, run), slope)) in parts.iter_mut().zip(runs) {
            let Some(voice) = voices.at(*slot) else { continue };
            part.clip = Frames::of(voice.samples(), run.first..run.first + run.len);
            part.is_point = voice.is_point();
            part.stride = run.stride;
            part.gain = run.gains.map_or(Gain::Sloped(slope, 0), Gain::Steady);
        }
        kernels.mix(mix, parts.get(..self.len).unwrap_or_default());
        self.len = 0;
    }
}
