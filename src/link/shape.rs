//! How a voice or a bus is shaped beside its gains: filters, and what it sends to rooms.

use super::message::Change;
use crate::reverb::RoomId;
use crate::units::db;

/// How a voice is shaped beside its gains: the cut-offs of its filters in Hz, and what it sends to each
/// room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape {
    pub low_pass: f32,
    pub high_pass: f32,
    pub sends: [f32; RoomId::COUNT],
    /// How much lies between it and the ear, from 0 to 1.
    pub occlusion: f32,
}

impl Shape {
    /// As it is.
    pub const PLAIN: Shape = Shape {
        low_pass: LOW_PASS_OFF,
        high_pass: HIGH_PASS_OFF,
        sends: [0.0; RoomId::COUNT],
        occlusion: 0.0,
    };

    /// Whether there is nothing to shape. Told by their bits, as none of them is ever -0 or NaN: every play
    /// asks.
    #[inline]
    pub fn is_plain(&self) -> bool {
        let bits = |shape: &Shape| {
            let [a, b, c, d] = shape.sends;
            [shape.low_pass, shape.high_pass, a, b, c, d, shape.occlusion].map(f32::to_bits)
        };
        bits(self) == bits(&Shape::PLAIN)
    }

    /// Takes up a change of a filter or a send; the rest is not its own.
    pub fn change(&mut self, change: Change) {
        match change {
            Change::LowPass { to, .. } => self.low_pass = to,
            Change::HighPass { to, .. } => self.high_pass = to,
            Change::Send { room, to, .. } => {
                self.sends.get_mut(room.index()).into_iter().for_each(|send| *send = to);
            }
            _ => (),
        }
    }

    /// Its filters.
    pub fn tone(&self) -> Tone {
        let wall = wall_low_pass(self.occlusion);
        Tone {
            low_passes: [self.low_pass.min(wall), self.low_pass.max(wall)],
            high_passes: [self.high_pass, HIGH_PASS_OFF],
        }
    }

    /// What the sends, dry and wet together, and what lies between it and the ear make of its level.
    pub fn spread(&self) -> f32 {
        let wet: f32 = self.sends.iter().map(|send| send * send).sum();
        (1.0 + wet).sqrt() * wall_gain(self.occlusion)
    }
}

/// What a whole wall takes off, in decibels, and the cut-off that it leaves, in Hz: a door that is shut, to
/// most ears.
const WALL_DB: f32 = -12.0;
const WALL_HZ: f32 = 600.0;

/// The gain of what lies between a play and the ear, from nothing (0) to a wall (1): even in decibels.
pub(crate) fn wall_gain(occlusion: f32) -> f32 {
    if occlusion == 0.0 { 1.0 } else { db(WALL_DB * occlusion) }
}

/// The same for the cut-off of its low-pass: even in octaves.
pub(crate) fn wall_low_pass(occlusion: f32) -> f32 {
    if occlusion == 0.0 {
        return LOW_PASS_OFF;
    }
    let octaves = f64::from(WALL_HZ / LOW_PASS_OFF);
    (f64::from(LOW_PASS_OFF) * libm::pow(octaves, f64::from(occlusion))) as f32
}

/// The cut-offs of filters that follow each other, in Hz: of each kind the two that let the least through,
/// that one first. A third hardly counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tone {
    low_passes: [f32; 2],
    high_passes: [f32; 2],
}

impl Tone {
    /// Everything gets through.
    pub const OPEN: Tone = Tone { low_passes: [LOW_PASS_OFF; 2], high_passes: [HIGH_PASS_OFF; 2] };

    /// Both behind each other.
    pub fn and(self, other: Tone) -> Tone {
        let least = |[a, b]: [f32; 2], [c, d]: [f32; 2]| [a.min(c), a.max(c).min(b).min(d)];
        let negative = |[a, b]: [f32; 2]| [-a, -b];
        let (high, others) = (negative(self.high_passes), negative(other.high_passes));
        Tone {
            low_passes: least(self.low_passes, other.low_passes),
            high_passes: negative(least(high, others)),
        }
    }

    pub fn is_open(&self) -> bool {
        self.low_passes[0] >= LOW_PASS_OFF && self.high_passes[0] <= HIGH_PASS_OFF
    }

    /// How much of the power of a frequency gets through.
    pub fn gain(&self, hz: f64) -> f64 {
        let passes = |ratio: f64| 1.0 / (1.0 + (ratio * ratio) * (ratio * ratio));
        let low = self.low_passes.iter().filter(|it| **it < LOW_PASS_OFF);
        let high = self.high_passes.iter().filter(|it| **it > HIGH_PASS_OFF);
        let through = low.fold(1.0, |gain, cutoff| gain * passes(hz / f64::from(*cutoff)));
        high.fold(through, |gain, cutoff| gain * passes(f64::from(*cutoff) / hz))
    }
}

/// The cut-offs, in Hz, from which up a low-pass and down to which a high-pass lets everything through.
pub(crate) const LOW_PASS_OFF: f32 = 20_000.0;
pub(crate) const HIGH_PASS_OFF: f32 = 20.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_filters_behind_each_other_the_two_narrowest_count() {
        let low = |hz| Shape { low_pass: hz, ..Shape::PLAIN }.tone();
        let high = |hz| Shape { high_pass: hz, ..Shape::PLAIN }.tone();
        let product =
            |tones: &[Tone]| tones.iter().fold(1.0, |gain, tone| gain * tone.gain(2000.0));
        let two = [low(1000.0), low(400.0), high(3000.0), high(5000.0)];
        let all = two.into_iter().fold(Tone::OPEN, Tone::and);
        assert!((all.gain(2000.0) / product(&two) - 1.0).abs() < 1e-12);
        assert_eq!(all.and(low(9000.0)).and(high(30.0)), all);
        assert!(Tone::OPEN.and(Tone::OPEN).is_open() && !all.is_open());
    }
}
