//! The chunks of a WAV file, found without reading what is in them.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use crate::error::Fault;

/// The chunks that matter.
pub(crate) struct Chunks {
    /// As much of the fmt chunk as there is, and as anybody looks at.
    pub fmt: Vec<u8>,
    /// Where the data are, in bytes, as far as the file goes.
    pub data: Range<u64>,
    /// How many bytes of data the file says there are; a streamed one does not say.
    pub promised: Option<u64>,
    /// How many frames the fact chunk says there are, which only codecs need.
    #[cfg_attr(not(feature = "formats"), allow(dead_code, reason = "and those are left out"))]
    pub fact: Option<u32>,
    /// The first forward loop of the smpl chunk, in frames.
    pub loops: Option<Range<u64>>,
}

/// Where the chunks begin: behind `RIFF`, a size and `WAVE`.
const FIRST: u64 = 12;

/// Of a fmt chunk: what the extensible form takes.
const MOST_FMT: u64 = 40;

impl Chunks {
    /// Walks the chunks, those behind the data too: that is where most editors put the loops. The size
    /// of the whole, in the first 12 bytes, is left out of it: many writers get it wrong, and
    /// nothing hangs on it.
    pub fn find(mut file: impl Read + Seek) -> Result<Chunks, Fault> {
        /// Written by a program that could not go back and fill in the length.
        const STREAMED: u32 = u32::MAX;
        let length = file.seek(SeekFrom::End(0))?;
        let (mut fmt, mut fact, mut loops) = (None, None, None);
        let mut data = None;
        let mut at = FIRST;
        while let Some(head) = read_at::<8>(&mut file, at, length)? {
            let [i0, i1, i2, i3, s0, s1, s2, s3] = head;
            let size = u32::from_le_bytes([s0, s1, s2, s3]);
            let body = at + 8..(at + 8 + u64::from(size)).min(length);
            match &[i0, i1, i2, i3] {
                b"fmt " if fmt.is_none() => {
                    let mut bytes = Vec::new();
                    file.by_ref()
                        .take(MOST_FMT.min(body.end - body.start))
                        .read_to_end(&mut bytes)?;
                    fmt = Some(bytes);
                }
                b"data" if data.is_none() => {
                    if fmt.is_none() {
                        return Err(Fault::damaged("has no fmt chunk before its data chunk"));
                    }
                    data = Some((body, (size != STREAMED).then_some(u64::from(size))));
                }
                b"fact" if fact.is_none() => {
                    fact = read_at(&mut file, body.start, body.end)?.map(u32::from_le_bytes);
                }
                b"smpl" if loops.is_none() => loops = first_loop(&mut file, body)?,
                _ => {}
            }
            // Chunks start on even bytes.
            at += 8 + u64::from(size) + u64::from(size % 2);
        }
        let (Some(fmt), Some((data, promised))) = (fmt, data) else {
            return Err(Fault::damaged("has no data chunk"));
        };
        Ok(Chunks { fmt, data, promised, fact, loops })
    }
}

/// The first loop that plays forwards. Its last frame is within it.
fn first_loop(file: &mut (impl Read + Seek), body: Range<u64>) -> io::Result<Option<Range<u64>>> {
    const HEAD: u64 = 36;
    const COUNT: u64 = 28;
    const LOOP: u64 = 24;
    let Some(count) = read_at(file, body.start + COUNT, body.end)?.map(u32::from_le_bytes) else {
        return Ok(None);
    };
    for number in 0..u64::from(count) {
        let at = body.start + HEAD + number * LOOP;
        let Some(bytes) = read_at::<{ LOOP as usize }>(file, at, body.end)? else {
            break;
        };
        let [_, _, _, _, kind @ ..] = bytes;
        let [0, 0, 0, 0, s0, s1, s2, s3, e0, e1, e2, e3, ..] = kind else {
            continue;
        };
        let first = u64::from(u32::from_le_bytes([s0, s1, s2, s3]));
        let last = u64::from(u32::from_le_bytes([e0, e1, e2, e3]));
        return Ok(Some(first..last + 1));
    }
    Ok(None)
}

/// So many bytes, if they are there before `end`.
fn read_at<const BYTES: usize>(
    file: &mut (impl Read + Seek),
    at: u64,
    end: u64,
) -> io::Result<Option<[u8; BYTES]>> {
    if at + BYTES as u64 > end {
        return Ok(None);
    }
    let mut bytes = [0; BYTES];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut bytes)?;
    Ok(Some(bytes))
}
