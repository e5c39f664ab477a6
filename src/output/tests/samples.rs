//! What comes out of the callback is what offline rendering gives, and costs no memory.

use super::driver::allocator::heap_calls;
use super::helpers::{hasty, patient, plays, saw, saw_at, small, until, until_doing};
use super::{Output, Script};
use crate::output::supervisor::Timeouts;
use crate::{BusId, Frame, Mixer, Play, Sound, VoiceId, ms};

const MUSIC: BusId = BusId::new(1);

/// On these frames something is said; the last is the end.
const SAID: [usize; 5] = [0, 3000, 7777, 80_000, 110_000];

/// A scene of every kind of change, that wants to be played on two mixers at once.
struct Scene {
    noise: Sound,
    low: Sound,
    voices: Vec<Option<VoiceId>>,
}

impl Scene {
    fn new() -> Scene {
        let mut seed = 1u32;
        let noise: Vec<f32> = (0..20_000)
            .map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (seed >> 8) as f32 / 16_777_216.0 - 0.5
            })
            .collect();
        Scene {
            noise: Sound::from_mono(48_000, &noise).unwrap(),
            low: Sound::from_mono(22_050, &noise[..9000]).unwrap(),
            voices: Vec::new(),
        }
    }

    fn say(&mut self, mixer: &Mixer, number: usize) {
        match number {
            0 => {
                let late = Play::of(&self.low).start_at(7001).pan(-0.7).bus(MUSIC);
                let looping = Play::of(&self.noise).looping().speed(0.77).gain(0.4);
                self.voices = [late, looping, saw()].map(|play| mixer.play(play)).into();
                for i in 0..12 {
                    mixer.play(Play::of(&self.noise).delay(ms(3 * i)).gain(0.1 * i as f32));
                }
            }
            1 => {
                mixer.set_gain(self.voices[1], 1.0, ms(30));
                mixer.set_speed(self.voices[1], 1.3, ms(100));
                mixer.seek(self.voices[2], ms(1));
            }
            2 => {
                mixer.set_gain(MUSIC, 0.3, ms(7));
                mixer.stop(self.voices[2], ms(20));
                mixer.play(Play::of(&self.low).looping().fade_in(ms(40)));
            }
            _ => mixer.stop_all(ms(50)),
        }
    }
}

fn offline() -> Vec<Frame> {
    let (mixer, mut renderer) = Mixer::offline(small()).unwrap();
    let mut scene = Scene::new();
    let mut frames = Vec::new();
    for (number, said) in SAID.windows(2).enumerate() {
        scene.say(&mixer, number);
        frames.extend(renderer.frames(said[1] - said[0]));
    }
    frames
}

/// Plays the scene on a device that asks for buffers of these sizes, and counts what the heap was
/// asked for meanwhile.
fn live(mut sizes: impl FnMut() -> usize) -> (Vec<Frame>, usize) {
    let script = Script::usual();
    let mixer = script.open(small(), patient());
    let stream = script.stream(&mixer, 1);
    let mut scene = Scene::new();
    let mut frames = vec![[f32::NAN; 2]; SAID[4]];
    let mut calls = 0;
    for (number, said) in SAID.windows(2).enumerate() {
        scene.say(&mixer, number);
        let mut left = &mut frames[said[0]..said[1]];
        while !left.is_empty() {
            let (now, later) = left.split_at_mut(sizes().min(left.len()));
            calls += heap_calls(|| stream.fill(now.as_flattened_mut())).1;
            left = later;
        }
    }
    (frames, calls)
}

fn assert_same(live: (Vec<Frame>, usize), offline: &[Frame], sizes: &str) {
    let differs =
        live.0.iter().zip(offline).position(|(a, b)| a.map(f32::to_bits) != b.map(f32::to_bits));
    assert_eq!((differs, live.1), (None, 0), "{sizes}: the first frame that differs, heap calls");
}

/// Whatever size the device asks for, nothing is allocated, and it gets the samples of the offline
/// render of the same commands. An empty buffer in between changes nothing.
#[test]
fn any_size_of_buffer_plays_the_bits_of_the_offline_render_and_allocates_nothing() {
    let expected = offline();
    assert!(expected[10_000..80_000].iter().all(|frame| *frame != [0.0; 2]));
    for size in [1, 37, 127, 128, 129, 255, 256, 257, 480, 512, 682, 1024, 65_535, 65_536] {
        let mut empty = false;
        let sizes = || {
            empty = !empty;
            if empty { 0 } else { size }
        };
        assert_same(live(sizes), &expected, &format!("buffers of {size}"));
    }
}

/// The same for buffers of which no two are of one size.
#[test]
fn any_partition_plays_the_bits_of_the_offline_render_and_allocates_nothing() {
    let expected = offline();
    for seed in 1..=6u64 {
        let mut state = seed;
        let sizes = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let most = [4, 300, 3000, 65_537][(state >> 62) as usize];
            (state >> 33) as usize % most
        };
        assert_same(live(sizes), &expected, &format!("random sizes {seed}"));
    }
}

/// A device may call back from another thread each time.
#[test]
fn it_does_not_matter_which_thread_calls_back() {
    let script = Script::usual();
    let mixer = script.open(small(), patient());
    let stream = script.stream(&mixer, 1);
    mixer.play(saw());
    let mut heard = Vec::new();
    for _ in 0..20 {
        let stream = stream.clone();
        heard.extend(std::thread::spawn(move || stream.frames(333)).join().unwrap());
    }
    assert!(heard.iter().map(|frame| frame[0]).eq((0..20 * 333).map(saw_at)));
    assert_eq!(mixer.clock(), 20 * 333);
}

/// To resample takes no memory either, nor does the fade after a gap.
#[test]
fn nothing_is_allocated_while_the_output_is_resampled_and_fades_in() {
    let script = Script::usual();
    let mixer = script.open(small(), patient());
    script.stream(&mixer, 1).frames(1000);
    mixer.play(saw());
    script.change(|plan| plan.outputs = vec![Output::new("other", 44_100)]);
    script.stream(&mixer, 1).raise(cpal::ErrorKind::DeviceNotAvailable);
    let stream = script.stream(&mixer, 2);
    let mut buffer = vec![0.0f32; 2 * 4410];
    for size in [0, 2, 20, 2000, 2 * 4410] {
        let (filled, calls) = heap_calls(|| stream.fill(&mut buffer[..size]));
        assert!(filled);
        assert_eq!(calls, 0, "{size} samples");
    }
    assert!(buffer.iter().any(|sample| *sample != 0.0));
}

/// A device that takes seconds of sound at a time calls back rarely, and is not dead for that.
#[test]
fn a_device_with_long_buffers_is_not_taken_for_dead() {
    let script = Script::new([Output::new("slow", 8000)]);
    let mixer = script.open(small(), hasty());
    // It may be taken for dead before it was first asked for a buffer, and then there is another.
    until("a long buffer outlasts many heartbeats", || {
        let (built, streams) = script.change(|plan| (plan.built, plan.streams.clone()));
        streams.iter().for_each(|stream| drop(stream.frames(65_536)));
        // A small part of the eight seconds that it lasts.
        std::thread::sleep(ms(300));
        plays(&mixer) && script.plan().built == built
    });
}

/// A device that only ever asks for nothing is asleep, whatever it calls.
#[test]
fn empty_buffers_are_no_heartbeat() {
    let script = Script::usual();
    let mixer = script.open(small(), Timeouts { heartbeat: ms(300), ..patient() });
    let call = || {
        let streams = script.plan().streams.clone();
        streams.iter().for_each(|stream| drop(stream.frames(0)));
        std::thread::sleep(ms(1));
    };
    until_doing("it is built again", call, || script.plan().built >= 3);
    until("time passes meanwhile", || mixer.clock() > 0);
}
