//! The way out: the buses a voice goes through.

pub(super) mod limiter;
pub(super) mod tail;

use crate::audio::voice::ramp::Ramp;
use crate::link::message::Change;
use crate::play::BusId;

/// A bus: its gain, the fade that pauses it, and its mute.
struct Bus {
    gain: Ramp,
    pause: Ramp,
    mute: Ramp,
}

const OPEN: Bus = Bus { gain: Ramp::rest(1.0), pause: Ramp::rest(1.0), mute: Ramp::rest(1.0) };

impl Bus {
    /// All its gains, in the order in which they are multiplied.
    fn all(&self) -> [&Ramp; 3] {
        [&self.gain, &self.pause, &self.mute]
    }

    fn is_at_rest(&self) -> bool {
        self.all().into_iter().all(Ramp::is_at_rest)
    }

    /// What it makes of a level: a rising gain counts as risen, a falling one as it is.
    fn level(&self) -> f32 {
        self.all().into_iter().fold(1.0, |gain, ramp| gain * ramp.upcoming())
    }

    fn advance(&mut self, frames: u32) {
        for ramp in [&mut self.gain, &mut self.pause, &mut self.mute] {
            ramp.advance(frames);
        }
    }
}

/// What stands in for a bus of its own when a voice plays straight into the master.
static STRAIGHT: Bus = OPEN;

/// All buses. The first is the master.
pub(super) struct Buses {
    master: Bus,
    others: [Bus; BusId::COUNT - 1],
    /// Those with a gain on its way, or that have just changed.
    moving: BusSet,
    /// Those that stand still, or will.
    pausing: BusSet,
    /// What each makes of a voice, together with the master, while neither of them moves.
    steady: [f32; BusId::COUNT],
    /// For how many frames there have been buses, and for how many of them each stood still.
    clock: u64,
    stood_still: [u64; BusId::COUNT],
}

/// The buses on a voice's way.
#[derive(Clone, Copy)]
pub(super) struct Way<'a> {
    bus: &'a Bus,
    master: &'a Bus,
    steady: Option<f32>,
}

impl Way<'_> {
    /// All gains on the way, in the order in which they are multiplied.
    pub fn all(&self) -> impl Iterator<Item = &Ramp> {
        self.bus.all().into_iter().chain(self.master.all())
    }

    /// Their product, if none of them moves.
    pub fn steady(&self) -> Option<f32> {
        self.steady
    }

    /// Their product on each of the coming frames.
    pub fn fill(&self, curve: &mut [f32]) {
        curve.fill(1.0);
        self.all().for_each(|ramp| ramp.apply(curve));
    }

    /// What the way makes of a level, but for the master, which is the same for all: what is
    /// muted as a whole must not forget who was quiet.
    pub fn level(&self) -> f32 {
        self.bus.level()
    }

    /// What the master makes of a level.
    pub fn master_level(&self) -> f32 {
        self.master.level()
    }

    /// Whether a voice stands still on this way.
    pub fn is_paused(&self) -> bool {
        self.is_paused_within(0)
    }

    /// Whether it does, or will in no more than so many frames.
    pub fn is_paused_within(&self, frames: u32) -> bool {
        [self.bus, self.master].into_iter().any(|bus| bus.pause.is_silent_within(frames))
    }

    /// Whether some other gain is silent, or will be in no more than so many frames.
    pub fn is_silent_within(&self, frames: u32) -> bool {
        [self.bus, self.master]
            .into_iter()
            .any(|bus| [&bus.gain, &bus.mute].into_iter().any(|it| it.is_silent_within(frames)))
    }

    /// For how many of the coming frames a voice moves on this way, before it is paused.
    pub fn moving(&self, frames: u32) -> u32 {
        self.master.pause.sounding(self.bus.pause.sounding(frames))
    }
}

/// Some of the buses: a bit for each.
#[derive(Clone, Copy, Default)]
pub(super) struct BusSet(u32);

impl BusSet {
    pub fn add(&mut self, bus: BusId) {
        self.0 |= 1 << bus.index();
    }

    pub fn set(&mut self, bus: BusId, is_in: bool) {
        self.0 = self.0 & !(1 << bus.index()) | u32::from(is_in) << bus.index();
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn has(self, bus: BusId) -> bool {
        self.0 & 1 << bus.index() != 0
    }

    pub fn iter(mut self) -> impl Iterator<Item = BusId> {
        std::iter::from_fn(move || {
            let bus = BusId::from_index(self.0.trailing_zeros())?;
            self.0 &= self.0 - 1;
            Some(bus)
        })
    }

    /// These, or all if the master is among them: everybody's way leads through it.
    fn and_those_behind(self) -> BusSet {
        if self.has(BusId::MASTER) { BusSet(u32::MAX) } else { self }
    }

    /// Whether any voice of these buses goes through this one.
    pub fn through(self, bus: BusId) -> bool {
        if bus == BusId::MASTER { !self.is_empty() } else { self.has(bus) }
    }

    /// Those of them that are not paused.
    pub fn not_paused(self, buses: &Buses) -> BusSet {
        let mut moving = BusSet::default();
        self.iter().filter(|bus| !buses.way(*bus).is_paused()).for_each(|bus| moving.add(bus));
        moving
    }
}

impl Buses {
    pub fn new() -> Buses {
        Buses {
            master: OPEN,
            others: [OPEN; BusId::COUNT - 1],
            moving: BusSet::default(),
            pausing: BusSet::default(),
            steady: [1.0; BusId::COUNT],
            clock: 0,
            stood_still: [0; BusId::COUNT],
        }
    }

    pub fn way(&self, bus: BusId) -> Way<'_> {
        let moves = self.moving.has(bus) || self.moving.has(BusId::MASTER);
        let steady = self.steady.get(bus.index()).copied().filter(|_| !moves);
        Way { bus: self.own(bus), master: &self.master, steady }
    }

    /// What a bus adds to the way through the master: nothing, if it is the master.
    fn own(&self, bus: BusId) -> &Bus {
        let other = bus.index().checked_sub(1).and_then(|index| self.others.get(index));
        other.unwrap_or(&STRAIGHT)
    }

    fn get_mut(&mut self, bus: BusId) -> &mut Bus {
        let other = bus.index().checked_sub(1).and_then(|index| self.others.get_mut(index));
        other.unwrap_or(&mut self.master)
    }

    /// What each bus makes of a level, but for the master; `None` for those that let nothing
    /// through, or will in no more than so many frames.
    pub fn levels(&self, soon: u32) -> [Option<f32>; BusId::COUNT] {
        let mut levels = [None; BusId::COUNT];
        for (level, bus) in levels.iter_mut().zip(BusId::all()) {
            let way = self.way(bus);
            let shut = way.all().any(|ramp| ramp.is_silent_within(soon));
            *level = Some(way.level()).filter(|_| !shut);
        }
        levels
    }

    /// The time of a bus: for how many frames it has moved. It stands still while the bus is paused.
    pub fn clock(&self, bus: BusId) -> u64 {
        self.clock - self.stood_still.get(bus.index()).copied().unwrap_or(0)
    }

    /// Gain, pause, resume and mute; the rest is not for a bus itself.
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
        let heard = moving.through(id);
        let bus = self.get_mut(id);
        match change {
            Change::Gain { to, over } => bus.gain.ramp_to(to, soft(heard || over > 0, over)),
            Change::Pause { fade } => bus.pause.hurry_to(0.0, soft(heard, fade)),
            Change::Resume { fade } => bus.pause.hurry_to(1.0, soft(begun.through(id), fade)),
            Change::Mute(mute) => {
                bus.mute.hurry_to(if mute { 0.0 } else { 1.0 }, soft(heard, 0));
            }
            Change::Stop { .. }
            | Change::Pan { .. }
            | Change::Speed { .. }
            | Change::Seek { .. }
            | Change::EndLoop => return,
        }
        let pausing = bus.pause.target() == 0.0;
        self.moving.add(id);
        self.pausing.set(id, pausing);
    }

    pub fn advance(&mut self, frames: u32) {
        self.clock += u64::from(frames);
        if !self.pausing.is_empty() {
            for bus in self.pausing.and_those_behind().iter() {
                let stood_still = u64::from(frames - self.way(bus).moving(frames));
                if let Some(total) = self.stood_still.get_mut(bus.index()) {
                    *total += stood_still;
                }
            }
        }
        if !self.moving.is_empty() {
            self.advance_moving(frames);
        }
    }

    fn advance_moving(&mut self, frames: u32) {
        let moved = self.moving;
        for bus in moved.iter() {
            self.get_mut(bus).advance(frames);
            let is_moving = !self.get_mut(bus).is_at_rest();
            self.moving.set(bus, is_moving);
        }
        for bus in moved.and_those_behind().iter() {
            let product = self.way(bus).all().fold(1.0, |gain, ramp| gain * ramp.target());
            if let Some(held) = self.steady.get_mut(bus.index()) {
                *held = product;
            }
        }
    }
}
