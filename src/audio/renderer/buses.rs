//! What is said to buses, and what becomes of it line by line.

use super::Renderer;
use crate::audio::PASS;
use crate::audio::bus::BusSet;
use crate::audio::bus::submix::EffectNews;
use crate::bus::BusId;
use crate::effect::Effect;
use crate::link::message::{Change, Made, QUANTUM, Report, Retired};
use crate::link::tape::Noted;
use crate::reverb::RoomId;

impl Renderer {
    /// On each line, before the commands: buses get to their new parents, submixes that nobody needs are
    /// plain buses again, and what is not used any more goes home.
    pub(super) fn settle_buses(&mut self) {
        if self.buses.is_relinking() {
            let relinked = self.buses.relink(self.setup.declick);
            if !relinked.is_empty() {
                self.follow_buses(self.buses.tree().all_below(relinked));
            }
        }
        self.plays.voices.release_shapers();
        if !self.submixes.is_empty() {
            while let Some(news) = self.submixes.take_effect_news() {
                match news {
                    EffectNews::Changed(bus, old) => {
                        self.send_report(Report::EffectChanged { bus, old });
                    }
                    EffectNews::Failed(bus, at, why) => {
                        self.note(Noted::EffectFailed { bus: bus.index() as u32 });
                        self.notify(Report::EffectFailed { bus, at, why });
                    }
                    EffectNews::Retired(effect) => self.send_report(Report::EffectRetired(effect)),
                }
            }
            for bus in self.submixes.release(&mut self.buses).iter() {
                self.bridge.meters.bus(bus).show_submix(false);
            }
        }
        while let Some((room, made)) = self.rooms.take_retired() {
            self.send_report(Report::Retired(Retired::Room(room), made));
        }
    }

    /// Shows how many voices play on each bus, where that has changed, and how far each bows.
    pub(super) fn show_buses(&mut self) {
        for (bus, gain) in self.buses.ducked() {
            self.bridge.meters.bus(bus).show_duck(gain);
        }
        self.show_counts();
    }

    /// Shows how many voices play on each bus, where that has changed.
    pub(super) fn show_counts(&mut self) {
        let all = self.plays.voices.len() as u32;
        let limits = self.plays.voices.limits_mut();
        for bus in limits.take_changed().iter() {
            let voices = if bus == BusId::MASTER { all } else { limits.count(bus) };
            self.bridge.meters.bus(bus).show_playing(voices);
        }
    }

    /// The buses on which anything is heard: voices that are not paused, and what rings.
    pub(super) fn heard(&self) -> BusSet {
        let mut ringing = self.submixes.ringing();
        if self.rooms.ring() {
            ringing.add(BusId::MASTER);
        }
        self.buses.not_paused(self.begun_on).and(ringing)
    }

    /// Gives a bus the submix that came with a command.
    pub(super) fn equip(&mut self, bus: BusId, submix: Option<Made>) {
        if let Some(spare) = submix.and_then(|made| self.submixes.equip(bus, made)) {
            self.send_report(Report::Retired(Retired::Submix, spare));
        }
    }

    /// Turns a filter or a send of a bus.
    pub(super) fn shape_bus(&mut self, bus: BusId, change: Change, heard: BusSet) {
        let heard = self.buses.through(heard, bus);
        self.submixes.change(bus, change, heard, &mut self.buses, &self.setup);
        self.show_submix(bus);
    }

    /// Puts an effect in, or takes it out.
    pub(super) fn set_effect(
        &mut self,
        bus: BusId,
        effect: Option<Box<dyn Effect>>,
        heard: BusSet,
    ) {
        let heard = self.buses.through(heard, bus);
        if let Err(back) = self.submixes.set_effect(bus, effect, heard, &mut self.buses) {
            self.send_report(Report::EffectChanged { bus, old: back });
        }
        self.show_submix(bus);
    }

    fn show_submix(&self, bus: BusId) {
        self.bridge.meters.bus(bus).show_submix(self.submixes.active().has(bus));
    }

    /// Puts another room in the place of the one before it.
    pub(super) fn set_room(&mut self, room: RoomId, made: Made, over: u32, heard: bool) {
        if let Some(unused) = self.rooms.set(room, made, over.max(self.setup.declick), heard) {
            self.send_report(Report::Retired(Retired::Room(room), unused));
        }
    }

    /// Works out which buses bow to others from this line on.
    pub(super) fn step_ducks(&mut self) {
        self.ducks_are_steady = true;
        if self.ducks.is_empty() {
            return;
        }
        let (plays, buses) = (&self.plays, &self.buses);
        let listened = buses.tree().all_below(self.ducks.listened());
        // Where somebody is heard, and where somebody is and will be for a whole pass.
        let (mut present, mut lasting) = (BusSet::NONE, BusSet::NONE);
        for (_, voice) in plays.voices.pool().iter().filter(|(_, it)| listened.has(it.bus)) {
            let way = buses.way(voice.bus);
            if voice.inaudible(&way, 0).is_none() {
                present.add(voice.bus);
            }
            if voice.inaudible(&way, PASS as u32).is_none() && !voice.may_end_within(PASS as u32) {
                lasting.add(voice.bus);
            }
        }
        // How soon somebody begins to play on each.
        let mut soonest = [u64::MAX; BusId::COUNT];
        let ahead = self.ducks.look_ahead();
        plays.schedule().soon(self.now, ahead, buses, &self.space, |bus, after| {
            soonest.get_mut(bus.index()).into_iter().for_each(|held| *held = after.min(*held));
        });
        let tree = buses.tree();
        let is_present = |by| present.meets(tree.below(by));
        let begins_within = |by, frames: u32| {
            let below = tree.below(by).iter().filter_map(|bus| soonest.get(bus.index()));
            below.min().is_some_and(|soonest| *soonest <= u64::from(frames))
        };
        let soon = self.now + u64::from(self.ducks.look_ahead()) + PASS as u64;
        let lasts = |by| lasting.meets(tree.below(by));
        let nobody_comes = plays.schedule().next().is_none_or(|next| next > soon);
        let mut targets = [None; BusId::COUNT];
        self.ducks.step(QUANTUM as u32, is_present, begins_within, |bus, to, over| {
            targets.get_mut(bus.index()).into_iter().for_each(|target| *target = Some((to, over)));
        });
        self.ducks_are_steady = nobody_comes && self.ducks.are_steady(lasts);
        for (bus, (to, over)) in BusId::all().zip(targets).filter_map(|(bus, it)| Some((bus, it?)))
        {
            self.buses.set_duck(bus, to, over);
            self.plays.parked.rouse();
        }
    }

    /// All plays of some buses go with their time, which may have another pace now, and know of their filters.
    pub(super) fn follow_buses(&mut self, on: BusSet) {
        let (plays, buses, setup) = (&mut self.plays, &self.buses, &self.setup);
        let mut walk = plays.voices.pool().walk();
        while let Some(slot) = walk.next(plays.voices.pool()) {
            if let Some(voice) = plays.voices.at_mut(slot)
                && on.has(voice.bus)
            {
                voice.follow(&buses.way(voice.bus), setup);
                plays.voices.rank(slot, setup);
            }
        }
        let mut walk = plays.parked.pool().walk();
        while let Some(slot) = walk.next(plays.parked.pool()) {
            let bus = plays.parked.pool().at(slot).map(|parked| parked.voice.bus);
            if bus.is_some_and(|bus| on.has(bus)) {
                plays.parked.change(slot, buses, setup, |voice| {
                    voice.follow(&buses.way(voice.bus), setup);
                });
            }
        }
        let mut walk = plays.arrivals().walk();
        while let Some(slot) = walk.next(plays.arrivals()) {
            if let Some(voice) = plays.arrival_mut(slot)
                && on.has(voice.bus)
            {
                voice.follow(&buses.way(voice.bus), setup);
            }
        }
        plays.reschedule(self.now, on, buses);
    }
}
