//! The bytes of all that commands are made of.

use std::time::Duration;

use super::{Bytes, Wire, wire_enum, wire_struct};
use crate::bus::BusId;
use crate::config::{Interpolation, WhenFull};
use crate::duck::DuckFrames;
use crate::link::message::{BusPlace, Change, CueTerms, Ears, Loop, Move, Placed, Plan, Shape};
use crate::play::Priority;
use crate::reverb::{Reverb, RoomId};
use crate::space::{Attenuation, Distance, Point};

wire_enum!(WhenFull { 0 => StealQuietest, 1 => StealOldest, 2 => Refuse, 3 => Grow });
wire_enum!(Interpolation { 0 => Linear, 1 => Cubic, 2 => Sinc });
wire_enum!(Priority { 0 => Low, 1 => Normal, 2 => High, 3 => Protected });
wire_enum!(Distance { 0 => Inverse, 1 => Linear, 2 => Exponential, 3 => None });

wire_struct!(Point { x, y, z });
wire_struct!(Attenuation { model, near, far, rolloff, width, pan, doppler });
wire_struct!(Placed { position, attenuation });
wire_struct!(Ears { position, right });
wire_struct!(Shape { low_pass, high_pass, sends, occlusion });
wire_struct!(Loop { start, end, seam });
wire_struct!(CueTerms { slot, tenure, cooldown, merge_within, at_most, when_full });
wire_struct!(BusPlace { parent, max_voices, reserved, when_full });
wire_struct!(DuckFrames { gain, attack, hold, release });
wire_struct!(Reverb { decay, size, damping, pre_delay });

wire_enum!(Plan { 0 => Voices(voices), 1 => Submix, 2 => Room(reverb) });
wire_enum!(Move { 0 => Position { to, jump }, 1 => Occlusion { to, over } });
wire_enum!(Change {
    0 => Stop { fade },
    1 => Pause { fade },
    2 => Resume { fade },
    3 => Mute(mute),
    4 => Gain { to, over },
    5 => Pan { to, over },
    6 => Speed { to, over },
    7 => LowPass { to, over },
    8 => HighPass { to, over },
    9 => Send { room, to, over },
    10 => Seek { to },
    11 => EndLoop,
});

impl Wire for BusId {
    fn put(&self, out: &mut Vec<u8>) {
        (self.index() as u8).put(out);
    }

    fn take(from: &mut Bytes) -> Option<BusId> {
        BusId::from_index(u8::take(from)?.into())
    }
}

impl Wire for RoomId {
    fn put(&self, out: &mut Vec<u8>) {
        (self.index() as u8).put(out);
    }

    fn take(from: &mut Bytes) -> Option<RoomId> {
        let number = u8::take(from)?;
        (usize::from(number) < RoomId::COUNT).then(|| RoomId::new(number))
    }
}

/// In nanoseconds; half a thousand years at most.
impl Wire for Duration {
    fn put(&self, out: &mut Vec<u8>) {
        u64::try_from(self.as_nanos()).unwrap_or(u64::MAX).put(out);
    }

    fn take(from: &mut Bytes) -> Option<Duration> {
        u64::take(from).map(Duration::from_nanos)
    }
}
