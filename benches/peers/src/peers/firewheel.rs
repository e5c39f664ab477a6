//! Firewheel: a graph of samplers, each with a volume and pan behind it, used in turn.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use audioadapter_buffers::direct::InterleavedSlice;
use firewheel::backend::BackendProcessInfo;
use firewheel::channel_config::NonZeroChannelCount;
use firewheel::collector::ArcGc;
use firewheel::diff::{Diff, PathBuilder};
use firewheel::node::{NodeID, StreamStatus};
use firewheel::nodes::sampler::{RepeatMode, SamplerConfig, SamplerNode};
use firewheel::nodes::volume_pan::VolumePanNode;
use firewheel::processor::FirewheelProcessor;
use firewheel::sample_resource::SampleResource;
use firewheel::{ActivateInfo, FirewheelConfig, FirewheelContext, Volume};

use crate::scene::{BLOCK, Contender, Driver, Frame, RATE, Scene, Voice};

type Clip = ArcGc<dyn SampleResource + Send + Sync + 'static>;

struct Worker {
    sampler: SamplerNode,
    sampler_id: NodeID,
    volume: VolumePanNode,
    volume_id: NodeID,
}

struct Firewheel {
    context: FirewheelContext,
    processor: FirewheelProcessor,
    clips: Vec<Clip>,
    workers: Vec<Worker>,
    next: usize,
    clock: u64,
}

impl Driver for Firewheel {
    fn play(&mut self, voice: Voice) {
        let at = self.next;
        self.next = (at + 1) % self.workers.len();
        let worker = &mut self.workers[at];
        let (old_sampler, old_volume) = (worker.sampler, worker.volume);
        worker.sampler.repeat_mode =
            if voice.looping { RepeatMode::RepeatEndlessly } else { RepeatMode::PlayOnce };
        worker.sampler.speed = f64::from(voice.pitch);
        worker.sampler.start_or_restart();
        // Its linear is that of a slider: the square is the gain.
        worker.volume.volume = Volume::Linear(voice.gain.sqrt());
        worker.volume.pan = voice.pan;
        let clip = self.clips[voice.clip % self.clips.len()].clone();
        let Worker { sampler, sampler_id, volume, volume_id } = worker;
        self.context.queue_event_for(*sampler_id, SamplerNode::set_dyn_sample_event(clip));
        let path = PathBuilder::default;
        sampler.diff(&old_sampler, path(), &mut self.context.event_queue(*sampler_id));
        volume.diff(&old_volume, path(), &mut self.context.event_queue(*volume_id));
    }

    fn tick(&mut self) {
        self.context.update().expect("a graph that does not change");
    }

    fn render(&mut self, out: &mut [Frame]) {
        let frames = out.len();
        let nanos = self.clock * 1_000_000_000 / u64::from(RATE);
        self.clock += frames as u64;
        let info = BackendProcessInfo {
            frames,
            process_timestamp: None,
            duration_since_stream_start: Duration::from_nanos(nanos),
            input_stream_status: StreamStatus::empty(),
            output_stream_status: StreamStatus::empty(),
            dropped_frames: 0,
            process_to_playback_delay: None,
        };
        let input = InterleavedSlice::new(&[0f32; 0][..], 0, frames).expect("no channels");
        let mut output =
            InterleavedSlice::new_mut(out.as_flattened_mut(), 2, frames).expect("two channels");
        self.processor.process(&input, &mut output, info);
    }
}

fn make(scene: &Scene) -> Box<dyn Driver> {
    let nodes = 2 * scene.voices as u32 + 8;
    let mut context = FirewheelContext::new(FirewheelConfig {
        initial_node_capacity: nodes,
        initial_edge_capacity: 2 * nodes,
        immediate_event_capacity: 65_536,
        event_queue_capacity: 1024,
        initial_event_group_capacity: 8192,
        channel_capacity: 1024,
        ..Default::default()
    });
    let output = context.graph_out_node_id();
    let stereo = SamplerConfig { channels: NonZeroChannelCount::STEREO, ..Default::default() };
    let mut worker = || {
        let (sampler, volume) = (SamplerNode::default(), VolumePanNode::default());
        let sampler_id = context.add_node(sampler, Some(stereo)).expect("a sampler");
        let volume_id = context.add_node(volume, None).expect("a volume");
        let both = [(0, 0), (1, 1)];
        context.connect(sampler_id, volume_id, &both, false).expect("two stereo nodes");
        context.connect(volume_id, output, &both, false).expect("two stereo nodes");
        Worker { sampler, sampler_id, volume, volume_id }
    };
    let workers = (0..scene.voices).map(|_| worker()).collect();
    let processor = context.activate(ActivateInfo {
        sample_rate: NonZeroU32::new(RATE).expect("a rate above 0"),
        max_block_frames: NonZeroU32::new(BLOCK as u32).expect("a block above 0"),
        num_stream_in_channels: 0,
        num_stream_out_channels: 2,
        input_to_output_latency_seconds: 0.0,
    });
    let clip = |clip: &Arc<[f32]>| {
        let channels = vec![clip.to_vec()];
        ArcGc::new_unsized(|| Arc::new(channels) as Arc<dyn SampleResource + Send + Sync>)
    };
    let clips = scene.clips.0.iter().map(clip).collect();
    let processor = processor.expect("a context that was not active");
    let mut made = Firewheel { context, processor, clips, workers, next: 0, clock: 0 };
    made.tick();
    Box::new(made)
}

pub const FIREWHEEL: Contender = Contender {
    name: "Firewheel 0.14.0",
    reads: "linear",
    when_full: "the driver restarts the oldest sampler, which crossfades",
    most_voices: usize::MAX,
    full_at: |voices| voices,
    make,
};
