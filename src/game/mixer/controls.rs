//! What can be said to a play, to a bus, or to all plays with a tag.

use std::time::Duration;

use super::Mixer;
use crate::Error;
use crate::bus::BusId;
use crate::config::WhenFull;
use crate::event::VoiceId;
use crate::link::message::Change;
use crate::play::{
    sanitize_gain, sanitize_high_pass, sanitize_low_pass, sanitize_pan, sanitize_speed,
};
use crate::reverb::RoomId;
use crate::target::Target;
use crate::units;

impl Mixer {
    /// Ends a play, all plays on a bus, or all with a tag, with a fade, which is never shorter than
    /// 5 ms. A second stop with a shorter fade hurries the first; it never makes it longer.
    ///
    /// What cannot be heard ends at once, whatever the fade: a play that is parked, that waits for its
    /// frame, or that is [paused](Mixer::pause), by itself or with its bus. So a paused game can be
    /// left without a sound.
    ///
    /// The fade is a straight line. What goes out while another comes in is a
    /// [cross-fade](Mixer::crossfade), which has a curve of its own. What was to play
    /// [after](crate::Play::after) a play that is stopped ends with it.
    ///
    /// A bus is stopped once: what is played on it later plays.
    pub fn stop(&self, target: impl Into<Target>, fade: Duration) {
        self.change(target, Change::Stop { fade: self.short_frames(fade) });
    }

    /// Lets a play, everything on a bus, or all plays with a tag stand still: they fade out, while
    /// their time goes on, and then stop where they are until they are [resumed](Mixer::resume). Where
    /// anything is heard, the fade is never shorter than 5 ms; where nothing is, the pause comes at
    /// once, whatever the fade. A second pause with a shorter fade hurries the first; it never makes
    /// it longer.
    ///
    /// A play and its buses are paused each for themselves: it moves when none of them is.
    ///
    /// - A play that comes on a paused bus gets a voice as any other, waits in it, and begins with its
    ///   first frame when the bus is resumed.
    /// - A play that waits for its frame and is paused itself starts paused. A
    ///   [delay](crate::Play::delay) stands still with its bus.
    /// - To [stop](Mixer::stop) what is paused ends it at once.
    /// - What is paused is not heard, so in a full pool its voice is the first to be taken. Nothing is
    ///   lost by that: the play parks ([`Parking::Paused`](crate::Parking::Paused)) while there is
    ///   room, and comes back where it stood.
    pub fn pause(&self, target: impl Into<Target>, fade: Duration) {
        self.change(target, Change::Pause { fade: self.short_frames(fade) });
    }

    /// Lets what was [paused](Mixer::pause) go on where it stood, faded in. The fade is as there: at
    /// least 5 ms where anything was heard before, none where nothing was, and a second resume with a
    /// shorter fade hurries the first.
    pub fn resume(&self, target: impl Into<Target>, fade: Duration) {
        self.change(target, Change::Resume { fade: self.short_frames(fade) });
    }

    /// Mutes a play, a bus, or all plays with a tag, or opens them again, over 5 ms. Time goes on
    /// meanwhile, and the gain is kept: [`set_gain`](Mixer::set_gain) works beneath a mute and is heard
    /// once it is gone. A play that waits for its frame and is muted starts muted.
    ///
    /// What is muted cannot be heard, and is treated like anything else that cannot: in a full pool it
    /// gives its voice up first, and a newcomer on a muted bus parks and robs nobody.
    pub fn set_mute(&self, target: impl Into<Target>, mute: bool) {
        self.change(target, Change::Mute(mute));
    }

    /// Ends the loop of a play, of all plays on a bus, or of all with a tag: each goes on from where
    /// it is, past the end of its loop to the end of its sound, and is then
    /// [finished](crate::Ending::Finished). A play that waits for its frame will play once. What does
    /// not loop is not touched, nor is what comes on the bus later.
    ///
    /// ```
    /// # use voicepool::{Config, Mixer, Play, Sound, secs};
    /// # let (mixer, _renderer) = Mixer::offline(Config::DEFAULT)?;
    /// # let song = Sound::from_mono(1, &[0.1; 60])?;
    /// // An intro of 4 s, a loop up to 50 s, and behind it the ending.
    /// let music = mixer.play(Play::of(&song).loop_range(secs(4.0)..secs(50.0)));
    /// // The level is won:
    /// mixer.end_loop(music);
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    pub fn end_loop(&self, target: impl Into<Target>) {
        self.change(target, Change::EndLoop);
    }

    /// Changes the gain of a play, of a bus, or of all plays with a tag, over a time that is never
    /// shorter than 5 ms where anything is heard. Gains are linear, from 0 (silence) to 1000, and
    /// those of a play, its bus and the master multiply. [`db`](crate::db) converts decibels,
    /// [`fader`](crate::fader) the position of a slider; what is below 0 is silence, as is NaN.
    #[doc(alias = "volume")]
    pub fn set_gain(&self, target: impl Into<Target>, linear: f32, over: Duration) {
        let change = Change::Gain { to: sanitize_gain(linear), over: self.short_frames(over) };
        self.change(target, change);
    }

    /// Changes the pan of a play, or of all plays with a tag, over a time that is never shorter than
    /// 5 ms where anything is heard: from -1 (left) to 1 (right). A bus has none, so there it does
    /// nothing.
    pub fn set_pan(&self, target: impl Into<Target>, left_to_right: f32, over: Duration) {
        let change = Change::Pan { to: sanitize_pan(left_to_right), over: self.short_frames(over) };
        let target = target.into();
        if !matches!(target, Target::Bus(_)) {
            self.change(target, change);
        }
    }

    /// Changes the speed of a play, of a bus, or of all plays with a tag, over a time: a ratio from 0.01 to
    /// 100. Where it comes back to the sound's own, and the sound has the mixer's rate, it comes back to
    /// the sound's own samples, bit for bit.
    ///
    /// The speed of a bus is slow motion for all below it: the speeds of a play, of its bus and of those that
    /// lead to the master multiply, and a [delay](crate::Play::delay) takes as much longer.
    #[doc(alias("pitch", "playback_rate"))]
    pub fn set_speed(&self, target: impl Into<Target>, ratio: f32, over: Duration) {
        let change = Change::Speed { to: sanitize_speed(ratio), over: self.short_frames(over) };
        self.change(target, change);
    }

    /// Takes the treble away from a play, a bus, or all plays with a tag, above a cut-off in Hz: what is
    /// behind a wall, under water, behind the pause menu. It is 3 dB down at the cut-off and falls by 12 dB
    /// an octave. From 20 to 20,000, and 20,000 is off; what is beyond is brought to the nearest of these,
    /// and NaN is off.
    ///
    /// The cut-off moves evenly in octaves, over a time that is never shorter than 5 ms where anything is
    /// heard, and upwards never shorter than 2.5 ms an octave: faster, a sine would step. Off, it costs nothing and every bit is the sound's own. A bus filters what it and all below it
    /// play together; the filters of a play and of its buses follow each other.
    ///
    /// ```
    /// # use voicepool::{BusId, Config, Mixer, ms};
    /// # let (mixer, _renderer) = Mixer::offline(Config::DEFAULT)?;
    /// const WORLD: BusId = BusId::new(1);
    /// mixer.set_low_pass(WORLD, 600.0, ms(300)); // head under water
    /// mixer.set_low_pass(WORLD, 20_000.0, ms(300)); // and out again
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    #[doc(alias("lowpass", "muffle"))]
    pub fn set_low_pass(&self, target: impl Into<Target>, hz: f32, over: Duration) {
        let change = Change::LowPass { to: sanitize_low_pass(hz), over: self.short_frames(over) };
        self.change(target, change);
    }

    /// Takes the bass away from a play, a bus, or all plays with a tag, below a cut-off in Hz: a telephone, a
    /// small radio. From 20 to 20,000, and 20 is off; all else is as at
    /// [`set_low_pass`](Mixer::set_low_pass).
    #[doc(alias = "highpass")]
    pub fn set_high_pass(&self, target: impl Into<Target>, hz: f32, over: Duration) {
        let change = Change::HighPass { to: sanitize_high_pass(hz), over: self.short_frames(over) };
        self.change(target, change);
    }

    /// Changes how much of a play, of a bus, or of all plays with a tag a room gets, over a time that is
    /// never shorter than 5 ms where anything is heard: linear, from 0 (nothing) to 1000. What is beyond is
    /// brought to the nearest of these, and NaN is 0.
    ///
    /// What is sent is what is heard: after the gain and the filters of the play or the bus, and with every
    /// gain on its way but the master's. The rooms return into the master, so the master sends to none: there
    /// it does nothing. [`set_reverb`](Mixer::set_reverb) says how a room sounds; before that, nothing is
    /// heard of it.
    #[doc(alias("reverb", "aux"))]
    pub fn set_send(&self, target: impl Into<Target>, room: RoomId, linear: f32, over: Duration) {
        let target = target.into();
        if target != Target::Bus(BusId::MASTER) {
            let (to, over) = (sanitize_gain(linear), self.short_frames(over));
            self.change(target, Change::Send { room, to, over });
        }
    }

    /// Jumps to a place in the sound that a play plays, softly. Beyond its loop's end it plays out
    /// once; past the sound's end, the play is finished.
    pub fn seek(&self, voice: impl Into<Option<VoiceId>>, to: Duration) {
        let Some(voice) = voice.into() else { return };
        self.with_ledger(|ledger| {
            if let Some(rate) = ledger.sound_rate(voice) {
                let to = units::short_frames(to, rate);
                ledger.change(voice.into(), Change::Seek { to });
            }
        });
    }

    /// Ends every play there is with a fade, also those that wait, and none that comes after. It
    /// overtakes the queue, so it works when nothing else does.
    pub fn stop_all(&self, fade: Duration) {
        let fade = self.short_frames(fade);
        self.with_ledger(|ledger| ledger.stop_all(fade));
    }

    /// Makes the pool larger or smaller, for another scene. Growing loses nobody; shrinking lets
    /// the quietest go, and waits for those who are protected.
    ///
    /// While another resize is under way, or the queue has no room, the latest wish waits as every
    /// other control does. It is sent when the mixer is next touched after that.
    ///
    /// # Errors
    ///
    /// If it can never be, [`Error::Resize`]: no voices, more than
    /// [`Config::max_voices`](crate::Config::max_voices), fewer than the buses have
    /// [reserved](crate::Bus::reserved), or no renderer any more.
    pub fn resize(&self, voices: usize) -> Result<(), Error> {
        self.with_ledger(|ledger| ledger.resize(voices))
    }

    /// Changes the answer to a full pool, from the next play on.
    pub fn set_when_full(&self, when_full: WhenFull) {
        self.with_ledger(|ledger| ledger.set_when_full(when_full));
    }

    fn change(&self, target: impl Into<Target>, change: Change) {
        let target = target.into();
        self.with_ledger(|ledger| ledger.change(target, change));
    }

    pub(super) fn short_frames(&self, time: Duration) -> u32 {
        units::short_frames(time, self.sample_rate())
    }

    /// Chooses the output device while the mixer plays, by its name in [`devices`](crate::devices).
    /// `None`, the default of [`Config::device`](crate::Config::device), is the system's default device.
    ///
    /// The call returns at once. The sound plays on where it is until the other device is open, then
    /// fades out there within 10 ms and in here within 10 ms; [`output`](Mixer::output) and
    /// [`Event::Output`](crate::Event::Output) tell when it has gone over. The same rules hold as for
    /// [`Config::device`](crate::Config::device): while there is no device of that name, or it cannot be opened, the default
    /// plays, and the sound goes over to the named device when it is there. Of several choices in a
    /// row the latest counts. A mixer without a device of its own ([`Mixer::offline`], or a build
    /// without the feature `device`) takes the choice and does nothing.
    ///
    /// ```no_run
    /// use voicepool::{Config, Mixer, devices};
    ///
    /// let mixer = Mixer::open(Config::DEFAULT)?;
    /// if let Some(device) = devices().iter().find(|device| device.name.contains("Headphones")) {
    ///     mixer.set_device(Some(&device.name));
    /// }
    /// mixer.set_device(None); // back to the system's default
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    pub fn set_device(&self, name: Option<&str>) {
        self.shared.bridge.choose_device(name.map(str::to_owned));
    }
}
