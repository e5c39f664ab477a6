//! That the tour is what it says: its parts are measured.

use std::path::PathBuf;
use std::sync::LazyLock;

use voicepool::{loudness, to_db};

use super::svg::check::{Element, elements};
use super::*;

/// Each is rendered once for all of the tests.
static ALL: LazyLock<Heard> = LazyLock::new(|| render(With::ALL).unwrap());
static NO_MUSIC: LazyLock<Heard> =
    LazyLock::new(|| render(With { music: false, ..With::ALL }).unwrap());
static NO_DUCK: LazyLock<Heard> =
    LazyLock::new(|| render(With { duck: false, ..With::ALL }).unwrap());

fn part(frames: &[Frame], from: f64, to: f64) -> &[Frame] {
    let [from, to] = [from, to].map(|second| (second * f64::from(RATE)) as usize);
    &frames[from..to]
}

/// How much treble there is, in decibels: the power of the second differences, in which every octave counts
/// 12 dB more than the one below it, as a share of all.
fn treble(frames: &[Frame]) -> f32 {
    let left: Vec<f64> = frames.iter().map(|frame| f64::from(frame[0])).collect();
    let power = |samples: &mut dyn Iterator<Item = f64>| samples.map(|s| s * s).sum::<f64>();
    let bends = power(&mut left.windows(3).map(|s| s[0] - 2.0 * s[1] + s[2]));
    (10.0 * (bends / power(&mut left.iter().copied())).log10()) as f32
}

#[test]
fn under_water_the_world_has_no_treble_and_in_the_air_it_has() {
    let [before, under, after] = [(1.0, 7.9), (9.0, 15.9), (55.6, 60.0)]
        .map(|(from, to)| treble(part(&NO_MUSIC.frames, from, to)));
    println!("treble: {before:.1} dB, under water {under:.1} dB, after set_mix {after:.1} dB");
    assert!(under < before - 25.0, "{before} dB, then {under} dB");
    assert!((after - before).abs() < 3.0, "{before} dB, at the end {after} dB");
}

#[test]
fn under_water_the_music_keeps_its_treble() {
    let music = less(&ALL.frames, &NO_MUSIC.frames);
    let [before, under] =
        [(1.0, 7.9), (9.0, 15.9)].map(|(from, to)| treble(part(&music, from, to)));
    assert!((under - before).abs() < 3.0, "{before} dB, then {under} dB");
}

#[test]
fn the_cave_rings_on_when_the_steps_have_stopped_and_falls_silent() {
    let outside = render(With { room: false, ..With::ALL }).unwrap();
    let cave = less(&ALL.frames, &outside.frames);
    assert!(part(&cave, 0.0, 17.0).iter().flatten().all(|sample| *sample == 0.0));
    let [walking, halt, gone] = [(18.0, 24.0), (25.5, 26.5), (35.0, 36.0)]
        .map(|(from, to)| loudness(RATE, part(&cave, from, to)));
    println!("the cave: {walking:.1} dB, at the halt {halt:.1} dB, ten seconds later {gone:.1} dB");
    assert!(walking > -45.0 && halt < walking - 2.0, "{walking}, {halt} dB");
    assert!(gone < halt - 60.0, "{halt}, {gone} dB");
}

/// How far the music is turned down in each tick, measured at what leaves its bus.
fn ducked() -> Vec<f32> {
    let pairs = ALL.ticks.iter().zip(&NO_DUCK.ticks);
    pairs.map(|(ducked, free)| ducked.peaks[2] / free.peaks[2]).collect()
}

#[test]
fn the_music_is_down_when_the_first_syllable_comes_and_not_before_its_time() {
    let (ducked, first) = (ducked(), 29 * 20);
    assert_eq!(ALL.ticks[first - 2].peaks[3], 0.0, "nobody speaks yet");
    assert!(ALL.ticks[first].peaks[3] > 0.01, "here is the first syllable");
    assert!(ducked[..first - 9].iter().all(|gain| *gain == 1.0), "half a second ahead it is up");
    assert!(ducked[first - 5] < 0.8, "{} a quarter of a second ahead", ducked[first - 5]);
    let [early, deep] = [ducked[first], ducked[first + 20]].map(to_db);
    let promised = to_db(UNDER_SPEECH.gain);
    println!("the duck: {early:.2} dB at the first syllable, then {deep:.2} dB");
    assert!((early - promised).abs() < 0.2 && (deep - promised).abs() < 0.01, "{early}, {deep} dB");
}

#[test]
fn the_music_comes_back_between_the_lines_and_after_them() {
    let ducked = ducked();
    let highest = |from: f64, to: f64| {
        let [from, to] = [from, to].map(|second| (20.0 * second) as usize);
        ducked[from..to].iter().copied().fold(0.0, f32::max)
    };
    assert!(highest(30.0, 31.5) < 0.21);
    assert!(highest(33.0, 33.6) > 0.8, "{}", highest(33.0, 33.6));
    assert_eq!(highest(38.0, 44.0), 1.0);
}

#[test]
fn slow_motion_makes_the_world_deeper_and_its_steps_fewer_and_longer() {
    let [before, slow] =
        [(1.0, 7.9), (37.0, 42.9)].map(|(from, to)| treble(part(&NO_MUSIC.frames, from, to)));
    assert!(slow < before - 6.0, "{before} dB, then {slow} dB");
    // Beside the night, only steps have a voice: how many there are, and how many ticks each has one.
    let steps = |from: usize, to: usize| {
        let seen = &ALL.ticks[20 * from..20 * to];
        let walks = |seen: &Seen| seen.playing[0] > 1;
        let steps = seen.windows(2).filter(|pair| !walks(&pair[0]) && walks(&pair[1])).count();
        (steps, seen.iter().filter(|seen| walks(seen)).count() as f64 / steps as f64)
    };
    let ((before, short), (slow, long)) = (steps(1, 7), steps(37, 42));
    println!("{before} steps of {short:.1} ticks in six seconds, then {slow} of {long:.1} in five");
    assert!((11..=13).contains(&before) && (3..=4).contains(&slow));
    assert!((2.2..2.8).contains(&(long / short)), "2.5 times as long");
}

#[test]
fn explosions_stay_within_their_limit_and_take_no_voice_of_speech() {
    let blasts = ALL.ticks.iter().map(|seen| seen.playing[1]).max();
    assert_eq!(blasts, BLASTS_LIMIT.max_voices);
    let lost = |heard: &Heard, bus| heard.lost.iter().find(|(each, _)| *each == bus).unwrap().1;
    assert!(lost(&ALL, BLASTS) > 20, "they are too many for it");
    assert_eq!((lost(&ALL, SPEECH), lost(&ALL, MUSIC)), (0, 0));
    let free = render(With { limits: false, ..With::ALL }).unwrap();
    println!("without limits speech loses {} syllables", lost(&free, SPEECH));
    assert!(lost(&free, SPEECH) > 5, "without limits they eat speech");
    assert!(free.ticks.iter().any(|seen| seen.playing[1] > 6));
}

#[test]
fn at_the_end_all_is_set_as_it_was() {
    assert!(ALL.is_dry);
    let last = ALL.ticks.last().unwrap();
    assert_eq!((last.low_pass, last.speed, last.duck), (20_000.0, 1.0, 1.0));
    let level = |from, to| loudness(RATE, part(&ALL.frames, from, to));
    assert!((level(56.0, 60.0) - level(2.0, 6.0)).abs() < 1.0);
}

#[test]
fn the_tour_stays_below_the_ceiling() {
    assert!(ALL.ticks.iter().all(|seen| seen.mix < 1.0), "what is measured is not limited");
}

#[test]
fn every_part_and_bus_is_named_in_the_picture() {
    let svg = picture::draw(&ALL, &ALL.frames, "buses <&>.wav x.svg").finish();
    let elements = elements(&svg);
    let says = |text: &str| elements.iter().any(|element: &Element| element.text == text);
    assert!(says("cargo run --release --example buses <&>.wav x.svg"));
    assert!(SHOWN.into_iter().all(|bus| says(name(bus))) && says("the mix") && says("cave"));
    assert!(PARTS.iter().all(|(_, part)| says(part)));
}

#[test]
fn the_script_is_in_order() {
    assert!(CUES.iter().map(|cue| cue.at).is_sorted());
    assert!(PARTS.iter().map(|(at, _)| at).is_sorted());
    assert!(CUES.iter().all(|cue| cue.at < SECONDS as f64 && !cue.hear.is_empty()));
}

#[test]
fn a_wrong_argument_is_named() {
    let files = |words: &[&str]| files(words.iter().map(PathBuf::from));
    assert_eq!(files(&[]), Ok(["buses.wav".into(), "buses.svg".into()]));
    assert_eq!(files(&["a.wav", "b.svg"]), Ok(["a.wav".into(), "b.svg".into()]));
    assert!(files(&["--what"]).unwrap_err().starts_with("--what is not a file"));
    assert!(files(&["a", "b", "c"]).unwrap_err().starts_with("c is one too many"));
}
