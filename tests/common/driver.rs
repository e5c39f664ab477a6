//! What a test must do as a driver would, and what watches it: all that takes `unsafe`.
#![allow(unsafe_code)]

use cpal::{Data, OutputCallbackInfo, OutputStreamTimestamp, SizedSample, StreamInstant};

#[path = "allocator.rs"]
pub mod allocator;

/// A stream's data callback.
pub type DataCallback = Box<dyn FnMut(&mut Data, &OutputCallbackInfo) + Send>;

/// A stream's error callback.
pub type ErrorCallback = Box<dyn FnMut(cpal::Error) + Send>;

/// Calls back for a buffer.
pub fn call<T: SizedSample>(callback: &mut DataCallback, buffer: &mut [T]) {
    // SAFETY: it is a slice of that many samples of that format, and lives until the call returns.
    let mut data = unsafe { Data::from_parts(buffer.as_mut_ptr().cast(), buffer.len(), T::FORMAT) };
    let never = StreamInstant::new(0, 0);
    let timestamp = OutputStreamTimestamp { callback: never, playback: never };
    callback(&mut data, &OutputCallbackInfo::new(timestamp));
}
