//! Every kind of error, at every moment at which a driver may raise one.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Instant;

use cpal::{Error, ErrorKind};

use super::helpers::{
    assert_balanced, outputs, patient, plays, polls, saw, saw_at, small, until, why,
};
use super::{Output, Script, TestStream};
use crate::output::supervisor::Timeouts;
use crate::{Mixer, OutputState, ms};

const KINDS: [ErrorKind; 14] = [
    ErrorKind::DeviceBusy,
    ErrorKind::DeviceChanged,
    ErrorKind::DeviceNotAvailable,
    ErrorKind::HostUnavailable,
    ErrorKind::InvalidInput,
    ErrorKind::PermissionDenied,
    ErrorKind::RealtimeDenied,
    ErrorKind::ResourceExhausted,
    ErrorKind::StreamInvalidated,
    ErrorKind::UnsupportedConfig,
    ErrorKind::UnsupportedOperation,
    ErrorKind::Xrun,
    ErrorKind::BackendError,
    ErrorKind::Other,
];

/// A stream lives on through these.
fn is_harmless(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Xrun | ErrorKind::RealtimeDenied | ErrorKind::DeviceChanged)
}

/// Only time tells whether a stream lives on through these.
fn is_doubtful(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::BackendError | ErrorKind::Other)
}

/// A mixer that plays the saw from its first frame on, and where.
fn playing(timeouts: Timeouts) -> (Script, Mixer, Arc<TestStream>) {
    let script = Script::usual();
    let mixer = script.open(small(), timeouts);
    mixer.play(saw());
    let stream = script.stream(&mixer, 1);
    stream.frames(1000);
    (script, mixer, stream)
}

/// Hears the saw where the clock says it is, past the fade, if it began on the first frame.
#[track_caller]
fn hear_the_saw(mixer: &Mixer, stream: &TestStream) {
    hear_the_saw_from(mixer, stream, 0);
}

/// The same if it began on a line of the grid, `latest` at the latest.
#[track_caller]
fn hear_the_saw_from(mixer: &Mixer, stream: &TestStream, latest: u64) {
    let now = mixer.clock();
    let heard = stream.frames(600);
    let began_on = |start| {
        let due = now + 480 - start..;
        heard[480..].iter().zip(due).all(|(frame, at)| frame[0] == saw_at(at))
    };
    assert!((0..=latest).step_by(128).any(began_on));
    assert_eq!(mixer.stats().live, 1);
    assert_balanced(mixer);
}

/// Opens on a device that fails, sees it tried again and again, and mends it.
fn fails_until_mended(kind: ErrorKind, set: impl Fn(&mut Output, Option<ErrorKind>)) {
    let script = Script::usual();
    script.change(|plan| set(&mut plan.outputs[0], Some(kind)));
    let mixer = script.open(small(), patient());
    mixer.play(saw());
    let latest = mixer.clock() + 1024;
    until("it tries again", || script.plan().tries >= 4);
    assert_eq!(why(&mixer), Error::new(kind).to_string());
    until("time passes", || mixer.clock() > latest);
    let tries = script.change(|plan| {
        set(&mut plan.outputs[0], None);
        plan.tries
    });
    let stream = script.stream(&mixer, 1);
    // One may have been under way.
    assert!(script.plan().tries <= tries + 1, "{kind:?}: the first try after the return");
    hear_the_saw_from(&mixer, &stream, latest);
}

/// A device that says nothing about itself is silent with that reason, is tried again, and plays
/// at the first try that succeeds.
#[test]
fn every_kind_of_error_when_asked_for_its_configuration_is_tried_again() {
    for kind in KINDS {
        fails_until_mended(kind, |output, kind| output.query = kind);
    }
}

/// So is one on which no stream can be built.
#[test]
fn every_kind_of_error_at_build_is_tried_again() {
    for kind in KINDS {
        fails_until_mended(kind, |output, kind| output.build = kind);
    }
}

/// So is one that does not start, unless it can be playing all the same.
#[test]
fn every_kind_of_error_at_start_is_tried_again_or_borne() {
    for kind in KINDS.into_iter().filter(|kind| !is_harmless(*kind) && !is_doubtful(*kind)) {
        fails_at_start(kind);
    }
}

fn fails_at_start(kind: ErrorKind) {
    let script = Script::usual();
    script.change(|plan| plan.outputs[0].start = Some(kind));
    let mixer = script.open(small(), patient());
    mixer.play(saw());
    let latest = mixer.clock() + 1024;
    until("it tries again", || script.plan().tries >= 4);
    until("time passes", || mixer.clock() > latest);
    assert_eq!(why(&mixer), Error::new(kind).to_string());
    let built = script.change(|plan| {
        plan.outputs[0].start = None;
        plan.built
    });
    // The last of them may have been built, and not have been started yet.
    let stream = script.stream(&mixer, built);
    assert!(stream.started.load(SeqCst), "{kind:?}");
    hear_the_saw_from(&mixer, &stream, latest);
}

/// What is harmless to a stream that plays is harmless to one that starts, and what is doubtful is
/// so only until it calls back.
#[test]
fn a_stream_that_starts_with_a_doubt_plays_if_it_calls_back() {
    for kind in KINDS.into_iter().filter(|kind| is_harmless(*kind) || is_doubtful(*kind)) {
        let script = Script::usual();
        script.change(|plan| plan.outputs[0].start = Some(kind));
        let mixer = script.open(small(), patient());
        mixer.play(saw());
        hear_the_saw_from_the_start(&script, &mixer);
        assert_eq!(script.plan().built, 1, "{kind:?}");
        assert_eq!(mixer.stats().xruns, u64::from(kind == ErrorKind::Xrun));
    }
}

fn hear_the_saw_from_the_start(script: &Script, mixer: &Mixer) {
    let heard = script.stream(mixer, 1).frames(600);
    assert!(heard.iter().zip(0..).all(|(frame, at)| frame[0] == saw_at(at)));
    assert_balanced(mixer);
}

/// A configuration that the device refuses makes room for the next, at build and at start.
#[test]
fn an_unsupported_configuration_makes_room_for_the_next() {
    let script = Script::new([Output { fixed: false, ..Output::new("stubborn", 48_000) }]);
    let mixer = script.open(small(), patient());
    assert_eq!(script.stream(&mixer, 1).config.buffer_size, cpal::BufferSize::Default);
    assert_eq!(script.change(|plan| (plan.tries, plan.built)), (1, 1));

    let script = Script::usual();
    script.change(|plan| plan.outputs[0].start = Some(ErrorKind::UnsupportedConfig));
    let mixer = script.open(small(), Timeouts { first_retry: ms(1_000_000), ..patient() });
    assert!(!plays(&mixer));
    assert!(script.plan().built > 1, "one try went through several");
}

/// Xruns and refused priority are counted, or borne; the stream and its sound go on.
#[test]
fn harmless_errors_leave_the_stream_alone() {
    let (script, mixer, stream) = playing(patient());
    for n in 1..=3 {
        stream.raise(ErrorKind::Xrun);
        stream.raise(ErrorKind::RealtimeDenied);
        let now = mixer.clock();
        assert!(stream.frames(777).iter().zip(now..).all(|(frame, at)| frame[0] == saw_at(at)));
        assert_eq!(mixer.stats().xruns, n);
    }
    polls(&script, &stream);
    assert_eq!(script.plan().built, 1);
    assert_eq!(outputs(&mixer).len(), 1, "it plays");
}

/// A stream that was moved to another device goes on there, and its name is told.
#[test]
fn a_stream_that_moved_tells_where_it_plays_now() {
    let (script, mixer, stream) = playing(patient());
    for name in ["headphones", "television"] {
        script.change(|plan| plan.outputs[0].name = name);
        stream.raise(ErrorKind::DeviceChanged);
        until(
            "the new name is told",
            || matches!(mixer.output(), OutputState::Playing { device, .. } if device == name),
        );
        let now = mixer.clock();
        assert!(stream.frames(777).iter().zip(now..).all(|(frame, at)| frame[0] == saw_at(at)));
    }
    assert_eq!(script.plan().built, 1);
    let told = outputs(&mixer).into_iter().filter(|it| matches!(it, OutputState::Playing { .. }));
    assert_eq!(told.count(), 3);
}

/// Everything that ends a stream leads to a new one; the play goes on where the clock is.
#[test]
fn every_kind_of_error_that_ends_a_stream_leads_to_another() {
    let (script, mixer, _) = playing(patient());
    let kinds = KINDS.into_iter().filter(|kind| !is_harmless(*kind) && !is_doubtful(*kind));
    for (built, kind) in (1..).zip(kinds) {
        let stream = script.stream(&mixer, built);
        outputs(&mixer);
        stream.raise(kind);
        let next = script.stream(&mixer, built + 1);
        until("the old one is dropped", || stream.drop_ended.load(SeqCst));
        let told = outputs(&mixer);
        assert!(matches!(&told[..], [OutputState::Silent { .. }, OutputState::Playing { .. }]));
        hear_the_saw(&mixer, &next);
    }
}

/// Every kind of error at the rebuild too, again and again: it never gives up.
#[test]
fn every_kind_of_error_at_the_rebuild_is_tried_again() {
    let (script, mixer, _) = playing(patient());
    for (built, kind) in (1..).zip(KINDS) {
        let stream = script.stream(&mixer, built);
        script.change(|plan| plan.outputs[0].build = Some(kind));
        stream.raise(ErrorKind::StreamInvalidated);
        let tries = script.plan().tries;
        until("it tries again", || script.plan().tries > tries + 3);
        assert_eq!(why(&mixer), Error::new(kind).to_string());
        script.change(|plan| plan.outputs[0].build = None);
        hear_the_saw(&mixer, &script.stream(&mixer, built + 1));
    }
}

/// A doubtful error ends a stream only if no buffer follows.
#[test]
fn a_doubtful_error_ends_a_stream_that_calls_back_no_more() {
    for kind in [ErrorKind::BackendError, ErrorKind::Other] {
        until("it called back in time for several doubts", || calls_back_in_doubt(kind));
    }
}

/// Calls back again and again with errors in between, and then with an error no more. Whether the
/// stream was the same all the time; it is not if this thread was kept from calling for too long.
fn calls_back_in_doubt(kind: ErrorKind) -> bool {
    let doubt = ms(100);
    let (script, mixer, stream) = playing(Timeouts { doubt, ..patient() });
    let (began, mut longest, mut last) = (Instant::now(), ms(0), Instant::now());
    while began.elapsed() < 5 * doubt {
        let now = Instant::now();
        stream.raise(kind);
        stream.frames(480);
        longest = longest.max(last.elapsed());
        last = now;
        std::thread::sleep(ms(1));
    }
    longest = longest.max(last.elapsed());
    let survived = script.plan().built == 1;
    assert!(survived || longest > doubt, "{kind:?}: it called back within {longest:?}");
    if survived {
        stream.raise(kind);
        script.stream(&mixer, 2);
    }
    survived
}

/// A refusal is told as one. It is not a device that is gone.
#[test]
fn a_refusal_is_told_as_one() {
    for kind in
        [ErrorKind::InvalidInput, ErrorKind::PermissionDenied, ErrorKind::UnsupportedOperation]
    {
        let timeouts = Timeouts { max_retry: ms(1_000_000), ..patient() };
        let (script, mixer, stream) = playing(timeouts);
        stream.raise(kind);
        until("it is silent", || !plays(&mixer));
        assert_eq!(why(&mixer), "the device refuses to play");
        // It stays silent, and does not ask again at once.
        let clock = mixer.clock();
        until("time passes", || mixer.clock() > clock + 4800);
        assert_eq!(script.plan().built, 1);
    }
}

/// The pauses between tries grow, from a tenth of a second on.
#[test]
fn tries_are_made_at_growing_pauses() {
    let script = Script::new([]);
    let began = Instant::now();
    let mixer = script.open(small(), Timeouts::default());
    for (tries, at) in (2..).zip([100, 300, 700, 1500]) {
        until("another try", || script.plan().tries >= tries);
        assert!(began.elapsed() >= ms(at), "try {tries} came after {:?}", began.elapsed());
    }
    assert!(!plays(&mixer));
}

/// A driver that panics is a driver that failed.
#[test]
fn a_driver_that_panics_is_tried_again() {
    let script = Script::usual();
    script.change(|plan| plan.panics = true);
    let mixer = script.open(small(), patient());
    mixer.play(saw());
    let latest = mixer.clock() + 1024;
    until("it tries again", || script.plan().tries >= 3 && mixer.clock() > latest);
    assert_eq!(why(&mixer), "the driver panicked");
    script.change(|plan| plan.panics = false);
    let stream = script.stream(&mixer, 1);
    hear_the_saw_from(&mixer, &stream, latest);
    assert_eq!(mixer.stats().panics, 0, "it is no bug of ours");
}
