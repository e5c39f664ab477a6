//! What is logged once in a mixer's life. The first theft: that is how a beginner learns that the pool was
//! full. The first play that is out of earshot: that is how one learns that pixels are not metres.

mod common;

use std::sync::Mutex;

use common::mono;
use log::{LevelFilter, Log, Metadata, Record};
use voicepool::{Config, Listener, Mixer, Play};

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

/// What was logged since this was last asked.
fn lines() -> Vec<String> {
    std::mem::take(&mut LINES.0.lock().unwrap())
}

#[test]
fn the_first_of_each_is_logged_once() {
    log::set_logger(&LINES).unwrap();
    log::set_max_level(LevelFilter::Info);
    the_first_theft_is_logged_with_names_and_decibels();
    the_first_play_out_of_earshot_is_logged_with_its_distance();
}

/// One line for any number of thefts, with who, whom and how loud.
fn the_first_theft_is_logged_with_names_and_decibels() {
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
        lines(),
        ["INFO all 2 voices were taken, so \"hum\" took that of \"step\", heard at -23.0 \
          dB; from here on see Stats::stolen, and Config::voices to have more"]
    );
}

/// One line for any number of plays that begin too far off, and none for those that go there.
fn the_first_play_out_of_earshot_is_logged_with_its_distance() {
    let (mixer, mut renderer) = Mixer::offline(Config::default()).unwrap();
    let growl = mono(48_000, &[0.5; 1000]).named("growl");
    let near = Play::of(&growl).looping().at([3.0, 4.0]);
    mixer.play(&near);
    renderer.frames(512);
    mixer.set_listener(Listener::at([-640.0, 4.0]));
    renderer.frames(1024);
    assert_eq!((mixer.stats().parked, lines()), (1, vec![]), "it was heard before");
    for x in [0.0, 100.0] {
        mixer.play(Play::of(&near).at([x, 4.0]));
        renderer.frames(512);
        mixer.stats();
    }
    assert_eq!(
        lines(),
        [
            "INFO \"growl\" is 640 away from the listener and is not heard beyond 100, so it is parked until \
          they are nearer; see Attenuation::far, Mixer::set_listener, and Parking::Inaudible"
        ]
    );
}
