//! What the supervisor needs of a sound system.

use std::any::Any;
use std::time::Duration;

use super::callback::Callback;
use crate::stats::OutputState;

/// A sound system. There is one, but for tests.
pub(super) trait Outlet: Send + Sync {
    /// Opens a stream and sets it going. It may take its time, and so may the drop of what it
    /// returns. `callback` makes the stream's callback for a rate, and may be asked again.
    fn open(&self, wish: &Wish, callback: &dyn Fn(u32) -> Callback) -> Result<Opened, String>;

    /// The name of the default device: only a stream on that one moves with it.
    fn default_name(&self) -> Option<String>;
}

/// A stream, and where it plays.
pub(super) struct Opened {
    /// To be kept, and dropped by the thread that made it.
    pub stream: Box<dyn Any>,
    pub rate: u32,
    pub state: OutputState,
}

/// What to ask a device for.
#[derive(Clone)]
#[cfg_attr(not(feature = "device"), allow(dead_code, reason = "there is nobody to ask"))]
pub(super) struct Wish {
    pub device: Option<String>,
    /// Whether no other device will do.
    pub no_other: bool,
    /// The mixer's rate. `None` until the first device has said which that is.
    pub rate: Option<u32>,
    pub buffer: Duration,
}
