//! One direction between two threads: a bounded channel behind a gate.
//!
//! The channel alone would not do. Its calls are lock-free, yet each spins for as long as the
//! other side sits preempted in the middle of its own: an audio thread has been seen to wait a
//! whole second. So each direction counts what was `published` and what was `collected`, after
//! the call that did it has returned. Nobody sends unless there is a place that was collected,
//! nobody receives unless there is a message that was published. Every place touched is then
//! complete, and no call ever finds a reason to spin.

use std::sync::atomic::Ordering;

use crossbeam_utils::CachePadded;

use super::sync::{AtomicU64, Receiver, Sender, bounded};

/// One direction: one thread at a time sends, one at a time receives.
pub(crate) struct Lane<T> {
    sender: Sender<T>,
    receiver: Receiver<T>,
    capacity: u64,
    sent: CachePadded<Sent>,
    collected: CachePadded<AtomicU64>,
}

/// What the sender counts.
#[derive(Default)]
struct Sent {
    /// Those in the channel, of which the receiver may not know yet. Only the sender reads it.
    placed: AtomicU64,
    /// Those that the receiver may take.
    published: AtomicU64,
}

impl<T> Lane<T> {
    pub fn new(capacity: usize) -> Lane<T> {
        let (sender, receiver) = bounded(capacity);
        Lane {
            sender,
            receiver,
            capacity: capacity as u64,
            sent: CachePadded::default(),
            collected: CachePadded::default(),
        }
    }

    /// How many more can be sent now. For the sender: only the receiver can change it, upwards.
    pub fn room(&self) -> u64 {
        // Acquire, with the Release in `receive`: a place counted as collected is empty by now.
        let under_way = self.placed() - self.collected();
        self.capacity - under_way
    }

    /// How many were ever placed, which is the number of the last one. For the sender.
    pub fn placed(&self) -> u64 {
        self.sent.placed.load(Ordering::Relaxed)
    }

    /// How many of them were received, at the least. For the sender.
    pub fn collected(&self) -> u64 {
        self.collected.load(Ordering::Acquire)
    }

    /// How many wait to be received. For the receiver: only the sender can change it, upwards. Anybody else may ask, too,
    /// and learns how many did a moment ago.
    pub fn waiting(&self) -> u64 {
        let collected = self.collected.load(Ordering::Relaxed);
        // Acquire, with the Release in `publish`: a message counted as published is whole by now.
        self.sent.published.load(Ordering::Acquire).saturating_sub(collected)
    }

    /// Places a message, or gives it back if there is no room. It arrives with the next
    /// [`publish`](Lane::publish), together with all that were placed before that.
    pub fn place(&self, message: T) -> Result<(), T> {
        if self.room() == 0 {
            return Err(message);
        }
        self.sender.try_send(message).map_err(|refused| refused.into_inner())?;
        // One thread at a time sends, so nobody else can have counted in between.
        self.sent.placed.store(self.placed() + 1, Ordering::Relaxed);
        Ok(())
    }

    /// Lets the receiver have all that was placed, at one stroke: it sees all of it or none.
    pub fn publish(&self) {
        self.sent.published.store(self.placed(), Ordering::Release);
    }

    /// Sends one message, or gives it back if there is no room.
    pub fn send(&self, message: T) -> Result<(), T> {
        self.place(message)?;
        self.publish();
        Ok(())
    }

    /// Receives the next one, if there is one.
    #[inline(always)]
    pub fn receive(&self) -> Option<T> {
        if self.waiting() == 0 {
            return None;
        }
        let message = self.receiver.try_recv().ok()?;
        // As in `place`.
        self.collected.store(self.collected.load(Ordering::Relaxed) + 1, Ordering::Release);
        Some(message)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_full_lane_gives_the_message_back() {
        let lane = Lane::new(2);
        assert_eq!((lane.send(1), lane.send(2), lane.send(3)), (Ok(()), Ok(()), Err(3)));
        assert_eq!((lane.receive(), lane.room()), (Some(1), 1));
        assert_eq!((lane.receive(), lane.receive()), (Some(2), None));
        assert_eq!(lane.placed(), 2);
    }

    #[test]
    fn nobody_touches_a_place_that_the_other_side_is_still_busy_with() {
        // As if the sender were preempted between its call and its count, and then the receiver.
        let lane = Lane::new(1);
        lane.sender.try_send(7).unwrap();
        assert_eq!(lane.receive(), None, "not published yet");
        lane.sent.placed.fetch_add(1, Ordering::Relaxed);
        lane.publish();
        assert_eq!(lane.receiver.try_recv(), Ok(7));
        assert_eq!(lane.send(8), Err(8), "not collected yet");
        lane.collected.fetch_add(1, Ordering::Release);
        assert_eq!(lane.send(8), Ok(()));
    }

    #[test]
    fn what_is_placed_arrives_together() {
        let lane = Lane::new(2);
        assert_eq!((lane.place(1), lane.place(2), lane.place(3)), (Ok(()), Ok(()), Err(3)));
        assert_eq!((lane.waiting(), lane.receive()), (0, None));
        lane.publish();
        assert_eq!((lane.waiting(), lane.receive(), lane.receive()), (2, Some(1), Some(2)));
    }

    #[test]
    fn what_is_sent_on_one_thread_arrives_in_order_on_another() {
        let lane = Lane::new(8);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for n in 0..20_000 {
                    while lane.send(n).is_err() {
                        std::thread::yield_now();
                    }
                }
            });
            for n in 0..20_000 {
                let got = loop {
                    match lane.receive() {
                        Some(got) => break got,
                        None => std::thread::yield_now(),
                    }
                };
                assert_eq!(got, n);
            }
        });
    }
}
