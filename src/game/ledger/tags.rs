//! Which plays have which tag.

/// The tickets of the live plays by their tags: rings of tickets, in the order in which the plays were
/// accepted. To walk a ring takes as many steps as it has tickets, to join and to leave one a few.
///
/// Plays without a tag have a ring of their own. The others share as many rings as half of the
/// tickets: a ring holds the plays of one tag, and seldom those of another.
pub(super) struct TagIndex {
    /// The links of the tickets, and behind them those of the rings.
    links: Box<[Link]>,
    tickets: u32,
    /// By how much the hash of a tag is shifted to give its ring.
    shift: u32,
}

/// The neighbours in a ring, as places in the table.
#[derive(Clone, Copy)]
struct Link {
    before: u32,
    after: u32,
}

impl TagIndex {
    pub fn new(tickets: usize) -> TagIndex {
        let bits = (tickets / 2).max(2).ilog2();
        let rings = 1 + (1 << bits);
        // A ring that is empty leads back to itself.
        let links = (0..(tickets + rings) as u32).map(|place| Link { before: place, after: place });
        TagIndex { links: links.collect(), tickets: tickets as u32, shift: u64::BITS - bits }
    }

    pub fn insert(&mut self, ticket: u32, tag: u64) {
        let ring = self.ring_of(tag);
        let before = std::mem::replace(&mut self.links[ring as usize].before, ticket);
        self.links[before as usize].after = ticket;
        self.links[ticket as usize] = Link { before, after: ring };
    }

    pub fn remove(&mut self, ticket: u32) {
        let Link { before, after } = self.links[ticket as usize];
        self.links[before as usize].after = after;
        self.links[after as usize].before = before;
    }

    /// The tickets in a tag's ring: those of all plays with that tag, and perhaps others.
    pub fn ring(&self, tag: u64) -> impl Iterator<Item = u32> {
        let ring = self.ring_of(tag);
        let mut place = ring;
        std::iter::from_fn(move || {
            place = self.links[place as usize].after;
            (place != ring).then_some(place)
        })
    }

    /// The place of a tag's ring.
    fn ring_of(&self, tag: u64) -> u32 {
        // The golden ratio: its upper bits spread tags that follow each other, and those that differ
        // in any few bits.
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        match tag {
            0 => self.tickets,
            _ => self.tickets + 1 + (tag.wrapping_mul(SPREAD) >> self.shift) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(index: &TagIndex, tag: u64) -> Vec<u32> {
        index.ring(tag).collect()
    }

    #[test]
    fn a_tag_lists_its_plays_in_the_order_in_which_they_came() {
        let mut index = TagIndex::new(8);
        for (ticket, tag) in [(3, 7), (0, 0), (5, 7), (1, 0), (2, 7)] {
            index.insert(ticket, tag);
        }
        assert_eq!(ring(&index, 7), [3, 5, 2]);
        assert_eq!(ring(&index, 0), [0, 1]);
        index.remove(5);
        index.remove(0);
        index.insert(5, 0);
        assert_eq!(ring(&index, 7), [3, 2]);
        assert_eq!(ring(&index, 0), [1, 5]);
        [3, 2].iter().for_each(|ticket| index.remove(*ticket));
        assert_eq!(ring(&index, 7), []);
    }

    /// Steps are counted, not time.
    #[test]
    fn a_tag_takes_as_many_steps_as_it_has_plays_whatever_else_is_live() {
        for plays in [16, 64] {
            let mut index = TagIndex::new(4096);
            // Every other play is somebody else's, or has no tag.
            let tags = (0..4096).map(|n| if n % 2 == 0 { 0 } else { 1_000 + n });
            for (ticket, tag) in (0..4096 - plays).zip(tags) {
                index.insert(ticket, tag);
            }
            (4096 - plays..4096).for_each(|ticket| index.insert(ticket, 7));
            let steps = index.ring(7).count();
            assert!(steps <= plays as usize + 8, "{steps} steps for {plays} plays");
        }
    }

    #[test]
    fn tags_of_every_make_are_spread() {
        let makes: [fn(u64) -> u64; 6] = [
            |n| n + 1,
            |n| (n + 1) << 32,
            |n| (n + 1) << 48,
            |n| u64::MAX - n,
            |n| 0x7f00_0000_1000 + 64 * n,
            |n| (n + 1) * 1_000_003,
        ];
        for (number, make) in makes.into_iter().enumerate() {
            let mut index = TagIndex::new(2048);
            (0..2048).for_each(|n| index.insert(n, make(u64::from(n))));
            let longest = (0..2048).map(|n| index.ring(make(n)).count()).max();
            assert!(longest <= Some(8), "{longest:?} in one ring of make {number}");
        }
    }

    #[test]
    fn the_fewest_tickets_have_rings_too() {
        for tickets in 1..5 {
            let mut index = TagIndex::new(tickets);
            for ticket in 0..tickets as u32 {
                index.insert(ticket, u64::MAX - u64::from(ticket));
                index.remove(ticket);
                index.insert(ticket, 9);
            }
            assert_eq!(index.ring(9).count(), tickets);
        }
    }
}
