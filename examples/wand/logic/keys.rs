//! The keys. Many terminals tell when a key goes down and never when it comes up, so every key
//! does its work at once or switches something over; none is held.

use crate::logic::cast::Cast;

/// A key that goes down, whoever tells of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Key {
    Char(char),
    Left,
    Right,
    Up,
    Down,
    Escape,
}

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
    /// What was heard up to now, for `examples/replay`.
    Save,
    Help,
    /// Out of what lies over the screen, or out of the app.
    Back,
    Quit,
    /// A sound of the cast.
    Call(usize),
}

/// The app's keys: how they are written, what they are, what they are called on the screen, and what
/// they do.
pub const KEYS: [(&str, &[Key], &str, Action); 19] = [
    ("space", &[Key::Char(' ')], "wave the wand; a click, at the pointer", Action::Wave),
    ("s", &[Key::Char('s')], "a storm that floods the pool, on and off", Action::Storm),
    ("e", &[Key::Char('e')], "the ear test; in it, the other of A and B", Action::EarTest),
    ("f", &[Key::Char('f')], "freeze on the last theft: why that voice?", Action::Freeze),
    ("w", &[Key::Char('w')], "the next answer when the pool is full", Action::NextAnswer),
    ("→ + =", &[Key::Right, Key::Char('+'), Key::Char('=')], "more voices", Action::MoreVoices),
    ("← -", &[Key::Left, Key::Char('-')], "fewer voices", Action::FewerVoices),
    ("↑", &[Key::Up], "louder, by 3 dB", Action::Louder),
    ("↓", &[Key::Down], "softer, by 3 dB", Action::Softer),
    ("a", &[Key::Char('a')], "looping ambience, on and off", Action::Ambience),
    ("u", &[Key::Char('u')], "head under water, and out again", Action::UnderWater),
    ("r", &[Key::Char('r')], "a cave that rings, and out again", Action::Cave),
    ("t", &[Key::Char('t')], "the ambience makes room for spells, or not", Action::Duck),
    ("m", &[Key::Char('m')], "mute", Action::Mute),
    ("p", &[Key::Char('p')], "pause", Action::Pause),
    ("S", &[Key::Char('S')], "save what was heard: `replay` hears it again", Action::Save),
    ("? h", &[Key::Char('?'), Key::Char('h')], "this help", Action::Help),
    ("esc", &[Key::Escape], "leave this, a freeze, the ear test; quit", Action::Back),
    ("q", &[Key::Char('q')], "quit", Action::Quit),
];

/// What a key means.
pub fn action(key: Key, cast: &Cast) -> Option<Action> {
    let ours = KEYS.iter().find(|(_, keys, _, _)| keys.contains(&key));
    let call = || match key {
        Key::Char(key) => cast.on_key(key).map(Action::Call),
        _ => None,
    };
    ours.map(|(_, _, _, action)| *action).or_else(call)
}
