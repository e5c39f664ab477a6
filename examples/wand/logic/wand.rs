//! The wand: what a game would be here. It knows spells, and asks the mixer for their sounds.

use std::time::Duration;

use voicepool::{
    BusId, BusState, Duck, Ending, Error, Event, Mixer, Play, Priority, Reverb, RoomId, Stats,
    VoiceId, WhenFull, db, ms, secs, semitones, to_db,
};

use crate::logic::cast::{Cast, LONG};
use crate::logic::dice::Dice;
use crate::logic::tally::Tally;

/// The most voices that the pool can be resized to.
pub const MOST_VOICES: usize = 128;

/// A game's own frames in a second.
pub const TICKS: u64 = 60;

/// A storm begins anew after so many ticks, with the same dice: whoever changes the answer to a
/// full pool hears the same storm again.
const ROUND: u64 = 2 * TICKS;

/// The storm's sounds in a tick.
const GUST: usize = 2;

/// The sparkles that a wave of the wand throws.
const SPARKS: u64 = 24;

/// Between two steps of the hero.
const STRIDE: u64 = TICKS * 2 / 5;

/// The hero's way, to and fro.
const LENGTH: u64 = 24 * TICKS;

/// All but the ambience, so that it can be ended on its own.
const SPELLS: BusId = BusId::new(1);
const AMBIENCE: BusId = BusId::new(2);

/// The buses that are shown, with their names.
pub const BUSES: [(BusId, &str); 2] = [(SPELLS, "spells"), (AMBIENCE, "ambience")];

/// How the ambience makes room for spells.
const UNDER_SPELLS: Duck = Duck { attack: ms(80), release: ms(900), ..Duck::DEFAULT };

/// What is left to be heard under water, in Hz.
const UNDER_WATER: f32 = 500.0;

/// How long it takes to dive, and to walk into the cave.
const WAY: Duration = ms(300);

const CAVE: RoomId = RoomId::new(0);

/// How much of what is heard rings in the cave.
const RINGS: f32 = 0.6;

/// As much as is thrown of a long sound, where there is nothing shorter to throw.
const THROWN: Duration = Duration::from_secs(3);

/// How the rest of it goes.
const CUT: Duration = Duration::from_millis(300);

/// The answers to a full pool, in the order in which a key goes through them.
pub const ANSWERS: [(WhenFull, &str); 4] = [
    (WhenFull::StealQuietest, "steal the quietest"),
    (WhenFull::StealOldest, "steal the oldest"),
    (WhenFull::Refuse, "refuse"),
    (WhenFull::Grow, "grow"),
];

/// What a play's tag says: its sound, and the answer to a full pool that it was played under.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tag {
    pub sound: usize,
    /// Its place in [`ANSWERS`].
    pub answer: usize,
}

impl Tag {
    pub fn pack(self) -> u64 {
        (self.answer as u64) << 32 | self.sound as u64
    }

    pub fn unpack(tag: u64) -> Tag {
        Tag { sound: tag as u32 as usize, answer: (tag >> 32) as usize % ANSWERS.len() }
    }
}

/// A sound that was asked for, as it is seen on the stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Burst {
    pub sound: usize,
    /// From the left side, -1, to the right.
    pub across: f32,
    /// From the ground, 0, up to 1.
    pub height: f32,
    /// In decibels.
    pub gain: f32,
    /// In so many ticks.
    pub after: u64,
}

pub struct Wand {
    pub mixer: Mixer,
    pub cast: Cast,
    pub tally: Tally,
    /// The mixer's books, as of the last tick.
    pub stats: Stats,
    dice: Dice,
    seed: u64,
    answer: usize,
    storm: Option<Storm>,
    walking: bool,
    /// For how many ticks.
    walked: u64,
    ambience: Vec<VoiceId>,
    /// How often the ambience began: each time another track goes with it.
    ambiences: usize,
    /// Long sounds that were thrown, and the frame on which each has to end.
    cuts: Vec<(u64, VoiceId)>,
    bursts: Vec<Burst>,
    under_water: bool,
    in_cave: bool,
    ducks: bool,
}

struct Storm {
    dice: Dice,
    age: u64,
}

impl Wand {
    pub fn new(mixer: Mixer, cast: Cast, seed: u64) -> Wand {
        let tally = Tally::new(cast.members.len());
        Wand {
            cast,
            tally,
            stats: mixer.stats(),
            mixer,
            dice: Dice::new(seed),
            seed,
            answer: 0,
            storm: None,
            walking: false,
            walked: 0,
            ambience: Vec::new(),
            ambiences: 0,
            cuts: Vec::new(),
            bursts: Vec::new(),
            under_water: false,
            in_cave: false,
            ducks: false,
        }
    }

    /// Lets a tick pass: the storm blows, the hero walks. Returns what the mixer had to say.
    pub fn tick(&mut self) -> Vec<Event> {
        self.blow();
        if self.walking {
            if self.walked.is_multiple_of(STRIDE) {
                self.step();
            }
            self.walked += 1;
        }
        let now = self.mixer.clock();
        for (_, voice) in self.cuts.extract_if(.., |(end, _)| *end <= now) {
            self.mixer.stop(voice, CUT);
        }
        self.hear()
    }

    /// Enters what the mixer has to say in the books, and hands it on.
    pub fn hear(&mut self) -> Vec<Event> {
        let events: Vec<Event> = self.mixer.events().collect();
        for event in &events {
            let Event::Ended { voice, tag, why, .. } = event else { continue };
            let tag = Tag::unpack(*tag);
            match why {
                Ending::Stolen { by_tag, level, .. } => {
                    self.tally.stolen(*voice, tag, Tag::unpack(*by_tag).answer, to_db(*level));
                }
                Ending::Refused { .. } => self.tally.refused(*voice, tag),
                _ => self.tally.ended(*voice),
            }
            self.ambience.retain(|held| held != voice);
        }
        self.stats = self.mixer.stats();
        self.tally.look(&self.stats, self.answer);
        events
    }

    /// What was asked for since this was last called, for the stage.
    pub fn bursts(&mut self) -> std::vec::Drain<'_, Burst> {
        self.bursts.drain(..)
    }

    /// Waves the wand: a swish, a reward, and sparkles that fall down the scale.
    pub fn wave(&mut self, across: f32, height: f32) {
        let at = |sound| Spell { across, height, ..Spell::of(sound) };
        self.utter(Spell { gain: -3.0, priority: Priority::High, ..at(self.cast.swish) });
        let reward = self.cast.shots[self.dice.below(self.cast.shots.len())];
        self.utter(Spell { after: ms(120), ..at(reward) });
        for spark in 0..SPARKS {
            let fallen = spark as f32 / SPARKS as f32;
            let spell = Spell {
                across: across + self.dice.between(-0.5, 0.5) * (0.3 + fallen),
                height: height * (1.0 - fallen),
                after: ms(60 + spark * spark * 2),
                gain: -8.0 - 16.0 * fallen,
                pitch: 12.0 - 19.0 * fallen + self.dice.between(-1.0, 1.0),
                ..Spell::of(self.cast.spark)
            };
            self.utter(spell);
        }
        if self.dice.one_in(3) {
            let boom = Spell { after: ms(700), ..at(self.cast.boom) };
            self.utter(Spell { gain: -4.0, priority: Priority::High, ..boom });
        }
    }

    /// Plays one sound.
    pub fn call(&mut self, sound: usize, across: f32, height: f32) {
        self.utter(Spell { across, height, gain: -3.0, whole: true, ..Spell::of(sound) });
    }

    pub fn is_storming(&self) -> bool {
        self.storm.is_some()
    }

    /// Begins or ends the storm.
    pub fn storm(&mut self, on: bool) {
        self.storm = on.then(|| Storm { dice: Dice::new(self.seed), age: 0 });
    }

    pub fn walk(&mut self, on: bool) {
        self.walking = on;
    }

    pub fn has_ambience(&self) -> bool {
        !self.ambience.is_empty()
    }

    /// Lets the loops begin or end, and one of the tracks with them. The first must not be stolen;
    /// the others may park.
    pub fn ambience(&mut self, on: bool) {
        if !on {
            for voice in self.ambience.drain(..) {
                self.mixer.stop(voice, ms(800));
            }
            return;
        }
        let mut priority = Priority::Protected;
        let track = self.ambiences.checked_rem(self.cast.tracks.len());
        let track = track.map(|n| self.cast.tracks[n]);
        self.ambiences += 1;
        for sound in self.cast.loops.clone().into_iter().chain(track) {
            let spell = Spell { gain: -14.0, priority, looping: true, ..Spell::of(sound) };
            let voice = self.utter(spell);
            self.ambience.extend(voice);
            priority = Priority::Normal;
        }
    }

    pub fn is_under_water(&self) -> bool {
        self.under_water
    }

    /// Takes the treble away, or brings it back.
    pub fn dive(&mut self, under: bool) {
        self.under_water = under;
        let low_pass = if under { UNDER_WATER } else { BusState::DEFAULT.low_pass };
        BUSES.iter().for_each(|(bus, _)| self.mixer.set_low_pass(*bus, low_pass, WAY));
    }

    pub fn is_in_cave(&self) -> bool {
        self.in_cave
    }

    /// Into the cave, or out of it: then it rings out.
    pub fn cave(&mut self, inside: bool) {
        self.in_cave = inside;
        if inside {
            let cave = Reverb { decay: secs(3.5), size: 0.9, ..Reverb::DEFAULT };
            self.mixer.set_reverb(CAVE, cave, ms(0));
        }
        let send = if inside { RINGS } else { 0.0 };
        BUSES.iter().for_each(|(bus, _)| self.mixer.set_send(*bus, CAVE, send, WAY));
    }

    pub fn is_ducking(&self) -> bool {
        self.ducks
    }

    /// Lets the ambience make room for spells, or no more.
    pub fn duck(&mut self, on: bool) -> Result<(), Error> {
        self.mixer.set_duck(AMBIENCE, SPELLS, on.then_some(UNDER_SPELLS))?;
        self.ducks = on;
        Ok(())
    }

    /// The answer to a full pool: its place in [`ANSWERS`].
    pub fn answer(&self) -> usize {
        self.answer
    }

    pub fn set_answer(&mut self, answer: usize) {
        self.answer = answer % ANSWERS.len();
        self.mixer.set_when_full(ANSWERS[self.answer].0);
    }

    /// Ends everything but the ambience.
    pub fn calm(&mut self, fade: Duration) {
        self.storm(false);
        self.walk(false);
        self.mixer.stop(SPELLS, fade);
    }

    /// Begins a new tally, and hands the old one over.
    pub fn count_anew(&mut self) -> Tally {
        let new = Tally::new(self.cast.members.len());
        std::mem::replace(&mut self.tally, new)
    }

    /// Goes on with a tally once what sounds has died away.
    pub fn count_on(&mut self, tally: Tally, dies_away: Duration) {
        self.tally = tally;
        let rate = f64::from(self.mixer.sample_rate());
        let silence = (dies_away.as_secs_f64() * rate) as u64;
        self.tally.begin_at(self.mixer.clock() + silence);
    }

    /// Ends everything, the storm too.
    pub fn hush(&mut self, fade: Duration) {
        self.storm(false);
        self.walk(false);
        self.ambience.clear();
        self.mixer.stop_all(fade);
    }

    /// Where the hero is, from the left side, -1, to the right: to and fro, and in the middle at
    /// first.
    pub fn hero(&self) -> f32 {
        let way = (self.walked + LENGTH / 4) % LENGTH;
        (way as f32 / (LENGTH / 4) as f32 - 2.0).abs() * 0.8 - 0.8
    }

    fn step(&mut self) {
        let stride = (self.walked / STRIDE) as usize;
        let step = self.cast.steps[stride % self.cast.steps.len()];
        self.utter(Spell { across: self.hero(), height: 0.0, gain: -14.0, ..Spell::of(step) });
    }

    /// A gust of the storm: many small sounds, some loud ones, all at once.
    fn blow(&mut self) {
        let Some(mut storm) = self.storm.take() else { return };
        if storm.age.is_multiple_of(ROUND) {
            storm.dice = Dice::new(self.seed);
        }
        storm.age += 1;
        for _ in 0..GUST {
            let dice = &mut storm.dice;
            let any = self.cast.shots[dice.below(self.cast.shots.len())];
            self.utter(Spell {
                across: dice.between(-1.0, 1.0),
                height: dice.between(0.2, 1.0),
                after: Duration::from_micros(dice.below(16_000) as u64),
                gain: dice.between(-24.0, -4.0),
                pitch: dice.between(-5.0, 5.0),
                ..Spell::of(if dice.one_in(3) { any } else { self.cast.spark })
            });
        }
        self.storm = Some(storm);
    }

    /// Asks for a sound, and for something to be seen of it.
    fn utter(&mut self, spell: Spell) -> Option<VoiceId> {
        let sound = &self.cast.members.get(spell.sound)?.sound;
        let tag = Tag { sound: spell.sound, answer: self.answer };
        let across = spell.across.clamp(-1.0, 1.0);
        let speed = semitones(spell.pitch);
        let play = Play::of(sound).pan(across).gain(db(spell.gain)).speed(speed);
        let play = play.delay(spell.after).priority(spell.priority).tag(tag.pack());
        let play = match spell.looping {
            true => play.looping().fade_in(ms(600)).bus(AMBIENCE),
            false => play.bus(SPELLS),
        };
        let is_cut = !spell.whole && !spell.looping && sound.duration() > LONG;
        let lasts = sound.duration().as_secs_f64() / f64::from(speed);
        let lasts = if is_cut { THROWN.as_secs_f64() } else { lasts };
        let rate = f64::from(self.mixer.sample_rate());
        let ends = self.mixer.clock() + ((spell.after.as_secs_f64() + lasts) * rate) as u64;
        let voice = self.mixer.play(play);
        self.cuts.extend(voice.filter(|_| is_cut).map(|voice| (ends, voice)));
        self.tally.asked(tag, voice, if spell.looping { u64::MAX } else { ends });
        self.bursts.push(Burst {
            sound: spell.sound,
            across,
            height: spell.height,
            gain: spell.gain,
            after: spell.after.as_millis() as u64 * TICKS / 1000,
        });
        voice
    }
}

/// A sound to be cast: where, when and how.
#[derive(Clone, Copy)]
struct Spell {
    sound: usize,
    across: f32,
    height: f32,
    after: Duration,
    /// In decibels.
    gain: f32,
    /// In semitones.
    pitch: f32,
    priority: Priority,
    looping: bool,
    /// To its end, however long it is.
    whole: bool,
}

impl Spell {
    fn of(sound: usize) -> Spell {
        Spell {
            sound,
            across: 0.0,
            height: 1.0,
            after: Duration::ZERO,
            gain: -6.0,
            pitch: 0.0,
            priority: Priority::Normal,
            looping: false,
            whole: false,
        }
    }
}
