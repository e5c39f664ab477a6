//! The events that nobody has asked for yet.

use std::collections::VecDeque;

use crate::event::Event;

/// Events are numbered in the order in which they happened. Who asks takes a few at a time, and
/// gives back what it did not hand out; so several can be asking, and each gives back in its turn.
pub(super) struct EventQueue {
    /// Those that were never taken. What follows the first has the numbers that follow its own.
    events: VecDeque<Event>,
    first: u64,
    /// Those that were given back, each with its number, in order: all of them are older. There is
    /// seldom one, so room for them is made when it is needed.
    returned: VecDeque<(u64, Event)>,
    most: usize,
    missed: u64,
}

/// What was taken at once: the number of the first, and how many follow each other from there.
#[derive(Clone, Copy, Default)]
pub(super) struct Batch {
    pub first: u64,
    pub count: usize,
}

impl EventQueue {
    /// A queue for so many events.
    pub fn new(most: usize) -> EventQueue {
        let events = VecDeque::with_capacity(most);
        EventQueue { events, first: 0, returned: VecDeque::new(), most, missed: 0 }
    }

    /// Lets the oldest event go if there are as many as may be. To be asked before each `push`.
    pub fn make_room(&mut self) {
        if self.returned.len() + self.events.len() == self.most {
            self.drop_oldest();
        }
    }

    /// Adds an event.
    pub fn push(&mut self, event: Event) {
        self.events.push_back(event);
    }

    fn drop_oldest(&mut self) {
        self.missed += 1;
        if self.returned.pop_front().is_none() {
            self.events.pop_front();
            self.first += 1;
        } else if self.returned.is_empty() {
            self.returned.shrink_to_fit();
        }
    }

    /// How many made room for others.
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// The number up to which events have come.
    pub fn until(&self) -> u64 {
        self.first + self.events.len() as u64
    }

    /// Takes the oldest events up to a number, as many as there are places and follow each other.
    pub fn take(&mut self, until: u64, mut into: &mut [Option<Event>]) -> Batch {
        let mut first = self.first;
        if !self.returned.is_empty() {
            let returned = self.take_returned(until, into);
            first = returned.first;
            if first + returned.count as u64 != self.first {
                return returned;
            }
            into = into.get_mut(returned.count..).unwrap_or_default();
        }
        for place in into {
            if self.first >= until {
                break;
            }
            *place = self.events.pop_front();
            self.first += 1;
        }
        if self.events.is_empty() {
            // Begins anew at its front, which is still in the cache.
            self.events.clear();
        }
        Batch { first, count: (self.first - first) as usize }
    }

    #[cold]
    fn take_returned(&mut self, until: u64, into: &mut [Option<Event>]) -> Batch {
        let first = self.returned.front().map_or(until, |(number, _)| *number);
        let mut count = 0;
        for (place, number) in into.iter_mut().zip(first..until) {
            if self.returned.front().is_none_or(|(next, _)| *next != number) {
                break;
            }
            *place = self.returned.pop_front().map(|(_, event)| event);
            count += 1;
        }
        if self.returned.is_empty() {
            self.returned.shrink_to_fit();
        }
        Batch { first, count }
    }

    /// Takes an event back, by its number, into its place in the order. If there are as many as may
    /// be, the oldest goes.
    pub fn give_back(&mut self, number: u64, event: Event) {
        let place = self.returned.partition_point(|(other, _)| *other < number);
        self.returned.insert(place, (number, event));
        if self.returned.len() + self.events.len() > self.most {
            self.drop_oldest();
        }
    }
}
