//! The object pool: a fixed number of slots made up front, and never another allocation.
//!
//! Free slots are threaded into a list through the slots themselves, so taking one and giving it
//! back are both O(1). The live ones are threaded the same way, oldest first, so walking them
//! costs nothing for slots that are empty. A slot's generation is odd while it is live: that is
//! the whole "in use" flag, and it is what makes a stale key find nothing.

#![allow(unsafe_code)] // To overwrite what a freed slot held; everything else would do without.

use std::fmt;
use std::mem::{self, MaybeUninit};

/// What freed slots are filled with in debug builds, so that a use after free is seen at once.
pub const POISON: u32 = 0x1dea_db0b;

/// Where the free list and the live list end.
const NONE: u32 = u32::MAX;

/// A fixed number of slots for `T`, allocated once.
///
/// [`insert`](Pool::insert) gives the value back when the pool is full: what to do then (refuse,
/// drop an old one, use a bigger pool) is for the caller to say.
///
/// ```
/// use voicepool::Pool;
///
/// let mut sparkles = Pool::new(2);
/// let red = sparkles.insert("red")?;
/// let _blue = sparkles.insert("blue")?;
/// assert_eq!(sparkles.insert("green"), Err("green"));
///
/// assert_eq!(sparkles.remove(red), Some("red"));
/// let green = sparkles.insert("green")?; // in the slot that red had
/// assert_eq!(sparkles.get(red), None); // and the old key does not find it
/// assert_eq!(sparkles.get(green), Some(&"green"));
/// # Ok::<(), &str>(())
/// ```
pub struct Pool<T> {
    slots: Box<[Slot<T>]>,
    free: u32,
    oldest: u32,
    newest: u32,
    len: u32,
}

/// A walk through a pool that does not borrow it.
pub(crate) struct Walk {
    next: u32,
}

impl Walk {
    /// The next slot. The one before it may have been emptied meanwhile; the one that comes after it
    /// may not.
    pub fn next<T>(&mut self, pool: &Pool<T>) -> Option<u32> {
        let slot = self.next;
        self.next = pool.slots.get(slot as usize)?.newer;
        Some(slot)
    }
}

/// Names one value in one [`Pool`]. Once the value is removed the key finds nothing, ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    slot: u32,
    generation: u64,
}

impl Key {
    pub(crate) fn new(slot: u32, generation: u64) -> Key {
        Key { slot, generation }
    }

    /// Which slot of the pool it is, from 0 on.
    pub fn slot(self) -> usize {
        self.slot as usize
    }

    pub(crate) fn generation(self) -> u64 {
        self.generation
    }
}

struct Slot<T> {
    /// Odd while the slot is live. 64 bits: at a billion lives a second it wraps in 584 years.
    generation: u64,
    /// The live neighbours, or in a free slot the next free one.
    older: u32,
    newer: u32,
    held: MaybeUninit<T>,
}

impl<T> Slot<T> {
    fn is_live(&self) -> bool {
        self.generation % 2 == 1
    }

    fn get(&self) -> Option<&T> {
        // SAFETY: an odd generation is set only after `held` was written, and made even before
        // `held` is moved out.
        self.is_live().then(|| unsafe { self.held.assume_init_ref() })
    }

    fn get_mut(&mut self) -> Option<&mut T> {
        // SAFETY: as in `get`.
        self.is_live().then(|| unsafe { self.held.assume_init_mut() })
    }

    fn fill(&mut self, value: T) {
        self.held.write(value);
        self.generation = self.generation.wrapping_add(1);
    }

    fn empty(&mut self) -> Option<T> {
        if !self.is_live() {
            return None;
        }
        self.generation = self.generation.wrapping_add(1);
        // SAFETY: the slot was live, so `held` was written; now that its generation is even,
        // nothing reads it before it is written again.
        let value = unsafe { self.held.assume_init_read() };
        if cfg!(debug_assertions) {
            self.poison();
        }
        Some(value)
    }

    fn poison(&mut self) {
        let bytes = self.held.as_mut_ptr().cast::<u8>();
        for (i, byte) in POISON.to_be_bytes().into_iter().cycle().take(size_of::<T>()).enumerate() {
            // SAFETY: `i` is below the size of `T`, and a free slot's bytes may hold anything.
            unsafe { bytes.add(i).write(byte) };
        }
    }
}

impl<T> Drop for Slot<T> {
    fn drop(&mut self) {
        drop(self.empty());
    }
}

impl<T> Pool<T> {
    /// Makes a pool of `capacity` slots: the only allocation of its life.
    ///
    /// # Panics
    /// If `capacity` is 2^32 - 1 or more: slots are numbered with 32 bits.
    pub fn new(capacity: usize) -> Pool<T> {
        assert!(capacity < NONE as usize, "a pool of {capacity} slots");
        let slot =
            |_| Slot { generation: 0, older: NONE, newer: NONE, held: MaybeUninit::uninit() };
        let mut pool = Pool {
            slots: (0..capacity).map(slot).collect(),
            free: NONE,
            oldest: NONE,
            newest: NONE,
            len: 0,
        };
        pool.thread_free_slots();
        pool
    }

    /// How many slots there are.
    pub fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// How many of them are live.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether none is live.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether all are live.
    pub fn is_full(&self) -> bool {
        self.free == NONE
    }

    /// Puts a value into a free slot, or gives it back if there is none.
    pub fn insert(&mut self, value: T) -> Result<Key, T> {
        if self.is_full() {
            return Err(value);
        }
        Ok(self.insert_free(|| value))
    }

    /// Makes a value in a free slot, if there is one: in its place, and not to be moved there.
    pub(crate) fn insert_with(&mut self, make: impl FnOnce() -> T) -> Option<Key> {
        (!self.is_full()).then(|| self.insert_free(make))
    }

    /// Takes a value out, and frees its slot.
    pub fn remove(&mut self, key: Key) -> Option<T> {
        self.contains(key).then(|| self.take(key.slot)).flatten()
    }

    /// Whether the key's value is still in the pool.
    pub fn contains(&self, key: Key) -> bool {
        self.get(key).is_some()
    }

    /// The key's value.
    pub fn get(&self, key: Key) -> Option<&T> {
        let slot = self.slots.get(key.slot())?;
        if slot.generation == key.generation { slot.get() } else { None }
    }

    /// The key's value, to be changed.
    pub fn get_mut(&mut self, key: Key) -> Option<&mut T> {
        let slot = self.slots.get_mut(key.slot())?;
        if slot.generation == key.generation { slot.get_mut() } else { None }
    }

    /// The live values, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = (Key, &T)> {
        let mut next = self.oldest;
        std::iter::from_fn(move || {
            let index = next;
            let slot = self.slots.get(index as usize)?;
            next = slot.newer;
            Some((Key::new(index, slot.generation), slot.get()?))
        })
    }

    /// Visits the live values, oldest first, and removes those for which `keep` says no.
    ///
    /// ```
    /// let mut lives = voicepool::Pool::new(4);
    /// for life in 1..=4 { lives.insert(life).unwrap(); }
    /// lives.retain(|life| { *life -= 1; *life > 0 });
    /// assert_eq!(lives.iter().map(|(_, life)| *life).collect::<Vec<_>>(), [1, 2, 3]);
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        let mut next = self.oldest;
        while let Some(slot) = self.slots.get_mut(next as usize) {
            let index = mem::replace(&mut next, slot.newer);
            if slot.get_mut().is_some_and(|value| !keep(value)) {
                drop(self.take(index));
            }
        }
    }

    /// Drops all the values.
    pub fn clear(&mut self) {
        self.retain(|_| false);
    }

    /// The value in a slot, by the slot's number alone.
    pub(crate) fn at(&self, slot: u32) -> Option<&T> {
        self.slots.get(slot as usize)?.get()
    }

    /// The same, to be changed.
    pub(crate) fn at_mut(&mut self, slot: u32) -> Option<&mut T> {
        self.slots.get_mut(slot as usize)?.get_mut()
    }

    /// The key of the value in a slot.
    pub(crate) fn key_at(&self, slot: u32) -> Option<Key> {
        let held = self.slots.get(slot as usize)?;
        held.is_live().then(|| Key::new(slot, held.generation))
    }

    /// The slot of the oldest value.
    pub(crate) fn oldest(&self) -> Option<u32> {
        (self.oldest != NONE).then_some(self.oldest)
    }

    /// Goes through the slots of all values, oldest first, while the pool may be changed.
    pub(crate) fn walk(&self) -> Walk {
        Walk { next: self.oldest }
    }

    /// Empties a slot, by its number alone.
    pub(crate) fn take(&mut self, index: u32) -> Option<T> {
        let free = self.free;
        let slot = self.slots.get_mut(index as usize)?;
        let value = slot.empty()?;
        let (older, newer) = (slot.older, slot.newer);
        slot.newer = free;
        self.free = index;
        self.set_newer(older, newer);
        self.set_older(newer, older);
        self.len -= 1;
        Some(value)
    }

    /// Puts another value into a slot that is live, in the place and at the age of the one before it. Returns
    /// that one, or gives the new one back if the slot is free.
    pub(crate) fn replace(&mut self, index: u32, value: T) -> Result<T, T> {
        let Some(slot) = self.slots.get_mut(index as usize) else { return Err(value) };
        let Some(old) = slot.empty() else { return Err(value) };
        slot.fill(value);
        Ok(old)
    }

    /// How often a slot was filled and emptied: the generation of whatever lives there, if it is odd.
    pub(crate) fn generation_at(&self, slot: u32) -> Option<u64> {
        self.slots.get(slot as usize).map(|slot| slot.generation)
    }

    /// Moves everything into `other`, an empty pool, and leaves this one's slots in its place.
    ///
    /// Values keep their order of age, and their slot if `other` has it; `moved` hears of the
    /// rest. If there are more values than `other` has slots, nothing happens and it says no.
    pub(crate) fn move_into(
        &mut self,
        other: &mut Pool<T>,
        mut moved: impl FnMut(&T, u32),
    ) -> bool {
        if self.len() > other.capacity() || !other.is_empty() {
            return false;
        }
        for (mine, theirs) in self.slots.iter_mut().zip(other.slots.iter_mut()) {
            mem::swap(mine, theirs);
        }
        other.thread_free_slots();
        other.len = mem::take(&mut self.len);
        let mut next = mem::replace(&mut self.oldest, NONE);
        self.newest = NONE;
        while next != NONE {
            let index = match self.slots.get_mut(next as usize) {
                Some(slot) if next as usize >= other.slots.len() => {
                    let newer = slot.newer;
                    let Some(value) = slot.empty() else { break };
                    moved(&value, other.free);
                    next = newer;
                    other.fill_free(|| value)
                }
                _ => {
                    let newer = other.slots.get(next as usize).map_or(NONE, |slot| slot.newer);
                    mem::replace(&mut next, newer)
                }
            };
            other.append(index);
        }
        self.thread_free_slots();
        mem::swap(self, other);
        true
    }

    fn insert_free(&mut self, make: impl FnOnce() -> T) -> Key {
        let index = self.fill_free(make);
        self.append(index);
        self.len += 1;
        let generation = self.slots.get(index as usize).map_or(0, |slot| slot.generation);
        Key::new(index, generation)
    }

    /// Fills the first free slot; it is not yet in the list of the live.
    fn fill_free(&mut self, make: impl FnOnce() -> T) -> u32 {
        let index = self.free;
        if let Some(slot) = self.slots.get_mut(index as usize) {
            slot.fill(make());
            self.free = slot.newer;
        }
        index
    }

    /// Links a slot to the end of the list of the live.
    fn append(&mut self, index: u32) {
        let newest = mem::replace(&mut self.newest, index);
        if let Some(slot) = self.slots.get_mut(index as usize) {
            (slot.older, slot.newer) = (newest, NONE);
        }
        self.set_newer(newest, index);
    }

    fn thread_free_slots(&mut self) {
        self.free = NONE;
        for (index, slot) in self.slots.iter_mut().enumerate().rev() {
            if !slot.is_live() {
                slot.newer = self.free;
                self.free = index as u32;
            }
        }
    }

    fn set_newer(&mut self, of: u32, newer: u32) {
        match self.slots.get_mut(of as usize) {
            Some(slot) => slot.newer = newer,
            None => self.oldest = newer,
        }
    }

    fn set_older(&mut self, of: u32, older: u32) {
        match self.slots.get_mut(of as usize) {
            Some(slot) => slot.older = older,
            None => self.newest = older,
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Pool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// As if every slot had been used 2^63 times and were about to wrap.
    fn nearly_wrapped<T>(capacity: usize) -> Pool<T> {
        let mut pool = Pool::new(capacity);
        for slot in &mut pool.slots {
            slot.generation = u64::MAX - 1;
        }
        pool
    }

    fn values(pool: &Pool<u32>) -> Vec<u32> {
        pool.iter().map(|(_, value)| *value).collect()
    }

    #[test]
    fn a_full_pool_gives_the_value_back() {
        let mut pool = Pool::new(1);
        assert!(pool.insert(1).is_ok());
        assert!(pool.is_full());
        assert_eq!(pool.insert(2), Err(2));
        assert_eq!(Pool::new(0).insert(3), Err(3));
    }

    #[test]
    fn a_stale_key_finds_nothing_also_across_the_wrap() {
        let mut pool = nearly_wrapped(1);
        let first = pool.insert(1).unwrap();
        assert_eq!(first.generation, u64::MAX);
        assert_eq!(pool.remove(first), Some(1));
        let second = pool.insert(2).unwrap();
        assert_eq!(second.generation, 1);
        assert_eq!(pool.get(first), None);
        assert_eq!(pool.remove(first), None);
        assert_eq!(pool.get(second), Some(&2));
    }

    #[test]
    fn the_live_are_walked_oldest_first_and_the_free_not_at_all() {
        let mut pool = Pool::new(4);
        let keys = [10, 20, 30, 40].map(|n| pool.insert(n).unwrap());
        pool.remove(keys[1]);
        pool.remove(keys[0]);
        pool.insert(50).unwrap();
        assert_eq!(values(&pool), [30, 40, 50]);
        assert_eq!(pool.len(), 3);
    }

    #[test]
    fn who_takes_a_place_has_its_slot_and_its_age_and_a_key_of_its_own() {
        let mut pool = Pool::new(4);
        let keys = [10, 20, 30].map(|n| pool.insert(n).unwrap());
        assert_eq!(pool.replace(keys[1].slot, 25), Ok(20));
        assert_eq!((values(&pool), pool.len()), (vec![10, 25, 30], 3));
        assert_eq!((pool.get(keys[1]), pool.at(keys[1].slot)), (None, Some(&25)));
        assert_eq!(
            (pool.replace(3, 40), pool.replace(4, 50)),
            (Err(40), Err(50)),
            "nobody is there"
        );
        assert_eq!(pool.generation_at(keys[1].slot), Some(keys[1].generation + 2));
        assert_eq!((pool.generation_at(3), pool.generation_at(4)), (Some(0), None));
    }

    #[test]
    fn nothing_of_a_past_life_survives_in_a_freed_slot() {
        let mut pool = Pool::new(1);
        let key = pool.insert([0xaau8; 11]).unwrap();
        pool.remove(key);
        // SAFETY: the slot is free and was poisoned, so all of its bytes are written.
        let bytes = unsafe { pool.slots[0].held.assume_init() };
        let poison = [0x1d, 0xea, 0xdb, 0x0b];
        assert_eq!(bytes[..], [poison, poison, poison].concat()[..11]);
    }

    #[test]
    fn every_value_is_dropped_once() {
        let value = Arc::new(());
        let mut pool = Pool::new(3);
        let key = pool.insert(value.clone()).unwrap();
        pool.insert(value.clone()).unwrap();
        drop(pool.remove(key));
        assert_eq!(Arc::strong_count(&value), 2);
        drop(pool);
        assert_eq!(Arc::strong_count(&value), 1);
    }

    #[test]
    fn a_bigger_pool_keeps_every_slot_and_the_order_of_age() {
        let mut pool = Pool::new(3);
        let keys = [1, 2, 3].map(|n| pool.insert(n).unwrap());
        pool.remove(keys[0]);
        pool.insert(4).unwrap();
        assert!(pool.move_into(&mut Pool::new(6), |_, _| panic!("none has to move")));
        assert_eq!((values(&pool), pool.capacity()), (vec![2, 3, 4], 6));
        assert_eq!(pool.get(keys[1]), Some(&2));
        for n in 5..8 {
            pool.insert(n).unwrap();
        }
        assert_eq!(values(&pool), [2, 3, 4, 5, 6, 7]);
        assert!(pool.is_full());
    }

    #[test]
    fn a_smaller_pool_keeps_the_order_of_age_and_says_who_moved() {
        let mut pool = Pool::new(5);
        let keys = [1, 2, 3, 4, 5].map(|n| pool.insert(n).unwrap());
        pool.remove(keys[1]);
        let mut small = Pool::new(3);
        assert!(!pool.move_into(&mut small, |_, _| ()), "four do not fit into three");
        pool.remove(keys[3]);
        let mut moved = vec![];
        assert!(pool.move_into(&mut small, |value, slot| moved.push((*value, slot))));
        assert_eq!((values(&pool), moved), (vec![1, 3, 5], vec![(5, 1)]));
        assert_eq!((small.capacity(), small.len()), (5, 0));
        assert_eq!(pool.insert(6), Err(6));
    }

    #[test]
    fn a_pool_agrees_with_a_list_under_random_use() {
        let (mut pool, mut list) = (nearly_wrapped(7), Vec::<(Key, u32)>::new());
        let mut random = 1u32;
        for n in 0..if cfg!(miri) { 500 } else { 20_000u32 } {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let pick = (random >> 16) as usize;
            match pick % 4 {
                0 | 1 => match pool.insert(n) {
                    Ok(key) => list.push((key, n)),
                    Err(_) => assert_eq!(list.len(), pool.capacity()),
                },
                2 if !list.is_empty() => {
                    let (key, value) = list.remove(pick % list.len());
                    assert_eq!((pool.remove(key), pool.remove(key)), (Some(value), None));
                }
                _ if n % 16 == 0 => {
                    let mut other = Pool::new(list.len() + pick % 5);
                    assert!(pool.move_into(&mut other, |value, slot| {
                        let (key, _) = list.iter_mut().find(|(_, v)| v == value).unwrap();
                        key.slot = slot;
                    }));
                    for (key, _) in &mut list {
                        key.generation = pool.key_at(key.slot).unwrap().generation;
                    }
                }
                _ => pool.retain(|value| {
                    let keep = (*value).wrapping_add(n) % 5 != 0;
                    list.retain(|(_, v)| keep || v != value);
                    keep
                }),
            }
            assert!(pool.iter().map(|(key, value)| (key, *value)).eq(list.iter().copied()));
            assert_eq!(pool.len(), list.len());
        }
    }
}
