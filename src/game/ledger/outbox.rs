//! What is sent to the audio side, and what waits to be sent.

use std::collections::VecDeque;
use std::sync::Arc;

use super::pending::Pending;
use super::tickets::Tickets;
use crate::link::Bridge;
use crate::link::message::{Change, Command, Made, PlainCommand};
use crate::play::BusId;

/// The way to the audio side. All that is placed in one call of the mixer is published together when
/// the call ends, so that it acts on one line of the grid.
pub(super) struct Outbox {
    bridge: Arc<Bridge>,
    make_voices: fn(u32) -> Made,
    /// By tickets, the controls that met a full queue: made when they are needed, which is seldom.
    /// Who has one stands in the line.
    tickets: Box<[Option<Box<Pending>>]>,
    /// Tickets with something pending, in the order in which they came. Never more than there are.
    line: VecDeque<u32>,
    buses: [Pending; BusId::COUNT],
    buses_pending: bool,
    /// Whether anything was placed that the audio side does not know of yet.
    unpublished: bool,
}

impl Outbox {
    pub fn new(bridge: Arc<Bridge>, tickets: usize, make_voices: fn(u32) -> Made) -> Outbox {
        Outbox {
            bridge,
            make_voices,
            tickets: (0..tickets).map(|_| None).collect(),
            line: VecDeque::new(),
            buses: Default::default(),
            buses_pending: false,
            unpublished: false,
        }
    }

    /// Whether so many commands that cannot wait could be sent now. What waits goes first.
    pub fn has_room_for(&self, commands: u64) -> bool {
        !self.bridge.is_closed() && !self.has_pending() && self.bridge.commands.room() >= commands
    }

    /// The number that the next command will have.
    pub fn next_number(&self) -> u64 {
        self.bridge.commands.placed() + 1
    }

    /// Places a command in the queue, if there is room: the one place that does. It crosses with the
    /// sound of its ticket in it, or a pool that is made for it here.
    pub fn send(&mut self, command: PlainCommand, tickets: &Tickets) -> bool {
        let placed = self
            .resolve(command, tickets)
            .is_some_and(|command| self.bridge.commands.place(command).is_ok());
        self.unpublished |= placed;
        placed
    }

    fn resolve(&self, command: PlainCommand, tickets: &Tickets) -> Option<Command> {
        command.resolve(
            |request| tickets.get(request.ticket).map(|ticket| ticket.sound.clone()),
            self.make_voices,
        )
    }

    /// Lets the audio side have all that was placed.
    pub fn publish(&mut self) {
        if self.unpublished {
            self.bridge.commands.publish();
            self.unpublished = false;
        }
    }

    /// Sends a control to a play, or lets it wait.
    pub fn change_voice(&mut self, ticket: u32, change: Change, tickets: &Tickets) {
        if !self.has_pending() && self.send(Command::Voice { ticket, change }, tickets) {
            return;
        }
        if let Some(pending) = self.tickets.get_mut(ticket as usize) {
            if pending.is_none() {
                self.line.push_back(ticket);
            }
            pending.get_or_insert_default().keep(change);
        }
    }

    /// Sends a control to a bus, or lets it wait.
    pub fn change_bus(&mut self, bus: BusId, change: Change, tickets: &Tickets) {
        if !self.has_pending() && self.send(Command::Bus { bus, change }, tickets) {
            return;
        }
        self.buses[bus.index()].keep(change);
        self.buses_pending = true;
    }

    /// Whether anything waits.
    pub fn has_pending(&self) -> bool {
        self.buses_pending || !self.line.is_empty()
    }

    /// Sends what waits, as far as there is room.
    pub fn flush(&mut self, tickets: &Tickets) {
        while self.bridge.commands.room() > 0
            && let Some(command) = self.next_pending()
        {
            // There is room, since only we send.
            self.send(command, tickets);
        }
    }

    /// Sends what waits, and leaves what there is no room for to be heard after it: the last mixer
    /// goes.
    pub fn flush_all(&mut self, tickets: &Tickets) {
        self.flush(tickets);
        self.publish();
        let mut rest = Vec::new();
        while let Some(command) = self.next_pending() {
            rest.extend(self.resolve(command, tickets));
        }
        if !rest.is_empty() {
            self.bridge.leave(rest);
        }
    }

    /// Forgets what waits for a play that has ended.
    pub fn forget(&mut self, ticket: u32) {
        if !self.line.is_empty()
            && let Some(pending) = self.tickets.get_mut(ticket as usize)
            && pending.take().is_some()
        {
            self.leave_line(ticket);
        }
    }

    #[cold]
    fn leave_line(&mut self, ticket: u32) {
        self.line.retain(|waiting| *waiting != ticket);
        if self.line.is_empty() {
            self.line.shrink_to_fit();
        }
    }

    /// Takes out the next of what waits.
    fn next_pending(&mut self) -> Option<PlainCommand> {
        if self.buses_pending {
            for (index, pending) in self.buses.iter_mut().enumerate() {
                if let Some(change) = pending.next() {
                    return Some(Command::Bus { bus: BusId::new(index as u8), change });
                }
            }
            self.buses_pending = false;
        }
        while let Some(&ticket) = self.line.front() {
            let pending = self.tickets.get_mut(ticket as usize);
            if let Some(pending) = pending {
                if let Some(change) = pending.as_mut().and_then(|pending| pending.next()) {
                    return Some(Command::Voice { ticket, change });
                }
                *pending = None;
            }
            self.line.pop_front();
        }
        self.line.shrink_to_fit();
        None
    }
}
