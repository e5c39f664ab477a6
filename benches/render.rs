//! What a block of 512 frames costs, by voices and by how they are read; what a theft and a play
//! cost. `cargo bench --bench render`, and a name to run only some. Items are voice-frames, unless
//! said otherwise. With `ratios` alone, what filters, rooms, places and streams cost; see `render/ratios.rs`.

mod common;
#[path = "render/ratios.rs"]
mod ratios;
#[path = "render/space.rs"]
mod space;
#[path = "render/streams.rs"]
mod streams;

use std::fmt;

use common::{BLOCK, Bits, RATE, clips, fill, mixer, set_ramps};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use voicepool::{Interpolation, Mixer, Play, Renderer, Sound, WhenStolen};

const VOICES: [usize; 5] = [1, 32, 256, 1024, 4096];
/// A speed at which every frame lies between two.
const ASKEW: f32 = 1.1892;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("ratios") => {
            ratios::print();
            space::print();
            streams::print();
        }
        _ => divan::main(),
    }
}

/// Which voices are mixed.
struct Case {
    voices: usize,
    bits: Bits,
    ramped: bool,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = if self.bits == Bits::I16 { "i16" } else { "f32" };
        let ramped = if self.ramped { " ramped" } else { "" };
        write!(f, "{:4} {bits}{ramped}", self.voices)
    }
}

/// Every number of voices, kept either way, on a ramp or not.
fn cases() -> impl Iterator<Item = Case> {
    let kinds = [(Bits::F32, false), (Bits::I16, false), (Bits::F32, true), (Bits::I16, true)];
    kinds.into_iter().flat_map(|(bits, ramped)| {
        VOICES.into_iter().map(move |voices| Case { voices, bits, ramped })
    })
}

fn full(voices: usize) -> (Mixer, Renderer) {
    let (mixer, mut renderer) = mixer(voices, Interpolation::Linear);
    fill(&mixer, &mut renderer, clips(Bits::F32), 1.0, voices);
    (mixer, renderer)
}

fn render(bencher: Bencher, case: &Case, speed: f32, interpolation: Interpolation) {
    let (mixer, mut renderer) = mixer(case.voices, interpolation);
    let voices = fill(&mixer, &mut renderer, clips(case.bits), speed, case.voices);
    if case.ramped {
        set_ramps(&mixer, &mut renderer, &voices);
    }
    blocks(bencher, &mut renderer, case.voices);
}

fn blocks(bencher: Bencher, renderer: &mut Renderer, voices: usize) {
    let mut block = [[0.0; 2]; BLOCK];
    bencher
        .counter(ItemsCount::new(voices * BLOCK))
        .bench_local(|| renderer.render(black_box(&mut block)));
}

#[divan::bench(args = cases(), max_time = 1)]
fn unity(bencher: Bencher, case: &Case) {
    render(bencher, case, 1.0, Interpolation::Linear);
}

#[divan::bench(args = cases(), max_time = 1)]
fn linear(bencher: Bencher, case: &Case) {
    render(bencher, case, ASKEW, Interpolation::Linear);
}

#[divan::bench(args = cases(), max_time = 1)]
fn cubic(bencher: Bencher, case: &Case) {
    render(bencher, case, ASKEW, Interpolation::Cubic);
}

#[divan::bench(args = cases(), max_time = 1)]
fn sinc(bencher: Bencher, case: &Case) {
    render(bencher, case, ASKEW, Interpolation::Sinc);
}

/// The same frames in four calls of 128: what the grid costs where it cannot span a block.
#[divan::bench(args = VOICES, max_time = 1)]
fn unity_in_quanta(bencher: Bencher, voices: usize) {
    let (_mixer, mut renderer) = full(voices);
    let mut block = [[0.0; 2]; BLOCK];
    bencher.counter(ItemsCount::new(voices * BLOCK)).bench_local(|| {
        for part in black_box(&mut block).chunks_mut(128) {
            renderer.render(part);
        }
    });
}

/// Eight voices, in pools of different sizes: the empty slots cost nothing.
#[divan::bench(args = [8, 64, 4096])]
fn eight_in_a_pool_of(bencher: Bencher, slots: usize) {
    let (mixer, mut renderer) = mixer(slots, Interpolation::Linear);
    fill(&mixer, &mut renderer, clips(Bits::F32), 1.0, 8);
    blocks(bencher, &mut renderer, 8);
}

/// A loud sound, and some of numbers so small that processors could take longer over them.
#[divan::bench(args = ["loud", "faint", "denormal"])]
fn samples_that_are(bencher: Bencher, how: &str) {
    let sample = [("loud", 0.5), ("faint", 1e-30), ("denormal", 1e-39)];
    let sample = sample.iter().find(|(name, _)| *name == how).expect("one of these").1;
    let (mixer, mut renderer) = mixer(64, Interpolation::Cubic);
    let clip = Sound::from_mono(RATE, &[sample; 24_000]).expect("a clip");
    let voices = fill(&mixer, &mut renderer, &[clip], ASKEW, 64);
    set_ramps(&mixer, &mut renderer, &voices);
    blocks(bencher, &mut renderer, 64);
}

/// A quantum with one theft, and one with 65: a 64th of the difference is what each costs after
/// the first, which also looks how loud everybody is.
#[divan::bench(args = VOICES, consts = [1, 65], max_time = 1)]
fn thefts<const THEFTS: usize>(bencher: Bencher, voices: usize) {
    let (mixer, mut renderer) = full(voices);
    let mut quantum = [[0.0; 2]; 128];
    bencher
        .with_inputs(|| {
            mixer.events().for_each(drop);
            for clip in clips(Bits::F32).iter().cycle().take(THEFTS) {
                let play = Play::of(clip).looping().when_stolen(WhenStolen::End);
                mixer.play(play).expect("room in the queue");
            }
        })
        .bench_local_values(|()| renderer.render(black_box(&mut quantum)));
}

/// The game's side of fifty plays, and of what came home of the last fifty; items are plays.
#[divan::bench]
fn play(bencher: Bencher) {
    const BURST: usize = 50;
    let (mixer, mut renderer) = full(64);
    let mut block = [[0.0; 2]; BLOCK];
    bencher
        .counter(ItemsCount::new(BURST))
        .with_inputs(|| renderer.render(&mut block))
        .bench_local_values(|()| {
            for clip in clips(Bits::F32).iter().cycle().take(BURST) {
                mixer.play(black_box(clip));
            }
            mixer.events().for_each(drop);
        });
}
