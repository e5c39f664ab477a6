//! What a room sounds like, and the rooms' names.

use std::time::Duration;

use crate::units::ms;

/// What a room sounds like: how long it rings, how large it is, how its walls take the treble away.
///
/// What is out of its limits is brought to the nearest of them, and NaN is the default.
///
/// ```
/// use voicepool::{Reverb, ms, secs};
///
/// let cave = Reverb { decay: secs(4.0), size: 0.9, damping: 0.3, pre_delay: ms(40) };
/// let closet = Reverb { decay: ms(250), size: 0.0, ..Reverb::DEFAULT };
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias("room", "hall", "echo"))]
pub struct Reverb {
    /// How long it takes until a sound that has ended is 60 dB fainter (T60), at low frequencies;
    /// without [`damping`](Reverb::damping), at all of them. From 50 ms to 60 s, 1.8 s unless told
    /// otherwise.
    pub decay: Duration,
    /// How large it is, from 0 (a small room) to 1 (a cathedral), 0.5 (a hall) unless told otherwise.
    ///
    /// The time in which sound crosses the room, wall to wall, is 40 ms · 3^`size` on average, from
    /// 40 to 120 ms, and never more than a sixteenth of the [`decay`](Reverb::decay): a room that falls
    /// silent soon is a small one. The first echo comes after 0.42 of it. The echoes of a larger room
    /// are further apart and its own tones closer together, so that a long decay is smoothest there.
    pub size: f32,
    /// How much sooner high frequencies fall silent than low ones, from 0 (not at all: bare stone) to 1
    /// (curtains everywhere), 0.5 unless told otherwise.
    ///
    /// High above 4 kHz the decay is `decay` · (1 − 0.75 · `damping`), and at any frequency f,
    ///
    /// ```text
    /// T60(f) = decay / (1 + r · x² / (1 + x²)),  x = f / 4 kHz,  r = 1 / (1 − 0.75 · damping) − 1
    /// ```
    pub damping: f32,
    /// How long the room waits before it answers, beside the time that its size takes: from 0 to
    /// 250 ms, 10 ms unless told otherwise. It keeps what is close clear of its own reverb.
    pub pre_delay: Duration,
}

impl Reverb {
    /// A hall of middle size.
    pub const DEFAULT: Reverb =
        Reverb { decay: ms(1800), size: 0.5, damping: 0.5, pre_delay: ms(10) };

    /// The same within its limits.
    pub(crate) fn sanitized(self) -> Reverb {
        let or_default = |part: f32, default: f32| {
            if part.is_nan() { default } else { part.clamp(0.0, 1.0) }
        };
        Reverb {
            decay: self.decay.clamp(ms(50), ms(60_000)),
            size: or_default(self.size, Reverb::DEFAULT.size),
            damping: or_default(self.damping, Reverb::DEFAULT.damping),
            pre_delay: self.pre_delay.min(ms(250)),
        }
    }
}

impl Default for Reverb {
    fn default() -> Reverb {
        Reverb::DEFAULT
    }
}

/// One of the four rooms that voices and buses can send to. What they make of it is heard through the
/// master. Each is made when its [`Reverb`] is first set.
///
/// A number that there is not panics, and in a constant it does not compile:
///
/// ```
/// use voicepool::RoomId;
/// const CAVE: RoomId = RoomId::new(0);
/// const LAST: RoomId = RoomId::new(3);
/// ```
///
/// ```compile_fail
/// const NONE: voicepool::RoomId = voicepool::RoomId::new(4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[doc(alias("reverb", "aux"))]
pub struct RoomId(u8);

impl RoomId {
    /// How many rooms there are.
    pub const COUNT: usize = 4;

    /// Room `n`, from 0 to 3.
    ///
    /// # Panics
    ///
    /// If `n` is 4 or more; at compile time where it is a constant.
    pub const fn new(n: u8) -> RoomId {
        assert!((n as usize) < RoomId::COUNT, "rooms are numbered from 0 to 3");
        RoomId(n)
    }

    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// All of them, in the order of their numbers.
    pub(crate) fn all() -> impl Iterator<Item = RoomId> {
        (0..RoomId::COUNT as u8).map(RoomId)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absurd_reverbs_are_sanitized_at_the_door() {
        let least = Reverb {
            decay: Duration::ZERO,
            size: f32::NEG_INFINITY,
            damping: -1.0,
            pre_delay: Duration::ZERO,
        };
        let most = Reverb {
            decay: Duration::MAX,
            size: f32::INFINITY,
            damping: 9.0,
            pre_delay: Duration::MAX,
        };
        let none = Reverb { size: f32::NAN, damping: f32::NAN, ..Reverb::DEFAULT };
        let limits = |ends: [u64; 2], part| Reverb {
            decay: ms(ends[0]),
            size: part,
            damping: part,
            pre_delay: ms(ends[1]),
        };
        assert_eq!(least.sanitized(), limits([50, 0], 0.0));
        assert_eq!(most.sanitized(), limits([60_000, 250], 1.0));
        assert_eq!(none.sanitized(), Reverb::default());
        assert_eq!(Reverb::DEFAULT.sanitized(), Reverb::DEFAULT);
    }

    #[test]
    fn there_are_four_rooms() {
        assert_eq!(RoomId::all().map(RoomId::index).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(RoomId::new(3).index(), 3);
        for n in [4, 255] {
            assert!(std::panic::catch_unwind(|| RoomId::new(n)).is_err());
        }
    }
}
