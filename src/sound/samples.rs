//! The samples of a sound as they are kept, and the door they come in by.

use std::array;
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

impl Samples {
    pub(crate) fn frame_count(&self) -> usize {
        match self {
            Samples::Mono16(frames) => frames.len(),
            Samples::Stereo16(frames) => frames.len(),
            Samples::Mono32(frames) => frames.len(),
            Samples::Stereo32(frames) => frames.len(),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Samples::Mono16(frames) => size_of_val::<[_]>(frames),
            Samples::Stereo16(frames) => size_of_val::<[_]>(frames),
            Samples::Mono32(frames) => size_of_val::<[_]>(frames),
            Samples::Stereo32(frames) => size_of_val::<[_]>(frames),
        }
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
pub(crate) trait Sample: Copy {
    fn value(self) -> f32;
}

impl Sample for i16 {
    #[inline(always)]
    fn value(self) -> f32 {
        f32::from(self) * (1.0 / 32_768.0)
    }
}

impl Sample for f32 {
    #[inline(always)]
    fn value(self) -> f32 {
        self
    }
}

/// Collects `count` frames in a single allocation; `sample` is asked for one sample after the
/// other, with the frame it belongs to, until there is a fault.
///
/// A range knows its length, and that is what lets the samples be written where they stay:
/// a growing `Vec` would hold them twice.
pub(crate) fn gather<T: Default, const CHANNELS: usize>(
    count: usize,
    mut sample: impl FnMut(usize) -> Result<T, String>,
) -> Result<Arc<[[T; CHANNELS]]>, String> {
    let mut fault = None;
    let mut next = |frame| {
        if fault.is_some() {
            return T::default();
        }
        sample(frame).unwrap_or_else(|text| {
            fault = Some(text);
            T::default()
        })
    };
    let frames = (0..count).map(|frame| array::from_fn(|_| next(frame))).collect();
    match fault {
        None => Ok(frames),
        Some(text) => Err(text),
    }
}

/// A sample at the door: finite, within bounds, and never so small that it slows a processor.
pub(crate) fn admit(frame: usize, sample: f32) -> Result<f32, String> {
    if !sample.is_finite() || sample.abs() > LOUDEST_SAMPLE {
        return Err(format!(
            "frame {frame} is {sample}; samples are finite and within ±{LOUDEST_SAMPLE}"
        ));
    }
    Ok(tamed(sample))
}

/// A finite sample, brought within what [`admit`] lets in.
pub(crate) fn tamed(sample: f32) -> f32 {
    if sample.abs() < SMALLEST_SAMPLE {
        return 0.0;
    }
    sample.clamp(-LOUDEST_SAMPLE, LOUDEST_SAMPLE)
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
    fn denormals_stay_outside() {
        for small in [1e-39, -1e-13, -0.0] {
            assert_eq!(admit(0, small).map(f32::to_bits), Ok(0));
        }
        assert_eq!(admit(0, 1e-12), Ok(1e-12));
    }

    #[test]
    fn the_door_says_which_frame_was_refused() {
        assert_eq!(admit(7, -65_536.0), Ok(-65_536.0));
        assert_eq!(
            admit(7, f32::INFINITY).unwrap_err(),
            "frame 7 is inf; samples are finite and within ±65536"
        );
    }

    #[test]
    fn gathering_stops_at_the_first_fault() {
        let mut asked = 0;
        let gathered = gather::<i16, 2>(5, |frame| {
            asked += 1;
            if frame < 2 { Ok(1) } else { Err(format!("frame {frame}")) }
        });
        assert_eq!((gathered, asked), (Err("frame 2".into()), 5));
    }
}
