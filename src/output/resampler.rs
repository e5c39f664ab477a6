//! For a device that cannot have the mixer's rate: the output, read between its frames.

use crate::Frame;
use crate::audio::Renderer;
use crate::sound::sinc;

/// How many frames are read for one, half of them before it.
const TAPS: usize = 32;

/// Fractions for which the filter is worked out; those between are blended.
const PHASES: usize = 256;

/// How many frames are rendered at a time.
const BLOCK: usize = 256;

/// Where the filter begins to fall off, of half the lower of the two rates.
const CUTOFF: f64 = 0.92;

/// Reads a renderer at another rate. Nothing is allocated once it is made.
pub(super) struct Resampler {
    rows: Box<[[f32; TAPS]]>,
    /// Frames rendered; those that were passed make room for new ones.
    frames: Box<[Frame; TAPS + BLOCK]>,
    /// Where the next frame is read: whole frames above, the fraction in the lower 32 bits.
    position: u64,
    step: u64,
}

impl Resampler {
    pub fn new(from: u32, to: u32) -> Resampler {
        let ratio = f64::from(from) / f64::from(to.max(1));
        let cutoff = CUTOFF * (1.0 / ratio).min(1.0);
        Resampler {
            rows: (0..=PHASES)
                .map(|phase| sinc::weights(phase as f64 / PHASES as f64, cutoff))
                .collect(),
            frames: Box::new([[0.0; 2]; TAPS + BLOCK]),
            // The first thing read is the first frame, with silence before it.
            position: ((BLOCK + TAPS / 2 + 1) as u64) << 32,
            step: (ratio * 4_294_967_296.0).round().max(1.0) as u64,
        }
    }

    /// Fills a buffer with the renderer's coming frames, at the other rate.
    pub fn fill(&mut self, out: &mut [Frame], renderer: &mut Renderer) {
        for frame in out {
            while self.position >> 32 >= BLOCK as u64 {
                self.frames.copy_within(BLOCK.., 0);
                renderer.render(&mut self.frames[TAPS..]);
                self.position -= (BLOCK as u64) << 32;
            }
            *frame = self.read();
            self.position += self.step;
        }
    }

    fn read(&self) -> Frame {
        let first = (self.position >> 32) as usize;
        let phase = (self.position as u32 >> 8) as f32 * (PHASES as f32 / 16_777_216.0);
        let (row, blend) = ((phase as usize).min(PHASES - 1), phase.fract());
        let rows = self.rows.get(row).zip(self.rows.get(row + 1));
        let mut sum = [0.0; 2];
        if let (Some((a, b)), Some(frames)) = (rows, self.frames.get(first..first + TAPS)) {
            for ((a, b), frame) in a.iter().zip(b).zip(frames) {
                let weight = a + blend * (b - a);
                sum[0] += weight * frame[0];
                sum[1] += weight * frame[1];
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Mixer, Play, Sound};

    /// A 1 kHz sine from a mixer at one rate, read at another, against the sine itself.
    #[test]
    fn a_tone_keeps_its_pitch_and_its_shape_at_another_rate() {
        for (from, to) in [(48_000, 44_100), (44_100, 48_000), (48_000, 192_000), (96_000, 44_100)]
        {
            let sine = |i: usize, rate: u32| {
                libm::sin(std::f64::consts::TAU * 1000.0 * i as f64 / f64::from(rate)) as f32
            };
            let clip: Vec<f32> = (0..from as usize / 2).map(|i| 0.5 * sine(i, from)).collect();
            let (mixer, mut renderer) =
                Mixer::offline(Config { sample_rate: from, ..Config::default() }).unwrap();
            mixer.play(Play::of(Sound::from_mono(from, &clip).unwrap()));
            let mut out = vec![[0.0; 2]; to as usize / 4];
            let mut resampler = Resampler::new(from, to);
            for part in out.chunks_mut(441) {
                resampler.fill(part, &mut renderer);
            }
            let worst =
                out.iter().enumerate().skip(to as usize / 50).fold(0f64, |worst, (i, frame)| {
                    let time = i as f64 / f64::from(to);
                    let expected = 0.5 * libm::sin(std::f64::consts::TAU * 1000.0 * time);
                    worst.max((f64::from(frame[0]) - expected).abs())
                });
            assert!(worst < 2e-4, "{from} to {to}: {worst}");
        }
    }
}
