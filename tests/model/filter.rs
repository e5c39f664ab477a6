//! The filters of the naive mixer: one frame at a time, worked out anew for each.

use voicepool::Frame;

/// While a cut-off glides it is worked out on every frame that is a multiple of this, and what follows
/// from it runs straight from one to the next.
const STEP: u64 = 32;

/// A low-pass is off from here up, a high-pass down to there.
pub const LOW_OFF: f32 = 20_000.0;
pub const HIGH_OFF: f32 = 20.0;

/// A low-pass or a high-pass: Simper's, damped as Butterworth's.
#[derive(Clone, Debug)]
pub struct Filter {
    high: bool,
    /// What its two integrators hold of each side.
    held: [[f64; 2]; 2],
    /// How long ago it was turned.
    at: u64,
    /// From where to where, in octaves above the rate, and how long that takes.
    cutoff: [f32; 2],
    over: u64,
    /// How much of it is heard, from and to, after which wait, and how long that takes.
    wet: [f32; 2],
    wait: u64,
    blend: u64,
}

impl Filter {
    pub fn off(high: bool) -> Filter {
        let (held, cutoff, wet) = ([[0.0; 2]; 2], [0.0; 2], [0.0; 2]);
        Filter { high, held, at: 0, cutoff, over: 0, wet, wait: 0, blend: 0 }
    }

    /// Stands there already.
    pub fn set(high: bool, hz: f32, rate: u32) -> Filter {
        match cutoff(high, hz, rate) {
            Some(to) => Filter { at: STEP, cutoff: [to; 2], wet: [1.0; 2], ..Filter::off(high) },
            None => Filter::off(high),
        }
    }

    pub fn is_off(&self) -> bool {
        self.wet == [0.0; 2]
    }

    pub fn is_silent(&self) -> bool {
        self.held == [[0.0; 2]; 2]
    }

    /// How long it takes until nothing of it changes any more.
    fn whole(&self) -> u64 {
        self.over.max(self.wait + self.blend)
    }

    pub fn is_at_rest(&self) -> bool {
        self.is_off() || self.at >= self.whole()
    }

    /// Turns to a cut-off in octaves, the declick at least and half of it for each octave up. Turned on it
    /// comes from the edge, blended in over the declick; turned off it goes there, and is then blended out.
    /// What is on its way there already is only hurried.
    pub fn turn(&mut self, hz: f32, over: u64, declick: u64, rate: u32) {
        let edge = octaves(if self.high { HIGH_OFF } else { LOW_OFF }, rate);
        let wanted = cutoff(self.high, hz, rate);
        let was_off = self.is_off();
        let from = if was_off { edge } else { self.cutoff_at(self.at) };
        let present = if was_off { 0.0 } else { self.share() };
        let to = wanted.unwrap_or(edge);
        let wet = if wanted.is_some() { 1.0 } else { 0.0 };
        if present == 0.0 && wet == 0.0 {
            *self = Filter::off(self.high);
            return;
        }
        let octaves_up = f64::from((to - from).max(0.0));
        let over = over.max(declick).max((octaves_up * 0.5 * declick as f64).ceil() as u64);
        let turned = Filter {
            at: 0,
            cutoff: [from, to],
            over,
            wet: [present, wet],
            wait: if wet == 0.0 { over } else { 0 },
            blend: if present == wet { 0 } else { declick },
            ..self.clone()
        };
        let same = !was_off && self.cutoff[1] == to && self.wet[1] == wet;
        if !same || turned.whole() < self.whole().saturating_sub(self.at) {
            *self = turned;
        }
    }

    /// Is where it was going, and has forgotten what rang in it.
    pub fn arrive(&mut self) {
        let (to, high) = (self.cutoff[1], self.high);
        let on = Filter { at: STEP, cutoff: [to; 2], wet: [1.0; 2], ..Filter::off(high) };
        *self = if self.wet[1] > 0.0 { on } else { Filter::off(high) };
    }

    fn cutoff_at(&self, at: u64) -> f32 {
        straight(self.cutoff, at, self.over)
    }

    fn share(&self) -> f32 {
        straight(self.wet, self.at.saturating_sub(self.wait), self.blend)
    }

    /// What it makes of the frame `now`.
    pub fn frame(&mut self, now: u64, frame: [f64; 2]) -> [f64; 2] {
        if self.is_off() {
            return frame;
        }
        let into = now % STEP;
        if into == 0 {
            for value in self.held.as_flattened_mut() {
                *value = if value.abs() < 1e-15 { 0.0 } else { *value };
            }
        }
        let last = tuning(self.cutoff_at(self.at.saturating_sub(into)));
        let next = tuning(self.cutoff_at((self.at + STEP).saturating_sub(into)));
        let part = into as f64 / STEP as f64;
        let [a, b, c] = [0, 1, 2].map(|i: usize| last[i] + (next[i] - last[i]) * part);
        let share = f64::from(self.share());
        let mut heard = [0.0; 2];
        for side in 0..2 {
            let [first, second] = [self.held[0][side], self.held[1][side]];
            let behind = frame[side] - second;
            let (next_first, next_second) =
                (a * first + b * behind, second + b * first + c * behind);
            self.held[0][side] = next_first;
            self.held[1][side] = next_second;
            let low = 0.5 * (second + next_second);
            let band = 0.5 * (first + next_first);
            let high = frame[side] - 2f64.sqrt() * band - low;
            let wet = if self.high { high } else { low };
            heard[side] = (1.0 - share) * frame[side] + share * wet;
        }
        self.at += 1;
        if self.wet[1] == 0.0 && self.at >= self.whole() {
            *self = Filter::off(self.high);
        }
        heard
    }
}

/// What a filter's integrators take over at a cut-off: of what the first holds itself, less 1; the second
/// of the first; and the second of what goes in.
fn tuning(cutoff: f32) -> [f64; 3] {
    // The tangent of half a turn's part, by the first five terms of Lambert's fraction.
    let x = std::f64::consts::PI * 2f64.powf(f64::from(cutoff));
    let over = x * (945.0 - 105.0 * x.powi(2) + x.powi(4));
    let g = over / (945.0 - 420.0 * x.powi(2) + 15.0 * x.powi(4));
    let first = 2.0 / (1.0 + g * (g + 2f64.sqrt()));
    [first - 1.0, g * first, g * g * first]
}

fn straight([from, to]: [f32; 2], at: u64, over: u64) -> f32 {
    if at >= over { to } else { from + (to - from) * (at as f32 / over as f32) }
}

/// In octaves above the rate, and never above 0.49 of it.
fn octaves(hz: f32, rate: u32) -> f32 {
    (f64::from(hz) / f64::from(rate)).min(0.49).log2() as f32
}

fn cutoff(high: bool, hz: f32, rate: u32) -> Option<f32> {
    let on = if high { hz > HIGH_OFF } else { hz < LOW_OFF };
    on.then(|| octaves(hz.clamp(HIGH_OFF, LOW_OFF), rate))
}

/// A low-pass and then a high-pass.
#[derive(Clone, Debug)]
pub struct Filters {
    pub low: Filter,
    pub high: Filter,
}

impl Filters {
    pub fn set(low_pass: f32, high_pass: f32, rate: u32) -> Filters {
        Filters {
            low: Filter::set(false, low_pass, rate),
            high: Filter::set(true, high_pass, rate),
        }
    }

    pub fn is_off(&self) -> bool {
        self.low.is_off() && self.high.is_off()
    }

    pub fn is_silent(&self) -> bool {
        self.low.is_silent() && self.high.is_silent()
    }

    pub fn empty(&mut self) {
        (self.low.held, self.high.held) = Default::default();
    }

    pub fn is_at_rest(&self) -> bool {
        self.low.is_at_rest() && self.high.is_at_rest()
    }

    pub fn arrive(&mut self) {
        self.low.arrive();
        self.high.arrive();
    }

    pub fn frame(&mut self, now: u64, frame: Frame) -> Frame {
        if self.is_off() {
            return frame;
        }
        let low = self.low.frame(now, frame.map(f64::from));
        self.high.frame(now, low).map(|side| side as f32)
    }
}
