//! A picture of every play, drawn by the audio side on a sheet that the game side made.

use std::num::NonZeroU32;

use crate::stats::VoiceState;

/// A row of a snapshot: what only the audio side knows.
pub(crate) struct Row {
    pub ticket: u32,
    /// Its slot and one more, which is never 0.
    pub slot: Option<NonZeroU32>,
    pub state: VoiceState,
    pub position: u32,
    pub level: f32,
    pub gain: f32,
    pub pan: f32,
}

/// A sheet that the game side sends over empty, with room for all, and gets back filled.
pub(crate) struct Snapshot {
    rows: Vec<Row>,
    /// The number of the last command that had been heard: later plays are not in it.
    pub heard: u64,
    /// The frame on which it was drawn: the next that each play would hand out.
    pub at: u64,
}

impl Snapshot {
    pub fn new(capacity: usize) -> Snapshot {
        Snapshot { rows: Vec::with_capacity(capacity), heard: 0, at: 0 }
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub fn begin(&mut self, heard: u64, at: u64) {
        self.rows.clear();
        (self.heard, self.at) = (heard, at);
    }

    /// Adds a row, if there is room: it never allocates.
    pub fn add(&mut self, row: Row) {
        if self.rows.len() < self.rows.capacity() {
            self.rows.push(row);
        }
    }
}
