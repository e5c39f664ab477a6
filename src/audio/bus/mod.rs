//! The way out: the buses a voice goes through.

pub(super) mod limiter;
pub(super) mod tail;

use crate::audio::voice::ramp::Ramp;
use crate::link::message::Change;
use crate::play::BusId;

/// A bus: its gain, and the fade that pauses it.
pub(in crate::audio) struct Bus {
    pub gain: Ramp,
    pub hold: Ramp,
}

const OPEN: Bus = Bus { gain: Ramp::rest(1.0), hold: Ramp::rest(1.0) };

/// What stands in for a bus of its own when a voice plays straight into the master.
static STRAIGHT: Bus = OPEN;

/// The sixteen of them. The first is the master.
pub(in crate::audio) struct Buses {
    master: Bus,
    others: [Bus; BusId::COUNT - 1],
    /// For how many frames each has ever moved: its own time, which stands still while it is
    /// paused.
    clocks: [u64; BusId::COUNT],
}

/// The buses on a voice's way.
#[derive(Clone, Copy)]
pub(in crate::audio) struct Route<'a> {
    pub bus: &'a Bus,
    pub master: &'a Bus,
}

impl Route<'_> {
    /// What the way makes of a level, but for the master, which is the same for all: what is
    /// muted as a whole must not forget who was quiet.
    pub fn level(&self) -> f32 {
        self.bus.gain.upcoming() * self.bus.hold.upcoming()
    }

    /// What the master makes of a level.
    pub fn master_level(&self) -> f32 {
        self.master.gain.upcoming() * self.master.hold.upcoming()
    }

    /// Whether a voice stands still on this way.
    pub fn is_held(&self) -> bool {
        [self.bus, self.master].iter().any(|bus| bus.hold.is_silent())
    }

    /// For how many of the coming frames a voice moves on this way, before it is paused.
    pub fn moving(&self, frames: u32) -> u32 {
        self.master.hold.sounding(self.bus.hold.sounding(frames))
    }
}

/// Buses with voices on them that are in some state: a bit for each.
#[derive(Clone, Copy, Default)]
pub(in crate::audio) struct BusSet(u32);

impl BusSet {
    pub fn add(&mut self, bus: BusId) {
        self.0 |= 1 << bus.index();
    }

    fn has(self, bus: BusId) -> bool {
        self.0 & 1 << bus.index() != 0
    }

    /// Whether any such voice goes through this bus.
    pub fn through(self, bus: BusId) -> bool {
        if bus == BusId::MASTER { self.0 != 0 } else { self.has(bus) }
    }

    /// Those of them that are not paused.
    pub fn moving(self, buses: &Buses) -> BusSet {
        let mut moving = BusSet::default();
        let here = BusId::all().filter(|bus| self.has(*bus));
        here.filter(|bus| !buses.route(*bus).is_held()).for_each(|bus| moving.add(bus));
        moving
    }
}

impl Buses {
    pub fn new() -> Buses {
        Buses { master: OPEN, others: [OPEN; BusId::COUNT - 1], clocks: [0; BusId::COUNT] }
    }

    pub fn route(&self, bus: BusId) -> Route<'_> {
        let other = bus.index().checked_sub(1).and_then(|index| self.others.get(index));
        Route { bus: other.unwrap_or(&STRAIGHT), master: &self.master }
    }

    /// The time of a bus.
    pub fn clock(&self, bus: BusId) -> u64 {
        self.clocks.get(bus.index()).copied().unwrap_or(0)
    }

    /// Gain, pause and resume; the rest is not for a bus itself.
    ///
    /// What nobody hears changes at once, so that the first frame of the next play is its
    /// author's: a gain and a pause if nothing moves on the bus, the end of a pause if nothing
    /// on it has been heard before.
    pub fn change(
        &mut self,
        id: BusId,
        change: Change,
        declick: u32,
        begun: BusSet,
        moving: BusSet,
    ) {
        let other = id.index().checked_sub(1).and_then(|index| self.others.get_mut(index));
        let bus = other.unwrap_or(&mut self.master);
        let soft = |heard: bool, over: u32| {
            if heard || over > 0 { over.max(declick) } else { 0 }
        };
        match change {
            Change::Gain { to, over } => bus.gain.head_for(to, soft(moving.through(id), over)),
            Change::Pause { .. } if bus.hold.target() > 0.0 => {
                bus.hold.head_for(0.0, soft(moving.through(id), 0));
            }
            Change::Resume { .. } if bus.hold.target() == 0.0 => {
                bus.hold.head_for(1.0, soft(begun.through(id), 0));
            }
            Change::Pause { .. } | Change::Resume { .. } | Change::Mute(_) | Change::EndLoop => (),
            Change::Stop { .. }
            | Change::Pan { .. }
            | Change::Speed { .. }
            | Change::Seek { .. } => (),
        }
    }

    pub fn advance(&mut self, frames: u32) {
        let moving = self.master.hold.sounding(frames);
        let others = self.others.iter().map(|bus| bus.hold.sounding(moving));
        for (clock, moved) in self.clocks.iter_mut().zip(std::iter::once(moving).chain(others)) {
            *clock += u64::from(moved);
        }
        for bus in std::iter::once(&mut self.master).chain(&mut self.others) {
            bus.gain.advance(frames);
            bus.hold.advance(frames);
        }
    }
}
