//! A place in a sound, to a fraction of a frame.

use super::glide::Glide;

/// One frame, as a step: whole frames in the upper 32 bits, the fraction in the lower.
pub(in crate::audio) const ONE: u64 = 1 << 32;

/// What is less than a frame.
const FRACTION: u64 = ONE - 1;

/// 32.32 fixed point: positions add up over hours, and integers do so exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::audio) struct Position(u64);

impl Position {
    pub const START: Position = Position(0);

    /// Where a frame begins.
    pub fn at(frame: u32) -> Position {
        Position(u64::from(frame) << 32)
    }

    /// The frame it is on.
    pub fn frame(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// How far into that frame it is, of 2^32.
    pub fn fraction(self) -> u32 {
        self.0 as u32
    }

    pub fn is_whole(self) -> bool {
        self.fraction() == 0
    }

    /// Where the frame begins that it is on.
    pub fn floor(self) -> Position {
        Position(self.0 & !FRACTION)
    }

    /// Where the nearest frame begins.
    pub fn round(self) -> Position {
        Position(self.0 + ONE / 2).floor()
    }

    /// Some steps on, all of them alike.
    pub fn after(self, steps: u64, step: u64) -> Position {
        Position(self.0 + steps * step)
    }

    /// The same, unless it is beyond every sound.
    pub fn checked_after(self, steps: u64, step: u64) -> Option<Position> {
        self.0.checked_add(steps * step).map(Position)
    }

    /// Any number of steps on, as a number that holds it.
    pub fn far_after(self, steps: u64, step: u64) -> u128 {
        u128::from(self.0) + u128::from(steps) * u128::from(step)
    }

    /// The same number as a position. It is one: somewhere in a sound.
    pub fn of_far(far: u128) -> Position {
        Position(far as u64)
    }

    /// Where a frame begins, to be compared with [`far_after`](Position::far_after).
    pub fn far_at(frame: u32) -> u128 {
        u128::from(frame) << 32
    }

    /// Moves on by some steps as a glide makes them.
    pub fn glide(&mut self, glide: &mut Glide, steps: u32) {
        for _ in 0..steps {
            glide.advance(&mut self.0);
        }
        glide.count(steps);
    }

    /// How many steps of this length begin on a frame up to `last`, which it has not passed: at
    /// least 1, at most `most`.
    pub fn steps_until(self, last: u32, step: u64, most: usize) -> usize {
        let way = (u64::from(last) << 32 | FRACTION) - self.0;
        // Most runs are not cut short. To see that takes a multiplication, which is faster than
        // the division that counts the steps.
        if (most as u64 - 1) * step <= way {
            return most;
        }
        (way / step) as usize + 1
    }

    /// Beyond the end of a loop: where in it that is, and how often it has been round for that.
    pub fn wrapped(self, start: u32, end: u32) -> (Position, u32) {
        let (start, end) = (Position::at(start).0, Position::at(end).0);
        let (far, round) = (self.0 - start, (end - start).max(1));
        (Position(start + far % round), (far / round) as u32)
    }

    /// How many steps of this length it takes to pass the end of a clip.
    pub fn steps_to_end(self, clip: usize, step: u64) -> u64 {
        ((clip as u64) << 32).saturating_sub(self.0).div_ceil(step)
    }
}
