//! The game side's ledger: which plays are live, what is sent, what came back.

mod bus_calls;
mod buses;
mod capacity;
mod cues;
mod ducks;
mod inbox;
mod moves;
mod outbox;
mod pending;
mod recording;
mod replay;
mod snapshots;
mod tags;
#[cfg(test)]
mod tests;
mod tickets;
mod tree;
mod wishes;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use super::deferred_drops::DeferredDrops;
use super::event_queue::EventQueue;
use crate::Error;
use crate::bus::BusId;
use crate::config::{Config, WhenFull};
use crate::cue::Cue;
use crate::error::ResizeFault;
use crate::event::{Event, VoiceId};
use crate::link::Bridge;
use crate::link::message::{
    Cargo, Change, Command, Crossfade, Ears, End, Ended, Leaving, Made, Move, Plan, Report, Retired,
};
use crate::link::tape::Tape;
use crate::play::{Settings, Terms};
use crate::sound::Sound;
use crate::stats::{Stats, VoiceInfo};
use crate::target::Target;
use buses::Buses;
use capacity::Capacity;
use cues::Cues;
pub(super) use cues::Roll;
use inbox::Inbox;
use outbox::{Outbox, Recipient};
pub(crate) use replay::{Rerun, Told};
use snapshots::Snapshots;
use tickets::{Number, Ticket, Tickets};
use wishes::Wishes;

/// All that the game threads share, one at a time. Its parts do not know each other's insides.
pub(super) struct Ledger {
    bridge: Arc<Bridge>,
    rate: u32,
    tickets: Tickets,
    outbox: Outbox,
    inbox: Inbox,
    capacity: Capacity,
    buses: Buses,
    cues: Cues,
    wishes: Wishes,
    snapshots: Snapshots,
    accepted: u64,
    turned_away: u64,
}

/// What it takes to send plays. Decided once, since the audio side may change at any moment what it
/// depends on.
pub(super) struct Admission {
    /// The pool that must be sent before them, if one must.
    grow_to: Option<usize>,
}

impl Ledger {
    pub fn new(
        config: &Config,
        mixer: u32,
        bridge: Arc<Bridge>,
        make: fn(Plan, u32) -> Made,
    ) -> Ledger {
        Ledger {
            rate: config.sample_rate,
            tickets: Tickets::new(mixer, config.tickets()),
            outbox: Outbox::new(bridge.clone(), config, make),
            inbox: Inbox::new(config.commands),
            capacity: Capacity::new(config),
            buses: Buses::new(),
            cues: Cues::new(config.cues, config.seed),
            wishes: Wishes::new(),
            snapshots: Snapshots::new(config.max_voices + config.parked + config.scheduled),
            accepted: 0,
            turned_away: 0,
            bridge,
        }
    }

    /// Whether there is room for plays on these buses together, and for the pool that they may need. Counts
    /// those for which there is none.
    #[inline]
    pub fn validate(&mut self, buses: &[BusId]) -> Option<Admission> {
        let plays = buses.len();
        let taken = |plays: usize| self.taken_after(buses.get(..plays).unwrap_or(buses));
        let grow_to = self.capacity.growth(plays, taken, &self.bridge);
        // Where the queue can never hold both, plays do without a larger pool.
        let grow_to = grow_to.filter(|_| self.bridge.most_commands > plays as u64);
        let commands = plays as u64 + u64::from(grow_to.is_some());
        let tickets = self.tickets.capacity() - self.tickets.len();
        let admits = plays == 0 || tickets >= plays && self.outbox.has_room_for(commands);
        if !admits {
            self.turned_away += plays as u64;
        }
        admits.then_some(Admission { grow_to })
    }

    /// How many voices are taken, or kept for others, once there are plays on these buses too. The parked
    /// count as taken.
    fn taken_after(&self, plays: &[BusId]) -> usize {
        if !self.buses.tree().has_reserves() {
            return self.tickets.len() + plays.len();
        }
        let mut on_bus = *self.tickets.on_bus();
        plays.iter().for_each(|bus| on_bus[bus.index()] += 1);
        let [all, ..] = self.buses.tree().taken(&on_bus);
        all
    }

    /// Sends the pool that plays need before them.
    #[inline]
    pub fn grow(&mut self, admission: Admission) {
        if let Some(voices) = admission.grow_to {
            self.send_resize(voices);
        }
    }

    /// Accepts a play and sends it: the one place that does. It was validated, so there is room, since
    /// only we send; were there none all the same, the play would be turned away.
    #[inline]
    pub fn play(&mut self, sound: Sound, settings: &Settings, terms: Terms) -> Option<VoiceId> {
        let others = terms.crossfade.as_ref().map_or(0, Crossfade::named);
        if !self.tickets.may_name(others) {
            self.turned_away += 1;
            return None;
        }
        let number = self.outbox.next_number();
        let when_full = self.capacity.when_full();
        let follow = |leader| self.tickets.start_after(leader);
        let mut request = settings.request(&sound, when_full, terms, self.rate, follow);
        if let Some(feed) = sound.feed() {
            feed.begin(request.position, request.looping);
        }
        let voice = self.tickets.insert(Ticket {
            sound,
            tag: settings.tag,
            bus: settings.bus,
            priority: settings.priority,
            number: Number::new(number),
        })?;
        self.tickets.note_names(voice.ticket, others);
        request.ticket = voice.ticket;
        if !self.outbox.send(Command::Play(request), &self.tickets) {
            self.tickets.take(voice.ticket);
            self.turned_away += 1;
            return None;
        }
        self.accepted += 1;
        Some(voice)
    }

    /// Who fades out for a play that is about to be sent.
    #[inline(never)]
    pub fn crossfade(&self, from: Target, over: u32) -> Crossfade {
        let plays = |tickets: &mut dyn Iterator<Item = u32>| {
            Leaving::Plays(tickets.filter_map(|ticket| self.tickets.named(ticket)).collect())
        };
        let from = match from {
            Target::Voice(voice) => plays(&mut self.tickets.find(voice).into_iter()),
            Target::Tag(tag) => plays(&mut self.tickets.tagged(tag)),
            Target::Bus(bus) => Leaving::Bus(bus),
            Target::Nothing => plays(&mut std::iter::empty()),
        };
        Crossfade { from, over }
    }

    /// Which of a cue's variants is played, and how. The dice fall whether or not there is room for it.
    #[inline(never)]
    pub fn roll<'a>(&mut self, cue: &'a Cue, settings: &Settings) -> Roll<'a> {
        self.cues.roll(cue, settings, self.rate)
    }

    /// Keeps where the listener is, to be sent by [`send_moves`](Ledger::send_moves).
    pub fn set_listener(&mut self, ears: Ears, jump: bool) {
        self.outbox.moves().keep_listener(ears, jump);
    }

    /// Keeps what was said to plays of where they are, to be sent by [`send_moves`](Ledger::send_moves). A
    /// bus has no place.
    pub fn set_place(&mut self, target: Target, to: Move) {
        let Ledger { tickets, outbox, .. } = self;
        match target {
            Target::Voice(voice) => {
                if let Some(ticket) = tickets.find(voice) {
                    outbox.moves().keep(ticket, to);
                }
            }
            Target::Tag(tag) => {
                tickets.tagged(tag).for_each(|ticket| outbox.moves().keep(ticket, to));
            }
            Target::Bus(_) | Target::Nothing => (),
        }
    }

    /// Sends what was said of places.
    pub fn send_moves(&mut self) {
        self.outbox.send_moves(&self.tickets);
    }

    /// Sends a control, or lets it wait.
    pub fn change(&mut self, target: Target, change: Change) {
        let Ledger { tickets, outbox, buses, .. } = self;
        match target {
            Target::Voice(voice) => match tickets.find(voice) {
                Some(ticket) => outbox.control(Recipient::Voice(ticket), change, tickets),
                None => outbox.stop_lost(target, change, tickets),
            },
            Target::Bus(bus) => {
                buses.note(bus, change);
                outbox.control(Recipient::Bus(bus), change, tickets);
            }
            Target::Tag(tag) => {
                for ticket in tickets.tagged(tag) {
                    outbox.control(Recipient::Voice(ticket), change, tickets);
                }
                outbox.stop_lost(target, change, tickets);
            }
            Target::Nothing => (),
        }
    }

    /// Records all that is sent, from the very first on. False: that is not known any more.
    pub fn start_tape(&mut self, tape: &Arc<Tape>) -> bool {
        self.outbox.recording().start(tape)
    }

    /// Ends every play that was ever accepted, and nothing that comes later.
    pub fn stop_all(&mut self, fade: u32) {
        self.bridge.order_stop_all(self.bridge.commands.placed(), fade);
    }

    /// Sends what waits, as far as there is room: controls first, then wishes, then a resize.
    pub fn flush(&mut self) {
        if self.outbox.has_pending() || self.wishes.wait() {
            self.outbox.flush(&self.tickets, &mut self.buses, &mut self.wishes);
        }
        if self.outbox.moves().wait() {
            self.send_moves();
        }
        if !self.capacity.is_settled() {
            self.resize_if_due();
        }
    }

    /// Sends what waits, and leaves what there is no room for to be heard after it: the last mixer
    /// goes. A resize that waits is forgotten, since nobody is left to play on what it would make; and so is a room or
    /// an effect that waits until the one before it is gone.
    pub fn flush_all(&mut self) {
        self.outbox.flush_all(&self.tickets, &mut self.buses, &mut self.wishes);
    }

    /// Lets the audio side have all that was sent since this was last called.
    pub fn publish(&mut self) {
        self.outbox.publish();
    }

    pub fn set_when_full(&mut self, when_full: WhenFull) {
        self.capacity.set_when_full(when_full);
    }

    pub fn resize(&mut self, voices: usize) -> Result<(), Error> {
        let wish = self.capacity.wish(voices, self.buses.tree().reserved());
        wish.map_err(|why| Error::Resize { voices, why })?;
        if self.bridge.is_closed() {
            return Err(Error::Resize { voices, why: ResizeFault::NoRenderer });
        }
        self.resize_if_due();
        Ok(())
    }

    fn resize_if_due(&mut self) {
        if self.outbox.has_room_for(1)
            && let Some(voices) = self.capacity.due(self.tickets.len(), self.clock())
        {
            self.send_resize(voices);
        }
    }

    fn send_resize(&mut self, voices: usize) {
        if self.outbox.send(Command::Resize(Plan::Voices(voices as u32)), &self.tickets) {
            self.capacity.resizes(voices, self.clock());
        }
    }

    /// Whether anything came back.
    pub fn has_news(&self) -> bool {
        let orphans = self.bridge.is_closed() && self.has_orphans();
        orphans || self.bridge.reports.waiting() > 0 || self.bridge.has_output_news()
    }

    /// Whether there is anything that the audio side, which is gone, will never have done with.
    #[cold]
    fn has_orphans(&self) -> bool {
        let left = self.wishes.wait() || self.bridge.commands.waiting() > 0;
        left || !self.tickets.is_empty()
    }

    /// Enters what came back, as much of it as `drops` has room for.
    pub fn collect(&mut self, drops: &mut DeferredDrops) {
        // Asked first: once it is closed, all that the audio side had to say is there.
        let closed = self.bridge.is_closed();
        while drops.has_room()
            && let Some(report) = self.bridge.reports.receive()
        {
            self.record(report, drops);
        }
        while drops.has_room()
            && let Some(state) = self.bridge.take_output_news()
        {
            self.inbox.push_event(Event::Output(state));
        }
        if closed {
            self.end_orphans(drops);
        }
    }

    fn record(&mut self, report: Report, drops: &mut DeferredDrops) {
        let (tickets, voices) = (&self.tickets, self.capacity.voices());
        match report {
            Report::Ended(ended) => self.record_end(ended, drops),
            Report::Parked { ticket, at, why } => {
                self.inbox.record_parking(ticket, at, why, tickets, voices, drops);
            }
            Report::Unparked { ticket, at } => self.inbox.record_unparking(ticket, at, tickets),
            Report::Started { ticket, at } => self.inbox.record_start(ticket, at, tickets),
            Report::Underrun { ticket, at } => {
                self.inbox.record_underrun(ticket, at, tickets, drops);
            }
            Report::Retired(what, made) => {
                match what {
                    Retired::Voices => self.capacity.resized(),
                    Retired::Room(room) => self.wishes.room_changed(room),
                    Retired::Submix => (),
                }
                drops.add_made(made);
            }
            Report::EffectChanged { bus, old } => {
                self.wishes.effect_changed(bus);
                old.into_iter().for_each(|old| drops.add_effect(old));
            }
            Report::Moved(block) => self.outbox.moves().came_home(block),
            Report::EffectRetired(effect) => drops.add_effect(effect),
            Report::EffectFailed { bus, at, why } => {
                self.wishes.effect_failed(bus);
                self.inbox.push_event(Event::EffectFailed { bus, at, why });
                drops.log_failure(bus, why);
            }
        }
    }

    fn record_end(&mut self, ended: Ended, drops: &mut DeferredDrops) {
        let (ticket, at) = (ended.ticket, ended.at);
        if let End::Stolen { .. } | End::Refused(_) = ended.why
            && let Some((voice, held)) = self.tickets.id_of(ticket).zip(self.tickets.get(ticket))
        {
            self.outbox.recording().note_loss(voice, held);
        }
        self.inbox.record_end(ended, &mut self.tickets, self.capacity.voices(), drops);
        self.outbox.forget(ticket);
        self.capacity.ended(self.tickets.len(), at);
    }

    /// Ends what the audio side, which is gone, will never end.
    #[cold]
    fn end_orphans(&mut self, drops: &mut DeferredDrops) {
        let at = self.clock();
        while drops.has_room()
            && let Some(command) = self.bridge.commands.receive()
        {
            match command {
                Command::Play(request) => {
                    let (ticket, cargo) = (request.ticket, request.into_cargo());
                    self.record_end(Ended { why: End::Stopped, ticket, at, cargo }, drops);
                }
                Command::Resize(made) | Command::Room { made, .. } => drops.add_made(made),
                Command::Bus { submix, .. } => {
                    submix.into_iter().for_each(|made| drops.add_made(made));
                }
                Command::Effect { effect, submix, .. } => {
                    effect.into_iter().for_each(|effect| drops.add_effect(effect));
                    submix.into_iter().for_each(|made| drops.add_made(made));
                }
                Command::Moves(block) => self.outbox.moves().came_home(block),
                Command::Voice { .. }
                | Command::Place { .. }
                | Command::Duck { .. }
                | Command::Listener { .. }
                | Command::Move { .. } => (),
            }
        }
        // A renderer that failed may have lost a few on its way.
        while drops.has_room()
            && let Some(ticket) = self.tickets.oldest()
            && let Some(sound) = self.tickets.get(ticket).map(|held| held.sound.clone())
        {
            let cargo = Cargo { sound, extra: None };
            self.record_end(Ended { why: End::Stopped, ticket, at, cargo }, drops);
        }
        self.outbox.moves().give_up();
        self.give_up_wishes(drops);
    }

    /// Lets go of what waits for the audio side, which is gone.
    fn give_up_wishes(&mut self, drops: &mut DeferredDrops) {
        while self.wishes.wait() && drops.has_room() {
            self.wishes.give_up().into_iter().for_each(|effect| drops.add_effect(effect));
        }
    }

    fn clock(&self) -> u64 {
        self.bridge.meters.clock.load(Relaxed)
    }

    pub fn events(&mut self) -> &mut EventQueue {
        self.inbox.events()
    }

    pub fn is_live(&self, voice: VoiceId) -> bool {
        self.tickets.find(voice).is_some()
    }

    /// The rate of what a voice plays.
    pub fn sound_rate(&self, voice: VoiceId) -> Option<u32> {
        let ticket = self.tickets.get(self.tickets.find(voice)?)?;
        Some(ticket.sound.sample_rate())
    }

    pub fn stats(&self) -> Stats {
        let meters = &self.bridge.meters;
        let count = |meter: &std::sync::atomic::AtomicU32| meter.load(Relaxed) as usize;
        let closed = self.bridge.is_closed();
        let now = |meter| if closed { 0 } else { count(meter) };
        let endings = self.inbox.stats();
        Stats {
            voices: count(&meters.voices),
            playing: now(&meters.playing),
            parked: now(&meters.parked),
            scheduled: now(&meters.scheduled),
            live: self.tickets.len(),
            most_playing: count(&meters.most_playing),
            full: meters.full.load(Relaxed),
            accepted: self.accepted,
            turned_away: self.turned_away,
            parkings: meters.parkings.load(Relaxed),
            loudest_parked: meters.loudest_parked(),
            frames: meters.clock.load(Relaxed),
            peak: meters.peak(),
            load_mean: meters.load().0,
            load_worst: meters.load().1,
            underruns: meters.underruns.load(Relaxed),
            xruns: meters.xruns.load(Relaxed),
            panics: meters.panics.load(Relaxed),
            missed_events: endings.missed_events + meters.missed.load(Relaxed),
            ..endings
        }
    }

    pub fn reset_peaks(&mut self) {
        self.inbox.reset_peaks();
        self.bridge.meters.reset_peaks();
    }

    /// The latest picture of all plays, less those that have ended since. Orders the next one.
    pub fn voices(&mut self) -> Vec<VoiceInfo> {
        self.snapshots.voices(&self.bridge, &self.tickets)
    }

    /// Where a play was in the latest picture, and on which frame. Orders the next one.
    pub fn position(&mut self, voice: VoiceId) -> Option<(Duration, u64)> {
        let ticket = self.tickets.find(voice)?;
        self.snapshots.position(ticket, &self.bridge, &self.tickets)
    }
}
