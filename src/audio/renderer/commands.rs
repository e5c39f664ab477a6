//! What the game said, carried out on a line of the grid.

use super::Renderer;
use crate::audio::bus::BusSet;
use crate::audio::plays::placements::Placement;
use crate::link::message::{Change, Command, End, Made, Report};
use crate::play::BusId;

/// What the commands of one line share.
#[derive(Default)]
struct Line {
    /// On which buses something moved when the line began, worked out when it is first asked for.
    moving: Option<BusSet>,
    /// The shortest fade with which each bus was stopped, if any was.
    hurry: Option<[u32; BusId::COUNT]>,
}

impl Renderer {
    /// Hears everything that had been said when it was asked: no more than the queue holds, and once
    /// what the last mixer left.
    pub(in crate::audio) fn obey(&mut self) {
        if let Some((last, fade)) = self.bridge.take_stop_all(self.obeyed) {
            self.stopped_up_to = self.stopped_up_to.max(last);
            self.stop_up_to(last, fade);
        }
        let mut line = Line::default();
        for _ in 0..self.bridge.commands_waiting() {
            let Some(command) = self.bridge.next_command() else { break };
            self.obeyed += 1;
            match command {
                Command::Play(request) => self.begin(request),
                Command::Voice { ticket, change } => self.change(ticket, change),
                Command::Bus { bus, change: Change::Stop { fade } } => {
                    self.stop_bus(bus, fade, &mut line);
                }
                Command::Bus { bus, change } => {
                    let begun_on = self.begun_on;
                    let moving = *line.moving.get_or_insert_with(|| begun_on.moving(&self.buses));
                    let declick = self.setup.declick;
                    self.buses.change(bus, change, declick, self.begun_on, moving);
                    self.parked.rouse();
                }
                Command::Resize(made) => {
                    let retired = match made.downcast() {
                        Ok(slots) => self.voices.resize(slots).map(|unused| unused as Made),
                        Err(stranger) => Some(stranger),
                    };
                    if let Some(retired) = retired {
                        self.send_home(Report::Retired(retired));
                    }
                    self.settle();
                }
            }
        }
        if let Some(hurry) = line.hurry {
            self.hurry(hurry);
        }
    }

    /// Stops every play up to this command, wherever it is.
    fn stop_up_to(&mut self, last: u64, fade: u32) {
        for ticket in 0..self.placements.tickets() {
            let number = match self.placements.get(ticket) {
                Placement::Playing(slot) => self.voices.pool().at(slot).map(|it| it.number),
                Placement::Parked(slot) => self.parked.pool().at(slot).map(|it| it.voice.number),
                Placement::Waiting(slot) => self.schedule.pool().at(slot).map(|it| it.number),
                Placement::Nowhere => None,
            };
            if number.is_some_and(|number| number <= last) {
                self.change(ticket, Change::Stop { fade });
            }
        }
    }

    /// Stops every play on a bus that is not stopping yet. Those that are can only be hurried,
    /// which waits until the line's commands are through: done once, however often it is said.
    fn stop_bus(&mut self, bus: BusId, fade: u32, line: &mut Line) {
        let hurry = line.hurry.get_or_insert([u32::MAX; BusId::COUNT]);
        if let Some(shortest) = hurry.get_mut(bus.index()) {
            *shortest = fade.min(*shortest);
        }
        for bus in BusId::all().filter(|other| bus == BusId::MASTER || bus == *other) {
            while let Some(ticket) = self.placements.first_on(bus) {
                self.placements.unlink(ticket);
                self.change(ticket, Change::Stop { fade });
            }
        }
    }

    /// Hurries what was stopping already when its bus was stopped.
    fn hurry(&mut self, hurry: [u32; BusId::COUNT]) {
        let [master, ..] = hurry;
        let mut next = self.voices.pool().oldest();
        while let Some(slot) = next {
            next = self.voices.pool().younger(slot);
            let Some(voice) = self.voices.pool().at(slot).filter(|it| it.is_stopping()) else {
                continue;
            };
            let own = hurry.get(voice.bus.index()).copied().unwrap_or(u32::MAX);
            let fade = own.min(master);
            if fade < u32::MAX {
                self.change_playing(slot, Change::Stop { fade });
            }
        }
    }

    fn change(&mut self, ticket: u32, change: Change) {
        match self.placements.get(ticket) {
            Placement::Playing(slot) => self.change_playing(slot, change),
            Placement::Parked(slot) => self.change_parked(slot, change),
            Placement::Waiting(slot) => self.change_waiting(slot, change),
            Placement::Nowhere => (),
        }
    }

    fn change_playing(&mut self, slot: u32, change: Change) {
        let Some(voice) = self.voices.pool().at(slot) else { return };
        let sounding = voice.is_sounding(self.buses.route(voice.bus));
        match change {
            // Nobody hears it, so there is nothing to fade.
            Change::Stop { .. } if !sounding => {
                return self.end_at(Placement::Playing(slot), End::Stopped);
            }
            Change::Stop { .. } => self.placements.unlink(voice.ticket),
            Change::Seek { .. } => self.leave_tail(slot),
            _ => (),
        }
        let Some(voice) = self.voices.at_mut(slot) else { return };
        if let Change::Seek { to } = change {
            voice.seek(to, &self.setup);
            if voice.is_over() {
                return self.end_at(Placement::Playing(slot), End::Finished);
            }
        } else {
            voice.change(change, self.buses.route(voice.bus), &self.setup);
        }
        self.voices.rank(slot, &self.setup);
    }

    /// What is parked is not heard, so all of it happens at once, but for the gains and the pan,
    /// which keep their time.
    fn change_parked(&mut self, slot: u32, change: Change) {
        if let Change::Stop { .. } = change {
            return self.end_at(Placement::Parked(slot), End::Stopped);
        }
        let (buses, setup) = (&self.buses, &self.setup);
        self.parked.change(slot, buses, |voice| match change {
            Change::Seek { to } => voice.seek(to, setup),
            _ => voice.change(change, buses.route(voice.bus), setup),
        });
        if self.parked.pool().at(slot).is_some_and(|parked| parked.voice.is_over()) {
            self.end_at(Placement::Parked(slot), End::Finished);
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
            Change::Pause { .. } => request.paused = true,
            Change::Resume { .. } => request.paused = false,
            Change::Mute(muted) => request.muted = muted,
            Change::EndLoop => request.looping = None,
            Change::Gain { to, .. } => request.gain = to,
            Change::Pan { to, .. } => request.pan = to,
            Change::Speed { to, .. } => request.speed = to,
            Change::Seek { to } => request.position = to,
        }
    }

    fn end_at(&mut self, placement: Placement, why: End) {
        if let Some(voice) = self.vacate(placement) {
            self.end(voice.ticket, voice.sound, self.now, why);
        }
    }
}
