//! Law 4, over time: positions and starts stay exact, for as long as a sound plays. The sounds
//! here are numbered, each frame with its own index, so that what is heard says where it was read.

mod common;

use common::{Random, mono};
use voicepool::{Config, Frame, Interpolation, Mixer, Play, Priority, Renderer, Sound, ms};

const RATE: u32 = 48_000;
/// A prime, so that no loop falls in step with the grid.
const CLIP: u32 = 65_521;
/// A power of two, so that indices become samples below full scale without rounding.
const SCALE: f32 = 1.0 / 65_536.0;

fn numbered() -> Sound {
    mono(RATE, &(0..CLIP).map(|index| index as f32 * SCALE).collect::<Vec<_>>())
}

fn open(interpolation: Interpolation) -> (Mixer, Renderer) {
    let config = Config { voices: 1, max_voices: 1, interpolation, ..Config::default() };
    Mixer::offline(config).expect("a good config")
}

/// What a position reads: the frame it is on and the next, with the upper 24 bits of the way
/// between them, in the order of linear interpolation.
fn read(position: u128, start: u32, end: u32) -> f32 {
    let index = (position >> 32) as u32;
    let next = if index + 1 == end { start } else { index + 1 };
    let way = (position as u32 >> 8) as f32 / 16_777_216.0;
    let (a, b) = (index as f32 * SCALE, next as f32 * SCALE);
    a + way * (b - a)
}

/// Where a loop is after so many steps.
fn position(step: u128, steps: u128, start: u32, end: u32) -> u128 {
    let (start, end) = (u128::from(start) << 32, u128::from(end) << 32);
    let walked = step * steps;
    if walked < end { walked } else { start + (walked - start) % (end - start) }
}

/// At the sound's own speed, every frame of millions is the one that the count says.
#[test]
fn a_loop_at_unity_is_on_the_frame_that_the_count_says() {
    let (mixer, mut renderer) = open(Interpolation::Cubic);
    mixer.play(Play::of(numbered()).looping());
    let mut out = vec![[0.0; 2]; 50_000];
    let mut at = 0u64;
    for _ in 0..200 {
        renderer.render(&mut out);
        for frame in &out {
            let expected = (at % u64::from(CLIP)) as f32 * SCALE;
            assert!(*frame == [expected; 2], "frame {at} is {frame:?}, not {expected}");
            at += 1;
        }
    }
    assert_eq!(mixer.clock(), at);
}

/// At odd speeds, every frame is read where an integer reference says: the step is a fraction of
/// 2^32, and nothing is lost or rounded from one frame to the next, round after round.
#[test]
fn a_loop_at_an_odd_speed_is_where_the_integers_say() {
    let seconds = |frame: u32| std::time::Duration::from_secs_f64(f64::from(frame) / 48_000.0);
    for (speed, start, end) in [
        (0.7f32, 0, CLIP),
        (1.000_000_1, 0, CLIP),
        (3.3, 1_000, 1_777),
        (0.01, 5, 9),
        (99.9, 0, 1_000),
    ] {
        let (mixer, mut renderer) = open(Interpolation::Linear);
        let play = Play::of(numbered()).loop_range(seconds(start)..seconds(end));
        mixer.play(play.speed(speed));
        let step = (f64::from(speed) * 4_294_967_296.0).round() as u128;
        let mut out = vec![[0.0; 2]; 10_000];
        for block in 0..60 {
            renderer.render(&mut out);
            for (n, frame) in out.iter().enumerate() {
                let place = position(step, block * 10_000 + n as u128, start, end);
                let expected = read(place, start, end);
                assert!(
                    *frame == [expected; 2],
                    "frame {n} of block {block} at speed {speed} is {frame:?}, not {expected}"
                );
            }
        }
    }
}

/// A speed that is set before anything is heard counts from the first frame.
#[test]
fn a_speed_set_at_once_is_the_speed_from_the_first_frame_on() {
    for wait in [false, true] {
        let (mixer, mut renderer) = open(Interpolation::Linear);
        let voice = mixer.play(Play::of(numbered()).looping());
        if wait {
            mixer.pause(voice, ms(0));
            renderer.frames(500);
            mixer.resume(voice, ms(0));
        }
        mixer.set_speed(voice, 2.5, ms(0));
        // Heard of on the line at 512, and carried out on the next, which was not mixed yet.
        renderer.frames(if wait { 140 } else { 0 });
        for (n, frame) in renderer.frames(3000).iter().enumerate() {
            let expected = read((n as u128 * 5) << 31, 0, CLIP);
            assert_eq!(*frame, [expected; 2], "frame {n}");
        }
    }
}

/// Parked, a loop keeps its time to the frame: when it comes back it is where it would have been.
#[test]
fn a_parked_loop_keeps_its_time() {
    for speed in [1.0f32, 0.7, 1.9] {
        let (mixer, mut renderer) = open(Interpolation::Linear);
        mixer.play(Play::of(numbered()).looping().speed(speed));
        let mut out = vec![[0.0; 2]; 4096];
        renderer.render(&mut out);
        let thief = mixer.play(Play::of(mono(RATE, &[0.0])).looping().priority(Priority::High));
        for _ in 0..100 {
            renderer.render(&mut out);
        }
        assert_eq!(mixer.stats().parked, 1);
        mixer.stop(thief, ms(0));
        renderer.render(&mut out);
        // It has come back by now, and its 5 ms of fading in are over.
        let step = (f64::from(speed) * 4_294_967_296.0).round() as u128;
        for (n, frame) in out.iter().enumerate().skip(1024) {
            let expected = read(position(step, 101 * 4096 + n as u128, 0, CLIP), 0, CLIP);
            assert_eq!(*frame, [expected; 2], "frame {n} at speed {speed}");
        }
    }
}

/// The frame of the first sample that is not silent.
fn first(frames: &[Frame]) -> Option<usize> {
    frames.iter().position(|frame| *frame != [0.0; 2])
}

/// A play begins on the frame it was asked for, whichever it is within a quantum and however the
/// buffers lie, with its first sample.
#[test]
fn a_start_is_exact_to_the_frame() {
    let click = mono(RATE, &[0.5, 0.25]);
    for block in [1, 37, 128, 1000] {
        for start in (0..260).chain([511, 512, 513, 1999]) {
            let (mixer, mut renderer) = open(Interpolation::Cubic);
            mixer.play(Play::of(&click).start_at(start as u64));
            let mut heard = Vec::new();
            while heard.len() <= start + 2 {
                heard.extend(renderer.frames(block));
            }
            assert_eq!(first(&heard), Some(start), "in blocks of {block}");
            assert_eq!(heard[start..start + 2], [[0.5; 2], [0.25; 2]]);
        }
    }
}

/// Many plays, asked for in any order, begin each on its own frame.
#[test]
fn a_hundred_starts_in_any_order_are_all_exact() {
    let click = mono(RATE, &[0.5]);
    let (mixer, mut renderer) = Mixer::offline(Config::default()).expect("a good config");
    let mut random = Random(11);
    let mut expected = vec![[0.0; 2]; 20_000];
    for _ in 0..100 {
        let start = random.below(20_000);
        if expected[start as usize] == [0.0; 2] {
            expected[start as usize] = [0.5; 2];
            mixer.play(Play::of(&click).start_at(start));
        }
    }
    assert!(renderer.frames(20_000) == expected);
}

/// A play asked for minutes ahead begins on its frame, and so does one that counts its delay from
/// the line on which it was heard of.
#[test]
fn a_start_far_in_the_future_is_exact() {
    const FAR: u64 = 10_000_019;
    let (mixer, mut renderer) = Mixer::offline(Config::default()).expect("a good config");
    mixer.play(Play::of(mono(RATE, &[0.5])).start_at(FAR));
    renderer.frames(100);
    // Carried out on the line at 256: that at 128 is mixed already.
    mixer.play(Play::of(mono(RATE, &[0.25])).delay(ms(100_000)));
    let mut out = vec![[0.0; 2]; 100_000];
    let mut heard = Vec::new();
    while mixer.clock() < FAR + 10 {
        let clock = mixer.clock();
        renderer.render(&mut out);
        let clicks = out.iter().enumerate().filter(|(_, frame)| **frame != [0.0; 2]);
        heard.extend(clicks.map(|(n, frame)| (clock + n as u64, frame[0])));
    }
    assert_eq!(heard, [(256 + 4_800_000, 0.25), (FAR, 0.5)]);
}

/// A frame that has passed means the next line of the grid that is not mixed yet, from the sound's
/// beginning.
#[test]
fn a_start_in_the_past_is_on_the_next_line() {
    let (mixer, mut renderer) = open(Interpolation::Cubic);
    renderer.frames(1000);
    mixer.play(Play::of(numbered()).start_at(3));
    let heard = renderer.frames(1000);
    assert_eq!(first(&heard), Some(153), "frame 0 is silent; the line is at 1152");
    assert_eq!(heard[152 + 700], [700.0 * SCALE; 2]);
}
