//! The whole mix: what was set on all buses.

use super::{BusId, BusState};

/// The states of all buses, as [`Mixer::mix`](crate::Mixer::mix) takes them and
/// [`Mixer::set_mix`](crate::Mixer::set_mix) brings them back: for a pause menu, a cut-scene, a scene that
/// was mixed beforehand, a save game.
///
/// The states are plain data. What a game keeps of them, and in which format, is its own affair:
///
/// ```
/// use voicepool::{BusId, BusState, Mix};
///
/// # let mut mix = Mix::default();
/// # mix.set_bus_state(BusId::new(3), BusState { gain: 0.5, ..BusState::DEFAULT });
/// let saved: Vec<BusState> = mix.states().to_vec();
/// // …
/// let mut loaded = Mix::default();
/// for (number, state) in saved.into_iter().enumerate() {
///     loaded.set_bus_state(BusId::new(number as u8), state);
/// }
/// assert_eq!(loaded, mix);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a mix is not heard before a mixer is given it"]
pub struct Mix {
    states: [BusState; BusId::COUNT],
}

impl Mix {
    /// What a mixer begins with: every bus [as it is at first](BusState::DEFAULT).
    pub const DEFAULT: Mix = Mix { states: [BusState::DEFAULT; BusId::COUNT] };

    /// A mix of these states, by the numbers of the buses. What is beyond its limits is brought to the
    /// nearest of them.
    pub fn from_states(states: [BusState; BusId::COUNT]) -> Mix {
        let mut mix = Mix { states };
        BusId::all().zip(states).for_each(|(bus, state)| mix.set_bus_state(bus, state));
        mix
    }

    /// The states of all buses, by their numbers.
    #[must_use]
    pub fn states(&self) -> &[BusState; BusId::COUNT] {
        &self.states
    }

    /// The state of a bus.
    #[must_use]
    pub fn bus(&self, bus: BusId) -> &BusState {
        &self.states[bus.index()]
    }

    /// Puts another state in the place of that of a bus. What is beyond its limits is brought to the
    /// nearest of them.
    pub fn set_bus_state(&mut self, bus: BusId, state: BusState) {
        self.states[bus.index()] = state.sanitized(bus);
    }
}

impl Default for Mix {
    /// [`Mix::DEFAULT`].
    fn default() -> Mix {
        Mix::DEFAULT
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::Bus;

    #[test]
    fn absurd_states_are_brought_within_their_limits() {
        let absurd = BusState {
            settings: Bus { parent: BusId::new(5), ..Bus::DEFAULT },
            gain: f32::NAN,
            speed: f32::INFINITY,
            low_pass: f32::NAN,
            high_pass: -3.0,
            sends: [f32::NAN, 0.5, 1e9, 1e-30],
            ..BusState::DEFAULT
        };
        let tame = BusState {
            gain: 0.0,
            speed: 100.0,
            low_pass: 20_000.0,
            high_pass: 20.0,
            sends: [0.0, 0.5, 1000.0, 0.0],
            ..absurd
        };
        let mix = Mix::from_states([absurd; BusId::COUNT]);
        assert_eq!(*mix.bus(BusId::new(31)), tame);
        // The master leads nowhere, and sends nothing.
        let master = BusState { settings: Bus::DEFAULT, sends: [0.0; 4], ..tame };
        assert_eq!(*mix.bus(BusId::MASTER), master);
        assert_eq!(mix, mix.clone());
    }
}
