//! How a voice or a bus is shaped beside its gains: filters, and what it sends to rooms.

use super::message::Change;
use crate::reverb::RoomId;

/// How a voice is shaped beside its gains: the cut-offs of its filters in Hz, and what it sends to each
/// room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape {
    pub low_pass: f32,
    pub high_pass: f32,
    pub sends: [f32; RoomId::COUNT],
}

impl Shape {
    /// As it is.
    pub const PLAIN: Shape =
        Shape { low_pass: LOW_PASS_OFF, high_pass: HIGH_PASS_OFF, sends: [0.0; RoomId::COUNT] };

    /// Whether there is nothing to shape. Told by their bits, as none of them is ever -0 or NaN: every play
    /// asks.
    #[inline]
    pub fn is_plain(&self) -> bool {
        let bits = |shape: &Shape| {
            let [a, b, c, d] = shape.sends;
            [shape.low_pass, shape.high_pass, a, b, c, d].map(f32::to_bits)
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
        Tone { low_pass: self.low_pass, high_pass: self.high_pass }
    }

    /// What the sends make of its level, dry and wet together.
    pub fn spread(&self) -> f32 {
        let wet: f32 = self.sends.iter().map(|send| send * send).sum();
        (1.0 + wet).sqrt()
    }
}

/// The cut-offs of a low-pass and a high-pass, in Hz.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tone {
    pub low_pass: f32,
    pub high_pass: f32,
}

impl Tone {
    /// Everything gets through.
    pub const OPEN: Tone = Tone { low_pass: LOW_PASS_OFF, high_pass: HIGH_PASS_OFF };

    /// The narrower of both: two filters of one kind are hardly more than the one that lets less through.
    pub fn narrower(self, other: Tone) -> Tone {
        Tone {
            low_pass: self.low_pass.min(other.low_pass),
            high_pass: self.high_pass.max(other.high_pass),
        }
    }

    pub fn is_open(&self) -> bool {
        self.low_pass >= LOW_PASS_OFF && self.high_pass <= HIGH_PASS_OFF
    }

    /// How much of the power of a frequency gets through.
    pub fn gain(&self, hz: f64) -> f64 {
        let fourth = |ratio: f64| (ratio * ratio) * (ratio * ratio);
        let low = if self.low_pass < LOW_PASS_OFF {
            1.0 / (1.0 + fourth(hz / f64::from(self.low_pass)))
        } else {
            1.0
        };
        if self.high_pass > HIGH_PASS_OFF {
            low / (1.0 + fourth(f64::from(self.high_pass) / hz))
        } else {
            low
        }
    }
}

/// The cut-offs, in Hz, from which up a low-pass and down to which a high-pass lets everything through.
pub(crate) const LOW_PASS_OFF: f32 = 20_000.0;
pub(crate) const HIGH_PASS_OFF: f32 = 20.0;
