//! A scene: a mixer is opened, a game plays, everything is closed.

use std::time::Duration;

use voicepool::{Cue, Held, Mix, Mixer, Renderer, Sound, Stream, VoiceId, ms};

use crate::dice::Dice;
use crate::draw::{self, pick};
use crate::watch::{Books, Broken, Watch};

/// How long after `stop_all` everything has ended.
const FADE: Duration = ms(200);

pub struct Scene<'a> {
    pub watch: &'a mut Watch,
    pub dice: Dice,
    pub mixer: Mixer,
    pub renderer: Renderer,
    pub books: Books,
    pub max_voices: usize,
    pub sounds: Vec<Sound>,
    pub streams: Vec<Stream>,
    pub cues: Vec<Cue>,
    pub mixes: Vec<Mix>,
    pub held: Vec<Held>,
    /// The latest plays, live or not, some of them another mixer's.
    pub voices: Vec<VoiceId>,
    /// Streams are waited for, which only `frames` does.
    pub uses_streams: bool,
    /// Reverbs take more time than all else.
    pub has_rooms: bool,
    /// Whether anybody asks for events.
    asks: bool,
    buffer: Vec<[f32; 2]>,
}

impl Scene<'_> {
    /// Plays a scene of some seconds, and tells how much virtual time has passed.
    pub fn run(watch: &mut Watch, dice: Dice, seconds: u64) -> Result<Duration, Broken> {
        let mut scene = Scene::open(watch, dice)?;
        let rate = u64::from(scene.mixer.sample_rate());
        while scene.books.frames < seconds * rate {
            scene.step()?;
        }
        scene.close(rate)
    }

    fn open(watch: &mut Watch, mut dice: Dice) -> Result<Scene<'_>, Broken> {
        let config = draw::config(&mut dice);
        let (mixer, renderer) = Mixer::offline(config.clone())
            .map_err(|error| watch.broken(format!("a mixer cannot be opened: {error}")))?;
        let mut books = Books::new(&config);
        let (uses_streams, has_rooms, asks) = (dice.one_in(3), dice.one_in(3), !dice.one_in(5));
        if !asks {
            books.stop_listening();
        }
        let mut scene = Scene {
            watch,
            dice,
            mixer,
            renderer,
            books,
            max_voices: config.max_voices,
            sounds: Vec::new(),
            streams: Vec::new(),
            cues: Vec::new(),
            mixes: Vec::new(),
            held: Vec::new(),
            voices: Vec::new(),
            uses_streams,
            has_rooms,
            asks,
            buffer: Vec::new(),
        };
        (0..12).for_each(|_| scene.exchange_media());
        Ok(scene)
    }

    /// The game says some things, time passes, everything is looked at.
    fn step(&mut self) -> Result<(), Broken> {
        self.watch.step += 1;
        self.watch.tally.steps += 1;
        for _ in 0..self.dice.below(7) {
            self.watch.tally.commands += 1;
            if self.dice.one_in(3) { self.play() } else { self.act()? }
        }
        let frames = draw::buffer(&mut self.dice);
        self.render(frames)?;
        self.watch.look(&self.mixer, &mut self.books, self.asks)
    }

    fn render(&mut self, frames: usize) -> Result<(), Broken> {
        self.books.frames += frames as u64;
        if self.uses_streams {
            return self.watch.hear(&self.renderer.frames(frames));
        }
        // What was there before must not be heard.
        self.buffer.clear();
        self.buffer.resize(frames, [f32::NAN; 2]);
        self.renderer.render(&mut self.buffer);
        self.watch.hear(&self.buffer)
    }

    /// One of the latest plays.
    pub fn voice(&mut self) -> Option<VoiceId> {
        (!self.voices.is_empty()).then(|| self.voices[self.dice.below(self.voices.len())])
    }

    pub fn forget_old_voices(&mut self) {
        const MOST: usize = 64;
        let old = self.voices.len().saturating_sub(MOST);
        self.voices.drain(..old);
    }

    /// Everything goes, in one order or another. Whatever was live has had its ending by then.
    fn close(mut self, rate: u64) -> Result<Duration, Broken> {
        let way = self.dice.below(4);
        if way == 0 {
            self.mixer.stop_all(FADE);
            // The fade, and the quanta that are under way.
            let frames = self.mixer.frames(FADE) as usize + 512;
            self.render(frames)?;
            self.watch.look(&self.mixer, &mut self.books, self.asks)?;
            let live = self.mixer.stats().live;
            if live > 0 {
                return Err(self.watch.broken(format!("{live} plays have survived stop_all")));
            }
        }
        let time = Duration::from_micros(self.books.frames * 1_000_000 / rate);
        let Scene {
            watch, mixer, mut renderer, mut books, sounds, streams, cues, held, asks, ..
        } = self;
        watch.close(&mixer.stats());
        match way {
            1 => {
                drop(renderer);
                watch.look(&mixer, &mut books, asks)?;
                let live = mixer.stats().live;
                if live > 0 {
                    return Err(watch.broken(format!("{live} plays outlive their renderer")));
                }
            }
            2 => {
                drop((held, mixer));
                let mut rest = [[f32::NAN; 2]; 3_000];
                if streams.is_empty() {
                    renderer.render(&mut rest);
                    watch.hear(&rest)?;
                }
                drop((sounds, renderer));
            }
            _ => drop((sounds, streams, cues, renderer, mixer, held)),
        }
        Ok(time)
    }
}

/// How long the next scene is.
pub fn seconds(dice: &mut Dice) -> u64 {
    pick(dice, &[2, 10, 60, 60, 240])
}
