//! Plays that come together: all of them or none, and on one frame.

mod common;

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use common::{assert_balanced, mono};
use voicepool::{BusId, Config, Event, Mixer, Play, Renderer, Sound, WhenFull, ms};

const RATE: u32 = 1000;

fn mixer(voices: usize, commands: usize, when_full: WhenFull) -> (Mixer, Renderer) {
    let config = Config {
        voices,
        max_voices: 16,
        parked: 4,
        scheduled: 4,
        commands,
        sample_rate: RATE,
        when_full,
        ..Config::DEFAULT
    };
    Mixer::offline(config).expect("a good config")
}

fn hum() -> Sound {
    mono(RATE, &[0.1; 100])
}

/// The renderer runs on another thread all the time, and would see a part of them if they were
/// published one by one.
#[test]
fn plays_that_come_together_begin_on_one_frame() {
    let (mixer, mut renderer) = mixer(16, 64, WhenFull::StealQuietest);
    let hum = Play::of(hum());
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut out = [[0.0; 2]; 16];
            while !done.load(Relaxed) {
                renderer.render(&mut out);
            }
        });
        for round in 0..500 {
            let plays = std::array::from_fn::<_, 16, _>(|_| hum.clone());
            mixer.play_together(plays).expect("room for sixteen");
            let mut frames = Vec::new();
            while frames.len() < 16 {
                frames.extend(mixer.events().filter_map(|event| match event {
                    Event::Ended { at, .. } => Some(at),
                    _ => None,
                }));
            }
            if frames.iter().any(|at| *at != frames[0]) {
                done.store(true, Relaxed);
                panic!("round {round}: they ended on {frames:?}");
            }
        }
        done.store(true, Relaxed);
    });
}

/// Each of them has an id of its own, and says when it begins, as any play does.
#[test]
fn each_is_a_play_of_its_own() {
    let (mixer, mut renderer) = mixer(4, 64, WhenFull::StealQuietest);
    let steps: Vec<f32> = (1..=100).map(|n| n as f32 / 1000.0).collect();
    let steps = mono(RATE, &steps);
    let plays = [
        Play::of(&steps).pan(-1.0).tag(1),
        Play::of(&steps).pan(1.0).tag(2).start_at(300),
        Play::of(&steps).gain(0.0).tag(3).delay(ms(40)),
    ];
    let voices = mixer.play_together(plays).expect("room for three");
    let frames = renderer.frames(1000);
    let first = |side: usize| frames.iter().position(|frame| frame[side] != 0.0);
    assert_eq!((first(0), first(1)), (Some(0), Some(300)));
    let ended: Vec<_> = mixer
        .events()
        .filter_map(|event| match event {
            Event::Ended { voice, tag, at, .. } => Some((voice, tag, at)),
            _ => None,
        })
        .collect();
    assert_eq!(ended, [(voices[0], 1, 100), (voices[2], 3, 140), (voices[1], 2, 400)]);
}

#[test]
fn where_the_queue_has_no_room_for_all_there_is_none_for_any() {
    let (mixer, mut renderer) = mixer(8, 4, WhenFull::StealQuietest);
    let play = || Play::of(hum()).looping();
    (0..2).for_each(|_| mixer.set_gain(BusId::new(9), 1.0, ms(0)));
    assert_eq!(mixer.play_together([play(), play(), play()]), None);
    assert_eq!((mixer.stats().turned_away, mixer.stats().live), (3, 0));
    assert!(mixer.play_together([play(), play()]).is_some());
    assert_eq!(mixer.play_together([play()]), None);
    // Not even room can have them that there never is.
    renderer.frames(256);
    assert_eq!(mixer.play_together([(); 5].map(|()| play())), None);
    assert_eq!((mixer.stats().turned_away, mixer.stats().playing), (9, 2));
    assert_balanced(&mixer.stats());
    drop(renderer);
    assert_eq!(mixer.play_together([play()]), None, "nobody is left to play them");
}

#[test]
fn none_together_are_accepted_always() {
    let (mixer, renderer) = mixer(1, 1, WhenFull::StealQuietest);
    mixer.set_gain(BusId::MASTER, 1.0, ms(0));
    mixer.set_gain(BusId::MASTER, 1.0, ms(0));
    assert_eq!(mixer.play_together([]), Some([]));
    drop(renderer);
    assert_eq!(mixer.play_together([]), Some([]));
    assert_eq!(mixer.stats().turned_away, 0);
}

/// The pool grows before them, or they are not accepted.
#[test]
fn a_pool_that_grows_has_grown_for_all_of_them() {
    let play = || Play::of(hum()).looping();
    let four = || [(); 4].map(|()| play());
    let (mixer, mut renderer) = mixer(1, 5, WhenFull::Grow);
    mixer.set_gain(BusId::new(9), 1.0, ms(0));
    assert_eq!(mixer.play_together(four()), None, "no room for the pool before them");
    renderer.frames(256);
    mixer.play_together(four()).expect("room for them and the pool");
    renderer.frames(256);
    let stats = mixer.stats();
    assert_eq!((stats.voices, stats.playing, stats.full), (4, 4, 0), "{stats}");
}

/// In a queue that can never hold both, plays do without the larger pool.
#[test]
fn as_many_as_the_queue_holds_do_without_a_larger_pool() {
    let (mixer, mut renderer) = mixer(1, 4, WhenFull::Grow);
    let plays = [(); 4].map(|()| Play::of(hum()).looping());
    mixer.play_together(plays).expect("room for four");
    renderer.frames(256);
    let stats = mixer.stats();
    assert_eq!((stats.voices, stats.playing, stats.live), (1, 1, 4), "{stats}");
}
