//! Random scripts with many plays that follow others, and many that come for them.

use std::time::Duration;

use proptest::collection::{SizeRange, vec};
use proptest::prelude::*;
use voicepool::Config;

use super::naive::{Change, Request, Start};
use super::script::{self, Op, change, request, time, whom};
use super::script_of_cues::{self, cues, of_cue};
use super::script_of_places;

/// Something to play: a clip, a cue, or something with a place.
fn any_request(places: bool) -> BoxedStrategy<Request> {
    let placed = if places { script_of_places::placed() } else { request() };
    prop_oneof![4 => request(), 2 => of_cue(request()), 2 => placed].boxed()
}

fn scene(places: bool) -> BoxedStrategy<Vec<Op>> {
    let any = move || any_request(places);
    let wait = |most: usize| (0..most).prop_map(Op::Render);
    // One after the other, none of them waited for; and the first may be changed in the midst of it.
    let chain = (vec((any(), 0..5u32), 2..7), wait(700), change(), wait(900)).prop_map(
        |(plays, wait, change, rest)| {
            let count = plays.len();
            let follow = |(at, (play, kind)): (usize, (Request, u32))| {
                let start = if at == 0 { Start::Now } else { Start::After(0) };
                // Of a loop the end is seldom seen.
                let looping = play.looping.filter(|_| kind == 0);
                Op::Play(Request { start, looping, ..play })
            };
            let plays = plays.into_iter().enumerate().map(follow);
            plays.chain([wait, Op::Voice(count - 1, change), rest]).collect()
        },
    );
    // Many after one.
    let many = (any(), vec(any(), 1..5), wait(300), change(), wait(900)).prop_map(
        |(first, plays, wait, change, rest)| {
            let count = plays.len();
            let first = Op::Play(Request { looping: None, ..first });
            let follow =
                |(at, play): (u64, Request)| Op::Play(Request { start: Start::After(at), ..play });
            let plays = (0..).zip(plays).map(follow);
            [first].into_iter().chain(plays).chain([wait, Op::Voice(count, change), rest]).collect()
        },
    );
    // A loop that ends, a clip that is sought past its end or speeds up, and their followers.
    let last = prop_oneof![
        Just(Change::EndLoop),
        (0..900u64).prop_map(|micros| Change::Seek(Duration::from_millis(micros))),
        (0.3..4.0f32, time()).prop_map(|(to, over)| Change::Speed(to, over)),
        time().prop_map(Change::Stop),
        time().prop_map(Change::Pause),
    ];
    let ends = (any(), any(), wait(400), last, wait(900));
    let ends = ends.prop_map(|(first, next, wait, change, rest)| {
        let follower = Op::Play(Request { start: Start::After(0), ..next });
        vec![Op::Play(first), wait, follower, Op::Voice(1, change), rest]
    });
    // It is to follow one that stops.
    let stops = (any(), time(), any(), wait(900)).prop_map(|(first, fade, next, rest)| {
        let looping = Some((Duration::ZERO, None));
        let first = Op::Play(Request { looping, start: Start::Now, ..first });
        let follower = Op::Play(Request { start: Start::After(0), ..next });
        vec![first, Op::Render(300), Op::Voice(0, Change::Stop(fade)), follower, rest]
    });
    // One goes for another, and perhaps a third for that, in the midst of it.
    let crossfades = vec((proptest::option::of(whom()), any(), time(), 0..400usize), 1..5);
    let crossfades = (any(), crossfades).prop_map(|(first, all)| {
        let crossfade =
            |(from, play, over, wait)| [Op::Crossfade(from, play, over), Op::Render(wait)];
        let all = all.into_iter().flat_map(crossfade);
        [Op::Play(first), Op::Render(200)].into_iter().chain(all).collect()
    });
    prop_oneof![4 => chain, 3 => many, 4 => ends, 1 => stops, 4 => crossfades].boxed()
}

/// Some cues first, then random lines, and among them many that belong together.
pub fn script(
    rate: u32,
    places: bool,
    scenes: impl Into<SizeRange>,
) -> impl Strategy<Value = Vec<Op>> {
    let one = |op| vec![op];
    let place_op =
        if places { script_of_places::place_op(false) } else { script::op(rate).boxed() };
    let scene = prop_oneof![
        8 => script::op(rate).prop_map(one),
        2 => place_op.prop_map(one),
        8 => scene(places),
        3 => (0..400usize).prop_map(|frames| vec![Op::Render(frames)]),
    ];
    (cues(), vec(scene, scenes)).prop_map(|(cues, scenes)| [vec![cues], scenes.concat()].concat())
}

/// Room for longer chains than other scripts have.
pub fn config(rate: u32) -> impl Strategy<Value = Config> {
    let scheduled = prop_oneof![1 => 1..4usize, 2 => 4..12usize];
    (script_of_cues::config(rate), scheduled)
        .prop_map(|(config, scheduled)| Config { scheduled, ..config })
}
