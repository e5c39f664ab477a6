//! Channels and sample formats.

use cpal::{ErrorKind, FromSample, I24, Sample, SampleFormat, SizedSample, U24};

use super::helpers::{patient, small};
use super::{Output, Script};
use crate::{Mixer, Play, Sound};

/// A device of some channels, and both sides at levels that binary fractions can hold.
fn on_channels(channels: u16) -> Vec<f32> {
    let script = Script::new([Output { channels, ..Output::new("speakers", 48_000) }]);
    let mixer = script.open(small(), patient());
    mixer.play(Sound::from_stereo(48_000, &[[0.5, -0.125]; 300]).unwrap());
    let mut buffer = vec![f32::NAN; 300 * usize::from(channels)];
    script.stream(&mixer, 1).fill(&mut buffer);
    buffer
}

/// Mono is the mean of both sides, so that full scale stays full scale.
#[test]
fn a_mono_device_gets_the_mean_of_both_sides() {
    assert!(on_channels(1).iter().all(|sample| *sample == 0.1875));
}

/// Beyond stereo there is silence, and it is exact.
#[test]
fn channels_beyond_two_are_exactly_silent() {
    for channels in [2, 3, 4, 5, 6, 7, 8, 64] {
        for frame in on_channels(channels).chunks(usize::from(channels)) {
            assert_eq!(frame[..2], [0.5, -0.125], "of {channels}");
            assert!(frame[2..].iter().all(|rest| rest.to_bits() == 0), "of {channels}");
        }
    }
}

/// A buffer that ends in the middle of a frame is filled to its end.
#[test]
fn a_torn_frame_is_filled_too() {
    let script = Script::new([Output { channels: 6, ..Output::new("speakers", 48_000) }]);
    let mixer = script.open(small(), patient());
    let mut buffer = vec![f32::NAN; 6 * 100 + 5];
    script.stream(&mixer, 1).fill(&mut buffer);
    assert!(buffer.iter().all(|sample| *sample == 0.0));
    assert_eq!(mixer.clock(), 100);
}

/// Plays from full scale to full scale, and hears it to the format's own step.
fn full_scale_on<T: SizedSample + FromSample<f32>>()
where
    f64: FromSample<T>,
{
    let script = Script::new([Output { format: T::FORMAT, ..Output::new("speakers", 48_000) }]);
    let mixer = script.open(small(), patient());
    let levels = [1.0, -1.0, 0.999, -0.999, 0.5, -0.5, 0.25, 1.0, 0.0, -1.0];
    mixer.play(Sound::from_mono(48_000, &levels).unwrap());
    let mut buffer = vec![T::from_sample(0.77f32); 2 * 300];
    script.stream(&mixer, 1).fill(&mut buffer);
    let format = T::FORMAT;
    // A float holds 24 bits, and what is made of it no more.
    let bits = format.bits_per_sample().min(24);
    let step = if format.is_float() { 0.0 } else { libm::exp2(1.0 - f64::from(bits)) };
    for (frame, level) in buffer.chunks(2).zip(levels) {
        for sample in frame {
            let heard = f64::from_sample(*sample);
            assert!((heard - f64::from(level)).abs() <= step, "{format}: {level} became {heard}");
        }
    }
    let silence = &buffer[2 * levels.len()..];
    assert!(silence.iter().all(|sample| *sample == T::EQUILIBRIUM), "{format}");
}

/// Every format is played, and plus and minus full scale do not wrap.
#[test]
fn every_sample_format_is_played_up_to_full_scale() {
    full_scale_on::<i8>();
    full_scale_on::<i16>();
    full_scale_on::<I24>();
    full_scale_on::<i32>();
    full_scale_on::<i64>();
    full_scale_on::<u8>();
    full_scale_on::<u16>();
    full_scale_on::<U24>();
    full_scale_on::<u32>();
    full_scale_on::<u64>();
    full_scale_on::<f32>();
    full_scale_on::<f64>();
}

/// A square wave of full scale, resampled: its corners overshoot.
fn square_on<T: SizedSample + FromSample<f32>>() -> Vec<f64>
where
    f64: FromSample<T>,
{
    let script = Script::usual();
    let mixer: Mixer = script.open(small(), patient());
    let square: Vec<f32> = (0..200).map(|i| if i < 100 { 1.0 } else { -1.0 }).collect();
    mixer.play(Play::of(Sound::from_mono(48_000, &square).unwrap()).looping());
    let other = Output { format: T::FORMAT, ..Output::new("other", 44_100) };
    let first = script.stream(&mixer, 1);
    script.change(|plan| plan.outputs = vec![other]);
    first.raise(ErrorKind::DeviceNotAvailable);
    let mut buffer = vec![T::EQUILIBRIUM; 2 * 4000];
    script.stream(&mixer, 2).fill(&mut buffer);
    buffer[2 * 1000..].iter().map(|sample| f64::from_sample(*sample)).collect()
}

/// What overshoots on its way to another rate is held at full scale: it neither leaves ±1 nor wraps
/// around in formats whose scale ends there.
#[test]
fn what_overshoots_when_resampled_is_held_at_full_scale() {
    let (floats, integers) = (square_on::<f32>(), square_on::<I24>());
    assert!(floats.iter().all(|sample| sample.abs() <= 1.0));
    assert!(floats.contains(&1.0) && floats.contains(&-1.0), "it did overshoot");
    let most = integers.iter().fold(0.0f64, |most, sample| most.max(sample.abs()));
    assert!(most <= 1.0, "{most}");
    let flips = integers.chunks(2).zip(integers[2..].chunks(2));
    let flips = flips.filter(|(a, b)| (a[0] - b[0]).abs() > 1.8).count();
    assert!(flips <= 3000 / 90, "it wrapped: {flips} leaps from end to end");
}

/// A device that speaks no PCM cannot be played on; that is a state.
#[test]
fn a_device_without_pcm_is_told_apart() {
    let script =
        Script::new([Output { format: SampleFormat::DsdU8, ..Output::new("dsd", 352_800) }]);
    let mixer = script.open(small(), patient());
    let why = super::helpers::why(&mixer);
    assert_eq!(why, "the device has no configuration that can be played");
}
