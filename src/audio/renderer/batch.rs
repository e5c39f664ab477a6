//! Voices that are mixed in one pass.
//!
//! A pass over the mix costs more than a pass over a clip, so clips that need nothing but a gain
//! are gathered and added together. Each frame still sums them in the order they came in.

use std::mem::Discriminant;

use crate::audio::kernel::{AT_ONCE, ClipFrame, Gains, Kernels, Mix};
use crate::audio::voice::Voice;
use crate::pool::Pool;
use crate::sound::Samples;

/// A run of a voice's clip as it is, at one gain.
#[derive(Clone, Copy, Default)]
pub(in crate::audio) struct Run {
    pub first: usize,
    pub gains: [f32; 2],
}

/// What a clip's frames are.
pub(in crate::audio) type Kind = Discriminant<Samples>;

/// Runs of voices whose clips are of one kind.
#[derive(Default)]
pub(in crate::audio) struct Batch {
    kind: Option<Kind>,
    slots: [u32; AT_ONCE],
    runs: [Run; AT_ONCE],
    len: usize,
}

impl Batch {
    /// Takes a run in, if there is room for one of its kind.
    pub fn add(&mut self, slot: u32, run: Run, kind: Kind) -> bool {
        if self.len > 0 && self.kind != Some(kind) {
            return false;
        }
        let places = self.slots.get_mut(self.len).zip(self.runs.get_mut(self.len));
        let Some(places) = places else { return false };
        (*places.0, *places.1) = (slot, run);
        self.kind = Some(kind);
        self.len += 1;
        true
    }

    /// Adds all runs to the mix, and is empty again.
    pub fn flush(&mut self, mix: Mix, voices: &Pool<Voice>, kernels: &Kernels) {
        if self.len == 0 {
            return;
        }
        let first = self.slots.first().and_then(|slot| voices.at(*slot));
        match first.map(|voice| voice.samples()) {
            Some(Samples::Mono16(_)) => self.mix::<[i16; 1]>(mix, voices, kernels),
            Some(Samples::Stereo16(_)) => self.mix::<[i16; 2]>(mix, voices, kernels),
            Some(Samples::Mono32(_)) => self.mix::<[f32; 1]>(mix, voices, kernels),
            Some(Samples::Stereo32(_)) => self.mix::<[f32; 2]>(mix, voices, kernels),
            None => (),
        }
        self.len = 0;
    }

    fn mix<F: ClipFrame>(&self, mut mix: Mix, voices: &Pool<Voice>, kernels: &Kernels) {
        let frames = mix.len();
        let clips: [&[F]; AT_ONCE] = std::array::from_fn(|i| {
            let clip = voices.at(self.slots[i]).and_then(|voice| F::clip(voice.samples()));
            let first = self.runs[i].first;
            clip.and_then(|clip| clip.get(first..first + frames)).unwrap_or_default()
        });
        let gains = self.runs.map(|run| run.gains);
        if self.len == AT_ONCE {
            return kernels.copy_all(mix, clips, gains);
        }
        for (clip, gains) in clips.into_iter().zip(gains).take(self.len) {
            kernels.copy(mix.part(0, frames), clip, Gains::Steady(gains));
        }
    }
}
