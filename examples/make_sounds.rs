//! Makes the sounds of this crate again: every file in `sounds/`, and in `examples/arena/sounds/`
//! those that only the game needs, computed from nothing but this program.
//!
//! ```text
//! cargo run --release --example make_sounds [folder]
//! ```
//!
//! The bytes are the same on every machine: the random numbers are our own, sines and exponentials come
//! from `libm`, and nothing depends on the platform. Each sound draws from a generator seeded by its name,
//! so that changing one leaves all the others as they were.

use std::error::Error;
use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

use libm::{log10, pow, sin};

#[path = "make_sounds/arena.rs"]
mod arena;
#[path = "make_sounds/kit.rs"]
mod kit;

use kit::*;

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
    let given = std::env::args_os().nth(1).map(PathBuf::from);
    println!("name          seconds  channels  peak dB   RMS dB     bytes");
    let mut total = 0;
    for (ours, recipes) in [("sounds", &RECIPES[..]), ("examples/arena/sounds", &arena::RECIPES)] {
        let ours = || Path::new(env!("CARGO_MANIFEST_DIR")).join(ours);
        let folder = given.clone().unwrap_or_else(ours);
        std::fs::create_dir_all(&folder)?;
        for recipe in recipes {
            total += make(recipe, &folder)?;
        }
    }
    println!("total {total:>53}");
    Ok(())
}

/// Makes a file, prints a line about it, and gives its size in bytes.
fn make((name, peak_db, make): &Recipe, folder: &Path) -> Result<u64, Box<dyn Error>> {
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
    let (seconds, count) = (channels[0].len() as f64 / RATE, channels.len());
    println!("{name:<12} {seconds:>8.3} {count:>9} {peak_db:>8.1} {rms_db:>8.1} {bytes:>9}");
    Ok(bytes)
}

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
