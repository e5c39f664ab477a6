//! How fast the time of a bus goes: slow motion for all below it.

use super::Buses;
use crate::audio::voice::glide::Glide;
use crate::audio::voice::position::ONE;
use crate::bus::BusId;

/// How fast the time of a bus goes.
#[derive(Clone, Copy)]
pub(super) struct Pace {
    /// As a ratio, where it is going.
    pub ratio: f32,
    /// As a step from frame to frame.
    pub glide: Glide,
    /// By how much its time is ahead of the frames in which it moved, in 2^-32 of a frame.
    ahead: i128,
}

impl Pace {
    pub fn own() -> Pace {
        Pace { ratio: 1.0, glide: Glide::rest(ONE), ahead: 0 }
    }

    /// Moves on by so many frames.
    fn advance(&mut self, frames: u32) {
        let gliding = self.glide.remaining().min(frames);
        let mut came = 0;
        for _ in 0..gliding {
            self.glide.advance(&mut came);
        }
        self.glide.count(gliding);
        let steady = u128::from(frames - gliding) * u128::from(self.glide.step());
        self.ahead += i128::from(came) + steady as i128 - (i128::from(frames) << 32);
    }
}

impl Buses {
    pub(super) fn pace(&self, bus: BusId) -> Pace {
        self.paces.get(bus.index()).copied().unwrap_or(Pace::own())
    }

    /// For how many frames a bus has moved: it stands still while the bus is paused.
    pub fn clock(&self, bus: BusId) -> u64 {
        self.clock - self.stood_still.get(bus.index()).copied().unwrap_or(0)
    }

    /// The time of a bus, in 2^-32 of a frame: how far everything on it has come.
    pub fn time(&self, bus: BusId) -> u128 {
        (i128::from(self.clock(bus)) << 32).saturating_add(self.pace(bus).ahead) as u128
    }

    /// For how many frames a bus must move, at the least, until its time has come: as many, if its pace
    /// stays as it is.
    pub fn frames_until(&self, bus: BusId, time: u128) -> u64 {
        let missing = time.saturating_sub(self.time(bus));
        let step = u128::from(self.pace(bus).glide.longest().max(1));
        u64::try_from(missing.div_ceil(step)).unwrap_or(u64::MAX)
    }

    /// Sets the speed of a bus, and with it the pace of all below it.
    pub fn set_speed(&mut self, id: BusId, speed: f32, over: u32) {
        if let Some(bus) = self.buses.get_mut(id.index()) {
            bus.speed = speed;
            self.set_paces(id, over);
        }
    }

    pub(super) fn set_paces(&mut self, id: BusId, over: u32) {
        for bus in self.tree.below(id).iter() {
            let ratio = self.tree.up(bus).fold(1.0, |pace, bus| pace * self.get(bus).speed);
            let Some(pace) = self.paces.get_mut(bus.index()) else { continue };
            if pace.ratio != ratio || over == 0 {
                pace.ratio = ratio;
                pace.glide.ramp_to(Glide::step_for(ratio, 1, 1), over, 0);
                self.paced.set(bus, pace.glide != Glide::rest(ONE));
            }
        }
    }

    pub(super) fn advance_paces(&mut self, frames: u32) {
        for bus in self.paced.iter() {
            let moved = self.way(bus).moving(frames);
            if let Some(pace) = self.paces.get_mut(bus.index()) {
                pace.advance(moved);
                let own = pace.glide == Glide::rest(ONE);
                self.paced.set(bus, !own);
            }
        }
    }
}
