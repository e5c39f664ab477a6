//! The show: what happens when, for those who watch and for those who render it.

use voicepool::secs;

use crate::logic::wand::{TICKS, Wand};

/// Something that happens in a show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cue {
    Ambience(bool),
    Walk(bool),
    Storm(bool),
    /// A wave of the wand, from the left side, -1, to the right.
    Wave(f32),
    /// The big bang.
    Boom,
    /// Everything fades out.
    End,
}

impl Cue {
    pub fn carry_out(self, wand: &mut Wand) {
        match self {
            Cue::Ambience(on) => wand.ambience(on),
            Cue::Walk(on) => wand.walk(on),
            Cue::Storm(on) => wand.storm(on),
            Cue::Wave(across) => wand.wave(across, 1.0),
            Cue::Boom => wand.call(wand.cast.boom, 0.0, 0.5),
            Cue::End => wand.hush(secs(FADE)),
        }
    }
}

/// The fade at the end, in seconds; a short show fades out in a quarter of its time.
const FADE: f32 = 0.5;

/// Between two waves of the wand, in ticks.
const BETWEEN_WAVES: u64 = TICKS * 9 / 4;

/// A show of so many ticks, as cues in the order of their ticks: a hero comes walking and waves a
/// wand; in the middle a storm breaks out over the pool; then a bang, and more waves to the end.
pub fn show(ticks: u64) -> Vec<(u64, Cue)> {
    let part = |percent: u64| ticks * percent / 100;
    let mut cues = vec![
        (0, Cue::Ambience(true)),
        (part(4), Cue::Walk(true)),
        (part(35), Cue::Storm(true)),
        (part(72), Cue::Storm(false)),
        (part(74), Cue::Boom),
        (ticks - (ticks / 4).min((FADE * TICKS as f32) as u64), Cue::End),
    ];
    let waves = (part(8)..part(92)).step_by(BETWEEN_WAVES as usize).enumerate();
    cues.extend(waves.map(|(n, tick)| (tick, Cue::Wave([-0.6, 0.0, 0.6, 0.2][n % 4]))));
    cues.sort_by_key(|(tick, _)| *tick);
    cues
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_show_of_any_length_begins_storms_and_ends_in_this_order() {
        for seconds in [1, 2, 7, 20, 600] {
            let cues = show(seconds * TICKS);
            assert!(cues.is_sorted_by_key(|(tick, _)| *tick));
            assert!(cues.iter().all(|(tick, _)| *tick < seconds * TICKS));
            let at =
                |cue| cues.iter().position(|(_, each)| *each == cue).expect("every show has it");
            let order =
                [Cue::Ambience(true), Cue::Storm(true), Cue::Storm(false), Cue::Boom, Cue::End];
            assert!(order.map(at).is_sorted(), "{cues:?}");
        }
    }
}
