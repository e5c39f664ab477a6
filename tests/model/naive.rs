//! A mixer that is obviously right, and slow: one frame after the other, every list a `Vec`, every
//! search linear. It is written from what the mixer promises, not from how it keeps it.
//!
//! Here is what the game says and hears; the sounding half is the [`Stage`].

use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use voicepool::{Config, Priority, Refusal, WhenFull};

use super::clip::Clip;
use super::limiter::{Heard, Limiter};
use super::stage::{Order, QUANTUM, Stage};

/// How many seconds grown voices are idle before the pool shrinks back.
const GROWN_IDLE: u64 = 10;

#[derive(Clone, Debug)]
pub struct Request {
    pub clip: usize,
    pub gain: f32,
    pub pan: f32,
    pub speed: f32,
    pub looping: Option<(Duration, Option<Duration>)>,
    pub position: Duration,
    pub fade_in: Duration,
    pub start: Start,
    pub priority: Priority,
    pub parks: Option<bool>,
    pub bus: u8,
}

#[derive(Clone, Copy, Debug)]
pub enum Start {
    Now,
    At(u64),
    Delay(Duration),
}

#[derive(Clone, Copy, Debug)]
pub enum Change {
    Stop(Duration),
    Pause,
    Resume,
    Gain(f32, Duration),
    Pan(f32, Duration),
    Speed(f32, Duration),
    Seek(Duration),
}

/// What happened to whom, and on which frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Happening {
    pub at: u64,
    pub tag: u64,
    pub what: What,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    Finished,
    Stopped,
    Stolen { by: u64, level: f32 },
    Refused(Refusal),
    Parked(Why),
    Unparked,
}

/// Why it parked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why {
    Stolen { by: u64, level: f32 },
    Paused,
    Inaudible,
    Shrunk,
    PoolFull,
}

pub struct Naive {
    config: Config,
    pub stage: Stage,
    queue: Vec<Order>,
    /// How many of the queue it covers, and its fade.
    stop_all: Option<(usize, u64)>,
    when_full: WhenFull,
    voices: usize,
    settled_voices: usize,
    /// Whether the last resize that was asked for waits until none is under way.
    wish_waits: bool,
    crowded: u64,
    /// How many resizes were ever asked for.
    resized: usize,
    clock: u64,
    limiter: Limiter,
    /// Computed, and not yet handed out.
    ready: VecDeque<Heard>,
}

impl Naive {
    pub fn new(config: &Config, clips: Rc<Vec<Clip>>) -> Naive {
        Naive {
            config: config.clone(),
            stage: Stage::new(config, clips),
            queue: Vec::new(),
            stop_all: None,
            when_full: config.when_full,
            voices: config.voices,
            settled_voices: config.voices,
            wish_waits: false,
            crowded: 0,
            resized: 0,
            clock: 0,
            limiter: Limiter::new(config.sample_rate),
            ready: VecDeque::new(),
        }
    }

    pub fn play(&mut self, tag: u64, request: Request) {
        self.touch();
        let voices = if self.wish_waits { self.settled_voices } else { self.voices };
        let grows = self.when_full == WhenFull::Grow && voices < self.config.max_voices;
        if grows && self.stage.live + 1 > voices + self.stage.parked.len() {
            self.order_resize((2 * voices).min(self.config.max_voices));
        }
        self.stage.live += 1;
        self.queue.push(Order::Play(tag, request, self.when_full));
    }

    pub fn change(&mut self, tag: u64, change: Change) {
        self.touch();
        self.queue.push(Order::Voice(tag, change));
    }

    pub fn change_bus(&mut self, bus: u8, change: Change) {
        self.touch();
        self.queue.push(Order::Bus(bus.into(), change));
    }

    pub fn stop_all(&mut self, fade: Duration) {
        self.touch();
        let fade = frames(fade, self.config.sample_rate);
        let fade = self.stop_all.map_or(fade, |(_, earlier)| fade.min(earlier));
        self.stop_all = Some((self.queue.len(), fade));
    }

    pub fn set_when_full(&mut self, when_full: WhenFull) {
        self.touch();
        self.when_full = when_full;
    }

    /// Whether it can ever be.
    pub fn resize(&mut self, voices: usize) -> bool {
        self.touch();
        if voices == 0 || voices > self.config.max_voices {
            return false;
        }
        (self.settled_voices, self.wish_waits) = (voices, true);
        self.resize_if_due();
        true
    }

    /// What happened since this was last asked.
    pub fn events(&mut self) -> Vec<Happening> {
        self.touch();
        std::mem::take(&mut self.stage.happened)
    }

    /// Whenever the game side is touched it collects what came back, and perhaps shrinks.
    fn touch(&mut self) {
        self.stage.uncollected = 0;
        for (live, at) in std::mem::take(&mut self.stage.left) {
            if live >= self.settled_voices {
                self.crowded = self.crowded.max(at.next_multiple_of(QUANTUM));
            }
        }
        self.resize_if_due();
    }

    fn resize_if_due(&mut self) {
        let crowded = self.stage.live > self.settled_voices;
        let idle = !crowded
            && self.voices > self.settled_voices
            && self.clock.saturating_sub(self.crowded)
                > GROWN_IDLE * u64::from(self.config.sample_rate);
        if self.resizes() == 0 && (self.wish_waits || idle) {
            self.wish_waits = false;
            if self.voices != self.settled_voices {
                self.order_resize(self.settled_voices);
            }
        }
    }

    fn order_resize(&mut self, voices: usize) {
        self.wish_waits = false;
        self.queue.push(Order::Resize(voices));
        (self.voices, self.crowded) = (voices, self.clock);
        self.resized += 1;
    }

    /// How many resizes are under way.
    fn resizes(&self) -> usize {
        self.resized - self.stage.retired
    }

    pub fn frames(&mut self, count: usize) -> Vec<Heard> {
        let mut heard = Vec::new();
        for _ in 0..count {
            while self.ready.is_empty() {
                self.stage.on_the_line(std::mem::take(&mut self.queue), self.stop_all.take());
                let mixed = (0..QUANTUM).map(|_| self.stage.frame());
                self.ready.extend(mixed.filter_map(|mixed| self.limiter.next(mixed)));
            }
            heard.extend(self.ready.pop_front());
        }
        self.clock += count as u64;
        heard
    }
}

/// To the nearest frame.
pub fn frames(duration: Duration, rate: u32) -> u64 {
    (duration.as_micros() as u64 * u64::from(rate) + 500_000) / 1_000_000
}
