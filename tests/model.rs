//! Random scripts, played by the mixer and by a naive one: they must sound the same, and tell the
//! same of every play. `VOICEPOOL_LONG=1` plays many more.

#[path = "model/bus.rs"]
mod bus;
#[path = "model/change.rs"]
mod change;
#[path = "model/clip.rs"]
mod clip;
mod common;
#[path = "model/ducks.rs"]
mod ducks;
#[path = "model/effects.rs"]
mod effects;
#[path = "model/filter.rs"]
mod filter;
#[path = "model/ghost.rs"]
mod ghost;
#[path = "model/limiter.rs"]
mod limiter;
#[path = "model/naive.rs"]
mod naive;
#[path = "model/pair.rs"]
mod pair;
#[path = "model/parking.rs"]
mod parking;
#[path = "model/places.rs"]
mod places;
#[path = "model/room.rs"]
mod room;
#[path = "model/script.rs"]
mod script;
#[path = "model/stage.rs"]
mod stage;
#[path = "model/submix.rs"]
mod submix;
#[path = "model/tally.rs"]
mod tally;
#[path = "model/tree.rs"]
mod tree;
#[path = "model/voice.rs"]
mod voice;
#[path = "model/wishes.rs"]
mod wishes;

use std::cell::RefCell;
use std::fmt;
use std::time::Duration;

use naive::{Change, Happening, Request, Start, What, Why};
use pair::Pair;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{TestCaseError, TestRng, TestRunner};
use script::{Buses, INTERPOLATIONS, Op, POLICIES};
use tally::Tally;
use voice::Shape;
use voicepool::{Config, Priority, Refusal, ms};

/// What must be done in long games; else they prove little.
const ALL: [&str; 30] = [
    "2 together",
    "a delay that stood still",
    "a voice that loses its place while it is paused slowly",
    "end_loop of a bus",
    "end_loop of a parked play, which has been round",
    "end_loop of a tag",
    "end_loop of a voice, which has been round",
    "end_loop of a voice, which loops",
    "end_loop of a waiting play, which loops",
    "end_loop of the master",
    "hurried pause with a fade of a bus",
    "hurried pause with a fade of a voice",
    "hurried pause with a fade of the master",
    "hurried resume with a fade of a bus",
    "hurried resume with a fade of a voice",
    "mute of a bus that moves",
    "mute of a bus that stands",
    "mute of a parked play",
    "mute of a tag",
    "mute of a voice",
    "mute of a waiting play",
    "mute of the master that moves",
    "pair to a bus: pause with a fade, resume with a fade",
    "pair to a voice: pause with a fade, resume with a fade",
    "pause with a fade of a parked play",
    "pause with a fade of a tag",
    "pause with a fade of a waiting play",
    "pause with a fade of the master that moves",
    "resume with a fade of a bus that stands",
    "unmute of a parked play",
];

/// Plays a script, and a little silence after it. Returns what was told of its plays, and how often
/// what was done.
fn agree(config: &Config, script: &[Op]) -> Result<(Vec<Happening>, Tally), TestCaseError> {
    let mut pair = Pair::new(config);
    for op in script {
        pair.carry_out(op)?;
    }
    pair.listen(400)?;
    let tally = pair.tally().clone();
    Ok((pair.told, tally))
}

fn is_long() -> bool {
    std::env::var_os("VOICEPOOL_LONG").is_some()
}

/// Random scripts of a kind, each in a mixer of its own.
fn try_scripts<S: fmt::Debug>(
    of: &str,
    cases: u32,
    scripts: impl Strategy<Value = S>,
    play: impl Fn(&S) -> Result<Tally, TestCaseError>,
) -> Tally {
    let cases = if is_long() { 250 * cases } else { cases };
    let settings = ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 10_000,
        ..Default::default()
    };
    // The same scripts every time, so that a change fails by its own fault; new ones in a long run.
    let mut runner = if is_long() {
        TestRunner::new(settings)
    } else {
        let random = TestRng::deterministic_rng(settings.rng_algorithm);
        TestRunner::new_with_rng(settings, random)
    };
    let tally = RefCell::new(Tally::default());
    let outcome = runner.run(&scripts, |script| {
        tally.borrow_mut().add(&play(&script)?);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    let tally = tally.into_inner();
    println!("{cases} scripts {of}\n{tally}");
    tally
}

/// Of everything, at a rate.
fn try_scripts_at(rate: u32, cases: u32) {
    let scripts = (script::config(rate), script::script(rate, 1..60));
    try_scripts(&format!("at {rate} Hz"), cases, scripts, |(config, script)| {
        agree(config, script).map(|(_, tally)| tally)
    });
}

#[test]
fn scripts_at_a_thousand_hertz_sound_as_the_naive_mixer_plays_them() {
    try_scripts_at(1000, 150);
}

#[test]
fn scripts_at_a_hundred_hertz_sound_as_the_naive_mixer_plays_them() {
    try_scripts_at(100, 60);
}

#[test]
fn scripts_at_three_khz_sound_as_the_naive_mixer_plays_them() {
    try_scripts_at(3000, 40);
}

#[test]
fn scripts_at_48_khz_sound_as_the_naive_mixer_plays_them() {
    try_scripts_at(48_000, 60);
}

/// Of everything, and of buses. The naive mixer's levels know nothing of filters, so where there are any,
/// nobody is robbed.
fn try_scripts_of_buses(of: &str, which: Buses, cases: u32) -> Tally {
    let roomy = which.filters;
    let mut all = Tally::default();
    for rate in [1000, 48_000] {
        let scripts = (script::config(rate), script::script_of_buses(rate, which, 1..60));
        let tally =
            try_scripts(&format!("{of} at {rate} Hz"), cases, scripts, |(config, script)| {
                let mut config = config.clone();
                if roomy {
                    (config.voices, config.max_voices) = (250, 300);
                }
                let script = script.iter().filter(|op| !roomy || !matches!(op, Op::Resize(_)));
                agree(&config, &script.cloned().collect::<Vec<_>>()).map(|(_, tally)| tally)
            });
        all.add(&tally);
    }
    all
}

#[test]
fn a_tree_of_buses_sounds_as_the_naive_mixer_plays_it() {
    let which = Buses { tree: true, ..Buses::default() };
    let tally = try_scripts_of_buses("of trees", which, 100);
    tally.assert_each(
        20,
        ["a bus taken to another parent", "a bus that was heard taken to another parent"],
    );
}

#[test]
fn buses_in_slow_motion_sound_as_the_naive_mixer_plays_them() {
    let which = Buses { tree: true, speeds: true, ..Buses::default() };
    try_scripts_of_buses("of speeds", which, 100);
}

#[test]
fn filtered_buses_and_voices_sound_as_the_naive_mixer_plays_them() {
    try_scripts_of_buses("of filters", Buses { filters: true, ..Buses::default() }, 60);
}

#[test]
fn what_is_sent_to_rooms_sounds_as_the_naive_mixer_plays_it() {
    try_scripts_of_buses("of rooms", Buses { sends: true, ..Buses::default() }, 60);
}

#[test]
fn effects_sound_as_the_naive_mixer_plays_them() {
    try_scripts_of_buses("of effects", Buses { effects: true, ..Buses::default() }, 60);
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

#[test]
fn ducks_sound_as_the_naive_mixer_plays_them() {
    let which = Buses { ducks: true, ..Buses::default() };
    let tally = try_scripts_of_buses("of ducks", which, 100);
    tally.assert_each(20, ["a bus ducked or let go"]);
}

#[test]
fn all_that_buses_do_sounds_as_the_naive_mixer_plays_it() {
    try_scripts_of_buses("of all that buses do", Buses::ALL, 100);
}

/// What a voice is multiplied by: the way out first, then its own gains, then its pan.
#[test]
fn every_gain_to_the_ear_is_multiplied_in_the_order_that_was_promised() {
    for rate in [1000, 48_000] {
        let config = Config { voices: 1, max_voices: 1, sample_rate: rate, ..Config::default() };
        let of = format!("of gains at {rate} Hz");
        let tally = try_scripts(&of, 60, script::script_of_gains(), |script| {
            let mut pair = Pair::new(&config).exactly();
            script.iter().try_for_each(|op| pair.carry_out(op))?;
            pair.listen(400)?;
            Ok(pair.tally().clone())
        });
        tally.assert_each(3, ["mute of a voice", "mute of the master that moves"]);
    }
}

/// The same script every time for each policy and interpolation, long enough for pools to grow,
/// shrink back, and fill again. Returns how many took a place back.
fn play_long(rate: u32, commands: usize) -> usize {
    let commands = if is_long() { 100 * commands } else { commands };
    let mut runner = TestRunner::deterministic();
    let (mut told, mut taken_back, mut tally) = (Vec::new(), 0, Tally::default());
    for when_full in POLICIES {
        for interpolation in INTERPOLATIONS {
            let scripts = script::script(rate, commands);
            let script = scripts.new_tree(&mut runner).unwrap().current();
            let config = Config {
                voices: 3,
                max_voices: 6,
                parked: 5,
                scheduled: 2,
                commands: 2048,
                sample_rate: rate,
                when_full,
                interpolation,
                ..Config::default()
            };
            match agree(&config, &script) {
                Ok((more, counts)) => {
                    tally.add(&counts);
                    taken_back += more.iter().filter(|it| is_taken_back(it, &more)).count();
                    told.extend(more.iter().map(|it| it.what));
                }
                Err(fault) => panic!("{when_full:?}, {interpolation:?}: {fault}"),
            }
        }
    }
    // Else it would prove little.
    for kind in [
        What::Finished,
        What::Stopped,
        What::Stolen { by: 0, level: 0.0 },
        What::Refused(Refusal::PoolFull),
        What::Refused(Refusal::ScheduleFull),
        What::Refused(Refusal::Inaudible),
        What::Parked(Why::Stolen { by: 0, level: 0.0 }),
        What::Parked(Why::Paused),
        What::Parked(Why::Inaudible),
        What::Parked(Why::Shrunk),
        What::Parked(Why::PoolFull),
        What::Unparked,
        What::Started,
    ] {
        let count = told.iter().filter(|what| is_alike(**what, kind)).count();
        assert!(count >= 10, "only {count} were {kind:?}");
    }
    println!("long games at {rate} Hz\n{tally}");
    tally.assert_each(1, ALL);
    taken_back
}

/// Whether two things are the same but for their details.
fn is_alike(a: What, b: What) -> bool {
    let bare = |what| match what {
        What::Stolen { .. } => What::Stolen { by: 0, level: 0.0 },
        What::Parked(Why::Stolen { .. }) => What::Parked(Why::Stolen { by: 0, level: 0.0 }),
        other => other,
    };
    bare(a) == bare(b)
}

/// Whether a play came back by taking another's place.
fn is_taken_back(it: &Happening, told: &[Happening]) -> bool {
    let robbed = |other: &Happening| match other.what {
        What::Stolen { by, .. } | What::Parked(Why::Stolen { by, .. }) => by == it.number,
        _ => false,
    };
    it.what == What::Unparked && told.iter().any(|other| other.at == it.at && robbed(other))
}

#[test]
fn a_long_game_at_a_thousand_hertz_sounds_as_the_naive_mixer_plays_it() {
    let taken_back = play_long(1000, 400);
    assert!(taken_back >= 10, "only {taken_back} took a place back");
}

#[test]
fn a_long_game_at_48_khz_sounds_as_the_naive_mixer_plays_it() {
    play_long(48_000, 300);
}

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
fn drone() -> Request {
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
