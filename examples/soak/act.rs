//! Everything else that a game can say.

use voicepool::{BusId, Config, Mix, Mixer, Play, Tag, Target};

use crate::draw::{self, pick};
use crate::scene::Scene;
use crate::watch::{Books, Broken};
use crate::{effects, media};

impl Scene<'_> {
    /// Says something that is no play.
    pub fn act(&mut self) -> Result<(), Broken> {
        let target = self.target();
        let voice = self.voice();
        let (dice, mixer) = (&mut self.dice, &self.mixer);
        let over = draw::time(dice);
        match dice.below(48) {
            0..4 => mixer.stop(target, over),
            4 => mixer.pause(target, over),
            5 | 6 => mixer.resume(target, over),
            7 => mixer.set_mute(target, dice.one_in(2)),
            8 | 9 => mixer.set_gain(target, draw::gain(dice), over),
            10 => mixer.set_speed(target, draw::speed(dice), over),
            11 => mixer.set_pan(target, draw::pan(dice), over),
            12 => mixer.set_low_pass(target, draw::hertz(dice), over),
            13 => mixer.set_high_pass(target, draw::hertz(dice), over),
            14 => mixer.set_send(target, draw::room(dice), draw::gain(dice), over),
            15 | 16 => mixer.seek(voice, draw::position(dice)),
            17 => mixer.end_loop(target),
            18 | 19 => mixer.set_position(target, draw::point(dice)),
            20 => mixer.teleport(target, draw::point(dice)),
            21 => {
                let voices = self.voices.iter().map(|voice| (*voice, draw::point(dice)));
                mixer.set_positions(voices);
            }
            22 => mixer.set_occlusion(target, pick(dice, &[0.0, 0.5, 1.0, f32::NAN]), over),
            23 => {
                let voices = self.voices.iter().map(|voice| (*voice, pick(dice, &[0.0, 0.75])));
                mixer.set_occlusions(voices, over);
            }
            24 | 25 => mixer.set_listener(draw::listener(dice)),
            26 => mixer.teleport_listener(draw::listener(dice)),
            27 => mixer.set_when_full(draw::when_full(dice)),
            28 => mixer.reset_peaks(),
            29 if self.has_rooms => mixer.set_reverb(draw::room(dice), draw::reverb(dice), over),
            30 => self.mixes.push(mixer.mix()),
            31 if !self.mixes.is_empty() => {
                let mix = self.mixes.swap_remove(dice.below(self.mixes.len()));
                mixer.set_mix(&mix, over);
            }
            // So that nothing stays paused, muted or slow for ever.
            32 => mixer.set_mix(&Mix::DEFAULT, over),
            33 | 34 => self.set_something(),
            35 | 36 => self.exchange_media(),
            37 => drop((!self.held.is_empty()).then(|| self.held.swap_remove(0))),
            38 if dice.one_in(8) => mixer.stop_all(over),
            39 => self.hash_voices(),
            40 if dice.one_in(4) => self.visit_another_mixer()?,
            // No id names nobody.
            41 => mixer.stop(None, over),
            _ => mixer.set_gain(BusId::MASTER, 1.0, over),
        }
        Ok(())
    }

    /// A play, a bus, a tag or nobody.
    pub fn target(&mut self) -> Target {
        match self.dice.below(8) {
            0 => draw::bus(&mut self.dice).into(),
            1 => Tag(self.dice.below(9) as u64).into(),
            _ => self.voice().into(),
        }
    }

    /// What may be turned down, by a value: whether it was is part of the hash.
    fn set_something(&mut self) {
        let (dice, mixer) = (&mut self.dice, &self.mixer);
        let bus = draw::bus(dice);
        let result = match dice.below(4) {
            0 => mixer.set_bus(bus, draw::bus_settings(dice)),
            1 => {
                let duck = (!dice.one_in(3)).then(|| draw::duck(dice));
                mixer.set_duck(bus, draw::bus(dice), duck)
            }
            2 => mixer.set_effect(bus, (!dice.one_in(3)).then(|| effects::effect(dice))),
            _ => mixer.resize(dice.below(self.max_voices + 3)),
        };
        self.watch.hash.add(&[u8::from(result.is_ok())]);
    }

    /// Loads something, and lets go of something that may be playing.
    pub fn exchange_media(&mut self) {
        const MOST: usize = 8;
        let dice = &mut self.dice;
        match dice.below(8) {
            0 if self.uses_streams => {
                self.streams.extend(media::stream(dice));
                trim(&mut self.streams, MOST / 2);
            }
            1 | 2 => {
                self.cues.extend(media::cue(dice, &self.sounds));
                trim(&mut self.cues, MOST);
            }
            _ => {
                let loaded = media::sound(dice, &self.mixer);
                let frames = loaded.as_ref().map_or(0, |sound| sound.frame_count());
                self.watch.hash.add_number(frames as u64);
                self.sounds.extend(loaded);
                trim(&mut self.sounds, MOST);
            }
        }
    }

    /// What the mixer says of its voices, which is as exact as what it plays.
    fn hash_voices(&mut self) {
        for info in self.mixer.voices() {
            self.watch.hash.add_number(info.position.as_nanos() as u64);
            self.watch.hash.add_number(u64::from(info.level.to_bits()));
            self.watch.hash.add_number(info.slot.map_or(0, |slot| 1 + slot as u64));
        }
        if let Some((position, frame)) = self.mixer.position(self.voices.last().copied()) {
            self.watch.hash.add_number(position.as_nanos() as u64);
            self.watch.hash.add_number(frame);
        }
    }

    /// Opens a mixer beside this one, plays the same sounds in it, and closes it. Its plays are strangers here.
    fn visit_another_mixer(&mut self) -> Result<(), Broken> {
        let config =
            Config { voices: 2, max_voices: 2, commands: 8, ..draw::config(&mut self.dice) };
        let Ok((mixer, mut renderer)) = Mixer::offline(config.clone()) else {
            return Err(self.watch.broken(format!("a mixer cannot be opened: {config:?}")));
        };
        let mut books = Books::new(&config);
        for sound in &self.sounds {
            let after = self.voices.last().copied().filter(|_| self.dice.one_in(4));
            let play = Play::of(sound).gain(draw::gain(&mut self.dice));
            let voice = mixer.play(if after.is_some() { play.after(after) } else { play });
            books.asked(1, voice.as_slice());
            self.voices.extend(voice);
            let frames = renderer.frames(draw::buffer(&mut self.dice).min(2_000));
            books.frames += frames.len() as u64;
            self.watch.hear(&frames)?;
            self.watch.look(&mixer, &mut books, true)?;
        }
        self.forget_old_voices();
        self.watch.close(&mixer.stats());
        if self.dice.one_in(2) {
            drop((mixer, renderer))
        } else {
            drop((renderer, mixer))
        }
        Ok(())
    }
}

fn trim<T>(list: &mut Vec<T>, most: usize) {
    if list.len() > most {
        list.remove(0);
    }
}
