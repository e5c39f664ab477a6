//! Decibels, semitones, durations and the pan law, each converted in one place.

use std::time::Duration;

/// Decibels as a linear gain: `db(-6.0)` is about a half, `db(0.0)` exactly 1.
///
/// ```
/// assert_eq!(voicepool::db(0.0), 1.0);
/// assert_eq!(voicepool::db(f32::NEG_INFINITY), 0.0);
/// ```
#[must_use]
pub fn db(decibels: f32) -> f32 {
    libm::pow(10.0, f64::from(decibels) / 20.0) as f32
}

/// A linear gain or level in decibels; silence is negative infinity.
///
/// ```
/// assert_eq!(voicepool::to_db(1.0), 0.0);
/// assert_eq!(voicepool::to_db(0.0), f32::NEG_INFINITY);
/// ```
#[must_use]
pub fn to_db(linear: f32) -> f32 {
    (20.0 * libm::log10(f64::from(linear.max(0.0)))) as f32
}

/// The exponent of a [`fader`]: by Stevens' power law sounds twice as loud have 10 dB, or 3.16 times
/// the gain, between them, and 2 to the power of 5/3 is that.
const LOUDNESS: f64 = 5.0 / 3.0;

/// The position of a slider, from 0 (silence) to 1 (all of it), as a linear gain that is even to the
/// ear: half-way up is half as loud, which is -10 dB. What is beyond is brought to the nearest end,
/// and NaN is 0.
///
/// ```
/// use voicepool::{fader, to_db};
///
/// assert_eq!((fader(0.0), fader(1.0)), (0.0, 1.0));
/// assert_eq!(to_db(fader(0.5)).round(), -10.0);
/// ```
#[doc(alias("volume", "slider"))]
#[must_use]
pub fn fader(position: f32) -> f32 {
    power(position, LOUDNESS)
}

/// The position of a slider for a linear gain: what [`fader`] makes a gain of. A gain above 1 is at
/// the upper end, and NaN is 0.
///
/// ```
/// use voicepool::{fader, to_fader};
///
/// assert_eq!(to_fader(fader(0.25)), 0.25);
/// assert_eq!(to_fader(2.0), 1.0);
/// ```
#[must_use]
pub fn to_fader(linear: f32) -> f32 {
    power(linear, 1.0 / LOUDNESS)
}

/// A power of a number between 0 and 1; NaN is 0.
fn power(base: f32, exponent: f64) -> f32 {
    let base = if base.is_nan() { 0.0 } else { base.clamp(0.0, 1.0) };
    libm::pow(f64::from(base), exponent) as f32
}

/// Semitones as a speed: 12 up is twice as fast.
///
/// ```
/// assert_eq!(voicepool::semitones(12.0), 2.0);
/// ```
#[must_use]
pub fn semitones(n: f32) -> f32 {
    libm::exp2(f64::from(n) / 12.0) as f32
}

/// A time in milliseconds.
#[must_use]
pub const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// A time in seconds. It never panics: below zero and NaN are zero, too much is [`Duration::MAX`].
///
/// ```
/// use std::time::Duration;
/// assert_eq!(voicepool::secs(1.5), Duration::from_millis(1500));
/// assert_eq!(voicepool::secs(-1.0), Duration::ZERO);
/// assert_eq!(voicepool::secs(f32::INFINITY), Duration::MAX);
/// ```
#[must_use]
pub fn secs(n: f32) -> Duration {
    if n.is_nan() || n <= 0.0 {
        return Duration::ZERO;
    }
    Duration::try_from_secs_f32(n).unwrap_or(Duration::MAX)
}

/// A duration in frames, rounded to the nearest.
pub(crate) fn frames(duration: Duration, rate: u32) -> u64 {
    const SECOND: u64 = 1_000_000_000;
    // Whole seconds are whole frames, so only the rest of one is rounded.
    let rest = (u64::from(duration.subsec_nanos()) * u64::from(rate) + SECOND / 2) / SECOND;
    duration.as_secs().saturating_mul(u64::from(rate)).saturating_add(rest)
}

/// The same, where 32 bits hold it: a day at 48 kHz, and what is longer is a day.
pub(crate) fn short_frames(duration: Duration, rate: u32) -> u32 {
    u32::try_from(frames(duration, rate)).unwrap_or(u32::MAX)
}

/// The least time that a change takes where anything is heard: long enough that the steepest fade adds less
/// to a 100 Hz sine's slope than a twentieth, short enough to be heard as at once.
pub(crate) const DECLICK: Duration = ms(5);

/// The same in frames, at least one.
pub(crate) fn declick(rate: u32) -> u32 {
    short_frames(DECLICK, rate).max(1)
}

/// Frames as a duration, to the nanosecond below.
pub(crate) fn duration(frames: u64, rate: u32) -> Duration {
    let rate = u64::from(rate.max(1));
    let nanos = u128::from(frames % rate) * 1_000_000_000 / u128::from(rate);
    Duration::new(frames / rate, nanos as u32)
}

/// The pan law: left and right gain for a pan of -1 to 1.
///
/// Square roots carry constant power (the squares always add up to 2), leave the centre
/// untouched (1 and 1), and are exact on every machine, which sines are not.
pub(crate) fn pan(left_to_right: f32) -> [f32; 2] {
    [(1.0 - left_to_right).sqrt(), (1.0 + left_to_right).sqrt()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_centre_is_untouched_and_the_sides_are_root_two() {
        assert_eq!(pan(0.0), [1.0, 1.0]);
        assert_eq!(pan(-1.0), [2f32.sqrt(), 0.0]);
        assert_eq!(pan(1.0), [0.0, 2f32.sqrt()]);
    }

    #[test]
    fn a_fader_is_even_to_the_ear_and_its_own_inverse() {
        let (mut last, ten_db) = (0.0, to_db(fader(0.5)));
        for step in 1..=100u8 {
            let position = f32::from(step) / 100.0;
            assert!(fader(position) > last);
            last = fader(position);
            // Half as far is half as loud, wherever it is.
            assert!((to_db(fader(position / 2.0)) - to_db(last) - ten_db).abs() < 1e-3);
            assert!((to_fader(fader(position)) - position).abs() < 1e-6);
        }
        assert!((ten_db + 10.03).abs() < 0.01);
        for [low, high] in [[-1.0, 2.0], [f32::NAN, f32::INFINITY], [f32::NEG_INFINITY, 1.0]] {
            assert_eq!((fader(low), fader(high)), (0.0, 1.0));
            assert_eq!((to_fader(low), to_fader(high)), (0.0, 1.0));
        }
    }

    #[test]
    fn durations_round_to_the_nearest_frame() {
        assert_eq!(frames(ms(124), 4), 0);
        assert_eq!(frames(ms(125), 4), 1);
        assert_eq!(frames(ms(374), 4), 1);
        assert_eq!(frames(Duration::MAX, 384_000), u64::MAX);
        assert_eq!(short_frames(Duration::MAX, 1), u32::MAX);
    }

    #[test]
    fn frames_and_durations_are_inverse() {
        for n in [0, 1, 47_999, 48_000, 1 << 40] {
            assert_eq!(frames(duration(n, 48_000), 48_000), n);
        }
    }
}
