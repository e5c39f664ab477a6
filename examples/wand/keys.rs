//! The keys. Many terminals tell when a key goes down and never when it comes up, so every key
//! does its work at once or switches something over; none is held.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::cast::Cast;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    Wave,
    Storm,
    EarTest,
    Freeze,
    NextAnswer,
    MoreVoices,
    FewerVoices,
    Ambience,
    UnderWater,
    Cave,
    Duck,
    Louder,
    Softer,
    Mute,
    Pause,
    Help,
    /// Out of what lies over the screen, or out of the app.
    Back,
    Quit,
    /// A sound of the cast.
    Call(usize),
}

/// The app's keys: how they are written, what they are, what they are called on the screen, and what
/// they do.
pub const KEYS: [(&str, &[KeyCode], &str, Action); 18] = [
    ("space", &[KeyCode::Char(' ')], "wave the wand; a click, at the pointer", Action::Wave),
    ("s", &[KeyCode::Char('s')], "a storm that floods the pool, on and off", Action::Storm),
    ("e", &[KeyCode::Char('e')], "the ear test; in it, the other of A and B", Action::EarTest),
    ("f", &[KeyCode::Char('f')], "freeze on the last theft: why that voice?", Action::Freeze),
    ("w", &[KeyCode::Char('w')], "the next answer when the pool is full", Action::NextAnswer),
    (
        "→ + =",
        &[KeyCode::Right, KeyCode::Char('+'), KeyCode::Char('=')],
        "more voices",
        Action::MoreVoices,
    ),
    ("← -", &[KeyCode::Left, KeyCode::Char('-')], "fewer voices", Action::FewerVoices),
    ("↑", &[KeyCode::Up], "louder, by 3 dB", Action::Louder),
    ("↓", &[KeyCode::Down], "softer, by 3 dB", Action::Softer),
    ("a", &[KeyCode::Char('a')], "looping ambience, on and off", Action::Ambience),
    ("u", &[KeyCode::Char('u')], "head under water, and out again", Action::UnderWater),
    ("r", &[KeyCode::Char('r')], "a cave that rings, and out again", Action::Cave),
    ("t", &[KeyCode::Char('t')], "the ambience makes room for spells, or not", Action::Duck),
    ("m", &[KeyCode::Char('m')], "mute", Action::Mute),
    ("p", &[KeyCode::Char('p')], "pause", Action::Pause),
    ("? h", &[KeyCode::Char('?'), KeyCode::Char('h')], "this help", Action::Help),
    ("esc", &[KeyCode::Esc], "leave this, a freeze, the ear test; quit", Action::Back),
    ("q", &[KeyCode::Char('q')], "quit", Action::Quit),
];

/// What a key means.
pub fn action(key: KeyEvent, cast: &Cast) -> Option<Action> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
        let interrupts = key.modifiers == KeyModifiers::CONTROL && key.code == KeyCode::Char('c');
        return interrupts.then_some(Action::Quit);
    }
    let ours = KEYS.iter().find(|(_, codes, _, _)| codes.contains(&key.code));
    let call = || match key.code {
        KeyCode::Char(key) => cast.on_key(key).map(Action::Call),
        _ => None,
    };
    ours.map(|(_, _, _, action)| *action).or_else(call)
}
