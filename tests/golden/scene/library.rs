//! The sounds of the scene, out of the program itself: 8, 16 and 24 bits and floats, mono and stereo, at rates
//! above, below and equal to the mixers'.

use std::collections::VecDeque;

use super::dice::Dice;
use voicepool::{Mixer, Sound, VoiceId};

macro_rules! files {
    ($($name:ident = $path:literal;)*) => {
        $(pub const $name: (&str, &[u8]) =
            (stringify!($name), include_bytes!(concat!("../../../", $path)));)*
    };
}

files! {
    CHIME = "sounds/chime.wav";
    COIN = "sounds/coin.wav";
    DRONE = "sounds/drone_loop.wav";
    EXPLOSION = "sounds/explosion.wav";
    RAIN = "sounds/rain_loop.wav";
    STEP_1 = "sounds/footstep_1.wav";
    STEP_2 = "sounds/footstep_2.wav";
    STEP_3 = "sounds/footstep_3.wav";
    THUD = "sounds/thud.wav";
    TICK = "sounds/sparkle_tick.wav";
    ZAP = "sounds/zap.wav";
    LOOP_POINTS = "tests/formats/loop.wav";
    MONO_8 = "tests/wav/mono8.wav";
    STEREO_24 = "tests/wav/stereo24.wav";
    FLOATS = "tests/wav/stereo_float.wav";
}

#[cfg(feature = "formats")]
files! {
    FLAC_22_MONO_8 = "tests/formats/flac_22_mono_8.flac";
    FLAC_44_STEREO_16 = "tests/formats/flac_44_stereo_16.flac";
    FLAC_48_STEREO_24 = "tests/formats/flac_48_stereo_24.flac";
    FLAC_LOOP_POINTS = "tests/formats/loop.flac";
}

#[cfg(feature = "formats")]
files! {
    LONG_FLAC = "tests/formats/long.flac";
}

/// A sound at the mixer's rate, as a game loads it.
pub fn load(mixer: &Mixer, (name, bytes): (&str, &[u8])) -> Sound {
    mixer.load_bytes(name, bytes).expect("a good file")
}

/// A sound at its own rate, which the mixer then has to read between the samples of.
pub fn as_it_is((name, bytes): (&str, &[u8])) -> Sound {
    Sound::from_bytes(bytes).expect("a good file").named(name)
}

/// A saw tooth, in stereo and in floats: exact sums, and every overtone there is. At a rate that fits none of the
/// mixers'.
pub fn saw() -> Sound {
    let frames: Vec<_> = (0..20_000u32)
        .map(|at| [(at % 173) as f32 / 173.0 - 0.5, 0.5 - (at % 211) as f32 / 211.0])
        .collect();
    Sound::from_stereo(31_250, &frames).expect("a good sound").named("SAW")
}

/// The plays of late, of which some may have ended.
#[derive(Default)]
pub struct Recent(VecDeque<VoiceId>);

impl Recent {
    pub fn add(&mut self, voice: Option<VoiceId>) {
        self.0.extend(voice);
        if self.0.len() > 24 {
            self.0.pop_front();
        }
    }

    /// One of them, if there are any yet.
    pub fn pick(&self, dice: &mut Dice) -> Option<VoiceId> {
        self.0.get(dice.below(self.0.len().max(1) as u64) as usize).copied()
    }

    pub fn all(&self) -> impl Iterator<Item = VoiceId> + '_ {
        self.0.iter().copied()
    }
}
