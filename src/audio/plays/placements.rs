//! Where each play is, by its ticket; and for each bus, which plays on it could still be stopped.

use super::lists::TicketLists;
use crate::bus::BusId;

/// Where a ticket's play is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::audio) enum Placement {
    Nowhere,
    Playing(u32),
    Parked(u32),
    /// Among those who begin on this line once all its commands are known.
    Arriving(u32),
    Waiting(u32),
}

/// The plays of a bus that are not stopping yet are a list: to stop a bus takes as many steps as there are
/// plays to be stopped, however often it is asked for.
pub(in crate::audio) struct Placements {
    placements: Box<[Placement]>,
    unstopped: TicketLists,
}

impl Placements {
    pub fn new(tickets: usize) -> Placements {
        Placements {
            placements: vec![Placement::Nowhere; tickets].into_boxed_slice(),
            unstopped: TicketLists::new(BusId::COUNT, tickets),
        }
    }

    pub fn tickets(&self) -> u32 {
        self.placements.len() as u32
    }

    pub fn get(&self, ticket: u32) -> Placement {
        self.placements.get(ticket as usize).copied().unwrap_or(Placement::Nowhere)
    }

    pub fn set(&mut self, ticket: u32, placement: Placement) {
        if let Some(held) = self.placements.get_mut(ticket as usize) {
            *held = placement;
        }
    }

    /// A play has come on a bus, and can be stopped with it.
    pub fn link(&mut self, ticket: u32, bus: BusId) {
        self.set(ticket, Placement::Nowhere);
        self.unstopped.link(bus.index() as u32, ticket);
    }

    /// A play is stopping, so its bus need not stop it any more.
    pub fn unlink(&mut self, ticket: u32) {
        self.unstopped.unlink(ticket);
    }

    /// A play is over.
    pub fn end(&mut self, ticket: u32) {
        self.unlink(ticket);
        self.set(ticket, Placement::Nowhere);
    }

    /// The first play on a bus that could still be stopped.
    pub fn first_on(&self, bus: BusId) -> Option<u32> {
        self.unstopped.first(bus.index() as u32)
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
