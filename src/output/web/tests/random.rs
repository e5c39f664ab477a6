//! Random games, once with the renderer beside the mixer and once far from it.

use std::io::Cursor;
use std::sync::OnceLock;

use super::Far;
use crate::output::offline::write_wav;
use crate::{
    Attenuation, Bus, BusId, Config, Cue, Duck, Ending, Event, Frame, Listener, Mixer, Parking,
    Play, Priority, Reverb, RoomId, Sound, Stream, Tag, Target, VoiceId, WhenFull, WhenStolen, ms,
};

struct Dice(u64);

impl Dice {
    /// Below a number.
    fn roll(&mut self, below: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    fn gain(&mut self) -> f32 {
        self.roll(1000) as f32 / 1000.0
    }
}

/// A file of some seconds, made once.
fn music() -> &'static [u8] {
    static FILE: OnceLock<Vec<u8>> = OnceLock::new();
    FILE.get_or_init(|| {
        let path = std::env::temp_dir().join(format!("voicepool-far-{}.wav", std::process::id()));
        let wave = (0..120_000).map(|i| (i as f32 * 0.02).sin() * 0.4);
        let music: Vec<Frame> = wave.map(|it| [it, it * it]).collect();
        write_wav(&path, 44_100, &music).unwrap();
        let file = std::fs::read(&path).unwrap();
        let _ = std::fs::remove_file(&path);
        file
    })
}

pub(super) struct Library {
    sounds: Vec<Sound>,
    cue: Cue,
    pub stream: Stream,
}

impl Library {
    pub fn new() -> Library {
        let wave = |n: usize, step: f32| -> Vec<f32> {
            (0..n).map(|i| (i as f32 * step).sin() * 0.4).collect()
        };
        let wide: Vec<Frame> = wave(9000, 0.05).into_iter().map(|it| [it, -0.5 * it]).collect();
        let sounds = vec![
            Sound::from_mono(48_000, &wave(4800, 0.031)).unwrap().named("short"),
            Sound::from_mono(44_100, &wave(40_000, 0.013)).unwrap().named("slow"),
            Sound::from_stereo(48_000, &wide).unwrap().resampled(44_100).unwrap().named("wide"),
            Sound::load("sounds/coin.wav").unwrap(),
            Sound::load("sounds/rain_loop.wav").unwrap(),
        ];
        let cue = Cue::of([&sounds[0], &sounds[3]]).unwrap().vary_gain(3.0).at_most(3);
        let file = || Ok(Cursor::new(music()));
        let stream = Stream::from_reader("music", file).unwrap();
        Library { sounds, cue: cue.cooldown(ms(5)), stream }
    }
}

/// A game, drawn by a seed: what it says goes to one mixer.
struct Game<'a> {
    dice: Dice,
    library: &'a Library,
    voices: Vec<Option<VoiceId>>,
}

impl Game<'_> {
    fn voice(&mut self) -> Option<VoiceId> {
        let at = self.dice.roll(self.voices.len() as u64 + 1) as usize;
        self.voices.get(at).copied().flatten()
    }

    fn target(&mut self) -> Target {
        match self.dice.roll(4) {
            0 => BusId::new(self.dice.roll(4) as u8).into(),
            1 => Tag(self.dice.roll(3)).into(),
            _ => self.voice().into(),
        }
    }

    fn play(&mut self) -> Play {
        let play = match self.dice.roll(8) {
            0 => Play::of(&self.library.cue),
            1 => Play::of(&self.library.stream),
            n => Play::of(&self.library.sounds[n as usize % self.library.sounds.len()]),
        };
        let mut play = play.gain(self.dice.gain()).tag(self.dice.roll(3));
        play = play.bus(BusId::new(self.dice.roll(4) as u8));
        match self.dice.roll(10) {
            0 => play = play.looping(),
            1 => play = play.delay(ms(self.dice.roll(60))),
            2 => {
                play = play
                    .at([self.dice.gain() * 90.0, 0.0, 3.0])
                    .attenuation(Attenuation { doppler: 1.0, ..Attenuation::DEFAULT })
            }
            3 => play = play.speed(0.5 + self.dice.gain()).pan(2.0 * self.dice.gain() - 1.0),
            4 => {
                let leader = self.voice();
                play = play.after(leader);
            }
            5 => play = play.low_pass(300.0).send(RoomId::new(1), 0.5),
            6 => play = play.priority(Priority::High).when_stolen(WhenStolen::Park).looping(),
            7 => play = play.from_position(ms(self.dice.roll(90))).fade_in(ms(20)),
            8 => play = play.loop_range(ms(10)..ms(40)),
            _ => (),
        }
        play
    }

    fn step(&mut self, mixer: &Mixer) {
        let over = ms(self.dice.roll(40));
        let value = self.dice.gain();
        match self.dice.roll(28) {
            0..=7 => {
                let play = self.play();
                self.voices.push(mixer.play(play));
            }
            8 => mixer.stop(self.target(), over),
            9 => mixer.pause(self.target(), over),
            10 => mixer.resume(self.target(), over),
            11 => mixer.set_gain(self.target(), value, over),
            12 => mixer.set_speed(self.target(), 0.5 + value, over),
            13 => mixer.set_pan(self.target(), value, over),
            14 => mixer.set_low_pass(self.target(), 200.0 + 20_000.0 * value, over),
            15 => mixer.set_send(self.target(), RoomId::new(0), value, over),
            16 => mixer.seek(self.voice(), ms(self.dice.roll(1200))),
            17 => mixer.end_loop(self.target()),
            18 => mixer.set_mute(self.target(), value > 0.5),
            19 => mixer.set_listener(Listener::at([value * 20.0, 0.0, 0.0])),
            20 => {
                let places = (0..4).map(|_| (self.voice(), [value * 50.0, 0.0, 1.0]));
                let places: Vec<_> = places.collect();
                mixer.set_positions(places);
            }
            21 => mixer.set_reverb(RoomId::new(self.dice.roll(2) as u8), Reverb::DEFAULT, over),
            22 => {
                let duck = (value > 0.3).then_some(Duck::DEFAULT);
                let _ = mixer.set_duck(BusId::new(1), BusId::new(2), duck);
            }
            23 => {
                let max_voices = (value > 0.5).then_some(3);
                let bus = Bus { parent: BusId::new(1), max_voices, ..Bus::DEFAULT };
                let _ = mixer.set_bus(BusId::new(3), bus);
            }
            24 => drop(mixer.resize(4 + self.dice.roll(20) as usize)),
            25 => {
                let (from, to) = (self.target(), self.play());
                self.voices.push(mixer.crossfade(from, to, over));
            }
            26 => {
                let plays = [self.play(), self.play()];
                self.voices.extend(mixer.play_together(plays).into_iter().flatten().map(Some));
            }
            _ if value < 0.05 => mixer.stop_all(over),
            _ => mixer.set_occlusion(self.voice(), value, over),
        }
    }
}

/// What was told, without the numbers that a mixer gives out.
fn told(mixer: &Mixer) -> Vec<String> {
    let event = |event| match event {
        Event::Ended { tag, name, at, why, .. } => match why {
            Ending::Stolen { by_tag, level, .. } => format!("{name} {tag} {at} {by_tag} {level}"),
            Ending::Refused { .. } => format!("{name} {tag} refused at {at}"),
            why => format!("{name} {tag} {at} {why:?}"),
        },
        Event::Parked { tag, at, why: Parking::Stolen { by_tag, level, .. }, .. } => {
            format!("parked {tag} {at} {by_tag} {level}")
        }
        Event::Parked { tag, at, why, .. } => format!("parked {tag} {at} {why:?}"),
        Event::Unparked { tag, at, .. } => format!("unparked {tag} {at}"),
        Event::Started { tag, at, .. } => format!("started {tag} {at}"),
        other => format!("{other:?}"),
    };
    mixer.events().map(event).collect()
}

fn seen(mixer: &Mixer) -> Vec<String> {
    let row = |it: &crate::VoiceInfo| {
        format!(
            "{} {:?} {:?} {:?} {} {}",
            it.name, it.slot, it.state, it.position, it.level, it.pan
        )
    };
    mixer.voices().iter().map(row).collect()
}

/// Plays a game on both, and compares all that can be heard, told and asked.
fn play(seed: u64, config: &Config, quanta: usize) -> [u64; 3] {
    let library = Library::new();
    let (near, mut renderer) = Mixer::offline(config.clone()).unwrap();
    let mut far = Far::open(config);
    assert_eq!(far.mixer.stats(), near.stats(), "before anything was said");
    let game = || Game { dice: Dice(seed), library: &library, voices: Vec::new() };
    let [mut here, mut there] = [game(), game()];
    for quantum in 0..quanta {
        let said = Dice(seed ^ quantum as u64).roll(4);
        for _ in 0..said {
            here.step(&near);
            there.step(&far.mixer);
        }
        assert_eq!(told(&near), told(&far.mixer), "seed {seed}, quantum {quantum}");
        assert_eq!(seen(&near), seen(&far.mixer), "seed {seed}, quantum {quantum}");
        let (expected, heard) = (renderer.frames(128), far.frames(128));
        let bits = |frames: &[Frame]| -> Vec<u32> {
            frames.iter().flatten().map(|sample| sample.to_bits()).collect()
        };
        assert_eq!(bits(&heard), bits(&expected), "seed {seed}, quantum {quantum}");
        let (mut a, b) = (near.stats(), far.mixer.stats());
        // Of these each side has its own measure.
        (a.load_mean, a.load_worst) = (b.load_mean, b.load_worst);
        assert_eq!(a, b, "seed {seed}, quantum {quantum}");
        for bus in 0..4 {
            let bus = BusId::new(bus);
            assert_eq!(near.bus_stats(bus), far.mixer.bus_stats(bus));
        }
        if quantum % 37 == 0 {
            near.reset_peaks();
            far.mixer.reset_peaks();
        }
    }
    let stats = near.stats();
    [stats.stolen, stats.finished, stats.parkings]
}

#[test]
fn a_renderer_that_is_elsewhere_plays_the_same_bits_and_tells_the_same() {
    let mut all = [0; 3];
    for (seed, when_full) in
        (1..).zip([WhenFull::StealQuietest, WhenFull::StealOldest, WhenFull::Grow])
    {
        let config = Config { voices: 6, max_voices: 24, parked: 8, when_full, ..Config::DEFAULT };
        let counts = play(seed, &config, 300);
        (0..3).for_each(|i| all[i] += counts[i]);
    }
    assert!(all.iter().all(|count| *count > 5), "too little happened: {all:?}");
}
