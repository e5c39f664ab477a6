//! What the game side hears: endings, notices, pictures of all plays.

use std::mem;
use std::num::NonZeroU32;
use std::sync::atomic::Ordering::Relaxed;

use super::Renderer;
use crate::audio::plays::Placement;
use crate::audio::voice::Voice;
use crate::link::message::{Cargo, End, Ended, Report};
use crate::link::{Row, Snapshot};
use crate::stats::VoiceState;

/// The notices on their way home, by their numbers among all reports. There is room for so many
/// beside the endings, which must never meet a full queue.
pub(super) struct Notices {
    marks: Box<[u64]>,
    first: usize,
    count: usize,
}

impl Notices {
    pub fn new(most: usize) -> Notices {
        Notices { marks: vec![0; most].into(), first: 0, count: 0 }
    }

    /// Adds one, if there is room; those up to number `collected` have arrived.
    fn add(&mut self, number: u64, collected: u64) -> bool {
        while self.count > 0 && self.marks.get(self.first).is_some_and(|mark| *mark <= collected) {
            self.first = (self.first + 1) % self.marks.len();
            self.count -= 1;
        }
        let free = (self.first + self.count) % self.marks.len().max(1);
        let room = self.count < self.marks.len();
        if let Some(mark) = self.marks.get_mut(free).filter(|_| room) {
            *mark = number;
            self.count += 1;
        }
        room
    }
}

impl Renderer {
    /// Ends a play: the one report that each play makes, with all in it that it had brought along.
    pub(super) fn end(&mut self, ticket: u32, cargo: Cargo, at: u64, why: End) {
        self.plays.forget(ticket, why == End::Finished);
        self.send_report(Report::Ended(Ended { why, ticket, at, cargo }));
    }

    /// Ends the play in a place, now.
    pub(super) fn end_at(&mut self, placement: Placement, why: End) {
        self.end_on(placement, self.now, why);
    }

    /// Ends the play in a place, which was over on a frame. If it has finished in a slot, that is for the first
    /// who follows it.
    #[inline(always)]
    pub(super) fn end_on(&mut self, placement: Placement, at: u64, why: End) {
        if let Placement::Playing(slot) = placement
            && !self.plays.followers().is_empty()
            && why == End::Finished
            && self.hand_on(slot, at)
        {
            return;
        }
        if let Some((ticket, cargo)) = self.plays.take(placement) {
            self.end(ticket, cargo, at, why);
        }
    }

    /// Ends every play there is.
    pub(super) fn end_everything(&mut self) {
        for ticket in self.plays.tickets() {
            self.end_at(self.plays.find(ticket), End::Stopped);
        }
    }

    pub(super) fn send_report(&self, report: Report) {
        if let Err(report) = self.bridge.reports.send(report) {
            // Every ending and every pool has a place of its own, so there is always room. If there
            // were none, to leak would still be better than to free here.
            mem::forget(report);
        }
    }

    /// Sends a notice, if there is room that no ending may need.
    pub(super) fn notify(&mut self, report: Report) {
        let reports = &self.bridge.reports;
        if self.notices.add(reports.placed() + 1, reports.collected()) {
            self.send_report(report);
        } else {
            self.bridge.meters.missed.fetch_add(1, Relaxed);
        }
    }

    /// Fills a snapshot, if one was asked for.
    pub(super) fn fill_snapshot(&mut self) {
        if let Some(mut snapshot) = self.bridge.take_wanted() {
            self.plays.parked.catch_up(&self.buses, &self.space);
            self.draw(&mut snapshot);
            self.bridge.give_filled(snapshot);
        }
    }

    fn draw(&self, snapshot: &mut Snapshot) {
        snapshot.begin(self.applied, self.now);
        let row = |voice: &Voice, slot, parked| {
            let way = self.buses.way(voice.bus);
            Row {
                ticket: voice.ticket,
                slot,
                state: if parked { VoiceState::Parked } else { voice.state(&way) },
                position: voice.frame(),
                level: voice.level(&self.setup) * way.level() * way.master_level(),
                gain: voice.gain(),
                pan: voice.pan(),
            }
        };
        for (key, voice) in self.plays.voices.pool().iter() {
            snapshot.add(row(voice, NonZeroU32::new(key.slot() as u32 + 1), false));
        }
        for (_, parked) in self.plays.parked.pool().iter() {
            snapshot.add(row(&parked.voice, None, true));
        }
        for (_, waiting) in self.plays.schedule().pool().iter() {
            let request = &waiting.request;
            snapshot.add(Row {
                ticket: request.ticket,
                slot: None,
                state: VoiceState::Scheduled,
                position: request.position,
                level: 0.0,
                gain: request.gain,
                pan: request.pan,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Notices;

    #[test]
    fn there_are_no_more_notices_under_way_than_there_is_room_for() {
        let mut notices = Notices::new(3);
        assert_eq!([5, 6, 9].map(|number| notices.add(number, 4)), [true; 3]);
        assert_eq!([10, 11].map(|number| notices.add(number, 4)), [false; 2]);
        // Two have arrived; what found no room was never on its way.
        assert_eq!([12, 13, 14].map(|number| notices.add(number, 6)), [true, true, false]);
        assert_eq!(
            [20, 21, 22, 23].map(|number| notices.add(number, 13)),
            [true, true, true, false]
        );
        assert!(!Notices::new(0).add(1, 0));
    }
}
