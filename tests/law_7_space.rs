//! Law 7 in space: a stale id moves nothing and puts nothing behind a wall, nor does another mixer's, nor a tag
//! that nobody has.

mod common;
#[path = "common/outdoors.rs"]
mod outdoors;

use common::{Random, bits, mono, noise};
use outdoors::{Game, small};
use voicepool::{Config, Mixer, Play, Tag, VoiceId, ms};

const RATE: u32 = 8_000;

/// Says all that can be said of places.
fn move_them(mixer: &Mixer, voices: &[VoiceId], random: &mut Random) {
    let mut place = || [random.between(-30.0, 30.0), random.between(-30.0, 30.0)];
    mixer.set_positions(voices.iter().map(|voice| (*voice, place())));
    mixer.set_occlusions(voices.iter().map(|voice| (*voice, 1.0)), ms(3));
    for voice in voices.iter().rev().take(3) {
        mixer.set_position(*voice, place());
        mixer.teleport(*voice, place());
        mixer.set_occlusion(*voice, 0.7, ms(0));
    }
    mixer.set_position(None, place());
    mixer.set_positions([(None, place()), (None, place())]);
    mixer.set_position(Tag(99), place());
    mixer.set_occlusion(Tag(99), 1.0, ms(0));
}

/// A random game on few tickets, so that each is used again and again. With `stale`, what has ended is moved
/// all the time, and what another mixer plays.
fn run(seed: u64, stale: bool) -> (Vec<[u32; 2]>, Vec<String>) {
    let config =
        Config { voices: 3, max_voices: 3, parked: 3, scheduled: 2, commands: 8, ..small(RATE) };
    let (mixer, mut renderer) = Mixer::offline(config.clone()).expect("a good config");
    let (twin, mut twin_renderer) = Mixer::offline(config).expect("a good config");
    let mut game = Game::new(mixer, seed);
    let mut random = Random(seed + 1);
    let (mut heard, mut told, mut strangers) = (Vec::new(), Vec::new(), Vec::new());
    let clip = mono(RATE, &noise(2, 900));
    for _ in 0..300 {
        for _ in 0..game.random.below(12) {
            game.say();
        }
        strangers.extend(twin.play(Play::of(&clip).at([1.0, 1.0])));
        if stale {
            let live = |(voice, _): &(VoiceId, _)| !game.mixer.is_live(*voice);
            let dead: Vec<VoiceId> =
                game.plays.iter().filter(|play| live(play)).map(|play| play.0).collect();
            let first = dead.len().saturating_sub(30);
            move_them(&game.mixer, &dead[first..], &mut random);
            let first = strangers.len().saturating_sub(30);
            move_them(&game.mixer, &strangers[first..], &mut random);
        }
        heard.extend(renderer.frames(game.random.below(400) as usize));
        twin_renderer.frames(100);
        told.extend(game.mixer.events().map(|event| game.tell(&event)));
    }
    assert!(game.mixer.stats().accepted > 100);
    (bits(&heard), told)
}

#[test]
fn a_stale_id_moves_nothing() {
    for seed in 0..4 {
        let (heard, told) = run(seed, false);
        let (heard_beside, told_beside) = run(seed, true);
        assert!(heard == heard_beside, "seed {seed}: other bits");
        assert_eq!(told, told_beside, "seed {seed}");
    }
}
