//! The thread that writes a recording: the only one that may wait for the disk.

use std::collections::HashMap;
use std::io::{self, Write};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::blocks::{Kind, write_block, write_head};
use super::media::tell;
use super::recorder::Summary;
use crate::config::Config;
use crate::guarded::guarded;
use crate::link::tape::{Noted, Tape};
use crate::link::wire::{Wire, put_config};
use crate::log_line::log_line;
use crate::sound::Sound;

/// How often it is looked what has come. Nobody is to wake anybody.
const POLL: Duration = Duration::from_millis(5);

/// How large a block of commands grows before it is written.
const BLOCK: usize = 1 << 16;

/// How many of what was told are remembered. If there are more, all are forgotten: what is told again does no harm.
const MOST_KNOWN: usize = 1 << 15;

/// What the recorder and its thread say to each other.
#[derive(Default)]
pub(super) struct Orders {
    pub is_finishing: AtomicBool,
    /// Whether sounds are written as a whole.
    pub is_whole: AtomicBool,
}

/// How much is written at once: whoever waits sees each.
const PIECE: usize = 1 << 18;

/// What is written to, watched: whoever waits for it sees whether it still takes anything.
pub(super) struct Watched<W> {
    pub to: W,
    pub tape: Arc<Tape>,
}

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes.get(..PIECE).unwrap_or(bytes));
        if written.as_ref().is_ok_and(|count| *count > 0) {
            self.tape.show_progress();
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.to.flush();
        if flushed.is_ok() {
            self.tape.show_progress();
        }
        flushed
    }
}

pub(super) struct Writer<W> {
    pub out: W,
    pub tape: Arc<Tape>,
    pub orders: Arc<Orders>,
    pub summary: Summary,
    /// The numbers of what was told, and whether all of it was.
    known: HashMap<u64, bool>,
    /// How far what is heard depends on what comes: the limiter sees it so long before.
    look_ahead: u64,
    /// Up to which frame all was noted, and from which on something is lacking.
    reached: u64,
    cut_at: Option<u64>,
}

impl<W: Write> Writer<W> {
    pub fn new(out: W, tape: Arc<Tape>, orders: Arc<Orders>, look_ahead: u64) -> Writer<W> {
        let (summary, known) = (Summary::default(), HashMap::new());
        Writer { out, tape, orders, summary, known, look_ahead, reached: 0, cut_at: None }
    }

    /// Writes until it is told to finish, or until something was lost.
    pub fn run(mut self, config: &Config) -> io::Result<Summary> {
        let written = self.write_all(config);
        match &written {
            Ok(()) if self.summary.is_whole => (),
            Ok(()) => log_line(format_args!(
                "the disk was too slow for the recording: it ends at frame {}",
                self.summary.frames,
            )),
            Err(error) => log_line(format_args!("the recording breaks off: {error}")),
        }
        written.map(|()| self.summary)
    }

    fn write_all(&mut self, config: &Config) -> io::Result<()> {
        self.summary.bytes += write_head(&mut self.out)?;
        let mut bytes = Vec::new();
        put_config(config, &mut bytes);
        self.write(Kind::Config, &bytes)?;
        loop {
            // Asked first: what was said before it finished is there by now.
            let is_last = self.orders.is_finishing.load(Ordering::Acquire);
            let frames = self.tape.clock();
            let some = self.write_what_came()?;
            if is_last || self.cut_at.is_some() {
                return self.write_end(
                    self.cut_at.map_or(frames, |cut| self.heard_before(cut).min(frames)),
                );
            }
            if !some {
                thread::sleep(POLL);
            }
        }
    }

    /// Writes what has come. Returns whether anything had.
    fn write_what_came(&mut self) -> io::Result<bool> {
        let reached = self.tape.reached();
        let lost_from = self.tape.lost_from();
        let mut notes = Vec::new();
        let mut count = 0;
        while self.cut_at.is_none()
            && let Some(note) = self.tape.notes.receive()
        {
            // Asked for with each: one that was lost was so before it was applied.
            if let Noted::Applied { count } = note.what
                && count >= self.tape.lost_command()
            {
                self.cut_at = Some(note.at);
                break;
            }
            note.put(&mut notes);
            count += 1;
        }
        if lost_from != u64::MAX && self.cut_at.is_none() {
            self.cut_at = Some(lost_from);
        }
        // Asked for after the notes: whatever they say was applied is there by now.
        let waiting = self.tape.entries_waiting();
        let mut commands = Vec::new();
        for _ in 0..waiting {
            let Some(entry) = self.tape.next_entry() else { break };
            if let Some(sound) = entry.sound {
                self.tell(&sound)?;
                self.summary.plays += 1;
                // It may be the last of a stream, and with it of what the game reads that with.
                let _ = guarded(|| drop(sound));
            }
            entry.number.put(&mut commands);
            entry.command.put(&mut commands);
            self.summary.commands += 1;
            if commands.len() > BLOCK {
                self.write(Kind::Commands, &mem::take(&mut commands))?;
            }
        }
        if !commands.is_empty() {
            self.write(Kind::Commands, &commands)?;
        }
        let is_news = count > 0 || reached >= self.reached + NEWS;
        if is_news {
            let whole_up_to = self.cut_at.map_or(reached, |cut| cut.min(reached));
            self.heard_before(whole_up_to).put(&mut notes);
            self.write(Kind::Notes, &notes)?;
            self.reached = reached;
            self.out.flush()?;
        }
        Ok(is_news || waiting > 0)
    }

    /// How many frames are known that have nothing to do with what happens from a frame of the mix on.
    fn heard_before(&self, frame: u64) -> u64 {
        frame.saturating_sub(self.look_ahead)
    }

    /// Tells of a sound, or of a stream, if that was not done yet; again, if all of it is wanted by now.
    fn tell(&mut self, sound: &Sound) -> io::Result<()> {
        let number = sound.media_number();
        let is_whole = self.orders.is_whole.load(Ordering::Relaxed);
        if self.known.get(&number).is_some_and(|known| *known || !is_whole) {
            return Ok(());
        }
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        self.known.insert(number, is_whole);
        let (bytes, told) = tell(sound, is_whole, || self.tape.show_progress());
        if let Err(error) = told {
            log_line(format_args!("\"{}\" is not in the recording: {error}", sound.name()));
        }
        self.write(Kind::Media, &bytes)
    }

    fn write_end(&mut self, frames: u64) -> io::Result<()> {
        self.summary.frames = frames;
        self.summary.is_whole = self.cut_at.is_none();
        let mut bytes = Vec::new();
        frames.put(&mut bytes);
        self.summary.is_whole.put(&mut bytes);
        self.write(Kind::End, &bytes)?;
        self.out.flush()
    }

    fn write(&mut self, kind: Kind, holds: &[u8]) -> io::Result<()> {
        self.summary.bytes += write_block(&mut self.out, kind, holds)?;
        Ok(())
    }
}

/// After how many frames in which nothing happened that is written all the same: so much is lost at the most
/// when a game crashes.
const NEWS: u64 = 1 << 14;
