//! What happened, handed to the game one by one.

use super::event_queue::Batch;
use super::mixer::Mixer;
use crate::event::Event;

/// How many are fetched at once, so that the ledger is not locked for each.
const FETCH: usize = 8;

/// The events that had come when it was asked for. See [`Mixer::events`].
#[must_use = "events that are not read stay in the queue"]
pub struct Events {
    /// None where nothing happened.
    mixer: Option<Mixer>,
    until: u64,
    /// What was fetched, of which the first `next` were handed out.
    fetched: [Option<Event>; FETCH],
    batch: Batch,
    next: usize,
}

impl Events {
    pub(super) fn new(mixer: Mixer, until: u64) -> Events {
        let mut events = Events::none();
        (events.mixer, events.until) = (Some(mixer), until);
        events
    }

    /// Those of a mixer that has not begun.
    pub(crate) fn none() -> Events {
        let fetched = [const { None }; FETCH];
        Events { mixer: None, until: 0, fetched, batch: Batch::default(), next: 0 }
    }

    /// Fetches the next few, if there are any.
    #[inline(never)]
    fn fetch(&mut self) {
        let Events { mixer, until, fetched, .. } = self;
        if let Some(mixer) = mixer
            && self.batch.first + (self.batch.count as u64) < *until
        {
            self.batch = mixer.with_events(|events| events.take(*until, fetched));
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
        let Events { mixer, fetched, .. } = self;
        let Some(mixer) = mixer.as_ref().filter(|_| self.next < self.batch.count) else { return };
        mixer.with_events(|events| {
            for (number, place) in (self.batch.first..).zip(fetched) {
                if let Some(event) = place.take() {
                    events.give_back(number, event);
                }
            }
        });
    }
}
