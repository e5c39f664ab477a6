//! voicepool, driven as a game would.

use std::hint::black_box;
use std::io::Cursor;
use std::sync::Arc;

use voicepool::{
    Attenuation, Bus, BusId, Config, Distance, Duck, Interpolation, Listener, Mixer, Play,
    Renderer, Reverb, RoomId, Sound, Stream, VoiceId, WhenStolen, ms, secs,
};

use crate::scene::{
    Clips, Contender, Driver, Frame, GameBus, RATE, Scene, Voice, files, sixteen, stereo, wav,
};
use crate::space::{FAR, Moment, NEAR};

struct Ours {
    mixer: Mixer,
    renderer: Renderer,
    sounds: Vec<Sound>,
    /// Whether every gain is on its way for as long as anybody looks.
    ramped: bool,
    /// Whether there are buses.
    game: bool,
    /// In space, the voices in the order of their plays.
    space: Option<Vec<Option<VoiceId>>>,
}

/// As in the open air, and all of the side.
const IN_SPACE: Attenuation = Attenuation {
    model: Distance::Inverse,
    near: NEAR,
    far: FAR,
    rolloff: 1.0,
    pan: 1.0,
    doppler: 0.0,
    ..Attenuation::DEFAULT
};

impl Driver for Ours {
    fn play(&mut self, voice: Voice) {
        let sound = &self.sounds[voice.clip % self.sounds.len()];
        let play = Play::of(sound).gain(voice.gain).speed(voice.pitch);
        let play = if self.space.is_some() {
            play.at(voice.at).attenuation(IN_SPACE)
        } else {
            play.pan(voice.pan)
        };
        let play = if self.game { play.bus(bus(voice.bus)) } else { play };
        let id = if voice.looping {
            // Unless told, a robbed loop parks; then it would not have ended for the newcomer.
            self.mixer.play(play.looping().when_stolen(WhenStolen::End))
        } else {
            self.mixer.play(play)
        };
        if let Some(voices) = &mut self.space {
            voices.push(id);
        }
        if self.ramped {
            self.mixer.set_gain(id, 0.5 * voice.gain, secs(3600.0));
        }
    }

    fn tick(&mut self) {
        for event in self.mixer.events() {
            black_box(event);
        }
    }

    fn walk(&mut self, now: &Moment) {
        self.mixer.set_listener(Listener::at(now.ear.at));
        let voices = self.space.iter().flatten().copied();
        self.mixer.set_positions(voices.zip(now.voices.iter().map(|voice| voice.at)));
    }

    fn render(&mut self, out: &mut [Frame]) {
        self.renderer.render(out);
    }

    fn stolen(&self) -> Option<u64> {
        Some(self.mixer.stats().stolen)
    }
}

/// With files that are read while they play.
struct Streams {
    mixer: Mixer,
    renderer: Renderer,
    streams: Vec<Stream>,
}

impl Driver for Streams {
    fn play(&mut self, voice: Voice) {
        let stream = &self.streams[voice.clip % self.streams.len()];
        let play = Play::of(stream).gain(voice.gain).pan(voice.pan).speed(voice.pitch);
        self.mixer.play(if voice.looping { play.looping() } else { play });
    }

    fn tick(&mut self) {
        for event in self.mixer.events() {
            black_box(event);
        }
    }

    fn render(&mut self, out: &mut [Frame]) {
        self.renderer.render(out);
    }

    fn underruns(&self) -> Option<u64> {
        Some(self.mixer.stats().underruns)
    }
}

fn streams(scene: &Scene) -> Box<dyn Driver> {
    let config = Config {
        voices: scene.voices,
        streams: scene.voices,
        sample_rate: RATE,
        interpolation: Interpolation::Linear,
        ..Config::DEFAULT
    };
    let (mixer, renderer) = Mixer::offline(config).expect("sizes within bounds");
    let stream = |file: Arc<[u8]>| {
        Stream::from_reader("noise", move || Ok(Cursor::new(file.clone()))).expect("a WAV file")
    };
    let streams = files(scene.clips).into_iter().map(stream).collect();
    Box::new(Streams { mixer, renderer, streams })
}

fn make(scene: &Scene, sounds: Vec<Sound>, interpolation: Interpolation) -> Box<dyn Driver> {
    Box::new(ours(scene, sounds, interpolation))
}

fn ours(scene: &Scene, sounds: Vec<Sound>, interpolation: Interpolation) -> Ours {
    let config = Config {
        voices: scene.voices,
        max_voices: scene.voices,
        commands: (2 * scene.together).max(1024),
        sample_rate: RATE,
        interpolation,
        ..Config::default()
    };
    let (mixer, renderer) = Mixer::offline(config).expect("sizes within bounds");
    Ours { mixer, renderer, sounds, ramped: false, game: false, space: None }
}

fn bus(bus: GameBus) -> BusId {
    BusId::new(1 + bus as u8)
}

fn game(scene: &Scene) -> Box<dyn Driver> {
    let ours = ours(scene, floats(scene.clips), Interpolation::Linear);
    let (mixer, room) = (&ours.mixer, RoomId::new(0));
    mixer.set_reverb(room, Reverb::DEFAULT, ms(0));
    for one in GameBus::ALL {
        let id = bus(one);
        mixer.set_gain(id, one.gain(), ms(0));
        if let Some(hz) = one.low_pass() {
            mixer.set_low_pass(id, hz, ms(0));
        }
        if one.is_in_world() {
            let settings = Bus { parent: bus(GameBus::World), ..Bus::DEFAULT };
            mixer.set_bus(id, settings).expect("a tree");
            mixer.set_send(id, room, GameBus::SEND, ms(0));
        }
    }
    let (gain, attack) = (GameBus::DUCK, ms(GameBus::DUCK_ATTACK_MS));
    let duck = Duck { gain, attack, ..Duck::DEFAULT };
    let (music, speech) = (bus(GameBus::Music), bus(GameBus::Speech));
    mixer.set_duck(music, speech, Some(duck)).expect("no circle");
    Box::new(Ours { game: true, ..ours })
}

fn space(scene: &Scene) -> Box<dyn Driver> {
    let ours = ours(scene, floats(scene.clips), Interpolation::Linear);
    Box::new(Ours { space: Some(Vec::with_capacity(scene.voices)), ..ours })
}

fn floats(clips: &Clips) -> Vec<Sound> {
    clips.0.iter().map(|clip| Sound::from_mono(RATE, clip).expect("noise is finite")).collect()
}

/// Mono and stereo in turn, of floats and of 16 bits in turn: no two neighbours alike. A side of
/// the stereo ones is the next clip.
fn every_kind(clips: &Clips) -> Vec<Sound> {
    let kind = |(at, (clip, short)): (usize, (Sound, Sound))| match at % 4 {
        0 => clip,
        1 => {
            let frames: Vec<Frame> = stereo(clips, at).collect();
            Sound::from_stereo(RATE, &frames).expect("noise is finite")
        }
        2 => short,
        _ => {
            let frames: Vec<i16> = stereo(clips, at).flatten().map(sixteen).collect();
            Sound::from_bytes(wav(&frames, 2)).expect("a WAV file")
        }
    };
    floats(clips).into_iter().zip(sixteens(clips)).enumerate().map(kind).collect()
}

/// Sixteen bits come in a file, and stay sixteen bits.
fn sixteens(clips: &Clips) -> Vec<Sound> {
    clips.sixteen().map(|clip| Sound::from_bytes(wav(&clip, 1)).expect("a WAV file")).collect()
}

const OURS: Contender = Contender {
    name: "voicepool",
    reads: "linear",
    when_full: "steals the quietest",
    most_voices: usize::MAX,
    full_at: |voices| voices,
    make: |scene| make(scene, floats(scene.clips), Interpolation::Linear),
};

/// Clips of 32-bit floats.
pub const F32: Contender = OURS;

/// Clips of 16-bit integers.
pub const I16: Contender = Contender {
    name: "voicepool, 16-bit clips",
    make: |scene| make(scene, sixteens(scene.clips), Interpolation::Linear),
    ..OURS
};

/// Clips of all kinds, no two neighbours alike.
pub const EVERY_KIND: Contender = Contender {
    name: "voicepool, kinds in turn",
    make: |scene| make(scene, every_kind(scene.clips), Interpolation::Linear),
    ..OURS
};

/// Every gain on its way.
pub const RAMPED: Contender = Contender {
    name: "voicepool, on ramps",
    make: |scene| {
        let ours = ours(scene, floats(scene.clips), Interpolation::Linear);
        Box::new(Ours { ramped: true, ..ours })
    },
    ..OURS
};

/// Four points instead of two between the samples.
pub const CUBIC: Contender = Contender {
    name: "voicepool, cubic",
    reads: "cubic",
    make: |scene| make(scene, floats(scene.clips), Interpolation::Cubic),
    ..OURS
};

/// With the buses of a game's mix.
pub const GAME: Contender = Contender { make: game, ..OURS };

/// With places.
pub const SPACE: Contender = Contender { make: space, ..OURS };

/// With streams.
pub const STREAMS: Contender = Contender { make: streams, ..OURS };
