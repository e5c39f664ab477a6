//! The voices of the pool, and whom to steal.

use super::cues::Cues;
use super::limits::{Full, Limits};
use super::ranks::Ranks;
use crate::audio::bus::{BusSet, Buses};
use crate::audio::voice::shaper::Shaper;
use crate::audio::voice::{Setup, Voice};
use crate::bus::BusId;
use crate::config::{Config, WhenFull};
use crate::link::message::{Change, CueTerms, Shape};
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
    /// What shapes those voices that are shaped.
    shapers: Pool<Shaper>,
    /// Whether some of them may have nothing to do any more.
    releasing: bool,
    limits: Box<Limits>,
    /// How many of them have a place.
    placed: usize,
    cues: Cues,
    /// How many are counted as gone, though they are there: see [`without`](Voices::without).
    supposed_gone: usize,
}

impl Voices {
    pub fn new(config: &Config) -> Voices {
        Voices {
            slots: Box::new(VoiceSlots::new(config.voices)),
            next: None,
            limit: config.voices,
            shapers: Pool::new(config.max_voices),
            releasing: false,
            limits: Box::new(Limits::new()),
            placed: 0,
            cues: Cues::new(config.cues, config.tickets()),
            supposed_gone: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.slots.voices.len()
    }

    /// How many there may be.
    pub fn limit(&self) -> usize {
        self.limit
    }

    pub fn has_room(&self) -> bool {
        self.free() > 0
    }

    fn free(&self) -> usize {
        let taken = self.len().saturating_sub(self.supposed_gone);
        self.limit.min(self.slots.voices.capacity()).saturating_sub(taken)
    }

    /// What keeps a newcomer on a bus from a free voice, if anything does.
    pub fn full(&self, bus: BusId) -> Option<Full> {
        self.limits.full(bus, self.free())
    }

    /// What each bus may have, and has.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    pub fn limits_mut(&mut self) -> &mut Limits {
        &mut self.limits
    }

    /// Whether any of them has a place.
    pub fn any_placed(&self) -> bool {
        self.placed > 0
    }

    /// Their levels are others now, all at once.
    pub fn note_moved(&mut self) {
        self.slots.ranks.outdate();
    }

    /// What plays of each cue.
    pub fn cues(&self) -> &Cues {
        &self.cues
    }

    pub fn cues_mut(&mut self) -> &mut Cues {
        &mut self.cues
    }

    /// Whether a limit may keep somebody from a voice that is free.
    pub fn are_limited(&self) -> bool {
        self.limits.are_set() || self.cues.are_limited()
    }

    /// Whether there may be a voice, since this was last asked, for somebody who found none.
    pub fn take_eased(&mut self) -> bool {
        self.limits.take_eased() | self.cues.take_eased()
    }

    pub fn pool(&self) -> &Pool<Voice> {
        &self.slots.voices
    }

    pub fn at_mut(&mut self, slot: u32) -> Option<&mut Voice> {
        self.slots.voices.at_mut(slot)
    }

    /// Gives a voice a slot, or gives it back.
    #[inline(always)]
    #[allow(clippy::result_large_err, reason = "a box would allocate")]
    pub fn insert(&mut self, mut voice: Voice, setup: &Setup) -> Result<u32, Voice> {
        if !voice.shape.is_plain() {
            voice.shaper = self.add_shaper(Shaper::new(&voice.shape, setup));
        }
        let slot = self.slots.voices.insert(voice)?.slot() as u32;
        self.count(slot, setup);
        Ok(slot)
    }

    pub fn take(&mut self, slot: u32) -> Option<Voice> {
        self.uncount(slot)?;
        self.slots.voices.take(slot)
    }

    /// Gives the slot of a voice to another, in the place of the one that has it: so the sums of all voices keep
    /// their order. Returns that one, or gives the new one back if there is none.
    #[allow(clippy::result_large_err, reason = "a box would allocate")]
    pub fn hand_on(&mut self, slot: u32, mut voice: Voice, setup: &Setup) -> Result<Voice, Voice> {
        if self.uncount(slot).is_none() {
            return Err(voice);
        }
        if !voice.shape.is_plain() {
            voice.shaper = self.add_shaper(Shaper::new(&voice.shape, setup));
        }
        let old = self.slots.voices.replace(slot, voice)?;
        self.count(slot, setup);
        Ok(old)
    }

    /// Whether a newcomer on a bus could have the slot of a voice that is about to be gone, without anybody
    /// else giving way.
    pub fn may_have(&mut self, slot: u32, bus: BusId, setup: &Setup) -> bool {
        let same = self.slots.voices.at(slot).is_some_and(|voice| voice.bus == bus);
        same || self.without(slot, setup, |voices| voices.full(bus).is_none())
    }

    /// The voice in a slot counts, for its bus and its cue, and has a rank.
    #[inline(always)]
    fn count(&mut self, slot: u32, setup: &Setup) {
        if let Some(voice) = self.slots.voices.at(slot) {
            self.limits.add(voice.bus);
            self.placed += usize::from(voice.is_placed());
            if let Some(terms) = voice.cue.filter(|_| !voice.is_stopping()) {
                self.cues.add(voice.ticket, &terms);
            }
        }
        self.rank(slot, setup);
    }

    /// The voice in a slot, if there is one, is about to be gone: it counts no more, and is shaped no more.
    #[inline(always)]
    fn uncount(&mut self, slot: u32) -> Option<()> {
        self.slots.ranks.remove(slot);
        let voice = self.slots.voices.at_mut(slot)?;
        self.limits.remove(voice.bus);
        self.placed -= usize::from(voice.is_placed()).min(self.placed);
        self.cues.ease();
        self.cues.remove(voice.ticket);
        if let Some(shaper) = voice.shaper.take() {
            self.shapers.take(shaper);
        }
        Some(())
    }

    // What shapes them.

    fn add_shaper(&mut self, shaper: Shaper) -> Option<u32> {
        self.shapers.insert(shaper).ok().map(|key| key.slot() as u32)
    }

    pub fn shaper(&self, voice: &Voice) -> Option<&Shaper> {
        self.shapers.at(voice.shaper?)
    }

    /// A voice, and what shapes it, if anything does.
    pub fn shaped_mut(&mut self, slot: u32) -> Option<(&mut Voice, &mut Shaper)> {
        let voice = self.slots.voices.at_mut(slot)?;
        let shaper = self.shapers.at_mut(voice.shaper?)?;
        Some((voice, shaper))
    }

    /// Takes up a change of a voice's filters or sends, which is in its shape already: at once, if nothing
    /// of it was heard.
    pub fn shape(&mut self, slot: u32, change: Change, setup: &Setup) {
        self.reshape(slot, setup, |shaper| shaper.change(change, setup));
    }

    /// Puts more or less between a voice and the ear, the same way.
    pub fn occlude(&mut self, slot: u32, occlusion: f32, over: u32, setup: &Setup) {
        let Some(voice) = self.slots.voices.at_mut(slot) else { return };
        // Many games say the same in every frame.
        if voice.shape.occlusion == occlusion && voice.shaper.is_none() {
            return;
        }
        voice.shape.occlusion = occlusion;
        self.reshape(slot, setup, |shaper| shaper.occlude(occlusion, over, setup));
    }

    /// Lets a voice be shaped by what is in its shape: at once, if nothing of it was heard, or else as
    /// `change` does.
    fn reshape(&mut self, slot: u32, setup: &Setup, change: impl FnOnce(&mut Shaper)) {
        let Some(voice) = self.slots.voices.at_mut(slot) else { return };
        let (heard, shape) = (voice.was_heard(), voice.shape);
        self.releasing |= shape.is_plain();
        match voice.shaper.and_then(|shaper| self.shapers.at_mut(shaper)) {
            Some(shaper) if heard => change(shaper),
            Some(shaper) => *shaper = Shaper::new(&shape, setup),
            None => {
                let before = if heard { Shape::PLAIN } else { shape };
                let mut shaper = Shaper::new(&before, setup);
                if heard {
                    change(&mut shaper);
                }
                let shaper = self.add_shaper(shaper);
                if let Some(voice) = self.slots.voices.at_mut(slot) {
                    voice.shaper = shaper;
                }
            }
        }
    }

    /// Whether a shaped voice may end within so many frames: what its filters still say goes on behind all
    /// others, so that it must be known to the quantum.
    pub fn shaped_may_end(&self, frames: u32) -> bool {
        let mut voices = self.pool().iter().map(|(_, voice)| voice);
        !self.shapers.is_empty()
            && voices.any(|voice| voice.shaper.is_some() && voice.may_end_within(frames))
    }

    /// Whether a voice may need no shaper any more from the next line on.
    pub fn is_releasing(&self) -> bool {
        self.releasing
    }

    /// On a line of the grid: lets those voices be plain again that are shaped no more.
    pub fn release_shapers(&mut self) {
        if !self.releasing {
            return;
        }
        self.releasing = false;
        let mut walk = self.slots.voices.walk();
        while let Some(slot) = walk.next(&self.slots.voices) {
            let Some(voice) = self.slots.voices.at_mut(slot) else { break };
            let Some(shaper) = voice.shaper.filter(|_| voice.shape.is_plain()) else {
                continue;
            };
            if self.shapers.at(shaper).is_none_or(Shaper::is_off) {
                voice.shaper = None;
                self.shapers.take(shaper);
            } else {
                self.releasing = true;
            }
        }
    }

    /// Ranks one voice anew, after something about it has changed.
    pub fn rank(&mut self, slot: u32, setup: &Setup) {
        let VoiceSlots { voices, ranks } = &mut *self.slots;
        if let Some(voice) = voices.at(slot) {
            ranks.update(slot, voice, setup);
        }
    }

    /// Whom to steal for a newcomer of some priority, among the voices of some buses: its slot, and its
    /// level before its bus.
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
        among: BusSet,
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
            WhenFull::StealOldest => ranks.oldest(priority, among, voices),
            _ => ranks.quietest(priority, among, voices, buses),
        }
    }

    /// The same among those that play of a cue. `slot` finds them by their tickets.
    #[allow(clippy::too_many_arguments, reason = "they are what a choice depends on")]
    pub fn choose_victim_of_cue(
        &mut self,
        terms: &CueTerms,
        slot: impl Fn(u32) -> Option<u32>,
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
        let slots = self.cues.playing(terms).filter_map(slot);
        match when_full {
            WhenFull::StealOldest => ranks.oldest_of(slots, priority),
            _ => ranks.quietest_of(slots, priority, buses),
        }
    }

    /// Asks what would be if a voice were gone.
    pub fn without<T>(
        &mut self,
        slot: u32,
        setup: &Setup,
        ask: impl FnOnce(&mut Voices) -> T,
    ) -> T {
        let Some(bus) = self.slots.voices.at(slot).map(|voice| voice.bus) else {
            return ask(self);
        };
        self.slots.ranks.remove(slot);
        self.limits.suppose_gone(bus);
        self.supposed_gone += 1;
        let answer = ask(self);
        self.supposed_gone -= 1;
        self.limits.suppose_back(bus);
        self.rank(slot, setup);
        answer
    }

    /// Takes up a bigger or a smaller pool. Returns one that had been meant for it before, if
    /// that was never used.
    pub fn resize(&mut self, slots: Box<VoiceSlots>) -> Option<Box<VoiceSlots>> {
        self.limit = slots.voices.capacity();
        self.limits.ease();
        self.cues.ease();
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
