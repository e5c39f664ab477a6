//! Firewheel: a graph of samplers, each with a volume and pan behind it, used in turn.
//!
//! It has no ducks, so its driver turns the music down as a game would; and it has no limiter.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use audioadapter_buffers::direct::InterleavedSlice;
use firewheel::backend::BackendProcessInfo;
use firewheel::channel_config::NonZeroChannelCount;
use firewheel::collector::ArcGc;
use firewheel::core::dsp::distance_attenuation::{DistanceAttenuation, DistanceModel};
use firewheel::diff::{Diff, PathBuilder};
use firewheel::node::{NodeID, StreamStatus};
use firewheel::nodes::freeverb::FreeverbNode;
use firewheel::nodes::sampler::{RepeatMode, SamplerConfig, SamplerNode};
use firewheel::nodes::spatial_basic::SpatialBasicNode;
use firewheel::nodes::svf::SvfStereoNode;
use firewheel::nodes::volume::VolumeNode;
use firewheel::nodes::volume_pan::VolumePanNode;
use firewheel::processor::FirewheelProcessor;
use firewheel::sample_resource::SampleResource;
use firewheel::{ActivateInfo, FirewheelConfig, FirewheelContext, Volume};

use crate::scene::{BLOCK, Contender, Driver, Frame, GameBus, RATE, Scene, Voice};
use crate::space::{FAR, Moment, NEAR};

type Clip = ArcGc<dyn SampleResource + Send + Sync + 'static>;

struct Worker {
    sampler: SamplerNode,
    sampler_id: NodeID,
    volume: VolumePanNode,
    volume_id: NodeID,
    /// What it is connected to.
    to: NodeID,
}

/// Both sides of a stereo node to those of another.
const BOTH: [(u32, u32); 2] = [(0, 0), (1, 1)];

/// The buses of a game's mix, in their order: what voices are connected to.
struct Game {
    buses: Vec<NodeID>,
    music: VolumeNode,
    music_id: NodeID,
}

impl Game {
    fn new(context: &mut FirewheelContext) -> Game {
        let output = context.graph_out_node_id();
        let connect = |from, to, context: &mut FirewheelContext| {
            context.connect(from, to, &BOTH, false).expect("two stereo nodes");
        };
        let room = context.add_node(FreeverbNode::default(), None).expect("a reverb");
        connect(room, output, context);
        let send = context.add_node(volume(GameBus::SEND), None).expect("a volume");
        connect(send, room, context);
        let music = volume(GameBus::Music.gain());
        let mut volumes = Vec::new();
        let mut buses: Vec<NodeID> = Vec::new();
        for bus in GameBus::ALL {
            let volume = context.add_node(volume(bus.gain()), None).expect("a volume");
            let first = bus.low_pass().map_or(volume, |hz| {
                let filter = SvfStereoNode::from_lowpass(hz, std::f32::consts::FRAC_1_SQRT_2);
                let filter = context.add_node(filter, None).expect("a filter");
                connect(filter, volume, context);
                filter
            });
            if bus.is_in_world() {
                connect(volume, send, context);
                connect(volume, buses[GameBus::World as usize], context);
            } else {
                connect(volume, output, context);
            }
            buses.push(first);
            volumes.push(volume);
        }
        Game { buses, music, music_id: volumes[GameBus::Music as usize] }
    }

    fn duck(&mut self, context: &mut FirewheelContext) {
        let old = self.music;
        self.music = volume(GameBus::Music.gain() * GameBus::DUCK);
        self.music.diff(&old, PathBuilder::default(), &mut context.event_queue(self.music_id));
    }
}

/// Its linear is that of a slider: the square is the gain.
fn volume(gain: f32) -> VolumeNode {
    VolumeNode { volume: Volume::Linear(gain.sqrt()), ..Default::default() }
}

struct Firewheel {
    /// Before the context, which otherwise waits for seconds until it is gone.
    processor: FirewheelProcessor,
    context: FirewheelContext,
    clips: Vec<Clip>,
    workers: Vec<Worker>,
    next: usize,
    clock: u64,
    game: Option<Game>,
}

impl Driver for Firewheel {
    fn play(&mut self, voice: Voice) {
        let at = self.next;
        self.next = (at + 1) % self.workers.len();
        let worker = &mut self.workers[at];
        if let Some(game) = &mut self.game {
            let to = game.buses[voice.bus as usize];
            if worker.to != to {
                self.context.disconnect(worker.volume_id, worker.to, &BOTH);
                let connected = self.context.connect(worker.volume_id, to, &BOTH, false);
                connected.expect("two stereo nodes");
                worker.to = to;
            }
            if voice.bus == GameBus::Speech {
                game.duck(&mut self.context);
            }
        }
        let (old_sampler, old_volume) = (worker.sampler, worker.volume);
        worker.sampler.repeat_mode =
            if voice.looping { RepeatMode::RepeatEndlessly } else { RepeatMode::PlayOnce };
        worker.sampler.speed = f64::from(voice.pitch);
        worker.sampler.start_or_restart();
        worker.volume.volume = volume(voice.gain).volume;
        worker.volume.pan = voice.pan;
        let clip = self.clips[voice.clip % self.clips.len()].clone();
        let Worker { sampler, sampler_id, volume, volume_id, .. } = worker;
        self.context.queue_event_for(*sampler_id, SamplerNode::set_dyn_sample_event(clip));
        let path = PathBuilder::default;
        sampler.diff(&old_sampler, path(), &mut self.context.event_queue(*sampler_id));
        volume.diff(&old_volume, path(), &mut self.context.event_queue(*volume_id));
    }

    fn tick(&mut self) {
        self.context.update().expect("a graph without circles");
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

/// A sampler of one channel, with a place behind it instead of a volume and a pan.
struct Spot {
    sampler: SamplerNode,
    sampler_id: NodeID,
    place: SpatialBasicNode,
    place_id: NodeID,
}

/// Loops with places, in the order of their plays. It has no listener: its places are what lies between.
struct InSpace {
    firewheel: Firewheel,
    spots: Vec<Spot>,
    plays: usize,
}

impl Driver for InSpace {
    fn play(&mut self, voice: Voice) {
        let Firewheel { context, clips, .. } = &mut self.firewheel;
        let Spot { sampler, sampler_id, place, place_id } = &mut self.spots[self.plays];
        self.plays += 1;
        let (old_sampler, old_place) = (*sampler, *place);
        sampler.repeat_mode = RepeatMode::RepeatEndlessly;
        sampler.speed = f64::from(voice.pitch);
        sampler.start_or_restart();
        place.volume = volume(voice.gain).volume;
        place.offset = voice.at.into();
        let clip = clips[voice.clip % clips.len()].clone();
        context.queue_event_for(*sampler_id, SamplerNode::set_dyn_sample_event(clip));
        let path = PathBuilder::default;
        sampler.diff(&old_sampler, path(), &mut context.event_queue(*sampler_id));
        place.diff(&old_place, path(), &mut context.event_queue(*place_id));
    }

    fn tick(&mut self) {
        self.firewheel.tick();
    }

    fn walk(&mut self, now: &Moment) {
        let context = &mut self.firewheel.context;
        for (spot, voice) in self.spots.iter_mut().zip(&now.voices) {
            let old = spot.place;
            spot.place.offset = voice.from(&now.ear).at.into();
            spot.place.diff(&old, PathBuilder::default(), &mut context.event_queue(spot.place_id));
        }
    }

    fn render(&mut self, out: &mut [Frame]) {
        self.firewheel.render(out);
    }
}

/// Falling off as in the open air, all of the side, and without the low-pass of afar, which would cost it more.
fn place() -> SpatialBasicNode {
    let distance_attenuation = DistanceAttenuation {
        distance_model: DistanceModel::Inverse,
        distance_gain_factor: 1.0,
        reference_distance: NEAR,
        max_distance: FAR,
        distance_muffle_factor: 0.0,
        ..DistanceAttenuation::default()
    };
    SpatialBasicNode { panning_threshold: 1.0, distance_attenuation, ..SpatialBasicNode::default() }
}

fn space(scene: &Scene) -> Box<dyn Driver> {
    let mut context = context(scene);
    let output = context.graph_out_node_id();
    let mono = SamplerConfig { channels: NonZeroChannelCount::MONO, ..Default::default() };
    let mut spot = || {
        let (sampler, place) = (SamplerNode::default(), place());
        let sampler_id = context.add_node(sampler, Some(mono)).expect("a sampler");
        let place_id = context.add_node(place, None).expect("a place");
        context.connect(sampler_id, place_id, &[(0, 0)], false).expect("one channel");
        context.connect(place_id, output, &BOTH, false).expect("two stereo nodes");
        Spot { sampler, sampler_id, place, place_id }
    };
    let spots = (0..scene.voices).map(|_| spot()).collect();
    Box::new(InSpace { firewheel: activate(context, scene, Vec::new(), None), spots, plays: 0 })
}

fn make(scene: &Scene) -> Box<dyn Driver> {
    Box::new(firewheel(scene, |_| None))
}

fn game(scene: &Scene) -> Box<dyn Driver> {
    Box::new(firewheel(scene, |context| Some(Game::new(context))))
}

fn context(scene: &Scene) -> FirewheelContext {
    let nodes = 2 * scene.voices as u32 + 20;
    FirewheelContext::new(FirewheelConfig {
        initial_node_capacity: nodes,
        initial_edge_capacity: 2 * nodes,
        immediate_event_capacity: 65_536,
        event_queue_capacity: 1024,
        initial_event_group_capacity: 8192,
        channel_capacity: 1024,
        ..Default::default()
    })
}

fn firewheel(scene: &Scene, game: fn(&mut FirewheelContext) -> Option<Game>) -> Firewheel {
    let mut context = context(scene);
    let output = context.graph_out_node_id();
    let stereo = SamplerConfig { channels: NonZeroChannelCount::STEREO, ..Default::default() };
    let mut worker = || {
        let (sampler, volume) = (SamplerNode::default(), VolumePanNode::default());
        let sampler_id = context.add_node(sampler, Some(stereo)).expect("a sampler");
        let volume_id = context.add_node(volume, None).expect("a volume");
        context.connect(sampler_id, volume_id, &BOTH, false).expect("two stereo nodes");
        context.connect(volume_id, output, &BOTH, false).expect("two stereo nodes");
        Worker { sampler, sampler_id, volume, volume_id, to: output }
    };
    let workers = (0..scene.voices).map(|_| worker()).collect();
    let game = game(&mut context);
    activate(context, scene, workers, game)
}

fn activate(
    mut context: FirewheelContext,
    scene: &Scene,
    workers: Vec<Worker>,
    game: Option<Game>,
) -> Firewheel {
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
    let mut made = Firewheel { context, processor, clips, workers, next: 0, clock: 0, game };
    made.tick();
    made
}

pub const FIREWHEEL: Contender = Contender {
    name: "Firewheel 0.14.0",
    reads: "linear",
    when_full: "the driver restarts the oldest sampler, which crossfades",
    most_voices: usize::MAX,
    full_at: |voices| voices,
    make,
};

/// With the buses of a game's mix.
pub const GAME: Contender = Contender { make: game, ..FIREWHEEL };

/// With places.
pub const SPACE: Contender = Contender { make: space, ..FIREWHEEL };
