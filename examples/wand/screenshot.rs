//! A picture of the app, made without a terminal and without a device: the app runs offline for a
//! while, and what it draws becomes an SVG.

use std::error::Error;
use std::path::Path;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Modifier;

use crate::args::Options;
use crate::logic::app::App;
use crate::logic::wand::TICKS;
use crate::show;
use crate::svg::{Attributes, Svg, short};
use crate::view::{self, ink};

/// A character's width and height.
const WIDTH: f64 = 8.0;
const HEIGHT: f64 = 17.0;

/// The night behind it all.
const PAPER: [u8; 3] = [18, 18, 24];

pub fn run(options: &Options, path: &Path) -> Result<(), Box<dyn Error>> {
    let (columns, rows) = options.size.unwrap_or((120, 40));
    let (wand, mut renderer) = show::open(&options.folder(), options.voices(), options.seed())?;
    let mut app = App::new(wand);
    for _ in 0..options.seconds.unwrap_or(12) * TICKS {
        app.tick();
        renderer.frames(renderer.sample_rate() as usize / TICKS as usize);
    }
    let mut terminal = Terminal::new(TestBackend::new(columns, rows))?;
    terminal.draw(|frame| {
        view::draw(frame, &app);
    })?;
    picture(terminal.backend().buffer()).save(path)?;
    println!("The app is in {}.", path.display());
    Ok(())
}

/// What a screen shows. Blocks and dots are drawn as such, so that no font can pull them apart.
fn picture(screen: &Buffer) -> Svg {
    let (columns, rows) = (f64::from(screen.area.width), f64::from(screen.area.height));
    let (width, height) = ((columns + 2.0) * WIDTH, (rows + 1.0) * HEIGHT);
    let style = "text { font: 13.3px 'DejaVu Sans Mono', Menlo, Consolas, monospace } \
                 rect:not([rx]) { shape-rendering: crispEdges }";
    let mut svg = Svg::new(width as u32, height as u32, "voicepool: the wand", style);
    svg.rect([0.0, 0.0, width, height], &[("rx", &8), ("fill", &hex(PAPER))]);
    for y in 0..screen.area.height {
        row(&mut svg, screen, y);
    }
    svg
}

fn row(svg: &mut Svg, screen: &Buffer, y: u16) {
    let top = (f64::from(y) + 0.5) * HEIGHT;
    let left = |x: u16| (f64::from(x) + 1.0) * WIDTH;
    let mut x = 0;
    while x < screen.area.width {
        let cell = &screen[(x, y)];
        let alike = |other: &Cell| {
            (other.fg, other.bg, other.modifier) == (cell.fg, cell.bg, cell.modifier)
        };
        let run = (x..screen.area.width).take_while(|x| alike(&screen[(*x, y)])).count() as u16;
        if let Some(paper) = ink::rgb(cell.bg) {
            svg.rect([left(x), top, f64::from(run) * WIDTH, HEIGHT], &[("fill", &hex(paper))]);
        }
        let fill = hex(ink::rgb(cell.fg).unwrap_or([204; 3]));
        let symbols: Vec<char> =
            (x..x + run).map(|x| screen[(x, y)].symbol().chars().next().unwrap_or(' ')).collect();
        let mut at = x;
        // Neighbours that are alike are drawn as one; a word is kept together.
        for same in symbols.chunk_by(|a, b| a == b || (is_text(*a) && is_text(*b))) {
            let count = same.len() as f64;
            if !glyph(svg, same[0], left(at), top, count, &fill) {
                write(svg, &same.iter().collect::<String>(), left(at), top, cell, &fill);
            }
            at += same.len() as u16;
        }
        x += run;
    }
}

/// Whether it is a part of a word.
fn is_text(symbol: char) -> bool {
    symbol != ' ' && !matches!(symbol, '─'..='▟' | '\u{2800}'..='\u{28ff}')
}

/// Writes a word, each of whose characters keeps its column.
fn write(svg: &mut Svg, word: &str, left: f64, top: f64, cell: &Cell, fill: &str) {
    let is = |modifier, yes, no| if cell.modifier.contains(modifier) { yes } else { no };
    let more: Attributes = &[
        ("textLength", &short(word.chars().count() as f64 * WIDTH)),
        ("fill", &fill),
        ("font-weight", &is(Modifier::BOLD, "bold", "normal")),
        ("font-style", &is(Modifier::ITALIC, "italic", "normal")),
    ];
    svg.label([left, top + 0.76 * HEIGHT], more, word);
}

/// Draws blocks, dots or a line, so many side by side. Returns whether it was one of these.
fn glyph(svg: &mut Svg, symbol: char, left: f64, top: f64, count: f64, fill: &str) -> bool {
    let part = |x: f64, y: f64, width: f64, height: f64| {
        [left + x * WIDTH, top + y * HEIGHT, width * WIDTH, height * HEIGHT]
    };
    let area = match symbol {
        ' ' => return true,
        '█' => part(0.0, 0.0, count, 1.0),
        '▀' => part(0.0, 0.0, count, 0.5),
        '▄' => part(0.0, 0.5, count, 0.5),
        // From the lower eighths up, and from the left eighths down.
        '▁' | '▂' => {
            let eighths = f64::from(symbol as u32 - '▁' as u32 + 1) / 8.0;
            part(0.0, 1.0 - eighths, count, eighths)
        }
        '▉'..='▏' => part(0.0, 0.0, 1.0 - f64::from(symbol as u32 - '█' as u32) / 8.0, 1.0),
        '─' => part(0.0, 0.47, count, 0.06),
        '│' => part(0.44, 0.0, 0.12, 1.0),
        '\u{2800}'..='\u{28ff}' => {
            for n in 0..count as u32 {
                dots(svg, symbol as u32 - 0x2800, left + f64::from(n) * WIDTH, top, fill);
            }
            return true;
        }
        _ => return false,
    };
    svg.rect(area, &[("fill", &fill)]);
    true
}

/// The dots of a braille character.
fn dots(svg: &mut Svg, lit: u32, left: f64, top: f64, fill: &str) {
    for (column, bits) in view::DOTS.iter().enumerate() {
        for (row, _) in bits.iter().enumerate().filter(|(_, bit)| lit & u32::from(**bit) != 0) {
            let x = left + (0.25 + 0.5 * column as f64) * WIDTH;
            let y = top + (0.125 + 0.25 * row as f64) * HEIGHT;
            svg.rect([x - 1.5, y - 1.5, 3.0, 3.0], &[("rx", &1.5), ("fill", &fill)]);
        }
    }
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::check;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    #[test]
    fn words_keep_their_columns_and_blocks_are_drawn() {
        let mut screen = Buffer::empty(Rect::new(0, 0, 20, 2));
        screen.set_string(2, 1, "a<b  c ███⠂─▀▄", Style::new().fg(ink::HOT).bg(ink::NIGHT));
        let elements = check::elements(&picture(&screen).finish());
        let texts: Vec<(&str, &str)> = elements
            .iter()
            .filter(|element| element.name == "text")
            .map(|element| (element.text.as_str(), element.get("x")))
            .collect();
        assert_eq!(texts, [("a<b", "24"), ("c", "64")]);
        let rects = elements.iter().filter(|element| element.name == "rect");
        let (round, sharp): (Vec<_>, Vec<_>) = rects.partition(|rect| rect.get("rx") == "1.5");
        let middle =
            |rect: &check::Element| ["x", "y"].map(|at| rect.get(at).parse::<f64>().unwrap() + 1.5);
        let dots: Vec<[f64; 2]> = round.into_iter().map(middle).collect();
        assert_eq!(dots, [[13.25 * WIDTH, 31.9]], "the second of the left column");
        let tops: Vec<&str> = sharp.iter().map(|rect| rect.get("y")).collect();
        assert_eq!(
            tops,
            ["0", "25.5", "25.5", "33.5", "25.5", "34"],
            "the paper, the run's own, three blocks in one, a line, two halves"
        );
    }
}
