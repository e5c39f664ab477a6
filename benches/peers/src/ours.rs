//! voicepool, driven as a game would.

use std::hint::black_box;

use voicepool::{Config, Interpolation, Mixer, Play, Renderer, Sound, WhenStolen};

use crate::scene::{Clips, Contender, Driver, Frame, RATE, Scene, Voice};

struct Ours {
    mixer: Mixer,
    renderer: Renderer,
    sounds: Vec<Sound>,
}

impl Driver for Ours {
    fn play(&mut self, voice: Voice) {
        let sound = &self.sounds[voice.clip % self.sounds.len()];
        let play = Play::of(sound).gain(voice.gain).pan(voice.pan).speed(voice.pitch);
        if voice.looping {
            // Unless told, a robbed loop parks; then it would not have ended for the newcomer.
            self.mixer.play(play.looping().when_stolen(WhenStolen::End));
        } else {
            self.mixer.play(play);
        }
    }

    fn tick(&mut self) {
        for event in self.mixer.events() {
            black_box(event);
        }
    }

    fn render(&mut self, out: &mut [Frame]) {
        self.renderer.render(out);
    }

    fn stolen(&self) -> Option<u64> {
        Some(self.mixer.stats().stolen)
    }
}

fn make(scene: &Scene, sounds: Vec<Sound>, interpolation: Interpolation) -> Box<dyn Driver> {
    let config = Config {
        voices: scene.voices,
        max_voices: scene.voices,
        commands: scene.together.max(1024),
        sample_rate: RATE,
        interpolation,
        ..Config::default()
    };
    let (mixer, renderer) = Mixer::offline(config).expect("sizes within bounds");
    Box::new(Ours { mixer, renderer, sounds })
}

fn floats(clips: &Clips) -> Vec<Sound> {
    clips.0.iter().map(|clip| Sound::from_mono(RATE, clip).expect("noise is finite")).collect()
}

/// Sixteen bits come in a file, and stay sixteen bits.
fn sixteens(clips: &Clips) -> Vec<Sound> {
    clips.sixteen().map(|clip| Sound::from_bytes(wav(&clip)).expect("a WAV file")).collect()
}

/// A WAV file of 16-bit mono samples.
fn wav(samples: &[i16]) -> Vec<u8> {
    let bytes = 2 * samples.len() as u32;
    let mut file = Vec::with_capacity(44 + 2 * samples.len());
    file.extend(b"RIFF");
    file.extend((36 + bytes).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16u32.to_le_bytes());
    // PCM, one channel.
    file.extend([1u16, 1].map(u16::to_le_bytes).as_flattened());
    file.extend([RATE, 2 * RATE].map(u32::to_le_bytes).as_flattened());
    // Bytes in a frame, bits in a sample.
    file.extend([2u16, 16].map(u16::to_le_bytes).as_flattened());
    file.extend(b"data");
    file.extend(bytes.to_le_bytes());
    file.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
    file
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

/// Four points instead of two between the samples.
pub const CUBIC: Contender = Contender {
    name: "voicepool, cubic",
    reads: "cubic",
    make: |scene| make(scene, floats(scene.clips), Interpolation::Cubic),
    ..OURS
};
