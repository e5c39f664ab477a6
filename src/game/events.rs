//! What happened, handed to the game one by one.

use super::mixer::Mixer;
use crate::message::Event;

/// How many are fetched at once, so that the books are not opened for each.
const FETCH: usize = 8;

/// The events that had come when it was asked for. See [`Mixer::events`].
pub struct Events {
    mixer: Mixer,
    until: u64,
    /// Fetched and not handed out yet, the next one first.
    fetched: [Option<Event>; FETCH],
    next: usize,
}

impl Events {
    pub(super) fn new(mixer: Mixer, until: u64) -> Events {
        Events { mixer, until, fetched: [const { None }; FETCH], next: FETCH }
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
        if self.next == FETCH {
            self.mixer.fetch_events(self.until, &mut self.fetched);
            self.next = 0;
        }
        let event = self.fetched[self.next].take();
        self.next = if event.is_some() { self.next + 1 } else { FETCH };
        event
    }
}

impl Drop for Events {
    /// Who stops in the middle leaves the rest for the next who asks.
    fn drop(&mut self) {
        if self.fetched.iter().any(Option::is_some) {
            self.mixer.return_events(&mut self.fetched);
        }
    }
}
