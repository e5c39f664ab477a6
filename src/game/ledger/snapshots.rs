//! Pictures of all plays, as the audio side draws them.

use std::time::Duration;

use super::tickets::{Ticket, Tickets};
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
    /// The row of each ticket that is in the latest picture, made when a position is first asked for
    /// and once for every picture from which one is. Of those that are not in it, it says anything.
    row_of: Vec<u32>,
    is_indexed: bool,
}

impl Snapshots {
    pub fn new(rows: usize) -> Snapshots {
        Snapshots {
            latest: None,
            spare: None,
            is_ordered: false,
            rows,
            row_of: Vec::new(),
            is_indexed: false,
        }
    }

    /// Takes the picture that was ordered, if it was drawn, and orders the next one.
    fn refresh(&mut self, bridge: &Bridge) {
        if let Some(filled) = bridge.take_filled() {
            self.spare = self.latest.replace(filled);
            (self.is_ordered, self.is_indexed) = (false, false);
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
            let ticket = drawn(latest, row, tickets)?;
            Some(VoiceInfo {
                voice: tickets.id_of(row.ticket)?,
                slot: row.slot.map(|above| above.get() as usize - 1),
                tag: ticket.tag,
                name: ticket.sound.shared_name(),
                bus: ticket.bus,
                state: row.state,
                position: position(row, ticket),
                level: row.level,
                gain: row.gain,
                pan: row.pan,
                priority: ticket.priority,
            })
        };
        latest.rows().iter().filter_map(info).collect()
    }

    /// Where the play that holds a ticket was in the latest picture, and the frame on which that was
    /// drawn. Orders the next one.
    pub fn position(
        &mut self,
        ticket: u32,
        bridge: &Bridge,
        tickets: &Tickets,
    ) -> Option<(Duration, u64)> {
        self.refresh(bridge);
        let latest = self.latest.as_ref()?;
        if !self.is_indexed {
            self.row_of.resize(tickets.capacity(), 0);
            for (row, at) in latest.rows().iter().zip(0..) {
                self.row_of[row.ticket as usize] = at;
            }
            self.is_indexed = true;
        }
        let row = latest.rows().get(self.row_of[ticket as usize] as usize)?;
        let held = drawn(latest, row, tickets).filter(|_| row.ticket == ticket)?;
        Some((position(row, held), latest.at))
    }
}

/// The play that a row is about, if it is still live: a later one may hold the ticket by now.
fn drawn<'a>(snapshot: &Snapshot, row: &Row, tickets: &'a Tickets) -> Option<&'a Ticket> {
    tickets.get(row.ticket).filter(|held| held.number.get() <= snapshot.heard)
}

/// Where in its sound a play was.
fn position(row: &Row, ticket: &Ticket) -> Duration {
    units::duration(u64::from(row.position), ticket.sound.sample_rate())
}

#[cfg(test)]
mod tests {
    use super::super::tickets::Number;
    use super::*;
    use crate::bus::BusId;
    use crate::config::Config;
    use crate::play::Priority;
    use crate::sound::Sound;
    use crate::stats::VoiceState;

    /// Its ending may be on the way when the picture is taken that it is not in any more.
    #[test]
    fn a_live_play_that_is_not_in_the_picture_is_nowhere() {
        let bridge = Bridge::new(&Config::DEFAULT);
        let (mut snapshots, mut tickets) = (Snapshots::new(4), Tickets::new(0, 4));
        let sound = Sound::from_mono(1000, &[0.5; 100]).unwrap();
        let mut play = || {
            let (sound, number) = (sound.clone(), Number::new(1));
            let (bus, priority) = (BusId::MASTER, Priority::Normal);
            tickets.insert(Ticket { sound, tag: 0, bus, priority, number }).unwrap().ticket
        };
        let [gone, drawn] = [play(), play()];
        assert_eq!(snapshots.position(drawn, &bridge, &tickets), None);
        let mut sheet = bridge.take_wanted().expect("a picture was ordered");
        sheet.begin(7, 640);
        let (state, position) = (VoiceState::Playing, 12);
        let slot = None;
        sheet.add(Row { ticket: drawn, slot, state, position, level: 0.0, gain: 1.0, pan: 0.0 });
        bridge.give_filled(sheet);
        let seen = Some((Duration::from_millis(12), 640));
        assert_eq!(snapshots.position(drawn, &bridge, &tickets), seen);
        assert_eq!(snapshots.position(gone, &bridge, &tickets), None);
    }
}
