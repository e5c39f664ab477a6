//! Scenes of plays that follow others, and of plays that go for others.

use voicepool::{BusId, Config, Mixer, Play, Renderer, Sound, VoiceId, ms};

use crate::common::{Bits, clips};
use crate::{faint, measured, roomy};

fn quantum(renderer: &mut Renderer) {
    let mut quantum = [[0.0; 2]; 128];
    measured(|| renderer.render(&mut quantum));
}

/// A clip that finishes in the quantum that is rendered third: on its first frame, as the look-ahead has it.
fn leader(frames: usize) -> Sound {
    Sound::from_mono(48_000, &vec![1e-4; frames]).expect("a sound")
}

/// So many plays follow one, and all begin on the frame on which it finishes.
pub fn followers(many: usize) {
    let (mixer, mut renderer) = roomy(many, many);
    let first = mixer.play(leader(420));
    for clip in clips(Bits::F32).iter().cycle().take(many) {
        mixer.play(faint(clip).after(first)).expect("room in the queue");
    }
    renderer.frames(256);
    assert_eq!(mixer.stats().scheduled, many);
    quantum(&mut renderer);
    assert_eq!((mixer.stats().scheduled, mixer.stats().playing), (0, many));
}

/// So many voices are handed on, on one frame.
pub fn handovers(many: usize) {
    let (mixer, mut renderer) = roomy(many, many);
    let clip = leader(420);
    let leaders: Vec<Option<VoiceId>> = (0..many).map(|_| mixer.play(&clip)).collect();
    for (leader, clip) in leaders.iter().zip(clips(Bits::F32).iter().cycle()) {
        mixer.play(faint(clip).after(*leader)).expect("room in the queue");
    }
    renderer.frames(256);
    assert_eq!(mixer.stats().scheduled, many);
    quantum(&mut renderer);
    assert_eq!((mixer.stats().scheduled, mixer.stats().finished), (0, many as u64));
}

/// A chain of so many: the first finishes, and all but the last are over as soon as they begin.
pub fn chain(many: usize) {
    let (mixer, mut renderer) = chained(many);
    quantum(&mut renderer);
    assert_eq!((mixer.stats().scheduled, mixer.stats().playing), (0, 1));
}

/// The same chain, whose first is stopped.
pub fn orphans(many: usize) {
    let (mixer, mut renderer) = chained(many);
    mixer.stop(BusId::new(1), ms(1000));
    quantum(&mut renderer);
    assert_eq!((mixer.stats().scheduled, mixer.stats().stopped), (0, many as u64));
}

fn chained(many: usize) -> (Mixer, Renderer) {
    let (mixer, mut renderer) = roomy(8, many);
    let clip = leader(420);
    let mut last = mixer.play(Play::of(&clip).bus(BusId::new(1)));
    for _ in 1..many {
        last = mixer.play(Play::of(&clip).from_position(ms(100)).after(last));
    }
    mixer.play(faint(&clip).after(last)).expect("room in the queue");
    renderer.frames(256);
    assert_eq!(mixer.stats().scheduled, many);
    (mixer, renderer)
}

/// So many go one for the other on one line, each for whatever plays.
pub fn crossfades(many: usize) {
    let config = Config { voices: 2 * many, max_voices: 2 * many, ..Config::default() };
    let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
    for clip in clips(Bits::F32).iter().cycle().take(many) {
        mixer.play(faint(clip)).expect("room in the queue");
    }
    renderer.frames(256);
    for clip in clips(Bits::F32).iter().cycle().take(many) {
        mixer.crossfade(BusId::MASTER, faint(clip), ms(200)).expect("room in the queue");
    }
    let mut block = [[0.0; 2]; 1280];
    measured(|| renderer.render(&mut block));
    assert_eq!((mixer.stats().playing, mixer.stats().stopped), (many + 1, many as u64 - 1));
}
