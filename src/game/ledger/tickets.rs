//! The live plays, by their tickets.

use std::collections::HashMap;

use super::tags::TagIndex;
use crate::bus::BusId;
use crate::event::VoiceId;
use crate::link::message::{NamedPlay, Start};
use crate::play::Priority;
use crate::pool::{Key, Pool};
use crate::sound::Sound;
use crate::target::Tag;

/// A place for every play that can be live at once. A play holds its ticket from when it is accepted
/// until its ending was collected.
pub(super) struct Tickets {
    /// The mixer's number, which is part of every id.
    mixer: u32,
    pool: Pool<Ticket>,
    tags: TagIndex,
    on_bus: [u32; BusId::COUNT],
    /// Of each ticket, whether the last play that ended with it finished.
    finished: Box<[bool]>,
    /// How many others those name that came for others, and all of them together.
    names: HashMap<u32, usize>,
    named_by_all: usize,
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
        let (pool, tags) = (Pool::new(tickets), TagIndex::new(tickets));
        let (finished, names) = (vec![false; tickets].into_boxed_slice(), HashMap::new());
        let on_bus = [0; BusId::COUNT];
        Tickets { mixer, pool, tags, on_bus, finished, names, named_by_all: 0 }
    }

    /// How many plays are live.
    pub fn len(&self) -> usize {
        self.pool.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pool.is_empty()
    }

    /// How many plays are live on each bus, those on the ones below it not counted.
    pub fn on_bus(&self) -> &[u32; BusId::COUNT] {
        &self.on_bus
    }

    /// How many plays can be live.
    pub fn capacity(&self) -> usize {
        self.pool.capacity()
    }

    /// Gives a play a ticket, if one is left.
    #[inline]
    pub fn insert(&mut self, play: Ticket) -> Option<VoiceId> {
        let (tag, bus) = (play.tag, play.bus);
        let key = self.pool.insert_with(|| play)?;
        self.tags.insert(key.slot() as u32, tag);
        self.on_bus[bus.index()] += 1;
        Some(self.id(key))
    }

    /// Takes a ticket back.
    #[inline]
    pub fn take(&mut self, ticket: u32) -> Option<Ticket> {
        let held = self.pool.take(ticket)?;
        self.tags.remove(ticket);
        self.on_bus[held.bus.index()] -= 1;
        if self.named_by_all > 0 {
            self.named_by_all -= self.names.remove(&ticket).unwrap_or(0);
        }
        Some(held)
    }

    /// Whether a play may name so many others: all together no more than each play twice.
    pub fn may_name(&self, others: usize) -> bool {
        self.named_by_all + others <= 2 * self.capacity()
    }

    /// A play names so many others for whom it comes.
    pub fn note_names(&mut self, ticket: u32, others: usize) {
        if others > 0 {
            self.names.insert(ticket, others);
            self.named_by_all += others;
        }
    }

    /// The play that holds a ticket is over: whether it finished is known until the next that holds it is.
    pub fn note_end(&mut self, ticket: u32, has_finished: bool) {
        if let Some(finished) = self.finished.get_mut(ticket as usize) {
            *finished = has_finished;
        }
    }

    /// When a play begins that is to follow another.
    pub fn start_after(&self, leader: VoiceId) -> Start {
        let generation = self.pool.generation_at(leader.ticket);
        let Some(generation) = generation.filter(|_| leader.mixer == self.mixer) else {
            return Start::Stranger;
        };
        // How often the ticket was given out or taken back since: live plays have odd generations.
        let since = generation.wrapping_sub(leader.generation).cast_signed();
        match since {
            _ if leader.generation.is_multiple_of(2) || since < 0 => Start::Stranger,
            0 => Start::Follow { leader: leader.ticket },
            1 | 2 if self.finished.get(leader.ticket as usize) == Some(&false) => Start::Orphan,
            _ => Start::After(0),
        }
    }

    /// The name of the play that holds a ticket, for as long as anybody may remember it.
    pub fn named(&self, ticket: u32) -> Option<NamedPlay> {
        Some(NamedPlay { ticket, number: self.get(ticket)?.number.get() })
    }

    /// The tickets of all plays with a tag, in the order in which they were accepted.
    pub fn tagged(&self, Tag(tag): Tag) -> impl Iterator<Item = u32> {
        let has_tag = move |ticket: &u32| self.get(*ticket).is_some_and(|held| held.tag == tag);
        self.tags.ring(tag).filter(has_tag)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_that_share_a_ring_are_told_apart() {
        let sound = Sound::from_mono(4, &[1.0]).unwrap();
        let mut tickets = Tickets::new(0, 8);
        let mut insert = |tag| {
            let (bus, priority) = (BusId::MASTER, Priority::Normal);
            let number = Number::new(1);
            let play = Ticket { sound: sound.clone(), tag, bus, priority, number };
            tickets.insert(play).unwrap().ticket
        };
        // There are four rings for them.
        let all: Vec<(u64, u32)> = (1..9).map(|tag| (tag, insert(tag))).collect();
        assert!(all.iter().any(|(tag, _)| tickets.tags.ring(*tag).count() > 1));
        for (tag, ticket) in all {
            assert!(tickets.tagged(Tag(tag)).eq([ticket]));
        }
    }

    #[test]
    fn how_a_leader_ended_is_known_until_its_ticket_was_given_to_two_others() {
        let sound = Sound::from_mono(4, &[1.0]).unwrap();
        let mut tickets = Tickets::new(7, 1);
        let play = |tickets: &mut Tickets, finishes: Option<bool>| {
            let (bus, priority, number) = (BusId::MASTER, Priority::Normal, Number::new(1));
            let voice =
                tickets.insert(Ticket { sound: sound.clone(), tag: 0, bus, priority, number });
            if let Some(finishes) = finishes {
                tickets.note_end(0, finishes);
                tickets.take(0);
            }
            voice.unwrap()
        };
        let live = play(&mut tickets, None);
        assert!(matches!(tickets.start_after(live), Start::Follow { leader: 0 }));
        tickets.note_end(0, true);
        tickets.take(0);
        assert!(matches!(tickets.start_after(live), Start::After(0)));
        let stopped = play(&mut tickets, Some(false));
        assert!(matches!(tickets.start_after(stopped), Start::Orphan));
        let other = play(&mut tickets, None);
        assert!(matches!(tickets.start_after(stopped), Start::Orphan), "the ticket is another's");
        tickets.note_end(0, false);
        tickets.take(0);
        assert!(matches!(tickets.start_after(other), Start::Orphan));
        assert!(matches!(tickets.start_after(stopped), Start::After(0)), "it is forgotten");
        for stranger in [
            VoiceId { mixer: 8, ..other },
            VoiceId { ticket: 1, ..other },
            VoiceId { generation: other.generation + 2, ..other },
            VoiceId { generation: other.generation - 1, ..other },
        ] {
            assert!(matches!(tickets.start_after(stranger), Start::Stranger), "{stranger:?}");
        }
    }

    #[test]
    fn numbers_of_commands_come_back_whole() {
        for number in [0, 1, 0xffff_ffff, 0x1234_5678_9abc, (1 << 48) - 1] {
            assert_eq!(Number::new(number).get(), number);
        }
    }
}
