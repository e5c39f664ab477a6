//! Three sounds on the speakers. You should hear a coin on the left, a swish across to the right a
//! second later, and an explosion in the middle after another; then it is quiet and ends.

use voicepool::{Config, Mixer, OutputState, Play, ms};

fn main() -> Result<(), voicepool::Error> {
    let mixer = Mixer::open(Config::default())?;
    if let OutputState::Silent { why } = mixer.output() {
        println!("There is no sound ({why}), but time passes all the same.");
    }
    let sound =
        |name: &str| mixer.load(format!("{}/sounds/{name}.wav", env!("CARGO_MANIFEST_DIR")));

    mixer.play(Play::of(&sound("coin")?).pan(-1.0));
    let swish = mixer.play(Play::of(&sound("wand_swish")?).pan(-0.5).delay(ms(1000)));
    mixer.play(Play::of(&sound("explosion")?).delay(ms(2000)));

    println!("Playing on {}: a coin, a swish, an explosion.", mixer.output());
    while mixer.stats().live > 0 {
        std::thread::sleep(ms(20));
        if mixer.clock() > u64::from(mixer.sample_rate()) {
            mixer.set_pan(swish, 1.0, ms(400));
        }
    }
    Ok(())
}
