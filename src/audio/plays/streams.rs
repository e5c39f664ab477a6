//! Which plays hold a place among the streams that can be read at once.

/// The tickets of the plays that hold one: from when they come until they end, but not while they are parked.
pub(in crate::audio) struct StreamPlaces {
    tickets: Box<[u32]>,
    len: usize,
}

impl StreamPlaces {
    pub fn new(places: usize) -> StreamPlaces {
        StreamPlaces { tickets: vec![0; places].into_boxed_slice(), len: 0 }
    }

    pub fn has_room(&self) -> bool {
        self.len < self.tickets.len()
    }

    /// Gives a play a place, if there is one.
    pub fn hold(&mut self, ticket: u32) -> bool {
        let place = self.tickets.get_mut(self.len);
        let has_room = place.is_some();
        if let Some(place) = place {
            *place = ticket;
            self.len += 1;
        }
        has_room
    }

    /// Takes a play's place back, if it has one.
    pub fn release(&mut self, ticket: u32) {
        if self.move_last(ticket) {
            self.len -= 1;
        }
    }

    /// Lets a play be seen to after all others. Returns whether it has a place.
    pub fn move_last(&mut self, ticket: u32) -> bool {
        let held = self.tickets.get_mut(..self.len).unwrap_or_default();
        let Some(at) = held.iter().position(|it| *it == ticket) else { return false };
        // The others stay in the order in which they are seen to.
        held.get_mut(at..).unwrap_or_default().rotate_left(1);
        true
    }

    /// The ticket at a place that is held.
    pub fn at(&self, place: usize) -> Option<u32> {
        self.tickets.get(..self.len)?.get(place).copied()
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}
