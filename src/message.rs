//! The contract between the two sides: what the game says, and what comes back.

use std::sync::Arc;

use crate::config::WhenFull;
use crate::play::{BusId, Priority};
use crate::sound::Sound;
use crate::stats::OutputState;

/// The voices the audio side mixes from. The game side makes and frees them, so that the audio
/// side does neither; it never looks inside.
pub(crate) use crate::audio::Berths;

/// The grid, in frames: commands take effect on its lines, and whole quanta are computed, whatever
/// the size of the buffers that are asked for.
pub(crate) const QUANTUM: usize = 128;

/// Names one play. Once the play has ended it names nothing, ever, and in another mixer it never
/// did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VoiceId {
    pub(crate) mixer: u32,
    pub(crate) ticket: u32,
    pub(crate) generation: u64,
}

/// What the game says. A ticket is enough to name a play: the game side gives a ticket out again
/// only after it has collected the ending of the play that held it, so a control in the queue can
/// meet no later play.
pub(crate) enum Command {
    Play(Request),
    Voice {
        ticket: u32,
        change: Change,
    },
    Bus {
        bus: BusId,
        change: Change,
    },
    /// Growing and shrinking: mix from these from now on, and send the old ones home.
    Resize(Box<Berths>),
}

/// A play, with all of it in frames and tamed.
pub(crate) struct Request {
    pub sound: Sound,
    pub ticket: u32,
    pub gain: f32,
    pub pan: f32,
    pub speed: f32,
    /// In the sound's own frames.
    pub position: u32,
    pub looping: Option<Loop>,
    /// In the mixer's frames.
    pub fade_in: u32,
    pub start: Start,
    pub priority: Priority,
    pub bus: BusId,
    pub park: bool,
    pub when_full: WhenFull,
    /// Only a play that still waits for its frame can be paused before it has begun.
    pub paused: bool,
}

/// Where a loop turns, in the sound's own frames: from `end` back to `start`, never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    pub start: u32,
    pub end: u32,
    /// How many frames before its end, and as many from its start on, are those of the sound's
    /// seam and not the clip's own: half of the loop at most, rounded up (both halves of a loop of
    /// an odd length have the frame in its middle), and 0 if it has none.
    pub seam: u32,
}

impl Loop {
    /// Whether none of its frames are the clip's own.
    pub fn is_all_seam(self) -> bool {
        2 * self.seam >= self.end - self.start
    }
}

/// Its tag is a whole word, and so are those of [`End`] and [`Park`], because [`Command`] and
/// [`Report`] keep their own tags in the first two: a message that is taken apart at a byte has a
/// processor wait at every move.
#[derive(Clone, Copy, Debug)]
#[repr(u64)]
pub(crate) enum Start {
    /// On this frame of the clock, or at once if it is past.
    At(u64),
    /// This many frames after the command takes effect.
    After(u64),
}

/// A control. Times are in frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Change {
    Stop { fade: u32 },
    Pause,
    Resume,
    Gain { to: f32, over: u32 },
    Pan { to: f32, over: u32 },
    Speed { to: f32, over: u32 },
    Seek { to: u32 },
}

/// What comes back. Every accepted play sends exactly one `Ended`, which carries its sound home.
pub(crate) enum Report {
    Ended(Ended),
    Parked {
        ticket: u32,
        at: u64,
        why: Park,
    },
    Unparked {
        ticket: u32,
        at: u64,
    },
    /// The answer to each `Resize`.
    Retired(Box<Berths>),
}

/// In this order, so that the tag of `why` comes first and all that a [`Parked`](Report::Parked) says
/// finds room behind it: there is a place for every ticket, and a word more in each is felt.
#[repr(C)]
pub(crate) struct Ended {
    pub why: End,
    pub ticket: u32,
    pub at: u64,
    pub sound: Sound,
}

/// Why a play ended. A thief is named by its ticket alone: its own ending comes later in the
/// queue, so its ticket still means it when this one is collected.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u32)]
pub(crate) enum End {
    Finished,
    Stopped,
    Stolen { thief: u32, level: f32 },
    Refused(Refusal),
}

/// Why a play parked. The thief is named as in [`End`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u32)]
pub(crate) enum Park {
    Stolen { thief: u32, level: f32 },
    Paused,
    Inaudible,
    Shrunk,
    PoolFull,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_small() {
        assert!(size_of::<Command>() <= 96, "{}", size_of::<Command>());
        assert!(size_of::<Report>() <= 32, "{}", size_of::<Report>());
        assert_eq!(size_of::<VoiceId>(), 16);
    }
}
