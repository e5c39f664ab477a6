//! The device that was asked for by name, when the default plays in its stead: it is tried from
//! time to time, and taken up when it is back.
//!
//! The stream that plays is let go only when the other one calls back. So a device that is not
//! there, cannot be opened or hangs costs no sound.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use super::{Keeper, MOST_HANGING, Supervisor};
use crate::output::callback::Verdict;
use crate::output::outlet::Wish;
use crate::stats::OutputState;

/// A stream on the device that was asked for, while another plays.
pub(super) struct Trial {
    number: u64,
    /// `None` once it was given up. Its thread may be longer on its way, and until that is over
    /// there is no other: a device that hangs holds one thread.
    keeper: Option<Keeper>,
    /// What it is, once it is open.
    state: Option<OutputState>,
    /// Whether the stream that plays is fading out for it.
    awaited: bool,
}

impl Supervisor {
    /// Tries the device that was asked for, if another plays and it is time.
    pub(super) fn try_named(&mut self) {
        let (Some(named), Some(keeper)) = (&self.wish.device, &self.keeper) else { return };
        let OutputState::Playing { device, .. } = self.bridge.output() else { return };
        if device == *named {
            if keeper.since.elapsed() > self.pace.most_trial {
                self.trial_pause = self.pace.trial;
            }
            return;
        }
        let due = self.trial.is_none()
            && self.wish.rate.is_some()
            && self.hanging < MOST_HANGING
            && Instant::now() >= self.next_trial;
        let Some(outlet) = self.outlet.clone().filter(|_| due) else { return };
        self.next_trial = Instant::now() + self.trial_pause;
        // Without a thread there is another time.
        if let Ok(keeper) = self.keep(outlet, Wish { no_other: true, ..self.wish.clone() }) {
            let number = keeper.tenure.number;
            self.trial = Some(Trial { number, keeper: Some(keeper), state: None, awaited: false });
        }
    }

    pub(super) fn trial_opened(&mut self, number: u64, rate: u32, state: OutputState) {
        if let Some(trial) = self.trial.as_mut().filter(|trial| trial.number == number)
            && let Some(keeper) = &mut trial.keeper
        {
            keeper.rate = Some(rate);
            trial.state = Some(state);
        }
    }

    /// A thread is over: if it was the trial's, there can be another, though not as soon: to ask
    /// for a device that is not there costs the system a little each time.
    pub(super) fn trial_gone(&mut self, number: u64) {
        if self.trial.take_if(|trial| trial.number == number).is_some() {
            let patient = (2 * self.trial_pause).min(4 * self.pace.trial);
            self.trial_pause = self.trial_pause.max(patient);
        }
    }

    /// The number of the stream that is tried, or was and is not gone yet.
    pub(super) fn trial_number(&self) -> Option<u64> {
        self.trial.as_ref().map(|trial| trial.number)
    }

    /// Lets its stream go.
    pub(super) fn give_up_trial(&mut self) {
        if let Some(trial) = &mut self.trial {
            trial.keeper = None;
        }
    }

    /// Looks what has become of it.
    pub(super) fn watch_trial(&mut self) {
        let (Some(trial), Some(playing)) = (&mut self.trial, &mut self.keeper) else { return };
        let Some(keeper) = &trial.keeper else { return };
        if trial.awaited {
            // If it falls silent instead it is lost, and the trial with it.
            if playing.has_faded() {
                self.take_up();
            }
            return;
        }
        let failed = keeper.tenure.take_verdict() > Verdict::Doubtful;
        if failed || keeper.since.elapsed() > self.pace.opening {
            self.give_up_trial();
        } else if trial.state.is_some() && keeper.tenure.beats.load(Relaxed) > 0 {
            // From here on there is no way back: what befalls it now befalls the stream that plays.
            playing.tenure.leave();
            trial.awaited = true;
        }
    }

    /// Goes on where it plays.
    fn take_up(&mut self) {
        let Some(Trial { number, keeper: Some(mut keeper), state: Some(state), .. }) =
            self.trial.take()
        else {
            return;
        };
        (keeper.since, keeper.last_beat) = (Instant::now(), Instant::now());
        keeper.errors = keeper.tenure.errors.load(Relaxed);
        self.seat.grant(number);
        self.keeper = Some(keeper);
        // Should it be lost soon, it is not trusted as soon again.
        self.trial_pause = (self.trial_pause * 2).min(self.pace.most_trial);
        self.say(&state);
        self.bridge.set_output(state);
    }
}
