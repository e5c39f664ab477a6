//! The voices that read streams, on each line of the grid.

use std::sync::atomic::Ordering::Relaxed;

use super::Renderer;
use crate::audio::plays::Placement;
use crate::audio::voice::supply::Tended;
use crate::link::Drive;
use crate::link::feed::Mark;
use crate::link::message::Report;
use crate::link::tape::Noted;

impl Renderer {
    /// Takes in what has arrived of all streams, and sees to those who play. If one lacks something, whoever
    /// drives is told, and says whether to look again.
    pub(super) fn supply_streams(&mut self, drive: &mut dyn Drive) {
        (self.streams_are_scarce, self.stream_begins) = (false, false);
        if self.plays.streams.is_empty() {
            return;
        }
        self.stock_streams(false, drive);
        let mut place = 0;
        let mut arrived = false;
        while let Some(ticket) = self.plays.streams.at(place) {
            if let Placement::Playing(slot) = self.plays.find(ticket) {
                arrived |= self.tend_stream(slot);
            }
            place += 1;
        }
        if arrived {
            // Who waited in two places can now have more of one.
            self.stock_streams(true, drive);
        }
    }

    /// Takes in what there is to be had, before streams are seen to or after that.
    fn stock_streams(&mut self, after: bool, drive: &mut dyn Drive) {
        // What was read goes back first, for who replays waits for blocks that are made in its place.
        self.take_in_streams(after);
        while drive.supply(self.now, after) {
            self.take_in_streams(after);
        }
        while self.take_in_streams(after) && drive.wait() {}
    }

    /// Takes in what has arrived. Returns whether any stream lacks something that it will want on this pass.
    fn take_in_streams(&mut self, after: bool) -> bool {
        let mut lacks = false;
        let mut place = 0;
        while let Some(ticket) = self.plays.streams.at(place) {
            if let Placement::Playing(slot) = self.plays.find(ticket) {
                lacks |= self.take_in_stream(slot, after);
            }
            place += 1;
        }
        lacks
    }

    /// The same for one voice.
    fn take_in_stream(&mut self, slot: u32, after: bool) -> bool {
        let Some(voice) = self.plays.voices.at_mut(slot) else { return false };
        if voice.is_calm(&self.setup) {
            return false;
        }
        let stands_still = voice.stands_still(&self.buses.way(voice.bus));
        let play = voice.number;
        let tape = self.bridge.tape().filter(|tape| tape.is_running());
        let note = |mark: Option<Mark>| {
            if let (Some(tape), Some(Mark { epoch, index })) = (tape, mark) {
                let what = match after {
                    false => Noted::Block { play, epoch, index },
                    true => Noted::LaterBlock { play, epoch, index },
                };
                tape.note(self.now, what);
            }
        };
        // The last one of each order: those of an earlier one may all have come before it was replaced.
        let mut newest = None;
        let lacks = voice.take_in(&self.setup, &mut |mark| {
            let before: Option<Mark> = newest.replace(mark);
            note(before.filter(|before| before.epoch != mark.epoch));
        });
        note(newest);
        lacks && !stands_still
    }

    /// Sees to a voice that reads a stream. Returns whether it has arrived where it has jumped to.
    fn tend_stream(&mut self, slot: u32) -> bool {
        let Some(voice) = self.plays.voices.at_mut(slot) else { return false };
        if voice.is_calm(&self.setup) {
            return false;
        }
        let (ticket, at) = (voice.ticket, self.now);
        let stands_still = voice.stands_still(&self.buses.way(voice.bus));
        let tended = voice.tend(stands_still, &self.setup);
        match tended {
            Tended::Plenty => (),
            Tended::Scarce => self.streams_are_scarce = true,
            Tended::RanDry => {
                self.streams_are_scarce = true;
                self.bridge.meters.underruns.fetch_add(1, Relaxed);
                // Told once a second at the most.
                if at >= self.tell_underruns_from {
                    self.tell_underruns_from = at + u64::from(self.setup.rate);
                    self.notify(Report::Underrun { ticket, at });
                }
            }
            Tended::Arrived => self.cross_over(slot),
        }
        tended == Tended::Arrived
    }

    /// A stream that was told to jump on this line is there at once if there is nothing to wait for: what it leaves
    /// behind was drawn when it was told.
    pub(super) fn settle_jump(&mut self, slot: u32) {
        let now = self.now;
        let Some(voice) = self.plays.voices.at_mut(slot) else { return };
        let was_told = voice.remains_mut().is_some_and(|remains| remains.drawn_at == Some(now));
        if !was_told || !voice.arrives_at_once() {
            return;
        }
        self.leave_tail(slot);
        if let Some((_, shaper)) = self.plays.voices.shaped_mut(slot) {
            shaper.forget();
        }
        if let Some(voice) = self.plays.voices.at_mut(slot) {
            voice.arrive_unheard(&self.setup);
        }
    }

    /// A voice is heard from where it has jumped to.
    fn cross_over(&mut self, slot: u32) {
        let Some(voice) = self.plays.voices.pool().at(slot) else { return };
        if voice.arrives_elsewhere() {
            self.leave_tail(slot);
            if let Some((_, shaper)) = self.plays.voices.shaped_mut(slot) {
                shaper.forget();
            }
        }
        if let Some(voice) = self.plays.voices.at_mut(slot) {
            voice.arrive(&self.setup);
        }
        self.plays.voices.rank(slot, &self.setup);
        self.streams_are_scarce = true;
    }
}
