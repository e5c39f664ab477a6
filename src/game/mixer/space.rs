//! Where the listener and the plays are.

use std::time::Duration;

use super::Mixer;
use crate::link::message::Move;
use crate::play::sanitize_occlusion;
use crate::space::{Listener, Point};
use crate::target::Target;

impl Mixer {
    /// Says where the listener is and looks: once for each frame of the game, before or after what is played
    /// in it. It is one message, whatever plays, and takes no place in the queue from a play.
    ///
    /// How it moves is heard as doppler by what has [some](crate::Attenuation::doppler).
    ///
    /// ```
    /// # use voicepool::{Config, Listener, Mixer};
    /// # let (mixer, _renderer) = Mixer::offline(Config::DEFAULT)?;
    /// # let (camera, look) = ([0.0, 1.7, 0.0], [1.0, 0.0, 0.0]);
    /// mixer.set_listener(Listener::at([640.0, 360.0])); // in two dimensions
    /// mixer.set_listener(Listener { position: camera.into(), forward: look.into(), ..Listener::DEFAULT });
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    pub fn set_listener(&self, listener: Listener) {
        self.move_listener(listener, false);
    }

    /// Says where the listener is and looks, after a jump: a door, a cut, a new level. Nothing of it is heard
    /// as doppler.
    pub fn teleport_listener(&self, listener: Listener) {
        self.move_listener(listener, true);
    }

    fn move_listener(&self, listener: Listener, jump: bool) {
        let ears = listener.ears();
        self.with_ledger(|ledger| {
            ledger.set_listener(ears, jump);
            ledger.send_moves();
        });
    }

    /// Moves a play, or all plays with a tag. What was played without a [place](crate::Play::at) has none and
    /// is not moved, nor is a bus.
    ///
    /// Gains and sides follow within 5 ms, however far it is. How it moves is heard as doppler, if it has
    /// [some](crate::Attenuation::doppler): say it often, and say a jump with [`teleport`](Mixer::teleport).
    /// It takes no place in the queue from a play; where there is no room for it, the latest counts.
    pub fn set_position(&self, target: impl Into<Target>, to: impl Into<Point>) {
        self.move_all(&[(target.into(), come_to(to))]);
    }

    /// Moves many at once: all that moved in a frame of the game, by its id or its tag. It takes the lock
    /// once, and all of it acts on one line of the grid.
    ///
    /// ```
    /// # use voicepool::{Config, Mixer, Play, Sound, Tag};
    /// # let (mixer, _renderer) = Mixer::offline(Config::DEFAULT)?;
    /// # struct Enemy { id: u64, position: [f32; 2] }
    /// # let enemies = [Enemy { id: 1, position: [0.0; 2] }];
    /// mixer.set_positions(enemies.iter().map(|enemy| (Tag(enemy.id), enemy.position)));
    /// # Ok::<(), voicepool::Error>(())
    /// ```
    pub fn set_positions<T: Into<Target>, P: Into<Point>>(
        &self,
        moves: impl IntoIterator<Item = (T, P)>,
    ) {
        // What the iterator does is the game's own affair: it may ask the mixer something. So nothing is
        // locked before it is done.
        let moves = moves.into_iter().map(|(target, to)| (target.into(), come_to(to)));
        self.move_all(&moves.collect::<Vec<_>>());
    }

    /// Moves a play, or all plays with a tag, by a jump: it is at once elsewhere, without a click, and nothing
    /// of it is heard as doppler.
    pub fn teleport(&self, target: impl Into<Target>, to: impl Into<Point>) {
        let to = Move::Position { to: to.into().sanitized(), jump: true };
        self.move_all(&[(target.into(), to)]);
    }

    /// Says how much lies between a play, or all plays with a tag, and the ear: from 0 (nothing) to 1 (a
    /// wall), over a time that is never shorter than 5 ms where anything is heard. It takes up to 12 dB off,
    /// and the treble down to 600 Hz, by a gain and a low-pass of its own: so it fights neither a fade nor
    /// another filter. What is beyond 0 and 1 is brought to the nearest of these, and NaN is 0. A bus has
    /// none; give it a [low-pass](Mixer::set_low_pass). [`Play::occlusion`](crate::Play::occlusion) begins with one.
    #[doc(alias("obstruction", "muffle"))]
    pub fn set_occlusion(&self, target: impl Into<Target>, amount: f32, over: Duration) {
        self.move_all(&[(target.into(), occlude(amount, self.short_frames(over)))]);
    }

    /// The same for many at once: all that a frame of the game has found out.
    pub fn set_occlusions<T: Into<Target>>(
        &self,
        amounts: impl IntoIterator<Item = (T, f32)>,
        over: Duration,
    ) {
        let over = self.short_frames(over);
        // As in `set_positions`.
        let amounts = amounts.into_iter().map(|(target, to)| (target.into(), occlude(to, over)));
        self.move_all(&amounts.collect::<Vec<_>>());
    }

    fn move_all(&self, moves: &[(Target, Move)]) {
        self.with_ledger(|ledger| {
            moves.iter().for_each(|(target, to)| ledger.set_place(*target, *to));
            ledger.send_moves();
        });
    }
}

fn come_to(to: impl Into<Point>) -> Move {
    Move::Position { to: to.into().sanitized(), jump: false }
}

fn occlude(amount: f32, over: u32) -> Move {
    Move::Occlusion { to: sanitize_occlusion(amount), over }
}
