//! Plays the golden scene, prints a line for each act, and fails if one is not golden. `--told` prints what was
//! told, too, to see where two systems part.

use golden::scene::{self, Scene};

fn main() {
    let mut scene = Scene::new();
    scene.play_out();
    if std::env::args().any(|argument| argument == "--told") {
        scene.outcomes.iter().for_each(|outcome| print!("{}", outcome.told));
    }
    let report = scene.report();
    print!("{report}");
    if report != scene::golden() {
        eprintln!("not golden, which is:\n{}", scene::golden());
        std::process::exit(1);
    }
}
