//! Which buses make room for which.

use crate::bus::BusId;
use crate::duck::{self, DuckFrames};
use crate::error::DuckFault;
use crate::link::message::{Command, PlainCommand};

/// All ducks, and those of which the audio side has not been told.
pub(super) struct Ducks {
    list: Vec<Pair>,
}

/// A bus, and one that it makes room for.
struct Pair {
    bus: BusId,
    by: BusId,
    /// `None`: it does so no more, and the audio side is to be told.
    duck: Option<DuckFrames>,
    /// Whether the audio side was told of one for this pair.
    is_told: bool,
    waits: bool,
}

/// How many ducks there can be: as many as the audio side has room for.
pub(crate) const MOST_DUCKS: usize = 64;

impl Ducks {
    pub fn new() -> Ducks {
        Ducks { list: Vec::new() }
    }

    /// The ducks there are: the bus, and the one that it makes room for.
    pub fn pairs(&self) -> impl Iterator<Item = (BusId, BusId)> + Clone {
        self.list.iter().filter(|pair| pair.duck.is_some()).map(|pair| (pair.bus, pair.by))
    }

    /// Lets a bus make room for another in a tree of buses, or do so no more.
    pub fn set(
        &mut self,
        bus: BusId,
        by: BusId,
        duck: Option<DuckFrames>,
        parents: &[BusId; BusId::COUNT],
    ) -> Result<(), DuckFault> {
        let known = self.list.iter().position(|pair| (pair.bus, pair.by) == (bus, by));
        if duck.is_some() && !self.pairs().any(|pair| pair == (bus, by)) {
            if duck::circle(parents, self.pairs().chain([(bus, by)])).is_some() {
                return Err(DuckFault::Circle);
            }
            if self.pairs().count() >= MOST_DUCKS {
                return Err(DuckFault::TooMany { most: MOST_DUCKS });
            }
        }
        match known {
            // What the audio side never heard of needs no end.
            Some(at) if duck.is_none() && !self.list[at].is_told => {
                self.list.remove(at);
            }
            Some(at) => {
                let pair = &mut self.list[at];
                pair.waits |= pair.duck != duck;
                pair.duck = duck;
            }
            None if duck.is_none() => (),
            None => self.list.push(Pair { bus, by, duck, is_told: false, waits: true }),
        }
        Ok(())
    }

    /// Takes out the next of those that wait: first those that end, so that the audio side never has more
    /// than there can be.
    pub fn next(&mut self) -> Option<PlainCommand> {
        let waits = |ends: bool| {
            self.list.iter().position(|pair| pair.waits && pair.duck.is_none() == ends)
        };
        let at = waits(true).or_else(|| waits(false))?;
        let pair = &mut self.list[at];
        (pair.waits, pair.is_told) = (false, true);
        let Pair { bus, by, duck, .. } = *pair;
        if duck.is_none() {
            self.list.remove(at);
        }
        Some(Command::Duck { bus, by, duck })
    }

    /// Forgets what waits: there is nobody to tell.
    pub fn give_up(&mut self) {
        self.list.iter_mut().for_each(|pair| pair.waits = false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT: [BusId; BusId::COUNT] = [BusId::MASTER; BusId::COUNT];
    const DUCK: DuckFrames = DuckFrames { gain: 0.5, attack: 1, hold: 2, release: 3 };

    fn bus(n: u8) -> BusId {
        BusId::new(n)
    }

    fn sent(ducks: &mut Ducks) -> Vec<(usize, usize, bool)> {
        let told = |command| match command {
            Command::Duck { bus, by, duck } => (bus.index(), by.index(), duck.is_some()),
            _ => panic!("only ducks are sent"),
        };
        std::iter::from_fn(|| ducks.next()).map(told).collect()
    }

    #[test]
    fn the_latest_of_each_pair_is_told_and_nothing_twice() {
        let mut ducks = Ducks::new();
        let set = |ducks: &mut Ducks, by, duck| ducks.set(bus(1), bus(by), duck, &FLAT);
        assert_eq!(set(&mut ducks, 2, Some(DUCK)), Ok(()));
        assert_eq!(set(&mut ducks, 3, Some(DUCK)), Ok(()));
        // It was never told, so it need not be told that it ended.
        assert_eq!(set(&mut ducks, 3, None), Ok(()));
        assert_eq!(sent(&mut ducks), [(1, 2, true)]);
        assert_eq!(set(&mut ducks, 2, Some(DUCK)), Ok(()));
        assert_eq!(sent(&mut ducks), []);
        assert_eq!(set(&mut ducks, 2, None), Ok(()));
        assert_eq!(set(&mut ducks, 4, Some(DUCK)), Ok(()));
        assert_eq!(sent(&mut ducks), [(1, 2, false), (1, 4, true)]);
        assert_eq!(set(&mut ducks, 2, None), Ok(()));
        assert_eq!(sent(&mut ducks), []);
    }

    #[test]
    fn circles_and_more_than_there_can_be_change_nothing() {
        let mut ducks = Ducks::new();
        let pairs = (1..17).flat_map(|from| (17..21).map(move |by| (bus(from), bus(by))));
        pairs.for_each(|(from, by)| assert_eq!(ducks.set(from, by, Some(DUCK), &FLAT), Ok(())));
        let too_many = Err(DuckFault::TooMany { most: 64 });
        assert_eq!(ducks.set(bus(1), bus(21), Some(DUCK), &FLAT), too_many);
        assert_eq!(ducks.set(bus(17), bus(1), Some(DUCK), &FLAT), Err(DuckFault::Circle));
        assert_eq!(ducks.set(bus(9), bus(9), Some(DUCK), &FLAT), Err(DuckFault::Circle));
        assert_eq!(sent(&mut ducks).len(), 64);
        // Another in the place of one, and one more once one has gone.
        let other = DuckFrames { gain: 0.1, ..DUCK };
        assert_eq!(ducks.set(bus(1), bus(17), Some(other), &FLAT), Ok(()));
        assert_eq!(ducks.set(bus(2), bus(17), None, &FLAT), Ok(()));
        assert_eq!(ducks.set(bus(1), bus(21), Some(DUCK), &FLAT), Ok(()));
        assert_eq!(sent(&mut ducks), [(2, 17, false), (1, 17, true), (1, 21, true)]);
    }
}
