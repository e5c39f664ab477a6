//! Plain samples in a WAV file, read a few at a time.

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;

use super::{Header, Opened, Reader, Source};
use crate::error::Fault;
use crate::sound::wav::{Chunks, Layout, LowBits};

/// How many frames are read at a time.
const AT_ONCE: u64 = 1024;

struct Pcm {
    reader: BufReader<Box<dyn Reader>>,
    layout: Layout,
    /// Where the whole frames are that have not been read, in bytes.
    rest: Range<u64>,
    start: u64,
    is_cut: bool,
    bytes: Vec<u8>,
}

pub(super) fn open(
    reader: Box<dyn Reader>,
    chunks: &Chunks,
    layout: Layout,
) -> Result<Opened, Fault> {
    let Range { start, end } = chunks.data;
    let frames = (end - start) / layout.frame_bytes() as u64;
    let whole = frames * layout.frame_bytes() as u64;
    let header = Header {
        sample_rate: layout.sample_rate,
        channels: layout.channels,
        frames: Some(frames),
        loops: chunks.loops.clone(),
        is_16_bit: layout.is_16_bit(),
    };
    let mut source = Pcm {
        reader: BufReader::new(reader),
        layout,
        rest: start..start + whole,
        start,
        is_cut: chunks.promised.is_some_and(|promised| promised != whole),
        bytes: Vec::new(),
    };
    source.seek(0)?;
    Ok(Opened { header, skipped: 0, source: Box::new(source) })
}

impl Source for Pcm {
    fn packet(&mut self, out: &mut Vec<f32>) -> Result<bool, Fault> {
        let frame = self.layout.frame_bytes() as u64;
        let wanted = (self.rest.end - self.rest.start).min(AT_ONCE * frame);
        self.bytes.clear();
        self.reader.by_ref().take(wanted).read_to_end(&mut self.bytes)?;
        // A file may have grown shorter since it was opened.
        let whole = self.bytes.len() - self.bytes.len() % frame as usize;
        self.rest.start += whole as u64;
        self.layout.append(self.bytes.get(..whole).unwrap_or_default(), out);
        Ok(whole > 0)
    }

    fn seek(&mut self, frame: u64) -> Result<u64, Fault> {
        let frame_bytes = self.layout.frame_bytes() as u64;
        let frame = frame.min((self.rest.end - self.start) / frame_bytes);
        self.rest.start = self.start + frame * frame_bytes;
        self.reader.seek(SeekFrom::Start(self.rest.start))?;
        Ok(frame)
    }

    fn is_cut(&self) -> bool {
        self.is_cut
    }
}

/// Whether samples of 24 valid bits in 32 sit in the low ones, which takes a look at all of them.
pub(super) fn sits_low(reader: &mut Box<dyn Reader>, data: &Range<u64>) -> Result<bool, Fault> {
    const PART: u64 = 1 << 16;
    let mut low = LowBits::default();
    let mut bytes = Vec::new();
    reader.seek(SeekFrom::Start(data.start))?;
    for at in data.clone().step_by(PART as usize) {
        bytes.clear();
        reader.by_ref().take(PART.min(data.end - at)).read_to_end(&mut bytes)?;
        low.look_at(&bytes);
    }
    Ok(low.are_all())
}
