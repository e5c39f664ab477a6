//! What buses are multiplied by, frame by frame, where it is not part of a voice's own gains: in submixes,
//! in what is sent to rooms, and behind the filters of a voice.

use super::Buses;
use crate::bus::BusId;

impl Buses {
    /// Keeps the gains as they are, for what is worked out when the whole pass is mixed.
    pub fn begin_pass(&mut self) {
        self.at_begin = self.buses;
    }

    /// What a submix and the plain buses above it, up to the next, are multiplied by on each frame of the
    /// pass: first its own fader, then those between. Returns the submix above, if there is one.
    pub fn fill_faders(&self, id: BusId, own: &mut [f32], between: &mut [f32]) -> Option<BusId> {
        own.fill(1.0);
        between.fill(1.0);
        self.apply_fader(id, own);
        for bus in self.tree.up(id).skip(1) {
            if self.submixes.has(bus) {
                return Some(bus);
            }
            self.apply_fader(bus, between);
        }
        None
    }

    /// What all buses above this one are multiplied by, but for the master: what its sends go through too.
    pub fn fill_above(&self, id: BusId, curve: &mut [f32]) {
        curve.fill(1.0);
        for bus in self.tree.up(id).skip(1).filter(|bus| *bus != BusId::MASTER) {
            self.apply_fader(bus, curve);
        }
    }

    /// What a bus is multiplied by on each frame of the pass.
    pub fn apply_fader(&self, id: BusId, curve: &mut [f32]) {
        if let Some(bus) = self.at_begin.get(id.index()) {
            bus.fader().into_iter().for_each(|ramp| ramp.apply(curve));
        }
    }

    /// What all buses on the way of a voice up to its nearest submix, or through the master, are multiplied by
    /// on each of the coming frames.
    pub fn fill_to_submix(&self, bus: BusId, curve: &mut [f32]) {
        curve.fill(1.0);
        self.apply(self.tree.up(bus).take_while(|bus| !self.submixes.has(*bus)), curve);
    }

    /// What all of them are multiplied by but the master, into which rooms return.
    pub fn fill_to_master(&self, bus: BusId, curve: &mut [f32]) {
        curve.fill(1.0);
        self.apply(self.tree.up(bus).filter(|bus| *bus != BusId::MASTER), curve);
    }

    fn apply(&self, buses: impl Iterator<Item = BusId>, curve: &mut [f32]) {
        let faders = buses.flat_map(|bus| self.get(bus).fader());
        faders.for_each(|ramp| ramp.apply(curve));
    }
}
