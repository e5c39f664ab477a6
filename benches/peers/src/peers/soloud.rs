//! SoLoud, through its C interface and its null driver.

use std::sync::Arc;

use soloud_sys::soloud::*;

use crate::scene::{BLOCK, Contender, Driver, Frame, RATE, Scene, Voice};

struct SoLoud {
    engine: *mut Soloud,
    wavs: Vec<*mut Wav>,
}

impl Driver for SoLoud {
    fn play(&mut self, voice: Voice) {
        let wav = self.wavs[voice.clip % self.wavs.len()];
        // SAFETY: engine and wave live until `drop`; a handle may be stale.
        unsafe {
            let play = Soloud_playEx(self.engine, wav.cast(), voice.gain, voice.pan, 0, 0);
            if voice.looping {
                Soloud_setLooping(self.engine, play, 1);
            }
            if voice.pitch != 1.0 {
                Soloud_setRelativePlaySpeed(self.engine, play, voice.pitch);
            }
        }
    }

    fn render(&mut self, out: &mut [Frame]) {
        // SAFETY: the engine lives, and writes as many stereo frames as it is told.
        unsafe { Soloud_mix(self.engine, out.as_flattened_mut().as_mut_ptr(), out.len() as u32) }
    }
}

impl Drop for SoLoud {
    fn drop(&mut self) {
        // SAFETY: made by `make`, and dropped once: first what plays, then what it plays from.
        unsafe {
            Soloud_stopAll(self.engine);
            self.wavs.iter().for_each(|&wav| Wav_destroy(wav));
            Soloud_deinit(self.engine);
            Soloud_destroy(self.engine);
        }
    }
}

fn make(scene: &Scene) -> Box<dyn Driver> {
    // SAFETY: it copies the samples; the flags and the driver are its own constants.
    unsafe {
        let engine = Soloud_create();
        let clip = SOLOUD_ENUMS_SOLOUD_CLIP_ROUNDOFF;
        let driver = SOLOUD_ENUMS_SOLOUD_NULLDRIVER;
        let error = Soloud_initEx(engine, clip, driver, RATE, BLOCK as u32, 2);
        assert_eq!(error, 0, "Soloud_initEx");
        Soloud_setMaxActiveVoiceCount(engine, scene.voices.min(MOST_VOICES) as u32);
        let wav = |clip: &Arc<[f32]>| {
            let wav = Wav_create();
            let samples = clip.as_ptr().cast_mut();
            let error = Wav_loadRawWaveEx(wav, samples, clip.len() as u32, RATE as f32, 1, 1, 0);
            assert_eq!(error, 0, "Wav_loadRawWaveEx");
            wav
        };
        Box::new(SoLoud { engine, wavs: scene.clips.0.iter().map(wav).collect() })
    }
}

/// The most it mixes at once; up to 1024 play, and the loudest are heard.
const MOST_VOICES: usize = 255;

pub const SOLOUD: Contender = Contender {
    name: "SoLoud 20200207",
    reads: "linear",
    when_full: "ends the oldest of 1024",
    most_voices: MOST_VOICES,
    full_at: |_| 1024,
    make,
};
