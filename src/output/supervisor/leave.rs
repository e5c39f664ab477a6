//! The last mixer is gone: the sound fades out, and everything is let go.

use std::thread;
use std::time::{Duration, Instant};

use super::{Supervisor, Word};
use crate::units::ms;

/// How long to wait for the sound to fade out and be heard, and then for the renderer.
const LEAVING: Duration = ms(300);

/// How long leaving may take in all: a stream that is not gone by then hangs.
const STOPPING: Duration = ms(700);

impl Supervisor {
    /// Fades out, lets the stream go, and takes the renderer down.
    pub(super) fn leave(&mut self) {
        let began = Instant::now();
        self.give_up_trial();
        if let Some(keeper) = &self.keeper {
            keeper.tenure.leave();
        }
        while let Some(keeper) = self.keeper.as_mut().filter(|keeper| keeper.rate.is_some())
            && began.elapsed() < LEAVING
            && !keeper.has_faded()
        {
            thread::sleep(ms(1));
        }
        self.seat.grant(0);
        let stream = self.keeper.take().filter(|it| it.rate.is_some()).map(|it| it.tenure.number);
        let mut renderer = None;
        while renderer.is_none() && began.elapsed() < 2 * LEAVING {
            renderer = self.seat.take(0);
            thread::sleep(ms(1));
        }
        // If a callback still has it, it will find nobody to give it back to.
        drop(renderer);
        self.bridge.close();
        // The game may end with the mixer, and should not with a driver at work.
        let mut there = [stream, self.trial_number()];
        while there.iter().any(Option::is_some)
            && let Some(left) = STOPPING.checked_sub(began.elapsed())
        {
            if let Ok(Word::Gone { number }) = self.words.recv_timeout(left) {
                there = there.map(|it| it.filter(|it| *it != number));
            }
        }
    }
}
