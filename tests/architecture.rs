//! The path says the thread: what may be named where.

#[path = "architecture/paths.rs"]
mod paths;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs;
use std::hash::Hash;
use std::path::{Path, PathBuf};

use paths::Crate;
use voicepool::{
    BusId, Config, Ending, Error, Event, Events, Held, Mixer, Play, Pool, Priority, Renderer,
    ResizeFault, Sound, Stats, Tag, Target, VoiceId, VoiceInfo,
};

/// Every source file with its path below `src`, and its text.
fn texts() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    gather(&root, &mut files);
    files.sort();
    assert!(files.len() > 20, "these are not all: {files:?}");
    let read = |path: &PathBuf| {
        let below = path.strip_prefix(&root).expect("a path below src");
        let text = fs::read_to_string(path).expect("a readable source");
        (below.to_string_lossy().replace('\\', "/"), text)
    };
    files.iter().map(read).collect()
}

/// The same with comments left out.
fn sources() -> Vec<(String, String)> {
    let code = |text: &str| -> Vec<String> {
        let before = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
        text.lines().map(before).collect()
    };
    texts().into_iter().map(|(path, text)| (path, code(&text).join("\n"))).collect()
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

/// The folders that are threads.
const SIDES: [&str; 4] = ["audio", "game", "output", "stream"];

/// What one side may name of another, by the folder that names it. The root names what is public; the
/// drivers put the two sides together.
const ALLOWED: [(&str, &[&str]); 3] = [
    (
        "",
        &[
            "audio::Renderer",
            "game::Events",
            "game::Held",
            "game::Mixer",
            "output::Device",
            "output::devices",
            "output::offline::write_wav",
        ],
    ),
    (
        "record",
        &[
            "audio::Renderer",
            "game::Events",
            "game::Mixer",
            "game::Rerun",
            "game::Told",
            "output::offline::Patient",
        ],
    ),
    (
        "output",
        &["audio::Renderer", "audio::make", "game::Mixer", "stream::Slices", "stream::feeder"],
    ),
];

fn split(path: &str) -> Vec<String> {
    path.split("::").map(str::to_owned).collect()
}

fn written(path: &[String]) -> String {
    path.iter().fold("crate".to_owned(), |path, name| path + "::" + name)
}

/// Who names what they must not: a side another, or what all sides share one of them.
fn trespasses(code: &Crate) -> Vec<String> {
    let is_allowed = |folder: &str, named: &[String]| {
        let mut names = ALLOWED.iter().filter(|(who, _)| *who == folder).flat_map(|(_, it)| *it);
        names.any(|name| named.starts_with(&code.definition(&split(name))))
    };
    let mut found: Vec<String> = code
        .named()
        .filter_map(|(module, named)| {
            let folder = module.first().map_or("", String::as_str);
            let side = named.first().filter(|side| SIDES.contains(&side.as_str()))?;
            (folder != side && !is_allowed(folder, &named))
                .then(|| format!("{} names {}", written(module), written(&named)))
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

/// `game/`, `stream/`, `audio/` and `output/` know each other through `link/` and the root alone: by whatever path,
/// alias or re-export a name would get there. What all share names none of them.
#[test]
fn the_sides_name_each_other_through_the_link_alone() {
    let sources = texts();
    let code = Crate::read(sources.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    assert!(code.module_count() > 40, "these are not all");
    for (folder, names) in ALLOWED {
        for name in names {
            let is_named = |(module, named): (&Vec<String>, Vec<String>)| {
                module.first().map_or("", String::as_str) == folder
                    && named.starts_with(&code.definition(&split(name)))
            };
            assert!(code.named().any(is_named), "{folder} does not name {name} any more");
        }
    }
    assert_eq!(trespasses(&code), Vec::<String>::new());
}

/// A small crate that is as it should be, and what becomes of it with one file changed.
fn small_crate(changed: &str, text: &str) -> Vec<String> {
    let mut files = BTreeMap::from([
        (
            "lib.rs",
            "mod audio; mod config; mod game; mod link; mod output; pub use audio::Renderer; pub use game::Mixer;",
        ),
        ("config.rs", "pub struct Config;"),
        ("link/mod.rs", "pub(crate) mod message; pub(crate) use message::Command;"),
        (
            "link/message.rs",
            "use crate::config::Config; pub enum Command { Play } pub fn made() -> Config { Config }",
        ),
        (
            "audio/mod.rs",
            "mod renderer; pub mod voice; pub use renderer::Renderer; pub fn make() {}",
        ),
        (
            "audio/renderer.rs",
            "use super::voice::Voice; use crate::link::Command; pub struct Renderer;",
        ),
        ("audio/voice.rs", "pub struct Voice; impl Voice { pub fn new() -> Voice { Voice } }"),
        ("game/mod.rs", "mod mixer; pub use mixer::Mixer;"),
        (
            "game/mixer.rs",
            "use crate::link::{Command, message::{self}}; pub struct Mixer; fn f() { message::made(); }",
        ),
        (
            "output/mod.rs",
            "use crate::audio::{Renderer, make}; use crate::game::Mixer; fn f() { Renderer::x(); }",
        ),
    ]);
    files.insert(changed, text);
    trespasses(&Crate::read(files))
}

#[test]
fn every_way_around_the_link_is_seen() {
    assert_eq!(small_crate("config.rs", "pub struct Config;"), Vec::<String>::new());
    let game_to_voice = "crate::game::mixer names crate::audio::voice::Voice";
    let game_to_renderer = "crate::game::mixer names crate::audio::renderer::Renderer";
    for (file, text, trespass) in [
        ("game/mixer.rs", "use crate::audio::voice::Voice;", game_to_voice),
        ("game/mixer.rs", "use super::super::audio::voice::Voice;", game_to_voice),
        ("game/mixer.rs", "use crate::{config::Config, audio::{voice::{Voice}}};", game_to_voice),
        (
            "game/mixer.rs",
            "use crate::audio as engine; use engine::voice as v; fn f(x: v::Voice) {}",
            game_to_voice,
        ),
        ("game/mixer.rs", "fn f() { let x = crate::audio::voice::Voice; }", game_to_voice),
        (
            "game/mixer.rs",
            "mod inner { fn f() { super::super::super::audio::voice::Voice; } }",
            "crate::game::mixer::inner names crate::audio::voice::Voice",
        ),
        (
            "game/mixer.rs",
            "fn f() { use crate::audio::voice::Voice as V; V::new(); }",
            game_to_voice,
        ),
        ("game/mixer.rs", "use crate::audio::voice::*;", game_to_voice),
        // By way of the root, which may name it and the game not.
        ("game/mixer.rs", "use crate::Renderer;", game_to_renderer),
        ("game/mixer.rs", "use crate::*;", game_to_renderer),
        ("game/mixer.rs", "fn f(x: &mut crate::Renderer) {}", game_to_renderer),
        // By way of what all share: seen where it is let in.
        (
            "link/mod.rs",
            "pub(crate) mod message; pub(crate) use message::Command; pub(crate) use crate::audio::voice::Voice;",
            "crate::link names crate::audio::voice::Voice",
        ),
        (
            "link/mod.rs",
            "pub(crate) mod message; pub(crate) use message::Command; pub(crate) use super::Renderer as Command;",
            "crate::game::mixer names crate::audio::renderer::Renderer",
        ),
        (
            "config.rs",
            "pub struct Config; pub type Voices = Vec<crate::audio::voice::Voice>;",
            "crate::config names crate::audio::voice::Voice",
        ),
        (
            "lib.rs",
            "mod audio; mod config; mod game; mod link; mod output; pub use audio::Renderer; pub use game::Mixer; pub(crate) use audio::voice;",
            "crate names crate::audio::voice",
        ),
        (
            "output/mod.rs",
            "use crate::audio::voice::Voice;",
            "crate::output names crate::audio::voice::Voice",
        ),
        ("output/mod.rs", "use crate::audio;", "crate::output names crate::audio"),
        (
            "audio/voice.rs",
            "pub struct Voice; fn f() { crate::game::Mixer::new(); }",
            "crate::audio::voice names crate::game::mixer::Mixer::new",
        ),
    ] {
        let found = small_crate(file, text);
        assert!(found.iter().any(|it| it == trespass), "{text}\n{found:?}");
    }
}

#[test]
fn tests_comments_and_texts_name_what_they_like() {
    for text in [
        "#[cfg(test)] mod tests { use crate::audio::voice::Voice; }",
        "#[cfg(all(test, feature = \"device\"))]\nmod tests;\n#[cfg(test)]\n#[allow(dead_code)]\nuse crate::audio::voice::Voice;",
        "/// See [`crate::audio::voice::Voice`].\nfn f() {} /* crate::audio::voice /* and */ crate::audio::voice */",
        "fn f<'a>(x: &'a str) { g('\"', '\\'', \"crate::audio::voice\", r#\"\" crate::audio::voice::Voice\"#); }",
    ] {
        assert_eq!(small_crate("game/mixer.rs", text), Vec::<String>::new(), "{text}");
    }
    // What comes after them is read again.
    let text = "#[cfg(test)] mod tests { fn f() {} } use crate::audio::voice::Voice;";
    assert_eq!(small_crate("game/mixer.rs", text).len(), 1);
}

/// What the compiler cannot check lives in two places; and what a page's script calls has names that nobody mangles,
/// which is all that is unsafe of it.
#[test]
fn unsafe_code_is_in_two_places_only() {
    const PLACES: [&str; 9] = [
        "pool.rs",
        "audio/kernel/avx2.rs",
        "audio/kernel/between.rs",
        "audio/kernel/frame.rs",
        "audio/kernel/neon.rs",
        "audio/kernel/simd128.rs",
        "audio/kernel/sse2.rs",
        "audio/kernel/wide.rs",
        "output/web/exports.rs",
    ];
    only("unsafe", &PLACES);
    only("unsafe_code", &[PLACES.as_slice(), &["lib.rs"]].concat());
    let sources = sources();
    let (_, exports) =
        sources.iter().find(|(path, _)| path == "output/web/exports.rs").expect("the exports");
    let names = exports.matches("#[unsafe(no_mangle)]").count();
    assert_eq!(exports.matches("unsafe").count(), names + 1, "and what allows it");
    let (_, root) = sources.iter().find(|(path, _)| path == "lib.rs").expect("lib.rs");
    assert!(root.contains("#![deny(unsafe_code)]"));
}

/// Each dependency has its place.
#[test]
fn a_dependency_is_named_where_it_belongs() {
    only("crossbeam_channel", &["link/sync.rs"]);
    // And the models.
    only("loom", &["link/sync", "link/mod.rs", "link/models.rs", "link/lane.rs", "output/"]);
    only("hound", &["output/offline.rs"]);
    // And the tests that are the logger, or play its sound system.
    only("log", &["log_line.rs", "output/tests"]);
    only("cpal", &["output/device.rs", "output/tests"]);
    only("alsa", &["output/device.rs"]);
    only("wasm_bindgen", &["output/web/bindgen.rs"]);
}

/// A clock that is not there takes the game down, as in a browser: who looks at one is built elsewhere alone.
#[test]
fn the_clock_is_named_where_no_browser_comes() {
    const TESTS: [&str; 2] = ["audio/bus/room/tests.rs", "audio/filter/tests.rs"];
    only("Instant", &[&TESTS, &["output/", "record/replay.rs", "stream/crew.rs"][..]].concat());
}

/// What may panic, wait or allocate is not even written down on the audio side. Unit tests, which
/// stand at the end of a file, in one of their own or in a folder, may do as they like.
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
    let tests = |path: &str| path.ends_with("/tests.rs") || path.contains("/tests/");
    let ours = |path: &str| path.starts_with("audio/") && !tests(path);
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
    a_name::<Tag>();
    shared::<VoiceId>();
    shared::<Target>();
    shared::<Held>();
    shared::<ResizeFault>();
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
