//! Eight numbers side by side: what the wide kernels are written in, once for all processors.
//!
//! An instruction set is a value that exists only where the processor has it, so that having one
//! is the proof. Every operation is exact or rounded once, as the plain one is, and none is fused:
//! the bits are the same on all of them.

#[cfg(any(
    test,
    not(any(target_arch = "aarch64", target_arch = "wasm32", target_arch = "x86_64"))
))]
use super::array::ArrayLanes;
#[cfg(target_arch = "aarch64")]
use super::neon::Neon;
#[cfg(target_arch = "wasm32")]
use super::simd128::Simd128;
#[cfg(target_arch = "x86_64")]
use super::{avx2::Avx2, sse2::Sse2};

/// How many there are side by side, whatever the processor's own width.
pub const LANES: usize = 8;

/// What is read at eight places at once: `N` bytes at each.
pub type Rows<'a, const N: usize> = [&'a [u8; N]; LANES];

/// Eight floats or eight words of 32 bits at a time, in the way of one instruction set.
pub trait Lanes: Copy {
    type Floats: Copy;
    type Words: Copy;

    fn splat(self, value: f32) -> Self::Floats;
    fn load(self, from: &[f32; LANES]) -> Self::Floats;
    fn store(self, floats: Self::Floats, to: &mut [f32; LANES]);
    fn add(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn sub(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn mul(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;

    /// Pairs that lie one after the other, taken apart: the first of each, and the second.
    fn load_pairs(self, from: &[f32; 2 * LANES]) -> [Self::Floats; 2];
    /// Integers of 16 bits as floats.
    fn load_shorts(self, from: &[i16; LANES]) -> Self::Floats;
    fn load_words(self, from: &[[u8; 4]; LANES]) -> Self::Words;

    /// One word from each place; two; four. The first of each, the second, and so on.
    fn words(self, at: Rows<4>) -> Self::Words;
    fn pairs(self, at: Rows<8>) -> [Self::Words; 2];
    fn quads(self, at: Rows<16>) -> [Self::Words; 4];

    /// Words that are floats.
    fn floats(self, words: Self::Words) -> Self::Floats;
    /// Words that are two integers of 16 bits: those that come first in memory, and those that
    /// come second, as floats.
    fn first_shorts(self, words: Self::Words) -> Self::Floats;
    fn second_shorts(self, words: Self::Words) -> Self::Floats;

    /// `first`, `first + step`, and so on, round and round.
    fn count(self, first: u32, step: u32) -> Self::Words;
    fn count_on(self, words: Self::Words, by: u32) -> Self::Words;
    fn load_counted(self, from: &[u32; LANES]) -> Self::Words;
    /// Words that are integers, below 2^31, as floats.
    fn counted(self, words: Self::Words) -> Self::Floats;
    fn store_counted(self, words: Self::Words, to: &mut [u32; LANES]);
    /// The fraction that each word is of 2^32: of its bits the upper 24, which a float holds.
    fn fraction(self, words: Self::Words) -> Self::Floats;
    /// The fraction that the same 24 bits but for the highest eight are.
    fn fine_fraction(self, words: Self::Words) -> Self::Floats;

    /// The sum of each eight: first those four apart, then those two apart, then the last two.
    fn sums(self, eights: [Self::Floats; LANES]) -> Self::Floats;
}

/// What each of eight lanes gives. The standard library's own ways to make an array are calls where a
/// compiler is asked for small code, as is usual for the web: cubic would take five times as long.
#[inline(always)]
pub(super) fn each<T>(mut lane: impl FnMut(usize) -> T) -> [T; LANES] {
    [lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7)]
}

/// The same from what is in each.
#[inline(always)]
pub(super) fn map<A: Copy, T>(from: [A; LANES], mut lane: impl FnMut(A) -> T) -> [T; LANES] {
    each(|i| lane(from[i]))
}

/// Something to be computed with whatever instruction set there is.
pub(super) trait Work {
    type Done;

    fn with<L: Lanes>(self, lanes: L) -> Self::Done;
}

/// The instruction sets there are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cpu {
    /// Arrays, and what the compiler makes of them.
    #[cfg(any(
        test,
        not(any(target_arch = "aarch64", target_arch = "wasm32", target_arch = "x86_64"))
    ))]
    Any(ArrayLanes),
    #[cfg(target_arch = "x86_64")]
    Sse2(Sse2),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
    #[cfg(target_arch = "wasm32")]
    Simd128(Simd128),
}

impl Cpu {
    /// The best that this processor has.
    #[cfg(target_arch = "x86_64")]
    pub fn best() -> Cpu {
        Avx2::found().map_or(Cpu::Sse2(Sse2), Cpu::Avx2)
    }

    /// The one that 64-bit ARM has.
    #[cfg(target_arch = "aarch64")]
    pub fn best() -> Cpu {
        Cpu::Neon(Neon)
    }

    /// The one that a module has.
    #[cfg(target_arch = "wasm32")]
    pub fn best() -> Cpu {
        Cpu::Simd128(Simd128)
    }

    /// What every processor has.
    #[cfg(not(any(target_arch = "aarch64", target_arch = "wasm32", target_arch = "x86_64")))]
    pub fn best() -> Cpu {
        Cpu::Any(ArrayLanes)
    }

    #[inline(always)]
    pub fn run<W: Work>(self, work: W) -> W::Done {
        match self {
            #[cfg(any(
                test,
                not(any(target_arch = "aarch64", target_arch = "wasm32", target_arch = "x86_64"))
            ))]
            Cpu::Any(lanes) => work.with(lanes),
            #[cfg(target_arch = "x86_64")]
            Cpu::Sse2(sse2) => work.with(sse2),
            #[cfg(target_arch = "x86_64")]
            Cpu::Avx2(avx2) => avx2.run(work),
            #[cfg(target_arch = "aarch64")]
            Cpu::Neon(neon) => work.with(neon),
            #[cfg(target_arch = "wasm32")]
            Cpu::Simd128(simd128) => simd128.run(work),
        }
    }
}
