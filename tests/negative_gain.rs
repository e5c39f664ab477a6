//! A gain below 0 is silence, and whoever meant decibels is told, once.

mod common;

use std::sync::Mutex;

use common::mono;
use log::{LevelFilter, Log, Metadata, Record};
use voicepool::{BusId, Config, Mixer, Play, ms};

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

#[test]
fn a_negative_gain_is_silence_and_is_warned_of_once() {
    let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    let hum = mono(48_000, &[0.5; 480]);
    // Before anybody listens, nobody is told, and the one warning is not lost.
    mixer.play(Play::of(&hum).gain(-3.0));
    log::set_logger(&LINES).unwrap();
    log::set_max_level(LevelFilter::Warn);
    mixer.play(Play::of(&hum).gain(-0.0).looping());
    mixer.play(Play::of(&hum).gain(f32::NAN).looping());
    assert!(LINES.0.lock().unwrap().is_empty(), "these are no decibels");
    for _ in 0..3 {
        mixer.play(Play::of(&hum).gain(-6.0).looping());
        let voice = mixer.play(Play::of(&hum).looping());
        mixer.set_gain(voice, -12.0, ms(0));
        mixer.set_gain(BusId::MASTER, -1.0, ms(0));
    }
    assert!(renderer.frames(4800)[480..].iter().all(|frame| *frame == [0.0; 2]));
    assert_eq!(
        *LINES.0.lock().unwrap(),
        ["WARN a gain of -6 is below 0 and so silence; gains are linear: voicepool::db(-6.0) is \
          0.501"]
    );
}
