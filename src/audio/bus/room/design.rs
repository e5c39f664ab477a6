//! The numbers of a room: how long its lines are, how they lose, and how loud it is.

use std::f64::consts::PI;

use super::{HALF, LINES, STAGES};
use crate::Reverb;

/// The average time in which sound crosses the smallest room, in seconds, and how many times as long
/// it takes in the largest.
const CROSSING: f64 = 0.04;
const LARGEST: f64 = 3.0;

/// The longest crossing, as a part of the decay: what loses more in each would be heard as single
/// echoes.
const CROSSING_OF_DECAY: f64 = 1.0 / 16.0;

/// The lines' lengths as parts of the crossing, those of the left first. The sides begin together and
/// are as long as each other.
const LENGTHS: [f64; LINES] = [0.419, 0.811, 1.163, 1.587, 0.447, 0.743, 1.273, 1.511];

/// The diffusers' lengths as parts of the crossing: short enough that they have long fallen silent when
/// the lines have.
const DIFFUSERS: [[f64; STAGES]; 2] = [
    [0.0131, 0.0271, 0.0467, 0.0733, 0.1171, 0.1687],
    [0.0149, 0.0293, 0.0431, 0.0809, 0.1093, 0.1773],
];

/// Where the damping is half-way down, in Hz, and how much of the decay of high frequencies the whole
/// of it takes away.
const DAMPED_FROM: f64 = 4000.0;
const DAMPING: f64 = 0.75;

/// A line takes no more than this part of the amplitude of high frequencies beside that of low ones:
/// -120 dB, where nothing is heard any more.
const LEAST_SHELF: f64 = 1e-6;

/// A room in which less than this remains of the power is not made louder: where the rate is a few
/// frames a second, all is over before the end of a line.
const LEAST_POWER: f64 = 1e-12;

/// At how many frequencies the loudness is known: between them it hardly changes.
const FREQUENCIES: u32 = 512;

/// How many frames each line takes.
pub(super) fn line_frames(reverb: &Reverb, rate: u32) -> [usize; LINES] {
    distinct_primes(LENGTHS.map(|part| part * crossing(reverb, rate)))
}

pub(super) fn diffuser_frames(reverb: &Reverb, rate: u32) -> [[usize; STAGES]; 2] {
    DIFFUSERS.map(|parts| distinct_primes(parts.map(|part| part * crossing(reverb, rate))))
}

/// How many frames it takes on average to cross the room.
fn crossing(reverb: &Reverb, rate: u32) -> f64 {
    let seconds = CROSSING * libm::pow(LARGEST, f64::from(reverb.size));
    seconds.min(reverb.decay.as_secs_f64() * CROSSING_OF_DECAY) * f64::from(rate)
}

/// The primes nearest above, all different: delays with common factors would meet in the same frames
/// again and again, which is heard as a tone.
fn distinct_primes<const N: usize>(wanted: [f64; N]) -> [usize; N] {
    let mut taken = [0; N];
    for (n, wanted) in wanted.into_iter().enumerate() {
        let free = |it: &usize| is_prime(*it) && !taken.contains(it);
        let prime = (wanted.ceil() as usize..).find(free).unwrap_or(1);
        taken.iter_mut().skip(n).take(1).for_each(|it| *it = prime);
    }
    taken
}

fn is_prime(n: usize) -> bool {
    n > 1 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d))
}

/// What each line takes away: y(n) = `now` · x(n) + `before` · x(n-1) + `back` · y(n-1).
///
/// It is a shelf of the first order: 1 at low frequencies, times the line's own loss, and less at
/// high ones. Half-way down in decibels it is at the same frequency in every line, so that the
/// decibels of a line are in proportion to its length and the whole room decays alike (Jot's
/// "proportional" shelf).
pub(super) struct Losses {
    pub now: [f32; LINES],
    pub before: [f32; LINES],
    pub back: [f32; LINES],
}

impl Losses {
    /// Those of lines of so many frames.
    pub fn new(reverb: &Reverb, rate: u32, frames: [usize; LINES]) -> Losses {
        // The matrix of ones and minus ones makes all of it louder by this.
        let matrix = libm::sqrt(LINES as f64);
        let rate = f64::from(rate);
        let decay = reverb.decay.as_secs_f64();
        let damped = decay * (1.0 - DAMPING * f64::from(reverb.damping));
        // The bilinear transform's warp; beyond a quarter of the rate there is no half-way.
        let warp = libm::tan(PI * (DAMPED_FROM / rate).min(0.25));
        let parts = frames.map(|frames| {
            // After its decay a sound has 0.001 of its amplitude.
            let remaining = |decays: f64| libm::pow(10.0, -3.0 * decays);
            let seconds = frames as f64 / rate;
            let shelf = remaining(seconds / damped - seconds / decay).max(LEAST_SHELF);
            let root = libm::sqrt(shelf);
            let below = warp + 1.0 / root;
            let gain = remaining(seconds / decay) / (matrix * below);
            [(warp + root) * gain, (warp - root) * gain, (1.0 / root - warp) / below]
        });
        let [now, before, back] = [0, 1, 2].map(|n| parts.map(|part| part[n] as f32));
        Losses { now, before, back }
    }

    /// What remains of the power in each line at a frequency, given by the cosine of its angle.
    fn kept(&self, cosine: f64) -> [f64; LINES] {
        let parts = self.now.iter().zip(&self.before).zip(&self.back);
        let mut kept = [0.0; LINES];
        for (kept, ((now, before), back)) in kept.iter_mut().zip(parts) {
            let [now, before, back] = [now, before, back].map(|it| f64::from(*it));
            *kept = (now * now + before * before + 2.0 * now * before * cosine)
                / (1.0 + back * back - 2.0 * back * cosine);
        }
        kept
    }
}

/// What is heard of each side's lines, so that white noise of power 1 on both sides comes out with
/// power 1 a side once it has filled the room.
///
/// The paths through the room are many and of different lengths, so their powers add up, at each
/// frequency by itself. Noise comes into each line with power 1, and the matrix gives each line the
/// same part of the power of all: what is in a line is 1 and what comes back from all.
pub(super) fn gains(losses: &Losses) -> [f32; 2] {
    let mut filled = [0.0; 2];
    for n in 0..FREQUENCIES {
        let angle = PI * (f64::from(n) + 0.5) / f64::from(FREQUENCIES);
        let kept = losses.kept(libm::cos(angle));
        // 1 comes in, a part of it comes back, and of this the same part again.
        let in_a_line = 1.0 / (1.0 - kept.iter().sum::<f64>());
        let (left, right) = kept.split_at(HALF);
        for (filled, side) in filled.iter_mut().zip([left, right]) {
            *filled += side.iter().sum::<f64>() * in_a_line / f64::from(FREQUENCIES);
        }
    }
    filled.map(|power| (1.0 / libm::sqrt(power.max(LEAST_POWER))) as f32)
}
