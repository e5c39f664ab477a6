//! Law 4 in space: games in which everything has a place and moves play the same bits and tell the same
//! events, whatever the buffers' sizes, at every usual rate. And law 1: nothing of it allocates.

#[path = "common/allocator.rs"]
mod allocator;
mod common;
#[path = "common/outdoors.rs"]
mod outdoors;

use allocator::heap_calls;
use common::{Random, bits, mono, noise};
use outdoors::{Game, small};
use voicepool::{Attenuation, Event, Frame, Mixer, Play};

/// What a buffer may hold.
const SIZES: [usize; 7] = [0, 1, 37, 128, 512, 1000, 65_536];
const RATES: [u32; 5] = [48_000, 8_000, 44_100, 96_000, 1_000];
/// How many frames a game lasts, at the least.
const LASTS: u64 = 30_000;

/// What a game came to.
struct Outcome {
    heard: Vec<Frame>,
    told: Vec<String>,
    /// How many parked, and how many came back.
    parked: [usize; 2],
}

/// Plays the game of a seed with buffers of these sizes.
fn play(seed: u64, mut size: impl FnMut() -> usize) -> Outcome {
    let rate = RATES[seed as usize % RATES.len()];
    let (mixer, mut renderer) = Mixer::offline(small(rate)).expect("a good config");
    let mut game = Game::new(mixer, seed);
    let (mut heard, mut told, mut parked) = (Vec::new(), Vec::new(), [0; 2]);
    let mut buffer = vec![[0.0; 2]; 65_536];
    while game.mixer.clock() < LASTS {
        for _ in 0..game.random.below(20) {
            game.say();
        }
        let mut left = *game.random.pick(&[0, 64, 128, 128, 300, 800, 1500]);
        while left > 0 {
            let frames = size().min(left);
            let out = &mut buffer[..frames];
            let ((), calls) = heap_calls(|| renderer.render(out));
            assert_eq!(calls, 0, "seed {seed}, at {}", game.mixer.clock());
            heard.extend_from_slice(out);
            left -= frames;
        }
        for event in game.mixer.events() {
            parked[0] += usize::from(matches!(event, Event::Parked { .. }));
            parked[1] += usize::from(matches!(event, Event::Unparked { .. }));
            told.push(game.tell(&event));
        }
    }
    Outcome { heard, told, parked }
}

#[test]
fn what_moves_plays_the_same_bits_at_random_buffer_sizes() {
    let games = if std::env::var_os("VOICEPOOL_LONG").is_some() { 2000 } else { 10 };
    let (mut sounded, mut parked, mut came_back) = (0, 0, 0);
    for seed in 0..games {
        let whole = play(seed, || 65_536);
        sounded += whole.heard.iter().filter(|frame| **frame != [0.0; 2]).count();
        parked += whole.parked[0];
        came_back += whole.parked[1];
        for size in [Some(128), Some(37), None] {
            let mut random = Random(seed + 1);
            let cut = play(seed, || size.unwrap_or_else(|| *random.pick(&SIZES)));
            let first = bits(&whole.heard).iter().zip(&bits(&cut.heard)).position(|(a, b)| a != b);
            assert_eq!(first, None, "seed {seed} with buffers of {size:?}: {:?}", whole.told);
            assert_eq!(whole.told, cut.told, "seed {seed} with buffers of {size:?}");
        }
    }
    println!("{sounded} frames sounded, {parked} parked, {came_back} came back");
    assert!(sounded >= (games * LASTS) as usize / 3, "{sounded} frames of {games} games");
    assert!(parked as u64 > 10 * games && came_back as u64 > 2 * games);
}

/// A few voices and nobody parked, so that nothing but what moves keeps the renderer from mixing far ahead in
/// one go: bent pitches, ways from place to place, and the line on which somebody has left earshot.
#[test]
fn where_nobody_is_parked_what_moves_plays_the_same_bits() {
    for rate in RATES {
        for doppler in [0.0, 1.0] {
            let run = |size: usize| {
                let (mixer, mut renderer) = Mixer::offline(small(rate)).expect("a good config");
                let attenuation =
                    Attenuation { far: 30.0, doppler, width: 5.0, ..Attenuation::DEFAULT };
                let hiss = mono(rate, &noise(4, 3000));
                let [voice, other] = [[3.0, 1.0], [-2.0, 4.0]].map(|at| {
                    mixer.play(Play::of(&hiss).looping().at(at).attenuation(attenuation).gain(0.3))
                });
                let (mut heard, mut told) = (Vec::new(), Vec::new());
                // It goes for a while, stands, goes far away, and comes back.
                for (n, x) in [3.0, 3.2, 3.4, 3.6, 3.8, 4.0, 50.0, 2.0].into_iter().enumerate() {
                    mixer.set_position(voice, [x, 1.0]);
                    let frames = if n < 5 { 800 } else { 20_000 };
                    let end = heard.len() + frames;
                    while heard.len() < end {
                        heard.extend(renderer.frames(size.min(end - heard.len())));
                    }
                    told.extend(mixer.events().map(|event| match event {
                        Event::Parked { at, .. } => format!("parked at {at}"),
                        Event::Unparked { at, .. } => format!("back at {at}"),
                        other => format!("{other:?}"),
                    }));
                }
                assert!(mixer.is_live(other));
                (bits(&heard), told)
            };
            let (whole, told) = run(65_536);
            assert_eq!(told.len(), 2, "{told:?}");
            for size in [128, 37, 1000] {
                let (cut, told_cut) = run(size);
                assert!(whole == cut, "at {rate}, doppler {doppler}, buffers of {size}");
                assert_eq!(told, told_cut, "at {rate}, doppler {doppler}, buffers of {size}");
            }
        }
    }
}
