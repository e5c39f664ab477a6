//! An allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, Ordering};

/// Counts what each thread holds, so that tests beside each other do not disturb the count.
struct Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    static LARGEST: Cell<usize> = const { Cell::new(0) };
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

/// What all threads hold.
static ALL: AtomicIsize = AtomicIsize::new(0);

fn count(request: usize, change: isize) {
    ALL.fetch_add(change, Ordering::Relaxed);
    let live = LIVE.get() + change;
    LIVE.set(live);
    PEAK.set(PEAK.get().max(live));
    LARGEST.set(LARGEST.get().max(request));
    CALLS.set(CALLS.get() + 1);
}

// SAFETY: every call is passed on to the system's allocator unchanged. The cells are plain
// numbers, initialised without code, so that to count allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), layout.size() as isize);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), layout.size() as isize);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(0, -(layout.size() as isize));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The old block may live on until the new one is filled.
        count(size, size as isize);
        count(0, -(layout.size() as isize));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// What a call returned, the most bytes it held at a time, and the most it asked for at once.
#[allow(dead_code, reason = "not every test asks")]
pub fn counted<T>(call: impl FnOnce() -> T) -> (T, usize, usize) {
    let before = LIVE.get();
    PEAK.set(before);
    LARGEST.set(0);
    let result = call();
    let peak = usize::try_from(PEAK.get() - before).unwrap_or(0);
    (result, peak, LARGEST.get())
}

/// What a call returned, and how often this thread called the allocator in it, to get or to free.
#[allow(dead_code, reason = "not every test asks")]
pub fn heap_calls<T>(call: impl FnOnce() -> T) -> (T, usize) {
    let before = CALLS.get();
    let result = call();
    (result, CALLS.get() - before)
}

/// How many bytes this thread holds.
#[allow(dead_code, reason = "not every test asks")]
pub fn held() -> isize {
    LIVE.get()
}

/// How many bytes all threads hold. For a test that is alone in its process.
#[allow(dead_code, reason = "not every test asks")]
pub fn held_by_all() -> isize {
    ALL.load(Ordering::Relaxed)
}
