//! A windowed sinc: what is read between samples, for the interpolator and for the output.

use std::f64::consts::PI;

/// The weights of `N` neighbours at a fraction between the two in the middle: an ideal low-pass at
/// `cutoff` of half the rate, faded out by a Blackman-Harris window. They add up to 1, so that a
/// constant passes as it is and a slow sweep does not flutter.
pub(crate) fn weights<const N: usize>(fraction: f64, cutoff: f64) -> [f32; N] {
    let half = N as f64 / 2.0;
    let weights: [f64; N] = std::array::from_fn(|tap| {
        let x = tap as f64 - (half - 1.0) - fraction;
        if x.abs() >= half {
            return 0.0;
        }
        let turn = PI * (x / half + 1.0);
        let window = 0.358_75 - 0.488_29 * libm::cos(turn) + 0.141_28 * libm::cos(2.0 * turn)
            - 0.011_68 * libm::cos(3.0 * turn);
        let angle = PI * x * cutoff;
        window * if angle == 0.0 { 1.0 } else { libm::sin(angle) / angle }
    });
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| (weight / sum) as f32)
}
