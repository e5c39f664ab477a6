//! The plays that wait for their frame.
//!
//! A heap, earliest first and among equals in the order they were asked for, whose entries know
//! their place in it, so that any of them can be called off.
//!
//! A play that waits for a time of its bus does not know its frame, since the bus may be paused at
//! any line. It stands in the heap by the earliest frame that it can be; when that has come too soon,
//! it is put back by what is missing. If its bus stands still by then it leaves the heap, for a list of
//! those that are frozen with that bus, and comes back when the bus goes on: in between it costs
//! nothing, however many they are.
//!
//! A play that waits for another to finish has no frame at all, and is in neither: those who follow somebody
//! are listed elsewhere.

use crate::audio::bus::{BusSet, Buses};
use crate::audio::space::{Space, Spot};
use crate::bus::BusId;
use crate::link::message::Request;
use crate::pool::Pool;

/// Where a list ends.
const NONE: u32 = u32::MAX;

/// A play that waits.
pub(in crate::audio) struct Waiting {
    pub request: Request,
    /// The number of the command that asked for it.
    pub number: u64,
    /// The frame it waits for; or, if it waits for a time of its bus, none later than that.
    at: u64,
    /// The time of its bus that it waits for too: 0 if for none.
    bus_time: u128,
    place: Place,
}

/// Where a play waits.
#[derive(Clone, Copy)]
enum Place {
    Heap(usize),
    /// Between two others that are frozen with its bus.
    Frozen {
        before: u32,
        after: u32,
    },
    /// Behind another play, until that is over.
    Following,
}

impl Waiting {
    /// How many frames its bus must move before its time has come, at the least.
    fn missing(&self, buses: &Buses) -> u64 {
        buses.frames_until(self.request.bus, self.bus_time)
    }
}

pub(in crate::audio) struct Schedule {
    waiting: Pool<Waiting>,
    heap: Box<[u32]>,
    heap_len: usize,
    /// The first of those that are frozen with each bus, and the buses that have any.
    frozen: [u32; BusId::COUNT],
    frozen_on: BusSet,
}

impl Schedule {
    pub fn new(capacity: usize) -> Schedule {
        Schedule {
            waiting: Pool::new(capacity),
            heap: vec![0; capacity].into_boxed_slice(),
            heap_len: 0,
            frozen: [NONE; BusId::COUNT],
            frozen_on: BusSet::default(),
        }
    }

    pub fn pool(&self) -> &Pool<Waiting> {
        &self.waiting
    }

    pub fn at_mut(&mut self, slot: u32) -> Option<&mut Waiting> {
        self.waiting.at_mut(slot)
    }

    /// Takes in a play that waits for a frame, and until its bus has come to its time. Gives it back if
    /// there is no room.
    pub fn insert(
        &mut self,
        request: Request,
        number: u64,
        at: u64,
        bus_time: u128,
    ) -> Result<u32, Request> {
        let place = Place::Heap(self.heap_len);
        let waiting = Waiting { request, number, at, bus_time, place };
        let slot = self.waiting.insert(waiting).map_err(|back| back.request)?.slot() as u32;
        self.add_to_heap(slot);
        Ok(slot)
    }

    /// Takes in a play that waits for another. Gives it back if there is no room.
    pub fn insert_follower(&mut self, request: Request, number: u64) -> Result<u32, Request> {
        let (at, bus_time, place) = (u64::MAX, 0, Place::Following);
        let waiting = Waiting { request, number, at, bus_time, place };
        self.waiting.insert(waiting).map(|key| key.slot() as u32).map_err(|back| back.request)
    }

    /// The frame before which nobody's has come, unless a bus goes on that stands still.
    pub fn next(&self) -> Option<u64> {
        let first = self.heap.first().filter(|_| self.heap_len > 0);
        first.and_then(|slot| self.waiting.at(*slot)).map(|waiting| waiting.at)
    }

    /// Goes through those that begin within so many frames, or may, and can be heard then, if all stays as it
    /// is: which bus, and after how many frames.
    pub fn soon(
        &self,
        now: u64,
        within: u32,
        buses: &Buses,
        space: &Space,
        mut each: impl FnMut(BusId, u64),
    ) {
        // A path down the heap, and at each of its steps the other child: no more than its height.
        let mut places = [0; 2 * usize::BITS as usize];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let place = places.get(count).copied().unwrap_or(usize::MAX);
            let slot = self.heap.get(place).filter(|_| place < self.heap_len);
            let Some(waiting) = slot.and_then(|slot| self.waiting.at(*slot)) else { continue };
            if waiting.at > now.saturating_add(u64::from(within)) {
                continue;
            }
            let Request { bus, gain, paused, muted, .. } = waiting.request;
            let placed = waiting.request.placed();
            let way = buses.way(bus);
            let far =
                placed.is_some_and(|placed| Spot::new(placed, now).heard(space.ears()).is_silent);
            let shut = paused || muted || gain == 0.0 || far;
            if !(shut || way.is_paused() || way.is_silent_within(0)) {
                each(bus, waiting.at.saturating_sub(now).max(waiting.missing(buses)));
            }
            if let Some(places) = places.get_mut(count..count + 2) {
                places.copy_from_slice(&[2 * place + 2, 2 * place + 1]);
                count += 2;
            }
        }
    }

    /// Takes the next one out, if its frame has come.
    pub fn take_due(&mut self, now: u64, buses: &Buses) -> Option<Waiting> {
        loop {
            let first = *self.heap.first().filter(|_| self.heap_len > 0)?;
            let waiting = self.waiting.at_mut(first).filter(|waiting| waiting.at <= now)?;
            let bus = waiting.request.bus;
            let missing = waiting.missing(buses);
            if missing == 0 {
                return self.take(first);
            }
            if buses.way(bus).is_paused() {
                self.remove(0);
                self.freeze(first, bus);
            } else {
                waiting.at = now.saturating_add(missing);
                self.sift_down(0);
            }
        }
    }

    /// Those who were frozen with a bus that goes on by now wait for their frame again.
    pub fn thaw(&mut self, now: u64, buses: &Buses) {
        for bus in buses.not_paused(self.frozen_on).iter() {
            let Some(first) = self.frozen.get_mut(bus.index()) else { continue };
            let mut slot = std::mem::replace(first, NONE);
            self.frozen_on.set(bus, false);
            while let Some(waiting) = self.waiting.at_mut(slot)
                && let Place::Frozen { after, .. } = waiting.place
            {
                waiting.at = now.saturating_add(waiting.missing(buses));
                self.add_to_heap(slot);
                slot = after;
            }
        }
    }

    /// Works out anew for which frames those wait whose buses' time goes at another pace now.
    pub fn reschedule(&mut self, now: u64, on: BusSet, buses: &Buses) {
        let mut walk = self.waiting.walk();
        while let Some(slot) = walk.next(&self.waiting) {
            let Some(waiting) = self.waiting.at_mut(slot) else { break };
            let Place::Heap(place) = waiting.place else { continue };
            if waiting.bus_time > 0 && on.has(waiting.request.bus) {
                waiting.at = now.saturating_add(waiting.missing(buses));
                self.sift_up(place);
                if let Some(Place::Heap(place)) = self.place_mut(slot).copied() {
                    self.sift_down(place);
                }
            }
        }
    }

    /// Takes one out before its time.
    pub fn take(&mut self, slot: u32) -> Option<Waiting> {
        match self.waiting.at(slot)?.place {
            Place::Heap(place) => self.remove(place),
            Place::Frozen { .. } => self.unfreeze(slot),
            Place::Following => (),
        }
        self.waiting.take(slot)
    }

    // Those who are frozen.

    fn freeze(&mut self, slot: u32, bus: BusId) {
        let Some(first) = self.frozen.get_mut(bus.index()) else { return };
        let after = std::mem::replace(first, slot);
        self.frozen_on.add(bus);
        self.set_place(slot, Place::Frozen { before: NONE, after });
        if let Some(Place::Frozen { before, .. }) = self.place_mut(after) {
            *before = slot;
        }
    }

    fn unfreeze(&mut self, slot: u32) {
        let Some(waiting) = self.waiting.at(slot) else { return };
        let Place::Frozen { before, after } = waiting.place else { return };
        let bus = waiting.request.bus;
        if let Some(Place::Frozen { before: held, .. }) = self.place_mut(after) {
            *held = before;
        }
        if let Some(Place::Frozen { after: held, .. }) = self.place_mut(before) {
            *held = after;
        } else if let Some(first) = self.frozen.get_mut(bus.index()) {
            *first = after;
            self.frozen_on.set(bus, after != NONE);
        }
    }

    fn place_mut(&mut self, slot: u32) -> Option<&mut Place> {
        self.waiting.at_mut(slot).map(|waiting| &mut waiting.place)
    }

    fn set_place(&mut self, slot: u32, place: Place) {
        if let Some(held) = self.place_mut(slot) {
            *held = place;
        }
    }

    // The heap.

    fn add_to_heap(&mut self, slot: u32) {
        let place = self.heap_len;
        self.heap_len += 1;
        self.put(place, slot);
        self.sift_up(place);
    }

    fn remove(&mut self, place: usize) {
        self.heap_len -= 1;
        let last = self.heap_len;
        if let Some(moved) = self.heap.get(last).copied().filter(|_| place < last) {
            self.put(place, moved);
            self.sift_up(place);
            self.sift_down(place);
        }
    }

    /// What a place is ordered by. Places beyond the end come last.
    fn key(&self, place: usize) -> (u64, u64) {
        let slot = self.heap.get(place).filter(|_| place < self.heap_len);
        let waiting = slot.and_then(|slot| self.waiting.at(*slot));
        waiting.map_or((u64::MAX, u64::MAX), |waiting| (waiting.at, waiting.number))
    }

    fn put(&mut self, place: usize, slot: u32) {
        if let Some(held) = self.heap.get_mut(place) {
            *held = slot;
        }
        self.set_place(slot, Place::Heap(place));
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
