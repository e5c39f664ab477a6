//! What has gone wrong once, or might: scripts written by hand, for both mixers.

use std::time::Duration;

use voicepool::{Config, Priority, ms};

use super::long::is_taken_back;
use super::naive::{Change, Request, Start, What};
use super::script::Op;
use super::shaper::Shape;
use super::{agree, effects};

/// Robs a loop, makes it louder, and waits. At 48 kHz that is too long for random scripts.
#[test]
fn a_loop_that_has_become_louder_takes_a_place_back() {
    let quiet = Request { gain: 0.01, parks: None, bus: 2, ..drone() };
    for (rate, priority, patience) in [
        (48_000, Priority::Normal, 40_000),
        (48_000, Priority::High, 40_000),
        (1000, Priority::Normal, 900),
        (100, Priority::Normal, 400),
    ] {
        let config = Config { voices: 2, max_voices: 2, sample_rate: rate, ..Config::default() };
        let louder = Op::Voice(2, Change::Gain(3.0, Duration::ZERO));
        let script = [
            Op::Play(Request { priority, ..quiet.clone() }),
            Op::Play(Request { gain: 0.5, priority, ..drone() }),
            Op::Render(1000),
            Op::Play(Request { gain: 0.7, parks: None, priority, ..drone() }),
            Op::Render(300),
            louder,
            Op::Render(patience),
        ];
        let (told, _) = agree(&config, &script).unwrap_or_else(|fault| panic!("{fault} at {rate}"));
        assert!(told.iter().any(|it| is_taken_back(it, &told)), "at {rate}: {told:?}");
    }
}

/// Two of many are on a bus, wherever they are, and go one after the other.
#[test]
fn of_the_few_on_a_bus_none_is_forgotten() {
    let config = Config { voices: 16, max_voices: 16, sample_rate: 1000, ..Config::default() };
    for other in 1..16 {
        let play = |n: usize| {
            let (gain, bus) = match n {
                0 => (0.01, 1),
                n if n == other => (0.02, 1),
                _ => (0.5, 2),
            };
            Op::Play(Request { gain, bus, ..drone() })
        };
        let mut script: Vec<Op> = (0..16).map(play).collect();
        script.extend([Op::Render(200), Op::Play(drone()), Op::Play(drone()), Op::Render(200)]);
        let (told, _) =
            agree(&config, &script).unwrap_or_else(|fault| panic!("{fault} of {other}"));
        let gone: Vec<u64> = told.iter().map(|it| it.number).collect();
        assert_eq!(gone, [0, other as u64]);
    }
}

/// A loop of a sine.
pub fn drone() -> Request {
    Request {
        clip: 1,
        gain: 1.0,
        pan: 0.0,
        speed: 1.0,
        looping: Some((Duration::ZERO, None)),
        position: Duration::ZERO,
        fade_in: Duration::ZERO,
        start: Start::Now,
        priority: Priority::Normal,
        parks: Some(false),
        bus: 1,
        tag: 0,
        shape: Shape::PLAIN,
        place: None,
        cue: None,
    }
}

/// One voice at 48 kHz, where 5 ms are nearly two quanta. Returns what was told.
fn agree_on_one_voice(script: &[Op]) -> Vec<What> {
    let config = Config { voices: 1, max_voices: 1, ..Config::default() };
    let (told, _) = agree(&config, script).unwrap_or_else(|fault| panic!("{fault} of {script:?}"));
    told.iter().map(|it| it.what).collect()
}

#[test]
fn what_meets_a_pause_under_way_neither_clicks_nor_hangs() {
    let (soon, late) = (ms(1), ms(1000));
    for (meets, ends) in [
        (Op::Voice(0, Change::Seek(soon)), false),
        (Op::Voice(0, Change::Stop(late)), true),
        (Op::Bus(1, Change::Stop(late)), true),
        (Op::Play(Request { gain: 0.0, ..drone() }), true),
    ] {
        let pauses = [Duration::ZERO, ms(7)].map(Change::Pause);
        for pause in pauses.iter().flat_map(|it| [Op::Voice(0, *it), Op::Bus(1, *it)]) {
            for between in [Op::Render(0), Op::Render(128)] {
                let told = agree_on_one_voice(&[
                    Op::Play(drone()),
                    Op::Render(128),
                    pause.clone(),
                    between,
                    meets.clone(),
                    Op::Render(500),
                ]);
                assert_eq!(told.len(), usize::from(ends), "{meets:?} and {pause:?}: {told:?}");
            }
        }
    }
}

/// In both orders, to a play in every state that it can be in, and to its bus.
#[test]
fn any_two_controls_may_come_on_one_line() {
    let (now, slow) = (Duration::ZERO, ms(300));
    let controls = [
        Change::Pause(now),
        Change::Pause(slow),
        Change::Resume(now),
        Change::Resume(slow),
        Change::Mute(true),
        Change::Mute(false),
        Change::EndLoop,
        Change::Seek(ms(20)),
        Change::Stop(ms(100)),
        Change::Gain(0.0, now),
    ];
    let play = || Op::Play(drone());
    let later = |start| Op::Play(Request { start, ..drone() });
    let heard = || vec![play(), Op::Render(400)];
    let and = |mut script: Vec<Op>, change| {
        script.extend([Op::Voice(0, change), Op::Render(128)]);
        script
    };
    let protected = Op::Play(Request { priority: Priority::Protected, bus: 2, ..drone() });
    let states = [
        vec![play()],
        heard(),
        and(heard(), Change::Pause(now)),
        and(heard(), Change::Pause(slow)),
        and(and(heard(), Change::Pause(now)), Change::Resume(slow)),
        and(heard(), Change::Mute(true)),
        vec![later(Start::At(400)), Op::Render(128)],
        vec![later(Start::Delay(ms(200))), Op::Render(128)],
        // The second robs the first, which parks.
        vec![play(), Op::Render(128), protected, Op::Render(128)],
    ];
    let config = Config {
        voices: 1,
        max_voices: 1,
        commands: 16,
        parked: 2,
        scheduled: 2,
        sample_rate: 1000,
        ..Config::default()
    };
    for state in states {
        let plays = state.iter().filter(|op| matches!(op, Op::Play(_))).count();
        let voice = |change| Op::Voice(plays - 1, change);
        let bus = |change| match change {
            Change::Seek(_) => voice(change),
            _ => Op::Bus(1, change),
        };
        for (a, b) in controls.iter().flat_map(|a| controls.map(|b| (*a, b))) {
            for pair in [[voice(a), voice(b)], [bus(a), bus(b)], [voice(a), bus(b)]] {
                let open = [Change::Resume(now), Change::Mute(false)];
                let open = open.iter().flat_map(|change| [voice(*change), bus(*change)]);
                let mut script = [&state[..], &pair, &[Op::Render(350)]].concat();
                script.extend(open);
                script.push(Op::Render(200));
                agree(&config, &script).unwrap_or_else(|fault| panic!("{fault} of {script:?}"));
            }
        }
    }
}

#[test]
fn what_stops_and_stands_still_at_once_has_ended() {
    let still = [Op::Voice(0, Change::Pause(Duration::ZERO)), Op::Voice(0, Change::Seek(ms(1)))];
    let stop = [Op::StopAll(ms(1000)), Op::Voice(0, Change::Stop(ms(1000)))];
    for stop in stop {
        let mut script = vec![Op::Play(drone()), Op::Render(128), stop];
        script.extend(still.clone());
        script.push(Op::Render(500));
        assert_eq!(agree_on_one_voice(&script), [What::Stopped]);
    }
}

#[test]
fn what_is_set_before_the_first_frame_is_heard_from_it_on() {
    for change in [
        Change::Speed(1.5, Duration::ZERO),
        Change::Gain(0.5, Duration::ZERO),
        Change::Pan(-0.5, Duration::ZERO),
        Change::Seek(ms(3)),
    ] {
        agree_on_one_voice(&[Op::Play(drone()), Op::Voice(0, change), Op::Render(500)]);
    }
}

/// Else the time of the effect would go on.
#[test]
fn a_paused_voice_does_not_keep_an_effect_awake() {
    let pause = Op::Bus(0, Change::Pause(Duration::ZERO));
    let resume = Op::Bus(0, Change::Resume(Duration::ZERO));
    let effect = Op::Effect(1, Some(effects::Kind::Tremolo));
    let script = [effect, pause, Op::Play(drone()), Op::Render(400), resume, Op::Render(400)];
    agree_on_one_voice(&script);
}
