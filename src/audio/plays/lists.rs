//! Lists of tickets, or of other small numbers, in as much memory as these take. A ticket is in one of them at
//! a time, or in none; to join and to leave one takes a few steps, however long it is.

/// Where a list ends.
const NONE: u32 = u32::MAX;

pub(in crate::audio) struct TicketLists {
    links: Box<[Link]>,
    /// The first and the last of each list.
    ends: Box<[[u32; 2]]>,
}

#[derive(Clone, Copy)]
struct Link {
    /// The list that it is in, or `NONE`.
    list: u32,
    before: u32,
    after: u32,
}

const ALONE: Link = Link { list: NONE, before: NONE, after: NONE };

impl TicketLists {
    pub fn new(lists: usize, tickets: usize) -> TicketLists {
        TicketLists {
            links: vec![ALONE; tickets].into_boxed_slice(),
            ends: vec![[NONE; 2]; lists].into_boxed_slice(),
        }
    }

    /// Puts a ticket at the end of a list, out of any other.
    pub fn link(&mut self, list: u32, ticket: u32) {
        self.unlink(ticket);
        let Some([first, last]) = self.ends.get_mut(list as usize) else { return };
        let Some(link) = self.links.get_mut(ticket as usize) else { return };
        let before = std::mem::replace(last, ticket);
        *link = Link { list, before, after: NONE };
        match self.links.get_mut(before as usize) {
            Some(link) => link.after = ticket,
            None => *first = ticket,
        }
    }

    /// Takes a ticket out of the list that it is in. Returns which that was.
    pub fn unlink(&mut self, ticket: u32) -> Option<u32> {
        let link = self.links.get_mut(ticket as usize).filter(|link| link.list != NONE)?;
        let Link { list, before, after } = std::mem::replace(link, ALONE);
        let [first, last] = self.ends.get_mut(list as usize)?;
        match self.links.get_mut(before as usize) {
            Some(link) => link.after = after,
            None => *first = after,
        }
        match self.links.get_mut(after as usize) {
            Some(link) => link.before = before,
            None => *last = before,
        }
        Some(list)
    }

    pub fn first(&self, list: u32) -> Option<u32> {
        self.ends.get(list as usize).map(|ends| ends[0]).filter(|ticket| *ticket != NONE)
    }

    /// The tickets in a list, in the order in which they came.
    pub fn iter(&self, list: u32) -> impl Iterator<Item = u32> {
        let after = |ticket: &u32| {
            self.links.get(*ticket as usize).map(|link| link.after).filter(|after| *after != NONE)
        };
        std::iter::successors(self.first(list), after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_its_tickets_in_the_order_they_came() {
        let mut lists = TicketLists::new(2, 6);
        let all = |lists: &TicketLists, list| lists.iter(list).collect::<Vec<u32>>();
        for (ticket, list) in [(3, 0), (0, 0), (5, 1), (4, 0)] {
            lists.link(list, ticket);
        }
        assert_eq!((all(&lists, 0), all(&lists, 1)), (vec![3, 0, 4], vec![5]));
        assert_eq!((lists.unlink(0), lists.unlink(0)), (Some(0), None));
        lists.link(0, 5);
        assert_eq!((all(&lists, 0), all(&lists, 1)), (vec![3, 4, 5], vec![]));
        assert_eq!((lists.unlink(3), lists.unlink(5)), (Some(0), Some(0)));
        assert_eq!((all(&lists, 0), lists.first(0)), (vec![4], Some(4)));
        lists.link(2, 1);
        lists.link(1, 6);
        assert_eq!((all(&lists, 0), lists.unlink(1)), (vec![4], None), "there are no such");
    }
}
