//! FLAC, decoded as a whole: 8, 16 and 24 bits, at other rates than the mixer's, with loop points.

use super::dice::Dice;
use super::library::{self, as_it_is, load};
use super::{Act, Bill};
use voicepool::{Config, Interpolation, Mixer, Play, Sound, Tag, WhenFull, ms};

pub const BILL: Bill = Bill {
    name: "codecs",
    ticks: 100,
    config: Config {
        voices: 8,
        when_full: WhenFull::StealQuietest,
        interpolation: Interpolation::Linear,
        ..Config::DEFAULT
    },
    open: |mixer| Box::new(Codecs::new(mixer)),
};

struct Codecs {
    sounds: Vec<Sound>,
}

impl Codecs {
    fn new(mixer: &Mixer) -> Codecs {
        let files = [
            library::FLAC_22_MONO_8,
            library::FLAC_44_STEREO_16,
            library::FLAC_48_STEREO_24,
            library::FLAC_LOOP_POINTS,
        ];
        let mut sounds: Vec<Sound> = files.iter().map(|file| load(mixer, *file)).collect();
        sounds.extend(files.map(as_it_is));
        Codecs { sounds }
    }
}

impl Act for Codecs {
    fn tick(&mut self, tick: u32, mixer: &Mixer, dice: &mut Dice) {
        if dice.once_in(2) {
            let play = Play::of(dice.pick(&self.sounds))
                .gain(dice.between(0.1, 0.7))
                .pan(dice.between(-1.0, 1.0))
                .tag(dice.below(3));
            mixer.play(match dice.below(4) {
                0 => play.looping(),
                1 => play.speed(dice.between(0.5, 1.5)),
                2 => play.from_position(ms(dice.below(200))),
                _ => play,
            });
        }
        if tick.is_multiple_of(9) {
            mixer.stop(Tag(dice.below(3)), dice.over());
        }
    }
}
