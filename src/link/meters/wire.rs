//! Meters of a renderer in another memory: what they show there is shown here.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use super::{BusMeters, Meters};
use crate::link::wire::{Bytes, Wire};

/// What was told of all that is only ever counted up.
#[derive(Default)]
pub(crate) struct Counted([u64; 6]);

impl Meters {
    fn counters(&self) -> [&AtomicU64; 6] {
        let Meters { full, parkings, missed, underruns, xruns, panics, .. } = self;
        [full, parkings, missed, underruns, xruns, panics]
    }

    /// What they show now, the peaks since they were last told, and what was counted since then.
    pub fn put_news(&self, told: &mut Counted, out: &mut Vec<u8>) {
        self.clock.load(Relaxed).put(out);
        for meter in [&self.voices, &self.playing, &self.parked, &self.scheduled, &self.load_mean] {
            meter.load(Relaxed).put(out);
        }
        self.most_playing.swap(self.playing.load(Relaxed), Relaxed).put(out);
        let [left, right] = &self.peak;
        for peak in [left, right, &self.loudest_parked, &self.load_worst] {
            peak.swap(0, Relaxed).put(out);
        }
        for (counter, told) in self.counters().into_iter().zip(&mut told.0) {
            let count = counter.load(Relaxed);
            (count - *told).put(out);
            *told = count;
        }
        self.buses.iter().for_each(|bus| bus.put_news(out));
    }

    /// Shows what was told.
    pub fn take_news(&self, from: &mut Bytes) -> Option<()> {
        self.clock.store(Wire::take(from)?, Relaxed);
        for meter in [&self.voices, &self.playing, &self.parked, &self.scheduled, &self.load_mean] {
            meter.store(Wire::take(from)?, Relaxed);
        }
        let [left, right] = &self.peak;
        for peak in [&self.most_playing, left, right, &self.loudest_parked, &self.load_worst] {
            peak.fetch_max(Wire::take(from)?, Relaxed);
        }
        for counter in self.counters() {
            counter.fetch_add(Wire::take(from)?, Relaxed);
        }
        self.buses.iter().try_for_each(|bus| bus.take_news(from))
    }
}

impl BusMeters {
    fn put_news(&self, out: &mut Vec<u8>) {
        let playing = self.playing.load(Relaxed);
        (playing, self.most.swap(playing, Relaxed), self.duck.load(Relaxed)).put(out);
        self.peak.iter().for_each(|peak| peak.swap(0, Relaxed).put(out));
        self.is_submix.load(Relaxed).put(out);
    }

    fn take_news(&self, from: &mut Bytes) -> Option<()> {
        self.playing.store(Wire::take(from)?, Relaxed);
        self.most.fetch_max(Wire::take(from)?, Relaxed);
        self.duck.store(Wire::take(from)?, Relaxed);
        for peak in &self.peak {
            peak.fetch_max(Wire::take(from)?, Relaxed);
        }
        self.show_submix(Wire::take(from)?);
        Some(())
    }
}
