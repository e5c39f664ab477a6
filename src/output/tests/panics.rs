//! A bug of ours in the callback: caught, counted, told once; the game goes on.

use std::sync::atomic::Ordering::SeqCst;

use super::Script;
use super::helpers::{
    assert_balanced, every_call, outputs, patient, plays, saw, small, until, why,
};
use crate::sound::PLANTED;
use crate::{Mixer, OutputState, Play, Sound};

/// A play that makes the renderer panic, whoever drives it.
fn panicking() -> Play {
    Play::of(Sound::from_mono(48_000, &[0.5; 100]).unwrap().named(PLANTED))
}

/// Everything has ended and been counted, and the mixer still answers.
#[track_caller]
fn all_is_over(mixer: &Mixer) {
    until("it is told", || why(mixer).contains("a bug in voicepool"));
    assert_eq!(mixer.stats().panics, 1);
    assert_eq!((mixer.stats().live, mixer.stats().stopped), (0, 3));
    assert_balanced(mixer);
    every_call(mixer);
    assert_eq!(mixer.play(saw()), None);
    assert_eq!(mixer.stats().live, 0);
}

/// The buffer in which it happens and all that follow are silent, every play ends, the stream goes.
#[test]
fn a_panic_in_the_callback_is_counted_told_once_and_silent() {
    let script = Script::usual();
    script.change(|plan| plan.callable_after_drop = true);
    let mixer = script.open(small(), patient());
    let stream = script.stream(&mixer, 1);
    mixer.play(saw());
    stream.frames(1024);
    outputs(&mixer);
    mixer.play(panicking());
    mixer.play(saw());
    assert!(stream.frames(1024).iter().all(|frame| *frame == [0.0; 2]));
    until("it is silent", || !plays(&mixer));
    all_is_over(&mixer);
    until("the stream is gone", || stream.drop_ended.load(SeqCst));
    assert!(stream.frames(1024).iter().all(|frame| *frame == [0.0; 2]));
    assert!(script.plan().built == 1, "a mixer that failed is not tried again");
    let told = outputs(&mixer);
    assert!(matches!(&told[..], [] | [OutputState::Silent { .. }]), "{told:?}");
}

/// So it is when time is passed without a device.
#[test]
fn a_panic_without_a_device_is_counted_and_told_as_well() {
    let script = Script::new([]);
    let mixer = script.open(small(), patient());
    mixer.play(saw());
    until("time passes", || mixer.clock() > 0);
    mixer.play(saw());
    mixer.play(panicking());
    until("it is counted", || mixer.stats().panics == 1);
    all_is_over(&mixer);
}
