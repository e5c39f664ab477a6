//! How often what happened in a run of scripts: what never did proves nothing.

use std::collections::BTreeMap;
use std::fmt;

#[derive(Clone, Debug, Default)]
pub struct Tally(BTreeMap<String, u64>);

impl Tally {
    pub fn count(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }

    pub fn add(&mut self, other: &Tally) {
        for (what, count) in &other.0 {
            *self.0.entry(what.clone()).or_default() += count;
        }
    }

    /// All of these must have happened so often, at the least.
    pub fn assert_each<'a>(&self, least: u64, all: impl IntoIterator<Item = &'a str>) {
        for what in all {
            let count = self.0.get(what).copied().unwrap_or(0);
            assert!(count >= least, "{what}: only {count} times, of\n{self}");
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(what, count)| writeln!(f, "{count:8} {what}"))
    }
}
