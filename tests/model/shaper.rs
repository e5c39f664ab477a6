//! What shapes a voice or a bus of the naive mixer beside its gains.

use voicepool::Frame;

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
    /// How much lies between it and the ear, from 0 to 1. A bus has none.
    pub occlusion: f32,
}

impl Shape {
    pub const PLAIN: Shape =
        Shape { low_pass: LOW_OFF, high_pass: HIGH_OFF, sends: [0.0; ROOMS], occlusion: 0.0 };

    pub fn change(&mut self, change: Change) {
        match change {
            Change::LowPass(hz, _) => self.low_pass = hz,
            Change::HighPass(hz, _) => self.high_pass = hz,
            Change::Send(room, to, _) => self.sends[room] = to,
            _ => (),
        }
    }

    /// What it makes of a level, but for the filters: what is sent is heard beside what is not.
    pub fn spread(&self) -> f32 {
        let sent: f32 = self.sends.iter().map(|send| send * send).sum();
        (1.0 + sent).sqrt() * wall(self.occlusion).0
    }
}

/// The gain of what lies between a play and the ear, even in decibels, and the cut-off of its low-pass, even
/// in octaves.
fn wall(occlusion: f32) -> (f32, f32) {
    let amount = f64::from(occlusion);
    let (gain, hz) = (10f64.powf(-12.0 * amount / 20.0), 20_000.0 * 0.03f64.powf(amount));
    (gain as f32, hz as f32)
}

/// The same as it is, frame by frame.
#[derive(Clone, Debug)]
pub struct Shaper {
    pub filters: Filters,
    /// What lies between it and the ear: a low-pass and a gain, behind its own filters.
    wall: Filters,
    wall_gain: Ramp,
    pub sends: [Ramp; ROOMS],
}

impl Shaper {
    pub fn new(shape: &Shape, rate: u32) -> Shaper {
        let filters = Filters::set(shape.low_pass, shape.high_pass, rate);
        let (gain, hz) = wall(shape.occlusion);
        let wall = Filters::set(hz, HIGH_OFF, rate);
        let sends = shape.sends.map(Ramp::rest);
        Shaper { filters, wall, wall_gain: Ramp::rest(gain), sends }
    }

    pub fn turn(&mut self, change: Change, over: u64, declick: u64, rate: u32) {
        match change {
            Change::LowPass(hz, _) => self.filters.low.turn(hz, over, declick, rate),
            Change::HighPass(hz, _) => self.filters.high.turn(hz, over, declick, rate),
            Change::Send(room, to, _) => self.sends[room].head_for(to, over),
            _ => unreachable!("nothing else shapes"),
        }
    }

    /// Puts more or less between it and the ear. If it is on its way there already, it may only be hurried.
    pub fn occlude(&mut self, occlusion: f32, over: u64, declick: u64, rate: u32) {
        let (gain, hz) = wall(occlusion);
        self.wall.low.turn(hz, over, declick, rate);
        self.wall_gain.hurry(gain, over.max(declick));
    }

    /// What it makes of a frame, but for the sends.
    pub fn frame(&mut self, now: u64, frame: Frame) -> Frame {
        let frame = self.filters.frame(now, frame);
        let gain = self.wall_gain.now();
        self.wall_gain.step();
        self.wall.frame(now, frame).map(|side| side * gain)
    }

    /// Whether its filters would be heard if nothing more came in.
    pub fn rings(&self) -> bool {
        !self.filters.is_silent() || !self.wall.is_silent()
    }

    /// Forgets what rings in it.
    pub fn empty(&mut self) {
        self.filters.empty();
        self.wall.empty();
    }
}
