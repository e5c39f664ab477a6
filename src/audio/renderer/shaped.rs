//! Voices with filters of their own, or with something to send: each is mixed by itself first.

use crate::audio::bus::Buses;
use crate::audio::bus::rooms::Rooms;
use crate::audio::bus::submix::Submixes;
use crate::audio::kernel::Mix;
use crate::audio::voice::gains::GainCurves;
use crate::audio::voice::ramp::Ramp;
use crate::audio::voice::shaper::Shaper;
use crate::audio::voice::{Setup, Voice};
use crate::link::message::End;
use crate::reverb::RoomId;

/// Where such a voice goes, for a stretch that begins on the frame `now`, `done` frames into the pass.
pub(super) struct Stretch<'a> {
    pub now: u64,
    pub done: usize,
    pub buses: &'a Buses,
    pub submixes: &'a mut Submixes,
    pub rooms: &'a mut Rooms,
    pub setup: &'a Setup,
}

/// Room to work in: one voice, and the gains that it is added with.
pub(super) struct Work {
    left: Box<[f32]>,
    right: Box<[f32]>,
    gains: Box<[f32]>,
}

impl Work {
    pub fn new(frames: usize) -> Work {
        let [left, right, gains] = [(); 3].map(|()| vec![0.0; frames].into_boxed_slice());
        Work { left, right, gains }
    }

    /// Silence of so many frames, and as many gains.
    pub fn clear(&mut self, frames: usize) -> (Mix<'_>, &mut [f32]) {
        let left = self.left.get_mut(..frames).unwrap_or_default();
        let right = self.right.get_mut(..frames).unwrap_or_default();
        let mut mix = Mix { left, right };
        mix.part(0, frames).clear();
        (mix, self.gains.get_mut(..frames).unwrap_or_default())
    }
}

impl Stretch<'_> {
    /// Mixes a voice, filters it, adds it to its submix or else to `out`, and sends it to rooms. Returns
    /// after how many frames it ended, if it did, and why.
    pub fn mix(
        &mut self,
        voice: &mut Voice,
        shaper: &mut Shaper,
        mut out: Mix,
        work: &mut Work,
        curves: &mut GainCurves,
    ) -> Option<(u32, End)> {
        let frames = out.len();
        let (mut own, gains) = work.clear(frames);
        let way = self.buses.pauses(voice.bus);
        let end = voice.render(own.part(0, frames), &way, self.setup, curves);
        shaper.filter(self.now, own.left, own.right);
        if let Some((after, _)) = end {
            // What its filters say from here on is faded out, in the coming stretch too.
            let fade = Ramp::between(1.0, 0.0, self.setup.declick);
            for side in [&mut *own.left, &mut *own.right] {
                fade.apply(side.get_mut(after as usize..).unwrap_or_default());
            }
        }
        for (send, room) in audible(shaper) {
            self.buses.fill_to_master(voice.bus, gains);
            send.apply(gains);
            self.rooms.send(room, self.done, own.left, own.right, gains);
        }
        self.buses.fill_to_submix(voice.bus, gains);
        match self.buses.submix(voice.bus) {
            Some(bus) => self.submixes.mix(bus, self.done, frames).add(own.left, own.right, gains),
            None => out.add(own.left, own.right, gains),
        }
        shaper.advance(frames as u32);
        end
    }
}

/// The sends through which anything goes.
pub(super) fn audible(shaper: &Shaper) -> impl Iterator<Item = (&Ramp, RoomId)> {
    shaper.sends.iter().zip(RoomId::all()).filter(|(send, _)| !send.is_silent())
}
