//! What the game side of the naive mixer has said of places and not sent yet: the latest counts.

use voicepool::Point;

use super::space::Move;
use super::spot::Ears;
use super::stage::{Order, Stage};

/// How many messages about places may be under way at once, and how many of them may be blocks.
const PLACES: usize = 128;
const BLOCKS: usize = 4;

/// So many plays are told one by one, and more of them in a block.
const FEW: usize = 2;

/// No block holds more.
const MOST: usize = 512;

pub struct Moves {
    listener: Option<(Ears, bool)>,
    line: Vec<Latest>,
    blocks: usize,
}

/// What was last said to a play.
struct Latest {
    number: u64,
    position: Option<(Point, bool)>,
    occlusion: Option<(f32, u64)>,
}

impl Moves {
    pub fn new() -> Moves {
        Moves { listener: None, line: Vec::new(), blocks: BLOCKS }
    }

    /// A jump stays one, wherever it goes on to from there.
    pub fn keep_listener(&mut self, ears: Ears, jump: bool) {
        let jumped = self.listener.is_some_and(|(_, jumped)| jumped);
        self.listener = Some((ears, jump || jumped));
    }

    pub fn keep(&mut self, number: u64, to: Move) {
        if !self.line.iter().any(|it| it.number == number) {
            self.line.push(Latest { number, position: None, occlusion: None });
        }
        let latest = self.line.iter_mut().find(|it| it.number == number).expect("it is there");
        match to {
            Move::To { position, jump } => {
                let jumped = latest.position.is_some_and(|(_, jumped)| jumped);
                latest.position = Some((position, jump || jumped));
            }
            Move::Occlude { to, over } => latest.occlusion = Some((to, over)),
        }
    }

    /// Blocks come home, and nobody speaks to who is over.
    pub fn collect(&mut self, stage: &mut Stage) {
        self.blocks += std::mem::take(&mut stage.blocks);
        for latest in self.line.iter_mut().filter(|it| stage.over.contains_key(&it.number)) {
            (latest.position, latest.occlusion) = (None, None);
        }
    }

    /// Sends as much as there is room for: first the listener.
    pub fn send(&mut self, queue: &mut Vec<Order>) {
        let under_way = |it: &&Order| matches!(it, Order::Listener(..) | Order::Moves(..));
        while queue.iter().filter(under_way).count() < PLACES {
            if let Some((ears, jump)) = self.listener.take() {
                queue.push(Order::Listener(ears, jump));
            } else if self.line.len() <= FEW {
                let Some(next) = self.next() else { return };
                queue.push(Order::Moves(vec![next], false));
            } else if self.blocks > 0 {
                self.blocks -= 1;
                let moves = std::iter::from_fn(|| self.next()).take(MOST).collect();
                queue.push(Order::Moves(moves, true));
            } else {
                return;
            }
        }
    }

    fn next(&mut self) -> Option<(u64, Move)> {
        loop {
            let latest = self.line.first_mut()?;
            if let Some((position, jump)) = latest.position.take() {
                return Some((latest.number, Move::To { position, jump }));
            }
            if let Some((to, over)) = latest.occlusion.take() {
                return Some((latest.number, Move::Occlude { to, over }));
            }
            self.line.remove(0);
        }
    }
}
