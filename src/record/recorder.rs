//! Recording.

use std::fmt;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};

use super::writer::{Orders, Watched, Writer};
use crate::Error;
use crate::audio::Renderer;
use crate::game::Mixer;
use crate::guarded::guarded;
use crate::link::tape::{Patience, Tape};

/// A recording that is being made. See [`Mixer::record`].
///
/// When it is dropped it ends, as with [`finish`](Recorder::finish), and waits as long.
#[must_use = "a recording ends when its recorder is dropped"]
pub struct Recorder {
    tape: Arc<Tape>,
    orders: Arc<Orders>,
    thread: Option<JoinHandle<io::Result<Summary>>>,
}

/// What was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// How many frames it lasts.
    pub frames: u64,
    /// How many commands there are in it, and how many of them are plays.
    pub commands: u64,
    /// How many of the commands are plays.
    pub plays: u64,
    /// How large it is.
    pub bytes: u64,
    /// Whether all of it was written. If not, the disk was too slow: it ends before the first frame of
    /// which something is lacking, and replays up to there.
    pub is_whole: bool,
}

impl Mixer {
    /// Records all that is said to this mixer, and when it took effect, until the [`Recorder`] is
    /// [finished](Recorder::finish) or dropped. A [`Replay`](crate::Replay) renders it again into the very bits
    /// that were played.
    ///
    /// It must begin before the first play; buses, rooms and effects may have been set before. While it is made neither the
    /// game nor the audio thread waits for it: a thread of its own writes, and if the disk is too slow the recording
    /// ends ([`Summary::is_whole`]). Only [`Renderer::frames`](crate::Renderer::frames) and
    /// [`write_wav`](crate::Renderer::write_wav) wait for the disk, which they could outrun.
    ///
    /// What is recorded is what the [`Renderer`](crate::Renderer) makes: before a device fades it in, or has it at another
    /// rate. Sounds are not in it, but what they are known by, unless they are
    /// [put in](Recorder::with_sounds); effects of the game's own never are.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use voicepool::{Config, Mixer, Play, Replay, Sound};
    /// # #[derive(Clone, Default)]
    /// # struct Shared(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);
    /// # impl std::io::Write for Shared {
    /// #     fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> { self.0.lock().unwrap().write(bytes) }
    /// #     fn flush(&mut self) -> std::io::Result<()> { Ok(()) }
    /// # }
    /// # let file = Shared::default();
    ///
    /// let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT)?;
    /// let recorder = mixer.record(file.clone())?;
    /// let beep = Sound::from_mono(48_000, &[0.1; 480])?.named("beep");
    /// mixer.play(Play::of(&beep).pan(-0.5));
    /// let heard = renderer.frames(1000);
    /// assert_eq!(recorder.finish()?.plays, 1);
    ///
    /// # let file = Cursor::new(file.0.lock().unwrap().clone());
    /// let mut replay = Replay::read(file, |it| (it.name == "beep").then(|| beep.clone().into()))?;
    /// let mut again = vec![[0.0; 2]; 1000];
    /// assert_eq!(replay.render(&mut again), 1000);
    /// assert_eq!(again, heard);
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If something was played before, or too much was said (more than 1,024 commands, or on more than 32 lines of the
    /// grid), or it was recorded before ([`Error::Record`]); if the system has no thread for it ([`Error::Thread`]).
    pub fn record(&self, to: impl Write + Send + 'static) -> Result<Recorder, Error> {
        let tape = Arc::new(Tape::new());
        self.start_tape(&tape).map_err(|why| Error::Record { why })?;
        let orders = Arc::new(Orders::default());
        let look_ahead = Renderer::look_ahead(self.config().sample_rate);
        let to = BufWriter::new(Watched { to, tape: tape.clone() });
        let writer = Writer::new(to, tape.clone(), orders.clone(), look_ahead);
        let (config, held) = (self.config().clone(), tape.clone());
        let thread = thread::Builder::new().name("voicepool recording".into()).spawn(move || {
            // What is written to is the game's own, and may do anything.
            let written = guarded(|| writer.run(&config));
            // Nobody need hand anything over any more, and what was is held no longer.
            held.end();
            while let Some(entry) = held.next_entry() {
                let _ = guarded(|| drop(entry));
            }
            written.unwrap_or_else(|| Err(io::Error::other("its writer panicked")))
        });
        match thread {
            Ok(thread) => Ok(Recorder { tape, orders, thread: Some(thread) }),
            Err(source) => {
                tape.end();
                Err(Error::Thread { source })
            }
        }
    }
}

impl Recorder {
    /// Puts every sound and every stream that is played from now on into the recording as a whole, so that one
    /// file is all that it takes to hear it again, but for effects of the game's own. A stream's file is read once more,
    /// by the thread that writes, which takes memory for each while it is written. What cannot be read, or finds no room,
    /// is not in it, and the log says so.
    pub fn with_sounds(self) -> Recorder {
        self.orders.is_whole.store(true, Ordering::Relaxed);
        self
    }

    /// Ends the recording, and waits until it is written: as long as that goes on. If a disk has taken nothing for ten
    /// seconds it is waited for no longer.
    ///
    /// # Errors
    ///
    /// If it could not be written ([`Error::Write`]). What was written is a recording that was cut off.
    pub fn finish(mut self) -> Result<Summary, Error> {
        let written = self.end().unwrap_or_else(|| Ok(Summary::default()));
        written.map_err(|source| Error::Write { path: "recording".into(), source })
    }

    fn end(&mut self) -> Option<io::Result<Summary>> {
        self.orders.is_finishing.store(true, Ordering::Release);
        let thread = self.thread.take()?;
        let mut patience = Patience::of(&self.tape);
        while !thread.is_finished() {
            if !patience.wait(&self.tape) {
                self.tape.end();
                let why = "nothing was taken for ten seconds";
                return Some(Err(io::Error::new(io::ErrorKind::TimedOut, why)));
            }
        }
        Some(thread.join().unwrap_or_else(|_| Err(io::Error::other("its writer panicked"))))
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.end();
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("frames", &self.tape.clock()).finish_non_exhaustive()
    }
}
