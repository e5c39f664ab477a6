//! One voice of the naive mixer: plain fields, moved one frame at a time.

use std::time::Duration;

use voicepool::{Frame, Interpolation, Priority, WhenFull};

use super::bus::{self, Bus};
use super::clip::{Clip, power_of_a_fade};
use super::dice::Terms;
use super::ghost::Ghost;
use super::joins::Leaving;
use super::naive::Why;
use super::ramp::{Ramp, Speed};
use super::shaper::{Shape, Shaper};
use super::spot::Spot;

/// To sixteen bits and no more, so that what is alike but for the rounding is alike.
fn rounded(level: f64) -> f64 {
    if level == 0.0 {
        return 0.0;
    }
    let unit = 2f64.powi(level.log2().floor() as i32 - 16);
    (level / unit).round() * unit
}

/// A play that has a voice, is parked, or was robbed and fades out.
#[derive(Clone, Debug)]
pub struct Voice {
    pub number: u64,
    pub clip: usize,
    pub cue: Option<Terms>,
    pub born: u64,
    pub bus: usize,
    pub priority: Priority,
    pub when_full: WhenFull,
    pub parks: bool,
    pub position: u64,
    pub wrapped: bool,
    pub looping: Option<(u64, u64)>,
    /// The loop that it has been round, and will go round no more.
    pub behind: Option<(u64, u64)>,
    /// Its own as it was asked for, and the pace of its bus that it goes at.
    pub own_speed: f32,
    pub pace: f32,
    pub speed: Speed,
    /// Its filters and sends as they were asked for, and as they are while it plays.
    pub shape: Shape,
    pub shaper: Option<Shaper>,
    pub gain: Ramp,
    pub pan: [Ramp; 2],
    /// Where it is, if it has a place, and what is heard of that on both sides.
    pub spot: Option<Spot>,
    pub around: [Ramp; 2],
    pub fade: Ramp,
    pub hold: Ramp,
    pub mute: Ramp,
    /// What those make of it that were merged into it.
    pub boost: Ramp,
    pub stopping: bool,
    pub heard: bool,
    /// Its own part of its level when it was last asked for, and whether it was to go first then.
    pub rank: f64,
    pub first: bool,
    /// While it is parked: the line before which it may not come back, and since when it would
    /// take a place back.
    pub guarded: u64,
    pub louder_since: Option<u64>,
    /// Who goes for it when it begins, and over which time.
    pub comes_for: Option<(Leaving, Duration)>,
    /// If it was told on this line to loop no more, or is a stream that has jumped, where it is still heard from.
    pub left: Option<Place>,
    /// What it leaves behind there: that of when it was first told to jump on this line.
    pub drawn: Option<Box<Ghost>>,
}

/// Where in its clip a voice is, and how it goes on from there.
#[derive(Clone, Debug)]
pub struct Place {
    position: u64,
    wrapped: bool,
    looping: Option<(u64, u64)>,
    behind: Option<(u64, u64)>,
    speed: Speed,
    /// Whether what comes next is the same as from there, as long as both are at one position.
    pub leads_on: bool,
}

impl Voice {
    /// The buses it goes through.
    pub fn way<'a>(&self, buses: &'a [Bus]) -> impl Iterator<Item = &'a Bus> + use<'a> {
        bus::way(buses, self.bus).into_iter().map(|bus| &buses[bus])
    }

    /// Its own gains, but for the pan.
    fn gains(&self) -> [&Ramp; 5] {
        [&self.gain, &self.fade, &self.hold, &self.mute, &self.boost]
    }

    /// Whether it stands still.
    pub fn is_held(&self, buses: &[Bus]) -> bool {
        self.hold.is_silent() || self.way(buses).any(|bus| bus.hold.is_silent())
    }

    pub fn is_sounding(&self, buses: &[Bus]) -> bool {
        self.heard && !self.is_held(buses)
    }

    /// Whether it is heard from where it is: who was told to come up on this line, or whose bus was, is not yet.
    pub fn leaves_something(&self, buses: &[Bus]) -> bool {
        let has_come_up = |hold: &Ramp| hold.now() > 0.0;
        self.is_sounding(buses)
            && has_come_up(&self.hold)
            && self.way(buses).all(|bus| has_come_up(&bus.hold))
    }

    /// The loop, if it will turn there.
    pub fn turns(&self) -> Option<(u64, u64)> {
        self.turns_from(self.position >> 32)
    }

    fn turns_from(&self, frame: u64) -> Option<(u64, u64)> {
        self.looping.filter(|(_, end)| frame < *end)
    }

    pub fn is_over(&self, clip: &Clip) -> bool {
        self.position >> 32 >= clip.frames.len() as u64
    }

    /// Why nobody can hear it, if so.
    pub fn inaudible(&self, buses: &[Bus], declick: u64) -> Option<Why> {
        // What falls silent within 5 ms will have before anybody could hear it.
        let silent = |ramp: &Ramp| ramp.to == 0.0 && ramp.left() <= declick;
        if silent(&self.hold) || self.way(buses).any(|bus| silent(&bus.hold)) {
            Some(Why::Paused)
        } else if [&self.gain, &self.fade, &self.mute].into_iter().any(silent)
            || self.around.iter().all(silent)
            || self.way(buses).any(|bus| silent(&bus.gain) || silent(&bus.mute))
        {
            Some(Why::Inaudible)
        } else {
            None
        }
    }

    /// How loud is what it would still play, before its bus and the master, at the mixer's rate.
    pub fn own_level(&self, clip: &Clip, rate: u32) -> f64 {
        let sides = if !clip.stereo {
            [1.0; 2]
        } else if self.spot.is_some() {
            // The mean of both sides has from a half to all of their power: three quarters.
            [0.75f64.sqrt(); 2]
        } else {
            let [left, right] = self.sides();
            [left.max(self.pan[0].to), right.max(self.pan[1].to)].map(f64::from)
        };
        let step = self.speed.target();
        let speed = step * f64::from(rate) / f64::from(clip.rate);
        let ahead_of = |frame| clip.power_ahead(frame, self.turns_from(frame), speed, sides);
        let mut power = ahead_of(self.position >> 32);
        if self.stopping {
            let left = self.fade.left();
            let beyond = ahead_of(self.frame_after(left, step));
            power = power_of_a_fade(power, beyond, left as f64 / f64::from(rate));
        }
        // In single precision and in this order, as levels are kept: else a rounding would decide between
        // two that are as loud but for their sides.
        let gain = self.gains().iter().fold(self.promised_by_place(), |all, it| all * it.promise());
        rounded(f64::from(gain * self.shape.spread() * power.sqrt() as f32))
    }

    /// What its place makes of its level: the power of both sides, now or where they are going.
    fn promised_by_place(&self) -> f32 {
        let power = |[left, right]: [f32; 2]| 0.5 * (left * left + right * right);
        let now = power(self.around.each_ref().map(Ramp::now));
        now.max(power(self.around.each_ref().map(|side| side.to))).sqrt()
    }

    /// Whether nothing is heard of it any more where it is.
    pub fn has_left_earshot(&self) -> bool {
        self.falls_silent_with_distance() && self.around[0].left() == 0
    }

    /// Whether it has a place from which nothing is heard, or is on its way to one.
    pub fn falls_silent_with_distance(&self) -> bool {
        self.spot.is_some() && self.around.iter().all(|side| side.to == 0.0)
    }

    /// Where it will be after so many frames of this step.
    fn frame_after(&self, frames: u64, step: f64) -> u64 {
        let position = self.position as f64 / 4_294_967_296.0 + frames as f64 * step;
        match self.turns() {
            Some((start, end)) if position >= end as f64 => {
                start + ((position - end as f64) % (end - start) as f64) as u64
            }
            _ => position as u64,
        }
    }

    /// How loud it would be through its bus as it is now, before the master.
    pub fn level(&self, own: f64, buses: &[Bus]) -> f64 {
        let way = bus::way(buses, self.bus).into_iter().filter(|bus| *bus != 0);
        way.fold(own, |level, bus| level * buses[bus].promise())
    }

    /// Comes up from silence, no faster than what is heard may change; but the beginning of a
    /// sound that was not heard yet is left as it is, unless it was asked to take its time.
    pub fn rise(&mut self, fade: u64, declick: u64) {
        let begins = !self.heard && self.position == 0 && fade == 0;
        self.hold.hurry(1.0, if begins { 0 } else { fade.max(declick) });
    }

    /// Goes round no more, but on to the clip's end.
    pub fn end_loop(&mut self) {
        if let Some(range) = self.looping.take() {
            self.behind = Some(range).filter(|_| self.wrapped);
        }
    }

    pub fn place(&self) -> Place {
        let Voice { position, wrapped, looping, behind, speed, .. } = self.clone();
        Place { position, wrapped, looping, behind, speed, leads_on: true }
    }

    /// Whether it is heard from elsewhere than where it is.
    pub fn is_heard_elsewhere(&self) -> bool {
        let elsewhere = |left: &Place| !left.leads_on || left.position != self.position;
        self.left.as_ref().is_some_and(elsewhere)
    }

    /// As it is heard: at the place that it has left, if that is still so.
    pub fn as_heard(&self) -> Voice {
        let mut voice = self.clone();
        if let Some(Place { position, wrapped, looping, behind, speed, .. }) = voice.left.take() {
            (voice.position, voice.wrapped, voice.speed) = (position, wrapped, speed);
            (voice.looping, voice.behind) = (looping, behind);
        }
        voice
    }

    /// Jumps; what was heard before is somebody else's to fade out.
    pub fn seek(&mut self, frame: u64, declick: u64) {
        self.left = None;
        self.go_to(frame);
        self.come_up(declick);
    }

    pub fn go_to(&mut self, frame: u64) {
        (self.position, self.wrapped, self.behind) = (frame << 32, false, None);
        self.speed.aim_again();
    }

    /// Comes up where it has jumped to.
    pub fn come_up(&mut self, declick: u64) {
        let (held, left) = (self.hold.to == 0.0, self.hold.left());
        self.hold = Ramp::rest(0.0);
        if !held {
            // What comes up slowly, because it was asked to, goes on doing so.
            self.rise(if left > declick { left } else { 0 }, declick);
        }
    }

    /// Goes on without being heard; what bent its speed does so no more already.
    pub fn hush(&mut self) {
        self.left = None;
        self.hold = Ramp::rest(self.hold.to);
        self.speed.arrive();
        self.stay_on_frames();
    }

    /// A step of one frame, taken up in silence, is taken up from the frame it is on.
    pub fn stay_on_frames(&mut self) {
        if self.speed.at == self.speed.over && self.speed.is_own() {
            self.position = self.position >> 32 << 32;
        }
    }

    /// What it adds to the next frame.
    pub fn sound(
        &self,
        clip: &Clip,
        buses: &[Bus],
        between: Interpolation,
        sinc: &[[f64; 16]],
    ) -> Frame {
        // The way out first, then what is its own, then its pan, then its place.
        let way = bus::gains_to_submix(buses, self.bus, self.shaper.is_some());
        let gain: f32 = way.into_iter().chain(self.gains()).map(Ramp::now).product();
        let [left, right] = self.read(clip, between, sinc);
        let [to_left, to_right] = self.sides();
        let [near, far] = self.around.each_ref().map(Ramp::now);
        [left * (gain * to_left * near), right * (gain * to_right * far)]
    }

    /// The gains of the two sides. On their way from one pair to another they keep their power.
    pub fn sides(&self) -> [f32; 2] {
        let [left, right] = [self.pan[0].now(), self.pan[1].now()];
        if self.pan[0].left() == 0 {
            return [left, right];
        }
        let scale = (2.0 / (left * left + right * right)).sqrt();
        [left * scale, right * scale]
    }

    /// Moves on by a frame. True if it has arrived at its end, or has faded out.
    pub fn walk(&mut self, clip: &Clip) -> bool {
        let turns = self.turns();
        self.speed.aim(self.position);
        self.position += self.speed.step();
        if self.speed.at < self.speed.over {
            self.speed.at += 1;
            if self.speed.at == self.speed.over && self.speed.is_own() {
                // There but for what was rounded on the way.
                self.position = (self.position + (1 << 31)) >> 32 << 32;
            }
        }
        if let Some((start, end)) = turns.filter(|(_, end)| self.position >> 32 >= *end) {
            let beyond = self.position - (end << 32);
            self.position = (start << 32) + beyond % ((end - start) << 32);
            self.wrapped = true;
        }
        let Voice { gain, fade, hold, mute, boost, .. } = self;
        [gain, fade, hold, mute, boost].into_iter().for_each(Ramp::step);
        self.pan.iter_mut().chain(&mut self.around).for_each(Ramp::step);
        self.is_over(clip) || (self.stopping && self.fade.left() == 0)
    }

    fn read(&self, clip: &Clip, between: Interpolation, sinc: &[[f64; 16]]) -> Frame {
        let fraction = (self.position & 0xffff_ffff) as f64 / 4_294_967_296.0;
        let untouched = self.speed.at == self.speed.over && self.speed.is_own();
        if untouched && fraction == 0.0 {
            return self.tap(clip, 0);
        }
        let tap = |k: i64| self.tap(clip, k).map(f64::from);
        let sum = |taps: &[([f64; 2], f64)]| {
            [0, 1].map(|c| taps.iter().map(|(tap, weight)| tap[c] * weight).sum::<f64>() as f32)
        };
        match between {
            Interpolation::Linear => sum(&[(tap(0), 1.0 - fraction), (tap(1), fraction)]),
            Interpolation::Cubic => {
                let (t, t2, t3) = (fraction, fraction.powi(2), fraction.powi(3));
                sum(&[
                    (tap(-1), 0.5 * (-t + 2.0 * t2 - t3)),
                    (tap(0), 0.5 * (2.0 - 5.0 * t2 + 3.0 * t3)),
                    (tap(1), 0.5 * (t + 4.0 * t2 - 3.0 * t3)),
                    (tap(2), 0.5 * (-t2 + t3)),
                ])
            }
            _ => {
                let (row, blend) = ((fraction * 256.0) as usize, (fraction * 256.0).fract());
                let weight = |i: usize| sinc[row][i] * (1.0 - blend) + sinc[row + 1][i] * blend;
                let taps: Vec<_> = (0..16).map(|i| (tap(i as i64 - 7), weight(i))).collect();
                sum(&taps)
            }
        }
    }

    /// A neighbour, as if the loop were unrolled; silence before and after the clip.
    fn tap(&self, clip: &Clip, k: i64) -> Frame {
        let mut index = (self.position >> 32) as i64 + k;
        if let Some((start, end)) = self.turns() {
            let (start, end) = (start as i64, end as i64);
            while index >= end {
                index -= end - start;
            }
            while self.wrapped && index < start {
                index += end - start;
            }
        } else if let Some((start, end)) = self.behind {
            while index < start as i64 {
                index += (end - start) as i64;
            }
        }
        if index < 0 {
            return [0.0; 2];
        }
        let [left, right] = clip.frames.get(index as usize).copied().unwrap_or_default();
        // What has a place is a point.
        if self.spot.is_some() { [0.5 * (left + right); 2] } else { [left, right] }
    }
}
