//! rodio: sources that are pulled a sample at a time.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rodio::mixer::{Mixer, MixerSource, mixer};
use rodio::source::{ChannelVolume, Source};

use crate::scene::{Contender, Driver, Frame, Oldest, RATE, Scene, Voice};

/// A clip in shared memory: rodio's own `repeat_infinite` would copy it for each voice.
struct Clip {
    samples: Arc<[f32]>,
    at: usize,
    looping: bool,
    rate: u32,
}

impl Iterator for Clip {
    type Item = f32;

    #[inline]
    fn next(&mut self) -> Option<f32> {
        if self.at == self.samples.len() {
            if !self.looping {
                return None;
            }
            self.at = 0;
        }
        let sample = self.samples[self.at];
        self.at += 1;
        Some(sample)
    }
}

impl Source for Clip {
    fn current_span_len(&self) -> Option<usize> {
        None
    }

    fn channels(&self) -> NonZero<u16> {
        NonZero::<u16>::MIN
    }

    fn sample_rate(&self) -> NonZero<u32> {
        NonZero::new(self.rate).expect("a rate above 0")
    }

    fn total_duration(&self) -> Option<Duration> {
        None
    }
}

struct Rodio {
    mixer: Mixer,
    source: MixerSource,
    clips: Vec<Arc<[f32]>>,
    /// The flags by which voices are stopped, where they have to be.
    stops: Option<Oldest<Arc<AtomicBool>>>,
}

impl Driver for Rodio {
    fn play(&mut self, voice: Voice) {
        let clip = Clip {
            samples: self.clips[voice.clip % self.clips.len()].clone(),
            at: 0,
            looping: voice.looping,
            // As its own `speed` does it.
            rate: (RATE as f32 * voice.pitch) as u32,
        };
        let gains = [1.0 - voice.pan, 1.0 + voice.pan].map(|side| voice.gain * side * 0.5);
        let panned = ChannelVolume::new(clip, gains.to_vec());
        let Some(stops) = &mut self.stops else {
            self.mixer.add(panned);
            return;
        };
        // As its own `Player` does it: a flag, polled every 5 ms.
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        let poll = Duration::from_millis(5);
        self.mixer.add(panned.stoppable().periodic_access(poll, move |source| {
            if flag.load(Ordering::Relaxed) {
                source.stop();
            }
        }));
        if let Some(oldest) = stops.replace(stop) {
            oldest.store(true, Ordering::Relaxed);
        }
    }

    fn render(&mut self, out: &mut [Frame]) {
        for sample in out.as_flattened_mut() {
            *sample = self.source.next().unwrap_or(0.0);
        }
    }
}

fn make(scene: &Scene) -> Box<dyn Driver> {
    let stereo = NonZero::new(2).expect("2 is not 0");
    let (mixer, source) = mixer(stereo, NonZero::new(RATE).expect("a rate above 0"));
    let stops = scene.overfull.then(|| Oldest::new(scene.voices));
    Box::new(Rodio { mixer, source, clips: scene.clips.0.clone(), stops })
}

pub const RODIO: Contender = Contender {
    name: "rodio 0.23.0",
    reads: "linear",
    when_full: "no limit; the driver stops the oldest by a flag",
    most_voices: usize::MAX,
    full_at: |voices| voices,
    make,
};
