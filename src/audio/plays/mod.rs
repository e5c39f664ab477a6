//! Every play that the audio side has: with a voice, parked, or waiting for its frame; and by its
//! ticket, where it is.

mod cues;
mod earshot;
mod followers;
mod heaps;
mod limits;
mod lists;
mod parked;
mod placements;
mod ranks;
mod schedule;
mod streams;
mod tournament;
mod voices;

use super::bus::{BusSet, Buses};
use super::space::Space;
use super::voice::{Setup, Voice};
use crate::bus::BusId;
use crate::config::{Config, WhenFull};
use crate::link::message::{Cargo, CueTerms, Park, Request};
use crate::play::Priority;
use crate::pool::Pool;
pub(super) use cues::Last;
pub(super) use followers::Followers;
pub(super) use limits::Full;
pub(super) use parked::{Parked, ParkedPlays};
pub(super) use placements::Placement;
use placements::Placements;
pub(super) use schedule::{Schedule, Waiting};
use streams::StreamPlaces;
pub(super) use voices::{VoiceSlots, Voices};

/// The table of all plays. A play is in one place at a time, and its ticket says in which.
pub(super) struct Plays {
    pub voices: Voices,
    pub parked: ParkedPlays,
    pub streams: StreamPlaces,
    schedule: Schedule,
    followers: Followers,
    placements: Placements,
    /// Those who begin on this line once all its commands are known.
    arrivals: Pool<Voice>,
}

/// How many wait for the end of a line's commands. Should there be more, those who wait begin with what is known.
const MOST_ARRIVALS: usize = 64;

impl Plays {
    pub fn new(config: &Config) -> Plays {
        Plays {
            voices: Voices::new(config),
            parked: ParkedPlays::new(config.parked, config.sample_rate),
            streams: StreamPlaces::new(config.streams),
            schedule: Schedule::new(config.scheduled),
            followers: Followers::new(config.scheduled, config.tickets()),
            placements: Placements::new(config.tickets()),
            arrivals: Pool::new(MOST_ARRIVALS.min(config.commands)),
        }
    }

    // What is in the table.

    /// Where a ticket's play is.
    pub fn find(&self, ticket: u32) -> Placement {
        self.placements.get(ticket)
    }

    /// The number of the command that asked for the play in a place.
    pub fn number(&self, placement: Placement) -> Option<u64> {
        match placement {
            Placement::Playing(slot) => self.voices.pool().at(slot).map(|voice| voice.number),
            Placement::Parked(slot) => self.parked.pool().at(slot).map(|it| it.voice.number),
            Placement::Arriving(slot) => self.arrivals.at(slot).map(|voice| voice.number),
            Placement::Waiting(slot) => self.schedule.pool().at(slot).map(|it| it.number),
            Placement::Nowhere => None,
        }
    }

    /// All tickets there can be.
    pub fn tickets(&self) -> std::ops::Range<u32> {
        0..self.placements.tickets()
    }

    /// The first play on a bus that is not stopping yet. It is not found again.
    pub fn take_unstopped(&mut self, bus: BusId) -> Option<u32> {
        let ticket = self.placements.first_on(bus)?;
        self.placements.unlink(ticket);
        Some(ticket)
    }

    /// The first play on a bus that is not stopping yet, if a command before this one asked for it.
    pub fn first_unstopped(&self, bus: BusId, before: u64) -> Option<u32> {
        let ticket = self.placements.first_on(bus)?;
        self.number(self.find(ticket)).filter(|number| *number < before).map(|_| ticket)
    }

    /// Who follows whom.
    pub fn followers(&self) -> &Followers {
        &self.followers
    }

    pub fn followers_mut(&mut self) -> &mut Followers {
        &mut self.followers
    }

    /// The plays that wait, to be looked at.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// A request that still waits, to be edited.
    pub fn waiting_mut(&mut self, slot: u32) -> Option<&mut Request> {
        self.schedule.at_mut(slot).map(|waiting| &mut waiting.request)
    }

    /// Works out anew for which frames those wait whose buses' time goes at another pace now.
    pub fn reschedule(&mut self, now: u64, on: BusSet, buses: &Buses) {
        self.schedule.reschedule(now, on, buses);
    }

    /// Lets those wait for a frame again whose bus goes on by now.
    pub fn thaw(&mut self, now: u64, buses: &Buses) {
        self.schedule.thaw(now, buses);
    }

    /// The next play that need not wait any longer.
    pub fn take_due(&mut self, now: u64, buses: &Buses) -> Option<Waiting> {
        self.schedule.take_due(now, buses)
    }

    // What comes in, goes elsewhere, and leaves.

    /// A play has come, on a bus with which it can be stopped.
    pub fn add(&mut self, ticket: u32, bus: BusId) {
        self.placements.link(ticket, bus);
    }

    /// Lets a play wait, or gives it back if there is no room.
    pub fn wait(
        &mut self,
        request: Request,
        number: u64,
        at: u64,
        bus_time: u128,
    ) -> Result<(), Request> {
        let ticket = request.ticket;
        let slot = self.schedule.insert(request, number, at, bus_time)?;
        self.placements.set(ticket, Placement::Waiting(slot));
        Ok(())
    }

    /// Lets a play wait for another to finish, or gives it back if there is no room.
    pub fn wait_for(&mut self, request: Request, number: u64, leader: u32) -> Result<(), Request> {
        let ticket = request.ticket;
        let slot = self.schedule.insert_follower(request, number)?;
        self.placements.set(ticket, Placement::Waiting(slot));
        self.followers.follow(slot, leader);
        Ok(())
    }

    /// Takes out a play that waits.
    pub fn take_waiting(&mut self, slot: u32) -> Option<Waiting> {
        self.followers.leave(slot);
        self.schedule.take(slot)
    }

    /// Gives the slot of a voice to another. Returns the one that had it.
    #[allow(clippy::result_large_err, reason = "a box would allocate")]
    pub fn hand_on(&mut self, slot: u32, voice: Voice, setup: &Setup) -> Result<Voice, Voice> {
        let ticket = voice.ticket;
        let old = self.voices.hand_on(slot, voice, setup)?;
        self.placements.set(ticket, Placement::Playing(slot));
        Ok(old)
    }

    /// Gives a play a voice, or gives it back if there is none.
    #[inline(always)]
    #[allow(clippy::result_large_err, reason = "a box would allocate")]
    pub fn activate(&mut self, voice: Voice, setup: &Setup) -> Result<(), Voice> {
        let ticket = voice.ticket;
        let slot = self.voices.insert(voice, setup)?;
        self.placements.set(ticket, Placement::Playing(slot));
        Ok(())
    }

    /// Parks a play, or gives it back if there is no room.
    #[allow(clippy::result_large_err, reason = "a box would allocate")]
    pub fn park(
        &mut self,
        voice: Voice,
        why: Park,
        now: u64,
        buses: &Buses,
        space: &Space,
        setup: &Setup,
    ) -> Result<(), Voice> {
        let (ticket, is_stream) = (voice.ticket, voice.is_stream());
        let slot = self.parked.park(voice, why, now, buses, space, setup)?;
        if is_stream {
            self.streams.release(ticket);
        }
        self.placements.set(ticket, Placement::Parked(slot));
        Ok(())
    }

    /// Lets a play wait until all commands of this line are known, or gives it back if there is no room.
    #[allow(clippy::result_large_err, reason = "a box would allocate")]
    pub fn arrive(&mut self, voice: Voice) -> Result<(), Voice> {
        let ticket = voice.ticket;
        let slot = self.arrivals.insert(voice)?.slot() as u32;
        self.placements.set(ticket, Placement::Arriving(slot));
        Ok(())
    }

    /// Those who have arrived on this line, to be looked at.
    pub fn arrivals(&self) -> &Pool<Voice> {
        &self.arrivals
    }

    /// One who has arrived on this line.
    pub fn arrival_mut(&mut self, slot: u32) -> Option<&mut Voice> {
        self.arrivals.at_mut(slot)
    }

    /// Takes out the first of those who have arrived and are still there.
    pub fn next_arrival(&mut self) -> Option<Voice> {
        self.arrivals.take(self.arrivals.oldest()?)
    }

    /// Whom to steal for a newcomer of a cue, among those that play of it: its slot, and its level before
    /// its bus.
    pub fn choose_victim_of_cue(
        &mut self,
        terms: &CueTerms,
        priority: Priority,
        when_full: WhenFull,
        quantum: u64,
        buses: &Buses,
        setup: &Setup,
    ) -> Option<(u32, f32)> {
        let placements = &self.placements;
        let slot = |ticket: u32| match placements.get(ticket) {
            Placement::Playing(slot) => Some(slot),
            _ => None,
        };
        let voices = &mut self.voices;
        voices.choose_victim_of_cue(terms, slot, priority, when_full, quantum, buses, setup)
    }

    /// Moves into the pool of voices that waits, if everybody fits. Returns the old one.
    pub fn settle(&mut self) -> Option<Box<VoiceSlots>> {
        let placements = &mut self.placements;
        self.voices.settle(|voice, slot| placements.set(voice.ticket, Placement::Playing(slot)))
    }

    /// A play is stopping, so that its bus need not stop it any more, its cue does not count it, and nobody
    /// waits for its end.
    pub fn set_stopping(&mut self, ticket: u32) {
        self.voices.cues_mut().remove(ticket);
        self.placements.unlink(ticket);
        self.followers.abandon(ticket);
    }

    /// Takes a play out of its place, for good: its ticket, and all that it had brought along.
    pub fn take(&mut self, placement: Placement) -> Option<(u32, Cargo)> {
        let voice = match placement {
            Placement::Playing(slot) => self.voices.take(slot),
            Placement::Parked(slot) => self.parked.take(slot),
            Placement::Arriving(slot) => self.arrivals.take(slot),
            Placement::Waiting(slot) => {
                let request = self.take_waiting(slot)?.request;
                return Some((request.ticket, request.into_cargo()));
            }
            Placement::Nowhere => None,
        };
        voice.map(|voice| (voice.ticket, voice.into_cargo()))
    }

    /// A play is over: its ticket names nothing any more. Those that followed it are to begin if it has
    /// finished, and to end if not.
    pub fn forget(&mut self, ticket: u32, has_finished: bool) {
        self.placements.end(ticket);
        self.streams.release(ticket);
        self.followers.end(ticket, has_finished);
    }
}
