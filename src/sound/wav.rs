//! WAV files, read as far as they can be trusted.
//!
//! A header claims what it likes: more data than there is, frames of no bytes, a rate of 0 Hz. So
//! nothing in it is believed that the bytes do not bear out, and no memory is asked for that they
//! would not fill.

use std::sync::Arc;

use super::check_rate;
use super::samples::{Samples, validated};
use crate::error::Fault;

/// A decoded file.
pub(crate) struct Wav {
    pub(crate) sample_rate: u32,
    pub(crate) samples: Samples,
    pub(crate) truncated: bool,
}

/// Decodes a whole file. An error is the fault alone; the caller knows the file's name.
pub(crate) fn decode(file: &[u8]) -> Result<Wav, Fault> {
    check_length(file.len() as u64)?;
    let chunks = Chunks::find(riff(file)?)?;
    let format = Format::parse(chunks.fmt, chunks.data)?;
    let whole = chunks.data.len() - chunks.data.len() % format.frame_bytes();
    let data = chunks.data.get(..whole).unwrap_or_default();
    let truncated = chunks.promised.is_some_and(|promised| promised != whole as u64);
    Ok(Wav { sample_rate: format.sample_rate, samples: format.samples(data)?, truncated })
}

/// The sizes in a WAV are 32-bit, so it ends before 4 GiB and the 8 bytes they do not count.
pub(crate) fn check_length(bytes: u64) -> Result<(), String> {
    const MOST_BYTES: u64 = u32::MAX as u64 + 8;
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(format!("{bytes} bytes are more than the {MOST_BYTES} a WAV file can have"))
}

/// What follows the first 12 bytes of a WAV file; what is not one is told by its first bytes.
fn riff(file: &[u8]) -> Result<&[u8], Fault> {
    let kind = match file {
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', chunks @ ..] => {
            return Ok(chunks);
        }
        [] => return Err(Fault::damaged("is empty")),
        [b'O', b'g', b'g', b'S', ..] => "an Ogg",
        [b'f', b'L', b'a', b'C', ..] => "a FLAC",
        [b'I', b'D', b'3', ..] => "an MP3",
        // Eleven bits of sync, any version, and "layer 3".
        [0xFF, second, ..] if second & 0xE6 == 0xE2 => "an MP3",
        [b'F', b'O', b'R', b'M', _, _, _, _, b'A', b'I', b'F', b'F' | b'C', ..] => "an AIFF",
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => "an MP4",
        [b'R', b'F', b'6', b'4', ..] => "an RF64",
        [b'B', b'W', b'6', b'4', ..] => "a BW64",
        [b'R', b'I', b'F', b'X', ..] => "a big-endian WAV (RIFX)",
        [b'r', b'i', b'f', b'f', ..] => "a Wave64",
        [b'w', b'v', b'p', b'k', ..] => "a WavPack",
        [b'c', b'a', b'f', b'f', ..] => "a Core Audio",
        [b'.', b's', b'n', b'd', ..] => "an AU",
        [b'M', b'T', b'h', b'd', ..] => "a MIDI",
        _ => return Err(Fault::unsupported("is not a WAV file")),
    };
    Err(Fault::unsupported(format!("is {kind} file; only WAV is read")))
}

/// The two chunks that matter.
struct Chunks<'file> {
    fmt: &'file [u8],
    data: &'file [u8],
    /// How many bytes of data the file says there are; a streamed one does not say.
    promised: Option<u64>,
}

impl<'file> Chunks<'file> {
    /// Walks the chunks up to the data. The size of the whole, in the first 12 bytes, is left
    /// out of it: many writers get it wrong, and nothing hangs on it.
    fn find(mut rest: &'file [u8]) -> Result<Chunks<'file>, Fault> {
        /// Written by a program that could not go back and fill in the length.
        const STREAMED: u32 = u32::MAX;
        let mut fmt = None;
        while let Some((id, after)) = rest.split_first_chunk::<4>()
            && let Some((size, body)) = after.split_first_chunk::<4>()
        {
            let size = u32::from_le_bytes(*size);
            let length = usize::try_from(size).unwrap_or(usize::MAX);
            let there = body.get(..length).unwrap_or(body);
            match id {
                b"fmt " => fmt = fmt.or(Some(there)),
                b"data" => {
                    return Ok(Chunks {
                        fmt: fmt.ok_or_else(|| {
                            Fault::damaged("has no fmt chunk before its data chunk")
                        })?,
                        data: there,
                        promised: (size != STREAMED).then_some(u64::from(size)),
                    });
                }
                _ => {}
            }
            // Chunks start on even bytes.
            let next = length.saturating_add(length % 2);
            rest = body.get(next..).unwrap_or_default();
        }
        Err(Fault::damaged("has no data chunk"))
    }
}

/// How the samples are stored.
#[derive(Debug, PartialEq)]
struct Format {
    float: bool,
    channels: u16,
    sample_rate: u32,
    /// Of a sample as it is stored.
    bytes: u16,
    /// Less than 8 × `bytes` only where the sample sits in the low ones.
    bits: u16,
}

const PCM: u16 = 1;
const FLOAT: u16 = 3;
const EXTENSIBLE: u16 = 0xFFFE;

impl Format {
    fn parse(fmt: &[u8], data: &[u8]) -> Result<Format, Fault> {
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
            _ => {
                let codec = codec_name(codec);
                return Err(Fault::unsupported(format!(
                    "holds {codec} samples; only integers and floats are read"
                )));
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
        if !matches!(channels, 1 | 2) {
            return Err(Fault::unsupported(format!(
                "has {channels} channels; only mono and stereo are read"
            )));
        }
        check_rate(sample_rate)?;
        // Some writers leave this field empty; it follows from the others.
        let frame_bytes = if frame_bytes == 0 { channels * bits.div_ceil(8) } else { frame_bytes };
        let (bytes, bits) = match (frame_bytes / channels, bits, valid_bits) {
            // As sound cards deliver 24 bits, and some recorders write them.
            (4, 24, _) => (4, 24),
            (4, 32, 24) if !float && sits_low(data) => (4, 24),
            _ => (bits.div_ceil(8), bits.next_multiple_of(8)),
        };
        if bytes * channels != frame_bytes {
            return Err(Fault::damaged(format!(
                "says a frame has {frame_bytes} bytes; {channels} of {bits} bits have {}",
                bytes * channels
            )));
        }
        Ok(Format { float, channels, sample_rate, bytes, bits })
    }

    fn frame_bytes(&self) -> usize {
        usize::from(self.bytes) * usize::from(self.channels)
    }

    /// Decodes whole frames into the form they are kept in.
    fn samples(&self, data: &[u8]) -> Result<Samples, String> {
        const FULL_SCALE: f32 = (1u32 << 31) as f32;
        let float = |sample: i32| sample as f32 / FULL_SCALE;
        match (self.float, self.bytes) {
            (true, _) => self.floats(data, f32::from_le_bytes),
            (false, 1) => Ok(self.integers(data, |[byte]| (i16::from(byte) - 128) << 8)),
            (false, 2) => Ok(self.integers(data, i16::from_le_bytes)),
            (false, 3) => self.floats(data, |[a, b, c]| float(i32::from_le_bytes([0, a, b, c]))),
            // What is above the low 24 bits says nothing.
            _ if self.bits == 24 => {
                self.floats(data, |[a, b, c, _]| float(i32::from_le_bytes([0, a, b, c])))
            }
            _ => self.floats(data, |bytes| float(i32::from_le_bytes(bytes))),
        }
    }

    fn integers<const BYTES: usize>(
        &self,
        data: &[u8],
        sample: impl Fn([u8; BYTES]) -> i16,
    ) -> Samples {
        match self.channels {
            1 => Samples::Mono16(mono(data, sample)),
            _ => Samples::Stereo16(stereo(data, sample)),
        }
    }

    fn floats<const BYTES: usize>(
        &self,
        data: &[u8],
        sample: impl Fn([u8; BYTES]) -> f32,
    ) -> Result<Samples, String> {
        match self.channels {
            1 => validated(mono(data, sample)).map(Samples::Mono32),
            _ => validated(stereo(data, sample)).map(Samples::Stereo32),
        }
    }
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
    let (samples, _) = data.as_chunks::<4>();
    samples.iter().any(|&[lowest, ..]| lowest != 0)
        && samples.iter().all(|&[_, _, third, top]| top == 0 || (top == 0xFF && third >= 0x80))
}

fn codec_name(codec: u16) -> String {
    match codec {
        0x02 => "Microsoft ADPCM".into(),
        0x06 => "A-law".into(),
        0x07 => "mu-law".into(),
        0x11 => "IMA ADPCM".into(),
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
    fn a_file_is_told_by_its_first_bytes() {
        for (file, fault) in [
            (&b"OggS\0\x02"[..], "is an Ogg file; only WAV is read"),
            (b"fLaC\0\0\0\x22", "is a FLAC file; only WAV is read"),
            (b"ID3\x04", "is an MP3 file; only WAV is read"),
            (b"\xFF\xFB\x90\x44", "is an MP3 file; only WAV is read"),
            (b"FORM\0\0\0\x04AIFF", "is an AIFF file; only WAV is read"),
            (b"FORM\0\0\0\x04AIFC", "is an AIFF file; only WAV is read"),
            (b"\0\0\0\x20ftypM4A ", "is an MP4 file; only WAV is read"),
            (b"RF64\xFF\xFF\xFF\xFFWAVE", "is an RF64 file; only WAV is read"),
            (b"BW64\xFF\xFF\xFF\xFFWAVE", "is a BW64 file; only WAV is read"),
            (b"RIFX\0\0\0\x04WAVE", "is a big-endian WAV (RIFX) file; only WAV is read"),
            (b"RIFF\x04\0\0\0AVI ", "is not a WAV file"),
            (b"RIFF\x04\0\0\0WAV", "is not a WAV file"),
            (b"\0", "is not a WAV file"),
            (b"", "is empty"),
        ] {
            assert_eq!(riff(file).unwrap_err().of("it").to_string(), format!("it: {fault}"));
        }
    }

    #[test]
    fn a_depth_that_is_not_whole_bytes_is_read_as_the_bytes_it_takes() {
        let twelve = Format::parse(&fmt([PCM, 2, 4, 0, 16, 0, 4, 12]), &[]).unwrap();
        assert_eq!((twelve.bytes, twelve.bits), (2, 16));
        let twenty = Format::parse(&fmt([PCM, 1, 4, 0, 12, 0, 3, 20]), &[]).unwrap();
        assert_eq!((twenty.bytes, twenty.bits), (3, 24));
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
