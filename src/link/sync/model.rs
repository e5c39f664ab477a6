//! What stands for crossbeam's types under `loom`, which cannot look into them.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use loom::cell::UnsafeCell;

/// What is swapped at one stroke, and seen with all that was done to it before.
pub(crate) struct AtomicCell<T>(loom::sync::Mutex<T>);

impl<T> AtomicCell<T> {
    pub fn new(value: T) -> AtomicCell<T> {
        AtomicCell(loom::sync::Mutex::new(value))
    }

    pub fn swap(&self, value: T) -> T {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *held, value)
    }

    pub fn store(&self, value: T) {
        drop(self.swap(value));
    }

    pub fn load(&self) -> T
    where
        T: Copy,
    {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn take(&self) -> T
    where
        T: Default,
    {
        self.swap(T::default())
    }
}

impl<T: Default> Default for AtomicCell<T> {
    fn default() -> AtomicCell<T> {
        AtomicCell::new(T::default())
    }
}

/// A channel that leaves it to its users to keep out of each other's way: a ring of places without any
/// synchronisation of its own. Whoever touches a place must know by other means that the other side has
/// done with it: that is what a lane's gate promises. If it does not know, the model fails.
struct Ring<T> {
    places: Box<[Place<T>]>,
    sent: AtomicUsize,
    received: AtomicUsize,
}

/// `loom` watches the cell. The lock is none of its: it is never contended, because a model's threads take
/// turns, and none gives its turn up in here; so it orders nothing.
struct Place<T>(Mutex<(UnsafeCell<()>, Option<T>)>);

impl<T> Place<T> {
    fn touch<R>(&self, use_it: impl FnOnce(&mut Option<T>) -> R) -> R {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.0.with_mut(|_| ());
        use_it(&mut held.1)
    }
}

impl<T> Ring<T> {
    fn place(&self, number: usize) -> &Place<T> {
        &self.places[number % self.places.len()]
    }
}

pub(crate) struct Sender<T>(Arc<Ring<T>>);
pub(crate) struct Receiver<T>(Arc<Ring<T>>);

/// What found no place comes back.
pub(crate) struct Refused<T>(T);

impl<T> Refused<T> {
    pub fn into_inner(self) -> T {
        self.0
    }
}

/// The place was empty.
pub(crate) struct Empty;

pub(crate) fn bounded<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let place = |_| Place(Mutex::new((UnsafeCell::new(()), None)));
    let places = (0..capacity).map(place).collect();
    let (sent, received) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let ring = Arc::new(Ring { places, sent, received });
    (Sender(ring.clone()), Receiver(ring))
}

impl<T> Sender<T> {
    pub fn try_send(&self, message: T) -> Result<(), Refused<T>> {
        let place = self.0.place(self.0.sent.load(Relaxed));
        place.touch(|held| match held {
            Some(_) => Err(Refused(message)),
            None => {
                *held = Some(message);
                self.0.sent.fetch_add(1, Relaxed);
                Ok(())
            }
        })
    }
}

impl<T> Receiver<T> {
    pub fn try_recv(&self) -> Result<T, Empty> {
        let message =
            self.0.place(self.0.received.load(Relaxed)).touch(Option::take).ok_or(Empty)?;
        self.0.received.fetch_add(1, Relaxed);
        Ok(message)
    }
}
