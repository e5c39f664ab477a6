//! Where a voice is in its sound, and how it moves: steps, loops, and the clip's two ends.

mod streamed;

use std::ops::Range;

use super::glide::Glide;
use super::position::{ONE, Position};
use crate::audio::kernel::{ClipFrame, Gains, Kernels, Mix, SINC_TAPS, Stride};
use crate::link::feed::Turns;
use crate::link::message::Loop;
use crate::sound::{Samples, Sound, each_kind};

/// How many frames are laid out side by side where a run crosses an edge.
const WINDOW: usize = 4 * SINC_TAPS;

/// A place in a sound. A position beyond the loop's end plays out unlooped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::audio) struct Cursor {
    position: Position,
    glide: Glide,
    looping: Option<Loop>,
    /// Whether it has been round: only then does the loop's end lie before its start. In a loop that is
    /// nothing but its seam it is as if it always had been: all of it is near its end.
    wrapped: bool,
    /// Whether it goes round no more, but on past the loop's end.
    last_round: bool,
    /// How often it has been round, for those who count.
    rounds: u32,
}

impl Cursor {
    pub fn new(frame: u32, glide: Glide, looping: Option<Loop>) -> Cursor {
        let (position, turns) = (Position::at(frame), Turns::new(frame, looping));
        let Turns { looping, wrapped, last_round } = turns;
        Cursor { position, glide, looping, wrapped, last_round, rounds: 0 }
    }

    /// Jumps to a frame.
    pub fn seek(&mut self, frame: u32) {
        let looping = self.looping.filter(|_| !self.last_round);
        *self = Cursor::new(frame, self.glide, looping);
        self.glide.moved();
    }

    /// Goes round no more: plays on past the loop's end.
    pub fn end_loop(&mut self) {
        let plays_out = self.active_loop().is_none() && !self.last_round;
        if plays_out || self.is_entering_seam() {
            // What comes next is the clip's own, as if it had never been round.
            (self.looping, self.wrapped) = (None, false);
        }
        self.last_round = true;
    }

    /// Goes round again, where to end the loop was no jump.
    pub fn loop_on(&mut self) {
        self.last_round = false;
    }

    /// Whether it reads the frames that lead into the loop's start: those of the clip's own end are
    /// others, so to leave the loop here is a jump. In a loop that is nothing but its seam it is one
    /// everywhere, once it is in it.
    pub fn is_entering_seam(&self) -> bool {
        self.active_loop().is_some_and(|range| {
            (self.wrapped && range.is_all_seam()) || self.frame() >= range.end - range.seam
        })
    }

    /// Turns towards another step. Towards one frame after the other it lands on whole frames, over
    /// the last `landing` frames of the way, or at once if it has no time.
    pub fn ramp_to(&mut self, step: u64, over: u32, landing: u32) {
        self.glide.ramp_to(step, over, landing);
        if over == 0 {
            self.arrive();
        }
    }

    /// Takes the step it was heading for at once. Nobody hears it, so that it may go back to the
    /// whole frame that it is on.
    pub fn arrive(&mut self) {
        self.glide.arrive();
        if self.glide.step() == ONE {
            self.position = self.position.floor();
        }
    }

    /// For how many frames its step will still change.
    pub fn gliding_for(&self) -> u32 {
        self.glide.remaining()
    }

    /// Its step, now, as a ratio to one frame after the other.
    pub fn ratio(&self) -> f32 {
        self.glide.ratio()
    }

    /// The same cursor, which keeps its present step.
    pub fn steady(&self) -> Cursor {
        Cursor { glide: Glide::rest(self.glide.step()), ..*self }
    }

    /// Whether it is where a sound begins.
    pub fn is_at_start(&self) -> bool {
        self.position == Position::START
    }

    /// The frame it is on.
    pub fn frame(&self) -> u32 {
        self.position.frame()
    }

    /// The loop, if it is going to wrap at its end.
    pub fn active_loop(&self) -> Option<Loop> {
        self.looping.filter(|range| !self.last_round && self.frame() < range.end)
    }

    /// The loop that it came round before its last round: what lies behind it is heard as that.
    fn loop_behind(&self) -> Option<Loop> {
        self.looping.filter(|_| self.last_round && self.wrapped)
    }

    /// Whether it is past the end of a clip of so many frames.
    pub fn is_over(&self, clip: usize) -> bool {
        self.frame() as usize >= self.edge(clip)
    }

    /// The frame at which it wraps or ends.
    fn edge(&self, clip: usize) -> usize {
        self.active_loop().map_or(clip, |range| range.end as usize)
    }

    /// The clip's own frames among those that it comes past before it wraps or ends.
    fn own(&self, clip: usize) -> Range<usize> {
        if let Some(Loop { start, end, seam }) = self.active_loop() {
            let first = if self.wrapped { start + seam } else { 0 };
            first as usize..(end - seam) as usize
        } else if let Some(Loop { start, seam, .. }) = self.loop_behind() {
            (start + seam) as usize..clip
        } else {
            0..clip
        }
    }

    /// Adds what it comes past to the mix. Returns for how many frames: all, unless it ended.
    /// Of a point, the mean of both sides is read.
    pub fn read(
        &mut self,
        sound: &Sound,
        is_point: bool,
        mix: Mix,
        gains: Gains,
        kernels: &Kernels,
    ) -> usize {
        let seam = sound.seam().map(|seam| &seam.frames);
        each_kind!(Samples, sound.samples(), clip => match is_point {
            false => self.read_clip(Clip::new(clip, seam), mix, gains, kernels),
            true => {
                self.read_clip(Clip::new(ClipFrame::points(clip), seam), mix, gains, kernels)
            }
        })
    }

    fn read_clip<F: ClipFrame>(
        &mut self,
        clip: Clip<F>,
        mut mix: Mix,
        gains: Gains,
        kernels: &Kernels,
    ) -> usize {
        let (frames, len) = (mix.len(), clip.own.len());
        let mut done = 0;
        while done < frames && !self.is_over(len) {
            if self.glide.is_landing() {
                self.glide.land(self.position.fraction());
            }
            let heading_for = self.active_loop();
            let (run, reading) = self.plan(len, frames - done, kernels);
            let (mix, gains) = (mix.part(done, run), gains.part(done, run));
            let (fraction, glide) = (u64::from(self.position.fraction()), self.glide);
            match reading {
                Reading::Copied { shelf, first } => {
                    kernels.copy(mix, clip.part(shelf, first, first + run), gains);
                }
                Reading::Between { shelf, first, end } => {
                    let part = clip.part(shelf, first, end);
                    kernels.interpolate(mix, part, fraction, glide, gains);
                }
                Reading::Window { first, len } => {
                    let mut window = [F::SILENCE; WINDOW];
                    for (index, frame) in (first..).zip(window.iter_mut().take(len)) {
                        *frame = self.unrolled(clip, index);
                    }
                    kernels.interpolate(mix, &window, fraction, glide, gains);
                }
            }
            self.advance(run as u32);
            self.wrap(heading_for);
            done += run;
        }
        done
    }

    /// If the coming frames are read from the clip's own at one step, and it neither wraps nor ends
    /// among them, moves on and says which they are, and how they are read.
    #[inline(always)]
    pub fn pass(
        &mut self,
        clip: usize,
        frames: u32,
        kernels: &Kernels,
    ) -> Option<(Range<usize>, Stride)> {
        if self.glide.remaining() > 0 {
            return None;
        }
        let (first, own) = (self.frame() as usize, self.own(clip));
        let step = self.glide.step();
        let end = self.position.checked_after(u64::from(frames), step)?;
        let after = end.frame() as usize;
        let (range, stride) = if self.is_unity() {
            (first..after, Stride::Whole)
        } else {
            let (taps, before) = kernels.taps();
            let range = first.checked_sub(before)?..after + taps - before;
            (range, Stride::Between { fraction: self.position.fraction(), step })
        };
        if range.start < own.start || range.end >= own.end {
            return None;
        }
        self.position = end;
        Some((range, stride))
    }

    /// Whether it meets the clip's own frames, one after the other.
    pub fn is_unity(&self) -> bool {
        self.is_at(ONE) && self.position.is_whole()
    }

    /// Whether it keeps this step.
    fn is_at(&self, step: u64) -> bool {
        self.glide.remaining() == 0 && self.glide.step() == step
    }

    /// How far the next run goes, and what it reads.
    fn plan(&self, clip: usize, most: usize, kernels: &Kernels) -> (usize, Reading) {
        let (edge, first) = (self.edge(clip) as i64, i64::from(self.frame()));
        let Stretch { shelf, origin, begin, end } = self.stretch(clip);
        if self.is_unity() {
            let run = most.min((end.min(edge) - first) as usize);
            return (run, Reading::Copied { shelf, first: (first - origin) as usize });
        }
        let most = match self.glide.straight() {
            0 => most,
            gliding => most.min(gliding as usize),
        };
        let (taps, before) = kernels.taps();
        let (taps, earliest) = (taps as i64, first - before as i64);
        // The last frame from which every neighbour still lies there.
        let last = (end - taps + before as i64).min(edge - 1);
        if earliest >= begin && first <= last {
            let run = self.position.steps_until(last as u32, self.glide.longest(), most);
            let (first, end) = ((earliest - origin) as usize, (end - origin) as usize);
            return (run, Reading::Between { shelf, first, end });
        }
        let last = (first + WINDOW as i64 - taps).min(edge - 1);
        let run = self.position.steps_until(last as u32, self.glide.longest(), most);
        let reach = self.position.after(run as u64 - 1, self.glide.longest());
        let len = i64::from(reach.frame()) - first + taps;
        (run, Reading::Window { first: earliest, len: len as usize })
    }

    /// What lies side by side in memory around the frame it is on.
    fn stretch(&self, clip: usize) -> Stretch {
        let (first, own) = (self.frame() as usize, self.own(clip));
        let (begin, end) = (own.start as i64, own.end as i64);
        if own.contains(&first) {
            return Stretch { shelf: Shelf::Own, origin: 0, begin, end };
        }
        // It goes into the seam, or comes out of it.
        let (turn, seam) = self.looping.map_or((0, 0), |range| {
            let turn = if first >= own.end { range.end } else { range.start };
            (i64::from(turn), i64::from(range.seam))
        });
        Stretch { shelf: Shelf::Seam, origin: turn - seam, begin: turn - seam, end: turn + seam }
    }

    /// A frame of the sound as it is heard: round and round, with silence before and after.
    fn unrolled<F: ClipFrame>(&self, clip: Clip<F>, index: i64) -> F {
        let active = self.active_loop();
        let Some(Loop { start, end, seam }) = active.or(self.loop_behind()) else {
            return clip.frame(Shelf::Own, index);
        };
        let (start, end, seam) = (i64::from(start), i64::from(end), i64::from(seam));
        let turned = match active {
            Some(_) => self.wrapped || index >= end,
            None => index < start + seam,
        };
        if active.is_none() && !turned {
            return clip.frame(Shelf::Own, index);
        }
        let around = || start + (index - start).rem_euclid((end - start).max(1));
        let index = if turned { around() } else { index };
        if index >= end - seam {
            clip.frame(Shelf::Seam, index - (end - seam))
        } else if turned && index < start + seam {
            clip.frame(Shelf::Seam, index - (start - seam))
        } else {
            clip.frame(Shelf::Own, index)
        }
    }

    fn advance(&mut self, frames: u32) {
        if self.glide.remaining() == 0 {
            self.position = self.position.after(u64::from(frames), self.glide.step());
            return;
        }
        self.position.glide(&mut self.glide, frames);
        // It has landed: what is missing was lost in rounding, less than is heard.
        if self.is_at(ONE) {
            self.position = self.position.round();
        }
    }

    /// Goes back to the loop's start if it was heading for its end and has passed it.
    fn wrap(&mut self, heading_for: Option<Loop>) {
        let Some(Loop { start, end, .. }) = heading_for else { return };
        if self.position >= Position::at(end) {
            let rounds;
            (self.position, rounds) = self.position.wrapped(start, end);
            self.rounds = self.rounds.wrapping_add(rounds);
            self.wrapped = true;
        }
    }

    /// After how many of the coming frames it will have come to its end, if it will: exactly, whatever its step
    /// does on the way.
    pub fn ends_within(&self, clip: usize, frames: u32) -> Option<u32> {
        // Who is far from it need not be followed step by step. A landing adds no more than a frame or two.
        let farthest = self.position.far_after(u64::from(frames), self.glide.longest());
        let far = farthest + Position::far_at(2) < (clip as u128) << 32;
        if self.active_loop().is_some() || far {
            return None;
        }
        let (mut cursor, mut done) = (*self, 0);
        while cursor.gliding_for() > 0 && done < frames && !cursor.is_over(clip) {
            if cursor.glide.is_landing() {
                cursor.glide.land(cursor.position.fraction());
            }
            cursor.advance(1);
            done += 1;
        }
        if cursor.is_over(clip) {
            return Some(done);
        }
        let rest = cursor.position.steps_to_end(clip, cursor.glide.step());
        (rest <= u64::from(frames - done)).then(|| done + rest as u32)
    }

    /// Moves on in silence, at one speed, any number of frames at once. Returns after how many it
    /// ended, if it did.
    pub fn skip(&mut self, clip: usize, frames: u64) -> Option<u64> {
        self.arrive();
        let step = self.glide.step();
        let reached = self.position.far_after(frames, step);
        let Some(Loop { start, end, .. }) = self.active_loop() else {
            if reached >= (clip as u128) << 32 {
                return Some(self.position.steps_to_end(clip, step));
            }
            self.position = Position::of_far(reached);
            return None;
        };
        let (start, end) = (Position::far_at(start), Position::far_at(end));
        if reached < end {
            self.position = Position::of_far(reached);
            return None;
        }
        let (far, round) = (reached - start, (end - start).max(1));
        self.position = Position::of_far(start + far % round);
        (self.wrapped, self.rounds) = (true, self.rounds.wrapping_add((far / round) as u32));
        None
    }
}

/// What there is to read of a sound.
#[derive(Clone, Copy)]
struct Clip<'a, F> {
    own: &'a [F],
    seam: &'a [F],
}

/// Where a frame is kept: among the clip's own, or among those around the seam of its loop.
#[derive(Clone, Copy)]
enum Shelf {
    Own,
    Seam,
}

impl<'a, F: ClipFrame> Clip<'a, F> {
    fn new(own: &'a [F], seam: Option<&'a Samples>) -> Clip<'a, F> {
        Clip { own, seam: seam.and_then(F::clip).unwrap_or_default() }
    }

    fn part(&self, shelf: Shelf, first: usize, end: usize) -> &'a [F] {
        let frames = match shelf {
            Shelf::Own => self.own,
            Shelf::Seam => self.seam,
        };
        frames.get(first..end).unwrap_or_default()
    }

    /// One frame, or silence where there is none.
    fn frame(&self, shelf: Shelf, at: i64) -> F {
        let part = usize::try_from(at).map_or(&[][..], |at| self.part(shelf, at, at + 1));
        part.first().copied().unwrap_or(F::SILENCE)
    }
}

/// Frames that lie side by side: those that are heard from `begin` to `end`. The shelf's first is
/// heard at `origin`.
struct Stretch {
    shelf: Shelf,
    origin: i64,
    begin: i64,
    end: i64,
}

/// How a run is read.
enum Reading {
    /// A shelf's frames from `first` on, one for each.
    Copied { shelf: Shelf, first: usize },
    /// A shelf's frames from `first` to `end`, between the samples.
    Between { shelf: Shelf, first: usize, end: usize },
    /// `len` frames from `first` on, as they will be heard, laid out side by side.
    Window { first: i64, len: usize },
}

#[cfg(test)]
mod tests;
