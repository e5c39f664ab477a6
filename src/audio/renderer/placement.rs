//! Who gets a voice, who gives one up, who waits in silence for one, and who goes home.

use std::sync::atomic::Ordering::Relaxed;

use super::Renderer;
use crate::audio::kernel::Mix;
use crate::audio::plays::{Placement, Waiting};
use crate::audio::voice::Voice;
use crate::config::WhenFull;
use crate::event::Refusal;
use crate::link::message::{End, Park, QUANTUM, Report, Request, Start};
use crate::play::Priority;

/// How much louder than a voice a parked play must have become to take its place: 6 dB.
const MUCH_LOUDER: f32 = 1.995_262_3;

impl Renderer {
    /// A play has come: it starts now, or waits for its frame.
    pub(super) fn begin(&mut self, request: Request) {
        let (ticket, number) = (request.ticket, self.applied);
        if number <= self.stopped_up_to {
            return self.end(ticket, request.sound, self.now, End::Stopped);
        }
        self.plays.add(ticket, request.bus);
        let (at, bus_time) = match request.start {
            Start::At(frame) => (frame, 0),
            Start::After(0) => (self.now, 0),
            Start::After(frames) => {
                let bus_time = self.buses.clock(request.bus).saturating_add(frames);
                (self.now.saturating_add(frames), bus_time)
            }
        };
        if at <= self.now {
            self.start(request, number);
        } else if let Err(request) = self.plays.wait(request, number, at, bus_time) {
            self.end(ticket, request.sound, self.now, End::Refused(Refusal::ScheduleFull));
        }
    }

    /// The frame of a play that waited has come.
    pub(super) fn start_due(&mut self, Waiting { request, number, .. }: Waiting) {
        let (ticket, at) = (request.ticket, self.now);
        self.start(request, number);
        if let Placement::Playing(_) = self.plays.find(ticket) {
            self.notify(Report::Started { ticket, at });
        }
    }

    /// A play takes a free voice, if there is one. In a full pool, who cannot be heard parks and robs
    /// nobody; everybody else takes the place of whom the answer names; and where nobody may be
    /// robbed it parks, if it may, or is refused.
    fn start(&mut self, request: Request, number: u64) {
        let voice = Voice::new(request, number, &self.setup);
        if voice.is_over() {
            return self.end(voice.ticket, voice.into_sound(), self.now, End::Finished);
        }
        if self.plays.voices.has_room() {
            return self.activate(voice);
        }
        self.bridge.meters.full.fetch_add(1, Relaxed);
        let inaudible = voice.inaudible(&self.buses.way(voice.bus), &self.setup);
        // Who cannot be heard robs nobody, unless it must have a voice whatever happens.
        let may_steal = inaudible.is_none() || voice.priority == Priority::Protected;
        if may_steal
            && self.plays.voices.excess() == 0
            && let Some((slot, level)) = self.choose_victim(voice.priority, voice.when_full)
        {
            self.steal(slot, voice.ticket, level);
            return self.activate(voice);
        }
        match inaudible {
            Some(why) => self.park(voice, why, End::Refused(Refusal::Inaudible)),
            None => self.park_or_end(voice, Park::PoolFull, End::Refused(Refusal::PoolFull)),
        }
    }

    fn choose_victim(&mut self, priority: Priority, when_full: WhenFull) -> Option<(u32, f32)> {
        let quantum = self.now / QUANTUM as u64;
        self.plays.voices.choose_victim(priority, when_full, quantum, &self.buses, &self.setup)
    }

    /// Gives a voice's slot to another. `level` is the voice's own, before its bus.
    fn steal(&mut self, slot: u32, thief: u32, level: f32) {
        let Some(voice) = self.plays.voices.pool().at(slot) else { return };
        let way = self.buses.way(voice.bus);
        let level = level * way.level() * way.master_level();
        self.evict(slot, Park::Stolen { thief, level }, End::Stolen { thief, level });
    }

    /// Takes a voice's slot away, and lets the rest of it fade out behind it.
    fn evict(&mut self, slot: u32, park: Park, end: End) {
        self.leave_tail(slot);
        let Some(voice) = self.plays.voices.take(slot) else { return };
        if voice.is_stopping() {
            return self.end(voice.ticket, voice.into_sound(), self.now, End::Stopped);
        }
        if voice.stands_still(&self.buses.way(voice.bus)) {
            // It is inaudible, and loses nothing by waiting elsewhere.
            return self.park(voice, Park::Paused, end);
        }
        self.park_or_end(voice, park, end);
    }

    /// Parks a play that has no voice, if it may; else it ends.
    fn park_or_end(&mut self, voice: Voice, park: Park, end: End) {
        if voice.park {
            self.park(voice, park, end);
        } else {
            self.end(voice.ticket, voice.into_sound(), self.now, end);
        }
    }

    /// Parks a play, if there is room; else it ends.
    fn park(&mut self, voice: Voice, why: Park, end: End) {
        let (ticket, at) = (voice.ticket, self.now);
        match self.plays.park(voice, why, at, &self.buses) {
            Ok(()) => {
                self.bridge.meters.saw_parking(why);
                self.notify(Report::Parked { ticket, at, why });
            }
            Err(voice) => self.end(ticket, voice.into_sound(), at, end),
        }
    }

    /// Gives a voice a slot that is known to be free. Its age counts from here.
    fn activate(&mut self, mut voice: Voice) {
        let ticket = voice.ticket;
        voice.order = self.activated;
        self.activated += 1;
        if let Err(voice) = self.plays.activate(voice, &self.setup) {
            let why = End::Refused(Refusal::PoolFull);
            self.end(ticket, voice.into_sound(), self.now, why);
        }
        self.bridge.meters.saw_playing(self.plays.voices.len() as u32);
    }

    /// Mixes what remains of a voice into the tail, fading out, if there is anything to hear.
    pub(super) fn leave_tail(&mut self, slot: u32) {
        let Some(voice) = self.plays.voices.pool().at(slot) else { return };
        let way = self.buses.way(voice.bus);
        if !voice.is_sounding(&way) {
            return;
        }
        let scratch = &mut self.scratch;
        scratch.left.fill(0.0);
        scratch.right.fill(0.0);
        let mix = Mix { left: &mut scratch.left, right: &mut scratch.right };
        voice.fade_out_into(mix, &way, &self.setup, &mut scratch.curves);
        self.tail.add(&scratch.left, &scratch.right);
    }

    /// Lets the parked come back, loudest first: into free voices, and now and then by taking a
    /// place back. Who cannot be heard stays: it would take a voice for nothing.
    pub(super) fn unpark(&mut self) {
        let review = self.plays.parked.is_review(self.now);
        let free = self.plays.voices.has_room() && self.plays.parked.is_awake(self.now);
        if !review && !free {
            return;
        }
        self.plays.parked.rank_all(self.now, &self.buses, &self.setup);
        while self.plays.voices.has_room()
            && let Some((slot, _)) = self.plays.parked.loudest()
            && let Some(voice) = self.plays.parked.take(slot)
        {
            self.come_back(voice);
        }
        if review && self.plays.voices.excess() == 0 {
            self.take_back();
        }
    }

    fn come_back(&mut self, mut voice: Voice) {
        let (ticket, at) = (voice.ticket, self.now);
        voice.leave_parking(&self.setup);
        self.activate(voice);
        self.notify(Report::Unparked { ticket, at });
    }

    /// Lets those take a place back, loudest first, who have long been much louder than whom a
    /// newcomer of their priority would rob.
    fn take_back(&mut self) {
        while let Some((slot, level)) = self.plays.parked.loudest() {
            self.plays.parked.pass_over(slot);
            let Some(voice) = self.plays.parked.pool().at(slot).map(|parked| &parked.voice) else {
                break;
            };
            let (ticket, priority) = (voice.ticket, voice.priority);
            if voice.when_full == WhenFull::Refuse {
                continue;
            }
            let Some((victim, own)) = self.choose_victim(priority, WhenFull::StealQuietest) else {
                // Perhaps nobody can be robbed by anybody.
                match self.choose_victim(Priority::Protected, WhenFull::StealQuietest) {
                    Some(_) => continue,
                    None => break,
                }
            };
            let bus = self.plays.voices.pool().at(victim).map(|voice| voice.bus);
            let heard = bus.map_or(0.0, |bus| self.buses.way(bus).level());
            // Silence is no louder than silence. And whoever may rob anybody may rob this one, so
            // nobody who is quieter is loud enough.
            if level == 0.0 || level < MUCH_LOUDER * own * heard {
                break;
            }
            // It leaves first, so that its victim finds room to park.
            if self.plays.parked.note_louder(slot, self.now)
                && let Some(voice) = self.plays.parked.take(slot)
            {
                self.steal(victim, ticket, own);
                self.come_back(voice);
            }
        }
    }

    /// Carries on with a resize: lets those go that are too many, quietest first and never the
    /// protected, and moves once everybody fits.
    pub(super) fn settle(&mut self) {
        if !self.plays.voices.is_unsettled() {
            return;
        }
        while self.plays.voices.excess() > 0
            && let Some((slot, _)) = self.choose_victim(Priority::High, WhenFull::StealQuietest)
        {
            self.evict(slot, Park::Shrunk, End::Stopped);
        }
        if let Some(old) = self.plays.settle() {
            self.send_report(Report::Retired(old));
        }
    }
}
