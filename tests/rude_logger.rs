//! A logger may do anything: call the mixer that logs, and panic. The game's calls return all the
//! same, and the books are right. (What it does to the output's threads is tested with those.)

mod common;

use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;

use common::mono;
use log::{LevelFilter, Log, Metadata, Record};
use voicepool::{Config, Mixer, Sound};

struct Rude {
    mixer: Mutex<Option<Mixer>>,
    lines: AtomicUsize,
}

static RUDE: Rude = Rude { mixer: Mutex::new(None), lines: AtomicUsize::new(0) };

/// What it panics with: even to let go of that is a panic.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("a payload's bug");
    }
}

impl Log for Rude {
    fn enabled(&self, _: &Metadata) -> bool {
        true
    }

    fn log(&self, _: &Record) {
        self.lines.fetch_add(1, SeqCst);
        let mixer = self.mixer.lock().unwrap().clone().unwrap();
        assert!(mixer.play(mono(1000, &[0.25; 1000])).is_some());
        assert_eq!(mixer.stats().voices, 2);
        panic_any(Bomb);
    }

    fn flush(&self) {}
}

/// Whether a play is accepted. A panic that came through to the game would be a no.
fn accepted(mixer: &Mixer, sound: &Sound) -> bool {
    match catch_unwind(AssertUnwindSafe(|| mixer.play(sound))) {
        Ok(voice) => voice.is_some(),
        Err(bomb) => {
            forget(bomb);
            false
        }
    }
}

/// The play that comes upon the first theft is accepted, and so is every later one.
#[test]
fn a_logger_that_calls_back_and_panics_costs_no_play() {
    log::set_logger(&RUDE).unwrap();
    log::set_max_level(LevelFilter::Info);
    let config = Config { voices: 2, sample_rate: 1000, ..Config::default() };
    let (mixer, mut renderer) = Mixer::offline(config).unwrap();
    *RUDE.mixer.lock().unwrap() = Some(mixer.clone());
    let hum = mono(1000, &[0.5; 1000]);
    for _ in 0..3 {
        assert!(accepted(&mixer, &hum));
    }
    renderer.frames(128);
    for _ in 0..5 {
        assert!(accepted(&mixer, &hum));
        renderer.frames(128);
    }
    assert_eq!(RUDE.lines.load(SeqCst), 1, "it was told of the first theft");
    let stats = mixer.stats();
    // Eight of ours and one of the logger's.
    assert_eq!((stats.accepted, stats.live, stats.stolen), (9, 2, 7));
}
