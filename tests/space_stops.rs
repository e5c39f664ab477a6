//! What stops where nothing of it is heard.

mod common;

use common::{mono, sine};
use voicepool::{Config, Ending, Event, Frame, Listener, Mixer, Play, secs};

const FAR: [f32; 2] = [500.0, 0.0];

fn stopped_at(mixer: &Mixer) -> Vec<u64> {
    let stopped = mixer.events().filter_map(|event| match event {
        Event::Ended { at, why: Ending::Stopped, .. } => Some(at),
        _ => None,
    });
    stopped.collect()
}

/// Out of earshot, with no room to park, it keeps its voice. There is nothing to fade.
#[test]
fn a_stop_out_of_earshot_takes_no_time_whoever_else_moves() {
    for listener_moves in [false, true] {
        let config = Config { voices: 4, parked: 1, ..Config::default() };
        let (mixer, mut renderer) = Mixer::offline(config).unwrap();
        let tone = mono(48_000, &sine(48_000, 200.0, 0.5, 480));
        let torch = Play::of(&tone).looping().at(FAR);
        mixer.play(&torch);
        let voice = mixer.play(&torch);
        renderer.frames(1024);
        assert_eq!((mixer.stats().playing, mixer.stats().parked), (1, 1));
        mixer.stop(voice, secs(1.0));
        if listener_moves {
            mixer.set_listener(Listener::at([1.0, 0.0]));
        }
        renderer.frames(1024);
        assert_eq!(stopped_at(&mixer), [1024 + 128], "the listener moves: {listener_moves}");
    }
}

fn longest_step(heard: &[Frame]) -> f32 {
    heard.windows(2).map(|it| (it[1][0] - it[0][0]).abs()).fold(0.0, f32::max)
}

/// Its filter rings on for longer than it takes to leave earshot.
#[test]
fn what_rings_in_its_filter_fades_out_when_it_leaves_earshot_while_it_stops() {
    let (mixer, mut renderer) = Mixer::offline(Config::default()).unwrap();
    let tone = mono(48_000, &sine(48_000, 100.0, 0.9, 480));
    let voice = mixer.play(Play::of(&tone).looping().low_pass(30.0).gain(3.0).at([0.0, 0.0]));
    let before = longest_step(&renderer.frames(24_000));
    mixer.stop(voice, secs(2.0));
    mixer.teleport(voice, FAR);
    let after = longest_step(&renderer.frames(4096));
    assert!(!mixer.is_live(voice));
    assert!(after < 1.5 * before, "{after} after {before}");
}
