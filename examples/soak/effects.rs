//! Effects of a game's own: well-behaved ones, and such as must be taken out.

use std::panic::panic_any;

use voicepool::Effect;

use crate::dice::Dice;
use crate::draw::pick;

/// What an effect says when it panics on purpose.
pub const PLANTED: &str = "an effect that panics on purpose";

pub fn effect(dice: &mut Dice) -> Box<dyn Effect> {
    let frames = 1 + dice.below(60_000);
    match dice.below(10) {
        0 => Box::new(Fails { after: frames, with: || f32::NAN }),
        1 => Box::new(Fails { after: frames, with: || panic_any(PLANTED) }),
        2..6 => Box::new(Narrow),
        _ => Box::new(Echo::new(pick(dice, &[1, 100, 3_000]))),
    }
}

/// Brings both sides halfway together.
struct Narrow;

impl Effect for Narrow {
    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        for (left, right) in left.iter_mut().zip(right) {
            let middle = (*left + *right) * 0.5;
            (*left, *right) = ((*left + middle) * 0.5, (*right + middle) * 0.5);
        }
    }
}

/// Says everything again, at half the height, and that too.
struct Echo {
    line: Vec<[f32; 2]>,
    at: usize,
    /// How many frames of silence went in a row.
    silent: usize,
}

impl Echo {
    fn new(frames: usize) -> Echo {
        Echo { line: vec![[0.0; 2]; frames], at: 0, silent: frames }
    }
}

impl Effect for Echo {
    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        for (left, right) in left.iter_mut().zip(right) {
            let [l, r] = self.line[self.at].map(|it| if it.abs() < 1e-6 { 0.0 } else { it * 0.5 });
            (*left, *right) = (*left + l, *right + r);
            self.line[self.at] = [*left, *right];
            self.at = (self.at + 1) % self.line.len();
            self.silent = if [*left, *right] == [0.0; 2] { self.silent + 1 } else { 0 };
        }
    }

    fn is_silent(&self) -> bool {
        self.silent >= self.line.len()
    }
}

/// Does what none may, once it has heard so many frames.
struct Fails {
    after: usize,
    with: fn() -> f32,
}

impl Effect for Fails {
    fn process(&mut self, left: &mut [f32], _right: &mut [f32]) {
        match self.after.checked_sub(left.len()) {
            Some(after) => self.after = after,
            None => left[self.after] = (self.with)(),
        }
    }
}
