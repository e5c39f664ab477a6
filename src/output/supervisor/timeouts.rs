//! How long the supervisor waits for what.

use std::time::Duration;

use super::stream::BUFFERS_AHEAD;
use crate::units::ms;

/// How long the supervisor waits for what. Tests have others.
#[derive(Clone, Copy)]
pub(in crate::output) struct Timeouts {
    /// How often a stream that plays is looked at.
    pub poll: Duration,
    /// A stream that has not filled a buffer for so long is dead.
    pub heartbeat: Duration,
    /// The same after a [`Verdict::Doubtful`](crate::output::callback::Verdict::Doubtful).
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
    /// The most time that is rendered at once to catch up: more passed while the machine slept.
    pub catch_up: Duration,
    /// How long a shutdown waits until the fade-out was heard, and as long again for the renderer.
    pub fade_out: Duration,
    /// How long a shutdown waits in all for its streams to be dropped: one that is not hangs.
    pub close: Duration,
    /// How long the drop of the last mixer waits for the shutdown.
    pub shutdown: Duration,
}

impl Timeouts {
    /// How long a shutdown waits until the fade-out was heard, where a buffer lasts so long: for the one that it is in
    /// and those that are ahead of it, but no longer than for all the rest.
    pub fn fade_out_in(&self, buffer: Duration) -> Duration {
        self.fade_out.max((BUFFERS_AHEAD as u32 + 1) * buffer).min(self.close.max(self.fade_out))
    }
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
            // More than the heartbeat, which is how late a dead device is noticed.
            catch_up: ms(2000),
            fade_out: ms(300),
            close: ms(700),
            shutdown: ms(900),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shutdown_waits_for_large_buffers_as_long_as_it_has_time() {
        let timeouts = Timeouts::default();
        let waits = [10, 75, 100, 150, 500].map(|buffer| timeouts.fade_out_in(ms(buffer)));
        assert_eq!(waits, [300, 300, 400, 600, 700].map(ms));
        assert!(timeouts.close < timeouts.shutdown);
    }
}
