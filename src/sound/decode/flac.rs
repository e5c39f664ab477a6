//! FLAC.
//!
//! Its blocks of metadata are read here: of those, the codec is given no other than the first, so that no
//! picture or seek table of a hostile file gets as far as that.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Mutex;

use symphonia::core::codecs::audio::{AudioDecoder, AudioDecoderOptions};
use symphonia::core::errors::{Error, SeekErrorKind};
use symphonia::core::formats::{FormatOptions, FormatReader, SeekMode, SeekTo};
use symphonia::core::io::{MediaSource, MediaSourceStream};
use symphonia::core::packet::Packet;
use symphonia::core::units::Timestamp;
use symphonia::default::codecs::FlacDecoder;
use symphonia::default::formats::FlacReader;

use super::codec;
use super::tags::LoopTags;
use super::{Header, Opened, Reader, Source, check_channels};
use crate::error::Fault;
use crate::sound::check_rate;

/// The first four bytes, the head of the only block of metadata, and that block.
const HEAD: usize = 4 + 4 + INFO;

/// The block that every file has.
const INFO: usize = 34;

/// No comments with loop points are as long; what is has a picture in it.
const MOST_COMMENTS: u64 = 1 << 20;

struct Flac {
    /// None only while it is made anew.
    reader: Option<Box<FlacReader<'static>>>,
    decoder: FlacDecoder,
    channels: u16,
    /// A packet that was read to see which it is.
    ahead: Option<Packet>,
    at: u64,
    is_cut: bool,
}

pub(super) fn open(mut reader: Box<dyn Reader>, at: u64) -> Result<Opened, Fault> {
    let metadata = Metadata::read(&mut reader, at)?;
    let Metadata { info, tags, first_frame } = metadata;
    let &[_, _, _, _, _, _, _, _, _, _, r0, r1, rcb, bn, n0, n1, n2, n3, ..] = &info;
    let sample_rate = u32::from_be_bytes([0, r0, r1, rcb]) >> 4;
    let channels = u16::from(rcb >> 1 & 7) + 1;
    let bits = ((rcb & 1) << 4 | bn >> 4) + 1;
    let frames = u64::from_be_bytes([0, 0, 0, bn & 0xF, n0, n1, n2, n3]);
    check_channels(channels)?;
    check_rate(sample_rate)?;

    let stream = MediaSourceStream::new(
        Box::new(Spliced::new(reader, info, first_frame)?),
        Default::default(),
    );
    let reader = read_stream(stream)?;
    let track = reader.tracks().first().and_then(|track| track.codec_params.as_ref());
    let parameters = track
        .and_then(|parameters| parameters.audio())
        .ok_or_else(|| Fault::damaged("has no stream of sound"))?;
    let decoder = FlacDecoder::try_new(parameters, &AudioDecoderOptions::default())?;
    // A length of 0 is one that was not known.
    let frames = (frames > 0).then_some(frames);
    let header =
        Header { sample_rate, channels, frames, loops: tags.points(frames), is_16_bit: bits <= 16 };
    let source =
        Flac { reader: Some(reader), decoder, channels, ahead: None, at: 0, is_cut: false };
    Ok(Opened { header, skipped: 0, source: Box::new(source) })
}

fn read_stream(stream: MediaSourceStream<'static>) -> Result<Box<FlacReader<'static>>, Fault> {
    match FlacReader::try_new(stream, FormatOptions::default()) {
        Err(error) if is_end(&error) => Err(Fault::from(String::from("has no frames"))),
        reader => Ok(Box::new(reader?)),
    }
}

/// Whether nothing is wrong but that there is no more.
fn is_end(error: &Error) -> bool {
    match error {
        Error::IoError(error) => error.kind() == io::ErrorKind::UnexpectedEof,
        Error::SeekError(SeekErrorKind::OutOfRange) => true,
        _ => false,
    }
}

/// What stands before the first frame.
struct Metadata {
    info: [u8; INFO],
    tags: LoopTags,
    first_frame: u64,
}

impl Metadata {
    fn read(reader: &mut Box<dyn Reader>, at: u64) -> Result<Metadata, Fault> {
        const IS_LAST: u8 = 0x80;
        const STREAM_INFO: u8 = 0;
        const COMMENTS: u8 = 4;
        let damaged = || Fault::damaged("ends within its FLAC metadata");
        let mut tags = None;
        let mut info = None;
        let mut at = at + 4;
        loop {
            let mut head = [0; 4];
            reader.seek(SeekFrom::Start(at))?;
            reader.read_exact(&mut head).map_err(|_| damaged())?;
            let [kind, l0, l1, l2] = head;
            let length = u32::from_be_bytes([0, l0, l1, l2]);
            match kind & !IS_LAST {
                STREAM_INFO if info.is_none() && length as usize == INFO => {
                    let mut bytes = [0; INFO];
                    reader.read_exact(&mut bytes).map_err(|_| damaged())?;
                    info = Some(bytes);
                }
                COMMENTS if tags.is_none() => {
                    let mut bytes = Vec::new();
                    reader.take(MOST_COMMENTS.min(length.into())).read_to_end(&mut bytes)?;
                    tags = Some(LoopTags::of_comments(&bytes));
                }
                _ => {}
            }
            // The first says how to read all that follows.
            let info =
                info.ok_or_else(|| Fault::damaged("does not begin with its FLAC stream info"))?;
            at += 4 + u64::from(length);
            if kind & IS_LAST != 0 {
                return Ok(Metadata { info, tags: tags.unwrap_or_default(), first_frame: at });
            }
        }
    }
}

impl Flac {
    /// The next packet; none at the end of the file.
    fn next(&mut self) -> Result<Option<Packet>, Fault> {
        let Some(reader) = self.reader.as_mut() else {
            return Ok(None);
        };
        match self.ahead.take().map_or_else(|| reader.next_packet(), |packet| Ok(Some(packet))) {
            Err(error) if is_end(&error) => Ok(None),
            packet => Ok(packet?),
        }
    }

    /// Looks for the packet with this frame. Returns which one comes next: that, or one behind it, or none.
    fn find(&mut self, frame: u64) -> Result<Option<u64>, Fault> {
        // A reader that has been elsewhere takes no header for one that comes before the last it has seen.
        self.ahead = None;
        if let Some(reader) = self.reader.take() {
            let mut stream = reader.into_inner();
            stream.rewind()?;
            self.reader = Some(read_stream(stream)?);
        }
        let to = Timestamp::new(i64::try_from(frame).unwrap_or(i64::MAX));
        let to = SeekTo::Timestamp { ts: to, track_id: 0 };
        match self.reader.as_mut().map(|reader| reader.seek(SeekMode::Accurate, to)) {
            Some(Err(error)) if is_end(&error) => return Ok(None),
            Some(found) => found?,
            None => return Ok(None),
        };
        // Only a whole packet has a checksum: what it was found by may have looked like a header.
        self.ahead = self.next()?;
        Ok(self.ahead.as_ref().map(|packet| packet.pts.get() as u64))
    }
}

impl Source for Flac {
    fn packet(&mut self, out: &mut Vec<f32>) -> Result<bool, Fault> {
        let Some(packet) = self.next()? else {
            return Ok(false);
        };
        let first = packet.pts.get() as u64;
        if first != self.at {
            return Err(Fault::damaged(format!(
                "has frame {first} where frame {} should be",
                self.at
            )));
        }
        match codec::decode(&mut self.decoder, &packet.data, packet.dur.get(), self.channels, out) {
            Ok(frames) => self.at += frames as u64,
            // The last one may be half there.
            Err(fault) => {
                if self.next()?.is_some() {
                    return Err(fault);
                }
                self.is_cut = true;
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn seek(&mut self, frame: u64) -> Result<u64, Fault> {
        self.decoder.reset();
        // The search fails where it lands behind the beginning of the last packet: then one for a frame that is
        // further before it does not.
        for back in [0, 1 << 16, 1 << 18, u64::MAX] {
            if let Some(at) = self.find(frame.saturating_sub(back))?
                && at <= frame
            {
                self.at = at;
                return Ok(at);
            }
        }
        Err(Fault::damaged("has no first frame any more"))
    }

    fn is_cut(&self) -> bool {
        self.is_cut
    }
}

/// A file with its first frame right behind the one block of metadata.
struct Spliced {
    head: [u8; HEAD],
    /// Where the first frame is, and how long the file is.
    first_frame: u64,
    length: u64,
    /// Where it is read, by the count of what is spliced.
    at: u64,
    /// Symphonia asks that readers can be shared, which ours need not.
    file: Mutex<Box<dyn Reader>>,
}

impl Spliced {
    fn new(mut file: Box<dyn Reader>, info: [u8; INFO], first_frame: u64) -> io::Result<Spliced> {
        const ONLY_BLOCK: [u8; 8] = [b'f', b'L', b'a', b'C', 0x80, 0, 0, INFO as u8];
        let mut head = [0; HEAD];
        for (byte, known) in head.iter_mut().zip(ONLY_BLOCK.iter().chain(&info)) {
            *byte = *known;
        }
        let length = file.seek(SeekFrom::End(0))?.saturating_sub(first_frame) + HEAD as u64;
        file.seek(SeekFrom::Start(first_frame))?;
        Ok(Spliced { head, first_frame, length, at: 0, file: Mutex::new(file) })
    }

    fn file(&mut self) -> &mut Box<dyn Reader> {
        self.file.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Read for Spliced {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let head = usize::try_from(self.at).ok().and_then(|at| self.head.get(at..));
        let count = match head {
            Some(mut head) if !head.is_empty() => head.read(room)?,
            _ => self.file().read(room)?,
        };
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for Spliced {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = to.ok_or(io::ErrorKind::InvalidInput)?;
        let in_file = self.first_frame.saturating_add(self.at.saturating_sub(HEAD as u64));
        self.file().seek(SeekFrom::Start(in_file))?;
        Ok(self.at)
    }
}

impl MediaSource for Spliced {
    fn is_seekable(&self) -> bool {
        true
    }

    fn byte_len(&self) -> Option<u64> {
        Some(self.length)
    }
}
