//! Random scripts of the test `model`, line by line out of bytes: the mixer and the naive one must agree.
#![no_main]

#[allow(dead_code, unused_imports, reason = "the test of this name uses all of it")]
#[path = "../../tests/model/mod.rs"]
mod model;

use std::cell::RefCell;
use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use model::script::Op;
use model::script_of_buses::Buses;
use model::{script, script_of_buses, script_of_cues, script_of_joins, script_of_places};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use voicepool::Config;

/// The most lines of a script: some are several things that belong together.
const MOST_LINES: usize = 15;

/// Each three bytes are what the dice of one line begin with: so lines are taken out, put in and exchanged one by
/// one.
const LINE: usize = 3;

fuzz_target!(|bytes: &[u8]| {
    let Some((&[kind, rate, a, b, c], lines)) = bytes.split_first_chunk() else { return };
    let rate = [1000, 48_000][usize::from(rate % 2)];
    let kind = kind % KINDS;
    let config = drawn(&Kind::of(kind, rate).config, [a, b, c]);
    let lines = lines.chunks_exact(LINE).take(MOST_LINES);
    let script: Vec<Op> = lines
        .flat_map(|dice| drawn(&Kind::of(kind, rate).line, [dice[0], dice[1], dice[2]]))
        .collect();
    // Of filters and walls the naive mixer's levels know nothing.
    let roomy = matches!(kind, 2 | 4);
    if let Err(failure) = model::agree_with_room(roomy, &config, &script) {
        panic!("{failure}\n{config:?}\n{script:#?}");
    }
});

fn drawn<T: std::fmt::Debug>(from: &BoxedStrategy<T>, dice: [u8; LINE]) -> T {
    let mut seed = [0; 32];
    seed[..LINE].copy_from_slice(&dice);
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::default(), random);
    from.new_tree(&mut runner).expect("nothing is filtered out for ever").current()
}

/// What a script is about.
#[derive(Clone)]
struct Kind {
    config: BoxedStrategy<Config>,
    line: BoxedStrategy<Vec<Op>>,
}

/// How many there are.
const KINDS: u8 = 7;

impl Kind {
    /// Made once for each thread.
    fn of(kind: u8, rate: u32) -> Kind {
        thread_local!(static KINDS: RefCell<BTreeMap<(u8, u32), Kind>> = RefCell::default());
        let make = || {
            let (config, line) = match kind {
                0 => (script::config(rate).boxed(), script::script(rate, 1).boxed()),
                1 => {
                    let which = Buses { tree: true, speeds: true, ducks: true, ..Buses::default() };
                    (script::config(rate).boxed(), script_of_buses::script(rate, which, 1).boxed())
                }
                2 => {
                    let line = script_of_buses::script(rate, Buses::ALL, 1);
                    (script::config(rate).boxed(), line.boxed())
                }
                3 | 4 => {
                    let line = script_of_places::script(rate, kind == 4, 1);
                    (script::config(rate).boxed(), line.boxed())
                }
                5 => {
                    let line = script_of_cues::script(rate, true, 1);
                    (script_of_cues::config(rate).boxed(), line.boxed())
                }
                _ => {
                    let line = script_of_joins::script(rate, true, 1);
                    (script_of_joins::config(rate).boxed(), line.boxed())
                }
            };
            Kind { config, line }
        };
        KINDS.with_borrow_mut(|kinds| kinds.entry((kind, rate)).or_insert_with(make).clone())
    }
}
