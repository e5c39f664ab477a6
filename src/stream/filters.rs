//! The filters between the rates of streams and of the mixer, which all who need them share: each is as large as
//! half a second of sound, and takes a moment to work out.

use std::sync::{Arc, Mutex, PoisonError};

use crate::sound::resample::Filter;

/// How many are kept for the next one who needs them: more rates than a game has.
const MOST: usize = 4;

/// Those that were needed last, the latest first.
#[derive(Default)]
pub(super) struct Filters(Mutex<Vec<Kept>>);

struct Kept {
    rates: [u32; 2],
    filter: Arc<Filter>,
}

impl Filters {
    /// The filter from one rate to another; none, if they are the same.
    pub fn between(&self, from: u32, to: u32) -> Option<Arc<Filter>> {
        if from == to {
            return None;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|it| it.rates == [from, to]);
        let filter = match at {
            Some(at) => kept.remove(at),
            None => Kept { rates: [from, to], filter: Arc::new(Filter::new(from, to)) },
        };
        let shared = filter.filter.clone();
        kept.truncate(MOST - 1);
        kept.insert(0, filter);
        Some(shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filters_that_were_needed_last_are_shared() {
        let filters = Filters::default();
        let first = filters.between(1, 2).unwrap();
        assert!(filters.between(2, 2).is_none());
        for to in 3..3 + MOST as u32 - 1 {
            filters.between(1, to);
        }
        assert!(Arc::ptr_eq(&first, &filters.between(1, 2).unwrap()));
        filters.between(7, 1);
        assert!(Arc::ptr_eq(&first, &filters.between(1, 2).unwrap()), "the oldest has gone");
        (3..3 + MOST as u32).for_each(|to| drop(filters.between(1, to)));
        assert!(!Arc::ptr_eq(&first, &filters.between(1, 2).unwrap()));
    }
}
