//! How loud a sound is to the ear: K-weighting as in ITU-R BS.1770.

use std::time::Duration;

use super::bands::CHUNK;
use super::samples::Sample;
use crate::{Frame, units};

/// How finely the envelope follows a sound: about as fast as loudness is heard to change.
pub(crate) const HOP: Duration = Duration::from_millis(10);

/// Below this rate there is no room for the filters' curves, and power is taken as it is.
const LOWEST_WEIGHTED_RATE: u32 = 8_000;

/// What the standard takes off, so that a tone of 997 Hz counts as much as it measures.
const OFFSET_DB: f64 = -0.691;

/// The loudness of what was rendered, in dB: K-weighted, both channels together, ungated
/// (LKFS). Silence is negative infinity.
///
/// For tests and tuning; levels of voices are measured the same way. Below 8 kHz the weighting
/// is left out.
///
/// ```
/// // A full-scale sine of 997 Hz on the left alone is the standard's own reference.
/// let tone: Vec<voicepool::Frame> = (0..48_000)
///     .map(|n| [(n as f32 * 997.0 * std::f32::consts::TAU / 48_000.0).sin(), 0.0])
///     .collect();
/// assert!((voicepool::loudness(48_000, &tone) - -3.01).abs() < 0.01);
/// assert_eq!(voicepool::loudness(48_000, &[[0.0; 2]; 100]), f32::NEG_INFINITY);
/// ```
pub fn loudness(sample_rate: u32, frames: &[Frame]) -> f32 {
    let mut weighting = Weighting::<2>::new(sample_rate);
    let hop = units::short_frames(HOP, sample_rate).max(1) as usize;
    let power: f64 = frames.chunks(hop).flat_map(|hop| weighting.power(hop, |_, _| ())).sum();
    let mean = power / frames.len().max(1) as f64;
    (10.0 * libm::log10(mean) + weighting.offset_db()) as f32
}

/// The two filters of the standard, and where they stand in each channel.
pub(crate) struct Weighting<const CHANNELS: usize> {
    filters: Option<[Biquad; 2]>,
    memory: [[[f64; 2]; 2]; CHANNELS],
}

impl<const CHANNELS: usize> Weighting<CHANNELS> {
    pub(crate) fn new(sample_rate: u32) -> Self {
        let weighted = sample_rate >= LOWEST_WEIGHTED_RATE;
        Weighting {
            filters: weighted.then(|| [Biquad::shelf(sample_rate), Biquad::high_pass(sample_rate)]),
            memory: [[[0.0; 2]; 2]; CHANNELS],
        }
    }

    pub(crate) fn offset_db(&self) -> f64 {
        if self.filters.is_some() { OFFSET_DB } else { 0.0 }
    }

    /// The sum over the next frames of what each adds to the power, of each channel. The weighted
    /// samples of a channel may be heard in between, and overwritten.
    pub(crate) fn power<T: Sample>(
        &mut self,
        frames: &[[T; CHANNELS]],
        mut heard: impl FnMut(usize, &mut [f64]),
    ) -> [f64; CHANNELS] {
        let mut powers = [0.0; CHANNELS];
        let mut weighted = [0.0; CHUNK];
        for (channel, (power, memory)) in powers.iter_mut().zip(&mut self.memory).enumerate() {
            for frames in frames.chunks(CHUNK) {
                let weighted = weighted.get_mut(..frames.len()).unwrap_or_default();
                *power = match &self.filters {
                    Some(filters) => {
                        weighted_power(*power, filters, memory, channel, frames, weighted)
                    }
                    None => plain_power(*power, channel, frames, weighted),
                };
                heard(channel, weighted);
            }
            *memory = memory.map(|filter| filter.map(at_rest));
        }
        powers
    }
}

/// All of it in one loop over numbers that have names: unoptimised, too, that takes a small part of
/// what resampling does.
fn weighted_power<T: Sample, const CHANNELS: usize>(
    mut power: f64,
    [shelf, high_pass]: &[Biquad; 2],
    memory: &mut [[f64; 2]; 2],
    channel: usize,
    mut frames: &[[T; CHANNELS]],
    mut heard: &mut [f64],
) -> f64 {
    let Biquad { forward: [b0, b1, b2], back: [a1, a2] } = *shelf;
    let Biquad { forward: [d0, d1, d2], back: [c1, c2] } = *high_pass;
    let [[mut s1, mut s2], [mut h1, mut h2]] = *memory;
    while let ([frame, later @ ..], [next, rest @ ..]) = (frames, heard) {
        let sample = f64::from(frame[channel].value());
        let lifted = b0 * sample + s1;
        s1 = b1 * sample + s2 - a1 * lifted;
        s2 = b2 * sample - a2 * lifted;
        let weighted = d0 * lifted + h1;
        h1 = d1 * lifted + h2 - c1 * weighted;
        h2 = d2 * lifted - c2 * weighted;
        power += weighted * weighted;
        *next = weighted;
        (frames, heard) = (later, rest);
    }
    *memory = [[s1, s2], [h1, h2]];
    power
}

fn plain_power<T: Sample, const CHANNELS: usize>(
    power: f64,
    channel: usize,
    frames: &[[T; CHANNELS]],
    heard: &mut [f64],
) -> f64 {
    frames.iter().zip(heard).fold(power, |power, (frame, next)| {
        let sample = f64::from(frame[channel].value());
        *next = sample;
        power + sample * sample
    })
}

/// What rings on below the audible is stopped, lest a long silence turn to denormals.
fn at_rest(ringing: f64) -> f64 {
    const INAUDIBLE: f64 = 1e-30;
    if ringing.abs() < INAUDIBLE { 0.0 } else { ringing }
}

/// A second-order filter, its first feedback coefficient scaled to 1.
struct Biquad {
    forward: [f64; 3],
    back: [f64; 2],
}

impl Biquad {
    /// The head: 4 dB more above some 1.7 kHz.
    fn shelf(sample_rate: u32) -> Biquad {
        const HZ: f64 = 1681.974450955533;
        const DB: f64 = 3.999843853973347;
        const Q: f64 = 0.7071752369554196;
        // Of the gain in dB, how much is reached in the middle of the slope.
        const MIDDLE: f64 = 0.4996667741545416;
        let high = libm::pow(10.0, DB / 20.0);
        let middle = libm::pow(high, MIDDLE);
        let (k, scale, back) = poles(sample_rate, HZ, Q);
        let forward = [
            (high + middle * k / Q + k * k) / scale,
            2.0 * (k * k - high) / scale,
            (high - middle * k / Q + k * k) / scale,
        ];
        Biquad { forward, back }
    }

    /// The ear's indifference to what is very low.
    fn high_pass(sample_rate: u32) -> Biquad {
        const HZ: f64 = 38.13547087602444;
        const Q: f64 = 0.5003270373238773;
        let (_, scale, back) = poles(sample_rate, HZ, Q);
        // The standard's table, at 48 kHz, has 1, -2, 1 here, which lifts everything by
        // 0.04 dB. The same lift at every rate, or a sound would change with its rate.
        let (_, lift, _) = poles(48_000, HZ, Q);
        let gain = lift / scale;
        Biquad { forward: [gain, -2.0 * gain, gain], back }
    }
}

/// The bilinear transform of an analogue resonance: its warped frequency, what its
/// coefficients were divided by, and the feedback.
fn poles(sample_rate: u32, hz: f64, q: f64) -> (f64, f64, [f64; 2]) {
    let k = libm::tan(std::f64::consts::PI * hz / f64::from(sample_rate));
    let scale = 1.0 + k / q + k * k;
    let back = [2.0 * (k * k - 1.0) / scale, (1.0 - k / q + k * k) / scale];
    (k, scale, back)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, within: f64) {
        assert!((a - b).abs() <= within, "{a} is not {b}");
    }

    fn sine(rate: u32, hz: f64, seconds: f64) -> Vec<f32> {
        let step = std::f64::consts::TAU * hz / f64::from(rate);
        let count = (f64::from(rate) * seconds) as u32;
        (0..count).map(|n| libm::sin(step * f64::from(n)) as f32).collect()
    }

    #[test]
    fn the_filters_are_the_standards_at_48_khz() {
        let shelf = Biquad::shelf(48_000);
        let table = [1.53512485958697, -2.69169618940638, 1.19839281085285];
        for (ours, theirs) in shelf.forward.into_iter().zip(table) {
            close(ours, theirs, 1e-13);
        }
        close(shelf.back[0], -1.69065929318241, 1e-13);
        close(shelf.back[1], 0.73248077421585, 1e-13);

        let high_pass = Biquad::high_pass(48_000);
        assert_eq!(high_pass.forward, [1.0, -2.0, 1.0]);
        close(high_pass.back[0], -1.99004745483398, 1e-13);
        close(high_pass.back[1], 0.99007225036621, 1e-13);
    }

    #[test]
    fn the_reference_tone_is_the_same_at_every_rate() {
        // At low rates the bilinear transform bends the shelf a little.
        for (rate, within) in [
            (8_000, 0.21),
            (22_050, 0.03),
            (44_100, 0.01),
            (48_000, 0.01),
            (192_000, 0.01),
            (384_000, 0.01),
        ] {
            let tone = sine(rate, 997.0, 2.0);
            let left: Vec<Frame> = tone.iter().map(|&s| [s, 0.0]).collect();
            let both: Vec<Frame> = tone.iter().map(|&s| [s, s]).collect();
            close(f64::from(loudness(rate, &left)), -3.01, within);
            close(f64::from(loudness(rate, &both)), 0.0, within);
        }
    }

    #[test]
    fn the_ear_hears_bass_less_and_treble_more() {
        let at = |hz| {
            let tone: Vec<Frame> = sine(48_000, hz, 1.0).iter().map(|&s| [s, 0.0]).collect();
            f64::from(loudness(48_000, &tone)) + 3.01
        };
        close(at(38.135), -6.5, 0.2);
        close(at(10_000.0), 4.0 + 0.04 - 0.69, 0.03);
    }

    #[test]
    fn silence_and_nothing_are_minus_infinity() {
        assert_eq!(loudness(48_000, &[]), f32::NEG_INFINITY);
        assert_eq!(loudness(0, &[[0.0; 2]; 3]), f32::NEG_INFINITY);
        assert_eq!(loudness(4, &[[1.0, 0.0]; 3]), 0.0);
    }

    #[test]
    fn what_rang_is_at_rest_after_a_second_of_silence() {
        let mut weighting = Weighting::<1>::new(48_000);
        weighting.power(&[[1.0f32]], |_, _| ());
        for _ in 0..100 {
            weighting.power(&[[0.0f32]; 480], |_, _| ());
        }
        assert_eq!(weighting.memory, [[[0.0; 2]; 2]]);
    }
}
