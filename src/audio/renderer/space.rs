//! Where things are, line by line.

use super::Renderer;
use crate::audio::plays::Placement;
use crate::link::message::{End, Move, Park};

impl Renderer {
    /// A play has moved, or something has come between it and the ear.
    pub(super) fn move_play(&mut self, ticket: u32, to: Move) {
        let (now, setup) = (self.now, &self.setup);
        match (self.plays.find(ticket), to) {
            (Placement::Playing(slot), Move::Position { to, jump }) => {
                if let Some(voice) = self.plays.voices.at_mut(slot)
                    && voice.move_to(to, jump, now, setup)
                {
                    self.space.note_moved();
                }
            }
            (Placement::Parked(slot), Move::Position { to, .. }) => {
                self.plays.parked.move_to(slot, to, now, &self.space, setup);
            }
            (Placement::Arriving(slot), Move::Position { to, .. }) => {
                let voice = self.plays.arrival_mut(slot);
                voice.into_iter().for_each(|voice| _ = voice.move_to(to, true, now, setup));
            }
            (Placement::Waiting(slot), Move::Position { to, .. }) => {
                let extra = self.plays.waiting_mut(slot).and_then(|it| it.extra.as_mut());
                let placed = extra.and_then(|extra| extra.placed.as_mut());
                placed.into_iter().for_each(|placed| placed.position = to);
            }
            (Placement::Playing(slot), Move::Occlusion { to, over }) => {
                self.plays.voices.occlude(slot, to, over, setup);
                self.plays.voices.rank(slot, setup);
            }
            (Placement::Parked(slot), Move::Occlusion { to, .. }) => {
                self.plays.parked.change(slot, &self.buses, setup, |voice| {
                    voice.shape.occlusion = to;
                });
            }
            (Placement::Arriving(slot), Move::Occlusion { to, .. }) => {
                let voice = self.plays.arrival_mut(slot);
                voice.into_iter().for_each(|voice| voice.shape.occlusion = to);
            }
            (Placement::Waiting(slot), Move::Occlusion { to, .. }) => {
                let request = self.plays.waiting_mut(slot);
                request.into_iter().for_each(|request| request.shape.occlusion = to);
            }
            (Placement::Nowhere, _) => (),
        }
    }

    /// Once the commands of a line are known: all voices with a place go to where they are heard from now, and
    /// those park that have left earshot.
    pub(super) fn follow_space(&mut self) {
        if !self.space.is_awake(self.plays.parked.has_room()) {
            return;
        }
        let all = self.space.listener_moved();
        if all {
            self.plays.parked.listen(&self.space);
        }
        let mut turned = false;
        (self.space.is_bending, self.space.is_leaving) = (false, false);
        self.space.is_stranded = false;
        let mut walk = self.plays.voices.pool().walk();
        while self.plays.voices.any_placed()
            && let Some(slot) = walk.next(self.plays.voices.pool())
        {
            let Some(voice) = self.plays.voices.at_mut(slot) else { break };
            if !voice.is_placed() {
                continue;
            }
            let way = self.buses.way(voice.bus);
            if voice.take_moved() || all {
                turned |= voice.follow_place(&self.space, &way);
            }
            let bent = voice.follow_motion(self.now, &self.space, &way, &self.setup);
            self.space.is_bending |= bent;
            if voice.has_left_earshot() {
                self.leave_earshot(slot);
            } else if voice.leaves_earshot() {
                self.space.is_leaving = true;
            }
        }
        self.plays.voices.note_moved();
        self.space.settled(turned);
    }

    /// Parks a voice of which nothing is heard where it is. While there is no room, it stays, and leaves when
    /// there is.
    fn leave_earshot(&mut self, slot: u32) {
        let Some(voice) = self.plays.voices.pool().at(slot) else { return };
        let is_stopping = voice.is_stopping();
        if !is_stopping && !self.plays.parked.has_room() {
            self.space.is_stranded = true;
            return;
        }
        if voice.shaper.is_some() {
            // What its filters still say is heard from where it was.
            self.leave_tail(slot);
        }
        if is_stopping {
            return self.end_at(Placement::Playing(slot), End::Stopped);
        }
        if let Some(voice) = self.plays.voices.take(slot) {
            self.park(voice, Park::LeftEarshot, End::Stopped);
        }
    }
}
