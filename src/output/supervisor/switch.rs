//! The device that was asked for by name, while the default plays instead of it: it is tried from
//! time to time, and the sound goes over to it when it is back.
//!
//! The stream that plays is closed only when the other one calls back. So a device that is missing,
//! cannot be opened or hangs costs no sound.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use super::stream::OpenStream;
use super::{MAX_STREAM_THREADS, Supervisor};
use crate::output::backend::StreamRequest;
use crate::output::callback::Verdict;
use crate::stats::OutputState;

/// A stream on the device that was asked for, while another plays.
pub(super) struct Candidate {
    number: u64,
    /// `None` once it was given up. There is no other candidate until its thread is over, so that a
    /// device that hangs holds one thread.
    stream: Option<OpenStream>,
    /// The output's state once it plays, known when it is open.
    state: Option<OutputState>,
    /// Whether the stream that plays is fading out for it.
    is_next: bool,
}

impl Supervisor {
    /// Opens a stream on the device that was asked for, if another plays and it is time.
    pub(super) fn try_switch(&mut self) {
        let (Some(named), Some(stream)) = (&self.request.device, &self.stream) else { return };
        let OutputState::Playing { device, .. } = self.bridge.output() else { return };
        if device == *named {
            if stream.since.elapsed() > self.timeouts.max_switch_retry {
                self.switch_pause = self.timeouts.switch_retry;
            }
            return;
        }
        let due = self.candidate.is_none()
            && self.request.rate.is_some()
            && self.stream_threads < MAX_STREAM_THREADS
            && Instant::now() >= self.next_switch;
        let Some(backend) = self.backend.clone().filter(|_| due) else { return };
        self.next_switch = Instant::now() + self.switch_pause;
        // If no thread can be started, there is a next time.
        let request = StreamRequest { named_only: true, ..self.request.clone() };
        if let Ok(stream) = self.open_stream(backend, request) {
            let number = stream.status.number;
            self.candidate =
                Some(Candidate { number, stream: Some(stream), state: None, is_next: false });
        }
    }

    pub(super) fn candidate_opened(&mut self, number: u64, rate: u32, state: OutputState) {
        if let Some(candidate) =
            self.candidate.as_mut().filter(|candidate| candidate.number == number)
            && let Some(stream) = &mut candidate.stream
        {
            stream.rate = Some(rate);
            candidate.state = Some(state);
        }
    }

    /// A thread is over. If it was a failed candidate's, the next one waits longer: to look for a
    /// device that is not there costs the system a little each time.
    pub(super) fn candidate_ended(&mut self, number: u64) {
        if self.candidate.take_if(|candidate| candidate.number == number).is_some() {
            let patient = (2 * self.switch_pause).min(4 * self.timeouts.switch_retry);
            self.switch_pause = self.switch_pause.max(patient);
        }
    }

    /// The number of the candidate, also of one that was given up and is not over yet.
    pub(super) fn candidate_number(&self) -> Option<u64> {
        self.candidate.as_ref().map(|candidate| candidate.number)
    }

    /// Gives the candidate up.
    pub(super) fn drop_candidate(&mut self) {
        if let Some(candidate) = &mut self.candidate {
            candidate.stream = None;
        }
    }

    /// Goes over to the candidate, step by step, once it calls back.
    pub(super) fn watch_candidate(&mut self) {
        let (Some(candidate), Some(playing)) = (&mut self.candidate, &mut self.stream) else {
            return;
        };
        let Some(stream) = &candidate.stream else { return };
        if candidate.is_next {
            // If the old stream dies before its fade-out is over, `watch` drops both.
            if playing.has_faded_out() {
                self.switch_over();
            }
            return;
        }
        let failed = stream.status.take_verdict() > Verdict::Doubtful;
        if failed || stream.since.elapsed() > self.timeouts.open {
            self.drop_candidate();
        } else if candidate.state.is_some() && stream.status.buffers.load(Relaxed) > 0 {
            // There is no way back from here: if the candidate dies now, the output is lost with it.
            playing.status.fade_out();
            candidate.is_next = true;
        }
    }

    /// The candidate becomes the stream that plays.
    fn switch_over(&mut self) {
        let Some(Candidate { number, stream: Some(mut stream), state: Some(state), .. }) =
            self.candidate.take()
        else {
            return;
        };
        (stream.since, stream.last_buffer) = (Instant::now(), Instant::now());
        stream.errors = stream.status.errors.load(Relaxed);
        self.slot.grant(number);
        self.stream = Some(stream);
        // If it is lost again soon, it is tried less often.
        self.switch_pause = (self.switch_pause * 2).min(self.timeouts.max_switch_retry);
        self.set_state(state);
    }
}
