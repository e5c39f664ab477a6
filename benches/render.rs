//! What a block of 512 frames costs, by voices and by how they are read; what a theft and a play
//! cost. `cargo bench --bench render`, and a name to run only some. Items are voice-frames.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use voicepool::{Config, Interpolation, Mixer, Play, Renderer, Sound, WhenStolen, ms};

const BLOCK: usize = 512;
const VOICES: [usize; 4] = [1, 32, 256, 1024];

fn main() {
    divan::main();
}

/// Noise: two seconds each, 64 of them, 25 MB in all.
fn clips() -> Vec<Sound> {
    let mut random = 1u32;
    let mut sample = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as f32 / 16_777_216.0 - 0.5
    };
    let mut clip = || (0..96_000).map(|_| sample()).collect::<Vec<f32>>();
    (0..64).map(|_| Sound::from_mono(48_000, &clip()).expect("noise")).collect()
}

/// A mixer whose pool is full of loops, each with a gain and a pan of its own.
fn full(voices: usize, speed: f32, interpolation: Interpolation) -> (Mixer, Renderer) {
    let config = Config {
        voices,
        max_voices: voices,
        commands: 2 * voices.max(64),
        interpolation,
        ..Config::default()
    };
    let (mixer, mut renderer) = Mixer::offline(config).expect("a config of a bench");
    for (index, clip) in clips().iter().cycle().take(voices).enumerate() {
        let share = index as f32 / voices as f32;
        let play = Play::of(clip)
            .looping()
            .when_stolen(WhenStolen::End)
            .speed(speed)
            .gain(0.1 + 0.8 * share)
            .pan(share - 0.5);
        // Begun apart, so that they do not turn together.
        mixer.play(play.from_position(ms(index as u64 * 37 % 1900)));
    }
    renderer.frames(4800);
    assert_eq!(mixer.stats().playing, voices);
    (mixer, renderer)
}

fn render(bencher: Bencher, voices: usize, speed: f32, interpolation: Interpolation) {
    let (_mixer, mut renderer) = full(voices, speed, interpolation);
    let mut block = [[0.0; 2]; BLOCK];
    bencher
        .counter(ItemsCount::new(voices * BLOCK))
        .bench_local(|| renderer.render(black_box(&mut block)));
}

#[divan::bench(args = VOICES)]
fn unity(bencher: Bencher, voices: usize) {
    render(bencher, voices, 1.0, Interpolation::Linear);
}

/// The same frames in four calls of 128: what the grid costs where it cannot span a block.
#[divan::bench(args = VOICES)]
fn unity_in_quanta(bencher: Bencher, voices: usize) {
    let (_mixer, mut renderer) = full(voices, 1.0, Interpolation::Linear);
    let mut block = [[0.0; 2]; BLOCK];
    bencher.counter(ItemsCount::new(voices * BLOCK)).bench_local(|| {
        for part in black_box(&mut block).chunks_mut(128) {
            renderer.render(part);
        }
    });
}

#[divan::bench(args = VOICES)]
fn linear(bencher: Bencher, voices: usize) {
    render(bencher, voices, 1.1892, Interpolation::Linear);
}

#[divan::bench(args = VOICES)]
fn cubic(bencher: Bencher, voices: usize) {
    render(bencher, voices, 1.1892, Interpolation::Cubic);
}

#[divan::bench(args = VOICES)]
fn sinc(bencher: Bencher, voices: usize) {
    render(bencher, voices, 1.1892, Interpolation::Sinc);
}

/// A block with fifty thefts in it; items are thefts. Compare with `unity` at as many voices.
#[divan::bench(args = VOICES)]
fn thefts(bencher: Bencher, voices: usize) {
    const STORM: usize = 50;
    let (mixer, mut renderer) = full(voices, 1.0, Interpolation::Linear);
    let clips = clips();
    let mut block = [[0.0; 2]; BLOCK];
    bencher.counter(ItemsCount::new(STORM)).bench_local(|| {
        for clip in clips.iter().take(STORM) {
            mixer.play(black_box(clip));
        }
        renderer.render(&mut block);
    });
}

/// The game's side of a play, with what came home of the last ones; items are plays.
#[divan::bench]
fn play(bencher: Bencher) {
    const BURST: usize = 50;
    let (mixer, mut renderer) = full(64, 1.0, Interpolation::Linear);
    let clip = clips().swap_remove(0);
    bencher
        .counter(ItemsCount::new(BURST))
        .with_inputs(|| renderer.frames(BLOCK))
        .bench_local_values(|_| {
            for _ in 0..BURST {
                mixer.play(black_box(&clip));
            }
        });
}
