//! The state of the page: a wand, its clock, and the sounds that somebody has brought.

use voicepool::{Config, Error, Mixer, Sound};

use crate::logic::app::App;
use crate::logic::cast::{Cast, Skipped, printable};
use crate::logic::keys::{self, Action, Key};
use crate::logic::tally::Losses;
use crate::logic::wand::{MOST_VOICES, TICKS, Wand};

/// How long a tick lasts, in milliseconds.
const TICK: f64 = 1000.0 / TICKS as f64;

/// After a longer pause, of a tab in the background say, it goes on from now.
const LONGEST_PAUSE: f64 = 30.0 * TICK;

/// How long the renderer is waited for at first, in milliseconds.
const PATIENCE: f64 = 2000.0;

/// The same storms for everybody.
const SEED: u64 = 1;

pub struct Page {
    mixer: Mixer,
    /// The wand's own sounds, until it begins.
    sounds: Vec<Sound>,
    app: Option<App>,
    /// How many sounds the wand has of its own.
    ours: usize,
    /// Whether these have no part.
    only_own: bool,
    /// Until when the renderer is waited for.
    patience: Option<f64>,
    /// When the next tick is due.
    next: Option<f64>,
}

impl Page {
    pub fn open(voices: usize) -> Result<Page, Error> {
        let config = Config { voices, max_voices: MOST_VOICES, ..Config::default() };
        let mixer = Mixer::open(config)?;
        Ok(Page {
            mixer,
            sounds: Vec::new(),
            app: None,
            ours: 0,
            only_own: false,
            patience: None,
            next: None,
        })
    }

    pub fn app(&mut self) -> Option<&mut App> {
        self.app.as_mut()
    }

    /// Loads a file, or says which it is and why not.
    pub fn load(&mut self, file: &str, bytes: &[u8]) -> Result<(), String> {
        let name = file.rsplit_once('.').map_or(file, |(name, _)| name);
        let loaded = self.mixer.load_bytes(file, bytes).map(|sound| sound.named(name));
        match (loaded, &mut self.app) {
            (Ok(sound), None) => self.sounds.push(sound),
            (Ok(sound), Some(_)) => self.join(sound),
            (Err(error), None) => return Err(printable(&error.to_string())),
            (Err(error), Some(app)) => {
                let error = printable(&error.to_string());
                let file = printable(file);
                // The name stands in front already.
                let why = error.strip_prefix(&format!("{file}: ")).unwrap_or(&error).to_owned();
                let told = app.wand.cast.skipped.len();
                app.wand.cast.skipped.push(Skipped { file, why });
                app.tell_skipped(told);
                return Err(error);
            }
        }
        Ok(())
    }

    pub fn begin(&mut self) {
        let cast = Cast::of(std::mem::take(&mut self.sounds), Vec::new());
        self.ours = cast.members.len();
        self.app = Some(App::new(Wand::new(self.mixer.clone(), cast, SEED)));
    }

    /// Lets the ticks pass that are due. Returns how long ago the last was, in seconds.
    pub fn tick(&mut self, now: f64) -> f32 {
        let Some(app) = &mut self.app else { return 0.0 };
        // The renderer is elsewhere, and the pool is known once it was heard of.
        let patience = *self.patience.get_or_insert(now + PATIENCE);
        if self.next.is_none() && self.mixer.stats().voices == 0 && now < patience {
            return 0.0;
        }
        if self.next.is_none() {
            app.wand.stats = self.mixer.stats();
        }
        let mut next = self.next.filter(|next| now - next < LONGEST_PAUSE).unwrap_or(now);
        while next <= now {
            app.tick();
            next += TICK;
        }
        self.next = Some(next);
        let since = if app.is_still() { 0.0 } else { now - (next - TICK) };
        (since / 1000.0) as f32
    }

    /// A key, by the name that browsers have for it. Returns whether it means something.
    pub fn key(&mut self, name: &str) -> bool {
        let Some(app) = &mut self.app else { return false };
        let mut letters = name.chars();
        let key = match (name, letters.next(), letters.next()) {
            ("ArrowLeft", ..) => Key::Left,
            ("ArrowRight", ..) => Key::Right,
            ("ArrowUp", ..) => Key::Up,
            ("ArrowDown", ..) => Key::Down,
            ("Escape", ..) => Key::Escape,
            (_, Some(letter), None) => Key::Char(letter),
            _ => return false,
        };
        // A page is not left by a key, and cannot record.
        let leaves = app.help || app.frozen || app.ear_test.is_some();
        if key == Key::Escape && !leaves {
            return false;
        }
        let action = keys::action(key, &app.wand.cast);
        if action == Some(Action::Save) {
            return false;
        }
        app.key(key);
        action.is_some()
    }

    /// Somebody does something that has no key.
    pub fn hand(&mut self, act: impl FnOnce(&mut App)) {
        if let Some(app) = &mut self.app {
            app.take_over();
            act(app);
        }
    }

    /// Somebody's own sound joins the others, and is heard.
    fn join(&mut self, sound: Sound) {
        self.hand(|app| {
            let place = app.wand.cast.join(sound);
            app.wand.tally.sounds.push(Losses::default());
            let member = &app.wand.cast.members[place];
            let key = member.key.map_or(String::new(), |key| format!(", on the key {key}"));
            app.say(format!("{} is in the storm{key}", member.name));
            app.call(place);
        });
        self.give_out_parts();
    }

    pub fn only_own(&mut self, on: bool) {
        self.only_own = on;
        self.hand(|_| ());
        self.give_out_parts();
    }

    /// What goes on and on goes on with whoever has that part now.
    fn give_out_parts(&mut self) {
        let Some(App { wand, .. }) = &mut self.app else { return };
        let before = wand.cast.loops.clone();
        wand.cast.give_out_parts(if self.only_own { self.ours } else { 0 });
        if wand.has_ambience() && wand.cast.loops != before {
            wand.ambience(false);
            wand.ambience(true);
        }
    }
}
