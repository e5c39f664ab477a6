//! The backend on cpal, and the only file that names it.

use std::sync::atomic::Ordering::Relaxed;

use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{
    BufferSize, ErrorKind, FromSample, Host, SampleFormat, SizedSample, StreamConfig,
    SupportedBufferSize, SupportedStreamConfig,
};

use super::backend::{Backend, Opened, StreamRequest};
use super::callback::{Callback, StreamStatus, Verdict};
use super::devices::Device;
use crate::config::RATES;
use crate::link::Bridge;
use crate::stats::OutputState;
use crate::units;

/// The system's own host. To be asked for on a thread of our own, because ALSA is kept quiet on it.
pub(super) fn cpal_host() -> Host {
    quiet_alsa();
    cpal::default_host()
}

/// Where there is no device, ALSA prints some thirty lines to the standard error each time that it is
/// asked. They say no more than the error that it returns, so on this thread they go nowhere.
#[cfg(any(
    target_os = "linux",
    target_os = "dragonfly",
    target_os = "freebsd",
    target_os = "netbsd"
))]
fn quiet_alsa() {
    // It fails only without memory for its buffer, and then ALSA prints.
    let _ = alsa::Output::local_error_handler();
}

#[cfg(not(any(
    target_os = "linux",
    target_os = "dragonfly",
    target_os = "freebsd",
    target_os = "netbsd"
)))]
fn quiet_alsa() {}

/// Opens streams on cpal's hosts. A new host is made for each attempt: what was gone may be
/// back.
pub(super) struct CpalBackend<H> {
    host: H,
}

impl<H: Fn() -> Host + Send + Sync> CpalBackend<H> {
    pub fn new(host: H) -> CpalBackend<H> {
        CpalBackend { host }
    }
}

impl<H: Fn() -> Host + Send + Sync> Backend for CpalBackend<H> {
    fn open(
        &self,
        request: &StreamRequest,
        callback: &dyn Fn(u32) -> Callback,
    ) -> Result<Opened, String> {
        let host = (self.host)();
        let named = request.device.as_deref().and_then(|name| find(&host, name));
        let default = if request.named_only { None } else { host.default_output_device() };
        let default = default.filter(|device| named.as_ref() != Some(device));
        let mut fault = "there is no output device".to_owned();
        for device in named.into_iter().chain(default) {
            match open(&device, request, callback) {
                Ok(opened) => return Ok(opened),
                Err(why) => fault = why,
            }
        }
        Err(fault)
    }

    fn default_name(&self) -> Option<String> {
        (self.host)().default_output_device().map(|device| name(&device))
    }
}

/// The output devices of a host.
pub(super) fn devices(host: &Host) -> Vec<Device> {
    let default = host.default_output_device().and_then(|device| device.id().ok());
    let outputs = host.output_devices().into_iter().flatten();
    outputs
        .map(|device| Device {
            name: name(&device),
            is_default: default.is_some() && device.id().ok() == default,
        })
        .collect()
}

fn name(device: &cpal::Device) -> String {
    device.description().map_or_else(|_| "a nameless device".into(), |it| it.name().to_owned())
}

/// The first output device of that name.
fn find(host: &Host, named: &str) -> Option<cpal::Device> {
    host.output_devices().into_iter().flatten().find(|device| name(device) == named)
}

/// Opens a stream on a device, in the first configuration that it accepts.
fn open(
    device: &cpal::Device,
    request: &StreamRequest,
    callback: &dyn Fn(u32) -> Callback,
) -> Result<Opened, String> {
    let own = device.default_output_config().map_err(|error| error.to_string())?;
    let mut fault = "the device has no configuration that can be played".to_owned();
    for (config, format) in configurations(device, &own, request) {
        let callback = callback(config.sample_rate);
        let (status, bridge) = (callback.status().clone(), callback.bridge().clone());
        let started = build(device, config, format, callback).and_then(|stream| {
            match stream.play() {
                // It may play all the same: whether it calls back decides.
                Err(error) if verdict(error.kind()) <= Verdict::Doubtful => {
                    record_error(&status, &bridge, error.kind());
                    Ok(stream)
                }
                played => played.map(|()| stream),
            }
        });
        match started {
            Ok(stream) => return Ok(opened(device, config, stream)),
            Err(error) if error.kind() == ErrorKind::UnsupportedConfig => {
                fault = error.to_string();
            }
            Err(error) => return Err(error.to_string()),
        }
    }
    Err(fault)
}

/// The configurations to ask a device for, best first: its own channels and format at the mixer's
/// rate, then its own default, then anything else that is PCM; each with the requested buffer, then
/// with the device's own.
fn configurations(
    device: &cpal::Device,
    own: &SupportedStreamConfig,
    request: &StreamRequest,
) -> Vec<(StreamConfig, SampleFormat)> {
    let mut configs = Vec::new();
    let ranges: Vec<_> = device.supported_output_configs().into_iter().flatten().collect();
    let at_the_mixers_rate =
        request.rate.filter(|rate| *rate != own.sample_rate()).and_then(|rate| {
            let fits = ranges.iter().filter(|range| {
                range.channels() == own.channels() && range.sample_format() == own.sample_format()
            });
            fits.copied().find_map(|range| range.try_with_sample_rate(rate))
        });
    configs.extend(at_the_mixers_rate);
    configs.push(*own);
    let rate = request.rate.unwrap_or(own.sample_rate());
    for range in &ranges {
        configs.extend(range.try_with_sample_rate(rate));
        configs.push(range.with_max_sample_rate());
    }
    let playable = configs
        .iter()
        .filter(|config| is_pcm(config.sample_format()) && RATES.contains(&config.sample_rate()));
    playable
        .flat_map(|config| {
            let mut fixed = config.config();
            let frames = units::short_frames(request.buffer, fixed.sample_rate).max(1);
            fixed.buffer_size = BufferSize::Fixed(match config.buffer_size() {
                SupportedBufferSize::Range { min, max } => frames.clamp(*min, (*max).max(*min)),
                SupportedBufferSize::Unknown => frames,
            });
            let any = StreamConfig { buffer_size: BufferSize::Default, ..fixed };
            [fixed, any].map(|it| (it, config.sample_format()))
        })
        .collect()
}

fn is_pcm(format: SampleFormat) -> bool {
    format.is_int() || format.is_uint() || format.is_float()
}

fn opened(device: &cpal::Device, config: StreamConfig, stream: cpal::Stream) -> Opened {
    let buffer = stream.buffer_size().ok();
    let latency = units::duration(u64::from(buffer.unwrap_or(0)), config.sample_rate);
    let state = OutputState::Playing {
        device: name(device),
        sample_rate: config.sample_rate,
        channels: config.channels,
        buffer,
        latency,
    };
    Opened { stream: Box::new(stream), rate: config.sample_rate, state }
}

fn build(
    device: &cpal::Device,
    config: StreamConfig,
    format: SampleFormat,
    callback: Callback,
) -> Result<cpal::Stream, cpal::Error> {
    match format {
        SampleFormat::I8 => build_as::<i8>(device, config, callback),
        SampleFormat::I16 => build_as::<i16>(device, config, callback),
        SampleFormat::I24 => build_as::<cpal::I24>(device, config, callback),
        SampleFormat::I32 => build_as::<i32>(device, config, callback),
        SampleFormat::I64 => build_as::<i64>(device, config, callback),
        SampleFormat::U8 => build_as::<u8>(device, config, callback),
        SampleFormat::U16 => build_as::<u16>(device, config, callback),
        SampleFormat::U24 => build_as::<cpal::U24>(device, config, callback),
        SampleFormat::U32 => build_as::<u32>(device, config, callback),
        SampleFormat::U64 => build_as::<u64>(device, config, callback),
        SampleFormat::F32 => build_as::<f32>(device, config, callback),
        SampleFormat::F64 => build_as::<f64>(device, config, callback),
        _ => Err(cpal::Error::new(ErrorKind::UnsupportedConfig)),
    }
}

/// The largest float below 1: the top of the integer formats, whose scale ends one step below it.
const BELOW_ONE: f32 = 1.0 - f32::EPSILON / 2.0;

fn build_as<T: SizedSample + FromSample<f32>>(
    device: &cpal::Device,
    config: StreamConfig,
    mut callback: Callback,
) -> Result<cpal::Stream, cpal::Error> {
    let channels = usize::from(config.channels);
    let most = if T::FORMAT.is_float() { 1.0 } else { BELOW_ONE };
    // The resampler can overshoot, and not every conversion saturates.
    let sample = move |value: f32| T::from_sample(value.clamp(-1.0, most));
    let (status, bridge) = (callback.status().clone(), callback.bridge().clone());
    device.build_output_stream(
        config,
        move |data: &mut [T], _: &_| callback.fill(data, channels, sample),
        move |error: cpal::Error| record_error(&status, &bridge, error.kind()),
        None,
    )
}

/// Records an error of a stream, by atomics alone.
fn record_error(status: &StreamStatus, bridge: &Bridge, kind: ErrorKind) {
    if kind == ErrorKind::Xrun {
        bridge.meters.xruns.fetch_add(1, Relaxed);
    }
    status.report_error(verdict(kind));
}

/// What each kind of error means for a stream that plays.
fn verdict(kind: ErrorKind) -> Verdict {
    match kind {
        ErrorKind::Xrun | ErrorKind::RealtimeDenied => Verdict::Fine,
        ErrorKind::DeviceChanged => Verdict::Moved,
        ErrorKind::StreamInvalidated | ErrorKind::UnsupportedConfig => Verdict::Invalid,
        ErrorKind::DeviceNotAvailable
        | ErrorKind::HostUnavailable
        | ErrorKind::DeviceBusy
        | ErrorKind::ResourceExhausted => Verdict::Lost,
        ErrorKind::InvalidInput | ErrorKind::PermissionDenied | ErrorKind::UnsupportedOperation => {
            Verdict::Refused
        }
        _ => Verdict::Doubtful,
    }
}
