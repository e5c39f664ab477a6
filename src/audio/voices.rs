//! The voices of the pool, and whom to steal.

use super::master::Buses;
use super::voice::Voice;
use crate::config::WhenFull;
use crate::play::Priority;
use crate::pool::Pool;

/// A pool of voices, and each one's rank among those that may be stolen. Made and freed on the
/// game side.
pub(crate) struct Berths {
    voices: Pool<Voice>,
    ranks: Box<[u64]>,
}

impl Berths {
    pub fn new(voices: usize) -> Berths {
        Berths { voices: Pool::new(voices), ranks: vec![UNRANKED; voices].into_boxed_slice() }
    }
}

/// The rank of a slot that is free, or whose voice must not be stolen.
const UNRANKED: u64 = u64::MAX;

/// Those of a lower priority go first; among these, the quieter. (Floats that are not negative
/// compare as their bits do.)
fn rank(voice: &Voice, level: f32) -> u64 {
    if voice.priority == Priority::Protected && !voice.is_stopping() {
        return UNRANKED;
    }
    (voice.priority as u64) << 32 | u64::from(level.max(0.0).to_bits())
}

/// The voices that sound.
pub(super) struct Voices {
    berths: Box<Berths>,
    /// Where they will move once they are few enough, on the way to a smaller pool.
    next: Option<Box<Berths>>,
    limit: usize,
    /// The quantum in which the ranks were last worked out.
    ranked: Option<u64>,
}

impl Voices {
    pub fn new(voices: usize) -> Voices {
        Voices { berths: Box::new(Berths::new(voices)), next: None, limit: voices, ranked: None }
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
        if self.ranked.is_some() {
            self.rank(slot, buses);
        }
        Ok(slot)
    }

    pub fn take(&mut self, slot: u32) -> Option<Voice> {
        if let Some(rank) = self.berths.ranks.get_mut(slot as usize) {
            *rank = UNRANKED;
        }
        self.berths.voices.take(slot)
    }

    /// Ranks one voice anew, after something about it has changed.
    pub fn rank(&mut self, slot: u32, buses: &Buses) {
        let Berths { voices, ranks } = &mut *self.berths;
        if let (Some(voice), Some(held)) = (voices.at(slot), ranks.get_mut(slot as usize)) {
            *held = rank(voice, voice.level(buses.route(voice.bus)));
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
        if self.ranked != Some(quantum) {
            self.ranked = Some(quantum);
            let mut next = self.berths.voices.oldest();
            while let Some(slot) = next {
                next = self.berths.voices.younger(slot);
                self.rank(slot, buses);
            }
        }
        let Berths { voices, ranks } = &*self.berths;
        let lowest = *ranks.iter().min()?;
        if lowest == UNRANKED || lowest >> 32 > priority as u64 {
            return None;
        }
        let by_age = when_full == WhenFull::StealOldest;
        let alike = |rank: &u64| {
            if by_age { *rank != UNRANKED && *rank >> 32 == lowest >> 32 } else { *rank == lowest }
        };
        let (slot, rank) = ranks
            .iter()
            .enumerate()
            .filter(|(_, rank)| alike(rank))
            .min_by_key(|(slot, _)| voices.at(*slot as u32).map(|voice| voice.order))?;
        Some((slot as u32, f32::from_bits(*rank as u32)))
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
        self.berths.ranks.fill(UNRANKED);
        self.ranked = None;
        Some(other)
    }

    /// Whether a pool still waits to be moved into.
    pub fn is_unsettled(&self) -> bool {
        self.next.is_some()
    }
}
