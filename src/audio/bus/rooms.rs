//! The rooms: what is sent to each rings in it, and returns into the master.

use std::mem;

use super::room::Room;
use super::tail::Tail;
use crate::audio::PASS;
use crate::audio::aligned::Aligned;
use crate::audio::kernel::Mix;
use crate::audio::voice::ramp::Ramp;
use crate::link::message::Made;
use crate::reverb::{Reverb, RoomId};
use crate::units;

/// A room and what is sent to it. Made on the game side, and freed there.
pub(in crate::audio) struct MadeRoom {
    room: Room,
    left: Aligned,
    right: Aligned,
    /// What the stolen have left to send.
    tail: Tail,
}

impl MadeRoom {
    pub fn new(reverb: &Reverb, rate: u32) -> MadeRoom {
        MadeRoom {
            room: Room::new(reverb, rate),
            left: Aligned::new(0.0, PASS),
            right: Aligned::new(0.0, PASS),
            tail: Tail::new(units::declick(rate) as usize),
        }
    }
}

/// One of the rooms, and the one that was there before it while that is faded out.
struct RoomSlot {
    now: Box<MadeRoom>,
    rise: Ramp,
    old: Option<(Box<MadeRoom>, Ramp)>,
    /// Whether anything was sent in this pass.
    fed: bool,
}

pub(in crate::audio) struct Rooms {
    rooms: [Option<RoomSlot>; RoomId::COUNT],
    wet: [Box<[f32]>; 2],
}

impl Rooms {
    pub fn new() -> Rooms {
        Rooms {
            rooms: [const { None }; RoomId::COUNT],
            wet: [(); 2].map(|()| vec![0.0; PASS].into_boxed_slice()),
        }
    }

    /// Puts another room in the place of the one before it, cross-faded; the first is there at once if nothing
    /// is heard that could be sent to it. Gives one back that is not used: what was sent, if it is no room, or
    /// if one is still being faded out.
    pub fn set(&mut self, id: RoomId, made: Made, over: u32, heard: bool) -> Option<Made> {
        let mut made = match made.downcast::<MadeRoom>() {
            Ok(made) => made,
            Err(stranger) => return Some(stranger),
        };
        let Some(place) = self.rooms.get_mut(id.index()) else { return Some(made) };
        match place {
            None => {
                let rise = if heard { Ramp::between(0.0, 1.0, over) } else { Ramp::rest(1.0) };
                *place = Some(RoomSlot { now: made, rise, old: None, fed: false });
                None
            }
            Some(slot) if slot.old.is_some() => Some(made),
            Some(slot) => {
                mem::swap(&mut slot.now.tail, &mut made.tail);
                let old = mem::replace(&mut slot.now, made);
                slot.old = Some((old, Ramp::between(1.0, 0.0, over)));
                slot.rise = Ramp::between(0.0, 1.0, over);
                None
            }
        }
    }

    /// One that has been faded out, to be sent home.
    pub fn take_retired(&mut self) -> Option<(RoomId, Made)> {
        self.rooms.iter_mut().zip(RoomId::all()).find_map(|(slot, id)| {
            let old = &mut slot.as_mut()?.old;
            let (room, _) = old.take_if(|(_, fall)| fall.is_silent())?;
            Some((id, room as Made))
        })
    }

    /// Whether one is being faded in or out, so that the other may be gone on the next line.
    pub fn is_busy(&self) -> bool {
        let fades = |slot: &RoomSlot| slot.old.is_some() || !slot.rise.is_at_rest();
        self.rooms.iter().flatten().any(fades)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rooms.iter().all(Option::is_none)
    }

    /// Whether anything comes out of any of them, or may in this pass.
    pub fn is_awake(&self) -> bool {
        self.rooms.iter().flatten().any(RoomSlot::is_awake)
    }

    /// Whether anything rings in any of them.
    pub fn ring(&self) -> bool {
        self.rooms.iter().flatten().any(RoomSlot::rings)
    }

    /// Empties what the last pass has left.
    pub fn begin(&mut self) {
        for slot in self.rooms.iter_mut().flatten() {
            if mem::take(&mut slot.fed) {
                slot.input(0, PASS).clear();
            }
        }
    }

    /// Whether a room was ever made.
    pub fn has(&self, id: RoomId) -> bool {
        self.rooms.get(id.index()).is_some_and(Option::is_some)
    }

    /// Sends frames to a room, from some frame of the pass on, at these gains.
    pub fn send(&mut self, id: RoomId, from: usize, left: &[f32], right: &[f32], gains: &[f32]) {
        if let Some(slot) = self.get_mut(id) {
            slot.fed = true;
            slot.input(from, left.len()).add(left, right, gains);
        }
    }

    /// Sends frames that come after this stretch.
    pub fn send_tail(&mut self, id: RoomId, left: &[f32], right: &[f32], gains: &[f32]) {
        if let Some(slot) = self.get_mut(id) {
            slot.now.tail.add_at(left, right, gains);
        }
    }

    /// Sends what the stolen have left.
    pub fn play_tails(&mut self, from: usize, frames: usize) {
        for slot in self.rooms.iter_mut().flatten() {
            if !slot.now.tail.is_empty() {
                slot.fed = true;
                let MadeRoom { left, right, tail, .. } = &mut *slot.now;
                let left = left.get_mut(from..from + frames).unwrap_or_default();
                let right = right.get_mut(from..from + frames).unwrap_or_default();
                tail.play(Mix { left, right });
            }
        }
    }

    fn get_mut(&mut self, id: RoomId) -> Option<&mut RoomSlot> {
        self.rooms.get_mut(id.index())?.as_mut()
    }

    /// Adds what all rooms make of what was sent to them in a pass, at these gains. Returns whether
    /// anything was added.
    pub fn finish(&mut self, mut out: Mix, gains: Option<&[f32]>) -> bool {
        let frames = out.len();
        let Rooms { rooms, wet: [left, right] } = self;
        let (left, right) = (left.get_mut(..frames), right.get_mut(..frames));
        let (Some(left), Some(right)) = (left, right) else { return false };
        let mut added = false;
        for slot in rooms.iter_mut().flatten() {
            if !slot.is_awake() {
                slot.advance(frames as u32);
                continue;
            }
            added = true;
            let RoomSlot { now, rise, old, .. } = slot;
            let MadeRoom { room, left: input_left, right: input_right, .. } = &mut **now;
            let [input_left, input_right] =
                [input_left, input_right].map(|side| side.get_mut(..frames).unwrap_or_default());
            let mut play = |room: &mut Room, input: [&[f32]; 2], ramp: Option<&Ramp>| {
                left.fill(0.0);
                right.fill(0.0);
                room.process(input, [&mut *left, &mut *right]);
                for side in [&mut *left, &mut *right] {
                    ramp.into_iter().for_each(|ramp| ramp.apply(side));
                    for (sample, gain) in side.iter_mut().zip(gains.unwrap_or_default()) {
                        *sample *= gain;
                    }
                }
                out.add_all(left, right);
            };
            if let Some((old, fall)) = old {
                play(&mut old.room, [input_left, input_right], Some(fall));
            }
            // What goes into a new room rises, not what comes out: its echoes come when the ramp is over.
            if !rise.is_at_rest() {
                rise.apply(input_left);
                rise.apply(input_right);
            }
            play(room, [input_left, input_right], None);
            slot.advance(frames as u32);
        }
        added
    }
}

impl RoomSlot {
    fn is_awake(&self) -> bool {
        self.fed || self.rings()
    }

    fn rings(&self) -> bool {
        let rings = |made: &MadeRoom| !made.room.is_silent();
        rings(&self.now) || self.old.as_ref().is_some_and(|(old, _)| rings(old))
    }

    fn input(&mut self, from: usize, frames: usize) -> Mix<'_> {
        let MadeRoom { left, right, .. } = &mut *self.now;
        Mix {
            left: left.get_mut(from..from + frames).unwrap_or_default(),
            right: right.get_mut(from..from + frames).unwrap_or_default(),
        }
    }

    fn advance(&mut self, frames: u32) {
        self.rise.advance(frames);
        if let Some((_, fall)) = &mut self.old {
            fall.advance(frames);
        }
    }
}
