//! The buses of the naive mixer: a tree, searched anew whenever it is asked.

use super::ramp::{Ramp, Speed};

/// A bus, the master among them.
#[derive(Clone, Debug)]
pub struct Bus {
    pub parent: usize,
    /// Where it is being taken, while its joint goes down.
    pub bound_for: Option<usize>,
    pub gain: Ramp,
    pub hold: Ramp,
    pub mute: Ramp,
    pub duck: Ramp,
    pub joint: Ramp,
    /// What is sent to rooms, as it was asked for.
    pub sends: [f32; 4],
    /// Its own speed as it was asked for, that of all on its way, and how its time gets there.
    pub speed: f32,
    pub ratio: f32,
    pub pace: Speed,
    /// Whether what plays through it is added up before it goes on.
    pub submix: bool,
}

impl Bus {
    pub fn open() -> Bus {
        let [gain, hold, mute, duck, joint] = [1.0; 5].map(Ramp::rest);
        Bus {
            parent: 0,
            bound_for: None,
            gain,
            hold,
            mute,
            duck,
            joint,
            sends: [0.0; 4],
            speed: 1.0,
            ratio: 1.0,
            pace: Speed::rest(1.0),
            submix: false,
        }
    }

    fn gains(&self) -> [&Ramp; 5] {
        [&self.gain, &self.hold, &self.mute, &self.duck, &self.joint]
    }

    /// What it is multiplied by as a whole: all but the pause, so that what rings rings out.
    pub fn fader(&self) -> f32 {
        [&self.gain, &self.mute, &self.duck, &self.joint].map(Ramp::now).iter().product()
    }

    pub fn step(&mut self) {
        let Bus { gain, hold, mute, duck, joint, .. } = self;
        [gain, hold, mute, duck, joint].into_iter().for_each(Ramp::step);
    }

    /// What it makes of a level. A rising ramp counts at its target, a falling one at its present value, a
    /// duck at its target; and what is sent is heard beside what is not.
    pub fn promise(&self) -> f64 {
        let gains = [&self.gain, &self.hold, &self.mute].map(|ramp| f64::from(ramp.promise()));
        let sent: f64 = self.sends.iter().map(|send| f64::from(*send).powi(2)).sum();
        gains.iter().product::<f64>() * f64::from(self.duck.to) * (1.0 + sent).sqrt()
    }
}

/// A bus, its parent, and so on to the master.
pub fn way(buses: &[Bus], bus: usize) -> Vec<usize> {
    let mut way = vec![bus];
    while let Some(&last) = way.last().filter(|last| **last != 0) {
        way.push(buses[last].parent);
    }
    way
}

pub fn is_below(buses: &[Bus], bus: usize, above: usize) -> bool {
    way(buses, bus).contains(&above)
}

/// Whether time stands still on a bus.
pub fn stands(buses: &[Bus], bus: usize) -> bool {
    way(buses, bus).into_iter().any(|bus| buses[bus].hold.is_silent())
}

/// The submix that what plays on a bus is added to, if there is one.
pub fn submix(buses: &[Bus], bus: usize) -> Option<usize> {
    way(buses, bus).into_iter().find(|bus| buses[*bus].submix)
}

/// What a voice is multiplied by until it is added up: everything before the submix, and all pauses. What
/// is shaped is multiplied by the pauses alone: the rest comes behind its filters.
pub fn gains_to_submix(buses: &[Bus], bus: usize, shaped: bool) -> Vec<&Ramp> {
    let mut gains = Vec::new();
    let mut before = !shaped;
    for bus in way(buses, bus) {
        before &= !buses[bus].submix;
        if before {
            gains.extend(buses[bus].gains());
        } else {
            gains.push(&buses[bus].hold);
        }
    }
    gains
}

/// The faders up to the submix, or all.
pub fn faders_to_submix(buses: &[Bus], bus: usize) -> f32 {
    let way = way(buses, bus).into_iter().take_while(|bus| !buses[*bus].submix);
    way.map(|bus| buses[bus].fader()).product()
}

/// All faders but the master's.
pub fn faders_to_rooms(buses: &[Bus], bus: usize) -> f32 {
    way(buses, bus).into_iter().filter(|bus| *bus != 0).map(|bus| buses[bus].fader()).product()
}
