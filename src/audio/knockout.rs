//! Who is the least of many, told at once, and told anew in a few steps when one of them changes.
//!
//! Everybody has a place on the lowest row. In each pair the lesser goes on to the row above, and
//! who gets to the top is the least of all. When a place changes, only the pairs on its way up
//! are played again.

/// A knockout among as many places as it was made with. Who has no key takes no part.
pub(super) struct Knockout<K> {
    keys: Box<[Option<K>]>,
    /// The pairs, the top one at 1: under `n` are `2n` and `2n + 1`. Those from the number of
    /// places on are the places themselves, so they are not kept here.
    winners: Box<[u32]>,
}

impl<K: Copy + Ord> Knockout<K> {
    pub fn new(places: usize) -> Knockout<K> {
        let mut knockout = Knockout {
            keys: vec![None; places].into_boxed_slice(),
            winners: vec![0; places].into_boxed_slice(),
        };
        knockout.play_all();
        knockout
    }

    /// The place of the least, and its key.
    pub fn least(&self) -> Option<(u32, K)> {
        let place = self.winner(1);
        self.key(place).map(|key| (place, key))
    }

    /// Changes a key, and plays the pairs that this concerns.
    pub fn set(&mut self, place: u32, key: Option<K>) {
        self.seed(place, key);
        let mut node = (self.keys.len() + place as usize) / 2;
        while node > 0 {
            let before = self.winner(node);
            // Another's victory over another was not touched, nor is anything above it.
            if self.play(node) == before && before != place {
                return;
            }
            node /= 2;
        }
    }

    /// Changes a key, for a knockout that will be played as a whole.
    pub fn seed(&mut self, place: u32, key: Option<K>) {
        if let Some(held) = self.keys.get_mut(place as usize) {
            *held = key;
        }
    }

    /// Changes every key there is, and plays every pair.
    pub fn change_all(&mut self, change: impl FnMut(&mut K)) {
        self.keys.iter_mut().flatten().for_each(change);
        self.play_all();
    }

    /// Plays every pair, from the lowest row up.
    pub fn play_all(&mut self) {
        for node in (1..self.winners.len()).rev() {
            self.play(node);
        }
    }

    fn play(&mut self, node: usize) -> u32 {
        let (left, right) = (self.winner(2 * node), self.winner(2 * node + 1));
        let winner = match (self.key(left), self.key(right)) {
            (Some(a), Some(b)) if b < a => right,
            (None, Some(_)) => right,
            _ => left,
        };
        if let Some(held) = self.winners.get_mut(node) {
            *held = winner;
        }
        winner
    }

    fn winner(&self, node: usize) -> u32 {
        let place = node.wrapping_sub(self.winners.len()) as u32;
        self.winners.get(node).copied().unwrap_or(place)
    }

    fn key(&self, place: u32) -> Option<K> {
        self.keys.get(place as usize).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The naive twin: the first of the least.
    fn least(keys: &[Option<(u32, u32)>]) -> Option<(u32, (u32, u32))> {
        (0..).zip(keys).filter_map(|(place, key)| Some((place, (*key)?))).min_by_key(|it| it.1)
    }

    #[test]
    fn the_least_is_known_whatever_changes() {
        let mut random = 7u32;
        let mut below = |n: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) % n
        };
        for places in [1, 2, 3, 5, 8, 64, 100] {
            let mut knockout = Knockout::new(places);
            let mut keys = vec![None; places];
            assert_eq!(knockout.least(), None);
            for round in 0..2000 {
                let place = below(places as u32);
                // Few keys, so that many are alike but for their age.
                let key = (below(4) > 0).then(|| (below(8), round));
                keys[place as usize] = key;
                if below(10) > 0 {
                    knockout.set(place, key);
                } else {
                    knockout.seed(place, key);
                    knockout.play_all();
                }
                assert_eq!(knockout.least(), least(&keys), "{places} places, round {round}");
            }
        }
    }

    #[test]
    fn nobody_is_the_least_of_none() {
        let mut knockout = Knockout::new(0);
        knockout.set(0, Some(1));
        assert_eq!(knockout.least(), None);
    }
}
