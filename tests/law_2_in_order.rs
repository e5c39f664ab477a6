//! Law 2, no control is lost: what waited for room in the queue has the effect that it would have had
//! at once.

mod common;

use common::{bits, mono, noise};
use voicepool::{BusId, Config, Frame, Mixer, Play, Renderer, Tag, VoiceId, ms};

const BUS: BusId = BusId::new(1);

fn toy(commands: usize) -> (Mixer, Renderer) {
    let config = Config { voices: 2, commands, sample_rate: 1000, ..Config::DEFAULT };
    Mixer::offline(config).expect("a good config")
}

type Say = fn(&Mixer, Option<VoiceId>);

/// What is heard of a voice on a bus to which something is said on one line, after `before` was said.
/// With a full queue all of it waits, and takes a line for each command.
fn heard(commands: usize, before: Say, say: Say) -> Vec<Frame> {
    let (mixer, mut renderer) = toy(commands);
    let clip = mono(1000, &noise(5, 3000));
    let voice = mixer.play(Play::of(clip).loop_range(ms(100)..ms(900)).bus(BUS).tag(4));
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
    heard
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
    let cases: [(&str, Say, Say); 6] = [
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
        ("a seek, and the end of the loop", NOTHING, |mixer, voice| {
            mixer.seek(voice, ms(850));
            mixer.end_loop(BUS);
        }),
    ];
    for (what, before, say) in cases {
        // The last second, by when everything has landed: it differs by when it did.
        let at_once = heard(64, before, say);
        let waited = heard(1, before, say);
        let sounds = |frames: &[Frame]| frames[4096..].iter().any(|frame| *frame != [0.0; 2]);
        assert_eq!(sounds(&at_once), sounds(&waited), "{what}");
        if !what.contains("seek") {
            assert_eq!(bits(&at_once[4096..]), bits(&waited[4096..]), "{what}");
        }
    }
}
