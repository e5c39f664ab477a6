//! The buses of the naive mixer that are added up before they go on, and the rooms.

use voicepool::{Effect, Frame, Reverb};

use super::bus;
use super::filter::{Filters, HIGH_OFF, LOW_OFF};
use super::limiter::Heard;
use super::naive::Change;
use super::ramp::Ramp;
use super::room::Room;
use super::shaper::{Shape, Shaper};
use super::stage::{QUANTUM, Stage};

/// How many rooms there are.
pub const ROOMS: usize = 4;

/// What a bus needs to be a submix.
pub struct Submix {
    /// Whether the bus has ever been one.
    made: bool,
    shaper: Shaper,
    effect: Option<Box<dyn Effect>>,
    /// The effect that was there before, or none, while the two are cross-faded.
    before: Option<Box<dyn Effect>>,
    cross: Ramp,
    /// Whether the game is still to hear that its effect is there.
    changing: bool,
    says_silent: bool,
    /// For how many frames the robbed may still be heard in it.
    pub tail: u64,
}

impl Submix {
    pub fn new(rate: u32) -> Submix {
        Submix {
            made: false,
            shaper: Shaper::new(&Shape::PLAIN, rate),
            effect: None,
            before: None,
            cross: Ramp::rest(1.0),
            changing: false,
            says_silent: true,
            tail: 0,
        }
    }

    fn has_effect(&self) -> bool {
        self.effect.is_some() || self.cross.left() > 0
    }

    fn is_needed(&self) -> bool {
        let Shaper { filters, sends, .. } = &self.shaper;
        let sends = sends.iter().any(|send| !send.is_silent());
        sends || !filters.is_off() || self.has_effect() || self.tail > 0
    }

    /// Whether it would be heard if nobody played through it.
    pub fn rings(&self) -> bool {
        let effect = self.has_effect() && !(self.says_silent && self.cross.left() == 0);
        !self.shaper.filters.is_silent() || effect || self.tail > 0
    }

    /// Makes of a quantum what is heard of it, but for its fader.
    fn process(&mut self, now: u64, frames: &mut [Frame]) {
        let filters: &mut Filters = &mut self.shaper.filters;
        for (frame, now) in frames.iter_mut().zip(now..) {
            *frame = filters.frame(now, *frame);
        }
        if !self.has_effect() {
            return;
        }
        let run = |effect: &mut Option<Box<dyn Effect>>, frames: &[Frame]| {
            let mut sides =
                [0, 1].map(|c: usize| frames.iter().map(|it| it[c]).collect::<Vec<_>>());
            let [left, right] = &mut sides;
            let mut silent = true;
            if let Some(effect) = effect {
                effect.process(left, right);
                silent = effect.is_silent();
            }
            (left.iter().zip(right.iter()).map(|(l, r)| [*l, *r]).collect::<Vec<Frame>>(), silent)
        };
        let (after, silent) = run(&mut self.effect, frames);
        self.says_silent = silent;
        if self.cross.left() == 0 {
            return frames.copy_from_slice(&after);
        }
        let (before, _) = run(&mut self.before, frames);
        for ((frame, before), after) in frames.iter_mut().zip(before).zip(after) {
            let share = self.cross.now();
            *frame = [0, 1].map(|c| before[c] * (1.0 - share) + after[c] * share);
            self.cross.step();
        }
    }
}

/// A room, and the one that was there before it.
pub struct RoomSlot {
    room: Room,
    rise: Ramp,
    old: Option<(Room, Ramp)>,
}

impl RoomSlot {
    pub fn rings(&self) -> bool {
        !self.room.is_silent() || self.old.as_ref().is_some_and(|(old, _)| !old.is_silent())
    }

    fn frame(&mut self, input: Frame) -> Frame {
        // What goes into a new room rises; of an old one, what comes out falls.
        let rise = self.rise.now();
        let mut heard = self.room.frame(input.map(|side| side * rise));
        self.rise.step();
        if let Some((old, fall)) = &mut self.old {
            let gone = old.frame(input).map(|side| side * fall.now());
            fall.step();
            heard = [heard[0] + gone[0], heard[1] + gone[1]];
        }
        heard
    }
}

/// What a quantum is made of.
pub struct Sheet {
    /// For each frame what goes out without passing a submix, and how loud all is that was added anywhere.
    mix: Vec<Frame>,
    weights: Vec<f32>,
    submixes: Vec<Vec<Frame>>,
    /// Whether anything was added.
    fed: Vec<bool>,
    rooms: Vec<Vec<Frame>>,
    /// The fader of each bus on each frame.
    faders: Vec<Vec<f32>>,
}

impl Sheet {
    pub fn new(buses: usize) -> Sheet {
        let frames = || vec![[0.0; 2]; QUANTUM as usize];
        Sheet {
            mix: frames(),
            weights: vec![0.0; QUANTUM as usize],
            submixes: vec![frames(); buses],
            fed: vec![false; buses],
            rooms: vec![frames(); ROOMS],
            faders: vec![Vec::new(); buses],
        }
    }

    pub fn note_fader(&mut self, bus: usize, fader: f32) {
        self.faders[bus].push(fader);
    }

    /// Adds to a submix or, if that is none, to the mix.
    pub fn add(&mut self, at: usize, submix: Option<usize>, frame: Frame) {
        match submix {
            Some(bus) => add(&mut self.submixes[bus][at], frame),
            None => add(&mut self.mix[at], frame),
        }
        self.weigh(at, frame);
        self.feed(submix);
    }

    pub fn feed(&mut self, submix: Option<usize>) {
        submix.into_iter().for_each(|bus| self.fed[bus] = true);
    }

    pub fn send(&mut self, at: usize, room: usize, frame: Frame, gain: f32) {
        add(&mut self.rooms[room][at], frame.map(|side| side * gain));
        self.weigh(at, frame.map(|side| side * gain));
    }

    fn weigh(&mut self, at: usize, [left, right]: Frame) {
        self.weights[at] += left.abs().max(right.abs());
    }
}

fn add(to: &mut Frame, frame: Frame) {
    *to = [to[0] + frame[0], to[1] + frame[1]];
}

impl Stage {
    /// Turns a filter or a send of a bus. What nobody hears is there at once, but for a send that was given
    /// its time.
    pub fn shape_bus(&mut self, bus: usize, change: Change, over: u64, heard: bool) {
        let (declick, rate) = (self.declick, self.config.sample_rate);
        let submix = &mut self.submixes[bus];
        let turns_on = match change {
            Change::LowPass(hz, _) => hz < LOW_OFF,
            Change::HighPass(hz, _) => hz > HIGH_OFF,
            Change::Send(_, to, _) => to > 0.0,
            _ => unreachable!("nothing else shapes"),
        };
        // What was never on need not be turned off.
        submix.made |= turns_on;
        if !submix.made {
            return;
        }
        let over = if heard { over.max(declick) } else { over };
        submix.shaper.turn(change, over, declick, rate);
        if let Change::Send(room, to, _) = change {
            self.buses[bus].sends[room] = to;
        }
        if !heard {
            submix.shaper.filters.arrive();
        }
        self.buses[bus].submix |= submix.is_needed();
    }

    /// Cross-fades to another effect, or to none, over the quanta that hold the declick; where nobody hears
    /// it, it is there at once.
    pub fn set_effect(&mut self, bus: usize, effect: Option<Box<dyn Effect>>, heard: bool) {
        let submix = &mut self.submixes[bus];
        (submix.made, submix.changing) = (true, true);
        if submix.effect.is_some() || effect.is_some() {
            submix.before = std::mem::replace(&mut submix.effect, effect);
            submix.says_silent = false;
            if heard {
                submix.cross = Ramp::rest(0.0);
                submix.cross.head_for(1.0, self.declick.next_multiple_of(QUANTUM));
            }
        }
        self.buses[bus].submix |= submix.is_needed() || submix.changing;
    }

    pub fn set_room(&mut self, room: usize, reverb: &Reverb, over: u64) {
        let new = Room::new(reverb, self.config.sample_rate);
        let (mut rise, mut fall) = (Ramp::rest(0.0), Ramp::rest(1.0));
        rise.head_for(1.0, over.max(self.declick));
        fall.head_for(0.0, over.max(self.declick));
        let heard = self.moving.iter().any(|moving| *moving);
        match &mut self.rooms[room] {
            place @ None => {
                let rise = if heard { rise } else { Ramp::rest(1.0) };
                *place = Some(RoomSlot { room: new, rise, old: None });
            }
            Some(slot) => {
                slot.old = Some((std::mem::replace(&mut slot.room, new), fall));
                slot.rise = rise;
            }
        }
    }

    /// On a line: what has been cross-faded is told, and who has nothing to do is a plain bus again.
    pub fn settle_submixes(&mut self) {
        for (bus, submix) in self.submixes.iter_mut().enumerate() {
            if submix.changing && submix.cross.left() == 0 {
                (submix.changing, submix.before) = (false, None);
                self.effects_changed.push(bus);
            }
            self.buses[bus].submix &= submix.is_needed();
        }
        for (room, slot) in self.rooms.iter_mut().enumerate() {
            if let Some(slot) = slot
                && slot.old.as_ref().is_some_and(|(_, fall)| fall.is_silent())
            {
                slot.old = None;
                self.rooms_changed.push(room);
            }
        }
    }

    /// All that was added in a quantum which began on the frame `now`, through all submixes and rooms.
    pub fn finish_quantum(&mut self, now: u64, mut sheet: Sheet) -> Vec<Heard> {
        let mut order: Vec<usize> = (0..self.buses.len()).collect();
        // Stable, so that those who are as deep go by their numbers.
        order.sort_by_key(|bus| std::cmp::Reverse(bus::way(&self.buses, *bus).len()));
        let mut rang = false;
        for bus in order {
            if bus == 0 {
                rang |= self.play_rooms(&mut sheet);
            }
            if self.buses[bus].submix {
                rang = true;
                self.finish_submix(bus, now, &mut sheet);
            }
        }
        for weight in &sheet.weights {
            self.doubt = self.doubt.max(*weight);
        }
        // Neighbours that nearly cancel leave the rounding of their own size, and what rings keeps it.
        let doubt = if rang { 4e-6 * self.doubt.max(1.0) } else { 0.0 };
        let slack = |weight: f32| 2e-6 * weight.max(1.0) + doubt;
        let heard = sheet.mix.into_iter().zip(sheet.weights);
        heard.map(|(frame, weight)| Heard { frame, slack: slack(weight) }).collect()
    }

    /// Into the master, or past its fader if it is no submix. Whether any is heard.
    fn play_rooms(&mut self, sheet: &mut Sheet) -> bool {
        let mut rang = false;
        for (slot, input) in self.rooms.iter_mut().zip(sheet.rooms.clone()) {
            let Some(slot) = slot else { continue };
            if !slot.rings() && input.iter().all(|frame| *frame == [0.0; 2]) {
                let ramps = [Some(&mut slot.rise), slot.old.as_mut().map(|(_, fall)| fall)];
                for ramp in ramps.into_iter().flatten() {
                    (0..QUANTUM).for_each(|_| ramp.step());
                }
                continue;
            }
            rang = true;
            for (at, input) in input.into_iter().enumerate() {
                let heard = slot.frame(input);
                if self.buses[0].submix {
                    sheet.add(at, Some(0), heard);
                } else {
                    sheet.add(at, None, heard.map(|side| side * sheet.faders[0][at]));
                }
            }
        }
        rang
    }

    fn finish_submix(&mut self, bus: usize, now: u64, sheet: &mut Sheet) {
        let submix = &mut self.submixes[bus];
        let mut frames = std::mem::take(&mut sheet.submixes[bus]);
        if !sheet.fed[bus] && !submix.rings() && submix.shaper.filters.is_at_rest() {
            // Its effect is not even asked.
            for send in &mut submix.shaper.sends {
                (0..QUANTUM).for_each(|_| send.step());
            }
            return;
        }
        submix.process(now, &mut frames);
        let above: Vec<usize> = bus::way(&self.buses, bus)[1..].to_vec();
        let next = above.iter().position(|bus| self.buses[*bus].submix);
        for (at, frame) in frames.into_iter().enumerate() {
            let fader = |bus: &usize| sheet.faders[*bus][at];
            let frame = frame.map(|side| side * fader(&bus));
            let beyond: f32 = above.iter().filter(|bus| **bus != 0).map(fader).product();
            let between: f32 = above[..next.unwrap_or(above.len())].iter().map(fader).product();
            for (room, send) in submix.shaper.sends.iter_mut().enumerate() {
                if bus != 0 && !send.is_silent() {
                    sheet.send(at, room, frame, send.now() * beyond);
                }
                send.step();
            }
            sheet.add(at, next.map(|next| above[next]), frame.map(|side| side * between));
        }
    }
}
