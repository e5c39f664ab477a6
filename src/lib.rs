//! A real-time voice-pool mixer for games.
//!
//! A game asks for many more sounds than can, or should, be heard at once. `voicepool` mixes from
//! a fixed pool of voices made once, up front. When a sound is asked for and the pool is full, the
//! voice that the ear would miss least gives its place up without a click, and the new sound starts
//! on its exact frame.
//!
//! ```
//! use voicepool::{Config, Mixer, Play, Sound, ms};
//!
//! let (mixer, mut renderer) = Mixer::offline(Config { voices: 32, ..Config::DEFAULT })?;
//! let coin = Sound::load("sounds/coin.wav")?;
//! for i in 0..500 {
//!     mixer.play(Play::of(&coin).delay(ms(i * 3)).pan(i as f32 / 250.0 - 1.0));
//! }
//! let frames = renderer.frames(2 * 48_000);
//! assert!(mixer.stats().stolen > 0 && frames.iter().flatten().all(|sample| sample.abs() <= 1.0));
//! # Ok::<(), voicepool::Error>(())
//! ```
//!
//! # Two sides
//!
//! ```text
//!        game threads                                       audio thread
//!   ┌──────────────────────┐      commands, bounded     ┌──────────────────────┐
//!   │ Mixer                ├───────────────────────────▶│ Renderer             │
//!   │  play, stop, set_... │                            │  apply, mix, report  │
//!   │  ledger of tickets   │◀───────────────────────────┤  voices, tail, buses │
//!   └──────────────────────┘   endings and the sounds   └──────────────────────┘
//! ```
//!
//! [`Mixer`] and [`Renderer`] share nothing but two bounded channels and a few atomics. Sounds
//! cross with the play that needs them and come home with its ending, so the audio side never
//! frees one. In the source, a folder is a thread: `game/` may allocate and fail, `audio/` does
//! neither, and `output/` drives them: with a device ([`Mixer::open`]) or without
//! ([`Mixer::offline`]). What crosses between them is in `link/`.
//!
//! # The laws
//!
//! Tests are named after them.
//!
//! 1. **The callback is real-time.** No allocation, no free, no lock, no system call, no unbounded
//!    loop, no panic in [`Renderer::render`], whatever arrives. Its work grows in proportion to
//!    voices, parked plays and commands, up to a logarithm, never as a product of them; but a quantum
//!    is cut where plays begin inside it, into 128 pieces of a frame each at the worst.
//! 2. **Nobody waits.** Neither side ever waits for the other.
//! 3. **One play, one ending.** Accepted = finished + stopped + stolen + refused + still live, at
//!    every frame. A play that was turned away says so in its return value; a control is never
//!    lost.
//! 4. **The same bits.** The same commands at the same frames give bit-identical output, whatever
//!    the buffer sizes, from a recording, on every IEEE processor and every system. It begins at decoded
//!    samples: what a lossy decoder makes of a file may differ between machines.
//! 5. **No click.** Every change is ramped: gains, places, filters, sends, rooms, effects, ducks, the
//!    limiter's too. For sines from 100 Hz up, none makes a step above 1.5 times the sine's own; where more than
//!    three ramps meet on one voice at once, of which a seek makes two, 3.5 times. What the author made
//!    is left alone: a start at position 0, a clip's end, a loop's seam, what an effect of the game's
//!    own says. A sound that loops without a seam, as a whole or at its file's own loop points,
//!    does so at every rate.
//! 6. **Quietest is what would be missed least**, to the ear, not what a gain knob says.
//! 7. **A stale id touches nothing**, ever: not after its voice ended, not in another mixer.
//! 8. **What comes out is finite and within ±1**, whatever went in; as long as nothing is beyond that
//!    it is exact.
//! 9. **Sound never takes the game down.** No device, a lost device, a full queue, a bad file, a slow
//!    disk, a logger that panics: values, not panics. Sound comes back when the device does.
//! 10. **Memory is bounded** by [`Config`], from opening on.

#![cfg_attr(rtsan, feature(sanitize))]
#![deny(unsafe_code)]
#![warn(missing_docs)]

#[cfg(all(target_arch = "x86", not(target_feature = "sse2")))]
compile_error!(
    "voicepool needs SSE2 on 32-bit x86: x87 keeps more digits than it is asked for, and its output \
     would differ from every other processor's (law 4); build for i686, or with \
     `-C target-feature=+sse2`"
);

mod audio;
mod bus;
mod config;
mod cue;
mod duck;
mod effect;
mod error;
mod event;
mod game;
mod guarded;
#[doc = include_str!("guide.md")]
pub mod guide {}
mod link;
mod log_line;
mod output;
mod play;
pub mod pool;
mod record;
mod reverb;
mod sound;
mod space;
mod stats;
mod stream;
mod target;
mod units;

pub use audio::Renderer;
pub use bus::{Bus, BusId, BusState, BusStats, Mix};
pub use config::{Config, Interpolation, WhenFull};
pub use cue::{Cue, Order};
pub use duck::Duck;
pub use effect::{Effect, EffectFault, EffectTrouble, check_effect, check_effect_with};
pub use error::{BusFault, CueFault, DuckFault, Error, RecordFault, ResizeFault};
pub use event::{Ending, Event, Parking, Refusal, VoiceId};
pub use game::{Events, Held, Mixer};
pub use output::offline::write_wav;
pub use output::{Device, devices};
pub use play::{Play, Priority, WhenStolen};
pub use pool::Pool;
pub use record::{MediaRef, Recorder, Replay, Summary};
pub use reverb::{Reverb, RoomId};
pub use sound::{Media, Sound, Stream, loudness};
pub use space::{Attenuation, Distance, Listener, Point};
pub use stats::{OutputState, Stats, VoiceInfo, VoiceState};
pub use target::{Tag, Target};
pub use units::{db, fader, ms, secs, semitones, to_db, to_fader};

/// A frame: left and right.
pub type Frame = [f32; 2];

/// The README's example is compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
