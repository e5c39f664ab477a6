//! What became of a play, and the name by which it is known.

use std::sync::Arc;

use crate::stats::OutputState;

/// Names one play. Once the play has ended it names nothing, ever, and in another mixer it never
/// did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VoiceId {
    pub(crate) mixer: u32,
    pub(crate) ticket: u32,
    pub(crate) generation: u64,
}

/// What happened, for the game to hear of. See [`Mixer::events`](crate::Mixer::events).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A play is over. Every accepted play says this exactly once.
    Ended {
        /// Which.
        voice: VoiceId,
        /// Its tag.
        tag: u64,
        /// The name of the sound that it played. The sound itself is let go when its play has ended,
        /// whether or not anybody asks for this event.
        name: Arc<str>,
        /// On which frame of the clock. It may lie a little ahead of [`Mixer::clock`](crate::Mixer::clock).
        at: u64,
        /// And why.
        why: Ending,
    },
    /// A play has no voice any more, or got none: it keeps its time in silence.
    Parked {
        /// Which.
        voice: VoiceId,
        /// Its tag.
        tag: u64,
        /// On which frame of the clock. It may lie a little ahead of [`Mixer::clock`](crate::Mixer::clock).
        at: u64,
        /// And why.
        why: Parking,
    },
    /// A parked play has a voice again, or got its first, and is heard from where it has come to.
    Unparked {
        /// Which.
        voice: VoiceId,
        /// Its tag.
        tag: u64,
        /// On which frame of the clock. It may lie a little ahead of [`Mixer::clock`](crate::Mixer::clock).
        at: u64,
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
    /// It was stopped.
    Stopped,
    /// Its voice was given to another.
    Stolen {
        /// To whom.
        by: VoiceId,
        /// And that one's tag.
        by_tag: u64,
        /// How loud it was to the ear when it went, linear. See [`to_db`](crate::to_db).
        level: f32,
    },
    /// It was never heard.
    Refused {
        /// Why not.
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
    /// Nobody could have heard it, and every voice was taken.
    Inaudible,
    /// The pool became smaller.
    Shrunk,
    /// Every voice was taken when it was to begin, and none could be stolen for it.
    PoolFull,
}

/// Why an accepted play could not begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Every voice was taken, and none could be stolen for it.
    PoolFull,
    /// It was to begin later, and [`Config::scheduled`](crate::Config::scheduled) plays were
    /// waiting already.
    ScheduleFull,
    /// Nobody could have heard it, every voice was taken, and there was no room to park.
    Inaudible,
}
