//! oddio: signals that are sampled a block at a time.
//!
//! In space its sounds take their time to reach each ear, so that there is always doppler, and always something between the
//! samples to be read. It has no far distance.

use std::sync::Arc;

use oddio::{
    Cycle, FixedGain, Frames, FramesSignal, Gain, Mixed, Mixer, MixerControl, Signal, Spatial,
    SpatialOptions, SpatialScene, SpatialSceneControl,
};

use crate::scene::{Contender, Driver, Frame, Oldest, PITCH, RATE, Scene, Voice};
use crate::space::{Moment, NEAR, Place};

/// oddio pans in its 3D scene only: two gains, in place, as its own `MonoToStereo` does.
struct Panned<S> {
    signal: S,
    gains: [f32; 2],
}

impl<S: Signal<Frame = f32>> Signal for Panned<S> {
    type Frame = Frame;

    fn sample(&mut self, interval: f32, out: &mut [Frame]) {
        let frames = out.len();
        let flat = out.as_flattened_mut();
        self.signal.sample(interval, &mut flat[..frames]);
        for at in (0..frames).rev() {
            let sample = flat[at];
            flat[2 * at] = sample * self.gains[0];
            flat[2 * at + 1] = sample * self.gains[1];
        }
    }

    fn is_finished(&self) -> bool {
        self.signal.is_finished()
    }
}

struct Clips {
    plain: Vec<Arc<Frames<f32>>>,
    /// The same, said to be of a higher rate: the cheapest way to another pitch.
    pitched: Vec<Arc<Frames<f32>>>,
}

impl Clips {
    fn new(scene: &Scene) -> Clips {
        let at = |rate| scene.clips.0.iter().map(|clip| Frames::from_slice(rate, clip)).collect();
        Clips { plain: at(RATE), pitched: at((RATE as f32 * PITCH) as u32) }
    }

    fn of(&self, voice: Voice) -> Arc<Frames<f32>> {
        let clips = if voice.pitch == 1.0 { &self.plain } else { &self.pitched };
        clips[voice.clip % clips.len()].clone()
    }
}

struct Oddio {
    control: MixerControl<Frame>,
    mixer: Mixer<Frame>,
    clips: Clips,
    oldest: Oldest<Mixed>,
}

impl Oddio {
    fn add(&mut self, signal: impl Signal<Frame = f32> + Send + 'static, voice: Voice) -> Mixed {
        let (_, mut signal) = Gain::new(signal);
        signal.set_amplitude_ratio(voice.gain);
        let gains = [1.0 - voice.pan, 1.0 + voice.pan].map(|side| side * 0.5);
        self.control.play(Panned { signal, gains })
    }
}

impl Driver for Oddio {
    fn play(&mut self, voice: Voice) {
        let clip = self.clips.of(voice);
        let play = if voice.looping {
            self.add(Cycle::new(clip), voice)
        } else {
            self.add(FramesSignal::from(clip), voice)
        };
        if let Some(mut oldest) = self.oldest.replace(play) {
            oldest.stop();
        }
    }

    fn render(&mut self, out: &mut [Frame]) {
        oddio::run(&mut self.mixer, RATE, out);
    }
}

/// Loops with places.
struct InSpace {
    control: SpatialSceneControl,
    scene: SpatialScene,
    clips: Clips,
    voices: Vec<Spatial>,
}

impl Driver for InSpace {
    fn play(&mut self, voice: Voice) {
        // Of its gains, the one that can be sought in, so that nothing has to be kept in a ring.
        let signal = FixedGain::new(Cycle::new(self.clips.of(voice)), 20.0 * voice.gain.log10());
        let options =
            SpatialOptions { position: voice.at.into(), radius: NEAR, ..SpatialOptions::default() };
        self.voices.push(self.control.play(signal, options));
    }

    fn walk(&mut self, now: &Moment) {
        for (voice, place) in self.voices.iter_mut().zip(&now.voices) {
            let Place { at, velocity } = place.from(&now.ear);
            voice.set_motion(at.into(), velocity.into(), false);
        }
    }

    fn render(&mut self, out: &mut [Frame]) {
        oddio::run(&mut self.scene, RATE, out);
    }
}

fn space(scene: &Scene) -> Box<dyn Driver> {
    let clips = Clips::new(scene);
    let (control, scene) = SpatialScene::new();
    Box::new(InSpace { control, scene, clips, voices: Vec::new() })
}

fn make(scene: &Scene) -> Box<dyn Driver> {
    let (control, mixer) = Mixer::new();
    let clips = Clips::new(scene);
    Box::new(Oddio { control, mixer, clips, oldest: Oldest::new(scene.voices) })
}

pub const ODDIO: Contender = Contender {
    name: "oddio 0.7.4",
    reads: "linear",
    when_full: "no limit; the driver stops the oldest",
    most_voices: usize::MAX,
    full_at: |voices| voices,
    make,
};

/// With places.
pub const SPACE: Contender = Contender { make: space, ..ODDIO };
