//! Law 2, no control is lost: what waited for room in the queue has the effect that it would have had
//! at once.

mod common;

use common::{bits, mono, noise};
use voicepool::{BusId, Config, Ending, Event, Frame, Mixer, Play, Renderer, Tag, VoiceId, ms};

const BUS: BusId = BusId::new(1);

fn toy(commands: usize) -> (Mixer, Renderer) {
    let config = Config { voices: 2, commands, sample_rate: 1000, ..Config::DEFAULT };
    Mixer::offline(config).expect("a good config")
}

type Say = fn(&Mixer, Option<VoiceId>);

/// A voice on a bus, three seconds long, with a loop in it.
fn play(mixer: &Mixer) -> Option<VoiceId> {
    let clip = mono(1000, &noise(5, 3000));
    mixer.play(Play::of(clip).loop_range(ms(100)..ms(900)).bus(BUS).tag(4))
}

/// What is heard of it if something is said to it on one line, after `before` was said. With a full
/// queue all of it waits, and takes a line for each command.
fn heard(commands: usize, before: Say, say: impl Fn(&Mixer, Option<VoiceId>)) -> Vec<Frame> {
    waited(commands, before, say).0
}

/// The same, and on which frame it has ended.
fn waited(
    commands: usize,
    before: Say,
    say: impl Fn(&Mixer, Option<VoiceId>),
) -> (Vec<Frame>, Vec<(u64, Ending)>) {
    let (mixer, mut renderer) = toy(commands);
    let voice = play(&mixer);
    renderer.frames(128);
    before(&mixer, voice);
    renderer.frames(512);
    if commands == 1 {
        mixer.set_gain(BusId::new(9), 1.0, ms(0));
    }
    say(&mixer, voice);
    let mut heard = Vec::new();
    for _ in 0..40 {
        heard.extend(renderer.frames(128));
        mixer.stats();
    }
    (heard, endings(&mixer))
}

/// The same, if the queue has room and each thing is said a line later than the one before it: the first
/// when what would have filled the queue has left it.
fn in_turn(says: &[Say]) -> (Vec<Frame>, Vec<(u64, Ending)>) {
    let (mixer, mut renderer) = toy(64);
    let voice = play(&mixer);
    renderer.frames(128 + 512);
    let mut heard = Vec::new();
    for line in 0..40 {
        heard.extend(renderer.frames(128));
        says.get(line).into_iter().for_each(|say| say(&mixer, voice));
    }
    (heard, endings(&mixer))
}

/// On which frame something has ended, and why.
fn endings(mixer: &Mixer) -> Vec<(u64, Ending)> {
    let ended = |event| match event {
        Event::Ended { at, why, .. } => Some((at, why)),
        _ => None,
    };
    mixer.events().filter_map(ended).collect()
}

const NOTHING: Say = |_, _| ();

/// What stands still ends at once when it is stopped. To let it go on first would be heard, for as long
/// as the fade lasts.
#[test]
fn what_was_stopped_while_it_stood_still_is_not_heard_again() {
    let cases: [(&str, Say, Say); 5] = [
        (
            "a voice",
            |mixer, voice| mixer.pause(voice, ms(0)),
            |mixer, voice| {
                mixer.stop(voice, ms(900));
                mixer.resume(voice, ms(0));
            },
        ),
        (
            "a bus",
            |mixer, _| mixer.pause(BUS, ms(0)),
            |mixer, _| {
                mixer.stop(BUS, ms(900));
                mixer.resume(BUS, ms(0));
            },
        ),
        (
            "a voice on its bus",
            |mixer, _| mixer.pause(BUS, ms(0)),
            |mixer, voice| {
                mixer.stop(voice, ms(900));
                mixer.resume(BUS, ms(0));
            },
        ),
        (
            "a tag on its bus",
            |mixer, _| mixer.pause(BUS, ms(0)),
            |mixer, _| {
                mixer.stop(Tag(4), ms(900));
                mixer.resume(BUS, ms(0));
            },
        ),
        (
            "a voice whose stop was hurried",
            |mixer, voice| mixer.pause(voice, ms(0)),
            |mixer, voice| {
                mixer.stop(voice, ms(900));
                mixer.resume(voice, ms(0));
                mixer.stop(voice, ms(300));
            },
        ),
    ];
    for (what, before, say) in cases {
        for commands in [64, 1] {
            let heard = heard(commands, before, say);
            let silent = heard[128..].iter().all(|frame| *frame == [0.0; 2]);
            assert!(silent, "{what}, with a queue of {commands}");
        }
    }
}

/// In the end all is as it would be had it been said to a queue with room.
#[test]
fn what_waited_comes_to_the_same_end() {
    let cases: [(&str, Say, Say); 5] = [
        ("a pause taken back", NOTHING, |mixer, voice| {
            mixer.pause(voice, ms(500));
            mixer.resume(voice, ms(0));
        }),
        ("a mute taken back", NOTHING, |mixer, voice| {
            mixer.set_mute(voice, true);
            mixer.set_mute(voice, false);
        }),
        ("a mute", NOTHING, |mixer, voice| mixer.set_mute(voice, true)),
        ("a mute of the bus, and a gain beneath it", NOTHING, |mixer, _| {
            mixer.set_mute(BUS, true);
            mixer.set_gain(BUS, 0.5, ms(0));
        }),
        ("the end of a loop", NOTHING, |mixer, voice| mixer.end_loop(voice)),
    ];
    for (what, before, say) in cases {
        // The last second, by when everything has landed: it differs by when it did.
        let at_once = heard(64, before, say);
        let waited = heard(1, before, say);
        let sounds = |frames: &[Frame]| frames[4096..].iter().any(|frame| *frame != [0.0; 2]);
        assert_eq!(sounds(&at_once), sounds(&waited), "{what}");
        assert_eq!(bits(&at_once[4096..]), bits(&waited[4096..]), "{what}");
    }
}

/// Where a jump leads to, and whether a loop ends before it comes round, depends on when each was carried
/// out. What waited is heard as if each had been said on its line, in the order in which it was said, and
/// none was left out.
#[test]
fn what_waited_is_what_would_have_been_said_a_line_apart() {
    let seek: Say = |mixer, voice| mixer.seek(voice, ms(850));
    let end_loop: Say = |mixer, voice| mixer.end_loop(voice);
    let end_all_loops: Say = |mixer, _| mixer.end_loop(BUS);
    let cases = [
        ("a seek, and the end of the loop", [seek, end_loop]),
        ("a seek, and the end of the loop by the bus", [seek, end_all_loops]),
        ("the end of the loop, and a seek", [end_loop, seek]),
        ("the end of the loop by the bus, and a seek", [end_all_loops, seek]),
    ];
    for (what, says) in cases {
        let (heard, ended) = waited(1, NOTHING, |mixer, voice| {
            says.iter().for_each(|say| say(mixer, voice));
        });
        let is_the_same = |says: &[Say]| {
            let (in_turn, ended_in_turn) = in_turn(says);
            (bits(&in_turn) == bits(&heard), ended_in_turn == ended)
        };
        assert!(matches!(ended[..], [(_, Ending::Finished)]), "{what}: {ended:?}");
        assert_eq!(is_the_same(&says), (true, true), "{what}");
        let [first, second] = says;
        for other in [[NOTHING, second], [first, NOTHING], [second, first]] {
            assert_eq!(is_the_same(&other), (false, false), "{what}: it could not be told");
        }
    }
}
