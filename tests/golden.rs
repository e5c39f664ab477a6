//! Law 4, the same bits: on every system. A busy scene whose hashes are in `golden/golden.txt`.

#[path = "golden/scene/mod.rs"]
mod scene;

use scene::Scene;

#[test]
fn the_scene_gives_the_golden_bits_and_has_everything_in_it() {
    let mut scene = Scene::new();
    scene.play_out();
    let report = scene.report();
    assert!(report == scene::golden(), "this is not golden:\n{report}");
    // One that has little in it shows little.
    for (act, kinds) in KINDS {
        let outcome = scene.outcomes.iter().find(|outcome| outcome.name == act);
        let Some(outcome) = outcome else {
            assert!(!cfg!(feature = "formats") && act == "streams", "{act} is not played");
            continue;
        };
        for kind in kinds {
            assert!(outcome.told.contains(kind), "nothing is {kind} in {act}");
        }
        assert!(!outcome.told.contains("underrun"), "{act} depends on who got his turn");
    }
}

/// What happens in which act.
const KINDS: [(&str, &[&str]); 6] = [
    ("storm", &["Finished", "Stopped", " stolen by", "started", "unparked", "ScheduleFull"]),
    ("storm", &["parked stolen", "parked Paused", "parked Shrunk", "parked PoolFull"]),
    ("house", &[" stolen by", "why: BusFull", "why: Inaudible", "NotFinite", "unparked"]),
    ("world", &["parked Inaudible", "parked BusFull", "why: BusFull", "unparked"]),
    ("music", &["merged into", "Cooldown", "why: CueFull", "parked CueFull", "Stranger"]),
    ("streams", &["NoStream", "parked PoolFull", "parked stolen", "unparked", "started"]),
];
