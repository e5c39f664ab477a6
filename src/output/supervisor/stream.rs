//! A stream on its thread, and what the supervisor knows of it.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::switch::plays_on;
use super::{Message, Supervisor};
use crate::output::backend::{Backend, Opened, StreamRequest};
use crate::output::callback::{Callback, StreamStatus};
use crate::stats::OutputState;

/// How many buffers a device may have taken that are not heard yet, and would be cut off with it.
pub(super) const BUFFERS_AHEAD: u64 = 3;

/// A stream that is being opened, or plays, as the supervisor sees it.
pub(super) struct OpenStream {
    pub status: Arc<StreamStatus>,
    /// Its drop tells the stream's thread to drop the stream.
    _release: Sender<()>,
    /// When it was asked for, or took over from another.
    pub since: Instant,
    /// The device's rate, once it is open.
    pub rate: Option<u32>,
    /// The device's name if it was asked for by name; `None` on the default device.
    pub named: Option<String>,
    /// Whether it is to be closed once it has faded out, to make room for another.
    pub closing: bool,
    /// How many buffers and errors there were at the latest poll.
    pub buffers: u64,
    pub errors: u64,
    /// When a new buffer was last seen.
    pub last_buffer: Instant,
    /// Since when it has been in doubt, and in an error storm.
    pub doubt_since: Option<Instant>,
    pub storm_since: Option<Instant>,
    /// Whether it was moved to another device whose name was not asked for yet.
    pub moved: bool,
    /// How many buffers it had filled when its fade-out was over.
    faded_at: Option<u64>,
}

impl OpenStream {
    /// The stream is open, on the device that was asked for by name or on the default.
    pub fn set_open(&mut self, rate: u32, state: &OutputState) {
        self.rate = Some(rate);
        self.named.take_if(|name| !plays_on(state, name));
    }

    /// Whether it is open.
    pub fn is_open(&self) -> bool {
        self.rate.is_some()
    }

    /// How long the latest buffer lasts.
    pub fn buffer_duration(&self) -> Duration {
        Duration::from_nanos(self.status.buffer_nanos.load(Relaxed))
    }

    /// Whether its fade-out is over, and was heard.
    pub fn has_faded_out(&mut self) -> bool {
        let buffers = self.status.buffers.load(Relaxed);
        self.status.faded_out.load(Acquire)
            && buffers - *self.faded_at.get_or_insert(buffers) >= BUFFERS_AHEAD
    }
}

impl Supervisor {
    /// Opens a stream on a thread of its own, which holds it until [`OpenStream`] is dropped.
    pub(super) fn open_stream(
        &mut self,
        backend: Arc<dyn Backend>,
        request: StreamRequest,
    ) -> io::Result<OpenStream> {
        self.attempts += 1;
        let number = self.attempts;
        let status = Arc::new(StreamStatus::new(number));
        let (release, released) = channel::<()>();
        let (slot, bridge, held) = (self.slot.clone(), self.bridge.clone(), status.clone());
        let (sender, named) = (self.sender.clone(), request.device.clone());
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
            named,
            closing: false,
            buffers: 0,
            errors: 0,
            last_buffer: now,
            doubt_since: None,
            storm_since: None,
            moved: false,
            faded_at: None,
        })
    }
}
