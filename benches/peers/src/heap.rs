//! How often a thread calls the heap, in Rust, C and C++ alike: these functions take the place of
//! the C library's own for the whole program.

use std::cell::Cell;

use libc::{c_int, c_void, size_t};

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

/// Allocations and frees made so far by this thread.
pub fn calls() -> u64 {
    CALLS.get()
}

/// Whether the count moves at all: on a system that links otherwise, 0 would mean nothing.
pub fn counts() -> bool {
    let before = calls();
    drop(std::hint::black_box(Box::new(before)));
    calls() - before == 2
}

fn count() {
    CALLS.set(CALLS.get() + 1);
}

// The names under which glibc keeps its own.
unsafe extern "C" {
    fn __libc_malloc(size: size_t) -> *mut c_void;
    fn __libc_calloc(count: size_t, size: size_t) -> *mut c_void;
    fn __libc_realloc(old: *mut c_void, size: size_t) -> *mut c_void;
    fn __libc_memalign(align: size_t, size: size_t) -> *mut c_void;
    fn __libc_free(old: *mut c_void);
}

// SAFETY, for all of them: they count, and hand what the caller promised on to glibc unchanged.

#[unsafe(no_mangle)]
unsafe extern "C" fn malloc(size: size_t) -> *mut c_void {
    count();
    unsafe { __libc_malloc(size) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn calloc(items: size_t, size: size_t) -> *mut c_void {
    count();
    unsafe { __libc_calloc(items, size) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn realloc(old: *mut c_void, size: size_t) -> *mut c_void {
    count();
    unsafe { __libc_realloc(old, size) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memalign(align: size_t, size: size_t) -> *mut c_void {
    count();
    unsafe { __libc_memalign(align, size) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn aligned_alloc(align: size_t, size: size_t) -> *mut c_void {
    count();
    unsafe { __libc_memalign(align, size) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn posix_memalign(out: *mut *mut c_void, align: size_t, size: size_t) -> c_int {
    count();
    let new = unsafe { __libc_memalign(align, size) };
    if new.is_null() {
        return libc::ENOMEM;
    }
    unsafe { *out = new };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn free(old: *mut c_void) {
    if !old.is_null() {
        count();
    }
    unsafe { __libc_free(old) }
}
