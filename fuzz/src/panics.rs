//! Which panics end a run.

use std::collections::HashSet;
use std::panic::{self, PanicHookInfo};
use std::sync::{Mutex, PoisonError};

/// Lets the codecs' own panics pass, and tells of each place once. The library catches them, and makes an error of
/// them: whether it does is what is seen to here. Any other panic ends the run.
///
/// To be called once, when libFuzzer's own hook, which ends the run at every panic, is in place.
pub fn spare_codecs() {
    let end = panic::take_hook();
    let known = Mutex::new(HashSet::new());
    panic::set_hook(Box::new(move |info| {
        let Some(place) = codec_place(info) else { return end(info) };
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.insert(place.clone()) {
            eprintln!("a codec panicked, and that was caught: {place}");
        }
    }));
}

/// Where a codec panicked, if it was one.
fn codec_place(info: &PanicHookInfo) -> Option<String> {
    let place = info.location()?;
    let (_, file) = place.file().rsplit_once("/symphonia-")?;
    Some(format!("symphonia-{file}:{}", place.line()))
}
