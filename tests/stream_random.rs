//! A stream is heard as the same file loaded, whatever is said to it: scripts at random, to both, and every
//! bit and every ending agree.

mod common;
#[path = "common/streams.rs"]
mod streams;

use std::time::Duration;

use common::Random;
use streams::{Both, Form, Pair};
use voicepool::{BusId, Config, Interpolation, Mixer, Play, VoiceId, ms};

/// At other speeds a voice reads between frames, on either side as far as this. A shorter loop turns within that, and
/// what was before its first turn is not the same for both.
const SHORTEST_LOOP: Duration = Duration::from_micros(1_400);

const BUS: BusId = BusId::new(5);

/// A time in a file of so many milliseconds, now and then beyond it.
fn place(random: &mut Random, long: u64) -> Duration {
    Duration::from_micros(random.below(long * 1050))
}

fn play(random: &mut Random, long: u64, clock: u64) -> impl Fn(Play) -> Play {
    let seed = random.next();
    move |mut play| {
        let random = &mut Random(seed);
        play = play.bus(BUS).gain(random.between(0.1, 0.6));
        if random.below(3) == 0 {
            play = play.pan(random.between(-1.0, 1.0));
        }
        if random.below(4) == 0 {
            play = play.low_pass(random.between(300.0, 5000.0));
        }
        if random.below(3) == 0 {
            play = play.from_position(place(random, long));
        }
        if random.below(4) == 0 {
            play = play.speed(*random.pick(&[0.01, 0.3, 0.77, 1.5, 2.0, 5.3, 31.0]));
        }
        if random.below(4) == 0 {
            play = play.fade_in(ms(random.below(60)));
        }
        play = match random.below(6) {
            0 => play.looping(),
            1 => {
                let start = place(random, long).min(ms(long) - SHORTEST_LOOP);
                play.loop_range(start..start + SHORTEST_LOOP + ms(random.below(long)))
            }
            2 => {
                // Shorter than anything that is made at once.
                let start = place(random, long).min(ms(long) - SHORTEST_LOOP);
                let length = SHORTEST_LOOP + Duration::from_micros(random.below(9_000));
                play.loop_range(start..start + length)
            }
            _ => play,
        };
        match random.below(5) {
            0 => play.start_at(clock + random.below(9_000)),
            1 => play.delay(ms(random.below(150))),
            _ => play,
        }
    }
}

/// Something that is said.
fn say(random: &mut Random, long: u64) -> impl Fn(&Mixer, Option<VoiceId>) {
    let (seed, what) = (random.next(), random.below(24));
    move |mixer: &Mixer, voice| {
        let random = &mut Random(seed);
        let over = ms(random.below(60));
        match what {
            0..=5 => mixer.seek(voice, place(random, long)),
            6 => mixer.pause(voice, over),
            7..=8 => mixer.resume(voice, over),
            9 => mixer.pause(BUS, over),
            10..=11 => mixer.resume(BUS, over),
            12..=13 => mixer.set_speed(voice, random.between(0.2, 3.0), over),
            14 => mixer.set_speed(voice, 1.0, over),
            15 => mixer.set_speed(BUS, random.between(0.5, 1.5), over),
            16 => mixer.set_speed(BUS, 1.0, over),
            17 => mixer.set_gain(voice, random.between(0.1, 0.6), over),
            18 => mixer.set_pan(voice, random.between(-1.0, 1.0), over),
            19 => mixer.set_low_pass(voice, random.between(300.0, 30_000.0), over),
            20..=21 => {
                mixer.end_loop(voice);
                if random.below(2) == 0 {
                    mixer.seek(voice, place(random, long));
                }
            }
            22 => mixer.set_mute(voice, random.below(3) == 0),
            _ if random.below(4) == 0 => mixer.stop(voice, over),
            _ => mixer.set_mute(voice, false),
        }
    }
}

/// Some plays of one file, and whatever can be said to them. Returns how many have ended.
fn script(seed: u64, form: Form) -> usize {
    let random = &mut Random(seed);
    let long = *random.pick(&[3, 40, 250, 900, 2500]);
    let frames = form.rate as usize * long as usize / 1000 + random.below(100) as usize;
    let interpolation =
        *random.pick(&[Interpolation::Linear, Interpolation::Cubic, Interpolation::Sinc]);
    let config = Config { interpolation, ..Config::default() };
    let mut pair = Pair::new(config, &form.music(frames));
    let mut voices: Vec<Both> = Vec::new();
    for step in 0..12 {
        if voices.len() < 3 && random.below(2) == 0 {
            let clock = pair.loaded.0.clock();
            voices.push(pair.play(play(random, long, clock)));
        }
        for _ in 0..random.below(4) {
            if let Some(both) = voices.get(random.below(3) as usize) {
                pair.say(*both, say(random, long));
            }
        }
        let count = random.below(6_000) as usize;
        let buffer = *random.pick(&[1 + count / 3, 37, 128, 512, 3_000]);
        pair.hear(count, buffer, &format!("seed {seed}, {form:?}, step {step}"));
    }
    assert_eq!(pair.streamed.0.stats().underruns, 0, "seed {seed}");
    pair.assert_ended_alike(&format!("seed {seed}, {form:?}")).len()
}

fn scripts(form: Form) {
    let (first, count) = match std::env::var("VOICEPOOL_SEED") {
        Ok(seed) => (seed.parse().expect("a number"), 1),
        Err(_) => (0, if std::env::var_os("VOICEPOOL_LONG").is_some() { 300 } else { 16 }),
    };
    let ended: usize = (first..first + count).map(|seed| script(seed, form)).sum();
    assert!(ended > 0 || count == 1);
}

#[test]
fn scripts_at_the_mixers_rate_are_heard_alike() {
    scripts(Form::PLAIN);
}

#[test]
fn scripts_of_sixteen_bits_are_heard_alike() {
    scripts(Form { is_float: false, ..Form::MONO });
}

#[test]
fn scripts_at_another_rate_are_heard_alike() {
    scripts(Form { rate: 44_100, ..Form::MONO });
}

#[test]
fn scripts_of_sixteen_bits_at_another_rate_are_heard_alike() {
    scripts(Form { rate: 22_050, is_float: false, ..Form::PLAIN });
}
