//! What crosses: packets of items, one behind the other, each with its kind before it.

/// How large a packet may grow before the next one is begun. The worklet takes packets in between two quanta, and
/// a larger one would hold it up.
pub(super) const PACKET: usize = 64 << 10;

/// How many bytes of a sound's samples go into one item; whole frames of every kind.
pub(super) const PIECE: usize = 32 << 10;

/// What the page says.
pub(super) mod to_worklet {
    /// A sound by its number, all but its samples; those are in the pieces that follow.
    pub const SOUND: u8 = 0;
    pub const PIECE: u8 = 1;
    /// Nobody will play that sound again.
    pub const FORGET: u8 = 2;
    /// What stands for one play of a stream, by its number; and a block that was decoded for it.
    pub const STREAM: u8 = 3;
    pub const BLOCK: u8 = 4;
    /// A command. Instead of its tag, a play has its ticket.
    pub const COMMAND: u8 = 5;
    /// All commands before this one act together.
    pub const PUBLISH: u8 = 6;
    pub const STOP_ALL: u8 = 7;
    /// A picture of all plays is wanted.
    pub const PICTURE: u8 = 8;
    /// So many frames pass without being heard, if the clock is what the page takes it for.
    pub const PASS: u8 = 9;
    /// The last mixer is gone.
    pub const FADE_OUT: u8 = 10;
}

/// What the worklet says.
pub(super) mod to_page {
    pub const REPORT: u8 = 0;
    /// How many commands were applied.
    pub const APPLIED: u8 = 1;
    pub const METERS: u8 = 2;
    pub const PICTURE: u8 = 3;
    /// What a stream's voice will read, and that it has done with a block.
    pub const ORDER: u8 = 4;
    pub const SPENT: u8 = 5;
    /// It has faded out, and the context can be closed.
    pub const OVER: u8 = 6;
}
