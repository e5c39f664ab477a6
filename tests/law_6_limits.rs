//! Law 6, limits and reserves: a full bus steals within itself, and what is reserved is kept from all
//! others.

mod common;

use std::collections::HashMap;

use common::{POLICIES, Random, assert_balanced, mono};
use voicepool::{
    Bus, BusId, Config, Ending, Event, Mixer, Parking, Play, Priority, Refusal, Renderer, VoiceId,
    WhenFull, WhenStolen, ms,
};

/// A toy rate, at which a constant is as loud as it is high. A quantum lasts longer than the parked are
/// kept from coming back.
const RATE: u32 = 100;

const SPEECH: BusId = BusId::new(1);
const SHOTS: BusId = BusId::new(2);
const NEAR: BusId = BusId::new(3);
const FAR: BusId = BusId::new(4);

/// Near and far shots below the shots.
const BELOW_SHOTS: Bus = Bus { parent: SHOTS, ..Bus::DEFAULT };

/// A mixer at a script's disposal: what it says is heard on the next line.
struct Scene {
    mixer: Mixer,
    renderer: Renderer,
}

impl Scene {
    fn new(voices: usize, when_full: WhenFull) -> Scene {
        let config = Config {
            voices,
            max_voices: voices,
            parked: 8,
            scheduled: 8,
            commands: 256,
            sample_rate: RATE,
            when_full,
            ..Config::default()
        };
        let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
        renderer.frames(128);
        for bus in [NEAR, FAR] {
            mixer.set_bus(bus, BELOW_SHOTS).expect("a good bus");
        }
        Scene { mixer, renderer }
    }

    fn limit(&self, bus: BusId, limit: Bus) {
        self.mixer.set_bus(bus, limit).expect("a good bus");
    }

    fn ask(&self, play: Play, tag: u64) -> VoiceId {
        self.mixer.play(play.tag(tag)).expect("there is room in the queue")
    }

    /// To the next line: what has happened, by tag.
    fn go_on(&mut self) -> Vec<(u64, What)> {
        self.renderer.frames(128);
        assert_balanced(&self.mixer.stats());
        self.mixer.events().map(what).collect()
    }

    fn play(&mut self, play: Play, tag: u64) -> Vec<(u64, What)> {
        self.ask(play, tag);
        self.go_on()
    }
}

#[derive(Debug, PartialEq)]
enum What {
    Ended(Ending),
    StolenBy(u64),
    Parked(Parking),
    ParkedBy(u64),
    Unparked,
}

fn what(event: Event) -> (u64, What) {
    match event {
        Event::Ended { tag, why: Ending::Stolen { by_tag, .. }, .. } => {
            (tag, What::StolenBy(by_tag))
        }
        Event::Ended { tag, why, .. } => (tag, What::Ended(why)),
        Event::Parked { tag, why: Parking::Stolen { by_tag, .. }, .. } => {
            (tag, What::ParkedBy(by_tag))
        }
        Event::Parked { tag, why, .. } => (tag, What::Parked(why)),
        Event::Unparked { tag, .. } => (tag, What::Unparked),
        other => panic!("{other:?}"),
    }
}

const BUS_FULL: What = What::Ended(Ending::Refused { why: Refusal::BusFull });
const POOL_FULL: What = What::Ended(Ending::Refused { why: Refusal::PoolFull });

/// A steady sound without end, of some level, that ends when it is robbed.
fn steady(bus: BusId, level: f32) -> Play {
    Play::of(mono(RATE, &[level])).looping().when_stolen(WhenStolen::End).bus(bus)
}

fn at_most(max_voices: usize) -> Bus {
    Bus { max_voices: Some(max_voices), ..Bus::DEFAULT }
}

fn reserved(reserved: usize) -> Bus {
    Bus { reserved, ..Bus::DEFAULT }
}

/// At its limit a bus answers as it was told, or as the mixer was; others are left alone, however quiet
/// they are, though there are voices free.
#[test]
fn a_full_bus_steals_within_itself_by_its_own_answer_or_the_mixers() {
    for mixers in POLICIES {
        for own in [None].into_iter().chain(POLICIES.map(Some)) {
            let mut scene = Scene::new(8, mixers);
            scene.limit(SHOTS, Bus { when_full: own, ..at_most(3) });
            scene.play(steady(SPEECH, 0.01), 1);
            scene.play(steady(SHOTS, 0.3), 2);
            scene.play(steady(NEAR, 0.2), 3);
            scene.play(steady(FAR, 0.1), 4);
            let happened = scene.play(steady(NEAR, 0.05), 5);
            let expected = match own.unwrap_or(mixers) {
                WhenFull::Refuse => (5, BUS_FULL),
                WhenFull::StealOldest => (2, What::StolenBy(5)),
                _ => (4, What::StolenBy(5)),
            };
            assert_eq!(happened, [expected], "{mixers:?}, {own:?}");
            assert_eq!((scene.mixer.stats().playing, scene.mixer.stats().full), (4, 1));
        }
    }
}

/// Buses are asked from the leaf to the root, and one victim is enough for all of them.
#[test]
fn the_bus_nearest_to_the_newcomer_chooses_for_all_above_it() {
    let mut scene = Scene::new(4, WhenFull::StealQuietest);
    scene.limit(BusId::MASTER, Bus { when_full: Some(WhenFull::Refuse), ..at_most(4) });
    scene.limit(SHOTS, Bus { when_full: Some(WhenFull::Refuse), ..at_most(3) });
    scene.limit(
        NEAR,
        Bus {
            when_full: Some(WhenFull::StealOldest),
            ..Bus { max_voices: Some(2), ..BELOW_SHOTS }
        },
    );
    scene.play(steady(SPEECH, 0.01), 1);
    scene.play(steady(NEAR, 0.3), 2);
    scene.play(steady(NEAR, 0.2), 3);
    scene.play(steady(FAR, 0.1), 4);
    assert_eq!(scene.play(steady(NEAR, 0.3), 5), [(2, What::StolenBy(5))]);
    assert_eq!(scene.play(steady(FAR, 0.3), 6), [(6, BUS_FULL)], "the shots refuse");
    assert_eq!(scene.play(steady(SPEECH, 0.3), 7), [(7, BUS_FULL)], "and so does the master");
    scene.limit(BusId::MASTER, at_most(4));
    scene.limit(SHOTS, at_most(3));
    assert_eq!(scene.play(steady(SPEECH, 0.3), 8), [(1, What::StolenBy(8))]);
    assert_eq!(scene.play(steady(SHOTS, 0.3), 9), [(4, What::StolenBy(9))]);
}

/// Priorities hold on a full bus as everywhere: nobody robs those above it, nor the protected unless
/// they are stopping.
#[test]
fn priorities_hold_within_a_full_bus() {
    let mut scene = Scene::new(8, WhenFull::StealQuietest);
    scene.limit(SHOTS, at_most(2));
    scene.play(steady(SPEECH, 0.01).priority(Priority::Low), 1);
    scene.play(steady(SHOTS, 0.1).priority(Priority::High), 2);
    scene.play(steady(NEAR, 0.3), 3);
    assert_eq!(scene.play(steady(FAR, 0.2).priority(Priority::Low), 4), [(4, BUS_FULL)]);
    assert_eq!(scene.play(steady(FAR, 0.2), 5), [(3, What::StolenBy(5))]);
    let protected = |bus| steady(bus, 0.1).priority(Priority::Protected);
    assert_eq!(scene.play(protected(NEAR), 6), [(5, What::StolenBy(6))]);
    assert_eq!(scene.play(protected(NEAR), 7), [(2, What::StolenBy(7))]);
    assert_eq!(scene.play(protected(NEAR), 8), [(8, BUS_FULL)]);
    let parks = steady(NEAR, 0.4).when_stolen(WhenStolen::Park);
    assert_eq!(scene.play(parks, 9), [(9, What::Parked(Parking::BusFull))]);
    scene.mixer.stop(NEAR, ms(0));
    scene.ask(protected(NEAR), 10);
    let stopped = What::Ended(Ending::Stopped);
    let happened = scene.go_on();
    assert_eq!(happened[..2], [(9, What::Ended(Ending::Stopped)), (6, stopped)], "{happened:?}");
}

/// Who cannot be heard robs nobody on a full bus either, unless it must have a voice.
#[test]
fn who_cannot_be_heard_robs_nobody_on_a_full_bus() {
    let mut scene = Scene::new(8, WhenFull::StealQuietest);
    scene.limit(SHOTS, at_most(1));
    scene.play(steady(SHOTS, 0.1), 1);
    let silent = steady(NEAR, 0.5).gain(0.0);
    assert_eq!(scene.play(silent.clone(), 2), [(2, What::Parked(Parking::Inaudible))]);
    let insists = silent.priority(Priority::Protected);
    assert_eq!(scene.play(insists, 3), [(1, What::StolenBy(3))]);
}

/// A limit counts from the command on, and not for what came before it on the same line.
#[test]
fn a_limit_counts_from_where_it_was_said() {
    for first in [true, false] {
        let mut scene = Scene::new(8, WhenFull::StealQuietest);
        scene.play(steady(SHOTS, 0.1), 1);
        if first {
            scene.limit(SHOTS, at_most(1));
        }
        scene.ask(steady(SHOTS, 0.2), 2);
        if !first {
            scene.limit(SHOTS, at_most(1));
        }
        let expected: &[_] = if first { &[(1, What::StolenBy(2))] } else { &[] };
        assert_eq!(scene.go_on(), expected);
    }
}

/// A lowered limit cuts nobody off. While there are too many, each newcomer still takes the place of
/// one.
#[test]
fn a_lowered_limit_cuts_nobody_off() {
    let mut scene = Scene::new(8, WhenFull::StealQuietest);
    for (tag, level) in [(1, 0.1), (2, 0.2), (3, 0.3), (4, 0.4)] {
        scene.play(steady(SHOTS, level), tag);
    }
    scene.limit(SHOTS, at_most(2));
    assert_eq!(scene.go_on(), []);
    assert_eq!(scene.mixer.stats().playing, 4);
    assert_eq!(scene.play(steady(NEAR, 0.5), 5), [(1, What::StolenBy(5))]);
    assert_eq!(scene.mixer.stats().playing, 4);
    scene.limit(SHOTS, Bus::DEFAULT);
    assert_eq!(scene.play(steady(NEAR, 0.5), 6), []);
}

/// A bus that is taken to another parent counts there at once.
#[test]
fn a_limit_follows_the_new_parent_at_once() {
    let mut scene = Scene::new(8, WhenFull::StealQuietest);
    scene.limit(SHOTS, at_most(1));
    scene.play(steady(SPEECH, 0.1), 1);
    scene.limit(SPEECH, BELOW_SHOTS);
    scene.ask(steady(NEAR, 0.2), 2);
    assert_eq!(scene.go_on(), [(1, What::StolenBy(2))]);
    scene.limit(NEAR, Bus::DEFAULT);
    scene.ask(steady(SHOTS, 0.2), 3);
    assert_eq!(scene.go_on(), []);
}

/// What waits because its bus is full comes back when one of the bus is gone, not when any other is.
#[test]
fn who_parked_on_a_full_bus_comes_back_when_the_bus_has_room() {
    let mut scene = Scene::new(3, WhenFull::Refuse);
    scene.limit(SHOTS, at_most(1));
    let other = scene.ask(steady(SPEECH, 0.1), 1);
    let shot = scene.ask(steady(NEAR, 0.1), 2);
    scene.go_on();
    let parks = |bus, level| steady(bus, level).when_stolen(WhenStolen::Park);
    assert_eq!(scene.play(parks(FAR, 0.4), 3), [(3, What::Parked(Parking::BusFull))]);
    assert_eq!(scene.play(parks(NEAR, 0.5), 4), [(4, What::Parked(Parking::BusFull))]);
    scene.mixer.stop(other, ms(0));
    assert_eq!(scene.go_on(), [(1, What::Ended(Ending::Stopped))]);
    for _ in 0..20 {
        assert_eq!(scene.go_on(), []);
    }
    scene.mixer.stop(shot, ms(0));
    assert_eq!(scene.go_on(), [(2, What::Ended(Ending::Stopped))]);
    assert_eq!(scene.go_on(), [(4, What::Unparked)], "the loudest");
    assert_eq!(scene.go_on(), []);
    scene.limit(SHOTS, at_most(2));
    assert_eq!(scene.go_on(), [(3, What::Unparked)]);
}

/// Who takes a place back on a full bus takes it from one of the bus.
#[test]
fn a_place_on_a_full_bus_is_taken_back_within_it() {
    let mut scene = Scene::new(8, WhenFull::StealQuietest);
    scene.limit(SHOTS, at_most(1));
    scene.play(steady(SPEECH, 0.01), 1);
    scene.play(steady(NEAR, 0.3).when_stolen(WhenStolen::Park), 2);
    assert_eq!(scene.play(steady(FAR, 0.1), 3), [(2, What::ParkedBy(3))]);
    let happened: Vec<_> = (0..4).flat_map(|_| scene.go_on()).collect();
    assert_eq!(happened, [(3, What::StolenBy(2)), (2, What::Unparked)]);
}

/// Reserved voices are there when they are wanted, however many others ask for them.
#[test]
fn a_reserve_is_kept_free() {
    let mut scene = Scene::new(4, WhenFull::StealQuietest);
    scene.limit(SPEECH, reserved(2));
    scene.play(steady(SHOTS, 0.1), 1);
    scene.play(steady(NEAR, 0.2), 2);
    assert_eq!(scene.play(steady(FAR, 0.3), 3), [(1, What::StolenBy(3))], "though two are free");
    assert_eq!((scene.mixer.stats().playing, scene.mixer.stats().full), (2, 1));
    let low = |bus| steady(bus, 0.01).priority(Priority::Low);
    assert_eq!(scene.play(low(SPEECH), 4), []);
    assert_eq!(scene.play(low(SPEECH), 5), []);
    let expected = [(2, What::StolenBy(6))];
    assert_eq!(scene.play(steady(FAR, 0.3), 6), expected, "and not of the reserve, quiet and low");
    assert_eq!(scene.play(steady(SPEECH, 0.3), 7), [(4, What::StolenBy(7))], "but the bus may");
    // Beyond its reserve, a bus gives up as any other.
    scene.limit(SPEECH, reserved(1));
    assert_eq!(scene.play(steady(FAR, 0.3), 8), [(5, What::StolenBy(8))]);
    assert_eq!(scene.play(steady(FAR, 0.3), 9), [(3, What::StolenBy(9))]);
}

/// A reserve that is set in a full pool takes nobody's voice, and fills as others end.
#[test]
fn a_reserve_set_in_a_full_pool_takes_nobodys_voice() {
    let mut scene = Scene::new(3, WhenFull::StealQuietest);
    let first = scene.ask(steady(SHOTS, 0.1), 1);
    scene.ask(steady(SHOTS, 0.2), 2);
    scene.ask(steady(SHOTS, 0.3), 3);
    scene.go_on();
    scene.limit(SPEECH, reserved(2));
    assert_eq!(scene.go_on(), []);
    scene.mixer.stop(first, ms(0));
    assert_eq!(scene.go_on(), [(1, What::Ended(Ending::Stopped))]);
    assert_eq!(scene.play(steady(SHOTS, 0.3), 4), [(2, What::StolenBy(4))], "one is kept");
    assert_eq!(scene.play(steady(SPEECH, 0.4), 5), []);
    assert_eq!(scene.play(steady(SPEECH, 0.1), 6), [(3, What::StolenBy(6))], "and one is due");
    assert_eq!(scene.play(steady(SHOTS, 0.3), 7), [(4, What::StolenBy(7))]);
}

/// A reserve holds those below it, and within it those below are kept from each other.
#[test]
fn nested_reserves_are_one() {
    let mut scene = Scene::new(5, WhenFull::Refuse);
    scene.limit(SHOTS, reserved(3));
    scene.limit(NEAR, Bus { reserved: 2, ..BELOW_SHOTS });
    for tag in [1, 2] {
        assert_eq!(scene.play(steady(SPEECH, 0.1), tag), []);
    }
    assert_eq!(scene.play(steady(SPEECH, 0.1), 3), [(3, POOL_FULL)], "three are kept, not five");
    assert_eq!(scene.play(steady(FAR, 0.1), 4), []);
    assert_eq!(scene.play(steady(FAR, 0.1), 5), [(5, POOL_FULL)], "two are for the near ones");
    assert_eq!(scene.play(steady(NEAR, 0.01), 6), []);
    assert_eq!(scene.play(steady(NEAR, 0.01), 7), []);
    scene.mixer.set_when_full(WhenFull::StealQuietest);
    assert_eq!(scene.play(steady(SPEECH, 0.1), 8), [(1, What::StolenBy(8))], "not the quietest");
    assert_eq!(scene.play(steady(FAR, 0.1), 9), [(2, What::StolenBy(9))], "nor here");
    assert_eq!(scene.play(steady(NEAR, 0.1), 10), [(6, What::StolenBy(10))], "but here");
}

/// Where nobody can spare a voice, the newcomer is refused or parks; and it does not come back into what
/// is reserved.
#[test]
fn the_parked_leave_a_reserve_alone() {
    let mut scene = Scene::new(2, WhenFull::StealQuietest);
    scene.limit(SPEECH, reserved(1));
    let shot = scene.ask(steady(SHOTS, 0.1).priority(Priority::High), 1);
    scene.go_on();
    assert_eq!(scene.play(steady(FAR, 0.1), 2), [(2, POOL_FULL)]);
    let parks = steady(FAR, 0.5).when_stolen(WhenStolen::Park);
    assert_eq!(scene.play(parks, 3), [(3, What::Parked(Parking::PoolFull))]);
    for _ in 0..10 {
        assert_eq!(scene.go_on(), [], "a voice is free, and not for it");
    }
    scene.mixer.stop(shot, ms(0));
    assert_eq!(scene.go_on(), [(1, What::Ended(Ending::Stopped))]);
    assert_eq!(scene.go_on(), [(3, What::Unparked)]);
    assert_eq!(scene.play(steady(SPEECH, 0.01), 4), []);
}

/// A pool that becomes smaller leaves a reserve alone.
#[test]
fn shrinking_takes_nothing_from_a_reserve() {
    let mut scene = Scene::new(6, WhenFull::StealQuietest);
    scene.limit(SPEECH, reserved(2));
    for (tag, bus) in [(1, SPEECH), (2, SPEECH), (3, SPEECH), (4, SHOTS), (5, NEAR), (6, FAR)] {
        scene.play(steady(bus, tag as f32 / 20.0), tag);
    }
    let stopped = |tags: &[u64]| -> Vec<_> {
        tags.iter().map(|tag| (*tag, What::Ended(Ending::Stopped))).collect()
    };
    scene.mixer.resize(4).expect("smaller");
    assert_eq!(scene.go_on(), stopped(&[1, 4]), "the third of the bus is not of its reserve");
    scene.mixer.resize(2).expect("smaller");
    assert_eq!(scene.go_on(), stopped(&[5, 6]));
    assert!(scene.mixer.resize(1).is_err(), "two are reserved");
    assert_eq!(scene.go_on(), []);
}

/// Whatever storms on other buses, those who speak have their voices: seen on every quantum.
#[test]
fn no_storm_takes_a_reserved_voice() {
    for when_full in POLICIES {
        let mut scene = Scene::new(16, when_full);
        let mut random = Random(11);
        scene.limit(SPEECH, reserved(4));
        scene.limit(FAR, Bus { max_voices: Some(6), reserved: 2, ..BELOW_SHOTS });
        let mut speaking: HashMap<u64, VoiceId> = HashMap::new();
        for tag in 0..600 {
            for _ in 0..random.below(12) {
                let bus = *random.pick(&[BusId::MASTER, SHOTS, NEAR, FAR]);
                let play =
                    steady(bus, random.unit()).priority(*random.pick(&common::PRIORITIES[..3]));
                let parks = [WhenStolen::End, WhenStolen::Park];
                scene.mixer.play(play.when_stolen(*random.pick(&parks)).tag(u64::MAX));
            }
            if random.below(4) == 0 {
                scene.mixer.stop(*random.pick(&[SHOTS, NEAR, FAR]), ms(0));
            }
            if speaking.len() < 4 && random.below(2) == 0 {
                let quiet = steady(SPEECH, 0.001).priority(Priority::Low);
                speaking.insert(tag, scene.ask(quiet, tag));
            } else if speaking.len() == 4 && random.below(8) == 0 {
                speaking.drain().for_each(|(_, voice)| scene.mixer.stop(voice, ms(0)));
            }
            for (tag, what) in scene.go_on() {
                let ended = matches!(what, What::Ended(Ending::Stopped));
                assert!(tag == u64::MAX || ended, "{when_full:?}: {tag} {what:?}");
            }
        }
    }
}
