//! Keeps the output within ±1 without a step, by looking ahead.
//!
//! Every frame above the ceiling needs some of the gain taken away. The most that any frame needs
//! is held for as long as the limiter looks ahead and a little longer, let go slowly, and averaged
//! over the look-ahead: so the gain has come down, on a straight line, when the frame is reached.
//! What is taken away is counted in integers, which add up and come back to exactly 0: below the
//! ceiling every bit is exact. Both sides share it, or a sound would move when it is loud.
//!

use std::time::Duration;

use crate::Frame;
use crate::audio::kernel;
use crate::link::message::QUANTUM;
use crate::units::{self, ms};

/// How far it looks ahead, at the least: the gain falls over this time, which adds less to the
/// slope of a 100 Hz sine than a fifth.
const LOOK_AHEAD: Duration = Duration::from_micros(2500);

/// How long it holds beyond that. Half a turn of 50 Hz: between two peaks of a low tone the gain
/// stands still, and nothing is distorted.
const HOLD: Duration = ms(10);

/// How long it takes to let go: what is taken away falls to about a third in this many seconds.
const RELEASE: f64 = 0.1;

/// All of the gain, in the units in which what is taken away of it is counted.
const ALL: i64 = 1 << 38;

/// It lets go as if it were to take away less than nothing in the end, or it would never arrive.
const BEYOND: i64 = ALL >> 12;

/// The bits of the part that is let go in a frame.
const RELEASE_BITS: u32 = 24;

/// The most that any frame needs is kept for so many frames at a time, of which a quantum has a whole
/// number.
const STEP: usize = 16;

pub(in crate::audio) struct Limiter {
    /// The most that any frame of each of the latest steps needs, and where the next one goes.
    needs: Box<[i64]>,
    step: usize,
    /// The most of all of these.
    most: i64,
    /// What is being taken away, of [`ALL`], and how fast it is let go.
    cut: i64,
    release: i64,
    /// What was taken away over the look-ahead, in a ring whose oldest is at `at`, and its sum.
    cuts: Box<[i64]>,
    at: usize,
    sum: i64,
}

/// How far ahead a limiter looks at a rate: whole quanta, in frames.
pub(in crate::audio) fn look_ahead(rate: u32) -> usize {
    (units::short_frames(LOOK_AHEAD, rate) as usize).next_multiple_of(QUANTUM).max(QUANTUM)
}

impl Limiter {
    pub fn new(rate: u32) -> Limiter {
        let ahead = look_ahead(rate);
        let hold = units::short_frames(HOLD, rate).max(1) as usize;
        let release = 1.0 - libm::exp(-1.0 / (RELEASE * f64::from(rate)));
        Limiter {
            needs: vec![0; (ahead + hold).div_ceil(STEP)].into_boxed_slice(),
            step: 0,
            most: 0,
            cut: 0,
            release: (release * f64::from(1u32 << RELEASE_BITS)).round() as i64,
            cuts: vec![0; ahead].into_boxed_slice(),
            at: 0,
            sum: 0,
        }
    }

    /// Hears the first frames of all, before there is anything to limit. Returns their peaks.
    pub fn listen(&mut self, left: &[f32], right: &[f32]) -> Frame {
        let peaks = kernel::peaks(left, right);
        if !self.is_idle(peaks) {
            for (left, right) in left.as_chunks().0.iter().zip(right.as_chunks().0) {
                self.hear(left, right);
            }
        }
        peaks
    }

    /// Hears `new` frames, whole quanta, which lie behind those of the look-ahead, and limits as
    /// many from the beginning on. Returns the peaks of the new ones before that.
    pub fn limit(&mut self, left: &mut [f32], right: &mut [f32], new: usize) -> Frame {
        let ahead = self.cuts.len();
        let heard = ahead..ahead + new;
        let peaks = kernel::peaks(
            left.get(heard.clone()).unwrap_or_default(),
            right.get(heard).unwrap_or_default(),
        );
        if self.is_idle(peaks) {
            return peaks;
        }
        for from in (0..new).step_by(STEP) {
            let step =
                |side: &[f32]| side.get(ahead + from..).and_then(|it| it.first_chunk()).copied();
            let (Some(heard_left), Some(heard_right)) = (step(left), step(right)) else { break };
            let gains = self.hear(&heard_left, &heard_right);
            for side in [&mut *left, &mut *right] {
                let step = side.get_mut(from..).and_then(|it| it.first_chunk_mut::<STEP>());
                for (sample, gain) in step.into_iter().flatten().zip(gains) {
                    // Times 1 leaves every bit; the clamp is for the rounding of the product alone.
                    *sample = (*sample * gain).clamp(-1.0, 1.0);
                }
            }
        }
        peaks
    }

    /// Whether it has nothing to do, nor will have after frames of such peaks.
    fn is_idle(&self, peaks: Frame) -> bool {
        // As long as any frame of the look-ahead needs something, something is taken away.
        self.sum == 0 && peaks[0] <= 1.0 && peaks[1] <= 1.0
    }

    /// Hears the frames of a step. Returns the gains of those that the look-ahead began with.
    fn hear(&mut self, left: &[f32; STEP], right: &[f32; STEP]) -> [f32; STEP] {
        let all = ALL as f64;
        // What the steps before this one need is the same for all of it.
        let (mut most, mut own) = (self.most, 0);
        let mut gains = [1.0; STEP];
        let scale = 1.0 / (self.cuts.len() as f64 * all);
        let cuts = self.cuts.get_mut(self.at..).and_then(|it| it.first_chunk_mut::<STEP>());
        let sides = left.iter().zip(right);
        for ((cut, gain), (left, right)) in cuts.into_iter().flatten().zip(&mut gains).zip(sides) {
            let peak = kernel::higher(left.abs(), right.abs());
            if peak > 1.0 {
                own = own.max((all - all / f64::from(peak)) as i64 + 1);
                most = most.max(own);
            }
            let let_go = ((self.cut + BEYOND) * self.release) >> RELEASE_BITS;
            self.cut = (self.cut - let_go).max(most);
            self.sum += self.cut - *cut;
            *cut = self.cut;
            *gain = (1.0 - self.sum as f64 * scale) as f32;
        }
        let gone = self.needs.get_mut(self.step).map(|need| std::mem::replace(need, own));
        self.most = self.most.max(own);
        if gone == Some(self.most) && own < self.most {
            self.most = self.needs.iter().fold(0, |most, need| *need.max(&most));
        }
        self.step = if self.step + 1 < self.needs.len() { self.step + 1 } else { 0 };
        self.at = if self.at + STEP < self.cuts.len() { self.at + STEP } else { 0 };
        gains
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes out of frames that are the same on both sides, but for a smaller right one.
    fn limited(rate: u32, samples: &[f32]) -> Vec<Frame> {
        let mut limiter = Limiter::new(rate);
        let ahead = look_ahead(rate);
        let (mut left, mut right) = (samples.to_vec(), samples.iter().map(|s| s * 0.5).collect());
        let whole = samples.len().next_multiple_of(QUANTUM);
        for side in [&mut left, &mut right] as [&mut Vec<f32>; 2] {
            side.resize(whole + ahead, 0.0);
        }
        limiter.listen(&left[..ahead], &right[..ahead]);
        limiter.limit(&mut left, &mut right, whole);
        left.into_iter().zip(right).map(|(l, r)| [l, r]).take(samples.len()).collect()
    }

    #[test]
    fn below_the_ceiling_nothing_changes() {
        let samples = [0.3, -1.0, 1.0, f32::MIN_POSITIVE];
        let heard = limited(48_000, &samples);
        assert_eq!(heard, samples.map(|sample| [sample, sample * 0.5]));
    }

    #[test]
    fn it_looks_ahead_by_whole_quanta_of_two_and_a_half_milliseconds() {
        let frames = [1, 44_100, 48_000, 51_200, 96_000, 192_000, 384_000].map(look_ahead);
        assert_eq!(frames, [128, 128, 128, 128, 256, 512, 1024]);
    }

    #[test]
    fn a_peak_is_brought_to_one_on_a_straight_line_and_the_gain_returns_to_exactly_one() {
        for rate in [1, 1000, 48_000, 384_000] {
            let (ahead, hold) = (look_ahead(rate), (rate as usize / 100).max(1));
            let mut samples = vec![0.25; 4 * ahead + hold + 4 * rate as usize];
            samples[2 * ahead] = 4.0;
            let gains: Vec<f32> = limited(rate, &samples)
                .iter()
                .zip(&samples)
                .map(|(heard, s)| heard[0] / s)
                .collect();
            assert!((0.999..=1.0).contains(&(gains[2 * ahead] * 4.0)), "at {rate} Hz");
            assert_eq!(gains[ahead - 1], 1.0, "nothing before the look-ahead");
            let steepest = gains.windows(2).map(|pair| (pair[1] - pair[0]).abs());
            let straight = 0.75 / ahead as f32;
            assert!(steepest.fold(0.0, f32::max) < 1.02 * straight, "at {rate} Hz");
            assert_eq!(gains.last(), Some(&1.0), "four seconds later at {rate} Hz");
        }
    }

    #[test]
    fn nothing_passes_the_ceiling_whatever_comes() {
        let mut random = 1u32;
        let mut samples = Vec::new();
        for _ in 0..20_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let loud = [0.5, 1.0, 3.0, 1e5, 1e17][(random >> 20) as usize % 5];
            samples.push(loud * ((random >> 8) as f32 / 8_388_608.0 - 1.0));
        }
        let heard = limited(48_000, &samples);
        assert!(heard.as_flattened().iter().all(|sample| sample.abs() <= 1.0));
    }
}
