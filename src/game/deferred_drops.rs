//! What came home from the audio side, until it can be dropped.

use std::sync::Arc;

use crate::link::message::Made;
use crate::log_line::log_line;
use crate::sound::Sound;
use crate::units;

/// What is to be dropped, or logged, once the ledger is unlocked again: to free a large sound takes
/// time, and a logger may do anything.
pub(super) struct DeferredDrops {
    sounds: [Option<Sound>; DeferredDrops::ROOM],
    count: usize,
    pool: Option<Made>,
    theft: Option<Theft>,
}

struct Theft {
    voices: usize,
    thief: Arc<str>,
    victim: Arc<str>,
    level: f32,
}

impl DeferredDrops {
    /// As few as will do: all of them are looked through at the drop, and most often there are none.
    const ROOM: usize = 16;

    pub fn new() -> DeferredDrops {
        let sounds = [const { None }; DeferredDrops::ROOM];
        DeferredDrops { sounds, count: 0, pool: None, theft: None }
    }

    /// Whether what one more report brings fits: a sound, or a pool.
    pub fn has_room(&self) -> bool {
        self.count < DeferredDrops::ROOM && self.pool.is_none()
    }

    /// Whether there is nothing to drop, and nothing to log.
    pub fn is_empty(&self) -> bool {
        self.count == 0 && self.pool.is_none() && self.theft.is_none()
    }

    pub fn add_sound(&mut self, sound: Sound) {
        self.sounds[self.count] = Some(sound);
        self.count += 1;
    }

    pub fn add_pool(&mut self, pool: Made) {
        self.pool = Some(pool);
    }

    /// Logs the first theft of a mixer's life: that is how one learns of a full pool.
    pub fn log_theft(&mut self, voices: usize, thief: &Sound, victim: &Sound, level: f32) {
        let (thief, victim) = (thief.shared_name(), victim.shared_name());
        self.theft = Some(Theft { voices, thief, victim, level });
    }

    /// Drops and logs it all. Not while the ledger is locked.
    pub fn release(self) {
        if let Some(Theft { voices, thief, victim, level }) = &self.theft {
            log_line(format_args!(
                "all {voices} voices were taken, so \"{thief}\" took that of \"{victim}\", heard \
                 at {:.1} dB; from here on see Stats::stolen, and Config::voices to have more",
                units::to_db(*level),
            ));
        }
    }
}
