//! What the tests share.
#![allow(dead_code, reason = "not every test uses all of it")]

use voicepool::{Frame, Sound};

/// Numbers that look random and are the same every time (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// From 0 to 1.
    pub fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / 16_777_216.0
    }

    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }
}

/// A sine, of which `phase` turns have passed when it begins.
pub fn sine(rate: u32, hertz: f64, phase: f64, frames: usize) -> Vec<f32> {
    (0..frames)
        .map(|i| {
            let turns = phase + hertz * i as f64 / f64::from(rate);
            (turns * std::f64::consts::TAU).sin() as f32
        })
        .collect()
}

pub fn noise(seed: u64, frames: usize) -> Vec<f32> {
    let mut random = Random(seed);
    (0..frames).map(|_| random.between(-1.0, 1.0)).collect()
}

/// A mono sound that must be right.
pub fn mono(rate: u32, samples: &[f32]) -> Sound {
    Sound::from_mono(rate, samples).expect("samples of a test")
}

/// The bits, which compare and hash as bits do.
pub fn bits(frames: &[Frame]) -> Vec<[u32; 2]> {
    frames.iter().map(|frame| frame.map(f32::to_bits)).collect()
}
