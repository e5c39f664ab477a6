//! What changes little by little in the naive mixer: gains, and speeds.

/// A gain on its way.
#[derive(Clone, Debug)]
pub struct Ramp {
    from: f32,
    pub to: f32,
    at: u64,
    over: u64,
    /// As a sine or a cosine does, not straight.
    round: bool,
}

impl Ramp {
    pub fn rest(value: f32) -> Ramp {
        Ramp { from: value, to: value, at: 0, over: 0, round: false }
    }

    pub fn head_for(&mut self, to: f32, over: u64) {
        *self = Ramp { from: self.now(), to, at: 0, over, round: false };
    }

    /// The same in a quarter of a circle.
    pub fn swing_to(&mut self, to: f32, over: u64) {
        self.head_for(to, over);
        self.round = true;
    }

    /// The same; but if it is on its way there already, it is there no later than it would be.
    pub fn hurry(&mut self, to: f32, over: u64) {
        if self.to != to || over < self.left() {
            self.head_for(to, over);
        }
    }

    /// Whether it is there sooner than it would have been.
    pub fn is_hurried_since(&self, before: &Ramp) -> bool {
        self.to == before.to && self.left() < before.left()
    }

    pub fn now(&self) -> f32 {
        if self.left() == 0 {
            return self.to;
        }
        if self.round {
            let angle = self.at as f64 / self.over as f64 * std::f64::consts::FRAC_PI_2;
            let (up, down) = (angle.sin() as f32, angle.cos() as f32);
            return match self.to > self.from {
                true => self.from + (self.to - self.from) * up,
                false => self.to + (self.from - self.to) * down,
            };
        }
        self.from + (self.to - self.from) * (self.at as f32 * (1.0 / self.over as f32))
    }

    pub fn left(&self) -> u64 {
        self.over - self.at
    }

    pub fn is_silent(&self) -> bool {
        self.left() == 0 && self.to == 0.0
    }

    /// A rising ramp counts at its target, a falling one at its present value.
    pub fn promise(&self) -> f32 {
        self.now().max(self.to)
    }

    pub fn step(&mut self) {
        self.at = self.over.min(self.at + 1);
    }
}

/// Frames of a sound for each frame of the mixer, in 32.32 fixed point, on their way. Kept with
/// 15 more bits, so that a slow change does not stand still.
#[derive(Clone, Debug)]
pub struct Speed {
    from: i64,
    slope: i64,
    to: i64,
    pub at: i64,
    pub over: i64,
    /// Over how many of its last frames it comes onto a frame, if its target is one a frame.
    last: i64,
    /// What it adds to each of these, once it is known.
    more: Option<i64>,
}

/// A frame of a sound, as finely as speeds are kept.
const FINE_FRAME: i128 = 1 << 47;

impl Speed {
    pub fn rest(ratio: f64) -> Speed {
        let to = ((ratio * 4_294_967_296.0).round() as i64).clamp(1, 1 << 47);
        Speed { from: to << 15, slope: 0, to, at: 0, over: 0, last: 0, more: None }
    }

    fn fine(&self) -> i64 {
        if self.at == self.over {
            return self.to << 15;
        }
        self.from + self.at * self.slope + self.more.unwrap_or(0)
    }

    pub fn head_for(&mut self, ratio: f64, over: u64, last: u64) {
        let (from, Speed { to, .. }) = (self.fine(), Speed::rest(ratio));
        let slope = if over == 0 { 0 } else { ((to << 15) - from) / over as i64 };
        let (over, last) = (over as i64, last as i64);
        *self = Speed { from, slope, to, at: 0, over, last, more: None };
    }

    pub fn is_own(&self) -> bool {
        self.to == 1 << 32
    }

    /// Near its end, finds what its frames must add so that it ends on a whole frame.
    pub fn aim(&mut self, position: u64) {
        let left = self.over - self.at;
        if !self.is_own() || left == 0 || left > self.last || self.more.is_some() {
            return;
        }
        let steps: Vec<i64> = (0..left).map(|n| self.fine() + n * self.slope).collect();
        let end =
            i128::from(position) * (1 << 15) + steps.iter().map(|s| i128::from(*s)).sum::<i128>();
        let below = end / FINE_FRAME * FINE_FRAME;
        let nearest = if end - below < FINE_FRAME / 2 { below } else { below + FINE_FRAME };
        let more = |whole: i128| ((whole - end) / i128::from(left)) as i64;
        let backwards = steps.iter().any(|step| step + more(nearest) < 0);
        self.more = Some(more(if backwards { nearest + FINE_FRAME } else { nearest }));
    }

    /// Forgets it, because it is elsewhere now. What it added it keeps until then.
    pub fn aim_again(&mut self) {
        self.from += self.more.take().unwrap_or(0);
    }

    pub fn step(&self) -> u64 {
        (self.fine() >> 15) as u64
    }

    /// Moves on by a frame.
    pub fn walk(&mut self) {
        self.at = self.over.min(self.at + 1);
    }

    /// The longest step until it is there.
    pub fn longest(&self) -> u64 {
        let last = self.from + self.over * self.slope;
        (self.fine().max(if self.left() == 0 { 0 } else { last }) >> 15) as u64
    }

    /// The step so many frames from now, as a ratio to one frame after the other.
    pub fn ratio_after(&self, frames: u64) -> f32 {
        let mut later = self.clone();
        (0..frames).for_each(|_| later.walk());
        (later.step() as f64 / 4_294_967_296.0) as f32
    }

    /// How many frames it is still on its way.
    pub fn left(&self) -> u64 {
        (self.over - self.at) as u64
    }

    /// Keeps the speed it has.
    pub fn freeze(&mut self) {
        let to = self.fine() >> 15;
        *self = Speed { from: to << 15, slope: 0, to, at: 0, over: 0, last: 0, more: None };
    }

    /// What it is heading for, in frames of the sound for each frame of the mixer.
    pub fn target(&self) -> f64 {
        self.to as f64 / 4_294_967_296.0
    }

    /// Has the speed it was heading for.
    pub fn arrive(&mut self) {
        self.at = self.over;
    }
}
