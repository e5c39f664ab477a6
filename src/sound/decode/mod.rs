//! Sound files, decoded frame by frame: for [`Sound::load`](crate::Sound::load), which wants all of
//! one, and for streams, which never do.
//!
//! What a file holds is told by its content. Each format has a [`Source`] of its own, which turns packets into
//! frames; what is to be heard of those, and that no number gets in which no mix could carry, is seen to
//! here. Containers are read by our own code, because lengths and seeks are exact to the frame: the first
//! frame heard is the first that was encoded, the last the last, wherever one starts from.

use std::io::{Read, Seek};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[cfg(feature = "formats")]
mod blocks;
#[cfg(feature = "formats")]
mod codebooks;
#[cfg(feature = "formats")]
mod codec;
#[cfg(feature = "formats")]
mod flac;
#[cfg(feature = "formats")]
mod id3;
mod kind;
#[cfg(feature = "formats")]
mod mp3;
#[cfg(feature = "formats")]
mod ogg;
mod pcm;
#[cfg(feature = "formats")]
mod tags;
#[cfg(feature = "formats")]
mod vorbis;
mod whole;

pub(crate) use whole::{Whole, decode_whole};

use super::check_rate;
use super::samples::validate;
use super::wav::{Chunks, Format, check_channels};
use crate::error::Fault;
use kind::Kind;

/// How many frames are handed out at a time, at most.
const MOST_AT_ONCE: usize = 4096;

/// Where a file is read from.
pub(crate) trait Reader: Read + Seek + Send {}

impl<T: Read + Seek + Send> Reader for T {}

/// What a file says of itself, before any of it is decoded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Header {
    /// Within the rates that are played.
    pub sample_rate: u32,
    /// 1 or 2.
    pub channels: u16,
    /// The exact length, after trimming, if the file says so.
    pub frames: Option<u64>,
    /// Its own loop points, in its own frames: never empty, and never beyond a length that is known.
    pub loops: Option<Range<u64>>,
    /// Whether every sample is one of sixteen bits.
    pub is_16_bit: bool,
}

/// What each format does its own way. Frames are counted as they come out of the codec, from 0 on, whether
/// they are to be heard or not.
trait Source: Send {
    /// Appends the frames of the next packet, one channel after the other: any number, none too. Returns
    /// whether there was a packet.
    fn packet(&mut self, out: &mut Vec<f32>) -> Result<bool, Fault>;

    /// Makes the next frame that comes out this one, or one before it, and returns which. From there on they are the
    /// same as if it had never been anywhere else.
    fn seek(&mut self, frame: u64) -> Result<u64, Fault>;

    /// At the end, whether the file was cut off there, as far as the format can tell.
    fn is_cut(&self) -> bool;
}

/// A format's own part, and what it found in the head of the file.
struct Opened {
    header: Header,
    /// How many of the frames that come out first are not to be heard.
    skipped: u64,
    source: Box<dyn Source>,
}

/// A file that is decoded frame by frame.
pub(crate) struct Decoder {
    header: Header,
    source: Box<dyn Source>,
    /// Which of the source's frames are heard.
    heard: Range<u64>,
    /// What the source gave last, of which so many samples are done with.
    packet: Vec<f32>,
    done: usize,
    /// The source's frame that follows what is done with, and the next to be handed out.
    at: u64,
    next: u64,
    ended: bool,
}

impl Decoder {
    /// Tells the format by content and reads the head of the file, and of an Ogg file its last page, too.
    /// The reader begins at its start.
    pub(crate) fn open(reader: Box<dyn Reader>) -> Result<Decoder, Fault> {
        let Opened { mut header, skipped, source } = guarded(|| open(reader))?;
        check_channels(header.channels)?;
        check_rate(header.sample_rate)?;
        let end = header.frames.map_or(u64::MAX, |frames| skipped.saturating_add(frames));
        header.loops = sane_loop(header.loops, header.frames);
        Ok(Decoder {
            header,
            source,
            heard: skipped..end,
            packet: Vec::new(),
            done: 0,
            at: 0,
            next: skipped,
            ended: false,
        })
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// Appends the next frames, interleaved, some thousands at most. Returns how many: 0 at the end, and
    /// only there.
    pub(crate) fn decode(&mut self, out: &mut Vec<f32>) -> Result<usize, Fault> {
        guarded(|| self.decode_some(out))
    }

    fn decode_some(&mut self, out: &mut Vec<f32>) -> Result<usize, Fault> {
        let channels = usize::from(self.header.channels);
        while self.next < self.heard.end && !self.ended {
            let rest = self.packet.get(self.done..).unwrap_or_default();
            let there = rest.len() / channels;
            if there == 0 {
                self.packet.clear();
                self.done = 0;
                self.ended = !self.source.packet(&mut self.packet)?;
                continue;
            }
            let early = (self.next - self.at).min(there as u64) as usize;
            let most = MOST_AT_ONCE.min(there - early);
            let count = (self.heard.end - self.next).min(most as u64) as usize;
            let first = out.len();
            out.extend(rest.iter().skip(early * channels).take(count * channels));
            self.done += (early + count) * channels;
            self.at += (early + count) as u64;
            if count > 0 {
                let number = self.next - self.heard.start;
                self.next = self.at;
                validate(out.get_mut(first..).unwrap_or_default(), channels, number)?;
                return Ok(count);
            }
        }
        Ok(0)
    }

    /// The next frame decoded will be exactly this one, with the bits it would have if all before it had been
    /// decoded. Beyond the end there is none.
    pub(crate) fn seek(&mut self, frame: u64) -> Result<(), Fault> {
        self.next = self.heard.start.saturating_add(frame);
        self.packet.clear();
        self.done = 0;
        self.ended = self.next >= self.heard.end;
        if self.ended {
            return Ok(());
        }
        self.at = guarded(|| self.source.seek(self.next))?;
        if self.at > self.next {
            return Err(Fault::damaged(format!("frame {frame} is not to be found in it")));
        }
        Ok(())
    }

    /// Once there is no more to decode, whether the file had promised more.
    pub(crate) fn is_truncated(&self) -> bool {
        let is_short = self.header.frames.is_some() && self.next < self.heard.end;
        is_short || self.source.is_cut()
    }
}

fn open(mut reader: Box<dyn Reader>) -> Result<Opened, Fault> {
    match Kind::of(&mut reader)? {
        Kind::Wav => {
            let chunks = Chunks::find(&mut reader)?;
            match Format::parse(&chunks.fmt, || pcm::sits_low(&mut reader, &chunks.data))? {
                Format::Plain(layout) => pcm::open(reader, &chunks, layout),
                #[cfg(feature = "formats")]
                Format::Coded(coded) => blocks::open(reader, &chunks, coded),
            }
        }
        #[cfg(feature = "formats")]
        Kind::Ogg => vorbis::open(reader),
        #[cfg(feature = "formats")]
        Kind::Flac { at } => flac::open(reader, at),
        #[cfg(feature = "formats")]
        Kind::Mp3 { at, loops } => mp3::open(reader, at, loops),
    }
}

/// A loop that there can be: not empty, not reversed, not beyond the end.
pub(crate) fn sane_loop(loops: Option<Range<u64>>, frames: Option<u64>) -> Option<Range<u64>> {
    loops.filter(|range| range.start < range.end && range.end <= frames.unwrap_or(u64::MAX))
}

/// A decoder that panics has met a file that its author did not foresee. That is the file's fault, and
/// never the game's end.
fn guarded<T>(decode: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    // Whatever was left half done is dropped with the decoder.
    catch_unwind(AssertUnwindSafe(decode))
        .unwrap_or_else(|_| Err(Fault::damaged("made its decoder panic")))
}

#[cfg(test)]
mod tests;
