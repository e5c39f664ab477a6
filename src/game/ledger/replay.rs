//! What was said once is said again: to this ledger, with tickets of its own.

use std::collections::HashMap;

use super::Ledger;
use super::buses::place_of;
use super::tickets::{Number, Ticket};
use super::tree::Tree;
use crate::bus::{Bus, BusId};
use crate::effect::Effect;
use crate::event::VoiceId;
use crate::link::MOVE_BLOCKS;
use crate::link::message::{
    BusPlace, Change, Command, NamedPlay, PlainCommand, Plan, Request, Start,
};
use crate::link::wire::{Bytes, Plays, take_command};
use crate::play::Priority;
use crate::reverb::RoomId;
use crate::sound::Sound;

/// Who replays, and what is to be another way this time.
pub(crate) trait Rerun {
    /// What the play of a command plays, as it is handed to a voice.
    fn sound(&mut self, play: u64, media: u64) -> Option<Sound>;

    /// The effect that was put on a bus.
    fn effect(&mut self, bus: BusId) -> Option<Box<dyn Effect>>;

    /// Whether the mixer is another than it was: then it is for this one to say what happens when all voices are taken.
    fn is_another(&self) -> bool;

    /// The same of its pool: how many voices there are.
    fn has_another_pool(&self) -> bool;

    /// The priority of all that has a tag, if it is to be another.
    fn priority(&self, tag: u64) -> Option<Priority>;
}

/// The plays that were told, by the numbers that they had.
pub(crate) struct Told {
    plays: HashMap<u64, VoiceId>,
    /// Where the buses belong.
    parents: [BusId; BusId::COUNT],
    /// The number of the last command.
    last: u64,
    /// How many plays may be asked for on one line: as many as the queue of the game had room for.
    most_plays: usize,
    /// How many plays, rooms and blocks of moves were made on this line.
    plays_here: usize,
    rooms: usize,
    moves: usize,
}

/// No game says more of them on one line: of each room one is under way, and the first beside.
const MOST_ROOMS: usize = 2 * RoomId::COUNT;

impl Told {
    pub fn new(most_plays: usize) -> Told {
        Told {
            plays: HashMap::new(),
            parents: [BusId::MASTER; BusId::COUNT],
            last: 0,
            most_plays,
            plays_here: 0,
            rooms: 0,
            moves: 0,
        }
    }

    /// What is told from here on is told on another line.
    pub fn begin_line(&mut self) {
        (self.plays_here, self.rooms, self.moves) = (0, 0, 0);
    }

    /// Places a bus below another, unless that would be a circle, which no game can have said.
    fn place(&mut self, bus: BusId, parent: BusId) -> bool {
        let mut up = parent;
        while up != BusId::MASTER && up != bus {
            up = self.parents[up.index()];
        }
        let is_tree = bus == BusId::MASTER || up != bus;
        if is_tree && bus != BusId::MASTER {
            self.parents[bus.index()] = parent;
        }
        is_tree
    }
}

/// Nobody has this ticket.
const NOBODY: NamedPlay = NamedPlay { ticket: u32::MAX, number: 0 };

/// Who is meant by a number.
struct Here<'a> {
    ledger: &'a Ledger,
    told: &'a Told,
}

impl Plays for Here<'_> {
    fn named(&self, number: u64) -> NamedPlay {
        let tickets = &self.ledger.tickets;
        let voice = self.told.plays.get(&number);
        let ticket = voice.and_then(|voice| tickets.find(*voice));
        ticket.and_then(|ticket| tickets.named(ticket)).unwrap_or(NOBODY)
    }

    fn start_after(&self, leader: u64) -> Start {
        let leader = self.told.plays.get(&leader);
        leader.map_or(Start::Orphan, |leader| self.ledger.tickets.start_after(*leader))
    }
}

impl Ledger {
    /// Sends a command that was recorded under a number. Every command sends one, so that the numbers are
    /// those that they were.
    pub fn replay(&mut self, number: u64, bytes: &[u8], told: &mut Told, rerun: &mut dyn Rerun) {
        told.last = number;
        let here = Here { ledger: self, told };
        let Some((command, tag)) = take_command(&mut Bytes::new(bytes), &here) else { return };
        match command {
            Command::Play(_) if told.plays_here == told.most_plays => self.send_nothing(),
            Command::Play(request) => {
                told.plays_here += 1;
                self.replay_play(number, request, tag, told, rerun);
            }
            Command::Resize(_) if rerun.has_another_pool() => self.send_nothing(),
            Command::Resize(Plan::Voices(voices)) => match self.capacity.replays(voices as usize) {
                true => self.send_resize(voices as usize),
                false => self.send_nothing(),
            },
            Command::Place { bus, place } => {
                let place = match rerun.has_another_pool() {
                    true => self.fit_place(bus, place),
                    false => Some(place),
                };
                match place.filter(|place| told.place(bus, place.parent)) {
                    Some(place) => self.resend(Command::Place { bus, place }),
                    None => self.send_nothing(),
                }
            }
            Command::Room { .. } if told.rooms == MOST_ROOMS => self.send_nothing(),
            Command::Room { .. } => {
                told.rooms += 1;
                self.resend(command);
            }
            Command::Moves(_) if told.moves == MOVE_BLOCKS => self.send_nothing(),
            Command::Moves(_) => {
                told.moves += 1;
                self.resend(command);
            }
            Command::Bus { bus, change, submix: Some(_) } => {
                let submix = self.outbox.submix(bus);
                self.resend(Command::Bus { bus, change, submix });
            }
            Command::Effect { bus, effect: Some(()), submix } => {
                let submix = submix.and_then(|_| self.outbox.submix(bus));
                let effect = rerun.effect(bus);
                let is_here = effect.is_some().then_some(());
                self.outbox.lay_ready(effect);
                self.resend(Command::Effect { bus, effect: is_here, submix });
            }
            command => self.resend(command),
        }
    }

    fn replay_play(
        &mut self,
        number: u64,
        mut request: Request<u64>,
        tag: u64,
        told: &mut Told,
        rerun: &mut dyn Rerun,
    ) {
        if rerun.is_another() {
            request.when_full = self.capacity.when_full();
            if let Some(admission) = self.validate(&[request.bus]) {
                self.grow(admission);
            }
        }
        request.priority = rerun.priority(tag).unwrap_or(request.priority);
        let Some(sound) = rerun.sound(number, request.sound) else { return self.send_nothing() };
        request.fit(&sound);
        if let Some(feed) = sound.feed() {
            feed.begin(request.position, request.looping);
        }
        request.sound = sound.number();
        let (bus, priority) = (request.bus, request.priority);
        let number_here = Number::new(self.outbox.next_number());
        let ticket = Ticket { sound, tag, bus, priority, number: number_here };
        let Some(voice) = self.tickets.insert(ticket) else { return self.send_nothing() };
        request.ticket = voice.ticket;
        if self.outbox.send(Command::Play(request), &self.tickets) {
            self.accepted += 1;
            told.plays.insert(number, voice);
        } else {
            self.tickets.take(voice.ticket);
        }
    }

    /// Takes up where a bus belongs, and reserves nothing that there is no room for in another pool. None: it would be a
    /// circle.
    fn fit_place(&mut self, bus: BusId, place: BusPlace) -> Option<BusPlace> {
        let BusPlace { parent, max_voices, reserved, when_full } = place;
        let max_voices = (max_voices < u32::MAX).then_some(max_voices as usize);
        let voices = self.capacity.settled_voices();
        for reserved in [reserved, 0] {
            let settings = Bus { parent, max_voices, reserved: reserved as usize, when_full };
            let tree = Tree::new(self.buses.settings_with(bus, settings))?;
            if tree.check_reserves(voices).is_ok() {
                self.buses.replant(tree);
                return Some(BusPlace { reserved, ..place });
            }
        }
        // What others reserve is too much where they are now. Then nobody reserves anything.
        let settings = Bus { parent, max_voices, reserved: 0, when_full };
        let mut all = self.buses.settings_with(bus, settings);
        for (bus, settings) in BusId::all().zip(&mut all) {
            if settings.reserved > 0 {
                settings.reserved = 0;
                self.resend(Command::Place { bus, place: place_of(*settings) });
            }
        }
        self.buses.replant(Tree::new(all)?);
        Some(BusPlace { reserved: 0, ..place })
    }

    fn resend(&mut self, command: PlainCommand) {
        self.outbox.send(command, &self.tickets);
    }

    /// Sends what changes nothing, so that what comes later has the number that it had.
    fn send_nothing(&mut self) {
        self.resend(Command::Voice { ticket: NOBODY.ticket, change: Change::EndLoop });
    }

    /// Has everything stopped up to a command. If there are more here than were recorded, its number is another.
    pub fn replay_stop_all(&mut self, last: u64, fade: u32, told: &Told) {
        let more = (self.outbox.next_number() - 1).saturating_sub(told.last);
        self.bridge.order_stop_all(last.saturating_add(more), fade);
    }
}
