//! Who follows whom in the naive mixer, and who goes for whom.

use voicepool::Refusal;

use super::motion::Motion;
use super::naive::What;
use super::stage::{Stage, Until, Waiting};
use super::voice::Voice;

/// For whom a play comes.
#[derive(Clone, Debug)]
pub enum Leaving {
    Plays(Vec<u64>),
    Bus(usize),
}

/// How a play came to its end, if it did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Past {
    Finished,
    Otherwise,
}

impl Stage {
    /// A play that is to follow another: at once, never, or when that one has finished.
    pub fn begin_after(&mut self, leader: u64, mut waiting: Waiting) {
        let number = waiting.voice.number;
        let stops = |it: &Voice| it.number == leader && it.stopping;
        match self.over.get(&leader) {
            Some(Past::Finished) => {
                self.tally.count("a play after one that had finished");
                waiting.until = Until::Left(0);
                self.begin_or_wait(waiting);
            }
            Some(Past::Otherwise) => {
                self.tally.count("a play after one that had not finished");
                self.end(number, What::Stopped);
            }
            None if self.playing.iter().any(stops) => {
                self.tally.count("a play after one that stops");
                self.end(number, What::Stopped);
            }
            None if self.waiting.len() == self.config.scheduled => {
                self.end(number, What::Refused(Refusal::ScheduleFull));
            }
            None => self.waiting.push(waiting),
        }
    }

    /// Those who wait for a play, in the order in which they came.
    fn followers(&self, leader: u64) -> Vec<u64> {
        let follows = |it: &&Waiting| matches!(it.until, Until::Finished(other) if other == leader);
        self.waiting.iter().filter(follows).map(|it| it.voice.number).collect()
    }

    /// It will not finish, and nobody need wait for that.
    pub fn abandon(&mut self, leader: u64) {
        for number in self.followers(leader) {
            self.tally.count("a follower whose leader did not finish");
            self.waiting.retain(|it| it.voice.number != number);
            self.end(number, What::Stopped);
        }
    }

    /// It is over: its followers need not wait, or need not come.
    pub fn release(&mut self, leader: u64, past: Past) {
        match past {
            Past::Finished => self.ready.extend(self.followers(leader)),
            Past::Otherwise => self.abandon(leader),
        }
    }

    /// Those begin whose leaders have finished.
    pub fn begin_ready(&mut self) {
        while !self.ready.is_empty() {
            let number = self.ready.remove(0);
            let Some(at) = self.waiting.iter().position(|it| it.voice.number == number) else {
                continue;
            };
            self.tally.count("a follower that was a newcomer");
            let waiting = self.waiting.remove(at);
            self.begin_due(waiting);
        }
    }

    /// One that waited, as it is when it begins.
    pub fn at_its_beginning(&self, waiting: Waiting) -> Voice {
        let Waiting { mut voice, paused, .. } = waiting;
        self.set_out(&mut voice);
        if let Some(spot) = &mut voice.spot {
            spot.motion = Motion::none(self.now);
        }
        if !paused {
            voice.rise(0, self.declick);
        }
        voice
    }

    /// One that waited begins.
    pub fn begin_due(&mut self, waiting: Waiting) {
        let voice = self.at_its_beginning(waiting);
        let number = voice.number;
        self.claim(voice);
        if self.playing.iter().any(|it| it.number == number) {
            self.notice(number, What::Started);
        }
    }

    /// One has finished, wherever it is. If it had a voice, the first who follows it gets that very one.
    pub fn finish(&mut self, number: u64) {
        let place = self.playing.iter().position(|it| it.number == number);
        let heir = place.and_then(|at| self.take_heir(at));
        match (place, heir) {
            (Some(at), Some(heir)) if !heir.is_over(&self.clips[heir.clip]) => {
                self.tally.count("a voice handed on");
                self.note_last(&heir);
                let follower = heir.number;
                self.playing[at] = heir;
                self.set_up(at);
                self.end(number, What::Finished);
                self.notice(follower, What::Started);
            }
            (_, heir) => {
                self.forget(number);
                self.end(number, What::Finished);
                if let Some(heir) = heir {
                    self.end(heir.number, What::Finished);
                }
            }
        }
    }

    /// The first who follows one, unless it must ask for a voice as others do.
    fn take_heir(&mut self, at: usize) -> Option<Voice> {
        let leader = &self.playing[at];
        let heir = *self.followers(leader.number).first()?;
        let heir = self.waiting.iter().position(|it| it.voice.number == heir)?;
        let voice = &self.waiting[heir].voice;
        let has_room = voice.bus == leader.bus || self.playing.len() <= self.limit;
        let crowded = self.is_crowded_without(voice, leader.number);
        if !has_room
            || crowded
            || self.is_recent(voice)
            || self.is_out_of_earshot(voice)
            || voice.comes_for.is_some()
        {
            return None;
        }
        let waiting = self.waiting.remove(heir);
        let mut voice = self.at_its_beginning(waiting);
        self.settle_in_place(&mut voice);
        Some(voice)
    }

    /// It has begun, and those go for whom it came.
    pub fn fade_others_out(&mut self, number: u64) {
        let mut begun = self.playing.iter().chain(&self.parked);
        let Some(voice) = begun.find(|it| it.number == number) else { return };
        let Some((leaving, over)) = voice.comes_for.clone() else { return };
        let over = self.frames_of(over);
        let others = match leaving {
            Leaving::Plays(plays) => plays,
            Leaving::Bus(bus) => {
                self.numbers_on(&self.told_below(bus), |it| !it.stopping && it.number < number)
            }
        };
        for other in others {
            if self.is_live(other) {
                self.tally.count("a play that went for another");
                self.fade_out(other, over, true);
            }
        }
    }
}
