//! The blocks of a stream that a voice has: what arrives, what is where, what goes back.

use std::mem;

use super::cursor::Cursor;
use crate::link::feed::{BLOCK, Block, Feed, HEAD_BLOCKS, MARGIN, Mark, OldPlace, Tap};

/// No more than this is waited for, in frames, however fast a voice goes: what is read ahead must hold it. At
/// the highest speed it lasts for a quantum and a slope.
pub(super) const MOST_WANTED: u64 = 10 * BLOCK as u64;

/// The same while something is still read at another place.
pub(super) const MOST_WANTED_BESIDE: u64 = 6 * BLOCK as u64;

/// How far ahead it is looked when all is well, so that it need not be looked again for a while.
pub(super) const FAR_AHEAD: u64 = 3 * BLOCK as u64;

/// How far ahead of an old place is kept what was read for it, in frames.
const OLD_AHEAD: u64 = 2 * BLOCK as u64;

/// By which order something is read, and at which frame of the file that began.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    pub epoch: u32,
    pub origin: u32,
}

impl Reading {
    /// By which an old place is read.
    pub fn of(old: &OldPlace) -> Reading {
        Reading { epoch: old.epoch, origin: old.origin }
    }
}

/// Where a block is kept.
#[derive(Clone, Copy)]
pub(super) enum Shelf {
    Head(usize),
    Kept(usize),
    Queue(usize),
}

impl Tap {
    /// Sends the order, if that has not been done and there is room; else it is done on the next line.
    pub(super) fn send_order(&mut self, feed: Option<&Feed>) {
        if self.is_unsent
            && let Some(feed) = feed
        {
            self.is_unsent = feed.orders.send(Some(self.order)).is_err();
        }
    }

    pub(super) fn block(&self, shelf: Shelf) -> Option<&Block> {
        match shelf {
            Shelf::Head(at) => self.head.get(at),
            Shelf::Kept(at) => self.kept.get(at)?.as_deref(),
            Shelf::Queue(at) => self.queue.get(at)?.as_deref(),
        }
    }

    /// Where the frame is that a cursor is on, and how far into its block.
    pub(super) fn find(&self, cursor: &Cursor, reading: Reading) -> Option<(Shelf, u32)> {
        self.find_at(cursor.travelled(reading.origin), cursor.frame(), cursor, reading.epoch)
    }

    /// The same for a frame of the order, and of the file, on a cursor's way.
    fn find_at(
        &self,
        travelled: u64,
        frame: u32,
        cursor: &Cursor,
        epoch: u32,
    ) -> Option<(Shelf, u32)> {
        let queued = self.queue.iter().map_while(Option::as_deref).position(|block| {
            block.epoch == epoch && (block.index..block.end()).contains(&travelled)
        });
        if let Some(at) = queued {
            let block = self.block(Shelf::Queue(at))?;
            return Some((Shelf::Queue(at), (travelled - block.index) as u32));
        }
        let (turns, rounds) = (cursor.turns(), cursor.rounds());
        let resident = self.resident(frame, &turns, rounds)?;
        let into = frame - resident.first;
        let is_it = |block: &Block| std::ptr::eq(block, resident);
        if let Some(at) = self.head.iter().position(is_it) {
            return Some((Shelf::Head(at), into));
        }
        let at = self.kept.iter().position(|kept| kept.as_deref().is_some_and(is_it))?;
        Some((Shelf::Kept(at), into))
    }

    /// Whether there is something to read for so many frames that a cursor comes past, or up to the end of a
    /// clip.
    pub(super) fn has(&self, cursor: &Cursor, reading: Reading, clip: u32, reach: u64) -> bool {
        self.ahead(cursor, reading, clip, reach).is_none_or(|far| far >= reach)
    }

    /// How many frames there are to read where a cursor comes past: so many, or all if there are fewer. None, if
    /// it comes to the end of a clip before that.
    pub(super) fn ahead(
        &self,
        cursor: &Cursor,
        reading: Reading,
        clip: u32,
        reach: u64,
    ) -> Option<u64> {
        let mut ahead = *cursor;
        let mut far = 0;
        while far < reach {
            if ahead.is_over(clip as usize) {
                return None;
            }
            let Some((shelf, into)) = self.find(&ahead, reading) else { break };
            let Some(block) = self.block(shelf) else { break };
            if block.is_last {
                return None;
            }
            let past = u64::from(block.len - into);
            ahead.hop(past as u32);
            far += past.max(1);
        }
        Some(far)
    }

    /// How many frames are left to a cursor of the block behind which it breaks off, once it has come to it:
    /// none, if it has come past it before that was read.
    pub(super) fn left_of_last(&self, cursor: &Cursor, reading: Reading) -> Option<u32> {
        let travelled = cursor.travelled(reading.origin);
        let queued = self.queue.iter().map_while(Option::as_deref);
        let mut last = queued.filter(|block| block.is_last && block.epoch == reading.epoch);
        let last = last.find(|block| block.index <= travelled)?;
        Some(last.end().saturating_sub(travelled) as u32)
    }

    /// Takes in what has arrived, and sends back what will not be read any more, neither at a place nor at
    /// an old one. Tells of each block that has come.
    pub(super) fn take_in(
        &mut self,
        feed: &Feed,
        place: (Cursor, Reading),
        old: Option<(Cursor, Reading)>,
        came: &mut dyn FnMut(Mark),
    ) {
        let is_ahead = |block: &Block, (cursor, reading): &(Cursor, Reading), most: u64| {
            let travelled = cursor.travelled(reading.origin);
            let is_near = block.index < travelled.saturating_add(most);
            block.epoch == reading.epoch && (block.end() > travelled && is_near || block.is_last)
        };
        let is_read = |block: &Block| {
            let for_old = old.as_ref().is_some_and(|old| is_ahead(block, old, OLD_AHEAD));
            for_old || is_ahead(block, &place, u64::MAX)
        };
        let mut room = self.queue.iter().take_while(|place| place.is_some()).count();
        let mut at = 0;
        while at < room {
            if self.queue.get(at).and_then(Option::as_deref).is_some_and(is_read) {
                at += 1;
                continue;
            }
            let Some(rest) = self.queue.get_mut(at..room) else { break };
            let block = rest.first_mut().and_then(Option::take);
            rest.rotate_left(1);
            room -= 1;
            block.into_iter().for_each(|block| self.spend(feed, block));
        }
        while room < self.queue.len()
            && let Some(block) = feed.blocks.receive()
        {
            came(Mark { epoch: block.epoch, index: block.index });
            if let Some(clip) = block.clip {
                (self.clip, self.is_broken) = (clip, block.is_last);
            }
            if is_read(&block)
                && let Some(place) = self.queue.get_mut(room)
            {
                *place = Some(block);
                room += 1;
            } else {
                self.spend(feed, block);
            }
        }
    }

    /// Sends a block back, unless it is one of those that stay.
    fn spend(&mut self, feed: &Feed, block: Box<Block>) {
        let place = self.kept.iter().position(Option::is_none);
        let place = place.filter(|_| self.is_from_loop_head(&block));
        match place.and_then(|at| self.kept.get_mut(at)) {
            Some(place) => *place = Some(block),
            None => send_back(feed, block),
        }
    }

    /// Whether a block is one from the beginning of the loop that it has not kept yet, as it is heard before
    /// anything has turned.
    fn is_from_loop_head(&self, block: &Block) -> bool {
        let turns = &self.order.turns;
        let Some(range) = turns.looping.filter(|_| !turns.wrapped) else { return false };
        let far = range.start.saturating_add((HEAD_BLOCKS * BLOCK) as u32);
        let is_there = block.file_end() > range.start && block.first < far;
        let before_seam = block.file_end().saturating_add(MARGIN as u32) <= range.end - range.seam;
        let into = block.first.checked_sub(self.origin).map(u64::from);
        let is_first_round = block.epoch == self.order.epoch && into == Some(block.index);
        is_there && before_seam && is_first_round && self.resident(block.first, turns, 0).is_none()
    }

    /// Sends all that has arrived back. What is where a cursor is stays, to know how loud it is.
    pub(super) fn rest(&mut self, feed: &Feed, cursor: &Cursor, reading: Reading) {
        let here = self.find(cursor, reading);
        for at in 0..self.queue.len() {
            let Some(block) = self.queue.get_mut(at).and_then(Option::take) else { continue };
            let is_here = matches!(here, Some((Shelf::Queue(it), _)) if it == at);
            if is_here {
                let before = self.last.replace(block);
                before.into_iter().for_each(|block| send_back(feed, block));
            } else {
                send_back(feed, block);
            }
        }
        self.is_unsent = false;
        // If there is no room, as much is decoded as there are blocks for, and no harm done.
        let _ = feed.orders.send(None);
    }
}

fn send_back(feed: &Feed, block: Box<Block>) {
    // There is a place for every block. Were there none, to leak would be better than to free here.
    if let Err(block) = feed.spent.send(block) {
        mem::forget(block);
    }
}
