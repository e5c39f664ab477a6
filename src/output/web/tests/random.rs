//! Random games, once with the renderer beside the mixer and once far from it.

use std::io::Cursor;

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

struct Library {
    sounds: Vec<Sound>,
    cue: Cue,
    stream: Stream,
}

impl Library {
    fn new() -> Library {
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
        let path = std::env::temp_dir().join(format!("voicepool-far-{}.wav", std::process::id()));
        let music: Vec<Frame> = wave(120_000, 0.02).into_iter().map(|it| [it, it * it]).collect();
        write_wav(&path, 44_100, &music).unwrap();
        let file = std::fs::read(&path).unwrap();
        let _ = std::fs::remove_file(&path);
        let stream = Stream::from_reader("music", move || Ok(Cursor::new(file.clone()))).unwrap();
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

/// The way between them has as many places as the queue, and a play that finds none is turned away here too.
#[test]
fn a_worklet_that_does_not_answer_turns_plays_away_and_loses_no_control() {
    let config = Config { commands: 16, ..Config::DEFAULT };
    let mut far = Far::open(&config);
    let sound = Sound::from_mono(48_000, &[0.25; 48_000]).unwrap();
    let mut voices = Vec::new();
    for _ in 0..100 {
        voices.extend(far.mixer.play(&sound));
        far.page.pump(0.0);
    }
    assert_eq!(voices.len(), 32, "16 under way, 16 in the queue");
    voices.iter().for_each(|voice| far.mixer.stop(*voice, ms(0)));
    for _ in 0..40 {
        far.frames(128);
        // What waits is sent when the mixer is next touched.
        far.mixer.stats();
    }
    let stats = far.mixer.stats();
    assert_eq!((stats.accepted, stats.turned_away, stats.stopped), (32, 68, 32), "{stats}");
}

/// While the browser fetches nothing, time passes by what the page says; what is heard then fades in.
#[test]
fn time_passes_unheard_and_the_sound_fades_in() {
    let mut far = Far::open(&Config::DEFAULT);
    let tone = Sound::from_mono(48_000, &[0.5; 48_000]).unwrap();
    let blip = Sound::from_mono(48_000, &[0.5; 480]).unwrap();
    far.mixer.play(Play::of(&tone).looping());
    far.mixer.play(&blip);
    for _ in 0..10 {
        far.page.pump(0.016);
        while let Some(packet) = far.page.next_packet() {
            assert!(far.worklet.receive(&packet).is_some());
        }
        let mut reports = Vec::new();
        far.worklet.put_reports(&mut reports);
        far.page.receive(&reports);
    }
    assert_eq!(far.mixer.clock(), 7680);
    assert_eq!(far.mixer.stats().finished, 1, "it would have ended by now");
    let heard = far.frames(1280);
    assert!(heard[0][0] < 0.01 && heard.windows(2).all(|w| w[0][0] <= w[1][0]));
    assert_eq!(heard[600], [0.5; 2]);
    // A page that has slept for an hour does not go through all of it.
    far.page.pump(3600.0);
    while let Some(packet) = far.page.next_packet() {
        far.worklet.receive(&packet);
    }
    far.carry();
    assert_eq!(far.mixer.clock(), 7680 + 1280 + 12_000);
}

#[test]
fn what_nobody_holds_any_more_is_forgotten_there_too() {
    let mut far = Far::open(&Config::DEFAULT);
    for i in 0..50 {
        let sound = Sound::from_mono(48_000, &vec![0.1; 1000 + i]).unwrap();
        far.mixer.play(&sound);
        drop(sound);
        far.frames(128 * 12);
        // What came home is let go when the mixer is next touched.
        far.mixer.stats();
        far.carry();
        assert_eq!((far.page.sounds_held(), far.worklet.sounds_held()), (0, 0));
    }
    assert_eq!(far.mixer.stats().finished, 50);
}

#[test]
fn a_worklet_that_fails_ends_what_plays() {
    let mut far = Far::open(&Config::DEFAULT);
    let sound = Sound::from_mono(48_000, &[0.1; 48_000]).unwrap();
    let voice = far.mixer.play(&sound);
    far.frames(512);
    far.page.fail();
    assert!(!far.mixer.is_live(voice) && far.mixer.play(&sound).is_none());
    let stats = far.mixer.stats();
    assert_eq!((stats.stopped, stats.live, stats.panics), (1, 0, 1));
}

#[test]
fn the_last_drop_fades_the_sound_out() {
    let mut far = Far::open(&Config::DEFAULT);
    let sound = Sound::from_mono(48_000, &[0.5; 48_000]).unwrap();
    far.mixer.play(&sound);
    far.frames(512);
    far.page.close();
    let heard = far.frames(1024);
    assert!(heard.windows(2).all(|w| w[1][0] <= w[0][0]) && heard[1023] == [0.0; 2]);
    assert!(far.page.is_over());
}

struct Mute;

impl crate::Effect for Mute {
    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        left.fill(0.0);
        right.fill(0.0);
    }
}

#[test]
fn an_effect_of_the_games_own_is_an_error_that_names_the_bus() {
    let mut far = Far::open(&Config::DEFAULT);
    let refused = far.mixer.set_effect(BusId::new(3), Some(Box::new(Mute))).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "bus 3: an effect of the game's own cannot cross to the browser's audio thread"
    );
    assert!(far.mixer.set_effect(BusId::new(3), None).is_ok(), "to take none away is no harm");
    far.frames(256);
}

/// Where a stream is told to go, it is heard a quantum later than where whoever decodes stands beside it; and from
/// then on as there.
#[test]
fn streams_go_where_they_are_told() {
    let library = Library::new();
    let (near, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    let mut far = Far::open(&Config::DEFAULT);
    let voices = [&near, &far.mixer].map(|mixer| mixer.play(Play::of(&library.stream).looping()));
    for (position, speed) in [(0, 1.0), (2200, 1.0), (900, 1.5), (2600, 0.7), (10, 1.0)] {
        for (mixer, voice) in [&near, &far.mixer].into_iter().zip(voices) {
            mixer.set_speed(voice, speed, ms(0));
            mixer.seek(voice, ms(position));
        }
        // The old place fades out, and the new one in.
        renderer.frames(128 * 8);
        far.frames(128 * 8);
        for quantum in 0..120 {
            let (expected, heard) = (renderer.frames(128), far.frames(128));
            assert!(heard == expected, "{quantum} quanta after {position} ms");
        }
        assert!(renderer.frames(128) == far.frames(128));
    }
    assert_eq!((near.stats().underruns, far.mixer.stats().underruns), (0, 0));
}
