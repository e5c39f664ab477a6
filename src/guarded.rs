//! What the game made may do anything.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls what the game made. Gives nothing if it panicked; what it panicked with is dropped, and may panic once more.
pub(crate) fn guarded<R>(call: impl FnOnce() -> R) -> Option<R> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => Some(result),
        Err(payload) => {
            let dropped = catch_unwind(AssertUnwindSafe(|| drop(payload)));
            dropped.unwrap_or_else(mem::forget);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::panic_any;

    use super::guarded;

    /// Panics when it is dropped, and with one of its kind, so many times.
    struct Rude(u32);

    impl Drop for Rude {
        fn drop(&mut self) {
            if self.0 > 0 {
                panic_any(Rude(self.0 - 1));
            }
        }
    }

    #[test]
    fn no_panic_comes_through_however_rude() {
        assert_eq!(guarded(|| 7), Some(7));
        for times in 0..4 {
            assert_eq!(guarded(|| panic_any(Rude(times))), None::<()>);
        }
    }
}
