//! A stream: a file that is decoded while it plays, and never as a whole in memory.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::decode::{Decoder, Header, Reader};
use super::envelope::Envelope;
use super::samples::{Samples, Seam};
use super::{Sound, next_number, sane_loop};
use crate::error::Fault;
use crate::guarded::guarded;
use crate::link::feed::{BLOCK, Block, Feed, HEAD_BLOCKS};
use crate::link::message::Loop;
use crate::link::wire::{Hash, Sink};
use crate::{Error, units};

/// How many frames from the beginning are kept: those that a play begins with, and what a filter hears of
/// those behind them.
const PREFIX: usize = HEAD_BLOCKS * BLOCK + 1024;

/// For how many rates what a play begins with is kept.
const MOST_RATES: usize = 4;

/// How much of its file a stream is known by: not all of it, which may be long.
const KNOWN_BY: u64 = 1 << 16;

/// A file that is decoded while it plays: music, ambience, speech, of any length, in less than 1 MB each.
///
/// It plays as a [`Sound`](crate::Sound) does, at the same frames and, at its own speed, with the same bits;
/// it takes one voice, and one of [`Config::streams`](crate::Config::streams) places. Unless told otherwise it
/// is [`Protected`](crate::Priority::Protected).
///
/// Its first 0.3 s stay in memory, so that a play begins on its exact frame, without a disk having been
/// touched, and so does what follows the start of its loop. Everything else is read ahead by a thread of the
/// mixer's, which also resamples it to the mixer's rate. What is not there in time is silence
/// ([`Stats::underruns`](crate::Stats::underruns)), and time goes on: streams that were begun together
/// stay together.
///
/// To [`seek`](crate::Mixer::seek) into what is in memory takes effect at once. Elsewhere the old place is heard
/// for the few milliseconds until the new one was read, and then they cross over; the position is the new
/// one from the start.
///
/// ```no_run
/// use voicepool::{Config, Mixer, Play, Stream, secs};
///
/// let mixer = Mixer::open(Config::DEFAULT)?;
/// let music = Stream::open("music.ogg")?;
/// mixer.play(Play::of(&music).looping().fade_in(secs(2.0)));
/// # Ok::<(), voicepool::Error>(())
/// ```
#[derive(Clone)]
pub struct Stream(Arc<Inner>);

struct Inner {
    number: u64,
    name: Arc<str>,
    header: Header,
    /// Of the beginning of its file, and of how long that is.
    hash: u64,
    open: Box<Opener>,
    /// The first frames, interleaved, and whether there are no others.
    prefix: Vec<f32>,
    is_whole: bool,
    /// What a play begins with, at each of some rates.
    heads: Mutex<Vec<(u32, Arc<[Block]>)>>,
}

type Opener = dyn Fn() -> io::Result<Box<dyn Reader>> + Send + Sync;

impl Stream {
    /// Opens a file and reads its beginning. It is opened again whenever it is played.
    ///
    /// It reads what [`Sound::load`](crate::Sound::load) does, and knows a file by its content.
    ///
    /// # Errors
    ///
    /// If the file cannot be read ([`Error::Read`]), is none that is understood ([`Error::Unsupported`],
    /// [`Error::Damaged`]), or holds what cannot be played ([`Error::Sound`]).
    pub fn open(path: impl AsRef<Path>) -> Result<Stream, Error> {
        let path = path.as_ref().to_path_buf();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let what = path.display().to_string();
        let opened = path.clone();
        let open = move || -> io::Result<Box<dyn Reader>> {
            super::check_is_file(&opened)?;
            Ok(Box::new(BufReader::new(File::open(&opened)?)))
        };
        Stream::new(&stem, &what, Box::new(open))
    }

    /// Opens what the game reads itself: out of an archive, an encrypted file, a download. `open` is called
    /// once here and once for every play, each time for a reader of its own, which begins at the
    /// beginning.
    ///
    /// The readers are used by the thread that decodes. One that blocks, fails or panics harms no other
    /// stream: its own is silent, or ends there ([`Event::StreamFailed`](crate::Event::StreamFailed)).
    ///
    /// ```
    /// use std::io::Cursor;
    /// use voicepool::Stream;
    ///
    /// let archive = std::fs::read("sounds/rain_loop.wav").expect("a file");
    /// let rain = Stream::from_reader("rain", move || Ok(Cursor::new(archive.clone())))?;
    /// assert_eq!(rain.name(), "rain");
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`open`](Stream::open); errors are about the name.
    pub fn from_reader<R: Read + Seek + Send + 'static>(
        name: &str,
        open: impl Fn() -> io::Result<R> + Send + Sync + 'static,
    ) -> Result<Stream, Error> {
        let open = move || -> io::Result<Box<dyn Reader>> { Ok(Box::new(open()?)) };
        Stream::new(name, name, Box::new(open))
    }

    fn new(name: &str, what: &str, open: Box<Opener>) -> Result<Stream, Error> {
        let mut reader = open().map_err(|source| Error::Read { path: what.into(), source })?;
        // A reader that cannot do that says so once more when it is decoded.
        let hash = guarded(|| hash_of(&mut reader).unwrap_or(0)).unwrap_or(0);
        let read = || {
            let mut decoder = Decoder::open(reader)?;
            let header = decoder.header().clone();
            let (channels, mut prefix, mut is_whole) =
                (usize::from(header.channels), Vec::new(), false);
            while prefix.len() < PREFIX * channels && !is_whole {
                is_whole = decoder.decode(&mut prefix)? == 0;
            }
            if prefix.is_empty() {
                return Err(Fault::from("has no frames".to_owned()));
            }
            Ok((header, prefix, is_whole))
        };
        let (mut header, prefix, is_whole) = read().map_err(|fault: Fault| fault.of(what))?;
        if is_whole {
            // It may be shorter than it said, or may not have said.
            let frames = (prefix.len() / usize::from(header.channels)) as u64;
            header.loops = sane_loop(header.loops, Some(frames));
        }
        let heads = Mutex::default();
        let (number, name) = (next_number(), name.into());
        Ok(Stream(Arc::new(Inner { number, name, header, hash, open, prefix, is_whole, heads })))
    }

    /// The stem of the file (`theme` for `music/theme.ogg`), or the name that was given.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// How long it plays at its own speed, if the file says so.
    pub fn duration(&self) -> Option<Duration> {
        Some(units::duration(self.frames()?, self.sample_rate()))
    }

    /// Where it loops by itself, if its file says so: as [`Sound::loop_points`](crate::Sound::loop_points).
    pub fn loop_points(&self) -> Option<Range<Duration>> {
        let time = |frame| units::duration(frame, self.sample_rate());
        self.0.header.loops.as_ref().map(|range| time(range.start)..time(range.end))
    }

    /// Frames in a second.
    pub fn sample_rate(&self) -> u32 {
        self.0.header.sample_rate
    }

    /// The number by which plain data names it. No sound has the same.
    pub(crate) fn number(&self) -> u64 {
        self.0.number
    }

    /// What it is known by, whatever its name.
    pub(crate) fn hash(&self) -> u64 {
        self.0.hash
    }

    pub(crate) fn shared_name(&self) -> Arc<str> {
        self.0.name.clone()
    }

    /// 1 or 2.
    pub(crate) fn channels(&self) -> usize {
        usize::from(self.0.header.channels)
    }

    /// How many frames there are, if that is known.
    pub(crate) fn frames(&self) -> Option<u64> {
        let read = (self.0.prefix.len() / self.channels()) as u64;
        if self.0.is_whole { Some(read) } else { self.0.header.frames }
    }

    /// Whether every sample is one of sixteen bits.
    pub(crate) fn is_16_bit(&self) -> bool {
        self.0.header.is_16_bit
    }

    /// Whether its file says where it loops.
    pub(crate) fn has_loop_points(&self) -> bool {
        self.0.header.loops.is_some()
    }

    /// The frames of its own that go round where it loops best, if it has so many: those that its file says,
    /// or all.
    pub(crate) fn loops(&self, end: u64) -> Range<u64> {
        self.0.header.loops.clone().unwrap_or(0..end)
    }

    /// The first frames, interleaved.
    pub(crate) fn prefix(&self) -> &[f32] {
        &self.0.prefix
    }

    /// Opens the file once more, to read its bytes.
    pub(crate) fn open_bytes(&self) -> io::Result<Box<dyn Reader>> {
        (self.0.open)()
    }

    /// Opens the file once more.
    pub(crate) fn open_decoder(&self) -> Result<Decoder, Fault> {
        Decoder::open((self.0.open)()?)
    }

    /// What a play at some rate begins with: as it was made before, or as it is made now.
    pub(crate) fn head(&self, rate: u32, make: impl FnOnce() -> Arc<[Block]>) -> Arc<[Block]> {
        let mut heads = self.0.heads.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, head)) = heads.iter().find(|(it, _)| *it == rate) {
            return head.clone();
        }
        let head = make();
        if heads.len() == MOST_RATES {
            heads.remove(0);
        }
        heads.push((rate, head.clone()));
        head
    }
}

/// The hash of a file's beginning and of its length. The reader is at its beginning again.
fn hash_of(reader: &mut dyn Reader) -> io::Result<u64> {
    let (mut hash, mut head) = (Hash::NEW, Vec::new());
    let read = (|| {
        reader.take(KNOWN_BY).read_to_end(&mut head)?;
        hash.add(&head);
        hash.put(&reader.seek(SeekFrom::End(0))?);
        Ok(hash.get())
    })();
    reader.seek(SeekFrom::Start(0))?;
    read
}

impl Sound {
    /// What stands for one play of a stream: none of its frames are here.
    pub(crate) fn of_stream(
        stream: &Stream,
        rate: u32,
        clip: u32,
        turns: Loop,
        feed: Arc<Feed>,
    ) -> Sound {
        let head = FedHead {
            rate,
            is_mono: stream.channels() == 1,
            clip,
            turns,
            has_loop_points: stream.has_loop_points(),
        };
        Sound::fed(stream.shared_name(), head, feed, Some(stream.clone()))
    }

    /// The same for whoever has its blocks from elsewhere, and no stream.
    pub(super) fn fed(
        name: Arc<str>,
        FedHead { rate, is_mono, clip, turns, has_loop_points }: FedHead,
        feed: Arc<Feed>,
        stream: Option<Stream>,
    ) -> Sound {
        let samples = match is_mono {
            true => Samples::Mono32(Arc::from([])),
            false => Samples::Stereo32(Arc::from([])),
        };
        let seam = (turns.seam > 0).then(|| Seam { turns, frames: samples.clone() });
        Sound(Arc::new(super::Inner {
            number: next_number(),
            name,
            sample_rate: rate,
            truncated: false,
            origin: None,
            samples,
            loops: has_loop_points.then_some(turns.start..turns.end),
            seam,
            envelope: Envelope::of(rate, &[[0.0]]),
            feed: Some(Fed { feed, clip, turns, stream }),
        }))
    }

    /// The stream of which this stands for one play.
    pub(crate) fn stream(&self) -> Option<&Stream> {
        self.0.feed.as_ref()?.stream.as_ref()
    }

    /// Where the rest of it comes from, if it stands for one play of a stream.
    pub(crate) fn feed(&self) -> Option<&Feed> {
        self.0.feed.as_ref().map(|fed| &*fed.feed)
    }
}

/// Where the frames come from of what stands for one play of a stream, and how many there are.
#[derive(Clone)]
pub(super) struct Fed {
    pub feed: Arc<Feed>,
    pub clip: u32,
    /// Where it goes round if nothing else is said.
    #[cfg_attr(not(any(test, target_arch = "wasm32")), allow(dead_code, reason = "only crosses"))]
    pub turns: Loop,
    /// None where only its blocks arrive.
    pub stream: Option<Stream>,
}

/// What is known of one play of a stream before any of it was read.
#[derive(Clone, Copy)]
pub(super) struct FedHead {
    pub rate: u32,
    pub is_mono: bool,
    pub clip: u32,
    pub turns: Loop,
    pub has_loop_points: bool,
}

/// What can be played: a sound in memory, or a stream.
#[derive(Clone, Debug)]
pub enum Media {
    /// A sound in memory.
    Sound(Sound),
    /// A file that is decoded while it plays.
    Stream(Stream),
}

impl From<Sound> for Media {
    fn from(sound: Sound) -> Media {
        Media::Sound(sound)
    }
}

impl From<Stream> for Media {
    fn from(stream: Stream) -> Media {
        Media::Stream(stream)
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream")
            .field("name", &self.name())
            .field("sample_rate", &self.sample_rate())
            .field("duration", &self.duration())
            .finish()
    }
}
