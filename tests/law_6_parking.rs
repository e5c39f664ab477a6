//! Law 6, for whoever must wait: who parks and why, who comes back and when, and that nothing
//! flutters.

mod common;

use common::mono;
use voicepool::{
    BusId, Config, Ending, Event, Mixer, Parking, Play, Priority, Renderer, VoiceId, WhenFull,
    WhenStolen, db, ms,
};

/// Just too low for K-weighting, so that a constant is as loud as it is high. The 250 ms of a guard
/// are 15 quanta, and every third line is a review.
const RATE: u32 = 7_680;
const GUARD: u64 = 15 * 128;
const REVIEW: u64 = 3 * 128;
const BUS: BusId = BusId::new(3);

fn open(voices: usize, when_full: WhenFull) -> (Mixer, Renderer) {
    let (max_voices, sample_rate) = (voices, RATE);
    let config =
        Config { voices, max_voices, parked: 8, sample_rate, when_full, ..Config::default() };
    let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
    renderer.frames(128);
    (mixer, renderer)
}

/// A steady sound without end, of some level, that parks when it is robbed.
fn steady(level: f32) -> Play {
    Play::of(mono(RATE, &[level])).looping()
}

/// Plays, and goes on by a quantum.
fn play(mixer: &Mixer, renderer: &mut Renderer, play: Play, tag: u64) -> VoiceId {
    let voice = mixer.play(play.tag(tag)).expect("there is room in the queue");
    renderer.frames(128);
    voice
}

/// The line on which acts what is said now.
fn line(mixer: &Mixer) -> u64 {
    mixer.clock() + 128
}

/// Who parked, came back or ended since this was last asked: by tag, and when.
#[derive(Debug, PartialEq)]
enum Seen {
    Parked(u64, u64, Parking),
    Back(u64, u64),
    Ended(u64, u64, Ending),
}

use Seen::{Back, Ended, Parked};

fn seen(mixer: &Mixer) -> Vec<Seen> {
    let seen = |event| match event {
        Event::Parked { tag, at, why, .. } => Parked(tag, at, why),
        Event::Unparked { tag, at, .. } => Back(tag, at),
        Event::Ended { tag, at, why, .. } => Ended(tag, at, why),
        other => panic!("{other:?}"),
    };
    mixer.events().map(seen).collect()
}

/// How loud a steady sound is: on both sides.
fn level(steady: f32) -> f32 {
    steady * 2f32.sqrt()
}

fn near(a: f32, b: f32) -> bool {
    (a / b - 1.0).abs() < 1e-3
}

/// Who was robbed stays away for 250 ms, though there is a voice for it before, and comes back on
/// the first line after.
#[test]
fn the_robbed_stay_away_for_250_ms() {
    let (mixer, mut renderer) = open(1, WhenFull::StealQuietest);
    play(&mixer, &mut renderer, steady(0.5), 1);
    let robbed = line(&mixer);
    let by = play(&mixer, &mut renderer, steady(0.5), 2);
    let [Parked(1, at, Parking::Stolen { by: thief, by_tag: 2, level: it })] = seen(&mixer)[..]
    else {
        panic!("nobody parked");
    };
    assert!(at == robbed && thief == by && near(it, level(0.5)));
    mixer.stop(by, ms(0));
    renderer.frames(2 * GUARD as usize);
    let came = seen(&mixer);
    assert!(
        matches!(came[..], [Ended(2, at, Ending::Stopped), Back(1, back)]
        if at < robbed + 256 && back == robbed + GUARD),
        "{came:?}"
    );
    let stats = mixer.stats();
    assert_eq!((stats.parkings, stats.full, stats.stolen, stats.parked), (1, 1, 0, 0));
    assert!(near(stats.loudest_parked, level(0.5)));
    assert_eq!(stats.loudest_stolen, 0.0);
}

/// The same for who was too many when the pool shrank.
#[test]
fn who_had_no_room_in_a_smaller_pool_stays_away_for_250_ms() {
    let (mixer, mut renderer) = open(2, WhenFull::StealQuietest);
    play(&mixer, &mut renderer, steady(0.5), 1);
    play(&mixer, &mut renderer, steady(0.4), 2);
    let shrunk = line(&mixer);
    mixer.resize(1).expect("smaller");
    renderer.frames(128);
    mixer.resize(2).expect("as it was");
    renderer.frames(2 * GUARD as usize);
    assert_eq!(seen(&mixer), [Parked(2, shrunk, Parking::Shrunk), Back(2, shrunk + GUARD)]);
    assert_eq!((mixer.stats().parkings, mixer.stats().full), (1, 0));
}

/// Who parked for another reason comes back as soon as it is heard and there is a voice.
#[test]
fn who_was_not_robbed_comes_back_at_once() {
    // Nobody to rob.
    let (mixer, mut renderer) = open(1, WhenFull::StealQuietest);
    let high = play(&mixer, &mut renderer, steady(0.1).priority(Priority::High), 1);
    let asked = line(&mixer);
    play(&mixer, &mut renderer, steady(0.5), 2);
    mixer.stop(high, ms(0));
    let stopped = line(&mixer);
    renderer.frames(512);
    let over = stopped + 38;
    assert_eq!(
        seen(&mixer),
        [
            Parked(2, asked, Parking::PoolFull),
            Ended(1, over, Ending::Stopped),
            Back(2, over.next_multiple_of(128))
        ]
    );
    // Nobody to hear it; then it is heard, but there is no voice; then there is.
    let asked = line(&mixer);
    let quiet = play(&mixer, &mut renderer, steady(0.5).gain(0.0), 3);
    mixer.set_gain(quiet, 0.5, ms(0));
    renderer.frames(512);
    assert_eq!(seen(&mixer), [Parked(3, asked, Parking::Inaudible)]);
    mixer.stop_all(ms(0));
    let next = play(&mixer, &mut renderer, steady(0.5).priority(Priority::High), 4);
    renderer.frames(256);
    seen(&mixer);
    // The same with a pause.
    let paused = mixer.play(steady(0.5).delay(ms(1)).tag(5));
    mixer.pause(paused, ms(0));
    renderer.frames(512);
    mixer.stop(next, ms(0));
    renderer.frames(512);
    assert_eq!(mixer.stats().parked, 1, "nobody comes back to stand still");
    seen(&mixer);
    let resumed = line(&mixer);
    mixer.resume(paused, ms(0));
    renderer.frames(128);
    assert_eq!(seen(&mixer), [Back(5, resumed)]);
}

/// The loudest come back first, with their buses; among equals who parked first.
#[test]
fn the_loudest_come_back_first() {
    let (mixer, mut renderer) = open(1, WhenFull::Refuse);
    mixer.set_gain(BUS, 0.5, ms(0));
    let mut playing = play(&mixer, &mut renderer, steady(0.9), 0);
    let parked = [0.2, 0.4, 0.3, 0.3].map(|level| play(&mixer, &mut renderer, steady(level), 1));
    let on_bus = play(&mixer, &mut renderer, steady(0.7).bus(BUS), 1);
    let unparked = |event| match event {
        Event::Unparked { voice, .. } => Some(voice),
        _ => None,
    };
    for next in [parked[1], on_bus, parked[2], parked[3], parked[0]] {
        mixer.stop(playing, ms(0));
        renderer.frames(256);
        assert!(mixer.events().filter_map(unparked).eq([next]));
        playing = next;
    }
}

/// A parked sound's time goes on: it ends on the frame on which it would have ended.
#[test]
fn a_parked_one_shot_ends_on_its_frame() {
    let (mixer, mut renderer) = open(1, WhenFull::StealQuietest);
    let begun = line(&mixer);
    let shot = Play::of(mono(RATE, &[0.1; 1000])).when_stolen(WhenStolen::Park);
    play(&mixer, &mut renderer, shot, 1);
    play(&mixer, &mut renderer, steady(0.5), 2);
    renderer.frames(1280);
    let seen = seen(&mixer);
    assert!(
        matches!(seen[..], [Parked(1, ..), Ended(1, at, Ending::Finished)]
        if at == begun + 1000),
        "{seen:?}"
    );
}

/// Its time is that of its bus, and stands still while that is paused: for as long as the pause, less
/// the 5 ms in which a bus fades out on which something sounds.
#[test]
fn a_parked_one_shot_waits_while_its_bus_is_paused() {
    for (bus, fades) in [(BUS, 0), (BusId::MASTER, 38)] {
        let (mixer, mut renderer) = open(1, WhenFull::StealQuietest);
        let begun = line(&mixer);
        let shot = Play::of(mono(RATE, &[0.1; 3000])).bus(BUS).when_stolen(WhenStolen::Park);
        play(&mixer, &mut renderer, shot, 1);
        play(&mixer, &mut renderer, steady(0.5), 2);
        mixer.pause(bus, ms(0));
        renderer.frames(7 * 128);
        mixer.resume(bus, ms(0));
        renderer.frames(6000);
        let ended = seen(&mixer).pop();
        let expected = begun + 3000 + 7 * 128 - fades;
        assert_eq!(ended, Some(Ended(1, expected, Ending::Finished)), "{bus:?}");
    }
}

/// A parked loop and the voice that has its place: how the two go on for ten seconds.
fn rivals(parked: Play, playing: f32) -> (Vec<Seen>, u64) {
    let (mixer, mut renderer) = open(1, WhenFull::StealQuietest);
    play(&mixer, &mut renderer, parked, 1);
    let robbed = line(&mixer);
    play(&mixer, &mut renderer, steady(playing).when_stolen(WhenStolen::End), 2);
    renderer.frames(10 * RATE as usize);
    (seen(&mixer), robbed)
}

/// A parked play that has been 6 dB louder than a voice for 250 ms takes its place. (The guard comes
/// first, and it is looked only now and then.)
#[test]
fn who_is_6_db_louder_for_250_ms_takes_a_place_back() {
    let (seen, robbed) = rivals(steady(0.1 * db(6.01)), 0.1);
    let louder_since = (robbed + GUARD).next_multiple_of(REVIEW);
    let back = (louder_since + GUARD).next_multiple_of(REVIEW);
    match seen[..] {
        [
            Parked(1, parked, _),
            Ended(2, at, Ending::Stolen { by_tag: 1, level: it, .. }),
            Back(1, came),
        ] => {
            assert_eq!((parked, at, came), (robbed, back, back));
            assert!(near(it, level(0.1)));
        }
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn who_is_5_db_louder_does_not() {
    for decibels in [0.0, 5.0, 5.99] {
        let (seen, _) = rivals(steady(0.1 * db(decibels)), 0.1);
        assert!(matches!(seen[..], [Parked(1, ..)]), "{decibels} dB: {seen:?}");
    }
}

#[test]
fn nobody_takes_a_place_back_from_a_higher_priority() {
    let (seen, _) = rivals(steady(0.9).priority(Priority::Low), 0.1);
    assert!(matches!(seen[..], [Parked(1, ..)]), "{seen:?}");
}

/// Whose answer to a full pool was to be refused robs nobody later on either.
#[test]
fn under_refuse_nobody_takes_a_place_back() {
    for (answer, comes_back) in [(WhenFull::Refuse, false), (WhenFull::StealOldest, true)] {
        let (mixer, mut renderer) = open(1, answer);
        let on_bus = steady(0.9).when_stolen(WhenStolen::Park).bus(BUS);
        let blocker = steady(0.1).when_stolen(WhenStolen::End);
        play(&mixer, &mut renderer, blocker, 1);
        // It parks because nobody hears it, and later it is loud.
        mixer.set_gain(BUS, 0.0, ms(0));
        play(&mixer, &mut renderer, on_bus, 2);
        mixer.set_gain(BUS, 1.0, ms(0));
        renderer.frames(4 * GUARD as usize);
        let back = seen(&mixer).iter().any(|seen| matches!(seen, Back(2, _)));
        assert_eq!(back, comes_back, "{answer:?}");
    }
}

/// It must have been louder all the time: what is quiet in between begins anew.
#[test]
fn who_is_louder_now_and_then_takes_nothing_back() {
    let (mixer, mut renderer) = open(1, WhenFull::StealQuietest);
    let parked = play(&mixer, &mut renderer, steady(0.5), 1);
    play(&mixer, &mut renderer, steady(0.2).when_stolen(WhenStolen::End), 2);
    for _ in 0..20 {
        for gain in [1.0, 0.5] {
            mixer.set_gain(parked, gain, ms(0));
            renderer.frames(2 * REVIEW as usize);
        }
    }
    assert!(matches!(seen(&mixer)[..], [Parked(1, ..)]));
    mixer.set_gain(parked, 1.0, ms(0));
    renderer.frames((GUARD + 2 * REVIEW) as usize);
    assert!(matches!(seen(&mixer)[..], [Ended(2, ..), Back(1, _)]));
}

/// Who loses its place to one that comes back may park in turn, and finds the room that it left.
#[test]
fn two_loops_change_places_when_their_loudness_does() {
    let sample_rate = RATE;
    let config = Config { voices: 1, max_voices: 1, parked: 2, sample_rate, ..Config::default() };
    let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
    let mut voices = [1, 2].map(|tag| play(&mixer, &mut renderer, steady(0.1), tag));
    play(&mixer, &mut renderer, steady(0.0).gain(0.0), 3);
    seen(&mixer);
    for _ in 0..4 {
        mixer.set_gain(voices[0], 1.0, ms(0));
        mixer.set_gain(voices[1], 0.1, ms(0));
        renderer.frames(4 * GUARD as usize);
        match seen(&mixer)[..] {
            [Parked(_, at, Parking::Stolen { by, .. }), Back(_, back)] => {
                assert!(at == back && by == voices[0]);
            }
            ref other => panic!("{other:?}"),
        }
        voices.reverse();
    }
    assert_eq!((mixer.stats().parkings, mixer.stats().parked), (6, 2));
}

/// A quiet loop among short sounds that come four at a time and are soon over: with each four of
/// them there is one voice too few, and after each four there is one for it. Says when it parked.
fn storm(when_full: WhenFull) -> Vec<u64> {
    let (mixer, mut renderer) = open(4, when_full);
    let shot = mono(RATE, &[0.2; 64]);
    mixer.play(steady(0.02).tag(1));
    let mut parkings = Vec::new();
    // 5.3 s.
    for _ in 0..159 {
        for _ in 0..4 {
            mixer.play(Play::of(&shot).tag(2));
        }
        renderer.frames(256);
        parkings.extend(seen(&mixer).into_iter().filter_map(|seen| match seen {
            Parked(1, at, _) => Some(at),
            _ => None,
        }));
    }
    assert_eq!(mixer.stats().parkings, parkings.len() as u64);
    parkings
}

#[test]
fn a_parked_loop_does_not_flutter_in_a_storm() {
    for when_full in [WhenFull::StealQuietest, WhenFull::StealOldest] {
        let parkings = storm(when_full);
        println!("{when_full:?}: parked {} times in 5.3 s", parkings.len());
        assert!((3..=22).contains(&parkings.len()), "{}", parkings.len());
        assert!(parkings.windows(2).all(|pair| pair[1] - pair[0] >= GUARD), "{parkings:?}");
    }
}

/// Silence is no louder than silence: those who play nothing leave each other, and a one-shot that is
/// silent for a while, in their places.
#[test]
fn the_silent_take_nothing_back() {
    for when_full in [WhenFull::StealQuietest, WhenFull::StealOldest, WhenFull::Grow] {
        let (mixer, mut renderer) = open(1, when_full);
        for tag in 0..5 {
            play(&mixer, &mut renderer, steady(0.0), tag);
        }
        let pause = Play::of(mono(RATE, &vec![0.0; 40 * RATE as usize]));
        play(&mixer, &mut renderer, pause, 9);
        seen(&mixer);
        renderer.frames(30 * RATE as usize);
        assert!(seen(&mixer).is_empty(), "{when_full:?}");
        assert_eq!(mixer.stats().parkings, 5);
    }
}
