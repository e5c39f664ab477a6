//! The sounding half of the naive mixer: what happens on each line of the grid, and on each frame.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use voicepool::{Config, Duck, Effect, Interpolation, Reverb};

use super::begin::Newcomer;
use super::bus::{self, Bus};
use super::clip::{Clip, sinc_table};
use super::cues::Known;
use super::ducks::Ducked;
use super::ghost::{Ghost, play_shaped};
use super::joins::Past;
use super::limiter::Heard;
use super::naive::{Change, Happening, What, frames};
use super::script::BUSES;
use super::shaper::Shaper;
use super::space::{Move, Space};
use super::spot::Ears;
use super::submix::{ROOMS, RoomSlot, Sheet, Submix};
use super::tally::Tally;
use super::voice::Voice;

/// Commands take effect on multiples of this many frames.
pub const QUANTUM: u64 = 128;

pub enum Order {
    Play(Box<Newcomer>),
    Voice(u64, Change),
    Bus(usize, Change),
    Parent(usize, usize),
    Duck(usize, usize, Option<Duck>),
    Effect(usize, Option<Box<dyn Effect>>),
    Room(usize, Reverb, u64),
    Resize(usize),
    Listener(Ears, bool),
    /// Whether they take a block that must come home.
    Moves(Vec<(u64, Move)>, bool),
}

/// A play that waits.
pub struct Waiting {
    pub until: Until,
    pub voice: Voice,
    pub paused: bool,
    pub stood_still: bool,
}

/// For what it waits.
pub enum Until {
    Frame(u64),
    /// So much more in the time of its bus, in 2^-32 of a frame.
    Left(u128),
    /// That this play has finished.
    Finished(u64),
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
    /// Those who begin on this line, once all of it is known.
    pub arrivals: Vec<Voice>,
    pub ghosts: Vec<Ghost>,
    pub buses: Vec<Bus>,
    pub submixes: Vec<Submix>,
    pub rooms: [Option<RoomSlot>; ROOMS],
    pub space: Space,
    /// What is known of the cue in each slot.
    pub cues: BTreeMap<usize, Known>,
    pub ducks: Vec<Ducked>,
    /// Where the ducks of each bus have told it to go.
    pub duck_targets: Vec<f32>,
    /// Of each bus, on this line: whether something on it is heard, and whether something on it would be.
    pub moving: Vec<bool>,
    pub begun: Vec<bool>,
    /// The buses whose time may go at another pace from this line on.
    pub repaced: Vec<usize>,
    /// The buses that were stopped on this line, with all below them, and their fades.
    pub hurried: Vec<(Vec<usize>, u64)>,
    /// Those whose loops were to end on this line, and of which plays: all before this number.
    pub loops_ended: Vec<(Vec<usize>, u64)>,
    /// The number of the next play.
    accepted: u64,
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
    /// How many blocks of moves have come home, and which plays are over.
    pub blocks: usize,
    pub over: BTreeMap<u64, Past>,
    /// Those who wait for nobody any longer, because their leaders have finished.
    pub ready: Vec<u64>,
    /// The effects and the rooms that have taken their places.
    pub effects_changed: Vec<usize>,
    pub rooms_changed: Vec<usize>,
    /// Whether there ever was a stream, and whether how loud one is has ever decided by so little that nobody
    /// can say who is right.
    pub has_streams: bool,
    pub undecided: bool,
    /// How loud it has ever been.
    pub doubt: f32,
    /// How often a play found no voice free, how many parked, and the loudest of these.
    pub full: u64,
    pub parkings: u64,
    pub loudest_parked: f32,
    pub tally: Tally,
}

impl Stage {
    pub fn new(config: &Config, clips: Rc<Vec<Clip>>) -> Stage {
        let submix = |_| Submix::new(config.sample_rate);
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
            arrivals: Vec::new(),
            ghosts: Vec::new(),
            buses: vec![Bus::open(); BUSES.len()],
            submixes: BUSES.iter().map(submix).collect(),
            rooms: [const { None }; ROOMS],
            space: Space::new(),
            cues: BTreeMap::new(),
            ducks: Vec::new(),
            duck_targets: vec![1.0; BUSES.len()],
            moving: vec![false; BUSES.len()],
            begun: vec![false; BUSES.len()],
            repaced: Vec::new(),
            hurried: Vec::new(),
            loops_ended: Vec::new(),
            accepted: 0,
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
            blocks: 0,
            over: BTreeMap::new(),
            ready: Vec::new(),
            effects_changed: Vec::new(),
            rooms_changed: Vec::new(),
            has_streams: false,
            undecided: false,
            doubt: 0.0,
            full: 0,
            parkings: 0,
            loudest_parked: 0.0,
            tally: Tally::default(),
        }
    }

    pub fn on_the_line(&mut self, orders: Vec<Order>, stop_all: Option<(usize, u64)>) {
        self.take_to_parents();
        self.settle_submixes();
        self.look_at_the_buses();
        self.count_the_pairs(&orders);
        let mut covered = 0;
        if let Some((count, fade)) = stop_all {
            covered = count;
            self.stop_everything(fade);
        }
        for (place, order) in orders.into_iter().enumerate() {
            match order {
                Order::Play(newcomer) => {
                    self.accepted = newcomer.number + 1;
                    if place < covered {
                        self.end(newcomer.number, What::Stopped);
                    } else {
                        self.begin(*newcomer);
                    }
                }
                Order::Voice(number, change) => self.obey(number, change),
                Order::Bus(bus, Change::Stop(fade)) => {
                    self.stop_bus(bus, self.frames_of(fade));
                }
                Order::Bus(bus, Change::EndLoop) => {
                    self.tally.count(if bus == 0 {
                        "end_loop of the master"
                    } else {
                        "end_loop of a bus"
                    });
                    self.loops_ended.push((self.told_below(bus), self.accepted));
                }
                Order::Bus(bus, change) => self.obey_bus(bus, change),
                Order::Parent(bus, parent) => self.set_parent(bus, parent),
                Order::Duck(bus, by, duck) => self.set_duck(bus, by, duck),
                Order::Effect(bus, effect) => {
                    let heard = self.is_heard(bus);
                    self.set_effect(bus, effect, heard);
                }
                Order::Room(room, reverb, over) => self.set_room(room, &reverb, over),
                Order::Resize(voices) => {
                    if self.resizing {
                        self.retire();
                    }
                    (self.limit, self.resizing) = (voices, true);
                    self.settle();
                }
                Order::Listener(ears, jump) => self.set_listener(ears, jump),
                Order::Moves(moves, in_block) => {
                    moves.into_iter().for_each(|(number, to)| self.move_play(number, to));
                    self.blocks += usize::from(in_block);
                }
            }
            self.begin_ready();
        }
        for bus in std::mem::take(&mut self.repaced) {
            self.follow(bus);
        }
        self.finish_the_line();
        self.begin_ready();
        self.follow_places();
        self.begin_arrivals();
        self.settle();
        self.unpark();
        self.begin_ready();
        self.land_streams();
        self.step_ducks();
    }

    pub fn is_live(&self, number: u64) -> bool {
        let waiting = self.waiting.iter().map(|waiting| &waiting.voice);
        let mut all = self.playing.iter().chain(&self.parked).chain(&self.arrivals).chain(waiting);
        all.any(|voice| voice.number == number)
    }

    /// What is said to one on one line, one after the other.
    fn count_the_pairs(&mut self, orders: &[Order]) {
        let mut before = BTreeMap::new();
        for order in orders {
            let (to, change) = match order {
                Order::Voice(number, change) => ((0, *number), change.name()),
                Order::Bus(bus, change) => ((1, *bus as u64), change.name()),
                _ => continue,
            };
            let gone = to.0 == 0 && to.1 < self.accepted && !self.is_live(to.1);
            if let Some(earlier) = before.insert(to, change).filter(|_| !gone) {
                let whom = if to.0 == 0 { "voice" } else { "bus" };
                self.tally.count(format!("pair to a {whom}: {earlier}, {change}"));
            }
        }
    }

    /// The frames from a line to the next.
    pub fn quantum(&mut self) -> Vec<Heard> {
        let (now, mut sheet) = (self.now, Sheet::new(self.buses.len()));
        (0..QUANTUM as usize).for_each(|at| self.frame(at, &mut sheet));
        self.finish_quantum(now, sheet)
    }

    fn frame(&mut self, at: usize, sheet: &mut Sheet) {
        while let Some(at) = self.waiting.iter().position(|it| self.is_due(it)) {
            let waiting = self.waiting.remove(at);
            if waiting.stood_still {
                self.tally.count("a delay that stood still");
            }
            self.begin_due(waiting);
            self.begin_ready();
        }
        self.end_the_held();
        for (bus, it) in self.buses.iter().enumerate() {
            sheet.note_fader(bus, it.fader());
            if self.submixes[bus].tail > 0 {
                sheet.feed(Some(bus));
            }
        }
        let (clips, between) = (self.clips.clone(), self.config.interpolation);
        let (mut ended, mut ringing) = (Vec::new(), Vec::new());
        for voice in &mut self.playing {
            let clip = &clips[voice.clip];
            let held = voice.is_held(&self.buses);
            let mut frame = [0.0; 2];
            if !held {
                frame = voice.sound(clip, &self.buses, between, &self.sinc);
                sheet.merged |= voice.boost.to != 1.0;
                voice.heard = true;
            }
            let over = !held && voice.walk(clip);
            if let Some(shaper) = &mut voice.shaper {
                play_shaped(shaper, voice.bus, &self.buses, self.now, frame, at, sheet);
                if over && shaper.rings() {
                    ringing.push((voice.bus, shaper.clone()));
                }
            } else if !held {
                sheet.add(at, bus::submix(&self.buses, voice.bus), frame);
            }
            if over {
                ended.push((voice.number, voice.is_over(clip)));
            }
        }
        for voice in self.parked.iter_mut().filter(|voice| !voice.is_held(&self.buses)) {
            if voice.walk(&clips[voice.clip]) {
                ended.push((voice.number, true));
            }
        }
        let (now, sinc) = (self.now, &self.sinc);
        self.ghosts.retain_mut(|ghost| ghost.frame(&clips, between, sinc, now, at, sheet));
        for Waiting { until, voice, stood_still, .. } in &mut self.waiting {
            if let Until::Left(time) = until {
                if bus::stands(&self.buses, voice.bus) {
                    *stood_still = true;
                } else {
                    *time = time.saturating_sub(self.buses[voice.bus].pace.step().into());
                }
            }
        }
        let stand: Vec<bool> =
            (0..self.buses.len()).map(|bus| bus::stands(&self.buses, bus)).collect();
        for (bus, stands) in self.buses.iter_mut().zip(stand) {
            bus.step();
            if !stands {
                bus.pace.walk();
            }
        }
        self.submixes.iter_mut().for_each(|submix| submix.tail = submix.tail.saturating_sub(1));
        self.now += 1;
        for (bus, shaper) in ringing {
            self.ring_out(bus, shaper);
        }
        for (number, over) in ended {
            if over {
                self.finish(number);
            } else {
                self.forget(number);
                self.end(number, What::Stopped);
            }
        }
        self.begin_ready();
        self.end_the_held();
    }

    pub fn is_due(&self, waiting: &Waiting) -> bool {
        match waiting.until {
            Until::Frame(frame) => frame <= self.now,
            Until::Left(time) => time == 0,
            Until::Finished(_) => false,
        }
    }

    /// What is paused while it stops has stopped.
    fn end_the_held(&mut self) {
        let held = |it: &&Voice| it.stopping && it.is_held(&self.buses);
        let numbers: Vec<u64> = self.playing.iter().filter(held).map(|it| it.number).collect();
        for number in numbers {
            let at = self.playing.iter().position(|voice| voice.number == number);
            let voice = self.playing.remove(at.expect("it plays"));
            if let Some(shaper) = voice.shaper.filter(Shaper::rings) {
                self.ring_out(voice.bus, shaper);
            }
            self.end(number, What::Stopped);
        }
    }

    // What comes back.

    pub fn end(&mut self, number: u64, what: What) {
        self.live -= 1;
        let past = if what == What::Finished { Past::Finished } else { Past::Otherwise };
        self.over.insert(number, past);
        self.left.push((self.live, self.now));
        self.happened.push(Happening { at: self.now, number, what });
        self.release(number, past);
    }

    /// Notices go only into the room that is kept for them.
    pub fn notice(&mut self, number: u64, what: What) {
        if self.uncollected < 2 * self.config.parked + self.config.scheduled {
            self.uncollected += 1;
            self.happened.push(Happening { at: self.now, number, what });
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

/// Constant power, and 1 on both sides in the middle.
pub fn pan_law(pan: f32) -> [f32; 2] {
    [(1.0 - pan).sqrt(), (1.0 + pan).sqrt()]
}
