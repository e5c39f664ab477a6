//! The naive twin: who gets a voice, where buses have limits and reserves, and cues are played. Everything
//! is looked for among all, every time, as the rules are written down.

#[path = "../cues/oracle.rs"]
mod cues;

use cues::Last;
pub use cues::Terms;
use std::collections::HashMap;

use voicepool::{Bus, Parking, Priority, Refusal, WhenFull};

pub const QUANTUM: u64 = 128;

/// How many buses there are, the master among them.
pub const BUSES: usize = 6;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    Stopped,
    Stolen(u64),
    Refused(Refusal),
    MergedInto(u64),
    Parked(Parking),
    ParkedBy(u64),
    Unparked,
    Started,
}

/// Who, when, and what became of it.
pub type News = (u64, u64, What);

/// A steady sound without an end.
#[derive(Clone, Copy, Debug)]
pub struct Steady {
    pub tag: u64,
    pub bus: usize,
    pub level: f32,
    pub priority: Priority,
    pub parks: bool,
    pub when_full: WhenFull,
    pub start: u64,
    pub cue: Option<Terms>,
}

#[derive(Clone, Copy)]
struct Voice {
    play: Steady,
    /// What those that were merged into it make of its level.
    boost: f32,
    heard: bool,
    leaving: bool,
    guarded_until: u64,
    /// The reviews between which it was much louder: the first and the last.
    louder: Option<[u64; 2]>,
}

impl Voice {
    /// To 16 bits: two that the ear could never tell apart are alike.
    fn level(&self) -> f32 {
        f32::from_bits(((self.play.level * self.boost).to_bits() + 0x40) & !0x7f)
    }
}

/// What keeps a newcomer from a free voice.
struct Full {
    /// The bus that is full, if it is not the pool.
    bus: Option<usize>,
}

#[derive(Clone)]
pub struct Oracle {
    buses: [Bus; BUSES],
    parents: [usize; BUSES],
    limit: usize,
    /// Whether everybody fitted into the pool when that was last seen to.
    pub settled: bool,
    most_parked: usize,
    pub now: u64,
    declick: u64,
    guard: u64,
    review: u64,
    /// Oldest first.
    playing: Vec<Voice>,
    /// In the order in which they parked.
    parked: Vec<Voice>,
    waiting: Vec<Voice>,
    pub full: u64,
    /// What began last of each cue.
    last: HashMap<u64, Last>,
    news: Vec<News>,
}

impl Oracle {
    pub fn new(voices: usize, most_parked: usize, rate: u64) -> Oracle {
        Oracle {
            buses: [Bus::DEFAULT; BUSES],
            parents: [0; BUSES],
            limit: voices,
            settled: true,
            most_parked,
            now: 0,
            declick: rate / 200,
            guard: rate / 4,
            review: (rate / 16 / QUANTUM).max(1),
            playing: Vec::new(),
            parked: Vec::new(),
            waiting: Vec::new(),
            full: 0,
            last: HashMap::new(),
            news: Vec::new(),
        }
    }

    pub fn playing(&self) -> usize {
        self.playing.len()
    }

    pub fn parked(&self) -> usize {
        self.parked.len()
    }

    /// Whether somebody may take a place back on the coming line.
    pub fn is_review(&self) -> bool {
        (self.now / QUANTUM).is_multiple_of(self.review)
    }

    fn is_too_large(&self) -> bool {
        self.playing.len() > self.limit
    }

    // The buses.

    /// A bus and all that it leads through.
    fn way(&self, bus: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(bus), |bus| (*bus > 0).then(|| self.parents[*bus]))
    }

    fn is_below(&self, bus: usize, above: usize) -> bool {
        self.way(bus).any(|bus| bus == above)
    }

    fn count(&self, bus: usize) -> usize {
        self.playing.iter().filter(|voice| self.is_below(voice.play.bus, bus)).count()
    }

    /// What is missing of a bus's reserve and of those below it.
    fn demand(&self, bus: usize) -> usize {
        let below: usize = self.children(bus).map(|child| self.demand(child)).sum();
        self.buses[bus].reserved.saturating_sub(self.count(bus)).max(below)
    }

    fn children(&self, bus: usize) -> impl Iterator<Item = usize> {
        (1..BUSES).filter(move |child| self.parents[*child] == bus)
    }

    fn full(&self, bus: usize) -> Option<Full> {
        let is_full =
            |bus: &usize| self.buses[*bus].max_voices.is_some_and(|most| self.count(*bus) >= most);
        if let Some(bus) = self.way(bus).find(is_full) {
            return Some(Full { bus: Some(bus) });
        }
        let beside = self.way(bus).flat_map(|above| self.children(above));
        let kept: usize =
            beside.filter(|it| !self.is_below(bus, *it)).map(|it| self.demand(it)).sum();
        (self.playing.len() + kept >= self.limit).then_some(Full { bus: None })
    }

    /// Sets a bus, but closes no circle.
    pub fn set_bus(&mut self, bus: usize, settings: Bus, parent: usize) {
        self.buses[bus] = settings;
        if bus > 0 && !self.is_below(parent, bus) {
            self.parents[bus] = parent;
        }
    }

    // Who is robbed.

    fn class(voice: &Voice) -> Option<u8> {
        match voice.play.priority {
            _ if voice.leaving => Some(0),
            Priority::Protected => None,
            priority => Some(1 + priority as u8),
        }
    }

    /// Whether a voice's bus can spare it for somebody on a bus, or for nobody.
    fn is_spare(&self, voice: &Voice, newcomer: Option<usize>) -> bool {
        let is_other = |bus: &usize| newcomer.is_none_or(|newcomer| !self.is_below(newcomer, *bus));
        let mut others = self.way(voice.play.bus).filter(|bus| *bus > 0).filter(is_other);
        others.all(|bus| self.count(bus) > self.buses[bus].reserved)
    }

    fn victim(
        &self,
        priority: Priority,
        when_full: WhenFull,
        may: impl Fn(&Voice) -> bool,
    ) -> Option<usize> {
        if when_full == WhenFull::Refuse {
            return None;
        }
        let level = |voice: &Voice| match when_full {
            WhenFull::StealOldest => 0,
            _ => voice.level().to_bits(),
        };
        let able = self.playing.iter().enumerate().filter(|(_, voice)| may(voice));
        let ranked = able.filter_map(|(at, voice)| Some((Self::class(voice)?, level(voice), at)));
        let (class, _, at) = ranked.min()?;
        (class <= 1 + priority as u8).then_some(at)
    }

    /// Who gives way to a play on a full bus or in a full pool, if anybody must; or why nobody does.
    fn victim_for(&self, play: &Steady, insists: bool) -> Result<Option<u64>, [What; 2]> {
        let Some(full) = self.full(play.bus) else { return Ok(None) };
        let own = full.bus.and_then(|bus| self.buses[bus].when_full);
        let when_full = insist(own.unwrap_or(play.when_full), insists);
        let victim = self.victim(play.priority, when_full, |voice| {
            full.bus.is_none_or(|bus| self.is_below(voice.play.bus, bus))
                && self.is_spare(voice, Some(play.bus))
        });
        let victim = victim.filter(|_| !self.is_too_large());
        let (parking, refusal) = match full.bus {
            Some(_) => (Parking::BusFull, Refusal::BusFull),
            None => (Parking::PoolFull, Refusal::PoolFull),
        };
        let tag = victim.map(|at| Some(self.playing[at].play.tag));
        tag.ok_or([What::Parked(parking), What::Refused(refusal)])
    }

    // What happens.

    fn say(&mut self, tag: u64, what: What) {
        self.news.push((tag, self.now, what));
    }

    pub fn play(&mut self, play: Steady) {
        let (boost, heard, leaving, louder) = (1.0, false, false, None);
        let voice = Voice { play, boost, heard, leaving, guarded_until: 0, louder };
        if play.start > self.now {
            self.waiting.push(voice);
        } else {
            self.begin(voice);
        }
    }

    fn begin(&mut self, voice: Voice) -> bool {
        let play = voice.play;
        if let Some(what) = self.ask_cue(&voice) {
            self.say(play.tag, what);
            return false;
        }
        let free = !self.is_crowded(&play) && self.full(play.bus).is_none();
        self.full += u64::from(!free);
        let audible = play.level > 0.0;
        let robs = audible || play.priority == Priority::Protected;
        let unheard = [What::Parked(Parking::Inaudible), What::Refused(Refusal::Inaudible)];
        let [parks, ends] = match self.victims_for(&play, false) {
            Ok(victims) if robs || free => {
                victims.iter().for_each(|tag| self.evict_tag(*tag, What::Stolen(play.tag)));
                self.note_last(&voice);
                self.playing.push(voice);
                return true;
            }
            Err(full) if audible => full,
            _ => unheard,
        };
        if (play.parks || !audible) && self.parked.len() < self.most_parked {
            self.parked.push(voice);
            self.say(play.tag, parks);
        } else {
            self.say(play.tag, ends);
        }
        false
    }

    fn evict_tag(&mut self, tag: u64, end: What) {
        let at = self.playing.iter().position(|voice| voice.play.tag == tag);
        self.evict(at.expect("it plays"), end);
    }

    fn evict(&mut self, at: usize, end: What) {
        let mut voice = self.playing.remove(at);
        let tag = voice.play.tag;
        if voice.leaving {
            return self.say(tag, What::Stopped);
        }
        if !voice.play.parks || self.parked.len() == self.most_parked {
            return self.say(tag, end);
        }
        voice.guarded_until = self.now + self.guard;
        voice.louder = None;
        self.parked.push(voice);
        self.say(
            tag,
            match end {
                What::Stolen(by) => What::ParkedBy(by),
                _ => What::Parked(Parking::Shrunk),
            },
        );
    }

    /// Stops with the shortest fade.
    pub fn stop(&mut self, tag: u64) {
        let is = |voice: &Voice| voice.play.tag == tag;
        if let Some(voice) = self.playing.iter_mut().find(|voice| is(voice) && voice.heard) {
            voice.leaving = true;
            return;
        }
        for all in [&mut self.playing, &mut self.parked, &mut self.waiting] {
            if let Some(at) = all.iter().position(is) {
                all.remove(at);
                return self.news.push((tag, self.now, What::Stopped));
            }
        }
    }

    pub fn resize(&mut self, voices: usize) {
        self.limit = voices;
        self.shrink();
    }

    fn shrink(&mut self) {
        while self.is_too_large() {
            let steal = WhenFull::StealQuietest;
            let spare = self.victim(Priority::High, steal, |voice| self.is_spare(voice, None));
            let Some(at) = spare.or_else(|| self.victim(Priority::High, steal, |_| true)) else {
                break;
            };
            self.evict(at, What::Stopped);
        }
        self.settled = !self.is_too_large();
    }

    /// All commands of a line were said: carries on to the next line, and tells what happened.
    pub fn finish_line(&mut self) -> Vec<News> {
        self.shrink();
        self.unpark();
        let end = self.now + QUANTUM;
        let (begin, mut due): (u64, Vec<Voice>) = (self.now, Vec::new());
        self.waiting.retain(|voice| {
            let waits = voice.play.start >= end;
            due.extend((!waits).then_some(*voice));
            waits
        });
        due.sort_by_key(|voice| voice.play.start);
        for voice in due {
            self.mix(begin, voice.play.start);
            self.now = voice.play.start;
            if self.begin(voice) {
                self.say(voice.play.tag, What::Started);
            }
        }
        self.mix(begin, end);
        self.now = end;
        std::mem::take(&mut self.news)
    }

    /// Those that were stopped on the line are gone if they had time to fade out.
    fn mix(&mut self, begin: u64, until: u64) {
        if until > self.now {
            self.playing.iter_mut().for_each(|voice| voice.heard = true);
        }
        if begin + self.declick <= until {
            let gone = self.playing.iter().filter(|voice| voice.leaving);
            let at = begin + self.declick;
            self.news.extend(gone.map(|voice| (voice.play.tag, at, What::Stopped)));
            self.playing.retain(|voice| !voice.leaving);
        }
    }

    fn unpark(&mut self) {
        let (now, review) = (self.now, self.is_review());
        let ready = self.parked.iter();
        let ready = ready.filter(|voice| voice.play.level > 0.0 && voice.guarded_until <= now);
        let mut ready: Vec<Voice> = ready.copied().collect();
        ready.sort_by(|a, b| b.level().total_cmp(&a.level()));
        for voice in ready {
            let play = voice.play;
            let at = self.parked.iter().position(|voice| voice.play.tag == play.tag);
            let at = at.expect("nobody who may come back leaves");
            if !self.is_crowded(&play) && self.full(play.bus).is_none() {
                self.come_back(at);
                continue;
            }
            if !review || self.is_too_large() {
                continue;
            }
            let Ok(victims) = self.victims_for(&play, true) else { continue };
            let is_louder = |of: &Voice| voice.level() >= 1.995 * of.level();
            let mut robbed = self.playing.iter().filter(|it| victims.contains(&it.play.tag));
            if !robbed.all(is_louder) {
                continue;
            }
            let last = now.checked_sub(self.review * QUANTUM);
            let louder = self.parked[at].louder.filter(|[_, before]| Some(*before) == last);
            let since = louder.map_or(now, |[since, _]| since);
            self.parked[at].louder = Some([since, now]);
            if now - since >= self.guard {
                let mut voice = self.parked.remove(at);
                victims.iter().for_each(|tag| self.evict_tag(*tag, What::Stolen(play.tag)));
                voice.heard = false;
                self.playing.push(voice);
                self.say(play.tag, What::Unparked);
            }
        }
    }

    fn come_back(&mut self, at: usize) {
        let voice = self.parked.remove(at);
        self.playing.push(voice);
        self.say(voice.play.tag, What::Unparked);
    }
}

/// The answer of who takes a place back: it robs the quietest, unless nobody is to be robbed at all.
fn insist(answer: WhenFull, insists: bool) -> WhenFull {
    if insists && answer != WhenFull::Refuse { WhenFull::StealQuietest } else { answer }
}
