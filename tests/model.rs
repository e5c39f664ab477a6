//! Random scripts, played by the mixer and by a naive one: they must sound the same, and tell the
//! same of every play. `VOICEPOOL_LONG=1` plays many more.
#![cfg(not(target_arch = "wasm32"))]

#[path = "model/mod.rs"]
mod model;

use std::cell::RefCell;
use std::fmt;

use model::pair::Pair;
use model::script_of_buses::{self, Buses};
use model::tally::Tally;
use model::{agree, agree_with_room, is_long};
use model::{script, script_of_cues, script_of_joins, script_of_places, script_of_streams};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRng, TestRunner};
use voicepool::Config;

/// Random scripts of a kind, each in a mixer of its own.
fn try_scripts<S: fmt::Debug>(
    of: &str,
    cases: u32,
    scripts: impl Strategy<Value = S>,
    play: impl Fn(&S) -> Result<Tally, TestCaseError>,
) -> Tally {
    let cases = if is_long() { 250 * cases } else { cases };
    let settings = ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 10_000,
        ..Default::default()
    };
    // The same scripts every time, so that a change fails by its own fault; new ones in a long run.
    let mut runner = if is_long() {
        TestRunner::new(settings)
    } else {
        let random = TestRng::deterministic_rng(settings.rng_algorithm);
        TestRunner::new_with_rng(settings, random)
    };
    let tally = RefCell::new(Tally::default());
    let outcome = runner.run(&scripts, |script| {
        tally.borrow_mut().add(&play(&script)?);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    let tally = tally.into_inner();
    println!("{cases} scripts {of}\n{tally}");
    tally
}

/// Of everything, at a rate.
fn try_scripts_at(rate: u32, cases: u32) {
    let scripts = (script::config(rate), script::script(rate, 1..60));
    try_scripts(&format!("at {rate} Hz"), cases, scripts, |(config, script)| {
        agree(config, script).map(|(_, tally)| tally)
    });
}

#[test]
fn scripts_at_a_thousand_hertz_sound_as_the_naive_mixer_plays_them() {
    try_scripts_at(1000, 150);
}

#[test]
fn scripts_at_a_hundred_hertz_sound_as_the_naive_mixer_plays_them() {
    try_scripts_at(100, 60);
}

#[test]
fn scripts_at_three_khz_sound_as_the_naive_mixer_plays_them() {
    try_scripts_at(3000, 40);
}

#[test]
fn scripts_at_48_khz_sound_as_the_naive_mixer_plays_them() {
    try_scripts_at(48_000, 60);
}

/// Of everything, and of buses.
fn try_scripts_of_buses(of: &str, which: Buses, cases: u32) -> Tally {
    let roomy = which.filters;
    let mut all = Tally::default();
    for rate in [1000, 48_000] {
        let scripts = (script::config(rate), script_of_buses::script(rate, which, 1..60));
        let tally =
            try_scripts(&format!("{of} at {rate} Hz"), cases, scripts, |(config, script)| {
                agree_with_room(roomy, config, script)
            });
        all.add(&tally);
    }
    all
}

#[test]
fn a_tree_of_buses_sounds_as_the_naive_mixer_plays_it() {
    let which = Buses { tree: true, ..Buses::default() };
    let tally = try_scripts_of_buses("of trees", which, 100);
    tally.assert_each(
        20,
        ["a bus taken to another parent", "a bus that was heard taken to another parent"],
    );
}

#[test]
fn buses_in_slow_motion_sound_as_the_naive_mixer_plays_them() {
    let which = Buses { tree: true, speeds: true, ..Buses::default() };
    try_scripts_of_buses("of speeds", which, 100);
}

#[test]
fn filtered_buses_and_voices_sound_as_the_naive_mixer_plays_them() {
    try_scripts_of_buses("of filters", Buses { filters: true, ..Buses::default() }, 60);
}

#[test]
fn what_is_sent_to_rooms_sounds_as_the_naive_mixer_plays_it() {
    try_scripts_of_buses("of rooms", Buses { sends: true, ..Buses::default() }, 60);
}

#[test]
fn effects_sound_as_the_naive_mixer_plays_them() {
    try_scripts_of_buses("of effects", Buses { effects: true, ..Buses::default() }, 60);
}

#[test]
fn ducks_sound_as_the_naive_mixer_plays_them() {
    let which = Buses { ducks: true, ..Buses::default() };
    let tally = try_scripts_of_buses("of ducks", which, 100);
    tally.assert_each(20, ["a bus ducked or let go"]);
}

#[test]
fn all_that_buses_do_sounds_as_the_naive_mixer_plays_it() {
    try_scripts_of_buses("of all that buses do", Buses::ALL, 100);
}

/// Of everything, and of places; with walls, of which the naive mixer's levels know nothing, nobody is robbed.
fn try_scripts_of_places(walls: bool, rates: [u32; 2], cases: u32) -> Tally {
    let mut all = Tally::default();
    for rate in rates {
        let scripts = (script::config(rate), script_of_places::script(rate, walls, 1..40));
        let of = format!("of places{} at {rate} Hz", if walls { " and walls" } else { "" });
        let tally = try_scripts(&of, cases, scripts, |(config, script)| {
            agree_with_room(walls, config, script)
        });
        all.add(&tally);
    }
    all
}

#[test]
fn what_has_a_place_sounds_as_the_naive_mixer_plays_it() {
    let tally = try_scripts_of_places(false, [1000, 48_000], 100);
    tally.assert_each(
        20,
        [
            "a bent quantum",
            "a newcomer out of earshot",
            "a newcomer out of earshot, and no room for it to park",
            "a voice parked out of earshot",
            "a voice robbed on its way out of earshot",
            "a voice turned",
            "jump of a parked play",
            "jump of a play that has just come",
            "jump of a voice",
            "jump of a waiting play",
            "move of a voice",
            "the listener moved",
            "the listener teleported",
        ],
    );
    tally.assert_each(1, ["a stopping voice out of earshot"]);
}

#[test]
fn what_is_behind_walls_sounds_as_the_naive_mixer_plays_it() {
    let tally = try_scripts_of_places(true, [3000, 48_000], 40);
    tally.assert_each(20, ["occlusion of a voice", "occlusion of a parked play"]);
}

/// Of everything, and of cues.
fn try_scripts_of_cues(places: bool, cases: u32) -> Tally {
    let mut all = Tally::default();
    for rate in [1000, 48_000] {
        let scripts = (script_of_cues::config(rate), script_of_cues::script(rate, places, 1..40));
        let of = format!("of cues{} at {rate} Hz", if places { " and places" } else { "" });
        let tally = try_scripts(&of, cases, scripts, |(config, script)| {
            agree(config, script).map(|(_, tally)| tally)
        });
        all.add(&tally);
    }
    all
}

#[test]
fn cues_sound_as_the_naive_mixer_plays_them() {
    let tally = try_scripts_of_cues(false, 70);
    tally.assert_each(
        20,
        [
            "a cue that took the place of another",
            "a merged play",
            "a play that came too soon",
            "a victim in a full cue",
            "nobody to rob in a full cue",
        ],
    );
}

#[test]
fn cues_with_places_sound_as_the_naive_mixer_plays_them() {
    try_scripts_of_cues(true, 60);
}

/// What a voice is multiplied by: the way out first, then its own gains, then its pan, then its place. One
/// voice at its own rate, so that all of it can be compared to the bit.
fn try_scripts_of_gains(places: bool) -> Tally {
    let mut all = Tally::default();
    for rate in [1000, 48_000] {
        let config = Config { voices: 1, max_voices: 1, sample_rate: rate, ..Config::default() };
        let of = format!("of gains{} at {rate} Hz", if places { " and places" } else { "" });
        let tally = try_scripts(&of, 60, script::script_of_gains(places), |script| {
            let mut pair = Pair::new(&config).exactly();
            script.iter().try_for_each(|op| pair.carry_out(op))?;
            pair.listen(400)?;
            Ok(pair.tally().clone())
        });
        all.add(&tally);
    }
    all
}

#[test]
fn every_gain_to_the_ear_is_multiplied_in_the_order_that_was_promised() {
    let tally = try_scripts_of_gains(false);
    tally.assert_each(6, ["mute of a voice", "mute of the master that moves"]);
}

#[test]
fn what_is_heard_of_a_place_is_multiplied_last() {
    try_scripts_of_gains(true).assert_each(20, ["a voice turned", "a voice parked out of earshot"]);
}

/// Of everything, and of plays that follow others or come for them.
fn try_scripts_of_joins(places: bool, cases: u32) -> Tally {
    let mut all = Tally::default();
    for rate in [1000, 48_000] {
        let scripts = (script_of_joins::config(rate), script_of_joins::script(rate, places, 1..40));
        let of = format!("of joins{} at {rate} Hz", if places { " and places" } else { "" });
        let tally = try_scripts(&of, cases, scripts, |(config, script)| {
            agree(config, script).map(|(_, tally)| tally)
        });
        all.add(&tally);
    }
    all
}

#[test]
fn plays_that_follow_others_sound_as_the_naive_mixer_plays_them() {
    let tally = try_scripts_of_joins(false, 100);
    tally.assert_each(
        20,
        [
            "a follower that was a newcomer",
            "a follower whose leader did not finish",
            "a play after one that had finished",
            "a play after one that stops",
            "a play that went for another",
            "a voice handed on",
        ],
    );
    tally.assert_each(5, ["a play after one that had not finished"]);
}

#[test]
fn plays_with_places_that_follow_others_sound_as_the_naive_mixer_plays_them() {
    try_scripts_of_joins(true, 60);
}

/// Of everything, and of streams. Where sounds are weighted, the naive mixer does not know how loud a stream is, and
/// nobody is robbed.
fn try_scripts_of_streams(places: bool, rate: u32, cases: u32) -> Tally {
    let scripts = (script_of_streams::config(rate), script_of_streams::script(rate, places, 1..40));
    let of = format!("of streams{} at {rate} Hz", if places { " and places" } else { "" });
    try_scripts(&of, cases, scripts, |(config, script)| {
        agree_with_room(rate > 8000, config, script)
    })
}

#[test]
fn streams_sound_as_the_naive_mixer_plays_the_same_files() {
    let mut tally = try_scripts_of_streams(false, 1000, 100);
    tally.add(&try_scripts_of_streams(false, 3000, 60));
    tally.add(&try_scripts_of_streams(false, 48_000, 100));
    tally.assert_each(
        20,
        ["a stream", "a stream too many", "a parked stream that must wait for a place"],
    );
}

#[test]
fn streams_with_places_sound_as_the_naive_mixer_plays_the_same_files() {
    let tally = try_scripts_of_streams(true, 1000, 120);
    tally.assert_each(
        20,
        ["a parked stream that has a place", "a parked stream that must wait for a place"],
    );
}

#[test]
fn every_gain_of_a_stream_is_multiplied_as_that_of_a_sound() {
    for rate in [1000, 48_000] {
        let config = Config { voices: 1, max_voices: 1, sample_rate: rate, ..Config::default() };
        let scripts = script_of_streams::script_of_gains(rate);
        try_scripts(&format!("of a stream's gains at {rate} Hz"), 40, scripts, |script| {
            let mut pair = Pair::new(&config).exactly();
            script.iter().try_for_each(|op| pair.carry_out(op))?;
            pair.listen(400)?;
            Ok(pair.tally().clone())
        });
    }
}
