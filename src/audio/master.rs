//! The way out: the buses a voice goes through, and the ceiling above it all.

use super::kernel;
use super::ramp::Ramp;
use crate::Frame;
use crate::message::Change;
use crate::play::BusId;

/// A bus: its gain, and the fade that pauses it.
pub(super) struct Bus {
    pub gain: Ramp,
    pub hold: Ramp,
}

const OPEN: Bus = Bus { gain: Ramp::rest(1.0), hold: Ramp::rest(1.0) };

/// What stands in for a bus of its own when a voice plays straight into the master.
static STRAIGHT: Bus = OPEN;

/// The sixteen of them. The first is the master.
pub(super) struct Buses {
    master: Bus,
    others: [Bus; BusId::COUNT - 1],
}

/// The buses on a voice's way.
#[derive(Clone, Copy)]
pub(super) struct Route<'a> {
    pub bus: &'a Bus,
    pub master: &'a Bus,
}

impl Route<'_> {
    /// What the master makes of a level.
    pub fn master_level(&self) -> f32 {
        self.master.gain.promise() * self.master.hold.promise()
    }

    /// Whether a voice stands still on this way.
    pub fn is_held(&self) -> bool {
        [self.bus, self.master].iter().any(|bus| bus.hold.is_silent())
    }
}

impl Buses {
    pub fn new() -> Buses {
        Buses { master: OPEN, others: [OPEN; BusId::COUNT - 1] }
    }

    pub fn route(&self, bus: BusId) -> Route<'_> {
        let other = bus.index().checked_sub(1).and_then(|index| self.others.get(index));
        Route { bus: other.unwrap_or(&STRAIGHT), master: &self.master }
    }

    /// Gain, pause and resume; the rest is not for a bus itself.
    pub fn change(&mut self, bus: BusId, change: Change, declick: u32) {
        let other = bus.index().checked_sub(1).and_then(|index| self.others.get_mut(index));
        let bus = other.unwrap_or(&mut self.master);
        match change {
            Change::Gain { to, over } => bus.gain.head_for(to, over.max(declick)),
            Change::Pause if bus.hold.target() > 0.0 => bus.hold.head_for(0.0, declick),
            Change::Resume if bus.hold.target() == 0.0 => bus.hold.head_for(1.0, declick),
            Change::Pause | Change::Resume => (),
            Change::Stop { .. }
            | Change::Pan { .. }
            | Change::Speed { .. }
            | Change::Seek { .. } => (),
        }
    }

    pub fn advance(&mut self, frames: u32) {
        for bus in std::iter::once(&mut self.master).chain(&mut self.others) {
            bus.gain.advance(frames);
            bus.hold.advance(frames);
        }
    }
}

/// How long the ceiling takes to let go: to about a third of the way in this many seconds.
const RELEASE: f64 = 0.1;

/// When it takes away less than this the ceiling takes nothing, and what passes is exact again.
const SNAP: f64 = 1e-5;

/// Keeps the output within ±1: a gain for both sides that falls at once when a peak would pass,
/// and comes back slowly to exactly 1.
///
/// What is kept is how much it takes away, from one frame to the next a single product. In 64
/// bits: in 32, a step of the release is lost in rounding long before it is near enough to 0.
pub(super) struct Ceiling {
    cut: f64,
    keep: f64,
}

impl Ceiling {
    pub fn new(rate: u32) -> Ceiling {
        Ceiling { cut: 0.0, keep: libm::exp(-1.0 / (RELEASE * f64::from(rate))) }
    }

    /// Limits a stretch of frames. Returns its peaks before that.
    pub fn limit(&mut self, left: &mut [f32], right: &mut [f32]) -> Frame {
        let peaks = kernel::peaks(left, right);
        if self.cut == 0.0 && peaks[0] <= 1.0 && peaks[1] <= 1.0 {
            return peaks;
        }
        for (l, r) in left.iter_mut().zip(right) {
            let peak = f64::from(l.abs().max(r.abs()));
            self.cut *= self.keep;
            if self.cut < SNAP {
                self.cut = 0.0;
            }
            let mut gain = 1.0 - self.cut;
            if peak * gain > 1.0 {
                gain = 1.0 / peak;
                self.cut = 1.0 - gain;
            }
            // The clamp is for the rounding of the product alone.
            *l = (*l * gain as f32).clamp(-1.0, 1.0);
            *r = (*r * gain as f32).clamp(-1.0, 1.0);
        }
        peaks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_the_ceiling_nothing_changes() {
        let samples = [0.3, -1.0, 1.0, f32::MIN_POSITIVE];
        let (mut left, mut right) = (samples, samples.map(|sample| -sample));
        Ceiling::new(48_000).limit(&mut left, &mut right);
        assert_eq!((left, right), (samples, samples.map(|sample| -sample)));
    }

    #[test]
    fn a_peak_is_brought_to_one_and_the_gain_returns_to_exactly_one() {
        let mut ceiling = Ceiling::new(100);
        let (mut left, mut right) = ([4.0, 0.4, 1e20], [-2.0, 0.2, -1e20]);
        assert_eq!(ceiling.limit(&mut left, &mut right), [1e20, 1e20]);
        assert_eq!((left[0], right[0]), (1.0, -0.5));
        assert!(left[1] < 0.2, "both sides are still turned down");
        assert_eq!((left[2], right[2]), (1.0, -1.0));
        let (mut left, mut right) = ([0.5; 200], [0.5; 200]);
        ceiling.limit(&mut left, &mut right);
        assert_eq!((ceiling.cut, left[199]), (0.0, 0.5));
    }

    #[test]
    fn the_gain_returns_to_exactly_one_at_every_rate() {
        for rate in [1, 1000, 48_000, 384_000] {
            let mut ceiling = Ceiling::new(rate);
            ceiling.limit(&mut [2.0], &mut [2.0]);
            for _ in 0..2 * rate {
                ceiling.limit(&mut [0.5], &mut [0.5]);
            }
            assert_eq!(ceiling.cut, 0.0, "two seconds later at {rate} Hz");
        }
    }
}
