//! The first theft of a mixer's life is logged, once: that is how a beginner learns that the pool
//! was full.

mod common;

use std::sync::Mutex;

use common::mono;
use log::{LevelFilter, Log, Metadata, Record};
use voicepool::{Config, Mixer};

struct Lines(Mutex<Vec<String>>);

static LINES: Lines = Lines(Mutex::new(Vec::new()));

impl Log for Lines {
    fn enabled(&self, _: &Metadata) -> bool {
        true
    }

    fn log(&self, record: &Record) {
        self.0.lock().unwrap().push(format!("{} {}", record.level(), record.args()));
    }

    fn flush(&self) {}
}

/// One line for any number of thefts, with who, whom and how loud.
#[test]
fn the_first_theft_is_logged_once_with_names_and_decibels() {
    log::set_logger(&LINES).unwrap();
    log::set_max_level(LevelFilter::Info);
    let config = Config { voices: 2, sample_rate: 1000, ..Config::default() };
    let (mixer, mut renderer) = Mixer::offline(config).unwrap();
    // A square wave on both sides: its RMS is its height times the square root of 2.
    let hum = mono(1000, &[0.5; 1000]).named("hum");
    let step = mono(1000, &[0.05; 1000]).named("step");
    mixer.play(&hum);
    mixer.play(&step);
    for _ in 0..5 {
        mixer.play(&hum);
        renderer.frames(128);
        mixer.stats();
    }
    assert_eq!(mixer.stats().stolen, 5);
    assert_eq!(
        *LINES.0.lock().unwrap(),
        ["INFO all 2 voices were taken, so \"hum\" took that of \"step\", heard at -23.0 \
          dB; from here on see Stats::stolen, and Config::voices to have more"]
    );
}
