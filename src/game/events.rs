//! What happened, handed to the game one by one.

use super::mixer::Mixer;
use crate::message::Event;

/// The events that had come when it was asked for. See [`Mixer::events`].
pub struct Events {
    mixer: Mixer,
    until: u64,
}

impl Events {
    pub(super) fn new(mixer: Mixer, until: u64) -> Events {
        Events { mixer, until }
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
        self.mixer.next_event(self.until)
    }
}
