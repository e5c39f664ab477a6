//! Controls that met a full queue, kept until there is room.

use crate::link::message::Change;
use crate::reverb::RoomId;

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
    seldom: Option<Box<Seldom>>,
}

/// What is seldom said to many, and takes as much room as all the rest.
#[derive(Default)]
struct Seldom {
    seek: u32,
    low_pass: Ramp,
    high_pass: Ramp,
    sends: [Ramp; RoomId::COUNT],
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
            Change::Seek { to } => self.seldom().seek = to,
            Change::LowPass { to, over } => self.seldom().low_pass = Ramp { to, over },
            Change::HighPass { to, over } => self.seldom().high_pass = Ramp { to, over },
            Change::Send { room, to, over } => {
                self.seldom().sends[room.index()] = Ramp { to, over };
            }
            Change::Mute(_) | Change::EndLoop => (),
        }
        // What a stop ends, it ended when it was first said.
        if kind != Kind::STOP || !again {
            kind.opposite().into_iter().for_each(|opposite| self.order.remove(opposite));
            self.order.remove(kind);
            self.order.push(kind);
        }
    }

    fn seldom(&mut self) -> &mut Seldom {
        self.seldom.get_or_insert_default()
    }

    /// Takes the first one out.
    pub fn next(&mut self) -> Option<Change> {
        Some(match self.order.pop()? {
            Kind::STOP => Change::Stop { fade: self.stop },
            Kind::PAUSE => Change::Pause { fade: self.pause },
            Kind::RESUME => Change::Resume { fade: self.pause },
            Kind::MUTE => Change::Mute(true),
            Kind::UNMUTE => Change::Mute(false),
            Kind::GAIN => Change::Gain { to: self.gain.to, over: self.gain.over },
            Kind::PAN => Change::Pan { to: self.pan.to, over: self.pan.over },
            Kind::SPEED => Change::Speed { to: self.speed.to, over: self.speed.over },
            Kind::END_LOOP => Change::EndLoop,
            seldom => self.next_seldom(seldom)?,
        })
    }

    fn next_seldom(&mut self, kind: Kind) -> Option<Change> {
        let Seldom { seek, low_pass, high_pass, sends } = self.seldom.as_deref()?;
        Some(match kind {
            Kind::SEEK => Change::Seek { to: *seek },
            Kind::LOW_PASS => Change::LowPass { to: low_pass.to, over: low_pass.over },
            Kind::HIGH_PASS => Change::HighPass { to: high_pass.to, over: high_pass.over },
            send => {
                let is_it = |(room, _): &(RoomId, &Ramp)| Kind::send(*room) == send;
                let (room, Ramp { to, over }) = RoomId::all().zip(sends).find(is_it)?;
                Change::Send { room, to: *to, over: *over }
            }
        })
    }
}

/// A second stop, pause or resume can only hurry the first, as when both arrive.
fn shorter(fade: u32, before: Option<u32>) -> u32 {
    before.map_or(fade, |before| before.min(fade))
}

/// Of two controls of one kind only the later counts. Sends to different rooms are of different kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind(u8);

impl Kind {
    const STOP: Kind = Kind(0);
    const PAUSE: Kind = Kind(1);
    const RESUME: Kind = Kind(2);
    const MUTE: Kind = Kind(3);
    const UNMUTE: Kind = Kind(4);
    const GAIN: Kind = Kind(5);
    const PAN: Kind = Kind(6);
    const SPEED: Kind = Kind(7);
    const SEEK: Kind = Kind(8);
    const END_LOOP: Kind = Kind(9);
    const LOW_PASS: Kind = Kind(10);
    const HIGH_PASS: Kind = Kind(11);
    const FIRST_SEND: u8 = 12;

    fn of(change: Change) -> Kind {
        match change {
            Change::Stop { .. } => Kind::STOP,
            Change::Pause { .. } => Kind::PAUSE,
            Change::Resume { .. } => Kind::RESUME,
            Change::Mute(true) => Kind::MUTE,
            Change::Mute(false) => Kind::UNMUTE,
            Change::Gain { .. } => Kind::GAIN,
            Change::Pan { .. } => Kind::PAN,
            Change::Speed { .. } => Kind::SPEED,
            Change::Seek { .. } => Kind::SEEK,
            Change::EndLoop => Kind::END_LOOP,
            Change::LowPass { .. } => Kind::LOW_PASS,
            Change::HighPass { .. } => Kind::HIGH_PASS,
            Change::Send { room, .. } => Kind::send(room),
        }
    }

    fn send(room: RoomId) -> Kind {
        Kind(Kind::FIRST_SEND + room.index() as u8)
    }

    /// The kind that this one takes the place of.
    fn opposite(self) -> Option<Kind> {
        match self {
            Kind::PAUSE => Some(Kind::RESUME),
            Kind::RESUME => Some(Kind::PAUSE),
            Kind::MUTE => Some(Kind::UNMUTE),
            Kind::UNMUTE => Some(Kind::MUTE),
            _ => None,
        }
    }
}

/// A list of kinds, four bits each, the first one lowest, and in the highest bits how many there are. Of
/// the sixteen kinds two pairs are opposites, so that fourteen find room at once.
#[derive(Clone, Copy, Default)]
struct Order(u64);

const BITS: u32 = 4;
const LIST: u32 = 14 * BITS;
const _: () = assert!(Kind::FIRST_SEND as usize + RoomId::COUNT <= 1 << BITS);

impl Order {
    fn new(list: u64, count: u32) -> Order {
        Order(list | u64::from(count) << LIST)
    }

    fn list(self) -> u64 {
        self.0 & ((1 << LIST) - 1)
    }

    fn count(self) -> u32 {
        (self.0 >> LIST) as u32
    }

    /// Where a kind stands, in bits from the first one on.
    fn find(self, kind: Kind) -> Option<u32> {
        let mut places = (0..self.count()).map(|place| place * BITS);
        places.find(|at| self.0 >> at & 15 == u64::from(kind.0))
    }

    fn has(self, kind: Kind) -> bool {
        self.find(kind).is_some()
    }

    fn remove(&mut self, kind: Kind) {
        if let Some(at) = self.find(kind) {
            let before = self.list() & ((1 << at) - 1);
            *self = Order::new(self.list() >> at >> BITS << at | before, self.count() - 1);
        }
    }

    fn push(&mut self, kind: Kind) {
        let end = self.count() * BITS;
        *self = Order::new(self.list() | u64::from(kind.0) << end, self.count() + 1);
    }

    fn pop(&mut self) -> Option<Kind> {
        let count = self.count().checked_sub(1)?;
        let first = Kind(self.0 as u8 & 15);
        *self = Order::new(self.list() >> BITS, count);
        Some(first)
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
    const LOW_PASS: Change = Change::LowPass { to: 500.0, over: 5 };
    const HIGH_PASS: Change = Change::HighPass { to: 50.0, over: 5 };

    fn send(room: u8) -> Change {
        Change::Send { room: RoomId::new(room), to: 0.5 + f32::from(room), over: 5 }
    }

    #[test]
    fn all_kinds_go_in_the_order_in_which_they_were_said() {
        let mute = Change::Mute(true);
        let plain = [SEEK, Change::EndLoop, mute, PAUSE, STOP, PAN, SPEED, GAIN];
        let shape = [HIGH_PASS, send(2), send(0), LOW_PASS, send(3), send(1)];
        let all = [plain.as_slice(), &shape].concat();
        assert_eq!(sent(&all), all);
        let mut back = all.clone();
        back.reverse();
        assert_eq!(sent(&back), back);
    }

    #[test]
    fn the_latest_of_a_kind_counts_from_when_it_was_said() {
        let twice = [GAIN, SEEK, Change::Mute(true), Change::Gain { to: 1.0, over: 0 }];
        assert_eq!(sent(&twice), [SEEK, Change::Mute(true), Change::Gain { to: 1.0, over: 0 }]);
        let again = Change::Send { room: RoomId::new(1), to: 0.0, over: 9 };
        let sends = [send(0), send(1), LOW_PASS, again, Change::LowPass { to: 9.0, over: 1 }];
        assert_eq!(sent(&sends), [send(0), again, Change::LowPass { to: 9.0, over: 1 }]);
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
