//! Whether the stream still plays, and on which device.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use super::{Message, Supervisor};
use crate::output::callback::Verdict;
use crate::units::ms;

/// More errors than this between two polls are an error storm, whatever they say. It ends the
/// stream unless a buffer is filled within the timeout: a sound server's errors after an xrun pass.
const STORM_ERRORS: u64 = 1000;
const STORM_TIMEOUT: Duration = ms(150);

impl Supervisor {
    /// Checks that the stream still plays, and loses it otherwise.
    pub(super) fn watch(&mut self) {
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
            if !stream.is_open() {
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
            self.named_is_mute |= silent && stream.named.is_some() && stream.buffers == 0;
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
}
