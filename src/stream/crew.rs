//! The thread that decodes all streams of a mixer, and the one that stands by.
//!
//! To read may block, for a moment or for ever, and must harm nobody else. So a job is taken out of the list
//! while it is worked on; and should that take too long, whoever stands by takes over the others, and sees to
//! it that somebody stands by. Who was held up puts its job back and goes.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::filters::Filters;
use super::job::Job;
use crate::guarded::guarded;
use crate::link::feed::Feeder;
use crate::sound::{Sound, Stream};
use crate::units::ms;

/// How often orders are looked at. The audio thread can wake nobody.
const POLL: Duration = ms(5);

/// How long a job may take before somebody else sees to the others: much longer than a block takes, and much
/// shorter than what is read ahead lasts.
const PATIENCE: Duration = ms(100);

/// How many threads one stream may hold up at once. A reader that never returns holds each play of it up, and a game
/// may try again and again.
const MOST_HELD_UP: usize = 2;

/// Has the streams of a mixer decoded, from the first one on. When it is dropped, the threads go as soon as
/// nothing is left to decode.
pub(crate) struct Crew(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    /// Rung when there may be something to do, and when there may be somebody to stand by for.
    work: Condvar,
    relief: Condvar,
    /// Rung when a block was made.
    arrived: Condvar,
    threads: AtomicU64,
    filters: Filters,
}

#[derive(Default)]
struct State {
    jobs: Vec<Job>,
    /// The number of the thread that decodes, if there is one, and since when it is at its present job, of which
    /// stream.
    leader: Option<u64>,
    busy: Option<(Instant, u64)>,
    /// Threads from which another one has taken over, and the streams that hold them up.
    held_up: Vec<(u64, u64)>,
    /// Whether somebody stands by.
    has_relief: bool,
    /// How many blocks were made: whoever waits for one sees that there was one.
    blocks: u64,
    is_closed: bool,
}

impl State {
    /// A thread is done with its job. If another one has taken over meanwhile, that is now busy or not on its
    /// own account; and if nobody was left, this one goes on.
    fn done(&mut self, number: u64) {
        self.held_up.retain(|(thread, _)| *thread != number);
        if *self.leader.get_or_insert(number) == number {
            self.busy = None;
        }
    }

    /// Another thread takes over from the one that is held up.
    fn take_over(&mut self, number: u64) {
        if let (Some(leader), Some((_, stream))) = (self.leader, self.busy) {
            self.held_up.push((leader, stream));
        }
        (self.leader, self.busy) = (Some(number), None);
    }

    /// Whether a stream holds up as many threads as it may. Then it is not touched.
    fn is_stuck(&self, stream: u64) -> bool {
        self.held_up.iter().filter(|(_, it)| *it == stream).count() >= MOST_HELD_UP
    }

    /// Whether a job can be dropped.
    fn can_end(&self, job: &Job) -> bool {
        job.is_over() && (self.is_closed || job.is_over_unread() || !self.is_stuck(job.stream()))
    }
}

impl Crew {
    pub fn new() -> Crew {
        Crew(Arc::new(Shared {
            state: Mutex::default(),
            work: Condvar::new(),
            relief: Condvar::new(),
            arrived: Condvar::new(),
            threads: AtomicU64::new(0),
            filters: Filters::default(),
        }))
    }
}

impl Feeder for Crew {
    fn open(&self, stream: &Stream, rate: u32) -> Sound {
        let (sound, job) = super::begin(stream, rate, &self.0.filters);
        let mut state = self.0.lock();
        state.jobs.push(job);
        if state.leader.is_none() {
            self.0.spawn(&mut state, Role::Leader);
        }
        if !state.has_relief {
            self.0.spawn(&mut state, Role::Relief);
        }
        self.0.work.notify_one();
        self.0.relief.notify_one();
        sound
    }

    fn tidy(&self) {
        // Whoever decodes may be held up, or there may be no thread: those that were turned away would pile up.
        let over: Vec<_> = self.0.lock().jobs.extract_if(.., |job| job.is_over_unread()).collect();
        // What they would have been read with is the game's own.
        let _ = guarded(|| drop(over));
    }

    fn wait(&self) -> bool {
        let state = self.0.lock();
        let before = state.blocks;
        self.0.work.notify_one();
        let made_none = |state: &mut State| state.blocks == before;
        let waited = self.0.arrived.wait_timeout_while(state, POLL, made_none);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.blocks != before
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.work.notify_one();
        self.0.relief.notify_one();
    }
}

enum Role {
    Leader,
    Relief,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a thread. If the system has none, the streams are silent, and the next one tries again.
    fn spawn(self: &Arc<Self>, state: &mut State, role: Role) {
        let number = self.threads.fetch_add(1, Relaxed);
        let shared = self.clone();
        let thread = thread::Builder::new().name("voicepool streams".into());
        let (is_leader, run) = (matches!(role, Role::Leader), move || match role {
            Role::Leader => shared.lead(number),
            Role::Relief => shared.stand_by(number),
        });
        if thread.spawn(run).is_err() {
            return;
        }
        if is_leader {
            state.leader = Some(number);
        } else {
            state.has_relief = true;
        }
    }

    /// Stands by until the one who decodes is held up, and takes over.
    fn stand_by(self: Arc<Self>, number: u64) {
        let mut state = self.lock();
        loop {
            if state.leader.is_none() {
                state.has_relief = false;
                return;
            }
            if state.busy.is_some_and(|(since, _)| since.elapsed() >= PATIENCE) {
                break;
            }
            let is_idle = state.jobs.is_empty() && state.busy.is_none();
            state = sleep(&self.relief, state, (!is_idle).then_some(PATIENCE));
        }
        state.take_over(number);
        self.spawn(&mut state, Role::Relief);
        drop(state);
        self.lead(number);
    }

    /// Decodes whatever is ordered, until there is nothing left to decode or another one has taken over.
    fn lead(self: Arc<Self>, number: u64) {
        let mut state = self.lock();
        let mut at = 0;
        loop {
            if state.leader != Some(number) {
                return;
            }
            if let Some(over) = state.jobs.iter().position(|job| state.can_end(job)) {
                let job = state.jobs.swap_remove(over);
                state.busy = Some((Instant::now(), job.stream()));
                drop(state);
                // To drop a reader may take as long as to read, or panic.
                let _ = guarded(|| drop(job));
                state = self.lock();
                state.done(number);
                continue;
            }
            if state.jobs.is_empty() {
                if state.is_closed {
                    state.leader = None;
                    self.relief.notify_one();
                    return;
                }
                state = sleep(&self.work, state, None);
                continue;
            }
            // Each in its turn.
            let count = state.jobs.len();
            let due = (0..count)
                .map(|job| (at + job) % count)
                .find(|job| !state.is_stuck(state.jobs[*job].stream()) && state.jobs[*job].look());
            let Some(job) = due else {
                state = sleep(&self.work, state, Some(POLL));
                continue;
            };
            at = job + 1;
            let mut job = state.jobs.remove(job);
            state.busy = Some((Instant::now(), job.stream()));
            drop(state);
            // A reader is the game's own, and may do anything.
            if guarded(|| job.work()).is_none() {
                let _ = guarded(|| job.give_up());
            }
            state = self.lock();
            state.blocks += 1;
            self.arrived.notify_all();
            state.done(number);
            let place = (at - 1).min(state.jobs.len());
            state.jobs.insert(place, job);
            if state.leader != Some(number) {
                // Whoever has taken over may have found nothing to do.
                self.work.notify_one();
            }
        }
    }
}

/// Sleeps until rung, or for so long at the most.
fn sleep<'a>(
    bell: &Condvar,
    state: MutexGuard<'a, State>,
    time: Option<Duration>,
) -> MutexGuard<'a, State> {
    match time {
        None => bell.wait(state).unwrap_or_else(PoisonError::into_inner),
        Some(time) => bell.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0,
    }
}
