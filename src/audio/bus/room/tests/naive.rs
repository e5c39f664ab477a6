//! The same room, a frame at a time.

use std::collections::VecDeque;

use super::*;

/// Each delay is a queue and the matrix a table.
pub struct Naive {
    delays: [VecDeque<f32>; 2],
    diffusers: [Vec<VecDeque<f32>>; 2],
    lines: Vec<VecDeque<f32>>,
    before: [f32; LINES],
    after: [f32; LINES],
}

impl Naive {
    pub fn new(room: &Room) -> Naive {
        let queue = |ring: &Ring| ring.samples().iter().copied().collect::<VecDeque<f32>>();
        Naive {
            delays: room.pre_delay.each_ref().map(queue),
            diffusers: room.diffusers.each_ref().map(|side| side.iter().map(queue).collect()),
            lines: room.lines.iter().map(queue).collect(),
            before: [0.0; LINES],
            after: [0.0; LINES],
        }
    }

    pub fn frame(&mut self, Room { losses, gains, .. }: &Room, input: [f32; 2]) -> [f32; 2] {
        let mut fed = input;
        for (side, sample) in fed.iter_mut().enumerate() {
            self.delays[side].push_back(*sample);
            *sample = self.delays[side].pop_front().unwrap();
            for queue in &mut self.diffusers[side] {
                let held = queue.pop_front().unwrap();
                let back = snapped(*sample + DIFFUSION * held);
                queue.push_back(back);
                *sample = held - DIFFUSION * back;
            }
        }
        for (n, line) in self.lines.iter_mut().enumerate() {
            let sample = line.pop_front().unwrap();
            let sum = losses.now[n] * sample + losses.before[n] * self.before[n];
            self.after[n] = snapped(sum + losses.back[n] * self.after[n]);
            self.before[n] = sample;
        }
        // In the Hadamard matrix the sign of an element is that of the ones its row and column share.
        let sign =
            |row: usize, column: usize| [1.0, -1.0][(row & column).count_ones() as usize % 2];
        let pair = |row: usize, at: usize| {
            let element = |column: usize| sign(row, column % HALF) * self.after[column];
            element(at) + element(at + 1)
        };
        let half = |row: usize, at: usize| pair(row, at) + pair(row, at + 2);
        for (n, line) in self.lines.iter_mut().enumerate() {
            let (left, right) = (half(n % HALF, 0), half(n % HALF, HALF));
            line.push_back(left + sign(n, HALF) * right + fed[n / HALF]);
        }
        [gains[0] * half(1, 0), gains[1] * half(2, HALF)]
    }
}
