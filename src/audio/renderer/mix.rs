//! Mixing: every voice is added to the mix, oldest first.

use super::Renderer;
use super::batch::Batch;
use super::shaped::Stretch;
use super::tails::Tails;
use crate::audio::bus::BusSet;
use crate::audio::bus::submix::Submixes;
use crate::audio::kernel::Mix;
use crate::audio::plays::Placement;
use crate::bus::BusId;
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

/// Where a stretch goes: into the mix from `offset` on, and into submixes `done` frames after their pass
/// began.
struct Out<'a> {
    mix: Mix<'a>,
    offset: usize,
    done: usize,
    frames: usize,
}

impl Out<'_> {
    fn part(&mut self) -> Mix<'_> {
        self.mix.part(self.offset, self.frames)
    }

    #[inline]
    fn to<'a>(&'a mut self, submix: Option<BusId>, submixes: &'a mut Submixes) -> Mix<'a> {
        match submix {
            None => self.part(),
            Some(bus) => submixes.mix(bus, self.done, self.frames),
        }
    }
}

impl Renderer {
    /// Mixes a stretch in which nobody begins, `done` frames into a pass that is at `at` in the mix.
    pub(super) fn mix(&mut self, at: usize, done: usize, frames: usize) {
        self.show_counts();
        let Renderer { plays, buses, submixes, setup, scratch, begun_on, .. } = self;
        let mix = Mix { left: &mut self.left, right: &mut self.right };
        let mut out = Out { mix, offset: at + done, done, frames };
        scratch.ended.count = 0;
        *begun_on = BusSet::default();
        let kernels = &setup.kernels;
        let mut batch = Batch::new();
        let mut walk = plays.voices.pool().walk();
        while let Some(slot) = walk.next(plays.voices.pool()) {
            let Some(voice) = plays.voices.at_mut(slot) else { break };
            let bus = voice.bus;
            let submix = buses.submix(bus);
            // Voices of different submixes are gathered apart.
            let batch =
                submix.and_then(|bus| scratch.batches.get_mut(bus.index())).unwrap_or(&mut batch);
            if voice.shaper.is_some() {
                batch.flush(out.to(submix, submixes), plays.voices.pool(), kernels);
                let Some((voice, shaper)) = plays.voices.shaped_mut(slot) else { continue };
                let mut stretch =
                    Stretch { now: self.now, done, buses, submixes, rooms: &mut self.rooms, setup };
                let (part, work) = (out.part(), &mut scratch.work);
                if let Some(end) = stretch.mix(voice, shaper, part, work, &mut scratch.curves) {
                    scratch.ended.add(Placement::Playing(slot), end);
                } else if voice.has_begun() {
                    begun_on.add(bus);
                }
                continue;
            }
            let way = buses.way(bus);
            if let Some(run) = voice.pass(frames as u32, &way, kernels, batch.slope()) {
                begun_on.add(bus);
                if !batch.add(slot, run) {
                    batch.flush(out.to(submix, submixes), plays.voices.pool(), kernels);
                }
                continue;
            }
            if voice.stands_still(&way) {
                // Nothing of it comes into its submix, whose effect may rest.
                if voice.is_stopping() {
                    scratch.ended.add(Placement::Playing(slot), (0, End::Stopped));
                } else if voice.has_begun() {
                    begun_on.add(bus);
                }
                continue;
            }
            batch.flush(out.to(submix, submixes), plays.voices.pool(), kernels);
            let Some(voice) = plays.voices.at_mut(slot) else { break };
            if let Some(end) =
                voice.render(out.to(submix, submixes), &way, setup, &mut scratch.curves)
            {
                scratch.ended.add(Placement::Playing(slot), end);
            } else if voice.has_begun() {
                begun_on.add(bus);
            }
        }
        batch.flush(out.part(), plays.voices.pool(), kernels);
        for bus in submixes.active().iter() {
            if let Some(batch) = scratch.batches.get_mut(bus.index()).filter(|it| !it.is_empty()) {
                batch.flush(submixes.mix(bus, done, frames), plays.voices.pool(), kernels);
            }
        }
        plays.parked.ends_within(frames as u32, buses, |slot, after| {
            scratch.ended.add(Placement::Parked(slot), (after, End::Finished));
        });
        self.tail.play(out.part());
        submixes.play_tails(done, frames);
        self.rooms.play_tails(done, frames);
        buses.advance(frames as u32);
        self.ring_out(frames);
        self.now += frames as u64;
        self.report_ended(frames);
        self.follow_on();
    }

    /// Leaves what the filters of the voices that ended in this stretch still say to the coming ones.
    fn ring_out(&mut self, frames: usize) {
        let Renderer { plays, buses, submixes, rooms, tail, setup, scratch, .. } = self;
        let now = self.now + frames as u64;
        let mut tails = Tails { submixes, rooms, tail };
        let ended = scratch.ended.ended.get(..scratch.ended.count).unwrap_or_default();
        for EndedVoice { placement, after, .. } in ended {
            let Placement::Playing(slot) = placement else { continue };
            if let Some(voice) = plays.voices.pool().at(*slot)
                && let Some(shaper) = plays.voices.shaper(voice)
            {
                let (ago, remains) = (frames as u32 - after, &mut scratch.remains);
                if remains.draw_ringing(voice, shaper, ago, now, buses, setup) {
                    tails.leave(remains);
                }
            }
        }
    }

    /// Ends the plays that came to their end in this stretch, which is over, quantum by quantum: the order in
    /// which they would have ended had each quantum been mixed alone.
    fn report_ended(&mut self, frames: usize) {
        let ended = self.scratch.ended.count;
        if ended == 0 {
            return;
        }
        let begin = self.now - frames as u64;
        for quantum in 0..frames.div_ceil(QUANTUM) {
            for index in 0..ended {
                let Some(&EndedVoice { placement, after, why }) =
                    self.scratch.ended.ended.get(index)
                else {
                    break;
                };
                if after.saturating_sub(1) as usize / QUANTUM == quantum {
                    self.end_on(placement, begin + u64::from(after), why);
                }
            }
        }
    }
}
