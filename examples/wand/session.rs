//! What was said to the mixer since the app began, recorded: a recording begins before the first play, so when something
//! sounds odd there is all that led to it.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use voicepool::{Mixer, Recorder};

/// How much of it is kept in memory: hours of play, or an hour of storm.
const MOST_BYTES: usize = 256 << 20;

/// The session, on its way into a file that was asked for, or in memory until somebody asks for it.
pub struct Session {
    recorder: Recorder,
    goes_to: Place,
    /// What was saved of it, each with how it is heard again.
    saved: Vec<String>,
}

enum Place {
    File(PathBuf),
    Memory(Memory),
}

impl Session {
    /// Records from now on, with the sounds that are played.
    pub fn begin(mixer: &Mixer, path: Option<&Path>) -> Result<Session, Box<dyn Error>> {
        let (recorder, goes_to) = match path {
            Some(path) => {
                let file = File::create(path).map_err(|error| told(path, &error))?;
                (mixer.record(file)?, Place::File(path.into()))
            }
            None => {
                let memory = Memory::default();
                (mixer.record(memory.clone())?, Place::Memory(memory))
            }
        };
        Ok(Session { recorder: recorder.with_sounds(), goes_to, saved: Vec::new() })
    }

    /// Writes what there is up to now into a folder, under a name that is not taken. Says how it is heard again.
    pub fn save(&mut self, folder: &Path) -> String {
        let memory = match &self.goes_to {
            Place::File(path) => return format!("all of it goes into {}", path.display()),
            Place::Memory(memory) => memory,
        };
        match memory.save(folder) {
            Ok((path, is_full)) => {
                let what = if is_full { "the beginning is saved" } else { "saved" };
                let text = format!("{what}; to hear it again: {}", again(&path));
                self.saved.push(text.clone());
                text
            }
            Err(error) => error.to_string(),
        }
    }

    /// Ends it. Says how it is heard again, as far as it is in files.
    pub fn finish(self, rate: u32) -> Result<Vec<String>, Box<dyn Error>> {
        let Place::File(path) = &self.goes_to else { return Ok(self.saved) };
        let summary = self.recorder.finish()?;
        let (name, again) = (path.display(), again(path));
        let seconds = summary.frames / u64::from(rate);
        let end = if summary.is_whole { "" } else { ", where the disk could not keep up" };
        Ok(vec![format!("{seconds} s are in {name}{end}. To hear them again: {again}")])
    }
}

/// The command that replays a file.
fn again(path: &Path) -> String {
    let name = path.display().to_string();
    let is_word = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    match name.chars().all(is_word) {
        true => format!("cargo run --release --example replay {name}"),
        false => format!("cargo run --release --example replay '{}'", name.replace('\'', r"'\''")),
    }
}

/// A recording in memory, which several hands hold, and whether it has grown as large as it may.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<(Vec<u8>, bool)>>);

impl Memory {
    fn held(&self) -> MutexGuard<'_, (Vec<u8>, bool)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn save(&self, folder: &Path) -> io::Result<(PathBuf, bool)> {
        let mut n = 1;
        let (path, mut file) = loop {
            let path = folder.join(format!("wand-{n}.vpr"));
            match File::create_new(&path) {
                Ok(file) => break (path, file),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => n += 1,
                Err(error) => return Err(told(&path, &error)),
            }
        };
        // A copy, so that what is recorded meanwhile waits for no disk.
        let (bytes, is_full) = self.held().clone();
        match file.write_all(&bytes) {
            Ok(()) => Ok((path, is_full)),
            Err(error) => {
                let _ = fs::remove_file(&path);
                Err(told(&path, &error))
            }
        }
    }
}

fn told(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut held = self.held();
        held.1 |= held.0.len() + bytes.len() > MOST_BYTES;
        if held.1 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        held.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;
    use voicepool::{Config, Play, Replay, Sound};

    #[test]
    fn what_was_heard_up_to_a_key_is_saved_and_heard_again() {
        let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
        let mut session = Session::begin(&mixer, None).unwrap();
        let sound = Sound::from_mono(48_000, &[0.5; 20_000]).unwrap().named("long");
        mixer.play(Play::of(&sound).gain(0.5));
        let heard = renderer.frames(40_000);
        let folder = std::env::temp_dir().join(format!("voicepool session {}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let memory = match &session.goes_to {
            Place::Memory(memory) => memory.clone(),
            Place::File(_) => unreachable!(),
        };
        let read = || Replay::read(Cursor::new(memory.held().0.clone()), |_| None).ok();
        while read().is_none_or(|replay| replay.frame_count() < 20_000) {
            std::thread::yield_now();
        }
        for n in 1..3 {
            let path = folder.join(format!("wand-{n}.vpr"));
            let again = format!("cargo run --release --example replay '{}'", path.display());
            assert_eq!(session.save(&folder), format!("saved; to hear it again: {again}"));
            let mut replay = Replay::read(File::open(&path).unwrap(), |_| None).unwrap();
            let mut frames = vec![[0.0; 2]; 20_000];
            assert_eq!((replay.missing().len(), replay.render(&mut frames)), (0, 20_000));
            assert!(frames == heard[..20_000]);
        }
        assert_eq!(session.finish(48_000).unwrap().len(), 2);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_folder_that_takes_nothing_is_named() {
        let (mixer, _renderer) = Mixer::offline(Config::DEFAULT).unwrap();
        let mut session = Session::begin(&mixer, None).unwrap();
        let told = session.save(Path::new("no such folder"));
        assert!(told.contains("wand-1.vpr: ") && told.starts_with("no such folder"), "{told}");
        assert!(session.finish(48_000).unwrap().is_empty());
    }
}
