//! kira: a backend of our own gives the renderer out, to be called here.

use std::cell::RefCell;

use kira::backend::{Backend, Renderer};
use kira::sound::static_sound::{StaticSoundData, StaticSoundSettings};
use kira::track::MainTrackBuilder;
use kira::{AudioManager, AudioManagerSettings, Capacities, Decibels, Panning, PlaybackRate};

use crate::scene::{Contender, Driver, Frame, RATE, Scene, Voice};

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
}

impl Driver for Kira {
    fn play(&mut self, voice: Voice) {
        let mut data = self.clips[voice.clip % self.clips.len()].clone();
        data.settings = StaticSoundSettings::new()
            .volume(Decibels(20.0 * voice.gain.log10()))
            .panning(Panning(voice.pan))
            .playback_rate(PlaybackRate(f64::from(voice.pitch)));
        if voice.looping {
            data.settings = data.settings.loop_region(..);
        }
        // Refused when full, which is what a game would see too. A handle may be dropped.
        let _ = self.manager.play(data);
    }

    fn render(&mut self, out: &mut [Frame]) {
        self.renderer.on_start_processing();
        self.renderer.process(out.as_flattened_mut(), 2);
    }
}

fn make(scene: &Scene) -> Box<dyn Driver> {
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
    Box::new(Kira {
        manager: manager.expect("our backend never fails"),
        renderer: LEFT_HERE.take().expect("left by the backend"),
        clips: scene.clips.0.iter().map(|clip| data(clip)).collect(),
    })
}

pub const KIRA: Contender = Contender {
    name: "kira 0.12.6",
    reads: "cubic",
    when_full: "refuses",
    most_voices: usize::MAX,
    full_at: |voices| voices,
    make,
};
