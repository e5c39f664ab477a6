//! One voice of the naive mixer: plain fields, moved one frame at a time.

use voicepool::{Frame, Interpolation, Priority, WhenFull};

use super::bus::{self, Bus};
use super::clip::{Clip, power_of_a_fade};
use super::filter::{Filters, HIGH_OFF, LOW_OFF};
use super::naive::{Change, Why};
use super::submix::ROOMS;

/// A gain on its way.
#[derive(Clone, Debug)]
pub struct Ramp {
    from: f32,
    pub to: f32,
    at: u64,
    over: u64,
}

impl Ramp {
    pub fn rest(value: f32) -> Ramp {
        Ramp { from: value, to: value, at: 0, over: 0 }
    }

    pub fn head_for(&mut self, to: f32, over: u64) {
        *self = Ramp { from: self.now(), to, at: 0, over };
    }

    /// The same; but if it is on its way there already, it is there no later than it would be.
    pub fn hurry(&mut self, to: f32, over: u64) {
        if self.to != to || over < self.left() {
            self.head_for(to, over);
        }
    }

    /// Whether it is there sooner than it would have been.
    pub fn is_hurried_since(&self, before: &Ramp) -> bool {
        self.to == before.to && self.left() < before.left()
    }

    pub fn now(&self) -> f32 {
        if self.left() == 0 {
            return self.to;
        }
        self.from + (self.to - self.from) * (self.at as f32 * (1.0 / self.over as f32))
    }

    pub fn left(&self) -> u64 {
        self.over - self.at
    }

    pub fn is_silent(&self) -> bool {
        self.left() == 0 && self.to == 0.0
    }

    /// A rising ramp counts at its target, a falling one at its present value.
    pub fn promise(&self) -> f32 {
        self.now().max(self.to)
    }

    pub fn step(&mut self) {
        self.at = self.over.min(self.at + 1);
    }
}

/// Frames of a sound for each frame of the mixer, in 32.32 fixed point, on their way. Kept with
/// 15 more bits, so that a slow change does not stand still.
#[derive(Clone, Debug)]
pub struct Speed {
    from: i64,
    slope: i64,
    to: i64,
    at: i64,
    over: i64,
    /// Over how many of its last frames it comes onto a frame, if its target is one a frame.
    last: i64,
    /// What it adds to each of these, once it is known.
    more: Option<i64>,
}

/// A frame of a sound, as finely as speeds are kept.
const FINE_FRAME: i128 = 1 << 47;

impl Speed {
    pub fn rest(ratio: f64) -> Speed {
        let to = ((ratio * 4_294_967_296.0).round() as i64).clamp(1, 1 << 47);
        Speed { from: to << 15, slope: 0, to, at: 0, over: 0, last: 0, more: None }
    }

    fn fine(&self) -> i64 {
        if self.at == self.over {
            return self.to << 15;
        }
        self.from + self.at * self.slope + self.more.unwrap_or(0)
    }

    pub fn head_for(&mut self, ratio: f64, over: u64, last: u64) {
        let (from, Speed { to, .. }) = (self.fine(), Speed::rest(ratio));
        let slope = if over == 0 { 0 } else { ((to << 15) - from) / over as i64 };
        let (over, last) = (over as i64, last as i64);
        *self = Speed { from, slope, to, at: 0, over, last, more: None };
    }

    fn is_own(&self) -> bool {
        self.to == 1 << 32
    }

    /// Near its end, finds what its frames must add so that it ends on a whole frame.
    fn aim(&mut self, position: u64) {
        let left = self.over - self.at;
        if !self.is_own() || left == 0 || left > self.last || self.more.is_some() {
            return;
        }
        let steps: Vec<i64> = (0..left).map(|n| self.fine() + n * self.slope).collect();
        let end =
            i128::from(position) * (1 << 15) + steps.iter().map(|s| i128::from(*s)).sum::<i128>();
        let below = end / FINE_FRAME * FINE_FRAME;
        let nearest = if end - below < FINE_FRAME / 2 { below } else { below + FINE_FRAME };
        let more = |whole: i128| ((whole - end) / i128::from(left)) as i64;
        let backwards = steps.iter().any(|step| step + more(nearest) < 0);
        self.more = Some(more(if backwards { nearest + FINE_FRAME } else { nearest }));
    }

    /// Forgets it, because it is elsewhere now. What it added it keeps until then.
    fn aim_again(&mut self) {
        self.from += self.more.take().unwrap_or(0);
    }

    pub fn step(&self) -> u64 {
        (self.fine() >> 15) as u64
    }

    /// Moves on by a frame.
    pub fn walk(&mut self) {
        self.at = self.over.min(self.at + 1);
    }

    /// The longest step until it is there.
    pub fn longest(&self) -> u64 {
        let last = self.from + self.over * self.slope;
        (self.fine().max(if self.left() == 0 { 0 } else { last }) >> 15) as u64
    }

    /// How many frames it is still on its way.
    pub fn left(&self) -> u64 {
        (self.over - self.at) as u64
    }

    /// Keeps the speed it has.
    pub fn freeze(&mut self) {
        let to = self.fine() >> 15;
        *self = Speed { from: to << 15, slope: 0, to, at: 0, over: 0, last: 0, more: None };
    }

    /// What it is heading for, in frames of the sound for each frame of the mixer.
    fn target(&self) -> f64 {
        self.to as f64 / 4_294_967_296.0
    }

    /// Has the speed it was heading for.
    pub fn arrive(&mut self) {
        self.at = self.over;
    }
}

/// To sixteen bits and no more, so that what is alike but for the rounding is alike.
fn rounded(level: f64) -> f64 {
    if level == 0.0 {
        return 0.0;
    }
    let unit = 2f64.powi(level.log2().floor() as i32 - 16);
    (level / unit).round() * unit
}

/// What shapes a voice or a bus beside its gains: cut-offs in Hz, and what is sent to each room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    pub low_pass: f32,
    pub high_pass: f32,
    pub sends: [f32; ROOMS],
}

impl Shape {
    pub const PLAIN: Shape = Shape { low_pass: LOW_OFF, high_pass: HIGH_OFF, sends: [0.0; ROOMS] };

    pub fn change(&mut self, change: Change) {
        match change {
            Change::LowPass(hz, _) => self.low_pass = hz,
            Change::HighPass(hz, _) => self.high_pass = hz,
            Change::Send(room, to, _) => self.sends[room] = to,
            _ => (),
        }
    }
}

/// The same as it is, frame by frame.
#[derive(Clone, Debug)]
pub struct Shaper {
    pub filters: Filters,
    pub sends: [Ramp; ROOMS],
}

impl Shaper {
    pub fn new(shape: &Shape, rate: u32) -> Shaper {
        let filters = Filters::set(shape.low_pass, shape.high_pass, rate);
        Shaper { filters, sends: shape.sends.map(Ramp::rest) }
    }

    pub fn turn(&mut self, change: Change, over: u64, declick: u64, rate: u32) {
        match change {
            Change::LowPass(hz, _) => self.filters.low.turn(hz, over, declick, rate),
            Change::HighPass(hz, _) => self.filters.high.turn(hz, over, declick, rate),
            Change::Send(room, to, _) => self.sends[room].head_for(to, over),
            _ => unreachable!("nothing else shapes"),
        }
    }
}

/// A play that has a voice, is parked, or was robbed and fades out.
#[derive(Clone, Debug)]
pub struct Voice {
    pub number: u64,
    pub clip: usize,
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
    pub fade: Ramp,
    pub hold: Ramp,
    pub mute: Ramp,
    pub stopping: bool,
    pub heard: bool,
    /// Its own part of its level when it was last asked for, and whether it was to go first then.
    pub rank: f64,
    pub first: bool,
    /// While it is parked: the line before which it may not come back, and since when it would
    /// take a place back.
    pub guarded: u64,
    pub louder_since: Option<u64>,
}

impl Voice {
    /// The buses it goes through.
    pub fn way<'a>(&self, buses: &'a [Bus]) -> impl Iterator<Item = &'a Bus> + use<'a> {
        bus::way(buses, self.bus).into_iter().map(|bus| &buses[bus])
    }

    /// Its own gains, but for the pan.
    fn gains(&self) -> [&Ramp; 4] {
        [&self.gain, &self.fade, &self.hold, &self.mute]
    }

    /// Whether it stands still.
    pub fn is_held(&self, buses: &[Bus]) -> bool {
        self.hold.is_silent() || self.way(buses).any(|bus| bus.hold.is_silent())
    }

    pub fn is_sounding(&self, buses: &[Bus]) -> bool {
        self.heard && !self.is_held(buses)
    }

    /// The loop, if it will turn there.
    fn turns(&self) -> Option<(u64, u64)> {
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
            || self.way(buses).any(|bus| silent(&bus.gain) || silent(&bus.mute))
        {
            Some(Why::Inaudible)
        } else {
            None
        }
    }

    /// How loud is what it would still play, before its bus and the master, at the mixer's rate.
    pub fn own_level(&self, clip: &Clip, rate: u32) -> f64 {
        let sides = if clip.stereo {
            let [left, right] = self.sides();
            [left.max(self.pan[0].to), right.max(self.pan[1].to)].map(f64::from)
        } else {
            [1.0; 2]
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
        let gains = self.gains().map(|ramp| f64::from(ramp.promise()));
        let sent: f64 = self.shape.sends.iter().map(|send| f64::from(*send).powi(2)).sum();
        rounded(power.sqrt() * gains.iter().product::<f64>() * (1.0 + sent).sqrt())
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

    /// Jumps; what was heard before is somebody else's to fade out.
    pub fn seek(&mut self, frame: u64, declick: u64) {
        (self.position, self.wrapped, self.behind) = (frame << 32, false, None);
        self.speed.aim_again();
        let (held, left) = (self.hold.to == 0.0, self.hold.left());
        self.hold = Ramp::rest(0.0);
        if !held {
            // What comes up slowly, because it was asked to, goes on doing so.
            self.rise(if left > declick { left } else { 0 }, declick);
        }
    }

    /// Goes on without being heard.
    pub fn hush(&mut self) {
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
        // The way out first, then what is its own, then the sides.
        let way = bus::gains_to_submix(buses, self.bus, self.shaper.is_some());
        let gain: f32 = way.into_iter().chain(self.gains()).map(Ramp::now).product();
        let [left, right] = self.read(clip, between, sinc);
        let [to_left, to_right] = self.sides();
        [left * (gain * to_left), right * (gain * to_right)]
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
        for ramp in [&mut self.gain, &mut self.fade, &mut self.hold, &mut self.mute] {
            ramp.step();
        }
        self.pan.iter_mut().for_each(Ramp::step);
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
            [0.0; 2]
        } else {
            clip.frames.get(index as usize).copied().unwrap_or_default()
        }
    }
}
