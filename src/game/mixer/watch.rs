//! What can be asked.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use super::Mixer;
use crate::event::VoiceId;
use crate::game::event_queue::EventQueue;
use crate::game::events::Events;
use crate::stats::{OutputState, Stats, VoiceInfo};
use crate::units;

impl Mixer {
    /// Whether a play has not ended yet.
    #[must_use]
    pub fn is_live(&self, voice: impl Into<Option<VoiceId>>) -> bool {
        let Some(voice) = voice.into() else { return false };
        self.with_ledger(|ledger| ledger.is_live(voice))
    }

    /// Where in its sound a play is, in the sound's own time, and the frame of the
    /// [clock](Mixer::clock) on which it was there: for the beat of music, for lips that move, for a
    /// bar that shows how much is left.
    ///
    /// It is as the audio thread last saw it, some milliseconds ago, so that the frame is needed to
    /// know where it is by now. Asking orders the next look; while nobody asks, none is taken. `None`
    /// means that the play is not live, or was not looked at yet: the first answer always is. What
    /// waits for its frame is where it will begin, what is paused or parked where it has come to.
    ///
    /// However many plays are asked for, each takes the same few steps.
    pub fn position(&self, voice: impl Into<Option<VoiceId>>) -> Option<(Duration, u64)> {
        let voice = voice.into()?;
        self.with_ledger(|ledger| ledger.position(voice))
    }

    /// What happened since events were last asked for. All clones of a mixer share one queue; who
    /// asks first gets it. No lock is held between two of them, so a handler may do anything. What one
    /// leaves unread comes back in its order, for whoever asks next; another that is being read at
    /// that moment may get it after later ones.
    ///
    /// The queue holds as many as [`Config::commands`](crate::Config::commands); then the oldest make
    /// room, and [`Stats::missed_events`] counts them.
    ///
    /// ```
    /// # use voicepool::{Config, Event, Mixer, Sound};
    /// # let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT)?;
    /// # mixer.play(Sound::from_mono(48_000, &[0.1; 480])?.named("coin"));
    /// # renderer.frames(480);
    /// for event in mixer.events() {
    ///     if let Event::Ended { name, why, .. } = event {
    ///         println!("{name} ended: {why:?}");
    ///     }
    /// }
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    pub fn events(&self) -> Events {
        Events::new(self.clone(), self.with_ledger(|ledger| ledger.events().until()))
    }

    /// Something with the queue of events, and no more: what came back is not entered.
    pub(in crate::game) fn with_events<R>(&self, act: impl FnOnce(&mut EventQueue) -> R) -> R {
        act(self.lock().events())
    }

    /// What the mixer has counted: plays by what became of them, voices, peaks, the load.
    pub fn stats(&self) -> Stats {
        self.with_ledger(|ledger| ledger.stats())
    }

    /// Begins the peaks anew: the highest output, the most voices, the loudest losses, the largest
    /// load.
    pub fn reset_peaks(&self) {
        self.with_ledger(|ledger| ledger.reset_peaks());
    }

    /// A picture of every play, as the audio side last drew it; asking orders the next one, so the
    /// first answer is empty. While nobody asks, none is drawn.
    pub fn voices(&self) -> Vec<VoiceInfo> {
        self.with_ledger(|ledger| ledger.voices())
    }

    /// Where the sound goes.
    #[must_use]
    pub fn output(&self) -> OutputState {
        self.shared.bridge.output()
    }

    /// How many frames were handed out: the time that [`Play::start_at`](crate::Play::start_at) speaks
    /// of. It never stands still. The mixer is ahead of it by up to two lines of its grid (5.3 ms at
    /// 48 kHz): what is said now is heard that much later, and an [`Event`](crate::Event) may tell of
    /// a frame that lies as far ahead.
    #[must_use]
    pub fn clock(&self) -> u64 {
        self.shared.bridge.meters.clock.load(Relaxed)
    }

    /// How many frames the mixer makes in a second. It never changes; with
    /// [`open`](Mixer::open) it is the first device's.
    #[must_use]
    pub fn sample_rate(&self) -> u32 {
        self.shared.rate
    }

    /// How many frames of this mixer's last that long, to the nearest: for
    /// [`Play::start_at`](crate::Play::start_at), at whatever rate the device has.
    ///
    /// ```
    /// # use voicepool::{Config, Mixer, ms};
    /// let config = Config { sample_rate: 44_100, ..Config::DEFAULT };
    /// let (mixer, _renderer) = Mixer::offline(config)?;
    /// assert_eq!(mixer.frames(ms(100)), 4410);
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    #[must_use]
    pub fn frames(&self, time: Duration) -> u64 {
        units::frames(time, self.shared.rate)
    }
}
