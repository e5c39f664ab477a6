//! Law 8: what comes out is finite and within ±1, whatever went in; below the ceiling it is
//! exact.

mod common;

use common::{Random, bits, mono, noise};
use voicepool::{
    BusId, Config, Frame, Interpolation, Mixer, Play, Priority, Renderer, Sound, ms, secs,
};

const RATE: u32 = 48_000;
/// What no game means to say.
const ABSURD: [f32; 10] = [
    f32::NAN,
    -f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    1e38,
    -1e38,
    f32::MAX,
    f32::MIN_POSITIVE,
    1e-39,
    -0.0,
];

fn open(voices: usize) -> (Mixer, Renderer) {
    let config = Config { voices, max_voices: voices, ..Config::default() };
    Mixer::offline(config).expect("a good config")
}

fn assert_tame(frames: &[Frame], what: &str) {
    for (at, frame) in frames.iter().enumerate() {
        // A comparison with NaN is false.
        assert!(frame.iter().all(|sample| sample.abs() <= 1.0), "{what}: {frame:?} at {at}");
    }
}

/// Absurd numbers, in requests and in controls, alone and in pairs: what comes out is finite and
/// within ±1, with sounds as loud as a sound can be.
#[test]
fn absurd_parameters_come_out_finite_and_within_one() {
    let loud: Vec<f32> = noise(1, 4800).iter().map(|sample| sample * 65_536.0).collect();
    let loud = mono(RATE, &loud);
    for a in ABSURD {
        for b in ABSURD {
            let (mixer, mut renderer) = open(4);
            let play = Play::of(&loud).looping().gain(a).pan(b).speed(a).bus(BusId::new(2));
            let voice = mixer.play(play.fade_in(secs(b)).from_position(secs(a)));
            let other = mixer.play(&loud);
            assert_tame(&renderer.frames(500), "as asked for");
            mixer.set_gain(voice, b, secs(a));
            mixer.set_pan(other, a, secs(b));
            mixer.set_speed(voice, b, secs(b));
            mixer.set_gain(BusId::new(2), a, secs(b));
            mixer.set_gain(BusId::MASTER, b, secs(a));
            assert_tame(&renderer.frames(500), "as changed");
            mixer.seek(voice, secs(b));
            mixer.set_speed(other, a, ms(0));
            mixer.stop(BusId::new(2), secs(a));
            assert_tame(&renderer.frames(500), "as stopped");
        }
    }
}

/// Samples beyond what a sound may hold are refused; the loudest that are let in saturate.
#[test]
fn samples_are_refused_or_come_out_within_one() {
    for sample in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e38, -65_540.0] {
        assert!(Sound::from_mono(RATE, &[0.0, sample]).is_err(), "{sample}");
        assert!(Sound::from_stereo(RATE, &[[0.0, sample]]).is_err(), "{sample}");
    }
    let (mixer, mut renderer) = open(1);
    mixer.play(Play::of(mono(RATE, &[65_536.0, -65_536.0])).gain(1000.0));
    let heard = renderer.frames(3);
    assert!((0.999..=1.0).contains(&heard[0][0]) && heard[1] == heard[0].map(|s| -s), "{heard:?}");
    assert_eq!(heard[2], [0.0; 2]);
    let (mixer, mut renderer) = open(1);
    mixer.play(mono(RATE, &[4.0, -4.0, 2.0]));
    let heard = renderer.frames(3);
    assert!((0.999..=1.0).contains(&heard[0][0]) && heard[1] == heard[0].map(|s| -s), "{heard:?}");
    assert!((heard[2][0] - 0.5).abs() < 1e-3, "turned down as the peak before it was: {heard:?}");
}

/// Two hundred and fifty-six voices at full scale and the highest gain, through the highest bus
/// and master: the sum saturates. It keeps its sign, so it never wraps.
#[test]
fn a_sum_far_beyond_full_scale_saturates_and_never_wraps() {
    for gain in [1.0, 1000.0] {
        let (mixer, mut renderer) = open(256);
        let bus = BusId::new(15);
        mixer.set_gain(bus, gain, ms(0));
        mixer.set_gain(BusId::MASTER, gain, ms(0));
        renderer.frames(512);
        let wave: Vec<f32> = (0..960).map(|n| if n / 40 % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let wave = mono(RATE, &wave);
        for _ in 0..256 {
            mixer.play(Play::of(&wave).gain(gain).bus(bus));
        }
        // The next line, and the one that was mixed ahead.
        assert!(renderer.frames(128).iter().flatten().all(|sample| *sample == 0.0));
        for (at, frame) in renderer.frames(960).iter().enumerate() {
            let sign = if at / 40 % 2 == 0 { 1.0 } else { -1.0 };
            // At the absurd end the gain has only some steps left.
            let least = if gain == 1.0 { 0.9999 } else { 0.5 };
            assert!((least..=1.0).contains(&(frame[0] * sign)), "{frame:?} at {at}, gain {gain}");
            assert_eq!(frame[0], frame[1]);
        }
        let most = 256.0 * gain * gain * gain;
        let peak = mixer.stats().peak[0];
        assert!(
            (peak / most - 1.0).abs() < 1e-5,
            "the meter tells what it would have been: {peak}"
        );
    }
}

/// Below the ceiling one voice passes untouched, up to exactly full scale.
#[test]
fn one_voice_passes_bit_for_bit() {
    let mut clip = noise(2, 3000);
    clip[7] = 1.0;
    clip[8] = -1.0;
    let stereo: Vec<Frame> = clip.iter().map(|sample| [*sample, -0.5 * sample]).collect();
    let (mixer, mut renderer) = open(1);
    mixer.play(Sound::from_stereo(RATE, &stereo).expect("good samples"));
    assert!(bits(&renderer.frames(3000)) == bits(&stereo));
}

/// Below the ceiling a sum is the sum, voice after voice in the order in which they began.
#[test]
fn a_sum_below_the_ceiling_is_exact() {
    const VOICES: usize = 40;
    let clips: Vec<Vec<f32>> = (0..VOICES as u64).map(|seed| noise(seed, 1000)).collect();
    let (mixer, mut renderer) = open(VOICES);
    let mut expected = vec![[0.0f32; 2]; 1000];
    for (n, clip) in clips.iter().enumerate() {
        let gain = n as f32 / (VOICES * VOICES) as f32;
        mixer.play(Play::of(mono(RATE, clip)).gain(gain));
        for (sum, sample) in expected.iter_mut().zip(clip) {
            *sum = sum.map(|side| side + sample * gain);
        }
    }
    assert!(bits(&renderer.frames(1000)) == bits(&expected));
}

/// A voice with absurd settings, started, pushed about and stopped, costs the others not one bit,
/// as long as what is heard of it is silence.
#[test]
fn an_absurd_voice_leaves_the_others_as_they_are() {
    let clip = mono(RATE, &noise(3, 9600));
    let loudest = mono(RATE, &[65_536.0; 4800]);
    let run = |absurd: Option<f32>| {
        let (mixer, mut renderer) = open(8);
        for n in 0..4u8 {
            let play = Play::of(&clip).gain(0.2).speed(1.0 + f32::from(n) / 7.0);
            mixer.play(play.pan(f32::from(n) / 4.0).priority(Priority::High));
        }
        let mut heard = renderer.frames(1000);
        let voice = absurd.and_then(|value| {
            let play = Play::of(&loudest).gain(-value.abs()).pan(value).speed(value);
            mixer.play(play.looping().bus(BusId::new(9)).fade_in(secs(value)))
        });
        if let Some(value) = absurd {
            mixer.set_gain(BusId::new(9), value, ms(3));
        }
        heard.extend(renderer.frames(1000));
        if let Some(value) = absurd {
            mixer.set_pan(voice, -value, ms(0));
            mixer.set_speed(voice, -value, ms(0));
            mixer.seek(voice, secs(value));
        }
        heard.extend(renderer.frames(1000));
        mixer.stop(voice, secs(absurd.unwrap_or(0.0)));
        heard.extend(renderer.frames(2000));
        bits(&heard)
    };
    let alone = run(None);
    for value in ABSURD {
        assert!(run(Some(value)) == alone, "{value}");
    }
}

/// After the worst of overloads, what passes is exact again within two seconds, at every rate;
/// while it lasts, both sides are turned down together.
#[test]
fn an_overload_is_forgotten_within_two_seconds() {
    for rate in [8_000, 44_100, 48_000, 192_000, 384_000] {
        let config = Config { sample_rate: rate, ..Config::default() };
        let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
        let tone = mono(rate, &[0.5; 1]);
        mixer.play(Play::of(&tone).looping().pan(0.25));
        mixer.play(Play::of(mono(rate, &[65_536.0; 1])).gain(1000.0));
        let heard = renderer.frames(2 * rate as usize);
        let level = [0.5 * 0.75f32.sqrt(), 0.5 * 1.25f32.sqrt()];
        assert!(heard[1][1] < 1e-3, "turned down at first");
        let quarter = heard[rate as usize / 4];
        assert!(quarter[1] < level[1], "and for a while: {quarter:?}");
        assert!((quarter[0] / quarter[1] - level[0] / level[1]).abs() < 1e-4, "together");
        assert_eq!(renderer.frames(1)[0], level, "at {rate} Hz");
    }
}

/// Numbers so small that they would slow a processor down are 0 when they come out.
#[test]
fn samples_too_small_to_hear_become_silence() {
    for sample in [1e-39, -1e-39, f32::MIN_POSITIVE, 1e-30] {
        let (mixer, mut renderer) = open(1);
        mixer.play(mono(RATE, &[sample; 256]));
        assert_eq!(renderer.frames(256), [[0.0; 2]; 256], "{sample}");
    }
    let (mixer, mut renderer) = open(1);
    mixer.play(Play::of(mono(RATE, &[1.0; 4800])).gain(1e-39).fade_in(ms(20)));
    let mut random = Random(4);
    for _ in 0..40 {
        let frames = renderer.frames(1 + random.below(200) as usize);
        assert!(frames.iter().flatten().all(|sample| *sample == 0.0));
    }
}

/// And so are they at the least gains that are not silence, on the whole way out: what is let in
/// never becomes a denormal number, or only for the few frames of a fade.
#[test]
fn the_quietest_that_can_be_heard_is_no_denormal_number() {
    for interpolation in [Interpolation::Linear, Interpolation::Cubic, Interpolation::Sinc] {
        for speed in [1.0, 1.1892] {
            let config = Config { interpolation, ..Config::default() };
            let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
            let (bus, quietest) = (BusId::new(1), mono(RATE, &[1e-12; 4800]));
            for target in [bus, BusId::MASTER] {
                mixer.set_gain(target, 1e-8, ms(0));
            }
            mixer.play(Play::of(&quietest).bus(bus).gain(1e-8).looping().speed(speed));
            let frames = renderer.frames(9600).split_off(480);
            assert!(frames.iter().flatten().all(|sample| sample.is_normal()), "{interpolation:?}");
        }
    }
}
