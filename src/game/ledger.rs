//! The books: which plays are live, what could not be sent yet, what came home.

use std::collections::VecDeque;
use std::sync::atomic::Ordering::Relaxed;

use super::home::Home;
use super::pending::Pending;
use super::queue::EventQueue;
use crate::Error;
use crate::config::{Config, WhenFull};
use crate::event::{Ending, Event, Parking, VoiceId};
use crate::link::message::{Change, Command, End, Ended, Made, Park, QUANTUM, Report, Request};
use crate::link::{Bridge, MOST_RESIZES, Row, Snapshot};
use crate::play::{BusId, Play, Priority};
use crate::pool::{Key, Pool};
use crate::sound::Sound;
use crate::stats::{Stats, VoiceInfo};
use crate::units;

/// How long grown voices must have been idle before the pool shrinks back, in seconds.
const GROWN_IDLE: u64 = 10;

/// A live play. Its place in the pool is its ticket.
struct Ticket {
    sound: Sound,
    tag: u64,
    bus: BusId,
    priority: Priority,
    /// The number of the command that asked for it.
    number: Number,
    /// What could not be sent yet: made when it is needed, which is seldom. Who has one stands in
    /// the line.
    pending: Option<Box<Pending>>,
}

/// The number of a command, in the six bytes that bus and priority leave of a word: there are many
/// tickets. At a million commands a second it wraps in nine years.
#[derive(Clone, Copy)]
struct Number([u16; 3]);

impl Number {
    fn new(number: u64) -> Number {
        Number([number as u16, (number >> 16) as u16, (number >> 32) as u16])
    }

    fn get(self) -> u64 {
        let [low, middle, high] = self.0.map(u64::from);
        low | middle << 16 | high << 32
    }
}

/// What it takes to send a play. Decided once, since the audio side may change at any moment what it
/// depends on.
pub(super) struct Admission {
    /// The pool that must be sent before it, if one must.
    grow_to: Option<usize>,
}

pub(super) struct Ledger {
    mixer: u32,
    rate: u32,
    max_voices: usize,
    make_voices: fn(u32) -> Made,
    tickets: Pool<Ticket>,
    /// Tickets with something pending, in the order in which they came. Never more than there are,
    /// and as seldom needed as what they wait with.
    line: VecDeque<u32>,
    buses: [Pending; BusId::COUNT],
    buses_pending: bool,
    events: EventQueue,
    /// What only the books know of these; the rest is worked out when it is asked for.
    stats: Stats,
    when_full: WhenFull,
    /// How many voices there will be once every resize has arrived.
    voices: usize,
    /// To how many a grown pool shrinks back: as many as were last wished for.
    settled_voices: usize,
    /// Whether that wish still waits: for room in the queue, or for the resize before it.
    wish_waits: bool,
    resizes: usize,
    /// When more than the settled voices were last needed.
    crowded: u64,
    latest: Option<Box<Snapshot>>,
    spare: Option<Box<Snapshot>>,
    snapshot_ordered: bool,
    snapshot_rows: usize,
    theft_told: bool,
}

impl Ledger {
    pub fn new(config: &Config, mixer: u32, make_voices: fn(u32) -> Made) -> Ledger {
        Ledger {
            mixer,
            rate: config.sample_rate,
            max_voices: config.max_voices,
            make_voices,
            tickets: Pool::new(config.tickets()),
            line: VecDeque::new(),
            buses: Default::default(),
            buses_pending: false,
            events: EventQueue::new(config.commands),
            stats: Stats::default(),
            when_full: config.when_full,
            voices: config.voices,
            settled_voices: config.voices,
            wish_waits: false,
            resizes: 0,
            crowded: 0,
            latest: None,
            spare: None,
            snapshot_ordered: false,
            snapshot_rows: config.max_voices + config.parked + config.scheduled,
            theft_told: false,
        }
    }

    // What is said.

    /// Whether there is room for another play, and for the pool that it may need. Counts those for
    /// which there is none.
    pub fn admit(&mut self, bridge: &Bridge) -> Option<Admission> {
        let grow_to = self.growth(bridge);
        let messages = 1 + u64::from(grow_to.is_some());
        let admits = !bridge.is_closed()
            && !self.has_pending()
            && bridge.commands.room() >= messages
            && !self.tickets.is_full();
        self.stats.turned_away += u64::from(!admits);
        admits.then_some(Admission { grow_to })
    }

    /// Takes a play in and sends it: the one place that does. There is room, since only we send;
    /// were there none all the same, the play would be turned away.
    pub fn play(&mut self, bridge: &Bridge, admission: Admission, play: Play) -> Option<VoiceId> {
        if let Some(voices) = admission.grow_to {
            // It grows from a wish that waits, and so takes its place.
            self.wish_waits = false;
            self.send_resize(bridge, voices);
        }
        let key = self.tickets.insert_with(|| Ticket {
            sound: play.sound.clone(),
            tag: play.tag,
            bus: play.bus,
            priority: play.priority,
            number: Number::new(bridge.commands.placed() + 1),
            pending: None,
        })?;
        let request = play.request(key.slot() as u32, self.when_full, self.rate);
        if bridge.commands.send(Command::Play(request)).is_err() {
            self.tickets.remove(key);
            self.stats.turned_away += 1;
            return None;
        }
        self.stats.accepted += 1;
        Some(self.id(key))
    }

    pub fn change_voice(&mut self, bridge: &Bridge, voice: VoiceId, change: Change) {
        let Some(key) = self.find(voice) else { return };
        let ticket = voice.ticket;
        if !self.has_pending() && bridge.commands.send(Command::Voice { ticket, change }).is_ok() {
            return;
        }
        if let Some(held) = self.tickets.get_mut(key) {
            if held.pending.is_none() {
                self.line.push_back(ticket);
            }
            held.pending.get_or_insert_default().keep(change);
        }
    }

    pub fn change_bus(&mut self, bridge: &Bridge, bus: BusId, change: Change) {
        if !self.has_pending() && bridge.commands.send(Command::Bus { bus, change }).is_ok() {
            return;
        }
        self.buses[bus.index()].keep(change);
        self.buses_pending = true;
    }

    /// Ends every play that was ever accepted, and nothing that comes later.
    pub fn stop_all(&mut self, bridge: &Bridge, fade: u32) {
        bridge.order_stop_all(bridge.commands.placed(), fade);
    }

    /// Whether there is anything that could not be sent before.
    pub fn has_pending(&self) -> bool {
        self.buses_pending || !self.line.is_empty()
    }

    /// Sends it, as far as there is room.
    pub fn flush(&mut self, bridge: &Bridge) {
        while bridge.commands.room() > 0
            && let Some(command) = self.next_pending()
        {
            // There is room, since only we send.
            drop(bridge.commands.send(command));
        }
    }

    /// Sends it, and leaves what there is no room for to be heard after it: the last mixer goes. A
    /// resize that waits is forgotten, since nobody is left to play on what it would make.
    pub fn flush_all(&mut self, bridge: &Bridge) {
        self.flush(bridge);
        let rest: Vec<Command> = std::iter::from_fn(|| self.next_pending()).collect();
        if !rest.is_empty() {
            bridge.leave(rest);
        }
    }

    /// Takes out the next of what is pending.
    fn next_pending(&mut self) -> Option<Command> {
        if self.buses_pending {
            for (index, pending) in self.buses.iter_mut().enumerate() {
                if let Some(change) = pending.next() {
                    return Some(Command::Bus { bus: BusId::new(index as u8), change });
                }
            }
            self.buses_pending = false;
        }
        while let Some(&ticket) = self.line.front() {
            let held = self.tickets.at_mut(ticket);
            if let Some(change) = held.and_then(|held| held.pending.as_mut()?.next()) {
                return Some(Command::Voice { ticket, change });
            }
            self.line.pop_front();
            if let Some(held) = self.tickets.at_mut(ticket) {
                held.pending = None;
            }
        }
        self.line.shrink_to_fit();
        None
    }

    // How many voices.

    pub fn set_when_full(&mut self, when_full: WhenFull) {
        self.when_full = when_full;
    }

    /// To how many voices the pool must grow before another play, if it must.
    fn growth(&self, bridge: &Bridge) -> Option<usize> {
        let parked = bridge.meters.parked.load(Relaxed) as usize;
        let needed = self.tickets.len() + 1;
        let voices = if self.wish_waits { self.settled_voices } else { self.voices };
        let grows = self.when_full == WhenFull::Grow
            && needed > voices + parked
            && voices < self.max_voices
            && bridge.commands.capacity() > 1
            && self.resizes < MOST_RESIZES;
        grows.then(|| (2 * voices).min(self.max_voices))
    }

    /// Sends the resize that waits, if it need not wait any longer. Else lets a grown pool shrink
    /// back once the extra voices have not been needed for a while.
    pub fn resize_if_due(&mut self, bridge: &Bridge) {
        if !self.wish_waits && self.voices <= self.settled_voices {
            return;
        }
        let can_send = self.resizes == 0
            && !self.has_pending()
            && bridge.commands.room() > 0
            && !bridge.is_closed();
        if can_send && (self.wish_waits || self.is_idle(bridge)) {
            self.wish_waits = false;
            if self.voices != self.settled_voices {
                self.send_resize(bridge, self.settled_voices);
            }
        }
    }

    fn is_idle(&self, bridge: &Bridge) -> bool {
        let now = bridge.meters.clock.load(Relaxed);
        let crowded = self.tickets.len() > self.settled_voices;
        !crowded && now.saturating_sub(self.crowded) > GROWN_IDLE * u64::from(self.rate)
    }

    pub fn resize(&mut self, bridge: &Bridge, voices: usize) -> Result<(), Error> {
        let fault = if voices == 0 {
            "it must be at least 1".to_owned()
        } else if voices > self.max_voices {
            format!("Config::max_voices is {}", self.max_voices)
        } else if bridge.is_closed() {
            "the renderer is gone".to_owned()
        } else {
            (self.settled_voices, self.wish_waits) = (voices, true);
            self.resize_if_due(bridge);
            return Ok(());
        };
        Err(Error::Resize { voices, fault })
    }

    fn send_resize(&mut self, bridge: &Bridge, voices: usize) {
        if bridge.commands.send(Command::Resize((self.make_voices)(voices as u32))).is_ok() {
            self.voices = voices;
            self.resizes += 1;
            self.crowded = bridge.meters.clock.load(Relaxed);
        }
    }

    // What comes home.

    /// Whether anything came.
    pub fn has_news(&self, bridge: &Bridge) -> bool {
        let orphans = bridge.is_closed() && !self.tickets.is_empty();
        orphans || bridge.reports.waiting() > 0 || bridge.has_output_news()
    }

    /// Enters what came into the books, as much of it as `home` has room for.
    pub fn collect(&mut self, bridge: &Bridge, home: &mut Home) {
        // Asked first: once it is closed, all that the audio side had to say is there.
        let closed = bridge.is_closed();
        while home.has_room() {
            let Some(report) = bridge.reports.receive() else { break };
            match report {
                Report::Ended(ended) => self.end(ended, home),
                Report::Parked { ticket, at, why } => {
                    if let Park::Stolen { thief, level } = why
                        && !self.theft_told
                        && let Some(victim) = self.tickets.at(ticket)
                    {
                        let victim = victim.sound.clone();
                        self.tell_theft(thief, &victim, level, home);
                        home.sound(victim);
                    }
                    self.notice(ticket, |ledger, key, tag| {
                        let why = ledger.parking(key, why);
                        Event::Parked { voice: ledger.id(key), tag, at, why }
                    });
                }
                Report::Unparked { ticket, at } => {
                    self.notice(ticket, |ledger, key, tag| Event::Unparked {
                        voice: ledger.id(key),
                        tag,
                        at,
                    });
                }
                Report::Started { .. } => (),
                Report::Retired(pool) => {
                    self.resizes -= 1;
                    home.pool(pool);
                }
            }
        }
        while home.has_room()
            && let Some(state) = bridge.take_output_news()
        {
            self.tell(Event::Output(state));
        }
        while closed && home.has_room() {
            // Nobody will hear these any more.
            let at = bridge.meters.clock.load(Relaxed);
            match bridge.commands.receive() {
                Some(Command::Play(Request { ticket, sound, .. })) => {
                    self.end(Ended { why: End::Stopped, ticket, at, sound }, home);
                }
                Some(Command::Resize(pool)) => home.pool(pool),
                Some(Command::Voice { .. } | Command::Bus { .. }) => (),
                None => break,
            }
        }
        while closed
            && home.has_room()
            && let Some(ticket) = self.tickets.oldest()
        {
            // A renderer that failed may have lost a few on its way.
            let at = bridge.meters.clock.load(Relaxed);
            let Some(sound) = self.tickets.at(ticket).map(|held| held.sound.clone()) else { break };
            self.end(Ended { why: End::Stopped, ticket, at, sound }, home);
        }
    }

    fn end(&mut self, Ended { why, ticket, at, sound }: Ended, home: &mut Home) {
        let Some(key) = self.tickets.key_at(ticket) else { return home.sound(sound) };
        let why = match why {
            End::Finished => {
                self.stats.finished += 1;
                Ending::Finished
            }
            End::Stopped => {
                self.stats.stopped += 1;
                Ending::Stopped
            }
            End::Refused(why) => {
                self.stats.refused += 1;
                Ending::Refused { why }
            }
            End::Stolen { thief, level } => {
                self.stats.stolen += 1;
                self.stats.loudest_stolen = self.stats.loudest_stolen.max(level);
                if !self.theft_told {
                    self.tell_theft(thief, &sound, level, home);
                }
                let (by, by_tag) = self.thief(thief, key);
                Ending::Stolen { by, by_tag, level }
            }
        };
        let name = sound.shared_name();
        // The ticket's hold on the sound is never the last: this is the same one.
        home.sound(sound);
        let Some(Ticket { tag, pending, .. }) = self.tickets.take(ticket) else { return };
        if pending.is_some() {
            self.leave_line(ticket);
        }
        if self.tickets.len() >= self.settled_voices {
            // To the quantum: within one, endings come in the order of the voices.
            self.crowded = self.crowded.max(at.next_multiple_of(QUANTUM as u64));
        }
        self.events.make_room();
        self.events.push(Event::Ended { voice: self.id(key), tag, name, at, why });
    }

    /// The thief by its ticket, which still means it; the victim itself should that ever be untrue.
    fn thief(&self, thief: u32, victim: Key) -> (VoiceId, u64) {
        let key = self.tickets.key_at(thief).unwrap_or(victim);
        (self.id(key), self.tickets.at(key.slot() as u32).map_or(0, |held| held.tag))
    }

    fn parking(&self, key: Key, why: Park) -> Parking {
        match why {
            Park::Stolen { thief, level } => {
                let (by, by_tag) = self.thief(thief, key);
                Parking::Stolen { by, by_tag, level }
            }
            Park::Paused => Parking::Paused,
            Park::Inaudible => Parking::Inaudible,
            Park::Shrunk => Parking::Shrunk,
            Park::PoolFull => Parking::PoolFull,
        }
    }

    #[cold]
    fn tell_theft(&mut self, thief: u32, victim: &Sound, level: f32, home: &mut Home) {
        if let Some(thief) = self.tickets.at(thief) {
            self.theft_told = true;
            home.theft(self.voices, &thief.sound, victim, level);
        }
    }

    #[cold]
    fn leave_line(&mut self, ticket: u32) {
        self.line.retain(|waiting| *waiting != ticket);
        if self.line.is_empty() {
            self.line.shrink_to_fit();
        }
    }

    fn notice(&mut self, ticket: u32, event: impl FnOnce(&Ledger, Key, u64) -> Event) {
        if let Some(key) = self.tickets.key_at(ticket) {
            let tag = self.tickets.get(key).map_or(0, |held| held.tag);
            self.tell(event(self, key, tag));
        }
    }

    /// Adds an event.
    fn tell(&mut self, event: Event) {
        self.events.make_room();
        self.events.push(event);
    }

    // What is asked.

    pub fn events(&mut self) -> &mut EventQueue {
        &mut self.events
    }

    fn id(&self, key: Key) -> VoiceId {
        VoiceId { mixer: self.mixer, ticket: key.slot() as u32, generation: key.generation() }
    }

    fn find(&self, voice: VoiceId) -> Option<Key> {
        let key = Key::new(voice.ticket, voice.generation);
        (voice.mixer == self.mixer && self.tickets.contains(key)).then_some(key)
    }

    pub fn is_live(&self, voice: VoiceId) -> bool {
        self.find(voice).is_some()
    }

    /// The rate of what a voice plays.
    pub fn sound_rate(&self, voice: VoiceId) -> Option<u32> {
        self.tickets.get(self.find(voice)?).map(|ticket| ticket.sound.sample_rate())
    }

    pub fn stats(&self, bridge: &Bridge) -> Stats {
        let meters = &bridge.meters;
        let count = |meter: &std::sync::atomic::AtomicU32| meter.load(Relaxed) as usize;
        let closed = bridge.is_closed();
        let now = |meter| if closed { 0 } else { count(meter) };
        Stats {
            voices: count(&meters.voices),
            playing: now(&meters.playing),
            parked: now(&meters.parked),
            scheduled: now(&meters.scheduled),
            live: self.tickets.len(),
            most_playing: count(&meters.most_playing),
            full: meters.full.load(Relaxed),
            parkings: meters.parkings.load(Relaxed),
            loudest_parked: meters.loudest_parked(),
            frames: meters.clock.load(Relaxed),
            peak: meters.peak(),
            load_mean: meters.load().0,
            load_worst: meters.load().1,
            xruns: meters.xruns.load(Relaxed),
            panics: meters.panics.load(Relaxed),
            missed_events: self.events.missed() + meters.missed.load(Relaxed),
            ..self.stats.clone()
        }
    }

    pub fn reset_peaks(&mut self, bridge: &Bridge) {
        self.stats.loudest_stolen = 0.0;
        bridge.meters.reset_peaks();
    }

    /// The latest picture of all plays, less those that have ended since. Orders the next one.
    pub fn voices(&mut self, bridge: &Bridge) -> Vec<VoiceInfo> {
        if let Some(filled) = bridge.take_filled() {
            self.spare = self.latest.replace(filled);
            self.snapshot_ordered = false;
        }
        if !self.snapshot_ordered {
            let rows = self.snapshot_rows;
            let sheet = self.spare.take().unwrap_or_else(|| Box::new(Snapshot::new(rows)));
            bridge.want_snapshot(sheet);
            self.snapshot_ordered = true;
        }
        let Some(latest) = &self.latest else { return Vec::new() };
        let info = |row: &Row| {
            let key = self.tickets.key_at(row.ticket)?;
            // A later play may hold the ticket by now.
            let ticket = self.tickets.get(key).filter(|held| held.number.get() <= latest.heard)?;
            Some(VoiceInfo {
                voice: self.id(key),
                slot: row.slot.map(|above| above.get() as usize - 1),
                tag: ticket.tag,
                name: ticket.sound.shared_name(),
                bus: ticket.bus,
                state: row.state,
                position: units::duration(u64::from(row.position), ticket.sound.sample_rate()),
                level: row.level,
                gain: row.gain,
                pan: row.pan,
                priority: ticket.priority,
            })
        };
        latest.rows().iter().filter_map(info).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    /// Under `Grow`, a pool of one voice that is taken: the next play needs a larger one before it,
    /// unless somebody is parked.
    fn about_to_grow(commands: usize) -> (Ledger, Bridge, Play) {
        let config = Config {
            voices: 1,
            max_voices: 8,
            parked: 1,
            scheduled: 1,
            commands,
            when_full: WhenFull::Grow,
            ..Config::default()
        };
        let (mut ledger, bridge) =
            (Ledger::new(&config, 0, |_| Box::new(())), Bridge::new(&config));
        let play = Play::of(&Sound::from_mono(48_000, &[0.5]).unwrap());
        let admission = ledger.admit(&bridge).expect("there is room");
        ledger.play(&bridge, admission, play.clone()).expect("it is sent");
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
                ledger.change_bus(&bridge, BusId::MASTER, Change::Pause { fade: 0 });
                let admission = ledger.admit(&bridge);
                let accepted = admission.and_then(|it| ledger.play(&bridge, it, play.clone()));
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

    /// Only we send, so that this never comes to pass.
    #[test]
    fn a_play_that_cannot_be_sent_after_all_was_not_accepted() {
        let (mut ledger, bridge, play) = about_to_grow(1);
        let before = ledger.stats(&bridge);
        let admission = ledger.admit(&bridge).expect("there is room");
        ledger.change_bus(&bridge, BusId::MASTER, Change::Pause { fade: 0 });
        assert_eq!(ledger.play(&bridge, admission, play), None);
        let turned_away = before.turned_away + 1;
        assert_eq!(ledger.stats(&bridge), Stats { turned_away, ..before });
    }
}
