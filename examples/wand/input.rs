//! Keys and clicks, as the terminal tells of them and as the app knows them.

use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Rect;

use crate::logic::keys::Key;

/// A key that went down by itself. Control and C together are q.
pub fn key(key: KeyEvent) -> Option<Key> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
        let interrupts = key.modifiers == KeyModifiers::CONTROL && key.code == KeyCode::Char('c');
        return interrupts.then_some(Key::Char('q'));
    }
    match key.code {
        KeyCode::Char(key) => Some(Key::Char(key)),
        KeyCode::Left => Some(Key::Left),
        KeyCode::Right => Some(Key::Right),
        KeyCode::Up => Some(Key::Up),
        KeyCode::Down => Some(Key::Down),
        KeyCode::Esc => Some(Key::Escape),
        _ => None,
    }
}

/// Where on the stage the mouse was clicked: from the left side, -1, to the right, and from the
/// ground, 0, up to 1.
pub fn click(mouse: MouseEvent, stage: Rect) -> Option<[f32; 2]> {
    let inside = stage.contains((mouse.column, mouse.row).into());
    if mouse.kind != MouseEventKind::Down(MouseButton::Left) || !inside {
        return None;
    }
    let share = |at: u16, from: u16, len: u16| (f32::from(at - from) + 0.5) / f32::from(len);
    let across = 2.0 * share(mouse.column, stage.x, stage.width) - 1.0;
    Some([across, 1.0 - share(mouse.row, stage.y, stage.height)])
}
