//! Law 4 with plays that follow others and go for others: the buffers' sizes change neither what is heard nor
//! what is told.

mod common;
#[path = "joins/game.rs"]
mod game;

use std::collections::HashMap;

use common::{POLICIES, Random, bits};
use voicepool::Renderer;

/// What is heard and what is told, with buffers of other sizes each time.
fn cut(seed: u64, sizes: &[u64]) -> (Vec<[u32; 2]>, Vec<String>) {
    let (mixer, mut renderer) = game::open(POLICIES[seed as usize % 4]);
    let (mut heard, mut told, mut random) = (Vec::new(), Vec::new(), Random(1));
    let mut names = HashMap::new();
    let render = |renderer: &mut Renderer, mut frames: u64| {
        while frames > 0 {
            let size = (*random.pick(sizes)).min(frames);
            heard.extend(bits(&renderer.frames(size as usize)));
            frames -= size;
        }
        for event in mixer.events() {
            // Ids are a mixer's own, so they are told by when they were first heard of.
            let text = format!("{event:?}");
            let mut words: Vec<String> = text.split("VoiceId").map(String::from).collect();
            for word in words.iter_mut().skip(1) {
                let (id, rest) = word.split_once('}').expect("an id");
                let next = names.len();
                let number = names.entry(id.to_string()).or_insert(next);
                *word = format!("{number}{rest}");
            }
            told.push(words.join("voice "));
        }
    };
    game::play(seed, &mixer, &mut renderer, render);
    (heard, told)
}

#[test]
fn the_sizes_of_buffers_change_nothing_of_joins() {
    let mut started = 0;
    for seed in 0..12 {
        let (heard, told) = cut(seed, &[640]);
        started += told.iter().filter(|it| it.contains("Started")).count();
        for sizes in [&[128][..], &[1, 37, 200], &[64, 500], &[3, 129, 384]] {
            let (other, other_told) = cut(seed, sizes);
            let differs = told.iter().zip(&other_told).find(|(one, other)| one != other);
            assert_eq!((differs, told.len()), (None, other_told.len()), "game {seed} by {sizes:?}");
            let differs = heard.iter().zip(&other).position(|(one, other)| one != other);
            assert_eq!((differs, heard.len()), (None, other.len()), "game {seed} by {sizes:?}");
        }
    }
    assert!(started > 500, "{started} plays began after a wait");
}
