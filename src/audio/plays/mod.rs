//! Every play that the audio side has, and where it is.

pub(super) mod parked;
pub(super) mod placements;
mod ranks;
pub(super) mod schedule;
mod tournament;
pub(super) mod voices;
