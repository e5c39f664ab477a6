//! Measures of a room's response to a click.

use std::f64::consts::PI;

use super::RATE;
use crate::Reverb;

/// White noise of power 1.
pub fn noise(seed: u32, frames: usize) -> Vec<f32> {
    let mut random = seed;
    let mut next = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as f32 / 8_388_608.0 - 1.0
    };
    (0..frames).map(|_| next() * 3f32.sqrt()).collect()
}

/// The sum of all squares.
pub fn power(samples: &[f32]) -> f64 {
    samples.iter().map(|sample| f64::from(*sample) * f64::from(*sample)).sum()
}

/// The decay that the documentation promises at a frequency, in seconds.
pub fn promised_decay(reverb: &Reverb, hz: f64) -> f64 {
    let r = 1.0 / (1.0 - 0.75 * f64::from(reverb.damping)) - 1.0;
    let x = hz / 4000.0;
    reverb.decay.as_secs_f64() / (1.0 + r * x * x / (1.0 + x * x))
}

/// The decay of both sides around a frequency in seconds: Schroeder's integral of what a band-pass
/// leaves, and the straight line through it from -5 to -35 dB.
pub fn decay_at(response: &[Vec<f32>; 2], hz: f64) -> f64 {
    let mut energy = vec![0.0; response[0].len()];
    for side in response {
        let band = band_pass(band_pass(side.iter().map(|it| f64::from(*it)), hz).into_iter(), hz);
        energy.iter_mut().zip(band).for_each(|(energy, it)| *energy += it * it);
    }
    let mut rest = 0.0;
    for energy in energy.iter_mut().rev() {
        rest += *energy;
        *energy = rest;
    }
    let (mut n, mut sx, mut sy, mut sxx, mut sxy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (frame, energy) in energy.iter().enumerate() {
        let (x, y) = (frame as f64 / f64::from(RATE), 10.0 * (energy / rest).log10());
        if (-35.0..=-5.0).contains(&y) {
            (n, sx, sy, sxx, sxy) = (n + 1.0, sx + x, sy + y, sxx + x * x, sxy + x * y);
        }
    }
    -60.0 * (n * sxx - sx * sx) / (n * sxy - sx * sy)
}

/// Leaves half an octave.
fn band_pass(samples: impl Iterator<Item = f64>, hz: f64) -> Vec<f64> {
    let (angle, q) = (2.0 * PI * hz / f64::from(RATE), 2.0);
    let (alpha, turn) = (angle.sin() / (2.0 * q), 2.0 * angle.cos());
    let (mut x1, mut x2, mut y1, mut y2) = (0.0, 0.0, 0.0, 0.0);
    samples
        .map(|x| {
            let y = (alpha * (x - x2) + turn * y1 - (1.0 - alpha) * y2) / (1.0 + alpha);
            (x2, x1, y2, y1) = (x1, x, y1, y);
            y
        })
        .collect()
}

/// How long after the first echo the echoes are as dense as Gaussian noise and stay so, in seconds: the
/// normalised echo density (Abel and Huang, 2006) of windows of 20 ms, of which each is as dense as
/// `density` from then on until `until`.
pub fn dense_after(response: &[f32], density: f64, until: f64) -> f64 {
    let window = RATE as usize / 50;
    let first = response.iter().position(|sample| *sample != 0.0).unwrap();
    let frames = (until * f64::from(RATE)) as usize;
    let hann = |n| 0.5 - 0.5 * (2.0 * PI * (f64::from(n) + 0.5) / window as f64).cos();
    let weights: Vec<f64> = (0..window as u32).map(hann).collect();
    let total: f64 = weights.iter().sum();
    let mut dense = 0;
    for (hop, samples) in response[first..frames].windows(window).enumerate().step_by(48) {
        let weighted = || samples.iter().map(|s| f64::from(s * s)).zip(&weights);
        let power = weighted().map(|(s, w)| s * w).sum::<f64>() / total;
        let beyond = weighted().filter(|(s, _)| *s > power).map(|(_, w)| w).sum::<f64>() / total;
        // Of Gaussian noise, so much is beyond its deviation.
        if beyond / 0.3173 < density {
            dense = hop + 48;
        }
    }
    dense as f64 / f64::from(RATE)
}

/// The spectrum of a response from so many seconds on: the deviation in dB from its smoothed self,
/// which is 5.6 dB for Gaussian noise that decays, and the highest peak above it.
pub fn spectrum(response: &[f32], from: f64) -> (f64, f64) {
    const LEN: usize = 1 << 17;
    let late = response.iter().skip((from * f64::from(RATE)) as usize);
    let mut re: Vec<f64> = late.map(|sample| f64::from(*sample)).take(LEN).collect();
    re.resize(LEN, 0.0);
    let mut im = vec![0.0; LEN];
    fft(&mut re, &mut im);
    let power: Vec<f64> = re.iter().zip(&im).map(|(re, im)| re * re + im * im).collect();
    let bin = |hz: f64| (hz * LEN as f64 / f64::from(RATE)) as usize;
    let (low, high, around) = (bin(150.0), bin(12_000.0), bin(75.0));
    let deviations: Vec<f64> = (low..high)
        .map(|n| {
            let near = &power[n - around..=n + around];
            10.0 * (power[n] / near.iter().sum::<f64>() * near.len() as f64).log10()
        })
        .collect();
    let mean = deviations.iter().sum::<f64>() / deviations.len() as f64;
    let square = deviations.iter().map(|it| (it - mean) * (it - mean)).sum::<f64>();
    let highest = deviations.iter().fold(0.0, |most: f64, it| most.max(*it));
    ((square / deviations.len() as f64).sqrt(), highest)
}

/// The Fourier transform in place, of a power of two.
fn fft(re: &mut [f64], im: &mut [f64]) {
    let len = re.len();
    for n in 0..len {
        let other = n.reverse_bits() >> (usize::BITS - len.trailing_zeros());
        if n < other {
            re.swap(n, other);
            im.swap(n, other);
        }
    }
    let mut half = 1;
    while half < len {
        for n in 0..half {
            let (sin, cos) = (-PI * n as f64 / half as f64).sin_cos();
            for a in (n..len).step_by(2 * half) {
                let b = a + half;
                let (x, y) = (re[b] * cos - im[b] * sin, re[b] * sin + im[b] * cos);
                (re[b], im[b]) = (re[a] - x, im[a] - y);
                (re[a], im[a]) = (re[a] + x, im[a] + y);
            }
        }
        half *= 2;
    }
}
