//! oddio: signals that are sampled a block at a time.

use std::sync::Arc;

use oddio::{Cycle, Frames, FramesSignal, Gain, Mixed, Mixer, MixerControl, Signal};

use crate::scene::{Contender, Driver, Frame, Oldest, RATE, Scene, Voice};

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

struct Oddio {
    control: MixerControl<Frame>,
    mixer: Mixer<Frame>,
    clips: Vec<Arc<Frames<f32>>>,
    /// The same, said to be of a higher rate: the cheapest way to another pitch.
    pitched: Vec<Arc<Frames<f32>>>,
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
        let clips = if voice.pitch == 1.0 { &self.clips } else { &self.pitched };
        let clip = clips[voice.clip % clips.len()].clone();
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

fn make(scene: &Scene) -> Box<dyn Driver> {
    let (control, mixer) = Mixer::new();
    let clips = |rate| scene.clips.0.iter().map(|clip| Frames::from_slice(rate, clip)).collect();
    Box::new(Oddio {
        control,
        mixer,
        clips: clips(RATE),
        pitched: clips((RATE as f32 * crate::scene::PITCH) as u32),
        oldest: Oldest::new(scene.voices),
    })
}

pub const ODDIO: Contender = Contender {
    name: "oddio 0.7.4",
    reads: "linear",
    when_full: "no limit; the driver stops the oldest",
    most_voices: usize::MAX,
    full_at: |voices| voices,
    make,
};
