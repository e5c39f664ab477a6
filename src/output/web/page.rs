//! The page's end: to the mixer it is the audio side.

use std::collections::{HashMap, VecDeque};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::feeds::{Feeds, give_order, send_back};
use super::packet::{PACKET, PIECE, to_page, to_worklet};
use crate::config::Config;
use crate::link::feed::Block;
use crate::link::message::{Cargo, Command, Ended, Made, Plan, Report};
use crate::link::wire::{Bytes, Names, PlainReport, Wire, put_command};
use crate::link::{Bridge, Row, Snapshot};
use crate::sound::Sound;

/// What a page makes for the renderer: a plan, since what is made is made where it is used.
pub(crate) fn make(plan: Plan, _rate: u32) -> Made {
    Box::new(plan)
}

/// The page's end of one mixer.
pub(crate) struct Page {
    bridge: Arc<Bridge>,
    /// What plays, by its ticket: the sound that goes home.
    held: Box<[Option<Sound>]>,
    numbers: Numbers,
    /// What the worklet has, by its number; and the streams that play.
    sounds: HashMap<u64, Sound>,
    feeds: Feeds,
    /// Blocks that the worklet has, of which the page keeps what tells whoever decodes that they are back.
    away: HashMap<u64, VecDeque<Box<Block>>>,
    /// How many commands were sent, how many the worklet has applied, and how many may be under way.
    sent: u64,
    applied: u64,
    most_under_way: u64,
    /// How much room in the queue of reports is kept for what must not be lost.
    kept_room: u64,
    /// A picture that was asked for.
    sheet: Option<Box<Snapshot>>,
    /// The packets that wait to be posted, and the one that is being written.
    packets: VecDeque<Vec<u8>>,
    packet: Vec<u8>,
    rate: u32,
    /// Frames that have passed unheard, and whether the worklet was told of some and has not answered.
    passed: f64,
    is_passing: bool,
    /// Whether the last mixer is gone, and whether the worklet was told.
    is_left: bool,
    has_said_so: bool,
    is_over: bool,
}

/// The number of the play that held each ticket last. It stays when that has ended: what was said of it may still be
/// on the way, and its ending is for the worklet to know.
struct Numbers(Box<[u64]>);

impl Names for Numbers {
    fn number(&self, ticket: u32) -> u64 {
        self.0.get(ticket as usize).copied().unwrap_or(0)
    }
}

impl Page {
    pub fn new(config: &Config, bridge: Arc<Bridge>) -> Page {
        let notices = config.notices() as u64;
        // Until the worklet tells.
        bridge.meters.voices.store(config.voices as u32, Relaxed);
        Page {
            held: vec![None; config.tickets()].into(),
            numbers: Numbers(vec![0; config.tickets()].into()),
            sounds: HashMap::new(),
            feeds: Feeds::default(),
            away: HashMap::new(),
            sent: 0,
            applied: 0,
            most_under_way: config.commands as u64,
            kept_room: bridge.reports.room().saturating_sub(notices),
            sheet: None,
            packets: VecDeque::new(),
            packet: Vec::new(),
            rate: config.sample_rate,
            passed: 0.0,
            is_passing: false,
            is_left: false,
            has_said_so: false,
            is_over: false,
            bridge,
        }
    }

    #[cfg(target_arch = "wasm32")]
    pub fn bridge(&self) -> &Bridge {
        &self.bridge
    }

    #[cfg(test)]
    pub fn sounds_held(&self) -> usize {
        self.sounds.len()
    }

    /// The last mixer is gone.
    pub fn close(&mut self) {
        self.is_left = true;
        self.is_over = self.bridge.is_closed();
    }

    /// Whether all is said that there was to say, and the sound has faded out.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// The worklet is gone, and says nothing any more: what plays is over.
    pub fn fail(&mut self) {
        self.bridge.meters.panics.fetch_add(1, Relaxed);
        self.bridge.close();
        self.is_over = self.is_left;
    }

    /// Writes down all that was said since the last time. `unheard` seconds have passed since then in which the
    /// browser fetched no sound: time passes all the same.
    pub fn pump(&mut self, unheard: f64) {
        // The browser has chosen.
        self.bridge.take_chosen_device();
        if let Some(feeder) = self.bridge.feeder() {
            feeder.wait();
        }
        if let Some((last, fade)) = self.bridge.take_stop_all(self.sent) {
            (to_worklet::STOP_ALL, last, fade).put(&mut self.packet);
        }
        let before = self.sent;
        while self.sent - self.applied < self.most_under_way
            && let Some(command) = self.bridge.next_command()
        {
            self.put(command);
        }
        if self.sent > before {
            to_worklet::PUBLISH.put(&mut self.packet);
        }
        self.put_blocks();
        self.forget_sounds();
        if self.sheet.is_none()
            && let Some(sheet) = self.bridge.take_wanted()
        {
            self.sheet = Some(sheet);
            to_worklet::PICTURE.put(&mut self.packet);
        }
        self.pass(unheard);
        if self.is_left && !mem::replace(&mut self.has_said_so, true) {
            to_worklet::FADE_OUT.put(&mut self.packet);
        }
        self.end_packet();
    }

    /// The next packet to post.
    pub fn next_packet(&mut self) -> Option<Vec<u8>> {
        self.packets.pop_front()
    }

    fn put(&mut self, command: Command) {
        let (command, sound) = command.into_plain();
        let mut ticket = 0;
        if let (Command::Play(request), Some(sound)) = (&command, sound) {
            self.tell(&sound);
            ticket = request.ticket;
            let place = ticket as usize;
            if let (Some(held), Some(number)) =
                (self.held.get_mut(place), self.numbers.0.get_mut(place))
            {
                (*held, *number) = (Some(sound), self.sent + 1);
            }
        }
        self.sent += 1;
        let media = match &command {
            Command::Play(request) => request.sound,
            _ => 0,
        };
        to_worklet::COMMAND.put(&mut self.packet);
        put_command(&command, (media, u64::from(ticket)), &self.numbers, &mut self.packet);
        if let Command::Moves(block) = command {
            // Nobody needs it any more, and there is room for every block there is.
            let _ = self.bridge.reports.send(Report::Moved(block));
        }
        self.end_packet_if_full();
    }

    /// Sees to it that the worklet has a sound.
    fn tell(&mut self, sound: &Sound) {
        let number = sound.number();
        if sound.feed().is_some() {
            (to_worklet::STREAM, number).put(&mut self.packet);
            let _ = sound.put_fed(&mut self.packet);
            self.feeds.add(number, sound.clone());
            return self.end_packet_if_full();
        }
        if self.sounds.insert(number, sound.clone()).is_some() {
            return;
        }
        (to_worklet::SOUND, number).put(&mut self.packet);
        sound.put_head(&mut self.packet);
        let mut sent = 0;
        loop {
            to_worklet::PIECE.put(&mut self.packet);
            let mut piece = Vec::new();
            let left = sound.put_piece(sent, PIECE, &mut piece);
            sent += piece.len();
            (piece.len() as u32).put(&mut self.packet);
            self.packet.append(&mut piece);
            self.end_packet_if_full();
            if left == 0 {
                return;
            }
        }
    }

    /// Sends what was decoded.
    fn put_blocks(&mut self) {
        for (number, feed) in self.feeds.iter() {
            while let Some(block) = feed.blocks.receive() {
                (to_worklet::BLOCK, number).put(&mut self.packet);
                block.put(&mut self.packet);
                self.away.entry(number).or_default().push_back(block);
                if self.packet.len() > PACKET {
                    self.packets.push_back(mem::take(&mut self.packet));
                }
            }
        }
    }

    /// Lets the worklet forget what nobody holds but this: no play of it can come any more.
    fn forget_sounds(&mut self) {
        let packet = &mut self.packet;
        self.sounds.retain(|number, sound| {
            let is_held = sound.holders() > 1;
            if !is_held {
                (to_worklet::FORGET, *number).put(packet);
            }
            is_held
        });
    }

    /// Time passes unheard, a second at a time at the most, which is how seldom a page has its turn that is not shown:
    /// after it has slept, it does not go through all of the night. The worklet is told by which clock, since it may
    /// be heard again by now.
    fn pass(&mut self, unheard: f64) {
        let rate = f64::from(self.rate);
        self.passed = (self.passed + unheard.max(0.0) * rate).min(rate);
        if self.passed >= 1.0 && !self.is_passing {
            let clock = self.bridge.meters.clock.load(Relaxed);
            (to_worklet::PASS, clock, self.passed as u64).put(&mut self.packet);
            self.passed = self.passed.fract();
            self.is_passing = true;
        }
    }

    fn end_packet_if_full(&mut self) {
        if self.packet.len() > PACKET {
            self.end_packet();
        }
    }

    fn end_packet(&mut self) {
        if !self.packet.is_empty() {
            self.packets.push_back(mem::take(&mut self.packet));
        }
    }

    /// Takes in what the worklet said. `None`: it is none of its packets.
    pub fn receive(&mut self, packet: &[u8]) -> Option<()> {
        let from = &mut Bytes::new(packet);
        while !from.is_empty() {
            match u8::take(from)? {
                to_page::REPORT => self.report(PlainReport::take(from)?),
                to_page::APPLIED => (self.applied, self.is_passing) = (u64::take(from)?, false),
                to_page::METERS => self.bridge.meters.take_news(from)?,
                to_page::PICTURE => self.draw(from)?,
                to_page::ORDER => {
                    let (number, order) = (u64::take(from)?, Wire::take(from)?);
                    if let Some(feed) = self.feeds.get(number) {
                        give_order(feed, order);
                    }
                }
                to_page::SPENT => self.take_back(u64::take(from)?),
                to_page::OVER => self.is_over = true,
                _ => return None,
            }
        }
        Some(())
    }

    fn report(&mut self, report: PlainReport) {
        let is_notice = !matches!(
            report,
            PlainReport::Ended { .. } | PlainReport::Retired(_) | PlainReport::EffectChanged { .. }
        );
        if is_notice && self.bridge.reports.room() <= self.kept_room {
            self.bridge.meters.missed.fetch_add(1, Relaxed);
            return;
        }
        let report = match report {
            PlainReport::Ended { ticket, at, why } => {
                let held = self.held.get_mut(ticket as usize).and_then(Option::take);
                let Some(sound) = held else { return };
                if let Some(feed) = sound.feed() {
                    feed.end();
                    self.feeds.remove(&sound);
                    self.away.remove(&sound.number());
                }
                let cargo = Cargo { sound, extra: None };
                Report::Ended(Ended { why, ticket, at, cargo })
            }
            PlainReport::Parked { ticket, at, why } => Report::Parked { ticket, at, why },
            PlainReport::Unparked { ticket, at } => Report::Unparked { ticket, at },
            PlainReport::Started { ticket, at } => Report::Started { ticket, at },
            PlainReport::Underrun { ticket, at } => Report::Underrun { ticket, at },
            PlainReport::Retired(what) => Report::Retired(what, Box::new(())),
            PlainReport::EffectChanged { bus } => Report::EffectChanged { bus, old: None },
        };
        // There is room for all that must not be lost, as on the worklet's side.
        let _ = self.bridge.reports.send(report);
    }

    /// Draws the picture that was asked for.
    fn draw(&mut self, from: &mut Bytes) -> Option<()> {
        let (heard, at, rows) = <(u64, u64, u32)>::take(from)?;
        let mut sheet = self.sheet.take();
        sheet.iter_mut().for_each(|sheet| sheet.begin(heard, at));
        for _ in 0..rows {
            let row = Row::take(from)?;
            sheet.iter_mut().for_each(|sheet| sheet.add(Row { ..row }));
        }
        sheet.into_iter().for_each(|sheet| self.bridge.give_filled(sheet));
        Some(())
    }

    /// A block was read to its end.
    fn take_back(&mut self, number: u64) {
        let block = self.away.get_mut(&number).and_then(VecDeque::pop_front);
        if let (Some(feed), Some(block)) = (self.feeds.get(number), block) {
            send_back(feed, block);
        }
    }
}
