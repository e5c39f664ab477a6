//! What the wand is, wherever it is shown: what is played when, who is seen where, and what is learned
//! from it. Nothing here draws, reads a file, starts a thread or asks for the time: the terminal and
//! the page in `web/` do that, each in its way.

pub mod app;
pub mod attract;
pub mod cast;
#[path = "../../shared/dice.rs"]
pub mod dice;
pub mod keys;
pub mod script;
pub mod stage;
pub mod tally;
pub mod wand;
