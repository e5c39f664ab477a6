//! Where the buses belong, and whether what they reserve fits.

use crate::bus::{Bus, BusId};
use crate::error::BusFault;

/// The settings of all buses, by their numbers. The master's parent counts for nothing.
pub(super) type Settings = [Bus; BusId::COUNT];

/// The settings of all buses, which lead to the master.
pub(super) struct Tree {
    settings: Settings,
    /// All buses, each before its parent.
    order: [BusId; BusId::COUNT],
    reserved: bool,
}

impl Tree {
    /// The tree of these settings, if there is no circle in them.
    pub fn new(settings: Settings) -> Option<Tree> {
        let mut order: [BusId; BusId::COUNT] = std::array::from_fn(|n| BusId::new(n as u8));
        let depth = |bus| up(&settings, bus).take(BusId::COUNT + 1).count();
        if order.iter().any(|bus| depth(*bus) > BusId::COUNT) {
            return None;
        }
        order.sort_by_key(|bus| std::cmp::Reverse(depth(*bus)));
        let reserved = settings.iter().any(|bus| bus.reserved > 0);
        Some(Tree { settings, order, reserved })
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn get(&self, bus: BusId) -> Bus {
        self.settings[bus.index()]
    }

    /// The bus that each leads to; the master leads to itself.
    pub fn parents(&self) -> [BusId; BusId::COUNT] {
        std::array::from_fn(|n| if n == 0 { BusId::MASTER } else { self.settings[n].parent })
    }

    /// A bus, and those that it leads through.
    pub fn up(&self, bus: BusId) -> impl Iterator<Item = BusId> {
        up(&self.settings, bus)
    }

    /// A bus, and those that lead through it.
    pub fn below(&self, bus: BusId) -> impl Iterator<Item = BusId> {
        BusId::all().filter(move |other| self.up(*other).any(|above| above == bus))
    }

    /// Whether any bus reserves anything.
    pub fn has_reserves(&self) -> bool {
        self.reserved
    }

    /// How many voices each bus and all below it take with so many plays on each, what they reserve
    /// counted as taken. A reserve includes those below it.
    pub fn taken(&self, plays: &[u32; BusId::COUNT]) -> [usize; BusId::COUNT] {
        let mut taken = plays.map(|plays| plays as usize);
        for bus in self.order {
            let Bus { parent, reserved, .. } = self.get(bus);
            let own = taken[bus.index()].max(reserved);
            taken[bus.index()] = own;
            if bus != BusId::MASTER {
                taken[parent.index()] = taken[parent.index()].saturating_add(own);
            }
        }
        taken
    }

    /// How many voices are reserved in all.
    pub fn reserved(&self) -> usize {
        if !self.reserved {
            return 0;
        }
        let [all, ..] = self.taken(&[0; BusId::COUNT]);
        all
    }

    /// Whether all that is reserved fits into the limits, and into so many voices.
    pub fn check_reserves(&self, voices: usize) -> Result<(), BusFault> {
        let taken = self.taken(&[0; BusId::COUNT]);
        for (limited, reserved) in BusId::all().zip(taken) {
            if let Some(max_voices) = self.get(limited).max_voices
                && reserved > max_voices
            {
                return Err(BusFault::AboveLimit { limited, reserved, max_voices });
            }
        }
        let [reserved, ..] = taken;
        if reserved > voices {
            return Err(BusFault::TooManyReserved { reserved, voices });
        }
        Ok(())
    }
}

/// A bus and those that it leads through, up to the master; without end if there is a circle.
fn up(settings: &Settings, bus: BusId) -> impl Iterator<Item = BusId> {
    let parent = |bus: &BusId| (*bus != BusId::MASTER).then(|| settings[bus.index()].parent);
    std::iter::successors(Some(bus), parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Buses with their parents, what they reserve and their limits.
    fn settings(buses: &[(u8, u8, usize, Option<usize>)]) -> Settings {
        let mut settings = [Bus::DEFAULT; BusId::COUNT];
        for &(bus, parent, reserved, max_voices) in buses {
            let parent = BusId::new(parent);
            settings[usize::from(bus)] = Bus { parent, reserved, max_voices, ..Bus::DEFAULT };
        }
        settings
    }

    #[test]
    fn circles_of_any_length_are_no_tree() {
        let circles: [&[(u8, u8)]; 4] =
            [&[(1, 1)], &[(1, 2), (2, 1)], &[(9, 8), (8, 7), (7, 9)], &[(3, 2), (2, 1), (1, 2)]];
        for circle in circles {
            let buses: Vec<_> = circle.iter().map(|(bus, to)| (*bus, *to, 0, None)).collect();
            assert!(Tree::new(settings(&buses)).is_none(), "{circle:?}");
        }
        let line: Vec<_> = (1..32).map(|bus| (bus, bus - 1, 0, None)).collect();
        let line = Tree::new(settings(&line)).expect("the longest way there is");
        assert_eq!(line.up(BusId::new(31)).count(), 32);
        assert_eq!(line.below(BusId::new(30)).map(BusId::index).collect::<Vec<_>>(), [30, 31]);
        // The master's own parent counts for nothing.
        assert!(Tree::new(settings(&[(0, 1, 0, None)])).is_some());
    }

    #[test]
    fn a_reserve_includes_those_below_it() {
        let reserved = |buses: &[_]| Tree::new(settings(buses)).map(|tree| tree.reserved());
        assert_eq!(reserved(&[]), Some(0));
        assert_eq!(reserved(&[(1, 0, 4, None), (2, 1, 3, None)]), Some(4));
        assert_eq!(reserved(&[(1, 0, 4, None), (2, 1, 3, None), (3, 1, 3, None)]), Some(6));
        assert_eq!(reserved(&[(1, 2, 4, None), (2, 0, 0, None), (3, 0, 1, None)]), Some(5));
    }

    #[test]
    fn plays_fill_the_reserve_of_their_bus_and_no_other() {
        let tree = Tree::new(settings(&[(1, 0, 4, None), (2, 1, 3, None)])).expect("a tree");
        let taken = |plays: &[(usize, u32)]| {
            let mut counts = [0; BusId::COUNT];
            plays.iter().for_each(|(bus, count)| counts[*bus] = *count);
            tree.taken(&counts)[0]
        };
        assert_eq!(taken(&[(0, 2)]), 6);
        assert_eq!(taken(&[(1, 1)]), 4, "three are kept for the bus below");
        assert_eq!(taken(&[(1, 2)]), 5);
        assert_eq!(taken(&[(1, 2), (2, 3)]), 5);
        assert_eq!(taken(&[(2, 4), (5, 1)]), 5);
    }

    #[test]
    fn what_is_reserved_fits_into_every_limit_and_the_pool() {
        let check = |buses: &[_], voices| {
            Tree::new(settings(buses)).map(|tree| tree.check_reserves(voices))
        };
        let above = |limited, reserved, max_voices| {
            let limited = BusId::new(limited);
            Some(Err(BusFault::AboveLimit { limited, reserved, max_voices }))
        };
        assert_eq!(check(&[(1, 0, 4, Some(4))], 4), Some(Ok(())));
        assert_eq!(check(&[(1, 0, 4, Some(3))], 4), above(1, 4, 3));
        assert_eq!(check(&[(1, 0, 0, Some(3)), (2, 1, 4, None)], 4), above(1, 4, 3));
        assert_eq!(
            check(&[(1, 0, 0, Some(3)), (2, 1, 2, None), (3, 1, 2, None)], 9),
            above(1, 4, 3)
        );
        let (reserved, voices) = (5, 4);
        assert_eq!(
            check(&[(1, 0, 4, None), (2, 0, 1, None)], 4),
            Some(Err(BusFault::TooManyReserved { reserved, voices }))
        );
        let all = check(&[(1, 0, usize::MAX, None), (2, 0, usize::MAX, None)], 4);
        assert!(all.is_some_and(|all| all.is_err()));
    }
}
