//! Loggers that panic, call back, or take all the time there is.

use std::panic::panic_any;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;
use std::time::Instant;

use cpal::ErrorKind;

use super::helpers::{
    drop_in_time, every_call, in_own_process, patient, small, tone, until, until_doing,
};
use super::{Output, Script};
use crate::{Mixer, ms};

/// A logger that does something when a line comes.
struct Logger(fn());

impl log::Log for Logger {
    fn enabled(&self, _: &log::Metadata) -> bool {
        true
    }

    fn log(&self, _: &log::Record) {
        LINES.fetch_add(1, SeqCst);
        self.0();
    }

    fn flush(&self) {}
}

static LINES: AtomicUsize = AtomicUsize::new(0);

fn log_to(logger: &'static Logger) {
    log::set_logger(logger).unwrap();
    log::set_max_level(log::LevelFilter::Trace);
}

/// A device of a rate that nobody would guess.
fn odd() -> Script {
    Script::new([Output::new("odd", 44_100)])
}

/// What a logger panics with: even to let go of that is a panic.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("a payload's bug");
    }
}

static MIXER: Mutex<Option<Mixer>> = Mutex::new(None);

static RUDE: Logger = Logger(|| {
    if let Some(mixer) = &*MIXER.lock().unwrap() {
        every_call(mixer);
    }
    panic_any(Bomb);
});

/// The device is found, lost and regained as if it had said nothing, and the next line is told.
#[test]
fn a_logger_that_panics_costs_neither_the_output_nor_the_next_line() {
    if !in_own_process("loggers::a_logger_that_panics_costs_neither_the_output_nor_the_next_line") {
        return;
    }
    log_to(&RUDE);
    let script = odd();
    let mixer = script.open(small(), patient());
    assert_eq!(mixer.sample_rate(), 44_100, "it heard from its device");
    *MIXER.lock().unwrap() = Some(mixer.clone());
    let mut built = 0;
    let lose = || {
        built += 1;
        script.stream(&mixer, built).raise(ErrorKind::StreamInvalidated);
        thread::sleep(ms(10));
    };
    until_doing("another line is told", lose, || LINES.load(SeqCst) >= 2);
    let stream = script.stream(&mixer, built + 1);
    mixer.play(tone(44_100, 441.0).0);
    assert!(stream.frames(2000).iter().any(|frame| frame[0] > 0.4));
}

static GATE: Mutex<()> = Mutex::new(());

static SLOW: Logger = Logger(|| drop(GATE.lock()));

/// Nobody waits for it: the mixer opens on its device, loses and regains it, and goes.
#[test]
fn a_logger_that_hangs_holds_one_thread_and_nothing_else() {
    if !in_own_process("loggers::a_logger_that_hangs_holds_one_thread_and_nothing_else") {
        return;
    }
    log_to(&SLOW);
    let gate = GATE.lock();
    let script = odd();
    let mixer = script.open(small(), patient());
    assert_eq!(mixer.sample_rate(), 44_100, "it heard from its device");
    until("it hangs", || LINES.load(SeqCst) == 1);
    // For longer than a second, so that another line would be due.
    let (mut built, began) = (0, Instant::now());
    let lose = || {
        built += 1;
        script.stream(&mixer, built).raise(ErrorKind::StreamInvalidated);
        thread::sleep(ms(10));
    };
    let is_due = || script.plan().built >= 5 && began.elapsed() > ms(1200);
    until_doing("it is lost and regained", lose, is_due);
    let stream = script.stream(&mixer, built + 1);
    mixer.play(tone(44_100, 441.0).0);
    assert!(stream.frames(2000).iter().any(|frame| frame[0] > 0.4));
    drop_in_time(mixer);
    assert_eq!(LINES.load(SeqCst), 1, "the others were left out");
    drop(gate);
}
