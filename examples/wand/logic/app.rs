//! The app: a wand, a stage, and what is seen of the pool. It does not know whether it runs in a
//! terminal, in a picture or in a test: it gets keys and ticks, and can be drawn.

mod ear;
mod watch;

pub use ear::{EarTest, PARTS};
pub use watch::{BusMeter, Entry, Kind, Meter, Scene, Theft, decibels};

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use voicepool::{BusId, VoiceId, VoiceInfo, db, ms};

use crate::logic::attract::{self, Lesson};
use crate::logic::keys::{self, Action, Key};
use crate::logic::script::Cue;
use crate::logic::stage::{SPARKLES, Stage};
use crate::logic::tally::{Loss, Losses, Tally};
use crate::logic::wand::{ANSWERS, BUSES, MOST_VOICES, TICKS, Wand};

/// After so many ticks without a key, it plays by itself.
const PATIENCE: u64 = 12 * TICKS;

/// After so long, nothing is left of what it played by itself: somewhat longer than the fades.
const HANDOVER: Duration = Duration::from_secs(1);

/// How long a message stays, in ticks.
const MESSAGE: u64 = 4 * TICKS;

/// Said in the ear test.
const LISTEN: &str =
    "One storm, heard twice. Listen for what breaks off: more of it in A, or in B?";

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
    /// In the order of [`BUSES`].
    pub buses: [BusMeter; BUSES.len()],
    pub load_worst: f32,
    pub flashes: HashMap<usize, Theft>,
    pub log: VecDeque<Entry>,
    pub last_theft: Option<Scene>,
    /// The latest theft of this tick, and who had a voice just then.
    latest: Option<(Theft, Vec<VoiceId>)>,
    pub frozen: bool,
    pub ear_test: Option<EarTest>,
    pub help: bool,
    pub muted: bool,
    pub paused: bool,
    /// In decibels.
    pub volume: i32,
    /// Whether somebody wants what was heard up to now to be saved.
    pub saves: bool,
    pub quit: bool,
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
    ambience: bool,
    /// What became of the sounds that somebody asked for.
    tally: Tally,
}

impl App {
    pub fn new(wand: Wand) -> App {
        let mut app = App {
            wand,
            stage: Stage::new(SPARKLES),
            ticks: 0,
            voices: Vec::new(),
            meters: Default::default(),
            buses: Default::default(),
            load_worst: 0.0,
            flashes: HashMap::new(),
            log: VecDeque::new(),
            last_theft: None,
            latest: None,
            frozen: false,
            ear_test: None,
            help: false,
            muted: false,
            paused: false,
            volume: 0,
            saves: false,
            quit: false,
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
        app.tell_skipped(0);
        app
    }

    /// Tells of the files that are not played, from the given one of them on.
    pub fn tell_skipped(&mut self, from: usize) {
        for skipped in self.wand.cast.skipped.iter().skip(from) {
            let text = format!("skipped {skipped}");
            let names = vec![skipped.file.clone()];
            let at = self.ticks as f64 / TICKS as f64;
            self.log.push_back(Entry { at, text, names, kind: Kind::News });
        }
    }

    /// A sixtieth of a second passes.
    pub fn tick(&mut self) {
        self.untouched += 1;
        // Who listens to the ear test has no hand on the keys.
        let listens = self.ear_test.is_some() && self.attract.is_none();
        if self.untouched > PATIENCE && !self.is_still() && !listens {
            self.attract();
        }
        self.tick_ear_test();
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
        let now = self.ticks;
        let wand = &mut self.wand;
        let attract = self.attract.get_or_insert_with(|| {
            wand.storm(false);
            Attract {
                since: now,
                answer: wand.answer(),
                voices: wand.stats.voices,
                ambience: wand.has_ambience(),
                tally: wand.count_anew(),
            }
        });
        let since = attract.since;
        for lesson in attract::lessons(now - since) {
            match lesson {
                Lesson::Say(caption) => self.caption = Some(caption),
                Lesson::Play(Cue::Ambience(true)) if self.wand.has_ambience() => (),
                Lesson::Play(Cue::Wave(across)) => self.wave(across, 1.0),
                Lesson::Play(cue) => cue.carry_out(&mut self.wand),
                Lesson::Answer(answer) => self.wand.set_answer(answer),
                Lesson::Double(on) => self.double(on),
                Lesson::EarTest(true) => self.begin_ear_test(),
                Lesson::EarTest(false) => self.leave_ear_test(),
            }
        }
    }

    fn double(&mut self, on: bool) {
        let voices = self.attract.as_ref().map_or(16, |attract| attract.voices);
        let voices = if on { (2 * voices).min(MOST_VOICES) } else { voices };
        self.resize(voices);
    }

    /// Somebody takes over: what it played by itself ends, and what the lessons have changed is
    /// changed back.
    pub fn take_over(&mut self) {
        self.untouched = 0;
        let Some(Attract { answer, voices, ambience, tally, .. }) = self.attract.take() else {
            return;
        };
        self.caption = None;
        self.leave_ear_test();
        self.wand.calm(ms(200));
        if !ambience {
            self.wand.ambience(false);
        }
        self.wand.set_answer(answer);
        self.wand.count_on(tally, HANDOVER);
        if self.wand.stats.voices != voices {
            self.resize(voices);
        }
    }

    /// A key goes down.
    pub fn key(&mut self, key: Key) {
        let Some(action) = keys::action(key, &self.wand.cast) else { return };
        // Also the one that it plays by itself, which ends as somebody takes over.
        let in_ear_test = self.ear_test.is_some();
        self.take_over();
        match action {
            Action::Wave => {
                let across = [-0.5, 0.3, -0.1, 0.6][self.waves % 4];
                self.wave(across, 1.0);
            }
            Action::Call(sound) => self.call(sound),
            Action::Storm if self.ear_test.is_some() => self.leave_ear_test(),
            Action::Storm => self.wand.storm(!self.wand.is_storming()),
            Action::EarTest if self.ear_test.is_some() => self.flip_ear_test(),
            Action::EarTest => self.begin_ear_test(),
            Action::Freeze => match self.last_theft {
                Some(_) => self.frozen = !self.frozen,
                None => self.say("nothing was stolen yet: let a storm loose with s".into()),
            },
            Action::NextAnswer => {
                // The answer before the ear test.
                self.leave_ear_test();
                self.choose(self.wand.answer() + 1);
            }
            Action::MoreVoices => self.try_size(larger(self.wand.stats.voices)),
            Action::FewerVoices => self.try_size(smaller(self.wand.stats.voices)),
            Action::Ambience if !self.wand.cast.has_ambience() => {
                self.say("no sound in this folder is long, or called *_loop or *_bed".into());
            }
            Action::Ambience => self.wand.ambience(!self.wand.has_ambience()),
            Action::UnderWater => self.wand.dive(!self.wand.is_under_water()),
            Action::Cave => self.wand.cave(!self.wand.is_in_cave()),
            Action::Duck => {
                if let Err(error) = self.wand.duck(!self.wand.is_ducking()) {
                    self.say(error.to_string());
                }
            }
            Action::Louder => self.set_volume(self.volume + 3),
            Action::Softer => self.set_volume(self.volume - 3),
            Action::Mute => {
                self.muted = !self.muted;
                self.set_volume(self.volume);
            }
            Action::Pause => {
                self.paused = !self.paused;
                match self.paused {
                    true => self.wand.mixer.pause(BusId::MASTER, ms(0)),
                    false => self.wand.mixer.resume(BusId::MASTER, ms(0)),
                }
            }
            Action::Save => self.saves = true,
            Action::Help => self.help = !self.help,
            Action::Back if self.help => self.help = false,
            Action::Back if self.frozen => self.frozen = false,
            Action::Back if in_ear_test => self.leave_ear_test(),
            Action::Back | Action::Quit => self.quit = true,
        }
    }

    /// A click on the stage casts there, and is heard from there: from the left side, -1, to the
    /// right, and from the ground, 0, up to 1.
    pub fn click(&mut self, [across, height]: [f32; 2]) {
        self.take_over();
        self.wave(across, height);
    }

    fn wave(&mut self, across: f32, height: f32) {
        self.waves += 1;
        self.waved = Some(self.ticks);
        self.wand.wave(across, height);
    }

    /// Plays a sound, from a place of its own.
    pub fn call(&mut self, sound: usize) {
        let across = (sound as f32 * 0.7).sin() * 0.8;
        self.wand.call(sound, across, 0.8);
    }

    /// Another answer when the pool is full.
    pub fn choose(&mut self, answer: usize) {
        self.leave_ear_test();
        self.wand.set_answer(answer);
        self.say(format!("when the pool is full: {}", ANSWERS[self.wand.answer()].1));
    }

    /// A pool of another size. What the ear test has counted holds for one size alone.
    pub fn try_size(&mut self, voices: usize) {
        self.resize(voices);
        if self.ear_test.is_some() {
            self.begin_ear_test();
        }
    }

    fn resize(&mut self, voices: usize) {
        match self.wand.mixer.resize(voices) {
            Ok(()) => self.say(format!("{voices} voices")),
            Err(error) => self.say(error.to_string()),
        }
    }

    pub fn set_volume(&mut self, volume: i32) {
        self.volume = volume.clamp(*VOLUMES.start(), *VOLUMES.end());
        let gain = if self.muted { 0.0 } else { db(self.volume as f32) };
        self.wand.mixer.set_gain(BusId::MASTER, gain, ms(60));
    }

    pub fn say(&mut self, message: String) {
        self.message = Some((message, self.ticks + MESSAGE));
    }

    /// The line beneath the screen: what was just done, or what is being seen.
    pub fn caption(&self) -> Option<&str> {
        let message = self.message.as_ref().filter(|(_, until)| self.ticks < *until);
        let listen = self.ear_test.as_ref().map(|_| LISTEN);
        message.map(|(message, _)| message.as_str()).or(self.caption).or(listen)
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

    /// What this run has taught, to be printed at the end: from what somebody did, and not from
    /// what it played by itself.
    pub fn lesson(&self) -> String {
        let cast = &self.wand.cast;
        let tally = self.attract.as_ref().map_or(&self.wand.tally, |attract| &attract.tally);
        if tally.all.plays == 0 {
            return "You only watched. Wave the wand yourself, and at the end you are told how \
                    many voices to take.\n"
                .into();
        }
        let mut text = String::new();
        for ((_, name), seen) in ANSWERS.iter().zip(&tally.answers) {
            let Losses { plays, refused, worst, .. } = seen.losses;
            if plays > 0 {
                let lost = worst.map_or("nothing".into(), |Loss { sound, level }| {
                    format!("{} at {}", cast.name(sound), decibels(level))
                });
                text +=
                    &format!("{name}: {plays} plays, {refused} refused, loudest loss: {lost}\n");
            }
        }
        text + &format!("\n{}\n", tally.advice_in_code(cast))
    }
}

/// The next of the pool sizes that the keys go through.
fn larger(voices: usize) -> usize {
    SIZES.into_iter().find(|size| *size > voices).unwrap_or(voices)
}

fn smaller(voices: usize) -> usize {
    SIZES.into_iter().rev().find(|size| *size < voices).unwrap_or(voices)
}
