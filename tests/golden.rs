//! Law 4, the same bits: on every system. A busy scene whose hashes are in `golden/golden.txt`.

#[path = "golden/scene/mod.rs"]
mod scene;

use scene::{GOLDEN, Scene, differing};

#[test]
fn the_scene_gives_the_golden_bits_and_says_everything() {
    let mut scene = Scene::new();
    scene.play_out();
    let report = scene.report();
    assert!(differing(&report).is_empty(), "not golden:\n{report}");
    every_way_to_end_and_to_park_is_in(&scene);
}

/// A golden that has little in it shows little.
fn every_way_to_end_and_to_park_is_in(scene: &Scene) {
    let told = |name: &str| {
        let act = scene.outcomes.iter().find(|outcome| outcome.name == name);
        act.map_or("", |outcome| &outcome.told)
    };
    for (act, kinds) in [
        ("storm", &["Finished", "Stopped", " stolen by", "parked stolen", "unparked"][..]),
        ("storm", &["started", "Shrunk", "parked Paused", "PoolFull", "ScheduleFull", "Stopping"]),
        ("house", &[" stolen by", "BusFull", "NotFinite", "parked stolen", "unparked"]),
        ("world", &["parked Inaudible", "unparked", "parked PoolFull", "why: PoolFull"]),
        ("music", &["merged into", "Cooldown", "CueFull", "Stranger", "started", " stolen by"]),
    ] {
        for kind in kinds {
            assert!(told(act).contains(kind), "nothing is {kind} in {act}");
        }
    }
    if cfg!(feature = "formats") {
        for kind in ["NoStream", "parked stolen", "unparked", "started"] {
            assert!(told("streams").contains(kind), "nothing is {kind} in streams");
        }
        assert!(!told("streams").contains("underrun"));
    }
}

#[test]
fn every_act_has_its_golden_line() {
    let names: Vec<_> = GOLDEN.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, ["storm", "house", "world", "music", "codecs", "streams"]);
}
