//! What comes back from the audio side, and what the game is told of it.

use std::sync::Arc;

use super::tickets::Tickets;
use crate::bus::BusId;
use crate::event::{Ending, Event, Parking, Refusal, VoiceId};
use crate::game::deferred_drops::DeferredDrops;
use crate::game::event_queue::EventQueue;
use crate::link::message::{Cargo, End, Ended, Park, Refused};
use crate::sound::Sound;
use crate::stats::Stats;

/// The events that the game has not asked for yet, and how many plays ended which way.
pub(super) struct Inbox {
    events: EventQueue,
    finished: u64,
    stopped: u64,
    stolen: u64,
    refused: u64,
    loudest_stolen: f32,
    theft_logged: bool,
    distance_logged: bool,
    losses: [Losses; BusId::COUNT],
}

/// How often a voice of a bus was given to another, and how loud the loudest was.
#[derive(Clone, Copy, Default)]
pub(super) struct Losses {
    pub stolen: u64,
    pub loudest: f32,
}

impl Losses {
    fn add(&mut self, level: f32) {
        self.stolen += 1;
        self.loudest = self.loudest.max(level);
    }
}

impl Inbox {
    pub fn new(events: usize) -> Inbox {
        Inbox {
            events: EventQueue::new(events),
            finished: 0,
            stopped: 0,
            stolen: 0,
            refused: 0,
            loudest_stolen: 0.0,
            theft_logged: false,
            distance_logged: false,
            losses: [Losses::default(); BusId::COUNT],
        }
    }

    pub fn events(&mut self) -> &mut EventQueue {
        &mut self.events
    }

    /// Adds an event. If there are as many as may be, the oldest goes.
    pub fn push_event(&mut self, event: Event) {
        self.events.make_room();
        self.events.push(event);
    }

    /// Counts an ending, takes the ticket back, and tells the game.
    pub fn record_end(
        &mut self,
        Ended { why, ticket, at, cargo: Cargo { sound, extra } }: Ended,
        tickets: &mut Tickets,
        voices: usize,
        drops: &mut DeferredDrops,
    ) {
        // Small and plain, so that it need not wait until the ledger is unlocked.
        drop(extra);
        let Some(voice) = tickets.id_of(ticket) else { return drops.add_sound(sound) };
        if let End::Stolen { level, .. } = why
            && let Some(held) = tickets.get(ticket)
        {
            self.losses[held.bus.index()].add(level);
        }
        let why = match why {
            End::Finished => {
                self.finished += 1;
                Ending::Finished
            }
            End::Stopped => {
                self.stopped += 1;
                Ending::Stopped
            }
            End::Refused(why) => {
                self.refused += 1;
                Ending::Refused { why: refusal(why, voice, tickets) }
            }
            End::Stolen { thief, level } => {
                self.stolen += 1;
                self.loudest_stolen = self.loudest_stolen.max(level);
                if !self.theft_logged {
                    self.log_theft(thief, &sound, level, tickets, voices, drops);
                }
                let (by, by_tag) = name_thief(thief, voice, tickets);
                Ending::Stolen { by, by_tag, level }
            }
        };
        let name = sound.shared_name();
        if let Some(why) = sound.feed().and_then(|feed| feed.fault())
            && let Some(held) = tickets.get(ticket)
        {
            let why: Arc<str> = why.into();
            drops.log_stream(&sound, why.clone());
            self.push_event(Event::StreamFailed { voice, tag: held.tag, why });
        }
        tickets.note_end(ticket, why == Ending::Finished);
        // The ticket's hold on the sound is never the last: this is the same one.
        drops.add_sound(sound);
        let Some(ticket) = tickets.take(ticket) else { return };
        self.events.make_room();
        self.events.push(Event::Ended { voice, tag: ticket.tag, name, at, why });
    }

    /// Tells the game that a play has parked.
    pub fn record_parking(
        &mut self,
        ticket: u32,
        at: u64,
        why: Park,
        tickets: &Tickets,
        voices: usize,
        drops: &mut DeferredDrops,
    ) {
        let Some((voice, held)) = tickets.id_of(ticket).zip(tickets.get(ticket)) else { return };
        if let Park::Stolen { thief, level } = why {
            self.losses[held.bus.index()].add(level);
            if !self.theft_logged {
                self.log_theft(thief, &held.sound, level, tickets, voices, drops);
            }
        }
        if let Park::OutOfEarshot { distance, far } = why
            && !self.distance_logged
        {
            self.distance_logged = true;
            drops.log_distance(&held.sound, distance, far);
        }
        let why = match why {
            Park::Stolen { thief, level } => {
                let (by, by_tag) = name_thief(thief, voice, tickets);
                Parking::Stolen { by, by_tag, level }
            }
            Park::Paused => Parking::Paused,
            Park::Inaudible | Park::OutOfEarshot { .. } | Park::LeftEarshot => Parking::Inaudible,
            Park::Shrunk => Parking::Shrunk,
            Park::PoolFull => Parking::PoolFull,
            Park::BusFull => Parking::BusFull,
            Park::CueFull => Parking::CueFull,
        };
        self.push_event(Event::Parked { voice, tag: held.tag, at, why });
    }

    /// Tells the game that a parked play has a voice again.
    pub fn record_unparking(&mut self, ticket: u32, at: u64, tickets: &Tickets) {
        if let Some((voice, held)) = tickets.id_of(ticket).zip(tickets.get(ticket)) {
            self.push_event(Event::Unparked { voice, tag: held.tag, at });
        }
    }

    /// Tells the game that a play that waited for its frame has begun.
    pub fn record_start(&mut self, ticket: u32, at: u64, tickets: &Tickets) {
        if let Some((voice, held)) = tickets.id_of(ticket).zip(tickets.get(ticket)) {
            self.push_event(Event::Started { voice, tag: held.tag, at });
        }
    }

    /// Tells the game that a stream was not read in time.
    pub fn record_underrun(
        &mut self,
        ticket: u32,
        at: u64,
        tickets: &Tickets,
        drops: &mut DeferredDrops,
    ) {
        if let Some((voice, held)) = tickets.id_of(ticket).zip(tickets.get(ticket)) {
            self.push_event(Event::Underrun { voice, tag: held.tag, at });
            drops.log_underrun(&held.sound);
        }
    }

    /// How the plays ended, and how many events nobody asked for in time.
    pub fn stats(&self) -> Stats {
        Stats {
            finished: self.finished,
            stopped: self.stopped,
            stolen: self.stolen,
            refused: self.refused,
            loudest_stolen: self.loudest_stolen,
            missed_events: self.events.missed(),
            ..Stats::default()
        }
    }

    /// What was stolen from some buses together.
    pub fn losses(&self, buses: impl Iterator<Item = BusId>) -> Losses {
        buses.map(|bus| self.losses[bus.index()]).fold(Losses::default(), |all, bus| Losses {
            stolen: all.stolen + bus.stolen,
            loudest: all.loudest.max(bus.loudest),
        })
    }

    pub fn reset_peaks(&mut self) {
        self.loudest_stolen = 0.0;
        self.losses.iter_mut().for_each(|losses| losses.loudest = 0.0);
    }

    #[cold]
    fn log_theft(
        &mut self,
        thief: u32,
        victim: &Sound,
        level: f32,
        tickets: &Tickets,
        voices: usize,
        drops: &mut DeferredDrops,
    ) {
        if let Some(thief) = tickets.get(thief) {
            self.theft_logged = true;
            drops.log_theft(voices, &thief.sound, victim, level);
        }
    }
}

/// Why a play could not begin, in the game's terms. The play that another went into is named as a thief
/// is.
fn refusal(why: Refused, voice: VoiceId, tickets: &Tickets) -> Refusal {
    match why {
        Refused::PoolFull => Refusal::PoolFull,
        Refused::BusFull => Refusal::BusFull,
        Refused::CueFull => Refusal::CueFull,
        Refused::Cooldown => Refusal::Cooldown,
        Refused::Merged { into } => Refusal::Merged { into: tickets.id_of(into).unwrap_or(voice) },
        Refused::ScheduleFull => Refusal::ScheduleFull,
        Refused::NoStream => Refusal::NoStream,
        Refused::Inaudible => Refusal::Inaudible,
        Refused::Stranger => Refusal::Stranger,
    }
}

/// The thief's id and tag by its ticket, which still means it; the victim's own should that ever be
/// untrue.
fn name_thief(thief: u32, victim: VoiceId, tickets: &Tickets) -> (VoiceId, u64) {
    (tickets.id_of(thief).unwrap_or(victim), tickets.get(thief).map_or(0, |held| held.tag))
}
