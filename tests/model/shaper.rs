//! What shapes a voice or a bus of the naive mixer beside its gains.

use super::filter::{Filters, HIGH_OFF, LOW_OFF};
use super::naive::Change;
use super::ramp::Ramp;
use super::submix::ROOMS;

/// What shapes a voice or a bus beside its gains: cut-offs in Hz, and what is sent to each room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    pub low_pass: f32,
    pub high_pass: f32,
    pub sends: [f32; ROOMS],
}

impl Shape {
    pub const PLAIN: Shape = Shape { low_pass: LOW_OFF, high_pass: HIGH_OFF, sends: [0.0; ROOMS] };

    pub fn change(&mut self, change: Change) {
        match change {
            Change::LowPass(hz, _) => self.low_pass = hz,
            Change::HighPass(hz, _) => self.high_pass = hz,
            Change::Send(room, to, _) => self.sends[room] = to,
            _ => (),
        }
    }
}

/// The same as it is, frame by frame.
#[derive(Clone, Debug)]
pub struct Shaper {
    pub filters: Filters,
    pub sends: [Ramp; ROOMS],
}

impl Shaper {
    pub fn new(shape: &Shape, rate: u32) -> Shaper {
        let filters = Filters::set(shape.low_pass, shape.high_pass, rate);
        Shaper { filters, sends: shape.sends.map(Ramp::rest) }
    }

    pub fn turn(&mut self, change: Change, over: u64, declick: u64, rate: u32) {
        match change {
            Change::LowPass(hz, _) => self.filters.low.turn(hz, over, declick, rate),
            Change::HighPass(hz, _) => self.filters.high.turn(hz, over, declick, rate),
            Change::Send(room, to, _) => self.sends[room].head_for(to, over),
            _ => unreachable!("nothing else shapes"),
        }
    }
}
