//! Random scripts about places: who is where, and what is heard of that.

use std::time::Duration;

use proptest::collection::{SizeRange, vec};
use proptest::prelude::*;
use voicepool::{Attenuation, Distance, Listener, Point};

use super::naive::{Change, Request, Start};
use super::script::{self, Jump, Op, TAGS, Whom, change, request, time};

/// A world in which about half of what is said is out of earshot.
fn point() -> BoxedStrategy<Point> {
    let far = || -30.0..30.0f32;
    prop_oneof![
        10 => [far(), far(), far()].prop_map(Point::from),
        5 => [far(), far()].prop_map(Point::from),
        3 => [-3.0..3.0f32, -3.0..3.0f32].prop_map(Point::from),
        1 => Just(Point::default()),
    ]
    .boxed()
}

fn attenuation() -> BoxedStrategy<Attenuation> {
    let model = prop_oneof![
        4 => Just(Distance::Inverse),
        4 => Just(Distance::Linear),
        4 => Just(Distance::Exponential),
        1 => Just(Distance::None),
    ];
    let near = prop_oneof![4 => 0.1..5.0f32, 1 => 0.0..0.1f32];
    // Now and then nearer than near.
    let far = prop_oneof![8 => 5.0..45.0f32, 1 => 1.0..10.0f32, 1 => Just(100.0)];
    let rolloff = prop_oneof![6 => 0.2..3.0f32, 1 => 0.0..30.0f32];
    let width = prop_oneof![2 => Just(1.0), 2 => 0.001..30.0f32];
    let pan = prop_oneof![2 => Just(1.0), 1 => Just(0.0), 2 => 0.0..1.0f32];
    let doppler = prop_oneof![3 => Just(0.0), 1 => Just(1.0), 1 => 0.1..4.0f32];
    (model, near, far, rolloff, width, pan, doppler)
        .prop_map(|(model, near, far, rolloff, width, pan, doppler)| Attenuation {
            model,
            near,
            far,
            rolloff,
            width,
            pan,
            doppler,
        })
        .boxed()
}

fn listener() -> BoxedStrategy<Listener> {
    let facing = prop_oneof![
        2 => Just((Listener::DEFAULT.forward, Listener::DEFAULT.up)),
        3 => (point(), point()),
    ];
    (point(), facing)
        .prop_map(|(position, (forward, up))| Listener { position, forward, up })
        .boxed()
}

/// A play with a place.
pub fn placed() -> BoxedStrategy<Request> {
    (request(), point(), attenuation())
        .prop_map(|(request, at, how)| Request { place: Some((at, how)), ..request })
        .boxed()
}

/// The same as a loop that begins at once and is near the ear.
fn near() -> BoxedStrategy<Request> {
    (placed(), 0.05..1.0f32, -2.0..2.0f32)
        .prop_map(|(request, gain, x)| {
            let place = request.place.map(|(_, how)| (Point::from([x, 0.5]), how));
            let (looping, start) = (Some((Duration::ZERO, None)), Start::Now);
            Request { gain, looping, start, place, ..request }
        })
        .boxed()
}

/// Now and then somebody who cannot be moved.
fn whom() -> BoxedStrategy<Whom> {
    prop_oneof![
        9 => (0..4usize).prop_map(Whom::Voice),
        3 => (0..TAGS).prop_map(Whom::Tag),
        1 => script::bus().prop_map(Whom::Bus),
    ]
    .boxed()
}

fn set_listener() -> BoxedStrategy<Op> {
    let jump = prop_oneof![3 => Just(Jump::Came), 1 => Just(Jump::Jumped)];
    (listener(), jump).prop_map(|(listener, jump)| Op::Listener(listener, jump)).boxed()
}

fn move_one() -> BoxedStrategy<Op> {
    prop_oneof![
        4 => (whom(), point()).prop_map(|(whom, to)| Op::Move(vec![(whom, to)])),
        1 => (whom(), point()).prop_map(|(whom, to)| Op::Teleport(whom, to)),
    ]
    .boxed()
}

fn occlude() -> BoxedStrategy<Op> {
    let amount = prop_oneof![1 => Just(0.0), 1 => Just(1.0), 4 => 0.0..=1.0f32];
    (vec((whom(), amount), 1..4), time()).prop_map(|(all, over)| Op::Occlude(all, over)).boxed()
}

pub fn place_op(walls: bool) -> BoxedStrategy<Op> {
    let few = prop_oneof![8 => 2..6usize, 1 => Just(0)];
    let many = few.prop_flat_map(|count| vec((whom(), point()), count)).prop_map(Op::Move);
    let wall = if walls { occlude() } else { move_one() };
    prop_oneof![3 => set_listener(), 4 => move_one(), 1 => many, 3 => wall].boxed()
}

/// What is likely to go wrong, and seldom said by chance.
fn scene(rate: u32) -> BoxedStrategy<Vec<Op>> {
    let wait = |most: usize| (0..most).prop_map(Op::Render);
    let line = || prop_oneof![3 => Just(128), 1 => Just(256), 1 => 20..300usize];
    let here = |x: f32| Op::Listener(Listener::at([x, 0.0]), Jump::Came);
    // By so much in each step: up to the speed of sound and a little beyond, in a quantum.
    let step = 343.0 * 128.0 / rate as f32;
    let steps = [-1.2..1.2f32, -0.5..0.5f32].prop_map(move |to| to.map(|it| it * step));
    // It flies past, or the listener does.
    let pass = (near(), steps.clone(), vec(line(), 1..20), 0..3usize, any::<bool>());
    let pass = pass.prop_map(|(request, [x, y], waits, still, both)| {
        let how = request.place.map_or(Attenuation::DEFAULT, |(_, how)| how);
        let how = Attenuation { doppler: how.doppler.max(0.3), far: 60.0, ..how };
        let mut all = vec![Op::Play(Request { place: Some(([2.0, 1.0].into(), how)), ..request })];
        for (n, wait) in (0u8..).zip(waits) {
            let n = f32::from(n);
            let at = Point::from([2.0 + x * n, 1.0 + y * n]);
            match still {
                0 => all.push(Op::Move(vec![(Whom::Voice(0), at)])),
                1 => all.push(Op::Listener(Listener::at(at), Jump::Came)),
                _ => all.push(Op::Listener(Listener::at([y * n, 0.0]), Jump::Came)),
            }
            if both {
                all.push(Op::Move(vec![(Whom::Voice(0), at)]));
            }
            all.push(Op::Render(wait));
        }
        all
    });
    // The listener goes away, and comes back; or to and fro over the border.
    let parts = prop_oneof![Just(0.5), Just(0.97), Just(0.99), Just(1.01), 0.0..1.5f32];
    let border = (vec(near(), 1..4), vec((parts, wait(500)), 2..8));
    let border = border.prop_map(move |(plays, ways)| {
        let far = plays[0].place.map_or(10.0, |(_, how)| how.far);
        let at_zero = |request: Request| {
            let place = request.place.map(|(_, how)| (Point::default(), how));
            Op::Play(Request { place, ..request })
        };
        let ways = ways.into_iter().flat_map(|(part, wait)| [here(far * part), wait]);
        plays.into_iter().map(at_zero).chain(ways).collect()
    });
    // Played before the listener comes, or after, and something else is said on the same line.
    let said = proptest::option::of(prop_oneof![
        2 => change().prop_map(|change| Op::Voice(0, change)),
        1 => move_one(),
        1 => (1..8usize).prop_map(Op::Resize),
    ]);
    let arrival = (set_listener(), placed(), vec(said, 1..4), any::<bool>(), wait(400));
    let arrival = arrival.prop_map(|(listener, request, said, first, wait)| {
        let play = Op::Play(Request { start: Start::Now, ..request });
        let both = if first { [listener, play] } else { [play, listener] };
        both.into_iter().chain(said.into_iter().flatten()).chain([wait]).collect()
    });
    // A full pool: who is quietest depends on where the listener stands.
    let full = (vec(near(), 4..9), wait(300), set_listener(), vec(placed(), 0..3), request());
    let full = (full, any::<bool>()).prop_map(
        |((plays, wait, listener, others, last), first): (_, bool)| {
            let plays = plays.into_iter().map(Op::Play).chain([wait]);
            let mut thieves: Vec<Op> = others.into_iter().chain([last]).map(Op::Play).collect();
            thieves.insert(if first { 0 } else { thieves.len() }, listener);
            plays.chain(thieves).chain([Op::Render(200)]).collect()
        },
    );
    // Moved while it is paused, waits for its frame, or has lost its voice; then it goes on.
    let state = prop_oneof![
        2 => Just(Change::Pause(Duration::ZERO)),
        1 => time().prop_map(Change::Pause),
        1 => time().prop_map(Change::Stop),
        1 => Just(Change::Mute(true)),
        1 => Just(Change::Seek(Duration::ZERO)),
    ];
    let start = prop_oneof![2 => Just(Start::Now), 1 => (150..900u64).prop_map(Start::At)];
    let states = (near(), start, wait(300), state, wait(300), vec(move_one(), 1..3), wait(300));
    let states = states.prop_map(|(request, start, first, state, then, moves, last)| {
        let play = Op::Play(Request { start, ..request });
        let to = |op| match op {
            Op::Move(moves) => {
                Op::Move(moves.into_iter().map(|(_, to)| (Whom::Voice(0), to)).collect())
            }
            Op::Teleport(_, to) => Op::Teleport(Whom::Voice(0), to),
            other => other,
        };
        let open = [Change::Resume(Duration::ZERO), Change::Mute(false)];
        let open = open.map(|change| Op::Voice(0, change));
        [play, first, Op::Voice(0, state), then]
            .into_iter()
            .chain(moves.into_iter().map(to))
            .chain([last])
            .chain(open)
            .chain([Op::Render(300)])
            .collect()
    });
    // More is said of places on one line than there are blocks for.
    let flood = (vec(placed(), 3..6), vec(vec((0..3usize, point()), 3..5), 4..8), wait(500));
    let flood = flood.prop_map(|(plays, floods, wait)| {
        let said = |all: Vec<(usize, Point)>| {
            let all = all.into_iter().enumerate();
            Op::Move(all.map(|(ago, (_, to))| (Whom::Voice(ago), to)).collect())
        };
        let plays = plays.into_iter().map(Op::Play);
        plays.chain(floods.into_iter().map(said)).chain([wait, Op::Render(128)]).collect()
    });
    prop_oneof![
        4 => pass,
        4 => border,
        4 => arrival,
        3 => full,
        4 => states,
        1 => flood,
    ]
    .boxed()
}

/// Random lines, and among them many about places.
pub fn script(
    rate: u32,
    walls: bool,
    scenes: impl Into<SizeRange>,
) -> impl Strategy<Value = Vec<Op>> {
    let one = |op| vec![op];
    let scene = prop_oneof![
        6 => script::op(rate).prop_map(one),
        5 => placed().prop_map(|request| vec![Op::Play(request)]),
        2 => (0..400usize).prop_map(|frames| vec![Op::Render(frames)]),
        6 => place_op(walls).prop_map(one),
        3 => scene(rate),
    ];
    vec(scene, scenes).prop_map(|scenes| scenes.concat())
}
