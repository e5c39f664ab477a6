//! How many voices there are to be.

use std::sync::atomic::Ordering::Relaxed;

use crate::config::{Config, WhenFull};
use crate::error::ResizeFault;
use crate::link::message::QUANTUM;
use crate::link::{Bridge, MOST_RESIZES};

/// How long grown voices must have been idle before the pool shrinks back, in seconds.
const GROWN_IDLE: u64 = 10;

/// How many voices the pool has, was last asked to have, and must grow to.
pub(super) struct Capacity {
    when_full: WhenFull,
    max_voices: usize,
    /// How many voices there will be once every resize has arrived.
    voices: usize,
    /// To how many a grown pool shrinks back: as many as were last wished for.
    settled_voices: usize,
    /// Whether that wish still waits: for room in the queue, or for the resize before it.
    wish_waits: bool,
    /// How many resizes are under way.
    resizes: usize,
    /// When more than the settled voices were last needed.
    crowded: u64,
    /// `GROWN_IDLE` in frames.
    idle_frames: u64,
}

impl Capacity {
    pub fn new(config: &Config) -> Capacity {
        Capacity {
            when_full: config.when_full,
            max_voices: config.max_voices,
            voices: config.voices,
            settled_voices: config.voices,
            wish_waits: false,
            resizes: 0,
            crowded: 0,
            idle_frames: GROWN_IDLE * u64::from(config.sample_rate),
        }
    }

    pub fn when_full(&self) -> WhenFull {
        self.when_full
    }

    pub fn set_when_full(&mut self, when_full: WhenFull) {
        self.when_full = when_full;
    }

    pub fn voices(&self) -> usize {
        self.voices
    }

    /// How many voices there are, or will be once the latest wish has come true and what has grown has
    /// shrunk back: so many can be reserved.
    pub fn settled_voices(&self) -> usize {
        self.settled_voices
    }

    /// To how many voices the pool must grow before so many more plays, if it must: as if they came one
    /// after another, and it doubled for each that needs it. `taken` says how many voices are taken or
    /// kept for others after so many of them, those of the parked included.
    pub fn growth(
        &self,
        plays: usize,
        taken: impl Fn(usize) -> usize,
        bridge: &Bridge,
    ) -> Option<usize> {
        if self.when_full != WhenFull::Grow {
            return None;
        }
        let parked = bridge.meters.parked.load(Relaxed) as usize;
        let before = if self.wish_waits { self.settled_voices } else { self.voices };
        let grown = |voices: usize, play: usize| match taken(play) > voices + parked {
            true => (2 * voices).min(self.max_voices),
            false => voices,
        };
        let voices = (1..=plays).fold(before, grown);
        (voices > before && self.resizes < MOST_RESIZES).then_some(voices)
    }

    /// Wishes for so many voices, of which so many are reserved, from when they can be had. Says why there
    /// can never be as many.
    pub fn wish(&mut self, voices: usize, reserved: usize) -> Result<(), ResizeFault> {
        if voices == 0 {
            return Err(ResizeFault::NoVoices);
        }
        if voices > self.max_voices {
            return Err(ResizeFault::TooMany { max_voices: self.max_voices });
        }
        if voices < reserved {
            return Err(ResizeFault::Reserved { reserved });
        }
        (self.settled_voices, self.wish_waits) = (voices, true);
        Ok(())
    }

    /// Takes over a resize that a recording holds, if there may be so many voices and not too many others are under
    /// way. When the pool shrinks back is for the recording to say.
    pub fn replays(&mut self, voices: usize) -> bool {
        let may_be = (1..=self.max_voices).contains(&voices) && self.resizes < MOST_RESIZES;
        if may_be {
            self.settled_voices = voices;
        }
        may_be
    }

    /// Whether there are as many voices as were wished for, and no more.
    pub fn is_settled(&self) -> bool {
        !self.wish_waits && self.voices <= self.settled_voices
    }

    /// To how many voices the pool is to be resized now, if it is: because that was wished for and no
    /// other resize is under way, or because the voices that it has grown by were idle for a while.
    pub fn due(&mut self, live: usize, now: u64) -> Option<usize> {
        let idle =
            live <= self.settled_voices && now.saturating_sub(self.crowded) > self.idle_frames;
        if self.resizes > 0 || !(self.wish_waits || idle) {
            return None;
        }
        self.wish_waits = false;
        (self.voices != self.settled_voices).then_some(self.settled_voices)
    }

    /// A resize was sent. It takes the place of a wish that waits.
    pub fn resizes(&mut self, voices: usize, now: u64) {
        self.voices = voices;
        self.wish_waits = false;
        self.resizes += 1;
        self.crowded = now;
    }

    /// A resize was carried out.
    pub fn resized(&mut self) {
        self.resizes -= 1;
    }

    /// A play has ended, and so many are left.
    pub fn ended(&mut self, live: usize, at: u64) {
        if live >= self.settled_voices {
            // To the quantum: within one, endings come in the order of the voices.
            self.crowded = self.crowded.max(at.next_multiple_of(QUANTUM as u64));
        }
    }
}
