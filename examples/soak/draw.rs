//! What a game might say, drawn by the dice. Every number is exact in binary, or made of such by operations that
//! every processor rounds alike, so that a seed says the same on every platform.

use std::time::Duration;

use voicepool::{
    Attenuation, Bus, BusId, Config, Distance, Duck, Interpolation, Listener, Point, Priority,
    Reverb, RoomId, WhenFull, WhenStolen, ms,
};

use crate::dice::Dice;

/// Values that no game means, and some game says.
const ABSURD: [f32; 6] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 1e30, 1e-39];

pub fn pick<T: Copy>(dice: &mut Dice, of: &[T]) -> T {
    of[dice.below(of.len())]
}

/// One of the usual values, seldom an absurd one.
fn number(dice: &mut Dice, usual: &[f32]) -> f32 {
    if dice.one_in(40) { pick(dice, &ABSURD) } else { pick(dice, usual) }
}

pub fn gain(dice: &mut Dice) -> f32 {
    number(dice, &[0.0, 0.0625, 0.125, 0.25, 0.25, 0.5, 0.5, 1.0, 1.0, 2.0, 8.0])
}

pub fn speed(dice: &mut Dice) -> f32 {
    number(dice, &[0.125, 0.5, 0.75, 0.9375, 1.0, 1.0, 1.0, 1.0625, 1.25, 1.5, 2.0, 16.0])
}

pub fn pan(dice: &mut Dice) -> f32 {
    if dice.one_in(40) { pick(dice, &ABSURD) } else { dice.between(-1.0, 1.0) }
}

pub fn hertz(dice: &mut Dice) -> f32 {
    number(dice, &[15.0, 60.0, 250.0, 800.0, 2_000.0, 6_000.0, 12_000.0, 20_000.0, 20_000.0])
}

/// How long a change takes: mostly not long.
pub fn time(dice: &mut Dice) -> Duration {
    ms(pick(dice, &[0, 0, 1, 5, 20, 100, 500, 3_000]))
}

/// A place in a sound, or behind its end.
pub fn position(dice: &mut Dice) -> Duration {
    ms(dice.below(1_500) as u64)
}

pub fn point(dice: &mut Dice) -> Point {
    let far = pick(dice, &[4.0, 40.0, 200.0]);
    let mut axis = || if dice.one_in(60) { pick(dice, &ABSURD) } else { dice.between(-far, far) };
    [axis(), axis(), axis()].into()
}

pub fn listener(dice: &mut Dice) -> Listener {
    Listener { position: point(dice), forward: point(dice), up: point(dice) }
}

pub fn attenuation(dice: &mut Dice) -> Attenuation {
    let models = [Distance::Inverse, Distance::Linear, Distance::Exponential, Distance::None];
    Attenuation {
        model: pick(dice, &models),
        near: pick(dice, &[0.5, 1.0, 8.0]),
        far: pick(dice, &[10.0, 60.0, 1_000.0]),
        rolloff: pick(dice, &[0.5, 1.0, 2.0]),
        doppler: pick(dice, &[0.0, 0.0, 1.0, 4.0]),
        ..Attenuation::DEFAULT
    }
}

/// Any bus; the master seldom, since all hangs on it.
pub fn bus(dice: &mut Dice) -> BusId {
    if dice.one_in(30) { BusId::MASTER } else { BusId::new(1 + dice.below(7) as u8) }
}

pub fn room(dice: &mut Dice) -> RoomId {
    RoomId::new(dice.below(RoomId::COUNT) as u8)
}

pub fn priority(dice: &mut Dice) -> Priority {
    let of = [Priority::Low, Priority::Normal, Priority::Normal, Priority::High];
    if dice.one_in(25) { Priority::Protected } else { pick(dice, &of) }
}

pub fn when_full(dice: &mut Dice) -> WhenFull {
    pick(dice, &[WhenFull::StealQuietest, WhenFull::StealOldest, WhenFull::Refuse, WhenFull::Grow])
}

pub fn when_stolen(dice: &mut Dice) -> WhenStolen {
    pick(dice, &[WhenStolen::End, WhenStolen::Park])
}

pub fn bus_settings(dice: &mut Dice) -> Bus {
    Bus {
        parent: BusId::new(dice.below(8) as u8),
        max_voices: (!dice.one_in(2)).then(|| 1 + dice.below(8)),
        reserved: if dice.one_in(3) { dice.below(4) } else { 0 },
        when_full: dice.one_in(2).then(|| when_full(dice)),
    }
}

pub fn duck(dice: &mut Dice) -> Duck {
    let gain = pick(dice, &[0.0, 0.25, 0.5, 1.0]);
    Duck { gain, attack: time(dice), hold: time(dice), release: time(dice) }
}

pub fn reverb(dice: &mut Dice) -> Reverb {
    Reverb {
        decay: ms(pick(dice, &[60, 300, 1_200, 4_000])),
        size: pick(dice, &[0.0, 0.25, 0.5, 1.0]),
        damping: pick(dice, &[0.0, 0.5, 0.875]),
        pre_delay: ms(pick(dice, &[0, 10, 80])),
    }
}

/// The sizes of a mixer: small ones, since they are full sooner.
pub fn config(dice: &mut Dice) -> Config {
    let voices = pick(dice, &[1, 2, 4, 8, 16, 24, 32]);
    Config {
        voices,
        max_voices: voices + pick(dice, &[0, 1, 8, 24]),
        parked: pick(dice, &[1, 4, 16, 64]),
        scheduled: pick(dice, &[1, 4, 16, 64]),
        commands: pick(dice, &[8, 32, 128, 1_024]),
        streams: pick(dice, &[1, 2, 4]),
        cues: pick(dice, &[1, 2, 16]),
        sample_rate: pick(dice, &[8_000, 8_000, 11_025, 22_050, 44_100, 48_000]),
        when_full: when_full(dice),
        interpolation: pick(
            dice,
            &[
                Interpolation::Linear,
                Interpolation::Cubic,
                Interpolation::Cubic,
                Interpolation::Sinc,
            ],
        ),
        seed: dice.below(1_000) as u64,
        ..Config::DEFAULT
    }
}

/// How many frames are asked for at a time: nothing, one, what drivers ask for, and long stretches.
pub fn buffer(dice: &mut Dice) -> usize {
    let most = pick(dice, &[1, 2, 64, 129, 512, 1_024, 4_096, 4_096, 16_384, 65_536]);
    // Now and then nobody is at the keys for a while.
    let most = if dice.one_in(60) { 400_000 } else { most };
    dice.below(most)
}
