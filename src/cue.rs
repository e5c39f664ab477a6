//! What a game means by "footstep": some sounds of which one is played, each time a little different.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::Error;
use crate::config::WhenFull;
use crate::error::CueFault;
use crate::play::{Play, Settings, What};
use crate::sound::Media;

/// What a game means by "footstep": variants of which one is played, how they vary, how many at once, how
/// soon again. To play it is to play one of them: `mixer.play(&footsteps)`.
///
/// Each variant is a [`Play`] of its own, with its own gain, bus, priority. What is set on a `Play` of the
/// cue comes on top: gain and speed multiply the variant's, all else takes the place of what the variant
/// says.
///
/// The dice are the mixer's ([`Config::seed`](crate::Config::seed)): the same game with the same seed
/// rolls the same, on every platform. A mixer remembers [`Config::cues`](crate::Config::cues) of them, what
/// each played last and what of it plays now; the one that was not played for longest is forgotten for
/// another.
///
/// Clones are the same cue. One that is set up differently is another, of which nothing is remembered yet.
///
/// ```
/// use voicepool::{Config, Cue, Mixer, Play, Sound, ms};
///
/// let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT)?;
/// let steps = ["sounds/footstep_1.wav", "sounds/footstep_2.wav", "sounds/footstep_3.wav"];
/// let steps = steps.iter().map(|path| mixer.load(path)).collect::<Result<Vec<_>, _>>()?;
/// let footstep = Cue::of(&steps)?.vary_gain(2.0).vary_speed(1.0).at_most(4);
///
/// mixer.play(&footstep);
/// mixer.play(Play::of(&footstep).gain(0.5).delay(ms(400)));
/// # renderer.frames(48_000);
/// # Ok::<(), voicepool::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a cue is not heard before a mixer plays it"]
#[doc(alias("random container", "sound group", "randomizer"))]
pub struct Cue(Arc<Inner>);

#[derive(Clone, Debug)]
pub(crate) struct Inner {
    /// No other cue of the process has it, nor has one that was set up differently.
    pub number: u64,
    /// There is at least one.
    pub variants: Vec<Variant>,
    pub order: Order,
    /// In decibels.
    pub vary_gain: f32,
    /// In semitones.
    pub vary_speed: f32,
    pub at_most: Option<u8>,
    pub when_full: Option<WhenFull>,
    pub cooldown: Duration,
    pub merge_within: Duration,
}

/// A play of a sound or a stream.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    pub media: Media,
    pub settings: Settings,
}

/// Which variant of a [`Cue`] comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Order {
    /// Any but the one before it: never the same twice in a row, unless there is but one.
    #[default]
    Shuffle,
    /// Any.
    Random,
    /// One after the other, and then the first again.
    Sequence,
}

static CUES: AtomicU64 = AtomicU64::new(0);

fn next_number() -> u64 {
    CUES.fetch_add(1, Relaxed)
}

impl Cue {
    /// The most that [`at_most`](Cue::at_most) can say.
    pub const MOST: usize = 32;

    /// A cue of these variants: sounds, or plays that say more about how.
    ///
    /// # Errors
    ///
    /// [`Error::Cue`], if there is none, or if one of them is a cue itself.
    pub fn of<P: Into<Play>>(variants: impl IntoIterator<Item = P>) -> Result<Cue, Error> {
        let variant = |(variant, play): (usize, P)| {
            let Play { what, settings } = play.into();
            match what {
                What::Media(media) => Ok(Variant { media, settings }),
                What::Cue(_) => Err(Error::Cue { why: CueFault::Nested { variant } }),
            }
        };
        let variants: Vec<Variant> =
            variants.into_iter().enumerate().map(variant).collect::<Result<_, _>>()?;
        if variants.is_empty() {
            return Err(Error::Cue { why: CueFault::NoVariants });
        }
        Ok(Cue(Arc::new(Inner {
            number: next_number(),
            variants,
            order: Order::default(),
            vary_gain: 0.0,
            vary_speed: 0.0,
            at_most: None,
            when_full: None,
            cooldown: Duration::ZERO,
            merge_within: Duration::ZERO,
        })))
    }

    /// Which variant comes next. [`Order::Shuffle`] unless told otherwise.
    pub fn order(self, order: Order) -> Cue {
        self.with(|cue| cue.order = order)
    }

    /// Plays it up to so many decibels louder or quieter, drawn evenly in decibels; up to 60, and 0 unless
    /// told otherwise. Below 0 it means the same as above, and NaN is 0.
    pub fn vary_gain(self, db: f32) -> Cue {
        self.with(|cue| cue.vary_gain = sanitize_spread(db))
    }

    /// Plays it up to so many semitones higher or lower, drawn evenly in semitones; up to 60, and 0 unless
    /// told otherwise. Below 0 it means the same as above, and NaN is 0.
    #[doc(alias = "vary_pitch")]
    pub fn vary_speed(self, semitones: f32) -> Cue {
        self.with(|cue| cue.vary_speed = sanitize_spread(semitones))
    }

    /// How many of it may play at once, from 1 to [`Cue::MOST`]; as many as there are voices unless told
    /// otherwise. When there are as many, its own quietest gives way, or what
    /// [`when_full`](Cue::when_full) says. What is parked or stopping does not count. The limits of the
    /// buses and the pool come after it, and whoever finds no voice there robs nobody of its cue either.
    #[doc(alias("polyphony", "max_instances"))]
    pub fn at_most(self, voices: usize) -> Cue {
        self.with(|cue| cue.at_most = Some(voices.clamp(1, Cue::MOST) as u8))
    }

    /// What a newcomer does when as many of it play as [may](Cue::at_most). Unless told otherwise its own
    /// quietest gives way; [`WhenFull::Grow`] means the same.
    pub fn when_full(self, when_full: WhenFull) -> Cue {
        self.with(|cue| cue.when_full = Some(when_full))
    }

    /// How soon it may be played again. What comes sooner is refused
    /// ([`Refusal::Cooldown`](crate::Refusal::Cooldown)), but only if it would be no louder than the one
    /// before it was when it began: a far shot never silences a near one. Only what got a voice counts as
    /// played.
    pub fn cooldown(self, time: Duration) -> Cue {
        self.with(|cue| cue.cooldown = time)
    }

    /// Plays one of those that begin within this time, at the power of all of them together. Copies that
    /// begin within a few milliseconds add up to twice the height and sound hollow; a few coins picked up
    /// at once are one sound. The first is heard, for as long as it plays and is not stopping, and the time
    /// counts from its beginning; the others end as [`Refusal::Merged`](crate::Refusal::Merged). They add
    /// what they would have been beside what it was when it began, and no more than 60 dB together: what
    /// is [set](crate::Mixer::set_gain) later comes on top.
    pub fn merge_within(self, time: Duration) -> Cue {
        self.with(|cue| cue.merge_within = time)
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }

    /// One that is set up differently. What plays of it from before knows other limits, so it is another.
    fn with(mut self, change: impl FnOnce(&mut Inner)) -> Cue {
        let inner = Arc::make_mut(&mut self.0);
        inner.number = next_number();
        change(inner);
        self
    }
}

/// How far something may vary: not below 0, and no more than anybody means.
fn sanitize_spread(spread: f32) -> f32 {
    if spread.is_nan() { 0.0 } else { spread.abs().min(60.0) }
}
