//! Values on their way: gains that change without a click, speeds that glide.
//!
//! A ramp's value is a function of how many frames it has run, never a running sum, so that it is
//! the same however a stretch of frames is cut up. A glide does add up, but in integers.

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
        Ramp { from: value, to: value, at: 0, over: 0 }
    }

    /// Goes from one value to another over some frames.
    pub fn between(from: f32, to: f32, over: u32) -> Ramp {
        Ramp { from, to, at: 0, over }
    }

    /// Turns towards another value, from where it is.
    pub fn head_for(&mut self, to: f32, over: u32) {
        *self = Ramp::between(self.now(), to, over);
    }

    /// Its value.
    pub fn now(&self) -> f32 {
        self.after(0)
    }

    /// Where it is going.
    pub fn target(&self) -> f32 {
        self.to
    }

    /// What counts for the ear: a rising value as risen, a falling one as it is.
    pub fn upcoming(&self) -> f32 {
        self.now().max(self.to)
    }

    /// How many frames until it stands.
    pub fn left(&self) -> u32 {
        self.over - self.at
    }

    pub fn is_at_rest(&self) -> bool {
        self.at == self.over
    }

    /// Whether it stands at silence.
    pub fn is_silent(&self) -> bool {
        self.is_at_rest() && self.to == 0.0
    }

    /// For how many of the coming frames it is not yet silent.
    pub fn sounding(&self, frames: u32) -> u32 {
        if self.to == 0.0 { frames.min(self.left()) } else { frames }
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
    pub fn apply(&self, curve: &mut [f32]) {
        let (sloped, flat) = curve.split_at_mut(curve.len().min(self.left() as usize));
        let (span, scale) = (self.to - self.from, self.scale());
        for (i, value) in sloped.iter_mut().enumerate() {
            *value *= self.from + span * ((self.at + i as u32) as f32 * scale);
        }
        // Most gains stand at 1, which leaves every value as it is.
        if self.to != 1.0 {
            flat.iter_mut().for_each(|value| *value *= self.to);
        }
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
    pub fn head_for(&mut self, to: [f32; 2], over: u32) {
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
        let moving = left.len().min(self.sides[0].left() as usize);
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

/// A position in a sound, and a step from frame to frame: whole frames in the upper 32 bits, the
/// fraction in the lower.
pub(in crate::audio) const ONE: u64 = 1 << 32;

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
    left: u32,
    /// It lands when no more frames than these are left; 0 if it does not, or has.
    landing: u32,
}

impl Glide {
    /// Keeps one step.
    pub fn rest(step: u64) -> Glide {
        Glide { step: (step as i64) << FINER, slope: 0, to: step, left: 0, landing: 0 }
    }

    /// The step for a speed, a sound's rate and the mixer's.
    pub fn step_for(speed: f32, sound_rate: u32, rate: u32) -> u64 {
        let ratio = f64::from(speed) * f64::from(sound_rate) / f64::from(rate);
        ((ratio * ONE as f64).round() as u64).clamp(1, MOST_STEP)
    }

    /// Turns towards another step, from the present one. If that is one frame after the other, it
    /// lands over the last `landing` frames.
    pub fn head_for(&mut self, to: u64, over: u32, landing: u32) {
        if over == 0 {
            *self = Glide::rest(to);
            return;
        }
        let slope = (((to as i64) << FINER) - self.step) / i64::from(over);
        let landing = if to == ONE { landing } else { 0 };
        *self = Glide { step: self.step, slope, to, left: over, landing };
    }

    /// The step, now.
    pub fn step(&self) -> u64 {
        (self.step >> FINER) as u64
    }

    /// The longest step until it keeps one. A landing may end on one that is longer than its target.
    pub fn longest(&self) -> u64 {
        let last = self.step + self.slope * i64::from(self.left);
        (self.step.max(last) >> FINER) as u64
    }

    /// How many frames until it keeps one step.
    pub fn left(&self) -> u32 {
        self.left
    }

    /// For how many frames it goes on as it does: until it lands or arrives. 0: for ever.
    pub fn straight(&self) -> u32 {
        self.left.saturating_sub(self.landing)
    }

    /// Whether it is time to land.
    pub fn is_landing(&self) -> bool {
        self.left <= self.landing && self.left > 0
    }

    /// Spreads over the frames that are left what they lack to end on a whole frame, given the
    /// fraction of the position: were it left where it happens to arrive, every frame from then on
    /// would be read between two samples, which costs treble and time.
    pub fn land(&mut self, fraction: u32) {
        const FRAME: i128 = (ONE as i128) << FINER;
        let left = i128::from(self.left.max(1));
        let (first, slope) = (i128::from(self.step), i128::from(self.slope));
        let end = (i128::from(fraction) << FINER) + left * first + slope * (left * (left - 1) / 2);
        let whole = (end + FRAME / 2).div_euclid(FRAME) * FRAME;
        let mut more = (whole - end) / left;
        // Never backwards: where it hardly moves yet, it goes for the next frame.
        if more + first.min(first + slope * (left - 1)) < 0 {
            more = (whole + FRAME - end) / left;
        }
        self.step += more as i64;
        self.landing = 0;
    }

    /// Has it land once more, if it had: its position is another now.
    pub fn moved(&mut self) {
        if self.to == ONE && self.landing == 0 {
            self.landing = self.left;
        }
    }

    /// Advances a position by one frame, and itself with it.
    #[inline(always)]
    pub fn walk(&mut self, position: &mut u64) {
        *position += self.step();
        self.step += self.slope;
    }

    /// Says that some frames were walked. Not more than `left`, unless it keeps its step.
    pub fn count(&mut self, frames: u32) {
        if self.left > 0 {
            self.left -= frames.min(self.left);
            if self.left == 0 {
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
    fn a_ramp_is_a_straight_line_that_ends_exactly() {
        let mut ramp = Ramp::between(0.0, 1.0, 4);
        let line: Vec<f32> = (0..6).map(|i| ramp.after(i)).collect();
        assert_eq!(line, [0.0, 0.25, 0.5, 0.75, 1.0, 1.0]);
        ramp.advance(2);
        ramp.head_for(0.0, 2);
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
        pan.head_for([0.0, 2f32.sqrt()], 11);
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

    #[test]
    fn a_glide_arrives_at_exactly_its_target() {
        let mut glide = Glide::rest(ONE);
        glide.head_for(2 * ONE, 3, 0);
        let mut position = 0;
        for _ in 0..3 {
            glide.walk(&mut position);
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
                    glide.head_for(ONE, over, over);
                    let (mut straight, mut ideal) = (glide, u64::from(fraction));
                    glide.land(fraction);
                    let (mut position, longest) = (u64::from(fraction), glide.longest());
                    for _ in 0..over {
                        straight.walk(&mut ideal);
                        let before = position;
                        glide.walk(&mut position);
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
        glide.head_for(2 * ONE, 0, 0);
        assert_eq!(glide, Glide::rest(2 * ONE));
    }

    #[test]
    fn the_longest_glide_does_not_overflow() {
        let mut glide = Glide::rest(Glide::step_for(0.01, 1, 384_000));
        glide.head_for(Glide::step_for(100.0, 384_000, 1), u32::MAX, 0);
        glide.head_for(1, 1, 0);
        let mut position = 0;
        glide.walk(&mut position);
        glide.count(1);
        assert_eq!(glide.step(), 1);
    }
}
