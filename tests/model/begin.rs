//! How plays begin in the naive mixer: at once, once all of their line is known, or later.

use std::time::Duration;

use voicepool::{Refusal, WhenFull};

use super::dice::Terms;
use super::joins::Leaving;
use super::naive::{Request, Start, What, frames};
use super::ramp::{Ramp, Speed};
use super::spot::Spot;
use super::stage::{Stage, Until, Waiting, pan_law};
use super::voice::Voice;

/// No more wait for the end of a line: then those begin who do.
const MOST_ARRIVALS: usize = 64;

/// A play that was asked for.
pub struct Newcomer {
    pub number: u64,
    pub request: Request,
    pub cue: Option<Terms>,
    pub when_full: WhenFull,
    /// Who goes for it, and over which time.
    pub comes_for: Option<(Leaving, Duration)>,
}

impl Stage {
    pub fn begin(&mut self, newcomer: Newcomer) {
        let Newcomer { number, request, cue, when_full, comes_for } = newcomer;
        if self.refuse_stream(number, request.clip) {
            return;
        }
        let start = request.start;
        let until = match start {
            Start::Now => Until::Left(0),
            Start::At(frame) => Until::Frame(frame),
            Start::Delay(by) => Until::Left(u128::from(self.frames_of(by)) << 32),
            Start::After(leader) => Until::Finished(leader),
        };
        let mut voice = Voice { cue, ..self.voice(number, request, when_full) };
        if let Some((_, over)) = &comes_for {
            voice.fade = Ramp::rest(0.0);
            voice.fade.swing_to(1.0, self.frames_of(*over).max(self.declick));
        }
        voice.comes_for = comes_for;
        let waiting = Waiting { until, voice, paused: false, stood_still: false };
        match start {
            Start::After(leader) => self.begin_after(leader, waiting),
            _ => self.begin_or_wait(waiting),
        }
    }

    pub fn begin_or_wait(&mut self, mut waiting: Waiting) {
        if self.is_due(&waiting) {
            self.set_out(&mut waiting.voice);
            waiting.voice.rise(0, self.declick);
            self.arrive(waiting.voice);
        } else if self.waiting.len() == self.config.scheduled {
            self.end(waiting.voice.number, What::Refused(Refusal::ScheduleFull));
        } else {
            self.waiting.push(waiting);
        }
    }

    /// One with a place is judged when all of the line is known, so that the listener may come after it; and
    /// where voices have places so is one that may have to rob somebody, since who is quietest is known then.
    fn arrive(&mut self, voice: Voice) {
        let full = self.playing.len() >= self.limit || self.is_crowded(&voice);
        if voice.spot.is_some() || full && self.playing.iter().any(|it| it.spot.is_some()) {
            if self.arrivals.len() == MOST_ARRIVALS {
                self.begin_arrivals();
                return self.claim(voice);
            }
            self.arrivals.push(voice);
        } else {
            self.claim(voice);
        }
    }

    fn voice(&self, number: u64, request: Request, when_full: WhenFull) -> Voice {
        let clip = &self.clips[request.clip];
        let count = clip.frames.len() as u64;
        let looping = request.looping.map(|(start, end)| {
            let start = frames(start, clip.rate);
            let end = end.map_or(count, |end| frames(end, clip.rate).min(count));
            if start < end { (start, end) } else { (0, count) }
        });
        let mut fade = Ramp::rest(1.0);
        if self.frames_of(request.fade_in) > 0 {
            fade = Ramp::rest(0.0);
            fade.head_for(1.0, self.frames_of(request.fade_in).max(self.declick));
        }
        Voice {
            number,
            clip: request.clip,
            cue: None,
            born: 0,
            bus: request.bus,
            priority: request.priority,
            when_full,
            parks: request.parks.unwrap_or(looping.is_some()),
            position: frames(request.position, clip.rate) << 32,
            wrapped: false,
            looping,
            behind: None,
            own_speed: request.speed,
            pace: 1.0,
            speed: Speed::rest(self.ratio(request.speed, clip)),
            shape: request.shape,
            shaper: None,
            gain: Ramp::rest(request.gain),
            pan: pan_law(request.pan).map(Ramp::rest),
            spot: request.place.map(|(at, how)| Spot::new(at, how, self.now)),
            around: [1.0; 2].map(Ramp::rest),
            fade,
            hold: Ramp::rest(0.0),
            mute: Ramp::rest(1.0),
            boost: Ramp::rest(1.0),
            stopping: false,
            heard: false,
            rank: 0.0,
            first: false,
            guarded: 0,
            louder_since: None,
            comes_for: None,
            left: None,
            drawn: None,
        }
    }
}
