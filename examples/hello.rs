//! Three sounds on the speakers. You should hear a coin on the left, a swish across to the right a
//! second later, and an explosion in the middle after another; then it is quiet and ends.

use voicepool::{Config, Mixer, OutputState, Play, ms};

fn main() -> Result<(), voicepool::Error> {
    let mixer = Mixer::open(Config::default())?;
    match mixer.output() {
        OutputState::Silent { why, .. } => {
            println!("There is no device, so you hear nothing: {why}")
        }
        playing => println!("A coin, a swish, an explosion, on {playing}."),
    }
    let load = |name| mixer.load(format!("{}/sounds/{name}.wav", env!("CARGO_MANIFEST_DIR")));
    let [coin, swish, explosion] = [load("coin")?, load("wand_swish")?, load("explosion")?];

    mixer.play(Play::of(&coin).pan(-1.0));
    std::thread::sleep(ms(1000));
    let swish = mixer.play(Play::of(&swish).pan(-1.0));
    mixer.set_pan(swish, 1.0, ms(400));
    std::thread::sleep(ms(1000));
    mixer.play(&explosion);
    while mixer.stats().live > 0 {
        std::thread::sleep(ms(20));
    }
    Ok(())
}
