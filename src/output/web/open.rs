//! Opening a mixer in the browser.

use std::cell::RefCell;
use std::sync::Arc;

use super::page::{Page, make};
use crate::Error;
use crate::config::Config;
use crate::game::Mixer;
use crate::link::Bridge;
use crate::link::wire::put_config;
use crate::stats::OutputState;
use crate::stream::Slices;

thread_local! {
    /// The mixers that were opened, by their numbers. `None`: it is gone.
    static PAGES: RefCell<Vec<Option<Opened>>> = const { RefCell::new(Vec::new()) };
}

/// A mixer on this page.
pub(super) struct Opened {
    pub page: Page,
    /// How the renderer is made, in bytes.
    pub setup: Vec<u8>,
    pub rate: u32,
}

impl Mixer {
    /// Opens a mixer on the speakers, in the browser: the renderer runs in an `AudioWorkletProcessor`, and this
    /// thread never waits for it.
    ///
    /// It is silent at first: [`output`](Mixer::output) is
    /// [`WaitingForGesture`](crate::OutputState::WaitingForGesture), time passes, and the sound fades in when
    /// the player first clicks, taps or presses a key. With the feature `device` (on by default) nothing else
    /// is to be done on pages that are made with `wasm-bindgen`; on others the page's script calls `attach`:
    /// `docs/web.md` tells how.
    ///
    /// The mixer's rate is [`Config::sample_rate`]; the browser brings it to that of the device.
    /// [`Config::device`] and [`Config::buffer`] are the browser's to choose.
    ///
    /// # Errors
    ///
    /// If the [`Config`] is not valid. Never for want of sound.
    pub fn open(config: Config) -> Result<Mixer, Error> {
        config.check()?;
        let bridge = Arc::new(Bridge::new(&config).with_feeder(Slices::new()).with_far_renderer());
        bridge.start_output(OutputState::WaitingForGesture);
        let mut setup = Vec::new();
        put_config(&config, &mut setup);
        let page = Page::new(&config, bridge.clone());
        let opened = Opened { page, setup, rate: config.sample_rate };
        let number = PAGES.with_borrow_mut(|pages| {
            pages.push(Some(opened));
            pages.len() - 1
        });
        #[cfg(feature = "device")]
        super::bindgen::attach_this();
        Ok(Mixer::new(&config, bridge, make, Some(Box::new(Guard(number)))))
    }
}

/// Dropped with the last mixer.
struct Guard(usize);

impl Drop for Guard {
    fn drop(&mut self) {
        with(self.0, |opened| opened.page.close());
    }
}

/// How many mixers were opened so far.
pub(super) fn count() -> usize {
    PAGES.with_borrow(Vec::len)
}

/// Does something with a mixer that is still there. It is taken out meanwhile: what decodes its streams is
/// the game's own code, and may open another.
pub(super) fn with<R>(number: usize, act: impl FnOnce(&mut Opened) -> R) -> Option<R> {
    let place = |pages: &mut Vec<Option<Opened>>| pages.get_mut(number).and_then(Option::take);
    let mut opened = PAGES.with_borrow_mut(place)?;
    let result = act(&mut opened);
    if !opened.page.is_over() {
        PAGES.with_borrow_mut(|pages| {
            if let Some(place) = pages.get_mut(number) {
                *place = Some(opened);
            }
        });
    }
    Some(result)
}
