//! How fast something goes, by where it is said to be.
//!
//! Moves come once in a frame of the game, and are heard on the next line of the grid, or even of the
//! device's buffers: so the time between two of them is known only roughly. What is told here is an average
//! over some of them, and an average of that: hardly anything of the shaking is left.

use super::difference;
use crate::space::Point;

/// How much of a second the averages remember: 1/10.
const MEMORY: u32 = 10;

/// What was not moved for so much of a second stands still: 1/6.
const STALE: u32 = 6;

/// How something moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Motion {
    /// The steps of late, and behind them an average of these.
    steps: [Steps; 2],
    /// The frame on which it was last said where it is.
    moved_at: u64,
}

/// Steps, and the frames that they took: sums in which the older ones count less.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Steps {
    way: [f32; 3],
    time: f32,
}

const NONE: Steps = Steps { way: [0.0; 3], time: 0.0 };

impl Steps {
    /// The sum of a share of these and a share of others.
    fn blend(&self, share: f64, others: &Steps, other_share: f64) -> Steps {
        let sum = |a: f32, b: f32| (f64::from(a) * share + f64::from(b) * other_share) as f32;
        let [(x, a), (y, b), (z, c)] = [0, 1, 2].map(|axis| (self.way[axis], others.way[axis]));
        Steps { way: [sum(x, a), sum(y, b), sum(z, c)], time: sum(self.time, others.time) }
    }
}

impl Motion {
    /// Stands still, as of a frame.
    pub fn at(now: u64) -> Motion {
        Motion { steps: [NONE; 2], moved_at: now }
    }

    /// It has come from one place to another, or was brought there: then nothing follows from it.
    pub fn moves(&mut self, from: Point, to: Point, jump: bool, now: u64, rate: u32) {
        let took = self.since(now);
        // Where it is said to be on the very line on which it was brought somewhere is where it was brought.
        let was_brought = took == 0 && self.steps[0].time == 0.0;
        // When something set out that has long stood still is not known.
        if jump || was_brought || took > u64::from(rate / STALE) {
            *self = Motion::at(now);
            return;
        }
        let memory = f64::from(rate / MEMORY).max(1.0);
        let kept = memory / (memory + took as f64);
        let step = Steps { way: difference(from, to).map(|it| it as f32), time: took as f32 };
        let [late, average] = &mut self.steps;
        let is_first = late.time == 0.0;
        *late = late.blend(kept, &step, 1.0);
        *average = if is_first { *late } else { average.blend(kept, late, 1.0 - kept) };
        self.moved_at = now;
    }

    /// How long ago it was last said where it is, in frames.
    pub fn since(&self, now: u64) -> u64 {
        now.saturating_sub(self.moved_at)
    }

    /// How far it goes in a frame, as of some frame.
    pub fn speed(&self, frame: u64, rate: u32) -> [f64; 3] {
        let [_, Steps { way, time }] = self.steps;
        if time <= 0.0 || self.since(frame) > u64::from(rate / STALE) {
            return [0.0; 3];
        }
        way.map(|way| f64::from(way) / f64::from(time))
    }

    /// Where it will be at a frame if it goes on as it does, and how far it goes in a frame. It is not
    /// trusted for longer than a slow game takes for a frame.
    pub fn ahead(&self, position: Point, frame: u64, rate: u32) -> ([f64; 3], [f64; 3]) {
        let speed = self.speed(frame, rate);
        let trusted = u64::from(rate / 40);
        let frames = self.since(frame).min(trusted) as f64;
        let [x, y, z] = position.wide();
        let [a, b, c] = speed;
        ([x + a * frames, y + b * frames, z + c * frames], speed)
    }
}
