//! One play of a stream as the decoding thread sees it: orders come, blocks go, and come back.

use std::collections::VecDeque;
use std::sync::Arc;

use super::producer::{Cut, Producer};
use crate::link::feed::{BLOCKS, Feed, Mark, Order};
use crate::link::message::Loop;

pub(super) struct Job {
    feed: Arc<Feed>,
    producer: Producer,
    /// Orders that are not to be seen to yet: only of what is replayed.
    later: VecDeque<Option<Order>>,
    /// The latest order, while there is something to do for it.
    order: Option<Order>,
    /// What is to be made next for it: the frame of the file, and how many frames lie before it.
    next: u32,
    index: u64,
    /// How many blocks are under way, or with the voice.
    away: usize,
}

impl Job {
    pub fn new(feed: Arc<Feed>, producer: Producer) -> Job {
        let later = VecDeque::new();
        Job { feed, producer, later, order: None, next: 0, index: 0, away: 0 }
    }

    /// Whether nobody will read it any more.
    pub fn is_over(&self) -> bool {
        self.feed.is_over() || Arc::strong_count(&self.feed) == 1
    }

    /// The same, and nothing was opened for it: to drop it holds nobody up.
    pub fn is_over_unread(&self) -> bool {
        self.is_over() && !self.producer.is_reading()
    }

    /// The number of its stream.
    pub fn stream(&self) -> u64 {
        self.producer.stream().number()
    }

    /// Takes in what has come back. Returns whether there is something to do.
    pub fn look(&mut self) -> bool {
        while self.feed.spent.receive().is_some() {
            self.away -= 1;
        }
        while let Some(order) = self.feed.orders.receive() {
            self.later.push_back(order);
        }
        // What is replayed is seen to in the order in which it was.
        let gate = self.feed.gate();
        let is_due = |order: &Option<Order>| {
            let epoch = order.map(|order| order.epoch);
            gate.is_none_or(|gate| epoch.is_some_and(|epoch| epoch <= gate.epoch))
        };
        let due = self.later.iter().rposition(is_due).map_or(0, |last| last + 1);
        for order in self.later.drain(..due) {
            self.order = order;
            if let Some(Order { first, index, turns, .. }) = order {
                (self.next, self.index) = (first, index);
                turns.looping.into_iter().for_each(|range| self.producer.keep_loop(range));
            }
        }
        let Some(Order { epoch, .. }) = self.order else { return false };
        let next = Mark { epoch, index: self.index };
        let is_open = gate.is_none_or(|gate| next <= gate);
        is_open && self.away < BLOCKS && self.feed.blocks.room() > 0
    }

    /// Makes one block, and sends it.
    pub fn work(&mut self) {
        let Some(mut order) = self.order else { return };
        let mut block = Box::new(self.producer.empty_block());
        let mut cut = Cut { first: self.next, turns: order.turns };
        if let Err(trouble) = self.producer.fill(&mut block, &mut cut) {
            self.feed.fail(trouble.into_text());
            self.producer.break_off(&mut block, &cut);
        }
        order.turns = cut.turns;
        (block.epoch, block.index) = (order.epoch, self.index);
        self.index += u64::from(block.len);
        let turn = order.turns.active(self.next);
        self.next += block.len;
        if let Some(Loop { start, end, .. }) = turn.filter(|range| self.next >= range.end) {
            self.next = start + (self.next - start) % (end - start).max(1);
            order.turns.wrapped = true;
        }
        let ends = turn.is_none() && block.clip.is_some_and(|clip| self.next >= clip);
        self.order = Some(order).filter(|_| !ends && !block.is_last);
        // There is room, since nobody else sends.
        // Behind the last of an order there is nothing to wait for, wherever a recording found more.
        let index = if self.order.is_some() { block.index } else { u64::MAX };
        let mark = Mark { epoch: block.epoch, index };
        self.away += usize::from(self.feed.blocks.send(block).is_ok());
        self.feed.show_made(mark);
    }

    /// Reads no more: its reader has panicked, and the block that was being made is lost.
    pub fn give_up(&mut self) {
        self.feed.fail("its reader panicked".into());
        self.producer.stop_reading();
    }
}
