//! Games that say everything there is to say, while they are recorded.

use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::common::{PRIORITIES, Random, mono, noise, sine, wav16};
use super::streams::{self, Form};
use voicepool::{
    Attenuation, Bus, BusId, Config, Cue, Duck, Effect, Ending, Event, Frame, Listener, Media,
    MediaRef, Mixer, Parking, Play, Refusal, Renderer, Replay, Reverb, RoomId, Sound, Stream, Tag,
    Target, VoiceId, WhenFull, WhenStolen, ms,
};

/// A file in memory that outlives its writer.
#[derive(Clone, Default)]
pub struct File(pub Arc<Mutex<Vec<u8>>>);

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl File {
    pub fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

/// Turns a bus down, and remembers a little.
pub struct Dim(pub f32);

impl Effect for Dim {
    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        for sample in left.iter_mut().chain(right) {
            *sample *= self.0;
        }
    }
}

/// What is played: sounds of all kinds, and streams.
pub struct Library {
    pub sounds: Vec<Sound>,
    pub streams: Vec<Stream>,
}

impl Library {
    pub fn new(rate: u32) -> Library {
        let low = f64::from(rate) / 40.0;
        let wide: Vec<Frame> = noise(3, 1500).into_iter().map(|it| [it, 0.3]).collect();
        Library {
            sounds: vec![
                mono(rate, &sine(rate, low, 0.0, 7000)).named("tone"),
                mono(rate / 2, &noise(1, 2400)).named("slow"),
                Sound::from_stereo(rate, &wide).unwrap().named("wide"),
                wav16(rate * 3 / 2, 1, &noise(2, 5900)).named("sixteen"),
                mono(rate * 2, &noise(4, 3001)).resampled(rate).unwrap().named("resampled"),
                mono(rate, &[0.9; 3]).named("three frames"),
            ],
            streams: [60_000, 30_000]
                .map(|frames| streams::stream(&Form { rate, ..Form::PLAIN }.music(frames)))
                .into(),
        }
    }

    /// What a recording asks for.
    pub fn find(&self, known_by: &MediaRef) -> Option<Media> {
        let sound = self.sounds.iter().find(|sound| sound.name() == known_by.name);
        let stream = || self.streams.iter().find(|it| is_long(it, known_by));
        sound.cloned().map(Media::from).or_else(|| stream().cloned().map(Media::from))
    }
}

fn is_long(stream: &Stream, known_by: &MediaRef) -> bool {
    let frames = known_by.frames as f64 / f64::from(known_by.sample_rate);
    stream.duration() == Some(Duration::from_secs_f64(frames))
}

/// A game that says random things, the same for the same seed.
pub struct Game<'a> {
    pub mixer: Mixer,
    pub random: Random,
    library: &'a Library,
    cues: Vec<Cue>,
    plays: Vec<Option<VoiceId>>,
    pub told: Vec<String>,
}

impl<'a> Game<'a> {
    pub fn new(seed: u64, mixer: Mixer, library: &'a Library) -> Game<'a> {
        let cue = |sounds: &[Sound]| Cue::of(sounds.to_vec()).unwrap();
        let cues = vec![
            cue(&library.sounds[..3]).vary_gain(3.0).vary_speed(2.0).at_most(3),
            cue(&library.sounds[1..2]).cooldown(ms(50)),
            cue(&library.sounds[3..4]).merge_within(ms(60)),
        ];
        let (random, plays, told) = (Random(seed), vec![None], Vec::new());
        Game { mixer, random, library, cues, plays, told }
    }

    fn over(&mut self) -> Duration {
        ms(*self.random.pick(&[0, 1, 10, 50, 200]))
    }

    fn voice(&mut self) -> Option<VoiceId> {
        let back = self.random.below(self.plays.len().min(12) as u64) as usize;
        self.plays[self.plays.len() - 1 - back]
    }

    fn bus(&mut self) -> BusId {
        BusId::new(self.random.below(6) as u8)
    }

    fn place(&mut self) -> [f32; 3] {
        [(); 3].map(|()| self.random.between(-60.0, 60.0))
    }

    fn request(&mut self) -> Play {
        let media = match self.random.below(12) {
            0 => Play::of(self.random.pick(&self.library.streams)),
            1..=4 => Play::of(self.random.pick(&self.cues)),
            _ => Play::of(self.random.pick(&self.library.sounds)),
        };
        let (clock, bus) = (self.mixer.clock(), self.bus());
        let mut play = media.tag(self.plays.len() as u64).bus(bus);
        let random = &mut self.random;
        play = play.gain(random.between(0.05, 1.5)).priority(*random.pick(&PRIORITIES));
        if random.below(2) == 0 {
            play = play.speed(random.between(0.3, 3.0)).pan(random.between(-1.0, 1.0));
        }
        match random.below(7) {
            0 => play = play.start_at((clock + random.below(2000)).saturating_sub(50)),
            1 => play = play.delay(ms(random.below(300))),
            _ => (),
        }
        match random.below(6) {
            0 => play = play.looping(),
            1 => play = play.loop_range(ms(10)..ms(10 + random.below(90))),
            2 => play = play.from_position(ms(random.below(400))),
            _ => (),
        }
        match random.below(5) {
            0 => play = play.fade_in(ms(random.below(80))),
            1 => play = play.low_pass(random.between(300.0, 9000.0)),
            2 => play = play.send(RoomId::new(1), random.between(0.0, 0.5)),
            _ => (),
        }
        if random.below(3) == 0 {
            play = play.when_stolen(*random.pick(&[WhenStolen::End, WhenStolen::Park]));
        }
        if self.random.below(4) == 0 {
            let doppler = *self.random.pick(&[0.0, 1.0]);
            play =
                play.at(self.place()).attenuation(Attenuation { doppler, ..Attenuation::DEFAULT });
        }
        if self.random.below(9) == 0 {
            play = play.after(self.voice());
        }
        play
    }

    /// Says something.
    pub fn say(&mut self) {
        let (over, bus, voice, place) = (self.over(), self.bus(), self.voice(), self.place());
        let what = self.random.below(44);
        let Game { mixer, random, .. } = self;
        let tag = Tag(random.below(self.plays.len() as u64));
        let room = RoomId::new(random.below(2) as u8);
        match what {
            0 => mixer.stop(voice, over),
            1 => mixer.stop(bus, over),
            2 => mixer.stop(tag, over),
            3 => mixer.pause(voice, over),
            4 => mixer.resume(voice, over),
            5 => mixer.pause(bus, over),
            6 | 7 => mixer.resume(bus, over),
            8 => mixer.set_gain(voice, random.between(0.0, 1.5), over),
            9 => mixer.set_gain(bus, random.between(0.1, 1.2), over),
            10 => mixer.set_pan(voice, random.between(-1.0, 1.0), over),
            11 => mixer.set_speed(voice, random.between(0.5, 2.0), over),
            12 => mixer.set_speed(bus, random.between(0.7, 1.4), over),
            13 => mixer.set_mute(bus, random.below(2) == 0),
            14 => mixer.set_low_pass(bus, random.between(400.0, 30_000.0), over),
            15 => mixer.set_high_pass(voice, random.between(10.0, 900.0), over),
            16 => mixer.set_send(BusId::new(2), room, random.between(0.0, 0.6), over),
            17 => mixer.seek(voice, ms(random.below(600))),
            18 => mixer.end_loop(voice),
            19 => mixer.set_listener(Listener::at(place)),
            20 => mixer.teleport_listener(Listener::at(place)),
            21 => mixer.set_position(voice, place),
            22 => mixer.teleport(tag, place),
            23 => {
                let moves: Vec<_> =
                    self.plays.iter().rev().take(9).map(|it| (*it, place)).collect();
                mixer.set_positions(moves);
            }
            24 => mixer.set_occlusion(voice, random.unit(), over),
            25 => {
                let parent = BusId::new(random.below(4) as u8);
                let max_voices = (random.below(2) == 0).then_some(2);
                let _ = mixer.set_bus(bus, Bus { parent, max_voices, ..Bus::DEFAULT });
            }
            26 => {
                let reverb = Reverb { decay: ms(200 + random.below(900)), ..Reverb::DEFAULT };
                mixer.set_reverb(room, reverb, over);
            }
            27 => {
                let duck = (random.below(3) > 0).then_some(Duck::DEFAULT);
                let _ = mixer.set_duck(bus, BusId::new(5), duck);
            }
            28 => {
                let voices = 3 + random.below(6) as usize;
                mixer.resize(voices).unwrap();
            }
            29 => {
                let policies = [
                    WhenFull::StealQuietest,
                    WhenFull::StealOldest,
                    WhenFull::Refuse,
                    WhenFull::Grow,
                ];
                mixer.set_when_full(*random.pick(&policies));
            }
            30 if random.below(6) == 0 => mixer.stop_all(over),
            31 => {
                let to = self.request();
                let from: Target = if over.is_zero() { voice.into() } else { bus.into() };
                let new = self.mixer.crossfade(from, to, over);
                self.plays.push(new);
            }
            32 => {
                let stems = [self.request(), self.request()];
                if let Some(voices) = self.mixer.play_together(stems) {
                    self.plays.extend(voices.map(Some));
                }
            }
            _ => {
                let play = self.request();
                let voice = self.mixer.play(play);
                self.plays.push(voice);
            }
        }
    }

    /// Hears what was told since.
    pub fn listen(&mut self) {
        let events: Vec<Event> = self.mixer.events().collect();
        self.told.extend(events.iter().map(tell));
    }
}

/// An event without the ids, which are another mixer's.
pub fn tell(event: &Event) -> String {
    match event {
        Event::Ended { tag, name, at, why, .. } => {
            let why = match why {
                Ending::Stolen { by_tag, level, .. } => {
                    format!("stolen by {by_tag} at {:x}", level.to_bits())
                }
                Ending::Refused { why: Refusal::Merged { .. } } => "merged".to_owned(),
                other => format!("{other:?}"),
            };
            format!("{at}: {tag} ({name}) ended: {why}")
        }
        Event::Parked { tag, at, why, .. } => {
            let why = match why {
                Parking::Stolen { by_tag, level, .. } => {
                    format!("for {by_tag} at {:x}", level.to_bits())
                }
                other => format!("{other:?}"),
            };
            format!("{at}: {tag} parked: {why}")
        }
        Event::Started { tag, at, .. } => format!("{at}: {tag} started"),
        Event::Unparked { tag, at, .. } => format!("{at}: {tag} is back"),
        Event::Underrun { tag, at, .. } => format!("{at}: {tag} lacks something"),
        other => format!("{other:?}"),
    }
}

/// What came of a game, or of its replay.
pub struct Outcome {
    pub heard: Vec<Frame>,
    pub told: Vec<String>,
}

pub fn config(rate: u32) -> Config {
    Config {
        voices: 6,
        max_voices: 16,
        parked: 12,
        scheduled: 12,
        streams: 3,
        sample_rate: rate,
        ..Config::DEFAULT
    }
}

/// Plays a game of some steps in buffers of random sizes, as a callback does, and records it.
pub fn record(seed: u64, rate: u32, steps: usize, library: &Library) -> (Outcome, Vec<u8>) {
    let (mixer, mut renderer) = Mixer::offline(config(rate)).unwrap();
    let mut game = Game::new(seed, mixer, library);
    // A game sets its buses before anything else.
    game.mixer.set_gain(BusId::new(3), 0.5, ms(300));
    game.mixer.set_reverb(RoomId::new(1), Reverb::DEFAULT, ms(0));
    let mut heard = Vec::new();
    render(&mut renderer, 1000, &mut heard);
    let file = File::default();
    let recorder = game.mixer.record(file.clone()).unwrap();
    game.mixer.set_effect(BusId::new(4), Some(Box::new(Dim(0.5)))).unwrap();
    for _ in 0..steps {
        for _ in 0..game.random.below(5) {
            game.say();
        }
        let size = *game.random.pick(&[1, 37, 128, 256, 512, 1024, 3000]);
        render(&mut renderer, size, &mut heard);
        game.listen();
    }
    let summary = recorder.finish().unwrap();
    assert!(summary.is_whole);
    assert_eq!(summary.frames, heard.len() as u64);
    (Outcome { heard, told: game.told }, file.bytes())
}

pub fn render(renderer: &mut Renderer, frames: usize, heard: &mut Vec<Frame>) {
    let from = heard.len();
    heard.resize(from + frames, [0.0; 2]);
    renderer.render(&mut heard[from..]);
}

/// Reads a recording, with what the games here put on their buses.
pub fn read(file: &[u8], library: &Library) -> Replay {
    let mut replay = Replay::read(Cursor::new(file), |it| library.find(it)).unwrap();
    replay.effect(BusId::new(4), Box::new(Dim(0.5)));
    replay
}

/// Replays all of it, in buffers of a size.
pub fn replay(mut replay: Replay, size: usize) -> Outcome {
    let (mut heard, mut told) = (Vec::new(), Vec::new());
    let mut buffer = vec![[0.0; 2]; size];
    loop {
        let frames = replay.render(&mut buffer);
        heard.extend_from_slice(&buffer[..frames]);
        told.extend(replay.events().map(|event| tell(&event)));
        if frames < size {
            return Outcome { heard, told };
        }
    }
}

/// Both are the same to the bit.
#[track_caller]
pub fn assert_same(one: &Outcome, other: &Outcome, which: &str) {
    let bits = |it: &Outcome| super::common::bits(&it.heard);
    let (heard, again) = (bits(one), bits(other));
    let differs = heard.iter().zip(&again).position(|(one, other)| one != other);
    let told = one.told.iter().zip(&other.told).find(|(one, other)| one != other);
    assert_eq!((differs, told), (None, None), "{which}");
    assert_eq!(heard.len(), again.len(), "{which}");
    assert_eq!(one.told.len(), other.told.len(), "{which}");
}
