//! The way out: the buses a voice goes through.

pub(super) mod duck;
mod effect;
mod faders;
pub(super) mod limiter;
mod links;
mod pace;
mod room;
pub(super) mod rooms;
mod set;
pub(super) mod submix;
pub(super) mod tail;
pub(super) mod tree;
mod way;

use crate::audio::voice::ramp::Ramp;
use crate::bus::BusId;
use crate::link::message::{Change, Shape, Tone};
use pace::Pace;
pub(super) use set::BusSet;
use tree::Tree;
pub(super) use way::Way;

/// A bus: its gains, the fade that pauses it, and how fast the time of its plays goes.
#[derive(Clone, Copy)]
struct Bus {
    gain: Ramp,
    pause: Ramp,
    mute: Ramp,
    /// Down while it bows to another bus.
    duck: Ramp,
    /// Down while it is taken from one parent to another.
    joint: Ramp,
    /// What all its sends make of its power, dry and wet together.
    spread: f32,
    /// Its speed as it was asked for.
    speed: f32,
    /// Its filters as they were asked for.
    tone: Tone,
}

const OPEN: Bus = Bus {
    gain: UNITY,
    pause: UNITY,
    mute: UNITY,
    duck: UNITY,
    joint: UNITY,
    spread: 1.0,
    speed: 1.0,
    tone: Tone::OPEN,
};

const UNITY: Ramp = Ramp::rest(1.0);

/// What stands in for the gains that a submix applies by itself.
static APPLIED_LATER: Ramp = UNITY;

impl Bus {
    /// All its gains, in the order in which they are multiplied.
    fn all(&self) -> [&Ramp; 5] {
        [&self.gain, &self.pause, &self.mute, &self.duck, &self.joint]
    }

    /// Those that a voice is multiplied by which plays into a submix at or below it: the submix sees to
    /// the others.
    fn pause_alone(&self) -> [&Ramp; 5] {
        let one = &APPLIED_LATER;
        [&self.pause, one, one, one, one]
    }

    /// Those that a submix is multiplied by: all but the pause, so that what rings in it rings out.
    fn fader(&self) -> [&Ramp; 4] {
        [&self.gain, &self.mute, &self.duck, &self.joint]
    }

    fn is_at_rest(&self) -> bool {
        self.all().into_iter().all(Ramp::is_at_rest)
    }

    /// What it makes of a level: a rising gain counts as risen, a falling one as it is, a duck as what it
    /// promises.
    fn level(&self) -> f32 {
        let gains = [&self.gain, &self.pause, &self.mute];
        let open = gains.into_iter().fold(1.0, |gain, ramp| gain * ramp.upcoming());
        open * self.duck.target() * self.spread
    }

    fn advance(&mut self, frames: u32) {
        let Bus { gain, pause, mute, duck, joint, .. } = self;
        for ramp in [gain, pause, mute, duck, joint] {
            ramp.advance(frames);
        }
    }
}

/// All buses. The first is the master.
pub(super) struct Buses {
    buses: [Bus; BusId::COUNT],
    tree: Tree,
    /// The parents that buses are on their way to, and which are.
    next_parents: [BusId; BusId::COUNT],
    relinking: BusSet,
    /// Those that have a buffer of their own, and for each bus the nearest of them on its way.
    submixes: BusSet,
    nearest: [Option<BusId>; BusId::COUNT],
    /// Those that have a filter, and those that have ever bowed to others.
    filtered: BusSet,
    ducked: BusSet,
    /// Those with a gain on its way, or that have just changed.
    moving: BusSet,
    /// Those that stand still, or will.
    pausing: BusSet,
    /// What the way of each makes of a voice, while nothing on it moves.
    steady: [f32; BusId::COUNT],
    /// What that makes of a level, but for the master.
    heard: [f32; BusId::COUNT],
    /// The gains of all as they were when the pass began.
    at_begin: [Bus; BusId::COUNT],
    /// For how many frames there have been buses, and for how many of them each stood still.
    clock: u64,
    stood_still: [u64; BusId::COUNT],
    /// How fast time goes on each, with all above it, and those on which it does not go at its own pace.
    paces: [Pace; BusId::COUNT],
    paced: BusSet,
}

impl Buses {
    pub fn new() -> Buses {
        Buses {
            buses: [OPEN; BusId::COUNT],
            tree: Tree::flat(),
            next_parents: [BusId::MASTER; BusId::COUNT],
            relinking: BusSet::NONE,
            submixes: BusSet::NONE,
            nearest: [None; BusId::COUNT],
            filtered: BusSet::NONE,
            ducked: BusSet::NONE,
            moving: BusSet::NONE,
            pausing: BusSet::NONE,
            steady: [1.0; BusId::COUNT],
            heard: [1.0; BusId::COUNT],
            at_begin: [OPEN; BusId::COUNT],
            clock: 0,
            stood_still: [0; BusId::COUNT],
            paces: [Pace::own(); BusId::COUNT],
            paced: BusSet::NONE,
        }
    }

    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    fn get(&self, bus: BusId) -> &Bus {
        const NONE: &Bus = &OPEN;
        self.buses.get(bus.index()).unwrap_or(NONE)
    }

    /// Whether any voice of these buses goes through this one.
    pub fn through(&self, buses: BusSet, bus: BusId) -> bool {
        buses.meets(self.tree.below(bus))
    }

    /// Those of some buses that are not paused.
    pub fn not_paused(&self, buses: BusSet) -> BusSet {
        BusSet::of(buses.iter().filter(|bus| !self.way(*bus).is_paused()))
    }

    /// What each bus makes of a level, but for the master; `None` for those that let nothing
    /// through, or will in no more than so many frames.
    pub fn levels(&self, soon: u32) -> [Option<f32>; BusId::COUNT] {
        let mut levels = [None; BusId::COUNT];
        for (level, bus) in levels.iter_mut().zip(BusId::all()) {
            let way = self.way(bus);
            let shut = way.is_paused_within(soon) || way.is_silent_within(soon);
            *level = Some(way.level()).filter(|_| !shut);
        }
        levels
    }

    /// Gain, pause, resume and mute; the rest is not for a bus's gains.
    ///
    /// What nobody hears changes at once, so that the first frame of the next play is its
    /// author's: if nothing moves on the bus, or, for the end of a pause, if nothing on it has been
    /// heard before. Only a gain that was given time takes it all the same.
    pub fn change(
        &mut self,
        id: BusId,
        change: Change,
        declick: u32,
        begun: BusSet,
        moving: BusSet,
    ) {
        let soft = |heard: bool, over: u32| if heard { over.max(declick) } else { 0 };
        let (heard, begun) = (self.through(moving, id), self.through(begun, id));
        let Some(bus) = self.buses.get_mut(id.index()) else { return };
        match change {
            Change::Gain { to, over } => bus.gain.ramp_to(to, soft(heard || over > 0, over)),
            Change::Pause { fade } => bus.pause.hurry_to(0.0, soft(heard, fade)),
            Change::Resume { fade } => bus.pause.hurry_to(1.0, soft(begun, fade)),
            Change::Mute(mute) => {
                bus.mute.hurry_to(if mute { 0.0 } else { 1.0 }, soft(heard, 0));
            }
            _ => return,
        }
        let pausing = bus.pause.target() == 0.0;
        self.moving.add(id);
        self.pausing.set(id, pausing);
    }

    /// Bows a bus to another, or no more.
    pub fn set_duck(&mut self, id: BusId, to: f32, over: u32) {
        if let Some(bus) = self.buses.get_mut(id.index()) {
            bus.duck.ramp_to(to, over);
            self.moving.add(id);
            self.ducked.add(id);
        }
    }

    /// The buses that have ever bowed to others, and how far each is down now.
    pub fn ducked(&self) -> impl Iterator<Item = (BusId, f32)> + '_ {
        self.ducked.iter().map(|bus| (bus, self.get(bus).duck.now()))
    }

    /// Sets what the filters and the sends of a bus make of a level.
    pub fn set_shape(&mut self, id: BusId, shape: &Shape) {
        if let Some(bus) = self.buses.get_mut(id.index()) {
            (bus.spread, bus.tone) = (shape.spread(), shape.tone());
            self.filtered.set(id, !bus.tone.is_open());
            self.work_out(self.tree.below(id));
        }
    }

    /// Lets a bus have a buffer of its own, or none any more.
    pub fn set_submix(&mut self, id: BusId, is_one: bool) {
        self.submixes.set(id, is_one);
        self.work_out(self.tree.below(id));
    }

    /// The submix that a voice of this bus plays into, if there is one on its way.
    #[inline]
    pub fn submix(&self, bus: BusId) -> Option<BusId> {
        self.nearest.get(bus.index()).copied().flatten()
    }

    pub fn advance(&mut self, frames: u32) {
        self.clock += u64::from(frames);
        if !self.pausing.is_empty() {
            for bus in self.tree.all_below(self.pausing).iter() {
                let stood_still = u64::from(frames - self.way(bus).moving(frames));
                if let Some(total) = self.stood_still.get_mut(bus.index()) {
                    *total += stood_still;
                }
            }
        }
        self.advance_paces(frames);
        if !self.moving.is_empty() {
            self.advance_moving(frames);
        }
    }

    fn advance_moving(&mut self, frames: u32) {
        let moved = self.moving;
        for id in moved.iter() {
            if let Some(bus) = self.buses.get_mut(id.index()) {
                bus.advance(frames);
                self.moving.set(id, !bus.is_at_rest());
            }
        }
        self.work_out(self.tree.all_below(moved));
    }

    /// Works out what follows from the tree, the submixes and the gains, for some buses.
    fn work_out(&mut self, buses: BusSet) {
        for bus in buses.iter() {
            let nearest = self.tree.up(bus).find(|bus| self.submixes.has(*bus));
            if let Some(held) = self.nearest.get_mut(bus.index()) {
                *held = nearest;
            }
            let product = self.way(bus).all().fold(1.0, |gain, ramp| gain * ramp.target());
            let level = self.level_of(bus);
            let held = self.steady.get_mut(bus.index()).zip(self.heard.get_mut(bus.index()));
            if let Some((steady, heard)) = held {
                (*steady, *heard) = (product, level);
            }
        }
    }

    /// What all on a bus's way but the master make of a level.
    #[inline(never)]
    fn level_of(&self, bus: BusId) -> f32 {
        let others = self.tree.up(bus).filter(|bus| *bus != BusId::MASTER);
        others.fold(1.0, |level, bus| level * self.get(bus).level())
    }
}
