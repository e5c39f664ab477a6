//! Law 7, a stale id touches nothing: not after its voice ended, not in another mixer.

mod common;

use std::collections::HashSet;

use common::{Random, bits, endings, mono, noise};
use voicepool::{BusId, Config, Frame, Mixer, Play, Priority, Renderer, Sound, VoiceId, ms};

const RATE: u32 = 1000;

/// Eight tickets in all, so that each is used again and again.
fn tiny() -> (Mixer, Renderer) {
    let config = Config {
        voices: 2,
        max_voices: 2,
        parked: 1,
        scheduled: 1,
        commands: 4,
        sample_rate: RATE,
        ..Config::default()
    };
    Mixer::offline(config).unwrap()
}

/// Says everything that can be said about a voice.
fn all_controls(mixer: &Mixer, voice: Option<VoiceId>) {
    mixer.set_gain(voice, 0.0, ms(0));
    mixer.set_pan(voice, 1.0, ms(3));
    mixer.set_speed(voice, 9.0, ms(70));
    mixer.seek(voice, ms(77));
    mixer.pause(voice, ms(0));
    mixer.resume(voice, ms(0));
    mixer.pause(voice, ms(0));
    mixer.set_mute(voice, true);
    mixer.end_loop(voice);
    mixer.stop(voice, ms(0));
    assert!(!mixer.is_live(voice), "{voice:?}");
}

/// What was heard and what was told.
type Outcome = (Vec<[u32; 2]>, Vec<String>);

/// A random game on a tiny mixer, and the same on its twin, whose ids differ in nothing but the
/// mixer they belong to.
fn run(seed: u64, mut stale: impl FnMut(&Mixer, &[VoiceId], &[VoiceId])) -> Outcome {
    let ((mixer, mut renderer), (twin, mut twin_renderer)) = (tiny(), tiny());
    let clips = [30, 200, 900].map(|frames| mono(RATE, &noise(frames, frames as usize)));
    let (mut heard, mut told, mut dead) = (Vec::new(), Vec::new(), Vec::new());
    let (mut alive, mut twins) = (Vec::new(), Vec::new());
    let mut random = Random(seed);
    for tag in 0..600 {
        let mut play = Play::of(random.pick(&clips)).tag(tag).gain(random.unit());
        match random.below(5) {
            0 => play = play.looping(),
            1 => play = play.delay(ms(random.below(300))),
            2 => play = play.priority(Priority::High),
            _ => (),
        }
        let voice = mixer.play(&play);
        told.push(format!("{tag}: {}", voice.is_some()));
        alive.extend(voice);
        twins.extend(twin.play(&play));
        let (some, gain) = (*random.pick(&[voice, alive.first().copied()]), random.unit());
        match random.below(4) {
            0 => mixer.set_gain(some, gain, ms(20)),
            1 => mixer.stop(some, ms(50)),
            _ => (),
        }
        stale(&mixer, &dead, &twins[twins.len().saturating_sub(8)..]);
        let frames = random.below(150) as usize;
        heard.extend(renderer.frames(frames));
        twin_renderer.frames(frames);
        for (voice, why) in endings(&mixer) {
            alive.retain(|live| *live != voice);
            dead.push(voice);
            told.push(format!("{} of {tag}: {:.4}", dead.len(), format!("{why:?}")));
        }
        twin.stats();
    }
    let stats = mixer.stats();
    assert!(stats.accepted > 400 && stats.stolen > 50 && stats.finished > 50, "{stats}");
    let once: HashSet<_> = dead.iter().collect();
    assert_eq!(once.len(), dead.len(), "no id is used twice");
    told.push(stats.to_string());
    (bits(&heard), told)
}

/// Whatever is said to those that are gone, to voices of another mixer, or to nobody: nothing
/// else is heard or told, though their tickets are long in other hands.
#[test]
fn stale_and_foreign_ids_and_none_do_nothing() {
    for seed in 1..4 {
        let untouched = run(seed, |_, _, _| ());
        let stale = run(seed, |mixer, dead, _| {
            let recent = dead.len().saturating_sub(12);
            let (oldest, newest) = (dead.iter().take(3), dead.iter().skip(recent));
            oldest.chain(newest).for_each(|voice| all_controls(mixer, Some(*voice)));
        });
        assert!(stale == untouched, "seed {seed}: a dead voice's id did something");
        let foreign = run(seed, |mixer, _, twins| {
            twins.iter().for_each(|voice| all_controls(mixer, Some(*voice)));
        });
        assert!(foreign == untouched, "seed {seed}: another mixer's id did something");
        let none = run(seed, |mixer, _, _| all_controls(mixer, None));
        assert!(none == untouched, "seed {seed}: no id at all did something");
    }
}

/// The sound of one play on a mixer that has nothing else to do.
fn alone(sound: &Sound, frames: usize) -> Vec<Frame> {
    let (mixer, mut renderer) = tiny();
    mixer.play(sound).expect("room");
    renderer.frames(frames)
}

/// A control that met a full queue, and whose voice ends before it is sent, goes with it: the
/// next play gets the very same ticket, and is left alone.
#[test]
fn a_control_that_waits_does_not_outlive_its_play() {
    let (mixer, mut renderer) = tiny();
    let (short, long) = (mono(RATE, &[0.5; 40]), mono(RATE, &noise(5, 400)));
    for _ in 0..20 {
        let voice = mixer.play(&short);
        renderer.frames(256 - 1);
        let last = mixer.play(Play::of(&short).delay(ms(60)));
        (0..4).for_each(|_| mixer.set_gain(BusId::new(9), 1.0, ms(0)));
        assert!(mixer.is_live(last) && !mixer.is_live(voice));
        mixer.set_gain(last, 0.0, ms(0));
        mixer.set_pan(last, 1.0, ms(0));
        mixer.set_speed(last, 5.0, ms(0));
        mixer.pause(last, ms(0));
        mixer.stop(last, ms(0));
        // It ends by itself, while all of that still waits.
        renderer.frames(1 + 128);
        let next = mixer.play(&long);
        assert!(next.is_some() && !mixer.is_live(last));
        // It begins on the line after the one that is mixed already.
        let heard = renderer.frames(128 + 512);
        assert!(bits(&heard[128..]) == bits(&alone(&long, 512)));
    }
}

/// Controls that stand in the queue behind the play that robs their voice do not reach the thief.
#[test]
fn controls_behind_a_thief_in_the_queue_do_not_reach_it() {
    let sound = mono(RATE, &noise(6, 300));
    let run = |meddles: bool| {
        let (mixer, mut renderer) = tiny();
        let silence = mono(RATE, &[0.0; 900]);
        let victims = [mixer.play(&silence), mixer.play(&silence)];
        renderer.frames(128);
        mixer.play(&sound).expect("room");
        mixer.play(&sound).expect("room");
        if meddles {
            assert!(victims.iter().all(|voice| mixer.is_live(*voice)), "the game has not heard");
            mixer.set_gain(victims[0], 0.0, ms(0));
            mixer.stop(victims[1], ms(0));
        }
        let heard = renderer.frames(512);
        assert_eq!((mixer.stats().stolen, mixer.stats().finished), (2, 2));
        bits(&heard)
    };
    assert_eq!(run(true), run(false));
}

/// The ticket of one that has finished is another's by now: that one is not what a play is to follow, nor what
/// goes for it.
#[test]
fn a_stale_id_is_neither_followed_nor_faded_out() {
    let (mixer, mut renderer) = tiny();
    let (blip, hum) = (mono(RATE, &[0.1; 10]), Play::of(mono(RATE, &[0.25; 900])));
    let stale = mixer.play(&blip);
    renderer.frames(128);
    assert_eq!(endings(&mixer).len(), 1);
    // The ticket that was freed last is given out first.
    let hum = hum.priority(Priority::Protected);
    let other = mixer.play(&hum);
    renderer.frames(256);
    mixer.play(Play::of(&blip).after(stale)).expect("room");
    mixer.crossfade(stale, &hum, ms(0)).expect("room");
    renderer.frames(256);
    assert_eq!(mixer.stats().scheduled, 0, "nobody waits");
    assert!(mixer.is_live(other) && mixer.stats().stopped == 0);
}

/// An id that was made into a number and back is the same id, and no other number is one.
#[test]
fn an_id_made_of_a_number_means_what_it_meant_and_no_other_does_anything() {
    let (mixer, mut renderer) = tiny();
    let (twin, mut twin_renderer) = tiny();
    let hum = Play::of(mono(RATE, &[0.1; 100])).looping();
    let [voice, foreign] = [&mixer, &twin].map(|it| it.play(&hum).expect("room in the queue"));
    renderer.frames(256);
    twin_renderer.frames(256);
    let bits = voice.to_bits();
    assert_ne!(bits, foreign.to_bits());
    assert_eq!(VoiceId::from_bits(bits), voice);
    let strangers = (0..128).map(|bit| bits ^ 1 << bit).chain([0, u128::MAX, foreign.to_bits()]);
    for stranger in strangers.map(VoiceId::from_bits) {
        assert!(!mixer.is_live(stranger));
        all_controls(&mixer, Some(stranger));
        assert_eq!(mixer.position(stranger), None);
    }
    renderer.frames(256);
    assert!(mixer.is_live(voice) && renderer.frames(1)[0] == [0.1; 2]);
    mixer.stop(VoiceId::from_bits(bits), ms(0));
    renderer.frames(256);
    assert!(!mixer.is_live(voice));
    assert!(twin.is_live(VoiceId::from_bits(foreign.to_bits())));
}
