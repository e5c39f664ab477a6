//! The wand in a browser: what the terminal's wand is (`examples/wand/logic`), behind a few functions
//! that a page can call. They take and give numbers and bytes, so that no tool is needed between
//! this and JavaScript: see `wand.js`, which is the other half.
//!
//! What goes in is written into the inbox, what comes out is read from the outbox: the page asks for
//! the address, and reads or writes there. Here no address is followed.

#[expect(dead_code, reason = "the show that the terminal renders has no place on the page")]
#[path = "../../examples/wand/logic/mod.rs"]
mod logic;

mod json;
mod page;
mod scene;
mod waveform;

use std::cell::RefCell;

use page::Page;

thread_local! {
    /// Bytes from the page.
    static INBOX: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// Text for the page, as JSON.
    static OUTBOX: RefCell<String> = const { RefCell::new(String::new()) };
    /// Numbers for the page: the sparkles.
    static SPARKLES: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
    static PAGE: RefCell<Option<Page>> = const { RefCell::new(None) };
}

/// Does something with the page. Before it was made there is nothing to do.
fn with<T: Default>(act: impl FnOnce(&mut Page) -> T) -> T {
    PAGE.with_borrow_mut(|page| page.as_mut().map(act).unwrap_or_default())
}

/// Fills the outbox, and returns how long its text is.
fn answer(text: String) -> usize {
    OUTBOX.with_borrow_mut(|outbox| {
        *outbox = text;
        outbox.len()
    })
}

/// Takes the inbox as a text and the bytes behind it.
fn take_inbox(text: usize) -> (String, Vec<u8>) {
    let mut text_bytes = INBOX.take();
    let rest = text_bytes.split_off(text.min(text_bytes.len()));
    (String::from_utf8_lossy(&text_bytes).into_owned(), rest)
}

/// Makes room for so many bytes, and says where: nowhere, 0, if memory does not suffice.
#[unsafe(no_mangle)]
pub extern "C" fn wand_inbox(length: usize) -> *mut u8 {
    INBOX.with_borrow_mut(|inbox| {
        *inbox = Vec::new();
        if inbox.try_reserve_exact(length).is_err() {
            return std::ptr::null_mut();
        }
        inbox.resize(length, 0);
        inbox.as_mut_ptr()
    })
}

/// How long the text is that was last written.
#[unsafe(no_mangle)]
pub extern "C" fn wand_outbox_length() -> usize {
    OUTBOX.with_borrow(|outbox| outbox.len())
}

/// Where the text is whose length was last returned.
#[unsafe(no_mangle)]
pub extern "C" fn wand_outbox() -> *const u8 {
    OUTBOX.with_borrow(|outbox| outbox.as_ptr())
}

/// Where the sparkles are: across, up, glow and hue of each.
#[unsafe(no_mangle)]
pub extern "C" fn wand_sparkles() -> *const f32 {
    SPARKLES.with_borrow(|sparkles| sparkles.as_ptr())
}

/// How many numbers tell of the sparkles.
#[unsafe(no_mangle)]
pub extern "C" fn wand_sparkles_length() -> usize {
    SPARKLES.with_borrow(|sparkles| sparkles.len())
}

/// Opens a mixer with so many voices. Returns the length of an error's text: 0 if all is well.
#[unsafe(no_mangle)]
pub extern "C" fn wand_open(voices: usize) -> usize {
    // A panic ends the page, and what is said of it can still be read.
    std::panic::set_hook(Box::new(|panic| {
        answer(panic.to_string());
    }));
    PAGE.with_borrow_mut(|page| match Page::open(voices) {
        Ok(new) => {
            *page = Some(new);
            0
        }
        Err(error) => answer(error.to_string()),
    })
}

/// Loads a file from the inbox: its name, so many bytes long, and then what is in it. Returns the
/// length of an error's text, which names the file: 0 if all is well. Those that are loaded before
/// the curtain are the wand's own; a later one is somebody's own, and is played at once.
#[unsafe(no_mangle)]
pub extern "C" fn wand_load(name: usize) -> usize {
    let (name, file) = take_inbox(name);
    let loaded = with(|page| Some(page.load(&name, &file)));
    loaded.and_then(Result::err).map_or(0, answer)
}

/// All of the wand's own sounds are loaded: it begins.
#[unsafe(no_mangle)]
pub extern "C" fn wand_begin() {
    with(Page::begin);
}

/// What does not change from frame to frame: sounds, keys, answers. Returns the text's length.
#[unsafe(no_mangle)]
pub extern "C" fn wand_about() -> usize {
    answer(with(|page| page.app().map(scene::about).unwrap_or_default()))
}

/// Time passes, up to now, in milliseconds of any clock. Returns the length of what is to be drawn.
#[unsafe(no_mangle)]
pub extern "C" fn wand_tick(now: f64) -> usize {
    answer(with(|page| {
        let lag = page.tick(now);
        let Some(app) = page.app() else { return String::new() };
        SPARKLES.with_borrow_mut(|sparkles| scene::sparkles(app, lag, sparkles));
        scene::frame(app)
    }))
}

/// A key goes down: its name, as browsers call it, is in the inbox. Returns whether it is one of the
/// wand's.
#[unsafe(no_mangle)]
pub extern "C" fn wand_key(name: usize) -> bool {
    let (name, _) = take_inbox(name);
    with(|page| page.key(&name))
}

/// Waves the wand, from the left side, -1, to the right, and from the ground, 0, up to 1.
#[unsafe(no_mangle)]
pub extern "C" fn wand_click(across: f32, height: f32) {
    with(|page| page.hand(|app| app.click([across, height])));
}

/// Plays a sound.
#[unsafe(no_mangle)]
pub extern "C" fn wand_call(sound: usize) {
    with(|page| page.hand(|app| app.call(sound)));
}

/// A pool of so many voices.
#[unsafe(no_mangle)]
pub extern "C" fn wand_resize(voices: usize) {
    with(|page| page.hand(|app| app.try_size(voices)));
}

/// What is done when the pool is full.
#[unsafe(no_mangle)]
pub extern "C" fn wand_choose(answer: usize) {
    with(|page| page.hand(|app| app.choose(answer)));
}

/// How loud it is, in decibels.
#[unsafe(no_mangle)]
pub extern "C" fn wand_volume(decibels: i32) {
    with(|page| page.hand(|app| app.set_volume(decibels)));
}

/// Whether only somebody's own sounds are thrown, once there are some.
#[unsafe(no_mangle)]
pub extern "C" fn wand_only_own(on: bool) {
    with(|page| page.only_own(on));
}

/// Leaves what was left by the key for it, since a page is not quit: the text of what was learned
/// until now. Returns its length.
#[unsafe(no_mangle)]
pub extern "C" fn wand_lesson() -> usize {
    answer(with(|page| page.app().map(|app| app.lesson()).unwrap_or_default()))
}
