//! What the game said, carried out on a line of the grid.

use std::mem;

use super::Renderer;
use crate::audio::bus::BusSet;
use crate::audio::bus::tree::Tree;
use crate::audio::plays::Placement;
use crate::audio::voice::Jump;
use crate::audio::voice::fade::Curve;
use crate::bus::BusId;
use crate::link::message::{BusPlace, Change, Command, End, Made, Report, Request, Retired};
use crate::link::tape::Noted;

/// What the commands of one line share.
#[derive(Default)]
struct Line {
    /// On which buses something was heard when the line began, worked out when it is first asked for.
    heard: Option<BusSet>,
    /// The buses whose time may go at another pace now, or whose filters have changed: their plays follow,
    /// once for the whole line.
    followed: BusSet,
    /// What was said to all plays of buses and waits until the line's commands are through: done once,
    /// however often it is said.
    at_end: Option<Said>,
}

impl Line {
    fn heard(&mut self, renderer: &Renderer) -> BusSet {
        *self.heard.get_or_insert_with(|| renderer.heard())
    }
}

/// What was said to all plays of buses.
struct Said {
    /// To each bus, since the tree was last another.
    to: [AtEnd; BusId::COUNT],
    /// Before that: to each bus, and to those that it led through then.
    before: [AtEnd; BusId::COUNT],
}

impl Said {
    const NOTHING: Said =
        Said { to: [AtEnd::NOTHING; BusId::COUNT], before: [AtEnd::NOTHING; BusId::COUNT] };

    /// Hands what was said to a bus on to all that lead through it now: by the end of the line others may.
    fn hand_down(&mut self, tree: &Tree) {
        for (before, bus) in self.before.iter_mut().zip(BusId::all()) {
            let said = tree.up(bus).filter_map(|bus| self.to.get(bus.index()));
            *before = said.fold(*before, |all, said| all.with(*said));
        }
        self.to = [AtEnd::NOTHING; BusId::COUNT];
    }
}

#[derive(Clone, Copy)]
struct AtEnd {
    /// The shortest fade with which the bus was stopped, if it was. Plays that were stopping already
    /// can only be hurried.
    hurry: u32,
    /// The number of the last command to end its loops, 0 if there was none.
    end_loops: u64,
}

impl AtEnd {
    const NOTHING: AtEnd = AtEnd { hurry: u32::MAX, end_loops: 0 };

    /// Both together.
    fn with(self, other: AtEnd) -> AtEnd {
        AtEnd { hurry: self.hurry.min(other.hurry), end_loops: self.end_loops.max(other.end_loops) }
    }
}

impl Renderer {
    /// Applies everything that had been said when it was asked: no more than the queue holds, and
    /// once what the last mixer left.
    pub(super) fn apply_commands(&mut self) {
        if let Some((last, fade)) = self.bridge.take_stop_all(self.applied) {
            self.note(Noted::StopAll { last, fade });
            self.stopped_up_to = self.stopped_up_to.max(last);
            self.stop_up_to(last, fade);
            self.follow_on();
        }
        let mut line = Line::default();
        for _ in 0..self.bridge.commands_waiting() {
            let Some(command) = self.bridge.next_command() else { break };
            self.applied += 1;
            match command {
                Command::Play(request) => self.begin(request),
                Command::Voice { ticket, change } => self.change(ticket, change),
                Command::Bus { bus, change, submix } => {
                    self.equip(bus, submix);
                    self.change_bus(bus, change, &mut line);
                }
                Command::Resize(made) => self.resize(made),
                Command::Place { bus, place } => {
                    self.place_bus(bus, place, &mut line);
                }
                Command::Duck { bus, by, duck } => self.ducks.set(bus, by, duck),
                Command::Effect { bus, effect, submix } => {
                    self.equip(bus, submix);
                    let heard = line.heard(self);
                    self.set_effect(bus, effect, heard);
                }
                Command::Room { room, made, over } => {
                    let heard = line.heard(self);
                    self.set_room(room, made, over, !heard.is_empty());
                }
                Command::Listener { ears, jump } => {
                    self.space.set_listener(ears, jump, self.now);
                }
                Command::Move { ticket, to } => self.move_play(ticket, to),
                Command::Moves(block) => {
                    block.list().iter().for_each(|(ticket, to)| self.move_play(*ticket, *to));
                    self.send_report(Report::Moved(block));
                }
            }
            self.follow_on();
        }
        if !line.followed.is_empty() {
            self.follow_buses(line.followed);
        }
        if let Some(mut said) = line.at_end {
            said.hand_down(self.plays.voices.limits().tree());
            self.finish_line(&said.before);
            self.follow_on();
        }
    }

    /// Stops every play up to this command, wherever it is. Not in the order of their tickets, which are others in a
    /// replay.
    fn stop_up_to(&mut self, last: u64, fade: u32) {
        let mut walk = self.plays.voices.pool().walk();
        while let Some(slot) = walk.next(self.plays.voices.pool()) {
            if self.plays.voices.pool().at(slot).is_some_and(|voice| voice.number <= last) {
                self.stop_playing(slot, fade, Curve::Straight);
            }
        }
        let mut walk = self.plays.parked.pool().walk();
        while let Some(slot) = walk.next(self.plays.parked.pool()) {
            if self.plays.parked.pool().at(slot).is_some_and(|it| it.voice.number <= last) {
                self.end_at(Placement::Parked(slot), End::Stopped);
            }
        }
        let mut walk = self.plays.arrivals().walk();
        while let Some(slot) = walk.next(self.plays.arrivals()) {
            if self.plays.arrivals().at(slot).is_some_and(|voice| voice.number <= last) {
                self.end_at(Placement::Arriving(slot), End::Stopped);
            }
        }
        let mut walk = self.plays.schedule().pool().walk();
        while let Some(slot) = walk.next(self.plays.schedule().pool()) {
            if self.plays.schedule().pool().at(slot).is_some_and(|it| it.number <= last) {
                self.end_at(Placement::Waiting(slot), End::Stopped);
            }
        }
    }

    fn change_bus(&mut self, bus: BusId, change: Change, line: &mut Line) {
        let number = self.applied;
        let at_end = |line: &mut Line, note: &dyn Fn(&mut AtEnd)| {
            let said = line.at_end.get_or_insert(Said::NOTHING);
            said.to.get_mut(bus.index()).into_iter().for_each(note);
        };
        match change {
            Change::Stop { fade } => {
                at_end(line, &|it| it.hurry = fade.min(it.hurry));
                self.stop_bus(bus, fade);
            }
            Change::EndLoop => at_end(line, &|it| it.end_loops = number),
            Change::Speed { to, over } => {
                let heard = self.buses.through(line.heard(self), bus);
                let over = if heard || over > 0 { over.max(self.setup.declick) } else { 0 };
                self.buses.set_speed(bus, to, over);
                line.followed = line.followed.and(self.buses.tree().below(bus));
            }
            Change::LowPass { .. } | Change::HighPass { .. } | Change::Send { .. } => {
                let heard = line.heard(self);
                self.shape_bus(bus, change, heard);
                line.followed = line.followed.and(self.buses.tree().below(bus));
            }
            _ => {
                let heard = line.heard(self);
                self.buses.change(bus, change, self.setup.declick, self.begun_on, heard);
                self.plays.parked.rouse();
            }
        }
    }

    /// Limits and reserves count from here on, and those of the new parent; what is heard follows.
    fn place_bus(&mut self, bus: BusId, place: BusPlace, line: &mut Line) {
        if let Some(said) = &mut line.at_end {
            said.hand_down(self.plays.voices.limits().tree());
        }
        self.plays.voices.limits_mut().set(bus, place);
        let heard = line.heard(self);
        self.buses.set_parent(bus, place.parent, self.setup.declick, self.begun_on, heard);
        line.followed = line.followed.and(self.buses.tree().below(bus));
    }

    /// Stops every play on a bus that is not stopping yet. Who is below it is as the game has told.
    fn stop_bus(&mut self, bus: BusId, fade: u32) {
        for bus in self.plays.voices.limits().tree().below(bus).iter() {
            while let Some(ticket) = self.plays.take_unstopped(bus) {
                self.change(ticket, Change::Stop { fade });
            }
        }
    }

    /// Does to each play what was said to its bus, once for the whole line.
    fn finish_line(&mut self, at_end: &[AtEnd; BusId::COUNT]) {
        let said_to = |bus: BusId| at_end.get(bus.index()).copied().unwrap_or(AtEnd::NOTHING);
        let mut walk = self.plays.voices.pool().walk();
        while let Some(slot) = walk.next(self.plays.voices.pool()) {
            let Some(voice) = self.plays.voices.pool().at(slot) else { break };
            let (AtEnd { hurry, end_loops }, number) = (said_to(voice.bus), voice.number);
            let hurries = voice.is_stopping() && hurry < u32::MAX;
            if number < end_loops {
                self.change_playing(slot, Change::EndLoop);
            }
            if hurries {
                self.change_playing(slot, Change::Stop { fade: hurry });
            }
        }
        let mut walk = self.plays.parked.pool().walk();
        while let Some(slot) = walk.next(self.plays.parked.pool()) {
            let Some(parked) = self.plays.parked.pool().at(slot) else { break };
            if parked.voice.number < said_to(parked.voice.bus).end_loops {
                self.change_parked(slot, Change::EndLoop);
            }
        }
        let mut walk = self.plays.arrivals().walk();
        while let Some(slot) = walk.next(self.plays.arrivals()) {
            let Some(voice) = self.plays.arrivals().at(slot) else { break };
            if voice.number < said_to(voice.bus).end_loops {
                self.change_arriving(slot, Change::EndLoop);
            }
        }
        let mut walk = self.plays.schedule().pool().walk();
        while let Some(slot) = walk.next(self.plays.schedule().pool()) {
            let Some(waiting) = self.plays.schedule().pool().at(slot) else { break };
            if waiting.number < said_to(waiting.request.bus).end_loops {
                self.change_waiting(slot, Change::EndLoop);
            }
        }
    }

    fn resize(&mut self, made: Made) {
        let unused = match made.downcast() {
            Ok(slots) => self.plays.voices.resize(slots).map(|unused| unused as Made),
            Err(stranger) => Some(stranger),
        };
        if let Some(unused) = unused {
            self.send_report(Report::Retired(Retired::Voices, unused));
        }
        self.settle();
    }

    pub(super) fn change(&mut self, ticket: u32, change: Change) {
        match self.plays.find(ticket) {
            Placement::Playing(slot) => self.change_playing(slot, change),
            Placement::Parked(slot) => self.change_parked(slot, change),
            Placement::Arriving(slot) => self.change_arriving(slot, change),
            Placement::Waiting(slot) => self.change_waiting(slot, change),
            Placement::Nowhere => (),
        }
    }

    fn change_playing(&mut self, slot: u32, change: Change) {
        if let Change::Stop { fade } = change {
            return self.stop_playing(slot, fade, Curve::Straight);
        }
        let Some(voice) = self.plays.voices.pool().at(slot) else { return };
        match voice.jumps(change, &self.buses.way(voice.bus)) {
            Jump::None => (),
            Jump::WhenItCan => self.draw_tail(slot),
            Jump::AtOnce => {
                self.leave_tail(slot);
                if let Some((_, shaper)) = self.plays.voices.shaped_mut(slot) {
                    shaper.forget();
                }
            }
        }
        self.loops_ended |= matches!(change, Change::EndLoop);
        let Some(voice) = self.plays.voices.at_mut(slot) else { return };
        voice.change(change, &self.buses.way(voice.bus), &self.setup);
        self.settle_jump(slot);
        let Some(voice) = self.plays.voices.at_mut(slot) else { return };
        if voice.is_over() {
            if voice.arrives_elsewhere() {
                self.leave_tail(slot);
            }
            return self.end_at(Placement::Playing(slot), End::Finished);
        }
        if let Change::LowPass { .. } | Change::HighPass { .. } | Change::Send { .. } = change {
            self.plays.voices.shape(slot, change, &self.setup);
        }
        self.plays.voices.rank(slot, &self.setup);
    }

    /// The line is known: whoever loses its voice from here on has left its loop behind.
    pub(super) fn forget_loops(&mut self) {
        if !mem::take(&mut self.loops_ended) {
            return;
        }
        let mut walk = self.plays.voices.pool().walk();
        while let Some(slot) = walk.next(self.plays.voices.pool()) {
            let Some(voice) = self.plays.voices.at_mut(slot) else { break };
            voice.forget_loop();
        }
    }

    pub(super) fn stop_playing(&mut self, slot: u32, fade: u32, curve: Curve) {
        let Some(voice) = self.plays.voices.pool().at(slot) else { return };
        if !voice.is_sounding(&self.buses.way(voice.bus)) || voice.has_left_earshot() {
            // Nobody hears it, so there is nothing to fade but what its filters still say.
            self.leave_tail(slot);
            return self.end_at(Placement::Playing(slot), End::Stopped);
        }
        self.plays.set_stopping(voice.ticket);
        if let Some(voice) = self.plays.voices.at_mut(slot) {
            voice.stop(fade, curve, &self.setup);
        }
        self.plays.voices.rank(slot, &self.setup);
    }

    /// What is parked is not heard, so all of it happens at once, but for the gains and the pan,
    /// which keep their time.
    fn change_parked(&mut self, slot: u32, change: Change) {
        if let Change::Stop { .. } = change {
            return self.end_at(Placement::Parked(slot), End::Stopped);
        }
        let (buses, setup) = (&self.buses, &self.setup);
        self.plays.parked.change(slot, buses, setup, |voice| {
            voice.change(change, &buses.way(voice.bus), setup);
        });
        if self.plays.parked.pool().at(slot).is_some_and(|parked| parked.voice.is_over()) {
            self.end_at(Placement::Parked(slot), End::Finished);
        }
    }

    /// Nothing was heard yet of one who begins on this line: it is changed as a voice that was not heard is.
    fn change_arriving(&mut self, slot: u32, change: Change) {
        if let Change::Stop { .. } = change {
            return self.end_at(Placement::Arriving(slot), End::Stopped);
        }
        self.loops_ended |= matches!(change, Change::EndLoop);
        let Some(voice) = self.plays.arrival_mut(slot) else { return };
        voice.change(change, &self.buses.way(voice.bus), &self.setup);
        if voice.is_over() {
            self.end_at(Placement::Arriving(slot), End::Finished);
        }
    }

    /// Edits a request that has not begun.
    fn change_waiting(&mut self, slot: u32, change: Change) {
        let Some(request) = self.plays.waiting_mut(slot) else { return };
        let Request { gain, pan, speed, position, looping, paused, muted, shape, .. } = request;
        match change {
            Change::Stop { .. } => self.end_at(Placement::Waiting(slot), End::Stopped),
            Change::Pause { .. } => *paused = true,
            Change::Resume { .. } => *paused = false,
            Change::Mute(mute) => *muted = mute,
            Change::Gain { to, .. } => *gain = to,
            Change::Pan { to, .. } => *pan = to,
            Change::Speed { to, .. } => *speed = to,
            Change::Seek { to } => *position = to,
            Change::EndLoop => *looping = None,
            Change::LowPass { .. } | Change::HighPass { .. } | Change::Send { .. } => {
                shape.change(change);
            }
        }
    }
}
