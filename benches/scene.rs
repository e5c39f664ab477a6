//! Fixed scenes, whose instructions `.ci/instructions` counts: what `measured` runs, and nothing
//! else. `cargo bench --bench scene` names them, and with a name plays that one.

mod common;

use common::{BLOCK, Bits, clips, fill, mixer, set_ramps};
use voicepool::{Interpolation, Mixer, Play, Renderer, Sound, WhenStolen};

/// A speed at which every frame lies between two.
const ASKEW: f32 = 1.1892;

type Scene = (&'static str, fn());

const SCENES: [Scene; 10] = [
    ("unity", || render(1.0, Interpolation::Linear)),
    ("linear", || render(ASKEW, Interpolation::Linear)),
    ("cubic", || render(ASKEW, Interpolation::Cubic)),
    ("sinc", || render(ASKEW, Interpolation::Sinc)),
    ("ramps", ramps),
    ("thefts", || thefts(64, 10)),
    ("thefts_among_4096", || thefts(4096, 2)),
    ("play", play),
    ("endings", endings),
    ("eight_in_a_pool_of_4096", eight_in_many),
];

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    match SCENES.iter().find(|(scene, _)| *scene == name) {
        Some((_, run)) => run(),
        None => SCENES.iter().for_each(|(scene, _)| println!("{scene}")),
    }
}

/// The part that is counted. It has a name that can be found, so it must stay a function.
#[inline(never)]
fn measured(run: impl FnOnce()) {
    run();
}

fn measured_blocks(renderer: &mut Renderer, blocks: usize) {
    let mut block = [[0.0; 2]; BLOCK];
    measured(|| (0..blocks).for_each(|_| renderer.render(&mut block)));
}

/// A mixer full of clips of both kinds.
fn full(voices: usize, speed: f32, interpolation: Interpolation) -> (Mixer, Renderer) {
    let (mixer, mut renderer) = mixer(voices, interpolation);
    fill(&mixer, &mut renderer, &both_kinds(), speed, voices);
    (mixer, renderer)
}

fn both_kinds() -> Vec<Sound> {
    clips(Bits::F32)
        .iter()
        .zip(clips(Bits::I16))
        .flat_map(|(a, b)| [a.clone(), b.clone()])
        .collect()
}

/// A play that lasts until it is robbed.
fn endless(clip: &Sound) -> Play {
    Play::of(clip).looping().when_stolen(WhenStolen::End)
}

fn render(speed: f32, interpolation: Interpolation) {
    let (_mixer, mut renderer) = full(64, speed, interpolation);
    measured_blocks(&mut renderer, 10);
}

/// Every gain on its way, at unity and between the frames.
fn ramps() {
    for speed in [1.0, ASKEW] {
        let (mixer, mut renderer) = mixer(64, Interpolation::Cubic);
        let voices = fill(&mixer, &mut renderer, &both_kinds(), speed, 64);
        set_ramps(&mixer, &mut renderer, &voices);
        measured_blocks(&mut renderer, 5);
    }
}

/// Storms of a hundred thefts, each in one quantum.
fn thefts(voices: usize, storms: usize) {
    let (mixer, mut renderer) = full(voices, 1.0, Interpolation::Linear);
    let mut quantum = [[0.0; 2]; 128];
    for _ in 0..storms {
        for clip in both_kinds().iter().cycle().take(100) {
            mixer.play(endless(clip)).expect("room in the queue");
        }
        measured(|| renderer.render(&mut quantum));
        mixer.events().for_each(drop);
    }
    assert_eq!(mixer.stats().stolen, 100 * storms as u64);
}

/// The game's side: plays, and what became of the last ones.
fn play() {
    let (mixer, mut renderer) = full(64, 1.0, Interpolation::Linear);
    let mut block = [[0.0; 2]; BLOCK];
    for _ in 0..20 {
        measured(|| {
            for clip in clips(Bits::F32).iter().cycle().take(50) {
                mixer.play(clip).expect("room in the queue");
            }
            mixer.events().for_each(drop);
        });
        renderer.render(&mut block);
    }
    assert_eq!(mixer.stats().accepted, 64 + 20 * 50);
}

/// A thousand plays that end in one pass.
fn endings() {
    let (mixer, mut renderer) = mixer(1000, Interpolation::Linear);
    let blip = Sound::from_mono(common::RATE, &[0.1; 100]).expect("a blip");
    for _ in 0..1000 {
        mixer.play(&blip).expect("room in the queue");
    }
    measured_blocks(&mut renderer, 1);
    assert_eq!(mixer.stats().finished, 1000);
}

/// Slots that nobody is in.
fn eight_in_many() {
    let (mixer, mut renderer) = mixer(4096, Interpolation::Linear);
    fill(&mixer, &mut renderer, &both_kinds(), 1.0, 8);
    measured_blocks(&mut renderer, 20);
}
