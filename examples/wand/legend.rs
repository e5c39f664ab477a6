//! The colours and marks of the timeline, and what they mean.

use crate::logic::cast::Cast;
use crate::logic::tally::FAINT;
use crate::record::{Bar, Recording};
use crate::svg::{Svg, short, text_width};

/// Colours that also those can tell apart who see some of them alike. The sounds that play longest
/// get them; the rest have to share one.
const COLOURS: [&str; 8] =
    ["#0072b2", "#e69f00", "#009e73", "#aa4499", "#56b4e9", "#8c8c1f", "#882255", "#3fb8a6"];
const OTHERS: &str = "#9a8f80";
pub const LOOPS: &str = "#57606a";
/// A theft that nobody hears, and one that somebody may; and a refusal, which may be anything.
const FAINT_THEFT: &str = "#24292f";
const LOUD_THEFT: &str = "#d1380c";
pub const REFUSED: &str = LOUD_THEFT;

/// The shades of a bar: one from each of these levels on, in decibels. Below the first there is
/// only its outline.
pub const SHADES: [f32; 8] = [-60.0, -54.0, -48.0, -42.0, -36.0, -30.0, -24.0, -18.0];

const ROW: f64 = 20.0;

/// Sounds of one kind have one colour: `footstep_1` and `footstep_2` are footsteps.
pub struct Kinds {
    /// By sound: its kind's place in the list.
    of: Vec<usize>,
    /// Names and colours.
    pub list: Vec<(String, &'static str)>,
}

impl Kinds {
    pub fn new(cast: &Cast, bars: &[Bar]) -> Kinds {
        let mut names: Vec<&str> = Vec::new();
        let mut of = Vec::new();
        for sound in 0..cast.members.len() {
            let name = cast.name(sound).trim_end_matches(|c: char| c.is_ascii_digit());
            let name = name.trim_end_matches('_');
            of.push(names.iter().position(|known| *known == name).unwrap_or(names.len()));
            if of[sound] == names.len() {
                names.push(name);
            }
        }
        let mut played = vec![0; names.len()];
        for bar in bars {
            played[of[bar.sound]] += bar.to - bar.from;
        }
        let looped = |kind: usize| cast.loops.iter().any(|&sound| of[sound] == kind);
        let mut shots: Vec<usize> = (0..names.len()).filter(|&kind| !looped(kind)).collect();
        shots.sort_by_key(|&kind| std::cmp::Reverse(played[kind]));
        let colour = |kind| match shots.iter().position(|&shot| shot == kind) {
            Some(rank) => COLOURS.get(rank).copied().unwrap_or(OTHERS),
            None => LOOPS,
        };
        let list = names.iter().enumerate().map(|(kind, name)| (name.to_string(), colour(kind)));
        Kinds { list: list.collect(), of }
    }

    /// Which kind a bar is of: its place in the list.
    pub fn of(&self, bar: &Bar) -> usize {
        self.of[bar.sound]
    }

    pub fn name(&self, bar: &Bar) -> &str {
        &self.list[self.of(bar)].0
    }
}

/// What everything means, in rows.
pub struct Legend {
    entries: Vec<([f64; 2], Mark, String)>,
    pub height: f64,
}

enum Mark {
    Colour(&'static str),
    Shades,
    Theft { loud: bool },
    Parked,
    Refused,
}

impl Legend {
    /// A legend in a column of the picture.
    pub fn new(kinds: &Kinds, recording: &Recording, [left, right]: [f64; 2], top: f64) -> Legend {
        let mut marks: Vec<(Mark, String)> = Vec::new();
        for colour in COLOURS {
            let named = kinds.list.iter().find(|(_, each)| *each == colour);
            marks.extend(named.map(|(name, colour)| (Mark::Colour(colour), name.clone())));
        }
        for (colour, name) in [(OTHERS, "others"), (LOOPS, "loops")] {
            if kinds.list.iter().any(|(_, each)| *each == colour) {
                marks.push((Mark::Colour(colour), name.into()));
            }
        }
        let [faintest, .., loudest] = SHADES;
        marks.push((Mark::Shades, format!("from {faintest} dB to {loudest} dB and above")));
        marks.push((Mark::Theft { loud: false }, "took its voice from the one before".into()));
        marks.push((Mark::Theft { loud: true }, format!("who was heard: above {FAINT} dB")));
        marks.push((Mark::Parked, "parked: goes on in silence".into()));
        if !recording.refusals.is_empty() {
            marks.push((Mark::Refused, "refused".into()));
        }
        let (mut x, mut y, mut entries) = (left, top, Vec::new());
        for (mark, text) in marks {
            let wide = mark.width() + text_width(&text, 12.0) + 22.0;
            if x + wide > right && x > left {
                (x, y) = (left, y + ROW);
            }
            entries.push(([x, y], mark, minus(&text)));
            x += wide;
        }
        Legend { entries, height: y + ROW - top }
    }

    pub fn draw(&self, svg: &mut Svg) {
        for ([x, y], mark, text) in &self.entries {
            let (x, y) = (*x, *y);
            match mark {
                Mark::Colour(colour) => {
                    svg.rect([x, y - 9.0, 12.0, 10.0], &[("rx", &2), ("fill", colour)]);
                }
                Mark::Shades => {
                    for shade in 0..SHADES.len() {
                        let place = [x + 10.0 * shade as f64, y - 9.0, 10.0, 10.0];
                        svg.rect(place, &[("fill", &LOOPS), ("fill-opacity", &opacity(shade))]);
                    }
                }
                Mark::Theft { loud } => {
                    let (colour, arrow) = arrow(*loud, x, y - 4.0);
                    svg.path(&arrow, &[("fill", &colour), ("stroke", &colour)]);
                }
                Mark::Parked => {
                    let dots = format!("M{} {}h24", short(x), y - 4.0);
                    svg.path(&dots, &[("stroke", &LOOPS), ("stroke-dasharray", &"2 3")]);
                }
                Mark::Refused => svg.path(&cross(x + 6.0, y - 4.0), &[("stroke", &REFUSED)]),
            }
            svg.label([x + mark.width() + 6.0, y], &[], text);
        }
    }
}

impl Mark {
    fn width(&self) -> f64 {
        match self {
            Mark::Colour(_) | Mark::Theft { .. } | Mark::Refused => 12.0,
            Mark::Shades => 10.0 * SHADES.len() as f64,
            Mark::Parked => 24.0,
        }
    }
}

/// An arrow that points from a thief at the end of its victim, and its colour.
pub fn arrow(loud: bool, x: f64, y: f64) -> (&'static str, String) {
    let (x, y) = (short(x), short(y));
    match loud {
        true => (LOUD_THEFT, format!("M{x} {y}l4.5-3v6zh9")),
        false => (FAINT_THEFT, format!("M{x} {y}l2.5-1.7v3.4zh5")),
    }
}

pub fn cross(x: f64, y: f64) -> String {
    format!("M{} {}l5 5m0-5l-5 5", short(x - 2.5), short(y - 2.5))
}

pub fn opacity(shade: usize) -> f64 {
    short(9.5 * (shade + 1) as f64 / SHADES.len() as f64) / 10.0
}

/// With a minus that is as wide as a plus.
pub fn minus(text: &str) -> String {
    text.replace(" -", " \u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn louder_is_darker() {
        let steps: Vec<f64> = (0..SHADES.len()).map(opacity).collect();
        assert!(steps.is_sorted_by(|a, b| a < b) && steps[0] > 0.1 && steps[7] <= 1.0, "{steps:?}");
        assert!(SHADES.is_sorted());
    }

    #[test]
    fn no_entry_runs_into_the_next_in_a_font_a_third_wider_than_the_usual_ones() {
        let crate::show::Performance { wand, recording, .. } = &*crate::show::CROWDED;
        let kinds = Kinds::new(&wand.cast, &recording.bars);
        let (left, right) = (44.0, 1180.0);
        let Legend { entries, .. } = Legend::new(&kinds, recording, [left, right], 0.0);
        let end = |(place, mark, text): &([f64; 2], Mark, String)| {
            place[0] + mark.width() + 6.0 + 12.0 * 0.73 * text.chars().count() as f64
        };
        assert!(entries.len() > 10 && entries.iter().all(|entry| end(entry) <= right));
        for pair in entries.windows(2).filter(|pair| pair[0].0[1] == pair[1].0[1]) {
            assert!(end(&pair[0]) < pair[1].0[0], "{}, {}", pair[0].2, pair[1].2);
        }
    }

    #[test]
    fn a_minus_is_not_a_hyphen() {
        assert_eq!(minus("wand-swish at -3 dB"), "wand-swish at \u{2212}3 dB");
    }
}
