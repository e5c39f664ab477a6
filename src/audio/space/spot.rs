//! A place, and what the ear makes of it.

use super::motion::Motion;
use super::{Space, difference, dot};
use crate::audio::voice::ramp::Ramp;
use crate::link::message::{Ears, Placed, QUANTUM};
use crate::space::{Attenuation, Distance, Point};
use crate::units;

/// The speed of sound in air, in metres a second.
const SOUND: f64 = 343.0;

/// No movement bends a pitch further than by an octave.
const MOST_BEND: f64 = 2.0;

/// How much a pitch is bent at most from one line to the next: a tenth in 18 ms. What moves as things do
/// stays far below it; what sets out at once glides there.
const BEND_A_LINE: f64 = 0.015;

/// Gains below this, -160 dB, are silence, as they are at the door.
const LEAST_GAIN: f64 = 1e-8;

/// Where a play is, and how it is heard from there.
#[derive(Clone, Copy, Debug)]
pub(in crate::audio) struct Spot {
    position: Point,
    attenuation: Attenuation,
    /// What the distance model makes of the far end, before it is brought to 0 there.
    floor: f64,
    motion: Motion,
    /// Whether it was moved on this line.
    moved: bool,
    /// The pan by direction, as it was last worked out.
    pan: f32,
    /// How its speed is bent, if it is.
    bend: Option<Bend>,
}

/// How a moving play's speed is bent.
#[derive(Clone, Copy, Debug)]
pub(in crate::audio) struct Bend {
    /// By how much, when the next line is reached.
    pub ratio: f32,
    /// Its own speed, which may be on its way at the same time.
    pub speed: Ramp,
}

/// What is heard of a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::audio) struct Heard {
    /// The gains of both sides.
    pub sides: [f32; 2],
    pub pan: f32,
    pub distance: f32,
    /// Whether nothing of it is heard.
    pub is_silent: bool,
}

impl Spot {
    pub fn new(Placed { position, attenuation }: Placed, now: u64) -> Spot {
        let floor = model_gain(&attenuation, f64::from(attenuation.far));
        let motion = Motion::at(now);
        Spot { position, attenuation, floor, motion, moved: false, pan: 0.0, bend: None }
    }

    pub fn position(&self) -> Point {
        self.position
    }

    pub fn far(&self) -> f32 {
        self.attenuation.far
    }

    /// The pan by direction.
    pub fn pan(&self) -> f32 {
        self.pan
    }

    /// How far off it may be for a play to come back that was out of earshot: a little nearer than where it
    /// is lost, so that nothing flutters on the border. None: it is heard from everywhere.
    pub fn reach(&self) -> Option<f32> {
        Some((0.98 * self.silent_from()?) as f32)
    }

    /// From which distance on it is silent: the far one, unless it falls so steeply that it is silent before.
    /// None: it is heard from everywhere.
    fn silent_from(&self) -> Option<f64> {
        let Attenuation { model, near, far, rolloff, .. } = self.attenuation;
        let [near, far, rolloff] = [near, far, rolloff].map(f64::from);
        // What the model says where all that is left is the least.
        let least = self.floor + LEAST_GAIN * (1.0 - self.floor);
        match model {
            Distance::Inverse => Some((near + near * (1.0 / least - 1.0) / rolloff).min(far)),
            Distance::Exponential => Some((near * libm::pow(least, -1.0 / rolloff)).min(far)),
            Distance::Linear => Some(far),
            Distance::None => None,
        }
    }

    /// It has come to a place, or was brought there.
    pub fn move_to(&mut self, to: Point, jump: bool, now: u64, rate: u32) {
        self.motion.moves(self.position, to, jump || self.is_leap(to, now, rate), now, rate);
        self.position = to;
        self.moved = true;
    }

    /// Whether it would have had to go faster than sound to get there. On which frame of the last quantum it
    /// was said is not known, so it had a whole one, also to another place on the same line.
    fn is_leap(&self, to: Point, now: u64, rate: u32) -> bool {
        let took = self.motion.since(now).max(QUANTUM as u64) as f64 / f64::from(rate);
        let step = difference(self.position, to);
        let way = f64::from(self.attenuation.doppler) * dot(step, step).sqrt();
        way > SOUND * took
    }

    /// Whether it was moved since this was last asked.
    pub fn take_moved(&mut self) -> bool {
        std::mem::take(&mut self.moved)
    }

    /// What is heard of it, and remembered.
    pub fn listen(&mut self, ears: &Ears) -> Heard {
        let heard = self.heard(ears);
        self.pan = heard.pan;
        heard
    }

    /// What is heard of it.
    pub fn heard(&self, ears: &Ears) -> Heard {
        let offset = difference(ears.position, self.position);
        let distance = dot(offset, offset).sqrt();
        let gain = self.gain(distance);
        let Attenuation { width, pan, .. } = self.attenuation;
        let side = dot(offset, ears.right.wide()) / distance.max(f64::from(width));
        let pan = (f64::from(pan) * side).clamp(-1.0, 1.0) as f32;
        let sides = units::pan(pan).map(|side| (f64::from(side) * gain) as f32);
        Heard { sides, pan, distance: distance as f32, is_silent: gain == 0.0 }
    }

    /// The gain at a distance: 1 up to the near one, 0 from the far one on.
    fn gain(&self, distance: f64) -> f64 {
        let Attenuation { model, near, far, .. } = self.attenuation;
        if model == Distance::None || distance <= f64::from(near) {
            return 1.0;
        }
        if distance >= f64::from(far) {
            return 0.0;
        }
        let gain = model_gain(&self.attenuation, distance);
        let gain = ((gain - self.floor) / (1.0 - self.floor)).clamp(0.0, 1.0);
        if gain < LEAST_GAIN { 0.0 } else { gain }
    }

    // How its speed is bent.

    pub fn bend(&self) -> Option<&Bend> {
        self.bend.as_ref()
    }

    pub fn bend_mut(&mut self) -> Option<&mut Bend> {
        self.bend.as_mut()
    }

    /// Is bent no more: it is not heard, or moves no more.
    pub fn straighten(&mut self) {
        self.bend = None;
    }

    /// Moves on to what its speed will be bent by at a frame, the next line, and says whether that is anything
    /// but 1. `speed` is its own speed, if it was not bent before; at once, if nothing of it was heard yet.
    pub fn bend_by(
        &mut self,
        space: &Space,
        frame: u64,
        rate: u32,
        speed: impl FnOnce() -> Ramp,
        at_once: bool,
    ) -> bool {
        if self.attenuation.doppler == 0.0 {
            return false;
        }
        let wanted = self.ratio(space, frame, rate);
        let now = self.bend.map_or(1.0, |bend| f64::from(bend.ratio));
        let next = if at_once {
            wanted
        } else {
            wanted.clamp(now * (1.0 - BEND_A_LINE), now * (1.0 + BEND_A_LINE))
        };
        let ratio = next as f32;
        if ratio == 1.0 {
            return false;
        }
        match &mut self.bend {
            Some(bend) => bend.ratio = ratio,
            None => self.bend = Some(Bend { ratio, speed: speed() }),
        }
        true
    }

    /// Whether its movement, or the listener's, is such that it may bend what is heard.
    pub fn may_bend(&self, space: &Space, frame: u64, rate: u32) -> bool {
        let moves = |speed: [f64; 3]| speed != [0.0; 3];
        self.attenuation.doppler > 0.0
            && (moves(self.motion.speed(frame, rate)) || moves(space.listener_at(frame, rate).1))
    }

    /// The ratio by which its movement and the listener's bend what is heard, at a frame.
    fn ratio(&self, space: &Space, frame: u64, rate: u32) -> f64 {
        let (from, source) = self.motion.ahead(self.position, frame, rate);
        let (to, listener) = space.listener_at(frame, rate);
        let way = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
        let distance = dot(way, way).sqrt();
        if distance < 1e-6 {
            return 1.0;
        }
        // How fast each goes along the line from the play to the ear, in metres a second.
        let scale = f64::from(self.attenuation.doppler) * f64::from(rate) / distance;
        // Both may go faster than any one could that bends by an octave.
        let most = SOUND - 1.0;
        let towards = (dot(source, way) * scale).clamp(-SOUND, most);
        let away = (dot(listener, way) * scale).clamp(-SOUND, most);
        let ratio = (SOUND - away) / (SOUND - towards);
        ratio.clamp(1.0 / MOST_BEND, MOST_BEND)
    }
}

/// What a distance model says, before it is brought to 0 at the far end.
fn model_gain(attenuation: &Attenuation, distance: f64) -> f64 {
    let Attenuation { model, near, far, rolloff, .. } = *attenuation;
    let [near, far, rolloff] = [near, far, rolloff].map(f64::from);
    match model {
        Distance::Inverse => near / (near + rolloff * (distance - near)),
        Distance::Linear => 1.0 - (distance - near) / (far - near),
        Distance::Exponential => libm::pow(distance / near, -rolloff),
        Distance::None => 1.0,
    }
}
