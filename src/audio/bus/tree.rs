//! Which bus leads to which.

use super::set::BusSet;
use crate::bus::BusId;

/// The tree of buses. Every way leads to the master.
pub(in crate::audio) struct Tree {
    parents: [BusId; BusId::COUNT],
    /// For each bus, itself and those that it leads through.
    ways: [BusSet; BusId::COUNT],
    /// For each bus, itself and those that lead through it.
    below: [BusSet; BusId::COUNT],
    /// All buses, deepest first and among equals by number: so that each comes before its parent.
    order: [BusId; BusId::COUNT],
}

impl Tree {
    /// Every bus leads straight to the master.
    pub fn flat() -> Tree {
        let mut tree = Tree {
            parents: [BusId::MASTER; BusId::COUNT],
            ways: [BusSet::NONE; BusId::COUNT],
            below: [BusSet::NONE; BusId::COUNT],
            order: [BusId::MASTER; BusId::COUNT],
        };
        tree.rebuild();
        tree
    }

    pub fn parent(&self, bus: BusId) -> BusId {
        self.parents.get(bus.index()).copied().unwrap_or(BusId::MASTER)
    }

    /// Lets a bus lead to another, unless that leads to it, or it is the master.
    pub fn set_parent(&mut self, bus: BusId, parent: BusId) {
        if bus == BusId::MASTER || self.way(parent).has(bus) || self.parent(bus) == parent {
            return;
        }
        if let Some(held) = self.parents.get_mut(bus.index()) {
            *held = parent;
        }
        self.rebuild();
    }

    /// A bus, and those that it leads through.
    pub fn way(&self, bus: BusId) -> BusSet {
        self.ways.get(bus.index()).copied().unwrap_or_default()
    }

    /// A bus, and those that lead through it.
    pub fn below(&self, bus: BusId) -> BusSet {
        self.below.get(bus.index()).copied().unwrap_or_default()
    }

    /// Those that lead through any of these, and these.
    pub fn all_below(&self, buses: BusSet) -> BusSet {
        buses.iter().fold(BusSet::NONE, |all, bus| all.and(self.below(bus)))
    }

    /// A bus and those that it leads through, up to the master.
    #[inline]
    pub fn up(&self, bus: BusId) -> impl Iterator<Item = BusId> + '_ {
        let next = move |bus: &BusId| (*bus != BusId::MASTER).then(|| self.parent(*bus));
        std::iter::successors(Some(bus), next).take(BusId::COUNT)
    }

    /// All buses, each before its parent.
    pub fn order(&self) -> [BusId; BusId::COUNT] {
        self.order
    }

    fn rebuild(&mut self) {
        let (mut ways, mut below) = (self.ways, [BusSet::NONE; BusId::COUNT]);
        let mut depths = [0; BusId::COUNT];
        for ((way, depth), bus) in ways.iter_mut().zip(&mut depths).zip(BusId::all()) {
            *way = BusSet::of(self.up(bus));
            *depth = way.iter().count();
            for above in way.iter() {
                below.get_mut(above.index()).into_iter().for_each(|set| set.add(bus));
            }
        }
        (self.ways, self.below) = (ways, below);
        let mut places = self.order.iter_mut();
        for depth in (1..=BusId::COUNT).rev() {
            for (bus, _) in BusId::all().zip(depths).filter(|(_, it)| *it == depth) {
                places.next().into_iter().for_each(|place| *place = bus);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buses<const N: usize>(numbers: [u8; N]) -> [BusId; N] {
        numbers.map(BusId::new)
    }

    #[test]
    fn a_way_leads_to_the_master_and_children_come_before_parents() {
        let mut tree = Tree::flat();
        let [a, b, c] = buses([3, 1, 2]);
        tree.set_parent(a, b);
        tree.set_parent(b, c);
        assert!(tree.up(a).eq([a, b, c, BusId::MASTER]));
        assert!(tree.below(c).iter().eq([b, c, a]), "by their numbers");
        assert!(tree.below(BusId::MASTER).iter().eq(BusId::all()));
        let order = tree.order();
        assert_eq!(order[..3], [a, b, c]);
        assert_eq!(order[31], BusId::MASTER);
        assert_eq!(BusSet::of(order.into_iter()), tree.below(BusId::MASTER));
    }

    #[test]
    fn a_circle_is_never_closed() {
        let mut tree = Tree::flat();
        let [a, b] = buses([1, 2]);
        tree.set_parent(a, b);
        for (bus, parent) in [(b, a), (a, a), (BusId::MASTER, a)] {
            tree.set_parent(bus, parent);
            assert!(tree.up(a).eq([a, b, BusId::MASTER]));
        }
    }
}
