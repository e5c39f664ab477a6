//! What is likely to go wrong, and seldom said by chance: lines of a script that belong together.

use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;

use super::naive::{Change, Request, Start};
use super::script::{Op, Whom, bus, change, fade, request, time, whom};

pub fn scene(rate: u32) -> BoxedStrategy<Vec<Op>> {
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
