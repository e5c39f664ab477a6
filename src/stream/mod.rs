//! The decoding thread: reads streams ahead for the voices that play them. It may block on a disk, and on
//! whatever else a game reads from.

mod crew;
mod filters;
mod job;
mod producer;
mod tape;

use std::sync::Arc;

pub(crate) use crew::Crew;

use crate::link::feed::{Block, HEAD_BLOCKS, Turns};
use crate::sound::Stream;
use filters::Filters;
use producer::{Cut, Producer};

/// The blocks at the beginning of a stream that a mixer of some rate hears at once, from what the stream keeps
/// of it: worked out when it is first played there.
fn head(stream: &Stream, rate: u32, filters: &Filters) -> Arc<[Block]> {
    stream.head(rate, || {
        let mut producer = Producer::resident(stream.clone(), rate, filters);
        let mut blocks = Vec::new();
        let mut first = 0;
        for _ in 0..HEAD_BLOCKS {
            let mut block = producer.empty_block();
            let mut cut = Cut { first, turns: Turns::new(0, None) };
            if producer.fill(&mut block, &mut cut).is_err() || block.len == 0 {
                break;
            }
            first += block.len;
            blocks.push(block);
        }
        blocks.into()
    })
}
