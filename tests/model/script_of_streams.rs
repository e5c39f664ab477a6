//! Random scripts in which many plays are streams, and much is said of places far into them.

use std::time::Duration;

use proptest::collection::{SizeRange, vec};
use proptest::prelude::*;
use voicepool::Config;

use super::naive::{Change, Request, Start, frames};
use super::script::{self, CLIPS, Op, change, request, time};
use super::script_of_places;
use super::streams::LENGTHS;

/// The longest of the times that scripts speak of.
const LONGEST: Duration = Duration::from_millis(500);

/// How many frames are read between samples, at the most.
const INTERPOLATED: u64 = 16;

/// Of a stream that jumps, so much is kept of where it was that it can fade out over 5 ms at this speed, and a little
/// more.
const FASTEST: f32 = 30.0;

/// The beginning of a loop, and its end.
type Range = (Duration, Option<Duration>);

/// Those of all scripts, or of those about places, with streams for some of the clips.
pub fn script(rate: u32, places: bool, scenes: impl Into<SizeRange>) -> BoxedStrategy<Vec<Op>> {
    let others = if places {
        script_of_places::script(rate, false, 1).boxed()
    } else {
        script::script(rate, 1).boxed()
    };
    let others =
        others.prop_map(move |ops| ops.into_iter().map(|op| of_streams(rate, op)).collect());
    let scene = prop_oneof![8 => others, 1 => jumps(rate)];
    vec(scene, scenes).prop_map(|scenes| scenes.concat()).boxed()
}

/// A stream is heard, and jumps, now and then several times on a line, or beside something else that is said to it.
fn jumps(rate: u32) -> BoxedStrategy<Vec<Op>> {
    let to = (time(), any::<bool>())
        .prop_map(move |(to, far)| Change::Seek(if far { stretched(rate, to) } else { to }));
    let slow = change().prop_filter("too fast", |change| !is_too_fast(*change));
    let also = prop_oneof![3 => Just(None), 2 => slow.prop_map(Some)];
    let step = (also.clone(), to, also, 0..400usize).prop_map(|(before, to, after, wait)| {
        let said = [before, Some(to), after].into_iter().flatten();
        said.map(|change| Op::Voice(0, change)).chain([Op::Render(wait)]).collect::<Vec<_>>()
    });
    let looping = proptest::option::of((time(), proptest::option::of(time())));
    (request(), looping, 0..400usize, vec(step, 1..5))
        .prop_map(move |(request, looping, wait, steps)| {
            let request = Request { looping, start: Start::Now, ..request };
            let play = Op::Play(streamed(rate, request));
            [vec![play, Op::Render(wait)], steps.concat()].concat()
        })
        .boxed()
}

/// A voice that is a stream, and all gains on its way.
pub fn script_of_gains(rate: u32) -> BoxedStrategy<Vec<Op>> {
    let with_stream = move |op| match op {
        Op::Play(request) => Op::Play(streamed(rate, Request { clip: 3, ..request })),
        other => other,
    };
    script::script_of_gains(false)
        .prop_map(move |ops| ops.into_iter().map(with_stream).collect())
        .boxed()
}

fn of_streams(rate: u32, op: Op) -> Op {
    let turn = |request| if is_turned(&request) { streamed(rate, request) } else { request };
    match op {
        Op::Voice(ago, change) if is_too_fast(change) => Op::Voice(ago, Change::EndLoop),
        Op::Tag(tag, change) if is_too_fast(change) => Op::Tag(tag, Change::EndLoop),
        Op::Play(request) => Op::Play(turn(request)),
        Op::Together(requests) => Op::Together(requests.into_iter().map(turn).collect()),
        Op::Crossfade(from, request, over) => Op::Crossfade(from, turn(request), over),
        Op::Voice(ago, Change::Seek(to)) if is_odd(to) => {
            Op::Voice(ago, Change::Seek(stretched(rate, to)))
        }
        other => other,
    }
}

fn is_too_fast(change: Change) -> bool {
    matches!(change, Change::Speed(to, _) if to > FASTEST)
}

/// Half of the clips become streams.
fn is_turned(request: &Request) -> bool {
    request.clip >= CLIPS / 2
}

/// The same of a stream: three of four times a long one, further into which everything lies.
fn streamed(rate: u32, request: Request) -> Request {
    let request = Request { speed: request.speed.min(FASTEST), ..request };
    if request.clip.is_multiple_of(4) {
        let looping = request.looping.map(|range| not_too_short(rate, LENGTHS[1], range));
        return Request { clip: CLIPS + 1, looping, ..request };
    }
    let own = request.position;
    let position = match request.looping {
        // A little before the end, where it turns.
        Some((_, None)) if !own.is_zero() => {
            whole(LENGTHS[0] as f64 / f64::from(rate)).saturating_sub(own)
        }
        // Somewhere around the loop.
        Some((start, Some(_))) if !own.is_zero() => stretched(rate, start) + own,
        _ => stretched(rate, own),
    };
    let far = |(start, end): Range| {
        let start = stretched(rate, start);
        not_too_short(rate, LENGTHS[0], (start, end.map(|end| start + end)))
    };
    Request { clip: CLIPS, position, looping: request.looping.map(far), ..request }
}

/// A loop, or the whole of the file instead of one that is shorter than what is read between samples: at another speed
/// than its own a voice hears of a stream what was before the loop for some rounds, of a sound only until it turns.
fn not_too_short(rate: u32, long: usize, range: Range) -> Range {
    let [start, end] = [Some(range.0), range.1].map(|time| {
        let end = |time| frames(time, rate).min(long as u64);
        time.map_or(long as u64, end)
    });
    let is_short = (start + 1..start + INTERPOLATED).contains(&end);
    if is_short { (Duration::ZERO, None) } else { range }
}

fn is_odd(time: Duration) -> bool {
    time.as_micros() % 2 == 1
}

/// A time in a script, as far into a long stream as it is into the longest of them, and now and then beyond it.
fn stretched(rate: u32, time: Duration) -> Duration {
    let long = LENGTHS[0] as f64 * 1.05 / f64::from(rate);
    whole(time.as_secs_f64() / LONGEST.as_secs_f64() * long)
}

/// In whole microseconds, as all times of scripts.
fn whole(seconds: f64) -> Duration {
    Duration::from_micros((seconds * 1e6) as u64)
}

/// With too few places for all of them.
pub fn config(rate: u32) -> impl Strategy<Value = Config> {
    (script::config(rate), 1..7usize).prop_map(|(config, streams)| Config { streams, ..config })
}
