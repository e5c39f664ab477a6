//! The buses as a whole: their tree, the mix, the rooms, ducks and effects.

use std::time::Duration;

use super::Mixer;
use crate::Error;
use crate::bus::{Bus, BusId, BusState, BusStats, Mix};
use crate::duck::Duck;
use crate::effect::{Effect, Tame};
use crate::reverb::{Reverb, RoomId};
use crate::units;

impl Mixer {
    /// Says where a bus belongs, and how many voices it and all below it may have. All of it is said at
    /// once: what is not named is as in [`Bus::DEFAULT`].
    ///
    /// Gains, mutes, pauses and speeds multiply on the way to the master, so that a slider, a pause and a
    /// duck can have a bus each. A bus that is heard fades out over 5 ms on its old way and in on its new one;
    /// limits and reserves hold at once.
    ///
    /// ```
    /// use voicepool::{Bus, BusId, Config, Mixer};
    ///
    /// const WORLD: BusId = BusId::new(1);
    /// const SPEECH: BusId = BusId::new(2);
    /// const STEPS: BusId = BusId::new(3);
    ///
    /// let (mixer, _renderer) = Mixer::offline(Config::DEFAULT)?;
    /// mixer.set_bus(SPEECH, Bus { reserved: 4, ..Bus::DEFAULT })?;
    /// mixer.set_bus(STEPS, Bus { parent: WORLD, max_voices: Some(6), ..Bus::DEFAULT })?;
    /// assert!(mixer.set_bus(WORLD, Bus { parent: STEPS, ..Bus::DEFAULT }).is_err()); // a circle
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Bus`], and then nothing is changed: if its parent leads back to it; if more would be reserved
    /// in all than there are voices, or on some bus than it may have; if a [duck](Mixer::set_duck) would act on
    /// what it listens to.
    pub fn set_bus(&self, bus: BusId, settings: Bus) -> Result<(), Error> {
        self.with_ledger(|ledger| ledger.set_bus(bus, settings))
    }

    /// All that was set on a bus.
    #[must_use]
    pub fn bus(&self, bus: BusId) -> BusState {
        self.with_ledger(|ledger| ledger.bus(bus))
    }

    /// All that was set on all buses, for [`set_mix`](Mixer::set_mix) to bring back.
    pub fn mix(&self) -> Mix {
        self.with_ledger(|ledger| ledger.mix())
    }

    /// Brings all buses back to what they were: gains, speeds, filters and sends change over this time,
    /// pauses fade with it, mutes take 5 ms, all from one line of the grid on. Only what differs is sent.
    ///
    /// The settings come back too. If they fit no more, because the pool has become smaller than what they
    /// reserve or because of a [duck](Mixer::set_duck) that came since, they stay as they are, and all else
    /// comes back. Rooms, ducks and effects are no part of a mix.
    ///
    /// ```
    /// # use voicepool::{BusId, Config, Mixer, ms};
    /// # let (mixer, _renderer) = Mixer::offline(Config::DEFAULT)?;
    /// # const WORLD: BusId = BusId::new(1);
    /// let game = mixer.mix();
    /// // The menu opens.
    /// mixer.pause(WORLD, ms(200));
    /// mixer.set_low_pass(BusId::MASTER, 800.0, ms(200));
    /// // And closes.
    /// mixer.set_mix(&game, ms(200));
    /// assert_eq!(mixer.mix(), game);
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    pub fn set_mix(&self, mix: &Mix, over: Duration) {
        let over = self.short_frames(over);
        self.with_ledger(|ledger| ledger.set_mix(mix, over));
    }

    /// What a bus has counted, with all below it. [`reset_peaks`](Mixer::reset_peaks) begins its peaks anew.
    #[must_use]
    pub fn bus_stats(&self, bus: BusId) -> BusStats {
        self.with_ledger(|ledger| ledger.bus_stats(bus))
    }

    /// Says how a room sounds. The first time, that makes it; later it is cross-faded over this time, which is
    /// never shorter than 5 ms. [`set_send`](Mixer::set_send) and [`Play::send`](crate::Play::send) say what is
    /// heard in it.
    ///
    /// While another change of that room is under way, or the queue has no room, the latest wish waits as
    /// every other control does. It is sent when the mixer is next touched after that.
    ///
    /// ```
    /// # use voicepool::{BusId, Config, Mixer, Reverb, RoomId, ms, secs};
    /// # let (mixer, _renderer) = Mixer::offline(Config::DEFAULT)?;
    /// const WORLD: BusId = BusId::new(1);
    /// const CAVE: RoomId = RoomId::new(0);
    /// mixer.set_reverb(CAVE, Reverb { decay: secs(3.5), size: 0.8, ..Reverb::DEFAULT }, ms(0));
    /// mixer.set_send(WORLD, CAVE, 0.4, ms(500)); // in we go
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    pub fn set_reverb(&self, room: RoomId, reverb: Reverb, over: Duration) {
        let (reverb, over) = (reverb.sanitized(), self.short_frames(over).max(self.declick()));
        self.with_ledger(|ledger| ledger.set_reverb(room, reverb, over));
    }

    /// Turns a bus down while another sounds, or no more: music that makes room for speech. A bus can make
    /// room for several, and several can for one; there can be 64 ducks in all. What is said of the same two
    /// buses again takes the place of what was said before.
    ///
    /// ```
    /// # use voicepool::{BusId, Config, Duck, Mixer};
    /// # let (mixer, _renderer) = Mixer::offline(Config::DEFAULT)?;
    /// const MUSIC: BusId = BusId::new(1);
    /// const SPEECH: BusId = BusId::new(2);
    /// mixer.set_duck(MUSIC, SPEECH, Some(Duck::DEFAULT))?;
    /// assert!(mixer.set_duck(SPEECH, MUSIC, Some(Duck::DEFAULT)).is_err()); // a circle
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Duck`], and then nothing is changed: if it, or one that follows from it, would act on what it
    /// listens to; if there are 64 already.
    #[doc(alias = "sidechain")]
    pub fn set_duck(&self, bus: BusId, by: BusId, duck: Option<Duck>) -> Result<(), Error> {
        let duck = duck.map(|duck| duck.frames(self.sample_rate(), self.declick()));
        self.with_ledger(|ledger| ledger.set_duck(bus, by, duck))
    }

    /// Puts an effect of your own on a bus, or takes it away. It is prepared here, on this thread, then crosses
    /// to the audio thread, and comes home when another takes its place: to be dropped by whichever thread next
    /// touches the mixer. With a renderer that is gone, it is dropped at once.
    ///
    /// While another change of that bus is under way, or the queue has no room, the latest wish waits as every
    /// other control does, and the one that it takes the place of is dropped unheard. It is sent when the mixer
    /// is next touched after that.
    ///
    /// # Errors
    ///
    /// In the browser, whose audio thread has a memory of its own, to which no code crosses
    /// ([`Error::Effect`]). Nowhere else.
    pub fn set_effect(&self, bus: BusId, effect: Option<Box<dyn Effect>>) -> Result<(), Error> {
        if effect.is_some() && self.shared.bridge.is_far() {
            return Err(Error::Effect { bus });
        }
        let effect = effect.map(|effect| Tame::prepared(effect, self.sample_rate()));
        // The ledger is unlocked by the time it is dropped.
        let unused = self.with_ledger(|ledger| ledger.set_effect(bus, effect));
        drop(unused);
        Ok(())
    }

    fn declick(&self) -> u32 {
        units::declick(self.sample_rate())
    }
}
