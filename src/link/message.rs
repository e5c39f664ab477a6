//! The contract between the two sides: what the game says, and what comes back.

use std::any::Any;

use crate::config::WhenFull;
use crate::event::Refusal;
use crate::play::{BusId, Priority};
use crate::sound::Sound;

/// The grid, in frames: commands take effect on its lines, and whole quanta are computed, whatever
/// the size of the buffers that are asked for.
pub(crate) const QUANTUM: usize = 128;

/// What the game side makes and the audio side uses, so that the audio side never allocates: a pool of
/// voices. Only the audio side knows what is in the box; it comes home to be freed.
pub(crate) type Made = Box<dyn Any + Send>;

/// What the game says. A ticket is enough to name a play: the game side gives a ticket out again
/// only after it has collected the ending of the play that held it, so a control in the queue can
/// meet no later play.
///
/// In this form it crosses to the audio side, with the sound and what was made for it inside. The same
/// command is plain data as a [`PlainCommand`].
pub(crate) enum Command<S = Sound, P = Made> {
    Play(Request<S>),
    Voice {
        ticket: u32,
        change: Change,
    },
    Bus {
        bus: BusId,
        change: Change,
    },
    /// Growing and shrinking: mix from this pool from now on, and send the old one home.
    Resize(P),
}

/// A command of numbers alone: a sound by its [number](Sound::number), a pool by how many voices it has.
pub(crate) type PlainCommand = Command<u64, u32>;

impl PlainCommand {
    /// The command as it crosses: `sound` finds and `pool` makes what it names. None: there is no
    /// such sound.
    pub fn resolve(
        self,
        sound: impl FnOnce(&Request<u64>) -> Option<Sound>,
        pool: impl FnOnce(u32) -> Made,
    ) -> Option<Command> {
        Some(match self {
            Command::Play(request) => {
                let sound = sound(&request)?;
                Command::Play(request.with_sound(sound))
            }
            Command::Voice { ticket, change } => Command::Voice { ticket, change },
            Command::Bus { bus, change } => Command::Bus { bus, change },
            Command::Resize(voices) => Command::Resize(pool(voices)),
        })
    }
}

/// A play, with all of its times in frames and all of its values within their limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<S = Sound> {
    pub sound: S,
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
    /// The same for a mute.
    pub muted: bool,
}

impl<S> Request<S> {
    /// The same request for the sound in another form.
    pub fn with_sound<T>(self, sound: T) -> Request<T> {
        Request {
            sound,
            ticket: self.ticket,
            gain: self.gain,
            pan: self.pan,
            speed: self.speed,
            position: self.position,
            looping: self.looping,
            fade_in: self.fade_in,
            start: self.start,
            priority: self.priority,
            bus: self.bus,
            park: self.park,
            when_full: self.when_full,
            paused: self.paused,
            muted: self.muted,
        }
    }
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
    /// This many frames after the command takes effect, in the time of the play's bus, which stands
    /// still while the bus is paused.
    After(u64),
}

/// A control. Times are in the mixer's frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Change {
    Stop {
        fade: u32,
    },
    Pause {
        fade: u32,
    },
    Resume {
        fade: u32,
    },
    Mute(bool),
    Gain {
        to: f32,
        over: u32,
    },
    Pan {
        to: f32,
        over: u32,
    },
    Speed {
        to: f32,
        over: u32,
    },
    /// To a frame of the sound.
    Seek {
        to: u32,
    },
    EndLoop,
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
    /// A play that had to wait for its frame has begun.
    Started {
        ticket: u32,
        at: u64,
    },
    /// The answer to each `Resize`: the pool that is not used any more.
    Retired(Made),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_small() {
        assert!(size_of::<Command>() <= 96, "{}", size_of::<Command>());
        assert!(size_of::<Report>() <= 32, "{}", size_of::<Report>());
    }
}
