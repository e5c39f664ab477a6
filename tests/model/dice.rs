//! The dice that the game side of the naive mixer rolls for cues, and what it remembers of each.

use std::time::Duration;

use voicepool::{Order, WhenFull, db, semitones};

use super::common::Random;
use super::naive::Request;

/// A cue as a script tells of it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The clip and the gain of each.
    pub variants: Vec<(usize, f32)>,
    pub order: Order,
    pub vary_gain: f32,
    pub vary_speed: f32,
    pub at_most: Option<usize>,
    pub when_full: Option<WhenFull>,
    pub cooldown: Duration,
    pub merge_within: Duration,
}

/// A cue that was ever made: its number among them.
pub type CueNumber = usize;

/// Which cue a play is of, on which terms. All that is remembered of a cue is remembered in a slot, which may
/// have been given to it after others.
#[derive(Clone, Debug)]
pub struct Terms {
    pub slot: usize,
    pub tenure: u64,
    pub plan: Plan,
}

pub struct Dice {
    random: Random,
    slots: Vec<Slot>,
    most: usize,
    rolls: u64,
}

struct Slot {
    cue: CueNumber,
    tenure: u64,
    last: Option<usize>,
    rolled: u64,
}

impl Dice {
    pub fn new(seed: u64, most: usize) -> Dice {
        Dice { random: Random(seed), slots: Vec::new(), most, rolls: 0 }
    }

    /// What is played of a cue. Three dice fall: which of them, how loud, how fast.
    pub fn roll(&mut self, cue: CueNumber, plan: &Plan, request: &Request) -> (Request, Terms) {
        let [which, loud, fast] = [0; 3].map(|_| self.random.next());
        let slot = self.slot_of(cue);
        self.rolls += 1;
        let held = &mut self.slots[slot];
        let (count, last) = (plan.variants.len(), held.last);
        // Of so many each as often.
        let one_of = |count: usize| (u128::from(which) * count as u128 / (1 << 64)) as usize;
        let at = match (plan.order, last) {
            (Order::Sequence, None) => 0,
            (Order::Sequence, Some(last)) => (last + 1) % count,
            (Order::Shuffle, Some(last)) if count > 1 => {
                let others: Vec<usize> = (0..count).filter(|at| *at != last).collect();
                others[one_of(count - 1)]
            }
            _ => one_of(count),
        };
        (held.last, held.rolled) = (Some(at), self.rolls);
        let (clip, gain) = plan.variants[at];
        let gain = within(gain * request.gain, 0.0, 1000.0);
        let gain = within(gain * db(plan.vary_gain * even(loud)), 0.0, 1000.0);
        let speed = request.speed * semitones(plan.vary_speed * even(fast));
        let speed = within(speed, 0.01, 100.0);
        let terms = Terms { slot, tenure: held.tenure, plan: plan.clone() };
        (Request { clip, gain, speed, ..request.clone() }, terms)
    }

    /// The cue that was not rolled for longest is forgotten for another.
    fn slot_of(&mut self, cue: CueNumber) -> usize {
        if let Some(slot) = self.slots.iter().position(|slot| slot.cue == cue) {
            return slot;
        }
        if self.slots.len() < self.most {
            self.slots.push(Slot { cue, tenure: 0, last: None, rolled: 0 });
            return self.slots.len() - 1;
        }
        let oldest = (0..self.most).min_by_key(|slot| self.slots[*slot].rolled);
        let slot = oldest.expect("there is at least one");
        let tenure = self.slots[slot].tenure + 1;
        self.slots[slot] = Slot { cue, tenure, last: None, rolled: 0 };
        slot
    }
}

fn within(value: f32, least: f32, most: f32) -> f32 {
    value.clamp(least, most)
}

/// From -1 to 1, in the middle of each of 2^24 steps.
fn even(die: u64) -> f32 {
    ((die >> 40) as f64 / 8_388_608.0 - 1.0 + 1.0 / 16_777_216.0) as f32
}
