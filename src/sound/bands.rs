//! How the power of a sound is spread over frequencies, so that its level is known also through
//! filters.
//!
//! Half of the spectrum is split off again and again: nine bands, of an octave each but for the
//! lowest. Of each its share of the power is kept, and where in the band the centre of that lies: a
//! filter may let through four times as much of a tone at the edge of an octave as in its middle.

/// How many bands.
pub(super) const BANDS: usize = 9;

/// The all-passes whose sum and difference are the two halves of a spectrum: elliptic, 64 dB apart
/// from 0.16 of an octave beside their edge on.
const ALL_PASSES: [[f64; 2]; 2] = [[0.0919947, 0.5844608], [0.3171081, 0.8541801]];

/// How many of the highest bands come through within a millisecond or two.
const PROMPT: usize = 5;

/// How many samples are split at a time.
pub(super) const CHUNK: usize = 128;

/// Shares are kept in steps of an eighth of an octave of power, 0.38 dB, down to -62 dB: what is below
/// that may be what the splitting leaked.
const STEPS: f64 = 8.0;
const MOST_STEPS: f64 = 165.0;
const NONE: u8 = u8::MAX;

/// How far either way of its centre the power of a band is taken to lie, of its whole width: between
/// a tone's 0 and the 0.29 of noise, whose level is wrong by less.
const SPREAD: f64 = 0.12;

/// The powers of the bands, and the same times the cosines of their places.
pub(super) type Sums = [[f64; 2]; BANDS];

/// How the power of a moment is spread: of each band, from the highest to the lowest, its share of
/// the power and the place of its centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread(pub [[u8; 2]; BANDS]);

impl Spread {
    pub const NOTHING: Spread = Spread([[NONE, 0]; BANDS]);

    pub fn of(sums: &Sums) -> Spread {
        let all: f64 = sums.iter().map(|[power, _]| power).sum();
        if all <= 0.0 {
            return Spread::NOTHING;
        }
        Spread(sums.map(|[power, cosine]| {
            let steps = STEPS * libm::log2(all / power);
            let place = libm::acos((cosine / power).clamp(-1.0, 1.0)) * std::f64::consts::FRAC_1_PI;
            // What is not there is infinitely many steps down.
            if steps < MOST_STEPS {
                [(steps + 0.5) as u8, (place * 255.0 + 0.5) as u8]
            } else {
                [NONE, 0]
            }
        }))
    }

    /// Adds what a power is made of to others.
    pub fn add(&self, power: f64, sums: &mut Sums) {
        for (sum, [steps, place]) in sums.iter_mut().zip(self.0) {
            let power = power * share(steps);
            let place = f64::from(place) * (std::f64::consts::PI / 255.0);
            *sum = [sum[0] + power, sum[1] + power * libm::cos(place)];
        }
    }

    /// How much of the power a filter lets through, between this moment and a later one. It is asked
    /// for the gains of the powers of frequencies, in cycles a frame.
    pub fn through(&self, later: &Spread, between: f64, gain: impl Fn(f64) -> f64) -> f64 {
        let (mut all, mut heard, mut edge) = (0.0, 0.0, 0.5);
        let mut bands = self.0.iter().zip(&later.0).peekable();
        while let Some(([steps, place], [later_steps, later_place])) = bands.next() {
            let (here, there) = ((1.0 - between) * share(*steps), between * share(*later_steps));
            let power = here + there;
            let width = if bands.peek().is_some() { 0.5 * edge } else { edge };
            if power > 0.0 {
                let place =
                    (here * f64::from(*place) + there * f64::from(*later_place)) / (255.0 * power);
                // The upper half of a spectrum is upside down.
                let centre = if bands.peek().is_some() { 1.0 - place } else { place };
                let spread = SPREAD.min(centre).min(1.0 - centre);
                let low = edge - width;
                let at = |place: f64| gain(low + place * width);
                all += power;
                heard += power * 0.5 * (at(centre - spread) + at(centre + spread));
            }
            edge -= width;
        }
        if all > 0.0 { heard / all } else { gain(0.25) }
    }
}

/// A share of the power.
fn share(steps: u8) -> f64 {
    const EIGHTHS: [f64; 8] = [
        1.0,
        0.917004043204671,
        0.840896415253715,
        0.771105412703970,
        std::f64::consts::FRAC_1_SQRT_2,
        0.648419777325505,
        0.594603557501361,
        0.545253866332629,
    ];
    if steps == NONE {
        return 0.0;
    }
    EIGHTHS[usize::from(steps % 8)] * f64::from_bits((1023 - u64::from(steps / 8)) << 52)
}

/// Splits one channel into bands.
#[derive(Clone, Copy)]
pub(super) struct Splitter([Split; BANDS - 1], f64);

impl Splitter {
    pub fn new() -> Splitter {
        Splitter([Split::default(); BANDS - 1], 0.0)
    }

    /// Adds the next samples, which are overwritten, to the sums of the bands.
    pub fn split(&mut self, samples: &mut [f64], sums: &mut Sums) {
        // With every split there are half as many samples, and each stands for twice as many.
        let (mut rest, mut counts) = (samples, 1.0);
        for (split, sum) in self.0.iter_mut().zip(&mut *sums) {
            counts *= 2.0;
            let low = split.run(rest, counts, sum);
            rest = rest.get_mut(..low).unwrap_or_default();
        }
        if let Some([power, cosine]) = sums.last_mut() {
            for sample in rest {
                *power += counts * *sample * *sample;
                *cosine += counts * *sample * self.1;
                self.1 = *sample;
            }
        }
    }

    /// Adds what of the lower bands is still on its way, over so many frames of silence. Of the upper
    /// ones that is next to nothing, and where a sound breaks off they would hear a click.
    pub fn finish(&mut self, frames: usize, sums: &mut Sums) {
        let mut late = *sums;
        for _ in 0..frames.div_ceil(CHUNK) {
            self.split(&mut [0.0; CHUNK], &mut late);
        }
        for (sum, late) in sums.iter_mut().zip(late).skip(PROMPT) {
            *sum = late;
        }
    }
}

/// Splits a spectrum in two, at half the rate each.
#[derive(Clone, Copy, Default)]
struct Split {
    /// What the all-passes hold: those of the first path, and of the second.
    first: [f64; 3],
    second: [f64; 3],
    /// The sample that waits for its other half, if there is one.
    waiting: Option<f64>,
    /// The last of the upper half.
    last: f64,
}

impl Split {
    /// Writes the lower half over the samples and returns how many those are; adds the upper half to
    /// a sum. In names, as the weighting, because of unoptimised builds.
    fn run(&mut self, samples: &mut [f64], counts: f64, [power, cosine]: &mut [f64; 2]) -> usize {
        let [[a, b], [c, d]] = ALL_PASSES;
        let [mut a0, mut a1, mut b1] = self.first;
        let [mut c0, mut c1, mut d1] = self.second;
        let (mut last, mut sum, mut product) = (self.last, 0.0, 0.0);
        let (mut read, mut written) = (0, 0);
        let mut even = self.waiting;
        while read < samples.len() {
            let sample = samples[read];
            read += 1;
            let Some(before) = even.take() else {
                even = Some(sample);
                continue;
            };
            let a_out = (sample - a1) * a + a0;
            let b_out = (a_out - b1) * b + a1;
            (a0, a1, b1) = (sample, a_out, b_out);
            let c_out = (before - c1) * c + c0;
            let d_out = (c_out - d1) * d + c1;
            (c0, c1, d1) = (before, c_out, d_out);
            let high = 0.5 * (b_out - d_out);
            samples[written] = 0.5 * (b_out + d_out);
            written += 1;
            sum += high * high;
            product += high * last;
            last = high;
        }
        let at_rest = |value: f64| if value.abs() < 1e-30 { 0.0 } else { value };
        self.first = [a0, a1, b1].map(at_rest);
        self.second = [c0, c1, d1].map(at_rest);
        self.waiting = even;
        self.last = at_rest(last);
        *power += counts * sum;
        *cosine += counts * product;
        written
    }
}

#[cfg(test)]
mod tests;
