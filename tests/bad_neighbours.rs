//! What else goes on in a process that plays sounds, and must not harm them: threads that die, games that never
//! listen, storms, drops in every order, disks that are full.

#[path = "common/allocator.rs"]
mod allocator;
mod common;
#[path = "common/streams.rs"]
mod streams;

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::Command;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Barrier, Mutex};
use std::{env, thread};

use allocator::{held, held_by_all};
use common::{Random, assert_balanced, endings, mono, noise};
use streams::{Beyond, Disk, Form, wait_until};
use voicepool::{
    BusId, Config, Effect, Event, Mixer, Play, Point, Renderer, Replay, Sound, Stats, Target,
    VoiceId, WhenFull, WhenStolen, ms,
};

fn small() -> Config {
    Config {
        voices: 8,
        max_voices: 32,
        parked: 8,
        scheduled: 8,
        commands: 64,
        sample_rate: 8_000,
        ..Config::DEFAULT
    }
}

fn open() -> (Mixer, Renderer) {
    Mixer::offline(small()).expect("a good config")
}

fn blip() -> Sound {
    mono(8_000, &noise(1, 300))
}

/// Some of all that a game says.
fn say_something(mixer: &Mixer, random: &mut Random, sound: &Sound) {
    let play = Play::of(sound).gain(random.unit()).bus(BusId::new(random.below(4) as u8));
    let voice = mixer.play(match random.below(4) {
        0 => play.looping().when_stolen(WhenStolen::Park),
        1 => play.delay(ms(random.below(40))),
        _ => play,
    });
    match random.below(6) {
        0 => mixer.stop(voice, ms(random.below(20))),
        1 => mixer.pause(voice, ms(5)),
        2 => mixer.set_gain(voice, random.unit(), ms(5)),
        3 => mixer.set_position(voice, [random.unit(), 0.0]),
        _ => (),
    }
}

/// Renders until nothing is live, after `stop_all`.
#[track_caller]
fn end_all(mixer: &Mixer, renderer: &mut Renderer) -> Stats {
    mixer.stop_all(ms(0));
    renderer.frames(1024);
    let stats = mixer.stats();
    assert_eq!(stats.live, 0, "{stats}");
    assert_balanced(&stats);
    stats
}

/// An effect that panics while it is made ready, or whenever and wherever it is dropped: by then it is the mixer's.
struct Dies {
    when_prepared: bool,
    /// How many have died because they were dropped.
    dropped: Arc<AtomicUsize>,
}

impl Effect for Dies {
    fn process(&mut self, _left: &mut [f32], _right: &mut [f32]) {}

    fn prepare(&mut self, _sample_rate: u32) {
        if self.when_prepared {
            resume_unwind(Box::new("an effect that dies on purpose"));
        }
    }
}

impl Drop for Dies {
    fn drop(&mut self) {
        if !self.when_prepared {
            self.dropped.fetch_add(1, Relaxed);
            resume_unwind(Box::new("an effect that dies on purpose"));
        }
    }
}

/// A place that kills whoever asks for it.
struct Nowhere;

impl From<Nowhere> for Point {
    fn from(_: Nowhere) -> Point {
        resume_unwind(Box::new("a place that kills on purpose"))
    }
}

/// Whatever of the game's own dies inside a call of the mixer, others go on: no lock stays closed behind it. What
/// dies because it is dropped takes nobody along, wherever that is.
#[test]
fn game_threads_that_die_in_a_call_leave_the_mixer_to_the_others() {
    let (mixer, mut renderer) = open();
    let sound = blip();
    let start = Barrier::new(5);
    let dropped = Arc::new(AtomicUsize::new(0));
    let died: Vec<usize> = thread::scope(|scope| {
        let (mixer, sound, start, dropped) = (&mixer, &sound, &start, &dropped);
        let dying = (0..3u64).map(|which| {
            scope.spawn(move || {
                start.wait();
                let dies = |when_prepared| Dies { when_prepared, dropped: Arc::clone(dropped) };
                let die = |_: &u64| {
                    let call = AssertUnwindSafe(|| match which {
                        0 => {
                            let effect = Box::new(dies(true));
                            drop(mixer.set_effect(BusId::new(1), Some(effect)));
                        }
                        1 => mixer.set_positions([(Target::Nothing, Nowhere)]),
                        _ => {
                            // Taken for another, it is dropped in the second call, when the mixer is next
                            // touched by anybody, or with the mixer.
                            let effect = || Some(Box::new(dies(false)) as _);
                            drop(mixer.set_effect(BusId::new(2), effect()));
                            drop(mixer.set_effect(BusId::new(2), effect()));
                        }
                    });
                    catch_unwind(call).is_err()
                };
                (0..50).filter(die).count()
            })
        });
        let dying: Vec<_> = dying.collect();
        let living = scope.spawn(move || {
            let mut random = Random(5);
            start.wait();
            for _ in 0..2_000 {
                // What is left of an effect may be dropped here.
                say_something(mixer, &mut random, sound);
            }
        });
        start.wait();
        while !living.is_finished() {
            renderer.frames(64);
            mixer.stats();
        }
        living.join().expect("whoever lives does not die");
        dying.into_iter().map(|it| it.join().expect("caught")).collect()
    });
    assert_eq!(died, [50, 50, 0], "calls that died");
    end_all(&mixer, &mut renderer);
    let voice = mixer.play(Play::of(&sound).looping());
    renderer.frames(1024);
    assert!(mixer.is_live(voice) && mixer.stats().playing == 1);
    drop((mixer, renderer));
    assert_eq!(dropped.load(Relaxed), 100, "each effect was dropped once");
}

/// A thread that dies with the mixer in its hands, or with half of its events taken, takes nothing along.
#[test]
fn a_thread_that_dies_between_two_calls_takes_nothing_along() {
    let (mixer, mut renderer) = open();
    let sound = blip();
    let theirs = mixer.clone();
    let died = thread::spawn(move || {
        (0..20).for_each(|_| _ = theirs.play(&sound));
        let _held = theirs.hold(&sound, ms(0));
        let mut events = theirs.events();
        let _first = events.next();
        resume_unwind(Box::new("a game thread that dies on purpose"));
    });
    assert!(died.join().is_err());
    renderer.frames(1024);
    assert_eq!(mixer.stats().accepted, 21);
    assert_eq!(end_all(&mixer, &mut renderer).accepted, 21);
    assert_eq!(endings(&mixer).len(), 21);
}

/// A game that asks for its events in every round, or only once it is over: how it stands then, and of how many
/// events it was told. It takes no more memory than it did at first.
fn three_thousand_rounds(asks: bool) -> (Stats, u64) {
    let (mixer, mut renderer) = open();
    let (sound, mut random) = (blip(), Random(9));
    let mut out = [[0.0; 2]; 200];
    let (mut most, mut told) = (0, 0);
    for round in 0..3_000 {
        for _ in 0..8 {
            say_something(&mixer, &mut random, &sound);
        }
        renderer.render(&mut out);
        mixer.stats();
        if asks {
            told += mixer.events().count() as u64;
        }
        match round {
            0..300 => most = most.max(held()),
            _ => assert!(held() <= most, "{} bytes in round {round}, before {most}", held()),
        }
    }
    let stats = end_all(&mixer, &mut renderer);
    told += mixer.events().count() as u64;
    (stats, told)
}

/// What nobody asks for is counted, and takes no more room than there was.
#[test]
fn a_game_that_never_asks_for_events_takes_no_more_memory() {
    // The same game by one who asks, and misses nothing: the endings, and the notices beside them.
    let (asked, all) = three_thousand_rounds(true);
    assert_eq!(asked.missed_events, 0, "{asked}");
    assert!(asked.accepted > 10_000 && all > asked.accepted + asked.parkings, "{all} of\n{asked}");
    let (stats, told) = three_thousand_rounds(false);
    assert_eq!(stats.accepted, asked.accepted, "the same game\n{stats}");
    assert!(told <= small().commands as u64, "{told}");
    assert_eq!(stats.missed_events + told, all, "{told} of\n{stats}");
}

/// As fast as it can be said, while somebody renders and somebody listens: over a million plays, of which none is
/// lost. Each was turned away, or has one ending, which is told or counted as missed. `VOICEPOOL_LONG=1` plays as many as
/// a million a second make in a minute.
#[test]
fn a_storm_of_a_million_plays_loses_none() {
    let plays = if env::var_os("VOICEPOOL_LONG").is_some() { 60_000_000 } else { 1_200_000_u64 };
    for (when_full, threads) in [(WhenFull::StealQuietest, 1), (WhenFull::Refuse, 3)] {
        let config = Config { when_full, commands: 1024, ..small() };
        let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
        let sound = blip();
        let is_over = AtomicBool::new(false);
        let (mut accepted, mut told) = (0, 0);
        thread::scope(|scope| {
            let (mixer, sound, is_over) = (&mixer, &sound, &is_over);
            let audio = scope.spawn(move || {
                let mut out = [[0.0; 2]; 64];
                while !is_over.load(Acquire) {
                    renderer.render(&mut out);
                }
                renderer
            });
            let listener = scope.spawn(move || {
                let ended = |event: &Event| matches!(event, Event::Ended { .. });
                let mut told = 0;
                while !is_over.load(Acquire) {
                    told += mixer.events().filter(ended).count() as u64;
                    thread::yield_now();
                }
                told
            });
            let storm =
                move || (0..plays / threads).filter(|_| mixer.play(sound).is_some()).count();
            let storms: Vec<_> = (0..threads).map(|_| scope.spawn(storm)).collect();
            accepted += storms.into_iter().map(|it| it.join().expect("a storm")).sum::<usize>();
            is_over.store(true, Release);
            told += listener.join().expect("a listener");
            let mut renderer = audio.join().expect("a renderer");
            let stats = end_all(mixer, &mut renderer);
            assert_eq!(stats.accepted, accepted as u64, "{stats}");
            assert_eq!(stats.accepted + stats.turned_away, plays, "{stats}");
            assert!(stats.accepted > 0 && stats.panics == 0, "{stats}");
        });
        told += endings(&mixer).len() as u64;
        let stats = mixer.stats();
        // No notices but endings here: nothing parks or waits.
        assert_eq!(told + stats.missed_events, stats.accepted, "{stats}");
    }
}

/// What is written, for whoever reads it afterwards.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("nobody dies here").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A game that was recorded, with its sounds.
fn recording() -> Vec<u8> {
    let (mixer, mut renderer) = open();
    let paper = Paper::default();
    let recorder = mixer.record(paper.clone()).expect("before the first play").with_sounds();
    let (sound, mut random) = (blip(), Random(1));
    (0..20).for_each(|_| say_something(&mixer, &mut random, &sound));
    renderer.frames(2_000);
    let summary = recorder.finish().expect("it can be written");
    assert!(summary.is_whole && summary.plays > 0, "{summary:?}");
    paper.0.lock().expect("nobody dies here").clone()
}

/// Drops all that there is of a game, of a stream whose reader is held up, of a recording that is being made and of
/// one that is replayed, and lets the reader go on: each on a thread of its own, all at the same moment.
fn drop_at_once(round: u64, file: &Arc<[u8]>, recording: &[u8]) {
    let mut random = Random(round);
    let (mixer, mut renderer) = open();
    let recorder = mixer.record(Vec::<u8>::new()).expect("before the first play");
    let disk = Disk::new(file);
    let (sound, stream) = (blip(), disk.stream("music"));
    // Before the end of what is read ahead at once.
    disk.stop_at(random.below(400_000), Beyond::Block);
    assert!(mixer.play(&stream).is_some());
    (0..30).for_each(|_| say_something(&mixer, &mut random, &sound));
    // So much is in memory.
    renderer.frames(random.below(600) as usize);
    disk.wait_until_blocked();
    let held = mixer.hold(Play::of(&sound).looping(), ms(3));
    let events = mixer.events();
    let mut replay = Replay::read(recording, |_| None).expect("a good recording");
    replay.render(&mut vec![[0.0; 2]; random.below(2_000) as usize]);
    let start = Barrier::new(9);
    thread::scope(|scope| {
        let (start, disk) = (&start, &disk);
        fn drops<T: Send>(what: T, start: &Barrier) -> impl FnOnce() + Send {
            move || {
                start.wait();
                drop(what);
            }
        }
        scope.spawn(drops(mixer.clone(), start));
        scope.spawn(drops(mixer, start));
        scope.spawn(drops(renderer, start));
        scope.spawn(drops((sound, held), start));
        scope.spawn(drops(events, start));
        scope.spawn(drops(stream, start));
        scope.spawn(drops(recorder, start));
        scope.spawn(drops(replay, start));
        scope.spawn(move || {
            start.wait();
            disk.go_on();
        });
    });
    wait_until("a reader that is closed", || disk.readers() == 0);
}

/// What all threads hold once nothing changes any more.
fn held_at_rest() -> isize {
    let (mut same, mut last) = (0, 0);
    wait_until("a heap at rest", || {
        let now = held_by_all();
        same = if now == last { same + 1 } else { 0 };
        last = now;
        same > 30
    });
    last
}

/// Mixers, renderer, sounds, a stream in mid-read, a recorder, a replay, what is held and what is asked, each dropped
/// on a thread of its own, all at the same moment, with plays under way: nothing hangs, nothing dies, and nothing is
/// left. That counts what all threads hold, so it starts this program once more, for itself alone.
#[test]
fn everything_may_be_dropped_at_once() {
    const ALONE: &str = "VOICEPOOL_ALONE";
    let file = Form { rate: 8_000, ..Form::PLAIN }.music(100_000);
    let recording = recording();
    let drop_all = |round| drop_at_once(round, &file, &recording);
    if env::var_os(ALONE).is_some() {
        // What a process makes once is made by the first few.
        (0..5).for_each(drop_all);
        let before = held_at_rest();
        (5..205).for_each(drop_all);
        // Twenty bytes a round would be too much.
        return wait_until("the heap as it was", || held_by_all() <= before + 4_000);
    }
    let mut alone = Command::new(env::current_exe().expect("this program"));
    alone.args(["--exact", "everything_may_be_dropped_at_once", "--nocapture"]).env(ALONE, "1");
    match alone.output() {
        Ok(run) => {
            let said = [run.stdout, run.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            assert!(run.status.success() && said.contains("1 passed"), "{said}");
        }
        // Where an emulator cannot start it: here others count too.
        Err(_) => (0..200).for_each(drop_all),
    }
}

/// The same in every order, one after the other: memory is as it was.
#[test]
fn everything_may_be_dropped_in_any_order() {
    let before = held();
    let mut ways = 0;
    for way in 0..5u64.pow(5) {
        let order: [u64; 5] = std::array::from_fn(|place| way / 5u64.pow(place as u32) % 5);
        if (0..5).any(|which| !order.contains(&which)) {
            continue;
        }
        ways += 1;
        let mut random = Random(way);
        let (mixer, mut renderer) = open();
        let sound = blip();
        (0..10).for_each(|_| say_something(&mixer, &mut random, &sound));
        renderer.frames(300);
        let voices: [Option<VoiceId>; 2] = [(); 2].map(|()| mixer.play(&sound));
        let held_play = mixer.hold(Play::of(&sound).looping(), ms(3));
        let (mut mixer, mut renderer, mut sound) = (Some(mixer), Some(renderer), Some(sound));
        let mut events = mixer.as_ref().map(Mixer::events);
        let mut held_play = Some(held_play);
        for which in order {
            match which {
                0 => drop(mixer.take()),
                1 => drop(renderer.take()),
                2 => drop(sound.take()),
                3 => drop(events.take()),
                _ => drop(held_play.take()),
            }
            if let Some(mixer) = &mixer {
                assert_balanced(&mixer.stats());
                assert!(renderer.is_some() || !voices.iter().any(|voice| mixer.is_live(*voice)));
            }
            if let Some(renderer) = &mut renderer {
                renderer.frames(200);
            }
        }
    }
    assert_eq!(ways, 120);
    assert_eq!(held(), before);
}

/// The game is told which file could not be written, and why, and goes on.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_while_rendering_is_an_error_and_the_renderer_goes_on() {
    let (mixer, mut renderer) = open();
    let voice = mixer.play(Play::of(blip()).looping());
    for frames in [1, 5_000, 100_000] {
        let error = renderer.write_wav("/dev/full", frames).expect_err("a full disk");
        let text = error.to_string();
        assert!(text.starts_with("/dev/full: could not be written: "), "{text}");
        assert!(text.contains("No space left"), "{text}");
    }
    assert!(mixer.is_live(voice));
    assert!(renderer.frames(1000).iter().any(|frame| *frame != [0.0; 2]), "it is heard still");
}

/// Nothing can be made in a folder that is not to be written to.
#[cfg(target_os = "linux")]
#[test]
fn a_read_only_folder_while_rendering_is_an_error_that_costs_no_frames() {
    let (mixer, mut renderer) = open();
    mixer.play(Play::of(blip()).looping());
    // Not even root can make a file there.
    let path = "/proc/self/never.wav";
    let error = renderer.write_wav(path, 5_000).expect_err("a read-only folder").to_string();
    assert!(error.starts_with(&format!("{path}: could not be written: ")), "{error}");
    assert_eq!(mixer.clock(), 0, "nothing was rendered");
    let error = voicepool::write_wav(path, 48_000, &[[0.0; 2]]).expect_err("the same").to_string();
    assert!(error.starts_with(path), "{error}");
}
