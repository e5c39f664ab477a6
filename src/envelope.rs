//! The level of a sound over its time: how the quietest voice is known before it plays.

use std::num::NonZeroU32;
use std::sync::Arc;

use crate::loudness::{HOP, Weighting};
use crate::samples::{Sample, Samples};
use crate::units;

/// How many hops a level looks ahead, its own included: a drum about to hit counts already.
const AHEAD: usize = 5;

/// At toy rates a hop is a single frame, and the envelope would outgrow the samples of a long
/// clip. Above this many frames hops lengthen, up to [`LONGEST_TOY_HOP`].
const LONG_TOY: usize = 1 << 15;
const LONGEST_TOY_HOP: usize = 8;

/// The level of a sound over its time, computed once when it is loaded.
#[derive(Clone)]
pub(crate) struct Envelope {
    hop: NonZeroU32,
    /// The level of each hop: `to_db` of it is the hop's loudness.
    raw: Arc<[f32]>,
    /// The highest of the coming hops, so that one load answers.
    ahead: Arc<[f32]>,
}

impl Envelope {
    pub(crate) fn new(sample_rate: u32, samples: &Samples) -> Envelope {
        match samples {
            Samples::Mono16(frames) => Envelope::of(sample_rate, frames),
            Samples::Stereo16(frames) => Envelope::of(sample_rate, frames),
            Samples::Mono32(frames) => Envelope::of(sample_rate, frames),
            Samples::Stereo32(frames) => Envelope::of(sample_rate, frames),
        }
    }

    fn of<T: Sample, const CHANNELS: usize>(
        sample_rate: u32,
        frames: &[[T; CHANNELS]],
    ) -> Envelope {
        let toy_hop = (frames.len() / LONG_TOY).min(LONGEST_TOY_HOP) as u32;
        let hop = units::short_frames(HOP, sample_rate).max(toy_hop);
        let hop = NonZeroU32::new(hop).unwrap_or(NonZeroU32::MIN);

        let mut weighting = Weighting::<CHANNELS>::new(sample_rate);
        let gain = libm::pow(10.0, weighting.offset_db() / 20.0);
        // One channel sounds on both sides.
        let sides = if CHANNELS == 1 { 2.0 } else { 1.0 };
        let raw: Arc<[f32]> = frames
            .chunks(hop.get() as usize)
            .map(|hop| {
                let mean = sides * weighting.power(hop) / hop.len() as f64;
                (mean.sqrt() * gain) as f32
            })
            .collect();
        let ahead = (0..raw.len()).map(|hop| highest(&raw, hop, AHEAD)).collect();
        Envelope { hop, raw, ahead }
    }

    /// How loud the coming 50 ms are, at gain 1, from this frame on; 0 past the end.
    ///
    /// A loop is its first frame and the one after its last. Where the time ahead runs past
    /// its end, it is what follows the wrap that counts.
    pub(crate) fn level(&self, frame: u32, looping: Option<(u32, u32)>) -> f32 {
        let hop = frame / self.hop;
        if let Some((start, end)) = looping
            && frame < end
        {
            let horizon = (u64::from(hop) + AHEAD as u64) * u64::from(self.hop.get());
            if let Some(beyond @ 1..) = horizon.checked_sub(u64::from(end)) {
                return self.wrapped(hop, start, end, beyond);
            }
        }
        self.ahead.get(hop as usize).copied().unwrap_or(0.0)
    }

    /// The highest level from `hop` to the loop's end and, after the wrap, over `beyond` more
    /// frames: at most [`AHEAD`] hops, and as many again or one more where they start askew.
    fn wrapped(&self, hop: u32, start: u32, end: u32, beyond: u64) -> f32 {
        let stop = u64::from(end).min(u64::from(start) + beyond) as u32;
        let hops = |from: u32, stop: u32| (stop.div_ceil(self.hop.get())).saturating_sub(from);
        let before = highest(&self.raw, hop as usize, hops(hop, end) as usize);
        let first = start / self.hop;
        let after = highest(&self.raw, first as usize, hops(first, stop) as usize);
        before.max(after)
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val::<[_]>(&self.raw) + size_of_val::<[_]>(&self.ahead)
    }
}

/// The highest of `count` levels, 0 where there are none.
fn highest(levels: &[f32], from: usize, count: usize) -> f32 {
    levels.iter().skip(from).take(count).fold(0.0, |highest, &level| highest.max(level))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Frame, Sound, loudness, to_db};

    fn close(a: f32, b: f32, within: f32) {
        assert!((a - b).abs() <= within, "{a} is not {b}");
    }

    fn sine(rate: u32, hz: f32, count: u32) -> Vec<f32> {
        let step = std::f32::consts::TAU * hz / rate as f32;
        (0..count).map(|n| (step * n as f32).sin()).collect()
    }

    #[test]
    fn a_level_is_the_loudness_of_its_hop() {
        let tone = sine(48_000, 1_000.0, 9_600);
        let sound = Sound::from_mono(48_000, &tone).unwrap();
        let frames: Vec<Frame> = sound.frames().collect();
        let level = to_db(sound.envelope().level(4_800, None));
        close(level, loudness(48_000, &frames), 0.05);
    }

    #[test]
    fn the_last_hop_is_measured_by_its_own_frames() {
        // Hops of 4 frames; the last has one.
        let sound = Sound::from_stereo(400, &[[0.3, 0.4]; 9]).unwrap();
        assert_eq!(sound.envelope().raw.len(), 3);
        for level in sound.envelope().raw.iter() {
            close(*level, 0.5, 1e-7);
        }
    }

    #[test]
    fn a_mono_clip_counts_on_both_sides() {
        let mono = Sound::from_mono(4, &[1.0, 0.5]).unwrap();
        let stereo = Sound::from_stereo(4, &[[1.0, 1.0], [0.5, 0.5]]).unwrap();
        assert_eq!(mono.envelope().raw, stereo.envelope().raw);
        assert_eq!(mono.envelope().raw[0], 2f32.sqrt());
        assert_eq!(mono.envelope().level(1, None), 0.5f32.sqrt());
    }

    #[test]
    fn sixteen_bits_are_as_loud_as_the_floats_they_stand_for() {
        let samples = Samples::Stereo16(Arc::from([[16_384, -8_192], [-32_768, 4_096]]));
        let floats = Samples::Stereo32(Arc::from([[0.5, -0.25], [-1.0, 0.125]]));
        assert_eq!(Envelope::new(48_000, &samples).raw, Envelope::new(48_000, &floats).raw);
    }

    #[test]
    fn a_drum_about_to_hit_is_loud_and_its_end_is_silent() {
        // Hops of one frame; the hit is in hop 6, so it is seen from hop 2 on.
        let mut samples = [0.0; 10];
        samples[6] = 1.0;
        let sound = Sound::from_mono(4, &samples).unwrap();
        let seen: Vec<bool> =
            (0..12).map(|frame| sound.envelope().level(frame, None) > 0.0).collect();
        let expected: Vec<bool> = (0..12).map(|frame| (2..=6).contains(&frame)).collect();
        assert_eq!(seen, expected);
        assert_eq!(sound.envelope().level(u32::MAX, Some((0, u32::MAX))), 0.0);
    }

    /// Steps through the frames that will be heard, one by one.
    fn naive_level(envelope: &Envelope, frame: u32, looping: Option<(u32, u32)>) -> f32 {
        let hop = u64::from(envelope.hop.get());
        let ahead = (u64::from(frame) / hop + AHEAD as u64) * hop - u64::from(frame);
        let looping = looping.filter(|&(_, end)| frame < end);
        let mut at = u64::from(frame);
        let mut highest = 0f32;
        for _ in 0..ahead {
            if let Some((start, end)) = looping
                && at == u64::from(end)
            {
                at = u64::from(start);
            }
            let level = envelope.raw.get((at / hop) as usize).copied();
            highest = highest.max(level.unwrap_or(0.0));
            at += 1;
        }
        highest
    }

    #[test]
    fn loops_hear_past_their_seam_as_the_naive_walk_does() {
        // A level of its own for each of ten hops of 3 frames, the last one partial.
        let samples: Vec<f32> = (0..29u32).map(|n| ((n / 3 * 7 + 3) % 11) as f32 / 11.0).collect();
        let sound = Sound::from_mono(300, &samples).unwrap();
        let envelope = sound.envelope();
        assert_eq!(envelope.raw.len(), 10);
        for frame in 0..40 {
            assert_eq!(envelope.level(frame, None), naive_level(envelope, frame, None));
            for start in 0..29 {
                for end in start + 1..=29 {
                    let looping = Some((start, end));
                    assert_eq!(
                        envelope.level(frame, looping),
                        naive_level(envelope, frame, looping),
                        "from frame {frame} in the loop {start}..{end}"
                    );
                }
            }
        }
    }

    #[test]
    fn senseless_loops_do_no_harm() {
        let sound = Sound::from_mono(300, &[1.0; 29]).unwrap();
        for looping in [(0, 0), (9, 3), (29, 29), (u32::MAX, 1), (0, u32::MAX)] {
            for frame in [0, 1, 28, 29, u32::MAX - 1, u32::MAX] {
                assert!(sound.envelope().level(frame, Some(looping)) < 2.0);
            }
        }
    }

    #[test]
    fn the_envelope_of_a_long_toy_stays_small() {
        let long = Envelope::new(1, &Samples::Mono16(vec![[1]; 1 << 20].into()));
        assert!(long.bytes() <= 1 << 20);
        let short = Envelope::new(1, &Samples::Mono16(vec![[1]; 1 << 15].into()));
        assert_eq!(short.raw.len(), 1 << 15);
    }
}
