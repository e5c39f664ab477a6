//! The ear test: one storm, A stealing the quietest and B stealing the oldest, in turn and by
//! itself, and what each of them loses.

use std::time::Duration;

use super::App;
use crate::logic::tally::{Loss, Losses};
use crate::logic::wand::TICKS;

/// How long each part is, in ticks: a silence, and then the storm, twice the same two seconds.
const PART: u64 = SILENCE + 4 * TICKS;
const SILENCE: u64 = TICKS;

/// How what still sounds goes: within the silence.
const FADE: Duration = Duration::from_millis(500);

/// The parts, and whom each steals: by the answer's place in [`ANSWERS`](crate::logic::wand::ANSWERS).
pub const PARTS: [(char, &str); 2] = [('A', "the quietest"), ('B', "the oldest")];

pub struct EarTest {
    /// The place in [`PARTS`] of the one that is heard.
    pub part: usize,
    /// What each part has lost so far.
    pub losses: [Losses; 2],
    /// How long this part has been heard, in ticks.
    age: u64,
    /// The answer to go back to.
    answer: usize,
}

impl EarTest {
    /// Whether the part can be heard: before that there is a silence.
    pub fn is_heard(&self) -> bool {
        self.age >= SILENCE
    }

    /// Until the other part is heard, in whole seconds.
    pub fn seconds_left(&self) -> u64 {
        (PART + SILENCE - self.age).div_ceil(TICKS)
    }
}

impl App {
    pub(super) fn begin_ear_test(&mut self) {
        let answer = self.ear_test.as_ref().map_or(self.wand.answer(), |test| test.answer);
        self.ear_test = Some(EarTest { part: 0, losses: Default::default(), age: 0, answer });
        self.begin_part(0);
    }

    /// The other part, from its beginning.
    pub(super) fn flip_ear_test(&mut self) {
        if let Some(EarTest { part, .. }) = self.ear_test {
            self.begin_part(1 - part);
        }
    }

    /// Each part begins in an empty pool, or the second would begin with what the first left.
    fn begin_part(&mut self, part: usize) {
        self.wand.calm(FADE);
        self.wand.set_answer(part);
        if let Some(test) = &mut self.ear_test {
            (test.part, test.age) = (part, 0);
        }
    }

    /// Ends the test, and gives back the answer that was in force before it.
    pub(super) fn leave_ear_test(&mut self) {
        if let Some(EarTest { answer, .. }) = self.ear_test.take() {
            self.wand.calm(FADE);
            self.wand.set_answer(answer);
        }
    }

    /// Lets a tick of the test pass.
    pub(super) fn tick_ear_test(&mut self) {
        let Some(test) = self.ear_test.as_mut().filter(|_| !self.paused) else { return };
        test.age += 1;
        match test.age {
            SILENCE => self.wand.storm(true),
            PART => self.flip_ear_test(),
            _ => (),
        }
    }

    /// Counts a loss for the part whose answer chose it. What is told in the silence was lost
    /// before it.
    pub(super) fn count_for_ear_test(&mut self, answer: usize, loss: Loss) {
        let test = self.ear_test.as_mut().filter(|test| test.is_heard());
        if let Some(losses) = test.and_then(|test| test.losses.get_mut(answer)) {
            losses.lose(loss);
        }
    }
}
