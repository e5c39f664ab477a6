//! The show as a picture: a lane per voice, each sound a bar that is darker where it is louder,
//! every theft an arrow from the thief to its victim, and beneath it the mix.

use std::collections::HashMap;
use std::fmt::Write;

use voicepool::VoiceId;

use crate::legend::{self, Kinds, LOOPS, Legend, SHADES, minus, opacity};
use crate::logic::script::{self, Cue};
use crate::logic::tally::FAINT;
use crate::logic::wand::TICKS;
use crate::record::{Bar, End, Recording, Theft};
use crate::show::{Performance, loudest_loss};
use crate::svg::{Attributes, Svg, short, text_width};

const WIDTH: f64 = 1200.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 20.0;
const LEGEND: f64 = 104.0;
/// From the legend to the lanes: what happens is written there.
const SCENES: f64 = 44.0;
/// All lanes together; a lane is as high as that allows.
const LANES: f64 = 384.0;
const WAVE: f64 = 96.0;
const AXIS: f64 = 40.0;

const STYLE: &str = "\
text{font-family:Helvetica,Arial,'Liberation Sans',sans-serif;font-size:12px;fill:#30363d}\
.title{font-size:20px;font-weight:bold}\
.command{font-family:Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:11px;fill:#6e7781}\
.small{font-size:10px;fill:#6e7781}\
.name{font-size:9.5px;paint-order:stroke;stroke:#fff;stroke-width:2.5px;stroke-linejoin:round}\
.end{text-anchor:end}.middle{text-anchor:middle}";

pub fn draw(performance: &Performance, voices: usize, command: &str) -> Svg {
    let Performance { wand, frames, recording, .. } = performance;
    let rate = wand.mixer.sample_rate();
    let seconds = frames.len() as f64 / f64::from(rate);
    let kinds = Kinds::new(&wand.cast, &recording.bars);
    let legend = Legend::new(&kinds, recording, [LEFT, WIDTH - RIGHT], LEGEND);
    let lanes = LEGEND + legend.height + SCENES;
    let lane = (LANES / voices as f64).clamp(4.0, 24.0);
    let plot = Plot { frames: frames.len() as f64, seconds, rate, lanes, lane, voices };

    let title =
        format!("{} sounds on {voices} voices in {seconds:.0} seconds", wand.tally.all.plays);
    let mut about = match recording.thefts.len() {
        0 => "Nobody had to give way.".into(),
        thefts => format!("{thefts} gave way to others. The loudest: {}.", loudest_loss(wand)),
    };
    if !recording.refusals.is_empty() {
        let _ = write!(about, " {} were refused.", recording.refusals.len());
    }
    let mut svg = Svg::new(WIDTH as u32, plot.height() as u32, &title, STYLE);
    svg.rect([0.0, 0.0, WIDTH, plot.height()], &[("rx", &8), ("fill", &"#fff")]);
    svg.label([LEFT, 34.0], &[("class", &"title")], &title);
    svg.label([LEFT, 58.0], &[], &minus(&about));
    svg.label([LEFT, 79.0], &[("class", &"command")], command);
    legend.draw(&mut svg);
    plot.scenes(&mut svg);
    plot.grid(&mut svg);
    plot.bars(&mut svg, &kinds, recording);
    plot.parkings(&mut svg, &recording.bars);
    plot.thefts(&mut svg, &recording.thefts);
    plot.refusals(&mut svg, &recording.refusals);
    plot.names(&mut svg, &kinds, recording);
    plot.wave(&mut svg, frames);
    svg
}

/// What is where.
struct Plot {
    frames: f64,
    seconds: f64,
    rate: u32,
    /// Where the lanes begin, and how high one is.
    lanes: f64,
    lane: f64,
    voices: usize,
}

impl Plot {
    fn height(&self) -> f64 {
        self.bottom() + WAVE + AXIS
    }

    fn bottom(&self) -> f64 {
        self.lanes + self.lane * self.voices as f64
    }

    /// Where a frame is.
    fn x(&self, frame: u64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * (frame as f64 / self.frames.max(1.0))
    }

    fn x_of_tick(&self, tick: u64) -> f64 {
        self.x(tick * u64::from(self.rate) / TICKS)
    }

    /// Where a lane begins.
    fn y(&self, slot: usize) -> f64 {
        self.lanes + self.lane * slot as f64
    }

    fn middle(&self, slot: usize) -> f64 {
        self.y(slot) + self.lane / 2.0
    }

    /// The height of a bar: a little less than its lane.
    fn thick(&self) -> f64 {
        self.lane * 0.84
    }

    /// What happens, above the lanes.
    fn scenes(&self, svg: &mut Svg) {
        let cues = script::show((self.seconds * TICKS as f64).round() as u64);
        let when = |wanted| cues.iter().find(|(_, cue)| *cue == wanted).map(|(tick, _)| *tick);
        if let (Some(from), Some(to)) = (when(Cue::Storm(true)), when(Cue::Storm(false))) {
            let (x, y) = (self.x_of_tick(from), self.lanes - 34.0);
            let (width, height) = (self.x_of_tick(to) - x, self.bottom() - y);
            svg.rect([x, y, width, height], &[("fill", &"#f3efe4")]);
            svg.label([x + 5.0, y + 13.0], &[], "storm");
        }
        let mut written = 0.0;
        for (tick, cue) in cues {
            let name = match cue {
                Cue::Ambience(_) => "loops",
                Cue::Walk(_) => "steps",
                Cue::Storm(_) => continue,
                Cue::Wave(_) => "wave",
                Cue::Boom => "boom",
                Cue::End => "end",
            };
            let x = self.x_of_tick(tick);
            let mark = format!("M{} {}v4", short(x), self.lanes - 5.0);
            svg.path(&mark, &[("stroke", &"#6e7781")]);
            if x >= written {
                svg.label([x, self.lanes - 8.0], &[("class", &"small")], name);
                written = x + text_width(name, 10.0) + 4.0;
            }
        }
    }

    /// The lanes with their numbers, and the seconds.
    fn grid(&self, svg: &mut Svg) {
        let every = [1, 2, 5, 10, 20, 30];
        let few = |step: &u32| self.seconds / f64::from(*step) <= 20.0;
        let every = every.into_iter().find(few).unwrap_or(60);
        let (top, foot) = (self.lanes, self.bottom() + WAVE);
        for second in (0..=self.seconds as u32).step_by(every as usize) {
            let x = self.x(u64::from(second) * u64::from(self.rate));
            let line = format!("M{} {}V{}", short(x), short(top), short(foot + 4.0));
            svg.path(&line, &[("stroke", &"#eaeef2")]);
            svg.label([x, foot + 18.0], &[("class", &"small middle")], &format!("{second} s"));
        }
        svg.label([LEFT - 8.0, top - 8.0], &[("class", &"small end")], "voice");
        let every_lane = (11.0 / self.lane).ceil().max(1.0) as usize;
        for slot in 0..self.voices {
            svg.group(&[("class", &"lane")], |svg| {
                let line = format!("M{LEFT} {}H{}", short(self.y(slot)), WIDTH - RIGHT);
                svg.path(&line, &[("stroke", &"#eaeef2")]);
                if slot.is_multiple_of(every_lane) {
                    let place = [LEFT - 8.0, self.middle(slot) + 3.5];
                    svg.label(place, &[("class", &"small end")], &slot.to_string());
                }
            });
        }
    }

    /// Every bar, and on it, how loud it was. Shades of one kind are one path: that is a fraction
    /// of the size.
    fn bars(&self, svg: &mut Svg, kinds: &Kinds, recording: &Recording) {
        for (place, (_, colour)) in kinds.list.iter().enumerate() {
            let bars: Vec<&Bar> =
                recording.bars.iter().filter(|bar| kinds.of(bar) == place).collect();
            let mut shades: [String; SHADES.len()] = Default::default();
            svg.group(&[("class", &"bars"), ("fill", colour), ("fill-opacity", &".1")], |svg| {
                for bar in &bars {
                    let (x, end) = (self.x(bar.from), self.x(bar.to));
                    let width = (end - x).max(0.3);
                    svg.rect([x, self.y(bar.slot) + 1.0, width, self.thick()], &[]);
                    self.shade(bar, &mut shades);
                }
            });
            for (shade, path) in shades.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
                svg.path(path, &[("fill", colour), ("fill-opacity", &opacity(shade))]);
            }
        }
    }

    /// Adds a bar's stretches of one shade each to the paths of these shades.
    fn shade(&self, bar: &Bar, shades: &mut [String; SHADES.len()]) {
        let of = |level: f32| SHADES.iter().rposition(|from| level >= *from);
        let mut levels = bar.levels.iter().map(|&(at, level)| (at, of(level))).peekable();
        while let Some((from, shade)) = levels.next() {
            while levels.next_if(|(_, next)| *next == shade).is_some() {}
            let to = levels.peek().map_or(bar.to, |(at, _)| *at);
            let Some(path) = shade.and_then(|shade| shades.get_mut(shade)) else { continue };
            let (x, end) = (short(self.x(from)), short(self.x(to)));
            let (y, high) = (short(self.y(bar.slot) + 1.0), short(self.thick()));
            let _ = write!(path, "M{x} {y}H{end}v{high}H{x}z");
        }
    }

    /// From where a play lost its voice to where it got one again.
    fn parkings(&self, svg: &mut Svg, bars: &[Bar]) {
        let mut left: HashMap<VoiceId, &Bar> = HashMap::new();
        let style: Attributes = &[
            ("class", &"parkings"),
            ("fill", &"none"),
            ("stroke", &LOOPS),
            ("stroke-width", &1.5),
            ("stroke-dasharray", &"2 3"),
        ];
        let middle = |bar: &Bar| short(self.middle(bar.slot));
        svg.group(style, |svg| {
            // They stand in the order of their ends, and so does each one's return.
            for bar in bars {
                if let Some(before) = left.remove(&bar.voice) {
                    let (x, y) = (short(self.x(before.to)), middle(before));
                    let line = format!("M{x} {y}L{} {}", short(self.x(bar.from)), middle(bar));
                    svg.path(&line, &[]);
                }
                if bar.end == End::Parked {
                    left.insert(bar.voice, bar);
                }
            }
        });
    }

    fn thefts(&self, svg: &mut Svg, thefts: &[Theft]) {
        for loud in [false, true] {
            let (colour, _) = legend::arrow(loud, 0.0, 0.0);
            let style: Attributes = &[
                ("class", &"thefts"),
                ("fill", &colour),
                ("stroke", &colour),
                ("stroke-width", &if loud { 1.2 } else { 0.7 }),
                ("opacity", &if loud { 1.0 } else { 0.5 }),
            ];
            svg.group(style, |svg| {
                for theft in thefts.iter().filter(|theft| (theft.level > FAINT) == loud) {
                    let Some(slot) = theft.slot else { continue };
                    let (_, arrow) = legend::arrow(loud, self.x(theft.at), self.middle(slot));
                    svg.path(&arrow, &[]);
                }
            });
        }
    }

    /// Those who got no voice at all: crosses beneath the lanes.
    fn refusals(&self, svg: &mut Svg, refusals: &[u64]) {
        let style: Attributes =
            &[("class", &"refusals"), ("stroke", &legend::REFUSED), ("stroke-width", &1.2)];
        svg.group(style, |svg| {
            for at in refusals {
                svg.path(&legend::cross(self.x(*at), self.bottom() + 6.0), &[]);
            }
        });
    }

    /// Names, on the bars that are long enough for them.
    fn names(&self, svg: &mut Svg, kinds: &Kinds, recording: &Recording) {
        if self.lane < 11.0 {
            return;
        }
        for bar in &recording.bars {
            let (x, name) = (self.x(bar.from), kinds.name(bar));
            if self.x(bar.to) - x > text_width(name, 9.5) + 18.0 {
                let y = self.middle(bar.slot) + 2.5;
                svg.label([x + 13.0, y], &[("class", &"name")], name);
            }
        }
    }

    /// The mix: from its lowest to its highest sample in every column.
    fn wave(&self, svg: &mut Svg, frames: &[[f32; 2]]) {
        let middle = self.bottom() + WAVE / 2.0 + 6.0;
        let high = WAVE / 2.0 - 8.0;
        let columns = (WIDTH - LEFT - RIGHT) as usize;
        let mut lowest = Vec::new();
        let mut path = format!("M{LEFT} {}", short(middle));
        for column in 0..columns {
            let part = frames.len() * column / columns..frames.len() * (column + 1) / columns;
            let samples = frames[part].iter().flatten();
            let (least, most) =
                samples.fold((0.0f32, 0.0f32), |(low, top), &s| (low.min(s), top.max(s)));
            let x = LEFT + column as f64;
            let y = |sample: f32| short(middle - high * f64::from(sample));
            let _ = write!(path, "L{x} {}", y(most));
            lowest.push((x, y(least)));
        }
        for (x, y) in lowest.iter().rev() {
            let _ = write!(path, "L{x} {y}");
        }
        svg.path(&(path + "z"), &[("class", &"wave"), ("fill", &LOOPS)]);
        svg.label([LEFT - 8.0, middle + 3.5], &[("class", &"small end")], "mix");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::{CROWDED, rehearse};
    use crate::svg::check::{Element, elements};

    const VOICES: usize = 6;

    fn picture() -> Vec<Element> {
        elements(&draw(&CROWDED, VOICES, "wand <&>").finish())
    }

    /// How many elements of a name follow the groups of a class, up to the next group.
    fn inside(elements: &[Element], class: &str, name: &str) -> usize {
        let mut group = "";
        let mut count = 0;
        for element in elements {
            match element.name.as_str() {
                "g" => group = element.get("class"),
                each => count += usize::from(group == class && each == name),
            }
        }
        count
    }

    #[test]
    fn there_is_a_lane_for_every_voice_a_bar_for_every_bar_and_an_arrow_for_every_theft() {
        let (Performance { recording, .. }, elements) = (&*CROWDED, picture());
        let lanes = elements.iter().filter(|element| element.get("class") == "lane");
        assert_eq!(lanes.count(), VOICES);
        assert_eq!(inside(&elements, "bars", "rect"), recording.bars.len());
        let placed = recording.thefts.iter().filter(|theft| theft.slot.is_some()).count();
        assert!(placed > 50, "{placed}");
        let arrow = |element: &&Element| element.get("d").contains("zh");
        // Two more are in the legend.
        assert_eq!(elements.iter().filter(arrow).count(), placed + 2);
        let back = |bar: &Bar| {
            let mut same = recording.bars.iter().filter(|other| other.voice == bar.voice);
            bar.end == End::Parked && same.next_back() != Some(bar)
        };
        let back = recording.bars.iter().filter(|bar| back(bar)).count();
        let dotted = inside(&elements, "parkings", "path");
        assert!(back > 0 && dotted == back, "{dotted} of {back}");
    }

    #[test]
    fn everything_is_within_the_picture() {
        let elements = picture();
        let number = |element: &Element, name| element.get(name).parse::<f64>().unwrap_or(0.0);
        let height = number(&elements[0], "height");
        for element in &elements[1..] {
            let (x, y) = (number(element, "x"), number(element, "y"));
            let (right, foot) = (x + number(element, "width"), y + number(element, "height"));
            let within = x >= 0.0 && y >= 0.0 && right <= WIDTH && foot <= height;
            assert!(within, "{element:?}");
        }
    }

    #[test]
    fn the_command_and_the_names_are_in_it_as_they_are() {
        let elements = picture();
        let texts: Vec<&str> = elements.iter().map(|element| element.text.as_str()).collect();
        assert!(texts.contains(&"wand <&>") && texts.contains(&"footstep"), "{texts:?}");
        assert!(
            texts.iter().any(|text| text.contains(&minus(&loudest_loss(&CROWDED.wand)))),
            "{texts:?}"
        );
    }

    #[test]
    fn a_show_is_drawn_the_same_way_twice() {
        let again = rehearse(3, VOICES, 1);
        assert!(draw(&again, VOICES, "").finish() == draw(&CROWDED, VOICES, "").finish());
    }
}
