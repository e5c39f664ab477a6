//! One voice: a source, and the gains between it and the ear.

mod clip;
mod cursor;
pub(super) mod fade;
mod follow;
pub(super) mod gains;
pub(super) mod glide;
mod intake;
pub(super) mod position;
pub(super) mod ramp;
pub(super) mod shaper;
mod source;
mod stream;
pub(super) mod supply;

use std::mem;

use super::bus::Way;
use super::kernel::{Kernels, Mix, Slope};
use super::renderer::batch::Run;
use super::space::Spot;
use crate::bus::BusId;
use crate::config::WhenFull;
use crate::link::message::{
    Cargo, Change, Crossfade, CueTerms, End, Extra, Park, Request, Shape, Tone,
};
use crate::play::Priority;
use crate::sound::{Samples, envelope};
use crate::stats::VoiceState;
use fade::{Curve, Fade};
use gains::{GainCurves, VoiceGains};
use ramp::Ramp;
use source::Source;

/// What every voice needs to know, and what never changes.
pub(super) struct Setup {
    pub rate: u32,
    /// The shortest change, in frames.
    pub declick: u32,
    pub kernels: Kernels,
}

/// The most that a voice can be boosted, 60 dB: as much as a gain can be.
const MOST_BOOST: f32 = 1000.0;

/// A level, to 16 bits: two that the ear could never tell apart, such as those of one loop at two
/// places, are equal then, and age decides between them and not the rounding.
fn alike(level: f32) -> f32 {
    f32::from_bits((level.to_bits() + 0x40) & !0x7f)
}

/// When a voice goes on elsewhere in its sound.
pub(super) enum Jump {
    None,
    AtOnce,
    /// When enough has been read there; until then it is heard from where it is.
    WhenItCan,
}

/// A play that has a voice, or is parked until it gets one back.
pub(super) struct Voice {
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
    /// The cue that it is of.
    pub cue: Option<CueTerms>,
    /// Its filters and sends, as they were asked for, and who sees to them while it has a voice.
    pub shape: Shape,
    pub shaper: Option<u32>,
    /// The filters on its way out.
    tone: Tone,
    source: Source,
    /// How fast it plays by itself, and how fast the time of its bus goes.
    speed: f32,
    pace: f32,
    gains: VoiceGains,
    stopping: bool,
    /// Whether any of it has sounded: what has not can change at once.
    heard: bool,
    /// Where it is, if it has a place.
    spot: Option<Spot>,
    /// What it had brought along beside its sound, to go home with it.
    extra: Option<Box<Extra>>,
}

impl Voice {
    /// A play that begins on the frame `now`. Where it has a place, it does not know yet who listens.
    pub fn new(request: Request, number: u64, now: u64, way: &Way, setup: &Setup) -> Voice {
        let mut gains = VoiceGains::new(request.gain, request.pan, request.muted);
        if let Some(Crossfade { over, .. }) = request.crossfade() {
            gains.fade = Fade::in_over((*over).max(setup.declick), Curve::EqualPower);
        } else if request.fade_in > 0 {
            gains.fade = Fade::in_over(request.fade_in.max(setup.declick), Curve::Straight);
        }
        let Request { position, looping, speed, .. } = request;
        let (pace, cue) = (way.pace(), request.cue());
        let spot = request.placed().map(|placed| Spot::new(placed, now));
        let mut voice = Voice {
            ticket: request.ticket,
            number,
            order: 0,
            bus: request.bus,
            priority: request.priority,
            park: request.park,
            when_full: request.when_full,
            cue,
            shape: request.shape,
            shaper: None,
            tone: way.tone(),
            source: Source::new(request.sound, position, looping, speed * pace, setup.rate),
            speed,
            pace,
            gains,
            stopping: false,
            heard: false,
            spot,
            extra: request.extra,
        };
        if voice.spot.is_some() {
            voice.source.make_point();
        }
        voice.begin_pace(way, setup);
        if !request.paused {
            voice.declick_in(0, setup);
        }
        voice
    }

    /// Begins as fast as the time of its bus goes now, if that is on its way to another pace.
    pub fn begin_pace(&mut self, way: &Way, setup: &Setup) {
        if let Some(glide) = way.pace_glide() {
            let (speed, to) = (self.speed, self.speed * self.pace);
            self.source.begin_at(speed * glide.ratio(), setup.rate);
            self.source.set_speed(to, glide.remaining(), setup.declick, setup.rate);
        }
    }

    /// Whether the mean of both sides of its sound is heard on either.
    pub fn is_point(&self) -> bool {
        self.source.is_point()
    }

    /// Lets go of it: what it had brought along goes home.
    pub fn into_cargo(self) -> Cargo {
        Cargo { sound: self.source.into_sound(), extra: self.extra }
    }

    pub fn samples(&self) -> &Samples {
        self.source.samples()
    }

    /// Comes up from silence, over the time it was given and no faster than a change may be; but
    /// the beginning of a sound is its author's.
    fn declick_in(&mut self, fade: u32, setup: &Setup) {
        let begins = !self.heard && self.source.is_at_start();
        let over = if begins && fade == 0 { 0 } else { fade.max(setup.declick) };
        self.gains.pause.hurry_to(1.0, over);
    }

    /// If the coming frames are one run of its clip, and it has not ended after them, moves on and
    /// leaves the run to be mixed, with its gains in `slope` if one of them moves.
    #[inline(always)]
    pub fn pass(
        &mut self,
        frames: u32,
        way: &Way,
        kernels: &Kernels,
        slope: &mut Slope,
    ) -> Option<Run> {
        if self.moving(frames + 1, way) <= frames {
            return None;
        }
        let gains = self.gains.steady(way);
        if gains.is_none() {
            *slope = self.gains.slope(frames, way)?;
        }
        let (range, stride) = self.source.take_run(frames, kernels)?;
        self.heard = true;
        if gains.is_none() {
            self.gains.advance(frames);
        }
        Some(Run { first: range.start, len: range.len(), stride, gains })
    }

    /// Adds the coming frames to the mix. Returns after how many it ended, if it did, and why.
    #[inline(always)]
    pub fn render(
        &mut self,
        mut mix: Mix,
        way: &Way,
        setup: &Setup,
        curves: &mut GainCurves,
    ) -> Option<(u32, End)> {
        let asked = mix.len() as u32;
        let frames = self.moving(asked, way);
        // If it is paused before it has faded out, it would never get there.
        if frames == 0 {
            return self.stopping.then_some((0, End::Stopped));
        }
        let falls_silent = self.stopping && self.moving(asked + 1, way) <= asked;
        let gains = self.gains.upcoming(frames, way, curves);
        let mix = mix.part(0, frames as usize);
        let done = self.source.read(mix, gains, &setup.kernels);
        self.heard = true;
        let end = self.advance(done as u32);
        end.or(falls_silent.then_some((frames, End::Stopped)))
    }

    /// Moves on in silence, unless it is paused itself: no further than to its end.
    pub fn skip(&mut self, frames: u64) {
        if self.is_paused() {
            return;
        }
        self.source.skip(frames);
        self.advance(u32::try_from(frames).unwrap_or(u32::MAX));
    }

    /// After how many frames in silence it will have played to its end, unless it is paused
    /// itself or loops.
    pub fn ends_after(&self) -> Option<u64> {
        if self.is_paused() { None } else { self.source.ends_after() }
    }

    /// Adds what remains of it, fading out, to the mix: its coming frames at its present speed.
    pub fn fade_out_into(&self, mut mix: Mix, way: &Way, setup: &Setup, curves: &mut GainCurves) {
        let mut gains = self.gains;
        // If it is gone as soon anyway, by itself or by a pause that is under way, it fades out as
        // it is.
        let gone_as_soon = self.is_leaving(setup) && gains.pause.is_at_rest();
        if !gone_as_soon {
            gains.pause.hurry_to(0.0, setup.declick);
        }
        let frames = self.moving(mix.len() as u32, way);
        let gains = gains.upcoming(frames, way, curves);
        self.source.read_ahead(mix.part(0, frames as usize), gains, &setup.kernels);
    }

    /// The same without the fade, for what is faded out elsewhere; unless it is gone as soon anyway, which
    /// it says.
    pub fn run_on_into(
        &self,
        mut mix: Mix,
        way: &Way,
        setup: &Setup,
        curves: &mut GainCurves,
    ) -> bool {
        let frames = self.moving(mix.len() as u32, way);
        let gains = self.gains.upcoming(frames, way, curves);
        self.source.read_ahead(mix.part(0, frames as usize), gains, &setup.kernels);
        (frames as usize) < mix.len() || self.is_leaving(setup)
    }

    /// Goes with the time of its bus, and knows of its filters.
    pub fn follow(&mut self, way: &Way, setup: &Setup) {
        self.tone = way.tone();
        if self.pace != way.pace() {
            self.pace = way.pace();
            if self.is_bent() {
                return;
            }
            let silent = !self.heard || self.stands_still(way);
            let over = if silent {
                0
            } else {
                {
                    let remaining = way.pace_glide().map_or(0, |glide| glide.remaining());
                    remaining.max(setup.declick)
                }
            };
            self.source.set_speed(self.speed * self.pace, over, setup.declick, setup.rate);
        }
    }

    /// Whether it may end in no more than so many frames.
    pub fn may_end_within(&self, frames: u32) -> bool {
        let ends = self.source.ends_after().is_some_and(|after| after <= u64::from(frames));
        self.stopping || self.source.is_gliding() || ends
    }

    /// After how many of the coming frames it will have played to its end, if it will and they let it.
    pub fn finishes_within(&self, frames: u32, way: &Way) -> Option<u32> {
        self.source.ends_within(self.moving(frames, way))
    }

    /// For whom it came, if others fade out for it.
    pub fn crossfade(&self) -> Option<&Crossfade> {
        self.extra.as_ref()?.crossfade.as_ref()
    }

    /// Whether any of it has been heard.
    pub fn was_heard(&self) -> bool {
        self.heard
    }

    /// For how many of the coming frames it moves, before it is paused or has faded out.
    fn moving(&self, frames: u32, way: &Way) -> u32 {
        let fade = &self.gains.fade;
        let frames = if self.stopping { frames.min(fade.remaining()) } else { frames };
        way.moving(self.gains.pause.sounding(frames))
    }

    fn advance(&mut self, frames: u32) -> Option<(u32, End)> {
        self.gains.advance(frames);
        if self.is_over() {
            Some((frames, End::Finished))
        } else if self.stopping && self.gains.fade.is_at_rest() {
            Some((frames, End::Stopped))
        } else {
            None
        }
    }

    /// How much it would be missed, before its bus: the power of what it has still to play, in
    /// the ear's time and the near counting more, times all its own gains.
    pub fn level(&self, setup: &Setup) -> f32 {
        let mut gain = self.gains.level();
        if gain == 0.0 {
            return 0.0;
        }
        if !self.shape.is_plain() {
            gain *= self.shape.spread();
        }
        let sides = self.gains.sides();
        let tones = &[self.shape.tone(), self.tone];
        let tones = Some(tones).filter(|tones| !tones.iter().all(Tone::is_open));
        let mut power = self.source.power(sides, tones);
        if self.stopping {
            // Of what would come after its fade nothing will be heard.
            let remaining = self.gains.fade.remaining();
            let (share, after) = envelope::fading(remaining, setup.rate);
            let rest = self.source.power_after(remaining, sides, tones);
            power = share * (power - after * rest).max(0.0);
        }
        alike(gain * power.sqrt() as f32)
    }

    /// Why nothing of it can be heard, whatever it plays, if that is so: it stands still, or some
    /// gain on its way is 0. What will be so in no more than so many frames, is so already.
    pub fn inaudible(&self, way: &Way, soon: u32) -> Option<Park> {
        if self.gains.pause.is_silent_within(soon) || way.is_paused_within(soon) {
            Some(Park::Paused)
        } else if self.gains.is_silent_within(soon) || way.is_silent_within(soon) {
            Some(Park::Inaudible)
        } else {
            None
        }
    }

    /// Whether no gain of its own keeps it from being heard after so many frames.
    pub fn is_open(&self, soon: u32) -> bool {
        !self.gains.pause.is_silent_within(soon) && !self.gains.is_silent_within(soon)
    }

    /// Carries out a control.
    pub fn change(&mut self, change: Change, way: &Way, setup: &Setup) {
        let silent = !self.heard || self.stands_still(way);
        let soft = |over: u32| if silent && over == 0 { 0 } else { over.max(setup.declick) };
        match change {
            Change::Stop { fade } => self.stop(fade, Curve::Straight, setup),
            // What nobody hears stands still at once: what was only now told to come up, too.
            Change::Pause { .. } if silent || self.gains.pause.now() == 0.0 => {
                self.gains.pause.hurry_to(0.0, 0);
            }
            Change::Pause { fade } => self.gains.pause.hurry_to(0.0, soft(fade)),
            Change::Resume { fade } => self.declick_in(fade, setup),
            Change::Mute(mute) => {
                self.gains.mute.hurry_to(if mute { 0.0 } else { 1.0 }, soft(0));
            }
            Change::Gain { to, over } => self.gains.gain.ramp_to(to, soft(over)),
            Change::Pan { to, over } => self.gains.set_pan(to, soft(over)),
            Change::Speed { to, over } => {
                self.speed = to;
                if !self.bend_speed_to(to, soft(over)) {
                    self.source.set_speed(to * self.pace, soft(over), setup.declick, setup.rate);
                }
            }
            Change::Seek { to } => {
                if self.source.seek(to, self.leaves_tail(way)) {
                    self.jump_here(setup);
                }
            }
            Change::LowPass { .. } | Change::HighPass { .. } | Change::Send { .. } => {
                self.shape.change(change);
            }
            Change::EndLoop => {
                let jumps = self.source.end_loop_jumps();
                let heard = if jumps { self.leaves_tail(way) } else { !silent };
                if self.source.end_loop(heard) {
                    self.jump_here(setup);
                }
            }
        }
    }

    /// Fades out, and is over then.
    pub fn stop(&mut self, fade: u32, curve: Curve, setup: &Setup) {
        self.stopping = true;
        self.gains.fade.hurry_out(fade.max(setup.declick), curve);
    }

    /// Makes it louder by a factor, beside all that the game says of its gain: it has the power of others
    /// that were merged into it.
    pub fn boost(&mut self, factor: f32, setup: &Setup) {
        if let Some(held) = self.held_boost() {
            *held = (*held * factor).min(MOST_BOOST);
            return;
        }
        let boost = &mut self.gains.boost;
        let to = (boost.target() * factor).min(MOST_BOOST);
        boost.ramp_to(to, if self.heard { setup.declick } else { 0 });
    }

    /// Whether a control makes it go on elsewhere in its sound, so that what it played until now must fade out
    /// behind it. A stream that is heard goes there when it can.
    pub fn jumps(&self, change: Change, way: &Way) -> Jump {
        let jumps = match change {
            Change::Seek { .. } => true,
            Change::EndLoop => self.source.end_loop_jumps(),
            _ => false,
        };
        match jumps {
            false => Jump::None,
            true if self.is_stream() && self.leaves_tail(way) => Jump::WhenItCan,
            true => Jump::AtOnce,
        }
    }

    /// The line on which it may have been told to loop no more is over.
    pub fn forget_loop(&mut self) {
        self.source.forget_loop();
    }

    /// Comes up from silence where it has jumped to. If it lacks something, the rest of that slope was for the place it
    /// came from, too.
    pub(super) fn jump_here(&mut self, setup: &Setup) {
        if self.held_boost().is_some() {
            self.gains.boost = Ramp::rest(0.0);
        }
        self.come_up_here(setup);
    }

    /// Comes up from silence here.
    fn come_up_here(&mut self, setup: &Setup) {
        // If it is being paused, the rest of that fade was for the place it came from. If it was
        // resumed with a fade, the rest of that is still to come.
        let before = mem::replace(&mut self.gains.pause, Ramp::rest(0.0));
        if before.target() > 0.0 {
            let slowly = Some(before.remaining()).filter(|left| *left > setup.declick);
            self.declick_in(slowly.unwrap_or(0), setup);
        }
    }

    /// Loses its voice, and goes on without being heard: what was under way is done at once.
    pub fn enter_parking(&mut self, setup: &Setup) {
        self.gains.pause = Ramp::rest(self.gains.pause.target());
        self.straighten(0, setup);
        self.source.finish_glide();
        self.rest_stream();
    }

    /// Gets a voice: comes up from silence where it has got to in the meantime.
    pub fn leave_parking(&mut self, setup: &Setup) {
        self.wake_stream();
        self.forget_loop();
        if self.gains.pause.target() > 0.0 {
            self.come_up_here(setup);
        }
    }

    pub fn is_over(&self) -> bool {
        self.source.is_over()
    }

    pub fn is_stopping(&self) -> bool {
        self.stopping
    }

    /// Whether it is gone as soon as it would be if it were stolen.
    pub fn is_leaving(&self, setup: &Setup) -> bool {
        self.stopping && self.gains.fade.remaining() <= setup.declick
    }

    /// Whether it is paused itself.
    pub fn is_paused(&self) -> bool {
        self.gains.pause.is_silent()
    }

    /// Whether it has been heard, and is not paused itself: what it goes on with is in the midst
    /// of a sound.
    pub fn has_begun(&self) -> bool {
        self.heard && !self.is_paused()
    }

    /// Whether it stands still, paused by itself or with its bus.
    pub fn stands_still(&self, way: &Way) -> bool {
        self.is_paused() || way.is_paused()
    }

    /// Whether it would leave anything behind if it were cut off now. What was only now told to come up, by itself or
    /// with its bus, has not been heard from where it is.
    pub fn leaves_tail(&self, way: &Way) -> bool {
        self.is_sounding(way) && self.gains.pause.now() > 0.0 && !way.begins_silent()
    }

    /// Whether some of it has been heard, and it does not stand still.
    pub fn is_sounding(&self, way: &Way) -> bool {
        self.heard && !self.stands_still(way)
    }

    pub fn state(&self, way: &Way) -> VoiceState {
        if self.stands_still(way) {
            VoiceState::Paused
        } else if self.stopping {
            VoiceState::Stopping
        } else {
            VoiceState::Playing
        }
    }

    pub fn frame(&self) -> u32 {
        self.source.frame()
    }

    pub fn gain(&self) -> f32 {
        self.gains.gain.now()
    }

    /// Its pan: that of its place, if it has one.
    pub fn pan(&self) -> f32 {
        self.spot.as_ref().map_or(self.gains.pan(), Spot::pan)
    }
}
