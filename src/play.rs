//! A request to play a sound.

mod settings;

use std::ops::RangeBounds;
use std::time::Duration;

use crate::bus::BusId;
use crate::cue::Cue;
use crate::event::VoiceId;
use crate::link::message::{HIGH_PASS_OFF, LOW_PASS_OFF};
use crate::log_line::OnceLine;
use crate::reverb::RoomId;
use crate::sound::{Media, Sound, Stream};
use crate::space::{Attenuation, Point};
use crate::units::db;
use settings::{LoopTimes, Set, When};

pub(crate) use settings::{Settings, Terms};

/// A request to play something: what, how loud, where, from when. [`Mixer::play`](crate::Mixer::play)
/// carries it out; until then nothing happens.
///
/// It is a template, too: to clone one is cheap, and `Mixer::play` takes it by reference.
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
#[must_use = "a request is not heard before a mixer plays it"]
pub struct Play {
    pub(crate) what: What,
    pub(crate) settings: Settings,
}

/// What is played.
#[derive(Clone, Debug)]
pub(crate) enum What {
    Media(Media),
    Cue(Cue),
}

impl Play {
    /// Plays a sound once, from its beginning, as it is: at a gain of 1, in the centre, at its own
    /// speed, at once, on the master, with [`Priority::Normal`] (a stream: [`Priority::Protected`]) and no
    /// tag.
    ///
    /// It takes anything that can be played, by reference or by value: a [`Sound`], a [`Stream`], a [`Cue`], or
    /// another request, of which it is a copy. What is set on a request for a cue comes on top of what its variants
    /// say: gain and speed multiply theirs, all else takes their place.
    pub fn of(what: impl Into<Play>) -> Play {
        what.into()
    }

    /// How loud it is: a linear gain from 0 (silence) to 1000, 1 unless told otherwise. What is
    /// beyond is brought to the nearest of these, and NaN is silence.
    ///
    /// Decibels are converted by [`db`](crate::db), the position of a slider by
    /// [`fader`](crate::fader): `gain(db(-6.0))` is half as high, while `gain(-6.0)` is below 0 and
    /// so silence. (The first such gain in a process is logged as a warning.)
    #[doc(alias = "volume")]
    pub fn gain(self, linear: f32) -> Play {
        self.with(|settings| settings.gain = sanitize_gain(linear))
    }

    /// Where it is heard, from -1 (left) to 1 (right), 0 unless told otherwise. What is beyond is
    /// brought to the nearest of these, and NaN is the centre.
    ///
    /// The power stays the same: at 0 a sound passes untouched, hard to a side that side is
    /// √2 as high and the other silent.
    pub fn pan(self, left_to_right: f32) -> Play {
        self.set(Set::PAN, |settings| settings.pan = sanitize_pan(left_to_right))
    }

    /// How fast it plays, and so how high: a ratio from 0.01 to 100, 1 unless told otherwise; 2 is
    /// an octave up. What is beyond is brought to the nearest of these, and NaN is 1. See
    /// [`semitones`](crate::semitones).
    #[doc(alias("pitch", "playback_rate"))]
    pub fn speed(self, ratio: f32) -> Play {
        self.with(|settings| settings.speed = sanitize_speed(ratio))
    }

    /// Repeats the sound until it is stopped, or until its [loop is ended](crate::Mixer::end_loop): between the
    /// [loop points](Sound::loop_points) that its file has, or all of it if there are none. What is seamless
    /// at the sound's own rate stays so when it is [resampled](Sound::resampled), as
    /// [`Mixer::load`](crate::Mixer::load) does.
    pub fn looping(self) -> Play {
        self.with_loop(LoopTimes::Own)
    }

    /// Repeats a part of the sound, whatever its own loop points are: `secs(4.0)..` is an intro of four seconds, then
    /// a loop; `..`, or an empty range, is the whole sound. The part that [`looping`](Play::looping) would
    /// repeat turns as that says, any other from its last frame to its first.
    pub fn loop_range(self, range: impl RangeBounds<Duration>) -> Play {
        self.with_loop(LoopTimes::of(range))
    }

    fn with_loop(self, times: LoopTimes) -> Play {
        self.set(Set::LOOPING, |settings| settings.looping = Some(times))
    }

    /// Begins in the middle of the sound, softly. Beyond its loop's end it plays out once; beyond the
    /// sound's end the play finishes as soon as it begins.
    pub fn from_position(self, position: Duration) -> Play {
        self.set(Set::POSITION, |settings| settings.position = position)
    }

    /// Fades in from silence over this time, on a straight line. Unless told otherwise it does not: the
    /// sound's first frame is heard as its author made it. What comes in while another goes out is a
    /// [cross-fade](crate::Mixer::crossfade), which has a curve of its own.
    pub fn fade_in(self, over: Duration) -> Play {
        self.set(Set::FADE_IN, |settings| settings.fade_in = over)
    }

    /// Begins on a frame of [`Mixer::clock`](crate::Mixer::clock), exactly. A frame that is already
    /// past, or mixed already (up to two lines of the grid, 5.3 ms at 48 kHz), means as soon as
    /// possible. [`Mixer::frames`](crate::Mixer::frames) makes frames of a time.
    ///
    /// The clock never stands still: a bus that is paused does not put the start off. Of
    /// `start_at`, [`delay`](Play::delay) and [`after`](Play::after) the one that was said last counts.
    ///
    /// ```
    /// # use voicepool::{Config, Mixer, Play, Sound, ms};
    /// # let (mixer, _renderer) = Mixer::offline(Config::DEFAULT)?;
    /// # let tick = Sound::from_mono(48_000, &[0.1; 480])?;
    /// // Four ticks, half a second apart, whatever the rate of the device.
    /// let first = mixer.clock() + mixer.frames(ms(100));
    /// for beat in 0..4 {
    ///     mixer.play(Play::of(&tick).start_at(first + mixer.frames(ms(500 * beat))));
    /// }
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    pub fn start_at(self, frame: u64) -> Play {
        self.set(Set::START, |settings| settings.start = When::At(frame))
    }

    /// Begins this long after the audio thread has heard of it, in the time of its bus: while the
    /// bus (or the master) is paused, the delay stands still, so that a burst that is paused half-way
    /// goes on as a burst. Of [`start_at`](Play::start_at), `delay` and [`after`](Play::after) the one that was
    /// said last counts.
    pub fn delay(self, by: Duration) -> Play {
        self.set(Set::START, |settings| settings.start = When::After(by))
    }

    /// Begins on the very frame on which another play finishes, in its very voice: an intro, and then its
    /// loop; one line of a dialogue after the other; a playlist. The last frame of the one is followed by the
    /// first of the other, whatever their lengths and speeds, and a paused one is waited for.
    ///
    /// ```
    /// # use voicepool::{Config, Mixer, Play, Sound};
    /// # let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT)?;
    /// # let [intro, theme, end] = [0.1, 0.2, 0.3].map(|level| Sound::from_mono(48_000, &[level; 100]));
    /// # let (intro, theme, end) = (intro?, theme?, end?);
    /// let first = mixer.play(&intro);
    /// let loops = mixer.play(Play::of(&theme).looping().after(first));
    /// mixer.play(Play::of(&end).after(loops));
    /// # let frames = renderer.frames(1000);
    /// # assert_eq!((frames[99][0], frames[100][0], frames[999][0]), (0.1, 0.2, 0.2));
    /// mixer.end_loop(loops); // once more to its end, and then the end
    /// # let frames = renderer.frames(1000);
    /// # assert!(frames.iter().any(|frame| frame[0] == 0.3));
    ///
    /// // A list that is played one by one: the first after nobody.
    /// let mut last = None;
    /// for track in [&intro, &theme, &end] {
    ///     last = mixer.play(Play::of(track).after(last));
    /// }
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    ///
    /// What it waits for is that the other *finishes*, which a loop does after [`end_loop`](crate::Mixer::end_loop):
    ///
    /// - If the other is stopped, stolen or refused, this one ends as
    ///   [`Stopped`](crate::Ending::Stopped): a stop of the first, from when it is said, is a stop of the whole
    ///   chain.
    /// - If it has finished already, this one begins at once. So it does after `None`, a play that was turned
    ///   away, and after one that is over for so long that nothing is known of it any more: its place in the
    ///   mixer's books was given to two others since.
    /// - After what was never a play of this mixer it is refused ([`Refusal::Stranger`](crate::Refusal::Stranger)).
    ///
    /// Until then it waits as one with a [delay](Play::delay) does, among
    /// [`Config::scheduled`](crate::Config::scheduled) others: a stop ends it unheard, what is set is set for when
    /// it begins, a pause lets it begin paused, and [`Event::Started`](crate::Event::Started) says that it
    /// has begun.
    ///
    /// It gets the other's voice, so that it robs nobody and no full pool keeps it out. Its cue is asked all the
    /// same, and so are the limits and reserves of the buses if it plays on another one; should they say no,
    /// or should it be out of earshot, it begins as any play does, on that frame. So do those that follow a
    /// play as the second and later ones, and those that follow a parked one.
    #[doc(alias("queue", "chain", "sequence", "playlist"))]
    pub fn after(self, voice: impl Into<Option<VoiceId>>) -> Play {
        let start = voice.into().map_or(When::Now, When::Follow);
        self.set(Set::START, |settings| settings.start = start)
    }

    /// Who may steal its voice, and whose voice it may steal. Unless told otherwise
    /// [`Priority::Normal`], and of a [`Stream`] [`Priority::Protected`].
    pub fn priority(self, priority: Priority) -> Play {
        self.set(Set::PRIORITY, |settings| settings.priority = priority)
    }

    /// What becomes of it when its voice is stolen. Unless told otherwise a loop parks and anything
    /// else ends.
    #[doc(alias = "virtual voice")]
    pub fn when_stolen(self, then: WhenStolen) -> Play {
        self.set(Set::WHEN_STOLEN, |settings| settings.when_stolen = Some(then))
    }

    /// Plays through a bus; unless told otherwise straight through [`BusId::MASTER`].
    #[doc(alias("channel", "group"))]
    pub fn bus(self, bus: BusId) -> Play {
        self.set(Set::BUS, |settings| settings.bus = bus)
    }

    /// Takes the treble away above a cut-off in Hz: what is behind a wall, far off, under water. It is
    /// 3 dB down at the cut-off and falls by 12 dB an octave. From 20 to 20,000, and 20,000, the default,
    /// is off; what is beyond is brought to the nearest of these, and NaN is off.
    /// [`Mixer::set_low_pass`](crate::Mixer::set_low_pass) turns it later.
    #[doc(alias("lowpass", "muffle"))]
    pub fn low_pass(self, hz: f32) -> Play {
        self.set(Set::LOW_PASS, |settings| settings.shape.low_pass = sanitize_low_pass(hz))
    }

    /// How much of it a room gets, after its gain: linear, from 0 (nothing, unless told otherwise) to
    /// 1000. What is beyond is brought to the nearest of these, and NaN is 0. Each room has a send of its
    /// own, so that a doorway can blend two. Where the room was never
    /// [set](crate::Mixer::set_reverb), nothing is heard of it.
    #[doc(alias("reverb", "aux"))]
    pub fn send(self, room: RoomId, linear: f32) -> Play {
        let set = Set::send(room);
        self.set(set, |settings| settings.shape.sends[room.index()] = sanitize_gain(linear))
    }

    /// A number of your own, 0 unless told otherwise. It comes back with every event of this play,
    /// and with that of a play it steals from. And all plays with one tag can be controlled together,
    /// see [`Tag`](crate::Tag).
    pub fn tag(self, tag: u64) -> Play {
        self.set(Set::TAG, |settings| settings.tag = tag)
    }

    /// Gives it a place: it is heard from there, as loud and as far to the side as its
    /// [attenuation](Play::attenuation) says for the [listener](crate::Mixer::set_listener), and what is
    /// out of earshot takes no voice. [`Mixer::set_position`](crate::Mixer::set_position) moves it.
    ///
    /// What has a place is a point: of a stereo sound the mean of both sides is heard. Distance multiplies
    /// every other gain, what it [sends](Play::send) to rooms too; a [pan](Play::pan) of its own multiplies
    /// that of its place.
    ///
    /// ```
    /// # use voicepool::{Config, Listener, Mixer, Play, Sound};
    /// # let (mixer, _renderer) = Mixer::offline(Config::DEFAULT)?;
    /// # let growl = Sound::from_mono(48_000, &[0.1; 480])?;
    /// mixer.set_listener(Listener::at([10.0, 0.0]));
    /// mixer.play(Play::of(&growl).at([14.0, 3.0])); // five away, to the right
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    #[doc(alias("position", "spatial", "3d"))]
    pub fn at(self, position: impl Into<Point>) -> Play {
        let position = position.into();
        self.set(Set::PLACE, |settings| settings.place = Some(position))
    }

    /// How it is heard from afar, if it has a [place](Play::at); [`Attenuation::DEFAULT`] unless told
    /// otherwise.
    #[doc(alias("distance", "rolloff", "doppler"))]
    pub fn attenuation(self, attenuation: Attenuation) -> Play {
        self.set(Set::ATTENUATION, |settings| settings.attenuation = attenuation)
    }

    /// How much lies between it and the ear when it begins, from 0 (nothing, unless told otherwise) to 1 (a
    /// wall): as [`Mixer::set_occlusion`](crate::Mixer::set_occlusion) says.
    #[doc(alias("obstruction", "muffle"))]
    pub fn occlusion(self, amount: f32) -> Play {
        let amount = sanitize_occlusion(amount);
        self.set(Set::OCCLUSION, |settings| settings.shape.occlusion = amount)
    }

    /// Sets something that takes the place of what a cue's variant says.
    fn set(self, what: Set, change: impl FnOnce(&mut Settings)) -> Play {
        self.with(|settings| {
            settings.set.add(what);
            change(settings);
        })
    }

    fn with(mut self, change: impl FnOnce(&mut Settings)) -> Play {
        change(&mut self.settings);
        self
    }
}

impl From<Sound> for Play {
    fn from(sound: Sound) -> Play {
        Play { what: What::Media(Media::Sound(sound)), settings: Settings::DEFAULT }
    }
}

impl From<&Sound> for Play {
    fn from(sound: &Sound) -> Play {
        sound.clone().into()
    }
}

impl From<Stream> for Play {
    fn from(stream: Stream) -> Play {
        let settings = Settings { priority: Priority::Protected, ..Settings::DEFAULT };
        Play { what: What::Media(Media::Stream(stream)), settings }
    }
}

impl From<&Stream> for Play {
    fn from(stream: &Stream) -> Play {
        stream.clone().into()
    }
}

impl From<Cue> for Play {
    fn from(cue: Cue) -> Play {
        Play { what: What::Cue(cue), settings: Settings::DEFAULT }
    }
}

impl From<&Cue> for Play {
    fn from(cue: &Cue) -> Play {
        cue.clone().into()
    }
}

impl From<&Play> for Play {
    fn from(template: &Play) -> Play {
        template.clone()
    }
}

/// Gains below this, -160 dB, are silence: products of them stay clear of denormal numbers.
const LEAST_GAIN: f32 = 1e-8;

/// A gain within its limits; NaN is 0. Whoever means decibels is told, once.
pub(crate) fn sanitize_gain(gain: f32) -> f32 {
    if gain < 0.0 {
        warn_of_negative_gain(gain);
    }
    if gain >= LEAST_GAIN { gain.min(1000.0) } else { 0.0 }
}

#[cold]
fn warn_of_negative_gain(gain: f32) {
    static WARNING: OnceLine = OnceLine::new();
    WARNING.warn(format_args!(
        "a gain of {gain} is below 0 and so silence; gains are linear: voicepool::db({gain:?}) is {:.3}",
        db(gain)
    ));
}

/// A pan within its limits; NaN is the centre.
pub(crate) fn sanitize_pan(pan: f32) -> f32 {
    if pan.is_nan() { 0.0 } else { pan.clamp(-1.0, 1.0) }
}

/// A speed within its limits; NaN is the sound's own.
pub(crate) fn sanitize_speed(speed: f32) -> f32 {
    if speed.is_nan() { 1.0 } else { speed.clamp(0.01, 100.0) }
}

/// The cut-off of a low-pass within its limits; NaN is off.
pub(crate) fn sanitize_low_pass(hz: f32) -> f32 {
    if hz.is_nan() { LOW_PASS_OFF } else { hz.clamp(HIGH_PASS_OFF, LOW_PASS_OFF) }
}

/// The cut-off of a high-pass within its limits; NaN is off.
pub(crate) fn sanitize_high_pass(hz: f32) -> f32 {
    if hz.is_nan() { HIGH_PASS_OFF } else { hz.clamp(HIGH_PASS_OFF, LOW_PASS_OFF) }
}

/// How much lies between a play and the ear, within its limits; NaN is nothing.
pub(crate) fn sanitize_occlusion(amount: f32) -> f32 {
    if amount > 0.0 { amount.min(1.0) } else { 0.0 }
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
#[non_exhaustive]
pub enum WhenStolen {
    /// It ends. That is what anything does that is not a loop, unless told otherwise.
    End,
    /// It goes on in silence, and is heard again when a voice is free, or when it has become much
    /// louder than somebody who plays. That is what loops do, unless told otherwise.
    Park,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absurd_values_are_sanitized_at_the_door() {
        assert_eq!([f32::NAN, -1.0, 1e-9, 1e9].map(sanitize_gain), [0.0, 0.0, 0.0, 1000.0]);
        assert_eq!([f32::NAN, -9.0, f32::INFINITY].map(sanitize_pan), [0.0, -1.0, 1.0]);
        assert_eq!([f32::NAN, 0.0, f32::INFINITY].map(sanitize_speed), [1.0, 0.01, 100.0]);
        assert_eq!([f32::NAN, -1.0, 9.0].map(sanitize_occlusion), [0.0, 0.0, 1.0]);
        let cut_offs = [f32::NAN, -1.0, 500.0, f32::INFINITY];
        assert_eq!(cut_offs.map(sanitize_low_pass), [20_000.0, 20.0, 500.0, 20_000.0]);
        assert_eq!(cut_offs.map(sanitize_high_pass), [20.0, 20.0, 500.0, 20_000.0]);
    }
}
