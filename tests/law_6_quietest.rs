//! Law 6: quietest is what would be missed least. Each candidate is rendered in a mixer of its own,
//! with the same history, and a meter of the test's own says what is to come of it from the theft
//! on: K-weighted, the near counting more than the far, by 1/e after 200 ms.

mod common;
#[path = "common/meter.rs"]
mod meter;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use common::{Random, mono, noise, sine};
use meter::{Meter, ahead, decibels};
use voicepool::{BusId, Config, Ending, Event, Frame, Mixer, Play, Renderer, Sound, VoiceId};
use voicepool::{WhenStolen, db, loudness, ms, semitones, to_db};

const RATE: u32 = 48_000;
/// What lies further off than 1.5 s counts less than a thousandth.
const REACH: usize = RATE as usize * 3 / 2;
/// Below this everything is equally quiet.
const FLOOR: f32 = -90.0;
const BUS: BusId = BusId::new(1);
/// Once a mixer has begun, what it is told acts a line later.
const BEGUN: usize = 512;
const LATER: u64 = 128;

/// What is said to a mixer.
type Word = Rc<dyn Fn(&Mixer, Option<VoiceId>)>;

/// A voice that can be rendered alone: how it began, and what was said since.
struct Solo {
    play: Play,
    gain: f32,
    speed: f32,
    bus: BusId,
    bus_gain: f32,
    /// When it was asked for.
    born: u64,
    said: Vec<(u64, Word)>,
    /// What is to come from each of its frames on, as it is heard and, at another speed, as it was
    /// made, if it has been rendered since something was said; and whether it has ended by then.
    heard: RefCell<Option<(Vec<Vec<f64>>, bool)>>,
}

impl Solo {
    fn say(&mut self, now: u64, word: Word) {
        self.said.push((now - self.born, word));
        *self.heard.borrow_mut() = None;
    }

    /// What is to come from a frame of its own on, in decibels: as it is heard, and as it was made,
    /// before its speed moved it to where the ear hears more or less.
    fn levels(&self, frame: usize) -> [f32; 2] {
        let mut heard = self.heard.borrow_mut();
        if !heard.as_ref().is_some_and(|(it, over)| *over || frame + REACH <= it[0].len()) {
            *heard = Some(self.render(frame + REACH + REACH / 2));
        }
        let level = |powers: Option<&Vec<f64>>| {
            let power = powers.and_then(|powers| powers.get(frame)).copied();
            decibels(power.unwrap_or(0.0)).max(FLOOR)
        };
        let levels = heard.as_ref().map_or(&[][..], |(levels, _)| levels);
        [level(levels.first()), level(levels.last())]
    }

    /// Plays it alone from its beginning. All was said on lines of the grid, so it does not matter
    /// that its own clock begins later.
    fn render(&self, frames: usize) -> (Vec<Vec<f64>>, bool) {
        let config =
            Config { voices: 1, max_voices: 1, parked: 1, scheduled: 1, ..Config::default() };
        let (mixer, mut renderer) =
            Mixer::offline(Config { commands: 16, ..config }).expect("a good config");
        mixer.set_gain(BUS, self.bus_gain, ms(0));
        renderer.frames(BEGUN);
        let voice = mixer.play(&self.play);
        let made = f64::from(RATE) / f64::from(self.speed);
        let mut meters = [(Meter::new(RATE.into()), Vec::new()), (Meter::new(made), Vec::new())];
        let meters = if self.speed == 1.0 { &mut meters[..1] } else { &mut meters[..] };
        let mut said = self.said.iter().peekable();
        // It has ended when the quantum is computed, which is heard later.
        let mut over = false;
        loop {
            let now = mixer.clock() - BEGUN as u64;
            while let Some((_, word)) = said.next_if(|(at, _)| *at <= now) {
                word(&mixer, voice);
            }
            let heard = renderer.frames(128);
            meters.iter_mut().for_each(|(meter, powers)| meter.hear(&heard, powers));
            if over || meters[0].1.len() >= frames {
                break;
            }
            over = mixer.stats().live == 0;
        }
        let levels = |(_, powers): &(Meter, Vec<f64>)| {
            let mut levels = ahead(RATE, powers);
            levels.drain(..LATER as usize);
            levels
        };
        (meters.iter().map(levels).collect(), over)
    }
}

/// Whole quanta.
const STEP: usize = 20 * 128;
/// Whole quanta again, and more than the 5 ms that a change takes.
const SETTLE: usize = 3 * 128;

/// A mixer, and beside it every voice by itself.
struct Stage {
    mixer: Mixer,
    renderer: Renderer,
    solos: BTreeMap<VoiceId, Solo>,
    /// In the order in which they began.
    live: Vec<VoiceId>,
    /// Who began since the last step.
    newcomers: Vec<VoiceId>,
    bus_gain: f32,
}

/// A theft, as it was announced and as it should have been.
struct Theft {
    victim: VoiceId,
    /// In decibels.
    announced: f32,
    as_heard: Judgement,
    as_made: Judgement,
}

/// The levels of the victim, of the quietest, and of whom two simpler rules would have named.
struct Judgement {
    victim: f32,
    quietest: f32,
    by_gain: f32,
    by_age: f32,
}

impl Stage {
    fn new(voices: usize) -> Stage {
        let config = Config { voices, max_voices: voices, ..Config::default() };
        let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
        renderer.frames(BEGUN);
        let (solos, live, newcomers) = (BTreeMap::new(), Vec::new(), Vec::new());
        Stage { mixer, renderer, solos, live, newcomers, bus_gain: 1.0 }
    }

    fn play(&mut self, play: Play, gain: f32) -> VoiceId {
        self.play_on(BusId::MASTER, play, gain, 1.0)
    }

    fn play_on(&mut self, bus: BusId, play: Play, gain: f32, speed: f32) -> VoiceId {
        let play = play.bus(bus).gain(gain).speed(speed).when_stolen(WhenStolen::End);
        let voice = self.mixer.play(&play).expect("there is room");
        let (bus_gain, born) = (self.bus_gain, self.mixer.clock());
        let (said, heard) = (Vec::new(), RefCell::default());
        self.solos.insert(voice, Solo { play, gain, speed, bus, bus_gain, born, said, heard });
        self.newcomers.push(voice);
        voice
    }

    /// Says something to a voice, here and where it plays alone.
    fn tell(&mut self, voice: VoiceId, word: impl Fn(&Mixer, Option<VoiceId>) + 'static) {
        word(&self.mixer, Some(voice));
        if let Some(solo) = self.solos.get_mut(&voice) {
            solo.say(self.mixer.clock(), Rc::new(word));
        }
    }

    /// Turns the bus up or down, here and wherever a voice plays alone.
    fn set_bus(&mut self, gain: f32) {
        self.bus_gain = gain;
        let word: Word = Rc::new(move |mixer, _| mixer.set_gain(BUS, gain, ms(0)));
        word(&self.mixer, None);
        let now = self.mixer.clock();
        let solos = self.solos.values_mut().filter(|solo| solo.bus == BUS);
        solos.for_each(|solo| solo.say(now, word.clone()));
    }

    /// Goes on by a step. Returns the thefts that were made at its beginning.
    fn go_on(&mut self) -> Vec<Theft> {
        let line = self.mixer.clock() + LATER;
        self.renderer.frames(STEP);
        let events: Vec<Event> = self.mixer.events().collect();
        let mut thefts = Vec::new();
        for event in &events {
            if let Event::Ended { voice, at, why: Ending::Finished, .. } = event
                && *at <= line
            {
                self.live.retain(|live| live != voice);
            }
        }
        for newcomer in std::mem::take(&mut self.newcomers) {
            for event in &events {
                if let Event::Ended { voice, at, why: Ending::Stolen { by, level, .. }, .. } = event
                    && *by == newcomer
                {
                    assert_eq!(*at, line);
                    thefts.push(self.judge(*voice, *level, line));
                    self.live.retain(|live| live != voice);
                }
            }
            self.live.push(newcomer);
        }
        for event in &events {
            if let Event::Ended { voice, .. } = event {
                self.live.retain(|live| live != voice);
                self.solos.remove(voice);
            }
        }
        thefts
    }

    /// Lets what was said come into force.
    fn settle(&mut self) {
        self.renderer.frames(SETTLE);
    }

    fn judge(&self, victim: VoiceId, level: f32, line: u64) -> Theft {
        let levels = |voice: &VoiceId| {
            let solo = &self.solos[voice];
            solo.levels((line - LATER - solo.born) as usize)
        };
        let gain = |voice: &&VoiceId| self.solos[*voice].gain.to_bits();
        let by_gain = self.live.iter().min_by_key(gain).expect("somebody lives");
        let judgement = |meter: usize| Judgement {
            victim: levels(&victim)[meter],
            quietest: self.live.iter().map(|v| levels(v)[meter]).fold(f32::INFINITY, f32::min),
            by_gain: levels(by_gain)[meter],
            by_age: levels(&self.live[0])[meter],
        };
        let (as_heard, as_made) = (judgement(0), judgement(1));
        Theft { victim, announced: to_db(level).max(FLOOR), as_heard, as_made }
    }

    /// One newcomer more than there is room for: who goes.
    fn theft(&mut self) -> Theft {
        self.play(Play::of(mono(RATE, &sine(RATE, 900.0, 0.0, 9600))), 1.0);
        let mut thefts = self.go_on();
        assert_eq!(thefts.len(), 1);
        thefts.remove(0)
    }
}

/// The meter has the numbers of the standard's table, and agrees with the crate's own.
#[test]
fn the_meter_is_the_standards() {
    let table = [
        [
            1.53512485958697,
            -2.69169618940638,
            1.19839281085285,
            -1.69065929318241,
            0.73248077421585,
        ],
        [1.0, -2.0, 1.0, -1.99004745483398, 0.99007225036621],
    ];
    let mut meter = Meter::new(48_000.0);
    for (ours, theirs) in meter.filters().as_flattened().iter().zip(table.as_flattened()) {
        assert!((ours - theirs).abs() < 1e-13, "{ours} is not {theirs}");
    }
    let noise: Vec<Frame> = noise(3, 4800).iter().map(|s| [*s, -0.3 * s]).collect();
    let mut powers = Vec::new();
    meter.hear(&noise[..1000], &mut powers);
    meter.hear(&noise[1000..], &mut powers);
    let mean = powers.iter().sum::<f64>() / 4800.0;
    assert!((decibels(mean) - loudness(RATE, &noise)).abs() < 1e-3);
}

/// Two voices that know nothing of each other, after some steps: the first must go, because what
/// is to come of it is less, and the level it is announced with is right within 1 dB.
#[track_caller]
fn first_goes(mut stage: Stage, first: VoiceId, steps: usize) {
    for _ in 0..steps {
        assert!(stage.go_on().is_empty());
    }
    let Theft { victim, announced, as_made, .. } = stage.theft();
    let Judgement { victim: level, quietest, .. } = as_made;
    assert!(level <= quietest, "not even the quietest: {level} dB, {quietest} dB");
    assert_eq!(victim, first);
    assert!((announced - level).abs() < 1.0, "announced at {announced} dB, measured at {level} dB");
}

fn tone(hertz: f64, frames: usize) -> Sound {
    mono(RATE, &sine(RATE, hertz, 0.0, frames))
}

/// So many frames of a tone of 1 kHz, each with its own gain.
fn shaped(frames: usize, gain: impl Fn(usize) -> f32) -> Sound {
    let wave = sine(RATE, 1000.0, 0.0, frames);
    mono(RATE, &wave.iter().enumerate().map(|(n, s)| gain(n) * s).collect::<Vec<_>>())
}

/// A loud clip in its silent tail goes before a quiet drone.
#[test]
fn a_silent_tail_goes_before_a_quiet_drone() {
    let mut stage = Stage::new(2);
    let hit = stage.play(Play::of(shaped(48_000, |n| if n < 4800 { 1.0 } else { 0.0 })), 1.0);
    stage.play(Play::of(tone(500.0, 48_000)), db(-40.0));
    first_goes(stage, hit, 3);
}

/// The last 10 ms of a loud sound are less than a second of a quiet one.
#[test]
fn the_last_10_ms_of_a_loud_sound_go_before_a_quiet_one() {
    let mut stage = Stage::new(2);
    let loud = stage.play(Play::of(tone(500.0, 3 * STEP + 480)), 1.0);
    stage.play(Play::of(tone(500.0, 96_000)), db(-10.0));
    first_goes(stage, loud, 3);
}

/// What swells within 150 ms is loud from its first frame on, however softly it begins.
#[test]
fn a_swell_of_150_ms_stays_and_a_steady_quiet_sound_goes() {
    let mut stage = Stage::new(2);
    let steady = stage.play(Play::of(tone(1000.0, 96_000)), db(-6.0));
    stage.play(Play::of(shaped(48_000, |n| (n as f32 / 7200.0).min(1.0))), 1.0);
    first_goes(stage, steady, 0);
}

/// The silence before a bang is not the first to go.
#[test]
fn silence_before_a_bang_stays_and_a_steady_quiet_sound_goes() {
    let mut stage = Stage::new(2);
    let steady = stage.play(Play::of(tone(1000.0, 96_000)), db(-10.0));
    stage.play(Play::of(shaped(48_000, |n| if n < 9600 { 0.0 } else { 1.0 })), 1.0);
    first_goes(stage, steady, 0);
}

/// What lies ahead is in the ear's time: what comes slowly is further off.
#[test]
fn of_two_bangs_to_come_the_slower_one_goes() {
    let mut stage = Stage::new(2);
    let late = shaped(48_000, |n| if n < 14_400 { 0.0 } else { 1.0 });
    stage.play_on(BusId::MASTER, Play::of(&late), 1.0, 2.0);
    let slow = stage.play_on(BusId::MASTER, Play::of(&late), 1.0, 0.5);
    first_goes(stage, slow, 0);
}

/// A hit that is about to come counts already; a drone that is louder than the silence before it
/// goes.
#[test]
fn a_delayed_hit_stays_and_the_drone_before_it_goes() {
    let mut stage = Stage::new(2);
    let drone = stage.play(Play::of(tone(500.0, 48_000)), db(-30.0));
    let mut hit = vec![0.0; 3 * STEP + 1000];
    hit.extend(sine(RATE, 700.0, 0.0, 9600));
    stage.play(Play::of(mono(RATE, &hit)), 0.5);
    first_goes(stage, drone, 3);
}

/// At the same power a low rumble is heard less than a tone of 3 kHz, even a softer one.
#[test]
fn a_rumble_goes_before_a_tone_of_less_power() {
    let mut stage = Stage::new(2);
    let rumble = stage.play(Play::of(tone(30.0, 96_000)), 0.5);
    stage.play(Play::of(tone(3000.0, 96_000)), 0.5 * db(-5.0));
    first_goes(stage, rumble, 4);
}

/// A falling gain counts at what it has come to: a loud voice, nearly faded out, goes.
#[test]
fn a_voice_that_has_nearly_faded_goes_before_a_quiet_one() {
    let mut stage = Stage::new(2);
    let fading = stage.play(Play::of(tone(600.0, 96_000)), 1.0);
    stage.play(Play::of(tone(600.0, 96_000)), db(-10.0));
    stage.go_on();
    // A tenth of the way in each step: after eight of them a fifth is left.
    let over = Duration::from_nanos(10 * STEP as u64 * 1_000_000_000 / u64::from(RATE));
    stage.tell(fading, move |mixer, voice| mixer.set_gain(voice, 0.01, over));
    for _ in 0..8 {
        assert!(stage.go_on().is_empty());
    }
    let Theft { victim, announced, .. } = stage.theft();
    assert_eq!(victim, fading);
    assert!((announced - to_db(0.2)).abs() < 0.5, "{announced} dB");
}

/// A voice that was stopped counts by what is left of its fade, which is less than it sounds like
/// now: here 50 ms from half its gain to nothing, some 17 dB less than for ever at full gain.
#[test]
fn a_stop_counts_by_what_is_left_of_its_fade() {
    for (decibels, stopped_goes) in [(-15.0, true), (-19.0, false)] {
        let mut stage = Stage::new(2);
        let stopped = stage.play(Play::of(tone(600.0, 96_000)), 1.0);
        let quiet = stage.play(Play::of(tone(600.0, 96_000)), db(decibels));
        stage.go_on();
        stage.tell(stopped, |mixer, voice| mixer.stop(voice, ms(100)));
        stage.renderer.frames(2400_usize.next_multiple_of(128));
        stage.play(Play::of(tone(900.0, 9600)), 1.0);
        stage.renderer.frames(128);
        let gone = common::endings(&stage.mixer);
        match gone[..] {
            [(voice, Ending::Stopped)] => assert!(voice == stopped && stopped_goes),
            [(voice, Ending::Stolen { .. })] => assert!(voice == quiet && !stopped_goes),
            _ => panic!("{gone:?}"),
        }
    }
}

/// A rising fade counts as risen: what has just been asked for is not the first to go.
#[test]
fn a_voice_that_fades_in_stays() {
    let mut stage = Stage::new(2);
    let quiet = stage.play(Play::of(tone(600.0, 96_000)), db(-30.0));
    stage.play(Play::of(tone(600.0, 96_000)).fade_in(ms(30)), 1.0);
    first_goes(stage, quiet, 0);
}

/// What a bus turns down is quiet, however high its own gain.
#[test]
fn a_voice_on_a_bus_turned_down_goes_first() {
    let mut stage = Stage::new(2);
    let on_bus = stage.play_on(BUS, Play::of(tone(600.0, 96_000)), 1.0, 1.0);
    stage.play(Play::of(tone(600.0, 96_000)), db(-20.0));
    stage.set_bus(db(-30.0));
    first_goes(stage, on_bus, 2);
}

/// A loop that is about to come round to its loud start is loud.
#[test]
fn a_loop_about_to_turn_into_its_loud_start_stays() {
    let mut stage = Stage::new(2);
    let drone = stage.play(Play::of(tone(500.0, 48_000)), db(-25.0));
    let mut bar = sine(RATE, 800.0, 0.0, 2400);
    bar.resize(4 * STEP + 800, 0.0);
    stage.play(Play::of(mono(RATE, &bar)).looping(), 0.7);
    first_goes(stage, drone, 4);
}

/// Stereo counts the power of both sides, and mono sounds on both: one side alone is quieter.
#[test]
fn one_side_of_a_stereo_sound_is_quieter_than_mono() {
    let mut stage = Stage::new(2);
    let left: Vec<Frame> = sine(RATE, 700.0, 0.0, 48_000).iter().map(|s| [*s, 0.0]).collect();
    let left = Sound::from_stereo(RATE, &left).expect("good samples");
    let left = stage.play(Play::of(&left), 0.5);
    stage.play(Play::of(tone(700.0, 48_000)), 0.5 * db(-2.0));
    first_goes(stage, left, 2);
}

/// A pan that silences the side that sounds silences the sound.
#[test]
fn a_stereo_sound_panned_away_from_its_only_side_goes() {
    let mut stage = Stage::new(2);
    stage.play(Play::of(tone(700.0, 48_000)), db(-40.0));
    let left: Vec<Frame> = sine(RATE, 700.0, 0.0, 48_000).iter().map(|s| [*s, 0.001 * s]).collect();
    let left = Sound::from_stereo(RATE, &left).expect("good samples");
    let panned = stage.play(Play::of(&left).pan(1.0), 0.5);
    first_goes(stage, panned, 2);
}

/// Clips whose gain says little about what is to come of them at any moment.
fn clips() -> Vec<Sound> {
    let mut clips = Vec::new();
    let decay =
        |seconds: f32| move |(n, s): (usize, &f32)| s * (-(n as f32) / (seconds * 48_000.0)).exp();
    for n in 0..6u32 {
        let fall = decay(0.05 * (n + 1) as f32);
        let hertz = 80.0 * f64::from(n + 1).powi(2);
        let wave = sine(RATE, hertz, 0.0, 36_000);
        let wave = wave.iter().enumerate().map(fall).collect::<Vec<_>>();
        clips.push(mono(RATE, &wave));
        // A burst on the left that dies away, and on the right a tone that swells.
        let burst = noise(u64::from(n), 30_000);
        let burst = burst.iter().enumerate().map(fall);
        let swell = sine(RATE, 3.0 * hertz, 0.0, 30_000);
        let swell = swell.iter().enumerate().map(|(n, s)| s * n as f32 / 60_000.0);
        let wide: Vec<Frame> = burst.zip(swell).map(Frame::from).collect();
        clips.push(Sound::from_stereo(RATE, &wide).expect("good samples"));
    }
    for hertz in [60.0, 250.0, 1000.0, 3000.0, 7000.0] {
        clips.push(tone(hertz, 30_000));
    }
    for delay in [6_000, 12_000, 20_000, 30_000] {
        let mut late = vec![0.0; delay];
        late.extend(noise(delay as u64, 6_000));
        clips.push(mono(RATE, &late));
    }
    clips
}

/// In a storm of thefts, with speeds, pans, buses and loops, the victim is the quietest as measured
/// or within 1 dB of it; the gain alone and age alone would be right far less often. What plays at
/// another speed is weighted as it was made.
#[test]
fn in_a_storm_the_victim_is_the_quietest_as_measured() {
    let mut stage = Stage::new(16);
    let mut random = Random(20);
    let clips = clips();
    let mut thefts = Vec::new();
    for _ in 0..110 {
        for _ in 0..1 + random.below(5) {
            let gain = db(random.between(-30.0, -6.0));
            let other = semitones(random.between(-12.0, 12.0));
            let speed = *random.pick(&[1.0, other]);
            let mut play = Play::of(random.pick(&clips)).pan(random.between(-1.0, 1.0));
            play = match random.below(8) {
                0 => play.looping(),
                1 => play.loop_range(ms(random.below(200))..ms(201 + random.below(300))),
                _ => play,
            };
            stage.play_on(BusId::new(random.below(3) as u8), play, gain, speed);
        }
        thefts.extend(stage.go_on());
        if let Some(&voice) = stage.live.get(random.below(16) as usize) {
            let gain = db(random.between(-30.0, -6.0));
            stage.tell(voice, move |mixer, voice| mixer.set_gain(voice, gain, ms(0)));
            stage.solos.get_mut(&voice).expect("it is live").gain = gain;
        }
        if random.below(8) == 0 {
            stage.set_bus(db(random.between(-15.0, 0.0)));
        }
        stage.settle();
    }
    let percent = |right: fn(&&Theft) -> bool| {
        100.0 * thefts.iter().filter(right).count() as f32 / thefts.len() as f32
    };
    let ours = percent(|t| t.as_made.victim <= t.as_made.quietest + 1.0);
    let heard = percent(|t| t.as_heard.victim <= t.as_heard.quietest + 1.0);
    let gain = percent(|t| t.as_made.by_gain <= t.as_made.quietest + 1.0);
    let age = percent(|t| t.as_made.by_age <= t.as_made.quietest + 1.0);
    let told = percent(|t| (t.announced - t.as_made.victim).abs() < 1.0);
    println!(
        "{} thefts: within 1 dB of the quietest in {ours:.1} % ({heard:.1} % if speeds are weighted \
         as they are heard), by gain {gain:.1} %, by age {age:.1} %; level right in {told:.1} %",
        thefts.len()
    );
    assert!(thefts.len() > 200);
    assert!(ours >= 98.0, "{ours} %");
    assert!(ours > 3.0 * gain && ours > 3.0 * age, "{ours} %, {gain} %, {age} %");
    assert!(told >= 95.0, "{told} %");
}
