//! kira: a backend of our own gives the renderer out, to be called here.
//!
//! Its tracks have no ducks, so its driver turns the music down as a game would; and it has no limiter.
//!
//! In space a voice is a track of its own. What it has for distance falls in a straight line of decibels, or by powers of that,
//! which would cost it more: the line it is.

use std::cell::RefCell;
use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

use kira::backend::{Backend, Renderer};
use kira::effect::filter::{FilterBuilder, FilterMode};
use kira::effect::reverb::ReverbBuilder;
use kira::listener::ListenerHandle;
use kira::sound::static_sound::{StaticSoundData, StaticSoundSettings};
use kira::sound::streaming::StreamingSoundData;
use kira::track::{
    MainTrackBuilder, SendTrackBuilder, SendTrackHandle, SpatialTrackBuilder, SpatialTrackHandle,
    TrackBuilder, TrackHandle,
};
use kira::{
    AudioManager, AudioManagerSettings, Capacities, Decibels, Mix, Panning, PlaybackRate, Tween,
};

use crate::scene::{Clips, Contender, Driver, Frame, GameBus, RATE, Scene, Voice, files};
use crate::space::{FAR, Moment, NEAR};

thread_local! {
    /// Where the backend leaves the renderer.
    static LEFT_HERE: RefCell<Option<Renderer>> = const { RefCell::new(None) };
}

struct HandedOut;

impl Backend for HandedOut {
    type Settings = ();
    type Error = ();

    fn setup((): (), _buffer: usize) -> Result<(HandedOut, u32), ()> {
        Ok((HandedOut, RATE))
    }

    fn start(&mut self, renderer: Renderer) -> Result<(), ()> {
        LEFT_HERE.set(Some(renderer));
        Ok(())
    }
}

struct Kira {
    manager: AudioManager<HandedOut>,
    renderer: Renderer,
    clips: Vec<StaticSoundData>,
    game: Option<Game>,
    space: Option<Space>,
}

/// The listener, and the tracks of the voices in the order of their plays.
struct Space {
    listener: ListenerHandle,
    tracks: Vec<SpatialTrackHandle>,
}

impl Space {
    fn new(manager: &mut AudioManager<HandedOut>) -> Space {
        let ahead = mint::Quaternion { s: 1.0, v: [0.0; 3].into() };
        let listener = manager.add_listener(vector([0.0; 3]), ahead).expect("room for a listener");
        Space { listener, tracks: Vec::new() }
    }

    fn play(&mut self, manager: &mut AudioManager<HandedOut>, data: StaticSoundData, at: [f32; 3]) {
        let track = SpatialTrackBuilder::new()
            .sound_capacity(1)
            .sub_track_capacity(1)
            .distances((NEAR, FAR))
            .spatialization_strength(1.0);
        let track = manager.add_spatial_sub_track(&self.listener, vector(at), track);
        let mut track = track.expect("room for a track");
        let _ = track.play(data);
        self.tracks.push(track);
    }
}

fn vector(at: [f32; 3]) -> mint::Vector3<f32> {
    at.into()
}

/// The buses of a game's mix, in their order, and the room. They live as long as their handles.
struct Game {
    buses: Vec<TrackHandle>,
    _room: SendTrackHandle,
    ducked: bool,
}

impl Game {
    fn new(manager: &mut AudioManager<HandedOut>) -> Game {
        let mut room = SendTrackBuilder::new();
        room.add_effect(ReverbBuilder::new().feedback(0.8).damping(0.5).mix(Mix::WET));
        let room = manager.add_send_track(room).expect("room for a track");
        let mut buses: Vec<TrackHandle> = Vec::new();
        for bus in GameBus::ALL {
            let mut track = TrackBuilder::new().volume(decibels(bus.gain()));
            if let Some(hz) = bus.low_pass() {
                let filter = FilterBuilder::new().mode(FilterMode::LowPass);
                // The quality of a Butterworth filter.
                track.add_effect(filter.cutoff(f64::from(hz)).resonance(0.308));
            }
            let track = if bus.is_in_world() {
                let track = track.with_send(&room, decibels(GameBus::SEND));
                buses[GameBus::World as usize].add_sub_track(track)
            } else {
                manager.add_sub_track(track)
            };
            buses.push(track.expect("room for a track"));
        }
        Game { buses, _room: room, ducked: false }
    }

    fn play(&mut self, data: StaticSoundData, bus: GameBus) {
        if bus == GameBus::Speech && !self.ducked {
            self.ducked = true;
            let down = decibels(GameBus::Music.gain() * GameBus::DUCK);
            let duration = Duration::from_millis(GameBus::DUCK_ATTACK_MS);
            self.buses[GameBus::Music as usize]
                .set_volume(down, Tween { duration, ..Tween::default() });
        }
        let _ = self.buses[bus as usize].play(data);
    }
}

fn decibels(gain: f32) -> Decibels {
    Decibels(20.0 * gain.log10())
}

impl Driver for Kira {
    fn play(&mut self, voice: Voice) {
        let mut data = self.clips[voice.clip % self.clips.len()].clone();
        data.settings = StaticSoundSettings::new()
            .volume(decibels(voice.gain))
            .playback_rate(PlaybackRate(f64::from(voice.pitch)));
        if self.space.is_none() {
            data.settings = data.settings.panning(Panning(voice.pan));
        }
        if voice.looping {
            data.settings = data.settings.loop_region(..);
        }
        // Refused when full, which is what a game would see too. A handle may be dropped.
        match (&mut self.game, &mut self.space) {
            (Some(game), _) => game.play(data, voice.bus),
            (None, Some(space)) => space.play(&mut self.manager, data, voice.at),
            (None, None) => drop(self.manager.play(data)),
        }
    }

    fn walk(&mut self, now: &Moment) {
        if let Some(Space { listener, tracks }) = &mut self.space {
            listener.set_position(vector(now.ear.at), Tween::default());
            for (track, place) in tracks.iter_mut().zip(&now.voices) {
                track.set_position(vector(place.at), Tween::default());
            }
        }
    }

    fn render(&mut self, out: &mut [Frame]) {
        self.renderer.on_start_processing();
        self.renderer.process(out.as_flattened_mut(), 2);
    }
}

/// With files that are read while they play, each by a thread of its own.
struct Streams {
    kira: Kira,
    files: Vec<Arc<[u8]>>,
}

impl Driver for Streams {
    fn play(&mut self, voice: Voice) {
        let file = self.files[voice.clip % self.files.len()].clone();
        let data = StreamingSoundData::from_cursor(Cursor::new(file)).expect("a WAV file");
        let data = data
            .volume(decibels(voice.gain))
            .panning(Panning(voice.pan))
            .playback_rate(PlaybackRate(f64::from(voice.pitch)));
        let data = if voice.looping { data.loop_region(..) } else { data };
        // The handle may be dropped.
        drop(self.kira.manager.play(data));
    }

    fn render(&mut self, out: &mut [Frame]) {
        self.kira.render(out);
    }
}

fn streams(scene: &Scene) -> Box<dyn Driver> {
    let none = Clips(Vec::new());
    let kira = kira(&Scene { clips: &none, ..*scene });
    Box::new(Streams { kira, files: files(scene.clips) })
}

fn make(scene: &Scene) -> Box<dyn Driver> {
    Box::new(kira(scene))
}

fn game(scene: &Scene) -> Box<dyn Driver> {
    let mut kira = kira(scene);
    kira.game = Some(Game::new(&mut kira.manager));
    Box::new(kira)
}

fn space(scene: &Scene) -> Box<dyn Driver> {
    let mut kira = kira(scene);
    kira.space = Some(Space::new(&mut kira.manager));
    Box::new(kira)
}

fn kira(scene: &Scene) -> Kira {
    let manager = AudioManager::new(AudioManagerSettings {
        capacities: Capacities::default(),
        main_track_builder: MainTrackBuilder::new().sound_capacity(scene.voices),
        internal_buffer_size: 128, // its default
        backend_settings: (),
    });
    let data = |clip: &[f32]| StaticSoundData {
        sample_rate: RATE,
        frames: clip.iter().map(|&sample| kira::Frame::from_mono(sample)).collect(),
        settings: StaticSoundSettings::new(),
        slice: None,
    };
    Kira {
        manager: manager.expect("our backend never fails"),
        renderer: LEFT_HERE.take().expect("left by the backend"),
        clips: scene.clips.0.iter().map(|clip| data(clip)).collect(),
        game: None,
        space: None,
    }
}

pub const KIRA: Contender = Contender {
    name: "kira 0.12.6",
    reads: "cubic",
    when_full: "refuses",
    most_voices: usize::MAX,
    full_at: |voices| voices,
    make,
};

/// With the buses of a game's mix.
pub const GAME: Contender = Contender { make: game, ..KIRA };

/// With places.
pub const SPACE: Contender = Contender { make: space, ..KIRA };

/// With streams.
pub const STREAMS: Contender = Contender { make: streams, ..KIRA };
