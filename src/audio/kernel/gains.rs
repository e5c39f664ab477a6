//! The gains of a run.

use std::slice;

use super::lanes::{LANES, Lanes};

/// The gains of a run: told by one rule, or one for each frame.
#[derive(Clone, Copy)]
pub(in crate::audio) enum Gains<'a> {
    Each(Gain<'a>),
    Curve { left: &'a [f32], right: &'a [f32] },
}

impl Gains<'_> {
    /// The gains of a part.
    pub fn part(&self, from: usize, len: usize) -> Gains<'_> {
        match self {
            Gains::Each(gain) => Gains::Each(gain.after(from)),
            Gains::Curve { left, right } => Gains::Curve {
                left: left.get(from..from + len).unwrap_or_default(),
                right: right.get(from..from + len).unwrap_or_default(),
            },
        }
    }

    /// The gains from some frame on.
    pub(super) fn rest(&self, from: usize) -> Gains<'_> {
        match self {
            Gains::Each(gain) => Gains::Each(gain.after(from)),
            Gains::Curve { left, right } => Gains::Curve {
                left: left.get(from..).unwrap_or_default(),
                right: right.get(from..).unwrap_or_default(),
            },
        }
    }
}

/// The gains of a run in a few numbers.
#[derive(Clone, Copy)]
pub(in crate::audio) enum Gain<'a> {
    Steady([f32; 2]),
    /// A slope, some frames on.
    Sloped(&'a Slope, u32),
}

impl<'a> Gain<'a> {
    /// The gains some frames later.
    #[inline(always)]
    pub(super) fn after(self, frames: usize) -> Gain<'a> {
        match self {
            Gain::Steady(gains) => Gain::Steady(gains),
            Gain::Sloped(slope, on) => Gain::Sloped(slope, on + frames as u32),
        }
    }
}

/// A gain on a straight line, among others that stand. Of those that come after it, all but two
/// stand at 1.
#[derive(Clone, Copy)]
pub(in crate::audio) struct Slope {
    /// The product of those before it.
    pub before: f32,
    pub from: f32,
    /// What it goes through in all, and the part of it in a frame.
    pub span: f32,
    pub scale: f32,
    /// How many frames it has gone: with the run to come, fewer than 2^31.
    pub at: u32,
    pub after: [f32; 2],
    /// What each side makes of it.
    pub sides: [f32; 2],
    /// What each side goes through in all, in place of it: only if it and all after it stand at 1.
    pub turn: [f32; 2],
}

impl Slope {
    pub const LEVEL: Slope = Slope {
        before: 1.0,
        from: 1.0,
        span: 0.0,
        scale: 0.0,
        at: 0,
        after: [1.0; 2],
        sides: [1.0; 2],
        turn: [0.0; 2],
    };

    /// Whether it is the sides that move.
    pub(super) fn turns(&self) -> bool {
        self.turn != [0.0; 2]
    }

    /// Whether all others stand at 1: to multiply by them would change no bit.
    pub(super) fn is_alone(&self) -> bool {
        self.before == 1.0 && self.after == [1.0; 2]
    }

    /// Both sides' gains, some frames from now.
    pub(super) fn get(&self, frame: u32) -> [f32; 2] {
        let part = (self.at + frame) as i32 as f32 * self.scale;
        if self.turns() {
            let [left, right] = self.sides;
            let [to_left, to_right] = self.turn;
            return [left + to_left * part, right + to_right * part].map(|side| self.before * side);
        }
        let line = self.from + self.span * part;
        let gain = self.before * line * self.after[0] * self.after[1];
        self.sides.map(|side| gain * side)
    }
}

/// The gains of one group of eight frames after the other: left and right.
pub(super) trait GroupGains<L: Lanes> {
    fn next(&mut self, lanes: L) -> [L::Floats; 2];
}

/// The same for all.
pub(super) struct Steady<L: Lanes> {
    pub gains: [L::Floats; 2],
}

impl<L: Lanes> GroupGains<L> for Steady<L> {
    #[inline(always)]
    fn next(&mut self, _: L) -> [L::Floats; 2] {
        self.gains
    }
}

/// Those of a slope: alone on its way, or among other `FACTORS`.
pub(super) struct Sloping<L: Lanes, const FACTORS: bool> {
    /// How many frames each of the eight has gone.
    gone: L::Words,
    before: L::Floats,
    from: L::Floats,
    span: L::Floats,
    scale: L::Floats,
    after: [L::Floats; 2],
    sides: [L::Floats; 2],
}

impl<L: Lanes, const FACTORS: bool> Sloping<L, FACTORS> {
    /// From some frame on.
    #[inline(always)]
    pub fn new(lanes: L, slope: &Slope, on: u32) -> Self {
        Sloping {
            gone: lanes.count(slope.at + on, 1),
            before: lanes.splat(slope.before),
            from: lanes.splat(slope.from),
            span: lanes.splat(slope.span),
            scale: lanes.splat(slope.scale),
            after: splat(lanes, slope.after),
            sides: splat(lanes, slope.sides),
        }
    }
}

impl<L: Lanes, const FACTORS: bool> GroupGains<L> for Sloping<L, FACTORS> {
    #[inline(always)]
    fn next(&mut self, lanes: L) -> [L::Floats; 2] {
        let part = lanes.mul(lanes.counted(self.gone), self.scale);
        self.gone = lanes.count_on(self.gone, LANES as u32);
        let line = lanes.add(self.from, lanes.mul(self.span, part));
        let mut gain = line;
        if FACTORS {
            gain = lanes.mul(self.before, gain);
            gain = lanes.mul(lanes.mul(gain, self.after[0]), self.after[1]);
        }
        [lanes.mul(gain, self.sides[0]), lanes.mul(gain, self.sides[1])]
    }
}

/// Those of a slope whose sides move.
pub(super) struct Turning<L: Lanes> {
    /// How many frames each of the eight has gone.
    gone: L::Words,
    before: L::Floats,
    scale: L::Floats,
    sides: [L::Floats; 2],
    turn: [L::Floats; 2],
}

impl<L: Lanes> Turning<L> {
    /// From some frame on.
    #[inline(always)]
    pub fn new(lanes: L, slope: &Slope, on: u32) -> Self {
        Turning {
            gone: lanes.count(slope.at + on, 1),
            before: lanes.splat(slope.before),
            scale: lanes.splat(slope.scale),
            sides: splat(lanes, slope.sides),
            turn: splat(lanes, slope.turn),
        }
    }
}

impl<L: Lanes> GroupGains<L> for Turning<L> {
    #[inline(always)]
    fn next(&mut self, lanes: L) -> [L::Floats; 2] {
        let part = lanes.mul(lanes.counted(self.gone), self.scale);
        self.gone = lanes.count_on(self.gone, LANES as u32);
        let [left, right] = self.sides;
        let [to_left, to_right] = self.turn;
        let left = lanes.add(left, lanes.mul(to_left, part));
        let right = lanes.add(right, lanes.mul(to_right, part));
        [lanes.mul(self.before, left), lanes.mul(self.before, right)]
    }
}

/// One for each frame. Where they end, silence follows.
pub(super) struct Curve<'a> {
    pub left: slice::Iter<'a, [f32; LANES]>,
    pub right: slice::Iter<'a, [f32; LANES]>,
}

impl<L: Lanes> GroupGains<L> for Curve<'_> {
    #[inline(always)]
    fn next(&mut self, lanes: L) -> [L::Floats; 2] {
        let silence = &[0.0; LANES];
        let (left, right) = (self.left.next(), self.right.next());
        [lanes.load(left.unwrap_or(silence)), lanes.load(right.unwrap_or(silence))]
    }
}

#[inline(always)]
pub(super) fn splat<L: Lanes>(lanes: L, gains: [f32; 2]) -> [L::Floats; 2] {
    [lanes.splat(gains[0]), lanes.splat(gains[1])]
}
