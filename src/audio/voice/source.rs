//! Where a voice reads from: a sound that is in memory, or a stream.

use std::ops::Range;

use super::clip::ClipSource;
use super::stream::StreamSource;
use crate::audio::kernel::{Gains, Kernels, Mix, Stride};
use crate::link::message::{Loop, Tone};
use crate::sound::{Samples, Sound};

/// What a voice reads, how far it has come, and how fast it goes.
pub(in crate::audio) enum Source {
    Clip(ClipSource),
    Stream(StreamSource),
}

/// Does the same with either.
macro_rules! either {
    ($source:expr, $it:ident => $body:expr) => {
        match $source {
            Source::Clip($it) => $body,
            Source::Stream($it) => $body,
        }
    };
}

impl Source {
    /// Begins on a frame of a sound, for a mixer that runs at `rate`.
    pub fn new(sound: Sound, frame: u32, looping: Option<Loop>, speed: f32, rate: u32) -> Source {
        match sound.feed().and_then(|feed| feed.take_tap()) {
            None => Source::Clip(ClipSource::new(sound, frame, looping, speed, rate)),
            Some(tap) => Source::Stream(StreamSource::new(sound, tap, frame, looping, speed, rate)),
        }
    }

    /// The stream that it reads, if it is one.
    pub fn stream(&self) -> Option<&StreamSource> {
        match self {
            Source::Clip(_) => None,
            Source::Stream(stream) => Some(stream),
        }
    }

    pub fn stream_mut(&mut self) -> Option<&mut StreamSource> {
        match self {
            Source::Clip(_) => None,
            Source::Stream(stream) => Some(stream),
        }
    }

    /// All of it is heard from one point: of both sides their mean.
    pub fn make_point(&mut self) {
        either!(self, it => it.make_point());
    }

    /// Whether the mean of both sides is heard on either. A mono sound is a point anyway.
    pub fn is_point(&self) -> bool {
        either!(self, it => it.is_point())
    }

    /// Lets go of it: the sound goes home.
    pub fn into_sound(self) -> Sound {
        either!(self, it => it.into_sound())
    }

    /// The frames among which the latest run lies.
    pub fn samples(&self) -> &Samples {
        either!(self, it => it.samples())
    }

    /// The frame it is on.
    pub fn frame(&self) -> u32 {
        either!(self, it => it.frame())
    }

    /// Whether it is where the sound begins.
    pub fn is_at_start(&self) -> bool {
        either!(self, it => it.is_at_start())
    }

    /// Whether it has come to its end.
    pub fn is_over(&self) -> bool {
        either!(self, it => it.is_over())
    }

    /// If the coming frames are one run of what lies side by side, and it has not ended after them, moves on
    /// and says which they are, and how they are read. Asks the memory for them.
    #[inline(always)]
    pub fn take_run(&mut self, frames: u32, kernels: &Kernels) -> Option<(Range<usize>, Stride)> {
        match self {
            Source::Clip(clip) => clip.take_run(frames, kernels),
            Source::Stream(stream) => stream.take_run(frames, kernels),
        }
    }

    /// Adds the coming frames to the mix. Returns how many: all, unless it ended.
    pub fn read(&mut self, mix: Mix, gains: Gains, kernels: &Kernels) -> usize {
        either!(self, it => it.read(mix, gains, kernels))
    }

    /// Adds the coming frames at its present speed, and stays where it is.
    pub fn read_ahead(&self, mix: Mix, gains: Gains, kernels: &Kernels) {
        either!(self, it => it.read_ahead(mix, gains, kernels));
    }

    /// Moves on in silence, no further than to its end.
    pub fn skip(&mut self, frames: u64) {
        either!(self, it => it.skip(frames));
    }

    /// After how many frames it will have come to its end, unless it loops.
    pub fn ends_after(&self) -> Option<u64> {
        either!(self, it => it.ends_after())
    }

    /// After how many of the coming frames it will have come to its end, if it will: exactly, whatever its
    /// speed does on the way.
    pub fn ends_within(&self, frames: u32) -> Option<u32> {
        either!(self, it => it.ends_within(frames))
    }

    /// Jumps to a frame of the sound. Returns whether it is there: of a stream, the old place may be heard
    /// until it [crosses over](StreamSource::cross_over).
    pub fn seek(&mut self, frame: u32, is_heard: bool) -> bool {
        match self {
            Source::Clip(clip) => {
                clip.seek(frame);
                true
            }
            Source::Stream(stream) => stream.seek(frame, is_heard),
        }
    }

    /// Loops no more. Returns whether that made it jump.
    pub fn end_loop(&mut self, is_heard: bool) -> bool {
        match self {
            Source::Clip(clip) => {
                let jumps = clip.end_loop_jumps();
                clip.end_loop();
                jumps
            }
            Source::Stream(stream) => stream.end_loop(is_heard),
        }
    }

    /// Whether to end the loop now makes it jump at once: it reads the frames around the loop's seam.
    pub fn end_loop_jumps(&self) -> bool {
        match self {
            Source::Clip(clip) => clip.end_loop_jumps(),
            Source::Stream(stream) => stream.end_loop_jumps(),
        }
    }

    /// What it leaves behind goes round no more either. A stream sees to that when it
    /// [crosses over](StreamSource::cross_over).
    pub fn forget_loop(&mut self) {
        if let Source::Clip(clip) = self {
            clip.forget_loop();
        }
    }

    /// Goes at this speed at first.
    pub fn begin_at(&mut self, speed: f32, rate: u32) {
        either!(self, it => it.begin_at(speed, rate));
    }

    /// Goes at another speed, over so many frames, of which the last `landing` bring it back to whole
    /// frames if the new speed reads them one after the other.
    pub fn set_speed(&mut self, speed: f32, over: u32, landing: u32, rate: u32) {
        either!(self, it => it.set_speed(speed, over, landing, rate));
    }

    /// Whether its speed is still on its way.
    pub fn is_gliding(&self) -> bool {
        self.gliding_for() > 0
    }

    /// For how many frames it will be.
    pub fn gliding_for(&self) -> u32 {
        either!(self, it => it.gliding_for())
    }

    /// How fast it goes now, whatever the rates.
    pub fn speed_now(&self, rate: u32) -> f32 {
        either!(self, it => it.speed_now(rate))
    }

    /// Goes at its new speed at once: nobody hears it.
    pub fn finish_glide(&mut self) {
        either!(self, it => it.finish_glide());
    }

    /// The power of all that it has still to play, in the ear's time and the near counting more, at
    /// these gains of the two sides, through these filters.
    pub fn power(&self, sides: [f32; 2], tones: Option<&[Tone; 2]>) -> f64 {
        either!(self, it => it.power(sides, tones))
    }

    /// The same for what it has still to play after so many frames.
    pub fn power_after(&self, frames: u32, sides: [f32; 2], tones: Option<&[Tone; 2]>) -> f64 {
        either!(self, it => it.power_after(frames, sides, tones))
    }
}
