//! What lies between the two sides: two bounded channels, each behind a gate, and a few atomics.

use std::collections::VecDeque;
use std::mem;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::feed::Feeder;
use super::lane::Lane;
use super::message::{Command, Report};
use super::meters::Meters;
use super::snapshot::Snapshot;
use super::sync::{AtomicBool, AtomicCell, AtomicU64};
use super::tape::Tape;
use crate::bus::BusId;
use crate::config::Config;
use crate::reverb::RoomId;
use crate::stats::OutputState;

/// Everything both sides hold. It keeps both ends of both channels, so nothing ever disconnects,
/// whichever side is dropped first.
pub(crate) struct Bridge {
    pub commands: Lane<Command>,
    /// How many of these may be anything but a message about places.
    pub most_commands: u64,
    pub reports: Lane<Report>,
    pub meters: Meters,
    /// A snapshot that the game side wants filled, and one that the audio side has filled.
    is_wanted: AtomicBool,
    wanted: AtomicCell<Option<Box<Snapshot>>>,
    filled: AtomicCell<Option<Box<Snapshot>>>,
    stop_all: AtomicU64,
    /// What the last mixer could not send any more, and how many of it were not heard yet.
    rest: AtomicCell<Option<Box<Rest>>>,
    rest_waiting: AtomicU64,
    closed: AtomicBool,
    output: Output,
    /// Whether the renderer is in another memory, to which only plain data crosses.
    is_far: bool,
    /// Who has streams decoded. It goes when both sides are gone.
    feeder: Option<Box<dyn Feeder>>,
    /// What is recorded goes here, once somebody records.
    tape: OnceLock<Arc<Tape>>,
    /// Whether more was said before anybody recorded than the audio side remembers.
    has_lost_lines: AtomicBool,
}

/// Commands, the next one last.
struct Rest(Vec<Command>);

/// Where the sound goes, as the output's supervisor tells the game. Neither of the two is the
/// audio thread, so a lock will do.
struct Output {
    state: Mutex<(OutputState, VecDeque<OutputState>)>,
    has_news: AtomicBool,
    /// The device that the game has chosen, until the supervisor takes it up.
    chosen: Mutex<Option<Option<String>>>,
}

/// How many changes of the output are kept for a game that does not ask.
const MOST_OUTPUT_NEWS: usize = 16;

/// The bit that says that `stop_all` holds an order; beside it are the low 32 bits of the number
/// of the last command before it, and 31 bits of fade.
const ORDERED: u64 = 1 << 63;

/// How many retired pools may be on their way home at once. Growing doubles a pool, so from one
/// voice to the most there can be it takes no more than these.
pub(crate) const MOST_RESIZES: usize = 24;

/// How many messages about places may be in the queue at once, beside the commands that
/// [`Config::commands`] allows.
pub(crate) const MOVE_PLACES: usize = 128;

/// How many blocks of moves there are. Together they hold more than a default mixer has plays.
pub(crate) const MOVE_BLOCKS: usize = 4;

/// How many reports of what was made may be on their way home at once, beside what plays say.
///
/// Of each bus: an effect that failed, the answer to the command that was sent before that was known, and
/// the effect that came with it, if that fails too; nothing more is sent before these were collected. A submix
/// is given to a bus once, so that at most one is not used. Of each room one is faded out at a time.
const MOST_HOMECOMING: usize = MOST_RESIZES + (3 + 1) * BusId::COUNT + RoomId::COUNT + MOVE_BLOCKS;

impl Bridge {
    pub fn new(config: &Config) -> Bridge {
        Bridge {
            commands: Lane::new(config.commands + MOVE_PLACES),
            most_commands: config.commands as u64,
            // A place for every ticket's ending, for all that was made and comes home, and for some
            // notices.
            reports: Lane::new(config.tickets() + MOST_HOMECOMING + config.notices()),
            meters: Meters::default(),
            is_wanted: AtomicBool::new(false),
            wanted: AtomicCell::new(None),
            filled: AtomicCell::new(None),
            stop_all: AtomicU64::new(0),
            rest: AtomicCell::new(None),
            rest_waiting: AtomicU64::new(0),
            closed: AtomicBool::new(false),
            output: Output {
                state: Mutex::new((
                    OutputState::Offline,
                    VecDeque::with_capacity(MOST_OUTPUT_NEWS),
                )),
                has_news: AtomicBool::new(false),
                chosen: Mutex::new(None),
            },
            is_far: false,
            feeder: None,
            tape: OnceLock::new(),
            has_lost_lines: AtomicBool::new(false),
        }
    }

    /// The same with somebody who has streams decoded.
    pub fn with_feeder(self, feeder: impl Feeder + 'static) -> Bridge {
        Bridge { feeder: Some(Box::new(feeder)), ..self }
    }

    /// The same with a renderer in another memory.
    #[cfg(any(test, target_arch = "wasm32"))]
    pub fn with_far_renderer(self) -> Bridge {
        Bridge { is_far: true, ..self }
    }

    pub fn is_far(&self) -> bool {
        self.is_far
    }

    pub fn feeder(&self) -> Option<&dyn Feeder> {
        self.feeder.as_deref()
    }

    /// Where what happens is recorded, if it is. One load.
    pub fn tape(&self) -> Option<&Tape> {
        self.tape.get().map(|tape| &**tape)
    }

    /// Records from now on. A mixer is recorded once: it returns whether this is the first time.
    pub fn set_tape(&self, tape: Arc<Tape>) -> bool {
        self.tape.set(tape).is_ok()
    }

    /// Says that a recording can begin no more: nobody remembers on which lines what was said took effect.
    pub fn lose_lines(&self) {
        self.has_lost_lines.store(true, Ordering::Relaxed);
    }

    pub fn has_lost_lines(&self) -> bool {
        self.has_lost_lines.load(Ordering::Relaxed)
    }

    fn output_state(&self) -> MutexGuard<'_, (OutputState, VecDeque<OutputState>)> {
        self.output.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn output(&self) -> OutputState {
        self.output_state().0.clone()
    }

    /// Says where the sound goes at first. That is no news: the first device will be.
    pub fn start_output(&self, state: OutputState) {
        self.output_state().0 = state;
    }

    /// Says where the sound goes from now on.
    pub fn set_output(&self, state: OutputState) {
        let mut held = self.output_state();
        if held.0 == state {
            return;
        }
        if held.1.len() == MOST_OUTPUT_NEWS {
            held.1.pop_front();
            self.meters.missed.fetch_add(1, Ordering::Relaxed);
        }
        held.1.push_back(state.clone());
        held.0 = state;
        self.output.has_news.store(true, Ordering::Release);
    }

    pub fn has_output_news(&self) -> bool {
        self.output.has_news.load(Ordering::Acquire)
    }

    pub fn take_output_news(&self) -> Option<OutputState> {
        let mut held = self.output_state();
        let news = held.1.pop_front();
        self.output.has_news.store(!held.1.is_empty(), Ordering::Release);
        news
    }

    /// Chooses the device to play on, by name; `None` is the default. The latest choice counts.
    pub fn choose_device(&self, name: Option<String>) {
        *self.output.chosen.lock().unwrap_or_else(PoisonError::into_inner) = Some(name);
    }

    /// The latest choice of a device that was not taken yet.
    pub fn take_chosen_device(&self) -> Option<Option<String>> {
        self.output.chosen.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Asks for a snapshot, on a sheet that comes back as filled.
    pub fn want_snapshot(&self, sheet: Box<Snapshot>) {
        self.wanted.store(Some(sheet));
        self.is_wanted.store(true, Ordering::Release);
    }

    /// The sheet to fill, if one is wanted. While none is, this is one load.
    pub fn take_wanted(&self) -> Option<Box<Snapshot>> {
        if !self.is_wanted.load(Ordering::Acquire) {
            return None;
        }
        self.is_wanted.store(false, Ordering::Relaxed);
        self.wanted.take()
    }

    pub fn give_filled(&self, sheet: Box<Snapshot>) {
        // There is one sheet on the way at a time, so nothing is replaced, and so nothing freed.
        mem::forget(self.filled.swap(Some(sheet)));
    }

    pub fn take_filled(&self) -> Option<Box<Snapshot>> {
        self.filled.take()
    }

    /// Orders, outside the queue, the end of every play up to command number `last`. If an
    /// earlier order was not yet taken, the new one covers it, and the shorter fade counts.
    pub fn order_stop_all(&self, last: u64, fade: u32) {
        let merge = |earlier: u64| {
            let fade = u64::from(fade.min(i32::MAX as u32));
            let fade =
                if earlier & ORDERED != 0 { fade.min(earlier >> 32 & !(1 << 31)) } else { fade };
            Some(ORDERED | fade << 32 | last & 0xffff_ffff)
        };
        // The audio side can change it once in between, so this tries at most twice.
        let _ = self.stop_all.fetch_update(Ordering::Release, Ordering::Relaxed, merge);
    }

    /// Takes the order, if there is one: the number of the last command it covers, and the fade.
    /// `collected` is how many commands the caller has taken; the number is near it.
    pub fn take_stop_all(&self, collected: u64) -> Option<(u64, u32)> {
        if self.stop_all.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let order = self.stop_all.swap(0, Ordering::Acquire);
        let ahead = (order as u32).wrapping_sub(collected as u32) as i32;
        Some((collected.wrapping_add_signed(i64::from(ahead)), (order >> 32) as u32 & !(1 << 31)))
    }

    /// Leaves what the queue has no room for to the audio side, for when it has emptied the queue. To
    /// be said once, when nobody will send any more.
    pub fn leave(&self, mut commands: Vec<Command>) {
        let count = commands.len() as u64;
        commands.reverse();
        self.rest.store(Some(Box::new(Rest(commands))));
        self.rest_waiting.store(count, Ordering::Release);
    }

    /// How many commands wait for the audio side.
    pub fn commands_waiting(&self) -> u64 {
        // Asked in this order, with the Release in `leave`: while there is a rest, all that was sent
        // before it is counted too, and so is heard before it.
        let rest = self.rest_waiting.load(Ordering::Acquire);
        rest + self.commands.waiting()
    }

    /// The next of these.
    #[inline(always)]
    pub fn next_command(&self) -> Option<Command> {
        match self.commands.receive() {
            None => self.next_of_the_rest(),
            command => command,
        }
    }

    #[cold]
    fn next_of_the_rest(&self) -> Option<Command> {
        let mut rest = self.rest.take()?;
        let command = rest.0.pop();
        self.rest_waiting.store(rest.0.len() as u64, Ordering::Relaxed);
        // It goes back, empty too, and is freed with the bridge. Nothing is replaced, so nothing is
        // freed here.
        mem::forget(self.rest.swap(Some(rest)));
        command
    }

    /// Says that the audio side is gone. All it had to say is in `reports` by now.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_to_stop_all_knows_which_commands_came_before_it() {
        let bridge = Bridge::new(&Config::default());
        let big = 0x7_ffff_fffe;
        for (last, collected) in [(0, 0), (5, 9), (9, 5), (big, big + 3), (big + 3, big)] {
            assert_eq!(bridge.take_stop_all(collected), None);
            bridge.order_stop_all(last, 240);
            assert_eq!(bridge.take_stop_all(collected), Some((last, 240)));
        }
        bridge.order_stop_all(3, 100);
        bridge.order_stop_all(4, u32::MAX);
        assert_eq!(bridge.take_stop_all(4), Some((4, 100)), "the later order, the shorter fade");
    }
}
