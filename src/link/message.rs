//! The contract between the two sides: what the game says, and what comes back.

use std::any::Any;

use crate::bus::BusId;
use crate::config::WhenFull;
use crate::duck::DuckFrames;
use crate::effect::{Effect, EffectTrouble};
use crate::play::Priority;
use crate::reverb::{Reverb, RoomId};
use crate::sound::Sound;
use crate::space::{Attenuation, Point};

pub(crate) use super::shape::{HIGH_PASS_OFF, LOW_PASS_OFF, Shape, Tone, wall_gain, wall_low_pass};

/// The grid, in frames: commands take effect on its lines, and whole quanta are computed, whatever
/// the size of the buffers that are asked for.
pub(crate) const QUANTUM: usize = 128;

/// What the game side makes and the audio side uses, so that the audio side never allocates: a pool of
/// voices, a submix, a room. Only the audio side knows what is in the box; it comes home to be freed.
pub(crate) type Made = Box<dyn Any + Send>;

/// What is to be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Plan {
    /// A pool of so many voices.
    Voices(u32),
    /// What a bus needs to be a submix.
    Submix,
    Room(Reverb),
}

/// What the game says. A ticket is enough to name a play: the game side gives a ticket out again
/// only after it has collected the ending of the play that held it, so a control in the queue can
/// meet no later play.
///
/// In this form it crosses to the audio side, with the sound and what was made for it inside. The same
/// command is plain data as a [`PlainCommand`].
pub(crate) enum Command<S = Sound, P = Made, E = Box<dyn Effect>> {
    Play(Request<S>),
    Voice {
        ticket: u32,
        change: Change,
    },
    Bus {
        bus: BusId,
        change: Change,
        /// The submix that the bus needs for this, if it has none yet.
        submix: Option<P>,
    },
    /// Where a bus belongs, and how many voices it may have.
    Place {
        bus: BusId,
        place: BusPlace,
    },
    /// One bus bows to another, or does no more.
    Duck {
        bus: BusId,
        by: BusId,
        duck: Option<DuckFrames>,
    },
    /// An effect of the game's own, or none any more.
    Effect {
        bus: BusId,
        effect: Option<E>,
        submix: Option<P>,
    },
    /// Another room in the place of the one before it, cross-faded.
    Room {
        room: RoomId,
        made: P,
        over: u32,
    },
    /// Growing and shrinking: mix from this pool from now on, and send the old one home.
    Resize(P),
    /// The listener is here now: come there, or brought there.
    Listener {
        ears: Ears,
        jump: bool,
    },
    Move {
        ticket: u32,
        to: Move,
    },
    /// The same to many plays at once, in a block that comes home.
    Moves(Moves),
}

/// What one call says to many plays. Blocks are made on the game side, and filled there again.
#[derive(Debug)]
pub(crate) struct Moves {
    list: Vec<(u32, Move)>,
}

impl Moves {
    /// How many one block can hold.
    pub const MOST: usize = 512;

    pub fn new() -> Moves {
        Moves { list: Vec::with_capacity(Moves::MOST) }
    }

    /// Says something to the play with this ticket, if there is room.
    pub fn push(&mut self, ticket: u32, to: Move) {
        if !self.is_full() {
            self.list.push((ticket, to));
        }
    }

    pub fn is_full(&self) -> bool {
        self.list.len() == Moves::MOST
    }

    pub fn list(&self) -> &[(u32, Move)] {
        &self.list
    }

    pub fn clear(&mut self) {
        self.list.clear();
    }
}

/// A command of numbers alone: a sound by its [number](Sound::number), what is made by its plan. An
/// effect of the game's own has no such form; that there is one is all that is said.
pub(crate) type PlainCommand = Command<u64, Plan, ()>;

impl PlainCommand {
    /// The command as it crosses: `sound` finds, `make` makes and `effect` gives what it names. None:
    /// there is no such thing.
    #[inline(always)]
    pub fn resolve(
        self,
        sound: impl FnOnce(&Request<u64>) -> Option<Sound>,
        make: impl Fn(Plan) -> Made,
        effect: impl FnOnce(BusId) -> Option<Box<dyn Effect>>,
    ) -> Option<Command> {
        Some(match self {
            Command::Play(request) => {
                let sound = sound(&request)?;
                Command::Play(request.with_sound(sound))
            }
            Command::Voice { ticket, change } => Command::Voice { ticket, change },
            Command::Bus { bus, change, submix } => {
                Command::Bus { bus, change, submix: submix.map(make) }
            }
            Command::Place { bus, place } => Command::Place { bus, place },
            Command::Duck { bus, by, duck } => Command::Duck { bus, by, duck },
            Command::Effect { bus, effect: None, submix } => {
                Command::Effect { bus, effect: None, submix: submix.map(make) }
            }
            Command::Effect { bus, effect: Some(()), submix } => {
                Command::Effect { bus, effect: Some(effect(bus)?), submix: submix.map(make) }
            }
            Command::Room { room, made, over } => Command::Room { room, made: make(made), over },
            Command::Resize(voices) => Command::Resize(make(voices)),
            Command::Listener { ears, jump } => Command::Listener { ears, jump },
            Command::Move { ticket, to } => Command::Move { ticket, to },
            Command::Moves(moves) => Command::Moves(moves),
        })
    }
}

#[cfg(any(test, target_arch = "wasm32"))]
impl Command {
    /// The command in numbers alone, for a renderer in another memory, and the sound of a play. What was made for it is the
    /// plan alone there; an effect has no such form.
    pub fn into_plain(self) -> (PlainCommand, Option<Sound>) {
        let plan = |made: Made| made.downcast::<Plan>().map_or(Plan::Submix, |plan| *plan);
        let command = match self {
            Command::Play(request) => {
                let (number, sound) = (request.sound.number(), request.sound.clone());
                return (Command::Play(request.with_sound(number)), Some(sound));
            }
            Command::Voice { ticket, change } => Command::Voice { ticket, change },
            Command::Bus { bus, change, submix } => {
                Command::Bus { bus, change, submix: submix.map(plan) }
            }
            Command::Place { bus, place } => Command::Place { bus, place },
            Command::Duck { bus, by, duck } => Command::Duck { bus, by, duck },
            Command::Effect { bus, effect: _, submix } => {
                Command::Effect { bus, effect: None, submix: submix.map(plan) }
            }
            Command::Room { room, made, over } => Command::Room { room, made: plan(made), over },
            Command::Resize(voices) => Command::Resize(plan(voices)),
            Command::Listener { ears, jump } => Command::Listener { ears, jump },
            Command::Move { ticket, to } => Command::Move { ticket, to },
            Command::Moves(moves) => Command::Moves(moves),
        };
        (command, None)
    }
}

/// Where a bus belongs, and how many voices it may have: `crate::Bus` in the audio side's terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BusPlace {
    pub parent: BusId,
    /// `u32::MAX`: as many as there are.
    pub max_voices: u32,
    pub reserved: u32,
    /// `None`: that of the play.
    pub when_full: Option<WhenFull>,
}

/// A play, with all of its times in frames and all of its values within their limits.
#[derive(Clone, Debug)]
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
    pub shape: Shape,
    /// What only some plays have.
    pub extra: Option<Box<Extra>>,
}

/// What only some plays have, apart from the rest of a request: every message in the queue is as large as
/// the largest. It comes home with the sound.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Extra {
    pub placed: Option<Placed>,
    pub cue: Option<CueTerms>,
    pub crossfade: Option<Crossfade>,
}

/// For whom a play comes: on the frame on which it begins, they begin to fade out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Crossfade {
    pub from: Leaving,
    /// In the mixer's frames.
    pub over: u32,
}

impl Crossfade {
    /// How many plays it names.
    pub fn named(&self) -> usize {
        match &self.from {
            Leaving::Plays(plays) => plays.len(),
            Leaving::Bus(_) => 0,
        }
    }
}

/// Who fades out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Leaving {
    /// These, in the order in which they were accepted.
    Plays(Box<[NamedPlay]>),
    /// All that were asked for before, on a bus and on those below it.
    Bus(BusId),
}

/// A play by its ticket and the number of the command that asked for it: by the time that this counts, the
/// ticket may be another's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NamedPlay {
    pub ticket: u32,
    pub number: u64,
}

/// What a play brings along, and what goes home with its ending.
pub(crate) struct Cargo {
    pub sound: Sound,
    pub extra: Option<Box<Extra>>,
}

/// The place of a play, and how it is heard from afar. All of it is within its limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placed {
    pub position: Point,
    pub attenuation: Attenuation,
}

/// Who hears: the place, and the direction to the right, of length 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ears {
    pub position: Point,
    pub right: Point,
}

impl Ears {
    /// At 0, with +x to the right.
    pub const DEFAULT: Ears = Ears {
        position: Point { x: 0.0, y: 0.0, z: 0.0 },
        right: Point { x: 1.0, y: 0.0, z: 0.0 },
    };
}

/// The cue that a play is of, and on which terms it may begin. Times are in the mixer's frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CueTerms {
    /// Its place among the cues that are remembered, and how often that was given to another before.
    pub slot: u32,
    pub tenure: u32,
    pub cooldown: u32,
    /// 0: those that begin at once are not merged either.
    pub merge_within: u32,
    /// [`UNLIMITED`](CueTerms::UNLIMITED): as many as there are.
    pub at_most: u8,
    /// `None`: its own quietest gives way.
    pub when_full: Option<WhenFull>,
}

impl CueTerms {
    pub const UNLIMITED: u8 = u8::MAX;
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
            shape: self.shape,
            extra: self.extra,
        }
    }

    /// The place of the play, if it has one.
    pub fn placed(&self) -> Option<Placed> {
        self.extra.as_ref()?.placed
    }

    /// The cue that it is of, if it is of one.
    pub fn cue(&self) -> Option<CueTerms> {
        self.extra.as_ref()?.cue
    }

    /// For whom it comes, if others fade out for it.
    pub fn crossfade(&self) -> Option<&Crossfade> {
        self.extra.as_ref()?.crossfade.as_ref()
    }
}

impl Request {
    /// What it has brought along.
    pub fn into_cargo(self) -> Cargo {
        Cargo { sound: self.sound, extra: self.extra }
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
    /// The same in a clip that turns out to have no more frames than these: not behind its end, and all of it if
    /// nothing is left.
    pub fn shortened(self, clip: u32) -> Loop {
        let start = if self.start < clip { self.start } else { 0 };
        Loop { start, end: clip, seam: self.seam.min((clip - start).div_ceil(2)) }
    }

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
    /// On the frame on which the play with this ticket finishes, or at once if it has. Its ticket still means
    /// it: it was live when this was said.
    Follow { leader: u32 },
    /// Never: what it was to follow is over and did not finish, so that it is stopped.
    Orphan,
    /// Never: what it was to follow was no play of this mixer's, so that it is refused.
    Stranger,
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
    /// The cut-off, in Hz.
    LowPass {
        to: f32,
        over: u32,
    },
    HighPass {
        to: f32,
        over: u32,
    },
    Send {
        room: RoomId,
        to: f32,
        over: u32,
    },
    /// To a frame of the sound.
    Seek {
        to: u32,
    },
    EndLoop,
}

/// What is said to a play in every frame of the game: only the latest counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Move {
    /// It is at this place now: come there, or brought there.
    Position { to: Point, jump: bool },
    /// How much lies between it and the ear, from 0 to 1.
    Occlusion { to: f32, over: u32 },
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
    /// What was to be read of a stream had not come in time.
    Underrun {
        ticket: u32,
        at: u64,
    },
    /// What was made and is not used any more. Each `Resize` has one for an answer, and so has each `Room`
    /// but the first of its number, in whose place there was none.
    Retired(Retired, Made),
    /// The answer to each `Effect`: the one that was there before, if there was one.
    EffectChanged {
        bus: BusId,
        old: Option<Box<dyn Effect>>,
    },
    /// A block of moves that was applied.
    Moved(Moves),
    /// An effect that was taken out, or could not be put in.
    EffectRetired(Box<dyn Effect>),
    /// An effect was taken out, because it did what none may.
    EffectFailed {
        bus: BusId,
        at: u64,
        why: EffectTrouble,
    },
}

/// What came home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retired {
    Voices,
    Room(RoomId),
    /// A submix that the bus had already.
    Submix,
}

/// In this order, so that the tag of `why` comes first and all that a [`Parked`](Report::Parked) says
/// finds room behind it: there is a place for every ticket, and a word more in each is felt.
#[repr(C)]
pub(crate) struct Ended {
    pub why: End,
    pub ticket: u32,
    pub at: u64,
    pub cargo: Cargo,
}

/// Why a play ended. A thief is named by its ticket alone: its own ending comes later in the
/// queue, so its ticket still means it when this one is collected.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u32)]
pub(crate) enum End {
    Finished,
    Stopped,
    Stolen { thief: u32, level: f32 },
    Refused(Refused),
}

/// Why a play could not begin: `crate::Refusal` in the audio side's terms.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u32)]
pub(crate) enum Refused {
    PoolFull,
    BusFull,
    CueFull,
    Cooldown,
    /// Into the play with this ticket, which is named as a thief is.
    Merged {
        into: u32,
    },
    ScheduleFull,
    NoStream,
    Inaudible,
    Stranger,
}

/// Why a play parked. The thief is named as in [`End`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u32)]
pub(crate) enum Park {
    Stolen {
        thief: u32,
        level: f32,
    },
    Paused,
    Inaudible,
    /// A newcomer that is too far off to be heard, and somebody who has come as far.
    OutOfEarshot {
        distance: f32,
        far: f32,
    },
    LeftEarshot,
    Shrunk,
    PoolFull,
    BusFull,
    CueFull,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_small() {
        assert!(size_of::<Command>() <= 128, "{}", size_of::<Command>());
        assert!(size_of::<Report>() <= 40, "{}", size_of::<Report>());
    }
}
