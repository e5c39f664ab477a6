//! Law 6: quietest is what the ear would say. Each candidate is rendered in a mixer of its own,
//! with the same history, and measured by a plain meter over the 50 ms from the theft on.

mod common;

use std::collections::BTreeMap;
use std::time::Duration;

use common::{Random, mono, noise, sine};
use voicepool::{BusId, Config, Ending, Event, Frame, Mixer, Play, Renderer, Sound, VoiceId};
use voicepool::{db, ms, to_db};

const RATE: u32 = 48_000;
/// What the ear takes together, from a theft on.
const AHEAD: usize = 2400;
/// Below this everything is equally quiet.
const FLOOR: f32 = -90.0;
const BUS: BusId = BusId::new(1);

/// The meter of ITU-R BS.1770, with the numbers of its table for 48 kHz.
#[derive(Default)]
struct Meter {
    memory: [[[f64; 4]; 2]; 2],
}

impl Meter {
    const SHELF: [f64; 5] = [
        1.53512485958697,
        -2.69169618940638,
        1.19839281085285,
        -1.69065929318241,
        0.73248077421585,
    ];
    const HIGH_PASS: [f64; 5] = [1.0, -2.0, 1.0, -1.99004745483398, 0.99007225036621];

    fn filter(sample: f64, [b0, b1, b2, a1, a2]: [f64; 5], memory: &mut [f64; 4]) -> f64 {
        let [x1, x2, y1, y2] = *memory;
        let out = b0 * sample + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
        *memory = [sample, x1, out, y1];
        out
    }

    /// Hears frames, and says how loud they were, in dB.
    fn hear(&mut self, frames: &[Frame]) -> f32 {
        let mut power = 0.0;
        for frame in frames {
            for side in [0, 1] {
                let [shelf, high_pass] = &mut self.memory[side];
                let sample = Meter::filter(f64::from(frame[side]), Meter::SHELF, shelf);
                power += Meter::filter(sample, Meter::HIGH_PASS, high_pass).powi(2);
            }
        }
        let mean = power / frames.len().max(1) as f64;
        ((10.0 * mean.log10() - 0.691) as f32).max(FLOOR)
    }
}

/// A voice rendered alone, and how loud it was found over the latest 50 ms measured.
struct Solo {
    mixer: Mixer,
    renderer: Renderer,
    voice: Option<VoiceId>,
    meter: Meter,
    gain: f32,
    loudness: f32,
}

impl Solo {
    /// Everything begins on the grid, so it does not matter that its own clock begins later.
    fn new(play: &Play, gain: f32, bus_gain: f32) -> Solo {
        let config =
            Config { voices: 1, max_voices: 1, parked: 1, scheduled: 1, ..Config::default() };
        let (mixer, mut renderer) =
            Mixer::offline(Config { commands: 16, ..config }).expect("a good config");
        mixer.set_gain(BUS, bus_gain, ms(0));
        renderer.frames(512);
        let voice = mixer.play(play);
        Solo { mixer, renderer, voice, meter: Meter::default(), gain, loudness: FLOOR }
    }

    /// Measures the coming 50 ms, and goes on to the next step of the test.
    fn go_on(&mut self) {
        let frames = self.renderer.frames(STEP);
        self.loudness = self.meter.hear(&frames[..AHEAD]);
        self.meter.hear(&frames[AHEAD..]);
    }

    fn settle(&mut self) {
        self.meter.hear(&self.renderer.frames(SETTLE));
    }
}

/// Whole quanta, and no less than 50 ms: nothing is said within what is measured.
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
    level: f32,
    /// The loudness of the victim, of the quietest, and of whom two simpler rules would have named.
    loudness: f32,
    quietest: f32,
    by_gain: f32,
    by_age: f32,
}

impl Stage {
    fn new(voices: usize) -> Stage {
        let config = Config { voices, max_voices: voices, ..Config::default() };
        let (mixer, renderer) = Mixer::offline(config).expect("a good config");
        let (solos, live, newcomers) = (BTreeMap::new(), Vec::new(), Vec::new());
        Stage { mixer, renderer, solos, live, newcomers, bus_gain: 1.0 }
    }

    fn play(&mut self, play: Play, gain: f32) -> VoiceId {
        let play = play.gain(gain);
        let voice = self.mixer.play(&play).expect("there is room");
        self.solos.insert(voice, Solo::new(&play, gain, self.bus_gain));
        self.newcomers.push(voice);
        voice
    }

    /// Says something to a voice, here and where it plays alone.
    fn tell(&mut self, voice: VoiceId, say: impl Fn(&Mixer, Option<VoiceId>)) {
        say(&self.mixer, Some(voice));
        if let Some(solo) = self.solos.get(&voice) {
            say(&solo.mixer, solo.voice);
        }
    }

    /// Turns the bus up or down, here and wherever a voice plays alone.
    fn set_bus(&mut self, gain: f32) {
        self.bus_gain = gain;
        self.mixer.set_gain(BUS, gain, ms(0));
        self.solos.values().for_each(|solo| solo.mixer.set_gain(BUS, gain, ms(0)));
    }

    /// Goes on by a step. Returns the thefts that were made at its beginning.
    fn go_on(&mut self) -> Vec<Theft> {
        let now = self.mixer.clock();
        self.renderer.frames(STEP);
        self.solos.values_mut().for_each(Solo::go_on);
        let events: Vec<Event> = self.mixer.events().collect();
        let mut thefts = Vec::new();
        for newcomer in std::mem::take(&mut self.newcomers) {
            for event in &events {
                if let Event::Ended { voice, at, why: Ending::Stolen { by, level, .. }, .. } = event
                    && *by == newcomer
                {
                    assert_eq!(*at, now);
                    thefts.push(self.judge(*voice, *level));
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
        self.solos.values_mut().for_each(Solo::settle);
    }

    fn judge(&self, victim: VoiceId, level: f32) -> Theft {
        let loudness = |voice: &VoiceId| self.solos[voice].loudness;
        let quietest = self.live.iter().map(loudness).fold(f32::INFINITY, f32::min);
        let gain = |voice: &&VoiceId| self.solos[*voice].gain.to_bits();
        let by_gain = loudness(self.live.iter().min_by_key(gain).expect("somebody lives"));
        let by_age = loudness(&self.live[0]);
        Theft { victim, level, loudness: loudness(&victim), quietest, by_gain, by_age }
    }

    /// One newcomer more than there is room for: who goes, and whether its announced level is
    /// what was measured.
    fn theft(&mut self) -> Theft {
        self.play(Play::of(&mono(RATE, &sine(RATE, 900.0, 0.0, 9600))), 1.0);
        let mut thefts = self.go_on();
        assert_eq!(thefts.len(), 1);
        thefts.remove(0)
    }
}

fn tone(hertz: f64, frames: usize) -> Sound {
    mono(RATE, &sine(RATE, hertz, 0.0, frames))
}

/// Two voices that know nothing of each other, after some steps: the first must go, because it
/// is the one measured as quieter, and the level it is announced with is right within 3 dB.
#[track_caller]
fn first_goes(mut stage: Stage, first: VoiceId, steps: usize) {
    for _ in 0..steps {
        assert!(stage.go_on().is_empty());
    }
    let theft = stage.theft();
    assert!(theft.loudness <= theft.quietest, "not even the quietest as measured");
    assert_eq!(theft.victim, first);
    let announced = to_db(theft.level).max(FLOOR);
    let off = (announced - theft.loudness).abs();
    assert!(off < 3.0, "announced at {announced} dB, measured at {} dB", theft.loudness);
}

/// A loud clip in its silent tail goes before a quiet drone.
#[test]
fn a_silent_tail_goes_before_a_quiet_drone() {
    let mut stage = Stage::new(2);
    let mut hit = sine(RATE, 1000.0, 0.0, 4800);
    hit.resize(48_000, 0.0);
    let hit = stage.play(Play::of(&mono(RATE, &hit)), 1.0);
    stage.play(Play::of(&tone(500.0, 48_000)), db(-40.0));
    first_goes(stage, hit, 3);
}

/// A hit that is about to come counts already; a drone that is louder than the silence before it
/// goes.
#[test]
fn a_delayed_hit_stays_and_the_drone_before_it_goes() {
    let mut stage = Stage::new(2);
    let drone = stage.play(Play::of(&tone(500.0, 48_000)), db(-30.0));
    let mut hit = vec![0.0; 3 * STEP + 1000];
    hit.extend(sine(RATE, 700.0, 0.0, 9600));
    stage.play(Play::of(&mono(RATE, &hit)), 0.5);
    first_goes(stage, drone, 3);
}

/// At the same power a low rumble is heard less than a tone of 3 kHz, even a softer one.
#[test]
fn a_rumble_goes_before_a_tone_of_less_power() {
    let mut stage = Stage::new(2);
    let rumble = stage.play(Play::of(&tone(30.0, 96_000)), 0.5);
    stage.play(Play::of(&tone(3000.0, 96_000)), 0.5 * db(-5.0));
    first_goes(stage, rumble, 4);
}

/// A fade counts at what it has come to: a loud voice, nearly faded out, goes.
#[test]
fn a_voice_that_has_nearly_faded_goes_before_a_quiet_one() {
    let mut stage = Stage::new(2);
    let fading = stage.play(Play::of(&tone(600.0, 96_000)), 1.0);
    stage.play(Play::of(&tone(600.0, 96_000)), db(-10.0));
    stage.go_on();
    // A tenth of the way in each step: after eight of them a fifth is left.
    let over = Duration::from_nanos(10 * STEP as u64 * 1_000_000_000 / u64::from(RATE));
    stage.tell(fading, |mixer, voice| mixer.set_gain(voice, 0.01, over));
    first_goes(stage, fading, 8);
}

/// A rising fade counts as risen: what has just been asked for is not the first to go.
#[test]
fn a_voice_that_fades_in_stays() {
    let mut stage = Stage::new(2);
    let quiet = stage.play(Play::of(&tone(600.0, 96_000)), db(-30.0));
    stage.play(Play::of(&tone(600.0, 96_000)).fade_in(ms(30)), 1.0);
    first_goes(stage, quiet, 0);
}

/// What a bus turns down is quiet, however high its own gain.
#[test]
fn a_voice_on_a_bus_turned_down_goes_first() {
    let mut stage = Stage::new(2);
    let on_bus = stage.play(Play::of(&tone(600.0, 96_000)).bus(BUS), 1.0);
    stage.play(Play::of(&tone(600.0, 96_000)), db(-20.0));
    stage.set_bus(db(-30.0));
    first_goes(stage, on_bus, 2);
}

/// A loop that is about to come round to its loud start is loud.
#[test]
fn a_loop_about_to_turn_into_its_loud_start_stays() {
    let mut stage = Stage::new(2);
    let drone = stage.play(Play::of(&tone(500.0, 48_000)), db(-25.0));
    let mut bar = sine(RATE, 800.0, 0.0, 2400);
    bar.resize(4 * STEP + 800, 0.0);
    stage.play(Play::of(&mono(RATE, &bar)).looping(), 0.7);
    first_goes(stage, drone, 4);
}

/// Stereo counts the power of both sides, and mono sounds on both: one side alone is quieter.
#[test]
fn one_side_of_a_stereo_sound_is_quieter_than_mono() {
    let mut stage = Stage::new(2);
    let left: Vec<Frame> = sine(RATE, 700.0, 0.0, 48_000).iter().map(|s| [*s, 0.0]).collect();
    let left = Sound::from_stereo(RATE, &left).expect("good samples");
    let left = stage.play(Play::of(&left), 0.5);
    stage.play(Play::of(&tone(700.0, 48_000)), 0.5 * db(-2.0));
    first_goes(stage, left, 2);
}

/// Clips whose gain says little about how loud they are at any moment.
fn clips() -> Vec<Sound> {
    let mut clips = Vec::new();
    let decay =
        |seconds: f32| move |(n, s): (usize, &f32)| s * (-(n as f32) / (seconds * 48_000.0)).exp();
    for n in 0..6u32 {
        let hertz = 80.0 * f64::from(n + 1).powi(2);
        let wave = sine(RATE, hertz, 0.0, 48_000);
        let wave = wave.iter().enumerate().map(decay(0.05 * (n + 1) as f32)).collect::<Vec<_>>();
        clips.push(mono(RATE, &wave));
        let burst = noise(u64::from(n), 30_000);
        let burst = burst.iter().enumerate().map(decay(0.05 * (n + 1) as f32)).collect::<Vec<_>>();
        let wide: Vec<Frame> = burst.iter().map(|s| [*s, 0.3 * s]).collect();
        clips.push(Sound::from_stereo(RATE, &wide).expect("good samples"));
    }
    for hertz in [35.0, 60.0, 250.0, 1000.0, 3000.0, 7000.0] {
        clips.push(tone(hertz, 30_000));
    }
    for delay in [6_000, 12_000, 20_000, 30_000] {
        let mut late = vec![0.0; delay];
        late.extend(noise(delay as u64, 6_000));
        clips.push(mono(RATE, &late));
    }
    clips
}

/// In a storm of thefts the victim is, as measured, the quietest or within 1 dB of it, nine times
/// of ten and more, and nearly always within 3 dB; the gain alone and age alone would be right far
/// less often. (What dies away fast counts by its loudest 10 ms, so it is taken for a little louder
/// than it is.)
#[test]
fn in_a_storm_the_victim_is_the_quietest_as_measured() {
    let mut stage = Stage::new(16);
    let mut random = Random(20);
    let clips = clips();
    let mut thefts = Vec::new();
    for _ in 0..150 {
        for _ in 0..1 + random.below(5) {
            let gain = db(random.between(-24.0, 0.0));
            let play = Play::of(random.pick(&clips)).pan(random.between(-0.3, 0.3));
            let play = play.bus(BusId::new(random.below(3) as u8));
            stage.play(play, gain);
        }
        thefts.extend(stage.go_on());
        if let Some(&voice) = stage.live.get(random.below(16) as usize) {
            let gain = db(random.between(-24.0, 0.0));
            stage.tell(voice, |mixer, voice| mixer.set_gain(voice, gain, ms(0)));
            stage.solos.get_mut(&voice).expect("it is live").gain = gain;
        }
        if random.below(8) == 0 {
            stage.set_bus(db(random.between(-15.0, 0.0)));
        }
        stage.settle();
    }
    let within = |decibels: f32, of: fn(&Theft) -> f32| {
        let right = thefts.iter().filter(|theft| of(theft) <= theft.quietest + decibels).count();
        100.0 * right as f32 / thefts.len() as f32
    };
    let nearly = within(3.0, |theft| theft.loudness);
    let share = |of| within(1.0, of);
    let (ours, gain, age) = (share(|t| t.loudness), share(|t| t.by_gain), share(|t| t.by_age));
    let near = |t: &&Theft| (to_db(t.level).max(FLOOR) - t.loudness).abs() < 4.0;
    let told = 100.0 * thefts.iter().filter(near).count() as f32 / thefts.len() as f32;
    println!(
        "{} thefts: the quietest in {ours:.1} % ({nearly:.1} % within 3 dB), by gain {gain:.1} %, by age {age:.1} %; \
         level within 4 dB in {told:.1} %",
        thefts.len()
    );
    assert!(thefts.len() > 200);
    assert!(ours >= 92.0 && nearly >= 96.0, "{ours} %, {nearly} %");
    assert!(ours > 3.0 * gain && ours > 3.0 * age, "{ours} %, {gain} %, {age} %");
    assert!(told >= 90.0, "{told} %");
}
