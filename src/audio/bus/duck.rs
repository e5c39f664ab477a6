//! Which buses are turned down while others sound.
//!
//! What happens between the lines is a ramp of the bus. Here is only where it goes, and in what time: on
//! each line of the grid every duck is told whether there is somebody to make room for, and knows from that
//! alone, and from the frames that have passed, where it stands.

use super::BusSet;
use crate::bus::BusId;
use crate::duck::DuckFrames;
use crate::link::message::QUANTUM;

/// How many ducks there may be.
pub(in crate::audio) const MOST: usize = 64;

/// All ducks, in the order of their buses' numbers, so that products do not depend on who came first.
pub(in crate::audio) struct Ducks {
    ducks: [Duck; MOST],
    count: usize,
    /// Where each bus was last told to go.
    targets: [f32; BusId::COUNT],
    /// The buses of ducks that have changed since, and the time of the fastest of these changes.
    changed: BusSet,
    over: [u32; BusId::COUNT],
}

#[derive(Clone, Copy)]
struct Duck {
    bus: BusId,
    by: BusId,
    frames: DuckFrames,
    state: State,
    /// Its factor in what the bus was told.
    told: f32,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Up,
    Down,
    /// Still down: there was nobody to make room for, for so many frames.
    Holding(u32),
}

const NONE: Duck = Duck {
    bus: BusId::MASTER,
    by: BusId::MASTER,
    frames: DuckFrames { gain: 1.0, attack: 0, hold: 0, release: 0 },
    state: State::Up,
    told: 1.0,
};

impl Duck {
    fn advance(&mut self, frames: u32, is_wanted: bool) {
        self.state = match self.state {
            _ if is_wanted => State::Down,
            State::Up => State::Up,
            State::Down => State::Holding(0),
            State::Holding(since) => {
                let since = since.saturating_add(frames);
                if since < self.frames.hold { State::Holding(since) } else { State::Up }
            }
        };
    }

    fn target(&self) -> f32 {
        if self.state == State::Up { 1.0 } else { self.frames.gain }
    }
}

impl DuckFrames {
    /// How far ahead of a play it has to know of it: one that is not begun with on this line has a quantum
    /// less when the next one comes.
    fn look_ahead(&self) -> u32 {
        self.attack.saturating_add(QUANTUM as u32 - 1)
    }
}

impl Ducks {
    pub fn new() -> Ducks {
        Ducks {
            ducks: [NONE; MOST],
            count: 0,
            targets: [1.0; BusId::COUNT],
            changed: BusSet::default(),
            over: [0; BusId::COUNT],
        }
    }

    /// Puts a duck on a bus, in the place of the one that makes it give way to the same bus, or takes that
    /// one away. It counts from the next [`step`](Self::step) on. The game side keeps to as many as there
    /// is room for; one more would be left out.
    pub fn set(&mut self, bus: BusId, by: BusId, duck: Option<DuckFrames>) {
        let held = self.ducks.get(..self.count).unwrap_or_default();
        match (held.binary_search_by_key(&(bus, by), |it| (it.bus, it.by)), duck) {
            (Ok(at), Some(frames)) => {
                if let Some(held) = self.ducks.get_mut(at) {
                    held.frames = frames;
                }
            }
            (Err(at), Some(frames)) => {
                if let Some(behind) = self.ducks.get_mut(at..=self.count) {
                    behind.rotate_right(1);
                    self.count += 1;
                    behind.iter_mut().take(1).for_each(|it| *it = Duck { bus, by, frames, ..NONE });
                }
            }
            (Ok(at), None) => {
                if let Some(behind) = self.ducks.get_mut(at..self.count) {
                    behind.rotate_left(1);
                    self.count -= 1;
                }
                if let Some(gone) = self.ducks.get(self.count).copied() {
                    // The bus's ramp is all that is left of it.
                    self.note(gone.bus, gone.frames.release);
                }
            }
            (Err(_), None) => (),
        }
    }

    /// Whether there is nothing to step.
    pub fn is_empty(&self) -> bool {
        self.count == 0 && self.changed.is_empty()
    }

    /// The buses that others bow to.
    pub fn listened(&self) -> BusSet {
        BusSet::of(self.ducks.iter().take(self.count).map(|duck| duck.by))
    }

    /// Whether each of them stays as it is, given that nobody comes: up, or down for somebody who lasts.
    pub fn are_steady(&self, lasts: impl Fn(BusId) -> bool) -> bool {
        self.ducks.iter().take(self.count).all(|duck| match duck.state {
            State::Up => true,
            State::Down => lasts(duck.by),
            State::Holding(_) => false,
        })
    }

    /// How many frames beyond a line [`step`](Self::step) may ask for plays that wait; 0 without a duck.
    pub fn look_ahead(&self) -> u32 {
        let held = self.ducks.get(..self.count).unwrap_or_default();
        held.iter().map(|duck| duck.frames.look_ahead()).max().unwrap_or(0)
    }

    /// Works out on a line of the grid, so many frames after the last one, where the buses go, and tells the
    /// `target` of those that change, and in how many frames they are to be there.
    ///
    /// `present` says whether anybody on a bus, or below it, is heard on this line, ducks aside; `upcoming`
    /// whether a play that waits there begins no more than so many frames after it.
    pub fn step(
        &mut self,
        frames: u32,
        present: impl Fn(BusId) -> bool,
        upcoming: impl Fn(BusId, u32) -> bool,
        mut target: impl FnMut(BusId, f32, u32),
    ) {
        for at in 0..self.count {
            let Some(duck) = self.ducks.get_mut(at) else { break };
            duck.advance(frames, present(duck.by) || upcoming(duck.by, duck.frames.look_ahead()));
            let (before, now) = (duck.told, duck.target());
            if now != before {
                duck.told = now;
                let (bus, times) = (duck.bus, duck.frames);
                self.note(bus, if now < before { times.attack } else { times.release });
            }
        }
        for bus in std::mem::take(&mut self.changed).iter() {
            let held = self.ducks.get(..self.count).unwrap_or_default().iter();
            let product =
                held.filter(|duck| duck.bus == bus).fold(1.0, |gain, duck| gain * duck.told);
            let told = self.targets.get_mut(bus.index()).zip(self.over.get(bus.index()));
            if let Some((told, over)) = told.filter(|(told, _)| **told != product) {
                *told = product;
                target(bus, product, *over);
            }
        }
    }

    /// Remembers that a duck of a bus changes, in so many frames.
    fn note(&mut self, bus: BusId, over: u32) {
        let is_first = !self.changed.has(bus);
        self.changed.add(bus);
        if let Some(fastest) = self.over.get_mut(bus.index()) {
            *fastest = if is_first { over } else { over.min(*fastest) };
        }
    }
}

#[cfg(test)]
mod tests;
