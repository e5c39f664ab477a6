//! The naive twin's cues: who goes into another, who comes too soon, whom a full cue robs.

use voicepool::{Parking, Refusal, WhenFull};

use super::{Oracle, Steady, Voice, What, insist};

/// What a play's cue says.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Which it is.
    pub cue: u64,
    pub at_most: Option<usize>,
    pub when_full: Option<WhenFull>,
    /// In frames.
    pub cooldown: u64,
    pub merge_within: Option<u64>,
}

/// The play of a cue that began last.
#[derive(Clone, Copy)]
pub struct Last {
    tag: u64,
    at: u64,
    level: f32,
}

fn is_of(voice: &Voice, terms: &Terms) -> bool {
    voice.play.cue.is_some_and(|own| own.cue == terms.cue)
}

impl Oracle {
    /// Whether as many of a play's cue play as may.
    pub(super) fn is_crowded(&self, play: &Steady) -> bool {
        let Some(terms) = &play.cue else { return false };
        let playing = self.playing.iter().filter(|voice| is_of(voice, terms) && !voice.leaving);
        terms.at_most.is_some_and(|most| playing.count() >= most)
    }

    /// Merges a newcomer into the last one of its cue, or refuses it because it came too soon.
    pub(super) fn ask_cue(&mut self, newcomer: &Voice) -> Option<What> {
        let (level, terms) = (newcomer.level(), newcomer.play.cue?);
        let last = self.last.get_mut(&terms.cue)?;
        let ago = self.now - last.at;
        let mut playing = self.playing.iter_mut().filter(|voice| !voice.leaving);
        if terms.merge_within.is_some_and(|within| ago <= within)
            && last.level > 0.0
            && let Some(into) = playing.find(|voice| voice.play.tag == last.tag)
        {
            let both = f64::from(last.level).hypot(f64::from(level));
            into.boost *= (both / f64::from(last.level)) as f32;
            last.level = both as f32;
            return Some(What::MergedInto(last.tag));
        }
        let too_soon = ago < terms.cooldown && level <= last.level;
        too_soon.then_some(What::Refused(Refusal::Cooldown))
    }

    pub(super) fn note_last(&mut self, voice: &Voice) {
        if let Some(terms) = voice.play.cue {
            let last = Last { tag: voice.play.tag, at: self.now, level: voice.level() };
            self.last.insert(terms.cue, last);
        }
    }

    /// Who gives way to a play: for its cue, and then, as if that one were gone, for a bus or the pool. Or
    /// what becomes of it, if it may park and if not.
    pub(super) fn victims_for(&self, play: &Steady, insists: bool) -> Result<Vec<u64>, [What; 2]> {
        let Some(terms) = play.cue.filter(|_| self.is_crowded(play)) else {
            return Ok(self.victim_for(play, insists)?.into_iter().collect());
        };
        let when_full = insist(terms.when_full.unwrap_or(WhenFull::StealQuietest), insists);
        let own = |voice: &Voice| is_of(voice, &terms) && !voice.leaving;
        let Some(at) = self.victim(play.priority, when_full, own) else {
            return Err([What::Parked(Parking::CueFull), What::Refused(Refusal::CueFull)]);
        };
        let mut without = self.clone();
        let first = without.playing.remove(at).play.tag;
        let second = without.victim_for(play, insists)?;
        Ok([first].into_iter().chain(second).collect())
    }
}
