//! Eight lanes in arrays, where nothing better was written: the compiler makes of them what the
//! processor has.

use super::lanes::{LANES, Lanes, Rows, each, map};

/// What any processor can do.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArrayLanes;

/// The word at a place in each of eight rows.
#[inline(always)]
fn column<const N: usize>(rows: &Rows<N>, word: usize) -> [u32; LANES] {
    each(|i| {
        let bytes = rows[i].get(4 * word..).and_then(|rest| rest.first_chunk());
        u32::from_ne_bytes(*bytes.unwrap_or(&[0; 4]))
    })
}

impl Lanes for ArrayLanes {
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
        map(*from, u32::from_ne_bytes)
    }

    #[inline(always)]
    fn words(self, at: Rows<4>) -> Self::Words {
        column(&at, 0)
    }

    #[inline(always)]
    fn pairs(self, at: Rows<8>) -> [Self::Words; 2] {
        [column(&at, 0), column(&at, 1)]
    }

    #[inline(always)]
    fn quads(self, at: Rows<16>) -> [Self::Words; 4] {
        [column(&at, 0), column(&at, 1), column(&at, 2), column(&at, 3)]
    }

    #[inline(always)]
    fn floats(self, words: Self::Words) -> Self::Floats {
        map(words, f32::from_bits)
    }

    #[inline(always)]
    fn first_shorts(self, words: Self::Words) -> Self::Floats {
        map(words, |word| {
            let [a, b, ..] = word.to_ne_bytes();
            f32::from(i16::from_ne_bytes([a, b]))
        })
    }

    #[inline(always)]
    fn second_shorts(self, words: Self::Words) -> Self::Floats {
        map(words, |word| {
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
        map(words, |word| word.wrapping_add(by))
    }

    #[inline(always)]
    fn load_counted(self, from: &[u32; LANES]) -> Self::Words {
        *from
    }

    #[inline(always)]
    fn counted(self, words: Self::Words) -> Self::Floats {
        map(words, |word| word as i32 as f32)
    }

    #[inline(always)]
    fn store_counted(self, words: Self::Words, to: &mut [u32; LANES]) {
        *to = words;
    }

    #[inline(always)]
    fn fraction(self, words: Self::Words) -> Self::Floats {
        map(words, |word| (word >> 8) as i32 as f32 * (1.0 / 16_777_216.0))
    }

    #[inline(always)]
    fn fine_fraction(self, words: Self::Words) -> Self::Floats {
        map(words, |word| (word >> 8 & 0xffff) as i32 as f32 * (1.0 / 65_536.0))
    }

    #[inline(always)]
    fn sums(self, eights: [Self::Floats; LANES]) -> Self::Floats {
        map(eights, |s| {
            let s = [s[0] + s[4], s[1] + s[5], s[2] + s[6], s[3] + s[7]];
            (s[0] + s[2]) + (s[1] + s[3])
        })
    }
}
