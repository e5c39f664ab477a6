//! The filters of a bus or a voice: a low-pass and a high-pass, 12 dB an octave, that may be turned
//! while they sound.
//!
//! They are Simper's state-variable filters: two integrators by the trapezoidal rule, damped as
//! Butterworth's (-3 dB at the cut-off). In silence no step of one makes the sum of the squares of
//! its two integrators larger, whatever the cut-off: so it stays stable however it is turned, and
//! between two cut-offs its coefficients may run on straight lines.
//!
//! While a cut-off glides, coefficients are worked out on lines of the absolute grid, [`STEP`] frames
//! apart, and run straight from line to line: the same bits however the frames are cut.

use std::f64::consts::{PI, SQRT_2};

use crate::link::message::{HIGH_PASS_OFF, LOW_PASS_OFF};

/// The highest cut-off, of the rate: there is no tangent of a quarter turn.
const HIGHEST: f64 = 0.49;

/// Frames between two lines on which a gliding cut-off is worked out. With coefficients that run
/// straight between them, 64 are as free of clicks as 1 at 44.1 kHz; at 8 kHz 32 are.
const STEP: u32 = 32;

/// What an octave up takes at least, in declicks. While a cut-off rises over a sine, the sine's phase
/// turns forward by half a turn, and its slope steepens with the speed of that. Ten octaves in a
/// single declick would make a step of 2.0 times the largest of a sine of 100 Hz, ten octaves in
/// five declicks make 1.35. Down, nothing is too fast.
const OCTAVE_UP: f64 = 0.5;

/// Below this, 300 dB down, what rings on is stopped.
const SILENT: f64 = 1e-15;

/// A value for each side.
type Pair = [f64; 2];

/// The low-pass and the high-pass of one bus or one voice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::audio) struct Filters {
    low: Filter,
    high: Filter,
}

impl Filters {
    /// Neither is on: free, and what passes is exact.
    pub const OFF: Filters = Filters { low: Filter::OFF, high: Filter::OFF };

    pub fn is_off(&self) -> bool {
        self.low.is_off() && self.high.is_off()
    }

    /// Turns the low-pass to a cut-off in Hz, in octaves along a ramp of so many frames: the declick
    /// at least, and half of one for every octave up. From [`LOW_PASS_OFF`] up, and NaN, is off, once
    /// it has glided there and was blended out over a declick more.
    ///
    /// On its way there already, it may be hurried, but it is never held up.
    pub fn set_low_pass(&mut self, hz: f32, over: u32, declick: u32, rate: u32) {
        self.low.turn(low_pass(hz, rate), octaves(LOW_PASS_OFF, rate), over, declick);
    }

    /// The same for the high-pass, which is off from [`HIGH_PASS_OFF`] down.
    pub fn set_high_pass(&mut self, hz: f32, over: u32, declick: u32, rate: u32) {
        self.high.turn(high_pass(hz, rate), octaves(HIGH_PASS_OFF, rate), over, declick);
    }

    /// Puts the low-pass there at once, from silence: nothing was heard through it yet, and the first
    /// frame will be filtered already.
    pub fn jump_low_pass(&mut self, hz: f32, rate: u32) {
        self.low = Filter::at(low_pass(hz, rate));
    }

    /// The same for the high-pass.
    pub fn jump_high_pass(&mut self, hz: f32, rate: u32) {
        self.high = Filter::at(high_pass(hz, rate));
    }

    /// Ends on the spot whatever is on its way, and what rings: nobody hears it.
    pub fn arrive(&mut self) {
        for filter in [&mut self.low, &mut self.high] {
            *filter = Filter::at((filter.wet[1] != 0.0).then_some(filter.to));
        }
    }

    /// Lets nothing ring in them any more: it is heard elsewhere.
    pub fn forget(&mut self) {
        for filter in [&mut self.low, &mut self.high] {
            filter.state = Filter::OFF.state;
        }
    }

    /// Whether nothing rings in them: silence that goes in comes out as silence.
    pub fn is_silent(&self) -> bool {
        [self.low, self.high].iter().all(|filter| filter.state == [[0.0; 2]; 2])
    }

    /// Whether neither of them is on its way.
    pub fn is_at_rest(&self) -> bool {
        self.low.is_steady(0) && self.high.is_steady(0)
    }

    /// Filters the coming frames, the first of which is the frame `now` of the absolute grid.
    pub fn process(&mut self, now: u64, mut left: &mut [f32], mut right: &mut [f32]) {
        let mut into = (now % u64::from(STEP)) as u32;
        while !self.is_off() && !left.is_empty() && !right.is_empty() {
            let mut len = left.len().min(right.len());
            let steady = self.low.is_steady(into) && self.high.is_steady(into);
            if !steady {
                // To the next line, unless one of them is off before that.
                let most = (STEP - into).min(self.low.until_off()).min(self.high.until_off());
                len = len.min(most.max(1) as usize);
            }
            let (near_left, near_right);
            (near_left, left) = left.split_at_mut(len);
            (near_right, right) = right.split_at_mut(len);
            if steady {
                self.run(into, near_left, near_right, Filter::steady);
            } else {
                self.run(into, near_left, near_right, |filter| filter.moving(into));
            }
            self.low.advance(len as u32);
            self.high.advance(len as u32);
            into = (into + len as u32) % STEP;
        }
    }

    /// Filters frames, the first of which lies so far behind a line.
    fn run<T: Tuning>(
        &mut self,
        into: u32,
        left: &mut [f32],
        right: &mut [f32],
        tuning: impl Fn(&Filter) -> T,
    ) {
        let mut low = Pass::<T, false> { tuning: tuning(&self.low), state: self.low.state };
        let mut high = Pass::<T, true> { tuning: tuning(&self.high), state: self.high.state };
        match (self.low.is_off(), self.high.is_off()) {
            (false, true) => each_line(into, left, right, &mut low),
            (true, false) => each_line(into, left, right, &mut high),
            _ => {
                let mut stages = (low, high);
                each_line(into, left, right, &mut stages);
                (low, high) = stages;
            }
        }
        (self.low.state, self.high.state) = (low.state, high.state);
    }
}

/// A low-pass alone, in half the room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::audio) struct LowPass(Filter);

impl LowPass {
    /// At a cut-off in Hz, or off, from silence.
    pub fn at(hz: f32, rate: u32) -> LowPass {
        LowPass(Filter::at(low_pass(hz, rate)))
    }

    pub fn is_off(&self) -> bool {
        self.0.is_off()
    }

    /// Turns it as [`Filters::set_low_pass`] does.
    pub fn set(&mut self, hz: f32, over: u32, declick: u32, rate: u32) {
        self.0.turn(low_pass(hz, rate), octaves(LOW_PASS_OFF, rate), over, declick);
    }

    /// Filters the coming frames, the first of which is the frame `now` of the absolute grid.
    pub fn process(&mut self, now: u64, left: &mut [f32], right: &mut [f32]) {
        let mut filters = Filters { low: self.0, high: Filter::OFF };
        filters.process(now, left, right);
        self.0 = filters.low;
    }

    /// Lets nothing ring in it any more: it is heard elsewhere.
    pub fn forget(&mut self) {
        self.0.state = Filter::OFF.state;
    }

    /// Whether nothing rings in it.
    pub fn is_silent(&self) -> bool {
        self.0.state == Filter::OFF.state
    }
}

/// One of the two filters, both sides of it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Filter {
    /// What the two integrators hold.
    state: [Pair; 2],
    /// How many frames ago it was last turned, until nothing changes any more.
    at: u32,
    /// From which cut-off to which, in octaves above the rate, over how many frames.
    from: f32,
    to: f32,
    over: u32,
    /// From which share of what is heard to which, after how many frames, over how many. 0 to 0 is
    /// off.
    wet: [f32; 2],
    wait: u32,
    blend: u32,
}

impl Filter {
    const OFF: Filter = Filter {
        state: [[0.0; 2]; 2],
        at: 0,
        from: 0.0,
        to: 0.0,
        over: 0,
        wet: [0.0; 2],
        wait: 0,
        blend: 0,
    };

    /// Stands at a cut-off, or is off.
    fn at(cutoff: Option<f32>) -> Filter {
        match cutoff {
            Some(to) => Filter { at: STEP, from: to, to, wet: [1.0; 2], ..Filter::OFF },
            None => Filter::OFF,
        }
    }

    fn is_off(&self) -> bool {
        self.wet == [0.0; 2]
    }

    /// Turns towards a cut-off or off, which is beyond an edge.
    fn turn(&mut self, cutoff: Option<f32>, edge: f32, over: u32, declick: u32) {
        let (to, wet) = (cutoff.unwrap_or(edge), if cutoff.is_some() { 1.0 } else { 0.0 });
        let (from, present) =
            if self.is_off() { (edge, 0.0) } else { (self.cutoff(self.at), self.share(self.at)) };
        if present == 0.0 && wet == 0.0 {
            *self = Filter::OFF;
            return;
        }
        let up = f64::from((to - from).max(0.0)) * OCTAVE_UP * f64::from(declick);
        let over = over.max(declick).max(libm::ceil(up) as u32).min(u32::MAX / 4);
        let blend = if present == wet { 0 } else { declick.min(u32::MAX / 4) };
        let wait = if wet == 0.0 { over } else { 0 };
        let turned = Filter { at: 0, from, to, over, wet: [present, wet], wait, blend, ..*self };
        let same = !self.is_off() && self.to == to && self.wet[1] == wet;
        if !same || turned.end() < self.end().saturating_sub(self.at) {
            *self = turned;
        }
        if self.until_off() == 0 {
            *self = Filter::OFF;
        }
    }

    /// After how many frames nothing changes any more.
    fn end(&self) -> u32 {
        self.over.max(self.wait + self.blend)
    }

    /// For how many frames it is not off.
    fn until_off(&self) -> u32 {
        if self.wet[1] == 0.0 && !self.is_off() { self.end() - self.at } else { u32::MAX }
    }

    /// Whether it is off, or stays as it was on the last line, which lies so far behind.
    fn is_steady(&self, into: u32) -> bool {
        self.is_off() || self.at >= self.end() + into
    }

    fn advance(&mut self, frames: u32) {
        // A whole step more, so that it is known on a line that all was over on the last.
        self.at = self.at.saturating_add(frames).min(self.end() + STEP);
        if self.wet[1] == 0.0 && self.at >= self.end() {
            *self = Filter::OFF;
        }
    }

    /// The cut-off so many frames after it was turned.
    fn cutoff(&self, at: u32) -> f32 {
        line(self.from, self.to, at, self.over)
    }

    /// Its share of what is heard, so many frames after it was turned.
    fn share(&self, at: u32) -> f32 {
        line(self.wet[0], self.wet[1], at.saturating_sub(self.wait), self.blend)
    }

    /// How it is tuned, once that stays.
    fn steady(&self) -> Steady {
        Steady(Coefficients::at(self.to))
    }

    /// How it is tuned from here to the next line; the last lies so many frames behind.
    fn moving(&self, into: u32) -> Moving {
        // Turned since the last line, it stands for what was before that by what it was then.
        let last = Coefficients::at(self.cutoff(self.at.saturating_sub(into)));
        let next = Coefficients::at(self.cutoff((self.at + STEP).saturating_sub(into)));
        Moving { last, next, into, filter: *self }
    }
}

/// The value of a straight line, so many frames after its beginning.
fn line(from: f32, to: f32, at: u32, over: u32) -> f32 {
    if at >= over { to } else { from + (to - from) * (at as f32 / over as f32) }
}

/// The cut-off of a low-pass in octaves above the rate, if it is on.
fn low_pass(hz: f32, rate: u32) -> Option<f32> {
    (hz < LOW_PASS_OFF).then(|| octaves(hz.max(HIGH_PASS_OFF), rate))
}

/// The same for a high-pass.
fn high_pass(hz: f32, rate: u32) -> Option<f32> {
    (hz > HIGH_PASS_OFF).then(|| octaves(hz.min(LOW_PASS_OFF), rate))
}

fn octaves(hz: f32, rate: u32) -> f32 {
    libm::log2((f64::from(hz) / f64::from(rate)).min(HIGHEST)) as f32
}

/// The tangent of half the angle that a frequency turns by in a frame, by which the bilinear
/// transform bends it; frequencies are in cycles a frame, below a half. It is right to three places:
/// Lambert's continued fraction, whose pole is that of the tangent to seven.
fn bent(cycles: f64) -> f64 {
    let angle = PI * cycles;
    let square = angle * angle;
    angle * (945.0 + square * (square - 105.0)) / (945.0 + square * (15.0 * square - 420.0))
}

/// What the two integrators take over: the second of what the first holds; the first of what it holds
/// itself, less 1; and the second of what goes in.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Coefficients([f64; 3]);

impl Coefficients {
    /// For a cut-off in octaves above the rate.
    fn at(cutoff: f32) -> Coefficients {
        let g = bent(libm::exp2(f64::from(cutoff)));
        let first = 2.0 / (1.0 + g * (g + SQRT_2));
        Coefficients([first - 1.0, g * first, g * g * first])
    }
}

/// How a filter is tuned, frame by frame.
trait Tuning {
    /// The coefficients of the next frame.
    fn next(&mut self) -> Coefficients;

    /// What is heard in it of what went in and what the filter made of it.
    fn blend(&self, dry: Pair, wet: Pair) -> Pair;
}

/// Its cut-off stays.
struct Steady(Coefficients);

impl Tuning for Steady {
    #[inline(always)]
    fn next(&mut self) -> Coefficients {
        self.0
    }

    #[inline(always)]
    fn blend(&self, _: Pair, wet: Pair) -> Pair {
        wet
    }
}

/// It is on its way: coefficients run straight from those of the last line to those of the next.
struct Moving {
    last: Coefficients,
    next: Coefficients,
    /// How far behind the last line the next frame lies.
    into: u32,
    filter: Filter,
}

impl Tuning for Moving {
    #[inline(always)]
    fn next(&mut self) -> Coefficients {
        let part = f64::from(self.into) * (1.0 / f64::from(STEP));
        self.into += 1;
        self.filter.at += 1;
        let (Coefficients(last), Coefficients(next)) = (self.last, self.next);
        Coefficients(std::array::from_fn(|i| last[i] + (next[i] - last[i]) * part))
    }

    #[inline(always)]
    fn blend(&self, dry: Pair, wet: Pair) -> Pair {
        // The filter counts the frame already.
        let share = f64::from(self.filter.share(self.filter.at - 1));
        [0, 1].map(|side| (1.0 - share) * dry[side] + share * wet[side])
    }
}

/// What frames go through.
trait Stage {
    /// Stops what rings on below the audible: on lines alone, and often enough that nothing ever
    /// gets from there to a denormal number.
    fn settle(&mut self);

    fn frame(&mut self, frame: Pair) -> Pair;
}

/// A filter at work: a low-pass, or a high-pass.
struct Pass<T, const HIGH: bool> {
    tuning: T,
    state: [Pair; 2],
}

impl<T: Tuning, const HIGH: bool> Stage for Pass<T, HIGH> {
    fn settle(&mut self) {
        for value in self.state.as_flattened_mut() {
            // Written so that NaN goes, too.
            if !(SILENT..f64::MAX).contains(&value.abs()) {
                *value = 0.0;
            }
        }
    }

    #[inline(always)]
    fn frame(&mut self, frame: Pair) -> Pair {
        let Coefficients([keep, turn, follow]) = self.tuning.next();
        let [first, second] = self.state;
        // The other way round there would be two more steps to wait for in every frame.
        let behind = both(|side| frame[side] - second[side]);
        let next = [
            both(|side| keep * first[side] + turn * behind[side]),
            both(|side| (second[side] + turn * first[side]) + follow * behind[side]),
        ];
        self.state = next;
        let wet = both(|side| {
            let low = 0.5 * (second[side] + next[1][side]);
            if HIGH {
                let band = 0.5 * (first[side] + next[0][side]);
                frame[side] - SQRT_2 * band - low
            } else {
                low
            }
        });
        self.tuning.blend(frame, wet)
    }
}

/// One after the other, in one loop: neither waits for the other.
impl<A: Stage, B: Stage> Stage for (A, B) {
    fn settle(&mut self) {
        self.0.settle();
        self.1.settle();
    }

    #[inline(always)]
    fn frame(&mut self, frame: Pair) -> Pair {
        self.1.frame(self.0.frame(frame))
    }
}

#[inline(always)]
fn both(value: impl Fn(usize) -> f64) -> Pair {
    [value(0), value(1)]
}

/// Sends frames through a stage, from line to line; the first lies so far behind one.
fn each_line(into: u32, left: &mut [f32], right: &mut [f32], stage: &mut impl Stage) {
    let len = left.len().min(right.len());
    let near = if into == 0 { 0 } else { len.min((STEP - into) as usize) };
    let (near_left, left) = left.split_at_mut(near);
    let (near_right, right) = right.split_at_mut(near);
    through(near_left, near_right, stage);
    for (left, right) in left.chunks_mut(STEP as usize).zip(right.chunks_mut(STEP as usize)) {
        stage.settle();
        through(left, right, stage);
    }
}

#[inline(always)]
fn through(left: &mut [f32], right: &mut [f32], stage: &mut impl Stage) {
    for (left, right) in left.iter_mut().zip(right) {
        let [l, r] = stage.frame([f64::from(*left), f64::from(*right)]);
        (*left, *right) = (l as f32, r as f32);
    }
}

#[cfg(test)]
mod tests;
