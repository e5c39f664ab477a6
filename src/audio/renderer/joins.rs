//! Plays that follow one another, and plays that come for others.
//!
//! A play that follows another begins on the frame on which that one finishes, so a pass is cut there, as it is
//! where any play begins. For that the frame must be known before it is mixed: each leader is asked on every
//! line, and when it gets or loses its voice in between.

use super::Renderer;
use crate::audio::PASS;
use crate::audio::plays::{Placement, Waiting};
use crate::audio::space::Spot;
use crate::audio::voice::Voice;
use crate::audio::voice::fade::Curve;
use crate::link::message::{Change, Crossfade, End, Leaving, NamedPlay, Refused, Report, Request};

impl Renderer {
    /// A play has come that is to follow another: it begins at once if that one has finished, and ends if that
    /// one never will, be it over or stopping.
    pub(super) fn begin_after(&mut self, leader: u32, request: Request, number: u64) {
        let (ticket, at) = (request.ticket, self.now);
        let placement = self.plays.find(leader);
        if placement == Placement::Nowhere {
            if self.plays.followers().has_finished(leader) {
                return self.begin_here(request, number);
            }
            return self.end(ticket, request.into_cargo(), at, End::Stopped);
        }
        if let Placement::Playing(slot) = placement
            && self.plays.voices.pool().at(slot).is_some_and(Voice::is_stopping)
        {
            return self.end(ticket, request.into_cargo(), at, End::Stopped);
        }
        if let Err(request) = self.plays.wait_for(request, number, leader) {
            self.end(ticket, request.into_cargo(), at, End::Refused(Refused::ScheduleFull));
        }
    }

    /// Those begin whose leader has finished, and those end whose leader never will: now, before anything else
    /// happens.
    #[inline]
    pub(super) fn follow_on(&mut self) {
        if !self.plays.followers().are_settled() {
            self.settle_followers();
        }
    }

    /// Each step takes one of those who waited out, so there are no more than these.
    #[inline(never)]
    fn settle_followers(&mut self) {
        loop {
            if let Some(slot) = self.plays.followers_mut().take_orphan() {
                self.end_at(Placement::Waiting(slot), End::Stopped);
            } else if let Some(slot) = self.plays.followers_mut().take_ready() {
                let due = self.plays.take_waiting(slot);
                due.into_iter().for_each(|due| self.start_due(due));
            } else {
                return;
            }
        }
    }

    /// Ends a voice that has finished, and gives its slot to the first play that follows it, if there is one
    /// that may have it. Returns whether it did.
    pub(super) fn hand_on(&mut self, slot: u32, at: u64) -> bool {
        let leader = self.plays.voices.pool().at(slot).map(|voice| voice.ticket);
        let Some(mut heir) = leader.and_then(|leader| self.take_heir(slot, leader)) else {
            return false;
        };
        if heir.is_over() {
            // It has nothing to play, so that it needs no slot.
            if let Some((ticket, cargo)) = self.plays.take(Placement::Playing(slot)) {
                self.end(ticket, cargo, at, End::Finished);
            }
            self.end(heir.ticket, heir.into_cargo(), self.now, End::Finished);
            return true;
        }
        let ticket = heir.ticket;
        self.note_begin(&heir);
        self.set_out(&mut heir);
        match self.plays.hand_on(slot, heir, &self.setup) {
            Ok(old) => {
                self.end(old.ticket, old.into_cargo(), at, End::Finished);
                self.notify(Report::Started { ticket, at: self.now });
                self.foresee(ticket);
            }
            Err(heir) => self.end(ticket, heir.into_cargo(), self.now, End::Stopped),
        }
        true
    }

    /// Takes out the first play that follows one in a slot, if it may have that slot. Nobody is asked for it but
    /// those who would have a say if the voice were free: its cue, and where it plays on another bus, the limits
    /// and reserves. Should one of them say no, or should it be out of earshot, it begins as any newcomer does;
    /// and so does one for which others fade out, which may end some of them, once all endings are through.
    fn take_heir(&mut self, slot: u32, leader: u32) -> Option<Voice> {
        let waiting = self.plays.followers().first(leader)?;
        let request = &self.plays.schedule().pool().at(waiting)?.request;
        let (bus, cue, placed) = (request.bus, request.cue(), request.placed());
        let is_far = placed
            .is_some_and(|placed| Spot::new(placed, self.now).heard(self.space.ears()).is_silent);
        let comes_for_others = request.crossfade().is_some();
        self.plays.voices.cues_mut().remove(leader);
        if is_far
            || comes_for_others
            || self.is_cue_full(cue)
            || cue.is_some_and(|terms| self.recent(&terms).is_some())
            || !self.plays.voices.may_have(slot, bus, &self.setup)
        {
            return None;
        }
        let Waiting { request, number, .. } = self.plays.take_waiting(waiting)?;
        let mut voice = self.voice(request, number);
        voice.settle_place(&self.space);
        Some(voice)
    }

    // When leaders finish.

    /// Asks all who are followed when they finish.
    pub(super) fn foresee_all(&mut self) {
        let mut walk = self.plays.followers().leaders().walk();
        while let Some(slot) = walk.next(self.plays.followers().leaders()) {
            let leader = self.plays.followers().leaders().at(slot);
            leader.map(|leader| leader.ticket).into_iter().for_each(|it| self.foresee(it));
        }
    }

    /// Works out when a play finishes, if it is followed.
    pub(super) fn foresee(&mut self, ticket: u32) {
        if self.plays.followers().leads(ticket) {
            let at = self.finishes_at(ticket).unwrap_or(u64::MAX);
            self.plays.followers_mut().set_finish(ticket, at);
        }
    }

    /// The frame on which a play finishes, if it does within a pass.
    fn finishes_at(&self, ticket: u32) -> Option<u64> {
        let after = match self.plays.find(ticket) {
            Placement::Playing(slot) => {
                let voice = self.plays.voices.pool().at(slot)?;
                voice.finishes_within(PASS as u32, &self.buses.way(voice.bus))
            }
            Placement::Parked(slot) => self.plays.parked.ends_after(slot, PASS as u32, &self.buses),
            _ => None,
        };
        Some(self.now + u64::from(after?))
    }

    // Cross-fades.

    /// A play has begun that came for others: these fade out. If it was turned down, they play on.
    pub(super) fn fade_others_out(&mut self, ticket: u32) {
        let Some(number) = self.plays.number(self.plays.find(ticket)) else { return };
        let Some(Crossfade { from, over }) = self.crossfade(ticket) else { return };
        let over = *over;
        if let Leaving::Bus(bus) = *from {
            for bus in self.plays.voices.limits().tree().below(bus).iter() {
                while let Some(other) = self.plays.first_unstopped(bus, number) {
                    self.fade_out(other, over);
                }
            }
        }
        let mut index = 0;
        while let Some(other) = self.leaving(ticket, index) {
            if self.plays.number(self.plays.find(other.ticket)) == Some(other.number) {
                self.fade_out(other.ticket, over);
            }
            index += 1;
        }
    }

    fn crossfade(&self, ticket: u32) -> Option<&Crossfade> {
        match self.plays.find(ticket) {
            Placement::Playing(slot) => self.plays.voices.pool().at(slot)?.crossfade(),
            Placement::Parked(slot) => self.plays.parked.pool().at(slot)?.voice.crossfade(),
            _ => None,
        }
    }

    /// One of those for whom a play has come.
    fn leaving(&self, ticket: u32, index: usize) -> Option<NamedPlay> {
        match &self.crossfade(ticket)?.from {
            Leaving::Plays(plays) => plays.get(index).copied(),
            Leaving::Bus(_) => None,
        }
    }

    /// Stops a play as a cross-fade does.
    fn fade_out(&mut self, ticket: u32, over: u32) {
        match self.plays.find(ticket) {
            Placement::Playing(slot) => self.stop_playing(slot, over, Curve::EqualPower),
            _ => self.change(ticket, Change::Stop { fade: over }),
        }
    }
}
