//! Law 5, where a loop is told to end: it plays on past its end without a click, and what comes
//! then is the clip's own, frame by frame.

mod common;

use std::time::Duration;

use common::{bits, mono, noise, sine};
use voicepool::{
    BusId, Config, Ending, Event, Frame, Interpolation, Mixer, Play, Renderer, Sound, Target,
    VoiceId, ms,
};

const BETWEEN: [Interpolation; 3] =
    [Interpolation::Linear, Interpolation::Cubic, Interpolation::Sinc];
const AMPLITUDE: f32 = 0.25;
const BOUND: f64 = 1.5;
const BUS: BusId = BusId::new(3);
/// The most frames that are read on either side of a place between two.
const TAPS: usize = 8;

fn open(rate: u32, interpolation: Interpolation) -> (Mixer, Renderer) {
    let config = Config { voices: 2, max_voices: 2, sample_rate: rate, ..Config::DEFAULT };
    Mixer::offline(Config { interpolation, ..config }).expect("a good config")
}

/// The line on which acts what is said when so many frames were handed out.
fn line(clock: usize) -> usize {
    if clock == 0 { 0 } else { clock.next_multiple_of(128) + 128 }
}

/// When the only play there was ended, by itself.
fn finished(mixer: &Mixer) -> Option<usize> {
    let ends: Vec<_> = mixer
        .events()
        .filter_map(|event| match event {
            Event::Ended { at, why, .. } => Some((at as usize, why)),
            _ => None,
        })
        .collect();
    assert!(ends.len() <= 1 && ends.iter().all(|(_, why)| *why == Ending::Finished), "{ends:?}");
    ends.first().map(|(at, _)| *at)
}

/// Who is told: the voice, its bus, or everybody.
fn targets(voice: Option<VoiceId>) -> [Target; 3] {
    [voice.into(), BUS.into(), BusId::MASTER.into()]
}

/// Where a cursor is, counted in 2^32 parts of a frame, and how it comes to there.
struct Walk {
    at: u64,
    step: u64,
    turns: usize,
}

impl Walk {
    fn new(from: usize, speed: f32) -> Walk {
        let step = (f64::from(speed) * 2f64.powi(32)).round() as u64;
        Walk { at: (from as u64) << 32, step, turns: 0 }
    }

    /// Goes so many frames through a loop.
    fn go(mut self, frames: usize, range: (usize, usize)) -> Walk {
        let (start, end) = ((range.0 as u64) << 32, (range.1 as u64) << 32);
        for _ in 0..frames {
            let loops = self.at < end;
            self.at += self.step;
            while loops && self.at >= end {
                self.at -= end - start;
                self.turns += 1;
            }
        }
        self
    }

    fn frame(&self) -> usize {
        (self.at >> 32) as usize
    }
}

/// A part of a sound that loops, with frames before and behind it; and when it is told to end.
const LOOPS: [(usize, usize); 9] =
    [(0, 1000), (0, 1), (3, 5), (0, 128), (0, 256), (100, 227), (100, 228), (100, 229), (500, 900)];

/// At its own speed every frame is the clip's: round and round until it was told, then on to the
/// clip's end, and it is finished on that very frame. On the first turn and on later ones, just on
/// the turn, and told twice.
#[test]
fn at_its_own_speed_the_rest_is_the_clip_bit_for_bit() {
    let samples = noise(3, 1000);
    let clip = mono(1000, &samples);
    for (start, end) in LOOPS {
        for clock in [0, 1, 100, 128, 256, 500, 768, 1000, 2048, 3000] {
            for target in 0..3 {
                let (mixer, mut renderer) = open(1000, Interpolation::Cubic);
                let play = Play::of(&clip).loop_range(ms(start as u64)..ms(end as u64)).bus(BUS);
                let voice = mixer.play(play);
                let mut heard = renderer.frames(clock);
                mixer.end_loop(targets(voice)[target]);
                heard.extend(renderer.frames(200));
                mixer.end_loop(targets(voice)[target]);
                heard.extend(renderer.frames(2000));
                let at = Walk::new(0, 1.0).go(line(clock), (start, end));
                let before = (0..line(clock))
                    .map(|n| if n < end { n } else { start + (n - start) % (end - start) });
                let frames = before.chain(at.frame()..1000).map(|n| [samples[n]; 2]);
                let mut expected: Vec<Frame> = frames.collect();
                let over = expected.len();
                expected.resize(heard.len(), [0.0; 2]);
                assert!(bits(&heard) == bits(&expected), "{start}..{end} told at {clock}");
                assert_eq!(finished(&mixer), Some(over), "{start}..{end} told at {clock}");
            }
        }
    }
}

/// At any speed and with every way to read between the samples it is as if its turns had been laid
/// end to end, and the rest behind the last of them.
#[test]
fn at_any_speed_it_is_its_turns_laid_end_to_end() {
    let samples = noise(4, 1000);
    let clip = mono(1000, &samples);
    for between in BETWEEN {
        for (speed, (start, end)) in
            [0.5, 0.7, 1.3, 2.0].into_iter().flat_map(|s| LOOPS.map(|l| (s, l)))
        {
            for clock in [0, 128, 500, 1111] {
                let (mixer, mut renderer) = open(1000, between);
                let range = ms(start as u64)..ms(end as u64);
                let voice = mixer.play(Play::of(&clip).loop_range(range).speed(speed));
                let mut heard = renderer.frames(clock);
                mixer.end_loop(voice);
                heard.extend(renderer.frames(3000));
                let walk = Walk::new(0, speed).go(line(clock), (start, end));
                let turns = samples[start..end].repeat(walk.turns);
                let long = [&samples[..end], &turns, &samples[end..]].concat();
                let (straight, mut reference) = open(1000, between);
                straight.play(Play::of(mono(1000, &long)).speed(speed));
                let expected = reference.frames(heard.len());
                // What comes next was read before it was known: a few frames may differ.
                let near = end - walk.frame().min(end) < TAPS;
                let few = if near { (TAPS as f32 / speed) as usize + 1 } else { 0 };
                let (one, other) = (line(clock).saturating_sub(few), line(clock));
                // And once round, a loop has ever been round, which so short a one shows at once.
                let first = if end - start < 2 * TAPS { one.min(64) } else { 0 };
                let what = format!("{start}..{end} at {speed}, {between:?}, told at {clock}");
                assert!(bits(&heard[first..one]) == bits(&expected[first..one]), "before: {what}");
                assert!(bits(&heard[other..]) == bits(&expected[other..]), "after: {what}");
                assert_eq!(finished(&mixer), finished(&straight), "{what}");
            }
        }
    }
}

const RATES: [(u32, u32); 4] =
    [(44_100, 48_000), (22_050, 48_000), (96_000, 48_000), (48_000, 44_100)];

fn quiet(samples: &[f32]) -> Vec<f32> {
    samples.iter().map(|sample| sample * AMPLITUDE).collect()
}

fn divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// A resampled sound: what it is when it is played once, and when it goes round.
struct Turning {
    sound: Sound,
    rate: u32,
    /// How many frames a turn has, and how many on each side of it are not the clip's own.
    end: usize,
    seam: usize,
    own: Vec<f32>,
    /// The first turn, and all that follow.
    first: Vec<f32>,
    turn: Vec<f32>,
}

impl Turning {
    fn new(samples: &[f32], (from, to): (u32, u32)) -> Turning {
        let sound = mono(from, samples).resampled(to).expect("it fits");
        let exact = samples.len() as f64 * f64::from(to) / f64::from(from);
        let end = (exact.round() as usize).max(1);
        let common = divisor(from, to);
        let (up, down) = (to / common, from / common);
        let seam = (90 * up.max(down)).div_ceil(down) as usize;
        let (mixer, mut renderer) = open(to, Interpolation::Linear);
        mixer.play(Play::of(&sound).looping());
        let mut heard = renderer.frames(2 * end).into_iter().map(|frame| frame[0]);
        Turning {
            own: sound.frames().map(|frame| frame[0]).collect(),
            first: heard.by_ref().take(end).collect(),
            turn: heard.collect(),
            rate: to,
            seam: seam.min(end.div_ceil(2)),
            sound,
            end,
        }
    }

    /// A clip may be a frame longer than its turn: that frame, or its end.
    fn past_its_loop(&self) -> Duration {
        Duration::from_secs_f64(self.end as f64 / f64::from(self.rate))
    }

    /// So many turns, laid end to end.
    fn turns(&self, count: usize) -> Vec<f32> {
        let mut long = self.first.clone();
        (1..count).for_each(|_| long.extend(&self.turn));
        long
    }

    /// So many turns, and then what the clip ends with.
    fn turns_and_end(&self, turns: usize) -> Vec<f32> {
        if turns == 0 {
            return self.own.clone();
        }
        let middle = self.end / 2;
        [&self.turns(turns), &self.turn[..middle], &self.own[middle..]].concat()
    }

    /// What is heard of a play that is told to end its loop, and when it was finished.
    fn hear(&self, speed: f32, between: Interpolation, clock: usize) -> (Vec<Frame>, usize) {
        let (mixer, mut renderer) = open(self.rate, between);
        let voice = mixer.play(Play::of(&self.sound).looping().speed(speed));
        let mut heard = renderer.frames(clock);
        mixer.end_loop(voice);
        let rest = (self.own.len() as f32 / speed) as usize;
        heard.extend(renderer.frames(rest + 1024));
        (heard, finished(&mixer).expect("it is over"))
    }
}

/// A resampled loop has frames of its own around its seam. Told to end anywhere but in those that
/// lead into the next turn, it goes on to the clip's own end, bit for bit, at any speed.
#[test]
fn a_resampled_loop_goes_on_to_the_clips_own_end_bit_for_bit() {
    let mut seen = [0; 2];
    for rates in RATES {
        let samples = quiet(&noise(6, rates.0 as usize / 60 + 7));
        let it = Turning::new(&samples, rates);
        for (speed, between) in
            [1.0, 0.5, 1.3, 2.0].into_iter().flat_map(|speed| BETWEEN.map(|it| (speed, it)))
        {
            for clock in (0..3000).step_by(128) {
                let walk = Walk::new(0, speed).go(line(clock), (0, it.end));
                if walk.frame() + TAPS >= it.end - it.seam {
                    seen[0] += 1;
                    continue;
                }
                seen[1] += 1;
                let (heard, over) = it.hear(speed, between, clock);
                let (mixer, mut renderer) = open(it.rate, between);
                mixer.play(Play::of(mono(it.rate, &it.turns_and_end(walk.turns))).speed(speed));
                let expected = renderer.frames(heard.len());
                let what = format!("{rates:?} at {speed}, {between:?}, told at {clock}");
                assert!(bits(&heard) == bits(&expected), "{what}");
                assert_eq!(Some(over), finished(&mixer), "{what}");
            }
        }
    }
    println!("in the seam, elsewhere: {seen:?}");
    assert!(seen[0] > 10);
}

/// Told to end among the frames that lead into the next turn, which are not the clip's own, it fades
/// over to the clip's own end: one falls as the other rises.
#[test]
fn in_the_seam_it_fades_over_to_the_clips_own_end() {
    let mut seen = 0;
    for rates in RATES {
        for frames in (300..420).step_by(9) {
            let it = Turning::new(&quiet(&noise(6, frames)), rates);
            for clock in [256, 384, 512, 640] {
                let line = line(clock);
                let walk = Walk::new(0, 1.0).go(line, (0, it.end));
                if it.seam * 2 >= it.end || walk.frame() < it.end - it.seam {
                    continue;
                }
                seen += 1;
                let (heard, over) = it.hear(1.0, Interpolation::Cubic, clock);
                assert_eq!(over, line + it.own.len() - walk.frame());
                let declick = (it.rate as usize + 100) / 200;
                let goes_round = it.turns(walk.turns + 4);
                for (n, frame) in heard.iter().enumerate() {
                    let since = n.saturating_sub(line);
                    let rise = (since as f32 / declick as f32).min(1.0);
                    let old = if rise < 1.0 { (1.0 - rise) * goes_round[n] } else { 0.0 };
                    let own = it.own.get(walk.frame() + since).filter(|_| n >= line);
                    let expected = old + rise * own.unwrap_or(&0.0);
                    let off = (frame[0] - expected).abs();
                    assert!(off < 1e-6, "{rates:?}, {frames} frames, {n} of {line}: off by {off}");
                }
            }
        }
    }
    assert!(seen > 20, "{seen}");
}

/// The largest step on the left, from sample to sample.
fn largest_step(frames: &[Frame]) -> f64 {
    frames.windows(2).fold(0.0f32, |most, pair| most.max((pair[1][0] - pair[0][0]).abs())).into()
}

/// A loop so short that all of it is seam still ends without a click.
#[test]
fn a_loop_that_is_all_seam_ends_without_a_click() {
    let mut worst = 0.0f64;
    for rates in RATES {
        for length in [9, 20, 64, 150] {
            let hertz = f64::from(rates.0) / length as f64;
            let it = Turning::new(&quiet(&sine(rates.0, hertz, 0.0, length)), rates);
            assert!(2 * it.seam >= it.end);
            let own_step = 2.0 * (std::f64::consts::PI * hertz / f64::from(rates.1)).sin();
            for (speed, between) in
                [1.0, 0.5, 2.0].into_iter().flat_map(|speed| BETWEEN.map(|it| (speed, it)))
            {
                for clock in [128, 384, 512, 640, 896] {
                    let (heard, _) = it.hear(speed, between, clock);
                    let step = largest_step(&heard) / f64::from(AMPLITUDE * speed);
                    let ratio = step / own_step;
                    let what = format!("{length} frames at {speed}, {between:?}, told at {clock}");
                    assert!(ratio <= BOUND, "{rates:?}: {ratio} of its own, {what}");
                    worst = worst.max(ratio);
                }
            }
        }
    }
    println!("at worst {worst:.3}");
}

/// Told before any of it was heard, it is played once, however long it is: also if it waited for
/// its frame, or stood still at its beginning.
#[test]
fn told_before_it_began_it_is_played_once() {
    for rates in RATES {
        for length in [1, 2, 9, 150, 700] {
            let it = Turning::new(&quiet(&noise(8, length)), rates);
            for (speed, between) in
                [1.0, 0.7].into_iter().flat_map(|speed| BETWEEN.map(|it| (speed, it)))
            {
                let once = Play::of(&it.sound).speed(speed).bus(BUS);
                let expected = |play: Play| {
                    let (mixer, mut renderer) = open(it.rate, between);
                    mixer.play(play);
                    bits(&renderer.frames(4096))
                };
                for target in 0..3 {
                    let what = format!("{rates:?}, {length} at {speed}, {between:?}, {target}");
                    let (mixer, mut renderer) = open(it.rate, between);
                    let voice = mixer.play(once.clone().looping());
                    mixer.end_loop(targets(voice)[target]);
                    assert!(bits(&renderer.frames(4096)) == expected(once.clone()), "{what}");
                    let (mixer, mut renderer) = open(it.rate, between);
                    let voice = mixer.play(once.clone().looping().start_at(1001));
                    let mut heard = renderer.frames(300);
                    mixer.end_loop(targets(voice)[target]);
                    heard.extend(renderer.frames(4096 - 300));
                    let later = expected(once.clone().start_at(1001));
                    assert!(bits(&heard) == later, "it waited: {what}");
                    let (mixer, mut renderer) = open(it.rate, between);
                    mixer.pause(BUS, ms(0));
                    let voice = mixer.play(once.clone().looping());
                    let mut heard = renderer.frames(896);
                    mixer.end_loop(targets(voice)[target]);
                    mixer.resume(BUS, ms(0));
                    heard.extend(renderer.frames(4096 - 896));
                    let later = expected(once.clone().start_at(1024));
                    assert!(bits(&heard) == later, "it stood still: {what}");
                }
            }
        }
    }
}

/// What does not loop, or is past its loop, does not change.
#[test]
fn who_does_not_loop_is_left_alone() {
    let samples = noise(9, 1000);
    for rates in RATES {
        for length in [9, 150, 1000] {
            let it = Turning::new(&quiet(&samples[..length]), rates);
            let part = ms(1)..ms(2);
            for play in [
                Play::of(&it.sound),
                Play::of(&it.sound).loop_range(part).from_position(ms(3)),
                Play::of(&it.sound).looping().from_position(it.past_its_loop()),
            ] {
                for (speed, between) in
                    [1.0, 0.1].into_iter().flat_map(|speed| BETWEEN.map(|it| (speed, it)))
                {
                    let hear = |told: usize| {
                        let (mixer, mut renderer) = open(it.rate, between);
                        let voice = mixer.play(play.clone().speed(speed));
                        (0..told).for_each(|_| mixer.end_loop(voice));
                        let mut heard = renderer.frames(128);
                        (0..told).for_each(|_| mixer.end_loop(voice));
                        heard.extend(renderer.frames(3000));
                        (bits(&heard), finished(&mixer))
                    };
                    assert!(hear(0) == hear(2), "{rates:?}, {length} at {speed}, {between:?}");
                }
            }
        }
    }
}

/// Sines of whole turns make no step above 1.5 of their own, wherever they are told: not there, not
/// where the last turn ends, and not at the end of the clip, which is a sine's too.
#[test]
fn a_sine_told_to_end_its_loop_does_not_click() {
    let mut worst = 0.0f64;
    for (from, to) in RATES.into_iter().chain([(48_000, 48_000)]) {
        for length in [from as usize / 80, from as usize / 80 + 13] {
            let hertz = 4.0 * f64::from(from) / length as f64;
            let it = Turning::new(&quiet(&sine(from, hertz, 0.0, length)), (from, to));
            let own_step = 2.0 * (std::f64::consts::PI * hertz / f64::from(to)).sin();
            for (speed, between) in
                [1.0, 0.5, 1.3, 2.0].into_iter().flat_map(|speed| BETWEEN.map(|it| (speed, it)))
            {
                for clock in (256..1600).step_by(128) {
                    let (heard, _) = it.hear(speed, between, clock);
                    let step = largest_step(&heard) / f64::from(AMPLITUDE * speed);
                    let ratio = step / own_step;
                    let what = format!("{length} frames at {speed}, {between:?}, told at {clock}");
                    assert!(ratio <= BOUND, "{from} to {to}: {ratio} of its own, {what}");
                    worst = worst.max(ratio);
                }
            }
        }
    }
    println!("at worst {worst:.3}");
}

/// The project's own drone, told within the frames around its seam and elsewhere, does nothing that
/// it does not do by itself, up to its own end.
#[test]
fn the_drone_ends_its_loop_without_a_trace() {
    // At the higher rate the limiter looks two quanta ahead.
    for (rate, ahead) in [(96_000, 256), (44_100, 128)] {
        let (mixer, _) = open(rate, Interpolation::Cubic);
        let drone = mixer.load("sounds/drone_loop.wav").expect("the drone");
        let source = Sound::load("sounds/drone_loop.wav").expect("the drone");
        let exact = source.frame_count() as f64 * f64::from(rate) / f64::from(source.sample_rate());
        let turn = exact.round() as usize;
        let around = largest_step(&drone.frames().collect::<Vec<_>>()[1000..turn - 1000]);
        for before in [20_000, 700, 256, 200, 150, 100, 50, 1] {
            // A line that is so far from the turn: it begins that much later.
            let late = (before + 128 * turn.div_ceil(128) - turn) % 128;
            let (mixer, mut renderer) = open(rate, Interpolation::Cubic);
            let voice = mixer.play(Play::of(&drone).looping().start_at(late as u64));
            let told = late + turn - before;
            renderer.frames(told - ahead);
            mixer.end_loop(voice);
            let heard = renderer.frames(before + 1500);
            // How the clip ends is its author's, and the seam's length before it.
            let end = ahead + before;
            let ahead_of_it = largest_step(&heard[..end.saturating_sub(190)]);
            let ratio = ahead_of_it.max(largest_step(&heard[end + 1..])) / around;
            println!("{rate} Hz, {before} before the turn: {ratio:.3}");
            assert!(ratio <= BOUND, "{before} before the turn: {ratio}");
            assert_eq!(finished(&mixer), Some(late + drone.frame_count()));
        }
    }
}

/// Told while it stands still, it goes on from where it stood, once it may, and to its end.
#[test]
fn told_while_it_stands_still_it_goes_on_from_there() {
    for rates in RATES {
        let it = Turning::new(&quiet(&noise(10, rates.0 as usize / 80)), rates);
        let declick = (it.rate as usize + 100) / 200;
        for clock in (128..1500).step_by(128) {
            for target in 0..3 {
                let (mixer, mut renderer) = open(it.rate, Interpolation::Cubic);
                let voice = mixer.play(Play::of(&it.sound).looping().bus(BUS));
                renderer.frames(clock);
                mixer.pause(targets(voice)[target], ms(0));
                renderer.frames(640);
                mixer.end_loop(voice);
                renderer.frames(640);
                mixer.resume(targets(voice)[target], ms(0));
                renderer.frames(128);
                let heard = renderer.frames(it.own.len());
                let stood = Walk::new(0, 1.0).go(line(clock) + declick, (0, it.end));
                let resumed = line(clock + 1280);
                let over = resumed + it.own.len() - stood.frame();
                assert_eq!(finished(&mixer), Some(over), "{rates:?}, paused at {clock}");
                // It reads what it had around itself, or the clip's own if that would not fit.
                let rest = &it.own[stood.frame()..];
                let was_round = stood.turns > 0 && stood.frame() < it.end - it.seam;
                for (n, own) in rest.iter().enumerate() {
                    let own = match it.turn.get(stood.frame() + n) {
                        Some(turned) if was_round && stood.frame() + n < it.seam => turned,
                        _ => own,
                    };
                    // Where it jumped it comes up itself, whether or not its bus does too.
                    let jumped = stood.frame() >= it.end - it.seam && target > 0;
                    let rise = (n as f32 / declick as f32).min(1.0);
                    let expected = own * if jumped { rise * rise } else { rise };
                    let off = (heard[n][0] - expected).abs();
                    assert!(off < 1e-6, "{rates:?}, paused at {clock}, {n} frames on: {off}");
                }
            }
        }
    }
}

/// Told while it is parked, it ends when it would have, heard or not.
#[test]
fn told_while_it_is_parked_it_ends_when_it_would_have() {
    let config = Config { voices: 1, max_voices: 1, sample_rate: 1000, ..Config::DEFAULT };
    let samples = noise(11, 2000);
    let clip = mono(1000, &samples);
    for ((start, end), speed) in
        [(0, 2000), (0, 100), (700, 777), (0, 1)].into_iter().flat_map(|l| [(l, 1.0), (l, 0.7)])
    {
        for clock in [384, 640, 1024] {
            for target in 0..3 {
                for thief_lasts in [300, 5000] {
                    let (mixer, mut renderer) = Mixer::offline(config.clone()).expect("good");
                    let range = ms(start as u64)..ms(end as u64);
                    let play = Play::of(&clip).loop_range(range).speed(speed).bus(BUS).tag(1);
                    let voice = mixer.play(play);
                    renderer.frames(128);
                    mixer.play(mono(1000, &vec![0.5; thief_lasts]));
                    renderer.frames(clock - 128);
                    let parked = thief_lasts > 300 || clock < 600;
                    assert_eq!(mixer.stats().parked, usize::from(parked));
                    mixer.end_loop(targets(voice)[target]);
                    renderer.frames(8000);
                    let walk = Walk::new(0, speed).go(line(clock), (start, end));
                    let rest = ((2000u64 << 32) - walk.at).div_ceil(walk.step) as usize;
                    let over = mixer.events().find_map(|event| match event {
                        Event::Ended { tag: 1, at, why: Ending::Finished, .. } => Some(at as usize),
                        _ => None,
                    });
                    let what = format!("{start}..{end} at {speed}, told at {clock}");
                    assert_eq!(over, Some(line(clock) + rest), "{what}, thief for {thief_lasts}");
                }
            }
        }
    }
}

/// With a seek on the same line, before it or after it, it plays from there to its end, once.
#[test]
fn together_with_a_seek_it_plays_from_there_once() {
    for rates in RATES {
        for length in [9, 150, rates.0 as usize / 80] {
            let it = Turning::new(&quiet(&noise(12, length)), rates);
            let declick = (it.rate as usize + 100) / 200;
            for to in [0, 1, it.end / 2, it.end - it.seam, it.end - 1] {
                let place = Duration::from_secs_f64(to as f64 / f64::from(it.rate));
                for (target, seek_first) in (0..3).flat_map(|it| [(it, true), (it, false)]) {
                    let (mixer, mut renderer) = open(it.rate, Interpolation::Cubic);
                    let voice = mixer.play(Play::of(&it.sound).looping().bus(BUS));
                    renderer.frames(1000);
                    if seek_first {
                        mixer.seek(voice, place);
                        mixer.end_loop(targets(voice)[target]);
                    } else {
                        mixer.end_loop(targets(voice)[target]);
                        mixer.seek(voice, place);
                    }
                    renderer.frames(line(1000) - 1000);
                    let heard = renderer.frames(it.own.len() + declick);
                    let over = line(1000) + it.own.len() - to;
                    let what = format!("{rates:?}, {length} frames, to {to}, {seek_first}");
                    assert_eq!(finished(&mixer), Some(over), "{what}");
                    // After the tail of where it was.
                    for (n, own) in it.own[to..].iter().enumerate().skip(declick) {
                        assert_eq!(heard[n], [*own; 2], "{what}, {n} frames on");
                    }
                }
            }
        }
    }
}

/// A loop that has ended is none for a seek either.
#[test]
fn a_seek_does_not_bring_the_loop_back() {
    let samples = noise(13, 1000);
    let clip = mono(1000, &samples);
    for position in [0, 400, 950] {
        let (mixer, mut renderer) = open(1000, Interpolation::Cubic);
        let play = Play::of(&clip).loop_range(ms(100)..ms(900)).from_position(ms(position));
        let voice = mixer.play(play);
        mixer.end_loop(voice);
        renderer.frames(10);
        mixer.seek(voice, ms(100));
        renderer.frames(4000);
        let from = line(10);
        assert_eq!(finished(&mixer), Some(if position == 950 { 50 } else { from + 900 }));
    }
}

/// What is said to a bus is said to whoever was there: who comes after it, on that line or later, goes
/// round; and so does who is elsewhere.
#[test]
fn who_comes_after_it_goes_round() {
    let clip = mono(1000, &noise(14, 300));
    for (told, with_master) in [(BUS, false), (BusId::MASTER, true)] {
        for apart in [0, 1, 128, 500] {
            let config = Config { sample_rate: 1000, ..Config::DEFAULT };
            let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
            let play = Play::of(&clip).looping();
            let before = mixer.play(play.clone().bus(BUS));
            let waits = mixer.play(play.clone().bus(BUS).start_at(1200));
            let elsewhere = mixer.play(play.clone().bus(BusId::new(4)));
            renderer.frames(apart);
            mixer.end_loop(told);
            let waits_too = mixer.play(play.clone().bus(BUS).start_at(1200));
            let after = mixer.play(play.bus(BUS));
            renderer.frames(apart);
            mixer.end_loop(BusId::new(5));
            renderer.frames(4000);
            let live = [before, waits, elsewhere, waits_too, after].map(|it| mixer.is_live(it));
            assert_eq!(live, [false, false, !with_master, true, true], "{told:?}, {apart} apart");
        }
    }
}
