//! Makes the sounds of this crate again: every file in `sounds/`, computed from nothing but this program.
//!
//! ```text
//! cargo run --release --example make_sounds [folder]
//! ```
//!
//! The bytes are the same on every machine: the random numbers are our own, sines and exponentials come
//! from `libm`, and nothing depends on the platform. Each sound draws from a generator seeded by its name,
//! so that changing one leaves all the others as they were.

use std::error::Error;
use std::f64::consts::{FRAC_PI_4, PI, TAU};
use std::path::{Path, PathBuf};

use libm::{cos, exp, log10, pow, sin, tan, tanh};

const RATE: f64 = 48_000.0;
/// Below what the sounds need, above the slow push that a burst of noise leaves behind.
const DC_BLOCK_HZ: f64 = 22.0;
/// Long enough not to click, short enough to leave a transient its bite.
const FADE_IN: f64 = 0.0005;
/// Takes what is left of a decay to exactly 0; short sounds give half their length to it.
const FADE_OUT: f64 = 0.15;

/// One channel of sound.
type Track = Vec<f64>;

/// A file's name, its peak in dB, and what makes its channels.
type Recipe = (&'static str, f64, fn(&mut Rng) -> Vec<Track>);

#[rustfmt::skip] // a table is easier to read than tuples one under another
const RECIPES: [Recipe; 15] = [
    ("ambience_bed", -18.0, ambience_bed),
    ("chime",        -10.0, chime),
    ("coin",          -9.0, coin),
    ("drone_loop",   -18.0, drone_loop),
    ("explosion",     -3.0, explosion),
    ("footstep_1",   -11.0, |rng| footstep(rng, 0.092, 172.0, 1.00, 30)),
    ("footstep_2",   -11.5, |rng| footstep(rng, 0.110, 151.0, 0.80, 22)),
    ("footstep_3",   -10.5, |rng| footstep(rng, 0.079, 189.0, 1.20, 40)),
    ("rain_loop",    -12.0, rain_loop),
    ("sparkle_tick", -12.0, sparkle_tick),
    ("thud",          -7.0, thud),
    ("ui_click",     -12.0, ui_click),
    ("wand_swish",    -9.0, wand_swish),
    ("whoosh_small", -12.0, whoosh_small),
    ("zap",           -8.0, zap),
];

fn main() -> Result<(), Box<dyn Error>> {
    let ours = || Path::new(env!("CARGO_MANIFEST_DIR")).join("sounds");
    let folder = std::env::args_os().nth(1).map_or_else(ours, PathBuf::from);
    std::fs::create_dir_all(&folder)?;

    println!("name          seconds  channels  peak dB   RMS dB     bytes");
    let mut total = 0;
    for (name, peak_db, make) in RECIPES {
        let mut channels = make(&mut Rng::named(name));
        let samples = || channels.iter().flatten();
        let peak = samples().fold(0.0, |peak, x| x.abs().max(peak));
        let gain = pow(10.0, peak_db / 20.0) / peak;
        let power = samples().map(|x| x * x).sum::<f64>() / samples().count() as f64;
        let rms_db = 10.0 * log10(power * gain * gain);
        channels.iter_mut().flatten().for_each(|x| *x *= gain);

        let path = folder.join(name).with_extension("wav");
        write_wav(&path, &channels)?;
        let bytes = std::fs::metadata(&path)?.len();
        total += bytes;
        let (seconds, count) = (channels[0].len() as f64 / RATE, channels.len());
        println!("{name:<12} {seconds:>8.3} {count:>9} {peak_db:>8.1} {rms_db:>8.1} {bytes:>9}");
    }
    println!("total {total:>53}");
    Ok(())
}

// ---- The toolkit: chance, time, shapes, filters, bodies, space, files ----

/// SplitMix64: small, and the same everywhere.
struct Rng(u64);

impl Rng {
    /// The seed is the name's FNV-1a hash.
    fn named(name: &str) -> Self {
        Rng(name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        low + (high - low) * ((z >> 11) as f64 / (1u64 << 53) as f64)
    }

    /// One sample of white noise.
    fn noise(&mut self) -> f64 {
        self.between(-1.0, 1.0)
    }
}

fn frames(seconds: f64) -> usize {
    (seconds * RATE).round() as usize
}

fn silence(seconds: f64) -> Track {
    vec![0.0; frames(seconds)]
}

/// A sound as a function of time, in seconds.
fn render(seconds: f64, mut sample: impl FnMut(f64) -> f64) -> Track {
    let times = (0..frames(seconds)).map(|i| i as f64 / RATE);
    times.map(&mut sample).collect()
}

/// Noise shaped by `sample(time, noise)`, as a loop without a seam: the same noise goes around twice and
/// only the second lap is kept, when the filters have forgotten that there was ever a start.
fn render_loop(rng: &mut Rng, seconds: f64, mut sample: impl FnMut(f64, f64) -> f64) -> Track {
    let noise = render(seconds, |_| rng.noise());
    let mut block = Filter::default();
    let mut shaped = |t| block.high(sample(t, noise[frames(t)]), DC_BLOCK_HZ);
    let mut lap = || render(seconds, &mut shaped);
    lap();
    lap()
}

/// An oscillator whose pitch may move: its phase is summed, not computed from the time.
#[derive(Default)]
struct Sine(f64);

impl Sine {
    fn at(&mut self, hertz: f64) -> f64 {
        self.0 = (self.0 + hertz / RATE).fract();
        sin(TAU * self.0)
    }
}

/// Struck: a quick rise, then a decay with time constant `tau`.
fn strike(t: f64, attack: f64, tau: f64) -> f64 {
    (1.0 - exp(-t / attack)) * exp(-t / tau)
}

/// Swelling: from 0 at `start` to 1 at `top` and back to 0 at `end`, all rounded.
fn swell(t: f64, start: f64, top: f64, end: f64) -> f64 {
    let (rise, sink) = ((t - start) / (top - start), (end - t) / (end - top));
    0.5 - 0.5 * cos(PI * rise.min(sink).clamp(0.0, 1.0))
}

/// From `high` towards `low`, as dropping pitches and closing filters go.
fn fall(t: f64, high: f64, low: f64, tau: f64) -> f64 {
    low + (high - low) * exp(-t / tau)
}

/// A slow wave between 0 and 1; with whole `turns` in a loop's `period`, it closes there.
fn tide(t: f64, period: f64, turns: f64, phase: f64) -> f64 {
    0.5 + 0.5 * sin(TAU * (turns * t / period + phase))
}

/// A state-variable filter in its trapezoidal form, which stays calm while its frequency is swept.
#[derive(Default)]
struct Filter {
    band: f64,
    low: f64,
}

impl Filter {
    /// The low, band and high outputs; the band has unit gain at its centre.
    fn split(&mut self, input: f64, hertz: f64, q: f64) -> (f64, f64, f64) {
        let g = tan(PI * hertz / RATE);
        let k = 1.0 / q;
        let band = (self.band + g * (input - self.low)) / (1.0 + g * (g + k));
        let low = self.low + g * band;
        self.band = 2.0 * band - self.band;
        self.low = 2.0 * low - self.low;
        (low, k * band, input - k * band - low)
    }

    fn low(&mut self, input: f64, hertz: f64) -> f64 {
        self.split(input, hertz, 0.7).0
    }

    fn band(&mut self, input: f64, hertz: f64, q: f64) -> f64 {
        self.split(input, hertz, q).1
    }

    fn high(&mut self, input: f64, hertz: f64) -> f64 {
        self.split(input, hertz, 0.7).2
    }
}

/// Rounds the peaks off, as air and loudspeakers do; 1 stays 1.
fn saturate(x: f64, drive: f64) -> f64 {
    tanh(drive * x) / tanh(drive)
}

/// What a body sings when struck: (ratio to its pitch, gain, share of its decay) of each partial.
type Body = [(f64, f64, f64)];

/// The ratios of a free bar's bending, which are not in tune with one another; its near-twin makes it beat,
/// as no metal is perfectly even.
#[rustfmt::skip]
const BAR: &Body = &[(1.0, 1.0, 1.0), (1.003, 0.5, 0.8), (2.756, 0.55, 0.45), (5.404, 0.3, 0.2)];
const SPARK: &Body = &[(1.0, 1.0, 1.0), (1.52, 0.7, 0.7), (2.17, 0.45, 0.45)];
const WOOD: &Body = &[(1.0, 1.0, 1.0), (1.71, 0.6, 0.75), (2.83, 0.35, 0.45)];

fn ring(seconds: f64, hertz: f64, decay: f64, body: &Body) -> Track {
    let partial = |t: f64, &(ratio, gain, share): &(f64, f64, f64)| {
        gain * strike(t, 0.0004, decay * share) * sin(TAU * ratio * hertz * t)
    };
    render(seconds, |t| body.iter().map(|p| partial(t, p)).sum())
}

/// A speck of filtered noise: a pebble, a spark, a drop on a leaf.
fn grain(rng: &mut Rng, hertz: f64, q: f64, tau: f64) -> Track {
    let mut filter = Filter::default();
    let speck = |t| strike(t, 0.0003, tau) * filter.band(rng.noise(), hertz, q);
    render(6.0 * tau, speck)
}

/// Adds a sound at a time; what would lie beyond the end is lost.
fn add(to: &mut Track, from: &[f64], at: f64, gain: f64) {
    let onto = to.iter_mut().skip(frames(at));
    onto.zip(from).for_each(|(to, x)| *to += gain * x);
}

/// Adds a sound to a stereo loop, placed between left (-1) and right (1); what would lie beyond the end
/// comes round to the beginning.
fn add_around(to: &mut [Track], from: &[f64], at: f64, gain: f64, place: f64) {
    let angle = FRAC_PI_4 * (1.0 + place);
    for (track, side) in to.iter_mut().zip([cos(angle), sin(angle)]) {
        let length = track.len();
        for (i, x) in from.iter().enumerate() {
            track[(frames(at) + i) % length] += gain * side * x;
        }
    }
}

/// Grains between two times and two pitches: dense and strong at first, then fewer and weaker.
fn scatter(to: &mut Track, rng: &mut Rng, count: u32, at: [f64; 2], hertz: [f64; 2], gain: f64) {
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
fn one_shot(dry: Track, wet: f64) -> Vec<Track> {
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

fn write_wav(path: &Path, channels: &[Track]) -> hound::Result<()> {
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

// ---- The sounds ----

/// A night meadow: wind that swells and leans from side to side, and three crickets far off.
fn ambience_bed(rng: &mut Rng) -> Vec<Track> {
    let period = 4.0;
    let mut wind = |lean: f64| {
        let [mut body, mut rumble, mut grass, mut hiss]: [Filter; 4] = Default::default();
        render_loop(rng, period, |t, noise| {
            let gust = 0.4 * tide(t, period, 1.0, lean) + 0.6 * tide(t, period, 2.0, 0.3 + lean);
            let air = body.low(noise, 180.0 + 260.0 * gust);
            let air = rumble.high(air, 90.0) * (0.7 + 0.3 * gust);
            let blades = grass.band(noise, 420.0 + 480.0 * gust, 3.0) * 0.3 * gust;
            air + blades + hiss.band(noise, 2_400.0, 0.8) * 0.025 * gust
        })
    };
    let mut field = vec![wind(0.0), wind(0.17)];
    for (hertz, chirps, place) in [(4_150.0, 7, -0.7), (4_620.0, 6, 0.8), (5_080.0, 9, 0.1)] {
        // Four strokes of the wings, each a little louder and flatter than the last.
        let chirp = render(0.14, |t| {
            let stroke = (t / 0.034).floor().min(3.0);
            let wings = swell(t - stroke * 0.034, 0.0, 0.012, 0.024);
            wings * (0.55 + 0.15 * stroke) * sin(TAU * (hertz - 25.0 * stroke) * t)
        });
        for n in 0..chirps {
            let at = period * (f64::from(n) + rng.between(0.3, 0.42)) / f64::from(chirps);
            add_around(&mut field, &chirp, at, 0.09, place);
            add_around(&mut field, &chirp, at + 0.071, 0.018, -0.5 * place); // off the trees
        }
    }
    field
}

/// A wind chime stirred once: a few small bars, each struck in passing.
fn chime(rng: &mut Rng) -> Vec<Track> {
    let mut out = silence(1.25);
    let mut at = 0.0;
    for hertz in [1_568.0, 2_093.0, 1_760.0, 2_637.0, 2_349.3, 3_136.0] {
        let bar = ring(1.2, hertz * rng.between(0.997, 1.003), 0.34, BAR);
        add(&mut out, &bar, at, rng.between(0.5, 1.0));
        at += rng.between(0.05, 0.1);
    }
    one_shot(out, 0.3)
}

/// A gold coin flipped and caught: a short ring at E6, then one a fourth above that stays.
fn coin(rng: &mut Rng) -> Vec<Track> {
    let mut out = silence(0.75);
    for (hertz, at, decay, gain) in [(1_318.5, 0.0, 0.07, 0.8), (1_760.0, 0.082, 0.26, 1.0)] {
        let rim = ring(0.66, 2.0 * hertz, decay, BAR);
        add(&mut out, &ring(0.66, hertz, decay, BAR), at, gain);
        add(&mut out, &rim, at, 0.4 * gain);
        add(&mut out, &grain(rng, 9_000.0, 0.8, 0.002), at, gain); // nail on metal
    }
    one_shot(out, 0.16)
}

/// Something large asleep under the floor: A1 and its fifth, breathing, brighter and darker by turns.
fn drone_loop(rng: &mut Rng) -> Vec<Track> {
    let period = 3.0;
    let mut partials = Vec::new();
    // In thirds of a hertz, so that each makes whole turns in the loop; the near-twins beat once in it.
    for (thirds, gain) in [(165, 1.0), (166, 0.8), (247, 0.4), (329, 0.3)] {
        for harmonic in 1..=14 {
            let hertz = f64::from(thirds * harmonic) / period;
            // Phases of their own: in step they would all peak at the seam.
            partials.push((hertz, gain / f64::from(harmonic), rng.between(0.0, TAU)));
        }
    }
    let mut breath = Filter::default();
    vec![render_loop(rng, period, |t, noise| {
        let light = tide(t, period, 1.0, 0.0);
        let mut sum = breath.band(noise, 300.0 + 200.0 * light, 1.5) * (0.1 + 0.2 * light);
        for &(hertz, gain, phase) in &partials {
            let lit = 1.0 / (1.0 + pow(hertz / (140.0 + 260.0 * light), 3.0));
            sum += gain * lit * sin(TAU * hertz * t + phase);
        }
        saturate(0.3 * sum, 1.2)
    })]
}

/// A blast close by: a crack, a fireball going dark, a thump that drops, debris coming down.
fn explosion(rng: &mut Rng) -> Vec<Track> {
    let [mut crack, mut fire, mut rumble, mut flutter]: [Filter; 4] = Default::default();
    let mut thump = Sine::default();
    let mut out = render(1.6, |t| {
        let noise = rng.noise();
        let snap = crack.high(noise, 2_500.0) * strike(t, 0.0003, 0.012);
        let ball = fire.low(noise, fall(t, 9_000.0, 220.0, 0.12)) * strike(t, 0.002, 0.32);
        let drop = thump.at(fall(t, 140.0, 38.0, 0.1)) * strike(t, 0.003, 0.2);
        let roll = (2.5 + 15.0 * flutter.low(rng.noise(), 11.0)) * strike(t, 0.06, 0.45);
        let far = roll * rumble.low(noise, 140.0);
        saturate(0.7 * snap + 1.3 * ball + drop + far, 1.8)
    });
    scatter(&mut out, rng, 70, [0.06, 1.4], [900.0, 5_500.0], 0.45);
    scatter(&mut out, rng, 30, [0.15, 1.2], [350.0, 1_200.0], 0.45);
    one_shot(out, 0.35)
}

/// One step on a gravelled boardwalk: the heel knocks and crushes, the toe rolls and scatters.
fn footstep(rng: &mut Rng, toe: f64, wood: f64, bright: f64, stones: u32) -> Vec<Track> {
    let mut out = silence(0.26);
    let gravel = [1_100.0 * bright, 6_500.0 * bright];
    for (at, weight, crush) in [(0.002, 1.0, 0.05), (toe, 0.4, 0.1)] {
        add(&mut out, &ring(0.15, wood, 0.013, WOOD), at, 0.45 * weight);
        add(&mut out, &grain(rng, 3.0 * wood, 0.7, 0.009), at, weight);
        let crunch = 0.8 + 0.5 * weight;
        scatter(&mut out, rng, stones, [at, at + crush], gravel, crunch);
    }
    out.iter_mut().for_each(|x| *x = saturate(*x, 1.5)); // a shoe is softer than stone
    one_shot(out, 0.12)
}

/// Steady rain: far drops melt into a wash of noise, near ones tick on leaves or plink in puddles.
fn rain_loop(rng: &mut Rng) -> Vec<Track> {
    let period = 2.5;
    let mut wash = |lean: f64| {
        let [mut cut, mut body, mut air]: [Filter; 3] = Default::default();
        render_loop(rng, period, |t, noise| {
            let wet = body.band(noise, 1_300.0, 0.5) + 0.5 * air.band(noise, 6_000.0, 0.5);
            cut.high(wet, 350.0) * (0.13 + 0.03 * tide(t, period, 1.0, lean))
        })
    };
    let mut shower = vec![wash(0.0), wash(0.4)];
    for n in 0..1_100 {
        let drop = if n % 3 == 0 {
            // A bubble closes behind the drop: its pitch rises as it shrinks.
            let (hertz, tau) = (rng.between(1_200.0, 5_200.0), rng.between(0.003, 0.011));
            let mut bubble = Sine::default();
            let plink = |t| bubble.at(hertz * (1.0 + 12.0 * t)) * strike(t, 0.0008, tau);
            render(7.0 * tau, plink)
        } else {
            let (hertz, tau) = (rng.between(1_800.0, 8_500.0), rng.between(0.001, 0.004));
            grain(rng, hertz, 1.5, tau)
        };
        let near = pow(rng.between(0.0, 1.0), 3.0); // most are far away
        let (at, place) = (rng.between(0.0, period), rng.between(-1.0, 1.0));
        add_around(&mut shower, &drop, at, 0.02 + 0.32 * near, place);
    }
    shower
}

/// A single spark from the wand: tiny, bright and gone, since hundreds of them play at once.
fn sparkle_tick(rng: &mut Rng) -> Vec<Track> {
    let mut out = ring(0.045, 5_230.0, 0.009, SPARK);
    add(&mut out, &grain(rng, 11_000.0, 0.7, 0.001), 0.0, 0.8);
    one_shot(out, 0.0) // a room of its own would blur the cloud that many make
}

/// A heavy sack on a wooden floor: a dull drop, a slap of cloth, boards that answer.
fn thud(rng: &mut Rng) -> Vec<Track> {
    let (mut drop, mut cloth) = (Sine::default(), Filter::default());
    let mut out = render(0.4, |t| {
        let body = drop.at(fall(t, 150.0, 55.0, 0.03)) * strike(t, 0.002, 0.06);
        let slap = cloth.low(rng.noise(), fall(t, 2_200.0, 180.0, 0.02)) * strike(t, 0.001, 0.03);
        saturate(body + 0.9 * slap, 1.6)
    });
    add(&mut out, &ring(0.35, 168.0, 0.045, WOOD), 0.004, 0.35);
    one_shot(out, 0.25)
}

/// A small wooden key pressed: a click, then the knock of its bed.
fn ui_click(rng: &mut Rng) -> Vec<Track> {
    let mut out = silence(0.06);
    add(&mut out, &grain(rng, 5_500.0, 1.0, 0.0015), 0.0, 0.9);
    add(&mut out, &ring(0.05, 1_480.0, 0.006, WOOD), 0.004, 0.8);
    one_shot(out, 0.1)
}

/// A wand drawn through the air, trailing faint glitter.
fn wand_swish(rng: &mut Rng) -> Vec<Track> {
    let mut out = swish(rng, 0.6, 0.17, 650.0, 4_300.0);
    for _ in 0..26 {
        let (at, hertz) = (rng.between(0.1, 0.42), rng.between(4_500.0, 10_500.0));
        let gain = rng.between(0.02, 0.07);
        add(&mut out, &ring(0.12, hertz, 0.02, SPARK), at, gain);
    }
    one_shot(out, 0.25)
}

/// A quick hand or a pebble going past: shorter and lower, with no magic in it.
fn whoosh_small(rng: &mut Rng) -> Vec<Track> {
    one_shot(swish(rng, 0.3, 0.1, 380.0, 1_700.0), 0.15)
}

/// Moving air: a band of noise whose pitch follows the speed, and a narrow whistle above it.
fn swish(rng: &mut Rng, seconds: f64, top: f64, slow_hz: f64, fast_hz: f64) -> Track {
    let [mut air, mut edge, mut whistle]: [Filter; 3] = Default::default();
    render(seconds, |t| {
        let speed = swell(t, 0.0, top, 0.95 * seconds);
        let centre = slow_hz * pow(fast_hz / slow_hz, speed);
        let noise = rng.noise();
        let wide = air.band(noise, centre, 1.6);
        let wide = edge.low(wide, 2.2 * centre);
        pow(speed, 1.4) * (wide + 0.5 * whistle.band(noise, 1.7 * centre, 9.0))
    })
}

/// A bolt from the wand: a falling, snarling discharge with sparks breaking off it.
fn zap(rng: &mut Rng) -> Vec<Track> {
    let (mut carrier, mut modulator, mut arc) = <(Sine, Sine, Filter)>::default();
    let mut out = render(0.45, |t| {
        let hertz = fall(t, 3_400.0, 190.0, 0.07);
        let snarl = modulator.at(0.37 * hertz + 60.0) * 1.9 * hertz;
        let buzz = 0.55 + 0.45 * sin(TAU * 118.0 * t + 2.0 * sin(TAU * 31.0 * t));
        let bolt = carrier.at(hertz + snarl) * buzz;
        let spit = arc.band(rng.noise(), 2.5 * hertz, 1.5);
        saturate((0.7 * bolt + 0.8 * spit) * strike(t, 0.001, 0.11), 2.2)
    });
    scatter(&mut out, rng, 40, [0.0, 0.36], [3_000.0, 10_000.0], 0.8);
    one_shot(out, 0.22)
}
