//! How many voices each bus may have, and how many are kept for it.
//!
//! A bus counts with all below it. Limits and reserves go by where a bus belongs from the line on
//! which that was said; what is heard of it gets there once it has faded out.

use crate::audio::bus::BusSet;
use crate::audio::bus::tree::Tree;
use crate::bus::BusId;
use crate::config::WhenFull;
use crate::link::message::{BusPlace, Park, Refused};

/// The limit and the reserve of a bus.
#[derive(Clone, Copy)]
struct Limit {
    max_voices: u32,
    reserved: u32,
    when_full: Option<WhenFull>,
}

const UNLIMITED: Limit = Limit { max_voices: u32::MAX, reserved: 0, when_full: None };

/// What keeps a newcomer from a free voice, and what can be done about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::audio) struct Full {
    /// The buses from which it may take a voice.
    pub victims: BusSet,
    /// The answer of the bus that is full, if it has one of its own.
    pub when_full: Option<WhenFull>,
    /// What becomes of a newcomer that may take none, if it may park and if not.
    pub park: Park,
    pub refusal: Refused,
}

impl Full {
    fn pool(victims: BusSet) -> Full {
        Full { victims, when_full: None, park: Park::PoolFull, refusal: Refused::PoolFull }
    }

    fn bus(victims: BusSet, when_full: Option<WhenFull>) -> Full {
        Full { victims, when_full, park: Park::BusFull, refusal: Refused::BusFull }
    }
}

pub(in crate::audio) struct Limits {
    tree: Tree,
    limits: [Limit; BusId::COUNT],
    /// How many voices each bus has, without those below it.
    counts: [u32; BusId::COUNT],
    /// Those that have a limit, and those that have a reserve. The master's reserve would be kept from
    /// nobody, so it counts for nothing.
    limited: BusSet,
    reserving: BusSet,
    /// A newcomer that found no voice may find one since.
    eased: bool,
    /// The buses that have more or fewer voices since this was last asked.
    changed: BusSet,
}

impl Limits {
    pub fn new() -> Limits {
        Limits {
            tree: Tree::flat(),
            limits: [UNLIMITED; BusId::COUNT],
            counts: [0; BusId::COUNT],
            limited: BusSet::NONE,
            reserving: BusSet::NONE,
            eased: false,
            changed: BusSet::NONE,
        }
    }

    /// The tree as the game has told it. What is heard comes to its new parents later.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Whether any bus has a limit or a reserve.
    pub fn are_set(&self) -> bool {
        !self.limited.is_empty() || !self.reserving.is_empty()
    }

    /// How many voices a bus has, with all below it.
    pub fn count(&self, bus: BusId) -> u32 {
        let own = |bus: BusId| self.counts.get(bus.index()).copied().unwrap_or(0);
        self.tree.below(bus).iter().map(own).sum()
    }

    /// Sets where a bus belongs, its limit and its reserve.
    pub fn set(&mut self, bus: BusId, place: BusPlace) {
        self.changed = self.changed.and(self.tree.way(bus));
        self.tree.set_parent(bus, place.parent);
        self.changed.add(bus);
        let BusPlace { max_voices, reserved, when_full, .. } = place;
        if let Some(limit) = self.limits.get_mut(bus.index()) {
            *limit = Limit { max_voices, reserved, when_full };
        }
        self.limited.set(bus, max_voices < u32::MAX);
        self.reserving.set(bus, reserved > 0 && bus != BusId::MASTER);
        self.eased = true;
    }

    /// A voice has begun on a bus.
    pub fn add(&mut self, bus: BusId) {
        self.suppose_back(bus);
        self.changed.add(bus);
    }

    /// A voice of a bus is gone.
    pub fn remove(&mut self, bus: BusId) {
        self.suppose_gone(bus);
        self.changed.add(bus);
        self.ease();
    }

    /// A voice of a bus counts as gone, to see what would be then.
    pub fn suppose_gone(&mut self, bus: BusId) {
        if let Some(count) = self.counts.get_mut(bus.index()) {
            *count = count.saturating_sub(1);
        }
    }

    /// It counts again.
    pub fn suppose_back(&mut self, bus: BusId) {
        if let Some(count) = self.counts.get_mut(bus.index()) {
            *count += 1;
        }
    }

    /// The buses that have more or fewer voices since this was last asked, with all below them.
    pub fn take_changed(&mut self) -> BusSet {
        let changed = std::mem::take(&mut self.changed);
        if changed.is_empty() {
            return changed;
        }
        changed.iter().fold(BusSet::NONE, |all, bus| all.and(self.tree.way(bus)))
    }

    /// There may be a voice for somebody who found none.
    pub fn ease(&mut self) {
        self.eased |= self.are_set();
    }

    /// Whether there may be one since this was last asked.
    pub fn take_eased(&mut self) -> bool {
        std::mem::take(&mut self.eased)
    }

    /// What keeps a newcomer on a bus from one of so many free voices, if anything does.
    ///
    /// The buses are asked from the leaf to the root, and the pool last. Whoever gives a voice up for
    /// the first that is full does so for all that come after it, since it is below them too.
    #[inline]
    pub fn full(&self, bus: BusId, free: usize) -> Option<Full> {
        if self.are_set() {
            return self.full_within_limits(bus, free);
        }
        (free == 0).then(|| Full::pool(BusSet::ALL))
    }

    fn full_within_limits(&self, bus: BusId, free: usize) -> Option<Full> {
        let way = self.tree.way(bus);
        let is_full =
            |bus: &BusId| self.limited.has(*bus) && self.count(*bus) >= self.limit(*bus).max_voices;
        if let Some(full) = self.tree.up(bus).find(is_full) {
            let victims = self.spare(way).both(self.tree.below(full));
            return Some(Full::bus(victims, self.limit(full).when_full));
        }
        (free <= self.kept_from(way)).then(|| Full::pool(self.spare(way)))
    }

    fn limit(&self, bus: BusId) -> Limit {
        self.limits.get(bus.index()).copied().unwrap_or(UNLIMITED)
    }

    /// How many of the free voices are kept from a newcomer that comes along this way: what is missing
    /// of all reserves but those on the way. A reserve holds those of the buses below it.
    fn kept_from(&self, way: BusSet) -> usize {
        if self.reserving.is_empty() {
            return 0;
        }
        let mut below = [0usize; BusId::COUNT];
        for bus in self.tree.order() {
            let mut kept = below.get(bus.index()).copied().unwrap_or(0);
            if self.reserving.has(bus) && !way.has(bus) {
                let missing = self.limit(bus).reserved.saturating_sub(self.count(bus));
                kept = kept.max(missing as usize);
            }
            // The master, which belongs to itself, comes last.
            if bus == BusId::MASTER {
                return kept;
            }
            if let Some(sum) = below.get_mut(self.tree.parent(bus).index()) {
                *sum = sum.saturating_add(kept);
            }
        }
        0
    }

    /// The buses that can spare a voice for somebody who comes along this way: all but those that are
    /// below, or have, a reserve which is not on the way and which they need whole.
    pub fn spare(&self, way: BusSet) -> BusSet {
        let others = self.reserving.without(way).iter();
        let needed = others.filter(|bus| self.count(*bus) <= self.limit(*bus).reserved);
        needed.fold(BusSet::ALL, |spare, bus| spare.without(self.tree.below(bus)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEECH: BusId = BusId::new(1);
    const SHOTS: BusId = BusId::new(2);
    const NEAR: BusId = BusId::new(3);
    const FAR: BusId = BusId::new(4);

    const PLAIN: BusPlace =
        BusPlace { parent: BusId::MASTER, max_voices: u32::MAX, reserved: 0, when_full: None };

    /// Near and far shots below the shots, and so many voices on each bus from 0 on.
    fn limits(voices: [u32; 5]) -> Limits {
        let mut limits = Limits::new();
        for bus in [NEAR, FAR] {
            limits.set(bus, BusPlace { parent: SHOTS, ..PLAIN });
        }
        for (bus, voices) in BusId::all().zip(voices) {
            (0..voices).for_each(|_| limits.add(bus));
        }
        limits
    }

    #[test]
    fn a_bus_counts_with_all_below_it_wherever_it_is_taken() {
        let mut limits = limits([1, 2, 3, 4, 5]);
        let counts = |limits: &Limits| BusId::all().take(5).map(|bus| limits.count(bus)).collect();
        let counts: fn(&Limits) -> Vec<u32> = counts;
        assert_eq!(counts(&limits), [15, 2, 12, 4, 5]);
        limits.set(NEAR, BusPlace { parent: SPEECH, ..PLAIN });
        assert_eq!(counts(&limits), [15, 6, 8, 4, 5]);
        limits.set(SPEECH, BusPlace { parent: FAR, ..PLAIN });
        assert_eq!(counts(&limits), [15, 6, 14, 4, 11]);
        limits.remove(NEAR);
        assert_eq!(counts(&limits), [14, 5, 13, 3, 10]);
        limits.set(FAR, BusPlace { parent: NEAR, ..PLAIN });
        assert_eq!(counts(&limits), [14, 5, 13, 3, 10], "a circle is never closed");
    }

    #[test]
    fn reserves_hold_those_below_them() {
        let mut limits = limits([0, 1, 0, 0, 0]);
        let kept = |limits: &Limits| {
            [SPEECH, SHOTS, NEAR].map(|bus| limits.kept_from(limits.tree.way(bus)))
        };
        limits.set(SPEECH, BusPlace { reserved: 3, ..PLAIN });
        limits.set(SHOTS, BusPlace { reserved: 4, ..PLAIN });
        assert_eq!(kept(&limits), [4, 2, 2]);
        limits.set(FAR, BusPlace { parent: SHOTS, reserved: 3, ..PLAIN });
        assert_eq!(
            kept(&limits),
            [4, 2 + 3, 2 + 3],
            "three of the four are for the far ones alone"
        );
        limits.set(NEAR, BusPlace { parent: SHOTS, reserved: 3, ..PLAIN });
        assert_eq!(kept(&limits), [6, 2 + 6, 2 + 3], "more below than above");
        (0..4).for_each(|_| limits.add(FAR));
        assert_eq!(kept(&limits), [3, 2 + 3, 2]);
    }

    #[test]
    fn a_reserve_that_is_needed_whole_spares_nobody() {
        let mut limits = limits([1, 1, 1, 2, 2]);
        let spare = |limits: &Limits, bus| {
            limits
                .spare(limits.tree.way(bus))
                .both(BusSet::of([BusId::MASTER, SPEECH, SHOTS, NEAR, FAR].into_iter()))
        };
        let all = |buses: &[BusId]| BusSet::of(buses.iter().copied());
        assert_eq!(limits.spare(BusSet::NONE), BusSet::ALL);
        limits.set(SHOTS, BusPlace { reserved: 5, ..PLAIN });
        assert_eq!(spare(&limits, SPEECH), all(&[BusId::MASTER, SPEECH]));
        assert_eq!(limits.spare(limits.tree.way(NEAR)), BusSet::ALL);
        limits.set(NEAR, BusPlace { parent: SHOTS, reserved: 2, ..PLAIN });
        assert_eq!(spare(&limits, FAR), all(&[BusId::MASTER, SPEECH, SHOTS, FAR]));
        limits.add(FAR);
        assert_eq!(spare(&limits, SPEECH), all(&[BusId::MASTER, SPEECH, SHOTS, FAR]));
    }
}
