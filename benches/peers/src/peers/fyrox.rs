//! fyrox-sound: an engine without a device. It runs at 44.1 kHz for ever, so its clips are said to
//! be of that rate.

use fyrox_core::pool::Handle;
use fyrox_sound::buffer::{DataSource, SoundBufferResource, SoundBufferResourceExtension};
use fyrox_sound::context::{SAMPLE_RATE, SoundContext};
use fyrox_sound::engine::SoundEngine;
use fyrox_sound::source::{SoundSource, SoundSourceBuilder, Status};

use crate::scene::{Contender, Driver, Frame, Oldest, Scene, Voice};

struct Fyrox {
    engine: SoundEngine,
    context: SoundContext,
    clips: Vec<SoundBufferResource>,
    oldest: Oldest<Handle<SoundSource>>,
    /// It mixes pairs, not arrays.
    block: Vec<(f32, f32)>,
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
            .with_spatial_blend_factor(0.0)
            .with_status(Status::Playing)
            .build()
            .expect("a clip of samples");
        let mut state = self.context.state();
        let play = state.add_source(source);
        if let Some(oldest) = self.oldest.replace(play)
            && state.is_valid_handle(oldest)
        {
            state.remove_source(oldest);
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
    Box::new(Fyrox { engine, context, clips, oldest: Oldest::new(scene.voices), block })
}

pub const FYROX: Contender = Contender {
    name: "fyrox-sound 1.0.1",
    reads: "linear",
    when_full: "no limit; the driver removes the oldest",
    most_voices: usize::MAX,
    full_at: |voices| voices,
    make,
};
