//! Natively: the frames as bytes into a file, and what was told to the standard output. With `--time`, how long 256
//! voices between their samples take, in nanoseconds for each frame of a voice.

use std::fs;
use std::time::Instant;

use voicepool::{Config, Mixer};
use voicepool_web_test::scene::{STEP, STEPS, Scene, config};

fn main() {
    let path = std::env::args().nth(1).expect("a file, or --time");
    if path == "--time" {
        let (mixer, mut renderer) =
            Mixer::offline(Config { voices: 256, ..Config::DEFAULT }).expect("a good config");
        Scene::new(mixer).storm();
        renderer.frames(48_000);
        let mut block = [[0.0; 2]; 128];
        let began = Instant::now();
        (0..3750).for_each(|_| renderer.render(&mut block));
        println!("{}", began.elapsed().as_nanos() as f64 / (3750.0 * 128.0 * 256.0));
        return;
    }
    let (mixer, mut renderer) = Mixer::offline(config()).expect("a good config");
    let mut scene = Scene::new(mixer);
    let mut bytes = Vec::new();
    let mut report = String::new();
    for step in 0..STEPS {
        scene.step(step);
        for sample in renderer.frames(STEP).as_flattened() {
            bytes.extend_from_slice(&sample.to_le_bytes());
        }
        report += &scene.report();
    }
    fs::write(path, bytes).expect("a file that can be written");
    print!("{report}");
}
