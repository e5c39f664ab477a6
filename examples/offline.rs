//! Fires far more sounds than the pool has voices, prints who gave way to whom and how loud that
//! was, and writes what is left into a WAV: `cargo run --release --example offline [FILE]`.
//!
//! What you should hear: a night meadow and rain, a hero walking past from left to right, three
//! waves of a wand with a shower of sparkles each, and an explosion at the end. And no gaps.

use std::error::Error;
use std::path::Path;

use voicepool::{
    Config, Ending, Event, Frame, Mixer, Play, Priority, Sound, db, ms, semitones, to_db,
};

const SECONDS: u64 = 8;

/// Losses below this are counted, not listed.
const FAINT: f32 = -40.0;

/// The sounds of the show. A play's tag is its sound's place in this list, so that a theft can
/// name the thief.
const SOUNDS: [&str; 9] = [
    "ambience_bed",
    "rain_loop",
    "footstep_1",
    "footstep_2",
    "footstep_3",
    "wand_swish",
    "sparkle_tick",
    "coin",
    "explosion",
];

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "offline.wav".into());
    let (mixer, mut renderer) = Mixer::offline(Config { voices: 8, ..Config::default() })?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sounds");
    let load = |name: &str| mixer.load(folder.join(name).with_extension("wav"));
    let sounds = SOUNDS.iter().map(|name| load(name)).collect::<Result<_, _>>()?;
    let show = Show { mixer, sounds };

    println!("{} voices, and what they could not hold:\n", show.mixer.stats().voices);
    let tenth_of_a_second = renderer.sample_rate() as usize / 10;
    let mut frames: Vec<Frame> = Vec::new();
    let mut faint = 0;
    show.backdrop();
    for tenth in 0..SECONDS * 10 {
        show.cue(tenth);
        frames.append(&mut renderer.frames(tenth_of_a_second));
        faint += show.report();
    }
    voicepool::write_wav(&file, renderer.sample_rate(), &frames)?;

    println!("\nAnd {faint} more, each below {FAINT} dB.\n\n{}", show.mixer.stats());
    println!("\n{SECONDS} seconds are in {file}.");
    Ok(())
}

struct Show {
    mixer: Mixer,
    sounds: Vec<Sound>,
}

impl Show {
    fn sound(&self, name: &str) -> Play {
        let tag = SOUNDS.iter().position(|known| *known == name).expect("a sound of the list");
        Play::of(&self.sounds[tag]).tag(tag as u64)
    }

    /// What is always there: the meadow must not be stolen, the rain may park.
    fn backdrop(&self) {
        self.mixer.play(self.sound("ambience_bed").looping().priority(Priority::Protected));
        self.mixer.play(self.sound("rain_loop").looping().gain(db(-9.0)).fade_in(ms(500)));
    }

    /// What happens in each tenth of a second.
    fn cue(&self, tenth: u64) {
        if tenth.is_multiple_of(4) {
            let step = ["footstep_1", "footstep_2", "footstep_3"][(tenth / 4 % 3) as usize];
            let across = tenth as f32 / (SECONDS * 5) as f32 - 1.0;
            self.mixer.play(self.sound(step).pan(across));
        }
        match tenth {
            20 | 40 | 60 => self.wave(tenth as f32 / 60.0),
            66 => drop(self.mixer.play(self.sound("explosion").priority(Priority::High))),
            _ => (),
        }
    }

    /// A wave of the wand: a swish, a coin, and a hundred sparkles that fall down the scale.
    fn wave(&self, strength: f32) {
        self.mixer.play(self.sound("wand_swish").gain(0.5 + 0.5 * strength));
        self.mixer.play(self.sound("coin").delay(ms(150)));
        for spark in 0..100u16 {
            let fallen = f32::from(spark) / 100.0;
            let tick = self.sound("sparkle_tick").delay(ms(100 + u64::from(spark).pow(2) / 12));
            let tick =
                tick.gain(strength * (1.0 - 0.8 * fallen)).speed(semitones(12.0 - 24.0 * fallen));
            self.mixer.play(tick.pan(f32::from(spark * 7 % 20) / 10.0 - 1.0));
        }
    }

    /// Prints who was lost, and to whom. Returns how many were too faint to list.
    fn report(&self) -> usize {
        let mut faint = 0;
        let line = |at: u64, what: String| {
            println!("{:7.3} s  {what}", at as f64 / f64::from(self.mixer.sample_rate()));
        };
        for event in self.mixer.events() {
            match event {
                Event::Ended { why: Ending::Stolen { level, .. }, .. } if to_db(level) < FAINT => {
                    faint += 1;
                }
                Event::Ended { name, at, why: Ending::Stolen { by_tag, level, .. }, .. } => {
                    let thief = SOUNDS[by_tag as usize];
                    line(at, format!("{name} gave way to {thief} at {:.1} dB", to_db(level)));
                }
                Event::Ended { name, at, why: Ending::Refused { why }, .. } => {
                    line(at, format!("{name} was refused: {why:?}"));
                }
                // Of these sounds only the rain may park.
                Event::Parked { at, .. } => line(at, "rain_loop goes on in silence".into()),
                Event::Unparked { at, .. } => line(at, "rain_loop is heard again".into()),
                _ => (),
            }
        }
        faint
    }
}
