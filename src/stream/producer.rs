//! What is heard of a stream, block by block: as a voice would hear it if all of the file had been loaded at
//! the mixer's rate.

use std::ops::Range;
use std::sync::Arc;

use super::filters::Filters;
use super::tape::{Tape, Trouble};
use crate::link::feed::{BLOCK, Block, Feed, MARGIN, Turns};
use crate::link::message::Loop;
use crate::sound::envelope::Envelope;
use crate::sound::resample::{Filter, Window};
use crate::sound::{MOST_FRAMES, Sample, Samples, Sound, Stream};
use crate::units;

/// What a block is to hold.
pub(super) struct Cut {
    /// The first frame, of the file at the mixer's rate.
    pub first: u32,
    pub turns: Turns,
}

/// Makes blocks of a stream, at one rate.
pub(super) struct Producer {
    stream: Stream,
    tape: Tape,
    rate: u32,
    /// Between the file's rate and this one, unless they are the same.
    filter: Option<Arc<Filter>>,
    /// The frames of the file around the turn of a loop, as the filter hears them.
    seam: Option<Seam>,
    samples: Vec<f32>,
}

/// The frames of the file that are heard around a turn, side by side, and which is the first: before it, and
/// after it.
struct Seam {
    turns: Loop,
    before: (i64, Vec<f32>),
    after: (i64, Vec<f32>),
}

/// Where a frame that is heard comes from.
#[derive(Clone, Copy, PartialEq)]
enum Shelf {
    Own,
    BeforeTurn,
    AfterTurn,
}

impl Producer {
    pub fn new(stream: Stream, rate: u32, filters: &Filters) -> Producer {
        Producer::with(stream, rate, filters, false)
    }

    /// One that makes no more than can be made of what the stream keeps.
    pub fn resident(stream: Stream, rate: u32, filters: &Filters) -> Producer {
        Producer::with(stream, rate, filters, true)
    }

    fn with(stream: Stream, rate: u32, filters: &Filters, resident_only: bool) -> Producer {
        let filter = filters.between(stream.sample_rate(), rate);
        let heard = BLOCK + 2 * MARGIN;
        let recent = filter.as_deref().map_or(heard, |filter| {
            let Range { start, end } = filter.source_range(0, heard);
            (end - start) as usize
        });
        let tape = Tape::new(stream.clone(), recent, resident_only);
        Producer { stream, tape, rate, filter, seam: None, samples: Vec::new() }
    }

    /// How many frames there are, if that is known.
    pub fn clip(&self) -> Option<u32> {
        let end = self.tape.end()?;
        let frames = self.filter.as_deref().map_or(end, |it| it.output_frames(end as usize));
        Some(frames.min(MOST_FRAMES as u64) as u32)
    }

    /// Whether there is a reader that something may be held up by.
    pub fn is_reading(&self) -> bool {
        self.tape.is_reading()
    }

    /// Of which stream.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Reads no more than what was read.
    pub fn stop_reading(&mut self) {
        self.tape.stop_reading();
    }

    /// What stands for a play of it.
    pub fn sound(&self, feed: Arc<Feed>) -> Sound {
        let clip = self.longest_clip();
        let range = self.stream.loops(self.tape.end().unwrap_or(u64::from(clip)));
        let frames = |range: &Range<u64>| Loop {
            start: range.start.min(u64::from(clip)) as u32,
            end: range.end.min(u64::from(clip)) as u32,
            seam: 0,
        };
        let turns = match &self.filter {
            None => frames(&range),
            Some(filter) if self.clip().is_some() => {
                filter.turns(&(range.start as usize..range.end as usize), clip as usize)
            }
            Some(filter) => {
                let [start, end] =
                    [range.start, range.end].map(|it| filter.output_frames(it as usize));
                frames(&(start..end))
            }
        };
        Sound::of_stream(&self.stream, self.rate, clip, turns, feed)
    }

    /// How long it is, if it turns out no shorter.
    pub fn longest_clip(&self) -> u32 {
        self.clip().unwrap_or(MOST_FRAMES as u32)
    }

    /// Keeps the beginning of a loop, once that was read.
    pub fn keep_loop(&mut self, Loop { start, .. }: Loop) {
        let first = self.source_range(start, 1).start.max(0);
        self.tape.keep_from(first as u64);
    }

    /// A block of nothing, to be filled.
    pub fn empty_block(&self) -> Block {
        Block {
            epoch: 0,
            index: 0,
            first: 0,
            len: 0,
            samples: Samples::Mono32(Arc::from([])),
            envelope: Envelope::of(self.rate, &[[0.0]]),
            clip: None,
            is_last: false,
        }
    }

    /// Fills a block: up to the end of the clip, or across any number of turns. Only on the way it may become
    /// known where the clip ends, and so where it turns.
    pub fn fill(&mut self, block: &mut Block, cut: &mut Cut) -> Result<(), Trouble> {
        loop {
            let clip = self.clip();
            clip.into_iter().for_each(|clip| cut.turns.shorten(clip));
            let rest = clip.map_or(BLOCK, |clip| clip.saturating_sub(cut.first) as usize);
            let len = if cut.turns.active(cut.first).is_some() { BLOCK } else { rest.min(BLOCK) };
            match self.tape.channels() {
                1 => self.make::<1>(block, cut, len, Samples::Mono16, Samples::Mono32)?,
                _ => self.make::<2>(block, cut, len, Samples::Stereo16, Samples::Stereo32)?,
            }
            if self.clip() == clip {
                (block.clip, block.is_last) = (clip, false);
                return Ok(());
            }
        }
    }

    /// Fills a block with what is left, because no more can be read: what was heard last fades out behind it.
    pub fn break_off(&mut self, block: &mut Block, cut: &Cut) {
        self.tape.stop_reading();
        match self.tape.channels() {
            1 => self.make_last::<1>(block, cut, Samples::Mono32),
            _ => self.make_last::<2>(block, cut, Samples::Stereo32),
        }
        (block.clip, block.is_last) = (Some(block.file_end()), true);
    }

    fn make_last<const CHANNELS: usize>(
        &mut self,
        block: &mut Block,
        cut: &Cut,
        kind: fn(Arc<[[f32; CHANNELS]]>) -> Samples,
    ) {
        let mut heard = Vec::new();
        // What is there is there: whether it was enough says its length.
        let _ = self.hear::<f32, CHANNELS>(cut, BLOCK, &mut heard);
        heard.truncate(MARGIN + BLOCK);
        // What was made before is still in memory, unless this is the first after a jump: that is silent.
        if heard.len() < MARGIN {
            heard = vec![[0.0; CHANNELS]; MARGIN];
        }
        let last = heard.last().copied().unwrap_or([0.0; CHANNELS]);
        let fade = units::declick(self.rate);
        heard.extend((1..=fade).map(|gone| {
            let left = (fade - gone) as f32 / fade as f32;
            last.map(|sample| sample * left)
        }));
        (block.first, block.len) = (cut.first, (heard.len() - MARGIN) as u32);
        block.envelope = self.envelope(heard.get(MARGIN..).unwrap_or_default());
        heard.extend([[0.0; CHANNELS]; MARGIN]);
        block.samples = kind(heard.into());
    }

    fn make<const CHANNELS: usize>(
        &mut self,
        block: &mut Block,
        cut: &Cut,
        len: usize,
        short: fn(Arc<[[i16; CHANNELS]]>) -> Samples,
        long: fn(Arc<[[f32; CHANNELS]]>) -> Samples,
    ) -> Result<(), Trouble> {
        (block.first, block.len) = (cut.first, len as u32);
        let own = MARGIN..MARGIN + len;
        if self.stream.is_16_bit() {
            let mut heard = Vec::with_capacity(len + 2 * MARGIN);
            if self.hear::<i16, CHANNELS>(cut, len, &mut heard)? {
                block.envelope = self.envelope(&heard[own]);
                block.samples = short(heard.into());
                return Ok(());
            }
        }
        let mut heard = Vec::with_capacity(len + 2 * MARGIN);
        self.hear::<f32, CHANNELS>(cut, len, &mut heard)?;
        block.envelope = self.envelope(heard.get(own).unwrap_or_default());
        block.samples = long(heard.into());
        Ok(())
    }

    fn envelope<T: Sample, const CHANNELS: usize>(&self, frames: &[[T; CHANNELS]]) -> Envelope {
        if frames.is_empty() {
            return Envelope::of(self.rate, &[[0.0]]);
        }
        Envelope::of(self.rate, frames)
    }

    /// Appends so many frames from a cut's first on and those around them, as they are heard, as far as they
    /// can be read. Returns whether they can be stored like this.
    fn hear<T: Sample, const CHANNELS: usize>(
        &mut self,
        cut: &Cut,
        len: usize,
        heard: &mut Vec<[T; CHANNELS]>,
    ) -> Result<bool, Trouble> {
        let first = i64::from(cut.first) - MARGIN as i64;
        let round = cut.turns.active(cut.first).map(|range| (range.end - range.start) as usize);
        while heard.len() < len + 2 * MARGIN {
            let most = len + 2 * MARGIN - heard.len();
            // Once it has turned, every round is like the one before.
            let before = round.and_then(|round| heard.len().checked_sub(round));
            if let (Some(round), Some(before)) = (round, before)
                && has_turned(cut, first + before as i64)
            {
                heard.extend_from_within(before..before + round.min(most));
                continue;
            }
            let (shelf, at) = place(cut, first + heard.len() as i64);
            let next = |count: usize| place(cut, first + (heard.len() + count) as i64);
            let run = (1..most).find(|count| next(*count) != (shelf, at + *count as i64));
            let mut run = run.unwrap_or(most);
            let part = loop {
                let part = match shelf {
                    Shelf::Own => self.own_or_silence(at, run),
                    turn => self.around_turn(cut, turn, at, run),
                };
                match part {
                    // No more of it can be read, but perhaps less.
                    Err(Trouble::NotResident) if run > 1 => run = run.div_ceil(2),
                    part => break part?,
                }
            };
            match part {
                Some(part) => heard.extend(part),
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// The clip's own frames, with silence around them.
    fn own_or_silence<T: Sample, const CHANNELS: usize>(
        &mut self,
        from: i64,
        count: usize,
    ) -> Result<Option<Vec<[T; CHANNELS]>>, Trouble> {
        let silence = [T::default(); CHANNELS];
        let early = usize::try_from(-from).unwrap_or(0).min(count);
        let mut frames = vec![silence; early];
        let (from, count) = ((from + early as i64) as u32, count - early);
        let there = (self.clip().unwrap_or(u32::MAX).saturating_sub(from) as usize).min(count);
        if there > 0 {
            let own = self.own(from, there)?;
            if own.is_empty() {
                return Ok(None);
            }
            frames.extend(own);
        }
        frames.resize(early + count, silence);
        Ok(Some(frames))
    }

    /// The clip's own frames, as far as there are any; none, if they cannot be stored like this.
    fn own<T: Sample, const CHANNELS: usize>(
        &mut self,
        from: u32,
        count: usize,
    ) -> Result<Vec<[T; CHANNELS]>, Trouble> {
        let Range { start, end } = self.source_range(from, count);
        let start = start.max(0);
        self.samples.clear();
        self.tape.read(start as u64, (end - start) as usize, &mut self.samples)?;
        Ok(convert(self.filter.as_deref(), (start, &self.samples), from, count))
    }

    /// Frames before or after the turn of a loop.
    fn around_turn<T: Sample, const CHANNELS: usize>(
        &mut self,
        cut: &Cut,
        turn: Shelf,
        from: i64,
        count: usize,
    ) -> Result<Option<Vec<[T; CHANNELS]>>, Trouble> {
        let Some(turns) = cut.turns.looping else { return Ok(Some(Vec::new())) };
        if self.seam.as_ref().is_none_or(|seam| seam.turns != turns) {
            let before = self.around(turns, turns.end - turns.seam)?;
            let after = self.around(turns, turns.start)?;
            self.seam = Some(Seam { turns, before, after });
        }
        let Some(Seam { before, after, .. }) = &self.seam else { return Ok(None) };
        let (first, heard) = if turn == Shelf::BeforeTurn { before } else { after };
        let frames = convert(self.filter.as_deref(), (*first, heard), from as u32, count);
        Ok(Some(frames).filter(|frames| frames.len() == count))
    }

    /// What the filter hears of the file around a turn, for the frames of a seam from one on: round and round.
    fn around(&mut self, turns: Loop, from: u32) -> Result<(i64, Vec<f32>), Trouble> {
        let Range { start, end } = self.source_range(from, turns.seam as usize);
        let range = self.stream.loops(self.tape.end().unwrap_or(1));
        let (first, length) = (range.start as i64, (range.end - range.start).max(1) as i64);
        let mut heard = Vec::new();
        let mut at = start;
        while at < end {
            let into = (at - first).rem_euclid(length);
            let run = (length - into).min(end - at);
            let read = self.tape.read((first + into) as u64, run as usize, &mut heard)?;
            if read == 0 {
                break;
            }
            at += read as i64;
        }
        Ok((start, heard))
    }

    /// Which frames of the file are heard in so many at this rate.
    fn source_range(&self, from: u32, count: usize) -> Range<i64> {
        match &self.filter {
            None => i64::from(from)..i64::from(from) + count as i64,
            Some(filter) => filter.source_range(from as usize, count),
        }
    }
}

/// Frames at another rate, if there is a filter, of the file's own, of which the first is given with them. None,
/// if one cannot be stored like this.
fn convert<T: Sample, const CHANNELS: usize>(
    filter: Option<&Filter>,
    (first, samples): (i64, &[f32]),
    from: u32,
    count: usize,
) -> Vec<[T; CHANNELS]> {
    let (source, _) = samples.as_chunks::<CHANNELS>();
    let mut frames = vec![[T::default(); CHANNELS]; count];
    let is_whole = match filter {
        Some(filter) => filter.run(Window { source, first }, from as usize, &mut frames),
        None => {
            for (frame, own) in frames.iter_mut().zip(source) {
                *frame = own.map(|sample| T::nearest(f64::from(sample)));
            }
            true
        }
    };
    if is_whole { frames } else { Vec::new() }
}

/// Where a frame comes from that a voice meets on its way, counted as if it did not turn: as
/// `Cursor::unrolled` has it.
fn place(cut: &Cut, index: i64) -> (Shelf, i64) {
    let Turns { looping, wrapped, last_round } = cut.turns;
    let active = cut.turns.active(cut.first);
    let behind = looping.filter(|_| last_round && wrapped);
    let Some(Loop { start, end, seam }) = active.or(behind) else { return (Shelf::Own, index) };
    let (start, end, seam) = (i64::from(start), i64::from(end), i64::from(seam));
    let turned = match active {
        Some(_) => has_turned(cut, index),
        None => index < start + seam,
    };
    if active.is_none() && !turned {
        return (Shelf::Own, index);
    }
    let around = || start + (index - start).rem_euclid((end - start).max(1));
    let index = if turned { around() } else { index };
    if index >= end - seam {
        (Shelf::BeforeTurn, index)
    } else if turned && index < start + seam {
        (Shelf::AfterTurn, index)
    } else {
        (Shelf::Own, index)
    }
}

/// Whether a frame, counted as if it did not turn, is heard behind a turn of the loop that it goes round.
fn has_turned(cut: &Cut, index: i64) -> bool {
    let active = cut.turns.active(cut.first);
    active.is_some_and(|range| cut.turns.wrapped || index >= i64::from(range.end))
}
