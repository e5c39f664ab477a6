//! The plays that wait for their frame.
//!
//! A heap, earliest first and among equals in the order they were asked for, whose entries know
//! their place in it, so that any of them can be called off.
//!
//! A play that waits for a time of its bus does not know its frame, since the bus may be paused at
//! any line. It stands in the heap by the earliest frame that it can be; when that has come too soon,
//! it is put back by what is missing.

use crate::audio::bus::Buses;
use crate::link::message::{QUANTUM, Request};
use crate::pool::Pool;

/// A play that waits.
pub(in crate::audio) struct Waiting {
    pub request: Request,
    /// The number of the command that asked for it.
    pub number: u64,
    /// The frame it waits for; or, if it waits for a time of its bus, none later than that.
    at: u64,
    bus_time: Option<u64>,
    place: usize,
}

pub(in crate::audio) struct Schedule {
    waiting: Pool<Waiting>,
    heap: Box<[u32]>,
}

impl Schedule {
    pub fn new(capacity: usize) -> Schedule {
        Schedule { waiting: Pool::new(capacity), heap: vec![0; capacity].into_boxed_slice() }
    }

    pub fn pool(&self) -> &Pool<Waiting> {
        &self.waiting
    }

    pub fn at_mut(&mut self, slot: u32) -> Option<&mut Waiting> {
        self.waiting.at_mut(slot)
    }

    /// Takes in a play that waits for a frame, and if there is a `bus_time`, until its bus has come to
    /// that too. Gives it back if there is no room.
    pub fn insert(
        &mut self,
        request: Request,
        number: u64,
        at: u64,
        bus_time: Option<u64>,
    ) -> Result<u32, Request> {
        let place = self.waiting.len();
        let waiting = Waiting { request, number, at, bus_time, place };
        let slot = self.waiting.insert(waiting).map_err(|back| back.request)?.slot() as u32;
        self.put(place, slot);
        self.sift_up(place);
        Ok(slot)
    }

    /// The frame before which nobody's has come.
    pub fn next(&self) -> Option<u64> {
        self.heap.first().and_then(|slot| self.waiting.at(*slot)).map(|waiting| waiting.at)
    }

    /// Takes the next one out, if its frame has come.
    pub fn take_due(&mut self, now: u64, buses: &Buses) -> Option<Waiting> {
        loop {
            let first = *self.heap.first()?;
            let waiting = self.waiting.at_mut(first).filter(|waiting| waiting.at <= now)?;
            let bus = waiting.request.bus;
            let missing = waiting.bus_time.map_or(0, |at| at.saturating_sub(buses.clock(bus)));
            if missing == 0 {
                return self.take(first);
            }
            const LINE: u64 = QUANTUM as u64;
            waiting.at = if buses.way(bus).is_paused() {
                // It goes on at the next line at the earliest. Rounded down to a line, so that
                // nobody's block is cut for it while it waits.
                (now / LINE + 1 + missing / LINE) * LINE
            } else {
                now + missing
            };
            self.sift_down(0);
        }
    }

    /// Takes one out before its time.
    pub fn take(&mut self, slot: u32) -> Option<Waiting> {
        let taken = self.waiting.take(slot)?;
        let last = self.waiting.len();
        if let Some(moved) = self.heap.get(last).copied().filter(|_| taken.place < last) {
            self.put(taken.place, moved);
            self.sift_up(taken.place);
            self.sift_down(taken.place);
        }
        Some(taken)
    }

    /// What a place is ordered by. Places beyond the end come last.
    fn key(&self, place: usize) -> (u64, u64) {
        let slot = self.heap.get(place).filter(|_| place < self.waiting.len());
        let waiting = slot.and_then(|slot| self.waiting.at(*slot));
        waiting.map_or((u64::MAX, u64::MAX), |waiting| (waiting.at, waiting.number))
    }

    fn put(&mut self, place: usize, slot: u32) {
        if let Some(held) = self.heap.get_mut(place) {
            *held = slot;
        }
        if let Some(waiting) = self.waiting.at_mut(slot) {
            waiting.place = place;
        }
    }

    fn swap(&mut self, a: usize, b: usize) {
        if let (Some(&in_a), Some(&in_b)) = (self.heap.get(a), self.heap.get(b)) {
            self.put(a, in_b);
            self.put(b, in_a);
        }
    }

    fn sift_up(&mut self, mut place: usize) {
        while place > 0 && self.key(place) < self.key((place - 1) / 2) {
            self.swap(place, (place - 1) / 2);
            place = (place - 1) / 2;
        }
    }

    fn sift_down(&mut self, mut place: usize) {
        loop {
            let (left, right) = (2 * place + 1, 2 * place + 2);
            let child = if self.key(right) < self.key(left) { right } else { left };
            if self.key(child) >= self.key(place) {
                return;
            }
            self.swap(place, child);
            place = child;
        }
    }
}
