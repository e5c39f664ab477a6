//! One play of a stream: what crosses between the thread that decodes it and the voice that reads it.
//!
//! The voice says from which frame on it will read, and how it loops: an [`Order`]. From there on come
//! [`Block`]s, in the order in which they are heard, and each goes back when it was read. Where the voice is
//! never depends on what has arrived: time goes on, and what comes too late is passed over.

use std::mem;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use super::lane::Lane;
use super::message::Loop;
use super::remains::Remains;
use super::sync::{AtomicBool, AtomicCell};
use crate::sound::envelope::Envelope;
use crate::sound::{Samples, Sound, Stream};
use crate::units;

/// How many frames a block has, at most: 85 ms at 48 kHz.
pub(crate) const BLOCK: usize = 4096;

/// How many frames that are heard before and after it every block brings along, so that a voice can read
/// between samples up to its edges without looking elsewhere.
pub(crate) const MARGIN: usize = 32;

/// How far is read ahead, in blocks: some 0.9 s at 48 kHz.
pub(crate) const AHEAD: usize = 11;

/// How many blocks from the file's beginning stay with the voice, and from the beginning of its loop.
pub(crate) const HEAD_BLOCKS: usize = 4;

/// How many blocks a play has of its own, at either end and on the way: as many as are read ahead, those
/// from the beginning of the loop, and one that tells how loud it is.
pub(crate) const BLOCKS: usize = AHEAD + HEAD_BLOCKS + 1;

/// How many orders may be on their way at once. There is one on a line at most, and the latest counts.
const ORDERS: usize = 4;

/// Frames that are heard one after the other, with a [`MARGIN`] on either side.
#[derive(Clone)]
pub(crate) struct Block {
    /// The order that it was made for.
    pub epoch: u32,
    /// How many frames of that order are heard before it.
    pub index: u64,
    /// Its first frame in the file.
    pub first: u32,
    /// How many there are, without the margins.
    pub len: u32,
    /// The frames, at the mixer's rate.
    pub samples: Samples,
    /// How loud they are, as if they went on like this.
    pub envelope: Envelope,
    /// How many frames the file turned out to have, once that is known.
    pub clip: Option<u32>,
    /// Whether it breaks off behind this one, wherever it would turn: no more of it can be read.
    pub is_last: bool,
}

impl Block {
    /// The frame of its order behind its last.
    pub fn end(&self) -> u64 {
        self.index + u64::from(self.len)
    }

    /// The frame of the file behind its last.
    pub fn file_end(&self) -> u32 {
        self.first.saturating_add(self.len)
    }
}

/// From where on, and how, a voice will read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Order {
    /// Which order it is: what was made for an earlier one is of no use any more.
    pub epoch: u32,
    /// The frame of the file that is wanted first.
    pub first: u32,
    /// How many frames of the order lie before that one, because the voice has them.
    pub index: u64,
    pub turns: Turns,
}

/// How a voice goes round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Turns {
    pub looping: Option<Loop>,
    /// Whether it has been round already, so that the loop's end is heard before its start.
    pub wrapped: bool,
    /// Whether it goes round no more.
    pub last_round: bool,
}

impl Turns {
    /// Those of a play that begins on a frame.
    pub fn new(frame: u32, looping: Option<Loop>) -> Turns {
        let wrapped = looping.is_some_and(|range| range.is_all_seam() && frame >= range.start);
        Turns { looping, wrapped, last_round: false }
    }

    /// The loop that is gone round from a frame on, if one is.
    pub fn active(&self, frame: u32) -> Option<Loop> {
        self.looping.filter(|range| !self.last_round && frame < range.end)
    }

    /// Learns how long the clip really is: a loop cannot go on behind its end.
    pub fn shorten(&mut self, clip: u32) {
        let range = self.looping.filter(|range| range.end > clip && clip > 0);
        range.into_iter().for_each(|range| self.looping = Some(range.shortened(clip)));
    }
}

/// A place in a stream that is still heard while another one is not there yet: at the speed it had.
#[derive(Clone, Copy)]
pub(crate) struct OldPlace {
    /// The order by which it is read, and the frame of the file at which that began.
    pub epoch: u32,
    pub origin: u32,
    /// In 32.32 fixed point.
    pub position: u64,
    pub step: u64,
    pub turns: Turns,
    /// How often it has been round since the order.
    pub rounds: u32,
    /// How many frames the file had as far as that was known.
    pub clip: u32,
}

/// How a voice is off for what it reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Supply {
    /// Nothing was read yet.
    Fresh,
    Flowing,
    /// What is to be read has not come in time: silence, until there is enough again.
    Lacking,
    /// Nobody reads.
    Resting,
}

/// What a voice holds of its stream. It is made on the game side, and goes home.
pub(crate) struct Tap {
    /// How many frames the file has, as far as that is known; and whether it only breaks off there.
    pub clip: u32,
    pub is_broken: bool,
    /// The blocks from the file's beginning, as they are heard before anything has turned.
    pub head: Arc<[Block]>,
    /// Blocks from the beginning of its loop, as they were first read.
    pub kept: [Option<Box<Block>>; HEAD_BLOCKS],
    /// Those that have arrived and are not spent, in the order in which they came.
    pub queue: [Option<Box<Block>>; BLOCKS],
    /// What was read last, to know how loud it is while nobody reads.
    pub last: Option<Box<Block>>,
    /// The order by which it reads, or will; whether it is still to be sent; and the frame of the file at
    /// which it began.
    pub order: Order,
    pub is_unsent: bool,
    pub origin: u32,
    /// What is heard until there is enough of the order, and whether the order leads on from there.
    pub old: Option<OldPlace>,
    pub leads_on: bool,
    /// What the place leaves behind that was heard when it was first told to jump on a line.
    pub remains: Remains,
    pub supply: Supply,
    /// Up to which frame of the order there is something to read for sure, and nothing to be seen to.
    pub calm_until: u64,
    /// Whether nobody waits any more for what it lacks.
    pub is_given_up: bool,
    /// The gain that it had before it lacked something.
    pub boost: f32,
}

/// One play of a stream, as its voice and the decoding thread share it.
pub(crate) struct Feed {
    pub blocks: Lane<Box<Block>>,
    pub spent: Lane<Box<Block>>,
    /// `None`: nothing will be read until the next one.
    pub orders: Lane<Option<Order>>,
    tap: AtomicCell<Option<Box<Tap>>>,
    is_over: AtomicBool,
    /// Why the file could not be read to its end, if so.
    fault: OnceLock<String>,
    /// Up to which block it may be made, if it is replayed; and how far that has come.
    gate: AtomicCell<Option<Mark>>,
    made: AtomicCell<Mark>,
}

/// A block by the order that it is made for, and its place in that. Those of a feed come in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark {
    pub epoch: u32,
    pub index: u64,
}

impl Feed {
    /// One for a mixer that runs at `rate`.
    pub fn new(head: Arc<[Block]>, clip: u32, rate: u32) -> Feed {
        let order = Order { epoch: 0, first: 0, index: 0, turns: Turns::new(0, None) };
        let tap = Tap {
            clip,
            is_broken: false,
            head,
            kept: Default::default(),
            queue: Default::default(),
            last: None,
            order,
            is_unsent: true,
            origin: 0,
            old: None,
            leads_on: false,
            remains: Remains::new(units::declick(rate)),
            supply: Supply::Fresh,
            calm_until: 0,
            is_given_up: false,
            boost: 1.0,
        };
        Feed {
            blocks: Lane::new(BLOCKS),
            spent: Lane::new(BLOCKS),
            orders: Lane::new(ORDERS),
            tap: AtomicCell::new(Some(Box::new(tap))),
            is_over: AtomicBool::new(false),
            fault: OnceLock::new(),
            gate: AtomicCell::new(None),
            made: AtomicCell::default(),
        }
    }

    /// Gives the first order, before the play is sent: so that what it begins with can be there by then.
    pub fn begin(&self, first: u32, looping: Option<Loop>) {
        let Some(mut tap) = self.take_tap() else { return };
        tap.origin = first;
        tap.give_order(first, Turns::new(first, looping));
        tap.is_unsent = self.orders.send(Some(tap.order)).is_err();
        self.give_tap(tap);
    }

    /// Lets no block be made behind this one, until the next call: a replay lets each arrive when it did.
    pub fn allow_up_to(&self, mark: Mark) {
        self.gate.store(Some(mark));
    }

    /// Up to which block it may be made now; `None`: as far as there is room.
    pub fn gate(&self) -> Option<Mark> {
        self.gate.load()
    }

    /// Says that all up to a block were made; the last index there is stands for all of an order.
    pub fn show_made(&self, mark: Mark) {
        self.made.store(mark);
    }

    pub fn made(&self) -> Mark {
        self.made.load()
    }

    /// Takes out what the voice holds. There is one, so that a second voice would find none.
    pub fn take_tap(&self) -> Option<Box<Tap>> {
        self.tap.take()
    }

    /// Lets what the voice held go home.
    pub fn give_tap(&self, tap: Box<Tap>) {
        // It was taken out, so that nothing is replaced, and nothing freed.
        mem::forget(self.tap.swap(Some(tap)));
    }

    /// Says that nobody will read it any more.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::Release);
    }

    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }

    /// Notes why the file ends where it does. The first reason counts.
    pub fn fail(&self, why: String) {
        let _ = self.fault.set(why);
    }

    pub fn fault(&self) -> Option<&str> {
        self.fault.get().map(String::as_str)
    }
}

impl Tap {
    /// Asks for all from a frame of the file on, but for what it has.
    pub fn give_order(&mut self, frame: u32, turns: Turns) {
        let mut first = frame;
        while let Some(block) = self.resident(first, &turns, 0) {
            first = block.file_end();
        }
        let epoch = self.order.epoch.wrapping_add(1);
        let index = u64::from(first - frame);
        self.order = Order { epoch, first, index, turns };
        (self.origin, self.is_unsent, self.is_given_up) = (frame, true, false);
        self.calm_until = 0;
    }

    /// A block that it has for good and that has this frame of the file in it, as it is heard after so many
    /// rounds. Around the turn of a loop something else is heard.
    pub fn resident(&self, frame: u32, turns: &Turns, rounds: u32) -> Option<&Block> {
        if turns.wrapped || rounds > 0 {
            return None;
        }
        let edge = turns.active(frame).map_or(u32::MAX, |range| range.end - range.seam);
        let mut blocks = self.head.iter().chain(self.kept.iter().flatten().map(|block| &**block));
        blocks.find(|block| {
            let has_it = block.first <= frame && frame < block.file_end();
            has_it && block.file_end().saturating_add(MARGIN as u32) <= edge
        })
    }
}

/// Who has streams decoded.
pub(crate) trait Feeder: Send + Sync {
    /// What stands for one play of a stream, for a mixer that runs at `rate`. What is ordered of it comes
    /// from now on.
    fn open(&self, stream: &Stream, rate: u32) -> Sound;

    /// Lets go of what nobody plays any more, and with it of what the game reads that with: not under a lock.
    fn tidy(&self) {}

    /// Has orders looked at, and waits until a block has arrived somewhere, or for a moment. Returns whether
    /// one has. Not for the audio thread.
    fn wait(&self) -> bool;
}
