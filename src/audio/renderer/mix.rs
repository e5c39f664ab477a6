//! Mixing: every voice is added to the mix, oldest first.

use super::Renderer;
use super::batch::Batch;
use crate::audio::bus::BusSet;
use crate::audio::kernel::Mix;
use crate::audio::plays::Placement;
use crate::link::message::{End, QUANTUM};

/// The plays that ended in one pass: room for all there can be.
pub(super) struct EndedVoices {
    ended: Box<[EndedVoice]>,
    count: usize,
}

#[derive(Clone, Copy)]
struct EndedVoice {
    placement: Placement,
    /// After how many frames of the pass.
    after: u32,
    why: End,
}

const NOBODY: EndedVoice =
    EndedVoice { placement: Placement::Nowhere, after: 0, why: End::Finished };

impl EndedVoices {
    pub fn new(most: usize) -> EndedVoices {
        EndedVoices { ended: vec![NOBODY; most].into_boxed_slice(), count: 0 }
    }

    fn add(&mut self, placement: Placement, (after, why): (u32, End)) {
        if let Some(place) = self.ended.get_mut(self.count) {
            *place = EndedVoice { placement, after, why };
            self.count += 1;
        }
    }
}

impl Renderer {
    /// Mixes a stretch in which nobody begins.
    pub(super) fn mix(&mut self, offset: usize, frames: usize) {
        let Renderer { plays, buses, setup, scratch, begun_on, .. } = self;
        let mut mix = Mix { left: &mut self.left, right: &mut self.right };
        scratch.ended.count = 0;
        *begun_on = BusSet::default();
        let kernels = &setup.kernels;
        let mut batch = Batch::new();
        let mut walk = plays.voices.pool().walk();
        while let Some(slot) = walk.next(plays.voices.pool()) {
            let Some(voice) = plays.voices.at_mut(slot) else { break };
            let way = buses.way(voice.bus);
            if let Some(run) = voice.pass(frames as u32, &way, kernels, batch.slope()) {
                begun_on.add(voice.bus);
                if !batch.add(slot, run) {
                    batch.flush(mix.part(offset, frames), plays.voices.pool(), kernels);
                }
                continue;
            }
            batch.flush(mix.part(offset, frames), plays.voices.pool(), kernels);
            let Some(voice) = plays.voices.at_mut(slot) else { break };
            let part = mix.part(offset, frames);
            if let Some(end) = voice.render(part, &way, setup, &mut scratch.curves) {
                scratch.ended.add(Placement::Playing(slot), end);
            } else if voice.has_begun() {
                begun_on.add(voice.bus);
            }
        }
        batch.flush(mix.part(offset, frames), plays.voices.pool(), kernels);
        plays.parked.ends_within(frames as u32, buses, |slot, after| {
            scratch.ended.add(Placement::Parked(slot), (after, End::Finished));
        });
        self.tail.play(mix.part(offset, frames));
        buses.advance(frames as u32);
        self.report_ended(frames);
    }

    /// Ends the plays that came to their end in this stretch, quantum by quantum: the order in which
    /// they would have ended had each quantum been mixed alone.
    fn report_ended(&mut self, frames: usize) {
        let ended = self.scratch.ended.count;
        if ended == 0 {
            return;
        }
        for quantum in 0..frames.div_ceil(QUANTUM) {
            for index in 0..ended {
                let Some(&EndedVoice { placement, after, why }) =
                    self.scratch.ended.ended.get(index)
                else {
                    break;
                };
                if after.saturating_sub(1) as usize / QUANTUM == quantum
                    && let Some((ticket, sound)) = self.plays.take(placement)
                {
                    self.end(ticket, sound, self.now + u64::from(after), why);
                }
            }
        }
    }
}
