//! Who goes on in silence in the naive mixer, and who comes back from there.

use std::time::Duration;

use voicepool::WhenFull;

use super::naive::{What, Why};
use super::ramp::Ramp;
use super::stage::{QUANTUM, Stage};
use super::streams::{are_close, is_stream};
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
        self.hush(&mut voice);
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

    /// Free voices go to the loudest. And now and then, who has long been louder than whom it would rob takes
    /// that place.
    pub fn unpark(&mut self) {
        let every = (self.config.sample_rate / 2048).max(1);
        let review = (self.now / QUANTUM).is_multiple_of(every.into());
        for number in self.loudest_first() {
            let voice = self.parked[self.place_of(number)].clone();
            if self.lacks_stream_place(&voice) {
                if review {
                    self.parked_mut(number).louder_since = None;
                }
                continue;
            }
            let crowded = self.is_crowded(&self.parked[self.place_of(number)]);
            if self.playing.len() < self.limit && !crowded {
                if self.may_return(number) {
                    self.return_to_stage(number, &[]);
                } else if review {
                    self.parked_mut(number).louder_since = None;
                }
            } else if review {
                self.take_back(number);
            }
        }
    }

    fn take_back(&mut self, number: u64) {
        let victims = self.whom_it_outdoes(number);
        let (now, patience) = (self.now, self.frames_of(PATIENCE));
        let voice = self.parked_mut(number);
        let Some(victims) = victims else {
            voice.louder_since = None;
            return;
        };
        if now - *voice.louder_since.get_or_insert(now) >= patience {
            self.return_to_stage(number, &victims);
        }
    }

    /// Whose places one of the parked might take. Where too many play already, it can rob nobody.
    fn whom_it_outdoes(&mut self, number: u64) -> Option<Vec<u64>> {
        if self.playing.len() > self.limit || !self.may_return(number) {
            return None;
        }
        let voice = self.parked[self.place_of(number)].clone();
        let victims = self.victims(&voice, |answer| match answer {
            WhenFull::Refuse => WhenFull::Refuse,
            _ => WhenFull::StealQuietest,
        });
        let (victims, level) = (victims.ok()?, self.parked_level(&voice));
        let robbed = self.playing.iter().filter(|it| victims.contains(&it.number));
        let others: Vec<(f64, bool)> =
            robbed.map(|it| (it.level(it.rank, &self.buses), is_stream(it))).collect();
        let is_close = |(other, streamed): &(f64, bool)| {
            (*streamed || is_stream(&voice)) && are_close((level, 0.0), (LOUDER * other, 0.0))
        };
        self.undecided |= others.iter().any(is_close);
        let mut levels = others.into_iter().map(|(level, _)| level);
        // Silence is no louder than silence.
        (level > 0.0 && levels.all(|other| level >= LOUDER * other)).then_some(victims)
    }

    fn return_to_stage(&mut self, number: u64, victims: &[u64]) {
        let mut voice = self.parked.remove(self.place_of(number));
        victims.iter().for_each(|victim| self.rob(*victim, number));
        self.settle_in_place(&mut voice);
        voice.hold = Ramp::rest(0.0);
        voice.rise(0, self.declick);
        self.notice(number, What::Unparked);
        self.take_stage(voice);
    }

    /// Whoever parked first comes first among equals.
    fn loudest_first(&mut self) -> Vec<u64> {
        let mut all: Vec<(&Voice, f64)> =
            self.parked.iter().map(|it| (it, self.parked_level(it))).collect();
        all.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let is_close = |pair: &[(&Voice, f64)]| {
            let streamed = pair.iter().any(|(voice, _)| is_stream(voice));
            streamed && are_close((pair[0].1, 0.0), (pair[1].1, 0.0))
        };
        let undecided = all.windows(2).any(is_close);
        let numbers = all.into_iter().map(|(voice, _)| voice.number).collect();
        self.undecided |= undecided;
        numbers
    }

    fn parked_level(&self, voice: &Voice) -> f64 {
        let mut voice = voice.clone();
        self.settle_in_place(&mut voice);
        let own = voice.own_level(&self.clips[voice.clip], self.config.sample_rate);
        voice.level(own, &self.buses)
    }

    fn may_return(&self, number: u64) -> bool {
        let mut voice = self.parked[self.place_of(number)].clone();
        self.settle_in_place(&mut voice);
        let near = voice.spot.as_ref().is_none_or(|spot| spot.may_return(&self.space.ears));
        near && voice.inaudible(&self.buses, self.declick).is_none() && voice.guarded <= self.now
    }

    fn place_of(&self, number: u64) -> usize {
        self.parked.iter().position(|it| it.number == number).expect("it is parked")
    }

    fn parked_mut(&mut self, number: u64) -> &mut Voice {
        let at = self.place_of(number);
        &mut self.parked[at]
    }
}
