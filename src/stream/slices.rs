//! Streams where there are no threads: whoever waits for them decodes, a block of each at a time.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::begin;
use super::filters::Filters;
use super::job::Job;
use crate::guarded::guarded;
use crate::link::feed::Feeder;
use crate::sound::{Sound, Stream};

/// Decodes the streams of a mixer when it is told to.
pub(crate) struct Slices {
    jobs: Mutex<Vec<Job>>,
    filters: Filters,
}

impl Slices {
    pub fn new() -> Slices {
        Slices { jobs: Mutex::default(), filters: Filters::default() }
    }

    fn jobs(&self) -> MutexGuard<'_, Vec<Job>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Feeder for Slices {
    fn open(&self, stream: &Stream, rate: u32) -> Sound {
        let (sound, job) = begin(stream, rate, &self.filters);
        let mut jobs = self.jobs();
        // Nobody may ever wait.
        jobs.retain(|job| !job.is_over());
        jobs.push(job);
        sound
    }

    /// Makes the next block of each stream that lacks one. Returns whether one was made.
    fn wait(&self) -> bool {
        let mut jobs = self.jobs();
        jobs.retain(|job| !job.is_over());
        let mut has_made = false;
        for job in jobs.iter_mut().filter_map(|job| job.look().then_some(job)) {
            // A reader is the game's own, and may do anything.
            if guarded(|| job.work()).is_none() {
                job.give_up();
            }
            has_made = true;
        }
        has_made
    }
}
