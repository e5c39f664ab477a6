//! Where buses belong, and how they get elsewhere without a click.

use super::{BusSet, Buses};
use crate::bus::BusId;

impl Buses {
    /// Lets a bus lead to another: at once if nobody hears it, else once it has faded out. Where the other
    /// still leads to it, because that is about to change too, it waits for that.
    /// What stood still with those above it, or was only now told to go on with them, comes up elsewhere.
    pub fn set_parent(
        &mut self,
        id: BusId,
        parent: BusId,
        declick: u32,
        begun: BusSet,
        heard: BusSet,
    ) {
        let stays = self.tree.parent(id) == parent;
        if id == BusId::MASTER || stays && !self.relinking.has(id) {
            return;
        }
        let stood_still = self.way(id).is_paused() || self.way(id).begins_silent();
        let up = if stood_still && self.through(begun, id) { declick } else { 0 };
        let over = if self.through(heard, id) { declick } else { 0 };
        let Some(bus) = self.buses.get_mut(id.index()) else { return };
        bus.joint.hurry_to(if stays { 1.0 } else { 0.0 }, over);
        self.moving.add(id);
        self.relinking.set(id, !stays);
        if let Some(next) = self.next_parents.get_mut(id.index()) {
            *next = parent;
        }
        if over == 0
            && let Some(parent) = self.ready_for(id)
        {
            self.link(id, parent, up);
        }
    }

    /// Whether any bus waits to be taken to another parent.
    pub fn is_relinking(&self) -> bool {
        !self.relinking.is_empty()
    }

    /// Takes those to their new parents that have faded out, and says which. They come up again over the
    /// declick.
    pub fn relink(&mut self, declick: u32) -> BusSet {
        let mut relinked = BusSet::NONE;
        // Each that moves may make way for another.
        while let Some((id, parent)) =
            self.relinking.iter().find_map(|id| Some((id, self.ready_for(id)?)))
        {
            self.link(id, parent, declick);
            relinked.add(id);
        }
        relinked
    }

    /// The parent that a bus can be taken to now, if it waits for one.
    fn ready_for(&self, id: BusId) -> Option<BusId> {
        let parent = *self.next_parents.get(id.index()).filter(|_| self.relinking.has(id))?;
        let ready = self.get(id).joint.is_silent() && !self.tree.way(parent).has(id);
        ready.then_some(parent)
    }

    /// Takes a bus to its new parent, where it comes up over so many frames.
    fn link(&mut self, id: BusId, parent: BusId, over: u32) {
        self.relinking.set(id, false);
        self.tree.set_parent(id, parent);
        self.work_out(self.tree.below(id));
        self.set_paces(id, 0);
        if let Some(bus) = self.buses.get_mut(id.index()) {
            bus.joint.ramp_to(1.0, over);
        }
        self.moving.add(id);
    }
}
