//! Drivers that hang, callbacks that come when they should not, and games that wait for nobody.

use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use cpal::ErrorKind;

use super::Script;
use super::tools::{
    books_balance, drop_in_time, every_call, hasty, patient, plays, saw, saw_at, small, until,
    until_doing, why,
};
use crate::output::callback::Callback;
use crate::output::outlet::{Opened, Outlet, Wish};
use crate::output::supervisor::Pace;
use crate::{Mixer, OutputState, ms};

/// A stream whose drop hangs is left to itself; the next one opens and plays.
#[test]
fn a_drop_that_hangs_does_not_keep_the_next_stream_from_playing() {
    let script = Script::usual();
    let mixer = script.open(small(), patient());
    mixer.play(saw());
    let first = script.line(&mixer, 1);
    script.change(|plan| plan.drops_hang = true);
    first.raise(ErrorKind::DeviceNotAvailable);
    let second = script.line(&mixer, 2);
    until("the first hangs in its drop", || first.dropped.load(SeqCst));
    let now = mixer.clock();
    let heard = second.frames(1000);
    assert!(heard[480..].iter().zip(now + 480..).all(|(frame, at)| frame[0] == saw_at(at)));
    assert!(!first.gone.load(SeqCst));
    every_call(&mixer);
    script.change(|plan| plan.drops_hang = false);
    until("it ends when it can", || first.gone.load(SeqCst));
}

/// If they all hang, so many threads hang with them and no more; when they let go, sound is back.
#[test]
fn drops_that_hang_hold_a_few_threads_and_no_more() {
    let script = Script::usual();
    script.change(|plan| plan.drops_hang = true);
    let mixer = script.open(small(), patient());
    mixer.play(saw());
    let fail = || {
        let lines = script.plan().lines.clone();
        lines.iter().for_each(|line| line.raise(ErrorKind::DeviceNotAvailable));
        thread::sleep(ms(1));
    };
    until_doing("four hang", fail, || script.plan().held >= 4);
    let clock = mixer.clock();
    until("time passes all the same", || mixer.clock() > clock + 4800);
    every_call(&mixer);
    assert_eq!(script.change(|plan| (plan.held, plan.built)), (4, 4));
    script.change(|plan| plan.drops_hang = false);
    let line = script.line(&mixer, 5);
    mixer.play(saw());
    assert!(line.frames(2000).iter().any(|frame| frame[0] > 0.0));
    books_balance(&mixer);
}

/// A build that hangs is given up, and the next one plays. What it builds in the end is dropped.
#[test]
fn a_build_that_hangs_is_given_up_and_what_comes_of_it_is_dropped() {
    let script = Script::usual();
    script.change(|plan| plan.builds_hang = usize::MAX);
    let mixer = script.open(small(), Pace { heartbeat: ms(1_000_000), ..hasty() });
    mixer.play(saw());
    until("several hang", || script.plan().held >= 2);
    every_call(&mixer);
    until("time passes", || mixer.clock() > 1000);
    mixer.play(saw());
    script.change(|plan| {
        plan.builds_hang = 0;
        plan.haunted = true;
    });
    until("one is left", || {
        let left =
            |plan: &super::Plan| plan.lines.iter().filter(|it| !it.gone.load(SeqCst)).count();
        plays(&mixer) && left(&script.plan()) == 1
    });
    let lines = script.plan().lines.clone();
    let heard = lines.iter().map(|line| line.frames(2000));
    let heard = heard.filter(|frames| frames.iter().any(|frame| frame[0] > 0.0));
    assert_eq!(heard.count(), 1, "one of {} plays", lines.len());
}

/// A build that comes to an end when another stream has long played takes nothing from it.
#[test]
fn a_build_that_ends_late_takes_nothing_from_the_stream_that_plays() {
    let script = Script::usual();
    script.change(|plan| plan.builds_hang = 1);
    let mixer = script.open(small(), Pace { heartbeat: ms(1_000_000), ..hasty() });
    until("another plays", || plays(&mixer));
    let line = script.plan().lines.last().unwrap().clone();
    let state = mixer.output();
    mixer.play(saw());
    line.frames(1000);
    script.change(|plan| plan.builds_hang = 0);
    until("the late one is built, and dropped", || {
        script.change(|plan| plan.held == 0 && plan.built >= 2 && plan.lines.len() == 1)
    });
    let clock = mixer.clock();
    assert!(line.frames(1000).iter().any(|frame| frame[0] > 0.0));
    assert_eq!((mixer.clock(), mixer.output()), (clock + 1000, state));
}

/// If every build hangs, a few threads hang with them and no more.
#[test]
fn builds_that_hang_hold_a_few_threads_and_no_more() {
    let script = Script::usual();
    script.change(|plan| plan.builds_hang = usize::MAX);
    let mixer = script.open(small(), Pace { opening: ms(1), ..hasty() });
    until("four hang", || script.plan().held >= 4);
    thread::sleep(ms(100));
    assert_eq!(script.plan().tries, 4);
    assert_eq!(why(&mixer), "the device does not open");
    script.change(|plan| plan.builds_hang = 0);
}

/// A stream that calls back when it was let go plays silence, and takes nothing from the one that
/// plays.
#[test]
fn a_callback_after_the_stream_was_dropped_plays_silence_and_takes_nothing() {
    let script = Script::usual();
    script.change(|plan| plan.haunted = true);
    let mixer = script.open(small(), patient());
    mixer.play(saw());
    let ghost = script.line(&mixer, 1);
    ghost.frames(1000);
    ghost.raise(ErrorKind::DeviceNotAvailable);
    let line = script.line(&mixer, 2);
    until("it is gone", || ghost.gone.load(SeqCst));
    line.frames(480);
    let began = mixer.clock();
    for _ in 0..100 {
        assert!(ghost.frames(256).iter().all(|frame| *frame == [0.0; 2]));
        let now = mixer.clock();
        assert!(line.frames(64).iter().zip(now..).all(|(frame, at)| frame[0] == saw_at(at)));
    }
    assert_eq!(mixer.clock(), began + 6400);
    ghost.raise(ErrorKind::DeviceNotAvailable);
    thread::sleep(ms(30));
    assert_eq!(script.plan().built, 2, "nor do its errors matter");
}

/// It may even do so all the time, from a thread of its own, while nothing else plays.
#[test]
fn a_ghost_does_not_drive_the_clock_when_there_is_no_device() {
    let script = Script::usual();
    script.change(|plan| plan.haunted = true);
    let mixer = script.open(small(), patient());
    let ghost = script.line(&mixer, 1);
    script.change(|plan| plan.outputs.clear());
    ghost.raise(ErrorKind::DeviceNotAvailable);
    until("it is silent", || !plays(&mixer));
    let (began, clock) = (std::time::Instant::now(), mixer.clock());
    let call = || drop(ghost.frames(65_536));
    until_doing("time passes", call, || mixer.clock() > clock + 4800);
    let passed = began.elapsed().as_secs_f64() * 48_000.0;
    assert!(((mixer.clock() - clock) as f64) < passed + 4800.0, "and no faster than it does");
}

/// A stream that says again and again that it moved, to a host that does not say where, holds one
/// thread.
#[test]
fn a_host_that_hangs_when_asked_for_a_name_holds_one_thread() {
    let script = Script::usual();
    let mixer = script.open(small(), patient());
    let line = script.line(&mixer, 1);
    script.change(|plan| plan.hosts_hang = true);
    for _ in 0..100 {
        line.raise(ErrorKind::DeviceChanged);
        thread::sleep(ms(2));
    }
    assert_eq!(script.plan().held, 1);
    script.change(|plan| {
        plan.hosts_hang = false;
        plan.outputs[0].name = "elsewhere";
    });
    until(
        "the last move is told",
        || matches!(mixer.output(), OutputState::Playing { device, .. } if device == "elsewhere"),
    );
}

/// An output whose callback the test calls itself, so as to hold it in the middle of a buffer.
struct Bare(Mutex<Sender<Callback>>);

impl Bare {
    fn open(pace: Pace) -> (Mixer, Receiver<Callback>) {
        let (callbacks, opened) = channel();
        let bare = Arc::new(Bare(Mutex::new(callbacks)));
        (Mixer::open_on(Ok(bare), small(), pace).unwrap(), opened)
    }
}

impl Outlet for Bare {
    fn open(&self, _: &Wish, callback: &dyn Fn(u32) -> Callback) -> Result<Opened, String> {
        let _ = self.0.lock().unwrap().send(callback(48_000));
        let state = OutputState::Playing {
            device: "bare".into(),
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
    let (mixer, opened) = Bare::open(hasty());
    let mut callback = opened.recv().unwrap();
    until("it plays", || plays(&mixer));
    mixer.play(saw());
    let (inside, held) = channel();
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
    held.recv().unwrap();
    for _ in 0..10 {
        every_call(&mixer);
        thread::sleep(ms(10));
    }
    assert!(mixer.stats().live > 0, "nobody has heard a thing");
    books_balance(&mixer);
    // A second device finds no renderer, and plays silence.
    let mut second = opened.recv().unwrap();
    let mut buffer = [f32::NAN; 2 * 512];
    second.fill(&mut buffer, 2, |sample| sample);
    assert!(buffer.iter().all(|sample| *sample == 0.0));
    drop_in_time(mixer);
    drop(release);
    assert!(device.join().unwrap().iter().all(|sample| *sample == 0.0));
}
