//! WAV files, read as far as they can be trusted.
//!
//! A header claims what it likes: more data than there is, frames of no bytes, a rate of 0 Hz. So
//! nothing in it is believed that the bytes do not bear out, and no memory is asked for that they
//! would not fill.

use std::io::Cursor;
use std::ops::Range;
use std::sync::Arc;

mod chunks;

pub(crate) use chunks::Chunks;

use super::check_rate;
use super::samples::{Sample, Samples, check_memory, validated};
use crate::error::Fault;

/// A decoded file.
pub(crate) struct Wav {
    pub(crate) sample_rate: u32,
    pub(crate) samples: Samples,
    pub(crate) loops: Option<Range<u64>>,
    pub(crate) truncated: bool,
}

/// Decodes a whole file of plain samples, where they stay; none, if a codec made them. An error is the
/// fault alone; the caller knows the file's name.
pub(crate) fn decode(file: &[u8]) -> Result<Option<Wav>, Fault> {
    let chunks = Chunks::find(Cursor::new(file))?;
    let data = file.get(chunks.data.start as usize..chunks.data.end as usize).unwrap_or_default();
    let Some(layout) = Format::parse(&chunks.fmt, || Ok(sits_low(data)))?.plain() else {
        return Ok(None);
    };
    let whole = data.len() - data.len() % layout.frame_bytes();
    let data = data.get(..whole).unwrap_or_default();
    Ok(Some(Wav {
        sample_rate: layout.sample_rate,
        samples: layout.samples(data)?,
        loops: chunks.loops,
        truncated: chunks.promised.is_some_and(|promised| promised != whole as u64),
    }))
}

/// The sizes in a WAV are 32-bit, so it ends before 4 GiB and the 8 bytes they do not count.
pub(crate) fn check_length(bytes: u64) -> Result<(), String> {
    const MOST_BYTES: u64 = u32::MAX as u64 + 8;
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(format!("{bytes} bytes are more than the {MOST_BYTES} a WAV file can have"))
}

/// What the fmt chunk says.
#[derive(Debug, PartialEq)]
pub(crate) enum Format {
    Plain(Layout),
    #[cfg(feature = "formats")]
    Coded(Coded),
}

/// How plain samples are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Layout {
    pub float: bool,
    pub channels: u16,
    pub sample_rate: u32,
    /// Of a sample as it is stored.
    bytes: u16,
    /// Less than 8 × `bytes` only where the sample sits in the low ones.
    bits: u16,
}

/// What a codec made of the samples, block by block.
#[cfg(feature = "formats")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Coded {
    /// The number that the codec has in WAV files.
    pub codec: u16,
    pub channels: u16,
    pub sample_rate: u32,
    pub block_bytes: u16,
}

const PCM: u16 = 1;
const FLOAT: u16 = 3;
const EXTENSIBLE: u16 = 0xFFFE;
pub(crate) const MS_ADPCM: u16 = 0x02;
pub(crate) const A_LAW: u16 = 0x06;
pub(crate) const MU_LAW: u16 = 0x07;
pub(crate) const IMA_ADPCM: u16 = 0x11;

impl Format {
    /// `sits_low` tells of the data whether [`sits_low`] holds, if that matters.
    pub fn parse(
        fmt: &[u8],
        sits_low: impl FnOnce() -> Result<bool, Fault>,
    ) -> Result<Format, Fault> {
        let Some((fixed, extra)) = fmt.split_first_chunk::<16>() else {
            return Err(Fault::damaged(format!(
                "has a fmt chunk of {} bytes; it takes 16",
                fmt.len()
            )));
        };
        // Bytes 8 to 12, the bytes per second, follow from the others and are not needed.
        let &[t0, t1, c0, c1, r0, r1, r2, r3, _, _, _, _, f0, f1, b0, b1] = fixed;
        let tag = u16::from_le_bytes([t0, t1]);
        let channels = u16::from_le_bytes([c0, c1]);
        let sample_rate = u32::from_le_bytes([r0, r1, r2, r3]);
        let frame_bytes = u16::from_le_bytes([f0, f1]);
        let bits = u16::from_le_bytes([b0, b1]);

        let (codec, valid_bits) = match tag {
            EXTENSIBLE => extended(extra, bits)?,
            _ => (tag, bits),
        };
        let float = match codec {
            PCM => false,
            FLOAT => true,
            #[cfg(feature = "formats")]
            MS_ADPCM | A_LAW | MU_LAW | IMA_ADPCM => {
                check_channels(channels)?;
                check_rate(sample_rate)?;
                let block_bytes = frame_bytes;
                return Ok(Format::Coded(Coded { codec, channels, sample_rate, block_bytes }));
            }
            _ => {
                let codec = codec_name(codec);
                return Err(Fault::unsupported(format!("holds {codec} samples; {READ}")));
            }
        };
        match bits {
            32 => {}
            // Odd depths sit in the high bits of whole bytes: they are read as those bytes.
            1..=31 if !float => {}
            _ if float => {
                return Err(Fault::unsupported(format!(
                    "holds {bits}-bit float samples; only 32 bits are read"
                )));
            }
            _ => {
                return Err(Fault::unsupported(format!(
                    "holds {bits}-bit integer samples; 8 to 32 bits are read"
                )));
            }
        }
        check_channels(channels)?;
        check_rate(sample_rate)?;
        // Some writers leave this field empty; it follows from the others.
        let frame_bytes = if frame_bytes == 0 { channels * bits.div_ceil(8) } else { frame_bytes };
        let (bytes, bits) = match (frame_bytes / channels, bits, valid_bits) {
            // As sound cards deliver 24 bits, and some recorders write them.
            (4, 24, _) => (4, 24),
            (4, 32, 24) if !float && sits_low()? => (4, 24),
            _ => (bits.div_ceil(8), bits.next_multiple_of(8)),
        };
        if bytes * channels != frame_bytes {
            return Err(Fault::damaged(format!(
                "says a frame has {frame_bytes} bytes; {channels} of {bits} bits have {}",
                bytes * channels
            )));
        }
        Ok(Format::Plain(Layout { float, channels, sample_rate, bytes, bits }))
    }

    fn plain(self) -> Option<Layout> {
        match self {
            Format::Plain(layout) => Some(layout),
            #[cfg(feature = "formats")]
            Format::Coded(_) => None,
        }
    }
}

/// What is read instead of a codec that is not.
#[cfg(feature = "formats")]
const READ: &str = "only integers, floats, ADPCM, A-law and mu-law are read";
#[cfg(not(feature = "formats"))]
const READ: &str = "only integers and floats are read";

/// More than two channels are for other engines.
pub(crate) fn check_channels(channels: u16) -> Result<(), Fault> {
    if matches!(channels, 1 | 2) {
        return Ok(());
    }
    Err(Fault::unsupported(format!("has {channels} channels; only mono and stereo are read")))
}

impl Layout {
    pub fn frame_bytes(&self) -> usize {
        usize::from(self.bytes) * usize::from(self.channels)
    }

    /// Whether every sample is one of sixteen bits.
    pub fn is_16_bit(&self) -> bool {
        !self.float && self.bytes <= 2
    }

    /// Decodes whole frames into the form they are kept in.
    fn samples(&self, data: &[u8]) -> Result<Samples, String> {
        match (self.float, self.bytes) {
            (true, _) => self.floats(data, f32::from_le_bytes),
            (false, 1) => self.integers(data, of_8_bits),
            (false, 2) => self.integers(data, i16::from_le_bytes),
            (false, 3) => self.floats(data, of_24_bits),
            _ if self.bits == 24 => self.floats(data, of_low_24_bits),
            _ => self.floats(data, of_32_bits),
        }
    }

    /// The same, whole frames as numbers, one channel after the other.
    pub fn append(&self, data: &[u8], out: &mut Vec<f32>) {
        fn each<const BYTES: usize>(
            data: &[u8],
            out: &mut Vec<f32>,
            to: impl Fn([u8; BYTES]) -> f32,
        ) {
            out.extend(data.as_chunks().0.iter().map(|bytes| to(*bytes)));
        }
        match (self.float, self.bytes) {
            (true, _) => each(data, out, f32::from_le_bytes),
            (false, 1) => each(data, out, |bytes| of_8_bits(bytes).value()),
            (false, 2) => each(data, out, |bytes| i16::from_le_bytes(bytes).value()),
            (false, 3) => each(data, out, of_24_bits),
            _ if self.bits == 24 => each(data, out, of_low_24_bits),
            _ => each(data, out, of_32_bits),
        }
    }

    fn integers<const BYTES: usize>(
        &self,
        data: &[u8],
        sample: impl Fn([u8; BYTES]) -> i16,
    ) -> Result<Samples, String> {
        check_memory::<i16>(data.len() / BYTES)?;
        Ok(match self.channels {
            1 => Samples::Mono16(mono(data, sample)),
            _ => Samples::Stereo16(stereo(data, sample)),
        })
    }

    fn floats<const BYTES: usize>(
        &self,
        data: &[u8],
        sample: impl Fn([u8; BYTES]) -> f32,
    ) -> Result<Samples, String> {
        check_memory::<f32>(data.len() / BYTES)?;
        match self.channels {
            1 => validated(mono(data, sample)).map(Samples::Mono32),
            _ => validated(stereo(data, sample)).map(Samples::Stereo32),
        }
    }
}

fn of_8_bits([byte]: [u8; 1]) -> i16 {
    (i16::from(byte) - 128) << 8
}

fn of_24_bits([a, b, c]: [u8; 3]) -> f32 {
    of_32_bits([0, a, b, c])
}

/// What is above the low 24 bits says nothing.
fn of_low_24_bits([a, b, c, _]: [u8; 4]) -> f32 {
    of_32_bits([0, a, b, c])
}

fn of_32_bits(bytes: [u8; 4]) -> f32 {
    const FULL_SCALE: f32 = (1u32 << 31) as f32;
    i32::from_le_bytes(bytes) as f32 / FULL_SCALE
}

/// The samples are written where they stay: the length is known, so the memory is asked for once.
fn mono<T, const BYTES: usize>(data: &[u8], sample: impl Fn([u8; BYTES]) -> T) -> Arc<[[T; 1]]> {
    let (samples, _) = data.as_chunks();
    samples.iter().map(|bytes| [sample(*bytes)]).collect()
}

/// Frame by frame; to map the two of a frame would take most of the time where nothing is
/// optimised.
fn stereo<T, const BYTES: usize>(data: &[u8], sample: impl Fn([u8; BYTES]) -> T) -> Arc<[[T; 2]]> {
    let (frames, _) = data.as_chunks::<BYTES>().0.as_chunks();
    frames.iter().map(|&[left, right]| [sample(left), sample(right)]).collect()
}

/// What the extensible form adds: the codec, which it says with a GUID, and how many bits of a
/// sample are valid.
fn extended(extra: &[u8], bits: u16) -> Result<(u16, u16), Fault> {
    /// What all codecs that had a number before there were GUIDs end in.
    const NUMBERED: [u8; 14] = *b"\x00\x00\x00\x00\x10\x00\x80\x00\x00\xAA\x00\x38\x9B\x71";
    let Some([_, _, v0, v1, _, _, _, _, c0, c1, guid @ ..]) = extra.first_chunk::<24>() else {
        let bytes = extra.len() + 16;
        return Err(Fault::damaged(format!(
            "has an extensible fmt chunk of {bytes} bytes; it takes 40"
        )));
    };
    if *guid != NUMBERED {
        return Err(Fault::unsupported("holds samples of a codec without a number"));
    }
    let valid_bits = u16::from_le_bytes([*v0, *v1]);
    if valid_bits > bits {
        return Err(Fault::damaged(format!("says that {valid_bits} of {bits} bits are valid")));
    }
    Ok((u16::from_le_bytes([*c0, *c1]), valid_bits))
}

/// Whether samples of 24 valid bits in 32 are in the low ones. They belong in the high ones, but
/// `hound` itself, among others, writes them low, which would play 48 dB too quiet: then the
/// byte that should be 0 is not, and the one that should be full is empty.
fn sits_low(data: &[u8]) -> bool {
    let mut low = LowBits::default();
    low.look_at(data);
    low.are_all()
}

/// Finds out whether samples sit low, a part of the data after the other.
#[derive(Default)]
pub(crate) struct LowBits {
    lowest_used: bool,
    high_used: bool,
}

impl LowBits {
    /// Whole samples.
    pub fn look_at(&mut self, data: &[u8]) {
        let (samples, _) = data.as_chunks::<4>();
        self.lowest_used |= samples.iter().any(|&[lowest, ..]| lowest != 0);
        self.high_used |=
            samples.iter().any(|&[_, _, third, top]| top != 0 && (top != 0xFF || third < 0x80));
    }

    pub fn are_all(&self) -> bool {
        self.lowest_used && !self.high_used
    }
}

fn codec_name(codec: u16) -> String {
    match codec {
        MS_ADPCM => "Microsoft ADPCM".into(),
        A_LAW => "A-law".into(),
        MU_LAW => "mu-law".into(),
        IMA_ADPCM => "IMA ADPCM".into(),
        0x31 => "GSM 6.10".into(),
        0x50 => "MPEG".into(),
        0x55 => "MP3".into(),
        _ => format!("codec {codec:#06x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fmt(fields: [u16; 8]) -> Vec<u8> {
        fields.iter().flat_map(|field| field.to_le_bytes()).collect()
    }

    #[test]
    fn a_depth_that_is_not_whole_bytes_is_read_as_the_bytes_it_takes() {
        for (fields, expected) in
            [([PCM, 2, 4, 0, 16, 0, 4, 12], (2, 16)), ([PCM, 1, 4, 0, 12, 0, 3, 20], (3, 24))]
        {
            let format = Format::parse(&fmt(fields), || Ok(false)).unwrap();
            let layout = format.plain().unwrap();
            assert_eq!((layout.bytes, layout.bits), expected);
        }
    }

    #[test]
    fn the_low_bits_are_read_only_where_the_high_ones_say_nothing() {
        assert!(sits_low(&[1, 0, 0, 0, 0, 0, 0x80, 0xFF]));
        assert!(sits_low(&[1, 0, 0x80, 0]));
        // A quiet sample in the high bits, a loud one, and one of 32 bits after all.
        assert!(!sits_low(&[0, 1, 0, 0]));
        assert!(!sits_low(&[0, 0, 0, 0x40]));
        assert!(!sits_low(&[1, 0, 0, 0x40]));
    }

    #[test]
    fn no_file_is_longer_than_its_sizes_can_say() {
        assert_eq!(check_length((1 << 32) + 7), Ok(()));
        assert_eq!(
            check_length((1 << 32) + 8).unwrap_err(),
            "4294967304 bytes are more than the 4294967303 a WAV file can have"
        );
    }
}
