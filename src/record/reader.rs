//! Reading a recording.

use std::collections::HashMap;
use std::io::Read;

use super::blocks::{Kind, MAGIC, VERSION};
use super::media::Told;
use crate::Error;
use crate::config::Config;
use crate::error::Fault;
use crate::link::message::{NamedPlay, Start};
use crate::link::tape::{Note, Noted};
use crate::link::wire::{Bytes, Hash, Plays, Sink, Wire, take_command, take_config};

/// A recording as it was read.
pub(super) struct Script {
    pub config: Config,
    pub media: HashMap<u64, Told>,
    /// The commands in the order of their numbers, from 1 on.
    pub commands: Vec<(u64, Box<[u8]>)>,
    /// Of the audio side, in the order of their frames: what was applied and stopped on which line, and when
    /// blocks of streams had come.
    pub lines: Vec<Note>,
    pub blocks: Vec<Note>,
    /// How many frames there are.
    pub frames: u64,
    /// Whether it has its end.
    pub is_whole: bool,
}

/// What is wrong at a byte of the file.
fn damaged(offset: usize, fault: &str) -> Error {
    Fault::damaged(format!("{fault} at byte {offset}")).of("recording")
}

impl Script {
    pub fn read(mut from: impl Read) -> Result<Script, Error> {
        let mut file = Vec::new();
        from.read_to_end(&mut file)
            .map_err(|source| Error::Read { path: "recording".into(), source })?;
        let mut bytes = Bytes::new(&file);
        if bytes.take(MAGIC.len()) != Some(MAGIC) {
            return Err(Fault::unsupported("is no voicepool recording").of("recording"));
        }
        match u32::take(&mut bytes) {
            Some(VERSION) => (),
            Some(version) => {
                let fault = format!("is of version {version}; this is for version {VERSION}");
                return Err(Fault::unsupported(fault).of("recording"));
            }
            None => return Err(damaged(MAGIC.len(), "breaks off")),
        }
        let mut found = Found::default();
        let mut offset = 0;
        while found.end.is_none() {
            offset = file.len() - bytes.len();
            let Some((kind, holds)) = next_block(offset, &mut bytes)? else { break };
            let is_sound = found.take(kind, &mut Bytes::new(holds));
            is_sound.ok_or_else(|| damaged(offset, "a block that contradicts itself"))?;
        }
        if found.end.is_some() && !bytes.is_empty() {
            return Err(damaged(file.len() - bytes.len(), "something stands behind the end"));
        }
        found.script().ok_or_else(|| damaged(offset, "breaks off"))
    }
}

/// The next block, if it is all there.
fn next_block<'a>(offset: usize, bytes: &mut Bytes<'a>) -> Result<Option<(Kind, &'a [u8])>, Error> {
    let Some(head) = bytes.take(5) else { return Ok(None) };
    let (kind, length) = head.split_at(1);
    let length = u32::take(&mut Bytes::new(length)).unwrap_or(0) as usize;
    let Some(holds) = bytes.take(length) else { return Ok(None) };
    let Some(sum) = u64::take(bytes) else { return Ok(None) };
    let mut hash = Hash::NEW;
    hash.add(head);
    hash.add(holds);
    if hash.get() != sum {
        return Err(damaged(offset, "the check sum is wrong of the block"));
    }
    let kind = Kind::take(&mut Bytes::new(kind));
    let kind = kind.ok_or_else(|| damaged(offset, "an unknown kind of block"))?;
    Ok(Some((kind, holds)))
}

/// What was found up to now.
#[derive(Default)]
struct Found {
    config: Option<Config>,
    media: HashMap<u64, Told>,
    commands: Vec<(u64, Box<[u8]>)>,
    lines: Vec<Note>,
    blocks: Vec<Note>,
    /// Up to which frame nothing is lacking.
    reached: u64,
    end: Option<(u64, bool)>,
}

impl Found {
    /// Takes up what a block holds. None: it cannot be.
    fn take(&mut self, kind: Kind, holds: &mut Bytes) -> Option<()> {
        // That comes first, and once.
        (self.config.is_none() == (kind == Kind::Config)).then_some(())?;
        match kind {
            Kind::Config => {
                let config = take_config(holds)?;
                config.check().ok()?;
                self.config = Some(config);
            }
            Kind::Media => {
                let told = Told::take(holds)?;
                let known = self.media.get(&told.number);
                if known.is_none_or(|known| known.whole.is_none()) {
                    self.media.insert(told.number, told);
                }
            }
            Kind::Commands => {
                while !holds.is_empty() {
                    let (number, bytes) = (u64::take(holds)?, Box::<[u8]>::take(holds)?);
                    let mut command = Bytes::new(&bytes);
                    take_command(&mut command, &Anybody)?;
                    let is_next = number == self.commands.len() as u64 + 1;
                    (is_next && command.is_empty()).then_some(())?;
                    self.commands.push((number, bytes));
                }
            }
            Kind::Notes => {
                while holds.len() > size_of::<u64>() {
                    self.add_note(Wire::take(holds)?)?;
                }
                self.reached = Wire::take(holds)?;
            }
            Kind::End => self.end = Some((Wire::take(holds)?, Wire::take(holds)?)),
        }
        holds.is_empty().then_some(())
    }

    fn add_note(&mut self, note: Note) -> Option<()> {
        let list = match note.what {
            Noted::Block { .. } | Noted::LaterBlock { .. } => &mut self.blocks,
            _ => &mut self.lines,
        };
        list.last().is_none_or(|last| last.at <= note.at).then_some(())?;
        list.push(note);
        Some(())
    }

    /// All of it, if there is enough to begin with. What was applied and is not there cuts it off.
    fn script(self) -> Option<Script> {
        let (mut frames, is_whole) = self.end.unwrap_or((self.reached, false));
        let lacks = |note: &&Note| match note.what {
            Noted::Applied { count } => count > self.commands.len() as u64,
            _ => false,
        };
        if let Some(note) = self.lines.iter().find(lacks) {
            frames = frames.min(note.at);
        }
        Some(Script {
            config: self.config?,
            media: self.media,
            commands: self.commands,
            lines: self.lines,
            blocks: self.blocks,
            frames,
            is_whole,
        })
    }
}

/// For whoever only looks whether bytes are a command.
struct Anybody;

impl Plays for Anybody {
    fn named(&self, number: u64) -> NamedPlay {
        NamedPlay { ticket: 0, number }
    }

    fn start_after(&self, _: u64) -> Start {
        Start::Orphan
    }
}
