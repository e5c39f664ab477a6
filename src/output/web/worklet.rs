//! The worklet's end: to the renderer it is the game side.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::feeds::Feeds;
use super::packet::{to_page, to_worklet};
use crate::Frame;
use crate::audio::{Renderer, make};
use crate::config::Config;
use crate::link::message::{Change, Command, NamedPlay, Report, Start};
use crate::link::meters::Counted;
use crate::link::wire::{Bytes, PlainReport, Plays, Wire, take_command};
use crate::link::{Bridge, Snapshot};
use crate::output::fade::Fade;
use crate::output::resampler::Resampler;
use crate::sound::{Arriving, Sound};

/// A renderer in the browser's audio thread, and its end of the way to the page.
pub(crate) struct Worklet {
    bridge: Arc<Bridge>,
    renderer: Renderer,
    rate: u32,
    /// If the browser has another rate than the mixer.
    resampler: Option<Resampler>,
    sounds: HashMap<u64, Sound>,
    /// The sound of which pieces are still to come.
    arriving: Option<(u64, Arriving)>,
    feeds: Feeds,
    /// The plays by their numbers; and the number of the play that held each ticket last.
    plays: HashMap<u64, u32>,
    numbers: Box<[u64]>,
    /// How many commands were placed: the number of the last.
    placed: u64,
    sheet: Option<Box<Snapshot>>,
    rows: usize,
    counted: Counted,
    fade: Fade,
    is_fading_out: bool,
    block: Vec<Frame>,
    planar: Vec<f32>,
}

impl Worklet {
    /// For a browser that fetches so many frames a second.
    pub fn new(config: &Config, output_rate: u32) -> Worklet {
        let bridge = Arc::new(Bridge::new(config));
        let rate = config.sample_rate;
        Worklet {
            renderer: Renderer::new(config, bridge.clone()),
            rate,
            resampler: (output_rate != rate).then(|| Resampler::new(rate, output_rate)),
            sounds: HashMap::new(),
            arriving: None,
            feeds: Feeds::default(),
            plays: HashMap::new(),
            numbers: vec![0; config.tickets()].into(),
            placed: 0,
            sheet: None,
            rows: config.max_voices + config.parked + config.scheduled,
            counted: Counted::default(),
            // No gap comes before the first frame.
            fade: Fade::open(output_rate),
            is_fading_out: false,
            block: Vec::new(),
            planar: Vec::new(),
            bridge,
        }
    }

    #[cfg(test)]
    pub fn sounds_held(&self) -> usize {
        self.sounds.len()
    }

    /// Takes in what the page said. Returns whether it was about time, and wants an answer; `None`: it is none of its packets.
    pub fn receive(&mut self, packet: &[u8]) -> Option<bool> {
        let from = &mut Bytes::new(packet);
        let mut has_passed = false;
        while !from.is_empty() {
            match u8::take(from)? {
                to_worklet::SOUND => {
                    self.arriving = Some((u64::take(from)?, Arriving::take(from)?));
                }
                to_worklet::PIECE => {
                    let length = u32::take(from)? as usize;
                    self.add_piece(from.take(length)?);
                }
                to_worklet::FORGET => drop(self.sounds.remove(&u64::take(from)?)),
                to_worklet::STREAM => {
                    let number = u64::take(from)?;
                    let sound = Sound::take_fed(from)?;
                    self.feeds.add(number, sound.clone());
                    self.sounds.insert(number, sound);
                }
                to_worklet::BLOCK => {
                    let (number, block) = (u64::take(from)?, Box::new(Wire::take(from)?));
                    // No more of them are under way than there are places.
                    let _ = self.feeds.get(number).map(|feed| feed.blocks.send(block));
                }
                to_worklet::COMMAND => self.place(from)?,
                to_worklet::PUBLISH => self.bridge.commands.publish(),
                to_worklet::STOP_ALL => {
                    let (last, fade) = <(u64, u32)>::take(from)?;
                    self.bridge.order_stop_all(last, fade);
                }
                to_worklet::PICTURE => {
                    let sheet = self.sheet.take();
                    let blank = || Box::new(Snapshot::new(self.rows));
                    self.bridge.want_snapshot(sheet.unwrap_or_else(blank));
                }
                to_worklet::PASS => {
                    let (clock, frames) = <(u64, u64)>::take(from)?;
                    // Else it is heard, and the page did not know.
                    if self.bridge.meters.clock.load(Relaxed) == clock {
                        self.pass(frames);
                    }
                    has_passed = true;
                }
                to_worklet::FADE_OUT => self.is_fading_out = true,
                _ => return None,
            }
        }
        Some(has_passed)
    }

    fn add_piece(&mut self, piece: &[u8]) {
        let Some((number, mut arriving)) = self.arriving.take() else { return };
        arriving.add(piece);
        if arriving.is_whole() {
            self.sounds.insert(number, arriving.finish());
        } else {
            self.arriving = Some((number, arriving));
        }
    }

    /// Places a command in the queue. Each is one there too, so that numbers are what they are on the page.
    fn place(&mut self, from: &mut Bytes) -> Option<()> {
        let (mut command, ticket) = take_command(from, &Here(&self.plays))?;
        self.placed += 1;
        let number = self.placed;
        if let Command::Play(request) = &mut command {
            request.ticket = ticket as u32;
            if let Some(last) = self.numbers.get_mut(request.ticket as usize) {
                self.plays.remove(&mem::replace(last, number));
                self.plays.insert(number, request.ticket);
            }
            if let Some(feed) = self.sounds.get(&request.sound).and_then(Sound::feed) {
                feed.begin(request.position, request.looping);
                // The page knows of this first order by itself.
                feed.orders.receive();
            }
        }
        let sounds = &mut self.sounds;
        let rate = self.rate;
        let command = command.resolve(
            |request| match sounds.get(&request.sound) {
                Some(sound) if sound.feed().is_some() => sounds.remove(&request.sound),
                sound => sound.cloned(),
            },
            |plan| make(plan, rate),
            |_| None,
        );
        let nothing = Command::Voice { ticket: u32::MAX, change: Change::EndLoop };
        self.bridge.commands.place(command.unwrap_or(nothing)).ok()
    }

    /// Lets frames pass unheard. What is heard after them fades in.
    fn pass(&mut self, frames: u64) {
        let mut block = [[0.0; 2]; 512];
        let mut left = frames;
        while left > 0 {
            let now = left.min(block.len() as u64);
            self.renderer.render(&mut block[..now as usize]);
            left -= now;
        }
        self.fade.set(false);
    }

    /// The frames that come next: first all of the left side, then all of the right.
    pub fn render(&mut self, frames: usize) -> &[f32] {
        self.block.resize(frames, [0.0; 2]);
        self.planar.resize(2 * frames, 0.0);
        match &mut self.resampler {
            Some(resampler) => resampler.fill(&mut self.block, &mut self.renderer),
            None => self.renderer.render(&mut self.block),
        }
        self.fade.apply(&mut self.block, self.is_fading_out);
        let (left, right) = self.planar.split_at_mut(frames);
        for ((left, right), frame) in left.iter_mut().zip(right).zip(&self.block) {
            [*left, *right] = *frame;
        }
        &self.planar
    }

    /// Notes which share of their time the last so many seconds of sound took.
    #[cfg(target_arch = "wasm32")]
    pub fn show_load(&self, load: f32, seconds: f32) {
        self.bridge.meters.show_load(load, seconds);
    }

    /// Writes down all that happened since the last time.
    pub fn put_reports(&mut self, out: &mut Vec<u8>) {
        for (number, feed) in self.feeds.iter() {
            while let Some(order) = feed.orders.receive() {
                (to_page::ORDER, number, order).put(out);
            }
            while feed.spent.receive().is_some() {
                (to_page::SPENT, number).put(out);
            }
        }
        while let Some(report) = self.bridge.reports.receive() {
            if let Report::Ended(ended) = &report
                && ended.cargo.sound.feed().is_some()
            {
                self.feeds.remove(&ended.cargo.sound);
            }
            if let Some(plain) = PlainReport::of(&report) {
                (to_page::REPORT, plain).put(out);
            }
        }
        (to_page::APPLIED, self.bridge.commands.collected()).put(out);
        to_page::METERS.put(out);
        self.bridge.meters.put_news(&mut self.counted, out);
        if let Some(sheet) = self.bridge.take_filled() {
            (to_page::PICTURE, sheet.heard, sheet.at).put(out);
            (sheet.rows().len() as u32).put(out);
            sheet.rows().iter().for_each(|row| row.put(out));
            self.sheet = Some(sheet);
        }
        if self.is_fading_out && self.fade.is_shut() {
            to_page::OVER.put(out);
        }
    }
}

/// Who is meant by a number.
struct Here<'a>(&'a HashMap<u64, u32>);

impl Plays for Here<'_> {
    fn named(&self, number: u64) -> NamedPlay {
        NamedPlay { ticket: self.0.get(&number).copied().unwrap_or(u32::MAX), number }
    }

    fn start_after(&self, leader: u64) -> Start {
        self.0.get(&leader).map_or(Start::Orphan, |leader| Start::Follow { leader: *leader })
    }
}
