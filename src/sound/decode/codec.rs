//! What all codecs have in common: the way from a packet to frames.

use symphonia::core::audio::{Channels, layouts};
use symphonia::core::codecs::audio::{AudioCodecId, AudioCodecParameters, AudioDecoder};
use symphonia::core::errors::Error;
use symphonia::core::packet::PacketRef;
use symphonia::core::units::{Duration, Timestamp};

use crate::error::Fault;

/// What a codec has to know before it can begin.
pub(super) fn parameters(
    codec: AudioCodecId,
    sample_rate: u32,
    channels: u16,
) -> AudioCodecParameters {
    let mut parameters = AudioCodecParameters::new();
    let channels: Channels =
        if channels == 1 { layouts::CHANNEL_LAYOUT_MONO } else { layouts::CHANNEL_LAYOUT_STEREO };
    parameters.for_codec(codec).with_sample_rate(sample_rate).with_channels(channels);
    parameters
}

/// Decodes one packet of so many frames, if that is known, and appends what comes of it. Returns how many frames
/// did.
pub(super) fn decode(
    decoder: &mut dyn AudioDecoder,
    packet: &[u8],
    frames: u64,
    channels: u16,
    out: &mut Vec<f32>,
) -> Result<usize, Fault> {
    let packet = PacketRef::new(0, Timestamp::ZERO, Duration::new(frames), packet);
    // A packet that ends too soon is an error of reading to the codec, and damage to us.
    let decoded = decoder.decode_ref(&packet).map_err(undecodable)?;
    if decoded.spec().channels().count() != usize::from(channels) {
        return Err(Fault::damaged("changes its number of channels"));
    }
    let first = out.len();
    out.resize(first + decoded.samples_interleaved(), 0.0);
    decoded.copy_to_slice_interleaved(out.get_mut(first..).unwrap_or_default());
    Ok(decoded.frames())
}

/// What a codec says is wrong, in a sentence about the file.
impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        match error {
            Error::IoError(error) => error.into(),
            Error::Unsupported(what) => Fault::unsupported(format!("cannot be decoded: {what}")),
            other => undecodable(other),
        }
    }
}

pub(super) fn undecodable(error: Error) -> Fault {
    Fault::damaged(format!("cannot be decoded: {error}"))
}
