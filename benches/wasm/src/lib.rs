//! A full pool, rendered in quanta as an audio worklet does: what a host asks for, natively or from JavaScript.

#[allow(dead_code, reason = "the other benches play more")]
#[path = "../../common/mod.rs"]
mod common;

use std::cell::RefCell;

use common::{Bits, clips, fill, mixer};
use voicepool::{Interpolation, Mixer, Renderer};

pub const VOICES: usize = 256;
/// Frames that are asked for at once: those of a worklet.
const QUANTUM: usize = 128;
/// A speed at which every frame lies between two.
const ASKEW: f32 = 1.1892;

/// The scenes: every way to read, of samples kept in either way.
pub const SCENES: [&str; 8] = [
    "unity f32",
    "unity i16",
    "linear f32",
    "linear i16",
    "cubic f32",
    "cubic i16",
    "sinc f32",
    "sinc i16",
];

thread_local! {
    static SCENE: RefCell<Option<Scene>> = const { RefCell::new(None) };
}

struct Scene {
    _mixer: Mixer,
    renderer: Renderer,
    hash: u64,
}

impl Scene {
    fn new(index: usize) -> Scene {
        let (speed, interpolation) = [
            (1.0, Interpolation::Linear),
            (ASKEW, Interpolation::Linear),
            (ASKEW, Interpolation::Cubic),
            (ASKEW, Interpolation::Sinc),
        ][index / 2];
        let (mixer, mut renderer) = mixer(VOICES, interpolation);
        fill(&mixer, &mut renderer, clips([Bits::F32, Bits::I16][index % 2]), speed, VOICES);
        Scene { _mixer: mixer, renderer, hash: 0xcbf2_9ce4_8422_2325 }
    }

    /// Renders so many quanta. Of each the last frame goes into the hash, so that to look at it takes no time.
    fn render(&mut self, quanta: u32) {
        let mut quantum = [[0.0; 2]; QUANTUM];
        for _ in 0..quanta {
            self.renderer.render(&mut quantum);
            for sample in quantum[QUANTUM - 1] {
                self.hash ^= u64::from(sample.to_bits());
                self.hash = self.hash.wrapping_mul(0x100_0000_01b3);
            }
        }
    }
}

/// Begins one of the scenes anew.
#[unsafe(no_mangle)]
pub extern "C" fn begin(scene: u32) {
    SCENE.set(Some(Scene::new(scene as usize)));
}

/// Renders so many quanta of it, and tells the hash of all that it has rendered since it began.
#[unsafe(no_mangle)]
pub extern "C" fn render(quanta: u32) -> u64 {
    SCENE.with_borrow_mut(|scene| {
        let scene = scene.as_mut().expect("a scene that began");
        scene.render(quanta);
        scene.hash
    })
}
