//! Everyone in turn, many times over, in one process.
//!
//! A round gives each contender a turn of a millisecond or a few blocks, in an order drawn anew, so
//! that nobody always follows the same neighbour, and whatever else the machine does falls on all
//! alike. The contenders have clips of their own, so a turn finds the caches full of what the
//! others left, like a callback in a game that has more to do than sound. The first third of a turn
//! is not timed: it brings the code and the voices back, and what voices of the same clip share.
//!
//! Rendering is timed by the thread's own clock, which stands while others have the core: slow
//! contenders would meet them more often. Ratios are medians of each round's own ratio: a machine's
//! pace changes from second to second, and both sides of it have met the same. Seven ratios on a
//! busy machine, taken over each eighth of a run, spread by 8 % so, and the ratio of two medians by
//! 10 %; by wall time it was up to 34 %.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::heap;
use crate::scene::{BLOCK, Clips, Contender, Driver, Frame, Scene, Voice};
use crate::space::{self, Walk};

/// How long a turn of rendering is timed for, if two blocks do not take longer.
const TURN: Duration = Duration::from_millis(1);

/// Plays in a block, where plays are timed, and such blocks in a turn: those to warm up, and all.
const BURST: usize = 50;
const WARM_BURSTS: usize = 2;
const BURSTS: usize = 5;

/// However slow the machine, a median is of so many turns.
const FEWEST_ROUNDS: usize = 5;

/// A contender with its figures.
pub struct Lane {
    pub name: &'static str,
    pub voices: usize,
    driver: Box<dyn Driver>,
    /// What it rendered last.
    out: Box<[Frame; BLOCK]>,
    /// How many blocks of a turn are timed.
    blocks: usize,
    /// Plays after the pool was full, and allocations and frees in the callback since.
    plays: usize,
    heap_calls: u64,
    /// Nanoseconds, for each round.
    turns: Vec<f64>,
    /// Nanoseconds that the game spends on what came of a play, for each round; in space, on its moves.
    books: Vec<f64>,
    /// In space, the way of everything, and the time that the game spent on its moves.
    walk: Option<Walk>,
    moving: Duration,
}

impl Lane {
    fn new(contender: &Contender, scene: &Scene, voice: impl Fn(usize) -> Voice) -> Lane {
        Lane::walking(contender, scene, voice, None)
    }

    fn walking(
        contender: &Contender,
        scene: &Scene,
        voice: impl Fn(usize) -> Voice,
        walk: Option<Walk>,
    ) -> Lane {
        let voices = scene.voices.min(contender.most_voices);
        let plays = if scene.overfull { (contender.full_at)(scene.voices) } else { voices };
        let driver = scene.fill(contender, plays, voice);
        let mut lane = Lane {
            name: contender.name,
            voices,
            driver,
            out: Box::new([Frame::default(); BLOCK]),
            blocks: 1,
            plays: 0,
            heap_calls: 0,
            turns: Vec::new(),
            books: Vec::new(),
            walk,
            moving: Duration::ZERO,
        };
        let block = (0..5).map(|_| lane.time_blocks()).min().unwrap_or(TURN);
        lane.blocks = (TURN.as_nanos() / block.as_nanos().max(1)).max(2) as usize;
        if lane.walk.is_some() {
            lane.blocks = lane.blocks.next_multiple_of(space::CYCLE);
        }
        lane
    }

    /// Nanoseconds: of a frame of a voice, or of a play.
    pub fn median(&self) -> f64 {
        median(self.turns.clone())
    }

    /// Nanoseconds of those, or apart from those, that the books take.
    pub fn median_of_books(&self) -> f64 {
        median(self.books.clone())
    }

    /// Nanoseconds of a play, and of what came of it.
    pub fn median_with_books(&self) -> f64 {
        self.median() + self.median_of_books()
    }

    /// How many times as long as another it takes.
    pub fn over(&self, other: &Lane) -> f64 {
        median(self.turns.iter().zip(&other.turns).map(|(ours, theirs)| ours / theirs).collect())
    }

    /// Allocations and frees in the callback, of all plays into the full pool.
    pub fn heap_calls(&self) -> u64 {
        self.heap_calls
    }

    /// The same for each play.
    pub fn heap_calls_per_play(&self) -> f64 {
        self.heap_calls as f64 / self.plays as f64
    }

    /// Renders the blocks of a turn, and some before that to warm up.
    fn time_blocks(&mut self) -> Duration {
        for _ in 0..self.blocks.div_ceil(2) {
            self.block();
        }
        self.moving = Duration::ZERO;
        let start = thread_time();
        for _ in 0..self.blocks {
            self.block();
        }
        thread_time() - start
    }

    /// Renders a block, and before it, in space, moves everything if a frame of the game falls into it.
    fn block(&mut self) {
        if let Some(walk) = &mut self.walk
            && let Some(now) = walk.before_block()
        {
            // Too short for the thread's clock, as plays are.
            let start = Instant::now();
            self.driver.walk(black_box(now));
            self.driver.tick();
            self.moving += start.elapsed();
        }
        self.driver.render(black_box(&mut self.out[..]));
    }

    /// A turn of rendering: nanoseconds of a frame of a voice.
    fn render(&mut self) -> Result<f64, String> {
        let time = self.time_blocks();
        self.is_heard()?;
        Ok(time.as_nanos() as f64 / (self.blocks * self.voices * BLOCK) as f64)
    }

    /// A turn of rendering in space: the same, with all that the game does to move everything, which is
    /// told apart as well.
    fn render_and_walk(&mut self) -> Result<f64, String> {
        let figure = self.render()?;
        let frames = self.blocks * self.voices * BLOCK;
        self.books.push(self.moving.as_nanos() as f64 / frames as f64);
        Ok(figure)
    }

    /// A turn of playing: nanoseconds of a play, with its share of the tick that ends the game's
    /// frame. What came of the plays is heard in a tick after the block, which is timed apart. A
    /// burst is too short for the thread's clock, and too short to be often interrupted.
    fn play(&mut self) -> Result<f64, String> {
        let (mut times, mut books) = (Vec::with_capacity(BURSTS), Vec::with_capacity(BURSTS));
        for _ in 0..BURSTS {
            let start = Instant::now();
            for _ in 0..BURST {
                self.driver.play(Voice::nth(self.plays));
                self.plays += 1;
            }
            self.driver.tick();
            times.push(start.elapsed().as_nanos() as f64);
            let before = heap::calls();
            self.driver.render(black_box(&mut self.out[..]));
            self.heap_calls += heap::calls() - before;
            let start = Instant::now();
            self.driver.tick();
            books.push(start.elapsed().as_nanos() as f64);
        }
        self.is_heard()?;
        let [times, books] = [times, books].map(|mut bursts| median(bursts.split_off(WARM_BURSTS)));
        self.books.push(books / BURST as f64);
        Ok(times / BURST as f64)
    }

    fn is_heard(&self) -> Result<(), String> {
        let heard = self.out.as_flattened().iter().any(|sample| *sample != 0.0);
        heard.then_some(()).ok_or_else(|| format!("{} fell silent while it was timed", self.name))
    }
}

/// Times blocks of so many looping voices, for as long as is given.
pub fn render(
    contenders: &[Contender],
    voices: usize,
    pitch: f32,
    clips: &Clips,
    time: Duration,
) -> Result<Vec<Lane>, String> {
    let scene = Scene::of(voices, clips);
    let lanes =
        contenders.iter().map(|contender| Lane::new(contender, &scene, pitched(pitch))).collect();
    run(lanes, time, Lane::render)
}

/// The same for one contender at several numbers of voices, which share a few clips and read them
/// in step: what grows is then the mixer's work, and not the way to its samples.
pub fn scale(
    contender: &Contender,
    voices: &[usize],
    pitch: f32,
    time: Duration,
) -> Result<Vec<Lane>, String> {
    let clips = Clips::noise(4, 96_000);
    let scene = |&voices| Scene { together: voices, ..Scene::of(voices, &clips) };
    let lanes =
        voices.iter().map(|voices| Lane::new(contender, &scene(voices), pitched(pitch))).collect();
    run(lanes, time, Lane::render)
}

fn pitched(pitch: f32) -> impl Fn(usize) -> Voice {
    move |index| Voice { pitch, ..Voice::nth(index) }
}

/// Times blocks of a game's mix.
pub fn game(
    contenders: &[Contender],
    voices: usize,
    clips: &Clips,
    time: Duration,
) -> Result<Vec<Lane>, String> {
    let scene = Scene::of(voices, clips);
    let lanes = contenders.iter().map(|one| Lane::new(one, &scene, Voice::of_game)).collect();
    run(lanes, time, Lane::render)
}

/// Times blocks of voices in space that all move, with the game's calls that move them.
pub fn space(
    contenders: &[Contender],
    voices: usize,
    pitch: f32,
    clips: &Clips,
    time: Duration,
) -> Result<Vec<Lane>, String> {
    let (scene, walk) = (Scene::of(voices, clips), Walk::of(voices));
    let voice = |index: usize| {
        let at = walk.start().voices[index].at;
        Voice { pitch, at, ..Voice::nth(index) }
    };
    let lane = |one| Lane::walking(one, &scene, voice, Some(walk.clone()));
    run(contenders.iter().map(lane).collect(), time, Lane::render_and_walk)
}

/// Times plays that each find the pool full, fifty a block.
pub fn play(
    contenders: &[Contender],
    voices: usize,
    clips: &Clips,
    time: Duration,
) -> Result<Vec<Lane>, String> {
    let scene = Scene { overfull: true, ..Scene::of(voices, clips) };
    let lanes =
        contenders.iter().map(|contender| Lane::new(contender, &scene, Voice::nth)).collect();
    let lanes = run(lanes, time, Lane::play)?;
    for lane in &lanes {
        if let Some(stolen) = lane.driver.stolen()
            && stolen != lane.plays as u64
        {
            let (name, plays) = (lane.name, lane.plays);
            return Err(format!("{name} stole {stolen} voices for {plays} plays into a full pool"));
        }
    }
    Ok(lanes)
}

fn run(
    mut lanes: Vec<Lane>,
    time: Duration,
    mut turn: impl FnMut(&mut Lane) -> Result<f64, String>,
) -> Result<Vec<Lane>, String> {
    let rounds = rounds(lanes.len(), time, |index| {
        let lane = &mut lanes[index];
        let figure = turn(lane)?;
        lane.turns.push(figure);
        Ok(())
    });
    rounds.map(|()| lanes)
}

/// Gives each of so many a turn in every round, for as long as is given.
pub fn rounds(
    count: usize,
    time: Duration,
    mut turn: impl FnMut(usize) -> Result<(), String>,
) -> Result<(), String> {
    let mut random = 1;
    let mut order: Vec<usize> = (0..count).collect();
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < FEWEST_ROUNDS || start.elapsed() < time {
        shuffle(&mut order, &mut random);
        order.iter().try_for_each(|index| turn(*index))?;
        rounds += 1;
    }
    Ok(())
}

/// Draws an order, each as likely as any other.
fn shuffle(order: &mut [usize], random: &mut u32) {
    for last in (1..order.len()).rev() {
        *random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        order.swap(last, (*random >> 16) as usize % (last + 1));
    }
}

/// How long this thread has run.
fn thread_time() -> Duration {
    time_by(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// How long all threads of this process have run, together.
pub fn process_time() -> Duration {
    time_by(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn time_by(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it writes the time to where it is told.
    let error = unsafe { libc::clock_gettime(clock, &mut time) };
    assert_eq!(error, 0, "every Linux has these clocks");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len().is_multiple_of(2) {
        (values[middle - 1] + values[middle]) / 2.0
    } else {
        values[middle]
    }
}
