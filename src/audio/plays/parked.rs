//! The parked: plays that keep their time in silence until there is a voice for them.
//!
//! Nothing is done for a parked play while nothing can become of it. Where it is in its sound follows
//! from the time that has passed on its bus since it was last looked at, and everybody is looked at only
//! when somebody could come back. Of those that are out of earshot nothing is looked at but how far off
//! they are, and that only when somebody moves.

use std::time::Duration;

use super::earshot::Earshot;
use super::tournament::TournamentTree;
use crate::audio::bus::Buses;
use crate::audio::space::Space;
use crate::audio::voice::{Setup, Voice};
use crate::bus::BusId;
use crate::link::message::{Park, QUANTUM};
use crate::pool::Pool;
use crate::space::Point;
use crate::units::{self, ms};

/// How long a play stays parked that was robbed, and how long it must have been much louder
/// before it takes a place back: so that nothing flutters.
const GUARD: Duration = ms(250);

/// How often it is seen whether the parked have become louder than those who play: so many times
/// a second.
const REVIEWS: u32 = 16;

/// The reviews of a play that has never been much louder than somebody who plays.
const NEVER: [u64; 2] = [u64::MAX; 2];

/// A parked play.
pub(in crate::audio) struct Parked {
    pub voice: Voice,
    /// The time of its bus at which its voice was where it says.
    since_bus_time: u64,
    /// The time of its bus at which it will have played to its end.
    ends_at_bus_time: u64,
    /// The frame before which it does not come back.
    guarded_until: u64,
    /// The reviews between which it has been much louder than somebody who plays: the frames of
    /// the first and of the last.
    louder: [u64; 2],
    /// How many had parked before it.
    order: u64,
}

/// How loud a parked play is that may come back: the loudest first, then who parked first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// The complement of the level's bits, so that the loudest is the least.
    quietness: u32,
    order: u64,
}

pub(in crate::audio) struct ParkedPlays {
    pool: Pool<Parked>,
    /// Who is near enough to be heard.
    earshot: Earshot,
    /// Of those who are not, there are none.
    ranks: Box<[Option<Rank>]>,
    loudest: TournamentTree,
    /// On each bus, a time of it before which nobody parked there plays to the end.
    next_end: [u64; BusId::COUNT],
    /// Who may come back can have changed.
    roused: bool,
    /// The frame from which on somebody can come back into a free voice.
    wake_at: u64,
    /// The same for somebody who could not yet when everybody was last looked at.
    next_guarded: u64,
    parked: u64,
    guard: u64,
    review: u64,
}

impl ParkedPlays {
    pub fn new(capacity: usize, rate: u32) -> ParkedPlays {
        ParkedPlays {
            pool: Pool::new(capacity),
            earshot: Earshot::new(capacity),
            ranks: vec![None; capacity].into_boxed_slice(),
            loudest: TournamentTree::new(capacity),
            next_end: [u64::MAX; BusId::COUNT],
            roused: false,
            wake_at: u64::MAX,
            next_guarded: u64::MAX,
            parked: 0,
            guard: units::frames(GUARD, rate),
            review: (u64::from(rate / REVIEWS) / QUANTUM as u64).max(1),
        }
    }

    pub fn pool(&self) -> &Pool<Parked> {
        &self.pool
    }

    pub fn len(&self) -> usize {
        self.pool.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pool.is_empty()
    }

    pub fn has_room(&self) -> bool {
        self.pool.len() < self.pool.capacity()
    }

    /// Takes a play in, or gives it back if there is no room.
    #[allow(clippy::result_large_err, reason = "a box would allocate")]
    pub fn park(
        &mut self,
        voice: Voice,
        why: Park,
        now: u64,
        buses: &Buses,
        space: &Space,
        setup: &Setup,
    ) -> Result<u32, Voice> {
        let robbed = matches!(why, Park::Stolen { .. } | Park::Shrunk);
        let guarded_until = if robbed { now.saturating_add(self.guard) } else { 0 };
        let slot = self.insert(voice, guarded_until, buses, setup)?;
        let is_in = self.place(slot, space);
        self.earshot.set(slot, is_in);
        if is_in {
            self.wake_at = self.wake_at.min(guarded_until);
        }
        Ok(slot)
    }

    #[allow(clippy::result_large_err, reason = "a box would allocate")]
    fn insert(
        &mut self,
        mut voice: Voice,
        guarded_until: u64,
        buses: &Buses,
        setup: &Setup,
    ) -> Result<u32, Voice> {
        voice.enter_parking(setup);
        let parked = Parked {
            voice,
            since_bus_time: 0,
            ends_at_bus_time: 0,
            guarded_until,
            louder: NEVER,
            order: self.parked,
        };
        let slot = self.pool.insert(parked).map_err(|back| back.voice)?.slot() as u32;
        self.parked += 1;
        self.settle(slot, buses);
        Ok(slot)
    }

    pub fn take(&mut self, slot: u32) -> Option<Voice> {
        self.set_rank(slot, None);
        self.earshot.remove(slot);
        self.pool.take(slot).map(|parked| parked.voice)
    }

    /// Changes a parked play, where it is by now.
    pub fn change(
        &mut self,
        slot: u32,
        buses: &Buses,
        setup: &Setup,
        change: impl FnOnce(&mut Voice),
    ) {
        let Some(parked) = self.pool.at_mut(slot) else { return };
        parked.catch_up(buses);
        change(&mut parked.voice);
        parked.voice.enter_parking(setup);
        self.settle(slot, buses);
        self.roused = true;
    }

    /// A parked play has come to a place, or was brought there, if it has one.
    pub fn move_to(&mut self, slot: u32, to: Point, now: u64, space: &Space, setup: &Setup) {
        let Some(parked) = self.pool.at_mut(slot) else { return };
        // Nobody hears how it moves.
        if parked.voice.move_to(to, true, now, setup) {
            let is_in = self.place(slot, space);
            self.set_earshot(slot, is_in);
        }
    }

    /// The listener has moved: sees who is in earshot now. So many steps as there are parked plays, and
    /// short ones.
    pub fn listen(&mut self, space: &Space) {
        while let Some((slot, is_in)) = self.earshot.next_changed(space.ears().position) {
            self.set_earshot(slot, is_in);
        }
    }

    fn set_earshot(&mut self, slot: u32, is_in: bool) {
        self.earshot.set(slot, is_in);
        if is_in {
            self.roused = true;
        } else {
            self.set_rank(slot, None);
        }
    }

    /// Notes where a play is, and says whether it is in earshot.
    fn place(&mut self, slot: u32, space: &Space) -> bool {
        let spot = self.pool.at(slot).and_then(|parked| parked.voice.spot());
        let border = spot.and_then(|spot| Some((spot.position(), spot.reach()?)));
        self.earshot.place(slot, border, space.ears().position)
    }

    /// Somebody may have become audible.
    pub fn rouse(&mut self) {
        self.roused = true;
    }

    /// Those who could have come back and found no voice that they may have need not be looked at again
    /// until [roused](ParkedPlays::rouse).
    pub fn wait_until_roused(&mut self) {
        self.wake_at = self.next_guarded;
    }

    /// Works out when a play will have ended, from where it is now.
    fn settle(&mut self, slot: u32, buses: &Buses) {
        let Some(parked) = self.pool.at_mut(slot) else { return };
        let now = buses.clock(parked.voice.bus);
        let after = parked.voice.ends_after().unwrap_or(u64::MAX);
        (parked.since_bus_time, parked.ends_at_bus_time) = (now, now.saturating_add(after));
        if let Some(next) = self.next_end.get_mut(parked.voice.bus.index()) {
            *next = parked.ends_at_bus_time.min(*next);
        }
    }

    /// After how many of the coming frames a play will have played to its end, if it will.
    pub fn ends_after(&self, slot: u32, frames: u32, buses: &Buses) -> Option<u32> {
        let Parked { voice, ends_at_bus_time: ends, .. } = self.pool.at(slot)?;
        let after = ends.saturating_sub(buses.clock(voice.bus));
        let within = after <= u64::from(buses.way(voice.bus).moving(frames));
        within.then_some(after as u32)
    }

    /// Says whose end comes within the coming frames, and after how many of them.
    pub fn ends_within(&mut self, frames: u32, buses: &Buses, mut ended: impl FnMut(u32, u32)) {
        let until = |bus| buses.clock(bus) + u64::from(buses.way(bus).moving(frames));
        let ends = self.next_end.iter().zip(BusId::all());
        let mut due = ends.filter(|(next, bus)| **next <= until(*bus));
        if self.is_empty() || due.next().is_none() {
            return;
        }
        self.next_end = [u64::MAX; BusId::COUNT];
        for (key, Parked { voice, ends_at_bus_time: ends, .. }) in self.pool.iter() {
            if *ends <= until(voice.bus) {
                ended(key.slot() as u32, ends.saturating_sub(buses.clock(voice.bus)) as u32);
            } else if let Some(next) = self.next_end.get_mut(voice.bus.index()) {
                *next = (*ends).min(*next);
            }
        }
    }

    /// Whether it is to be seen on this line who has become loud.
    pub fn is_review(&self, now: u64) -> bool {
        !self.is_empty() && (now / QUANTUM as u64).is_multiple_of(self.review)
    }

    /// Whether anybody might take a free voice on this line.
    pub fn is_awake(&self, now: u64) -> bool {
        !self.is_empty() && (self.roused || now >= self.wake_at)
    }

    /// Brings everybody to where they are by now.
    pub fn catch_up(&mut self, buses: &Buses, space: &Space) {
        let mut walk = self.pool.walk();
        while let Some(slot) = walk.next(&self.pool) {
            if let Some(parked) = self.pool.at_mut(slot) {
                parked.catch_up(buses);
                parked.voice.settle_place(space);
            }
        }
    }

    /// Sees who may come back, and how loud each is.
    pub fn rank_all(&mut self, now: u64, buses: &Buses, space: &Space, setup: &Setup) {
        (self.roused, self.wake_at, self.next_guarded) = (false, u64::MAX, u64::MAX);
        let soon = setup.declick;
        // What each bus makes of a level, unless it lets nothing through.
        let levels = buses.levels(soon);
        let mut seen = 0;
        for slot in self.earshot.slots() {
            let Some(parked) = self.pool.at_mut(slot) else { continue };
            let level = levels.get(parked.voice.bus.index()).copied().flatten();
            parked.voice.settle_place(space);
            // Who cannot be heard need not be brought up to date: time alone opens nothing.
            let mut audible = level.filter(|_| parked.voice.is_open(soon));
            if audible.is_some() {
                parked.catch_up(buses);
                audible = audible.filter(|_| parked.voice.is_open(soon));
            }
            let guarded_until = parked.guarded_until;
            if audible.is_some() {
                self.wake_at = self.wake_at.min(guarded_until);
                if guarded_until > now {
                    self.next_guarded = self.next_guarded.min(guarded_until);
                }
            }
            let rank = audible.filter(|_| guarded_until <= now).map(|way| Rank {
                quietness: !(parked.voice.level(setup) * way).to_bits(),
                order: parked.order,
            });
            seen += 1;
            if let Some(held) = self.ranks.get_mut(slot as usize) {
                *held = rank;
            }
        }
        let ranks = &self.ranks;
        let height = ranks.len().max(1).ilog2() as usize + 1;
        if seen * height < ranks.len() {
            self.loudest.play_some(self.earshot.slots(), |slot| rank(ranks, slot));
        } else {
            self.loudest.play_all(|slot| rank(ranks, slot));
        }
    }

    /// The loudest of those who may come back, and how loud it is.
    pub fn loudest(&self) -> Option<(u32, f32)> {
        let (slot, Rank { quietness, .. }) = self.loudest.least(|slot| rank(&self.ranks, slot))?;
        Some((slot, f32::from_bits(!quietness)))
    }

    /// Leaves one out until everybody is looked at again.
    pub fn pass_over(&mut self, slot: u32) {
        self.set_rank(slot, None);
    }

    /// Notes that a play is much louder than somebody who plays. Returns whether it has been on
    /// every review for long enough.
    pub fn note_louder(&mut self, slot: u32, now: u64) -> bool {
        let (guard, review) = (self.guard, self.review * QUANTUM as u64);
        let Some(parked) = self.pool.at_mut(slot) else { return false };
        let [since, last] = parked.louder;
        let since = if now.checked_sub(review) == Some(last) { since } else { now };
        parked.louder = [since, now];
        now - since >= guard
    }

    fn set_rank(&mut self, slot: u32, to: Option<Rank>) {
        if let Some(held) = self.ranks.get_mut(slot as usize) {
            *held = to;
        }
        let ranks = &self.ranks;
        self.loudest.update(slot, |slot| rank(ranks, slot));
    }
}

fn rank(ranks: &[Option<Rank>], slot: u32) -> Option<Rank> {
    ranks.get(slot as usize).copied().flatten()
}

impl Parked {
    /// Brings its voice to where it is by now.
    fn catch_up(&mut self, buses: &Buses) {
        let clock = buses.clock(self.voice.bus);
        self.voice.skip(clock - self.since_bus_time);
        self.since_bus_time = clock;
    }
}
