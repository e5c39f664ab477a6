//! A device that the game chooses while it plays.

use std::sync::atomic::Ordering::SeqCst;
use std::thread;

use cpal::ErrorKind;

use super::helpers::{
    assert_balanced, largest_step, outputs, patient, plays_on, polls, saw, saw_at, small,
    stream_on, tone, until, until_doing, why,
};
use super::{Output, Script};
use crate::output::supervisor::Timeouts;
use crate::{Config, Mixer, Play, Sound, ms};

pub fn three() -> Script {
    Script::new(["speakers", "headphones", "television"].map(|name| Output::new(name, 48_000)))
}

pub fn on(name: &str) -> Config {
    Config { device: Some(name.to_owned()), ..small() }
}

/// As [`patient`], but a device that was asked for and is not there is tried at every poll.
pub fn eager() -> Timeouts {
    Timeouts { switch_retry: ms(1), max_switch_retry: ms(1), ..patient() }
}

/// Calls back until the sound goes to a device, and the streams on all others are dropped.
#[track_caller]
pub fn settles_on(script: &Script, mixer: &Mixer, name: &str) {
    script.run_until(&format!("it plays on the {name} alone"), || {
        let streams = script.plan().streams.clone();
        plays_on(mixer, name) && streams.len() == 1 && streams[0].device == name
    });
}

/// The sound goes from device to device, by name and back to the default, without a step on either
/// of them and without a silence told.
#[test]
fn the_sound_goes_over_to_the_chosen_device_without_a_step() {
    for rate in [48_000, 44_100] {
        let script = three();
        script.change(|plan| plan.outputs[1] = Output::new("headphones", rate));
        let mixer = script.open(small(), patient());
        let (tone, step) = tone(48_000, 441.0);
        mixer.play(tone);
        let mut old = script.stream(&mixer, 1);
        let mut heard_before = Vec::new();
        for name in ["headphones", "television", "headphones", "speakers"] {
            heard_before.extend(old.frames(3000));
            outputs(&mixer);
            mixer.set_device(Some(name).filter(|name| *name != "speakers"));
            let new = stream_on(&script, name);
            let (mut heard_old, mut heard_new) = (heard_before, vec![[0.0; 2]]);
            let call = || {
                heard_old.extend(old.frames(50));
                heard_new.extend(new.frames(480));
                thread::sleep(ms(1));
            };
            until_doing("it has gone over", call, || plays_on(&mixer, name));
            until("the old one is dropped", || old.drop_ended.load(SeqCst));
            heard_old.extend(old.frames(480));
            let most = 1.5 * step * 48_000.0 / old.config.sample_rate as f32;
            assert!(largest_step(&heard_old) <= most, "{}", largest_step(&heard_old));
            assert_eq!(outputs(&mixer), [mixer.output()], "that is all there is to tell");
            (old, heard_before) = (new, heard_new);
        }
        let heard = old.frames(3000);
        assert!(heard[1000..].iter().any(|frame| frame[0].abs() > 0.45));
        assert_eq!((mixer.stats().live, script.plan().streams.len()), (1, 1));
        assert_balanced(&mixer);
    }
}

/// The clock goes on meanwhile, and the sound is where the clock says.
#[test]
fn the_sound_is_in_its_place_on_the_chosen_device() {
    let script = three();
    let mixer = script.open(on("television"), patient());
    mixer.play(saw());
    script.stream(&mixer, 1).frames(1000);
    for name in [Some("headphones"), None, Some("television")] {
        mixer.set_device(name);
        let name = name.unwrap_or("speakers");
        settles_on(&script, &mixer, name);
        let (stream, now) = (stream_on(&script, name), mixer.clock());
        let heard = stream.frames(1000);
        assert!(heard[480..].iter().zip(now + 480..).all(|(frame, at)| frame[0] == saw_at(at)));
    }
    assert_balanced(&mixer);
}

/// A choice that changes nothing opens nothing.
#[test]
fn the_device_that_plays_is_left_alone() {
    let script = three();
    let mixer = script.open(small(), eager());
    mixer.play(saw());
    let stream = script.stream(&mixer, 1);
    // The default, and then the default by its name.
    for name in [None, Some("speakers"), None, Some("speakers")] {
        mixer.set_device(name);
        polls(&script, &stream);
        let now = mixer.clock();
        assert!(stream.frames(500).iter().zip(now..).all(|(frame, at)| frame[0] == saw_at(at)));
    }
    assert_eq!(script.change(|plan| (plan.builds_begun, plan.streams.len())), (1, 1));
}

/// A name that is not there costs the default nothing, and is gone over to once it appears.
#[test]
fn a_chosen_device_that_is_missing_is_taken_up_when_it_appears() {
    let script = Script::usual();
    let mixer = script.open(small(), eager());
    mixer.play(saw());
    let stream = script.stream(&mixer, 1);
    outputs(&mixer);
    mixer.set_device(Some("television"));
    let tries = script.plan().tries;
    let hear = || {
        let now = mixer.clock();
        assert!(stream.frames(100).iter().zip(now..).all(|(frame, at)| frame[0] == saw_at(at)));
        thread::sleep(ms(1));
    };
    until_doing("it is looked for", hear, || script.plan().tries > tries + 5);
    assert_eq!((script.plan().built, outputs(&mixer)), (1, vec![]));
    script.change(|plan| plan.outputs.push(Output::new("television", 48_000)));
    settles_on(&script, &mixer, "television");
}

/// If it was another named device that played, the default plays until the chosen one appears.
#[test]
fn the_default_plays_while_the_chosen_device_is_missing() {
    let script = three();
    let mixer = script.open(on("television"), eager());
    mixer.play(saw());
    script.stream(&mixer, 1);
    mixer.set_device(Some("gramophone"));
    settles_on(&script, &mixer, "speakers");
    script.change(|plan| plan.outputs.push(Output::new("gramophone", 44_100)));
    settles_on(&script, &mixer, "gramophone");
    // And it is found again when it was lost: it is what was asked for now.
    let gramophone = script.change(|plan| plan.outputs.pop()).unwrap();
    stream_on(&script, "gramophone").raise(ErrorKind::DeviceNotAvailable);
    settles_on(&script, &mixer, "speakers");
    script.change(|plan| plan.outputs.push(gramophone));
    settles_on(&script, &mixer, "gramophone");
    assert_eq!(mixer.stats().live, 1);
}

/// The choice is remembered while there is no device at all.
#[test]
fn a_choice_without_any_device_counts_when_there_are_some() {
    let script = Script::new([]);
    let mixer = script.open(on("headphones"), patient());
    assert_eq!(why(&mixer), "there is no output device");
    mixer.set_device(Some("television"));
    let tries = script.plan().tries;
    until("it tries again and again", || script.plan().tries > tries + 2);
    script.change(|plan| plan.outputs = three().plan().outputs.clone());
    settles_on(&script, &mixer, "television");
}

/// A choice is tried at once, however long the pause since the last failure was to be.
#[test]
fn a_choice_does_not_wait_for_the_next_retry() {
    let script = three();
    script.change(|plan| {
        plan.outputs[..2].iter_mut().for_each(|it| it.build = Some(ErrorKind::DeviceBusy));
    });
    let never = ms(1_000_000);
    let timeouts = Timeouts { first_retry: never, max_retry: never, ..patient() };
    let mixer = script.open(on("headphones"), timeouts);
    assert_eq!(why(&mixer), cpal::Error::new(ErrorKind::DeviceBusy).to_string());
    mixer.set_device(Some("television"));
    settles_on(&script, &mixer, "television");
}

/// Of many choices in a row the last one counts, whatever the sound was doing meanwhile.
#[test]
fn of_many_choices_the_last_one_counts() {
    let script = three();
    let mixer = script.open(small(), patient());
    mixer.play(saw());
    script.stream(&mixer, 1);
    let names =
        [Some("television"), None, Some("headphones"), Some("gramophone"), Some("speakers")];
    for round in 0..20 {
        for n in 0..100 {
            mixer.set_device(names[(n * 7 + round) % 5]);
            if n % 10 == round % 10 {
                let streams = script.plan().streams.clone();
                streams.iter().for_each(|stream| drop(stream.frames(480)));
                thread::yield_now();
            }
        }
        let last = ["television", "headphones", "speakers"][round % 3];
        mixer.set_device(Some(last));
        settles_on(&script, &mixer, last);
    }
    assert_eq!(mixer.stats().live, 1);
    assert_balanced(&mixer);
}

/// Any thread may choose.
#[test]
fn several_threads_may_choose() {
    let script = three();
    let mixer = script.open(small(), patient());
    mixer.play(saw());
    script.stream(&mixer, 1);
    thread::scope(|scope| {
        for name in [Some("television"), Some("headphones"), Some("gramophone"), None] {
            let mixer = mixer.clone();
            scope.spawn(move || (0..500).for_each(|_| mixer.set_device(name)));
        }
    });
    mixer.set_device(Some("headphones"));
    settles_on(&script, &mixer, "headphones");
    assert_balanced(&mixer);
}

/// A choice that comes while the sound is going over waits until it has, and the sound comes back
/// though its old stream had begun to fade out.
#[test]
fn a_choice_in_the_middle_of_a_fade_brings_the_sound_back() {
    let script = three();
    let mixer = script.open(small(), patient());
    mixer.play(Play::of(Sound::from_mono(48_000, &[0.5; 100]).unwrap()).looping());
    let speakers = script.stream(&mixer, 1);
    mixer.set_device(Some("television"));
    let television = stream_on(&script, "television");
    until("the old stream fades out", || {
        television.frames(480);
        speakers.frames(1)[0][0] < 0.5
    });
    mixer.set_device(None);
    settles_on(&script, &mixer, "speakers");
    let heard = stream_on(&script, "speakers").frames(1000);
    assert!(heard[480..].iter().all(|frame| *frame == [0.5; 2]));
}
