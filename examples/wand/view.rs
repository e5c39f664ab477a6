//! What is seen: the stage above, the voices beneath it, then why they are as they are.

mod big;
mod cells;
pub mod ink;
mod panels;
mod popups;
mod sky;

pub use sky::DOTS;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::app::App;
use crate::wand::ANSWERS;

/// The smallest screen, in columns and rows.
pub const SMALLEST: (u16, u16) = (80, 24);

/// The meters beside the stage.
const METERS: u16 = 34;

/// From so many rows on, the ear test has a place of its own.
const TALL: u16 = 36;

pub fn draw(frame: &mut Frame, app: &mut App) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        return too_small(buffer, area);
    }
    buffer.set_style(area, Style::new().fg(ink::TEXT));
    let mut left = area;
    header(buffer, from_top(&mut left, 1), app);
    footer(buffer, from_bottom(&mut left, 2), app);
    let is_tall = area.height >= TALL;
    let lists = 7 + (area.height - SMALLEST.1) / 3;
    if app.ear_test && !is_tall {
        panels::ear_test(buffer, from_bottom(&mut left, 7), app);
    } else {
        lower(buffer, from_bottom(&mut left, lists.min(16)), app);
        if app.ear_test {
            panels::ear_test(buffer, from_bottom(&mut left, 7), app);
        }
    }
    // The stage keeps eight rows, so that the meters have room beside it.
    let most = left.height - 8 - 2;
    let grid = cells::Grid::of(app.wand.stats.voices.max(1), area.width, most);
    cells::draw(buffer, from_bottom(&mut left, grid.rows + 2), app, &grid);
    let mut stage = left;
    panels::meters(buffer, from_right(&mut stage, METERS), app);
    sky::draw(buffer, stage, app);
    app.stage_area = stage;
    if app.help {
        popups::help(buffer, area, app);
    } else if app.frozen {
        popups::theft(buffer, area, app);
    }
}

fn lower(buffer: &mut Buffer, mut area: Rect, app: &App) {
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

/// As much of a name as fits into so many columns.
fn clip(name: &str, width: usize) -> String {
    let mut clipped = String::new();
    for c in name.chars() {
        clipped.push(c);
        if columns(&clipped) > width {
            clipped.pop();
            break;
        }
    }
    clipped
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
            ("sparkle_tick", "sparkl"),
            ("日本語の音", "日本語"),
            ("日本a語", "日本a "),
            ("e\u{301}toile\u{301}s", "e\u{301}toile\u{301}"),
        ] {
            assert_eq!(fit(name, 6), fitted);
        }
    }
}
