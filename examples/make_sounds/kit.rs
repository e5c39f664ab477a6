//! The toolkit: chance, time, shapes, filters, bodies, space, files.

use std::f64::consts::{FRAC_PI_4, PI, TAU};
use std::path::Path;

use libm::{cos, exp, sin, tan, tanh};

pub const RATE: f64 = 48_000.0;
/// Below what the sounds need, above the slow push that a burst of noise leaves behind.
pub const DC_BLOCK_HZ: f64 = 22.0;
/// Long enough not to click, short enough to leave a transient its bite.
pub const FADE_IN: f64 = 0.0005;
/// Takes what is left of a decay to exactly 0; short sounds give half their length to it.
pub const FADE_OUT: f64 = 0.15;

/// One channel of sound.
pub type Track = Vec<f64>;

/// SplitMix64: small, and the same everywhere.
pub struct Rng(u64);

impl Rng {
    /// The seed is the name's FNV-1a hash.
    pub fn named(name: &str) -> Self {
        Rng(name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        low + (high - low) * ((z >> 11) as f64 / (1u64 << 53) as f64)
    }

    /// One sample of white noise.
    pub fn noise(&mut self) -> f64 {
        self.between(-1.0, 1.0)
    }
}

pub fn frames(seconds: f64) -> usize {
    (seconds * RATE).round() as usize
}

pub fn silence(seconds: f64) -> Track {
    vec![0.0; frames(seconds)]
}

/// A sound as a function of time, in seconds.
pub fn render(seconds: f64, mut sample: impl FnMut(f64) -> f64) -> Track {
    let times = (0..frames(seconds)).map(|i| i as f64 / RATE);
    times.map(&mut sample).collect()
}

/// Noise shaped by `sample(time, noise)`, as a loop without a seam: the same noise goes around twice and
/// only the second lap is kept, when the filters have forgotten that there was ever a start.
pub fn render_loop(rng: &mut Rng, seconds: f64, mut sample: impl FnMut(f64, f64) -> f64) -> Track {
    let noise = render(seconds, |_| rng.noise());
    let mut block = Filter::default();
    let mut shaped = |t| block.high(sample(t, noise[frames(t)]), DC_BLOCK_HZ);
    let mut lap = || render(seconds, &mut shaped);
    lap();
    lap()
}

/// An oscillator whose pitch may move: its phase is summed, not computed from the time.
#[derive(Default)]
pub struct Sine(f64);

impl Sine {
    pub fn at(&mut self, hertz: f64) -> f64 {
        self.0 = (self.0 + hertz / RATE).fract();
        sin(TAU * self.0)
    }
}

/// Struck: a quick rise, then a decay with time constant `tau`.
pub fn strike(t: f64, attack: f64, tau: f64) -> f64 {
    (1.0 - exp(-t / attack)) * exp(-t / tau)
}

/// Swelling: from 0 at `start` to 1 at `top` and back to 0 at `end`, all rounded.
pub fn swell(t: f64, start: f64, top: f64, end: f64) -> f64 {
    let (rise, sink) = ((t - start) / (top - start), (end - t) / (end - top));
    0.5 - 0.5 * cos(PI * rise.min(sink).clamp(0.0, 1.0))
}

/// From `high` towards `low`, as dropping pitches and closing filters go.
pub fn fall(t: f64, high: f64, low: f64, tau: f64) -> f64 {
    low + (high - low) * exp(-t / tau)
}

/// A slow wave between 0 and 1; with whole `turns` in a loop's `period`, it closes there.
pub fn tide(t: f64, period: f64, turns: f64, phase: f64) -> f64 {
    0.5 + 0.5 * sin(TAU * (turns * t / period + phase))
}

/// A state-variable filter in its trapezoidal form, which stays calm while its frequency is swept.
#[derive(Default)]
pub struct Filter {
    band: f64,
    low: f64,
}

impl Filter {
    /// The low, band and high outputs; the band has unit gain at its centre.
    pub fn split(&mut self, input: f64, hertz: f64, q: f64) -> (f64, f64, f64) {
        let g = tan(PI * hertz / RATE);
        let k = 1.0 / q;
        let band = (self.band + g * (input - self.low)) / (1.0 + g * (g + k));
        let low = self.low + g * band;
        self.band = 2.0 * band - self.band;
        self.low = 2.0 * low - self.low;
        (low, k * band, input - k * band - low)
    }

    pub fn low(&mut self, input: f64, hertz: f64) -> f64 {
        self.split(input, hertz, 0.7).0
    }

    pub fn band(&mut self, input: f64, hertz: f64, q: f64) -> f64 {
        self.split(input, hertz, q).1
    }

    pub fn high(&mut self, input: f64, hertz: f64) -> f64 {
        self.split(input, hertz, 0.7).2
    }
}

/// Rounds the peaks off, as air and loudspeakers do; 1 stays 1.
pub fn saturate(x: f64, drive: f64) -> f64 {
    tanh(drive * x) / tanh(drive)
}

/// What a body sings when struck: (ratio to its pitch, gain, share of its decay) of each partial.
pub type Body = [(f64, f64, f64)];

/// The ratios of a free bar's bending, which are not in tune with one another; its near-twin makes it beat,
/// as no metal is perfectly even.
#[rustfmt::skip]
pub const BAR: &Body = &[(1.0, 1.0, 1.0), (1.003, 0.5, 0.8), (2.756, 0.55, 0.45), (5.404, 0.3, 0.2)];
pub const SPARK: &Body = &[(1.0, 1.0, 1.0), (1.52, 0.7, 0.7), (2.17, 0.45, 0.45)];
pub const WOOD: &Body = &[(1.0, 1.0, 1.0), (1.71, 0.6, 0.75), (2.83, 0.35, 0.45)];

pub fn ring(seconds: f64, hertz: f64, decay: f64, body: &Body) -> Track {
    let partial = |t: f64, &(ratio, gain, share): &(f64, f64, f64)| {
        gain * strike(t, 0.0004, decay * share) * sin(TAU * ratio * hertz * t)
    };
    render(seconds, |t| body.iter().map(|p| partial(t, p)).sum())
}

/// A speck of filtered noise: a pebble, a spark, a drop on a leaf.
pub fn grain(rng: &mut Rng, hertz: f64, q: f64, tau: f64) -> Track {
    let mut filter = Filter::default();
    let speck = |t| strike(t, 0.0003, tau) * filter.band(rng.noise(), hertz, q);
    render(6.0 * tau, speck)
}

/// Adds a sound at a time; what would lie beyond the end is lost.
pub fn add(to: &mut Track, from: &[f64], at: f64, gain: f64) {
    let onto = to.iter_mut().skip(frames(at));
    onto.zip(from).for_each(|(to, x)| *to += gain * x);
}

/// Adds a sound to a stereo loop, placed between left (-1) and right (1); what would lie beyond the end
/// comes round to the beginning.
pub fn add_around(to: &mut [Track], from: &[f64], at: f64, gain: f64, place: f64) {
    let angle = FRAC_PI_4 * (1.0 + place);
    for (track, side) in to.iter_mut().zip([cos(angle), sin(angle)]) {
        add_round(track, from, at, gain * side);
    }
}

/// Adds a sound to one channel of a loop, in which it comes round.
pub fn add_round(to: &mut Track, from: &[f64], at: f64, gain: f64) {
    let length = to.len();
    for (i, x) in from.iter().enumerate() {
        to[(frames(at) + i) % length] += gain * x;
    }
}

/// Grains between two times and two pitches: dense and strong at first, then fewer and weaker.
pub fn scatter(
    to: &mut Track,
    rng: &mut Rng,
    count: u32,
    at: [f64; 2],
    hertz: [f64; 2],
    gain: f64,
) {
    for _ in 0..count {
        let late = rng.between(0.0, 1.0);
        let (pitch, tau) = (rng.between(hertz[0], hertz[1]), rng.between(0.001, 0.008));
        let gain = gain * rng.between(0.1, 1.0) * (1.0 - 0.8 * late);
        let when = at[0] + (at[1] - at[0]) * late * late;
        add(to, &grain(rng, pitch, 2.5, tau), when, gain);
    }
}

/// Puts a sound into a little space, early reflections each later, weaker and duller than the one before,
/// and ends it cleanly: no offset, and silence at both ends.
pub fn one_shot(dry: Track, wet: f64) -> Vec<Track> {
    let mut out = dry.clone();
    let (mut gain, mut bright) = (wet, 6_500.0);
    for milliseconds in [7.3, 11.9, 17.1, 23.9, 31.7, 43.3, 57.1] {
        let mut wall = Filter::default();
        let dulled: Track = dry.iter().map(|&x| wall.low(x, bright)).collect();
        add(&mut out, &dulled, milliseconds / 1000.0, gain);
        gain *= -0.78; // the changing sign keeps the bass from piling up
        bright *= 0.8;
    }
    let end = (out.len() - 1) as f64 / RATE;
    let fade_out = FADE_OUT.min(0.5 * end);
    let mut block = Filter::default();
    vec![render(end + 1.0 / RATE, |t| {
        let fade = swell(t, 0.0, FADE_IN, f64::MAX) * swell(end - t, 0.0, fade_out, f64::MAX);
        fade * block.high(out[frames(t)], DC_BLOCK_HZ)
    })]
}

pub fn write_wav(path: &Path, channels: &[Track]) -> hound::Result<()> {
    let spec = hound::WavSpec {
        channels: channels.len() as u16,
        sample_rate: RATE as u32,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut file = hound::WavWriter::create(path, spec)?;
    for i in 0..channels[0].len() {
        for track in channels {
            file.write_sample((32_767.0 * track[i]).round() as i16)?;
        }
    }
    file.finalize()
}
