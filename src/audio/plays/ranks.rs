//! Who goes first when somebody must.
//!
//! A voice is ranked by what is its own; what its bus makes of that counts when the least of each
//! bus are compared. So a bus may change as often as it likes: no voice is ranked anew for it.

use super::heaps::Heaps;
use super::tournament::TournamentTree;
use crate::audio::bus::{BusSet, Buses};
use crate::audio::voice::{Setup, Voice};
use crate::bus::BusId;
use crate::play::Priority;
use crate::pool::Pool;

/// What a voice is ranked by. (Floats that are not negative compare as their bits do.)
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    class: u8,
    /// Its level before its bus.
    level: u32,
    order: u64,
    bus: BusId,
}

/// Voices whose fade-out is as good as over go before all others, whatever their priority.
const LEAVING: u8 = 0;

/// Nobody may steal it.
const NEVER: u8 = u8::MAX;

const NOBODY: Rank = Rank { class: NEVER, level: 0, order: 0, bus: BusId::MASTER };

fn class(priority: Priority) -> u8 {
    1 + priority as u8
}

impl Rank {
    fn of(voice: &Voice, setup: &Setup) -> Rank {
        let class = if voice.is_leaving(setup) {
            LEAVING
        } else if voice.priority == Priority::Protected && !voice.is_stopping() {
            NEVER
        } else {
            class(voice.priority)
        };
        let level = voice.level(setup).max(0.0).to_bits();
        Rank { class, level, order: voice.order, bus: voice.bus }
    }
}

/// The ranks of the voices of a pool. Made and freed on the game side, with the pool.
pub(in crate::audio) struct Ranks {
    ranks: Box<[Rank]>,
    quietest: [TournamentTree; BusId::COUNT],
    /// The buses whose trees may have anybody in them.
    buses: BusSet,
    oldest: TournamentTree,
    /// The same for each bus: heaps, which take less room than trees and more time.
    oldest_of: Heaps<{ BusId::COUNT }>,
    /// The quantum in which the ranks were last worked out.
    quantum: Option<u64>,
    /// Which of the trees stand for these ranks.
    by_level: bool,
    by_age: bool,
    by_age_of_bus: bool,
}

impl Ranks {
    pub fn new(voices: usize) -> Ranks {
        Ranks {
            ranks: vec![NOBODY; voices].into_boxed_slice(),
            quietest: std::array::from_fn(|_| TournamentTree::new(voices)),
            buses: BusSet::default(),
            oldest: TournamentTree::new(voices),
            oldest_of: Heaps::new(voices),
            quantum: None,
            by_level: false,
            by_age: false,
            by_age_of_bus: false,
        }
    }

    /// Works out every rank, unless that was done in this quantum.
    pub fn refresh(&mut self, quantum: u64, voices: &Pool<Voice>, setup: &Setup) {
        if self.quantum == Some(quantum) {
            return;
        }
        self.quantum = Some(quantum);
        (self.by_level, self.by_age, self.by_age_of_bus) = (false, false, false);
        for (key, voice) in voices.iter() {
            if let Some(rank) = self.ranks.get_mut(key.slot()) {
                *rank = Rank::of(voice, setup);
            }
        }
    }

    /// All ranks are to be worked out anew when they are next asked for.
    pub fn outdate(&mut self) {
        self.quantum = None;
    }

    /// Nothing is known any more of who is where.
    pub fn forget(&mut self) {
        self.quantum = None;
        self.ranks.fill(NOBODY);
    }

    /// Ranks the voice in one slot anew, if the others have ranks.
    pub fn update(&mut self, slot: u32, voice: &Voice, setup: &Setup) {
        if self.quantum.is_some() {
            self.set(slot, Rank::of(voice, setup));
        }
    }

    /// The voice in this slot is gone.
    pub fn remove(&mut self, slot: u32) {
        self.set(slot, NOBODY);
    }

    fn set(&mut self, slot: u32, rank: Rank) {
        let Some(held) = self.ranks.get_mut(slot as usize) else { return };
        let before = std::mem::replace(held, rank);
        let ranks = &self.ranks;
        if self.by_level {
            self.buses.add(rank.bus);
            for bus in [Some(before.bus), Some(rank.bus).filter(|bus| *bus != before.bus)] {
                if let Some((bus, tree)) =
                    bus.and_then(|bus| Some((bus, self.quietest.get_mut(bus.index())?)))
                {
                    tree.update(slot, |slot| of_bus(ranks, bus, slot));
                }
            }
        }
        if self.by_age {
            self.oldest.update(slot, |slot| age(ranks, slot));
        }
        let place = |rank: Rank| (rank.class, rank.order, rank.bus);
        if self.by_age_of_bus && place(before) != place(rank) {
            self.oldest_of.remove(before.bus.index(), slot, &|slot| age(ranks, slot));
            if rank.class != NEVER {
                self.oldest_of.insert(rank.bus.index(), slot, &|slot| age(ranks, slot));
            }
        }
    }

    /// Who goes first for a newcomer of some priority, among the voices of some buses: its slot, and its
    /// level before its bus.
    pub fn quietest(
        &mut self,
        priority: Priority,
        among: BusSet,
        voices: &Pool<Voice>,
        buses: &Buses,
    ) -> Option<(u32, f32)> {
        if !self.by_level {
            self.by_level = true;
            self.build_trees(voices);
        }
        let ranks = &self.ranks;
        let least = self.buses.both(among).iter().filter_map(|bus| {
            let tree = self.quietest.get(bus.index())?;
            tree.least(|slot| of_bus(ranks, bus, slot))
        });
        quietest(least, priority, buses)
    }

    /// The same among the voices in some slots.
    pub fn quietest_of(
        &self,
        slots: impl Iterator<Item = u32>,
        priority: Priority,
        buses: &Buses,
    ) -> Option<(u32, f32)> {
        let rank = |slot: u32| Some((slot, *self.ranks.get(slot as usize)?));
        quietest(slots.filter_map(rank).filter(|(_, rank)| rank.class != NEVER), priority, buses)
    }

    /// The same by age in place of loudness.
    pub fn oldest(
        &mut self,
        priority: Priority,
        among: BusSet,
        voices: &Pool<Voice>,
    ) -> Option<(u32, f32)> {
        let slot = if among == BusSet::ALL {
            self.oldest_of_all()?
        } else {
            self.oldest_among(among, voices)?
        };
        self.own_level(slot, priority)
    }

    /// The same among the voices in some slots.
    pub fn oldest_of(
        &self,
        slots: impl Iterator<Item = u32>,
        priority: Priority,
    ) -> Option<(u32, f32)> {
        let aged = slots.filter_map(|slot| Some((age(&self.ranks, slot)?, slot)));
        self.own_level(aged.min()?.1, priority)
    }

    /// A voice's slot and its level before its bus, if it may be stolen.
    fn own_level(&self, slot: u32, priority: Priority) -> Option<(u32, f32)> {
        let rank = self.ranks.get(slot as usize)?;
        may_be_stolen(rank.class, priority).then_some((slot, f32::from_bits(rank.level)))
    }

    fn oldest_of_all(&mut self) -> Option<u32> {
        let ranks = &self.ranks;
        if !self.by_age {
            self.by_age = true;
            self.oldest.play_all(|slot| age(ranks, slot));
        }
        self.oldest.least(|slot| age(ranks, slot)).map(|(slot, _)| slot)
    }

    fn oldest_among(&mut self, among: BusSet, voices: &Pool<Voice>) -> Option<u32> {
        let ranks = &self.ranks;
        if !self.by_age_of_bus {
            self.by_age_of_bus = true;
            self.oldest_of.clear();
            for (key, voice) in voices.iter() {
                let slot = key.slot() as u32;
                if age(ranks, slot).is_some() {
                    self.oldest_of.insert(voice.bus.index(), slot, &|slot| age(ranks, slot));
                }
            }
        }
        let first = among.iter().filter_map(|bus| self.oldest_of.first(bus.index()));
        first.min_by_key(|slot| age(ranks, *slot))
    }

    /// Builds the trees of all buses: no more steps than there are voices, times the height.
    fn build_trees(&mut self, voices: &Pool<Voice>) {
        let mut counts = [0usize; BusId::COUNT];
        for (_, voice) in voices.iter() {
            if let Some(count) = counts.get_mut(voice.bus.index()) {
                *count += 1;
            }
        }
        let (ranks, height) = (&self.ranks, self.ranks.len().max(1).ilog2() as usize + 1);
        let trees = self.quietest.iter_mut().zip(BusId::all()).zip(counts);
        self.buses = BusSet::default();
        for ((tree, bus), count) in trees.filter(|(_, count)| *count > 0) {
            self.buses.add(bus);
            let rank = |slot| of_bus(ranks, bus, slot);
            if count * height >= ranks.len() {
                tree.play_all(rank);
            } else {
                let on_bus = voices.iter().filter(|(_, voice)| voice.bus == bus);
                tree.play_some(on_bus.map(|(key, _)| key.slot() as u32), rank);
            }
        }
    }
}

/// Who goes first of these: its slot, and its level before its bus, if it may be stolen.
fn quietest(
    ranked: impl Iterator<Item = (u32, Rank)>,
    priority: Priority,
    buses: &Buses,
) -> Option<(u32, f32)> {
    let heard = ranked.map(|(slot, rank)| {
        let level = f32::from_bits(rank.level) * buses.way(rank.bus).level();
        (rank.class, level.to_bits(), rank.level, rank.order, slot)
    });
    let (class, _, level, _, slot) = heard.min()?;
    may_be_stolen(class, priority).then_some((slot, f32::from_bits(level)))
}

fn of_bus(ranks: &[Rank], bus: BusId, slot: u32) -> Option<Rank> {
    ranks.get(slot as usize).copied().filter(|rank| rank.class != NEVER && rank.bus == bus)
}

fn age(ranks: &[Rank], slot: u32) -> Option<(u8, u64)> {
    let rank = ranks.get(slot as usize).filter(|rank| rank.class != NEVER)?;
    Some((rank.class, rank.order))
}

fn may_be_stolen(of: u8, by: Priority) -> bool {
    of <= class(by)
}
