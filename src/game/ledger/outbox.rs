//! What is sent to the audio side, and what waits to be sent.

use std::collections::VecDeque;
use std::sync::Arc;

use super::buses::Buses;
use super::moves::{MoveStore, NextMove};
use super::pending::Pending;
use super::recording::Recording;
use super::tickets::Tickets;
use super::wishes::{Due, Wishes};
use crate::bus::BusId;
use crate::config::Config;
use crate::effect::Effect;
use crate::link::Bridge;
use crate::link::message::{
    Change, Command, HIGH_PASS_OFF, LOW_PASS_OFF, Made, PlainCommand, Plan,
};

/// The way to the audio side. All that is placed in one call of the mixer is published together when
/// the call ends, so that it acts on one line of the grid.
pub(super) struct Outbox {
    bridge: Arc<Bridge>,
    make: fn(Plan, u32) -> Made,
    rate: u32,
    /// The buses that have been given what a submix needs.
    submixes: u32,
    /// The effect that the command which is being sent takes along.
    effect: Option<Box<dyn Effect>>,
    /// What met a full queue, for every bus and, behind those, for every ticket. Made when it is
    /// needed, which is seldom.
    waiting: Box<[Option<Box<Pending>>]>,
    /// The places of all that waits, in the order in which it came; and [`A_BUS`] for each bus whose
    /// settings do.
    line: VecDeque<u32>,
    /// What was said of places, and has a way of its own.
    moves: MoveStore,
    /// Whether anything was placed that the audio side does not know of yet.
    unpublished: bool,
    recording: Recording,
}

/// The place of a bus whose settings wait, whichever that is: the table of the buses knows in which order
/// they can go.
const A_BUS: u32 = u32::MAX;

impl Outbox {
    pub fn new(bridge: Arc<Bridge>, config: &Config, make: fn(Plan, u32) -> Made) -> Outbox {
        Outbox {
            bridge,
            make,
            rate: config.sample_rate,
            submixes: 0,
            effect: None,
            waiting: (0..BusId::COUNT + config.tickets()).map(|_| None).collect(),
            line: VecDeque::new(),
            moves: MoveStore::new(config.tickets()),
            unpublished: false,
            recording: Recording::new(),
        }
    }

    /// Whether so many commands that cannot wait could be sent now. What waits goes first.
    pub fn has_room_for(&self, commands: u64) -> bool {
        !self.bridge.is_closed() && !self.has_pending() && self.room() >= commands
    }

    /// Whether there is room for what could be left unsaid.
    pub fn has_room_to_spare(&self) -> bool {
        !self.has_pending()
            && self.room() > self.bridge.most_commands - self.bridge.most_commands / 4
    }

    /// How many more commands can be placed now: as if none that is about places were in the queue.
    #[inline]
    fn room(&self) -> u64 {
        let lane = &self.bridge.commands;
        let collected = lane.collected();
        let others = lane.placed() - collected - self.moves.in_queue(collected) as u64;
        self.bridge.most_commands.saturating_sub(others)
    }

    /// The number that the next command will have.
    pub fn next_number(&self) -> u64 {
        self.bridge.commands.placed() + 1
    }

    /// Places a command in the queue, in which there is room. Inlined, so that a play is made into the form in
    /// which it crosses where it is made.
    #[inline(always)]
    pub fn send(&mut self, command: PlainCommand, tickets: &Tickets) -> bool {
        self.room() > 0
            && self
                .send_by(command, tickets, |bridge, command| bridge.commands.place(command).is_ok())
    }

    /// The one way by which commands leave. Each crosses with the sound of its ticket in it, or what is made
    /// for it here, or the effect that was laid ready.
    #[inline(always)]
    fn send_by(
        &mut self,
        command: PlainCommand,
        tickets: &Tickets,
        place: impl FnOnce(&Bridge, Command) -> bool,
    ) -> bool {
        let sound = |ticket| tickets.get(ticket).map(|held| held.sound.clone());
        let (make, rate) = (self.make, self.rate);
        let given = match command {
            Command::Bus { bus, submix: Some(_), .. }
            | Command::Effect { bus, submix: Some(_), .. } => 1 << bus.index(),
            _ => 0,
        };
        let entry = self.recording.entry(&command, tickets);
        let resolved = command.resolve(
            |request| sound(request.ticket),
            |plan| make(plan, rate),
            |_| self.effect.take(),
        );
        let placed = resolved.is_some_and(|command| place(&self.bridge, command));
        if placed {
            // Before it is published: what the audio side has applied was recorded.
            self.recording.add(entry);
            self.unpublished = true;
            self.submixes |= given;
        }
        placed
    }

    pub fn recording(&mut self) -> &mut Recording {
        &mut self.recording
    }

    /// Lays an effect ready for the command that takes it along.
    pub fn lay_ready(&mut self, effect: Option<Box<dyn Effect>>) {
        self.effect = effect;
    }

    /// Lets the audio side have all that was placed.
    pub fn publish(&mut self) {
        if self.unpublished {
            self.bridge.commands.publish();
            self.unpublished = false;
        }
    }

    /// Sends a control, or lets it wait.
    pub fn control(&mut self, recipient: Recipient, change: Change, tickets: &Tickets) {
        // Nothing is made for a command that finds no room.
        if !self.has_pending() && self.room() > 0 {
            self.send(self.command(recipient, change), tickets);
            return;
        }
        let place = recipient.place();
        if let Some(pending) = self.waiting.get_mut(place) {
            if pending.is_none() {
                self.line.push_back(place as u32);
            }
            pending.get_or_insert_default().keep(change);
        }
    }

    /// Sends the settings of a bus that wait, or lets them.
    pub fn place(&mut self, buses: &mut Buses, tickets: &Tickets) {
        if self.has_pending() || self.room() == 0 {
            self.line.push_back(A_BUS);
        } else if let Some(command) = buses.next_place() {
            self.send(command, tickets);
        }
    }

    /// What is said to a play or a bus, with the submix that the bus needs for it, if it has none.
    fn command(&self, recipient: Recipient, change: Change) -> PlainCommand {
        match recipient {
            Recipient::Voice(ticket) => Command::Voice { ticket, change },
            Recipient::Bus(bus) => {
                let needs_submix = match change {
                    Change::LowPass { to, .. } => to < LOW_PASS_OFF,
                    Change::HighPass { to, .. } => to > HIGH_PASS_OFF,
                    Change::Send { to, .. } => to > 0.0,
                    _ => false,
                };
                let submix = if needs_submix { self.submix(bus) } else { None };
                Command::Bus { bus, change, submix }
            }
        }
    }

    /// What a bus needs to be a submix, if it was not given that yet.
    pub fn submix(&self, bus: BusId) -> Option<Plan> {
        (self.submixes >> bus.index() & 1 == 0).then_some(Plan::Submix)
    }

    /// Whether anything waits.
    pub fn has_pending(&self) -> bool {
        !self.line.is_empty()
    }

    /// Sends what waits, as far as there is room: first what stands in the line, then the wishes.
    pub fn flush(&mut self, tickets: &Tickets, buses: &mut Buses, wishes: &mut Wishes) {
        while self.room() > 0
            && let Some(command) = self.next_waiting(buses, wishes)
        {
            // There is room, since only we send.
            self.send(command, tickets);
        }
    }

    /// Sends what waits, and leaves what there is no room for to be heard after it: the last mixer
    /// goes.
    pub fn flush_all(&mut self, tickets: &Tickets, buses: &mut Buses, wishes: &mut Wishes) {
        self.flush(tickets, buses, wishes);
        self.send_moves(tickets);
        let mut rest = Vec::new();
        let mut leave = |_: &Bridge, command| {
            rest.push(command);
            true
        };
        while let Some(command) = self.next_waiting(buses, wishes) {
            self.send_by(command, tickets, &mut leave);
        }
        while let Some(next) = self.moves.next_one() {
            self.send_by(next.into(), tickets, &mut leave);
        }
        self.publish();
        if !rest.is_empty() {
            self.bridge.leave(rest);
        }
    }

    // What is said of places.

    pub fn moves(&mut self) -> &mut MoveStore {
        &mut self.moves
    }

    /// Sends what was said of places, as far as there is room.
    pub fn send_moves(&mut self, tickets: &Tickets) {
        loop {
            let collected = self.bridge.commands.collected();
            if !self.moves.has_place(collected) || self.bridge.commands.room() == 0 {
                return;
            }
            let Some(next) = self.moves.next() else { return };
            let place = |bridge: &Bridge, command| bridge.commands.place(command).is_ok();
            // There is room, since only we send.
            self.send_by(next.into(), tickets, place);
            self.moves.sent(self.bridge.commands.placed(), collected);
        }
    }

    /// Forgets what waits for a play that has ended.
    pub fn forget(&mut self, ticket: u32) {
        self.moves.forget(ticket);
        if self.has_pending() {
            self.leave_line(Recipient::Voice(ticket).place());
        }
    }

    #[cold]
    fn leave_line(&mut self, place: usize) {
        if self.waiting.get_mut(place).is_some_and(|pending| pending.take().is_some()) {
            self.line.retain(|waiting| *waiting != place as u32);
            self.shrink_line();
        }
    }

    /// Takes out the next of what waits.
    fn next_waiting(&mut self, buses: &mut Buses, wishes: &mut Wishes) -> Option<PlainCommand> {
        if let Some(command) = self.next_in_line(buses) {
            return Some(command);
        }
        if !wishes.wait() {
            return None;
        }
        Some(match wishes.next_due()? {
            Due::Duck(command) => command,
            Due::Room { room, reverb, over } => {
                Command::Room { room, made: Plan::Room(reverb), over }
            }
            Due::Effect { bus, effect: None } => {
                Command::Effect { bus, effect: None, submix: None }
            }
            Due::Effect { bus, effect } => {
                self.effect = effect;
                Command::Effect { bus, effect: Some(()), submix: self.submix(bus) }
            }
        })
    }

    fn next_in_line(&mut self, buses: &mut Buses) -> Option<PlainCommand> {
        while let Some(&place) = self.line.front() {
            if place == A_BUS {
                self.line.pop_front();
                if let Some(command) = buses.next_place() {
                    return Some(command);
                }
                continue;
            }
            if let Some(pending) = self.waiting.get_mut(place as usize) {
                if let Some(change) = pending.as_mut().and_then(|pending| pending.next()) {
                    return Some(self.command(Recipient::at(place), change));
                }
                *pending = None;
            }
            self.line.pop_front();
        }
        self.shrink_line();
        None
    }

    /// The line is seldom needed, so that it gives its memory back when it is empty.
    fn shrink_line(&mut self) {
        if self.line.is_empty() {
            self.line.shrink_to_fit();
        }
    }
}

impl From<NextMove> for PlainCommand {
    fn from(next: NextMove) -> PlainCommand {
        match next {
            NextMove::Listener { ears, jump } => Command::Listener { ears, jump },
            NextMove::One { ticket, to } => Command::Move { ticket, to },
            NextMove::Many(moves) => Command::Moves(moves),
        }
    }
}

/// Whom a control is for.
#[derive(Clone, Copy)]
pub(super) enum Recipient {
    /// The play that holds a ticket.
    Voice(u32),
    Bus(BusId),
}

impl Recipient {
    /// Its place among all that may wait.
    fn place(self) -> usize {
        match self {
            Recipient::Bus(bus) => bus.index(),
            Recipient::Voice(ticket) => BusId::COUNT + ticket as usize,
        }
    }

    /// Whose place that is.
    fn at(place: u32) -> Recipient {
        match place.checked_sub(BusId::COUNT as u32) {
            Some(ticket) => Recipient::Voice(ticket),
            None => Recipient::Bus(BusId::new(place as u8)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn outbox(commands: usize) -> (Outbox, Tickets, Arc<Bridge>) {
        let config = Config { commands, ..Config::default() };
        let bridge = Arc::new(Bridge::new(&config));
        (Outbox::new(bridge.clone(), &config, |_, _| Box::new(())), Tickets::new(0, 8), bridge)
    }

    fn flush(outbox: &mut Outbox, tickets: &Tickets) {
        outbox.flush(tickets, &mut Buses::new(), &mut Wishes::new());
    }

    fn received(bridge: &Bridge) -> Vec<(Option<u32>, Change)> {
        let recipient = |command| match command {
            Command::Voice { ticket, change } => (Some(ticket), change),
            Command::Bus { change, .. } => (None, change),
            _ => panic!("only controls were sent"),
        };
        std::iter::from_fn(|| bridge.next_command()).map(recipient).collect()
    }

    const STOP: Change = Change::Stop { fade: 0 };
    const RESUME: Change = Change::Resume { fade: 0 };

    #[test]
    fn what_one_call_sends_arrives_together() {
        let (mut outbox, tickets, bridge) = outbox(4);
        outbox.control(Recipient::Voice(1), STOP, &tickets);
        outbox.control(Recipient::Voice(2), STOP, &tickets);
        assert_eq!(bridge.commands_waiting(), 0);
        outbox.publish();
        assert_eq!(received(&bridge), [(Some(1), STOP), (Some(2), STOP)]);
    }

    /// A voice on a paused bus ends at once when it is stopped. Resumed first, it would be heard.
    #[test]
    fn buses_and_voices_wait_in_one_line() {
        let (mut outbox, tickets, bridge) = outbox(1);
        outbox.control(Recipient::Voice(7), RESUME, &tickets);
        for recipient in [Recipient::Voice(3), Recipient::Bus(BusId::MASTER)] {
            outbox.control(recipient, STOP, &tickets);
        }
        outbox.control(Recipient::Voice(5), STOP, &tickets);
        outbox.control(Recipient::Voice(3), RESUME, &tickets);
        outbox.publish();
        let mut all = received(&bridge);
        while outbox.has_pending() {
            flush(&mut outbox, &tickets);
            outbox.publish();
            all.extend(received(&bridge));
        }
        let waited = [(Some(3), STOP), (Some(3), RESUME), (None, STOP), (Some(5), STOP)];
        assert_eq!(all, [&[(Some(7), RESUME)], waited.as_slice()].concat());
    }

    #[test]
    fn what_the_last_mixer_could_not_send_is_left_behind_the_queue() {
        let (mut outbox, tickets, bridge) = outbox(1);
        (0..4).for_each(|ticket| outbox.control(Recipient::Voice(ticket), STOP, &tickets));
        outbox.forget(2);
        outbox.flush_all(&tickets, &mut Buses::new(), &mut Wishes::new());
        assert_eq!(received(&bridge), [(Some(0), STOP), (Some(1), STOP), (Some(3), STOP)]);
    }
}
