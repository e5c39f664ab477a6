//! What lies between a voice and the ear: the buses on its way out.

use super::{Bus, BusSet, Buses};
use crate::audio::voice::glide::Glide;
use crate::audio::voice::ramp::Ramp;
use crate::bus::BusId;
use crate::link::message::Tone;

/// The buses on a voice's way.
#[derive(Clone, Copy)]
pub(in crate::audio) struct Way<'a> {
    buses: &'a Buses,
    bus: BusId,
    /// It, and all that it leads through.
    set: BusSet,
    steady: Option<f32>,
    /// Whether all but the pauses is left out.
    pauses_alone: bool,
}

impl<'a> Way<'a> {
    /// All gains on the way, in the order in which they are multiplied: up to the nearest submix, and from
    /// there on the pauses alone.
    pub fn all(&self) -> impl Iterator<Item = &'a Ramp> + use<'a> {
        let buses = self.buses;
        let mut open = !self.pauses_alone;
        buses.tree.up(self.bus).flat_map(move |id| {
            open &= !buses.submixes.has(id);
            let bus = buses.get(id);
            if open { bus.all() } else { bus.pause_alone() }
        })
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
    #[inline]
    pub fn level(&self) -> f32 {
        match self.buses.heard.get(self.bus.index()) {
            Some(heard) if self.steady.is_some() => *heard,
            _ => self.buses.level_of(self.bus),
        }
    }

    /// What the master makes of a level.
    pub fn master_level(&self) -> f32 {
        self.buses.get(BusId::MASTER).level()
    }

    /// Whether a voice stands still on this way.
    pub fn is_paused(&self) -> bool {
        self.is_paused_within(0)
    }

    /// Whether it does, or will in no more than so many frames.
    pub fn is_paused_within(&self, frames: u32) -> bool {
        self.pausing().any(|bus| bus.pause.is_silent_within(frames))
    }

    /// Whether nothing has been heard through it yet: it was only now told to go on.
    pub fn begins_silent(&self) -> bool {
        let moving = self.set.both(self.buses.moving);
        moving.iter().any(|bus| self.buses.get(bus).pause.now() == 0.0)
    }

    /// Whether some other gain is silent, or will be in no more than so many frames.
    pub fn is_silent_within(&self, frames: u32) -> bool {
        let shut =
            |bus: &Bus| [&bus.gain, &bus.mute].into_iter().any(|it| it.is_silent_within(frames));
        self.buses.tree.up(self.bus).any(|bus| shut(self.buses.get(bus)))
    }

    /// For how many of the coming frames a voice moves on this way, before it is paused.
    pub fn moving(&self, frames: u32) -> u32 {
        self.pausing().fold(frames, |frames, bus| bus.pause.sounding(frames))
    }

    /// The buses on the way that stand still, or will.
    fn pausing(&self) -> impl Iterator<Item = &'a Bus> + use<'a> {
        let (buses, set) = (self.buses, self.set.both(self.buses.pausing));
        set.iter().map(move |bus| buses.get(bus))
    }

    /// All filters on this way together.
    pub fn tone(&self) -> Tone {
        let filtered = self.set.both(self.buses.filtered).iter();
        filtered.fold(Tone::OPEN, |tone, bus| tone.and(self.buses.get(bus).tone))
    }

    /// How fast time goes on this way, as a ratio, where it is going.
    pub fn pace(&self) -> f32 {
        if self.buses.paced.has(self.bus) { self.buses.pace(self.bus).ratio } else { 1.0 }
    }

    /// The same as a step, if it is still on its way.
    pub fn pace_glide(&self) -> Option<Glide> {
        let paced = self.buses.paced.has(self.bus);
        paced.then(|| self.buses.pace(self.bus).glide).filter(|glide| glide.remaining() > 0)
    }
}

impl Buses {
    #[inline]
    pub fn way(&self, bus: BusId) -> Way<'_> {
        let set = self.tree.way(bus);
        let steady = self.steady.get(bus.index()).copied().filter(|_| !self.moving.meets(set));
        Way { buses: self, bus, set, steady, pauses_alone: false }
    }

    /// The same with its pauses alone: for a voice with filters of its own, behind which the faders come. So
    /// what rings in them stays as loud when a bus becomes a submix, and goes nowhere with a bus that moves.
    pub fn pauses(&self, bus: BusId) -> Way<'_> {
        let way = Way { pauses_alone: true, ..self.way(bus) };
        let product = || way.all().fold(1.0, |gain, ramp| gain * ramp.target());
        Way { steady: way.steady.map(|_| product()), ..way }
    }
}
