//! Law 4 with everything on that a bus can have: the same bits whatever the buffers' sizes. And law 1: nothing
//! of it allocates while it renders.

#[path = "common/allocator.rs"]
mod allocator;
mod common;

use std::time::Duration;

use allocator::heap_calls;
use common::{Random, bits, mono, noise, sine};
use voicepool::{
    Bus, BusId, Config, Duck, Effect, Event, Frame, Mixer, Play, Reverb, RoomId, Sound, Tag,
    Target, VoiceId, WhenFull, WhenStolen, ms,
};

/// What a buffer may hold.
const SIZES: [usize; 6] = [0, 1, 37, 128, 512, 65_536];

/// Few enough that they meet.
const BUSES: u64 = 7;

/// How many frames a game lasts, at the least.
const LASTS: u64 = 40_000;

/// What came 333 frames ago comes again, half as loud.
struct Echo([Vec<Frame>; 2]);

impl Echo {
    fn new() -> Echo {
        Echo([vec![[0.0; 2]; 333], Vec::with_capacity(333)])
    }
}

impl Effect for Echo {
    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        let Echo([past, next]) = self;
        for (left, right) in left.iter_mut().zip(right) {
            let [l, r] = past[next.len()];
            (*left, *right) = (*left + 0.5 * l, *right + 0.5 * r);
            next.push([*left, *right].map(|it| if it.abs() < 1e-6 { 0.0 } else { it }));
            if next.len() == 333 {
                std::mem::swap(past, next);
                next.clear();
            }
        }
    }

    fn is_silent(&self) -> bool {
        self.0.iter().flatten().all(|frame| *frame == [0.0; 2])
    }
}

/// Up and down, as long as it is asked.
struct Tremolo(u32);

impl Effect for Tremolo {
    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        for (left, right) in left.iter_mut().zip(right) {
            let gain = self.0.abs_diff(500) as f32 / 500.0;
            (*left, *right) = (*left * gain, *right * gain);
            self.0 = (self.0 + 1) % 1000;
        }
    }
}

struct Game {
    mixer: Mixer,
    sounds: Vec<Sound>,
    plays: Vec<VoiceId>,
    random: Random,
}

impl Game {
    fn bus(&mut self) -> BusId {
        BusId::new(self.random.below(BUSES) as u8)
    }

    fn room(&mut self) -> RoomId {
        RoomId::new(self.random.below(3) as u8)
    }

    /// Often none.
    fn time(&mut self) -> Duration {
        let most = *self.random.pick(&[1, 20, 300]);
        ms(self.random.below(most))
    }

    fn target(&mut self) -> Target {
        match self.random.below(6) {
            0 => Tag(self.random.below(3)).into(),
            1 | 2 if !self.plays.is_empty() => {
                let latest = self.plays.len() - 1;
                self.plays[latest - self.random.below(latest.min(5) as u64 + 1) as usize].into()
            }
            _ => self.bus().into(),
        }
    }

    fn hertz(&mut self) -> f32 {
        if self.random.below(5) == 0 { 20_000.0 } else { self.random.between(4.4, 14.2).exp2() }
    }

    fn play(&mut self) {
        let sound = self.random.pick(&self.sounds).clone();
        let mut play = Play::of(&sound)
            .bus(self.bus())
            .tag(self.random.below(3))
            .gain(self.random.between(0.05, 0.7))
            .pan(self.random.between(-1.0, 1.0))
            .priority(*self.random.pick(&common::PRIORITIES));
        let ahead = self.random.below(3000);
        match self.random.below(5) {
            0 => play = play.start_at(self.mixer.clock() + ahead),
            1 => play = play.delay(self.time()),
            2 => play = play.speed(self.random.between(0.3, 2.5)),
            _ => (),
        }
        match self.random.below(4) {
            0 => play = play.low_pass(self.hertz()),
            1 => play = play.send(self.room(), self.random.unit()),
            _ => (),
        }
        if self.random.below(3) == 0 {
            play = play.looping();
        }
        if self.random.below(3) == 0 {
            play = play.when_stolen(WhenStolen::Park).fade_in(self.time());
        }
        self.plays.extend(self.mixer.play(play));
    }

    /// Says something to the mixer.
    fn say(&mut self) {
        let (target, over, hertz) = (self.target(), self.time(), self.hertz());
        let (bus, other, room) = (self.bus(), self.bus(), self.room());
        match self.random.below(24) {
            0 => self.mixer.set_gain(target, self.random.unit(), over),
            1 => self.mixer.set_mute(target, self.random.below(3) == 0),
            2 => self.mixer.pause(target, over),
            3..=5 => self.mixer.resume(target, over),
            6 => self.mixer.stop(target, over),
            7 => self.mixer.end_loop(target),
            8 => self.mixer.set_speed(target, self.random.between(0.3, 2.0), over),
            9 | 10 => self.mixer.set_low_pass(target, hertz, over),
            11 => self.mixer.set_high_pass(target, hertz / 30.0, over),
            12 | 13 => {
                let send = self.random.between(-0.3, 0.8).max(0.0);
                self.mixer.set_send(target, room, send, over);
            }
            14 => {
                let (decay, size) = (ms(50 + self.random.below(900)), self.random.unit());
                let (damping, pre_delay) = (self.random.unit(), ms(self.random.below(20)));
                let reverb = Reverb { decay, size, damping, pre_delay };
                self.mixer.set_reverb(room, reverb, over);
            }
            15 => {
                let effect: Option<Box<dyn Effect>> = match self.random.below(3) {
                    0 => None,
                    1 => Some(Box::new(Echo::new())),
                    _ => Some(Box::new(Tremolo(0))),
                };
                self.mixer.set_effect(bus, effect).expect("it is in this process");
            }
            16 | 17 => {
                let duck = Duck { attack: self.time(), hold: over, ..Duck::DEFAULT };
                let duck = Some(duck).filter(|_| self.random.below(4) > 0);
                // A circle is turned away, on every run.
                let _ = self.mixer.set_duck(bus, other, duck);
            }
            18 | 19 => {
                let parent = other;
                let max_voices = Some(1 + self.random.below(6) as usize);
                let max_voices = max_voices.filter(|_| self.random.below(3) == 0);
                let reserved = usize::from(self.random.below(4) == 0);
                let when_full = Some(*self.random.pick(&common::POLICIES));
                let settings = Bus { parent, max_voices, reserved, when_full };
                let _ = self.mixer.set_bus(bus, settings);
            }
            20 => {
                // So that it is not silent for long.
                for bus in (0..BUSES as u8).map(BusId::new) {
                    self.mixer.resume(bus, over);
                    self.mixer.set_mute(bus, false);
                    self.mixer.set_gain(bus, 0.9, over);
                }
            }
            21 => {
                let _ = self.mixer.resize(6 + self.random.below(8) as usize);
            }
            _ => self.play(),
        }
    }
}

/// Plays the game of a seed with buffers of these sizes: what was heard, and what was told.
fn play(seed: u64, mut size: impl FnMut() -> usize) -> (Vec<Frame>, Vec<String>) {
    let config = Config {
        voices: 8,
        max_voices: 16,
        parked: 8,
        when_full: WhenFull::StealQuietest,
        ..Config::default()
    };
    let (mixer, mut renderer) = Mixer::offline(config).expect("a mixer");
    let sounds = vec![
        mono(48_000, &sine(48_000, 440.0, 0.1, 9000)),
        mono(48_000, &noise(1, 1500)),
        mono(44_100, &sine(44_100, 90.0, 0.0, 20_000)),
        mono(48_000, &[0.0; 700]),
    ];
    let mut game = Game { mixer, sounds, plays: Vec::new(), random: Random(seed) };
    let (mut heard, mut told) = (Vec::new(), Vec::new());
    let mut buffer = vec![[0.0; 2]; 65_536];
    while game.mixer.clock() < LASTS {
        for _ in 0..game.random.below(6) {
            game.say();
        }
        let mut left = *game.random.pick(&[0, 64, 128, 300, 1024, 2500]);
        while left > 0 {
            let frames = size().min(left);
            let out = &mut buffer[..frames];
            let ((), calls) = heap_calls(|| renderer.render(out));
            assert_eq!(calls, 0, "seed {seed}, at {}", game.mixer.clock());
            heard.extend_from_slice(out);
            left -= frames;
        }
        told.extend(game.mixer.events().map(|event| tell(&game.plays, &event)));
    }
    (heard, told)
}

/// What happened to the how-manieth play; ids are another mixer's each time.
fn tell(plays: &[VoiceId], event: &Event) -> String {
    let number = |voice| plays.iter().position(|other| *other == voice);
    match event {
        Event::Ended { voice, at, .. } => format!("{:?} ended at {at}", number(*voice)),
        Event::Parked { voice, at, .. } => format!("{:?} parked at {at}", number(*voice)),
        Event::Unparked { voice, at, .. } => format!("{:?} came back at {at}", number(*voice)),
        Event::Started { voice, at, .. } => format!("{:?} started at {at}", number(*voice)),
        other => format!("{other:?}"),
    }
}

#[test]
fn buses_with_everything_on_play_the_same_bits_at_random_buffer_sizes() {
    let games = if std::env::var_os("VOICEPOOL_LONG").is_some() { 2000 } else { 12 };
    let mut sounded = 0;
    for seed in 0..games {
        let (whole, told) = play(seed, || 65_536);
        sounded += whole.iter().filter(|frame| **frame != [0.0; 2]).count();
        let mut random = Random(seed);
        for size in [Some(128), Some(37), None] {
            let any = move || size.unwrap_or_else(|| *random.pick(&SIZES));
            random = Random(seed + 1);
            let (cut, told_cut) = play(seed, any);
            let first = bits(&whole).iter().zip(&bits(&cut)).position(|(a, b)| a != b);
            assert_eq!(first, None, "seed {seed} with buffers of {size:?}: {told:?}");
            assert_eq!(told, told_cut, "seed {seed} with buffers of {size:?}");
        }
    }
    let least = (games * LASTS) as usize / 4;
    assert!(sounded >= least, "only {sounded} frames of {games} games were heard");
}
