//! The limit's inner loops: mono clips, at their gains, added to planar stereo. AVX2 with FMA.
//!
//! Of several ways tried for each, the fastest on Zen 3. At unity four voices share a pass, since
//! one alone waits for its stores. Between samples the neighbours are loaded as one piece of 4, 8
//! or 16 bytes and put in order by shuffles; gathers are three times slower. The resampling
//! kernels can ramp their gains, as those of a mixer must; here the ramp is level.

use std::arch::x86_64::*;

use crate::scene::Frame;

/// How a clip is kept.
pub trait Sample: Copy + Default {
    /// What one step of it is worth.
    const SCALE: f32;

    /// Eight in a row, not yet scaled.
    ///
    /// # Safety
    /// There are eight, and the CPU has AVX2.
    unsafe fn eight(from: *const Self) -> __m256;
}

impl Sample for f32 {
    const SCALE: f32 = 1.0;

    #[inline(always)]
    unsafe fn eight(from: *const f32) -> __m256 {
        // SAFETY: as promised by the caller.
        unsafe { _mm256_loadu_ps(from) }
    }
}

impl Sample for i16 {
    const SCALE: f32 = 1.0 / 32_768.0;

    #[inline(always)]
    unsafe fn eight(from: *const i16) -> __m256 {
        // SAFETY: as promised by the caller.
        unsafe { _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128(from.cast()))) }
    }
}

/// The sums of a block, a multiple of eight frames: small enough to stay in the first cache.
#[derive(Default)]
pub struct Mix {
    left: Vec<f32>,
    right: Vec<f32>,
}

impl Mix {
    pub fn new(frames: usize) -> Mix {
        assert!(frames.is_multiple_of(8));
        Mix { left: vec![0.0; frames], right: vec![0.0; frames] }
    }

    pub fn clear(&mut self) {
        self.left.fill(0.0);
        self.right.fill(0.0);
    }
}

/// Where a resampled voice stands between its frame and the next, and how far each frame takes it:
/// with 16 bits after the point.
#[derive(Clone, Copy)]
pub struct Steps {
    pub fraction: u32,
    pub step: u32,
}

/// A kernel that reads between the samples: a clip with the place of the voice's frame in it.
///
/// # Safety
/// The CPU has AVX2 and FMA.
pub type Resample<S> = unsafe fn((&[S], usize), Steps, [f32; 2], &mut Mix);

/// Adds voices as they are.
#[target_feature(enable = "avx2,fma")]
pub fn unity<S: Sample, const V: usize>(
    sources: [(&[S], usize); V],
    gains: [[f32; 2]; V],
    mix: &mut Mix,
) {
    let frames = mix.left.len();
    let sources = sources.map(|(clip, at)| clip[at..][..frames].as_ptr());
    let gain_left = gains.map(|[left, _]| _mm256_set1_ps(left * S::SCALE));
    let gain_right = gains.map(|[_, right]| _mm256_set1_ps(right * S::SCALE));
    let (left, right) = (mix.left.as_mut_ptr(), mix.right.as_mut_ptr());
    for frame in (0..frames).step_by(8) {
        // SAFETY: sources and sums have `frames` each, a multiple of eight.
        unsafe {
            let mut sum_left = _mm256_loadu_ps(left.add(frame));
            let mut sum_right = _mm256_loadu_ps(right.add(frame));
            for voice in 0..V {
                let eight = S::eight(sources[voice].add(frame));
                sum_left = _mm256_fmadd_ps(eight, gain_left[voice], sum_left);
                sum_right = _mm256_fmadd_ps(eight, gain_right[voice], sum_right);
            }
            _mm256_storeu_ps(left.add(frame), sum_left);
            _mm256_storeu_ps(right.add(frame), sum_right);
        }
    }
}

/// The common part of the resampling kernels: `eight` makes eight samples, from the position of the
/// first and those of all.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn resample(steps: Steps, gains: [f32; 2], mix: &mut Mix, eight: impl Fn(u32, __m256i) -> __m256) {
    let Steps { fraction, step } = steps;
    let slope = 0.0;
    let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let start = _mm256_set1_epi32(fraction as i32);
    let walked = _mm256_mullo_epi32(lanes, _mm256_set1_epi32(step as i32));
    let mut positions = _mm256_add_epi32(walked, start);
    let stride = _mm256_set1_epi32((step * 8) as i32);
    let ramp = |from| {
        _mm256_fmadd_ps(_mm256_cvtepi32_ps(lanes), _mm256_set1_ps(slope), _mm256_set1_ps(from))
    };
    let [mut gain_left, mut gain_right] = gains.map(ramp);
    let rise = _mm256_set1_ps(8.0 * slope);
    let mut position = fraction;
    for (left, right) in mix.left.chunks_exact_mut(8).zip(mix.right.chunks_exact_mut(8)) {
        let value = eight(position, positions);
        let (left, right) = (left.as_mut_ptr(), right.as_mut_ptr());
        // SAFETY: each has eight.
        unsafe {
            _mm256_storeu_ps(left, _mm256_fmadd_ps(value, gain_left, _mm256_loadu_ps(left)));
            _mm256_storeu_ps(right, _mm256_fmadd_ps(value, gain_right, _mm256_loadu_ps(right)));
        }
        gain_left = _mm256_add_ps(gain_left, rise);
        gain_right = _mm256_add_ps(gain_right, rise);
        positions = _mm256_add_epi32(positions, stride);
        position += step * 8;
    }
}

/// The frames of a clip from `before` the voice's own to `after` the last it comes to.
fn reach<S>(
    (clip, at): (&[S], usize),
    steps: Steps,
    mix: &Mix,
    before: usize,
    after: usize,
) -> *const S {
    let last = (steps.fraction as usize + steps.step as usize * (mix.left.len() - 1)) >> 16;
    clip[at - before..at + last + after + 1].as_ptr()
}

/// The 16 bits after the point, from 0 to 1.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn fractions(positions: __m256i) -> __m256 {
    let bits = _mm256_and_si256(positions, _mm256_set1_epi32(0xffff));
    _mm256_mul_ps(_mm256_cvtepi32_ps(bits), _mm256_set1_ps(1.0 / 65_536.0))
}

/// Two points: one load of 8 bytes brings both neighbours.
#[target_feature(enable = "avx2,fma")]
pub fn linear(source: (&[f32], usize), steps: Steps, gains: [f32; 2], mix: &mut Mix) {
    let clip = reach(source, steps, mix, 0, 1);
    resample(steps, gains, mix, |position, positions| {
        let at = |lane| clip.wrapping_add(((position + steps.step * lane) >> 16) as usize).cast();
        // SAFETY: `reach` has seen every frame up to the last, and one after it.
        let [a, b, c, d] = unsafe {
            [
                _mm_loadh_pd(_mm_load_sd(at(0)), at(1)),
                _mm_loadh_pd(_mm_load_sd(at(2)), at(3)),
                _mm_loadh_pd(_mm_load_sd(at(4)), at(5)),
                _mm_loadh_pd(_mm_load_sd(at(6)), at(7)),
            ]
        };
        let low = _mm256_castpd_ps(_mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(a), c));
        let high = _mm256_castpd_ps(_mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(b), d));
        let y0 = _mm256_shuffle_ps::<0x88>(low, high);
        let y1 = _mm256_shuffle_ps::<0xdd>(low, high);
        _mm256_fmadd_ps(fractions(positions), _mm256_sub_ps(y1, y0), y0)
    });
}

/// Two points of 16 bits: one load of 4 bytes brings both neighbours, and one multiplication weighs
/// them, with 15 bits of the fraction.
#[target_feature(enable = "avx2,fma")]
pub fn linear_sixteen(source: (&[i16], usize), steps: Steps, gains: [f32; 2], mix: &mut Mix) {
    let clip = reach(source, steps, mix, 0, 1);
    let gains = gains.map(|gain| gain * (i16::SCALE / 32_767.0));
    resample(steps, gains, mix, |position, positions| {
        let at = |lane| {
            let at = clip.wrapping_add(((position + steps.step * lane) >> 16) as usize);
            // SAFETY: `reach` has seen every frame up to the last, and one after it.
            unsafe { at.cast::<i32>().read_unaligned() }
        };
        let pairs = _mm256_setr_epi32(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7));
        let full = _mm256_set1_epi32(0x7fff);
        let second = _mm256_and_si256(_mm256_srli_epi32::<1>(positions), full);
        let first = _mm256_sub_epi32(full, second);
        let weights = _mm256_or_si256(first, _mm256_slli_epi32::<16>(second));
        _mm256_cvtepi32_ps(_mm256_madd_epi16(pairs, weights))
    });
}

/// Four points, Catmull-Rom: one load of 16 bytes brings all, and a transpose sorts them.
#[target_feature(enable = "avx2,fma")]
pub fn cubic(source: (&[f32], usize), steps: Steps, gains: [f32; 2], mix: &mut Mix) {
    let clip = reach(source, steps, mix, 1, 2);
    resample(steps, gains, mix, |position, positions| {
        let at = |lane| {
            let at = clip.wrapping_add(((position + steps.step * lane) >> 16) as usize);
            // SAFETY: `reach` has seen one frame before the first, and two after the last.
            unsafe { _mm_loadu_ps(at) }
        };
        let both = |low, high| _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high);
        let rows = [0, 1, 2, 3].map(|lane| both(at(lane), at(lane + 4)));
        let [a, b] = [_mm256_unpacklo_ps(rows[0], rows[1]), _mm256_unpackhi_ps(rows[0], rows[1])];
        let [c, d] = [_mm256_unpacklo_ps(rows[2], rows[3]), _mm256_unpackhi_ps(rows[2], rows[3])];
        let y0 = _mm256_shuffle_ps::<0x44>(a, c);
        let y1 = _mm256_shuffle_ps::<0xee>(a, c);
        let y2 = _mm256_shuffle_ps::<0x44>(b, d);
        let y3 = _mm256_shuffle_ps::<0xee>(b, d);
        let fraction = fractions(positions);
        let [half, two, three] = [0.5, 2.0, 3.0].map(|value| _mm256_set1_ps(value));
        let c1 = _mm256_sub_ps(y2, y0);
        let c3 = _mm256_fmadd_ps(three, _mm256_sub_ps(y1, y2), _mm256_sub_ps(y3, y0));
        let bend = _mm256_sub_ps(_mm256_add_ps(y0, y2), _mm256_mul_ps(two, y1));
        let c2 = _mm256_sub_ps(bend, c3);
        let slope = _mm256_fmadd_ps(fraction, _mm256_fmadd_ps(fraction, c3, c2), c1);
        _mm256_fmadd_ps(_mm256_mul_ps(half, fraction), slope, y1)
    });
}

/// The sums as frames.
#[target_feature(enable = "avx2")]
pub fn interleave(mix: &Mix, out: &mut [Frame]) {
    let sums = mix.left.chunks_exact(8).zip(mix.right.chunks_exact(8));
    for ((left, right), out) in sums.zip(out.as_flattened_mut().chunks_exact_mut(16)) {
        // SAFETY: there are eight on each side, and room for sixteen.
        unsafe {
            let (left, right) = (_mm256_loadu_ps(left.as_ptr()), _mm256_loadu_ps(right.as_ptr()));
            let low = _mm256_unpacklo_ps(left, right);
            let high = _mm256_unpackhi_ps(left, right);
            let (first, second) = (out.as_mut_ptr(), out.as_mut_ptr().add(8));
            _mm256_storeu_ps(first, _mm256_permute2f128_ps::<0x20>(low, high));
            _mm256_storeu_ps(second, _mm256_permute2f128_ps::<0x31>(low, high));
        }
    }
}
