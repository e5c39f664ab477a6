//! Finds, loses and regains the device, on a thread of its own.
//!
//! A stream lives on yet another thread, which opens it and in the end drops it. Either may hang
//! for ever in a driver, and nothing here waits for it. While no stream plays, the supervisor calls
//! the renderer itself, so that time passes and plays end.

mod shutdown;
mod silence;
mod state_log;
mod stream;
mod switch;
mod timeouts;
mod watch;

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use self::silence::{SILENT_STEP, Silence};
use self::state_log::StateLog;
use self::stream::OpenStream;
use self::switch::Candidate;
pub(super) use self::timeouts::Timeouts;
use super::backend::{Backend, StreamRequest};
use super::callback::RendererSlot;
use crate::link::Bridge;
use crate::stats::OutputState;

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

/// No stream is opened while so many threads are busy with one: in a driver that hangs, each stays.
const MAX_STREAM_THREADS: usize = 4;

pub(super) struct Supervisor {
    backend: Option<Arc<dyn Backend>>,
    slot: Arc<RendererSlot>,
    bridge: Arc<Bridge>,
    /// What the game wants at present.
    request: StreamRequest,
    timeouts: Timeouts,
    messages: Receiver<Message>,
    sender: Sender<Message>,
    /// Where `Mixer::open` waits for the first device's rate.
    first_rate: Option<Sender<Option<u32>>>,
    stream: Option<OpenStream>,
    /// Whether the device that was asked for by name has opened and never called back: the default plays until it
    /// does.
    named_is_mute: bool,
    /// A stream on the device that was asked for, while another plays.
    candidate: Option<Candidate>,
    /// How long to wait between two candidates.
    switch_pause: Duration,
    next_switch: Instant,
    /// How many streams were asked for: the number of the latest.
    attempts: u64,
    /// How many threads open, hold or drop a stream.
    stream_threads: usize,
    /// How long to wait between two streams that fail.
    retry_pause: Duration,
    next_try: Instant,
    /// Where time stands since no stream has played.
    silence: Option<Silence>,
    /// Whether a thread is asking for the name of the default device.
    asking_name: bool,
    state_log: StateLog,
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
            Ok(_) => {
                bridge.start_output(OutputState::Silent { why: "no device yet".to_owned() });
            }
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
            named_is_mute: false,
            candidate: None,
            switch_pause: timeouts.switch_retry,
            next_switch: Instant::now(),
            attempts: 0,
            stream_threads: 0,
            retry_pause: timeouts.first_retry,
            next_try: Instant::now(),
            silence: None,
            asking_name: false,
            state_log: StateLog::default(),
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
            self.take_choice();
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
        self.stream.as_ref().is_some_and(OpenStream::is_open)
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
                    stream.set_open(rate, &state);
                    stream.last_buffer = Instant::now();
                    self.next_switch = stream.last_buffer + self.switch_pause;
                }
                if self.check_rate() {
                    // Before the game is told that it plays.
                    self.slot.grant(number);
                    self.set_state(state);
                }
                self.answer_first(Some(rate));
            }
            Message::Failed { number, why } if current == Some(number) => {
                self.lose_stream(&why, self.retry_pause);
            }
            Message::Moved { number, device: to } => {
                self.asking_name = false;
                let mut state = self.bridge.output();
                if current == Some(number)
                    && let (OutputState::Playing { device, .. }, Some(to)) = (&mut state, to)
                {
                    *device = to;
                    self.set_state(state);
                }
            }
            Message::Ended { number } => {
                self.stream_threads -= 1;
                self.candidate_ended(number);
            }
            Message::Logged => self.state_log.taken(),
            Message::Opened { number, rate, state } => self.candidate_opened(number, rate, state),
            Message::Failed { number, .. } => self.candidate_failed(number),
            Message::Close => (),
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

    /// Opens a stream, if there is none and it is time to try. Only the first may decide the mixer's rate; the others
    /// wait until it has one.
    fn open_if_due(&mut self) {
        let Some(backend) = self.backend.clone() else { return self.answer_first(None) };
        if self.stream.is_some()
            || self.attempts > 0 && self.request.rate.is_none()
            || self.stream_threads >= MAX_STREAM_THREADS
            || Instant::now() < self.next_try
        {
            return;
        }
        let mut request = self.request.clone();
        request.device.take_if(|_| self.named_is_mute);
        match self.open_stream(backend, request) {
            Ok(stream) => self.stream = Some(stream),
            Err(error) => {
                self.lose_stream(&format!("no thread for the stream: {error}"), self.retry_pause);
            }
        }
    }

    /// Drops the stream, and tries again after a pause.
    fn lose_stream(&mut self, why: &str, pause: Duration) {
        self.slot.grant(0);
        self.drop_candidate();
        if let Some(stream) = self.stream.take().filter(OpenStream::is_open) {
            // Time is caught up with from where the sound ended, not from where that was noticed.
            self.silence = Some(Silence::since(stream.last_buffer + stream.buffer_duration()));
        }
        self.next_try = Instant::now() + pause;
        self.retry_pause = (self.retry_pause * 2).min(self.timeouts.max_retry);
        let state = OutputState::Silent { why: why.to_owned() };
        self.set_state(state);
        self.answer_first(None);
    }

    /// Tells the game and its logger where the sound goes.
    fn set_state(&mut self, state: OutputState) {
        self.state_log.push(&state, &self.sender);
        self.bridge.set_output(state);
    }
}
