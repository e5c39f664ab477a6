//! MP3: frame after frame, each with its own head, and no index.
//!
//! A frame's data may begin in frames before it, and its sound overlaps with that of its neighbours. A seek therefore
//! begins some frames early, so that all that is heard is as if it had been decoded from the start.

use std::collections::VecDeque;
use std::io::{BufReader, Read, Seek, SeekFrom};

use symphonia::core::codecs::audio::well_known::CODEC_ID_MP3;
use symphonia::core::codecs::audio::{AudioDecoder, AudioDecoderOptions};
use symphonia::default::codecs::MpaDecoder;

use super::codec::{self, parameters};
use super::tags::LoopTags;
use super::{Header, Opened, Reader, Source};
use crate::error::Fault;
use frame::{FrameHead, Info, Trim};

mod frame;

/// How many frames a decoder adds in front, beside those that the encoder says it did.
const DECODER_DELAY: u64 = 529;

/// How many bytes may lie between a tag and the first frame, or between two frames.
const MOST_JUNK: u64 = 1 << 16;

/// How far back the data of a frame may begin.
const RESERVOIR: usize = 511;

/// How many frames must have been whole before one is: of the overlap and of the filter bank.
const OVERLAP: usize = 2;

/// At the lowest rates, a frame has so little data that the reservoir takes as many.
const MOST_EARLY: u64 = 128;

/// One frame of so many is remembered.
const REMEMBERED: u64 = 64;

struct Mp3 {
    reader: BufReader<Box<dyn Reader>>,
    decoder: MpaDecoder,
    /// What the first frame is like.
    like: FrameHead,
    /// Where every [`REMEMBERED`]th frame begins, as far as anybody has been.
    index: Vec<u64>,
    /// Which frame comes next, and where to look for it.
    next: u64,
    at: u64,
    bytes: Vec<u8>,
}

pub(super) fn open(reader: Box<dyn Reader>, at: u64, tags: LoopTags) -> Result<Opened, Fault> {
    let mut reader = BufReader::new(reader);
    let (first, like) = find_first(&mut reader, at)?;
    let mut bytes = Vec::new();
    read_at(&mut reader, first, like.bytes, &mut bytes)?;
    let info = Info::parse(like, &bytes);
    let start = if info.is_some() { first + like.bytes as u64 } else { first };

    let parameters = parameters(CODEC_ID_MP3, like.sample_rate, like.channels);
    // What the tag says is cut off here, exactly, and not by the codec.
    let mut options = AudioDecoderOptions::default();
    options.gapless = false;
    let decoder = MpaDecoder::try_new(&parameters, &options)?;
    let mut source = Mp3 { reader, decoder, like, index: vec![start], next: 0, at: start, bytes };
    let trim = info.and_then(|info| info.trim);
    let mut count = info.and_then(|info| info.count).map(u64::from);
    if trim.is_some() && count.is_none() {
        // Without it nobody knows where the padding begins.
        count = Some(source.count()?);
    }
    let Trim { delay, padding } = trim.unwrap_or(Trim { delay: 0, padding: 0 });
    let all = count.map(|count| count * like.frames());
    let frames = all.map(|all| all.saturating_sub(delay + padding));
    let skipped = if trim.is_some() { delay + DECODER_DELAY } else { 0 };
    let header = Header {
        sample_rate: like.sample_rate,
        channels: like.channels,
        frames,
        loops: tags.points(frames),
        is_16_bit: false,
    };
    Ok(Opened { header, skipped, source: Box::new(source) })
}

/// The first frame: one that has another behind it, or the end.
fn find_first(
    reader: &mut BufReader<Box<dyn Reader>>,
    from: u64,
) -> Result<(u64, FrameHead), Fault> {
    let mut at = from;
    while let Some((found, head)) = find_frame(reader, at, from + MOST_JUNK)? {
        let behind = found + head.bytes as u64;
        let next = head_at(reader, behind)?;
        if next.is_none_or(|bytes| FrameHead::parse(bytes).is_some_and(|next| next.is_like(head))) {
            return Ok((found, head));
        }
        at = found + 1;
    }
    Err(Fault::damaged("has no MP3 frame where its sound should begin"))
}

/// The first head of a frame between these bytes.
fn find_frame(
    reader: &mut BufReader<Box<dyn Reader>>,
    from: u64,
    until: u64,
) -> Result<Option<(u64, FrameHead)>, Fault> {
    reader.seek_relative_to(from)?;
    let mut seen = [0; 4];
    for (at, byte) in (from..until.saturating_add(4)).zip(reader.by_ref().bytes()) {
        let [_, a, b, c] = seen;
        seen = [a, b, c, byte?];
        if at >= from + 3
            && let Some(head) = FrameHead::parse(seen)
        {
            return Ok(Some((at - 3, head)));
        }
    }
    Ok(None)
}

fn head_at(reader: &mut BufReader<Box<dyn Reader>>, at: u64) -> Result<Option<[u8; 4]>, Fault> {
    let mut bytes = Vec::new();
    read_at(reader, at, 4, &mut bytes)?;
    Ok(bytes.first_chunk().copied())
}

/// So many bytes, or as many as there are.
fn read_at(
    reader: &mut BufReader<Box<dyn Reader>>,
    at: u64,
    count: usize,
    bytes: &mut Vec<u8>,
) -> Result<(), Fault> {
    bytes.clear();
    reader.seek_relative_to(at)?;
    reader.by_ref().take(count as u64).read_to_end(bytes)?;
    Ok(())
}

/// Within what is buffered, a seek need not read again.
trait SeekWithin {
    fn seek_relative_to(&mut self, at: u64) -> std::io::Result<()>;
}

impl SeekWithin for BufReader<Box<dyn Reader>> {
    fn seek_relative_to(&mut self, at: u64) -> std::io::Result<()> {
        let now = self.stream_position()?;
        match i64::try_from(i128::from(at) - i128::from(now)) {
            Ok(by) => self.seek_relative(by),
            Err(_) => self.seek(SeekFrom::Start(at)).map(drop),
        }
    }
}

impl Mp3 {
    /// Steps to the frame that comes next, over whatever is no frame, and returns where it is. None at the
    /// end, and where what is left of it is not whole.
    fn step(&mut self) -> Result<Option<(u64, FrameHead)>, Fault> {
        let mut from = self.at;
        while let Some((at, head)) = find_frame(&mut self.reader, from, self.at + MOST_JUNK)? {
            if head.is_like(self.like) {
                if self.next.is_multiple_of(REMEMBERED)
                    && self.next / REMEMBERED == self.index.len() as u64
                {
                    self.index.push(at);
                }
                self.next += 1;
                self.at = at + head.bytes as u64;
                return Ok(Some((at, head)));
            }
            from = at + 1;
        }
        Ok(None)
    }

    /// How many frames there are, from the first on.
    fn count(&mut self) -> Result<u64, Fault> {
        let length = self.reader.seek(SeekFrom::End(0))?;
        while self.step()?.is_some() && self.at <= length {}
        let count = self.next - u64::from(self.at > length);
        (self.next, self.at) = (0, self.index.first().copied().unwrap_or(0));
        Ok(count)
    }
}

impl Source for Mp3 {
    fn packet(&mut self, out: &mut Vec<f32>) -> Result<bool, Fault> {
        let Some((at, head)) = self.step()? else {
            return Ok(false);
        };
        read_at(&mut self.reader, at, head.bytes, &mut self.bytes)?;
        if self.bytes.len() < head.bytes {
            return Ok(false);
        }
        let first = out.len();
        let wanted = first + head.frames() as usize * usize::from(head.channels);
        let (decoder, channels) = (&mut self.decoder, head.channels);
        if codec::decode(decoder, &self.bytes, head.frames(), channels, out).is_err() {
            // One bad frame is silent and takes its time, as with every other player.
            out.truncate(first);
        }
        out.resize(wanted, 0.0);
        Ok(true)
    }

    fn seek(&mut self, frame: u64) -> Result<u64, Fault> {
        let target = frame / self.like.frames();
        let known =
            (target.saturating_sub(MOST_EARLY) / REMEMBERED).min(self.index.len() as u64 - 1);
        (self.next, self.at) = (
            known * REMEMBERED,
            self.index
                .get(known as usize)
                .copied()
                .ok_or_else(|| Fault::damaged("has no frames"))?,
        );
        // The frames before the target, as many as matter, and how much data each has.
        let mut early = VecDeque::new();
        while self.next < target {
            let number = self.next;
            let Some((at, head)) = self.step()? else {
                break;
            };
            early.push_back((number, at, head.main_data()));
            if early.len() > MOST_EARLY as usize {
                early.pop_front();
            }
        }
        let mut data = 0;
        let mut begin = None;
        for (count, &(number, at, main_data)) in early.iter().rev().enumerate() {
            begin = Some((number, at));
            if count >= OVERLAP {
                data += main_data;
            }
            if data > RESERVOIR {
                break;
            }
        }
        if let Some(begin) = begin {
            (self.next, self.at) = begin;
        }
        self.decoder.reset();
        Ok(self.next * self.like.frames())
    }

    fn is_cut(&self) -> bool {
        false
    }
}
