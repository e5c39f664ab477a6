//! A real-time voice-pool mixer for games.

#![deny(unsafe_code)]
#![warn(missing_docs)]

mod audio;
mod bridge;
mod config;
mod envelope;
mod error;
mod game;
mod loudness;
mod message;
mod output;
mod play;
mod pool;
mod resample;
mod samples;
mod sound;
mod stats;
mod units;
mod wav;

pub use audio::Renderer;
pub use config::{Config, Interpolation, WhenFull};
pub use error::Error;
pub use game::{Events, Mixer};
pub use loudness::loudness;
pub use message::{Ending, Event, Refusal, VoiceId};
pub use output::offline::write_wav;
pub use play::{BusId, Play, Priority, Target, WhenStolen};
pub use pool::{Key, POISON, Pool};
pub use sound::Sound;
pub use stats::{Stats, VoiceInfo, VoiceState};
pub use units::{db, ms, secs, semitones, to_db};

/// A frame: left and right.
pub type Frame = [f32; 2];
