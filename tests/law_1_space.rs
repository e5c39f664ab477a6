//! Law 1 in space: listeners and plays move, alone and by the thousand, walls come between, doppler bends and
//! earshot parks, and `Renderer::render` never calls the allocator, to get or to free. The blocks in which
//! moves cross come home.

#[path = "common/allocator.rs"]
mod allocator;
mod common;
#[path = "common/outdoors.rs"]
mod outdoors;

use allocator::{heap_calls, held};
use common::{POLICIES, Random, assert_balanced, mono, noise};
use outdoors::{Game, small};
use voicepool::{
    Attenuation, Config, Frame, Listener, Mixer, Play, Renderer, Tag, VoiceId, WhenFull, ms,
};

/// Renders, and sees that the allocator is left alone and that what comes out is sound.
fn render(renderer: &mut Renderer, out: &mut [Frame]) {
    let ((), calls) = heap_calls(|| renderer.render(out));
    assert_eq!(calls, 0, "the audio side called the allocator");
    assert!(out.iter().flatten().all(|sample| sample.abs() <= 1.0));
}

/// Everything that can be said of places, under every policy.
#[test]
fn nothing_that_moves_calls_the_allocator() {
    for (seed, when_full) in (0..).zip(POLICIES) {
        let config = Config { when_full, ..small(8_000) };
        let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
        let mut game = Game::new(mixer, seed);
        let mut out = [[0.0; 2]; 600];
        for _ in 0..250 {
            for _ in 0..game.random.below(14) {
                game.say();
            }
            let frames = game.random.below(601) as usize;
            render(&mut renderer, &mut out[..frames]);
            if game.random.below(10) == 0 {
                game.mixer.events().for_each(drop);
            }
        }
        let stats = game.mixer.stats();
        assert_balanced(&stats);
        assert!(stats.parkings > 50, "{stats}");
    }
}

/// A crowd that moves in every frame, more of it than one block of moves can hold, around a listener that
/// runs through it: in and out of earshot, with doppler, behind walls.
#[test]
fn a_crowd_that_moves_in_every_frame_calls_no_allocator_in_render() {
    let config = Config {
        voices: 64,
        parked: 1200,
        commands: 2048,
        sample_rate: 8_000,
        ..Config::default()
    };
    let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
    let hum = mono(8_000, &noise(1, 4_000));
    let around = Attenuation { far: 12.0, doppler: 1.0, ..Attenuation::DEFAULT };
    let mut random = Random(5);
    let mut place = |reach: f32| [random.between(-reach, reach), random.between(-reach, reach)];
    let crowd: Vec<VoiceId> = (0..1100)
        .filter_map(|n| {
            let play = Play::of(&hum).looping().gain(0.02).at(place(40.0)).attenuation(around);
            mixer.play(play.tag(n % 50))
        })
        .collect();
    let mut out = [[0.0; 2]; 133];
    for round in 0..100u64 {
        mixer.set_positions(crowd.iter().map(|voice| (*voice, place(40.0))));
        mixer.set_occlusions(crowd.iter().step_by(7).map(|voice| (*voice, 0.3)), ms(round));
        mixer.set_positions((0..50).step_by(9).map(|tag| (Tag(tag), place(40.0))));
        mixer.set_listener(Listener::at(place(20.0)));
        render(&mut renderer, &mut out);
    }
    let stats = mixer.stats();
    assert_eq!(stats.live, 1100);
    assert!(stats.parkings > 3000, "{stats}");
}

/// What was made for moves is made once: after many frames no more is held than after a few.
#[test]
fn the_blocks_of_moves_come_home() {
    let (mixer, mut renderer) =
        Mixer::offline(Config { sample_rate: 8_000, ..Config::default() }).expect("a good config");
    let hum = mono(8_000, &noise(1, 4_000));
    let crowd: Vec<_> =
        (0..200).filter_map(|_| mixer.play(Play::of(&hum).looping().at([1.0, 2.0]))).collect();
    let mut out = [[0.0; 2]; 133];
    let mut turn = |n: usize| {
        // Now and then a device stalls.
        for round in 0..if n.is_multiple_of(10) { 30 } else { 1 } {
            let x = (n + round) as f32 / 10.0;
            mixer.set_positions(crowd.iter().map(|voice| (*voice, [x, 2.0])));
            mixer.set_listener(Listener::at([x, 1.0]));
        }
        render(&mut renderer, &mut out);
        mixer.events().for_each(drop);
    };
    (0..25).for_each(&mut turn);
    let before = held();
    (25..300).for_each(&mut turn);
    assert_eq!(held(), before);
}

/// The mixer goes with moves on their way in the queue and beside it, and the audio side plays on.
#[test]
fn a_dropped_mixer_leaves_no_moves_for_the_audio_side_to_free() {
    let before = held();
    for seed in 0..8 {
        let when_full = WhenFull::StealQuietest;
        let config = Config { when_full, commands: 4 << seed, ..small(8_000) };
        let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
        let mut game = Game::new(mixer, seed);
        let mut out = [[0.0; 2]; 300];
        for _ in 0..40 {
            (0..6).for_each(|_| game.say());
            render(&mut renderer, &mut out);
        }
        // Many blocks and single moves, and no line on which they would be heard.
        for _ in 0..200 {
            game.moves();
            game.walk();
            game.say();
        }
        drop(game);
        (0..60).for_each(|_| render(&mut renderer, &mut out));
        drop(renderer);
    }
    assert_eq!(held(), before, "all of it is given back");
}
