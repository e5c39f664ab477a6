//! Who goes on in silence in the naive mixer, and who comes back from there.

use std::time::Duration;

use voicepool::WhenFull;

use super::naive::{What, Why};
use super::ramp::Ramp;
use super::stage::{QUANTUM, Stage};
use super::voice::Voice;

/// How long the robbed stay away, and how long one must be louder to take a place back.
const PATIENCE: Duration = Duration::from_millis(250);

/// How much louder that is: 6 dB.
const LOUDER: f64 = 1.995_262_3;

impl Stage {
    pub fn park_or_end(&mut self, mut voice: Voice, why: Why, end: What) {
        if self.parked.len() == self.config.parked {
            return self.end(voice.number, end);
        }
        voice.hush();
        let robbed = matches!(why, Why::Stolen { .. } | Why::Shrunk);
        voice.guarded = if robbed { self.now + self.frames_of(PATIENCE) } else { 0 };
        voice.louder_since = None;
        self.parkings += 1;
        if let Why::Stolen { level, .. } = why {
            self.loudest_parked = self.loudest_parked.max(level);
        }
        self.notice(voice.number, What::Parked(why));
        self.parked.push(voice);
    }

    /// Free voices go to the loudest.
    pub fn unpark(&mut self) {
        while self.playing.len() < self.limit {
            let loudest_first = self.loudest_first();
            let first = loudest_first.into_iter().find(|number| self.may_return(*number));
            let Some(number) = first else { return };
            self.return_to_stage(number, None);
        }
    }

    /// Now and then, who has long been louder than whom it would rob takes that place.
    pub fn take_back(&mut self) {
        let every = (self.config.sample_rate / 2048).max(1);
        if !(self.now / QUANTUM).is_multiple_of(every.into()) {
            return;
        }
        if self.playing.len() > self.limit {
            // Too many play already, and nobody is louder than whom it cannot rob.
            return self.parked.iter_mut().for_each(|voice| voice.louder_since = None);
        }
        for number in self.loudest_first() {
            let victim = self.whom_it_outdoes(number);
            let patience = self.frames_of(PATIENCE);
            let now = self.now;
            let voice = self.parked_mut(number);
            if victim.is_none() {
                voice.louder_since = None;
            } else if now - *voice.louder_since.get_or_insert(now) >= patience {
                self.return_to_stage(number, victim);
            }
        }
    }

    /// Whose place one of the parked might take.
    fn whom_it_outdoes(&mut self, number: u64) -> Option<usize> {
        let (priority, when_full) = {
            let voice = self.parked_mut(number);
            (voice.priority, voice.when_full)
        };
        let full = self.playing.len() == self.limit;
        if when_full == WhenFull::Refuse || !full || !self.may_return(number) {
            return None;
        }
        let victim = self.whom(priority, WhenFull::StealQuietest)?;
        let level = self.parked_level(&self.parked[self.place_of(number)]);
        let playing = &self.playing[victim];
        // Silence is no louder than silence.
        let louder = level > 0.0 && level >= LOUDER * playing.level(playing.rank, &self.buses);
        louder.then_some(victim)
    }

    fn return_to_stage(&mut self, number: u64, victim: Option<usize>) {
        let mut voice = self.parked.remove(self.place_of(number));
        if let Some(victim) = victim {
            self.rob(victim, number);
        }
        voice.hold = Ramp::rest(0.0);
        voice.rise(0, self.declick);
        self.notice(number, What::Unparked);
        self.take_stage(voice);
    }

    /// Whoever parked first comes first among equals.
    fn loudest_first(&self) -> Vec<u64> {
        let mut all: Vec<(u64, f64)> =
            self.parked.iter().map(|it| (it.number, self.parked_level(it))).collect();
        all.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        all.into_iter().map(|(number, _)| number).collect()
    }

    fn parked_level(&self, voice: &Voice) -> f64 {
        let own = voice.own_level(&self.clips[voice.clip], self.config.sample_rate);
        voice.level(own, &self.buses)
    }

    fn may_return(&self, number: u64) -> bool {
        let voice = &self.parked[self.place_of(number)];
        voice.inaudible(&self.buses, self.declick).is_none() && voice.guarded <= self.now
    }

    fn place_of(&self, number: u64) -> usize {
        self.parked.iter().position(|it| it.number == number).expect("it is parked")
    }

    fn parked_mut(&mut self, number: u64) -> &mut Voice {
        let at = self.place_of(number);
        &mut self.parked[at]
    }
}
