//! What a stream costs the callback beside a sound in memory. `cargo bench --bench render -- ratios`.

use std::io::Cursor;
use std::sync::Arc;
use std::thread;

use divan::black_box;
use hound::{SampleFormat, WavSpec, WavWriter};
use voicepool::{Config, Frame, Interpolation, Mixer, Play, Renderer, Stream, ms, semitones};

use crate::common::{BLOCK, RATE};
use crate::ratios::{Lane, race};

/// How many play at once.
const VOICES: usize = 32;

/// Prints what they cost as they are, and three semitones up.
pub fn print() {
    for (what, speed) in [("as it is", 1.0), ("pitched", semitones(3.0))] {
        let [loaded, streamed] = race([lane(false, speed), lane(true, speed)]);
        let each = |all: f64| all / VOICES as f64;
        println!(
            "a stream {what:22}{:7.2} {:7.2} times a sound in memory",
            each(streamed),
            streamed / loaded
        );
    }
}

/// Two seconds of stereo noise, as a file of 16 bits.
fn file(seed: u32) -> Arc<[u8]> {
    let spec = WavSpec {
        channels: 2,
        sample_rate: RATE,
        bits_per_sample: 16,
        sample_format: SampleFormat::Int,
    };
    let mut file = Cursor::new(Vec::new());
    let mut wav = WavWriter::new(&mut file, spec).expect("a sound format");
    let mut random = seed;
    for _ in 0..4 * RATE {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        wav.write_sample((random >> 16) as i16 / 64).expect("room in memory");
    }
    wav.finalize().expect("room in memory");
    file.into_inner().into()
}

fn lane(streams: bool, speed: f32) -> Lane {
    let interpolation = Interpolation::Linear;
    let config = Config {
        voices: VOICES,
        streams: VOICES,
        sample_rate: RATE,
        interpolation,
        ..Config::DEFAULT
    };
    let (mixer, mut renderer): (Mixer, Renderer) = Mixer::offline(config).expect("a valid config");
    for seed in 0..VOICES as u32 {
        let file = file(seed);
        let play = if streams {
            let stream = Stream::from_reader("noise", move || Ok(Cursor::new(file.clone())));
            Play::of(stream.expect("a file of our own"))
        } else {
            Play::of(mixer.load_bytes("noise", file).expect("a file of our own"))
        };
        // Each elsewhere in its blocks.
        let from = ms(u64::from(seed) * 3 % 80);
        mixer.play(play.looping().speed(speed).from_position(from)).expect("room in the queue");
    }
    renderer.frames(RATE as usize / 4);
    let mut block = [Frame::default(); BLOCK];
    // Blocks come some time apart, as a device asks for them, so that nobody is starved; and it must not go
    // before its renderer.
    let game = move || {
        thread::sleep(ms(2));
        assert_eq!(mixer.stats().underruns, 0, "what is measured is what plays");
    };
    Lane::new(game, move || renderer.render(black_box(&mut block)))
}
