//! What became of a play, and the name by which it is known.

use std::sync::Arc;

use crate::bus::BusId;
use crate::effect::EffectTrouble;
use crate::stats::OutputState;

/// Names one play. Once the play has ended it names nothing, ever, and in another mixer it never
/// did: a control of it then does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VoiceId {
    pub(crate) mixer: u32,
    pub(crate) ticket: u32,
    pub(crate) generation: u64,
}

impl VoiceId {
    /// The id as a number, for other languages and for what holds only numbers. It is never 0, so
    /// that 0 can stand for nobody.
    ///
    /// ```
    /// # use voicepool::{Config, Mixer, Sound, VoiceId};
    /// # let (mixer, _renderer) = Mixer::offline(Config::DEFAULT)?;
    /// # let coin = Sound::from_mono(48_000, &[0.1; 480])?;
    /// let bits = mixer.play(&coin).map_or(0, VoiceId::to_bits);
    /// assert!(mixer.is_live(VoiceId::from_bits(bits)));
    /// assert!(!mixer.is_live(VoiceId::from_bits(0)));
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    #[must_use]
    pub const fn to_bits(self) -> u128 {
        (self.mixer as u128) << 96 | (self.ticket as u128) << 64 | self.generation as u128
    }

    /// The id that a number was made of. A number that was made of none names nothing; so does one
    /// from another process, unless by chance.
    #[must_use]
    pub const fn from_bits(bits: u128) -> VoiceId {
        VoiceId { mixer: (bits >> 96) as u32, ticket: (bits >> 64) as u32, generation: bits as u64 }
    }
}

/// What happened, for the game to hear of. See [`Mixer::events`](crate::Mixer::events).
///
/// Every event of a play says which play it is (`voice`), its [tag](crate::Play::tag) (`tag`) and on
/// which frame of the clock it happened (`at`), which may lie a little ahead of
/// [`Mixer::clock`](crate::Mixer::clock).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A play is over. Every accepted play says this exactly once.
    #[non_exhaustive]
    Ended {
        /// The play that is over. Its id names nothing any more.
        voice: VoiceId,
        /// The tag of the play.
        tag: u64,
        /// The name of the sound that it played. The sound itself is let go when its play has ended,
        /// whether or not anybody asks for this event.
        name: Arc<str>,
        /// The frame of the clock on which it ended.
        at: u64,
        /// The reason why it ended.
        why: Ending,
    },
    /// A play that had to wait for its frame, because of [`start_at`](crate::Play::start_at),
    /// [`delay`](crate::Play::delay) or [`after`](crate::Play::after), has begun to play. One that found no voice on its frame says
    /// [`Parked`](Event::Parked) or [`Ended`](Event::Ended) instead.
    #[non_exhaustive]
    Started {
        /// The play that has begun.
        voice: VoiceId,
        /// The tag of the play.
        tag: u64,
        /// The frame of the clock on which its first frame is heard.
        at: u64,
    },
    /// A play has no voice any more, or got none: it keeps its time in silence.
    #[doc(alias = "virtual voice")]
    #[non_exhaustive]
    Parked {
        /// The play that has parked.
        voice: VoiceId,
        /// The tag of the play.
        tag: u64,
        /// The frame of the clock on which it parked.
        at: u64,
        /// The reason why it parked.
        why: Parking,
    },
    /// A parked play has a voice again, or got its first, and is heard from where it has come to.
    #[non_exhaustive]
    Unparked {
        /// The play that is heard again.
        voice: VoiceId,
        /// The tag of the play.
        tag: u64,
        /// The frame of the clock from which on it is heard.
        at: u64,
    },
    /// An [effect](crate::Effect) was taken out of its bus, because it did what none may. The bus plays on
    /// without it, and the effect has been dropped, or is dropped when the mixer is next touched.
    #[non_exhaustive]
    EffectFailed {
        /// The bus that it was on.
        bus: BusId,
        /// The frame of the clock on which it was taken out.
        at: u64,
        /// What it did.
        why: EffectTrouble,
    },
    /// What was to be heard of a [stream](crate::Stream) had not been read in time: there is a gap, and the
    /// stream goes on where it would be without one. Told once a second at most;
    /// [`Stats::underruns`](crate::Stats::underruns) counts all.
    #[non_exhaustive]
    Underrun {
        /// The play that has a gap.
        voice: VoiceId,
        /// The tag of the play.
        tag: u64,
        /// The frame of the clock on which it begins to fade out.
        at: u64,
    },
    /// A [stream](crate::Stream) could not be read to its end. Its [`Ended`](Event::Ended) comes next.
    #[non_exhaustive]
    StreamFailed {
        /// The play that has ended early.
        voice: VoiceId,
        /// The tag of the play.
        tag: u64,
        /// What is wrong with its file.
        why: Arc<str>,
    },
    /// The sound goes elsewhere from now on.
    Output(OutputState),
}

/// Why a play is over.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Ending {
    /// It played to its end.
    Finished,
    /// It was stopped, or was to play [after](crate::Play::after) another that did not finish.
    Stopped,
    /// Its voice was given to another.
    Stolen {
        /// The play that has its voice now.
        by: VoiceId,
        /// The tag of that play.
        by_tag: u64,
        /// How loud it was to the ear when it went, linear. See [`to_db`](crate::to_db).
        level: f32,
    },
    /// It was never heard.
    Refused {
        /// The reason why it could not begin.
        why: Refusal,
    },
}

/// Why a play goes on in silence, without a voice.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Parking {
    /// Its voice was given to another.
    Stolen {
        /// The play that has its voice now.
        by: VoiceId,
        /// The tag of that play.
        by_tag: u64,
        /// How loud it was to the ear when it went, linear. See [`to_db`](crate::to_db).
        level: f32,
    },
    /// It was paused, by itself or with its bus, when its voice was wanted or when it was to get one:
    /// nobody hears that it is gone.
    Paused,
    /// Nobody could have heard it: because it is too far off
    /// ([`Attenuation::far`](crate::Attenuation::far)), or for another reason while every voice was taken.
    Inaudible,
    /// The pool became smaller.
    Shrunk,
    /// Every voice was taken when it was to begin, and none could be stolen for it.
    PoolFull,
    /// Its bus, or one above it, had as many voices as it may
    /// ([`Bus::max_voices`](crate::Bus::max_voices)) when it was to begin, and none of these could be stolen
    /// for it.
    BusFull,
    /// As many of its cue played as may ([`Cue::at_most`](crate::Cue::at_most)) when it was to begin, and none
    /// of these could be stolen for it.
    CueFull,
}

/// Why an accepted play could not begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Every voice was taken, and none could be stolen for it.
    PoolFull,
    /// Its bus, or one above it, had as many voices as it may ([`Bus::max_voices`](crate::Bus)), and
    /// none of them could be stolen for it.
    BusFull,
    /// As many of its cue played as may ([`Cue::at_most`](crate::Cue::at_most)), and none of these could be
    /// stolen for it.
    CueFull,
    /// Its cue was played too short a time ago ([`Cue::cooldown`](crate::Cue::cooldown)), and it would not
    /// have been louder.
    Cooldown,
    /// Another of its cue had just begun, and plays with the power of both
    /// ([`Cue::merge_within`](crate::Cue::merge_within)).
    Merged {
        /// The play that it went into.
        into: VoiceId,
    },
    /// It was to begin later, or after another, and [`Config::scheduled`](crate::Config::scheduled) plays were
    /// waiting already.
    ScheduleFull,
    /// It was a [stream](crate::Stream), and [`Config::streams`](crate::Config::streams) were played already.
    NoStream,
    /// Nobody could have heard it, no voice was free, and there was no room to park.
    Inaudible,
    /// It was to play [after](crate::Play::after) what was never a play of this mixer.
    Stranger,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_number_it_becomes() {
        for bits in [0, 1, u128::MAX, 0x1234_5678_9abc_def0_0fed_cba9_8765_4321] {
            assert_eq!(VoiceId::from_bits(bits).to_bits(), bits);
        }
        let id = VoiceId { mixer: 1, ticket: 2, generation: 3 };
        assert_eq!(id.to_bits(), 1 << 96 | 2 << 64 | 3);
    }
}
