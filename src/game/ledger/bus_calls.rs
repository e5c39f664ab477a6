//! What is said about the buses as a whole: their tree, the mix, the rooms, ducks and effects.

use super::Ledger;
use super::tree::Tree;
use crate::Error;
use crate::bus::{Bus, BusId, BusState, BusStats, Mix};
use crate::duck::{self, DuckFrames};
use crate::effect::Effect;
use crate::error::BusFault;
use crate::reverb::{Reverb, RoomId};
use crate::target::Target;

impl Ledger {
    /// Sends the settings of a bus, or lets them wait.
    pub fn set_bus(&mut self, bus: BusId, settings: Bus) -> Result<(), Error> {
        let parent = if bus == BusId::MASTER { BusId::MASTER } else { settings.parent };
        let all = self.buses.settings_with(bus, Bus { parent, ..settings });
        let tree = Tree::new(all).ok_or(BusFault::Circle { parent });
        let tree = tree.and_then(|tree| self.check(&tree).map(|()| tree));
        self.plant(tree.map_err(|why| Error::Bus { bus, why })?);
        Ok(())
    }

    /// Whether the settings of all buses can hold together.
    fn check(&self, tree: &Tree) -> Result<(), BusFault> {
        tree.check_reserves(self.capacity.settled_voices())?;
        match duck::circle(&tree.parents(), self.wishes.ducks.pairs()) {
            Some(_) => Err(BusFault::DuckCircle),
            None => Ok(()),
        }
    }

    fn plant(&mut self, tree: Tree) {
        for _ in 0..self.buses.plant(tree) {
            self.outbox.place(&mut self.buses, &self.tickets);
        }
    }

    pub fn bus(&self, bus: BusId) -> BusState {
        self.buses.state(bus)
    }

    pub fn mix(&self) -> Mix {
        self.buses.mix()
    }

    /// Brings all buses to these states: the settings only if they fit, and then first, so that all else
    /// finds them where they belong.
    pub fn set_mix(&mut self, mix: &Mix, over: u32) {
        let tree = Tree::new(mix.states().map(|state| state.settings));
        if let Some(tree) = tree.filter(|tree| self.check(tree).is_ok()) {
            self.plant(tree);
        }
        for bus in BusId::all() {
            for change in self.buses.changes_to(bus, mix.bus(bus), over) {
                self.change(Target::Bus(bus), change);
            }
        }
    }

    pub fn bus_stats(&self, bus: BusId) -> BusStats {
        let meters = self.bridge.meters.bus(bus);
        let losses = self.inbox.losses(self.buses.tree().below(bus));
        BusStats {
            playing: if self.bridge.is_closed() { 0 } else { meters.playing() as usize },
            most: meters.most() as usize,
            stolen: losses.stolen,
            loudest_lost: losses.loudest,
            peak: meters.peak(),
            duck: meters.duck(),
        }
    }

    /// Sends a room, once the one before it has taken its place.
    pub fn set_reverb(&mut self, room: RoomId, reverb: Reverb, over: u32) {
        self.wishes.room(room, reverb, over);
        self.flush();
    }

    /// Sends a duck, or lets it wait.
    pub fn set_duck(
        &mut self,
        bus: BusId,
        by: BusId,
        duck: Option<DuckFrames>,
    ) -> Result<(), Error> {
        let set = self.wishes.ducks.set(bus, by, duck, &self.buses.tree().parents());
        set.map_err(|why| Error::Duck { bus, by, why })?;
        self.wishes.ducks_wait();
        self.flush();
        Ok(())
    }

    /// Sends an effect, once the one before it has taken its place. Gives back one that will not cross, to
    /// be dropped once the ledger is unlocked.
    pub fn set_effect(
        &mut self,
        bus: BusId,
        effect: Option<Box<dyn Effect>>,
    ) -> Option<Box<dyn Effect>> {
        if self.bridge.is_closed() {
            return effect;
        }
        let replaced = self.wishes.effect(bus, effect);
        self.flush();
        replaced
    }
}
