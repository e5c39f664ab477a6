//! The controls of the naive mixer.

use std::time::Duration;

use super::naive::{Change, What, frames};
use super::stage::{Stage, pan_law};
use super::voice::{Ramp, Voice};

impl Stage {
    /// What nobody hears changes at once.
    pub fn obey_bus(&mut self, bus: usize, change: Change) {
        let (moving, begun) = (self.moving[bus], self.begun[bus]);
        let soft = |heard: bool| if heard { self.declick } else { 0 };
        let over_frames = |over| frames(over, self.config.sample_rate);
        let bus = &mut self.buses[bus];
        match change {
            Change::Gain(to, over) if over_frames(over) == 0 => {
                bus.gain.head_for(to, soft(moving));
            }
            Change::Gain(to, over) => {
                bus.gain.head_for(to, over_frames(over).max(self.declick));
            }
            Change::Pause if bus.hold.to > 0.0 => bus.hold.head_for(0.0, soft(moving)),
            Change::Resume if bus.hold.to == 0.0 => bus.hold.head_for(1.0, soft(begun)),
            Change::Pause | Change::Resume => (),
            _ => unreachable!("a script says no such thing to a bus"),
        }
    }

    /// On the beginning of a line: through which buses something moves, and through which it
    /// would if they let it.
    pub fn look_at_the_buses(&mut self) {
        for bus in 0..self.buses.len() {
            let heard = self.playing.iter().filter(|it| it.heard && (bus == 0 || it.bus == bus));
            self.moving[bus] = heard.clone().any(|it| !it.is_held(&self.buses));
            self.begun[bus] = heard.clone().any(|it| !it.hold.is_silent());
        }
    }

    /// Everything stops, what is stopping already no later than this.
    pub fn stop_everything(&mut self, fade: u64) {
        self.tags_on(0, |_| true).into_iter().for_each(|tag| self.stop(tag, fade));
    }

    /// All on a bus that is not stopping stops. The rest is hurried when the line is through.
    pub fn stop_bus(&mut self, bus: usize, fade: u64) {
        self.tags_on(bus, |it| !it.stopping).into_iter().for_each(|tag| self.stop(tag, fade));
        self.hurried.push((bus, fade));
    }

    pub fn hurry(&mut self) {
        for (bus, fade) in std::mem::take(&mut self.hurried) {
            self.tags_on(bus, |it| it.stopping).into_iter().for_each(|tag| self.stop(tag, fade));
        }
    }

    fn tags_on(&self, bus: usize, which: impl Fn(&Voice) -> bool) -> Vec<u64> {
        let waiting = self.waiting.iter().map(|waiting| &waiting.voice);
        let all = self.playing.iter().chain(&self.parked).chain(waiting);
        let on_it = all.filter(|it| (bus == 0 || it.bus == bus) && which(it));
        on_it.map(|it| it.tag).collect()
    }

    pub fn stop(&mut self, tag: u64, fade: u64) {
        let (declick, buses) = (self.declick, &self.buses);
        let sounding = |it: &Voice| it.tag == tag && it.is_sounding(buses);
        if let Some(at) = self.playing.iter().position(sounding) {
            let (voice, fade) = (&mut self.playing[at], fade.max(declick));
            if !voice.stopping || fade < voice.fade.left() {
                voice.stopping = true;
                voice.fade.head_for(0.0, fade);
            }
            return self.rank(at);
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
        let clips = self.clips.clone();
        if let Change::Stop(fade) = change {
            return self.stop(tag, self.frames_of(fade));
        }
        if let Some(at) = self.playing.iter().position(|it| it.tag == tag) {
            if let Change::Seek(_) = change {
                self.leave_ghost(at);
            }
            let mut voice = self.playing[at].clone();
            self.alter(&mut voice, change);
            self.playing[at] = voice;
            self.rank(at);
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
