//! A tournament tree: who is the least of many, told at once, and told anew in a few steps when
//! one of them changes.
//!
//! Everybody has a place on the lowest row. In each pair the lesser goes on to the row above, and
//! who gets to the top is the least of all. When a place changes, only the pairs on its way up
//! are played again. The keys stay with whoever has them, so that many trees can share them.

/// A tournament among as many places as it was made with.
pub(in crate::audio) struct TournamentTree {
    /// The pairs, the top one at 1: under `n` are `2n` and `2n + 1`. Those from the number of
    /// places on are the places themselves, so they are not kept here.
    winners: Box<[u32]>,
}

impl TournamentTree {
    pub fn new(places: usize) -> TournamentTree {
        let mut tree = TournamentTree { winners: vec![0; places].into_boxed_slice() };
        // From the beginning on, a pair's winner is a place below it.
        tree.play_all(|_| None::<()>);
        tree
    }

    /// The place of the least, and its key. Who has no key takes no part.
    pub fn least<K: Ord>(&self, key: impl Fn(u32) -> Option<K>) -> Option<(u32, K)> {
        let place = self.winner(1);
        key(place).map(|key| (place, key))
    }

    /// Plays the pairs that a changed key concerns.
    pub fn update<K: Ord>(&mut self, place: u32, key: impl Fn(u32) -> Option<K>) {
        let mut node = (self.winners.len() + place as usize) / 2;
        while node > 0 {
            let before = self.winner(node);
            // Another's victory over another was not touched, nor is anything above it.
            if self.play(node, &key) == before && before != place {
                return;
            }
            node /= 2;
        }
    }

    /// Plays every pair above these places, all the others having no key: a few of many take
    /// fewer steps this way than all of them.
    pub fn play_some<K: Ord>(
        &mut self,
        places: impl Iterator<Item = u32>,
        key: impl Fn(u32) -> Option<K>,
    ) {
        for place in places {
            let mut node = (self.winners.len() + place as usize) / 2;
            while node > 0 {
                self.play(node, &key);
                node /= 2;
            }
        }
    }

    /// Plays every pair, from the lowest row up.
    pub fn play_all<K: Ord>(&mut self, key: impl Fn(u32) -> Option<K>) {
        for node in (1..self.winners.len()).rev() {
            self.play(node, &key);
        }
    }

    fn play<K: Ord>(&mut self, node: usize, key: impl Fn(u32) -> Option<K>) -> u32 {
        let (left, right) = (self.winner(2 * node), self.winner(2 * node + 1));
        let winner = match (key(left), key(right)) {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    type Key = Option<(u32, u32)>;

    /// The naive twin: the first of the least.
    fn least(keys: &[Key]) -> Option<(u32, (u32, u32))> {
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
            let mut tree = TournamentTree::new(places);
            let mut keys = vec![None; places];
            for round in 0..2000 {
                let place = below(places as u32);
                // Few keys, so that many are alike but for their age.
                let key = (below(4) > 0).then(|| (below(8), round));
                keys[place as usize] = key;
                let at = |place: u32| keys.get(place as usize).copied().flatten();
                match below(10) {
                    0 => tree.play_all(at),
                    1 => {
                        let there = |place: &u32| at(*place).is_some();
                        tree.play_some((0..places as u32).filter(there), at);
                    }
                    _ => tree.update(place, at),
                }
                assert_eq!(tree.least(at), least(&keys), "{places} places, round {round}");
            }
        }
    }

    #[test]
    fn who_was_never_played_claims_nothing() {
        let keys = |zero: bool| {
            move |place: u32| match place {
                0 => zero.then_some(0),
                2 => Some(1),
                _ => None,
            }
        };
        let mut tree = TournamentTree::new(7);
        tree.play_some([0, 2].into_iter(), keys(true));
        assert_eq!(tree.least(keys(true)), Some((0, 0)));
        tree.update(0, keys(false));
        assert_eq!(tree.least(keys(false)), Some((2, 1)));
    }

    #[test]
    fn nobody_is_the_least_of_none() {
        let mut tree = TournamentTree::new(0);
        tree.update(0, |_| None::<u32>);
        assert_eq!(tree.least(|_| None::<u32>), None);
    }
}
