//! What a voice leaves behind where it is cut off.

use crate::bus::BusId;
use crate::reverb::RoomId;

/// A voice's coming frames, fading out, and the gains with which they go on: as they were when they were drawn.
#[derive(Default)]
pub(crate) struct Remains {
    pub left: Box<[f32]>,
    pub right: Box<[f32]>,
    /// The submix that they go to, unless it is the mix itself.
    pub submix: Option<BusId>,
    /// The gains on the way there, unless they are in the frames.
    pub gains: Curve,
    /// Those on the way to each room that they are sent to.
    pub sends: [Curve; RoomId::COUNT],
    /// The frame before which they were drawn, as long as nobody has heard of them.
    pub drawn_at: Option<u64>,
}

/// A gain for each frame, where there is any.
#[derive(Default)]
pub(crate) struct Curve {
    pub frames: Box<[f32]>,
    pub is_there: bool,
}

impl Curve {
    /// The gains, if there are any.
    pub fn there(&self) -> Option<&[f32]> {
        self.is_there.then_some(&self.frames)
    }
}

impl Remains {
    /// Room for so many frames.
    pub fn new(frames: u32) -> Remains {
        let room = || vec![0.0; frames as usize].into_boxed_slice();
        let curve = || Curve { frames: room(), is_there: false };
        Remains {
            left: room(),
            right: room(),
            submix: None,
            gains: curve(),
            sends: std::array::from_fn(|_| curve()),
            drawn_at: None,
        }
    }
}
