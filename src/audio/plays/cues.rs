//! What plays of each cue, and what of it began last.

use super::lists::TicketLists;
use crate::audio::voice::Voice;
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
    pub fn add(&mut self, voice: &Voice) {
        let Some(terms) = voice.cue.filter(|terms| terms.at_most < CueTerms::UNLIMITED) else {
            return;
        };
        if voice.is_stopping() {
            return;
        }
        if let Some(cue) = self.enter(&terms) {
            cue.playing += 1;
            self.listed += 1;
            self.playing.link(terms.slot, voice.ticket);
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
