//! What the game side of the naive mixer remembers of the buses.

use voicepool::{Duck, Effect, Reverb};

use super::script::BUSES;
use super::stage::{Order, Stage};
use super::submix::ROOMS;

type Fx = Option<Box<dyn Effect>>;

/// What was asked for, and what of it waits.
pub struct Wishes {
    parents: Vec<usize>,
    ducks: Vec<(usize, usize, Duck)>,
    effects: Vec<Wish<Fx>>,
    rooms: Vec<Wish<(Reverb, u64)>>,
}

/// One change at a time is under way; the latest of the others waits.
struct Wish<T> {
    is_there: bool,
    is_under_way: bool,
    waits: Option<T>,
}

fn none<T>() -> Wish<T> {
    Wish { is_there: false, is_under_way: false, waits: None }
}

impl Wishes {
    pub fn new() -> Wishes {
        Wishes {
            parents: vec![0; BUSES.len()],
            ducks: Vec::new(),
            effects: BUSES.iter().map(|_| none()).collect(),
            rooms: (0..ROOMS).map(|_| none()).collect(),
        }
    }

    /// Whether that is anything new; a circle is an error.
    pub fn set_parent(&mut self, bus: usize, parent: usize) -> Result<bool, ()> {
        if bus == 0 {
            return Ok(false);
        }
        let mut parents = self.parents.clone();
        parents[bus] = parent;
        let pairs: Vec<_> = self.ducks.iter().map(|(bus, by, _)| (*bus, *by)).collect();
        if way(&parents, bus).is_none() || is_circular(&parents, &pairs) {
            return Err(());
        }
        let is_new = self.parents != parents;
        self.parents = parents;
        Ok(is_new)
    }

    /// The same of a duck.
    pub fn set_duck(&mut self, bus: usize, by: usize, duck: Option<Duck>) -> Result<bool, ()> {
        let known = self.ducks.iter().position(|it| (it.0, it.1) == (bus, by));
        match (known, duck) {
            (Some(at), Some(duck)) => {
                let before = std::mem::replace(&mut self.ducks[at].2, duck);
                Ok(before != duck)
            }
            (Some(at), None) => {
                self.ducks.remove(at);
                Ok(true)
            }
            (None, None) => Ok(false),
            (None, Some(duck)) => {
                let pairs = self.ducks.iter().map(|(bus, by, _)| (*bus, *by));
                let pairs: Vec<_> = pairs.chain([(bus, by)]).collect();
                if is_circular(&self.parents, &pairs) {
                    return Err(());
                }
                self.ducks.push((bus, by, duck));
                Ok(true)
            }
        }
    }

    pub fn effect(&mut self, bus: usize, effect: Fx) {
        let wish = &mut self.effects[bus];
        // Where there is none, none is taken away.
        wish.waits = (effect.is_some() || wish.is_there).then_some(effect);
    }

    pub fn room(&mut self, room: usize, reverb: Reverb, over: u64) {
        self.rooms[room].waits = Some((reverb, over));
    }

    /// Sees what has taken its place.
    pub fn collect(&mut self, stage: &mut Stage) {
        for bus in std::mem::take(&mut stage.effects_changed) {
            self.effects[bus].is_under_way = false;
        }
        for room in std::mem::take(&mut stage.rooms_changed) {
            self.rooms[room].is_under_way = false;
        }
    }

    /// Sends what need not wait any longer.
    pub fn send(&mut self, queue: &mut Vec<Order>) {
        for (room, wish) in self.rooms.iter_mut().enumerate().filter(|(_, it)| !it.is_under_way) {
            if let Some((reverb, over)) = wish.waits.take() {
                (wish.is_under_way, wish.is_there) = (wish.is_there, true);
                queue.push(Order::Room(room, reverb, over));
            }
        }
        for (bus, wish) in self.effects.iter_mut().enumerate().filter(|(_, it)| !it.is_under_way) {
            if let Some(effect) = wish.waits.take() {
                (wish.is_under_way, wish.is_there) = (true, effect.is_some());
                queue.push(Order::Effect(bus, effect));
            }
        }
    }
}

/// The way to the master, if it is one.
fn way(parents: &[usize], bus: usize) -> Option<Vec<usize>> {
    let mut way = vec![bus];
    while way[way.len() - 1] != 0 {
        way.push(parents[way[way.len() - 1]]);
        if way.len() > parents.len() {
            return None;
        }
    }
    Some(way)
}

/// Whether a duck acts, by way of itself and others, on what it listens to. It acts on its bus and all below
/// it, and listens to the other and all below that.
fn is_circular(parents: &[usize], ducks: &[(usize, usize)]) -> bool {
    let is_below = |bus, above| way(parents, bus).is_some_and(|way| way.contains(&above));
    let acts_on = |from: usize, to: usize| {
        (0..parents.len()).any(|bus| is_below(bus, ducks[from].0) && is_below(bus, ducks[to].1))
    };
    let all = 0..ducks.len();
    let mut reached: Vec<Vec<bool>> =
        all.clone().map(|from| all.clone().map(|to| acts_on(from, to)).collect()).collect();
    for _ in all.clone() {
        for from in all.clone() {
            for to in all.clone() {
                reached[from][to] |= all.clone().any(|by| reached[from][by] && reached[by][to]);
            }
        }
    }
    all.into_iter().any(|duck| reached[duck][duck])
}
