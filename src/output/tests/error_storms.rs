//! A million errors, and what is said of them.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Instant;

use cpal::ErrorKind;

use super::driver::allocator::{heap_calls, held_by_all};
use super::helpers::{
    DEADLINE, assert_balanced, in_own_process, patient, plays, saw, small, until,
};
use super::{Output, Script};
use crate::ms;
use crate::output::supervisor::Timeouts;

struct Lines(AtomicUsize);

static LINES: Lines = Lines(AtomicUsize::new(0));

impl log::Log for Lines {
    fn enabled(&self, _: &log::Metadata) -> bool {
        true
    }

    fn log(&self, _: &log::Record) {
        self.0.fetch_add(1, SeqCst);
    }

    fn flush(&self) {}
}

/// Errors that come as fast as they can cost no memory, whatever kind they are; the stream is
/// dropped, and what comes from it afterwards changes nothing.
#[test]
fn a_storm_of_a_million_errors_costs_no_memory_and_the_stream() {
    for kind in [ErrorKind::Xrun, ErrorKind::BackendError, ErrorKind::DeviceNotAvailable] {
        let script = Script::usual();
        script.change(|plan| plan.callable_after_drop = true);
        let timeouts = Timeouts { poll: Timeouts::default().poll, ..patient() };
        let mixer = script.open(small(), timeouts);
        mixer.play(saw());
        let stream = script.stream(&mixer, 1);
        let storm = || (0..1_000_000).for_each(|_| stream.raise(kind));
        assert_eq!(heap_calls(storm).1, 0, "{kind:?}");
        until("the stream is dropped", || stream.drop_ended.load(SeqCst));
        let next = script.stream(&mixer, 2);
        assert!(next.frames(2000).iter().any(|frame| frame[0] > 0.0));
        assert_balanced(&mixer);
    }
}

/// A device that storms whenever it is opened is opened ever more rarely, is spoken of once a
/// second at the most, and holds no more memory in the end.
#[test]
fn a_device_that_only_storms_is_told_once_a_second_and_opened_rarely() {
    if !in_own_process(
        "error_storms::a_device_that_only_storms_is_told_once_a_second_and_opened_rarely",
    ) {
        return;
    }
    log::set_logger(&LINES).unwrap();
    log::set_max_level(log::LevelFilter::Trace);
    let script = Script::usual();
    let began = Instant::now();
    let mixer = script.open(small(), Timeouts::default());
    mixer.play(saw());
    let mut memory = Vec::with_capacity(10_000);
    while began.elapsed() < ms(2600) || script.plan().built < 3 || LINES.0.load(SeqCst) == 0 {
        assert!(began.elapsed() < DEADLINE, "{} streams", script.plan().built);
        let streams = script.plan().streams.clone();
        for stream in &streams {
            (0..10_000).for_each(|_| stream.raise(ErrorKind::DeviceNotAvailable));
        }
        drop(streams);
        mixer.events().for_each(drop);
        std::thread::sleep(ms(1));
        memory.push(held_by_all());
    }
    let (lines, built) = (LINES.0.load(SeqCst) as u64, script.plan().built as u64);
    let passed = began.elapsed().as_secs();
    assert!(lines <= passed + 1, "{lines} lines in {passed} s");
    // At once, then after 0.2, 0.4, 0.8 and ever 1 s.
    assert!(built <= 4 + passed, "{built} streams in {passed} s");
    let (early, late) = (memory[memory.len() / 4], memory[memory.len() - 1]);
    assert!(late - early < 16_384, "from {early} to {late} bytes");
    assert!(!plays(&mixer) || mixer.stats().live == 1);
}

/// Other devices do the same.
#[test]
fn a_storm_on_one_device_leads_to_another() {
    let script = Script::usual();
    let mixer = script.open(small(), Timeouts { poll: Timeouts::default().poll, ..patient() });
    let stream = script.stream(&mixer, 1);
    script.change(|plan| plan.outputs = vec![Output::new("other", 48_000)]);
    (0..100_000).for_each(|_| stream.raise(ErrorKind::BackendError));
    assert_eq!(script.stream(&mixer, 2).device, "other");
}
