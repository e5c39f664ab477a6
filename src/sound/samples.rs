//! The samples of a sound as they are kept, and the door they come in by.

use std::hint::black_box;
use std::sync::Arc;

use crate::Frame;
use crate::link::message::Loop;

/// Far above any signal, far below where sums of thousands of voices leave `f32`.
const LOUDEST_SAMPLE: f32 = 65_536.0;

/// 240 dB below full scale. What is less becomes 0, so that no product with a gain is ever
/// a denormal number, which some processors take a hundred times longer to multiply.
const SMALLEST_SAMPLE: f32 = 1e-12;

/// The samples as they were stored, so that each kernel reads one type and no more.
#[derive(Clone)]
pub(crate) enum Samples {
    Mono16(Arc<[[i16; 1]]>),
    Stereo16(Arc<[[i16; 2]]>),
    Mono32(Arc<[[f32; 1]]>),
    Stereo32(Arc<[[f32; 2]]>),
}

/// Does one thing with the frames, whichever of the four kinds they are: `each_kind!(Samples, samples,
/// frames => frames.len())`. The only place that tells them apart where nothing depends on it.
macro_rules! each_kind {
    ($kinds:ident, $samples:expr, $frames:pat => $body:expr) => {
        match $samples {
            $kinds::Mono16($frames) => $body,
            $kinds::Stereo16($frames) => $body,
            $kinds::Mono32($frames) => $body,
            $kinds::Stereo32($frames) => $body,
        }
    };
}
pub(crate) use each_kind;

impl Samples {
    pub(crate) fn frame_count(&self) -> usize {
        each_kind!(Samples, self, frames => frames.len())
    }

    pub(crate) fn channels(&self) -> usize {
        match self {
            Samples::Mono16(_) | Samples::Mono32(_) => 1,
            Samples::Stereo16(_) | Samples::Stereo32(_) => 2,
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        each_kind!(Samples, self, frames => size_of_val::<[_]>(frames))
    }

    pub(crate) fn is_mono(&self) -> bool {
        matches!(self, Samples::Mono16(_) | Samples::Mono32(_))
    }

    /// One frame, silence past the end.
    pub(crate) fn frame(&self, at: usize) -> Frame {
        let frame = match self {
            Samples::Mono16(frames) => frames.get(at).map(|&[m]| [m.value(); 2]),
            Samples::Stereo16(frames) => frames.get(at).map(|f| f.map(Sample::value)),
            Samples::Mono32(frames) => frames.get(at).map(|&[m]| [m; 2]),
            Samples::Stereo32(frames) => frames.get(at).copied(),
        };
        frame.unwrap_or_default()
    }
}

/// How a clip loops that did so without a seam before it was resampled.
///
/// Played once, it has silence before and after it, and the filter fades it into that. Where it
/// turns there is no silence, but its own other end: there these frames are heard instead.
#[derive(Clone)]
pub(crate) struct Seam {
    pub turns: Loop,
    /// As many frames as `turns` says up to its end, then as many from its start on: side by side,
    /// as they are heard.
    pub frames: Samples,
}

/// A stored sample, and the number it stands for.
pub(crate) trait Sample: Copy + Default {
    fn value(self) -> f32;

    /// Whether a number can be stored without being clipped.
    fn holds(value: f64) -> bool;

    /// What comes nearest to a number that can be stored.
    fn nearest(value: f64) -> Self;
}

impl Sample for i16 {
    #[inline(always)]
    fn value(self) -> f32 {
        f32::from(self) * (1.0 / 32_768.0)
    }

    #[inline(always)]
    fn holds(value: f64) -> bool {
        (-32_768.5 / 32_768.0..32_767.5 / 32_768.0).contains(&value)
    }

    #[inline(always)]
    fn nearest(value: f64) -> i16 {
        // Moved above 0, where to cut the rest off is to round down.
        ((value * 32_768.0 + 32_768.5) as i32 - 32_768) as i16
    }
}

impl Sample for f32 {
    #[inline(always)]
    fn value(self) -> f32 {
        self
    }

    #[inline(always)]
    fn holds(_: f64) -> bool {
        true
    }

    /// Within what [`validated`] lets in.
    #[inline(always)]
    fn nearest(value: f64) -> f32 {
        let sample = value as f32;
        if sample.abs() < SMALLEST_SAMPLE {
            return 0.0;
        }
        sample.clamp(-LOUDEST_SAMPLE, LOUDEST_SAMPLE)
    }
}

/// A list with room for so many, or the fault that there is no memory for it: a file that is too large for the
/// machine must not end the game.
pub(crate) fn with_room<T>(count: usize) -> Result<Vec<T>, String> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).map_err(|_| no_memory::<T>(count))?;
    Ok(list)
}

fn no_memory<T>(count: usize) -> String {
    let bytes = count.saturating_mul(size_of::<T>());
    format!("takes {bytes} bytes, and there is no memory for them")
}

/// Makes room for so many more.
#[cfg(feature = "formats")]
pub(crate) fn make_room<T>(list: &mut Vec<T>, count: usize) -> Result<(), String> {
    list.try_reserve(count).map_err(|_| no_memory::<T>(list.len() + count))
}

/// To be asked before so many are shared: an `Arc` cannot be made in a way that may fail, so as much is asked for
/// here and given back. Whoever takes it in between has the last of it anyway.
pub(crate) fn check_memory<T>(count: usize) -> Result<(), String> {
    // Memory that nobody looks at need not be asked for, for all that a compiler knows.
    with_room::<T>(count).map(|room| drop(black_box(room)))
}

/// Samples at the door: finite, within bounds, and never so small that they slow a processor.
pub(crate) fn validated<const CHANNELS: usize>(
    mut frames: Arc<[[f32; CHANNELS]]>,
) -> Result<Arc<[[f32; CHANNELS]]>, String> {
    // Nobody else has them yet, so nothing is copied.
    validate(Arc::make_mut(&mut frames).as_flattened_mut(), CHANNELS, 0)?;
    Ok(frames)
}

/// The same for some of a sound's frames, of which this is the first.
pub(crate) fn validate(samples: &mut [f32], channels: usize, first: u64) -> Result<(), String> {
    for (at, sample) in samples.iter_mut().enumerate() {
        let size = sample.abs();
        if size > LOUDEST_SAMPLE || size.is_nan() {
            return Err(format!(
                "frame {} is {sample}; samples are finite and within ±{LOUDEST_SAMPLE}",
                first + (at / channels) as u64
            ));
        }
        if size < SMALLEST_SAMPLE {
            *sample = 0.0;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_bits_are_thirty_two_thousandths() {
        let mono = Samples::Mono16(Arc::from([[-32_768], [16_384]]));
        assert_eq!([mono.frame(0), mono.frame(1)], [[-1.0; 2], [0.5; 2]]);
        assert_eq!(mono.frame(2), [0.0; 2]);
        let stereo = Samples::Stereo16(Arc::from([[1, -1]]));
        assert_eq!(stereo.frame(0), [1.0 / 32_768.0, -1.0 / 32_768.0]);
        assert_eq!((mono.bytes(), stereo.bytes()), (4, 4));
    }

    #[test]
    fn numbers_become_the_nearest_sixteen_bits_or_none() {
        let steps = |steps: f64| {
            let value = steps / 32_768.0;
            i16::holds(value).then(|| i16::nearest(value))
        };
        for step in [-32_768, -16_385, -1, 0, 1, 16_384, 32_767] {
            let near = [-0.499, 0.0, 0.499].map(|off| steps(f64::from(step) + off));
            assert_eq!(near, [Some(step); 3]);
        }
        assert_eq!([-32_768.51, 32_767.5, 1e9].map(steps), [None; 3]);
    }

    #[test]
    fn denormals_stay_outside() {
        let frames = validated(Arc::from([[1e-39, 1e-12], [-1e-13, -0.0]])).unwrap();
        assert_eq!(
            frames.as_flattened().iter().map(|s| s.to_bits()).collect::<Vec<_>>(),
            [0, 1e-12f32.to_bits(), 0, 0]
        );
    }

    #[test]
    fn the_door_says_which_frame_was_refused() {
        assert_eq!(validated(Arc::from([[-65_536.0]])).unwrap()[0], [-65_536.0]);
        for (sample, text) in [(f32::INFINITY, "inf"), (f32::NAN, "NaN"), (-65_536.01, "-65536.01")]
        {
            let frames = [[0.0; 2], [0.5; 2], [0.0, sample]];
            assert_eq!(
                validated(Arc::from(frames)).unwrap_err(),
                format!("frame 2 is {text}; samples are finite and within ±65536")
            );
        }
    }
}
