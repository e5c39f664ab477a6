//! What random scripts are made of: sounds, requests, controls.

use std::io::Cursor;
use std::time::Duration;

use proptest::collection::{SizeRange, vec};
use proptest::prelude::*;
use voicepool::{Config, Duck, Frame, Interpolation, Priority, Reverb, Sound, WhenFull};

use super::common::{mono, noise, sine};
use super::effects::Kind;
use super::naive::{Change, Request, Start};
use super::submix::ROOMS;
use super::voice::Shape;

/// A line of a script. Voices are named by how many plays ago they began.
#[derive(Clone, Debug)]
pub enum Op {
    Render(usize),
    Play(Request),
    Together(Vec<Request>),
    Voice(usize, Change),
    Bus(usize, Change),
    Parent(usize, usize),
    Duck(usize, usize, Option<Duck>),
    Effect(usize, Option<Kind>),
    Reverb(usize, Reverb, Duration),
    Tag(u64, Change),
    StopAll(Duration),
    Resize(usize),
    WhenFull(WhenFull),
}

pub const POLICIES: [WhenFull; 4] =
    [WhenFull::StealQuietest, WhenFull::StealOldest, WhenFull::Refuse, WhenFull::Grow];
pub const INTERPOLATIONS: [Interpolation; 3] =
    [Interpolation::Linear, Interpolation::Cubic, Interpolation::Sinc];

/// The buses that scripts use, of all there are: the master, some others, and the last.
pub const BUSES: [u8; 5] = [0, 1, 2, 5, 31];

/// How many tags scripts use; 0 is none.
const TAGS: u64 = 4;

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

/// Of a pause: often none, now and then longer than a script waits for it.
fn fade() -> impl Strategy<Value = Duration> {
    let micros = prop_oneof![3 => Just(0), 2 => 0..7_000u64, 3 => 0..30_000u64, 2 => 0..500_000u64];
    micros.prop_map(Duration::from_micros)
}

/// One of [`BUSES`].
fn bus() -> std::ops::Range<usize> {
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
            }
        })
        .boxed()
}

fn change() -> BoxedStrategy<Change> {
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

fn bus_change() -> BoxedStrategy<Change> {
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
enum Whom {
    Voice(usize),
    Bus(usize),
    Tag(u64),
}

impl Whom {
    fn told(self, change: Change) -> Op {
        match (self, change) {
            (Whom::Voice(ago), change) => Op::Voice(ago, change),
            // One at a time.
            (Whom::Bus(_) | Whom::Tag(_), Change::Seek(_)) => Op::Voice(0, change),
            (Whom::Bus(bus), change) => Op::Bus(bus, change),
            (Whom::Tag(tag), change) => Op::Tag(tag, change),
        }
    }
}

fn whom() -> impl Strategy<Value = Whom> {
    prop_oneof![
        3 => (0..3usize).prop_map(Whom::Voice),
        3 => bus().prop_map(Whom::Bus),
        1 => (0..TAGS).prop_map(Whom::Tag),
    ]
}

/// Random lines, and among them some that belong together.
pub fn script(rate: u32, scenes: impl Into<SizeRange>) -> impl Strategy<Value = Vec<Op>> {
    let scene = prop_oneof![16 => op(rate).prop_map(|op| vec![op]), 3 => scene(rate)];
    vec(scene, scenes).prop_map(|scenes| scenes.concat())
}

/// One voice, and all gains on its way; never so loud that the limiter has anything to do.
pub fn script_of_gains() -> impl Strategy<Value = Vec<Op>> {
    let own_gain = || 0.0..0.7f32;
    let play = (request(), own_gain(), 0..2usize).prop_map(|(request, gain, bus)| {
        let (clip, speed, start) = (1, 1.0, Start::Now);
        let looping = Some((Duration::ZERO, None));
        Op::Play(Request { clip, gain, speed, looping, start, bus, ..request })
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
    (play, vec(op, 1..40)).prop_map(|(play, ops)| [vec![play], ops].concat())
}

/// What a script may do with its buses, beside what it may do to voices.
#[derive(Clone, Copy, Debug, Default)]
pub struct Buses {
    pub tree: bool,
    pub speeds: bool,
    pub filters: bool,
    pub sends: bool,
    pub effects: bool,
    pub ducks: bool,
}

impl Buses {
    pub const ALL: Buses =
        Buses { tree: true, speeds: true, filters: true, sends: true, effects: true, ducks: true };
}

/// Random lines, and among them many about buses.
pub fn script_of_buses(
    rate: u32,
    which: Buses,
    scenes: impl Into<SizeRange>,
) -> impl Strategy<Value = Vec<Op>> {
    let Buses { filters, sends, .. } = which;
    let plays = (request(), low_pass(), (0..ROOMS, 0.0..1.0f32), any::<[bool; 2]>());
    let play = plays.prop_map(move |(request, low_pass, (room, send), [low, wet])| {
        let mut shape = Shape::PLAIN;
        if filters && low {
            shape.low_pass = low_pass;
        }
        if sends && wet {
            shape.sends[room] = send;
        }
        Op::Play(Request { shape, ..request })
    });
    let of_buses = prop_oneof![
        1 => (bus(), bus_change()).prop_map(|(bus, change)| Op::Bus(bus, change)),
        3 => bus_op(which),
    ];
    let scene = prop_oneof![
        4 => op(rate),
        3 => play,
        1 => (0..400usize).prop_map(Op::Render),
        4 => of_buses,
    ];
    vec(scene, scenes)
}

/// Seldom off.
fn low_pass() -> impl Strategy<Value = f32> {
    prop_oneof![8 => (4.5..14.3f32).prop_map(f32::exp2), 1 => Just(20_000.0), 1 => Just(25.0)]
}

fn bus_op(which: Buses) -> BoxedStrategy<Op> {
    let Buses { tree, speeds, filters, sends, effects, ducks } = which;
    let whom =
        || prop_oneof![1 => (0..4usize).prop_map(Whom::Voice), 3 => bus().prop_map(Whom::Bus)];
    let send = prop_oneof![1 => Just(0.0), 3 => 0.0..1.0f32];
    let reverb = (50..900u64, 0.0..=1.0f32, 0.0..=1.0f32, 0..40u64);
    let reverb = reverb.prop_map(|(decay, size, damping, delay)| Reverb {
        decay: Duration::from_millis(decay),
        size,
        damping,
        pre_delay: Duration::from_millis(delay),
    });
    let kind = proptest::option::of(prop_oneof![Just(Kind::Echo), Just(Kind::Tremolo)]);
    let duck = (0.0..1.0f32, time(), time(), time());
    let duck = duck.prop_map(|(gain, attack, hold, release)| Duck { gain, attack, hold, release });
    let all = [
        (tree, (bus(), bus()).prop_map(|(bus, parent)| Op::Parent(bus, parent)).boxed()),
        (
            speeds,
            (bus(), prop_oneof![1 => Just(1.0), 3 => 0.2..3.0f32], time())
                .prop_map(|(bus, to, over)| Op::Bus(bus, Change::Speed(to, over)))
                .boxed(),
        ),
        (
            filters,
            (whom(), low_pass(), any::<bool>(), time())
                .prop_map(|(whom, hz, high, over)| {
                    let turn = if high { Change::HighPass } else { Change::LowPass };
                    whom.told(turn(if high && hz == 20_000.0 { 20.0 } else { hz }, over))
                })
                .boxed(),
        ),
        (
            sends,
            (whom(), 0..ROOMS, send, time())
                .prop_map(|(whom, room, to, over)| whom.told(Change::Send(room, to, over)))
                .boxed(),
        ),
        (
            sends,
            (0..ROOMS, reverb, time())
                .prop_map(|(room, reverb, over)| Op::Reverb(room, reverb, over))
                .boxed(),
        ),
        (effects, (bus(), kind).prop_map(|(bus, kind)| Op::Effect(bus, kind)).boxed()),
        (
            ducks,
            (bus(), bus(), proptest::option::weighted(0.8, duck))
                .prop_map(|(bus, by, duck)| Op::Duck(bus, by, duck))
                .boxed(),
        ),
    ];
    let on: Vec<_> = all.into_iter().filter_map(|(on, op)| on.then_some(op)).collect();
    proptest::strategy::Union::new(on).boxed()
}

/// What is likely to go wrong, and seldom said by chance.
fn scene(rate: u32) -> BoxedStrategy<Vec<Op>> {
    let few = || vec(request().prop_map(Op::Play), 1..4);
    let soon = || (0..6_000u64).prop_map(Duration::from_micros);
    let set = prop_oneof![
        fade().prop_map(Change::Pause),
        fade().prop_map(Change::Resume),
        Just(Change::Mute(true)),
        Just(Change::Mute(false)),
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
        3 => (bus(), set, few(), 0..400usize).prop_map(move |(bus, change, mut plays, wait)| {
            for play in &mut plays {
                if let Op::Play(request) = play {
                    request.bus = bus;
                }
            }
            let open = open_again(Duration::ZERO).map(|change| Op::Bus(bus, change)).to_vec();
            [vec![Op::Bus(bus, change)], plays, vec![Op::Render(wait)], open].concat()
        }),
        // What stops already is hurried, by the shortest of several.
        2 => (vec((bus(), time()), 2..5), 0..4usize, time()).prop_map(
            move |(stops, ago, fade)| {
                let stop = |(bus, fade)| Op::Bus(bus, Change::Stop(fade));
                let late = Op::Voice(ago, Change::Stop(fade));
                [late].into_iter().chain(stops.into_iter().map(stop)).collect()
            }
        ),
        // Its frame comes, and it is paused.
        1 => (request(), 150..400u64).prop_map(|(request, at)| {
            let later = Request { start: Start::At(at), ..request };
            vec![Op::Play(later), Op::Voice(0, Change::Pause(Duration::ZERO)), Op::Render(128)]
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
        15 => scene_of_pauses(rate),
        5 => scene_of_loops(),
    ]
    .boxed()
}

/// What opens a bus, or a voice.
fn open_again(fade: Duration) -> [Change; 3] {
    [Change::Resume(fade), Change::Gain(0.9, Duration::ZERO), Change::Mute(false)]
}

fn scene_of_pauses(rate: u32) -> BoxedStrategy<Vec<Op>> {
    let wait = |most: usize| (0..most).prop_map(Op::Render);
    let time_of = move |frames: u64| Duration::from_micros(frames * 1_000_000 / u64::from(rate));
    // Long enough to be hurried, and short enough to be waited for.
    let slow = move || (1..1200u64).prop_map(time_of);
    let any_fade = || prop_oneof![1 => fade().boxed(), 1 => slow().boxed()];
    let step = prop_oneof![
        3 => any_fade().prop_map(Change::Pause),
        3 => any_fade().prop_map(Change::Resume),
        1 => any::<bool>().prop_map(Change::Mute),
    ];
    // One after the other, each perhaps before the last is through.
    let steps = (heard(), slow(), any::<bool>(), vec((step, wait(300)), 1..5), any_fade());
    let steps = steps.prop_map(|((whom, heard), slow, pauses, steps, fade)| {
        let slowly = [Change::Pause(slow), Change::Resume(slow)];
        let slowly = if pauses { &slowly[..1] } else { &slowly[..] };
        let first = slowly.iter().flat_map(|change| [whom.told(*change), Op::Render(128)]);
        let steps = steps.into_iter().flat_map(|(change, wait)| [whom.told(change), wait]);
        let open = open_again(fade).map(|change| whom.told(change));
        heard.into_iter().chain(first).chain(steps).chain(open).collect()
    });
    // One is under way, and is hurried by another, or is not.
    let hurries = (heard(), 300..1500u64, prop_oneof![3 => 0..250u64, 1 => 0..2000u64]);
    let hurries = (hurries, any::<bool>(), wait(260)).prop_map(
        move |(((whom, heard), slow, quick), up, wait)| {
            let (slow, quick) = (time_of(slow), time_of(quick));
            let down = [Change::Pause(Duration::ZERO)].into_iter().filter(|_| up);
            let down = down.flat_map(|change| [whom.told(change), Op::Render(300)]);
            let change = if up { Change::Resume } else { Change::Pause };
            let both = [whom.told(change(slow)), wait.clone(), whom.told(change(quick)), wait];
            let open = open_again(quick).map(|change| whom.told(change));
            heard.into_iter().chain(down).chain(both).chain(open).collect()
        },
    );
    // A delay, and its bus is paused meanwhile; others are to begin by their own time.
    let plays = (request(), 1..700u64, bus(), any::<bool>(), 100..900u64);
    let waits = (wait(300), any_fade(), wait(500), any_fade(), wait(500));
    let delays = (plays, waits).prop_map(move |(plays, (first, down, still, up, last))| {
        let (request, frames, bus, by_master, at) = plays;
        let paused = if by_master { 0 } else { bus };
        let delayed = Request { bus, start: Start::Delay(time_of(frames)), ..request };
        let also = Request { bus: paused, ..delayed.clone() };
        let at = Request { start: Start::At(at), ..delayed.clone() };
        vec![
            Op::Play(delayed),
            Op::Play(also),
            Op::Play(at),
            first,
            Op::Bus(paused, Change::Pause(down)),
            still,
            Op::Bus(paused, Change::Resume(up)),
            last.clone(),
            last,
        ]
    });
    // Somebody loses its place, or leaves it, while it is being paused or resumed.
    let leaves = prop_oneof![
        2 => time().prop_map(Change::Seek),
        1 => time().prop_map(Change::Stop),
        1 => Just(Change::EndLoop),
    ];
    let thieves = vec((request(), 0.5..2.0f32), 0..8);
    let lost = (heard(), slow(), any::<bool>(), wait(200), proptest::option::of(leaves), thieves);
    let lost = lost.prop_map(|((whom, heard), fade, resumes, wait, leaves, thieves)| {
        let steal = |(request, gain)| Op::Play(Request { gain, start: Start::Now, ..request });
        let pauses = [Change::Pause(fade), Change::Resume(fade)];
        let pauses = if resumes { &pauses[..] } else { &pauses[..1] };
        let pauses = pauses.iter().flat_map(|change| [whom.told(*change), wait.clone()]);
        let leaves = leaves.map(|change| Op::Voice(0, change));
        let thieves = thieves.into_iter().map(steal);
        let open = open_again(fade).map(|change| whom.told(change));
        let rest = [Op::Render(300)].into_iter().chain(open);
        heard.into_iter().chain(pauses).chain(leaves).chain(thieves).chain(rest).collect()
    });
    // Two things are said on one line, to a newcomer or to what has been heard.
    let both = (heard(), any::<bool>(), change(), change(), wait(300));
    let both = both.prop_map(|((whom, heard), newcomer, a, b, wait)| {
        let heard = heard.into_iter().filter(|op| !newcomer || !matches!(op, Op::Render(_)));
        heard.chain([whom.told(a), whom.told(b), wait]).collect()
    });
    prop_oneof![3 => steps, 5 => hurries, 4 => delays, 4 => lost, 4 => both].boxed()
}

/// Somebody who is heard for a while, unless the pool is full of those that matter more, and how
/// to speak to it.
fn heard() -> BoxedStrategy<(Whom, Vec<Op>)> {
    (request(), 0.1..1.0f32, prop_oneof![3 => Just(0), 2 => bus()], whom(), 0..400usize)
        .prop_map(|(request, gain, bus, whom, wait)| {
            let (looping, start) = (Some((Duration::ZERO, None)), Start::Now);
            let mut request = Request { gain, bus, looping, start, ..request };
            match whom {
                Whom::Voice(_) => (),
                Whom::Bus(bus) => request.bus = bus,
                Whom::Tag(tag) => request.tag = tag,
            }
            let whom = if let Whom::Voice(_) = whom { Whom::Voice(0) } else { whom };
            (whom, vec![Op::Play(request), Op::Render(wait)])
        })
        .boxed()
}

fn scene_of_loops() -> BoxedStrategy<Vec<Op>> {
    let looping = prop_oneof![
        1 => Just((Duration::ZERO, None)),
        2 => (time(), proptest::option::of(time())),
    ];
    let start = prop_oneof![
        3 => Just(Start::Now),
        1 => (150..400u64).prop_map(Start::At),
        1 => (0..9_000u64).prop_map(|micros| Start::Delay(Duration::from_micros(micros))),
    ];
    let also = proptest::option::of(change());
    let waits = (0..500usize, 0..500usize);
    let plays = vec(request().prop_map(Op::Play), 0..4);
    // A loop goes round, perhaps loses its voice, and ends; perhaps something else is said.
    (request(), looping, start, whom(), also, waits, plays, any::<bool>())
        .prop_map(|(request, looping, start, whom, also, (first, last), others, late)| {
            let (before, after) = if late { (others, Vec::new()) } else { (Vec::new(), others) };
            let play = Op::Play(Request { looping: Some(looping), start, ..request });
            let ago = before.len();
            let whom = if let Whom::Voice(_) = whom { Whom::Voice(ago) } else { whom };
            let also = also.map(|change| whom.told(change));
            [
                vec![play],
                before,
                vec![Op::Render(first), whom.told(Change::EndLoop)],
                also.into_iter().collect(),
                after,
                vec![Op::Render(last); 2],
            ]
            .concat()
        })
        .boxed()
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
        4 => (bus(), bus_change()).prop_map(|(bus, change)| Op::Bus(bus, change)),
        3 => (0..TAGS, change()).prop_map(|(tag, change)| Whom::Tag(tag).told(change)),
        3 => vec(request(), 0..5).prop_map(Op::Together),
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
