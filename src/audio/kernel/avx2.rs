//! AVX2: eight lanes in one register, and no fused multiply-add.

#![allow(unsafe_code)] // The intrinsics.

use std::arch::x86_64::*;

use super::lanes::{LANES, Lanes, Rows, Work, map};

/// Proof that the processor has AVX2.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2(());

impl Avx2 {
    pub fn found() -> Option<Avx2> {
        is_x86_feature_detected!("avx2").then_some(Avx2(()))
    }

    #[inline(always)]
    pub fn run<W: Work>(self, work: W) -> W::Done {
        #[target_feature(enable = "avx2")]
        fn run<W: Work>(avx2: Avx2, work: W) -> W::Done {
            work.with(avx2)
        }
        // SAFETY: `self` was made where AVX2 was found.
        unsafe { run(self, work) }
    }
}

/// Two halves side by side.
macro_rules! beside {
    ($low:expr, $high:expr) => {
        _mm256_insertf128_ps::<1>(_mm256_castps128_ps256($low), $high)
    };
}

/// Eight bytes from each of two places.
macro_rules! two_rows {
    ($a:expr, $b:expr) => {
        _mm_castsi128_ps(_mm_unpacklo_epi64(_mm_loadl_epi64($a), _mm_loadl_epi64($b)))
    };
}

/// Methods whose intrinsics need AVX2 and memory that is there.
macro_rules! with_avx2 {
    ($(fn $name:ident($self:ident $(, $arg:ident: $type:ty)*) $(-> $out:ty)? $body:block)*) => {$(
        #[inline(always)]
        fn $name($self $(, $arg: $type)*) $(-> $out)? {
            // SAFETY: `self` was made where AVX2 was found. Memory is read and written only behind
            // references to arrays, as many bytes as they hold, by instructions that ask for no
            // alignment.
            unsafe { $body }
        }
    )*};
}

impl Lanes for Avx2 {
    type Floats = __m256;
    type Words = __m256i;

    with_avx2! {
        fn splat(self, value: f32) -> __m256 { _mm256_set1_ps(value) }
        fn load(self, from: &[f32; LANES]) -> __m256 { _mm256_loadu_ps(from.as_ptr()) }
        fn store(self, floats: __m256, to: &mut [f32; LANES]) {
            _mm256_storeu_ps(to.as_mut_ptr(), floats)
        }
        fn add(self, a: __m256, b: __m256) -> __m256 { _mm256_add_ps(a, b) }
        fn sub(self, a: __m256, b: __m256) -> __m256 { _mm256_sub_ps(a, b) }
        fn mul(self, a: __m256, b: __m256) -> __m256 { _mm256_mul_ps(a, b) }

        fn load_pairs(self, from: &[f32; 2 * LANES]) -> [__m256; 2] {
            let early = _mm256_loadu_ps(from.as_ptr());
            let late = _mm256_loadu_ps(from.as_ptr().add(LANES));
            let outer = _mm256_permute2f128_ps::<0x20>(early, late);
            let inner = _mm256_permute2f128_ps::<0x31>(early, late);
            [_mm256_shuffle_ps::<0x88>(outer, inner), _mm256_shuffle_ps::<0xdd>(outer, inner)]
        }
        fn load_shorts(self, from: &[i16; LANES]) -> __m256 {
            _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128(from.as_ptr().cast())))
        }
        fn load_words(self, from: &[[u8; 4]; LANES]) -> __m256i {
            _mm256_loadu_si256(from.as_ptr().cast())
        }

        fn words(self, at: Rows<4>) -> __m256i {
            let [a, b, c, d, e, f, g, h] = map(at, |row| i32::from_ne_bytes(*row));
            _mm256_setr_epi32(a, b, c, d, e, f, g, h)
        }
        fn pairs(self, at: Rows<8>) -> [__m256i; 2] {
            let [a, b, c, d, e, f, g, h] = map(at, |row| row.as_ptr().cast::<__m128i>());
            let (ab, cd) = (two_rows!(a, b), two_rows!(c, d));
            let (ef, gh) = (two_rows!(e, f), two_rows!(g, h));
            let (outer, inner) = (beside!(ab, ef), beside!(cd, gh));
            [
                _mm256_castps_si256(_mm256_shuffle_ps::<0x88>(outer, inner)),
                _mm256_castps_si256(_mm256_shuffle_ps::<0xdd>(outer, inner)),
            ]
        }
        fn quads(self, at: Rows<16>) -> [__m256i; 4] {
            let [a, b, c, d, e, f, g, h] = map(at, |row| row.as_ptr().cast::<f32>());
            let ae = beside!(_mm_loadu_ps(a), _mm_loadu_ps(e));
            let bf = beside!(_mm_loadu_ps(b), _mm_loadu_ps(f));
            let cg = beside!(_mm_loadu_ps(c), _mm_loadu_ps(g));
            let dh = beside!(_mm_loadu_ps(d), _mm_loadu_ps(h));
            // Within each half, rows become columns.
            let (ab_early, ab_late) = (_mm256_unpacklo_ps(ae, bf), _mm256_unpackhi_ps(ae, bf));
            let (cd_early, cd_late) = (_mm256_unpacklo_ps(cg, dh), _mm256_unpackhi_ps(cg, dh));
            [
                _mm256_castps_si256(_mm256_shuffle_ps::<0x44>(ab_early, cd_early)),
                _mm256_castps_si256(_mm256_shuffle_ps::<0xee>(ab_early, cd_early)),
                _mm256_castps_si256(_mm256_shuffle_ps::<0x44>(ab_late, cd_late)),
                _mm256_castps_si256(_mm256_shuffle_ps::<0xee>(ab_late, cd_late)),
            ]
        }

        fn floats(self, words: __m256i) -> __m256 { _mm256_castsi256_ps(words) }
        fn first_shorts(self, words: __m256i) -> __m256 {
            _mm256_cvtepi32_ps(_mm256_srai_epi32::<16>(_mm256_slli_epi32::<16>(words)))
        }
        fn second_shorts(self, words: __m256i) -> __m256 {
            _mm256_cvtepi32_ps(_mm256_srai_epi32::<16>(words))
        }

        fn count(self, first: u32, step: u32) -> __m256i {
            let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            let steps = _mm256_mullo_epi32(lanes, _mm256_set1_epi32(step as i32));
            _mm256_add_epi32(steps, _mm256_set1_epi32(first as i32))
        }
        fn count_on(self, words: __m256i, by: u32) -> __m256i {
            _mm256_add_epi32(words, _mm256_set1_epi32(by as i32))
        }
        fn load_counted(self, from: &[u32; LANES]) -> __m256i {
            _mm256_loadu_si256(from.as_ptr().cast())
        }
        fn counted(self, words: __m256i) -> __m256 { _mm256_cvtepi32_ps(words) }
        fn store_counted(self, words: __m256i, to: &mut [u32; LANES]) {
            _mm256_storeu_si256(to.as_mut_ptr().cast(), words)
        }
        fn fraction(self, words: __m256i) -> __m256 {
            let upper = _mm256_cvtepi32_ps(_mm256_srli_epi32::<8>(words));
            _mm256_mul_ps(upper, _mm256_set1_ps(1.0 / 16_777_216.0))
        }
        fn fine_fraction(self, words: __m256i) -> __m256 {
            let upper = _mm256_srli_epi32::<16>(_mm256_slli_epi32::<8>(words));
            _mm256_mul_ps(_mm256_cvtepi32_ps(upper), _mm256_set1_ps(1.0 / 65_536.0))
        }

        fn sums(self, eights: [__m256; LANES]) -> __m256 {
            let [a, b, c, d, e, f, g, h] = eights;
            macro_rules! four_apart {
                ($a:expr, $e:expr) => {
                    _mm256_add_ps(
                        _mm256_permute2f128_ps::<0x20>($a, $e),
                        _mm256_permute2f128_ps::<0x31>($a, $e),
                    )
                };
            }
            macro_rules! two_apart {
                ($a:expr, $b:expr) => {
                    _mm256_add_ps(_mm256_unpacklo_ps($a, $b), _mm256_unpackhi_ps($a, $b))
                };
            }
            let (ae, bf) = (four_apart!(a, e), four_apart!(b, f));
            let (cg, dh) = (four_apart!(c, g), four_apart!(d, h));
            let (abef, cdgh) = (two_apart!(ae, bf), two_apart!(cg, dh));
            _mm256_add_ps(
                _mm256_shuffle_ps::<0x44>(abef, cdgh),
                _mm256_shuffle_ps::<0xee>(abef, cdgh),
            )
        }
    }
}
