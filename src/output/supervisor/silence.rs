//! While no stream plays, the supervisor calls the renderer itself.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use super::Supervisor;
use crate::units::{self, ms};

/// How often the renderer is called while no stream plays.
pub(super) const SILENT_STEP: Duration = ms(10);

impl Supervisor {
    /// Renders as many frames as time has passed, for nobody to hear: no device does.
    pub(super) fn render_silence(&mut self) {
        let rate = self.request.rate.unwrap_or(1);
        let (since, rendered) = *self.silence.get_or_insert((Instant::now(), 0));
        let due = (since.elapsed().as_nanos() * u128::from(rate) / 1_000_000_000) as u64;
        let most = units::frames(self.timeouts.catch_up, rate);
        // If a callback still has the renderer, the next call catches up.
        let Some(mut renderer) = self.slot.take(0) else { return };
        let mut block = [[0.0; 2]; 256];
        let mut remaining = (due - rendered).min(most) as usize;
        let result = catch_unwind(AssertUnwindSafe(|| {
            while remaining > 0 {
                let frames = remaining.min(block.len());
                renderer.render(&mut block[..frames]);
                remaining -= frames;
            }
        }));
        match result {
            Ok(()) => self.slot.put(renderer),
            Err(_) => self.slot.put_failed(renderer),
        }
        self.silence = Some((since, due));
    }

    /// Drops a renderer that panicked: its plays end, and the mixer goes on in silence.
    pub(super) fn reap(&mut self) {
        let Some(failed) = self.slot.take_failed() else { return };
        self.bridge.meters.panics.fetch_add(1, Relaxed);
        let dropped = catch_unwind(AssertUnwindSafe(|| drop(failed)));
        if dropped.is_err() {
            self.bridge.close();
        }
        self.backend = None;
        self.lose_stream(
            "the mixer failed: a bug in voicepool, please report it",
            self.timeouts.max_retry,
        );
    }
}
