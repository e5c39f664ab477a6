//! Law 5 for voices with filters of their own: what rings in these is faded out like all else.

mod common;

use common::{mono, sine};
use voicepool::{BusId, Config, Frame, Mixer, Play, Renderer, VoiceId, ms};

const RATE: u32 = 48_000;

/// The largest step from frame to frame, in those of a sine of 100 Hz.
fn largest_step(frames: &[Frame]) -> f32 {
    let own = std::f32::consts::TAU * 100.0 / RATE as f32;
    frames.windows(2).map(|pair| (pair[1][0] - pair[0][0]).abs() / own).fold(0.0, f32::max)
}

/// A sine that has been heard through a low-pass for a while.
fn heard(hertz: f32) -> (Mixer, Renderer, VoiceId) {
    let (mixer, mut renderer) =
        Mixer::offline(Config { sample_rate: RATE, ..Config::default() }).expect("a mixer");
    let sound = mono(RATE, &sine(RATE, 100.0, 0.0, 48_000));
    let id =
        mixer.play(Play::of(&sound).low_pass(hertz).bus(BusId::new(1))).expect("there is room");
    renderer.frames(9728);
    (mixer, renderer, id)
}

#[test]
fn a_seek_does_not_make_what_rings_in_a_filter_ring_twice() {
    // Every phase of the sine on which it may jump.
    for phase in 0..5 {
        for hertz in [60.0, 150.0, 400.0, 3000.0] {
            let (mixer, mut renderer, id) = heard(hertz);
            renderer.frames(128 * phase);
            mixer.seek(id, ms(333));
            let step = largest_step(&renderer.frames(2048));
            assert!(step <= 1.5, "{step} at {hertz} Hz, phase {phase}");
        }
    }
}

#[test]
fn what_is_paused_and_then_stopped_rings_out() {
    for phase in 0..5 {
        for hertz in [60.0, 150.0, 400.0] {
            for wait in [128, 256, 384, 512] {
                let (mixer, mut renderer, id) = heard(hertz);
                renderer.frames(128 * phase);
                mixer.pause(id, ms(0));
                let mut frames = renderer.frames(wait);
                mixer.stop(id, ms(0));
                frames.extend(renderer.frames(2048));
                let step = largest_step(&frames);
                assert!(step <= 1.5, "{step} at {hertz} Hz, phase {phase}, after {wait} frames");
            }
        }
    }
}

/// A voice that is being paused fades out by itself where it is left behind, and not once more: what it says is what it
/// would have said, but for the last quarter of the time that it is given.
#[test]
fn what_fades_by_itself_is_not_faded_twice_where_it_is_left() {
    for hertz in [60.0, 400.0, 3000.0] {
        let [stays, leaves] = [false, true].map(|leaves| {
            let (mixer, mut renderer, id) = heard(hertz);
            mixer.pause(id, ms(0));
            let mut frames = renderer.frames(128);
            if leaves {
                mixer.seek(id, ms(333));
            }
            frames.extend(renderer.frames(1024));
            frames
        });
        // It jumps on the line after the next of its 128 frames.
        let (jump, declick) = (256, RATE as usize / 200);
        let alike = jump + declick * 3 / 4;
        assert_eq!(stays[..alike], leaves[..alike], "at {hertz} Hz");
        assert!(stays[jump..alike].iter().all(|frame| frame[0] != 0.0), "it rings at {hertz} Hz");
        assert!(leaves[jump + declick..].iter().all(|frame| *frame == [0.0; 2]), "at {hertz} Hz");
    }
}

/// Where a voice ends that goes faster and faster is foreseen, so that its filter rings on from that very frame whatever
/// is made at once.
#[test]
fn what_ends_on_its_way_to_another_speed_rings_on_alike_in_buffers_of_any_size() {
    for length in [3000, 3100, 3217, 4000] {
        let heard = [1, 128, 4096].map(|buffer| {
            let (mixer, mut renderer) =
                Mixer::offline(Config { sample_rate: RATE, ..Config::default() }).expect("a mixer");
            let sound = mono(RATE, &sine(RATE, 100.0, 0.0, length));
            let voice = mixer.play(Play::of(&sound).low_pass(400.0).speed(0.25));
            mixer.set_speed(voice, 30.0, ms(80));
            let mut heard: Vec<Frame> = Vec::new();
            while heard.len() < 8192 {
                heard.extend(renderer.frames(buffer));
            }
            heard
        });
        assert!(heard[0] == heard[1] && heard[1] == heard[2], "of {length} frames");
    }
}
