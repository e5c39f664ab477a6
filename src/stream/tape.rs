//! A file that is read at any place: frames as they were decoded, at the file's own rate.
//!
//! What a stream keeps of its beginning is there at once, and so is what was decoded last, and the
//! beginning of the loop once it was read. For anything else the decoder goes there.

use crate::error::Fault;
use crate::link::feed::{BLOCK, HEAD_BLOCKS};
use crate::sound::{Decoder, Stream};

/// How many frames ahead the decoder goes by decoding. Further ahead it seeks.
const NEAR: u64 = 48_000;

/// How many frames from the beginning of the loop are kept: as many blocks as a stream keeps of its own, and what a filter
/// hears behind them.
const LOOP_HEAD: usize = HEAD_BLOCKS * BLOCK + 1024;

/// Why something could not be read.
#[derive(Debug)]
pub(super) enum Trouble {
    /// It is not in memory, and nothing else is to be read.
    NotResident,
    Fault(Fault),
}

impl Trouble {
    pub fn into_text(self) -> String {
        match self {
            Trouble::NotResident => "it is read no more".into(),
            Trouble::Fault(fault) => fault.into_text(),
        }
    }
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        Trouble::Fault(fault)
    }
}

pub(super) struct Tape {
    stream: Stream,
    channels: usize,
    /// Whether no more is read than what the stream keeps.
    resident_only: bool,
    decoder: Option<Decoder>,
    /// The frame that the decoder gives next.
    next: u64,
    /// The frames decoded last, up to `next`: no fewer than so many, where there are as many.
    recent: Vec<f32>,
    keep: usize,
    /// Where the loop begins, if that is to be kept, and what was read from there on.
    loop_start: Option<u64>,
    loop_head: Vec<f32>,
    /// How many frames there are, once that is known.
    end: Option<u64>,
}

impl Tape {
    /// One that keeps so many of the frames decoded last, and if it is to, never touches the file.
    pub fn new(stream: Stream, keep: usize, resident_only: bool) -> Tape {
        let (channels, end) = (stream.channels(), stream.frames());
        Tape {
            channels,
            resident_only,
            decoder: None,
            next: 0,
            recent: Vec::new(),
            keep,
            loop_start: None,
            loop_head: Vec::new(),
            end,
            stream,
        }
    }

    /// How many frames there are, if that is known.
    pub fn end(&self) -> Option<u64> {
        self.end
    }

    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Whether it has the file open.
    pub fn is_reading(&self) -> bool {
        self.decoder.is_some()
    }

    /// Reads no more than what was read.
    pub fn stop_reading(&mut self) {
        self.resident_only = true;
        self.decoder = None;
    }

    /// Keeps what is read from this frame on, where a loop begins.
    pub fn keep_from(&mut self, frame: u64) {
        if self.loop_start != Some(frame) {
            self.loop_start = Some(frame);
            self.loop_head.clear();
        }
    }

    /// Appends so many frames from this one on, fewer at the end.
    pub fn read(&mut self, from: u64, frames: usize, out: &mut Vec<f32>) -> Result<usize, Trouble> {
        let mut done = 0;
        while done < frames {
            let at = from + done as u64;
            if self.end.is_some_and(|end| at >= end) {
                break;
            }
            let kept = [
                (0, self.stream.prefix()),
                (self.loop_start.unwrap_or(0), self.loop_head.as_slice()),
                (self.next - self.frames(&self.recent), self.recent.as_slice()),
            ];
            let found = kept.into_iter().find_map(|(first, samples)| {
                let skip = usize::try_from(at.checked_sub(first)?).ok()? * self.channels;
                samples.get(skip..).filter(|rest| !rest.is_empty())
            });
            let Some(found) = found else {
                if !self.decode_towards(at)? {
                    break;
                }
                continue;
            };
            let left = self.end.map_or(u64::MAX, |end| end - at).min((frames - done) as u64);
            let samples = found.len().min(left as usize * self.channels);
            out.extend_from_slice(&found[..samples]);
            done += samples / self.channels;
        }
        Ok(done)
    }

    fn frames(&self, samples: &[f32]) -> u64 {
        (samples.len() / self.channels) as u64
    }

    /// Decodes some more, at a frame or on the way there. Returns whether there was any.
    fn decode_towards(&mut self, frame: u64) -> Result<bool, Trouble> {
        if self.resident_only {
            return Err(Trouble::NotResident);
        }
        if self.decoder.is_none() {
            let decoder = self.stream.open_decoder()?;
            let header = decoder.header();
            let form = (usize::from(header.channels), header.sample_rate);
            if form != (self.channels, self.stream.sample_rate()) {
                let text = "has become another file: of other channels, or another rate";
                return Err(Fault::damaged(text).into());
            }
            (self.decoder, self.next) = (Some(decoder), 0);
        }
        let Some(decoder) = &mut self.decoder else { return Ok(false) };
        if frame < self.next || frame - self.next > NEAR {
            decoder.seek(frame)?;
            self.next = frame;
            self.recent.clear();
        }
        let surplus = self.recent.len().saturating_sub(self.keep * self.channels);
        self.recent.drain(..surplus);
        let before = self.recent.len();
        let decoded = decoder.decode(&mut self.recent)?;
        if decoded == 0 {
            if let Some(end) = self.end {
                let text = format!("ends after {} of the {end} frames that it had", self.next);
                return Err(Fault::damaged(text).into());
            }
            self.end = Some(self.next);
            return Ok(false);
        }
        let first = self.next;
        self.next += decoded as u64;
        self.keep_loop_head(first, before);
        Ok(true)
    }

    /// Keeps what belongs to the beginning of the loop of what was just decoded: what stands in `recent` from
    /// there on, of which this is the first frame.
    fn keep_loop_head(&mut self, first: u64, from: usize) {
        let Some(start) = self.loop_start else { return };
        let wanted = start + self.frames(&self.loop_head);
        let room = (LOOP_HEAD * self.channels).saturating_sub(self.loop_head.len());
        if room == 0 || wanted < first {
            return;
        }
        let skip = from + (wanted - first) as usize * self.channels;
        if let Some(part) = self.recent.get(skip..) {
            // Not more than that: to grow as it comes may take twice as much.
            self.loop_head.reserve_exact(room);
            self.loop_head.extend_from_slice(part.get(..room).unwrap_or(part));
        }
    }
}
