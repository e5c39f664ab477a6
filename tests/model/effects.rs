//! The effects that scripts put on buses.

use voicepool::Effect;

#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Echo,
    Tremolo,
}

pub fn make(kind: Kind) -> Box<dyn Effect> {
    match kind {
        Kind::Echo => Box::new(Echo { sides: [[0.0; 101]; 2], at: 0 }),
        Kind::Tremolo => Box::new(Tremolo { at: 0 }),
    }
}

/// What came 101 frames ago comes again, half as loud.
struct Echo {
    sides: [[f32; 101]; 2],
    at: usize,
}

impl Effect for Echo {
    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        for (left, right) in left.iter_mut().zip(right) {
            for (sample, side) in [left, right].into_iter().zip(&mut self.sides) {
                *sample += 0.5 * side[self.at];
                side[self.at] = if sample.abs() < 1e-6 { 0.0 } else { *sample };
            }
            self.at = (self.at + 1) % 101;
        }
    }

    fn is_silent(&self) -> bool {
        self.sides.as_flattened().iter().all(|sample| *sample == 0.0)
    }
}

/// Up and down every 300 frames in which it is asked for any.
struct Tremolo {
    at: u32,
}

impl Effect for Tremolo {
    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        for (left, right) in left.iter_mut().zip(right) {
            let gain = 0.5 + self.at.abs_diff(150) as f32 / 300.0;
            (*left, *right) = (*left * gain, *right * gain);
            self.at = (self.at + 1) % 300;
        }
    }
}
