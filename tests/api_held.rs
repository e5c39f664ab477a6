//! A held play lasts as long as somebody keeps it.

mod common;

use common::{endings, mono};
use voicepool::{Config, Ending, Event, Held, Mixer, Play, Renderer, ms};

fn toy() -> (Mixer, Renderer) {
    let config = Config { voices: 4, commands: 4, sample_rate: 1000, ..Config::DEFAULT };
    Mixer::offline(config).expect("a good config")
}

fn hum() -> Play {
    Play::of(mono(1000, &[0.1; 100])).looping()
}

#[test]
fn dropping_it_stops_the_play_with_its_fade() {
    let (mixer, mut renderer) = toy();
    let held = mixer.hold(hum(), ms(200));
    renderer.frames(1024);
    assert!(mixer.is_live(held.id()));
    let said = mixer.clock();
    drop(held);
    renderer.frames(1024);
    let ended: Vec<u64> = mixer
        .events()
        .filter_map(|event| match event {
            Event::Ended { at, why: Ending::Stopped, .. } => Some(at),
            _ => None,
        })
        .collect();
    assert_eq!(ended, [said + 128 + 200], "a line later, and the fade");
}

#[test]
fn it_can_be_moved_and_controlled_and_outlive_its_mixer() {
    let (mixer, mut renderer) = toy();
    let held = mixer.hold(hum(), ms(0));
    mixer.set_gain(held.id(), 0.5, ms(0));
    drop(mixer);
    let frames = renderer.frames(512);
    assert_eq!(frames[511], [0.05; 2]);
    std::thread::spawn(move || drop(held)).join().expect("it drops anywhere");
    renderer.frames(512);
    assert_eq!(renderer.frames(1), [[0.0; 2]]);
}

#[test]
fn what_was_turned_away_is_held_as_nobody() {
    let (mixer, mut renderer) = toy();
    let others: Vec<_> = (0..4).map(|_| mixer.play(hum())).collect();
    let held: Held = mixer.hold(hum(), ms(0));
    assert_eq!(held.id(), None);
    drop(held);
    renderer.frames(512);
    assert!(others.iter().all(|voice| mixer.is_live(*voice)));
}

#[test]
fn a_play_that_ended_by_itself_is_let_go_without_harm() {
    let (mixer, mut renderer) = toy();
    let held = mixer.hold(mono(1000, &[0.1]), ms(0));
    renderer.frames(512);
    assert_eq!(endings(&mixer), [(held.id().expect("it was accepted"), Ending::Finished)]);
    let other = mixer.play(hum());
    drop(held);
    renderer.frames(512);
    assert!(mixer.is_live(other), "it has the ticket now");
}
