//! What a voice makes of where it is, and of how it and the listener move.

use super::ramp::{Ramp, Sides};
use super::{Setup, Voice};
use crate::audio::bus::Way;
use crate::audio::space::{Space, Spot};
use crate::link::message::{Park, QUANTUM};
use crate::space::Point;

impl Voice {
    /// Whether it has a place.
    pub fn is_placed(&self) -> bool {
        self.spot.is_some()
    }

    pub fn spot(&self) -> Option<&Spot> {
        self.spot.as_ref()
    }

    /// It has come to a place, or was brought there, if it has one. Says whether it has.
    pub fn move_to(&mut self, to: Point, jump: bool, now: u64, setup: &Setup) -> bool {
        let Some(spot) = &mut self.spot else { return false };
        spot.move_to(to, jump, now, setup.rate);
        true
    }

    /// Whether it was moved since this was last asked.
    pub fn take_moved(&mut self) -> bool {
        self.spot.as_mut().is_some_and(Spot::take_moved)
    }

    /// Is heard from where it is: at once, if nobody hears it yet.
    pub fn settle_place(&mut self, space: &Space) {
        if let Some(spot) = &mut self.spot {
            self.gains.place = Sides::rest(spot.listen(space.ears()).sides);
        }
    }

    /// Goes to where it is heard from now, unless it does already. Says whether it has set out for it.
    pub fn follow_place(&mut self, space: &Space, way: &Way) -> bool {
        if !self.is_sounding(way) {
            self.settle_place(space);
            return false;
        }
        let Some(spot) = &mut self.spot else { return false };
        let sides = spot.listen(space.ears()).sides;
        if sides == self.gains.place.target() {
            return false;
        }
        self.gains.place.ramp_to(sides, space.way_frames());
        true
    }

    /// Whether nothing of it is heard where it is, or will be when it has got there.
    pub fn leaves_earshot(&self) -> bool {
        self.spot.is_some() && self.gains.place.falls_silent()
    }

    /// Whether nothing of it is heard where it is any more.
    pub fn has_left_earshot(&self) -> bool {
        self.leaves_earshot() && self.gains.place.is_at_rest()
    }

    /// Why it parks, if it is too far off to be heard.
    pub fn out_of_earshot(&self, space: &Space) -> Option<Park> {
        let spot = self.spot.as_ref()?;
        let heard = spot.heard(space.ears());
        let (distance, far) = (heard.distance, spot.far());
        heard.is_silent.then_some(Park::OutOfEarshot { distance, far })
    }

    // Doppler.

    /// Whether its speed is bent by how it or the listener moves.
    pub fn is_bent(&self) -> bool {
        self.spot.as_ref().is_some_and(|spot| spot.bend().is_some())
    }

    /// Takes its own speed to another, if it is bent: from the next line on.
    pub(super) fn bend_speed_to(&mut self, speed: f32, over: u32) -> bool {
        let bend = self.spot.as_mut().and_then(Spot::bend_mut);
        let is_bent = bend.is_some();
        bend.into_iter().for_each(|bend| bend.speed.ramp_to(speed, over));
        is_bent
    }

    /// On a line: bends its speed, for the quantum to come, as movement does. Says whether it is to be seen to
    /// on the next line too: it is bent, or might be.
    pub fn follow_motion(&mut self, now: u64, space: &Space, way: &Way, setup: &Setup) -> bool {
        let (rate, quantum) = (setup.rate, QUANTUM as u32);
        let next = now + u64::from(quantum);
        let Some(spot) = &self.spot else { return false };
        let may_bend = spot.may_bend(space, next, rate);
        if self.stands_still(way) {
            return self.is_bent() || may_bend;
        }
        let (was_bent, at_once) = (self.is_bent(), !self.heard);
        let (source, pace, speed) = (&self.source, self.pace, self.speed);
        let pace_glide = way.pace_glide();
        // If its own speed is on its way, it goes on from there. What it is on its way with its bus is not its
        // own.
        let pace_now = pace_glide.map_or(pace, |glide| glide.ratio());
        let own = || match source.gliding_for() {
            0 => Ramp::rest(speed),
            frames => Ramp::between(source.speed_now(rate) / pace_now, speed, frames),
        };
        let Some(spot) = &mut self.spot else { return false };
        if !spot.bend_by(space, next, rate, own, at_once) {
            if was_bent {
                let with_bus = pace_glide.map_or(0, |glide| glide.remaining());
                self.straighten(setup.declick.max(with_bus), setup);
            }
            return may_bend;
        }
        let Some(bend) = spot.bend_mut() else { return false };
        let pace = pace_glide.map_or(pace, |glide| glide.ratio_after(quantum));
        let (first, next) = (bend.speed.now() * pace, bend.speed.after(quantum) * pace);
        let ratio = bend.ratio;
        bend.speed.advance(quantum);
        if at_once {
            self.source.begin_at(first * ratio, rate);
        }
        self.source.set_speed(next * ratio, quantum, 0, rate);
        true
    }

    /// Goes at its own speed again, over at least so many frames.
    pub(super) fn straighten(&mut self, over: u32, setup: &Setup) {
        let Some(spot) = &mut self.spot else { return };
        let Some(bend) = spot.bend() else { return };
        let over = if over == 0 { 0 } else { over.max(bend.speed.remaining()) };
        spot.straighten();
        self.source.set_speed(self.speed * self.pace, over, setup.declick, setup.rate);
    }
}
