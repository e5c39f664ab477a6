//! The voices of the pool, and whom to steal.

use super::ranks::Ranks;
use crate::audio::bus::Buses;
use crate::audio::voice::{Setup, Voice};
use crate::config::WhenFull;
use crate::play::Priority;
use crate::pool::Pool;

/// A pool of voices, and their ranks among those that may be stolen. Made and freed on the game
/// side.
pub(crate) struct VoiceSlots {
    voices: Pool<Voice>,
    ranks: Ranks,
}

impl VoiceSlots {
    pub fn new(voices: usize) -> VoiceSlots {
        VoiceSlots { voices: Pool::new(voices), ranks: Ranks::new(voices) }
    }
}

/// The voices that sound.
pub(in crate::audio) struct Voices {
    slots: Box<VoiceSlots>,
    /// Where they will move once they are few enough, on the way to a smaller pool.
    next: Option<Box<VoiceSlots>>,
    limit: usize,
}

impl Voices {
    pub fn new(voices: usize) -> Voices {
        Voices { slots: Box::new(VoiceSlots::new(voices)), next: None, limit: voices }
    }

    pub fn len(&self) -> usize {
        self.slots.voices.len()
    }

    /// How many there may be.
    pub fn limit(&self) -> usize {
        self.limit
    }

    pub fn has_room(&self) -> bool {
        self.len() < self.limit && !self.slots.voices.is_full()
    }

    pub fn pool(&self) -> &Pool<Voice> {
        &self.slots.voices
    }

    pub fn at_mut(&mut self, slot: u32) -> Option<&mut Voice> {
        self.slots.voices.at_mut(slot)
    }

    /// Gives a voice a slot, or gives it back.
    #[allow(clippy::result_large_err, reason = "a box would allocate")]
    pub fn insert(&mut self, voice: Voice, setup: &Setup) -> Result<u32, Voice> {
        let slot = self.slots.voices.insert(voice)?.slot() as u32;
        self.rank(slot, setup);
        Ok(slot)
    }

    pub fn take(&mut self, slot: u32) -> Option<Voice> {
        self.slots.ranks.remove(slot);
        self.slots.voices.take(slot)
    }

    /// Ranks one voice anew, after something about it has changed.
    pub fn rank(&mut self, slot: u32, setup: &Setup) {
        let VoiceSlots { voices, ranks } = &mut *self.slots;
        if let Some(voice) = voices.at(slot) {
            ranks.update(slot, voice, setup);
        }
    }

    /// Whom to steal for a newcomer of some priority: its slot, and its level before its bus.
    ///
    /// First of all whoever is about to be gone: stopping, with no more of its fade left than a
    /// stolen voice is given. Else only those whose priority is not above the newcomer's, and
    /// nobody who is protected, unless already stopping. Of these the lowest priority, and there
    /// the one that would be missed least. On a tie the oldest, so that replays agree.
    /// `StealOldest` asks for age in place of loudness. A newcomer never loses to its equals,
    /// however quiet it is.
    pub fn choose_victim(
        &mut self,
        priority: Priority,
        when_full: WhenFull,
        quantum: u64,
        buses: &Buses,
        setup: &Setup,
    ) -> Option<(u32, f32)> {
        let VoiceSlots { voices, ranks } = &mut *self.slots;
        if when_full == WhenFull::Refuse {
            return None;
        }
        ranks.refresh(quantum, voices, setup);
        match when_full {
            WhenFull::StealOldest => ranks.oldest(priority),
            _ => ranks.quietest(priority, voices, buses),
        }
    }

    /// Takes up a bigger or a smaller pool. Returns one that had been meant for it before, if
    /// that was never used.
    pub fn resize(&mut self, slots: Box<VoiceSlots>) -> Option<Box<VoiceSlots>> {
        self.limit = slots.voices.capacity();
        self.next.replace(slots)
    }

    /// How many are too many.
    pub fn excess(&self) -> usize {
        self.len().saturating_sub(self.limit)
    }

    /// Moves into the pool that waits, if everybody fits. Returns the old one. `moved` hears of
    /// every voice that got another slot.
    pub fn settle(&mut self, moved: impl FnMut(&Voice, u32)) -> Option<Box<VoiceSlots>> {
        let mut other = self.next.take()?;
        if !self.slots.voices.move_into(&mut other.voices, moved) {
            self.next = Some(other);
            return None;
        }
        std::mem::swap(&mut self.slots.ranks, &mut other.ranks);
        self.slots.ranks.forget();
        Some(other)
    }

    /// Whether a pool still waits to be moved into.
    pub fn is_unsettled(&self) -> bool {
        self.next.is_some()
    }
}
