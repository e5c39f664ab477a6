//! The stage: sparkles as dots, eight to a character, and a hero with a wand.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;

use super::ink;
use crate::logic::app::App;
use crate::logic::wand::TICKS;

/// The dots of a braille character, by column and row.
pub const DOTS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

pub fn draw(buffer: &mut Buffer, area: Rect, app: &App) {
    ground(buffer, area);
    hero(buffer, area, app);
    let (columns, rows) = (usize::from(area.width), usize::from(area.height));
    let mut cells = vec![(0u8, 0f32, 0usize); columns * rows];
    for sparkle in app.stage.sparkles() {
        let x = sparkle.x * (2 * columns) as f32;
        let y = (1.0 - sparkle.y) * (4 * rows) as f32;
        if x < 0.0 || y < 0.0 || x >= (2 * columns) as f32 || y >= (4 * rows) as f32 {
            continue;
        }
        let (x, y) = (x as usize, y as usize);
        let (dots, glow, hue) = &mut cells[y / 4 * columns + x / 2];
        *dots |= DOTS[x % 2][y % 4];
        if sparkle.glow() > *glow {
            (*glow, *hue) = (sparkle.glow(), sparkle.hue);
        }
    }
    for (at, (dots, glow, hue)) in cells.into_iter().enumerate().filter(|(_, cell)| cell.0 > 0) {
        let position = (area.x + (at % columns) as u16, area.y + (at / columns) as u16);
        let dots = char::from_u32(0x2800 + u32::from(dots)).unwrap_or('*');
        buffer[position].set_char(dots).set_fg(ink::sound(hue, glow));
    }
}

fn ground(buffer: &mut Buffer, area: Rect) {
    for x in area.left()..area.right() {
        let tuft = if (x * 7 + 3) % 11 < 2 { '▂' } else { '▁' };
        buffer[(x, area.bottom() - 1)].set_char(tuft).set_fg(Color::Indexed(22));
    }
}

fn hero(buffer: &mut Buffer, area: Rect, app: &App) {
    let age = app.waved.map_or(u64::MAX, |waved| app.ticks - waved);
    let picture = match age {
        age if age < TICKS / 6 => ["   \\*/", " o / ", "/|/  ", "/ \\  "],
        age if age < TICKS / 2 => ["     ", " o_/*", "/|   ", "/ \\  "],
        _ => ["     ", " o   ", "/|\\/ ", "/ \\  "],
    };
    let middle = f32::from(area.width) * (0.5 + 0.48 * app.wand.hero());
    let left = (area.x as f32 + middle - 1.0).max(f32::from(area.x)) as u16;
    for (y, line) in (0..).zip(picture) {
        let Some(y) = (area.bottom()).checked_sub(4 - y).filter(|y| *y >= area.y) else { continue };
        for (x, c) in (left..area.right()).zip(line.chars()).filter(|(_, c)| *c != ' ') {
            let color = if c == '*' { ink::BRIGHT } else { ink::TEXT };
            buffer[(x, y)].set_char(c).set_fg(color);
        }
    }
}
