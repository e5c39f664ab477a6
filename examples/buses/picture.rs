//! The buses' levels over the tour: a lane for each, and beneath them who had the voices.

use std::fmt::Write as _;

use voicepool::{Frame, to_db};

use super::svg::{Svg, short, text_width};
use super::{BLASTS_LIMIT, Heard, PARTS, SECONDS, SHOWN, SPEECH_RESERVE, Seen, TICK, VOICES, name};

/// The paper has a colour of its own in light and in dark, so that it can stand on any page.
const STYLE: &str = "\
text{font-family:Helvetica,Arial,'Liberation Sans',sans-serif;font-size:12px;fill:#30363d}\
.title{font-size:20px;font-weight:bold}\
.name{font-size:15px;font-weight:bold}\
.command{font-family:Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:11px;fill:#6e7781}\
.small{font-size:10px;fill:#6e7781}\
.end{text-anchor:end}.middle{text-anchor:middle}\
.paper{fill:#fff}.part{fill:#f3f5f8}.grid{stroke:#d8dee4}.said{stroke:#d1380c;fill:none;stroke-width:1.5}\
.the-mix{fill:#8c959f}.world{fill:#009e73}.blasts{fill:#d55e00}.music{fill:#0072b2}.speech{fill:#aa4499}\
.cave{fill:#8c8c1f}\
@media(prefers-color-scheme:dark){\
text{fill:#d1d7e0}.command,.small{fill:#9198a1}.paper{fill:#0d1117}.part{fill:#1a212b}\
.grid{stroke:#30363d}.said{stroke:#ff8a5c}.the-mix{fill:#6e7681}.world{fill:#2fbf8f}.blasts{fill:#e8772e}\
.music{fill:#4aa3df}.speech{fill:#cc79c0}.cave{fill:#b3b344}}";

pub const WIDTH: f64 = 1000.0;
const MARGIN: f64 = 28.0;
pub const LEFT: f64 = 190.0;
pub const RIGHT: f64 = 972.0;
const TOP: f64 = 140.0;
const LANE: f64 = 60.0;
const GAP: f64 = 12.0;
const LANES: f64 = 6.0;
/// Where the lane of the voices begins, and how tall it is.
const VOICES_TOP: f64 = TOP + LANES * (LANE + GAP);
const VOICES_LANE: f64 = 98.0;
const FOOT: f64 = VOICES_TOP + VOICES_LANE;
const HEIGHT: f64 = FOOT + 34.0;
/// The decibels at the foot of a lane; 0 is its head.
const LOW: f32 = -48.0;

/// Draws a tour, what the cave gives to it, and the command that does so.
pub fn draw(heard: &Heard, cave: &[Frame], command: &str) -> Svg {
    let title = "A minute of buses";
    let mut svg = Svg::new(WIDTH as u32, HEIGHT as u32, title, STYLE);
    svg.rect([0.0, 0.0, WIDTH, HEIGHT], &[("class", &"paper"), ("rx", &8)]);
    let mut line = |class: &str, y: f64, text: &str| {
        svg.label([MARGIN, y], &[("class", &class)], text);
    };
    line("title", 38.0, title);
    line("", 61.0, "The peaks of each bus, every 50 ms. The lines are what is set, from 0 to all:");
    line("", 78.0, "the world's low-pass and speed, and how far the music makes room for speech.");
    line("command", 100.0, &format!("cargo run --release --example {command}"));
    parts(&mut svg);
    let ticks = &heard.ticks;
    let mix: Vec<f32> = ticks.iter().map(|seen| seen.mix).collect();
    lane(&mut svg, 0, "the mix", "before the limiter", &mix);
    let notes = [
        "low-pass and speed".into(),
        format!("at most {} voices", BLASTS_LIMIT.max_voices.unwrap_or(VOICES)),
        "ducked by speech".into(),
        format!("{} voices kept for it", SPEECH_RESERVE.reserved),
    ];
    for (n, (bus, note)) in SHOWN.into_iter().zip(notes).enumerate() {
        let peaks: Vec<f32> = ticks.iter().map(|seen| seen.peaks[n]).collect();
        lane(&mut svg, n + 1, name(bus), &note, &peaks);
    }
    let highest = |part: &[Frame]| part.iter().flatten().fold(0f32, |peak, s| peak.max(s.abs()));
    let cave: Vec<f32> = cave.chunks(TICK).map(highest).collect();
    lane(&mut svg, 5, "cave", "what the room returns", &cave);
    // The low-pass from 100 Hz to 20 kHz, by octaves.
    said(&mut svg, 1, ticks, |seen| (seen.low_pass / 100.0).log2() / 200f32.log2());
    said(&mut svg, 1, ticks, |seen| seen.speed);
    said(&mut svg, 3, ticks, |seen| seen.duck);
    voices(&mut svg, ticks);
    for second in (0..=SECONDS).step_by(5) {
        let at = [x(second as f64), FOOT + 18.0];
        svg.label(at, &[("class", &"small middle")], &format!("{second} s"));
    }
    svg
}

/// Where a second is.
fn x(second: f64) -> f64 {
    LEFT + (RIGHT - LEFT) * second / SECONDS as f64
}

/// Every other part of the tour is shaded, and each has its name above it.
fn parts(svg: &mut Svg) {
    let ends = PARTS.into_iter().skip(1).map(|(at, _)| at).chain([SECONDS as f64]);
    for (n, ((from, text), to)) in PARTS.into_iter().zip(ends).enumerate() {
        if n % 2 == 1 {
            let place = [x(from), TOP - 24.0, x(to) - x(from), FOOT - TOP + 24.0];
            svg.rect(place, &[("class", &"part"), ("rx", &3)]);
        }
        // A name that has no room would run into the next.
        if text_width(text, 10.0) < x(to) - x(from) {
            let middle = (x(from) + x(to)) / 2.0;
            svg.label([middle, TOP - 9.0], &[("class", &"small middle")], text);
        }
    }
}

fn lane_top(lane: usize) -> f64 {
    TOP + (LANE + GAP) * lane as f64
}

/// The peaks of a bus as an area.
fn lane(svg: &mut Svg, lane: usize, name: &str, note: &str, peaks: &[f32]) {
    let top = lane_top(lane);
    svg.label([MARGIN, top + 30.0], &[("class", &"name")], name);
    svg.label([MARGIN, top + 47.0], &[("class", &"small")], note);
    for level in [-12.0, -36.0] {
        let y = short(top + LANE * f64::from(level / LOW));
        svg.path(&format!("M{LEFT} {y}H{RIGHT}"), &[("class", &"grid")]);
        let label = format!("\u{2212}{} dB", -level);
        svg.label([LEFT - 6.0, y + 3.5], &[("class", &"small end")], &label);
    }
    let mut path = format!("M{LEFT} {}", short(top + LANE));
    let down = |peak: &f32| f64::from((to_db(*peak) / LOW).clamp(0.0, 1.0));
    steps(&mut path, peaks.iter().map(|peak| top + LANE * down(peak)));
    let _ = write!(path, "V{}Z", short(top + LANE));
    let class = name.replace(' ', "-");
    svg.path(&path, &[("class", &class), ("fill-opacity", &0.85)]);
}

/// What was set on a bus, as a line from the foot (0) to the head (1) of its lane.
fn said(svg: &mut Svg, lane: usize, ticks: &[Seen], share: impl Fn(&Seen) -> f32) {
    let y = |seen: &Seen| lane_top(lane) + LANE * (1.0 - f64::from(share(seen).clamp(0.0, 1.0)));
    let mut path = format!("M{LEFT} {}", short(y(&ticks[0])));
    steps(&mut path, ticks.iter().map(y));
    svg.path(&path, &[("class", &"said")]);
}

/// Adds a step for each tick, one for all of a height.
fn steps(path: &mut String, heights: impl Iterator<Item = f64>) {
    let mut last = f64::NAN;
    for (n, y) in heights.enumerate() {
        let y = short(y);
        if y != last {
            let _ = write!(path, "H{}V{y}", short(x(n as f64 / 20.0)));
            last = y;
        }
    }
    let _ = write!(path, "H{RIGHT}");
}

/// Who has the voices, one bus upon the other.
fn voices(svg: &mut Svg, ticks: &[Seen]) {
    let tall = VOICES_LANE - 6.0;
    svg.label([MARGIN, VOICES_TOP + 46.0], &[("class", &"name")], "voices");
    svg.label([MARGIN, VOICES_TOP + 63.0], &[("class", &"small")], "who has them");
    let foot = FOOT - 2.0;
    for voices in [0, VOICES] {
        let y = short(foot - tall * voices as f64 / VOICES as f64);
        svg.path(&format!("M{LEFT} {y}H{RIGHT}"), &[("class", &"grid")]);
        svg.label([LEFT - 6.0, y + 3.5], &[("class", &"small end")], &voices.to_string());
    }
    // The world counts the blasts that lead to it; here each has its own.
    let own = |seen: &Seen| {
        let [world, blasts, music, speech] = seen.playing;
        [speech, music, world - blasts, blasts]
    };
    let buses = ["speech", "music", "world", "blasts"];
    let own_voices = |svg: &mut Svg, n: usize, class: &str| {
        let sum = |seen: &Seen, buses: usize| own(seen)[..buses].iter().sum::<usize>();
        let y = |voices: usize| foot - tall * voices as f64 / VOICES as f64;
        let mut path = String::new();
        for (tick, seen) in ticks.iter().enumerate() {
            let (low, high) = (y(sum(seen, n)), y(sum(seen, n + 1)));
            if low > high {
                let [from, to] = [tick, tick + 1].map(|tick| short(x(tick as f64 / 20.0)));
                let (low, high) = (short(low), short(high));
                let _ = write!(path, "M{from} {low}V{high}H{to}V{low}Z");
            }
        }
        svg.path(&path, &[("class", &class)]);
    };
    svg.group(&[("shape-rendering", &"crispEdges")], |svg| {
        buses.into_iter().enumerate().for_each(|(n, class)| own_voices(svg, n, class));
    });
}
