//! The file: a head, then blocks, each with its length and a check sum.
//!
//! ```text
//! head     the text "voicepool recording\n", and the version (u32)
//! block    kind (u8), length of what it holds (u32), what it holds, check sum (u64)
//! ```
//!
//! The check sum is FNV-1a over all of the block that stands before it. A file that breaks off within a block was
//! cut short, and counts up to there.

use std::io::{self, Write};

use crate::link::tape::{Note, Noted};
use crate::link::wire::{Bytes, Hash, Sink, Wire, wire_enum, wire_struct};

pub(super) const MAGIC: &[u8] = b"voicepool recording\n";

/// Which form the file has. It changes whenever what is written does.
pub(super) const VERSION: u32 = 1;

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The configuration; the first block.
    Config,
    /// What was played.
    Media,
    /// Commands: each its number (u64), its length (u32), and its bytes.
    Commands,
    /// Notes of the audio side: each its frame (u64), and what it is; and behind them all, up to which
    /// frame (u64) nothing is lacking.
    Notes,
    /// How many frames were rendered (u64), and whether all of it was written (a byte); the last block.
    End,
}

wire_enum!(Kind { 1 => Config, 2 => Media, 3 => Commands, 4 => Notes, 5 => End });
wire_struct!(Note { at, what });
wire_enum!(Noted {
    0 => Applied { count },
    1 => StopAll { last, fade },
    2 => Block { play, epoch, index },
    3 => EffectFailed { bus },
    4 => LaterBlock { play, epoch, index },
});

/// Writes the head.
pub(super) fn write_head(out: &mut impl Write) -> io::Result<u64> {
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    Ok(MAGIC.len() as u64 + 4)
}

/// Writes a block. Returns how many bytes it took.
pub(super) fn write_block(out: &mut impl Write, kind: Kind, holds: &[u8]) -> io::Result<u64> {
    let length = u32::try_from(holds.len());
    let length = length.map_err(|_| io::Error::other("a block of more than 4 GiB"))?;
    let mut head = Vec::with_capacity(5);
    kind.put(&mut head);
    length.put(&mut head);
    let mut sum = Hash::NEW;
    sum.add(&head);
    sum.add(holds);
    out.write_all(&head)?;
    out.write_all(holds)?;
    out.write_all(&sum.get().to_le_bytes())?;
    Ok(head.len() as u64 + holds.len() as u64 + 8)
}
