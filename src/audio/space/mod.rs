//! Where the listener is, and what follows from it for all that has a place.

mod motion;
mod spot;

use crate::link::message::{Ears, QUANTUM};
use crate::space::Point;
use motion::Motion;
pub(super) use spot::Spot;

/// The listener, and what was said of places on this line.
pub(super) struct Space {
    ears: Ears,
    motion: Motion,
    /// Whether it was ever said where the listener is.
    is_placed: bool,
    listener_moved: bool,
    /// Whether any voice was moved.
    voice_moved: bool,
    /// Whether the speed of some voice is bent, or may be, so that each line counts.
    pub is_bending: bool,
    /// Whether some voice is on its way out of earshot.
    pub is_leaving: bool,
    /// Whether some voice is out of earshot and found no room to park.
    pub is_stranded: bool,
    /// How many quanta it takes to get from one place to another.
    quanta: u32,
    rate: u32,
    /// A bit for each of the last lines: whether a voice turned towards another place on it. The lowest is
    /// the latest.
    turned: u32,
}

impl Space {
    pub fn new(declick: u32, rate: u32) -> Space {
        Space {
            ears: Ears::DEFAULT,
            motion: Motion::at(0),
            is_placed: false,
            listener_moved: false,
            voice_moved: false,
            is_bending: false,
            is_leaving: false,
            is_stranded: false,
            quanta: declick.div_ceil(QUANTUM as u32),
            rate,
            turned: 0,
        }
    }

    pub fn ears(&self) -> &Ears {
        &self.ears
    }

    /// How many frames it takes to get from one place to another without a click: whole quanta.
    pub fn way_frames(&self) -> u32 {
        self.quanta * QUANTUM as u32
    }

    /// The listener has come to a place, or was brought there: so it was to the first.
    pub fn set_listener(&mut self, ears: Ears, jump: bool, now: u64) {
        let jump = jump || !self.is_placed;
        self.motion.moves(self.ears.position, ears.position, jump, now, self.rate);
        self.is_placed = true;
        self.ears = ears;
        self.listener_moved = true;
    }

    /// A voice was moved.
    pub fn note_moved(&mut self) {
        self.voice_moved = true;
    }

    pub fn listener_moved(&self) -> bool {
        self.listener_moved
    }

    /// Whether the voices must be looked at on this line, on which somebody could park or not.
    pub fn is_awake(&self, can_park: bool) -> bool {
        let moved = self.listener_moved || self.voice_moved;
        moved || self.is_bending || self.is_leaving || self.is_stranded && can_park
    }

    /// Whether each line counts from now on.
    pub fn is_restless(&self) -> bool {
        self.is_bending || self.is_leaving || self.is_stranded
    }

    /// Everybody was looked at.
    pub fn settled(&mut self, turned: bool) {
        (self.listener_moved, self.voice_moved) = (false, false);
        self.turned |= u32::from(turned);
    }

    /// So many frames were mixed, and the next line is reached.
    pub fn advance(&mut self, frames: usize) {
        if self.turned != 0 {
            self.turned = self.turned.checked_shl((frames / QUANTUM) as u32).unwrap_or(0);
        }
    }

    /// In how many frames the first of those arrives who are on their way to another place.
    pub fn next_arrival(&self) -> Option<usize> {
        let under_way = self.turned & (1u32.checked_shl(self.quanta).unwrap_or(0).wrapping_sub(1));
        let oldest = under_way.checked_ilog2()?;
        Some((self.quanta - oldest) as usize * QUANTUM)
    }

    /// Where the listener will be at a frame if it goes on as it does, and how fast it goes, in a frame.
    fn listener_at(&self, frame: u64, rate: u32) -> ([f64; 3], [f64; 3]) {
        self.motion.ahead(self.ears.position, frame, rate)
    }
}

fn difference(from: Point, to: Point) -> [f64; 3] {
    let ([a, b, c], [x, y, z]) = (from.wide(), to.wide());
    [x - a, y - b, z - c]
}

fn dot([a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> f64 {
    a * x + b * y + c * z
}
