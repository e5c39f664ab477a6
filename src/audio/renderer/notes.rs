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
        if self.early.count > 0 {
            self.note_early();
        }
        if let Some(tape) = self.bridge.tape() {
            tape.reach(self.now);
        }
    }

    fn note_applied(&mut self) {
        self.noted = self.applied;
        if self.bridge.tape().is_some() {
            return self.note(Noted::Applied { count: self.applied });
        }
        let EarlyLines { lines, count } = &mut self.early;
        if let Some(line) = lines.get_mut(*count) {
            *line = (self.now, self.applied);
        } else {
            self.bridge.lose_lines();
        }
        // One more than there is room for says that some are lacking.
        *count = (*count + 1).min(MOST_EARLY + 1);
    }

    /// Notes what was applied before there was a recording, if there is one by now.
    fn note_early(&mut self) {
        let Some(tape) = self.bridge.tape() else { return };
        match self.early.lines.get(..self.early.count) {
            Some(lines) => lines
                .iter()
                .for_each(|(at, count)| tape.note(*at, Noted::Applied { count: *count })),
            None => tape.lose_from(0),
        }
        self.early.count = 0;
    }

    /// Notes something else that happened on this frame, behind all that happened before.
    pub(super) fn note(&mut self, what: Noted) {
        if self.early.count > 0 {
            self.note_early();
        }
        if let Some(tape) = self.bridge.tape().filter(|tape| tape.is_running()) {
            tape.note(self.now, what);
        }
    }

    /// Notes how many frames were handed out: none, until what was said before is noted.
    #[inline]
    pub(super) fn note_clock(&self) {
        if let Some(tape) = self.bridge.tape().filter(|_| self.early.count == 0) {
            tape.show_clock(self.clock);
        }
    }
}
