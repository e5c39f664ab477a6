//! Long games: long enough for pools to grow, shrink back, and fill again.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use voicepool::{Config, Refusal};

use super::naive::{Happening, What, Why};
use super::script::{self, INTERPOLATIONS, POLICIES};
use super::tally::Tally;
use super::{agree, is_long, script_of_cues};

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
pub fn is_taken_back(it: &Happening, told: &[Happening]) -> bool {
    let robbed = |other: &Happening| match other.what {
        What::Stolen { by, .. } | What::Parked(Why::Stolen { by, .. }) => by == it.number,
        _ => false,
    };
    it.what == What::Unparked && told.iter().any(|other| other.at == it.at && robbed(other))
}

/// A long one with places and cues, in which those come back that were robbed.
#[test]
fn a_long_game_with_places_and_cues_sounds_as_the_naive_mixer_plays_it() {
    let mut runner = TestRunner::deterministic();
    for (rate, scenes) in [(1000, 300), (48_000, 150)] {
        let scenes = if is_long() { 100 * scenes } else { scenes };
        let (mut told, mut tally) = (Vec::new(), Tally::default());
        for when_full in POLICIES {
            let script = script_of_cues::script(rate, true, scenes);
            let script = script.new_tree(&mut runner).unwrap().current();
            let config = Config {
                voices: 3,
                max_voices: 6,
                parked: 5,
                scheduled: 2,
                commands: 2048,
                cues: 4,
                sample_rate: rate,
                when_full,
                ..Config::default()
            };
            match agree(&config, &script) {
                Ok((more, counts)) => {
                    tally.add(&counts);
                    told.extend(more);
                }
                Err(fault) => panic!("{when_full:?} at {rate} Hz: {fault}"),
            }
        }
        println!("long games of places and cues at {rate} Hz\n{tally}");
        let back = told.iter().filter(|it| it.what == What::Unparked).count();
        assert!(back >= 5, "only {back} came back at {rate} Hz");
    }
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
