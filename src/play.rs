//! A request to play a sound, and the names by which playing things are controlled.

use std::ops::{Bound, RangeBounds};
use std::time::Duration;

use crate::config::WhenFull;
use crate::event::VoiceId;
use crate::link::message::{Loop, Request, Start};
use crate::sound::Sound;
use crate::units::{frames, short_frames};

/// A request to play a [`Sound`]: what, how loud, where, from when. A template, too: cloning one
/// is cheap, and [`Mixer::play`](crate::Mixer::play) takes it by reference.
///
/// ```
/// use voicepool::{Play, Priority, Sound, ms};
///
/// let step = Sound::from_mono(48_000, &[0.5; 480])?;
/// let quiet_step = Play::of(&step).gain(0.25).pan(-0.5).priority(Priority::Low);
/// let one_later = quiet_step.clone().delay(ms(250)).speed(1.1);
/// # Ok::<(), voicepool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Play {
    pub(crate) sound: Sound,
    pub(crate) settings: Settings,
}

/// All that a request says beside the sound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub gain: f32,
    pub pan: f32,
    pub speed: f32,
    pub looping: Option<Loop>,
    /// In the sound's own frames.
    pub position: u32,
    pub fade_in: Duration,
    pub start: When,
    pub priority: Priority,
    pub when_stolen: Option<WhenStolen>,
    pub bus: BusId,
    pub tag: u64,
}

/// When a play begins.
#[derive(Clone, Copy, Debug)]
pub(crate) enum When {
    Now,
    At(u64),
    After(Duration),
}

impl Play {
    /// Plays a sound once, from its beginning, as it is.
    pub fn of(sound: &Sound) -> Play {
        Play { sound: sound.clone(), settings: Settings::DEFAULT }
    }

    /// How loud: 1 is as it is; 0 to 1000. See [`db`](crate::db).
    #[doc(alias = "volume")]
    pub fn gain(self, linear: f32) -> Play {
        self.with(|settings| settings.gain = sanitize_gain(linear))
    }

    /// From -1 (left) to 1 (right). At 0 a sound passes untouched; the power stays the same.
    pub fn pan(self, left_to_right: f32) -> Play {
        self.with(|settings| settings.pan = sanitize_pan(left_to_right))
    }

    /// How fast, and so how high: 2 is an octave up; 0.01 to 100. See
    /// [`semitones`](crate::semitones).
    #[doc(alias("pitch", "playback_rate"))]
    pub fn speed(self, ratio: f32) -> Play {
        self.with(|settings| settings.speed = sanitize_speed(ratio))
    }

    /// Repeats the whole sound until it is stopped. What is seamless at the sound's own rate stays
    /// so when it is [resampled](Sound::resampled), as [`Mixer::load`](crate::Mixer::load) does.
    pub fn looping(self) -> Play {
        self.loop_range(..)
    }

    /// Repeats a part of the sound until it is stopped: `secs(4.0)..` is an intro of four
    /// seconds, then a loop. An empty range is the whole sound. The whole turns as
    /// [`looping`](Play::looping) says, a part from its last frame to its first.
    pub fn loop_range(self, range: impl RangeBounds<Duration>) -> Play {
        const TICK: Duration = Duration::from_nanos(1);
        let (rate, clip) = (self.sound.sample_rate(), self.sound.frame_count() as u32);
        let start = match range.start_bound() {
            Bound::Included(start) => short_frames(*start, rate),
            Bound::Excluded(start) => short_frames(start.saturating_add(TICK), rate),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(end) => short_frames(end.saturating_add(TICK), rate).min(clip),
            Bound::Excluded(end) => short_frames(*end, rate).min(clip),
            Bound::Unbounded => clip,
        };
        let (start, end) = if start < end { (start, end) } else { (0, clip) };
        let seam = self.sound.seam().map(|seam| seam.turns);
        let seam = seam.filter(|turns| start == turns.start && end >= turns.end);
        let turns = seam.unwrap_or(Loop { start, end, seam: 0 });
        self.with(|settings| settings.looping = Some(turns))
    }

    /// Begins in the middle of the sound.
    pub fn from_position(self, position: Duration) -> Play {
        let position = short_frames(position, self.sound.sample_rate());
        self.with(|settings| settings.position = position)
    }

    /// Fades in from silence.
    pub fn fade_in(self, over: Duration) -> Play {
        self.with(|settings| settings.fade_in = over)
    }

    /// Begins on a frame of [`Mixer::clock`](crate::Mixer::clock), exactly. A frame that is already
    /// past, or mixed already (up to two lines of the grid, 5.3 ms at 48 kHz), means as soon as
    /// possible.
    pub fn start_at(self, frame: u64) -> Play {
        self.with(|settings| settings.start = When::At(frame))
    }

    /// Begins this long after the audio thread has heard of it.
    pub fn delay(self, by: Duration) -> Play {
        self.with(|settings| settings.start = When::After(by))
    }

    /// Who may steal this voice, and whose voice it may steal.
    pub fn priority(self, priority: Priority) -> Play {
        self.with(|settings| settings.priority = priority)
    }

    /// What becomes of it when its voice is stolen.
    pub fn when_stolen(self, then: WhenStolen) -> Play {
        self.with(|settings| settings.when_stolen = Some(then))
    }

    /// Plays through a bus.
    pub fn bus(self, bus: BusId) -> Play {
        self.with(|settings| settings.bus = bus)
    }

    /// A number of your own, that comes back with the ending of this play, and with that of a play
    /// it steals from.
    pub fn tag(self, tag: u64) -> Play {
        self.with(|settings| settings.tag = tag)
    }

    fn with(mut self, change: impl FnOnce(&mut Settings)) -> Play {
        change(&mut self.settings);
        self
    }
}

impl Settings {
    /// Once, from the beginning, as it is.
    const DEFAULT: Settings = Settings {
        gain: 1.0,
        pan: 0.0,
        speed: 1.0,
        looping: None,
        position: 0,
        fade_in: Duration::ZERO,
        start: When::Now,
        priority: Priority::Normal,
        when_stolen: None,
        bus: BusId::MASTER,
        tag: 0,
    };

    /// The same in the audio side's terms, for a mixer that runs at `rate`.
    pub(crate) fn request(
        &self,
        sound: u64,
        ticket: u32,
        when_full: WhenFull,
        rate: u32,
    ) -> Request<u64> {
        Request {
            sound,
            ticket,
            gain: self.gain,
            pan: self.pan,
            speed: self.speed,
            position: self.position,
            looping: self.looping,
            fade_in: short_frames(self.fade_in, rate),
            start: match self.start {
                When::Now => Start::After(0),
                When::At(frame) => Start::At(frame),
                When::After(by) => Start::After(frames(by, rate)),
            },
            priority: self.priority,
            bus: self.bus,
            park: match self.when_stolen {
                None => self.looping.is_some(),
                Some(then) => then == WhenStolen::Park,
            },
            when_full,
            paused: false,
            muted: false,
        }
    }
}

impl From<&Sound> for Play {
    fn from(sound: &Sound) -> Play {
        Play::of(sound)
    }
}

impl From<&Play> for Play {
    fn from(template: &Play) -> Play {
        template.clone()
    }
}

/// Gains below this, -160 dB, are silence: products of them stay clear of denormal numbers.
const LEAST_GAIN: f32 = 1e-8;

/// NaN is 0.
pub(crate) fn sanitize_gain(gain: f32) -> f32 {
    if gain >= LEAST_GAIN { gain.min(1000.0) } else { 0.0 }
}

/// NaN is the centre.
pub(crate) fn sanitize_pan(pan: f32) -> f32 {
    if pan.is_nan() { 0.0 } else { pan.clamp(-1.0, 1.0) }
}

/// NaN is the sound's own speed.
pub(crate) fn sanitize_speed(speed: f32) -> f32 {
    if speed.is_nan() { 1.0 } else { speed.clamp(0.01, 100.0) }
}

/// Who gives way to whom. A play may steal from its own priority and from those below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// Footsteps, sparkles: the first to go.
    Low,
    /// Most things.
    #[default]
    Normal,
    /// What the player must hear.
    High,
    /// Music and speech: never stolen.
    Protected,
}

/// What becomes of a play that must do without a voice: because its voice is stolen, because the pool
/// shrinks, or because it finds every voice taken and nobody to rob. Whoever is paused or cannot be
/// heard parks in any case, if there is room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WhenStolen {
    /// It ends. What one-shots do, unless told otherwise.
    End,
    /// It goes on in silence, and is heard again when a voice is free, or when it has become much
    /// louder than somebody who plays. What loops do, unless told otherwise.
    Park,
}

/// One of the sixteen buses. Each has a gain, can be paused and stopped, and leads to the
/// master, which is bus 0.
///
/// ```
/// use voicepool::BusId;
/// const MUSIC: BusId = BusId::new(1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BusId(u8);

impl BusId {
    /// The whole: what is said to it is said to every sound.
    pub const MASTER: BusId = BusId(0);

    /// How many there are.
    pub const COUNT: usize = 32;

    /// Bus `n`, from 0 (the master) to 15. What is beyond is bus 15.
    pub const fn new(n: u8) -> BusId {
        BusId(if n < BusId::COUNT as u8 { n } else { BusId::COUNT as u8 - 1 })
    }

    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    pub(crate) fn from_index(index: u32) -> Option<BusId> {
        u8::try_from(index).ok().filter(|n| usize::from(*n) < BusId::COUNT).map(BusId)
    }

    /// All of them, in the order of their numbers.
    pub(crate) fn all() -> impl Iterator<Item = BusId> {
        (0..BusId::COUNT as u8).map(BusId)
    }
}

/// What a control is meant for: one voice, all of a bus, or (a play that was turned away) nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// One voice.
    Voice(VoiceId),
    /// Everything on a bus.
    Bus(BusId),
    /// Nothing.
    Nothing,
}

impl From<VoiceId> for Target {
    fn from(voice: VoiceId) -> Target {
        Target::Voice(voice)
    }
}

impl From<Option<VoiceId>> for Target {
    fn from(voice: Option<VoiceId>) -> Target {
        voice.map_or(Target::Nothing, Target::Voice)
    }
}

impl From<BusId> for Target {
    fn from(bus: BusId) -> Target {
        Target::Bus(bus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absurd_values_are_sanitized_at_the_door() {
        assert_eq!([f32::NAN, -1.0, 1e-9, 1e9].map(sanitize_gain), [0.0, 0.0, 0.0, 1000.0]);
        assert_eq!([f32::NAN, -9.0, f32::INFINITY].map(sanitize_pan), [0.0, -1.0, 1.0]);
        assert_eq!([f32::NAN, 0.0, f32::INFINITY].map(sanitize_speed), [1.0, 0.01, 100.0]);
        assert_eq!(BusId::new(200), BusId::new(31));
    }
}
