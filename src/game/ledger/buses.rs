//! What was set on the buses.

use super::tree::{Settings, Tree};
use crate::bus::{Bus, BusId, BusState, Mix};
use crate::link::message::{BusPlace, Change, Command, PlainCommand};
use crate::reverb::RoomId;

/// The states of all buses, as they were last set.
pub(super) struct Buses {
    /// The settings in these are the tree's.
    states: [BusState; BusId::COUNT],
    tree: Tree,
    /// Those whose settings wait to be sent, a bit each.
    unplaced: u32,
}

/// The settings of a bus in the audio side's terms.
pub(super) fn place_of(Bus { parent, max_voices, reserved, when_full }: Bus) -> BusPlace {
    let short = |voices| u32::try_from(voices).unwrap_or(u32::MAX);
    let max_voices = max_voices.map_or(u32::MAX, short);
    BusPlace { parent, max_voices, reserved: short(reserved), when_full }
}

impl Buses {
    pub fn new() -> Buses {
        let settings = [Bus::DEFAULT; BusId::COUNT];
        let tree = Tree::new(settings).expect("all of them lead to the master");
        Buses { states: [BusState::DEFAULT; BusId::COUNT], tree, unplaced: 0 }
    }

    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    pub fn state(&self, bus: BusId) -> BusState {
        BusState { settings: self.tree.get(bus), ..self.states[bus.index()] }
    }

    pub fn mix(&self) -> Mix {
        Mix::from_states(std::array::from_fn(|n| self.state(BusId::new(n as u8))))
    }

    /// The settings of all buses with another for one of them.
    pub fn settings_with(&self, bus: BusId, settings: Bus) -> Settings {
        let mut all = *self.tree.settings();
        all[bus.index()] = settings;
        all
    }

    /// Takes up the settings of another tree. How many buses have others by that, and wait for these to be
    /// sent, beside those that did already.
    pub fn plant(&mut self, tree: Tree) -> u32 {
        let before = self.unplaced;
        for bus in BusId::all() {
            if tree.get(bus) != self.tree.get(bus) {
                self.unplaced |= 1 << bus.index();
            }
        }
        self.tree = tree;
        self.unplaced.count_ones() - before.count_ones()
    }

    /// Takes up the settings of another tree, which somebody else sends.
    pub fn replant(&mut self, tree: Tree) {
        self.tree = tree;
    }

    /// Takes out the next bus whose settings wait to be sent: one that leads through no other of them. So
    /// there is no circle after any of them, whatever the tree was before.
    pub fn next_place(&mut self) -> Option<PlainCommand> {
        let waits = |bus: &BusId| self.unplaced >> bus.index() & 1 == 1;
        let is_next = |bus: &BusId| waits(bus) && !self.tree.up(*bus).skip(1).any(|it| waits(&it));
        let bus = BusId::all().find(is_next)?;
        self.unplaced &= !(1 << bus.index());
        Some(Command::Place { bus, place: place_of(self.tree.get(bus)) })
    }

    /// Notes what was said to a bus.
    pub fn note(&mut self, bus: BusId, change: Change) {
        let state = &mut self.states[bus.index()];
        match change {
            Change::Pause { .. } => state.paused = true,
            Change::Resume { .. } => state.paused = false,
            Change::Mute(mute) => state.muted = mute,
            Change::Gain { to, .. } => state.gain = to,
            Change::Speed { to, .. } => state.speed = to,
            Change::LowPass { to, .. } => state.low_pass = to,
            Change::HighPass { to, .. } => state.high_pass = to,
            Change::Send { room, to, .. } => state.sends[room.index()] = to,
            Change::Stop { .. } | Change::Pan { .. } | Change::Seek { .. } | Change::EndLoop => (),
        }
    }

    /// All that must be said to a bus to bring it to a state, its settings aside.
    pub fn changes_to(&self, bus: BusId, to: &BusState, over: u32) -> Vec<Change> {
        let now = &self.states[bus.index()];
        let mut changes = Vec::new();
        let mut add = |differs: bool, change: Change| {
            if differs {
                changes.push(change);
            }
        };
        let pause = match to.paused {
            true => Change::Pause { fade: over },
            false => Change::Resume { fade: over },
        };
        add(now.gain != to.gain, Change::Gain { to: to.gain, over });
        add(now.muted != to.muted, Change::Mute(to.muted));
        add(now.paused != to.paused, pause);
        add(now.speed != to.speed, Change::Speed { to: to.speed, over });
        add(now.low_pass != to.low_pass, Change::LowPass { to: to.low_pass, over });
        add(now.high_pass != to.high_pass, Change::HighPass { to: to.high_pass, over });
        for ((room, now), to) in RoomId::all().zip(now.sends).zip(to.sends) {
            add(now != to, Change::Send { room, to, over });
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever was said in which order: on its way from one tree to another the audio side never has a
    /// circle.
    #[test]
    fn places_are_sent_so_that_there_is_never_a_circle() {
        let line = |order: &[u8]| {
            let mut settings = [Bus::DEFAULT; BusId::COUNT];
            for pair in order.windows(2) {
                settings[usize::from(pair[1])].parent = BusId::new(pair[0]);
            }
            settings
        };
        let orders: [&[u8]; 4] = [&[0, 3, 2, 1], &[0, 1, 2, 3], &[0, 2, 1, 3], &[0, 3, 1]];
        let mut buses = Buses::new();
        let mut there = [Bus::DEFAULT; BusId::COUNT];
        for order in orders {
            let count = buses.plant(Tree::new(line(order)).expect("a line"));
            for _ in 0..count {
                let Some(Command::Place { bus, place }) = buses.next_place() else {
                    panic!("as many as it said");
                };
                there[bus.index()].parent = place.parent;
                assert!(Tree::new(there).is_some(), "after bus {bus:?} for {order:?}");
            }
            assert!(buses.next_place().is_none());
            assert_eq!(there, line(order));
        }
    }
}
