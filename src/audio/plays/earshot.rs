//! Which of the parked are near enough to be heard.
//!
//! There may be ten thousand of them, and a listener that moves sixty times a second: so of each there is
//! kept here, side by side, just what it takes to see how far off it is.

use crate::space::Point;

/// How near a play must be.
#[derive(Clone, Copy)]
struct Border {
    position: [f32; 3],
    /// The square of the distance within which it is heard: infinite for what is heard from everywhere, and
    /// negative for a slot that is empty.
    reach: f32,
}

const EMPTY: Border = Border { position: [0.0; 3], reach: -1.0 };

pub(in crate::audio) struct Earshot {
    borders: Box<[Border]>,
    /// Those who are in earshot.
    is_in: Box<[bool]>,
    /// How far a walk through them has come.
    seen: usize,
}

impl Earshot {
    pub fn new(places: usize) -> Earshot {
        Earshot {
            borders: vec![EMPTY; places].into_boxed_slice(),
            is_in: vec![false; places].into_boxed_slice(),
            seen: 0,
        }
    }

    /// Notes where a play is, and within which distance it is heard: `None`, if from everywhere. Says whether
    /// it is heard from this place.
    pub fn place(&mut self, slot: u32, border: Option<(Point, f32)>, ear: Point) -> bool {
        let border = match border {
            Some((Point { x, y, z }, reach)) => {
                Border { position: [x, y, z], reach: reach * reach }
            }
            None => Border { position: [0.0; 3], reach: f32::INFINITY },
        };
        if let Some(held) = self.borders.get_mut(slot as usize) {
            *held = border;
        }
        border.reaches(ear)
    }

    pub fn set(&mut self, slot: u32, is_in: bool) {
        if let Some(held) = self.is_in.get_mut(slot as usize) {
            *held = is_in;
        }
    }

    /// The slot is empty.
    pub fn remove(&mut self, slot: u32) {
        self.set(slot, false);
        if let Some(border) = self.borders.get_mut(slot as usize) {
            *border = EMPTY;
        }
    }

    /// Those who are in earshot.
    pub fn slots(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.is_in).filter_map(|(slot, is_in)| is_in.then_some(slot))
    }

    /// The next of a walk through all who is not where it was said to be, in earshot or out of it: `None`
    /// when all have been seen, and the next walk begins.
    pub fn next_changed(&mut self, ear: Point) -> Option<(u32, bool)> {
        let borders = self.borders.get(self.seen..).unwrap_or_default();
        let states = self.is_in.get(self.seen..).unwrap_or_default();
        let changed = |(border, is_in): (&Border, &bool)| border.reaches(ear) != *is_in;
        match borders.iter().zip(states).position(changed) {
            Some(after) => {
                let slot = self.seen + after;
                self.seen = slot + 1;
                Some((slot as u32, !self.is_in.get(slot).copied().unwrap_or(false)))
            }
            None => {
                self.seen = 0;
                None
            }
        }
    }
}

impl Border {
    #[inline(always)]
    fn reaches(&self, ear: Point) -> bool {
        let [x, y, z] = self.position;
        let (x, y, z) = (x - ear.x, y - ear.y, z - ear.z);
        x * x + y * y + z * z < self.reach
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_finds_everybody_who_came_or_went_and_begins_anew() {
        let mut earshot = Earshot::new(6);
        let ear = |x: f32| Point { x, y: 0.0, z: 0.0 };
        for (slot, x) in [(0, 0.0), (2, 50.0), (4, 100.0)] {
            assert_eq!(earshot.place(slot, Some((ear(x), 10.0)), ear(0.0)), slot == 0);
            earshot.set(slot, slot == 0);
        }
        earshot.place(5, None, ear(0.0));
        earshot.set(5, true);
        let walk = |earshot: &mut Earshot, x| {
            let mut changed = Vec::new();
            while let Some((slot, is_in)) = earshot.next_changed(ear(x)) {
                earshot.set(slot, is_in);
                changed.push((slot, is_in));
            }
            changed
        };
        assert_eq!(walk(&mut earshot, 9.9), []);
        assert_eq!(walk(&mut earshot, 45.0), [(0, false), (2, true)]);
        assert_eq!(walk(&mut earshot, 60.0), [(2, false)], "ten off is too far");
        assert_eq!(earshot.slots().collect::<Vec<_>>(), [5]);
        earshot.remove(5);
        assert_eq!(walk(&mut earshot, 0.0), [(0, true)]);
    }
}
