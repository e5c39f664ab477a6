//! Where each play is, by its ticket; and for each bus, which plays on it could still be stopped.

use crate::bus::BusId;

/// Where a ticket's play is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::audio) enum Placement {
    Nowhere,
    Playing(u32),
    Parked(u32),
    Waiting(u32),
}

/// Where a list ends.
const NONE: u32 = u32::MAX;

/// A row of the table. The plays of a bus that are not stopping yet are a list: to stop a bus
/// takes as many steps as there are plays to be stopped, however often it is asked for.
#[derive(Clone, Copy)]
struct Entry {
    placement: Placement,
    /// The bus in whose list it is.
    bus: Option<BusId>,
    before: u32,
    after: u32,
}

const EMPTY: Entry = Entry { placement: Placement::Nowhere, bus: None, before: NONE, after: NONE };

pub(in crate::audio) struct Placements {
    entries: Box<[Entry]>,
    /// The first and the last in each bus's list.
    ends: [[u32; 2]; BusId::COUNT],
}

impl Placements {
    pub fn new(tickets: usize) -> Placements {
        Placements {
            entries: vec![EMPTY; tickets].into_boxed_slice(),
            ends: [[NONE; 2]; BusId::COUNT],
        }
    }

    pub fn tickets(&self) -> u32 {
        self.entries.len() as u32
    }

    pub fn get(&self, ticket: u32) -> Placement {
        self.entries.get(ticket as usize).map_or(Placement::Nowhere, |entry| entry.placement)
    }

    pub fn set(&mut self, ticket: u32, placement: Placement) {
        if let Some(entry) = self.entries.get_mut(ticket as usize) {
            entry.placement = placement;
        }
    }

    /// A play has come on a bus, and can be stopped with it.
    pub fn link(&mut self, ticket: u32, bus: BusId) {
        let Some([first, last]) = self.ends.get_mut(bus.index()) else { return };
        let Some(entry) = self.entries.get_mut(ticket as usize) else { return };
        let before = std::mem::replace(last, ticket);
        *entry = Entry { bus: Some(bus), before, ..EMPTY };
        match self.entries.get_mut(before as usize) {
            Some(entry) => entry.after = ticket,
            None => *first = ticket,
        }
    }

    /// A play is stopping, so its bus need not stop it any more.
    pub fn unlink(&mut self, ticket: u32) {
        let Some(entry) = self.entries.get_mut(ticket as usize) else { return };
        let Some(bus) = entry.bus.take() else { return };
        let (before, after) = (entry.before, entry.after);
        let Some([first, last]) = self.ends.get_mut(bus.index()) else { return };
        match self.entries.get_mut(before as usize) {
            Some(entry) => entry.after = after,
            None => *first = after,
        }
        match self.entries.get_mut(after as usize) {
            Some(entry) => entry.before = before,
            None => *last = before,
        }
    }

    /// A play is over.
    pub fn end(&mut self, ticket: u32) {
        self.unlink(ticket);
        self.set(ticket, Placement::Nowhere);
    }

    /// The first play on a bus that could still be stopped.
    pub fn first_on(&self, bus: BusId) -> Option<u32> {
        self.ends.get(bus.index()).map(|ends| ends[0]).filter(|ticket| *ticket != NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bus_lists_who_could_be_stopped_in_the_order_they_came() {
        let (one, two) = (BusId::new(1), BusId::new(2));
        let mut table = Placements::new(6);
        for (ticket, bus) in [(3, one), (0, one), (5, two), (4, one)] {
            table.link(ticket, bus);
        }
        table.unlink(0);
        table.unlink(0);
        table.end(5);
        table.link(5, one);
        let mut stopped = Vec::new();
        while let Some(ticket) = table.first_on(one) {
            table.unlink(ticket);
            stopped.push(ticket);
        }
        assert_eq!(stopped, [3, 4, 5]);
        assert_eq!((table.first_on(two), table.first_on(BusId::MASTER)), (None, None));
    }
}
