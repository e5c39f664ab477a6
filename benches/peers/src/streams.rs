//! Streams: every contender reads the same files ahead with threads of its own, and a callback comes some time
//! after the one before it, as a device asks for it, so that those threads get their turn.

use std::hint::black_box;
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use crate::heap;
use crate::race::{median, process_time, rounds};
use crate::scene::{BLOCK, Clips, Contender, Driver, Frame, RATE, Scene, Voice, sixteen, stereo};

/// How long after a block the next one comes: a fifth of what it lasts, so that a race takes less time than what it
/// plays.
const APART: Duration = Duration::from_millis(2);

/// How long the threads may read ahead before the first block.
const HEAD_START: Duration = Duration::from_millis(200);

/// Blocks in a turn.
const BLOCKS: usize = 25;

/// Blocks, two seconds of them, over which the time of the whole process is taken.
const LONG: u32 = 188;

/// Files of four seconds: much longer than what anybody keeps of them in memory.
pub fn clips(streams: usize) -> Clips {
    Clips::noise(streams, 4 * RATE as usize)
}

/// A contender with all its streams under way, and what must be heard of it.
pub struct Player {
    name: &'static str,
    driver: Box<dyn Driver>,
    out: Box<[Frame; BLOCK]>,
    /// All of them begin together and are as long, so that what is heard repeats itself.
    round: Rc<[Frame]>,
    at: usize,
}

impl Player {
    pub fn new(contender: &Contender, scene: &Scene) -> Player {
        let driver = scene.fill(contender, scene.voices, voice);
        thread::sleep(HEAD_START);
        let out = Box::new([Frame::default(); BLOCK]);
        Player { name: contender.name, driver, out, round: round(scene), at: 0 }
    }

    /// Lets the threads have their turn, renders a block in the way that is given, and sees that all of it is heard: frame
    /// by frame, so that nobody has rendered silence, or waited, where its threads were late.
    pub fn block<T>(
        &mut self,
        render: impl FnOnce(&mut dyn Driver, &mut [Frame]) -> T,
    ) -> Result<T, String> {
        thread::sleep(APART);
        self.block_at_once(render)
    }

    fn block_at_once<T>(
        &mut self,
        render: impl FnOnce(&mut dyn Driver, &mut [Frame]) -> T,
    ) -> Result<T, String> {
        let done = render(&mut *self.driver, &mut self.out[..]);
        self.driver.tick();
        if let Some(late @ 1..) = self.driver.underruns() {
            return Err(format!("{} was late with a stream, {late} times", self.name));
        }
        for (at, heard) in (self.at..).zip(&self.out[..]) {
            let expected = self.round[at % self.round.len()];
            let error = [0, 1].map(|side| (heard[side] - expected[side]).abs());
            // Not by `>`: a NaN must not pass.
            if !error.iter().all(|error| *error <= TOLERANCE) {
                let name = self.name;
                return Err(format!(
                    "{name} plays {heard:?} instead of {expected:?} at frame {at} of its streams; \
                     on a busy machine, because their threads were late"
                ));
            }
        }
        self.at += BLOCK;
        Ok(done)
    }
}

/// Decibels and sums in another order: the rounding of floats, no more. A step of the 16 bits is 50 times as
/// much, at the least gain.
const TOLERANCE: f32 = 3e-8;

/// In the middle, where everybody's law of pan leaves both sides as they are.
fn voice(index: usize) -> Voice {
    Voice { pan: 0.0, ..Voice::nth(index) }
}

/// What is heard of all the files together, once through.
fn round(scene: &Scene) -> Rc<[Frame]> {
    let mut round = vec![Frame::default(); scene.clips.0[0].len()];
    for index in 0..scene.voices {
        let gain = voice(index).gain;
        for (sum, frame) in round.iter_mut().zip(stereo(scene.clips, index)) {
            *sum = [0, 1].map(|side| sum[side] + gain * f32::from(sixteen(frame[side])) / 32_768.0);
        }
    }
    round.into()
}

/// The figures of a contender.
pub struct Figures {
    pub name: &'static str,
    /// Allocations and frees in the callback.
    pub heap_calls: u64,
    /// Nanoseconds of a frame of a voice, for each round.
    turns: Vec<f64>,
}

impl Figures {
    pub fn median(&self) -> f64 {
        median(self.turns.clone())
    }

    /// How many times as long as another it takes.
    pub fn over(&self, other: &Figures) -> f64 {
        median(self.turns.iter().zip(&other.turns).map(|(ours, theirs)| ours / theirs).collect())
    }

    /// Times a turn: the middle one of its blocks counts. They are too short for the thread's clock, and too short
    /// to be often interrupted.
    fn add_turn(&mut self, player: &mut Player, voices: usize) -> Result<(), String> {
        let mut times = Vec::with_capacity(BLOCKS);
        for _ in 0..BLOCKS {
            let (time, calls) = player.block(|driver, out| {
                let (before, start) = (heap::calls(), Instant::now());
                driver.render(black_box(out));
                (start.elapsed(), heap::calls() - before)
            })?;
            times.push(time.as_nanos() as f64);
            self.heap_calls += calls;
        }
        self.turns.push(median(times) / (voices * BLOCK) as f64);
        Ok(())
    }
}

/// Times the callback, for as long as is given.
pub fn race(
    contenders: &[Contender],
    scene: &Scene,
    time: Duration,
) -> Result<Vec<Figures>, String> {
    let mut players: Vec<Player> =
        contenders.iter().map(|contender| Player::new(contender, scene)).collect();
    let none =
        |contender: &Contender| Figures { name: contender.name, heap_calls: 0, turns: Vec::new() };
    let mut figures: Vec<Figures> = contenders.iter().map(none).collect();
    rounds(contenders.len(), time, |index| {
        figures[index].add_turn(&mut players[index], scene.voices)
    })?;
    Ok(figures)
}

/// The time that all threads of this process take together for a second of sound, in milliseconds, while one contender
/// alone plays at the pace of a device.
pub fn milliseconds_of_all_threads(
    contenders: &[Contender],
    scene: &Scene,
    time: Duration,
) -> Result<Vec<f64>, String> {
    let mut turns = vec![Vec::new(); contenders.len()];
    let block = Duration::from_secs(BLOCK as u64) / RATE;
    rounds(contenders.len(), time, |index| {
        let mut player = Player::new(&contenders[index], scene);
        let (begun, before) = (Instant::now(), process_time());
        for number in 1..=LONG {
            player.block_at_once(|driver, out| driver.render(out))?;
            thread::sleep((block * number).saturating_sub(begun.elapsed()));
        }
        let spent = process_time() - before;
        turns[index].push(1000.0 * spent.as_secs_f64() / (block * LONG).as_secs_f64());
        Ok(())
    })?;
    Ok(turns.into_iter().map(median).collect())
}
