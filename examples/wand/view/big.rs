//! Large type, for what is read from across the room.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;

const WIDTH: usize = 5;
const HEIGHT: usize = 7;

/// A row of a character is five bits, the leftmost the highest.
fn shape(c: char) -> [u8; HEIGHT] {
    match c {
        '0' => [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
        '1' => [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        '2' => [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
        '3' => [0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110],
        '4' => [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
        '5' => [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
        '6' => [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
        '7' => [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
        '8' => [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
        '9' => [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
        '-' | '\u{2212}' => [0, 0, 0, 0b11111, 0, 0, 0],
        'd' => [0b00001, 0b00001, 0b01101, 0b10011, 0b10001, 0b10001, 0b01111],
        'A' => [0b01110, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001],
        'B' => [0b11110, 0b10001, 0b10001, 0b11110, 0b10001, 0b10001, 0b11110],
        'N' => [0b10001, 0b11001, 0b11001, 0b10101, 0b10011, 0b10011, 0b10001],
        'O' => [0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110],
        'W' => [0b10001, 0b10001, 0b10001, 0b10101, 0b10101, 0b11011, 0b10001],
        _ => [0; HEIGHT],
    }
}

/// How many columns a text takes.
pub fn width(text: &str) -> u16 {
    (text.chars().count() * (WIDTH + 1)) as u16
}

/// The rows that a line of it takes: two dots in each.
pub const ROWS: u16 = HEIGHT.div_ceil(2) as u16;

/// Writes a text from the area's corner on, as far as it goes.
pub fn write(buffer: &mut Buffer, area: Rect, text: &str, color: Color) {
    let area = area.intersection(buffer.area);
    for (n, c) in text.chars().enumerate() {
        let shape = shape(c);
        let is_lit =
            |x: usize, y: usize| shape.get(y).is_some_and(|row| row >> (WIDTH - 1 - x) & 1 == 1);
        for y in 0..ROWS {
            for x in 0..WIDTH {
                let dots = (is_lit(x, 2 * y as usize), is_lit(x, 2 * y as usize + 1));
                let block = match dots {
                    (true, true) => '█',
                    (true, false) => '▀',
                    (false, true) => '▄',
                    (false, false) => continue,
                };
                let at = (area.x + (n * (WIDTH + 1) + x) as u16, area.y + y);
                if area.contains(at.into()) {
                    buffer[at].set_char(block).set_fg(color);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seven_looks_like_a_seven_and_stays_within_its_area() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 4));
        write(&mut buffer, Rect::new(0, 0, 6, 4), "77", Color::Reset);
        let expected = Buffer::with_lines(["▀▀▀▀█   ", "  ▄▀    ", " █      ", " ▀      "]);
        assert_eq!(buffer, expected);
    }
}
