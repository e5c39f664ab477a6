//! The limiter of the naive mixer: it looks at all that it remembers on every frame.

use std::collections::VecDeque;

use voicepool::Frame;

use super::stage::QUANTUM;

/// A frame, and by how much another right mixer may differ from it.
#[derive(Clone, Copy)]
pub struct Heard {
    pub frame: Frame,
    pub slack: f32,
}

/// Gains are kept as what they take away, in so many parts.
const ONE: u64 = 1 << 38;

/// How far below nothing it lets go, so that it arrives there.
const BELOW: u64 = 1 << 26;

/// What it holds it lets go of in blocks of so many frames.
const BLOCK: usize = 16;

pub struct Limiter {
    /// How far it looks ahead.
    ahead: usize,
    /// Mixed, and not yet let out.
    waiting: VecDeque<Heard>,
    /// What it takes away, if the frames are as they are here, and at the least and at the most
    /// that another right mixer might.
    cuts: [Cuts; 3],
}

/// What was needed and what was taken away, the latest last.
struct Cuts {
    /// How many frames what is needed is held, at the least.
    hold: usize,
    release: u64,
    /// How many frames there were.
    count: usize,
    /// What frames needed, and which they were, unless it was nothing.
    needed: VecDeque<(usize, u64)>,
    cut: VecDeque<u64>,
    /// How many of the latest cuts were nothing.
    idle: usize,
}

/// How many frames it looks ahead: as many whole quanta as last 2.5 ms.
fn look_ahead(rate: u32) -> u64 {
    (u64::from(rate) * 25).div_ceil(10_000 * QUANTUM).max(1) * QUANTUM
}

impl Limiter {
    pub fn new(rate: u32) -> Limiter {
        let ahead = look_ahead(rate) as usize;
        let hold = (u64::from(rate) * 10 + 500) / 1000;
        let release = 1.0 - (-1.0 / (0.1 * f64::from(rate))).exp();
        let cuts = || Cuts {
            hold: ahead + hold.max(1) as usize,
            release: (release * 16_777_216.0).round() as u64,
            count: 0,
            needed: VecDeque::new(),
            cut: VecDeque::new(),
            idle: 0,
        };
        Limiter { ahead, waiting: VecDeque::new(), cuts: [cuts(), cuts(), cuts()] }
    }

    /// Takes the next frame of the mix, and lets out the one that has seen enough.
    pub fn next(&mut self, mixed: Heard) -> Option<Heard> {
        let peak = f64::from(mixed.frame[0].abs().max(mixed.frame[1].abs()));
        let slack = f64::from(mixed.slack);
        for (cuts, peak) in self.cuts.iter_mut().zip([peak, peak - slack, peak + slack]) {
            cuts.take(peak);
        }
        self.waiting.push_back(mixed);
        if self.waiting.len() <= self.ahead {
            return None;
        }
        let Heard { frame, slack } = self.waiting.pop_front()?;
        let [gain, most, least] = self.cuts.each_ref().map(|cuts| cuts.gain(self.ahead));
        let doubt = (most - least) as f32 * frame[0].abs().max(frame[1].abs());
        let frame = frame.map(|side| (side * gain as f32).clamp(-1.0, 1.0));
        Some(Heard { frame, slack: slack + doubt })
    }
}

impl Cuts {
    fn take(&mut self, peak: f64) {
        let need = if peak <= 1.0 { 0.0 } else { ((1.0 - 1.0 / peak) * ONE as f64).ceil() };
        if need > 0.0 {
            self.needed.push_back((self.count, need as u64));
        }
        // All of this block, and as many whole ones before it as last that long.
        let block = self.count / BLOCK * BLOCK;
        let since = block.saturating_sub(self.hold.next_multiple_of(BLOCK));
        self.needed.retain(|(frame, _)| *frame >= since);
        self.count += 1;
        let held = self.needed.iter().map(|(_, need)| *need).max().unwrap_or(0);
        let last = self.cut.back().copied().unwrap_or(0);
        let released = last.saturating_sub(((last + BELOW) * self.release) >> 24);
        let cut = held.max(released);
        self.idle = if cut == 0 { self.idle + 1 } else { 0 };
        self.cut.push_back(cut);
        if self.cut.len() > self.hold {
            self.cut.pop_front();
        }
    }

    /// The gain of the frame that so many have come after.
    fn gain(&self, ahead: usize) -> f64 {
        if self.idle >= ahead {
            return 1.0;
        }
        let sum: u64 = self.cut.iter().rev().take(ahead).sum();
        1.0 - sum as f64 / (ahead as f64 * ONE as f64)
    }
}
