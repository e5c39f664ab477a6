//! The buses that have a buffer of their own. What their voices add up to is filtered, given to the
//! effect, turned up or down, sent to rooms, and added to the next submix above.
//!
//! That is done when a whole pass has been mixed, so that filters and effects see whole quanta of the
//! absolute grid, wherever plays have begun in it.

use super::effect::EffectSlot;
use super::rooms::Rooms;
use super::tail::Tail;
use super::{BusSet, Buses};
use crate::Frame;
use crate::audio::PASS;
use crate::audio::aligned::Aligned;
use crate::audio::filter::Filters;
use crate::audio::kernel::{Mix, peaks};
use crate::audio::voice::Setup;
use crate::audio::voice::ramp::Ramp;
use crate::bus::BusId;
use crate::effect::{Effect, EffectTrouble};
use crate::link::message::{Change, Made, QUANTUM, Shape};
use crate::reverb::RoomId;
use crate::units;

/// What a bus needs to be a submix. Made on the game side when it is first needed, and kept.
pub(in crate::audio) struct Submix {
    left: Aligned,
    right: Aligned,
    tail: Tail,
    filters: Filters,
    effect: EffectSlot,
    sends: [Ramp; RoomId::COUNT],
    /// Its filters and sends as they were asked for.
    shape: Shape,
    /// Whether anything was added in this pass.
    fed: bool,
    /// The highest samples of the last pass, after its fader.
    peak: Frame,
    /// Whether the game waits to hear that its effect was changed.
    changing: bool,
    /// When its effect has failed, and how.
    trouble: Option<(u64, EffectTrouble)>,
}

/// What became of an effect.
pub(in crate::audio) enum EffectNews {
    /// The latest change is through: another took the place of this one.
    Changed(BusId, Option<Box<dyn Effect>>),
    Failed(BusId, u64, EffectTrouble),
    Retired(Box<dyn Effect>),
}

impl Submix {
    pub fn new(rate: u32) -> Submix {
        let declick = units::declick(rate);
        Submix {
            left: Aligned::new(0.0, PASS),
            right: Aligned::new(0.0, PASS),
            tail: Tail::new(declick as usize),
            filters: Filters::OFF,
            effect: EffectSlot::new(declick),
            sends: [Ramp::rest(0.0); RoomId::COUNT],
            shape: Shape::PLAIN,
            fed: false,
            peak: [0.0; 2],
            changing: false,
            trouble: None,
        }
    }

    /// Turns a filter, or a send. What nobody hears is there at once.
    fn change(&mut self, change: Change, heard: bool, setup: &Setup) {
        self.shape.change(change);
        let (declick, rate) = (setup.declick, setup.rate);
        match change {
            Change::LowPass { to, over } => self.filters.set_low_pass(to, over, declick, rate),
            Change::HighPass { to, over } => self.filters.set_high_pass(to, over, declick, rate),
            Change::Send { room, to, over } => {
                let over = if heard { over.max(declick) } else { over };
                self.sends.get_mut(room.index()).into_iter().for_each(|it| it.ramp_to(to, over));
            }
            _ => (),
        }
        if !heard {
            self.filters.arrive();
        }
    }

    /// Whether it has anything to do that its bus could not do without it.
    fn is_needed(&self) -> bool {
        let sends = self.sends.iter().any(|send| !send.is_silent());
        let effect = self.effect.is_on() || self.changing;
        sends || effect || !self.filters.is_off() || !self.tail.is_empty()
    }

    /// Whether it was asked to do nothing any more, but still has something to do.
    fn is_leaving(&self) -> bool {
        self.shape.is_plain()
    }

    /// Whether nothing comes out of it, as long as nothing comes in.
    fn is_silent(&self) -> bool {
        self.filters.is_silent() && self.effect.is_silent() && self.tail.is_empty()
    }

    fn mix(&mut self, from: usize, frames: usize) -> Mix<'_> {
        Mix {
            left: self.left.get_mut(from..from + frames).unwrap_or_default(),
            right: self.right.get_mut(from..from + frames).unwrap_or_default(),
        }
    }

    /// Lets the filters and the effect work on a pass that begins on the frame `now`.
    fn process(&mut self, now: u64, frames: usize) {
        for (quantum, at) in (now..).step_by(QUANTUM).zip((0..frames).step_by(QUANTUM)) {
            let sides = [&mut self.left, &mut self.right]
                .map(|side| side.get_mut(at..).and_then(<[f32]>::first_chunk_mut));
            let [Some(left), Some(right)] = sides else { break };
            self.filters.process(quantum, left, right);
            if let Some(trouble) = self.effect.process(left, right) {
                self.trouble = Some((quantum, trouble));
            }
        }
    }
}

/// All submixes there are, by their buses.
pub(in crate::audio) struct Submixes {
    submixes: [Option<Box<Submix>>; BusId::COUNT],
    /// Those that are in use.
    active: BusSet,
    /// Those of them that something still comes out of.
    ringing: BusSet,
    own: Box<[f32]>,
    between: Box<[f32]>,
}

impl Submixes {
    pub fn new() -> Submixes {
        let ones = || vec![1.0; PASS].into_boxed_slice();
        Submixes {
            submixes: [const { None }; BusId::COUNT],
            active: BusSet::NONE,
            ringing: BusSet::NONE,
            own: ones(),
            between: ones(),
        }
    }

    /// Gives a bus what it needs to be a submix. Gives it back if the bus has it already.
    pub fn equip(&mut self, bus: BusId, made: Made) -> Option<Made> {
        let submix = match made.downcast::<Submix>() {
            Ok(submix) => submix,
            Err(stranger) => return Some(stranger),
        };
        match self.submixes.get_mut(bus.index()) {
            Some(place @ None) => {
                *place = Some(submix);
                None
            }
            _ => Some(submix),
        }
    }

    /// Turns a filter or a send of a bus.
    pub fn change(
        &mut self,
        bus: BusId,
        change: Change,
        heard: bool,
        buses: &mut Buses,
        setup: &Setup,
    ) {
        let Some(submix) = self.get_mut(bus) else { return };
        submix.change(change, heard, setup);
        buses.set_shape(bus, &submix.shape);
        self.activate(bus, buses);
    }

    /// Puts an effect, or none, in the place of the one before it. Gives it back if that cannot be yet.
    pub fn set_effect(
        &mut self,
        bus: BusId,
        effect: Option<Box<dyn Effect>>,
        heard: bool,
        buses: &mut Buses,
    ) -> Result<(), Option<Box<dyn Effect>>> {
        let Some(submix) = self.get_mut(bus) else { return Err(effect) };
        submix.effect.set(effect, heard)?;
        submix.changing = true;
        self.activate(bus, buses);
        Ok(())
    }

    /// What became of the effects since this was last asked.
    pub fn take_effect_news(&mut self) -> Option<EffectNews> {
        self.active.iter().find_map(|bus| {
            let Submix { effect, changing, trouble, .. } = self.get_mut(bus)?;
            if let Some((at, why)) = trouble.take() {
                return Some(EffectNews::Failed(bus, at, why));
            }
            if *changing && !effect.is_changing() {
                *changing = false;
                return Some(EffectNews::Changed(bus, effect.take_replaced()));
            }
            effect.take_failed().map(EffectNews::Retired)
        })
    }

    fn get_mut(&mut self, bus: BusId) -> Option<&mut Submix> {
        self.submixes.get_mut(bus.index())?.as_deref_mut()
    }

    fn get(&self, bus: BusId) -> Option<&Submix> {
        self.submixes.get(bus.index())?.as_deref()
    }

    fn activate(&mut self, bus: BusId, buses: &mut Buses) {
        if self.get(bus).is_some_and(Submix::is_needed) && !self.active.has(bus) {
            self.active.add(bus);
            buses.set_submix(bus, true);
        }
    }

    /// On a line of the grid: those that have nothing to do any more are plain buses again. Says which.
    pub fn release(&mut self, buses: &mut Buses) -> BusSet {
        let idle = |bus: &BusId| !self.get(*bus).is_some_and(Submix::is_needed);
        let released = BusSet::of(self.active.iter().filter(idle));
        for bus in released.iter() {
            self.active.set(bus, false);
            self.ringing.set(bus, false);
            buses.set_submix(bus, false);
        }
        released
    }

    /// Whether something may happen on the very next line: one may be a plain bus again, or an effect may
    /// be out.
    pub fn is_busy(&self) -> bool {
        self.active
            .iter()
            .filter_map(|bus| self.get(bus))
            .any(|it| it.effect.is_on() || it.changing || it.is_leaving())
    }

    /// Whether none is in use.
    pub fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    /// Those that are in use.
    pub fn active(&self) -> BusSet {
        self.active
    }

    /// Those that something comes out of, whoever plays.
    pub fn ringing(&self) -> BusSet {
        self.ringing
    }

    /// The highest samples of each in the last pass.
    pub fn peaks(&self) -> impl Iterator<Item = (BusId, Frame)> {
        self.active.iter().filter_map(|bus| Some((bus, self.get(bus)?.peak)))
    }

    // A pass.

    /// Empties what the last pass has left.
    pub fn begin(&mut self, frames: usize) {
        for bus in self.active.iter() {
            if let Some(submix) = self.get_mut(bus) {
                submix.mix(0, frames).clear();
                submix.fed = false;
            }
        }
    }

    /// A part of the buffer of a bus, to be added to.
    pub fn mix(&mut self, bus: BusId, from: usize, frames: usize) -> Mix<'_> {
        match self.get_mut(bus) {
            Some(submix) => {
                submix.fed = true;
                submix.mix(from, frames)
            }
            None => Mix { left: &mut [], right: &mut [] },
        }
    }

    /// The tail of those that were stolen on a bus.
    pub fn tail(&mut self, bus: BusId) -> Option<&mut Tail> {
        self.get_mut(bus).map(|submix| &mut submix.tail)
    }

    /// Mixes in what the stolen have left.
    pub fn play_tails(&mut self, from: usize, frames: usize) {
        for bus in self.active.iter() {
            if let Some(submix) = self.get_mut(bus)
                && !submix.tail.is_empty()
            {
                submix.fed = true;
                let Submix { left, right, tail, .. } = submix;
                let left = left.get_mut(from..from + frames).unwrap_or_default();
                let right = right.get_mut(from..from + frames).unwrap_or_default();
                tail.play(Mix { left, right });
            }
        }
    }

    /// Works through all submixes, each before the one that it is added to, when a pass that began on
    /// the frame `now` is mixed. Adds what comes of them to `out`.
    pub fn finish(&mut self, now: u64, buses: &Buses, rooms: &mut Rooms, mut out: Mix) {
        let frames = out.len();
        let active = self.active;
        for bus in buses.tree().order().into_iter().filter(|bus| active.has(*bus)) {
            let Some(mut submix) = self.submixes.get_mut(bus.index()).and_then(Option::take) else {
                continue;
            };
            if bus == BusId::MASTER {
                submix.fed |= rooms.finish(submix.mix(0, frames), None);
            }
            self.finish_one(now, bus, &mut submix, buses, rooms, out.part(0, frames));
            if let Some(place) = self.submixes.get_mut(bus.index()) {
                *place = Some(submix);
            }
        }
        if !self.active.has(BusId::MASTER) && (rooms.is_awake() || rooms.is_busy()) {
            let fader = self.own.get_mut(..frames).unwrap_or_default();
            fader.fill(1.0);
            buses.apply_fader(BusId::MASTER, fader);
            rooms.finish(out, Some(fader));
        }
    }

    fn finish_one(
        &mut self,
        now: u64,
        bus: BusId,
        submix: &mut Submix,
        buses: &Buses,
        rooms: &mut Rooms,
        mut out: Mix,
    ) {
        let frames = out.len();
        if !submix.fed && submix.is_silent() && submix.filters.is_at_rest() {
            self.ringing.set(bus, false);
            submix.effect.skip();
            submix.sends.iter_mut().for_each(|send| send.advance(frames as u32));
            submix.peak = [0.0; 2];
            return;
        }
        submix.process(now, frames);
        self.ringing.set(bus, !submix.is_silent());
        let own = self.own.get_mut(..frames).unwrap_or_default();
        let between = self.between.get_mut(..frames).unwrap_or_default();
        let above = buses.fill_faders(bus, own, between);
        let Submix { left, right, sends, peak, .. } = submix;
        let left = left.get_mut(..frames).unwrap_or_default();
        let right = right.get_mut(..frames).unwrap_or_default();
        for side in [&mut *left, &mut *right] {
            side.iter_mut().zip(own.iter()).for_each(|(sample, gain)| *sample *= gain);
        }
        *peak = peaks(left, right);
        if bus != BusId::MASTER && sends.iter().any(|send| !send.is_silent()) {
            for (send, room) in sends.iter_mut().zip(RoomId::all()) {
                if !send.is_silent() {
                    buses.fill_above(bus, own);
                    send.apply(own);
                    rooms.send(room, 0, left, right, own);
                }
            }
        }
        sends.iter_mut().for_each(|send| send.advance(frames as u32));
        match above.and_then(|above| self.submixes.get_mut(above.index())?.as_deref_mut()) {
            Some(above) => {
                above.fed = true;
                above.mix(0, frames).add(left, right, between);
            }
            None => out.add(left, right, between),
        }
    }
}
