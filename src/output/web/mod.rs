//! The browser: the game side on the page, the renderer in an `AudioWorkletProcessor`, each in a memory of its own.
//!
//! ```text
//!   the page's thread                                       the audio thread
//!   Mixer ── Bridge ── Page ═══ bytes, by postMessage ═══ Worklet ── Bridge ── Renderer
//! ```
//!
//! Both are the same module, instantiated twice. To the mixer, the [`Page`] is the audio side: it takes commands
//! out of the bridge, keeps the sounds of what plays, and sends them home when it hears of endings. To the
//! renderer, the [`Worklet`] is the game side. What crosses is in `link/wire`; sounds cross once, with their
//! level. `glue.js` carries the bytes, once a frame, and knows nothing of what they mean.

mod feeds;
mod packet;
mod page;
#[cfg(all(test, not(loom)))]
mod tests;
mod worklet;

#[cfg(all(target_arch = "wasm32", feature = "device"))]
mod bindgen;
#[cfg(target_arch = "wasm32")]
mod exports;
#[cfg(target_arch = "wasm32")]
mod open;
