//! A mixer that is obviously right, and slow: one frame after the other, every list a `Vec`, every
//! search linear. It is written from what the mixer promises, not from how it keeps it.
//!
//! Here is what the game says and hears; the sounding half is the [`Stage`].

use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use voicepool::{
    Attenuation, Config, Duck, Effect, Listener, Point, Priority, Refusal, Reverb, WhenFull,
};

use super::begin::Newcomer;
use super::clip::Clip;
use super::dice::{Dice, Plan};
use super::joins::Leaving;
use super::limiter::{Heard, Limiter};
use super::moves::Moves;
use super::shaper::Shape;
use super::space::Move;
use super::spot::Ears;
use super::stage::{Order, QUANTUM, Stage};
use super::wishes::Wishes;

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
    pub bus: usize,
    pub tag: u64,
    pub shape: Shape,
    pub place: Option<(Point, Attenuation)>,
    /// Which of the cues there are, instead of a clip.
    pub cue: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
pub enum Start {
    Now,
    At(u64),
    Delay(Duration),
    /// After the play with this number; in a script, after one of so many plays ago.
    After(u64),
}

#[derive(Clone, Copy, Debug)]
pub enum Change {
    Stop(Duration),
    Pause(Duration),
    Resume(Duration),
    Mute(bool),
    Gain(f32, Duration),
    Pan(f32, Duration),
    Speed(f32, Duration),
    LowPass(f32, Duration),
    HighPass(f32, Duration),
    /// To one of the rooms.
    Send(usize, f32, Duration),
    Seek(Duration),
    EndLoop,
}

impl Change {
    pub fn name(self) -> &'static str {
        match self {
            Change::Stop(_) => "stop",
            Change::Pause(fade) if fade.is_zero() => "pause",
            Change::Pause(_) => "pause with a fade",
            Change::Resume(fade) if fade.is_zero() => "resume",
            Change::Resume(_) => "resume with a fade",
            Change::Mute(true) => "mute",
            Change::Mute(false) => "unmute",
            Change::Gain(..) => "gain",
            Change::Pan(..) => "pan",
            Change::Speed(..) => "speed",
            Change::LowPass(..) => "low-pass",
            Change::HighPass(..) => "high-pass",
            Change::Send(..) => "send",
            Change::Seek(_) => "seek",
            Change::EndLoop => "end_loop",
        }
    }
}

/// Whose place something is said of.
#[derive(Clone, Copy, Debug)]
pub enum Whose {
    Play(u64),
    Tag(u64),
    Bus(usize),
    Nobody,
}

/// What happened to whom, and on which frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Happening {
    pub at: u64,
    pub number: u64,
    pub what: What,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    Finished,
    Stopped,
    Stolen { by: u64, level: f32 },
    Refused(Refusal),
    Merged(u64),
    Parked(Why),
    Unparked,
    Started,
}

/// Why it parked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why {
    Stolen { by: u64, level: f32 },
    Paused,
    Inaudible,
    Shrunk,
    PoolFull,
    CueFull,
}

pub struct Naive {
    config: Config,
    pub stage: Stage,
    queue: Vec<Order>,
    /// The tags of all plays there ever were.
    tags: Vec<u64>,
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
    game: Wishes,
    moves: Moves,
    dice: Dice,
    /// All cues that were ever made.
    cues: Vec<Plan>,
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
            tags: Vec::new(),
            stop_all: None,
            when_full: config.when_full,
            voices: config.voices,
            settled_voices: config.voices,
            wish_waits: false,
            crowded: 0,
            resized: 0,
            game: Wishes::new(),
            moves: Moves::new(),
            dice: Dice::new(config.seed, config.cues),
            cues: Vec::new(),
            clock: 0,
            limiter: Limiter::new(config.sample_rate),
            ready: VecDeque::new(),
        }
    }

    /// Plays at one stroke: the pool grows for all of them before the first.
    pub fn play(&mut self, requests: Vec<Request>) {
        self.touch();
        if self.when_full == WhenFull::Grow {
            self.grow_for(requests.len());
        }
        for request in requests {
            let number = self.tags.len() as u64;
            self.stage.live += 1;
            self.tags.push(request.tag);
            let (request, cue) = match request.cue {
                None => (request, None),
                Some(cue) => {
                    let (request, terms) = self.dice.roll(cue, &self.cues[cue], &request);
                    (request, Some(terms))
                }
            };
            let when_full = self.when_full;
            let newcomer = Newcomer { number, request, cue, when_full, comes_for: None };
            self.queue.push(Order::Play(Box::new(newcomer)));
        }
    }

    /// Plays, and lets others go for it: those that were asked for before, and are not known to be over.
    pub fn crossfade(&mut self, from: Whose, request: Request, over: Duration) {
        self.touch();
        let named = |tag: u64| (0..).zip(&self.tags).filter(move |it| *it.1 == tag).map(|it| it.0);
        let leaving = match from {
            Whose::Play(number) => Leaving::Plays(vec![number]),
            Whose::Tag(tag) => Leaving::Plays(named(tag).collect()),
            Whose::Bus(bus) => Leaving::Bus(bus),
            Whose::Nobody => Leaving::Plays(Vec::new()),
        };
        self.play(vec![request]);
        if let Some(Order::Play(newcomer)) = self.queue.last_mut() {
            newcomer.comes_for = Some((leaving, over));
        }
    }

    pub fn add_cue(&mut self, plan: Plan) {
        self.cues.push(plan);
    }

    /// The pool doubles for each play that is one too many.
    fn grow_for(&mut self, plays: usize) {
        let before = if self.wish_waits { self.settled_voices } else { self.voices };
        let mut voices = before;
        for live in self.stage.live + 1..=self.stage.live + plays {
            if live > voices + self.stage.parked.len() {
                voices = (2 * voices).min(self.config.max_voices);
            }
        }
        if voices > before {
            self.order_resize(voices);
        }
    }

    pub fn change(&mut self, number: u64, change: Change) {
        self.touch();
        self.queue.push(Order::Voice(number, change));
    }

    /// Everybody with this tag, one after the other.
    pub fn change_tag(&mut self, tag: u64, change: Change) {
        self.touch();
        self.stage.tally.count(format!("{} of a tag", change.name()));
        let tagged = (0..).zip(&self.tags).filter(|(_, other)| **other == tag);
        self.queue.extend(tagged.map(|(number, _)| Order::Voice(number, change)));
    }

    pub fn change_bus(&mut self, bus: usize, change: Change) {
        self.touch();
        self.queue.push(Order::Bus(bus, change));
    }

    /// Whether the bus can belong there.
    pub fn set_parent(&mut self, bus: usize, parent: usize) -> bool {
        self.touch();
        match self.game.set_parent(bus, parent) {
            Ok(true) => self.queue.push(Order::Parent(bus, parent)),
            Ok(false) => (),
            Err(()) => return false,
        }
        true
    }

    /// Whether there can be such a duck.
    pub fn set_duck(&mut self, bus: usize, by: usize, duck: Option<Duck>) -> bool {
        self.touch();
        match self.game.set_duck(bus, by, duck) {
            Ok(true) => self.queue.push(Order::Duck(bus, by, duck)),
            Ok(false) => (),
            Err(()) => return false,
        }
        true
    }

    pub fn set_effect(&mut self, bus: usize, effect: Option<Box<dyn Effect>>) {
        self.touch();
        self.game.effect(bus, effect);
        self.game.send(&mut self.queue);
    }

    pub fn set_reverb(&mut self, room: usize, reverb: Reverb, over: Duration) {
        self.touch();
        self.game.room(room, reverb, frames(over, self.config.sample_rate));
        self.game.send(&mut self.queue);
    }

    pub fn set_listener(&mut self, listener: &Listener, jump: bool) {
        self.touch();
        self.moves.keep_listener(Ears::of(listener), jump);
        self.moves.send(&mut self.queue);
    }

    /// Says of many plays at one stroke where they are, or what lies between them and the ear. Nobody can
    /// say it to a bus.
    pub fn move_all(&mut self, moves: impl IntoIterator<Item = (Whose, Move)>) {
        self.touch();
        for (whose, to) in moves {
            for number in (0..).zip(&self.tags).filter(|(number, tag)| match whose {
                Whose::Play(one) => one == *number,
                Whose::Tag(all) => all == **tag,
                // A bus has no place.
                Whose::Bus(_) | Whose::Nobody => false,
            }) {
                if !self.stage.over.contains_key(&number.0) {
                    self.moves.keep(number.0, to);
                }
            }
        }
        self.moves.send(&mut self.queue);
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
        self.game.collect(&mut self.stage);
        self.game.send(&mut self.queue);
        self.moves.collect(&mut self.stage);
        self.moves.send(&mut self.queue);
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
                let mixed = self.stage.quantum().into_iter();
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
