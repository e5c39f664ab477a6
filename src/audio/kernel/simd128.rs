//! WebAssembly's SIMD: eight lanes in two vectors.
//!
//! A module cannot ask its engine what it has: an engine that lacks one instruction refuses all of
//! it. So there is nothing to find out, and these lanes are the ones that `wasm32` has. They are
//! switched on for the kernels alone, so that nobody needs a flag for them; browsers have had them
//! since 2021, Safari since 16.4 of March 2023.

#![allow(unsafe_code)] // The intrinsics that read and write memory.

use std::arch::wasm32::*;

use super::lanes::{LANES, Lanes, Rows, Work, map};

/// What needs no proof: without it the module would not have been loaded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simd128;

impl Simd128 {
    #[inline(always)]
    pub fn run<W: Work>(self, work: W) -> W::Done {
        #[target_feature(enable = "simd128")]
        fn run<W: Work>(simd128: Simd128, work: W) -> W::Done {
            work.with(simd128)
        }
        run(self, work)
    }
}

/// Methods whose intrinsics need memory that is there.
macro_rules! with_simd128 {
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

type Both = [v128; 2];

/// One operation on both vectors.
macro_rules! both {
    ($operation:path, $a:expr $(, $b:expr)*) => {
        [$operation($a[0] $(, $b[0])*), $operation($a[1] $(, $b[1])*)]
    };
}

/// One word from each of four places.
macro_rules! words {
    ($a:expr, $b:expr, $c:expr, $d:expr) => {{
        let ab = v128_load32_lane::<1>(v128_load32_zero($a), $b);
        v128_load32_lane::<3>(v128_load32_lane::<2>(ab, $c), $d)
    }};
}

/// Two words from each of four places: the first of each, and the second.
macro_rules! pairs {
    ($a:expr, $b:expr, $c:expr, $d:expr) => {{
        let ab = v128_load64_lane::<1>(v128_load64_zero($a), $b);
        let cd = v128_load64_lane::<1>(v128_load64_zero($c), $d);
        (i32x4_shuffle::<0, 2, 4, 6>(ab, cd), i32x4_shuffle::<1, 3, 5, 7>(ab, cd))
    }};
}

/// The first halves of two, word by word in turn.
macro_rules! early {
    ($a:expr, $b:expr) => {
        i32x4_shuffle::<0, 4, 1, 5>($a, $b)
    };
}

/// The second halves.
macro_rules! late {
    ($a:expr, $b:expr) => {
        i32x4_shuffle::<2, 6, 3, 7>($a, $b)
    };
}

/// Four words from each of four places: rows become columns.
macro_rules! quads {
    ($a:expr, $b:expr, $c:expr, $d:expr) => {{
        let (a, b, c, d) = (v128_load($a), v128_load($b), v128_load($c), v128_load($d));
        let (ab_early, ab_late) = (early!(a, b), late!(a, b));
        let (cd_early, cd_late) = (early!(c, d), late!(c, d));
        (
            i64x2_shuffle::<0, 2>(ab_early, cd_early),
            i64x2_shuffle::<1, 3>(ab_early, cd_early),
            i64x2_shuffle::<0, 2>(ab_late, cd_late),
            i64x2_shuffle::<1, 3>(ab_late, cd_late),
        )
    }};
}

/// The sums of four eights.
macro_rules! sums {
    ($a:expr, $b:expr, $c:expr, $d:expr) => {{
        let (a, b) = (f32x4_add($a[0], $a[1]), f32x4_add($b[0], $b[1]));
        let (c, d) = (f32x4_add($c[0], $c[1]), f32x4_add($d[0], $d[1]));
        let (ab, cd) = (f32x4_add(early!(a, b), late!(a, b)), f32x4_add(early!(c, d), late!(c, d)));
        f32x4_add(i64x2_shuffle::<0, 2>(ab, cd), i64x2_shuffle::<1, 3>(ab, cd))
    }};
}

impl Lanes for Simd128 {
    type Floats = Both;
    type Words = Both;

    with_simd128! {
        fn splat(self, value: f32) -> Both { [f32x4_splat(value); 2] }
        fn load(self, from: &[f32; LANES]) -> Both {
            let from = from.as_ptr().cast::<v128>();
            [v128_load(from), v128_load(from.add(1))]
        }
        fn store(self, floats: Both, to: &mut [f32; LANES]) {
            let to = to.as_mut_ptr().cast::<v128>();
            v128_store(to, floats[0]);
            v128_store(to.add(1), floats[1]);
        }
        fn add(self, a: Both, b: Both) -> Both { both!(f32x4_add, a, b) }
        fn sub(self, a: Both, b: Both) -> Both { both!(f32x4_sub, a, b) }
        fn mul(self, a: Both, b: Both) -> Both { both!(f32x4_mul, a, b) }

        fn load_pairs(self, from: &[f32; 2 * LANES]) -> [Both; 2] {
            let from = from.as_ptr().cast::<v128>();
            let (a, b) = (v128_load(from), v128_load(from.add(1)));
            let (c, d) = (v128_load(from.add(2)), v128_load(from.add(3)));
            [
                [i32x4_shuffle::<0, 2, 4, 6>(a, b), i32x4_shuffle::<0, 2, 4, 6>(c, d)],
                [i32x4_shuffle::<1, 3, 5, 7>(a, b), i32x4_shuffle::<1, 3, 5, 7>(c, d)],
            ]
        }
        fn load_shorts(self, from: &[i16; LANES]) -> Both {
            let from = from.as_ptr();
            let shorts = [i32x4_load_extend_i16x4(from), i32x4_load_extend_i16x4(from.add(4))];
            both!(f32x4_convert_i32x4, shorts)
        }
        fn load_words(self, from: &[[u8; 4]; LANES]) -> Both {
            let from = from.as_ptr().cast::<v128>();
            [v128_load(from), v128_load(from.add(1))]
        }

        fn words(self, at: Rows<4>) -> Both {
            let [a, b, c, d, e, f, g, h] = map(at, |row| row.as_ptr().cast::<u32>());
            [words!(a, b, c, d), words!(e, f, g, h)]
        }
        fn pairs(self, at: Rows<8>) -> [Both; 2] {
            let [a, b, c, d, e, f, g, h] = map(at, |row| row.as_ptr().cast::<u64>());
            let (early, late) = (pairs!(a, b, c, d), pairs!(e, f, g, h));
            [[early.0, late.0], [early.1, late.1]]
        }
        fn quads(self, at: Rows<16>) -> [Both; 4] {
            let [a, b, c, d, e, f, g, h] = map(at, |row| row.as_ptr().cast::<v128>());
            let (early, late) = (quads!(a, b, c, d), quads!(e, f, g, h));
            [[early.0, late.0], [early.1, late.1], [early.2, late.2], [early.3, late.3]]
        }

        fn floats(self, words: Both) -> Both { words }
        fn first_shorts(self, words: Both) -> Both {
            self.second_shorts([i32x4_shl(words[0], 16), i32x4_shl(words[1], 16)])
        }
        fn second_shorts(self, words: Both) -> Both {
            self.counted([i32x4_shr(words[0], 16), i32x4_shr(words[1], 16)])
        }

        fn count(self, first: u32, step: u32) -> Both {
            let (first, step) = (u32x4_splat(first), u32x4_splat(step));
            let lanes = [u32x4(0, 1, 2, 3), u32x4(4, 5, 6, 7)];
            both!(i32x4_add, both!(i32x4_mul, lanes, [step; 2]), [first; 2])
        }
        fn count_on(self, words: Both, by: u32) -> Both {
            both!(i32x4_add, words, [u32x4_splat(by); 2])
        }
        fn load_counted(self, from: &[u32; LANES]) -> Both {
            let from = from.as_ptr().cast::<v128>();
            [v128_load(from), v128_load(from.add(1))]
        }
        fn counted(self, words: Both) -> Both { both!(f32x4_convert_i32x4, words) }
        fn store_counted(self, words: Both, to: &mut [u32; LANES]) {
            let to = to.as_mut_ptr().cast::<v128>();
            v128_store(to, words[0]);
            v128_store(to.add(1), words[1]);
        }
        fn fraction(self, words: Both) -> Both {
            let upper = [u32x4_shr(words[0], 8), u32x4_shr(words[1], 8)];
            self.mul(self.counted(upper), self.splat(1.0 / 16_777_216.0))
        }
        fn fine_fraction(self, words: Both) -> Both {
            let lower = [u32x4_shl(words[0], 8), u32x4_shl(words[1], 8)];
            let upper = [u32x4_shr(lower[0], 16), u32x4_shr(lower[1], 16)];
            self.mul(self.counted(upper), self.splat(1.0 / 65_536.0))
        }

        fn sums(self, eights: [Both; LANES]) -> Both {
            let [a, b, c, d, e, f, g, h] = eights;
            [sums!(a, b, c, d), sums!(e, f, g, h)]
        }
    }
}
