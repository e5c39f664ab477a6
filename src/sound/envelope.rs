//! The level of a sound over its time: what would be missed if it were cut off here. That is how
//! the quietest voice is known before it plays.
//!
//! At every moment it is the power of all that is still to come, the near counting more than the
//! far: with E the K-weighted power of a hop of 10 ms, from the end backwards
//! `A[h] = (1 - d) * E[h] + d * A[h + 1]`. For a steady tone that is its own power; a tail that
//! dies away is quiet, a swell or a drum about to hit is loud. K-weighting is that of the sound at
//! its own speed, whatever the speed it is played at.

#[cfg(any(test, target_arch = "wasm32"))]
mod wire;

use std::num::NonZeroU32;
use std::sync::Arc;

use super::bands::{BANDS, Splitter, Spread};
use super::loudness::{HOP, Weighting};
use super::samples::{Sample, Samples, check_memory, each_kind};
use crate::units;

/// How far ahead the ear's time reaches: what lies so far off counts by 1/e. Between 200 and
/// 500 ms storms of real game sounds lose about the same.
const HORIZON: f64 = 0.2;

/// The horizons that are kept, an octave apart, in seconds of the sound's own time: played at
/// twice its speed, the ear's 200 ms are 400 ms of it.
const HORIZONS: [f64; 5] = [0.05, 0.1, HORIZON, 0.4, 0.8];

/// Which of them is the ear's own.
const EAR: usize = 2;

/// How many hops share one spread over the bands: twice as many bands fit into the memory as if each
/// had its own.
const SPREAD_HOPS: usize = 2;

/// How many hops of silence follow a sound until its lowest band has come through the splitter.
const LATE_HOPS: usize = 4;

/// At toy rates a hop is a single frame, and the envelope would outgrow the samples of a long
/// clip. Above this many frames hops lengthen, up to [`LONGEST_TOY_HOP`].
const LONG_TOY: usize = 1 << 14;
const LONGEST_TOY_HOP: usize = 32;

/// Powers below this, 300 dB down, are silence: none is ever a denormal number.
const SILENT: f64 = 1e-30;

/// The powers to come at one moment, for each horizon.
type Powers = [f32; HORIZONS.len()];

/// The level of a sound over its time, computed once when it is loaded.
#[derive(Clone)]
pub(crate) struct Envelope {
    hop: NonZeroU32,
    /// Hops are counted from the end, so that what is left of a sound is exact to the frame. The
    /// first may be short: this many of its frames are missing.
    missing: u32,
    frames: u32,
    channels: u32,
    /// For each hop the powers of each channel; and those at the end, which are 0.
    powers: Arc<[Powers]>,
    /// How that which is to come at the ear's horizon is spread over frequencies, both channels
    /// together, at the beginning of every second hop.
    spreads: Arc<[Spread]>,
    /// The cycles a second of one cycle a frame.
    rate: f64,
    /// How fast the far counts less, for each horizon: by `exp` of minus this with every frame.
    falls: [f64; HORIZONS.len()],
    /// What is to come at the beginning of the whole sound if it loops: for each horizon, of each
    /// channel.
    around: [[f64; 2]; HORIZONS.len()],
}

/// How many frames a hop has, of so many.
fn hop_of(sample_rate: u32, frames: usize) -> NonZeroU32 {
    let toy_hop = (frames / LONG_TOY).min(LONGEST_TOY_HOP) as u32;
    let hop = units::short_frames(HOP, sample_rate).max(toy_hop);
    NonZeroU32::new(hop).unwrap_or(NonZeroU32::MIN)
}

impl Envelope {
    pub(crate) fn new(sample_rate: u32, samples: &Samples) -> Envelope {
        each_kind!(Samples, samples, frames => Envelope::of(sample_rate, frames))
    }

    /// Whether there is memory for that of so many frames.
    pub(super) fn check_memory(sample_rate: u32, samples: &Samples) -> Result<(), String> {
        let (frames, channels) = (samples.frame_count(), samples.channels());
        let hops = frames.div_ceil(hop_of(sample_rate, frames).get() as usize);
        check_memory::<Powers>((hops + 1) * channels)?;
        check_memory::<Spread>(hops.div_ceil(SPREAD_HOPS))
    }

    pub(crate) fn of<T: Sample, const CHANNELS: usize>(
        sample_rate: u32,
        frames: &[[T; CHANNELS]],
    ) -> Envelope {
        let hop = hop_of(sample_rate, frames.len());
        let falls = HORIZONS.map(|horizon| 1.0 / (horizon * f64::from(sample_rate)));

        let size = hop.get() as usize;
        let hops = frames.len().div_ceil(size);
        let missing = hops * size - frames.len();
        let mut weighting = Weighting::<CHANNELS>::new(sample_rate);
        let gain = libm::pow(10.0, weighting.offset_db() / 10.0);
        // The power of each hop first, where that of all to come will stand: a sound's memory is
        // asked for once.
        let mut next = 0;
        let mut own = [0.0; CHANNELS];
        let mut spreads: Arc<[Spread]> =
            std::iter::repeat_n(Spread::NOTHING, hops.div_ceil(SPREAD_HOPS)).collect();
        let mut own_spreads = Arc::make_mut(&mut spreads).iter_mut();
        let mut splitters = [Splitter::new(); CHANNELS];
        let mut sums = [[0.0; 2]; BANDS];
        let mut powers: Arc<[Powers]> = (0..(hops + 1) * CHANNELS)
            .map(|row| {
                if row % CHANNELS == 0 {
                    let end = (row / CHANNELS + 1) * size - missing;
                    let part = frames.get(next..end).unwrap_or_default();
                    let hop = row / CHANNELS;
                    let split = |channel: usize, heard: &mut [f64]| {
                        if let Some(splitter) = splitters.get_mut(channel) {
                            splitter.split(heard, &mut sums);
                        }
                    };
                    own = weighting
                        .power(part, split)
                        .map(|sum| sum * gain / part.len().max(1) as f64);
                    if hop + 1 == hops {
                        // What is late belongs to the last.
                        for splitter in &mut splitters {
                            splitter.finish(LATE_HOPS * size, &mut sums);
                        }
                    }
                    if (hop + 1).is_multiple_of(SPREAD_HOPS) || hop + 1 == hops {
                        if let Some(spread) = own_spreads.next() {
                            *spread = Spread::of(&sums);
                        }
                        sums = [[0.0; 2]; BANDS];
                    }
                    next = end;
                }
                [own[row % CHANNELS] as f32; HORIZONS.len()]
            })
            .collect();
        let keeps = falls.map(|fall| libm::exp(-fall * f64::from(hop.get())));
        let mut ahead = [[0.0; HORIZONS.len()]; CHANNELS];
        let spread = Arc::make_mut(&mut spreads);
        let mut sums = [[0.0; 2]; BANDS];
        let rows = Arc::make_mut(&mut powers).chunks_exact_mut(CHANNELS);
        for (hop, rows) in rows.enumerate().rev() {
            let own: f64 = rows.iter().map(|row| f64::from(row[EAR])).sum();
            sums.as_flattened_mut().iter_mut().for_each(|sum| *sum *= keeps[EAR]);
            if let Some(spread) = spread.get_mut(hop / SPREAD_HOPS) {
                spread.add((1.0 - keeps[EAR]) * own, &mut sums);
                if hop.is_multiple_of(SPREAD_HOPS) {
                    *spread = Spread::of(&sums);
                }
            }
            for (row, ahead) in rows.iter_mut().zip(&mut ahead) {
                for ((power, ahead), keep) in row.iter_mut().zip(ahead).zip(keeps) {
                    *ahead = (1.0 - keep) * f64::from(*power) + keep * *ahead;
                    *power = if *ahead < SILENT { 0.0 } else { *ahead as f32 };
                }
            }
        }
        let mut envelope = Envelope {
            hop,
            missing: missing as u32,
            frames: frames.len() as u32,
            channels: CHANNELS as u32,
            powers,
            spreads,
            rate: f64::from(sample_rate),
            falls,
            around: Default::default(),
        };
        envelope.around = std::array::from_fn(|horizon| {
            [[1.0, 0.0], [0.0, 1.0]].map(|weights| {
                let view = View { envelope: &envelope, horizon, weights };
                view.at(0) / view.gone(envelope.frames)
            })
        });
        envelope
    }

    /// The power of what is to come from this frame on, at a speed, with the gains of the two
    /// sides; 0 past the end.
    ///
    /// A loop is its first frame and the one after its last; the frame must lie before its end.
    #[inline(always)]
    pub(crate) fn power(
        &self,
        frame: u32,
        looping: Option<(u32, u32)>,
        speed: f32,
        sides: [f32; 2],
    ) -> f64 {
        // One channel sounds on both sides, and a pan keeps the power of the two.
        let weights = match self.channels {
            1 => [2.0, 0.0],
            _ => sides.map(|side| f64::from(side) * f64::from(side)),
        };
        let from = |horizon| View { envelope: self, horizon, weights };
        if speed == 1.0 {
            return from(EAR).ahead(frame, looping);
        }
        // How many octaves the ear's horizon lies above the lowest, and how far between two.
        let reach = (f64::from(speed) * (HORIZON / HORIZONS[0])).clamp(1.0, 16.0);
        let (mut below, mut octave) = (0, 1.0);
        while 2.0 * octave <= reach {
            (below, octave) = (below + 1, 2.0 * octave);
        }
        let between = 2.0 * (1.0 - octave / reach);
        let near = from(below).ahead(frame, looping);
        if between <= 0.0 {
            return near;
        }
        // In decibels, over the inverse of the horizon.
        let far = from(below + 1).ahead(frame, looping);
        if near > 0.0 && far > 0.0 {
            near * libm::exp2(between * libm::log2(far / near))
        } else {
            near + between * (far - near)
        }
    }

    /// The same through filters, of which `gain` says how much they let through of the power of a
    /// frequency, in Hz as it is heard.
    #[inline(never)]
    pub(crate) fn power_through(
        &self,
        frame: u32,
        looping: Option<(u32, u32)>,
        speed: f32,
        sides: [f32; 2],
        gain: impl Fn(f64) -> f64,
    ) -> f64 {
        let power = self.power(frame, looping, speed, sides);
        if power == 0.0 {
            return 0.0;
        }
        let hertz = self.rate * f64::from(speed);
        let gain = &|cycles: f64| gain(cycles * hertz);
        let here = self.through(frame, gain);
        let Some((start, end)) = looping.filter(|(_, end)| frame < *end) else {
            return power * here;
        };
        // What is left of this turn, and the turns after it, each by its power.
        let view = View { envelope: self, horizon: EAR, weights: [1.0; 2] };
        let beyond = view.kept(end - frame) * view.exactly_at(end);
        let all = view.ahead(frame, looping);
        let rest = if all > 0.0 { less(view.exactly_at(frame), beyond) / all } else { 0.0 };
        let turns = self.through(start, gain);
        power * (turns + rest.min(1.0) * (here - turns))
    }

    /// How much filters let through of what is to come from a frame on.
    fn through(&self, frame: u32, gain: impl Fn(f64) -> f64) -> f64 {
        let at = f64::from(frame.saturating_add(self.missing))
            / (f64::from(self.hop.get()) * SPREAD_HOPS as f64);
        match self.spreads.get(at as usize..) {
            Some([here, next, ..]) => here.through(next, at.fract(), gain),
            Some([here]) => here.through(here, 0.0, gain),
            _ => 0.0,
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val::<[_]>(&self.powers) + size_of_val::<[_]>(&self.spreads)
    }
}

/// An envelope as it is seen from one horizon, with the power gains of its channels.
struct View<'a> {
    envelope: &'a Envelope,
    horizon: usize,
    weights: [f64; 2],
}

impl View<'_> {
    /// What is to come from a frame on.
    #[inline(always)]
    fn ahead(&self, frame: u32, looping: Option<(u32, u32)>) -> f64 {
        match looping {
            Some((start, end)) if frame < end => self.around(frame, start, end),
            _ => self.at(frame),
        }
    }

    /// What is to come from a frame on, as if it were not looping.
    fn at(&self, frame: u32) -> f64 {
        let (hop, into) = self.place(frame);
        let [here, next] = self.neighbours(hop);
        here + (next - here) * (f64::from(into) / f64::from(self.hop()))
    }

    /// The same to the last bit of what a hop can tell, for differences that nearly cancel.
    fn exactly_at(&self, frame: u32) -> f64 {
        let (hop, into) = self.place(frame);
        let rest = self.gone(self.hop() - into) / self.gone(self.hop());
        let [here, next] = self.neighbours(hop);
        next + (here - next) * rest
    }

    /// What is to come in a loop: what is left of this turn, and all the turns after it.
    #[inline(always)]
    fn around(&self, frame: u32, start: u32, end: u32) -> f64 {
        let length = end.saturating_sub(start).max(1);
        if length < 2 * self.hop() {
            return self.around_short(frame, start, start.saturating_add(length));
        }
        if start == 0 && end >= self.envelope.frames {
            let turns = self.envelope.around.get(self.horizon).copied().unwrap_or_default();
            return self.at(frame) + self.kept(end - frame) * self.weigh(turns);
        }
        self.around_part(frame, start, end)
    }

    /// The same in a loop of a part, behind which something else would come.
    fn around_part(&self, frame: u32, start: u32, end: u32) -> f64 {
        let (later, length, beyond) = (self.kept(end - frame), end - start, self.exactly_at(end));
        let rest = less(self.exactly_at(frame), later * beyond);
        let turn = less(self.exactly_at(start), self.kept(length) * beyond);
        rest + later * turn / self.gone(length)
    }

    /// The same in a loop so short that it is as loud as its mean all the way.
    fn around_short(&self, frame: u32, start: u32, end: u32) -> f64 {
        let mean = self.mean(start, end);
        if frame >= start {
            return mean;
        }
        let later = self.kept(start - frame);
        less(self.exactly_at(frame), later * self.exactly_at(start)) + later * mean
    }

    fn mean(&self, start: u32, end: u32) -> f64 {
        let keep = self.kept(self.hop());
        let (mut sum, mut at) = (0.0, start);
        // A loop of less than two hops meets three at the most.
        while at < end {
            let (hop, into) = self.place(at);
            let frames = (self.hop() - into).min(end - at);
            let [here, next] = self.neighbours(hop);
            sum += less(here, keep * next) / (1.0 - keep) * f64::from(frames);
            at += frames;
        }
        sum / f64::from((end - start).max(1))
    }

    fn hop(&self) -> u32 {
        self.envelope.hop.get()
    }

    /// The hop of a frame, and how far in it lies.
    fn place(&self, frame: u32) -> (usize, u32) {
        let at = frame.saturating_add(self.envelope.missing);
        ((at / self.envelope.hop) as usize, at % self.envelope.hop)
    }

    /// The powers at the beginning of a hop and of the next one.
    fn neighbours(&self, hop: usize) -> [f64; 2] {
        let channels = self.envelope.channels as usize;
        let rows = self.envelope.powers.get(hop.saturating_mul(channels)..).unwrap_or_default();
        let power = |row: &Powers| f64::from(row.get(self.horizon).copied().unwrap_or(0.0));
        match (channels, rows) {
            (1, [here, next, ..]) => [power(here), power(next)].map(|it| it * self.weights[0]),
            (_, [left, right, next_left, next_right, ..]) => [
                self.weigh([power(left), power(right)]),
                self.weigh([power(next_left), power(next_right)]),
            ],
            // The end, from which on there is nothing.
            _ => [0.0; 2],
        }
    }

    fn weigh(&self, [left, right]: [f64; 2]) -> f64 {
        left * self.weights[0] + right * self.weights[1]
    }

    /// How much of what lies this many frames off still counts.
    fn kept(&self, frames: u32) -> f64 {
        fall(f64::from(frames) * self.fall())
    }

    /// And how much of it does not, precise also where that is next to nothing.
    fn gone(&self, frames: u32) -> f64 {
        -libm::expm1(-f64::from(frames) * self.fall())
    }

    fn fall(&self) -> f64 {
        self.envelope.falls.get(self.horizon).copied().unwrap_or(1.0)
    }
}

/// A difference of powers. What is lost in their rounding is nothing: a loop in silence before a
/// bang is silent.
fn less(from: f64, what: f64) -> f64 {
    let rest = from - what;
    if rest > 1e-6 * from { rest } else { 0.0 }
}

/// e to the power of `-x`, right to eight places: a level needs no more, and whole pools are ranked
/// by it while somebody waits for a voice.
fn fall(x: f64) -> f64 {
    let octaves = x * std::f64::consts::LOG2_E;
    if octaves >= 1000.0 {
        return 0.0;
    }
    let whole = (octaves + 0.5) as i32;
    let rest = (f64::from(whole) - octaves) * std::f64::consts::LN_2;
    // The series of the exponential, for at most half an octave either way.
    let mut power = 1.0;
    for n in [7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0] {
        power = 1.0 + power * rest * (1.0 / n);
    }
    power * f64::from_bits((1023 - whole as u64) << 52)
}

/// The share of its power that a voice still makes while it fades out over `left` frames of a
/// mixer of some rate: a straight line down, the near counting more; and how much of what comes
/// after these frames counts.
pub(crate) fn fading(left: u32, rate: u32) -> (f64, f64) {
    let time = f64::from(left) / (HORIZON * f64::from(rate));
    let gone = -libm::expm1(-time);
    // The series, where the closed form would divide nothing by nothing.
    let share =
        if time < 0.01 { time / 3.0 } else { 1.0 - 2.0 / time + 2.0 * gone / (time * time) };
    (if gone > 0.0 { share / gone } else { 0.0 }, 1.0 - gone)
}

#[cfg(test)]
mod tests;
