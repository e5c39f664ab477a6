//! What can go wrong, always with the name of the thing and the fault in it.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::bus::BusId;

/// An error names the file or the value it is about, and what is wrong with it. Its kind is its
/// variant, so that nobody has to read its text.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read: it is not there, or the system refuses it.
    Read {
        /// The file, as it was given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file could not be written. Of a WAV file nothing half-written is left behind; a
    /// [recording](crate::Recorder::finish) stays as far as it came.
    Write {
        /// The file, as it was given, or `recording`.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A WAV file cannot hold that many frames: its sizes are 32-bit.
    #[non_exhaustive]
    TooLong {
        /// The file, as it was given.
        path: PathBuf,
        /// How many frames were asked for.
        frames: usize,
        /// How many one file can hold.
        most: usize,
    },
    /// What was given is not a sound file or a recording, or its format, layout or version is none that is read.
    #[non_exhaustive]
    Unsupported {
        /// The file, or the name that was given with its bytes.
        name: String,
        /// What it is instead.
        fault: String,
    },
    /// A sound file or a recording contradicts itself, or ends too soon to be understood.
    #[non_exhaustive]
    Damaged {
        /// The file, or the name that was given with its bytes.
        name: String,
        /// What is wrong with it.
        fault: String,
    },
    /// What was given is understood, but is no sound that can be played: its samples, its rate or its
    /// length are out of their limits.
    #[non_exhaustive]
    Sound {
        /// The file, or what the sound was made from.
        name: String,
        /// What is wrong with it.
        fault: String,
    },
    /// A field of [`Config`](crate::Config) has a value that no mixer can be opened with.
    #[non_exhaustive]
    Config {
        /// The field's name.
        field: &'static str,
        /// The value it had.
        value: usize,
        /// What it should have been.
        fault: &'static str,
    },
    /// [`Mixer::resize`](crate::Mixer::resize) was asked for what can never be.
    #[non_exhaustive]
    Resize {
        /// How many voices were asked for.
        voices: usize,
        /// Why there cannot be as many.
        why: ResizeFault,
    },
    /// [`Mixer::set_bus`](crate::Mixer::set_bus) was asked for what cannot be. Nothing was changed.
    #[non_exhaustive]
    Bus {
        /// The bus that was to be set.
        bus: BusId,
        /// What is wrong with it.
        why: BusFault,
    },
    /// [`Mixer::set_duck`](crate::Mixer::set_duck) was asked for what cannot be. Nothing was changed.
    #[non_exhaustive]
    Duck {
        /// The bus that was to be turned down.
        bus: BusId,
        /// The bus that it was to make room for.
        by: BusId,
        /// What is wrong with it.
        why: DuckFault,
    },
    /// [`Cue::of`](crate::Cue::of) was given what is no cue.
    #[non_exhaustive]
    Cue {
        /// What is wrong with it.
        why: CueFault,
    },
    /// [`Mixer::record`](crate::Mixer::record) was asked for when it could not be.
    #[non_exhaustive]
    Record {
        /// Why not.
        why: RecordFault,
    },
    /// [`Mixer::set_effect`](crate::Mixer::set_effect) was called in the browser.
    #[non_exhaustive]
    Effect {
        /// The bus that it was for.
        bus: BusId,
    },
    /// The system has no thread left to play from, or to write a recording.
    Thread {
        /// What the system said.
        source: io::Error,
    },
}

/// Why a mixer cannot be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordFault {
    /// Something was played already, for a recording cannot begin in the middle of voices; or more was said than is
    /// kept: more than 1,024 commands, or on more than 32 lines of the grid.
    TooLate,
    /// It was recorded before, or that was tried. Each mixer is recorded once.
    Again,
}

impl fmt::Display for RecordFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordFault::TooLate => {
                write!(f, "too much was said before it; record before the first play")
            }
            RecordFault::Again => write!(f, "this mixer was recorded before"),
        }
    }
}

/// Why a pool can never have so many voices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResizeFault {
    /// A pool has at least one voice.
    NoVoices,
    /// It is more than [`Config::max_voices`](crate::Config::max_voices).
    TooMany {
        /// How many there may be.
        max_voices: usize,
    },
    /// It is less than what the buses have [reserved](crate::Bus::reserved).
    Reserved {
        /// How many voices are reserved in all.
        reserved: usize,
    },
    /// The [`Renderer`](crate::Renderer) is gone.
    NoRenderer,
}

/// Why a bus cannot be set so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BusFault {
    /// Its parent leads back to it.
    Circle {
        /// The parent that it was given.
        parent: BusId,
    },
    /// More would be [reserved](crate::Bus::reserved) than there are voices. What a bus reserves includes
    /// what those below it do.
    TooManyReserved {
        /// How many would be reserved in all.
        reserved: usize,
        /// How many voices there are, or will be once the latest [`resize`](crate::Mixer::resize) has
        /// arrived.
        voices: usize,
    },
    /// More would be [reserved](crate::Bus::reserved) on a bus and all below it than it may have voices.
    AboveLimit {
        /// The bus with that limit: the one that was to be set, or another.
        limited: BusId,
        /// How many would be reserved on it and all below it.
        reserved: usize,
        /// Its [`max_voices`](crate::Bus::max_voices).
        max_voices: usize,
    },
    /// In its new place, a [duck](crate::Duck) would act on what it listens to.
    DuckCircle,
}

/// Why a bus cannot make room for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DuckFault {
    /// It, or another duck that follows from it, would act on what it listens to: a bus can neither make
    /// room for itself, nor for one above or below it, nor for one that makes room for it.
    Circle,
    /// There are as many ducks as there can be.
    TooMany {
        /// How many there can be.
        most: usize,
    },
}

/// Why there is no such cue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CueFault {
    /// It has no variants.
    NoVariants,
    /// One of its variants is a cue itself.
    Nested {
        /// Which of them, from 0 on.
        variant: usize,
    },
}

impl fmt::Display for CueFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CueFault::NoVariants => write!(f, "it has no variants"),
            CueFault::Nested { variant } => write!(f, "its variant {variant} is a cue itself"),
        }
    }
}

impl fmt::Display for BusFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BusFault::Circle { parent } => {
                write!(f, "its parent, bus {}, leads back to it", parent.index())
            }
            BusFault::TooManyReserved { reserved, voices } => {
                write!(f, "{reserved} voices would be reserved in all, and there are {voices}")
            }
            BusFault::AboveLimit { limited, reserved, max_voices } => write!(
                f,
                "{reserved} voices would be reserved on bus {}, whose max_voices is {max_voices}",
                limited.index(),
            ),
            BusFault::DuckCircle => write!(f, "a duck would act on what it listens to"),
        }
    }
}

impl fmt::Display for DuckFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DuckFault::Circle => write!(f, "it would act on what it listens to"),
            DuckFault::TooMany { most } => write!(f, "there can be no more than {most} ducks"),
        }
    }
}

impl fmt::Display for ResizeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResizeFault::NoVoices => write!(f, "it must be at least 1"),
            ResizeFault::TooMany { max_voices } => write!(f, "Config::max_voices is {max_voices}"),
            ResizeFault::Reserved { reserved } => {
                write!(f, "the buses have reserved {reserved}")
            }
            ResizeFault::NoRenderer => write!(f, "the renderer is gone"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Read { path, source } => {
                write!(f, "{}: could not be read: {source}", path.display())
            }
            Error::Write { path, source } => {
                write!(f, "{}: could not be written: {source}", path.display())
            }
            Error::TooLong { path, frames, most } => write!(
                f,
                "{}: {frames} frames do not fit into one WAV file (at most {most})",
                path.display(),
            ),
            Error::Unsupported { name, fault }
            | Error::Damaged { name, fault }
            | Error::Sound { name, fault } => write!(f, "{name}: {fault}"),
            Error::Config { field, value, fault } => {
                write!(f, "Config::{field} is {value}: {fault}")
            }
            Error::Effect { bus } => write!(
                f,
                "bus {}: an effect of the game's own cannot cross to the browser's audio thread",
                bus.index()
            ),
            Error::Thread { source } => write!(f, "no thread left: {source}"),
            Error::Resize { voices, why } => write!(f, "resize to {voices} voices: {why}"),
            Error::Bus { bus, why } => write!(f, "bus {}: {why}", bus.index()),
            Error::Cue { why } => write!(f, "a cue: {why}"),
            Error::Record { why } => write!(f, "a recording: {why}"),
            Error::Duck { bus, by, why } => {
                write!(f, "bus {} that makes room for bus {}: {why}", bus.index(), by.index())
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Read { source, .. } | Error::Write { source, .. } | Error::Thread { source } => {
                Some(source)
            }
            _ => None,
        }
    }
}

/// What is wrong with a sound, for whoever knows its name. Without more said, a text is about samples
/// that cannot be played.
#[derive(Debug, PartialEq)]
pub(crate) struct Fault {
    kind: Kind,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Unsupported,
    Damaged,
    Unplayable,
}

impl Fault {
    pub fn unsupported(text: impl Into<String>) -> Fault {
        Fault { kind: Kind::Unsupported, text: text.into() }
    }

    pub fn damaged(text: impl Into<String>) -> Fault {
        Fault { kind: Kind::Damaged, text: text.into() }
    }

    /// What is wrong, for whoever is told the name otherwise.
    pub fn into_text(self) -> String {
        self.text
    }

    /// The error, now that it is known which sound it is about.
    pub fn of(self, name: impl Into<String>) -> Error {
        let (name, fault) = (name.into(), self.text);
        match self.kind {
            Kind::Unsupported => Error::Unsupported { name, fault },
            Kind::Damaged => Error::Damaged { name, fault },
            Kind::Unplayable => Error::Sound { name, fault },
        }
    }
}

/// While it was read: whoever reads a file in one go has [`Error::Read`] for that.
impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault::damaged(format!("could not be read: {error}"))
    }
}

impl From<String> for Fault {
    fn from(text: String) -> Fault {
        Fault { kind: Kind::Unplayable, text }
    }
}
