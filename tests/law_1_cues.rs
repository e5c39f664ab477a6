//! Laws 1 and 3 with cues, under every policy: `Renderer::render` never calls the allocator, and the books
//! balance with refusals of every kind.

#[path = "common/allocator.rs"]
mod allocator;
mod common;
#[path = "cues/game.rs"]
mod game;

use std::collections::{BTreeSet, HashSet};

use allocator::heap_calls;
use common::{POLICIES, assert_balanced};
use voicepool::{Ending, Event, Mixer, Parking, Refusal, Renderer, ms};

/// The allocator is left alone, and the books balance at every line; every reason to refuse or to park is met.
#[test]
fn cues_call_no_allocator_and_every_play_has_one_ending() {
    let mut seen = BTreeSet::new();
    for (seed, policy) in POLICIES.into_iter().cycle().take(12).enumerate() {
        let (mixer, mut renderer) = game::open(policy, 7);
        let mut told = HashSet::new();
        let mut hear = |mixer: &Mixer| {
            for event in mixer.events() {
                match event {
                    Event::Ended { voice, why, .. } => {
                        assert!(told.insert(voice), "one ending for each");
                        if let Ending::Refused { why } = why {
                            seen.insert(match why {
                                Refusal::Merged { .. } => "Merged".into(),
                                why => format!("{why:?}"),
                            });
                        }
                    }
                    Event::Parked { why: Parking::CueFull, .. } => {
                        seen.insert("parked: CueFull".into());
                    }
                    _ => (),
                }
            }
        };
        let mut out = [[0.0; 2]; 512];
        let render = |renderer: &mut Renderer, frames: u64| {
            let ((), calls) = heap_calls(|| renderer.render(&mut out[..frames as usize]));
            assert_eq!(calls, 0, "the audio side called the allocator");
            assert!(out.iter().flatten().all(|sample| sample.abs() <= 1.0));
            assert_balanced(&mixer.stats());
            hear(&mixer);
        };
        game::play(seed as u64, policy, &mixer, &mut renderer, render);
        mixer.stop_all(ms(0));
        renderer.frames(2048);
        hear(&mixer);
        let stats = mixer.stats();
        assert_eq!((stats.live, told.len() as u64 + stats.missed_events), (0, stats.accepted));
    }
    let all = [
        "BusFull",
        "Cooldown",
        "CueFull",
        "Inaudible",
        "Merged",
        "PoolFull",
        "ScheduleFull",
        "parked: CueFull",
    ];
    assert!(seen.iter().eq(all), "{seen:?}");
}
