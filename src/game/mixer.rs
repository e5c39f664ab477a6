//! The mixer: play, control, and hear what became of it.

mod buses;
mod controls;
mod space;
mod watch;

use std::any::Any;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::deferred_drops::DeferredDrops;
use super::held::Held;
use super::ledger::{Ledger, Rerun, Roll, Told};
use crate::Error;
use crate::config::Config;
use crate::error::RecordFault;
use crate::event::VoiceId;
use crate::link::Bridge;
use crate::link::message::{Made, Plan};
use crate::link::tape::Tape;
use crate::play::{Play, Terms, What};
use crate::sound::{Media, Sound};
use crate::target::Target;

/// Plays sounds, and controls what plays. Clones are the same mixer, and any thread may use any
/// of them. Dropping the last one leaves what plays playing, for as long as it is rendered.
///
/// Nothing here waits for the audio thread, and nothing panics when there is no room: a play that
/// the queue cannot take says [`None`], a control waits and is never lost.
///
/// Controls take a [`Target`](crate::Target): a play by its id, whether or not it got one, everything
/// on a [bus](crate::BusId), or everything with a [tag](crate::Tag). All that one call sends takes
/// effect on one frame, on the next line of a grid of 128 frames that is not mixed yet, unless the
/// queue is full.
///
/// ```
/// use voicepool::{Config, Mixer, Play, Sound, ms};
///
/// let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT)?;
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
    config: Config,
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
        make: fn(Plan, u32) -> Made,
        driver: Option<Driver>,
    ) -> Mixer {
        let number = MIXERS.fetch_add(1, Relaxed);
        let ledger = Mutex::new(Ledger::new(config, number, bridge.clone(), make));
        let rate = config.sample_rate;
        let config = config.clone();
        Mixer { shared: Arc::new(Shared { bridge, ledger, config, rate, _driver: driver }) }
    }

    /// Loads a file, at the mixer's own rate: so it plays the fastest. [`Sound::load`] says what is read.
    ///
    /// If the file has another one it is [resampled](Sound::resampled), and sixteen bits stay
    /// sixteen bits, with the exceptions given there. In an unoptimised build a minute of stereo
    /// takes about a second; with `[profile.dev.package."*"]` and `opt-level = 3` in the game's
    /// `Cargo.toml` a quarter of that, as in a release build.
    ///
    /// # Errors
    ///
    /// If the file cannot be read ([`Error::Read`]), is none that is understood
    /// ([`Error::Unsupported`], [`Error::Damaged`]), or holds what cannot be played
    /// ([`Error::Sound`]).
    pub fn load(&self, path: impl AsRef<Path>) -> Result<Sound, Error> {
        Sound::load_at(path.as_ref(), |own| self.rate_for(own))
    }

    /// Loads a file that is already in memory, at the mixer's own rate: for asset loaders, archives
    /// and `include_bytes!`. The sound has this name, and errors are about it.
    ///
    /// ```no_run
    /// # use voicepool::{Config, Mixer};
    /// # let mixer = Mixer::open(Config::DEFAULT)?;
    /// # let bytes = [0; 44];
    /// let coin = mixer.load_bytes("coin", bytes)?;
    /// assert_eq!(coin.name(), "coin");
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`load`](Mixer::load), but for [`Error::Read`].
    pub fn load_bytes(&self, name: &str, file: impl AsRef<[u8]>) -> Result<Sound, Error> {
        Sound::from_bytes_at(name, name, file.as_ref(), |own| self.rate_for(own))
    }

    /// At which rate a sound is kept. What claims to be very slow is damaged or a toy: it plays as it
    /// is, but is not blown up.
    fn rate_for(&self, own: u32) -> u32 {
        let rate = self.sample_rate();
        if rate / own > MOST_GROWTH { own } else { rate }
    }

    /// Plays a sound, or a [`Play`] that says more about how: by reference or by value.
    ///
    /// ```
    /// # use voicepool::{Config, Mixer, Play, Sound};
    /// # let (mixer, _renderer) = Mixer::offline(Config::DEFAULT)?;
    /// # let coin = Sound::from_mono(48_000, &[0.1; 480])?;
    /// mixer.play(&coin);                          // fire and forget
    /// mixer.play(Play::of(&coin).gain(0.5));      // with more to say
    /// let template = Play::of(&coin).pan(-1.0);
    /// mixer.play(&template);                      // again and again
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    ///
    /// # What `None` means
    ///
    /// The play was turned away: nothing of it will be heard, and no event will tell of it.
    /// [`Stats::turned_away`](crate::Stats::turned_away) counts it. That happens
    ///
    /// - when the queue to the audio thread is full: more than [`Config::commands`] came before it
    ///   could empty the queue, or the device stands still;
    /// - while controls that met a full queue wait to be sent first;
    /// - when as many plays are live as ever can be: `commands + scheduled + parked + max_voices` of
    ///   [`Config`];
    /// - when the [`Renderer`](crate::Renderer) is gone.
    ///
    /// A full *pool* is not among these. Such a play is accepted and gets an id, and what becomes of
    /// it is as [`WhenFull`](crate::WhenFull) says. Nor need anybody look at it: what has no id can be
    /// given to every control, and nothing happens.
    pub fn play(&self, play: impl Into<Play>) -> Option<VoiceId> {
        self.start(play.into(), None)
    }

    /// Plays, and lets those fade out for it that are named, if any are.
    #[inline]
    fn start(
        &self,
        Play { what, settings }: Play,
        for_others: Option<(Target, u32)>,
    ) -> Option<VoiceId> {
        // A sound that is turned away is dropped after the ledger is unlocked, and so is a cue that nobody
        // else holds.
        match what {
            What::Media(media) => {
                if let Media::Stream(_) = media {
                    self.tidy();
                }
                let sound = self.sound(media)?;
                let mut ledger = self.ledger();
                let admission = ledger.validate(&[settings.bus])?;
                ledger.grow(admission);
                let crossfade = for_others.map(|(from, over)| ledger.crossfade(from, over));
                ledger.play(sound, &settings, Terms { cue: None, crossfade })
            }
            What::Cue(cue) => {
                self.tidy();
                let mut ledger = self.ledger();
                let Roll { media, settings, terms } = ledger.roll(&cue, &settings);
                let admission = ledger.validate(&[settings.bus])?;
                ledger.grow(admission);
                let crossfade = for_others.map(|(from, over)| ledger.crossfade(from, over));
                let terms = Terms { cue: Some(terms), crossfade };
                ledger.play(self.sound(media.clone())?, &settings, terms)
            }
        }
    }

    /// Lets go of the streams that nobody plays any more, before one more may be played: what they are read with is the
    /// game's own, and is not dropped while the ledger is locked.
    fn tidy(&self) {
        if let Some(feeder) = self.shared.bridge.feeder() {
            feeder.tidy();
        }
    }

    /// What a play of it takes along: a sound as it is, and of a stream what stands for this one play.
    pub(crate) fn sound(&self, media: Media) -> Option<Sound> {
        match media {
            Media::Sound(sound) => Some(sound),
            Media::Stream(stream) => {
                let rate = self.rate_for(stream.sample_rate());
                self.shared.bridge.feeder().map(|feeder| feeder.open(&stream, rate))
            }
        }
    }

    /// Plays several sounds together: all are accepted, or none is. What has neither
    /// [`start_at`](Play::start_at) nor [`delay`](Play::delay) nor [`after`](Play::after) begins on one and the same frame: the
    /// stems of one piece of music, the layers of one explosion.
    ///
    /// Each then gets its voice as any other play does, so that in a full pool one of them may be
    /// refused or stolen and the others not: stems want [`Priority::Protected`](crate::Priority).
    /// `None` means what it does at [`play`](Mixer::play), of all of them.
    ///
    /// ```
    /// # use voicepool::{Config, Mixer, Play, Sound, ms};
    /// # let (mixer, _renderer) = Mixer::offline(Config::DEFAULT)?;
    /// # let [drums, strings] = [Sound::from_mono(48_000, &[0.1; 480])?, Sound::from_mono(48_000, &[0.1; 480])?];
    /// let stems = [Play::of(&drums).looping(), Play::of(&strings).looping().gain(0.0)];
    /// if let Some([_drums, strings]) = mixer.play_together(stems) {
    ///     mixer.set_gain(strings, 1.0, ms(2000)); // they come in, and fit
    /// }
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    pub fn play_together<const N: usize>(&self, plays: [Play; N]) -> Option<[VoiceId; N]> {
        let mut voices = [VoiceId::from_bits(0); N];
        self.tidy();
        let mut ledger = self.ledger();
        let rolls = plays.each_ref().map(|Play { what, settings }| match what {
            What::Media(media) => (media, *settings, None),
            What::Cue(cue) => {
                let Roll { media, settings, terms } = ledger.roll(cue, settings);
                (media, settings, Some(terms))
            }
        });
        let admission = ledger.validate(&rolls.each_ref().map(|(_, settings, _)| settings.bus))?;
        ledger.grow(admission);
        for (voice, (media, settings, cue)) in voices.iter_mut().zip(&rolls) {
            let terms = Terms { cue: *cue, crossfade: None };
            *voice = ledger.play(self.sound((*media).clone())?, settings, terms)?;
        }
        Some(voices)
    }

    /// Plays a sound, and lets what plays go for it: both on one frame, the old one down as a cosine and the new
    /// one up as a sine, so that the power stays the same all the way (as long as they are not the same sound,
    /// which would be louder in the middle).
    ///
    /// ```
    /// # use voicepool::{BusId, Config, Mixer, Play, Sound, secs};
    /// # let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT)?;
    /// # let [calm, battle] = [Sound::from_mono(48_000, &[0.1; 480])?, Sound::from_mono(48_000, &[0.2; 480])?];
    /// const MUSIC: BusId = BusId::new(1);
    /// let mut music = mixer.crossfade(None, Play::of(&calm).looping().bus(MUSIC), secs(2.0)); // from silence
    /// music = mixer.crossfade(music, Play::of(&battle).looping().bus(MUSIC), secs(1.5));
    /// mixer.crossfade(MUSIC, Play::of(&calm).looping().bus(MUSIC), secs(4.0)); // for whatever plays there
    /// # renderer.frames(6 * 48_000);
    /// # assert_eq!(mixer.stats().playing, 1);
    /// # let _ = music;
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    ///
    /// `from` is a play, whether or not there is one, all plays on a [bus](crate::BusId) and below it, or all with
    /// a [tag](crate::Tag): those that were played before this call, wherever they are, and never the new one.
    /// What cannot be heard ends at once, as at [`stop`](Mixer::stop), and so does who follows it
    /// ([`Play::after`]). With nothing to come from it is a fade in.
    ///
    /// - If `to` is to begin later ([`start_at`](Play::start_at), [`delay`](Play::delay), [`after`](Play::after)),
    ///   the old one plays on until then.
    /// - The old one is let go when the new one has begun, with a voice or parked. `None` means what it does at
    ///   [`play`](Mixer::play), and then the old one plays on; so it does if the new one is refused, or stopped
    ///   before it has begun, or over as soon as it begins.
    /// - A new one that comes for a tag remembers all plays that it came for until it ends. `None` means, too, that
    ///   all together would have to remember more than twice as many plays as can be live.
    /// - While they overlap they need two voices: in a full pool the new one robs whoever would be missed least,
    ///   as any play does, which may be the old one.
    /// - Each goes from where it is. What is fading in already goes down from there; what is stopping already is
    ///   never held up, only hurried.
    /// - The fade is never shorter than 5 ms, and takes the place of a [`fade_in`](Play::fade_in) of `to`. A
    ///   [`stop`](Mixer::stop) and a fade in by themselves are straight lines, which sound best alone.
    #[doc(alias("blend", "transition"))]
    pub fn crossfade(
        &self,
        from: impl Into<Target>,
        to: impl Into<Play>,
        over: Duration,
    ) -> Option<VoiceId> {
        self.start(to.into(), Some((from.into(), self.short_frames(over))))
    }

    /// Plays a sound for as long as the [`Held`] that it gives is kept, and stops it with a fade when
    /// that is dropped: the engine of a car, the hum of a machine, as a field of the thing that hums.
    ///
    /// ```
    /// # use voicepool::{Config, Held, Mixer, Play, Sound, ms};
    /// # let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT)?;
    /// # let motor = Sound::from_mono(48_000, &[0.1; 480])?;
    /// struct Car {
    ///     engine: Held,
    /// }
    /// let car = Car { engine: mixer.hold(Play::of(&motor).looping(), ms(80)) };
    /// mixer.set_speed(car.engine.id(), 1.5, ms(500));
    /// drop(car);
    /// # renderer.frames(48_000);
    /// # assert_eq!(mixer.stats().live, 0);
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    pub fn hold(&self, play: impl Into<Play>, fade: Duration) -> Held {
        Held::new(self.clone(), self.play(play), fade)
    }

    /// How it was opened.
    pub(crate) fn config(&self) -> &Config {
        &self.shared.config
    }

    /// Records all that is said, from the very first on.
    pub(crate) fn start_tape(&self, tape: &Arc<Tape>) -> Result<(), RecordFault> {
        self.with_ledger(|ledger| {
            if self.shared.bridge.tape().is_some() {
                return Err(RecordFault::Again);
            }
            if self.shared.bridge.has_lost_lines() || !ledger.start_tape(tape) {
                return Err(RecordFault::TooLate);
            }
            self.shared.bridge.set_tape(tape.clone());
            Ok(())
        })
    }

    /// Says again what was recorded, all of it on one line, and then a `stop_all` up to one of the commands.
    pub(crate) fn replay(
        &self,
        commands: &[(u64, Box<[u8]>)],
        stop_all: Option<(u64, u32)>,
        told: &mut Told,
        rerun: &mut dyn Rerun,
    ) {
        self.tidy();
        self.with_ledger(|ledger| {
            for (number, bytes) in commands {
                ledger.replay(*number, bytes, told, rerun);
            }
            if let Some((last, fade)) = stop_all {
                ledger.replay_stop_all(last, fade, told);
            }
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

#[cfg(test)]
mod tests {
    use std::panic::resume_unwind;
    use std::thread;

    use super::*;
    use crate::ms;

    /// Nothing of the game's own is called under the lock; should one of this crate's bugs end a thread there, the
    /// others play on.
    #[test]
    fn a_thread_that_dies_with_the_lock_leaves_the_mixer_to_the_others() {
        let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).expect("the defaults");
        let sound = Sound::from_mono(48_000, &[0.5; 4800]).expect("a sound");
        let theirs = mixer.clone();
        let died = thread::spawn(move || {
            let _ledger = theirs.ledger();
            resume_unwind(Box::new("a thread that dies on purpose"));
        });
        assert!(died.join().is_err() && mixer.shared.ledger.is_poisoned());
        let voice = mixer.play(&sound);
        renderer.frames(128);
        assert!(mixer.is_live(voice));
        mixer.stop(voice, ms(0));
        renderer.frames(1024);
        let stats = mixer.stats();
        assert_eq!((stats.accepted, stats.stopped, stats.live), (1, 1, 0));
        assert_eq!(mixer.events().count(), 1);
    }
}
