//! The controls of the naive mixer.

use std::time::Duration;

use super::naive::{Change, What, frames};
use super::stage::{Stage, pan_law};
use super::voice::{Ramp, Voice};

impl Stage {
    pub fn obey_bus(&mut self, bus: usize, change: Change) {
        let declick = self.declick;
        let bus = &mut self.buses[bus];
        match change {
            Change::Gain(to, over) => {
                bus.gain.head_for(to, frames(over, self.config.sample_rate).max(declick));
            }
            Change::Pause if bus.hold.to > 0.0 => bus.hold.head_for(0.0, declick),
            Change::Resume if bus.hold.to == 0.0 => bus.hold.head_for(1.0, declick),
            Change::Pause | Change::Resume => (),
            _ => unreachable!("a script says no such thing to a bus"),
        }
    }

    pub fn stop_where(&mut self, fade: u64, which: impl Fn(usize) -> bool) {
        let waiting = self.waiting.iter().map(|waiting| &waiting.voice);
        let all = self.playing.iter().chain(&self.parked).chain(waiting);
        let tags: Vec<u64> = all.filter(|it| which(it.bus)).map(|it| it.tag).collect();
        tags.into_iter().for_each(|tag| self.stop(tag, fade));
    }

    pub fn stop(&mut self, tag: u64, fade: u64) {
        let (declick, buses) = (self.declick, &self.buses);
        let sounding = self.playing.iter_mut().find(|it| it.tag == tag && it.is_sounding(buses));
        if let Some(voice) = sounding {
            let fade = fade.max(declick);
            if !voice.stopping || fade < voice.fade.left() {
                voice.stopping = true;
                voice.fade.head_for(0.0, fade);
            }
            voice.rank = voice.level(&self.clips[voice.clip], buses);
            return;
        }
        let before = self.playing.len() + self.parked.len() + self.waiting.len();
        self.playing.retain(|it| it.tag != tag);
        self.parked.retain(|it| it.tag != tag);
        self.waiting.retain(|it| it.voice.tag != tag);
        if self.playing.len() + self.parked.len() + self.waiting.len() < before {
            self.end(tag, What::Stopped);
        }
    }

    pub fn obey(&mut self, tag: u64, change: Change) {
        let (buses, clips) = (self.buses.clone(), self.clips.clone());
        if let Change::Stop(fade) = change {
            return self.stop(tag, self.frames_of(fade));
        }
        if let Some(at) = self.playing.iter().position(|it| it.tag == tag) {
            if let Change::Seek(_) = change {
                self.leave_ghost(at);
            }
            let mut voice = self.playing[at].clone();
            self.alter(&mut voice, change);
            voice.rank = voice.level(&clips[voice.clip], &buses);
            self.playing[at] = voice;
        } else if let Some(at) = self.parked.iter().position(|it| it.tag == tag) {
            let mut voice = self.parked[at].clone();
            self.alter(&mut voice, change);
            voice.hush();
            self.parked[at] = voice;
        } else if let Some(at) = self.waiting.iter().position(|it| it.voice.tag == tag) {
            match change {
                Change::Pause => self.waiting[at].paused = true,
                Change::Resume => self.waiting[at].paused = false,
                Change::Seek(to) => {
                    let voice = &mut self.waiting[at].voice;
                    voice.position = frames(to, clips[voice.clip].rate) << 32;
                }
                _ => {
                    let mut voice = self.waiting[at].voice.clone();
                    self.alter(&mut voice, at_once(change));
                    self.waiting[at].voice = voice;
                }
            }
            return;
        }
        let past_the_end = |it: &Voice| it.tag == tag && it.is_over(&clips[it.clip]);
        if self.playing.iter().chain(&self.parked).any(past_the_end) {
            self.playing.retain(|it| it.tag != tag);
            self.parked.retain(|it| it.tag != tag);
            self.end(tag, What::Finished);
        }
    }

    /// What is not heard changes at once if it is asked to; the rest takes 5 ms at least.
    fn alter(&self, voice: &mut Voice, change: Change) {
        let clip = &self.clips[voice.clip];
        let sounding = voice.is_sounding(&self.buses);
        let soft = |over: Duration| match self.frames_of(over) {
            0 if !sounding => 0,
            over => over.max(self.declick),
        };
        match change {
            Change::Stop(_) => unreachable!("a stop has its own way"),
            Change::Pause if voice.hold.to > 0.0 => {
                voice.hold.head_for(0.0, soft(Duration::ZERO));
            }
            Change::Resume if voice.hold.to == 0.0 => voice.rise(self.declick),
            Change::Pause | Change::Resume => (),
            Change::Gain(to, over) => voice.gain.head_for(to, soft(over)),
            Change::Pan(to, over) => {
                voice.pan = voice.sides().map(Ramp::rest);
                for (side, to) in voice.pan.iter_mut().zip(pan_law(to)) {
                    side.head_for(to, soft(over));
                }
            }
            Change::Speed(to, over) => {
                voice.speed.head_for(self.ratio(to, clip), soft(over), self.declick);
                voice.stay_on_frames();
            }
            Change::Seek(to) => voice.seek(frames(to, clip.rate), self.declick),
        }
    }
}

fn at_once(change: Change) -> Change {
    match change {
        Change::Gain(to, _) => Change::Gain(to, Duration::ZERO),
        Change::Pan(to, _) => Change::Pan(to, Duration::ZERO),
        Change::Speed(to, _) => Change::Speed(to, Duration::ZERO),
        other => other,
    }
}
