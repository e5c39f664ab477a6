//! Numbers and pictures of a mixer at work.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::Frame;
use crate::event::VoiceId;
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
