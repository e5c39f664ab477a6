//! The renderer. On each line of the grid it applies the game's commands, starts, steals and parks,
//! mixes, and reports what has ended.

mod admission;
pub(super) mod batch;
mod buses;
mod commands;
mod joins;
mod mix;
mod notes;
mod placement;
mod report;
mod shaped;
mod space;
mod streams;
mod tails;

use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::aligned::Aligned;
use super::bus::duck::Ducks;
use super::bus::limiter::{self, Limiter};
use super::bus::rooms::Rooms;
use super::bus::submix::Submixes;
use super::bus::tail::Tail;
use super::bus::{BusSet, Buses};
use super::kernel::{Kernels, Mix};
use super::plays::Plays;
use super::space::Space;
use super::voice::Setup;
use super::voice::gains::GainCurves;
use crate::Frame;
use crate::audio::PASS;
use crate::bus::BusId;
use crate::config::Config;
use crate::link::message::QUANTUM;
use crate::link::remains::Remains;
use crate::link::{Bridge, Drive, Live};
use crate::units;
use batch::Batch;
use mix::EndedVoices;
use notes::EarlyLines;
use report::Notices;
use shaped::Work;

/// Makes the sound: fills buffers of any size with what the [`Mixer`](crate::Mixer) was told to
/// play. The same commands at the same frames give the same bits, whatever the buffers' sizes.
///
/// [`Mixer::offline`](crate::Mixer::offline) makes the two together. `render` never allocates,
/// frees, locks or waits, so it can be driven from any audio callback.
pub struct Renderer {
    bridge: Arc<Bridge>,
    setup: Setup,
    plays: Plays,
    buses: Box<Buses>,
    /// The buses on which voices are in the midst of a sound.
    begun_on: BusSet,
    submixes: Submixes,
    rooms: Rooms,
    ducks: Box<Ducks>,
    /// Whether none of them can change within a pass.
    ducks_are_steady: bool,
    tail: Tail,
    space: Space,
    /// Whether a voice was told on this line to loop no more.
    loops_ended: bool,
    /// Whether a stream is to be seen to on every line, and whether one begins behind a line.
    streams_are_scarce: bool,
    stream_begins: bool,
    /// The frame from which on it may be told again that one has run dry.
    tell_underruns_from: u64,
    scratch: Scratch,
    /// The frame that is computed next.
    now: u64,
    /// How many commands were applied.
    applied: u64,
    /// Plays up to this command are over before they begin: all was stopped.
    stopped_up_to: u64,
    /// How often a voice was given its slot.
    activated: u64,
    notices: Notices,
    /// How many commands had been applied when that was last noted for a recording, and on which lines before
    /// there was one.
    noted: u64,
    early: EarlyLines,
    limiter: Limiter,
    /// The frames of the last pass, and behind them those that the limiter looks ahead at.
    left: Aligned,
    right: Aligned,
    /// How many frames are mixed and not limited yet: as many as the limiter looks ahead at, once
    /// it has begun.
    ahead: usize,
    /// How many are limited too, of which the first `served` were handed out.
    ready: usize,
    served: usize,
    clock: u64,
}

/// Room to work in.
struct Scratch {
    curves: GainCurves,
    work: Work,
    remains: Remains,
    /// For each submix, the voices that are mixed into it together.
    batches: Box<[Batch; BusId::COUNT]>,
    ended: EndedVoices,
}

impl Renderer {
    pub(crate) fn new(config: &Config, bridge: Arc<Bridge>) -> Renderer {
        let declick = units::declick(config.sample_rate);
        let mixed = PASS + limiter::look_ahead(config.sample_rate);
        bridge.meters.voices.store(config.voices as u32, Relaxed);
        Renderer {
            bridge,
            setup: Setup {
                rate: config.sample_rate,
                declick,
                kernels: Kernels::new(config.interpolation),
            },
            plays: Plays::new(config),
            buses: Box::new(Buses::new()),
            begun_on: BusSet::default(),
            submixes: Submixes::new(),
            rooms: Rooms::new(),
            ducks: Box::new(Ducks::new()),
            ducks_are_steady: true,
            tail: Tail::new(declick as usize),
            space: Space::new(declick, config.sample_rate),
            loops_ended: false,
            streams_are_scarce: false,
            stream_begins: false,
            tell_underruns_from: 0,
            scratch: Scratch {
                curves: GainCurves::new(PASS.max(declick as usize)),
                work: Work::new(PASS),
                remains: Remains::new(declick),
                batches: Box::new(std::array::from_fn(|_| Batch::new())),
                ended: EndedVoices::new(config.max_voices + config.parked),
            },
            now: 0,
            applied: 0,
            stopped_up_to: 0,
            activated: 0,
            notices: Notices::new(config.notices()),
            noted: 0,
            early: EarlyLines::new(),
            limiter: Limiter::new(config.sample_rate),
            left: Aligned::new(0.0, mixed),
            right: Aligned::new(0.0, mixed),
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

    /// How many frames before it is heard something is mixed, at a rate: the limiter looks ahead so far.
    pub(crate) fn look_ahead(rate: u32) -> u64 {
        limiter::look_ahead(rate) as u64
    }

    pub(crate) fn bridge(&self) -> Arc<Bridge> {
        self.bridge.clone()
    }

    /// Fills a buffer of any size with the frames that come next.
    ///
    /// It never waits: what has not been read of a [`Stream`](crate::Stream) in time is silence.
    /// [`frames`](Renderer::frames) and [`write_wav`](Renderer::write_wav) do wait.
    #[cfg_attr(rtsan, sanitize(realtime = "nonblocking"))]
    pub fn render(&mut self, out: &mut [Frame]) {
        self.fill(out, &mut Live);
    }

    /// The same, driven by somebody who may do something on every line.
    pub(crate) fn fill(&mut self, mut out: &mut [Frame], drive: &mut dyn Drive) {
        while !out.is_empty() {
            if self.served == self.ready {
                self.compute(out.len(), drive);
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
        self.show_buses();
        let meters = &self.bridge.meters;
        meters.playing.store(self.plays.voices.len() as u32, Relaxed);
        meters.voices.store(self.plays.voices.limit() as u32, Relaxed);
        meters.parked.store(self.plays.parked.len() as u32, Relaxed);
        meters.scheduled.store(self.plays.schedule().pool().len() as u32, Relaxed);
        meters.clock.store(self.clock, Relaxed);
        self.note_clock();
    }

    /// Makes the next quantum ready, or several if nothing can happen on the lines between. The
    /// limiter looks ahead, so what is mixed here will be handed out later.
    fn compute(&mut self, wanted: usize, drive: &mut dyn Drive) {
        // What was handed out makes room for what comes.
        let ahead = self.ready..self.ready + self.ahead;
        for side in [&mut self.left, &mut self.right] {
            if ahead.end <= side.len() {
                side.copy_within(ahead.clone(), 0);
            }
        }
        let look_ahead = self.left.len() - PASS;
        while self.ahead < look_ahead {
            let frames = self.mix_line(self.ahead, look_ahead - self.ahead, drive);
            let mixed = self.ahead..self.ahead + frames;
            let left = self.left.get(mixed.clone()).unwrap_or_default();
            let right = self.right.get(mixed).unwrap_or_default();
            self.bridge.meters.show_peak(self.limiter.listen(left, right));
            self.ahead += frames;
        }
        let frames = self.mix_line(self.ahead, wanted, drive);
        let peaks = self.limiter.limit(&mut self.left, &mut self.right, frames);
        self.bridge.meters.show_peak(peaks);
        self.ready = frames;
        self.served = 0;
    }

    /// Stands on a line of the grid: applies what the game said, and mixes to the next line or a later
    /// one, into the buffers from `at` on. Returns how many frames that are.
    fn mix_line(&mut self, at: usize, wanted: usize, drive: &mut dyn Drive) -> usize {
        let until = drive.line(self.now);
        let wanted = until.saturating_sub(self.now).min(wanted as u64) as usize;
        self.settle_buses();
        self.apply_commands();
        self.note_line();
        self.follow_space();
        self.start_arrivals();
        self.plays.thaw(self.now, &self.buses);
        self.settle();
        self.unpark();
        self.follow_on();
        self.forget_loops();
        self.supply_streams(drive);
        self.step_ducks();
        self.fill_snapshot();
        self.foresee_all();
        let frames = self.span(wanted);
        for side in [&mut self.left, &mut self.right] {
            side.get_mut(at..at + frames).unwrap_or_default().fill(0.0);
        }
        let (begin, end) = (self.now, self.now + frames as u64);
        let has_submixes = !self.submixes.is_empty() || !self.rooms.is_empty();
        if has_submixes {
            self.buses.begin_pass();
            self.submixes.begin(frames);
            self.rooms.begin();
        }
        while self.now < end {
            while let Some(due) = self.plays.take_due(self.now, &self.buses) {
                self.start_due(due);
                self.follow_on();
            }
            if self.stream_begins {
                self.supply_streams(drive);
            }
            let until = self.plays.schedule().next().map_or(end, |at| at.min(end));
            // On the frame on which a play finishes another may begin.
            let until = until.min(self.plays.followers().next_finish().max(self.now + 1));
            self.mix(at, (self.now - begin) as usize, (until - self.now) as usize);
        }
        if has_submixes {
            let mut mix = Mix { left: &mut self.left, right: &mut self.right };
            let out = mix.part(at, frames);
            self.submixes.finish(begin, &self.buses, &mut self.rooms, out);
            for (bus, peak) in self.submixes.peaks() {
                self.bridge.meters.bus(bus).show_peak(peak);
            }
        }
        self.space.advance(frames);
        frames
    }

    /// How many frames can be computed at once: whole quanta, and no more than are wanted.
    fn span(&self, wanted: usize) -> usize {
        let voices = &self.plays.voices;
        if !self.plays.parked.is_empty()
            || voices.is_unsettled()
            || voices.is_releasing()
            || voices.shaped_may_end(PASS as u32)
            || self.buses.is_relinking()
            || self.submixes.is_busy()
            || self.rooms.is_busy()
            || !self.ducks_are_steady
            || self.space.is_restless()
            || self.streams_are_scarce
            || self.plays.followers().next_finish() <= self.now + PASS as u64
        {
            return QUANTUM;
        }
        // Who is on the way to another place arrives at the end of a pass, and not within one.
        let most = self.space.next_arrival().unwrap_or(PASS).min(PASS);
        let frames = wanted.clamp(1, most).next_multiple_of(QUANTUM);
        let next = self.plays.schedule().next().map_or(u64::MAX, |at| at.saturating_sub(self.now));
        // A play that begins may park another, who may come back on the next line.
        let quanta_before = (next / QUANTUM as u64).min(PASS as u64) as usize;
        frames.min((quanta_before + 1) * QUANTUM)
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
    use crate::{Event, Mixer, Play, Sound, WhenStolen, ms};

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
        renderer.plays.voices.at_mut(0).unwrap().skip(1 << 40);
        // What was mixed ahead comes first.
        renderer.frames(QUANTUM);
        let first = (2 * QUANTUM as u64 + (1 << 40)) % 777;
        let expected = (first..).map(|i| (i % 777) as f32 / 1024.0);
        let heard = renderer.frames(2000);
        assert!(heard.iter().map(|frame| frame[0]).eq(expected.take(2000)));
    }
}
