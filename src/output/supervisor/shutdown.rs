//! The last mixer was dropped: the sound fades out, then stream and renderer are dropped.

use std::thread;
use std::time::{Duration, Instant};

use super::stream::OpenStream;
use super::{Message, Supervisor};
use crate::units::ms;

impl Supervisor {
    /// Fades out, and drops the stream and the renderer.
    pub(super) fn shut_down(&mut self) {
        let (began, timeouts) = (Instant::now(), self.timeouts);
        self.drop_candidate();
        if let Some(stream) = &self.stream {
            stream.status.fade_out();
        }
        let buffer = self.stream.as_ref().map_or(Duration::ZERO, OpenStream::buffer_duration);
        let most = timeouts.fade_out_in(buffer);
        while let Some(stream) = self.stream.as_mut().filter(|stream| stream.is_open())
            && began.elapsed() < most
            && !stream.has_faded_out()
        {
            thread::sleep(ms(1));
        }
        self.slot.grant(0);
        let playing = self.stream.take().filter(|it| it.is_open()).map(|it| it.status.number);
        let mut renderer = None;
        while renderer.is_none() && began.elapsed() < most + timeouts.fade_out {
            renderer = self.slot.take(0);
            thread::sleep(ms(1));
        }
        // A callback that still has it puts it back into the slot, and it is dropped with that.
        drop(renderer);
        self.bridge.close();
        // The process may end with the mixer, and should not while a driver is at work.
        let mut waited_for = [playing, self.candidate_number()];
        while waited_for.iter().any(Option::is_some)
            && let Some(remaining) = timeouts.close.checked_sub(began.elapsed())
        {
            if let Ok(Message::Ended { number }) = self.messages.recv_timeout(remaining) {
                waited_for = waited_for.map(|it| it.filter(|it| *it != number));
            }
        }
    }
}
