//! The app: a wand, a stage, and what is seen of the pool. It does not know whether it runs in a
//! terminal, in a picture or in a test: it gets keys and ticks, and can be drawn.

mod watch;

pub use watch::{Entry, Kind, Meter, Scene, Theft, decibels};

use std::collections::{HashMap, HashSet, VecDeque};

use ratatui::crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;
use voicepool::{BusId, VoiceId, VoiceInfo, db, ms};

use crate::args::MOST_VOICES;
use crate::attract::{self, Lesson};
use crate::keys::{self, Action};
use crate::script::Cue;
use crate::show;
use crate::stage::{SPARKLES, Stage};
use crate::tally::Losses;
use crate::wand::{ANSWERS, TICKS, Wand};

/// After so many ticks without a key, it plays by itself.
const PATIENCE: u64 = 12 * TICKS;

/// How long a message stays, in ticks.
const MESSAGE: u64 = 4 * TICKS;

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

/// The next of the pool sizes that the keys go through.
fn larger(voices: usize) -> usize {
    SIZES.into_iter().find(|size| *size > voices).unwrap_or(voices)
}

fn smaller(voices: usize) -> usize {
    SIZES.into_iter().rev().find(|size| *size < voices).unwrap_or(voices)
}
