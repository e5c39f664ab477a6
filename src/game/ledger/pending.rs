//! Controls that met a full queue, kept until there is room.

use crate::link::message::Change;

/// The latest control of each kind, in the order in which they were last said: so they have the same
/// effect as if all had been sent at once. There may be one for every ticket, so it is kept small.
#[derive(Default)]
pub(super) struct Pending {
    order: Order,
    stop: u32,
    /// Of a pause or a resume.
    pause: u32,
    gain: Ramp,
    pan: Ramp,
    speed: Ramp,
    seek: u32,
}

#[derive(Clone, Copy, Default)]
struct Ramp {
    to: f32,
    over: u32,
}

impl Pending {
    pub fn keep(&mut self, change: Change) {
        let kind = Kind::of(change);
        let again = self.order.has(kind);
        match change {
            Change::Stop { fade } => self.stop = shorter(fade, again.then_some(self.stop)),
            Change::Pause { fade } | Change::Resume { fade } => {
                self.pause = shorter(fade, again.then_some(self.pause));
            }
            Change::Gain { to, over } => self.gain = Ramp { to, over },
            Change::Pan { to, over } => self.pan = Ramp { to, over },
            Change::Speed { to, over } => self.speed = Ramp { to, over },
            Change::Seek { to } => self.seek = to,
            Change::Mute(_) | Change::EndLoop => (),
        }
        // What a stop ends, it ended when it was first said.
        if kind != Kind::Stop || !again {
            kind.opposite().into_iter().for_each(|opposite| self.order.remove(opposite));
            self.order.remove(kind);
            self.order.push(kind);
        }
    }

    /// Takes the first one out.
    pub fn next(&mut self) -> Option<Change> {
        Some(match self.order.pop()? {
            Kind::Stop => Change::Stop { fade: self.stop },
            Kind::Pause => Change::Pause { fade: self.pause },
            Kind::Resume => Change::Resume { fade: self.pause },
            Kind::Mute => Change::Mute(true),
            Kind::Unmute => Change::Mute(false),
            Kind::Gain => Change::Gain { to: self.gain.to, over: self.gain.over },
            Kind::Pan => Change::Pan { to: self.pan.to, over: self.pan.over },
            Kind::Speed => Change::Speed { to: self.speed.to, over: self.speed.over },
            Kind::Seek => Change::Seek { to: self.seek },
            Kind::EndLoop => Change::EndLoop,
        })
    }
}

/// A second stop, pause or resume can only hurry the first, as when both arrive.
fn shorter(fade: u32, before: Option<u32>) -> u32 {
    before.map_or(fade, |before| before.min(fade))
}

/// Of two controls of one kind only the later counts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Stop,
    Pause,
    Resume,
    Mute,
    Unmute,
    Gain,
    Pan,
    Speed,
    Seek,
    EndLoop,
}

impl Kind {
    const ALL: [Kind; 10] = [
        Kind::Stop,
        Kind::Pause,
        Kind::Resume,
        Kind::Mute,
        Kind::Unmute,
        Kind::Gain,
        Kind::Pan,
        Kind::Speed,
        Kind::Seek,
        Kind::EndLoop,
    ];

    fn of(change: Change) -> Kind {
        match change {
            Change::Stop { .. } => Kind::Stop,
            Change::Pause { .. } => Kind::Pause,
            Change::Resume { .. } => Kind::Resume,
            Change::Mute(true) => Kind::Mute,
            Change::Mute(false) => Kind::Unmute,
            Change::Gain { .. } => Kind::Gain,
            Change::Pan { .. } => Kind::Pan,
            Change::Speed { .. } => Kind::Speed,
            Change::Seek { .. } => Kind::Seek,
            Change::EndLoop => Kind::EndLoop,
        }
    }

    /// The kind that this one takes the place of.
    fn opposite(self) -> Option<Kind> {
        match self {
            Kind::Pause => Some(Kind::Resume),
            Kind::Resume => Some(Kind::Pause),
            Kind::Mute => Some(Kind::Unmute),
            Kind::Unmute => Some(Kind::Mute),
            _ => None,
        }
    }
}

/// A list of kinds, four bits each, the first one lowest; 0 is its end. Of the ten kinds two pairs are
/// opposites, so that eight find room at once.
#[derive(Clone, Copy, Default)]
struct Order(u32);

const BITS: u32 = 4;

impl Order {
    /// Where a kind stands, in bits from the first one on.
    fn find(self, kind: Kind) -> Option<u32> {
        (0..u32::BITS).step_by(BITS as usize).find(|at| self.0 >> at & 15 == kind as u32 + 1)
    }

    fn has(self, kind: Kind) -> bool {
        self.find(kind).is_some()
    }

    fn remove(&mut self, kind: Kind) {
        if let Some(at) = self.find(kind) {
            let before = self.0 & ((1 << at) - 1);
            self.0 = self.0 >> at >> BITS << at | before;
        }
    }

    fn push(&mut self, kind: Kind) {
        let end = (u32::BITS - self.0.leading_zeros()).next_multiple_of(BITS);
        self.0 |= (kind as u32 + 1) << end;
    }

    fn pop(&mut self) -> Option<Kind> {
        let first = (self.0 & 15).checked_sub(1)?;
        self.0 >>= BITS;
        Kind::ALL.get(first as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(kept: &[Change]) -> Vec<Change> {
        let mut pending = Pending::default();
        kept.iter().for_each(|change| pending.keep(*change));
        std::iter::from_fn(|| pending.next()).collect()
    }

    const STOP: Change = Change::Stop { fade: 5 };
    const PAUSE: Change = Change::Pause { fade: 5 };
    const RESUME: Change = Change::Resume { fade: 5 };
    const SEEK: Change = Change::Seek { to: 5 };
    const GAIN: Change = Change::Gain { to: 0.5, over: 5 };
    const PAN: Change = Change::Pan { to: 0.5, over: 5 };
    const SPEED: Change = Change::Speed { to: 0.5, over: 5 };

    #[test]
    fn all_kinds_go_in_the_order_in_which_they_were_said() {
        let all = [SEEK, Change::EndLoop, Change::Mute(true), PAUSE, STOP, PAN, SPEED, GAIN];
        assert_eq!(sent(&all), all);
        let mut back = all;
        back.reverse();
        assert_eq!(sent(&back), back);
    }

    #[test]
    fn the_latest_of_a_kind_counts_from_when_it_was_said() {
        let twice = [GAIN, SEEK, Change::Mute(true), Change::Gain { to: 1.0, over: 0 }];
        assert_eq!(sent(&twice), [SEEK, Change::Mute(true), Change::Gain { to: 1.0, over: 0 }]);
        let opened = [Change::Mute(true), SEEK, Change::Mute(false), Change::Seek { to: 9 }];
        assert_eq!(sent(&opened), [Change::Mute(false), Change::Seek { to: 9 }]);
    }

    /// What stands still ends at once when it is stopped; to resume it first would let it be heard.
    #[test]
    fn a_resume_does_not_overtake_a_stop() {
        assert_eq!(sent(&[STOP, RESUME]), [STOP, RESUME]);
        assert_eq!(
            sent(&[STOP, RESUME, Change::Stop { fade: 2 }]),
            [Change::Stop { fade: 2 }, RESUME]
        );
    }

    #[test]
    fn a_second_stop_pause_or_resume_can_only_hurry_the_first() {
        for change in [
            |fade| Change::Stop { fade },
            |fade| Change::Pause { fade },
            |fade| Change::Resume { fade },
        ] {
            assert_eq!(sent(&[change(7), change(9)]), [change(7)]);
            assert_eq!(sent(&[change(7), change(3)]), [change(3)]);
        }
        assert_eq!(sent(&[PAUSE, Change::Resume { fade: 9 }]), [Change::Resume { fade: 9 }]);
        assert_eq!(sent(&[PAUSE, RESUME, Change::Pause { fade: 9 }]), [Change::Pause { fade: 9 }]);
    }

    #[test]
    fn kinds_are_numbered_as_they_are_listed() {
        for (number, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
        }
    }

    #[test]
    fn it_is_small() {
        assert!(size_of::<Pending>() <= 40, "{}", size_of::<Pending>());
    }
}
