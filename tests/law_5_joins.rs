//! Law 5 where plays join: one sine cut into pieces has no step that the sine has not, and no cross-fade clicks.

#[path = "common/clicks.rs"]
mod clicks;
mod common;

use clicks::{
    AFTER, BLOCKS, BOUND, HERTZ, PHASES, RATE, Say, largest_step, listen, open, own_step, steps,
};
use common::{mono, sine};
use voicepool::{Mixer, Play, Tag, VoiceId, ms};

/// As `clicks` has its sines.
const AMPLITUDE: f32 = 0.25;

fn quiet(samples: &[f32]) -> Vec<f32> {
    samples.iter().map(|sample| sample * AMPLITUDE).collect()
}

#[test]
fn a_sine_in_pieces_is_the_sine() {
    for hertz in HERTZ {
        for (cut, block) in
            [1, 37, 127, 128, 129, 300, 2000].into_iter().zip(BLOCKS.into_iter().cycle())
        {
            let whole = quiet(&sine(RATE, hertz, 0.1234, 4000));
            let (mixer, mut renderer) = open();
            let pieces = [&whole[..cut], &whole[cut..cut + 900], &whole[cut + 900..]];
            let mut last = None;
            for piece in pieces {
                last = mixer.play(Play::of(mono(RATE, piece)).after(last));
            }
            let mut heard = Vec::new();
            listen(&mut renderer, 4000, block, &mut heard);
            let [step, _] = largest_step(&heard);
            assert!(step <= 1.01 * own_step(hertz), "{hertz} Hz cut at {cut}: {step}");
            let differs = heard.iter().zip(&whole).position(|(frame, sample)| frame[0] != *sample);
            assert_eq!(differs, None, "{hertz} Hz cut at {cut}: to the bit");
        }
    }
}

/// For another that is silent, so that all that is heard is the one that goes.
fn goes(over: u64) -> impl Fn(&Mixer, VoiceId) {
    move |mixer, voice| _ = mixer.crossfade(voice, mono(RATE, &[0.0; 9000]), ms(over))
}

#[test]
fn what_goes_and_what_comes_make_no_step() {
    let (now, soon, slow) = (goes(0), goes(6), goes(40));
    let hurried = |mixer: &Mixer, voice| mixer.stop(voice, ms(0));
    let again: Say = &|mixer, _| _ = mixer.crossfade(Tag(5), mono(RATE, &[0.0; 9000]), ms(5));
    let from_fade = |play: Play| play.fade_in(ms(20)).tag(5);
    let plain = |play: Play| play.tag(5);
    for hertz in 0..HERTZ.len() {
        for phase in (0..PHASES).step_by(3) {
            let all = [
                steps(hertz, phase, &plain, &[(0, &now)], AFTER),
                steps(hertz, phase, &plain, &[(0, &soon)], AFTER),
                steps(hertz, phase, &plain, &[(0, &slow)], 3000),
                steps(hertz, phase, &plain, &[(0, &slow), (500, &again)], 3000),
                steps(hertz, phase, &plain, &[(0, &slow), (500, &hurried)], 3000),
                steps(hertz, phase, &from_fade, &[(0, &slow)], 3000),
            ];
            for (way, step) in all.into_iter().enumerate() {
                let [left, right] = step;
                assert!(left.max(right) <= BOUND, "way {way}, {hertz}, {phase}: {left} {right}");
            }
        }
    }
}

/// The sine that comes, at any phase of it.
#[test]
fn what_comes_makes_no_step_either() {
    for (which, hertz) in HERTZ.into_iter().enumerate() {
        for phase in (0..PHASES).step_by(3) {
            for over in [0, 6, 40] {
                let (mixer, mut renderer) = open();
                let mut heard = Vec::new();
                listen(&mut renderer, 128, 128, &mut heard);
                mixer.crossfade(None, Play::of(&clicks::SINES[which][phase]).looping(), ms(over));
                listen(&mut renderer, 3000, BLOCKS[phase % 4], &mut heard);
                let [step, _] = largest_step(&heard);
                assert!(
                    step <= BOUND * own_step(hertz),
                    "{hertz} Hz, {phase}, over {over}: {step}"
                );
            }
        }
    }
}
