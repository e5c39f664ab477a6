//! A room of the naive mixer: every delay a queue, and the matrix a table.

use std::collections::VecDeque;
use std::f64::consts::PI;

use voicepool::{Frame, Reverb};

use super::naive;

const LINES: usize = 8;

/// How long its lines and its allpasses are, in crossings of the room.
const LENGTHS: [f64; LINES] = [0.419, 0.811, 1.163, 1.587, 0.447, 0.743, 1.273, 1.511];
const ALLPASSES: [[f64; 6]; 2] = [
    [0.0131, 0.0271, 0.0467, 0.0733, 0.1171, 0.1687],
    [0.0149, 0.0293, 0.0431, 0.0809, 0.1093, 0.1773],
];

#[derive(Clone, Debug)]
pub struct Room {
    before: [VecDeque<f32>; 2],
    allpasses: [Vec<VecDeque<f32>>; 2],
    lines: Vec<Line>,
    gains: [f32; 2],
}

#[derive(Clone, Debug)]
struct Line {
    queue: VecDeque<f32>,
    /// What it makes of what comes out, of what came out before that, and of what it made of that.
    loss: [f32; 3],
    came: f32,
    made: f32,
}

impl Room {
    pub fn new(reverb: &Reverb, rate: u32) -> Room {
        let decay = reverb.decay.as_secs_f64();
        let crossing = (0.04 * 3f64.powf(f64::from(reverb.size))).min(decay / 16.0);
        let crossing = crossing * f64::from(rate);
        let frames = primes(LENGTHS.map(|part| part * crossing).to_vec());
        let lines: Vec<Line> = frames.into_iter().map(|it| Line::new(it, reverb, rate)).collect();
        let gains = loudness(&lines);
        Room {
            before: [(); 2].map(|()| silence(naive::frames(reverb.pre_delay, rate) as usize)),
            allpasses: ALLPASSES.map(|side| {
                let frames = primes(side.map(|part| part * crossing).to_vec());
                frames.into_iter().map(silence).collect()
            }),
            lines,
            gains,
        }
    }

    pub fn is_silent(&self) -> bool {
        let queues = self.before.iter().chain(self.allpasses.iter().flatten());
        let mut queues = queues.chain(self.lines.iter().map(|line| &line.queue));
        let still = |line: &Line| line.came == 0.0 && line.made == 0.0;
        self.lines.iter().all(still) && queues.all(|queue| queue.iter().all(|it| *it == 0.0))
    }

    pub fn frame(&mut self, input: Frame) -> Frame {
        let mut fed = input.map(kept);
        for (side, sample) in fed.iter_mut().enumerate() {
            self.before[side].push_back(*sample);
            *sample = self.before[side].pop_front().unwrap();
            for queue in &mut self.allpasses[side] {
                let held = queue.pop_front().unwrap();
                let back = kept(*sample + 0.6 * held);
                queue.push_back(back);
                *sample = held - 0.6 * back;
            }
        }
        let out: Vec<f32> = self.lines.iter_mut().map(Line::out).collect();
        // A Hadamard matrix: the sign is that of the bits which row and column share.
        let signed = |row: usize, column: usize| {
            if (row & column).count_ones().is_multiple_of(2) { out[column] } else { -out[column] }
        };
        let sum = |row: usize, columns: std::ops::Range<usize>| -> f32 {
            columns.map(|column| signed(row, column)).sum()
        };
        for row in 0..LINES {
            let fed = fed[row / 4];
            let back = sum(row, 0..LINES) + fed;
            self.lines[row].queue.push_back(back);
        }
        // What is heard is at right angles to what is fed.
        [self.gains[0] * sum(1, 0..4), self.gains[1] * sum(2, 4..LINES)]
    }
}

impl Line {
    fn new(frames: usize, reverb: &Reverb, rate: u32) -> Line {
        let (rate, decay) = (f64::from(rate), reverb.decay.as_secs_f64());
        let seconds = frames as f64 / rate;
        let after = |decay: f64| 10f64.powf(-3.0 * seconds / decay);
        let treble = after(decay * (1.0 - 0.75 * f64::from(reverb.damping)));
        let root = (treble / after(decay)).max(1e-6).sqrt();
        let warp = (PI * (4000.0 / rate).min(0.25)).tan();
        let below = warp + 1.0 / root;
        // The matrix makes all of it louder by the root of the lines.
        let gain = after(decay) / (below * (LINES as f64).sqrt());
        let loss = [(warp + root) * gain, (warp - root) * gain, (1.0 / root - warp) / below];
        Line { queue: silence(frames), loss: loss.map(|it| it as f32), came: 0.0, made: 0.0 }
    }

    fn out(&mut self) -> f32 {
        let sample = self.queue.pop_front().unwrap();
        let [now, before, back] = self.loss;
        self.made = kept(now * sample + before * self.came + back * self.made);
        self.came = sample;
        self.made
    }

    /// How much of the power of a frequency it lets through.
    fn power(&self, angle: f64) -> f64 {
        let [now, before, back] = self.loss.map(f64::from);
        let above = now * now + before * before + 2.0 * now * before * angle.cos();
        above / (1.0 + back * back - 2.0 * back * angle.cos())
    }
}

/// The gains with which noise of power 1 comes out with power 1.
fn loudness(lines: &[Line]) -> [f32; 2] {
    let mut power = [0.0; 2];
    for n in 0..512 {
        let angle = PI * (f64::from(n) + 0.5) / 512.0;
        let through: Vec<f64> = lines.iter().map(|line| line.power(angle)).collect();
        let in_each = 1.0 / (1.0 - through.iter().sum::<f64>());
        power[0] += through[..4].iter().sum::<f64>() * in_each / 512.0;
        power[1] += through[4..].iter().sum::<f64>() * in_each / 512.0;
    }
    power.map(|power| (1.0 / power.max(1e-12).sqrt()) as f32)
}

/// What is too small to matter is nothing.
fn kept(sample: f32) -> f32 {
    if sample.abs() >= 1e-15 { sample } else { 0.0 }
}

fn silence(frames: usize) -> VecDeque<f32> {
    VecDeque::from(vec![0.0; frames])
}

/// For each the next prime that none before it has.
fn primes(wanted: Vec<f64>) -> Vec<usize> {
    let is_prime = |n: usize| n > 1 && (2..n).all(|d| !n.is_multiple_of(d));
    let mut taken = Vec::new();
    for wanted in wanted {
        let mut n = wanted.ceil() as usize;
        while !is_prime(n) || taken.contains(&n) {
            n += 1;
        }
        taken.push(n);
    }
    taken
}
