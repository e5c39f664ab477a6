//! Finds, loses and regains the device, on a thread of its own.
//!
//! A stream lives on yet another thread, which opens it and in the end drops it. Either may hang
//! for ever in a driver, and nothing here waits for it. While no stream plays, the supervisor calls
//! the renderer itself, so that time passes and plays end.

mod shutdown;
mod switch;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use self::switch::Candidate;
use super::backend::{Backend, Opened, StreamRequest};
use super::callback::{Callback, RendererSlot, StreamStatus, Verdict};
use crate::link::Bridge;
use crate::log_line::{is_heard, log_line};
use crate::stats::OutputState;
use crate::units::ms;

/// What the supervisor is told by its threads and by the mixer.
pub(super) enum Message {
    /// The mixer has its rate, and its renderer is in the slot.
    Start { rate: u32 },
    /// A stream was opened, and was started.
    Opened { number: u64, rate: u32, state: OutputState },
    /// A stream could not be opened.
    Failed { number: u64, why: String },
    /// The name of the device that a stream was moved to, if it is known.
    Moved { number: u64, device: Option<String> },
    /// A stream's thread is over.
    Ended { number: u64 },
    /// The logger has taken a line.
    Logged,
    /// The last mixer was dropped.
    Close,
}

/// How often the renderer is called while no stream plays.
const SILENT_STEP: Duration = ms(10);

/// How long the supervisor waits for what. Tests have others.
#[derive(Clone, Copy)]
pub(super) struct Timeouts {
    /// How often a stream that plays is looked at.
    pub poll: Duration,
    /// A stream that has not filled a buffer for so long is dead.
    pub heartbeat: Duration,
    /// The same after a [`Verdict::Doubtful`].
    pub doubt: Duration,
    /// A stream that takes longer than this to open is given up.
    pub open: Duration,
    /// How long `Mixer::open` waits for the first device, and time for its first frame.
    pub first_open: Duration,
    /// The pause before the first retry. It doubles with each failure, up to `max_retry`.
    pub first_retry: Duration,
    pub max_retry: Duration,
    /// How often to try the device that was asked for while another plays. The pause doubles each
    /// time that the sound went over to it, until it has played for longer than `max_switch_retry`.
    pub switch_retry: Duration,
    pub max_switch_retry: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts {
            poll: ms(20),
            heartbeat: ms(1000),
            doubt: ms(150),
            open: ms(5000),
            first_open: ms(1000),
            first_retry: ms(100),
            max_retry: ms(1000),
            switch_retry: ms(1000),
            max_switch_retry: ms(30_000),
        }
    }
}

/// No stream is opened while so many threads are busy with one: in a driver that hangs, each stays.
const MAX_STREAM_THREADS: usize = 4;

/// More errors than this between two polls are an error storm, whatever they say. It ends the
/// stream unless a buffer is filled within the timeout: a sound server's errors after an xrun pass.
const STORM_ERRORS: u64 = 1000;
const STORM_TIMEOUT: Duration = ms(150);

/// The most time that is caught up with after the whole machine was suspended.
const MAX_CATCH_UP: Duration = ms(1000);

/// How many buffers a device may have taken that are not heard yet, and would be cut off with it.
const BUFFERS_AHEAD: u64 = 3;

pub(super) struct Supervisor {
    backend: Option<Arc<dyn Backend>>,
    slot: Arc<RendererSlot>,
    bridge: Arc<Bridge>,
    request: StreamRequest,
    timeouts: Timeouts,
    messages: Receiver<Message>,
    sender: Sender<Message>,
    /// Where `Mixer::open` waits for the first device's rate.
    first_rate: Option<Sender<Option<u32>>>,
    stream: Option<OpenStream>,
    /// A stream on the device that was asked for, while another plays.
    candidate: Option<Candidate>,
    switch_pause: Duration,
    next_switch: Instant,
    /// How many streams were asked for: the number of the latest.
    attempts: u64,
    /// How many threads open, hold or drop a stream.
    stream_threads: usize,
    retry_pause: Duration,
    next_try: Instant,
    /// Since when no stream has played, and how many frames were rendered since.
    silence: Option<(Instant, u64)>,
    /// Whether a thread is asking for the name of the default device.
    asking_name: bool,
    /// Whether a thread is in the logger.
    logging: bool,
    /// When the latest line was logged.
    last_line: Option<Instant>,
}

/// A stream that is being opened, or plays, as the supervisor sees it.
struct OpenStream {
    status: Arc<StreamStatus>,
    /// Its drop tells the stream's thread to drop the stream.
    _release: Sender<()>,
    /// When it was asked for, or took over from another.
    since: Instant,
    /// The device's rate, once it is open.
    rate: Option<u32>,
    /// How many buffers and errors there were at the latest poll.
    buffers: u64,
    errors: u64,
    /// When a new buffer was last seen.
    last_buffer: Instant,
    /// Since when it has been in doubt, and in an error storm.
    doubt_since: Option<Instant>,
    storm_since: Option<Instant>,
    /// Whether it was moved to another device whose name was not asked for yet.
    moved: bool,
    /// How many buffers it had filled when its fade-out was over.
    faded_at: Option<u64>,
}

impl OpenStream {
    /// How long the latest buffer lasts.
    fn buffer_duration(&self) -> Duration {
        Duration::from_nanos(self.status.buffer_nanos.load(Relaxed))
    }

    /// Whether its fade-out is over, and was heard.
    fn has_faded_out(&mut self) -> bool {
        let buffers = self.status.buffers.load(Relaxed);
        self.status.faded_out.load(Acquire)
            && buffers - *self.faded_at.get_or_insert(buffers) >= BUFFERS_AHEAD
    }
}

impl Supervisor {
    /// Starts the thread. Returns where to send it messages, and what is told when it is over;
    /// `first_rate` gets the first device's rate, or that there is none.
    pub fn start(
        backend: Result<Arc<dyn Backend>, String>,
        slot: Arc<RendererSlot>,
        bridge: Arc<Bridge>,
        request: StreamRequest,
        timeouts: Timeouts,
        first_rate: Sender<Option<u32>>,
    ) -> io::Result<(Sender<Message>, Receiver<()>)> {
        let (sender, messages) = channel();
        let (over, done) = channel();
        match &backend {
            Ok(_) => bridge.await_output(),
            Err(why) => bridge.set_output(OutputState::Silent { why: why.clone() }),
        }
        let mut supervisor = Supervisor {
            backend: backend.ok(),
            slot,
            bridge,
            request,
            timeouts,
            messages,
            sender: sender.clone(),
            first_rate: Some(first_rate),
            stream: None,
            candidate: None,
            switch_pause: timeouts.switch_retry,
            next_switch: Instant::now(),
            attempts: 0,
            stream_threads: 0,
            retry_pause: timeouts.first_retry,
            next_try: Instant::now(),
            silence: None,
            asking_name: false,
            logging: false,
            last_line: None,
        };
        thread::Builder::new().name("voicepool output".into()).spawn(move || {
            supervisor.run();
            drop(supervisor);
            let _ = over.send(());
        })?;
        Ok((sender, done))
    }

    fn run(&mut self) {
        let born = Instant::now();
        loop {
            self.open_if_due();
            let pause = if self.is_playing() { self.timeouts.poll } else { SILENT_STEP };
            match self.messages.recv_timeout(pause) {
                Ok(Message::Close) | Err(RecvTimeoutError::Disconnected) => {
                    return self.shut_down();
                }
                Ok(message) => self.handle(message),
                Err(RecvTimeoutError::Timeout) => (),
            }
            self.watch();
            self.try_switch();
            self.watch_candidate();
            self.reap();
            if self.is_playing() {
                self.silence = None;
            } else if self.request.rate.is_some() {
                // Time waits a little for the first device, so that it plays from the first frame.
                let first_is_opening = self.attempts == 1 && self.stream.is_some();
                if !first_is_opening || born.elapsed() > self.timeouts.first_open {
                    self.render_silence();
                }
            }
        }
    }

    fn is_playing(&self) -> bool {
        self.stream.as_ref().is_some_and(|stream| stream.rate.is_some())
    }

    fn handle(&mut self, message: Message) {
        let current = self.stream.as_ref().map(|stream| stream.status.number);
        match message {
            Message::Start { rate } => {
                self.first_rate = None;
                self.request.rate = Some(rate);
                self.check_rate();
            }
            Message::Opened { number, rate, state } if current == Some(number) => {
                if let Some(stream) = &mut self.stream {
                    stream.rate = Some(rate);
                    stream.last_buffer = Instant::now();
                    self.next_switch = stream.last_buffer + self.switch_pause;
                }
                if self.check_rate() {
                    // Before the game is told that it plays.
                    self.slot.grant(number);
                    self.log_state(&state);
                    self.bridge.set_output(state);
                }
                self.answer_first(Some(rate));
            }
            Message::Failed { number, why } if current == Some(number) => {
                self.lose_stream(&why, self.retry_pause);
                self.answer_first(None);
            }
            Message::Moved { number, device: to } => {
                self.asking_name = false;
                let mut state = self.bridge.output();
                if current == Some(number)
                    && let (OutputState::Playing { device, .. }, Some(to)) = (&mut state, to)
                {
                    *device = to;
                    self.log_state(&state);
                    self.bridge.set_output(state);
                }
            }
            Message::Ended { number } => {
                self.stream_threads -= 1;
                self.candidate_ended(number);
            }
            Message::Logged => self.logging = false,
            Message::Opened { number, rate, state } => self.candidate_opened(number, rate, state),
            Message::Failed { .. } | Message::Close => (),
        }
    }

    /// Answers `Mixer::open`, if it still waits. The output's state is set before, so that a mixer
    /// that has just opened knows where it plays.
    fn answer_first(&mut self, rate: Option<u32>) {
        if let Some(first_rate) = self.first_rate.take() {
            let _ = first_rate.send(rate);
        }
    }

    /// Whether the stream plays at the rate that the mixer takes it for. The first stream does not
    /// resample. If it opened too late to decide the mixer's rate, and has another, it is given up for
    /// one that does.
    fn check_rate(&mut self) -> bool {
        let rate = self.stream.as_ref().and_then(|stream| stream.rate);
        let late = self.attempts == 1
            && rate.is_some()
            && self.request.rate.is_some_and(|it| Some(it) != rate);
        if late {
            self.lose_stream("the device came late", Duration::ZERO);
        }
        !late
    }

    /// Opens a stream, if there is none and it is time to try.
    fn open_if_due(&mut self) {
        let Some(backend) = self.backend.clone() else { return self.answer_first(None) };
        if self.stream.is_some()
            || self.stream_threads >= MAX_STREAM_THREADS
            || Instant::now() < self.next_try
        {
            return;
        }
        match self.open_stream(backend, self.request.clone()) {
            Ok(stream) => self.stream = Some(stream),
            Err(error) => {
                self.lose_stream(&format!("no thread for the stream: {error}"), self.retry_pause);
            }
        }
    }

    /// Opens a stream on a thread of its own, which holds it until [`OpenStream`] is dropped.
    fn open_stream(
        &mut self,
        backend: Arc<dyn Backend>,
        request: StreamRequest,
    ) -> io::Result<OpenStream> {
        self.attempts += 1;
        let number = self.attempts;
        let status = Arc::new(StreamStatus::new(number));
        let (release, released) = channel::<()>();
        let (slot, bridge, held) = (self.slot.clone(), self.bridge.clone(), status.clone());
        let sender = self.sender.clone();
        let hold_stream = move || {
            let callback = |rate| {
                Callback::new(slot.clone(), held.clone(), bridge.clone(), rate, request.rate)
            };
            // A driver that panics has failed like any other.
            match catch_unwind(AssertUnwindSafe(|| backend.open(&request, &callback))) {
                Ok(Ok(Opened { stream, rate, state })) => {
                    let _ = sender.send(Message::Opened { number, rate, state });
                    let _ = released.recv();
                    let _ = catch_unwind(AssertUnwindSafe(|| drop(stream)));
                }
                Ok(Err(why)) => drop(sender.send(Message::Failed { number, why })),
                Err(_) => {
                    let why = "the driver panicked".to_owned();
                    drop(sender.send(Message::Failed { number, why }));
                }
            }
            let _ = sender.send(Message::Ended { number });
        };
        thread::Builder::new().name("voicepool stream".into()).spawn(hold_stream)?;
        self.stream_threads += 1;
        let now = Instant::now();
        Ok(OpenStream {
            status,
            _release: release,
            since: now,
            rate: None,
            buffers: 0,
            errors: 0,
            last_buffer: now,
            doubt_since: None,
            storm_since: None,
            moved: false,
            faded_at: None,
        })
    }

    /// Checks that the stream still plays, and loses it otherwise.
    fn watch(&mut self) {
        let Some(stream) = &mut self.stream else { return };
        let now = Instant::now();
        let buffers = stream.status.buffers.load(Relaxed);
        if buffers != stream.buffers {
            (stream.buffers, stream.last_buffer) = (buffers, now);
            (stream.doubt_since, stream.storm_since) = (None, None);
            if now - stream.since > self.timeouts.max_retry {
                self.retry_pause = self.timeouts.first_retry;
            }
        }
        let errors = stream.status.errors.load(Relaxed);
        if errors - stream.errors > STORM_ERRORS {
            stream.storm_since.get_or_insert(now);
        }
        stream.errors = errors;
        let fault = match stream.status.take_verdict() {
            Verdict::Refused => {
                // It would refuse again if it were asked at once.
                self.retry_pause = self.timeouts.max_retry;
                Some("the device refuses to play")
            }
            Verdict::Lost => Some("the device is gone"),
            Verdict::Invalid => Some("the device has changed"),
            Verdict::Doubtful => {
                stream.doubt_since.get_or_insert(now);
                None
            }
            Verdict::Moved => {
                stream.moved = true;
                None
            }
            Verdict::Fine => None,
        };
        let fault = fault.or_else(|| {
            if stream.rate.is_none() {
                return (now - stream.since > self.timeouts.open)
                    .then_some("the device does not open");
            }
            // A device need not call back before its latest buffer has been played.
            let buffer = stream.buffer_duration();
            let longer_than = |since: Option<Instant>, timeout| {
                since.is_some_and(|since| now - since > timeout + buffer)
            };
            if longer_than(stream.storm_since, STORM_TIMEOUT) {
                return Some("the device reports nothing but errors");
            }
            let silent = longer_than(stream.doubt_since, self.timeouts.doubt)
                || longer_than(Some(stream.last_buffer), self.timeouts.heartbeat);
            silent.then_some("the device has fallen silent")
        });
        if let Some(why) = fault {
            // The first retry is immediate: the device played well until now.
            let at_once = self.retry_pause == self.timeouts.first_retry;
            self.lose_stream(why, if at_once { Duration::ZERO } else { self.retry_pause });
        }
        self.ask_device_name();
    }

    /// Asks for the name of the device that a stream was moved to: on a thread, and on one at a time,
    /// because the answer may take long.
    fn ask_device_name(&mut self) {
        let Some(stream) = self.stream.as_mut().filter(|stream| stream.moved) else { return };
        let Some(backend) = self.backend.clone().filter(|_| !self.asking_name) else { return };
        stream.moved = false;
        let (number, sender) = (stream.status.number, self.sender.clone());
        let ask = move || {
            let device = catch_unwind(AssertUnwindSafe(|| backend.default_name())).ok().flatten();
            let _ = sender.send(Message::Moved { number, device });
        };
        // If no thread can be started the old name stays; the stream plays all the same.
        let asked = thread::Builder::new().name("voicepool device".into()).spawn(ask);
        self.asking_name = asked.is_ok();
    }

    /// Drops the stream, and tries again after a pause.
    fn lose_stream(&mut self, why: &str, pause: Duration) {
        self.slot.grant(0);
        self.drop_candidate();
        if let Some(stream) = self.stream.take().filter(|stream| stream.rate.is_some()) {
            // Time is caught up with from where the sound ended, not from where that was noticed.
            self.silence = Some((stream.last_buffer + stream.buffer_duration(), 0));
        }
        self.next_try = Instant::now() + pause;
        self.retry_pause = (self.retry_pause * 2).min(self.timeouts.max_retry);
        let state = OutputState::Silent { why: why.to_owned() };
        self.log_state(&state);
        self.bridge.set_output(state);
    }

    /// Renders as many frames as time has passed, for nobody to hear: no device does.
    fn render_silence(&mut self) {
        let rate = u64::from(self.request.rate.unwrap_or(1));
        let (since, rendered) = *self.silence.get_or_insert((Instant::now(), 0));
        let due = (since.elapsed().as_nanos() * u128::from(rate) / 1_000_000_000) as u64;
        let most = MAX_CATCH_UP.as_secs() * rate;
        // If a callback still has the renderer, the next call catches up.
        let Some(mut renderer) = self.slot.take(0) else { return };
        let mut block = [[0.0; 2]; 256];
        let mut remaining = (due - rendered).min(most) as usize;
        let result = catch_unwind(AssertUnwindSafe(|| {
            while remaining > 0 {
                let frames = remaining.min(block.len());
                renderer.render(&mut block[..frames]);
                remaining -= frames;
            }
        }));
        match result {
            Ok(()) => self.slot.put(renderer),
            Err(_) => self.slot.put_failed(renderer),
        }
        self.silence = Some((since, due));
    }

    /// Drops a renderer that panicked: its plays end, and the mixer goes on in silence.
    fn reap(&mut self) {
        let Some(failed) = self.slot.take_failed() else { return };
        self.bridge.meters.panics.fetch_add(1, Relaxed);
        let dropped = catch_unwind(AssertUnwindSafe(|| drop(failed)));
        if dropped.is_err() {
            self.bridge.close();
        }
        self.backend = None;
        self.lose_stream(
            "the mixer failed: a bug in voicepool, please report it",
            self.timeouts.max_retry,
        );
    }

    /// Logs at most one line a second: on a thread, and on one at a time, because the logger may take
    /// long, and may drop the last mixer, which waits for the supervisor.
    fn log_state(&mut self, state: &OutputState) {
        let now = Instant::now();
        let soon = self.last_line.is_some_and(|last| now - last < ms(1000));
        if soon || self.logging || !is_heard() {
            return;
        }
        let (line, sender) = (format!("output: {state}"), self.sender.clone());
        let log = move || {
            log_line(format_args!("{line}"));
            let _ = sender.send(Message::Logged);
        };
        self.logging = thread::Builder::new().name("voicepool logger".into()).spawn(log).is_ok();
        self.last_line = Some(now);
    }
}
