//! Watches what a mixer promises, step by step, and makes one number of all that came out.

use std::collections::BTreeSet;
use std::fmt;

use voicepool::{Config, Ending, Event, Frame, Mixer, Parking, Refusal, Stats, VoiceId};

/// A promise that was broken, and where: the seed leads there again.
#[derive(Debug, PartialEq)]
pub struct Broken {
    pub seed: u64,
    pub scene: u64,
    pub step: u64,
    pub what: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Broken { seed, scene, step, what } = self;
        write!(f, "BROKEN seed {seed}, scene {scene}, step {step}: {what}")
    }
}

/// FNV-1a of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hash(u64);

impl Hash {
    pub const EMPTY: Hash = Hash(0xcbf2_9ce4_8422_2325);

    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    pub fn add_number(&mut self, number: u64) {
        self.add(&number.to_le_bytes());
    }

    fn add_frames(&mut self, frames: &[Frame]) {
        for sample in frames.iter().flatten() {
            self.add(&sample.to_bits().to_le_bytes());
        }
    }

    /// Which play, but for the number of its mixer: that depends on what else the process has opened.
    fn add_voice(&mut self, voice: VoiceId) {
        let bits = voice.to_bits();
        self.add_number(bits as u64);
        self.add_number(bits as u32 as u64 ^ (bits >> 64) as u32 as u64);
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// How often what has happened, over all scenes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    pub steps: u64,
    pub frames: u64,
    pub commands: u64,
    pub accepted: u64,
    pub turned_away: u64,
    pub ended: [u64; 4],
    pub parkings: u64,
    pub full: u64,
    pub missed_events: u64,
    /// Mixers that were opened.
    pub mixers: u64,
}

/// What this program has counted of one mixer by itself, beside the mixer's own books.
pub struct Books {
    config: Config,
    /// Those that have not ended, as far as was told.
    live: BTreeSet<u128>,
    pub accepted: u64,
    pub turned_away: u64,
    pub frames: u64,
    /// Finished, stopped, stolen, refused, as far as was told.
    ended: [u64; 4],
    /// Whether every event so far was heard.
    hears_all: bool,
}

impl Books {
    pub fn new(config: &Config) -> Books {
        Books {
            config: config.clone(),
            live: BTreeSet::new(),
            accepted: 0,
            turned_away: 0,
            frames: 0,
            ended: [0; 4],
            hears_all: true,
        }
    }

    /// What became of a request.
    pub fn asked(&mut self, plays: u64, voices: &[VoiceId]) {
        self.accepted += voices.len() as u64;
        self.turned_away += plays - voices.len() as u64;
        self.live.extend(voices.iter().map(|voice| voice.to_bits()));
    }

    /// Nobody asks for the events any more, so that only the mixer's own books are left.
    pub fn stop_listening(&mut self) {
        self.hears_all = false;
        self.live.clear();
    }

    /// Whether all is told: a line about the first thing that is not as it should be.
    pub fn check(&self, stats: &Stats) -> Result<(), String> {
        let ended = [stats.finished, stats.stopped, stats.stolen, stats.refused];
        let all = ended.iter().sum::<u64>() + stats.live as u64;
        if stats.accepted != all {
            let accepted = stats.accepted;
            return Err(format!("{accepted} plays were accepted, {all} have ended or are live"));
        }
        let same = |what: &str, said: u64, counted: u64| match said == counted {
            true => Ok(()),
            false => Err(format!("{what}: the mixer says {said}, {counted} were counted")),
        };
        same("accepted", stats.accepted, self.accepted)?;
        same("turned away", stats.turned_away, self.turned_away)?;
        same("frames", stats.frames, self.frames)?;
        same("bugs caught in the callback", stats.panics, 0)?;
        same("gaps in streams that were waited for", stats.underruns, 0)?;
        if self.hears_all && stats.missed_events == 0 {
            let kinds = ["finished", "stopped", "stolen", "refused"];
            for ((kind, said), counted) in kinds.iter().zip(ended).zip(self.ended) {
                same(kind, said, counted)?;
            }
            same("live", stats.live as u64, self.live.len() as u64)?;
        }
        let Config { max_voices, parked, scheduled, .. } = self.config;
        let within = |what: &str, count: usize, most: usize| match count <= most {
            true => Ok(()),
            false => Err(format!("{what}: {count} of {most} at most")),
        };
        within("voices", stats.voices, max_voices)?;
        // A pool that has shrunk waits for those who are protected.
        within("playing", stats.playing, max_voices)?;
        within("parked", stats.parked, parked)?;
        within("scheduled", stats.scheduled, scheduled)
    }

    /// Hears an event, and says what is wrong with it.
    fn hear(&mut self, event: &Event, hash: &mut Hash) -> Result<(), String> {
        let mut add = |kind: u64, voice: VoiceId, tag: u64, at: u64| {
            hash.add_number(kind);
            hash.add_voice(voice);
            hash.add_number(tag);
            hash.add_number(at);
        };
        match event {
            Event::Ended { voice, tag, name, at, why, .. } => {
                add(0, *voice, *tag, *at);
                hash.add(name.as_bytes());
                let kind = add_ending(hash, *why);
                self.ended[kind] += 1;
                if self.hears_all && !self.live.remove(&voice.to_bits()) {
                    return Err(format!("{voice:?} has ended, and was not live: {why:?}"));
                }
            }
            Event::Started { voice, tag, at, .. } => add(1, *voice, *tag, *at),
            Event::Parked { voice, tag, at, why, .. } => {
                add(2, *voice, *tag, *at);
                add_parking(hash, *why);
            }
            Event::Unparked { voice, tag, at, .. } => add(3, *voice, *tag, *at),
            Event::EffectFailed { at, .. } => hash.add_number(*at),
            other => return Err(format!("nothing should tell of this: {other:?}")),
        }
        Ok(())
    }
}

/// Returns which of the four it is.
fn add_ending(hash: &mut Hash, why: Ending) -> usize {
    let (kind, more) = match why {
        Ending::Finished => (0, 0),
        Ending::Stopped => (1, 0),
        Ending::Stolen { by, by_tag, level } => {
            hash.add_voice(by);
            hash.add_number(by_tag);
            (2, u64::from(level.to_bits()))
        }
        Ending::Refused { why } => {
            if let Refusal::Merged { into } = why {
                hash.add_voice(into);
            }
            let kinds = [Refusal::PoolFull, Refusal::BusFull, Refusal::CueFull, Refusal::Cooldown];
            (3, kinds.iter().position(|it| *it == why).unwrap_or(kinds.len()) as u64)
        }
        other => unreachable!("an ending that this program does not know: {other:?}"),
    };
    hash.add_number(kind as u64);
    hash.add_number(more);
    kind
}

fn add_parking(hash: &mut Hash, why: Parking) {
    match why {
        Parking::Stolen { by, by_tag, level } => {
            hash.add_voice(by);
            hash.add_number(by_tag);
            hash.add_number(u64::from(level.to_bits()));
        }
        other => {
            let kinds = [Parking::Paused, Parking::Inaudible, Parking::Shrunk, Parking::PoolFull];
            let kind = kinds.iter().position(|it| *it == other).unwrap_or(kinds.len());
            hash.add_number(kind as u64);
        }
    }
}

/// What watches over a whole run.
pub struct Watch {
    pub seed: u64,
    pub scene: u64,
    pub step: u64,
    pub hash: Hash,
    pub tally: Tally,
    /// How the books of a mixer are read. Tests read them wrongly.
    pub stats: fn(&Mixer) -> Stats,
}

impl Watch {
    pub fn new(seed: u64, stats: fn(&Mixer) -> Stats) -> Watch {
        Watch { seed, scene: 0, step: 0, hash: Hash::EMPTY, tally: Tally::default(), stats }
    }

    pub fn broken(&self, what: String) -> Broken {
        Broken { seed: self.seed, scene: self.scene, step: self.step, what }
    }

    /// Hears what came out.
    pub fn hear(&mut self, frames: &[Frame]) -> Result<(), Broken> {
        self.hash.add_frames(frames);
        self.tally.frames += frames.len() as u64;
        let within = |sample: &f32| sample.abs() <= 1.0;
        match frames.iter().position(|frame| !frame.iter().all(within)) {
            None => Ok(()),
            Some(at) => Err(self.broken(format!(
                "frame {at} of the buffer is {:?}, which is not finite and within ±1",
                frames[at]
            ))),
        }
    }

    /// Hears what has happened, if anybody asks, and looks at the books.
    pub fn look(&mut self, mixer: &Mixer, books: &mut Books, asks: bool) -> Result<(), Broken> {
        if asks {
            for event in mixer.events() {
                books.hear(&event, &mut self.hash).map_err(|what| self.broken(what))?;
            }
        }
        let stats = (self.stats)(mixer);
        if stats.missed_events > 0 && books.hears_all {
            books.stop_listening();
        }
        books.check(&stats).map_err(|what| self.broken(what))
    }

    /// A mixer is closed: what it did is added to all.
    pub fn close(&mut self, stats: &Stats) {
        let tally = &mut self.tally;
        tally.mixers += 1;
        tally.accepted += stats.accepted;
        tally.turned_away += stats.turned_away;
        let ended = [stats.finished, stats.stopped, stats.stolen, stats.refused];
        tally.ended.iter_mut().zip(ended).for_each(|(all, it)| *all += it);
        tally.parkings += stats.parkings;
        tally.full += stats.full;
        tally.missed_events += stats.missed_events;
        self.hash.add_number(stats.accepted);
        self.hash.add_number(stats.missed_events);
    }
}
