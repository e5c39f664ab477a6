//! What is seen: the stage above, the voices beneath it, then why they are as they are.

mod big;
mod cells;
pub mod ink;
mod panels;
mod popups;
mod sky;

use cells::Grid;
pub use sky::DOTS;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::logic::app::App;
use crate::logic::wand::ANSWERS;

/// The smallest screen, in columns and rows.
pub const SMALLEST: (u16, u16) = (80, 24);

/// The meters beside the stage.
const METERS: u16 = 34;

/// From so many rows on, the ear test has a place of its own.
const TALL: u16 = 36;

/// The rows of the ear test.
const EAR_TEST: u16 = 7;

/// Draws the app, and says where its stage is.
pub fn draw(frame: &mut Frame, app: &App) -> Rect {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        too_small(buffer, area);
        return Rect::default();
    }
    buffer.set_style(area, Style::new().fg(ink::TEXT));
    let mut left = area;
    header(buffer, from_top(&mut left, 1), app);
    footer(buffer, from_bottom(&mut left, 2), app);
    let voices = app.wand.stats.voices.max(1);
    // The stage keeps eight rows, so that the meters have room beside it, and the cells have two
    // of their own.
    let grid = |left: u16, beneath: u16| Grid::of(voices, area.width, left - beneath - 8 - 2);
    let beneath = match &app.ear_test {
        Some(_) if area.height < TALL => EAR_TEST,
        test => {
            let test = if test.is_some() { EAR_TEST } else { 0 };
            let lists = (7 + (area.height - SMALLEST.1) / 3).min(16);
            // A row or two for names that can be read.
            let readable = |lists: &u16| grid(left.height, test + lists).is_readable();
            test + (lists - 2..=lists).rev().find(readable).unwrap_or(lists)
        }
    };
    let grid = grid(left.height, beneath);
    let mut lower = from_bottom(&mut left, beneath);
    if let Some(test) = &app.ear_test {
        panels::ear_test(buffer, from_top(&mut lower, EAR_TEST), test, &app.wand.cast);
    }
    if lower.height > 0 {
        lists(buffer, lower, app);
    }
    cells::draw(buffer, from_bottom(&mut left, grid.rows + 2), app, &grid);
    let mut stage = left;
    panels::meters(buffer, from_right(&mut stage, METERS), app);
    sky::draw(buffer, stage, app);
    if app.help {
        popups::help(buffer, area, app);
    } else if app.frozen {
        popups::theft(buffer, area, app);
    }
    stage
}

fn lists(buffer: &mut Buffer, mut area: Rect, app: &App) {
    let columns = 34.max(area.width / 3);
    let table = from_right(&mut area, columns);
    panels::log(buffer, area, app);
    panels::table(buffer, table, app);
}

fn too_small(buffer: &mut Buffer, area: Rect) {
    let (columns, rows) = SMALLEST;
    let text =
        format!("The wand needs {columns} x {rows}; this is {} x {}.", area.width, area.height);
    Line::from(text).render(area, buffer);
}

fn header(buffer: &mut Buffer, area: Rect, app: &App) {
    let bar = Style::new().bg(ink::NIGHT).fg(ink::TEXT);
    buffer.set_style(area, bar);
    let on = |is_on: bool, text: String| is_on.then(|| Span::styled(text, ink::WARM));
    let name = Style::new().fg(ink::BRIGHT).add_modifier(Modifier::BOLD);
    let voices = format!("{} voices", app.wand.stats.voices);
    let parts = [
        Some(Span::styled(" voicepool wand", name)),
        Some(Span::raw(voices)),
        Some(Span::raw(ANSWERS[app.wand.answer()].1)),
        on(app.wand.is_storming(), "storm".into()),
        on(app.paused, "paused".into()),
        on(app.muted, "muted".into()),
        on(app.volume != 0 && !app.muted, format!("{:+} dB", app.volume)),
        on(app.wand.is_under_water(), "water".into()),
        on(app.wand.is_in_cave(), "cave".into()),
        on(app.wand.is_ducking(), "duck".into()),
        on(app.plays_by_itself(), "plays by itself".into()),
    ];
    let mut line = Line::default();
    for part in parts.into_iter().flatten() {
        if !line.spans.is_empty() {
            line.push_span(Span::styled(" · ", ink::DIM));
        }
        line.push_span(part);
    }
    line.render(area, buffer);
}

fn footer(buffer: &mut Buffer, area: Rect, app: &App) {
    let [caption, keys] = [0, 1].map(|row| Rect { y: area.y + row, height: 1, ..area });
    let style = Style::new().fg(ink::WARM).add_modifier(Modifier::ITALIC);
    Line::styled(format!(" {}", app.caption().unwrap_or_default()), style).render(caption, buffer);
    let hints = [
        ("space", "wave"),
        ("s", "storm"),
        ("e", "ear test"),
        ("f", "freeze"),
        ("w", "answer"),
        ("+ -", "voices"),
        ("?", "help"),
        ("q", "quit"),
    ];
    let hint = |(key, does): (&'static str, &'static str)| {
        [Span::styled(format!(" {key} "), ink::BRIGHT), Span::styled(format!("{does} "), ink::DIM)]
    };
    let line: Line = hints.into_iter().flat_map(hint).collect();
    line.render(keys, buffer);
}

/// A line with a title, and something at its right end.
fn rule(buffer: &mut Buffer, area: Rect, title: &str, right: Line) {
    let line = "─".repeat(area.width.into());
    buffer.set_stringn(area.x, area.y, line, area.width.into(), Style::new().fg(ink::FAINT));
    let style = Style::new().fg(ink::BRIGHT).add_modifier(Modifier::BOLD);
    buffer.set_stringn(area.x + 1, area.y, format!(" {title} "), area.width.into(), style);
    let width = right.width() as u16;
    if width > 0 && width + 4 + title.len() as u16 + 4 < area.width {
        let at = Rect { x: area.right() - width - 2, width: width + 1, height: 1, ..area };
        right.render(at, buffer);
    }
}

/// A bar from the left, in eighths of a character.
fn bar(width: u16, share: f32) -> String {
    const EIGHTHS: [char; 8] = ['█', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let eighths = (share.clamp(0.0, 1.0) * f32::from(width) * 8.0).round() as usize;
    let part = (!eighths.is_multiple_of(8)).then_some(EIGHTHS[eighths % 8]);
    let bar: String = std::iter::repeat_n(EIGHTHS[0], eighths / 8).chain(part).collect();
    format!("{bar:<width$}", width = width.into())
}

/// How many columns a text takes: some characters take two, and some none.
fn columns(text: &str) -> usize {
    Span::raw(text).width()
}

/// As much of a text as fits into so many columns.
fn cut(text: &str, width: usize) -> String {
    let mut cut = String::new();
    for c in text.chars() {
        cut.push(c);
        if columns(&cut) > width {
            cut.pop();
            break;
        }
    }
    cut
}

/// A text, or as much of it as fits into so many columns and a sign that there is more. Where only
/// a letter or two would be left, they say more than the sign.
fn clip(text: &str, width: usize) -> String {
    match columns(text) > width {
        true if width > 3 => cut(text, width - 1) + "…",
        _ => cut(text, width),
    }
}

/// A text that is too long gives up parts of the names in it first, the longest before the others,
/// and only then its end. Two names of the least length leave the smallest log room for a theft.
fn clip_names(text: &str, names: &[String], width: usize) -> String {
    const LEAST: usize = 11;
    let mut widths: Vec<usize> = names.iter().map(|name| columns(name)).collect();
    let mut over = columns(text).saturating_sub(width);
    while over > 0
        && let Some(longest) = widths.iter_mut().max().filter(|longest| **longest > LEAST)
    {
        *longest -= 1;
        over -= 1;
    }
    let mut clipped = String::new();
    let mut rest = text;
    for (name, width) in names.iter().zip(widths) {
        let Some((before, after)) = rest.split_once(name) else { continue };
        clipped += before;
        clipped += &clip(name, width);
        rest = after;
    }
    clip(&(clipped + rest), width)
}

/// A name in exactly so many columns.
fn fit(name: &str, width: usize) -> String {
    let clipped = clip(name, width);
    let rest = width - columns(&clipped);
    clipped + &" ".repeat(rest)
}

/// How much of a meter a level fills, in decibels.
fn share(level: f32) -> f32 {
    1.0 + level / 60.0
}

fn from_top(area: &mut Rect, rows: u16) -> Rect {
    let taken = Rect { height: rows, ..*area };
    area.y += rows;
    area.height -= rows;
    taken
}

fn from_bottom(area: &mut Rect, rows: u16) -> Rect {
    area.height -= rows;
    Rect { y: area.y + area.height, height: rows, ..*area }
}

fn from_right(area: &mut Rect, columns: u16) -> Rect {
    area.width -= columns;
    Rect { x: area.x + area.width, width: columns, ..*area }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_takes_its_columns_whatever_it_is_written_in() {
        for (name, fitted) in [
            ("coin", "coin  "),
            ("sparkle_tick", "spark…"),
            ("coin_1", "coin_1"),
            ("日本語", "日本語"),
            ("日本語の音", "日本… "),
            ("日本a語", "日本a…"),
            ("e\u{301}toile\u{301}", "e\u{301}toile\u{301}"),
            ("e\u{301}toile\u{301}s", "e\u{301}toil…"),
        ] {
            assert_eq!(fit(name, 6), fitted);
        }
        assert_eq!(
            (clip("coin", 3), clip("coin", 2), clip("coin", 0)),
            ("coi".into(), "co".into(), "".into())
        );
    }

    #[test]
    fn names_give_way_so_that_what_became_of_them_is_still_read() {
        let told = |thief: &str, victim: &str, width| {
            let text = format!("{thief} stole {victim} at −41 dB");
            clip_names(&text, &[thief.into(), victim.into()], width)
        };
        let long = "a_very_long_name_of_a_file";
        assert_eq!(told("coin", "zap", 41), "coin stole zap at −41 dB");
        assert_eq!(told(long, long, 41), "a_very_long… stole a_very_long… at −41 dB");
        assert_eq!(told(long, "zap", 41), "a_very_long_name_of_… stole zap at −41 dB");
        assert_eq!(told("zap", long, 31), "zap stole a_very_lon… at −41 dB");
        assert_eq!(told("coin", "coin_is_short", 33), "coin stole coin_is_sho… at −41 dB");
        assert_eq!(told(long, "zap", 27), "a_very_lon… stole zap at −…");
        assert_eq!(told(long, long, 20), "a_very_lon… stole a…");
    }
}
