//! Plays the golden scene, prints a line for each act, and fails if one is not golden. `--told` prints what was
//! told, too, to see where two systems part.

use golden::scene::{Scene, differing};

fn main() {
    let mut scene = Scene::new();
    scene.play_out();
    if std::env::args().any(|argument| argument == "--told") {
        scene.outcomes.iter().for_each(|outcome| print!("{}", outcome.told));
    }
    let report = scene.report();
    print!("{report}");
    let differing = differing(&report);
    if !differing.is_empty() {
        eprintln!("not golden:\n{}", differing.join("\n"));
        std::process::exit(1);
    }
}
