//! How big a mixer is, and what it does when it is full.

use std::time::Duration;

use crate::Error;
use crate::units::ms;

/// The sizes and answers a mixer is opened with. All memory follows from these.
///
/// Fields may be added in any release, so write `..Config::DEFAULT` (or `..Config::default()`) for
/// those that are not named. Sizes are at least 1 and at most 1,048,576; what is out of its limits is
/// an [`Error::Config`] when the mixer is opened.
///
/// ```
/// use voicepool::{Config, WhenFull};
///
/// const QUIZ: Config = Config { voices: 32, when_full: WhenFull::StealOldest, ..Config::DEFAULT };
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// How many voices can sound at once. Default: 64.
    #[doc(alias = "polyphony")]
    pub voices: usize,
    /// How many voices [`resize`](crate::Mixer::resize) and [`WhenFull::Grow`] may go up to; no fewer
    /// than [`voices`](Config::voices). Default: 256.
    pub max_voices: usize,
    /// How many plays may keep their time silently without a voice, until there is one for them. See
    /// [`WhenStolen`](crate::WhenStolen) and [`Parking`](crate::Parking). Default: 256.
    #[doc(alias = "virtual voice")]
    pub parked: usize,
    /// How many plays may wait for their [`start_at`](crate::Play::start_at) or
    /// [`delay`](crate::Play::delay). Default: 256.
    pub scheduled: usize,
    /// How many commands may wait for the audio thread, which empties the queue with each buffer:
    /// plays and controls, one each (a [`Tag`](crate::Tag): one for each of its plays). It is also how
    /// many events may wait for the game. Default: 1024.
    pub commands: usize,
    /// How many [streams](crate::Stream) may be read at once: each takes 0.4 to 0.9 MB while it plays, beside
    /// what its decoder needs. What is parked does not count. Default: 8.
    pub streams: usize,
    /// How many [cues](crate::Cue) the mixer remembers: what each played last, and what of it plays. When
    /// another one is played, the one that was not for longest is forgotten. Default: 256.
    pub cues: usize,
    /// The mixer's rate in frames a second, from 1 to 384,000. [`Mixer::open`](crate::Mixer::open)
    /// takes the first device's own instead, if there is a device. Default: 48,000.
    pub sample_rate: u32,
    /// What a play does that finds no free voice. Default: [`WhenFull::StealQuietest`].
    pub when_full: WhenFull,
    /// How sounds are read between their samples. Default: [`Interpolation::Cubic`].
    pub interpolation: Interpolation,
    /// What the dice of [cues](crate::Cue) begin with: with the same seed, the same plays roll the same, on
    /// every platform. Default: 0.
    pub seed: u64,
    /// The output to play on, by its name in [`devices`](crate::devices); `None` is the system's
    /// default. While there is none of that name, or it cannot be had, the default plays; when it
    /// is back, the sound goes over to it. Default: `None`.
    pub device: Option<String>,
    /// How much sound the device is asked to fetch at a time; it may choose another size. What is
    /// below 1 ms or above 500 ms is brought to the nearest of these. Default: 10 ms.
    pub buffer: Duration,
}

impl Config {
    /// The defaults, as a constant, so that settings made from them can be constants too.
    pub const DEFAULT: Config = Config {
        voices: 64,
        max_voices: 256,
        parked: 256,
        scheduled: 256,
        commands: 1024,
        streams: 8,
        cues: 256,
        sample_rate: 48_000,
        when_full: WhenFull::StealQuietest,
        interpolation: Interpolation::Cubic,
        seed: 0,
        device: None,
        buffer: ms(10),
    };
}

impl Default for Config {
    /// [`Config::DEFAULT`].
    fn default() -> Config {
        Config::DEFAULT
    }
}

/// The most that any size in a [`Config`] may be: a million.
pub(crate) const MOST: usize = 1 << 20;

/// The rates that a sound or a mixer may have: anything a converter or a toy test has ever used.
pub(crate) const RATES: std::ops::RangeInclusive<u32> = 1..=384_000;

impl Config {
    /// Says what is wrong, if anything is.
    pub(crate) fn check(&self) -> Result<(), Error> {
        for (field, value) in [
            ("voices", self.voices),
            ("max_voices", self.max_voices),
            ("parked", self.parked),
            ("scheduled", self.scheduled),
            ("commands", self.commands),
            ("streams", self.streams),
            ("cues", self.cues),
        ] {
            if value == 0 {
                return Err(Error::Config { field, value, fault: "it must be at least 1" });
            }
            if value > MOST {
                return Err(Error::Config { field, value, fault: "it must be at most 1048576" });
            }
        }
        if self.max_voices < self.voices {
            let fault = "it must be at least Config::voices";
            return Err(Error::Config { field: "max_voices", value: self.max_voices, fault });
        }
        if !RATES.contains(&self.sample_rate) {
            let (field, value) = ("sample_rate", self.sample_rate as usize);
            return Err(Error::Config { field, value, fault: "it must be 1 to 384000 Hz" });
        }
        Ok(())
    }

    /// How many plays can be under way: in the queue, waiting, parked and sounding.
    pub(crate) fn tickets(&self) -> usize {
        self.commands + self.scheduled + self.parked + self.max_voices
    }

    /// How many notices can be under way: on one line a play may park and another come back for
    /// every place there is, and all that are scheduled may start.
    pub(crate) fn notices(&self) -> usize {
        2 * self.parked + self.scheduled
    }
}

/// What a play does that finds every voice taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WhenFull {
    /// The voice that would be missed least gives way: the one with the least still to be heard.
    #[default]
    StealQuietest,
    /// The voice that has played longest gives way.
    StealOldest,
    /// The play is refused; or parked, if it may be. Nobody is robbed, now or later.
    Refuse,
    /// The pool grows, up to [`Config::max_voices`], and steals the quietest from there on. Plays
    /// that wait for their frame count too, since they will need a voice. It shrinks back once the
    /// extra voices have been idle for ten seconds.
    Grow,
}

/// How a sound is read between its samples, when its speed or rate is not the mixer's own.
/// At equal rates and normal speed samples pass untouched, whatever is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Interpolation {
    /// Two points. The cheapest; dulls the treble.
    Linear,
    /// Four points (Catmull-Rom).
    #[default]
    Cubic,
    /// Sixteen points, a windowed sinc. The cleanest, and the dearest.
    Sinc,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(config: Config) -> String {
        config.check().unwrap_err().to_string()
    }

    #[test]
    fn a_bad_config_is_told_which_field_is_wrong() {
        let good = Config::default();
        assert!(good.check().is_ok());
        assert_eq!(
            fault(Config { voices: 0, ..good.clone() }),
            "Config::voices is 0: it must be at least 1"
        );
        assert_eq!(
            fault(Config { max_voices: 63, ..good.clone() }),
            "Config::max_voices is 63: it must be at least Config::voices"
        );
        assert_eq!(
            fault(Config { commands: usize::MAX, ..good.clone() }),
            format!("Config::commands is {}: it must be at most 1048576", usize::MAX)
        );
        for rate in [0, 384_001] {
            assert_eq!(
                fault(Config { sample_rate: rate, ..good.clone() }),
                format!("Config::sample_rate is {rate}: it must be 1 to 384000 Hz")
            );
        }
    }
}
