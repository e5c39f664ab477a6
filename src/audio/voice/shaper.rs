//! What shapes a voice beside its gains: filters of its own, what lies between it and the ear, and what it
//! sends to rooms. Few voices have any, so it is kept apart from them.

use super::Setup;
use super::ramp::Ramp;
use crate::audio::filter::{Filters, LowPass};
use crate::link::message::{Change, Shape, wall_gain, wall_low_pass};
use crate::reverb::RoomId;

/// The filters, the wall and the sends of one voice.
pub(in crate::audio) struct Shaper {
    filters: Filters,
    /// What lies between it and the ear.
    wall: Wall,
    pub sends: [Ramp; RoomId::COUNT],
}

/// What lies between a voice and the ear: a low-pass and a gain, behind its own filters.
#[derive(Clone, Copy)]
struct Wall {
    low_pass: LowPass,
    gain: Ramp,
}

impl Wall {
    /// There at once.
    fn new(occlusion: f32, rate: u32) -> Wall {
        let low_pass = LowPass::at(wall_low_pass(occlusion), rate);
        Wall { low_pass, gain: Ramp::rest(wall_gain(occlusion)) }
    }

    fn is_off(&self) -> bool {
        self.low_pass.is_off() && self.gain.is_at_rest() && self.gain.target() == 1.0
    }

    fn filter(&mut self, now: u64, left: &mut [f32], right: &mut [f32]) {
        self.low_pass.process(now, left, right);
        self.gain.apply(left);
        self.gain.apply(right);
    }
}

impl Shaper {
    /// There at once: nothing was heard through it yet.
    pub fn new(shape: &Shape, setup: &Setup) -> Shaper {
        let mut filters = Filters::OFF;
        filters.jump_low_pass(shape.low_pass, setup.rate);
        filters.jump_high_pass(shape.high_pass, setup.rate);
        let wall = Wall::new(shape.occlusion, setup.rate);
        Shaper { filters, wall, sends: shape.sends.map(Ramp::rest) }
    }

    /// Turns a filter, or a send.
    pub fn change(&mut self, change: Change, setup: &Setup) {
        let (declick, rate) = (setup.declick, setup.rate);
        match change {
            Change::LowPass { to, over } => self.filters.set_low_pass(to, over, declick, rate),
            Change::HighPass { to, over } => self.filters.set_high_pass(to, over, declick, rate),
            Change::Send { room, to, over } => {
                let over = over.max(declick);
                self.sends.get_mut(room.index()).into_iter().for_each(|it| it.ramp_to(to, over));
            }
            _ => (),
        }
    }

    /// Puts more or less between the voice and the ear. What is on its way there already may be hurried, but is
    /// never held up.
    pub fn occlude(&mut self, occlusion: f32, over: u32, setup: &Setup) {
        let (declick, rate) = (setup.declick, setup.rate);
        self.wall.low_pass.set(wall_low_pass(occlusion), over, declick, rate);
        self.wall.gain.hurry_to(wall_gain(occlusion), over.max(declick));
    }

    /// Whether it does nothing.
    pub fn is_off(&self) -> bool {
        self.filters.is_off() && self.wall.is_off() && self.sends.iter().all(Ramp::is_silent)
    }

    /// Filters frames, the first of which is the frame `now`.
    pub fn filter(&mut self, now: u64, left: &mut [f32], right: &mut [f32]) {
        self.filters.process(now, left, right);
        self.wall.filter(now, left, right);
    }

    /// What its filters make of frames that come after a stretch, without being moved on themselves.
    pub fn filter_ahead(&self, now: u64, left: &mut [f32], right: &mut [f32]) {
        let (mut filters, mut wall) = (self.filters, self.wall);
        filters.process(now, left, right);
        wall.filter(now, left, right);
    }

    /// Begins anew with what comes in: what rings in its filters is in the tail.
    pub fn forget(&mut self) {
        self.filters.forget();
        self.wall.low_pass.forget();
    }

    /// Whether its filters still have something to say when nothing more comes in.
    pub fn rings(&self) -> bool {
        !self.filters.is_silent() || !self.wall.low_pass.is_silent()
    }

    /// Moves the sends and the wall on.
    pub fn advance(&mut self, frames: u32) {
        self.wall.gain.advance(frames);
        self.sends.iter_mut().for_each(|send| send.advance(frames));
    }
}
