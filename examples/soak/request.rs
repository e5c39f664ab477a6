//! Plays of every kind.

use voicepool::{Play, VoiceId};

use crate::draw::{self, pick};
use crate::scene::Scene;

impl Scene<'_> {
    /// Something to play, said in a random way.
    fn request(&mut self) -> Option<Play> {
        let after = self.voice();
        let clock = self.mixer.clock();
        let dice = &mut self.dice;
        let play = match dice.below(12) {
            0 | 1 if !self.cues.is_empty() => Play::of(&self.cues[dice.below(self.cues.len())]),
            2 if !self.streams.is_empty() => {
                Play::of(&self.streams[dice.below(self.streams.len())])
                    .priority(draw::priority(dice))
            }
            _ if self.sounds.is_empty() => return None,
            _ => {
                Play::of(&self.sounds[dice.below(self.sounds.len())]).priority(draw::priority(dice))
            }
        };
        let mut play = play.gain(draw::gain(dice)).tag(dice.below(9) as u64);
        if !dice.one_in(3) {
            play = play.bus(draw::bus(dice));
        }
        if dice.one_in(2) {
            play = play.pan(draw::pan(dice)).speed(draw::speed(dice));
        }
        match dice.below(8) {
            0 => play = play.looping(),
            1 => play = play.loop_range(draw::position(dice)..draw::position(dice)),
            _ => (),
        }
        match dice.below(10) {
            0 => play = play.start_at((clock + dice.below(40_000) as u64).saturating_sub(200)),
            1 => play = play.delay(draw::time(dice)),
            2 => play = play.after(after),
            // A frame that never comes: only a stop ends it.
            3 if dice.one_in(20) => play = play.start_at(u64::MAX),
            _ => (),
        }
        if dice.one_in(4) {
            play = play.from_position(draw::position(dice)).fade_in(draw::time(dice));
        }
        if dice.one_in(4) {
            play = play.when_stolen(draw::when_stolen(dice));
        }
        if dice.one_in(6) {
            play = play.low_pass(draw::hertz(dice));
        }
        if dice.one_in(6) {
            play = play.send(draw::room(dice), draw::gain(dice));
        }
        if dice.one_in(3) {
            play = play.at(draw::point(dice)).attenuation(draw::attenuation(dice));
            play = play.occlusion(pick(dice, &[0.0, 0.25, 1.0]));
        }
        Some(play)
    }

    /// Asks for one, or for several at once.
    pub fn play(&mut self) {
        let Some(play) = self.request() else { return };
        match self.dice.below(14) {
            0 => {
                let Some(other) = self.request() else { return };
                let both = self.mixer.play_together([play, other]);
                self.asked(2, both.as_ref().map_or(&[], |both| &both[..]));
            }
            1 => {
                let (from, over) = (self.target(), draw::time(&mut self.dice));
                let voice = self.mixer.crossfade(from, play, over);
                self.asked(1, voice.as_slice());
            }
            2 => {
                let held = self.mixer.hold(play, draw::time(&mut self.dice));
                self.asked(1, held.id().as_slice());
                self.held.push(held);
            }
            3 => {
                // A burst of one, as games make them.
                for _ in 0..self.dice.below(40) {
                    let voice = self.mixer.play(&play);
                    self.asked(1, voice.as_slice());
                }
            }
            _ => {
                let voice = self.mixer.play(play);
                self.asked(1, voice.as_slice());
            }
        }
    }

    fn asked(&mut self, plays: u64, voices: &[VoiceId]) {
        self.books.asked(plays, voices);
        self.voices.extend(voices);
        self.forget_old_voices();
    }
}
