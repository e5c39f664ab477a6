//! Eight numbers side by side: what the wide kernels are written in, once for all processors.
//!
//! An instruction set is a value that exists only where the processor has it, so that having one
//! is the proof. Every operation is exact or rounded once, as the plain one is, and none is fused:
//! the bits are the same on all of them.

#[cfg(target_arch = "x86_64")]
use super::avx2::Avx2;

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
    fn store_counted(self, words: Self::Words, to: &mut [u32; LANES]);
    /// The fraction that each word is of 2^32: of its bits the upper 24, which a float holds.
    fn fraction(self, words: Self::Words) -> Self::Floats;
    /// The fraction that the same 24 bits but for the highest eight are.
    fn fine_fraction(self, words: Self::Words) -> Self::Floats;

    /// The sum of each eight: first those four apart, then those two apart, then the last two.
    fn sums(self, eights: [Self::Floats; LANES]) -> Self::Floats;
}

/// Something to be computed with whatever instruction set there is.
pub(super) trait Work {
    type Done;

    fn with<L: Lanes>(self, lanes: L) -> Self::Done;
}

/// The instruction sets there are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cpu {
    /// What the compiler may take for granted: SSE2 on x86-64, NEON on 64-bit ARM.
    Any(Plain),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
}

impl Cpu {
    /// The best that this processor has.
    pub fn best() -> Cpu {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = Avx2::found() {
            return Cpu::Avx2(avx2);
        }
        Cpu::Any(Plain)
    }

    #[inline(always)]
    pub fn run<W: Work>(self, work: W) -> W::Done {
        match self {
            Cpu::Any(plain) => work.with(plain),
            #[cfg(target_arch = "x86_64")]
            Cpu::Avx2(avx2) => avx2.run(work),
        }
    }
}

/// Arrays, and what the compiler makes of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain;

#[inline(always)]
fn each<T>(lane: impl FnMut(usize) -> T) -> [T; LANES] {
    std::array::from_fn(lane)
}

/// The word at a place in each of eight rows.
#[inline(always)]
fn column<const N: usize>(rows: &Rows<N>, word: usize) -> [u32; LANES] {
    each(|i| {
        let bytes = rows[i].get(4 * word..).and_then(|rest| rest.first_chunk());
        u32::from_ne_bytes(*bytes.unwrap_or(&[0; 4]))
    })
}

impl Lanes for Plain {
    type Floats = [f32; LANES];
    type Words = [u32; LANES];

    #[inline(always)]
    fn splat(self, value: f32) -> Self::Floats {
        [value; LANES]
    }

    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> Self::Floats {
        *from
    }

    #[inline(always)]
    fn store(self, floats: Self::Floats, to: &mut [f32; LANES]) {
        *to = floats;
    }

    #[inline(always)]
    fn add(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        each(|i| a[i] + b[i])
    }

    #[inline(always)]
    fn sub(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        each(|i| a[i] - b[i])
    }

    #[inline(always)]
    fn mul(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        each(|i| a[i] * b[i])
    }

    #[inline(always)]
    fn load_pairs(self, from: &[f32; 2 * LANES]) -> [Self::Floats; 2] {
        [each(|i| from[2 * i]), each(|i| from[2 * i + 1])]
    }

    #[inline(always)]
    fn load_shorts(self, from: &[i16; LANES]) -> Self::Floats {
        each(|i| f32::from(from[i]))
    }

    #[inline(always)]
    fn load_words(self, from: &[[u8; 4]; LANES]) -> Self::Words {
        from.map(u32::from_ne_bytes)
    }

    #[inline(always)]
    fn words(self, at: Rows<4>) -> Self::Words {
        column(&at, 0)
    }

    #[inline(always)]
    fn pairs(self, at: Rows<8>) -> [Self::Words; 2] {
        [0, 1].map(|word| column(&at, word))
    }

    #[inline(always)]
    fn quads(self, at: Rows<16>) -> [Self::Words; 4] {
        [0, 1, 2, 3].map(|word| column(&at, word))
    }

    #[inline(always)]
    fn floats(self, words: Self::Words) -> Self::Floats {
        words.map(f32::from_bits)
    }

    #[inline(always)]
    fn first_shorts(self, words: Self::Words) -> Self::Floats {
        words.map(|word| {
            let [a, b, ..] = word.to_ne_bytes();
            f32::from(i16::from_ne_bytes([a, b]))
        })
    }

    #[inline(always)]
    fn second_shorts(self, words: Self::Words) -> Self::Floats {
        words.map(|word| {
            let [.., a, b] = word.to_ne_bytes();
            f32::from(i16::from_ne_bytes([a, b]))
        })
    }

    #[inline(always)]
    fn count(self, first: u32, step: u32) -> Self::Words {
        each(|i| first.wrapping_add(step.wrapping_mul(i as u32)))
    }

    #[inline(always)]
    fn count_on(self, words: Self::Words, by: u32) -> Self::Words {
        words.map(|word| word.wrapping_add(by))
    }

    #[inline(always)]
    fn load_counted(self, from: &[u32; LANES]) -> Self::Words {
        *from
    }

    #[inline(always)]
    fn store_counted(self, words: Self::Words, to: &mut [u32; LANES]) {
        *to = words;
    }

    #[inline(always)]
    fn fraction(self, words: Self::Words) -> Self::Floats {
        words.map(|word| (word >> 8) as i32 as f32 * (1.0 / 16_777_216.0))
    }

    #[inline(always)]
    fn fine_fraction(self, words: Self::Words) -> Self::Floats {
        words.map(|word| (word >> 8 & 0xffff) as i32 as f32 * (1.0 / 65_536.0))
    }

    #[inline(always)]
    fn sums(self, eights: [Self::Floats; LANES]) -> Self::Floats {
        eights.map(|s| {
            let s: [f32; 4] = std::array::from_fn(|i| s[i] + s[i + 4]);
            (s[0] + s[2]) + (s[1] + s[3])
        })
    }
}
