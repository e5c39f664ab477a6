//! A voice that reads a sound which is in memory as a whole, and the place in it that it has come to.

use std::ops::Range;

use super::cursor::Cursor;
use super::glide::Glide;
use crate::audio::kernel::{Gains, Kernels, Mix, Stride, prefetch};
use crate::link::message::{Loop, Tone};
use crate::sound::{Samples, Sound};

/// A sound, how far the voice has come in it, and how fast it goes.
pub(in crate::audio) struct ClipSource {
    sound: Sound,
    cursor: Cursor,
    /// How fast as it was asked for, whatever the rates.
    speed: f32,
    /// Whether the mean of both sides is heard on either.
    is_point: bool,
    /// Whether its loop was ended on this line. What it leaves behind on it goes round all the same: that of
    /// a stream does, of which only what lies before the loop's end has been read.
    left_loop: bool,
}

impl ClipSource {
    /// Begins on a frame of a sound, for a mixer that runs at `rate`.
    pub fn new(
        sound: Sound,
        frame: u32,
        looping: Option<Loop>,
        speed: f32,
        rate: u32,
    ) -> ClipSource {
        let step = Glide::step_for(speed, sound.sample_rate(), rate);
        let cursor = Cursor::new(frame, Glide::rest(step), looping);
        ClipSource { cursor, sound, speed, is_point: false, left_loop: false }
    }

    /// All of it is heard from one point: of both sides their mean.
    pub fn make_point(&mut self) {
        self.is_point = !self.sound.samples().is_mono();
    }

    /// Whether the mean of both sides is heard on either. A mono sound is a point anyway.
    pub fn is_point(&self) -> bool {
        self.is_point
    }

    /// Lets go of it: the sound goes home.
    pub fn into_sound(self) -> Sound {
        self.sound
    }

    pub fn samples(&self) -> &Samples {
        self.sound.samples()
    }

    /// The frame it is on.
    pub fn frame(&self) -> u32 {
        self.cursor.frame()
    }

    /// Whether it is where the sound begins.
    pub fn is_at_start(&self) -> bool {
        self.cursor.is_at_start()
    }

    /// Whether it has come to its end.
    pub fn is_over(&self) -> bool {
        self.cursor.is_over(self.sound.frame_count())
    }

    /// If the coming frames are one run of the clip's own, and it has not ended after them, moves on
    /// and says which they are, and how they are read. Asks the memory for them.
    #[inline(always)]
    pub fn take_run(&mut self, frames: u32, kernels: &Kernels) -> Option<(Range<usize>, Stride)> {
        let samples = self.sound.samples();
        let run = self.cursor.pass(samples.frame_count(), frames, kernels)?;
        prefetch(samples, run.0.start);
        Some(run)
    }

    /// Adds the coming frames to the mix. Returns how many: all, unless it ended.
    pub fn read(&mut self, mix: Mix, gains: Gains, kernels: &Kernels) -> usize {
        self.cursor.read(&self.sound, self.is_point, mix, gains, kernels)
    }

    /// Adds the coming frames at its present speed, and stays where it is.
    pub fn read_ahead(&self, mix: Mix, gains: Gains, kernels: &Kernels) {
        let mut cursor = self.cursor.steady();
        if self.left_loop {
            cursor.loop_on();
        }
        cursor.read(&self.sound, self.is_point, mix, gains, kernels);
    }

    /// Moves on in silence, no further than to its end.
    pub fn skip(&mut self, frames: u64) {
        self.cursor.skip(self.sound.frame_count(), frames);
    }

    /// After how many frames it will have come to its end, unless it loops.
    pub fn ends_after(&self) -> Option<u64> {
        let mut cursor = self.cursor;
        cursor.skip(self.sound.frame_count(), u64::MAX)
    }

    /// After how many of the coming frames it will have come to its end, if it will.
    pub fn ends_within(&self, frames: u32) -> Option<u32> {
        self.cursor.ends_within(self.sound.frame_count(), frames)
    }

    /// Jumps to a frame of the sound.
    pub fn seek(&mut self, frame: u32) {
        self.cursor.seek(frame);
        self.left_loop = false;
    }

    /// Loops no more.
    pub fn end_loop(&mut self) {
        self.left_loop |= self.cursor.active_loop().is_some() && !self.cursor.is_entering_seam();
        self.cursor.end_loop();
    }

    /// The line on which it was told to loop no more is over.
    pub fn forget_loop(&mut self) {
        self.left_loop = false;
    }

    /// Whether to end the loop now makes it jump: it reads the frames around the loop's seam.
    pub fn end_loop_jumps(&self) -> bool {
        self.cursor.is_entering_seam()
    }

    /// Goes at this speed at first.
    pub fn begin_at(&mut self, speed: f32, rate: u32) {
        let step = Glide::step_for(speed, self.sound.sample_rate(), rate);
        self.cursor.ramp_to(step, 0, 0);
    }

    /// Goes at another speed, over so many frames, of which the last `landing` bring it back to whole
    /// frames if the new speed reads them one after the other.
    pub fn set_speed(&mut self, speed: f32, over: u32, landing: u32, rate: u32) {
        self.speed = speed;
        let step = Glide::step_for(speed, self.sound.sample_rate(), rate);
        self.cursor.ramp_to(step, over, landing);
    }

    /// For how many frames it will be.
    pub fn gliding_for(&self) -> u32 {
        self.cursor.gliding_for()
    }

    /// How fast it goes now, whatever the rates.
    pub fn speed_now(&self, rate: u32) -> f32 {
        let ratio = f64::from(rate) / f64::from(self.sound.sample_rate());
        (f64::from(self.cursor.ratio()) * ratio) as f32
    }

    /// Goes at its new speed at once: nobody hears it.
    pub fn finish_glide(&mut self) {
        self.cursor.arrive();
    }

    /// The power of all that it has still to play, in the ear's time and the near counting more, at
    /// these gains of the two sides, through these filters.
    pub fn power(&self, sides: [f32; 2], tones: Option<&[Tone; 2]>) -> f64 {
        self.power_from(&self.cursor, sides, tones)
    }

    /// The same for what it has still to play after so many frames.
    pub fn power_after(&self, frames: u32, sides: [f32; 2], tones: Option<&[Tone; 2]>) -> f64 {
        let mut cursor = self.cursor;
        match cursor.skip(self.sound.frame_count(), u64::from(frames)) {
            Some(_) => 0.0,
            None => self.power_from(&cursor, sides, tones),
        }
    }

    fn power_from(&self, cursor: &Cursor, sides: [f32; 2], tones: Option<&[Tone; 2]>) -> f64 {
        let sides = if self.is_point { IN_THE_MEAN } else { sides };
        let looping = cursor.active_loop().map(|range| (range.start, range.end));
        let (envelope, frame) = (self.sound.envelope(), cursor.frame());
        let Some(tones) = tones else {
            return envelope.power(frame, looping, self.speed, sides);
        };
        let gain = |hz| tones.iter().fold(1.0, |gain, tone| gain * tone.gain(hz));
        envelope.power_through(frame, looping, self.speed, sides, gain)
    }
}

/// What counts of each side of a stereo sound of which the mean is heard. Were the two alike, all of their
/// power would be in the mean, and half of it, were they strangers: most are in between.
pub(super) const IN_THE_MEAN: [f32; 2] = [0.866_025_4; 2];
