//! Scenes of places: what moves, who listens, and what is out of earshot.

use voicepool::{Attenuation, Listener, Mixer, Play, Renderer, VoiceId};

use crate::common::{self, BLOCK, Bits, clips, round};
use crate::{faint, measured, roomy};

/// A mixer of so many faint loops, each with a place, which have come to rest.
fn placed(many: usize, attenuation: Attenuation) -> (Mixer, Renderer, Vec<VoiceId>) {
    let (mixer, mut renderer) = roomy(many, many);
    let play = |(n, play): (usize, Play)| {
        let play = play.at(round(n, 0)).attenuation(attenuation);
        mixer.play(play).expect("room in the queue")
    };
    let loops = clips(Bits::F32).iter().cycle().take(many).map(faint);
    let voices = loops.enumerate().map(play).collect();
    renderer.frames(common::RATE as usize / 4);
    assert_eq!(mixer.stats().playing, many);
    (mixer, renderer, voices)
}

/// Both sides of all voices moved at once, before every block.
fn moved(many: usize, attenuation: Attenuation) {
    let (mixer, mut renderer, voices) = placed(many, attenuation);
    let places = |frame| voices.iter().zip(0..).map(move |(voice, n)| (*voice, round(n, frame)));
    let moves: Vec<Vec<(VoiceId, [f32; 3])>> =
        (1..=10).map(|frame| places(frame).collect()).collect();
    let mut block = [[0.0; 2]; BLOCK];
    measured(|| {
        for moves in moves {
            mixer.set_positions(moves);
            renderer.render(&mut block);
        }
    });
    assert_eq!(mixer.stats().playing, many);
}

/// Voices that move.
pub fn moving(many: usize) {
    moved(many, Attenuation::DEFAULT);
}

/// Voices that move, and whose pitch follows.
pub fn doppler(many: usize) {
    moved(many, Attenuation { doppler: 1.0, ..Attenuation::DEFAULT });
}

/// Voices that stand, and a listener who is elsewhere before every block.
pub fn listener(many: usize) {
    let (mixer, mut renderer, _) = placed(many, Attenuation::DEFAULT);
    let mut block = [[0.0; 2]; BLOCK];
    measured(|| {
        for frame in 1..=10 {
            mixer.set_listener(Listener::at([0.1 * frame as f32, 0.0]));
            renderer.render(&mut block);
        }
    });
    assert_eq!(mixer.stats().playing, many);
}

/// So many out of earshot, and a listener who is elsewhere on every line of a quarter of a second.
pub fn torches(many: usize) {
    let (mixer, mut renderer) = roomy(8, many);
    for (n, clip) in clips(Bits::F32).iter().cycle().take(many).enumerate() {
        let [x, y, z] = round(n, 0);
        mixer.play(faint(clip).at([x + 200.0, y, z])).expect("room in the queue");
    }
    renderer.frames(256);
    assert_eq!(mixer.stats().parked, many);
    let mut quantum = [[0.0; 2]; 128];
    measured(|| {
        for line in 0..94 {
            mixer.set_listener(Listener::at([0.01 * line as f32, 0.0]));
            renderer.render(&mut quantum);
        }
    });
    assert_eq!(mixer.stats().parked, many);
}
