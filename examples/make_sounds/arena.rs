//! The sounds of the game `arena`.

use std::f64::consts::TAU;

use libm::{pow, sin};

use super::Recipe;
use super::kit::*;

#[rustfmt::skip] // a table is easier to read than tuples one under another
pub const RECIPES: [Recipe; 5] = [
    ("growl_loop",  -9.0, growl_loop),
    ("line",        -7.0, line),
    ("music_loop", -12.0, music_loop),
    ("roar",        -3.0, roar),
    ("shot",        -9.0, shot),
];

/// What a throat does to a buzz: each formant is (Hz, Q, gain).
type Vowel = [(f64, f64, f64); 3];

#[derive(Default)]
struct Throat([Filter; 3]);

impl Throat {
    fn shape(&mut self, buzz: f64, vowel: &Vowel, size: f64) -> f64 {
        let filters = self.0.iter_mut().zip(vowel);
        filters.map(|(filter, &(hertz, q, gain))| gain * filter.band(buzz, hertz / size, q)).sum()
    }
}

/// Vocal cords at a phase of their cycle, from 0 to 1: a pulse that closes sooner than it opens.
fn cords(phase: f64) -> f64 {
    let open = (phase / 0.6).min(1.0);
    open * open * (1.0 - open) * 6.75 - 0.28
}

const AH: Vowel = [(730.0, 8.0, 1.0), (1_090.0, 10.0, 0.6), (2_440.0, 14.0, 0.25)];
const EH: Vowel = [(530.0, 8.0, 1.0), (1_840.0, 14.0, 0.5), (2_480.0, 16.0, 0.3)];
const EE: Vowel = [(290.0, 6.0, 1.0), (2_250.0, 16.0, 0.4), (3_000.0, 18.0, 0.3)];
const OH: Vowel = [(500.0, 7.0, 1.0), (880.0, 10.0, 0.6), (2_400.0, 14.0, 0.15)];
const OO: Vowel = [(320.0, 6.0, 1.0), (800.0, 10.0, 0.4), (2_250.0, 14.0, 0.1)];

/// Something with teeth, breathing in and out of its throat.
fn growl_loop(rng: &mut Rng) -> Vec<Track> {
    let period = 1.6;
    let (mut throat, mut air) = <(Throat, Filter)>::default();
    vec![render_loop(rng, period, |t, noise| {
        let breath = tide(t, period, 1.0, -0.25);
        // Whole turns in the loop: 56 Hz on the average, bent by its breath, and a flutter of the lips.
        let bend = 2.2 * sin(TAU * t / period) + 0.3 * sin(TAU * 5.0 * t / period);
        let phase = (56.25 * t + bend + 8.0).fract();
        let lips = 0.55 + 0.45 * sin(TAU * 28.125 * t);
        let rasp = air.band(noise, 900.0 + 700.0 * breath, 1.2) * (0.2 + 0.5 * breath);
        let voice = throat.shape(cords(phase) * lips + 0.35 * rasp * lips, &OH, 1.35);
        saturate((0.35 + 0.65 * breath) * (2.2 * voice + 0.25 * rasp), 2.0)
    })]
}

/// The boss: a chest the size of a house, opening its mouth and closing it.
fn roar(rng: &mut Rng) -> Vec<Track> {
    let [mut open, mut closed] = <[Throat; 2]>::default();
    let (mut air, mut chest, mut phase) = (Filter::default(), Sine::default(), 0.0);
    let out = render(1.9, |t| {
        let mouth = swell(t, 0.0, 0.35, 1.7);
        let hertz = 62.0 + 58.0 * mouth + 3.0 * sin(TAU * 23.0 * t);
        phase = (phase + hertz / RATE).fract();
        let rasp = air.band(rng.noise(), 500.0 + 1_500.0 * mouth, 0.8);
        let buzz = cords(phase) * (1.0 + 0.5 * sin(TAU * 31.0 * t)) + 0.45 * rasp * mouth;
        let voice = mouth * open.shape(buzz, &AH, 1.6) + 0.5 * closed.shape(buzz, &OO, 1.6);
        let body = 0.35 * chest.at(0.5 * hertz);
        let loud = swell(t, 0.0, 0.12, f64::MAX) * swell(1.9 - t, 0.0, 0.9, f64::MAX);
        loud * saturate(2.4 * voice + body * mouth + 0.3 * rasp * mouth, 2.5)
    });
    one_shot(out, 0.4)
}

/// A bolt leaving a wand in a hurry: a crack, and a note that falls.
fn shot(rng: &mut Rng) -> Vec<Track> {
    let (mut crack, mut note) = <(Filter, Sine)>::default();
    let out = render(0.26, |t| {
        let snap = crack.band(rng.noise(), fall(t, 5_500.0, 900.0, 0.03), 0.9);
        let bolt = note.at(fall(t, 1_450.0, 170.0, 0.035)) * strike(t, 0.0006, 0.05);
        saturate(0.9 * snap * strike(t, 0.0004, 0.022) + 0.8 * bolt, 1.8)
    });
    one_shot(out, 0.2)
}

/// A line that somebody says in no language: each syllable is (when, how long, vowel, Hz, hiss before it).
fn line(rng: &mut Rng) -> Vec<Track> {
    const SYLLABLES: [(f64, f64, Vowel, f64, f64); 9] = [
        (0.05, 0.20, AH, 138.0, 0.0),
        (0.27, 0.15, EE, 150.0, 0.8),
        (0.44, 0.24, OH, 142.0, 0.2),
        (0.80, 0.16, EH, 128.0, 0.9),
        (0.98, 0.14, AH, 134.0, 0.3),
        (1.14, 0.32, OO, 124.0, 0.0),
        (1.60, 0.17, EE, 132.0, 1.0),
        (1.80, 0.15, EH, 120.0, 0.2),
        (1.97, 0.42, AH, 108.0, 0.6),
    ];
    let mut out = silence(2.6);
    for (at, long, vowel, hertz, hiss) in SYLLABLES {
        let (mut throat, mut tongue, mut phase) = (Throat::default(), Filter::default(), 0.0);
        let voiced = render(long + 0.1, |t| {
            // Every syllable sinks a little, and the voice is never quite steady.
            let pitch = hertz * pow(0.88, t / long) * (1.0 + 0.012 * sin(TAU * 5.3 * (at + t)));
            phase = (phase + pitch / RATE).fract();
            let loud = swell(t, 0.0, 0.04, f64::MAX) * swell(long + 0.1 - t, 0.0, 0.12, f64::MAX);
            loud * throat.shape(cords(phase) + 0.02 * rng.noise(), &vowel, 1.05)
        });
        let consonant =
            render(0.07, |t| swell(t, 0.0, 0.03, 0.07) * tongue.band(rng.noise(), 5_200.0, 1.2));
        add(&mut out, &voiced, at, 1.0);
        add(&mut out, &consonant, (at - 0.045).max(0.0), 0.16 * hiss);
    }
    one_shot(out, 0.12)
}

/// Four bars in A minor, at a walking pace: a soft bass, a breath of strings, a plucked figure above.
fn music_loop(_rng: &mut Rng) -> Vec<Track> {
    const BAR: f64 = 2.0;
    /// A root, and its chord above it, in semitones from A2.
    const BARS: [(i32, [i32; 3]); 4] =
        [(0, [12, 15, 19]), (-4, [8, 12, 15]), (3, [10, 15, 19]), (-2, [10, 14, 17])];
    const FIGURE: [usize; 8] = [0, 1, 2, 1, 0, 2, 1, 2];
    let hertz = |semitones: i32| 110.0 * pow(2.0, f64::from(semitones) / 12.0);
    let mut out = silence(4.0 * BAR);
    for (bar, (root, chord)) in BARS.into_iter().enumerate() {
        let start = bar as f64 * BAR;
        for (beat, loud) in [(0.0, 1.0), (0.75 * BAR, 0.6)] {
            let bass = render(1.1, |t| {
                let note = TAU * hertz(root) * t;
                strike(t, 0.012, 0.4) * (sin(note) + 0.35 * sin(2.0 * note))
            });
            add_round(&mut out, &bass, start + beat, 0.55 * loud);
        }
        for note in chord {
            let pad = render(1.3 * BAR, |t| {
                let string = |detune: f64| sin(TAU * hertz(note) * detune * t);
                swell(t, 0.0, 0.5 * BAR, 1.3 * BAR) * (string(0.998) + string(1.0025))
            });
            add_round(&mut out, &pad, start, 0.09);
        }
        for (eighth, &pick) in FIGURE.iter().enumerate() {
            let pitch = hertz(chord[pick] + if eighth % 4 == 3 { 24 } else { 12 });
            let pluck = render(0.9, |t| {
                let partial =
                    |n: f64| strike(t, 0.003, 0.3 / n) * sin(TAU * n * pitch * t) / (n * n);
                partial(1.0) + partial(2.0) + partial(3.0)
            });
            let (at, accent) = (eighth as f64 * BAR / 8.0, [0.34, 0.2, 0.26, 0.16][eighth % 4]);
            add_round(&mut out, &pluck, start + at, accent);
            add_round(&mut out, &pluck, start + at + 0.375 * BAR, 0.25 * accent); // off a far wall
        }
    }
    vec![out]
}
