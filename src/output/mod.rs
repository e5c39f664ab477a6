//! Drivers. The renderer does not know which one runs it.

pub(crate) mod offline;
