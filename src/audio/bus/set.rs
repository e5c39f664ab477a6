//! Some of the buses.

use crate::bus::BusId;

/// Some of the buses: a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::audio) struct BusSet(u32);

impl BusSet {
    pub const NONE: BusSet = BusSet(0);
    pub const ALL: BusSet = BusSet(u32::MAX);

    /// These.
    pub fn of(buses: impl Iterator<Item = BusId>) -> BusSet {
        let mut set = BusSet::NONE;
        buses.for_each(|bus| set.add(bus));
        set
    }

    pub fn add(&mut self, bus: BusId) {
        self.0 |= 1 << bus.index();
    }

    pub fn set(&mut self, bus: BusId, is_in: bool) {
        self.0 = self.0 & !(1 << bus.index()) | u32::from(is_in) << bus.index();
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn has(self, bus: BusId) -> bool {
        self.0 & 1 << bus.index() != 0
    }

    /// Whether the two have a bus in common.
    pub fn meets(self, other: BusSet) -> bool {
        self.0 & other.0 != 0
    }

    /// Those of either.
    pub fn and(self, other: BusSet) -> BusSet {
        BusSet(self.0 | other.0)
    }

    /// Those of both.
    pub fn both(self, other: BusSet) -> BusSet {
        BusSet(self.0 & other.0)
    }

    /// Those that are not among the others.
    pub fn without(self, others: BusSet) -> BusSet {
        BusSet(self.0 & !others.0)
    }

    pub fn iter(mut self) -> impl Iterator<Item = BusId> {
        std::iter::from_fn(move || {
            let bus = BusId::from_index(self.0.trailing_zeros())?;
            self.0 &= self.0 - 1;
            Some(bus)
        })
    }
}
