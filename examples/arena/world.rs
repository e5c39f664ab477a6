//! The world: a meadow, a cave, who is there. It knows nothing of sound; it says what happened.

use macroquad::math::{Circle, Rect, Vec2, vec2};

/// As large as the screen, in pixels.
pub const ARENA: Rect = Rect::new(0.0, 0.0, 1280.0, 720.0);
pub const CAVE: Rect = Rect::new(880.0, 80.0, 340.0, 270.0);
#[rustfmt::skip]
pub const WALLS: [Rect; 8] = [
    Rect::new(860.0, 60.0, 380.0, 20.0), Rect::new(860.0, 350.0, 380.0, 20.0), // the cave
    Rect::new(1220.0, 80.0, 20.0, 270.0),
    Rect::new(860.0, 80.0, 20.0, 85.0), Rect::new(860.0, 265.0, 20.0, 85.0), // and its mouth
    Rect::new(400.0, 130.0, 20.0, 210.0), Rect::new(560.0, 540.0, 260.0, 20.0), // out in the rain
    Rect::new(180.0, 560.0, 120.0, 20.0),
];
/// How long a step of the game is, in seconds: always the same, so that a seed is one game.
pub const STEP: f32 = 1.0 / 60.0;

pub struct Foe {
    pub id: u64,
    pub boss: bool,
    pub at: Vec2,
    pub radius: f32,
    pub health: f32, // from 1 to 0
    heading: Vec2,
}

#[rustfmt::skip]
#[derive(Clone, Copy, PartialEq)]
pub enum What { GrowlerCame, BossCame, Roared, Exploded, Struck, Stepped, Shot, TookCoin, Hurt, Said }
/// What happened, whose doing it was (the hero's is 0), and where.
pub type Happened = (What, u64, Vec2);

#[derive(Default)]
pub struct World {
    pub time: f32,
    pub score: i32,
    pub hero: Vec2,
    pub facing: Vec2,
    pub foes: Vec<Foe>,
    pub bolts: Vec<(Vec2, Vec2)>, // where each is, and its velocity
    pub coins: Vec<Vec2>,
    pub blasts: Vec<(Vec2, f32)>,  // where each is, and how old
    pub said: (&'static str, f32), // what is said, and until when it can be read
    reloaded_at: f32,
    steps: u32,
    came: u64,
    dice: u64,
    happened: Vec<Happened>,
}

impl World {
    pub fn new(seed: u64) -> World {
        World { hero: vec2(240.0, 400.0), facing: vec2(1.0, 0.0), dice: seed, ..World::default() }
    }

    /// A step of the game: what is wanted of the hero goes in, what happened comes out.
    pub fn step(&mut self, walk: Vec2, shoot: bool) -> Vec<Happened> {
        self.bring_more();
        self.steps += 1;
        self.time = self.steps as f32 * STEP;
        self.move_hero(walk.normalize_or_zero(), shoot);
        self.move_foes();
        for (at, velocity) in std::mem::take(&mut self.bolts) {
            let to = at + velocity * STEP;
            if self.strike(to, 5.0, 1.0) || walled(at, to) {
                self.happened.push((What::Struck, 0, to));
            } else if ARENA.contains(to) {
                self.bolts.push((to, velocity));
            }
        }
        self.blasts.iter_mut().for_each(|(_, age)| *age += STEP);
        for (at, _) in self.blasts.extract_if(.., |(_, age)| *age > 0.25).collect::<Vec<_>>() {
            self.strike(at, 70.0, 2.0); // whom it reaches goes off in turn
        }
        std::mem::take(&mut self.happened)
    }

    fn move_hero(&mut self, walk: Vec2, shoot: bool) {
        let before = self.hero;
        self.hero = slide(before, walk * 190.0 * STEP, 13.0);
        if self.hero != before && self.steps.is_multiple_of(16) {
            self.happened.push((What::Stepped, 0, self.hero));
        }
        let aim = self.target().filter(|_| shoot).map(|at| (at - self.hero).normalize_or_zero());
        self.facing = aim.or((walk != Vec2::ZERO).then_some(walk)).unwrap_or(self.facing);
        if shoot && self.time > self.reloaded_at {
            self.reloaded_at = self.time + 0.22;
            self.bolts.push((self.hero + 18.0 * self.facing, 560.0 * self.facing));
            self.happened.push((What::Shot, 0, self.hero));
        }
        for _ in self.coins.extract_if(.., |coin| coin.distance(self.hero) < 26.0) {
            self.score += 10;
            self.happened.push((What::TookCoin, 0, self.hero));
        }
    }

    /// The nearest foe that the hero can see.
    pub fn target(&self) -> Option<Vec2> {
        let away = |at: &Vec2| at.distance(self.hero);
        let seen = |at: &Vec2| away(at) < 330.0 && !walled(self.hero, *at);
        self.foes.iter().map(|foe| foe.at).filter(seen).min_by(|a, b| away(a).total_cmp(&away(b)))
    }

    fn move_foes(&mut self) {
        let (turns, anywhere) = (self.roll() > 0.98, vec2(self.roll(), self.roll()));
        for foe in &mut self.foes {
            let away = foe.at.distance(self.hero);
            if foe.boss || !walled(self.hero, foe.at) {
                foe.heading = (self.hero - foe.at).normalize_or_zero();
            }
            let to = slide(foe.at, foe.heading * 70.0 * STEP, foe.radius);
            if to == foe.at || turns {
                foe.heading = anywhere.normalize_or_zero();
            }
            foe.at = to;
            if foe.boss && self.steps.is_multiple_of(300) {
                self.happened.push((What::Roared, foe.id, to));
            }
            if away < foe.radius + 14.0 && self.steps.is_multiple_of(60) {
                self.score -= 50;
                self.happened.push((What::Hurt, 0, self.hero));
            }
        }
    }

    /// Hurts whom it reaches, and says whether there was anybody. Who has had enough blows up.
    fn strike(&mut self, at: Vec2, reach: f32, by: f32) -> bool {
        let near = |foe: &&mut Foe| foe.at.distance(at) < reach + foe.radius;
        let hurt = |foe: &mut Foe| foe.health -= if foe.boss { by / 12.0 } else { by / 2.0 };
        let hit = self.foes.iter_mut().filter(near).map(hurt).count() > 0;
        for foe in self.foes.extract_if(.., |foe| foe.health <= 0.0) {
            self.score += 25;
            self.blasts.push((foe.at, 0.0));
            self.happened.push((What::Exploded, foe.id, foe.at));
        }
        hit
    }

    /// A pack of growlers, in the cave or from the sides, coins where all are gone, and now and then the boss.
    fn bring_more(&mut self) {
        if self.steps.is_multiple_of(180) && self.foes.len() < 10 {
            let edge = vec2(640.0 + 560.0 * self.roll().signum(), 460.0 + 60.0 * self.roll());
            let at = if self.steps % 360 == 180 { CAVE.center() } else { edge };
            (0..4).for_each(|n| self.come(false, at + 50.0 * vec2((n % 2) as f32, (n / 2) as f32)));
        }
        if self.coins.is_empty() {
            // A row, and a heap in the cave that is taken all at once.
            self.coins.extend((0..8).map(|n| vec2(480.0 + 44.0 * n as f32, 420.0)));
            self.coins.extend((0..6).map(|n| vec2(1060.0 + 7.0 * n as f32, [205.0, 215.0][n % 2])));
        }
        if self.steps % 2400 == 600 {
            self.come(true, vec2(1180.0, 600.0));
            self.said = ("Listen! It comes from the east.", self.time + 3.5);
            self.happened.push((What::Said, 0, self.hero));
        }
    }

    fn come(&mut self, boss: bool, at: Vec2) {
        self.came += 1;
        let (id, radius) = (self.came, if boss { 38.0 } else { 15.0 });
        self.foes.push(Foe { id, boss, at, radius, health: 1.0, heading: Vec2::ZERO });
        self.happened.push((if boss { What::BossCame } else { What::GrowlerCame }, id, at));
    }

    /// A number from -1 to 1 that only the seed decides, and how many came before it.
    fn roll(&mut self) -> f32 {
        self.dice = self.dice.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.dice >> 40) as f32 / 8_388_608.0 - 1.0
    }
}

/// Whether a wall lies between two points.
pub fn walled(from: Vec2, to: Vec2) -> bool {
    WALLS.iter().any(|wall| {
        // When the way crosses the wall's sides, as a share of its length.
        let cross = |corner: Vec2| (corner - from) / (to - from);
        let (a, b) = (cross(wall.point()), cross(wall.point() + wall.size()));
        let (enters, leaves) = (a.min(b).max_element(), a.max(b).min_element());
        enters <= leaves && leaves >= 0.0 && enters <= 1.0
    })
}

/// A step of somebody, which a wall stops, or turns aside.
fn slide(from: Vec2, by: Vec2, radius: f32) -> Vec2 {
    let free = |to: &Vec2| {
        let body = Circle::new(to.x, to.y, radius);
        ARENA.contains(*to) && !WALLS.iter().any(|wall| body.overlaps_rect(wall))
    };
    let ways = [by, vec2(by.x, 0.0), vec2(0.0, by.y)].map(|by| from + by);
    ways.into_iter().find(free).unwrap_or(from)
}
