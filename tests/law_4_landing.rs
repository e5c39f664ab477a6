//! Law 4, after a bend: a speed that comes back to the sound's own comes back to its very samples.
//! Where it stayed between them, it would lose its treble for good, and its speed path with it.

mod common;

use std::time::Duration;

use common::{bits, mono, sine};
use voicepool::{Config, Frame, Interpolation, Mixer, Play, Renderer, Sound, ms};

const RATE: u32 = 48_000;
const BETWEEN: [Interpolation; 3] =
    [Interpolation::Linear, Interpolation::Cubic, Interpolation::Sinc];
/// A prime, so that no loop falls in step with the grid.
const CLIP: usize = 9973;

fn open(interpolation: Interpolation) -> (Mixer, Renderer) {
    let config = Config { voices: 1, max_voices: 1, interpolation, ..Config::default() };
    Mixer::offline(config).expect("a good config")
}

/// Each frame tells its own index.
fn numbered(rate: u32) -> Sound {
    mono(rate, &(0..CLIP).map(|index| index as f32 / 16_384.0).collect::<Vec<_>>())
}

/// Whether frame after frame is the clip's own.
fn is_the_clip(heard: &[Frame]) -> bool {
    let first = (heard[0][0] * 16_384.0) as usize;
    let expected = (first..).map(|index| [(index % CLIP) as f32 / 16_384.0; 2]);
    expected.take(heard.len()).eq(heard.iter().copied())
}

/// The level of a treble tone is what it was before.
#[test]
fn a_treble_tone_bent_away_and_back_has_its_level() {
    let samples: Vec<f32> = sine(RATE, 15_000.0, 0.1, 48_000).iter().map(|s| s * 0.5).collect();
    let tone = mono(RATE, &samples);
    for between in BETWEEN {
        let (mixer, mut renderer) = open(between);
        let voice = mixer.play(Play::of(&tone).looping());
        let power = |frames: &[Frame]| frames.iter().map(|frame| frame[0] * frame[0]).sum::<f32>();
        let before = power(&renderer.frames(4800));
        mixer.set_speed(voice, 1.3, ms(20));
        renderer.frames(5000);
        mixer.set_speed(voice, 1.0, ms(30));
        renderer.frames(1440 + 384);
        let heard = renderer.frames(4800);
        let level = 10.0 * (power(&heard) / before).log10();
        println!("{between:?}: {level:.2} dB");
        assert!(level.abs() < 0.01, "{between:?}: {level} dB");
        // And it is not only as loud: it is the clip.
        let places = (0..tone.frame_count()).filter(|first| {
            let expected = samples[*first..].iter().chain(&samples);
            heard.iter().zip(expected).all(|(frame, sample)| *frame == [*sample; 2])
        });
        assert!(places.count() > 0, "{between:?}: not the clip's own samples");
    }
}

/// From the frame on which the speed is 1, however it was reached: bent up or down, over a long or
/// a short time, once or twice, turned before it arrived, or said again while it was landing.
#[test]
fn from_its_arrival_on_it_is_the_clip_bit_for_bit() {
    type Bend<'a> = &'a [(f32, u64, usize)];
    let bends: [Bend; 7] = [
        &[(1.3, 0, 700), (1.0, 0, 512)],
        &[(0.01, 0, 777), (1.0, 0, 512)],
        &[(100.0, 3, 1000), (1.0, 40, 2176)],
        &[(0.7, 9, 300), (1.2, 11, 200), (1.0, 10, 768)],
        &[(1.3, 10, 128), (1.0, 10, 768)],
        &[(1.3, 0, 700), (1.0, 10, 400), (1.0, 0, 512)],
        &[(1.7, 100, 5000), (1.0, 100, 300), (1.1, 100, 300), (1.0, 100, 5120)],
    ];
    for between in BETWEEN {
        for bend in bends {
            let (mixer, mut renderer) = open(between);
            let voice = mixer.play(Play::of(numbered(RATE)).looping());
            renderer.frames(333);
            for (speed, over, frames) in bend {
                mixer.set_speed(voice, *speed, ms(*over));
                renderer.frames(*frames);
            }
            assert!(is_the_clip(&renderer.frames(3000)), "{between:?} {bend:?}");
        }
    }
}

/// A sound of another rate has its own samples at another speed.
#[test]
fn it_is_the_frames_that_count_not_the_speed() {
    let (mixer, mut renderer) = open(Interpolation::Cubic);
    let voice = mixer.play(Play::of(numbered(RATE / 2)).looping());
    renderer.frames(500);
    mixer.set_speed(voice, 2.0, ms(7));
    renderer.frames(256 + 336);
    assert!(is_the_clip(&renderer.frames(2000)));
}

/// What nobody hears is on a whole frame at once.
#[test]
fn what_is_set_in_silence_is_on_a_frame_at_once() {
    for between in BETWEEN {
        let (mixer, mut renderer) = open(between);
        let voice = mixer.play(Play::of(numbered(RATE)).looping());
        mixer.set_speed(voice, 0.77, Duration::ZERO);
        renderer.frames(1000);
        mixer.pause(voice, ms(0));
        renderer.frames(512);
        mixer.set_speed(voice, 1.0, Duration::ZERO);
        mixer.resume(voice, ms(0));
        renderer.frames(512);
        assert!(is_the_clip(&renderer.frames(2000)), "{between:?}");
    }
}

/// A jump while it lands takes it elsewhere, and it lands there.
#[test]
fn a_seek_on_the_way_lands_where_it_goes() {
    for frames in [200, 250, 300, 350] {
        let (mixer, mut renderer) = open(Interpolation::Cubic);
        let voice = mixer.play(Play::of(numbered(RATE)).looping());
        mixer.set_speed(voice, 0.77, Duration::ZERO);
        renderer.frames(1024);
        mixer.set_speed(voice, 1.0, Duration::ZERO);
        renderer.frames(frames);
        mixer.seek(voice, ms(100));
        renderer.frames(640);
        assert!(is_the_clip(&renderer.frames(2000)), "{frames}");
    }
}

/// A landing is the same however it is cut into buffers.
#[test]
fn a_landing_is_the_same_at_any_buffer_size() {
    let play = |between, block: usize| {
        let (mixer, mut renderer) = open(between);
        let voice = mixer.play(Play::of(numbered(RATE)).looping());
        let mut heard = Vec::new();
        for (speed, over) in [(1.3, 0), (1.0, 0), (0.4, 12), (1.0, 17), (3.0, 5), (1.0, 5)] {
            mixer.set_speed(voice, speed, ms(over));
            // Blocks of any size end on the same frame, where the next is said.
            let end = heard.len() + 1024;
            while heard.len() < end {
                heard.extend(renderer.frames(block.min(end - heard.len())));
            }
        }
        bits(&heard)
    };
    for between in BETWEEN {
        let whole = play(between, 1024);
        for block in [1, 37, 128, 500, 1000] {
            assert!(play(between, block) == whole, "{between:?}, blocks of {block}");
        }
    }
}
