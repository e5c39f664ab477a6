//! What filters and rooms cost, as differences of two scenes and against a loop written by hand.
//! `cargo bench --bench render -- ratios`.
//!
//! Everybody takes a turn in each of many rounds, and the fastest of the turns counts: whatever else the
//! machine does only ever adds to one.

use std::array;
use std::f64::consts::{PI, SQRT_2};
use std::time::{Duration, Instant};

use divan::black_box;
use voicepool::{BusId, Frame, Interpolation, Mixer, Play, Renderer, Reverb, RoomId, ms};

use crate::common::{BLOCK, Bits, RATE, clips, mixer};

/// Blocks in a turn: 16 frames of the game, of which there are 60 a second.
pub const BLOCKS: usize = 25;
/// Turns of everybody.
const ROUNDS: usize = 200;

/// How many voices have a filter of their own.
const VOICES: usize = 64;

const CUT_OFF: f32 = 1000.0;
const BUS: BusId = BusId::new(1);
const ROOM: RoomId = RoomId::new(0);

/// One that takes turns.
pub struct Lane {
    /// What the game does before a block, which is not timed.
    game: Box<dyn FnMut()>,
    block: Box<dyn FnMut()>,
    /// Nanoseconds of a frame in its fastest turn.
    fastest: f64,
}

impl Lane {
    pub fn new(game: impl FnMut() + 'static, block: impl FnMut() + 'static) -> Lane {
        Lane { game: Box::new(game), block: Box::new(block), fastest: f64::INFINITY }
    }

    /// A mixer that was told something, and came to rest since.
    fn mixer((mixer, mut renderer): (Mixer, Renderer)) -> Lane {
        renderer.frames(RATE as usize / 4);
        let mut block = [Frame::default(); BLOCK];
        Lane::new(
            || (),
            move || {
                // It must not go before its renderer.
                black_box(&mixer);
                renderer.render(black_box(&mut block));
            },
        )
    }

    fn take_turn(&mut self) {
        let mut time = Duration::ZERO;
        for _ in 0..BLOCKS {
            (self.game)();
            let start = Instant::now();
            (self.block)();
            time += start.elapsed();
        }
        self.fastest = self.fastest.min(time.as_nanos() as f64 / (BLOCKS * BLOCK) as f64);
    }
}

/// Gives everybody their turns: nanoseconds of a frame.
pub fn race<const N: usize>(mut lanes: [Lane; N]) -> [f64; N] {
    for _ in 0..ROUNDS {
        lanes.iter_mut().for_each(Lane::take_turn);
    }
    lanes.map(|lane| lane.fastest)
}

/// Prints them all.
pub fn print() {
    let [by_hand, plain, filtered, dry, muffled, in_room] = race([
        Lane::new(|| (), by_hand()),
        Lane::mixer(one_voice(|_| ())),
        Lane::mixer(one_voice(|mixer| mixer.set_low_pass(BUS, CUT_OFF, ms(0)))),
        Lane::mixer(voices(|play| play)),
        Lane::mixer(voices(|play| play.low_pass(CUT_OFF))),
        Lane::mixer(one_voice(|mixer| {
            mixer.set_reverb(ROOM, Reverb::DEFAULT, ms(0));
            mixer.set_send(BUS, ROOM, 0.3, ms(0));
        })),
    ]);

    let bus_filter = filtered - plain;
    let voice_filter = (muffled - dry) / VOICES as f64;
    let room = in_room - plain;
    println!("a stereo low-pass by hand      {by_hand:7.2} ns a frame");
    println!(
        "a low-pass on a bus            {bus_filter:7.2} {:7.2} times that",
        bus_filter / by_hand
    );
    println!(
        "a low-pass of a voice          {voice_filter:7.2} {:7.2} times that",
        voice_filter / by_hand
    );
    println!("a room that a bus sends to     {room:7.2} {:7.2} times that", room / by_hand);
}

/// A mixer with one voice, on a bus.
fn one_voice(tell: impl Fn(&Mixer)) -> (Mixer, Renderer) {
    let (mixer, renderer) = mixer(1, Interpolation::Linear);
    mixer.play(Play::of(&clips(Bits::F32)[0]).looping().bus(BUS)).expect("room in the queue");
    tell(&mixer);
    (mixer, renderer)
}

/// A mixer with many.
fn voices(tell: impl Fn(Play) -> Play) -> (Mixer, Renderer) {
    let (mixer, renderer) = mixer(VOICES, Interpolation::Linear);
    for (n, clip) in clips(Bits::F32).iter().cycle().take(VOICES).enumerate() {
        let play = Play::of(clip).looping().gain(0.01).pan(n as f32 / VOICES as f32 - 0.5);
        mixer.play(tell(play)).expect("room in the queue");
    }
    (mixer, renderer)
}

/// Simper's filter on both sides of a block, in the numbers that ours is in, as fast as we could write it:
/// what each integrator will hold is a sum of three products, so that no frame waits for longer than that
/// for the one before it.
fn by_hand() -> impl FnMut() {
    let g = (PI * f64::from(CUT_OFF) / f64::from(RATE)).tan();
    let a1 = 1.0 / (1.0 + g * (g + SQRT_2));
    let (a2, a3) = (g * a1, g * g * a1);
    let mut state = [[0.0f64; 2]; 2];
    let noise: Vec<f32> = (0..BLOCK).map(|n| (n * 7919 % 512) as f32 / 512.0 - 0.5).collect();
    let [mut left, mut right] = [noise.clone(), noise];
    move || {
        let [mut first, mut second] = state;
        for (left, right) in black_box(&mut left).iter_mut().zip(black_box(&mut right)) {
            let samples = [*left, *right].map(f64::from);
            let out: [f64; 2] = array::from_fn(|side| {
                a2 * first[side] + (1.0 - a3) * second[side] + a3 * samples[side]
            });
            [first, second] = [
                array::from_fn(|side| {
                    (2.0 * a1 - 1.0) * first[side]
                        + (2.0 * a2 * samples[side] - 2.0 * a2 * second[side])
                }),
                array::from_fn(|side| {
                    2.0 * a2 * first[side]
                        + (2.0 * a3 * samples[side] + (1.0 - 2.0 * a3) * second[side])
                }),
            ];
            [*left, *right] = out.map(|sample| sample as f32);
        }
        state = [first, second];
    }
}
