//! From one device to another: to the one that the game has chosen, and to the one that was asked
//! for by name and is back, while the default plays instead of it.
//!
//! The stream that plays is closed only when the other one, the candidate, calls back. So a device
//! that is missing, cannot be opened or hangs costs no sound.

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

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

/// Whether the sound goes to the device of that name.
pub(super) fn plays_on(state: &OutputState, name: &str) -> bool {
    matches!(state, OutputState::Playing { device, .. } if device == name)
}

impl Supervisor {
    /// Takes up the game's latest choice of a device.
    pub(super) fn take_choice(&mut self) {
        // Until the mixer has its rate, the first stream is left alone: it decides the rate.
        if self.request.rate.is_none() {
            return;
        }
        let Some(device) = self.bridge.take_chosen_device() else { return };
        if device == self.request.device {
            return;
        }
        (self.request.device, self.named_is_mute) = (device, false);
        // What failed or hung so far was another device. The new one is tried at once.
        let now = Instant::now();
        (self.switch_pause, self.next_switch) = (self.timeouts.switch_retry, now);
        (self.retry_pause, self.next_try) = (self.timeouts.first_retry, now);
        self.candidate.take_if(|candidate| !candidate.is_next);
        self.stream.take_if(|stream| !stream.is_open());
    }

    /// Whether the stream plays where the game wants it.
    fn is_settled(&self, stream: &OpenStream) -> bool {
        match &self.request.device {
            Some(name) => plays_on(&self.bridge.output(), name),
            None => stream.named.is_none(),
        }
    }

    /// Opens a stream on the device that was asked for, if another plays and it is time.
    pub(super) fn try_switch(&mut self) {
        let Some(stream) = self.stream.as_ref().filter(|stream| stream.is_open()) else { return };
        if self.is_settled(stream) {
            if stream.since.elapsed() > self.timeouts.max_switch_retry {
                self.switch_pause = self.timeouts.switch_retry;
            }
            return;
        }
        let due = self.candidate.is_none()
            && !stream.closing
            && self.request.rate.is_some()
            && self.stream_threads < MAX_STREAM_THREADS
            && Instant::now() >= self.next_switch;
        let Some(backend) = self.backend.clone().filter(|_| due) else { return };
        // Where the default plays already, only the named device is worth a switch.
        let named_only = stream.named.is_none();
        self.next_switch = Instant::now() + self.switch_pause;
        // If no thread can be started, there is a next time.
        let request = StreamRequest { named_only, ..self.request.clone() };
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
            stream.set_open(rate, &state);
            candidate.state = Some(state);
        }
    }

    /// The candidate could not be opened. Where a device plays that the game does not want any more,
    /// that may be why: some devices cannot be opened twice. So it is closed, and then all is open to
    /// the request again.
    pub(super) fn candidate_failed(&mut self, number: u64) {
        let failed = self.candidate.as_ref().is_some_and(|candidate| candidate.number == number);
        if failed && let Some(stream) = self.stream.as_mut().filter(|stream| stream.named.is_some())
        {
            stream.status.fade_out();
            stream.closing = true;
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
            (candidate.stream, candidate.is_next) = (None, false);
        }
    }

    /// Goes over to the candidate, step by step, once it calls back.
    pub(super) fn watch_candidate(&mut self) {
        let Some(playing) = &mut self.stream else { return };
        if playing.closing && playing.has_faded_out() {
            return self.lose_stream("another device was chosen", Duration::ZERO);
        }
        let Some(candidate) = &mut self.candidate else { return };
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
        self.named_is_mute &= stream.named.is_none();
        self.stream = Some(stream);
        // If it is lost again soon, it is tried less often.
        self.switch_pause = (self.switch_pause * 2).min(self.timeouts.max_switch_retry);
        self.set_state(state);
    }
}
