//! Which device, how it is asked, and what is told of it.

use cpal::{BufferSize, ErrorKind};

use super::helpers::{outputs, patient, plays, saw, small, until, why};
use super::{Output, Script};
use crate::output::device;
use crate::{Config, Mixer, OutputState, ms};

fn three() -> Script {
    Script::new(["speakers", "headphones", "television"].map(|name| Output::new(name, 48_000)))
}

fn named(name: &str) -> Config {
    Config { device: Some(name.to_owned()), ..small() }
}

fn device(mixer: &Mixer) -> String {
    match mixer.output() {
        OutputState::Playing { device, .. } => device,
        other => panic!("{other}"),
    }
}

/// The outputs are listed by name, and the default is marked.
#[test]
fn outputs_are_listed_with_the_default_marked() {
    let listed = |script: &Script| -> Vec<_> {
        let devices = device::devices(&script.host());
        devices.into_iter().map(|device| (device.name, device.is_default)).collect()
    };
    let expected = [("speakers", true), ("headphones", false), ("television", false)];
    assert_eq!(listed(&three()), expected.map(|(name, is)| (name.to_owned(), is)));
    assert_eq!(listed(&Script::new([])), []);
}

/// A named device is the one that plays, for as long as it is there and can be had; else the
/// default does.
#[test]
fn a_named_device_plays_and_the_default_while_it_cannot() {
    let script = three();
    let mixer = script.open(named("television"), patient());
    let stream = script.stream(&mixer, 1);
    assert_eq!((stream.device, device(&mixer)), ("television", "television".to_owned()));

    let television = script.change(|plan| plan.outputs.pop()).unwrap();
    stream.raise(ErrorKind::DeviceNotAvailable);
    let stream = script.stream(&mixer, 2);
    assert_eq!((stream.device, device(&mixer)), ("speakers", "speakers".to_owned()));

    script.change(|plan| plan.outputs.push(television));
    stream.raise(ErrorKind::DeviceNotAvailable);
    assert_eq!(script.stream(&mixer, 3).device, "television");
}

/// A named device that is there and busy, or otherwise not to be had, gives way to the default.
#[test]
fn a_named_device_that_is_busy_gives_way_to_the_default() {
    for kind in [ErrorKind::DeviceBusy, ErrorKind::DeviceNotAvailable] {
        let script = three();
        script.change(|plan| plan.outputs[1].build = Some(kind));
        let mixer = script.open(named("headphones"), patient());
        assert_eq!(script.stream(&mixer, 1).device, "speakers");
        assert_eq!(device(&mixer), "speakers");
    }
}

/// A name that nobody has is no error either.
#[test]
fn a_name_that_nobody_has_is_the_default() {
    let script = three();
    let mixer = script.open(named("gramophone"), patient());
    assert_eq!(script.stream(&mixer, 1).device, "speakers");
    let script = Script::new([]);
    assert_eq!(why(&script.open(named("gramophone"), patient())), "there is no output device");
}

/// The configured buffer is asked for, in the device's frames, and what it says of itself is told.
#[test]
fn the_configured_buffer_is_asked_for_and_the_state_says_what_came_of_it() {
    let script = Script::new([Output { channels: 6, ..Output::new("speakers", 96_000) }]);
    let mixer = script.open(Config { buffer: ms(5), ..small() }, patient());
    assert_eq!(script.stream(&mixer, 1).config.buffer_size, BufferSize::Fixed(480));
    let expected = OutputState::Playing {
        device: "speakers".to_owned(),
        sample_rate: 96_000,
        channels: 6,
        buffer: Some(480),
        latency: ms(5),
    };
    assert_eq!(mixer.output(), expected);
    assert_eq!(outputs(&mixer), [expected]);
}

/// Each change of the output is told, once and in its order.
#[test]
fn each_change_of_the_output_is_an_event() {
    let script = three();
    let mixer = script.open(small(), patient());
    let stream = script.stream(&mixer, 1);
    outputs(&mixer);
    let all = script.change(|plan| std::mem::take(&mut plan.outputs));
    stream.raise(ErrorKind::DeviceNotAvailable);
    until("none is found", || why_or_none(&mixer) == "there is no output device");
    script.change(|plan| plan.outputs = all);
    script.stream(&mixer, 2);
    let told: Vec<String> = outputs(&mixer).iter().map(ToString::to_string).collect();
    let expected = [
        "silent: the device is gone",
        "silent: there is no output device",
        "speakers, 48000 Hz, 2 channels, 10.0 ms",
    ];
    assert_eq!(told, expected);
}

fn why_or_none(mixer: &Mixer) -> String {
    match mixer.output() {
        OutputState::Silent { why } => why,
        _ => String::new(),
    }
}

/// Xruns and load are counted, the load as a share of the time that a buffer lasts.
#[test]
fn load_is_measured_against_the_time_that_a_buffer_lasts() {
    let script = three();
    let mixer = script.open(small(), patient());
    let stream = script.stream(&mixer, 1);
    assert_eq!((mixer.stats().load_mean, mixer.stats().load_worst), (0.0, 0.0));
    mixer.play(saw());
    for _ in 0..100 {
        stream.frames(480);
    }
    let (mean, worst) = (mixer.stats().load_mean, mixer.stats().load_worst);
    assert!(0.0 < mean && mean <= worst, "{mean} {worst}");
    // A frame lasts 21 µs, and to fill a buffer of one frame takes longer than to fill none.
    mixer.reset_peaks();
    assert_eq!(mixer.stats().load_worst, 0.0);
    stream.frames(0);
    assert_eq!(mixer.stats().load_worst, 0.0, "an empty buffer has no time to take a share of");
    stream.frames(480);
    assert!(mixer.stats().load_worst > 0.0);
    assert_eq!(mixer.stats().xruns, 0);
    stream.raise(ErrorKind::Xrun);
    assert_eq!(mixer.stats().xruns, 1);
}

/// A device of an impossible rate is not played on; that is a state, not a panic.
#[test]
fn a_device_of_an_impossible_rate_is_not_played_on() {
    for rate in [0, 1_000_000] {
        let script = Script::new([Output::new("odd", rate)]);
        let mixer = script.open(small(), patient());
        assert_eq!(mixer.sample_rate(), 48_000);
        assert_eq!(why(&mixer), "the device has no configuration that can be played");
        until("time passes", || mixer.clock() > 0);
        assert!(!plays(&mixer));
    }
}

/// More than the events' queue holds is lost from its front, and counted.
#[test]
fn changes_that_nobody_asks_for_are_counted_and_cost_no_memory() {
    let script = three();
    let mixer = script.open(small(), patient());
    for built in 1..=30 {
        script.stream(&mixer, built).raise(ErrorKind::StreamInvalidated);
    }
    script.stream(&mixer, 31);
    let told = outputs(&mixer);
    assert_eq!(told.last(), Some(&mixer.output()));
    assert_eq!(told.len() as u64 + mixer.stats().missed_events, 1 + 2 * 30);
}
