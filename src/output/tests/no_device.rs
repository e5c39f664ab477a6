//! No device, then one; one that goes and returns, as it was or as another.

use std::time::Instant;

use cpal::ErrorKind;

use super::helpers::{
    DEADLINE, assert_balanced, hasty, largest_step, patient, plays, saw, saw_at, small, tone,
    until, why,
};
use super::{Output, Script};
use crate::output::supervisor::Timeouts;
use crate::{Config, Ending, Event, Play, Sound, ms};

/// With no device at all a mixer opens at the rate it was told, time passes at its pace, voices end
/// and say so.
#[test]
fn without_a_device_time_passes_at_its_pace_and_plays_end() {
    let script = Script::new([]);
    let began = Instant::now();
    let timeouts = Timeouts { catch_up: DEADLINE, ..patient() };
    let mixer = script.open(Config { sample_rate: 8000, ..small() }, timeouts);
    assert_eq!(mixer.sample_rate(), 8000);
    assert_eq!(why(&mixer), "there is no output device");
    let voice = mixer.play(Sound::from_mono(8000, &[0.5; 768]).unwrap());
    until("the play has ended", || !mixer.is_live(voice));
    let ends = mixer.events().filter_map(|event| match event {
        Event::Ended { why, at, .. } => Some((why, at % 128)),
        _ => None,
    });
    assert_eq!(ends.collect::<Vec<_>>(), [(Ending::Finished, 0)]);
    let since = |then: Instant| then.elapsed().as_secs_f64() * 8000.0;
    let (then, clock) = (Instant::now(), mixer.clock());
    until("two fifths of a second", || mixer.clock() > clock + 3200);
    // A thread that was kept from it makes up for it.
    let passed = || (mixer.clock() - clock) as f64;
    until("as much has passed as should", || passed() > 0.8 * since(then));
    let clock = mixer.clock() as f64;
    assert!(clock < since(began), "time never runs ahead");
    assert_balanced(&mixer);
}

/// The first device that appears plays on from where the clock is, at the mixer's rate or
/// resampled to its own.
#[test]
fn a_device_that_appears_plays_what_is_due_by_then() {
    let script = Script::new([]);
    let mixer = script.open(small(), patient());
    // A whole number of its turns from the first frame on, and far enough ahead to be in time for it.
    let mut from = 0;
    until("the play was in time", || {
        mixer.stop_all(ms(0));
        from = (mixer.clock() / 777 + 30) * 777;
        mixer.play(saw().start_at(from));
        mixer.clock() + 1024 < from
    });
    until("time has passed", || mixer.clock() > from + 777 * 3);
    script.change(|plan| plan.outputs = vec![Output::new("speakers", 48_000)]);
    let stream = script.stream(&mixer, 1);
    let now = mixer.clock();
    let heard = stream.frames(2000);
    assert!(heard[480..].iter().zip(now + 480..).all(|(frame, at)| frame[0] == saw_at(at)));
    assert!(heard[..479].iter().zip(now..).all(|(frame, at)| frame[0] <= saw_at(at)));
    assert_eq!(mixer.clock(), now + 2000);
}

/// A device that goes and comes back plays from where the clock went on to, with no step, at the
/// first try after its return.
#[test]
fn a_device_that_returns_is_heard_at_the_first_try_faded_in_and_in_its_place() {
    let script = Script::usual();
    let mixer = script.open(small(), Timeouts { first_retry: ms(20), ..patient() });
    mixer.play(saw());
    let stream = script.stream(&mixer, 1);
    assert!(stream.frames(5000).iter().zip(0..).all(|(frame, at)| frame[0] == saw_at(at)));
    let usual = script.change(|plan| std::mem::take(&mut plan.outputs));
    stream.raise(ErrorKind::DeviceNotAvailable);
    let before = script.plan().tries;
    until("it tries again and again", || script.plan().tries >= before + 3);
    assert_eq!(why(&mixer), "there is no output device");
    until("time passes meanwhile", || mixer.clock() > 6000);
    let tries = script.change(|plan| {
        plan.outputs = usual;
        plan.tries
    });
    let stream = script.stream(&mixer, 2);
    // One may have been under way.
    assert!(script.plan().tries <= tries + 1);
    let now = mixer.clock();
    let heard = stream.frames(1000);
    assert!(heard[0][0] <= saw_at(now) / 479.0, "it begins at next to nothing");
    assert!(heard[480..].iter().zip(now + 480..).all(|(frame, at)| frame[0] == saw_at(at)));
    assert_balanced(&mixer);
}

/// Sound that comes back comes up without a click.
#[test]
fn a_tone_that_comes_back_makes_no_step() {
    for (first, second) in [(48_000, 48_000), (48_000, 44_100)] {
        let script = Script::new([Output::new("first", first)]);
        let mixer = script.open(small(), patient());
        let (tone, step) = tone(first, 441.0);
        mixer.play(tone);
        let stream = script.stream(&mixer, 1);
        stream.frames(3001);
        script.change(|plan| plan.outputs = vec![Output::new("second", second)]);
        stream.raise(ErrorKind::StreamInvalidated);
        let mut heard = vec![[0.0; 2]];
        heard.extend(script.stream(&mixer, 2).frames(3000));
        assert!(heard[1000..].iter().any(|frame| frame[0].abs() > 0.45));
        let most = 1.5 * step * first as f32 / second as f32;
        assert!(largest_step(&heard) <= most, "{first} then {second}");
    }
}

/// A device that opens late, when time has long begun without it, fades in as well.
#[test]
fn a_late_first_device_fades_in() {
    let script = Script::usual();
    script.change(|plan| plan.builds_hang = usize::MAX);
    let mixer = script.open(small(), Timeouts { first_open: ms(10), ..patient() });
    let (tone, step) = tone(48_000, 441.0);
    mixer.play(tone.gain(2.0));
    until("time begins without it", || mixer.clock() > 1000);
    script.change(|plan| plan.builds_hang = 0);
    let mut heard = vec![[0.0; 2]];
    heard.extend(script.stream(&mixer, 1).frames(3000));
    assert!(heard[1000..].iter().any(|frame| frame[0].abs() > 0.9));
    assert!(largest_step(&heard) <= 1.5 * 2.0 * step, "{}", largest_step(&heard));
}

/// How often a tone rises through zero, in frames that last a second in all.
fn hertz(frames: &[crate::Frame]) -> usize {
    frames.windows(2).filter(|pair| pair[0][0] < 0.0 && pair[1][0] >= 0.0).count()
}

/// A device that opens after the mixer has settled for another rate is resampled.
#[test]
fn a_late_first_device_does_not_change_the_pitch() {
    let script = Script::new([Output::new("slow to open", 96_000)]);
    script.change(|plan| plan.builds_hang = usize::MAX);
    let mixer = script.open(small(), Timeouts { first_open: ms(10), ..patient() });
    assert_eq!(mixer.sample_rate(), 48_000);
    mixer.play(tone(48_000, 1000.0).0);
    script.change(|plan| plan.builds_hang = 0);
    // It is built as the first, and once more to be resampled.
    let stream = script.stream(&mixer, 2);
    let now = mixer.clock();
    let heard = stream.frames(96_000);
    assert!(hertz(&heard).abs_diff(1000) <= 10, "{} Hz", hertz(&heard));
    assert!((mixer.clock() - now).abs_diff(48_000) <= 600, "{}", mixer.clock() - now);
}

/// The first device's rate is the mixer's for life. Another is asked for it, and if it cannot have
/// it the output is resampled: pitch and clock stay right.
#[test]
fn a_device_of_another_rate_changes_neither_pitch_nor_clock() {
    let script = Script::new([Output::new("first", 44_100)]);
    let mixer = script.open(small(), patient());
    assert_eq!(mixer.sample_rate(), 44_100);
    mixer.play(tone(44_100, 1000.0).0);
    let stream = script.stream(&mixer, 1);
    assert!(hertz(&stream.frames(44_100)).abs_diff(1000) <= 1);
    for (built, rate) in [(2, 48_000), (3, 8000), (4, 192_000)] {
        let stream = script.stream(&mixer, built - 1);
        script.change(|plan| plan.outputs = vec![Output::new("another", rate)]);
        stream.raise(ErrorKind::StreamInvalidated);
        let stream = script.stream(&mixer, built);
        assert_eq!((stream.config.sample_rate, mixer.sample_rate()), (rate, 44_100));
        let now = mixer.clock();
        let heard = hertz(&stream.frames(rate as usize));
        assert!(heard.abs_diff(1000) <= 10, "{rate}: {heard} Hz");
        let passed = mixer.clock() - now;
        assert!(passed.abs_diff(44_100) <= 600, "{rate}: {passed} frames");
    }
    let flexible = Output { rates: 8000..=192_000, ..Output::new("flexible", 48_000) };
    script.change(|plan| plan.outputs = vec![flexible]);
    script.stream(&mixer, 4).raise(ErrorKind::StreamInvalidated);
    assert_eq!(script.stream(&mixer, 5).config.sample_rate, 44_100, "it was asked for the mixer's");
    assert_balanced(&mixer);
}

/// A device can come back with other channels and another format.
#[test]
fn a_device_may_change_its_channels_and_format() {
    let script = Script::usual();
    let mixer = script.open(small(), patient());
    mixer.play(Play::of(Sound::from_mono(48_000, &[0.5; 100]).unwrap()).looping());
    let stream = script.stream(&mixer, 1);
    assert!(stream.frames(300).iter().all(|frame| *frame == [0.5; 2]));
    script.change(|plan| {
        plan.outputs[0].channels = 4;
        plan.outputs[0].format = cpal::SampleFormat::I16;
    });
    stream.raise(ErrorKind::StreamInvalidated);
    let mut buffer = vec![1i16; 4 * 1000];
    script.stream(&mixer, 2).fill(&mut buffer);
    assert!(buffer[4 * 480..].chunks(4).all(|frame| frame == [16_384, 16_384, 0, 0]));
}

/// A device that opens and never calls back is given up and tried again, while time goes on.
#[test]
fn a_device_that_never_calls_back_is_built_again_while_time_passes() {
    let script = Script::usual();
    let mixer = script.open(small(), hasty());
    let voice = mixer.play(Sound::from_mono(48_000, &[0.5; 4800]).unwrap());
    until("it is built again and again", || script.plan().built >= 4);
    until("the play ends in silence", || !mixer.is_live(voice));
    mixer.play(saw());
    script.run_until("it plays once it calls back", || mixer.stats().peak[0] > 0.0);
    assert_balanced(&mixer);
}

/// For as long as a device is taken to be alive and is not, the time is made up for.
#[test]
fn time_that_a_dead_device_cost_is_made_up_for() {
    let script = Script::new([Output::new("speakers", 8000)]);
    let timeouts = Timeouts { heartbeat: ms(300), catch_up: DEADLINE, ..patient() };
    let mixer = script.open(small(), timeouts);
    script.stream(&mixer, 1).frames(80);
    script.change(|plan| plan.outputs.clear());
    let began = Instant::now();
    until("it is taken for dead", || !plays(&mixer));
    // One buffer, and what has passed since; within a tenth of a second at some moment.
    let passed = || began.elapsed().as_secs_f64() * 8000.0;
    until("the clock has caught up", || mixer.clock() as f64 > passed() - 800.0);
}
