//! The same storm of sounds under each answer to a full pool, and what each answer loses:
//! `cargo run --release --example policies [FILE.svg]` prints a table and draws a picture.
//!
//! What you should see: of the three answers that keep the pool at its size, to steal the quietest
//! loses by far the least. It cuts off more sounds than to steal the oldest does, but what they
//! would still have played is faint; to refuse loses what is loudest, the beginnings. To grow loses
//! nothing, and costs the voices that the others save.
//!
//! What the numbers mean:
//!
//! - **lost altogether**: the storm is rendered once more with a voice for every sound. That, less
//!   what was heard, sample by sample, is everything that was cut off or refused, at its time and
//!   at its gain. Its loudness over the whole storm is measured, K-weighted (ITU-R BS.1770,
//!   ungated). That is exact, since no sum reaches the ceiling; if one does, that is an error.
//! - **loudest loss**: of each sound that was cut off, what it would still have played is rendered
//!   alone (of one that was refused, all of it), and its loudest 50 ms are measured the same way,
//!   wherever in it they are. That is not how a victim is chosen (there all that is to come counts,
//!   the near more than the far), so it says from outside whether the choice was good.
//! - **aloud**: how many of these were above -40 dB in their loudest 50 ms.
//! - **seconds lost**: how long all of these would still have played, together.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use voicepool::{
    Config, Ending, Event, Frame, Mixer, Play, Sound, Stats, WhenFull, db, loudness, semitones,
};

#[path = "shared/dice.rs"]
mod dice;
#[path = "shared/svg.rs"]
mod svg;

use dice::Dice;
use svg::{Svg, short, text_width};

const RATE: u32 = 48_000;
const SECONDS: usize = 8;
/// A sixtieth of a second: a game's frame, in which it asks for some sounds.
const TICK: usize = RATE as usize / 60;
const VOICES: usize = 16;
/// More than the storm ever needs, so that growing is seen at its best.
const MOST_VOICES: usize = 128;
/// Longer than any of the sounds at its slowest.
const DYING_AWAY: usize = RATE as usize * 9 / 4;
/// A play that is asked for acts this many frames later at the most: the mixer computes on a grid
/// of 128 frames, and one step of it ahead.
const LATER: usize = 2 * 128;

/// The one-shots of `sounds/`.
const SOUNDS: [&str; 12] = [
    "chime",
    "coin",
    "explosion",
    "footstep_1",
    "footstep_2",
    "footstep_3",
    "sparkle_tick",
    "thud",
    "ui_click",
    "wand_swish",
    "whoosh_small",
    "zap",
];

const ANSWERS: [(WhenFull, &str); 4] = [
    (WhenFull::StealQuietest, "steal the quietest"),
    (WhenFull::StealOldest, "steal the oldest"),
    (WhenFull::Refuse, "refuse"),
    (WhenFull::Grow, "grow"),
];

fn main() -> ExitCode {
    let path = match path(std::env::args_os().skip(1).map(PathBuf::from)) {
        Ok(path) => path,
        Err(error) => {
            eprintln!("policies: {error}");
            return ExitCode::from(2);
        }
    };
    match run(&path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("policies: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Where the picture goes.
fn path(words: impl IntoIterator<Item = PathBuf>) -> Result<PathBuf, String> {
    let mut words = words.into_iter();
    let path = words.next().unwrap_or_else(|| "policies.svg".into());
    if path.to_string_lossy().starts_with('-') {
        return Err(format!("{} is not a file; give one name, for the SVG", path.display()));
    }
    match words.next() {
        None => Ok(path),
        Some(more) => Err(format!("{} is one too many; give one name", more.display())),
    }
}

fn run(path: &Path) -> Result<(), Box<dyn Error>> {
    let storm = Storm::new(SECONDS)?;
    let outcomes = ANSWERS.map(|(answer, name)| storm.under(answer, name));
    let outcomes = outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
    draw(&storm, &outcomes, path).save(path)?;
    let (about, table) = (storm.about(), table(&outcomes));
    let mut out = std::io::stdout();
    writeln!(out, "{about}\n\n{table}\n\nIt is drawn in {}.", path.display())?;
    Ok(())
}

/// Sounds that are asked for, in the order of their frames. A play's tag is its place.
struct Storm {
    plays: Vec<Asked>,
    frames: usize,
    /// What it would be with a voice for every sound, and how many that takes.
    whole: Vec<Frame>,
    most_playing: usize,
}

struct Asked {
    at: u64,
    sound: Sound,
    play: Play,
}

/// What became of a storm.
struct Outcome {
    name: &'static str,
    stats: Stats,
    losses: Vec<Loss>,
    /// All that is missing, on its own.
    lost: Vec<Frame>,
}

/// What was heard, and which plays were not, or not to their end: each one's place in the storm,
/// and when it was cut off or refused.
struct Heard {
    frames: Vec<Frame>,
    stats: Stats,
    lost: Vec<(usize, u64)>,
}

/// A sound that was cut off or refused.
struct Loss {
    sound: Sound,
    /// What it would still have played.
    rest: Vec<Frame>,
    /// The loudest 50 ms of that, in decibels.
    level: f32,
}

/// Losses above this are heard, in decibels.
const FAINT: f32 = -40.0;

impl Storm {
    /// Some 100 sounds a second: half of them sparkles, the rest whatever a busy game has, near
    /// and far; and at the end time for all of them to die away.
    fn new(seconds: usize) -> Result<Storm, Box<dyn Error>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sounds");
        let load = |name: &str| Sound::load(folder.join(name).with_extension("wav"));
        let sounds = SOUNDS.iter().map(|name| load(name)).collect::<Result<Vec<_>, _>>()?;
        let spark = SOUNDS.iter().position(|name| *name == "sparkle_tick").unwrap_or(0);
        let mut dice = Dice::new(1);
        let mut plays = Vec::new();
        let frames = seconds * RATE as usize;
        for tick in 0..(frames - DYING_AWAY) / TICK {
            let few = 1 + usize::from(dice.one_in(3)) + usize::from(dice.one_in(3));
            let mut delays: Vec<usize> = (0..few).map(|_| dice.below(TICK)).collect();
            delays.sort();
            for delay in delays {
                let sound = if dice.one_in(2) { spark } else { dice.below(sounds.len()) };
                let at = (tick * TICK + LATER + delay) as u64;
                let play = Play::of(&sounds[sound])
                    .gain(db(dice.between(-30.0, -10.0)))
                    .pan(dice.between(-1.0, 1.0))
                    .speed(semitones(dice.between(-4.0, 4.0)))
                    .start_at(at)
                    .tag(plays.len() as u64);
                plays.push(Asked { at, sound: sounds[sound].clone(), play });
            }
        }
        let mut storm = Storm { plays, frames, whole: Vec::new(), most_playing: 0 };
        let many = Config { voices: 1024, max_voices: 1024, ..Config::default() };
        let Heard { frames, stats, .. } = storm.render(many)?;
        (storm.whole, storm.most_playing) = (frames, stats.most_playing);
        Ok(storm)
    }

    /// Plays it as a game would: each sound is asked for in its tick.
    fn render(&self, config: Config) -> Result<Heard, Box<dyn Error>> {
        let (mixer, mut renderer) = Mixer::offline(Config { sample_rate: RATE, ..config })?;
        let mut frames = vec![[0.0; 2]; self.frames];
        let mut plays = self.plays.iter().peekable();
        let mut lost = Vec::new();
        for (tick, part) in frames.chunks_mut(TICK).enumerate() {
            let asked = |asked: &&Asked| asked.at < ((tick + 1) * TICK + LATER) as u64;
            while let Some(Asked { play, .. }) = plays.next_if(asked) {
                mixer.play(play).ok_or("the queue is too short for the storm")?;
            }
            renderer.render(part);
            for event in mixer.events() {
                if let Event::Ended { tag, at, why, .. } = event
                    && let Ending::Stolen { .. } | Ending::Refused { .. } = why
                {
                    lost.push((tag as usize, at));
                }
            }
        }
        let stats = mixer.stats();
        if stats.live > 0 || stats.peak.iter().any(|peak| *peak > 1.0) {
            return Err(
                format!("the storm is too loud or too long to be measured:\n{stats}").into()
            );
        }
        Ok(Heard { frames, stats, lost })
    }

    fn under(&self, when_full: WhenFull, name: &'static str) -> Result<Outcome, Box<dyn Error>> {
        let config =
            Config { voices: VOICES, max_voices: MOST_VOICES, when_full, ..Config::default() };
        let Heard { frames, stats, lost } = self.render(config)?;
        let losses = lost.into_iter().map(|(play, at)| self.loss(play, at));
        let losses = losses.collect::<Result<_, _>>()?;
        let both = self.whole.iter().zip(&frames);
        let lost = both.map(|(whole, heard)| [0, 1].map(|side| whole[side] - heard[side]));
        Ok(Outcome { name, stats, losses, lost: lost.collect() })
    }

    /// Renders a play alone, and keeps what comes after it was lost.
    fn loss(&self, play: usize, at: u64) -> Result<Loss, Box<dyn Error>> {
        let Asked { at: start, sound, play } = &self.plays[play];
        let config = Config { voices: 1, sample_rate: RATE, ..Config::default() };
        let (mixer, mut renderer) = Mixer::offline(config)?;
        mixer.play(play.clone().start_at(0));
        let mut rest = renderer.frames(LATER);
        while mixer.stats().live > 0 {
            rest.append(&mut renderer.frames(LATER));
        }
        let ended = mixer.events().find_map(|event| match event {
            Event::Ended { at, .. } => Some(at as usize),
            _ => None,
        });
        let ended = ended.ok_or("a sound of the storm has no end")?;
        // The end is known before it is heard.
        rest.append(&mut renderer.frames(ended.saturating_sub(rest.len())));
        rest.truncate(ended);
        rest.drain(..rest.len().min((at - start) as usize));
        let level = levels(&rest, 50).into_iter().fold(SILENCE, f32::max);
        Ok(Loss { sound: sound.clone(), rest, level })
    }

    fn about(&self) -> String {
        format!(
            "A storm of {} sounds in {} seconds, up to {} of them at once, on {VOICES} voices.",
            self.plays.len(),
            self.frames / RATE as usize,
            self.most_playing
        )
    }
}

impl Outcome {
    /// How loud all that was lost is, in decibels.
    fn altogether(&self) -> f32 {
        loudness(RATE, &self.lost)
    }

    fn loudest(&self) -> Option<&Loss> {
        self.losses.iter().max_by(|a, b| a.level.total_cmp(&b.level))
    }

    fn aloud(&self) -> usize {
        self.losses.iter().filter(|loss| loss.level > FAINT).count()
    }

    fn seconds(&self) -> f64 {
        let frames: usize = self.losses.iter().map(|loss| loss.rest.len()).sum();
        frames as f64 / f64::from(RATE)
    }
}

const SILENCE: f32 = f32::NEG_INFINITY;

/// The loudness of each so many milliseconds, measured on their own.
fn levels(frames: &[Frame], ms: usize) -> Vec<f32> {
    frames.chunks(RATE as usize * ms / 1000).map(|part| loudness(RATE, part)).collect()
}

/// With so many places after the point, and a minus that is as wide as a plus.
fn decibels(level: f32, places: usize) -> String {
    match level {
        SILENCE => "nothing".into(),
        _ => format!("{level:.places$} dB").replace('-', "\u{2212}"),
    }
}

fn table(outcomes: &[Outcome]) -> String {
    let mut table = String::from(
        "when full           voices  cut off  refused  aloud  seconds lost  lost altogether  \
         loudest loss",
    );
    for outcome in outcomes {
        let Outcome { name, stats, .. } = outcome;
        let loudest = outcome.loudest();
        let loudest = loudest.map_or_else(String::new, |loss| {
            format!("  {}, {}", loss.sound.name(), decibels(loss.level, 1))
        });
        let _ = write!(
            table,
            "\n{name:<18}  {:>6}  {:>7}  {:>7}  {:>5}  {:>12.1}  {:>15}{loudest}",
            stats.most_playing,
            stats.stolen,
            stats.refused,
            outcome.aloud(),
            outcome.seconds(),
            decibels(outcome.altogether(), 1),
        );
    }
    table
}

const STYLE: &str = "\
text{font-family:Helvetica,Arial,'Liberation Sans',sans-serif;font-size:12px;fill:#30363d}\
.title{font-size:20px;font-weight:bold}\
.name{font-size:15px;font-weight:bold}\
.number{font-size:24px;font-weight:bold}\
.command{font-family:Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:11px;fill:#6e7781}\
.small{font-size:10px;fill:#6e7781}\
.end{text-anchor:end}.middle{text-anchor:middle}";

const WIDTH: f64 = 1000.0;
const MARGIN: f64 = 28.0;
/// The curves of each answer. What stands beside them has room for the widest fonts.
const LEFT: f64 = 300.0;
const RIGHT: f64 = 700.0;
const TOP: f64 = 168.0;
const ROW: f64 = 108.0;
const CURVE: f64 = 90.0;
/// The decibels at the foot and at the head of a curve.
const LOW: f32 = -70.0;
const HIGH: f32 = -10.0;
const STORM: &str = "#d0d7de";
const LOST: &str = "#d55e00";

/// A row for each answer: how loud the storm is, and how loud what is missing from it.
fn draw(storm: &Storm, outcomes: &[Outcome], path: &Path) -> Svg {
    let foot = TOP + ROW * outcomes.len() as f64;
    let title = "What a full pool loses";
    let mut svg = Svg::new(WIDTH as u32, (foot + 26.0) as u32, title, STYLE);
    svg.rect([0.0, 0.0, WIDTH, foot + 26.0], &[("rx", &8), ("fill", &"#fff")]);
    let mut line = |class: &str, y: f64, text: &str| {
        svg.label([MARGIN, y], &[("class", &class)], text);
    };
    line("title", 38.0, title);
    line("", 61.0, &storm.about());
    let whole = decibels(loudness(RATE, &storm.whole), 1);
    line("", 78.0, &format!("With a voice for every sound its loudness would be {whole}."));
    let lost = "What is lost is all that was cut off or refused, together. Both are K-weighted.";
    line("", 95.0, lost);
    let command = format!("cargo run --release --example policies {}", path.display());
    line("command", 116.0, &command);
    draw_key(&mut svg, TOP - 28.0);
    let whole = levels(&storm.whole, 100);
    for (row, outcome) in outcomes.iter().enumerate() {
        let top = TOP + ROW * row as f64;
        let less = match outcomes {
            [quietest, oldest, ..] if row == 0 => {
                let less = oldest.altogether() - quietest.altogether();
                format!("{} less than the oldest", decibels(less, 1))
            }
            _ => String::new(),
        };
        svg.group(&[("class", &"answer")], |svg| draw_answer(svg, top, outcome, &less, &whole));
    }
    let seconds = storm.frames / RATE as usize;
    for second in 0..=seconds {
        let x = LEFT + (RIGHT - LEFT) * second as f64 / seconds as f64;
        svg.label([x, foot + 2.0], &[("class", &"small middle")], &format!("{second} s"));
    }
    svg
}

/// What the colours and the line mean, one after the other.
fn draw_key(svg: &mut Svg, y: f64) {
    let mut x = MARGIN;
    let mut label = |svg: &mut Svg, mark: f64, text: &str| {
        svg.label([x + mark + 6.0, y + 9.0], &[], text);
        let from = x;
        x += mark + 6.0 + text_width(text, 12.0) + 16.0;
        from
    };
    for (colour, text) in [(STORM, "the whole storm, each 100 ms"), (LOST, "what is lost of it")] {
        let x = label(svg, 12.0, text);
        svg.rect([x, y, 12.0, 10.0], &[("rx", &2), ("fill", &colour)]);
    }
    let x = label(svg, 24.0, "below this a loss is faint");
    draw_faint(svg, [x, x + 24.0], y + 5.0);
}

/// The line below which a loss is not heard.
fn draw_faint(svg: &mut Svg, [from, to]: [f64; 2], y: f64) {
    let line = format!("M{} {}H{}", short(from), short(y), short(to));
    svg.path(&line, &[("class", &"faint"), ("stroke", &"#57606a"), ("stroke-dasharray", &"4 3")]);
}

fn draw_answer(svg: &mut Svg, top: f64, outcome: &Outcome, less: &str, whole: &[f32]) {
    let Outcome { name, stats, losses, .. } = outcome;
    let label = |svg: &mut Svg, class: &str, x: f64, y: f64, text: &str| {
        svg.label([x, top + y], &[("class", &class)], text);
    };
    label(svg, "name", MARGIN, 42.0, name);
    label(svg, "", MARGIN, 62.0, &format!("{} voices at most", stats.most_playing));
    for level in [-60.0, -40.0, -20.0] {
        let y = short(top + height(level));
        let line = format!("M{LEFT} {y}H{RIGHT}");
        svg.path(&line, &[("stroke", &"#eaeef2")]);
        label(svg, "small end", LEFT - 6.0, y - top + 3.5, &decibels(level, 0));
    }
    for (colour, levels) in [(STORM, whole), (LOST, &levels(&outcome.lost, 100))] {
        svg.path(&area(top, levels), &[("class", &"level"), ("fill", &colour)]);
    }
    draw_faint(svg, [LEFT, RIGHT], top + height(FAINT));
    let x = RIGHT + 24.0;
    label(svg, "small", x, 14.0, "lost altogether");
    label(svg, "number", x, 38.0, &decibels(outcome.altogether(), 1));
    let Some(loudest) = outcome.loudest() else {
        return;
    };
    let how = if stats.refused > 0 { "refused" } else { "cut off" };
    let aloud = match outcome.aloud() {
        0 => "none".into(),
        some => some.to_string(),
    };
    let heard = format!("{} {how}, {aloud} above {}", losses.len(), decibels(FAINT, 0));
    let loudest = format!("loudest: {}, {}", loudest.sound.name(), decibels(loudest.level, 1));
    let told = [less, &heard, &loudest].into_iter().filter(|text| !text.is_empty());
    for (line, text) in told.enumerate() {
        label(svg, "", x, 57.0 + 16.0 * line as f64, text);
    }
}

/// How far below the top of its row a level is.
fn height(level: f32) -> f64 {
    CURVE * f64::from((HIGH - level.clamp(LOW, HIGH)) / (HIGH - LOW))
}

/// The area beneath levels that follow one another, as steps.
fn area(top: f64, levels: &[f32]) -> String {
    let foot = short(top + CURVE);
    let mut path = format!("M{LEFT} {foot}");
    let mut x = LEFT;
    for (n, level) in levels.iter().enumerate() {
        let y = short(top + height(*level));
        let end = short(LEFT + (RIGHT - LEFT) * (n + 1) as f64 / levels.len() as f64);
        let _ = write!(path, "V{y}H{end}");
        x = end;
    }
    let _ = write!(path, "V{foot}H{x}z");
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::LazyLock;
    use svg::check::{Element, elements};

    /// A short storm, and what became of it.
    static STORM: LazyLock<(Storm, [Outcome; 4])> = LazyLock::new(|| {
        let storm = Storm::new(3).unwrap();
        let outcomes = ANSWERS.map(|(answer, name)| storm.under(answer, name).unwrap());
        (storm, outcomes)
    });

    #[test]
    fn to_steal_the_quietest_loses_the_least_and_to_grow_nothing() {
        let (_, outcomes) = &*STORM;
        let lost = outcomes.each_ref().map(Outcome::altogether);
        let [quietest, oldest, refuse, grow] = lost;
        assert!(quietest < oldest - 8.0 && oldest < refuse, "{lost:?}");
        assert_eq!(grow, SILENCE);
        for outcome in outcomes {
            let Stats { stolen, refused, most_playing, .. } = outcome.stats;
            assert_eq!(outcome.losses.len() as u64, stolen + refused);
            assert_eq!(outcome.losses.is_empty(), most_playing > VOICES, "{}", outcome.name);
        }
    }

    #[test]
    fn what_is_missing_is_what_was_cut_off_but_for_its_fade() {
        let (storm, outcomes) = &*STORM;
        for ((when_full, name), outcome) in ANSWERS.into_iter().zip(outcomes) {
            let config =
                Config { voices: VOICES, max_voices: MOST_VOICES, when_full, ..Config::default() };
            let Heard { lost, .. } = storm.render(config).unwrap();
            let mut sum = vec![[0.0; 2]; storm.frames];
            for (loss, (_, at)) in outcome.losses.iter().zip(lost) {
                for (sum, rest) in sum[at as usize..].iter_mut().zip(&loss.rest) {
                    *sum = [0, 1].map(|side| sum[side] + rest[side]);
                }
            }
            let pairs = outcome.lost.iter().zip(&sum);
            let apart: Vec<Frame> =
                pairs.map(|(a, b)| [0, 1].map(|side| a[side] - b[side])).collect();
            // Who is refused has no fade: all that is left are the roundings of the sums.
            let limit = match when_full {
                WhenFull::Refuse | WhenFull::Grow => -120.0,
                _ => outcome.altogether() - 6.0,
            };
            assert!(loudness(RATE, &apart) < limit, "{name}: {}", loudness(RATE, &apart));
        }
    }

    #[test]
    fn every_answer_has_its_row_with_the_storm_and_what_is_lost_of_it() {
        let (storm, outcomes) = &*STORM;
        let svg = draw(storm, outcomes, Path::new("<&>.svg")).finish();
        let elements = elements(&svg);
        let of = |class| elements.iter().filter(move |element| element.get("class") == class);
        assert_eq!((of("answer").count(), of("level").count()), (4, 8));
        let says = |text: &str| elements.iter().any(|element| element.text == text);
        assert!(says("cargo run --release --example policies <&>.svg"));
        for outcome in outcomes {
            assert!(says(outcome.name) && says(&decibels(outcome.altogether(), 1)));
        }
    }

    /// Where something is, from left to right and from top to bottom.
    type Place = ([f64; 2], [f64; 2]);

    /// Where a label is in a font that is a third wider than the usual ones.
    fn place(label: &Element) -> Place {
        let number = |name| label.get(name).parse::<f64>().unwrap();
        let mut classes = label.get("class").split(' ');
        let (size, wide) = match classes.next().unwrap_or_default() {
            "title" => (20.0, 0.78),
            "name" => (15.0, 0.78),
            "number" => (24.0, 0.78),
            "command" => (11.0, 0.79),
            "small" => (10.0, 0.73),
            _ => (12.0, 0.73),
        };
        let width = size * wide * label.text.chars().count() as f64;
        let left = match classes.next() {
            Some("end") => number("x") - width,
            Some("middle") => number("x") - width / 2.0,
            _ => number("x"),
        };
        ([left, left + width], [number("y") - size, number("y")])
    }

    /// Everything but the paper, with what it is: labels, the marks of the key, and the curves.
    fn places(svg: &str) -> Vec<(String, Place)> {
        let elements = elements(svg);
        let number = |element: &Element, name| element.get(name).parse::<f64>().unwrap();
        let mut places = Vec::new();
        let mut rows = 0;
        for element in &elements[1..] {
            match (element.name.as_str(), element.get("class")) {
                ("text", _) => places.push((element.text.clone(), place(element))),
                ("g", "answer") => {
                    let top = TOP + ROW * f64::from(rows);
                    rows += 1;
                    places.push((format!("curve {rows}"), ([LEFT, RIGHT], [top, top + CURVE])));
                }
                ("rect", _) if element.get("width") == "12" => {
                    let (x, y) = (number(element, "x"), number(element, "y"));
                    places.push(("a colour".into(), ([x, x + 12.0], [y, y + 10.0])));
                }
                // The first is the key's.
                ("path", "faint") if rows == 0 => {
                    let line = element.get("d").trim_start_matches('M').replace([' ', 'H'], ",");
                    let line: Vec<f64> = line.split(',').map(|n| n.parse().unwrap()).collect();
                    places.push(("a line".into(), ([line[0], line[2]], [line[1], line[1]])));
                }
                _ => (),
            }
        }
        places
    }

    #[test]
    fn nothing_runs_into_anything_else_in_a_font_a_third_wider_than_the_usual_ones() {
        let (storm, outcomes) = &*STORM;
        let svg = draw(storm, outcomes, Path::new("docs/policies.svg")).finish();
        let places = places(&svg);
        let marks = |text: &str| places.iter().filter(|(what, _)| what.starts_with(text)).count();
        assert_eq!((marks("curve "), marks("a colour"), marks("a line")), (4, 2, 1));
        let apart = |a: [f64; 2], b: [f64; 2]| a[1] <= b[0] || b[1] <= a[0];
        for (n, (a, (across, down))) in places.iter().enumerate() {
            assert!(across[0] >= 0.0 && across[1] <= WIDTH, "{a:?} has no room");
            for (b, (other_across, other_down)) in &places[n + 1..] {
                let apart = apart(*across, *other_across) || apart(*down, *other_down);
                assert!(apart, "{a:?}, {b:?}");
            }
        }
    }

    #[test]
    fn the_longest_row_that_the_sounds_could_give_has_its_room() {
        for text in ["564 refused, 564 above −40 dB", "loudest: whoosh_small, −43.8 dB"] {
            assert!(RIGHT + 24.0 + text_width(text, 12.0) <= WIDTH, "{text}");
        }
    }

    #[test]
    fn a_wrong_argument_is_named() {
        let path = |words: &[&str]| path(words.iter().map(PathBuf::from));
        assert_eq!(path(&[]), Ok("policies.svg".into()));
        assert_eq!(path(&["a.svg"]), Ok("a.svg".into()));
        assert!(path(&["--what"]).unwrap_err().starts_with("--what is not a file"));
        assert!(path(&["a", "b"]).unwrap_err().starts_with("b is one too many"));
    }
}
