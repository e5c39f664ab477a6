//! The buses: their names, and what can be said about them.

mod mix;

use crate::Frame;
use crate::config::WhenFull;
use crate::link::message::{HIGH_PASS_OFF, LOW_PASS_OFF};
use crate::play::{sanitize_gain, sanitize_high_pass, sanitize_low_pass, sanitize_speed};
use crate::reverb::RoomId;

pub use mix::Mix;

/// One of the 32 buses. They exist from the start; there is nothing to make. Each has a gain and a mute,
/// can be paused, stopped, slowed down, filtered and sent to a [room](RoomId), and leads to another bus:
/// to the master, which is bus 0, unless [`Mixer::set_bus`](crate::Mixer::set_bus) says otherwise. What is
/// said to a bus holds for all below it.
///
/// A number that there is not panics, and in a constant it does not compile:
///
/// ```
/// use voicepool::BusId;
/// const MUSIC: BusId = BusId::new(1);
/// const LAST: BusId = BusId::new(31);
/// ```
///
/// ```compile_fail
/// const NONE: voicepool::BusId = voicepool::BusId::new(32);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[doc(alias("channel", "group"))]
pub struct BusId(u8);

impl BusId {
    /// The whole: what is said to it is said to every sound.
    pub const MASTER: BusId = BusId(0);

    /// How many buses there are, the master included.
    pub const COUNT: usize = 32;

    /// Bus `n`, from 0 (the master) to 31.
    ///
    /// # Panics
    ///
    /// If `n` is 32 or more; at compile time where it is a constant.
    pub const fn new(n: u8) -> BusId {
        assert!((n as usize) < BusId::COUNT, "buses are numbered from 0 to 31");
        BusId(n)
    }

    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    pub(crate) fn from_index(index: u32) -> Option<BusId> {
        u8::try_from(index).ok().filter(|n| usize::from(*n) < BusId::COUNT).map(BusId)
    }

    /// All of them, in the order of their numbers.
    pub(crate) fn all() -> impl Iterator<Item = BusId> {
        (0..BusId::COUNT as u8).map(BusId)
    }
}

/// Where a bus belongs, and how many voices it and all below it may have. See
/// [`Mixer::set_bus`](crate::Mixer::set_bus).
///
/// ```
/// use voicepool::{Bus, BusId};
/// const SOUNDS: BusId = BusId::new(1);
/// const STEPS: Bus = Bus { parent: SOUNDS, max_voices: Some(6), ..Bus::DEFAULT };
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bus {
    /// The bus that it leads to. [`BusId::MASTER`] unless told otherwise; the master leads nowhere, so
    /// its own parent counts for nothing.
    pub parent: BusId,
    /// How many voices may play on it and all below it at once: `None`, as many as there are, unless
    /// told otherwise. At its limit, a newcomer takes the place of one *of the bus*, as `when_full`
    /// says. A limit that is lowered cuts nobody off.
    #[doc(alias = "polyphony")]
    pub max_voices: Option<usize>,
    /// How many of the pool's voices are kept for it and all below it, whoever else wants them: 0 unless
    /// told otherwise.
    pub reserved: usize,
    /// What happens at the limit. `None`, the default, is what holds for the mixer.
    pub when_full: Option<WhenFull>,
}

impl Bus {
    /// Into the master, without limits: what every bus is at first.
    pub const DEFAULT: Bus =
        Bus { parent: BusId::MASTER, max_voices: None, reserved: 0, when_full: None };
}

impl Default for Bus {
    fn default() -> Bus {
        Bus::DEFAULT
    }
}

/// All that was set on a bus. See [`Mixer::bus`](crate::Mixer::bus) and [`Mix`].
///
/// It is as it was set, not as it sounds at this moment: a gain that is on its way counts as arrived. It is
/// plain data, so that a save game can keep it. Fields may be added in any release, so write
/// `..BusState::DEFAULT` for those that are not named.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BusState {
    /// Where it belongs, and how many voices it may have.
    pub settings: Bus,
    /// Its gain, linear, from 0 to 1000. Default: 1.
    pub gain: f32,
    /// Whether it is muted. Default: `false`.
    pub muted: bool,
    /// Whether it is paused. Default: `false`.
    pub paused: bool,
    /// Its speed, a ratio from 0.01 to 100. Default: 1.
    pub speed: f32,
    /// The cut-off of its low-pass, in Hz. Default: 20,000, which is off.
    #[doc(alias("lowpass", "muffle"))]
    pub low_pass: f32,
    /// The cut-off of its high-pass, in Hz. Default: 20, which is off.
    #[doc(alias = "highpass")]
    pub high_pass: f32,
    /// How much of it each of the rooms gets, linear, by their numbers. Default: 0, nothing.
    pub sends: [f32; RoomId::COUNT],
}

impl BusState {
    /// What every bus is at first: into the master, open, at its own speed, as it is.
    pub const DEFAULT: BusState = BusState {
        settings: Bus::DEFAULT,
        gain: 1.0,
        muted: false,
        paused: false,
        speed: 1.0,
        low_pass: LOW_PASS_OFF,
        high_pass: HIGH_PASS_OFF,
        sends: [0.0; RoomId::COUNT],
    };

    /// The same within its limits, as the state of a bus: the master leads nowhere and sends nothing.
    pub(crate) fn sanitized(self, bus: BusId) -> BusState {
        let is_master = bus == BusId::MASTER;
        let parent = if is_master { BusId::MASTER } else { self.settings.parent };
        BusState {
            settings: Bus { parent, ..self.settings },
            gain: sanitize_gain(self.gain),
            speed: sanitize_speed(self.speed),
            low_pass: sanitize_low_pass(self.low_pass),
            high_pass: sanitize_high_pass(self.high_pass),
            sends: if is_master { [0.0; RoomId::COUNT] } else { self.sends.map(sanitize_gain) },
            ..self
        }
    }
}

impl Default for BusState {
    /// [`BusState::DEFAULT`].
    fn default() -> BusState {
        BusState::DEFAULT
    }
}

/// What a bus has counted. See [`Mixer::bus_stats`](crate::Mixer::bus_stats).
///
/// Plays are counted on the bus and on all that lead to it now. Levels, peaks and gains are linear;
/// [`to_db`](crate::to_db) makes decibels of them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BusStats {
    /// How many voices are taken.
    pub playing: usize,
    /// The most voices that were taken at once since the peaks were
    /// [reset](crate::Mixer::reset_peaks): what to choose [`Bus::max_voices`] and [`Bus::reserved`] by.
    pub most: usize,
    /// How often a voice was given to another, whether its play ended or
    /// [parked](crate::Event::Parked). A parking of which no event could be told is not counted.
    pub stolen: u64,
    /// The loudest that such a voice was when it went, since the peaks were reset.
    pub loudest_lost: f32,
    /// The highest peaks, left and right, of what leaves the bus, after its gain, since the peaks were
    /// reset. `None` where that is not measured: a bus without a filter, a send or an effect is not mixed
    /// by itself.
    pub peak: Option<Frame>,
    /// How far it is turned down at this moment by its [ducks](crate::Duck): 1 is not at all.
    pub duck: f32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_32_buses() {
        assert_eq!(BusId::all().map(BusId::index).collect::<Vec<_>>(), (0..32).collect::<Vec<_>>());
        assert_eq!(BusId::new(31).index(), 31);
        for n in [32, 255] {
            assert!(std::panic::catch_unwind(|| BusId::new(n)).is_err());
        }
    }
}
