//! The voices, a cell for each slot: what plays, how loud, from where, of which priority and for
//! how long. A theft flashes in its slot.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use voicepool::{Priority, VoiceInfo, VoiceState, to_db};

use super::{bar, clip, columns, fit, ink, rule, share};
use crate::logic::app::{App, Theft, decibels};
use crate::logic::wand::Tag;

/// How the slots are laid out.
#[derive(Debug, PartialEq)]
pub struct Grid {
    cell: Cell,
    columns: u16,
    pub rows: u16,
}

/// What there is room for in a cell, in characters. Each ends in a space.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    width: u16,
    name: u16,
    bar: u16,
    level: bool,
    /// Pan and priority.
    signs: bool,
    age: u16,
}

/// From the widest to the narrowest: names go last, since without them the rest says little.
const CELLS: [Cell; 6] = [
    Cell { width: 40, name: 15, bar: 12, level: true, signs: true, age: 4 },
    Cell { width: 26, name: 12, bar: 6, level: false, signs: true, age: 4 },
    Cell { width: 20, name: 12, bar: 4, level: false, signs: true, age: 0 },
    Cell { width: 16, name: 10, bar: 4, level: false, signs: false, age: 0 },
    Cell { width: 10, name: 6, bar: 2, level: false, signs: false, age: 0 },
    Cell { width: 5, name: 2, bar: 1, level: false, signs: false, age: 0 },
];

impl Grid {
    /// The widest cells with which everybody fits into the rows.
    pub fn of(slots: usize, width: u16, most_rows: u16) -> Grid {
        let grid = |cell: Cell| {
            let columns = width / cell.width;
            Grid { cell, columns, rows: slots.div_ceil(columns.into()) as u16 }
        };
        let fits = |grid: &Grid| grid.rows <= most_rows;
        let mut narrowest = grid(CELLS[CELLS.len() - 1]);
        narrowest.rows = narrowest.rows.min(most_rows);
        CELLS.map(grid).into_iter().find(fits).unwrap_or(narrowest)
    }

    /// Whether there is room for more of a name than its beginning.
    pub fn is_readable(&self) -> bool {
        self.cell.name >= 10
    }
}

pub fn draw(buffer: &mut Buffer, area: Rect, app: &App, grid: &Grid) {
    let stats = &app.wand.stats;
    let most = app.wand.tally.most_playing;
    let right = format!("{} of {} play · {most} at most", stats.playing, stats.voices);
    rule(buffer, area, "voices", Line::styled(right, ink::DIM));
    let slots = (0..stats.voices).take(usize::from(grid.rows * grid.columns));
    for slot in slots {
        let (column, row) = (slot as u16 % grid.columns, slot as u16 / grid.columns);
        let at = Rect {
            x: area.x + column * grid.cell.width,
            y: area.y + 1 + row,
            width: grid.cell.width - 1,
            height: 1,
        };
        let voice = app.voices.iter().find(|voice| voice.slot == Some(slot));
        match (app.flashes.get(&slot), voice) {
            (Some(theft), _) => flash(buffer, at, theft),
            (None, Some(voice)) => self::voice(buffer, at, app, voice, &grid.cell),
            (None, None) => Line::styled("·", ink::FAINT).render(at, buffer),
        }
    }
    parked(buffer, Rect { y: area.bottom() - 1, height: 1, ..area }, app);
}

fn flash(buffer: &mut Buffer, at: Rect, theft: &Theft) {
    let is_loud = theft.level > crate::logic::tally::FAINT;
    let (paper, text) = if is_loud { (ink::HOT, ink::NIGHT) } else { (ink::EMBER, ink::WARM) };
    buffer.set_style(at, Style::new().bg(paper).fg(text));
    let Theft { thief, victim, .. } = theft;
    // Both names, however narrow the cell.
    let half = usize::from(at.width - 1) / 2;
    let victim = clip(victim, half);
    let thief = clip(thief, usize::from(at.width) - 1 - columns(&victim));
    Line::from(format!("{thief}◂{victim}")).render(at, buffer);
}

fn voice(buffer: &mut Buffer, at: Rect, app: &App, voice: &VoiceInfo, cell: &Cell) {
    let sound = Tag::unpack(voice.tag).sound;
    let level = to_db(voice.level);
    let own = ink::sound(sound, 1.0);
    let name_style = match voice.state {
        VoiceState::Playing => Style::new().fg(own),
        _ => Style::new().fg(ink::DIM).add_modifier(Modifier::ITALIC),
    };
    let mut line = Line::from(vec![
        Span::styled(fit(app.wand.cast.name(sound), cell.name.into()), name_style),
        Span::raw(" "),
        Span::styled(bar(cell.bar, share(level)), ink::level(level)),
    ]);
    if cell.level {
        line.push_span(Span::styled(format!("{:>5}", short(level)), ink::DIM));
    }
    if cell.signs {
        line.push_span(Span::styled(side(voice.pan).to_string(), ink::DIM));
        line.push_span(priority(voice.priority));
    }
    if cell.age > 0 {
        let age = app.age(voice.voice);
        let age = if age < 9.95 { format!("{age:.1}s") } else { format!("{age:.0}s") };
        line.push_span(Span::styled(format!("{age:>width$}", width = cell.age.into()), ink::DIM));
    }
    line.render(at, buffer);
}

/// A level without its unit.
fn short(level: f32) -> String {
    decibels(level).replace(" dB", "").replace("silence", "")
}

/// From which side it is heard.
fn side(pan: f32) -> char {
    match pan {
        pan if pan < -0.25 => '◂',
        pan if pan > 0.25 => '▸',
        _ => '·',
    }
}

pub fn priority(priority: Priority) -> Span<'static> {
    let (letter, color) = match priority {
        Priority::Low => ("L", ink::DIM),
        Priority::Normal => ("N", ink::DIM),
        Priority::High => ("H", ink::WARM),
        Priority::Protected => ("P", ink::GOOD),
    };
    Span::styled(letter, color)
}

/// Those who lost their voice and wait for another.
fn parked(buffer: &mut Buffer, area: Rect, app: &App) {
    let mut line = Line::styled(" parked ", ink::DIM);
    let parked = app.voices.iter().filter(|voice| voice.state == VoiceState::Parked);
    let parked: Vec<&VoiceInfo> = parked.collect();
    for (n, voice) in parked.iter().enumerate() {
        let sound = Tag::unpack(voice.tag).sound;
        let name = clip(app.wand.cast.name(sound), 15);
        let level = decibels(to_db(voice.level));
        let rest = format!(" {level} at {:.1} s  ", voice.position.as_secs_f32());
        // Room for how many more there are.
        if line.width() + columns(&name) + columns(&rest) + 8 > area.width.into() {
            line.push_span(Span::styled(format!("+ {} more", parked.len() - n), ink::DIM));
            break;
        }
        line.push_span(Span::styled(name, ink::sound(sound, 1.0)));
        line.push_span(Span::styled(rest, ink::DIM));
    }
    if line.spans.len() == 1 {
        line.push_span(Span::styled("nobody", ink::FAINT));
    }
    line.render(area, buffer);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_voice_has_a_cell_on_every_screen() {
        for (width, most_rows) in [(80, 4), (80, 8), (120, 16), (300, 40)] {
            for slots in [1, 8, 16, 24, 32, 64] {
                let grid = Grid::of(slots, width, most_rows);
                assert!(usize::from(grid.columns * grid.rows) >= slots, "{slots} in {width}");
                assert!(grid.rows <= most_rows && grid.columns * grid.cell.width <= width);
            }
        }
    }

    #[test]
    fn what_a_cell_shows_fits_into_it() {
        for cell in CELLS {
            let gap = 1;
            let level = if cell.level { 5 } else { 0 };
            let signs = if cell.signs { 2 } else { 0 };
            assert!(cell.name + gap + cell.bar + level + signs + cell.age < cell.width, "{cell:?}");
        }
    }
}
