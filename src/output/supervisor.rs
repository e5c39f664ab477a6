//! Finds, loses and regains the device, on a thread of its own.
//!
//! A stream lives on yet another thread, its keeper's, which builds it and in the end drops it:
//! either may hang for ever in somebody's driver, and nothing here waits for it. While no stream
//! plays, the supervisor drives the renderer itself, so that time passes and plays end.

mod leave;
mod trial;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use self::trial::Trial;
use super::callback::{Callback, Seat, Tenure, Verdict};
use super::outlet::{Opened, Outlet, Wish};
use crate::link::Bridge;
use crate::log_line::{is_heard, log_line};
use crate::stats::OutputState;
use crate::units::ms;

/// What the supervisor hears.
pub(super) enum Word {
    /// The mixer has its rate and its renderer is in the seat.
    Begin {
        rate: u32,
    },
    Opened {
        number: u64,
        rate: u32,
        state: OutputState,
    },
    Failed {
        number: u64,
        why: String,
    },
    /// Where the stream plays now, if anybody knows.
    Moved {
        number: u64,
        device: Option<String>,
    },
    /// A keeper's thread is over.
    Gone {
        number: u64,
    },
    /// The logger has taken a line.
    Logged,
    Close,
}

/// How often to pass time while there is no stream.
const PASS: Duration = ms(10);

/// How long to wait for what. Tests are in more of a hurry, or have all the time there is.
#[derive(Clone, Copy)]
pub(super) struct Pace {
    /// How often to look at a stream that plays.
    pub look: Duration,
    /// A stream that has not filled a buffer for so long is dead, and one in doubt sooner.
    pub heartbeat: Duration,
    pub doubt: Duration,
    /// A stream that takes longer than this to open will not.
    pub opening: Duration,
    /// How long the first device may take to say its rate, before time begins without it.
    pub patience: Duration,
    /// How long to wait before the next try: doubled each time up to the most.
    pub first_pause: Duration,
    pub most_pause: Duration,
    /// How often to try the device that was asked for while another plays: more rarely each time
    /// that it was taken up, until it has played for longer than the most.
    pub trial: Duration,
    pub most_trial: Duration,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            look: ms(20),
            heartbeat: ms(1000),
            doubt: ms(150),
            opening: ms(5000),
            patience: ms(1000),
            first_pause: ms(100),
            most_pause: ms(1000),
            trial: ms(1000),
            most_trial: ms(30_000),
        }
    }
}

/// How many streams may hang in their drop before no more are opened: each holds a thread.
const MOST_HANGING: usize = 4;

/// So many errors between two looks are a storm, whatever they say. It may pass, as a sound
/// server's errors do after an xrun: then a buffer is filled before this time is over.
const STORM: u64 = 1000;
const STORM_PASSES: Duration = ms(150);

/// The most that is made up for after a pause of the whole machine.
const MOST_BEHIND: Duration = ms(1000);

/// How many buffers a device may hold that are not heard yet, and would be cut off with it.
const HELD: u64 = 3;

pub(super) struct Supervisor {
    outlet: Option<Arc<dyn Outlet>>,
    seat: Arc<Seat>,
    bridge: Arc<Bridge>,
    wish: Wish,
    pace: Pace,
    words: Receiver<Word>,
    tell: Sender<Word>,
    /// Whoever waits for the first device's rate.
    first: Option<Sender<Option<u32>>>,
    keeper: Option<Keeper>,
    /// The device that was asked for, while another plays.
    trial: Option<Trial>,
    trial_pause: Duration,
    next_trial: Instant,
    tenures: u64,
    hanging: usize,
    pause: Duration,
    next_try: Instant,
    /// Since when time has been passed without a device, and how many frames of it.
    passing: Option<(Instant, u64)>,
    /// Whether somebody is asking where a stream plays.
    asking: bool,
    /// Whether the logger has a line, and when it got it.
    logging: bool,
    last_line: Option<Instant>,
}

/// A stream that is being opened, or plays.
struct Keeper {
    tenure: Arc<Tenure>,
    /// Dropped to let the stream go.
    _release: Sender<()>,
    since: Instant,
    /// The device's rate, once it plays.
    rate: Option<u32>,
    beats: u64,
    errors: u64,
    last_beat: Instant,
    doubted: Option<Instant>,
    stormy: Option<Instant>,
    /// Whether it plays elsewhere, and nobody has asked yet where.
    moved: bool,
    /// How many buffers it had filled when it had faded out.
    faded: Option<u64>,
}

impl Keeper {
    /// How long the last buffer lasts.
    fn lasts(&self) -> Duration {
        Duration::from_nanos(self.tenure.lasts.load(Relaxed))
    }

    /// Whether it has faded out, and that was heard.
    fn has_faded(&mut self) -> bool {
        let beats = self.tenure.beats.load(Relaxed);
        self.tenure.faded.load(Acquire) && beats - *self.faded.get_or_insert(beats) >= HELD
    }
}

impl Supervisor {
    /// Starts it. Returns the way to talk to it; `first` will hear the first device's rate.
    pub fn start(
        outlet: Result<Arc<dyn Outlet>, String>,
        seat: Arc<Seat>,
        bridge: Arc<Bridge>,
        wish: Wish,
        pace: Pace,
        first: Sender<Option<u32>>,
    ) -> io::Result<(Sender<Word>, Receiver<()>)> {
        let (tell, words) = channel();
        let (over, done) = channel();
        match &outlet {
            Ok(_) => bridge.await_output(),
            Err(why) => bridge.set_output(OutputState::Silent { why: why.clone() }),
        }
        let mut supervisor = Supervisor {
            outlet: outlet.ok(),
            seat,
            bridge,
            wish,
            pace,
            words,
            tell: tell.clone(),
            first: Some(first),
            keeper: None,
            trial: None,
            trial_pause: pace.trial,
            next_trial: Instant::now(),
            tenures: 0,
            hanging: 0,
            pause: pace.first_pause,
            next_try: Instant::now(),
            passing: None,
            asking: false,
            logging: false,
            last_line: None,
        };
        thread::Builder::new().name("voicepool output".into()).spawn(move || {
            supervisor.run();
            drop(supervisor);
            let _ = over.send(());
        })?;
        Ok((tell, done))
    }

    fn run(&mut self) {
        let born = Instant::now();
        loop {
            self.open_if_due();
            let look = if self.is_playing() { self.pace.look } else { PASS };
            match self.words.recv_timeout(look) {
                Ok(Word::Close) | Err(RecvTimeoutError::Disconnected) => return self.leave(),
                Ok(word) => self.hear(word),
                Err(RecvTimeoutError::Timeout) => (),
            }
            self.watch();
            self.try_named();
            self.watch_trial();
            self.bury();
            if self.is_playing() {
                self.passing = None;
            } else if self.wish.rate.is_some() {
                // The first device may take the first frame, if it comes soon.
                let awaited = self.tenures == 1 && self.keeper.is_some();
                if !awaited || born.elapsed() > self.pace.patience {
                    self.pass_time();
                }
            }
        }
    }

    fn is_playing(&self) -> bool {
        self.keeper.as_ref().is_some_and(|keeper| keeper.rate.is_some())
    }

    fn hear(&mut self, word: Word) {
        let current = self.keeper.as_ref().map(|keeper| keeper.tenure.number);
        match word {
            Word::Begin { rate } => {
                self.first = None;
                self.wish.rate = Some(rate);
                self.check_rate();
            }
            Word::Opened { number, rate, state } if current == Some(number) => {
                if let Some(keeper) = &mut self.keeper {
                    keeper.rate = Some(rate);
                    keeper.last_beat = Instant::now();
                    self.next_trial = keeper.last_beat + self.trial_pause;
                }
                if self.check_rate() {
                    // Before it is told, so that what is told is true.
                    self.seat.grant(number);
                    self.say(&state);
                    self.bridge.set_output(state);
                }
                self.answer(Some(rate));
            }
            Word::Failed { number, why } if current == Some(number) => {
                self.lose(&why, self.pause);
                self.answer(None);
            }
            Word::Moved { number, device: to } => {
                self.asking = false;
                let mut state = self.bridge.output();
                if current == Some(number)
                    && let (OutputState::Playing { device, .. }, Some(to)) = (&mut state, to)
                {
                    *device = to;
                    self.say(&state);
                    self.bridge.set_output(state);
                }
            }
            Word::Gone { number } => {
                self.hanging -= 1;
                self.trial_gone(number);
            }
            Word::Logged => self.logging = false,
            Word::Opened { number, rate, state } => self.trial_opened(number, rate, state),
            Word::Failed { .. } | Word::Close => (),
        }
    }

    /// Tells whoever waits for the first device. What it came to is told before, so that a mixer
    /// that has just opened knows where it plays.
    fn answer(&mut self, rate: Option<u32>) {
        if let Some(first) = self.first.take() {
            let _ = first.send(rate);
        }
    }

    /// The first stream knows of no rate but its own. If the mixer has settled for another, which
    /// it does when the stream comes late, a new one must be opened that resamples.
    fn check_rate(&mut self) -> bool {
        let rate = self.keeper.as_ref().and_then(|keeper| keeper.rate);
        let late = self.tenures == 1
            && rate.is_some()
            && self.wish.rate.is_some_and(|it| Some(it) != rate);
        if late {
            self.lose("the device came late", Duration::ZERO);
        }
        !late
    }

    /// Opens a stream, if there is none and it is time to try.
    fn open_if_due(&mut self) {
        let Some(outlet) = self.outlet.clone() else { return self.answer(None) };
        if self.keeper.is_some() || self.hanging >= MOST_HANGING || Instant::now() < self.next_try {
            return;
        }
        match self.keep(outlet, self.wish.clone()) {
            Ok(keeper) => self.keeper = Some(keeper),
            Err(error) => self.lose(&format!("no thread for the stream: {error}"), self.pause),
        }
    }

    /// Opens a stream on a thread of its own, which keeps it until it is let go.
    fn keep(&mut self, outlet: Arc<dyn Outlet>, wish: Wish) -> io::Result<Keeper> {
        self.tenures += 1;
        let number = self.tenures;
        let tenure = Arc::new(Tenure::new(number));
        let (release, released) = channel::<()>();
        let (seat, bridge, held) = (self.seat.clone(), self.bridge.clone(), tenure.clone());
        let tell = self.tell.clone();
        let keep = move || {
            let callback =
                |rate| Callback::new(seat.clone(), held.clone(), bridge.clone(), rate, wish.rate);
            // A driver that panics is a driver that failed.
            match catch_unwind(AssertUnwindSafe(|| outlet.open(&wish, &callback))) {
                Ok(Ok(Opened { stream, rate, state })) => {
                    let _ = tell.send(Word::Opened { number, rate, state });
                    let _ = released.recv();
                    let _ = catch_unwind(AssertUnwindSafe(|| drop(stream)));
                }
                Ok(Err(why)) => drop(tell.send(Word::Failed { number, why })),
                Err(_) => {
                    let why = "the driver panicked".to_owned();
                    drop(tell.send(Word::Failed { number, why }));
                }
            }
            let _ = tell.send(Word::Gone { number });
        };
        thread::Builder::new().name("voicepool stream".into()).spawn(keep)?;
        self.hanging += 1;
        let now = Instant::now();
        Ok(Keeper {
            tenure,
            _release: release,
            since: now,
            rate: None,
            beats: 0,
            errors: 0,
            last_beat: now,
            doubted: None,
            stormy: None,
            moved: false,
            faded: None,
        })
    }

    /// Looks whether the stream is well.
    fn watch(&mut self) {
        let Some(keeper) = &mut self.keeper else { return };
        let now = Instant::now();
        let beats = keeper.tenure.beats.load(Relaxed);
        if beats != keeper.beats {
            (keeper.beats, keeper.last_beat) = (beats, now);
            (keeper.doubted, keeper.stormy) = (None, None);
            if now - keeper.since > self.pace.most_pause {
                self.pause = self.pace.first_pause;
            }
        }
        let errors = keeper.tenure.errors.load(Relaxed);
        if errors - keeper.errors > STORM {
            keeper.stormy.get_or_insert(now);
        }
        keeper.errors = errors;
        let fault = match keeper.tenure.take_verdict() {
            Verdict::Refused => {
                // To ask again at once would be refused as well.
                self.pause = self.pace.most_pause;
                Some("the device refuses to play")
            }
            Verdict::Lost => Some("the device is gone"),
            Verdict::Invalid => Some("the device has changed"),
            Verdict::Doubtful => {
                keeper.doubted.get_or_insert(now);
                None
            }
            Verdict::Moved => {
                keeper.moved = true;
                None
            }
            Verdict::Fine => None,
        };
        let fault = fault.or_else(|| {
            if keeper.rate.is_none() {
                return (now - keeper.since > self.pace.opening)
                    .then_some("the device does not open");
            }
            // It has no reason to call back before its last buffer is over.
            let lasts = keeper.lasts();
            let doubted = keeper.doubted.is_some_and(|since| now - since > self.pace.doubt + lasts);
            let silent = now - keeper.last_beat > self.pace.heartbeat + lasts;
            if keeper.stormy.is_some_and(|since| now - since > STORM_PASSES + lasts) {
                return Some("the device reports nothing but errors");
            }
            (doubted || silent).then_some("the device has fallen silent")
        });
        if let Some(why) = fault {
            // A device that was well a moment ago may be so again at once.
            let at_once = self.pause == self.pace.first_pause;
            self.lose(why, if at_once { Duration::ZERO } else { self.pause });
        }
        self.ask_where();
    }

    /// Asks where a stream plays that was moved. On a thread, and on one at a time: the answer may
    /// take its time.
    fn ask_where(&mut self) {
        let Some(keeper) = self.keeper.as_mut().filter(|keeper| keeper.moved) else { return };
        let Some(outlet) = self.outlet.clone().filter(|_| !self.asking) else { return };
        keeper.moved = false;
        let (number, tell) = (keeper.tenure.number, self.tell.clone());
        let ask = move || {
            let device = catch_unwind(AssertUnwindSafe(|| outlet.default_name())).ok().flatten();
            let _ = tell.send(Word::Moved { number, device });
        };
        // Without a thread the old name stays: the stream is well all the same.
        let asked = thread::Builder::new().name("voicepool device".into()).spawn(ask);
        self.asking = asked.is_ok();
    }

    /// Lets the stream go, wherever that leads, and tries again after a pause.
    fn lose(&mut self, why: &str, pause: Duration) {
        self.seat.grant(0);
        self.give_up_trial();
        if let Some(keeper) = self.keeper.take().filter(|keeper| keeper.rate.is_some()) {
            // Time is passed from where the sound ended, not from where that was noticed.
            self.passing = Some((keeper.last_beat + keeper.lasts(), 0));
        }
        self.next_try = Instant::now() + pause;
        self.pause = (self.pause * 2).min(self.pace.most_pause);
        let state = OutputState::Silent { why: why.to_owned() };
        self.say(&state);
        self.bridge.set_output(state);
    }

    /// Lets time pass at its pace where no device does.
    fn pass_time(&mut self) {
        let rate = u64::from(self.wish.rate.unwrap_or(1));
        let (since, passed) = *self.passing.get_or_insert((Instant::now(), 0));
        let due = (since.elapsed().as_nanos() * u128::from(rate) / 1_000_000_000) as u64;
        let most = MOST_BEHIND.as_secs() * rate;
        // If a callback still has the renderer, the next look makes up for it.
        let Some(mut renderer) = self.seat.take(0) else { return };
        let mut block = [[0.0; 2]; 256];
        let mut left = (due - passed).min(most) as usize;
        let made = catch_unwind(AssertUnwindSafe(|| {
            while left > 0 {
                let frames = left.min(block.len());
                renderer.render(&mut block[..frames]);
                left -= frames;
            }
        }));
        match made {
            Ok(()) => self.seat.put(renderer),
            Err(_) => self.seat.wreck(renderer),
        }
        self.passing = Some((since, due));
    }

    /// Buries a renderer that panicked: its plays end, and the mixer goes on in silence.
    fn bury(&mut self) {
        let Some(wreck) = self.seat.take_wreck() else { return };
        self.bridge.meters.panics.fetch_add(1, Relaxed);
        let buried = catch_unwind(AssertUnwindSafe(|| drop(wreck)));
        if buried.is_err() {
            self.bridge.close();
        }
        self.outlet = None;
        self.lose("the mixer failed: a bug in voicepool, please report it", self.pace.most_pause);
    }

    /// One line a second, at the most. On a thread, and on one at a time: the logger may take its
    /// time, and may let go of the last mixer, which waits for us.
    fn say(&mut self, state: &OutputState) {
        let now = Instant::now();
        let soon = self.last_line.is_some_and(|last| now - last < ms(1000));
        if soon || self.logging || !is_heard() {
            return;
        }
        let (line, tell) = (format!("output: {state}"), self.tell.clone());
        let tell_it = move || {
            log_line(format_args!("{line}"));
            let _ = tell.send(Word::Logged);
        };
        self.logging =
            thread::Builder::new().name("voicepool logger".into()).spawn(tell_it).is_ok();
        self.last_line = Some(now);
    }
}
