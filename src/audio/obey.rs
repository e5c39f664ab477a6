//! What the game said, carried out on a line of the grid.

use super::renderer::{Renderer, Seat};
use crate::message::{Change, Command, End, Report};
use crate::play::BusId;

impl Renderer {
    /// Hears everything that had been said when it was asked: no more than the queue holds, and once
    /// what the last mixer left.
    pub(super) fn obey(&mut self) {
        if let Some((last, fade)) = self.bridge.take_stop_all(self.obeyed) {
            self.stopped_up_to = self.stopped_up_to.max(last);
            self.stop_where(fade, |_, number| number <= last);
        }
        for _ in 0..self.bridge.commands_waiting() {
            let Some(command) = self.bridge.next_command() else { break };
            self.obeyed += 1;
            match command {
                Command::Play(request) => self.begin(request),
                Command::Voice { ticket, change } => self.change(ticket, change),
                Command::Bus { bus, change: Change::Stop { fade } } => {
                    self.stop_where(fade, |of, _| of == bus || bus == BusId::MASTER);
                }
                Command::Bus { bus, change } => {
                    self.buses.change(bus, change, self.setup.declick);
                }
                Command::Resize(berths) => {
                    if let Some(unused) = self.voices.resize(berths) {
                        self.send_home(Report::Retired(unused));
                    }
                    self.settle();
                }
            }
        }
    }

    /// Stops every play of which `which` says so, given its bus and its command's number.
    fn stop_where(&mut self, fade: u32, which: impl Fn(BusId, u64) -> bool) {
        let change = Change::Stop { fade };
        let mut next = self.voices.pool().oldest();
        while let Some(slot) = next {
            next = self.voices.pool().younger(slot);
            if let Some(voice) = self.voices.pool().at(slot).filter(|it| which(it.bus, it.number)) {
                self.change(voice.ticket, change);
            }
        }
        let mut next = self.parked.oldest();
        while let Some(slot) = next {
            next = self.parked.younger(slot);
            if let Some(voice) = self.parked.at(slot).filter(|it| which(it.bus, it.number)) {
                self.change(voice.ticket, change);
            }
        }
        let mut next = self.schedule.pool().oldest();
        while let Some(slot) = next {
            next = self.schedule.pool().younger(slot);
            let waiting = self.schedule.pool().at(slot);
            if let Some(it) = waiting.filter(|it| which(it.request.bus, it.number)) {
                self.change(it.request.ticket, change);
            }
        }
    }

    fn change(&mut self, ticket: u32, change: Change) {
        match self.seat(ticket) {
            Seat::Playing(slot) => self.change_playing(slot, change),
            Seat::Parked(slot) => self.change_parked(slot, change),
            Seat::Waiting(slot) => self.change_waiting(slot, change),
            Seat::Nowhere => (),
        }
    }

    fn change_playing(&mut self, slot: u32, change: Change) {
        let Some(voice) = self.voices.pool().at(slot) else { return };
        let sounding = voice.is_sounding(self.buses.route(voice.bus));
        match change {
            // Nobody hears it, so there is nothing to fade.
            Change::Stop { .. } if !sounding => {
                return self.end_seat(Seat::Playing(slot), End::Stopped);
            }
            Change::Seek { .. } => self.leave_tail(slot),
            _ => (),
        }
        let Some(voice) = self.voices.at_mut(slot) else { return };
        if let Change::Seek { to } = change {
            voice.seek(to, &self.setup);
            if voice.is_over() {
                return self.end_seat(Seat::Playing(slot), End::Finished);
            }
        } else {
            voice.change(change, self.buses.route(voice.bus), &self.setup);
        }
        self.voices.rank(slot, &self.buses);
    }

    /// What is parked is not heard, so all of it happens at once, but for the gains and the pan,
    /// which keep their time.
    fn change_parked(&mut self, slot: u32, change: Change) {
        let Some(voice) = self.parked.at_mut(slot) else { return };
        match change {
            Change::Stop { .. } => return self.end_seat(Seat::Parked(slot), End::Stopped),
            Change::Seek { to } => voice.seek(to, &self.setup),
            _ => voice.change(change, self.buses.route(voice.bus), &self.setup),
        }
        voice.hush();
        if voice.is_over() {
            self.end_seat(Seat::Parked(slot), End::Finished);
        }
    }

    /// Edits a request that has not begun.
    fn change_waiting(&mut self, slot: u32, change: Change) {
        let Some(waiting) = self.schedule.at_mut(slot) else { return };
        let request = &mut waiting.request;
        match change {
            Change::Stop { .. } => {
                if let Some(waiting) = self.schedule.take(slot) {
                    let request = waiting.request;
                    self.end(request.ticket, request.sound, self.now, End::Stopped);
                }
            }
            Change::Pause => request.paused = true,
            Change::Resume => request.paused = false,
            Change::Gain { to, .. } => request.gain = to,
            Change::Pan { to, .. } => request.pan = to,
            Change::Speed { to, .. } => request.speed = to,
            Change::Seek { to } => request.position = to,
        }
    }

    fn end_seat(&mut self, seat: Seat, why: End) {
        if let Some(voice) = self.vacate(seat) {
            self.end(voice.ticket, voice.sound, self.now, why);
        }
    }
}
