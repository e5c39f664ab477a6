//! Law 1: the callback is real-time. `Renderer::render` never calls the allocator, to get or to
//! free, and never panics, whatever arrives. (Debug builds check every sum for overflow.)

#[path = "common/allocator.rs"]
mod allocator;
mod common;

use std::time::Duration;

use allocator::heap_calls;
use common::{Random, mono, noise};
use voicepool::{
    BusId, Config, Frame, Interpolation, Mixer, Play, Priority, Renderer, Sound, Tag, VoiceId,
    WhenFull, WhenStolen, ms, secs,
};

const POLICIES: [WhenFull; 4] =
    [WhenFull::StealQuietest, WhenFull::StealOldest, WhenFull::Refuse, WhenFull::Grow];

/// Renders, and sees that the allocator is left alone and that what comes out is sound.
fn render(renderer: &mut Renderer, out: &mut [Frame]) {
    let ((), calls) = heap_calls(|| renderer.render(out));
    assert_eq!(calls, 0, "the audio side called the allocator");
    assert!(out.iter().flatten().all(|sample| sample.abs() <= 1.0));
}

fn small(when_full: WhenFull) -> Config {
    Config {
        voices: 4,
        max_voices: 16,
        parked: 4,
        scheduled: 4,
        commands: 64,
        sample_rate: 8_000,
        when_full,
        ..Config::default()
    }
}

/// A sound that nobody but the mixer will hold.
fn fresh(random: &mut Random) -> Sound {
    let frames = 1 + random.below(2000) as usize;
    let rate = *random.pick(&[8_000, 8_000, 11_025, 48_000]);
    if random.below(2) == 0 {
        return mono(rate, &noise(random.next(), frames));
    }
    let frames: Vec<Frame> = (0..frames).map(|_| [random.unit(), -random.unit()]).collect();
    Sound::from_stereo(rate, &frames).expect("good samples")
}

fn request(random: &mut Random, clock: u64) -> Play {
    let play = Play::of(fresh(random)).gain(random.unit()).pan(random.between(-1.0, 1.0));
    let play = play.speed(random.between(0.3, 3.0)).bus(BusId::new(random.below(3) as u8));
    let play = play.tag(random.below(4));
    let play = play.priority(*random.pick(&[
        Priority::Low,
        Priority::Normal,
        Priority::High,
        Priority::Protected,
    ]));
    match random.below(6) {
        0 => play.looping(),
        1 => play.loop_range(ms(random.below(50))..ms(random.below(200))),
        2 => play.start_at(clock + random.below(3000)),
        3 => play.delay(ms(random.below(300))).from_position(ms(random.below(100))),
        // So that seams are told to end, too.
        4 if random.below(9) == 0 => {
            let clip = mono(11_025, &noise(random.next(), 1 + random.below(500) as usize));
            let loops = Play::of(clip.resampled(8_000).expect("it fits")).looping();
            loops.tag(random.below(4))
        }
        4 => play.when_stolen(WhenStolen::Park).fade_in(ms(random.below(100))),
        _ => play,
    }
}

/// Says one thing, of all that can be said.
fn say(mixer: &Mixer, random: &mut Random, voice: Option<VoiceId>) {
    let bus = BusId::new(random.below(3) as u8);
    let over = ms(random.below(60));
    let (tag, mute) = (Tag(random.below(4)), random.below(2) == 0);
    match random.below(26) {
        0 => mixer.stop(voice, over),
        1 => mixer.pause(voice, over),
        2 => mixer.resume(voice, over),
        3 => mixer.set_gain(voice, random.unit(), over),
        4 => mixer.set_pan(voice, random.between(-1.0, 1.0), over),
        5 => mixer.set_speed(voice, random.between(0.2, 4.0), over),
        6 => mixer.seek(voice, ms(random.below(300))),
        7 => mixer.stop(bus, over),
        8 => mixer.pause(bus, over),
        9 | 10 => mixer.resume(bus, over),
        11 => mixer.set_gain(bus, random.unit(), over),
        12 if random.below(9) == 0 => mixer.stop_all(over),
        13 => drop(mixer.resize(1 + random.below(16) as usize)),
        14 => drop(mixer.voices()),
        15 => mixer.set_when_full(*random.pick(&POLICIES)),
        16 | 17 => mixer.end_loop(voice),
        18 => mixer.end_loop(bus),
        19 => mixer.set_mute(voice, mute),
        20 => mixer.set_mute(bus, mute),
        21 => mixer.end_loop(tag),
        22 => mixer.pause(tag, over),
        23 => mixer.resume(tag, over),
        24 => drop(mixer.position(voice)),
        _ => mixer.reset_peaks(),
    }
}

/// Everything that can be said, under every policy and interpolation, to sounds whose last
/// handle the mixer holds: no call to the allocator.
#[test]
fn no_command_makes_the_audio_side_call_the_allocator() {
    let between = [Interpolation::Linear, Interpolation::Cubic, Interpolation::Sinc];
    for (policy, interpolation) in POLICIES.iter().flat_map(|p| between.map(|i| (*p, i))) {
        let config = Config { interpolation, ..small(policy) };
        let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
        let mut random = Random(7);
        let mut voices = [None; 32];
        let mut out = [[0.0; 2]; 600];
        for round in 0..200 {
            for _ in 0..random.below(6) {
                let voice = mixer.play(request(&mut random, mixer.clock()));
                voices[random.below(32) as usize] = voice;
            }
            for _ in 0..random.below(8) {
                let voice = *random.pick(&voices);
                say(&mixer, &mut random, voice);
            }
            if round % 60 == 59 {
                // Nobody listens most of the time, so events are missed.
                mixer.events().for_each(drop);
            }
            let frames = random.below(601) as usize;
            render(&mut renderer, &mut out[..frames]);
        }
        let stats = mixer.stats();
        let ended = stats.finished + stats.stopped + stats.stolen + stats.refused;
        assert_eq!(stats.accepted, ended + stats.live as u64);
        assert!(stats.stopped > 0 && stats.finished > 0 && stats.missed_events > 0, "{stats}");
    }
}

/// A pool that grows, and shrinks back when it has been idle for more than ten seconds, gets its
/// bigger self from the game side and sends the old one home.
#[test]
fn growing_and_shrinking_back_do_not_call_the_allocator() {
    let (mixer, mut renderer) = Mixer::offline(small(WhenFull::Grow)).expect("a good config");
    let mut out = [[0.0; 2]; 800];
    for _ in 0..3 {
        for _ in 0..16 {
            mixer.play(mono(8_000, &noise(3, 4000)));
            render(&mut renderer, &mut out[..200]);
        }
        assert_eq!(mixer.stats().voices, 16);
        for _ in 0..120 {
            render(&mut renderer, &mut out);
            mixer.events().for_each(drop);
        }
        assert_eq!(mixer.stats().voices, 4, "back after twelve seconds");
    }
    assert_eq!(mixer.stats().stolen, 0);
}

/// Queues that are full on the way there and on the way back, with snapshots asked for: the
/// audio side finds a place for everything.
#[test]
fn full_queues_do_not_call_the_allocator() {
    let config = Config { commands: 4, parked: 1, scheduled: 1, ..small(WhenFull::StealQuietest) };
    let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
    let mut random = Random(8);
    let mut out = [[0.0; 2]; 128];
    let mut voice = None;
    for round in 0..500 {
        for _ in 0..10 {
            voice = mixer.play(request(&mut random, mixer.clock())).or(voice);
            say(&mixer, &mut random, voice);
        }
        mixer.voices();
        render(&mut renderer, &mut out);
        if round % 100 == 99 {
            mixer.stop_all(ms(1));
        }
    }
    assert!(mixer.stats().turned_away > 100);
}

/// The mixer and every handle to every sound are gone, and the audio side plays on to the end.
#[test]
fn a_dropped_mixer_leaves_nothing_for_the_audio_side_to_free() {
    for (policy, stops) in POLICIES.iter().flat_map(|policy| [(*policy, false), (*policy, true)]) {
        let (mixer, mut renderer) = Mixer::offline(small(policy)).expect("a good config");
        let mut random = Random(9);
        let mut out = [[0.0; 2]; 500];
        for _ in 0..40 {
            mixer.play(request(&mut random, 0));
        }
        render(&mut renderer, &mut out);
        for n in 0..20 {
            // Some that are over at once, and more that wait than can.
            let play = request(&mut random, 500);
            mixer.play(if n % 3 == 0 { play.from_position(secs(9.0)) } else { play.delay(ms(90)) });
        }
        mixer.voices();
        if stops {
            mixer.stop_all(secs(0.5));
        }
        drop(mixer);
        for _ in 0..100 {
            render(&mut renderer, &mut out);
        }
    }
}

const TIMES: [Duration; 7] = [
    Duration::ZERO,
    Duration::from_nanos(1),
    ms(3),
    ms(700),
    Duration::from_secs(4_294_967_296),
    Duration::new(u64::MAX, 0),
    Duration::MAX,
];

const VALUES: [f32; 12] = [
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    1e30,
    -1e30,
    f32::MAX,
    1e-39,
    0.0,
    -1.0,
    0.01,
    1.0,
    100.0,
];

/// Absurd requests and controls, at random and at toy rates, with clips down to a single frame:
/// no panic and no overflow, and the books stay right.
#[test]
fn absurd_requests_do_not_panic() {
    let clips: Vec<Sound> = [1, 2, 3, 5, 17, 300]
        .into_iter()
        .flat_map(|frames| [1, 7, 48_000, 384_000].map(|rate| mono(rate, &noise(1, frames))))
        .collect();
    for (round, rate) in [1, 2, 99, 8_000, 48_000, 384_000].into_iter().cycle().take(18).enumerate()
    {
        let between = [Interpolation::Linear, Interpolation::Cubic, Interpolation::Sinc];
        let config = Config {
            sample_rate: rate,
            interpolation: between[round / 6],
            ..small(POLICIES[round % 4])
        };
        let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
        let mut random = Random(round as u64);
        let mut out = [[0.0; 2]; 300];
        let mut voice = None;
        for _ in 0..120 {
            for _ in 0..random.below(4) {
                voice = mixer.play(absurd_request(&mut random, &clips)).or(voice);
            }
            for _ in 0..random.below(5) {
                absurd_change(&mixer, &mut random, voice);
            }
            let frames = random.below(301) as usize;
            render(&mut renderer, &mut out[..frames]);
        }
        let stats = mixer.stats();
        let ended = stats.finished + stats.stopped + stats.stolen + stats.refused;
        assert_eq!(stats.accepted, ended + stats.live as u64);
    }
}

fn absurd_request(random: &mut Random, clips: &[Sound]) -> Play {
    let play = Play::of(random.pick(clips)).gain(*random.pick(&VALUES));
    let play = play.pan(*random.pick(&VALUES)).speed(*random.pick(&VALUES));
    let play = play.bus(BusId::new(random.below(32) as u8)).tag(random.below(9));
    let play = match random.below(3) {
        0 => play.loop_range(*random.pick(&TIMES)..*random.pick(&TIMES)),
        1 => play.loop_range(*random.pick(&TIMES)..=*random.pick(&TIMES)),
        _ => play,
    };
    let play = match random.below(4) {
        0 => play.start_at(*random.pick(&[0, 1, 1000, u64::MAX - 1, u64::MAX])),
        1 => play.delay(*random.pick(&TIMES)),
        _ => play,
    };
    let play = play.fade_in(*random.pick(&TIMES));
    if random.below(3) == 0 { play.from_position(*random.pick(&TIMES)) } else { play }
}

fn absurd_change(mixer: &Mixer, random: &mut Random, voice: Option<VoiceId>) {
    let (value, time) = (*random.pick(&VALUES), *random.pick(&TIMES));
    let (bus, tag) = (BusId::new(random.below(32) as u8), Tag(random.below(9)));
    match random.below(18) {
        0 => mixer.stop(voice, time),
        1 => mixer.set_gain(voice, value, time),
        2 => mixer.set_pan(voice, value, time),
        3 | 4 => mixer.set_speed(voice, value, time),
        5 => mixer.seek(voice, time),
        6 => mixer.set_gain(bus, value, time),
        7 => mixer.stop(bus, time),
        8 if random.below(2) == 0 => mixer.pause(bus, time),
        9 if random.below(2) == 0 => mixer.resume(bus, time),
        8 => mixer.pause(voice, time),
        9 => mixer.resume(voice, time),
        10 => mixer.set_mute(voice, random.below(2) == 0),
        11 => mixer.set_mute(bus, random.below(2) == 0),
        12 => mixer.end_loop(voice),
        13 => mixer.end_loop(bus),
        14 => mixer.set_gain(tag, value, time),
        15 => mixer.stop(tag, time),
        16 => drop(mixer.resize(*random.pick(&[0, 1, 3, 16, usize::MAX]))),
        _ if random.below(20) == 0 => mixer.stop_all(time),
        _ => (),
    }
}

/// A single frame of 384 kHz in a mixer of 1 Hz, and a single frame of 1 Hz in one of 384 kHz,
/// at the highest and lowest speed, looping: steps from 1/38,400,000 of a frame to 38,400,000.
#[test]
fn toy_rates_meet_studio_rates_without_a_panic() {
    for (clip_rate, rate) in [(384_000, 1), (1, 384_000)] {
        for speed in [1e-30, 0.01, 1.0, 1e30] {
            for between in [Interpolation::Linear, Interpolation::Cubic, Interpolation::Sinc] {
                let config =
                    Config { sample_rate: rate, interpolation: between, ..Config::default() };
                let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
                let sound = mono(clip_rate, &[0.25]);
                let looping = mixer.play(Play::of(&sound).looping().speed(speed));
                mixer.play(Play::of(&sound).speed(speed));
                let mut out = [[0.0; 2]; 700];
                render(&mut renderer, &mut out);
                mixer.set_speed(looping, 100.0, Duration::MAX);
                render(&mut renderer, &mut out);
                mixer.set_speed(looping, 1.0 / speed, ms(0));
                render(&mut renderer, &mut out);
                assert!(mixer.is_live(looping));
            }
        }
    }
}
