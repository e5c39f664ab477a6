//! Gains on their way: they change without a click.
//!
//! A ramp's value is a function of how many frames it has run, never a running sum, so that it is
//! the same however a stretch of frames is cut up.

use crate::audio::kernel::Slope;

/// A straight line from one gain to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::audio) struct Ramp {
    from: f32,
    to: f32,
    at: u32,
    over: u32,
}

impl Ramp {
    /// Stands at a value.
    pub const fn rest(value: f32) -> Ramp {
        Ramp::between(value, value, 0)
    }

    /// Goes from one value to another over some frames.
    pub const fn between(from: f32, to: f32, over: u32) -> Ramp {
        Ramp { from, to, at: 0, over }
    }

    /// Turns towards another value, from where it is.
    pub fn ramp_to(&mut self, to: f32, over: u32) {
        *self = Ramp::between(self.now(), to, over);
    }

    /// Turns towards another value. If it is on its way there already, it may be hurried, but it is
    /// never held up.
    pub fn hurry_to(&mut self, to: f32, over: u32) {
        if self.to != to || over < self.remaining() {
            self.ramp_to(to, over);
        }
    }

    /// Its value.
    pub fn now(&self) -> f32 {
        self.after(0)
    }

    /// Where it is going.
    pub fn target(&self) -> f32 {
        self.to
    }

    /// Where it comes from, and where it is going.
    pub fn ends(&self) -> [f32; 2] {
        [self.from, self.to]
    }

    /// How many frames of its way it will have gone some frames from now, and how many there are.
    pub fn way(&self, frames: u32) -> [u32; 2] {
        [self.at.saturating_add(frames).min(self.over), self.over]
    }

    /// What counts for the ear: a rising value as risen, a falling one as it is.
    pub fn upcoming(&self) -> f32 {
        self.now().max(self.to)
    }

    /// How many frames until it stands.
    pub fn remaining(&self) -> u32 {
        self.over - self.at
    }

    pub fn is_at_rest(&self) -> bool {
        self.at == self.over
    }

    /// Whether it stands at silence.
    pub fn is_silent(&self) -> bool {
        self.is_at_rest() && self.to == 0.0
    }

    /// Whether it stands at silence, or will in no more than so many frames.
    pub fn is_silent_within(&self, frames: u32) -> bool {
        self.to == 0.0 && self.remaining() <= frames
    }

    /// For how many of the coming frames it is not yet silent.
    pub fn sounding(&self, frames: u32) -> u32 {
        if self.to == 0.0 { frames.min(self.remaining()) } else { frames }
    }

    pub fn advance(&mut self, frames: u32) {
        self.at = self.at.saturating_add(frames).min(self.over);
    }

    /// Its value some frames from now.
    pub fn after(&self, frames: u32) -> f32 {
        let at = self.at.saturating_add(frames);
        if at >= self.over {
            self.to
        } else {
            self.from + (self.to - self.from) * (at as f32 * self.scale())
        }
    }

    /// Multiplies each of the coming frames' values in.
    #[inline]
    pub fn apply(&self, curve: &mut [f32]) {
        if self.at == self.over && self.to == 1.0 {
            return;
        }
        let (sloped, flat) = curve.split_at_mut(curve.len().min(self.remaining() as usize));
        let (span, scale) = (self.to - self.from, self.scale());
        for (i, value) in sloped.iter_mut().enumerate() {
            *value *= self.from + span * ((self.at + i as u32) as f32 * scale);
        }
        // Most gains stand at 1, which leaves every value as it is.
        if self.to != 1.0 {
            flat.iter_mut().for_each(|value| *value *= self.to);
        }
    }

    /// The coming frames' values among others that stand, if it does not stand before their end.
    pub fn slope(
        &self,
        frames: u32,
        before: f32,
        after: [f32; 2],
        sides: [f32; 2],
    ) -> Option<Slope> {
        let (from, span, scale, at) = (self.from, self.to - self.from, self.scale(), self.at);
        let far = i32::try_from(at.saturating_add(frames)).is_err();
        let ends = self.remaining() < frames;
        let turn = [0.0; 2];
        (!far && !ends).then_some(Slope { before, from, span, scale, at, after, sides, turn })
    }

    fn scale(&self) -> f32 {
        1.0 / self.over as f32
    }
}

/// The gains of the two sides on their way around: straight from one pair to the other, and at
/// every frame brought back to the power that every pair has. Without that a slow move from side
/// to side would dip in the middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::audio) struct Pan {
    sides: [Ramp; 2],
}

impl Pan {
    pub fn rest(sides: [f32; 2]) -> Pan {
        Pan { sides: sides.map(Ramp::rest) }
    }

    /// Turns towards another pair, from where it is.
    pub fn ramp_to(&mut self, to: [f32; 2], over: u32) {
        let [left, right] = self.now();
        self.sides = [Ramp::between(left, to[0], over), Ramp::between(right, to[1], over)];
    }

    pub fn target(&self) -> [f32; 2] {
        self.sides.map(|side| side.to)
    }

    pub fn is_at_rest(&self) -> bool {
        self.sides[0].is_at_rest()
    }

    pub fn advance(&mut self, frames: u32) {
        self.sides.iter_mut().for_each(|side| side.advance(frames));
    }

    fn now(&self) -> [f32; 2] {
        if self.is_at_rest() {
            self.target()
        } else {
            Pan::round(self.sides.map(|side| side.now()))
        }
    }

    /// What counts for the ear on each side: the higher of where it is and where it is going.
    pub fn upcoming(&self) -> [f32; 2] {
        let ([left, right], [to_left, to_right]) = (self.now(), self.target());
        [left.max(to_left), right.max(to_right)]
    }

    /// Makes one gain for each of the coming frames into two.
    pub fn split(&self, left: &mut [f32], right: &mut [f32]) {
        let moving = left.len().min(self.sides[0].remaining() as usize);
        let (moving_left, left) = left.split_at_mut(moving);
        let (moving_right, right) = right.split_at_mut(moving.min(right.len()));
        for (frame, (l, r)) in (0..).zip(moving_left.iter_mut().zip(moving_right)) {
            let [to_left, to_right] = Pan::round(self.sides.map(|side| side.after(frame)));
            (*l, *r) = (*l * to_left, *l * to_right);
        }
        let [to_left, to_right] = self.target();
        for (l, r) in left.iter_mut().zip(right) {
            (*l, *r) = (*l * to_left, *l * to_right);
        }
    }

    /// A pair with the power of both sides at 1. Two gains on the way are never both 0.
    fn round([left, right]: [f32; 2]) -> [f32; 2] {
        let scale = (2.0 / (left * left + right * right)).sqrt();
        [left * scale, right * scale]
    }
}

/// The gains of the two sides on their way from one place to another: a straight line for each. Places
/// change within a few milliseconds, so that nobody hears how the power goes on the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::audio) struct Sides {
    sides: [Ramp; 2],
}

impl Sides {
    /// As it is on both sides.
    pub const UNTOUCHED: Sides = Sides { sides: [Ramp::rest(1.0); 2] };

    /// Stands at a pair.
    pub fn rest(sides: [f32; 2]) -> Sides {
        Sides { sides: sides.map(Ramp::rest) }
    }

    /// Turns towards another pair, from where it is.
    pub fn ramp_to(&mut self, [left, right]: [f32; 2], over: u32) {
        self.sides[0].ramp_to(left, over);
        self.sides[1].ramp_to(right, over);
    }

    pub fn target(&self) -> [f32; 2] {
        self.sides.map(|side| side.to)
    }

    pub fn is_at_rest(&self) -> bool {
        self.sides[0].is_at_rest()
    }

    /// Whether both stand at silence, or will in no more than so many frames.
    pub fn is_silent_within(&self, frames: u32) -> bool {
        self.sides.iter().all(|side| side.is_silent_within(frames))
    }

    /// Whether both are silent, or on their way there.
    pub fn falls_silent(&self) -> bool {
        self.target() == [0.0; 2]
    }

    pub fn advance(&mut self, frames: u32) {
        self.sides.iter_mut().for_each(|side| side.advance(frames));
    }

    /// What counts for the ear: the higher of the power where it is and where it is going, as a gain.
    pub fn upcoming(&self) -> f32 {
        if *self == Sides::UNTOUCHED {
            return 1.0;
        }
        let power = |[left, right]: [f32; 2]| 0.5 * (left * left + right * right);
        power(self.target()).max(power(self.sides.map(|side| side.now()))).sqrt()
    }

    /// Multiplies each of the coming frames' gains in.
    pub fn apply(&self, left: &mut [f32], right: &mut [f32]) {
        self.sides[0].apply(left);
        self.sides[1].apply(right);
    }

    /// The coming frames' gains, if all others stand and these do not stand before their end.
    pub fn slope(&self, frames: u32, before: f32) -> Option<Slope> {
        let [left, right] = self.sides;
        let turn = [left.to - left.from, right.to - right.from];
        let level = Ramp { from: 1.0, to: 1.0, ..left };
        let slope = level.slope(frames, before, [1.0; 2], [left.from, right.from])?;
        Some(Slope { turn, ..slope })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_is_a_straight_line_that_ends_exactly() {
        let mut ramp = Ramp::between(0.0, 1.0, 4);
        let line: Vec<f32> = (0..6).map(|i| ramp.after(i)).collect();
        assert_eq!(line, [0.0, 0.25, 0.5, 0.75, 1.0, 1.0]);
        ramp.advance(2);
        ramp.ramp_to(0.0, 2);
        assert_eq!([ramp.now(), ramp.after(1), ramp.after(2)], [0.5, 0.25, 0.0]);
    }

    #[test]
    fn a_curve_is_the_same_however_it_is_cut() {
        let ramp = Ramp::between(0.3, 0.7, 11);
        let mut whole = [1.0; 20];
        ramp.apply(&mut whole);
        for cut in 0..20 {
            let (mut curve, mut ramp) = ([1.0; 20], ramp);
            let (head, rest) = curve.split_at_mut(cut);
            ramp.apply(head);
            ramp.advance(cut as u32);
            ramp.apply(rest);
            assert_eq!(curve, whole);
        }
        assert_eq!(whole[19], 0.7);
    }

    #[test]
    fn a_rising_ramp_counts_at_its_target_and_a_falling_one_at_its_present() {
        let (mut up, mut down) = (Ramp::between(0.0, 1.0, 4), Ramp::between(1.0, 0.0, 4));
        up.advance(1);
        down.advance(1);
        assert_eq!((up.upcoming(), down.upcoming()), (1.0, 0.75));
    }

    #[test]
    fn a_pan_keeps_its_power_on_the_way_and_is_the_same_however_it_is_cut() {
        let mut pan = Pan::rest([2f32.sqrt(), 0.0]);
        pan.ramp_to([0.0, 2f32.sqrt()], 11);
        let (mut left, mut right) = ([1.0f32; 20], [1.0f32; 20]);
        pan.split(&mut left, &mut right);
        for (l, r) in left.iter().zip(&right) {
            assert!((l * l + r * r - 2.0).abs() < 1e-5, "{l} {r}");
        }
        assert_eq!((left[19], right[19]), (0.0, 2f32.sqrt()));
        for cut in 0..20 {
            let (mut l, mut r, mut pan) = ([1.0; 20], [1.0; 20], pan);
            pan.split(&mut l[..cut], &mut r[..cut]);
            pan.advance(cut as u32);
            pan.split(&mut l[cut..], &mut r[cut..]);
            assert_eq!((l, r), (left, right));
        }
    }
}
