//! Loop points that a file has of itself: where they are found, where they turn, and that they turn without a
//! seam at any rate.

mod common;

use std::ops::Range;
use std::path::{Path, PathBuf};

use common::bits;
use voicepool::{Config, Frame, Mixer, Play, Sound, ms};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats").join(name)
}

/// Sines of 300 Hz that loop from frame 2205 to frame 6615, at 44.1 kHz: thirty turns.
const LOOP: Range<usize> = 2205..6615;

/// What can be read: how the loop is told, and how large its steps may be beside those of the sine.
fn files() -> Vec<(&'static str, f32)> {
    let all = [("loop.wav", 1.01), ("loop.flac", 1.01), ("loop.ogg", 1.3)];
    let count = if cfg!(feature = "formats") { all.len() } else { 1 };
    all[..count].to_vec()
}

fn hear(rate: u32, play: Play, frames: usize) -> Vec<Frame> {
    let config = Config { voices: 1, max_voices: 1, sample_rate: rate, ..Config::DEFAULT };
    let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
    mixer.play(play);
    renderer.frames(frames)
}

fn frame_at(time: std::time::Duration, rate: u32) -> usize {
    (time.as_secs_f64() * f64::from(rate)).round() as usize
}

#[test]
fn a_file_tells_where_it_loops() {
    for (name, _) in files() {
        let sound = Sound::load(path(name)).expect("a good file");
        let points = sound.loop_points().expect("loop points");
        let frames = frame_at(points.start, 44_100)..frame_at(points.end, 44_100);
        assert_eq!(frames, LOOP, "{name}");
        assert_eq!(sound.clone().named("other").loop_points(), Some(points), "{name}");
    }
    let plain = Sound::load("sounds/drone_loop.wav").expect("the drone");
    assert_eq!(plain.loop_points(), None);
}

#[test]
#[cfg(feature = "formats")]
fn an_mp3_tells_it_in_its_id3_tag() {
    let sound = Sound::load(path("ffmpeg_44_stereo.mp3")).expect("a good file");
    assert_eq!(sound.loop_points(), Some(ms(100)..ms(200)));
}

#[test]
fn looping_turns_at_the_files_own_points_to_the_frame() {
    for (name, _) in files() {
        let sound = Sound::load(path(name)).expect("a good file");
        let own: Vec<Frame> = sound.frames().collect();
        let around = own[LOOP].iter().cycle();
        let expected: Vec<Frame> =
            own[..LOOP.start].iter().chain(around).take(20_000).copied().collect();
        let heard = hear(44_100, Play::of(&sound).looping(), 20_000);
        assert!(bits(&heard) == bits(&expected), "{name}");
        let points = sound.loop_points().expect("loop points");
        let asked = hear(44_100, Play::of(&sound).loop_range(points), 20_000);
        assert!(bits(&asked) == bits(&expected), "{name}");
    }
}

#[test]
fn a_range_that_is_asked_for_overrides_them() {
    let sound = Sound::load(path("loop.wav")).expect("a good file");
    let own: Vec<Frame> = sound.frames().collect();
    let whole: Vec<Frame> = own.iter().cycle().take(20_000).copied().collect();
    let heard = hear(44_100, Play::of(&sound).loop_range(..), 20_000);
    assert!(bits(&heard) == bits(&whole), "the whole is the whole");
    let heard = hear(44_100, Play::of(&sound).looping().loop_range(ms(10)..ms(20)), 2000);
    let part: Vec<Frame> =
        own[..441].iter().chain(own[441..882].iter().cycle()).take(2000).copied().collect();
    assert!(bits(&heard) == bits(&part), "a part is a part");
}

#[test]
fn a_loop_lasts_as_long_at_another_rate_and_keeps_its_place() {
    for (name, _) in files() {
        for rate in [48_000, 96_000, 32_000, 88_200, 44_101] {
            let sound = Sound::load(path(name)).and_then(|it| it.resampled(rate)).expect("a file");
            let points = sound.loop_points().expect("loop points");
            let (start, end) = (frame_at(points.start, rate), frame_at(points.end, rate));
            let exact =
                |frames: usize| (frames as f64 * f64::from(rate) / 44_100.0).round() as usize;
            assert_eq!(
                (start, end - start),
                (exact(LOOP.start), exact(LOOP.len())),
                "{name} {rate}"
            );
            let twice = sound.resampled(44_100).expect("it fits").loop_points();
            let frames = twice.map(|it| frame_at(it.start, 44_100)..frame_at(it.end, 44_100));
            assert_eq!(frames, Some(LOOP), "{name} to {rate} and back");
        }
    }
}

/// The largest step of a loop that is played, beside that of the sine, from the first turn on.
fn largest_step(sound: &Sound, rate: u32, hertz: f32) -> f32 {
    let heard = hear(rate, Play::of(sound).looping(), rate as usize);
    let largest = |frames: &[Frame]| {
        frames.windows(2).map(|pair| (pair[1][0] - pair[0][0]).abs()).fold(0.0, f32::max)
    };
    let own = 0.25 * 2.0 * (std::f32::consts::PI * hertz / rate as f32).sin();
    // Where the file begins, it begins.
    largest(&heard[1000..]) / own
}

#[test]
fn what_is_seamless_at_its_own_rate_is_so_at_every_other() {
    for (name, bound) in files() {
        // All of which the loop is a whole number of frames at.
        for rate in [48_000, 96_000, 32_000, 192_000, 20_000] {
            let config = Config { sample_rate: rate, ..Config::DEFAULT };
            let (mixer, _renderer) = Mixer::offline(config).expect("a good config");
            let sound = mixer.load(path(name)).expect("a good file");
            let ratio = largest_step(&sound, rate, 300.0);
            println!("{name} at {rate} Hz: {ratio}");
            assert!(ratio <= bound, "{name} at {rate} Hz: a step {ratio} times the sine's own");
        }
    }
}

/// A WAV of a sine with a smpl chunk.
fn wav(frames: u32, loops: &[(u32, u32, u32)]) -> Vec<u8> {
    let mut file =
        b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x44\xAC\0\0\x88\x58\x01\0\x02\0\x10\0data"
            .to_vec();
    file.extend((frames * 2).to_le_bytes());
    for frame in 0..frames {
        let turns = f64::from(frame) / 100.0;
        let sample = ((turns * std::f64::consts::TAU).sin() * 8192.0).round() as i16;
        file.extend(sample.to_le_bytes());
    }
    file.extend(b"smpl");
    file.extend((36 + 24 * loops.len() as u32).to_le_bytes());
    for field in [0, 0, 0, 60, 0, 0, 0, loops.len() as u32, 0] {
        file.extend(field.to_le_bytes());
    }
    for (kind, first, last) in loops {
        for field in [0, *kind, *first, *last, 0, 0] {
            file.extend(field.to_le_bytes());
        }
    }
    file
}

#[test]
fn points_that_cannot_be_are_ignored() {
    for loops in [
        &[(0, 500, 1000)][..],
        &[(0, 1000, 1001)],
        &[(0, 600, 400)],
        &[(0, u32::MAX, u32::MAX)],
        &[(1, 100, 200)],
        &[(0, 500, 498)],
        &[],
    ] {
        let sound = Sound::from_bytes(wav(1000, loops)).expect("a good file");
        assert_eq!(sound.loop_points(), None, "{loops:?}");
        let once: Vec<Frame> = sound.frames().collect();
        let heard = hear(44_100, Play::of(&sound).looping(), 2000);
        assert!(bits(&heard) == bits(&once.repeat(2)), "{loops:?}");
    }
    let last = Sound::from_bytes(wav(1000, &[(0, 999, 999)])).expect("a good file");
    assert!(last.loop_points().is_some_and(|it| it.end == last.duration()));
}

/// An instrument: an attack, and then one turn of a wave, shorter than the filter of another rate.
#[test]
fn a_loop_of_one_turn_behind_an_attack_is_a_tone_at_every_rate() {
    let sound = Sound::from_bytes(wav(2000, &[(0, 1200, 1299)])).expect("a good file");
    for rate in [44_100, 48_000, 88_200, 192_000] {
        let resampled = sound.resampled(rate).expect("it fits");
        // One turn need not be a whole number of frames: then it is the nearest, and steps by less than a half more.
        let ratio = largest_step(&resampled, rate, 441.0);
        assert!(ratio <= 1.5, "{rate} Hz: a step {ratio} times the sine's own");
        let heard = hear(rate, Play::of(&resampled).looping(), rate as usize);
        let before = (1200.0 * f64::from(rate) / 44_100.0) as usize - 200;
        let own: Vec<Frame> = resampled.frames().take(before).collect();
        assert!(bits(&heard[..before]) == bits(&own), "{rate} Hz: the attack is its author's");
    }
}
