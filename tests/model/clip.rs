//! What the naive mixer plays: sounds, how loud they are, and how they are read between samples.

use std::f64::consts::PI;

use voicepool::Frame;

/// A sound, and the level of each 10 ms of it.
#[derive(Debug)]
pub struct Clip {
    pub rate: u32,
    pub frames: Vec<Frame>,
    hop: u64,
    levels: Vec<f32>,
}

impl Clip {
    pub fn new(rate: u32, frames: Vec<Frame>) -> Clip {
        let hop = ((u64::from(rate) * 10 + 500) / 1000).max(1);
        let side = |c: usize| weighted(rate, frames.iter().map(|frame| f64::from(frame[c])));
        let power: Vec<f64> = side(0).iter().zip(side(1)).map(|(l, r)| l * l + r * r).collect();
        let offset = if rate < 8000 { 1.0 } else { 10f64.powf(-0.691 / 20.0) };
        let level = |hop: &[f64]| (hop.iter().sum::<f64>() / hop.len() as f64).sqrt() * offset;
        let levels = power.chunks(hop as usize).map(|hop| level(hop) as f32).collect();
        Clip { rate, frames, hop, levels }
    }

    /// The highest level of this hop and the four after it, as they will be heard.
    pub fn level(&self, frame: u64, turns: Option<(u64, u64)>) -> f32 {
        let (mut at, mut highest) = (frame, 0f32);
        for _ in frame..(frame / self.hop + 5) * self.hop {
            if let Some((start, _)) = turns.filter(|(_, end)| at == *end) {
                at = start;
            }
            highest =
                highest.max(self.levels.get((at / self.hop) as usize).copied().unwrap_or(0.0));
            at += 1;
        }
        highest
    }
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
