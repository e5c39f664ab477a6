//! The voices of the pool, and whom to steal.

use super::knockout::Knockout;
use super::master::Buses;
use super::voice::Voice;
use crate::config::WhenFull;
use crate::play::Priority;
use crate::pool::Pool;

/// A pool of voices, and their ranks among those that may be stolen. Made and freed on the game
/// side.
pub(crate) struct Berths {
    voices: Pool<Voice>,
    ranks: Knockout<Rank>,
}

impl Berths {
    pub fn new(voices: usize) -> Berths {
        Berths { voices: Pool::new(voices), ranks: Knockout::new(voices) }
    }
}

/// Who goes first: those of a lower priority; among these, the quieter; among these, the older.
/// (Floats that are not negative compare as their bits do.)
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    priority: Priority,
    /// The level, as far as it counts: where it goes by age alone, all are alike.
    loudness: u32,
    order: u64,
    level: u32,
}

impl Rank {
    /// The rank of a voice, unless it must not be stolen.
    fn of(voice: &Voice, by_age: bool, buses: &Buses) -> Option<Rank> {
        if voice.priority == Priority::Protected && !voice.is_stopping() {
            return None;
        }
        let level = voice.level(buses.route(voice.bus)).max(0.0).to_bits();
        let loudness = if by_age { 0 } else { level };
        Some(Rank { priority: voice.priority, loudness, order: voice.order, level })
    }
}

/// The voices that sound.
pub(super) struct Voices {
    berths: Box<Berths>,
    /// Where they will move once they are few enough, on the way to a smaller pool.
    next: Option<Box<Berths>>,
    limit: usize,
    /// The quantum in which the ranks were last worked out.
    ranked: Option<u64>,
    /// Whether they go by age alone.
    by_age: bool,
}

impl Voices {
    pub fn new(voices: usize) -> Voices {
        let berths = Box::new(Berths::new(voices));
        Voices { berths, next: None, limit: voices, ranked: None, by_age: false }
    }

    pub fn len(&self) -> usize {
        self.berths.voices.len()
    }

    /// How many there may be.
    pub fn limit(&self) -> usize {
        self.limit
    }

    pub fn has_room(&self) -> bool {
        self.len() < self.limit && !self.berths.voices.is_full()
    }

    pub fn pool(&self) -> &Pool<Voice> {
        &self.berths.voices
    }

    pub fn at_mut(&mut self, slot: u32) -> Option<&mut Voice> {
        self.berths.voices.at_mut(slot)
    }

    /// Gives a voice a slot, or gives it back.
    #[allow(clippy::result_large_err, reason = "a box would allocate")]
    pub fn insert(&mut self, voice: Voice, buses: &Buses) -> Result<u32, Voice> {
        let slot = self.berths.voices.insert(voice)?.slot() as u32;
        self.rank(slot, buses);
        Ok(slot)
    }

    pub fn take(&mut self, slot: u32) -> Option<Voice> {
        self.berths.ranks.set(slot, None);
        self.berths.voices.take(slot)
    }

    /// Ranks one voice anew, after something about it has changed.
    pub fn rank(&mut self, slot: u32, buses: &Buses) {
        let Berths { voices, ranks } = &mut *self.berths;
        if let Some(voice) = voices.at(slot).filter(|_| self.ranked.is_some()) {
            ranks.set(slot, Rank::of(voice, self.by_age, buses));
        }
    }

    /// Whom to steal for a newcomer of some priority: its slot, and how loud it is.
    ///
    /// Only those whose priority is not above the newcomer's, and nobody who is protected, unless
    /// already stopping. Of these the lowest priority, and there the quietest to the ear over the
    /// coming 50 ms. On a tie the oldest, so that replays agree. `StealOldest` asks for age in
    /// place of loudness. A newcomer never loses to its equals, however quiet it is.
    pub fn whom(
        &mut self,
        priority: Priority,
        when_full: WhenFull,
        quantum: u64,
        buses: &Buses,
    ) -> Option<(u32, f32)> {
        if when_full == WhenFull::Refuse {
            return None;
        }
        let by_age = when_full == WhenFull::StealOldest;
        let Berths { voices, ranks } = &mut *self.berths;
        if self.ranked == Some(quantum) && self.by_age != by_age {
            // The levels have been asked for, and count anew or no more.
            ranks.change_all(|rank| rank.loudness = if by_age { 0 } else { rank.level });
        }
        self.by_age = by_age;
        if self.ranked != Some(quantum) {
            self.ranked = Some(quantum);
            for (key, voice) in voices.iter() {
                ranks.seed(key.slot() as u32, Rank::of(voice, by_age, buses));
            }
            ranks.play_all();
        }
        let (slot, rank) = ranks.least().filter(|(_, rank)| rank.priority <= priority)?;
        Some((slot, f32::from_bits(rank.level)))
    }

    /// Takes up a bigger or a smaller pool. Returns one that had been meant for it before, if
    /// that was never used.
    pub fn resize(&mut self, berths: Box<Berths>) -> Option<Box<Berths>> {
        self.limit = berths.voices.capacity();
        self.next.replace(berths)
    }

    /// How many are too many.
    pub fn excess(&self) -> usize {
        self.len().saturating_sub(self.limit)
    }

    /// Moves into the pool that waits, if everybody fits. Returns the old one. `moved` hears of
    /// every voice that got another slot.
    pub fn settle(&mut self, moved: impl FnMut(&Voice, u32)) -> Option<Box<Berths>> {
        let mut other = self.next.take()?;
        if !self.berths.voices.move_into(&mut other.voices, moved) {
            self.next = Some(other);
            return None;
        }
        std::mem::swap(&mut self.berths.ranks, &mut other.ranks);
        self.ranked = None;
        Some(other)
    }

    /// Whether a pool still waits to be moved into.
    pub fn is_unsettled(&self) -> bool {
        self.next.is_some()
    }
}
