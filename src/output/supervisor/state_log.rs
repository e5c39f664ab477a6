//! What the game's logger is told of the output.

use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use super::Message;
use crate::log_line::{is_heard, log_line};
use crate::stats::OutputState;
use crate::units::ms;

/// At most one line is logged in this time.
const PAUSE: Duration = ms(1000);

/// Logs changes of the output, and never waits for the logger.
#[derive(Default)]
pub(super) struct StateLog {
    /// Whether a thread is in the logger.
    busy: bool,
    /// When the latest line was logged.
    last: Option<Instant>,
}

impl StateLog {
    /// Logs a state: on a thread, and on one at a time, because the logger may take long, and may
    /// drop the last mixer, which waits for the supervisor. What comes too soon is left out.
    pub fn push(&mut self, state: &OutputState, sender: &Sender<Message>) {
        let now = Instant::now();
        let soon = self.last.is_some_and(|last| now - last < PAUSE);
        if soon || self.busy || !is_heard() {
            return;
        }
        let (line, sender) = (format!("output: {state}"), sender.clone());
        let push = move || {
            log_line(format_args!("{line}"));
            let _ = sender.send(Message::Logged);
        };
        self.busy = thread::Builder::new().name("voicepool logger".into()).spawn(push).is_ok();
        self.last = Some(now);
    }

    /// The logger has taken the line.
    pub fn taken(&mut self) {
        self.busy = false;
    }
}
