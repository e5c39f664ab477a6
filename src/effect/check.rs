//! Tries an effect out, for the tests of whoever wrote it.

use std::error::Error;
use std::f64::consts::TAU;
use std::fmt;
use std::time::Duration;

use super::{Effect, is_sound};
use crate::config::RATES;
use crate::link::message::QUANTUM;
use crate::units::{self, ms};

/// How long each kind of sound is fed.
const FEED: Duration = ms(500);

/// How long an effect may take to fall silent after it, and how long one is listened to that says it
/// has: an echo of five seconds that the default `is_silent` forgot is still heard.
const RING: Duration = Duration::from_secs(60);
const LISTEN: Duration = Duration::from_secs(5);

/// What [`check_effect`] found wrong with an [`Effect`].
///
/// `input` is what was fed to it last, and `frame` counts from the first frame of that, with the silence
/// that follows.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum EffectFault {
    /// It made NaN, an infinity or something beyond ±10²⁴ of what was finite and not beyond ±1000. A
    /// mixer takes such an effect out.
    #[non_exhaustive]
    NotFinite {
        /// What was fed to it last.
        input: &'static str,
        /// The frame on which it gave the sample.
        frame: u64,
        /// The sample that it gave.
        sample: f32,
    },
    /// It said [`is_silent`](Effect::is_silent), got silence, and gave something else than 0. A mixer would
    /// have cut that off.
    #[non_exhaustive]
    NotSilent {
        /// What was fed to it last.
        input: &'static str,
        /// The frame on which it gave the sample.
        frame: u64,
        /// The sample that it gave.
        sample: f32,
    },
    /// It got a minute of silence, and never said [`is_silent`](Effect::is_silent): a mixer calls it for
    /// ever. That is no fault in an effect that is meant to sound by itself, and so this is told only of one
    /// that has no other.
    #[non_exhaustive]
    NeverSilent {
        /// What was fed to it last.
        input: &'static str,
    },
    /// Two effects that were made alike and fed alike gave different bits: what they give follows from
    /// something else than their input. Recordings of a game would not sound the same again.
    #[non_exhaustive]
    NotRepeatable {
        /// What was fed to it last.
        input: &'static str,
        /// The first frame on which they differed.
        frame: u64,
    },
    /// It called the allocator where it must not: in [`process`](Effect::process) or
    /// [`is_silent`](Effect::is_silent).
    #[non_exhaustive]
    Allocates {
        /// What was fed to it last.
        input: &'static str,
        /// The first frame of the quantum in which it did.
        frame: u64,
        /// How often it did in that quantum.
        calls: u64,
    },
}

impl fmt::Display for EffectFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EffectFault::NotFinite { input, frame, sample } => {
                write!(f, "it was fed {input} and gave {sample} on frame {frame}")
            }
            EffectFault::NotSilent { input, frame, sample } => write!(
                f,
                "it was fed {input}, then silence, said is_silent, and gave {sample} on frame {frame}"
            ),
            EffectFault::NeverSilent { input } => {
                write!(f, "it was fed {input}, then a minute of silence, and never said is_silent")
            }
            EffectFault::NotRepeatable { input, frame } => {
                write!(f, "two that were fed {input} alike differ on frame {frame}")
            }
            EffectFault::Allocates { input, frame, calls } => write!(
                f,
                "it was fed {input} and called the allocator {calls} times in the quantum from frame {frame}"
            ),
        }
    }
}

impl Error for EffectFault {}

/// Tries out whether an effect keeps to what [`Effect`] asks, for a test of yours. `make` makes one; two
/// are made, prepared for `sample_rate` (from 1 to 384,000 Hz; what is beyond is brought to the nearest), and
/// fed the same: silence, impulses, noise, sines up to the full scale, noise of ±1000 and noise that is next
/// to nothing, each with silence behind it.
///
/// What comes out must be finite, the same from both, and exactly silent once they say
/// [`is_silent`](Effect::is_silent), which they must say within a minute of silence. A panic of the effect
/// is passed on, so that the test shows where it was.
///
/// Whether it allocates is looked at by [`check_effect_with`]: only your test can say how to count that.
///
/// # Errors
///
/// The first [`EffectFault`] that was found.
///
/// ```
/// use voicepool::{Effect, EffectFault, check_effect};
///
/// struct Inverse;
///
/// impl Effect for Inverse {
///     fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
///         left.iter_mut().chain(right).for_each(|sample| *sample = 1.0 / *sample);
///     }
/// }
///
/// let fault = check_effect(|| Inverse, 48_000).unwrap_err();
/// assert!(matches!(fault, EffectFault::NotFinite { frame: 0, .. }));
/// assert_eq!(fault.to_string(), "it was fed silence and gave inf on frame 0");
/// ```
pub fn check_effect<E: Effect>(
    make: impl FnMut() -> E,
    sample_rate: u32,
) -> Result<(), EffectFault> {
    check_effect_with(make, sample_rate, || 0)
}

/// The same as [`check_effect`], and tries out whether the effect allocates too. `heap_calls` tells how often
/// this thread has called the allocator, to get or to free; it is asked before and after each quantum.
///
/// The crate has no `unsafe` to spare for an allocator that counts, so it is your test's: a
/// [`GlobalAlloc`](std::alloc::GlobalAlloc) around [`System`](std::alloc::System) that adds 1 to a
/// thread-local cell with every call, or a crate that has one.
///
/// # Errors
///
/// The first [`EffectFault`] that was found.
///
/// ```
/// # use std::alloc::{GlobalAlloc, Layout, System};
/// # use std::cell::Cell;
/// # use voicepool::{Effect, EffectFault, check_effect_with};
/// # struct Counting;
/// # unsafe impl GlobalAlloc for Counting {
/// #     unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
/// #         CALLS.set(CALLS.get() + 1);
/// #         unsafe { System.alloc(layout) }
/// #     }
/// #     unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
/// #         CALLS.set(CALLS.get() + 1);
/// #         unsafe { System.dealloc(block, layout) }
/// #     }
/// # }
/// # #[global_allocator]
/// # static COUNTING: Counting = Counting;
/// thread_local!(static CALLS: Cell<u64> = const { Cell::new(0) }); // the allocator counts here
///
/// struct Backwards;
///
/// impl Effect for Backwards {
///     fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
///         for side in [left, right] {
///             let copy = side.to_vec(); // not here!
///             side.iter_mut().zip(copy.iter().rev()).for_each(|(sample, came)| *sample = *came);
///         }
///     }
/// }
///
/// let fault = check_effect_with(|| Backwards, 48_000, || CALLS.get()).unwrap_err();
/// assert!(matches!(fault, EffectFault::Allocates { calls: 4, .. }));
/// ```
pub fn check_effect_with<E: Effect>(
    mut make: impl FnMut() -> E,
    sample_rate: u32,
    heap_calls: impl Fn() -> u64,
) -> Result<(), EffectFault> {
    let rate = sample_rate.clamp(*RATES.start(), *RATES.end());
    let mut both = [make(), make()];
    both.iter_mut().for_each(|effect| effect.prepare(rate));
    let quanta = |time| units::frames(time, rate).div_ceil(QUANTUM as u64);
    let mut never_silent = None;
    for (input, sound) in INPUTS {
        let mut trial = Trial { both: &mut both, heap_calls: &heap_calls, input, frame: 0 };
        let mut random = Random(1);
        for _ in 0..quanta(FEED) {
            let frames = std::array::from_fn(|i| sound(trial.frame + i as u64, rate, &mut random));
            trial.feed(&frames)?;
        }
        // A minute is waited for once: one that does not fall silent is not made to prove it each time.
        let patience = if never_silent.is_none() { quanta(RING) } else { quanta(LISTEN) };
        if trial.falls_silent(patience)? {
            trial.stays_silent(quanta(LISTEN))?;
        } else {
            never_silent.get_or_insert(EffectFault::NeverSilent { input });
        }
    }
    never_silent.map_or(Ok(()), Err)
}

/// A sound to feed: its frame of a number, at a rate.
type Sound = fn(u64, u32, &mut Random) -> [f32; 2];

const INPUTS: [(&str, Sound); 8] = [
    ("silence", |_, _, _| [0.0; 2]),
    ("an impulse on the left", |frame, _, _| [if frame == 0 { 1.0 } else { 0.0 }, 0.0]),
    // Somewhere within a quantum, and again and again.
    ("impulses on the right", |frame, _, _| [0.0, if frame % 997 == 131 { -1.0 } else { 0.0 }]),
    ("noise", |_, _, random| [random.sample(), random.sample()]),
    ("sines", |frame, rate, _| [sine(frame, 100.0 / f64::from(rate)), sine(frame, 0.45)]),
    ("noise of a thousand", |_, _, random| [1e3, -1e3].map(|loud| loud * random.sample())),
    ("a thousand without end", |_, _, _| [1e3, -1e3]),
    // Down to where numbers have few bits left.
    ("next to nothing", |_, _, random| [1e-30, 1e-42].map(|quiet| quiet * random.sample())),
];

fn sine(frame: u64, turns_a_frame: f64) -> f32 {
    libm::sin(TAU * (frame as f64 * turns_a_frame).fract()) as f32
}

/// Numbers that look random and are the same every time.
struct Random(u64);

impl Random {
    /// From -1 to 1.
    fn sample(&mut self) -> f32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 40) as f32 - 8_388_608.0) / 8_388_608.0
    }
}

/// Two effects that should do the same, and what they are being fed.
struct Trial<'a, E, H> {
    both: &'a mut [E; 2],
    heap_calls: &'a H,
    input: &'static str,
    /// The first frame of the next quantum.
    frame: u64,
}

impl<E: Effect, H: Fn() -> u64> Trial<'_, E, H> {
    /// Feeds a quantum. Returns what the two gave of it, which is finite and the same.
    fn feed(&mut self, frames: &[[f32; 2]; QUANTUM]) -> Result<[[f32; QUANTUM]; 2], EffectFault> {
        let input = self.input;
        let came: [[f32; QUANTUM]; 2] = [0, 1].map(|side| frames.map(|frame| frame[side]));
        let [mut given, mut twin] = [came; 2];
        for (effect, [left, right]) in self.both.iter_mut().zip([&mut given, &mut twin]) {
            let before = (self.heap_calls)();
            effect.process(left, right);
            effect.is_silent();
            let calls = (self.heap_calls)().wrapping_sub(before);
            if calls > 0 {
                return Err(EffectFault::Allocates { input, frame: self.frame, calls });
            }
        }
        for (side, twin) in given.iter().zip(&twin) {
            for ((frame, sample), twin) in (self.frame..).zip(side).zip(twin) {
                if !is_sound(*sample) {
                    return Err(EffectFault::NotFinite { input, frame, sample: *sample });
                }
                if sample.to_bits() != twin.to_bits() {
                    return Err(EffectFault::NotRepeatable { input, frame });
                }
            }
        }
        self.frame += QUANTUM as u64;
        Ok(given)
    }

    /// Feeds silence until both say that they are silent. Whether they did.
    fn falls_silent(&mut self, quanta: u64) -> Result<bool, EffectFault> {
        for _ in 0..quanta {
            if self.says_silent()? {
                return Ok(true);
            }
            self.feed(&[[0.0; 2]; QUANTUM])?;
        }
        self.says_silent()
    }

    /// What they say is as much of what they do as what they give.
    fn says_silent(&self) -> Result<bool, EffectFault> {
        let [one, other] = self.both.each_ref().map(|effect| effect.is_silent());
        if one == other {
            Ok(one)
        } else {
            Err(EffectFault::NotRepeatable { input: self.input, frame: self.frame })
        }
    }

    /// Feeds silence, and holds them to their word.
    fn stays_silent(&mut self, quanta: u64) -> Result<(), EffectFault> {
        for _ in 0..quanta {
            let from = self.frame;
            for side in self.feed(&[[0.0; 2]; QUANTUM])? {
                if let Some((frame, sample)) = (from..).zip(side).find(|(_, it)| *it != 0.0) {
                    return Err(EffectFault::NotSilent { input: self.input, frame, sample });
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
