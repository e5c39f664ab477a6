//! A play that lasts as long as somebody keeps it.

use std::time::Duration;

use super::mixer::Mixer;
use crate::event::VoiceId;

/// Keeps a play playing: when this is dropped, the play is stopped with the fade that was given to
/// [`Mixer::hold`]. It also keeps the mixer.
#[derive(Debug)]
#[must_use = "the play is stopped when this is dropped"]
pub struct Held {
    mixer: Mixer,
    voice: Option<VoiceId>,
    fade: Duration,
}

impl Held {
    pub(super) fn new(mixer: Mixer, voice: Option<VoiceId>, fade: Duration) -> Held {
        Held { mixer, voice, fade }
    }

    /// The play, for controls of it. `None` means that it was turned away, as at [`Mixer::play`].
    #[must_use]
    pub fn id(&self) -> Option<VoiceId> {
        self.voice
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.mixer.stop(self.voice, self.fade);
    }
}
