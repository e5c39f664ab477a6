//! Who has a voice in the naive mixer, and who gives it up.

use voicepool::{Priority, Refusal, WhenFull};

use super::naive::{What, Why};
use super::shaper::{Shape, Shaper};
use super::stage::{QUANTUM, Stage};
use super::streams::{are_close, is_stream};
use super::voice::Voice;

impl Stage {
    pub fn claim(&mut self, voice: Voice) {
        let number = voice.number;
        self.ask_for_a_voice(voice);
        self.fade_others_out(number);
    }

    fn ask_for_a_voice(&mut self, mut voice: Voice) {
        if voice.is_over(&self.clips[voice.clip]) {
            return self.end(voice.number, What::Finished);
        }
        if self.is_out_of_earshot(&voice) {
            if self.parked.len() < self.config.parked {
                self.tally.count("a newcomer out of earshot");
                return self.park_or_end(voice, Why::Inaudible, What::Stopped);
            }
            self.tally.count("a newcomer out of earshot, and no room for it to park");
            self.space.stranded = true;
        }
        self.settle_in_place(&mut voice);
        if let Some(what) = self.ask_cue(&voice) {
            return self.end(voice.number, what);
        }
        if self.playing.len() < self.limit && !self.is_crowded(&voice) {
            self.note_last(&voice);
            return self.take_stage(voice);
        }
        self.full += 1;
        // Who is not heard robs nobody, unless it must not miss its moment.
        let unheard = voice.inaudible(&self.buses, self.declick);
        if let Some(why) = unheard
            && voice.priority < Priority::Protected
        {
            return self.park_or_end(voice, why, What::Refused(Refusal::Inaudible));
        }
        match (self.victims(&voice, |answer| answer), unheard) {
            (Ok(victims), _) => {
                victims.into_iter().for_each(|victim| self.rob(victim, voice.number));
                self.note_last(&voice);
                self.take_stage(voice);
            }
            (_, Some(why)) => self.park_or_end(voice, why, What::Refused(Refusal::Inaudible)),
            (Err((why, refused)), _) if voice.parks => self.park_or_end(voice, why, refused),
            (Err((_, refused)), _) => self.end(voice.number, refused),
        }
    }

    pub fn take_stage(&mut self, voice: Voice) {
        self.playing.push(voice);
        self.set_up(self.playing.len() - 1);
    }

    /// Somebody has just got a voice. Its age counts from here.
    pub fn set_up(&mut self, at: usize) {
        let voice = &mut self.playing[at];
        voice.born = self.born;
        self.born += 1;
        voice.shaper = (voice.shape != Shape::PLAIN)
            .then(|| Shaper::new(&voice.shape, self.config.sample_rate));
        if let Some(terms) = voice.cue.clone().filter(|it| it.plan.at_most.is_some()) {
            self.note_cue(&terms);
        }
        self.bend(at);
        self.rank(at);
    }

    /// Works out how loud it is, and whether it goes first: it is stopping, and what is left of it
    /// is no more than a theft would leave.
    pub fn rank(&mut self, at: usize) {
        let voice = &mut self.playing[at];
        voice.rank = voice.own_level(&self.clips[voice.clip], self.config.sample_rate);
        voice.first = voice.stopping && voice.fade.left() <= self.declick;
    }

    /// Whom to rob for a newcomer of this priority, of all who may be chosen.
    pub fn whom(
        &mut self,
        priority: Priority,
        when_full: WhenFull,
        among: impl Fn(&Voice) -> bool,
    ) -> Option<usize> {
        if when_full == WhenFull::Refuse {
            return None;
        }
        if self.ranked != Some(self.now / QUANTUM) {
            self.ranked = Some(self.now / QUANTUM);
            (0..self.playing.len()).for_each(|at| self.rank(at));
        }
        let may_go = |voice: &Voice| {
            let guarded = voice.priority == Priority::Protected && !voice.stopping;
            voice.first || (voice.priority <= priority && !guarded)
        };
        let by_level = when_full != WhenFull::StealOldest;
        let key = |at: &usize| {
            let voice = &self.playing[*at];
            let levels = (voice.level(voice.rank, &self.buses), voice.rank);
            // Who goes first goes whatever its priority.
            let class = Some(voice.priority).filter(|_| !voice.first);
            (class, if by_level { levels } else { (0.0, 0.0) }, voice.born)
        };
        let all: Vec<usize> = (0..self.playing.len())
            .filter(|at| may_go(&self.playing[*at]) && among(&self.playing[*at]))
            .collect();
        let chosen = *all.iter().min_by(|a, b| key(a).partial_cmp(&key(b)).unwrap())?;
        let (class, levels, _) = key(&chosen);
        let is_close = |rival: &usize| {
            let (other_class, other_levels, _) = key(rival);
            let streams = [chosen, *rival].map(|at| is_stream(&self.playing[at]));
            other_class == class && streams.contains(&true) && are_close(levels, other_levels)
        };
        self.undecided |= all.iter().any(|rival| *rival != chosen && is_close(rival));
        Some(chosen)
    }

    /// Gives the place of a voice to another.
    pub fn rob(&mut self, victim: u64, by: u64) {
        let victim = self.playing.iter().position(|it| it.number == victim).expect("it plays");
        let voice = &self.playing[victim];
        let level = (voice.level(voice.rank, &self.buses) * self.buses[0].promise()) as f32;
        self.dismiss(victim, Why::Stolen { by, level }, What::Stolen { by, level });
    }

    /// It parks if it may, for this reason unless it was paused; else it ends.
    fn dismiss(&mut self, at: usize, why: Why, end: What) {
        self.leave_ghost(at);
        let mut voice = self.playing.remove(at);
        voice.shaper = None;
        if voice.stopping {
            self.end(voice.number, What::Stopped);
        } else if voice.is_held(&self.buses) {
            self.park_or_end(voice, Why::Paused, end);
        } else if voice.falls_silent_with_distance() {
            self.tally.count("a voice robbed on its way out of earshot");
            self.park_or_end(voice, Why::Inaudible, end);
        } else if voice.parks {
            self.park_or_end(voice, why, end);
        } else {
            self.end(voice.number, end);
        }
    }

    /// Those who are too many go, quietest first; then the pool has its new size.
    pub fn settle(&mut self) {
        if !self.resizing {
            return;
        }
        while self.playing.len() > self.limit
            && let Some(at) = self.whom(Priority::High, WhenFull::StealQuietest, |_| true)
        {
            self.dismiss(at, Why::Shrunk, What::Stopped);
        }
        if self.playing.len() <= self.limit {
            // A pool of another size asks for the levels anew.
            (self.resizing, self.ranked) = (false, None);
            self.retire();
        }
    }
}
