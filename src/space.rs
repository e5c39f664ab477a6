//! Where things are, and what that makes of them.

use crate::link::message::{Ears, Placed};

/// A point in space, or a direction. In which unit is the game's own choice; the defaults of
/// [`Attenuation`] are made for metres.
///
/// It is made of `[x, y, z]`, of `[x, y]` (then `z` is 0), and with the feature `mint` of the points and
/// vectors of the maths crates.
///
/// ```
/// use voicepool::Point;
/// assert_eq!(Point::from([1.0, 2.0]), Point { x: 1.0, y: 2.0, z: 0.0 });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// To the right, for a [`Listener`] as it is unless told otherwise.
    pub x: f32,
    /// Up.
    pub y: f32,
    /// Towards whoever looks at the screen.
    pub z: f32,
}

impl Point {
    const fn new(x: f32, y: f32, z: f32) -> Point {
        Point { x, y, z }
    }

    /// With every coordinate within its limits: NaN is 0, and what is further off than [`FARTHEST`] is
    /// there. So no product of two of them is beyond what a number can hold.
    pub(crate) fn sanitized(self) -> Point {
        let within = |value: f32| {
            if value.is_nan() { 0.0 } else { value.clamp(-FARTHEST, FARTHEST) }
        };
        Point::new(within(self.x), within(self.y), within(self.z))
    }

    /// The same with more bits: differences of large coordinates are exact then.
    pub(crate) fn wide(self) -> [f64; 3] {
        [self.x, self.y, self.z].map(f64::from)
    }
}

/// No coordinate is farther from 0.
const FARTHEST: f32 = 1e12;

impl From<[f32; 3]> for Point {
    fn from([x, y, z]: [f32; 3]) -> Point {
        Point::new(x, y, z)
    }
}

impl From<[f32; 2]> for Point {
    fn from([x, y]: [f32; 2]) -> Point {
        Point::new(x, y, 0.0)
    }
}

#[cfg(feature = "mint")]
mod of_mint {
    use super::Point;

    impl From<mint::Point3<f32>> for Point {
        fn from(mint::Point3 { x, y, z }: mint::Point3<f32>) -> Point {
            Point { x, y, z }
        }
    }

    impl From<mint::Vector3<f32>> for Point {
        fn from(mint::Vector3 { x, y, z }: mint::Vector3<f32>) -> Point {
            Point { x, y, z }
        }
    }

    impl From<mint::Point2<f32>> for Point {
        fn from(mint::Point2 { x, y }: mint::Point2<f32>) -> Point {
            Point { x, y, z: 0.0 }
        }
    }

    impl From<mint::Vector2<f32>> for Point {
        fn from(mint::Vector2 { x, y }: mint::Vector2<f32>) -> Point {
            Point { x, y, z: 0.0 }
        }
    }
}

/// Who hears: where, looking where, and which way is up. See
/// [`Mixer::set_listener`](crate::Mixer::set_listener).
///
/// Unless told otherwise it is at 0, looks along -z and has y above it: in a 2D game right is +x then, and
/// only the position need be said.
///
/// ```
/// use voicepool::Listener;
/// let camera = Listener { position: [640.0, 360.0].into(), ..Listener::DEFAULT };
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Listener {
    /// The place of the ears.
    pub position: Point,
    /// The direction of the eyes, of any length.
    pub forward: Point,
    /// The direction of the top of the head, of any length, and not along `forward`. Where the two say
    /// nothing, because one is 0 or both lie on a line, right is +x.
    pub up: Point,
}

impl Listener {
    /// At 0, looking along -z, y up.
    pub const DEFAULT: Listener = Listener {
        position: Point::new(0.0, 0.0, 0.0),
        forward: Point::new(0.0, 0.0, -1.0),
        up: Point::new(0.0, 1.0, 0.0),
    };

    /// A listener at this place, as it is unless told otherwise in all else.
    #[must_use]
    pub fn at(position: impl Into<Point>) -> Listener {
        Listener { position: position.into(), ..Listener::DEFAULT }
    }

    /// The same in the audio side's terms: a place, and where right is.
    pub(crate) fn ears(&self) -> Ears {
        let [fx, fy, fz] = unit(self.forward.sanitized().wide());
        let [ux, uy, uz] = unit(self.up.sanitized().wide());
        let cross = [fy * uz - fz * uy, fz * ux - fx * uz, fx * uy - fy * ux];
        let length = length(cross);
        // Less than a thousandth of a degree between them.
        let right = if length > 1e-5 { cross.map(|it| it / length) } else { [1.0, 0.0, 0.0] };
        let [x, y, z] = right.map(|it| it as f32);
        Ears { position: self.position.sanitized(), right: Point::new(x, y, z) }
    }
}

impl Default for Listener {
    /// [`Listener::DEFAULT`].
    fn default() -> Listener {
        Listener::DEFAULT
    }
}

fn length([x, y, z]: [f64; 3]) -> f64 {
    (x * x + y * y + z * z).sqrt()
}

fn unit(direction: [f64; 3]) -> [f64; 3] {
    let length = length(direction);
    if length > 0.0 { direction.map(|it| it / length) } else { direction }
}

/// How a sound with a place becomes quieter with distance, how far it goes to the side, and whether its
/// pitch follows its movement. See [`Play::attenuation`](crate::Play::attenuation).
///
/// Whatever the [`model`](Attenuation::model), it is as loud as it is up to [`near`](Attenuation::near),
/// and silent from [`far`](Attenuation::far) on: exactly, so that what is farther off takes no voice.
///
/// Values out of their limits are brought to the nearest within them, and NaN is the default.
///
/// ```
/// use voicepool::{Attenuation, Distance};
///
/// // A game in pixels, on a screen 1280 wide.
/// const WORLD: Attenuation = Attenuation {
///     model: Distance::Linear,
///     near: 80.0,
///     far: 1400.0,
///     width: 640.0,
///     ..Attenuation::DEFAULT
/// };
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attenuation {
    /// The curve from `near` to `far`. Default: [`Distance::Inverse`].
    pub model: Distance,
    /// Up to this distance it is as loud as it is; at least 0.001. Default: 1.
    #[doc(alias("min_distance", "reference_distance"))]
    pub near: f32,
    /// From this distance on it is silent, and parks; more than `near`. Default: 100.
    #[doc(alias = "max_distance")]
    pub far: f32,
    /// How steeply it falls, more than 0; a straight line has no use for it. Default: 1.
    pub rolloff: f32,
    /// How far off to the side it must be to be heard on that side alone: what is nearer moves gently from
    /// side to side. More than 0; a 2D game in pixels takes half its screen. Default: 1.
    pub width: f32,
    /// How much of that is heard, from 0 (in the middle, wherever it is) to 1. Default: 1.
    #[doc(alias = "spread")]
    pub pan: f32,
    /// How much of its movement is heard as pitch, from 0 (nothing) to 100: 1 is as in air if distances
    /// are in metres, and in pixels it is the size of a pixel in metres. Default: 0.
    pub doppler: f32,
}

impl Attenuation {
    /// Inverse from 1 to 100, for metres, without doppler.
    pub const DEFAULT: Attenuation = Attenuation {
        model: Distance::Inverse,
        near: 1.0,
        far: 100.0,
        rolloff: 1.0,
        width: 1.0,
        pan: 1.0,
        doppler: 0.0,
    };

    /// With every value within its limits.
    pub(crate) fn sanitized(self) -> Attenuation {
        const LEAST: f32 = 0.001;
        let given = |value: f32, default: f32| if value.is_nan() { default } else { value };
        let Attenuation { near, far, rolloff, width, pan, doppler, model } = self;
        let default = Attenuation::DEFAULT;
        let near = given(near, default.near).clamp(LEAST, FARTHEST / 2.0);
        Attenuation {
            model,
            near,
            // The next number above it, at the least.
            far: given(far, default.far).clamp(near.next_up(), FARTHEST),
            rolloff: given(rolloff, default.rolloff).clamp(LEAST, 1000.0),
            width: given(width, default.width).clamp(LEAST, FARTHEST),
            pan: given(pan, default.pan).clamp(0.0, 1.0),
            doppler: given(doppler, default.doppler).clamp(0.0, 100.0),
        }
    }
}

impl Default for Attenuation {
    /// [`Attenuation::DEFAULT`].
    fn default() -> Attenuation {
        Attenuation::DEFAULT
    }
}

/// How loudness falls with distance: `g` below, brought to exactly 1 at `near` and 0 at `far` by
/// `(g(d) - g(far)) / (1 - g(far))`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Distance {
    /// `near / (near + rolloff * (d - near))`: as in the open air with a rolloff of 1, where twice as far
    /// is half as loud.
    #[default]
    Inverse,
    /// A straight line: easy to reason about, and everything is heard up to `far`.
    Linear,
    /// `(d / near)` to the power of `-rolloff`.
    Exponential,
    /// As loud from everywhere: only the side, and the pitch, tell where it is. It is never out of earshot.
    None,
}

impl Placed {
    /// A place, and how it is heard, within their limits.
    pub fn new(position: Point, attenuation: Attenuation) -> Placed {
        Placed { position: position.sanitized(), attenuation: attenuation.sanitized() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn right(forward: [f32; 3], up: [f32; 3]) -> Point {
        Listener { forward: forward.into(), up: up.into(), ..Listener::DEFAULT }.ears().right
    }

    #[test]
    fn right_is_where_a_person_would_say() {
        assert_eq!(Listener::DEFAULT.ears().right, [1.0, 0.0, 0.0].into());
        // Looking along +x, with y up, right is +z.
        assert_eq!(right([5.0, 0.0, 0.0], [0.0, 9.0, 0.0]), [0.0, 0.0, 1.0].into());
        // Upside down.
        assert_eq!(right([0.0, 0.0, -1.0], [0.0, -1e-9, 0.0]), [-1.0, 0.0, 0.0].into());
    }

    #[test]
    fn directions_that_say_nothing_leave_right_where_it_is() {
        for (forward, up) in [
            ([0.0; 3], [0.0, 1.0, 0.0]),
            ([0.0, 1.0, 0.0], [0.0, 1.0, 0.0]),
            ([f32::NAN; 3], [f32::INFINITY, 0.0, 0.0]),
            ([1e-30, 0.0, 0.0], [1e30, 0.0, 0.0]),
        ] {
            assert_eq!(right(forward, up), [1.0, 0.0, 0.0].into(), "{forward:?} {up:?}");
        }
    }

    #[test]
    fn absurd_values_are_sanitized_at_the_door() {
        let nan = f32::NAN;
        let absurd = Point::new(nan, f32::INFINITY, -1e30).sanitized();
        assert_eq!(absurd, Point::new(0.0, FARTHEST, -FARTHEST));
        let model = Distance::Linear;
        let all = |value| Attenuation {
            model,
            near: value,
            far: value,
            rolloff: value,
            width: value,
            pan: value,
            doppler: value,
        };
        let default = Attenuation { model, ..Attenuation::DEFAULT };
        assert_eq!(all(nan).sanitized(), default);
        let low = all(-1.0).sanitized();
        assert_eq!((low.near, low.rolloff, low.width), (0.001, 0.001, 0.001));
        assert_eq!((low.pan, low.doppler), (0.0, 0.0));
        assert!(low.far > low.near);
        let high = all(f32::INFINITY).sanitized();
        assert!(high.near < high.far && high.far.is_finite());
        assert_eq!((high.pan, high.doppler), (1.0, 100.0));
    }
}
