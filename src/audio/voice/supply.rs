//! How a voice that reads a stream is off for frames to read, and what is heard when there are none.
//!
//! While there is enough it is a voice like any other. As soon as what is there would not last for the coming
//! quantum and a slope behind it, it fades out over what there is; and comes up again when there is enough.

use super::ramp::Ramp;
use super::{Setup, Voice};
use crate::audio::PASS;
use crate::link::feed::{Mark, Supply};
use crate::link::message::QUANTUM;
use crate::link::remains::Remains;

/// What is to be done about a voice that reads a stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::audio) enum Tended {
    /// There is plenty.
    Plenty,
    /// It is to be seen to again on the next line.
    Scarce,
    /// It has begun to lack something.
    RanDry,
    /// There is enough at the place that it has jumped to.
    Arrived,
}

impl Voice {
    /// Whether it reads a stream.
    pub fn is_stream(&self) -> bool {
        self.source.stream().is_some()
    }

    /// Takes in what has arrived of its stream, and tells of each block. Returns whether it will want more than that, and has not been
    /// given up on yet.
    pub fn take_in(&mut self, setup: &Setup, came: &mut dyn FnMut(Mark)) -> bool {
        let Some(stream) = self.source.stream_mut() else { return false };
        stream.take_in(came);
        let is_waited_for = stream.supply() != Supply::Lacking && !stream.is_given_up();
        is_waited_for && !stream.has(PASS as u32 + setup.declick)
    }

    /// Sees to it that it fades out before it has nothing to read, and comes up when there is enough. While it
    /// stands still it reads nothing, and so lacks nothing.
    pub fn tend(&mut self, stands_still: bool, setup: &Setup) -> Tended {
        let Some(stream) = self.source.stream_mut() else { return Tended::Plenty };
        let declick = setup.declick;
        let soon = QUANTUM as u32 + declick;
        if stream.is_crossing() && (stream.has(soon) || stream.ends_within(soon).is_some()) {
            return Tended::Arrived;
        }
        if stands_still {
            return if stream.is_crossing() { Tended::Scarce } else { Tended::Plenty };
        }
        let pass = PASS as u32 + declick;
        stream.set_given_up(!stream.has(pass));
        let (has_some, supply) = (stream.has_heard(soon), stream.supply());
        let is_short = stream.is_crossing() || !stream.has_heard(pass);
        let is_scarce = is_short || stream.is_too_fast(pass);
        let boost = &mut self.gains.boost;
        match supply {
            Supply::Resting => return Tended::Plenty,
            Supply::Flowing if has_some => (),
            Supply::Fresh if has_some => stream.set_supply(Supply::Flowing),
            Supply::Lacking if is_short => (),
            Supply::Lacking => {
                stream.set_supply(Supply::Flowing);
                boost.ramp_to(*stream.boost_mut(), declick);
            }
            Supply::Fresh => {
                stream.set_supply(Supply::Lacking);
                *stream.boost_mut() = boost.target();
                *boost = Ramp::rest(0.0);
            }
            Supply::Flowing => {
                stream.set_supply(Supply::Lacking);
                *stream.boost_mut() = boost.target();
                boost.ramp_to(0.0, declick);
                return Tended::RanDry;
            }
        }
        if is_scarce {
            return Tended::Scarce;
        }
        stream.calm_down();
        Tended::Plenty
    }

    /// Whether there is known to be plenty for the coming pass, so that nothing is to be seen to.
    #[inline]
    pub fn is_calm(&self, setup: &Setup) -> bool {
        self.source.stream().is_some_and(|stream| stream.is_calm(PASS as u32 + setup.declick))
    }

    /// Whether it has jumped to another place than where it is heard from: what was heard until now is to fade
    /// out behind it.
    pub fn arrives_elsewhere(&self) -> bool {
        self.source.stream().is_some_and(|stream| stream.is_elsewhere())
    }

    /// What it left behind when it was last told to jump, if it reads a stream.
    pub fn remains_mut(&mut self) -> Option<&mut Remains> {
        Some(self.source.stream_mut()?.remains_mut())
    }

    /// Is heard from where it has jumped to.
    pub fn arrive(&mut self, setup: &Setup) {
        let is_elsewhere = self.arrives_elsewhere();
        if let Some(stream) = self.source.stream_mut() {
            stream.cross_over();
        }
        if is_elsewhere {
            self.jump_here(setup);
        }
    }

    /// Whether it need not wait for what there is to read where it has jumped to: it is not heard until then, or is to
    /// stand still.
    pub fn arrives_at_once(&self) -> bool {
        !self.arrives_elsewhere() || self.gains.pause.target() == 0.0
    }

    /// Is where it has jumped to, whether or not there is anything to read.
    pub fn arrive_unheard(&mut self, setup: &Setup) {
        self.arrive(setup);
        if let Some(stream) = self.source.stream_mut()
            && stream.supply() == Supply::Flowing
        {
            stream.set_supply(Supply::Fresh);
        }
    }

    /// The gain that it had before it lacked something, if it does.
    pub(super) fn held_boost(&mut self) -> Option<&mut f32> {
        let stream = self.source.stream_mut()?;
        (stream.supply() == Supply::Lacking).then(|| stream.boost_mut())
    }

    /// Nobody will hear it: its stream need not be read.
    pub(super) fn rest_stream(&mut self) {
        if let Some(held) = self.held_boost() {
            self.gains.boost = Ramp::rest(*held);
        }
        if let Some(stream) = self.source.stream_mut() {
            stream.rest();
        }
    }

    /// It will be heard again.
    pub(super) fn wake_stream(&mut self) {
        if let Some(stream) = self.source.stream_mut() {
            stream.wake();
        }
    }
}
