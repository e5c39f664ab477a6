//! Effects of the game's own, and what is asked of them.

mod check;

use std::fmt;

use crate::guarded::guarded;
pub use check::{EffectFault, check_effect, check_effect_with};

/// No sample of an effect may lie beyond this, either way. It is far above anything that can be heard,
/// and far enough below the highest number that what comes after it in the mix stays finite.
const LARGEST: f32 = 1e24;

/// Whether a mix can go on from a sample that an effect gave. NaN is below nothing.
pub(crate) fn is_sound(sample: f32) -> bool {
    sample.abs() <= LARGEST
}

/// An effect of your own on a bus: it is given all that the bus plays, after the bus's filters and
/// before its gain, and puts what is to be heard in its place.
///
/// `Mixer::set_effect` takes one in a box. It crosses to the audio thread, works there, and comes home
/// when it is replaced, removed or taken out. It is dropped on a game thread when the mixer is next
/// touched; if the mixer is gone, with the [`Renderer`](crate::Renderer). Coming and going are
/// cross-faded over 5 ms, rounded up to whole quanta, in which the old one and the new one each get
/// what comes in.
///
/// ```
/// use voicepool::Effect;
///
/// /// Bits that were left out: the sound of an old radio.
/// struct Crusher {
///     steps: f32,
/// }
///
/// impl Effect for Crusher {
///     fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
///         for sample in left.iter_mut().chain(right) {
///             *sample = (*sample * self.steps).round() / self.steps;
///         }
///     }
/// }
///
/// // In a test of yours:
/// voicepool::check_effect(|| Crusher { steps: 8.0 }, 48_000)?;
/// # Ok::<(), voicepool::EffectFault>(())
/// ```
///
/// One that has a memory says when that is empty, and one that needs room takes it in
/// [`prepare`](Effect::prepare):
///
/// ```
/// use voicepool::Effect;
///
/// /// A third of a second later, once more.
/// struct Slapback {
///     ring: Vec<[f32; 2]>,
///     at: usize,
///     /// How many frames of the ring may hold something.
///     sounding: usize,
/// }
///
/// impl Effect for Slapback {
///     fn prepare(&mut self, sample_rate: u32) {
///         self.ring = vec![[0.0; 2]; (sample_rate as usize / 3).max(1)];
///     }
///
///     fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
///         for (left, right) in left.iter_mut().zip(right) {
///             let came = [*left, *right];
///             let echo = std::mem::replace(&mut self.ring[self.at], came);
///             *left += 0.5 * echo[0];
///             *right += 0.5 * echo[1];
///             self.at = (self.at + 1) % self.ring.len();
///             self.sounding = if came == [0.0; 2] {
///                 self.sounding.saturating_sub(1)
///             } else {
///                 self.ring.len()
///             };
///         }
///     }
///
///     fn is_silent(&self) -> bool {
///         self.sounding == 0
///     }
/// }
///
/// let slapback = || Slapback { ring: Vec::new(), at: 0, sounding: 0 };
/// voicepool::check_effect(slapback, 48_000)?;
/// # Ok::<(), voicepool::EffectFault>(())
/// ```
///
/// # What it must keep to
///
/// [`process`](Effect::process) and [`is_silent`](Effect::is_silent) are called on the audio thread,
/// which has a few milliseconds for everything. They must not allocate or free, not lock, not wait, not
/// log and make no system call. To be told something while it plays, an effect shares an atomic with
/// the game.
///
/// The same commands give the same bits only if the effect does its part: its output follows from its
/// input, and from nothing else. [`check_effect`] looks whether an effect keeps to what can be seen from
/// outside.
///
/// # What becomes of one that fails
///
/// An effect that gives NaN, an infinity or anything beyond ±10²⁴ is taken out. Its bus falls from the last
/// frame that was good to silence, and then what the bus plays comes up again without the effect: each
/// over the 5 ms, rounded up to whole quanta, of a cross-fade. The effect comes home, and an event and the
/// log say why ([`EffectTrouble`]).
///
/// The same happens to one that panics, where panics unwind. The panic itself allocates, and calls the
/// panic hook, on the audio thread: that once the sound may falter. With `panic = "abort"`, and on the
/// web, a panic in an effect ends the process or the instance, as it does anywhere else.
#[doc(alias("dsp", "insert", "plugin", "processor"))]
pub trait Effect: Send {
    /// Makes what is to be heard of what came in, in place. Both sides have always exactly 128 frames:
    /// one quantum of an absolute grid, whatever the device's buffers are. What an effect gives can
    /// thereby not depend on their size.
    ///
    /// Quanta come one after the other, but for those that are left out because nothing comes in and
    /// [`is_silent`](Effect::is_silent) says that nothing is to come out.
    fn process(&mut self, left: &mut [f32], right: &mut [f32]);

    /// Gets it ready for the mixer's rate, in frames a second. It is called once, on the thread that gives
    /// the effect to the mixer and before it crosses, so that here it may allocate. Default: does nothing.
    fn prepare(&mut self, sample_rate: u32) {
        let _ = sample_rate;
    }

    /// Whether it has nothing left to say, once what comes in is silent: if it is then given silence, it
    /// gives silence, exactly 0. It is asked after every [`process`](Effect::process). While it says so
    /// and nothing comes in, it is not called, costs nothing, and its time stands still. Default: `true`,
    /// which is right for what has no memory; an echo says `true` when its last repeat has faded.
    fn is_silent(&self) -> bool {
        true
    }
}

impl<E: Effect + ?Sized> Effect for Box<E> {
    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        (**self).process(left, right);
    }

    fn prepare(&mut self, sample_rate: u32) {
        (**self).prepare(sample_rate);
    }

    fn is_silent(&self) -> bool {
        (**self).is_silent()
    }
}

/// An effect of the game's own, which may panic when it is dropped: on whatever thread, and maybe while another panic
/// unwinds.
pub(crate) struct Tame(Option<Box<dyn Effect>>);

impl Tame {
    /// Gets an effect ready for a mixer.
    pub fn prepared(effect: Box<dyn Effect>, sample_rate: u32) -> Box<dyn Effect> {
        let mut tame = Tame(Some(effect));
        if let Some(effect) = &mut tame.0 {
            effect.prepare(sample_rate);
        }
        Box::new(tame)
    }
}

impl Effect for Tame {
    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        if let Some(effect) = &mut self.0 {
            effect.process(left, right);
        }
    }

    fn is_silent(&self) -> bool {
        self.0.as_ref().is_none_or(|effect| effect.is_silent())
    }
}

impl Drop for Tame {
    fn drop(&mut self) {
        let effect = self.0.take();
        let _ = guarded(|| drop(effect));
    }
}

/// Why an [`Effect`] was taken out while it played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EffectTrouble {
    /// It gave NaN, an infinity, or a sample beyond ±10²⁴.
    NotFinite,
    /// It panicked.
    Panicked,
}

impl fmt::Display for EffectTrouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EffectTrouble::NotFinite => write!(f, "it gave a sample that is not finite"),
            EffectTrouble::Panicked => write!(f, "it panicked"),
        }
    }
}
