//! Tests of the live output on a scripted sound system, which does what the test tells it: a host on
//! cpal's `custom` feature. Nothing calls back unless the test does, on whichever thread and for as
//! many frames as it likes.

mod device_choice;
mod error_storms;
mod errors;
mod formats;
mod hanging;
mod helpers;
mod host;
mod loggers;
mod named_device;
mod no_device;
mod panics;
#[cfg(target_os = "linux")]
mod rebuilds;
mod recordings;
mod samples;
mod set_device;
mod set_device_trouble;
mod shutdown;
mod soak;

use std::ops::RangeInclusive;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use cpal::platform::CustomHost;
use cpal::{Error, ErrorKind, SampleFormat, SizedSample, StreamConfig};

use self::host::{ScriptedDevice, ScriptedHost};
use super::device::CpalBackend;
use super::supervisor::Timeouts;
use crate::{Config, Frame, Mixer};

#[path = "../../../tests/common/driver.rs"]
mod driver;

/// An output device, as it is at present.
#[derive(Clone)]
struct Output {
    name: &'static str,
    /// Its default rate, and those it supports.
    rate: u32,
    rates: RangeInclusive<u32>,
    channels: u16,
    format: SampleFormat,
    /// The error with which it answers a query for its configuration, a build, a start.
    query: Option<ErrorKind>,
    build: Option<ErrorKind>,
    start: Option<ErrorKind>,
    /// Whether it accepts a fixed size of buffers.
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
    /// Whether whoever asks for a host hangs, until this is taken back.
    hosts_hang: bool,
    /// How many builds hang, counted from the first one on.
    builds_hang: usize,
    /// Whether the drop of a stream hangs.
    drops_hang: bool,
    /// How many threads hang.
    hanging: usize,
    /// How many builds have begun.
    builds_begun: usize,
    /// Whether a stream can be built only when all others are dropped.
    one_at_a_time: bool,
    /// Whether to build a stream panics.
    panics: bool,
    /// Whether the callbacks of streams can still be called after their drop.
    callable_after_drop: bool,
    /// How often the host was asked for.
    tries: usize,
    /// How many streams were built.
    built: usize,
    /// Those that can be called back.
    streams: Vec<Arc<TestStream>>,
}

impl Plan {
    fn is_occupied(&self) -> bool {
        self.one_at_a_time && !self.streams.is_empty()
    }
}

/// The sound system, in the hands of the test.
#[derive(Clone)]
struct Script {
    shared: Arc<(Mutex<Plan>, Condvar)>,
}

impl Script {
    fn new(outputs: impl IntoIterator<Item = Output>) -> Script {
        let plan = Plan { outputs: outputs.into_iter().collect(), ..Plan::default() };
        Script { shared: Arc::new((Mutex::new(plan), Condvar::new())) }
    }

    /// The usual: stereo, in floats, at 48 kHz.
    fn usual() -> Script {
        Script::new([Output::new("speakers", 48_000)])
    }

    fn open(&self, config: Config, timeouts: Timeouts) -> Mixer {
        let script = self.clone();
        let speakers = CpalBackend::new(move || script.host());
        Mixer::open_on(Ok(Arc::new(speakers)), config, timeouts).unwrap()
    }

    fn host(&self) -> cpal::Host {
        self.change(|plan| plan.tries += 1);
        self.hang_while(|plan| plan.hosts_hang);
        CustomHost::from_host(ScriptedHost(self.clone())).into()
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.shared.0.lock().unwrap()
    }

    /// Changes what is to happen from now on.
    fn change<R>(&self, change: impl FnOnce(&mut Plan) -> R) -> R {
        let result = change(&mut self.plan());
        self.shared.1.notify_all();
        result
    }

    fn hang_while(&self, hangs: impl Fn(&Plan) -> bool) {
        let mut plan = self.plan();
        if hangs(&plan) {
            plan.hanging += 1;
            plan = self.shared.1.wait_while(plan, |plan| hangs(plan)).unwrap();
            plan.hanging -= 1;
        }
    }

    fn devices(&self) -> Vec<ScriptedDevice> {
        let device = |output: &Output| ScriptedDevice { name: output.name, script: self.clone() };
        self.plan().outputs.iter().map(device).collect()
    }
}

/// The device's end of a stream: what a driver can do to it.
struct TestStream {
    device: &'static str,
    config: StreamConfig,
    data: Mutex<Option<driver::DataCallback>>,
    error: Mutex<Option<driver::ErrorCallback>>,
    started: AtomicBool,
    /// Whether its drop has begun.
    drop_began: AtomicBool,
    /// Whether its drop is over.
    drop_ended: AtomicBool,
}

impl TestStream {
    /// Asks for a buffer of samples. Returns whether the callback still exists.
    fn fill<T: SizedSample>(&self, buffer: &mut [T]) -> bool {
        let mut data = self.data.lock().unwrap();
        data.as_mut().map(|callback| driver::call(callback, buffer)).is_some()
    }

    /// Asks a stereo stream of floats for frames. The buffer holds NaN before.
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
