//! The scene.

use std::io::Cursor;

use voicepool::{
    Attenuation, Bus, BusId, Config, Cue, Duck, Ending, Event, Listener, Mixer, OutputState, Play,
    Priority, Reverb, RoomId, Sound, Stream, Tag, WhenStolen, db, ms,
};

/// How many frames lie between two steps, and how many steps there are: 9.6 s.
pub const STEP: usize = 75 * 128;
pub const STEPS: usize = 48;

pub fn config() -> Config {
    Config { voices: 12, ..Config::DEFAULT }
}

pub struct Scene {
    mixer: Mixer,
    sounds: [Sound; 4],
    cue: Cue,
    dice: u64,
}

impl Scene {
    pub fn new(mixer: Mixer) -> Scene {
        let load = |name: &str, bytes: &[u8]| mixer.load_bytes(name, bytes).expect("our own sound");
        let sounds = [
            load("coin", include_bytes!("../../../../sounds/coin.wav")),
            load("rain", include_bytes!("../../../../sounds/rain_loop.wav")),
            load("tick", include_bytes!("../../../../sounds/sparkle_tick.wav")),
            load("drone", include_bytes!("../../../../sounds/drone_loop.wav")),
        ];
        let cue = Cue::of([&sounds[0], &sounds[2]]).expect("two");
        Scene { mixer, sounds, cue: cue.vary_speed(2.0).vary_gain(3.0).at_most(5), dice: 1 }
    }

    fn roll(&mut self, below: u64) -> u64 {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.dice >> 33) % below
    }

    pub fn step(&mut self, step: usize) {
        let [world, speech] = [BusId::new(1), BusId::new(2)];
        let Scene { mixer, sounds: [coin, rain, tick, drone], .. } = &*self;
        match step {
            0 => {
                mixer.set_bus(world, Bus { max_voices: Some(9), ..Bus::DEFAULT }).expect("a tree");
                mixer.set_duck(world, speech, Some(Duck::DEFAULT)).expect("no circle");
                mixer.set_reverb(RoomId::new(0), Reverb::DEFAULT, ms(0));
                mixer.play(Play::of(rain).looping().bus(world).tag(1).gain(db(-6.0)));
                mixer.play(Play::of(drone).looping().speed(0.7).priority(Priority::Protected));
            }
            5 => mixer.set_low_pass(world, 600.0, ms(300)),
            9 => mixer.set_low_pass(world, 20_000.0, ms(300)),
            12 => mixer.set_send(world, RoomId::new(0), 0.6, ms(200)),
            16 => drop(mixer.play(Play::of(drone).bus(speech).delay(ms(70)))),
            20 => mixer.set_speed(world, 0.5, ms(400)),
            26 => mixer.set_speed(world, 1.0, ms(400)),
            30 => mixer.resize(20).expect("below the most"),
            33 => mixer.pause(world, ms(50)),
            35 => mixer.resume(world, ms(50)),
            38 => drop(mixer.crossfade(Tag(1), Play::of(coin).looping(), ms(400))),
            44 => mixer.stop_all(ms(300)),
            _ => (),
        }
        mixer.set_listener(Listener::at([step as f32 / 4.0, 0.0, 0.0]));
        let (tick, cue) = (tick.clone(), self.cue.clone());
        for n in 0..6 {
            let (delay, place) = (ms(self.roll(190)), self.roll(60) as f32);
            let play = match n % 3 {
                0 => Play::of(&cue)
                    .at([place - 30.0, 0.0, -2.0])
                    .attenuation(Attenuation { doppler: 1.0, ..Attenuation::DEFAULT }),
                1 => Play::of(&tick).pan(place / 30.0 - 1.0).speed(0.5 + place / 40.0),
                _ => Play::of(&tick).gain(place / 60.0).when_stolen(WhenStolen::Park),
            };
            self.mixer.play(play.delay(delay).bus(world).tag(7));
        }
    }

    /// Music that is decoded while it plays, at another rate than the mixer's.
    pub fn stream(&self) {
        let file = || Ok(Cursor::new(include_bytes!("../../../../tests/formats/long.ogg")));
        let music = Stream::from_reader("music", file).expect("our own file");
        self.mixer.play(Play::of(&music).looping());
    }

    pub fn storm(&self) {
        let [_, rain, _, drone] = &self.sounds;
        for i in 0..256 {
            let sound = if i % 2 == 0 { rain } else { drone };
            self.mixer
                .play(Play::of(sound).looping().speed(1.0 + (i + 1) as f32 / 1000.0).gain(0.01));
        }
    }

    pub fn output(&self) -> OutputState {
        self.mixer.output()
    }

    /// What was told, and what was counted.
    pub fn report(&self) -> String {
        let stats = self.mixer.stats();
        let mut text = format!(
            "{} {} {} {} {} {} {} {} {}\n",
            stats.accepted,
            stats.finished,
            stats.stopped,
            stats.stolen,
            stats.refused,
            stats.parkings,
            stats.frames,
            stats.playing,
            stats.underruns
        );
        for event in self.mixer.events() {
            match event {
                Event::Ended { tag, name, at, why, .. } => match why {
                    Ending::Stolen { by_tag, level, .. } => {
                        text +=
                            &format!("{name} {tag} {at} stolen {by_tag} {:x}\n", level.to_bits());
                    }
                    Ending::Refused { .. } => text += &format!("{name} {tag} {at} refused\n"),
                    why => text += &format!("{name} {tag} {at} {why:?}\n"),
                },
                Event::Started { tag, at, .. } => text += &format!("{tag} {at} started\n"),
                Event::Parked { tag, at, .. } => text += &format!("{tag} {at} parked\n"),
                Event::Unparked { tag, at, .. } => text += &format!("{tag} {at} unparked\n"),
                _ => (),
            }
        }
        text
    }
}
