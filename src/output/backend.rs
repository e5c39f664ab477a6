//! What the supervisor needs of a sound system.

use std::any::Any;
use std::time::Duration;

use super::callback::Callback;
use crate::stats::OutputState;

/// A sound system: cpal's, or one of a test.
pub(super) trait Backend: Send + Sync {
    /// Opens a stream and starts it. Both this and the drop of what it returns may block for long.
    /// `callback` makes the callback of a stream at a rate; it is called once for each attempt.
    fn open(
        &self,
        request: &StreamRequest,
        callback: &dyn Fn(u32) -> Callback,
    ) -> Result<Opened, String>;

    /// The name of the default device: only a stream on the default can move to another device.
    fn default_name(&self) -> Option<String>;
}

/// A stream that was opened, and where it plays.
pub(super) struct Opened {
    /// Kept as long as it is to play, and dropped on the thread that opened it.
    pub stream: Box<dyn Any>,
    pub rate: u32,
    pub state: OutputState,
}

/// What to ask a device for.
#[derive(Clone)]
#[cfg_attr(not(feature = "device"), allow(dead_code, reason = "there is nobody to ask"))]
pub(super) struct StreamRequest {
    /// The device's name; `None` is the default device.
    pub device: Option<String>,
    /// Whether to fail if the named device cannot be had, instead of opening the default.
    pub named_only: bool,
    /// The mixer's rate. `None` for the first device, which decides it.
    pub rate: Option<u32>,
    /// How long a buffer should last.
    pub buffer: Duration,
}
