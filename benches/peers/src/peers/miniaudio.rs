//! miniaudio: its engine without a device. Sounds are places of the driver's own, used in turn.
//!
//! Its graph has filters and sends, by way of a splitter, but no room: an echo stands in for it. It has no ducks, so
//! its driver turns the music down as a game would; and it has no limiter.

use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::Arc;

use maudio_sys::ffi::*;

use crate::scene::{BLOCK, Contender, Driver, Frame, GameBus, RATE, Scene, Voice};

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

/// A bus of a game's mix, at addresses that miniaudio keeps: its group, and what follows it where it has that.
struct GroupPlace {
    group: Box<MaybeUninit<ma_sound_group>>,
    filter: Option<Box<MaybeUninit<ma_lpf_node>>>,
    splitter: Option<Box<MaybeUninit<ma_splitter_node>>>,
}

/// The buses of a game's mix, in their order, and the echo that two of them send to.
struct Game {
    buses: Vec<GroupPlace>,
    echo: Box<MaybeUninit<ma_delay_node>>,
    ducked: bool,
}

impl Game {
    /// # Safety
    ///
    /// The engine must outlive it, and not move.
    unsafe fn new(engine: *mut ma_engine) -> Game {
        let mut echo = Box::new(MaybeUninit::zeroed());
        let mut buses: Vec<GroupPlace> = Vec::new();
        // SAFETY: configs as miniaudio makes them, and places for its nodes that do not move.
        unsafe {
            let graph = ma_engine_get_node_graph(engine);
            let end = ma_engine_get_endpoint(engine);
            let mut config = ma_delay_node_config_init(2, RATE, RATE / 20, 0.6);
            // Only echoes are heard of it, not what is sent to it.
            config.delay.delayStart = 1;
            let error = ma_delay_node_init(graph, &config, null_mut(), echo.as_mut_ptr());
            assert_eq!(error, 0, "ma_delay_node_init");
            attach(echo.as_mut_ptr().cast(), 0, end);
            for one in GameBus::ALL {
                let mut group = Box::new(MaybeUninit::zeroed());
                let flags = ma_sound_flags_MA_SOUND_FLAG_NO_SPATIALIZATION
                    | ma_sound_flags_MA_SOUND_FLAG_NO_PITCH;
                let error = ma_sound_group_init(engine, flags, null_mut(), group.as_mut_ptr());
                assert_eq!(error, 0, "ma_sound_group_init");
                ma_sound_group_set_volume(group.as_mut_ptr(), one.gain());
                let mut last: *mut ma_node = group.as_mut_ptr().cast();
                let filter = one.low_pass().map(|hz| {
                    let mut filter = Box::new(MaybeUninit::zeroed());
                    let config = ma_lpf_node_config_init(2, RATE, f64::from(hz), 2);
                    let error = ma_lpf_node_init(graph, &config, null_mut(), filter.as_mut_ptr());
                    assert_eq!(error, 0, "ma_lpf_node_init");
                    attach(last, 0, filter.as_mut_ptr().cast());
                    last = filter.as_mut_ptr().cast();
                    filter
                });
                let splitter = one.is_in_world().then(|| {
                    let mut splitter = Box::new(MaybeUninit::zeroed());
                    let config = ma_splitter_node_config_init(2);
                    let error =
                        ma_splitter_node_init(graph, &config, null_mut(), splitter.as_mut_ptr());
                    assert_eq!(error, 0, "ma_splitter_node_init");
                    attach(last, 0, splitter.as_mut_ptr().cast());
                    last = splitter.as_mut_ptr().cast();
                    attach(last, 1, echo.as_mut_ptr().cast());
                    ma_node_set_output_bus_volume(last, 1, GameBus::SEND);
                    splitter
                });
                let parent = match buses.get_mut(GameBus::World as usize) {
                    Some(world) if one.is_in_world() => world.group.as_mut_ptr().cast(),
                    _ => end,
                };
                attach(last, 0, parent);
                buses.push(GroupPlace { group, filter, splitter });
            }
        }
        Game { buses, echo, ducked: false }
    }

    /// The group that a voice plays in, which turns the music down if it is speech.
    fn group(&mut self, bus: GameBus) -> *mut ma_sound_group {
        if bus == GameBus::Speech && !self.ducked {
            self.ducked = true;
            let music = self.buses[GameBus::Music as usize].group.as_mut_ptr();
            let time = GameBus::DUCK_ATTACK_MS;
            // SAFETY: the group lives.
            unsafe { ma_sound_group_set_fade_in_milliseconds(music, 1.0, GameBus::DUCK, time) };
        }
        self.buses[bus as usize].group.as_mut_ptr()
    }
}

impl Drop for Game {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and the engine still lives.
        unsafe {
            for bus in self.buses.iter_mut().rev() {
                ma_sound_group_uninit(bus.group.as_mut_ptr());
                if let Some(filter) = &mut bus.filter {
                    ma_lpf_node_uninit(filter.as_mut_ptr(), null_mut());
                }
                if let Some(splitter) = &mut bus.splitter {
                    ma_splitter_node_uninit(splitter.as_mut_ptr(), null_mut());
                }
            }
            ma_delay_node_uninit(self.echo.as_mut_ptr(), null_mut());
        }
    }
}

/// # Safety
///
/// Both must be nodes of one graph.
unsafe fn attach(node: *mut ma_node, output: u32, to: *mut ma_node) {
    // SAFETY: as above.
    let error = unsafe { ma_node_attach_output_bus(node, output, to, 0) };
    assert_eq!(error, 0, "ma_node_attach_output_bus");
}

struct Miniaudio {
    engine: Box<MaybeUninit<ma_engine>>,
    clips: Vec<Arc<[f32]>>,
    places: Vec<Place>,
    next: usize,
    game: Option<Game>,
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
        let group = self.game.as_mut().map_or(null_mut(), |game| game.group(voice.bus));
        // SAFETY: the place is free and stays where it is; clips and engine outlive it.
        unsafe {
            let frames = samples.len() as u64;
            let float = ma_format_ma_format_f32;
            ma_audio_buffer_ref_init(float, 1, samples.as_ptr().cast(), frames, clip);
            (*clip).sampleRate = RATE;
            let engine = self.engine.as_mut_ptr();
            let error = ma_sound_init_from_data_source(engine, clip.cast(), flags, group, sound);
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
        self.game = None;
        // SAFETY: made by `make`, and nothing is attached to it any more.
        unsafe { ma_engine_uninit(self.engine.as_mut_ptr()) };
    }
}

fn make(scene: &Scene) -> Box<dyn Driver> {
    Box::new(miniaudio(scene))
}

fn game(scene: &Scene) -> Box<dyn Driver> {
    let mut miniaudio = miniaudio(scene);
    // SAFETY: the engine has a place of its own, and `drop` drops it last.
    miniaudio.game = Some(unsafe { Game::new(miniaudio.engine.as_mut_ptr()) });
    Box::new(miniaudio)
}

fn miniaudio(scene: &Scene) -> Miniaudio {
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
    Miniaudio { engine, clips: scene.clips.0.clone(), places, next: 0, game: None }
}

pub const MINIAUDIO: Contender = Contender {
    name: "miniaudio 0.11.23",
    reads: "linear",
    when_full: "no limit; the driver makes the oldest anew",
    most_voices: usize::MAX,
    full_at: |voices| voices,
    make,
};

/// With the buses of a game's mix.
pub const GAME: Contender = Contender { make: game, ..MINIAUDIO };
