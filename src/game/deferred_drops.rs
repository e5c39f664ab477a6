//! What came home from the audio side, until it can be dropped.

use std::sync::Arc;

use crate::bus::BusId;
use crate::effect::{Effect, EffectTrouble};
use crate::link::message::Made;
use crate::log_line::log_line;
use crate::sound::Sound;
use crate::units;

/// What is to be dropped, or logged, once the ledger is unlocked again: to free a large sound takes
/// time, and a logger may do anything.
pub(super) struct DeferredDrops {
    sounds: [Option<Sound>; DeferredDrops::ROOM],
    count: usize,
    made: Option<Made>,
    effect: Option<Box<dyn Effect>>,
    theft: Option<Theft>,
    distance: Option<Distance>,
    failure: Option<(BusId, EffectTrouble)>,
    underrun: Option<Arc<str>>,
    stream: Option<(Arc<str>, Arc<str>)>,
}

struct Theft {
    voices: usize,
    thief: Arc<str>,
    victim: Arc<str>,
    level: f32,
}

struct Distance {
    name: Arc<str>,
    distance: f32,
    far: f32,
}

impl DeferredDrops {
    /// As few as will do: all of them are looked through at the drop, and most often there are none.
    const ROOM: usize = 16;

    pub fn new() -> DeferredDrops {
        let sounds = [const { None }; DeferredDrops::ROOM];
        DeferredDrops {
            sounds,
            count: 0,
            made: None,
            effect: None,
            theft: None,
            distance: None,
            failure: None,
            underrun: None,
            stream: None,
        }
    }

    /// Whether what one more message brings fits: a sound; something made, an effect or both; a line for
    /// the log.
    pub fn has_room(&self) -> bool {
        let is_alone = self.made.is_none() && self.effect.is_none() && self.failure.is_none();
        let is_quiet = self.underrun.is_none() && self.stream.is_none();
        self.count < DeferredDrops::ROOM && is_alone && is_quiet
    }

    /// Whether there is nothing to drop, and nothing to log.
    pub fn is_empty(&self) -> bool {
        let is_quiet = self.theft.is_none() && self.distance.is_none();
        self.has_room() && self.count == 0 && is_quiet
    }

    pub fn add_sound(&mut self, sound: Sound) {
        self.sounds[self.count] = Some(sound);
        self.count += 1;
    }

    pub fn add_made(&mut self, made: Made) {
        self.made = Some(made);
    }

    /// What a game made, which may do anything when it is dropped.
    pub fn add_effect(&mut self, effect: Box<dyn Effect>) {
        self.effect = Some(effect);
    }

    /// Logs that an effect was taken out.
    pub fn log_failure(&mut self, bus: BusId, why: EffectTrouble) {
        self.failure = Some((bus, why));
    }

    /// Logs the first theft of a mixer's life: that is how one learns of a full pool.
    pub fn log_theft(&mut self, voices: usize, thief: &Sound, victim: &Sound, level: f32) {
        let (thief, victim) = (thief.shared_name(), victim.shared_name());
        self.theft = Some(Theft { voices, thief, victim, level });
    }

    /// Logs the first play of a mixer's life that is too far off to be heard: that is how one learns that
    /// distances are in another unit than was thought.
    pub fn log_distance(&mut self, sound: &Sound, distance: f32, far: f32) {
        self.distance = Some(Distance { name: sound.shared_name(), distance, far });
    }

    /// Logs that a stream was not read in time.
    pub fn log_underrun(&mut self, sound: &Sound) {
        self.underrun = Some(sound.shared_name());
    }

    /// Logs that a stream could not be read to its end.
    pub fn log_stream(&mut self, sound: &Sound, why: Arc<str>) {
        self.stream = Some((sound.shared_name(), why));
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
        if let Some(Distance { name, distance, far }) = &self.distance {
            log_line(format_args!(
                "\"{name}\" is {distance} away from the listener and is not heard beyond {far}, so it is parked \
                 until they are nearer; see Attenuation::far, Mixer::set_listener, and Parking::Inaudible",
            ));
        }
        if let Some(name) = &self.underrun {
            log_line(format_args!(
                "what was to be heard of the stream \"{name}\" was not read in time; see Stats::underruns",
            ));
        }
        if let Some((name, why)) = &self.stream {
            log_line(format_args!("the stream \"{name}\" could not be read to its end: {why}"));
        }
        if let Some((bus, why)) = &self.failure {
            log_line(format_args!("the effect of bus {} was taken out: {why}", bus.index()));
        }
    }
}
