//! What a recording is made of, on its way from both sides to the thread that writes it.

use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::lane::Lane;
use crate::sound::Sound;

/// How many commands may wait to be written: some seconds of a storm.
const ENTRIES: usize = 1 << 14;

/// How many bytes of them: most take a hundred, but one can move five hundred voices.
const MOST_BYTES: usize = 8 << 20;

/// How many notes of the audio side may wait. Offline a thousand lines may pass in the time of a few.
const NOTES: usize = 1 << 16;

/// How often a disk is looked at that takes nothing, by whoever may wait for it, and how long between: ten seconds in
/// all.
const LOOKS: u32 = 10_000;
const LOOK: Duration = Duration::from_millis(1);

/// Waits for a disk as long as it takes something now and then.
pub(crate) struct Patience {
    seen: u64,
    looks: u32,
}

impl Patience {
    pub fn of(tape: &Tape) -> Patience {
        Patience { seen: tape.progress.load(Ordering::Relaxed), looks: 0 }
    }

    /// Waits a moment. Returns whether to wait on.
    pub fn wait(&mut self, tape: &Tape) -> bool {
        thread::sleep(LOOK);
        let before = mem::replace(&mut self.seen, tape.progress.load(Ordering::Relaxed));
        self.looks = if self.seen == before { self.looks + 1 } else { 0 };
        self.looks < LOOKS
    }
}

/// A command as it was sent, in bytes. A play takes along what it plays, to be known by.
pub(crate) struct Entry {
    pub number: u64,
    pub command: Box<[u8]>,
    pub sound: Option<Sound>,
}

/// What the audio side notes, and on which frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Note {
    pub at: u64,
    pub what: Noted,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Noted {
    /// So many commands have been applied.
    Applied { count: u64 },
    /// Every play up to a command was stopped.
    StopAll { last: u64, fade: u32 },
    /// A block of a stream was taken in for the play of a command.
    Block { play: u64, epoch: u32, index: u64 },
    /// The same, after all streams had been seen to on that frame.
    LaterBlock { play: u64, epoch: u32, index: u64 },
    /// What the game had put on a bus was taken out, because it did what no effect may.
    EffectFailed { bus: u32 },
}

/// Both ways to the thread that writes, and when they end.
pub(crate) struct Tape {
    entries: Lane<Entry>,
    /// How many bytes of commands wait.
    waiting: AtomicUsize,
    pub notes: Lane<Note>,
    /// The first command that found no room, and the first frame of which a note did.
    lost_command: AtomicU64,
    lost_from: AtomicU64,
    /// How far the audio side has come: all that happened before this frame was noted.
    reached: AtomicU64,
    /// How many frames it has handed out.
    clock: AtomicU64,
    /// Counts whatever was written, and what was read to be.
    progress: AtomicU64,
    is_over: AtomicBool,
}

impl Tape {
    pub fn new() -> Tape {
        Tape {
            entries: Lane::new(ENTRIES),
            waiting: AtomicUsize::new(0),
            notes: Lane::new(NOTES),
            lost_command: AtomicU64::new(u64::MAX),
            lost_from: AtomicU64::new(u64::MAX),
            reached: AtomicU64::new(0),
            clock: AtomicU64::new(0),
            progress: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    /// Hands a command over, from the game side. One that finds no room ends the recording.
    pub fn add(&self, entry: Entry) {
        let (number, bytes) = (entry.number, entry.command.len());
        let waiting = self.waiting.fetch_add(bytes, Ordering::Relaxed);
        if waiting + bytes > MOST_BYTES || self.entries.send(entry).is_err() {
            self.waiting.fetch_sub(bytes, Ordering::Relaxed);
            self.lost_command.store(number, Ordering::Release);
        }
    }

    /// Whether commands are still to be handed over: nothing behind one that was lost is of any use.
    pub fn takes_commands(&self) -> bool {
        self.is_running() && self.lost_command.load(Ordering::Relaxed) == u64::MAX
    }

    /// How many commands wait to be written.
    pub fn entries_waiting(&self) -> u64 {
        self.entries.waiting()
    }

    /// The next command, to be written.
    pub fn next_entry(&self) -> Option<Entry> {
        let entry = self.entries.receive()?;
        self.waiting.fetch_sub(entry.command.len(), Ordering::Relaxed);
        Some(entry)
    }

    /// Notes what happened, from the audio side. What finds no room ends the recording.
    pub fn note(&self, at: u64, what: Noted) {
        if self.notes.send(Note { at, what }).is_err() {
            self.lose_from(at);
        }
    }

    /// What happened from a frame on is lost: the first such frame counts.
    pub fn lose_from(&self, at: u64) {
        self.lost_from.fetch_min(at, Ordering::Release);
    }

    fn has_lost_note(&self) -> bool {
        self.lost_from.load(Ordering::Relaxed) != u64::MAX
    }

    /// Whether the audio side need note anything. Nothing behind a note that was lost is of any use.
    pub fn is_running(&self) -> bool {
        !self.is_over.load(Ordering::Relaxed) && !self.has_lost_note()
    }

    /// Says that all before a frame was noted: one store.
    pub fn reach(&self, frame: u64) {
        self.reached.store(frame, Ordering::Release);
    }

    pub fn reached(&self) -> u64 {
        self.reached.load(Ordering::Acquire)
    }

    /// Says how many frames were handed out: all that they are made of was noted.
    pub fn show_clock(&self, frames: u64) {
        self.clock.store(frames, Ordering::Release);
    }

    pub fn clock(&self) -> u64 {
        self.clock.load(Ordering::Acquire)
    }

    /// The first command that is lacking.
    pub fn lost_command(&self) -> u64 {
        self.lost_command.load(Ordering::Acquire)
    }

    /// The first frame of which something that was noted may be lacking.
    pub fn lost_from(&self) -> u64 {
        self.lost_from.load(Ordering::Acquire)
    }

    /// Waits until there is room for what may be said before the line at a frame, and for what that may have to note,
    /// unless nothing is written any more. Not for the audio thread.
    pub fn await_room(&self, at: u64) {
        let is_half_full = || {
            let bytes = self.waiting.load(Ordering::Relaxed);
            let commands = self.entries.waiting();
            let notes = NOTES as u64 - self.notes.room();
            bytes > MOST_BYTES / 2 || commands > ENTRIES as u64 / 2 || notes > NOTES as u64 / 2
        };
        let mut patience = Patience::of(self);
        while self.is_running() && is_half_full() {
            if !patience.wait(self) {
                return self.lose_from(at);
            }
        }
    }

    /// Something was written.
    pub fn show_progress(&self) {
        self.progress.fetch_add(1, Ordering::Relaxed);
    }

    /// Nobody will write any more.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}
