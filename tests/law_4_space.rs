//! Law 4 in space: games in which everything has a place and moves play the same bits and tell the same
//! events, whatever the buffers' sizes, at every usual rate. And law 1: nothing of it allocates.

#[path = "common/allocator.rs"]
mod allocator;
mod common;
#[path = "common/outdoors.rs"]
mod outdoors;

use allocator::heap_calls;
use common::{Random, bits};
use outdoors::{Game, small};
use voicepool::{Event, Frame, Mixer};

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
