//! What is sent, on its way into a recording.

use std::collections::VecDeque;
use std::sync::Arc;

use super::outbox::Outbox;
use super::tickets::{Ticket, Tickets};
use crate::event::VoiceId;
use crate::link::message::{Change, Command, PlainCommand};
use crate::link::tape::{Entry, Tape};
use crate::link::wire::{Names, put_command};
use crate::target::{Tag, Target};

/// How many commands are kept until somebody records: a game that sets its buses first says no more.
const MOST_EARLY: usize = 1024;

/// Where commands go beside the queue.
pub(super) enum Recording {
    /// Nothing was played yet: kept, since somebody may record.
    Early(Vec<Entry>),
    On {
        tape: Arc<Tape>,
        /// How many were recorded, which is the number of the last one.
        count: u64,
        lost: Lost,
    },
    Off,
}

/// The plays that had no voice, or lost it, the last of them. With more voices they might have had one: then it counts
/// when they are told to stop.
#[derive(Default)]
pub(super) struct Lost {
    plays: VecDeque<LostPlay>,
    /// For which of them the next command is that is for nobody.
    meant: u64,
}

struct LostPlay {
    voice: VoiceId,
    tag: u64,
    number: u64,
}

/// How many of those are remembered.
const MOST_LOST: usize = 4096;

/// How many of them are told to stop in one call.
const MOST_TOLD: usize = 64;

impl Recording {
    pub fn new() -> Recording {
        Recording::Early(Vec::new())
    }

    /// Records from now on, and all that was said before. False: that is not known any more.
    pub fn start(&mut self, tape: &Arc<Tape>) -> bool {
        let Recording::Early(early) = self else { return false };
        let count = early.len() as u64;
        early.drain(..).for_each(|entry| tape.add(entry));
        *self = Recording::On { tape: tape.clone(), count, lost: Lost::default() };
        true
    }

    /// What is recorded of a command, if anything is.
    #[inline]
    pub fn entry(&mut self, command: &PlainCommand, tickets: &Tickets) -> Option<Entry> {
        if let Recording::Off = self { None } else { self.next_entry(command, tickets) }
    }

    #[cold]
    fn next_entry(&mut self, command: &PlainCommand, tickets: &Tickets) -> Option<Entry> {
        let is_play = matches!(command, Command::Play(_));
        let number = match self {
            Recording::Early(early) if is_play || early.len() == MOST_EARLY => None,
            Recording::Early(early) => Some(early.len() as u64 + 1),
            Recording::On { tape, count, .. } => Some(*count + 1).filter(|_| tape.takes_commands()),
            Recording::Off => None,
        };
        let Some(number) = number else {
            *self = Recording::Off;
            return None;
        };
        let held = match command {
            Command::Play(request) => tickets.get(request.ticket),
            _ => None,
        };
        let mut bytes = Vec::with_capacity(128);
        let what = held.map_or((0, 0), |held| (held.sound.media_number(), held.tag));
        let nobody = if let Recording::On { lost, .. } = self { lost.meant } else { 0 };
        put_command(command, what, &Known { tickets, nobody }, &mut bytes);
        Some(Entry { number, command: bytes.into(), sound: held.map(|held| held.sound.clone()) })
    }

    /// A play is over that had no voice, or lost it.
    pub fn note_loss(&mut self, voice: VoiceId, held: &Ticket) {
        let Recording::On { lost, .. } = self else { return };
        if lost.plays.len() == MOST_LOST {
            lost.plays.pop_front();
        }
        lost.plays.push_back(LostPlay { voice, tag: held.tag, number: held.number.get() });
    }

    /// Takes out the latest of those whom a target means: so many of them, by their numbers.
    #[cold]
    fn take_lost(&mut self, target: Target) -> Vec<u64> {
        let Recording::On { lost, .. } = self else { return Vec::new() };
        match target {
            Target::Voice(voice) => {
                let at = lost.plays.iter().rposition(|play| play.voice == voice);
                let taken = at.and_then(|at| lost.plays.remove(at));
                taken.map(|play| play.number).into_iter().collect()
            }
            Target::Tag(Tag(tag)) => {
                let meant = lost.plays.iter().rev().filter(|play| play.tag == tag);
                let meant: Vec<u64> = meant.map(|play| play.number).take(MOST_TOLD).collect();
                if !meant.is_empty() {
                    lost.plays.retain(|play| play.tag != tag);
                }
                meant
            }
            Target::Bus(_) | Target::Nothing => Vec::new(),
        }
    }

    /// Whom the next command is meant for that is for nobody.
    fn set_meant(&mut self, number: u64) {
        if let Recording::On { lost, .. } = self {
            lost.meant = number;
        }
    }

    /// Records what was placed.
    #[inline]
    pub fn add(&mut self, entry: Option<Entry>) {
        let Some(entry) = entry else { return };
        match self {
            Recording::Early(early) => early.push(entry),
            Recording::On { tape, count, .. } => {
                *count = entry.number;
                tape.add(entry);
            }
            Recording::Off => (),
        }
    }
}

/// The plays by their tickets, and who is meant by one that nobody has.
struct Known<'a> {
    tickets: &'a Tickets,
    nobody: u64,
}

impl Names for Known<'_> {
    fn number(&self, ticket: u32) -> u64 {
        self.tickets.get(ticket).map_or(self.nobody, |held| held.number.get())
    }
}

impl Outbox {
    /// Tells those to stop who are over, and would not be if they had not lost their voice: for a recording alone, each
    /// once, and not where there is little room.
    #[inline]
    pub fn stop_lost(&mut self, target: Target, change: Change, tickets: &Tickets) {
        if let Recording::On { tape, lost, .. } = self.recording()
            && let Change::Stop { .. } = change
            && !lost.plays.is_empty()
            && tape.takes_commands()
        {
            self.tell_lost(target, change, tickets);
        }
    }

    #[cold]
    fn tell_lost(&mut self, target: Target, change: Change, tickets: &Tickets) {
        for number in self.recording().take_lost(target) {
            if self.has_room_to_spare() {
                self.recording().set_meant(number);
                self.send(Command::Voice { ticket: u32::MAX, change }, tickets);
            }
        }
        self.recording().set_meant(0);
    }
}
