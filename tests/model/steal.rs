//! Who has a voice in the naive mixer, and who gives it up.

use voicepool::{Priority, Refusal, WhenFull};

use super::naive::{What, Why};
use super::shaper::{Shape, Shaper};
use super::stage::{QUANTUM, Stage};
use super::voice::Voice;

impl Stage {
    pub fn claim(&mut self, voice: Voice) {
        if voice.is_over(&self.clips[voice.clip]) {
            return self.end(voice.number, What::Finished);
        }
        if self.playing.len() < self.limit {
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
        if self.playing.len() == self.limit
            && let Some(victim) = self.whom(voice.priority, voice.when_full)
        {
            self.rob(victim, voice.number);
            return self.take_stage(voice);
        }
        let refused = What::Refused(Refusal::PoolFull);
        match unheard {
            Some(why) => self.park_or_end(voice, why, What::Refused(Refusal::Inaudible)),
            None if voice.parks => self.park_or_end(voice, Why::PoolFull, refused),
            None => self.end(voice.number, refused),
        }
    }

    /// Its age counts from here.
    pub fn take_stage(&mut self, mut voice: Voice) {
        voice.born = self.born;
        self.born += 1;
        voice.shaper = (voice.shape != Shape::PLAIN)
            .then(|| Shaper::new(&voice.shape, self.config.sample_rate));
        self.playing.push(voice);
        self.rank(self.playing.len() - 1);
    }

    /// Works out how loud it is, and whether it goes first: it is stopping, and what is left of it
    /// is no more than a theft would leave.
    pub fn rank(&mut self, at: usize) {
        let voice = &mut self.playing[at];
        voice.rank = voice.own_level(&self.clips[voice.clip], self.config.sample_rate);
        voice.first = voice.stopping && voice.fade.left() <= self.declick;
    }

    /// Whom to rob for a newcomer of this priority.
    pub fn whom(&mut self, priority: Priority, when_full: WhenFull) -> Option<usize> {
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
        (0..self.playing.len())
            .filter(|at| may_go(&self.playing[*at]))
            .min_by(|a, b| key(a).partial_cmp(&key(b)).unwrap())
    }

    /// Gives the place of a voice to another.
    pub fn rob(&mut self, victim: usize, by: u64) {
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
            && let Some(at) = self.whom(Priority::High, WhenFull::StealQuietest)
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
