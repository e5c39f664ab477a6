//! Where plays are, as the game says it in every frame: on its way to the audio side.
//!
//! Only the latest counts, and nothing of it takes a place in the queue from a play or a control. So it
//! has places there of its own, and what finds none is kept by ticket, until there is one.

use std::collections::VecDeque;

use crate::link::message::{Ears, Move, Moves};
use crate::link::{MOVE_BLOCKS, MOVE_PLACES};
use crate::space::Point;

/// A few go one by one, and many in a block.
const FEW: usize = 2;

/// What was said of places and was not sent yet.
pub(super) struct MoveStore {
    /// The latest for each ticket, made when it is first needed.
    latest: Box<[Latest]>,
    /// The tickets for which there is any, in the order in which it came, and perhaps others.
    line: VecDeque<u32>,
    listener: Option<(Ears, bool)>,
    /// Blocks that are at home, and how many were made.
    blocks: Vec<Moves>,
    made: usize,
    /// The numbers of the messages about places that may still be in the queue.
    under_way: VecDeque<u64>,
    capacity: usize,
}

/// What was last said to one play.
#[derive(Clone, Copy, Default)]
struct Latest {
    position: Option<(Point, bool)>,
    occlusion: Option<(f32, u32)>,
    in_line: bool,
}

/// What is sent next.
pub(super) enum NextMove {
    Listener { ears: Ears, jump: bool },
    One { ticket: u32, to: Move },
    Many(Moves),
}

impl MoveStore {
    pub fn new(tickets: usize) -> MoveStore {
        MoveStore {
            latest: Box::default(),
            line: VecDeque::new(),
            listener: None,
            blocks: Vec::new(),
            made: 0,
            under_way: VecDeque::new(),
            capacity: tickets,
        }
    }

    /// Whether anything waits.
    pub fn wait(&self) -> bool {
        self.listener.is_some() || !self.line.is_empty()
    }

    /// Keeps where the listener is. A jump stays one, however the listener goes on from there.
    pub fn keep_listener(&mut self, ears: Ears, jump: bool) {
        let jumped = self.listener.is_some_and(|(_, jumped)| jumped);
        self.listener = Some((ears, jump || jumped));
    }

    /// Keeps what was said to a play, in the place of what was said of the same before it.
    pub fn keep(&mut self, ticket: u32, to: Move) {
        if self.latest.is_empty() {
            self.latest = vec![Latest::default(); self.capacity].into();
        }
        let Some(latest) = self.latest.get_mut(ticket as usize) else { return };
        match to {
            Move::Position { to, jump } => {
                let jumped = latest.position.is_some_and(|(_, jumped)| jumped);
                latest.position = Some((to, jump || jumped));
            }
            Move::Occlusion { to, over } => latest.occlusion = Some((to, over)),
        }
        if !latest.in_line {
            latest.in_line = true;
            self.line.push_back(ticket);
        }
    }

    /// Forgets what waits for a play that has ended.
    #[inline]
    pub fn forget(&mut self, ticket: u32) {
        if let Some(latest) = self.latest.get_mut(ticket as usize) {
            // It keeps its place in the line, and is passed over there.
            *latest = Latest { in_line: latest.in_line, ..Latest::default() };
        }
    }

    /// Whether another message about places may go into the queue, of which so many were collected.
    pub fn has_place(&self, collected: u64) -> bool {
        self.in_queue(collected) < MOVE_PLACES
    }

    /// How many messages about places are in the queue, of which so many were collected.
    #[inline]
    pub fn in_queue(&self, collected: u64) -> usize {
        if self.under_way.is_empty() {
            return 0;
        }
        self.under_way.len() - self.under_way.partition_point(|number| *number <= collected)
    }

    /// Notes that one was sent under this number, when so many had been collected.
    pub fn sent(&mut self, number: u64, collected: u64) {
        while self.under_way.front().is_some_and(|number| *number <= collected) {
            self.under_way.pop_front();
        }
        self.under_way.push_back(number);
    }

    /// Takes out what is to be sent next: the listener, then one play or, if more wait, many. None: nothing
    /// waits, or no block is at home for them.
    pub fn next(&mut self) -> Option<NextMove> {
        if let Some((ears, jump)) = self.listener.take() {
            return Some(NextMove::Listener { ears, jump });
        }
        if self.line.len() <= FEW {
            let (ticket, to) = self.next_of_line()?;
            return Some(NextMove::One { ticket, to });
        }
        let mut block = self.block()?;
        while !block.is_full()
            && let Some((ticket, to)) = self.next_of_line()
        {
            block.push(ticket, to);
        }
        Some(NextMove::Many(block))
    }

    /// The same one by one, for when nobody will send any more.
    pub fn next_one(&mut self) -> Option<NextMove> {
        if let Some((ears, jump)) = self.listener.take() {
            return Some(NextMove::Listener { ears, jump });
        }
        self.next_of_line().map(|(ticket, to)| NextMove::One { ticket, to })
    }

    fn next_of_line(&mut self) -> Option<(u32, Move)> {
        loop {
            let ticket = *self.line.front()?;
            let latest = self.latest.get_mut(ticket as usize)?;
            if let Some((to, jump)) = latest.position.take() {
                return Some((ticket, Move::Position { to, jump }));
            }
            if let Some((to, over)) = latest.occlusion.take() {
                return Some((ticket, Move::Occlusion { to, over }));
            }
            latest.in_line = false;
            self.line.pop_front();
        }
    }

    /// An empty block, if one is at home or was not made yet.
    fn block(&mut self) -> Option<Moves> {
        if self.blocks.is_empty() && self.made < MOVE_BLOCKS {
            self.made += 1;
            return Some(Moves::new());
        }
        self.blocks.pop()
    }

    /// A block has come home. One that a replay had made is of no more use.
    pub fn came_home(&mut self, mut block: Moves) {
        if self.blocks.len() < MOVE_BLOCKS {
            block.clear();
            self.blocks.push(block);
        }
    }

    /// Forgets all that waits, since there is nobody to tell.
    pub fn give_up(&mut self) {
        self.listener = None;
        while self.next_of_line().is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(x: f32) -> Move {
        Move::Position { to: Point { x, y: 0.0, z: 0.0 }, jump: false }
    }

    fn jump(x: f32) -> Move {
        Move::Position { to: Point { x, y: 0.0, z: 0.0 }, jump: true }
    }

    fn all(store: &mut MoveStore) -> Vec<(u32, Move)> {
        let mut all = Vec::new();
        while let Some(next) = store.next() {
            match next {
                NextMove::One { ticket, to } => all.push((ticket, to)),
                NextMove::Many(block) => {
                    all.extend_from_slice(block.list());
                    store.came_home(block);
                }
                NextMove::Listener { .. } => panic!("nothing was said of the listener"),
            }
        }
        assert!(!store.wait());
        all
    }

    #[test]
    fn of_each_kind_the_latest_counts_and_a_jump_stays_one() {
        let mut store = MoveStore::new(4);
        let wall = |to| Move::Occlusion { to, over: 5 };
        for (ticket, to) in [
            (2, to(1.0)),
            (0, jump(2.0)),
            (2, wall(0.5)),
            (2, to(3.0)),
            (0, to(4.0)),
            (2, wall(0.7)),
        ] {
            store.keep(ticket, to);
        }
        assert_eq!(all(&mut store), [(2, to(3.0)), (2, wall(0.7)), (0, jump(4.0))]);
        store.keep_listener(Ears::DEFAULT, true);
        store.keep_listener(Ears::DEFAULT, false);
        assert!(matches!(store.next(), Some(NextMove::Listener { jump: true, .. })));
    }

    #[test]
    fn what_has_ended_is_passed_over_and_its_ticket_can_be_used_again() {
        let mut store = MoveStore::new(4);
        store.keep(1, jump(1.0));
        store.keep(3, to(2.0));
        store.forget(1);
        assert_eq!(all(&mut store), [(3, to(2.0))]);
        store.keep(1, to(5.0));
        assert_eq!(all(&mut store), [(1, to(5.0))]);
    }

    #[test]
    fn a_ticket_stands_in_the_line_once_however_many_plays_had_it() {
        let mut store = MoveStore::new(4);
        for _ in 0..100 {
            store.keep(1, to(1.0));
            store.forget(1);
        }
        assert_eq!(store.line.len(), 1);
        store.keep(1, to(2.0));
        assert_eq!(all(&mut store), [(1, to(2.0))]);
    }

    #[test]
    fn many_go_in_blocks_and_wait_while_none_is_at_home() {
        let tickets = (MOVE_BLOCKS * Moves::MOST + 10) as u32;
        let mut store = MoveStore::new(tickets as usize);
        (0..tickets).for_each(|ticket| store.keep(ticket, to(ticket as f32)));
        let mut away = Vec::new();
        while let Some(NextMove::Many(block)) = store.next() {
            away.push(block);
        }
        assert_eq!(away.len(), MOVE_BLOCKS);
        assert!(away.iter().all(|block| block.is_full()));
        store.keep(tickets - 1, to(0.5));
        store.came_home(away.pop().expect("it was full"));
        let rest = all(&mut store);
        assert_eq!((rest.len(), rest[9]), (10, (tickets - 1, to(0.5))));
    }

    #[test]
    fn only_those_that_were_not_collected_are_in_the_queue() {
        let mut store = MoveStore::new(1);
        for number in [3, 4, 9] {
            store.sent(number, 0);
        }
        assert_eq!([0, 3, 4, 8, 9].map(|collected| store.in_queue(collected)), [3, 2, 1, 1, 0]);
        for number in 10..10 + MOVE_PLACES as u64 {
            assert!(store.has_place(9));
            store.sent(number, 9);
        }
        assert!(!store.has_place(9) && store.has_place(10));
    }
}
