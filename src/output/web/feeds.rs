//! The streams that play, on either side.

use std::sync::Arc;

use crate::link::feed::{Block, Feed, Order, Turns};
use crate::link::wire::{Bytes, Wire, wire_struct};
use crate::sound::{Samples, Sound};

wire_struct!(Order { epoch, first, index, turns });
wire_struct!(Turns { looping, wrapped, last_round });

/// The streams that play, by the numbers of the sounds that stand for them. There are few.
#[derive(Default)]
pub(super) struct Feeds(Vec<(u64, Sound)>);

impl Feeds {
    pub fn add(&mut self, number: u64, sound: Sound) {
        self.0.push((number, sound));
    }

    /// One of them is over.
    pub fn remove(&mut self, sound: &Sound) {
        self.0.retain(|(_, other)| other.number() != sound.number());
    }

    pub fn get(&self, number: u64) -> Option<&Feed> {
        self.0.iter().find(|(it, _)| *it == number).and_then(|(_, sound)| sound.feed())
    }

    pub fn iter(&self) -> impl Iterator<Item = (u64, &Feed)> {
        self.0.iter().filter_map(|(number, sound)| Some((*number, sound.feed()?)))
    }
}

/// Lets whoever decodes have a block back that has crossed: it only counts them, and the samples are elsewhere.
pub(super) fn send_back(feed: &Feed, mut block: Box<Block>) {
    block.samples = Samples::Mono32(Arc::from([]));
    // There is room: no more of them are under way than it has places.
    let _ = feed.spent.send(block);
}

/// Hands an order on to whoever decodes. The latest counts, so that an earlier one makes room for it.
pub(super) fn give_order(feed: &Feed, order: Option<Order>) {
    if let Err(order) = feed.orders.send(order) {
        feed.orders.receive();
        let _ = feed.orders.send(order);
    }
}
