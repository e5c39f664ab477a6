//! What the app sees of the pool and hears from it: meters, flashes, the log, and the last theft.

use voicepool::{BusStats, Ending, Event, Parking, VoiceId, VoiceInfo, WhenFull, db, to_db};

use super::App;
use crate::logic::tally::{FAINT, Loss};
use crate::logic::wand::{ANSWERS, BUSES, TICKS, Tag};

/// How long a theft flashes, in ticks.
const FLASH: u64 = TICKS / 5;

/// How many lines of the log are kept.
const LOG: usize = 100;

/// A peak that falls slowly, and one that stays a while.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meter {
    /// Linear.
    pub level: f32,
    pub hold: f32,
    held_for: u64,
}

impl Meter {
    fn show(&mut self, peak: f32) {
        const FALL: f32 = 0.96; // 21 dB in a second
        self.level = peak.max(self.level * FALL);
        self.held_for += 1;
        if self.level >= self.hold || self.held_for > 3 * TICKS / 2 {
            (self.hold, self.held_for) = (self.level, 0);
        }
    }
}

/// What is seen of a bus.
#[derive(Clone, Copy, Debug, Default)]
pub struct BusMeter {
    pub playing: usize,
    /// What leaves it, while it is mixed by itself.
    pub level: Option<Meter>,
    /// How far it is turned down, if it is, in decibels.
    pub ducked: Option<f32>,
}

impl BusMeter {
    fn show(&mut self, stats: &BusStats) {
        self.playing = stats.playing;
        self.ducked = (stats.duck < 1.0).then_some(to_db(stats.duck));
        self.level = stats.peak.map(|[left, right]| {
            let mut level = self.level.unwrap_or_default();
            level.show(left.max(right));
            level
        });
    }
}

/// Who took whose place.
#[derive(Clone, Debug)]
pub struct Theft {
    pub thief: String,
    pub victim: String,
    pub voice: VoiceId,
    /// How loud the victim was, in decibels.
    pub level: f32,
    pub answer: usize,
    /// Whether the thief was parked, and has become louder than its victim.
    pub taken_back: bool,
    pub tick: u64,
}

impl Theft {
    /// Whether the oldest had to go, and not the quietest.
    pub fn goes_by_age(&self) -> bool {
        ANSWERS[self.answer].0 == WhenFull::StealOldest && !self.taken_back
    }
}

/// A theft, and everybody whom it could have met.
#[derive(Clone)]
pub struct Scene {
    pub theft: Theft,
    /// Whom it could have met, who goes first first, with how long each had been seen.
    pub candidates: Vec<(VoiceInfo, f32)>,
}

/// A line of the log.
#[derive(Clone, Debug)]
pub struct Entry {
    /// In seconds.
    pub at: f64,
    pub text: String,
    /// The names in the text, in their order: where it is too long, they are what can be cut.
    pub names: Vec<String>,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Nobody heard it.
    Faint,
    /// Somebody did.
    Loud,
    News,
}

impl App {
    /// Hears what became of a play: into the log, and into its slot.
    pub(super) fn hear(&mut self, event: Event) {
        let name = |tag| self.wand.cast.name(Tag::unpack(tag).sound).to_owned();
        match event {
            Event::Ended { voice, tag, at, why: Ending::Stolen { by, by_tag, level }, .. } => {
                let theft = self.theft(voice, tag, by, by_tag, level);
                let loss = Loss { sound: Tag::unpack(tag).sound, level: theft.level };
                self.count_for_ear_test(theft.answer, loss);
                self.stolen(theft, by, at);
            }
            Event::Ended { voice, tag, at, why: Ending::Refused { .. }, .. } => {
                self.slots.remove(&voice);
                let name = name(tag);
                let text = format!("{name} was refused: the pool is full");
                self.note(at, text, vec![name], Kind::Loud);
            }
            Event::Ended { voice, .. } => drop(self.slots.remove(&voice)),
            Event::Parked { voice, tag, at, why, .. } => {
                if let Parking::Stolen { by, by_tag, level } = why {
                    let theft = self.theft(voice, tag, by, by_tag, level);
                    self.hand_over(theft, by);
                }
                self.slots.remove(&voice);
                self.parked.insert(voice);
                self.moved(voice, at, "was parked");
            }
            Event::Unparked { voice, at, .. } => {
                self.parked.remove(&voice);
                // Its age counts from here.
                self.born.insert(voice, self.ticks);
                self.moved(voice, at, "is back");
            }
            Event::Output(state) => {
                let text = format!("output: {state}");
                self.note(self.wand.mixer.clock(), text, Vec::new(), Kind::News);
            }
            _ => (),
        }
    }

    fn theft(&self, voice: VoiceId, tag: u64, by: VoiceId, by_tag: u64, level: f32) -> Theft {
        let name = |tag| self.wand.cast.name(Tag::unpack(tag).sound).to_owned();
        Theft {
            thief: name(by_tag),
            victim: name(tag),
            voice,
            level: to_db(level),
            answer: Tag::unpack(by_tag).answer,
            taken_back: self.parked.contains(&by),
            tick: self.ticks,
        }
    }

    fn stolen(&mut self, theft: Theft, by: VoiceId, at: u64) {
        let Theft { thief, victim, level, .. } = &theft;
        let kind = if *level > FAINT { Kind::Loud } else { Kind::Faint };
        let text = format!("{thief} stole {victim} at {}", decibels(*level));
        self.note(at, text, vec![thief.clone(), victim.clone()], kind);
        let there = self.slots.keys().copied().collect();
        self.latest = Some((theft.clone(), there));
        self.hand_over(theft, by);
    }

    /// The thief sits where its victim sat.
    fn hand_over(&mut self, theft: Theft, by: VoiceId) {
        if let Some(slot) = self.slots.remove(&theft.voice) {
            self.slots.insert(by, slot);
            self.flashes.insert(slot, theft);
        }
    }

    /// The theft that was last heard of, and everybody whom it could have met: who is in the picture
    /// before it. The levels are from the one after it, which is the nearer, and the victim's own
    /// is exact.
    fn remember(&mut self, after: &[VoiceInfo]) {
        let Some((theft, there)) = self.latest.take().filter(|_| !self.frozen) else { return };
        let has_voice = |voice: &&VoiceInfo| there.contains(&voice.voice);
        let nearer = |before: &VoiceInfo| {
            let later = after.iter().find(|voice| voice.voice == before.voice);
            let mut voice = later
                .filter(|later| before.slot.is_none() || later.slot == before.slot)
                .unwrap_or(before)
                .clone();
            if voice.voice == theft.voice {
                voice.level = db(theft.level);
            }
            // Who still waited in the picture before, and is gone in the one after, was never seen.
            voice.slot.map(|_| (voice, self.age(before.voice)))
        };
        let mut candidates: Vec<_> =
            self.voices.iter().filter(has_voice).filter_map(nearer).collect();
        if !candidates.iter().any(|(voice, _)| voice.voice == theft.voice) {
            return; // It came and went between two pictures.
        }
        let oldest = theft.goes_by_age();
        candidates.sort_by(|(a, age_a), (b, age_b)| {
            let order = if oldest { age_b.total_cmp(age_a) } else { a.level.total_cmp(&b.level) };
            a.priority.cmp(&b.priority).then(order)
        });
        self.last_theft = Some(Scene { theft, candidates });
    }

    /// Looks at the pool.
    pub(super) fn look(&mut self) {
        let stats = &self.wand.stats;
        for (meter, peak) in self.meters.iter_mut().zip(stats.peak) {
            meter.show(peak);
        }
        for (meter, (bus, _)) in self.buses.iter_mut().zip(BUSES) {
            meter.show(&self.wand.mixer.bus_stats(bus));
        }
        self.load_worst = self.load_worst.max(stats.load_worst);
        self.wand.mixer.reset_peaks();
        let voices = self.wand.mixer.voices();
        self.remember(&voices);
        self.born.retain(|voice, _| voices.iter().any(|seen| seen.voice == *voice));
        for voice in &voices {
            self.born.entry(voice.voice).or_insert(self.ticks);
            match voice.slot {
                Some(slot) if !self.parked.contains(&voice.voice) => {
                    self.slots.insert(voice.voice, slot);
                }
                _ => drop(self.slots.remove(&voice.voice)),
            }
        }
        let is_live = |voice: &VoiceId| self.wand.mixer.is_live(*voice);
        self.slots.retain(|voice, _| is_live(voice));
        self.parked.retain(is_live);
        self.told.retain(|voice, _| is_live(voice));
        self.voices = voices;
        self.flashes.retain(|_, theft| self.ticks - theft.tick < FLASH);
    }

    /// Somebody was parked, or is back. Where there is room for moments only, that happens often,
    /// and is told once in a second.
    fn moved(&mut self, voice: VoiceId, at: u64, how: &str) {
        let told = self.told.insert(voice, self.ticks);
        let seen = self.voices.iter().find(|seen| seen.voice == voice);
        if let Some(seen) = seen.filter(|_| told.is_none_or(|told| self.ticks - told > TICKS)) {
            let name = self.wand.cast.name(Tag::unpack(seen.tag).sound).to_owned();
            self.note(at, format!("{name} {how}"), vec![name], Kind::News);
        }
    }

    fn note(&mut self, at: u64, text: String, names: Vec<String>, kind: Kind) {
        let at = at as f64 / f64::from(self.wand.mixer.sample_rate());
        self.log.push_back(Entry { at, text, names, kind });
        if self.log.len() > LOG {
            self.log.pop_front();
        }
    }
}

/// A level for people.
pub fn decibels(level: f32) -> String {
    if level > -120.0 {
        format!("{level:.0} dB").replace('-', "\u{2212}")
    } else {
        "silence".into()
    }
}
