//! Law 9 in space: whatever the game does while it says where things are, nothing waits for itself, and a
//! renderer that is gone is no reason to panic.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::{assert_balanced, mono};
use voicepool::{Config, Listener, Mixer, Play, Renderer, Tag, VoiceId, ms};

fn open() -> (Mixer, Renderer, Vec<VoiceId>) {
    let config = Config { sample_rate: 1000, ..Config::default() };
    let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
    let hum = mono(1000, &[0.1; 1000]);
    let play = |n| mixer.play(Play::of(&hum).looping().at([0.0, 1.0]).tag(n));
    let voices = (0..20).filter_map(play).collect();
    renderer.frames(300);
    (mixer, renderer, voices)
}

/// The iterator asks the mixer, plays, stops and moves: with a lock held, any of that would wait for ever.
#[test]
fn an_iterator_of_moves_may_call_the_mixer() {
    let (mixer, mut renderer, voices) = open();
    let hum = mono(1000, &[0.1; 1000]);
    mixer.set_positions(voices.iter().map(|voice| {
        mixer.set_position(*voice, [9.0, 9.0]);
        mixer.set_listener(Listener::DEFAULT);
        mixer.play(&hum);
        mixer.stats();
        let live = mixer.is_live(*voice);
        (*voice, [if live { 1.0 } else { 2.0 }, 0.0])
    }));
    mixer.set_occlusions(
        voices.iter().map(|voice| {
            mixer.set_occlusions([(*voice, 1.0)], ms(0));
            mixer.events().for_each(drop);
            (*voice, 0.0)
        }),
        ms(0),
    );
    // To be made into a point, and into a target, may call it as well: whatever is done, it is done before.
    let places = [[1.0f32, 0.0]; 4];
    mixer.set_positions(places.iter().zip(0..).map(|(place, tag)| {
        mixer.stop(Tag(tag + 10), ms(0));
        (Tag(tag), *place)
    }));
    renderer.frames(1000);
    assert_balanced(&mixer.stats());
    mixer.voices();
    renderer.frames(300);
    let rows = mixer.voices();
    let placed = rows.iter().filter(|row| voices.contains(&row.voice));
    assert!(placed.clone().count() > 10);
    assert!(placed.clone().all(|row| row.pan == 1.0), "what was said last holds");
}

/// An iterator that panics leaves the mixer as it was.
#[test]
fn an_iterator_that_panics_leaves_the_mixer_whole() {
    let (mixer, mut renderer, voices) = open();
    let result = catch_unwind(AssertUnwindSafe(|| {
        mixer.set_positions(voices.iter().enumerate().map(|(n, voice)| {
            if n == 7 {
                std::panic::resume_unwind(Box::new(()));
            }
            (*voice, [500.0, 0.0])
        }));
    }));
    assert!(result.is_err());
    renderer.frames(1000);
    assert_eq!((mixer.stats().playing, mixer.stats().parked), (20, 0), "nobody was moved");
    mixer.set_positions(voices.iter().map(|voice| (*voice, [500.0, 0.0])));
    renderer.frames(1000);
    assert_eq!((mixer.stats().playing, mixer.stats().parked), (0, 20));
}

/// An empty frame says nothing, and a gone renderer hears nothing.
#[test]
fn moves_that_nobody_hears_are_no_reason_to_panic() {
    let (mixer, renderer, voices) = open();
    mixer.set_positions(std::iter::empty::<(VoiceId, [f32; 2])>());
    mixer.set_occlusions(std::iter::empty::<(VoiceId, f32)>(), ms(0));
    // Some are on their way when it goes.
    for n in 0..2000 {
        mixer.set_positions(voices.iter().map(|voice| (*voice, [n as f32, 0.0])));
        mixer.set_listener(Listener::at([n as f32, 0.0]));
    }
    drop(renderer);
    mixer.set_positions(voices.iter().map(|voice| (*voice, [9.0, 0.0])));
    mixer.teleport_listener(Listener::DEFAULT);
    mixer.set_occlusion(voices[0], 1.0, ms(0));
    let stats = mixer.stats();
    assert_balanced(&stats);
    assert_eq!((stats.live, stats.stopped), (0, 20));
}
