//! What the tests of the live output share.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use cpal::ErrorKind;

use super::{Script, TestStream};
use crate::output::supervisor::Timeouts;
use crate::{Config, Event, Frame, Mixer, OutputState, Play, Sound, ms};

/// Nothing here takes longer, however busy the machine is, unless it never comes.
pub const DEADLINE: Duration = ms(60_000);

/// Waits until something holds. It must.
#[track_caller]
pub fn until(what: &str, holds: impl FnMut() -> bool) {
    until_doing(what, || thread::sleep(ms(1)), holds);
}

/// Does something again and again until something holds.
#[track_caller]
pub fn until_doing(what: &str, mut again: impl FnMut(), mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < DEADLINE, "it never came to this: {what}");
        again();
    }
}

/// Streams are never taken for dead, however slow the machine is, and are retried at once.
pub fn patient() -> Timeouts {
    let never = ms(1_000_000);
    Timeouts {
        poll: ms(1),
        heartbeat: never,
        doubt: never,
        open: never,
        first_open: DEADLINE,
        first_retry: ms(2),
        max_retry: ms(2),
        switch_retry: never,
        max_switch_retry: never,
        // A machine too busy to render in time must come to do something else.
        catch_up: ms(100),
        // Most tests do not call back at the end.
        fade_out: ms(10),
        ..Timeouts::default()
    }
}

/// As [`patient`], and a shutdown has all the time there is.
pub fn patient_to_the_end() -> Timeouts {
    Timeouts { fade_out: DEADLINE, close: DEADLINE, shutdown: DEADLINE, ..patient() }
}

/// Streams are taken for dead as soon as they do not call back.
pub fn hasty() -> Timeouts {
    Timeouts { heartbeat: ms(30), doubt: ms(10), open: ms(30), first_open: ms(30), ..patient() }
}

impl Script {
    /// The latest stream, once so many have been built and one plays.
    #[track_caller]
    pub fn stream(&self, mixer: &Mixer, built: usize) -> Arc<TestStream> {
        until(&format!("stream {built} plays"), || self.plan().built >= built && plays(mixer));
        self.plan().streams.last().unwrap().clone()
    }

    /// Calls back, a hundredth of a second at a time, until something holds.
    #[track_caller]
    pub fn run_until(&self, what: &str, holds: impl FnMut() -> bool) {
        let call = || {
            let streams = self.plan().streams.clone();
            for stream in streams.iter().filter(|stream| !stream.drop_began.load(SeqCst)) {
                stream.frames(480);
            }
            thread::sleep(ms(1));
        };
        until_doing(what, call, holds);
    }
}

pub fn plays(mixer: &Mixer) -> bool {
    matches!(mixer.output(), OutputState::Playing { .. })
}

pub fn plays_on(mixer: &Mixer, name: &str) -> bool {
    matches!(mixer.output(), OutputState::Playing { device, .. } if device == name)
}

/// The latest stream on a device, once there is one that was started and not let go.
#[track_caller]
pub fn stream_on(script: &Script, name: &str) -> Arc<TestStream> {
    let find = || {
        let is = |stream: &&Arc<TestStream>| {
            stream.device == name && stream.started.load(SeqCst) && !stream.drop_began.load(SeqCst)
        };
        script.plan().streams.iter().rev().find(is).cloned()
    };
    let mut found = None;
    until(&format!("there is a stream on the {name}"), || {
        found = find();
        found.is_some()
    });
    found.unwrap()
}

/// Waits until the supervisor has polled: it asks for the name of a device that was moved, later in
/// the same turn in which it looks at everything else. The first poll may have been under way.
#[track_caller]
pub fn polls(script: &Script, stream: &TestStream) {
    for _ in 0..2 {
        let tries = script.plan().tries;
        stream.raise(ErrorKind::DeviceChanged);
        until("it asks for the name", || script.plan().tries > tries);
    }
}

/// Why there is no sound.
#[track_caller]
pub fn why(mixer: &Mixer) -> String {
    match mixer.output() {
        OutputState::Silent { why } => why,
        other => panic!("it is not silent: {other}"),
    }
}

/// A loop whose every sample says where in it that is.
pub fn saw() -> Play {
    let saw: Vec<f32> = (0..SAW).map(saw_at).collect();
    Play::of(Sound::from_mono(48_000, &saw).unwrap()).looping()
}

const SAW: u64 = 777;

/// What the saw is on a frame of the mixer's clock, if it began on the first.
pub fn saw_at(frame: u64) -> f32 {
    (frame % SAW) as f32 / 1024.0
}

/// A steady tone, and the largest step between two of its samples.
pub fn tone(rate: u32, hertz: f64) -> (Play, f32) {
    let turn = std::f64::consts::TAU * hertz / f64::from(rate);
    let tone: Vec<f32> = (0..rate).map(|i| (0.5 * libm::sin(turn * f64::from(i))) as f32).collect();
    (Play::of(Sound::from_mono(rate, &tone).unwrap()).looping(), (0.5 * turn) as f32)
}

pub fn largest_step(frames: &[Frame]) -> f32 {
    frames.windows(2).fold(0.0, |most, pair| most.max((pair[1][0] - pair[0][0]).abs()))
}

/// Every play that was accepted is live or has had its one ending.
#[track_caller]
pub fn assert_balanced(mixer: &Mixer) {
    let it = mixer.stats();
    let ended = it.finished + it.stopped + it.stolen + it.refused;
    assert_eq!(it.accepted, ended + it.live as u64, "{it}");
}

/// What the output was said to be, in turn.
pub fn outputs(mixer: &Mixer) -> Vec<OutputState> {
    let state = |event| match event {
        Event::Output(state) => Some(state),
        _ => None,
    };
    mixer.events().filter_map(state).collect()
}

/// Everything that a game can call.
pub fn every_call(mixer: &Mixer) {
    let voice = mixer.play(saw().gain(0.1));
    mixer.set_gain(voice, 0.2, ms(10));
    mixer.set_pan(voice, 0.5, ms(10));
    mixer.set_speed(voice, 1.5, ms(10));
    mixer.seek(voice, ms(5));
    mixer.pause(voice, ms(0));
    mixer.resume(voice, ms(0));
    let _ = (mixer.is_live(voice), mixer.voices(), mixer.stats(), mixer.output());
    let _ = (mixer.clock(), mixer.sample_rate(), mixer.resize(mixer.stats().voices));
    mixer.set_when_full(crate::WhenFull::StealQuietest);
    mixer.reset_peaks();
    mixer.set_device(None);
    mixer.stop(voice, ms(10));
    mixer.stop_all(ms(10));
    mixer.events().for_each(drop);
    drop(mixer.clone());
}

/// Drops the last mixer, which must return whatever the driver does.
#[track_caller]
pub fn drop_in_time(mixer: Mixer) {
    let (over, done) = channel();
    thread::spawn(move || {
        drop(mixer);
        let _ = over.send(());
    });
    assert!(done.recv_timeout(DEADLINE).is_ok(), "the drop of the last mixer never returned");
}

pub fn small() -> Config {
    Config { voices: 8, max_voices: 16, ..Config::default() }
}

/// Runs the rest of a test in a process of its own, where nobody else starts threads, logs or
/// allocates. Whether this is that process.
pub fn in_own_process(test: &str) -> bool {
    const IN_OWN_PROCESS: &str = "VOICEPOOL_ALONE";
    if std::env::var_os(IN_OWN_PROCESS).is_some() {
        return true;
    }
    let test = format!("output::tests::{test}");
    let itself = std::env::current_exe().unwrap();
    let mut alone = Command::new(itself);
    // A backtrace of a panic that is meant takes longer than all the rest.
    alone.args(["--exact", &test]).env(IN_OWN_PROCESS, "1").env("RUST_BACKTRACE", "0");
    let run = alone.output().unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && said.contains("1 passed"), "{said}");
    false
}
