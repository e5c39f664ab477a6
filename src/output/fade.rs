//! The fade after a gap in the output, and before it is closed.

use crate::Frame;

/// How long it takes, in seconds.
const TIME: f32 = 0.01;

/// A gain on its way between 0 and 1.
pub(super) struct Fade {
    gain: f32,
    step: f32,
}

impl Fade {
    /// Nothing is heard yet.
    pub fn shut(rate: u32) -> Fade {
        Fade { gain: 0.0, step: 1.0 / (TIME * rate as f32).max(1.0) }
    }

    /// All is heard.
    #[cfg(any(test, target_arch = "wasm32"))]
    pub fn open(rate: u32) -> Fade {
        Fade { gain: 1.0, ..Fade::shut(rate) }
    }

    /// Begins anew from silence, or has begun.
    pub fn set(&mut self, is_open: bool) {
        self.gain = if is_open { 1.0 } else { 0.0 };
    }

    pub fn is_shut(&self) -> bool {
        self.gain == 0.0
    }

    /// Lets these frames be heard as far as it has come, on its way in or out.
    pub fn apply(&mut self, frames: &mut [Frame], is_out: bool) {
        if self.gain == 1.0 && !is_out {
            return;
        }
        for frame in frames {
            let moved = if is_out { self.gain - self.step } else { self.gain + self.step };
            self.gain = moved.clamp(0.0, 1.0);
            *frame = frame.map(|sample| sample * self.gain);
        }
    }
}
