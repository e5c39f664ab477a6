//! Where the buses of the naive mixer belong, and how fast their time goes.

use super::bus;
use super::naive::Change;
use super::ramp::{Ramp, Speed};
use super::shaper::{Shape, Shaper};
use super::stage::Stage;
use super::voice::Voice;

impl Stage {
    /// What is heard fades out, goes to its new parent on a line, and comes up again; the rest goes there
    /// at once.
    pub fn set_parent(&mut self, bus: usize, parent: usize) {
        self.repaced.push(bus);
        let stays = self.buses[bus].parent == parent;
        if bus == 0 || stays && self.buses[bus].bound_for.is_none() {
            return;
        }
        // It cannot lead to what still leads to it.
        let circle = bus::is_below(&self.buses, parent, bus);
        if !self.is_heard(bus) && !circle {
            // What stood still, or goes on only now, comes up there.
            let begun = self.all_below(bus).into_iter().any(|bus| self.begun[bus]);
            let mut way = bus::way(&self.buses, bus).into_iter();
            let stood = way.any(|bus| self.buses[bus].hold.now() == 0.0);
            self.buses[bus].joint = Ramp::rest(if begun && stood { 0.0 } else { 1.0 });
            self.buses[bus].joint.head_for(1.0, if begun && stood { self.declick } else { 0 });
            return self.link(bus, parent);
        }
        let heard = self.is_heard(bus);
        let it = &mut self.buses[bus];
        it.joint.hurry(if stays { 1.0 } else { 0.0 }, if heard { self.declick } else { 0 });
        it.bound_for = Some(parent).filter(|_| !stays);
    }

    fn link(&mut self, bus: usize, parent: usize) {
        self.tally.count("a bus taken to another parent");
        (self.buses[bus].parent, self.buses[bus].bound_for) = (parent, None);
        self.set_paces(bus, 0);
    }

    /// On a line: those that have faded out, as soon as they can lead to their new parents.
    pub fn take_to_parents(&mut self) {
        let mut taken = Vec::new();
        while let Some((bus, parent)) = (0..self.buses.len()).find_map(|bus| {
            let parent = self.buses[bus].bound_for?;
            let free = self.buses[bus].joint.is_silent();
            (free && !bus::is_below(&self.buses, parent, bus)).then_some((bus, parent))
        }) {
            self.link(bus, parent);
            self.buses[bus].joint.head_for(1.0, self.declick);
            self.tally.count("a bus that was heard taken to another parent");
            taken.push(bus);
        }
        taken.into_iter().for_each(|bus| self.follow(bus));
    }

    pub fn set_bus_speed(&mut self, bus: usize, speed: f32, over: u64) {
        self.buses[bus].speed = speed;
        self.set_paces(bus, over);
        self.repaced.push(bus);
    }

    fn set_paces(&mut self, bus: usize, over: u64) {
        for bus in self.all_below(bus) {
            let way = bus::way(&self.buses, bus);
            let ratio = way.into_iter().map(|bus| self.buses[bus].speed).product();
            let it = &mut self.buses[bus];
            if it.ratio != ratio || over == 0 {
                it.ratio = ratio;
                it.pace.head_for(f64::from(ratio), over, 0);
            }
        }
    }

    /// All plays of a bus, and below it, go with its time.
    pub fn follow(&mut self, bus: usize) {
        let on = self.all_below(bus);
        for at in 0..self.playing.len() {
            if on.contains(&self.playing[at].bus) {
                let mut voice = self.playing[at].clone();
                self.go_with(&mut voice);
                self.playing[at] = voice;
                self.rank(at);
            }
        }
        for at in 0..self.parked.len() {
            if on.contains(&self.parked[at].bus) {
                let mut voice = self.parked[at].clone();
                self.go_with(&mut voice);
                self.hush(&mut voice);
                self.parked[at] = voice;
            }
        }
        let mut arrivals = std::mem::take(&mut self.arrivals);
        arrivals.iter_mut().filter(|it| on.contains(&it.bus)).for_each(|it| self.go_with(it));
        self.arrivals = arrivals;
    }

    fn go_with(&self, voice: &mut Voice) {
        let bus = &self.buses[voice.bus];
        if voice.pace != bus.ratio {
            voice.pace = bus.ratio;
            if voice.spot.as_ref().is_some_and(|spot| spot.bend.is_some()) {
                return;
            }
            let sounding = voice.is_sounding(&self.buses);
            let over = if sounding { bus.pace.left().max(self.declick) } else { 0 };
            let ratio = self.ratio(voice.own_speed * voice.pace, &self.clips[voice.clip]);
            voice.speed.head_for(ratio, over, self.declick);
            voice.stay_on_frames();
        }
    }

    /// One who begins goes as fast as the time of its bus does by now.
    pub fn set_out(&self, voice: &mut Voice) {
        let (bus, clip) = (&self.buses[voice.bus], &self.clips[voice.clip]);
        voice.pace = bus.ratio;
        let there = self.ratio(voice.own_speed * bus.ratio, clip);
        if bus.pace.left() == 0 {
            voice.speed = Speed::rest(there);
        } else {
            let now = (bus.pace.step() as f64 / 4_294_967_296.0) as f32;
            voice.speed = Speed::rest(self.ratio(voice.own_speed * now, clip));
            voice.speed.head_for(there, bus.pace.left(), self.declick);
        }
    }

    /// Goes on without being heard.
    pub fn hush(&self, voice: &mut Voice) {
        self.straighten(voice, true);
        voice.hush();
    }

    /// Turns a filter or a send of a voice: at once, if it was not heard yet.
    pub fn shape_voice(&self, voice: &mut Voice, change: Change, over: u64) {
        let rate = self.config.sample_rate;
        if !self.playing.iter().any(|it| it.number == voice.number) {
            return;
        }
        if !voice.heard {
            voice.shaper = Some(Shaper::new(&voice.shape, rate));
            return;
        }
        let shaper = voice.shaper.get_or_insert_with(|| Shaper::new(&Shape::PLAIN, rate));
        shaper.turn(change, over.max(self.declick), self.declick, rate);
    }

    /// Puts more or less between a voice and the ear, the same way.
    pub fn occlude(&mut self, number: u64, before: f32, to: f32, over: u64) {
        let (rate, declick) = (self.config.sample_rate, self.declick);
        let Some(at) = self.playing.iter().position(|it| it.number == number) else { return };
        let voice = &mut self.playing[at];
        if before == to && voice.shaper.is_none() {
            return;
        }
        if !voice.heard {
            voice.shaper = Some(Shaper::new(&voice.shape, rate));
        } else {
            let shaper = voice.shaper.get_or_insert_with(|| Shaper::new(&Shape::PLAIN, rate));
            shaper.occlude(to, over, declick, rate);
        }
        self.rank(at);
    }
}
