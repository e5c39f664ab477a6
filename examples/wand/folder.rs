//! The sounds of a folder, loaded.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use voicepool::{Mixer, Sound};

use crate::logic::cast::{Cast, Skipped, printable};

/// A folder that gives nothing to play.
#[derive(Debug)]
pub enum NoCast {
    Unreadable { folder: PathBuf, cause: std::io::Error },
    Empty { folder: PathBuf, skipped: Vec<Skipped> },
}

impl fmt::Display for NoCast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoCast::Unreadable { folder, cause } => {
                write!(f, "cannot read the folder {}: {cause}", folder.display())
            }
            NoCast::Empty { folder, skipped } => {
                write!(f, "no sound can be played from the folder {}", folder.display())?;
                skipped.iter().try_for_each(|skipped| write!(f, "\n  {skipped}"))
            }
        }
    }
}

impl std::error::Error for NoCast {}

/// Loads every sound of a folder, and nothing that is outside of it.
pub fn load(folder: &Path, mixer: &Mixer) -> Result<Cast, NoCast> {
    let unreadable = |cause| NoCast::Unreadable { folder: folder.to_owned(), cause };
    let inside = folder.canonicalize().map_err(unreadable)?;
    let mut paths = Vec::new();
    for entry in fs::read_dir(&inside).map_err(unreadable)? {
        paths.push(entry.map_err(unreadable)?.path());
    }
    paths.sort();
    let (mut sounds, mut skipped) = (Vec::new(), Vec::new());
    for path in paths.iter().filter(|path| !is_note(path)) {
        match load_file(path, &inside, mixer) {
            Ok(sound) => sounds.push(sound),
            Err(why) => skipped.push(Skipped { file: printable(&file_name(path)), why }),
        }
    }
    if sounds.is_empty() {
        return Err(NoCast::Empty { folder: folder.to_owned(), skipped });
    }
    Ok(Cast::of(sounds, skipped))
}

/// Loads a file of the folder, or says why not.
fn load_file(path: &Path, inside: &Path, mixer: &Mixer) -> Result<Sound, String> {
    let real = path.canonicalize().map_err(|cause| cause.to_string())?;
    if real.parent() != Some(inside) {
        return Err("is a link that leaves the folder".into());
    }
    // To open a pipe would wait for whoever writes into it.
    if !real.is_file() {
        return Err("is not a file".into());
    }
    mixer.load(&real).map_err(|error| {
        // The path stands in front already.
        let error = error.to_string();
        let path = format!("{}: ", real.display());
        printable(error.strip_prefix(&path).unwrap_or(&error))
    })
}

/// Whether a file is hidden, or there to be read by people.
fn is_note(path: &Path) -> bool {
    let name = file_name(path).to_lowercase();
    name.starts_with('.') || name.ends_with(".md") || name.ends_with(".txt")
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use voicepool::Config;

    /// A new folder for a test, gone with it.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("wand-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(path.join("inside")).unwrap();
            Folder(path)
        }

        fn beep(&self, name: &str) -> PathBuf {
            let path = self.0.join(name);
            voicepool::write_wav(&path, 48_000, &[[0.5; 2]; 480]).unwrap();
            path
        }

        fn load(&self) -> Result<Cast, NoCast> {
            let (mixer, _renderer) = Mixer::offline(Config::default()).unwrap();
            load(&self.0.join("inside"), &mixer)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn names(cast: &Cast) -> Vec<&str> {
        cast.members.iter().map(|member| member.name.as_str()).collect()
    }

    #[test]
    fn broken_files_are_skipped_with_their_reason_and_the_others_play() {
        let folder = Folder::new("broken");
        folder.beep("inside/b.wav");
        folder.beep("inside/a.wav");
        fs::write(folder.0.join("inside/torn.wav"), b"RIFF").unwrap();
        for note in ["README.md", "Licence.TXT", ".hidden"] {
            fs::write(folder.0.join("inside").join(note), b"about these sounds").unwrap();
        }
        fs::create_dir(folder.0.join("inside/deeper")).unwrap();
        let cast = folder.load().unwrap();
        assert_eq!(names(&cast), ["a", "b"]);
        assert_eq!(cast.on_key('2'), Some(1));
        let skipped: Vec<String> = cast.skipped.iter().map(ToString::to_string).collect();
        assert_eq!(skipped.len(), 2, "{skipped:?}");
        assert_eq!(skipped[0], "deeper: is not a file");
        assert!(skipped[1].starts_with("torn.wav: ") && skipped[1].len() > 12, "{}", skipped[1]);
        assert!(!skipped[1].contains("wand-"), "the file is named once: {}", skipped[1]);
    }

    #[cfg(feature = "formats")]
    #[test]
    fn ogg_and_mp3_files_are_played_beside_the_others() {
        let folder = Folder::new("formats");
        folder.beep("inside/a.wav");
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats");
        for (from, to) in [
            ("oggenc_22_mono.ogg", "b.ogg"),
            ("lame_22_mono.mp3", "c.mp3"),
            ("loop.flac", "d.flac"),
        ] {
            fs::copy(fixtures.join(from), folder.0.join("inside").join(to)).unwrap();
        }
        fs::copy(fixtures.join("refused_opus.ogg"), folder.0.join("inside/e.ogg")).unwrap();
        let cast = folder.load().unwrap();
        assert_eq!(names(&cast), ["a", "b", "c", "d"]);
        assert!(cast.members.iter().all(|member| member.sound.sample_rate() == 48_000));
        let skipped: Vec<String> = cast.skipped.iter().map(ToString::to_string).collect();
        assert_eq!(skipped, ["e.ogg: is an Opus file; of Ogg files, Vorbis is read"]);
    }

    #[cfg(unix)]
    #[test]
    fn nothing_outside_the_folder_is_read() {
        use std::os::unix::fs::symlink;
        let folder = Folder::new("links");
        let outside = folder.beep("outside.wav");
        let inside = folder.beep("inside/a.wav");
        symlink(&outside, folder.0.join("inside/out.wav")).unwrap();
        symlink("../outside.wav", folder.0.join("inside/up.wav")).unwrap();
        symlink(&folder.0, folder.0.join("inside/all")).unwrap();
        symlink(inside, folder.0.join("inside/z.wav")).unwrap();
        symlink("nowhere", folder.0.join("inside/gone.wav")).unwrap();
        let cast = folder.load().unwrap();
        assert_eq!(cast.members.len(), 2, "a file, and a link that stays in the folder");
        let leaves = "is a link that leaves the folder";
        let why: Vec<(&str, bool)> =
            cast.skipped.iter().map(|skipped| (&*skipped.file, skipped.why == leaves)).collect();
        assert_eq!(why, [("all", true), ("gone.wav", false), ("out.wav", true), ("up.wav", true)]);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_reached_by_a_link_is_a_folder_too() {
        let folder = Folder::new("linked");
        folder.beep("inside/a.wav");
        let link = folder.0.join("link");
        std::os::unix::fs::symlink(folder.0.join("inside"), &link).unwrap();
        let (mixer, _renderer) = Mixer::offline(Config::default()).unwrap();
        assert_eq!(names(&load(&link, &mixer).unwrap()), ["a"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_name_cannot_give_orders_to_the_terminal() {
        let folder = Folder::new("names");
        folder.beep("inside/\u{1b}[31mred\u{7}.wav");
        folder.beep("inside/\u{202e}gnp.wav");
        fs::write(folder.0.join("inside/\u{9b}2J"), b"RIFF").unwrap();
        let cast = folder.load().unwrap();
        assert_eq!(names(&cast), ["[31mred", "gnp"]);
        assert_eq!(cast.skipped[0].file, "2J");
    }

    #[test]
    fn a_folder_without_sounds_says_so() {
        let folder = Folder::new("empty");
        let error = folder.load().err().unwrap().to_string();
        assert!(error.starts_with("no sound can be played from the folder "), "{error}");
        fs::write(folder.0.join("inside/torn.wav"), b"RIFF").unwrap();
        let error = folder.load().err().unwrap().to_string();
        assert!(error.contains("\n  torn.wav: "), "{error}");
        fs::remove_dir_all(&folder.0).unwrap();
        let error = folder.load().err().unwrap().to_string();
        assert!(error.starts_with("cannot read the folder "), "{error}");
    }
}
