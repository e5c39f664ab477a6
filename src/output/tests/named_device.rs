//! A device that was asked for by name, and comes back while the default plays instead of it.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;
use std::time::Instant;

use cpal::ErrorKind;

use super::helpers::{
    assert_balanced, drop_in_time, every_call, largest_step, outputs, patient, plays_on, saw,
    saw_at, small, stream_on, tone, until, until_doing,
};
use super::{Output, Script, TestStream};
use crate::output::supervisor::Timeouts;
use crate::{Config, Mixer, ms};

/// Tries what was asked for at every look.
fn eager() -> Timeouts {
    Timeouts { switch_retry: ms(1), max_switch_retry: ms(1), ..patient() }
}

fn television() -> Output {
    Output::new("television", 48_000)
}

/// A mixer that is to play on the television, which is missing, and plays on the default instead.
fn on_the_default(timeouts: Timeouts) -> (Script, Mixer, Arc<TestStream>) {
    let script = Script::usual();
    let mixer = script.open(named(), timeouts);
    let speakers = script.stream(&mixer, 1);
    assert_eq!(speakers.device, "speakers");
    (script, mixer, speakers)
}

fn named() -> Config {
    Config { device: Some("television".to_owned()), ..small() }
}

/// The sound goes over to it without a silence told and without a step on either device.
#[test]
fn a_named_device_that_returns_is_taken_up_without_a_step() {
    for rate in [48_000, 44_100] {
        let (script, mixer, speakers) = on_the_default(eager());
        let (tone, step) = tone(48_000, 441.0);
        mixer.play(tone);
        let mut old = speakers.frames(3000);
        outputs(&mixer);
        script.change(|plan| plan.outputs.push(Output::new("television", rate)));
        let television = stream_on(&script, "television");
        let mut new = vec![[0.0; 2]];
        let call = || {
            // A part of the fade.
            old.extend(speakers.frames(50));
            new.extend(television.frames(480));
            thread::sleep(ms(1));
        };
        until_doing("it is taken up", call, || plays_on(&mixer, "television"));
        until("the old one is let go", || speakers.drop_ended.load(SeqCst));
        old.extend(speakers.frames(480));
        new.extend(television.frames(3000));
        assert!(largest_step(&old) <= 1.5 * step, "on the old: {}", largest_step(&old));
        let most = 1.5 * step * 48_000.0 / rate as f32;
        assert!(largest_step(&new) <= most, "on the new: {}", largest_step(&new));
        assert!(new[new.len() - 1000..].iter().any(|frame| frame[0].abs() > 0.45));
        assert_eq!(outputs(&mixer), [mixer.output()], "that is all there is to tell");
        assert_eq!(mixer.stats().live, 1);
        assert_balanced(&mixer);
    }
}

/// So it is each time, also when it was there in the beginning.
#[test]
fn a_named_device_is_taken_up_as_often_as_it_returns() {
    let script = Script::new([Output::new("speakers", 48_000), television()]);
    let mixer = script.open(named(), eager());
    mixer.play(saw());
    for _ in 0..3 {
        script.run_until("it plays where it was asked to", || plays_on(&mixer, "television"));
        script.change(|plan| plan.outputs.truncate(1));
        stream_on(&script, "television").raise(ErrorKind::DeviceNotAvailable);
        script.run_until("the default plays", || plays_on(&mixer, "speakers"));
        script.change(|plan| plan.outputs.push(television()));
    }
    script.run_until("it is back", || plays_on(&mixer, "television"));
    let (stream, now) = (stream_on(&script, "television"), mixer.clock());
    // Past its fade, wherever in that it is.
    let heard = stream.frames(1000);
    assert!(heard[480..].iter().zip(now + 480..).all(|(frame, at)| frame[0] == saw_at(at)));
}

/// One that is there and cannot be had is asked again and again, and nobody hears of it.
#[test]
fn a_named_device_that_cannot_be_opened_costs_the_default_nothing() {
    type Set = fn(&mut Output, Option<ErrorKind>);
    let sets: [Set; 2] = [|output, kind| output.query = kind, |output, kind| output.build = kind];
    for set in sets {
        let (script, mixer, speakers) = on_the_default(eager());
        mixer.play(saw());
        outputs(&mixer);
        let mut busy = television();
        set(&mut busy, Some(ErrorKind::DeviceBusy));
        let tries = script.change(|plan| {
            plan.outputs.push(busy);
            plan.tries
        });
        let hear = || {
            let now = mixer.clock();
            assert!(speakers.frames(100).iter().zip(now..).all(|(it, at)| it[0] == saw_at(at)));
            thread::sleep(ms(1));
        };
        until_doing("it is asked again and again", hear, || script.plan().tries >= tries + 10);
        assert_eq!((script.plan().built, outputs(&mixer)), (1, vec![]));
        script.change(|plan| set(&mut plan.outputs[1], None));
        script.run_until("it is taken up", || plays_on(&mixer, "television"));
    }
}

/// One that opens is not trusted before it calls back.
#[test]
fn a_named_device_that_never_calls_back_costs_the_default_nothing() {
    let (script, mixer, speakers) = on_the_default(eager());
    mixer.play(saw());
    outputs(&mixer);
    script.change(|plan| plan.outputs.push(television()));
    // It fails before it was ever heard, again and again.
    for _ in 0..5 {
        let television = stream_on(&script, "television");
        for _ in 0..20 {
            let now = mixer.clock();
            assert!(speakers.frames(100).iter().zip(now..).all(|(it, at)| it[0] == saw_at(at)));
            thread::sleep(ms(1));
        }
        television.raise(ErrorKind::DeviceNotAvailable);
        until("it is let go", || television.drop_ended.load(SeqCst));
    }
    assert_eq!(outputs(&mixer), []);
    script.run_until("it calls back, and is taken up", || plays_on(&mixer, "television"));
}

/// One that takes too long is let go, and tried again.
#[test]
fn a_named_device_that_takes_too_long_is_tried_again() {
    let (script, mixer, speakers) = on_the_default(Timeouts { open: ms(200), ..eager() });
    script.change(|plan| plan.outputs.push(television()));
    for _ in 0..2 {
        let television = stream_on(&script, "television");
        until("it is let go", || television.drop_ended.load(SeqCst));
    }
    assert!(plays_on(&mixer, "speakers") && !speakers.drop_began.load(SeqCst));
}

/// A system that does not say whether it is there holds one thread, and nobody else.
#[test]
fn a_host_that_hangs_when_asked_for_the_named_device_holds_one_thread() {
    let (script, mixer, speakers) = on_the_default(Timeouts { open: ms(200), ..eager() });
    mixer.play(saw());
    script.change(|plan| plan.hosts_hang = true);
    until("it hangs", || script.plan().hanging == 1);
    let now = mixer.clock();
    // For longer than it is waited for.
    for _ in 0..100 {
        speakers.frames(480);
        thread::sleep(ms(4));
    }
    assert_eq!((mixer.clock(), script.plan().hanging), (now + 48_000, 1));
    every_call(&mixer);
    mixer.set_device(Some("television"));
    script.change(|plan| {
        plan.hosts_hang = false;
        plan.outputs.push(television());
    });
    script.run_until("it is taken up", || plays_on(&mixer, "television"));
    drop_in_time(mixer);
}

/// One that is lost again whenever it was taken up is taken up ever more rarely.
#[test]
fn a_named_device_that_is_lost_at_once_is_taken_up_at_growing_pauses() {
    let timeouts = Timeouts { switch_retry: ms(40), max_switch_retry: ms(1_000_000), ..patient() };
    let (script, mixer, _) = on_the_default(timeouts);
    script.change(|plan| plan.outputs.push(television()));
    for pause in [80, 160, 320] {
        script.run_until("it is taken up", || plays_on(&mixer, "television"));
        let began = Instant::now();
        script.change(|plan| plan.outputs[1].build = Some(ErrorKind::DeviceBusy));
        let lost = stream_on(&script, "television");
        lost.raise(ErrorKind::DeviceNotAvailable);
        script.run_until("the default plays", || plays_on(&mixer, "speakers"));
        until("the lost one is gone", || lost.drop_ended.load(SeqCst));
        script.change(|plan| plan.outputs[1].build = None);
        stream_on(&script, "television");
        assert!(began.elapsed() >= ms(pause), "after {:?}", began.elapsed());
    }
}

/// The last mixer goes while it is being tried.
#[test]
fn the_last_drop_lets_go_of_a_device_that_is_tried() {
    let (script, mixer, _) = on_the_default(eager());
    script.change(|plan| plan.outputs.push(television()));
    stream_on(&script, "television");
    drop_in_time(mixer);
    until("both are gone", || script.plan().streams.is_empty());
}

/// One that opens and never calls back, as a screen does that is asleep: the default plays until it wakes up.
#[test]
fn the_default_plays_while_a_named_device_does_not_call_back() {
    let script = Script::new([Output::new("speakers", 48_000), television()]);
    let timeouts = Timeouts { heartbeat: ms(200), open: ms(200), ..eager() };
    let mixer = script.open(named(), timeouts);
    mixer.play(saw());
    let call = |name: Option<&str>| {
        let streams = script.plan().streams.clone();
        for stream in streams.iter().filter(|it| name.is_none_or(|name| it.device == name)) {
            stream.frames(48);
        }
        thread::sleep(ms(1));
    };
    until_doing(
        "the default plays",
        || call(Some("speakers")),
        || plays_on(&mixer, "speakers") && mixer.clock() > 4800,
    );
    until_doing("it wakes up", || call(None), || plays_on(&mixer, "television"));
}
