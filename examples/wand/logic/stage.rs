//! The stage: sparkles that fly, fall and fade. They come from the same kind of pool as the
//! voices do, with another answer when it is full: nobody misses a sparkle that was not lit.

use voicepool::Pool;

use crate::logic::dice::Dice;
use crate::logic::wand::{Burst, TICKS};

/// How many sparkles there can be.
pub const SPARKLES: usize = 600;

/// Half the stage's height in a second, every second.
const GRAVITY: f32 = -0.55;

/// Places are from 0 to 1, across and up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sparkle {
    pub x: f32,
    pub y: f32,
    across: f32,
    up: f32,
    /// In seconds.
    age: f32,
    life: f32,
    /// Whose colour it has: that of the sound it was lit for, or any.
    pub hue: usize,
}

impl Sparkle {
    /// From 1, just lit, down to 0.
    pub fn glow(&self) -> f32 {
        1.0 - self.age / self.life
    }

    /// Moves it on by a moment.
    pub fn fly(&mut self, seconds: f32) {
        self.up += GRAVITY * seconds;
        self.x += self.across * seconds;
        self.y += self.up * seconds;
        self.age += seconds;
    }

    fn is_lit(&self) -> bool {
        self.age < self.life && self.y > 0.0
    }
}

pub struct Stage {
    sparkles: Pool<Sparkle>,
    /// Bursts that are still to come, with the ticks until then.
    coming: Vec<Burst>,
    dice: Dice,
    /// How many sparkles found the pool full.
    pub refused: u64,
}

impl Stage {
    pub fn new(sparkles: usize) -> Stage {
        Stage { sparkles: Pool::new(sparkles), coming: Vec::new(), dice: Dice::new(0), refused: 0 }
    }

    pub fn add(&mut self, burst: Burst) {
        self.coming.push(burst);
    }

    /// Lets a tick pass.
    pub fn tick(&mut self) {
        self.sparkles.retain(|sparkle| {
            sparkle.fly(1.0 / TICKS as f32);
            sparkle.is_lit()
        });
        let due: Vec<Burst> = self.coming.extract_if(.., |burst| burst.after == 0).collect();
        self.coming.iter_mut().for_each(|burst| burst.after -= 1);
        due.into_iter().for_each(|burst| self.light(burst));
    }

    /// The louder, the more sparkles and the faster.
    fn light(&mut self, burst: Burst) {
        let force = ((burst.gain + 30.0) / 30.0).clamp(0.1, 1.0);
        for _ in 0..(force * 16.0) as usize {
            let (angle, speed) = (self.dice.between(0.0, std::f32::consts::TAU), force * 0.35);
            let speed = self.dice.between(0.2, 1.0) * speed;
            let sparkle = Sparkle {
                x: 0.5 + burst.across * 0.48,
                y: 0.1 + burst.height * 0.75,
                across: angle.cos() * speed,
                up: angle.sin() * speed + 0.15,
                age: 0.0,
                life: self.dice.between(0.4, 1.4),
                hue: if self.dice.one_in(3) { self.dice.below(10) } else { burst.sound },
            };
            if self.sparkles.insert(sparkle).is_err() {
                self.refused += 1;
            }
        }
    }

    pub fn sparkles(&self) -> impl Iterator<Item = &Sparkle> {
        self.sparkles.iter().map(|(_, sparkle)| sparkle)
    }

    /// How many are lit.
    pub fn len(&self) -> usize {
        self.sparkles.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn burst(gain: f32, after: u64) -> Burst {
        Burst { sound: 3, across: 0.0, height: 0.5, gain, after }
    }

    #[test]
    fn a_full_stage_lights_no_more_and_says_so() {
        let mut stage = Stage::new(20);
        stage.add(burst(0.0, 0));
        stage.tick();
        assert_eq!((stage.len(), stage.refused), (16, 0));
        stage.add(burst(0.0, 0));
        stage.tick();
        assert_eq!((stage.len(), stage.refused), (20, 12));
    }

    #[test]
    fn sparkles_fly_fall_and_fade_and_give_their_slots_back() {
        let mut stage = Stage::new(100);
        stage.add(burst(0.0, 0));
        stage.tick();
        let before: Vec<Sparkle> = stage.sparkles().copied().collect();
        stage.tick();
        let hues = before.iter().filter(|sparkle| sparkle.hue == 3).count();
        assert!(hues > before.len() / 3, "most have the colour of their sound");
        for (before, after) in before.iter().zip(stage.sparkles()) {
            assert!(after.glow() < before.glow() && after.up < before.up);
        }
        stage.add(Burst { height: 0.0, ..burst(0.0, 0) });
        for _ in 0..TICKS {
            stage.tick();
            assert!(stage.sparkles().all(|sparkle| sparkle.y > 0.0), "they go out on the ground");
        }
        (0..2 * TICKS).for_each(|_| stage.tick());
        assert_eq!(stage.len(), 0);
        stage.add(burst(0.0, 0));
        stage.tick();
        assert_eq!((stage.len(), stage.refused), (16, 0));
    }

    #[test]
    fn a_burst_is_seen_when_it_is_heard_and_once() {
        let mut stage = Stage::new(100);
        stage.add(burst(-20.0, 2));
        let lit: Vec<usize> = (0..4)
            .map(|_| {
                stage.tick();
                stage.len()
            })
            .collect();
        assert_eq!(lit, [0, 0, 5, 5]);
    }

    #[test]
    fn a_loud_burst_has_more_sparkles_than_a_quiet_one() {
        let lit = |gain| {
            let mut stage = Stage::new(100);
            stage.add(burst(gain, 0));
            stage.tick();
            stage.len()
        };
        assert!(lit(-3.0) > lit(-15.0) && lit(-15.0) > lit(-60.0) && lit(-60.0) > 0);
    }
}
