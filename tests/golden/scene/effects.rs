//! Effects of the game's own: one without a memory, one with, and one that fails.

use voicepool::Effect;

/// Bits that were left out.
pub struct Crusher {
    pub steps: f32,
}

impl Effect for Crusher {
    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        for sample in left.iter_mut().chain(right) {
            *sample = (*sample * self.steps).round() / self.steps;
        }
    }
}

/// The same once more, later and on the other side.
#[derive(Default)]
pub struct Echo {
    ring: Vec<[f32; 2]>,
    at: usize,
    sounding: usize,
}

impl Effect for Echo {
    fn prepare(&mut self, sample_rate: u32) {
        self.ring = vec![[0.0; 2]; sample_rate as usize / 5];
    }

    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        for (left, right) in left.iter_mut().zip(right) {
            let came = [*left, *right];
            let echo = std::mem::replace(&mut self.ring[self.at], came);
            *left += 0.4 * echo[1];
            *right += 0.4 * echo[0];
            self.at = (self.at + 1) % self.ring.len();
            let rest = self.sounding.saturating_sub(1);
            self.sounding = if came == [0.0; 2] { rest } else { self.ring.len() };
        }
    }

    fn is_silent(&self) -> bool {
        self.sounding == 0
    }
}

/// Works for some quanta, and then gives what is no number.
pub struct Failing {
    pub quanta: u32,
}

impl Effect for Failing {
    fn process(&mut self, left: &mut [f32], _right: &mut [f32]) {
        self.quanta = self.quanta.saturating_sub(1);
        if let (0, Some(sample)) = (self.quanta, left.last_mut()) {
            *sample = f32::NAN;
        }
    }

    fn is_silent(&self) -> bool {
        false
    }
}
