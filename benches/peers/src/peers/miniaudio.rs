//! miniaudio: its engine without a device. Sounds are places of the driver's own, used in turn.

use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::Arc;

use maudio_sys::ffi::*;

use crate::scene::{BLOCK, Contender, Driver, Frame, RATE, Scene, Voice};

/// A sound and the clip it reads, at addresses that miniaudio keeps.
struct Place {
    sound: Box<MaybeUninit<ma_sound>>,
    clip: Box<MaybeUninit<ma_audio_buffer_ref>>,
    used: bool,
}

impl Place {
    fn clear(&mut self) {
        if self.used {
            self.used = false;
            // SAFETY: both were made by `play`, and the engine still lives.
            unsafe {
                ma_sound_uninit(self.sound.as_mut_ptr());
                ma_audio_buffer_ref_uninit(self.clip.as_mut_ptr());
            }
        }
    }
}

struct Miniaudio {
    engine: Box<MaybeUninit<ma_engine>>,
    clips: Vec<Arc<[f32]>>,
    places: Vec<Place>,
    next: usize,
}

impl Driver for Miniaudio {
    fn play(&mut self, voice: Voice) {
        let samples = &self.clips[voice.clip % self.clips.len()];
        let at = self.next;
        self.next = (at + 1) % self.places.len();
        let place = &mut self.places[at];
        place.clear();
        let (sound, clip) = (place.sound.as_mut_ptr(), place.clip.as_mut_ptr());
        let mut flags = ma_sound_flags_MA_SOUND_FLAG_NO_SPATIALIZATION;
        if voice.pitch == 1.0 {
            flags |= ma_sound_flags_MA_SOUND_FLAG_NO_PITCH;
        }
        // SAFETY: the place is free and stays where it is; clips and engine outlive it.
        unsafe {
            let frames = samples.len() as u64;
            let float = ma_format_ma_format_f32;
            ma_audio_buffer_ref_init(float, 1, samples.as_ptr().cast(), frames, clip);
            (*clip).sampleRate = RATE;
            let engine = self.engine.as_mut_ptr();
            let error =
                ma_sound_init_from_data_source(engine, clip.cast(), flags, null_mut(), sound);
            assert_eq!(error, 0, "ma_sound_init_from_data_source");
            ma_sound_set_volume(sound, voice.gain);
            ma_sound_set_pan(sound, voice.pan);
            if voice.pitch != 1.0 {
                ma_sound_set_pitch(sound, voice.pitch);
            }
            if voice.looping {
                ma_sound_set_looping(sound, 1);
            }
            ma_sound_start(sound);
        }
        place.used = true;
    }

    fn render(&mut self, out: &mut [Frame]) {
        let frames = out.len() as u64;
        let out = out.as_flattened_mut().as_mut_ptr().cast();
        // SAFETY: the engine lives, and writes as many stereo frames as it is told.
        unsafe {
            ma_engine_read_pcm_frames(self.engine.as_mut_ptr(), out, frames, null_mut());
        }
    }
}

impl Drop for Miniaudio {
    fn drop(&mut self) {
        self.places.iter_mut().for_each(Place::clear);
        // SAFETY: made by `make`, and nothing is attached to it any more.
        unsafe { ma_engine_uninit(self.engine.as_mut_ptr()) };
    }
}

fn make(scene: &Scene) -> Box<dyn Driver> {
    let mut engine = Box::new(MaybeUninit::zeroed());
    // SAFETY: a config as miniaudio makes it, and a place for the engine that does not move.
    unsafe {
        let mut config = ma_engine_config_init();
        config.noDevice = 1;
        config.channels = 2;
        config.sampleRate = RATE;
        config.periodSizeInFrames = BLOCK as u32;
        assert_eq!(ma_engine_init(&config, engine.as_mut_ptr()), 0, "ma_engine_init");
    }
    let place = || Place {
        sound: Box::new(MaybeUninit::zeroed()),
        clip: Box::new(MaybeUninit::zeroed()),
        used: false,
    };
    let places = (0..scene.voices).map(|_| place()).collect();
    Box::new(Miniaudio { engine, clips: scene.clips.0.clone(), places, next: 0 })
}

pub const MINIAUDIO: Contender = Contender {
    name: "miniaudio 0.11.23",
    reads: "linear",
    when_full: "no limit; the driver makes the oldest anew",
    most_voices: usize::MAX,
    full_at: |voices| voices,
    make,
};
