//! The object pool beside a map that forgets nothing: whatever is done to both, they hold the same.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::HashMap;
use std::rc::Rc;

use proptest::prelude::*;
use voicepool::Pool;
use voicepool::pool::Key;

#[derive(Clone, Debug)]
enum Step {
    Insert,
    /// Of all keys there ever were, this one: most of them are stale.
    Remove(prop::sample::Index),
    Change(prop::sample::Index),
    /// Removes those of which the number, divided by the first, leaves the second.
    Retain(u32, u32),
    Clear,
}

fn step() -> impl Strategy<Value = Step> {
    let any = any::<prop::sample::Index>;
    prop_oneof![
        8 => Just(Step::Insert),
        4 => any().prop_map(Step::Remove),
        4 => any().prop_map(Step::Change),
        1 => (1..5u32, 0..5u32).prop_map(|(by, rest)| Step::Retain(by, rest)),
        1 => Just(Step::Clear),
    ]
}

/// A value that is counted for as long as it lives.
type Counted = (u32, Rc<()>);

/// What the map knows: of each key its value, and which keys are live, oldest first.
#[derive(Default)]
struct Map {
    values: HashMap<Key, u32>,
    live: Vec<Key>,
    /// All keys there ever were.
    keys: Vec<Key>,
}

impl Map {
    fn remove(&mut self, key: Key) -> Option<u32> {
        self.live.retain(|it| *it != key);
        self.values.remove(&key)
    }
}

fn agree(
    pool: &Pool<Counted>,
    map: &Map,
    capacity: usize,
    alive: &Rc<()>,
) -> Result<(), TestCaseError> {
    let live: Vec<(Key, u32)> = pool.iter().map(|(key, value)| (key, value.0)).collect();
    let expected: Vec<(Key, u32)> = map.live.iter().map(|key| (*key, map.values[key])).collect();
    prop_assert_eq!(live, expected);
    prop_assert_eq!((pool.len(), pool.capacity()), (map.live.len(), capacity));
    prop_assert_eq!(
        (pool.is_empty(), pool.is_full()),
        (map.live.is_empty(), map.live.len() == capacity)
    );
    for key in &map.keys {
        prop_assert_eq!(pool.get(*key).map(|value| value.0), map.values.get(key).copied());
        prop_assert_eq!(pool.contains(*key), map.values.contains_key(key));
    }
    prop_assert_eq!(
        Rc::strong_count(alive),
        1 + map.live.len(),
        "values are dropped once, and in time"
    );
    Ok(())
}

fn compare(capacity: usize, steps: Vec<Step>) -> Result<(), TestCaseError> {
    let (mut pool, mut map, alive) = (Pool::new(capacity), Map::default(), Rc::new(()));
    for (number, step) in (0..).zip(steps) {
        match step {
            Step::Insert => match pool.insert((number, alive.clone())) {
                Ok(key) => {
                    prop_assert!(key.slot() < capacity);
                    prop_assert!(!map.keys.contains(&key), "no key is given out twice");
                    map.values.insert(key, number);
                    map.live.push(key);
                    map.keys.push(key);
                }
                Err((refused, _)) => {
                    prop_assert_eq!((refused, map.live.len()), (number, capacity));
                }
            },
            Step::Remove(index) if !map.keys.is_empty() => {
                let key = *index.get(&map.keys);
                prop_assert_eq!(pool.remove(key).map(|value| value.0), map.remove(key));
            }
            Step::Change(index) if !map.keys.is_empty() => {
                let key = *index.get(&map.keys);
                let (ours, theirs) = (pool.get_mut(key), map.values.get_mut(&key));
                prop_assert_eq!(ours.is_some(), theirs.is_some());
                ours.into_iter().for_each(|value| value.0 += 1000);
                theirs.into_iter().for_each(|value| *value += 1000);
            }
            Step::Remove(_) | Step::Change(_) => (),
            Step::Retain(by, rest) => {
                pool.retain(|value| value.0 % by != rest);
                for key in map.live.clone() {
                    if map.values[&key] % by == rest {
                        map.remove(key);
                    }
                }
            }
            Step::Clear => {
                pool.clear();
                map.live.clear();
                map.values.clear();
            }
        }
        agree(&pool, &map, capacity, &alive)?;
    }
    drop(pool);
    prop_assert_eq!(Rc::strong_count(&alive), 1);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn a_pool_holds_what_a_map_holds(capacity in 0..9usize, steps in prop::collection::vec(step(), 0..120)) {
        compare(capacity, steps)?;
    }
}
