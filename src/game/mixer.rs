//! The mixer: play, control, and hear what became of it.

use std::any::Any;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::deferred_drops::DeferredDrops;
use super::event_queue::EventQueue;
use super::events::Events;
use super::ledger::Ledger;
use crate::Error;
use crate::config::{Config, WhenFull};
use crate::event::VoiceId;
use crate::link::Bridge;
use crate::link::message::{Change, Made};
use crate::play::{Play, Target, sanitize_gain, sanitize_pan, sanitize_speed};
use crate::sound::Sound;
use crate::stats::{OutputState, Stats, VoiceInfo};
use crate::units;

/// Plays sounds, and controls what plays. Clones are the same mixer, and any thread may use any
/// of them. Dropping the last one leaves what plays playing, for as long as it is rendered.
///
/// Nothing here waits for the audio thread, and nothing panics when there is no room: a play that
/// the queue cannot take says [`None`], a control waits and is never lost.
///
/// ```
/// use voicepool::{Config, Mixer, Play, Sound, ms};
///
/// let (mixer, mut renderer) = Mixer::offline(Config::default())?;
/// let beep = Sound::from_mono(48_000, &[0.1; 4800])?;
///
/// let voice = mixer.play(Play::of(&beep).gain(0.5).looping());
/// mixer.set_gain(voice, 1.0, ms(200));
/// let second = renderer.frames(48_000);
/// assert_eq!(second[47_999], [0.1, 0.1]);
///
/// mixer.stop(voice, ms(50));
/// renderer.frames(4800);
/// assert!(!mixer.is_live(voice));
/// # Ok::<(), voicepool::Error>(())
/// ```
#[derive(Clone)]
pub struct Mixer {
    shared: Arc<Shared>,
}

struct Shared {
    bridge: Arc<Bridge>,
    ledger: Mutex<Ledger>,
    rate: u32,
    /// What drives the renderer, and lets go of it when the last clone of the mixer is dropped.
    _driver: Option<Driver>,
}

/// Something to keep as long as the mixer lives.
pub(crate) type Driver = Box<dyn Any + Send + Sync>;

impl Drop for Shared {
    /// The last clone is gone: what waited for room in the queue goes now.
    fn drop(&mut self) {
        let ledger = self.ledger.get_mut().unwrap_or_else(PoisonError::into_inner);
        ledger.flush_all();
    }
}

/// The most that loading makes out of a frame: from 1 kHz to 384 kHz.
const MOST_GROWTH: u32 = 384;

/// Every mixer has a number of its own, so that its ids mean nothing to the others.
static MIXERS: AtomicU32 = AtomicU32::new(0);

impl Mixer {
    pub(crate) fn new(
        config: &Config,
        bridge: Arc<Bridge>,
        make_voices: fn(u32) -> Made,
        driver: Option<Driver>,
    ) -> Mixer {
        let number = MIXERS.fetch_add(1, Relaxed);
        let ledger = Mutex::new(Ledger::new(config, number, bridge.clone(), make_voices));
        let rate = config.sample_rate;
        Mixer { shared: Arc::new(Shared { bridge, ledger, rate, _driver: driver }) }
    }

    /// Loads a file, at the mixer's own rate: so it plays the fastest.
    pub fn load(&self, path: impl AsRef<Path>) -> Result<Sound, Error> {
        let sound = Sound::load(path)?;
        // What claims to be this slow is damaged or a toy: it plays as it is, but is not blown up.
        if self.sample_rate() / sound.sample_rate() > MOST_GROWTH {
            return Ok(sound);
        }
        sound.resampled(self.sample_rate())
    }

    /// Plays a sound. `None`: the queue to the audio thread has no room.
    ///
    /// ```
    /// # use voicepool::{Config, Mixer, Play, Sound};
    /// # let (mixer, _renderer) = Mixer::offline(Config::default())?;
    /// # let coin = Sound::from_mono(48_000, &[0.1; 480])?;
    /// mixer.play(&coin);                          // fire and forget
    /// mixer.play(Play::of(&coin).gain(0.5));      // with more to say
    /// let template = Play::of(&coin).pan(-1.0);
    /// mixer.play(&template);                      // again and again
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    pub fn play(&self, play: impl Into<Play>) -> Option<VoiceId> {
        self.start(play.into())
    }

    fn start(&self, play: Play) -> Option<VoiceId> {
        let mut ledger = self.ledger();
        // A play that is turned away is dropped after the ledger is unlocked.
        let admission = ledger.validate()?;
        ledger.play(admission, play)
    }

    /// Ends a play, or everything on a bus, with a fade. Shorter than 5 ms it never is.
    pub fn stop(&self, target: impl Into<Target>, fade: Duration) {
        self.change(target.into(), Change::Stop { fade: self.frames(fade) });
    }

    /// Lets a play, or everything on a bus, stand still.
    pub fn pause(&self, target: impl Into<Target>) {
        self.change(target.into(), Change::Pause { fade: 0 });
    }

    /// Lets it go on where it stood.
    pub fn resume(&self, target: impl Into<Target>) {
        self.change(target.into(), Change::Resume { fade: 0 });
    }

    /// Changes the gain of a play, or of a bus.
    #[doc(alias = "volume")]
    pub fn set_gain(&self, target: impl Into<Target>, linear: f32, over: Duration) {
        let change = Change::Gain { to: sanitize_gain(linear), over: self.frames(over) };
        self.change(target.into(), change);
    }

    /// Changes the pan of a play.
    pub fn set_pan(&self, voice: impl Into<Option<VoiceId>>, left_to_right: f32, over: Duration) {
        let change = Change::Pan { to: sanitize_pan(left_to_right), over: self.frames(over) };
        self.change(voice.into().into(), change);
    }

    /// Changes the speed of a play. Where it comes back to the sound's own, and the sound has the
    /// mixer's rate, it comes back to the sound's own samples, bit for bit.
    #[doc(alias("pitch", "playback_rate"))]
    pub fn set_speed(&self, voice: impl Into<Option<VoiceId>>, ratio: f32, over: Duration) {
        let change = Change::Speed { to: sanitize_speed(ratio), over: self.frames(over) };
        self.change(voice.into().into(), change);
    }

    /// Jumps to a place in the sound. Past its end, the play is finished.
    pub fn seek(&self, voice: impl Into<Option<VoiceId>>, to: Duration) {
        let Some(voice) = voice.into() else { return };
        self.with_ledger(|ledger| {
            if let Some(rate) = ledger.sound_rate(voice) {
                let to = units::short_frames(to, rate);
                ledger.change_voice(voice, Change::Seek { to });
            }
        });
    }

    /// Ends every play there is, also those that wait, and none that comes after. It overtakes
    /// the queue, so it works when nothing else does.
    pub fn stop_all(&self, fade: Duration) {
        let fade = self.frames(fade);
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
    /// If it can never be: no voices, more than [`Config::max_voices`], or no renderer any more.
    pub fn resize(&self, voices: usize) -> Result<(), Error> {
        self.with_ledger(|ledger| ledger.resize(voices))
    }

    /// Changes the answer to a full pool, from the next play on.
    pub fn set_when_full(&self, when_full: WhenFull) {
        self.with_ledger(|ledger| ledger.set_when_full(when_full));
    }

    /// Whether a play has not ended yet.
    pub fn is_live(&self, voice: impl Into<Option<VoiceId>>) -> bool {
        let Some(voice) = voice.into() else { return false };
        self.with_ledger(|ledger| ledger.is_live(voice))
    }

    /// What happened since events were last asked for. All clones of a mixer share one queue; who
    /// asks first gets it. No lock is held between two of them, so a handler may do anything. What one
    /// leaves unread comes back in its order, for whoever asks next; another that is being read at
    /// that moment may get it after later ones.
    ///
    /// The queue holds as many as [`Config::commands`]; then the oldest make room, and
    /// [`Stats::missed_events`] counts them.
    ///
    /// ```
    /// # use voicepool::{Config, Event, Mixer, Sound};
    /// # let (mixer, mut renderer) = Mixer::offline(Config::default())?;
    /// # mixer.play(&Sound::from_mono(48_000, &[0.1; 480])?.named("coin"));
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
    pub(super) fn with_events<R>(&self, act: impl FnOnce(&mut EventQueue) -> R) -> R {
        act(self.lock().events())
    }

    /// The books.
    pub fn stats(&self) -> Stats {
        self.with_ledger(|ledger| ledger.stats())
    }

    /// Begins the peaks anew: the highest output, the most voices, the loudest loss.
    pub fn reset_peaks(&self) {
        self.with_ledger(|ledger| ledger.reset_peaks());
    }

    /// A picture of every play, as the audio side last drew it; asking orders the next one, so the
    /// first answer is empty. While nobody asks, none is drawn.
    pub fn voices(&self) -> Vec<VoiceInfo> {
        self.with_ledger(|ledger| ledger.voices())
    }

    /// Where the sound goes.
    pub fn output(&self) -> OutputState {
        self.shared.bridge.output()
    }

    /// How many frames were handed out: the time that [`Play::start_at`] speaks of. The mixer is
    /// ahead of it by up to two lines of its grid (5.3 ms at 48 kHz): what is said now is heard
    /// that much later, and an [`Event`](crate::Event) may tell of a frame that lies as far ahead.
    pub fn clock(&self) -> u64 {
        self.shared.bridge.meters.clock.load(Relaxed)
    }

    /// Frames a second.
    pub fn sample_rate(&self) -> u32 {
        self.shared.rate
    }

    fn frames(&self, duration: Duration) -> u32 {
        units::short_frames(duration, self.shared.rate)
    }

    fn change(&self, target: Target, change: Change) {
        self.with_ledger(|ledger| match target {
            Target::Voice(voice) => ledger.change_voice(voice, change),
            Target::Bus(bus) => ledger.change_bus(bus, change),
            Target::Nothing => (),
        });
    }

    /// Does something with the ledger, after what came back was entered and what waited was sent.
    fn with_ledger<R>(&self, act: impl FnOnce(&mut Ledger) -> R) -> R {
        act(&mut self.ledger())
    }

    /// The ledger, with all in it that came back, and what waited sent.
    fn ledger(&self) -> OpenLedger<'_> {
        let mut ledger = self.lock();
        while ledger.has_news() {
            ledger = self.collect(ledger);
        }
        ledger.flush();
        OpenLedger(ledger)
    }

    /// Enters what came back. If there is anything to drop, the ledger is unlocked meanwhile.
    #[inline(never)]
    fn collect<'a>(&'a self, mut ledger: MutexGuard<'a, Ledger>) -> MutexGuard<'a, Ledger> {
        let mut drops = DeferredDrops::new();
        ledger.collect(&mut drops);
        if drops.is_empty() {
            return ledger;
        }
        drop(ledger);
        drops.release();
        self.lock()
    }

    /// Only game threads take turns here, and none keeps it for long. A panic in one of them
    /// leaves the ledger as it was, so the others go on.
    fn lock(&self) -> MutexGuard<'_, Ledger> {
        self.shared.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The ledger for one call of the mixer. At its end, all that the call sent is published at one
/// stroke.
struct OpenLedger<'a>(MutexGuard<'a, Ledger>);

impl Deref for OpenLedger<'_> {
    type Target = Ledger;

    fn deref(&self) -> &Ledger {
        &self.0
    }
}

impl DerefMut for OpenLedger<'_> {
    fn deref_mut(&mut self) -> &mut Ledger {
        &mut self.0
    }
}

impl Drop for OpenLedger<'_> {
    fn drop(&mut self) {
        self.0.publish();
    }
}

impl std::fmt::Debug for Mixer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mixer").field("sample_rate", &self.shared.rate).finish_non_exhaustive()
    }
}
