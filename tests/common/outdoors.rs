//! Random games in which things have places: a listener that walks, runs, turns and jumps, and plays that
//! come, move, go behind walls and out of earshot, on buses that are paused and slowed down. The same numbers
//! give the same game, whoever renders it.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::time::Duration;

use voicepool::{
    Attenuation, BusId, Config, Distance, Event, Listener, Mixer, Play, Point, Reverb, RoomId,
    Sound, Tag, Target, VoiceId, WhenStolen, ms,
};

use crate::common::{PRIORITIES, Random, mono, noise, sine};

const MODELS: [Distance; 4] =
    [Distance::Inverse, Distance::Linear, Distance::Exponential, Distance::None];
/// Few enough that they meet.
const BUSES: u64 = 3;
const TAGS: u64 = 6;
const ROOM: RoomId = RoomId::new(1);

/// Few voices, and few places to park.
pub fn small(rate: u32) -> Config {
    Config {
        voices: 8,
        max_voices: 16,
        parked: 12,
        scheduled: 6,
        commands: 64,
        sample_rate: rate,
        ..Config::default()
    }
}

pub struct Game {
    pub mixer: Mixer,
    pub random: Random,
    sounds: Vec<Sound>,
    /// All that were accepted, and where each was last said to be.
    pub plays: Vec<(VoiceId, Point)>,
    listener: Listener,
}

impl Game {
    pub fn new(mixer: Mixer, seed: u64) -> Game {
        let rate = mixer.sample_rate();
        let stereo: Vec<[f32; 2]> =
            noise(7, 4000).chunks(2).map(|pair| [pair[0], pair[1]]).collect();
        let sounds = vec![
            mono(rate, &sine(rate, 440.0, 0.1, 9000)),
            mono(rate, &noise(1, 1500)),
            mono(44_100, &sine(44_100, 90.0, 0.0, 20_000)),
            Sound::from_stereo(rate, &stereo).expect("samples of a test"),
        ];
        let listener = Listener::DEFAULT;
        Game { mixer, random: Random(seed), sounds, plays: Vec::new(), listener }
    }

    fn bus(&mut self) -> BusId {
        BusId::new(self.random.below(BUSES) as u8)
    }

    /// Often none.
    fn time(&mut self) -> Duration {
        let most = *self.random.pick(&[1, 20, 200]);
        ms(self.random.below(most))
    }

    pub fn place(&mut self, reach: f32) -> Point {
        let [x, y, z] = [(); 3].map(|()| self.random.between(-reach, reach));
        Point { x, y, z: if self.random.below(2) == 0 { 0.0 } else { z } }
    }

    fn attenuation(&mut self) -> Attenuation {
        let near = self.random.between(0.5, 4.0);
        Attenuation {
            model: *self.random.pick(&MODELS),
            near,
            far: near + *self.random.pick(&[5.0, 9.0, 15.0, 40.0]),
            rolloff: self.random.between(0.5, 2.0),
            width: self.random.between(0.2, 9.0),
            pan: *self.random.pick(&[1.0, 1.0, 0.5, 0.0]),
            doppler: *self.random.pick(&[0.0, 0.0, 1.0, 3.0]),
        }
    }

    /// One of the latest.
    fn latest(&mut self) -> Option<usize> {
        let latest = self.plays.len().checked_sub(1)?;
        Some(latest - self.random.below(latest.min(9) as u64 + 1) as usize)
    }

    fn target(&mut self) -> Target {
        match (self.random.below(5), self.latest()) {
            (0, _) => Tag(self.random.below(TAGS)).into(),
            (1..=3, Some(play)) => self.plays[play].0.into(),
            _ => self.bus().into(),
        }
    }

    pub fn play(&mut self) {
        let at = self.listener.position;
        let Point { x, y, z } = self.place(14.0);
        let at = Point { x: x + at.x, y: y + at.y, z: z + at.z };
        let sound = self.random.pick(&self.sounds).clone();
        let mut play = Play::of(&sound)
            .bus(self.bus())
            .tag(self.random.below(TAGS))
            .gain(self.random.between(0.05, 0.5))
            .priority(*self.random.pick(&PRIORITIES));
        if self.random.below(6) > 0 {
            play = play.at(at).attenuation(self.attenuation());
        }
        let ahead = self.random.below(3000);
        match self.random.below(8) {
            0 => play = play.start_at(self.mixer.clock() + ahead),
            1 => play = play.delay(self.time()),
            2 => play = play.speed(self.random.between(0.3, 2.5)),
            3 => play = play.low_pass(900.0).pan(self.random.between(-1.0, 1.0)),
            4 => play = play.send(ROOM, self.random.unit()).from_position(self.time()),
            _ => (),
        }
        if self.random.below(2) == 0 {
            play = play.looping();
        }
        if self.random.below(3) == 0 {
            play = play.when_stolen(WhenStolen::Park).fade_in(self.time());
        }
        if let Some(voice) = self.mixer.play(play) {
            self.plays.push((voice, at));
        }
    }

    /// A step of the listener: mostly a small one.
    pub fn walk(&mut self) {
        let reach = *self.random.pick(&[0.0, 0.1, 0.5, 2.0, 10.0, 10.0]);
        let Point { x, y, z } = self.place(reach);
        let at = &mut self.listener.position;
        // It comes back to where the others are.
        (at.x, at.y, at.z) = (0.8 * at.x + x, 0.8 * at.y + y, 0.8 * at.z + z);
        if self.random.below(3) == 0 {
            (self.listener.forward, self.listener.up) = (self.place(1.0), self.place(1.0));
        }
        match self.random.below(6) {
            0 => self.mixer.teleport_listener(self.listener),
            _ => self.mixer.set_listener(self.listener),
        }
    }

    /// Some of the latest go somewhere.
    pub fn moves(&mut self) {
        let reach = *self.random.pick(&[0.05, 0.3, 2.0, 10.0]);
        let first = self.plays.len().saturating_sub(1 + self.random.below(20) as usize);
        let mut moved = Vec::new();
        for index in first..self.plays.len() {
            let Point { x, y, z } = self.place(reach);
            let (voice, at) = &mut self.plays[index];
            *at = Point { x: at.x + x, y: at.y + y, z: at.z + z };
            moved.push((*voice, *at));
        }
        self.mixer.set_positions(moved);
    }

    /// Says something to the mixer.
    pub fn say(&mut self) {
        let (target, over, place) = (self.target(), self.time(), self.place(20.0));
        let bus = self.bus();
        match self.random.below(30) {
            0..=4 => self.walk(),
            5..=9 => self.moves(),
            10 => self.mixer.set_position(target, place),
            11 => self.mixer.teleport(target, place),
            12 | 13 => self.mixer.set_occlusion(target, self.random.between(-0.5, 1.5), over),
            14 => {
                let first = self.plays.len().saturating_sub(8);
                let amount = self.random.unit();
                let some: Vec<_> =
                    self.plays[first..].iter().map(|(voice, _)| (*voice, amount)).collect();
                self.mixer.set_occlusions(some, over);
            }
            15 => self.mixer.pause(target, over),
            16 | 17 => {
                self.mixer.resume(target, over);
                (0..BUSES as u8).for_each(|bus| self.mixer.resume(BusId::new(bus), over));
            }
            18 => self.mixer.stop(target, over),
            19 => self.mixer.set_speed(target, self.random.between(0.4, 1.6), over),
            20 => self.mixer.set_gain(target, self.random.between(0.1, 1.0), over),
            21 => {
                let voice = self.latest().map(|play| self.plays[play].0);
                self.mixer.seek(voice, over);
            }
            22 => drop(self.mixer.resize(6 + self.random.below(10) as usize)),
            23 => self.mixer.set_send(target, ROOM, self.random.between(-0.3, 0.5).max(0.0), over),
            24 => {
                let reverb = Reverb { decay: ms(80), size: self.random.unit(), ..Reverb::DEFAULT };
                self.mixer.set_reverb(ROOM, reverb, over);
            }
            25 => self.mixer.set_low_pass(bus, *self.random.pick(&[400.0, 20_000.0]), over),
            26 if self.random.below(12) == 0 => self.mixer.stop_all(over),
            _ => self.play(),
        }
    }

    /// What happened to the how-manieth play; ids are another mixer's each time.
    pub fn tell(&self, event: &Event) -> String {
        let number = |voice| self.plays.iter().position(|(other, _)| *other == voice);
        match event {
            Event::Ended { voice, at, .. } => format!("{:?} ended at {at}", number(*voice)),
            Event::Parked { voice, at, .. } => format!("{:?} parked at {at}", number(*voice)),
            Event::Unparked { voice, at, .. } => format!("{:?} came back at {at}", number(*voice)),
            Event::Started { voice, at, .. } => format!("{:?} started at {at}", number(*voice)),
            other => format!("{other:?}"),
        }
    }
}
