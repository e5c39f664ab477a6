//! Law 5, where a loop turns: what is seamless at the sound's own rate is seamless after it was
//! resampled, whatever the rates, the speed and the way to read between the samples.

mod common;

use common::{bits, mono, noise, sine, wav16};
use voicepool::{Config, Frame, Interpolation, Mixer, Play, Renderer, Sound, ms};

const RATES: [(u32, u32); 6] = [
    (44_100, 48_000),
    (22_050, 48_000),
    (96_000, 48_000),
    (44_100, 96_000),
    (44_100, 192_000),
    (48_000, 44_100),
];
const BETWEEN: [Interpolation; 3] =
    [Interpolation::Linear, Interpolation::Cubic, Interpolation::Sinc];
const SPEEDS: [f32; 3] = [1.0, 0.5, 1.3];
const AMPLITUDE: f32 = 0.25;
const BOUND: f32 = 1.5;

fn open(rate: u32, interpolation: Interpolation) -> (Mixer, Renderer) {
    let config = Config { voices: 1, max_voices: 1, sample_rate: rate, ..Config::default() };
    Mixer::offline(Config { interpolation, ..config }).expect("a good config")
}

fn quiet(samples: &[f32]) -> Vec<f32> {
    samples.iter().map(|sample| sample * AMPLITUDE).collect()
}

/// What is heard of a play that is alone.
fn hear(play: Play, rate: u32, between: Interpolation, frames: usize) -> Vec<Frame> {
    let (mixer, mut renderer) = open(rate, between);
    mixer.play(play);
    renderer.frames(frames)
}

/// The largest step on the left, from sample to sample.
fn largest_step(frames: &[Frame]) -> f32 {
    frames.windows(2).fold(0.0, |most, pair| most.max((pair[1][0] - pair[0][0]).abs()))
}

/// How long the clip is at the other rate, in frames and parts of one.
fn exact(frames: usize, from: u32, to: u32) -> f64 {
    frames as f64 * f64::from(to) / f64::from(from)
}

/// Lengths around a fortieth of a second: one that is whole at the other rate as well, and those
/// that are the furthest from it: just under half a frame too long, and half a frame too short.
fn lengths(from: u32, to: u32) -> Vec<usize> {
    let near = from as usize / 40..from as usize / 40 + 200;
    let nearest = |part: f64| {
        let off = |frames: &usize| (exact(*frames, from, to).fract() - part).abs();
        near.clone().min_by(|a, b| off(a).total_cmp(&off(b))).expect("some length")
    };
    let mut lengths = vec![nearest(0.0), nearest(0.49), nearest(0.501)];
    lengths.dedup();
    lengths
}

/// A sine of whole turns, and the largest step that is its own.
struct Tone {
    sound: Sound,
    own_step: f64,
    what: String,
}

fn tones(from: u32, to: u32) -> Vec<Tone> {
    let mut tones = Vec::new();
    for length in lengths(from, to) {
        // Cut where it is steepest, where it is highest, and elsewhere.
        for (turns, phase) in [(3, 0.0), (3, 0.25), (11, 0.5), (26, 0.8), (75, 0.0)] {
            let hertz = f64::from(turns) * f64::from(from) / length as f64;
            let samples = quiet(&sine(from, hertz, phase, length));
            // Some in sixteen bits, and they stay so.
            let source = if turns == 11 { wav16(from, 1, &samples) } else { mono(from, &samples) };
            tones.push(Tone {
                sound: source.resampled(to).expect("it fits"),
                own_step: 2.0 * (std::f64::consts::PI * hertz / f64::from(to)).sin(),
                what: format!("{turns} turns from {phase} in {length} frames"),
            });
        }
    }
    tones
}

/// Sines of whole turns make no step at the seam that is above 1.5 of their own, on the first turn
/// and on all that follow.
#[test]
fn a_sine_that_loops_seamlessly_does_so_at_any_rate() {
    for (from, to) in RATES {
        let tones = tones(from, to);
        let mut worst = 0.0f64;
        for between in BETWEEN {
            let (mixer, mut renderer) = open(to, between);
            for (Tone { sound, own_step, what }, speed) in
                tones.iter().flat_map(|tone| SPEEDS.map(|speed| (tone, speed)))
            {
                mixer.play(Play::of(sound).looping().speed(speed));
                // The beginning is the one-shot's, and so its author's.
                let turn = (sound.frame_count() as f32 / speed) as usize;
                renderer.frames(turn / 2 + 128);
                let step = largest_step(&renderer.frames(5 * turn / 2));
                mixer.stop_all(ms(0));
                renderer.frames(2048);
                let ratio = f64::from(step / AMPLITUDE) / (own_step * f64::from(speed));
                assert!(
                    ratio <= BOUND.into(),
                    "{from} to {to}: {ratio} of its own, {what}, {between:?} at {speed}"
                );
                worst = worst.max(ratio);
            }
        }
        println!("{from} to {to}: at worst {worst:.3}");
    }
}

/// The project's own drone: at the seam it does nothing that it does not do around it.
#[test]
fn the_drone_turns_without_a_trace_at_96_khz() {
    let (mixer, mut renderer) = open(96_000, Interpolation::Cubic);
    let source = Sound::load("sounds/drone_loop.wav").expect("the drone");
    let drone = mixer.load("sounds/drone_loop.wav").expect("the drone");
    mixer.play(Play::of(&drone).looping());
    let turn = exact(source.frame_count(), source.sample_rate(), 96_000).round() as usize;
    let heard = renderer.frames(2 * turn + 2000);
    for seam in [turn, 2 * turn] {
        let around = largest_step(&heard[seam - 1000..seam - 100])
            .max(largest_step(&heard[seam + 100..seam + 1000]));
        let ratio = largest_step(&heard[seam - 100..seam + 100]) / around;
        println!("the drone: {ratio:.3} of what is around its seam");
        assert!(ratio <= BOUND, "{ratio}");
    }
}

/// Where the length is whole, a loop sounds as what it stands for: the clip again and again,
/// resampled as one. The first time round its beginning is that of the clip played once.
#[test]
fn a_loop_is_the_middle_of_three_clips_resampled_together() {
    for (from, to) in RATES {
        let length = lengths(from, to)[0];
        let turn = exact(length, from, to) as usize;
        assert_eq!(turn as f64, exact(length, from, to));
        let samples = quiet(&noise(7, 2 * length));
        let clips: [fn(u32, &[f32]) -> Sound; 3] = [
            mono,
            |rate, samples| wav16(rate, 1, samples),
            |rate, samples| Sound::from_stereo(rate, samples.as_chunks().0).expect("frames"),
        ];
        for (clip, samples) in clips.iter().zip([&samples[length..], &samples[length..], &samples])
        {
            let (once, thrice) = (clip(from, samples), clip(from, &samples.repeat(3)));
            let once = once.resampled(to).expect("it fits");
            let long: Vec<Frame> = thrice.resampled(to).expect("it fits").frames().collect();
            let heard = hear(Play::of(&once).looping(), to, Interpolation::Cubic, 4 * turn);
            let close = |a: &[Frame], b: &[Frame]| {
                a.as_flattened().iter().zip(b.as_flattened()).all(|(a, b)| (a - b).abs() <= 1e-6)
            };
            for n in 1..4 {
                let middle = &long[turn..2 * turn];
                assert!(close(&heard[n * turn..][..turn], middle), "{from} to {to}, turn {n}");
            }
            assert!(close(&heard[turn / 2..turn], &long[turn / 2..turn]), "{from} to {to}");
            let own: Vec<Frame> = once.frames().take(turn / 2).collect();
            assert!(bits(&heard[..turn / 2]) == bits(&own), "{from} to {to}, the beginning");
        }
    }
}

/// A turn lasts as long as it did, to the nearest frame: nothing drifts further than it must.
#[test]
fn a_turn_lasts_as_long_as_it_did() {
    for (from, to) in RATES {
        for length in lengths(from, to) {
            let sound = mono(from, &quiet(&noise(11, length))).resampled(to).expect("it fits");
            let turn = exact(length, from, to).round() as usize;
            let heard = hear(Play::of(&sound).looping(), to, Interpolation::Linear, 4 * turn);
            let (one, next) = (&heard[turn..3 * turn], &heard[2 * turn..]);
            assert!(bits(one) == bits(next), "{length} frames, {from} to {to}");
        }
    }
}

/// All of a sound is a loop of all of it, however it was asked for; a part of it is a part.
#[test]
fn every_way_to_ask_for_the_whole_is_the_whole() {
    let source = mono(44_100, &quiet(&sine(44_100, 440.0, 0.1, 4410)));
    let sound = source.resampled(48_000).expect("it fits").named("hum");
    let heard = |play: Play| bits(&hear(play, 48_000, Interpolation::Linear, 20_000));
    let whole = heard(Play::of(&sound).looping());
    assert!(heard(Play::of(&sound).loop_range(..)) == whole);
    assert!(heard(Play::of(&sound).loop_range(..source.duration())) == whole);
    assert!(heard(Play::of(&sound).loop_range(ms(0)..ms(5000))) == whole);
    assert!(heard(Play::of(&sound).loop_range(ms(50)..ms(50))) == whole);
    let part = hear(Play::of(&sound).loop_range(ms(20)..), 48_000, Interpolation::Linear, 4800);
    let own: Vec<Frame> = sound.frames().collect();
    assert!(bits(&part) == bits(&own));
}

/// A sound that is played once is what it was before loops had seams, at any speed.
#[test]
fn a_one_shot_keeps_its_ends() {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for (from, to) in RATES {
        let sound = mono(from, &quiet(&noise(3, 1000))).resampled(to).expect("it fits");
        let frames: Vec<Frame> = sound.frames().collect();
        for byte in frames.as_flattened().iter().flat_map(|sample| sample.to_bits().to_le_bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        let plain = Sound::from_stereo(to, &frames).expect("the same frames");
        for between in BETWEEN {
            for speed in SPEEDS {
                let once = |sound| {
                    bits(&hear(Play::of(sound).speed(speed), to, between, 3 * frames.len()))
                };
                assert!(once(&sound) == once(&plain), "{from} to {to} at {speed}, {between:?}");
            }
        }
    }
    assert_eq!(hash, 0x8c3197ff4cf433b1, "the resampler's bits");
}

/// A seam is the same however the time is cut, on the first turn and on all that follow.
#[test]
fn a_seam_is_the_same_at_any_buffer_size() {
    for length in [20, 150, 441, 500] {
        let sound = mono(44_100, &quiet(&noise(5, length))).resampled(48_000).expect("it fits");
        for between in BETWEEN {
            for speed in [1.0, 0.5, 1.3, 7.7] {
                let play = Play::of(&sound).looping().speed(speed);
                let whole = bits(&hear(play.clone(), 48_000, between, 3000));
                for block in [1, 37, 128, 1000] {
                    let (mixer, mut renderer) = open(48_000, between);
                    mixer.play(&play);
                    let blocks = (0..3000).step_by(block);
                    let heard: Vec<Frame> = blocks.flat_map(|_| renderer.frames(block)).collect();
                    assert!(bits(&heard[..3000]) == whole, "{length} {between:?} {speed} {block}");
                }
            }
        }
    }
}

/// A loop shorter than the filter is the same tone, without a beginning of its own.
#[test]
fn a_loop_of_a_few_frames_is_a_tone() {
    for (from, to) in RATES {
        // The shortest that are whole at both rates.
        let shortest = (1..).find(|n| exact(*n, from, to).fract() == 0.0).expect("some length");
        for length in [shortest, shortest.max(8)] {
            let turns = if length < 8 { 0.0 } else { 1.0 };
            let hertz = turns * f64::from(from) / length as f64;
            let sound = mono(from, &quiet(&sine(from, hertz, 0.2, length))).resampled(to);
            let play = Play::of(sound.expect("it fits")).looping();
            let expected = quiet(&sine(to, hertz, 0.2, 2000));
            for (frame, expected) in hear(play, to, Interpolation::Cubic, 2000).iter().zip(expected)
            {
                let off = (frame[0] - expected).abs();
                assert!(off < 1e-5, "{from} to {to}, {length} frames: off by {off}");
            }
        }
    }
}

/// A constant is a constant, however short.
#[test]
fn the_shortest_clips_loop() {
    for (from, to) in
        [(44_100, 48_000), (48_000, 44_100), (384_000, 1000), (44_101, 48_000), (3, 7)]
    {
        for frames in [1, 2, 7] {
            let sound = mono(from, &vec![0.5; frames]).resampled(to).expect("it fits");
            for speed in [1.0, 0.3] {
                let play = Play::of(&sound).looping().speed(speed);
                let heard = hear(play, to, Interpolation::Linear, 1000);
                let off = heard.iter().fold(0.0f32, |most, frame| most.max((frame[0] - 0.5).abs()));
                assert!(off < 1e-5, "{frames} frames from {from} to {to} at {speed}: {off}");
            }
        }
    }
}

/// Rates that are worlds apart neither hang nor take what they should not. Their loops are as they
/// are.
#[test]
fn the_widest_ratios_loop() {
    for (from, to, frames) in [(1, 384_000, 1), (384_000, 1, 1), (384_000, 1, 400_000)] {
        let sound = mono(from, &vec![0.5; frames]).resampled(to).expect("it fits");
        let plain = mono(to, &sound.frames().map(|frame| frame[0]).collect::<Vec<_>>());
        assert_eq!(sound.memory(), plain.memory());
        let heard = hear(Play::of(&sound).looping(), to, Interpolation::Cubic, 1000);
        assert!(heard[999][0] != 0.0);
    }
}

/// It is counted, small, kept under another name, and made anew for yet another rate.
#[test]
fn a_seam_is_a_part_of_its_sound() {
    let source = mono(44_100, &quiet(&sine(44_100, 441.0, 0.0, 44_100)));
    let sound = source.resampled(48_000).expect("it fits");
    let plain = mono(48_000, &sound.frames().map(|frame| frame[0]).collect::<Vec<_>>());
    let seam = sound.memory() - plain.memory();
    assert!((4..1000).contains(&seam), "{seam} bytes");
    assert_eq!(sound.clone().named("hum").memory(), sound.memory());
    let twice = sound.resampled(96_000).expect("it fits");
    assert_eq!(twice.frame_count(), 96_000);
    assert!(twice.memory() > sound.memory());
}
