//! The game side's ledger: which plays are live, what is sent, what came back.

mod capacity;
mod inbox;
mod outbox;
mod pending;
mod snapshots;
mod tags;
mod tickets;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use super::deferred_drops::DeferredDrops;
use super::event_queue::EventQueue;
use crate::Error;
use crate::config::{Config, WhenFull};
use crate::error::ResizeFault;
use crate::event::{Event, VoiceId};
use crate::link::Bridge;
use crate::link::message::{Change, Command, End, Ended, Made, Report, Request};
use crate::play::{Play, Target};
use crate::stats::{Stats, VoiceInfo};
use capacity::Capacity;
use inbox::Inbox;
use outbox::{Outbox, Recipient};
use snapshots::Snapshots;
use tickets::{Number, Ticket, Tickets};

/// All that the game threads share, one at a time. Its parts do not know each other's insides.
pub(super) struct Ledger {
    bridge: Arc<Bridge>,
    rate: u32,
    tickets: Tickets,
    outbox: Outbox,
    inbox: Inbox,
    capacity: Capacity,
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
        make_voices: fn(u32) -> Made,
    ) -> Ledger {
        Ledger {
            rate: config.sample_rate,
            tickets: Tickets::new(mixer, config.tickets()),
            outbox: Outbox::new(bridge.clone(), config.tickets(), make_voices),
            inbox: Inbox::new(config.commands),
            capacity: Capacity::new(config),
            snapshots: Snapshots::new(config.max_voices + config.parked + config.scheduled),
            accepted: 0,
            turned_away: 0,
            bridge,
        }
    }

    /// Whether there is room for so many plays together, and for the pool that they may need. Counts
    /// those for which there is none.
    #[inline]
    pub fn validate(&mut self, plays: usize) -> Option<Admission> {
        let grow_to = self.capacity.growth(self.tickets.len(), plays, &self.bridge);
        // Where the queue can never hold both, plays do without a larger pool.
        let grow_to = grow_to.filter(|_| self.bridge.commands.capacity() > plays as u64);
        let commands = plays as u64 + u64::from(grow_to.is_some());
        let tickets = self.tickets.capacity() - self.tickets.len();
        let admits = plays == 0 || tickets >= plays && self.outbox.has_room_for(commands);
        if !admits {
            self.turned_away += plays as u64;
        }
        admits.then_some(Admission { grow_to })
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
    pub fn play(&mut self, play: Play) -> Option<VoiceId> {
        let (settings, sound_number) = (&play.settings, play.sound.number());
        let number = self.outbox.next_number();
        let voice = self.tickets.insert(Ticket {
            sound: play.sound,
            tag: settings.tag,
            bus: settings.bus,
            priority: settings.priority,
            number: Number::new(number),
        })?;
        let when_full = self.capacity.when_full();
        let request = settings.request(sound_number, voice.ticket, when_full, self.rate);
        if !self.outbox.send(Command::Play(request), &self.tickets) {
            self.tickets.take(voice.ticket);
            self.turned_away += 1;
            return None;
        }
        self.accepted += 1;
        Some(voice)
    }

    /// Sends a control, or lets it wait.
    pub fn change(&mut self, target: Target, change: Change) {
        let Ledger { tickets, outbox, .. } = self;
        match target {
            Target::Voice(voice) => {
                if let Some(ticket) = tickets.find(voice) {
                    outbox.control(Recipient::Voice(ticket), change, tickets);
                }
            }
            Target::Bus(bus) => outbox.control(Recipient::Bus(bus), change, tickets),
            Target::Tag(tag) => {
                for ticket in tickets.tagged(tag) {
                    outbox.control(Recipient::Voice(ticket), change, tickets);
                }
            }
            Target::Nothing => (),
        }
    }

    /// Ends every play that was ever accepted, and nothing that comes later.
    pub fn stop_all(&mut self, fade: u32) {
        self.bridge.order_stop_all(self.bridge.commands.placed(), fade);
    }

    /// Sends what waits, as far as there is room: controls first, then a resize.
    pub fn flush(&mut self) {
        if self.outbox.has_pending() {
            self.outbox.flush(&self.tickets);
        }
        if !self.capacity.is_settled() {
            self.resize_if_due();
        }
    }

    /// Sends what waits, and leaves what there is no room for to be heard after it: the last mixer
    /// goes. A resize that waits is forgotten, since nobody is left to play on what it would make.
    pub fn flush_all(&mut self) {
        self.outbox.flush_all(&self.tickets);
    }

    /// Lets the audio side have all that was sent since this was last called.
    pub fn publish(&mut self) {
        self.outbox.publish();
    }

    pub fn set_when_full(&mut self, when_full: WhenFull) {
        self.capacity.set_when_full(when_full);
    }

    pub fn resize(&mut self, voices: usize) -> Result<(), Error> {
        self.capacity.wish(voices).map_err(|why| Error::Resize { voices, why })?;
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
        if self.outbox.send(Command::Resize(voices as u32), &self.tickets) {
            self.capacity.resizes(voices, self.clock());
        }
    }

    /// Whether anything came back.
    pub fn has_news(&self) -> bool {
        let orphans = self.bridge.is_closed() && !self.tickets.is_empty();
        orphans || self.bridge.reports.waiting() > 0 || self.bridge.has_output_news()
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
            Report::Retired(pool) => {
                self.capacity.resized();
                drops.add_pool(pool);
            }
        }
    }

    fn record_end(&mut self, ended: Ended, drops: &mut DeferredDrops) {
        let (ticket, at) = (ended.ticket, ended.at);
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
                Command::Play(Request { ticket, sound, .. }) => {
                    self.record_end(Ended { why: End::Stopped, ticket, at, sound }, drops);
                }
                Command::Resize(pool) => drops.add_pool(pool),
                Command::Voice { .. } | Command::Bus { .. } => (),
            }
        }
        // A renderer that failed may have lost a few on its way.
        while drops.has_room()
            && let Some(ticket) = self.tickets.oldest()
            && let Some(sound) = self.tickets.get(ticket).map(|held| held.sound.clone())
        {
            self.record_end(Ended { why: End::Stopped, ticket, at, sound }, drops);
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::play::BusId;
    use crate::sound::Sound;

    const MASTER: Target = Target::Bus(BusId::MASTER);

    /// Under `Grow`, a pool of one voice that is taken: the next play needs a larger one before it,
    /// unless somebody is parked.
    fn about_to_grow(commands: usize) -> (Ledger, Arc<Bridge>, Play) {
        let config = Config {
            voices: 1,
            max_voices: 8,
            parked: 1,
            scheduled: 1,
            commands,
            when_full: WhenFull::Grow,
            ..Config::default()
        };
        let bridge = Arc::new(Bridge::new(&config));
        let mut ledger = Ledger::new(&config, 0, bridge.clone(), |_| Box::new(()));
        let play = Play::of(Sound::from_mono(48_000, &[0.5]).unwrap());
        ledger.validate(1).expect("there is room");
        ledger.play(play.clone()).expect("it is sent");
        ledger.publish();
        bridge.commands.receive();
        (ledger, bridge, play)
    }

    /// What the growth depends on is the audio side's to change, at any moment.
    #[test]
    fn a_play_that_is_accepted_is_sent_whatever_the_audio_side_does_meanwhile() {
        let (mut ledger, bridge, play) = about_to_grow(2);
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Relaxed) {
                    bridge.meters.parked.store(0, Relaxed);
                    bridge.meters.parked.store(1, Relaxed);
                }
            });
            for round in 0..50_000 {
                // This leaves a place for the play, and none for a pool before it.
                ledger.change(MASTER, Change::Pause { fade: 0 });
                let accepted = ledger.validate(1).and_then(|admission| {
                    ledger.grow(admission);
                    ledger.play(play.clone())
                });
                ledger.publish();
                let mut sent = 0;
                while let Some(command) = bridge.commands.receive() {
                    if let Command::Play(Request { ticket, .. }) = command {
                        sent += 1;
                        ledger.tickets.take(ticket);
                    }
                }
                if sent != i32::from(accepted.is_some()) {
                    done.store(true, Relaxed);
                    panic!("accepted {accepted:?} and sent {sent} in round {round}");
                }
            }
            done.store(true, Relaxed);
        });
    }

    /// The queue was emptied, but no ending has come back yet: the tickets are scarcer than its places.
    #[test]
    fn plays_together_need_a_ticket_each() {
        let (mut ledger, bridge, play) = about_to_grow(2);
        let tickets = ledger.tickets.capacity();
        while ledger.tickets.len() < tickets - 1 {
            assert!(ledger.validate(1).is_some());
            ledger.play(play.clone()).expect("a ticket is left");
            ledger.publish();
            bridge.commands.receive();
        }
        bridge.meters.parked.store(100, Relaxed);
        assert!(ledger.validate(2).is_none(), "for two, a ticket is missing");
        assert_eq!(ledger.stats().turned_away, 2);
        assert!(ledger.validate(1).is_some());
        assert!(ledger.validate(0).is_some());
    }

    /// As if they came one after another: a pool of one voice that is taken doubles for the next, and
    /// again for the one after it, up to the most.
    #[test]
    fn a_pool_grows_once_for_plays_that_come_together() {
        for (plays, voices) in [(1, 2), (2, 4), (3, 4), (4, 8), (7, 8), (9, 8)] {
            let (mut ledger, bridge, play) = about_to_grow(plays + 1);
            let admission = ledger.validate(plays).expect("room for them and a pool");
            ledger.grow(admission);
            (0..plays).for_each(|_| assert!(ledger.play(play.clone()).is_some()));
            ledger.publish();
            assert_eq!(
                (bridge.commands.waiting(), ledger.capacity.voices()),
                (plays as u64 + 1, voices)
            );
            let (mut ledger, bridge, _) = about_to_grow(plays + 1);
            ledger.change(MASTER, Change::Mute(true));
            assert!(ledger.validate(plays).is_none(), "a place is missing");
            ledger.publish();
            assert_eq!((bridge.commands.waiting(), ledger.capacity.voices()), (1, 1));
        }
    }

    /// Only we send, so that this never comes to pass.
    #[test]
    fn a_play_that_cannot_be_sent_after_all_was_not_accepted() {
        let (mut ledger, _bridge, play) = about_to_grow(1);
        let before = ledger.stats();
        ledger.validate(1).expect("there is room");
        ledger.change(MASTER, Change::Pause { fade: 0 });
        assert_eq!(ledger.play(play), None);
        let turned_away = before.turned_away + 1;
        assert_eq!(ledger.stats(), Stats { turned_away, ..before });
    }
}
