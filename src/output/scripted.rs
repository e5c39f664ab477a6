//! A sound system that does what a test tells it: a host on cpal's `custom` feature. Nothing calls
//! back unless the test does, on whichever thread and for as many frames as it likes.

mod absence;
mod choosing;
mod errors;
mod formats;
mod hanging;
mod host;
mod leaving;
mod loggers;
mod panics;
#[cfg(target_os = "linux")]
mod rebuilds;
mod returning;
mod samples;
mod storm;
mod tools;

use std::ops::RangeInclusive;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use cpal::platform::CustomHost;
use cpal::{Error, ErrorKind, SampleFormat, SizedSample, StreamConfig};

use self::host::{ScriptedDevice, ScriptedHost};
use super::device::Speakers;
use super::supervisor::Pace;
use crate::{Config, Frame, Mixer};

#[path = "../../tests/common/driver.rs"]
mod driver;

/// An output, as it is at present.
#[derive(Clone)]
struct Output {
    name: &'static str,
    /// Its own rate, and those it could have.
    rate: u32,
    rates: RangeInclusive<u32>,
    channels: u16,
    format: SampleFormat,
    /// What is said to those who ask for its configuration, build a stream, start it.
    query: Option<ErrorKind>,
    build: Option<ErrorKind>,
    start: Option<ErrorKind>,
    /// Whether it has buffers of a wished size.
    fixed: bool,
}

impl Output {
    /// Stereo, in floats, at one rate.
    fn new(name: &'static str, rate: u32) -> Output {
        Output {
            name,
            rate,
            rates: rate..=rate,
            channels: 2,
            format: SampleFormat::F32,
            query: None,
            build: None,
            start: None,
            fixed: true,
        }
    }
}

/// What there is and what is to happen.
#[derive(Default)]
struct Plan {
    /// The first is the default.
    outputs: Vec<Output>,
    /// Where whoever comes hangs until this is taken back: of builds, so many from the first on.
    hosts_hang: bool,
    builds_hang: usize,
    drops_hang: bool,
    /// How many hang.
    held: usize,
    /// How many builds have begun.
    begun: usize,
    /// Whether to build a stream panics.
    panics: bool,
    /// Whether streams can be called back when they were dropped.
    haunted: bool,
    /// How often the host was asked for.
    tries: usize,
    /// How many streams were built, and those of them that can be called back.
    built: usize,
    lines: Vec<Arc<Line>>,
}

/// The sound system, as the test holds it.
#[derive(Clone)]
struct Script {
    stage: Arc<(Mutex<Plan>, Condvar)>,
}

impl Script {
    fn new(outputs: impl IntoIterator<Item = Output>) -> Script {
        let plan = Plan { outputs: outputs.into_iter().collect(), ..Plan::default() };
        Script { stage: Arc::new((Mutex::new(plan), Condvar::new())) }
    }

    /// The usual: stereo, in floats, at 48 kHz.
    fn usual() -> Script {
        Script::new([Output::new("speakers", 48_000)])
    }

    fn open(&self, config: Config, pace: Pace) -> Mixer {
        let script = self.clone();
        let speakers = Speakers::new(move || script.host());
        Mixer::open_on(Ok(Arc::new(speakers)), config, pace).unwrap()
    }

    fn host(&self) -> cpal::Host {
        self.change(|plan| plan.tries += 1);
        self.hang_while(|plan| plan.hosts_hang);
        CustomHost::from_host(ScriptedHost(self.clone())).into()
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.stage.0.lock().unwrap()
    }

    /// Changes what is to happen, between two things that happen.
    fn change<R>(&self, change: impl FnOnce(&mut Plan) -> R) -> R {
        let result = change(&mut self.plan());
        self.stage.1.notify_all();
        result
    }

    fn hang_while(&self, hangs: impl Fn(&Plan) -> bool) {
        let mut plan = self.plan();
        if hangs(&plan) {
            plan.held += 1;
            plan = self.stage.1.wait_while(plan, |plan| hangs(plan)).unwrap();
            plan.held -= 1;
        }
    }

    fn devices(&self) -> Vec<ScriptedDevice> {
        let device = |output: &Output| ScriptedDevice { name: output.name, script: self.clone() };
        self.plan().outputs.iter().map(device).collect()
    }
}

/// The far end of a stream: what its device can do to it.
struct Line {
    device: &'static str,
    config: StreamConfig,
    data: Mutex<Option<driver::DataCallback>>,
    error: Mutex<Option<driver::ErrorCallback>>,
    started: AtomicBool,
    /// Whether its drop has begun, and whether it is over.
    dropped: AtomicBool,
    gone: AtomicBool,
}

impl Line {
    /// Asks for a buffer of samples. Whether there was anybody to ask.
    fn fill<T: SizedSample>(&self, buffer: &mut [T]) -> bool {
        let mut data = self.data.lock().unwrap();
        data.as_mut().map(|callback| driver::call(callback, buffer)).is_some()
    }

    /// Asks a stereo line of floats for frames, over others that must not be heard.
    fn frames(&self, count: usize) -> Vec<Frame> {
        let mut frames = vec![[f32::NAN; 2]; count];
        if !self.fill(frames.as_flattened_mut()) {
            frames.fill([0.0; 2]);
        }
        frames
    }

    fn raise(&self, kind: ErrorKind) {
        if let Some(callback) = &mut *self.error.lock().unwrap() {
            callback(Error::new(kind));
        }
    }
}
