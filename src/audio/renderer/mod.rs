//! The renderer: hear what the game says, mix, send home what has ended.

pub(super) mod batch;
mod commands;
mod placement;

use std::mem;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use crate::Frame;
use crate::audio::bus::limiter::{self, Limiter};
use crate::audio::bus::tail::Tail;
use crate::audio::bus::{BusSet, Buses};
use crate::audio::kernel::{Kernels, Mix};
use crate::audio::plays::parked::ParkedPlays;
use crate::audio::plays::placements::{Placement, Placements};
use crate::audio::plays::schedule::Schedule;
use crate::audio::plays::voices::Voices;
use crate::audio::voice::{Curves, Setup, Voice};
use crate::config::Config;
use crate::link::Bridge;
use crate::link::message::{self, End, QUANTUM, Report};
use crate::link::{Row, Snapshot};
use crate::sound::Sound;
use crate::stats::VoiceState;
use crate::units::{self, ms};
use batch::Batch;

/// The most that is mixed in one pass, if nothing happens on the lines between.
const PASS: usize = 4 * QUANTUM;

/// The shortest change: long enough that the steepest fade adds less to a 100 Hz sine's slope
/// than a twentieth, short enough to be heard as at once.
const DECLICK: std::time::Duration = ms(5);

/// Makes the sound: fills buffers of any size with what the [`Mixer`](crate::Mixer) was told to
/// play. The same commands at the same frames give the same bits, whatever the buffers' sizes.
///
/// [`Mixer::offline`](crate::Mixer::offline) makes the two together. `render` never allocates,
/// frees, locks or waits, so it can be driven from any audio callback.
pub struct Renderer {
    pub(in crate::audio) bridge: Arc<Bridge>,
    pub(in crate::audio) setup: Setup,
    pub(in crate::audio) voices: Voices,
    pub(in crate::audio) parked: ParkedPlays,
    pub(in crate::audio) schedule: Schedule,
    pub(in crate::audio) placements: Placements,
    pub(in crate::audio) buses: Buses,
    /// The buses on which voices are in the midst of a sound.
    pub(in crate::audio) begun_on: BusSet,
    pub(in crate::audio) tail: Tail,
    pub(in crate::audio) scratch: Scratch,
    /// The frame that is computed next.
    pub(in crate::audio) now: u64,
    /// How many commands were heard.
    pub(in crate::audio) obeyed: u64,
    /// Plays up to this command are over before they begin: all was stopped.
    pub(in crate::audio) stopped_up_to: u64,
    /// How often a voice was given its slot.
    pub(in crate::audio) activated: u64,
    notices: Notices,
    limiter: Limiter,
    /// The frames of the last pass, and behind them those that the limiter looks ahead at.
    left: Box<[f32]>,
    right: Box<[f32]>,
    /// How many frames are mixed and not limited yet: as many as the limiter looks ahead at, once
    /// it has begun.
    ahead: usize,
    /// How many are limited too, of which the first `served` were handed out.
    ready: usize,
    served: usize,
    clock: u64,
}

/// Room to work in.
pub(in crate::audio) struct Scratch {
    pub curves: Curves,
    pub left: Box<[f32]>,
    pub right: Box<[f32]>,
    /// Voices that ended in this pass.
    ended: Box<[Ended]>,
}

/// The notices on their way home, by their numbers among all reports. There is room for so many
/// beside the endings, which must never meet a full queue.
struct Notices {
    marks: Box<[u64]>,
    first: usize,
    count: usize,
}

impl Notices {
    /// Adds one, if there is room; those up to number `collected` have arrived.
    fn add(&mut self, number: u64, collected: u64) -> bool {
        while self.count > 0 && self.marks.get(self.first).is_some_and(|mark| *mark <= collected) {
            self.first = (self.first + 1) % self.marks.len();
            self.count -= 1;
        }
        let free = (self.first + self.count) % self.marks.len().max(1);
        let room = self.count < self.marks.len();
        if let Some(mark) = self.marks.get_mut(free).filter(|_| room) {
            *mark = number;
            self.count += 1;
        }
        room
    }
}

#[derive(Clone, Copy)]
struct Ended {
    placement: Placement,
    after: u32,
    why: End,
}

const NOBODY: Ended = Ended { placement: Placement::Nowhere, after: 0, why: End::Finished };

impl Renderer {
    pub(crate) fn new(config: &Config, bridge: Arc<Bridge>) -> Renderer {
        let declick = units::short_frames(DECLICK, config.sample_rate).max(1);
        let silence = |frames| vec![0.0; frames].into_boxed_slice();
        let mixed = PASS + limiter::look_ahead(config.sample_rate);
        bridge.meters.voices.store(config.voices as u32, Relaxed);
        Renderer {
            bridge,
            setup: Setup {
                rate: config.sample_rate,
                declick,
                kernels: Kernels::new(config.interpolation),
            },
            voices: Voices::new(config.voices),
            parked: ParkedPlays::new(config.parked, config.sample_rate),
            schedule: Schedule::new(config.scheduled),
            placements: Placements::new(config.tickets()),
            buses: Buses::new(),
            begun_on: BusSet::default(),
            tail: Tail::new(declick as usize),
            scratch: Scratch {
                curves: Curves::new(PASS.max(declick as usize)),
                left: silence(declick as usize),
                right: silence(declick as usize),
                ended: vec![NOBODY; config.max_voices + config.parked].into_boxed_slice(),
            },
            now: 0,
            obeyed: 0,
            stopped_up_to: 0,
            activated: 0,
            notices: Notices { marks: vec![0; config.notices()].into(), first: 0, count: 0 },
            limiter: Limiter::new(config.sample_rate),
            left: silence(mixed),
            right: silence(mixed),
            ahead: 0,
            ready: 0,
            served: 0,
            clock: 0,
        }
    }

    /// Frames a second.
    pub fn sample_rate(&self) -> u32 {
        self.setup.rate
    }

    /// Fills a buffer of any size with the frames that come next.
    #[cfg_attr(rtsan, sanitize(realtime = "nonblocking"))]
    pub fn render(&mut self, mut out: &mut [Frame]) {
        while !out.is_empty() {
            if self.served == self.ready {
                self.compute(out.len());
            }
            let frames = out.len().min(self.ready - self.served);
            let (now, later) = mem::take(&mut out).split_at_mut(frames);
            let served = self.served..self.served + frames;
            let left = self.left.get(served.clone()).unwrap_or_default();
            let right = self.right.get(served).unwrap_or_default();
            for (frame, (left, right)) in now.iter_mut().zip(left.iter().zip(right)) {
                *frame = [*left, *right];
            }
            self.served += frames;
            self.clock += frames as u64;
            out = later;
        }
        let meters = &self.bridge.meters;
        meters.playing.store(self.voices.len() as u32, Relaxed);
        meters.voices.store(self.voices.limit() as u32, Relaxed);
        meters.parked.store(self.parked.len() as u32, Relaxed);
        meters.scheduled.store(self.schedule.pool().len() as u32, Relaxed);
        meters.clock.store(self.clock, Relaxed);
    }

    /// Makes the next quantum ready, or several if nothing can happen on the lines between. The
    /// limiter looks ahead, so what is mixed here will be handed out later.
    fn compute(&mut self, wanted: usize) {
        // What was handed out makes room for what comes.
        let ahead = self.ready..self.ready + self.ahead;
        for side in [&mut self.left, &mut self.right] {
            if ahead.end <= side.len() {
                side.copy_within(ahead.clone(), 0);
            }
        }
        let look_ahead = self.left.len() - PASS;
        while self.ahead < look_ahead {
            let frames = self.mix_line(self.ahead, look_ahead - self.ahead);
            let mixed = self.ahead..self.ahead + frames;
            let left = self.left.get(mixed.clone()).unwrap_or_default();
            let right = self.right.get(mixed).unwrap_or_default();
            self.bridge.meters.show_peak(self.limiter.listen(left, right));
            self.ahead += frames;
        }
        let frames = self.mix_line(self.ahead, wanted);
        let peaks = self.limiter.limit(&mut self.left, &mut self.right, frames);
        self.bridge.meters.show_peak(peaks);
        self.ready = frames;
        self.served = 0;
    }

    /// Stands on a line of the grid: hears what is said, and mixes to the next line or a later
    /// one, into the buffers from `at` on. Returns how many frames that are.
    fn mix_line(&mut self, at: usize, wanted: usize) -> usize {
        self.obey();
        self.settle();
        self.unpark();
        self.fill_snapshot();
        let frames = self.span(wanted);
        for side in [&mut self.left, &mut self.right] {
            side.get_mut(at..at + frames).unwrap_or_default().fill(0.0);
        }
        let (begin, end) = (self.now, self.now + frames as u64);
        while self.now < end {
            while let Some(due) = self.schedule.take_due(self.now) {
                self.claim(due.request, due.number);
            }
            let until = self.schedule.next().map_or(end, |at| at.min(end));
            self.mix(at + (self.now - begin) as usize, (until - self.now) as usize);
            self.now = until;
        }
        frames
    }

    /// How many frames can be computed at once: whole quanta, and no more than are wanted.
    fn span(&self, wanted: usize) -> usize {
        if !self.parked.is_empty() || self.voices.is_unsettled() {
            return QUANTUM;
        }
        let frames = wanted.clamp(1, PASS).next_multiple_of(QUANTUM);
        let next = self.schedule.next().map_or(u64::MAX, |at| at.saturating_sub(self.now));
        // A play that begins may park another, who may come back on the next line.
        let quanta_before = (next / QUANTUM as u64).min(PASS as u64) as usize;
        frames.min((quanta_before + 1) * QUANTUM)
    }

    /// Mixes a stretch in which nobody begins.
    fn mix(&mut self, offset: usize, frames: usize) {
        let mut ended = 0;
        let mut mix = Mix { left: &mut self.left, right: &mut self.right };
        let mut note = |placement, (after, why)| {
            if let Some(place) = self.scratch.ended.get_mut(ended) {
                *place = Ended { placement, after, why };
                ended += 1;
            }
        };
        self.begun_on = BusSet::default();
        let kernels = &self.setup.kernels;
        let mut batch = Batch::default();
        let mut next = self.voices.pool().oldest();
        while let Some(slot) = next {
            next = self.voices.pool().younger(slot);
            if let Some(voice) = next.and_then(|next| self.voices.pool().at(next)) {
                voice.prefetch();
            }
            let Some(voice) = self.voices.at_mut(slot) else { break };
            let route = self.buses.route(voice.bus);
            if let Some(run) = voice.pass(frames as u32, route) {
                self.begun_on.add(voice.bus);
                let kind = mem::discriminant(voice.sound.samples());
                if !batch.add(slot, run, kind) {
                    batch.flush(mix.part(offset, frames), self.voices.pool(), kernels);
                    batch.add(slot, run, kind);
                }
                continue;
            }
            batch.flush(mix.part(offset, frames), self.voices.pool(), kernels);
            let Some(voice) = self.voices.at_mut(slot) else { break };
            let part = mix.part(offset, frames);
            if let Some(end) = voice.render(part, route, &self.setup, &mut self.scratch.curves) {
                note(Placement::Playing(slot), end);
            } else if voice.has_begun() {
                self.begun_on.add(voice.bus);
            }
        }
        batch.flush(mix.part(offset, frames), self.voices.pool(), kernels);
        self.parked.ends_within(frames as u32, &self.buses, |slot, after| {
            note(Placement::Parked(slot), (after, End::Finished));
        });
        self.tail.play(mix.part(offset, frames));
        self.buses.advance(frames as u32);
        self.see_off(ended, frames);
    }

    /// Sends home the voices that ended, quantum by quantum: the order in which they would have
    /// ended had each quantum been mixed alone.
    fn see_off(&mut self, ended: usize, frames: usize) {
        if ended == 0 {
            return;
        }
        for quantum in 0..frames.div_ceil(QUANTUM) {
            for index in 0..ended {
                let Some(&Ended { placement, after, why }) = self.scratch.ended.get(index) else {
                    break;
                };
                if after.saturating_sub(1) as usize / QUANTUM == quantum
                    && let Some(voice) = self.vacate(placement)
                {
                    self.end(voice.ticket, voice.sound, self.now + u64::from(after), why);
                }
            }
        }
    }

    /// Takes a voice from where it is.
    pub(in crate::audio) fn vacate(&mut self, placement: Placement) -> Option<Voice> {
        match placement {
            Placement::Playing(slot) => self.voices.take(slot),
            Placement::Parked(slot) => self.parked.take(slot),
            Placement::Waiting(_) | Placement::Nowhere => None,
        }
    }

    /// Ends a play: the one report that each play makes, with its sound in it.
    pub(in crate::audio) fn end(&mut self, ticket: u32, sound: Sound, at: u64, why: End) {
        self.placements.end(ticket);
        self.send_home(Report::Ended(message::Ended { why, ticket, at, sound }));
    }

    pub(in crate::audio) fn send_home(&self, report: Report) {
        if let Err(report) = self.bridge.reports.send(report) {
            // Every ending and every pool has a place of its own, so there is always room. Were
            // there none, to leak would still be better than to free here.
            mem::forget(report);
        }
    }

    /// Sends a notice, if there is room that no ending may need.
    pub(in crate::audio) fn notify(&mut self, report: Report) {
        let reports = &self.bridge.reports;
        if self.notices.add(reports.placed() + 1, reports.collected()) {
            self.send_home(report);
        } else {
            self.bridge.meters.missed.fetch_add(1, Relaxed);
        }
    }

    /// Fills a snapshot, if one was asked for.
    fn fill_snapshot(&mut self) {
        if let Some(mut snapshot) = self.bridge.take_wanted() {
            self.parked.catch_up(&self.buses);
            self.draw(&mut snapshot);
            self.bridge.give_filled(snapshot);
        }
    }

    fn draw(&self, snapshot: &mut Snapshot) {
        snapshot.begin(self.obeyed);
        let row = |voice: &Voice, slot, parked| {
            let route = self.buses.route(voice.bus);
            Row {
                ticket: voice.ticket,
                slot,
                state: if parked { VoiceState::Parked } else { voice.state(route) },
                position: voice.frame(),
                level: voice.level(&self.setup) * route.level() * route.master_level(),
                gain: voice.gain(),
                pan: voice.pan(),
            }
        };
        for (key, voice) in self.voices.pool().iter() {
            snapshot.add(row(voice, NonZeroU32::new(key.slot() as u32 + 1), false));
        }
        for (_, parked) in self.parked.pool().iter() {
            snapshot.add(row(&parked.voice, None, true));
        }
        for (_, waiting) in self.schedule.pool().iter() {
            let request = &waiting.request;
            snapshot.add(Row {
                ticket: request.ticket,
                slot: None,
                state: VoiceState::Scheduled,
                position: request.position,
                level: 0.0,
                gain: request.gain,
                pan: request.pan,
            });
        }
    }
}

impl Drop for Renderer {
    /// What still plays ends here, and its sounds go home too.
    fn drop(&mut self) {
        self.end_everything();
        self.bridge.close();
    }
}

impl std::fmt::Debug for Renderer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Renderer").field("clock", &self.clock).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, Mixer, Play, Sound, WhenStolen};

    /// A mixer whose clock has run for a long time already.
    fn at(clock: u64, config: Config) -> (Mixer, Renderer) {
        let (mixer, mut renderer) = Mixer::offline(config).unwrap();
        (renderer.now, renderer.clock) = (clock, clock);
        renderer.bridge.meters.clock.store(clock, Relaxed);
        (mixer, renderer)
    }

    /// Plays of every kind, by a clock that begins at `clock`: what is heard, and what ended when.
    fn scene(clock: u64) -> (Vec<Frame>, Vec<(u64, u64)>) {
        let config = Config { voices: 4, sample_rate: 1000, ..Config::default() };
        let (mixer, mut renderer) = at(clock, config);
        let saw: Vec<f32> = (0..100).map(|i| i as f32 / 1000.0).collect();
        let saw = Sound::from_mono(1000, &saw).unwrap();
        let plays = [
            Play::of(&saw).looping().speed(1.0 / 3.0),
            Play::of(&saw).start_at(clock + 333).looping().when_stolen(WhenStolen::Park),
            Play::of(&saw).delay(ms(1777)).speed(0.7),
            Play::of(&saw).start_at(clock.saturating_sub(1)).fade_in(ms(50)),
        ];
        for (tag, play) in (0..).zip(plays) {
            mixer.play(play.tag(tag));
        }
        let frames = renderer.frames(5000);
        let ended = mixer.events().filter_map(|event| match event {
            Event::Ended { tag, at, .. } => Some((tag, at - clock)),
            _ => None,
        });
        assert_eq!(mixer.clock(), clock + 5000);
        (frames, ended.collect())
    }

    #[test]
    fn a_clock_that_has_run_for_ages_plays_the_same_bits() {
        let (frames, ended) = scene(0);
        assert_eq!(ended, [(3, 100), (2, 1777 + 143)]);
        for clock in [1 << 24, (1 << 32) - 512, 1 << 32, 1 << 40, 1 << 53, 1 << 62] {
            assert_eq!(scene(clock), (frames.clone(), ended.clone()), "from frame {clock}");
        }
    }

    #[test]
    fn a_loop_is_exact_after_two_to_the_forty_frames() {
        let config = Config { voices: 1, sample_rate: 1000, ..Config::default() };
        let (mixer, mut renderer) = Mixer::offline(config).unwrap();
        let clip: Vec<f32> = (0..777).map(|i| i as f32 / 1024.0).collect();
        let clip = Sound::from_mono(1000, &clip).unwrap();
        mixer.play(Play::of(&clip).looping());
        renderer.frames(QUANTUM);
        // As if it had looped in silence all the time, the way that the parked do.
        renderer.voices.at_mut(0).unwrap().skip(1 << 40);
        // What was mixed ahead comes first.
        renderer.frames(QUANTUM);
        let first = (2 * QUANTUM as u64 + (1 << 40)) % 777;
        let expected = (first..).map(|i| (i % 777) as f32 / 1024.0);
        let heard = renderer.frames(2000);
        assert!(heard.iter().map(|frame| frame[0]).eq(expected.take(2000)));
    }
}
