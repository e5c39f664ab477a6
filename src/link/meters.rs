//! What the audio side shows without being asked.

#[cfg(any(test, target_arch = "wasm32"))]
mod wire;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

#[cfg(any(test, target_arch = "wasm32"))]
pub(crate) use self::wire::Counted;
use super::message::Park;
use crate::Frame;
use crate::bus::BusId;

/// What the audio side shows without being asked: each is one store.
#[derive(Default)]
pub(crate) struct Meters {
    pub clock: AtomicU64,
    pub voices: AtomicU32,
    pub playing: AtomicU32,
    pub parked: AtomicU32,
    pub scheduled: AtomicU32,
    pub most_playing: AtomicU32,
    /// How often a newcomer found no voice free.
    pub full: AtomicU64,
    /// Counted here and not by the notices, of which some may find no room.
    pub parkings: AtomicU64,
    /// Notices that found no room on their way home.
    pub missed: AtomicU64,
    /// How often what was to be read of a stream had not come in time.
    pub underruns: AtomicU64,
    pub xruns: AtomicU64,
    pub panics: AtomicU64,
    /// The bits of two floats that are never negative, as those of the peaks are.
    load_mean: AtomicU32,
    load_worst: AtomicU32,
    /// The bits of two floats that are never negative, which therefore compare as numbers do.
    peak: [AtomicU32; 2],
    /// The same of one.
    loudest_parked: AtomicU32,
    buses: [BusMeters; BusId::COUNT],
}

/// The meters of one bus. Voices are counted with those on all below it.
pub(crate) struct BusMeters {
    playing: AtomicU32,
    most: AtomicU32,
    /// The bits of two floats that are never negative.
    peak: [AtomicU32; 2],
    is_submix: AtomicBool,
    /// The bits of a gain.
    duck: AtomicU32,
}

impl Default for BusMeters {
    fn default() -> BusMeters {
        BusMeters {
            playing: AtomicU32::new(0),
            most: AtomicU32::new(0),
            peak: Default::default(),
            is_submix: AtomicBool::new(false),
            duck: AtomicU32::new(1f32.to_bits()),
        }
    }
}

impl BusMeters {
    /// Shows how many voices play on it and all below it, and notes the most.
    pub fn show_playing(&self, voices: u32) {
        self.playing.store(voices, Ordering::Relaxed);
        self.most.fetch_max(voices, Ordering::Relaxed);
    }

    /// Notes the peak of what has left it.
    pub fn show_peak(&self, peak: Frame) {
        for (meter, peak) in self.peak.iter().zip(peak) {
            meter.fetch_max(peak.to_bits(), Ordering::Relaxed);
        }
    }

    /// Shows whether it is mixed by itself. What it was measured before that counts no more.
    pub fn show_submix(&self, is_submix: bool) {
        self.is_submix.store(is_submix, Ordering::Relaxed);
        if !is_submix {
            self.peak.iter().for_each(|meter| meter.store(0, Ordering::Relaxed));
        }
    }

    /// Shows the gain of its ducks.
    pub fn show_duck(&self, gain: f32) {
        self.duck.store(gain.to_bits(), Ordering::Relaxed);
    }

    pub fn playing(&self) -> u32 {
        self.playing.load(Ordering::Relaxed)
    }

    pub fn most(&self) -> u32 {
        self.most.load(Ordering::Relaxed)
    }

    /// What has left it, if it is mixed by itself.
    pub fn peak(&self) -> Option<Frame> {
        let peak = self.peak.each_ref().map(|meter| f32::from_bits(meter.load(Ordering::Relaxed)));
        self.is_submix.load(Ordering::Relaxed).then_some(peak)
    }

    pub fn duck(&self) -> f32 {
        f32::from_bits(self.duck.load(Ordering::Relaxed))
    }

    fn reset_peaks(&self) {
        self.peak.iter().for_each(|meter| meter.store(0, Ordering::Relaxed));
        self.most.store(self.playing(), Ordering::Relaxed);
    }
}

impl Meters {
    pub fn bus(&self, bus: BusId) -> &BusMeters {
        let [master, ..] = &self.buses;
        self.buses.get(bus.index()).unwrap_or(master)
    }

    pub fn show_peak(&self, peak: Frame) {
        for (meter, peak) in self.peak.iter().zip(peak) {
            meter.fetch_max(peak.to_bits(), Ordering::Relaxed);
        }
    }

    pub fn saw_playing(&self, voices: u32) {
        self.most_playing.fetch_max(voices, Ordering::Relaxed);
    }

    pub fn saw_parking(&self, why: Park) {
        self.parkings.fetch_add(1, Ordering::Relaxed);
        if let Park::Stolen { level, .. } = why {
            self.loudest_parked.fetch_max(level.to_bits(), Ordering::Relaxed);
        }
    }

    pub fn loudest_parked(&self) -> f32 {
        f32::from_bits(self.loudest_parked.load(Ordering::Relaxed))
    }

    pub fn peak(&self) -> Frame {
        self.peak.each_ref().map(|meter| f32::from_bits(meter.load(Ordering::Relaxed)))
    }

    /// Notes which share of its time a buffer took, and how many seconds it lasts. By a clock that was set back
    /// meanwhile, as the worklet's may be, it took none.
    pub fn show_load(&self, load: f32, seconds: f32) {
        let load = load.max(0.0);
        let mean = f32::from_bits(self.load_mean.load(Ordering::Relaxed));
        let mean = mean + (load - mean) * seconds.clamp(0.0, 1.0);
        self.load_mean.store(mean.to_bits(), Ordering::Relaxed);
        self.load_worst.fetch_max(load.to_bits(), Ordering::Relaxed);
    }

    pub fn load(&self) -> (f32, f32) {
        let load = |meter: &AtomicU32| f32::from_bits(meter.load(Ordering::Relaxed));
        (load(&self.load_mean), load(&self.load_worst))
    }

    pub fn reset_peaks(&self) {
        self.load_worst.store(0, Ordering::Relaxed);
        self.loudest_parked.store(0, Ordering::Relaxed);
        self.peak.iter().for_each(|meter| meter.store(0, Ordering::Relaxed));
        self.most_playing.store(self.playing.load(Ordering::Relaxed), Ordering::Relaxed);
        self.buses.iter().for_each(BusMeters::reset_peaks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_is_averaged_over_about_a_second() {
        let meters = Meters::default();
        meters.show_load(0.5, 0.5);
        assert_eq!(meters.load(), (0.25, 0.5));
        meters.show_load(0.75, 0.5);
        assert_eq!(meters.load(), (0.5, 0.75));
        // A buffer that lasts longer is all there is.
        meters.show_load(0.25, 3.0);
        assert_eq!(meters.load(), (0.25, 0.75));
        meters.reset_peaks();
        assert_eq!(meters.load(), (0.25, 0.0));
        // The clock was set back.
        meters.show_load(-3600.0, 0.5);
        assert_eq!(meters.load(), (0.125, 0.0));
    }
}
