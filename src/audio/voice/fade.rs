//! How a voice comes up and goes down: straight, or with the power of a cross-fade.

use super::ramp::Ramp;

/// The gain with which a voice fades in at its start and out at its end. Its value is a function of its frame, as
/// that of every [`Ramp`] is.
#[derive(Clone, Copy, Debug)]
pub(in crate::audio) struct Fade {
    /// The straight line with the same ends.
    line: Ramp,
    curve: Curve,
}

/// How it gets there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::audio) enum Curve {
    /// On a straight line.
    Straight,
    /// Up as a sine, down as a cosine: what goes down and what comes up have the same power together on every
    /// frame, if they are strangers to each other.
    EqualPower,
}

impl Fade {
    /// Neither in nor out.
    pub const OPEN: Fade = Fade { line: Ramp::rest(1.0), curve: Curve::Straight };

    /// Comes up from silence.
    pub fn in_over(frames: u32, curve: Curve) -> Fade {
        Fade { line: Ramp::between(0.0, 1.0, frames), curve }
    }

    /// Turns towards silence, from where it is. If it is on its way there already, it may be hurried, but it is
    /// never held up.
    pub fn hurry_out(&mut self, frames: u32, curve: Curve) {
        if self.line.target() != 0.0 || frames < self.remaining() {
            *self = Fade { line: Ramp::between(self.now(), 0.0, frames), curve };
        }
    }

    /// The straight line with the same ends: it stands when this does, and where. On the way it is this only if
    /// this is no [curve](Fade::is_curving).
    pub fn line(&self) -> &Ramp {
        &self.line
    }

    /// Whether it is on its way, and that is no straight line.
    pub fn is_curving(&self) -> bool {
        self.curve == Curve::EqualPower && !self.line.is_at_rest()
    }

    fn now(&self) -> f32 {
        if self.is_curving() { self.on_curve(0) } else { self.line.now() }
    }

    /// What counts for the ear: a rising value as risen, a falling one as it is.
    pub fn upcoming(&self) -> f32 {
        self.now().max(self.line.target())
    }

    /// How many frames until it stands.
    pub fn remaining(&self) -> u32 {
        self.line.remaining()
    }

    pub fn is_at_rest(&self) -> bool {
        self.line.is_at_rest()
    }

    pub fn advance(&mut self, frames: u32) {
        self.line.advance(frames);
    }

    /// Multiplies each of the coming frames' values in.
    pub fn apply(&self, curve: &mut [f32]) {
        if !self.is_curving() {
            return self.line.apply(curve);
        }
        let (curved, flat) = curve.split_at_mut(curve.len().min(self.remaining() as usize));
        for (frame, value) in (0..).zip(curved) {
            *value *= self.on_curve(frame);
        }
        flat.iter_mut().for_each(|value| *value *= self.line.target());
    }

    /// Its value some frames from now, if it is still on its way then. Downwards it is the way up, backwards.
    fn on_curve(&self, frames: u32) -> f32 {
        let ([from, to], [gone, all]) = (self.line.ends(), self.line.way(frames));
        if to > from {
            from + (to - from) * quarter_sine(f64::from(gone) / f64::from(all))
        } else {
            to + (from - to) * quarter_sine(f64::from(all - gone) / f64::from(all))
        }
    }
}

/// The sine of so much of a right angle, from 0 to 1: the first terms of its series, more than a single
/// precision can tell. Our own, so that it is the same everywhere, and can be worked out for several frames
/// at once.
fn quarter_sine(part: f64) -> f32 {
    const TERMS: [f64; 7] = [
        -0.6459640975062462,
        0.07969262624616703,
        -0.004681754135318687,
        0.00016044118478735975,
        -3.598843235212084e-06,
        5.692172921967924e-08,
        -6.688035109811464e-10,
    ];
    let square = part * part;
    let rest = TERMS.iter().rev().fold(0.0, |sum, term| (sum + term) * square);
    (part * (std::f64::consts::FRAC_PI_2 + rest)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(fade: Fade, frames: usize) -> Vec<f32> {
        let mut values = vec![1.0; frames];
        fade.apply(&mut values);
        values
    }

    fn out_over(frames: u32) -> Fade {
        let mut fade = Fade::OPEN;
        fade.hurry_out(frames, Curve::EqualPower);
        fade
    }

    #[test]
    fn a_quarter_of_a_sine_is_a_sine_to_the_last_bit() {
        let mut before = 0.0;
        for n in 0..=100_000u32 {
            let part = f64::from(n) / 100_000.0;
            let (ours, sine) = (quarter_sine(part), libm::sin(part * std::f64::consts::FRAC_PI_2));
            assert!((f64::from(ours) - sine).abs() < 3.1e-8, "{part}: {ours} and not {sine}");
            assert!(ours >= before && ours <= 1.0, "{part}: {ours} after {before}");
            before = ours;
        }
        assert_eq!((quarter_sine(0.0), quarter_sine(1.0)), (0.0, 1.0));
    }

    #[test]
    fn what_goes_down_and_what_comes_up_have_one_power_together() {
        let up = values(Fade::in_over(1000, Curve::EqualPower), 1002);
        let down = values(out_over(1000), 1002);
        for (frame, (up, down)) in up.iter().zip(&down).enumerate() {
            assert!((up * up + down * down - 1.0).abs() < 2e-7, "frame {frame}: {up} and {down}");
        }
        assert_eq!([up[0], up[1000], up[1001]], [0.0, 1.0, 1.0]);
        assert_eq!([down[0], down[1000], down[1001]], [1.0, 0.0, 0.0]);
        assert!((up[500] - 0.5f32.sqrt()).abs() < 1e-6);
    }

    #[test]
    fn a_curve_that_is_left_goes_on_from_where_it_is() {
        let mut fade = Fade::in_over(1000, Curve::EqualPower);
        fade.advance(500);
        let half = fade.now();
        fade.hurry_out(300, Curve::EqualPower);
        assert_eq!((fade.now(), fade.upcoming(), fade.remaining()), (half, half, 300));
        assert!((values(fade, 201)[200] - half * 0.5).abs() < 1e-6, "a cosine of 60 degrees");
        fade.advance(200);
        fade.hurry_out(500, Curve::Straight);
        assert!(fade.remaining() == 100 && fade.is_curving(), "it is never held up");
        fade.hurry_out(50, Curve::Straight);
        assert!(!fade.is_curving());
        assert!((values(fade, 26)[25] - half * 0.25).abs() < 1e-6, "straight from there");
    }

    #[test]
    fn a_fade_is_the_same_however_it_is_cut() {
        let mut from_the_midst = Fade::in_over(11, Curve::EqualPower);
        from_the_midst.advance(4);
        from_the_midst.hurry_out(9, Curve::EqualPower);
        let curved = Fade::in_over(11, Curve::EqualPower);
        for fade in [curved, Fade::in_over(11, Curve::Straight), out_over(13), from_the_midst] {
            let whole = values(fade, 20);
            for cut in 0..20 {
                let mut rest = fade;
                rest.advance(cut as u32);
                assert_eq!([values(fade, cut), values(rest, 20 - cut)].concat(), whole);
            }
        }
    }
}
