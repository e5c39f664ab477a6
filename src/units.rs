//! Decibels, semitones, durations and the pan law, each converted in one place.

use std::time::Duration;

/// Decibels as a linear gain: `db(-6.0)` is about a half, `db(0.0)` exactly 1.
///
/// ```
/// assert_eq!(voicepool::db(0.0), 1.0);
/// assert_eq!(voicepool::db(f32::NEG_INFINITY), 0.0);
/// ```
pub fn db(decibels: f32) -> f32 {
    libm::pow(10.0, f64::from(decibels) / 20.0) as f32
}

/// A linear gain or level in decibels; silence is negative infinity.
///
/// ```
/// assert_eq!(voicepool::to_db(1.0), 0.0);
/// assert_eq!(voicepool::to_db(0.0), f32::NEG_INFINITY);
/// ```
pub fn to_db(linear: f32) -> f32 {
    (20.0 * libm::log10(f64::from(linear.max(0.0)))) as f32
}

/// Semitones as a speed: 12 up is twice as fast.
///
/// ```
/// assert_eq!(voicepool::semitones(12.0), 2.0);
/// ```
pub fn semitones(n: f32) -> f32 {
    libm::exp2(f64::from(n) / 12.0) as f32
}

/// Milliseconds.
pub const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Seconds. Never panics: below zero and NaN are zero, too much is [`Duration::MAX`].
///
/// ```
/// use std::time::Duration;
/// assert_eq!(voicepool::secs(1.5), Duration::from_millis(1500));
/// assert_eq!(voicepool::secs(-1.0), Duration::ZERO);
/// assert_eq!(voicepool::secs(f32::INFINITY), Duration::MAX);
/// ```
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
