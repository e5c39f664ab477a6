//! Law 5, cues: what is merged makes another louder without a click, to the power of both, and what the game
//! says of its gain is its own.

#[path = "common/clicks.rs"]
mod clicks;
mod common;

use clicks::{BLOCKS, BOUND, HERTZ, PHASES, RATE, SINES, largest_step, listen, own_step};
use common::{endings, mono, noise};
use voicepool::{
    Config, Cue, Ending, Frame, Mixer, Order, Play, Refusal, Renderer, Sound, VoiceId, ms, to_db,
};

fn open() -> (Mixer, Renderer) {
    Mixer::offline(Config { voices: 4, commands: 64, ..Config::DEFAULT }).expect("a good config")
}

/// A loop that others go into for a second.
fn merging(sound: &Sound) -> Cue {
    Cue::of([Play::of(sound).looping()]).expect("a variant").merge_within(ms(1000))
}

/// How loud frames are, as the mean of both sides' power.
fn power(frames: &[Frame]) -> f64 {
    let square = |sample: &f32| f64::from(*sample).powi(2);
    frames.iter().flatten().map(square).sum::<f64>() / (2 * frames.len()) as f64
}

/// A sine into which others of several gains go, one after another, while a ramp is under way: the largest
/// step, in steps of the sine at its loudest.
fn worst_step(hertz: usize, phase: usize, gains: &[f32], apart: usize) -> f32 {
    let (mixer, mut renderer) = open();
    let (cue, block) = (merging(&SINES[hertz][phase]), BLOCKS[phase % BLOCKS.len()]);
    mixer.play(&cue);
    let mut heard = Vec::new();
    listen(&mut renderer, 256, block, &mut heard);
    heard.clear();
    listen(&mut renderer, 128, block, &mut heard);
    for gain in gains {
        mixer.play(Play::of(&cue).gain(*gain));
        listen(&mut renderer, apart, block, &mut heard);
    }
    listen(&mut renderer, 1000, block, &mut heard);
    assert_eq!(mixer.stats().refused, gains.len() as u64);
    assert!(mixer.stats().peak.iter().all(|peak| *peak < 1.0), "the ceiling stays out of it");
    let loudest = (1.0 + gains.iter().map(|gain| gain * gain).sum::<f32>()).sqrt();
    let [left, right] = largest_step(&heard);
    left.max(right) / (loudest * own_step(HERTZ[hertz]))
}

#[test]
fn a_merge_does_not_click() {
    for (gains, apart) in [(&[1.0][..], 0), (&[3.0], 0), (&[1.0, 1.0, 1.0], 128), (&[0.5, 2.0], 37)]
    {
        for (hertz, frequency) in HERTZ.into_iter().enumerate() {
            for phase in 0..PHASES {
                let step = worst_step(hertz, phase, gains, apart);
                let which = format!("{frequency} Hz at {phase}, {gains:?} {apart} apart");
                assert!(step <= BOUND, "{step} steps: {which}");
            }
        }
    }
}

/// Noise beside noise: two of them merged have the power of two that are heard side by side.
#[test]
fn a_merge_has_the_power_of_both_within_a_tenth_of_a_decibel() {
    for gains in [vec![1.0], vec![0.5], vec![2.0], vec![1.0, 1.0], vec![0.3, 1.5, 0.7]] {
        for at_once in [true, false] {
            let sound = mono(RATE, &noise(3, 9600).iter().map(|it| it * 0.1).collect::<Vec<_>>());
            let (mixer, mut renderer) = open();
            let cue = merging(&sound);
            mixer.play(&cue);
            if !at_once {
                renderer.frames(500);
            }
            gains.iter().for_each(|gain| assert!(mixer.play(Play::of(&cue).gain(*gain)).is_some()));
            renderer.frames(1024);
            let heard = power(&renderer.frames(9600));
            let one = 0.01 * power(&noise(3, 9600).iter().map(|it| [*it; 2]).collect::<Vec<_>>());
            let both = one * gains.iter().map(|gain| f64::from(gain * gain)).sum::<f64>() + one;
            let apart = to_db((heard / both).sqrt() as f32);
            assert!(apart.abs() < 0.1, "{gains:?}: {apart} dB");
        }
    }
}

/// Of sounds that differ the levels tell: the one that is heard is as loud as both were together.
#[test]
fn variants_that_differ_merge_by_how_loud_they_are() {
    let (mixer, mut renderer) = open();
    let loud = mono(RATE, &noise(1, 9600).iter().map(|it| it * 0.2).collect::<Vec<_>>());
    let soft = mono(RATE, &noise(2, 9600).iter().map(|it| it * 0.1).collect::<Vec<_>>());
    let variants = [Play::of(&soft).looping(), Play::of(&loud).looping()];
    let cue = Cue::of(variants).expect("variants").order(Order::Sequence);
    let cue = cue.merge_within(ms(20));
    mixer.play(&cue);
    mixer.play(&cue);
    renderer.frames(1024);
    let heard = power(&renderer.frames(9600));
    let apart = to_db((heard / (0.01 + 0.04) * 3.0).sqrt() as f32);
    assert!(apart.abs() < 0.1, "{apart} dB");
}

/// The first frame of what begins together is as high as it will be: nobody has heard it yet.
#[test]
fn those_of_one_frame_begin_at_the_power_of_all() {
    let (mixer, mut renderer) = open();
    let cue = merging(&mono(RATE, &[0.25]));
    (0..4).for_each(|_| assert!(mixer.play(&cue).is_some()));
    assert_eq!(renderer.frames(600), vec![[0.5; 2]; 600]);
}

/// What a merge adds stays beside what the game sets, whichever comes first.
#[test]
fn a_gain_that_is_set_comes_on_top_of_a_merge() {
    let after = |frames: usize, say: &dyn Fn(&Mixer, VoiceId, &Cue)| {
        let (mixer, mut renderer) = open();
        let cue = merging(&mono(RATE, &[0.25]));
        let voice = mixer.play(&cue).expect("there is room");
        renderer.frames(256);
        say(&mixer, voice, &cue);
        renderer.frames(frames);
        let merged = endings(&mixer);
        assert!(matches!(
            merged[..],
            [(_, Ending::Refused { why: Refusal::Merged { into } })] if into == voice
        ));
        renderer.frames(1)[0][0]
    };
    let merge = |mixer: &Mixer, cue: &Cue| {
        mixer.play(Play::of(cue).gain(3f32.sqrt()));
    };
    let set = |mixer: &Mixer, voice| mixer.set_gain(voice, 0.5, ms(0));
    let close = |heard: f32, to: f32| assert!((heard / to - 1.0).abs() < 1e-3, "{heard}, not {to}");
    close(after(1000, &|mixer, _, cue| merge(mixer, cue)), 0.5);
    let both = |mixer: &Mixer, voice, cue: &Cue| {
        merge(mixer, cue);
        set(mixer, voice);
    };
    close(after(1000, &both), 0.25);
    let turned = |mixer: &Mixer, voice, cue: &Cue| {
        set(mixer, voice);
        merge(mixer, cue);
    };
    // What it was when it began is what the other is measured by.
    close(after(1000, &turned), 0.25);
}
