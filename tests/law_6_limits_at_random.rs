//! Law 6 with limits and reserves, of buses and of cues, whatever is asked for: thousands of random
//! scripts, each checked against a naive twin of all decisions, event by event.

mod common;
#[path = "limits/oracle.rs"]
mod oracle;

use std::collections::{BTreeSet, HashMap};

use common::{POLICIES, PRIORITIES, Random, assert_balanced, mono};
use oracle::{BUSES, News, Oracle, QUANTUM, Steady, Terms, What};
use voicepool::{
    Bus, BusId, Config, Cue, Ending, Event, Mixer, Parking, Play, Refusal, Renderer, Sound,
    VoiceId, WhenFull, WhenStolen, ms, secs,
};

const SCRIPTS: u64 = 1000;
const VOICES: usize = 8;
const PARKED: usize = 6;

/// Levels of which many are alike, and many are twice another.
const LEVELS: [f32; 7] = [0.0, 0.05, 0.1, 0.1, 0.15, 0.2, 0.4];

/// A mixer and its naive twin.
struct Pair {
    mixer: Mixer,
    renderer: Renderer,
    oracle: Oracle,
    sounds: Vec<Sound>,
    cues: Vec<(Cue, Terms)>,
    voices: HashMap<u64, VoiceId>,
    when_full: WhenFull,
    stops: bool,
    resizes: bool,
    played: u64,
}

impl Pair {
    fn new(rate: u32, when_full: WhenFull, random: &mut Random) -> Pair {
        let config = Config {
            voices: VOICES,
            max_voices: VOICES,
            parked: PARKED,
            scheduled: 64,
            commands: 256,
            sample_rate: rate,
            when_full,
            ..Config::default()
        };
        let (mixer, renderer) = Mixer::offline(config).expect("a good config");
        Pair {
            mixer,
            renderer,
            oracle: Oracle::new(VOICES, PARKED, u64::from(rate)),
            sounds: LEVELS.map(|level| mono(rate, &[if level > 0.0 { level } else { 0.1 }])).into(),
            cues: Vec::new(),
            voices: HashMap::new(),
            when_full,
            // Where somebody may take a place back on every line, how loud a fading voice still is would
            // count.
            stops: rate == 6400,
            resizes: random.below(2) == 0,
            played: 0,
        }
    }

    /// Some of the plays are of cues from now on, with limits and terms of every kind.
    fn add_cues(&mut self, rate: u32, random: &mut Random) {
        let frames = |count: u64| secs(count as f32 / rate as f32);
        for number in 0..3 {
            let own: Option<usize> =
                *random.pick(&[None, None, Some(0), Some(1), Some(2), Some(3)]);
            let terms = Terms {
                cue: number,
                at_most: *random.pick(&[None, Some(1), Some(1), Some(2), Some(3)]),
                when_full: own.map(|at| POLICIES[at]),
                cooldown: *random.pick(&[0, 0, 1, 20, 128, 300, 1000]),
                merge_within: *random.pick(&[None, None, Some(1), Some(40), Some(128), Some(500)]),
            };
            let mut cue = Cue::of([mono(rate, &[1.0])]).expect("a variant");
            cue = cue.cooldown(frames(terms.cooldown));
            if let Some(within) = terms.merge_within {
                cue = cue.merge_within(frames(within));
            }
            if let Some(most) = terms.at_most {
                cue = cue.at_most(most);
            }
            if let Some(when_full) = terms.when_full {
                cue = cue.when_full(when_full);
            }
            self.cues.push((cue, terms));
        }
    }

    /// Says something to both.
    fn say(&mut self, random: &mut Random) {
        match random.below(20) {
            0..12 => self.play(random),
            12..16 if self.stops && !self.oracle.is_review() => {
                let tag = random.below(self.played + 1);
                self.mixer.stop(self.voices.get(&tag).copied(), ms(0));
                self.oracle.stop(tag);
            }
            18 => {
                let mut policies = POLICIES.to_vec();
                policies.retain(|it| *it != WhenFull::Grow || !self.resizes);
                self.when_full = *random.pick(&policies);
                self.mixer.set_when_full(self.when_full);
            }
            _ => self.set_bus(random),
        }
    }

    fn play(&mut self, random: &mut Random) {
        self.played += 1;
        let level = random.below(LEVELS.len() as u64) as usize;
        let later = random.below(6) == 0;
        let cue = if random.below(2) == 0 { None } else { self.cues.len().checked_sub(1) };
        let cue = cue.map(|last| self.cues[random.below(last as u64 + 1) as usize].clone());
        let play = Steady {
            tag: self.played,
            bus: random.below(BUSES as u64) as usize,
            level: LEVELS[level],
            priority: PRIORITIES[[0, 1, 1, 1, 1, 2, 2, 3][random.below(8) as usize]],
            parks: random.below(2) == 0,
            when_full: self.when_full,
            start: if later { self.oracle.now + random.below(300) } else { 0 },
            cue: cue.as_ref().map(|(_, terms)| *terms),
        };
        let ends = if play.parks { WhenStolen::Park } else { WhenStolen::End };
        let asked = match cue {
            Some((cue, _)) => Play::of(cue).gain(play.level),
            None => Play::of(&self.sounds[level]),
        };
        let asked = asked.looping().tag(play.tag).when_stolen(ends);
        let asked = asked.bus(BusId::new(play.bus as u8)).priority(play.priority);
        let asked = if play.level == 0.0 { asked.gain(0.0) } else { asked };
        let voice = self.mixer.play(asked.start_at(play.start)).expect("room in the queue");
        self.voices.insert(play.tag, voice);
        self.oracle.play(play);
    }

    fn set_bus(&mut self, random: &mut Random) {
        let bus = random.below(BUSES as u64) as usize;
        let own = *random.pick(&[None, None, Some(0), Some(1), Some(2), Some(3)]);
        let parent = random.below(BUSES as u64) as usize;
        let settings = Bus {
            parent: BusId::new(parent as u8),
            max_voices: random
                .pick(&[None, Some(0), Some(1), Some(2), Some(3), Some(5)])
                .filter(|most| bus > 0 || *most > 2),
            reserved: *random.pick(&[0, 0, 0, 1, 2, 3]),
            when_full: own.map(|at: usize| POLICIES[at]),
        };
        // Circles, and more reserved than there is, are turned down.
        if self.mixer.set_bus(BusId::new(bus as u8), settings).is_ok() {
            self.oracle.set_bus(bus, settings, parent);
        }
    }

    /// To the next line. What happened on the way must be the same for both.
    #[track_caller]
    fn go_on(&mut self, random: &mut Random, script: &str) -> Vec<News> {
        let first = self.oracle.now == 0;
        let mut expected = self.oracle.finish_line();
        if first {
            // What the limiter looks ahead at is mixed at once.
            expected.extend(self.oracle.finish_line());
        }
        let mut frames = QUANTUM;
        while frames > 0 {
            let some = (1 + random.below(QUANTUM)).min(frames);
            self.renderer.frames(some as usize);
            frames -= some;
        }
        let heard: Vec<News> = self.mixer.events().map(|event| self.news(event)).collect();
        assert_eq!(heard, expected, "{script}, line {}", self.oracle.now / QUANTUM);
        let stats = self.mixer.stats();
        assert_balanced(&stats);
        assert_eq!(
            (stats.playing, stats.parked, stats.full, stats.missed_events),
            (self.oracle.playing(), self.oracle.parked(), self.oracle.full, 0),
            "{script}"
        );
        heard
    }

    /// An event in the twin's words.
    fn news(&self, event: Event) -> News {
        match event {
            Event::Ended { tag, at, why, .. } => (
                tag,
                at,
                match why {
                    Ending::Stopped => What::Stopped,
                    Ending::Stolen { by_tag, .. } => What::Stolen(by_tag),
                    Ending::Refused { why: Refusal::Merged { into } } => {
                        let tag = self.voices.iter().find(|(_, voice)| **voice == into);
                        What::MergedInto(*tag.expect("a play of ours").0)
                    }
                    Ending::Refused { why } => What::Refused(why),
                    other => panic!("{other:?}"),
                },
            ),
            Event::Parked { tag, at, why, .. } => (
                tag,
                at,
                match why {
                    Parking::Stolen { by_tag, .. } => What::ParkedBy(by_tag),
                    other => What::Parked(other),
                },
            ),
            Event::Unparked { tag, at, .. } => (tag, at, What::Unparked),
            Event::Started { tag, at, .. } => (tag, at, What::Started),
            other => panic!("{other:?}"),
        }
    }
}

/// What happened, whoever did it.
fn kind(what: What) -> String {
    match what {
        What::Stolen(_) => "Stolen".into(),
        What::ParkedBy(_) => "ParkedBy".into(),
        What::MergedInto(_) => "MergedInto".into(),
        other => format!("{other:?}"),
    }
}

fn script(seed: u64, cues: bool, seen: &mut BTreeSet<String>) {
    let mut random = Random(seed);
    let rate = *random.pick(&[3200, 6400, 6400]);
    let when_full = *random.pick(&POLICIES[..3]);
    let mut pair = Pair::new(rate, when_full, &mut random);
    if cues {
        pair.add_cues(rate, &mut random);
    }
    let script = format!("script {seed} at {rate} Hz");
    for line in 0..40 {
        // A storm at first, then lines on which little is said.
        let most = if line < 5 || random.below(8) == 0 { 12 } else { 3 };
        for _ in 0..random.below(most) {
            pair.say(&mut random);
        }
        if pair.resizes && random.below(12) == 0 && pair.oracle.settled {
            let voices = 2 + random.below(VOICES as u64 - 1) as usize;
            if pair.mixer.resize(voices).is_ok() {
                pair.oracle.resize(voices);
            }
        }
        for (_, _, what) in pair.go_on(&mut random, &script) {
            seen.insert(kind(what));
        }
    }
}

/// What happens in any script with limits and reserves.
const SEEN: [&str; 12] = [
    "Parked(BusFull)",
    "Parked(Inaudible)",
    "Parked(PoolFull)",
    "Parked(Shrunk)",
    "ParkedBy",
    "Refused(BusFull)",
    "Refused(Inaudible)",
    "Refused(PoolFull)",
    "Started",
    "Stolen",
    "Stopped",
    "Unparked",
];

#[test]
fn limits_and_reserves_decide_as_their_naive_twin_does() {
    let mut seen = BTreeSet::new();
    for seed in 0..SCRIPTS {
        script(seed, false, &mut seen);
    }
    assert!(seen.iter().eq(SEEN), "{seen:?}");
}

#[test]
fn cues_decide_as_their_naive_twin_does_among_limits_and_reserves() {
    let mut seen = BTreeSet::new();
    for seed in SCRIPTS..2 * SCRIPTS {
        script(seed, true, &mut seen);
    }
    let of_cues = ["MergedInto", "Parked(CueFull)", "Refused(Cooldown)", "Refused(CueFull)"];
    let all: BTreeSet<String> = SEEN.into_iter().chain(of_cues).map(String::from).collect();
    assert_eq!(seen, all);
}
