//! Controls that met a full queue, kept until there is room.

use crate::link::message::Change;

/// The latest control of each kind, in the order in which they were last said: so they have the same
/// effect as if all had been sent at once. There may be one for every ticket, so it is kept small.
#[derive(Default)]
pub(super) struct Pending {
    order: [Option<Kind>; 8],
    stop: u32,
    pause: u32,
    gain: Ramp,
    pan: Ramp,
    speed: Ramp,
    seek: u32,
    is_pause: bool,
    is_mute: bool,
}

/// Of two controls of one kind only the later counts.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Stop,
    /// Both pause and resume.
    Pause,
    Mute,
    Gain,
    Pan,
    Speed,
    Seek,
    EndLoop,
}

#[derive(Clone, Copy, Default)]
struct Ramp {
    to: f32,
    over: u32,
}

impl Pending {
    pub fn keep(&mut self, change: Change) {
        match change {
            // The shorter fade, as when both arrive; and from when the first was said.
            Change::Stop { fade } if self.has(Kind::Stop) => self.stop = self.stop.min(fade),
            Change::Stop { fade } => {
                self.stop = fade;
                self.say(Kind::Stop);
            }
            Change::Pause { fade } => self.keep_pause(true, fade),
            Change::Resume { fade } => self.keep_pause(false, fade),
            Change::Mute(mute) => {
                self.is_mute = mute;
                self.say(Kind::Mute);
            }
            Change::Gain { to, over } => {
                self.gain = Ramp { to, over };
                self.say(Kind::Gain);
            }
            Change::Pan { to, over } => {
                self.pan = Ramp { to, over };
                self.say(Kind::Pan);
            }
            Change::Speed { to, over } => {
                self.speed = Ramp { to, over };
                self.say(Kind::Speed);
            }
            Change::Seek { to } => {
                self.seek = to;
                self.say(Kind::Seek);
            }
            Change::EndLoop => self.say(Kind::EndLoop),
        }
    }

    /// A second pause, or a second resume, can only hurry the first.
    fn keep_pause(&mut self, is_pause: bool, fade: u32) {
        let again = self.has(Kind::Pause) && self.is_pause == is_pause;
        self.pause = if again { self.pause.min(fade) } else { fade };
        self.is_pause = is_pause;
        self.say(Kind::Pause);
    }

    fn has(&self, kind: Kind) -> bool {
        self.order.contains(&Some(kind))
    }

    /// Puts a kind last. There is a place for each.
    fn say(&mut self, kind: Kind) {
        if let Some(place) = self.order.iter().position(|other| *other == Some(kind)) {
            self.order[place] = None;
            self.order[place..].rotate_left(1);
        }
        if let Some(end) = self.order.iter_mut().find(|place| place.is_none()) {
            *end = Some(kind);
        }
    }

    /// Takes the first one out.
    pub fn next(&mut self) -> Option<Change> {
        let kind = self.order[0].take()?;
        self.order.rotate_left(1);
        Some(match kind {
            Kind::Stop => Change::Stop { fade: self.stop },
            Kind::Pause if self.is_pause => Change::Pause { fade: self.pause },
            Kind::Pause => Change::Resume { fade: self.pause },
            Kind::Mute => Change::Mute(self.is_mute),
            Kind::Gain => Change::Gain { to: self.gain.to, over: self.gain.over },
            Kind::Pan => Change::Pan { to: self.pan.to, over: self.pan.over },
            Kind::Speed => Change::Speed { to: self.speed.to, over: self.speed.over },
            Kind::Seek => Change::Seek { to: self.seek },
            Kind::EndLoop => Change::EndLoop,
        })
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
    fn it_is_small() {
        assert!(size_of::<Pending>() <= 48, "{}", size_of::<Pending>());
    }
}
