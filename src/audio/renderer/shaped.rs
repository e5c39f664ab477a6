//! Voices with filters of their own, or with something to send: each is mixed by itself first.

use crate::audio::bus::Buses;
use crate::audio::bus::rooms::Rooms;
use crate::audio::bus::submix::Submixes;
use crate::audio::bus::tail::Tail;
use crate::audio::kernel::Mix;
use crate::audio::voice::gains::GainCurves;
use crate::audio::voice::ramp::Ramp;
use crate::audio::voice::shaper::Shaper;
use crate::audio::voice::{Setup, Voice};
use crate::bus::BusId;
use crate::link::message::End;
use crate::reverb::RoomId;

/// Where such a voice goes, for a stretch that begins on the frame `now`, `done` frames into the pass.
pub(super) struct Stretch<'a> {
    pub now: u64,
    pub done: usize,
    pub buses: &'a Buses,
    pub submixes: &'a mut Submixes,
    pub rooms: &'a mut Rooms,
    pub tail: &'a mut Tail,
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

    /// Leaves in the tails what the filters of a voice still say that ended so many frames before the
    /// stretch begins.
    pub fn ring_out(&mut self, voice: &Voice, shaper: &Shaper, ago: u32, work: &mut Work) {
        let declick = self.setup.declick;
        let mut fade = Ramp::between(1.0, 0.0, declick);
        fade.advance(ago);
        if fade.is_at_rest() || !shaper.rings() {
            return;
        }
        let (own, gains) = work.clear(declick as usize);
        shaper.filter_ahead(self.now, own.left, own.right);
        fade.apply(own.left);
        fade.apply(own.right);
        self.leave(voice.bus, shaper, own, gains);
    }

    /// Leaves what a voice would have played next in the tails, fading out.
    pub fn leave_tail(
        &mut self,
        voice: &Voice,
        shaper: &Shaper,
        work: &mut Work,
        curves: &mut GainCurves,
    ) {
        let declick = self.setup.declick;
        let (mut own, gains) = work.clear(declick as usize);
        let way = self.buses.pauses(voice.bus);
        let gone = voice.run_on_into(own.part(0, declick as usize), &way, self.setup, curves);
        shaper.filter_ahead(self.now, own.left, own.right);
        // What comes out of the filter fades: it rings on after what goes in. Where that fades by itself,
        // only the last of the ringing does.
        let over = if gone { declick / 4 } else { declick };
        let fade = Ramp::between(1.0, 0.0, over);
        for side in [&mut *own.left, &mut *own.right] {
            fade.apply(side.get_mut((declick - over) as usize..).unwrap_or_default());
        }
        self.leave(voice.bus, shaper, own, gains);
    }

    /// Leaves frames in the tails of the submix, or of the mix, and of the rooms.
    fn leave(&mut self, bus: BusId, shaper: &Shaper, own: Mix, gains: &mut [f32]) {
        let Mix { left, right } = own;
        for (send, room) in audible(shaper) {
            self.buses.fill_to_master(bus, gains);
            send.apply(gains);
            self.rooms.send_tail(room, left, right, gains);
        }
        self.buses.fill_to_submix(bus, gains);
        let tail = match self.buses.submix(bus) {
            Some(bus) => self.submixes.tail(bus),
            None => Some(&mut *self.tail),
        };
        tail.into_iter().for_each(|tail| tail.add_at(left, right, gains));
    }
}

/// The sends through which anything goes.
fn audible(shaper: &Shaper) -> impl Iterator<Item = (&Ramp, RoomId)> {
    shaper.sends.iter().zip(RoomId::all()).filter(|(send, _)| !send.is_silent())
}
