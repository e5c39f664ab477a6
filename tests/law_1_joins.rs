//! Laws 1 and 3 with plays that follow others and go for others, under every policy: `Renderer::render` never
//! calls the allocator, and every play has one ending.

#[path = "common/allocator.rs"]
mod allocator;
mod common;
#[path = "joins/game.rs"]
mod game;

use std::collections::HashSet;

use allocator::heap_calls;
use common::{POLICIES, assert_balanced};
use voicepool::{Event, Mixer, Renderer, ms};

#[test]
fn joins_call_no_allocator_and_every_play_has_one_ending() {
    for (seed, policy) in POLICIES.into_iter().cycle().take(24).enumerate() {
        let (mixer, mut renderer) = game::open(policy);
        let mut told = HashSet::new();
        let mut hear = |mixer: &Mixer| {
            for event in mixer.events() {
                if let Event::Ended { voice, .. } = event {
                    assert!(told.insert(voice), "one ending for each");
                }
            }
        };
        let mut out = [[0.0; 2]; 640];
        let render = |renderer: &mut Renderer, frames: u64| {
            let ((), calls) = heap_calls(|| renderer.render(&mut out[..frames as usize]));
            assert_eq!(calls, 0, "the audio side called the allocator");
            assert!(out.iter().flatten().all(|sample| sample.abs() <= 1.0));
            let stats = mixer.stats();
            assert_balanced(&stats);
            // What the renderer has beside what is on its way home is what the books say is live.
            assert_eq!(stats.playing + stats.parked + stats.scheduled, stats.live, "{stats}");
            hear(&mixer);
        };
        game::play(seed as u64, &mixer, &mut renderer, render);
        mixer.stop_all(ms(0));
        renderer.frames(2048);
        hear(&mixer);
        let stats = mixer.stats();
        assert_eq!((stats.live, told.len() as u64 + stats.missed_events), (0, stats.accepted));
    }
}

/// Whatever still waits for somebody comes home with a renderer that goes.
#[test]
fn a_renderer_that_is_dropped_ends_every_chain() {
    for seed in 0..8 {
        let (mixer, mut renderer) = game::open(POLICIES[seed as usize % 4]);
        game::play(seed, &mixer, &mut renderer, |renderer, frames| {
            renderer.frames(frames as usize);
        });
        drop(renderer);
        assert_balanced(&mixer.stats());
        assert_eq!(mixer.stats().live, 0);
    }
}
