//! The drop of the last mixer.

use std::sync::atomic::Ordering::SeqCst;
use std::thread;

use cpal::ErrorKind;

use super::helpers::{
    drop_in_time, hasty, largest_step, patient, patient_to_the_end, plays, small, tone, until,
};
use super::{Output, Script};
use crate::output::supervisor::Timeouts;
use crate::{Frame, Mixer, ms};

/// Calls back until the stream is dropped, on a thread of its own: what was heard.
fn listen(script: &Script, mixer: &Mixer, size: usize) -> thread::JoinHandle<Vec<Frame>> {
    let stream = script.stream(mixer, 1);
    thread::spawn(move || {
        let mut heard = Vec::new();
        while !stream.drop_began.load(SeqCst) {
            (0..200).step_by(size).for_each(|_| heard.extend(stream.frames(size)));
            thread::sleep(ms(1));
        }
        heard
    })
}

/// The sound goes within 10 ms, without a step, and the stream is gone when the drop returns.
#[test]
fn the_last_drop_fades_out_within_10_ms_and_stops_the_stream() {
    for (size, rate) in [(1, 48_000), (100, 48_000), (480, 44_100), (2000, 96_000)] {
        let script = Script::new([Output::new("speakers", rate)]);
        let mixer = script.open(small(), patient_to_the_end());
        let (tone, step) = tone(rate, 441.0);
        mixer.play(tone);
        let device = listen(&script, &mixer, size);
        until("it is heard", || mixer.clock() > 2000);
        let clone = mixer.clone();
        drop(mixer);
        let clock = clone.clock();
        until("a clone keeps it going", || clone.clock() > clock);
        drop(clone);
        assert_eq!(script.plan().streams.len(), 0, "the stream is gone");
        let heard = device.join().unwrap();
        assert!(largest_step(&heard) <= 1.5 * step, "buffers of {size}");
        let loud = heard.iter().rposition(|frame| frame[0].abs() > 0.0).unwrap();
        let quiet = heard.len() - 1 - loud;
        assert!(quiet > 0, "buffers of {size}: it ends in silence");
        // The fade is linear, so a tenth of it before the end the tone is at a tenth at most.
        let fade = rate as usize / 100;
        let tail = &heard[loud - fade / 10..];
        assert!(tail.iter().all(|frame| frame[0].abs() <= 0.5 * 0.11), "buffers of {size}");
        let before = &heard[loud - fade - rate as usize / 441..=loud - fade];
        assert!(before.iter().any(|frame| frame[0].abs() > 0.45), "buffers of {size}: 10 ms");
    }
}

/// A driver that takes a moment to stop is waited for: a game may end with its mixer.
#[test]
fn the_last_drop_waits_for_a_stream_that_takes_a_moment() {
    let script = Script::usual();
    let mixer = script.open(small(), Timeouts { fade_out: ms(10), ..patient_to_the_end() });
    let stream = script.stream(&mixer, 1);
    script.change(|plan| plan.drops_hang = true);
    let device = thread::spawn({
        let (script, stream) = (script.clone(), stream.clone());
        move || {
            until("its drop has begun", || stream.drop_began.load(SeqCst));
            thread::sleep(ms(50));
            script.change(|plan| plan.drops_hang = false);
        }
    });
    drop(mixer);
    assert!(stream.drop_ended.load(SeqCst));
    device.join().unwrap();
}

/// It returns while the device is being lost and the drop of its stream hangs.
#[test]
fn the_last_drop_returns_while_the_device_is_lost_and_hangs() {
    for delay in [0, 1, 3, 10, 30] {
        let script = Script::usual();
        let mixer = script.open(small(), patient());
        let stream = script.stream(&mixer, 1);
        stream.frames(1000);
        script.change(|plan| {
            plan.drops_hang = true;
            plan.outputs.clear();
        });
        stream.raise(ErrorKind::DeviceNotAvailable);
        thread::sleep(ms(delay));
        drop_in_time(mixer);
        until("it was let go", || stream.drop_began.load(SeqCst));
        assert!(!stream.drop_ended.load(SeqCst));
        script.change(|plan| plan.drops_hang = false);
    }
}

/// It returns while the stream plays on and its drop hangs; the stream is silent from then on.
#[test]
fn the_last_drop_returns_when_the_streams_own_drop_hangs() {
    let script = Script::usual();
    let mixer = script.open(small(), patient());
    mixer.play(tone(48_000, 441.0).0);
    let stream = script.stream(&mixer, 1);
    script.change(|plan| plan.drops_hang = true);
    let device = listen(&script, &mixer, 480);
    drop_in_time(mixer);
    device.join().unwrap();
    assert!(stream.frames(480).iter().all(|frame| *frame == [0.0; 2]));
    script.change(|plan| plan.drops_hang = false);
}

/// It returns while a stream is being built, and if the device never calls back.
#[test]
fn the_last_drop_returns_while_a_stream_is_built_or_does_not_call_back() {
    let script = Script::usual();
    script.change(|plan| plan.builds_hang = usize::MAX);
    let mixer = script.open(small(), Timeouts { open: ms(1_000_000), ..hasty() });
    drop_in_time(mixer);
    script.change(|plan| plan.builds_hang = 0);
    until("what was built is dropped", || {
        script.change(|plan| plan.built == 1 && plan.streams.is_empty())
    });

    let mixer = script.open(small(), Timeouts { fade_out: ms(10), ..patient_to_the_end() });
    until("it plays", || plays(&mixer));
    drop_in_time(mixer);
    assert!(script.plan().streams.is_empty());
}

/// What still played is given back with the last mixer: no sound outlives it.
#[test]
fn the_last_drop_frees_every_sound() {
    let script = Script::usual();
    let mixer = script.open(small(), patient_to_the_end());
    let sound = crate::Sound::from_mono(48_000, &[0.5; 100]).unwrap();
    let play = crate::Play::of(&sound).looping();
    mixer.play(&play);
    script.stream(&mixer, 1).frames(1000);
    mixer.play(&play);
    let device = listen(&script, &mixer, 480);
    drop_in_time(mixer);
    device.join().unwrap();
    assert_eq!(sound.holders(), 2, "the sound and the template");
}
