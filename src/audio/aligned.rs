//! Samples that begin where a line of memory does.
//!
//! The kernels load and store 32 bytes at a time. Where these straddle two lines of memory, a store
//! takes twice as long, and a voice alone is bound by its stores.

use std::ops::{Deref, DerefMut};

/// The bytes of a line of memory.
const LINE: usize = 64;

pub(super) struct Aligned {
    samples: Box<[f32]>,
    first: usize,
    len: usize,
}

impl Aligned {
    /// So many samples of one value.
    pub fn new(value: f32, len: usize) -> Aligned {
        let samples = vec![value; len + LINE / size_of::<f32>()].into_boxed_slice();
        let first = samples.as_ptr().align_offset(LINE);
        Aligned { samples, first, len }
    }
}

impl Deref for Aligned {
    type Target = [f32];

    #[inline(always)]
    fn deref(&self) -> &[f32] {
        self.samples.get(self.first..self.first + self.len).unwrap_or_default()
    }
}

impl DerefMut for Aligned {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f32] {
        self.samples.get_mut(self.first..self.first + self.len).unwrap_or_default()
    }
}
