//! What `glue.js` calls, on the page and in the worklet: numbers, and bytes in two buffers of this memory.
//!
//! Bytes that come in are written into the inbox, and those that go out are read from where a call says they
//! are; [`voicepool_length`] is how many. No address is ever followed here.
#![allow(unsafe_code, reason = "a name that is not mangled, which two crates might both have")]

use std::cell::{Cell, RefCell};
use std::time::Duration;

use super::open;
use super::worklet::Worklet;
use crate::link::wire::{Bytes, take_config};
use crate::stats::OutputState;

thread_local! {
    static INBOX: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTBOX: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static LENGTH: Cell<usize> = const { Cell::new(0) };
    static WORKLET: RefCell<Option<Worklet>> = const { RefCell::new(None) };
}

/// Lays bytes ready to be read, and returns where.
fn lay_ready(bytes: Vec<u8>) -> *const u8 {
    LENGTH.set(bytes.len());
    OUTBOX.with_borrow_mut(|outbox| {
        *outbox = bytes;
        outbox.as_ptr()
    })
}

/// The first so many bytes of what was written into the inbox.
fn taken(length: usize) -> Vec<u8> {
    let mut bytes = INBOX.take();
    bytes.truncate(length);
    bytes
}

/// Where to write so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn voicepool_inbox(length: usize) -> *const u8 {
    INBOX.with_borrow_mut(|inbox| {
        inbox.resize(length, 0);
        inbox.as_ptr()
    })
}

/// How many bytes the last call has laid ready.
#[unsafe(no_mangle)]
pub extern "C" fn voicepool_length() -> usize {
    LENGTH.get()
}

// On the page.

/// How many mixers were opened so far: they are numbered from 0 on.
#[unsafe(no_mangle)]
pub extern "C" fn voicepool_mixers() -> usize {
    open::count()
}

/// The rate that a mixer wants the browser to have; 0 if it is gone.
#[unsafe(no_mangle)]
pub extern "C" fn voicepool_rate(mixer: usize) -> u32 {
    open::with(mixer, |opened| opened.rate).unwrap_or(0)
}

/// How a mixer's renderer is made, for the worklet's [`voicepool_start`].
#[unsafe(no_mangle)]
pub extern "C" fn voicepool_setup(mixer: usize) -> *const u8 {
    lay_ready(open::with(mixer, |opened| opened.setup.clone()).unwrap_or_default())
}

/// Writes down all that was said since the last time, as packets. So many seconds have passed unheard.
#[unsafe(no_mangle)]
pub extern "C" fn voicepool_pump(mixer: usize, unheard: f64) {
    open::with(mixer, |opened| opened.page.pump(unheard));
}

/// The next packet to post, if it is not empty.
#[unsafe(no_mangle)]
pub extern "C" fn voicepool_packet(mixer: usize) -> *const u8 {
    let packet = open::with(mixer, |opened| opened.page.next_packet());
    lay_ready(packet.flatten().unwrap_or_default())
}

/// Takes in what the worklet posted: so many bytes in the inbox.
#[unsafe(no_mangle)]
pub extern "C" fn voicepool_receive(mixer: usize, length: usize) {
    let packet = taken(length);
    open::with(mixer, |opened| opened.page.receive(&packet));
}

/// The sound is heard, at a rate and after so many seconds.
#[unsafe(no_mangle)]
pub extern "C" fn voicepool_plays(mixer: usize, rate: u32, latency: f64) {
    let latency = Duration::try_from_secs_f64(latency).unwrap_or_default();
    let state = OutputState::Playing {
        device: "the browser's output".to_owned(),
        sample_rate: rate,
        channels: 2,
        buffer: Some(128),
        latency,
    };
    open::with(mixer, |opened| opened.page.bridge().set_output(state));
}

/// The browser waits for the player.
#[unsafe(no_mangle)]
pub extern "C" fn voicepool_waits(mixer: usize) {
    open::with(mixer, |opened| opened.page.bridge().set_output(OutputState::WaitingForGesture));
}

/// The sound is not heard; why, is in the inbox.
#[unsafe(no_mangle)]
pub extern "C" fn voicepool_is_silent(mixer: usize, length: usize) {
    let why = String::from_utf8_lossy(&taken(length)).into_owned();
    open::with(mixer, |opened| opened.page.bridge().set_output(OutputState::Silent { why }));
}

/// The worklet has failed, and says nothing any more.
#[unsafe(no_mangle)]
pub extern "C" fn voicepool_failed(mixer: usize) {
    open::with(mixer, |opened| opened.page.fail());
}

// In the worklet.

/// Makes the renderer, as the inbox says, for a browser of a rate. Returns whether that could be.
#[unsafe(no_mangle)]
pub extern "C" fn voicepool_start(length: usize, rate: u32) -> bool {
    let Some(config) = take_config(&mut Bytes::new(&taken(length))) else { return false };
    WORKLET.set(Some(Worklet::new(&config, rate)));
    true
}

/// Takes in what the page posted: so many bytes in the inbox. Returns whether time has passed by that, so that
/// there is something to answer.
#[unsafe(no_mangle)]
pub extern "C" fn voicepool_take(length: usize) -> bool {
    INBOX.with_borrow(|inbox| {
        let packet = inbox.get(..length).unwrap_or_default();
        WORKLET.with_borrow_mut(|worklet| {
            worklet.as_mut().and_then(|worklet| worklet.receive(packet)).unwrap_or(false)
        })
    })
}

/// Renders so many frames, and returns where they are: all of the left side, and behind them all of the right.
#[unsafe(no_mangle)]
pub extern "C" fn voicepool_render(frames: usize) -> *const f32 {
    WORKLET.with_borrow_mut(|worklet| match worklet {
        Some(worklet) => worklet.render(frames).as_ptr(),
        None => std::ptr::null(),
    })
}

/// Notes how many seconds the last so many seconds of sound took.
#[unsafe(no_mangle)]
pub extern "C" fn voicepool_took(seconds: f64, of: f64) {
    WORKLET.with_borrow(|worklet| {
        if let Some(worklet) = worklet {
            worklet.show_load((seconds / of) as f32, of as f32);
        }
    });
}

/// Writes down all that happened since the last time, to be posted.
#[unsafe(no_mangle)]
pub extern "C" fn voicepool_reports() -> *const u8 {
    let mut reports = OUTBOX.take();
    reports.clear();
    WORKLET.with_borrow_mut(|worklet| {
        worklet.iter_mut().for_each(|worklet| worklet.put_reports(&mut reports));
    });
    lay_ready(reports)
}
