//! Law 4, the same bits: what is heard and what is told do not depend on the buffers' sizes.

mod common;

use std::time::Duration;

use common::{POLICIES, PRIORITIES, Random, bits, mono, noise, sine, wav16};
use voicepool::{
    BusId, Config, Ending, Event, Frame, Interpolation, Mixer, Parking, Play, Renderer, Sound,
    Stats, Tag, VoiceId, WhenFull, WhenStolen,
};

/// All that came out of a mixer.
#[derive(Default)]
struct Outcome {
    heard: Vec<Frame>,
    told: Vec<String>,
    endings: Vec<String>,
    stats: Stats,
}

/// Both must be equal to the bit; says where they first are not.
#[track_caller]
fn assert_same(one: &Outcome, other: &Outcome, which: &str) {
    let told = one.told.iter().zip(&other.told).find(|(one, other)| one != other);
    assert_eq!(told, None, "what is told differs: {which}");
    assert_eq!(one.told.len(), other.told.len(), "how much is told differs: {which}");
    assert_same_sound(one, other, which);
    assert_eq!(books(&one.stats), books(&other.stats), "{which}");
}

#[track_caller]
fn assert_same_sound(one: &Outcome, other: &Outcome, which: &str) {
    let (one, other) = (bits(&one.heard), bits(&other.heard));
    let differs = one.iter().zip(&other).position(|(one, other)| one != other);
    assert_eq!(differs, None, "the frame from which on the sound differs: {which}");
    assert_eq!(one.len(), other.len(), "{which}");
}

/// Everything in the books but how long the work took.
fn books(stats: &Stats) -> impl PartialEq + std::fmt::Debug {
    (
        [stats.voices, stats.playing, stats.parked, stats.scheduled, stats.live],
        [stats.most_playing as u64, stats.accepted, stats.turned_away, stats.frames],
        [stats.finished, stats.stopped, stats.stolen, stats.refused, stats.missed_events],
        [stats.full, stats.parkings],
        [stats.loudest_stolen, stats.loudest_parked, stats.peak[0], stats.peak[1]]
            .map(f32::to_bits),
    )
}

const SOUNDS: u64 = 7;

/// Sounds of both widths and both depths, at rates above and below the mixer's.
fn sound(rate: u32, which: u64) -> Sound {
    let (low, high) = (f64::from(rate) / 40.0, f64::from(rate) / 9.0);
    match which {
        0 => mono(rate, &sine(rate, low, 0.0, 700)).named("equal rate"),
        1 => mono(rate / 2, &noise(1, 400)).named("slow"),
        2 => {
            let frames: Vec<Frame> = noise(3, 1500).into_iter().map(|it| [it, 0.3]).collect();
            Sound::from_stereo(rate, &frames).expect("noise").named("wide")
        }
        3 => wav16(rate * 3 / 2, 1, &noise(2, 900)).named("sixteen"),
        4 => wav16(rate, 2, &sine(rate, high, 0.1, 5000)).named("wide sixteen"),
        5 => mono(rate * 2, &noise(4, 1001)).resampled(rate).expect("a rate").named("resampled"),
        _ => mono(rate, &[0.9; 3]).named("three frames"),
    }
}

/// Three plays share a tag.
fn tag(play: usize) -> u64 {
    play as u64 / 3
}

/// A game that says random things, the same for the same seed.
struct Game {
    mixer: Mixer,
    random: Random,
    rate: u32,
    sounds: Vec<Sound>,
    plays: Vec<Option<VoiceId>>,
    /// A resize waits for the one before it, and is sent when the mixer is next touched.
    resizes: bool,
    out: Outcome,
}

impl Game {
    fn new(seed: u64, config: Config) -> (Game, Renderer) {
        let rate = config.sample_rate;
        let (mixer, renderer) = Mixer::offline(config).expect("a config of a test");
        let sounds = (0..SOUNDS).map(|which| sound(rate, which)).collect();
        let random = Random(seed);
        let (plays, out) = (vec![None], Outcome::default());
        (Game { mixer, random, rate, sounds, plays, resizes: true, out }, renderer)
    }

    fn frames(&self, frames: u64) -> Duration {
        Duration::from_secs_f64(frames as f64 / f64::from(self.rate))
    }

    /// Nothing, a moment, some quanta.
    fn a_while(&mut self) -> Duration {
        let frames = *self.random.pick(&[0, 1, 60, 130, 777, 3000]);
        self.frames(frames)
    }

    /// One of the latest plays, live or not, if it was one.
    fn voice(&mut self) -> Option<VoiceId> {
        let back = self.random.below(self.plays.len().min(12) as u64) as usize;
        self.plays[self.plays.len() - 1 - back]
    }

    fn bus(&mut self) -> BusId {
        BusId::new(self.random.below(8).min(5) as u8)
    }

    fn request(&mut self) -> Play {
        let random = &mut self.random;
        let sound = random.pick(&self.sounds).clone();
        let clock = self.mixer.clock();
        let mut play = Play::of(&sound).tag(tag(self.plays.len())).bus(BusId::MASTER);
        play = play.gain(*random.pick(&[0.1, 0.3, 1.0, 3.0])).priority(*random.pick(&PRIORITIES));
        if random.below(2) == 0 {
            play = play.speed(random.between(0.3, 3.0)).pan(random.between(-1.0, 1.0));
        }
        if random.below(8) == 0 {
            play = play.speed(40.0);
        }
        match random.below(6) {
            0 | 1 => play = play.start_at((clock + random.below(900)).saturating_sub(50)),
            2 => play = play.delay(Duration::from_secs_f64(random.unit().into())),
            _ => (),
        }
        let when_stolen = *random.pick(&[WhenStolen::End, WhenStolen::Park]);
        if random.below(2) == 0 {
            play = play.when_stolen(when_stolen);
        }
        let (from, to) = (self.a_while(), self.a_while());
        match self.random.below(5) {
            0 => play = play.looping(),
            1 => play = play.loop_range(from..to),
            2 => play = play.loop_range(from..),
            _ => (),
        }
        if self.random.below(3) == 0 {
            play = play.from_position(self.a_while()).fade_in(self.a_while());
        }
        let bus = self.bus();
        play.bus(bus)
    }

    fn play(&mut self) {
        let request = self.request();
        let tag = self.plays.len();
        let voice = self.mixer.play(request);
        if voice.is_none() {
            self.out.told.push(format!("{tag} was turned away"));
        }
        self.plays.push(voice);
    }

    fn act(&mut self) {
        let (voice, bus, over) = (self.voice(), self.bus(), self.a_while());
        let value = self.random.between(-1.0, 1.5);
        let mixer = self.mixer.clone();
        let back = self.random.below(9) as usize;
        let tag = Tag(tag(self.plays.len().saturating_sub(back)));
        let mute = self.random.below(3) == 0;
        match self.random.below(52) {
            0..=19 => self.play(),
            20 | 21 => mixer.stop(voice, over),
            22 => mixer.pause(voice, over),
            23 | 24 => mixer.resume(voice, over),
            25 | 26 => mixer.set_gain(voice, value, over),
            27 => mixer.set_pan(voice, value, over),
            28 => mixer.set_speed(voice, 2.0 * value, over),
            29 | 30 => mixer.seek(voice, over),
            31 => mixer.set_gain(bus, value, over),
            32 => mixer.pause(bus, over),
            33 | 34 => (0..6).for_each(|n| mixer.resume(BusId::new(n), over)),
            35 => mixer.stop(bus, over),
            36 if value < -0.2 => mixer.stop_all(over),
            37 if self.resizes => {
                let voices = 1 + self.random.below(7) as usize;
                self.out.told.push(format!("to {voices} voices: {:?}", mixer.resize(voices)));
            }
            38 => mixer.set_when_full(*self.random.pick(&POLICIES)),
            39 | 40 => mixer.end_loop(voice),
            41 => mixer.end_loop(bus),
            42 | 43 => mixer.set_mute(voice, mute),
            44 => mixer.set_mute(bus, mute),
            45 => (0..6).for_each(|n| mixer.set_mute(BusId::new(n), false)),
            46 => mixer.end_loop(tag),
            47 => mixer.set_mute(tag, mute),
            48 => {
                mixer.pause(tag, over);
                mixer.set_gain(tag, value, over);
            }
            49 => mixer.resume(tag, over),
            _ => {
                // The handle goes, whoever plays it; the next plays get a new one.
                let which = self.random.below(SOUNDS);
                self.sounds[which as usize] = sound(self.rate, which);
            }
        }
    }

    /// Writes down what happened, and what a look at the voices shows.
    fn listen(&mut self) {
        for event in self.mixer.events() {
            let line = match event {
                Event::Ended { tag, name, at, why, .. } => {
                    let why = match why {
                        Ending::Stolen { by_tag, level, .. } => {
                            format!("Stolen by {by_tag} at level {:08x}", level.to_bits())
                        }
                        why => format!("{why:?}"),
                    };
                    let line = format!("{at}: {tag}, {name}, ended: {why}");
                    self.out.endings.push(line.clone());
                    line
                }
                Event::Parked { tag, at, why: Parking::Stolen { by_tag, level, .. }, .. } => {
                    format!("{at}: {tag} Parked by {by_tag} at level {:08x}", level.to_bits())
                }
                Event::Parked { tag, at, why, .. } => format!("{at}: {tag} Parked: {why:?}"),
                Event::Unparked { tag, at, .. } => format!("{at}: {tag} Unparked"),
                Event::Started { tag, at, .. } => format!("{at}: {tag} Started"),
                other => format!("{other:?}"),
            };
            self.out.told.push(line);
        }
    }

    fn look(&mut self) {
        for it in self.mixer.voices() {
            let numbers = [it.level, it.gain, it.pan].map(f32::to_bits);
            let place = (it.slot, it.state, it.position, it.bus, it.priority);
            self.out.told.push(format!("{}: {place:?} {numbers:08x?}", it.tag));
        }
    }
}

/// How many frames each call asks for.
type Sizes<'a> = &'a mut dyn FnMut() -> usize;

fn render(renderer: &mut Renderer, frames: usize, sizes: Sizes, heard: &mut Vec<Frame>) {
    let end = heard.len() + frames;
    while heard.len() < end {
        let from = heard.len();
        heard.resize((from + sizes()).min(end), [7.0; 2]);
        renderer.render(&mut heard[from..]);
    }
}

/// Plays a script of several hundred commands, said whenever the clock stands at certain frames.
fn run(seed: u64, config: &Config, sizes: Sizes, asks: bool) -> Outcome {
    play_on(Game::new(seed, config.clone()), seed, sizes, asks)
}

fn play_on(
    (mut game, mut renderer): (Game, Renderer),
    seed: u64,
    sizes: Sizes,
    asks: bool,
) -> Outcome {
    let (mut when, mut heard) = (Random(!seed), Vec::new());
    for turn in 0..140 {
        for _ in 0..*when.pick(&[1, 2, 3, 4, 5, 20]) {
            game.act();
        }
        if !asks && turn % 3 == 0 {
            game.look();
        }
        let longest = *when.pick(&[30, 100, 300, 700]);
        let frames = 1 + when.below(longest) as usize;
        let mut sizes = || {
            if asks {
                game.listen();
                game.mixer.stats();
            }
            sizes()
        };
        render(&mut renderer, frames, &mut sizes, &mut heard);
        if turn % 4 == 3 {
            game.listen();
        }
    }
    Outcome { heard, stats: game.mixer.stats(), ..game.out }
}

/// Small enough that everything runs out: voices, parking, the schedule and the queue.
fn scarce(rate: u32, interpolation: Interpolation) -> Config {
    Config {
        voices: 4,
        max_voices: 7,
        parked: 3,
        scheduled: 3,
        commands: 16,
        sample_rate: rate,
        interpolation,
        when_full: WhenFull::StealQuietest,
        ..Config::default()
    }
}

fn assert_same_at_any_size(seed: u64, config: &Config) {
    let once = run(seed, config, &mut || 128, false);
    common::assert_balanced(&once.stats);
    for kind in ["Finished", "Stopped", "Stolen", "PoolFull", "ScheduleFull"] {
        assert!(once.endings.iter().any(|line| line.contains(kind)), "nothing ended: {kind}");
    }
    let happened = [" Parked", "Unparked", "Started", "turned away", "voices: Ok"];
    for kind in happened {
        assert!(once.told.iter().any(|line| line.contains(kind)), "nothing was told: {kind}");
    }
    assert!(once.stats.peak[0] > 1.0, "the limiter had nothing to do");
    assert!(once.heard.as_flattened().iter().all(|sample| sample.abs() <= 1.0), "within ±1");
    for size in [1, 7, 37, 512, 4096] {
        let again = run(seed, config, &mut || size, false);
        assert_same(&once, &again, &format!("seed {seed}, buffers of {size}"));
    }
    let (mut random, mut idle) = (Random(seed), Random(seed));
    let again = run(seed, config, &mut || 1 + random.below(700) as usize, false);
    assert_same(&once, &again, &format!("seed {seed}, random buffers"));
    let mut empty_too = || idle.below(3) as usize * idle.below(300) as usize;
    let again = run(seed, config, &mut empty_too, false);
    assert_same(&once, &again, &format!("seed {seed}, some buffers empty"));
}

/// A script of every command there is sounds and tells the same at any buffer size.
#[test]
fn every_command_is_the_same_at_any_buffer_size_with_two_points() {
    for (seed, rate) in [(1, 1000), (2, 9000)] {
        assert_same_at_any_size(seed, &scarce(rate, Interpolation::Linear));
    }
}

/// The same with the default interpolation, and at a rate at which 5 ms are a whole quantum.
#[test]
fn every_command_is_the_same_at_any_buffer_size_with_four_points() {
    for (seed, rate) in [(3, 1000), (5, 25_600)] {
        assert_same_at_any_size(seed, &scarce(rate, Interpolation::Cubic));
    }
}

/// The same with the dearest interpolation.
#[test]
fn every_command_is_the_same_at_any_buffer_size_with_sixteen_points() {
    for (seed, rate) in [(6, 1000), (7, 9000)] {
        assert_same_at_any_size(seed, &scarce(rate, Interpolation::Sinc));
    }
}

/// However the same script is cut, two hundred times at random; at the last rate the limiter looks
/// two quanta ahead.
#[test]
fn every_command_is_the_same_at_two_hundred_random_partitions() {
    for (seed, rate, partitions) in [(21, 1000, 140), (22, 9000, 40), (23, 96_000, 20)] {
        let config = scarce(rate, Interpolation::Linear);
        let once = run(seed, &config, &mut || 128, false);
        assert!(once.stats.stolen > 0 && once.stats.parkings > 0 && once.stats.peak[0] > 1.0);
        for partition in 0..partitions {
            let mut random = Random(1000 + partition);
            // Each favours sizes of its own: a few frames, about a quantum, several.
            let most = *random.pick(&[3, 40, 140, 300, 2000]);
            let again = run(seed, &config, &mut || random.below(most) as usize, false);
            assert_same(&once, &again, &format!("{rate} Hz, partition {partition}"));
        }
    }
}

/// As long as nothing has to wait, for the queue or for a resize, it makes no difference how often
/// the game looks.
#[test]
fn asking_in_between_changes_nothing() {
    let (commands, max_voices, when_full) = (512, 64, WhenFull::Grow);
    let scarce = scarce(44_100, Interpolation::Cubic);
    let config = Config { commands, max_voices, when_full, ..scarce };
    let open = |seed| {
        let (game, renderer) = Game::new(seed, config.clone());
        (Game { resizes: false, ..game }, renderer)
    };
    for seed in 11..15 {
        let once = play_on(open(seed), seed, &mut || 128, false);
        let again = play_on(open(seed), seed, &mut || 37, true);
        assert_same_sound(&once, &again, &format!("seed {seed}"));
        assert_eq!(once.endings, again.endings, "seed {seed}");
    }
}

/// All is said at the start, and then nothing cuts the buffers any more: 65,536 frames in one
/// call sound as they do one by one.
#[test]
fn an_hour_in_one_call_is_the_same_as_frame_by_frame() {
    let alone = |size: usize| {
        let config = Config { commands: 300, scheduled: 300, ..scarce(20, Interpolation::Cubic) };
        let (mut game, mut renderer) = Game::new(21, config);
        for _ in 0..300 {
            let (at, priority) = (game.random.below(65_536), *game.random.pick(&PRIORITIES[..2]));
            let request = game.request().start_at(at).priority(priority);
            let voice = game.mixer.play(request).expect("room for all");
            game.plays.push(Some(voice));
        }
        let mut heard = Vec::new();
        render(&mut renderer, 65_536, &mut || size, &mut heard);
        game.listen();
        Outcome { heard, stats: game.mixer.stats(), ..game.out }
    };
    let once = alone(65_536);
    assert!(once.stats.stolen > 10 && once.stats.finished > 10, "{}", once.stats);
    for size in [1, 37, 512, 4096] {
        assert_same(&once, &alone(size), &format!("buffers of {size}"));
    }
}

/// Of two that end in one buffer, the one whose quantum came first is told first, whoever began.
#[test]
fn endings_come_in_the_same_order_at_any_buffer_size() {
    let order = |size: usize| {
        let (mixer, mut renderer) = Mixer::offline(Config::default()).expect("the default");
        for frames in [500, 400, 130, 128, 300, 1, 129] {
            mixer.play(Play::of(mono(48_000, &vec![0.1; frames])).tag(frames as u64));
        }
        render(&mut renderer, 512, &mut || size, &mut Vec::new());
        let tag = |event| if let Event::Ended { tag, .. } = event { Some(tag) } else { None };
        Vec::from_iter(mixer.events().filter_map(tag))
    };
    for size in [1, 37, 128, 512] {
        assert_eq!(order(size), [128, 1, 130, 129, 300, 500, 400], "buffers of {size}");
    }
}

/// However voices are gathered to be mixed together, each frame is the sum of what they would be
/// alone, the oldest first.
#[test]
fn a_mix_is_the_sum_of_its_voices_in_their_order() {
    let rate = 48_000;
    let stereo: Vec<Frame> = noise(3, 3000).into_iter().map(|it| [it, -0.5 * it]).collect();
    let sounds = [
        mono(rate, &noise(1, 3000)),
        Sound::from_stereo(rate, &stereo).expect("noise"),
        wav16(rate, 1, &noise(2, 3000)),
        wav16(rate, 2, &noise(4, 3000)),
    ];
    let heard = |plays: &[Play]| {
        let (mixer, mut renderer) = Mixer::offline(Config::default()).expect("the default");
        for play in plays {
            mixer.play(play.clone());
        }
        renderer.frames(4000)
    };
    for seed in 0..20 {
        let mut random = Random(seed);
        let mut sound = &sounds[0];
        let plays: Vec<Play> = (0..40)
            .map(|_| {
                if random.below(3) == 0 {
                    sound = random.pick(&sounds);
                }
                let play = Play::of(sound).gain(0.02 * random.unit()).pan(random.unit());
                match random.below(8) {
                    0 => play.speed(random.between(0.5, 2.0)),
                    1 => play.fade_in(Duration::from_millis(random.below(50))),
                    2 => play.looping(),
                    _ => play,
                }
            })
            .collect();
        let mut sum = vec![[0f32; 2]; 4000];
        for play in &plays {
            for (sum, frame) in sum.iter_mut().zip(heard(std::slice::from_ref(play))) {
                *sum = [sum[0] + frame[0], sum[1] + frame[1]];
            }
        }
        assert!(sum.iter().flatten().all(|sample| sample.abs() < 1.0), "below the ceiling");
        assert_eq!(bits(&heard(&plays)), bits(&sum), "seed {seed}");
    }
}
