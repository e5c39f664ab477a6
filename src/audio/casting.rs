//! Who gets a voice, who gives one up, who waits in silence for one, and who goes home.

use std::sync::atomic::Ordering::Relaxed;

use super::kernel::Mix;
use super::renderer::{Renderer, Seat};
use super::voice::Voice;
use crate::config::WhenFull;
use crate::message::{End, Park, QUANTUM, Refusal, Report, Request, Start};
use crate::play::Priority;

impl Renderer {
    /// A play has come: it begins now, or waits for its frame.
    pub(super) fn begin(&mut self, request: Request) {
        if self.obeyed <= self.stopped_up_to {
            return self.end(request.ticket, request.sound, self.now, End::Stopped);
        }
        let at = match request.start {
            Start::At(frame) => frame,
            Start::After(frames) => self.now.saturating_add(frames),
        };
        if at <= self.now {
            return self.claim(request, self.obeyed);
        }
        let ticket = request.ticket;
        match self.schedule.insert(request, self.obeyed, at) {
            Ok(slot) => self.set_seat(ticket, Seat::Waiting(slot)),
            Err(request) => {
                let why = End::Refused(Refusal::ScheduleFull);
                self.end(ticket, request.sound, self.now, why);
            }
        }
    }

    /// A play's frame has come: it takes a voice, at once and whatever that takes.
    pub(super) fn claim(&mut self, request: Request, number: u64) {
        let (ticket, priority, when_full) = (request.ticket, request.priority, request.when_full);
        let voice = Voice::new(request, number, self.begun, &self.setup);
        if voice.is_over() {
            return self.end(ticket, voice.sound, self.now, End::Finished);
        }
        self.begun += 1;
        if !self.voices.has_room() {
            self.bridge.meters.full.fetch_add(1, Relaxed);
            self.make_room(ticket, priority, when_full);
        }
        if !self.voices.has_room() {
            return self.park_or_end(voice, End::Refused(Refusal::PoolFull));
        }
        self.take_stage(voice);
    }

    /// Robs somebody for a newcomer, if there is anybody to be robbed.
    fn make_room(&mut self, thief: u32, priority: Priority, when_full: WhenFull) {
        let quantum = self.now / QUANTUM as u64;
        if self.voices.excess() == 0
            && let Some((slot, level)) = self.voices.whom(priority, when_full, quantum, &self.buses)
        {
            self.rob(slot, thief, level);
        }
    }

    fn rob(&mut self, slot: u32, thief: u32, level: f32) {
        let Some(bus) = self.voices.pool().at(slot).map(|voice| voice.bus) else { return };
        let level = level * self.buses.route(bus).master_level();
        self.dismiss(slot, End::Stolen { thief, level });
    }

    /// Takes a voice its slot, and lets the rest of it fade out behind it.
    fn dismiss(&mut self, slot: u32, why: End) {
        self.leave_tail(slot);
        let Some(voice) = self.voices.take(slot) else { return };
        if voice.is_stopping() {
            return self.end(voice.ticket, voice.sound, self.now, End::Stopped);
        }
        self.park_or_end(voice, why);
    }

    /// Parks a play that has no voice, if it may and there is room; else it ends.
    fn park_or_end(&mut self, mut voice: Voice, why: End) {
        let (ticket, at) = (voice.ticket, self.now);
        // Who is paused is inaudible, and loses nothing by waiting elsewhere.
        let held = voice.is_held(self.buses.route(voice.bus));
        let park = match why {
            End::Stopped => Park::Shrunk,
            _ if held => Park::Paused,
            End::Stolen { thief, level } => Park::Stolen { thief, level },
            End::Finished | End::Refused(_) => Park::PoolFull,
        };
        if !(voice.park || held) || self.parked.is_full() {
            return self.end(ticket, voice.sound, at, why);
        }
        voice.hush();
        match self.parked.insert(voice) {
            Ok(key) => {
                self.set_seat(ticket, Seat::Parked(key.slot() as u32));
                self.bridge.meters.saw_parking(park);
                self.notify(Report::Parked { ticket, at, why: park });
            }
            Err(voice) => self.end(ticket, voice.sound, at, why),
        }
    }

    /// Gives a voice a slot that is known to be free.
    fn take_stage(&mut self, voice: Voice) {
        let ticket = voice.ticket;
        match self.voices.insert(voice, &self.buses) {
            Ok(slot) => self.set_seat(ticket, Seat::Playing(slot)),
            Err(voice) => {
                let why = End::Refused(Refusal::PoolFull);
                self.end(ticket, voice.sound, self.now, why);
            }
        }
        self.bridge.meters.saw_playing(self.voices.len() as u32);
    }

    /// Mixes what is left of a voice into the tail, fading out, if there is anything to hear.
    pub(super) fn leave_tail(&mut self, slot: u32) {
        let Some(voice) = self.voices.pool().at(slot) else { return };
        let route = self.buses.route(voice.bus);
        if !voice.is_sounding(route) {
            return;
        }
        let scratch = &mut self.scratch;
        scratch.left.fill(0.0);
        scratch.right.fill(0.0);
        let mix = Mix { left: &mut scratch.left, right: &mut scratch.right };
        voice.leave(mix, route, &self.setup, &mut scratch.curves);
        self.tail.add(&scratch.left, &scratch.right);
    }

    /// Lets the parked come back, loudest first, as long as there are free voices. Who is paused
    /// stays: it would take a voice and not be heard.
    pub(super) fn unpark(&mut self) {
        if self.parked.is_empty() || !self.voices.has_room() {
            return;
        }
        for (key, voice) in self.parked.iter() {
            let route = self.buses.route(voice.bus);
            if let Some(level) = self.scratch.levels.get_mut(key.slot()) {
                *level = if voice.is_held(route) { ASLEEP } else { voice.level(route) };
            }
        }
        while self.voices.has_room()
            && let Some(slot) = self.loudest_parked()
            && let Some(mut voice) = self.parked.take(slot)
        {
            let (ticket, at) = (voice.ticket, self.now);
            voice.unhush(&self.setup);
            self.take_stage(voice);
            self.notify(Report::Unparked { ticket, at });
        }
    }

    fn loudest_parked(&self) -> Option<u32> {
        let mut loudest = None;
        for (key, _) in self.parked.iter() {
            let level = self.scratch.levels.get(key.slot()).copied().unwrap_or(ASLEEP);
            if level > loudest.map_or(ASLEEP, |(_, level)| level) {
                loudest = Some((key.slot() as u32, level));
            }
        }
        loudest.map(|(slot, _)| slot)
    }

    /// Carries on with a resize: lets those go that are too many, quietest first and never the
    /// protected, and moves once everybody fits.
    pub(super) fn settle(&mut self) {
        if !self.voices.is_unsettled() {
            return;
        }
        let quantum = self.now / QUANTUM as u64;
        while self.voices.excess() > 0
            && let Some((slot, _)) =
                self.voices.whom(Priority::High, WhenFull::StealQuietest, quantum, &self.buses)
        {
            self.dismiss(slot, End::Stopped);
        }
        let seats = &mut self.seats;
        let old = self.voices.settle(|voice, slot| {
            if let Some(seat) = seats.get_mut(voice.ticket as usize) {
                *seat = Seat::Playing(slot);
            }
        });
        if let Some(old) = old {
            self.send_home(Report::Retired(old));
        }
    }

    /// Ends every play there is.
    pub(super) fn end_everything(&mut self) {
        for ticket in 0..self.seats.len() as u32 {
            let seat = self.seat(ticket);
            if let Seat::Waiting(slot) = seat {
                if let Some(waiting) = self.schedule.take(slot) {
                    self.end(ticket, waiting.request.sound, self.now, End::Stopped);
                }
            } else if let Some(voice) = self.vacate(seat) {
                self.end(ticket, voice.sound, self.now, End::Stopped);
            }
        }
    }
}

/// The level of a parked voice that is not to come back yet: below every other.
const ASLEEP: f32 = -1.0;
