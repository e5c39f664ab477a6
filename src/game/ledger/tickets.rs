//! The live plays, by their tickets.

use crate::event::VoiceId;
use crate::play::{BusId, Priority};
use crate::pool::{Key, Pool};
use crate::sound::Sound;

/// A place for every play that can be live at once. A play holds its ticket from when it is accepted
/// until its ending was collected.
pub(super) struct Tickets {
    /// The mixer's number, which is part of every id.
    mixer: u32,
    pool: Pool<Ticket>,
}

/// What the game side knows of a live play. Its place in the pool is its ticket.
pub(super) struct Ticket {
    pub sound: Sound,
    pub tag: u64,
    pub bus: BusId,
    pub priority: Priority,
    pub number: Number,
}

/// The number of the command that asked for a play, in the six bytes that bus and priority leave of
/// a word: there are many tickets. At a million commands a second it wraps in nine years.
#[derive(Clone, Copy)]
pub(super) struct Number([u16; 3]);

impl Number {
    pub fn new(number: u64) -> Number {
        Number([number as u16, (number >> 16) as u16, (number >> 32) as u16])
    }

    pub fn get(self) -> u64 {
        let [low, middle, high] = self.0.map(u64::from);
        low | middle << 16 | high << 32
    }
}

impl Tickets {
    pub fn new(mixer: u32, tickets: usize) -> Tickets {
        Tickets { mixer, pool: Pool::new(tickets) }
    }

    /// How many plays are live.
    pub fn len(&self) -> usize {
        self.pool.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pool.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.pool.is_full()
    }

    /// Gives a play a ticket, if one is left.
    pub fn insert(&mut self, make: impl FnOnce() -> Ticket) -> Option<VoiceId> {
        let key = self.pool.insert_with(make)?;
        Some(self.id(key))
    }

    /// Takes a ticket back.
    pub fn take(&mut self, ticket: u32) -> Option<Ticket> {
        self.pool.take(ticket)
    }

    pub fn get(&self, ticket: u32) -> Option<&Ticket> {
        self.pool.at(ticket)
    }

    /// The ticket of the play that has been live for longest.
    pub fn oldest(&self) -> Option<u32> {
        self.pool.oldest()
    }

    /// The id of the play that holds a ticket.
    pub fn id_of(&self, ticket: u32) -> Option<VoiceId> {
        self.pool.key_at(ticket).map(|key| self.id(key))
    }

    /// The ticket of a play, if it is one of this mixer's and still live.
    pub fn find(&self, voice: VoiceId) -> Option<u32> {
        let key = Key::new(voice.ticket, voice.generation);
        (voice.mixer == self.mixer && self.pool.contains(key)).then_some(voice.ticket)
    }

    fn id(&self, key: Key) -> VoiceId {
        VoiceId { mixer: self.mixer, ticket: key.slot() as u32, generation: key.generation() }
    }
}
