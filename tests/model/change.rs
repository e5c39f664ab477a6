//! The controls of the naive mixer.

use std::time::Duration;

use super::bus;
use super::naive::{Change, What, frames};
use super::ramp::Ramp;
use super::stage::{Stage, pan_law};
use super::submix::RoomSlot;
use super::voice::Voice;

impl Stage {
    /// What nobody hears changes at once.
    pub fn obey_bus(&mut self, bus: usize, change: Change) {
        let moving = self.is_heard(bus);
        let begun = self.all_below(bus).into_iter().any(|bus| self.begun[bus]);
        let whose = if bus == 0 { "the master" } else { "a bus" };
        let while_it = if moving { "moves" } else { "stands" };
        self.tally.count(format!("{} of {whose} that {while_it}", change.name()));
        let over_frames = |over| frames(over, self.config.sample_rate);
        let soft = |heard, over| if heard { over_frames(over).max(self.declick) } else { 0 };
        match change {
            Change::Speed(to, over) => {
                let over = soft(moving || over_frames(over) > 0, over);
                return self.set_bus_speed(bus, to, over);
            }
            // Rooms return into the master, so it has nothing to send.
            Change::Send(..) if bus == 0 => return,
            Change::LowPass(_, over) | Change::HighPass(_, over) | Change::Send(_, _, over) => {
                let over = over_frames(over);
                return self.shape_bus(bus, change, over, moving);
            }
            _ => (),
        }
        let bus = &mut self.buses[bus];
        let before = bus.hold.clone();
        match change {
            Change::Gain(to, over) => {
                let takes_time = moving || over_frames(over) > 0;
                bus.gain.head_for(to, soft(takes_time, over));
            }
            Change::Pause(fade) => bus.hold.hurry(0.0, soft(moving, fade)),
            Change::Resume(fade) => bus.hold.hurry(1.0, soft(begun, fade)),
            Change::Mute(mute) => bus.mute.hurry(open(!mute), soft(moving, Duration::ZERO)),
            Change::Pan(..) => (),
            Change::Stop(_) | Change::EndLoop => unreachable!("that is said to its plays"),
            _ => unreachable!("nobody can say this to a bus"),
        }
        if bus.hold.is_hurried_since(&before) {
            self.tally.count(format!("hurried {} of {whose}", change.name()));
        }
    }

    /// On the beginning of a line: on which buses something is heard, and on which it would be if they
    /// let it.
    pub fn look_at_the_buses(&mut self) {
        for bus in 0..self.buses.len() {
            let heard = self.playing.iter().filter(|it| it.heard && it.bus == bus);
            let rings = self.buses[bus].submix && self.submixes[bus].rings();
            let returns = bus == 0 && self.rooms.iter().flatten().any(RoomSlot::rings);
            let moving = heard.clone().any(|it| !it.is_held(&self.buses));
            self.moving[bus] = moving || rings || returns;
            self.begun[bus] = heard.clone().any(|it| !it.hold.is_silent());
        }
    }

    /// A bus, and all that lead through it.
    pub fn all_below(&self, bus: usize) -> Vec<usize> {
        (0..self.buses.len()).filter(|it| bus::is_below(&self.buses, *it, bus)).collect()
    }

    /// The same by what was said: those that are heard are on their way there.
    pub fn told_below(&self, bus: usize) -> Vec<usize> {
        let above = |it: &usize| {
            let next = |it: &usize| {
                let to = &self.buses[*it];
                (*it != 0).then(|| to.bound_for.unwrap_or(to.parent))
            };
            std::iter::successors(Some(*it), next).any(|it| it == bus)
        };
        (0..self.buses.len()).filter(above).collect()
    }

    /// Whether anything was heard through a bus when the line began.
    pub fn is_heard(&self, bus: usize) -> bool {
        self.all_below(bus).into_iter().any(|bus| self.moving[bus])
    }

    /// Everything stops, what is stopping already no later than this.
    pub fn stop_everything(&mut self, fade: u64) {
        self.numbers_on(&self.all_below(0), |_| true)
            .into_iter()
            .for_each(|number| self.stop(number, fade));
    }

    /// All on a bus that is not stopping stops. The rest is hurried when the line is through.
    pub fn stop_bus(&mut self, bus: usize, fade: u64) {
        let buses = self.told_below(bus);
        self.numbers_on(&buses, |it| !it.stopping)
            .into_iter()
            .for_each(|number| self.stop(number, fade));
        self.hurried.push((buses, fade));
    }

    /// What was said to the plays of a bus, and is done when all of the line is known.
    pub fn finish_the_line(&mut self) {
        for (buses, accepted) in std::mem::take(&mut self.loops_ended) {
            for number in self.numbers_on(&buses, |it| it.number < accepted) {
                self.obey(number, Change::EndLoop);
            }
        }
        for (buses, fade) in std::mem::take(&mut self.hurried) {
            self.numbers_on(&buses, |it| it.stopping)
                .into_iter()
                .for_each(|number| self.stop(number, fade));
        }
    }

    pub fn numbers_on(&self, buses: &[usize], which: impl Fn(&Voice) -> bool) -> Vec<u64> {
        let waiting = self.waiting.iter().map(|waiting| &waiting.voice);
        let all = self.playing.iter().chain(&self.parked).chain(&self.arrivals).chain(waiting);
        let on_it = all.filter(|it| buses.contains(&it.bus) && which(it));
        on_it.map(|it| it.number).collect()
    }

    pub fn stop(&mut self, number: u64, fade: u64) {
        self.fade_out(number, fade, false);
    }

    /// Straight, or as a cosine.
    pub fn fade_out(&mut self, number: u64, fade: u64, round: bool) {
        let (declick, buses) = (self.declick, &self.buses);
        let heard = |it: &Voice| it.is_sounding(buses) && !it.has_left_earshot();
        let sounding = |it: &Voice| it.number == number && heard(it);
        if let Some(at) = self.playing.iter().position(sounding) {
            let (voice, fade) = (&mut self.playing[at], fade.max(declick));
            if !voice.stopping || fade < voice.fade.left() {
                voice.stopping = true;
                if round {
                    voice.fade.swing_to(0.0, fade);
                } else {
                    voice.fade.head_for(0.0, fade);
                }
            }
            self.rank(at);
            return self.abandon(number);
        }
        if let Some(at) = self.playing.iter().position(|it| it.number == number) {
            self.leave_ghost(at);
        }
        if self.is_live(number) {
            self.forget(number);
            self.end(number, What::Stopped);
        }
    }

    pub fn forget(&mut self, number: u64) {
        self.playing.retain(|it| it.number != number);
        self.parked.retain(|it| it.number != number);
        self.arrivals.retain(|it| it.number != number);
        self.waiting.retain(|it| it.voice.number != number);
    }

    pub fn obey(&mut self, number: u64, change: Change) {
        let clips = self.clips.clone();
        if let Change::Stop(fade) = change {
            return self.stop(number, self.frames_of(fade));
        }
        if let Some(at) = self.playing.iter().position(|it| it.number == number) {
            self.count_change(change, &self.playing[at].clone(), "a voice");
            if let Change::Seek(to) = change {
                if self.is_heard_stream(at) {
                    return self.jump_stream(at, to);
                }
                self.leave_ghost(at);
            }
            if let Change::EndLoop = change {
                self.leave_loop(at);
            }
            let mut voice = self.playing[at].clone();
            self.alter(&mut voice, change);
            if voice.hold.is_hurried_since(&self.playing[at].hold) {
                self.tally.count(format!("hurried {} of a voice", change.name()));
            }
            self.playing[at] = voice;
            if self.playing[at].is_heard_elsewhere() && matches!(change, Change::EndLoop) {
                self.draw_jump(at);
            }
            self.land_if_held(at);
            self.rank(at);
        } else if let Some(at) = self.parked.iter().position(|it| it.number == number) {
            let mut voice = self.parked[at].clone();
            self.count_change(change, &voice, "a parked play");
            self.alter(&mut voice, change);
            self.hush(&mut voice);
            self.parked[at] = voice;
        } else if let Some(at) = self.arrivals.iter().position(|it| it.number == number) {
            let mut voice = self.arrivals[at].clone();
            self.count_change(change, &voice, "a play that has just come");
            self.alter(&mut voice, change);
            self.arrivals[at] = voice;
        } else if let Some(at) = self.waiting.iter().position(|it| it.voice.number == number) {
            self.count_change(change, &self.waiting[at].voice.clone(), "a waiting play");
            match change {
                Change::Pause(_) => self.waiting[at].paused = true,
                Change::Resume(_) => self.waiting[at].paused = false,
                Change::Seek(to) => {
                    let voice = &mut self.waiting[at].voice;
                    voice.position = frames(to, clips[voice.clip].rate) << 32;
                }
                _ => {
                    let mut voice = self.waiting[at].voice.clone();
                    self.alter(&mut voice, at_once(change));
                    self.waiting[at].voice = voice;
                }
            }
            return;
        }
        let past_the_end = |it: &Voice| it.number == number && it.is_over(&clips[it.clip]);
        if self.playing.iter().chain(&self.parked).chain(&self.arrivals).any(past_the_end) {
            self.finish(number);
        }
    }

    fn count_change(&mut self, change: Change, voice: &Voice, whom: &str) {
        let has_a_loop = matches!(change, Change::EndLoop) && voice.looping.is_some();
        let and = match voice.wrapped {
            _ if !has_a_loop => "",
            false => ", which loops",
            true => ", which has been round",
        };
        self.tally.count(format!("{} of {whom}{and}", change.name()));
    }

    /// What is not heard changes at once if it is asked to; the rest takes 5 ms at least.
    fn alter(&self, voice: &mut Voice, change: Change) {
        let clip = &self.clips[voice.clip];
        let sounding = voice.is_sounding(&self.buses);
        let soft = |over: Duration| match self.frames_of(over) {
            0 if !sounding => 0,
            over => over.max(self.declick),
        };
        match change {
            Change::Stop(_) => unreachable!("a stop has its own way"),
            // What nobody hears stands still at once, and it may have been told to come up on this very line.
            Change::Pause(_) if !sounding || voice.hold.now() == 0.0 => voice.hold.hurry(0.0, 0),
            Change::Pause(fade) => voice.hold.hurry(0.0, soft(fade)),
            Change::Resume(fade) => voice.rise(self.frames_of(fade), self.declick),
            Change::Mute(mute) => voice.mute.hurry(open(!mute), soft(Duration::ZERO)),
            Change::Gain(to, over) => voice.gain.head_for(to, soft(over)),
            Change::Pan(to, over) => {
                voice.pan = voice.sides().map(Ramp::rest);
                for (side, to) in voice.pan.iter_mut().zip(pan_law(to)) {
                    side.head_for(to, soft(over));
                }
            }
            Change::Speed(to, over) => {
                voice.own_speed = to;
                if let Some(bend) = voice.spot.as_mut().and_then(|spot| spot.bend.as_mut()) {
                    // From the next line on.
                    return bend.speed.head_for(to, soft(over));
                }
                voice.speed.head_for(self.ratio(to * voice.pace, clip), soft(over), self.declick);
                voice.stay_on_frames();
            }
            Change::LowPass(_, over) | Change::HighPass(_, over) | Change::Send(_, _, over) => {
                voice.shape.change(change);
                self.shape_voice(voice, change, self.frames_of(over));
            }
            Change::Seek(to) => voice.seek(frames(to, clip.rate), self.declick),
            Change::EndLoop => voice.end_loop(),
        }
    }
}

fn open(is: bool) -> f32 {
    if is { 1.0 } else { 0.0 }
}

fn at_once(change: Change) -> Change {
    match change {
        Change::Gain(to, _) => Change::Gain(to, Duration::ZERO),
        Change::Pan(to, _) => Change::Pan(to, Duration::ZERO),
        Change::Speed(to, _) => Change::Speed(to, Duration::ZERO),
        other => other,
    }
}
