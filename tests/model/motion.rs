//! How things move in the naive mixer, and what that makes of their pitch.
//!
//! How velocities are smoothed is nobody's promise, but it must be known to know what is heard: so this is
//! the same arithmetic once more, told as what it is, and compared to the bit.

use voicepool::Point;

use super::ramp::Ramp;
use super::spot::{Ears, Spot, Vector, dot, from_to, length, wide};
use super::stage::QUANTUM;

/// In air, in metres a second.
const SOUND: f64 = 343.0;

/// By how much a pitch is bent from line to line, at the most.
const GLIDE: f64 = 0.015;

/// How something has moved of late.
#[derive(Clone, Copy, Debug)]
pub struct Motion {
    /// The way and the frames it took, both fading; and an average of that.
    late: Way,
    average: Way,
    said_at: u64,
}

#[derive(Clone, Copy, Debug)]
struct Way {
    way: [f32; 3],
    frames: f32,
}

const STANDS: Way = Way { way: [0.0; 3], frames: 0.0 };

impl Way {
    fn sum(&self, share: f64, other: &Way, other_share: f64) -> Way {
        let sum = |a: f32, b: f32| (f64::from(a) * share + f64::from(b) * other_share) as f32;
        let way = [0, 1, 2].map(|axis: usize| sum(self.way[axis], other.way[axis]));
        Way { way, frames: sum(self.frames, other.frames) }
    }
}

impl Motion {
    pub fn none(now: u64) -> Motion {
        Motion { late: STANDS, average: STANDS, said_at: now }
    }

    pub fn since(&self, now: u64) -> u64 {
        now.saturating_sub(self.said_at)
    }

    /// It has come from one place to another. What set out long ago, or just now from nowhere, or has jumped,
    /// stands still as far as is known.
    pub fn come(&mut self, from: Point, to: Point, jumped: bool, now: u64, rate: u32) {
        let took = self.since(now);
        let is_first = self.late.frames == 0.0;
        if jumped || took > u64::from(rate / 6) || (is_first && took == 0) {
            *self = Motion::none(now);
            return;
        }
        let memory = f64::from((rate / 10).max(1));
        let kept = memory / (memory + took as f64);
        let step = Way { way: from_to(from, to).map(|it| it as f32), frames: took as f32 };
        self.late = self.late.sum(kept, &step, 1.0);
        self.average =
            if is_first { self.late } else { self.average.sum(kept, &self.late, 1.0 - kept) };
        self.said_at = now;
    }

    /// How far it goes in a frame. What was not moved for a sixth of a second stands still.
    pub fn velocity(&self, frame: u64, rate: u32) -> Vector {
        if self.average.frames <= 0.0 || self.since(frame) > u64::from(rate / 6) {
            return [0.0; 3];
        }
        self.average.way.map(|way| f64::from(way) / f64::from(self.average.frames))
    }

    /// Where it will be at a frame, if it goes on; a fortieth of a second and no longer.
    fn ahead(&self, position: Point, frame: u64, rate: u32) -> Vector {
        let (from, velocity) = (wide(position), self.velocity(frame, rate));
        let frames = self.since(frame).min(u64::from(rate / 40)) as f64;
        [0, 1, 2].map(|axis: usize| from[axis] + velocity[axis] * frames)
    }
}

/// How the speed of a play is bent.
#[derive(Clone, Debug)]
pub struct Bend {
    /// By how much on the next line.
    pub ratio: f32,
    /// Its own speed.
    pub speed: Ramp,
}

impl Spot {
    /// Comes to a place. Who would have had to go faster than sound has jumped.
    pub fn come(&mut self, to: Point, jumped: bool, now: u64, rate: u32) {
        let took = self.motion.since(now).max(QUANTUM) as f64 / f64::from(rate);
        let way = f64::from(self.how.doppler) * length(from_to(self.position, to));
        self.motion.come(self.position, to, jumped || way > SOUND * took, now, rate);
        (self.position, self.moved) = (to, true);
    }

    /// By how much its pitch should be bent at a frame: (c - vl·u) / (c - vs·u), within an octave.
    pub fn doppler(&self, ears: &Ears, listener: &Motion, frame: u64, rate: u32) -> f64 {
        let from = self.motion.ahead(self.position, frame, rate);
        let to = listener.ahead(ears.position, frame, rate);
        let way = [0, 1, 2].map(|axis: usize| to[axis] - from[axis]);
        if length(way) < 1e-6 {
            return 1.0;
        }
        let scale = f64::from(self.how.doppler) * f64::from(rate) / length(way);
        let along = |motion: &Motion| {
            (dot(motion.velocity(frame, rate), way) * scale).clamp(-SOUND, SOUND - 1.0)
        };
        ((SOUND - along(listener)) / (SOUND - along(&self.motion))).clamp(0.5, 2.0)
    }

    /// The same as far as it gets from line to line; at once, if it was not heard yet.
    pub fn next_bend(&self, wanted: f64, at_once: bool) -> f32 {
        let now = self.bend.as_ref().map_or(1.0, |bend| f64::from(bend.ratio));
        let next = wanted.clamp(now * (1.0 - GLIDE), now * (1.0 + GLIDE));
        if at_once { wanted as f32 } else { next as f32 }
    }
}
