//! What is sent, on its way into a recording.

use std::sync::Arc;

use super::tickets::Tickets;
use crate::link::message::{Command, PlainCommand};
use crate::link::tape::{Entry, Tape};
use crate::link::wire::{Names, put_command};

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
    },
    Off,
}

impl Recording {
    pub fn new() -> Recording {
        Recording::Early(Vec::new())
    }

    /// Records from now on, and all that was said before. False: that is not known any more.
    pub fn start(&mut self, tape: &Arc<Tape>) -> bool {
        let Recording::Early(early) = self else { return false };
        let count = early.len() as u64;
        early.drain(..).for_each(|entry| tape.add(entry));
        *self = Recording::On { tape: tape.clone(), count };
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
            Recording::On { tape, count } => Some(*count + 1).filter(|_| tape.takes_commands()),
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
        put_command(command, what, tickets, &mut bytes);
        Some(Entry { number, command: bytes.into(), sound: held.map(|held| held.sound.clone()) })
    }

    /// Records what was placed.
    #[inline]
    pub fn add(&mut self, entry: Option<Entry>) {
        let Some(entry) = entry else { return };
        match self {
            Recording::Early(early) => early.push(entry),
            Recording::On { tape, count } => {
                *count = entry.number;
                tape.add(entry);
            }
            Recording::Off => (),
        }
    }
}

impl Names for Tickets {
    fn number(&self, ticket: u32) -> u64 {
        self.get(ticket).map_or(0, |held| held.number.get())
    }
}
