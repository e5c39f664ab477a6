//! What crosses to the audio side when buses are set up, and what its answers do.

use super::*;
use crate::bus::{Bus, BusState, Mix};
use crate::duck::DuckFrames;
use crate::effect::{Effect, EffectTrouble};
use crate::reverb::{Reverb, RoomId};

const A: BusId = BusId::new(1);
const B: BusId = BusId::new(2);
const ROOM: RoomId = RoomId::new(2);
const DUCK: DuckFrames = DuckFrames { gain: 0.5, attack: 1, hold: 2, release: 3 };

fn ledger(commands: usize) -> (Ledger, Arc<Bridge>) {
    let config = Config { voices: 4, commands, ..Config::default() };
    let bridge = Arc::new(Bridge::new(&config));
    (Ledger::new(&config, 0, bridge.clone(), |plan, _| Box::new(plan)), bridge)
}

/// What has crossed since this was last asked, in a few words each, with `+` for a submix.
fn crossed(ledger: &mut Ledger, bridge: &Bridge) -> Vec<String> {
    ledger.publish();
    let plus = |submix: &Option<Made>| if submix.is_some() { "+" } else { "" };
    let told = |command: Command| match command {
        Command::Bus { bus, change, submix } => {
            let change = format!("{change:?}");
            let word = change.split(' ').next().unwrap_or_default().to_owned();
            format!("{} {word}{}", bus.index(), plus(&submix))
        }
        Command::Place { bus, place } => format!("{} under {}", bus.index(), place.parent.index()),
        Command::Duck { bus, by, duck } => {
            format!("{} ducks {} {}", bus.index(), by.index(), duck.is_some())
        }
        Command::Effect { bus, effect, submix } => {
            format!("{} effect {}{}", bus.index(), effect.is_some(), plus(&submix))
        }
        Command::Room { room, over, .. } => format!("room {} over {over}", room.index()),
        Command::Play(_) => "play".to_owned(),
        _ => panic!("nothing of these was said"),
    };
    std::iter::from_fn(|| bridge.next_command()).map(told).collect()
}

/// Lets the audio side say something, and the ledger hear it.
fn report(ledger: &mut Ledger, bridge: &Bridge, report: Report) {
    assert!(bridge.reports.send(report).is_ok());
    let mut drops = DeferredDrops::new();
    ledger.collect(&mut drops);
    drops.release();
    ledger.flush();
}

fn say(ledger: &mut Ledger, bus: BusId, change: Change) {
    ledger.change(Target::Bus(bus), change);
}

fn low_pass(to: f32) -> Change {
    Change::LowPass { to, over: 0 }
}

fn send(to: f32) -> Change {
    Change::Send { room: ROOM, to, over: 0 }
}

#[test]
fn a_submix_travels_with_the_first_command_that_needs_one() {
    let (mut ledger, bridge) = ledger(64);
    say(&mut ledger, A, Change::Gain { to: 0.5, over: 0 });
    // What turns off what was never on needs none.
    say(&mut ledger, A, low_pass(20_000.0));
    say(&mut ledger, A, Change::HighPass { to: 20.0, over: 0 });
    say(&mut ledger, A, send(0.0));
    assert!(ledger.set_effect(A, None).is_none());
    say(&mut ledger, A, low_pass(500.0));
    say(&mut ledger, A, send(0.5));
    say(&mut ledger, B, send(0.5));
    ledger.set_effect(B, Some(Box::new(Nothing)));
    ledger.set_effect(BusId::new(3), Some(Box::new(Nothing)));
    say(&mut ledger, BusId::new(3), Change::HighPass { to: 50.0, over: 0 });
    let all = [
        "1 Gain",
        "1 LowPass",
        "1 HighPass",
        "1 Send",
        "1 LowPass+",
        "1 Send",
        "2 Send+",
        "2 effect true",
        "3 effect true+",
        "3 HighPass",
    ];
    assert_eq!(crossed(&mut ledger, &bridge), all);
}

struct Nothing;

impl Effect for Nothing {
    fn process(&mut self, _: &mut [f32], _: &mut [f32]) {}
}

/// A submix that is made for a command with no room would be made again, and be one too many.
#[test]
fn what_waits_takes_its_submix_along_when_it_goes() {
    let (mut ledger, bridge) = ledger(1);
    for change in [send(0.5), low_pass(500.0), send(0.7)] {
        say(&mut ledger, A, change);
    }
    let mut all = crossed(&mut ledger, &bridge);
    for _ in 0..3 {
        ledger.flush();
        all.extend(crossed(&mut ledger, &bridge));
    }
    assert_eq!(all, ["1 Send+", "1 LowPass", "1 Send"]);
    let (mut ledger, bridge) = self::ledger(1);
    say(&mut ledger, B, Change::Mute(true));
    say(&mut ledger, A, low_pass(500.0));
    assert_eq!(crossed(&mut ledger, &bridge), ["2 Mute(true)"]);
    ledger.flush();
    assert_eq!(crossed(&mut ledger, &bridge), ["1 LowPass+"]);
}

/// To stop a bus stops what leads to it by then, and no more.
#[test]
fn settings_wait_in_one_line_with_the_controls() {
    let (mut ledger, bridge) = ledger(1);
    let under = |parent| Bus { parent, ..Bus::DEFAULT };
    say(&mut ledger, B, Change::Mute(true));
    say(&mut ledger, B, Change::Stop { fade: 0 });
    ledger.set_bus(A, under(B)).expect("no circle");
    say(&mut ledger, BusId::MASTER, Change::Stop { fade: 0 });
    ledger.set_bus(A, under(BusId::new(9))).expect("no circle");
    ledger.set_duck(A, B, Some(DUCK)).expect("no circle");
    assert!(ledger.validate(&[A]).is_none(), "plays do not overtake them");
    let mut all = crossed(&mut ledger, &bridge);
    for _ in 0..6 {
        ledger.flush();
        all.extend(crossed(&mut ledger, &bridge));
    }
    assert_eq!(all, ["2 Mute(true)", "2 Stop", "1 under 9", "0 Stop", "1 ducks 2 true"]);
}

/// The first room takes nobody's place, so that nothing comes home for it.
#[test]
fn a_room_waits_until_the_one_before_it_has_come_home() {
    let (mut ledger, bridge) = ledger(64);
    for over in 1..=4 {
        ledger.set_reverb(ROOM, Reverb::DEFAULT, over);
    }
    ledger.set_reverb(RoomId::new(0), Reverb::DEFAULT, 9);
    let sent = crossed(&mut ledger, &bridge);
    assert_eq!(sent, ["room 2 over 1", "room 2 over 2", "room 0 over 9"]);
    ledger.flush();
    assert_eq!(crossed(&mut ledger, &bridge), [""; 0]);
    report(&mut ledger, &bridge, Report::Retired(Retired::Room(ROOM), Box::new(())));
    assert_eq!(crossed(&mut ledger, &bridge), ["room 2 over 4"]);
    report(&mut ledger, &bridge, Report::Retired(Retired::Room(ROOM), Box::new(())));
    assert_eq!(crossed(&mut ledger, &bridge), [""; 0]);
}

#[test]
fn an_effect_that_has_failed_needs_not_be_taken_out() {
    let (mut ledger, bridge) = ledger(64);
    ledger.set_effect(A, Some(Box::new(Nothing)));
    report(&mut ledger, &bridge, Report::EffectChanged { bus: A, old: None });
    assert_eq!(crossed(&mut ledger, &bridge), ["1 effect true+"]);
    let (at, why) = (128, EffectTrouble::Panicked);
    report(&mut ledger, &bridge, Report::EffectFailed { bus: A, at, why });
    report(&mut ledger, &bridge, Report::EffectRetired(Box::new(Nothing)));
    ledger.set_effect(A, None);
    assert_eq!(crossed(&mut ledger, &bridge), [""; 0]);
    ledger.set_effect(A, Some(Box::new(Nothing)));
    ledger.set_effect(A, None);
    assert_eq!(crossed(&mut ledger, &bridge), ["1 effect true"]);
    report(&mut ledger, &bridge, Report::EffectChanged { bus: A, old: None });
    assert_eq!(crossed(&mut ledger, &bridge), ["1 effect false"]);
}

#[test]
fn a_mix_sends_what_differs_and_no_more() {
    let (mut ledger, bridge) = ledger(64);
    let mut mix = Mix::default();
    let settings = Bus { parent: B, ..Bus::DEFAULT };
    let state = BusState { settings, gain: 0.5, low_pass: 500.0, ..BusState::DEFAULT };
    mix.set_bus_state(A, state);
    mix.set_bus_state(B, BusState { paused: true, muted: true, speed: 0.5, ..BusState::DEFAULT });
    ledger.set_mix(&mix, 7);
    let all = ["1 under 2", "1 Gain", "1 LowPass+", "2 Mute(true)", "2 Pause", "2 Speed"];
    assert_eq!(crossed(&mut ledger, &bridge), all);
    ledger.set_mix(&mix, 7);
    assert_eq!(crossed(&mut ledger, &bridge), [""; 0]);
    assert_eq!(ledger.mix(), mix);
}

/// A reserve that nobody uses is taken for all but those it is kept for.
#[test]
fn a_pool_grows_before_it_takes_what_is_reserved() {
    let config = Config {
        voices: 4,
        max_voices: 8,
        commands: 64,
        when_full: WhenFull::Grow,
        ..Config::default()
    };
    let play = Play::of(Sound::from_mono(48_000, &[0.5]).unwrap());
    for (reserved, bus, fit) in [(0, B, 4), (3, B, 1), (3, A, 4), (4, A, 4), (4, B, 0)] {
        let bridge = Arc::new(Bridge::new(&config));
        let mut ledger = Ledger::new(&config, 0, bridge.clone(), |_, _| Box::new(()));
        ledger.set_bus(A, Bus { reserved, ..Bus::DEFAULT }).expect("there are as many");
        for _ in 0..fit {
            let admission = ledger.validate(&[bus]).expect("there is room");
            assert_eq!(admission.grow_to, None, "{reserved} reserved");
            ledger.accept(play.clone().bus(bus)).expect("it is sent");
        }
        let admission = ledger.validate(&[bus]).expect("there is room");
        assert_eq!(admission.grow_to, Some(8), "{reserved} reserved");
    }
}

/// The audio side may empty the queue at any moment, also while a call is under way.
#[test]
fn settings_do_not_overtake_what_waits_when_the_queue_is_emptied() {
    let (mut ledger, bridge) = ledger(1);
    say(&mut ledger, B, Change::Mute(true));
    say(&mut ledger, B, Change::Stop { fade: 0 });
    let mut all = crossed(&mut ledger, &bridge);
    ledger.set_bus(A, Bus { parent: B, ..Bus::DEFAULT }).expect("no circle");
    for _ in 0..3 {
        ledger.flush();
        all.extend(crossed(&mut ledger, &bridge));
    }
    assert_eq!(all, ["2 Mute(true)", "2 Stop", "1 under 2"]);
}
