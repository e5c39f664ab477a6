//! The peers: one driver each, written as kindly to the peer as its interface allows.

mod firewheel;
mod fyrox;
mod kira;
mod miniaudio;
mod oddio;
mod rodio;
mod soloud;

use crate::scene::Contender;

pub const ALL: [Contender; 7] = [
    firewheel::FIREWHEEL,
    miniaudio::MINIAUDIO,
    soloud::SOLOUD,
    fyrox::FYROX,
    oddio::ODDIO,
    kira::KIRA,
    rodio::RODIO,
];

/// Those that have buses, filters and a room, or something like it.
pub const GAME: [Contender; 4] = [firewheel::GAME, miniaudio::GAME, soloud::GAME, kira::GAME];

/// Those that have places.
pub const SPACE: [Contender; 5] =
    [firewheel::SPACE, soloud::SPACE, fyrox::SPACE, oddio::SPACE, kira::SPACE];

/// The one in Rust whose streams are read by threads of its own, and played beside its sounds.
pub const STREAMS: [Contender; 1] = [kira::STREAMS];
