//! What random scripts are made of: sounds, requests, controls.

use std::io::Cursor;
use std::time::Duration;

use proptest::collection::{SizeRange, vec};
use proptest::prelude::*;
use voicepool::{Config, Frame, Interpolation, Priority, Sound, WhenFull};

use super::common::{mono, noise, sine};
use super::naive::{Change, Request, Start};
use super::stage::BUSES;

/// A line of a script. Voices are named by how many plays ago they began.
#[derive(Clone, Debug)]
pub enum Op {
    Render(usize),
    Play(Request),
    Voice(usize, Change),
    Bus(u8, Change),
    StopAll(Duration),
    Resize(usize),
    WhenFull(WhenFull),
}

pub const POLICIES: [WhenFull; 4] =
    [WhenFull::StealQuietest, WhenFull::StealOldest, WhenFull::Refuse, WhenFull::Grow];
pub const INTERPOLATIONS: [Interpolation; 3] =
    [Interpolation::Linear, Interpolation::Cubic, Interpolation::Sinc];

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

fn time() -> impl Strategy<Value = Duration> {
    let micros = prop_oneof![Just(0), 0..7_000u64, 0..60_000u64, 0..500_000u64];
    micros.prop_map(Duration::from_micros)
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

fn request() -> BoxedStrategy<Request> {
    let looping = prop_oneof![
        5 => Just(None),
        2 => Just(Some((Duration::ZERO, None))),
        1 => (time(), proptest::option::of(time())).prop_map(Some),
    ];
    let start = prop_oneof![
        4 => Just(Start::Now),
        2 => (0..900u64).prop_map(Start::At),
        1 => time().prop_map(Start::Delay),
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
    let bus = prop_oneof![2 => Just(0), 1 => 1..BUSES];
    // Plays that are alike are as loud, and then their age decides. But not loops: a short one is
    // as loud at any speed, and then a rounding would.
    let alike = prop_oneof![3 => Just(true), 10 => Just(false)];
    let gain = (alike, gain());
    let knobs = (0..CLIPS, gain, pan(), speed());
    let times = (looping, position, fade_in, start);
    (knobs, times, priority, parks, bus)
        .prop_map(|(knobs, times, priority, parks, bus)| {
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
            }
        })
        .boxed()
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        2 => time().prop_map(Change::Stop),
        3 => Just(Change::Pause),
        4 => Just(Change::Resume),
        3 => (gain(), time()).prop_map(|(to, over)| Change::Gain(to, over)),
        2 => (pan(), time()).prop_map(|(to, over)| Change::Pan(to, over)),
        3 => (speed(), time()).prop_map(|(to, over)| Change::Speed(to, over)),
        3 => time().prop_map(Change::Seek),
    ]
}

fn bus_change() -> impl Strategy<Value = Change> {
    let gain = prop_oneof![1 => Just(0.0), 30 => 0.3..1.5f32];
    prop_oneof![
        2 => time().prop_map(Change::Stop),
        2 => Just(Change::Pause),
        10 => Just(Change::Resume),
        6 => (gain, time()).prop_map(|(to, over)| Change::Gain(to, over)),
    ]
}

/// Random lines, and among them some that belong together.
pub fn script(rate: u32, scenes: impl Into<SizeRange>) -> impl Strategy<Value = Vec<Op>> {
    let scene = prop_oneof![20 => op(rate).prop_map(|op| vec![op]), 1 => scene(rate)];
    vec(scene, scenes).prop_map(|scenes| scenes.concat())
}

/// What is likely to go wrong, and seldom said by chance.
fn scene(rate: u32) -> impl Strategy<Value = Vec<Op>> {
    let few = || vec(request().prop_map(Op::Play), 1..4);
    let soon = || (0..6_000u64).prop_map(Duration::from_micros);
    let set = prop_oneof![
        Just(Change::Pause),
        Just(Change::Resume),
        Just(Change::Gain(0.0, Duration::ZERO)),
        Just(Change::Gain(0.5, Duration::ZERO)),
    ];
    let patient = if rate > 8000 { 900 } else { 250 * rate as usize / 1000 + 256 };
    prop_oneof![
        // The old ones stop, and new ones come for their places.
        2 => (vec((0..4usize, soon()), 1..4), few()).prop_map(|(stops, plays)| {
            let stop = |(ago, fade)| Op::Voice(ago, Change::Stop(fade));
            stops.into_iter().map(stop).chain(plays).collect()
        }),
        // A bus is set, perhaps while nothing is heard on it, played on, and opened again.
        3 => (0..BUSES, set, few(), 0..400usize).prop_map(move |(bus, change, mut plays, wait)| {
            for play in &mut plays {
                if let Op::Play(request) = play {
                    request.bus = bus;
                }
            }
            let open = [Change::Resume, Change::Gain(0.9, Duration::ZERO)];
            let open = open.map(|change| Op::Bus(bus, change)).to_vec();
            [vec![Op::Bus(bus, change)], plays, vec![Op::Render(wait)], open].concat()
        }),
        // What stops already is hurried, by the shortest of several.
        2 => (vec((0..BUSES, time()), 2..5), 0..4usize, time()).prop_map(
            move |(stops, ago, fade)| {
                let stop = |(bus, fade)| Op::Bus(bus, Change::Stop(fade));
                let late = Op::Voice(ago, Change::Stop(fade));
                [late].into_iter().chain(stops.into_iter().map(stop)).collect()
            }
        ),
        // Its frame comes, and it is paused.
        1 => (request(), 150..400u64).prop_map(|(request, at)| {
            let later = Request { start: Start::At(at), ..request };
            vec![Op::Play(later), Op::Voice(0, Change::Pause), Op::Render(128)]
        }),
        // Too much at once.
        2 => vec((request(), 1.0..4.0f32), 2..5).prop_map(|plays| {
            let loud = |(request, gain)| Op::Play(Request { gain, ..request });
            plays.into_iter().map(loud).chain([Op::Render(300)]).collect()
        }),
        // Loops lose their places, become louder than those who have them, and wait.
        3 => (vec((request(), 0.001..0.01f32), 1..4), few(), 2.0..4.0f32, 1..4usize).prop_map(
            move |(loops, thieves, loud, waits)| {
                let count = loops.len();
                let quiet = |(request, gain)| {
                    let looping = Some((Duration::ZERO, None));
                    let (start, parks) = (Start::Now, None);
                    Op::Play(Request { gain, looping, start, parks, ..request })
                };
                let mut script: Vec<Op> = loops.into_iter().map(quiet).collect();
                let ago = thieves.len() + count - 1;
                script.extend(thieves);
                script.push(Op::Voice(ago, Change::Gain(loud, Duration::ZERO)));
                script.extend(vec![Op::Render(patient); waits]);
                script
            }
        ),
    ]
}

fn op(rate: u32) -> impl Strategy<Value = Op> {
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
        4 => (0..BUSES, bus_change()).prop_map(|(bus, change)| Op::Bus(bus, change)),
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
            commands: 256,
            sample_rate: rate,
            when_full,
            interpolation,
            ..Config::default()
        },
    )
}
