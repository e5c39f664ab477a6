//! SSE2, which every 64-bit x86 has: eight lanes in two registers.

#![allow(unsafe_code)] // The intrinsics that read and write memory.

use std::arch::x86_64::*;

use super::lanes::{LANES, Lanes, Rows, map};

/// What needs no proof: the compiler takes SSE2 for granted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sse2;

/// Methods whose intrinsics need memory that is there.
macro_rules! with_sse2 {
    ($(fn $name:ident($self:ident $(, $arg:ident: $type:ty)*) $(-> $out:ty)? $body:block)*) => {$(
        #[inline(always)]
        fn $name($self $(, $arg: $type)*) $(-> $out)? {
            // SAFETY: memory is read and written only behind references to arrays, as many bytes
            // as they hold, by instructions that ask for no alignment.
            #[allow(unused_unsafe, reason = "not all of them touch memory")]
            unsafe { $body }
        }
    )*};
}

type Floats = [__m128; 2];
type Words = [__m128i; 2];

/// Two words from each of four places: the first of each, and the second.
macro_rules! pairs {
    ($a:expr, $b:expr, $c:expr, $d:expr) => {{
        let ab = _mm_unpacklo_epi64(_mm_loadl_epi64($a), _mm_loadl_epi64($b));
        let cd = _mm_unpacklo_epi64(_mm_loadl_epi64($c), _mm_loadl_epi64($d));
        let (ab, cd) = (_mm_castsi128_ps(ab), _mm_castsi128_ps(cd));
        let (first, second) = (_mm_shuffle_ps::<0x88>(ab, cd), _mm_shuffle_ps::<0xdd>(ab, cd));
        (_mm_castps_si128(first), _mm_castps_si128(second))
    }};
}

/// Four words from each of four places: rows become columns.
macro_rules! quads {
    ($a:expr, $b:expr, $c:expr, $d:expr) => {{
        let (a, b, c, d) = (_mm_loadu_ps($a), _mm_loadu_ps($b), _mm_loadu_ps($c), _mm_loadu_ps($d));
        let (ab_early, ab_late) = (_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
        let (cd_early, cd_late) = (_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
        (
            _mm_castps_si128(_mm_shuffle_ps::<0x44>(ab_early, cd_early)),
            _mm_castps_si128(_mm_shuffle_ps::<0xee>(ab_early, cd_early)),
            _mm_castps_si128(_mm_shuffle_ps::<0x44>(ab_late, cd_late)),
            _mm_castps_si128(_mm_shuffle_ps::<0xee>(ab_late, cd_late)),
        )
    }};
}

/// The sums of four eights.
macro_rules! sums {
    ($a:expr, $b:expr, $c:expr, $d:expr) => {{
        let (a, b) = (_mm_add_ps($a[0], $a[1]), _mm_add_ps($b[0], $b[1]));
        let (c, d) = (_mm_add_ps($c[0], $c[1]), _mm_add_ps($d[0], $d[1]));
        let ab = _mm_add_ps(_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
        let cd = _mm_add_ps(_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
        _mm_add_ps(_mm_shuffle_ps::<0x44>(ab, cd), _mm_shuffle_ps::<0xee>(ab, cd))
    }};
}

impl Lanes for Sse2 {
    type Floats = Floats;
    type Words = Words;

    with_sse2! {
        fn splat(self, value: f32) -> Floats { [_mm_set1_ps(value); 2] }
        fn load(self, from: &[f32; LANES]) -> Floats {
            [_mm_loadu_ps(from.as_ptr()), _mm_loadu_ps(from.as_ptr().add(4))]
        }
        fn store(self, floats: Floats, to: &mut [f32; LANES]) {
            _mm_storeu_ps(to.as_mut_ptr(), floats[0]);
            _mm_storeu_ps(to.as_mut_ptr().add(4), floats[1]);
        }
        fn add(self, a: Floats, b: Floats) -> Floats {
            [_mm_add_ps(a[0], b[0]), _mm_add_ps(a[1], b[1])]
        }
        fn sub(self, a: Floats, b: Floats) -> Floats {
            [_mm_sub_ps(a[0], b[0]), _mm_sub_ps(a[1], b[1])]
        }
        fn mul(self, a: Floats, b: Floats) -> Floats {
            [_mm_mul_ps(a[0], b[0]), _mm_mul_ps(a[1], b[1])]
        }

        fn load_pairs(self, from: &[f32; 2 * LANES]) -> [Floats; 2] {
            let from = from.as_ptr();
            let (a, b) = (_mm_loadu_ps(from), _mm_loadu_ps(from.add(4)));
            let (c, d) = (_mm_loadu_ps(from.add(8)), _mm_loadu_ps(from.add(12)));
            [
                [_mm_shuffle_ps::<0x88>(a, b), _mm_shuffle_ps::<0x88>(c, d)],
                [_mm_shuffle_ps::<0xdd>(a, b), _mm_shuffle_ps::<0xdd>(c, d)],
            ]
        }
        fn load_shorts(self, from: &[i16; LANES]) -> Floats {
            let shorts = _mm_loadu_si128(from.as_ptr().cast());
            let (early, late) =
                (_mm_unpacklo_epi16(shorts, shorts), _mm_unpackhi_epi16(shorts, shorts));
            self.second_shorts([early, late])
        }
        fn load_words(self, from: &[[u8; 4]; LANES]) -> Words {
            let from = from.as_ptr().cast::<__m128i>();
            [_mm_loadu_si128(from), _mm_loadu_si128(from.add(1))]
        }

        fn words(self, at: Rows<4>) -> Words {
            let [a, b, c, d, e, f, g, h] = map(at, |row| i32::from_ne_bytes(*row));
            [_mm_setr_epi32(a, b, c, d), _mm_setr_epi32(e, f, g, h)]
        }
        fn pairs(self, at: Rows<8>) -> [Words; 2] {
            let [a, b, c, d, e, f, g, h] = map(at, |row| row.as_ptr().cast::<__m128i>());
            let (early, late) = (pairs!(a, b, c, d), pairs!(e, f, g, h));
            [[early.0, late.0], [early.1, late.1]]
        }
        fn quads(self, at: Rows<16>) -> [Words; 4] {
            let [a, b, c, d, e, f, g, h] = map(at, |row| row.as_ptr().cast::<f32>());
            let (early, late) = (quads!(a, b, c, d), quads!(e, f, g, h));
            [[early.0, late.0], [early.1, late.1], [early.2, late.2], [early.3, late.3]]
        }

        fn floats(self, words: Words) -> Floats {
            [_mm_castsi128_ps(words[0]), _mm_castsi128_ps(words[1])]
        }
        fn first_shorts(self, words: Words) -> Floats {
            self.second_shorts([_mm_slli_epi32::<16>(words[0]), _mm_slli_epi32::<16>(words[1])])
        }
        fn second_shorts(self, words: Words) -> Floats {
            [
                _mm_cvtepi32_ps(_mm_srai_epi32::<16>(words[0])),
                _mm_cvtepi32_ps(_mm_srai_epi32::<16>(words[1])),
            ]
        }

        fn count(self, first: u32, step: u32) -> Words {
            let at = |lane: u32| first.wrapping_add(step.wrapping_mul(lane)) as i32;
            [_mm_setr_epi32(at(0), at(1), at(2), at(3)), _mm_setr_epi32(at(4), at(5), at(6), at(7))]
        }
        fn count_on(self, words: Words, by: u32) -> Words {
            let by = _mm_set1_epi32(by as i32);
            [_mm_add_epi32(words[0], by), _mm_add_epi32(words[1], by)]
        }
        fn load_counted(self, from: &[u32; LANES]) -> Words {
            let from = from.as_ptr().cast::<__m128i>();
            [_mm_loadu_si128(from), _mm_loadu_si128(from.add(1))]
        }
        fn counted(self, words: Words) -> Floats {
            [_mm_cvtepi32_ps(words[0]), _mm_cvtepi32_ps(words[1])]
        }
        fn store_counted(self, words: Words, to: &mut [u32; LANES]) {
            let to = to.as_mut_ptr().cast::<__m128i>();
            _mm_storeu_si128(to, words[0]);
            _mm_storeu_si128(to.add(1), words[1]);
        }
        fn fraction(self, words: Words) -> Floats {
            let (early, late) = (_mm_srli_epi32::<8>(words[0]), _mm_srli_epi32::<8>(words[1]));
            let upper = [_mm_cvtepi32_ps(early), _mm_cvtepi32_ps(late)];
            self.mul(upper, self.splat(1.0 / 16_777_216.0))
        }
        fn fine_fraction(self, words: Words) -> Floats {
            let (early, late) = (_mm_slli_epi32::<8>(words[0]), _mm_slli_epi32::<8>(words[1]));
            let (early, late) = (_mm_srli_epi32::<16>(early), _mm_srli_epi32::<16>(late));
            let upper = [_mm_cvtepi32_ps(early), _mm_cvtepi32_ps(late)];
            self.mul(upper, self.splat(1.0 / 65_536.0))
        }

        fn sums(self, eights: [Floats; LANES]) -> Floats {
            let [a, b, c, d, e, f, g, h] = eights;
            [sums!(a, b, c, d), sums!(e, f, g, h)]
        }
    }
}
