//! Chance and hashes that are the same everywhere.

use std::time::Duration;

use voicepool::ms;

/// Dice that roll the same on every system: integers throughout, and floats of one rounding (SplitMix64).
pub struct Dice(u64);

impl Dice {
    /// Each act rolls its own, so that a change to one leaves the others alone.
    pub fn new(act: &str) -> Dice {
        let mut seed = Fnv::new();
        seed.add(act.as_bytes());
        Dice(seed.value())
    }

    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        it ^ (it >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.roll() % n
    }

    /// Once in `n` times.
    pub fn once_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.roll() >> 40) as f32 / (1u32 << 24) as f32)
    }

    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len() as u64) as usize]
    }

    /// A time for a change: none, shorter than the declick, ordinary, long.
    pub fn over(&mut self) -> Duration {
        ms(*self.pick(&[0, 2, 10, 60, 250]))
    }

    pub fn place(&mut self, reach: f32) -> [f32; 3] {
        [(); 3].map(|()| self.between(-reach, reach))
    }
}

/// FNV-1a, 64 bits.
pub struct Fnv(u64);

impl Fnv {
    pub fn new() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }

    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    pub fn value(&self) -> u64 {
        self.0
    }
}
