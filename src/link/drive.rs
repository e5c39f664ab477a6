//! Who drives a renderer.

/// What whoever drives a renderer may do between its lines. The audio callback does nothing.
pub(crate) trait Drive {
    /// The renderer stands on a line, and is about to apply what the game said. Returns the line on which it is
    /// to be told again at the latest.
    fn line(&mut self, _at: u64) -> u64 {
        u64::MAX
    }

    /// It is about to take in blocks of streams, on this frame: before they are seen to, or again after that. Returns
    /// whether to ask again when that is done.
    fn supply(&mut self, _at: u64, _after: bool) -> bool {
        false
    }

    /// A stream lacks something: returns whether to look again.
    fn wait(&mut self) -> bool {
        false
    }
}

/// A callback, which waits for nothing.
pub(crate) struct Live;

impl Drive for Live {}
