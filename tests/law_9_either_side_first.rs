//! Law 9, sound never takes the game down: either side may go first, in the middle of anything.
//! Every play still ends once, every sound is freed, and the renderer frees none of them.

#[path = "common/allocator.rs"]
mod allocator;
mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use allocator::{heap_calls, held};
use common::{Random, assert_balanced, bits, endings, mono, noise};
use voicepool::{
    BusId, Config, Ending, Mixer, Play, Priority, Renderer, Sound, VoiceId, WhenFull, WhenStolen,
    ms, secs,
};

const RATE: u32 = 1000;

fn scarce(when_full: WhenFull) -> Config {
    Config {
        voices: 4,
        max_voices: 8,
        parked: 2,
        scheduled: 2,
        commands: 4096,
        sample_rate: RATE,
        when_full,
        ..Config::default()
    }
}

/// A new sound of 16 kB, four seconds long: if only one of them is left behind, it shows.
fn big(frames: usize) -> Sound {
    let mut samples = noise(frames as u64, frames);
    samples.resize(4096, 0.0);
    mono(RATE, &samples)
}

/// Plays in every state there is: playing, paused, stopping, parked, waiting, still in the queue.
fn play_all_kinds(mixer: &Mixer, renderer: &mut Renderer) -> Vec<Option<VoiceId>> {
    let play = |play: Play| mixer.play(play);
    let mut voices = vec![
        play(Play::of(big(1)).looping().priority(Priority::Protected)),
        play(Play::of(big(2)).priority(Priority::High)),
        play(Play::of(big(3)).priority(Priority::High)),
        play(Play::of(big(4)).looping().gain(0.5)),
        play(Play::of(big(5)).looping().gain(0.6)),
        play(Play::of(big(6)).when_stolen(WhenStolen::Park).gain(0.7)),
        play(Play::of(big(7)).delay(secs(1.0))),
    ];
    renderer.frames(128);
    mixer.pause(voices[1], ms(0));
    mixer.stop(voices[2], secs(9.0));
    renderer.frames(128);
    let stats = mixer.stats();
    assert_eq!((stats.playing, stats.parked, stats.scheduled), (4, 2, 1));
    voices.push(play(Play::of(big(8))));
    voices.push(play(Play::of(big(9)).start_at(400)));
    mixer.stop(voices[0], secs(9.0));
    mixer.resize(6).expect("room in the queue");
    voices
}

/// The renderer goes: what was live ends as stopped, plays are turned away, and the rest of what
/// a game may say does nothing.
#[test]
fn a_game_outlives_its_renderer() {
    let (mixer, mut renderer) = Mixer::offline(scarce(WhenFull::StealQuietest)).unwrap();
    let voices = play_all_kinds(&mixer, &mut renderer);
    let hum = mono(RATE, &[0.1; 100]);
    drop(renderer);
    let mut ended = endings(&mixer);
    ended.sort_by_key(|(voice, _)| *voice);
    let mut expected = voices.clone();
    expected.sort();
    let expected: Vec<_> = expected.into_iter().flatten().map(|it| (it, Ending::Stopped)).collect();
    assert_eq!(ended, expected, "each once, as stopped");
    for voice in voices {
        assert!(!mixer.is_live(voice));
        mixer.seek(voice, ms(1));
        mixer.stop(voice, ms(1));
    }
    for _ in 0..1000 {
        assert_eq!(mixer.play(&hum), None);
        mixer.pause(BusId::new(1), ms(0));
        mixer.stop_all(ms(0));
        assert!(mixer.voices().is_empty());
    }
    assert!(mixer.resize(3).is_err());
    assert!(mixer.events().next().is_none());
    let stats = mixer.stats();
    assert_balanced(&stats);
    assert_eq!((stats.live, stats.playing, stats.parked, stats.scheduled), (0, 0, 0, 0));
    assert_eq!(stats.turned_away, 1000);
}

/// The mixer goes: the renderer plays on as if it were there, and neither gets memory nor frees
/// any, though nobody collects what ends.
#[test]
fn a_renderer_outlives_its_game_and_frees_nothing() {
    let run = |stays: bool| {
        let (mixer, mut renderer) = Mixer::offline(scarce(WhenFull::StealQuietest)).unwrap();
        play_all_kinds(&mixer, &mut renderer);
        for n in 0..100 {
            // Some end by themselves, some are robbed, some find no place in the schedule.
            mixer.play(Play::of(big(n)).delay(ms(n as u64 * 7)).from_position(secs(3.6)));
        }
        let kept = stays.then_some(mixer);
        let mut heard = vec![[0.0; 2]; 20_000];
        let ((), calls) = heap_calls(|| heard.chunks_mut(300).for_each(|it| renderer.render(it)));
        assert_eq!(calls, 0, "heap calls in render");
        if let Some(stats) = kept.map(|mixer| mixer.stats()) {
            assert!(stats.finished > 1 && stats.stolen + stats.refused > 90, "{stats}");
        }
        bits(&heard)
    };
    assert!(run(false) == run(true), "the same is heard");
}

/// What waits for room when the last mixer goes arrives all the same, after what was said before it,
/// and is neither freed nor fetched from the heap in `render`.
#[test]
fn the_last_words_of_a_game_arrive_though_the_queue_is_full() {
    const IDLE: BusId = BusId::new(9);
    let before = held();
    let config = Config { voices: 8, commands: 3, ..scarce(WhenFull::StealQuietest) };
    let (mixer, mut renderer) = Mixer::offline(config).unwrap();
    let levels = [(0.5, 1), (0.25, 1), (0.125, 2), (0.0625, 3)];
    let [stopped, quiet, paused, left] = levels.map(|(level, bus)| {
        let steady = Play::of(mono(RATE, &[level; 100])).looping().bus(BusId::new(bus));
        let voice = mixer.play(steady);
        assert!(voice.is_some(), "there is room");
        renderer.frames(128);
        voice
    });
    mixer.set_gain(quiet, 0.0, ms(0));
    for _ in 0..5 {
        mixer.set_gain(IDLE, 0.5, ms(0));
    }
    mixer.stop(stopped, ms(0));
    mixer.set_gain(quiet, 0.5, ms(0));
    mixer.pause(BusId::new(2), ms(0));
    mixer.set_pan(left, -1.0, ms(0));
    assert!(mixer.is_live(paused));
    drop(mixer);
    let mut heard = [[0.0; 2]; 1280];
    let ((), calls) = heap_calls(|| renderer.render(&mut heard));
    assert_eq!(calls, 0, "heap calls in render");
    let [heard_left, heard_right] = heard[1279];
    assert!((heard_left - 0.125 - 0.0625 * 2f32.sqrt()).abs() < 1e-6, "{heard_left}");
    assert_eq!(heard_right, 0.125);
    drop(renderer);
    assert_eq!(held(), before, "and all memory is given back");
}

/// Whichever goes first, all memory is given back when both are gone.
#[test]
fn all_memory_is_given_back_whichever_side_goes_first() {
    let open = |renders: bool| {
        let (mixer, mut renderer) = Mixer::offline(scarce(WhenFull::StealQuietest)).unwrap();
        play_all_kinds(&mixer, &mut renderer);
        if renders {
            renderer.frames(700);
        }
        // A picture that is under way goes, too.
        mixer.voices();
        (mixer, renderer)
    };
    // The first time anything is done, something may be kept for good.
    drop(open(true));
    let before = held();
    let (mixer, renderer) = Mixer::offline(scarce(WhenFull::StealQuietest)).unwrap();
    let both = held();
    drop(renderer);
    let idle = held();
    drop(mixer);
    for renders in [false, true] {
        let (mixer, renderer) = open(renders);
        assert!(held() > both + 9 * 16_384, "the sounds are there");
        drop(renderer);
        drop(mixer);
        assert_eq!(held(), before, "the renderer went first");
        let (mixer, mut renderer) = open(renders);
        drop(mixer);
        renderer.frames(500);
        drop(renderer);
        assert_eq!(held(), before, "the mixer went first");
        let (mixer, renderer) = open(renders);
        drop(renderer);
        assert_eq!(endings(&mixer).len(), 9);
        assert!(held() < idle + 16_384, "with its events the last of the sounds went");
        drop(mixer);
        assert_eq!(held(), before);
    }
}

/// The game holds no handle any more when its sounds end: the renderer sends them home, and it is
/// the game's next word that frees them.
#[test]
fn the_last_handle_of_a_sound_never_drops_in_render() {
    for when_full in [WhenFull::StealQuietest, WhenFull::StealOldest, WhenFull::Refuse] {
        let (mixer, mut renderer) = Mixer::offline(scarce(when_full)).unwrap();
        let (mut random, mut buffer) = (Random(1), [[0.0; 2]; 200]);
        let empty = held();
        for round in 0..150 {
            let voices: Vec<_> = (0..3)
                .map(|n| {
                    let play = Play::of(big(3 * round + n)).from_position(secs(3.9));
                    let play = if random.below(3) == 0 { play.looping() } else { play };
                    mixer.play(play.delay(ms(random.below(50))))
                })
                .collect();
            mixer.stop(*random.pick(&voices), ms(9));
            mixer.seek(*random.pick(&voices), secs(random.between(3.5, 4.5)));
            if round % 10 == 9 {
                mixer.stop_all(ms(0));
            }
            let frames = random.below(200) as usize;
            let ((), calls) = heap_calls(|| renderer.render(&mut buffer[..frames]));
            assert_eq!(calls, 0, "heap calls in render");
            drop(endings(&mixer));
        }
        let stats = mixer.stats();
        assert!(stats.finished > 50 && stats.stopped > 50, "{stats}");
        mixer.stop_all(ms(0));
        renderer.render(&mut buffer);
        assert_eq!(endings(&mixer).len(), stats.live);
        assert!(held() < empty + 16_384, "not one sound is left");
    }
}

/// What became of a thread's plays, and how many more bytes it holds at its end.
type Account = (Vec<VoiceId>, Vec<(VoiceId, Ending)>, isize);

/// Plays new sounds until `done`, and 20 times more. (It is done long before it gives up.)
fn storm(mixer: Mixer, seed: u64, done: &AtomicBool) -> Account {
    let (before, mut random) = (held(), Random(seed));
    let (mut played, mut ended, mut rest) = (Vec::new(), Vec::new(), 20_u64);
    for _ in 0..100_000 {
        if rest == 0 {
            break;
        }
        rest -= u64::from(done.load(Ordering::Acquire));
        let play = Play::of(big(5)).from_position(secs(3.9)).delay(ms(random.below(99)));
        played.extend(mixer.play(if random.below(3) == 0 { play.looping() } else { play }));
        mixer.stop(played.last().copied(), ms(20));
        if seed.is_multiple_of(2) {
            ended.extend(endings(&mixer));
        }
        assert_balanced(&mixer.stats());
    }
    drop(mixer);
    (played, ended, held() - before)
}

/// The renderer goes while two threads play as fast as they can: each play has ended once, and
/// every sound is freed.
#[test]
fn the_renderer_may_go_in_a_storm_of_plays() {
    for seed in 0..10 {
        let before = held();
        let (mixer, mut renderer) = Mixer::offline(scarce(WhenFull::StealQuietest)).unwrap();
        let gone = AtomicBool::new(false);
        let (one, other, rendered) = thread::scope(|scope| {
            let storms = [1, 2].map(|n| (mixer.clone(), 10 * seed + n)).map(|(mixer, seed)| {
                let gone = &gone;
                scope.spawn(move || storm(mixer, seed, gone))
            });
            let rendering = scope.spawn(|| {
                let before = held();
                for _ in 0..20 * seed {
                    renderer.render(&mut [[0.0; 2]; 100]);
                    thread::yield_now();
                }
                drop(renderer);
                gone.store(true, Ordering::Release);
                held() - before
            });
            let [one, other] = storms.map(|storm| storm.join().unwrap());
            (one, other, rendering.join().unwrap())
        });
        let elsewhere = one.2 + other.2 + rendered;
        let mut played = [one.0, other.0].concat();
        let mut ended = [one.1, other.1, endings(&mixer)].concat();
        played.sort();
        ended.sort_by_key(|(voice, _)| *voice);
        assert!(ended.iter().map(|(voice, _)| voice).eq(&played), "each ended once");
        assert_eq!(mixer.play(mono(RATE, &[0.1])), None);
        let stats = mixer.stats();
        assert_balanced(&stats);
        assert_eq!((stats.live, stats.accepted), (0, played.len() as u64));
        drop((mixer, played, ended));
        assert!((held() + elsewhere - before).abs() < 8192, "a sound is left");
    }
}

/// Both mixers go, one after the other, while a thread renders: it makes no heap call, and when
/// it goes as well every sound is freed.
#[test]
fn the_mixers_may_go_in_a_storm_of_plays() {
    for seed in 0..10 {
        let before = held();
        let (mixer, mut renderer) = Mixer::offline(scarce(WhenFull::StealOldest)).unwrap();
        let (enough, gone) = (AtomicBool::new(false), AtomicBool::new(false));
        let elsewhere = thread::scope(|scope| {
            let storms =
                [(mixer.clone(), 10 * seed), (mixer, 10 * seed + 1)].map(|(mixer, seed)| {
                    let enough = &enough;
                    scope.spawn(move || storm(mixer, seed, enough))
                });
            let rendering = scope.spawn(|| {
                let (before, mut buffer, mut blocks) = (held(), [[0.0; 2]; 100], 0);
                while !gone.load(Ordering::Acquire) || blocks < 40 {
                    let ((), calls) = heap_calls(|| renderer.render(&mut buffer));
                    assert_eq!(calls, 0, "heap calls in render");
                    blocks += 1;
                    enough.store(blocks > 5 * seed, Ordering::Release);
                    thread::yield_now();
                }
                drop(renderer);
                held() - before
            });
            let stormed = storms.map(|storm| storm.join());
            gone.store(true, Ordering::Release);
            let stormed: isize = stormed.map(Result::unwrap).iter().map(|account| account.2).sum();
            stormed + rendering.join().unwrap()
        });
        assert!((held() + elsewhere - before).abs() < 8192, "a sound is left");
    }
}
