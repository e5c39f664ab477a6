//! Pictures of all plays, as the audio side draws them.

use super::tickets::Tickets;
use crate::link::{Bridge, Row, Snapshot};
use crate::stats::VoiceInfo;
use crate::units;

/// The latest picture, and the sheets that go back and forth: two of them, made when they are needed.
pub(super) struct Snapshots {
    latest: Option<Box<Snapshot>>,
    spare: Option<Box<Snapshot>>,
    is_ordered: bool,
    /// How many plays the audio side can have.
    rows: usize,
}

impl Snapshots {
    pub fn new(rows: usize) -> Snapshots {
        Snapshots { latest: None, spare: None, is_ordered: false, rows }
    }

    /// Takes the picture that was ordered, if it was drawn, and orders the next one.
    fn refresh(&mut self, bridge: &Bridge) {
        if let Some(filled) = bridge.take_filled() {
            self.spare = self.latest.replace(filled);
            self.is_ordered = false;
        }
        if !self.is_ordered {
            let sheet = self.spare.take().unwrap_or_else(|| Box::new(Snapshot::new(self.rows)));
            bridge.want_snapshot(sheet);
            self.is_ordered = true;
        }
    }

    /// The latest picture of all plays, less those that have ended since. Orders the next one.
    pub fn voices(&mut self, bridge: &Bridge, tickets: &Tickets) -> Vec<VoiceInfo> {
        self.refresh(bridge);
        let Some(latest) = &self.latest else { return Vec::new() };
        let info = |row: &Row| {
            // A later play may hold the ticket by now.
            let ticket =
                tickets.get(row.ticket).filter(|held| held.number.get() <= latest.heard)?;
            Some(VoiceInfo {
                voice: tickets.id_of(row.ticket)?,
                slot: row.slot.map(|above| above.get() as usize - 1),
                tag: ticket.tag,
                name: ticket.sound.shared_name(),
                bus: ticket.bus,
                state: row.state,
                position: units::duration(u64::from(row.position), ticket.sound.sample_rate()),
                level: row.level,
                gain: row.gain,
                pan: row.pan,
                priority: ticket.priority,
            })
        };
        latest.rows().iter().filter_map(info).collect()
    }
}
