//! A cursor on a stream: it knows how far it has come since it was ordered from somewhere, and reads frames that lie
//! side by side wherever they are.

use std::ops::Range;

use super::{Cursor, Glide, ONE, Position};
use crate::audio::kernel::{ClipFrame, Gains, Kernels, Mix, Stride};
use crate::link::feed::{OldPlace, Turns};

impl Cursor {
    /// One that is where another was, and goes on at the step that it had.
    pub fn resume(place: &OldPlace) -> Cursor {
        let OldPlace { position, step, turns, rounds, .. } = *place;
        let Turns { looping, wrapped, last_round } = turns;
        let (position, glide) = (Position::of_far(u128::from(position)), Glide::rest(step));
        Cursor { position, glide, looping, wrapped, last_round, rounds }
    }

    /// Where it is, for one that is to go on from there. It has come there by this order, which began at
    /// a frame of the file, and in a file of so many frames.
    pub fn place(&self, epoch: u32, origin: u32, clip: u32) -> OldPlace {
        OldPlace {
            epoch,
            origin,
            clip,
            position: self.position.far_after(0, 0) as u64,
            step: self.glide.step(),
            turns: self.turns(),
            rounds: self.rounds,
        }
    }

    /// How it goes round.
    pub fn turns(&self) -> Turns {
        let Cursor { looping, wrapped, last_round, .. } = *self;
        Turns { looping, wrapped, last_round }
    }

    /// Counts its rounds from here on.
    pub fn count_rounds(&mut self) {
        self.rounds = 0;
    }

    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// How many frames it has come past since it was on a frame and began to count its rounds.
    pub fn travelled(&self, from: u32) -> u64 {
        let round = self.looping.map_or(0, |range| range.end - range.start);
        let far = u64::from(self.rounds) * u64::from(round) + u64::from(self.frame());
        far.saturating_sub(u64::from(from))
    }

    /// Goes round no more, and on wherever it is: what it reads ends before the next turn.
    pub fn play_out(&mut self) {
        self.last_round = true;
    }

    /// Learns how long its clip really is: a loop cannot go on behind its end.
    pub fn shorten(&mut self, clip: u32) {
        let Some(range) = self.looping.filter(|range| range.end > clip && clip > 0) else { return };
        let range = range.shortened(clip);
        self.looping = Some(range);
        if !self.last_round {
            self.wrap(Some(range));
        }
    }

    /// Adds one run of frames that lie side by side, of which it is on the one at `here`, and may come past
    /// so many. Returns how many frames of the mix that made.
    pub fn read_run<F: ClipFrame>(
        &mut self,
        frames: &[F],
        here: usize,
        past: u32,
        mut mix: Mix,
        gains: Gains,
        kernels: &Kernels,
    ) -> usize {
        let heading_for = self.active_loop();
        let run = self.run(past, mix.len());
        let (mix, gains) = (mix.part(0, run), gains.part(0, run));
        if self.is_unity() {
            kernels.copy(mix, frames.get(here..here + run).unwrap_or_default(), gains);
        } else {
            let (_, before) = kernels.taps();
            let part = frames.get(here.saturating_sub(before)..).unwrap_or_default();
            let (fraction, glide) = (u64::from(self.position.fraction()), self.glide);
            kernels.interpolate(mix, part, fraction, glide, gains);
        }
        self.advance(run as u32);
        self.wrap(heading_for);
        run
    }

    /// Moves on without being heard, no further than to its end. Returns how many frames of the mix that
    /// took.
    pub fn run_unheard(&mut self, clip: usize, frames: usize) -> usize {
        let mut done = 0;
        while done < frames && !self.is_over(clip) {
            let heading_for = self.active_loop();
            let past = self.edge(clip) as u32 - self.frame();
            let run = self.run(past, frames - done);
            self.advance(run as u32);
            self.wrap(heading_for);
            done += run;
        }
        done
    }

    /// How many frames of the mix it makes at the most until it has come past so many of the clip's.
    fn run(&mut self, past: u32, most: usize) -> usize {
        if self.glide.is_landing() {
            self.glide.land(self.position.fraction());
        }
        if self.is_unity() {
            return most.min(past as usize);
        }
        let most = match self.glide.straight() {
            0 => most,
            gliding => most.min(gliding as usize),
        };
        let last = self.frame() + past.max(1) - 1;
        self.position.steps_until(last, self.glide.longest(), most)
    }

    /// Goes on by so many frames of the clip, to a turn at the most.
    pub fn hop(&mut self, frames: u32) {
        let heading_for = self.active_loop();
        self.position = self.position.after(u64::from(frames), ONE);
        self.wrap(heading_for);
    }

    /// How many frames of the clip it may come past while so many of the mix are made.
    pub fn reach(&self, frames: u32) -> u64 {
        let far = u128::from(self.glide.longest().max(self.glide.step())) * u128::from(frames);
        (far >> 32) as u64 + 1
    }

    /// The same as [`pass`](Cursor::pass), among frames that lie side by side.
    #[inline(always)]
    pub fn pass_run(
        &mut self,
        here: usize,
        past: u32,
        clip: usize,
        frames: u32,
        kernels: &Kernels,
    ) -> Option<(Range<usize>, Stride)> {
        if self.glide.remaining() > 0 {
            return None;
        }
        let step = self.glide.step();
        let end = self.position.checked_after(u64::from(frames), step)?;
        let came_past = end.frame().checked_sub(self.frame())?;
        if came_past >= past || end.frame() as usize >= self.edge(clip) {
            return None;
        }
        let after = here + came_past as usize;
        let (range, stride) = if self.is_unity() {
            (here..after, Stride::Whole)
        } else {
            let (taps, before) = kernels.taps();
            let range = here.checked_sub(before)?..after + taps - before;
            (range, Stride::Between { fraction: self.position.fraction(), step })
        };
        self.position = end;
        Some((range, stride))
    }
}
