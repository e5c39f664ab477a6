//! Random scripts about buses.

use std::time::Duration;

use proptest::collection::{SizeRange, vec};
use proptest::prelude::*;
use voicepool::{Duck, Reverb};

use super::effects::Kind;
use super::naive::{Change, Request};
use super::script::{Op, Whom, bus, bus_change, op, request, time};
use super::script_of_places;
use super::shaper::Shape;
use super::submix::ROOMS;

/// What a script may do with its buses, beside what it may do to voices.
#[derive(Clone, Copy, Debug, Default)]
pub struct Buses {
    pub tree: bool,
    pub speeds: bool,
    pub filters: bool,
    pub sends: bool,
    pub effects: bool,
    pub ducks: bool,
    /// And whether what plays on them has a place.
    pub places: bool,
}

impl Buses {
    pub const ALL: Buses = Buses {
        tree: true,
        speeds: true,
        filters: true,
        sends: true,
        effects: true,
        ducks: true,
        places: true,
    };
}

/// Random lines, and among them many about buses.
pub fn script(
    rate: u32,
    which: Buses,
    scenes: impl Into<SizeRange>,
) -> impl Strategy<Value = Vec<Op>> {
    let Buses { filters, sends, places, .. } = which;
    let one =
        if places { prop_oneof![request(), script_of_places::placed()].boxed() } else { request() };
    let plays = (one, low_pass(), (0..ROOMS, 0.0..1.0f32), any::<[bool; 2]>());
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
    let of_buses = if places {
        prop_oneof![4 => of_buses, 1 => script_of_places::place_op(true)].boxed()
    } else {
        of_buses.boxed()
    };
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
    let Buses { tree, speeds, filters, sends, effects, ducks, .. } = which;
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
