//! What the soak itself promises.

use std::time::Duration;

use voicepool::{Mixer, Stats};

use crate::watch::{Books, Broken, Hash, Watch};
use crate::{arguments, keep_planted_panics_quiet, soak};

/// Two seeds whose first scene is short, and is all that is played.
const SHORT: [u64; 2] = [12, 17];

/// A short run in a process that is not its own.
fn run(seed: u64, stats: fn(&Mixer) -> Stats) -> (Result<Duration, Broken>, Watch) {
    keep_planted_panics_quiet();
    let mut watch = Watch::new(seed, stats);
    let run = soak(&mut watch, Duration::from_secs(1), false, |_| ());
    (run, watch)
}

fn hash(seed: u64) -> Hash {
    let (run, watch) = run(seed, Mixer::stats);
    run.expect("no promise is broken");
    watch.hash
}

#[test]
fn the_same_seed_gives_the_same_hash_and_another_seed_another() {
    let [first, other] = SHORT.map(hash);
    assert_eq!(first, hash(SHORT[0]));
    assert_ne!(first, other);
}

#[test]
fn an_ending_that_is_lost_is_told_with_the_seed_and_the_step() {
    let loses_one = |mixer: &Mixer| {
        let mut stats = mixer.stats();
        stats.stopped = stats.stopped.saturating_sub(1);
        stats
    };
    let (run, _) = run(SHORT[0], loses_one);
    let broken = run.expect_err("the books do not balance");
    let text = broken.to_string();
    let place = format!("BROKEN seed 12, scene 0, step {}: ", broken.step);
    assert!(text.starts_with(&place) && text.ends_with("have ended or are live"), "{text}");
}

#[test]
fn books_that_balance_and_are_wrong_are_told_too() {
    let cooks = |mixer: &Mixer| {
        let mut stats = mixer.stats();
        std::mem::swap(&mut stats.finished, &mut stats.stolen);
        stats
    };
    let text = run(SHORT[0], cooks).0.expect_err("an ending of the wrong kind").to_string();
    assert!(text.contains("finished: the mixer says "), "{text}");
}

#[test]
fn frames_that_no_speaker_should_get_are_told() {
    let mut watch = Watch::new(5, Mixer::stats);
    assert_eq!(watch.hear(&[[1.0, -1.0]; 3]), Ok(()));
    for sample in [1.0f32.next_up(), f32::NAN, f32::NEG_INFINITY] {
        let broken = watch.hear(&[[0.0; 2], [0.5, sample]]).expect_err("not within ±1");
        assert!(broken.what.starts_with("frame 1 of the buffer is "), "{broken}");
    }
}

#[test]
fn more_than_the_config_allows_is_told() {
    let books = Books::new(&voicepool::Config { parked: 3, ..Default::default() });
    let mut stats = Stats::default();
    assert_eq!(books.check(&stats), Ok(()));
    stats.parked = 4;
    assert_eq!(books.check(&stats), Err("parked: 4 of 3 at most".into()));
}

#[test]
fn days_are_many_minutes_and_what_is_not_understood_is_refused() {
    let given = |text: &str| arguments(text.split_whitespace().map(str::to_owned));
    assert_eq!(given("--seed 9 --days 2"), Some((9, Duration::from_secs(2 * 86_400))));
    assert_eq!(given("--minutes 3"), Some((1, Duration::from_secs(180))));
    for wrong in ["--days", "--days many", "--weeks 1", "7"] {
        assert_eq!(given(wrong), None, "{wrong}");
    }
}
