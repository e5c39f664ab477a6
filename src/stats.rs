//! Numbers and pictures of a mixer at work.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::Frame;
use crate::bus::BusId;
use crate::event::VoiceId;
use crate::play::Priority;
use crate::units::to_db;

/// What a mixer has counted. See [`Mixer::stats`](crate::Mixer::stats). At every moment
/// `accepted == finished + stopped + stolen + refused + live`.
///
/// Levels and peaks are linear; [`to_db`] makes decibels of them. Printed with `{}`, it is four lines
/// for people.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// How many voices the pool has now.
    pub voices: usize,
    /// How many of these voices are taken.
    pub playing: usize,
    /// How many plays keep their time in silence, without a voice.
    pub parked: usize,
    /// How many plays wait for their frame.
    pub scheduled: usize,
    /// How many plays were accepted and have not ended yet: playing, parked, scheduled, or still in the
    /// queue. It is counted on its own, not worked out from the other numbers.
    pub live: usize,
    /// The most voices that were taken at once since the peaks were
    /// [reset](crate::Mixer::reset_peaks). If it is as many as there are, the pool was full.
    pub most_playing: usize,
    /// How often a play was to begin and found no voice free, or none that its cue or its bus might have,
    /// whatever became of it then.
    pub full: u64,
    /// How many plays got a [`VoiceId`].
    pub accepted: u64,
    /// How many of these have played to their end.
    pub finished: u64,
    /// How many of these were stopped.
    pub stopped: u64,
    /// How many of these have ended because their voice was given to another.
    pub stolen: u64,
    /// How many of these could not begin.
    pub refused: u64,
    /// How many plays got no [`VoiceId`]. [`Mixer::play`](crate::Mixer::play) says why that may be.
    pub turned_away: u64,
    /// The loudest that a stolen voice was when it went, since the peaks were reset.
    pub loudest_stolen: f32,
    /// How often a play parked, whatever the reason. A play may do so more than once.
    pub parkings: u64,
    /// The loudest that a stolen voice was when its play parked instead of ending, since the peaks
    /// were reset.
    pub loudest_parked: f32,
    /// How often what was to be read of a [stream](crate::Stream) had not come in time, so that there was a
    /// gap: the disk, or whatever it is read from, was too slow.
    pub underruns: u64,
    /// How many frames were handed out: what [`Mixer::clock`](crate::Mixer::clock) says.
    pub frames: u64,
    /// The highest peaks, left and right, before the limiter, since the peaks were reset: above 1 it
    /// had work to do.
    pub peak: Frame,
    /// The share of the device's time that mixing took, from 0 to 1, on the average of the last second
    /// or so.
    pub load_mean: f32,
    /// The largest share that any buffer took since the peaks were reset: above 1 it came too late.
    pub load_worst: f32,
    /// How often the device ran out of frames.
    pub xruns: u64,
    /// How many bugs of this crate were caught in the callback: it is silent from the first one on.
    pub panics: u64,
    /// How many events nobody asked for in time, or found no room on their way.
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
             {} xruns, {} underruns; {} events missed",
            self.frames,
            to_db(self.peak[0]),
            to_db(self.peak[1]),
            100.0 * self.load_mean,
            100.0 * self.load_worst,
            self.xruns,
            self.underruns,
            self.missed_events
        )
    }
}

/// Where the sound goes, as [`Mixer::output`](crate::Mixer::output) and
/// [`Event::Output`](crate::Event::Output) tell it. Its [`Display`](fmt::Display) is a line for people.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputState {
    /// The sound goes to a device.
    #[non_exhaustive]
    Playing {
        /// The device's name, as [`devices`](crate::devices) lists it.
        device: String,
        /// The device's rate, in frames a second. If it is not
        /// [the mixer's](crate::Mixer::sample_rate), the output is resampled on its way.
        sample_rate: u32,
        /// How many channels the device has. A mono device gets the mean of both sides; channels
        /// beyond the second are silent.
        channels: u16,
        /// How many frames the device asks for at a time; `None` if it does not say.
        buffer: Option<u32>,
        /// The time that one such buffer lasts, which is the least that a frame takes from the mixer to
        /// the ear; 0 if the device does not say. What the system and the device add is not known.
        latency: Duration,
    },
    /// The sound goes nowhere at present. Time passes at the right pace all the same, plays end when
    /// they would, and the sound comes back when there is a device. This is also the state of a mixer
    /// that was opened in a build without the feature `device`.
    #[non_exhaustive]
    Silent {
        /// The reason, as a text for people: the last error of the device, or what was found wrong.
        why: String,
    },
    /// The browser lets no page be heard before its player has clicked, tapped or pressed a key. Time passes
    /// meanwhile, and the sound fades in on the first of these: a title screen may wait for it.
    WaitingForGesture,
    /// The sound goes to whoever calls the [`Renderer`](crate::Renderer) of
    /// [`Mixer::offline`](crate::Mixer::offline).
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
            OutputState::WaitingForGesture => write!(f, "waiting for a click, a tap or a key"),
            OutputState::Offline => write!(f, "offline"),
        }
    }
}

/// One play, as the audio side saw it when the snapshot was taken.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VoiceInfo {
    /// The play that this row is about.
    pub voice: VoiceId,
    /// The number of the voice that it has, from 0 on, if it has one.
    pub slot: Option<usize>,
    /// The tag of the play.
    pub tag: u64,
    /// The name of the sound that it plays.
    pub name: Arc<str>,
    /// The bus through which it plays.
    pub bus: BusId,
    /// What it is doing.
    pub state: VoiceState,
    /// Where in the sound it is, in the sound's own time.
    pub position: Duration,
    /// How much it would be missed, linear: the K-weighted level of what it has still to play, the
    /// near counting more (what lies 200 ms off by a third), times every gain between it and the
    /// ear. A steady tone's is its loudness. See [`to_db`](crate::to_db).
    pub level: f32,
    /// Its own gain at that moment, linear; a bus's or a fade is not in it, nor what was
    /// [merged](crate::Cue::merge_within) into it.
    pub gain: f32,
    /// Its pan at that moment, from -1 (left) to 1 (right).
    pub pan: f32,
    /// The priority of the play.
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
