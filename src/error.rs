//! What can go wrong, always with the name of the thing and the fault in it.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// An error names the file or the value it is about, and what is wrong with it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read.
    Read {
        /// The file, as it was given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file could not be written. Nothing half-written is left behind.
    Write {
        /// The file, as it was given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A WAV file cannot hold that many frames: its sizes are 32-bit.
    TooLong {
        /// The file, as it was given.
        path: PathBuf,
        /// How many frames were asked for.
        frames: usize,
    },
    /// What was given is not a sound that can be played.
    Sound {
        /// The file, or what the sound was made from.
        name: String,
        /// What is wrong with it.
        fault: String,
    },
    /// A field of [`Config`](crate::Config) has a value that no mixer can be opened with.
    Config {
        /// The field's name.
        field: &'static str,
        /// The value it had.
        value: usize,
        /// What it should have been.
        fault: &'static str,
    },
    /// [`Mixer::resize`](crate::Mixer::resize) was asked for what can never be.
    Resize {
        /// How many voices were asked for.
        voices: usize,
        /// Why not.
        fault: String,
    },
    /// The system has no thread left to play from.
    Thread {
        /// What the system said.
        source: io::Error,
    },
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
            Error::TooLong { path, frames } => write!(
                f,
                "{}: {frames} frames do not fit into one WAV file (at most {})",
                path.display(),
                crate::output::offline::MOST_WAV_FRAMES
            ),
            Error::Sound { name, fault } => write!(f, "{name}: {fault}"),
            Error::Config { field, value, fault } => {
                write!(f, "Config::{field} is {value}: {fault}")
            }
            Error::Thread { source } => write!(f, "no thread to play from: {source}"),
            Error::Resize { voices, fault } => write!(f, "resize to {voices} voices: {fault}"),
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
