//! What the naive mixer lets be heard of those who have lost their voice: 5 ms, fading out.

use voicepool::{Frame, Interpolation};

use super::bus::{self, Bus};
use super::clip::Clip;
use super::ramp::Ramp;
use super::shaper::Shaper;
use super::stage::Stage;
use super::submix::Sheet;
use super::voice::Voice;

/// Somebody who was robbed or has jumped, through the buses as they were then; or, without a voice, filters
/// that ring on.
#[derive(Clone, Debug)]
pub struct Ghost {
    voice: Option<Voice>,
    bus: usize,
    shaper: Option<Shaper>,
    buses: Vec<Bus>,
    left: u64,
    /// Of what is filtered, how much of its end fades out.
    fades: u64,
}

impl Ghost {
    /// Adds the next of its frames. Whether there is more.
    pub fn frame(
        &mut self,
        clips: &[Clip],
        between: Interpolation,
        sinc: &[[f64; 16]],
        now: u64,
        at: usize,
        sheet: &mut Sheet,
    ) -> bool {
        let gone = |it: &mut Voice| it.is_held(&self.buses) || it.stopping && it.fade.left() == 0;
        self.voice.take_if(gone);
        let mut frame = [0.0; 2];
        if let Some(voice) = &mut self.voice {
            frame = voice.sound(&clips[voice.clip], &self.buses, between, sinc);
            sheet.merged |= voice.boost.to != 1.0;
        }
        if let Some(shaper) = &mut self.shaper {
            let mut fade = Ramp::rest(1.0);
            if self.left <= self.fades {
                fade.head_for(0.0, self.fades);
                (self.left..self.fades).for_each(|_| fade.step());
            }
            faded(shaper, self.bus, &self.buses, now, frame, fade.now(), at, sheet);
        } else if self.voice.is_some() {
            sheet.add(at, bus::submix(&self.buses, self.bus), frame);
        }
        self.voice.take_if(|voice| voice.walk(&clips[voice.clip]));
        self.buses.iter_mut().for_each(Bus::step);
        self.left -= 1;
        self.left > 0
    }
}

/// Plays a frame of a voice through its filters, to where it belongs and into rooms.
pub fn play_shaped(
    shaper: &mut Shaper,
    bus: usize,
    buses: &[Bus],
    now: u64,
    frame: Frame,
    at: usize,
    sheet: &mut Sheet,
) {
    faded(shaper, bus, buses, now, frame, 1.0, at, sheet);
}

#[allow(clippy::too_many_arguments, reason = "all of them are what a frame depends on")]
fn faded(
    shaper: &mut Shaper,
    bus: usize,
    buses: &[Bus],
    now: u64,
    frame: Frame,
    fade: f32,
    at: usize,
    sheet: &mut Sheet,
) {
    let frame = shaper.frame(now, frame).map(|side| side * fade);
    for (room, send) in shaper.sends.iter_mut().enumerate() {
        if !send.is_silent() {
            sheet.send(at, room, frame, send.now() * bus::faders_to_rooms(buses, bus));
        }
        send.step();
    }
    let gain = bus::faders_to_submix(buses, bus);
    sheet.add(at, bus::submix(buses, bus), frame.map(|side| side * gain));
}

impl Stage {
    /// What was heard fades out within 5 ms. If it jumped on this line, that is what was heard when it was told to.
    pub fn leave_ghost(&mut self, at: usize) {
        let drawn = self.playing[at].drawn.take();
        let ghost = drawn.map(|drawn| *drawn).or_else(|| self.draw_ghost(at));
        // What rang in it rings on in the ghost's.
        self.playing[at].shaper.iter_mut().for_each(Shaper::empty);
        self.haunt(ghost);
    }

    /// What is heard of somebody, at the speed it has and through the buses as they are. What will be paused by then
    /// fades out as it is, and so does what will have stopped.
    pub fn draw_ghost(&mut self, at: usize) -> Option<Ghost> {
        let mut ghost = self.playing[at].as_heard();
        let (bus, shaper) = (ghost.bus, ghost.shaper.clone());
        if !ghost.leaves_something(&self.buses) {
            let ringing = shaper.filter(Shaper::rings)?;
            return Some(self.ghost(None, bus, Some(ringing), self.declick));
        }
        if ghost.hold.to == 0.0 && ghost.hold.left() > self.declick {
            self.tally.count("a voice that loses its place while it is paused slowly");
        }
        let leaving = ghost.stopping && ghost.fade.left() <= self.declick;
        let mut fades = self.declick;
        if shaper.is_some() {
            // It is faded behind its filters; or only their ringing, if it falls silent by itself.
            let falls = |ramp: &Ramp| ramp.to == 0.0 && ramp.left() < self.declick;
            let paused = falls(&ghost.hold) || ghost.way(&self.buses).any(|bus| falls(&bus.hold));
            if leaving || paused {
                fades = self.declick / 4;
            }
        } else if !(leaving && ghost.hold.left() == 0) {
            // Unless it is still coming up: then its own fade is not all there is to it.
            ghost.hold.hurry(0.0, self.declick);
        }
        ghost.speed.freeze();
        Some(self.ghost(Some(ghost), bus, shaper, fades))
    }

    /// It has ended, and its filters ring on for a moment.
    pub fn ring_out(&mut self, bus: usize, shaper: Shaper) {
        let ghost = self.ghost(None, bus, Some(shaper), self.declick);
        self.haunt(Some(ghost));
    }

    fn ghost(&self, voice: Option<Voice>, bus: usize, shaper: Option<Shaper>, fades: u64) -> Ghost {
        let shaper = shaper.map(|mut shaper| {
            // What there is no room for yet is not heard in it later.
            for (send, room) in shaper.sends.iter_mut().zip(&self.rooms) {
                *send = if room.is_some() { send.clone() } else { Ramp::rest(0.0) };
            }
            shaper
        });
        Ghost { voice, bus, shaper, buses: self.buses.clone(), left: self.declick, fades }
    }

    fn haunt(&mut self, ghost: Option<Ghost>) {
        let Some(ghost) = ghost else { return };
        if let Some(submix) = bus::submix(&ghost.buses, ghost.bus) {
            self.submixes[submix].tail = self.declick;
        }
        self.ghosts.push(ghost);
    }
}
