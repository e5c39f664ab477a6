//! A sound: samples that never change, shared by all who play them.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

mod bands;
mod bytes;
#[cfg(any(test, target_arch = "wasm32"))]
mod crossing;
mod decode;
pub(crate) mod envelope;
mod loudness;
pub(crate) mod resample;
mod samples;
pub(crate) mod sinc;
mod stream;
mod wav;

#[cfg(any(test, target_arch = "wasm32"))]
pub(crate) use crossing::Arriving;
pub(crate) use decode::Decoder;
use decode::{Whole, decode_whole, sane_loop};
use envelope::Envelope;
pub use loudness::loudness;
pub(crate) use samples::{Sample, Samples, each_kind};
use samples::{Seam, check_memory, validated};
use stream::Fed;
pub use stream::{Media, Stream};

use crate::config::RATES;
use crate::error::Fault;
use crate::link::message::Loop;
use crate::{Error, Frame, units};

/// Positions are 32.32 fixed point; one bit is kept for what runs past the end.
pub(crate) const MOST_FRAMES: usize = 1 << 31;

/// A sound to be played any number of times, at once if need be.
///
/// It never changes, and its clones share the same samples, so that handing one around costs
/// nothing. Sixteen-bit samples are kept in sixteen bits, mono stays mono.
///
/// ```
/// use voicepool::Sound;
///
/// let blip = Sound::from_mono(4, &[1.0, 0.5])?.named("blip");
/// assert_eq!(blip.duration(), voicepool::ms(500));
/// assert!(blip.frames().eq([[1.0, 1.0], [0.5, 0.5]]));
/// # Ok::<(), voicepool::Error>(())
/// ```
#[derive(Clone)]
pub struct Sound(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    number: u64,
    /// Shared too: what is told of a play keeps its name, and not its samples.
    name: Arc<str>,
    sample_rate: u32,
    truncated: bool,
    /// The hash of the file's bytes, if that was a lossy one.
    origin: Option<u64>,
    samples: Samples,
    /// Where it loops, if its file says so.
    loops: Option<Range<u32>>,
    seam: Option<Seam>,
    envelope: Envelope,
    /// Where the rest comes from, if this stands for one play of a stream.
    feed: Option<Fed>,
}

/// What a sound is made of.
struct Parts {
    sample_rate: u32,
    samples: Samples,
    loops: Option<Range<u32>>,
    seam: Option<Seam>,
    truncated: bool,
    origin: Option<u64>,
}

impl Parts {
    /// Samples that are all there is.
    fn plain(sample_rate: u32, samples: Samples) -> Parts {
        Parts { sample_rate, samples, loops: None, seam: None, truncated: false, origin: None }
    }

    /// The same at another rate.
    fn resampled(self, to: u32) -> Result<Parts, String> {
        if to == self.sample_rate {
            return Ok(self);
        }
        check_rate(to)?;
        check_frames(&self.samples)?;
        let loops = self.loops.clone();
        let (samples, seam) = resample::resample(&self.samples, self.sample_rate, to, loops)?;
        let loops = self.loops.map(|_| seam.turns.start..seam.turns.end);
        Ok(Parts { sample_rate: to, samples, loops, seam: Some(seam), ..self })
    }
}

/// Every sound has a number of its own, by which plain data names it.
fn next_number() -> u64 {
    static SOUNDS: AtomicU64 = AtomicU64::new(1);
    SOUNDS.fetch_add(1, Relaxed)
}

/// The name of a sound that is a bug: whoever reads its samples panics, so that tests can see what
/// becomes of that.
#[cfg(test)]
pub(crate) const PLANTED: &str = "a planted panic";

#[cfg(any(test, target_arch = "wasm32"))]
impl Sound {
    /// How many hold it.
    pub(crate) fn holders(&self) -> usize {
        Arc::strong_count(&self.0)
    }
}

impl Sound {
    /// Reads a sound file, mono or stereo: a WAV of 8, 16, 24 or 32-bit integers or 32-bit floats, and with the
    /// feature `formats` (on by default) Ogg Vorbis, FLAC, MP3, and WAV of ADPCM, A-law or mu-law.
    ///
    /// The file is known by its content, whatever its name ends in. It is believed only as far as it
    /// goes: see [`is_truncated`](Sound::is_truncated). What encoders add before and behind a sound is cut
    /// off again, so that it has exactly the frames that went in, if the file says how many: Vorbis
    /// and FLAC files do, and so do MP3s with a LAME tag.
    ///
    /// What was 16 bits, or fewer, stays 16 bits: FLAC, ADPCM, A-law and mu-law too. Vorbis, MP3 and all that is
    /// deeper becomes `f32`. While a coded file is read, it takes twice the memory of the result.
    pub fn load(path: impl AsRef<Path>) -> Result<Sound, Error> {
        Sound::load_at(path.as_ref(), |own| own)
    }

    /// The same at a rate that is chosen for the file's own. The level is that of the result alone.
    pub(crate) fn load_at(path: &Path, rate: impl Fn(u32) -> u32) -> Result<Sound, Error> {
        let file = read(path).map_err(|source| Error::Read { path: path.to_path_buf(), source })?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        Sound::from_bytes_at(&stem, &path.display().to_string(), file, rate)
    }

    /// The same for a file that is already in memory: `include_bytes!`, asset loaders.
    pub fn from_bytes(file: impl AsRef<[u8]>) -> Result<Sound, Error> {
        Sound::from_bytes_at("", "sound bytes", file, |own| own)
    }

    /// The same under a name, at a rate that is chosen for the file's own. Errors are about `what`.
    pub(crate) fn from_bytes_at(
        name: &str,
        what: &str,
        file: impl AsRef<[u8]>,
        rate: impl Fn(u32) -> u32,
    ) -> Result<Sound, Error> {
        let Whole { sample_rate, samples, loops, truncated, origin } =
            decode_whole(file).map_err(|fault| fault.of(what))?;
        let loops = sane_loop(loops, Some(samples.frame_count() as u64));
        let loops = loops.map(|range| range.start as u32..range.end as u32);
        let parts = Parts { loops, truncated, origin, ..Parts::plain(sample_rate, samples) };
        parts
            .resampled(rate(sample_rate))
            .and_then(|parts| Sound::new(name, parts))
            .map_err(|fault| Fault::from(fault).of(what))
    }

    /// A sound of samples that sound on both sides alike.
    pub fn from_mono(sample_rate: u32, samples: &[f32]) -> Result<Sound, Error> {
        check_memory::<f32>(samples.len())
            .and_then(|()| validated(samples.iter().map(|sample| [*sample]).collect()))
            .and_then(|it| Sound::new("", Parts::plain(sample_rate, Samples::Mono32(it))))
            .map_err(|fault| Error::Sound { name: "mono samples".into(), fault })
    }

    /// A sound of frames, left and right.
    pub fn from_stereo(sample_rate: u32, frames: &[Frame]) -> Result<Sound, Error> {
        check_memory::<Frame>(frames.len())
            .and_then(|()| validated(frames.into()))
            .and_then(|it| Sound::new("", Parts::plain(sample_rate, Samples::Stereo32(it))))
            .map_err(|fault| Error::Sound { name: "stereo frames".into(), fault })
    }

    fn new(name: impl Into<Arc<str>>, parts: Parts) -> Result<Sound, String> {
        let Parts { sample_rate, samples, loops, seam, truncated, origin } = parts;
        check_rate(sample_rate)?;
        check_frames(&samples)?;
        Envelope::check_memory(sample_rate, &samples)?;
        Ok(Sound(Arc::new(Inner {
            number: next_number(),
            name: name.into(),
            sample_rate,
            truncated,
            origin,
            envelope: Envelope::new(sample_rate, &samples),
            samples,
            loops,
            seam,
            feed: None,
        })))
    }

    /// The same sound at another rate, computed once, in the best quality, with the same bits
    /// on every processor. At its own rate it is this very sound.
    ///
    /// What was below 90 % of the lower of the two band edges is kept, what was above that
    /// edge is gone (more than 125 dB down). A result of more than 4 GiB is refused.
    ///
    /// Sixteen bits stay sixteen bits, rounded to the nearest and not dithered. That adds no more
    /// noise than rounding left in the file when it was made, some 98 dB below full scale; a tail dies
    /// away as it did, and silence stays silent. Two kinds become `f32`, which takes twice the
    /// memory: a sound that would be clipped, because a peak between two of its samples is above
    /// full scale (some that are normalised to full scale, hardly any at 0.3 dB below it), and one
    /// that never comes above -36 dB, because it may be played with a high gain.
    ///
    /// A minute of stereo, from 44.1 to 48 kHz, takes about 0.25 seconds in a release build and 0.9
    /// in one that is not optimised (one core of an AMD EPYC). With `[profile.dev.package."*"]` and
    /// `opt-level = 3` in the game's `Cargo.toml`, its dependencies are optimised in debug builds,
    /// too: then it is 0.25 there as well. Rates without a large common divisor, as 44,101 and
    /// 48,000, take three times as long; sixteen bits that turn out to need `f32`, up to twice.
    ///
    /// A sound that loops without a seam, at its own [loop points](Sound::loop_points) or as a whole if it has
    /// none, does so at the other rate as well: the result keeps the few frames around its seam a
    /// second time, as a [loop](crate::Play::looping) hears them. Such a loop lasts as long as it did, rounded to a
    /// whole frame. Played once, the sound has its clean ends. (Rates more than 500 times apart are the exception: there loops have their seam.)
    ///
    /// ```
    /// use voicepool::Sound;
    ///
    /// let sound = Sound::from_mono(44_100, &[0.5; 441])?;
    /// assert_eq!(sound.resampled(48_000)?.frame_count(), 480);
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    pub fn resampled(&self, sample_rate: u32) -> Result<Sound, Error> {
        if sample_rate == self.sample_rate() {
            return Ok(self.clone());
        }
        let parts = Parts {
            sample_rate: self.sample_rate(),
            samples: self.samples().clone(),
            loops: self.0.loops.clone(),
            seam: None,
            truncated: self.is_truncated(),
            origin: self.0.origin,
        };
        parts
            .resampled(sample_rate)
            .and_then(|parts| Sound::new(self.shared_name(), parts))
            .map_err(|fault| Error::Sound {
                name: match self.name() {
                    "" => "sound".into(),
                    name => name.into(),
                },
                fault,
            })
    }

    /// The same samples under another name.
    pub fn named(self, name: &str) -> Sound {
        Sound(Arc::new(Inner { number: next_number(), name: name.into(), ..(*self.0).clone() }))
    }

    /// The stem of the file it was loaded from (`boom` for `sounds/boom.wav`), unless it was
    /// [`named`](Sound::named); otherwise empty.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The number by which plain data names it: of a play of a stream, that of the stream.
    pub(crate) fn media_number(&self) -> u64 {
        self.stream().map_or(self.0.number, Stream::number)
    }

    pub(crate) fn number(&self) -> u64 {
        self.0.number
    }

    pub(crate) fn shared_name(&self) -> Arc<str> {
        self.0.name.clone()
    }

    /// How long it plays at its own speed.
    pub fn duration(&self) -> Duration {
        units::duration(self.frame_count() as u64, self.sample_rate())
    }

    /// Frames in a second.
    pub fn sample_rate(&self) -> u32 {
        self.0.sample_rate
    }

    /// How many frames there are.
    pub fn frame_count(&self) -> usize {
        match &self.0.feed {
            None => self.0.samples.frame_count(),
            Some(fed) => fed.clip as usize,
        }
    }

    /// 1 or 2.
    pub fn channels(&self) -> u16 {
        if self.0.samples.is_mono() { 1 } else { 2 }
    }

    /// Whether the file promised more than was there: it was cut short, and plays as far as
    /// it goes.
    pub fn is_truncated(&self) -> bool {
        self.0.truncated
    }

    /// Where it loops by itself, if its file says so: the first forward loop of a WAV's `smpl` chunk, or the
    /// tags `LOOPSTART` and `LOOPLENGTH` or `LOOPEND` of an Ogg Vorbis, a FLAC or an MP3 file.
    ///
    /// [`Play::looping`](crate::Play::looping) plays what comes before it once, and then this part again and again. At
    /// a frame's exact time it is what [`Play::loop_range`](crate::Play::loop_range) takes. Points that cannot be,
    /// beyond the end, empty or reversed, are none. After [`resampled`](Sound::resampled) the loop lasts as long
    /// as it did, rounded to a whole frame.
    pub fn loop_points(&self) -> Option<Range<Duration>> {
        let time = |frame: u32| units::duration(frame.into(), self.sample_rate());
        self.0.loops.as_ref().map(|range| time(range.start)..time(range.end))
    }

    /// The samples, for waveform displays and tests. A mono sound has the same on both sides.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = Frame> + '_ {
        let samples = &self.0.samples;
        (0..samples.frame_count()).map(|at| samples.frame(at))
    }

    /// How many bytes its samples, with those around the seam of its loop, and its level envelope
    /// take. Clones share them.
    pub fn memory(&self) -> usize {
        let seam = self.seam().map_or(0, |seam| seam.frames.bytes());
        self.0.samples.bytes() + seam + self.0.envelope.bytes()
    }

    pub(crate) fn samples(&self) -> &Samples {
        #[cfg(test)]
        assert_ne!(self.name(), PLANTED);
        &self.0.samples
    }

    /// Where it loops if nothing else is said: at its own loop points, or as a whole.
    pub(crate) fn own_loop(&self) -> Loop {
        let whole = Loop { start: 0, end: self.frame_count() as u32, seam: 0 };
        let own = self.0.loops.clone().map(|Range { start, end }| Loop { start, end, seam: 0 });
        self.seam().map(|seam| seam.turns).or(own).unwrap_or(whole)
    }

    pub(crate) fn has_loop_points(&self) -> bool {
        self.0.loops.is_some()
    }

    /// How it loops, if it was resampled.
    pub(crate) fn seam(&self) -> Option<&Seam> {
        self.0.seam.as_ref()
    }

    pub(crate) fn envelope(&self) -> &Envelope {
        &self.0.envelope
    }
}

impl fmt::Debug for Sound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sound")
            .field("name", &self.name())
            .field("sample_rate", &self.sample_rate())
            .field("frames", &self.frame_count())
            .finish()
    }
}

pub(crate) fn check_rate(sample_rate: u32) -> Result<(), String> {
    if RATES.contains(&sample_rate) {
        return Ok(());
    }
    Err(format!(
        "sample rate {sample_rate} Hz is not within {} to {} Hz",
        RATES.start(),
        RATES.end()
    ))
}

fn check_frames(samples: &Samples) -> Result<(), String> {
    match samples.frame_count() {
        0 => Err("has no frames".into()),
        n if n > MOST_FRAMES => Err(format!("has {n} frames; at most {MOST_FRAMES} can be played")),
        _ => Ok(()),
    }
}

/// A whole file, as long as it was when it was opened and no longer than a WAV can be.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    check_is_file(path)?;
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    wav::check_length(length)
        .map_err(|fault| io::Error::new(io::ErrorKind::FileTooLarge, fault))?;
    let mut bytes = Vec::new();
    usize::try_from(length)
        .ok()
        .and_then(|length| bytes.try_reserve_exact(length).ok())
        .ok_or(io::ErrorKind::OutOfMemory)?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// To be asked before opening: to open a pipe waits for its writer, and a device may never end.
fn check_is_file(path: &Path) -> io::Result<()> {
    let kind = fs::metadata(path)?.file_type();
    if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !kind.is_file() {
        let fault = "not a regular file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, fault));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(result: Result<Sound, Error>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn a_sound_is_one_pointer_and_goes_to_any_thread() {
        fn any_thread<T: Send + Sync + Clone>() {}
        any_thread::<Sound>();
        assert_eq!(size_of::<Option<Sound>>(), size_of::<usize>());
    }

    #[test]
    fn a_name_changes_nothing_but_the_name() {
        let sound = Sound::from_stereo(4, &[[1.0, -1.0], [0.5, 0.25]]).unwrap();
        assert_eq!(sound.name(), "");
        let Samples::Stereo32(before) = sound.samples().clone() else {
            panic!("two channels of f32 were given");
        };
        let named = sound.clone().named("bell");
        let Samples::Stereo32(after) = named.samples() else {
            panic!("a name changed the samples");
        };
        assert!(Arc::ptr_eq(&before, after));
        assert_eq!(named.name(), "bell");
        assert_eq!(named.channels(), 2);
        assert!(named.frames().eq(sound.frames()));
        assert_eq!(format!("{named:?}"), "Sound { name: \"bell\", sample_rate: 4, frames: 2 }");
    }

    #[test]
    fn what_no_mix_could_carry_is_refused_with_its_place() {
        assert_eq!(
            text(Sound::from_mono(4, &[0.0, f32::NAN])),
            "mono samples: frame 1 is NaN; samples are finite and within ±65536"
        );
        assert_eq!(
            text(Sound::from_stereo(4, &[[0.0, 0.0], [0.0, 0.0], [0.0, f32::NEG_INFINITY]])),
            "stereo frames: frame 2 is -inf; samples are finite and within ±65536"
        );
        assert_eq!(
            text(Sound::from_mono(4, &[65_536.0, -65_536.01])),
            "mono samples: frame 1 is -65536.01; samples are finite and within ±65536"
        );
        assert_eq!(text(Sound::from_mono(4, &[])), "mono samples: has no frames");
        assert_eq!(
            text(Sound::from_mono(0, &[0.0])),
            "mono samples: sample rate 0 Hz is not within 1 to 384000 Hz"
        );
        assert_eq!(
            text(Sound::from_stereo(384_001, &[[0.0; 2]])),
            "stereo frames: sample rate 384001 Hz is not within 1 to 384000 Hz"
        );
    }

    #[test]
    fn its_own_rate_is_the_very_same_sound() {
        let sound = Sound::from_mono(8, &[1.0, 2.0, 3.0]).unwrap();
        assert!(Arc::ptr_eq(&sound.0, &sound.resampled(8).unwrap().0));
    }

    #[test]
    fn another_rate_keeps_the_name_and_refuses_what_cannot_be() {
        let sound = Sound::from_mono(1, &[0.5; 9_000]).unwrap().named("wind");
        let faster = sound.resampled(2).unwrap();
        assert_eq!((faster.name(), faster.frame_count()), ("wind", 18_000));
        assert_eq!(faster.duration(), sound.duration());
        assert_eq!(text(sound.resampled(0)), "wind: sample rate 0 Hz is not within 1 to 384000 Hz");
        assert_eq!(
            text(sound.resampled(384_000)),
            "wind: would be 3456000000 frames at 384000 Hz; at most 1073741824 fit into 4 GiB"
        );
    }
}
