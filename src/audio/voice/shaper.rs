//! What shapes a voice beside its gains: filters of its own, and what it sends to rooms. Few voices have
//! any, so it is kept apart from them.

use super::Setup;
use super::ramp::Ramp;
use crate::audio::filter::Filters;
use crate::link::message::{Change, Shape};
use crate::reverb::RoomId;

/// The filters and the sends of one voice.
pub(in crate::audio) struct Shaper {
    filters: Filters,
    pub sends: [Ramp; RoomId::COUNT],
}

impl Shaper {
    /// There at once: nothing was heard through it yet.
    pub fn new(shape: &Shape, setup: &Setup) -> Shaper {
        let mut filters = Filters::OFF;
        filters.jump_low_pass(shape.low_pass, setup.rate);
        filters.jump_high_pass(shape.high_pass, setup.rate);
        Shaper { filters, sends: shape.sends.map(Ramp::rest) }
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

    /// Whether it does nothing.
    pub fn is_off(&self) -> bool {
        self.filters.is_off() && self.sends.iter().all(Ramp::is_silent)
    }

    /// Filters frames, the first of which is the frame `now`.
    pub fn filter(&mut self, now: u64, left: &mut [f32], right: &mut [f32]) {
        self.filters.process(now, left, right);
    }

    /// What its filters make of frames that come after a stretch, without being moved on themselves.
    pub fn filter_ahead(&self, now: u64, left: &mut [f32], right: &mut [f32]) {
        let mut filters = self.filters;
        filters.process(now, left, right);
    }

    /// Begins anew with what comes in: what rings in its filters is in the tail.
    pub fn forget(&mut self) {
        self.filters.forget();
    }

    /// Whether its filters still have something to say when nothing more comes in.
    pub fn rings(&self) -> bool {
        !self.filters.is_silent()
    }

    /// Moves the sends on.
    pub fn advance(&mut self, frames: u32) {
        self.sends.iter_mut().for_each(|send| send.advance(frames));
    }
}
