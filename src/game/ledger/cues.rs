//! The dice that cues roll, and what is remembered of each cue.

use crate::cue::{Cue, Order};
use crate::link::message::CueTerms;
use crate::play::{Settings, sanitize_gain, sanitize_speed};
use crate::sound::Media;
use crate::units::{db, semitones, short_frames};

/// The dice of a mixer, and what each of its cues played last. Its memory is as large as it ever gets from
/// the beginning: when there are more cues, the one that was not rolled for longest is forgotten.
pub(super) struct Cues {
    dice: Dice,
    entries: Box<[Entry]>,
    /// For each hash of a cue's number, the first of those that have it.
    buckets: Box<[u32]>,
    /// By how much the hash of a number is shifted to give its bucket.
    shift: u32,
    /// How many entries were ever used: the first so many.
    used: u32,
    /// The ends of the list of all that are used, by when they were last rolled.
    newest: u32,
    oldest: u32,
}

/// What is remembered of a cue. Its place in the table is its slot.
#[derive(Clone, Copy)]
struct Entry {
    cue: u64,
    /// How often the slot was given to another cue before.
    tenure: u32,
    /// The variant that was rolled last, if one was.
    last: Option<u32>,
    newer: u32,
    older: u32,
    next_in_bucket: u32,
}

/// Where a list ends.
const NONE: u32 = u32::MAX;

const UNUSED: Entry =
    Entry { cue: 0, tenure: 0, last: None, newer: NONE, older: NONE, next_in_bucket: NONE };

/// What came of a roll.
pub(in crate::game) struct Roll<'a> {
    pub media: &'a Media,
    pub settings: Settings,
    pub terms: CueTerms,
}

impl Cues {
    pub fn new(cues: usize, seed: u64) -> Cues {
        let bits = cues.next_power_of_two().ilog2().max(1);
        Cues {
            dice: Dice(seed),
            entries: vec![UNUSED; cues].into_boxed_slice(),
            buckets: vec![NONE; 1 << bits].into_boxed_slice(),
            shift: u64::BITS - bits,
            used: 0,
            newest: NONE,
            oldest: NONE,
        }
    }

    /// Rolls which variant of a cue is played, how loud and how fast, with what its play says on top.
    ///
    /// Three dice fall for every roll, in this order, whether or not there is anything to choose: so a
    /// cue that begins to vary leaves all others as they were.
    pub fn roll<'a>(&mut self, cue: &'a Cue, play: &Settings, rate: u32) -> Roll<'a> {
        let inner = cue.inner();
        let dice = [self.dice.next(), self.dice.next(), self.dice.next()];
        let slot = self.slot_of(inner.number);
        let entry = &mut self.entries[slot as usize];
        let at = choose(inner.order, inner.variants.len(), entry.last, dice[0]);
        entry.last = Some(at as u32);
        let variant = &inner.variants[at];
        let mut settings = play.on_top_of(&variant.settings);
        settings.gain = sanitize_gain(settings.gain * db(inner.vary_gain * even(dice[1])));
        settings.speed =
            sanitize_speed(settings.speed * semitones(inner.vary_speed * even(dice[2])));
        let terms = CueTerms {
            slot,
            tenure: entry.tenure,
            cooldown: short_frames(inner.cooldown, rate),
            merge_within: short_frames(inner.merge_within, rate),
            at_most: inner.at_most.unwrap_or(CueTerms::UNLIMITED),
            when_full: inner.when_full,
        };
        Roll { media: &variant.media, settings, terms }
    }

    /// The slot of a cue, which is the newest then. If it has none yet, it gets one: a new one, or that of
    /// the oldest.
    fn slot_of(&mut self, cue: u64) -> u32 {
        let slot = match self.find(cue) {
            Some(slot) => slot,
            None => self.enter(cue),
        };
        if slot != self.newest {
            self.unlink(slot);
            self.link_as_newest(slot);
        }
        slot
    }

    fn find(&self, cue: u64) -> Option<u32> {
        let mut slot = self.buckets[self.bucket(cue)];
        while slot != NONE {
            let entry = &self.entries[slot as usize];
            if entry.cue == cue {
                return Some(slot);
            }
            slot = entry.next_in_bucket;
        }
        None
    }

    fn enter(&mut self, cue: u64) -> u32 {
        let slot = if (self.used as usize) < self.entries.len() {
            let slot = self.used;
            self.used += 1;
            self.link_as_newest(slot);
            slot
        } else {
            let slot = self.oldest;
            self.leave_bucket(slot);
            let entry = &mut self.entries[slot as usize];
            (entry.last, entry.tenure) = (None, entry.tenure.wrapping_add(1));
            slot
        };
        let bucket = self.bucket(cue);
        let first = std::mem::replace(&mut self.buckets[bucket], slot);
        let entry = &mut self.entries[slot as usize];
        (entry.cue, entry.next_in_bucket) = (cue, first);
        slot
    }

    fn bucket(&self, cue: u64) -> usize {
        // The golden ratio: its upper bits spread numbers that follow each other.
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        (cue.wrapping_mul(SPREAD) >> self.shift) as usize
    }

    fn leave_bucket(&mut self, slot: u32) {
        let Entry { cue, next_in_bucket: next, .. } = self.entries[slot as usize];
        let bucket = self.bucket(cue);
        if self.buckets[bucket] == slot {
            self.buckets[bucket] = next;
            return;
        }
        let mut before = self.buckets[bucket];
        while self.entries[before as usize].next_in_bucket != slot {
            before = self.entries[before as usize].next_in_bucket;
        }
        self.entries[before as usize].next_in_bucket = next;
    }

    fn link_as_newest(&mut self, slot: u32) {
        let older = std::mem::replace(&mut self.newest, slot);
        match self.entries.get_mut(older as usize) {
            Some(entry) => entry.newer = slot,
            None => self.oldest = slot,
        }
        let entry = &mut self.entries[slot as usize];
        (entry.newer, entry.older) = (NONE, older);
    }

    fn unlink(&mut self, slot: u32) {
        let Entry { newer, older, .. } = self.entries[slot as usize];
        match self.entries.get_mut(newer as usize) {
            Some(entry) => entry.older = older,
            None => self.newest = older,
        }
        match self.entries.get_mut(older as usize) {
            Some(entry) => entry.newer = newer,
            None => self.oldest = newer,
        }
    }
}

/// Which of so many variants comes after the last one.
fn choose(order: Order, variants: usize, last: Option<u32>, die: u64) -> usize {
    let last = last.map(|last| last as usize);
    match (order, last) {
        (Order::Sequence, _) => last.map_or(0, |last| (last + 1) % variants),
        (Order::Shuffle, Some(last)) if variants > 1 => {
            let other = below(variants - 1, die);
            if other < last { other } else { other + 1 }
        }
        (Order::Random | Order::Shuffle, _) => below(variants, die),
    }
}

/// What a die says, as one of the numbers below `count`. All are alike, to less than one in a billion.
fn below(count: usize, die: u64) -> usize {
    ((u128::from(die) * count as u128) >> 64) as usize
}

/// What a die says, evenly between -1 and 1, and as often above 0 as below.
fn even(die: u64) -> f32 {
    const HALF: i32 = 1 << 24;
    // An odd number of 24 bits, so that it is exact.
    let odd = 2 * (die >> 40) as i32 + 1;
    (odd - HALF) as f32 / HALF as f32
}

/// Integers alone (SplitMix64, Steele et al. 2014), so that it is the same on every platform.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

#[cfg(test)]
mod tests;
