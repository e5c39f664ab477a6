//! What the naive mixer makes of places, line by line: when all that was said is known, everybody with a place
//! turns to where it is heard from.

use voicepool::Point;

use super::motion::{Bend, Motion};
use super::naive::{What, Why};
use super::ramp::Ramp;
use super::spot::{Ears, within};
use super::stage::{QUANTUM, Stage};
use super::voice::Voice;

/// The listener.
pub struct Space {
    pub ears: Ears,
    motion: Motion,
    /// Whether it was ever said where it is, and whether it was on this line.
    is_placed: bool,
    moved: bool,
    /// Whether somebody's place may matter on the next line, though nobody is moved; and whether it does once
    /// there is room to park.
    pub restless: bool,
    pub stranded: bool,
}

/// What is said to a play of where it is.
#[derive(Clone, Copy, Debug)]
pub enum Move {
    To { position: Point, jump: bool },
    Occlude { to: f32, over: u64 },
}

impl Space {
    pub fn new() -> Space {
        let ears = Ears::of(&voicepool::Listener::DEFAULT);
        let motion = Motion::none(0);
        Space { ears, motion, is_placed: false, moved: false, restless: false, stranded: false }
    }
}

impl Stage {
    pub fn set_listener(&mut self, ears: Ears, jump: bool) {
        let (now, rate) = (self.now, self.config.sample_rate);
        let space = &mut self.space;
        self.tally.count(if jump { "the listener teleported" } else { "the listener moved" });
        // Nobody has seen it come to its first place.
        let jump = jump || !space.is_placed;
        space.motion.come(space.ears.position, ears.position, jump, now, rate);
        (space.ears, space.moved, space.is_placed) = (ears, true, true);
    }

    /// What has no place is not moved.
    pub fn move_play(&mut self, number: u64, to: Move) {
        let (now, rate) = (self.now, self.config.sample_rate);
        let (whose, voice) = match self.find(number) {
            Some(found) => found,
            None => return,
        };
        match to {
            Move::To { position, jump } => {
                let Some(spot) = &mut voice.spot else { return };
                // Nobody hears how one moves who has no voice.
                let jump = jump || whose != "a voice";
                spot.come(within(position), jump, now, rate);
                self.tally.count(format!("{} of {whose}", if jump { "jump" } else { "move" }));
            }
            Move::Occlude { to, over } => {
                let before = std::mem::replace(&mut voice.shape.occlusion, to);
                if whose == "a voice" {
                    self.occlude(number, before, to, over);
                }
                self.tally.count(format!("occlusion of {whose}"));
            }
        }
    }

    fn find(&mut self, number: u64) -> Option<(&'static str, &mut Voice)> {
        let waiting = self.waiting.iter_mut().map(|it| ("a waiting play", &mut it.voice));
        let playing = self.playing.iter_mut().map(|it| ("a voice", it));
        let parked = self.parked.iter_mut().map(|it| ("a parked play", it));
        let arrived = self.arrivals.iter_mut().map(|it| ("a play that has just come", it));
        let mut all = playing.chain(parked).chain(arrived).chain(waiting);
        all.find(|(_, voice)| voice.number == number)
    }

    /// Once all of a line is known: everybody goes to where it is heard from now, over as many whole quanta
    /// as hold the declick; and those park of whom nothing is heard there any more.
    pub fn follow_places(&mut self) {
        let listener_moved = std::mem::take(&mut self.space.moved);
        let moved = |it: &Voice| it.spot.as_ref().is_some_and(|spot| spot.moved);
        let any_moved = listener_moved || self.playing.iter().any(moved);
        let has_room = self.parked.len() < self.config.parked;
        if any_moved || self.space.restless || self.space.stranded && has_room {
            // The levels are others now.
            self.ranked = None;
            (self.space.restless, self.space.stranded) = (false, false);
        }
        let placed = self.playing.iter().filter(|it| it.spot.is_some());
        let numbers: Vec<u64> = placed.map(|it| it.number).collect();
        for number in numbers {
            let at = self.playing.iter().position(|it| it.number == number).expect("it plays");
            if moved(&self.playing[at]) || listener_moved {
                self.turn(at);
            }
            self.bend(at);
            if self.playing[at].falls_silent_with_distance() {
                self.leave_earshot(at);
            }
        }
    }

    fn turn(&mut self, at: usize) {
        let over = self.declick.next_multiple_of(QUANTUM);
        let voice = &mut self.playing[at];
        let sounding = voice.is_sounding(&self.buses);
        let Some(spot) = &mut voice.spot else { return };
        spot.moved = false;
        let sides = spot.sides(&self.space.ears);
        if !sounding {
            voice.around = sides.map(Ramp::rest);
        } else if voice.around.each_ref().map(|side| side.to) != sides {
            self.tally.count("a voice turned");
            for (side, to) in voice.around.iter_mut().zip(sides) {
                side.head_for(to, over);
            }
        }
    }

    /// Parks one of whom nothing is heard any more, as soon as there is room for it.
    fn leave_earshot(&mut self, at: usize) {
        let voice = &self.playing[at];
        if !voice.has_left_earshot() {
            self.space.restless = true;
        } else if !voice.stopping && self.parked.len() == self.config.parked {
            self.space.stranded = true;
        } else {
            // What its filters still say is heard from where it was.
            if voice.shaper.is_some() {
                self.leave_ghost(at);
            }
            let mut voice = self.playing.remove(at);
            voice.shaper = None;
            if voice.stopping {
                self.tally.count("a stopping voice out of earshot");
                self.end(voice.number, What::Stopped);
            } else {
                self.tally.count("a voice parked out of earshot");
                self.park_or_end(voice, Why::Inaudible, What::Stopped);
            }
        }
    }

    /// Those begin who have waited until all of the line was known.
    pub fn begin_arrivals(&mut self) {
        while !self.arrivals.is_empty() {
            let voice = self.arrivals.remove(0);
            self.claim(voice);
            self.begin_ready();
        }
    }

    /// Whether nothing would be heard of it where it is.
    pub fn is_out_of_earshot(&self, voice: &Voice) -> bool {
        voice.spot.as_ref().is_some_and(|spot| spot.is_silent(&self.space.ears))
    }

    /// Who is not heard yet is at its place at once.
    pub fn settle_in_place(&self, voice: &mut Voice) {
        if let Some(spot) = &voice.spot {
            voice.around = spot.sides(&self.space.ears).map(Ramp::rest);
        }
    }

    /// Bends the speed of a voice, for the quantum to come, as its movement and the listener's do.
    pub fn bend(&mut self, at: usize) {
        let mut voice = self.playing[at].clone();
        let Some(spot) = &voice.spot else { return };
        let (rate, next) = (self.config.sample_rate, self.now + QUANTUM);
        let moves = |motion: &Motion| motion.velocity(next, rate) != [0.0; 3];
        let bends = moves(&spot.motion) || moves(&self.space.motion);
        if spot.how.doppler > 0.0 && bends {
            self.space.restless = true;
        }
        if voice.is_held(&self.buses) {
            self.space.restless |= spot.bend.is_some();
            return;
        }
        let wanted = spot.doppler(&self.space.ears, &self.space.motion, next, rate);
        let ratio = spot.next_bend(wanted, !voice.heard);
        if ratio == 1.0 {
            self.straighten(&mut voice, false);
        } else {
            self.space.restless = true;
            self.tally.count("a bent quantum");
            self.bend_by(&mut voice, ratio);
        }
        self.playing[at] = voice;
    }

    fn bend_by(&self, voice: &mut Voice, ratio: f32) {
        let (clip, bus) = (&self.clips[voice.clip], &self.buses[voice.bus].pace);
        let mut own = match voice.spot.as_ref().and_then(|spot| spot.bend.clone()) {
            Some(bend) => bend.speed,
            // If its own speed is on its way, it goes on from there.
            None if voice.speed.left() > 0 => {
                let rates = f64::from(self.config.sample_rate) / f64::from(clip.rate);
                let now = (f64::from(voice.speed.ratio_after(0)) * rates) as f32;
                // What it is on its way with its bus is not its own.
                let with_bus = if bus.left() > 0 { bus.ratio_after(0) } else { voice.pace };
                let mut own = Ramp::rest(now / with_bus);
                own.head_for(voice.own_speed, voice.speed.left());
                own
            }
            None => Ramp::rest(voice.own_speed),
        };
        let first = own.now();
        (0..QUANTUM).for_each(|_| own.step());
        let pace = if bus.left() > 0 { bus.ratio_after(QUANTUM) } else { voice.pace };
        if !voice.heard {
            voice.speed.head_for(self.ratio(first * pace * ratio, clip), 0, 0);
        }
        voice.speed.head_for(self.ratio(own.now() * pace * ratio, clip), QUANTUM, 0);
        if let Some(spot) = &mut voice.spot {
            spot.bend = Some(Bend { ratio, speed: own });
        }
    }

    /// Goes at its own speed again, if it was bent; at once, if nobody hears it.
    pub fn straighten(&self, voice: &mut Voice, at_once: bool) {
        let Some(bend) = voice.spot.as_mut().and_then(|spot| spot.bend.take()) else { return };
        let with_bus = self.buses[voice.bus].pace.left();
        let slow = self.declick.max(bend.speed.left()).max(with_bus);
        let over = if at_once { 0 } else { slow };
        let ratio = self.ratio(voice.own_speed * voice.pace, &self.clips[voice.clip]);
        voice.speed.head_for(ratio, over, self.declick);
    }
}
