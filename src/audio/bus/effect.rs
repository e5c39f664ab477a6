//! An effect of the game's own on a bus: it comes in and goes without a click, and is watched.
//!
//! What it does is not ours, so every quantum it gives is looked at. One that panics, or that gives
//! what no mix can go on from, is out from that quantum on: the last frame that was good slopes to
//! silence, and then what the bus plays comes up without it. One after the other and not across each
//! other: two slopes at once would be too steep for a 100 Hz sine.

use crate::Frame;
use crate::audio::voice::ramp::Ramp;
use crate::effect::{Effect, EffectTrouble, is_sound};
use crate::guarded::guarded;
use crate::link::message::QUANTUM;

/// One side of a quantum.
type Side = [f32; QUANTUM];

pub(in crate::audio) struct EffectSlot {
    /// The one that plays, or comes in.
    current: Option<Box<dyn Effect>>,
    /// The one that goes, while `cross` is on its way.
    old: Option<Box<dyn Effect>>,
    /// From the old one to the current one; where there is none, it is what came in.
    cross: Ramp,
    /// What follows upon trouble.
    outage: Option<Outage>,
    /// What waits to be sent home: nothing new comes in before that, so that there is always room.
    replaced: Option<Box<dyn Effect>>,
    failed: Option<Box<dyn Effect>>,
    /// The last frame that was put out; none if it was that which came in.
    last: Option<Frame>,
    /// What the current one said after its latest quantum.
    says_silent: bool,
    /// How long a slope takes: the whole quanta that cover the declick.
    slope: u32,
}

/// Down from the last frame that was good, and then up with what there is.
struct Outage {
    last: Frame,
    fall: Ramp,
    rise: Ramp,
}

impl EffectSlot {
    pub fn new(declick: u32) -> EffectSlot {
        EffectSlot {
            current: None,
            old: None,
            cross: Ramp::rest(1.0),
            outage: None,
            replaced: None,
            failed: None,
            last: None,
            says_silent: true,
            slope: declick.max(1).next_multiple_of(QUANTUM as u32),
        }
    }

    /// Puts another effect, or none, in the place of the one that plays, on a line of the grid: on a
    /// bus that is heard by a cross-fade, else at once.
    ///
    /// The newcomer comes back, and nothing changes, as long as an earlier one is still on its way out
    /// or was not taken.
    pub fn set(
        &mut self,
        new: Option<Box<dyn Effect>>,
        heard: bool,
    ) -> Result<(), Option<Box<dyn Effect>>> {
        let is_free = self.replaced.is_none() && self.failed.is_none();
        if !self.cross.is_at_rest() || !is_free {
            return Err(new);
        }
        if self.current.is_none() && new.is_none() {
            return Ok(());
        }
        let old = std::mem::replace(&mut self.current, new);
        // Whatever it is, it is asked once it has played.
        self.says_silent = false;
        if heard {
            self.old = old;
            self.cross = Ramp::between(0.0, 1.0, self.slope);
        } else {
            self.replaced = old;
        }
        Ok(())
    }

    /// Whether one is still on its way in or out.
    pub fn is_changing(&self) -> bool {
        !self.cross.is_at_rest()
    }

    /// One that another has taken the place of, to be sent home.
    pub fn take_replaced(&mut self) -> Option<Box<dyn Effect>> {
        self.replaced.take()
    }

    /// One that was taken out because it failed, to be sent home.
    pub fn take_failed(&mut self) -> Option<Box<dyn Effect>> {
        self.failed.take()
    }

    /// Whether anything is done to what comes in.
    pub fn is_on(&self) -> bool {
        self.current.is_some() || !self.cross.is_at_rest() || self.outage.is_some()
    }

    /// Whether nothing more comes, as long as nothing comes in: then a quantum may be
    /// [left out](Self::skip).
    pub fn is_silent(&self) -> bool {
        !self.is_on() || self.says_silent && self.cross.is_at_rest() && self.outage.is_none()
    }

    /// Leaves out a quantum in which nothing came in and nothing was to come out.
    pub fn skip(&mut self) {
        self.last = self.is_on().then_some([0.0; 2]);
    }

    /// Makes what goes on of a quantum that came in. Tells of trouble with the current effect, which is
    /// then out; one that was on its way out anyway just goes sooner.
    pub fn process(&mut self, left: &mut Side, right: &mut Side) -> Option<EffectTrouble> {
        if !self.is_on() {
            return None;
        }
        let first = [left[0], right[0]];
        let fades = !self.cross.is_at_rest();
        let mut going = [[0.0; QUANTUM]; 2];
        let mut has_gone = false;
        if fades {
            going = [*left, *right];
            let [left, right] = &mut going;
            has_gone = run(&mut self.old, left, right).is_err();
        }
        let mut trouble = None;
        match run(&mut self.current, left, right) {
            Ok(says_silent) => self.says_silent = says_silent,
            Err(what) => {
                self.failed = self.current.take();
                trouble = Some(what);
            }
        }
        if trouble.is_some() || has_gone {
            // Nobody hears the rest of a cross-fade.
            self.cross = Ramp::rest(1.0);
            let last = self.last.unwrap_or(first);
            let (fall, rise) =
                (Ramp::between(1.0, 0.0, self.slope), Ramp::between(0.0, 1.0, self.slope));
            self.outage = Some(Outage { last, fall, rise });
        } else if fades {
            let mut gains = [1.0; QUANTUM];
            self.cross.apply(&mut gains);
            for (side, going) in [&mut *left, &mut *right].into_iter().zip(&going) {
                for ((sample, going), gain) in side.iter_mut().zip(going).zip(&gains) {
                    *sample = going * (1.0 - gain) + *sample * gain;
                }
            }
            self.cross.advance(QUANTUM as u32);
        }
        if self.cross.is_at_rest() && self.old.is_some() {
            self.replaced = self.old.take();
        }
        if self.outage.as_mut().is_some_and(|outage| outage.shape(left, right)) {
            self.outage = None;
        }
        for sample in left.iter_mut().chain(right.iter_mut()) {
            // Numbers with few bits left cost what comes after them many times what others do.
            *sample = if sample.abs() < f32::MIN_POSITIVE { 0.0 } else { *sample };
        }
        self.last = self.is_on().then_some([left[QUANTUM - 1], right[QUANTUM - 1]]);
        trouble
    }
}

impl Outage {
    /// Makes its part of a quantum. Whether it is over then.
    fn shape(&mut self, left: &mut Side, right: &mut Side) -> bool {
        let falls = !self.fall.is_at_rest();
        let ramp = if falls { &mut self.fall } else { &mut self.rise };
        for (side, last) in [left, right].into_iter().zip(self.last) {
            if falls {
                side.fill(last);
            }
            ramp.apply(side);
        }
        ramp.advance(QUANTUM as u32);
        self.rise.is_at_rest()
    }
}

/// Has an effect make its quantum, and asks whether it is silent. Without one nothing happens.
fn run(
    effect: &mut Option<Box<dyn Effect>>,
    left: &mut Side,
    right: &mut Side,
) -> Result<bool, EffectTrouble> {
    let Some(effect) = effect else { return Ok(true) };
    // It is never called again if it unwinds, so nobody sees what it left half done.
    let played = guarded(|| {
        effect.process(left, right);
        effect.is_silent()
    });
    match played {
        Some(says_silent) if all_sound(left) && all_sound(right) => Ok(says_silent),
        Some(_) => Err(EffectTrouble::NotFinite),
        None => Err(EffectTrouble::Panicked),
    }
}

/// Looks at every sample: a loop that stops at the first would take several times as long.
fn all_sound(side: &Side) -> bool {
    side.iter().fold(true, |all, sample| all & is_sound(*sample))
}

#[cfg(test)]
mod tests;
