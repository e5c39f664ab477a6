//! A minute's tour of the buses into a WAV, and a picture of their levels:
//! `cargo run --release --example buses [FILE.wav] [FILE.svg]`.
//!
//! What you should hear is printed, second by second. Somebody walks through the night to music:
//! dry, under water, through a cave. Zaps stand for speech, and the music makes room for them before the
//! first of them comes. Time slows down, then explosions fill the pool, and speech goes on all the same.
//! At last one call brings back all that was set.

use std::error::Error;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use voicepool::{
    Bus, BusId, Config, Duck, Effect, Frame, Mixer, Play, Priority, Reverb, RoomId, Sound, db, ms,
    secs, semitones,
};

#[path = "buses/picture.rs"]
mod picture;
#[path = "shared/svg.rs"]
mod svg;
#[cfg(test)]
#[path = "buses/tests.rs"]
mod tests;

const WORLD: BusId = BusId::new(1);
const BLASTS: BusId = BusId::new(2);
const MUSIC: BusId = BusId::new(3);
const SPEECH: BusId = BusId::new(4);
const CAVE: RoomId = RoomId::new(0);

const RATE: u32 = 48_000;
const SECONDS: usize = 60;
/// A twentieth of a second: how often the script is looked at, and the levels are.
const TICK: usize = RATE as usize / 20;
const VOICES: usize = 14;

const BLASTS_LIMIT: Bus = Bus { parent: WORLD, max_voices: Some(6), ..Bus::DEFAULT };
const SPEECH_RESERVE: Bus = Bus { reserved: 4, ..Bus::DEFAULT };
/// Slow enough to be heard as it bows: it is down when the first syllable comes.
const UNDER_SPEECH: Duck = Duck { gain: 0.2, attack: ms(400), hold: ms(300), release: ms(900) };
const UNDER_WATER: f32 = 500.0;
const SLOW: f32 = 0.4;

/// When each part begins, in seconds, and its name.
const PARTS: [(f64, &str); 7] = [
    (0.0, "dry"),
    (8.0, "under water"),
    (17.0, "cave"),
    (27.0, "speech"),
    (36.0, "slow motion"),
    (44.0, "explosions"),
    (54.0, "dry again"),
];

/// What is done at a second of the tour, and what is then heard.
struct Cue {
    at: f64,
    hear: &'static str,
    act: fn(&mut Tour),
}

/// The script, in order.
const CUES: [Cue; 13] = [
    Cue { at: 0.0, hear: "night, steps, music: nothing is in their way", act: |_| () },
    Cue {
        at: 8.0,
        hear: "under water: the world loses its treble, the music does not",
        act: |tour| tour.mixer.set_low_pass(WORLD, UNDER_WATER, ms(600)),
    },
    Cue {
        at: 16.0,
        hear: "up again, into the air",
        act: |tour| tour.mixer.set_low_pass(WORLD, 20_000.0, ms(400)),
    },
    Cue {
        at: 17.0,
        hear: "a cave: every step rings, the music is somewhere else",
        act: |tour| {
            if tour.with.room {
                tour.mixer.set_send(WORLD, CAVE, 0.7, ms(500));
            }
        },
    },
    Cue { at: 24.0, hear: "a halt: the last step rings out", act: |tour| tour.walks = false },
    Cue {
        at: 26.5,
        hear: "out of the cave, and on",
        act: |tour| {
            tour.mixer.set_send(WORLD, CAVE, 0.0, ms(500));
            tour.walks = true;
        },
    },
    Cue {
        at: 28.0,
        hear: "somebody is about to speak: at 28.6 the music bows, at 29.0 comes the first syllable",
        act: |tour| tour.speak(29.0, 14),
    },
    Cue {
        at: 33.0,
        hear: "the music is back; a second line follows",
        act: |tour| tour.speak(34.0, 5),
    },
    Cue {
        at: 36.0,
        hear: "slow motion: the world drags and deepens, the music keeps its time",
        act: |tour| tour.mixer.set_speed(WORLD, SLOW, ms(800)),
    },
    Cue {
        at: 43.0,
        hear: "and up to speed",
        act: |tour| tour.mixer.set_speed(WORLD, 1.0, ms(600)),
    },
    Cue {
        at: 44.0,
        hear: "explosions, ten a second on six voices; whoever speaks has four that they cannot take",
        act: |tour| tour.speak(45.0, 34),
    },
    Cue {
        at: 52.0,
        hear: "stunned: the world is dull, slow and far away",
        act: |tour| {
            tour.mixer.set_low_pass(WORLD, 300.0, ms(200));
            tour.mixer.set_speed(WORLD, 0.6, ms(400));
            tour.mixer.set_gain(MUSIC, db(-18.0), ms(200));
        },
    },
    Cue {
        at: 54.0,
        hear: "one call brings it all back: set_mix",
        act: |tour| {
            let dry = tour.dry.clone();
            tour.mixer.set_mix(&dry, secs(1.5));
        },
    },
];

/// The notes of the music and the melody of speech, in semitones.
const NOTES: [f32; 8] = [0.0, 3.0, 7.0, 10.0, 12.0, 10.0, 7.0, 5.0];
const SPOKEN: [f32; 7] = [-4.0, -2.0, -6.0, -1.0, -3.0, -7.0, -5.0];

fn main() -> ExitCode {
    let files = match files(std::env::args_os().skip(1).map(PathBuf::from)) {
        Ok(files) => files,
        Err(error) => {
            eprintln!("buses: {error}");
            return ExitCode::from(2);
        }
    };
    match run(&files) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("buses: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Where the sound and the picture go.
fn files(words: impl IntoIterator<Item = PathBuf>) -> Result<[PathBuf; 2], String> {
    let mut words = words.into_iter();
    let mut files = ["buses.wav", "buses.svg"].map(PathBuf::from);
    for (file, word) in files.iter_mut().zip(words.by_ref()) {
        if word.to_string_lossy().starts_with('-') {
            return Err(format!("{} is not a file; give a WAV and an SVG", word.display()));
        }
        *file = word;
    }
    match words.next() {
        None => Ok(files),
        Some(more) => Err(format!("{} is one too many; give a WAV and an SVG", more.display())),
    }
}

fn run([wav, picture]: &[PathBuf; 2]) -> Result<(), Box<dyn Error>> {
    let heard = render(With::ALL)?;
    if !heard.is_dry || heard.ticks.iter().any(|seen| seen.mix > 1.0) {
        return Err("the tour did not come back to where it began, or is too loud".into());
    }
    let outside = render(With { room: false, ..With::ALL })?;
    let cave = less(&heard.frames, &outside.frames);
    voicepool::write_wav(wav, RATE, &heard.frames)?;
    let command = format!("buses {} {}", wav.display(), picture.display());
    picture::draw(&heard, &cave, &command).save(picture)?;
    let mut out = std::io::stdout();
    for Cue { at, hear, .. } in CUES {
        writeln!(out, "{at:>5.1} s  {hear}")?;
    }
    let lost = heard.lost.map(|(bus, lost)| format!("{lost} of {}", name(bus))).join(", ");
    writeln!(out, "\nCut off before their end: {lost}.")?;
    writeln!(out, "It is in {}, and drawn in {}.", wav.display(), picture.display())?;
    Ok(())
}

/// What is in the first and not in the second, frame by frame. Of two tours of which one has no room, that is
/// what the room gives, as long as the limiter has nothing to do.
fn less(all: &[Frame], without: &[Frame]) -> Vec<Frame> {
    let pairs = all.iter().zip(without);
    pairs.map(|(all, without)| [0, 1].map(|side| all[side] - without[side])).collect()
}

/// The parts of the tour that can be left out, to measure what they do.
#[derive(Clone, Copy)]
struct With {
    room: bool,
    duck: bool,
    limits: bool,
    music: bool,
}

impl With {
    const ALL: With = With { room: true, duck: true, limits: true, music: true };
}

/// What came of the tour.
struct Heard {
    frames: Vec<Frame>,
    ticks: Vec<Seen>,
    /// How many plays of each bus lost their voice before their end.
    lost: [(BusId, usize); 4],
    /// Whether all is set as it was at the beginning.
    is_dry: bool,
}

/// The buses in the order in which they are shown.
const SHOWN: [BusId; 4] = [WORLD, BLASTS, MUSIC, SPEECH];

fn name(bus: BusId) -> &'static str {
    match bus {
        WORLD => "world",
        BLASTS => "blasts",
        MUSIC => "music",
        SPEECH => "speech",
        _ => "the mix",
    }
}

/// What was seen of the buses in one tick, in the order of [`SHOWN`].
#[derive(Clone, Copy)]
struct Seen {
    /// The highest sample of each, and of the mix.
    peaks: [f32; 4],
    mix: f32,
    playing: [usize; 4],
    /// How far the music is turned down.
    duck: f32,
    low_pass: f32,
    speed: f32,
}

/// Changes nothing. But a bus that has an effect is mixed by itself, and so its peaks are measured.
struct Probe;

impl Effect for Probe {
    fn process(&mut self, _left: &mut [f32], _right: &mut [f32]) {}
}

struct Tour {
    mixer: Mixer,
    with: With,
    /// What was set at the beginning.
    dry: voicepool::Mix,
    walks: bool,
    /// How far the world's own time has come, in ticks, and how many steps were made in it.
    world_time: f64,
    steps: usize,
    step: [Sound; 3],
    syllable: Sound,
    chime: Sound,
    blast: Sound,
}

impl Tour {
    fn new(mixer: Mixer, with: With) -> Result<Tour, Box<dyn Error>> {
        let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/sounds"));
        let load = |name: &str| mixer.load(folder.join(name).with_extension("wav"));
        let ([night, drone], step) = (
            [load("ambience_bed")?, load("drone_loop")?],
            [load("footstep_1")?, load("footstep_2")?, load("footstep_3")?],
        );
        let [syllable, chime, blast] = [load("zap")?, load("chime")?, load("explosion")?];
        if with.limits {
            mixer.set_bus(BLASTS, BLASTS_LIMIT)?;
            mixer.set_bus(SPEECH, SPEECH_RESERVE)?;
        } else {
            mixer.set_bus(BLASTS, Bus { parent: WORLD, ..Bus::DEFAULT })?;
        }
        if with.duck {
            mixer.set_duck(MUSIC, SPEECH, Some(UNDER_SPEECH))?;
        }
        mixer.set_mute(MUSIC, !with.music);
        let cave = Reverb { decay: secs(3.5), size: 0.9, damping: 0.4, pre_delay: ms(30) };
        mixer.set_reverb(CAVE, cave, ms(0));
        for bus in SHOWN {
            mixer.set_effect(bus, Some(Box::new(Probe)))?;
        }
        for (bus, sound, gain) in [(WORLD, &night, -4.0), (MUSIC, &drone, -10.0)] {
            let play = Play::of(sound).looping().bus(bus).gain(db(gain));
            mixer.play(play.priority(Priority::Protected)).ok_or("the queue is too short")?;
        }
        let dry = mixer.mix();
        let (walks, world_time, steps) = (true, 0.0, 0);
        Ok(Tour { mixer, with, dry, walks, world_time, steps, step, syllable, chime, blast })
    }

    /// A line of so many syllables, of which the first begins at this second.
    fn speak(&mut self, at: f64, syllables: usize) {
        for (n, pitch) in SPOKEN.into_iter().cycle().take(syllables).enumerate() {
            let at = (at * f64::from(RATE)) as u64 + self.mixer.frames(ms(180)) * n as u64;
            let play = Play::of(&self.syllable).bus(SPEECH).speed(semitones(pitch));
            self.mixer.play(play.gain(db(-13.0)).start_at(at));
        }
    }

    /// A tick passes: what its time brings is played.
    fn tick(&mut self, tick: usize) {
        for cue in CUES.iter().filter(|cue| (cue.at * 20.0).round() as usize == tick) {
            (cue.act)(self);
        }
        // A step every half second of the world's own time, which is slow when the world is.
        let before = (self.world_time / 10.0).floor();
        self.world_time += f64::from(self.mixer.bus(WORLD).speed);
        if self.walks && (self.world_time / 10.0).floor() > before {
            let side = if self.steps.is_multiple_of(2) { -0.25 } else { 0.25 };
            self.mixer.play(Play::of(&self.step[self.steps % 3]).bus(WORLD).pan(side));
            self.steps += 1;
        }
        if tick.is_multiple_of(15) {
            let note = semitones(NOTES[tick / 15 % NOTES.len()] - 5.0);
            let chime = Play::of(&self.chime).bus(MUSIC).speed(note).gain(db(-10.0));
            self.mixer.play(chime.priority(Priority::High));
        }
        if (20 * 45..20 * 51).contains(&tick) && tick.is_multiple_of(2) {
            let side = [-0.8, 0.5, 0.1, -0.4, 0.9][tick / 2 % 5];
            let pitch = semitones([0.0, -3.0, 4.0, -5.0][tick / 2 % 4]);
            let blast = Play::of(&self.blast).bus(BLASTS).pan(side).speed(pitch);
            self.mixer.play(blast.gain(db(-9.0)));
        }
    }

    fn see(&self) -> Seen {
        let stats = SHOWN.map(|bus| self.mixer.bus_stats(bus));
        let peak = |peak: Frame| peak[0].max(peak[1]);
        let world = self.mixer.bus(WORLD);
        let seen = Seen {
            peaks: stats.map(|stats| stats.peak.map_or(0.0, peak)),
            mix: peak(self.mixer.stats().peak),
            playing: stats.map(|stats| stats.playing),
            duck: stats[2].duck,
            low_pass: world.low_pass,
            speed: world.speed,
        };
        self.mixer.reset_peaks();
        seen
    }
}

/// Renders the tour, or what is left of it.
fn render(with: With) -> Result<Heard, Box<dyn Error>> {
    let config = Config { voices: VOICES, sample_rate: RATE, ..Config::DEFAULT };
    let (mixer, mut renderer) = Mixer::offline(config)?;
    let mut tour = Tour::new(mixer, with)?;
    let mut frames = vec![[0.0; 2]; SECONDS * RATE as usize];
    let mut ticks = Vec::new();
    for (tick, part) in frames.chunks_mut(TICK).enumerate() {
        tour.tick(tick);
        renderer.render(part);
        ticks.push(tour.see());
    }
    let lost = SHOWN.map(|bus| (bus, tour.mixer.bus_stats(bus).stolen as usize));
    Ok(Heard { frames, ticks, lost, is_dry: tour.mixer.mix() == tour.dry })
}
