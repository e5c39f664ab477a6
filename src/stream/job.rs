//! One play of a stream as the decoding thread sees it: orders come, blocks go, and come back.

use std::sync::Arc;

use super::producer::{Cut, Producer};
use crate::link::feed::{BLOCKS, Feed, Mark, Order};
use crate::link::message::Loop;

pub(super) struct Job {
    feed: Arc<Feed>,
    producer: Producer,
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
        Job { feed, producer, order: None, next: 0, index: 0, away: 0 }
    }

    /// Whether nobody will read it any more.
    pub fn is_over(&self) -> bool {
        self.feed.is_over() || Arc::strong_count(&self.feed) == 1
    }

    /// Takes in what has come back. Returns whether there is something to do.
    pub fn look(&mut self) -> bool {
        while self.feed.spent.receive().is_some() {
            self.away -= 1;
        }
        while let Some(order) = self.feed.orders.receive() {
            self.order = order;
            if let Some(Order { first, index, turns, .. }) = order {
                (self.next, self.index) = (first, index);
                turns.looping.into_iter().for_each(|range| self.producer.keep_loop(range));
            }
        }
        let Some(Order { epoch, .. }) = self.order else { return false };
        let next = Mark { epoch, index: self.index };
        if !self.feed.allows(next) {
            // Nothing more comes of what was ordered before.
            self.feed.show_made(self.feed.made().max(Mark { epoch, index: 0 }));
            return false;
        }
        self.away < BLOCKS && self.feed.blocks.room() > 0
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
        let mark = Mark { epoch: block.epoch, index: block.index };
        self.away += usize::from(self.feed.blocks.send(block).is_ok());
        self.feed.show_made(mark);
    }

    /// Reads no more: its reader has panicked, and the block that was being made is lost.
    pub fn give_up(&mut self) {
        self.feed.fail("its reader panicked".into());
        self.producer.stop_reading();
    }
}
