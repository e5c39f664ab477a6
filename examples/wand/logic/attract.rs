//! What the app does while nobody touches it: an empty stage teaches nothing.

use crate::logic::script::Cue;
use crate::logic::wand::TICKS;

/// Something that happens by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lesson {
    Say(&'static str),
    Play(Cue),
    /// An answer of [`ANSWERS`](crate::logic::wand::ANSWERS).
    Answer(usize),
    /// Twice as many voices as before, or as many as before.
    Double(bool),
    EarTest(bool),
}

use Lesson::{Answer, Double, EarTest, Play, Say};

/// The lessons, by tenths of a second. They begin anew after the last.
const LESSONS: [(u64, Lesson); 27] = [
    (0, Say("A hero waves a wand. Every sparkle comes from a pool, and so does every voice.")),
    (0, Play(Cue::Ambience(true))),
    (5, Play(Cue::Walk(true))),
    (15, Play(Cue::Wave(-0.5))),
    (35, Play(Cue::Wave(0.4))),
    (50, Say("A bar is a voice: how loud it is now. In a full pool the quietest gives way.")),
    (55, Play(Cue::Wave(0.0))),
    (70, Play(Cue::Wave(-0.3))),
    (85, Say("A storm: 120 sounds a second. Every flash is a theft, and none makes a click.")),
    (85, Play(Cue::Storm(true))),
    (125, Say("A robbed loop is parked: it keeps its time in silence, until there is room.")),
    (150, Play(Cue::Storm(false))),
    (155, Say("The storm is over: who was parked is heard again, at the right place.")),
    (170, Play(Cue::Wave(0.6))),
    (190, Say("The ear test. A: the quietest gives way. How loud is the loudest loss?")),
    (190, EarTest(true)),
    (240, Say("Now B: the oldest, in the same storm. This is why a pool should listen.")),
    (295, EarTest(false)),
    (305, Say("Another answer: refuse. Nobody is cut off, but what is new stays silent.")),
    (305, Answer(2)),
    (310, Play(Cue::Storm(true))),
    (340, Play(Cue::Storm(false))),
    (345, Answer(0)),
    (350, Say("Twice the voices. How many does a game need? Play, and quitting tells you.")),
    (350, Double(true)),
    (360, Play(Cue::Wave(0.2))),
    (390, Double(false)),
];

/// How long the lessons take, in ticks.
const LENGTH: u64 = 40 * TICKS;

/// The lessons of a tick, counted from the first.
pub fn lessons(tick: u64) -> impl Iterator<Item = Lesson> {
    let now = tick % LENGTH;
    let due = LESSONS.iter().filter(move |(tenths, _)| tenths * TICKS / 10 == now);
    due.map(|(_, lesson)| *lesson)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lesson_is_given_once_and_leaves_nothing_on() {
        let given: Vec<Lesson> = (0..LENGTH).flat_map(lessons).collect();
        assert_eq!(given, LESSONS.map(|(_, lesson)| lesson));
        let last = |kind: fn(&Lesson) -> bool| given.iter().rev().find(|lesson| kind(lesson));
        assert_eq!(last(|lesson| matches!(lesson, Answer(_))), Some(&Answer(0)));
        assert_eq!(last(|lesson| matches!(lesson, Double(_))), Some(&Double(false)));
        assert_eq!(last(|lesson| matches!(lesson, EarTest(_))), Some(&EarTest(false)));
        let storm = |lesson: &Lesson| matches!(lesson, Play(Cue::Storm(_)));
        assert_eq!(last(storm), Some(&Play(Cue::Storm(false))));
    }

    #[test]
    fn every_caption_fits_on_the_smallest_screen() {
        for (_, lesson) in LESSONS {
            if let Say(caption) = lesson {
                assert!(caption.len() <= 78 && caption.is_ascii(), "{} {caption}", caption.len());
            }
        }
    }
}
