//! A meter of its own for the tests: K-weighting as ITU-R BS.1770 has it, and what is to come
//! of a sound, the near counting more than the far.
#![allow(dead_code, reason = "not every test uses all of it")]

use voicepool::Frame;

/// How far ahead counts: by 1/e after so many seconds.
const HORIZON: f64 = 0.2;

/// The two filters of the standard, each as b0, b1, b2, a1, a2.
pub struct Meter {
    filters: [[f64; 5]; 2],
    /// Of each side.
    memory: [[f64; 4]; 2],
}

impl Meter {
    /// For frames of some rate. What plays faster than it was made is heard as it was made by
    /// the meter of a rate that is so many times lower.
    pub fn new(rate: f64) -> Meter {
        let bend = |hertz: f64| (std::f64::consts::PI * hertz / rate).tan();
        let (k, q) = (bend(1681.974450955533), 0.7071752369554196);
        let high = 10f64.powf(3.999843853973347 / 20.0);
        let middle = high.powf(0.4996667741545416);
        let a0 = 1.0 + k / q + k * k;
        let shelf = [
            (high + middle * k / q + k * k) / a0,
            2.0 * (k * k - high) / a0,
            (high - middle * k / q + k * k) / a0,
            2.0 * (k * k - 1.0) / a0,
            (1.0 - k / q + k * k) / a0,
        ];
        let (k, q) = (bend(38.13547087602444), 0.5003270373238773);
        let a0 = 1.0 + k / q + k * k;
        // The standard's table for 48 kHz has 1 here, and so it is at every rate.
        let b0 = 1.004994898714688 / a0;
        let high_pass = [b0, -2.0 * b0, b0, 2.0 * (k * k - 1.0) / a0, (1.0 - k / q + k * k) / a0];
        Meter { filters: [shelf, high_pass], memory: Default::default() }
    }

    pub fn filters(&self) -> [[f64; 5]; 2] {
        self.filters
    }

    /// Adds the power of each of the coming frames, both sides together.
    pub fn hear(&mut self, frames: &[Frame], powers: &mut Vec<f64>) {
        let first = powers.len();
        powers.resize(first + frames.len(), 0.0);
        let [[b0, b1, b2, a1, a2], [c0, c1, c2, d1, d2]] = self.filters;
        let scale = 10f64.powf(-0.0691);
        for side in 0..2 {
            let [mut x1, mut x2, mut y1, mut y2] = self.memory[side];
            // Plain steps: this is most of what a test takes where nothing is optimized.
            let mut at = 0;
            while at < frames.len() {
                let input = f64::from(frames[at][side]);
                let shelf = b0 * input + x1;
                x1 = b1 * input - a1 * shelf + x2;
                x2 = b2 * input - a2 * shelf;
                let output = c0 * shelf + y1;
                y1 = c1 * shelf - d1 * output + y2;
                y2 = c2 * shelf - d2 * output;
                powers[first + at] += scale * output * output;
                at += 1;
            }
            self.memory[side] = [x1, x2, y1, y2];
        }
    }
}

/// What is to come from each frame on, as a power, if nothing comes after the last.
pub fn ahead(rate: u32, powers: &[f64]) -> Vec<f64> {
    let keep = (-1.0 / (HORIZON * f64::from(rate))).exp();
    let mut ahead = powers.to_vec();
    let mut sum = 0.0;
    for power in ahead.iter_mut().rev() {
        sum = keep * sum + (1.0 - keep) * *power;
        *power = sum;
    }
    ahead
}

/// A power in decibels.
pub fn decibels(power: f64) -> f32 {
    (10.0 * power.log10()) as f32
}
