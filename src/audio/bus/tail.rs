//! What the stolen leave behind: the last few milliseconds of each, fading out.
//!
//! A victim's coming frames are mixed into a ring at the moment of the theft, and the ring is
//! mixed into the coming blocks. Its voice is free at once, and a thousand thefts in one block
//! need no more room than one.

use crate::audio::kernel::Mix;

/// A ring of frames to come, as long as the longest fade.
pub(in crate::audio) struct Tail {
    left: Box<[f32]>,
    right: Box<[f32]>,
    /// Where the next frame is.
    at: usize,
    /// How many of the coming frames may hold something.
    live: usize,
}

impl Tail {
    pub fn new(frames: usize) -> Tail {
        let silence = || vec![0.0; frames].into_boxed_slice();
        Tail { left: silence(), right: silence(), at: 0, live: 0 }
    }

    /// Adds to the frames that come next: as many as the ring holds at most.
    pub fn add(&mut self, left: &[f32], right: &[f32]) {
        for (ring, frames) in [(&mut self.left, left), (&mut self.right, right)] {
            // In two parts, each a plain loop: there are thousands of tails in a storm.
            let (early, late) = ring.split_at_mut(self.at);
            let (first, rest) = frames.split_at(late.len().min(frames.len()));
            for (part, frames) in [(late, first), (early, rest)] {
                part.iter_mut().zip(frames).for_each(|(held, frame)| *held += frame);
            }
        }
        self.live = self.live.max(left.len().min(self.left.len()));
    }

    /// The same, each frame at a gain of its own.
    pub fn add_at(&mut self, left: &[f32], right: &[f32], gains: &[f32]) {
        let len = self.left.len();
        for (ring, frames) in [(&mut self.left, left), (&mut self.right, right)] {
            for ((frame, gain), at) in frames.iter().zip(gains).zip(self.at..).take(len) {
                ring.get_mut(at % len).into_iter().for_each(|held| *held += frame * gain);
            }
        }
        self.live = self.live.max(left.len().min(len));
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Mixes the frames that come next, and forgets them.
    pub fn play(&mut self, mix: Mix) {
        let frames = mix.len().min(self.live);
        if frames == 0 {
            return;
        }
        for (ring, mix) in [(&mut self.left, mix.left), (&mut self.right, mix.right)] {
            let (early, late) = ring.split_at_mut(self.at);
            let mix = mix.get_mut(..frames).unwrap_or_default();
            let (first, rest) = mix.split_at_mut(late.len().min(frames));
            for (part, mix) in [(late, first), (early, rest)] {
                for (held, mixed) in part.iter_mut().zip(mix) {
                    *mixed += std::mem::take(held);
                }
            }
        }
        self.at = (self.at + frames) % self.left.len();
        self.live -= frames;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play<const N: usize>(tail: &mut Tail) -> [f32; N] {
        let (mut left, mut right) = ([0.0; N], [0.0; N]);
        tail.play(Mix { left: &mut left, right: &mut right });
        assert_eq!(left, right.map(|sample| -sample));
        left
    }

    #[test]
    fn tails_add_up_and_are_heard_once() {
        let mut tail = Tail::new(3);
        tail.add(&[3.0, 2.0, 1.0], &[-3.0, -2.0, -1.0]);
        assert_eq!(play(&mut tail), [3.0, 2.0]);
        tail.add(&[30.0, 20.0, 10.0], &[-30.0, -20.0, -10.0]);
        assert_eq!(play(&mut tail), [31.0]);
        assert_eq!(play(&mut tail), [20.0, 10.0, 0.0, 0.0]);
        assert_eq!(play(&mut tail), [0.0]);
    }
}
