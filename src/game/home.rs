//! What came home, until it can be let go.

use std::sync::Arc;

use crate::link::message::Made;
use crate::log_line::log_line;
use crate::sound::Sound;
use crate::units;

/// What is to be dropped, or said, once the books are closed again: to free a large sound takes
/// time, and a logger may do anything.
pub(super) struct Home {
    sounds: [Option<Sound>; Home::ROOM],
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

impl Home {
    /// As few as will do: they are looked through each time, and most often there are none.
    const ROOM: usize = 16;

    pub fn new() -> Home {
        Home { sounds: [const { None }; Home::ROOM], count: 0, pool: None, theft: None }
    }

    /// Whether what one more report brings fits: a sound, or a pool.
    pub fn has_room(&self) -> bool {
        self.count < Home::ROOM && self.pool.is_none()
    }

    /// Whether there is nothing to let go, and nothing to say.
    pub fn is_empty(&self) -> bool {
        self.count == 0 && self.pool.is_none() && self.theft.is_none()
    }

    pub fn sound(&mut self, sound: Sound) {
        self.sounds[self.count] = Some(sound);
        self.count += 1;
    }

    pub fn pool(&mut self, pool: Made) {
        self.pool = Some(pool);
    }

    /// The first theft of a mixer's life is to be told: that is how one learns of a full pool.
    pub fn theft(&mut self, voices: usize, thief: &Sound, victim: &Sound, level: f32) {
        let (thief, victim) = (thief.shared_name(), victim.shared_name());
        self.theft = Some(Theft { voices, thief, victim, level });
    }

    /// Frees it all. Not while the books are open.
    pub fn clear_out(self) {
        if let Some(Theft { voices, thief, victim, level }) = &self.theft {
            log_line(format_args!(
                "all {voices} voices were taken, so \"{thief}\" took that of \"{victim}\", heard \
                 at {:.1} dB; from here on see Stats::stolen, and Config::voices to have more",
                units::to_db(*level),
            ));
        }
    }
}
