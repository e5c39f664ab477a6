//! A voice that reads a stream: blocks of it that have arrived from the decoding thread.
//!
//! Its cursor is where the voice would be if the whole file were in memory, and moves whether or not there
//! is anything to read. When it jumps, the old place is heard until there is enough of the new one, which
//! goes on meanwhile: so those that jump together stay together, whichever arrives first.

use std::ops::Range;

use super::clip::IN_THE_MEAN;
use super::cursor::Cursor;
use super::glide::Glide;
use super::intake::{FAR_AHEAD, MOST_WANTED, MOST_WANTED_BESIDE, Reading, Shelf};
use crate::audio::kernel::{ClipFrame, Gains, Kernels, Mix, SINC_TAPS, Stride, prefetch_all};
use crate::link::feed::{Block, MARGIN, Mark, OldPlace, Supply, Tap};
use crate::link::message::{Loop, Tone};
use crate::link::remains::Remains;
use crate::sound::{Samples, Sound, each_kind};

/// What the margins have to spare: no interpolator reads beyond them.
const _: usize = MARGIN - SINC_TAPS;

/// A stream, how far the voice has come in it, and how fast it goes.
pub(in crate::audio) struct StreamSource {
    sound: Sound,
    tap: Box<Tap>,
    /// Where it is, whatever is there to be read.
    cursor: Cursor,
    /// How fast as it was asked for, whatever the rates.
    speed: f32,
    /// Whether the mean of both sides is heard on either.
    is_point: bool,
    /// Where the latest run was read.
    shelf: Shelf,
}

impl StreamSource {
    pub fn new(
        sound: Sound,
        tap: Box<Tap>,
        frame: u32,
        looping: Option<Loop>,
        speed: f32,
        rate: u32,
    ) -> StreamSource {
        let step = Glide::step_for(speed, sound.sample_rate(), rate);
        let cursor = Cursor::new(frame, Glide::rest(step), looping);
        let shelf = Shelf::Head(0);
        let mut stream = StreamSource { sound, tap, cursor, speed, is_point: false, shelf };
        // It was ordered when it was asked for, unless it was told otherwise while it waited.
        if stream.tap.origin != frame || stream.tap.order.turns != cursor.turns() {
            stream.order();
        }
        stream
    }

    pub fn make_point(&mut self) {
        self.is_point = self.sound.channels() > 1;
    }

    pub fn is_point(&self) -> bool {
        self.is_point
    }

    pub fn into_sound(self) -> Sound {
        if let Some(feed) = self.sound.feed() {
            feed.give_tap(self.tap);
            feed.end();
        }
        self.sound
    }

    /// Asks for all from here on.
    fn order(&mut self) {
        if self.tap.supply == Supply::Resting {
            return;
        }
        self.cursor.count_rounds();
        self.tap.give_order(self.cursor.frame(), self.cursor.turns());
        self.tap.send_order(self.sound.feed());
    }

    // Where it is.

    pub fn frame(&self) -> u32 {
        self.cursor.frame()
    }

    pub fn is_at_start(&self) -> bool {
        self.cursor.is_at_start()
    }

    pub fn is_over(&self) -> bool {
        self.cursor.is_over(self.clip())
    }

    fn clip(&self) -> usize {
        self.tap.clip as usize
    }

    /// What is heard: by which order, from where, of a file of how many frames.
    fn heard(&self) -> (Cursor, Reading, u32) {
        match &self.tap.old {
            Some(old) => (Cursor::resume(old), Reading::of(old), old.clip),
            None => (self.cursor, self.reading(), self.tap.clip),
        }
    }

    /// What is read at its place.
    fn reading(&self) -> Reading {
        Reading { epoch: self.tap.order.epoch, origin: self.tap.origin }
    }

    // Reading.

    pub fn samples(&self) -> &Samples {
        let block = self.tap.block(self.shelf);
        block.map_or(self.sound.samples(), |block| &block.samples)
    }

    #[inline(always)]
    pub fn take_run(&mut self, frames: u32, kernels: &Kernels) -> Option<(Range<usize>, Stride)> {
        if self.tap.old.is_some() {
            return None;
        }
        let (shelf, into) = self.tap.find(&self.cursor, self.reading())?;
        let block = self.tap.block(shelf)?;
        if block.is_last {
            self.cursor.play_out();
        }
        let (here, past) = (MARGIN + into as usize, block.len - into);
        let run = self.cursor.pass_run(here, past, self.tap.clip as usize, frames, kernels)?;
        prefetch_all(&block.samples, run.0.clone());
        self.shelf = shelf;
        Some(run)
    }

    pub fn read(&mut self, mix: Mix, gains: Gains, kernels: &Kernels) -> usize {
        let Some(old) = self.tap.old else {
            let (mut cursor, reading) = (self.cursor, self.reading());
            let done = self.read_with(&mut cursor, reading, self.tap.clip, mix, gains, kernels);
            self.cursor = cursor;
            return done;
        };
        let frames = self.cursor.run_unheard(self.tap.clip as usize, mix.len());
        let (mut cursor, reading, clip) = self.heard();
        self.read_with(&mut cursor, reading, clip, mix, gains, kernels);
        self.tap.old = Some(cursor.place(old.epoch, old.origin, clip));
        frames
    }

    pub fn read_ahead(&self, mix: Mix, gains: Gains, kernels: &Kernels) {
        let (cursor, reading, clip) = self.heard();
        self.read_with(&mut cursor.steady(), reading, clip, mix, gains, kernels);
    }

    /// Adds what a cursor comes past to the mix, and silence where there is nothing. Returns for how many
    /// frames: all, unless it ended.
    fn read_with(
        &self,
        cursor: &mut Cursor,
        reading: Reading,
        clip: u32,
        mut mix: Mix,
        gains: Gains,
        kernels: &Kernels,
    ) -> usize {
        let (frames, clip) = (mix.len(), clip as usize);
        let mut done = 0;
        while done < frames && !cursor.is_over(clip) {
            let found = self.tap.find(cursor, reading);
            let found = found.and_then(|(shelf, into)| Some((self.tap.block(shelf)?, into)));
            let Some((block, into)) = found else {
                return done + cursor.run_unheard(clip, frames - done);
            };
            if block.is_last {
                cursor.play_out();
            }
            let (here, past) = (MARGIN + into as usize, block.len - into);
            let (mix, gains) = (mix.part(done, frames - done), gains.part(done, frames - done));
            done += each_kind!(Samples, &block.samples, all => match self.is_point {
                false => cursor.read_run(all, here, past, mix, gains, kernels),
                true => {
                    cursor.read_run(ClipFrame::points(all), here, past, mix, gains, kernels)
                }
            });
        }
        done
    }

    pub fn skip(&mut self, frames: u64) {
        self.cursor.skip(self.clip(), frames);
    }

    pub fn ends_after(&self) -> Option<u64> {
        let mut cursor = self.cursor;
        cursor.skip(self.clip(), u64::MAX)
    }

    // Jumping.

    /// Goes on at a frame. What was heard until now is heard on, until it can cross over; returns whether
    /// there is nothing of that kind.
    pub fn seek(&mut self, frame: u32, is_heard: bool) -> bool {
        self.leave_place(is_heard, false);
        self.cursor.seek(frame);
        self.order();
        self.tap.old.is_none()
    }

    /// Whether to loop no more makes it go on elsewhere.
    pub fn end_loop_jumps(&self) -> bool {
        self.cursor.is_entering_seam()
    }

    /// Loops no more. Returns whether that made it jump, and nothing else is heard meanwhile.
    pub fn end_loop(&mut self, is_heard: bool) -> bool {
        let mut after = self.cursor;
        after.end_loop();
        if after == self.cursor {
            return false;
        }
        let jumps = self.cursor.is_entering_seam();
        let loops = self.cursor.active_loop().is_some();
        if loops {
            self.leave_place(is_heard, !jumps);
        }
        self.cursor = after;
        if loops {
            self.order();
        }
        jumps && self.tap.old.is_none()
    }

    /// Lets what was heard until now be heard on. `leads_on`: what comes next is the same, as long as both
    /// are at one place.
    fn leave_place(&mut self, is_heard: bool, leads_on: bool) {
        if !is_heard {
            self.leave_unheard();
        } else if self.tap.old.is_some() {
            self.tap.leads_on &= leads_on;
        } else if self.tap.supply == Supply::Flowing {
            let Reading { epoch, origin } = self.reading();
            self.tap.old = Some(self.cursor.place(epoch, origin, self.tap.clip));
            self.tap.leads_on = leads_on;
        }
    }

    /// Nothing is heard on until there is enough of what comes next.
    fn leave_unheard(&mut self) {
        self.tap.old = None;
        if self.tap.supply == Supply::Flowing {
            self.tap.supply = Supply::Fresh;
        }
    }

    /// Whether it waits to be heard from another place.
    pub fn is_crossing(&self) -> bool {
        self.tap.old.is_some()
    }

    /// Whether that is really another place than where it is heard from now.
    pub fn is_elsewhere(&self) -> bool {
        self.tap.old.is_some_and(|old| {
            let OldPlace { position, .. } = self.cursor.place(old.epoch, old.origin, old.clip);
            !self.tap.leads_on || position != old.position
        })
    }

    /// What was to be left behind when it was first told to jump on a line.
    pub fn remains_mut(&mut self) -> &mut Remains {
        &mut self.tap.remains
    }

    /// Is heard from where it is.
    pub fn cross_over(&mut self) {
        self.tap.old = None;
    }

    // What there is to read.

    /// Takes in what has arrived, and sends back what was read. Tells of each block that has come.
    pub fn take_in(&mut self, came: &mut dyn FnMut(Mark)) {
        let (place, old) = ((self.cursor, self.reading()), self.tap.old);
        let Some(feed) = self.sound.feed() else { return };
        self.tap.send_order(Some(feed));
        let old_place = old.as_ref().map(|old| (Cursor::resume(old), Reading::of(old)));
        self.tap.take_in(feed, place, old_place, came);
        if let Some(left) = self.tap.left_of_last(&self.cursor, self.reading()) {
            self.cursor.play_out();
            self.tap.clip = self.cursor.frame().saturating_add(left);
        }
        if self.tap.is_broken {
            return;
        }
        self.cursor.shorten(self.tap.clip);
        if let Some((mut cursor, reading)) = old_place {
            cursor.shorten(self.tap.clip);
            self.tap.old = Some(cursor.place(reading.epoch, reading.origin, self.tap.clip));
        }
    }

    /// Whether nothing is to be seen to while so many frames of the mix are made: that there was enough is known
    /// from before.
    pub fn is_calm(&self, frames: u32) -> bool {
        let travelled = self.cursor.travelled(self.tap.origin);
        travelled + self.cursor.reach(frames) <= self.tap.calm_until
    }

    /// All is well: sees for how long that is so.
    pub fn calm_down(&mut self) {
        let ahead = self.tap.ahead(&self.cursor, self.reading(), self.tap.clip, FAR_AHEAD);
        let travelled = self.cursor.travelled(self.tap.origin);
        self.tap.calm_until = ahead.map_or(0, |far| travelled + far);
    }

    /// Whether what it has read from where it is lasts for so many frames of the mix, or for as many as can
    /// be read ahead.
    pub fn has(&self, frames: u32) -> bool {
        let reach = self.cursor.reach(frames).min(self.most_wanted());
        self.tap.has(&self.cursor, self.reading(), self.tap.clip, reach)
    }

    /// The same for what is heard.
    pub fn has_heard(&self, frames: u32) -> bool {
        let (cursor, reading, clip) = self.heard();
        self.tap.has(&cursor, reading, clip, cursor.reach(frames).min(self.most_wanted()))
    }

    /// Whether it goes so fast that not enough can be read ahead for so many frames of the mix.
    pub fn is_too_fast(&self, frames: u32) -> bool {
        self.cursor.reach(frames) > self.most_wanted()
    }

    fn most_wanted(&self) -> u64 {
        if self.is_crossing() { MOST_WANTED_BESIDE } else { MOST_WANTED }
    }

    /// Whether nobody waits any more for what it lacks.
    pub fn is_given_up(&self) -> bool {
        self.tap.is_given_up
    }

    pub fn set_given_up(&mut self, is_given_up: bool) {
        self.tap.is_given_up = is_given_up;
    }

    pub fn ends_within(&self, frames: u32) -> Option<u32> {
        self.cursor.ends_within(self.clip(), frames)
    }

    pub fn supply(&self) -> Supply {
        self.tap.supply
    }

    /// How it is off from now on.
    pub fn set_supply(&mut self, supply: Supply) {
        self.tap.supply = supply;
    }

    /// The gain that it had before it lacked something.
    pub fn boost_mut(&mut self) -> &mut f32 {
        &mut self.tap.boost
    }

    /// Nobody reads it: what has arrived goes back.
    pub fn rest(&mut self) {
        if self.tap.supply == Supply::Resting {
            return;
        }
        (self.tap.supply, self.tap.calm_until) = (Supply::Resting, 0);
        self.tap.old = None;
        let reading = self.reading();
        let Some(feed) = self.sound.feed() else { return };
        self.tap.rest(feed, &self.cursor, reading);
    }

    /// It is read again, from where it is.
    pub fn wake(&mut self) {
        self.tap.supply = Supply::Fresh;
        self.order();
    }

    // Speed.

    pub fn begin_at(&mut self, speed: f32, rate: u32) {
        let step = Glide::step_for(speed, self.sound.sample_rate(), rate);
        self.cursor.ramp_to(step, 0, 0);
    }

    pub fn set_speed(&mut self, speed: f32, over: u32, landing: u32, rate: u32) {
        // At once: nobody hears it. What leads on from its old place would not any more.
        if over == 0 && self.is_crossing() && !self.is_elsewhere() {
            self.leave_unheard();
        }
        self.speed = speed;
        let step = Glide::step_for(speed, self.sound.sample_rate(), rate);
        self.cursor.ramp_to(step, over, landing);
    }

    pub fn gliding_for(&self) -> u32 {
        self.cursor.gliding_for()
    }

    pub fn speed_now(&self, rate: u32) -> f32 {
        let ratio = f64::from(rate) / f64::from(self.sound.sample_rate());
        (f64::from(self.cursor.ratio()) * ratio) as f32
    }

    pub fn finish_glide(&mut self) {
        self.cursor.arrive();
    }

    // How loud it is.

    /// The power of what is heard of it, as if it went on like the block that it is in; or was in last.
    pub fn power(&self, sides: [f32; 2], tones: Option<&[Tone; 2]>) -> f64 {
        let (cursor, reading, _) = self.heard();
        let found = self.tap.find(&cursor, reading);
        let found = found.and_then(|(shelf, into)| Some((self.tap.block(shelf)?, into)));
        let known = || self.tap.last.as_deref().or(self.tap.head.first());
        let Some((block, into)) = found.or_else(|| Some((known()?, 0))) else { return 0.0 };
        self.power_in(block, into, sides, tones)
    }

    /// The same for what it has still to play after so many frames.
    pub fn power_after(&self, frames: u32, sides: [f32; 2], tones: Option<&[Tone; 2]>) -> f64 {
        if self.ends_within(frames).is_some() { 0.0 } else { self.power(sides, tones) }
    }

    fn power_in(
        &self,
        Block { envelope, len, .. }: &Block,
        into: u32,
        sides: [f32; 2],
        tones: Option<&[Tone; 2]>,
    ) -> f64 {
        let sides = if self.is_point { IN_THE_MEAN } else { sides };
        let around = Some((0, *len));
        let Some(tones) = tones else {
            return envelope.power(into, around, self.speed, sides);
        };
        let gain = |hz| tones.iter().fold(1.0, |gain, tone| gain * tone.gain(hz));
        envelope.power_through(into, around, self.speed, sides, gain)
    }
}
