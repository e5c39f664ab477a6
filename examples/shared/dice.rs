//! Dice that fall the same way every time: a seed gives one show, on every machine.

/// Xorshift with a multiplied output: small, fast, and random enough for sparkles.
#[derive(Clone)]
pub struct Dice {
    state: u64,
}

impl Dice {
    pub fn new(seed: u64) -> Dice {
        // Spread out, so that seeds 1 and 2 have nothing in common; and never 0, which stays 0.
        Dice { state: seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 }
    }

    fn next(&mut self) -> u32 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// From `low` up to `high`.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.next() >> 8) as f32 / 16_777_216.0)
    }

    /// One of the numbers below `count`; 0 if there is none.
    pub fn below(&mut self, count: usize) -> usize {
        ((u64::from(self.next()) * count as u64) >> 32) as usize
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_sequence_and_another_seed_another() {
        let throw = |seed| {
            let mut dice = Dice::new(seed);
            std::array::from_fn::<_, 8, _>(|_| dice.below(1000))
        };
        assert_eq!(throw(7), throw(7));
        assert_ne!(throw(7), throw(8));
    }

    #[test]
    fn dice_stay_within_their_bounds_and_reach_both_ends() {
        let mut dice = Dice::new(0);
        let throws: Vec<usize> = (0..1000).map(|_| dice.below(6)).collect();
        assert!((0..6).all(|side| throws.contains(&side)) && throws.iter().all(|side| *side < 6));
        assert!((0..1000).all(|_| (-1.0..1.0).contains(&dice.between(-1.0, 1.0))));
        assert_eq!(dice.below(0), 0);
    }
}
