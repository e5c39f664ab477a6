//! The names by which playing things are controlled.

use crate::bus::BusId;
use crate::event::VoiceId;

/// All live plays that were played with a tag, as a [`Target`]: the sounds of an entity, of a level.
///
/// It means the plays that were accepted before the control and have not ended: wherever they are,
/// playing, parked or scheduled. What is played with the tag later is not touched. `Tag(0)` is all
/// plays without a tag.
///
/// A control takes time in proportion to the plays with that tag, and reaches all of them on one
/// frame unless the queue is full.
///
/// ```
/// # use voicepool::{Config, Mixer, Play, Sound, Tag, ms};
/// # let (mixer, _renderer) = Mixer::offline(Config::DEFAULT)?;
/// # let (engine, siren) = (Sound::from_mono(48_000, &[0.1; 480])?, Sound::from_mono(48_000, &[0.1; 480])?);
/// let car = 17;
/// mixer.play(Play::of(&engine).looping().tag(car));
/// mixer.play(Play::of(&siren).looping().tag(car));
/// mixer.set_gain(Tag(car), 0.5, ms(200)); // into the tunnel
/// mixer.stop(Tag(car), ms(50));           // and out of the level
/// # Ok::<(), voicepool::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(pub u64);

/// What a control is meant for. Everything that names something becomes one by itself: a [`VoiceId`],
/// the `Option<VoiceId>` that [`Mixer::play`](crate::Mixer::play) gives, a [`BusId`], a [`Tag`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a target does nothing by itself"]
#[non_exhaustive]
pub enum Target {
    /// One play.
    Voice(VoiceId),
    /// Everything on a bus.
    Bus(BusId),
    /// Every play with a tag.
    Tag(Tag),
    /// Nothing: what becomes of a play that was turned away.
    Nothing,
}

impl From<VoiceId> for Target {
    fn from(voice: VoiceId) -> Target {
        Target::Voice(voice)
    }
}

impl From<Option<VoiceId>> for Target {
    fn from(voice: Option<VoiceId>) -> Target {
        voice.map_or(Target::Nothing, Target::Voice)
    }
}

impl From<BusId> for Target {
    fn from(bus: BusId) -> Target {
        Target::Bus(bus)
    }
}

impl From<Tag> for Target {
    fn from(tag: Tag) -> Target {
        Target::Tag(tag)
    }
}
