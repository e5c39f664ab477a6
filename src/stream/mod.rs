//! The decoding thread: reads streams ahead for the voices that play them. It may block on a disk, and on
//! whatever else a game reads from. In the browser, where there are no threads, the page does it in slices.

#[cfg(not(target_arch = "wasm32"))]
mod crew;
mod filters;
mod job;
mod producer;
#[cfg(any(test, target_arch = "wasm32"))]
mod slices;
mod tape;

use std::sync::Arc;

#[cfg(any(test, target_arch = "wasm32"))]
pub(crate) use slices::Slices;

use crate::link::feed::{Block, Feed, Feeder, HEAD_BLOCKS, Turns};
use crate::sound::{Sound, Stream};
use filters::Filters;
use job::Job;
use producer::{Cut, Producer};

/// Who decodes the streams of a mixer: a thread of its own where there are threads.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn feeder() -> impl Feeder + 'static {
    crew::Crew::new()
}

/// Who decodes the streams of a mixer: whoever waits for them, since there are no threads.
#[cfg(target_arch = "wasm32")]
pub(crate) fn feeder() -> impl Feeder + 'static {
    Slices::new()
}

/// What stands for one play of a stream, and what is to be done for it.
fn begin(stream: &Stream, rate: u32, filters: &Filters) -> (Sound, Job) {
    let producer = Producer::new(stream.clone(), rate, filters);
    let clip = producer.longest_clip();
    let feed = Arc::new(Feed::new(head(stream, rate, filters), clip, rate));
    (producer.sound(feed.clone()), Job::new(feed, producer))
}

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
