//! The naive mixer, and the mixer beside it: shared by the test `model` and by the fuzz target of that name.

mod begin;
mod bus;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod cases_of_places;
mod change;
mod clip;
#[path = "../common/mod.rs"]
mod common;
mod cues;
mod dice;
mod ducks;
mod effects;
mod filter;
mod ghost;
mod joins;
mod limiter;
#[cfg(test)]
mod long;
mod motion;
mod moves;
pub mod naive;
pub mod pair;
mod parking;
mod ramp;
mod room;
mod scenes;
pub mod script;
pub mod script_of_buses;
pub mod script_of_cues;
pub mod script_of_joins;
pub mod script_of_places;
pub mod script_of_streams;
mod shaper;
mod space;
mod spot;
mod stage;
mod steal;
mod streams;
mod submix;
pub mod tally;
mod tree;
mod voice;
mod wishes;

use naive::Happening;
use pair::Pair;
use proptest::test_runner::TestCaseError;
use script::Op;
use tally::Tally;
use voicepool::Config;

/// Plays a script, and a little silence after it. Returns what was told of its plays, and how often
/// what was done.
pub fn agree(config: &Config, script: &[Op]) -> Result<(Vec<Happening>, Tally), TestCaseError> {
    let mut pair = Pair::new(config);
    for op in script {
        pair.carry_out(op)?;
        if pair.is_undecided() {
            break;
        }
    }
    pair.listen(400)?;
    let mut tally = pair.tally().clone();
    if pair.is_undecided() {
        tally.count("a script that was left because a rounding would have decided");
    }
    Ok((pair.told, tally))
}

pub fn is_long() -> bool {
    std::env::var_os("VOICEPOOL_LONG").is_some()
}

/// The naive mixer's levels know nothing of filters. So where there are any nobody is robbed, nor kept from
/// parking by who came back before it.
pub fn agree_with_room(
    roomy: bool,
    config: &Config,
    script: &[Op],
) -> Result<Tally, TestCaseError> {
    let mut config = config.clone();
    if roomy {
        (config.voices, config.max_voices, config.parked) = (250, 300, 100);
    }
    let script = script.iter().filter(|op| !roomy || !matches!(op, Op::Resize(_)));
    agree(&config, &script.cloned().collect::<Vec<_>>()).map(|(_, tally)| tally)
}
