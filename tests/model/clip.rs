//! What the naive mixer plays: sounds, how loud they are, and how they are read between samples.

use std::f64::consts::PI;

use voicepool::Frame;

use super::common::noise;

/// The times over which what is still to come counts less and less, in seconds of the clip.
const TIMES: [f64; 5] = [0.05, 0.1, 0.2, 0.4, 0.8];

/// The time over which it does so to the ear.
const EAR: f64 = 0.2;

/// A sound, and how much of it is still to come.
#[derive(Debug)]
pub struct Clip {
    pub rate: u32,
    pub frames: Vec<Frame>,
    pub stereo: bool,
    hop: u64,
    /// For each of the times and sides, the power of all that is to come from each 10 ms on, the
    /// near counting more; and nothing after the last. Hops are counted from the end, so that only
    /// the first may be short.
    to_come: [[Vec<f64>; 2]; 5],
    /// Of a stream that is as loud in each of its frames, the power of one.
    steady: Option<f64>,
}

impl Clip {
    pub fn new(rate: u32, frames: Vec<Frame>, stereo: bool) -> Clip {
        let hop = ((u64::from(rate) * 10 + 500) / 1000).max(1);
        let power = [0, 1].map(|c: usize| {
            let side = weighted(rate, frames.iter().map(|frame| f64::from(frame[c])));
            let offset = if rate < 8000 { 1.0 } else { 10f64.powf(-0.691 / 10.0) };
            let mean = |hop: &[f64]| hop.iter().map(|s| s * s).sum::<f64>() / hop.len() as f64;
            let mut power: Vec<f64> =
                side.rchunks(hop as usize).map(|hop| kept(mean(hop) * offset)).collect();
            power.reverse();
            power
        });
        let fades = |time: f64| (-(hop as f64) / f64::from(rate) / time).exp();
        let to_come =
            TIMES.map(|time| power.each_ref().map(|power| all_to_come(power, fades(time))));
        Clip { rate, frames, stereo, hop, to_come, steady: None }
    }

    /// The same as a stream, which is as loud as this in each of its frames. It is taken to go on as it is, even
    /// where it is about to end.
    pub fn streamed(self, loudness: f32) -> Clip {
        Clip { steady: Some(f64::from(loudness).powi(2)), ..self }
    }

    /// The power that a voice would still play from a frame on, the near counting more, at a speed
    /// and with these gains of the two sides.
    pub fn power_ahead(
        &self,
        frame: u64,
        turns: Option<(u64, u64)>,
        speed: f64,
        sides: [f64; 2],
    ) -> f64 {
        if let Some(power) = self.steady {
            let there = frame < self.frames.len() as u64;
            return if there {
                power * sides.map(|side| side * side).iter().sum::<f64>()
            } else {
                0.0
            };
        }
        // What is heard within 200 ms is so much of the clip.
        let time = (EAR * speed).clamp(TIMES[0], TIMES[4]);
        let over = |i: usize| {
            let side = |c: usize| sides[c] * sides[c] * self.side_ahead(c, i, frame, turns);
            side(0) + side(1)
        };
        let longer = (1..5).find(|i| time <= TIMES[*i]).unwrap();
        let (short, long) = (1.0 / TIMES[longer - 1], 1.0 / TIMES[longer]);
        let share = (short - 1.0 / time) / (short - long);
        let (near, far) = (over(longer - 1), over(longer));
        if near == far || near <= 0.0 || far <= 0.0 {
            near + share * (far - near)
        } else {
            10f64.powf((1.0 - share) * near.log10() + share * far.log10())
        }
    }

    fn side_ahead(&self, c: usize, i: usize, frame: u64, turns: Option<(u64, u64)>) -> f64 {
        let Some((start, end)) = turns else { return self.nearly_to_come(c, i, frame) };
        if end - start < 2 * self.hop {
            let powers = (start..end).map(|at| self.power(c, i, self.hop_of(at).0));
            let mean = powers.sum::<f64>() / (end - start) as f64;
            if frame >= start {
                return mean;
            }
            let later = self.fades(i, (start - frame) as f64);
            let before = without(self.to_come(c, i, frame), later * self.to_come(c, i, start));
            return before + later * mean;
        }
        let fades = |frames: u64| self.fades(i, frames as f64);
        let whole = start == 0 && end == self.frames.len() as u64;
        let until_the_end = |at: u64| {
            if whole {
                self.nearly_to_come(c, i, at)
            } else {
                without(self.to_come(c, i, at), fades(end - at) * self.to_come(c, i, end))
            }
        };
        // One turn after the other, until they count for nothing.
        let (mut ahead, mut weight) = (until_the_end(frame), fades(end - frame));
        while weight > 1e-18 {
            ahead += weight * until_the_end(start);
            weight *= fades(end - start);
        }
        ahead
    }

    /// The hop in which a frame is, and how much of it has passed; as if the first were whole.
    fn hop_of(&self, frame: u64) -> (usize, u64) {
        let count = self.frames.len() as u64;
        let missing = count.next_multiple_of(self.hop) - count;
        (((frame + missing) / self.hop) as usize, (frame + missing) % self.hop)
    }

    /// The power of a hop itself.
    fn power(&self, c: usize, i: usize, hop: usize) -> f64 {
        let (fades, ahead) = (self.fades(i, self.hop as f64), &self.to_come[i][c]);
        without(ahead[hop], fades * ahead[hop + 1]) / (1.0 - fades)
    }

    /// All that is to come, on a straight line from hop to hop.
    fn nearly_to_come(&self, c: usize, i: usize, frame: u64) -> f64 {
        let (hop, passed) = self.hop_of(frame);
        let at = |hop: usize| self.to_come[i][c].get(hop).copied().unwrap_or(0.0);
        at(hop) + (at(hop + 1) - at(hop)) * (passed as f64 / self.hop as f64)
    }

    /// All that is to come, the power of a hop being the same all through it.
    fn to_come(&self, c: usize, i: usize, frame: u64) -> f64 {
        let (hop, passed) = self.hop_of(frame);
        let at = |hop: usize| self.to_come[i][c].get(hop).copied().unwrap_or(0.0);
        let rest = 1.0 - self.fades(i, (self.hop - passed) as f64);
        at(hop + 1) + (at(hop) - at(hop + 1)) * rest / (1.0 - self.fades(i, self.hop as f64))
    }

    /// How much less counts what is so many frames away.
    fn fades(&self, i: usize, frames: f64) -> f64 {
        (-frames / (TIMES[i] * f64::from(self.rate))).exp()
    }
}

/// Powers are kept in single precision.
fn kept(power: f64) -> f64 {
    f64::from(power as f32)
}

/// What is left of a power without a part of it: nothing, if no more than its rounding is.
fn without(power: f64, part: f64) -> f64 {
    if power - part > 1e-6 * power { power - part } else { 0.0 }
}

/// What is to come from each hop on, from the last to the first.
fn all_to_come(power: &[f64], fades: f64) -> Vec<f64> {
    let (mut ahead, mut all) = (0.0, vec![0.0]);
    for power in power.iter().rev() {
        ahead = (1.0 - fades) * power + fades * ahead;
        all.push(kept(ahead));
    }
    all.reverse();
    all
}

/// A loop's level by its definition: every frame of every turn by its own weight.
#[test]
fn a_loop_is_as_loud_as_all_its_turns() {
    let (rate, count) = (1000, 123);
    let frames: Vec<Frame> = noise(1, count).into_iter().map(|sample| [sample; 2]).collect();
    let clip = Clip::new(rate, frames.clone(), false);
    let hops: Vec<&[Frame]> = frames.rchunks(10).rev().collect();
    let own = |at: usize| {
        let hop = hops[(at + 7) / 10];
        hop.iter().map(|frame| f64::from(frame[0]).powi(2)).sum::<f64>() / hop.len() as f64
    };
    for (i, time) in TIMES.into_iter().enumerate() {
        let fades = (-1.0 / (time * f64::from(rate))).exp();
        for (start, end) in [(0, 20), (3, 50), (31, 77), (100, 123)] {
            for first in [0, start, start + 5, end - 1] {
                let (mut at, mut weight, mut sum) = (first, 1.0 - fades, 0.0);
                while weight > 1e-12 {
                    sum += weight * own(at);
                    weight *= fades;
                    at = if at + 1 == end { start } else { at + 1 };
                }
                let turns = Some((start as u64, end as u64));
                let level = clip.side_ahead(0, i, first as u64, turns);
                assert!((level - sum).abs() < 1e-5 * sum, "{level} for {sum}: {turns:?}, {time}");
            }
        }
    }
}

/// How much of the power ahead a voice still plays that fades out within `left` seconds; `beyond`
/// is what lies ahead once it has.
pub fn power_of_a_fade(ahead: f64, beyond: f64, left: f64) -> f64 {
    let y = left / EAR;
    let w = (-y).exp();
    let fading = if y < 0.01 { y / 3.0 } else { 1.0 - 2.0 / y + 2.0 * (1.0 - w) / (y * y) };
    ((ahead - w * beyond) * fading / (1.0 - w)).max(0.0)
}

/// K-weighting: the two filters of BS.1770, from its tables. Below 8 kHz there is none.
fn weighted(rate: u32, samples: impl Iterator<Item = f64>) -> Vec<f64> {
    let samples: Vec<f64> = samples.collect();
    if rate < 8000 {
        return samples;
    }
    assert_eq!(rate, 48_000, "the tables are for 48 kHz");
    let shelf = (
        [1.53512485958697, -2.69169618940638, 1.19839281085285],
        [-1.69065929318241, 0.73248077421585],
    );
    let high_pass = ([1.0, -2.0, 1.0], [-1.99004745483398, 0.99007225036621]);
    filtered(filtered(samples, shelf), high_pass)
}

fn filtered(input: Vec<f64>, (b, a): ([f64; 3], [f64; 2])) -> Vec<f64> {
    let mut output: Vec<f64> = Vec::new();
    for n in 0..input.len() {
        let before = |signal: &[f64], k: usize| n.checked_sub(k).map_or(0.0, |n| signal[n]);
        let forward = b[0] * input[n] + b[1] * before(&input, 1) + b[2] * before(&input, 2);
        output.push(forward - a[0] * before(&output, 1) - a[1] * before(&output, 2));
    }
    output
}

/// The windowed sinc at 256 fractions between two samples, and at the next sample.
pub fn sinc_table() -> Vec<[f64; 16]> {
    let at = |x: f64| {
        let turn = PI * (x / 8.0 + 1.0);
        let window = 0.35875 - 0.48829 * turn.cos() + 0.14128 * (2.0 * turn).cos()
            - 0.01168 * (3.0 * turn).cos();
        let angle = PI * x * 0.9;
        if x.abs() >= 8.0 {
            0.0
        } else if x == 0.0 {
            1.0
        } else {
            window * angle.sin() / angle
        }
    };
    let row = |phase: u32| {
        let row: [f64; 16] =
            std::array::from_fn(|tap| at(tap as f64 - 7.0 - f64::from(phase) / 256.0));
        row.map(|weight| weight / row.iter().sum::<f64>())
    };
    (0..=256).map(row).collect()
}
