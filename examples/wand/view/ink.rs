//! The colours. From the 256 that every terminal has: all of them are fixed but the first 16.

use ratatui::style::Color;

pub const TEXT: Color = Color::Indexed(252);
pub const DIM: Color = Color::Indexed(242);
pub const FAINT: Color = Color::Indexed(238);
pub const BRIGHT: Color = Color::Indexed(231);
pub const GOOD: Color = Color::Indexed(79);
pub const WARM: Color = Color::Indexed(221);
pub const HOT: Color = Color::Indexed(203);
pub const NIGHT: Color = Color::Indexed(235);
pub const EMBER: Color = Color::Indexed(58);

/// One for each sound, round and round; told apart by brightness as well as by hue.
const SOUNDS: [[u8; 3]; 10] = [
    [255, 215, 95],
    [95, 175, 255],
    [255, 135, 95],
    [135, 255, 175],
    [215, 135, 255],
    [95, 255, 255],
    [255, 95, 135],
    [215, 255, 95],
    [175, 175, 255],
    [255, 175, 215],
];

/// A sound's colour, from its full glow, 1, down to 0.
pub fn sound(index: usize, glow: f32) -> Color {
    let light = 0.3 + 0.7 * glow.clamp(0.0, 1.0);
    let [r, g, b] = SOUNDS[index % SOUNDS.len()].map(|part| f32::from(part) * light);
    cube(r, g, b)
}

/// A level's colour, in decibels.
pub fn level(level: f32) -> Color {
    match level {
        level if level > -12.0 => HOT,
        level if level > -24.0 => WARM,
        level if level > -40.0 => GOOD,
        _ => DIM,
    }
}

/// The nearest of the 216 colours that stand in a cube.
fn cube(r: f32, g: f32, b: f32) -> Color {
    let step = |part: f32| if part < 48.0 { 0 } else { ((part - 35.0) / 40.0) as u8 };
    let [r, g, b] = [r, g, b].map(|part| step(part).min(5));
    Color::Indexed(16 + 36 * r + 6 * g + b)
}

/// What an indexed colour looks like, for pictures.
pub fn rgb(color: Color) -> Option<[u8; 3]> {
    let Color::Indexed(index) = color else { return None };
    let step = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    Some(match index {
        0..16 => return None,
        16..232 => [(index - 16) / 36, (index - 16) / 6 % 6, (index - 16) % 6].map(step),
        232.. => [8 + 10 * (index - 232); 3],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_is_one_that_all_terminals_have() {
        for index in 0..20 {
            for glow in [0.0, 0.3, 0.6, 1.0] {
                assert!(rgb(sound(index, glow)).is_some());
            }
        }
        for ink in [TEXT, DIM, FAINT, BRIGHT, GOOD, WARM, HOT, NIGHT, EMBER] {
            assert!(rgb(ink).is_some());
        }
    }

    #[test]
    fn a_sparkle_in_full_glow_has_its_sound_s_own_colour() {
        for (index, colour) in SOUNDS.into_iter().enumerate() {
            assert_eq!(rgb(sound(index, 1.0)), Some(colour));
        }
    }
}
