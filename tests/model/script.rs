//! What random scripts are made of: sounds, requests, controls.

use std::io::Cursor;
use std::time::Duration;

use proptest::collection::{SizeRange, vec};
use proptest::prelude::*;
use voicepool::{
    Attenuation, Config, Duck, Frame, Interpolation, Listener, Point, Priority, Reverb, Sound,
    WhenFull,
};

use super::common::{mono, noise, sine};
use super::dice::Plan;
use super::effects::Kind;
use super::naive::{Change, Request, Start};
use super::scenes;
use super::script_of_places;
use super::shaper::Shape;

/// A line of a script. Voices are named by how many plays ago they began.
#[derive(Clone, Debug)]
pub enum Op {
    Render(usize),
    Play(Request),
    Together(Vec<Request>),
    /// Plays, and lets others go for it, or nobody.
    Crossfade(Option<Whom>, Request, Duration),
    Voice(usize, Change),
    Bus(usize, Change),
    Parent(usize, usize),
    Duck(usize, usize, Option<Duck>),
    Effect(usize, Option<Kind>),
    Reverb(usize, Reverb, Duration),
    Tag(u64, Change),
    StopAll(Duration),
    Resize(usize),
    Listener(Listener, Jump),
    /// From here on these are the cues.
    Cues(Vec<Plan>),
    /// At one stroke.
    Move(Vec<(Whom, Point)>),
    Teleport(Whom, Point),
    Occlude(Vec<(Whom, f32)>, Duration),
    WhenFull(WhenFull),
}

/// Whether the listener has come there, or was brought there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Jump {
    Came,
    Jumped,
}

pub const POLICIES: [WhenFull; 4] =
    [WhenFull::StealQuietest, WhenFull::StealOldest, WhenFull::Refuse, WhenFull::Grow];
pub const INTERPOLATIONS: [Interpolation; 3] =
    [Interpolation::Linear, Interpolation::Cubic, Interpolation::Sinc];

/// The buses that scripts use, of all there are: the master, some others, and the last.
pub const BUSES: [u8; 5] = [0, 1, 2, 5, 31];

/// How many tags scripts use; 0 is none.
pub const TAGS: u64 = 4;

/// How many kinds of sounds there are.
pub const CLIPS: usize = 8;

/// Short and long, loud and quiet, of every kind that is kept in memory, at the mixer's rate and
/// at others.
pub fn sounds(rate: u32) -> [Sound; CLIPS] {
    // Between 8 and 48 kHz the naive mixer knows no weighting.
    let (slower, faster) = if rate > 8000 { (7000, 48_000) } else { (rate * 7 / 10, rate * 5 / 2) };
    let falling = |seed, frames: usize| -> Vec<Frame> {
        let line = |i: usize| 1.0 - i as f32 / frames as f32;
        let (left, right) = (noise(seed, frames), noise(seed + 1, frames));
        (0..frames).map(|i| [left[i] * line(i), right[i] * line(i) * 0.3]).collect()
    };
    let mut drum = vec![0.0; 300];
    drum.extend(noise(3, 50));
    let long = if rate > 8000 { 2500 } else { 300 };
    [
        mono(rate, &noise(1, 40)),
        mono(rate, &sine(rate, f64::from(rate) / 50.0, 0.1, long)),
        Sound::from_stereo(rate, &falling(2, 200)).unwrap(),
        mono(rate, &drum),
        sixteen_bits(slower, 1, &noise(4, 120)),
        sixteen_bits(faster, 2, &noise(5, 2 * long)),
        mono(rate, &[0.8]),
        mono(rate, &noise(6, 700).iter().map(|sample| sample * 0.02).collect::<Vec<_>>()),
    ]
}

fn sixteen_bits(sample_rate: u32, channels: u16, samples: &[f32]) -> Sound {
    let mut file = Cursor::new(Vec::new());
    let sample_format = hound::SampleFormat::Int;
    let spec = hound::WavSpec { channels, sample_rate, bits_per_sample: 16, sample_format };
    let mut wav = hound::WavWriter::new(&mut file, spec).unwrap();
    for sample in samples {
        wav.write_sample((sample * 32_767.0) as i16).unwrap();
    }
    wav.finalize().unwrap();
    Sound::from_bytes(file.into_inner()).unwrap()
}

pub fn time() -> impl Strategy<Value = Duration> {
    let micros = prop_oneof![Just(0), 0..7_000u64, 0..60_000u64, 0..500_000u64];
    micros.prop_map(Duration::from_micros)
}

/// Of a pause: often none, now and then longer than a script waits for it.
pub fn fade() -> impl Strategy<Value = Duration> {
    let micros = prop_oneof![3 => Just(0), 2 => 0..7_000u64, 3 => 0..30_000u64, 2 => 0..500_000u64];
    micros.prop_map(Duration::from_micros)
}

/// One of [`BUSES`].
pub fn bus() -> std::ops::Range<usize> {
    0..BUSES.len()
}

fn gain() -> impl Strategy<Value = f32> {
    prop_oneof![1 => Just(0.0), 10 => 0.01..1.0f32, 1 => 1.0..4.0f32]
}

fn speed() -> impl Strategy<Value = f32> {
    prop_oneof![6 => Just(1.0), 6 => 0.3..2.5f32, 1 => 0.01..0.1f32, 1 => 2.0..100.0f32]
}

fn pan() -> impl Strategy<Value = f32> {
    prop_oneof![3 => Just(0.0), 3 => -1.0..=1.0f32, 1 => Just(1.0)]
}

pub fn request() -> BoxedStrategy<Request> {
    let looping = prop_oneof![
        5 => Just(None),
        2 => Just(Some((Duration::ZERO, None))),
        1 => (time(), proptest::option::of(time())).prop_map(Some),
    ];
    let start = prop_oneof![
        4 => Just(Start::Now),
        2 => (0..900u64).prop_map(Start::At),
        1 => time().prop_map(Start::Delay),
        1 => (0..4u64).prop_map(Start::After),
    ];
    let priority = prop_oneof![
        2 => Just(Priority::Low),
        5 => Just(Priority::Normal),
        2 => Just(Priority::High),
        1 => Just(Priority::Protected),
    ];
    let position = prop_oneof![3 => Just(Duration::ZERO), 1 => time()];
    let fade_in = prop_oneof![3 => Just(Duration::ZERO), 1 => time()];
    let parks = prop_oneof![4 => Just(None), 1 => any::<bool>().prop_map(Some)];
    let bus = prop_oneof![2 => Just(0), 2 => bus()];
    // Plays that are alike are as loud, and then their age decides. But not loops: a short one is
    // as loud at any speed, and then a rounding would.
    let alike = prop_oneof![3 => Just(true), 10 => Just(false)];
    let gain = (alike, gain());
    let knobs = (0..CLIPS, gain, pan(), speed());
    let times = (looping, position, fade_in, start);
    (knobs, times, priority, parks, bus, 0..TAGS)
        .prop_map(|(knobs, times, priority, parks, bus, tag)| {
            let (clip, (alike, gain), pan, speed) = knobs;
            let (looping, position, fade_in, start) = times;
            let gain = if alike && looping.is_none() { 1.0 } else { gain };
            Request {
                clip,
                gain,
                pan,
                speed,
                looping,
                position,
                fade_in,
                start,
                priority,
                parks,
                bus,
                tag,
                shape: Shape::PLAIN,
                place: None,
                cue: None,
            }
        })
        .boxed()
}

pub fn change() -> BoxedStrategy<Change> {
    prop_oneof![
        2 => time().prop_map(Change::Stop),
        3 => fade().prop_map(Change::Pause),
        4 => fade().prop_map(Change::Resume),
        2 => Just(Change::Mute(true)),
        3 => Just(Change::Mute(false)),
        2 => Just(Change::EndLoop),
        3 => (gain(), time()).prop_map(|(to, over)| Change::Gain(to, over)),
        2 => (pan(), time()).prop_map(|(to, over)| Change::Pan(to, over)),
        3 => (speed(), time()).prop_map(|(to, over)| Change::Speed(to, over)),
        3 => time().prop_map(Change::Seek),
    ]
    .boxed()
}

pub fn bus_change() -> BoxedStrategy<Change> {
    let gain = prop_oneof![1 => Just(0.0), 30 => 0.3..1.5f32];
    prop_oneof![
        2 => time().prop_map(Change::Stop),
        2 => fade().prop_map(Change::Pause),
        10 => fade().prop_map(Change::Resume),
        2 => Just(Change::Mute(true)),
        8 => Just(Change::Mute(false)),
        1 => Just(Change::EndLoop),
        6 => (gain, time()).prop_map(|(to, over)| Change::Gain(to, over)),
        // That a bus has not.
        1 => (pan(), time()).prop_map(|(to, over)| Change::Pan(to, over)),
    ]
    .boxed()
}

/// Whom something is said to.
#[derive(Clone, Copy, Debug)]
pub enum Whom {
    Voice(usize),
    Bus(usize),
    Tag(u64),
}

impl Whom {
    pub fn told(self, change: Change) -> Op {
        match (self, change) {
            (Whom::Voice(ago), change) => Op::Voice(ago, change),
            // One at a time.
            (Whom::Bus(_) | Whom::Tag(_), Change::Seek(_)) => Op::Voice(0, change),
            (Whom::Bus(bus), change) => Op::Bus(bus, change),
            (Whom::Tag(tag), change) => Op::Tag(tag, change),
        }
    }
}

pub fn whom() -> impl Strategy<Value = Whom> {
    prop_oneof![
        3 => (0..3usize).prop_map(Whom::Voice),
        3 => bus().prop_map(Whom::Bus),
        1 => (0..TAGS).prop_map(Whom::Tag),
    ]
}

/// Random lines, and among them some that belong together.
pub fn script(rate: u32, scenes: impl Into<SizeRange>) -> impl Strategy<Value = Vec<Op>> {
    let scene = prop_oneof![16 => op(rate).prop_map(|op| vec![op]), 3 => scenes::scene(rate)];
    vec(scene, scenes).prop_map(|scenes| scenes.concat())
}

/// One voice, and all gains on its way, with a place or without; never so loud that the limiter has anything
/// to do.
pub fn script_of_gains(places: bool) -> impl Strategy<Value = Vec<Op>> {
    let own_gain = || 0.0..0.7f32;
    let placed = if places { script_of_places::placed() } else { request() };
    let play = (placed, own_gain(), 0..2usize).prop_map(move |(request, gain, bus)| {
        let (speed, start) = (1.0, Start::Now);
        // Of a stereo sound, too, that is heard from a point.
        let clip = if places && request.clip % 2 == 0 { 2 } else { 1 };
        let looping = Some((Duration::ZERO, None));
        let still = |how| Attenuation { doppler: 0.0, ..how };
        let place = request.place.map(|(at, how)| (at, still(how)));
        Op::Play(Request { clip, gain, speed, looping, start, bus, place, ..request })
    });
    let of_both = || {
        prop_oneof![
            1 => fade().prop_map(Change::Pause),
            2 => fade().prop_map(Change::Resume),
            1 => Just(Change::Mute(true)),
            2 => Just(Change::Mute(false)),
        ]
    };
    let of_voice = prop_oneof![
        2 => (own_gain(), time()).prop_map(|(to, over)| Change::Gain(to, over)),
        2 => (pan(), time()).prop_map(|(to, over)| Change::Pan(to, over)),
        3 => of_both(),
    ];
    let of_bus = prop_oneof![
        3 => (0.3..1.0f32, time()).prop_map(|(to, over)| Change::Gain(to, over)),
        3 => of_both(),
    ];
    let op = prop_oneof![
        3 => (0..400usize).prop_map(Op::Render),
        2 => of_voice.prop_map(|change| Op::Voice(0, change)),
        2 => (0..2usize, of_bus).prop_map(|(bus, change)| Op::Bus(bus, change)),
    ];
    let op = if places {
        prop_oneof![7 => op, 3 => script_of_places::place_op(false)].boxed()
    } else {
        op.boxed()
    };
    (play, vec(op, 1..40)).prop_map(|(play, ops)| [vec![play], ops].concat())
}

pub fn op(rate: u32) -> impl Strategy<Value = Op> {
    // At toy rates there is time for a grown pool to shrink back.
    let long = if rate > 8000 { 2000 } else { 11 * rate as usize };
    let frames = prop_oneof![
        20 => 0..40usize,
        20 => Just(128),
        20 => 0..400usize,
        20 => 0..900usize,
        1 => Just(long),
    ];
    let ago = prop_oneof![2 => 0..3usize, 1 => 0..9usize];
    prop_oneof![
        20 => frames.prop_map(Op::Render),
        30 => request().prop_map(Op::Play),
        20 => (ago, change()).prop_map(|(ago, change)| Op::Voice(ago, change)),
        4 => (bus(), bus_change()).prop_map(|(bus, change)| Op::Bus(bus, change)),
        3 => (0..TAGS, change()).prop_map(|(tag, change)| Whom::Tag(tag).told(change)),
        3 => vec(request(), 0..5).prop_map(Op::Together),
        3 => (proptest::option::of(whom()), request(), time())
            .prop_map(|(from, request, over)| Op::Crossfade(from, request, over)),
        2 => (1..8usize).prop_map(Op::Resize),
        1 => proptest::sample::select(&POLICIES[..]).prop_map(Op::WhenFull),
        1 => time().prop_map(Op::StopAll),
    ]
}

pub fn config(rate: u32) -> impl Strategy<Value = Config> {
    let policy = proptest::sample::select(&POLICIES[..]);
    let interpolation = proptest::sample::select(&INTERPOLATIONS[..]);
    (policy, interpolation, 1..5usize, 0..4usize, 1..4usize, 1..4usize).prop_map(
        move |(when_full, interpolation, voices, more, parked, scheduled)| Config {
            voices,
            max_voices: voices + more,
            parked,
            scheduled,
            commands: 2048,
            sample_rate: rate,
            when_full,
            interpolation,
            ..Config::default()
        },
    )
}
