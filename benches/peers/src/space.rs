//! A scene in space: voices that each go round a place of their own, and a listener among them who walks in
//! a circle. Coordinates are metres; the listener looks along -z with y above, so that right is +x.

use std::f32::consts::TAU;
use std::rc::Rc;

use crate::scene::{BLOCK, RATE};

/// Up to here a voice is as loud as it is.
pub const NEAR: f32 = 1.0;

/// From here on it is silent, or becomes no quieter.
pub const FAR: f32 = 100.0;

/// Frames between one frame of the game and the next: there are 60 a second.
const GAME_FRAME: usize = RATE as usize / 60;

/// As many blocks are a whole number of the game's frames: 16. A turn is a multiple of it, or some turns would
/// have more moves than others.
pub const CYCLE: usize = 25;

/// The game's frames until everything is back where it began: some four seconds.
const ROUND: usize = 256;

/// Where something is, and how it moves, in metres a second.
#[derive(Clone, Copy)]
pub struct Place {
    pub at: [f32; 3],
    pub velocity: [f32; 3],
}

impl Place {
    pub fn standing(at: [f32; 3]) -> Place {
        Place { at, velocity: [0.0; 3] }
    }

    /// As somebody sees it who is at another.
    pub fn from(&self, ear: &Place) -> Place {
        let less = |a: [f32; 3], b: [f32; 3]| std::array::from_fn(|axis| a[axis] - b[axis]);
        Place { at: less(self.at, ear.at), velocity: less(self.velocity, ear.velocity) }
    }

    fn distance(&self) -> f32 {
        self.at.iter().map(|axis| axis * axis).sum::<f32>().sqrt()
    }

    /// On a level circle, at a share of its whole turn.
    fn on_circle([x, y, z]: [f32; 3], radius: f32, turns: f32, share: f32) -> Place {
        let (sin, cos) = (TAU * turns * share).sin_cos();
        let speed = TAU * turns * radius * RATE as f32 / (ROUND * GAME_FRAME) as f32;
        Place {
            at: [x + radius * cos, y, z + radius * sin],
            velocity: [-speed * sin, 0.0, speed * cos],
        }
    }
}

/// Where everything is in a frame of the game: the voices in the order in which they were played.
pub struct Moment {
    pub ear: Place,
    pub voices: Vec<Place>,
}

impl Moment {
    /// No voice is ever nearer than 2 m, nor farther than 41 m, where the faintest is still above what SoLoud leaves out
    /// (0.001): everybody mixes all of them, and in no two moments of a round is one heard alike.
    fn of(voices: usize, frame: usize) -> Moment {
        let share = frame as f32 / ROUND as f32;
        let voice = |index: usize| {
            let spread = (index * 37 % 64) as f32 / 64.0;
            let (sin, cos) = (TAU * index as f32 * 0.618).sin_cos();
            let distance = 8.0 + 27.0 * spread;
            let centre = [distance * cos, 4.0 * spread - 2.0, distance * sin];
            // 4 or 9 metres a second, either way round.
            let turns = [1.0, -1.0, 2.0, -2.0][index % 4];
            Place::on_circle(centre, 3.0, turns, share)
        };
        let ear = Place::on_circle([0.0; 3], 3.0, 1.0, share);
        Moment { ear, voices: (0..voices).map(voice).collect() }
    }
}

/// A round of the game's frames, reckoned before anything is timed, and how far it has gone.
#[derive(Clone)]
pub struct Walk {
    moments: Rc<[Moment]>,
    /// The game's frames so far, and the frames of sound.
    frames: usize,
    clock: usize,
}

impl Walk {
    pub fn of(voices: usize) -> Walk {
        let moments = (0..ROUND).map(|frame| Moment::of(voices, frame)).collect();
        Walk { moments, frames: 0, clock: 0 }
    }

    pub fn start(&self) -> &Moment {
        &self.moments[0]
    }

    /// Where the listener and a voice are when they are farthest from one another.
    pub fn farthest(&self, voice: usize) -> Moment {
        let both = |now: &Moment| (now.ear, now.voices[voice]);
        let distance = |(ear, voice): &(Place, Place)| voice.from(ear).distance();
        let all = self.moments.iter().map(both);
        let (ear, voice) = all.max_by(|a, b| distance(a).total_cmp(&distance(b))).expect("a round");
        Moment { ear, voices: vec![voice] }
    }

    /// Where everything is by the frame of the game that falls into the next block, if one does.
    pub fn before_block(&mut self) -> Option<&Moment> {
        self.clock += BLOCK;
        let due = self.frames * GAME_FRAME < self.clock;
        due.then(|| {
            self.frames += 1;
            &self.moments[self.frames % ROUND]
        })
    }
}
