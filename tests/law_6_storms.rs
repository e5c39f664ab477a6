//! Law 6, its purpose: in storms of sounds that die away, swell and loop, what is lost altogether is
//! far less than if the oldest went, and less than if it went by the gain or by the next 50 ms.
//!
//! The rivals play the same storms outside the mixer: every sound is rendered alone, a pool that is
//! no more than a list decides who goes, and what the victims would still have played is added up.

mod common;
#[path = "common/meter.rs"]
mod meter;

use common::{Random, mono, noise, sine};
use meter::{Meter, ahead};
use voicepool::{
    Config, Event, Frame, Mixer, Play, Sound, WhenFull, WhenStolen, db, loudness, semitones,
};

const RATE: u32 = 16_000;
/// The storm lasts 3 s.
const FRAMES: usize = 3 * RATE as usize;
/// What is rendered beyond it of sounds without end, so that it is known what is to come.
const BEYOND: usize = RATE as usize;
const HOP: usize = RATE as usize / 100;
/// How much is rendered at a time.
const CHUNK: usize = 1024;
/// A stolen voice fades out over 5 ms.
const FADE: usize = RATE as usize / 200;

/// A sound of a storm, by itself.
struct Solo {
    at: usize,
    play: Play,
    gain: f32,
    frames: Vec<Frame>,
    /// What is to come from each frame on.
    ahead: Vec<f64>,
    /// The power of each 10 ms.
    hops: Vec<f64>,
}

impl Solo {
    fn new(at: usize, play: Play, gain: f32) -> Solo {
        let config = Config {
            voices: 1,
            max_voices: 1,
            parked: 1,
            scheduled: 1,
            commands: 1,
            ..Config::default()
        };
        let config = Config { sample_rate: RATE, ..config };
        let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
        mixer.play(&play);
        let mut frames = renderer.frames(CHUNK);
        while mixer.stats().live > 0 && frames.len() < FRAMES - at + BEYOND {
            frames.append(&mut renderer.frames(CHUNK));
        }
        let ended = |event| match event {
            Event::Ended { at, .. } => Some(at as usize),
            _ => None,
        };
        if let Some(over) = mixer.events().find_map(ended) {
            // Its end was known before it was heard.
            frames.append(&mut renderer.frames(over.saturating_sub(frames.len())));
            frames.truncate(over);
        }
        let mut powers = Vec::new();
        Meter::new(RATE.into()).hear(&frames, &mut powers);
        let hops = powers.chunks(HOP).map(|hop| hop.iter().sum::<f64>() / hop.len() as f64);
        let hops = hops.collect();
        Solo { at, play: play.start_at(at as u64), gain, frames, ahead: ahead(RATE, &powers), hops }
    }

    /// The first frame after it.
    fn end(&self) -> usize {
        self.at + self.frames.len()
    }
}

/// How a rival ranks a sound at some frame of it: the least goes.
type Rule = fn(&Solo, usize) -> f64;

const OLDEST: Rule = |solo, _| solo.at as f64;
const GAIN: Rule = |solo, _| f64::from(solo.gain);
/// The highest level of 10 ms within the coming 50 ms, gain included: how it was once decided here.
const NEXT_50_MS: Rule = |solo, frame| {
    solo.hops.iter().skip(frame / HOP).take(5).fold(0.0, |highest, hop| hop.max(highest))
};
const ALL_TO_COME: Rule = |solo, frame| solo.ahead[frame];

fn decay(seconds: f32, wave: Vec<f32>) -> Vec<f32> {
    let fall = |(n, s): (usize, f32)| s * (-(n as f32) / (seconds * RATE as f32)).exp();
    wave.into_iter().enumerate().map(fall).collect()
}

/// What a busy game plays: most dies away, some swells, some comes late, some goes on.
fn clips() -> (Vec<Sound>, Vec<Sound>) {
    let (mut shots, mut loops) = (Vec::new(), Vec::new());
    for n in 0..6 {
        let (seconds, hertz) = (0.05 * (n + 1) as f32, 150.0 * 1.7f64.powi(n));
        let frames = (RATE as f32 * (0.2 + 4.0 * seconds)) as usize;
        shots.push(decay(seconds, sine(RATE, hertz, 0.0, frames)));
        shots.push(decay(seconds, noise(n as u64, frames)));
        // A whoosh: up within 100 to 350 ms, and half as long down.
        let rise = RATE as usize / 20 * (n as usize + 2);
        let swell = |(at, s): (usize, &f32)| {
            let up = (at as f32 / rise as f32).powi(2);
            s * up.min(3.0 - 2.0 * at as f32 / rise as f32).max(0.0)
        };
        shots.push(noise(10 + n as u64, rise * 3 / 2).iter().enumerate().map(swell).collect());
        if n % 2 == 0 {
            let mut late = vec![0.0; RATE as usize / 16 * (n as usize + 1)];
            late.append(&mut decay(0.1, noise(20 + n as u64, 6_000)));
            shots.push(late);
            shots.push(sine(RATE, 2.0 * hertz, 0.0, 8_000));
            let hum = sine(RATE, hertz.round(), 0.0, RATE as usize);
            loops.push(hum);
            loops.push(decay(0.04, noise(30 + n as u64, RATE as usize / 5 * (n as usize + 2))));
        }
    }
    let sounds = |waves: Vec<Vec<f32>>| waves.iter().map(|wave| mono(RATE, wave)).collect();
    (sounds(shots), sounds(loops))
}

struct Storm {
    voices: usize,
    /// In the order in which they begin.
    solos: Vec<Solo>,
    /// What it would be with a voice for everybody.
    whole: Vec<Frame>,
}

impl Storm {
    /// About twice as many sounds as voices at any time.
    fn new(seed: u64, (shots, loops): &(Vec<Sound>, Vec<Sound>)) -> Storm {
        let mut random = Random(seed);
        let voices = [16, 24, 32][seed as usize % 3];
        let (mut solos, mut at) = (Vec::new(), 0);
        // A sound lasts half a second or so.
        let pause = RATE as f32 * 0.8 / (2 * voices) as f32;
        while at < FRAMES {
            let gain = db(random.between(-40.0, -16.0));
            let play = match random.below(30) {
                0 => Play::of(random.pick(loops)).looping().when_stolen(WhenStolen::End),
                _ => Play::of(random.pick(shots)),
            };
            let play = play.gain(gain).pan(random.between(-1.0, 1.0));
            let speed = if random.below(3) == 0 { random.between(-4.0, 4.0) } else { 0.0 };
            let play = play.speed(semitones(speed));
            solos.push(Solo::new(at, play, gain));
            at += (2.0 * pause * random.unit()) as usize;
        }
        let mut storm = Storm { voices, solos, whole: Vec::new() };
        storm.whole = storm.heard(1024, WhenFull::Refuse);
        storm
    }

    /// How many play at once, on the average of the storm's second half.
    fn load(&self) -> f64 {
        let half = FRAMES / 2;
        let heard = |solo: &Solo| solo.end().clamp(half, FRAMES) - solo.at.clamp(half, FRAMES);
        self.solos.iter().map(heard).sum::<usize>() as f64 / half as f64
    }

    /// What is heard of it in a mixer.
    fn heard(&self, voices: usize, when_full: WhenFull) -> Vec<Frame> {
        let (max_voices, sample_rate, scheduled) = (voices, RATE, 1024);
        let config =
            Config { voices, max_voices, sample_rate, when_full, scheduled, ..Config::default() };
        let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
        for solo in &self.solos {
            mixer.play(&solo.play).expect("there is room in the queue");
        }
        let heard = renderer.frames(FRAMES);
        let stats = mixer.stats();
        assert!(stats.peak.iter().all(|peak| *peak < 1.0), "too loud to be measured\n{stats}");
        assert_eq!((stats.refused, stats.parkings, stats.turned_away), (0, 0, 0));
        heard
    }

    /// How loud everything is that a mixer loses.
    fn lost(&self, when_full: WhenFull) -> f32 {
        let heard = self.heard(self.voices, when_full);
        let both = self.whole.iter().zip(heard);
        let lost: Vec<Frame> = both.map(|(a, b)| [a[0] - b[0], a[1] - b[1]]).collect();
        loudness(RATE, &lost)
    }

    /// How loud everything is that a rival loses.
    fn lost_by(&self, rule: Rule) -> f32 {
        let mut lost = vec![[0.0; 2]; FRAMES];
        let mut playing: Vec<&Solo> = Vec::new();
        for newcomer in &self.solos {
            let now = newcomer.at;
            playing.retain(|solo| solo.end() > now);
            if playing.len() == self.voices {
                let rank = |solo: &&Solo| rule(solo, now - solo.at);
                let ranks: Vec<f64> = playing.iter().map(rank).collect();
                // On a tie the oldest.
                let least = (0..ranks.len()).min_by(|a, b| ranks[*a].total_cmp(&ranks[*b]));
                let victim = playing.remove(least.expect("the pool is full"));
                let rest = victim.frames[now - victim.at..].iter().enumerate();
                for (lost, (n, frame)) in lost[now..].iter_mut().zip(rest) {
                    let faded = (n as f32 / FADE as f32).min(1.0);
                    *lost = [lost[0] + faded * frame[0], lost[1] + faded * frame[1]];
                }
            }
            playing.push(newcomer);
        }
        loudness(RATE, &lost)
    }
}

/// Eight storms: 8 dB less than if the oldest went, and 3 dB less than by the gain alone or by the next
/// 50 ms, in the mean; and in each of them 3 dB less than the best rival.
#[test]
fn stealing_the_quietest_loses_the_least_of_a_storm() {
    let clips = clips();
    println!(
        "seed  voices  sounds  load  oldest  (alike)  by gain  next 50 ms  all to come     ours"
    );
    let mut means = [0.0; 4];
    for seed in 0..8 {
        let storm = Storm::new(seed, &clips);
        let [oldest, gain, next, alike] =
            [OLDEST, GAIN, NEXT_50_MS, ALL_TO_COME].map(|rule| storm.lost_by(rule));
        let ours = storm.lost(WhenFull::StealQuietest);
        let by_age = storm.lost(WhenFull::StealOldest);
        println!(
            "{seed:>4}  {:>6}  {:>6}  {:>4.1}  {by_age:>6.1}  {oldest:>7.1}  {gain:>7.1}  {next:>10.1}  \
             {alike:>11.1}  {ours:>7.1} dB",
            storm.voices,
            storm.solos.len(),
            storm.load() / storm.voices as f64,
        );
        // The pool of the rivals is a mixer's in all but the rule.
        assert!((by_age - oldest).abs() < 0.1, "{by_age} dB, {oldest} dB");
        assert!((ours - alike).abs() < 1.0, "{ours} dB, {alike} dB");
        assert!(ours < by_age.min(gain).min(next) - 3.0, "no storm is an exception");
        for (mean, lost) in means.iter_mut().zip([by_age, gain, next, ours]) {
            *mean += lost / 8.0;
        }
    }
    let [by_age, gain, next, ours] = means;
    println!(
        "in the mean: {by_age:.1} oldest, {gain:.1} by gain, {next:.1} next 50 ms, {ours:.1} ours"
    );
    assert!(ours <= by_age - 8.0, "{ours} dB, {by_age} dB");
    assert!(ours <= next - 3.0 && ours <= gain - 3.0, "{ours} dB, {next} dB, {gain} dB");
}
