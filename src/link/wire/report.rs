//! The bytes of a report: what it says, without what it carries home.

use std::num::NonZeroU32;

use super::{Bytes, Wire, wire_enum, wire_struct};
use crate::bus::BusId;
use crate::link::Row;
use crate::link::message::{End, Park, Refused, Report, Retired};
use crate::stats::VoiceState;

/// A report of numbers alone. Effects of the game's own have no such form, and so nothing is told of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PlainReport {
    Ended { ticket: u32, at: u64, why: End },
    Parked { ticket: u32, at: u64, why: Park },
    Unparked { ticket: u32, at: u64 },
    Started { ticket: u32, at: u64 },
    Underrun { ticket: u32, at: u64 },
    Retired(Retired),
    EffectChanged { bus: BusId },
}

impl PlainReport {
    /// What a report says; `None` for what concerns nobody outside this memory.
    pub fn of(report: &Report) -> Option<PlainReport> {
        Some(match report {
            Report::Ended(ended) => {
                PlainReport::Ended { ticket: ended.ticket, at: ended.at, why: ended.why }
            }
            Report::Parked { ticket, at, why } => {
                PlainReport::Parked { ticket: *ticket, at: *at, why: *why }
            }
            Report::Unparked { ticket, at } => PlainReport::Unparked { ticket: *ticket, at: *at },
            Report::Started { ticket, at } => PlainReport::Started { ticket: *ticket, at: *at },
            Report::Underrun { ticket, at } => PlainReport::Underrun { ticket: *ticket, at: *at },
            Report::Retired(what, _) => PlainReport::Retired(*what),
            Report::EffectChanged { bus, .. } => PlainReport::EffectChanged { bus: *bus },
            Report::Moved(_) | Report::EffectRetired(_) | Report::EffectFailed { .. } => {
                return None;
            }
        })
    }
}

wire_enum!(PlainReport {
    0 => Ended { ticket, at, why },
    1 => Parked { ticket, at, why },
    2 => Unparked { ticket, at },
    3 => Started { ticket, at },
    4 => Underrun { ticket, at },
    5 => Retired(what),
    6 => EffectChanged { bus },
});
wire_enum!(End { 0 => Finished, 1 => Stopped, 2 => Stolen { thief, level }, 3 => Refused(why) });
wire_enum!(Refused {
    0 => PoolFull,
    1 => BusFull,
    2 => CueFull,
    3 => Cooldown,
    4 => Merged { into },
    5 => ScheduleFull,
    6 => NoStream,
    7 => Inaudible,
    8 => Stranger,
});
wire_enum!(Park {
    0 => Stolen { thief, level },
    1 => Paused,
    2 => Inaudible,
    3 => OutOfEarshot { distance, far },
    4 => LeftEarshot,
    5 => Shrunk,
    6 => PoolFull,
    7 => BusFull,
    8 => CueFull,
});
wire_enum!(Retired { 0 => Voices, 1 => Room(room), 2 => Submix });
wire_enum!(VoiceState { 0 => Playing, 1 => Paused, 2 => Stopping, 3 => Parked, 4 => Scheduled });
wire_struct!(Row { ticket, slot, state, position, level, gain, pan });

impl Wire for NonZeroU32 {
    fn put(&self, out: &mut Vec<u8>) {
        self.get().put(out);
    }

    fn take(from: &mut Bytes) -> Option<NonZeroU32> {
        NonZeroU32::new(u32::take(from)?)
    }
}
