//! NEON, which every 64-bit ARM has: eight lanes in two registers, and no fused multiply-add.

#![allow(unsafe_code)] // The intrinsics that read and write memory.

use std::arch::aarch64::*;

use super::lanes::{LANES, Lanes, Rows, each, map};

/// What needs no proof: the compiler takes NEON for granted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neon;

/// Methods whose intrinsics need memory that is there.
macro_rules! with_neon {
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

type Floats = [float32x4_t; 2];
type Words = [uint32x4_t; 2];

/// One operation on both registers.
macro_rules! both {
    ($operation:expr, $a:expr $(, $b:expr)*) => {
        [$operation($a[0] $(, $b[0])*), $operation($a[1] $(, $b[1])*)]
    };
}

/// The upper halves of words, as floats.
macro_rules! upper_shorts {
    ($words:expr) => {
        both!(vcvtq_f32_s32, both!(vshrq_n_s32::<16>, both!(vreinterpretq_s32_u32, $words)))
    };
}

/// The lower halves.
macro_rules! lower_shorts {
    ($words:expr) => {
        upper_shorts!(both!(vshlq_n_u32::<16>, $words))
    };
}

/// One word from each of four places.
macro_rules! words {
    ($a:expr, $b:expr, $c:expr, $d:expr) => {{
        let ab = vld1q_lane_u32::<1>($b, vld1q_lane_u32::<0>($a, vdupq_n_u32(0)));
        vld1q_lane_u32::<3>($d, vld1q_lane_u32::<2>($c, ab))
    }};
}

/// Two words from each of four places: the first of each, and the second.
macro_rules! pairs {
    ($a:expr, $b:expr, $c:expr, $d:expr) => {{
        let ab = vcombine_u32(vld1_u32($a), vld1_u32($b));
        let cd = vcombine_u32(vld1_u32($c), vld1_u32($d));
        (vuzp1q_u32(ab, cd), vuzp2q_u32(ab, cd))
    }};
}

/// Four words from each of four places: rows become columns.
macro_rules! quads {
    ($a:expr, $b:expr, $c:expr, $d:expr) => {{
        let (a, b, c, d) = (vld1q_u32($a), vld1q_u32($b), vld1q_u32($c), vld1q_u32($d));
        let (ac_early, ac_late) = (vzip1q_u32(a, c), vzip2q_u32(a, c));
        let (bd_early, bd_late) = (vzip1q_u32(b, d), vzip2q_u32(b, d));
        (
            vzip1q_u32(ac_early, bd_early),
            vzip2q_u32(ac_early, bd_early),
            vzip1q_u32(ac_late, bd_late),
            vzip2q_u32(ac_late, bd_late),
        )
    }};
}

/// The sums of four eights.
macro_rules! sums {
    ($a:expr, $b:expr, $c:expr, $d:expr) => {{
        let (a, b) = (vaddq_f32($a[0], $a[1]), vaddq_f32($b[0], $b[1]));
        let (c, d) = (vaddq_f32($c[0], $c[1]), vaddq_f32($d[0], $d[1]));
        let ac = vaddq_f32(vzip1q_f32(a, c), vzip2q_f32(a, c));
        let bd = vaddq_f32(vzip1q_f32(b, d), vzip2q_f32(b, d));
        vaddq_f32(vzip1q_f32(ac, bd), vzip2q_f32(ac, bd))
    }};
}

impl Lanes for Neon {
    type Floats = Floats;
    type Words = Words;

    with_neon! {
        fn splat(self, value: f32) -> Floats { [vdupq_n_f32(value); 2] }
        fn load(self, from: &[f32; LANES]) -> Floats {
            [vld1q_f32(from.as_ptr()), vld1q_f32(from.as_ptr().add(4))]
        }
        fn store(self, floats: Floats, to: &mut [f32; LANES]) {
            vst1q_f32(to.as_mut_ptr(), floats[0]);
            vst1q_f32(to.as_mut_ptr().add(4), floats[1]);
        }
        fn add(self, a: Floats, b: Floats) -> Floats { both!(vaddq_f32, a, b) }
        fn sub(self, a: Floats, b: Floats) -> Floats { both!(vsubq_f32, a, b) }
        fn mul(self, a: Floats, b: Floats) -> Floats { both!(vmulq_f32, a, b) }

        fn load_pairs(self, from: &[f32; 2 * LANES]) -> [Floats; 2] {
            let early = vld2q_f32(from.as_ptr());
            let late = vld2q_f32(from.as_ptr().add(LANES));
            [[early.0, late.0], [early.1, late.1]]
        }
        fn load_shorts(self, from: &[i16; LANES]) -> Floats {
            let shorts = vld1q_s16(from.as_ptr());
            let wide = [vmovl_s16(vget_low_s16(shorts)), vmovl_high_s16(shorts)];
            both!(vcvtq_f32_s32, wide)
        }
        fn load_words(self, from: &[[u8; 4]; LANES]) -> Words {
            let from = from.as_ptr().cast::<u32>();
            [vld1q_u32(from), vld1q_u32(from.add(4))]
        }

        fn words(self, at: Rows<4>) -> Words {
            let [a, b, c, d, e, f, g, h] = map(at, |row| row.as_ptr().cast::<u32>());
            [words!(a, b, c, d), words!(e, f, g, h)]
        }
        fn pairs(self, at: Rows<8>) -> [Words; 2] {
            let [a, b, c, d, e, f, g, h] = map(at, |row| row.as_ptr().cast::<u32>());
            let (early, late) = (pairs!(a, b, c, d), pairs!(e, f, g, h));
            [[early.0, late.0], [early.1, late.1]]
        }
        fn quads(self, at: Rows<16>) -> [Words; 4] {
            let [a, b, c, d, e, f, g, h] = map(at, |row| row.as_ptr().cast::<u32>());
            let (early, late) = (quads!(a, b, c, d), quads!(e, f, g, h));
            [[early.0, late.0], [early.1, late.1], [early.2, late.2], [early.3, late.3]]
        }

        fn floats(self, words: Words) -> Floats { both!(vreinterpretq_f32_u32, words) }
        fn first_shorts(self, words: Words) -> Floats {
            if cfg!(target_endian = "big") { upper_shorts!(words) } else { lower_shorts!(words) }
        }
        fn second_shorts(self, words: Words) -> Floats {
            if cfg!(target_endian = "big") { lower_shorts!(words) } else { upper_shorts!(words) }
        }

        fn count(self, first: u32, step: u32) -> Words {
            let at = |lane: u32| first.wrapping_add(step.wrapping_mul(lane));
            let at = each(|lane| at(lane as u32));
            self.load_counted(&at)
        }
        fn count_on(self, words: Words, by: u32) -> Words {
            both!(vaddq_u32, words, [vdupq_n_u32(by); 2])
        }
        fn load_counted(self, from: &[u32; LANES]) -> Words {
            [vld1q_u32(from.as_ptr()), vld1q_u32(from.as_ptr().add(4))]
        }
        fn counted(self, words: Words) -> Floats { both!(vcvtq_f32_u32, words) }
        fn store_counted(self, words: Words, to: &mut [u32; LANES]) {
            vst1q_u32(to.as_mut_ptr(), words[0]);
            vst1q_u32(to.as_mut_ptr().add(4), words[1]);
        }
        // A conversion that also divides by a power of two is exact, as both are.
        fn fraction(self, words: Words) -> Floats {
            both!(vcvtq_n_f32_u32::<24>, both!(vshrq_n_u32::<8>, words))
        }
        fn fine_fraction(self, words: Words) -> Floats {
            let lower = both!(vshlq_n_u32::<8>, words);
            both!(vcvtq_n_f32_u32::<16>, both!(vshrq_n_u32::<16>, lower))
        }

        fn sums(self, eights: [Floats; LANES]) -> Floats {
            let [a, b, c, d, e, f, g, h] = eights;
            [sums!(a, b, c, d), sums!(e, f, g, h)]
        }
    }
}
