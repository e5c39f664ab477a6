//! Heaps that share their places: who is the least of each of several groups, in as much memory as
//! one of them takes.
//!
//! They are leftist heaps (Crane 1972). Every path to the right is short, no more than the logarithm of
//! how many there are, and what is added or taken out is merged along these alone. The keys stay with
//! whoever has them; those in one heap must differ.

/// So many heaps, and places for all that may be in any of them.
pub(in crate::audio) struct Heaps<const N: usize> {
    roots: [u32; N],
    nodes: Box<[Node]>,
}

#[derive(Clone, Copy)]
struct Node {
    left: u32,
    right: u32,
    /// `NONE` at the top of a heap, `OUTSIDE` of who is in none.
    parent: u32,
    /// How many there are on the way down that always turns right: never more than on any other way.
    height: u32,
}

const NONE: u32 = u32::MAX;
const OUTSIDE: u32 = u32::MAX - 1;
const UNUSED: Node = Node { left: NONE, right: NONE, parent: OUTSIDE, height: 0 };
const ALONE: Node = Node { left: NONE, right: NONE, parent: NONE, height: 1 };

impl<const N: usize> Heaps<N> {
    pub fn new(places: usize) -> Heaps<N> {
        Heaps { roots: [NONE; N], nodes: vec![UNUSED; places].into_boxed_slice() }
    }

    /// Empties all of them.
    pub fn clear(&mut self) {
        self.roots = [NONE; N];
        self.nodes.fill(UNUSED);
    }

    /// The least of a heap.
    pub fn first(&self, heap: usize) -> Option<u32> {
        self.roots.get(heap).copied().filter(|root| *root != NONE)
    }

    /// Puts somebody into a heap who is in none.
    pub fn insert<K: Ord>(&mut self, heap: usize, place: u32, key: &impl Fn(u32) -> K) {
        let Some(root) = self.roots.get(heap).copied() else { return };
        self.set(place, ALONE);
        let merged = self.merge(root, place, key);
        self.set_root(heap, merged);
    }

    /// Takes somebody out of a heap, if it is there. Its own key may have changed before.
    pub fn remove<K: Ord>(&mut self, heap: usize, place: u32, key: &impl Fn(u32) -> K) {
        let Node { left, right, parent, .. } = self.get(place);
        if parent == OUTSIDE {
            return;
        }
        self.set(place, UNUSED);
        let merged = self.merge(left, right, key);
        if parent == NONE {
            return self.set_root(heap, merged);
        }
        let above = self.get(parent);
        let on_left = above.left == place;
        let (left, right) = if on_left { (merged, above.right) } else { (above.left, merged) };
        self.set_parent(merged, parent);
        self.set(parent, Node { left, right, ..above });
        // Heights change no further up than the short ways do.
        let mut at = parent;
        while at != NONE && self.lean_left(at) {
            at = self.get(at).parent;
        }
    }

    /// Makes one of two heaps, and says who is at its top. It goes down their ways to the right.
    fn merge<K: Ord>(&mut self, a: u32, b: u32, key: &impl Fn(u32) -> K) -> u32 {
        if a == NONE || b == NONE {
            return a.min(b);
        }
        let (top, other) = if key(b) < key(a) { (b, a) } else { (a, b) };
        let node = self.get(top);
        let right = self.merge(node.right, other, key);
        self.set_parent(right, top);
        self.set(top, Node { right, ..node });
        self.lean_left(top);
        top
    }

    /// Lets the shorter way be on the right. Returns whether the height has changed.
    fn lean_left(&mut self, place: u32) -> bool {
        let mut node = self.get(place);
        let before = node.height;
        if self.get(node.left).height < self.get(node.right).height {
            (node.left, node.right) = (node.right, node.left);
        }
        node.height = self.get(node.right).height + 1;
        self.set(place, node);
        node.height != before
    }

    fn get(&self, place: u32) -> Node {
        self.nodes.get(place as usize).copied().unwrap_or(UNUSED)
    }

    fn set(&mut self, place: u32, node: Node) {
        if let Some(held) = self.nodes.get_mut(place as usize) {
            *held = node;
        }
    }

    fn set_parent(&mut self, place: u32, parent: u32) {
        if let Some(node) = self.nodes.get_mut(place as usize) {
            node.parent = parent;
        }
    }

    fn set_root(&mut self, heap: usize, place: u32) {
        self.set_parent(place, NONE);
        if let Some(root) = self.roots.get_mut(heap) {
            *root = place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The longest way to the right in a heap.
    fn longest<const N: usize>(heaps: &Heaps<N>, heap: usize) -> usize {
        let right = |place: &u32| Some(heaps.get(*place).right).filter(|right| *right != NONE);
        std::iter::successors(heaps.first(heap), right).count()
    }

    #[test]
    fn the_least_of_each_heap_is_known_whatever_changes() {
        let mut random = 7u32;
        let mut below = |n: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) % n
        };
        for places in [1, 2, 3, 8, 64, 300] {
            let mut heaps = Heaps::<3>::new(places);
            let mut keys = vec![None::<(u32, u32)>; places];
            let mut member = vec![0; places];
            for round in 0..4000 {
                let place = below(places as u32);
                let (before, heap) = (member[place as usize], below(3) as usize);
                keys[place as usize] = (below(4) > 0).then(|| (below(8), round));
                member[place as usize] = heap;
                let key = |place: u32| keys[place as usize];
                heaps.remove(before, place, &key);
                heaps.remove(before, place, &key);
                if key(place).is_some() {
                    heaps.insert(heap, place, &key);
                }
                if below(500) == 0 {
                    heaps.clear();
                    let there = (0..places as u32).filter(|place| key(*place).is_some());
                    there.for_each(|place| heaps.insert(member[place as usize], place, &key));
                }
                for heap in 0..3 {
                    let all = (0..places as u32).filter(|place| key(*place).is_some());
                    let of_heap = all.filter(|place| member[*place as usize] == heap);
                    let count = of_heap.clone().count();
                    assert_eq!(heaps.first(heap), of_heap.min_by_key(|place| key(*place)));
                    assert!(longest(&heaps, heap) <= (count + 1).ilog2() as usize, "{count}");
                }
            }
        }
    }
}
