//! The golden scene: acts that together say everything that can be said to a mixer, with hashes of what is heard
//! and of what is told.
//!
//! It has no files and no clock, and its dice are its own, so that whatever runs it must come to the same hashes:
//! `tests/golden.rs` here, and `tests/golden/portable` on every other system, in Node and in browsers.

#[cfg(feature = "formats")]
mod codecs;
mod dice;
mod effects;
mod house;
mod library;
mod music;
mod storm;
#[cfg(feature = "formats")]
mod streams;
mod tell;
mod world;

use std::fmt::{self, Write};

use dice::{Dice, Fnv};
use voicepool::{Config, Frame, Mixer, Renderer};

/// What a worklet is asked for at a time, and a line of the mixer's own grid.
pub const QUANTUM: usize = 128;

/// How many of them lie between two looks of the game: 16 ms at 48 kHz.
const TICK: u32 = 6;

/// How often each of the acts that every system plays is looked at: five seconds, at 48 kHz.
const TICKS: u32 = 312;

/// What is played, and what is said about it.
trait Act: Send {
    /// What the game does at one of its looks.
    fn tick(&mut self, tick: u32, mixer: &Mixer, dice: &mut Dice);
}

/// One act, before it is played.
struct Bill {
    name: &'static str,
    ticks: u32,
    config: Config,
    open: fn(&Mixer) -> Box<dyn Act>,
}

/// All acts that this system can play. The first four are played everywhere; FLAC needs the feature `formats`, and
/// streams a thread that decodes.
fn bills() -> Vec<Bill> {
    vec![
        storm::BILL,
        house::BILL,
        world::BILL,
        music::BILL,
        #[cfg(feature = "formats")]
        codecs::BILL,
        #[cfg(feature = "formats")]
        streams::BILL,
    ]
}

/// What an act came to.
pub struct Outcome {
    pub name: &'static str,
    /// The hash of the output's bits, and that of `told`.
    pub heard: u64,
    pub told_hash: u64,
    pub told: String,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:016x} {:016x}", self.name, self.heard, self.told_hash)
    }
}

/// An act while it is played.
struct Stage {
    bill: Bill,
    mixer: Mixer,
    renderer: Renderer,
    act: Box<dyn Act>,
    dice: Dice,
    quanta: u32,
    heard: Fnv,
    told: String,
}

impl Stage {
    fn new(bill: Bill) -> Stage {
        let (mixer, renderer) = Mixer::offline(bill.config.clone()).expect("a sane config");
        let act = (bill.open)(&mixer);
        let dice = Dice::new(bill.name);
        Stage {
            bill,
            mixer,
            renderer,
            act,
            dice,
            quanta: 0,
            heard: Fnv::new(),
            told: String::new(),
        }
    }

    fn is_over(&self) -> bool {
        self.quanta == self.bill.ticks * TICK
    }

    fn quantum(&mut self) -> [Frame; QUANTUM] {
        if self.quanta.is_multiple_of(TICK) {
            let tick = self.quanta / TICK;
            self.act.tick(tick, &self.mixer, &mut self.dice);
            tell::tell_all(tick, &self.mixer, &mut self.told);
        }
        self.quanta += 1;
        let frames = render(&mut self.renderer);
        for sample in frames.as_flattened() {
            self.heard.add(&sample.to_bits().to_le_bytes());
        }
        frames
    }

    fn outcome(mut self) -> Outcome {
        tell::tell_end(&self.mixer, &mut self.told);
        let mut told_hash = Fnv::new();
        told_hash.add(self.told.as_bytes());
        Outcome {
            name: self.bill.name,
            heard: self.heard.value(),
            told_hash: told_hash.value(),
            told: self.told,
        }
    }
}

/// Waits for streams.
fn render(renderer: &mut Renderer) -> [Frame; QUANTUM] {
    let frames = renderer.frames(QUANTUM);
    frames.try_into().expect("as many frames as were asked for")
}

/// The whole scene, quantum by quantum.
pub struct Scene {
    bills: std::vec::IntoIter<Bill>,
    stage: Option<Stage>,
    pub outcomes: Vec<Outcome>,
}

impl Scene {
    pub fn begin() -> Scene {
        Scene { bills: bills().into_iter(), stage: None, outcomes: Vec::new() }
    }

    /// What is heard next; nothing when the scene is over.
    pub fn quantum(&mut self) -> Option<[Frame; QUANTUM]> {
        if self.stage.as_ref().is_none_or(Stage::is_over) {
            self.outcomes.extend(self.stage.take().map(Stage::outcome));
            self.stage = Some(Stage::new(self.bills.next()?));
        }
        self.stage.as_mut().map(Stage::quantum)
    }

    /// Plays what is left of it.
    pub fn play_out(&mut self) {
        while self.quantum().is_some() {}
    }

    /// A line for each act: its name, the hash of what was heard, the hash of what was told.
    pub fn report(&self) -> String {
        self.outcomes.iter().fold(String::new(), |mut lines, outcome| {
            writeln!(lines, "{outcome}").expect("memory to write to");
            lines
        })
    }
}

/// What [`Scene::report`] has to say on this system: as many lines of `golden.txt` as there are acts.
pub fn golden() -> String {
    const GOLDEN: &str = include_str!("../golden.txt");
    GOLDEN.split_inclusive('\n').take(bills().len()).collect()
}
