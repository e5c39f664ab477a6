//! A level as bytes: for a renderer in another memory, which then need not work it out.

use super::Envelope;
use crate::link::wire::{Bytes, Wire, wire_struct};
use crate::sound::bands::Spread;

wire_struct!(Envelope { hop, missing, frames, channels, powers, spreads, rate, falls, around });

impl Wire for Spread {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(from: &mut Bytes) -> Option<Spread> {
        Wire::take(from).map(Spread)
    }
}
