//! fyrox-sound: an engine without a device. It runs at 44.1 kHz for ever, so its clips are said to
//! be of that rate.

use fyrox_core::algebra::Vector3;
use fyrox_core::pool::Handle;
use fyrox_sound::buffer::{DataSource, SoundBufferResource, SoundBufferResourceExtension};
use fyrox_sound::context::{SAMPLE_RATE, SoundContext};
use fyrox_sound::engine::SoundEngine;
use fyrox_sound::source::{SoundSource, SoundSourceBuilder, Status};

use crate::scene::{Contender, Driver, Frame, Oldest, Scene, Voice};
use crate::space::{FAR, Moment, NEAR};

struct Fyrox {
    engine: SoundEngine,
    context: SoundContext,
    clips: Vec<SoundBufferResource>,
    oldest: Oldest<Handle<SoundSource>>,
    /// It mixes pairs, not arrays.
    block: Vec<(f32, f32)>,
    /// In space, the voices in the order of their plays.
    space: Option<Vec<Handle<SoundSource>>>,
}

impl Driver for Fyrox {
    fn play(&mut self, voice: Voice) {
        let source = SoundSourceBuilder::new()
            .with_buffer(self.clips[voice.clip % self.clips.len()].clone())
            .with_gain(voice.gain)
            .with_panning(voice.pan)
            .with_looping(voice.looping)
            .with_play_once(!voice.looping)
            .with_pitch(f64::from(voice.pitch))
            .with_spatial_blend_factor(if self.space.is_some() { 1.0 } else { 0.0 })
            .with_position(Vector3::from(voice.at))
            .with_radius(NEAR)
            .with_max_distance(FAR)
            .with_status(Status::Playing)
            .build()
            .expect("a clip of samples");
        let mut state = self.context.state();
        let play = state.add_source(source);
        if let Some(voices) = &mut self.space {
            voices.push(play);
        }
        if let Some(oldest) = self.oldest.replace(play)
            && state.is_valid_handle(oldest)
        {
            state.remove_source(oldest);
        }
    }

    fn walk(&mut self, now: &Moment) {
        let mut state = self.context.state();
        state.listener_mut().set_position(Vector3::from(now.ear.at));
        for (voice, place) in self.space.iter().flatten().zip(&now.voices) {
            state.source_mut(*voice).set_position(Vector3::from(place.at));
        }
    }

    fn render(&mut self, out: &mut [Frame]) {
        self.engine.state().render(&mut self.block[..out.len()]);
        for (frame, &(left, right)) in out.iter_mut().zip(&self.block) {
            *frame = [left, right];
        }
    }
}

fn make(scene: &Scene) -> Box<dyn Driver> {
    Box::new(fyrox(scene))
}

/// Its contexts fall off inversely with distance unless told otherwise.
fn space(scene: &Scene) -> Box<dyn Driver> {
    Box::new(Fyrox { space: Some(Vec::with_capacity(scene.voices)), ..fyrox(scene) })
}

fn fyrox(scene: &Scene) -> Fyrox {
    let engine = SoundEngine::without_device();
    let context = SoundContext::new();
    engine.state().add_context(context.clone());
    let buffer = |clip: &[f32]| {
        let samples = clip.to_vec();
        let sample_rate = SAMPLE_RATE as usize;
        SoundBufferResource::new_generic(DataSource::Raw { sample_rate, channel_count: 1, samples })
            .expect("mono samples")
    };
    let clips = scene.clips.0.iter().map(|clip| buffer(clip)).collect();
    let block = vec![(0.0, 0.0); crate::scene::BLOCK];
    let oldest = Oldest::new(scene.voices);
    Fyrox { engine, context, clips, oldest, block, space: None }
}

pub const FYROX: Contender = Contender {
    name: "fyrox-sound 1.0.1",
    reads: "linear",
    when_full: "no limit; the driver removes the oldest",
    most_voices: usize::MAX,
    full_at: |voices| voices,
    make,
};

/// With places.
pub const SPACE: Contender = Contender { make: space, ..FYROX };
