//! What places make of a sound, as a picture: `cargo run --release --example space [FILE.svg]`.
//!
//! You hear nothing: a steady sound is taken around the listener in a circle, and away from it along a
//! straight line, and the levels of both sides are drawn as they were rendered.

use std::error::Error;
use std::f64::consts::TAU;
use std::fmt::Write as _;
use std::path::PathBuf;

use voicepool::{
    Attenuation, Config, Distance, Frame, Mixer, Play, Point, Renderer, Sound, VoiceId, to_db,
};

#[allow(dead_code, reason = "it takes less to draw lines than to draw bars")]
#[path = "shared/svg.rs"]
mod svg;

use svg::{Svg, short};

/// How far from the listener the circle is.
const RADIUS: f32 = 10.0;
/// Three degrees apart.
const STEPS: usize = 120;
/// What is heard on one side alone almost all the way round, and what hardly leaves the middle.
const WIDTHS: [f32; 2] = [1.0, 20.0];
/// With 1 the inverse and the exponential are the same.
const ROLLOFF: f32 = 0.5;
const MODELS: [(Distance, &str); 3] = [
    (Distance::Inverse, "inverse"),
    (Distance::Exponential, "exponential"),
    (Distance::Linear, "linear"),
];

/// A play of a steady 1, whose level is what its place makes of it.
struct Probe {
    mixer: Mixer,
    renderer: Renderer,
    voice: Option<VoiceId>,
}

impl Probe {
    fn new(attenuation: Attenuation) -> Result<Probe, Box<dyn Error>> {
        let (mixer, renderer) = Mixer::offline(Config::DEFAULT)?;
        let one = Sound::from_mono(mixer.sample_rate(), &[0.5; 480])?;
        let voice = mixer.play(Play::of(&one).looping().at([0.0; 2]).attenuation(attenuation));
        Ok(Probe { mixer, renderer, voice })
    }

    /// The gains of both sides from a place, once all has settled.
    fn at(&mut self, place: impl Into<Point>) -> Frame {
        self.mixer.teleport(self.voice, place);
        let heard = self.renderer.frames(1024);
        heard.last().copied().unwrap_or_default().map(|sample| 2.0 * sample)
    }
}

/// The gains of both sides around the circle, clockwise from straight ahead.
fn circle(width: f32) -> Result<Vec<Frame>, Box<dyn Error>> {
    let model = Distance::None;
    let mut probe = Probe::new(Attenuation { model, width, ..Attenuation::DEFAULT })?;
    let gains = (0..=STEPS).map(|step| {
        let (sin, cos) = (TAU * step as f64 / STEPS as f64).sin_cos();
        probe.at([RADIUS * sin as f32, 0.0, -RADIUS * cos as f32])
    });
    Ok(gains.collect())
}

/// The gains from 0 to beyond the far end, straight ahead.
fn away(model: Distance) -> Result<Vec<f32>, Box<dyn Error>> {
    let mut probe = Probe::new(Attenuation { model, rolloff: ROLLOFF, ..Attenuation::DEFAULT })?;
    Ok((0..=STEPS).map(|step| probe.at([0.0, 0.0, -(step as f32)])[0]).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os().nth(1).map_or("space.svg".into(), PathBuf::from);
    draw()?.save(&file)?;
    println!("drawn into {}", file.display());
    Ok(())
}

/// The paper has a colour of its own in light and in dark, so that it can stand on any page.
const STYLE: &str = "\
text{font-family:Helvetica,Arial,'Liberation Sans',sans-serif;font-size:12px;fill:#30363d}\
.title{font-size:20px;font-weight:bold}\
.name{font-size:15px;font-weight:bold}\
.command{font-family:Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:11px;fill:#6e7781}\
.small{font-size:10px;fill:#6e7781}\
.end{text-anchor:end}.middle{text-anchor:middle}\
.paper{fill:#fff}.grid{stroke:#d8dee4}.line{fill:none;stroke-width:2}\
.left,.inverse{stroke:#0072b2}.right,.linear{stroke:#d55e00}.exponential{stroke:#009e73}\
@media(prefers-color-scheme:dark){\
text{fill:#d1d7e0}.command,.small{fill:#9198a1}.paper{fill:#0d1117}.grid{stroke:#30363d}\
.left,.inverse{stroke:#4aa3df}.right,.linear{stroke:#e8772e}.exponential{stroke:#2fbf8f}}";

const WIDTH: f64 = 1000.0;
const MARGIN: f64 = 28.0;
const LEFT: f64 = 230.0;
const RIGHT: f64 = 880.0;
const TOP: f64 = 128.0;
const LANE: f64 = 120.0;
const GAP: f64 = 44.0;
const HEIGHT: f64 = TOP + 3.0 * LANE + 2.0 * GAP + 40.0;

/// A picture of all of it.
fn draw() -> Result<Svg, Box<dyn Error>> {
    let title = "What places make of a sound";
    let mut svg = Svg::new(WIDTH as u32, HEIGHT as u32, title, STYLE);
    svg.rect([0.0, 0.0, WIDTH, HEIGHT], &[("class", &"paper"), ("rx", &8)]);
    svg.label([MARGIN, 38.0], &[("class", &"title")], title);
    let text = "The levels of both sides, as rendered: once around the listener, and straight away from it.";
    svg.label([MARGIN, 61.0], &[], text);
    let command = "cargo run --release --example space docs/space.svg";
    svg.label([MARGIN, 83.0], &[("class", &"command")], command);
    for (n, width) in WIDTHS.into_iter().enumerate() {
        let lane = Lane { top: TOP + n as f64 * (LANE + GAP), high: 6.0, low: -30.0 };
        lane.frame(&mut svg, "a circle", &format!("of {RADIUS} around, width {width}"));
        let names = ["ahead", "right", "behind", "left", "ahead"];
        lane.marks(&mut svg, &names.map(str::to_owned));
        let gains = circle(width)?;
        for (side, name) in ["left", "right"].into_iter().enumerate() {
            let levels: Vec<f32> = gains.iter().map(|gains| gains[side]).collect();
            // Where it is loudest.
            let at = [[0.75, -7.0], [0.25, -7.0]][side];
            lane.line(&mut svg, name, &levels, at, &format!("{name} side"));
        }
    }
    let lane = Lane { top: TOP + 2.0 * (LANE + GAP), high: 0.0, low: -60.0 };
    lane.frame(&mut svg, "away", &format!("near 1, far 100, rolloff {ROLLOFF}"));
    lane.marks(&mut svg, &[0, 30, 60, 90, 120].map(|way| way.to_string()));
    let names = [[0.35, 14.0], [0.55, -7.0], [0.7, -7.0]];
    for ((model, name), at) in MODELS.into_iter().zip(names) {
        lane.line(&mut svg, name, &away(model)?, at, name);
    }
    Ok(svg)
}

/// Levels in decibels over some way.
struct Lane {
    top: f64,
    high: f32,
    low: f32,
}

impl Lane {
    fn y(&self, level: f32) -> f64 {
        let share = (self.high - level) / (self.high - self.low);
        short(self.top + LANE * f64::from(share.clamp(0.0, 1.0)))
    }

    /// Its name, and what it is measured by.
    fn frame(&self, svg: &mut Svg, name: &str, note: &str) {
        svg.label([MARGIN, self.top + 50.0], &[("class", &"name")], name);
        svg.label([MARGIN, self.top + 68.0], &[("class", &"small")], note);
        for third in 0..=3 {
            let level = self.low + (self.high - self.low) * third as f32 / 3.0;
            let y = self.y(level);
            svg.path(&format!("M{LEFT} {y}H{RIGHT}"), &[("class", &"grid")]);
            let sign = if level < 0.0 { "\u{2212}" } else { "" };
            let label = format!("{sign}{} dB", level.abs());
            svg.label([LEFT - 8.0, y + 3.5], &[("class", &"small end")], &label);
        }
    }

    /// What is written below it, at even distances.
    fn marks(&self, svg: &mut Svg, names: &[String]) {
        for (n, name) in names.iter().enumerate() {
            let x = short(LEFT + (RIGHT - LEFT) * n as f64 / (names.len() - 1) as f64);
            svg.path(&format!("M{x} {}v{LANE}", self.top), &[("class", &"grid")]);
            svg.label([x, self.top + LANE + 15.0], &[("class", &"small middle")], name);
        }
    }

    /// Gains as a line, with its name at a share of the way, so far below it. Silence is below all.
    fn line(&self, svg: &mut Svg, class: &str, gains: &[f32], at: [f64; 2], name: &str) {
        let mut path = String::new();
        for (n, gain) in gains.iter().enumerate() {
            let x = short(LEFT + (RIGHT - LEFT) * n as f64 / STEPS as f64);
            let command = if n == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{command}{x} {}", self.y(to_db(*gain)));
        }
        svg.path(&path, &[("class", &format!("line {class}"))]);
        let [share, below] = at;
        let gain = gains.get((share * STEPS as f64) as usize).copied().unwrap_or_default();
        let at = [LEFT + (RIGHT - LEFT) * share, self.y(to_db(gain)) + below];
        svg.label(at, &[("class", &"small middle")], name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_in_the_documentation_is_the_one_that_is_drawn() {
        let picture = draw().unwrap().finish();
        assert!(svg::check::elements(&picture).len() > 40);
        let shown = std::fs::read_to_string("docs/space.svg").unwrap();
        assert!(picture == shown.replace("\r\n", "\n"), "draw it anew");
    }

    /// Behind is as ahead, left is as right the other way round, and the power is the same all the way.
    #[test]
    fn a_circle_is_even() {
        for width in WIDTHS {
            let gains = circle(width).unwrap();
            for (step, [left, right]) in gains.iter().enumerate() {
                let [mirrored_right, mirrored_left] = gains[STEPS - step];
                assert!(
                    (left - mirrored_left).abs() < 1e-4 && (right - mirrored_right).abs() < 1e-4
                );
                assert!((left * left + right * right - 2.0).abs() < 1e-4);
                let behind = gains[(STEPS + STEPS / 2 - step) % STEPS];
                assert!((left - behind[0]).abs() < 1e-4, "{step}");
            }
        }
    }
}
