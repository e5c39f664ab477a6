//! What a change does to a sine: the largest step from sample to sample that it makes, beside the
//! sine's own.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::sync::LazyLock;

use voicepool::{BusId, Config, Frame, Mixer, Play, Priority, Renderer, Sound, VoiceId};

use crate::common::{mono, sine};

pub const RATE: u32 = 48_000;
pub const HERTZ: [f64; 5] = [100.0, 220.0, 440.0, 1000.0, 3000.0];
pub const PHASES: usize = 64;
pub const BLOCKS: [usize; 4] = [37, 128, 512, 1000];
/// A tenth of a second: whole turns of every sine, so that its seam is as smooth as the rest.
const CLIP: usize = 4800;
/// Quiet enough that no gain used here meets the ceiling.
const AMPLITUDE: f32 = 0.25;
pub const BOUND: f32 = 1.5;
/// What a sine that begins at its own gain and speed steps at the least, in steps of its own: more than half a turn of
/// each is heard before anything it is told is carried out.
pub const HEARD: f32 = 0.9;
pub const BUS: BusId = BusId::new(3);
/// How long to listen after a change: 10 ms, and the two quanta until it is carried out.
pub const AFTER: usize = 480 + 256;

/// Commands act on the grid, so it is the sine's own phase that varies.
pub static SINES: LazyLock<Vec<Vec<Sound>>> = LazyLock::new(|| {
    let wave = |hertz, phase: usize| {
        let turns = phase as f64 / PHASES as f64;
        let samples = sine(RATE, hertz, turns, CLIP);
        mono(RATE, &samples.iter().map(|sample| sample * AMPLITUDE).collect::<Vec<_>>())
    };
    HERTZ.map(|hertz| (0..PHASES).map(|phase| wave(hertz, phase)).collect()).into()
});

/// The largest step a sine makes from sample to sample.
pub fn own_step(hertz: f64) -> f32 {
    AMPLITUDE * (2.0 * (std::f64::consts::PI * hertz / f64::from(RATE)).sin()) as f32
}

/// The largest step on each side.
pub fn largest_step(frames: &[Frame]) -> Frame {
    let mut worst = [0.0f32; 2];
    for pair in frames.windows(2) {
        for side in [0, 1] {
            worst[side] = worst[side].max((pair[1][side] - pair[0][side]).abs());
        }
    }
    worst
}

pub fn listen(renderer: &mut Renderer, frames: usize, block: usize, heard: &mut Vec<Frame>) {
    let end = heard.len() + frames;
    while heard.len() < end {
        heard.extend(renderer.frames(block.min(end - heard.len())));
    }
}

/// Two voices, and room for two to park.
pub fn open() -> (Mixer, Renderer) {
    let sizes = Config { voices: 2, max_voices: 2, parked: 2, scheduled: 2, ..Config::DEFAULT };
    Mixer::offline(Config { commands: 32, ..sizes }).expect("a good config")
}

/// Something that is said to a playing sine.
pub type Say<'a> = &'a dyn Fn(&Mixer, VoiceId);
/// The same, so many frames after the first such thing.
pub type Act<'a> = (usize, Say<'a>);

/// Plays one sine of `HERTZ` at one phase, says things to it, and listens from just before to
/// `after` frames after. The largest steps are told in steps of the sine itself. Silence has none, so it must be heard.
pub fn steps(
    hertz: usize,
    phase: usize,
    play: &dyn Fn(Play) -> Play,
    acts: &[Act],
    after: usize,
) -> Frame {
    let (mixer, mut renderer) = open();
    let sound = &SINES[hertz][phase];
    let voice = mixer.play(play(Play::of(sound).looping().bus(BUS))).expect("there is room");
    // It takes the second voice and gives it to nobody, so a newcomer has to rob the sine.
    let silence = mono(RATE, &[0.0; 100]);
    mixer.play(Play::of(&silence).looping().priority(Priority::Protected));
    let block = BLOCKS[phase % BLOCKS.len()];
    let mut heard = Vec::new();
    // The beginning is the author's.
    listen(&mut renderer, 128, block, &mut heard);
    heard.clear();
    listen(&mut renderer, 128, block, &mut heard);
    let mut said = 0;
    for (at, act) in acts {
        listen(&mut renderer, at - said, block, &mut heard);
        act(&mixer, voice);
        said = *at;
    }
    listen(&mut renderer, after, block, &mut heard);
    assert!(mixer.stats().peak.iter().all(|peak| *peak < 1.0), "the ceiling stays out of it");
    // Some begin silent, or fade in: none stays as quiet as that.
    let is_heard = heard.iter().flatten().any(|sample| sample.abs() > AMPLITUDE / 5.0);
    assert!(is_heard, "{} Hz, {phase}/64, is not heard", HERTZ[hertz]);
    largest_step(&heard).map(|step| step / own_step(HERTZ[hertz]))
}
