//! What a file is, told by its first bytes.

use std::io::{Read, Seek, SeekFrom};

#[cfg(feature = "formats")]
use super::id3;
#[cfg(feature = "formats")]
use super::tags::LoopTags;
use crate::error::Fault;

/// A format that is read.
#[derive(Debug, PartialEq)]
pub(crate) enum Kind {
    Wav,
    #[cfg(feature = "formats")]
    Ogg,
    #[cfg(feature = "formats")]
    Flac {
        /// Where it begins: there may be tags before it.
        at: u64,
    },
    #[cfg(feature = "formats")]
    Mp3 {
        /// Where to look for its first frame.
        at: u64,
        /// What the tags before it say.
        loops: LoopTags,
    },
}

#[cfg(feature = "formats")]
const READ: &str = "WAV, Ogg Vorbis, FLAC and MP3 are read";
#[cfg(not(feature = "formats"))]
const READ: &str = "without the feature `formats` only WAV is read";

#[cfg(feature = "formats")]
const UNKNOWN: &str = "is neither a WAV, an Ogg, a FLAC nor an MP3 file";
#[cfg(not(feature = "formats"))]
const UNKNOWN: &str = "is not a WAV file";

/// How many bytes tell.
const HEAD: u64 = 12;

impl Kind {
    /// Whether what it is decoded to may differ between machines.
    pub fn is_lossy(&self) -> bool {
        match self {
            Kind::Wav => false,
            #[cfg(feature = "formats")]
            Kind::Flac { .. } => false,
            #[cfg(feature = "formats")]
            Kind::Ogg | Kind::Mp3 { .. } => true,
        }
    }

    /// Of a file that is read from its start.
    pub fn of(file: &mut (impl Read + Seek)) -> Result<Kind, Fault> {
        let head = head_at(file, 0)?;
        #[cfg(feature = "formats")]
        if head.starts_with(b"ID3") {
            let (at, loops) = id3::read(file)?;
            let head = head_at(file, at)?;
            // Whatever else follows, the tag is one of MP3 files, and some have padding behind it.
            return Ok(if head.starts_with(b"fLaC") {
                Kind::Flac { at }
            } else {
                Kind::Mp3 { at, loops }
            });
        }
        Kind::of_head(&head)
    }

    fn of_head(head: &[u8]) -> Result<Kind, Fault> {
        let name = match head {
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => {
                return Ok(Kind::Wav);
            }
            [] => return Err(Fault::damaged("is empty")),
            #[cfg(feature = "formats")]
            [b'O', b'g', b'g', b'S', ..] => return Ok(Kind::Ogg),
            #[cfg(feature = "formats")]
            [b'f', b'L', b'a', b'C', ..] => return Ok(Kind::Flac { at: 0 }),
            // Eleven bits of sync, any version, and "layer 3".
            #[cfg(feature = "formats")]
            [0xFF, second, ..] if second & 0xE6 == 0xE2 => {
                return Ok(Kind::Mp3 { at: 0, loops: LoopTags::default() });
            }
            #[cfg(not(feature = "formats"))]
            [b'O', b'g', b'g', b'S', ..] => "an Ogg",
            #[cfg(not(feature = "formats"))]
            [b'f', b'L', b'a', b'C', ..] => "a FLAC",
            #[cfg(not(feature = "formats"))]
            [b'I', b'D', b'3', ..] => "an MP3",
            #[cfg(not(feature = "formats"))]
            [0xFF, second, ..] if second & 0xE6 == 0xE2 => "an MP3",
            [0xFF, second, ..] if second & 0xF6 == 0xF0 => "an AAC",
            [0xFF, second, ..] if second & 0xE6 == 0xE4 => "an MP2",
            [b'F', b'O', b'R', b'M', _, _, _, _, b'A', b'I', b'F', b'F' | b'C', ..] => "an AIFF",
            [_, _, _, _, b'f', b't', b'y', b'p', ..] => "an MP4",
            [0x1A, 0x45, 0xDF, 0xA3, ..] => "a Matroska or WebM",
            [b'R', b'F', b'6', b'4', ..] => "an RF64",
            [b'B', b'W', b'6', b'4', ..] => "a BW64",
            [b'R', b'I', b'F', b'X', ..] => "a big-endian WAV (RIFX)",
            [b'r', b'i', b'f', b'f', ..] => "a Wave64",
            [b'w', b'v', b'p', b'k', ..] => "a WavPack",
            [b'c', b'a', b'f', b'f', ..] => "a Core Audio",
            [b'.', b's', b'n', b'd', ..] => "an AU",
            [b'M', b'T', b'h', b'd', ..] => "a MIDI",
            _ => return Err(Fault::unsupported(UNKNOWN)),
        };
        Err(Fault::unsupported(format!("is {name} file; {READ}")))
    }
}

fn head_at(file: &mut (impl Read + Seek), at: u64) -> Result<Vec<u8>, Fault> {
    let mut head = Vec::new();
    file.seek(SeekFrom::Start(at))?;
    file.by_ref().take(HEAD).read_to_end(&mut head)?;
    Ok(head)
}
#[cfg(test)]
mod tests {
    use super::*;

    fn fault(head: &[u8]) -> String {
        let fault = Kind::of(&mut std::io::Cursor::new(head)).expect_err("it is not read");
        fault.of("it").to_string()
    }

    #[test]
    fn what_is_not_read_is_told_by_its_first_bytes() {
        for (head, kind) in [
            (&b"FORM\0\0\0\x04AIFF"[..], "an AIFF"),
            (b"FORM\0\0\0\x04AIFC", "an AIFF"),
            (b"\0\0\0\x20ftypM4A ", "an MP4"),
            (b"\x1A\x45\xDF\xA3", "a Matroska or WebM"),
            (b"\xFF\xF1\x50\x80", "an AAC"),
            (b"\xFF\xFD\x80\x04", "an MP2"),
            (b"RF64\xFF\xFF\xFF\xFFWAVE", "an RF64"),
            (b"BW64\xFF\xFF\xFF\xFFWAVE", "a BW64"),
            (b"RIFX\0\0\0\x04WAVE", "a big-endian WAV (RIFX)"),
        ] {
            assert_eq!(fault(head), format!("it: is {kind} file; {READ}"));
        }
        for head in [
            &b"RIFF\x04\0\0\0AVI "[..],
            b"RIFF\x04\0\0\0WAV",
            b"\0",
            b"\xFF\xE8\x90\x44",
            b"\xFF\x04",
        ] {
            assert_eq!(fault(head), format!("it: {UNKNOWN}"));
        }
        assert_eq!(fault(b""), "it: is empty");
    }

    #[test]
    #[cfg(feature = "formats")]
    fn what_is_read_is_told_by_its_first_bytes() {
        let loops = LoopTags::default;
        for (head, kind) in [
            (&b"RIFF\0\0\0\0WAVE"[..], Kind::Wav),
            (b"OggS\0\x02", Kind::Ogg),
            (b"fLaC\0\0\0\x22", Kind::Flac { at: 0 }),
            (b"ID3\x04\0\0\0\0\0\x01\0fLaC", Kind::Flac { at: 11 }),
            (b"ID3\x04\0\0\0\0\0\x01\0\xFF\xFB", Kind::Mp3 { at: 11, loops: loops() }),
            (b"\xFF\xFB\x90\x44", Kind::Mp3 { at: 0, loops: loops() }),
        ] {
            assert_eq!(Kind::of(&mut std::io::Cursor::new(head)), Ok(kind));
        }
    }

    #[test]
    #[cfg(not(feature = "formats"))]
    fn what_the_feature_would_read_is_refused_with_its_name() {
        for (head, kind) in [
            (&b"OggS\0\x02"[..], "an Ogg"),
            (b"fLaC\0\0\0\x22", "a FLAC"),
            (b"ID3\x04", "an MP3"),
            (b"\xFF\xFB\x90\x44", "an MP3"),
        ] {
            assert_eq!(
                fault(head),
                format!("it: is {kind} file; without the feature `formats` only WAV is read")
            );
        }
    }
}
