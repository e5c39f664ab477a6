//! The cast: the sounds of a folder, each on a key, and who plays which part.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use voicepool::{Mixer, Sound};

/// The keys that sounds are put on, in this order. All others are the app's.
pub const KEYS: &str = "1234567890bcdgijklnovxyzBCDGIJKLNORUVXYZ";

/// What lasts longer is a track: nobody throws it by the hundred.
pub const LONG: Duration = Duration::from_secs(10);

/// The sounds, in the order of their files' names.
pub struct Cast {
    pub members: Vec<Member>,
    /// The files that are not in it, and why.
    pub skipped: Vec<Skipped>,
    /// The wave of the wand.
    pub swish: usize,
    /// What each sparkle says.
    pub spark: usize,
    /// What ends an argument.
    pub boom: usize,
    /// What the hero walks on.
    pub steps: Vec<usize>,
    /// What goes on and on.
    pub loops: Vec<usize>,
    /// What is too long to be thrown, and no loop: music, as a rule.
    pub tracks: Vec<usize>,
    /// What is thrown: everything else, or if there is nothing else, all.
    pub shots: Vec<usize>,
}

pub struct Member {
    pub sound: Sound,
    /// The sound's name without anything that a terminal would obey.
    pub name: String,
    pub key: Option<char>,
}

/// A file that is not played.
#[derive(Debug, PartialEq)]
pub struct Skipped {
    pub file: String,
    pub why: String,
}

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

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.why)
    }
}

impl Cast {
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
            match load(path, &inside, mixer) {
                Ok(sound) => sounds.push(sound),
                Err(why) => skipped.push(Skipped { file: printable(&file_name(path)), why }),
            }
        }
        if sounds.is_empty() {
            return Err(NoCast::Empty { folder: folder.to_owned(), skipped });
        }
        Ok(Cast::of(sounds, skipped))
    }

    /// Gives out the parts: by name where a name says it, else by how long and how loud.
    pub fn of(sounds: Vec<Sound>, skipped: Vec<Skipped>) -> Cast {
        let keys = KEYS.chars().map(Some).chain(std::iter::repeat(None));
        let member =
            |(sound, key): (Sound, _)| Member { name: printable(sound.name()), sound, key };
        let members: Vec<Member> = sounds.into_iter().zip(keys).map(member).collect();
        let is_loop = |name: &str| name.ends_with("_loop") || name.ends_with("_bed");
        let (loops, others): (Vec<_>, Vec<_>) =
            (0..members.len()).partition(|&i| is_loop(&members[i].name));
        let (tracks, mut shots): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|&i| members[i].sound.duration() > LONG);
        if shots.is_empty() {
            shots = (0..members.len()).collect();
        }
        let named = |part: &'static str| {
            shots.iter().copied().filter(|&i| members[i].name.contains(part)).collect::<Vec<_>>()
        };
        let first = |parts: [&'static str; 2]| parts.into_iter().flat_map(named).next();
        let by_length = |&i: &usize| members[i].sound.duration();
        let shortest = shots.iter().copied().min_by_key(by_length).unwrap_or(0);
        let longest = shots.iter().copied().max_by_key(by_length).unwrap_or(0);
        let mut steps = named("step");
        if steps.is_empty() {
            steps = shots.iter().copied().take(3).collect();
        }
        Cast {
            swish: first(["swish", "whoosh"]).unwrap_or(shots[0]),
            spark: named("tick").first().copied().unwrap_or(shortest),
            boom: first(["explosion", "boom"]).unwrap_or(longest),
            steps,
            loops,
            tracks,
            shots,
            members,
            skipped,
        }
    }

    /// Whether there is anything that goes on and on.
    pub fn has_ambience(&self) -> bool {
        !self.loops.is_empty() || !self.tracks.is_empty()
    }

    /// Who is on a key.
    pub fn on_key(&self, key: char) -> Option<usize> {
        self.members.iter().position(|member| member.key == Some(key))
    }

    pub fn name(&self, index: usize) -> &str {
        self.members.get(index).map_or("?", |member| &member.name)
    }
}

/// Loads a file of the folder, or says why not.
fn load(path: &Path, inside: &Path, mixer: &Mixer) -> Result<Sound, String> {
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

/// A name as it can be shown: a file may be called anything, also what a terminal would obey.
fn printable(name: &str) -> String {
    // Some terminals obey the marks that turn the direction of writing, for the whole line.
    let turns = |c| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    name.chars().filter(|c| !c.is_control() && !turns(*c)).collect()
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
            Cast::load(&self.0.join("inside"), &mixer)
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
        assert_eq!(names(&Cast::load(&link, &mixer).unwrap()), ["a"]);
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

    #[test]
    fn the_parts_go_by_name_or_else_by_length() {
        let sound = |name: &str, frames| {
            voicepool::Sound::from_mono(48_000, &vec![0.1; frames]).unwrap().named(name)
        };
        let cast = Cast::of(
            vec![sound("hum_loop", 900), sound("magic_swish", 50), sound("x", 10), sound("y", 400)],
            Vec::new(),
        );
        assert_eq!((cast.swish, cast.spark, cast.boom), (1, 2, 3));
        assert_eq!((cast.loops, cast.shots), (vec![0], vec![1, 2, 3]));
        let named = ["a_step", "b", "small_boom", "c_step", "tick"].map(|name| sound(name, 50));
        let named = Cast::of([named.to_vec(), vec![sound("long", 900)]].concat(), Vec::new());
        assert_eq!((named.spark, named.boom, named.steps), (4, 2, vec![0, 3]));
        let only_loops = Cast::of(vec![sound("hum_loop", 900)], Vec::new());
        assert_eq!((only_loops.swish, only_loops.shots), (0, vec![0]));
    }

    #[test]
    fn a_long_sound_is_a_track_and_has_no_other_part_whatever_it_is_called() {
        let sound = |name: &str, seconds: usize| {
            voicepool::Sound::from_mono(4, &vec![0.1; 4 * seconds]).unwrap().named(name)
        };
        let long = ["swish_song", "a_step_too_far", "tick_tock", "boom_boom"];
        let long = long.map(|name| sound(name, 11));
        let short = [sound("x", 1), sound("y", 10)];
        let cast = Cast::of(
            [long.to_vec(), short.to_vec(), vec![sound("z_loop", 60)]].concat(),
            Vec::new(),
        );
        assert_eq!((cast.tracks, cast.shots, cast.loops), (vec![0, 1, 2, 3], vec![4, 5], vec![6]));
        assert_eq!((cast.swish, cast.spark, cast.boom, cast.steps), (4, 4, 5, vec![4, 5]));
        let only_long = Cast::of(long.to_vec(), Vec::new());
        assert_eq!((only_long.tracks.len(), only_long.shots.len()), (4, 4), "there is no other");
    }
}
