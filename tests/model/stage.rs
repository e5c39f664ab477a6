//! The sounding half of the naive mixer: what happens on each line of the grid, and on each frame.

use std::rc::Rc;
use std::time::Duration;

use voicepool::{Config, Frame, Interpolation, Refusal, WhenFull};

use super::clip::{Clip, sinc_table};
use super::limiter::Heard;
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
    pub ghosts: Vec<(Voice, Vec<Bus>)>,
    pub buses: Vec<Bus>,
    /// Of each bus, on this line: whether something moves through it, and whether something would.
    pub moving: Vec<bool>,
    pub begun: Vec<bool>,
    /// The buses that were stopped on this line, and their fades.
    pub hurried: Vec<(usize, u64)>,
    /// Whether the pool has yet to get its new size.
    pub resizing: bool,
    pub born: u64,
    /// The quantum in which all levels were last asked for.
    pub ranked: Option<u64>,
    pub now: u64,
    pub live: usize,
    /// How many were left after each ending that was not collected, and when.
    pub left: Vec<(usize, u64)>,
    pub happened: Vec<Happening>,
    /// Notices that the game side has not collected.
    pub uncollected: usize,
    pub missed: u64,
    /// How many resizes are through.
    pub retired: usize,
    /// How often a play found no voice free, how many parked, and the loudest of these.
    pub full: u64,
    pub parkings: u64,
    pub loudest_parked: f32,
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
            moving: vec![false; BUSES as usize],
            begun: vec![false; BUSES as usize],
            hurried: Vec::new(),
            resizing: false,
            born: 0,
            ranked: None,
            now: 0,
            live: 0,
            left: Vec::new(),
            happened: Vec::new(),
            uncollected: 0,
            missed: 0,
            retired: 0,
            full: 0,
            parkings: 0,
            loudest_parked: 0.0,
        }
    }

    pub fn on_the_line(&mut self, orders: Vec<Order>, stop_all: Option<(usize, u64)>) {
        self.look_at_the_buses();
        let mut covered = 0;
        if let Some((count, fade)) = stop_all {
            covered = count;
            self.stop_everything(fade);
        }
        for (number, order) in orders.into_iter().enumerate() {
            match order {
                Order::Play(tag, ..) if number < covered => self.end(tag, What::Stopped),
                Order::Play(tag, request, when_full) => self.begin(tag, request, when_full),
                Order::Voice(tag, change) => self.obey(tag, change),
                Order::Bus(bus, Change::Stop(fade)) => {
                    self.stop_bus(bus, self.frames_of(fade));
                }
                Order::Bus(bus, change) => self.obey_bus(bus, change),
                Order::Resize(voices) => {
                    if self.resizing {
                        self.retire();
                    }
                    (self.limit, self.resizing) = (voices, true);
                    self.settle();
                }
            }
        }
        self.hurry();
        self.settle();
        self.unpark();
        self.take_back();
    }

    pub fn frame(&mut self) -> Heard {
        while self.waiting.first().is_some_and(|waiting| waiting.at <= self.now) {
            let Waiting { mut voice, paused, .. } = self.waiting.remove(0);
            if !paused {
                voice.rise(self.declick);
            }
            self.claim(voice);
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
        // Neighbours that nearly cancel leave the rounding of their own size.
        Heard { frame: mixed, slack: 2e-6 * weight.max(1.0) }
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

    fn begin(&mut self, tag: u64, request: Request, when_full: WhenFull) {
        let at = match request.start {
            Start::Now => 0,
            Start::At(frame) => frame,
            Start::Delay(by) => self.now + self.frames_of(by),
        };
        let mut voice = self.voice(tag, request, when_full);
        if at <= self.now {
            voice.rise(self.declick);
            self.claim(voice);
        } else if self.waiting.len() == self.config.scheduled {
            self.end(tag, What::Refused(Refusal::ScheduleFull));
        } else {
            self.waiting.push(Waiting { at, voice, paused: false });
            self.waiting.sort_by_key(|waiting| waiting.at);
        }
    }

    fn voice(&self, tag: u64, request: Request, when_full: WhenFull) -> Voice {
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
            when_full,
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
            first: false,
            guarded: 0,
            louder_since: None,
        }
    }

    // What comes back.

    pub fn end(&mut self, tag: u64, what: What) {
        self.live -= 1;
        self.left.push((self.live, self.now));
        self.happened.push(Happening { at: self.now, tag, what });
    }

    /// Notices go only into the room that is kept for them.
    pub fn notice(&mut self, tag: u64, what: What) {
        if self.uncollected < 2 * self.config.parked + self.config.scheduled {
            self.uncollected += 1;
            self.happened.push(Happening { at: self.now, tag, what });
        } else {
            self.missed += 1;
        }
    }

    pub fn retire(&mut self) {
        self.retired += 1;
    }

    pub fn frames_of(&self, duration: Duration) -> u64 {
        frames(duration, self.config.sample_rate)
    }

    pub fn ratio(&self, speed: f32, clip: &Clip) -> f64 {
        f64::from(speed) * f64::from(clip.rate) / f64::from(self.config.sample_rate)
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
