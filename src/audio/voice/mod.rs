//! One voice: a sound, a place in it, and the gains between it and the ear.

mod cursor;
pub(super) mod ramp;

use crate::audio::bus::Route;
use crate::audio::kernel::{Gains, Kernels, Mix, prefetch};
use crate::audio::renderer::batch::Run;
use crate::config::WhenFull;
use crate::link::message::{Change, End, Park, Request};
use crate::play::{BusId, Priority};
use crate::sound::Sound;
use crate::sound::envelope;
use crate::stats::VoiceState;
use crate::units;
use cursor::Cursor;
use ramp::{Glide, Pan, Ramp};

/// What every voice needs to know, and what never changes.
pub(in crate::audio) struct Setup {
    pub rate: u32,
    /// The shortest change, in frames.
    pub declick: u32,
    pub kernels: Kernels,
}

/// A level, to 16 bits: two that the ear could never tell apart, such as those of one loop at two
/// places, are equal then, and age decides between them and not the rounding.
fn alike(level: f32) -> f32 {
    f32::from_bits((level.to_bits() + 0x40) & !0x7f)
}

/// Room for the gains of as many frames as are ever mixed at once.
pub(in crate::audio) struct Curves {
    left: Box<[f32]>,
    right: Box<[f32]>,
}

impl Curves {
    pub fn new(frames: usize) -> Curves {
        let ones = || vec![1.0; frames].into_boxed_slice();
        Curves { left: ones(), right: ones() }
    }
}

/// A play that has a voice, or is parked until it gets one back.
pub(in crate::audio) struct Voice {
    pub sound: Sound,
    pub ticket: u32,
    /// The number of the command that asked for it.
    pub number: u64,
    /// How many had got a voice before it: its age, the other way round.
    pub order: u64,
    pub bus: BusId,
    pub priority: Priority,
    /// Whether it parks when it must do without a voice.
    pub park: bool,
    /// The answer to a full pool that held when it was asked for.
    pub when_full: WhenFull,
    cursor: Cursor,
    speed: f32,
    gain: Ramp,
    pan: Pan,
    pan_set: f32,
    /// In at the start, and out at the end.
    fade: Ramp,
    /// Down while it is paused; up from silence wherever it begins in the middle.
    hold: Ramp,
    stopping: bool,
    /// Whether any of it has sounded: what has not can change at once.
    heard: bool,
}

impl Voice {
    pub fn new(request: Request, number: u64, setup: &Setup) -> Voice {
        let step = Glide::step_for(request.speed, request.sound.sample_rate(), setup.rate);
        let fade = match request.fade_in {
            0 => Ramp::rest(1.0),
            over => Ramp::between(0.0, 1.0, over.max(setup.declick)),
        };
        let mut voice = Voice {
            ticket: request.ticket,
            number,
            order: 0,
            bus: request.bus,
            priority: request.priority,
            park: request.park,
            when_full: request.when_full,
            speed: request.speed,
            cursor: Cursor::new(request.position, Glide::rest(step), request.looping),
            gain: Ramp::rest(request.gain),
            pan: Pan::rest(units::pan(request.pan)),
            pan_set: request.pan,
            fade,
            hold: Ramp::rest(0.0),
            stopping: false,
            heard: false,
            sound: request.sound,
        };
        if !request.paused {
            voice.rise(setup);
        }
        voice
    }

    /// Comes up from silence, except at the beginning of a sound, which is its author's.
    fn rise(&mut self, setup: &Setup) {
        let declick = if self.heard || self.cursor.position > 0 { setup.declick } else { 0 };
        self.hold.head_for(1.0, declick);
    }

    /// Asks for what it reads next.
    pub fn prefetch(&self) {
        prefetch(self.sound.samples(), self.cursor.frame() as usize);
    }

    /// If the coming frames are a run of its clip at one gain, and it has not ended after them,
    /// moves on and leaves the run to be mixed.
    pub fn pass(&mut self, frames: u32, route: Route) -> Option<Run> {
        if !self.cursor.is_plain() || self.moving(frames, route) < frames {
            return None;
        }
        let gains = self.steady_gains(self.hold, route)?;
        let first = self.cursor.pass(self.sound.frame_count(), frames)?;
        self.heard = true;
        Some(Run { first, gains })
    }

    /// Adds the coming frames to the mix. Returns after how many it ended, if it did, and why.
    pub fn render(
        &mut self,
        mut mix: Mix,
        route: Route,
        setup: &Setup,
        curves: &mut Curves,
    ) -> Option<(u32, End)> {
        let asked = mix.len() as u32;
        let frames = self.moving(asked, route);
        // Were it paused before it has faded out, it would never get there.
        if frames == 0 {
            return self.stopping.then_some((0, End::Stopped));
        }
        let falls_silent = self.stopping && self.moving(asked + 1, route) <= asked;
        let gains = self.gains(frames, self.hold, route, curves);
        let mix = mix.part(0, frames as usize);
        let done = self.cursor.read(&self.sound, mix, gains, &setup.kernels);
        self.heard = true;
        let end = self.advance(done as u32);
        end.or(falls_silent.then_some((frames, End::Stopped)))
    }

    /// Moves on in silence, unless it is paused itself: no further than to its end.
    pub fn skip(&mut self, frames: u64) {
        if self.is_paused() {
            return;
        }
        self.cursor.skip(self.sound.frame_count(), frames);
        self.advance(u32::try_from(frames).unwrap_or(u32::MAX));
    }

    /// After how many frames in silence it will have played to its end, unless it is paused
    /// itself or loops.
    pub fn ends_after(&self) -> Option<u64> {
        let mut cursor = self.cursor;
        if self.is_paused() { None } else { cursor.skip(self.sound.frame_count(), u64::MAX) }
    }

    /// Adds what is left of it, fading out, to the mix: its coming frames at its present speed.
    pub fn leave(&self, mut mix: Mix, route: Route, setup: &Setup, curves: &mut Curves) {
        let mut hold = self.hold;
        // If it is being paused, or is gone as soon anyway, it fades out as it is.
        let gone_as_soon = self.is_leaving(setup) && hold.is_at_rest();
        if hold.target() > 0.0 && !gone_as_soon {
            hold.head_for(0.0, setup.declick);
        }
        let frames = self.moving(mix.len() as u32, route);
        let gains = self.gains(frames, hold, route, curves);
        let mut cursor = self.cursor;
        cursor.glide = Glide::rest(cursor.glide.step());
        let mix = mix.part(0, frames as usize);
        cursor.read(&self.sound, mix, gains, &setup.kernels);
    }

    /// For how many of the coming frames it moves, before it is paused or has faded out.
    fn moving(&self, frames: u32, route: Route) -> u32 {
        let frames = if self.stopping { frames.min(self.fade.left()) } else { frames };
        route.moving(self.hold.sounding(frames))
    }

    fn advance(&mut self, frames: u32) -> Option<(u32, End)> {
        self.gain.advance(frames);
        self.fade.advance(frames);
        self.hold.advance(frames);
        self.pan.advance(frames);
        if self.is_over() {
            Some((frames, End::Finished))
        } else if self.stopping && self.fade.is_at_rest() {
            Some((frames, End::Stopped))
        } else {
            None
        }
    }

    /// The product of every gain on the way, always in this order, if none of them moves.
    fn steady_gains(&self, hold: Ramp, route: Route) -> Option<[f32; 2]> {
        let ramps = self.ramps(&hold, route);
        if !self.pan.is_at_rest() || !ramps.into_iter().all(Ramp::is_at_rest) {
            return None;
        }
        let gain = ramps.iter().fold(1.0, |gain, ramp| gain * ramp.target());
        Some(self.pan.target().map(|side| gain * side))
    }

    fn gains<'a>(
        &self,
        frames: u32,
        hold: Ramp,
        route: Route,
        curves: &'a mut Curves,
    ) -> Gains<'a> {
        if let Some(gains) = self.steady_gains(hold, route) {
            return Gains::Steady(gains);
        }
        let left = curves.left.get_mut(..frames as usize).unwrap_or_default();
        let right = curves.right.get_mut(..frames as usize).unwrap_or_default();
        let ramps = self.ramps(&hold, route);
        let steady = ramps.iter().take_while(|ramp| ramp.is_at_rest());
        left.fill(steady.clone().fold(1.0, |gain, ramp| gain * ramp.target()));
        for ramp in ramps.iter().skip(steady.count()) {
            ramp.apply(left);
        }
        self.pan.split(left, right);
        Gains::Curve { left, right }
    }

    /// Every gain on the way but for the pan, in the order in which they are multiplied.
    fn ramps<'a>(&'a self, hold: &'a Ramp, route: Route<'a>) -> [&'a Ramp; 7] {
        let Route { bus, master } = route;
        [&self.gain, &self.fade, hold, &bus.gain, &bus.hold, &master.gain, &master.hold]
    }

    /// How much it would be missed, before its bus: the power of what it has still to play, in
    /// the ear's time and the near counting more, times all its own gains.
    pub fn level(&self, setup: &Setup) -> f32 {
        let gain = [&self.gain, &self.fade, &self.hold]
            .iter()
            .fold(1.0, |gain, ramp| gain * ramp.upcoming());
        if gain == 0.0 {
            return 0.0;
        }
        let mut power = self.power(&self.cursor);
        if self.stopping {
            // Of what would come after its fade nothing will be heard.
            let (share, after) = envelope::fading(self.fade.left(), setup.rate);
            let mut gone = self.cursor;
            let rest = match gone.skip(self.sound.frame_count(), u64::from(self.fade.left())) {
                Some(_) => 0.0,
                None => self.power(&gone),
            };
            power = share * (power - after * rest).max(0.0);
        }
        alike(gain * power.sqrt() as f32)
    }

    fn power(&self, cursor: &Cursor) -> f64 {
        let looping = cursor.ahead().map(|range| (range.start, range.end));
        let sides = self.pan.upcoming();
        self.sound.envelope().power(cursor.frame(), looping, self.speed, sides)
    }

    /// Why nothing of it can be heard, whatever it plays, if that is so: it stands still, or some
    /// gain on its way is 0. What will be so as soon as it could have begun, is so already.
    pub fn inaudible(&self, route: Route, setup: &Setup) -> Option<Park> {
        let silent = |ramp: &Ramp| ramp.target() == 0.0 && ramp.left() <= setup.declick;
        let Route { bus, master } = route;
        if [&self.hold, &bus.hold, &master.hold].into_iter().any(silent) {
            Some(Park::Paused)
        } else if [&self.gain, &self.fade, &bus.gain, &master.gain].into_iter().any(silent) {
            Some(Park::Inaudible)
        } else {
            None
        }
    }

    /// Carries out a control that leaves the voice where it is in its sound.
    pub fn change(&mut self, change: Change, route: Route, setup: &Setup) {
        let silent = !self.heard || self.is_held(route);
        let soft = |over: u32| if silent && over == 0 { 0 } else { over.max(setup.declick) };
        match change {
            Change::Stop { fade } => {
                let fade = fade.max(setup.declick);
                // A later stop may hurry it, but never keep it.
                if !self.stopping || fade < self.fade.left() {
                    self.stopping = true;
                    self.fade.head_for(0.0, fade);
                }
            }
            Change::Pause { fade } if self.hold.target() > 0.0 => {
                self.hold.head_for(0.0, soft(fade))
            }
            Change::Resume { .. } if self.hold.target() == 0.0 => self.rise(setup),
            Change::Pause { .. }
            | Change::Resume { .. }
            | Change::Seek { .. }
            | Change::Mute(_)
            | Change::EndLoop => (),
            Change::Gain { to, over } => self.gain.head_for(to, soft(over)),
            Change::Pan { to, over } => {
                self.pan_set = to;
                self.pan.head_for(units::pan(to), soft(over));
            }
            Change::Speed { to, over } => {
                self.speed = to;
                let step = Glide::step_for(to, self.sound.sample_rate(), setup.rate);
                self.cursor.ramp_to(step, soft(over), setup.declick);
            }
        }
    }

    /// Jumps to a frame of its sound, and comes up from silence there.
    pub fn seek(&mut self, frame: u32, setup: &Setup) {
        self.cursor.seek(frame);
        // If it is being paused, what is left of that was for the place it came from.
        let paused = self.hold.target() == 0.0;
        self.hold = Ramp::rest(0.0);
        if !paused {
            self.rise(setup);
        }
    }

    /// Puts it where it goes on without being heard.
    pub fn hush(&mut self) {
        self.hold = Ramp::rest(self.hold.target());
        self.cursor.arrive();
    }

    /// Comes up from silence, where it has got to in the meantime.
    pub fn unhush(&mut self, setup: &Setup) {
        if self.hold.target() > 0.0 {
            self.hold = Ramp::rest(0.0);
            self.rise(setup);
        }
    }

    pub fn is_over(&self) -> bool {
        self.cursor.is_over(self.sound.frame_count())
    }

    pub fn is_stopping(&self) -> bool {
        self.stopping
    }

    /// Whether it is gone as soon as it would be if it were stolen.
    pub fn is_leaving(&self, setup: &Setup) -> bool {
        self.stopping && self.fade.left() <= setup.declick
    }

    /// Whether it is paused itself.
    pub fn is_paused(&self) -> bool {
        self.hold.is_silent()
    }

    /// Whether it has been heard, and is not paused itself: what it goes on with is in the midst
    /// of a sound.
    pub fn has_begun(&self) -> bool {
        self.heard && !self.is_paused()
    }

    /// Whether it stands still, paused by itself or with its bus.
    pub fn is_held(&self, route: Route) -> bool {
        self.is_paused() || route.is_held()
    }

    /// Whether some of it has been heard, and it does not stand still.
    pub fn is_sounding(&self, route: Route) -> bool {
        self.heard && !self.is_held(route)
    }

    pub fn state(&self, route: Route) -> VoiceState {
        if self.is_held(route) {
            VoiceState::Paused
        } else if self.stopping {
            VoiceState::Stopping
        } else {
            VoiceState::Playing
        }
    }

    pub fn frame(&self) -> u32 {
        self.cursor.frame()
    }

    pub fn gain(&self) -> f32 {
        self.gain.now()
    }

    pub fn pan(&self) -> f32 {
        self.pan_set
    }
}
