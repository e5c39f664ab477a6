//! The frames of clips as they are kept in memory, and how eight of them are read at once.

#![allow(unsafe_code)] // To read where a caller has proved that the clip is.

use std::ops::Range;

use super::lanes::{LANES, Lanes, Rows, map};
use crate::sound::{Sample, Samples, each_kind};

/// What a 16-bit sample is multiplied by: exact, whatever the sample.
const SHORT: f32 = 1.0 / 32_768.0;

/// Eight frames: those of the left side, and those of the right.
type Eight<L> = [<L as Lanes>::Floats; 2];

/// A frame of a clip.
pub trait ClipFrame: Copy {
    /// What lies before and after a clip.
    const SILENCE: Self;

    /// The clip of a sound whose frames are of this kind.
    fn clip(samples: &Samples) -> Option<&[Self]>;

    /// Frames of a clip that are of this kind.
    fn frames(frames: Frames<'_>) -> Option<&[Self]>;

    /// The same frame where all of it is heard from one point.
    type Point: ClipFrame;

    /// A clip of which the mean of both sides is heard.
    fn points(clip: &[Self]) -> &[Self::Point];

    /// Left and right.
    fn stereo(self) -> [f32; 2];

    /// Eight frames that lie side by side.
    fn eight<L: Lanes>(lanes: L, frames: &[Self; LANES]) -> Eight<L>;

    /// At each of eight places, the frame that is there and the one after it.
    ///
    /// # Safety
    /// The clip has both of them, at each place.
    unsafe fn two<L: Lanes>(lanes: L, clip: &[Self], at: &[usize; LANES]) -> [Eight<L>; 2];

    /// At each of eight places, the frame that is there and the three after it.
    ///
    /// # Safety
    /// The clip has all four, at each place.
    unsafe fn four<L: Lanes>(lanes: L, clip: &[Self], at: &[usize; LANES]) -> [Eight<L>; 4];
}

/// Some frames of a clip, of whatever kind they are.
#[derive(Clone, Copy)]
pub enum Frames<'a> {
    Mono16(&'a [[i16; 1]]),
    Stereo16(&'a [[i16; 2]]),
    Mono32(&'a [[f32; 1]]),
    Stereo32(&'a [[f32; 2]]),
}

impl Frames<'_> {
    pub const NONE: Frames<'static> = Frames::Mono16(&[]);

    /// A range of a clip, or none if that has not all of it.
    pub fn of(samples: &Samples, range: Range<usize>) -> Frames<'_> {
        match samples {
            Samples::Mono16(clip) => Frames::Mono16(clip.get(range).unwrap_or_default()),
            Samples::Stereo16(clip) => Frames::Stereo16(clip.get(range).unwrap_or_default()),
            Samples::Mono32(clip) => Frames::Mono32(clip.get(range).unwrap_or_default()),
            Samples::Stereo32(clip) => Frames::Stereo32(clip.get(range).unwrap_or_default()),
        }
    }
}

/// How many lines of memory are asked for ahead. A voice reads some thirty in a block; from here
/// on the processor has seen by itself where it goes.
const LINES_AHEAD: usize = 16;

/// Asks for a clip's frames from some place on, because they will be read soon.
#[inline(always)]
pub fn prefetch(samples: &Samples, first: usize) {
    let place = each_kind!(Samples, samples, clip => {
        clip.as_ptr().wrapping_add(first).cast::<i8>()
    });
    for line in 0..LINES_AHEAD {
        hint(place.wrapping_add(64 * line));
    }
}

/// Asks for all frames of a range: another thread has just written them, so that the processor has them
/// nowhere near.
#[inline(always)]
pub fn prefetch_all(samples: &Samples, range: Range<usize>) {
    each_kind!(Samples, samples, clip => {
        let frames = clip.get(range).unwrap_or_default();
        let place = frames.as_ptr().cast::<i8>();
        for line in 0..size_of_val(frames).div_ceil(64) {
            hint(place.wrapping_add(64 * line));
        }
    });
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn hint(place: *const i8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: it is a hint. It reads nothing, and may name any address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(place) };
}

/// Other processors have to find out by themselves.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn hint(_: *const i8) {}

/// The bytes of some frames from each of eight places on.
///
/// # Safety
/// The clip has so many bytes there, at each place.
#[inline(always)]
unsafe fn rows<'a, F, const N: usize>(clip: &'a [F], at: &[usize; LANES]) -> Rows<'a, N> {
    // SAFETY: the caller says that these bytes belong to the clip. They are samples, and so
    // initialised; bytes need no alignment.
    map(*at, |at| unsafe { &*clip.as_ptr().add(at).cast::<[u8; N]>() })
}

/// 16-bit samples, as the numbers they stand for.
#[inline(always)]
fn scaled<L: Lanes>(lanes: L, shorts: L::Floats) -> L::Floats {
    lanes.mul(shorts, lanes.splat(SHORT))
}

/// Words of two 16-bit samples each: the first ones, and the second ones.
#[inline(always)]
fn split<L: Lanes>(lanes: L, words: L::Words) -> [L::Floats; 2] {
    let (first, second) = (lanes.first_shorts(words), lanes.second_shorts(words));
    [scaled(lanes, first), scaled(lanes, second)]
}

/// Mono sounds on both sides.
impl ClipFrame for [f32; 1] {
    const SILENCE: Self = [0.0];

    fn clip(samples: &Samples) -> Option<&[Self]> {
        if let Samples::Mono32(clip) = samples { Some(clip) } else { None }
    }

    #[inline(always)]
    fn frames(frames: Frames<'_>) -> Option<&[Self]> {
        if let Frames::Mono32(clip) = frames { Some(clip) } else { None }
    }

    type Point = Self;

    fn points(clip: &[Self]) -> &[Self] {
        clip
    }

    #[inline(always)]
    fn stereo(self) -> [f32; 2] {
        [self[0]; 2]
    }

    #[inline(always)]
    fn eight<L: Lanes>(lanes: L, frames: &[Self; LANES]) -> Eight<L> {
        [lanes.load(&map(*frames, |[sample]| sample)); 2]
    }

    #[inline(always)]
    unsafe fn two<L: Lanes>(lanes: L, clip: &[Self], at: &[usize; LANES]) -> [Eight<L>; 2] {
        // SAFETY: two frames of 4 bytes.
        let [a, b] = lanes.pairs(unsafe { rows(clip, at) });
        [[lanes.floats(a); 2], [lanes.floats(b); 2]]
    }

    #[inline(always)]
    unsafe fn four<L: Lanes>(lanes: L, clip: &[Self], at: &[usize; LANES]) -> [Eight<L>; 4] {
        // SAFETY: four frames of 4 bytes.
        let [a, b, c, d] = lanes.quads(unsafe { rows(clip, at) });
        [[lanes.floats(a); 2], [lanes.floats(b); 2], [lanes.floats(c); 2], [lanes.floats(d); 2]]
    }
}

impl ClipFrame for [f32; 2] {
    const SILENCE: Self = [0.0; 2];

    fn clip(samples: &Samples) -> Option<&[Self]> {
        if let Samples::Stereo32(clip) = samples { Some(clip) } else { None }
    }

    #[inline(always)]
    fn frames(frames: Frames<'_>) -> Option<&[Self]> {
        if let Frames::Stereo32(clip) = frames { Some(clip) } else { None }
    }

    type Point = Mean<Self>;

    fn points(clip: &[Self]) -> &[Mean<Self>] {
        Mean::of(clip)
    }

    #[inline(always)]
    fn stereo(self) -> [f32; 2] {
        self
    }

    #[inline(always)]
    fn eight<L: Lanes>(lanes: L, frames: &[Self; LANES]) -> Eight<L> {
        let flat = frames.as_flattened().first_chunk();
        lanes.load_pairs(flat.unwrap_or(&[0.0; 2 * LANES]))
    }

    #[inline(always)]
    unsafe fn two<L: Lanes>(lanes: L, clip: &[Self], at: &[usize; LANES]) -> [Eight<L>; 2] {
        // SAFETY: two frames of 8 bytes.
        let [al, ar, bl, br] = lanes.quads(unsafe { rows(clip, at) });
        [[lanes.floats(al), lanes.floats(ar)], [lanes.floats(bl), lanes.floats(br)]]
    }

    #[inline(always)]
    unsafe fn four<L: Lanes>(lanes: L, clip: &[Self], at: &[usize; LANES]) -> [Eight<L>; 4] {
        // SAFETY: of four frames the first two, and the last two.
        let ([a, b], [c, d]) =
            unsafe { (Self::two(lanes, clip, at), Self::two(lanes, clip, &map(*at, |at| at + 2))) };
        [a, b, c, d]
    }
}

impl ClipFrame for [i16; 1] {
    const SILENCE: Self = [0];

    fn clip(samples: &Samples) -> Option<&[Self]> {
        if let Samples::Mono16(clip) = samples { Some(clip) } else { None }
    }

    #[inline(always)]
    fn frames(frames: Frames<'_>) -> Option<&[Self]> {
        if let Frames::Mono16(clip) = frames { Some(clip) } else { None }
    }

    type Point = Self;

    fn points(clip: &[Self]) -> &[Self] {
        clip
    }

    #[inline(always)]
    fn stereo(self) -> [f32; 2] {
        [self[0].value(); 2]
    }

    #[inline(always)]
    fn eight<L: Lanes>(lanes: L, frames: &[Self; LANES]) -> Eight<L> {
        [scaled(lanes, lanes.load_shorts(&map(*frames, |[sample]| sample))); 2]
    }

    #[inline(always)]
    unsafe fn two<L: Lanes>(lanes: L, clip: &[Self], at: &[usize; LANES]) -> [Eight<L>; 2] {
        // SAFETY: two frames of 2 bytes.
        let [a, b] = split(lanes, lanes.words(unsafe { rows(clip, at) }));
        [[a; 2], [b; 2]]
    }

    #[inline(always)]
    unsafe fn four<L: Lanes>(lanes: L, clip: &[Self], at: &[usize; LANES]) -> [Eight<L>; 4] {
        // SAFETY: four frames of 2 bytes.
        let [ab, cd] = lanes.pairs(unsafe { rows(clip, at) });
        let ([a, b], [c, d]) = (split(lanes, ab), split(lanes, cd));
        [[a; 2], [b; 2], [c; 2], [d; 2]]
    }
}

impl ClipFrame for [i16; 2] {
    const SILENCE: Self = [0; 2];

    fn clip(samples: &Samples) -> Option<&[Self]> {
        if let Samples::Stereo16(clip) = samples { Some(clip) } else { None }
    }

    #[inline(always)]
    fn frames(frames: Frames<'_>) -> Option<&[Self]> {
        if let Frames::Stereo16(clip) = frames { Some(clip) } else { None }
    }

    type Point = Mean<Self>;

    fn points(clip: &[Self]) -> &[Mean<Self>] {
        Mean::of(clip)
    }

    #[inline(always)]
    fn stereo(self) -> [f32; 2] {
        self.map(Sample::value)
    }

    #[inline(always)]
    fn eight<L: Lanes>(lanes: L, frames: &[Self; LANES]) -> Eight<L> {
        let bytes = map(*frames, |[left, right]| {
            let ([a, b], [c, d]) = (left.to_ne_bytes(), right.to_ne_bytes());
            [a, b, c, d]
        });
        split(lanes, lanes.load_words(&bytes))
    }

    #[inline(always)]
    unsafe fn two<L: Lanes>(lanes: L, clip: &[Self], at: &[usize; LANES]) -> [Eight<L>; 2] {
        // SAFETY: two frames of 4 bytes.
        let [a, b] = lanes.pairs(unsafe { rows(clip, at) });
        [split(lanes, a), split(lanes, b)]
    }

    #[inline(always)]
    unsafe fn four<L: Lanes>(lanes: L, clip: &[Self], at: &[usize; LANES]) -> [Eight<L>; 4] {
        // SAFETY: four frames of 4 bytes.
        let [a, b, c, d] = lanes.quads(unsafe { rows(clip, at) });
        [split(lanes, a), split(lanes, b), split(lanes, c), split(lanes, d)]
    }
}

/// A frame of which the mean of both sides is heard, on either.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Mean<F>(F);

impl<F> Mean<F> {
    fn of(clip: &[F]) -> &[Mean<F>] {
        // SAFETY: it is the same frames under another name: `repr(transparent)`.
        unsafe { &*(std::ptr::from_ref(clip) as *const [Mean<F>]) }
    }

    /// The same frames under their own name.
    fn own(clip: &[Mean<F>]) -> &[F] {
        // SAFETY: as in `of`.
        unsafe { &*(std::ptr::from_ref(clip) as *const [F]) }
    }
}

/// Of eight frames, the means of both sides.
#[inline(always)]
fn mean<L: Lanes>(lanes: L, [left, right]: Eight<L>) -> Eight<L> {
    [lanes.mul(lanes.add(left, right), lanes.splat(0.5)); 2]
}

impl<F: ClipFrame> ClipFrame for Mean<F> {
    const SILENCE: Self = Mean(F::SILENCE);

    fn clip(samples: &Samples) -> Option<&[Self]> {
        F::clip(samples).map(Mean::of)
    }

    fn frames(frames: Frames<'_>) -> Option<&[Self]> {
        F::frames(frames).map(Mean::of)
    }

    type Point = Self;

    fn points(clip: &[Self]) -> &[Self] {
        clip
    }

    #[inline(always)]
    fn stereo(self) -> [f32; 2] {
        let [left, right] = self.0.stereo();
        [(left + right) * 0.5; 2]
    }

    #[inline(always)]
    fn eight<L: Lanes>(lanes: L, frames: &[Self; LANES]) -> Eight<L> {
        mean(lanes, F::eight(lanes, &map(*frames, |Mean(frame)| frame)))
    }

    #[inline(always)]
    unsafe fn two<L: Lanes>(lanes: L, clip: &[Self], at: &[usize; LANES]) -> [Eight<L>; 2] {
        // SAFETY: as the caller says.
        let [a, b] = unsafe { F::two(lanes, Mean::own(clip), at) };
        [mean(lanes, a), mean(lanes, b)]
    }

    #[inline(always)]
    unsafe fn four<L: Lanes>(lanes: L, clip: &[Self], at: &[usize; LANES]) -> [Eight<L>; 4] {
        // SAFETY: as the caller says.
        let [a, b, c, d] = unsafe { F::four(lanes, Mean::own(clip), at) };
        [mean(lanes, a), mean(lanes, b), mean(lanes, c), mean(lanes, d)]
    }
}
