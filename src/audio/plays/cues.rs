//! What plays of each cue, and what of it began last.

use super::lists::TicketLists;
use crate::link::message::CueTerms;

/// What is known of the cues, by their slots. Of those with a limit it is known which of their plays have a
/// voice and are not stopping; a limit is never above [`Cue::MOST`](crate::Cue::MOST), so these are few.
pub(in crate::audio) struct Cues {
    cues: Box<[Entry]>,
    playing: TicketLists,
    /// How many plays are in these lists.
    listed: usize,
    /// A play that found no voice may find one since.
    eased: bool,
}

#[derive(Clone, Copy)]
struct Entry {
    /// Whose slot it is: how often it was given to another before.
    tenure: u32,
    /// How many are in its list.
    playing: u32,
    last: Option<Last>,
}

/// The play of a cue that began last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::audio) struct Last {
    pub ticket: u32,
    /// The number of the command that asked for it: its ticket may be another's by now.
    pub number: u64,
    pub at: u64,
    /// How loud it was when it began, with all that were merged into it.
    pub level: f32,
}

impl Entry {
    const fn new(tenure: u32) -> Entry {
        Entry { tenure, playing: 0, last: None }
    }
}

impl Cues {
    pub fn new(cues: usize, tickets: usize) -> Cues {
        Cues {
            cues: vec![Entry::new(0); cues].into_boxed_slice(),
            playing: TicketLists::new(cues, tickets),
            listed: 0,
            eased: false,
        }
    }

    /// What is known of a cue; nothing, if its slot was given to another since.
    fn get(&self, terms: &CueTerms) -> Option<&Entry> {
        self.cues.get(terms.slot as usize).filter(|cue| cue.tenure == terms.tenure)
    }

    /// The same for a play that begins. If the slot was given to its cue, the one before is forgotten.
    fn enter(&mut self, terms: &CueTerms) -> Option<&mut Entry> {
        let tenure = self.cues.get(terms.slot as usize)?.tenure;
        // As numbers that wrap: a play that had to wait may be of a cue that was there before.
        if terms.tenure.wrapping_sub(tenure).cast_signed() > 0 {
            while let Some(ticket) = self.playing.first(terms.slot) {
                self.remove(ticket);
            }
            *self.cues.get_mut(terms.slot as usize)? = Entry::new(terms.tenure);
        }
        self.cues.get_mut(terms.slot as usize).filter(|cue| cue.tenure == terms.tenure)
    }

    /// A play has got a voice.
    pub fn add(&mut self, ticket: u32, terms: &CueTerms) {
        if terms.at_most == CueTerms::UNLIMITED {
            return;
        }
        if let Some(cue) = self.enter(terms) {
            cue.playing += 1;
            self.listed += 1;
            self.playing.link(terms.slot, ticket);
        }
    }

    /// A play has no voice any more, or is stopping.
    pub fn remove(&mut self, ticket: u32) {
        let Some(slot) = self.playing.unlink(ticket) else { return };
        self.ease();
        self.listed = self.listed.saturating_sub(1);
        if let Some(cue) = self.cues.get_mut(slot as usize) {
            cue.playing = cue.playing.saturating_sub(1);
        }
    }

    /// Whether as many of a cue play as may.
    pub fn is_full(&self, terms: &CueTerms) -> bool {
        terms.at_most < CueTerms::UNLIMITED
            && self.get(terms).is_some_and(|cue| cue.playing >= u32::from(terms.at_most))
    }

    /// The tickets of those that play of a cue with a limit.
    pub fn playing(&self, terms: &CueTerms) -> impl Iterator<Item = u32> {
        let slot = self.get(terms).map(|_| terms.slot);
        slot.into_iter().flat_map(|slot| self.playing.iter(slot))
    }

    /// The play of a cue that began last, if there was one.
    pub fn last(&self, terms: &CueTerms) -> Option<Last> {
        self.get(terms)?.last
    }

    /// One of a cue has begun, or has got the power of another.
    pub fn set_last(&mut self, terms: &CueTerms, last: Last) {
        if let Some(cue) = self.enter(terms) {
            cue.last = Some(last);
        }
    }

    /// Whether any play might be kept from a voice by its cue.
    pub fn are_limited(&self) -> bool {
        self.listed > 0
    }

    /// There may be a voice for somebody who found none.
    pub fn ease(&mut self) {
        self.eased |= self.are_limited();
    }

    /// Whether there may be one since this was last asked.
    pub fn take_eased(&mut self) -> bool {
        std::mem::take(&mut self.eased)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMS: CueTerms =
        CueTerms { slot: 1, tenure: 0, cooldown: 0, merge_within: 0, at_most: 2, when_full: None };

    fn last(ticket: u32) -> Last {
        Last { ticket, number: 7, at: 0, level: 1.0 }
    }

    #[test]
    fn a_cue_is_full_while_as_many_play_as_may() {
        let mut cues = Cues::new(2, 8);
        assert!(!cues.are_limited() && !cues.is_full(&TERMS));
        [5, 3].iter().for_each(|ticket| cues.add(*ticket, &TERMS));
        assert!(cues.is_full(&TERMS) && cues.playing(&TERMS).eq([5, 3]));
        assert!(!cues.is_full(&CueTerms { slot: 0, ..TERMS }));
        assert!(!cues.take_eased());
        cues.remove(5);
        cues.remove(5);
        cues.remove(6);
        assert!(!cues.is_full(&TERMS) && cues.playing(&TERMS).eq([3]) && cues.are_limited());
        assert!(cues.take_eased() && !cues.take_eased());
        cues.remove(3);
        assert!(!cues.are_limited() && cues.take_eased());
        cues.ease();
        assert!(!cues.take_eased(), "nobody can wait for them");
    }

    #[test]
    fn a_cue_without_a_limit_has_no_list_and_is_never_full() {
        let mut cues = Cues::new(2, 400);
        let terms = CueTerms { at_most: CueTerms::UNLIMITED, ..TERMS };
        (0..300).for_each(|ticket| cues.add(ticket, &terms));
        assert!(!cues.is_full(&terms) && !cues.are_limited());
    }

    /// Tenures count up, and wrap.
    #[test]
    fn a_slot_that_is_given_to_another_cue_forgets_the_one_before() {
        for first in [0, u32::MAX - 1, u32::MAX] {
            let old = CueTerms { tenure: first, ..TERMS };
            let new = CueTerms { tenure: first.wrapping_add(1), ..TERMS };
            let mut cues = Cues::new(2, 8);
            // However it came to the first.
            for tenure in [first / 3, first / 3 * 2] {
                cues.set_last(&CueTerms { tenure, ..TERMS }, last(7));
            }
            [0, 1].iter().for_each(|ticket| cues.add(*ticket, &old));
            cues.set_last(&old, last(1));
            assert!(cues.is_full(&old) && !cues.is_full(&new));
            assert_eq!((cues.last(&old), cues.last(&new)), (Some(last(1)), None));
            cues.add(2, &new);
            assert!(!cues.is_full(&new) && !cues.is_full(&old) && cues.take_eased());
            assert!(cues.playing(&new).eq([2]) && cues.playing(&old).next().is_none());
            assert_eq!((cues.last(&old), cues.last(&new)), (None, None));
            // One that had to wait comes late.
            cues.add(3, &old);
            cues.set_last(&old, last(3));
            cues.remove(0);
            cues.set_last(&new, last(2));
            assert!(cues.playing(&new).eq([2]));
            assert_eq!((cues.last(&old), cues.last(&new)), (None, Some(last(2))));
        }
    }

    #[test]
    fn what_is_in_no_table_is_left_alone() {
        let mut cues = Cues::new(1, 1);
        cues.add(0, &TERMS);
        cues.set_last(&TERMS, last(0));
        assert!(!cues.is_full(&TERMS) && cues.last(&TERMS).is_none() && !cues.are_limited());
        assert!(cues.playing(&TERMS).next().is_none());
    }
}
