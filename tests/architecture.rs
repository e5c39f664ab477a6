//! The path says the thread: what may be named where.

use std::fmt::Debug;
use std::fs;
use std::hash::Hash;
use std::path::{Path, PathBuf};

use voicepool::{
    BusId, Config, Ending, Error, Event, Events, Mixer, Play, Pool, Priority, Renderer, Sound,
    Stats, VoiceId, VoiceInfo,
};

/// Every source file with its path below `src` and its code, comments left out.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    gather(&root, &mut files);
    files.sort();
    assert!(files.len() > 20, "these are not all: {files:?}");
    let read = |path: &PathBuf| {
        let below = path.strip_prefix(&root).expect("a path below src");
        let text = fs::read_to_string(path).expect("a readable source");
        let code: Vec<&str> =
            text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
        (below.to_string_lossy().replace('\\', "/"), code.join("\n"))
    };
    files.iter().map(read).collect()
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            gather(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Whether a name stands in the code, as a whole word.
fn names(code: &str, name: &str) -> bool {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

/// Only these files may name it; and they do, or this test has lost its sense.
fn only(name: &str, files: &[&str]) {
    let naming: Vec<String> =
        sources().into_iter().filter(|(_, code)| names(code, name)).map(|(path, _)| path).collect();
    let strangers: Vec<&String> =
        naming.iter().filter(|path| !files.iter().any(|file| path.starts_with(file))).collect();
    assert!(strangers.is_empty(), "{strangers:?} name {name}");
    assert!(!naming.is_empty(), "nobody names {name}");
}

/// `game/` and `audio/` know only the root, never each other: not by any path, not in a test.
#[test]
fn the_two_sides_never_name_each_other() {
    for (side, other) in [("game/", "audio"), ("audio/", "game")] {
        let files: Vec<_> =
            sources().into_iter().filter(|(path, _)| path.starts_with(side)).collect();
        assert!(files.len() > 2, "{side} has files");
        for (path, code) in files {
            assert!(!names(&code, other), "{path} names {other}");
        }
    }
}

/// What the compiler cannot check lives in two places.
#[test]
fn unsafe_code_is_in_two_places_only() {
    const PLACES: [&str; 5] = [
        "pool.rs",
        "audio/kernel/avx2.rs",
        "audio/kernel/frame.rs",
        "audio/kernel/sse2.rs",
        "audio/kernel/wide.rs",
    ];
    only("unsafe", &PLACES);
    only("unsafe_code", &[PLACES.as_slice(), &["lib.rs"]].concat());
    let sources = sources();
    let (_, root) = sources.iter().find(|(path, _)| path == "lib.rs").expect("lib.rs");
    assert!(root.contains("#![deny(unsafe_code)]"));
}

/// Each dependency has its place.
#[test]
fn a_dependency_is_named_where_it_belongs() {
    only("crossbeam_channel", &["link/lane.rs"]);
    only("hound", &["output/offline.rs"]);
    // And the tests that are the logger, or play its sound system.
    only("log", &["log_line.rs", "output/tests"]);
    only("cpal", &["output/device.rs", "output/tests"]);
}

/// What may panic, wait or allocate is not even written down on the audio side. Unit tests, which
/// stand at the end of a file or in one of their own, may do as they like.
#[test]
fn the_audio_side_names_nothing_that_panics_waits_or_allocates() {
    const FORBIDDEN: [&str; 24] = [
        ".unwrap()",
        ".expect(",
        "panic!",
        "unreachable!",
        "todo!",
        "unimplemented!",
        "assert!",
        "println!",
        "log::",
        "Mutex",
        "RwLock",
        ".lock()",
        "thread::",
        "Instant::now",
        "SystemTime",
        "sleep",
        ".to_vec(",
        ".to_owned(",
        ".to_string(",
        "format!",
        "String",
        ".collect()",
        ".push(",
        "recv()",
    ];
    let sources = sources();
    let ours = |path: &str| path.starts_with("audio/") && !path.ends_with("/tests.rs");
    for (path, code) in sources.iter().filter(|(path, _)| ours(path)) {
        let code = code.split("#[cfg(test)]").next().unwrap_or_default();
        for word in FORBIDDEN {
            assert!(!code.contains(word), "{path} contains {word}");
        }
    }
}

fn sent<T: Send>() {}
fn shared<T: Send + Sync + 'static>() {}
fn cloned<T: Clone>() {}
fn a_name<T: Copy + Eq + Ord + Hash + Debug>() {}

/// What may cross threads, and what may be copied, is a promise.
#[test]
fn public_types_cross_threads_as_promised() {
    shared::<Mixer>();
    cloned::<Mixer>();
    sent::<Renderer>();
    shared::<Sound>();
    cloned::<Sound>();
    shared::<Play>();
    cloned::<Play>();
    shared::<Error>();
    shared::<Box<dyn std::error::Error + Send + Sync>>();
    a_name::<VoiceId>();
    a_name::<BusId>();
    a_name::<Priority>();
    shared::<VoiceId>();
    shared::<Config>();
    shared::<Event>();
    shared::<Ending>();
    shared::<Stats>();
    shared::<VoiceInfo>();
    shared::<Pool<u8>>();
    sent::<Events>();
    let _: Box<dyn std::error::Error + Send + Sync> =
        Box::new(Sound::from_mono(0, &[]).expect_err("no rate and no frames"));
}
