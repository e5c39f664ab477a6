//! The sounding half of the naive mixer: what happens on each line of the grid, and on each frame.

use std::rc::Rc;
use std::time::Duration;

use voicepool::{Config, Frame, Interpolation, Priority, Refusal, WhenFull};

use super::clip::{Clip, sinc_table};
use super::naive::{Change, Happening, Request, Start, What, frames};
use super::voice::{Bus, Ramp, Speed, Voice};

/// As many as scripts use.
pub const BUSES: u8 = 3;

/// Commands take effect on multiples of this many frames.
pub const QUANTUM: u64 = 128;

pub enum Order {
    Play(u64, Request, WhenFull),
    Voice(u64, Change),
    Bus(usize, Change),
    Resize(usize),
}

/// A play that waits for its frame.
pub struct Waiting {
    pub at: u64,
    pub voice: Voice,
    pub paused: bool,
    pub when_full: WhenFull,
}

/// A frame, and by how much another right mixer may differ from it.
#[derive(Clone, Copy)]
pub struct Heard {
    pub frame: Frame,
    pub slack: f32,
}

pub struct Stage {
    pub config: Config,
    pub clips: Rc<Vec<Clip>>,
    sinc: Vec<[f64; 16]>,
    pub declick: u64,
    pub limit: usize,
    pub playing: Vec<Voice>,
    pub parked: Vec<Voice>,
    pub waiting: Vec<Waiting>,
    /// The robbed, and the buses as they were at the theft.
    ghosts: Vec<(Voice, Vec<Bus>)>,
    pub buses: Vec<Bus>,
    /// Whether the pool has yet to get its new size.
    moving: bool,
    born: u64,
    /// The quantum in which all levels were last asked for.
    ranked: Option<u64>,
    ceiling: Ceiling,
    now: u64,
    pub live: usize,
    /// How many were left after each ending that was not collected, and when.
    pub left: Vec<(usize, u64)>,
    pub happened: Vec<Happening>,
    /// Notices that the game side has not collected.
    pub uncollected: usize,
    pub missed: u64,
    /// How many resizes are through.
    pub retired: usize,
}

impl Stage {
    pub fn new(config: &Config, clips: Rc<Vec<Clip>>) -> Stage {
        let open = Bus { gain: Ramp::rest(1.0), hold: Ramp::rest(1.0) };
        let sinc = config.interpolation == Interpolation::Sinc;
        Stage {
            config: config.clone(),
            clips,
            sinc: if sinc { sinc_table() } else { Vec::new() },
            declick: frames(Duration::from_millis(5), config.sample_rate).max(1),
            limit: config.voices,
            playing: Vec::new(),
            parked: Vec::new(),
            waiting: Vec::new(),
            ghosts: Vec::new(),
            buses: vec![open; BUSES as usize],
            moving: false,
            born: 0,
            ranked: None,
            ceiling: Ceiling::new(config.sample_rate),
            now: 0,
            live: 0,
            left: Vec::new(),
            happened: Vec::new(),
            uncollected: 0,
            missed: 0,
            retired: 0,
        }
    }

    pub fn on_the_line(&mut self, orders: Vec<Order>, stop_all: Option<(usize, u64)>) {
        let mut covered = 0;
        if let Some((count, fade)) = stop_all {
            covered = count;
            self.stop_where(fade, |_| true);
        }
        for (number, order) in orders.into_iter().enumerate() {
            match order {
                Order::Play(tag, ..) if number < covered => self.end(tag, What::Stopped),
                Order::Play(tag, request, when_full) => self.begin(tag, request, when_full),
                Order::Voice(tag, change) => self.obey(tag, change),
                Order::Bus(bus, Change::Stop(fade)) => {
                    let fade = self.frames_of(fade);
                    self.stop_where(fade, |of| of == bus || bus == 0);
                }
                Order::Bus(bus, change) => self.obey_bus(bus, change),
                Order::Resize(voices) => {
                    if self.moving {
                        self.retire();
                    }
                    (self.limit, self.moving) = (voices, true);
                    self.settle();
                }
            }
        }
        self.settle();
        self.unpark();
    }

    pub fn frame(&mut self) -> Heard {
        while self.waiting.first().is_some_and(|waiting| waiting.at <= self.now) {
            let Waiting { mut voice, paused, when_full, .. } = self.waiting.remove(0);
            if !paused {
                voice.rise(self.declick);
            }
            self.claim(voice, when_full);
        }
        self.end_the_held();
        let (clips, between) = (self.clips.clone(), self.config.interpolation);
        let (mut mixed, mut weight, mut ended) = ([0f32; 2], 0f32, Vec::new());
        let mut add = |[left, right]: Frame| {
            mixed = [mixed[0] + left, mixed[1] + right];
            weight += left.abs().max(right.abs());
        };
        for voice in self.playing.iter_mut().filter(|voice| !voice.is_held(&self.buses)) {
            let clip = &clips[voice.clip];
            add(voice.sound(clip, &self.buses, between, &self.sinc));
            voice.heard = true;
            if voice.walk(clip) {
                ended.push((voice.tag, voice.is_over(clip)));
            }
        }
        for voice in self.parked.iter_mut().filter(|voice| !voice.is_held(&self.buses)) {
            if voice.walk(&clips[voice.clip]) {
                ended.push((voice.tag, true));
            }
        }
        self.ghosts.retain_mut(|(voice, buses)| {
            if voice.is_held(buses) {
                return false;
            }
            let clip = &clips[voice.clip];
            add(voice.sound(clip, buses, between, &self.sinc));
            step(buses);
            !voice.walk(clip)
        });
        step(&mut self.buses);
        self.now += 1;
        for (tag, over) in ended {
            self.playing.retain(|voice| voice.tag != tag);
            self.parked.retain(|voice| voice.tag != tag);
            self.end(tag, if over { What::Finished } else { What::Stopped });
        }
        self.end_the_held();
        self.ceiling.limited(mixed, weight)
    }

    /// What is paused while it stops has stopped.
    fn end_the_held(&mut self) {
        let held = |it: &&Voice| it.stopping && it.is_held(&self.buses);
        let tags: Vec<u64> = self.playing.iter().filter(held).map(|it| it.tag).collect();
        for tag in tags {
            self.playing.retain(|voice| voice.tag != tag);
            self.end(tag, What::Stopped);
        }
    }

    // Who plays.

    fn begin(&mut self, tag: u64, request: Request, when_full: WhenFull) {
        let at = match request.start {
            Start::Now => 0,
            Start::At(frame) => frame,
            Start::Delay(by) => self.now + self.frames_of(by),
        };
        let mut voice = self.voice(tag, request);
        if at <= self.now {
            voice.rise(self.declick);
            self.claim(voice, when_full);
        } else if self.waiting.len() == self.config.scheduled {
            self.end(tag, What::Refused(Refusal::ScheduleFull));
        } else {
            self.waiting.push(Waiting { at, voice, paused: false, when_full });
            self.waiting.sort_by_key(|waiting| waiting.at);
        }
    }

    fn voice(&self, tag: u64, request: Request) -> Voice {
        let clip = &self.clips[request.clip];
        let count = clip.frames.len() as u64;
        let looping = request.looping.map(|(start, end)| {
            let start = frames(start, clip.rate);
            let end = end.map_or(count, |end| frames(end, clip.rate).min(count));
            if start < end { (start, end) } else { (0, count) }
        });
        let mut fade = Ramp::rest(1.0);
        if self.frames_of(request.fade_in) > 0 {
            fade = Ramp::rest(0.0);
            fade.head_for(1.0, self.frames_of(request.fade_in).max(self.declick));
        }
        Voice {
            tag,
            clip: request.clip,
            born: 0,
            bus: request.bus.into(),
            priority: request.priority,
            parks: request.parks.unwrap_or(looping.is_some()),
            position: frames(request.position, clip.rate) << 32,
            wrapped: false,
            looping,
            speed: Speed::rest(self.ratio(request.speed, clip)),
            gain: Ramp::rest(request.gain),
            pan: pan_law(request.pan).map(Ramp::rest),
            fade,
            hold: Ramp::rest(0.0),
            stopping: false,
            heard: false,
            rank: 0.0,
        }
    }

    fn claim(&mut self, mut voice: Voice, when_full: WhenFull) {
        if voice.is_over(&self.clips[voice.clip]) {
            return self.end(voice.tag, What::Finished);
        }
        voice.born = self.born;
        self.born += 1;
        if self.playing.len() == self.limit
            && let Some(victim) = self.whom(voice.priority, when_full)
        {
            let master = self.buses[0].gain.promise() * self.buses[0].hold.promise();
            let level = self.playing[victim].rank * master;
            self.dismiss(victim, What::Stolen { by: voice.tag, level });
        }
        if self.playing.len() < self.limit {
            self.take_stage(voice);
        } else {
            self.park_or_end(voice, What::Refused(Refusal::PoolFull));
        }
    }

    fn take_stage(&mut self, mut voice: Voice) {
        voice.rank = voice.level(&self.clips[voice.clip], &self.buses);
        self.playing.push(voice);
    }

    /// Whom to rob for a newcomer of this priority.
    fn whom(&mut self, priority: Priority, when_full: WhenFull) -> Option<usize> {
        if when_full == WhenFull::Refuse {
            return None;
        }
        if self.ranked != Some(self.now / QUANTUM) {
            self.ranked = Some(self.now / QUANTUM);
            for voice in &mut self.playing {
                voice.rank = voice.level(&self.clips[voice.clip], &self.buses);
            }
        }
        let may_go = |voice: &Voice| {
            voice.priority <= priority && (voice.priority < Priority::Protected || voice.stopping)
        };
        let by_level = when_full != WhenFull::StealOldest;
        let key =
            |voice: &Voice| (voice.priority, if by_level { voice.rank } else { 0.0 }, voice.born);
        (0..self.playing.len())
            .filter(|at| may_go(&self.playing[*at]))
            .min_by(|a, b| key(&self.playing[*a]).partial_cmp(&key(&self.playing[*b])).unwrap())
    }

    fn dismiss(&mut self, at: usize, why: What) {
        self.leave_ghost(at);
        let voice = self.playing.remove(at);
        if voice.stopping {
            self.end(voice.tag, What::Stopped)
        } else {
            self.park_or_end(voice, why)
        }
    }

    /// What was heard fades out, at the speed it has and through the buses as they are. What is
    /// being paused fades out as it is.
    pub fn leave_ghost(&mut self, at: usize) {
        let mut ghost = self.playing[at].clone();
        if ghost.is_sounding(&self.buses) {
            if ghost.hold.to > 0.0 {
                ghost.hold.head_for(0.0, self.declick);
            }
            ghost.speed.freeze();
            self.ghosts.push((ghost, self.buses.clone()));
        }
    }

    fn park_or_end(&mut self, mut voice: Voice, why: What) {
        let may_park = voice.parks || voice.is_held(&self.buses);
        if !may_park || self.parked.len() == self.config.parked {
            return self.end(voice.tag, why);
        }
        voice.hush();
        self.notice(voice.tag, What::Parked);
        self.parked.push(voice);
    }

    fn unpark(&mut self) {
        while self.playing.len() < self.limit {
            let awake = self.parked.iter().enumerate().filter(|(_, it)| !it.is_held(&self.buses));
            let level = |it: &Voice| it.level(&self.clips[it.clip], &self.buses);
            let levels = awake.map(|(at, it)| (at, level(it)));
            let Some((loudest, _)) = levels.reduce(|a, b| if b.1 > a.1 { b } else { a }) else {
                return;
            };
            let mut voice = self.parked.remove(loudest);
            voice.hold = Ramp::rest(0.0);
            voice.rise(self.declick);
            self.notice(voice.tag, What::Unparked);
            self.take_stage(voice);
        }
    }

    /// Those who are too many go, quietest first; then the pool has its new size.
    fn settle(&mut self) {
        if !self.moving {
            return;
        }
        while self.playing.len() > self.limit
            && let Some(at) = self.whom(Priority::High, WhenFull::StealQuietest)
        {
            self.dismiss(at, What::Stopped);
        }
        if self.playing.len() <= self.limit {
            (self.moving, self.ranked) = (false, None);
            self.retire();
        }
    }

    // What comes back.

    pub fn end(&mut self, tag: u64, what: What) {
        self.live -= 1;
        self.left.push((self.live, self.now));
        self.happened.push(Happening { at: self.now, tag, what });
    }

    /// Notices go only into the room that is kept for them.
    fn notice(&mut self, tag: u64, what: What) {
        if self.uncollected < self.config.parked {
            self.uncollected += 1;
            self.happened.push(Happening { at: self.now, tag, what });
        } else {
            self.missed += 1;
        }
    }

    fn retire(&mut self) {
        self.retired += 1;
    }

    pub fn frames_of(&self, duration: Duration) -> u64 {
        frames(duration, self.config.sample_rate)
    }

    pub fn ratio(&self, speed: f32, clip: &Clip) -> f64 {
        f64::from(speed) * f64::from(clip.rate) / f64::from(self.config.sample_rate)
    }
}

/// Keeps the output within 1: down at once, back with a time constant of 100 ms, and to exactly 1
/// when it is near enough.
struct Ceiling {
    gain: f64,
    release: f64,
}

impl Ceiling {
    fn new(rate: u32) -> Ceiling {
        Ceiling { gain: 1.0, release: 1.0 - (-1.0 / (0.1 * f64::from(rate))).exp() }
    }

    fn limited(&mut self, mixed: Frame, weight: f32) -> Heard {
        let peak = f64::from(mixed[0].abs().max(mixed[1].abs()));
        self.gain += (1.0 - self.gain) * self.release;
        // Here a rounding decides on which frame it becomes 1.
        let nearly_one = (1e-6..2e-5).contains(&(1.0 - self.gain));
        if 1.0 - self.gain < 1e-5 {
            self.gain = 1.0;
        }
        if peak * self.gain > 1.0 {
            self.gain = 1.0 / peak;
        }
        // Neighbours that nearly cancel leave the rounding of their own size.
        let slack = 2e-6 * weight.max(1.0) + if nearly_one { 1e-5 } else { 0.0 };
        Heard { frame: mixed.map(|side| (f64::from(side) * self.gain) as f32), slack }
    }
}

fn step(buses: &mut [Bus]) {
    for bus in buses {
        bus.gain.step();
        bus.hold.step();
    }
}

/// Constant power, and 1 on both sides in the middle.
pub fn pan_law(pan: f32) -> [f32; 2] {
    [(1.0 - pan).sqrt(), (1.0 + pan).sqrt()]
}
