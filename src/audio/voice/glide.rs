//! How a position moves through a sound: in steps from frame to frame, which may change on the way.
//!
//! Steps add up, and only integers may: so that a sound is the same however a stretch of frames is
//! cut up.

use super::position::ONE;

/// The longest step, 32,768 frames at a time: with [`FINER`] it still fits into an `i64`.
const MOST_STEP: u64 = 1 << 47;

/// How many bits finer than a step its slope is kept.
const FINER: u32 = 15;

/// The step from frame to frame, and how it changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::audio) struct Glide {
    /// The step, with `FINER` more bits.
    step: i64,
    slope: i64,
    to: u64,
    remaining: u32,
    /// It lands when no more frames than these remain; 0 if it does not, or has.
    landing: u32,
}

impl Glide {
    /// Keeps one step.
    pub fn rest(step: u64) -> Glide {
        Glide { step: (step as i64) << FINER, slope: 0, to: step, remaining: 0, landing: 0 }
    }

    /// The step for a speed, a sound's rate and the mixer's.
    pub fn step_for(speed: f32, sound_rate: u32, rate: u32) -> u64 {
        let ratio = f64::from(speed) * f64::from(sound_rate) / f64::from(rate);
        ((ratio * ONE as f64).round() as u64).clamp(1, MOST_STEP)
    }

    /// Turns towards another step, from the present one. If that is one frame after the other, it
    /// lands over the last `landing` frames.
    pub fn ramp_to(&mut self, to: u64, over: u32, landing: u32) {
        if over == 0 {
            *self = Glide::rest(to);
            return;
        }
        let slope = (((to as i64) << FINER) - self.step) / i64::from(over);
        let landing = if to == ONE { landing } else { 0 };
        *self = Glide { step: self.step, slope, to, remaining: over, landing };
    }

    /// The step, now.
    pub fn step(&self) -> u64 {
        (self.step >> FINER) as u64
    }

    /// The step, now, as a ratio to one frame after the other.
    pub fn ratio(&self) -> f32 {
        (self.step() as f64 / ONE as f64) as f32
    }

    /// The same, some frames from now.
    pub fn ratio_after(&self, frames: u32) -> f32 {
        if frames >= self.remaining {
            return (self.to as f64 / ONE as f64) as f32;
        }
        let step = (self.step + self.slope * i64::from(frames)) >> FINER;
        (step as f64 / ONE as f64) as f32
    }

    /// The longest step until it keeps one. A landing may end on one that is longer than its target.
    pub fn longest(&self) -> u64 {
        let last = self.step + self.slope * i64::from(self.remaining);
        (self.step.max(last) >> FINER) as u64
    }

    /// How many frames until it keeps one step.
    pub fn remaining(&self) -> u32 {
        self.remaining
    }

    /// For how many frames it goes on as it does: until it lands or arrives. 0: for ever.
    pub fn straight(&self) -> u32 {
        self.remaining.saturating_sub(self.landing)
    }

    /// Whether it is time to land.
    pub fn is_landing(&self) -> bool {
        self.remaining <= self.landing && self.remaining > 0
    }

    /// Spreads over the frames that remain what they lack to end on a whole frame, given the
    /// fraction of the position: if it stayed where it happens to arrive, every frame from then on
    /// would be read between two samples, which costs treble and time.
    pub fn land(&mut self, fraction: u32) {
        const FRAME: i128 = (ONE as i128) << FINER;
        let remaining = i128::from(self.remaining.max(1));
        let (first, slope) = (i128::from(self.step), i128::from(self.slope));
        let end = (i128::from(fraction) << FINER)
            + remaining * first
            + slope * (remaining * (remaining - 1) / 2);
        let whole = (end + FRAME / 2).div_euclid(FRAME) * FRAME;
        let mut more = (whole - end) / remaining;
        // Never backwards: where it hardly moves yet, it goes for the next frame.
        if more + first.min(first + slope * (remaining - 1)) < 0 {
            more = (whole + FRAME - end) / remaining;
        }
        self.step += more as i64;
        self.landing = 0;
    }

    /// Has it land once more, if it had: its position is another now.
    pub fn moved(&mut self) {
        if self.to == ONE && self.landing == 0 {
            self.landing = self.remaining;
        }
    }

    /// Advances a position by one frame, and itself with it.
    #[inline(always)]
    pub fn advance(&mut self, position: &mut u64) {
        *position += self.step();
        self.step += self.slope;
    }

    /// Says that it advanced by some frames. Not more than `remaining`, unless it keeps its step.
    pub fn count(&mut self, frames: u32) {
        if self.remaining > 0 {
            self.remaining -= frames.min(self.remaining);
            if self.remaining == 0 {
                self.arrive();
            }
        }
    }

    /// Takes the step it was heading for at once.
    pub fn arrive(&mut self) {
        *self = Glide::rest(self.to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glide_arrives_at_exactly_its_target() {
        let mut glide = Glide::rest(ONE);
        glide.ramp_to(2 * ONE, 3, 0);
        let mut position = 0;
        for _ in 0..3 {
            glide.advance(&mut position);
        }
        glide.count(3);
        assert_eq!(glide, Glide::rest(2 * ONE));
        assert_eq!(position >> 28, (16 + 21 + 26), "1 + 4/3 + 5/3, in sixteenths");
    }

    #[test]
    fn a_landing_ends_on_the_nearest_frame_and_never_goes_back() {
        for from in [1, ONE / 7, ONE / 4 * 3, ONE - 1, ONE, ONE + 5, 90 * ONE] {
            for over in [1, 2, 3, 240, 1920] {
                for fraction in [0, 1, 1 << 30, 1 << 31, u32::MAX] {
                    let mut glide = Glide::rest(from);
                    glide.ramp_to(ONE, over, over);
                    let (mut straight, mut ideal) = (glide, u64::from(fraction));
                    glide.land(fraction);
                    let (mut position, longest) = (u64::from(fraction), glide.longest());
                    for _ in 0..over {
                        straight.advance(&mut ideal);
                        let before = position;
                        glide.advance(&mut position);
                        glide.count(1);
                        assert!((before..=before + longest).contains(&position));
                    }
                    assert_eq!(glide, Glide::rest(ONE));
                    let off = (position + ONE / 2) % ONE;
                    assert!(off.abs_diff(ONE / 2) <= 2 * u64::from(over), "{from} {over} {off}");
                    // Half a frame away, or a whole one from hardly any step.
                    let moved = position.abs_diff(ideal);
                    assert!(moved <= ONE / 2 + 2 * u64::from(over) || from < ONE, "{moved}");
                }
            }
        }
    }

    #[test]
    fn a_glide_over_no_time_is_there_at_once() {
        let mut glide = Glide::rest(ONE);
        glide.ramp_to(2 * ONE, 0, 0);
        assert_eq!(glide, Glide::rest(2 * ONE));
    }

    #[test]
    fn the_longest_glide_does_not_overflow() {
        let mut glide = Glide::rest(Glide::step_for(0.01, 1, 384_000));
        glide.ramp_to(Glide::step_for(100.0, 384_000, 1), u32::MAX, 0);
        glide.ramp_to(1, 1, 0);
        let mut position = 0;
        glide.advance(&mut position);
        glide.count(1);
        assert_eq!(glide.step(), 1);
    }
}
