//! Numbers and pictures of a mixer at work.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use crate::Frame;
use crate::message::{Park, VoiceId};
use crate::play::{BusId, Priority};
use crate::units::to_db;

/// The mixer's books. At every moment
/// `accepted == finished + stopped + stolen + refused + live`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// How many voices there are.
    pub voices: usize,
    /// How many of them are taken.
    pub playing: usize,
    /// Plays that keep their time in silence, without a voice.
    pub parked: usize,
    /// Plays that wait for their frame.
    pub scheduled: usize,
    /// Plays accepted and not yet ended: playing, parked, scheduled, or still in the queue.
    /// Counted on its own, not worked out from the other numbers.
    pub live: usize,
    /// The most voices that were ever taken at once. As many as there are: the pool was full.
    pub most_playing: usize,
    /// How often a play was to begin and found no voice free, whatever became of it then.
    pub full: u64,
    /// Plays that got a [`VoiceId`].
    pub accepted: u64,
    /// Of these: played to their end.
    pub finished: u64,
    /// Stopped.
    pub stopped: u64,
    /// Ended because their voice was given to another.
    pub stolen: u64,
    /// Never heard.
    pub refused: u64,
    /// Plays that got no [`VoiceId`], because the queue had no room.
    pub turned_away: u64,
    /// The loudest that a stolen voice ever was when it went, linear.
    pub loudest_stolen: f32,
    /// How often a play parked, whatever the reason. A play may do so more than once.
    pub parkings: u64,
    /// The loudest that a stolen voice ever was when its play parked instead of ending, linear.
    pub loudest_parked: f32,
    /// Frames handed out: the clock.
    pub frames: u64,
    /// The highest peaks, left and right, before the limiter: above 1 it had work to do.
    pub peak: Frame,
    /// The share of the device's time that mixing took, on the average of the last second or so.
    pub load_mean: f32,
    /// And the largest share that any buffer took: above 1 it came too late.
    pub load_worst: f32,
    /// How often the device ran out of frames.
    pub xruns: u64,
    /// Bugs of this crate that were caught in the callback: it is silent from the first one on.
    pub panics: u64,
    /// Events that nobody asked for in time, or that found no room on their way.
    pub missed_events: u64,
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "voices   {} of {} playing ({} at most, {} times too few), {} parked, {} scheduled",
            self.playing, self.voices, self.most_playing, self.full, self.parked, self.scheduled
        )?;
        writeln!(
            f,
            "plays    {} accepted: {} finished, {} stopped, {} stolen, {} refused, {} live; {} turned away",
            self.accepted,
            self.finished,
            self.stopped,
            self.stolen,
            self.refused,
            self.live,
            self.turned_away
        )?;
        write!(f, "stolen   ")?;
        match self.stolen {
            0 => write!(f, "nothing")?,
            _ => write!(f, "the loudest at {:.1} dB", to_db(self.loudest_stolen))?,
        }
        write!(f, "; {} parkings", self.parkings)?;
        match self.loudest_parked {
            0.0 => writeln!(f)?,
            loudest => writeln!(f, ", the loudest at {:.1} dB", to_db(loudest))?,
        }
        write!(
            f,
            "output   {} frames, peak {:.1} dB left, {:.1} dB right; load {:.1} % ({:.1} % at worst), \
             {} xruns; {} events missed",
            self.frames,
            to_db(self.peak[0]),
            to_db(self.peak[1]),
            100.0 * self.load_mean,
            100.0 * self.load_worst,
            self.xruns,
            self.missed_events
        )
    }
}

/// Where the sound goes. See [`Mixer::output`](crate::Mixer::output).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputState {
    /// To a device.
    Playing {
        /// Its name.
        device: String,
        /// Its rate. If it is not the mixer's, the output is resampled on its way.
        sample_rate: u32,
        /// Its channels.
        channels: u16,
        /// How many frames it asks for at a time, as far as it says.
        buffer: Option<u32>,
        /// From the mixer to the ear, at the least.
        latency: Duration,
    },
    /// Nowhere, for this reason. Time passes all the same, and sound comes back when it can.
    Silent {
        /// Why.
        why: String,
    },
    /// To whoever calls the [`Renderer`](crate::Renderer).
    Offline,
}

impl fmt::Display for OutputState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OutputState::Playing { device, sample_rate, channels, latency, .. } => {
                let ms = latency.as_secs_f32() * 1000.0;
                write!(f, "{device}, {sample_rate} Hz, {channels} channels, {ms:.1} ms")
            }
            OutputState::Silent { why } => write!(f, "silent: {why}"),
            OutputState::Offline => write!(f, "offline"),
        }
    }
}

/// One play, as the audio side saw it when the snapshot was taken.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VoiceInfo {
    /// Which.
    pub voice: VoiceId,
    /// Its place in the pool, from 0 on, if it has one.
    pub slot: Option<usize>,
    /// Its tag.
    pub tag: u64,
    /// The name of the sound that it plays.
    pub name: Arc<str>,
    /// Through which bus.
    pub bus: BusId,
    /// What it is doing.
    pub state: VoiceState,
    /// Where in the sound it is.
    pub position: Duration,
    /// How much it would be missed, linear: the K-weighted level of what it has still to play, the
    /// near counting more (what lies 200 ms off by a third), times every gain between it and the
    /// ear. A steady tone's is its loudness. See [`to_db`](crate::to_db).
    pub level: f32,
    /// Its own gain.
    pub gain: f32,
    /// Its pan.
    pub pan: f32,
    /// Its priority.
    pub priority: Priority,
}

/// What a play is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum VoiceState {
    /// It has a voice, and sounds.
    Playing,
    /// It has a voice, and stands still.
    Paused,
    /// It has a voice, and fades out.
    Stopping,
    /// It keeps its time in silence, without a voice.
    Parked,
    /// It waits for its frame.
    Scheduled,
}

/// A row of a snapshot: what only the audio side knows.
pub(crate) struct Row {
    pub ticket: u32,
    /// Its slot and one more, which is never 0.
    pub slot: Option<NonZeroU32>,
    pub state: VoiceState,
    pub position: u32,
    pub level: f32,
    pub gain: f32,
    pub pan: f32,
}

/// A sheet that the game side sends over empty, with room for all, and gets back filled.
pub(crate) struct Snapshot {
    rows: Vec<Row>,
    /// The number of the last command that had been heard: later plays are not in it.
    pub heard: u64,
}

impl Snapshot {
    pub fn new(capacity: usize) -> Snapshot {
        Snapshot { rows: Vec::with_capacity(capacity), heard: 0 }
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub fn begin(&mut self, heard: u64) {
        self.rows.clear();
        self.heard = heard;
    }

    /// Adds a row, if there is room: it never allocates.
    pub fn add(&mut self, row: Row) {
        if self.rows.len() < self.rows.capacity() {
            self.rows.push(row);
        }
    }
}

/// What the audio side shows without being asked: each is one store.
#[derive(Default)]
pub(crate) struct Meters {
    pub clock: AtomicU64,
    pub voices: AtomicU32,
    pub playing: AtomicU32,
    pub parked: AtomicU32,
    pub scheduled: AtomicU32,
    pub most_playing: AtomicU32,
    /// How often a newcomer found no voice free.
    pub full: AtomicU64,
    /// Counted here and not by the notices, of which some may find no room.
    pub parkings: AtomicU64,
    /// Notices that found no room on their way home.
    pub missed: AtomicU64,
    pub xruns: AtomicU64,
    pub panics: AtomicU64,
    /// The bits of two floats that are never negative, as those of the peaks are.
    load_mean: AtomicU32,
    load_worst: AtomicU32,
    /// The bits of two floats that are never negative, which therefore compare as numbers do.
    peak: [AtomicU32; 2],
    /// The same of one.
    loudest_parked: AtomicU32,
}

impl Meters {
    pub fn show_peak(&self, peak: Frame) {
        for (meter, peak) in self.peak.iter().zip(peak) {
            meter.fetch_max(peak.to_bits(), Ordering::Relaxed);
        }
    }

    pub fn saw_playing(&self, voices: u32) {
        self.most_playing.fetch_max(voices, Ordering::Relaxed);
    }

    pub fn saw_parking(&self, why: Park) {
        self.parkings.fetch_add(1, Ordering::Relaxed);
        if let Park::Stolen { level, .. } = why {
            self.loudest_parked.fetch_max(level.to_bits(), Ordering::Relaxed);
        }
    }

    pub fn loudest_parked(&self) -> f32 {
        f32::from_bits(self.loudest_parked.load(Ordering::Relaxed))
    }

    pub fn peak(&self) -> Frame {
        self.peak.each_ref().map(|meter| f32::from_bits(meter.load(Ordering::Relaxed)))
    }

    /// Notes which share of its time a buffer took, and how many seconds it lasts.
    pub fn show_load(&self, load: f32, seconds: f32) {
        let mean = f32::from_bits(self.load_mean.load(Ordering::Relaxed));
        let mean = mean + (load - mean) * seconds.clamp(0.0, 1.0);
        self.load_mean.store(mean.to_bits(), Ordering::Relaxed);
        self.load_worst.fetch_max(load.to_bits(), Ordering::Relaxed);
    }

    pub fn load(&self) -> (f32, f32) {
        let load = |meter: &AtomicU32| f32::from_bits(meter.load(Ordering::Relaxed));
        (load(&self.load_mean), load(&self.load_worst))
    }

    pub fn reset_peaks(&self) {
        self.load_worst.store(0, Ordering::Relaxed);
        self.loudest_parked.store(0, Ordering::Relaxed);
        self.peak.iter().for_each(|meter| meter.store(0, Ordering::Relaxed));
        self.most_playing.store(self.playing.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}
