//! Law 3, one play, one ending: a stop is never lost, not even on a voice that is about to stand
//! still.

mod common;

use common::mono;
use voicepool::{BusId, Config, Mixer, Play, ms, secs};

/// A stop ends a voice that is on its way into a pause, which would else stand still for ever.
#[test]
fn a_stop_ends_what_is_about_to_be_paused() {
    for bus in [false, true] {
        let (mixer, mut renderer) = Mixer::offline(Config::default()).expect("a good config");
        let voice = mixer.play(Play::of(mono(48_000, &[0.25])).looping());
        renderer.frames(128);
        if bus {
            mixer.pause(BusId::MASTER, ms(0))
        } else {
            mixer.pause(voice, ms(0))
        }
        renderer.frames(128);
        mixer.stop(voice, secs(1.0));
        renderer.frames(48_000);
        assert!(!mixer.is_live(voice), "paused with its bus: {bus}");
    }
}
