//! While no stream plays, the supervisor calls the renderer itself.

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use super::Supervisor;
use crate::guarded::guarded;
use crate::units::{self, ms};

/// How often the renderer is called while no stream plays.
pub(super) const SILENT_STEP: Duration = ms(10);

/// The time that passes while no stream plays.
pub(super) struct Silence {
    since: Instant,
    /// How many frames have been rendered since.
    rendered: u64,
}

impl Silence {
    pub fn since(since: Instant) -> Silence {
        Silence { since, rendered: 0 }
    }

    /// How many frames are to be rendered when so much time has passed in all: what has passed since the last time,
    /// but no more than `most`. A clock that has gone back has them wait until it is there again.
    fn take_due(&mut self, passed: Duration, rate: u32, most: Duration) -> usize {
        let passed = (passed.as_nanos() * u128::from(rate) / 1_000_000_000) as u64;
        let due = passed.saturating_sub(self.rendered);
        self.rendered = self.rendered.max(passed);
        due.min(units::frames(most, rate)) as usize
    }
}

impl Supervisor {
    /// Renders as many frames as time has passed, for nobody to hear: no device does.
    pub(super) fn render_silence(&mut self) {
        let rate = self.request.rate.unwrap_or(1);
        let silence = self.silence.get_or_insert_with(|| Silence::since(Instant::now()));
        // If a callback still has the renderer, the next call catches up.
        let Some(mut renderer) = self.slot.take(0) else { return };
        let passed = silence.since.elapsed();
        let mut remaining = silence.take_due(passed, rate, self.timeouts.catch_up);
        let mut block = [[0.0; 2]; 256];
        let rendered = guarded(|| {
            while remaining > 0 {
                let frames = remaining.min(block.len());
                renderer.render(&mut block[..frames]);
                remaining -= frames;
            }
        });
        match rendered {
            Some(()) => self.slot.put(renderer),
            None => self.slot.put_failed(renderer),
        }
    }

    /// Drops a renderer that panicked: its plays end, and the mixer goes on in silence.
    pub(super) fn reap(&mut self) {
        let Some(failed) = self.slot.take_failed() else { return };
        self.bridge.meters.panics.fetch_add(1, Relaxed);
        if guarded(|| drop(failed)).is_none() {
            self.bridge.close();
        }
        self.backend = None;
        self.lose_stream(
            "the mixer failed: a bug in voicepool, please report it",
            self.timeouts.max_retry,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::secs;

    #[test]
    fn time_that_no_device_counts_passes_once_whatever_the_clock_does() {
        let mut silence = Silence::since(Instant::now());
        let mut due = |passed: f32| silence.take_due(secs(passed), 1000, secs(2.0));
        assert_eq!([due(0.0), due(0.5), due(0.5), due(1.25)], [0, 500, 0, 750]);
        // It goes back, and comes to where it was.
        assert_eq!([due(0.75), due(1.25), due(1.5)], [0, 0, 250]);
        // The machine has slept for a night.
        assert_eq!([due(30_000.0), due(30_000.5)], [2000, 500]);
    }
}
