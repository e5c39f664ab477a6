//! A room: a feedback delay network.
//!
//! Sound runs in eight lines of different lengths. What comes out of them, less what air and walls
//! have taken away, is mixed by a Hadamard matrix, which keeps all the power, and goes in again
//! (Stautner and Puckette, 1982; Jot and Chaigne, 1991). Each line loses in proportion to its length,
//! so that all that is heard decays alike. Before the lines, a few allpasses on each side make many
//! echoes out of one. The left side feeds four lines and is heard from the same, the right side the
//! others: what is on the left is heard there first, and the two sides are not alike.

mod design;
mod ring;

use std::array::from_fn;

use design::Losses;
use ring::{Ring, snapped};

use crate::Reverb;

/// The lines, those of the left first.
const LINES: usize = 8;
const HALF: usize = LINES / 2;

/// The allpasses of a side, and their gain. With six of them the echoes of a large hall are as dense as
/// noise 76 ms after the first; the four longest alone take 214 ms.
const STAGES: usize = 6;
const DIFFUSION: f32 = 0.6;

/// How many frames are computed at a time, at most.
const BLOCK: usize = 64;

/// What comes in louder than this is cut, so that the lines stay finite.
const LOUDEST: f32 = 1e9;

pub(in crate::audio) struct Room {
    pre_delay: [Ring; 2],
    diffusers: [[Ring; STAGES]; 2],
    lines: [Ring; LINES],
    losses: Losses,
    /// What came out of the lines last, before and after their losses.
    before: [f32; LINES],
    after: [f32; LINES],
    /// What is heard of the lines of each side.
    gains: [f32; 2],
    /// How many frames are computed at a time: no more than the shortest line holds.
    block: usize,
}

impl Room {
    /// An empty room. All its memory is allocated here.
    pub fn new(reverb: &Reverb, rate: u32) -> Room {
        let reverb = reverb.sanitized();
        let frames = design::line_frames(&reverb, rate);
        let losses = Losses::new(&reverb, rate, frames);
        let gains = design::gains(&losses);
        let pre_delay = crate::units::short_frames(reverb.pre_delay, rate) as usize;
        Room {
            pre_delay: [(); 2].map(|()| Ring::new(pre_delay)),
            diffusers: design::diffuser_frames(&reverb, rate).map(|side| side.map(Ring::new)),
            lines: frames.map(Ring::new),
            losses,
            before: [0.0; LINES],
            after: [0.0; LINES],
            gains,
            block: frames.into_iter().fold(BLOCK, usize::min),
        }
    }

    /// Whether nothing is in it that will ever be heard: then it need not be given silence.
    pub fn is_silent(&self) -> bool {
        let rings = self.lines.iter().chain(self.diffusers.as_flattened()).chain(&self.pre_delay);
        self.before.iter().chain(&self.after).all(|it| *it == 0.0) && { rings }.all(Ring::is_silent)
    }

    /// Adds what the room makes of the input. All four are of the same length.
    pub fn process(&mut self, input: [&[f32]; 2], output: [&mut [f32]; 2]) {
        let [left, right] = input.map(|side| side.chunks(self.block));
        let [out_left, out_right] = output.map(|side| side.chunks_mut(self.block));
        for ((left, right), (out_left, out_right)) in left.zip(right).zip(out_left.zip(out_right)) {
            self.process_block([left, right], [out_left, out_right]);
        }
    }

    fn process_block(&mut self, input: [&[f32]; 2], output: [&mut [f32]; 2]) {
        let frames = input[0].len();
        let mut fed = [[0.0; BLOCK]; 2];
        let sides = self.pre_delay.iter_mut().zip(&mut self.diffusers);
        for ((fed, input), (pre_delay, diffusers)) in fed.iter_mut().zip(input).zip(sides) {
            for (fed, sample) in fed.iter_mut().zip(input) {
                *fed = snapped(sample.clamp(-LOUDEST, LOUDEST));
            }
            let fed = fed.get_mut(..frames).unwrap_or_default();
            pre_delay.delay(fed);
            diffusers.iter_mut().for_each(|ring| ring.diffuse(fed, DIFFUSION));
        }
        // Lane by lane out of the lines and frame by frame through the matrix. No line is shorter
        // than a block, so nothing that goes in comes out again within it.
        let mut scratch = [[0.0; LINES]; BLOCK];
        let scratch = scratch.get_mut(..frames).unwrap_or_default();
        for (lane, line) in self.lines.iter_mut().enumerate() {
            line.read(scratch, lane);
        }
        self.circulate(scratch, &fed, output);
        for (lane, line) in self.lines.iter_mut().enumerate() {
            line.write(scratch, lane);
        }
    }

    /// Makes what goes into the lines out of what has come out of them, and adds what is heard.
    #[inline(always)]
    fn circulate(
        &mut self,
        lines: &mut [[f32; LINES]],
        fed: &[[f32; BLOCK]; 2],
        output: [&mut [f32]; 2],
    ) {
        let (mut before, mut after) = (self.before, self.after);
        let Losses { now, before: earlier, back } = &self.losses;
        let [out_left, out_right] = output;
        let sides = fed[0].iter().zip(&fed[1]).zip(out_left.iter_mut().zip(out_right));
        for (line, ((left, right), (out_left, out_right))) in lines.iter_mut().zip(sides) {
            after = from_fn(|n| {
                snapped(now[n] * line[n] + earlier[n] * before[n] + back[n] * after[n])
            });
            before = *line;
            let [a, b, c, d, e, f, g, h] = after;
            let (l, r) = (butterflies([a, b, c, d]), butterflies([e, f, g, h]));
            // Half-way through the matrix each value is a sum of one side's lines alone. These two are
            // at right angles to what is fed, all of one sign: so no path is heard together with
            // itself backwards, which would make the room louder, and the sides alike.
            *out_left += self.gains[0] * l[1];
            *out_right += self.gains[1] * r[2];
            let ([a, b, c, d], [e, f, g, h]) = (l, r);
            *line = [
                a + e + left,
                b + f + left,
                c + g + left,
                d + h + left,
                a - e + right,
                b - f + right,
                c - g + right,
                d - h + right,
            ];
        }
        (self.before, self.after) = (before, after);
    }
}

/// The Hadamard matrix of four, but for its scale.
#[inline(always)]
fn butterflies([a, b, c, d]: [f32; HALF]) -> [f32; HALF] {
    let (e, f, g, h) = (a + b, a - b, c + d, c - d);
    [e + g, f + h, e - g, f - h]
}

#[cfg(test)]
mod tests;
