//! SoLoud, through its C interface and its null driver.
//!
//! Its buses have neither sends nor ducks: the room is a filter on the bus that those buses lead to, part dry and
//! part wet, and its driver turns the music down as a game would. What it has for a limiter bends loud samples, and is
//! on in every scene.

use std::sync::Arc;

use soloud_sys::soloud::*;

use crate::scene::{BLOCK, Contender, Driver, Frame, GameBus, RATE, Scene, Voice};
use crate::space::{FAR, Moment, NEAR};

struct SoLoud {
    engine: *mut Soloud,
    wavs: Vec<*mut Wav>,
    game: Option<Game>,
    /// In space, the voices in the order of their plays.
    space: Option<Vec<u32>>,
}

/// The buses of a game's mix, in their order, each as it is and as it plays, and their filters.
struct Game {
    buses: Vec<(*mut Bus, u32)>,
    filters: Vec<*mut BiquadResonantFilter>,
    room: *mut FreeverbFilter,
    ducked: bool,
}

impl Game {
    /// # Safety
    ///
    /// The engine must outlive it, and be silent before its filters go.
    unsafe fn new(engine: *mut Soloud) -> Game {
        // SAFETY: the buses and filters live until `drop`, and the numbers are within its limits.
        unsafe {
            let room = FreeverbFilter_create();
            FreeverbFilter_setParams(room, 0.0, 0.5, 0.5, 1.0);
            let mut game = Game { buses: Vec::new(), filters: Vec::new(), room, ducked: false };
            for one in GameBus::ALL {
                let bus = Bus_create();
                if let Some(hz) = one.low_pass() {
                    let filter = BiquadResonantFilter_create();
                    // The quality of a Butterworth filter.
                    BiquadResonantFilter_setParams(filter, 0, hz, 0.707_106_77);
                    Bus_setFilter(bus, 0, filter.cast());
                    game.filters.push(filter);
                }
                if one == GameBus::World {
                    Bus_setFilter(bus, 0, room.cast());
                }
                let playing = if one.is_in_world() {
                    let (world, _) = game.buses[GameBus::World as usize];
                    Bus_playEx(world, bus.cast(), one.gain(), 0.0, 0)
                } else {
                    Soloud_playEx(engine, bus.cast(), one.gain(), 0.0, 0, 0)
                };
                // Or else it would be resampled from 44.1 kHz.
                Soloud_setSamplerate(engine, playing, RATE as f32);
                if one == GameBus::World {
                    Soloud_setFilterParameter(engine, playing, 0, 0, GameBus::SEND);
                }
                game.buses.push((bus, playing));
            }
            game
        }
    }
}

impl Drop for Game {
    fn drop(&mut self) {
        // SAFETY: made by `new`, silent by now, and dropped once.
        unsafe {
            self.buses.iter().rev().for_each(|(bus, _)| Bus_destroy(*bus));
            self.filters.iter().for_each(|filter| BiquadResonantFilter_destroy(*filter));
            FreeverbFilter_destroy(self.room);
        }
    }
}

impl Driver for SoLoud {
    fn play(&mut self, voice: Voice) {
        let wav = self.wavs[voice.clip % self.wavs.len()];
        // SAFETY: engine and wave live until `drop`; a handle may be stale.
        unsafe {
            let play = match (&mut self.game, &mut self.space) {
                (None, None) => Soloud_playEx(self.engine, wav.cast(), voice.gain, voice.pan, 0, 0),
                (None, Some(voices)) => {
                    let play = play_in_space(self.engine, wav, voice);
                    voices.push(play);
                    play
                }
                (Some(game), _) => {
                    if voice.bus == GameBus::Speech && !game.ducked {
                        game.ducked = true;
                        let (_, music) = game.buses[GameBus::Music as usize];
                        let down = GameBus::Music.gain() * GameBus::DUCK;
                        let time = GameBus::DUCK_ATTACK_MS as f64 / 1000.0;
                        Soloud_fadeVolume(self.engine, music, down, time);
                    }
                    let (bus, _) = game.buses[voice.bus as usize];
                    Bus_playEx(bus, wav.cast(), voice.gain, voice.pan, 0)
                }
            };
            if voice.looping {
                Soloud_setLooping(self.engine, play, 1);
            }
            if voice.pitch != 1.0 {
                Soloud_setRelativePlaySpeed(self.engine, play, voice.pitch);
            }
        }
    }

    fn walk(&mut self, now: &Moment) {
        let [x, y, z] = now.ear.at;
        // SAFETY: the engine lives until `drop`; a handle may be stale.
        unsafe {
            Soloud_set3dListenerPosition(self.engine, x, y, z);
            for (voice, place) in self.space.iter().flatten().zip(&now.voices) {
                let [x, y, z] = place.at;
                Soloud_set3dSourcePosition(self.engine, *voice, x, y, z);
            }
            Soloud_update3dAudio(self.engine);
        }
    }

    fn render(&mut self, out: &mut [Frame]) {
        // SAFETY: the engine lives, and writes as many stereo frames as it is told.
        unsafe { Soloud_mix(self.engine, out.as_flattened_mut().as_mut_ptr(), out.len() as u32) }
    }
}

/// # Safety
///
/// Engine and wave must live.
unsafe fn play_in_space(engine: *mut Soloud, wav: *mut Wav, voice: Voice) -> u32 {
    const INVERSE: u32 = 1;
    let [x, y, z] = voice.at;
    // SAFETY: both live; the rest are numbers within its limits.
    unsafe {
        let play = Soloud_play3dEx(engine, wav.cast(), x, y, z, 0.0, 0.0, 0.0, voice.gain, 0, 0);
        Soloud_set3dSourceMinMaxDistance(engine, play, NEAR, FAR);
        Soloud_set3dSourceAttenuation(engine, play, INVERSE, 1.0);
        Soloud_set3dSourceDopplerFactor(engine, play, 0.0);
        play
    }
}

impl Drop for SoLoud {
    fn drop(&mut self) {
        // SAFETY: made by `make`, and dropped once: first what plays, then what it plays from.
        unsafe {
            Soloud_stopAll(self.engine);
            self.game = None;
            self.wavs.iter().for_each(|&wav| Wav_destroy(wav));
            Soloud_deinit(self.engine);
            Soloud_destroy(self.engine);
        }
    }
}

fn make(scene: &Scene) -> Box<dyn Driver> {
    Box::new(soloud(scene))
}

fn game(scene: &Scene) -> Box<dyn Driver> {
    // Its buses count as voices.
    let mut soloud = soloud(&Scene { voices: scene.voices + GameBus::ALL.len(), ..*scene });
    // SAFETY: `drop` silences it first, then drops the buses, then the engine.
    soloud.game = Some(unsafe { Game::new(soloud.engine) });
    Box::new(soloud)
}

fn space(scene: &Scene) -> Box<dyn Driver> {
    let mut soloud = soloud(scene);
    // SAFETY: the engine was just made; it looks along -z, with y above.
    unsafe {
        Soloud_set3dListenerAt(soloud.engine, 0.0, 0.0, -1.0);
        Soloud_set3dListenerUp(soloud.engine, 0.0, 1.0, 0.0);
    }
    soloud.space = Some(Vec::with_capacity(scene.voices));
    Box::new(soloud)
}

fn soloud(scene: &Scene) -> SoLoud {
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
        SoLoud { engine, wavs: scene.clips.0.iter().map(wav).collect(), game: None, space: None }
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

/// With the buses of a game's mix.
pub const GAME: Contender = Contender { make: game, ..SOLOUD };

/// With places.
pub const SPACE: Contender = Contender { make: space, ..SOLOUD };
