//! The app: a wand, a stage, and what is seen of the pool. It does not know whether it runs in a
//! terminal, in a picture or in a test: it gets keys and ticks, and can be drawn.

use std::collections::{HashMap, HashSet, VecDeque};

use ratatui::crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;
use voicepool::{BusId, Ending, Event, VoiceId, VoiceInfo, WhenFull, db, ms, to_db};

use crate::args::MOST_VOICES;
use crate::attract::{self, Lesson};
use crate::keys::{self, Action};
use crate::script::Cue;
use crate::show;
use crate::stage::{SPARKLES, Stage};
use crate::tally::{FAINT, Losses};
use crate::wand::{ANSWERS, TICKS, Tag, Wand};

/// After so many ticks without a key, it plays by itself.
const PATIENCE: u64 = 12 * TICKS;

/// How long a theft flashes, in ticks.
const FLASH: u64 = TICKS / 5;

/// How long a message stays, in ticks.
const MESSAGE: u64 = 4 * TICKS;

/// How many lines of the log are kept.
const LOG: usize = 100;

/// The pool sizes that the keys go through.
const SIZES: [usize; 11] = [1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 128];

/// Volumes, in decibels.
const VOLUMES: std::ops::RangeInclusive<i32> = -48..=6;

pub struct App {
    pub wand: Wand,
    pub stage: Stage,
    pub ticks: u64,
    /// The pool, as it was last seen.
    pub voices: Vec<VoiceInfo>,
    pub meters: [Meter; 2],
    pub load_worst: f32,
    pub flashes: HashMap<usize, Theft>,
    pub log: VecDeque<Entry>,
    pub last_theft: Option<Scene>,
    /// The latest theft of this tick, and who had a voice just then.
    latest: Option<(Theft, Vec<VoiceId>)>,
    pub frozen: bool,
    pub ear_test: bool,
    pub help: bool,
    pub muted: bool,
    pub paused: bool,
    /// In decibels.
    pub volume: i32,
    pub quit: bool,
    /// Where on the screen the stage was last drawn.
    pub stage_area: Rect,
    message: Option<(String, u64)>,
    caption: Option<&'static str>,
    untouched: u64,
    attract: Option<Attract>,
    /// When each voice was first seen.
    born: HashMap<VoiceId, u64>,
    /// In which slot each was last known to be: where it was seen, or whose place it took.
    slots: HashMap<VoiceId, usize>,
    /// Who is parked, as was heard: the picture of the pool may be older than the news.
    parked: HashSet<VoiceId>,
    /// When it was last told that a voice was parked or is back.
    told: HashMap<VoiceId, u64>,
    waves: usize,
    /// When the wand was last waved.
    pub waved: Option<u64>,
}

/// While it plays by itself: since when, and what to give back to whoever takes over.
struct Attract {
    since: u64,
    answer: usize,
    voices: usize,
}

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

/// Who took whose place.
#[derive(Clone, Debug)]
pub struct Theft {
    pub thief: String,
    pub victim: String,
    pub voice: VoiceId,
    /// How loud the victim was, in decibels.
    pub level: f32,
    pub answer: usize,
    pub tick: u64,
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
    pub fn new(wand: Wand) -> App {
        let mut app = App {
            wand,
            stage: Stage::new(SPARKLES),
            ticks: 0,
            voices: Vec::new(),
            meters: Default::default(),
            load_worst: 0.0,
            flashes: HashMap::new(),
            log: VecDeque::new(),
            last_theft: None,
            latest: None,
            frozen: false,
            ear_test: false,
            help: false,
            muted: false,
            paused: false,
            volume: 0,
            quit: false,
            stage_area: Rect::default(),
            message: None,
            caption: None,
            untouched: PATIENCE,
            attract: None,
            born: HashMap::new(),
            slots: HashMap::new(),
            parked: HashSet::new(),
            told: HashMap::new(),
            waves: 0,
            waved: None,
        };
        for skipped in &app.wand.cast.skipped {
            let text = format!("skipped {skipped}");
            app.log.push_back(Entry { at: 0.0, text, kind: Kind::News });
        }
        app
    }

    /// A sixtieth of a second passes.
    pub fn tick(&mut self) {
        self.untouched += 1;
        if self.untouched > PATIENCE && !self.is_still() {
            self.attract();
        }
        let events = self.wand.tick();
        events.into_iter().for_each(|event| self.hear(event));
        self.look();
        for burst in self.wand.bursts() {
            self.stage.add(burst);
        }
        if !self.paused {
            self.stage.tick();
        }
        self.ticks += 1;
    }

    /// Plays by itself.
    fn attract(&mut self) {
        let (answer, voices) = (self.wand.answer(), self.wand.stats.voices);
        let now = self.ticks;
        let since = self.attract.get_or_insert(Attract { since: now, answer, voices }).since;
        for lesson in attract::lessons(now - since) {
            match lesson {
                Lesson::Say(caption) => self.caption = Some(caption),
                Lesson::Play(Cue::Ambience(true)) if self.wand.has_ambience() => (),
                Lesson::Play(Cue::Wave(across)) => self.wave(across, 1.0),
                Lesson::Play(cue) => cue.carry_out(&mut self.wand),
                Lesson::Answer(answer) => self.wand.set_answer(answer),
                Lesson::Double(on) => self.double(on),
                Lesson::EarTest(on) => self.ear_test = on,
            }
        }
    }

    fn double(&mut self, on: bool) {
        let voices = self.attract.as_ref().map_or(16, |attract| attract.voices);
        let voices = if on { (2 * voices).min(MOST_VOICES) } else { voices };
        self.resize(voices);
    }

    /// Somebody takes over: the storm ends, and what the lessons have changed is changed back.
    fn take_over(&mut self) {
        self.untouched = 0;
        if let Some(Attract { answer, voices, .. }) = self.attract.take() {
            self.caption = None;
            self.ear_test = false;
            self.wand.storm(false);
            self.wand.set_answer(answer);
            if self.wand.stats.voices != voices {
                self.resize(voices);
            }
        }
    }

    pub fn key(&mut self, key: KeyEvent) {
        let Some(action) = keys::action(key, &self.wand.cast) else { return };
        self.take_over();
        match action {
            Action::Wave => {
                let across = [-0.5, 0.3, -0.1, 0.6][self.waves % 4];
                self.wave(across, 1.0);
            }
            Action::Call(sound) => self.call(sound),
            Action::Storm => self.wand.storm(!self.wand.is_storming()),
            Action::EarTest => self.flip_ears(),
            Action::Freeze => match self.last_theft {
                Some(_) => self.frozen = !self.frozen,
                None => self.say("nothing was stolen yet: let a storm loose with s".into()),
            },
            Action::NextAnswer => {
                self.wand.set_answer(self.wand.answer() + 1);
                self.say(format!("when the pool is full: {}", ANSWERS[self.wand.answer()].1));
            }
            Action::MoreVoices => self.resize(larger(self.wand.stats.voices)),
            Action::FewerVoices => self.resize(smaller(self.wand.stats.voices)),
            Action::Ambience if self.wand.cast.loops.is_empty() => {
                self.say("there is no sound called *_loop or *_bed in this folder".into());
            }
            Action::Ambience => self.wand.ambience(!self.wand.has_ambience()),
            Action::Louder => self.set_volume(self.volume + 3),
            Action::Softer => self.set_volume(self.volume - 3),
            Action::Mute => {
                self.muted = !self.muted;
                self.set_volume(self.volume);
            }
            Action::Pause => {
                self.paused = !self.paused;
                match self.paused {
                    true => self.wand.mixer.pause(BusId::MASTER),
                    false => self.wand.mixer.resume(BusId::MASTER),
                }
            }
            Action::Help => self.help = !self.help,
            Action::Back if self.help => self.help = false,
            Action::Back if self.frozen => self.frozen = false,
            Action::Back | Action::Quit => self.quit = true,
        }
    }

    /// A click on the stage casts there, and is heard from there.
    pub fn mouse(&mut self, mouse: MouseEvent) {
        let area = self.stage_area;
        let inside = area.contains((mouse.column, mouse.row).into());
        if mouse.kind != MouseEventKind::Down(MouseButton::Left) || !inside {
            return;
        }
        self.take_over();
        let share = |at: u16, from: u16, len: u16| (f32::from(at - from) + 0.5) / f32::from(len);
        let across = 2.0 * share(mouse.column, area.x, area.width) - 1.0;
        self.wave(across, 1.0 - share(mouse.row, area.y, area.height));
    }

    fn wave(&mut self, across: f32, height: f32) {
        self.waves += 1;
        self.waved = Some(self.ticks);
        self.wand.wave(across, height);
    }

    fn call(&mut self, sound: usize) {
        let across = (sound as f32 * 0.7).sin() * 0.8;
        self.wand.call(sound, across, 0.8);
    }

    /// Begins the ear test, and then flips between the two answers, while the storm goes on.
    fn flip_ears(&mut self) {
        self.wand.storm(true);
        let oldest = self.ear_test && self.wand.answer() == 0;
        self.ear_test = true;
        self.wand.set_answer(usize::from(oldest));
    }

    fn resize(&mut self, voices: usize) {
        match self.wand.mixer.resize(voices) {
            Ok(()) => self.say(format!("{voices} voices")),
            Err(error) => self.say(error.to_string()),
        }
    }

    fn set_volume(&mut self, volume: i32) {
        self.volume = volume.clamp(*VOLUMES.start(), *VOLUMES.end());
        let gain = if self.muted { 0.0 } else { db(self.volume as f32) };
        self.wand.mixer.set_gain(BusId::MASTER, gain, ms(60));
    }

    fn say(&mut self, message: String) {
        self.message = Some((message, self.ticks + MESSAGE));
    }

    /// The line beneath the screen: what was just done, or what is being seen.
    pub fn caption(&self) -> Option<&str> {
        let message = self.message.as_ref().filter(|(_, until)| self.ticks < *until);
        message.map(|(message, _)| message.as_str()).or(self.caption)
    }

    /// Whether nothing moves on the screen.
    pub fn is_still(&self) -> bool {
        self.frozen || self.paused || self.help
    }

    pub fn plays_by_itself(&self) -> bool {
        self.attract.is_some()
    }

    /// How long a voice has been seen, in seconds.
    pub fn age(&self, voice: VoiceId) -> f32 {
        let born = self.born.get(&voice).copied().unwrap_or(self.ticks);
        (self.ticks - born) as f32 / TICKS as f32
    }

    fn hear(&mut self, event: Event) {
        let name = |tag| self.wand.cast.name(Tag::unpack(tag).sound).to_owned();
        match event {
            Event::Ended { voice, tag, at, why: Ending::Stolen { by, by_tag, level }, .. } => {
                let theft = Theft {
                    thief: name(by_tag),
                    victim: name(tag),
                    voice,
                    level: to_db(level),
                    answer: Tag::unpack(by_tag).answer,
                    tick: self.ticks,
                };
                self.stolen(theft, by, at);
            }
            Event::Ended { voice, tag, at, why: Ending::Refused { .. }, .. } => {
                self.slots.remove(&voice);
                self.note(at, format!("{} was refused: the pool is full", name(tag)), Kind::Loud);
            }
            Event::Ended { voice, .. } => {
                self.slots.remove(&voice);
                self.told.remove(&voice);
            }
            Event::Parked { voice, at } => {
                self.slots.remove(&voice);
                self.parked.insert(voice);
                self.moved(voice, at, "was parked");
            }
            Event::Unparked { voice, at } => {
                self.parked.remove(&voice);
                self.moved(voice, at, "is back");
            }
            Event::Output(state) => {
                self.note(self.wand.mixer.clock(), format!("output: {state}"), Kind::News);
            }
            _ => (),
        }
    }

    fn stolen(&mut self, theft: Theft, by: VoiceId, at: u64) {
        let Theft { thief, victim, level, .. } = &theft;
        let kind = if *level > FAINT { Kind::Loud } else { Kind::Faint };
        self.note(at, format!("{thief} stole {victim} at {}", decibels(*level)), kind);
        let there = self.slots.keys().copied().collect();
        self.latest = Some((theft.clone(), there));
        // The thief sits where its victim sat.
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
            let mut voice =
                later.filter(|later| later.slot == before.slot).unwrap_or(before).clone();
            if voice.voice == theft.voice {
                voice.level = db(theft.level);
            }
            (voice, self.age(before.voice))
        };
        let mut candidates: Vec<_> = self.voices.iter().filter(has_voice).map(nearer).collect();
        if !candidates.iter().any(|(voice, _)| voice.voice == theft.voice) {
            return; // It came and went between two pictures.
        }
        let oldest = ANSWERS[theft.answer].0 == WhenFull::StealOldest;
        candidates.sort_by(|(a, age_a), (b, age_b)| {
            let order = if oldest { age_b.total_cmp(age_a) } else { a.level.total_cmp(&b.level) };
            a.priority.cmp(&b.priority).then(order)
        });
        self.last_theft = Some(Scene { theft, candidates });
    }

    /// Looks at the pool.
    fn look(&mut self) {
        let stats = &self.wand.stats;
        for (meter, peak) in self.meters.iter_mut().zip(stats.peak) {
            meter.show(peak);
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
        self.voices = voices;
        self.flashes.retain(|_, theft| self.ticks - theft.tick < FLASH);
    }

    /// Somebody was parked, or is back. Where there is room for moments only, that happens often,
    /// and is told once in a second.
    fn moved(&mut self, voice: VoiceId, at: u64, how: &str) {
        let told = self.told.insert(voice, self.ticks);
        let seen = self.voices.iter().find(|seen| seen.voice == voice);
        if let Some(seen) = seen.filter(|_| told.is_none_or(|told| self.ticks - told > TICKS)) {
            let name = self.wand.cast.name(Tag::unpack(seen.tag).sound);
            self.note(at, format!("{name} {how}"), Kind::News);
        }
    }

    fn note(&mut self, at: u64, text: String, kind: Kind) {
        let at = at as f64 / f64::from(self.wand.mixer.sample_rate());
        self.log.push_back(Entry { at, text, kind });
        if self.log.len() > LOG {
            self.log.pop_front();
        }
    }

    /// What this run has taught, to be printed at the end.
    pub fn lesson(&self) -> String {
        let tally = &self.wand.tally;
        let Losses { plays, stolen, refused, .. } = tally.all;
        let mut text = format!("{plays} plays, {stolen} stolen, {refused} refused.\n");
        if stolen > 0 {
            text += &format!("The loudest thing lost: {}.\n", show::loudest_loss(&self.wand));
        }
        let [quietest, oldest, ..] = tally.answers;
        if let (Some(quietest), Some(oldest)) = (quietest.loudest, oldest.loudest) {
            let (quietest, oldest) = (decibels(quietest), decibels(oldest));
            text +=
                &format!("Stealing the quietest lost {quietest} at most, the oldest {oldest}.\n");
        }
        text + &format!("\n{}\n", show::advice(&self.wand, self.wand.stats.voices))
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

/// The next of the pool sizes that the keys go through.
fn larger(voices: usize) -> usize {
    SIZES.into_iter().find(|size| *size > voices).unwrap_or(voices)
}

fn smaller(voices: usize) -> usize {
    SIZES.into_iter().rev().find(|size| *size < voices).unwrap_or(voices)
}
