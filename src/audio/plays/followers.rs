//! Who follows whom: plays that begin when another has finished.
//!
//! The plays that follow one are a list of its own, so that to follow, to be called off, and to be told that
//! the leader is over takes a few steps each, however many follow whom.

use super::lists::TicketLists;
use crate::pool::Pool;

/// Where a table has nothing.
const NONE: u32 = u32::MAX;

/// Who follows whom: those who follow by their places in the schedule, of which there are few, and those who are
/// followed by their tickets.
pub(in crate::audio) struct Followers {
    leaders: Pool<Leader>,
    /// For each leader those that follow it; and behind these two lists more, of those who wait for nobody any
    /// longer: because their leader has finished, and because it never will.
    followers: TicketLists,
    /// By ticket, which of the leaders it is.
    leader_of: Box<[u32]>,
    /// By ticket, of a play that is over: whether it finished.
    has_finished: Box<[bool]>,
    /// How many are in any of the lists: mostly nobody, so that nothing need be looked up.
    count: usize,
}

/// A play that is followed.
pub(in crate::audio) struct Leader {
    pub ticket: u32,
    /// The frame on which it will finish; `u64::MAX`, if that is not known or not soon.
    finishes_at: u64,
}

impl Followers {
    pub fn new(scheduled: usize, tickets: usize) -> Followers {
        Followers {
            leaders: Pool::new(scheduled),
            followers: TicketLists::new(scheduled + 2, scheduled),
            leader_of: vec![NONE; tickets].into_boxed_slice(),
            has_finished: vec![false; tickets].into_boxed_slice(),
            count: 0,
        }
    }

    /// Whether nobody follows anybody, and nobody is to begin or to end.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The list of those whose leader has finished.
    fn ready(&self) -> u32 {
        self.leaders.capacity() as u32
    }

    /// The list of those whose leader never will.
    fn orphans(&self) -> u32 {
        self.leaders.capacity() as u32 + 1
    }

    /// The list of those that follow a play.
    fn list_of(&self, leader: u32) -> u32 {
        self.leader_of.get(leader as usize).copied().unwrap_or(NONE)
    }

    fn set_list(&mut self, leader: u32, list: u32) {
        if let Some(held) = self.leader_of.get_mut(leader as usize) {
            *held = list;
        }
    }

    /// The play in a place of the schedule waits for another to finish.
    pub fn follow(&mut self, place: u32, leader: u32) {
        if self.list_of(leader) == NONE {
            let new = Leader { ticket: leader, finishes_at: u64::MAX };
            // There are as many places here as in the schedule.
            let Ok(key) = self.leaders.insert(new) else { return };
            self.set_list(leader, key.slot() as u32);
        }
        self.followers.link(self.list_of(leader), place);
        self.count += 1;
    }

    /// The play in a place of the schedule waits for nobody any longer: it begins, or is over.
    pub fn leave(&mut self, place: u32) {
        let Some(list) = self.followers.unlink(place) else { return };
        self.count = self.count.saturating_sub(1);
        if self.followers.first(list).is_none()
            && let Some(leader) = self.leaders.take(list)
        {
            self.set_list(leader.ticket, NONE);
        }
    }

    /// The place of the first of those that follow a play.
    pub fn first(&self, leader: u32) -> Option<u32> {
        self.followers.first(self.list_of(leader))
    }

    /// A play is over. Those that followed it are to begin, or end as well.
    #[inline(always)]
    pub fn end(&mut self, ticket: u32, has_finished: bool) {
        if let Some(held) = self.has_finished.get_mut(ticket as usize) {
            *held = has_finished;
        }
        if !self.is_empty() {
            self.release(ticket, if has_finished { self.ready() } else { self.orphans() });
        }
    }

    /// A play is stopping, so that it will not finish.
    pub fn abandon(&mut self, leader: u32) {
        if !self.is_empty() {
            self.release(leader, self.orphans());
        }
    }

    #[inline(never)]
    fn release(&mut self, leader: u32, to: u32) {
        while let Some(place) = self.first(leader) {
            self.followers.link(to, place);
        }
        if self.leaders.take(self.list_of(leader)).is_some() {
            self.set_list(leader, NONE);
        }
    }

    /// Whether the play that last held a ticket, and is over, finished.
    pub fn has_finished(&self, ticket: u32) -> bool {
        self.has_finished.get(ticket as usize).copied().unwrap_or(false)
    }

    /// Whether nobody is to begin or to end.
    #[inline(always)]
    pub fn are_settled(&self) -> bool {
        let is_done = |list| self.followers.first(list).is_none();
        self.is_empty() || is_done(self.ready()) && is_done(self.orphans())
    }

    /// Takes out the first of those whose leader has finished.
    pub fn take_ready(&mut self) -> Option<u32> {
        self.take_first(self.ready())
    }

    /// Takes out the first of those whose leader never will.
    pub fn take_orphan(&mut self) -> Option<u32> {
        self.take_first(self.orphans())
    }

    fn take_first(&mut self, list: u32) -> Option<u32> {
        let place = self.followers.first(list)?;
        self.leave(place);
        Some(place)
    }

    // When the leaders finish.

    /// Whether a play is followed.
    #[inline(always)]
    pub fn leads(&self, ticket: u32) -> bool {
        !self.is_empty() && self.list_of(ticket) != NONE
    }

    /// Those that are followed.
    pub fn leaders(&self) -> &Pool<Leader> {
        &self.leaders
    }

    /// Notes on which frame a play that is followed will finish; `u64::MAX`, if that is not known yet.
    pub fn set_finish(&mut self, leader: u32, at: u64) {
        if let Some(leader) = self.leaders.at_mut(self.list_of(leader)) {
            leader.finishes_at = at;
        }
    }

    /// The frame on which the first of those that are followed will finish; `u64::MAX`, if none will soon.
    #[inline]
    pub fn next_finish(&self) -> u64 {
        if self.is_empty() {
            return u64::MAX;
        }
        self.leaders.iter().map(|(_, it)| it.finishes_at).min().unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ready(table: &mut Followers) -> Vec<u32> {
        std::iter::from_fn(|| table.take_ready()).collect()
    }

    fn orphans(table: &mut Followers) -> Vec<u32> {
        std::iter::from_fn(|| table.take_orphan()).collect()
    }

    fn leaders(table: &Followers) -> Vec<u32> {
        table.leaders().iter().map(|(_, it)| it.ticket).collect()
    }

    #[test]
    fn those_who_follow_one_begin_in_the_order_in_which_they_came() {
        let mut table = Followers::new(4, 90);
        [3, 1, 2].iter().for_each(|place| table.follow(*place, 71));
        table.follow(0, 75);
        table.leave(1);
        assert_eq!((table.first(71), table.leads(75), table.leads(1)), (Some(3), true, false));
        table.end(71, true);
        assert!(!table.are_settled() && !table.leads(71) && table.has_finished(71));
        assert_eq!((ready(&mut table), orphans(&mut table)), (vec![3, 2], vec![]));
        assert!(table.are_settled() && table.leads(75) && !table.is_empty());
    }

    #[test]
    fn whose_leader_does_not_finish_is_an_orphan() {
        let mut table = Followers::new(3, 90);
        [(2, 71), (0, 71), (1, 75)].iter().for_each(|(place, of)| table.follow(*place, *of));
        table.abandon(71);
        assert!(!table.leads(71) && leaders(&table) == [75]);
        assert_eq!(orphans(&mut table), [2, 0]);
        table.end(75, false);
        assert_eq!((orphans(&mut table), ready(&mut table)), (vec![1], vec![]));
        assert!(!table.has_finished(75) && leaders(&table).is_empty() && table.is_empty());
    }

    #[test]
    fn the_first_to_finish_is_known_among_those_who_are_followed() {
        let mut table = Followers::new(3, 90);
        assert_eq!(table.next_finish(), u64::MAX);
        [(2, 71), (0, 72), (1, 75)].iter().for_each(|(place, of)| table.follow(*place, *of));
        [(71, 70), (72, 40), (74, 3)].iter().for_each(|(of, at)| table.set_finish(*of, *at));
        assert_eq!((table.next_finish(), leaders(&table)), (40, vec![71, 72, 75]));
        table.leave(0);
        assert_eq!(table.next_finish(), 70, "nobody follows the other any longer");
        table.follow(0, 72);
        assert_eq!(table.next_finish(), 70, "nobody has asked it again");
    }
}
