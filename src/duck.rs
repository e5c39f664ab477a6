//! Ducking: a bus that is turned down while another sounds.

use std::time::Duration;

use crate::bus::BusId;
use crate::play::sanitize_gain;
use crate::units::{ms, short_frames};

/// How a bus is turned down while another one sounds: music that makes room for speech.
///
/// The other bus sounds while a voice of it, or of a bus below it, plays and can be heard: parked and paused
/// ones do not count, nor those whose gain, or a gain on their way, is 0. A play that waits for its frame
/// counts ahead of time, so that the bus is all the way down when its first frame comes.
///
/// Several ducks may act on one bus: their gains multiply, and the bus goes to the product in the time of
/// the one that changed last, or of the fastest where several do at once.
///
/// ```
/// use voicepool::{Duck, db, ms};
///
/// const UNDER_SPEECH: Duck = Duck { release: ms(800), ..Duck::DEFAULT };
/// let under_a_shout = Duck { gain: db(-20.0), ..Duck::DEFAULT };
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias("sidechain", "ducking", "compressor"))]
pub struct Duck {
    /// What the bus is multiplied by while the other one sounds, linear, from 0 to 1; what is beyond is
    /// brought to the nearest, and NaN is 1, which does nothing. Default: 0.35, about -9 dB.
    pub gain: f32,
    /// How long it takes to go down; at least 5 ms, as every change does. Default: 50 ms.
    pub attack: Duration,
    /// How long it stays down after the other bus has fallen silent, so that it does not come up between
    /// two words; at least 5 ms. Default: 200 ms.
    pub hold: Duration,
    /// How long it then takes to come up again; at least 5 ms. Default: 500 ms.
    pub release: Duration,
}

impl Duck {
    /// The defaults, as a constant, so that ducks made from them can be constants too.
    pub const DEFAULT: Duck = Duck { gain: 0.35, attack: ms(50), hold: ms(200), release: ms(500) };

    /// Itself at a rate, within its limits.
    pub(crate) fn frames(&self, rate: u32, declick: u32) -> DuckFrames {
        let frames = |time| short_frames(time, rate).max(declick);
        DuckFrames {
            gain: if self.gain.is_nan() { 1.0 } else { sanitize_gain(self.gain).min(1.0) },
            attack: frames(self.attack),
            hold: frames(self.hold),
            release: frames(self.release),
        }
    }
}

impl Default for Duck {
    /// [`Duck::DEFAULT`].
    fn default() -> Duck {
        Duck::DEFAULT
    }
}

/// A [`Duck`] with its times in frames and all within their limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DuckFrames {
    pub gain: f32,
    pub attack: u32,
    pub hold: u32,
    pub release: u32,
}

/// The first of the ducks, each a bus and the one it makes room for, that by way of itself or others
/// would act on what it listens to; none if there is no circle.
///
/// A duck acts on its bus and all below it, and listens to the other and all below that. So a bus can
/// neither make room for itself, nor for one above or below it.
pub(crate) fn circle(
    parents: &[BusId; BusId::COUNT],
    ducks: impl Iterator<Item = (BusId, BusId)> + Clone,
) -> Option<(BusId, BusId)> {
    let below = subtrees(parents);
    let below = |bus: BusId| below[bus.index()];
    ducks.clone().find(|(bus, by)| {
        // All that it acts on: what it ducks, what that is listened to for, and so on until nothing is new.
        let mut reached = below(*bus);
        loop {
            let before = reached;
            for (bus, by) in ducks.clone() {
                if reached & below(by) != 0 {
                    reached |= below(bus);
                }
            }
            if reached == before {
                break reached & below(*by) != 0;
            }
        }
    })
}

/// Each bus and all below it, a bit for each.
fn subtrees(parents: &[BusId; BusId::COUNT]) -> [u32; BusId::COUNT] {
    let mut below = [0; BusId::COUNT];
    for bus in BusId::all() {
        let mut above = bus;
        // No way to the master is longer than there are buses.
        for _ in 0..BusId::COUNT {
            below[above.index()] |= 1 << bus.index();
            above = parents[above.index()];
        }
    }
    below
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree in which all buses lead to the master but for some, each with its parent.
    fn tree(parents: &[(u8, u8)]) -> [BusId; BusId::COUNT] {
        let mut tree = [BusId::MASTER; BusId::COUNT];
        for (bus, parent) in parents {
            tree[usize::from(*bus)] = BusId::new(*parent);
        }
        tree
    }

    fn found(parents: &[(u8, u8)], ducks: &[(u8, u8)]) -> Option<(usize, usize)> {
        let ducks = ducks.iter().map(|(bus, by)| (BusId::new(*bus), BusId::new(*by)));
        circle(&tree(parents), ducks).map(|(bus, by)| (bus.index(), by.index()))
    }

    #[test]
    fn times_are_frames_of_at_least_the_declick() {
        let frames = Duck::DEFAULT.frames(1000, 5);
        assert_eq!(frames, DuckFrames { gain: 0.35, attack: 50, hold: 200, release: 500 });
        let none = Duck { attack: ms(0), hold: ms(1), release: Duration::MAX, ..Duck::default() };
        let frames = none.frames(1000, 5);
        assert_eq!((frames.attack, frames.hold, frames.release), (5, 5, u32::MAX));
    }

    #[test]
    fn a_gain_is_brought_between_0_and_1_and_nan_does_nothing() {
        let gain = |gain| Duck { gain, ..Duck::DEFAULT }.frames(1000, 5).gain;
        let absurd = [f32::NAN, -1.0, 0.0, 1e-39, 0.5, 1.5, f32::INFINITY, f32::NEG_INFINITY];
        assert_eq!(absurd.map(gain), [1.0, 0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn a_bus_cannot_make_room_for_itself_nor_for_what_is_above_or_below_it() {
        let line = [(3, 2), (2, 1)];
        assert_eq!(found(&line, &[(2, 2)]), Some((2, 2)));
        assert_eq!(found(&line, &[(3, 1)]), Some((3, 1)));
        assert_eq!(found(&line, &[(1, 3)]), Some((1, 3)));
        for duck in [(0, 0), (0, 5), (5, 0), (31, 0)] {
            assert_eq!(found(&line, &[duck]), Some((duck.0.into(), duck.1.into())));
        }
    }

    #[test]
    fn circles_of_two_and_three_are_found_and_their_first_duck_is_named() {
        assert_eq!(found(&[], &[(1, 2), (2, 1)]), Some((1, 2)));
        assert_eq!(found(&[], &[(3, 2), (1, 3), (2, 1)]), Some((3, 2)));
        // Those that are not part of it are not named, wherever they stand.
        assert_eq!(found(&[], &[(9, 1), (1, 8), (1, 2), (4, 5), (2, 1)]), Some((1, 2)));
    }

    #[test]
    fn circles_lead_through_the_tree() {
        // Music (1) with a score (4) below it, speech (2) with a narrator (5) below it.
        let parents = [(4, 1), (5, 2), (6, 5)];
        assert_eq!(found(&parents, &[(1, 5), (2, 4)]), Some((1, 5)));
        assert_eq!(found(&parents, &[(4, 2), (6, 1)]), Some((4, 2)));
        assert_eq!(found(&parents, &[(4, 6), (3, 4), (2, 3)]), Some((4, 6)));
    }

    #[test]
    fn what_is_no_circle_is_free() {
        let parents = [(4, 1), (5, 2), (6, 5)];
        for ducks in [
            &[][..],
            // Several on one bus, one for several, and one after the other.
            &[(1, 2), (1, 3), (1, 7)],
            &[(1, 2), (3, 2), (7, 2)],
            &[(1, 2), (2, 3), (3, 7), (1, 7)],
            // Two ways to the same end.
            &[(1, 2), (1, 3), (2, 7), (3, 7)],
            // Siblings.
            &[(4, 8), (8, 5)],
            &[(4, 5), (4, 6), (4, 2), (1, 2)],
        ] {
            assert_eq!(found(&parents, ducks), None, "{ducks:?}");
        }
        assert_eq!(found(&[(4, 1), (5, 1), (6, 1)], &[(4, 5), (5, 6), (4, 6)]), None, "siblings");
        let ladder: Vec<(u8, u8)> = (1..31).map(|n| (n, n + 1)).collect();
        assert_eq!(found(&[], &ladder), None);
        assert_eq!(found(&[], &[&ladder[..], &[(31, 1)]].concat()), Some((1, 2)));
    }
}
