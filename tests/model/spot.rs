//! Where something is heard from in the naive mixer: the formulas of the documentation, as they stand there.

use voicepool::{Attenuation, Distance, Listener, Point};

use super::motion::{Bend, Motion};
use super::stage::pan_law;

/// Who hears.
#[derive(Clone, Copy, Debug)]
pub struct Ears {
    pub position: Point,
    right: Point,
}

impl Ears {
    pub fn of(listener: &Listener) -> Ears {
        let forward = unit(wide(within(listener.forward)));
        let up = unit(wide(within(listener.up)));
        let right = [0, 1, 2].map(|axis: usize| {
            let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
            forward[next] * up[last] - forward[last] * up[next]
        });
        // Where the two say nothing, right is +x.
        let right = if length(right) > 1e-5 { unit(right) } else { [1.0, 0.0, 0.0] };
        let right = Point::from(right.map(|it| it as f32));
        Ears { position: within(listener.position), right }
    }
}

/// The place of a play.
#[derive(Clone, Debug)]
pub struct Spot {
    pub position: Point,
    pub how: Attenuation,
    pub motion: Motion,
    /// How its movement bends its speed, if it does.
    pub bend: Option<Bend>,
    /// Whether it was moved on this line.
    pub moved: bool,
}

impl Spot {
    pub fn new(position: Point, how: Attenuation, now: u64) -> Spot {
        let (position, how) = (within(position), in_order(how));
        Spot { position, how, motion: Motion::none(now), bend: None, moved: false }
    }

    pub fn distance(&self, ears: &Ears) -> f64 {
        length(from_to(ears.position, self.position))
    }

    /// What a distance makes of it: exactly 1 up to near, exactly 0 from far on.
    fn gain_at(&self, distance: f64) -> f64 {
        let [near, far, rolloff] = [self.how.near, self.how.far, self.how.rolloff].map(f64::from);
        let g = |d: f64| match self.how.model {
            Distance::Inverse => near / (near + rolloff * (d - near)),
            Distance::Linear => 1.0 - (d - near) / (far - near),
            Distance::Exponential => (d / near).powf(-rolloff),
            _ => unreachable!("it is as loud from everywhere"),
        };
        if self.how.model == Distance::None || distance <= near {
            1.0
        } else if distance >= far {
            0.0
        } else {
            let gain = (g(distance) - g(far)) / (1.0 - g(far));
            // What is below -160 dB is nothing.
            if gain < 1e-8 { 0.0 } else { gain }
        }
    }

    /// The gains of both sides.
    pub fn sides(&self, ears: &Ears) -> [f32; 2] {
        let offset = from_to(ears.position, self.position);
        let to_the_side = dot(offset, wide(ears.right));
        let side = to_the_side / self.distance(ears).max(self.how.width.into());
        let pan = (f64::from(self.how.pan) * side).clamp(-1.0, 1.0) as f32;
        let gain = self.gain_at(self.distance(ears));
        pan_law(pan).map(|side| (f64::from(side) * gain) as f32)
    }

    /// Whether nothing is heard from there.
    pub fn is_silent(&self, ears: &Ears) -> bool {
        self.gain_at(self.distance(ears)) == 0.0
    }

    /// Whether one who is without a voice may come back: it would be heard from a little farther off as well.
    pub fn may_return(&self, ears: &Ears) -> bool {
        self.gain_at(self.distance(ears) / 0.98) > 0.0
    }
}

/// No coordinate is farther from 0.
const FARTHEST: f32 = 1e12;

/// As the documentation of the mixer takes a point.
pub fn within(Point { x, y, z }: Point) -> Point {
    let within = |it: f32| if it.is_nan() { 0.0 } else { it.clamp(-FARTHEST, FARTHEST) };
    Point::from([x, y, z].map(within))
}

fn in_order(how: Attenuation) -> Attenuation {
    let or = |value: f32, default: f32| if value.is_nan() { default } else { value };
    let usual = Attenuation::DEFAULT;
    let near = or(how.near, usual.near).clamp(0.001, FARTHEST / 2.0);
    Attenuation {
        model: how.model,
        near,
        far: or(how.far, usual.far).clamp(near.next_up(), FARTHEST),
        rolloff: or(how.rolloff, usual.rolloff).clamp(0.001, 1000.0),
        width: or(how.width, usual.width).clamp(0.001, FARTHEST),
        pan: or(how.pan, usual.pan).clamp(0.0, 1.0),
        doppler: or(how.doppler, usual.doppler).clamp(0.0, 100.0),
    }
}

// Just enough geometry.

pub type Vector = [f64; 3];

pub fn wide(Point { x, y, z }: Point) -> Vector {
    [x, y, z].map(f64::from)
}

pub fn from_to(from: Point, to: Point) -> Vector {
    let (from, to) = (wide(from), wide(to));
    [0, 1, 2].map(|axis: usize| to[axis] - from[axis])
}

pub fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn length(vector: Vector) -> f64 {
    dot(vector, vector).sqrt()
}

fn unit(vector: Vector) -> Vector {
    let length = length(vector);
    if length > 0.0 { vector.map(|it| it / length) } else { vector }
}
