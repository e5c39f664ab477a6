//! Controls that met a full queue, kept until there is room: the latest of each kind.

use crate::link::message::Change;

#[derive(Default)]
pub(super) struct Pending {
    stop: Option<u32>,
    paused: Option<bool>,
    gain: Option<(f32, u32)>,
    pan: Option<(f32, u32)>,
    speed: Option<(f32, u32)>,
    seek: Option<u32>,
}

impl Pending {
    pub fn keep(&mut self, change: Change) {
        match change {
            // The shorter fade, as when both arrive.
            Change::Stop { fade } => {
                self.stop = Some(self.stop.map_or(fade, |kept| kept.min(fade)))
            }
            Change::Pause { .. } => self.paused = Some(true),
            Change::Resume { .. } => self.paused = Some(false),
            Change::Gain { to, over } => self.gain = Some((to, over)),
            Change::Pan { to, over } => self.pan = Some((to, over)),
            Change::Speed { to, over } => self.speed = Some((to, over)),
            Change::Mute(_) | Change::EndLoop => (),
            Change::Seek { to } => self.seek = Some(to),
        }
    }

    /// Takes the next one out. A stop comes last: what it ends, nothing else can reach.
    pub fn next(&mut self) -> Option<Change> {
        let seek = |to| Change::Seek { to };
        let paused =
            |paused| if paused { Change::Pause { fade: 0 } } else { Change::Resume { fade: 0 } };
        let gain = |(to, over)| Change::Gain { to, over };
        let pan = |(to, over)| Change::Pan { to, over };
        let speed = |(to, over)| Change::Speed { to, over };
        let stop = |fade| Change::Stop { fade };
        (self.seek.take().map(seek))
            .or_else(|| self.paused.take().map(paused))
            .or_else(|| self.gain.take().map(gain))
            .or_else(|| self.pan.take().map(pan))
            .or_else(|| self.speed.take().map(speed))
            .or_else(|| self.stop.take().map(stop))
    }
}
