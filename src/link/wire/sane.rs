//! Bytes from a stranger may say anything: what was taken is brought within the limits of what a game can say.
//! What a game did say is within them and stays as it is, to the bit.

use super::super::message::{Change, Ears, Loop, Move, Plan, Request, Shape};
use crate::duck::DuckFrames;
use crate::play::{
    sanitize_gain, sanitize_high_pass, sanitize_low_pass, sanitize_occlusion, sanitize_pan,
    sanitize_speed,
};
use crate::sound::Sound;
use crate::space::Point;

/// A gain within its limits. Nobody is told: it is no game that has said this.
fn gain(gain: f32) -> f32 {
    sanitize_gain(gain.max(0.0))
}

pub(super) fn change(change: Change) -> Change {
    match change {
        Change::Gain { to, over } => Change::Gain { to: gain(to), over },
        Change::Pan { to, over } => Change::Pan { to: sanitize_pan(to), over },
        Change::Speed { to, over } => Change::Speed { to: sanitize_speed(to), over },
        Change::LowPass { to, over } => Change::LowPass { to: sanitize_low_pass(to), over },
        Change::HighPass { to, over } => Change::HighPass { to: sanitize_high_pass(to), over },
        Change::Send { room, to, over } => Change::Send { room, to: gain(to), over },
        Change::Stop { .. }
        | Change::Pause { .. }
        | Change::Resume { .. }
        | Change::Mute(_)
        | Change::Seek { .. }
        | Change::EndLoop => change,
    }
}

pub(super) fn moved(to: Move) -> Move {
    match to {
        Move::Position { to, jump } => Move::Position { to: to.sanitized(), jump },
        Move::Occlusion { to, over } => Move::Occlusion { to: sanitize_occlusion(to), over },
    }
}

pub(super) fn duck(duck: DuckFrames) -> DuckFrames {
    DuckFrames { gain: gain(duck.gain).min(1.0), ..duck }
}

pub(super) fn ears(ears: Ears) -> Ears {
    let within = |value: f32| if value.is_nan() { 0.0 } else { value.clamp(-1.0, 1.0) };
    let Point { x, y, z } = ears.right;
    let right = Point { x: within(x), y: within(y), z: within(z) };
    Ears { position: ears.position.sanitized(), right }
}

pub(super) fn plan(plan: Plan) -> Plan {
    match plan {
        Plan::Room(reverb) => Plan::Room(reverb.sanitized()),
        Plan::Voices(_) | Plan::Submix => plan,
    }
}

fn shape(shape: Shape) -> Shape {
    Shape {
        low_pass: sanitize_low_pass(shape.low_pass),
        high_pass: sanitize_high_pass(shape.high_pass),
        sends: shape.sends.map(gain),
        occlusion: sanitize_occlusion(shape.occlusion),
    }
}

impl<S> Request<S> {
    pub(super) fn sanitized(mut self) -> Request<S> {
        self.gain = gain(self.gain);
        self.pan = sanitize_pan(self.pan);
        self.speed = sanitize_speed(self.speed);
        self.shape = shape(self.shape);
        if let Some(placed) = self.extra.as_mut().and_then(|extra| extra.placed.as_mut()) {
            placed.position = placed.position.sanitized();
            placed.attenuation = placed.attenuation.sanitized();
        }
        self
    }

    /// Ends a loop where a sound does, which may be another than the one that was meant.
    pub fn fit(&mut self, sound: &Sound) {
        let frames = sound.frame_count() as u32;
        let has_seam = |range: &Loop| range.seam == 0 || *range == sound.own_loop();
        self.looping = self.looping.filter(|range| range.start < range.end).map(|range| {
            let range = if range.end > frames { range.shortened(frames) } else { range };
            if has_seam(&range) { range } else { Loop { seam: 0, ..range } }
        });
    }
}
