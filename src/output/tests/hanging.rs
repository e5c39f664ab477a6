//! Drivers that hang, callbacks that come when they should not, and games that wait for nobody.

use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use cpal::ErrorKind;

use super::Script;
use super::helpers::{
    assert_balanced, drop_in_time, every_call, hasty, patient, plays, polls, saw, saw_at, small,
    until, until_doing, why,
};
use crate::output::backend::{Backend, Opened, StreamRequest};
use crate::output::callback::{Callback, Verdict};
use crate::output::supervisor::Timeouts;
use crate::{Mixer, OutputState, ms};

/// A stream whose drop hangs is left to itself; the next one opens and plays.
#[test]
fn a_drop_that_hangs_does_not_keep_the_next_stream_from_playing() {
    let script = Script::usual();
    let mixer = script.open(small(), patient());
    mixer.play(saw());
    let first = script.stream(&mixer, 1);
    script.change(|plan| plan.drops_hang = true);
    first.raise(ErrorKind::DeviceNotAvailable);
    let second = script.stream(&mixer, 2);
    until("the first hangs in its drop", || first.drop_began.load(SeqCst));
    let now = mixer.clock();
    let heard = second.frames(1000);
    assert!(heard[480..].iter().zip(now + 480..).all(|(frame, at)| frame[0] == saw_at(at)));
    assert!(!first.drop_ended.load(SeqCst));
    every_call(&mixer);
    script.change(|plan| plan.drops_hang = false);
    until("it ends when it can", || first.drop_ended.load(SeqCst));
}

/// If they all hang, so many threads hang with them and no more; when they let go, sound is back.
#[test]
fn drops_that_hang_hold_a_few_threads_and_no_more() {
    let script = Script::usual();
    script.change(|plan| plan.drops_hang = true);
    let mixer = script.open(small(), patient());
    mixer.play(saw());
    let fail = || {
        let streams = script.plan().streams.clone();
        streams.iter().for_each(|stream| stream.raise(ErrorKind::DeviceNotAvailable));
        thread::sleep(ms(1));
    };
    until_doing("four hang", fail, || script.plan().hanging >= 4);
    let clock = mixer.clock();
    until("time passes all the same", || mixer.clock() > clock + 4800);
    every_call(&mixer);
    assert_eq!(script.change(|plan| (plan.hanging, plan.built)), (4, 4));
    script.change(|plan| plan.drops_hang = false);
    let stream = script.stream(&mixer, 5);
    mixer.play(saw());
    assert!(stream.frames(2000).iter().any(|frame| frame[0] > 0.0));
    assert_balanced(&mixer);
}

/// A build that hangs is given up, and the next one plays. What it builds in the end is dropped.
#[test]
fn a_build_that_hangs_is_given_up_and_what_comes_of_it_is_dropped() {
    let script = Script::usual();
    script.change(|plan| plan.builds_hang = usize::MAX);
    let mixer = script.open(small(), Timeouts { open: ms(300), first_open: ms(10), ..patient() });
    mixer.play(saw());
    until("several hang", || script.plan().hanging >= 2);
    every_call(&mixer);
    until("time passes", || mixer.clock() > 1000);
    mixer.play(saw());
    script.change(|plan| {
        plan.builds_hang = 0;
        plan.callable_after_drop = true;
    });
    until("one is left", || {
        let left = |plan: &super::Plan| {
            plan.streams.iter().filter(|it| !it.drop_ended.load(SeqCst)).count()
        };
        plays(&mixer) && left(&script.plan()) == 1
    });
    let streams = script.plan().streams.clone();
    let heard = streams.iter().map(|stream| stream.frames(2000));
    let heard = heard.filter(|frames| frames.iter().any(|frame| frame[0] > 0.0));
    assert_eq!(heard.count(), 1, "one of {} plays", streams.len());
}

/// A build that comes to an end when another stream has long played takes nothing from it.
#[test]
fn a_build_that_ends_late_takes_nothing_from_the_stream_that_plays() {
    let script = Script::usual();
    script.change(|plan| plan.builds_hang = 1);
    let mixer = script.open(small(), Timeouts { open: ms(300), first_open: ms(10), ..patient() });
    until("another plays", || plays(&mixer));
    let stream = script.plan().streams.last().unwrap().clone();
    let state = mixer.output();
    mixer.play(saw());
    stream.frames(1000);
    script.change(|plan| plan.builds_hang = 0);
    until("the late one is built, and dropped", || {
        script.change(|plan| plan.hanging == 0 && plan.built >= 2 && plan.streams.len() == 1)
    });
    let clock = mixer.clock();
    assert!(stream.frames(1000).iter().any(|frame| frame[0] > 0.0));
    assert_eq!((mixer.clock(), mixer.output()), (clock + 1000, state));
}

/// If every build hangs, a few threads hang with them and no more.
#[test]
fn builds_that_hang_hold_a_few_threads_and_no_more() {
    let script = Script::usual();
    script.change(|plan| plan.builds_hang = usize::MAX);
    let mixer = script.open(small(), Timeouts { open: ms(1), ..hasty() });
    until("four hang", || script.plan().hanging >= 4);
    let clock = mixer.clock();
    until("time passes all the same", || mixer.clock() > clock + 4800);
    assert_eq!(script.plan().tries, 4);
    assert_eq!(why(&mixer), "the device does not open");
    script.change(|plan| plan.builds_hang = 0);
}

/// A stream that calls back when it was let go plays silence, and takes nothing from the one that
/// plays.
#[test]
fn a_callback_after_the_stream_was_dropped_plays_silence_and_takes_nothing() {
    let script = Script::usual();
    script.change(|plan| plan.callable_after_drop = true);
    let mixer = script.open(small(), patient());
    mixer.play(saw());
    let dropped_stream = script.stream(&mixer, 1);
    dropped_stream.frames(1000);
    dropped_stream.raise(ErrorKind::DeviceNotAvailable);
    let stream = script.stream(&mixer, 2);
    until("it is gone", || dropped_stream.drop_ended.load(SeqCst));
    stream.frames(480);
    let began = mixer.clock();
    for _ in 0..100 {
        assert!(dropped_stream.frames(256).iter().all(|frame| *frame == [0.0; 2]));
        let now = mixer.clock();
        assert!(stream.frames(64).iter().zip(now..).all(|(frame, at)| frame[0] == saw_at(at)));
    }
    assert_eq!(mixer.clock(), began + 6400);
    dropped_stream.raise(ErrorKind::DeviceNotAvailable);
    polls(&script, &stream);
    assert_eq!(script.plan().built, 2, "nor do its errors matter");
}

/// It may even do so all the time, from a thread of its own, while nothing else plays.
#[test]
fn a_dropped_stream_does_not_drive_the_clock_when_there_is_no_device() {
    let script = Script::usual();
    script.change(|plan| plan.callable_after_drop = true);
    let began = Instant::now();
    let mixer = script.open(small(), patient());
    let dropped_stream = script.stream(&mixer, 1);
    script.change(|plan| plan.outputs.clear());
    dropped_stream.raise(ErrorKind::DeviceNotAvailable);
    until("it is silent", || !plays(&mixer));
    // For many times as long as this takes.
    (0..100).for_each(|_| drop(dropped_stream.frames(65_536)));
    let clock = mixer.clock();
    let call = || drop(dropped_stream.frames(65_536));
    until_doing("time passes", call, || mixer.clock() > clock + 4800);
    let clock = mixer.clock() as f64;
    assert!(clock <= began.elapsed().as_secs_f64() * 48_000.0, "and no faster than it does");
}

/// A stream that says again and again that it moved, to a host that does not say where, holds one
/// thread.
#[test]
fn a_host_that_hangs_when_asked_for_a_name_holds_one_thread() {
    let script = Script::usual();
    let mixer = script.open(small(), patient());
    let stream = script.stream(&mixer, 1);
    script.change(|plan| plan.hosts_hang = true);
    stream.raise(ErrorKind::DeviceChanged);
    until("it hangs", || script.plan().hanging == 1);
    for _ in 0..100 {
        stream.raise(ErrorKind::DeviceChanged);
        thread::sleep(ms(2));
    }
    assert_eq!(script.plan().hanging, 1);
    script.change(|plan| {
        plan.hosts_hang = false;
        plan.outputs[0].name = "elsewhere";
    });
    until(
        "the last move is told",
        || matches!(mixer.output(), OutputState::Playing { device, .. } if device == "elsewhere"),
    );
}

/// A backend whose callback the test calls itself, so that it can be held in the middle of a buffer.
struct BareBackend(Mutex<Sender<Callback>>);

impl BareBackend {
    fn open(timeouts: Timeouts) -> (Mixer, Receiver<Callback>) {
        let (callbacks, opened) = channel();
        let backend = Arc::new(BareBackend(Mutex::new(callbacks)));
        (Mixer::open_on(Ok(backend), small(), timeouts).unwrap(), opened)
    }
}

impl Backend for BareBackend {
    fn open(
        &self,
        _: &StreamRequest,
        callback: &dyn Fn(u32) -> Callback,
    ) -> Result<Opened, String> {
        let _ = self.0.lock().unwrap().send(callback(48_000));
        let state = OutputState::Playing {
            device: "backend".into(),
            sample_rate: 48_000,
            channels: 2,
            buffer: None,
            latency: ms(0),
        };
        Ok(Opened { stream: Box::new(()), rate: 48_000, state })
    }

    fn default_name(&self) -> Option<String> {
        None
    }
}

/// With the device's thread held in the middle of a buffer, renderer and all, every call returns;
/// so does the drop of the last mixer. The thread that is let go at last does no harm.
#[test]
fn every_call_returns_while_the_device_is_held_in_its_callback() {
    let (mixer, opened) = BareBackend::open(patient());
    let mut callback = opened.recv().unwrap();
    let status = callback.status().clone();
    until("it plays", || plays(&mixer));
    mixer.play(saw());
    let (inside, hanging) = channel();
    let (release, released) = channel::<()>();
    let device = thread::spawn(move || {
        let mut buffer = [0.0f32; 2 * 512];
        let hold = |sample| {
            let _ = inside.send(());
            let _ = released.recv();
            sample
        };
        callback.fill(&mut buffer, 2, hold);
        callback.fill(&mut buffer, 2, |sample| sample);
        buffer
    });
    hanging.recv().unwrap();
    (0..10).for_each(|_| every_call(&mixer));
    assert!(mixer.stats().live > 0, "nobody has heard a thing");
    assert_balanced(&mixer);
    // A second device finds no renderer, and plays silence.
    status.report_error(Verdict::Lost);
    let mut second = opened.recv().unwrap();
    let mut buffer = [f32::NAN; 2 * 512];
    second.fill(&mut buffer, 2, |sample| sample);
    assert!(buffer.iter().all(|sample| *sample == 0.0));
    drop_in_time(mixer);
    drop(release);
    assert!(device.join().unwrap().iter().all(|sample| *sample == 0.0));
}
