//! What happened, handed to the game one by one.

use super::event_queue::Batch;
use super::mixer::Mixer;
use crate::event::Event;

/// How many are fetched at once, so that the ledger is not locked for each.
const FETCH: usize = 8;

/// The events that had come when it was asked for. See [`Mixer::events`].
#[must_use = "events that are not read stay in the queue"]
pub struct Events {
    mixer: Mixer,
    until: u64,
    /// What was fetched, of which the first `next` were handed out.
    fetched: [Option<Event>; FETCH],
    batch: Batch,
    next: usize,
}

impl Events {
    pub(super) fn new(mixer: Mixer, until: u64) -> Events {
        Events { mixer, until, fetched: [const { None }; FETCH], batch: Batch::default(), next: 0 }
    }

    /// Fetches the next few, if there are any.
    #[inline(never)]
    fn fetch(&mut self) {
        let Events { until, fetched, .. } = self;
        if self.batch.first + (self.batch.count as u64) < *until {
            self.batch = self.mixer.with_events(|events| events.take(*until, fetched));
            self.next = 0;
        }
    }
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}

impl Iterator for Events {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        if self.next == self.batch.count {
            self.fetch();
        }
        let event = self.fetched.get_mut(self.next)?.take()?;
        self.next += 1;
        Some(event)
    }
}

impl Drop for Events {
    /// Who stops in the middle leaves the rest for the next who asks.
    fn drop(&mut self) {
        if self.next == self.batch.count {
            return;
        }
        self.mixer.with_events(|events| {
            for (number, place) in (self.batch.first..).zip(&mut self.fetched) {
                if let Some(event) = place.take() {
                    events.give_back(number, event);
                }
            }
        });
    }
}
