//! Without a device: frames into memory, and into WAV files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;
#[cfg(not(target_arch = "wasm32"))]
use std::time::{Duration, Instant};

use hound::{SampleFormat, WavSpec, WavWriter};

use crate::audio::Renderer;
use crate::audio::make;
use crate::config::{Config, RATES};
use crate::game::Mixer;
use crate::link::feed::Feeder;
use crate::link::{Bridge, Drive};
use crate::stream::feeder;
use crate::{Error, Frame};

/// The most frames that fit into one WAV file, whose sizes are 32-bit: a little over three hours
/// at 48 kHz. Room is left for the headers.
const MOST_WAV_FRAMES: usize = (u32::MAX as usize - 1024) / size_of::<Frame>();

/// How long a render waits for what is read of a stream, before it goes on without.
#[cfg(not(target_arch = "wasm32"))]
const PATIENCE: Duration = Duration::from_secs(10);

/// How many frames are rendered at a time on the way to a file.
const BLOCK: usize = 4096;

impl Mixer {
    /// Opens a mixer without a device: its sound is made by calling the [`Renderer`]. That is the
    /// way to test a game's sound, to render it into a file, and to drive it from any other audio
    /// backend.
    pub fn offline(config: Config) -> Result<(Mixer, Renderer), Error> {
        config.check()?;
        let bridge = Arc::new(Bridge::new(&config).with_feeder(feeder()));
        let renderer = Renderer::new(&config, bridge.clone());
        Ok((Mixer::new(&config, bridge, make, None), renderer))
    }
}

impl Renderer {
    /// The frames that come next.
    pub fn frames(&mut self, count: usize) -> Vec<Frame> {
        let mut frames = vec![[0.0; 2]; count];
        self.fill_whole(&mut frames);
        frames
    }

    /// Renders, and waits for streams.
    fn fill_whole(&mut self, out: &mut [Frame]) {
        let bridge = self.bridge();
        self.fill(out, &mut Patient::new(&bridge));
    }

    /// Renders the frames that come next into a WAV file, 32-bit float. If the file cannot be
    /// made, nothing was rendered; if it cannot be finished, nothing of it is left behind.
    pub fn write_wav(&mut self, path: impl AsRef<Path>, count: usize) -> Result<(), Error> {
        let mut block = [[0.0; 2]; BLOCK];
        let mut left = count;
        write(path.as_ref(), self.sample_rate(), count, |write| {
            while left > 0 {
                let frames = &mut block[..left.min(BLOCK)];
                self.fill_whole(frames);
                left -= frames.len();
                write(frames)?;
            }
            Ok(())
        })
    }
}

/// Waits for streams, and for a recording.
pub(crate) struct Patient<'a> {
    bridge: &'a Bridge,
    /// Since when it was waited in vain, if it was. Where there are no threads, nothing comes by waiting.
    #[cfg(not(target_arch = "wasm32"))]
    since: Option<Instant>,
}

impl Patient<'_> {
    pub fn new(bridge: &Bridge) -> Patient<'_> {
        Patient {
            bridge,
            #[cfg(not(target_arch = "wasm32"))]
            since: None,
        }
    }
}

impl Drive for Patient<'_> {
    /// Thousands of lines may pass before the thread that writes a recording gets its turn.
    fn line(&mut self, at: u64) -> u64 {
        if let Some(tape) = self.bridge.tape() {
            tape.await_room(at);
        }
        // There was enough to go on, unless nothing has come for so long that it is waited no more.
        #[cfg(not(target_arch = "wasm32"))]
        if self.since.is_some_and(|since| since.elapsed() < PATIENCE) {
            self.since = None;
        }
        u64::MAX
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn wait(&mut self) -> bool {
        if self.bridge.feeder().is_some_and(Feeder::wait) {
            self.since = None;
            return true;
        }
        self.since.get_or_insert_with(Instant::now).elapsed() < PATIENCE
    }

    #[cfg(target_arch = "wasm32")]
    fn wait(&mut self) -> bool {
        self.bridge.feeder().is_some_and(Feeder::wait)
    }
}

/// Writes frames into a WAV file, 32-bit float. If that fails, nothing of it is left behind.
pub fn write_wav(path: impl AsRef<Path>, sample_rate: u32, frames: &[Frame]) -> Result<(), Error> {
    write(path.as_ref(), sample_rate, frames.len(), |write| write(frames))
}

type Sink<'a> = &'a mut dyn FnMut(&[Frame]) -> Result<(), hound::Error>;

/// Writes into a file beside the one that is meant, and puts it in its place once it is whole.
fn write(
    path: &Path,
    sample_rate: u32,
    count: usize,
    fill: impl FnOnce(Sink) -> Result<(), hound::Error>,
) -> Result<(), Error> {
    if !RATES.contains(&sample_rate) {
        let source =
            io::Error::other(format!("a rate of {sample_rate} Hz; it must be 1 to 384000"));
        return Err(Error::Write { path: path.to_owned(), source });
    }
    if count > MOST_WAV_FRAMES {
        let (path, most) = (path.to_owned(), MOST_WAV_FRAMES);
        return Err(Error::TooLong { path, frames: count, most });
    }
    let error = |source| Error::Write { path: path.to_owned(), source };
    let (file, Part { path: part, place }) = Part::open(path).map_err(error)?;
    let written = (|| {
        let spec = WavSpec {
            channels: 2,
            sample_rate,
            bits_per_sample: 32,
            sample_format: SampleFormat::Float,
        };
        let mut wav = WavWriter::new(BufWriter::new(file), spec)?;
        fill(&mut |frames| {
            frames.iter().flatten().try_for_each(|sample| wav.write_sample(*sample))
        })?;
        wav.finalize()
    })();
    let placed = written
        .map_err(io_error)
        .and_then(|()| if part == place { Ok(()) } else { fs::rename(&part, &place) });
    placed.map_err(|source| {
        if part != place {
            // What failed may be that there is no such file; there is nothing more to be done.
            let _ = fs::remove_file(&part);
        }
        error(source)
    })
}

/// Where is written first, and what takes its name once it is whole.
struct Part {
    path: PathBuf,
    place: PathBuf,
}

impl Part {
    /// Begins a file of its own beside the one that is meant: others may do the same. What is there and is no ordinary
    /// file (a device, a pipe) is written to as it is: it must not be replaced.
    fn open(path: &Path) -> io::Result<(File, Part)> {
        let there = fs::metadata(path);
        if there.as_ref().is_ok_and(|there| !there.is_file()) {
            let path = path.to_owned();
            return Ok((File::create(&path)?, Part { place: path.clone(), path }));
        }
        if there.is_ok_and(|there| there.permissions().readonly()) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is write-protected"));
        }
        // The file behind a link, and not the link.
        let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut number = 1;
        loop {
            let mut name = place.as_os_str().to_owned();
            match number {
                1 => name.push(".part"),
                _ => name.push(format!(".{number}.part")),
            }
            let path = PathBuf::from(name);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((file, Part { path, place })),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }
}

fn io_error(error: hound::Error) -> io::Error {
    match error {
        hound::Error::IoError(error) => error,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Play, Sound};

    /// A folder of this test's own, gone with it.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path =
                std::env::temp_dir().join(format!("voicepool-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Folder(path)
        }

        fn names(&self) -> Vec<String> {
            let name =
                |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
            fs::read_dir(&self.0).unwrap().map(name).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn beeping() -> Renderer {
        let (mixer, renderer) =
            Mixer::offline(Config { sample_rate: 8000, ..Config::default() }).unwrap();
        let beep = Sound::from_mono(8000, &[0.5, -0.25, 0.125]).unwrap();
        mixer.play(Play::of(&beep).looping());
        renderer
    }

    #[test]
    fn a_wav_holds_the_frames_that_memory_would() {
        let folder = Folder::new("same");
        let path = folder.0.join("beep.wav");
        beeping().write_wav(&path, 10_000).unwrap();
        let read = Sound::load(&path).unwrap();
        assert_eq!((read.sample_rate(), read.name()), (8000, "beep"));
        assert!(read.frames().eq(beeping().frames(10_000)));
        assert_eq!(folder.names(), ["beep.wav"]);
    }

    #[test]
    fn what_a_wav_cannot_hold_is_refused_before_anything_is_written_or_rendered() {
        let folder = Folder::new("long");
        let path = folder.0.join("day.wav");
        let mut renderer = beeping();
        let error = renderer.write_wav(&path, MOST_WAV_FRAMES + 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "{}: 536870784 frames do not fit into one WAV file (at most 536870783)",
                path.display()
            )
        );
        assert!(folder.names().is_empty());
        assert_eq!(renderer.frames(3), beeping().frames(3));
    }

    #[test]
    fn a_file_that_cannot_be_made_costs_no_frames() {
        let mut renderer = beeping();
        let path = Path::new("no/such/folder/beep.wav");
        let error = renderer.write_wav(path, 100).unwrap_err().to_string();
        assert!(error.starts_with("no/such/folder/beep.wav: could not be written: "), "{error}");
        assert_eq!(renderer.frames(3), beeping().frames(3));
    }

    #[test]
    fn a_write_that_fails_leaves_what_was_there_and_nothing_half() {
        let folder = Folder::new("half");
        let path = folder.0.join("beep.wav");
        fs::write(&path, "what was there").unwrap();
        let full = |_: Sink| Err(hound::Error::IoError(io::Error::other("the disk is full")));
        let error = write(&path, 8000, 1, full).unwrap_err().to_string();
        assert!(error.ends_with("beep.wav: could not be written: the disk is full"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"what was there");
        assert_eq!(folder.names(), ["beep.wav"]);
    }

    /// Two at once, and a file of somebody else's that has the name of a part.
    #[test]
    fn who_writes_the_same_file_writes_all_of_it_and_touches_no_other() {
        let folder = Folder::new("twice");
        let path = folder.0.join("beep.wav");
        fs::write(folder.0.join("beep.wav.part"), "a download").unwrap();
        let parts = [(); 2].map(|()| Part::open(&path).unwrap().1.path);
        assert_ne!(parts[0], parts[1]);
        beeping().write_wav(&path, 100).unwrap();
        assert!(Sound::load(&path).unwrap().frames().eq(beeping().frames(100)));
        assert_eq!(fs::read(folder.0.join("beep.wav.part")).unwrap(), b"a download");
        parts.iter().for_each(|part| fs::remove_file(part).unwrap());
        let mut names = folder.names();
        names.sort();
        assert_eq!(names, ["beep.wav", "beep.wav.part"]);
    }

    #[test]
    fn what_is_write_protected_stays_as_it_is() {
        let folder = Folder::new("protected");
        let path = folder.0.join("beep.wav");
        fs::write(&path, "what was there").unwrap();
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions.clone()).unwrap();
        let error = write_wav(&path, 8000, &[[0.0; 2]]).unwrap_err().to_string();
        assert!(
            error.ends_with("beep.wav: could not be written: it is write-protected"),
            "{error}"
        );
        assert_eq!(fs::read(&path).unwrap(), b"what was there");
        #[allow(clippy::permissions_set_readonly_false, reason = "so that the folder can go")]
        permissions.set_readonly(false);
        fs::set_permissions(&path, permissions).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_and_not_replaced() {
        let folder = Folder::new("link");
        let (path, link) = (folder.0.join("beep.wav"), folder.0.join("link.wav"));
        fs::write(&path, "what was there").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        beeping().write_wav(&link, 100).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(Sound::load(&path).unwrap().frames().eq(beeping().frames(100)));
    }

    #[test]
    fn a_rate_that_no_sound_has_is_refused() {
        let folder = Folder::new("rate");
        let path = folder.0.join("never.wav");
        for rate in [0, 384_001, u32::MAX] {
            let error = write_wav(&path, rate, &[[0.0; 2]]).unwrap_err().to_string();
            let fault = format!("a rate of {rate} Hz; it must be 1 to 384000");
            assert_eq!(error, format!("{}: could not be written: {fault}", path.display()));
        }
        assert!(folder.names().is_empty());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_is_written_to_and_never_replaced() {
        let (_, part) = Part::open(Path::new("/dev/null")).unwrap();
        assert_eq!([part.path, part.place], ["/dev/null"; 2].map(PathBuf::from));
        let error = write_wav("/dev/full", 8000, &[[0.0; 2]; 5000]).unwrap_err().to_string();
        assert!(error.starts_with("/dev/full: could not be written: "), "{error}");
    }

    /// Waits so many times, and counts.
    struct Counting<'a> {
        waits: &'a mut u32,
        patience: u32,
    }

    impl Drive for Counting<'_> {
        fn wait(&mut self) -> bool {
            *self.waits += 1;
            *self.waits < self.patience
        }
    }

    /// A disk that never answers is waited for once, and not again in every call: neither where a stream runs
    /// dry, nor where it was told to go elsewhere and is still heard from its old place.
    #[test]
    fn a_disk_that_never_answers_is_waited_for_once() {
        let folder = Folder::new("stuck");
        let path = folder.0.join("long.wav");
        write_wav(&path, 48_000, &[[0.1; 2]; 100_000]).unwrap();
        let file: Arc<[u8]> = fs::read(&path).unwrap().into();
        let (held, stuck) = std::sync::mpsc::channel::<()>();
        let (stuck, looked) = (std::sync::Mutex::new(stuck), std::sync::OnceLock::new());
        let open = move || {
            if looked.set(()).is_err() {
                // Until the test is over.
                let _ = stuck.lock().map(|stuck| stuck.recv());
            }
            Ok(io::Cursor::new(file.clone()))
        };
        let music = crate::Stream::from_reader("stuck", open).unwrap();
        let (mixer, mut renderer) = Mixer::offline(Config::default()).unwrap();
        let mut waits = 0;
        let mut render = |frames: usize, patience: u32| {
            waits = 0;
            let mut out = vec![[0.0; 2]; frames];
            renderer.fill(&mut out, &mut Counting { waits: &mut waits, patience });
            waits
        };
        let voice = mixer.play(&music);
        assert_eq!(render(10_000, 5), 0, "its beginning is in memory");
        mixer.seek(voice, crate::secs(1.5));
        assert_eq!(render(512, 5), 5, "the line on which it is told to");
        (0..200).for_each(|_| assert_eq!(render(128, 5), 0, "no more"));
        mixer.stop(voice, crate::ms(0));
        render(512, 1);
        mixer.play(&music);
        let waits: Vec<u32> = (0..300).map(|_| render(128, 5)).filter(|waits| *waits > 0).collect();
        assert_eq!(waits, [5], "where it runs dry");
        assert_eq!(mixer.stats().underruns, 2);
        drop(held);
    }
}
