//! Law 6, cues: a full one steals its own quietest, one that cools refuses who is no louder, one that merges
//! plays one at the power of all. Everything is decided before anybody is robbed.

mod common;

use std::collections::HashMap;

use common::{POLICIES, assert_balanced, mono};
use voicepool::{
    Bus, BusId, Config, Cue, Ending, Event, Mixer, Order, Parking, Play, Priority, Refusal,
    Renderer, VoiceId, WhenFull, WhenStolen, ms, secs,
};

/// A toy rate, at which a constant is as loud as it is high. A quantum lasts longer than the parked are
/// kept from coming back.
const RATE: u32 = 100;

const SPEECH: BusId = BusId::new(1);
const SHOTS: BusId = BusId::new(2);

/// A mixer at a script's disposal: what it says is heard on the next line.
struct Scene {
    mixer: Mixer,
    renderer: Renderer,
    /// Who has which tag.
    tags: HashMap<VoiceId, u64>,
}

impl Scene {
    fn new(voices: usize, when_full: WhenFull) -> Scene {
        Scene::at(RATE, voices, when_full)
    }

    fn at(sample_rate: u32, voices: usize, when_full: WhenFull) -> Scene {
        let config = Config {
            voices,
            max_voices: voices,
            parked: 8,
            scheduled: 8,
            commands: 256,
            sample_rate,
            when_full,
            ..Config::default()
        };
        let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
        renderer.frames(128);
        Scene { mixer, renderer, tags: HashMap::new() }
    }

    fn limit(&self, bus: BusId, limit: Bus) {
        self.mixer.set_bus(bus, limit).expect("a good bus");
    }

    fn ask(&mut self, play: Play, tag: u64) -> VoiceId {
        let voice = self.mixer.play(play.tag(tag)).expect("there is room in the queue");
        self.tags.insert(voice, tag);
        voice
    }

    /// To the next line: what has happened, by tag.
    fn go_on(&mut self) -> Vec<(u64, What)> {
        self.renderer.frames(128);
        assert_balanced(&self.mixer.stats());
        self.mixer.events().filter_map(|event| what(event, &self.tags)).collect()
    }

    fn play(&mut self, play: Play, tag: u64) -> Vec<(u64, What)> {
        self.ask(play, tag);
        self.go_on()
    }

    /// The first frame that can still be asked for.
    fn soon(&self) -> u64 {
        self.mixer.clock() + 256
    }

    /// How loud a play is, as far as it can be told.
    fn level(&mut self, tag: u64) -> f32 {
        for _ in 0..3 {
            self.mixer.voices();
            self.renderer.frames(128);
        }
        let voices = self.mixer.voices();
        let level = voices.iter().find(|it| it.tag == tag).expect("it is live").level;
        // That is the power of both sides.
        level / 2f32.sqrt()
    }
}

#[derive(Debug, PartialEq)]
enum What {
    Ended(Ending),
    StolenBy(u64),
    MergedInto(u64),
    Parked(Parking),
    ParkedBy(u64),
    Unparked,
}

fn what(event: Event, tags: &HashMap<VoiceId, u64>) -> Option<(u64, What)> {
    Some(match event {
        Event::Ended { tag, why: Ending::Stolen { by_tag, .. }, .. } => {
            (tag, What::StolenBy(by_tag))
        }
        Event::Ended { tag, why: Ending::Refused { why: Refusal::Merged { into } }, .. } => {
            (tag, What::MergedInto(tags[&into]))
        }
        Event::Ended { tag, why, .. } => (tag, What::Ended(why)),
        Event::Parked { tag, why: Parking::Stolen { by_tag, .. }, .. } => {
            (tag, What::ParkedBy(by_tag))
        }
        Event::Parked { tag, why, .. } => (tag, What::Parked(why)),
        Event::Unparked { tag, .. } => (tag, What::Unparked),
        _ => return None,
    })
}

const STOPPED: What = What::Ended(Ending::Stopped);
const CUE_FULL: What = What::Ended(Ending::Refused { why: Refusal::CueFull });
const BUS_FULL: What = What::Ended(Ending::Refused { why: Refusal::BusFull });
const POOL_FULL: What = What::Ended(Ending::Refused { why: Refusal::PoolFull });
const TOO_SOON: What = What::Ended(Ending::Refused { why: Refusal::Cooldown });

/// A steady sound without end, of some level, that ends when it is robbed.
fn steady(bus: BusId, level: f32) -> Play {
    Play::of(mono(RATE, &[level])).looping().when_stolen(WhenStolen::End).bus(bus)
}

/// Steady sounds that are as loud as their gain, and end when they are robbed.
fn cue() -> Cue {
    Cue::of([steady(BusId::MASTER, 1.0)]).expect("a variant")
}

fn of(cue: &Cue, level: f32) -> Play {
    Play::of(cue).gain(level)
}

fn at_most(max_voices: usize) -> Bus {
    Bus { max_voices: Some(max_voices), ..Bus::DEFAULT }
}

/// At its limit a cue answers as it was told, and else its own quietest gives way, whatever the mixer
/// says. Others are left alone, however quiet they are.
#[test]
fn a_full_cue_steals_its_own_by_its_own_answer() {
    for mixers in POLICIES {
        for own in [None].into_iter().chain(POLICIES.map(Some)) {
            let mut scene = Scene::new(8, mixers);
            let mut cue = cue().at_most(3);
            if let Some(own) = own {
                cue = cue.when_full(own);
            }
            scene.play(steady(SHOTS, 0.01), 1);
            for (tag, level) in [(2, 0.3), (3, 0.1), (4, 0.2)] {
                assert_eq!(scene.play(of(&cue, level), tag), []);
            }
            let expected = match own {
                Some(WhenFull::Refuse) => (5, CUE_FULL),
                Some(WhenFull::StealOldest) => (2, What::StolenBy(5)),
                _ => (3, What::StolenBy(5)),
            };
            assert_eq!(scene.play(of(&cue, 0.05), 5), [expected], "{mixers:?}, {own:?}");
            assert_eq!((scene.mixer.stats().playing, scene.mixer.stats().full), (4, 1));
        }
    }
}

/// Of those that are as loud the oldest goes, and age counts from when it got its voice.
#[test]
fn on_a_tie_the_oldest_of_a_cue_goes() {
    let mut scene = Scene::new(8, WhenFull::StealQuietest);
    let cue = cue().at_most(3);
    (1..4).for_each(|tag| drop(scene.play(of(&cue, 0.1), tag)));
    for tag in 4..9 {
        assert_eq!(scene.play(of(&cue, 0.1), tag), [(tag - 3, What::StolenBy(tag))]);
    }
}

/// Priorities hold within a cue as everywhere: nobody robs those above it, nor the protected.
#[test]
fn priorities_hold_within_a_full_cue() {
    for answer in [WhenFull::StealQuietest, WhenFull::StealOldest] {
        let mut scene = Scene::new(8, WhenFull::StealQuietest);
        let cue = cue().at_most(2).when_full(answer);
        let ranked = |priority, level| of(&cue, level).priority(priority);
        scene.play(steady(SPEECH, 0.01).priority(Priority::Low), 1);
        scene.play(ranked(Priority::High, 0.1), 2);
        scene.play(ranked(Priority::Normal, 0.3), 3);
        assert_eq!(scene.play(ranked(Priority::Low, 0.9), 4), [(4, CUE_FULL)]);
        let normal = ranked(Priority::Normal, 0.2);
        assert_eq!(scene.play(normal, 5), [(3, What::StolenBy(5))]);
        let protected = |level| ranked(Priority::Protected, level);
        assert_eq!(scene.play(protected(0.1), 6), [(5, What::StolenBy(6))]);
        assert_eq!(scene.play(protected(0.1), 7), [(2, What::StolenBy(7))]);
        assert_eq!(scene.play(protected(0.9), 8), [(8, CUE_FULL)]);
        let parks = protected(0.9).when_stolen(WhenStolen::Park);
        assert_eq!(scene.play(parks, 9), [(9, What::Parked(Parking::CueFull))]);
    }
}

/// How loud its own are is told at the ear: their buses count.
#[test]
fn the_quietest_of_a_cue_is_so_to_the_ear() {
    let mut scene = Scene::new(8, WhenFull::StealQuietest);
    let cue = cue().at_most(2);
    scene.mixer.set_gain(SHOTS, 0.1, ms(0));
    scene.play(of(&cue, 0.5).bus(SHOTS), 1);
    scene.play(of(&cue, 0.1).bus(SPEECH), 2);
    assert_eq!(scene.play(of(&cue, 0.3).bus(SPEECH), 3), [(1, What::StolenBy(3))]);
}

/// Who cannot be heard robs nobody of its cue either, unless it must have a voice.
#[test]
fn who_cannot_be_heard_robs_nobody_of_its_cue() {
    let mut scene = Scene::new(8, WhenFull::StealQuietest);
    let cue = cue().at_most(1);
    scene.play(of(&cue, 0.1), 1);
    assert_eq!(scene.play(of(&cue, 0.0), 2), [(2, What::Parked(Parking::Inaudible))]);
    let insists = of(&cue, 0.0).priority(Priority::Protected);
    assert_eq!(scene.play(insists, 3), [(1, What::StolenBy(3))]);
}

/// What is stopping does not count, however slowly; what is paused does.
#[test]
fn the_stopping_do_not_count_and_the_paused_do() {
    let mut scene = Scene::new(8, WhenFull::StealQuietest);
    let cue = cue().at_most(2).when_full(WhenFull::Refuse);
    let first = scene.ask(of(&cue, 0.1), 1);
    let second = scene.ask(of(&cue, 0.1), 2);
    scene.go_on();
    scene.mixer.pause(second, ms(0));
    assert_eq!(scene.play(of(&cue, 0.1), 3), [(3, CUE_FULL)]);
    scene.mixer.stop(first, secs(60.0));
    assert_eq!(scene.play(of(&cue, 0.1), 4), []);
    assert_eq!(scene.play(of(&cue, 0.1), 5), [(5, CUE_FULL)]);
    scene.mixer.stop(BusId::MASTER, secs(50.0));
    scene.ask(of(&cue, 0.1), 6);
    assert_eq!(scene.play(of(&cue, 0.1), 7), [(2, STOPPED)], "paused, so it is gone at once");
    assert_eq!(scene.play(of(&cue, 0.1), 8), [(8, CUE_FULL)]);
}

/// The parked do not count. Who waits because its cue is full comes back when one of the cue is gone, not
/// when any other is: the loudest first, and no more than may.
#[test]
fn the_parked_come_back_when_their_cue_has_room() {
    let mut scene = Scene::new(6, WhenFull::StealQuietest);
    let cue = cue().at_most(2).when_full(WhenFull::Refuse);
    let parks = |level| of(&cue, level).when_stolen(WhenStolen::Park);
    let other = scene.ask(steady(SPEECH, 0.1), 1);
    let [first, second] = [2, 3].map(|tag| scene.ask(of(&cue, 0.01), tag));
    scene.go_on();
    for (tag, level) in [(4, 0.4), (5, 0.6), (6, 0.5)] {
        assert_eq!(scene.play(parks(level), tag), [(tag, What::Parked(Parking::CueFull))]);
    }
    scene.mixer.stop(other, ms(0));
    assert_eq!(scene.go_on(), [(1, STOPPED)]);
    for _ in 0..20 {
        assert_eq!(scene.go_on(), [], "they refuse to rob, and wait");
    }
    scene.mixer.stop(first, ms(0));
    assert_eq!(scene.go_on(), [(5, What::Unparked), (2, STOPPED)], "the loudest");
    assert_eq!(scene.go_on(), []);
    scene.mixer.stop(second, secs(60.0));
    assert_eq!(scene.go_on(), [(6, What::Unparked)], "as soon as one is stopping");
    assert_eq!(scene.go_on(), []);
    let more = scene.ask(steady(SPEECH, 0.1), 7);
    assert_eq!(scene.go_on(), []);
    scene.mixer.stop(more, ms(0));
    assert_eq!(scene.go_on(), [(7, STOPPED)]);
    assert_eq!(scene.go_on(), [], "one still waits");
    assert_eq!(scene.mixer.stats().parked, 1);
}

/// A robbed loop of a cue parks, and takes a place back from its cue once it has long been much louder.
#[test]
fn a_place_in_a_full_cue_is_taken_back_within_it() {
    let mut scene = Scene::new(8, WhenFull::StealQuietest);
    let cue = cue().at_most(1);
    scene.play(steady(SPEECH, 0.01), 1);
    scene.play(of(&cue, 0.3).when_stolen(WhenStolen::Park), 2);
    assert_eq!(scene.play(of(&cue, 0.1), 3), [(2, What::ParkedBy(3))]);
    let happened: Vec<_> = (0..4).flat_map(|_| scene.go_on()).collect();
    assert_eq!(happened, [(3, What::StolenBy(2)), (2, What::Unparked)]);
    // Less than 6 dB is not much.
    scene.play(of(&cue, 0.2), 4);
    assert_eq!((0..20).flat_map(|_| scene.go_on()).count(), 0);
}

/// Who waits for a voice of the pool gets one when any is free, though others wait for their cue's; and each
/// as soon as there is one, not when everybody is looked at again.
#[test]
fn who_waits_comes_back_at_once_and_keeps_nobody_else_waiting() {
    for lines in 0..4 {
        // Here everybody is looked at on every third line.
        let mut scene = Scene::at(6400, 2, WhenFull::Refuse);
        let cue = cue().at_most(1).when_full(WhenFull::Refuse);
        let first = scene.ask(of(&cue, 0.1), 1);
        let other = scene.ask(steady(SPEECH, 0.1), 2);
        scene.go_on();
        let parks = WhenStolen::Park;
        scene.play(of(&cue, 0.9).when_stolen(parks), 3);
        scene.play(steady(SPEECH, 0.1).when_stolen(parks), 4);
        for _ in 0..20 + lines {
            assert_eq!(scene.go_on(), []);
        }
        scene.mixer.stop(other, ms(0));
        assert_eq!(scene.go_on(), [(2, STOPPED)]);
        assert_eq!(scene.go_on(), [(4, What::Unparked)], "{lines}");
        (0..lines).for_each(|_| assert_eq!(scene.go_on(), []));
        scene.mixer.stop(first, ms(0));
        assert_eq!(scene.go_on(), [(1, STOPPED)]);
        assert_eq!(scene.go_on(), [(3, What::Unparked)], "{lines}");
    }
}

/// Who would have to rob two must be much louder than both.
#[test]
fn a_place_is_taken_back_from_two_by_who_is_louder_than_both() {
    let mut scene = Scene::new(8, WhenFull::StealQuietest);
    scene.limit(SHOTS, at_most(1));
    let cue = cue().at_most(1);
    scene.play(of(&cue, 0.4).bus(SHOTS).when_stolen(WhenStolen::Park), 1);
    let shot = scene.ask(steady(SHOTS, 0.3), 2);
    assert_eq!(scene.go_on(), [(1, What::ParkedBy(2))]);
    assert_eq!(scene.play(of(&cue, 0.05).bus(SPEECH), 3), []);
    assert_eq!((0..10).flat_map(|_| scene.go_on()).count(), 0);
    scene.mixer.set_gain(shot, 0.3, ms(0));
    let happened: Vec<_> = (0..4).flat_map(|_| scene.go_on()).collect();
    let all = [(3, What::StolenBy(1)), (2, What::StolenBy(1)), (1, What::Unparked)];
    assert_eq!(happened, all);
}

/// Its cue is asked first, and then the buses and the pool as if the cue's victim were gone: one is enough
/// where it makes room for all of them.
#[test]
fn one_victim_is_enough_where_it_makes_room_for_all() {
    let mut scene = Scene::new(3, WhenFull::Refuse);
    scene.limit(SHOTS, Bus { when_full: Some(WhenFull::Refuse), ..at_most(2) });
    let cue = cue().at_most(1);
    scene.play(of(&cue, 0.5).bus(SHOTS), 1);
    scene.play(steady(SHOTS, 0.1), 2);
    scene.play(steady(SPEECH, 0.01), 3);
    assert_eq!(scene.play(of(&cue, 0.2).bus(SHOTS), 4), [(1, What::StolenBy(4))]);
}

/// Where the cue's victim is on another bus, a second one gives way on the bus; and if nobody does,
/// the first keeps its voice.
#[test]
fn a_refused_newcomer_robs_nobody_though_its_cue_had_a_victim() {
    for (answer, priority) in [
        (WhenFull::StealQuietest, Priority::Normal),
        (WhenFull::Refuse, Priority::Normal),
        (WhenFull::StealQuietest, Priority::High),
    ] {
        let mut scene = Scene::new(8, WhenFull::StealQuietest);
        scene.limit(SHOTS, Bus { when_full: Some(answer), ..at_most(1) });
        let cue = cue().at_most(1);
        scene.play(of(&cue, 0.1).bus(SPEECH), 1);
        scene.play(steady(SHOTS, 0.2).priority(priority), 2);
        let happened = scene.play(of(&cue, 0.3).bus(SHOTS), 3);
        if answer == WhenFull::Refuse || priority > Priority::Normal {
            assert_eq!(happened, [(3, BUS_FULL)]);
            assert_eq!(scene.mixer.stats().playing, 2, "the first plays on");
            assert_eq!(scene.play(of(&cue, 0.3), 4), [(1, What::StolenBy(4))], "and can be robbed");
        } else {
            assert_eq!(happened, [(1, What::StolenBy(3)), (2, What::StolenBy(3))]);
        }
        assert_eq!(scene.mixer.stats().full, if happened.len() == 2 { 1 } else { 2 });
    }
}

/// Whoever was chosen for the cue cannot be chosen again for a bus: one whose limit was lowered has too many
/// even so, and then another goes.
#[test]
fn nobody_is_robbed_twice() {
    let mut scene = Scene::new(8, WhenFull::StealQuietest);
    let cue = cue().at_most(1);
    scene.play(of(&cue, 0.1).bus(SHOTS), 1);
    for (tag, level) in [(2, 0.3), (3, 0.2)] {
        scene.play(steady(SHOTS, level), tag);
    }
    scene.limit(SHOTS, at_most(1));
    let happened = scene.play(of(&cue, 0.4).bus(SHOTS), 4);
    assert_eq!(happened, [(1, What::StolenBy(4)), (3, What::StolenBy(4))]);
}

/// Whoever was chosen for one that was refused then is chosen as ever on the same line.
#[test]
fn who_was_spared_can_be_robbed_on_the_same_line() {
    let mut scene = Scene::new(2, WhenFull::StealQuietest);
    scene.limit(SHOTS, Bus { when_full: Some(WhenFull::Refuse), ..at_most(1) });
    let cue = cue().at_most(1);
    scene.play(of(&cue, 0.1).bus(SPEECH), 1);
    scene.play(steady(SHOTS, 0.2), 2);
    scene.ask(of(&cue, 0.3).bus(SHOTS), 3);
    scene.ask(steady(SPEECH, 0.3), 4);
    assert_eq!(scene.go_on(), [(3, BUS_FULL), (1, What::StolenBy(4))]);
}

/// What its victim leaves behind on a bus with a reserve is kept for that bus, so that another must give
/// way; and whoever was chosen cannot be chosen again.
#[test]
fn a_reserve_that_the_cues_victim_filled_is_kept() {
    for others in [0, 1] {
        let mut scene = Scene::new(2 + others, WhenFull::StealQuietest);
        scene.limit(SPEECH, Bus { reserved: 1, ..Bus::DEFAULT });
        let cue = cue().at_most(1);
        scene.play(of(&cue, 0.01).bus(SPEECH), 1);
        scene.play(steady(SHOTS, 0.3).priority(Priority::High), 2);
        if others > 0 {
            scene.play(steady(SHOTS, 0.4), 3);
        }
        let happened = scene.play(of(&cue, 0.2).bus(SHOTS), 4);
        if others > 0 {
            assert_eq!(happened, [(1, What::StolenBy(4)), (3, What::StolenBy(4))]);
            assert_eq!(scene.play(steady(SPEECH, 0.1), 5), [], "it was kept");
        } else {
            assert_eq!(happened, [(4, POOL_FULL)]);
            assert_eq!(scene.mixer.stats().playing, 2);
        }
    }
}

/// The first that is full gives the reason.
#[test]
fn a_newcomer_is_told_who_was_full() {
    let mut scene = Scene::new(3, WhenFull::Refuse);
    let (full, free) = (cue().at_most(2).when_full(WhenFull::Refuse), cue().at_most(2));
    for tag in [1, 2] {
        scene.play(of(&full, 0.1), tag);
    }
    scene.play(of(&free, 0.1), 3);
    assert_eq!(scene.play(of(&full, 0.1), 4), [(4, CUE_FULL)]);
    assert_eq!(scene.play(of(&free, 0.1), 5), [(5, POOL_FULL)], "there is room in the cue");
    let parks = |cue| of(cue, 0.1).when_stolen(WhenStolen::Park);
    assert_eq!(scene.play(parks(&full), 6), [(6, What::Parked(Parking::CueFull))]);
    assert_eq!(scene.play(parks(&free), 7), [(7, What::Parked(Parking::PoolFull))]);
}

/// A pool that is still too large gives no voice to a newcomer, whoever it might rob.
#[test]
fn nobody_is_robbed_for_who_would_get_no_voice() {
    let mut scene = Scene::new(4, WhenFull::StealQuietest);
    let cue = cue().at_most(1);
    scene.play(of(&cue, 0.1), 1);
    for tag in 2..5 {
        scene.play(steady(SPEECH, 0.1).priority(Priority::Protected), tag);
    }
    scene.mixer.resize(2).expect("fewer voices");
    assert_eq!(scene.go_on(), [(1, STOPPED)]);
    let protected = of(&cue, 0.1).priority(Priority::Protected);
    assert_eq!(scene.play(protected, 5), [(5, POOL_FULL)]);
    assert_eq!(scene.mixer.stats().playing, 3);
}

/// A newcomer within the cooldown is refused, to the frame, unless it is louder than the last one was when it
/// began. What was refused does not count.
#[test]
fn within_a_cooldown_only_the_louder_begin() {
    let cue = cue().cooldown(secs(0.5));
    for (after, level, expected) in [
        (0, 0.2, Some(TOO_SOON)),
        (0, 0.1, Some(TOO_SOON)),
        (0, 0.21, None),
        (49, 0.2, Some(TOO_SOON)),
        (49, 0.21, None),
        (50, 0.2, None),
        (50, 0.001, None),
    ] {
        let mut scene = Scene::new(8, WhenFull::StealQuietest);
        let first = scene.soon() + 13;
        scene.ask(of(&cue, 0.2).start_at(first), 1);
        // Refused, and so nothing to the next.
        scene.ask(of(&cue, 0.2).start_at(first + after / 2), 2);
        scene.ask(of(&cue, level).start_at(first + after), 3);
        let mut happened = scene.go_on();
        happened.extend(scene.go_on());
        let mut all = vec![(2, TOO_SOON)];
        all.extend(expected.map(|what| (3, what)));
        assert_eq!(happened, all, "{level} after {after}");
    }
}

/// How loud counts at the ear, of both; and a louder one is what the next are measured by. What has stopped
/// since was heard all the same.
#[test]
fn a_cooldown_is_told_by_the_ear_from_the_last_that_began() {
    let mut scene = Scene::new(8, WhenFull::StealQuietest);
    let cue = cue().cooldown(secs(60.0));
    scene.mixer.set_gain(SHOTS, 0.1, ms(0));
    let first = scene.ask(of(&cue, 0.5).bus(SHOTS), 1);
    assert_eq!(scene.go_on(), []);
    assert_eq!(scene.play(of(&cue, 0.04), 2), [(2, TOO_SOON)]);
    assert_eq!(scene.play(of(&cue, 0.06), 3), []);
    assert_eq!(scene.play(of(&cue, 0.6).bus(SHOTS), 4), [(4, TOO_SOON)]);
    assert_eq!(scene.play(of(&cue, 0.7).bus(SHOTS), 5), []);
    scene.mixer.stop(first, ms(0));
    assert_eq!(scene.go_on(), [(1, STOPPED)]);
    scene.mixer.stop_all(ms(0));
    assert_eq!(scene.go_on().len(), 2);
    assert_eq!(scene.play(of(&cue, 0.06), 6), [(6, TOO_SOON)]);
    // It was set up as another.
    assert_eq!(scene.play(of(&cue.order(Order::Random), 0.01), 7), []);
}

/// Who found no voice never began, whether it was refused or parked.
#[test]
fn who_found_no_voice_starts_no_cooldown() {
    let mut scene = Scene::new(1, WhenFull::Refuse);
    let cue = cue().cooldown(secs(60.0));
    let other = scene.ask(steady(SPEECH, 0.1), 1);
    scene.go_on();
    assert_eq!(scene.play(of(&cue, 0.5), 2), [(2, POOL_FULL)]);
    for tag in [3, 4] {
        let unheard = (tag, What::Parked(Parking::Inaudible));
        assert_eq!(scene.play(of(&cue, 0.0), tag), [unheard]);
    }
    let parks = scene.ask(of(&cue, 0.5).when_stolen(WhenStolen::Park), 5);
    assert_eq!(scene.go_on(), [(5, What::Parked(Parking::PoolFull))]);
    scene.mixer.stop(parks, ms(0));
    scene.mixer.stop(other, ms(0));
    assert_eq!(scene.go_on(), [(5, STOPPED), (1, STOPPED)]);
    assert_eq!(scene.play(of(&cue, 0.1), 6), []);
    assert_eq!(scene.play(of(&cue, 0.1), 7), [(7, TOO_SOON)]);
}

/// Those that begin within the window of the first go into it, to the frame, and it has the power of all.
#[test]
fn those_that_begin_together_are_one_at_the_power_of_all() {
    let cue = cue().merge_within(secs(0.2));
    for (after, merged) in [(0, true), (1, true), (20, true), (21, false)] {
        let mut scene = Scene::new(8, WhenFull::StealQuietest);
        let first = scene.soon() + 7;
        scene.ask(of(&cue, 0.3).start_at(first), 1);
        scene.ask(of(&cue, 0.4).start_at(first + after), 2);
        let mut happened = scene.go_on();
        happened.extend(scene.go_on());
        let expected: &[_] = if merged { &[(2, What::MergedInto(1))] } else { &[] };
        assert_eq!(happened, expected, "{after} later");
        let level = scene.level(1);
        let both = if merged { 0.5 } else { 0.3 };
        assert!((level / both - 1.0).abs() < 1e-4, "{level}");
    }
    // The window is the first's, whoever came in between; then another begins, and has its own.
    let mut scene = Scene::new(8, WhenFull::StealQuietest);
    let first = scene.soon();
    for (tag, after) in [(1, 0), (2, 15), (3, 20), (4, 30), (5, 49), (6, 51)] {
        scene.ask(of(&cue, 0.1).start_at(first + after), tag);
    }
    let mut happened = scene.go_on();
    happened.extend(scene.go_on());
    let into = |tag, other| (tag, What::MergedInto(other));
    assert_eq!(happened, [into(2, 1), into(3, 1), into(5, 4)]);
    assert!((scene.level(1) - 0.1 * 3f32.sqrt()).abs() < 1e-4);
    assert!((scene.level(4) - 0.1 * 2f32.sqrt()).abs() < 1e-4);
    assert!((scene.level(6) - 0.1).abs() < 1e-4);
}

/// No other cue, and no other play that got the ticket of the first, takes anything in.
#[test]
fn a_play_goes_into_its_own_cue_alone_and_only_while_that_plays() {
    let mut scene = Scene::new(8, WhenFull::StealQuietest);
    let (one, two) = (cue().merge_within(secs(60.0)), cue().merge_within(secs(60.0)));
    let first = scene.ask(of(&one, 0.1), 1);
    assert_eq!(scene.play(of(&two, 0.1), 2), []);
    scene.mixer.stop(first, secs(99.0));
    let third = scene.ask(of(&one, 0.1), 3);
    assert_eq!(scene.go_on(), [], "the first is stopping");
    assert_eq!(scene.play(of(&one, 0.1), 4), [(4, What::MergedInto(3))]);
    scene.mixer.stop(third, ms(0));
    assert_eq!(scene.go_on(), [(3, STOPPED)]);
    // These get the tickets that are free now.
    for tag in 5..9 {
        assert_eq!(scene.play(steady(SPEECH, 0.1), tag), []);
    }
    assert_eq!(scene.play(of(&one, 0.1), 9), [], "there is nothing to go into");
    assert_eq!(scene.play(of(&one, 0.1), 10), [(10, What::MergedInto(9))]);
}

/// The level of all counts: for a cooldown, and for who is robbed. Into silence nobody goes.
#[test]
fn what_was_merged_counts() {
    let mut scene = Scene::new(2, WhenFull::StealQuietest);
    let cue = cue().merge_within(secs(0.1)).cooldown(secs(60.0));
    scene.ask(of(&cue, 0.3), 1);
    scene.ask(of(&cue, 0.4), 2);
    scene.ask(steady(SPEECH, 0.45), 3);
    assert_eq!(scene.go_on(), [(2, What::MergedInto(1))]);
    assert_eq!(scene.play(of(&cue, 0.45), 4), [(4, TOO_SOON)]);
    assert_eq!(scene.play(steady(SPEECH, 0.46), 5), [(3, What::StolenBy(5))]);
    assert_eq!(scene.play(of(&cue, 0.51), 6), [(5, What::StolenBy(6))]);
    let mut scene = Scene::new(8, WhenFull::StealQuietest);
    scene.ask(of(&cue, 0.0), 1);
    scene.ask(of(&cue, 0.1), 2);
    scene.ask(of(&cue, 0.0), 3);
    assert_eq!(scene.go_on(), [(3, What::MergedInto(2))]);
    assert!((scene.level(2) - 0.1).abs() < 1e-4);
}

/// Merging comes before everything: it robs nobody and needs no voice.
#[test]
fn who_goes_into_another_needs_no_voice() {
    let mut scene = Scene::new(1, WhenFull::Refuse);
    let cue = cue().at_most(1).when_full(WhenFull::Refuse).merge_within(secs(60.0));
    scene.play(of(&cue, 0.1), 1);
    let high = of(&cue, 0.1).priority(Priority::Protected).when_stolen(WhenStolen::Park);
    assert_eq!(scene.play(high, 2), [(2, What::MergedInto(1))]);
    assert_eq!(scene.mixer.stats().full, 0);
    // However loud, the boost has its limit, and what is heard is finite.
    let mut scene = Scene::new(1, WhenFull::Refuse);
    scene.play(of(&cue, 1e-8), 1);
    assert_eq!(scene.play(of(&cue, 1000.0), 2), [(2, What::MergedInto(1))]);
    assert!(scene.renderer.frames(512).iter().flatten().all(|it| (0.0..=1e-4).contains(it)));
}
