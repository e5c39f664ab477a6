//! What waits until the audio side is done with the one before it.

use super::ducks::Ducks;
use crate::bus::BusId;
use crate::effect::Effect;
use crate::link::message::PlainCommand;
use crate::reverb::{Reverb, RoomId};

/// The latest wish for each room and for the effect of each bus. Of each one is under way at a time, and
/// only the latest of the others is kept; so it takes no more than this, however often they are changed. And
/// the ducks, which wait for room in the queue alone.
pub(super) struct Wishes {
    pub ducks: Ducks,
    rooms: [RoomWish; RoomId::COUNT],
    effects: [EffectWish; BusId::COUNT],
    /// Whether any of these may wait.
    wait: bool,
}

#[derive(Clone, Copy)]
struct RoomWish {
    is_made: bool,
    is_under_way: bool,
    wish: Option<(Reverb, u32)>,
}

struct EffectWish {
    is_there: bool,
    is_under_way: bool,
    /// `None` within: that there be none any more.
    wish: Option<Option<Box<dyn Effect>>>,
}

/// What can be sent now.
pub(super) enum Due {
    Duck(PlainCommand),
    Room { room: RoomId, reverb: Reverb, over: u32 },
    Effect { bus: BusId, effect: Option<Box<dyn Effect>> },
}

impl Wishes {
    pub fn new() -> Wishes {
        let room = RoomWish { is_made: false, is_under_way: false, wish: None };
        Wishes {
            ducks: Ducks::new(),
            rooms: [room; RoomId::COUNT],
            effects: [const { EffectWish { is_there: false, is_under_way: false, wish: None } };
                BusId::COUNT],
            wait: false,
        }
    }

    /// Whether anything may wait.
    pub fn wait(&self) -> bool {
        self.wait
    }

    /// Says that one of the ducks may wait.
    pub fn ducks_wait(&mut self) {
        self.wait = true;
    }

    pub fn room(&mut self, room: RoomId, reverb: Reverb, over: u32) {
        self.rooms[room.index()].wish = Some((reverb, over));
        self.wait = true;
    }

    /// Gives back the effect that will never cross, because another is wished for in its place.
    pub fn effect(
        &mut self,
        bus: BusId,
        effect: Option<Box<dyn Effect>>,
    ) -> Option<Box<dyn Effect>> {
        let slot = &mut self.effects[bus.index()];
        let is_needed = effect.is_some() || slot.is_there;
        self.wait |= is_needed;
        // Where there is none, none need be taken away.
        std::mem::replace(&mut slot.wish, is_needed.then_some(effect)).flatten()
    }

    /// Takes out the next that can be sent now: it is under way from then on.
    pub fn next_due(&mut self) -> Option<Due> {
        if let Some(command) = self.ducks.next() {
            return Some(Due::Duck(command));
        }
        for (room, slot) in RoomId::all().zip(&mut self.rooms) {
            if !slot.is_under_way
                && let Some((reverb, over)) = slot.wish.take()
            {
                // The first takes nobody's place, so that nothing comes home for it.
                slot.is_under_way = slot.is_made;
                slot.is_made = true;
                return Some(Due::Room { room, reverb, over });
            }
        }
        for (bus, slot) in BusId::all().zip(&mut self.effects) {
            if !slot.is_under_way
                && let Some(effect) = slot.wish.take()
            {
                (slot.is_under_way, slot.is_there) = (true, effect.is_some());
                return Some(Due::Effect { bus, effect });
            }
        }
        let rooms = self.rooms.iter().any(|slot| slot.wish.is_some());
        self.wait = rooms || self.effects.iter().any(|slot| slot.wish.is_some());
        None
    }

    /// The room before it has come home.
    pub fn room_changed(&mut self, room: RoomId) {
        self.rooms[room.index()].is_under_way = false;
    }

    /// The effect before it has come home.
    pub fn effect_changed(&mut self, bus: BusId) {
        self.effects[bus.index()].is_under_way = false;
    }

    /// The effect was taken out.
    pub fn effect_failed(&mut self, bus: BusId) {
        let slot = &mut self.effects[bus.index()];
        // While another is under way, it may be the one before it that failed.
        slot.is_there &= slot.is_under_way;
    }

    /// Forgets what waits, since there is nobody to tell. Gives back one of the effects; none is left when
    /// there is none.
    pub fn give_up(&mut self) -> Option<Box<dyn Effect>> {
        self.ducks.give_up();
        self.rooms.iter_mut().for_each(|slot| slot.wish = None);
        let effect = self.effects.iter_mut().find_map(|slot| slot.wish.take().flatten());
        self.wait = effect.is_some();
        effect
    }
}
