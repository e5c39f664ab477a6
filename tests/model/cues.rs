//! The cues of the naive mixer: who goes into another, who comes too soon, whom a full cue robs.

use voicepool::{Refusal, WhenFull};

use super::dice::Terms;
use super::naive::{What, Why};
use super::ramp::Ramp;
use super::stage::Stage;
use super::voice::Voice;

/// What is known of the cue in a slot.
#[derive(Clone, Copy)]
pub struct Known {
    tenure: u64,
    last: Option<Last>,
}

/// The play that began last: when, and how loud with all that were merged into it.
#[derive(Clone, Copy)]
struct Last {
    number: u64,
    at: u64,
    level: f32,
}

/// What becomes of one for whom there is no voice: if it may park, and if not.
pub type NoVoice = (Why, What);

impl Stage {
    /// Whether as many of its cue play as may.
    pub fn is_crowded(&self, voice: &Voice) -> bool {
        self.crowd(voice, |_| true)
    }

    /// The same if one of them were gone.
    pub fn is_crowded_without(&self, voice: &Voice, gone: u64) -> bool {
        self.crowd(voice, |it| it.number != gone)
    }

    fn crowd(&self, voice: &Voice, counts: impl Fn(&Voice) -> bool) -> bool {
        let Some(terms) = &voice.cue else { return false };
        let most = terms.plan.at_most.filter(|_| self.known(terms).is_some());
        most.is_some_and(|most| self.playing_of(terms).filter(|it| counts(it)).count() >= most)
    }

    /// Whether the last one of its cue began so short a time ago that a newcomer may go into it or come too soon.
    pub fn is_recent(&self, voice: &Voice) -> bool {
        let Some(terms) = &voice.cue else { return false };
        let Some(last) = self.known(terms).and_then(|known| known.last) else { return false };
        let [within, cooldown] =
            [terms.plan.merge_within, terms.plan.cooldown].map(|it| self.frames_of(it));
        let ago = self.now - last.at;
        within > 0 && ago <= within || ago < cooldown
    }

    /// Those that play of a cue and are not stopping.
    fn playing_of(&self, terms: &Terms) -> impl Iterator<Item = &Voice> {
        let id = |terms: &Terms| (terms.slot, terms.tenure);
        let of = id(terms);
        let own = move |it: &&Voice| it.cue.as_ref().is_some_and(|own| id(own) == of);
        self.playing.iter().filter(own).filter(|it| !it.stopping)
    }

    /// What is known of a cue, unless its slot was given to another since.
    fn known(&self, terms: &Terms) -> Option<&Known> {
        self.cues.get(&terms.slot).filter(|known| known.tenure == terms.tenure)
    }

    /// A play of a cue has got a voice, so that its slot is its own from here on; unless it comes late, and
    /// the slot is another's already.
    pub fn note_cue(&mut self, terms: &Terms) -> Option<&mut Known> {
        let tenure = terms.tenure;
        let known = self.cues.entry(terms.slot).or_insert(Known { tenure, last: None });
        if known.tenure < tenure {
            *known = Known { tenure, last: None };
            self.tally.count("a cue that took the place of another");
        }
        Some(known).filter(|known| known.tenure == tenure)
    }

    /// It is what those that come next are compared with.
    pub fn note_last(&mut self, voice: &Voice) {
        let Some(terms) = voice.cue.clone() else { return };
        let last = Last { number: voice.number, at: self.now, level: self.heard_level(voice) };
        // Times of less than half a frame are none.
        let times = [terms.plan.cooldown, terms.plan.merge_within];
        if times.into_iter().any(|time| self.frames_of(time) > 0)
            && let Some(known) = self.note_cue(&terms)
        {
            known.last = Some(last);
        }
    }

    /// How loud a newcomer is to the ear, before the master.
    fn heard_level(&self, voice: &Voice) -> f32 {
        let own = voice.own_level(&self.clips[voice.clip], self.config.sample_rate);
        voice.level(own, &self.buses) as f32
    }

    /// Merges a newcomer into the last one of its cue, or refuses it because it comes too soon.
    pub fn ask_cue(&mut self, voice: &Voice) -> Option<What> {
        let terms = voice.cue.clone()?;
        let last = self.known(&terms)?.last?;
        let ago = self.now - last.at;
        let [within, cooldown] =
            [terms.plan.merge_within, terms.plan.cooldown].map(|it| self.frames_of(it));
        let level = self.heard_level(voice);
        let still = |it: &Voice| it.number == last.number && !it.stopping;
        if within > 0
            && ago <= within
            && last.level > 0.0
            && let Some(at) = self.playing.iter().position(still)
        {
            let both = f64::from(last.level).hypot(f64::from(level));
            self.boost(at, (both / f64::from(last.level)) as f32);
            let known = self.note_cue(&terms).expect("it is known");
            known.last = Some(Last { level: both as f32, ..last });
            self.tally.count("a merged play");
            return Some(What::Merged(last.number));
        }
        (ago < cooldown && level <= last.level).then(|| {
            self.tally.count("a play that came too soon");
            What::Refused(Refusal::Cooldown)
        })
    }

    /// It has the power of another as well: at once, if it was not heard yet.
    fn boost(&mut self, at: usize, factor: f32) {
        let voice = &mut self.playing[at];
        let to = (voice.boost.to * factor).min(1000.0);
        if voice.heard {
            voice.boost.head_for(to, self.declick);
        } else {
            voice.boost = Ramp::rest(to);
        }
        self.rank(at);
    }

    /// Who gives way to a play, by their numbers: one for its cue, and one for the pool, for which the first
    /// counts as gone; so there are two only where a pool shrinks. Or what becomes of it.
    pub fn victims(
        &mut self,
        voice: &Voice,
        answer: fn(WhenFull) -> WhenFull,
    ) -> Result<Vec<u64>, NoVoice> {
        let mut victims = Vec::new();
        if let Some(terms) = voice.cue.as_ref().filter(|_| self.is_crowded(voice)) {
            let when_full = answer(terms.plan.when_full.unwrap_or(WhenFull::StealQuietest));
            let own: Vec<u64> = self.playing_of(terms).map(|it| it.number).collect();
            let victim = self.whom(voice.priority, when_full, |it| own.contains(&it.number));
            let Some(victim) = victim else {
                self.tally.count("nobody to rob in a full cue");
                return Err((Why::CueFull, What::Refused(Refusal::CueFull)));
            };
            self.tally.count("a victim in a full cue");
            victims.push(self.playing[victim].number);
        }
        let left = self.playing.len() - victims.len();
        if left >= self.limit {
            let gone = victims.clone();
            let victim = Some(()).filter(|()| left == self.limit).and_then(|()| {
                let when_full = answer(voice.when_full);
                self.whom(voice.priority, when_full, |it| !gone.contains(&it.number))
            });
            let Some(victim) = victim else {
                return Err((Why::PoolFull, What::Refused(Refusal::PoolFull)));
            };
            victims.push(self.playing[victim].number);
        }
        Ok(victims)
    }
}
