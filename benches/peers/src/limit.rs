//! The yardstick: what the machine needs for the sums alone.
//!
//! The best kernels we could write by hand, over the same clips, gains and positions, and around
//! them as little as can be: no commands, no ends, no ramps to look after, no theft. Clips are
//! unrolled past their ends, so that a block never meets a loop point. It gives the same output
//! as voicepool ([`crate::check`]), so what voicepool takes longer is the price of a mixer.

use crate::kernels::{self, Mix, Resample, Sample, Steps};
use crate::scene::{BLOCK, Contender, Driver, Frame, Scene, Voice};

/// Positions have 16 bits after the point.
const ONE: u64 = 1 << 16;

/// Once it has begun, voicepool starts plays a quantum later: it mixes ahead of what it hands out.
const LATER: u64 = 128;

/// Kernels read this many bytes at once: loads that straddle two cache lines are left to others.
const ALIGN: usize = 32;

/// A clip with what comes before and after it when it loops.
struct Unrolled<S> {
    samples: Vec<S>,
    /// The place of its first frame.
    first: usize,
    frames: usize,
}

impl<S: Sample> Unrolled<S> {
    fn new(clip: &[S]) -> Unrolled<S> {
        // No block goes further, up to an octave and a half above.
        let after = 3 * BLOCK;
        let mut samples: Vec<S> = Vec::with_capacity(clip.len() + after + ALIGN);
        // Room for the one frame before the first that the cubic kernel reads.
        let first = samples.as_ptr().wrapping_add(1).align_offset(ALIGN) + 1;
        samples.resize(first - 1, S::default());
        samples.extend(clip.last());
        samples.extend_from_slice(clip);
        samples.extend(clip.iter().cycle().take(after));
        Unrolled { samples, first, frames: clip.len() }
    }
}

/// A voice at its place, in a clip and in 16.16 fixed point.
struct Reader {
    clip: usize,
    position: u64,
    gains: [f32; 2],
}

struct Limit<S> {
    clips: Vec<Unrolled<S>>,
    resample: Resample<S>,
    voices: Vec<Reader>,
    /// Of every voice.
    step: u64,
    mix: Mix,
    begun: bool,
}

impl<S: Sample> Limit<S> {
    fn new(scene: &Scene, clips: Vec<Unrolled<S>>, resample: Resample<S>) -> Limit<S> {
        let voices = Vec::with_capacity(scene.voices);
        Limit { clips, resample, voices, step: ONE, mix: Mix::new(BLOCK), begun: false }
    }

    /// A voice's samples, and the place of its frame in them.
    fn source(&self, voice: &Reader) -> (&[S], usize) {
        let clip = &self.clips[voice.clip];
        (&clip.samples, clip.first + (voice.position / ONE) as usize)
    }
}

impl<S: Sample> Driver for Limit<S> {
    fn play(&mut self, voice: Voice) {
        // voicepool's pan law.
        let gains = [1.0 - voice.pan, 1.0 + voice.pan].map(|side| voice.gain * side.sqrt());
        self.step = (voice.pitch * ONE as f32) as u64;
        let clip = voice.clip % self.clips.len();
        // In a loop, what comes later is what stands a little before the beginning: its end.
        let later = if self.begun { LATER * self.step } else { 0 };
        let end = self.clips[clip].frames as u64 * ONE;
        self.voices.push(Reader { clip, position: (end - later) % end, gains });
    }

    fn render(&mut self, out: &mut [Frame]) {
        assert_eq!(out.len(), BLOCK);
        self.begun = true;
        let mut mix = std::mem::take(&mut self.mix);
        mix.clear();
        // SAFETY: `main` has made sure of AVX2 and FMA, all that the kernels ask for.
        unsafe {
            if self.step == ONE {
                let (fours, rest) = self.voices.as_chunks::<4>();
                for four in fours {
                    let sources = four.each_ref().map(|voice| self.source(voice));
                    kernels::unity(sources, four.each_ref().map(|voice| voice.gains), &mut mix);
                }
                for voice in rest {
                    kernels::unity([self.source(voice)], [voice.gains], &mut mix);
                }
            } else {
                for voice in &self.voices {
                    let steps =
                        Steps { fraction: (voice.position % ONE) as u32, step: self.step as u32 };
                    (self.resample)(self.source(voice), steps, voice.gains, &mut mix);
                }
            }
            kernels::interleave(&mix, out);
        }
        self.mix = mix;
        for voice in &mut self.voices {
            voice.position += self.step * BLOCK as u64;
            let end = self.clips[voice.clip].frames as u64 * ONE;
            if voice.position >= end {
                voice.position -= end;
            }
        }
    }
}

fn floats(scene: &Scene, resample: Resample<f32>) -> Box<dyn Driver> {
    let clips = scene.clips.0.iter().map(|clip| Unrolled::new(clip)).collect();
    Box::new(Limit::new(scene, clips, resample))
}

const LIMIT: Contender = Contender {
    name: "limit",
    reads: "linear",
    when_full: "–",
    most_voices: usize::MAX,
    full_at: |voices| voices,
    make: |scene| floats(scene, kernels::linear),
};

/// Clips of 32-bit floats.
pub const F32: Contender = LIMIT;

/// Clips of 16-bit integers.
pub const I16: Contender = Contender {
    name: "limit, 16-bit clips",
    make: |scene| {
        let clips = scene.clips.sixteen().map(|clip| Unrolled::new(&clip)).collect();
        Box::new(Limit::new(scene, clips, kernels::linear_sixteen))
    },
    ..LIMIT
};

/// Four points instead of two between the samples.
pub const CUBIC: Contender = Contender {
    name: "limit, cubic",
    reads: "cubic",
    make: |scene| floats(scene, kernels::cubic),
    ..LIMIT
};
