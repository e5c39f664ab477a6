//! Law 4, in the time of a bus: a delay stands still while its bus does, and a play begins on the
//! frame that plain arithmetic says, whatever is paused meanwhile and however the time is cut.

mod common;

use std::time::Duration;

use common::{Random, mono};
use voicepool::{BusId, Config, Ending, Event, Mixer, Play, Priority, Renderer, WhenStolen};

const QUANTUM: u64 = 128;
/// All of them divide a second into whole nanoseconds, so that every frame is a duration.
const RATES: [u32; 7] = [4, 10, 100, 200, 250, 500, 1000];
const BUSES: usize = 5;

/// A pause as the buses have it: where it is going, and for how many frames still.
#[derive(Clone, Copy)]
struct Fade {
    paused: bool,
    remaining: u64,
}

impl Fade {
    /// The shorter way of two in one direction, the latest of two in different ones.
    fn turn(&mut self, paused: bool, over: u64) {
        if self.paused != paused || over < self.remaining {
            *self = Fade { paused, remaining: over };
        }
    }

    fn stands_still(self) -> bool {
        self.paused && self.remaining == 0
    }
}

/// On which frame a play begins, and on which it is heard first: a bus may stop on the very frame on
/// which it begins, and then it stands at its beginning.
type Begun = [Option<u64>; 2];

/// What a game says.
#[derive(Clone, Copy, Debug)]
enum Said {
    /// A blip on a bus, after so many frames of its time.
    Play {
        bus: usize,
        delay: u64,
    },
    Pause {
        bus: usize,
        fade: u64,
    },
    Resume {
        bus: usize,
        fade: u64,
    },
}

/// What is said when the clock stands at some frames, in order.
type Script = Vec<(u64, Vec<Said>)>;

fn script(random: &mut Random, length: u64) -> Script {
    let mut script = Vec::new();
    let mut clock = 0;
    while clock < length {
        let said = (0..random.below(5)).map(|_| {
            let bus = random.below(BUSES as u64) as usize;
            let fade = *random.pick(&[0, 0, 1, 3, 60, 128, 200, 1000]);
            match random.below(4) {
                0 | 1 => Said::Play { bus, delay: *random.pick(&[1, 2, 100, 127, 128, 129, 700]) },
                2 => Said::Pause { bus, fade },
                _ => Said::Resume { bus, fade },
            }
        });
        script.push((clock, said.collect()));
        let (longest, shortest) = *random.pick(&[(900, 1), (128, 128), (256, 256), (3, 1)]);
        clock += shortest + random.below(longest - shortest + 1);
    }
    script
}

/// The line on which acts what is said at some frame of the clock.
fn line(clock: u64) -> u64 {
    if clock == 0 { 0 } else { clock.next_multiple_of(QUANTUM) + QUANTUM }
}

/// Counts frame by frame. On some of the buses something sounds from the first line on; the others
/// are paused at once. Each play begins on the first frame on which its bus has moved for as long
/// as it asked to wait.
fn expected(script: &Script, sounds_on: &[usize], declick: u64, until: u64) -> Vec<Begun> {
    let mut buses = [Fade { paused: false, remaining: 0 }; BUSES];
    let mut time = [0; BUSES];
    let mut waiting = Vec::new();
    let mut begun = Vec::new();
    let mut rest = script.iter().peekable();
    for now in 0..until {
        let still = |buses: &[Fade; BUSES], bus: usize| {
            buses[bus].stands_still() || buses[0].stands_still()
        };
        if now % QUANTUM == 0 {
            // What is heard is seen before anything is changed, and nothing is on the first line.
            let moves = |bus: &&usize| now > 0 && !still(&buses, **bus);
            let moving: Vec<usize> = sounds_on.iter().filter(moves).copied().collect();
            let sounding: Vec<usize> = sounds_on.iter().filter(|_| now > 0).copied().collect();
            let over = |heard: &[usize], bus: usize, fade: u64| {
                let any = heard.contains(&bus) || (bus == 0 && !heard.is_empty());
                if any { fade.max(declick) } else { 0 }
            };
            while let Some((_, said)) = rest.next_if(|(clock, _)| line(*clock) <= now) {
                for said in said {
                    match *said {
                        Said::Play { bus, delay } => {
                            waiting.push((begun.len(), bus, time[bus] + delay));
                            begun.push([None; 2]);
                        }
                        Said::Pause { bus, fade } => {
                            buses[bus].turn(true, over(&moving, bus, fade));
                        }
                        Said::Resume { bus, fade } => {
                            buses[bus].turn(false, over(&sounding, bus, fade));
                        }
                    }
                }
            }
        }
        waiting.retain(|(play, bus, due)| {
            let [starts, sounds]: &mut Begun = &mut begun[*play];
            if time[*bus] == *due {
                starts.get_or_insert(now);
                *sounds = Some(now).filter(|_| !still(&buses, *bus));
            }
            sounds.is_none()
        });
        for (bus, time) in time.iter_mut().enumerate() {
            *time += u64::from(!still(&buses, bus));
        }
        for fade in &mut buses {
            fade.remaining = fade.remaining.saturating_sub(1);
        }
    }
    begun
}

fn frames(frames: u64, rate: u32) -> Duration {
    Duration::from_nanos(frames * (1_000_000_000 / u64::from(rate)))
}

/// Says all of a script to a mixer in which something sounds on some buses, and nobody is robbed.
/// `play` makes of a bus and a time what is played.
fn perform(
    (mixer, renderer): (&Mixer, &mut Renderer),
    (script, sounds_on): (&Script, &[usize]),
    until: u64,
    sizes: &mut dyn FnMut() -> u64,
    play: &dyn Fn(BusId, u64) -> Play,
) {
    let rate = mixer.sample_rate();
    let bus = |bus: usize| BusId::new(bus as u8);
    let hum = mono(rate, &[0.0; 77]);
    for on in sounds_on {
        let hum = Play::of(&hum).looping().priority(Priority::Protected);
        mixer.play(hum.bus(bus(*on)).tag(u64::MAX));
    }
    let (mut plays, mut clock) = (0, 0);
    let mut render = |to: u64| {
        while clock < to {
            let frames = sizes().min(to - clock);
            renderer.frames(frames as usize);
            clock += frames;
        }
    };
    for (at, said) in script {
        render(*at);
        for said in said {
            match *said {
                Said::Play { bus: on, delay } => {
                    mixer.play(play(bus(on), delay).tag(plays)).expect("a long queue");
                    plays += 1;
                }
                Said::Pause { bus: on, fade } => mixer.pause(bus(on), frames(fade, rate)),
                Said::Resume { bus: on, fade } => mixer.resume(bus(on), frames(fade, rate)),
            }
        }
    }
    // What is mixed ahead of the clock would begin sooner than is counted.
    render(until - QUANTUM);
}

/// How many plays a script has.
fn plays(script: &Script) -> usize {
    let said = script.iter().flat_map(|(_, said)| said);
    said.filter(|said| matches!(said, Said::Play { .. })).count()
}

/// By a mixer, of plays that are a frame long.
fn heard(
    script: &Script,
    sounds_on: &[usize],
    rate: u32,
    until: u64,
    sizes: &mut dyn FnMut() -> u64,
) -> Vec<Begun> {
    let many = Config { voices: 256, scheduled: 4000, commands: 4000, ..Config::DEFAULT };
    let config = Config { sample_rate: rate, ..many };
    let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
    let blip = mono(rate, &[0.5]);
    perform((&mixer, &mut renderer), (script, sounds_on), until, sizes, &|bus, delay| {
        Play::of(&blip).bus(bus).delay(frames(delay, rate))
    });
    let mut begun = vec![[None; 2]; plays(script)];
    for event in mixer.events() {
        match event {
            Event::Started { tag, at, .. } => begun[tag as usize][0] = Some(at),
            Event::Ended { tag, at, why: Ending::Finished, .. } => {
                begun[tag as usize][1] = Some(at - 1);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(mixer.stats().missed_events, 0);
    begun
}

/// By a mixer that has no voice for any of them: on which frame each is over, which lasts as long as
/// the script has it wait.
fn parked(
    script: &Script,
    sounds_on: &[usize],
    rate: u32,
    until: u64,
    sizes: &mut dyn FnMut() -> u64,
) -> Vec<Option<u64>> {
    let (voices, max_voices) = (sounds_on.len(), sounds_on.len());
    let many = Config { voices, max_voices, parked: 4000, commands: 4000, ..Config::DEFAULT };
    let config = Config { sample_rate: rate, ..many };
    let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
    perform((&mixer, &mut renderer), (script, sounds_on), until, sizes, &|bus, delay| {
        let clip = mono(rate, &vec![0.5; delay as usize]);
        Play::of(clip).bus(bus).when_stolen(WhenStolen::Park)
    });
    let mut over = vec![None; plays(script)];
    for event in mixer.events() {
        match event {
            Event::Parked { .. } => (),
            Event::Ended { tag, at, why: Ending::Finished, .. } => over[tag as usize] = Some(at),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(mixer.stats().missed_events, 0);
    over
}

/// Random scripts at toy rates, with pauses of any fade on every bus and on the master, some buses
/// idle and some not: every delayed play begins on its frame.
#[test]
fn a_delayed_play_begins_on_the_frame_that_arithmetic_says() {
    let mut late = 0;
    for seed in 0..120 {
        let mut random = Random(seed);
        let rate = RATES[seed as usize % RATES.len()];
        let sounds_on: &[usize] = [&[0, 1, 2, 3, 4], &[][..], &[1, 3], &[0]][seed as usize / 7 % 4];
        let script = script(&mut random, 6000);
        let until = 8192 + QUANTUM;
        let declick = (u64::from(rate) * 5 + 500) / 1000;
        let expected = expected(&script, sounds_on, declick.max(1), until);
        let most = *random.pick(&[1, 40, 300, 5000]);
        let heard = heard(&script, sounds_on, rate, until, &mut || 1 + random.below(most));
        let wrong = expected.iter().zip(&heard).position(|(one, other)| one != other);
        assert_eq!(
            wrong.map(|play| (play, expected[play], heard[play])),
            None,
            "seed {seed}, {rate} Hz: of {script:?}"
        );
        late += expected.iter().filter(|at| at[0].is_none()).count();
    }
    assert!(late > 100, "{late} had still to wait");
}

/// Whoever is parked keeps the time of its bus as well, and is over on the frame on which it has moved
/// for as long as the sound lasts.
#[test]
fn a_parked_play_ends_on_the_frame_that_arithmetic_says() {
    for seed in 0..60 {
        let mut random = Random(seed);
        let rate = RATES[seed as usize % RATES.len()];
        let sounds_on: &[usize] = [&[0, 1, 2, 3, 4], &[1, 3][..], &[0]][seed as usize / 7 % 3];
        let script = script(&mut random, 6000);
        let until = 8192 + QUANTUM;
        let declick = (u64::from(rate) * 5 + 500) / 1000;
        let expected = expected(&script, sounds_on, declick.max(1), until);
        let most = *random.pick(&[1, 40, 300, 5000]);
        let parked = parked(&script, sounds_on, rate, until, &mut || 1 + random.below(most));
        let wrong = expected.iter().zip(&parked).position(|(one, other)| one[0] != *other);
        assert_eq!(
            wrong.map(|play| (play, expected[play], parked[play])),
            None,
            "seed {seed}, {rate} Hz: of {script:?}"
        );
    }
}

/// A burst that is paused half-way goes on as a burst: with its bus, with the master, however long
/// the fade. What has a frame of the clock keeps it.
#[test]
fn a_burst_that_is_paused_half_way_goes_on_as_a_burst() {
    let rate = 1000;
    let clip = mono(rate, &[0.25, 0.0]);
    for paused in [BusId::new(1), BusId::MASTER] {
        for (fade, stood) in [(0, 1000), (5, 777), (300, 900), (1000, 2000)] {
            let (mixer, mut renderer) =
                Mixer::offline(Config { sample_rate: rate, ..Config::DEFAULT }).expect("good");
            // Something sounds, so that the fade is one.
            mixer.play(Play::of(mono(rate, &[0.0; 9])).looping().bus(BusId::new(1)));
            let shots: Vec<u64> = (1..=20).map(|n| 64 * n).collect();
            for delay in &shots {
                let shot = Play::of(&clip).bus(BusId::new(1)).tag(*delay);
                mixer.play(shot.delay(frames(*delay, rate)));
            }
            let elsewhere = Play::of(&clip).bus(BusId::new(2)).tag(1);
            mixer.play(elsewhere.clone().start_at(1500));
            mixer.play(elsewhere.tag(2).delay(frames(1500, rate)));
            renderer.frames(256);
            mixer.pause(paused, frames(fade, rate));
            renderer.frames(stood);
            mixer.resume(paused, frames(fade, rate));
            renderer.frames(5000);
            let down = line(256) + fade.max(5);
            let up = line(256 + stood as u64).max(down);
            let mut expected: Vec<(u64, u64)> = Vec::new();
            for shot in shots {
                let at = if shot < down { shot } else { shot + up - down };
                // Two frames long: the second may have to wait.
                let last = if at + 1 == down { up } else { at + 1 };
                expected.push((last + 1, shot));
            }
            let stands = paused == BusId::MASTER;
            let of_clock = if stands && (down..up).contains(&1500) { up } else { 1500 };
            expected.push((of_clock + 2, 1));
            expected.push((1502 + if stands { up - down } else { 0 }, 2));
            expected.sort();
            let mut heard: Vec<(u64, u64)> = mixer
                .events()
                .filter_map(|event| match event {
                    Event::Ended { at, tag, .. } => Some((at, tag)),
                    _ => None,
                })
                .collect();
            heard.sort();
            assert_eq!(heard, expected, "{paused:?}, over {fade}, for {stood}");
        }
    }
}
