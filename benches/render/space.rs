//! What it costs to move: the audio thread where voices or the listener do, and the game where it says so.

use std::time::{Duration, Instant};

use divan::black_box;
use voicepool::{
    Attenuation, Config, Frame, Interpolation, Listener, Mixer, Play, Renderer, VoiceId,
};

use crate::common::{BLOCK, Bits, RATE, clips, mixer, round};
use crate::ratios::{Lane, race};

/// How many voices stand or move.
const VOICES: usize = 64;

/// How many a game moves in one call.
const MANY: usize = 1000;

/// Torches in a level, by rows and columns, and metres from one to the next.
const ROW: usize = 100;
const GAP: f32 = 10.0;

/// Three semitones up.
const ASKEW: f32 = 1.1892;

/// Frames between one frame of the game and the next: there are 60 a second.
const GAME_FRAME: usize = RATE as usize / 60;

/// Prints them all.
pub fn print() {
    let [standing, moving, standing_askew, moving_askew, torches] = race([
        voices(1.0, false),
        voices(1.0, true),
        voices(ASKEW, false),
        voices(ASKEW, true),
        torches(),
    ]);
    for (what, standing, moving) in [
        ("a voice that moves             ", standing, moving),
        ("the same, 3 semitones up       ", standing_askew, moving_askew),
    ] {
        let each = moving / VOICES as f64;
        println!("{what}{each:7.2} ns a frame, {:.2} times one that stands", moving / standing);
    }
    println!("{MANY} voices moved by the game {:7.2} us", set_positions().as_secs_f64() * 1e6);
    let share = torches * f64::from(RATE) / 1e9;
    println!("{} torches, 30 in earshot   {:7.2} % of a core", ROW * ROW, 100.0 * share);
}

/// Calls what a game does in its frames, in those blocks into which they fall.
fn each_game_frame(mut act: impl FnMut(usize)) -> impl FnMut() {
    let (mut clock, mut frame) = (0, 0);
    move || {
        clock += BLOCK;
        if frame * GAME_FRAME < clock {
            frame += 1;
            act(frame);
        }
    }
}

/// Voices with places, and perhaps moved by the game.
fn voices(speed: f32, moved: bool) -> Lane {
    let (mixer, renderer, voices) = placed(VOICES, speed);
    let game = each_game_frame(move |frame| {
        if moved {
            mixer.set_positions(moves(&voices, frame));
        }
    });
    lane(game, renderer)
}

fn lane(game: impl FnMut() + 'static, mut renderer: Renderer) -> Lane {
    let mut block = [Frame::default(); BLOCK];
    Lane::new(game, move || renderer.render(black_box(&mut block)))
}

/// A mixer of loops with places.
fn placed(many: usize, speed: f32) -> (Mixer, Renderer, Vec<VoiceId>) {
    let (mixer, mut renderer) = mixer(many, Interpolation::Linear);
    let loops = clips(Bits::F32).iter().cycle().take(many).enumerate();
    let play = |(n, clip)| Play::of(clip).looping().gain(0.01).speed(speed).at(round(n, 0));
    let voices = loops.map(|one| mixer.play(play(one)).expect("room in the queue")).collect();
    renderer.frames(BLOCK);
    assert_eq!(mixer.stats().playing, many);
    (mixer, renderer, voices)
}

fn moves(voices: &[VoiceId], frame: usize) -> impl Iterator<Item = (VoiceId, [f32; 3])> {
    voices.iter().enumerate().map(move |(n, voice)| (*voice, round(n, frame)))
}

/// What the game waits for when it moves many at once, whose places it knows: the fastest of some.
fn set_positions() -> Duration {
    let (mixer, mut renderer, voices) = placed(MANY, 1.0);
    let mut time = |frame| {
        let moves: Vec<_> = moves(&voices, frame).collect();
        let start = Instant::now();
        mixer.set_positions(black_box(&moves).iter().copied());
        let time = start.elapsed();
        renderer.frames(BLOCK);
        time
    };
    (1..=100).map(&mut time).min().expect("some")
}

/// A level of torches through which the listener walks, in a circle at 5 m/s.
fn torches() -> Lane {
    let config = Config { parked: 12_000, commands: 12_000, ..Config::default() };
    let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
    // One in a hundred square metres: 30 in a circle of this radius.
    let attenuation = Attenuation { far: 31.0, ..Attenuation::DEFAULT };
    let corner = -GAP * (ROW / 2) as f32;
    for (n, clip) in clips(Bits::F32).iter().cycle().take(ROW * ROW).enumerate() {
        let [x, z] = [n % ROW, n / ROW].map(|at| corner + GAP * at as f32);
        let torch = Play::of(clip).looping().gain(0.1).at([x, 0.0, z]).attenuation(attenuation);
        mixer.play(torch).expect("room in the queue");
    }
    renderer.frames(BLOCK);
    let game = each_game_frame(move |frame| {
        let (sin, cos) = (frame as f32 * 5.0 / 60.0 / 100.0).sin_cos();
        mixer.set_listener(Listener::at([100.0 * cos, 0.0, 100.0 * sin]));
        let stats = mixer.stats();
        assert!((20..40).contains(&stats.playing), "{stats:?}");
    });
    lane(game, renderer)
}
