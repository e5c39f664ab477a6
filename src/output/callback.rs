//! What a device's callback does: take the renderer from its seat, fill the buffer, put it back.
//!
//! The renderer never belongs to a stream, whose drop may hang for ever. It sits in a lock-free
//! seat; whoever is its holder takes it for as long as a buffer lasts.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};
use std::time::Instant;

use crossbeam_utils::atomic::AtomicCell;

use super::resampler::Resampler;
use crate::Frame;
use crate::audio::Renderer;
use crate::link::Bridge;

/// Where the renderer sits.
pub(super) struct Seat {
    renderer: AtomicCell<Option<Box<Renderer>>>,
    /// A renderer that panicked: for the supervisor to bury.
    wreck: AtomicCell<Option<Box<Renderer>>>,
    /// The number of the tenure that may take it; 0 is the supervisor.
    holder: AtomicU64,
}

impl Seat {
    pub fn new() -> Seat {
        Seat {
            renderer: AtomicCell::new(None),
            wreck: AtomicCell::new(None),
            holder: AtomicU64::new(0),
        }
    }

    /// Says whose it is from now on.
    pub fn grant(&self, holder: u64) {
        self.holder.store(holder, Release);
    }

    /// Takes the renderer, if it is the caller's to take and is there.
    pub fn take(&self, holder: u64) -> Option<Box<Renderer>> {
        if self.holder.load(Acquire) == holder { self.renderer.take() } else { None }
    }

    pub fn put(&self, renderer: Box<Renderer>) {
        // There is one renderer and it was taken, so nothing is replaced, and so nothing freed.
        std::mem::forget(self.renderer.swap(Some(renderer)));
    }

    pub fn wreck(&self, renderer: Box<Renderer>) {
        std::mem::forget(self.wreck.swap(Some(renderer)));
    }

    pub fn take_wreck(&self) -> Option<Box<Renderer>> {
        self.wreck.take()
    }
}

/// What a stream lets the supervisor know, by atomics alone.
pub(super) struct Tenure {
    pub number: u64,
    /// How many buffers were filled, and how many nanoseconds the last of them lasts.
    pub beats: AtomicU64,
    pub lasts: AtomicU64,
    /// How many errors came, of any kind.
    pub errors: AtomicU64,
    /// The gravest [`Verdict`] so far.
    verdict: AtomicU8,
    /// Whether it is to fade out, and has.
    leaving: AtomicBool,
    pub faded: AtomicBool,
}

/// What an error means for a stream, from the least to the gravest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Verdict {
    /// It goes on.
    Fine,
    /// It plays elsewhere now: ask where.
    Moved,
    /// It may be over: see whether another buffer comes.
    Doubtful,
    /// It must be built again.
    Invalid,
    /// The device is gone.
    Lost,
    /// The device is there, and will not.
    Refused,
}

impl Tenure {
    pub fn new(number: u64) -> Tenure {
        Tenure {
            number,
            beats: AtomicU64::new(0),
            lasts: AtomicU64::new(0),
            errors: AtomicU64::new(0),
            verdict: AtomicU8::new(Verdict::Fine as u8),
            leaving: AtomicBool::new(false),
            faded: AtomicBool::new(false),
        }
    }

    /// The sound is to fade out: the mixer goes, or goes on elsewhere.
    pub fn leave(&self) {
        self.leaving.store(true, Release);
    }

    /// For the error callback, which may run on the audio thread and very often.
    pub fn judge(&self, verdict: Verdict) {
        self.errors.fetch_add(1, Relaxed);
        self.verdict.fetch_max(verdict as u8, Release);
    }

    /// The gravest verdict since this was last asked.
    pub fn take_verdict(&self) -> Verdict {
        let verdict = self.verdict.swap(Verdict::Fine as u8, Acquire);
        use Verdict::{Doubtful, Invalid, Lost, Moved, Refused};
        [Moved, Doubtful, Invalid, Lost, Refused]
            .into_iter()
            .find(|known| *known as u8 == verdict)
            .unwrap_or(Verdict::Fine)
    }
}

/// How many frames are made at a time.
const BLOCK: usize = 256;

/// How long the sound takes to come up after a gap, and to go when its stream is to leave: parts of
/// a second.
const FADE: f32 = 0.01;

/// A stream's callback, with all it needs.
pub(super) struct Callback {
    seat: Arc<Seat>,
    tenure: Arc<Tenure>,
    bridge: Arc<Bridge>,
    rate: u32,
    resampler: Option<Resampler>,
    block: Box<[Frame; BLOCK]>,
    /// From 0, where sound has been away, to 1.
    gain: f32,
}

impl Callback {
    /// For a device of some rate. `mixer_rate` is not known before the first device is.
    pub fn new(
        seat: Arc<Seat>,
        tenure: Arc<Tenure>,
        bridge: Arc<Bridge>,
        rate: u32,
        mixer_rate: Option<u32>,
    ) -> Callback {
        let other = mixer_rate.filter(|mixer_rate| *mixer_rate != rate);
        Callback {
            seat,
            tenure,
            bridge,
            rate,
            resampler: other.map(|mixer_rate| Resampler::new(mixer_rate, rate)),
            block: Box::new([[0.0; 2]; BLOCK]),
            gain: 0.0,
        }
    }

    pub fn tenure(&self) -> &Arc<Tenure> {
        &self.tenure
    }

    pub fn bridge(&self) -> &Arc<Bridge> {
        &self.bridge
    }

    /// Fills a buffer of interleaved samples of any format: `sample` makes one. A mono device gets
    /// the mean of both sides, so that full scale stays full scale; on more than two channels the
    /// rest is silence.
    #[cfg_attr(rtsan, sanitize(realtime = "nonblocking"))]
    pub fn fill<T: Copy>(&mut self, data: &mut [T], channels: usize, sample: impl Fn(f32) -> T) {
        let began = Instant::now();
        let channels = channels.max(1);
        let frames = data.len() / channels;
        if frames > 0 {
            let lasts = frames as u64 * 1_000_000_000 / u64::from(self.rate.max(1));
            self.tenure.lasts.store(lasts, Relaxed);
            self.tenure.beats.fetch_add(1, Relaxed);
        }
        let mut renderer = self.seat.take(self.tenure.number);
        for part in data.chunks_mut(BLOCK * channels) {
            let frames = part.len() / channels;
            renderer = self.make(frames, renderer);
            let mut samples = part.chunks_exact_mut(channels);
            for (out, [left, right]) in samples.by_ref().zip(self.block.iter()) {
                match out {
                    [mono] => *mono = sample(0.5 * (left + right)),
                    [l, r, rest @ ..] => {
                        (*l, *r) = (sample(*left), sample(*right));
                        rest.fill(sample(0.0));
                    }
                    [] => (),
                }
            }
            // What is no whole frame, if a device should ask for that.
            samples.into_remainder().fill(sample(0.0));
        }
        if let Some(renderer) = renderer {
            self.seat.put(renderer);
        }
        let seconds = frames as f32 / self.rate as f32;
        if seconds > 0.0 {
            self.bridge.meters.show_load(began.elapsed().as_secs_f32() / seconds, seconds);
        }
    }

    /// Makes the coming frames of the block: silence if there is nobody to make them.
    fn make(&mut self, frames: usize, renderer: Option<Box<Renderer>>) -> Option<Box<Renderer>> {
        let block = &mut self.block[..frames.min(BLOCK)];
        let Some(mut renderer) = renderer else {
            block.fill([0.0; 2]);
            self.gain = 0.0;
            return None;
        };
        if self.bridge.meters.clock.load(Relaxed) == 0 {
            // Before the first frame there was nothing to be away from.
            self.gain = 1.0;
        }
        let resampler = &mut self.resampler;
        let made = catch_unwind(AssertUnwindSafe(|| match resampler {
            Some(resampler) => resampler.fill(block, &mut renderer),
            None => renderer.render(block),
        }));
        if let Err(payload) = made {
            // A bug of ours. Nothing can be said here, and the renderer cannot be trusted.
            std::mem::forget(payload);
            self.seat.wreck(renderer);
            self.block.fill([0.0; 2]);
            return None;
        }
        self.fade(frames);
        Some(renderer)
    }

    fn fade(&mut self, frames: usize) {
        let leaving = self.tenure.leaving.load(Acquire);
        if self.gain == 1.0 && !leaving {
            return;
        }
        let step = 1.0 / (FADE * self.rate as f32).max(1.0);
        for frame in &mut self.block[..frames.min(BLOCK)] {
            let moved = if leaving { self.gain - step } else { self.gain + step };
            self.gain = moved.clamp(0.0, 1.0);
            *frame = frame.map(|sample| sample * self.gain);
        }
        if leaving && self.gain == 0.0 {
            self.tenure.faded.store(true, Release);
        }
    }
}
