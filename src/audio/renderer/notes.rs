//! What is noted for a recording: on which line how much had been applied, and what depends on time.

use super::Renderer;
use crate::link::tape::Noted;

/// How many lines on which something was applied are kept until somebody records: a game sets its buses
/// before that, in a frame or two.
const MOST_EARLY: usize = 32;

/// The lines on which commands were applied before there was a recording, and how many had been by then.
pub(super) struct EarlyLines {
    lines: [(u64, u64); MOST_EARLY],
    count: usize,
}

impl EarlyLines {
    pub fn new() -> EarlyLines {
        EarlyLines { lines: [(0, 0); MOST_EARLY], count: 0 }
    }
}

impl Renderer {
    /// Notes how many commands have been applied on this line, if any were.
    #[inline]
    pub(super) fn note_line(&mut self) {
        if self.applied != self.noted {
            self.note_applied();
        }
        if let Some(tape) = self.bridge.tape() {
            tape.reach(self.now);
        }
    }

    fn note_applied(&mut self) {
        self.noted = self.applied;
        let EarlyLines { lines, count } = &mut self.early;
        let Some(tape) = self.bridge.tape() else {
            if let Some(line) = lines.get_mut(*count) {
                *line = (self.now, self.applied);
            }
            // One more than there is room for says that some are lacking.
            *count = (*count + 1).min(MOST_EARLY + 1);
            return;
        };
        if !tape.is_running() {
            return;
        }
        match lines.get(..*count) {
            Some(lines) => lines
                .iter()
                .for_each(|(at, count)| tape.note(*at, Noted::Applied { count: *count })),
            None => tape.lose_from(0),
        }
        *count = 0;
        tape.note(self.now, Noted::Applied { count: self.applied });
    }

    /// Notes something else that happened on this frame.
    pub(super) fn note(&self, what: Noted) {
        if let Some(tape) = self.bridge.tape().filter(|tape| tape.is_running()) {
            tape.note(self.now, what);
        }
    }

    /// Notes how many frames were handed out.
    #[inline]
    pub(super) fn note_clock(&self) {
        if let Some(tape) = self.bridge.tape() {
            tape.show_clock(self.clock);
        }
    }
}
