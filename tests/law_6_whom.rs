//! Law 6, the policy: who gives way to whom, once it is known how loud everybody is.

mod common;

use common::mono;
use voicepool::{
    BusId, Config, Ending, Event, Mixer, Parking, Play, Priority, Refusal, Renderer, VoiceId,
    WhenFull, WhenStolen, ms, secs,
};

/// A toy rate, at which loudness is plain power: a constant is as loud as it is high.
const RATE: u32 = 100;
const EVERY: [Priority; 4] = [Priority::Low, Priority::Normal, Priority::High, Priority::Protected];

fn open(voices: usize, when_full: WhenFull) -> (Mixer, Renderer) {
    let config = Config {
        voices,
        max_voices: voices,
        parked: 2,
        scheduled: 4,
        commands: 64,
        sample_rate: RATE,
        when_full,
        ..Config::default()
    };
    Mixer::offline(config).expect("a good config")
}

/// A steady sound without end, of some level, that ends when it is robbed.
fn steady(level: f32) -> Play {
    Play::of(&mono(RATE, &[level])).looping().when_stolen(WhenStolen::End)
}

/// Plays, lets it be heard, and says who has ended, by tag, and why.
fn play(mixer: &Mixer, renderer: &mut Renderer, play: Play, tag: u64) -> VoiceId {
    let voice = mixer.play(play.tag(tag)).expect("there is room in the queue");
    renderer.frames(128);
    voice
}

fn endings(mixer: &Mixer) -> Vec<(u64, Ending)> {
    let ended = |event| match event {
        Event::Ended { tag, why, .. } => Some((tag, why)),
        _ => None,
    };
    mixer.events().filter_map(ended).collect()
}

/// The one that was robbed, and nothing else has ended.
#[track_caller]
fn robbed(mixer: &Mixer) -> u64 {
    match endings(mixer)[..] {
        [(tag, Ending::Stolen { .. })] => tag,
        ref other => panic!("{other:?}"),
    }
}

/// The lowest priority goes first, however loud; only there does loudness count.
#[test]
fn the_lowest_priority_goes_first_and_there_the_quietest() {
    let (mixer, mut renderer) = open(4, WhenFull::StealQuietest);
    play(&mixer, &mut renderer, steady(0.001).priority(Priority::High), 1);
    play(&mixer, &mut renderer, steady(0.01), 2);
    play(&mixer, &mut renderer, steady(0.2).priority(Priority::Low), 3);
    play(&mixer, &mut renderer, steady(0.1).priority(Priority::Low), 4);
    let mut next = || {
        play(&mixer, &mut renderer, steady(0.05), 9);
        robbed(&mixer)
    };
    assert_eq!([next(), next(), next()], [4, 3, 2]);
    assert_eq!([next(), next()], [9, 9], "the one of high priority stays, though it is quietest");
}

/// At equal priority the newcomer always wins, even if it is the quietest of all.
#[test]
fn a_quieter_newcomer_still_wins() {
    let (mixer, mut renderer) = open(2, WhenFull::StealQuietest);
    play(&mixer, &mut renderer, steady(0.5), 1);
    play(&mixer, &mut renderer, steady(0.3), 2);
    let newcomer = play(&mixer, &mut renderer, steady(0.0), 3);
    match endings(&mixer)[..] {
        [(2, Ending::Stolen { by, by_tag: 3, level })] => {
            assert_eq!(by, newcomer);
            assert!((level - 0.3 * 2f32.sqrt()).abs() < 1e-6, "on both sides: {level}");
        }
        ref other => panic!("{other:?}"),
    }
}

/// A newcomer never robs those above it: it is refused, or parked if it may be.
#[test]
fn a_newcomer_below_all_others_is_refused_or_parked() {
    let (mixer, mut renderer) = open(1, WhenFull::StealQuietest);
    play(&mixer, &mut renderer, steady(0.1).priority(Priority::High), 1);
    play(&mixer, &mut renderer, steady(0.9), 2);
    let full = Ending::Refused { why: Refusal::PoolFull };
    assert_eq!(endings(&mixer), [(2, full)]);
    play(&mixer, &mut renderer, steady(0.9).when_stolen(WhenStolen::Park), 3);
    assert_eq!(endings(&mixer), []);
    assert_eq!((mixer.stats().playing, mixer.stats().parked), (1, 1));
}

/// The protected are never robbed, not even by the protected.
#[test]
fn the_protected_are_never_robbed() {
    for when_full in [WhenFull::StealQuietest, WhenFull::StealOldest, WhenFull::Grow] {
        let (mixer, mut renderer) = open(3, when_full);
        for tag in 0..3 {
            play(&mixer, &mut renderer, steady(0.0).priority(Priority::Protected), tag);
        }
        for priority in EVERY {
            play(&mixer, &mut renderer, steady(0.3).priority(priority), 9);
            let full = Ending::Refused { why: Refusal::PoolFull };
            assert_eq!(endings(&mixer), [(9, full)], "{priority:?}");
        }
        play(&mixer, &mut renderer, steady(0.3).when_stolen(WhenStolen::Park), 9);
        assert_eq!(endings(&mixer), []);
        assert_eq!((mixer.stats().playing, mixer.stats().parked), (3, 1));
    }
}

/// The protected can be robbed once they are stopping, and end as stopped.
#[test]
fn the_protected_can_be_robbed_once_they_are_stopping() {
    let (mixer, mut renderer) = open(2, WhenFull::StealQuietest);
    let protected = |level| steady(level).priority(Priority::Protected);
    let going = play(&mixer, &mut renderer, protected(0.5), 1);
    play(&mixer, &mut renderer, protected(0.1), 2);
    mixer.stop(going, secs(100.0));
    renderer.frames(128);
    play(&mixer, &mut renderer, protected(0.1), 3);
    assert_eq!(endings(&mixer), [(1, Ending::Stopped)]);
}

/// Among equals in loudness the oldest goes, whatever slot it has.
#[test]
fn on_a_tie_the_oldest_goes() {
    let (mixer, mut renderer) = open(3, WhenFull::StealQuietest);
    for tag in 1..=8 {
        play(&mixer, &mut renderer, steady(0.25), tag);
        if tag > 3 {
            assert_eq!(robbed(&mixer), tag - 3);
        }
    }
}

/// Who was about to end anyway has been stopped, not stolen, and never parks.
#[test]
fn robbed_while_stopping_ends_as_stopped() {
    let (mixer, mut renderer) = open(1, WhenFull::StealQuietest);
    let park = steady(0.25).when_stolen(WhenStolen::Park);
    let voice = play(&mixer, &mut renderer, park, 1);
    mixer.stop(voice, secs(100.0));
    renderer.frames(128);
    play(&mixer, &mut renderer, steady(0.25), 2);
    assert_eq!(endings(&mixer), [(1, Ending::Stopped)]);
    assert_eq!((mixer.stats().stolen, mixer.stats().parked), (0, 0));
}

/// `StealOldest` asks for age in place of loudness, within the lowest priority.
#[test]
fn steal_oldest_obeys_priorities() {
    let (mixer, mut renderer) = open(4, WhenFull::StealOldest);
    play(&mixer, &mut renderer, steady(0.1).priority(Priority::High), 1);
    play(&mixer, &mut renderer, steady(0.3), 2);
    play(&mixer, &mut renderer, steady(0.2).priority(Priority::Low), 3);
    play(&mixer, &mut renderer, steady(0.1).priority(Priority::Low), 4);
    for victim in [3, 4, 2] {
        play(&mixer, &mut renderer, steady(0.0), 9);
        assert_eq!(robbed(&mixer), victim);
    }
}

/// `Refuse` robs nobody, from the next play on and until it is told otherwise.
#[test]
fn refuse_refuses() {
    let (mixer, mut renderer) = open(1, WhenFull::Refuse);
    play(&mixer, &mut renderer, steady(0.0).priority(Priority::Low), 1);
    play(&mixer, &mut renderer, steady(0.9).priority(Priority::Protected), 2);
    assert_eq!(endings(&mixer), [(2, Ending::Refused { why: Refusal::PoolFull })]);
    mixer.set_when_full(WhenFull::StealQuietest);
    play(&mixer, &mut renderer, steady(0.9), 3);
    assert_eq!(robbed(&mixer), 1);
}

/// Who is paused is not heard, so it goes first, and is parked as long as there is room, one-shot
/// or not. It does not come back until it is resumed, and then from where it stood.
#[test]
fn the_paused_go_first_and_into_parking_while_there_is_room() {
    let (mixer, mut renderer) = open(4, WhenFull::StealQuietest);
    play(&mixer, &mut renderer, steady(0.001), 0);
    let paused: Vec<VoiceId> =
        (1..4).map(|tag| play(&mixer, &mut renderer, steady(0.2), tag)).collect();
    paused.iter().for_each(|voice| mixer.pause(*voice));
    renderer.frames(128);
    let thieves: Vec<VoiceId> =
        (0..2).map(|_| play(&mixer, &mut renderer, steady(0.2), 9)).collect();
    assert_eq!(endings(&mixer), [], "there is parking for two");
    assert_eq!(mixer.stats().parked, 2);
    play(&mixer, &mut renderer, steady(0.2), 9);
    assert_eq!(robbed(&mixer), 3, "and none for a third");
    thieves.iter().for_each(|thief| mixer.stop(*thief, ms(0)));
    renderer.frames(256);
    assert_eq!(mixer.stats().parked, 2, "nobody comes back to stand still");
    paused.iter().for_each(|voice| mixer.resume(*voice));
    renderer.frames(128);
    assert_eq!((mixer.stats().parked, mixer.stats().playing), (0, 4));
}

fn parkings(mixer: &Mixer) -> Vec<(u64, Parking)> {
    let parked = |event| match event {
        Event::Parked { tag, why, .. } => Some((tag, why)),
        _ => None,
    };
    mixer.events().filter_map(parked).collect()
}

/// A parking is a loss like a theft: it says why and names the thief, and it is counted.
#[test]
fn who_parks_is_told_why() {
    let (mixer, mut renderer) = open(2, WhenFull::StealQuietest);
    let parks = |level| steady(level).when_stolen(WhenStolen::Park);
    play(&mixer, &mut renderer, parks(0.25), 1);
    let loud = play(&mixer, &mut renderer, steady(0.5).priority(Priority::High), 2);
    assert_eq!((mixer.stats().full, mixer.stats().parkings), (0, 0));
    let thief = play(&mixer, &mut renderer, steady(0.5), 3);
    let parked = parkings(&mixer);
    let level = mixer.stats().loudest_parked;
    assert!((0.35..0.36).contains(&level), "{level} is not 0.25 on both sides");
    assert_eq!(parked, [(1, Parking::Stolen { by: thief, by_tag: 3, level })]);

    mixer.pause(thief);
    renderer.frames(128);
    play(&mixer, &mut renderer, steady(0.25).priority(Priority::High), 4);
    assert_eq!(parkings(&mixer), [(3, Parking::Paused)]);
    let stats = mixer.stats();
    assert_eq!((stats.full, stats.parkings, stats.loudest_parked), (2, 2, level));

    mixer.stop_all(ms(0));
    renderer.frames(128);
    mixer.set_when_full(WhenFull::Refuse);
    play(&mixer, &mut renderer, parks(0.25), 5);
    play(&mixer, &mut renderer, parks(0.5), 6);
    play(&mixer, &mut renderer, parks(0.5), 7);
    assert_eq!(parkings(&mixer), [(7, Parking::PoolFull)]);
    mixer.resize(1).expect("smaller");
    renderer.frames(128);
    assert_eq!(parkings(&mixer), [(5, Parking::Shrunk)]);
    let stats = mixer.stats();
    assert_eq!((stats.full, stats.parkings, stats.stolen), (3, 4, 0));
    assert!(stats.to_string().contains("; 4 parkings, the loudest at -9.0 dB"), "{stats}");
    mixer.reset_peaks();
    assert_eq!(mixer.stats().loudest_parked, 0.0);
    assert!(!mixer.is_live(loud));
}

/// Where all is turned down it is still known who is quiet.
#[test]
fn a_master_turned_down_does_not_forget_who_was_quiet() {
    let (mixer, mut renderer) = open(3, WhenFull::StealQuietest);
    for (tag, level) in [(1, 0.3), (2, 0.1), (3, 0.2)] {
        play(&mixer, &mut renderer, steady(level), tag);
    }
    mixer.set_gain(BusId::MASTER, 0.0, ms(0));
    renderer.frames(256);
    play(&mixer, &mut renderer, steady(0.5), 4);
    match endings(&mixer)[..] {
        [(2, Ending::Stolen { level, .. })] => assert_eq!(level, 0.0, "and that none is heard"),
        ref other => panic!("{other:?}"),
    }
}

/// One voice fewer than there is room for, as many, and one more: of every priority, under every
/// policy, each play has one ending or is still there.
#[test]
fn around_a_full_pool_the_books_are_right() {
    let policies =
        [WhenFull::StealQuietest, WhenFull::StealOldest, WhenFull::Refuse, WhenFull::Grow];
    for when_full in policies {
        for priority in EVERY {
            for voices in [1, 2, 7] {
                for plays in [voices - 1, voices, voices + 1] {
                    let (mixer, mut renderer) = open(voices, when_full);
                    for tag in 0..plays {
                        mixer.play(steady(0.1).priority(priority).tag(tag as u64));
                    }
                    renderer.frames(300);
                    let stats = mixer.stats();
                    assert_eq!(stats.playing, plays.min(voices));
                    let over = (plays - stats.playing) as u64;
                    assert_eq!(stats.stolen + stats.refused, over, "{when_full:?} {priority:?}");
                    let never = priority == Priority::Protected || when_full == WhenFull::Refuse;
                    assert_eq!(stats.stolen, if never { 0 } else { over });
                    mixer.stop_all(ms(0));
                    renderer.frames(300);
                    assert_eq!(mixer.stats().live, 0);
                }
            }
        }
    }
}

/// Levels are asked for once in a quantum: another answer to a full pool, given in its midst, goes
/// by what was heard then.
#[test]
fn another_answer_asks_nobody_anew_how_loud_they_are() {
    let (mixer, mut renderer) = open(2, WhenFull::StealQuietest);
    let falling: Vec<f32> = (0..400).map(|n| if n < 200 { 1.0 } else { 0.1 }).collect();
    mixer.play(Play::of(&mono(RATE, &falling)).tag(1));
    mixer.play(steady(0.5).tag(2));
    renderer.frames(128);
    mixer.play(steady(2.0).tag(3));
    mixer.set_when_full(WhenFull::StealOldest);
    mixer.play(steady(2.0).tag(4).start_at(128 + 100));
    renderer.frames(128);
    match endings(&mixer)[..] {
        [(2, Ending::Stolen { level: quiet, .. }), (1, Ending::Stolen { level, .. })] => {
            assert!((1.9..2.1).contains(&(level / quiet)), "{level} is not twice {quiet}");
        }
        ref other => panic!("{other:?}"),
    }
}
