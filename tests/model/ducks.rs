//! The ducks of the naive mixer.

use voicepool::Duck;

use super::bus;
use super::stage::{QUANTUM, Stage, Until, Waiting};

/// A bus that makes room for another.
pub struct Ducked {
    bus: usize,
    by: usize,
    gain: f32,
    /// Attack, hold, release.
    frames: [u64; 3],
    is_down: bool,
    /// For how many frames there was nobody to make room for, while it is down.
    alone: Option<u64>,
    told: f32,
    is_gone: bool,
}

impl Stage {
    pub fn set_duck(&mut self, bus: usize, by: usize, duck: Option<Duck>) {
        let frames = |duck: &Duck| {
            [duck.attack, duck.hold, duck.release].map(|it| self.frames_of(it).max(self.declick))
        };
        let settings = duck.map(|duck| (duck.gain, frames(&duck)));
        let known = self.ducks.iter_mut().find(|it| (it.bus, it.by) == (bus, by) && !it.is_gone);
        match (known, settings) {
            (Some(known), Some((gain, frames))) => (known.gain, known.frames) = (gain, frames),
            (Some(known), None) => known.is_gone = true,
            (None, Some((gain, frames))) => {
                let (is_down, alone, told, is_gone) = (false, None, 1.0, false);
                self.ducks.push(Ducked { bus, by, gain, frames, is_down, alone, told, is_gone });
                self.ducks.sort_by_key(|it| (it.bus, it.by));
            }
            (None, None) => (),
        }
    }

    /// On a line, when all else is done: who makes room from here on.
    pub fn step_ducks(&mut self) {
        let mut ducks = std::mem::take(&mut self.ducks);
        let mut over: Vec<Option<u64>> = vec![None; self.buses.len()];
        let mut note = |bus: usize, frames: u64| {
            over[bus] = Some(over[bus].map_or(frames, |other| other.min(frames)));
        };
        for duck in &mut ducks {
            let [attack, hold, release] = duck.frames;
            if duck.is_gone {
                note(duck.bus, release);
                continue;
            }
            // One quantum more: who is not made room for on this line would be late on the next.
            if self.is_present(duck.by) || self.is_coming(duck.by, attack + QUANTUM - 1) {
                (duck.is_down, duck.alone) = (true, None);
            } else if duck.is_down {
                let alone = duck.alone.map_or(0, |alone| alone + QUANTUM);
                duck.alone = Some(alone);
                duck.is_down = alone == 0 || alone < hold;
            }
            let to = if duck.is_down { duck.gain } else { 1.0 };
            if to != duck.told {
                note(duck.bus, if to < duck.told { attack } else { release });
                duck.told = to;
            }
        }
        ducks.retain(|duck| !duck.is_gone);
        for (bus, over) in over.into_iter().enumerate() {
            let Some(over) = over else { continue };
            let to = ducks.iter().filter(|it| it.bus == bus).map(|it| it.told).product();
            if self.duck_targets[bus] != to {
                self.duck_targets[bus] = to;
                self.buses[bus].duck.head_for(to, over);
                self.tally.count("a bus ducked or let go");
            }
        }
        self.ducks = ducks;
    }

    /// Whether anybody is heard on a bus.
    fn is_present(&self, by: usize) -> bool {
        let on_it = |bus| bus::is_below(&self.buses, bus, by);
        self.playing.iter().any(|it| on_it(it.bus) && it.inaudible(&self.buses, 0).is_none())
    }

    /// Whether a play that waits there will have begun after so many frames, and be heard.
    fn is_coming(&self, by: usize, within: u64) -> bool {
        self.waiting.iter().filter(|waiting| self.will_be_heard(waiting)).any(|waiting| {
            bus::is_below(&self.buses, waiting.voice.bus, by) && self.comes_after(waiting) <= within
        })
    }

    /// Whether one can be heard once it has begun, if all stays as it is.
    fn will_be_heard(&self, waiting: &Waiting) -> bool {
        let Waiting { voice, paused, .. } = waiting;
        let way = bus::way(&self.buses, voice.bus).into_iter().map(|bus| &self.buses[bus]);
        let mut shut = way.flat_map(|bus| [&bus.hold, &bus.gain, &bus.mute]);
        let own = [&voice.gain, &voice.mute];
        !paused
            && !self.is_out_of_earshot(voice)
            && !own.into_iter().any(|it| it.is_silent())
            && !shut.any(|it| it.is_silent())
    }

    /// After how many frames one will begin, as far as is known.
    fn comes_after(&self, waiting: &Waiting) -> u64 {
        let bus = &self.buses[waiting.voice.bus];
        match waiting.until {
            Until::Frame(frame) => frame.saturating_sub(self.now),
            // That is known only when it is there.
            Until::Finished(_) => u64::MAX,
            Until::Left(_) if bus::stands(&self.buses, waiting.voice.bus) => u64::MAX,
            Until::Left(time) => time.div_ceil(u128::from(bus.pace.longest())) as u64,
        }
    }
}
