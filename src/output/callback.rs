//! What a device's callback does: take the renderer from its slot, fill the buffer, put it back.
//!
//! The renderer never belongs to a stream, because a stream's drop may hang for ever. It lies in a
//! lock-free slot, and the slot's owner takes it out for one buffer at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::Instant;

use super::fade::Fade;
use super::resampler::Resampler;
use crate::Frame;
use crate::audio::Renderer;
use crate::link::Bridge;
use crate::link::sync::{AtomicBool, AtomicCell, AtomicU8, AtomicU64};

/// Where the renderer lies between two buffers.
pub(super) struct RendererSlot<R = Renderer> {
    renderer: AtomicCell<Option<Box<R>>>,
    /// A renderer that panicked, for the supervisor to drop.
    failed: AtomicCell<Option<Box<R>>>,
    /// The number of the stream that may take the renderer; 0 is the supervisor.
    owner: AtomicU64,
}

impl<R> RendererSlot<R> {
    pub fn new() -> RendererSlot<R> {
        RendererSlot {
            renderer: AtomicCell::new(None),
            failed: AtomicCell::new(None),
            owner: AtomicU64::new(0),
        }
    }

    /// Says who may take the renderer from now on.
    pub fn grant(&self, owner: u64) {
        self.owner.store(owner, Release);
    }

    /// Takes the renderer, if the caller owns the slot and the renderer is in it.
    pub fn take(&self, owner: u64) -> Option<Box<R>> {
        if self.owner.load(Acquire) == owner { self.renderer.take() } else { None }
    }

    pub fn put(&self, renderer: Box<R>) {
        // There is one renderer and it was taken, so nothing is replaced, and so nothing freed.
        std::mem::forget(self.renderer.swap(Some(renderer)));
    }

    pub fn put_failed(&self, renderer: Box<R>) {
        std::mem::forget(self.failed.swap(Some(renderer)));
    }

    pub fn take_failed(&self) -> Option<Box<R>> {
        self.failed.take()
    }
}

/// What a stream and the supervisor tell each other, by atomics alone.
pub(super) struct StreamStatus {
    pub number: u64,
    /// How many buffers were filled.
    pub buffers: AtomicU64,
    /// How long the latest buffer lasts, in nanoseconds.
    pub buffer_nanos: AtomicU64,
    /// How many errors were reported, of any kind.
    pub errors: AtomicU64,
    /// The gravest [`Verdict`] that the supervisor has not read yet.
    verdict: AtomicU8,
    /// Whether the supervisor has asked for a fade-out.
    fading_out: AtomicBool,
    /// Whether that fade-out is over.
    pub faded_out: AtomicBool,
}

/// What an error means for a stream, from the least to the gravest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Verdict {
    /// The stream goes on.
    Fine,
    /// The stream goes on, on another device: its name must be asked for.
    Moved,
    /// The stream may be dead: it is if no buffer follows.
    Doubtful,
    /// The stream must be built again.
    Invalid,
    /// The device is gone.
    Lost,
    /// The device is there and refuses to play.
    Refused,
}

impl StreamStatus {
    pub fn new(number: u64) -> StreamStatus {
        StreamStatus {
            number,
            buffers: AtomicU64::new(0),
            buffer_nanos: AtomicU64::new(0),
            errors: AtomicU64::new(0),
            verdict: AtomicU8::new(Verdict::Fine as u8),
            fading_out: AtomicBool::new(false),
            faded_out: AtomicBool::new(false),
        }
    }

    /// Asks for a fade-out: the mixer shuts down, or goes on with another stream.
    pub fn fade_out(&self) {
        self.fading_out.store(true, Release);
    }

    /// For the error callback, which may run on the audio thread, hundreds of thousands of times a
    /// second.
    pub fn report_error(&self, verdict: Verdict) {
        self.errors.fetch_add(1, Relaxed);
        self.verdict.fetch_max(verdict as u8, Release);
    }

    /// The gravest verdict since the last call.
    pub fn take_verdict(&self) -> Verdict {
        let verdict = self.verdict.swap(Verdict::Fine as u8, Acquire);
        use Verdict::{Doubtful, Invalid, Lost, Moved, Refused};
        [Moved, Doubtful, Invalid, Lost, Refused]
            .into_iter()
            .find(|known| *known as u8 == verdict)
            .unwrap_or(Verdict::Fine)
    }
}

/// How many frames are rendered at a time.
const BLOCK: usize = 256;

/// A stream's callback, with all it needs.
pub(super) struct Callback {
    slot: Arc<RendererSlot>,
    status: Arc<StreamStatus>,
    bridge: Arc<Bridge>,
    rate: u32,
    resampler: Option<Resampler>,
    block: Box<[Frame; BLOCK]>,
    /// Shut after a gap, open once the sound is back.
    fade: Fade,
}

impl Callback {
    /// For a device of a rate. The first device decides the mixer's rate, and so does not know it.
    pub fn new(
        slot: Arc<RendererSlot>,
        status: Arc<StreamStatus>,
        bridge: Arc<Bridge>,
        rate: u32,
        mixer_rate: Option<u32>,
    ) -> Callback {
        let other = mixer_rate.filter(|mixer_rate| *mixer_rate != rate);
        Callback {
            slot,
            status,
            bridge,
            rate,
            resampler: other.map(|mixer_rate| Resampler::new(mixer_rate, rate)),
            block: Box::new([[0.0; 2]; BLOCK]),
            fade: Fade::shut(rate),
        }
    }

    pub fn status(&self) -> &Arc<StreamStatus> {
        &self.status
    }

    pub fn bridge(&self) -> &Arc<Bridge> {
        &self.bridge
    }

    /// Fills a buffer of interleaved samples; `sample` converts one into the device's format. A mono
    /// device gets the mean of both sides, so that full scale stays full scale; channels beyond the
    /// second are silent.
    #[cfg_attr(rtsan, sanitize(realtime = "nonblocking"))]
    pub fn fill<T: Copy>(&mut self, data: &mut [T], channels: usize, sample: impl Fn(f32) -> T) {
        let began = Instant::now();
        let channels = channels.max(1);
        let frames = data.len() / channels;
        if frames > 0 {
            let buffer_nanos = frames as u64 * 1_000_000_000 / u64::from(self.rate.max(1));
            self.status.buffer_nanos.store(buffer_nanos, Relaxed);
            self.status.buffers.fetch_add(1, Relaxed);
        }
        let mut renderer = self.slot.take(self.status.number);
        for part in data.chunks_mut(BLOCK * channels) {
            let frames = part.len() / channels;
            renderer = self.render(frames, renderer);
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
            // A buffer may end in the middle of a frame.
            samples.into_remainder().fill(sample(0.0));
        }
        if let Some(renderer) = renderer {
            self.slot.put(renderer);
        }
        let seconds = frames as f32 / self.rate as f32;
        if seconds > 0.0 {
            self.bridge.meters.show_load(began.elapsed().as_secs_f32() / seconds, seconds);
        }
    }

    /// Renders the coming frames into the block: silence if the renderer is not there.
    fn render(&mut self, frames: usize, renderer: Option<Box<Renderer>>) -> Option<Box<Renderer>> {
        let block = &mut self.block[..frames.min(BLOCK)];
        let Some(mut renderer) = renderer else {
            block.fill([0.0; 2]);
            self.fade.set(false);
            return None;
        };
        if self.bridge.meters.clock.load(Relaxed) == 0 {
            // No gap comes before the mixer's first frame, so there is nothing to fade in from.
            self.fade.set(true);
        }
        let resampler = &mut self.resampler;
        let rendered = catch_unwind(AssertUnwindSafe(|| match resampler {
            Some(resampler) => resampler.fill(block, &mut renderer),
            None => renderer.render(block),
        }));
        if let Err(payload) = rendered {
            // A bug of ours. The renderer cannot be used again, and the payload's drop may panic too.
            std::mem::forget(payload);
            self.slot.put_failed(renderer);
            self.block.fill([0.0; 2]);
            return None;
        }
        self.fade(frames);
        Some(renderer)
    }

    fn fade(&mut self, frames: usize) {
        let fading_out = self.status.fading_out.load(Acquire);
        self.fade.apply(&mut self.block[..frames.min(BLOCK)], fading_out);
        if fading_out && self.fade.is_shut() {
            self.status.faded_out.store(true, Release);
        }
    }
}

#[cfg(all(test, loom))]
mod models {
    use loom::cell::UnsafeCell;
    use loom::thread::{spawn, yield_now};

    use super::*;

    /// Of a renderer, what `loom` watches: that nobody touches it without knowing of all that was done to
    /// it before.
    type Watched = UnsafeCell<()>;

    fn render(slot: &RendererSlot<Watched>, owner: u64) -> bool {
        let Some(renderer) = slot.take(owner) else { return false };
        renderer.with_mut(|_| ());
        slot.put(renderer);
        true
    }

    /// Two streams and the supervisor, which hands the renderer from one to the other, and takes it when it
    /// shuts down: nobody has it at the same time, and it is not lost.
    ///
    /// Caught: a `take` that asks for the owner after it has taken, and does not put back; one that does not
    /// ask.
    #[test]
    fn a_renderer_has_one_user_at_a_time_and_is_never_lost() {
        loom::model(|| {
            let slot = Arc::new(RendererSlot::<Watched>::new());
            slot.put(Box::new(UnsafeCell::new(())));
            slot.grant(1);
            assert!(slot.take(3).is_none(), "nobody has let it");
            let streams = [1, 2].map(|number| {
                let slot = slot.clone();
                spawn(move || render(&slot, number))
            });
            slot.grant(2);
            slot.grant(0);
            // A stream may still be in the middle of its buffer.
            let renderer = loop {
                match slot.take(0) {
                    Some(renderer) => break renderer,
                    None => yield_now(),
                }
            };
            renderer.with_mut(|_| ());
            streams.into_iter().for_each(|stream| assert!(stream.join().is_ok()));
            assert!(slot.take(0).is_none(), "there is one");
        });
    }
}
