//! The same where plays have places.

use std::time::Duration;

use voicepool::{Attenuation, Config, Distance, Listener, Point, Priority, ms};

use super::agree;
use super::cases::drone;
use super::naive::{Change, Request, Start};
use super::script::{Jump, Op, Whom};

const HOW: Attenuation =
    Attenuation { model: Distance::Linear, far: 20.0, doppler: 1.0, ..Attenuation::DEFAULT };

fn at(x: f32) -> Request {
    Request { place: Some(([x, 1.0].into(), HOW)), ..drone() }
}

fn listener(x: f32) -> Op {
    Op::Listener(Listener::at([x, 0.0]), Jump::Came)
}

/// In both orders, to a play in every state that it can be in: one voice, and room for two to park.
#[test]
fn any_two_things_may_be_said_of_a_place_on_one_line() {
    let now = Duration::ZERO;
    let others = || Op::Play(Request { priority: Priority::High, ..at(3.0) });
    let and = |mut script: Vec<Op>, op| {
        script.extend([op, Op::Render(300)]);
        script
    };
    let heard = || vec![Op::Play(at(2.0)), Op::Render(300)];
    let no_room = vec![Op::Play(at(50.0)), Op::Play(at(-50.0)), Op::Render(128)];
    // How many plays ago it was played.
    let states = [
        (0, vec![Op::Play(at(2.0))]),
        (0, vec![Op::Play(at(40.0))]),
        (0, heard()),
        (0, and(heard(), Op::Voice(0, Change::Pause(now)))),
        (0, and(heard(), Op::Voice(0, Change::Stop(ms(2000))))),
        // Out of earshot; and on its way there.
        (0, and(heard(), listener(50.0))),
        (0, [heard(), vec![listener(50.0), Op::Render(128)]].concat()),
        // It parks, robbed; and it waits for its frame.
        (1, and(heard(), others())),
        (0, vec![Op::Play(Request { start: Start::At(700), ..at(2.0) }), Op::Render(128)]),
        (0, [no_room, heard(), vec![listener(90.0), Op::Render(600)]].concat()),
    ];
    for rate in [1000, 48_000] {
        let config = Config {
            voices: 1,
            max_voices: 2,
            parked: 2,
            scheduled: 2,
            commands: 16,
            sample_rate: rate,
            ..Config::default()
        };
        for (ago, state) in &states {
            let ago = *ago;
            let one = Whom::Voice(ago);
            let to = |x: f32| Point::from([x, 1.0]);
            let said = [
                Op::Move(vec![(one, to(4.0))]),
                Op::Move(vec![(one, to(60.0))]),
                Op::Teleport(one, to(-5.0)),
                listener(5.0),
                listener(70.0),
                Op::Voice(ago, Change::Pause(now)),
                Op::Voice(ago, Change::Resume(now)),
                Op::Voice(ago, Change::Seek(ms(20))),
                Op::Voice(ago, Change::Stop(ms(100))),
                Op::Voice(ago, Change::Speed(1.5, ms(90))),
                Op::Resize(2),
                others(),
            ];
            for (a, b) in said.iter().flat_map(|a| said.iter().map(move |b| (a, b))) {
                let after = [Op::Render(350), listener(1.0), Op::Render(300)];
                let script = [&state[..], &[a.clone(), b.clone()], &after].concat();
                agree(&config, &script)
                    .unwrap_or_else(|fault| panic!("{fault} at {rate} Hz of {script:#?}"));
            }
        }
    }
}

/// Sixty-four wait for the end of a line, and more of them begin in the order in which they came.
#[test]
fn more_may_come_on_one_line_than_can_wait_for_its_end() {
    let config = Config { voices: 4, parked: 5, sample_rate: 1000, ..Config::default() };
    for listener_first in [true, false] {
        let plays = (0..150u8).map(|n| Op::Play(at(f32::from(n % 40))));
        let mut script: Vec<Op> = plays.collect();
        script.insert(if listener_first { 0 } else { 150 }, listener(30.0));
        script.push(Op::Render(600));
        agree(&config, &script).unwrap_or_else(|fault| panic!("{fault}"));
    }
}
