//! The gains that are a voice's own. Those of the buses on its way out are a [`Way`].

use super::fade::Fade;
use super::ramp::{Pan, Ramp, Sides};
use crate::audio::bus::Way;
use crate::audio::kernel::{Gain, Gains, Slope};
use crate::units;

/// Room for the gains of as many frames as are ever mixed at once.
pub(in crate::audio) struct GainCurves {
    left: Box<[f32]>,
    right: Box<[f32]>,
    slope: Slope,
}

impl GainCurves {
    pub fn new(frames: usize) -> GainCurves {
        let ones = || vec![1.0; frames].into_boxed_slice();
        GainCurves { left: ones(), right: ones(), slope: Slope::LEVEL }
    }
}

/// The gains of both sides that change nothing.
const CENTRE: [f32; 2] = [1.0; 2];

/// What a voice's samples are multiplied by, before the buses.
#[derive(Clone, Copy)]
pub(in crate::audio) struct VoiceGains {
    pub gain: Ramp,
    /// In at the start, and out at the end.
    pub fade: Fade,
    /// Down while it is paused; up from silence wherever it begins in the middle.
    pub pause: Ramp,
    pub mute: Ramp,
    /// Above 1 if it has the power of others that were merged into it.
    pub boost: Ramp,
    pan: Pan,
    /// The pan as it was asked for.
    pan_set: f32,
    /// What is heard of its place.
    pub place: Sides,
}

impl VoiceGains {
    /// Open but for the pause, which is silent until the voice comes up.
    pub fn new(gain: f32, pan: f32, muted: bool) -> VoiceGains {
        VoiceGains {
            gain: Ramp::rest(gain),
            fade: Fade::OPEN,
            pause: Ramp::rest(0.0),
            mute: Ramp::rest(if muted { 0.0 } else { 1.0 }),
            boost: Ramp::rest(1.0),
            pan: Pan::rest(units::pan(pan)),
            pan_set: pan,
            place: Sides::UNTOUCHED,
        }
    }

    /// All of them but for the pan, in the order in which they are multiplied; of the fade its straight line.
    fn all(&self) -> [&Ramp; 5] {
        [&self.gain, self.fade.line(), &self.pause, &self.mute, &self.boost]
    }

    /// The product of every gain to the ear, if none of them moves: the way out first, then the
    /// voice's own, then the pan, then the place. Always in this order, so that it is the same to the bit.
    pub fn steady(&self, way: &Way) -> Option<[f32; 2]> {
        let way = way.steady()?;
        let own = self.all();
        let sides_rest = self.pan.is_at_rest() && self.place.is_at_rest();
        if !sides_rest || !own.into_iter().all(Ramp::is_at_rest) {
            return None;
        }
        let gain = own.into_iter().fold(way, |gain, ramp| gain * ramp.target());
        let ([left, right], [near, far]) = (self.pan.target(), self.place.target());
        Some([gain * left * near, gain * right * far])
    }

    /// The same for the coming frames, if one of them moves, and goes on after them.
    #[inline(never)]
    pub fn slope(&self, frames: u32, way: &Way) -> Option<Slope> {
        if !self.pan.is_at_rest() || self.fade.is_curving() {
            return None;
        }
        if !self.place.is_at_rest() {
            return self.turn(frames, way);
        }
        // What stands of both sides is told by one number a side.
        if self.pan.target() != CENTRE && self.place.target() != CENTRE {
            return None;
        }
        match way.steady() {
            Some(steady) => self.slope_of(frames, steady, self.all().into_iter()),
            None => self.slope_of(frames, 1.0, way.all().chain(self.all())),
        }
    }

    /// The same if it is the place that moves, and nothing else.
    fn turn(&self, frames: u32, way: &Way) -> Option<Slope> {
        let (steady, own) = (way.steady()?, self.all());
        if self.pan.target() != CENTRE || !own.into_iter().all(Ramp::is_at_rest) {
            return None;
        }
        self.place.slope(frames, own.into_iter().fold(steady, |gain, ramp| gain * ramp.target()))
    }

    /// The same for gains of which those before are multiplied already.
    #[inline(always)]
    fn slope_of<'a>(
        &self,
        frames: u32,
        mut before: f32,
        mut ramps: impl Iterator<Item = &'a Ramp>,
    ) -> Option<Slope> {
        let moving = loop {
            let ramp = ramps.next()?;
            if !ramp.is_at_rest() {
                break ramp;
            }
            before *= ramp.target();
        };
        let mut after = [1.0; 2];
        let mut places = after.iter_mut();
        for ramp in ramps {
            if !ramp.is_at_rest() {
                return None;
            }
            if ramp.target() != 1.0 {
                *places.next()? = ramp.target();
            }
        }
        let ([left, right], [near, far]) = (self.pan.target(), self.place.target());
        moving.slope(frames, before, after, [left * near, right * far])
    }

    /// The same for each of the coming frames, if any of them moves.
    pub fn upcoming<'a>(&self, frames: u32, way: &Way, curves: &'a mut GainCurves) -> Gains<'a> {
        if let Some(gains) = self.steady(way) {
            return Gains::Each(Gain::Steady(gains));
        }
        // Where the way moves, something of the voice's own mostly moves too.
        if way.steady().is_some()
            && let Some(slope) = self.slope(frames, way)
        {
            curves.slope = slope;
            return Gains::Each(Gain::Sloped(&curves.slope, 0));
        }
        let left = curves.left.get_mut(..frames as usize).unwrap_or_default();
        let right = curves.right.get_mut(..frames as usize).unwrap_or_default();
        let own = self.all();
        let mut moving = own.as_slice();
        match way.steady() {
            _ if self.fade.is_curving() => {
                way.fill(left);
                self.gain.apply(left);
                self.fade.apply(left);
                moving = moving.get(2..).unwrap_or_default();
            }
            Some(mut steady) => {
                while let [first, rest @ ..] = moving
                    && first.is_at_rest()
                {
                    (steady, moving) = (steady * first.target(), rest);
                }
                left.fill(steady);
            }
            None => way.fill(left),
        }
        moving.iter().for_each(|ramp| ramp.apply(left));
        self.pan.split(left, right);
        self.place.apply(left, right);
        Gains::Curve { left, right }
    }

    /// What they make of the voice's level: a rising one counts as risen, a falling one as it is.
    pub fn level(&self) -> f32 {
        let VoiceGains { gain, fade, pause, mute, boost, .. } = self;
        let before = self.place.upcoming() * gain.upcoming() * fade.upcoming();
        [pause, mute, boost].into_iter().fold(before, |gain, ramp| gain * ramp.upcoming())
    }

    /// The same for the gains of the two sides by its own pan.
    pub fn sides(&self) -> [f32; 2] {
        self.pan.upcoming()
    }

    /// Whether any of them but the pause is silent, or will be in no more than so many frames.
    pub fn is_silent_within(&self, frames: u32) -> bool {
        let mut own = [&self.gain, self.fade.line(), &self.mute].into_iter();
        own.any(|ramp| ramp.is_silent_within(frames)) || self.place.is_silent_within(frames)
    }

    pub fn advance(&mut self, frames: u32) {
        let VoiceGains { gain, fade, pause, mute, boost, .. } = self;
        [gain, pause, mute, boost].into_iter().for_each(|ramp| ramp.advance(frames));
        fade.advance(frames);
        self.pan.advance(frames);
        self.place.advance(frames);
    }

    pub fn set_pan(&mut self, pan: f32, over: u32) {
        self.pan_set = pan;
        self.pan.ramp_to(units::pan(pan), over);
    }

    /// The pan as it was asked for.
    pub fn pan(&self) -> f32 {
        self.pan_set
    }
}
