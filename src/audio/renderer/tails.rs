//! What a voice leaves behind where it is cut off: it is drawn first, and then left in the tails of the mix, of its
//! submix and of rooms.

use std::mem;

use super::shaped::audible;
use super::{Renderer, Scratch};
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
use crate::link::remains::Remains;
use crate::reverb::RoomId;

/// Where voices are heard until they have faded out.
pub(super) struct Tails<'a> {
    pub submixes: &'a mut Submixes,
    pub rooms: &'a mut Rooms,
    pub tail: &'a mut Tail,
}

impl Tails<'_> {
    /// Leaves what was drawn to be heard.
    pub fn leave(&mut self, remains: &Remains) {
        let Remains { left, right, gains, sends, .. } = remains;
        for (send, room) in sends.iter().zip(RoomId::all()) {
            if let Some(gains) = send.there() {
                self.rooms.send_tail(room, left, right, gains);
            }
        }
        let tail = match remains.submix {
            Some(bus) => self.submixes.tail(bus),
            None => Some(&mut *self.tail),
        };
        tail.into_iter().for_each(|tail| match gains.there() {
            Some(gains) => tail.add_at(left, right, gains),
            None => tail.add(left, right),
        });
    }
}

impl Renderer {
    /// Leaves what remains of a voice in the tails, fading out, if there is anything to hear; of one that
    /// stands still, what its filters still say. If it was told to jump on this very line, that is what it would
    /// have played then.
    pub(super) fn leave_tail(&mut self, slot: u32) {
        let Renderer { plays, buses, submixes, rooms, tail, setup, scratch, now, .. } = self;
        let mut tails = Tails { submixes, rooms, tail };
        let Some(voice) = plays.voices.at_mut(slot) else { return };
        if let Some(remains) = voice.remains_mut()
            && mem::take(&mut remains.drawn_at) == Some(*now)
        {
            return tails.leave(remains);
        }
        let Some(voice) = plays.voices.pool().at(slot) else { return };
        let Scratch { remains, curves, .. } = scratch;
        if remains.draw(voice, plays.voices.shaper(voice), *now, buses, setup, curves) {
            tails.leave(remains);
        }
    }

    /// Draws what a voice would leave behind now, for when it is heard from elsewhere: the first of the line's
    /// commands to make it jump is the one that counts.
    pub(super) fn draw_tail(&mut self, slot: u32) {
        let Renderer { plays, buses, rooms, setup, scratch, now, .. } = self;
        let drawn = plays.voices.at_mut(slot).and_then(Voice::remains_mut);
        let Some(remains) = drawn.filter(|remains| remains.drawn_at != Some(*now)) else { return };
        let mut drawing = mem::take(remains);
        if let Some(voice) = plays.voices.pool().at(slot) {
            let shaper = plays.voices.shaper(voice);
            let is_heard = drawing.draw(voice, shaper, *now, buses, setup, &mut scratch.curves);
            drawing.drawn_at = is_heard.then_some(*now);
            // A room that is made later on this line does not hear it.
            for (send, room) in drawing.sends.iter_mut().zip(RoomId::all()) {
                send.is_there &= rooms.has(room);
            }
            // They are left in the order in which they were drawn: sums of three depend on it.
            plays.streams.move_last(voice.ticket);
        }
        if let Some(remains) = plays.voices.at_mut(slot).and_then(Voice::remains_mut) {
            *remains = drawing;
        }
    }
}

impl Remains {
    /// Draws what a voice would play next, fading out; or, if it stands still, what its filters still say. Returns
    /// whether that is anything.
    fn draw(
        &mut self,
        voice: &Voice,
        shaper: Option<&Shaper>,
        now: u64,
        buses: &Buses,
        setup: &Setup,
        curves: &mut GainCurves,
    ) -> bool {
        let way = buses.way(voice.bus);
        match shaper {
            None if !voice.leaves_tail(&way) => false,
            Some(shaper) if !voice.leaves_tail(&way) => {
                self.draw_ringing(voice, shaper, 0, now, buses, setup)
            }
            Some(shaper) => {
                self.draw_shaped(voice, shaper, now, buses, setup, curves);
                true
            }
            None => {
                voice.fade_out_into(self.clear(), &way, setup, curves);
                self.submix = buses.submix(voice.bus);
                self.gains.is_there = false;
                self.sends.iter_mut().for_each(|send| send.is_there = false);
                true
            }
        }
    }

    fn draw_shaped(
        &mut self,
        voice: &Voice,
        shaper: &Shaper,
        now: u64,
        buses: &Buses,
        setup: &Setup,
        curves: &mut GainCurves,
    ) {
        let declick = setup.declick;
        let gone = voice.run_on_into(self.clear(), &buses.pauses(voice.bus), setup, curves);
        shaper.filter_ahead(now, &mut self.left, &mut self.right);
        // What comes out of the filter fades: it rings on after what goes in. Where that fades by itself,
        // only the last of the ringing does.
        let over = if gone { declick / 4 } else { declick };
        let fade = Ramp::between(1.0, 0.0, over);
        for side in [&mut self.left, &mut self.right] {
            fade.apply(side.get_mut((declick - over) as usize..).unwrap_or_default());
        }
        self.go_on(voice.bus, shaper, buses);
    }

    /// Draws what the filters of a voice still say that ended so many frames ago. Returns whether that is anything.
    pub(super) fn draw_ringing(
        &mut self,
        voice: &Voice,
        shaper: &Shaper,
        ago: u32,
        now: u64,
        buses: &Buses,
        setup: &Setup,
    ) -> bool {
        let mut fade = Ramp::between(1.0, 0.0, setup.declick);
        fade.advance(ago);
        if fade.is_at_rest() || !shaper.rings() {
            return false;
        }
        self.clear();
        shaper.filter_ahead(now, &mut self.left, &mut self.right);
        fade.apply(&mut self.left);
        fade.apply(&mut self.right);
        self.go_on(voice.bus, shaper, buses);
        true
    }

    fn clear(&mut self) -> Mix<'_> {
        let Remains { left, right, .. } = self;
        let frames = left.len();
        let mut mix = Mix { left, right };
        mix.part(0, frames).clear();
        mix
    }

    /// Takes up the gains with which what left a voice's filters goes on.
    fn go_on(&mut self, bus: BusId, shaper: &Shaper, buses: &Buses) {
        self.sends.iter_mut().for_each(|send| send.is_there = false);
        for (send, room) in audible(shaper) {
            if let Some(curve) = self.sends.get_mut(room.index()) {
                buses.fill_to_master(bus, &mut curve.frames);
                send.apply(&mut curve.frames);
                curve.is_there = true;
            }
        }
        buses.fill_to_submix(bus, &mut self.gains.frames);
        self.gains.is_there = true;
        self.submix = buses.submix(bus);
    }
}
