//! Random scripts about cues, with and without places.

use std::time::Duration;

use proptest::collection::{SizeRange, vec};
use proptest::option;
use proptest::prelude::*;
use voicepool::{Config, Order, Priority};

use super::dice::Plan;
use super::naive::{Change, Request, Start};
use super::script::{self, CLIPS, Op, POLICIES, request, time};
use super::script_of_places;

/// How many cues a script has at once, at the most.
const CUES: usize = 3;

fn plan() -> BoxedStrategy<Plan> {
    const ORDERS: [Order; 3] = [Order::Shuffle, Order::Random, Order::Sequence];
    let variants = vec((0..CLIPS, prop_oneof![Just(1.0), 0.05..1.5f32]), 1..4);
    let spread = |most: f32| prop_oneof![2 => Just(0.0), 1 => 0.0..most];
    let soon = || prop_oneof![3 => Just(Duration::ZERO), 2 => time()];
    (
        variants,
        proptest::sample::select(&ORDERS[..]),
        (spread(12.0), spread(6.0)),
        option::weighted(0.7, 1..4usize),
        option::of(proptest::sample::select(&POLICIES[..])),
        (soon(), soon()),
    )
        .prop_map(|(variants, order, (vary_gain, vary_speed), at_most, when_full, times)| Plan {
            variants,
            order,
            vary_gain,
            vary_speed,
            at_most,
            when_full,
            cooldown: times.0,
            merge_within: times.1,
        })
        .boxed()
}

pub fn of_cue(request: impl Strategy<Value = Request>) -> impl Strategy<Value = Request> {
    (request, 0..CUES).prop_map(|(request, cue)| Request { cue: Some(cue), ..request })
}

pub fn cues() -> BoxedStrategy<Op> {
    vec(plan(), 1..=CUES).prop_map(Op::Cues).boxed()
}

/// What is likely to go wrong, and seldom said by chance.
fn scene(rate: u32, places: bool) -> BoxedStrategy<Vec<Op>> {
    let request = || if places { script_of_places::placed() } else { request() };
    let patient = if rate > 8000 { 900 } else { 250 * rate as usize / 1000 + 256 };
    // Of one cue, some on one line and some a little later.
    let burst = (0..CUES, vec((request(), 0..3usize, 0..200usize), 2..8));
    let burst = burst.prop_map(|(cue, plays)| {
        let play = |(request, kind, wait)| {
            let start = if kind == 2 { Start::At(100 + wait as u64) } else { Start::Now };
            let play = Op::Play(Request { cue: Some(cue), start, ..request });
            let wait = Op::Render(if kind == 1 { wait } else { 0 });
            [play, wait]
        };
        plays.into_iter().flat_map(play).chain([Op::Render(200)]).collect()
    });
    // Loops of a cue lose their voices to others of it, become louder than those, and wait.
    let loops = vec((request(), 0.001..0.01f32), 1..4);
    let back = (0..CUES, loops, vec(request(), 1..4), 2.0..4.0f32, 1..4usize);
    let back = back.prop_map(move |(cue, loops, thieves, loud, waits)| {
        let count = loops.len();
        let quiet = |(request, gain)| {
            let looping = Some((Duration::ZERO, None));
            let (start, parks, priority) = (Start::Now, None, Priority::Normal);
            Op::Play(Request { cue: Some(cue), gain, looping, start, parks, priority, ..request })
        };
        let steal =
            |request| Op::Play(Request { cue: Some(cue), priority: Priority::Normal, ..request });
        let ago = thieves.len() + count - 1;
        let script = loops.into_iter().map(quiet).chain(thieves.into_iter().map(steal));
        let louder = [Op::Voice(ago, Change::Gain(loud, Duration::ZERO))];
        script.chain(louder).chain(vec![Op::Render(patient); waits]).collect()
    });
    // The one that others were merged into is changed, stopped, paused, or sought.
    let merged = (0..CUES, vec(request(), 2..5), script::change(), 0..300usize);
    let merged = merged.prop_map(|(cue, plays, change, wait)| {
        let (count, start) = (plays.len(), Start::Now);
        let play = |request| Op::Play(Request { cue: Some(cue), start, ..request });
        let plays = plays.into_iter().map(play);
        let rest = [Op::Render(wait), Op::Voice(count - 1, change)];
        let again = |request| Op::Play(Request { cue: Some(cue), ..request });
        let late = plays.clone().take(1).map(move |op| match op {
            Op::Play(request) => again(request),
            other => other,
        });
        plays.chain(rest).chain(late).chain([Op::Render(300)]).collect()
    });
    prop_oneof![4 => burst, 2 => back, 2 => merged].boxed()
}

/// Some cues first, then random lines, and among them many plays of them.
pub fn script(
    rate: u32,
    places: bool,
    scenes: impl Into<SizeRange>,
) -> impl Strategy<Value = Vec<Op>> {
    let one = |op| vec![op];
    let placed = if places { script_of_places::placed() } else { request() };
    let place_op =
        if places { script_of_places::place_op(false) } else { script::op(rate).boxed() };
    let scene = prop_oneof![
        6 => script::op(rate).prop_map(one),
        8 => of_cue(request()).prop_map(|request| vec![Op::Play(request)]),
        4 => of_cue(placed).prop_map(|request| vec![Op::Play(request)]),
        1 => vec(of_cue(request()), 2..5).prop_map(|all| vec![Op::Together(all)]),
        3 => (0..400usize).prop_map(|frames| vec![Op::Render(frames)]),
        3 => place_op.prop_map(one),
        1 => cues().prop_map(one),
        3 => scene(rate, places),
    ];
    (cues(), vec(scene, scenes)).prop_map(|(cues, scenes)| [vec![cues], scenes.concat()].concat())
}

/// Now and then a mixer that remembers few.
pub fn config(rate: u32) -> impl Strategy<Value = Config> {
    let few = prop_oneof![Just(256), 1..4usize];
    (script::config(rate), few, any::<u64>()).prop_map(|(config, cues, seed)| Config {
        cues,
        seed,
        ..config
    })
}
