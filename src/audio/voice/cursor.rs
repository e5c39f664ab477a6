//! Where a voice is in its sound, and how it moves: steps, loops, and the clip's two ends.

use std::ops::Range;

use super::ramp::{Glide, ONE};
use crate::audio::kernel::{ClipFrame, Gains, Kernels, Mix, SINC_TAPS};
use crate::link::message::Loop;
use crate::sound::{Samples, Sound};

/// How many frames are laid out side by side where a run crosses an edge.
const WINDOW: usize = 4 * SINC_TAPS;

/// What is less than a frame.
const FRACTION: u64 = ONE - 1;

/// A place in a sound. A position beyond the loop's end plays out unlooped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::audio) struct Cursor {
    pub position: u64,
    pub glide: Glide,
    looping: Option<Loop>,
    /// Whether it has been round: only then lies the loop's end before its start. A loop that is
    /// nothing but its seam is heard as if it always had been: all of it is near its end.
    wrapped: bool,
}

impl Cursor {
    pub fn new(frame: u32, glide: Glide, looping: Option<Loop>) -> Cursor {
        let wrapped = looping.is_some_and(Loop::is_all_seam);
        Cursor { position: u64::from(frame) << 32, glide, looping, wrapped }
    }

    /// Jumps to a frame.
    pub fn seek(&mut self, frame: u32) {
        *self = Cursor::new(frame, self.glide, self.looping);
        self.glide.moved();
    }

    /// Turns towards another step. Towards one frame after the other it lands on whole frames, over
    /// the last `landing` frames of the way, or at once if it has no time.
    pub fn ramp_to(&mut self, step: u64, over: u32, landing: u32) {
        self.glide.head_for(step, over, landing);
        if over == 0 {
            self.arrive();
        }
    }

    /// Takes the step it was heading for at once. Nobody hears it, so that it may go back to the
    /// whole frame that it is on.
    pub fn arrive(&mut self) {
        self.glide.arrive();
        if self.glide.step() == ONE {
            self.position &= !FRACTION;
        }
    }

    /// The frame it is on.
    pub fn frame(&self) -> u32 {
        (self.position >> 32) as u32
    }

    /// The loop, if it is going to turn there.
    pub fn ahead(&self) -> Option<Loop> {
        self.looping.filter(|range| self.frame() < range.end)
    }

    /// Whether it is past the end of a clip of so many frames.
    pub fn is_over(&self, clip: usize) -> bool {
        self.frame() as usize >= self.edge(clip)
    }

    /// The frame at which it turns or ends.
    fn edge(&self, clip: usize) -> usize {
        self.ahead().map_or(clip, |range| range.end as usize)
    }

    /// The clip's own frames among those that it comes past before it turns or ends.
    fn own(&self, clip: usize) -> Range<usize> {
        let Some(Loop { start, end, seam }) = self.ahead() else { return 0..clip };
        let first = if self.wrapped { start + seam } else { 0 };
        first as usize..(end - seam) as usize
    }

    /// Adds what it comes past to the mix. Returns for how many frames: all, unless it ended.
    pub fn read(&mut self, sound: &Sound, mix: Mix, gains: Gains, kernels: &Kernels) -> usize {
        let seam = sound.seam().map(|seam| &seam.frames);
        match sound.samples() {
            Samples::Mono16(clip) => self.read_clip(Clip::new(clip, seam), mix, gains, kernels),
            Samples::Stereo16(clip) => self.read_clip(Clip::new(clip, seam), mix, gains, kernels),
            Samples::Mono32(clip) => self.read_clip(Clip::new(clip, seam), mix, gains, kernels),
            Samples::Stereo32(clip) => self.read_clip(Clip::new(clip, seam), mix, gains, kernels),
        }
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
                self.glide.land(self.position as u32);
            }
            let turns = self.ahead();
            let left = frames - done;
            let (run, source) = self.plan(len, left, kernels);
            let (mix, gains) = (mix.part(done, run), gains.part(done, run));
            let (fraction, glide) = (u64::from(self.position as u32), self.glide);
            match source {
                Source::Plain { shelf, first } => {
                    kernels.copy(mix, clip.part(shelf, first, first + run), gains);
                }
                Source::Between { shelf, first, end } => {
                    let part = clip.part(shelf, first, end);
                    kernels.interpolate(mix, part, fraction, glide, gains);
                }
                Source::Window { first, len } => {
                    let mut window = [F::SILENCE; WINDOW];
                    for (index, frame) in (first..).zip(window.iter_mut().take(len)) {
                        *frame = self.unrolled(clip, index);
                    }
                    kernels.interpolate(mix, &window, fraction, glide, gains);
                }
            }
            self.walk(run as u32);
            self.turn(turns);
            done += run;
        }
        done
    }

    /// If the coming frames are the clip's own, and neither turn nor end among them, moves on and
    /// says where they begin.
    pub fn pass(&mut self, clip: usize, frames: u32) -> Option<usize> {
        let (first, own) = (self.frame() as usize, self.own(clip));
        if !self.is_plain() || first < own.start || first + frames as usize >= own.end {
            return None;
        }
        self.walk(frames);
        Some(first)
    }

    /// Whether it meets the clip's own frames, one after the other.
    pub fn is_plain(&self) -> bool {
        self.is_at(ONE) && self.position & FRACTION == 0
    }

    /// Whether it keeps this step.
    fn is_at(&self, step: u64) -> bool {
        self.glide.left() == 0 && self.glide.step() == step
    }

    /// How far the next run goes, and what it reads.
    fn plan(&self, clip: usize, left: usize, kernels: &Kernels) -> (usize, Source) {
        let (edge, first) = (self.edge(clip) as i64, i64::from(self.frame()));
        let Stretch { shelf, origin, begin, end } = self.stretch(clip);
        if self.is_plain() {
            let run = left.min((end.min(edge) - first) as usize);
            return (run, Source::Plain { shelf, first: (first - origin) as usize });
        }
        let left = match self.glide.straight() {
            0 => left,
            gliding => left.min(gliding as usize),
        };
        let (taps, before) = kernels.taps();
        let (taps, earliest) = (taps as i64, first - before as i64);
        // The last frame from which every neighbour still lies there.
        let last = (end - taps + before as i64).min(edge - 1);
        if earliest >= begin && first <= last {
            let run = self.frames_until(last as usize, left);
            let (first, end) = ((earliest - origin) as usize, (end - origin) as usize);
            return (run, Source::Between { shelf, first, end });
        }
        let last = (first + WINDOW as i64 - taps).min(edge - 1);
        let run = self.frames_until(last as usize, left);
        let reach = self.position + (run as u64 - 1) * self.glide.longest();
        let len = (reach >> 32) as i64 - first + taps;
        (run, Source::Window { first: earliest, len: len as usize })
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

    /// How many steps begin on a frame up to `last`: at least 1, at most `most`.
    fn frames_until(&self, last: usize, most: usize) -> usize {
        let way = ((last as u64) << 32 | FRACTION) - self.position;
        let (longest, most) = (self.glide.longest(), most as u64);
        // Most runs are not cut, and a product is sooner there than a quotient.
        if (most - 1) * longest <= way {
            return most as usize;
        }
        (way / longest) as usize + 1
    }

    /// A frame of the sound as it is heard: round and round, with silence before and after.
    fn unrolled<F: ClipFrame>(&self, clip: Clip<F>, index: i64) -> F {
        let Some(Loop { start, end, seam }) = self.ahead() else {
            return clip.frame(Shelf::Own, index);
        };
        let (start, end, seam) = (i64::from(start), i64::from(end), i64::from(seam));
        let turned = self.wrapped || index >= end;
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

    fn walk(&mut self, frames: u32) {
        if self.glide.left() == 0 {
            self.position += self.glide.step() * u64::from(frames);
            return;
        }
        for _ in 0..frames {
            self.glide.walk(&mut self.position);
        }
        self.glide.count(frames);
        // It has landed: what is missing was lost in rounding, less than is heard.
        if self.is_at(ONE) {
            self.position = (self.position + ONE / 2) & !FRACTION;
        }
    }

    /// Goes back to the loop's start if it was heading for its end and has passed it.
    fn turn(&mut self, turns: Option<Loop>) {
        let Some(Loop { start, end, .. }) = turns else { return };
        let (start, end) = (u64::from(start) << 32, u64::from(end) << 32);
        if self.position >= end {
            self.position = start + (self.position - start) % (end - start).max(1);
            self.wrapped = true;
        }
    }

    /// Moves on in silence, at one speed, any number of frames at once. Returns after how many it
    /// ended, if it did.
    pub fn skip(&mut self, clip: usize, frames: u64) -> Option<u64> {
        self.arrive();
        let step = self.glide.step();
        let reached = u128::from(self.position) + u128::from(step) * u128::from(frames);
        let Some(Loop { start, end, .. }) = self.ahead() else {
            let end = (clip as u64) << 32;
            if reached >= u128::from(end) {
                return Some(end.saturating_sub(self.position).div_ceil(step));
            }
            self.position = reached as u64;
            return None;
        };
        let (start, end) = (u128::from(start) << 32, u128::from(end) << 32);
        self.wrapped |= reached >= end;
        let turned = |beyond| start + (beyond - start) % (end - start).max(1);
        self.position = if reached < end { reached } else { turned(reached) } as u64;
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

/// What a run reads from.
enum Source {
    /// A shelf's frames from `first` on, one for each.
    Plain { shelf: Shelf, first: usize },
    /// A shelf's frames from `first` to `end`, between the samples.
    Between { shelf: Shelf, first: usize, end: usize },
    /// `len` frames from `first` on, as they will be heard, laid out side by side.
    Window { first: i64, len: usize },
}

#[cfg(test)]
mod tests;
